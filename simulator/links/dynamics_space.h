/* The functions of struct dynamics_solver that solvers of bodies in space have in common: all but
 * those that move the body. Parts are boxes, drives the freedoms of joints in the order of their
 * rates. */
#ifndef SIMULATOR_LINKS_DYNAMICS_SPACE_H
#define SIMULATOR_LINKS_DYNAMICS_SPACE_H

#include "simulator/links/spatial_state.h"

void dynamics_space_set_target(struct dynamics *dynamics, int drive, double target, double rate);
void dynamics_space_set_servo(struct dynamics *dynamics, int drive, const struct servo *servo);
const struct servo *dynamics_space_servo(const struct dynamics *dynamics, int drive);
void dynamics_space_set_joint_damping(struct dynamics *dynamics, double rate_1_s);

extern const struct dynamics_reader dynamics_space_reader;

typedef struct spatial_state *spatial_state_creator(const struct body *body,
                                                    const struct spatial_world *world,
                                                    const struct dynamics_settings *settings,
                                                    struct arena *arena);
/* Makes the state of a creature, whose drives get effectors; NULL when the arena is full. */
struct dynamics *dynamics_space_create(spatial_state_creator *create,
                                       const struct phenotype *phenotype, const struct world *world,
                                       const struct dynamics_settings *settings,
                                       struct arena *arena);

/* The share of a row in these; the rest is the solver's own. */
#define DYNAMICS_SPACE                                                                             \
    .set_target = dynamics_space_set_target, .set_servo = dynamics_space_set_servo,                \
    .set_joint_damping = dynamics_space_set_joint_damping

#endif

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

/* Gives a state the creature that it moves: its drives get effectors. */
void dynamics_space_adopt(struct spatial_state *s, const struct phenotype *phenotype);

/* The share of a row in these; the rest is the solver's own. */
#define DYNAMICS_SPACE                                                                             \
    .set_target = dynamics_space_set_target, .set_servo = dynamics_space_set_servo,                \
    .set_joint_damping = dynamics_space_set_joint_damping

#endif

/* The functions of struct dynamics_solver that solvers of bodies in space have in common: all but
 * those that move the body. Parts are boxes, drives the freedoms of joints in the order of their
 * rates. */
#ifndef SIMULATOR_BODY_SPACE_DYNAMICS_SPACE_H
#define SIMULATOR_BODY_SPACE_DYNAMICS_SPACE_H

#include "simulator/links/space_state.h"

void dynamics_space_set_target(struct dynamics *dynamics, int drive, double target, double rate);
void dynamics_space_set_servo(struct dynamics *dynamics, int drive, const struct servo *servo);
const struct servo *dynamics_space_servo(const struct dynamics *dynamics, int drive);
void dynamics_space_set_effectors(struct dynamics *dynamics, enum effector_state state);
void dynamics_space_set_joint_damping(struct dynamics *dynamics, double rate_1_s);
void dynamics_space_part_state(const struct dynamics *dynamics, int part, struct part_state *state);
struct quaternion dynamics_space_part_turn(const struct dynamics *dynamics, int part);
void dynamics_space_part_bounds(const struct dynamics *dynamics, int part, struct vec3 *low,
                                struct vec3 *high);
void dynamics_space_link_state(const struct dynamics *dynamics, int link, struct part_state *state);
struct quaternion dynamics_space_link_turn(const struct dynamics *dynamics, int link);
void dynamics_space_drive_state(const struct dynamics *dynamics, int drive,
                                struct drive_state *state);
struct vec3 dynamics_space_centre_of_mass(const struct dynamics *dynamics);
void dynamics_space_momentum(const struct dynamics *dynamics, struct vec3 *linear,
                             struct vec3 *angular);
int dynamics_space_impulses(const struct dynamics *dynamics, struct vec3 centre,
                            struct vec3 velocity, struct impulse_sum *impulses);
void dynamics_space_bounds(const struct dynamics *dynamics, struct vec3 *low, struct vec3 *high);
uint64_t dynamics_space_hash_part(const struct dynamics *dynamics, int part, uint64_t hash);
double dynamics_space_overlap(const struct dynamics *dynamics);

/* Gives a state the creature that it moves: its drives get effectors. */
void dynamics_space_adopt(struct space_state *s, const struct phenotype *phenotype);

/* The share of a row in these; the rest is the solver's own. */
#define DYNAMICS_SPACE                                                                             \
    .set_target = dynamics_space_set_target, .set_servo = dynamics_space_set_servo,                \
    .servo = dynamics_space_servo, .set_effectors = dynamics_space_set_effectors,                  \
    .set_joint_damping = dynamics_space_set_joint_damping,                                         \
    .part_state = dynamics_space_part_state, .part_turn = dynamics_space_part_turn,                \
    .part_bounds = dynamics_space_part_bounds, .link_state = dynamics_space_link_state,            \
    .link_turn = dynamics_space_link_turn, .drive_state = dynamics_space_drive_state,              \
    .centre_of_mass = dynamics_space_centre_of_mass, .momentum = dynamics_space_momentum,          \
    .impulses = dynamics_space_impulses, .bounds = dynamics_space_bounds,                          \
    .hash_part = dynamics_space_hash_part, .overlap = dynamics_space_overlap

#endif

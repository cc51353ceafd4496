/* Bodies in space in motion: trees of links with servos, limits and drag, in joint coordinates.
 *
 * Two ways to step. RK4 on plain quaternions, order 4, where nothing can touch and nothing is
 * stiff; Moreau's midpoint with the exponential map, order 2, with implicit servos, limits and
 * drag, everywhere else. A ledger accounts for every joule. docs/physics-space.md has the
 * equations. All memory comes from the arena given at creation; a step allocates nothing. */
#ifndef SIMULATOR_BOXES_STEPS_SPACE_DYNAMICS_H
#define SIMULATOR_BOXES_STEPS_SPACE_DYNAMICS_H

#include "simulator/body/dynamics.h"
#include "simulator/body/servo.h"
#include "simulator/boxes/contacts/space_contacts.h"
#include "simulator/boxes/steps/space_drag.h"
#include "simulator/boxes/tree/space_tree.h"

struct space_dynamics;

struct space_world {
    struct vec3 gravity_m_s2;
    struct space_drag_law drag;
    struct space_surfaces surfaces;
};

/* At rest in the pose of birth. Of the settings dt_s, integrator, effector_mode, servo_rad_s,
 * joint_speed_* and joint_damping_1_s matter. NULL when the arena is full. */
struct space_dynamics *space_dynamics_create(const struct space_body *body,
                                             const struct space_world *world,
                                             const struct dynamics_settings *settings,
                                             struct arena *arena);

/* What drives a freedom, by the index of its rate. The servos of a ball have torques in the child's
 * axes; their targets are a rotation vector. */
void space_dynamics_set_servo(struct space_dynamics *d, int rate, const struct servo *servo);
const struct servo *space_dynamics_servo(const struct space_dynamics *d, int rate);
/* An effector of that strength, N m or N, with gains for the inertia that the freedom feels at
 * birth. */
void space_dynamics_set_effector(struct space_dynamics *d, int rate, double strength);
void space_dynamics_set_target(struct space_dynamics *d, int rate, double target, double change);
void space_dynamics_set_effectors(struct space_dynamics *d, enum effector_state state);

/* Another world: with the fixed boxes of creation, or without any. It may have ground and friction
 * only if the world of creation had them. Motion and ledger stay. */
void space_dynamics_set_world(struct space_dynamics *d, const struct space_world *world);
/* Passive damping of every joint, 1/s. */
void space_dynamics_set_joint_damping(struct space_dynamics *d, double rate_1_s);

/* One step of dt_s. Returns 0, or 1 when the state is no longer finite or the arena of creation is
 * exhausted. */
int space_dynamics_step(struct space_dynamics *d);
/* The state: coordinates and rates, see space_joint.h. Putting it resets the ledger. */
const double *space_dynamics_q(const struct space_dynamics *d);
const double *space_dynamics_qd(const struct space_dynamics *d);
void space_dynamics_set_state(struct space_dynamics *d, const double *q, const double *qd);
/* The tree at the present state; good until the next step. */
const struct space_tree *space_dynamics_tree(struct space_dynamics *d);

/* Torque or force of a freedom's servo in the last step. */
double space_dynamics_effort(const struct space_dynamics *d, int rate);
/* What a freedom reads: angle or length; of a ball a component of its rotation vector. */
double space_dynamics_value(const struct space_dynamics *d, int rate);
/* The inertia that a freedom feels at birth while the whole floats, 1 / (M^-1)_ii. */
double space_dynamics_birth_inertia(const struct space_dynamics *d, int rate);

void space_dynamics_reset_ledger(struct space_dynamics *d);
/* With the energies of the present state; good until the next call. */
const struct ledger *space_dynamics_ledger(struct space_dynamics *d);
/* Contacts with an impulse, or a gap below 1 mm, in the last step. part: a box; other: a box, or as
 * in struct contact_point. */
int space_dynamics_contacts(const struct space_dynamics *d, const struct contact_point **contacts);
/* What contacts, gravity and drag gave all bodies in the last step, about the world's origin, to
 * rounding; returns 0 if that is not known: where nothing can touch and there is no drag. */
int space_dynamics_impulses(const struct space_dynamics *d, struct impulse_sum *impulses);
/* Deepest penetration in the last step, m; and how far its contacts were off their law, m/s. */
double space_dynamics_penetration(const struct space_dynamics *d);
double space_dynamics_law_residual(const struct space_dynamics *d);
/* Only while pushing boxes apart at birth: the speed at which overlap is resolved, m/s (0:
 * normal). */
void space_dynamics_set_push_out(struct space_dynamics *d, double speed_m_s);
/* Arithmetic operations so far, roughly and the same on every machine. */
uint64_t space_dynamics_work(const struct space_dynamics *d);
/* Steps taken, and those of them with RK4. */
void space_dynamics_step_counts(const struct space_dynamics *d, uint64_t *steps,
                                uint64_t *rk4_steps);

#endif

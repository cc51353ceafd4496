/* Bodies in space by constraint forces: the reference for simulator/boxes, with which it shares no
 * equation of motion.
 * Every link has coordinates of its own: the place of its centre of mass and a quaternion, the
 * velocity and the angular velocity, all in the world's axes. Newton's and Euler's equations move
 * it; joints are constraints on accelerations with the feedback of Barzel and Barr (1988), whose
 * forces are the least-squares solution of J M^-1 J' lambda = -(J M^-1 F + curvature + 2 D'/tau +
 * D/tau^2) of least size. Time steps are those of Dormand and Prince (1980), as long as an error of
 * dynamics_settings.rtol allows. docs/physics-space.md has the rows.
 * Joints, servos, prescribed motions, drag, limits and contacts (space_touch.c). Coordinates q and
 * rates qd are those of space_joint.h. Any number of links; a step costs the cube of the number of
 * rows that touch. All memory comes from the arena given at creation; a step allocates nothing. */
#ifndef SIMULATOR_REFERENCE_SPACE_SPACE_CONSTRAINT_H
#define SIMULATOR_REFERENCE_SPACE_SPACE_CONSTRAINT_H

#include "simulator/boxes/steps/space_dynamics.h"

struct space_constraint;

/* At rest in the pose of birth. Of the settings dt_s, rtol, constraint_tau_s, effector_mode,
 * servo_rad_s, joint_speed_*, hill_curvature and joint_damping_1_s matter. NULL when the arena is
 * full. */
struct space_constraint *space_constraint_create(const struct space_body *body,
                                                 const struct space_world *world,
                                                 const struct dynamics_settings *settings,
                                                 struct arena *arena);

/* A joint that closes a loop: a second one between two links, or between a link and the world,
 * -1. */
struct space_loop {
    enum space_joint_kind kind;
    int links[2];               /* the child and the parent */
    struct vec3 at[2];          /* in their frames, as is ... */
    struct quaternion turns[2]; /* ... the frame of the joint */
};

/* Closes loops from the next space_constraint_set_state() on, which moves all links as little as it
 * can. Once, after creation; ERR_MEMORY when the arena is full. */
int space_constraint_close(struct space_constraint *c, const struct space_loop *loops, int count);

/* As of space_dynamics.h. */
void space_constraint_set_servo(struct space_constraint *c, int rate, const struct servo *servo);
void space_constraint_set_effector(struct space_constraint *c, int rate, double strength);
void space_constraint_set_target(struct space_constraint *c, int rate, double target,
                                 double change);
void space_constraint_set_effectors(struct space_constraint *c, enum effector_state state);

void space_constraint_set_world(struct space_constraint *c, const struct space_world *world);
void space_constraint_set_joint_damping(struct space_constraint *c, double rate_1_s);
/* Above 0 steps part boxes that overlap, at birth: each from rest, with the least motion, in the
 * sense of its energy, that moves them apart at that speed. Muscles, gravity and drag do nothing. */
void space_constraint_set_push_out(struct space_constraint *c, double speed_m_s);

/* Moves on by dt_s. Returns 0; DYNAMICS_BROKEN if no step is short enough or the state is no longer
 * finite; DYNAMICS_UNSOLVED if contacts have no solution: space_constraint_law_residual() and
 * space_constraint_contacts() then say by how much, and how many. */
int space_constraint_step(struct space_constraint *c);
/* Coordinates and rates of joints. Puts the links there and resets the ledger. */
void space_constraint_set_state(struct space_constraint *c, const double *q, const double *qd);

/* Where the frame of the world is in which joints of roots stand; for the next
 * space_constraint_set_state(). */
void space_constraint_set_ground(struct space_constraint *c, struct vec3 at);

/* A link's centre of mass; the spin in the world's axes. */
struct space_place {
    struct vec3 centre;
    struct quaternion turn;
    struct vec3 velocity, spin;
};
struct space_place space_constraint_place(const struct space_constraint *c, int link);
/* The state in joint coordinates, as the places have it. */
const double *space_constraint_q(const struct space_constraint *c);
const double *space_constraint_qd(const struct space_constraint *c);
/* A tree, of the other solver's, at the present state, to be read; good until the next step. */
const struct space_tree *space_constraint_tree(struct space_constraint *c);
double space_constraint_value(const struct space_constraint *c, int rate);
/* The torque or force that drives a freedom. */
double space_constraint_effort(const struct space_constraint *c, int rate);
/* How far joints are from being closed, m or rad, at most. */
double space_constraint_gap(struct space_constraint *c);
double space_constraint_birth_inertia(const struct space_constraint *c, int rate);

/* As of space_dynamics.h. */
int space_constraint_contacts(const struct space_constraint *c,
                              const struct contact_point **contacts);
/* Never known: 0. */
int space_constraint_impulses(const struct space_constraint *c, struct impulse_sum *impulses);
double space_constraint_penetration(const struct space_constraint *c);
double space_constraint_law_residual(const struct space_constraint *c);

void space_constraint_reset_ledger(struct space_constraint *c);
/* With the energies of the present state; good until the next call. */
const struct ledger *space_constraint_ledger(struct space_constraint *c);
/* Steps taken, those that were tried in vain left out, and all of them but those of first order by
 * impulses. */
void space_constraint_step_counts(const struct space_constraint *c, uint64_t *steps,
                                  uint64_t *rk_steps);
/* Arithmetic operations so far, roughly. */
uint64_t space_constraint_work(const struct space_constraint *c);

#endif

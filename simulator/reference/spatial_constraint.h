/* Bodies in space by constraint forces: the reference for simulator/spatial, with which it shares
 * no equation of motion. Every link has coordinates of its own: the place of its centre of mass and
 * a quaternion, the velocity and the angular velocity, all in the world's axes. Newton's and
 * Euler's equations move it; joints are constraints on accelerations with the feedback of Barzel
 * and Barr (1988), whose forces are the least-squares solution of J M^-1 J' lambda = -(J M^-1 F +
 * curvature + 2 D'/tau + D/tau^2) of least size. Time steps are those of Dormand and Prince (1980),
 * as long as an error of dynamics_settings.rtol allows. docs/physics-space.md has the rows. Joints,
 * servos, prescribed motions, drag, limits and contacts (spatial_touch.c). Coordinates q and rates qd
 * are those of joint.h. Any number of links; a step costs the cube of the number of rows that
 * touch. All memory comes from the arena given at creation; a step allocates nothing. */
#ifndef SIMULATOR_REFERENCE_SPATIAL_CONSTRAINT_H
#define SIMULATOR_REFERENCE_SPATIAL_CONSTRAINT_H

#include "simulator/links/spatial_state.h"

struct spatial_constraint;

/* The body at rest in the pose of birth. Of the settings dt_s, rtol, constraint_tau_s,
 * effector_mode, servo_rad_s, joint_speed_*, hill_curvature and joint_damping_1_s matter. A step
 * returns DYNAMICS_BROKEN if no part of it is short enough or the state is no longer finite;
 * DYNAMICS_UNSOLVED if contacts have no solution: law_residual and contacts then say by how much,
 * and how many. Steps that push out begin at rest, and part boxes with the least motion, in the
 * sense of its energy; muscles, gravity and drag do nothing. Impulses are never known. NULL when
 * the arena is full. */
struct spatial_state *spatial_constraint_create(const struct body *body,
                                                const struct spatial_world *world,
                                                const struct dynamics_settings *settings,
                                                struct arena *arena);
/* Does so in memory of the caller, all 0, for a row of its own. ERR_MEMORY: as before. */
int spatial_constraint_init(struct spatial_constraint *c, const struct dynamics_solver *solver,
                            const struct body *body, const struct spatial_world *world,
                            const struct dynamics_settings *settings, struct arena *arena);
/* The state of either row. */
struct spatial_constraint *spatial_constraint_of(const struct dynamics *dynamics);

/* As in struct dynamics_solver. */
int spatial_constraint_step(struct dynamics *dynamics);
void spatial_constraint_set_state(struct dynamics *dynamics, const double *q, const double *qd);
void spatial_constraint_energy(struct dynamics *dynamics, double *kinetic_j, double *potential_j);
/* The world of the state has changed: with the fixed boxes of creation, or without any. It may have
 * ground and friction only if the world of creation had them. Motion and ledger stay. */
void spatial_constraint_heed_world(struct spatial_constraint *c);

/* A joint that closes a loop: a second one between two links, or between a link and the world,
 * -1. */
struct spatial_loop {
    enum link_joint kind;
    int links[2];               /* the child and the parent */
    struct vec3 at[2];          /* in their frames, as is ... */
    struct quaternion turns[2]; /* ... the frame of the joint */
};

/* Closes loops from the next set_state() on, which moves all links as little as it
 * can. Once, after creation; ERR_MEMORY when the arena is full. */
int spatial_constraint_close(struct spatial_constraint *c, const struct spatial_loop *loops,
                             int count);

/* A link's centre of mass; the spin in the world's axes; the stretch, of what has none 0, and its
 * rate. */
struct spatial_place {
    struct vec3 centre;
    struct quaternion turn;
    struct vec3 velocity, spin;
    double stretch, stretch_rate;
};

#endif

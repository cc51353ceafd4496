/* Bodies in space in motion: trees of links with servos, limits and drag, in joint coordinates.
 *
 * Two ways to step. RK4 on plain quaternions, order 4, where nothing can touch and nothing is
 * stiff; Moreau's midpoint with the exponential map, order 2, with implicit servos, limits and
 * drag, everywhere else. A ledger accounts for every joule. docs/physics-space.md has the
 * equations. All memory comes from the arena given at creation; a step allocates nothing.
 *
 * spatial_dynamics.c takes a step, by RK4 or the midpoint rule, and splits it where it has to; the
 * others are its parts. simulator/spatial/dynamics_boxes.c makes the state and shows it. Bodies
 * that could touch take a midpoint step together, as a group: with the same contacts, in the same
 * parts. */
#ifndef SIMULATOR_SPATIAL_STEPS_SPATIAL_STEP_H
#define SIMULATOR_SPATIAL_STEPS_SPATIAL_STEP_H

#include "simulator/spatial/contacts/spatial_contacts.h"
#include "simulator/links/spatial_drag.h"
#include "simulator/spatial/tree/spatial_limits.h"
#include "simulator/spatial/tree/spatial_momentum.h"

/* The bodies that take a midpoint step together, and the contacts that they share. Most are
 * alone. */
struct spatial_group {
    struct spatial_dynamics **all;
    int count;
    struct spatial_contacts *contacts;
    double law_residual; /* m/s, of the last step */
    double step_s;       /* of the whole step, of which contacts->dt_s is a part */
    double instant_s;    /* instants less apart are one */
    int has_hit;         /* limits have just stopped joints that hit them */
    int is_mendable;     /* the step would be better if pressing contacts were known */
};

struct spatial_dynamics {
    struct spatial_state base;
    struct spatial_group alone; /* of one: */
    struct spatial_dynamics *self;
    struct spatial_tree tree;
    struct spatial_limits limits;
    struct spatial_drag drag;
    struct spatial_surfaces surfaces;
    struct spatial_contacts contacts;
    /* per free root what it has at the start of the step, and where it is without what joint
     * coordinates lose */
    struct spatial_momentum *momenta;
    struct spatial_momentum *kept; /* scratch: of the roots before they move */
    struct impulse_sum
        *dragged; /* per free root: what drag gave it in the step, about the world's origin */
    int *roots, root_count;
    int has_momenta; /* they are known */
    /* ledger and what was given at the start of the step: */
    struct ledger ledger_before;
    struct impulse_sum given_before;
    const struct body_link *links;
    int coordinates, rates;
    int has_drag, is_stiff, has_drives;
    /* operations so far, besides those of the cones; and of a midpoint step */
    uint64_t operations, step_operations;
    int is_posed; /* the tree is at the state */
    int known;    /* accelerations of so many steps before, up to 2: qdd, qdd_last, pressed */
    double lengths_s[2]; /* of these steps, the last one first */
    int is_pressing;
    double energy, start_energy;      /* of the state, and at the start of the step ... */
    int has_energy, has_start_energy; /* ... where they are known */
    int are_limits_alone;             /* in this step they act, and no contacts */
    double limits_work;               /* J, in this step, besides what is booked with contacts */

    /* of servos: 0; -1 or 1: on the tangent of a bound below or above; twice that: at its end */
    int *clamped;
    double *q0, *qd0, *qm, *vm, *q_stage, *q_rate, *q_sum;
    double *q_from, *qd_from; /* where a part of a step of RK4 begins */
    double *pressed;          /* what contacts and limits added to qdd in the last step ... */
    int was_blow;             /* ... with an impact, after which it does not go on */
    double *expected;         /* qd0 and what pressed adds in half a midpoint step */
    double *carried;          /* ... for servos and drag: */
    int is_spread;            /* these learn of limits alone, over all of the step, as they act */
    double *qdd, *qdd_last, *v_sum, *tau, *extra, *zero;
    double *effort, *effort_extra; /* of servos alone: base.torque = effort - effort_extra qdd */
    double *work;
};

/* The body at rest in the pose of birth. Of the settings dt_s, integrator, effector_mode,
 * servo_rad_s, joint_speed_* and joint_damping_1_s matter. A step fails when the state is no longer
 * finite or the arena of creation is exhausted. Impulses are not known where nothing can touch and
 * there is no drag. Another world may have ground and friction only if that of creation had them; its
 * fixed boxes are those of creation, or none. NULL when the arena is full. */
struct spatial_state *spatial_dynamics_create(const struct body *body,
                                              const struct spatial_world *world,
                                              const struct dynamics_settings *settings,
                                              struct arena *arena);

static inline struct spatial_dynamics *spatial_dynamics_of(const struct dynamics *dynamics)
{
    return dynamics_of(dynamics, &dynamics_boxes);
}

/* Copies coordinates and rates of the body. */
static inline void spatial_step_copy(const struct spatial_dynamics *d, const double *from_q,
                                     const double *from_qd, double *q, double *qd)
{
    for (int i = 0; i < d->coordinates; i++)
        q[i] = from_q[i];
    for (int i = 0; i < d->rates; i++)
        qd[i] = from_qd[i];
}

/* Puts the tree at the state, if it is not there. */
void spatial_step_set_pose(struct spatial_dynamics *d);
/* Finds whether servos are too stiff for steps of RK4, and whether there are drives: after servos
 * have changed. */
void spatial_step_judge_servos(struct spatial_dynamics *d);
/* Torques at coordinates q and rates v, `ahead` after the start of the step; half_step > 0: at the
 * mean state of a step whose start has the rates v and whose middle the coordinates q. */
void spatial_step_set_torques(struct spatial_dynamics *d, const double *q, const double *v,
                              double ahead, double half_step);
/* Driven freedoms: what their signals say. */
void spatial_step_follow_signals(struct spatial_dynamics *d, double ahead, double *q, double *qd);
/* Driven freedoms come to the rates at the end of the step. */
void spatial_step_set_drives(struct spatial_dynamics *d);
/* The efforts of driven freedoms in the last evaluation. */
void spatial_step_set_drive_efforts(struct spatial_dynamics *d);
/* Loads of drag at the velocity that is set; in a midpoint step at the mean velocity, as far as it
 * is known before the accelerations: that of the rates `start`, less half_step times the
 * accelerations that do not come from those of the joints. */
void spatial_step_set_drag(struct spatial_dynamics *d, const double *start, double half_step);
/* Power, at the pose, of the drag at some rates on the motion of others. */
double spatial_step_drag_power(struct spatial_dynamics *d, const double *dragged,
                               const double *rates);
/* The momentum that the loads of drag, at the pose in the middle, give a free root in a time. */
struct impulse_sum spatial_step_drag_impulse(const struct spatial_dynamics *d, int root,
                                             double time_s);
/* Books the work of servos and drives, which has been put into d->work. */
void spatial_step_book_work(struct spatial_dynamics *d);
/* Steps from (q0, qd0) to (q, qd), with the ledger; neither advances the servos. */
void spatial_step_rk4(struct spatial_dynamics *d);
/* The midpoint step: 0. Where it should be parted for an impact, and may be, how long the first
 * part should be, s: then nothing has acted, and it is to be taken back. */
double spatial_step_midpoint(struct spatial_group *g, int may_part);
/* A step of settings.dt_s, by RK4 or the midpoint rule, which is taken in parts where it has to be
 * split; and one by the midpoint rule of bodies that may touch, split for all where it has to be
 * for one. */
void spatial_step_alone(struct spatial_dynamics *d);
void spatial_step_together(struct spatial_group *g);
/* The momenta of free roots at the start of a step. */
void spatial_step_find_momenta(struct spatial_dynamics *d);
/* Gives free roots the momenta that they should have at the end of a step of 2 half. Joint
 * coordinates alone keep momentum to third order of h only, by RK4 to fifth order, but where
 * torques jump. The integrator `rk4` is left as it is. */
void spatial_step_keep_momentum(struct spatial_dynamics *d, const struct spatial_contacts *contacts,
                                double half);
/* Books the work of limits. */
void spatial_step_book_limits(struct spatial_dynamics *d, double work_j);
/* Kinetic and potential energy of the state. */
double spatial_step_energy(struct spatial_dynamics *d);

#endif

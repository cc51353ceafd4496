/* The state of the articulated solver, which its files share:
 *
 *   dynamics_planar.c    creation, settings, which kind of step is taken, bodies that meet
 *   planar_step_read.c        what others read of it
 *   planar_step_torques.c     what the joints' servos and muscles pull with; joints that follow a signal
 *   planar_step_rk4.c         steps in free motion
 *   planar_step_midpoint.c    steps in which something may touch
 *   planar_step_momentum.c    momentum, which joint coordinates alone do not keep exactly */
#ifndef SIMULATOR_PLANAR_STEPS_PLANAR_STEP_PRIVATE_H
#define SIMULATOR_PLANAR_STEPS_PLANAR_STEP_PRIVATE_H

#include "common/math/pair.h"
#include "simulator/body/dynamics.h"
#include "simulator/body/servo.h"
#include "simulator/planar/contacts/contacts.h"
#include "simulator/planar/steps/drag.h"
#include "simulator/planar/tree/tree.h"

/* The greatest number of parts that an RK4 step is halved into. */
#define RK4_PARTS 64

/* Servos and damping of the joints, in vectors as rates are, 0 for the root's. The effector's
 * torque is aim - kp (q + half qd) - kd qd, explicitly with half = 0, and no more than
 * muscle_most() of `most`, hill_n_m and hill_s_rad. */
struct joint_laws {
    double *kp, *kd, *damping, *most, *hill_n_m, *hill_s_rad;
    double *extra;         /* what the effector adds to the joint's inertia in a midpoint step */
    double *birth_share;   /* what that leaves of a torque, with the inertia at birth */
    double *target, *rate; /* of effectors, at the start of the step; the servos' own are older */
    double *is_plain;      /* 1: it follows its target, see plain_aim(); else 0 */
};

/* Energy, and what an error of it is compared with. */
struct balance {
    double energy_j, size_j;
};

struct planar_step;

/* Bodies that take a midpoint step together, and the contacts that they share. */
struct group {
    struct planar_step **all;
    int count;
    struct contacts *contacts;
    int is_parted; /* the step is taken in parts */
};

/* Places in the works of an RK4 step, where q has those of the root: losses by drag and by damping,
 * work of driven joints. From 2 + 1 on come the effectors'. */
enum rk4_work { WORK_DRAG, WORK_DAMPING, WORK_DRIVES };

struct planar_step {
    struct dynamics base;
    const struct phenotype *phenotype;
    struct dynamics_settings settings;
    struct world world;
    struct tree tree;
    struct drag drag;
    double drag_rate_1_s; /* in this step, see drag_rate() */
    struct box *boxes;    /* for what is exposed to drag */
    int dof, links, parts;
    double *q, *qd;
    uint64_t step_work; /* operations of a step but for the impulses, roughly */
    double damping_rate;

    struct servo *servos;   /* per link */
    struct joint_laws laws; /* what the servos come to */
    int has_other_aims;     /* of effectors that are not plain */
    int has_curve;          /* torques fall with the rates */
    int has_damping;
    int has_signals;       /* servos among them follow a signal */
    int has_drives;        /* servos among them prescribe motions */
    int has_stiff_muscles; /* too stiff for RK4: they lose their strength within a part of a step */
    double *birth_d;       /* inertia that each joint feels at birth */
    struct contacts contacts;
    struct group alone;
    struct planar_step *self; /* what that is a list of */
    int has_accelerations;    /* of so many steps before: in qdd, and qdd_last */
    int is_posed, is_moving;  /* the tree is at q; its velocities are those of qd */
    int is_pressing;          /* contacts or limits did in the last step */
    int is_examined;          /* clearance is that of the present state */
    struct clearance clearance;
    /* now, where it is known, as it should be: momentum is kept by it */
    struct tree_bulk bulk;
    int is_bulk_known;
    /* of this step: how far the centre of mass has gone in the parts before; the mean of how far it
     * was when gravity acted, times the step, m s */
    struct vec2 gone, weighed;
    int was_parted;
    double foreseen_s; /* length of the step that last_kick and the accelerations are of */
    double drag_before_j, damping_before_j; /* losses of the ledger before this step */
    /* of this step, about the root's origin in its middle; of RK4: of a part, at its start */
    struct force drag_impulse;
    struct impulse_sum dragged; /* of this step, about the world's origin */

    /* scratch of a step: vectors of dof numbers and, where that is odd, one that stays 0 */
    double *q0, *qd0, *qm, *vm, *mended, *v1, *vs, *kick, *qdd, *qdd_last, *tau, *extra;
    double *effector_tau, *effector_extra; /* parts of tau and extra that are the effectors' */
    double *effector_work;                 /* of this step */
    double *clamped;                       /* -1, 0, +1: to a line; -2, +2: to a number */
    double *low, *high;                    /* what the effectors' torques are kept within */
    double *bound_rate;                    /* the rates for which that is so */
    double *coupled;               /* per rate: 1 if velocity products depend on it, else 0 */
    double *k_q, *k_v;             /* RK4: sums of the stages */
    double *vm_before, *vs_before; /* vm and vs as they were before the contacts acted */
    double *last_kick;             /* by contacts that last; 0 after an impact */
    double *carried;          /* qd0 + last_kick / 2: with h/2 qdd the mean of a midpoint step */
    double *kick_before;      /* of the last step, whatever it was */
    double *rates;            /* given to the tree for a moment, to see what works at them */
    double *work, *part_work; /* of an RK4 step, of a part of it: places as of enum rk4_work */
    double *from_q, *from_qd; /* where a part of it begins */
    struct balance balance;   /* at its end; it is that of the present state if */
    int is_balance_known;
    double *still, *answer; /* rates that are 0; what rates do when driven joints are pulled */
    double pull_work_j[2];  /* by that in a midpoint step: in its middle, at its end */
    double *aim;            /* of the effectors */
    double *torque;         /* of the last step, per link */
};

static inline struct planar_step *planar_step_of(const struct dynamics *dynamics)
{
    return dynamics_of(dynamics, &dynamics_articulated);
}

/* The tree is where the last evaluation left it until a caller looks. */
static inline void planar_step_set_pose(struct planar_step *d)
{
    if (!d->is_posed)
        tree_set_pose(&d->tree, d->q);
    if (!d->is_posed || !d->is_moving)
        tree_set_velocity(&d->tree, d->qd);
    d->is_posed = d->is_moving = 1;
}

/* Books the work of an effector over a step. */
static inline void planar_step_book_effector(struct planar_step *d, double work)
{
    d->base.ledger.work_effector_j += work;
    if (work > 0)
        d->base.ledger.work_effector_positive_j += work;
}

/* Drag: tensors of the links for the tree's velocities. */
void planar_step_set_drag(struct planar_step *d);

/* ---- planar_step_torques.c ---- */

/* Servos as the body is born with them, and what they come to; the contacts' rows are scratch. */
void torques_init(struct planar_step *d);
/* The servos' gains, once they or the effectors' state have changed. */
void torques_set_laws(struct planar_step *d);
/* Sets where effectors aim, `ahead` after the start of the step. */
void torques_set_aims(struct planar_step *d, double ahead);
/* A step has passed: the targets have moved. */
void torques_advance(struct planar_step *d);
/* Explicit torques at joint angles q with rates qd, within what muscles can. */
void torques_set(struct planar_step *d, const double *q, const double *qd);
/* Torques of a midpoint step from q0 with the rates carried, implicit in its mean velocity; those
 * that are likely to be too strong for the muscles at the rates foreseen are clamped. */
void torques_set_implicit(struct planar_step *d, double half, const double *foreseen);
/* Accelerations with these at the tree's pose and velocity, clamped where need be. is_again: pose,
 * servos and drag are those of the last call. */
void torques_accelerate(struct planar_step *d, double half, int is_again);

/* Coordinates and rates of driven joints as their signals have them, `ahead` after the start of the
 * step; and their accelerations for the next evaluation. q, qd: NULL to leave them. */
void drives_follow_signals(struct planar_step *d, double ahead, double *q, double *qd);
/* Driven joints get the rates that their signals have `ahead` after the start of the step, by
 * impulses to which all rates answer; returns their work. The tree is at the pose, and left with
 * other velocities. */
double drives_pull(struct planar_step *d, double ahead, double *qd);
/* The torques of driven joints in the last evaluation. */
void drives_take_efforts(struct planar_step *d);

/* Nothing to do where no joint is driven: creatures have no driven joints. */
static inline void drives_follow(struct planar_step *d, double ahead, double *q, double *qd)
{
    if (d->has_drives)
        drives_follow_signals(d, ahead, q, qd);
}

/* ---- planar_step_momentum.c ---- */

/* Before a step: what the body as a whole comes to. */
void momentum_find(struct planar_step *d);
/* Keeps momentum in a midpoint step: joint coordinates alone keep it to third order of h only. */
void momentum_keep(struct planar_step *d, const struct contacts *contacts, int of);
/* Adds what drag gave, about a point, to that of the step. */
void momentum_add_drag(struct planar_step *d, const struct force *impulse, double x, double y);
/* Keeps momentum in a step of RK4 in which nothing but gravity and drag act from outside, at the
 * tree's pose. Returns the energy that takes. */
double momentum_keep_free(struct planar_step *d);

/* ---- planar_step_rk4.c, planar_step_midpoint.c ---- */

/* Takes the step by RK4: 1 if it holds; else, as something would touch, the state is that before
 * it. */
int rk4_try(struct planar_step *d);
/* Takes a midpoint step of the bodies of a group, in parts where something thin could be passed. */
void midpoint_step(struct group *g);

/* ---- planar_step_read.c: see struct dynamics_reader ---- */

extern const struct dynamics_reader planar_step_reader;
void planar_step_energy(struct dynamics *dynamics, double *kinetic_j, double *potential_j);

#endif

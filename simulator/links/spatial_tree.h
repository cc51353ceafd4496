/* Trees of rigid links in space: where they are and how they move, by joint coordinates.
 *
 * World axes; each link's reference point, its origin, is its own joint. So no vector is ever
 * transformed from link to link but by a shift along the way between two joints, and all
 * accelerations are those of points. The world is the parent of every root: a free root hangs on it
 * by a joint of six freedoms, and any number of trees may stand side by side.
 *
 * 1 to some 50 links, O(links) per call; nothing is allocated after spatial_tree_create().
 *   docs/physics-space.md
 * has the derivation. */
#ifndef SIMULATOR_LINKS_SPATIAL_TREE_H
#define SIMULATOR_LINKS_SPATIAL_TREE_H

#include "common/growth/body.h"
#include "common/system/arena.h"

/* A motion: angular velocity or acceleration, and that of a point; a wrench: moment about a point
 * and force. */
struct spatial_motion {
    struct vec3 w, v;
};
struct spatial_wrench {
    struct vec3 n, f;
};

/* Takes motions to wrenches, symmetric: n = nn w + nv v, f = nv' w + fv v. */
struct spatial_tensor {
    struct sym3 nn;
    struct mat3 nv; /* rows x, y, z */
    struct sym3 fv;
};

/* An axis of a joint with what it yields to: U = I s, and 1 / (s.U + extra). */
struct spatial_axis {
    struct vec3 s; /* world */
    struct spatial_wrench u;
    double inverse; /* 0: its acceleration is given */
    double root;    /* of inverse, after spatial_tree_factor_mass() */
    double share;   /* of the last evaluation: torque - s.p; of a given one the torque it needed */
};

struct spatial_tree_link {
    /* constant */
    struct spatial_tree_link *up; /* the parent, which may be the world */
    const struct joint_kind *joint;
    int coordinate, rate; /* its first ones in q and qd */
    int first, root;      /* rate and number of its root */
    int rates, slides;
    int turn; /* its first one among all turns */
    int parent;
    struct vec3 joint_at;
    struct mat3 frame;
    int is_frame_turned;
    double mass;
    struct vec3 centre, moment;       /* own axes; mass times the centre */
    struct sym3 inertia, own_inertia; /* about the origin; about the centre */
    /* pose */
    struct mat3 turned; /* own axes to the world's */
    struct vec3 r;      /* from the parent's origin to the own */
    struct vec3 at;     /* the origin */
    struct vec3 h;      /* mass times the centre from the origin */
    struct sym3 world_inertia;
    /* velocity, of the origin; bias: acceleration without those of the joint and the parent's */
    struct spatial_motion velocity, bias;
    /* evaluation */
    struct spatial_tensor
        articulated; /* without the own joint's axes, after spatial_tree_factor() */
    struct spatial_wrench p;
    struct spatial_motion acceleration; /* as seen from free fall */
    int has_units; /* its rows of unit impulses are known, after spatial_tree_factor_mass() */
    /* drag at the mean velocity: its tensor, about the origin, and what it takes besides */
    struct spatial_tensor drag;
    struct spatial_wrench load; /* from outside: minus the force */
    /* the sum of the biases from the world on, after spatial_tree_sum_biases(); for drag: a velocity
     * for other rates */
    struct spatial_motion bias_sum, mean;
    struct spatial_axis axes[JOINT_RATES_MAX];
};

struct spatial_tree {
    struct spatial_tree_link world;
    struct spatial_tree_link *links;
    int count, coordinates, rates, turns;
    double mass;
    struct vec3 gravity;
    double *angles, *sines, *cosines; /* of all turns */
    /* per rate: its acceleration is given */
    int *is_driven;
    double *drive;
    double *no_extra; /* all 0 */
    /* per link L^-1 J' of unit moments and forces on it, about its origin: six rows */
    double *units;
    int stride;
};

/* Coordinates and rates of a link that are not those of a ball; a ball's follow. */
static inline int spatial_tree_plain(const struct spatial_tree_link *l)
{
    return l->slides + l->joint->turns + l->joint->stretches;
}

/* The first link of what hangs together rigidly; the world, which has no link up, if it cannot move.
 * A link is not rigid with one that stretches. */
static inline const struct spatial_tree_link *spatial_tree_piece(const struct spatial_tree_link *l)
{
    while (l->up && l->rates == 0 && !(l->up->joint && l->up->joint->stretches))
        l = l->up;
    return l;
}

static inline struct spatial_wrench spatial_tensor_apply(const struct spatial_tensor *t,
                                                         const struct spatial_motion *m)
{
    return (struct spatial_wrench){vec3_add(sym3_apply(&t->nn, m->w), mat3_back(&t->nv, m->v)),
                                   vec3_add(mat3_apply(&t->nv, m->w), sym3_apply(&t->fv, m->v))};
}

/* Adds a tensor about a point that is r from that of the sum. */
void spatial_tensor_add_shifted(struct spatial_tensor *sum, const struct spatial_tensor *tensor,
                                struct vec3 r);

/* Takes everything from the arena; ERR_MEMORY when it is full. */
int spatial_tree_create(struct spatial_tree *tree, const struct body_link *links, int count,
                        struct vec3 gravity, struct arena *arena);

/* Invariants of coordinates after a step that did not fail: quaternions are units. */
void spatial_tree_check_coordinates(const struct spatial_tree *tree, const double *q);

/* The coordinates of birth: 0, and quaternions of no turn. */
void spatial_tree_birth(const struct spatial_tree *tree, double *q);
/* dq/dt; a quaternion's length does not change. */
void spatial_tree_coordinate_rates(const struct spatial_tree *tree, const double *q,
                                   const double *qd, double *rates);
/* q moves with the rates qd for a time: by the exponential map where there are quaternions. May be
 * in place. */
void spatial_tree_advance(const struct spatial_tree *tree, const double *from, const double *qd,
                          double time_s, double *q);
/* Makes quaternions units. */
void spatial_tree_normalise(const struct spatial_tree *tree, double *q);

/* Everything that follows from q; quaternions need not be units. */
void spatial_tree_set_pose(struct spatial_tree *tree, const double *q);
/* Sets the pose where only slides of roots have changed since: a fraction of the work. */
void spatial_tree_shift(struct spatial_tree *tree, const double *q);
/* Velocities of all links and velocity products, at the pose. */
void spatial_tree_set_velocity(struct spatial_tree *tree, const double *qd);
/* Velocities alone: velocity products stay those of the rates they were last found for. */
void spatial_tree_move(struct spatial_tree *tree, const double *qd);
/* Accelerations of all links if the rates do not change, at the pose and with the velocity
 * products. */
void spatial_tree_sum_biases(struct spatial_tree *tree);

/* At the pose and velocity. */
struct vec3 spatial_tree_centre(const struct spatial_tree_link *link);
struct vec3 spatial_tree_centre_velocity(const struct spatial_tree_link *link);
double spatial_tree_kinetic_energy(const struct spatial_tree *tree);
double spatial_tree_potential_energy(const struct spatial_tree *tree);
struct vec3 spatial_tree_centre_of_mass(const struct spatial_tree *tree);
/* Momentum, and angular momentum about the world's origin. */
void spatial_tree_momentum(const struct spatial_tree *tree, struct vec3 *linear,
                           struct vec3 *angular);

#endif

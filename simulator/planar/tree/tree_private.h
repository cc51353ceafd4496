/* For the files of the tree: velocities from link to link; links that stretch, and links that hang
 * on those. */
#ifndef SIMULATOR_PLANAR_TREE_TREE_PRIVATE_H
#define SIMULATOR_PLANAR_TREE_TREE_PRIVATE_H

#include "common/math/pair.h"
#include "simulator/planar/tree/tree.h"

#define NEVER_INLINE __attribute__((noinline))

/* The velocity of the root, of which the rates begin with (x, y, w). */
static inline void tree_set_root_velocity(struct motion *v, const double *qd)
{
    v->w = qd[2];
    XY(v->x) = PAIR(qd, 0);
}

/* Whether a link turns against its parent by its coordinate. */
static inline int tree_turns(const struct tree_link *l)
{
    return !l->is_linear && !l->stretch;
}

/* The velocity of the origin of link i, its parent moving with p. */
static inline void tree_add_rate(const struct tree_link *l, int i, const struct motion *p,
                                 const double *qd, struct motion *v, int are_hinges)
{
    double w = p->w, rate = qd[2 + i];
    pair xy = XY(p->x) + w * XY(l->across_x);
    if (!are_hinges && l->up->stretch)
        xy += qd[2 + l->parent] * XY(l->drift_x);
    if (!are_hinges && l->is_linear)
        xy += rate * XY(l->sx);
    else if (are_hinges || !l->stretch)
        w += rate;
    v->w = w;
    XY(v->x) = xy;
}

/* ---- tree_stretch.c ---- */

/* Gives a link its stretch; ERR_MEMORY when the arena is full. */
int stretch_create(struct tree_link *link, const struct body_link *from, struct arena *arena);

/* Everything of the link that goes with its stretch e and its sine and cosine. */
void stretch_set(struct tree_link *link, double e, double sine, double cosine);
/* The joint of a link whose parent stretches and has its pose. */
void stretch_place(struct tree_link *link);

/* Own inertia, own bias force and velocity products, of the link. */
void stretch_start_inertia(struct tree_link *link);
void stretch_start_force(struct tree_link *link);
/* The parent's stretch in the acceleration of the link's origin, but for its own. */
pair stretch_bias(const struct tree_link *link);

/* Adds to U and D of the parent what a link hands on: X and n of its tensor. */
void stretch_add_inertia(struct tree_link *link, pair n, pair x, pair y);
/* Adds a force at the link's origin to the bias of the parent's stretch. */
static inline void stretch_add_force(struct tree_link *link, pair force)
{
    link->up->stretch->bias += plane_dot(XY(link->drift_x), force);
}

/* The terms of drag: of the velocity that is set, or of the mean velocity of the step. */
void stretch_drag_explicitly(struct tree_link *link);
void stretch_drag_implicitly(struct tree_link *link, double half_step);
/* The drag on the stretch, and its share of the force: minus both. */
double stretch_drag_now(const struct tree_link *link, struct motion mean, double mean_rate,
                        struct force *force);

#endif

/* Velocities from link to link: what the files of the tree share. */
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

#endif

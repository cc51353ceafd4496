/* Velocities from link to link: what the files of the tree share. */
#ifndef SIMULATOR_PLANAR_TREE_TREE_PRIVATE_H
#define SIMULATOR_PLANAR_TREE_TREE_PRIVATE_H

#include "common/math/pair.h"
#include "simulator/planar/tree/tree.h"

/* The velocity of the root, of which the rates begin with (x, y, w). */
static inline void tree_set_root_velocity(struct motion *v, const double *qd)
{
    v->w = qd[2];
    XY(v->x) = PAIR(qd, 0);
}

/* The velocity of a link's origin, its parent moving with p and its joint at a rate. */
static inline void tree_add_rate(const struct tree_link *l, const struct motion *p, double rate,
                                 struct motion *v, int are_hinges)
{
    double w = p->w;
    pair xy = XY(p->x) + w * XY(l->across_x);
    if (!are_hinges && l->is_linear)
        xy += rate * XY(l->sx);
    else
        w += rate;
    v->w = w;
    XY(v->x) = xy;
}

#endif

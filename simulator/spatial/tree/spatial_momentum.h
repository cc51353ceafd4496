/* Momentum of the bodies of a forest, and how the root of a body is set so that the body has a
 * given one.
 *
 * Joint coordinates alone keep momentum to third order of the step only. Where contacts act it is
 * known what a body must have: what it had, and what gravity and contacts gave. The body as a
 * whole, rigid, gets what is missing. */
#ifndef SIMULATOR_SPATIAL_TREE_SPATIAL_MOMENTUM_H
#define SIMULATOR_SPATIAL_TREE_SPATIAL_MOMENTUM_H

#include "simulator/links/spatial_tree.h"

struct spatial_momentum {
    double mass;
    struct vec3 centre;          /* of mass */
    struct vec3 linear, angular; /* about the centre */
    struct sym3 inertia;         /* of the whole, likewise */
};

/* The momentum of what hangs on a root, at the tree's pose and velocity. */
void spatial_momentum_find(const struct spatial_tree *tree, int root,
                           struct spatial_momentum *momentum);
/* Changes coordinates and rates of a free root so that centre and momentum become those of
 * `target`; `now`: what they are, at the tree's pose. The whole also turns as if its rate had been
 * so for turned_s. Returns by how much that changes the kinetic energy. */
double spatial_momentum_set(const struct spatial_tree *tree, int root,
                            const struct spatial_momentum *now,
                            const struct spatial_momentum *target, double turned_s, double *q,
                            double *qd);

#endif

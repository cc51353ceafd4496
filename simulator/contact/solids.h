/* Collision geometry of boxes in space: against a half-space and against one another.
 *
 * Contacts are found before they happen (speculative): a manifold is made when the gap is below a
 * margin, and its points carry the gap, negative when they penetrate. All points count: of eight,
 * as of two squares that are turned against one another, no four are as good as their mirror
 * images. */
#ifndef SIMULATOR_CONTACT_SOLIDS_H
#define SIMULATOR_CONTACT_SOLIDS_H

#include "common/math/solids.h"

enum { SOLIDS_POINTS_MAX = 8 };

struct solid_point {
    struct vec3 at; /* half way between the two surfaces */
    double gap;
    int feature; /* names the features that touch: the same pair, whichever box is given first */
};
struct solid_manifold {
    struct vec3 normal; /* from the second to the first */
    int axis;           /* that separates: 0 .. 5 faces, 6 .. 14 pairs of edges; -1: no axis */
    int is_swapped;     /* the axes are as of the second and the first */
    int count;
    struct solid_point points[SOLIDS_POINTS_MAX];
};

/* Of the sphere around it. */
static inline double solids_radius(const struct solid *solid)
{
    const double *h = solid->half;
    return sqrt(h[0] * h[0] + h[1] * h[1] + h[2] * h[2]);
}

/* Against the half-space below the plane normal . x = offset: the corners with a gap below the
 * margin; feature = corner. */
void solids_meet_plane(const struct solid *solid, struct vec3 normal, double offset, double margin,
                       struct solid_manifold *manifold);

/* Points of contact where two boxes are closer than the margin. With the boxes exchanged the
 * normal is reversed and the points stay. `held`: the manifold of the step before, or NULL. */
void solids_meet(const struct solid *a, const struct solid *b, double margin,
                 const struct solid_manifold *held, struct solid_manifold *manifold);

#endif

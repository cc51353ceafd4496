/* Collision geometry of boxes in space: against a half-space and against one another.
 *
 * Contacts are found before they happen (speculative): a manifold is made when the gap is below a margin, and
 * its points carry the gap, negative when they penetrate. At most four points each, chosen so that
 * they change little when the boxes move little: what was there before is preferred. */
#ifndef SIMULATOR_BOXES_CONTACTS_SOLIDS_H
#define SIMULATOR_BOXES_CONTACTS_SOLIDS_H

#include "common/math/rotation.h"

/* A box somewhere: centre, directions of its sides in the world, half sides. */
struct solid {
    struct vec3 centre;
    struct vec3 axes[3];
    double half[3];
};

enum { SOLIDS_POINTS_MAX = 4, SOLIDS_CLIPPED_MAX = 8 };

struct solid_point {
    struct vec3 at; /* half way between the two surfaces */
    double gap;
    int feature; /* names the features that touch: the same pair, whichever box is given first */
};
struct solid_manifold {
    struct vec3 normal; /* from the second to the first */
    int axis;           /* that separates: 0 .. 5 faces, 6 .. 14 pairs of edges; -1: none */
    int count;
    struct solid_point points[SOLIDS_POINTS_MAX];
};

/* From the columns of a turn. */
void solids_place(struct solid *solid, struct vec3 centre, const struct mat3 *turn,
                  struct vec3 half);
/* Corner 0 .. 7: bit k set: the positive end of axis k. */
struct vec3 solids_corner(const struct solid *solid, int corner);
/* Half of a box's extent along a direction. */
double solids_reach(const struct solid *solid, struct vec3 direction);

/* Against the half-space below the plane normal . x = offset: at most four corners with a gap below the
 * margin; feature = corner. `held`: the manifold of the step before, or NULL. */
void solids_meet_plane(const struct solid *solid, struct vec3 normal, double offset, double margin,
                       const struct solid_manifold *held, struct solid_manifold *manifold);

/* Greatest separation of two boxes along the 15 axes that can separate them (Gottschalk, Lin and Manocha
 * 1996): positive = apart by at least that, negative = overlapping by that, which is the shortest way out. */
double solids_separation(const struct solid *a, const struct solid *b);

/* Points of contact where two boxes are closer than the margin. With the boxes exchanged the
 * normal is reversed and the points stay. `held` as above, NULL if there was none. */
void solids_meet(const struct solid *a, const struct solid *b, double margin,
                 const struct solid_manifold *held, struct solid_manifold *manifold);
/* The same before the points are reduced to four; returns their number. manifold gets normal and axis. */
int solids_clip(const struct solid *a, const struct solid *b, double margin,
                const struct solid_manifold *held, struct solid_manifold *manifold,
                struct solid_point points[SOLIDS_CLIPPED_MAX]);

#endif

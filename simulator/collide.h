/* Collision geometry of rectangles: against the ground and against one another.
 *
 * Contacts are found before they happen (speculative): a manifold is made when the gap is below a
 * margin, and its points carry the gap, negative when they penetrate. At most two points each. */
#ifndef SIMULATOR_COLLIDE_H
#define SIMULATOR_COLLIDE_H

#include "simulator/phenotype.h"

/* A rectangle somewhere: centre, half sides, direction of its x axis. */
struct box {
    double x, y;
    double half_width, half_height;
    double cos, sin;
};

struct manifold_point {
    double x, y; /* half way between the two surfaces */
    double gap;
    int feature; /* names the pair of features that touch, for warm starts */
};
struct manifold {
    double normal_x, normal_y; /* from the second to the first */
    int count;
    struct manifold_point points[2];
};

/* Height of the box's lowest point over y = 0. */
double collide_lowest(const struct box *box);

/* The (at most two) lowest corners with y below the margin; feature = corner 0 .. 3, counter-clockwise
 * from +x +y. Points lie on the box. */
void collide_ground(const struct box *box, double margin, struct manifold *manifold);

/* Greatest separation of the two boxes along one of their four axes (separating-axis theorem):
 * positive = apart by at least that, negative = overlapping by that. */
double collide_separation(const struct box *a, const struct box *b);

/* Two clipped points of contact between a and b where they are closer than the margin. */
void collide_boxes(const struct box *a, const struct box *b, double margin,
                   struct manifold *manifold);

#endif

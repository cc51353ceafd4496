/* Collision geometry of rectangles, disks and half-planes: against the ground and against one
 * another.
 *
 * Contacts are found before they happen (speculative): a manifold is made when the gap is below a
 * margin, and its points carry the gap, negative when they penetrate. At most two points each. */
#ifndef SIMULATOR_CONTACT_COLLIDE_H
#define SIMULATOR_CONTACT_COLLIDE_H

#include "common/params/obstacles.h"
#include "common/growth/phenotype.h"
#include "common/math/solids.h"

/* A rectangle somewhere: centre, half sides, direction of its x axis. Of a disk both half sides are
 * its radius; of a half-plane (x, y) is on its line, which has no ends. The y axis of a left-handed
 * one is to the right of x: so the corners and faces of a mirror image have the order of what it is
 * the image of. */
struct box {
    double x, y;
    double half_width, half_height;
    double cos, sin;
    enum part_shape shape;
    int is_left_handed;
};
/* Radius of the circle around a half-plane: larger than everything, and times 0 it is 0. */
#define COLLIDE_PLANE_RADIUS_M 1e12

struct manifold_point {
    double x, y; /* half way between the two surfaces */
    double gap;
    int feature; /* names the pair of features that touch, for warm starts */
};
struct manifold {
    double normal_x, normal_y; /* from the second to the first */
    double radius[2]; /* of the first's and the second's surface there, m: 0 a corner, HUGE_VAL a
                         face, which carries the normal with it */
    int count;
    struct manifold_point points[2];
};

/* Height of the box's lowest point over y = 0. */
double collide_lowest(const struct box *box);

/* The (at most two) lowest corners with y below the margin; feature = corner 0 .. 3, from +x +y by
 * -x +y, or 0 of a disk. Points lie on the box. */
void collide_ground(const struct box *box, double margin, struct manifold *manifold);

/* A rectangle as relief.h takes it; `from_x`: what its x is from. */
struct solid collide_solid(const struct box *box, double from_x);

/* Greatest separation of the two boxes along one of their four axes (separating-axis theorem):
 * positive = apart by at least that, negative = overlapping by that. Of disks the distance. */
double collide_separation(const struct box *a, const struct box *b);

/* Two clipped points of contact between a and b where they are closer than the margin; of disks
 * one. */
void collide_boxes(const struct box *a, const struct box *b, double margin,
                   struct manifold *manifold);

void collide_place_obstacle(const struct obstacle *obstacle, struct box *box);
/* The heights by which a box, lifted from where it is, overlaps an obstacle: between *low and
 * *high; 0 if there are none. */
int collide_lift_range(const struct box *box, const struct box *obstacle, double *low,
                       double *high);
/* 1 if a rectangle is certainly farther from the point than the distance. */
int collide_is_beyond(const struct box *box, double x, double y, double distance);
/* 1 if a box touches a rectangle beside an edge, no deeper than `depth`, and the way over the edge is
 * shorter than the way back: it may pass, as if that edge were rounded. */
int collide_is_graze(const struct box *rectangle, const struct box *box, double depth);

/* The feature of a rectangle that is nearest to a point: a face or a corner. */
struct nearest {
    int is_corner;
    double distance;           /* negative inside */
    double normal_x, normal_y; /* towards the point */
};
void collide_nearest(const struct box *box, double x, double y, struct nearest *nearest);

/* Separation and contacts where one of the boxes is not a rectangle. collide_separation() and
 * collide_boxes() call them. */
double collide_round_separation(const struct box *a, const struct box *b);
void collide_round(const struct box *a, const struct box *b, double margin,
                   struct manifold *manifold);
/* Puts a point into a manifold of at most two points, of three keeps the lowest. */
void collide_keep_lowest(struct manifold *manifold, struct manifold_point point);
/* The manifold of the second and the first. */
void collide_turn_normal(struct manifold *manifold);
void collide_box_corner(const struct box *box, int corner, double *x, double *y);
/* Times this, what is across a box's x axis to the left is along its y axis. */
static inline double collide_hand(const struct box *box)
{
    return box->is_left_handed ? -1 : 1;
}

#endif

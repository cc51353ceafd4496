/* Painter's order in space: polygons and spots, cut and sorted so that the farthest comes first.
 *
 * A binary space partition (Fuchs, Kedem and Naylor, On visible surface generation by a priori tree
 * structures, SIGGRAPH 1980): the plane of one polygon parts the others into those beyond it, those
 * before it and those in it; polygons that lie on both sides are cut. So the order is right also
 * where boxes touch or run into one another, which no order of whole boxes is. Spots, such as
 * balls, joints and pieces of rods, are never cut: each is where its middle is; those that no plane
 * parts are sorted by nearness, then by rank.
 *
 * Some hundred polygons; of some of them the one is chosen that cuts least. Knows nothing of
 * pictures. */
#ifndef VIEWER_DRAW_EYE_ORDER_H
#define VIEWER_DRAW_EYE_ORDER_H

#include "common/math/vec3.h"

enum { ORDER_CORNERS_MAX = 12 };

struct order_piece {
    int owner;                              /* what it belongs to, for the caller */
    int count;                              /* corners; 1: a spot */
    struct vec3 corners[ORDER_CORNERS_MAX]; /* counter-clockwise from outside */
    unsigned cuts;                          /* bit i: the side from corner i on is a cut */
    struct vec3 normal;                     /* outwards, a unit */
    double near, rank;                      /* of spots: towards the eye, m */
};

/* Where it is seen from: a place, or, where is_parallel, a direction to the eye. */
struct order_eye {
    struct vec3 at;
    int is_parallel;
};

struct order;
/* Points nearer to a plane than slack_m are in it. NULL: out of memory. */
struct order *order_create(struct order_eye eye, double slack_m);
void order_destroy(struct order *order); /* NULL is allowed */
/* Adds a polygon that looks at the eye (3 or 4 corners; others are left out), or a spot. */
void order_add_polygon(struct order *order, int owner, const struct vec3 *corners, int count);
void order_add_spot(struct order *order, int owner, struct vec3 at, double near, double rank);
/* Calls visit for all, the farthest first; once. 0 or ERR_MEMORY. */
typedef void order_visit(void *context, const struct order_piece *piece);
int order_walk(struct order *order, order_visit *visit, void *context);

#endif

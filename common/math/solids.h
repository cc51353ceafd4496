/* Boxes somewhere in space, whichever way they are turned, and how far two of them are apart. */
#ifndef COMMON_MATH_SOLIDS_H
#define COMMON_MATH_SOLIDS_H

#include "common/math/rotation.h"

/* A box somewhere: centre, directions of its sides in the world, half sides; or a ball. */
struct solid {
    struct vec3 centre;
    struct vec3 axes[3];
    double half[3];
    int is_round; /* the ball of radius half[0] */
};

/* From the columns of a turn. */
void solids_place(struct solid *solid, struct vec3 centre, const struct mat3 *turn,
                  struct vec3 half);
/* Corner 0 .. 7: bit k set: the positive end of axis k. */
struct vec3 solids_corner(const struct solid *solid, int corner);
/* Half of its extent along a direction, a unit. */
double solids_reach(const struct solid *solid, struct vec3 direction);

/* From a point, seen from the axes of a box with these half sides, to the nearest point of the box,
 * negative inside; and the way out. */
double solids_distance(const double at[3], const double half[3], double way[3]);
/* How far apart a ball and another solid are, negative if they overlap; `normal`: from the other to
 * the ball. */
double solids_ball_gap(const struct solid *ball, const struct solid *other, struct vec3 *normal);
/* The nearest of another solid to a ball's centre: a face; an edge, whose direction is set; or
 * a point, as of a ball. */
enum solids_nearest { SOLIDS_FACE = 1, SOLIDS_EDGE, SOLIDS_POINT };
enum solids_nearest solids_nearest_to_ball(const struct solid *ball, const struct solid *other,
                                           struct vec3 *edge);
/* Greatest separation of two boxes along the 15 axes that can separate them (Gottschalk, Lin and
 * Manocha 1996): positive = apart by at least that, negative = overlapping by that, which is the
 * shortest way out. Of balls the distance. */
double solids_separation(const struct solid *a, const struct solid *b);
/* The same, and the unit along which it is, from b to a. */
double solids_separation_along(const struct solid *a, const struct solid *b, struct vec3 *normal);

enum { SOLIDS_FACES = 6, SOLIDS_AXES = 15 };

/* How two boxes lie to one another. Axes: faces of a, faces of b, then pairs of edges. */
struct solids_pair {
    const struct solid *a, *b;
    struct vec3 way;                /* from a to b */
    double by_a[3];                 /* ... seen from a */
    double by_b[3];                 /* ... and from b */
    double c[3][3];                 /* a's axes . b's */
    double separation[SOLIDS_AXES]; /* along each axis; -HUGE_VAL: no axis */
};

/* Sets all but the separations along pairs of edges. The boxes must outlive it. */
void solids_pair_set(struct solids_pair *pair, const struct solid *a, const struct solid *b);
/* Sets these, too. They matter only where no face keeps the boxes a margin apart: returns 0 if one
 * does. */
int solids_pair_set_edges(struct solids_pair *pair, double margin);

#endif

/* Ground with relief: the height y = g(x, z) of a surface, a sum of waves that is never above 0,
 * and where corners, edges and faces of a body are lowest over it.
 *
 *   g = d/6 (sin p1 + sin p2 + sin p3 - 3),   p_i = x_i x + z_i z + phase_i
 *
 * The shortest wave has the length asked for, the others are 1/0.85 and 1/0.7 times as long, so
 * that the sum does not repeat itself. In space their directions are a third of a half turn apart;
 * in the plane all go along x. Directions and phases are drawn from a seed.
 *
 * With the height f(s) = y - g of the points of an edge or of a face over the ground, the ones that
 * touch are the local minima of f: there the face is parallel to the ground, the edge to a tangent
 * of it. */
#ifndef COMMON_MATH_RELIEF_H
#define COMMON_MATH_RELIEF_H

#include <stdint.h>

#include "common/math/solids.h"

enum { RELIEF_WAVES = 3, RELIEF_POINTS_MAX = 8, RELIEF_NAMES = 32 };
/* The ground is nowhere steeper, as a tangent: then a box lies on it with one face at most. */
#define RELIEF_SLOPE_MAX 0.6
/* A lowest point wanders by this share of the shortest wave in a step, at most: its speed does
 * not foretell a longer way. */
#define RELIEF_WANDER_SHARE 0.02
/* Lowest points of a feature that are nearer than this share of the shortest wave are one. */
#define RELIEF_SAME_SHARE 0.1

struct relief_wave {
    double x, z; /* rad/m */
    double phase_rad;
};
struct relief {
    double depth_m; /* from the highest to the lowest that there may be; 0: flat */
    double wavelength_m;
    double slope_max, bend_max; /* no slope is more; no curvature is more, 1/m */
    struct relief_wave waves[RELIEF_WAVES];
};

/* Height, m, its slopes, and how these change, 1/m. */
struct relief_shape {
    double height, slope_x, slope_z;
    double bend_xx, bend_xz, bend_zz;
};

/* A corner, an edge or a face: at + s0 along[0] + s1 along[1], 0 <= s <= length, m; `sides`: how
 * many s there are. */
struct relief_feature {
    struct vec3 at, along[2];
    double length[2];
    int sides, name;
};

/* A point of a body that is lowest over the ground, and the ground's normal there. */
struct relief_point {
    struct vec3 at, normal;
    double gap;  /* from the ground, along the normal; negative below it */
    double s[2]; /* where it is on its feature */
    int name;    /* that of the feature + RELIEF_NAMES x how many of that feature come before */
};
struct relief_points {
    int count; /* where there are more, the deepest */
    struct relief_point list[RELIEF_POINTS_MAX];
};

/* The steepest slope of that depth and shortest wave length. */
double relief_steepest(double depth_m, double wavelength_m);
void relief_init(struct relief *relief, double depth_m, double wavelength_m, uint64_t seed,
                 int is_plane);
/* Moves the origin of coordinates to x_m. The ground stays where it is. */
void relief_shift(struct relief *relief, double x_m);
double relief_height(const struct relief *relief, double x_m, double z_m);
void relief_shape_at(const struct relief *relief, double x_m, double z_m,
                     struct relief_shape *shape);
/* The unit normal. */
struct vec3 relief_normal(const struct relief_shape *shape);
/* How a lowest point moves on while a body does. `u` is the velocity of what of the body is there,
 * `spin` how the body turns. With f = y - g of a point p at rest in the body, n = (-g_x, 1, -g_z) /
 * m the normal and H the second derivatives of g, the gap D = f / m has
 *
 *   D' = n.u,  D'' = n.p'' - u.H u / m       (where D = D' = 0)
 *
 * Of an edge or a face the lowest point counts. With e_i its sides, b_i = m n.(w x e_i) - u.H e_i
 * how fast the slopes along them change at p, and F_ij = -e_i.H e_j, it wanders by s' = -F^-1 b
 * along them, and by the envelope theorem D'' has b.s' / m besides. Where a crest under it is about
 * to be none, F is nearly singular: the point wanders no faster than told, and not at all where F
 * is not positive. */
struct relief_motion {
    double turning;        /* what of D'' no acceleration of the body makes */
    struct vec3 wandering; /* sum of s_i' e_i */
};
struct relief_motion relief_motion_of(const struct relief_shape *shape,
                                      const struct relief_feature *feature, struct vec3 u,
                                      struct vec3 spin, double fastest_m_s);
/* Moves a point of a feature to the lowest place near it; returns 0 if that is not inside. */
int relief_descend(const struct relief *relief, const struct relief_feature *feature, double s[2]);
struct vec3 relief_place(const struct relief_feature *feature, const double s[2]);

/* The points of all corners, edges and faces of a box with a gap below the margin. A rectangle in
 * the plane z = 0 is a box with the third half side 0. */
void relief_meet(const struct relief *relief, const struct solid *box, double margin,
                 struct relief_points *points);
/* 1 if there is one; mostly a corner says so, for less. */
int relief_may_touch(const struct relief *relief, const struct solid *box, double margin);
/* A corner, an edge or a face of a box by its name: 0 .. 7 corners as of solids_corner(), 8 .. 19
 * edges, 20 .. 25 faces; multiples of RELIEF_NAMES are ignored. */
struct relief_feature relief_feature_of(const struct solid *box, int name);
/* The least gap of a list; HUGE_VAL of an empty one. */
double relief_least_gap(const struct relief_points *points);

#endif

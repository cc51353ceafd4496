/* Vectors: x to the right, y up, z towards the viewer; and turns. */
#ifndef COMMON_MATH_VEC3_H
#define COMMON_MATH_VEC3_H

#include <math.h>

#include "common/math/detmath.h"

struct vec2 {
    double x, y;
};

struct vec3 {
    double x, y, z;
};

/* A turn; 1, 0, 0, 0 does not turn. */
struct quaternion {
    double w, x, y, z;
};

/* A vector of the plane z = 0. */
static inline struct vec3 vec3_of_plane(struct vec2 v)
{
    return (struct vec3){v.x, v.y, 0};
}
/* x and y alone. */
static inline struct vec2 vec3_flat(struct vec3 v)
{
    return (struct vec2){v.x, v.y};
}

static inline struct vec3 vec3_add(struct vec3 a, struct vec3 b)
{
    return (struct vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline struct vec3 vec3_sub(struct vec3 a, struct vec3 b)
{
    return (struct vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline struct vec3 vec3_scale(struct vec3 a, double s)
{
    return (struct vec3){a.x * s, a.y * s, a.z * s};
}

/* Zeros stay positive. */
static inline struct vec3 vec3_negate(struct vec3 a)
{
    return (struct vec3){0.0 - a.x, 0.0 - a.y, 0.0 - a.z};
}

/* s a + t b */
static inline struct vec3 vec3_mix(double s, struct vec3 a, double t, struct vec3 b)
{
    return (struct vec3){s * a.x + t * b.x, s * a.y + t * b.y, s * a.z + t * b.z};
}

/* a + s b */
static inline struct vec3 vec3_along(struct vec3 a, struct vec3 b, double s)
{
    return (struct vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline double vec3_dot(struct vec3 a, struct vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline struct vec3 vec3_cross(struct vec3 a, struct vec3 b)
{
    return (struct vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double vec3_length(struct vec3 a)
{
    return sqrt(vec3_dot(a, a));
}

static inline double vec3_distance(struct vec3 a, struct vec3 b)
{
    return vec3_length(vec3_sub(a, b));
}

/* Bounds of nothing: low is above high. */
static inline void vec3_no_bounds(struct vec3 *low, struct vec3 *high)
{
    *low = (struct vec3){HUGE_VAL, HUGE_VAL, HUGE_VAL};
    *high = vec3_scale(*low, -1);
}

/* Widens bounds to what reaches so far from a place. */
static inline void vec3_widen_bounds(struct vec3 *low, struct vec3 *high, struct vec3 at,
                                     struct vec3 reach)
{
    struct vec3 l = vec3_sub(at, reach), h = vec3_add(at, reach);
    *low = (struct vec3){det_min(low->x, l.x), det_min(low->y, l.y), det_min(low->z, l.z)};
    *high = (struct vec3){det_max(high->x, h.x), det_max(high->y, h.y), det_max(high->z, h.z)};
}

#endif

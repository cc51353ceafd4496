/* Turns in space: quaternions, matrices of three columns, symmetric matrices. The structs of
 * vectors and quaternions are in common/math/vec3.h.
 *
 * A unit quaternion (w, x, y, z) or a matrix takes a vector of the body to the world. The columns
 * of a matrix are the body's axes, as the world sees them. Signs: q and -q are the same turn, and
 * everything here gives the same bits for both, or the same bits negated. */
#ifndef COMMON_MATH_ROTATION_H
#define COMMON_MATH_ROTATION_H

#include "common/math/vec3.h"

/* Columns. */
struct mat3 {
    struct vec3 x, y, z;
};

/* Symmetric. */
struct sym3 {
    double xx, xy, xz, yy, yz, zz;
};

#define QUATERNION_ONE ((struct quaternion){1, 0, 0, 0})

static inline struct vec3 vec3_negated(struct vec3 a)
{
    return (struct vec3){-a.x, -a.y, -a.z};
}

/* ---------------------------------------------------------------- quaternions */

/* Of four numbers, w first; and into such. */
static inline struct quaternion quaternion_read(const double *q)
{
    return (struct quaternion){q[0], q[1], q[2], q[3]};
}

static inline void quaternion_write(double *to, struct quaternion q)
{
    to[0] = q.w;
    to[1] = q.x;
    to[2] = q.y;
    to[3] = q.z;
}

/* First b, then a. Terms are in the pairs that a half turn about a world's axis maps on pairs. */
static inline struct quaternion quaternion_product(struct quaternion a, struct quaternion b)
{
    return (struct quaternion){(a.w * b.w - a.x * b.x) - (a.y * b.y + a.z * b.z),
                               (a.x * b.w + a.w * b.x) - (a.z * b.y - a.y * b.z),
                               (a.y * b.w + a.z * b.x) + (a.w * b.y - a.x * b.z),
                               (a.z * b.w - a.y * b.x) + (a.x * b.y + a.w * b.z)};
}

/* The turn back. */
static inline struct quaternion quaternion_back(struct quaternion q)
{
    return (struct quaternion){q.w, -q.x, -q.y, -q.z};
}

static inline double quaternion_square(struct quaternion q)
{
    return (q.w * q.w + q.y * q.y) + (q.x * q.x + q.z * q.z);
}

/* Returns q / |q|, whose length is 1 within 2 ulp. A quaternion that is one already stays as it is,
 * to the bit: a body at rest does not turn by rounding. */
static inline struct quaternion quaternion_normalised(struct quaternion q)
{
    double square = quaternion_square(q), error = square - 1;
    if (error <= 4.5e-16 && error >= -4.5e-16)
        return q;
    double share = 1 / sqrt(square);
    return (struct quaternion){q.w * share, q.x * share, q.y * share, q.z * share};
}

/* dq/dt of a body that turns at w, seen in its own axes: q (0, w) / 2. */
static inline struct quaternion quaternion_rate(struct quaternion q, struct vec3 w)
{
    struct quaternion half = {0, w.x / 2, w.y / 2, w.z / 2};
    return quaternion_product(q, half);
}

/* A turn about a unit axis. */
struct quaternion quaternion_about(struct vec3 axis, double angle_rad);
/* The same in the plane: the turned vector. */
struct vec2 vec2_turned(double angle_rad, struct vec2 v);
/* The exponential map: a turn about v by |v|. |q| = 1 within 2 ulp. */
struct quaternion quaternion_exp(struct vec3 v);
/* The rotation vector of a quaternion of any length but 0: up to pi long. */
struct vec3 quaternion_log(struct quaternion q);

/* The unit quaternion of a turn, with w >= 0. */
struct quaternion quaternion_of(const struct mat3 *m);

/* The matrix of a unit quaternion. */
static inline struct mat3 quaternion_matrix(struct quaternion q)
{
    double ww = q.w * q.w, xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
    double xy = 2 * q.x * q.y, xz = 2 * q.x * q.z, yz = 2 * q.y * q.z;
    double wx = 2 * q.w * q.x, wy = 2 * q.w * q.y, wz = 2 * q.w * q.z;
    return (struct mat3){{(ww + xx) - (yy + zz), xy + wz, xz - wy},
                         {xy - wz, (ww + yy) - (xx + zz), yz + wx},
                         {xz + wy, yz - wx, (ww + zz) - (xx + yy)}};
}

/* ---------------------------------------------------------------- matrices */

/* M v */
static inline struct vec3 mat3_apply(const struct mat3 *m, struct vec3 v)
{
    return (struct vec3){m->x.x * v.x + m->y.x * v.y + m->z.x * v.z,
                         m->x.y * v.x + m->y.y * v.y + m->z.y * v.z,
                         m->x.z * v.x + m->y.z * v.y + m->z.z * v.z};
}

/* M' v: of a turn, the way back. */
static inline struct vec3 mat3_back(const struct mat3 *m, struct vec3 v)
{
    return (struct vec3){vec3_dot(m->x, v), vec3_dot(m->y, v), vec3_dot(m->z, v)};
}

/* A B: first b, then a. */
static inline struct mat3 mat3_product(const struct mat3 *a, const struct mat3 *b)
{
    return (struct mat3){mat3_apply(a, b->x), mat3_apply(a, b->y), mat3_apply(a, b->z)};
}

static inline struct vec3 sym3_apply(const struct sym3 *a, struct vec3 v)
{
    return (struct vec3){a->xx * v.x + a->xy * v.y + a->xz * v.z,
                         a->xy * v.x + a->yy * v.y + a->yz * v.z,
                         a->xz * v.x + a->yz * v.y + a->zz * v.z};
}

static inline struct sym3 sym3_add(const struct sym3 *a, const struct sym3 *b)
{
    return (struct sym3){a->xx + b->xx, a->xy + b->xy, a->xz + b->xz,
                         a->yy + b->yy, a->yz + b->yz, a->zz + b->zz};
}

/* a + s b */
static inline struct sym3 sym3_sum(const struct sym3 *a, const struct sym3 *b, double s)
{
    return (struct sym3){a->xx + s * b->xx, a->xy + s * b->xy, a->xz + s * b->xz,
                         a->yy + s * b->yy, a->yz + s * b->yz, a->zz + s * b->zz};
}

/* a + s v v' */
static inline struct sym3 sym3_along(const struct sym3 *a, struct vec3 v, double s)
{
    double x = s * v.x, y = s * v.y, z = s * v.z;
    return (struct sym3){a->xx + x * v.x, a->xy + x * v.y, a->xz + x * v.z,
                         a->yy + y * v.y, a->yz + y * v.z, a->zz + z * v.z};
}

/* An inertia and m (d.d 1 - d d'): of a mass away from a point, or with m < 0 back to it. */
static inline struct sym3 sym3_moved(const struct sym3 *inertia, struct vec3 d, double m)
{
    struct sym3 sum = *inertia;
    double square = m * vec3_dot(d, d);
    sum.xx += square;
    sum.yy += square;
    sum.zz += square;
    return sym3_along(&sum, d, -m);
}

/* The inverse; of a singular matrix not finite. */
static inline struct sym3 sym3_inverse(const struct sym3 *a)
{
    double xx = a->yy * a->zz - a->yz * a->yz, xy = a->xz * a->yz - a->xy * a->zz;
    double xz = a->xy * a->yz - a->xz * a->yy;
    double share = 1 / (a->xx * xx + a->xy * xy + a->xz * xz);
    return (struct sym3){share * xx,
                         share * xy,
                         share * xz,
                         share * (a->xx * a->zz - a->xz * a->xz),
                         share * (a->xy * a->xz - a->xx * a->yz),
                         share * (a->xx * a->yy - a->xy * a->xy)};
}

/* R A R': of the body's axes in the world's. */
static inline struct sym3 sym3_turned(const struct sym3 *a, const struct mat3 *r)
{
    /* columns of A R', row by row */
    struct vec3 x = {a->xx * r->x.x + a->xy * r->y.x + a->xz * r->z.x,
                     a->xy * r->x.x + a->yy * r->y.x + a->yz * r->z.x,
                     a->xz * r->x.x + a->yz * r->y.x + a->zz * r->z.x};
    struct vec3 y = {a->xx * r->x.y + a->xy * r->y.y + a->xz * r->z.y,
                     a->xy * r->x.y + a->yy * r->y.y + a->yz * r->z.y,
                     a->xz * r->x.y + a->yz * r->y.y + a->zz * r->z.y};
    struct vec3 z = {a->xx * r->x.z + a->xy * r->y.z + a->xz * r->z.z,
                     a->xy * r->x.z + a->yy * r->y.z + a->yz * r->z.z,
                     a->xz * r->x.z + a->yz * r->y.z + a->zz * r->z.z};
    return (struct sym3){
        r->x.x * x.x + r->y.x * x.y + r->z.x * x.z, r->x.x * y.x + r->y.x * y.y + r->z.x * y.z,
        r->x.x * z.x + r->y.x * z.y + r->z.x * z.z, r->x.y * y.x + r->y.y * y.y + r->z.y * y.z,
        r->x.y * z.x + r->y.y * z.y + r->z.y * z.z, r->x.z * z.x + r->y.z * z.y + r->z.z * z.z};
}

#endif

#include "common/math/rotation.h"

#include "common/math/detmath.h"

/* Below this |v|^2 / 4 series are as good as sine and cosine: the first term left out is
 * (1/16)^8 / 16! = 1e-23 of the cosine. */
#define SERIES_SQUARE_MAX (1.0 / 16)

/* cos a and sin a / a from a^2 */
static inline void half_angle_series(double square, double *cosine, double *ratio)
{
    double u = square;
    *cosine = 1 - u * (1.0 / 2 -
                       u * (1.0 / 24 -
                            u * (1.0 / 720 -
                                 u * (1.0 / 40320 - u * (1.0 / 3628800 - u * (1.0 / 479001600))))));
    *ratio = 1 - u * (1.0 / 6 -
                      u * (1.0 / 120 -
                           u * (1.0 / 5040 - u * (1.0 / 362880 -
                                                  u * (1.0 / 39916800 - u * (1.0 / 6227020800))))));
}

struct quaternion quaternion_exp(struct vec3 v)
{
    struct vec3 half = vec3_scale(v, 0.5);
    double square = vec3_dot(half, half), cosine, ratio;
    if (square < SERIES_SQUARE_MAX) {
        half_angle_series(square, &cosine, &ratio);
    } else {
        double length = sqrt(square), sine;
        det_sincos(length, &sine, &cosine);
        ratio = sine / length;
    }
    struct quaternion q = {cosine, ratio * half.x, ratio * half.y, ratio * half.z};
    return quaternion_normalised(q);
}

struct vec2 vec2_turned(double angle_rad, struct vec2 v)
{
    double s, c;
    det_sincos(angle_rad, &s, &c);
    return (struct vec2){c * v.x - s * v.y, s * v.x + c * v.y};
}

struct quaternion quaternion_about(struct vec3 axis, double angle_rad)
{
    double sine, cosine;
    det_sincos(angle_rad / 2, &sine, &cosine);
    return (struct quaternion){cosine, sine * axis.x, sine * axis.y, sine * axis.z};
}

struct vec3 quaternion_log(struct quaternion q)
{
    double sign = q.w < 0 ? -1 : 1;
    struct vec3 v = {q.x, q.y, q.z};
    double length = vec3_length(v);
    double cosine = sign * q.w;
    double ratio = length > 1e-9 * cosine ? 2 * det_atan2(length, cosine) / length : 2 / cosine;
    return vec3_scale(v, sign * ratio);
}

/* Each row is a multiple of the quaternion: from the one with the largest square, which is at least
 * 1. */
struct quaternion quaternion_of(const struct mat3 *m)
{
    double wx = m->y.z - m->z.y, wy = m->z.x - m->x.z, wz = m->x.y - m->y.x;
    double xy = m->x.y + m->y.x, xz = m->x.z + m->z.x, yz = m->y.z + m->z.y;
    const double rows[4][4] = {{1 + m->x.x + m->y.y + m->z.z, wx, wy, wz},
                               {wx, 1 + m->x.x - m->y.y - m->z.z, xy, xz},
                               {wy, xy, 1 - m->x.x + m->y.y - m->z.z, yz},
                               {wz, xz, yz, 1 - m->x.x - m->y.y + m->z.z}};
    int most = 0;
    for (int i = 1; i < 4; i++)
        most = rows[i][i] > rows[most][most] ? i : most;
    const double *row = rows[most];
    double share = (row[0] < 0 ? -0.5 : 0.5) / sqrt(row[most]);
    struct quaternion q = {share * row[0], share * row[1], share * row[2], share * row[3]};
    return quaternion_normalised(q);
}

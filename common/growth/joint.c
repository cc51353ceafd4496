#include "common/growth/joint.h"

#include "common/math/detmath.h"

enum { X, Y, Z };

const struct joint_kind joint_kinds[LINK_JOINT_COUNT] = {
    [LINK_RIGID] = {"rigid", 0, 0, {0, 0}, 0, 0, 0},
    [LINK_REVOLUTE] = {"revolute", 0, 1, {Z, 0}, 0, 0, 0},
    [LINK_TWIST] = {"twist", 0, 1, {X, 0}, 0, 0, 0},
    [LINK_UNIVERSAL] = {"universal", 0, 2, {Z, Y}, 0, 0, 0},
    [LINK_BEND_TWIST] = {"bend-twist", 0, 2, {Z, X}, 0, 0, 0},
    [LINK_TWIST_BEND] = {"twist-bend", 0, 2, {X, Z}, 0, 0, 0},
    [LINK_SPHERICAL] = {"spherical", 0, 0, {0, 0}, 1, 0, 0},
    [LINK_LINEAR] = {"linear", 1, 0, {0, 0}, 0, 0, 0},
    [LINK_FREE] = {"free", 3, 0, {0, 0}, 1, 1, 0},
    [LINK_PLANAR] = {"planar", 2, 1, {Z, 0}, 0, 1, 0},
    [LINK_STRETCH] = {"stretch", 0, 0, {0, 0}, 0, 0, 1},
    [LINK_REVOLUTE_STRETCH] = {"revolute-stretch", 0, 1, {Z, 0}, 0, 0, 1},
    [LINK_LINEAR_STRETCH] = {"linear-stretch", 1, 0, {0, 0}, 0, 0, 1},
    [LINK_PLANAR_STRETCH] = {"planar-stretch", 2, 1, {Z, 0}, 0, 1, 1},
};

/* With q = swing . twist: |(qy, qz)| = sin(swing / 2), |(qw, qx)| = cos(swing / 2), and qx / qw is
 * the tangent of half the twist. */
double joint_swing(struct quaternion q)
{
    return 2 * det_atan2(sqrt(q.y * q.y + q.z * q.z), sqrt(q.w * q.w + q.x * q.x));
}

double joint_twist(struct quaternion q)
{
    double sign = q.w < 0 ? -1 : 1;
    return 2 * det_atan2(sign * q.x, sign * q.w);
}

/* The frame's x axis, seen from the child: the first row of the matrix. */
static struct vec3 first_axis(struct quaternion q)
{
    struct mat3 r = quaternion_matrix(q);
    return (struct vec3){r.x.x, r.y.x, r.z.x};
}

/* x goes away from x0 fastest by a turn about x0 x x. */
struct vec3 joint_swing_gradient(struct quaternion q)
{
    const struct vec3 x = {1, 0, 0};
    struct vec3 across = vec3_cross(first_axis(q), x);
    double length = vec3_length(across);
    return vec3_scale(across, length > 0 ? 1 / length : 0);
}

/* (x0 + x) / (1 + x0.x) */
struct vec3 joint_twist_gradient(struct quaternion q)
{
    const struct vec3 x = {1, 0, 0};
    struct vec3 x0 = first_axis(q), both = vec3_add(x0, x);
    double most = 1 + x0.x;
    return vec3_scale(both, most > 0 ? 1 / most : 0);
}

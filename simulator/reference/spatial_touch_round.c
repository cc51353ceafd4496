/* See spatial_system.h: touches of what is round, a disk in the plane or a ball in space, of radius
 * R, whose centre p0 is fixed in body 0. It touches at q = p0 - R n
 *
 *   a face:                            n stands in body 1,           D = n.(p0 - p1) - R
 *   a corner, another disk or ball:    n = (p0 - p1) / |p0 - p1|,    D = |p0 - p1| - R - R1
 *   an edge of a box, along e:         as a corner that is where p0 - p1 is across e
 *
 * With W the turning of n (w1, or n x n'), the arms s and r of q from both centres of mass, and
 * u = v0 + w0 x s - v1 - w1 x r, a direction e that turns with n has
 *
 *   e.u' = e.(accelerations) + (W x e).u + e.(w0 x s' - w1 x r')
 *   s' = w0 x (p0 - c0) - R W x n,   r' = v0 + s' - v1
 *
 * From a corner n' is what p0 - p1 gains across n, divided by |p0 - p1|; from an edge that along it
 * is (w1 x n).e instead. */
#include "simulator/reference/spatial_system.h"

#include <math.h>

/* A centre this near to a point, m, has no direction from it. */
#define NEAREST_M 1e-12

static const struct vec3 none = {0, 0, 0};

static struct vec3 arm_of(const struct rigid *b, struct vec3 at)
{
    return vec3_sub(at, b->place.centre);
}

/* Sets the normal and the gap; returns how the normal turns. */
static struct vec3 find_normal(struct touch *t, const struct rigid *a, const struct rigid *b,
                               struct vec3 centre, struct vec3 *n)
{
    struct vec3 other = spatial_touch_place(b, t->points[1]), way = vec3_sub(centre, other);
    struct vec3 edge = mat3_apply(&b->turned, t->edges[1]);
    t->rows[0].deviation = -t->radii[0] - t->radii[1];
    if (t->nearest == SOLIDS_FACE) {
        *n = mat3_apply(&b->turned, t->normal);
        t->rows[0].deviation += vec3_dot(*n, way);
        return b->place.spin;
    }
    if (t->nearest == SOLIDS_EDGE) {
        other = vec3_along(other, edge, vec3_dot(way, edge));
        way = vec3_sub(centre, other);
    }
    double length = vec3_length(way);
    struct vec3 u = vec3_sub(spatial_system_velocity(a, arm_of(a, centre), none),
                             spatial_system_velocity(b, arm_of(b, other), none));
    *n = length > NEAREST_M ? vec3_scale(way, 1 / length) : (struct vec3){0, 1, 0};
    t->rows[0].deviation += length;
    struct vec3 turning = vec3_scale(vec3_cross(*n, u), 1 / det_max(length, NEAREST_M));
    if (t->nearest == SOLIDS_EDGE) {
        /* n' = W x n; along the edge it is to be (w1 x n).e, which W.(n x e) is */
        struct vec3 across = vec3_cross(*n, edge);
        struct vec3 off = vec3_sub(b->place.spin, turning);
        turning = vec3_along(turning, across, vec3_dot(off, across));
    }
    return turning;
}

/* Across the normal: in the plane, and in space as near to a direction of body 1 as may be. */
static struct vec3 find_across(const struct spatial_constraint *c, const struct touch *t,
                               const struct rigid *b, struct vec3 n)
{
    if (c->shapes)
        return vec3_cross(n, (struct vec3){0, 0, 1});
    struct vec3 along = mat3_apply(&b->turned, t->tangents[0]);
    along = vec3_along(along, n, -vec3_dot(along, n));
    return vec3_scale(along, 1 / vec3_length(along));
}

void spatial_touch_update_round(const struct spatial_constraint *c, struct touch *t)
{
    const struct rigid *a = spatial_system_body(c, t->bodies[0]),
                       *b = spatial_system_body(c, t->bodies[1]);
    struct vec3 centre = spatial_touch_place(a, t->points[0]), n;
    struct vec3 turning = find_normal(t, a, b, centre, &n);
    double gap = t->rows[0].deviation;
    struct vec3 shift = vec3_scale(n, -t->radii[0]);
    t->at = vec3_add(centre, shift);
    struct vec3 s = arm_of(a, t->at), r = arm_of(b, t->at);
    struct vec3 u =
        vec3_sub(spatial_system_velocity(a, s, none), spatial_system_velocity(b, r, none));
    struct vec3 s_rate =
        vec3_add(vec3_cross(a->place.spin, arm_of(a, centre)), vec3_cross(turning, shift));
    struct vec3 r_rate = vec3_add(s_rate, vec3_sub(a->place.velocity, b->place.velocity));
    struct vec3 inward =
        vec3_sub(vec3_cross(a->place.spin, s_rate), vec3_cross(b->place.spin, r_rate));
    struct vec3 along = find_across(c, t, b, n);
    const struct vec3 directions[3] = {n, along, vec3_cross(n, along)}, rigid[2] = {none, none};
    for (int i = 0; i < 3; i++) {
        spatial_touch_set_row(c, t, i, directions[i], s, r, rigid);
        t->rows[i].curvature =
            vec3_dot(vec3_cross(turning, directions[i]), u) + vec3_dot(directions[i], inward);
    }
    t->rows[0].deviation = gap;
}

void spatial_touch_make_round(const struct spatial_constraint *c, struct touch *t, double radius,
                              double other_radius, enum solids_nearest nearest,
                              const struct solid_point *point, struct vec3 n)
{
    t->kind = TOUCH_ROUND;
    t->nearest = nearest;
    t->radii[0] = radius;
    t->radii[1] = other_radius;
    for (int k = 0; k < 2; k++) {
        double way = (k == 0 ? 1 : -1) * (point->gap / 2 + t->radii[k]);
        t->points[k] = spatial_touch_local(spatial_system_body(c, t->bodies[k]),
                                           vec3_along(point->at, n, way));
    }
}

/* See space_system.h: what touches in the plane z = 0, where boxes are rectangles, disks and
 * half-planes (simulator/body/shapes/collide.h). A corner on a face is a touch as in space. A disk
 * of radius R, whose centre p0 is fixed in body 0, touches at q = p0 - R n
 *
 *   a face:                 n stands in body 1,              D = n.(p0 - p1) - R
 *   a corner, another disk: n = (p0 - p1) / |p0 - p1|,       D = |p0 - p1| - R - R1
 *
 * With W the turning of n (w1, or n x n'), the arms s and r of q from both centres of mass, and
 * u = v0 + w0 x s - v1 - w1 x r, a direction e that turns with n has
 *
 *   e.u' = e.(accelerations) + (W x e).u + e.(w0 x s' - w1 x r')
 *   s' = w0 x (p0 - c0) - R W x n,   r' = v0 + s' - v1 */
#include "simulator/reference/space/space_system.h"

#include <math.h>

#include "simulator/body/shapes/collide.h"

/* A disk's centre this near to a point, m, has no direction from it. */
#define NEAREST_M 1e-12

/* ---------------------------------------------------------------- rows of a disk */

static struct vec3 arm_of(const struct rigid *b, struct vec3 at)
{
    return vec3_sub(at, b->place.centre);
}

static struct vec3 velocity_of(const struct rigid *b, struct vec3 arm)
{
    return vec3_add(b->place.velocity, vec3_cross(b->place.spin, arm));
}

/* Sets the normal and the gap; returns how the normal turns. */
static struct vec3 find_normal(struct touch *t, const struct rigid *a, const struct rigid *b,
                               struct vec3 centre, struct vec3 *n)
{
    struct vec3 other = space_touch_place(b, t->points[1]), way = vec3_sub(centre, other);
    t->rows[0].deviation = -t->radii[0] - t->radii[1];
    if (t->is_on_face) {
        *n = mat3_apply(&b->turned, t->normal);
        t->rows[0].deviation += vec3_dot(*n, way);
        return b->place.spin;
    }
    double length = vec3_length(way);
    struct vec3 u = vec3_sub(velocity_of(a, arm_of(a, centre)), velocity_of(b, arm_of(b, other)));
    *n = length > NEAREST_M ? vec3_scale(way, 1 / length) : (struct vec3){0, 1, 0};
    t->rows[0].deviation += length;
    return vec3_scale(vec3_cross(*n, u), 1 / fmax(length, NEAREST_M));
}

void space_touch_update_round(const struct space_constraint *c, struct touch *t)
{
    const struct rigid *a = space_system_body(c, t->bodies[0]),
                       *b = space_system_body(c, t->bodies[1]);
    struct vec3 centre = space_touch_place(a, t->points[0]), n;
    struct vec3 turning = find_normal(t, a, b, centre, &n);
    double gap = t->rows[0].deviation;
    struct vec3 shift = vec3_scale(n, -t->radii[0]);
    t->at = vec3_add(centre, shift);
    struct vec3 s = arm_of(a, t->at), r = arm_of(b, t->at);
    struct vec3 u = vec3_sub(velocity_of(a, s), velocity_of(b, r));
    struct vec3 s_rate =
        vec3_add(vec3_cross(a->place.spin, arm_of(a, centre)), vec3_cross(turning, shift));
    struct vec3 r_rate = vec3_add(s_rate, vec3_sub(a->place.velocity, b->place.velocity));
    struct vec3 inward =
        vec3_sub(vec3_cross(a->place.spin, s_rate), vec3_cross(b->place.spin, r_rate));
    struct vec3 along = vec3_cross(n, (struct vec3){0, 0, 1});
    const struct vec3 directions[3] = {n, along, vec3_cross(n, along)}, rigid[2] = {{0, 0, 0}};
    for (int i = 0; i < 3; i++) {
        space_touch_set_row(c, t, i, directions[i], s, r, rigid);
        t->rows[i].curvature =
            vec3_dot(vec3_cross(turning, directions[i]), u) + vec3_dot(directions[i], inward);
    }
    t->rows[0].deviation = gap;
}

/* ---------------------------------------------------------------- finding */

static struct box box_of(const struct solid *s, enum part_shape shape)
{
    return (struct box){.x = s->centre.x,
                        .y = s->centre.y,
                        .half_width = s->half[0],
                        .half_height = s->half[1],
                        .cos = s->axes[0].x,
                        .sin = s->axes[0].y,
                        .shape = shape};
}

static enum part_shape shape_of(const struct space_constraint *c, int box)
{
    return box >= 0 ? (enum part_shape)c->shapes[box] : PART_BOX;
}

/* The cosine between a direction and the face that looks most along it; 0: there is no face. */
static double facing(const struct box *box, double x, double y)
{
    double along = fabs(box->cos * x + box->sin * y), across = fabs(box->cos * y - box->sin * x);
    if (box->shape != PART_BOX)
        return box->shape == PART_PLANE ? across : 0;
    return fmax(along, across);
}

static double radius_of(const struct box *box)
{
    return box->shape == PART_DISK ? box->half_width : 0;
}

/* 1 if a disk is nearest to a face: of a rectangle, of a half-plane, or the ground, NULL. */
static int is_over_face(const struct box *disk, const struct box *other)
{
    struct nearest nearest;
    if (!other || other->shape == PART_PLANE)
        return 1;
    if (other->shape == PART_DISK)
        return 0;
    collide_nearest(other, disk->x, disk->y, &nearest);
    return !nearest.is_corner;
}

/* The first is a disk, the other one NULL: the ground. */
static void make_round(const struct space_constraint *c, struct touch *t, const struct box *disk,
                       const struct box *other, const struct solid_point *point, struct vec3 n)
{
    t->kind = TOUCH_ROUND;
    t->is_on_face = is_over_face(disk, other);
    t->radii[0] = radius_of(disk);
    t->radii[1] = other ? radius_of(other) : 0;
    for (int k = 0; k < 2; k++) {
        double way = (k == 0 ? 1 : -1) * (point->gap / 2 + t->radii[k]);
        t->points[k] =
            space_touch_local(space_system_body(c, t->bodies[k]), vec3_along(point->at, n, way));
    }
}

/* On the ground and on half-planes points are found on what touches them, not half way. */
static struct vec3 middle_of(const struct manifold_point *point, struct vec3 n, int is_on_first,
                             int is_on_second)
{
    double way = is_on_first ? -point->gap / 2 : is_on_second ? point->gap / 2 : 0;
    return vec3_along((struct vec3){point->x, point->y, 0}, n, way);
}

void space_touch_find_flat(struct space_constraint *c, int pair, double margin)
{
    const struct touch_pair *p = &c->pairs[pair];
    int is_ground = p->b == CONTACT_GROUND;
    struct box one = box_of(&c->solids[p->a], shape_of(c, p->a)), two = {0};
    struct manifold m;
    if (is_ground) {
        collide_ground(&one, margin, &m);
    } else {
        two = box_of(space_touch_solid(c, p->b), shape_of(c, p->b));
        collide_boxes(&one, &two, margin, &m);
    }
    struct vec3 n = {m.normal_x, m.normal_y, 0};
    int is_swapped = !is_ground && facing(&one, n.x, n.y) > facing(&two, n.x, n.y);
    const struct box *first = is_swapped ? &two : &one, *second = is_swapped ? &one : &two;
    for (int i = 0; i < m.count; i++) {
        struct solid_point point = {middle_of(&m.points[i], n, is_ground || two.shape == PART_PLANE,
                                              one.shape == PART_PLANE),
                                    m.points[i].gap, m.points[i].feature};
        struct touch *t = space_touch_begin(c, pair, n, &point, is_swapped);
        if (!t)
            return;
        if (first->shape == PART_DISK)
            make_round(c, t, first, is_ground ? NULL : second, &point,
                       is_swapped ? vec3_negated(n) : n);
        space_touch_end(c, t);
    }
}

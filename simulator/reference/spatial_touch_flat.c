/* See spatial_system.h: what touches in the plane z = 0, where boxes are rectangles, disks and
 * half-planes (simulator/contact/collide.h). A corner on a face is a touch as in space; a disk
 * touches as spatial_touch_round.c has it. */
#include "simulator/reference/spatial_system.h"

#include <math.h>

#include "simulator/contact/collide.h"

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

static enum part_shape shape_of(const struct spatial_constraint *c, int box)
{
    return box >= 0 ? (enum part_shape)c->shapes[box] : PART_BOX;
}

/* The cosine between a direction and the face that looks most along it; 0: there is no face. */
static double facing(const struct box *box, double x, double y)
{
    double along = fabs(box->cos * x + box->sin * y), across = fabs(box->cos * y - box->sin * x);
    if (box->shape != PART_BOX)
        return box->shape == PART_PLANE ? across : 0;
    return det_max(along, across);
}

static double radius_of(const struct box *box)
{
    return box->shape == PART_DISK ? box->half_width : 0;
}

/* The feature nearest to a disk: of a rectangle, of a half-plane, of another disk, or of the
 * ground, NULL. */
static enum solids_nearest nearest_to(const struct box *disk, const struct box *other)
{
    struct nearest nearest;
    if (!other || other->shape == PART_PLANE)
        return SOLIDS_FACE;
    if (other->shape == PART_DISK)
        return SOLIDS_POINT;
    collide_nearest(other, disk->x, disk->y, &nearest);
    return nearest.is_corner ? SOLIDS_POINT : SOLIDS_FACE;
}

/* On the ground and on half-planes points are found on what touches them, not half way. */
static struct vec3 middle_of(const struct manifold_point *point, struct vec3 n, int is_on_first,
                             int is_on_second)
{
    double way = is_on_first ? -point->gap / 2 : is_on_second ? point->gap / 2 : 0;
    return vec3_along((struct vec3){point->x, point->y, 0}, n, way);
}

void spatial_touch_find_flat(struct spatial_constraint *c, int pair, double margin)
{
    const struct touch_pair *p = &c->pairs[pair];
    int is_ground = p->b == CONTACT_GROUND;
    struct box one = box_of(&c->solids[p->a], shape_of(c, p->a)), two = {0};
    struct manifold m;
    if (is_ground) {
        collide_ground(&one, margin, &m);
    } else {
        two = box_of(spatial_touch_solid(c, p->b), shape_of(c, p->b));
        collide_boxes(&one, &two, margin, &m);
    }
    struct vec3 n = {m.normal_x, m.normal_y, 0};
    int is_swapped = !is_ground && facing(&one, n.x, n.y) > facing(&two, n.x, n.y);
    const struct box *first = is_swapped ? &two : &one, *second = is_swapped ? &one : &two;
    for (int i = 0; i < m.count; i++) {
        struct solid_point point = {middle_of(&m.points[i], n, is_ground || two.shape == PART_PLANE,
                                              one.shape == PART_PLANE),
                                    m.points[i].gap, m.points[i].feature};
        struct touch *t = spatial_touch_begin(c, pair, n, &point, is_swapped);
        if (!t)
            return;
        if (first->shape == PART_DISK)
            spatial_touch_make_round(c, t, radius_of(first), is_ground ? 0 : radius_of(second),
                                     nearest_to(first, is_ground ? NULL : second), &point,
                                     is_swapped ? vec3_negated(n) : n);
        spatial_touch_end(c, t);
    }
}

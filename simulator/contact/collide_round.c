/* Disks and half-planes, against rectangles and one another: distances in closed form. A disk
 * touches everything in one point; a rectangle touches a half-plane with at most two corners. See
 * collide.h. */
#include <math.h>

#include "simulator/contact/collide.h"

/* Features of disks, apart from those of collide_boxes(). */
#define FEATURE_DISK 64
/* A disk's centre this near to a corner, m, has no direction from it. */
#define NEAREST_M 1e-12

void collide_nearest(const struct box *box, double x, double y, struct nearest *nearest)
{
    double dx = x - box->x, dy = y - box->y;
    double hand = collide_hand(box);
    double u = box->cos * dx + box->sin * dy, v = hand * (box->cos * dy - box->sin * dx);
    double along = fabs(u) - box->half_width, across = fabs(v) - box->half_height;
    double nu = u >= 0 ? 1 : -1, nv = v >= 0 ? 1 : -1, distance;
    *nearest = (struct nearest){0};
    if (along > 0 && across > 0) {
        distance = sqrt(along * along + across * across);
        nearest->is_corner = 1;
        nu *= distance > NEAREST_M ? along / distance : 1;
        nv *= distance > NEAREST_M ? across / distance : 0;
    } else if (along >= across) {
        distance = along;
        nv = 0;
    } else {
        distance = across;
        nu = 0;
    }
    nearest->distance = distance;
    nearest->normal_x = box->cos * nu - box->sin * (hand * nv);
    nearest->normal_y = box->sin * nu + box->cos * (hand * nv);
}

/* Height of a point over the line of a half-plane. */
static double height_over(const struct box *plane, double x, double y)
{
    return plane->cos * (y - plane->y) - plane->sin * (x - plane->x);
}

static double lowest_over(const struct box *plane, const struct box *box)
{
    double height = height_over(plane, box->x, box->y);
    if (box->shape == PART_DISK)
        return height - box->half_width;
    double s = fabs(box->sin * plane->cos - box->cos * plane->sin);
    double c = fabs(box->cos * plane->cos + box->sin * plane->sin);
    return height - s * box->half_width - c * box->half_height;
}

double collide_round_separation(const struct box *a, const struct box *b)
{
    if (a->shape == PART_PLANE && b->shape == PART_PLANE)
        return COLLIDE_PLANE_RADIUS_M;
    if (a->shape == PART_PLANE || b->shape == PART_PLANE)
        return a->shape == PART_PLANE ? lowest_over(a, b) : lowest_over(b, a);
    if (a->shape == PART_DISK && b->shape == PART_DISK) {
        double dx = a->x - b->x, dy = a->y - b->y;
        return sqrt(dx * dx + dy * dy) - a->half_width - b->half_width;
    }
    const struct box *disk = a->shape == PART_DISK ? a : b, *box = disk == a ? b : a;
    struct nearest nearest;
    collide_nearest(box, disk->x, disk->y, &nearest);
    return nearest.distance - disk->half_width;
}

/* The normal points from the half-plane to the box. */
static void collide_plane(const struct box *plane, const struct box *box, double margin,
                          struct manifold *manifold)
{
    double nx = manifold->normal_x = -plane->sin, ny = manifold->normal_y = plane->cos;
    manifold->radius[0] = box->shape == PART_DISK ? box->half_width : 0;
    manifold->radius[1] = HUGE_VAL;
    for (int corner = 0; corner < (box->shape == PART_DISK ? 1 : 4); corner++) {
        struct manifold_point point = {.feature = corner};
        if (box->shape == PART_DISK) {
            point.x = box->x - box->half_width * nx;
            point.y = box->y - box->half_width * ny;
        } else {
            collide_box_corner(box, corner, &point.x, &point.y);
        }
        point.gap = height_over(plane, point.x, point.y);
        if (point.gap < margin)
            collide_keep_lowest(manifold, point);
    }
}

/* One point on the disk's surface, half way across the gap; the normal points to the disk, from
 * what has a radius, too. */
static void touch_disk(const struct box *disk, double nx, double ny, double gap, double radius,
                       double margin, struct manifold *manifold)
{
    double reach = disk->half_width + gap / 2;
    manifold->normal_x = nx;
    manifold->normal_y = ny;
    manifold->radius[0] = disk->half_width;
    manifold->radius[1] = radius;
    if (gap < margin)
        manifold->points[manifold->count++] = (struct manifold_point){.x = disk->x - reach * nx,
                                                                      .y = disk->y - reach * ny,
                                                                      .gap = gap,
                                                                      .feature = FEATURE_DISK};
}

void collide_round(const struct box *a, const struct box *b, double margin,
                   struct manifold *manifold)
{
    int is_first = 1;
    manifold->count = 0;
    if (a->shape == PART_PLANE || b->shape == PART_PLANE) {
        if (a->shape == b->shape)
            return;
        is_first = b->shape == PART_PLANE;
        collide_plane(is_first ? b : a, is_first ? a : b, margin, manifold);
    } else if (a->shape == PART_DISK && b->shape == PART_DISK) {
        double dx = a->x - b->x, dy = a->y - b->y, distance = sqrt(dx * dx + dy * dy);
        int is_known = distance > NEAREST_M;
        touch_disk(a, is_known ? dx / distance : 0, is_known ? dy / distance : 1,
                   distance - a->half_width - b->half_width, b->half_width, margin, manifold);
    } else {
        is_first = a->shape == PART_DISK;
        const struct box *disk = is_first ? a : b, *box = is_first ? b : a;
        struct nearest nearest;
        collide_nearest(box, disk->x, disk->y, &nearest);
        touch_disk(disk, nearest.normal_x, nearest.normal_y, nearest.distance - disk->half_width,
                   nearest.is_corner ? 0 : HUGE_VAL, margin, manifold);
    }
    if (!is_first)
        collide_turn_normal(manifold);
}

/* Rectangle against rectangle: the axis of greatest separation among the four face normals gives
 * the reference face; the most opposed face of the other box is clipped to the reference face's
 * sides. Where a face of either separates as much, both are taken, so that two boxes which are
 * mirror images of one another meet in the mirror. */
#include "simulator/contact/collide.h"

#include <math.h>

#include "common/math/detmath.h"
#include "common/math/pair.h"

/* Axes of two boxes whose separations differ by less are as good as one another, m. */
#define AXIS_TIE_M 1e-5
/* Normals of faces that are as good may not be opposed by more: half the length of their sum. */
#define TIE_ALONG_MIN 0.1

double collide_lowest(const struct box *box)
{
    if (box->shape == PART_DISK)
        return box->y - box->half_width;
    return box->y - fabs(box->sin) * box->half_width - fabs(box->cos) * box->half_height;
}

void collide_box_corner(const struct box *box, int corner, double *x, double *y)
{
    double u = corner == 0 || corner == 3 ? box->half_width : -box->half_width;
    double v = collide_hand(box) * (corner < 2 ? box->half_height : -box->half_height);
    *x = box->x + (box->cos * u - box->sin * v);
    *y = box->y + (box->sin * u + box->cos * v);
}

void collide_turn_normal(struct manifold *manifold)
{
    double radius = manifold->radius[0];
    manifold->normal_x = -manifold->normal_x;
    manifold->normal_y = -manifold->normal_y;
    manifold->radius[0] = manifold->radius[1];
    manifold->radius[1] = radius;
}

void collide_keep_lowest(struct manifold *manifold, struct manifold_point point)
{
    if (manifold->count < 2) {
        manifold->points[manifold->count++] = point;
        return;
    }

    /* a third one: in order of corner */
    int higher = manifold->points[1].gap > manifold->points[0].gap;
    if (point.gap < manifold->points[higher].gap) {
        if (higher == 0)
            manifold->points[0] = manifold->points[1];
        manifold->points[1] = point;
    }
}

struct solid collide_solid(const struct box *box, double from_x)
{
    return (struct solid){.centre = {box->x + from_x, box->y, 0},
                          .axes = {{box->cos, box->sin, 0}, {-box->sin, box->cos, 0}, {0, 0, 1}},
                          .half = {box->half_width, box->half_height, 0}};
}

void collide_ground(const struct box *box, double margin, struct manifold *manifold)
{
    manifold->normal_x = 0;
    manifold->normal_y = 1;
    manifold->radius[0] = 0;
    manifold->radius[1] = HUGE_VAL;
    manifold->count = 0;
    if (box->shape == PART_DISK) {
        manifold->radius[0] = box->half_width;
        double gap = box->y - box->half_width;
        if (gap < margin)
            collide_keep_lowest(manifold,
                                (struct manifold_point){.x = box->x, .y = gap, .gap = gap});
        return;
    }
    /* corners 0 and 1, and 3 and 2 below them */
    double up = collide_hand(box) * box->cos * box->half_height;
    double aside = box->sin * box->half_width;
    const pair tilt = {aside, -aside}, upper = box->y + (tilt + up), lower = box->y + (tilt - up);
    const double heights[4] = {upper[0], upper[1], lower[1], lower[0]};
    for (int corner = 0; corner < 4; corner++) {
        if (heights[corner] >= margin)
            continue;
        struct manifold_point point = {.gap = heights[corner], .feature = corner};
        collide_box_corner(box, corner, &point.x, &point.y);
        collide_keep_lowest(manifold, point);
    }
}

void collide_place_obstacle(const struct obstacle *obstacle, struct box *box)
{
    *box = (struct box){.x = obstacle->x_m,
                        .y = obstacle->y_m,
                        .half_width = obstacle->width_m / 2,
                        .half_height = obstacle->height_m / 2};
    det_sincos(obstacle->angle_rad, &box->sin, &box->cos);
}

/* Half of a box's extent along a direction. */
static double box_reach(const struct box *box, double x, double y)
{
    return fabs(box->cos * x + box->sin * y) * box->half_width +
           fabs(box->cos * y - box->sin * x) * box->half_height;
}

/* Convex shapes overlap where they overlap along all axes: an interval of heights for each. */
int collide_lift_range(const struct box *box, const struct box *obstacle, double *low, double *high)
{
    const double axes[4][2] = {{box->cos, box->sin},
                               {-box->sin, box->cos},
                               {obstacle->cos, obstacle->sin},
                               {-obstacle->sin, obstacle->cos}};
    *low = -HUGE_VAL;
    *high = HUGE_VAL;
    for (int i = 0; i < 4; i++) {
        double x = axes[i][0], y = axes[i][1];
        double apart = x * (box->x - obstacle->x) + y * (box->y - obstacle->y);
        double reach = box_reach(box, x, y) + box_reach(obstacle, x, y);
        if (fabs(y) < 1e-9) {
            if (fabs(apart) >= reach)
                return 0;
            continue;
        }
        double one = (-reach - apart) / y, two = (reach - apart) / y;
        *low = det_max(*low, one < two ? one : two);
        *high = det_min(*high, one < two ? two : one);
    }
    return *low < *high;
}

int collide_is_beyond(const struct box *box, double x, double y, double distance)
{
    double dx = x - box->x, dy = y - box->y;
    return fabs(box->cos * dx + box->sin * dy) > box->half_width + distance ||
           fabs(box->cos * dy - box->sin * dx) > box->half_height + distance;
}

int collide_is_graze(const struct box *a, const struct box *b, double depth)
{
    double dx = b->x - a->x, dy = b->y - a->y;
    double c = fabs(a->cos * b->cos + a->sin * b->sin);
    double s = fabs(a->cos * b->sin - a->sin * b->cos);
    double along = fabs(a->cos * dx + a->sin * dy) - a->half_width;
    double across = fabs(a->cos * dy - a->sin * dx) - a->half_height;
    along -= c * b->half_width + s * b->half_height;
    across -= s * b->half_width + c * b->half_height;
    double less = along < across ? along : across;
    return less <= 0 && less > -depth && along != across;
}

/* A plane vector as seen in a box's frame. */
static inline pair turn_back(const struct box *box, pair v)
{
    return box->cos * v - box->sin * plane_turn(v);
}

/* Separation along the face normals of `a`; *face gets the face (enum face) that separates most. */
static inline double face_separation(const struct box *a, const struct box *b, int *face)
{
    pair way = turn_back(a, XY(b->x) - XY(a->x));
    pair tilt = pair_absolute(turn_back(a, XY(b->cos)));
    pair apart = pair_absolute(way) - XY(a->half_width) - tilt * b->half_width -
                 pair_swap(tilt) * b->half_height;
    if (apart[0] >= apart[1]) {
        *face = way[0] >= 0 ? FACE_RIGHT : FACE_LEFT;
        return apart[0];
    }
    *face = collide_hand(a) * way[1] >= 0 ? FACE_TOP : FACE_BOTTOM;
    return apart[1];
}

double collide_separation(const struct box *a, const struct box *b)
{
    int face;
    if (a->shape != PART_BOX || b->shape != PART_BOX)
        return collide_round_separation(a, b);
    return det_max(face_separation(a, b, &face), face_separation(b, a, &face));
}

/* Clips the face of `incident` that is most opposed to the reference face, and keeps what is closer
 * than the margin. */
static void clip_faces(const struct box *reference, int face, const struct box *incident,
                       double margin, int feature_base, struct manifold *manifold)
{
    int is_end = face == FACE_RIGHT || face == FACE_LEFT;
    double hand = collide_hand(reference), out = face == FACE_RIGHT || face == FACE_TOP ? 1 : -1;
    double up = out * hand, nx = is_end ? out * reference->cos : -up * reference->sin;
    double ny = is_end ? out * reference->sin : up * reference->cos;
    double tx = -hand * ny, ty = hand * nx;
    double half_depth = is_end ? reference->half_width : reference->half_height;
    double half_length = is_end ? reference->half_height : reference->half_width;

    /* the incident face: corners as (t along the reference face, d beyond it) */
    double u = incident->cos * nx + incident->sin * ny;
    double v = collide_hand(incident) * (incident->cos * ny - incident->sin * nx);
    int first;
    if (fabs(u) > fabs(v))
        first = u < 0 ? 3 : 1;
    else
        first = v < 0 ? 0 : 2;
    double t[2], d[2];
    for (int i = 0; i < 2; i++) {
        double x, y;
        collide_box_corner(incident, (first + i) % 4, &x, &y);
        x -= reference->x;
        y -= reference->y;
        t[i] = x * tx + y * ty;
        d[i] = x * nx + y * ny - half_depth;
    }

    /* clip to |t| <= half_length */
    double low = t[0] < t[1] ? t[0] : t[1], high = t[0] < t[1] ? t[1] : t[0];
    manifold->normal_x = nx;
    manifold->normal_y = ny;
    manifold->radius[0] = 0;
    manifold->radius[1] = HUGE_VAL;
    manifold->count = 0;
    if (low > half_length || high < -half_length)
        return;
    double slope = high - low > 1e-12 ? (d[1] - d[0]) / (t[1] - t[0]) : 0;
    for (int i = 0; i < 2; i++) {
        double at = t[i], gap = d[i];
        if (at > half_length || at < -half_length) {
            double edge = at > half_length ? half_length : -half_length;
            gap += slope * (edge - at);
            at = edge;
        }
        if (gap >= margin)
            continue;
        double depth = half_depth + gap / 2;
        manifold->points[manifold->count++] =
            (struct manifold_point){.x = reference->x + nx * depth + tx * at,
                                    .y = reference->y + ny * depth + ty * at,
                                    .gap = gap,
                                    .feature = feature_base + face * 8 + first * 2 + i};
    }
}

/* A face of the first box is clipped to: its normal points away from it, and is turned to point at
 * it. */
static void clip_first(const struct box *a, int face, const struct box *b, double margin,
                       struct manifold *manifold)
{
    clip_faces(a, face, b, margin, 0, manifold);
    collide_turn_normal(manifold);
}

static double point_distance(const struct manifold_point *p, const struct manifold_point *q)
{
    return (p->x - q->x) * (p->x - q->x) + (p->y - q->y) * (p->y - q->y);
}

/* The point of the other box's manifold that belongs to point i. Facing faces of boxes of one hand
 * are listed in opposite directions. */
static const struct manifold_point *find_partner(const struct manifold *m, int i,
                                                 const struct manifold *other, int are_of_one_hand)
{
    if (other->count == m->count)
        return &other->points[are_of_one_hand ? m->count - 1 - i : i];
    const struct manifold_point *point = &m->points[i], *points = other->points;
    return &points[point_distance(point, &points[1]) < point_distance(point, &points[0])];
}

/* Half way between what the faces of either box say. A gap along a face's normal is longer along
 * the mean one. */
static void clip_both(const struct box *a, int face_a, const struct box *b, int face_b,
                      double margin, struct manifold *manifold)
{
    struct manifold of_b;
    clip_first(a, face_a, b, margin, manifold);
    clip_faces(b, face_b, a, margin, 32, &of_b);
    double nx = (manifold->normal_x + of_b.normal_x) / 2;
    double ny = (manifold->normal_y + of_b.normal_y) / 2, along = sqrt(nx * nx + ny * ny);
    if (along < TIE_ALONG_MIN || of_b.count == 0)
        return;
    if (of_b.count < manifold->count || manifold->count == 0) {
        struct manifold of_a = *manifold;
        *manifold = of_b;
        of_b = of_a;
    }
    for (int i = 0; i < manifold->count && of_b.count > 0; i++) {
        struct manifold_point *p = &manifold->points[i];
        const struct manifold_point *q =
            find_partner(manifold, i, &of_b, a->is_left_handed == b->is_left_handed);
        p->x = (p->x + q->x) / 2;
        p->y = (p->y + q->y) / 2;
        p->gap = (p->gap + q->gap) / (2 * along);
    }
    if (of_b.count > 0) {
        manifold->normal_x = nx / along;
        manifold->normal_y = ny / along;
        manifold->radius[0] = manifold->radius[1] = HUGE_VAL;
    }
}

void collide_boxes(const struct box *a, const struct box *b, double margin,
                   struct manifold *manifold)
{
    int face_a, face_b;
    if (a->shape != PART_BOX || b->shape != PART_BOX) {
        collide_round(a, b, margin, manifold);
        return;
    }
    manifold->count = 0;
    double by_a = face_separation(a, b, &face_a);
    if (by_a >= margin)
        return;
    double by_b = face_separation(b, a, &face_b);
    if (by_b >= margin)
        return;
    if (by_b > by_a + AXIS_TIE_M)
        clip_faces(b, face_b, a, margin, 32, manifold);
    else if (by_a > by_b + AXIS_TIE_M)
        clip_first(a, face_a, b, margin, manifold);
    else
        clip_both(a, face_a, b, face_b, margin, manifold);
}

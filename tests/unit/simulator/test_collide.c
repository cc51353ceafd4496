/* Collision geometry: hand-made poses with answers worked out by hand, and random pairs against
 * brute force over corners and edges. */
#include "simulator/contact/collide.h"

#include "tests/suite.h"

#define EPSILON 1e-12
#define PI      3.14159265358979323846
/* Above the preference for the first box's axes. */
#define TIE_M 2e-5

enum { PAIRS = 20000 };

static struct rng rng;

static void setup(void)
{
    rng_init(&rng, 21, RNG_TEST, 0, 1);
}

static struct box make_box(double x, double y, double width, double height, double angle)
{
    return (struct box){x, y, width / 2, height / 2, cos(angle), sin(angle), PART_BOX, 0};
}

static struct box random_box(double reach)
{
    return make_box(rng_uniform(&rng, -reach, reach), rng_uniform(&rng, -reach, reach),
                    rng_uniform(&rng, 0.05, 1), rng_uniform(&rng, 0.05, 1),
                    rng_uniform(&rng, -7, 7));
}

/* ---------------------------------------------------------------- brute force */

struct point {
    double x, y;
};

/* Counter-clockwise from +x +y. */
static void find_corners(const struct box *b, struct point corners[4])
{
    static const double u[4] = {1, -1, -1, 1}, v[4] = {1, 1, -1, -1};
    for (int i = 0; i < 4; i++) {
        double x = u[i] * b->half_width, y = v[i] * b->half_height;
        corners[i] = (struct point){b->x + b->cos * x - b->sin * y, b->y + b->sin * x + b->cos * y};
    }
}

/* Greatest distance of b behind a face of a, over the faces of a. */
static double brute_faces(const struct box *a, const struct box *b)
{
    struct point p[4], q[4];
    double greatest = -HUGE_VAL;
    find_corners(a, p);
    find_corners(b, q);
    for (int i = 0; i < 4; i++) {
        struct point from = p[i], to = p[(i + 1) % 4];
        double length = hypot(to.x - from.x, to.y - from.y), least = HUGE_VAL;
        double nx = (to.y - from.y) / length, ny = -(to.x - from.x) / length;
        for (int k = 0; k < 4; k++)
            least = fmin(least, (q[k].x - from.x) * nx + (q[k].y - from.y) * ny);
        greatest = fmax(greatest, least);
    }
    return greatest;
}

static double distance_to_edge(struct point p, struct point a, struct point b)
{
    double dx = b.x - a.x, dy = b.y - a.y;
    double t = ((p.x - a.x) * dx + (p.y - a.y) * dy) / (dx * dx + dy * dy);
    t = fmin(fmax(t, 0), 1);
    return hypot(p.x - a.x - t * dx, p.y - a.y - t * dy);
}

/* Distance of the outlines; only meaningful for boxes that do not overlap. */
static double brute_distance(const struct box *a, const struct box *b)
{
    struct point p[4], q[4];
    double least = HUGE_VAL;
    find_corners(a, p);
    find_corners(b, q);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++) {
            least = fmin(least, distance_to_edge(p[i], q[k], q[(k + 1) % 4]));
            least = fmin(least, distance_to_edge(q[i], p[k], p[(k + 1) % 4]));
        }
    return least;
}

/* ---------------------------------------------------------------- ground */

TEST(a_flat_box_stands_on_two_corners)
{
    struct box b = make_box(3, 0.1, 0.6, 0.2, 0);
    struct manifold m;
    collide_ground(&b, 0.01, &m);
    ck_assert_int_eq(m.count, 2);
    ck_assert_double_eq(m.normal_x, 0);
    ck_assert_double_eq(m.normal_y, 1);
    ck_assert_int_eq(m.points[0].feature, 2);
    ck_assert_int_eq(m.points[1].feature, 3);
    ck_assert_double_eq_tol(m.points[0].x, 2.7, EPSILON);
    ck_assert_double_eq_tol(m.points[1].x, 3.3, EPSILON);
    ck_assert_double_eq_tol(m.points[0].gap, 0, EPSILON);
    ck_assert_double_eq_tol(m.points[1].y, 0, EPSILON);

    collide_ground(&b, -0.01, &m);
    ck_assert_int_eq(m.count, 0);
}

TEST(a_tilted_box_stands_on_one_corner)
{
    struct box b = make_box(0, sqrt(0.5), 1, 1, PI / 4);
    struct manifold m;
    collide_ground(&b, 0.1, &m);
    ck_assert_int_eq(m.count, 1);
    ck_assert_int_eq(m.points[0].feature, 2);
    ck_assert_double_eq_tol(m.points[0].x, 0, EPSILON);
    ck_assert_double_eq_tol(m.points[0].gap, 0, EPSILON);
}

TEST(ground_contacts_are_the_two_lowest_corners)
{
    for (int i = 0; i < PAIRS; i++) {
        struct box b = random_box(0.6);
        double margin = rng_uniform(&rng, -0.3, 0.5);
        struct point corners[4];
        struct manifold m;
        find_corners(&b, corners);
        collide_ground(&b, margin, &m);

        int below = 0, is_taken[4] = {0};
        for (int k = 0; k < 4; k++)
            below += corners[k].y < margin;
        ck_assert_int_eq(m.count, below < 2 ? below : 2);
        double least = fmin(fmin(corners[0].y, corners[1].y), fmin(corners[2].y, corners[3].y));
        ck_assert_double_eq_tol(collide_lowest(&b), least, EPSILON);
        double highest = -HUGE_VAL;
        for (int k = 0; k < m.count; k++) {
            struct point corner = corners[m.points[k].feature];
            ck_assert_xy(m.points[k], corner.x, corner.y, EPSILON);
            ck_assert_double_eq(m.points[k].gap, m.points[k].y);
            ck_assert_int_eq(is_taken[m.points[k].feature]++, 0);
            highest = fmax(highest, corner.y);
        }
        for (int k = 0; k < 4 && m.count == 2; k++)
            ck_assert(is_taken[k] || corners[k].y >= highest - EPSILON);
    }
}

/* ---------------------------------------------------------------- pairs */

TEST(separation_matches_brute_force)
{
    int apart = 0, overlapping = 0;
    for (int i = 0; i < PAIRS; i++) {
        struct box a = random_box(0.8), b = random_box(0.8);
        double separation = collide_separation(&a, &b);
        ck_assert_double_eq_tol(separation, fmax(brute_faces(&a, &b), brute_faces(&b, &a)),
                                EPSILON);
        ck_assert_double_eq(separation, collide_separation(&b, &a));
        if (separation > 0) {
            ck_assert_double_le(separation, brute_distance(&a, &b) + EPSILON);
            apart++;
        } else {
            overlapping++;
        }
    }
    ck_assert_int_gt(apart, PAIRS / 10);
    ck_assert_int_gt(overlapping, PAIRS / 10);
}

TEST(faces_side_by_side_touch_at_two_points)
{
    /* b stands 1 mm to the right of a, half a height up */
    struct box a = make_box(0, 0, 1, 0.4, 0), b = make_box(0.701, 0.2, 0.4, 0.4, 0);
    struct manifold m;
    collide_boxes(&a, &b, 0.01, &m);
    ck_assert_int_eq(m.count, 2);
    ck_assert_double_eq_tol(m.normal_x, -1, EPSILON);
    ck_assert_double_eq_tol(m.normal_y, 0, EPSILON);
    double low = fmin(m.points[0].y, m.points[1].y), high = fmax(m.points[0].y, m.points[1].y);
    ck_assert_double_eq_tol(low, 0, EPSILON);
    ck_assert_double_eq_tol(high, 0.2, EPSILON);
    for (int k = 0; k < 2; k++) {
        ck_assert_double_eq_tol(m.points[k].gap, 0.001, EPSILON);
        ck_assert_double_eq_tol(m.points[k].x, 0.5005, EPSILON);
    }
    ck_assert_int_ne(m.points[0].feature, m.points[1].feature);

    /* exchanged: the same points, the normal the other way */
    collide_boxes(&b, &a, 0.01, &m);
    ck_assert_int_eq(m.count, 2);
    ck_assert_double_eq_tol(m.normal_x, 1, EPSILON);
    ck_assert_double_eq_tol(fmin(m.points[0].y, m.points[1].y), 0, EPSILON);

    /* farther apart than the margin */
    collide_boxes(&a, &b, 0.0009, &m);
    ck_assert_int_eq(m.count, 0);
}

TEST(a_corner_in_a_face_is_one_deep_point)
{
    struct box a = make_box(0, 0, 2, 0.4, 0),
               b = make_box(0.3, 0.2 + sqrt(0.5) - 0.01, 1, 1, PI / 4);
    struct manifold m;
    collide_boxes(&a, &b, 0.001, &m);
    ck_assert_int_eq(m.count, 1);
    ck_assert_double_eq_tol(m.normal_y, -1, EPSILON);
    ck_assert_double_eq_tol(m.points[0].gap, -0.01, EPSILON);
    ck_assert_xy(m.points[0], 0.3, 0.195, EPSILON);
}

TEST(coinciding_boxes_are_pushed_along_the_shorter_side)
{
    struct box a = make_box(1, 2, 0.8, 0.2, 0.5);
    struct manifold m;
    ck_assert_double_eq_tol(collide_separation(&a, &a), -0.2, EPSILON);
    collide_boxes(&a, &a, 0, &m);
    ck_assert_int_eq(m.count, 2);
    ck_assert_double_eq_tol(fabs(m.normal_x * a.sin - m.normal_y * a.cos), 1, EPSILON);
    ck_assert_double_eq_tol(m.points[0].gap, -0.2, EPSILON);
}

/* What holds for every manifold. */
static void check_manifold(const struct box *a, const struct box *b, double margin,
                           const struct manifold *m, double separation)
{
    ck_assert_int_ge(m->count, 0);
    ck_assert_int_le(m->count, 2);
    if (m->count == 0)
        return;
    ck_assert_double_eq_tol(hypot(m->normal_x, m->normal_y), 1, EPSILON);
    double dx = a->x - b->x, dy = a->y - b->y;
    /* along the mean of two faces' normals, which are as good, it is farther, ten times at most */
    int is_tie = fabs(brute_faces(a, b) - brute_faces(b, a)) < TIE_M;
    double deepest = is_tie && separation < 0 ? 10 * separation : separation;
    ck_assert_double_ge(m->normal_x * dx + m->normal_y * dy, -EPSILON);
    for (int k = 0; k < m->count; k++) {
        const struct manifold_point *p = &m->points[k];
        ck_assert_double_lt(p->gap, margin);
        ck_assert_double_ge(p->gap, deepest - TIE_M);

        /* neither box is farther from the point than half the gap */
        struct box dot = make_box(p->x, p->y, 0, 0, 0);
        double to_a = collide_separation(&dot, a), to_b = collide_separation(&dot, b);
        ck_assert_double_le(to_a, fabs(p->gap) / 2 + EPSILON);
        ck_assert_double_le(to_b, fabs(p->gap) / 2 + EPSILON);
    }
    if (m->count == 2)
        ck_assert_int_ne(m->points[0].feature, m->points[1].feature);
}

TEST(manifolds_of_random_pairs_hold_what_they_promise)
{
    int one = 0, two = 0;
    for (int i = 0; i < PAIRS; i++) {
        struct box a = random_box(0.8), b = random_box(0.8);
        double margin = rng_chance(&rng, 0.5) ? 1e-9 : rng_uniform(&rng, 0, 0.2);
        double separation = collide_separation(&a, &b);
        struct manifold m, n;
        collide_boxes(&a, &b, margin, &m);
        check_manifold(&a, &b, margin, &m, separation);
        if (separation >= margin)
            ck_assert_int_eq(m.count, 0);

        /* what overlaps has a point that does */
        if (separation < -TIE_M) {
            double deepest = HUGE_VAL;
            for (int k = 0; k < m.count; k++)
                deepest = fmin(deepest, m.points[k].gap);
            ck_assert_int_ge(m.count, 1);
            ck_assert_double_lt(deepest, 0);
        }
        one += m.count == 1;
        two += m.count == 2;

        /* exchange: the same but for the normal, unless both boxes' axes separate equally */
        if (fabs(brute_faces(&a, &b) - brute_faces(&b, &a)) < TIE_M)
            continue;
        collide_boxes(&b, &a, margin, &n);
        ck_assert_int_eq(m.count, n.count);
        for (int k = 0; k < m.count; k++) {
            ck_assert_double_eq_tol(m.normal_x, -n.normal_x, EPSILON);
            ck_assert_double_eq_tol(m.normal_y, -n.normal_y, EPSILON);
            ck_assert_double_eq_tol(m.points[k].x, n.points[k].x, EPSILON);
            ck_assert_double_eq_tol(m.points[k].gap, n.points[k].gap, EPSILON);
        }
    }
    ck_assert_int_gt(one, PAIRS / 20);
    ck_assert_int_gt(two, PAIRS / 20);
}

/* ---------------------------------------------------------------- disks and half-planes */

static struct box make_disk(double x, double y, double radius)
{
    return (struct box){x, y, radius, radius, cos(x), sin(x), PART_DISK, 0};
}

static struct box random_disk(double reach)
{
    return make_disk(rng_uniform(&rng, -reach, reach), rng_uniform(&rng, -reach, reach),
                     rng_uniform(&rng, 0.02, 0.5));
}

static struct box random_plane(double reach)
{
    double angle = rng_uniform(&rng, -7, 7);
    return (struct box){.x = rng_uniform(&rng, -reach, reach),
                        .y = rng_uniform(&rng, -reach, reach),
                        .cos = cos(angle),
                        .sin = sin(angle),
                        .shape = PART_PLANE};
}

/* Distance of a point from a rectangle, negative inside, over its edges one by one. */
static double brute_point_distance(const struct box *box, double x, double y)
{
    struct point p[4];
    double nearest = HUGE_VAL;
    int is_inside = 1;
    find_corners(box, p);
    for (int i = 0; i < 4; i++) {
        struct point a = p[i], b = p[(i + 1) % 4];
        double ex = b.x - a.x, ey = b.y - a.y, length = hypot(ex, ey);
        double along = ((x - a.x) * ex + (y - a.y) * ey) / length;
        along = fmin(fmax(along, 0), length);
        nearest =
            fmin(nearest, hypot(x - a.x - along * ex / length, y - a.y - along * ey / length));
        is_inside &= ex * (y - a.y) - ey * (x - a.x) >= 0;
    }
    return is_inside ? -nearest : nearest;
}

TEST(a_disk_touches_the_ground_below_its_centre)
{
    struct box disk = make_disk(0.3, 0.45, 0.5);
    struct manifold m;
    ck_assert_double_eq_tol(collide_lowest(&disk), -0.05, EPSILON);
    collide_ground(&disk, 0.01, &m);
    ck_assert_int_eq(m.count, 1);
    ck_assert_double_eq_tol(m.points[0].x, 0.3, EPSILON);
    ck_assert_double_eq_tol(m.points[0].gap, -0.05, EPSILON);
    collide_ground(&disk, -0.05, &m);
    ck_assert_int_eq(m.count, 0);
}

/* Distance, one point at half the gap on the line between the surfaces, and the normal as promised;
 * the same with both exchanged. */
static void check_disk(const struct box *a, const struct box *b, double expected)
{
    struct manifold m, n;
    ck_assert_double_eq_tol(collide_separation(a, b), expected, EPSILON);
    ck_assert_double_eq_tol(collide_separation(b, a), expected, EPSILON);
    collide_boxes(a, b, 0.2, &m);
    collide_boxes(b, a, 0.2, &n);
    ck_assert_int_eq(m.count, expected < 0.2);
    ck_assert_int_eq(n.count, m.count);
    if (m.count == 0)
        return;
    ck_assert_double_eq_tol(m.points[0].gap, expected, EPSILON);
    ck_assert_double_eq_tol(hypot(m.normal_x, m.normal_y), 1, EPSILON);
    ck_assert_double_eq_tol(m.normal_x, -n.normal_x, EPSILON);
    ck_assert_double_eq_tol(m.normal_y, -n.normal_y, EPSILON);

    /* moved apart by the gap along the normal, they touch */
    struct box moved = *a;
    moved.x -= expected * m.normal_x;
    moved.y -= expected * m.normal_y;
    ck_assert_double_eq_tol(collide_separation(&moved, b), 0, 1e-9);
}

static struct box mirrored(struct box box)
{
    box.x = -box.x;
    box.cos = -box.cos;
    box.is_left_handed = !box.is_left_handed;
    return box;
}

static void check_mirrored_manifold(const struct manifold *m, const struct manifold *image)
{
    ck_assert_int_eq(image->count, m->count);
    if (m->count == 0)
        return;
    ck_assert(image->normal_x == -m->normal_x && image->normal_y == m->normal_y);
    for (int k = 0; k < m->count; k++) {
        const struct manifold_point *a = &m->points[k], *b = &image->points[k];
        ck_assert(b->x == -a->x && b->y == a->y && b->gap == a->gap && b->feature == a->feature);
    }
}

/* Mirror images of the other hand touch in the mirrored points, in the same order, to the bit. */
TEST(mirror_images_touch_as_mirror_images)
{
    rng_init(&rng, 1, RNG_TEST, 0, 11);
    for (int i = 0; i < PAIRS; i++) {
        struct box a = random_box(1), b = i % 4 ? random_box(1) : random_disk(1);
        b.is_left_handed = i & 1;
        struct box of_a = mirrored(a), of_b = mirrored(b);
        struct manifold m, image;
        collide_boxes(&a, &b, 0.1, &m);
        collide_boxes(&of_a, &of_b, 0.1, &image);
        check_mirrored_manifold(&m, &image);
        collide_ground(&a, 0.1, &m);
        collide_ground(&of_a, 0.1, &image);
        check_mirrored_manifold(&m, &image);
    }
}

TEST(disks_and_boxes_match_brute_force)
{
    int inside = 0, apart = 0;
    for (int i = 0; i < PAIRS; i++) {
        struct box disk = random_disk(0.8), box = random_box(0.8), other = random_disk(0.8);
        double distance = brute_point_distance(&box, disk.x, disk.y);
        check_disk(&disk, &box, distance - disk.half_width);
        check_disk(&disk, &other,
                   hypot(disk.x - other.x, disk.y - other.y) - disk.half_width - other.half_width);
        inside += distance < 0;
        apart += distance > 0;
    }
    ck_assert_int_gt(inside, PAIRS / 20);
    ck_assert_int_gt(apart, PAIRS / 20);
}

TEST(half_planes_match_the_ground)
{
    for (int i = 0; i < PAIRS; i++) {
        /* everything turned and moved so that the half-plane becomes the ground */
        struct box plane = random_plane(1), box = i % 2 ? random_box(1) : random_disk(1),
                   flat = box;
        double dx = box.x - plane.x, dy = box.y - plane.y;
        flat.x = plane.cos * dx + plane.sin * dy;
        flat.y = plane.cos * dy - plane.sin * dx;
        flat.cos = box.cos * plane.cos + box.sin * plane.sin;
        flat.sin = box.sin * plane.cos - box.cos * plane.sin;
        struct manifold m, n, expected;
        ck_assert_double_eq_tol(collide_separation(&plane, &box), collide_lowest(&flat), EPSILON);
        collide_boxes(&box, &plane, 0.1, &m);
        collide_boxes(&plane, &box, 0.1, &n);
        collide_ground(&flat, 0.1, &expected);
        ck_assert_int_eq(m.count, expected.count);
        ck_assert_int_eq(n.count, expected.count);
        ck_assert_double_eq_tol(m.normal_x, -plane.sin, EPSILON);
        ck_assert_double_eq_tol(n.normal_y, -plane.cos, EPSILON);
        for (int k = 0; k < m.count; k++) {
            ck_assert_int_eq(m.points[k].feature, expected.points[k].feature);
            ck_assert_double_eq_tol(m.points[k].gap, expected.points[k].gap, EPSILON);
        }
    }
}

SUITE("collide", 0, setup, NULL)

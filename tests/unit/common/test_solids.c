/* Collision of boxes in space: a half-space by hand, separation against a search over directions,
 * boxes exchanged, and points that move as little as the boxes do. */
#include "simulator/contact/solids.h"

#include "tests/direction_search.h"
#include "tests/suite.h"

static struct rng rng;

static void setup(void)
{
    rng_init(&rng, 5, RNG_TEST, 0, 0);
}

static struct solid upright(double x, double y, double z, double hx, double hy, double hz)
{
    return (struct solid){{x, y, z}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {hx, hy, hz}, 0};
}

TEST(a_box_on_the_ground)
{
    struct solid s = upright(1, 0.3, 2, 0.5, 0.25, 0.4);
    struct solid_manifold m;
    solids_meet_plane(&s, (struct vec3){0, 1, 0}, 0, 0.04, &m);
    ck_assert_int_eq(m.count, 0);
    solids_meet_plane(&s, (struct vec3){0, 1, 0}, 0, 0.06, &m);
    ck_assert_int_eq(m.count, 4);
    for (int i = 0; i < 4; i++) {
        ck_assert_double_eq_tol(m.points[i].gap, 0.05, 1e-15);
        ck_assert_double_eq_tol(m.points[i].at.y, 0.025, 1e-15);
        ck_assert_double_eq_tol(fabs(m.points[i].at.x - 1), 0.5, 1e-15);
        ck_assert_int_eq(m.points[i].feature & 2, 0); /* lower corners */
    }
    /* deep in it all eight corners are below */
    s.centre.y = -1;
    solids_meet_plane(&s, (struct vec3){0, 1, 0}, 0, 0.06, &m);
    ck_assert_int_eq(m.count, 8);
    for (int i = 0; i < 8; i++)
        ck_assert_double_eq_tol(m.points[i].gap, m.points[i].feature & 2 ? -0.75 : -1.25, 1e-15);
}

/* A ball touches in one point; which solid is given first changes the normal's sign alone. */
TEST(a_ball_touches_in_a_point)
{
    static const struct {
        double at[3], off[3]; /* of the ball; from there to the nearest point of the box */
    } places[] = {{{0, 0.8, 0.1}, {0, 0.4, 0}},
                  {{0.6, 0.7, 0}, {0.3, 0.3, 0}},
                  {{-0.5, 0.5, 0.5}, {-0.2, 0.1, 0.3}},
                  {{0, 0.35, 0}, {0, -0.05, 0}}}; /* its centre is inside */
    struct solid box = upright(0, 0, 0, 0.3, 0.4, 0.2);
    struct solid_manifold m, back;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        const double *at = places[i].at, *off = places[i].off;
        struct solid ball = upright(at[0], at[1], at[2], 0.25, 0.25, 0.25);
        ball.is_round = 1;
        double away = sqrt(off[0] * off[0] + off[1] * off[1] + off[2] * off[2]);
        double gap = (off[1] < 0 ? -away : away) - 0.25;
        ck_assert_double_eq_tol(solids_separation(&box, &ball), gap, 1e-15);
        solids_meet(&ball, &box, 1, NULL, &m);
        solids_meet(&box, &ball, 1, NULL, &back);
        ck_assert(m.count == 1 && back.count == 1);
        ck_assert_double_eq_tol(m.points[0].gap, gap, 1e-15);
        ck_assert_double_eq_tol(m.normal.y, fabs(off[1]) / away, 1e-15);
        ck_assert_double_eq(back.normal.y, -m.normal.y);
        ck_assert_double_eq_tol(m.points[0].at.y, at[1] - m.normal.y * (0.25 + gap / 2), 1e-15);
        solids_meet(&ball, &box, gap - 1e-12, NULL, &m);
        ck_assert_int_eq(m.count, 0);
        solids_meet_plane(&ball, (struct vec3){0, 1, 0}, 0, 1, &m);
        ck_assert_int_eq(m.count, 1);
        ck_assert_double_eq_tol(m.points[0].gap, at[1] - 0.25, 1e-15);
    }
}

TEST(a_corner_on_a_slope)
{
    struct quaternion q = quaternion_normalised((struct quaternion){0.8, 0.2, 0.4, -0.4});
    struct mat3 turn = quaternion_matrix(q);
    struct vec3 normal = {0.6, 0.8, 0};
    struct solid s;
    solids_place(&s, (struct vec3){0, 0, 0}, &turn, (struct vec3){0.2, 0.1, 0.15});
    double reach = solids_reach(&s, normal);
    struct solid_manifold m;
    solids_meet_plane(&s, normal, -reach + 0.01, 1e-6, &m);
    ck_assert_int_ge(m.count, 1);
    int deepest = 0;
    for (int i = 1; i < m.count; i++)
        deepest = m.points[i].gap < m.points[deepest].gap ? i : deepest;
    ck_assert_double_eq_tol(m.points[deepest].gap, -0.01, 1e-14);
    struct vec3 corner = solids_corner(&s, m.points[deepest].feature);
    ck_assert_double_eq_tol(vec3_dot(normal, corner), -reach, 1e-14);
    ck_assert(m.normal.x == normal.x && m.normal.y == normal.y);
}

/* No direction overlaps by less than the separation says, and one overlaps by just that. */
TEST(depth_is_the_least_of_all_directions)
{
    int overlapping = 0, found = 0;
    for (int i = 0; i < 3000; i++) {
        struct solid a, b;
        draw_pair(&rng, &a, &b);
        double depth = -solids_separation(&a, &b);
        double least = search_overlap(&a, &b, 100, 600, &rng);
        if (depth <= 0)
            continue;
        overlapping++;
        ck_assert_double_ge(least, depth - 1e-9);
        found += least < depth + 1e-3;
        struct solid_manifold m;
        solids_meet(&a, &b, 1e-3, NULL, &m);
        ck_assert_int_ge(m.count, 1);
        ck_assert_double_eq_tol(vec3_length(m.normal), 1, 1e-12);
        double along = overlap_along(&a, &b, m.normal);
        ck_assert_double_ge(along, depth - 1e-12);
        ck_assert_double_le(along, depth * 1.03 + 3e-5); /* what axes are preferred by */
        ck_assert_double_le(vec3_dot(m.normal, vec3_sub(b.centre, a.centre)), 1e-12);
    }
    ck_assert_int_gt(overlapping, 1000);
    ck_assert_int_gt(found, overlapping * 3 / 4);
}

/* The deepest point of a manifold is as deep as the boxes overlap along its normal. */
TEST(the_deepest_point_has_the_depth)
{
    for (int i = 0; i < 3000; i++) {
        struct solid a, b;
        struct solid_manifold m;
        draw_pair(&rng, &a, &b);
        solids_meet(&a, &b, 1e-3, NULL, &m);
        double least = HUGE_VAL;
        for (int k = 0; k < m.count; k++)
            least = fmin(least, m.points[k].gap);
        if (m.count > 0) /* the corner that goes deepest may lie beside the face */
            ck_assert_double_ge(least, -overlap_along(&a, &b, m.normal) - 1e-12);
        if (m.count == 1 && m.axis >= 6)
            ck_assert_double_eq_tol(least, -overlap_along(&a, &b, m.normal), 1e-12);
    }
}

TEST(exchanged_boxes_keep_their_points)
{
    int counts[SOLIDS_POINTS_MAX + 1] = {0};
    for (int i = 0; i < 5000; i++) {
        struct solid a, b;
        struct solid_manifold one, two;
        draw_pair(&rng, &a, &b);
        solids_meet(&a, &b, 0.02, NULL, &one);
        solids_meet(&b, &a, 0.02, NULL, &two);
        ck_assert_int_eq(one.count, two.count);
        ck_assert_int_eq(one.axis, two.axis);
        counts[one.count]++;
        if (one.count == 0)
            continue;
        ck_assert(one.normal.x == -two.normal.x && one.normal.y == -two.normal.y &&
                  one.normal.z == -two.normal.z);
        for (int k = 0; k < one.count; k++) {
            struct solid_point p = one.points[k], q = two.points[k];
            ck_assert(p.at.x == q.at.x && p.at.y == q.at.y && p.at.z == q.at.z && p.gap == q.gap &&
                      p.feature == q.feature);
        }
    }
    for (int i = 0; i < 6; i++)
        ck_assert_int_gt(counts[i], 50);
}

/* Shakes what lies on a box, by far less than it matters: axis and features stay. */
/* A bar across a thin box touches both of its edges, though it leans on one of them. */
TEST(a_bar_on_a_thin_box_touches_two_edges)
{
    struct quaternion q = quaternion_exp((struct vec3){0, 0.3, 0.002});
    struct mat3 turn = quaternion_matrix(quaternion_normalised(q));
    struct solid bar, box = upright(0, 0, 0, 0.01, 0.05, 0.3);
    struct solid_manifold m;
    struct mat3 tilted = {turn.x, vec3_scale(vec3_add(turn.y, turn.z), sqrt(0.5)),
                          vec3_scale(vec3_sub(turn.z, turn.y), sqrt(0.5))};
    solids_place(&bar, (struct vec3){0, 0.0502 + 0.02 * sqrt(2), 0}, &tilted,
                 (struct vec3){0.5, 0.02, 0.02});
    solids_meet(&bar, &box, 1e-3, NULL, &m);
    ck_assert_int_ge(m.axis, SOLIDS_FACES);
    ck_assert_int_eq(m.count, 2);
    ck_assert_double_lt(m.points[0].gap, m.points[1].gap);
    ck_assert_double_lt(m.points[0].at.x * m.points[1].at.x, -0.9e-4);
    ck_assert_int_ne(m.points[0].feature, m.points[1].feature);
    solids_meet(&bar, &box, m.points[1].gap, NULL, &m);
    ck_assert_int_eq(m.count, 1);
}

TEST(what_rests_does_not_flicker)
{
    for (int i = 0; i < 200; i++) {
        struct mat3 turn = quaternion_matrix(
            quaternion_about((struct vec3){0, 1, 0}, i * 6.283185307179586 / 200));
        struct solid low = upright(0, 0, 0, 0.5, 0.2, 0.5), high;
        struct solid_manifold held = {.axis = -1, .count = 0}, m;
        for (int k = 0; k < 50; k++) {
            struct vec3 at = {0.03 + rng_uniform(&rng, -1e-7, 1e-7),
                              0.4 + rng_uniform(&rng, -1e-7, 1e-7), rng_uniform(&rng, -1e-7, 1e-7)};
            struct quaternion little = quaternion_exp(vec3_scale(draw_direction(&rng), 1e-7));
            struct mat3 shaken = quaternion_matrix(little);
            shaken = mat3_product(&shaken, &turn);
            solids_place(&high, at, &shaken, (struct vec3){0.45, 0.2, 0.45});
            solids_meet(&high, &low, 1e-3, &held, &m);
            ck_assert_int_ge(m.count, 4);
            for (int j = 0; j < m.count && k > 0; j++) {
                int found = 0;
                for (int l = 0; l < held.count; l++)
                    found |= m.points[j].feature == held.points[l].feature;
                ck_assert_msg(found, "turn %d, shake %d", i, k);
            }
            held = m;
        }
    }
}

/* One box slides and turns over another in steps of 0.1 mm and 0.1 mrad: the points that stay move
 * as little, but where sides that are nearly parallel cross, and few come and go. */
TEST(points_move_continuously)
{
    int kept = 0, changed = 0, fast = 0;
    for (int i = 0; i < 20; i++) {
        struct solid low = upright(0, 0, 0, 0.5, 0.2, 0.5), high;
        struct vec3 at = {rng_uniform(&rng, -0.3, 0.3), 0.398, rng_uniform(&rng, -0.3, 0.3)};
        struct vec3 step = {rng_uniform(&rng, -1e-4, 1e-4), 0, rng_uniform(&rng, -1e-4, 1e-4)};
        struct quaternion turn = quaternion_about((struct vec3){0, 1, 0}, rng_uniform(&rng, 0, 6));
        struct quaternion spin = quaternion_exp(vec3_scale(draw_direction(&rng), 1e-6));
        spin = quaternion_product(quaternion_about((struct vec3){0, 1, 0}, 1e-4), spin);
        struct solid_manifold held = {.axis = -1, .count = 0}, m;
        for (int k = 0; k < 1000; k++, held = m) {
            at = vec3_add(at, step);
            turn = quaternion_normalised(quaternion_product(spin, turn));
            struct mat3 columns = quaternion_matrix(turn);
            solids_place(&high, at, &columns, (struct vec3){0.3, 0.2, 0.15});
            solids_meet(&high, &low, 1e-3, &held, &m);
            for (int j = 0; j < m.count && k > 0; j++) {
                int same = -1;
                for (int l = 0; l < held.count; l++)
                    if (held.points[l].feature == m.points[j].feature)
                        same = l;
                changed += same < 0;
                kept += same >= 0;
                if (same >= 0) {
                    struct vec3 moved = vec3_sub(m.points[j].at, held.points[same].at);
                    fast += vec3_length(moved) > 3e-3;
                }
            }
        }
    }
    ck_assert_int_gt(kept, 40000);
    ck_assert_int_lt(changed, kept / 200);
    ck_assert_int_lt(fast, kept / 1000);
}

SUITE("solids", 120, setup, NULL)

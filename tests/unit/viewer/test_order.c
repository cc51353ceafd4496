/* Painter's order: along any ray of sight the piece that is drawn last is the nearest one, also
 * where boxes touch or run into one another; cutting loses nothing. */
#include "viewer/draw/eye/order.h"

#include "common/math/rotation.h"
#include "tests/suite.h"

#define BOXES      14
#define PIECES_MAX 4000

static struct order_piece drawn[PIECES_MAX];
static int drawn_count;

static void note(void *context, const struct order_piece *piece)
{
    (void)context;
    ck_assert_int_lt(drawn_count, PIECES_MAX);
    drawn[drawn_count++] = *piece;
}

/* Numbers that are the same at each call, -1 .. 1. */
static double random_at(int i, int k)
{
    uint64_t h = ((uint64_t)i * 7919 + (uint64_t)k + 1) * UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ (h >> 29)) * UINT64_C(0xbf58476d1ce4e5b9);
    return (double)((h ^ (h >> 32)) >> 11) / 4503599627370496.0 - 1;
}

static void add_box(struct order *order, int owner, struct vec3 at, struct quaternion turn,
                    struct vec3 half)
{
    struct mat3 m = quaternion_matrix(turn);
    struct vec3 halves[3] = {vec3_scale(m.x, half.x), vec3_scale(m.y, half.y),
                             vec3_scale(m.z, half.z)};
    for (int axis = 0; axis < 3; axis++)
        for (int side = -1; side <= 1; side += 2) {
            struct vec3 u = vec3_scale(halves[(axis + 1) % 3], side), v = halves[(axis + 2) % 3];
            struct vec3 centre = vec3_along(at, halves[axis], side), corners[4];
            for (int i = 0; i < 4; i++)
                corners[i] = vec3_along(vec3_along(centre, u, i == 1 || i == 2 ? 1 : -1), v,
                                        i >= 2 ? 1 : -1);
            order_add_polygon(order, owner, corners, 4);
        }
}

/* Where a ray meets a polygon, as a share of the way; infinite: nowhere. */
static double meet(const struct order_piece *piece, struct vec3 from, struct vec3 way)
{
    double fall = vec3_dot(piece->normal, way);
    if (piece->count < 3 || !(fall < 0))
        return INFINITY;
    double t = vec3_dot(piece->normal, vec3_sub(piece->corners[0], from)) / fall;
    struct vec3 at = vec3_along(from, way, t);
    for (int i = 0; i < piece->count; i++) {
        struct vec3 a = piece->corners[i], b = piece->corners[(i + 1) % piece->count];
        struct vec3 out = vec3_cross(vec3_sub(b, a), piece->normal);
        if (vec3_dot(out, vec3_sub(at, a)) > -1e-7 * vec3_length(out))
            return INFINITY;
    }
    return t > 0 ? t : INFINITY;
}

static double area(const struct order_piece *piece)
{
    struct vec3 sum = {0, 0, 0};
    for (int i = 1; i + 1 < piece->count; i++)
        sum = vec3_add(sum, vec3_cross(vec3_sub(piece->corners[i], piece->corners[0]),
                                       vec3_sub(piece->corners[i + 1], piece->corners[0])));
    return vec3_length(sum) / 2;
}

/* Box `k` of all that there are. */
static void add_random_box(struct order *order, int owner, int k)
{
    struct vec3 at = {random_at(k, 0), random_at(k, 1), random_at(k, 2)};
    struct vec3 turn = {random_at(k, 3), random_at(k, 4), random_at(k, 5)};
    struct vec3 half = {0.1 + 0.3 * fabs(random_at(k, 6)), 0.1 + 0.3 * fabs(random_at(k, 7)),
                        0.1 + 0.3 * fabs(random_at(k, 8))};
    add_box(order, owner, at, quaternion_exp(turn), half);
}

/* Boxes at random, most of which overlap; is_stack: in a row, face to face. */
static struct order *make_order(int trial, struct order_eye eye, int is_stack)
{
    struct order *order = order_create(eye, 1e-6);
    ck_assert_ptr_nonnull(order);
    for (int i = 0; i < BOXES; i++)
        if (is_stack)
            add_box(order, i, (struct vec3){0.4 * (i % 4), 0.4 * (i / 4 % 4), 0}, QUATERNION_ONE,
                    (struct vec3){0.2, 0.2, 0.2 + 0.05 * (i % 3)});
        else
            add_random_box(order, i, 100 * trial + i);
    return order;
}

static void draw(struct order *order)
{
    drawn_count = 0;
    ck_assert_int_eq(order_walk(order, note, NULL), 0);
}

TEST_LOOP(the_nearest_is_drawn_last, 0, 12)
{
    int trial = _i, wrong = 0, met = 0;
    struct vec3 at = {4 * random_at(trial, 20), 3 * fabs(random_at(trial, 21)) + 1.5,
                      4 * random_at(trial, 22) + (trial % 2 ? 5 : -5)};
    struct order_eye eye = {at, trial % 3 == 0};
    struct order *order = make_order(trial, eye, trial % 4 == 3);
    draw(order);
    for (int r = 0; r < 3000; r++) {
        struct vec3 to = {1.4 * random_at(r, 30), 1.4 * random_at(r, 31), 1.4 * random_at(r, 32)};
        struct vec3 from = eye.is_parallel ? vec3_along(to, at, 10) : at;
        struct vec3 way = vec3_sub(to, from);
        double last = INFINITY, nearest = INFINITY;
        for (int i = 0; i < drawn_count; i++) {
            double t = meet(&drawn[i], from, way);
            if (isinf(t))
                continue;
            last = t;
            nearest = fmin(nearest, t);
        }
        met += !isinf(last);
        wrong += last > nearest + 1e-5;
    }
    ck_assert_int_gt(met, 300);
    ck_assert_int_eq(wrong, 0);
    order_destroy(order);
}

/* All pieces of a face together are as large as it was, and each side that a cut made is said to be
 * one. */
TEST(cutting_loses_nothing)
{
    struct order_eye eye = {{3, 2, 5}, 0};
    double before = 0, after = 0, seams = 0;
    for (int i = 0; i < BOXES; i++) {
        struct order *alone = order_create(eye, 1e-6);
        add_random_box(alone, i, i);
        draw(alone);
        ck_assert_int_ge(drawn_count, 1);
        ck_assert_int_le(drawn_count, 3);
        for (int p = 0; p < drawn_count; p++) {
            before += area(&drawn[p]);
            ck_assert_uint_eq(drawn[p].cuts, 0);
        }
        order_destroy(alone);
    }
    struct order *order = make_order(0, eye, 0);
    draw(order);
    for (int p = 0; p < drawn_count; p++) {
        after += area(&drawn[p]);
        for (int i = 0; i < drawn[p].count; i++)
            seams += drawn[p].cuts >> i & 1;
    }
    ck_assert_double_eq_tol(after, before, 1e-9 * before);
    ck_assert_double_gt(seams, 10);
    order_destroy(order);
}

/* A spot is drawn before a wall that hides it and after one that it stands before; among spots the
 * farther comes first, and of two equally near the one of lower rank. */
TEST(spots_are_where_they_are)
{
    struct order *order = order_create((struct order_eye){{0, 0, 5}, 0}, 1e-6);
    struct vec3 wall[4] = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}};
    static const int wanted[] = {1, 2, 0, 4, 3, 5};
    order_add_polygon(order, 0, wall, 4);
    order_add_spot(order, 2, (struct vec3){0, 0, -1}, -1, 0);
    order_add_spot(order, 1, (struct vec3){0.5, 0, -2}, -2, 0);
    order_add_spot(order, 5, (struct vec3){0, 0, 1}, 1, 0);
    order_add_spot(order, 3, (struct vec3){0, 0, 0}, 0, 9);
    order_add_spot(order, 4, (struct vec3){0, 0, 0}, 0, 8);
    draw(order);
    ck_assert_int_eq(drawn_count, 6);
    for (int i = 0; i < 6; i++)
        ck_assert_int_eq(drawn[i].owner, wanted[i]);
    order_destroy(order);
}

/* A wall from behind, a line and nothing at all are not drawn. */
TEST(what_looks_away_is_left_out)
{
    struct order *order = order_create((struct order_eye){{0, 0, -5}, 0}, 1e-6);
    struct vec3 wall[4] = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}};
    struct vec3 line[4] = {{-1, -1, 0}, {1, -1, 0}, {1, -1, 0}, {-1, -1, 0}};
    order_add_polygon(order, 0, wall, 4);
    order_add_polygon(order, 1, line, 4);
    draw(order);
    ck_assert_int_eq(drawn_count, 0);
    order_destroy(order);
    order_destroy(NULL);
}

SUITE("order", 0, NULL, NULL)

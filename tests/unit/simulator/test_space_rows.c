/* Rows of touches of the reference solver in space against differences: of two boxes with a point
 * on a face or edge on edge, and of joints at their limits. What moves without acceleration has D'
 * = rate and D'' = curvature. */
#include <check.h>

#include "common/math/rng.h"
#include "simulator/reference/space/space_system.h"
#include "tests/suite.h"

enum { ROUNDS = 300, KINDS = TOUCH_LIMIT + 1 };
#define DIFFERENCE_S 1e-5

static struct arena arena;
static struct rng rng;
static int seen[KINDS];

static void setup(void)
{
    rng_init(&rng, 1, RNG_LIGHT, 0, 0);
    ck_assert_int_eq(arena_init(&arena, 1 << 23), 0);
}

static void teardown(void)
{
    arena_deinit(&arena);
}

static struct vec3 random_vector(double most)
{
    double x = rng_uniform(&rng, -most, most), y = rng_uniform(&rng, -most, most);
    return (struct vec3){x, y, rng_uniform(&rng, -most, most)};
}

static struct body_link make_link(int parent, enum link_joint kind)
{
    struct body_link link = {.parent = parent,
                             .kind = kind,
                             .frame = QUATERNION_ONE,
                             .mass_kg = 1,
                             .inertia = {0.01, 0, 0, 0.02, 0, 0.03},
                             .cone_rad = HUGE_VAL};
    for (int k = 0; k < JOINT_RATES_MAX; k++) {
        link.lower[k] = -HUGE_VAL;
        link.upper[k] = HUGE_VAL;
    }
    return link;
}

static struct space_constraint *create(const struct body *body)
{
    struct space_world world = {.surfaces = {.has_ground = 0}};
    struct dynamics_settings settings = {.dt_s = 0.01, .rtol = 1e-8};
    arena_reset(&arena);
    struct space_state *state = space_constraint_create(body, &world, &settings, &arena);
    ck_assert_ptr_nonnull(state);
    return space_constraint_of(&state->dynamics);
}

/* Bodies as they move on their own for a time, without forces. */
static void put_at(struct space_constraint *c, const double *y, double time_s)
{
    for (int i = 0; i < STATE_SIZE * c->count; i++)
        c->rk.stage[i] = y[i];
    for (int i = 0; i < c->count; i++) {
        struct space_place p = space_system_place_at(y + STATE_SIZE * i);
        p.centre = vec3_along(p.centre, p.velocity, time_s);
        p.turn = quaternion_product(quaternion_exp(vec3_scale(p.spin, time_s)), p.turn);
        space_system_put(c->rk.stage + STATE_SIZE * i, &p);
    }
    space_system_place(c, c->rk.stage);
}

/* Gap and normal rate, and the rates across, of a touch at a time. */
static void measure(struct space_constraint *c, const double *y, const struct touch *touch,
                    double time_s, double *gap, double rates[3])
{
    struct touch t = *touch;
    put_at(c, y, time_s);
    space_touch_update(c, &t);
    *gap = t.rows[0].deviation;
    for (int k = 0; k < 3; k++)
        rates[k] = t.rows[k].rate;
}

static void check_touch(struct space_constraint *c, const struct touch *touch)
{
    double gaps[2], rates[2][3];
    /* across edges that roll over one another directions turn with the normal */
    int count = touch->kind == TOUCH_FACE ? 3 : 1;
    for (int i = 0; i < 2; i++)
        measure(c, c->y, touch, i ? DIFFERENCE_S : -DIFFERENCE_S, &gaps[i], rates[i]);
    ck_assert_double_eq_tol((gaps[1] - gaps[0]) / (2 * DIFFERENCE_S), touch->rows[0].rate, 1e-6);
    for (int k = 0; k < count; k++)
        ck_assert_msg(fabs((rates[1][k] - rates[0][k]) / (2 * DIFFERENCE_S) -
                           touch->rows[k].curvature) < 1e-5 * (1 + fabs(touch->rows[k].curvature)),
                      "kind %d, row %d: curvature %g, by differences %g", (int)touch->kind, k,
                      touch->rows[k].curvature, (rates[1][k] - rates[0][k]) / (2 * DIFFERENCE_S));
    seen[touch->kind]++;
}

/* Moves the first body along the normal until the touch has no gap. */
static void close_gap(struct space_constraint *c, const struct touch *t)
{
    struct space_place p = space_system_place_at(c->y);
    double sign = t->bodies[0] == 0 ? -1 : 1;
    p.centre = vec3_along(p.centre, t->directions[0], sign * t->rows[0].deviation);
    space_system_put(c->y, &p);
    space_system_place(c, c->y);
    space_touch_find(c, 1e-9);
}

START_TEST(boxes_that_touch)
{
    for (int round = 0; round < ROUNDS; round++) {
        struct body_link links[2] = {make_link(-1, LINK_FREE), make_link(-1, LINK_FREE)};
        struct body_box boxes[2] = {{.turn = QUATERNION_ONE, .size_m = {0.4, 0.3, 0.2}},
                                    {.link = 1, .turn = QUATERNION_ONE, .size_m = {0.3, 0.5, 0.2}}};
        struct body body = {.links = links, .link_count = 2, .boxes = boxes, .box_count = 2};
        struct space_constraint *c = create(&body);
        for (int i = 0; i < 2; i++) {
            struct space_place p = {random_vector(0.2), quaternion_exp(random_vector(2)),
                                    random_vector(2), random_vector(3)};
            space_system_put(c->y + STATE_SIZE * i, &p);
        }
        space_system_place(c, c->y);
        space_touch_find(c, 0.05);
        if (c->found_count == 0)
            continue;
        struct touch deepest = c->found[0];
        for (int i = 1; i < c->found_count; i++)
            if (c->found[i].rows[0].deviation < deepest.rows[0].deviation)
                deepest = c->found[i];
        close_gap(c, &deepest);
        for (int i = 0; i < c->found_count; i++)
            if (fabs(c->found[i].rows[0].deviation) < 1e-9)
                check_touch(c, &c->found[i]);
    }
    ck_assert_int_gt(seen[TOUCH_FACE], 20);
    ck_assert_int_gt(seen[TOUCH_EDGES], 20);
}
END_TEST

START_TEST(joints_at_limits)
{
    static const enum link_joint kinds[] = {LINK_SPHERICAL, LINK_REVOLUTE, LINK_LINEAR};
    for (int round = 0; round < ROUNDS; round++) {
        struct body_link links[2] = {make_link(-1, LINK_FREE), make_link(0, kinds[round % 3])};
        struct body body = {.links = links, .link_count = 2};
        double q[16] = {0}, qd[16];
        links[1].lower[0] = -0.5;
        links[1].upper[0] = 0.5;
        links[1].cone_rad = 0.5;
        links[1].joint = random_vector(0.2);
        links[1].frame = quaternion_exp(random_vector(2));
        struct space_constraint *c = create(&body);
        for (int i = 0; i < c->rates; i++)
            qd[i] = rng_uniform(&rng, -2, 2);
        struct quaternion turns[2] = {quaternion_exp(random_vector(2)),
                                      quaternion_exp(random_vector(0.6))};
        q[3] = turns[0].w;
        q[4] = turns[0].x;
        q[5] = turns[0].y;
        q[6] = turns[0].z;
        q[7] = rng_uniform(&rng, -1, 1);
        if (round % 3 == 0) {
            q[7] = turns[1].w;
            q[8] = turns[1].x;
            q[9] = turns[1].y;
            q[10] = turns[1].z;
        }
        dynamics_set_state(&c->base.dynamics, q, qd);
        space_touch_find(c, HUGE_VAL);
        ck_assert_int_gt(c->found_count, 0);
        for (int i = 0; i < c->found_count; i++) {
            struct touch t = c->found[i];
            check_touch(c, &t);
        }
    }
    ck_assert_int_gt(seen[TOUCH_LIMIT], ROUNDS);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("all");
    tcase_set_timeout(tests, 120);
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, boxes_that_touch);
    tcase_add_test(tests, joints_at_limits);
    return run_tests("space_rows", tests);
}

/* Forests: several bodies in one world. Far apart each moves, bit for bit, as alone; where they meet, momentum and
 * energy go from one to the other and nothing is lost but what impacts and friction take. */
#include "simulator/body/forest.h"
#include "tests/sphere_fixture.h"
#include "tests/unit/body_fixture.h"
#include "tests/suite.h"

enum { MOST = 4 };

static struct arena arena;
static struct rng rng;
static struct world world;
static struct dynamics_settings settings;
static struct body bodies[MOST];
static struct sphere_fixture spheres[MOST];
static struct dynamics *all[MOST];
static struct forest forest;
static struct error error;

static void setup(void)
{
    ck_assert_int_eq(arena_init(&arena, 32u << 20), 0);
    rng_init(&rng, 31, RNG_TEST, 0, 1);
    settings = stage_default_settings();
    world = (struct world){.gravity_m_s2 = BODY_GRAVITY,
                           .has_ground = 1,
                           .friction = 0.8,
                           .own_friction = 0.8,
                           .half_depth_m = 1};
}

static void teardown(void)
{
    arena_deinit(&arena);
    for (int i = 0; i < MOST; i++)
        if (spheres[i].arena.base)
            arena_deinit(&spheres[i].arena);
    memset(spheres, 0, sizeof spheres);
}

static void into_space(double elasticity)
{
    world = (struct world){.friction = 0.5,
                           .own_friction = 0.5,
                           .elasticity = elasticity,
                           .own_elasticity = elasticity};
}

static struct dynamics *create(const struct phenotype *phenotype)
{
    struct dynamics *dynamics = dynamics_create(phenotype, &world, &settings, &arena);
    ck_assert_ptr_nonnull(dynamics);
    return dynamics;
}

static void plant(int count)
{
    ck_assert_msg(forest_create(&forest, all, NULL, count, &arena, &error) == 0, "%s",
                  error.message);
}

/* A body of one box or several parts, with its root's origin at (x, y), moving. */
static void place(struct dynamics *dynamics, double x, double y, double vx, double vy, double turn)
{
    double q[BODY_DOF_MAX] = {x, y}, qd[BODY_DOF_MAX] = {vx, vy, turn};
    dynamics_set_state(dynamics, q, qd);
    dynamics_reset_ledger(dynamics);
}

static void place_box(int i, double width_m, double height_m, double x, double y, double vx)
{
    body_init_box(&bodies[i], width_m, height_m, width_m * height_m);
    all[i] = create(&bodies[i].phenotype);
    place(all[i], x, y, vx, 0, 0);
}

/* A random body with muscles, and a random state near x. */
static void draw_body(struct body *body, double *q, double *qd, double x, double y)
{
    body_init_mixed(body, 6, 0.3, &rng);
    struct phenotype *p = &body->phenotype;
    for (int i = 1; i < p->link_count; i++) {
        double range = body->links[i].joint_kind == LINK_LINEAR ? 0.2 : 1.5;
        body->links[i].lower = -range;
        body->links[i].upper = range;
        body->links[i].has_effector = 1;
        body->links[i].strength = rng_uniform(&rng, 0, 5);
    }
    for (int i = 0; i < 2 + p->link_count; i++) {
        q[i] = 0;
        qd[i] = rng_uniform(&rng, -1, 1);
    }
    q[0] = x;
    q[1] = y;
}

static void wave(struct dynamics *dynamics, int links, int step)
{
    for (int i = 1; i < links; i++)
        dynamics_set_target(dynamics, i, 0.8 * ((step / 40 + i) % 3 - 1), 0);
}

static uint64_t hash_of(const struct dynamics *dynamics, int parts)
{
    uint64_t hash = 1;
    for (int i = 0; i < parts; i++)
        hash = dynamics_hash_part(dynamics, i, hash);
    return hash;
}

/* ---------------------------------------------------------------- apart */

START_TEST(bodies_far_apart_move_as_alone)
{
    for (int round = 0; round < 20; round++) {
        struct dynamics *alone[3];
        arena_reset(&arena);
        for (int i = 0; i < 3; i++) {
            double q[BODY_DOF_MAX], qd[BODY_DOF_MAX];
            draw_body(&bodies[i], q, qd, 30 * i, 2.5);
            all[i] = create(&bodies[i].phenotype);
            alone[i] = create(&bodies[i].phenotype);
            dynamics_set_state(all[i], q, qd);
            dynamics_set_state(alone[i], q, qd);
        }
        plant(3);
        for (int step = 0; step < 480; step++) {
            for (int i = 0; i < 3; i++) {
                int links = bodies[i].phenotype.link_count;
                wave(all[i], links, step);
                wave(alone[i], links, step);
                ck_assert_int_eq(dynamics_step(alone[i]), 0);
            }
            ck_assert_int_eq(forest_step(&forest), 0);
            for (int i = 0; i < 3; i++)
                ck_assert_int_eq(forest_island_size(&forest, i), 1);
        }
        for (int i = 0; i < 3; i++) {
            int parts = bodies[i].phenotype.part_count;
            ck_assert_msg(hash_of(all[i], parts) == hash_of(alone[i], parts), "round %d, body %d",
                          round, i);
            ck_assert_double_eq(dynamics_ledger(all[i])->exchange_j, 0);
        }
    }
}
END_TEST

static void make_spider(int i, double x)
{
    fixture_make_spider(&spheres[i]);
    for (int k = 0; k < spheres[i].body.sphere_count; k++)
        spheres[i].spheres[k].centre.x += x;
    fixture_start(&spheres[i]);
    all[i] = spheres[i].dynamics;
}

static void wave_spider(struct dynamics *dynamics, const struct sphere_fixture *f, int step)
{
    for (int i = 0; i < f->body.drive_count; i++) {
        const struct sphere_drive *drive = &f->drives[i];
        double share = (step / 30 + i) % 2 ? 0.8 : 1.2;
        dynamics_set_target(dynamics, i, share * drive->rest, 0);
    }
}

START_TEST(spiders_far_apart_move_as_alone)
{
    make_spider(0, 0);
    make_spider(1, 20);
    struct dynamics *first = all[0], *second = all[1], *alone[2];
    make_spider(2, 0);
    make_spider(3, 20);
    alone[0] = all[2];
    alone[1] = all[3];
    all[0] = first;
    all[1] = second;
    plant(2);
    for (int step = 0; step < 960; step++) {
        for (int i = 0; i < 2; i++) {
            wave_spider(all[i], &spheres[i], step);
            wave_spider(alone[i], &spheres[i], step);
            dynamics_step(alone[i]);
        }
        ck_assert_int_eq(forest_step(&forest), 0);
    }
    for (int i = 0; i < 2; i++)
        ck_assert_uint_eq(hash_of(all[i], spheres[i].phenotype.part_count),
                          hash_of(alone[i], spheres[i].phenotype.part_count));
}
END_TEST

/* ---------------------------------------------------------------- impacts */

START_TEST(equal_boxes_exchange_velocities)
{
    into_space(1);
    place_box(0, 0.4, 0.4, 0, 1, 2);
    place_box(1, 0.4, 0.4, 1, 1, -1);
    plant(2);
    for (int step = 0; step < 240; step++)
        ck_assert_int_eq(forest_step(&forest), 0);
    ck_assert_double_eq_tol(dynamics_qd(all[0])[0], -1, 1e-8);
    ck_assert_double_eq_tol(dynamics_qd(all[1])[0], 2, 1e-8);
    ck_assert_double_eq_tol(dynamics_ledger(all[0])->exchange_j, 0.16 * (1 - 4) / 2, 1e-9);
    ck_assert_double_eq_tol(dynamics_ledger(all[1])->exchange_j, 0.16 * (4 - 1) / 2, 1e-9);
}
END_TEST

START_TEST(equal_balls_exchange_velocities)
{
    for (int i = 0; i < 2; i++) {
        fixture_init(&spheres[i]);
        fixture_add_ball(&spheres[i], 0.1, 1, i, 0, 0);
        into_space(1);
        world.own_friction = 0;
        spheres[i].world = world;
        spheres[i].spheres[0].elasticity = 1;
        fixture_start(&spheres[i]);
        all[i] = spheres[i].dynamics;
        struct sphere_state state = {.at_m = {i, 0, 0}, .velocity_m_s = {i ? -1 : 2, 0, 0}};
        place_sphere(all[i], 0, &state);
        dynamics_reset_ledger(all[i]);
    }
    plant(2);
    for (int step = 0; step < 240; step++)
        ck_assert_int_eq(forest_step(&forest), 0);
    ck_assert_double_eq_tol(dynamics_qd(all[0])[0], -1, 1e-12);
    ck_assert_double_eq_tol(dynamics_qd(all[1])[0], 2, 1e-12);
    ck_assert_double_eq_tol(dynamics_ledger(all[0])->exchange_j, (1.0 - 4) / 2, 1e-12);
}
END_TEST

/* ---------------------------------------------------------------- momentum */

/* Impulses of contacts between bodies in the last step, N s; each is seen from two sides. */
static double impulses_between(int count, int *points)
{
    double sum = 0;
    for (int i = 0; i < count; i++) {
        const struct contact_point *list;
        for (int k = dynamics_contacts(all[i], &list); k-- > 0;) {
            ck_assert_int_eq(list[k].creature, i);
            if (list[k].other_creature == i)
                continue;
            sum += (fabs(list[k].normal_impulse_n_s) + fabs(list[k].friction_impulse_n_s)) / 2;
            *points += 1;
        }
    }
    return sum;
}

static double size_of(struct vec3 v)
{
    return fabs(v.x) + fabs(v.y) + fabs(v.z);
}

/* Steps in empty space: how much momentum comes from nowhere, as a share of the impulses until then. */
static double momentum_from_nowhere(int count, int steps, int *points)
{
    struct vec3 linear, angular, p, l;
    double impulses = 0, worst = 0;
    forest_momentum(&forest, &linear, &angular);
    for (int step = 0; step < steps; step++) {
        ck_assert_int_eq(forest_step(&forest), 0);
        impulses += impulses_between(count, points);
        if (forest_island_size(&forest, 0) < count || impulses == 0)
            continue;
        forest_momentum(&forest, &p, &l);
        double off = size_of(vec3_sub(p, linear)) + size_of(vec3_sub(l, angular));
        double rounding = 1e-12 * (size_of(linear) + size_of(angular) + 1);
        worst = fmax(worst, (off - rounding) / impulses);
    }
    return worst;
}

START_TEST(bodies_that_meet_keep_momentum)
{
    double worst = 0, residual = 0, rigid_residual = 0, exchange = 0;
    int points = 0;
    for (int round = 0; round < 60; round++) {
        into_space(round % 3 ? 0 : 0.6);
        arena_reset(&arena);
        for (int i = 0; i < 2; i++) {
            double q[BODY_DOF_MAX], qd[BODY_DOF_MAX], bounds[4];
            draw_body(&bodies[i], q, qd, 0, 0);
            all[i] = create(&bodies[i].phenotype);
            dynamics_set_state(all[i], q, qd);
            read_bounds(all[i], bounds);
            q[0] += i ? 0.3 - bounds[0] : -0.3 - bounds[2];
            q[1] -= (bounds[1] + bounds[3]) / 2;
            qd[0] += i ? -2 : 2;
            dynamics_set_state(all[i], q, qd);
            dynamics_reset_ledger(all[i]);
        }
        plant(2);
        worst = fmax(worst, momentum_from_nowhere(2, 360, &points));
        double sum = 0;
        for (int i = 0; i < 2; i++) {
            const struct ledger *l = dynamics_ledger(all[i]);
            double turnover = l->energy_start_j + fabs(l->exchange_j) + 1e-3;
            double *most = bodies[i].phenotype.link_count > 1 ? &residual : &rigid_residual;
            *most = fmax(*most, fabs(l->residual_j) / turnover);
            sum += l->exchange_j;
        }
        exchange = fmax(exchange, fabs(sum));
    }
    printf(
        "forest: %d points of bodies on bodies: %.1e of the impulses from nowhere, residual %.1e, "
        "exchange off by %.1e J\n",
        points, worst, residual, exchange);
    fflush(stdout);
    ck_assert_int_gt(points, 500);
    ck_assert_double_lt(worst, 1e-9);
    ck_assert_double_lt(rigid_residual, 1e-4);
    ck_assert_double_lt(residual, 0.1);
    ck_assert_double_lt(exchange, 1e-9);
}
END_TEST

START_TEST(spheres_that_meet_keep_momentum)
{
    int points = 0;
    for (int i = 0; i < 2; i++) {
        fixture_make_spider(&spheres[i]);
        into_space(0.3);
        spheres[i].world = world;
        for (int k = 0; k < spheres[i].body.sphere_count; k++) {
            struct sphere *sphere = &spheres[i].spheres[k];
            sphere->centre.x += 1.6 * i;
            sphere->inertia_kg_m2 = 0.4 * sphere->mass_kg * sphere->radius_m * sphere->radius_m;
        }
        fixture_start(&spheres[i]);
        all[i] = spheres[i].dynamics;
        for (int k = 0; k < spheres[i].body.sphere_count; k++) {
            struct sphere_state state;
            read_sphere(all[i], k, &state);
            state.velocity_m_s = (struct vec3){i ? -1 : 1, 0.1 * i, 0.2 * i};
            place_sphere(all[i], k, &state);
        }
        dynamics_reset_ledger(all[i]);
    }
    plant(2);
    double worst = momentum_from_nowhere(2, 480, &points);
    double sum = dynamics_ledger(all[0])->exchange_j + dynamics_ledger(all[1])->exchange_j;
    printf("forest: %d points of spheres on spheres: %.1e of the impulses from nowhere, exchange "
           "off by "
           "%.1e J\n",
           points, worst, sum);
    ck_assert_int_gt(points, 20);
    ck_assert_double_lt(worst, 1e-9);
    ck_assert_double_eq_tol(sum, 0, 1e-12);
}
END_TEST

/* ---------------------------------------------------------------- rest */

START_TEST(boxes_pile_and_stay)
{
    for (int i = 0; i < MOST; i++)
        place_box(i, 0.4, 0.2, 0.02 * (i % 2), 0.12 + 0.25 * i, 0);
    plant(MOST);
    for (int step = 0; step < 3 * 240; step++)
        ck_assert_int_eq(forest_step(&forest), 0);
    for (int i = 0; i < MOST; i++) {
        const double *q = dynamics_q(all[i]), *qd = dynamics_qd(all[i]);
        ck_assert_double_eq_tol(q[1], 0.1 + 0.2 * i, 5e-3);
        ck_assert_double_eq_tol(q[0], 0.02 * (i % 2), 5e-3);
        ck_assert_double_eq_tol(qd[0], 0, 1e-3);
        ck_assert_double_eq_tol(qd[1], 0, 1e-3);
        ck_assert_int_eq(forest_island_size(&forest, i), MOST);
        ck_assert_double_lt(dynamics_penetration(all[i]), 4e-3);
    }
    /* the weight of those above, N s a step, from both sides */
    const struct contact_point *points;
    for (int i = 0; i < MOST; i++) {
        double up = 0, down = 0;
        for (int k = dynamics_contacts(all[i], &points); k-- > 0;) {
            ck_assert_int_eq(points[k].creature, i);
            if (points[k].normal.y > 0) {
                ck_assert_int_eq(points[k].other_creature, i - 1);
                ck_assert_int_eq(points[k].other, i ? 0 : CONTACT_GROUND);
                up += points[k].normal_impulse_n_s;
            } else {
                ck_assert_int_eq(points[k].other_creature, i + 1);
                down += points[k].normal_impulse_n_s;
            }
        }
        double weight = 0.08 * BODY_GRAVITY / 240;
        ck_assert_double_eq_tol(up, (MOST - i) * weight, 1e-3 * weight);
        ck_assert_double_eq_tol(down, (MOST - 1 - i) * weight, 1e-3 * weight);
    }
}
END_TEST

START_TEST(balls_pile_and_stay)
{
    static const double at[4][2] = {{0, 0}, {0.21, 0}, {0.105, 0.1785}, {0.42, 0}};
    for (int i = 0; i < 3; i++) {
        fixture_init(&spheres[i]);
        fixture_add_sphere(&spheres[i], 0.1, 1, at[i][0], 0.1 + at[i][1], 0);
        spheres[i].world = world;
        fixture_start(&spheres[i]);
        all[i] = spheres[i].dynamics;
    }
    plant(3);
    for (int step = 0; step < 240; step++)
        ck_assert_int_eq(forest_step(&forest), 0);
    ck_assert_double_gt(dynamics_q(all[2])[1], 0.25);
    const struct contact_point *points;
    int between = 0;
    for (int k = dynamics_contacts(all[2], &points); k-- > 0;)
        between += points[k].other_creature == 0 || points[k].other_creature == 1;
    ck_assert_int_eq(between, 2);
    ck_assert_int_eq(dynamics_sphere_touches(all[2], 0), 1);
}
END_TEST

START_TEST(overlapping_bodies_are_pushed_apart)
{
    into_space(0);
    place_box(0, 0.4, 0.4, 0, 0, 0);
    place_box(1, 0.4, 0.4, 0.38, 0.01, 0);
    plant(2);
    for (int step = 0; step < 240; step++)
        ck_assert_int_eq(forest_step(&forest), 0);
    ck_assert_double_gt(dynamics_q(all[1])[0] - dynamics_q(all[0])[0], 0.4 - 1.5e-3);
    ck_assert_double_lt(dynamics_ledger(all[0])->kinetic_j, 1e-3);
}
END_TEST

/* Numbers decide only in which order sums are made. */
START_TEST(numbers_make_no_difference)
{
    double x[2][2];
    for (int turned = 0; turned < 2; turned++) {
        arena_reset(&arena);
        place_box(turned, 0.4, 0.3, 0, 0.15, 2);
        place_box(!turned, 0.2, 0.3, 0.5, 0.15, -1);
        plant(2);
        for (int step = 0; step < 240; step++)
            ck_assert_int_eq(forest_step(&forest), 0);
        x[turned][0] = dynamics_q(all[turned])[0];
        x[turned][1] = dynamics_q(all[!turned])[0];
    }
    ck_assert_double_eq_tol(x[0][0], x[1][0], 1e-4);
    ck_assert_double_eq_tol(x[0][1], x[1][1], 1e-4);
}
END_TEST

START_TEST(bodies_of_two_kinds_cannot_meet)
{
    place_box(0, 0.4, 0.4, 0, 1, 0);
    make_spider(1, 5);
    ck_assert_int_eq(forest_create(&forest, all, NULL, 2, &arena, &error), ERR_UNAVAILABLE);
}
END_TEST

START_TEST(a_full_arena_is_an_error)
{
    int failures = 0;
    place_box(0, 0.4, 0.4, 0, 1, 0);
    place_box(1, 0.4, 0.4, 1, 1, 0);
    for (size_t size = 64; size < 1u << 18; size += size / 4) {
        struct arena small;
        ck_assert_int_eq(arena_init(&small, size), 0);
        failures += forest_create(&forest, all, NULL, 2, &small, &error) == ERR_MEMORY;
        arena_deinit(&small);
    }
    ck_assert_int_gt(failures, 5);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("forest");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, bodies_far_apart_move_as_alone);
    tcase_add_test(tests, spiders_far_apart_move_as_alone);
    tcase_add_test(tests, equal_boxes_exchange_velocities);
    tcase_add_test(tests, equal_balls_exchange_velocities);
    tcase_add_test(tests, bodies_that_meet_keep_momentum);
    tcase_add_test(tests, spheres_that_meet_keep_momentum);
    tcase_add_test(tests, boxes_pile_and_stay);
    tcase_add_test(tests, balls_pile_and_stay);
    tcase_add_test(tests, overlapping_bodies_are_pushed_apart);
    tcase_add_test(tests, numbers_make_no_difference);
    tcase_add_test(tests, bodies_of_two_kinds_cannot_meet);
    tcase_add_test(tests, a_full_arena_is_an_error);
    return run_tests("forest", tests);
}

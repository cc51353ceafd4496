/* Forests: several bodies in one world. Far apart each moves as alone (test_together.c); where they
 * meet, momentum and energy go from one to the other and nothing is lost but what impacts and
 * friction take. */
#include "simulator/body/forest.h"

#include "common/genome/body_kind.h"
#include "tests/random_genome.h"
#include "tests/sphere_fixture.h"
#include "tests/unit/body_fixture.h"
#include "tests/forest_step.h"
#include "tests/plain_fixture.h"

/* How many bodies took the last step together with this one, itself among them. */
static int forest_island_size(const struct forest *f, int place)
{
    int size = 0;
    for (int i = 0; i < f->count; i++)
        size += f->island[i] == f->island[place];
    return size;
}

/* How many may come near one another in this tick, this one among them. */
static int crowd_size(const struct forest *f, int place)
{
    int size = 0;
    for (int i = 0; i < f->count; i++)
        size += f->crowd[i] == f->crowd[place];
    return size;
}

enum { MOST = 4, CROWD = 200, CROWD_ROW = 20 };
/* Two that meet at 1 m/s, and whose limbs move as fast, are not farther within one another. */
#define PENETRATION_M 0.01

static struct genome genomes[MOST];
static struct phenotype phenotypes[MOST];
static struct world world;
static struct dynamics_settings settings;
static struct test_body bodies[MOST];
static struct sphere_fixture spheres[MOST];
static struct dynamics *all[MOST];
static struct forest forest;

static void setup(void)
{
    arena_open(128u << 20);
    params_set_defaults(&params);
    for (int i = 0; i < MOST; i++)
        genome_init(&genomes[i]);
    settings = stage_default_settings();
    settings.joint_speed_rad_s = params.creature_joint_speed_rad_s;
    settings.joint_speed_m_s = params.creature_joint_speed_m_s;
    world = (struct world){.gravity_m_s2 = BODY_GRAVITY,
                           .has_ground = 1,
                           .friction = 0.8,
                           .own_friction = 0.8,
                           .half_depth_m = 1};
}

static void teardown(void)
{
    for (int i = 0; i < MOST; i++) {
        genome_deinit(&genomes[i]);
        if (spheres[i].arena.base)
            arena_deinit(&spheres[i].arena);
    }
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
    ck_ok(forest_create(&forest, all, NULL, count, &arena, &error));
}

static void steps(int count)
{
    for (; count > 0; count--)
        ck_assert_int_eq(forest_step(&forest), 0);
}

static int go_on(void *context, int place)
{
    int *counts = context;
    counts[place]++;
    return 0;
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

/* A random creature of a kind, the first from `id` on that grows. */
static const struct phenotype *draw(int i, int kind, uint64_t id)
{
    params.creature_body = kind;
    do {
        genome_deinit(&genomes[i]);
        random_genome(&genomes[i], &params, RNG_RANDOM_GENOME, 31, id++);
    } while (phenotype_express(&phenotypes[i], &genomes[i], &params, &arena) != VERDICT_OK);
    return &phenotypes[i];
}

/* Its muscles pull to and fro. */
static void wave(struct dynamics *dynamics, const struct phenotype *p, int step)
{
    for (int i = p->first_drive; i < p->drive_count; i++) {
        const struct drive *drive = &p->drives[i];
        double signal = (step / 40 + i) % 2 ? drive->most : drive->least;
        dynamics_set_target(dynamics, i, drive->rest + 0.25 * drive->unit * signal, 0);
    }
}

/* Makes a body go along x: the rates that move mass along x get that speed, until all of it
 * does. */
static void set_out(struct dynamics *dynamics, double mass_kg, double vx)
{
    double qd[256] = {0};
    struct vec3 linear = {0, 0, 0}, angular;
    ck_assert_int_le(dynamics->dof, 256);
    for (int i = 0; i < dynamics->dof && fabs(linear.x) < 0.999 * mass_kg * fabs(vx); i++) {
        double before = linear.x;
        qd[i] = vx;
        dynamics_set_state(dynamics, dynamics->q, qd);
        dynamics_momentum(dynamics, &linear, &angular);
        if (linear.x == before)
            qd[i] = 0;
    }
    dynamics_set_state(dynamics, dynamics->q, qd);
    dynamics_momentum(dynamics, &linear, &angular);
    ck_assert_double_eq_tol(linear.x, mass_kg * vx, 1e-6 * mass_kg);
    dynamics_reset_ledger(dynamics);
}

static uint64_t hash_of(const struct dynamics *dynamics, int parts)
{
    uint64_t hash = 1;
    for (int i = 0; i < parts; i++)
        hash = dynamics_hash_part(dynamics, i, hash);
    return hash;
}

/* ---------------------------------------------------------------- ticks */

enum { TICK_STEPS = 4 };

/* By place: numbers of parts, whether it may rest, and room for the steps that each took. */
static struct forest_tick four_steps(const int *parts, const int *may_rest, int *counts)
{
    return (struct forest_tick){.steps = TICK_STEPS,
                                .dt_s = settings.dt_s,
                                .part_counts = parts,
                                .may_rest = may_rest,
                                .after = go_on,
                                .context = counts};
}

/* Four that go towards one another, twice: step by step, and by ticks, in which one that is alone
 * does not wait for the others. */
TEST_LOOP(ticks_are_steps, 0, body_kind_count)
{
    static const int never[MOST];
    for (uint64_t round = 0; round < 3; round++) {
        struct dynamics *others[MOST];
        struct forest ticked;
        int parts[MOST], counts[MOST] = {0}, met = 0, alone = 0;
        arena_reset(&arena);
        for (int i = 0; i < MOST; i++) {
            const struct phenotype *p = draw(i, _i, 1 + MOST * round + (uint64_t)i);
            struct vec3 at = {1.5 * i, 2, 0};
            parts[i] = p->part_count;
            all[i] = create(p);
            others[i] = create(p);
            for (int k = 0; k < 2; k++) {
                struct dynamics *d = k ? others[i] : all[i];
                dynamics_shift(d, at);
                set_out(d, p->mass_kg, i % 2 ? -1 : 1);
            }
        }
        plant(MOST);
        ck_assert_int_eq(forest_create(&ticked, others, NULL, MOST, &arena, &error), 0);
        struct forest_tick tick = four_steps(parts, never, counts);
        for (int step = 0; step < 240; step += TICK_STEPS) {
            for (int i = 0; i < MOST; i++) {
                wave(all[i], &phenotypes[i], step);
                wave(others[i], &phenotypes[i], step);
            }
            for (int k = 0; k < TICK_STEPS; k++)
                forest_step(&forest);
            forest_tick(&ticked, &tick);
            for (int i = 0; i < MOST; i++) {
                met += forest_island_size(&forest, i) > 1;
                alone += crowd_size(&ticked, i) == 1;
            }
        }
        ck_assert_int_gt(met, 0);
        ck_assert_int_gt(alone, 0);
        for (int i = 0; i < MOST; i++) {
            ck_assert(forest.is_gone[i] || counts[i] == 240);
            ck_assert_uint_eq(hash_of(all[i], parts[i]), hash_of(others[i], parts[i]));
        }
        forest_check(&ticked);
    }
}

/* The same of a crowd: boxes on a grid go in all directions in empty space. */
TEST(crowds_tick_as_they_step)
{
    static struct dynamics *stepped[CROWD], *ticked[CROWD];
    static int parts[CROWD], counts[CROWD];
    static const int never[CROWD];
    struct forest by_step, by_tick;
    int alone = 0;
    struct rng rng = test_rng(5, 0, 1);
    into_space(0.3);
    body_init_box(&bodies[0], 0.3, 0.3, 1);
    for (int i = 0; i < CROWD; i++) {
        double x = i % CROWD_ROW, y = (double)(i / CROWD_ROW), turn = rng_uniform(&rng, -3, 3);
        double vx = rng_uniform(&rng, -2, 2), vy = rng_uniform(&rng, -2, 2);
        parts[i] = 1;
        place(stepped[i] = create(&bodies[0].phenotype), x, y, vx, vy, turn);
        place(ticked[i] = create(&bodies[0].phenotype), x, y, vx, vy, turn);
    }
    ck_assert_int_eq(forest_create(&by_step, stepped, NULL, CROWD, &arena, &error), 0);
    ck_assert_int_eq(forest_create(&by_tick, ticked, NULL, CROWD, &arena, &error), 0);
    struct forest_tick tick = four_steps(parts, never, counts);
    for (int step = 0; step < 120; step += TICK_STEPS) {
        for (int k = 0; k < TICK_STEPS; k++)
            ck_assert_int_eq(forest_step(&by_step), 0);
        forest_tick(&by_tick, &tick);
        for (int i = 0; i < CROWD; i++)
            alone += crowd_size(&by_tick, i) == 1;
    }
    int met = 0;
    for (int i = 0; i < CROWD; i++) {
        met += dynamics_ledger(stepped[i])->exchange_j != 0;
        ck_assert_uint_eq(hash_of(stepped[i], 1), hash_of(ticked[i], 1));
    }
    ck_assert_int_gt(met, CROWD / 4);
    ck_assert_int_gt(alone, CROWD);
}

/* In one tick a quick box hits one that rests, which is long and then hits a third that rests 14 cm
 * away: as in ticks of one step. */
TEST(who_is_hit_comes_near_others)
{
    static const int parts[3] = {1, 1, 1}, never[3];
    struct dynamics *ticked[3];
    struct forest by_tick;
    int counts[3] = {0};
    into_space(1);
    for (int k = 0; k < 2; k++) {
        place_box(0, 0.3, 2, 0, 0, 12);
        place_box(1, 2, 0.2, 1.16, 0, 0);
        place_box(2, 0.2, 0.2, 2.4, 0, 0);
        for (int i = 0; i < 3 && k == 0; i++)
            ticked[i] = all[i];
    }
    plant(3);
    ck_assert_int_eq(forest_create(&by_tick, ticked, NULL, 3, &arena, &error), 0);
    struct forest_tick tick = four_steps(parts, never, counts);
    forest_tick(&by_tick, &tick);
    steps(TICK_STEPS);
    ck_assert(all[2]->qd[0] > 1);
    for (int i = 0; i < 3; i++)
        ck_assert_uint_eq(hash_of(all[i], 1), hash_of(ticked[i], 1));
}

/* A body that may rest does so until another comes: a box that lies still is not moved, and gives
 * way to one that slides. */
TEST(what_rests_wakes)
{
    static const int may_rest[2] = {1, 0};
    int parts[2] = {1, 1}, counts[2] = {0};
    world.friction = 0;
    world.own_friction = 0;
    place_box(0, 0.4, 0.4, 0, 0.2, 0);
    place_box(1, 0.4, 0.4, -1, 0.2, 1);
    plant(2);
    uint64_t before = hash_of(all[0], 1);
    struct forest_tick tick = four_steps(parts, may_rest, counts);
    for (int i = 0; i < 20; i++)
        forest_tick(&forest, &tick);
    ck_assert_uint_eq(hash_of(all[0], 1), before);
    ck_assert_int_eq(counts[0], 0);
    for (int i = 0; i < 60; i++)
        forest_tick(&forest, &tick);
    ck_assert_int_gt(counts[0], 0);
    ck_assert(all[0]->qd[0] > 0.4);
}

/* ---------------------------------------------------------------- impacts */

TEST(equal_boxes_exchange_velocities)
{
    into_space(1);
    place_box(0, 0.4, 0.4, 0, 1, 2);
    place_box(1, 0.4, 0.4, 1, 1, -1);
    plant(2);
    steps(240);
    ck_assert_double_eq_tol(all[0]->qd[0], -1, 1e-8);
    ck_assert_double_eq_tol(all[1]->qd[0], 2, 1e-8);
    ck_assert_double_eq_tol(dynamics_ledger(all[0])->exchange_j, 0.16 * (1 - 4) / 2, 1e-9);
    ck_assert_double_eq_tol(dynamics_ledger(all[1])->exchange_j, 0.16 * (4 - 1) / 2, 1e-9);
}

/* One at v goes after one at u, with a gap of D between them: it touches it at D / (v - u), to the
 * step. */
TEST(a_pursuer_touches_in_its_time)
{
    const double v = 2, u = 0.5, gap = 0.6;
    int count = 0, met = 0;
    into_space(0);
    place_box(0, 0.4, 0.4, 0, 1, v);
    place_box(1, 0.4, 0.4, 0.4 + gap, 1, u);
    plant(2);
    for (; count < 240 && !met; count++) {
        steps(1);
        met = all[0]->qd[0] != v;
        ck_assert(met == (all[1]->qd[0] != u));
    }
    ck_assert_double_eq_tol(count * settings.dt_s, gap / (v - u), settings.dt_s);
}

TEST(equal_balls_exchange_velocities)
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
    steps(240);
    ck_assert_double_eq_tol(all[0]->qd[0], -1, 1e-12);
    ck_assert_double_eq_tol(all[1]->qd[0], 2, 1e-12);
    ck_assert_double_eq_tol(dynamics_ledger(all[0])->exchange_j, (1.0 - 4) / 2, 1e-12);
}

/* ---------------------------------------------------------------- momentum */

/* Sums over the steps of bodies that meet. */
struct outcome {
    int points;            /* of contact between them */
    double impulses;       /* N s */
    double from_nowhere;   /* momentum, as a share of the impulses */
    double penetration_m;  /* of one by the other, deepest */
    double exchange_off_j; /* of what they gave one another, the sum */
    double residual;       /* of the ledgers, as a share of what they turned over */
};

/* Points of contact between bodies in the last step; each is seen from two sides. Returns their
 * impulses, N s. */
static double look_between(int count, struct outcome *sum)
{
    double impulses = 0;
    for (int i = 0; i < count; i++) {
        const struct contact_point *list;
        for (int k = dynamics_contacts(all[i], &list); k-- > 0;) {
            ck_assert_int_eq(list[k].creature, i);
            if (list[k].other_creature == i)
                continue;
            impulses += (fabs(list[k].normal_impulse_n_s) + fabs(list[k].friction_impulse_n_s)) / 2;
            sum->penetration_m = fmax(sum->penetration_m, -list[k].gap_m);
            sum->points++;
        }
    }
    return impulses;
}

static double size_of(struct vec3 v)
{
    return fabs(v.x) + fabs(v.y) + fabs(v.z);
}

/* Steps in empty space; momentum is kept from the step before they touch. */
static void meet(int count, int step_count, struct outcome *sum)
{
    struct vec3 linear = {0}, angular = {0}, p, l;
    double impulses = 0, exchange = 0;
    for (int step = 0; step < step_count; step++) {
        for (int i = 0; i < count; i++)
            wave(all[i], &phenotypes[i], step);
        ck_assert_int_eq(forest_step(&forest), 0);
        forest_check(&forest);
        impulses += look_between(count, sum);
        if (impulses == 0)
            forest_momentum(&forest, &linear, &angular);
        if (forest_island_size(&forest, 0) < count || impulses == 0)
            continue;
        forest_momentum(&forest, &p, &l);
        double off = size_of(vec3_sub(p, linear)) + size_of(vec3_sub(l, angular));
        double rounding = 1e-12 * (size_of(linear) + size_of(angular) + 1);
        sum->from_nowhere = fmax(sum->from_nowhere, (off - rounding) / impulses);
    }
    for (int i = 0; i < count; i++) {
        const struct ledger *ledger = dynamics_ledger(all[i]);
        ledger_check(ledger);
        double turnover =
            ledger->energy_start_j + ledger->work_effector_positive_j + fabs(ledger->exchange_j);
        sum->residual = fmax(sum->residual, fabs(ledger->residual_j) / turnover);
        exchange += ledger->exchange_j;
    }
    sum->impulses += impulses;
    sum->exchange_off_j = fmax(sum->exchange_off_j, fabs(exchange));
}

/* Two of a kind walk into one another in empty space; at last rectangles that stretch. */
TEST_LOOP(creatures_that_meet_keep_momentum, 0, body_kind_count + 1)
{
    struct outcome sum = {.points = 0};
    int is_stretching = _i == body_kind_count, kind = is_stretching ? BODY_RECTANGLES : _i;
    params.creature_stretch_max = is_stretching ? 0.5 : 0;
    params.initial_stretching = 1;
    for (int round = 0; round < 6; round++) {
        into_space(round % 3 ? 0 : 0.6);
        arena_reset(&arena);
        for (int i = 0; i < 2; i++) {
            struct vec3 low, high;
            const struct phenotype *p = draw(i, kind, 100 + 10 * (uint64_t)round + 5 * (uint64_t)i);
            all[i] = create(p);
            dynamics_bounds(all[i], &low, &high);
            dynamics_shift(all[i], (struct vec3){i ? 0.1 - low.x : -0.1 - high.x,
                                                 -(low.y + high.y) / 2, -(low.z + high.z) / 2});
            set_out(all[i], p->mass_kg, i ? -0.5 : 0.5);
        }
        plant(2);
        meet(2, 360, &sum);
    }
    ck_assert_int_gt(sum.points, 100);
    ck_assert_double_lt(sum.from_nowhere, 1e-9);
    ck_assert_double_lt(sum.penetration_m, PENETRATION_M);
    ck_assert_double_lt(sum.residual, 0.1);
    ck_assert_double_lt(sum.exchange_off_j, 1e-9);
}

/* ---------------------------------------------------------------- rest */

TEST(boxes_pile_and_stay)
{
    for (int i = 0; i < MOST; i++)
        place_box(i, 0.4, 0.2, 0.02 * (i % 2), 0.12 + 0.25 * i, 0);
    plant(MOST);
    steps(3 * 240);
    for (int i = 0; i < MOST; i++) {
        const double *q = all[i]->q, *qd = all[i]->qd;
        ck_assert_double_eq_tol(q[1], 0.1 + 0.2 * i, 5e-3);
        ck_assert_double_eq_tol(q[0], 0.02 * (i % 2), 5e-3);
        ck_assert_double_eq_tol(qd[0], 0, 1e-3);
        ck_assert_double_eq_tol(qd[1], 0, 1e-3);
        ck_assert_int_eq(forest_island_size(&forest, i), MOST);
        ck_assert_double_lt(all[i]->touches.penetration_m, 4e-3);
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

TEST(balls_pile_and_stay)
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
    steps(240);
    ck_assert_double_gt(all[2]->q[1], 0.25);
    const struct contact_point *points;
    int between = 0;
    for (int k = dynamics_contacts(all[2], &points); k-- > 0;)
        between += points[k].other_creature == 0 || points[k].other_creature == 1;
    ck_assert_int_eq(between, 2);
    ck_assert_int_eq(dynamics_sphere_touches(all[2], 0), 1);
}

TEST(overlapping_bodies_are_pushed_apart)
{
    into_space(0);
    place_box(0, 0.4, 0.4, 0, 0, 0);
    place_box(1, 0.4, 0.4, 0.38, 0.01, 0);
    plant(2);
    steps(240);
    ck_assert_double_gt(all[1]->q[0] - all[0]->q[0], 0.4 - 1.5e-3);
    ck_assert_double_lt(dynamics_ledger(all[0])->kinetic_j, 1e-3);
}

/* Numbers decide only in which order sums are made. */
TEST(numbers_make_no_difference)
{
    double x[2][2];
    for (int turned = 0; turned < 2; turned++) {
        arena_reset(&arena);
        place_box(turned, 0.4, 0.3, 0, 0.15, 2);
        place_box(!turned, 0.2, 0.3, 0.5, 0.15, -1);
        plant(2);
        steps(240);
        x[turned][0] = all[turned]->q[0];
        x[turned][1] = (all[!turned])->q[0];
    }
    ck_assert_double_eq_tol(x[0][0], x[1][0], 1e-4);
    ck_assert_double_eq_tol(x[0][1], x[1][1], 1e-4);
}

/* Creatures of a preserve meet anew, in cleared memory, whenever one is born or dies. */
TEST(points_of_contact_outlive_a_meeting)
{
    SCOPED(arena) meeting;
    ck_assert_int_eq(arena_init(&meeting, 1 << 22), 0);
    into_space(0);
    place_box(0, 0.4, 0.4, 0, 1, 1);
    place_box(1, 0.4, 0.4, 0.41, 1, -1);
    ck_assert_int_eq(forest_create(&forest, all, NULL, 2, &meeting, &error), 0);
    steps(24);
    memset(meeting.base, 0xff, meeting.size_bytes);
    for (int i = 0; i < 2; i++) {
        const struct contact_point *points;
        int count = dynamics_contacts(all[i], &points);
        ck_assert_int_gt(count, 0);
        for (int k = 0; k < count; k++)
            ck_assert(points[k].part == 0 && points[k].other_creature == 1 - i);
    }
}

TEST(bodies_of_two_kinds_cannot_meet)
{
    place_box(0, 0.4, 0.4, 0, 1, 0);
    fixture_make_spider(&spheres[1]);
    fixture_start(&spheres[1]);
    all[1] = spheres[1].dynamics;
    ck_assert_int_eq(forest_create(&forest, all, NULL, 2, &arena, &error), ERR_UNAVAILABLE);
}

TEST(a_full_arena_is_an_error)
{
    int failures = 0;
    place_box(0, 0.4, 0.4, 0, 1, 0);
    place_box(1, 0.4, 0.4, 1, 1, 0);
    for (size_t size = 64; size < 1u << 18; size += size / 4) {
        SCOPED(arena) small;
        ck_assert_int_eq(arena_init(&small, size), 0);
        failures += forest_create(&forest, all, NULL, 2, &small, &error) == ERR_MEMORY;
    }
    ck_assert_int_gt(failures, 5);
}

SUITE("forest", 120, setup, teardown)

/* Scent: sums that are exact, spreading and fading against their closed forms, and worlds that are
 * mirrored or turned. */
#include "simulator/world/scent.h"
#include "tests/plain_fixture.h"

static struct scent scent;

static void make(double x_m, double y_m, double z_m, double cell_m, int64_t fade_ticks)
{
    arena_reset(&arena);
    scent = (struct scent){.cell_m = cell_m, .fade_ticks = fade_ticks, .half = 1000};
    ck_assert_int_eq(scent_create(&scent, (struct vec3){x_m, y_m, z_m}, &arena), 0);
}

static void set_up(void)
{
    arena_open(8 << 20);
}

static int64_t *cell(int channel, int x, int y, int z)
{
    return &scent.amounts[channel][x + scent.cells[0] * (y + scent.cells[1] * z)];
}

/* Of the first channel, in cells squared. */
static double variance_along(int axis)
{
    double sum = 0, first = 0, second = 0;
    for (int z = 0; z < scent.cells[2]; z++)
        for (int y = 0; y < scent.cells[1]; y++)
            for (int x = 0; x < scent.cells[0]; x++) {
                double amount = (double)*cell(0, x, y, z), at = (int[]){x, y, z}[axis];
                sum += amount;
                first += amount * at;
                second += amount * at * at;
            }
    return second / sum - first / sum * (first / sum);
}

/* By 1/4 cell^2 a tick along each axis, in the plane and in space. */
TEST(the_variance_of_a_puff_grows_by_a_quarter)
{
    make(25, 20, 0, 0.25, 0);
    ck_assert(scent.cells[0] == 100 && scent.cells[1] == 80 && scent.cells[2] == 1);
    scent_emit(&scent, 0, (struct vec3){0.1, 0.1, 0}, INT64_C(1) << 50);
    for (int tick = 0; tick < 200; tick++)
        scent_tick(&scent);
    ck_assert_double_eq_tol(variance_along(0), 50, 1e-3);
    ck_assert_double_eq_tol(variance_along(1), 50, 1e-3);

    make(10, 9, 8, 0.25, 0);
    scent_emit(&scent, 0, (struct vec3){0.1, 0.1, 0.1}, INT64_C(1) << 50);
    for (int tick = 0; tick < 40; tick++)
        scent_tick(&scent);
    for (int axis = 0; axis < 3; axis++)
        ck_assert_double_eq_tol(variance_along(axis), 10, 1e-3);
}

/* Nothing is lost or made, nothing is negative; scent that is not renewed ends. */
TEST(what_was_emitted_is_there_or_has_decayed)
{
    struct rng rng = test_rng(1, 0, 0);
    make(3, 2, 2, 0.25, 30);
    for (int tick = 0; tick < 600; tick++) {
        for (int i = 0; i < 4 && tick < 100; i++)
            scent_emit(&scent, (int)rng_below(&rng, 2),
                       (struct vec3){rng_uniform(&rng, -2, 2), rng_uniform(&rng, -2, 2),
                                     rng_uniform(&rng, -2, 2)},
                       rng_below(&rng, 1000000));
        scent_tick(&scent);
        for (int channel = 0; channel < SCENT_CHANNELS; channel++)
            ck_assert_int_eq(scent_total(&scent, channel) + scent.decayed[channel],
                             scent.emitted[channel]);
        for (int i = 0; i < scent.cell_count; i++)
            ck_assert(scent.amounts[0][i] >= 0 && scent.amounts[1][i] >= 0);
    }
    ck_assert_int_gt(scent.emitted[1], 50000000);
    ck_assert_int_eq(scent_total(&scent, 0) + scent_total(&scent, 1), 0);
}

/* a (1 - 1/n)^t, rounded up by less than one a tick. */
TEST(scent_fades_exponentially)
{
    double expected = 1e9;
    make(0, 0, 0, 0.25, 60);
    ck_assert_int_eq(scent.cell_count, 1);
    scent_emit(&scent, 0, (struct vec3){5, 5, 5}, 1000000000);
    for (int tick = 0; tick < 120; tick++, expected *= 1 - 1.0 / 60)
        scent_tick(&scent);
    ck_assert_double_eq_tol((double)scent_total(&scent, 0), expected, 60);
    ck_assert_double_lt((double)scent_total(&scent, 0), expected);
}

/* Emits at places of a seed, which a change of axes and signs moves, ticks, and smells at one. */
static struct smell run_moved(struct vec3 (*moved)(struct vec3), int is_backward)
{
    enum { EMITTERS = 5 };
    struct vec3 places[EMITTERS];
    struct rng rng = test_rng(2, 0, 0);
    make(4, 4, 0, 0.25, 100);
    for (int i = 0; i < EMITTERS; i++)
        places[i] = (struct vec3){rng_uniform(&rng, -2, 2), rng_uniform(&rng, -2, 2), 0};
    for (int tick = 0; tick < 50; tick++) {
        for (int i = 0; i < EMITTERS; i++) {
            int k = is_backward ? EMITTERS - 1 - i : i;
            scent_emit(&scent, 0, moved(places[k]), 12345 * (k + 1));
        }
        scent_tick(&scent);
    }
    return scent_smell(&scent, 0, moved((struct vec3){0.31, -0.77, 0}));
}

static struct vec3 as_is(struct vec3 at)
{
    return at;
}

static struct vec3 mirrored(struct vec3 at)
{
    return (struct vec3){-at.x, at.y, at.z};
}

static struct vec3 turned(struct vec3 at)
{
    return (struct vec3){-at.y, at.x, at.z};
}

/* To the bit: mirrored, turned by a quarter, and with emitters in another order. */
TEST(mirrored_and_turned_worlds_smell_alike)
{
    struct smell (*run)(struct vec3(*)(struct vec3), int) = run_moved;
    struct smell a = run(as_is, 0), b = run(mirrored, 0), c = run(turned, 0), d = run(as_is, 1);
    ck_assert(a.uphill.x != 0 && a.uphill.y != 0 && a.level > 0 && a.level < 1);
    ck_assert(b.uphill.x == -a.uphill.x && b.uphill.y == a.uphill.y && b.level == a.level);
    ck_assert_xy(c.uphill, -a.uphill.y, a.uphill.x, 1e-9);
    ck_assert_double_eq_tol(c.level, a.level, 1e-14);
    ck_assert(d.uphill.x == a.uphill.x && d.uphill.y == a.uphill.y && d.level == a.level);
}

/* Cells hold 100 x + 10 y + z of their middles, in cells. */
TEST(a_nose_finds_the_way_uphill)
{
    make(2, 2, 2, 0.5, 0);
    scent.middle_m = (struct vec3){1, 2, 3};
    for (int i = 0; i < scent.cell_count; i++)
        scent.amounts[1][i] = 100 * (i % 4) + 10 * (i / 4 % 4) + i / 16;
    struct smell smell = scent_smell(&scent, 1, (struct vec3){1.1, 2.1, 2.9});
    ck_assert_xyz(smell.uphill, 100, 10, 1, 1e-9);
    double amount = 100 * 1.7 + 10 * 1.7 + 1.3;
    ck_assert_double_eq_tol(smell.level, amount / (amount + 1000), 1e-12);
    ck_assert_double_eq(scent_smell(&scent, 0, scent.middle_m).level, 0);
}

/* What is beyond the box is at its nearest cell. */
TEST(the_box_is_closed)
{
    make(2, 1, 0, 0.5, 0);
    scent_emit(&scent, 0, (struct vec3){9, -9, 100}, 1000);
    ck_assert_int_eq(*cell(0, 3, 0, 0), 1000);
    ck_assert_double_eq(scent_smell(&scent, 0, (struct vec3){1e9, -1e9, 7}).level, 0.5);
    ck_assert_double_eq(scent_smell(&scent, 0, (struct vec3){0, 0, 7}).uphill.z, 0);
}

TEST(too_large_boxes_are_refused)
{
    SCOPED(arena) small;
    scent = (struct scent){.cell_m = 0.01};
    ck_assert_int_eq(scent_create(&scent, (struct vec3){100, 100, 100}, &arena), ERR_LIMIT);
    ck_assert_int_eq(scent_create(&scent, (struct vec3){1e300, 0, 0}, &arena), ERR_LIMIT);
    ck_assert_int_eq(arena_init(&small, 4096), 0);
    ck_assert_int_eq(scent_create(&scent, (struct vec3){1, 1, 0}, &small), ERR_MEMORY);
}

SUITE("scent", 0, set_up, NULL)

/* Energy in a preserve: rounding, plants, meals. */
#include "common/math/detmath.h"
#include "simulator/preserve/ecology.h"
#include "tests/plain_fixture.h"

static microjoules plants_total(const struct plants *plants)
{
    microjoules total = 0;
    for (int i = 0; i < plants->columns * plants->rows; i++)
        total += plants->cells[i];
    return total;
}

static struct plants plants;

static void setup(void)
{
    params_set_defaults(&params);
    params.preserve_width_m = 4;
    params.preserve_height_m = 3;
    arena_open(1 << 20);
    ck_assert_int_eq(plants_create(&plants, &params, &arena), 0);
}

TEST(joules_are_rounded_towards_zero)
{
    ck_assert_int_eq(microjoules_of(1.9999999e-6), 1);
    ck_assert_int_eq(microjoules_of(2.5), 2500000);
    ck_assert_int_eq(microjoules_of(-3), 0);
    ck_assert_int_eq(microjoules_of(NAN), 0);
    ck_assert_int_eq(microjoules_of(INFINITY), MICROJOULES_MAX);
}

TEST(plants_grow_as_verhulst_says)
{
    microjoules start = plants.most / 4, sun = 0;
    double dt_s = 0.05, r = plants.growth_1_s * plants.light[plants.rows - 1];
    microjoules *cell = &plants.cells[(plants.rows - 1) * plants.columns];
    *cell = start;
    microjoules before = plants_total(&plants);
    for (int i = 0; i < 800; i++)
        sun += plants_grow(&plants, 1, dt_s);
    double exact = (double)plants.most / (1 + 3 * exp(-r * 800 * dt_s));
    ck_assert_double_eq_tol((double)*cell / exact, 1, 2e-3);
    ck_assert_int_eq(plants_total(&plants), before + sun);
    ck_assert(plants.light[plants.rows - 1] > plants.light[0]);
}

/* p = most/2 (1 + sqrt(1 - 4 b / (r most))) under a mouth that takes b a second. */
TEST(a_still_mouth_and_its_plants_come_to_terms)
{
    double r = plants.growth_1_s * plants.light[0], most = (double)plants.most;
    double taken = 0.8 * r * most / 4, dt_s = 1.0 / 60;
    plants.cells[0] = plants.most;
    for (int i = 0; i < 60 * 1200; i++) {
        struct meal meal = meal_of((microjoules)(taken * dt_s), plants.cells[0] - plants.least, 1,
                                   MICROJOULES_MAX);
        plants.cells[0] -= meal.taken;
        plants_grow(&plants, 1, dt_s);
    }
    ck_assert_double_eq_tol((double)plants.cells[0] / (most / 2 * (1 + sqrt(1 - 0.8))), 1, 2e-3);
}

TEST(vents_give_light_at_the_bottom)
{
    struct plants dark = plants;
    params.preserve_vent = 0.5;
    ck_assert_int_eq(plants_create(&plants, &params, &arena), 0);
    ck_assert_double_eq_tol(plants.light[0] - dark.light[0], 0.5 * exp(-0.25), 1e-12);
    ck_assert_double_eq_tol(plants.light[2] - dark.light[2], 0.5 * exp(-1.25), 1e-12);
}

TEST(plants_keep_their_seeds)
{
    plants.cells[3] = 0;
    microjoules sun = plants_grow(&plants, 0, 1);
    ck_assert_int_eq(plants.cells[3], plants.least);
    ck_assert_int_eq(sun, plants.least);
}

TEST(places_have_cells)
{
    ck_assert_ptr_eq(plants_at(&plants, 0, 0), plants.cells);
    ck_assert_ptr_eq(plants_at(&plants, 3.99, 2.99),
                     plants.cells + plants.rows * plants.columns - 1);
    ck_assert_ptr_null(plants_at(&plants, -1e-9, 1));
    ck_assert_ptr_null(plants_at(&plants, 4, 1));
    ck_assert_ptr_null(plants_at(&plants, NAN, 1));
}

TEST(a_meal_takes_no_more_than_there_is_or_fits)
{
    struct meal meal = meal_of(100, 1000, 0.8, 1000);
    ck_assert(meal.taken == 100 && meal.gained == 80);
    meal = meal_of(100, 30, 0.8, 1000);
    ck_assert(meal.taken == 30 && meal.gained == 24);
    meal = meal_of(100, 1000, 0.5, 7);
    ck_assert(meal.taken == 14 && meal.gained == 7);
    meal = meal_of(100, 1000, 0.8, 0);
    ck_assert(meal.taken == 0 && meal.gained == 0);
    for (microjoules room = 1; room < 200; room++) {
        meal = meal_of(97, 90, 0.6, room);
        ck_assert(meal.gained <= room && meal.gained <= meal.taken && meal.taken <= 90);
    }
}

TEST(days_have_as_much_light_as_none)
{
    double sum = 0;
    for (int i = 0; i < 1000; i++)
        sum += daylight_at(0.12 * i, 120) / 1000;
    ck_assert_double_eq_tol(sum, 1, 1e-4);
    ck_assert_double_eq(daylight_at(17, 0), 1);
    ck_assert_double_eq(daylight_at(90, 120), 0);
}

TEST(the_ledger_finds_a_microjoule)
{
    struct energy_ledger l = {.start = 10, .sun = 5, .heat = 7, .arrivals = 3, .departures = 2};
    ck_assert_int_eq(energy_ledger_error(&l, 9), 0);
    ck_assert_int_eq(energy_ledger_error(&l, 10), 1);
}

/* The mean of a time is that of its moments; also where a day is shorter than a second. */
TEST(plants_get_the_mean_of_a_time)
{
    static const double days_s[] = {0, 0.3, 0.5, 1, 2, 3.7, 60, 86400};
    for (size_t i = 0; i < sizeof days_s / sizeof days_s[0]; i++) {
        double day_s = days_s[i], whole_s = 0;
        for (int second = 0; second < 50; second++) {
            double sum = 0, mean = daylight_mean(second, second + 1, day_s);
            for (int k = 0; k < 10000; k++)
                sum += daylight_at(second + (k + 0.5) / 10000, day_s) / 10000;
            ck_assert_double_eq_tol(mean, sum, 1e-3);
            whole_s += mean;
        }
        ck_assert_double_eq_tol(daylight_mean(0, 50, day_s), whole_s / 50, 1e-9);
        if (day_s > 0 && day_s < 1)
            ck_assert_double_eq_tol(daylight_mean(7, 7 + 3 * day_s, day_s), 1, 1e-12);
    }
}

SUITE("ecology", 0, setup, NULL)

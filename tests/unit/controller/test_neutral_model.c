/* Neutral shadows of a preserve: what drift does, and what is measured. */
#include "controller/analysis/neutral_model.h"
#include "tests/suite.h"

enum { FOUNDERS = 20, BIRTHS = 2000, COPIES = 600 };

static struct store_life lives[FOUNDERS + BIRTHS];
static int life_count;

static struct store_life *add(double born_s, double died_s, uint64_t mother)
{
    struct store_life *life = &lives[life_count++];
    *life = (struct store_life){.id = (uint64_t)life_count,
                                .mother = mother,
                                .family = life_count,
                                .born_s = born_s,
                                .died_s = died_s,
                                .is_dead = died_s >= 0,
                                .part_count = 3,
                                .area_m2 = 0.25};
    return life;
}

static void setup(void)
{
    life_count = 0;
}

/* So many always live: the oldest dies at each birth. Only one of the founders hunts. */
static void fill_lives(void)
{
    for (int i = 0; i < FOUNDERS; i++)
        add(0, i + 1.5, 0)->is_hunter = i == 0;
    for (int i = 0; i < BIRTHS; i++)
        add(i + 1, i + FOUNDERS + 1.5 < BIRTHS ? i + FOUNDERS + 1.5 : -1, (uint64_t)life_count)
            ->family = 2;
}

/* One of n takes over with the probability 1/n (Moran 1958). */
TEST(a_neutral_line_is_fixed_once_in_n)
{
    struct neutral_play play;
    double facts[1][SHADOW_FACT_COUNT];
    int fixed = 0, lost = 0;
    fill_lives();
    ck_assert_int_eq(neutral_play_make(&play, lives, life_count, 1), 0);
    for (int i = 1; i <= COPIES; i++) {
        ck_assert_int_eq(neutral_play_run(&play, i, 1, facts), 0);
        fixed += facts[0][SHADOW_HUNTERS] == 1;
        lost += facts[0][SHADOW_HUNTERS] == 0;
    }
    neutral_play_free(&play);
    ck_assert_int_eq(fixed + lost, COPIES);
    ck_assert_msg(abs(fixed - COPIES / FOUNDERS) <= 16, "%d of %d", fixed, COPIES);
}

/* As it was: 2 died, 1 had a smaller child. The shadow has the same number and the same mutation. */
TEST(a_play_of_the_run_is_the_run)
{
    struct neutral_play play;
    double facts[2][SHADOW_FACT_COUNT];
    add(0, -1, 0);
    struct store_life *hunter = add(0, 5, 0);
    hunter->is_hunter = 1;
    hunter->way_m = 10;
    hunter->gained_uj[2] = 15000000;
    struct store_life *child = add(8, -1, 1);
    child->area_m2 = 0.0625;
    child->part_count = 2;
    child->family = 1;
    add(10, -1, 0)->family = 1;
    ck_assert_int_eq(neutral_play_make(&play, lives, life_count, 1), 0);
    for (int copy = 0; copy < 2; copy++) {
        ck_assert_int_eq(neutral_play_run(&play, copy, 2, facts), 0);
        ck_assert_double_eq_tol(facts[1][SHADOW_AREA], 0.25 / cbrt(4), 1e-12);
        ck_assert_double_eq_tol(facts[1][SHADOW_PARTS], 8 / 3.0, 1e-12);
    }
    /* a shadow has the mutation that was drawn first, the run the child that was born */
    child->drawn_m2 = 4;
    child->drawn_parts = 11;
    ck_assert_int_eq(neutral_play_run(&play, 1, 2, facts), 0);
    ck_assert_double_eq_tol(facts[1][SHADOW_AREA], 0.25 * cbrt(16), 1e-12);
    ck_assert_double_eq_tol(facts[1][SHADOW_PARTS], 17 / 3.0, 1e-12);
    ck_assert_int_eq(neutral_play_run(&play, 0, 2, facts), 0);
    ck_assert_double_eq_tol(facts[1][SHADOW_PARTS], 8 / 3.0, 1e-12);
    ck_assert_double_eq(facts[0][SHADOW_HUNTERS], 0);
    ck_assert_double_eq(facts[1][SHADOW_FAMILIES], 1);
    ck_assert_double_eq(facts[0][SHADOW_WAY], 2);
    ck_assert_double_eq(facts[0][SHADOW_FOOD], 3);
    ck_assert(isnan(facts[1][SHADOW_WAY]));
    neutral_play_free(&play);
}

/* A child of any fast mother is by as much faster as it was than its own. */
TEST(ways_are_inherited)
{
    struct neutral_play play;
    double facts[1][SHADOW_FACT_COUNT];
    for (int i = 0; i < 4; i++)
        add(0, 5, 0)->way_m = 10;
    add(4, 9, 1)->way_m = 15;
    ck_assert_int_eq(neutral_play_make(&play, lives, life_count, 1), 0);
    for (int copy = 0; copy < 20; copy++) {
        ck_assert_int_eq(neutral_play_run(&play, copy, 1, facts), 0);
        ck_assert_double_eq_tol(facts[0][SHADOW_WAY], 2.2, 1e-12);
    }
    neutral_play_free(&play);
}

/* Behind the filter are those whose descendants live ten minutes later. */
TEST(what_persists_is_measured)
{
    struct neutral_play play;
    double facts[3][SHADOW_FACT_COUNT];
    add(0, 800, 0);
    add(10, 660, 1)->part_count = 9;
    add(650, -1, 1)->part_count = 5;
    add(1000, -1, 3)->part_count = 7;
    add(2100, -1, 4)->part_count = 7;
    ck_assert_int_eq(neutral_play_make(&play, lives, life_count, 1), 0);
    ck_assert_int_eq(neutral_play_run(&play, 0, 3, facts), 0);
    const double expected[3][4] = {{1, 1, 3, 0}, {1, 1, 5, 0}, {1, 1, 7, 1}};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 4; k++)
            ck_assert_double_eq_tol(facts[i][SHADOW_CHANGE + k], expected[i][k], 1e-12);
    neutral_play_free(&play);
}

/* Large mothers have all children. Of two sizes one is always lost, and half of the shadows come
 * to the same: only the number of children tells. */
TEST(selection_is_told_from_drift)
{
    FREED struct neutral_report *report = calloc(1, sizeof *report);
    for (int i = 0; i < FOUNDERS; i++)
        add(0, i + 1.5, 0)->area_m2 = i % 2 ? 0.1 : 0.4;
    for (int i = 0; i < 200; i++) {
        struct store_life *child = add(i + 1, i + 21.5 < 200 ? i + 21.5 : -1, 0);
        child->area_m2 = 0.4;
        child->mother = (uint64_t)(i < 19 ? 19 : i);
        lives[child->mother - 1].area_m2 = 0.4;
        lives[child->mother - 1].children++;
    }
    ck_assert_int_eq(neutral_report_make(report, lives, life_count, 1), 0);
    const struct shadow_band *last = report->bands[SHADOW_STEPS - 1];
    ck_assert_str_eq(neutral_verdict(&last[SHADOW_AREA]), "drift");
    ck_assert_double_gt(report->selected, 0.05);
    ck_assert_double_eq_tol(report->inherited, 0, 1e-12);
    ck_assert_double_gt(report->drift_families, 0);
    ck_assert_str_eq(neutral_verdict(&report->means[SHADOW_NOVELTY]), "too early");
    struct shadow_band band = {.run = 2, .low = 0, .high = 1};
    ck_assert_str_eq(neutral_verdict(&band), "selection");
}

/* Numbers that stand in sentences are numbers. */
TEST(nobody_lives_long)
{
    FREED struct neutral_report *report = calloc(1, sizeof *report);
    add(20, 20, 0);
    ck_assert_int_eq(neutral_report_make(report, lives, life_count, 2), 0);
    ck_assert_int_eq(report->step_count, SHADOW_STEPS);
    ck_assert_double_eq(report->drift_families, 0);
    ck_assert(isfinite(report->selected) && isfinite(report->inherited));
}

TEST(a_store_that_lies_is_survived)
{
    FREED struct neutral_report *report = calloc(1, sizeof *report);
    ck_assert_int_eq(neutral_report_make(report, lives, 0, 1), 0);
    ck_assert_int_eq(report->step_count, 0);
    add(5, -1, 2);
    add(3, -1, 1); // each is the mother of the other
    add(NAN, -1, 0);
    add(1, -1, 0)->area_m2 = -1;
    add(1, -1, 0)->world = 7;
    add(9, 4, 5);
    add(9, -1, 5)->part_count = INT64_MAX;
    add(9, 1e4, 99)->part_count = INT64_MIN;
    ck_assert_int_eq(neutral_report_make(report, lives, life_count, 1), 0);
}

SUITE("shadow", 60, setup, NULL)

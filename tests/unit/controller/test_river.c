/* The river of forms: bands, peaks, ends and what is told, against numbers by hand. */
#include "controller/analysis/run_statistics.h"
#include "tests/suite.h"

enum { FOUNDERS = 4, CHILDREN = 8, ALL = FOUNDERS + CHILDREN + 1 };
static struct store_life lives[ALL];
static struct run_facts facts;
static struct river river;
static char text[2048];

static void live(int i, uint64_t mother, int64_t topology, double born_s, double died_s)
{
    lives[i] = (struct store_life){.id = (uint64_t)i + 1,
                                   .mother = mother,
                                   .world = 1,
                                   .generation = mother != 0,
                                   .born_s = born_s,
                                   .died_s = died_s,
                                   .is_dead = died_s > 0,
                                   .part_count = topology == 70 ? 2 : 3,
                                   .topology = topology,
                                   .children = i};
}

/* Four founders of two parts, of which the last dies at 3:20; from 1:00 on their children of three
 * parts, of which eight live to the end, at 10:00. One of the founders lives in another world. */
static void setup(void)
{
    params_set_defaults(&facts.params);
    facts.params.preserve_kept = 1;
    for (int i = 0; i < FOUNDERS; i++)
        live(i, 0, 70, 0, 170 + 10 * i);
    for (int i = 0; i < CHILDREN; i++)
        live(FOUNDERS + i, 1, 30, 60 + 10 * i, 0);
    live(ALL - 1, 0, 70, 0, 0);
    lives[ALL - 1].world = 0;
    static struct store_epoch_row epochs[] = {{.world = 1, .epoch = 20}};
    facts.lives = lives;
    facts.life_count = ALL;
    facts.epochs = epochs;
    facts.epoch_count = 1;
}

TEST(forms_begin_peak_and_end)
{
    ck_assert_int_eq(river_make(&river, &facts), 0);
    ck_assert(river.world == 1 && river.end_s == 600 && river.count == 2);
    ck_assert(river.form_count == 2 && river.living == CHILDREN && river.living_forms == 1);
    const struct river_form *old = &river.forms[0], *new = &river.forms[1];
    ck_assert(old->topology == 70 && old->parent == -1 && old->lived == FOUNDERS);
    ck_assert(old->most == FOUNDERS && old->most_s == 0 && old->living == 0);
    ck_assert_double_eq(old->extinct_s, 200);
    ck_assert_int_eq(old->widest->id, FOUNDERS);
    ck_assert(new->topology == 30 && new->parent == 0 && new->most == CHILDREN);
    ck_assert(new->most_s == 130 && isnan(new->extinct_s) && new->first->id == FOUNDERS + 1);
    for (int k = 0; k < RIVER_TIMES; k++) {
        double at_s = river_time(&river, k);
        double founders = at_s < 170 ? 4 : at_s < 200 ? 4 - floor((at_s - 160) / 10) : 0;
        double children = at_s < 60 ? 0 : fmin(floor((at_s - 50) / 10), CHILDREN);
        ck_assert_double_eq(old->own[k], founders);
        ck_assert_double_eq(new->own[k], children);
        ck_assert_double_eq(old->width[k], founders + children);
    }
}

TEST(sentences_say_what_happened)
{
    ck_assert_int_eq(river_make(&river, &facts), 0);
    river_tell(&river, text, sizeof text);
    ck_assert_msg(strstr(text, "Form A, of 2 parts, was there at the beginning and died out at "
                               "3:20."),
                  "%s", text);
    ck_assert_msg(strstr(text, "Most had form A, from 1:41 on form B (3 parts)."), "%s", text);
    ck_assert_msg(strstr(text, "2 forms hatched in 10:00; 8 creatures of 1 form live at the end."),
                  "%s", text);
    lives[0].is_dead = 0;
    ck_assert_int_eq(river_make(&river, &facts), 0);
    ck_assert(strstr(river_tell(&river, text, sizeof text), "; 1 of 9 have it at the end."));
}

/* Forms beyond the bands are counted with the form that they come from. */
TEST(rare_forms_flow_with_their_parent)
{
    enum { MANY = 40 };
    static struct store_life crowd[MANY];
    for (int i = 0; i < MANY; i++)
        crowd[i] = (struct store_life){.id = (uint64_t)i + 1,
                                       .mother = i > 0,
                                       .generation = i > 0,
                                       .topology = 100 + i,
                                       .part_count = 2,
                                       .born_s = i,
                                       .died_s = i == 0 ? 600 : 400 - 5 * i,
                                       .is_dead = 1};
    facts.lives = crowd;
    facts.life_count = MANY;
    ck_assert_int_eq(river_make(&river, &facts), 0);
    ck_assert(river.count == RIVER_FORMS_MAX && river.form_count == MANY);
    int k = (int)(100 / river.end_s * RIVER_TIMES);
    ck_assert_double_eq(river.forms[0].own[k], MANY - RIVER_FORMS_MAX + 1);
    ck_assert_double_eq(river.forms[0].width[k], MANY);
}

TEST(strange_lives_are_left_out)
{
    lives[0].topology = 0;
    lives[1].died_s = NAN;
    lives[2].born_s = -1;
    lives[3].died_s = 1e300;
    ck_assert_int_eq(river_make(&river, &facts), 0);
    ck_assert(river.count == 1 && river.forms[0].parent == -1);
    facts.life_count = 0;
    ck_assert_int_eq(river_make(&river, &facts), 0);
    ck_assert_int_eq(river.count, 0);
    river_tell(&river, text, sizeof text);
    ck_assert_int_eq(strlen(river_tell(&river, text, 10)), 9);
}

SUITE("river", 0, setup, NULL)

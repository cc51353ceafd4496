/* common/measures: the tables of measures and verdicts.
 * checks: forked */
#include "common/judge/measures.h"
#include "tests/suite.h"

#include <signal.h>

TEST(names_are_distinct_and_found)
{
    for (int i = 0; i < MEASURE_COUNT; i++) {
        ck_assert_str_ne(measure_table[i].meaning, "");
        ck_assert_int_eq(measure_find(measure_table[i].name), i);
    }
    ck_assert_int_eq(measure_find("distance_m"), MEASURE_distance_m);
    ck_assert_int_eq(measure_find(""), -1);
    ck_assert_int_eq(measure_find("distance"), -1);
    ck_assert_int_eq(MEASURE_window_8_m - MEASURE_window_1_m + 1, MEASURE_WINDOWS);
}

/* Names become columns of the run store: lower case, digits, underscores. */
TEST(names_are_fit_for_columns)
{
    for (int i = 0; i < MEASURE_COUNT; i++) {
        const char *name = measure_table[i].name;
        ck_assert_uint_eq(strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_"), strlen(name));
    }
}

TEST(numbers_reach_the_fields)
{
    struct measures measures = {0};
    for (int i = 0; i < MEASURE_COUNT; i++)
        measures_set(&measures, i, 100.0 + i);
    for (int i = 0; i < MEASURE_COUNT; i++)
        ck_assert_double_eq(measures_get(&measures, i), 100.0 + i);
#define X(name, text) ck_assert_double_eq(measures.name, 100.0 + MEASURE_##name);
    MEASURES(X)
#undef X
}

TEST(neurons_do_not_move)
{
    struct measures one = {.parts = 3, .neurons = 2, .path_m = 1.5}, other = one;
    other.neurons = 5;
    ck_assert_int_eq(measures_move_alike(&one, &other), 1);
    for (int i = 0; i < MEASURE_COUNT; i++) {
        other = one;
        measures_set(&other, i, 7);
        ck_assert_int_eq(measures_move_alike(&one, &other), i == MEASURE_neurons);
    }
}

TEST_SIGNAL(a_number_below_the_table_is_a_bug, SIGABRT)
{
    struct measures measures = {0};
    measures_get(&measures, -1);
}

TEST_SIGNAL(a_number_beyond_the_table_is_a_bug, SIGABRT)
{
    struct measures measures = {0};
    measures_set(&measures, MEASURE_COUNT, 1.0);
}

TEST(verdicts_have_names_reasons_and_numbers)
{
    static const int numbers[] = {
#define X(id, number, name, words, text) VERDICT_##id,
        VERDICTS(X)
#undef X
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        ck_assert_str_ne(verdict_name(numbers[i]), "unknown");
        ck_assert_str_ne(verdict_reason(numbers[i]), "");
        ck_assert_int_le(strlen(verdict_words(numbers[i])), 11);
        ck_assert_int_eq(verdict_find(verdict_name(numbers[i])), numbers[i]);
        int is_scored = numbers[i] == VERDICT_OK || numbers[i] == VERDICT_MOTIONLESS ||
                        numbers[i] == VERDICT_HOPELESS || numbers[i] == VERDICT_LANDED ||
                        numbers[i] == VERDICT_FELL;
        ck_assert_int_eq(verdict_is_scored(numbers[i]), is_scored);
    }

    /* Stored and sent: these numbers never change. */
    ck_assert_int_eq(verdict_find("ok"), 0);
    ck_assert_int_eq(verdict_find("motionless"), 1);
    ck_assert_int_eq(verdict_find("overlap"), 3);
    ck_assert_int_eq(verdict_find("quarantined"), 13);
    ck_assert_int_eq(verdict_find("landed"), 14);
    ck_assert_int_eq(verdict_find("fell"), 15);
}

TEST(unknown_verdicts)
{
    ck_assert_str_eq(verdict_name(-1), "unknown");
    ck_assert_str_eq(verdict_name(1000), "unknown");
    ck_assert_str_ne(verdict_reason(1000), "");
    ck_assert_int_eq(verdict_find("unknown"), -1);
    ck_assert_int_eq(verdict_find(""), -1);
    ck_assert_int_eq(verdict_is_scored(1000), 0);
    ck_assert_int_eq(verdict_is_scored(-1), 0);
}

SUITE("measures", 0, NULL, NULL)

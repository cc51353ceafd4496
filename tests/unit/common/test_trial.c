/* Trials: as text and back, in words, and their parameters. runs: watched */
#include "common/judge/trial.h"
#include "tests/plain_fixture.h"

static void set_up(void)
{
    params_set_defaults(&params);
    params.simulation_perturbation = 5;
}

/* Every trial that there can be comes back from its text. */
TEST(texts_come_back)
{
    struct trial trial, back;
    char text[TRIAL_TEXT_SIZE], longest[TRIAL_TEXT_SIZE] = "";
    for (int i = 0; i < TRIAL_PURPOSE_COUNT * 49 * 7 * 2 * 3; i++) {
        trial = (struct trial){i % 4, i / 4 % 49, i / 196 % 7, i / 1372 % 2, i / 2744 * 4};
        trial_to_text(&trial, text);
        ck_ok(trial_from_text(&back, text, &error));
        ck_assert_mem_eq(&back, &trial, sizeof trial);
        if (strlen(text) > strlen(longest))
            strcpy(longest, text);
    }
    ck_assert_str_eq(longest, "champion+bout-4+perturbed-10+finer-1+other-solver");
    trial_to_text(&(struct trial){TRIAL_ENTRY, 2, 2, 0, 0}, text);
    ck_assert_str_eq(text, "entry+perturbed-2+finer-2");
}

TEST(other_texts_are_refused)
{
    static const char *const texts[] = {"",
                                        "+finer-2",
                                        "second",
                                        "firstly",
                                        "first+",
                                        "first+finer",
                                        "first+finer-",
                                        "first+finer-0",
                                        "first+finer-7",
                                        "first+finer-22",
                                        "first+perturbed-49",
                                        "first+perturbed-09",
                                        "first+perturbed-4294967297",
                                        "first+perturbed-",
                                        "first+finer-2+perturbed-1",
                                        "first+bout-9",
                                        "first+finer-2+bout-1",
                                        "first+other-solver+finer-2",
                                        "first+other-solver+other-solver",
                                        "First"};
    struct trial trial;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        ck_assert_msg(trial_from_text(&trial, texts[i], &error) == ERR_RANGE, "%s", texts[i]);
        ck_assert_ptr_nonnull(strstr(error.message, texts[i]));
    }
}

TEST(parameters_become_those_of_the_trial)
{
    struct params first = params, other = params;
    trial_apply(&(struct trial){0}, &first);
    ck_assert_int_eq(first.simulation_perturbation, 0);
    ck_assert_double_eq(first.simulation_dt_s, params.simulation_dt_s);
    ck_assert_double_eq(first.guard_budget, params.guard_budget);
    ck_assert_int_eq(first.simulation_solver, SOLVER_ARTICULATED);
    trial_apply(&(struct trial){TRIAL_CHAMPION, 3, 2, 1, 0}, &other);
    ck_assert_int_eq(other.simulation_perturbation, 3);
    ck_assert_double_eq(other.simulation_dt_s, params.simulation_dt_s / 4);
    ck_assert_int_eq(other.simulation_solver, SOLVER_CONSTRAINT);
    ck_assert_double_eq(other.guard_budget, params.guard_budget * 10);
}

static void check_words(struct trial trial, const char *words)
{
    char text[80];
    trial_describe(&trial, &params, text, sizeof text);
    ck_assert_str_eq(text, words);
}

TEST(words)
{
    char text[8];
    check_words((struct trial){TRIAL_FIRST, 0, 0, 0, 0}, "at h");
    check_words((struct trial){TRIAL_ENTRY, 1, 0, 0, 0}, "from perturbed start 1 at h");
    check_words((struct trial){TRIAL_CHAMPION, 3, 2, 1, 0},
                "from perturbed start 3 at h/4 with solver constraint");
    trial_describe(&(struct trial){TRIAL_ENTRY, 1, 0, 0, 0}, &params, text, sizeof text);
    ck_assert_str_eq(text, "from pe");
}

/* A row of costs has the words of its trials' purpose. */
TEST(each_purpose_has_words)
{
    char text[TRIAL_TEXT_SIZE];
    for (int purpose = 0; purpose < TRIAL_PURPOSE_COUNT; purpose++) {
        trial_describe_kind(&(struct trial){.purpose = purpose}, &params, text, sizeof text);
        ck_assert_msg(text[0] != '(' && strlen(text) > strlen(" at h"), "%s", text);
    }
    ck_assert_str_eq(text, "polish at h");
}

SUITE("trial", 0, set_up, NULL)

/* The exam of a champion: the order of its trials, its verdict, its words. */
#include "common/judge/exam.h"

#include <check.h>
#include <stdlib.h>

#include "common/genome/genome.h"
#include "tests/suite.h"

static struct params params;
static struct exam exam;

static void set_up(void)
{
    params_set_defaults(&params);
    exam_begin(&exam, 10, BODY_RECTANGLES, &params);
}

/* Asks for `count` trials and tells them backwards; `falling` of them get 3, the others 8. */
static void sit(int count, int falling)
{
    struct trial trials[EXAM_FINE_RUNS], none;

    for (int i = 0; i < count; i++) {
        ck_assert_int_eq(exam_ask(&exam, &trials[i]), 1);
        ck_assert_int_eq(trials[i].purpose, TRIAL_CHAMPION);
        ck_assert_int_eq(trials[i].perturbation, i + 1);
        ck_assert_int_eq(trials[i].has_other_solver, count == EXAM_SOLVER_RUNS);
        ck_assert_int_eq(trials[i].halvings, count == EXAM_SOLVER_RUNS ? 0 : 2);
    }
    ck_assert_int_eq(exam_ask(&exam, &none), 0);
    for (int i = count - 1; i >= 0; i--) {
        ck_assert(!exam_is_over(&exam));
        exam_tell(&exam, &trials[i], i < falling ? 3 : 8);
    }
}

static void expect(int holds, const char *words)
{
    char text[EXAM_WORDS_SIZE];

    ck_assert(exam_is_over(&exam));
    ck_assert_int_eq(exam_holds(&exam), holds);
    exam_describe(&exam, text);
    ck_assert_str_eq(text, words);
}

START_TEST(every_trial_holds)
{
    sit(EXAM_SOLVER_RUNS, 0);
    ck_assert(!exam_is_over(&exam));
    sit(EXAM_FINE_RUNS, 3);
    expect(1, "10 at h; from perturbed starts 8 at h/4 (median of 8), 8 with solver constraint "
              "(least of 4)");
}
END_TEST

/* Half of the fine runs: the median is the mean of the two in the middle. */
START_TEST(the_median_must_hold)
{
    sit(EXAM_SOLVER_RUNS, 0);
    sit(EXAM_FINE_RUNS, 4);
    expect(0, "10 at h; from perturbed starts 5.5 at h/4 (median of 8), 8 with solver constraint "
              "(least of 4)");
}
END_TEST

START_TEST(each_run_of_the_other_solver_must_hold)
{
    sit(EXAM_SOLVER_RUNS, 1);
    expect(0, "10 at h; from perturbed starts 3 with solver constraint (least of 4)");
}
END_TEST

/* Spheres, and where the other solver is not wanted. */
START_TEST(fine_runs_alone)
{
    params.guard_other_solver = _i;
    exam_begin(&exam, 10, _i ? BODY_SPHERES : BODY_RECTANGLES, &params);
    sit(EXAM_FINE_RUNS, 0);
    expect(1, "10 at h; from perturbed starts 8 at h/4 (median of 8)");
}
END_TEST

/* What judges in the same way is no second judge. */
START_TEST(the_other_solver_judges_where_it_is_another)
{
    for (int solver = 0; solver < SOLVER_COUNT; solver++) {
        int other = params_other_solver(solver);

        params.simulation_solver = solver;
        ck_assert_int_ne(other, solver);
        ck_assert_int_eq(trial_other_solver(BODY_RECTANGLES, &params), other);
        ck_assert_int_eq(trial_other_solver(BODY_BOXES, &params), other);
        ck_assert_int_eq(trial_other_solver(BODY_SPHERES, &params),
                         solver == SOLVER_ARTICULATED ? -1 : other);
    }
    params.guard_other_solver = 0;
    ck_assert_int_eq(trial_other_solver(BODY_RECTANGLES, &params), -1);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("all");

    tcase_add_checked_fixture(tests, set_up, NULL);
    tcase_add_test(tests, every_trial_holds);
    tcase_add_test(tests, the_median_must_hold);
    tcase_add_test(tests, each_run_of_the_other_solver_must_hold);
    tcase_add_loop_test(tests, fine_runs_alone, 0, 2);
    tcase_add_test(tests, the_other_solver_judges_where_it_is_another);
    return run_tests("exam", tests);
}

/* The exam of a champion: the order of its trials, its verdict, its words. */
#include "common/judge/exam.h"

#include "controller/evolution/referee.h"
#include "tests/plain_fixture.h"

static struct exam exam;

static void set_up(void)
{
    params_set_defaults(&params);
    exam_begin(&exam, 10, BODY_RECTANGLES, &params);
}

/* Asks for `count` trials, from start `first` on, and tells them backwards; `falling` of them get 3,
 * the others 8. */
static void sit_part(int first, int count, int falling, int has_solver)
{
    struct trial trials[EXAM_STARTS_MAX], none;
    for (int i = 0; i < count; i++) {
        ck_assert_int_eq(exam_ask(&exam, &trials[i]), 1);
        ck_assert_int_eq(trials[i].purpose, TRIAL_CHAMPION);
        ck_assert_int_eq(trials[i].perturbation, TRIAL_RUN_STARTS + 1 + first + i);
        ck_assert_int_eq(trials[i].has_other_solver, has_solver);
        ck_assert_int_eq(trials[i].halvings, has_solver ? 0 : 2);
    }
    ck_assert_int_eq(exam_ask(&exam, &none), 0);
    for (int i = count - 1; i >= 0; i--) {
        ck_assert(!exam_is_over(&exam));
        exam_tell(&exam, &trials[i], i < falling ? 3 : 8);
    }
}

/* The first row in its halves; `falling` fail in the second one. */
static void sit_fine(int count, int falling)
{
    int half = (count + 1) / 2;
    sit_part(0, half, count > 1 ? 0 : falling, 0);
    if (count > 1)
        sit_part(half, count - half, falling, 0);
}

static void sit_solver(int falling)
{
    sit_part(0, EXAM_SOLVER_RUNS, falling, 1);
}

static void expect(int holds, const char *words)
{
    char text[EXAM_WORDS_SIZE];
    ck_assert(exam_is_over(&exam));
    ck_assert_int_eq(exam_holds(&exam), holds);
    exam_describe(&exam, text);
    ck_assert_str_eq(text, words);
}

TEST(one_of_eight_may_fail)
{
    sit_fine(8, 1);
    ck_assert(!exam_is_over(&exam));
    ck_assert_int_eq(exam_fine_passed(&exam), 7);
    sit_solver(0);
    ck_assert(exam_spent(&exam) == 432);
    expect(1, "10 at h; from perturbed starts 8 at h/4 (median of 8, passed 7 of 8), 8 with solver "
              "constraint (least of 4, passed 4 of 4)");
}

/* Though the median is as good. The other solver, which costs most, is not asked. */
TEST(two_of_eight_are_too_many)
{
    sit_fine(8, 2);
    expect(0, "10 at h; from perturbed starts 8 at h/4 (median of 8, passed 6 of 8)");
    ck_assert(exam_spent(&exam) == 32);
    exam_begin(&exam, 10, BODY_RECTANGLES, &params);
    sit_part(0, 4, 2, 0);
    expect(0, "10 at h; from perturbed starts 5.5 at h/4 (median of 4, passed 2 of 4)");
    ck_assert(exam_spent(&exam) == 16);
}

/* Neither where the own score is 0 nor where the share is. */
TEST_LOOP(a_score_of_0_is_not_passed, 0, 2)
{
    params.guard_other_solver = 0;
    params.guard_referee_share = _i ? 0 : params.guard_referee_share;
    exam_begin(&exam, _i ? 10 : 0, BODY_RECTANGLES, &params);
    for (struct trial trial; exam_ask(&exam, &trial);)
        exam_tell(&exam, &trial, 0);
    ck_assert_int_eq(exam_fine_passed(&exam), 0);
    ck_assert_int_eq(exam_holds(&exam), 0);
}

TEST(the_settings_say_how_many)
{
    static const struct {
        int starts, pass, failing, holds;
    } exams[] = {{8, 6, 2, 1}, {3, 3, 1, 0},   {3, 2, 1, 1},
                 {1, 1, 0, 1}, {32, 31, 1, 1}, {32, 31, 2, 0}};

    for (size_t i = 0; i < sizeof exams / sizeof exams[0]; i++) {
        params.guard_other_solver = 0;
        params.exam_starts = exams[i].starts;
        params.exam_pass = exams[i].pass;
        exam_begin(&exam, 10, BODY_RECTANGLES, &params);
        sit_fine(exams[i].starts, exams[i].failing);
        ck_assert_int_eq(exam_holds(&exam), exams[i].holds);
    }
    set("guard.other_solver=1", "exam.starts=2");
    exam_begin(&exam, 10, BODY_RECTANGLES, &params);
    ck_assert_int_eq(exam.solver_count, 2);
}

/* As many may fail there as of all starts. */
TEST(the_other_solver_must_hold_as_well)
{
    sit_fine(8, 0);
    sit_solver(2);
    expect(0, "10 at h; from perturbed starts 8 at h/4 (median of 8, passed 8 of 8), 3 with solver "
              "constraint (least of 4, passed 2 of 4)");
    exam_begin(&exam, 10, BODY_RECTANGLES, &params);
    sit_fine(8, 0);
    sit_solver(1);
    expect(1, "10 at h; from perturbed starts 8 at h/4 (median of 8, passed 8 of 8), 3 with solver "
              "constraint (least of 4, passed 3 of 4)");
    params.exam_pass = 8;
    exam_begin(&exam, 10, BODY_RECTANGLES, &params);
    sit_fine(8, 0);
    sit_solver(1);
    expect(0, "10 at h; from perturbed starts 8 at h/4 (median of 8, passed 8 of 8), 3 with solver "
              "constraint (least of 4, passed 3 of 4)");
}

/* Trials by the other solver are left out first, then starts; of what is left no more may fail than by the
 * whole. */
TEST(an_exam_is_cut_to_a_cost)
{
    static const struct {
        double evaluations;
        int solver, starts, failing;
    } cuts[] = {{1e6, 4, 8, 1}, {432, 4, 8, 1}, {431, 3, 8, 1}, {132, 1, 8, 1},
                {131, 0, 8, 1}, {31, 0, 7, 0},  {6, 0, 1, 0},   {0, 0, 1, 0}};

    ck_assert(exam_cost(&exam) == 432);
    exam_begin(&exam, 10, BODY_SPHERES, &params);
    ck_assert(exam_cost(&exam) == 32);
    for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++) {
        exam_begin(&exam, 10, BODY_RECTANGLES, &params);
        exam_cut(&exam, cuts[i].evaluations);
        ck_assert_int_eq(exam.solver_count, cuts[i].solver);
        ck_assert_int_eq(exam.starts, cuts[i].starts);
        ck_assert_int_eq(exam.starts - exam.pass, cuts[i].failing);
        ck_assert_int_eq(exam.is_cut, i > 1);
        ck_assert_int_eq(exam_trial_count(&exam), cuts[i].solver + cuts[i].starts);
    }
    sit_fine(1, 0);
    expect(1, "10 at h; from perturbed starts 8 at h/4 (median of 1, passed 1 of 1); cut to what "
              "the run cost");
    /* one of four may fail, one of one may not */
    exam_begin(&exam, 10, BODY_RECTANGLES, &params);
    exam_cut(&exam, 132);
    sit_fine(8, 0);
    struct trial trial;
    ck_assert_int_eq(exam_ask(&exam, &trial), 1);
    ck_assert_int_eq(trial.has_other_solver, 1);
    exam_tell(&exam, &trial, 3);
    expect(0, "10 at h; from perturbed starts 8 at h/4 (median of 8, passed 8 of 8), 3 with solver "
              "constraint (least of 1, passed 0 of 1); cut to what the run cost");
}

/* No start of the exam is one that selection has seen, however many trials a run has. */
TEST(its_starts_are_new)
{
    int index = params_find("simulation.perturbation");
    ck_assert_double_eq(param_table[index].max, TRIAL_PERTURBATION_MAX);
    ck_assert_double_eq(param_table[params_find("exam.starts")].max, EXAM_STARTS_MAX);
    params.guard_perturbed_runs = params.guard_fine_runs = 8;
    for (int number = 0; number < 32; number++) {
        struct individual one = {.seed = (uint64_t)number % 2};
        ck_assert_int_le(referee_trial(&one, number / 2, &params).perturbation, TRIAL_RUN_STARTS);
    }
}

/* Spheres, and where the other solver is not wanted. */
TEST_LOOP(fine_runs_alone, 0, 2)
{
    params.guard_other_solver = _i;
    exam_begin(&exam, 10, _i ? BODY_SPHERES : BODY_RECTANGLES, &params);
    sit_fine(8, 0);
    expect(1, "10 at h; from perturbed starts 8 at h/4 (median of 8, passed 8 of 8)");
}

/* What judges in the same way is no second judge. */
TEST(the_other_solver_judges_where_it_is_another)
{
    for (int solver = 0; solver < SOLVER_COUNT; solver++) {
        int other = params_other_solver(solver);
        params.simulation_solver = solver;
        params.creature_stretch_max = solver == SOLVER_ARTICULATED ? 0.5 : 0;
        ck_assert_int_ne(other, solver);
        ck_assert_int_eq(trial_other_solver(BODY_RECTANGLES, &params), other);
        ck_assert_int_eq(trial_other_solver(BODY_BOXES, &params), other);
        ck_assert_int_eq(trial_other_solver(BODY_SPHERES, &params),
                         solver == SOLVER_ARTICULATED ? -1 : other);
    }
    params.guard_other_solver = 0;
    ck_assert_int_eq(trial_other_solver(BODY_RECTANGLES, &params), -1);
}

SUITE("exam", 0, set_up, NULL)

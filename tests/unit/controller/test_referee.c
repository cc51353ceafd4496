/* The referee's trials: their parameters, the worth of a trial, its words. */
#include "controller/evolution/referee.h"
#include "tests/plain_fixture.h"

static struct individual own;

static void set_up(void)
{
    params_set_defaults(&params);
    params.evolution_behaviour = BEHAVIOUR_WALK;
    own = (struct individual){.verdict = VERDICT_OK};
    own.measures.size_m = 1;
    own.measures.distance_m = own.measures.way_x_m = 4.5;
    own.measures.way_y_m = -0.1;
}

/* A walker that got so far to the right. */
static struct measures went(double x_m)
{
    struct measures measures = own.measures;
    measures.way_x_m = x_m;
    measures.distance_m = x_m < 0 ? -x_m : x_m;
    return measures;
}

TEST(the_cheap_trials_come_first)
{
    static const int starts[] = {1, 8, 2, 7, 3, 6, 4, 5, 1, 8};
    set("guard.perturbed_runs=3", "guard.fine_runs=7");
    ck_assert_int_eq(referee_trial_count(&params), 10);
    for (int number = 0; number < 10; number++) {
        struct trial trial = referee_trial(&own, number, &params);
        ck_assert(trial.purpose == TRIAL_ENTRY && !trial.has_other_solver);
        ck_assert_int_eq(trial.halvings, number < 3 ? 0 : 2);
        ck_assert_int_eq(trial.perturbation, starts[number]);
    }
    /* others begin with the second of a pair */
    own.seed = 1;
    for (int number = 0; number < 10; number++)
        ck_assert_int_eq(referee_trial(&own, number, &params).perturbation, starts[number ^ 1]);
}

/* The first of all has the trials that are dear, and half of the others; a mean has all of them. */
TEST(half_of_the_cheap_trials_are_for_all)
{
    static const int cases[][5] = {/* perturbed, fine, mean: for all, for the first */
                                   {2, 1, 0, 1, 3}, {3, 0, 0, 2, 3}, {1, 0, 0, 1, 1},
                                   {0, 1, 0, 0, 1}, {2, 1, 1, 2, 3}, {2, 0, 1, 2, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const int *at = cases[i];
        params.guard_perturbed_runs = at[0];
        params.guard_fine_runs = at[1];
        params.guard_score = at[2] ? SCORE_MEAN : SCORE_LEAST;
        ck_assert_int_eq(referee_trial_after(referee_find_wanted(0, &params), &params), at[3]);
        ck_assert_int_eq(referee_trial_after(referee_find_wanted(1, &params), &params), at[4]);
    }
}

TEST(the_other_way_is_worth_nothing)
{
    struct measures same = went(3.5), turned = went(-3.5);
    ck_assert_double_eq(referee_fitness(&own, VERDICT_OK, &same, &params), 3);
    ck_assert_double_eq(referee_fitness(&own, VERDICT_SPINNING, &same, &params), 0);
    ck_assert_double_eq(referee_fitness(&own, VERDICT_OK, &turned, &params), 0);
    /* of behaviours that lead nowhere it is no matter */
    params.evolution_behaviour = BEHAVIOUR_PLATFORM;
    turned.reach_m = 4;
    ck_assert_double_eq(referee_fitness(&own, VERDICT_OK, &turned, &params), 4);
}

/* Where nothing falls, up and down are ways, too. */
TEST(the_way_has_two_dimensions_in_water)
{
    struct measures bent = went(-1);
    own.measures.way_y_m = bent.way_y_m = 9;
    ck_assert_double_eq(referee_fitness(&own, VERDICT_OK, &bent, &params), 0);
    params.world_gravity_m_s2 = 0;
    ck_assert_double_eq(referee_fitness(&own, VERDICT_OK, &bent, &params), 0.5);
}

/* Sideways and a little back is the same way; sideways to the other side is not. */
TEST(sideways_is_a_way)
{
    struct measures same = went(-0.1), turned = went(0.1);
    own.measures.way_x_m = 0.1;
    own.measures.way_z_m = same.way_z_m = 4.5;
    turned.way_z_m = -4.5;
    same.distance_m = turned.distance_m = 4.5;
    ck_assert_double_eq(referee_fitness(&own, VERDICT_OK, &same, &params), 4);
    ck_assert_double_eq(referee_fitness(&own, VERDICT_OK, &turned, &params), 0);
}

static void check_words(int number, int verdict, double x_m, const char *words)
{
    struct trial trial = referee_trial(&own, number, &params);
    struct measures measures = went(x_m);
    char text[SEARCH_WORDS_SIZE];
    referee_describe(&own, &trial, verdict, &measures, &params, text, sizeof text);
    ck_assert_str_eq(text, words);
}

TEST(it_says_what_happened)
{
    char text[SEARCH_WORDS_SIZE];
    struct measures measures = went(4.5);
    struct trial other = {.purpose = TRIAL_CHAMPION, .has_other_solver = 1};
    params.guard_perturbed_runs = 2;
    check_words(0, VERDICT_OK, 2.5, "keeps 50 % from perturbed start 1 at h");
    check_words(1, VERDICT_ENERGY, 2.5, "disqualified from perturbed start 8 at h: energy");
    check_words(2, VERDICT_OK, -2.5, "goes the other way from perturbed start 2 at h/4");
    check_words(2, VERDICT_MOTIONLESS, 0, "keeps 0 % from perturbed start 2 at h/4");
    referee_describe(&own, &other, VERDICT_OK, &measures, &params, text, sizeof text);
    ck_assert_str_eq(text, "keeps 100 % at h with solver constraint");
    params.simulation_solver = SOLVER_CONSTRAINT;
    referee_describe(&own, &other, VERDICT_UNSETTLED, &measures, &params, text, sizeof text);
    ck_assert_str_eq(text, "disqualified at h with solver articulated: unsettled");
    /* fitness from nothing is not a share of nothing */
    own.measures.distance_m = 0;
    check_words(0, VERDICT_OK, 4.5, "keeps 0 % from perturbed start 1 at h");
}

/* A champion just below a bound is compared, not disqualified for being just above it. */
TEST(another_solver_leaves_speeds_some_slack)
{
    struct params before = params;
    params_ask_solver(&params, params.simulation_solver);
    ck_assert_mem_eq(&params, &before, sizeof params);

    params_ask_solver(&params, SOLVER_CONSTRAINT);
    ck_assert_int_eq(params.simulation_solver, SOLVER_CONSTRAINT);
    ck_assert_double_eq(params.guard_speed_m_s, 1.25 * before.guard_speed_m_s);
    ck_assert_double_eq(params.guard_turn_rad, 1.25 * before.guard_turn_rad);
    ck_assert_double_eq(params.guard_joint_speed_rad_s, 1.25 * before.guard_joint_speed_rad_s);
    ck_assert_double_eq(params.guard_joint_speed_m_s, 1.25 * before.guard_joint_speed_m_s);
    /* errors are no motion: they have no slack */
    ck_assert_double_eq(params.guard_energy_share, before.guard_energy_share);
    ck_assert_double_eq(params.guard_penetration_m, before.guard_penetration_m);
}

SUITE("referee", 0, set_up, NULL)

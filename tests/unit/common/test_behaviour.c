/* Behaviours: the formulas against hand-computed values, and what must not score. */
#include "common/judge/behaviour.h"
#include "common/math/detmath.h"
#include "tests/plain_fixture.h"

static struct measures measures;

static void set_up(void)
{
    params_set_defaults(&params);
    strcpy(params.fitness_expression, "distance_m + (lowest_max_m > 1)");
    memset(&measures, 0, sizeof(measures));
}

static double fitness(int behaviour)
{
    params.evolution_behaviour = behaviour;
    return behaviour_fitness(VERDICT_OK, &measures, &params);
}

static void set_windows(const double progress[MEASURE_WINDOWS])
{
    for (int k = 0; k < MEASURE_WINDOWS; k++)
        measures_set(&measures, MEASURE_window_1_m + k, progress[k]);
}

TEST(names_are_those_of_the_parameter)
{
    char names[128] = "";
    for (int i = 0; i < BEHAVIOUR_COUNT; i++) {
        strcat(names, i ? "|" : "");
        strcat(names, behaviours[i].name);
        ck_assert(behaviours[i].formula[0] && behaviours[i].source[0]);
    }
    ck_assert_str_eq(names, param_table[params_find("evolution.behaviour")].choices);
}

/* Each behaviour has words for a fitness of 0, and for no other fitness. */
TEST(zero_is_explained)
{
    char words[BEHAVIOUR_WORDS_SIZE];
    measures.distance_m = 0.03;
    measures.size_max_m = 0.9;
    strcpy(params.fitness_expression, "distance_m - 1");
    for (int i = 0; i < BEHAVIOUR_COUNT; i++) {
        int is_zero = fitness(i) == 0;
        ck_assert_int_eq(behaviour_explain_zero(VERDICT_OK, &measures, &params, words), is_zero);
        ck_assert_int_eq(words[0] != 0, is_zero);
        ck_assert_int_eq(is_zero, i != BEHAVIOUR_INTERACTIVE && i != BEHAVIOUR_STRIDE &&
                                      i != BEHAVIOUR_PRESERVE);
    }
    params.evolution_behaviour = BEHAVIOUR_WALK;
    behaviour_explain_zero(VERDICT_OK, &measures, &params, words);
    ck_assert_str_eq(words, "moved 0.03 m: no more than half its length of 0.9 m");
    behaviour_explain_zero(VERDICT_VIBRATION, &measures, &params, words);
    ck_assert_str_eq(words, "its verdict, vibration, has no score");
    measures.distance_m = 2;
    ck_assert_int_eq(behaviour_explain_zero(VERDICT_OK, &measures, &params, words), 0);
    ck_assert_str_eq(words, "");
}

/* In three dimensions where nothing falls, else along the ground; no angle where a behaviour leads
 * nowhere. */
TEST(ways_are_compared_by_their_angle)
{
    struct measures other = measures;
    measures.way_x_m = 1;
    other.way_x_m = 1;
    other.way_y_m = 5;
    other.way_z_m = -1;
    params.evolution_behaviour = BEHAVIOUR_WALK;
    ck_assert_double_eq_tol(behaviour_apart_rad(&measures, &other, &params), DET_PI / 4, 1e-12);
    other.way_x_m = -1;
    ck_assert_double_eq_tol(behaviour_apart_rad(&measures, &other, &params), DET_PI * 3 / 4, 1e-12);
    params.world_gravity_m_s2 = 0;
    measures.way_y_m = 5;
    ck_assert_double_lt(behaviour_apart_rad(&measures, &other, &params), DET_PI / 4);
    params.evolution_behaviour = BEHAVIOUR_JUMP;
    ck_assert_double_eq(behaviour_apart_rad(&measures, &other, &params), 0);
}

TEST(expressions_are_checked)
{
    ck_assert_int_eq(behaviour_check_params(&params, &error), 0);
    strcpy(params.fitness_expression, "2 * frobs");
    ck_refused_as(behaviour_check_params(&params, &error), 0,
                  "fitness.expression: column 5: no measure is called frobs");
    params.fitness_expression[0] = '\0';
    ck_assert_int_eq(behaviour_check_params(&params, &error), 0);
    params.evolution_behaviour = BEHAVIOUR_CUSTOM;
    ck_refused_as(behaviour_check_params(&params, &error), 0,
                  "fitness.expression is empty, but evolution.behaviour is custom");
}

TEST(an_expression_is_never_ignored)
{
    params.evolution_behaviour = BEHAVIOUR_WALK;
    ck_refused(behaviour_check_use(&params, &error), 0, "evolution.behaviour is walk");
    params.evolution_behaviour = BEHAVIOUR_CUSTOM;
    ck_assert_int_eq(behaviour_check_use(&params, &error), 0);
    params.evolution_behaviour = BEHAVIOUR_WALK;
    params.fitness_expression[0] = '\0';
    ck_assert_int_eq(behaviour_check_use(&params, &error), 0);
}

TEST(a_fitness_may_be_undefined)
{
    params.evolution_behaviour = BEHAVIOUR_CUSTOM;
    strcpy(params.fitness_expression, "1 / (3 - distance_m)");
    ck_assert_int_eq(behaviour_is_defined(&measures, &params), 1);
    measures.distance_m = 3;
    ck_assert_int_eq(behaviour_is_defined(&measures, &params), 0);
}

/* A row gives measures by their names, `windows` for all of them, and parameters. */
#define JUMPER  "lowest_start_m=0.125 height_start_m=1 "
#define FLYER   "windows=1 world.gravity_m_s2=10 mass_kg=0.5 "
#define HOPPER  "simulation.duration_s=10 "
#define STRIDER "size_m=1 fitness.slip_weight=0.5 fitness.belly_weight=0.25 distance_m=" X4 " "
#define X4      "4.449489742783178" /* 2 + sqrt(6): x^2 = 4 x + 2 */
#define HEAD    "size_m=1 distance_m=0.5 windows=0.03125 fitness.ahead=1 head_first="
#define UPHILL                                                                                     \
    "window_1_m=0.1 window_2_m=0.9 window_3_m=0.3 window_4_m=0.2 window_5_m=0.5 window_6_m=0.4 "   \
    "window_7_m=0.8 window_8_m=0.7"
static const struct {
    int behaviour;
    const char *given;
    double fitness;
} scores[] = {
    {BEHAVIOUR_WALK, "size_m=2 distance_m=5", 2},
    /* a tall creature that only falls over moves its centre by half its size */
    {BEHAVIOUR_WALK, "size_m=2 distance_m=1", 0},
    {BEHAVIOUR_WALK, "size_m=2 distance_m=0.2", 0},
    /* its size is that of the moving body; measures of old versions have the one at the start */
    {BEHAVIOUR_WALK, "size_m=1 size_max_m=2 distance_m=5", 2},
    {BEHAVIOUR_WALK, "size_m=1 distance_m=5", 4.5},
    /* sizes have a floor, 0.5 m by default */
    {BEHAVIOUR_WALK, "size_m=0.01 size_max_m=0.01 distance_m=1.25", 2},
    {BEHAVIOUR_WALK, "size_m=0.01 size_max_m=0.01 distance_m=1.25 fitness.size_floor_m=1", 0.75},
    /* the gain of the lowest point and of the centre */
    {BEHAVIOUR_JUMP, JUMPER "lowest_max_m=0.625 height_max_m=2", 0.5},
    {BEHAVIOUR_JUMP, JUMPER "lowest_max_m=0.625 height_max_m=1.25", 0.25},
    {BEHAVIOUR_JUMP, JUMPER "lowest_max_m=0.625 height_max_m=nan", 0},
    {BEHAVIOUR_JUMP, JUMPER "lowest_max_m=0.1 height_max_m=2", 0},
    /* swimming by the share of muscles: climbing is not paid for twice, falling 2 m gives 10 J */
    {BEHAVIOUR_FLY, FLYER "work_in_j=6", 8},
    {BEHAVIOUR_FLY, FLYER "work_in_j=6 way_y_m=3", 8},
    {BEHAVIOUR_FLY, FLYER "work_in_j=6 way_y_m=-2", 8 * 6.0 / 16},
    /* a glider */
    {BEHAVIOUR_FLY, FLYER "work_in_j=0 way_y_m=-2", 0},
    {BEHAVIOUR_FLY, FLYER "work_in_j=0 way_y_m=0", 0},
    {BEHAVIOUR_FLY, FLYER "work_in_j=6 way_y_m=nan", 0},
    {BEHAVIOUR_SEEK, "follow_share=0.4", 0.4},
    {BEHAVIOUR_SEEK, "follow_share=-0.4", 0},
    /* what the head is raised on average */
    {BEHAVIOUR_HEAD_UP, "head_start_m=0.25 head_mean_m=0.75 head_max_m=3", 0.5},
    {BEHAVIOUR_HEAD_UP, "head_start_m=0.25 head_mean_m=0.125 head_max_m=3", 0},
    /* a fall within 5 s fails; from a later one on it gains nothing */
    {BEHAVIOUR_HOP, HOPPER "clearance_mean_m=0.6 time_s=10", 0.6},
    {BEHAVIOUR_HOP, HOPPER "clearance_mean_m=0.6 time_s=4.9 fell=1", 0},
    {BEHAVIOUR_HOP, HOPPER "clearance_mean_m=0.6 time_s=5 fell=1", 0.3},
    /* the clearance alone: not a stretched body that stands */
    {BEHAVIOUR_HOP, HOPPER "clearance_mean_m=0.25 time_s=10", 0.25},
    {BEHAVIOUR_HOP, HOPPER "clearance_mean_m=0 time_s=10 height_mean_m=1 lowest_max_m=1", 0},
    {BEHAVIOUR_HOP, HOPPER "clearance_mean_m=nan time_s=10 height_mean_m=1 lowest_max_m=1", 0},
    /* beyond the edge when the time ends, or fallen off */
    {BEHAVIOUR_PLATFORM, "reach_m=1.5 distance_m=0.5 time_s=9.9", 1.5},
    {BEHAVIOUR_PLATFORM, "reach_m=1.5 distance_m=1.5 time_s=9.9", 1.5},
    {BEHAVIOUR_PLATFORM, "reach_m=1.5 distance_m=1.6 time_s=9.9", 0},
    {BEHAVIOUR_PLATFORM, "reach_m=1.5 distance_m=0.5 time_s=9.9 fell=1", 0},
    /* walking less what slides and lies: half a length is worth a quarter, not nothing, and trembling
     * does not count more than sliding */
    {BEHAVIOUR_STRIDE, "size_m=1 distance_m=0.5", 0.25},
    {BEHAVIOUR_STRIDE, STRIDER, 4},
    {BEHAVIOUR_STRIDE, STRIDER "slip_share=0.5", 3},
    {BEHAVIOUR_STRIDE, STRIDER "slip_share=7", 2},
    {BEHAVIOUR_STRIDE, STRIDER "slip_share=7 belly_share=1", 1.5},
    {BEHAVIOUR_STRIDE, STRIDER "slip_share=nan belly_share=1", 0},
    /* steady motion is worth its distance; else the worst window counts four times, and window k k
     * / 9 */
    {BEHAVIOUR_SWIM, "windows=0.5", 4},
    {BEHAVIOUR_SWIM, "windows=1", 8}, /* as one flies by muscles alone */
    {BEHAVIOUR_SWIM, UPHILL, 4 * 0.1 + 19.7 / 9},
    {BEHAVIOUR_SWIM, "windows=1 window_8_m=-3", 0},
    /* tail first leaves nothing at a weight of 1, across half; swimmers as walkers */
    {BEHAVIOUR_STRIDE, HEAD "-1 fitness.ahead=0", 0.25},
    {BEHAVIOUR_STRIDE, HEAD "-1", 0},
    {BEHAVIOUR_STRIDE, HEAD "0", 0.25 / 2},
    {BEHAVIOUR_STRIDE, HEAD "1", 0.25},
    {BEHAVIOUR_SWIM, HEAD "-1 fitness.ahead=0", 0.25},
    {BEHAVIOUR_SWIM, HEAD "-1", 0},
    {BEHAVIOUR_SWIM, HEAD "0", 0.25 / 2},
    {BEHAVIOUR_SWIM, HEAD "1", 0.25},
    /* what the user says: by default of these tests distance_m + (lowest_max_m > 1) */
    {BEHAVIOUR_CUSTOM, "distance_m=3", 3},
    {BEHAVIOUR_CUSTOM, "distance_m=3 lowest_max_m=2", 4},
    {BEHAVIOUR_CUSTOM, "distance_m=3 fitness.expression=1-distance_m", 0},
    {BEHAVIOUR_CUSTOM, "distance_m=3 fitness.expression=1/(3-distance_m)", 0},
    /* one bad value among good ones */
    {BEHAVIOUR_WALK, "distance_m=9 size_m=nan", 0},
    {BEHAVIOUR_WALK, "distance_m=9 size_m=nan size_max_m=nan", 0},
    {BEHAVIOUR_SWIM, "windows=1 window_3_m=nan", 0},
};

static void give(const char *assignment)
{
    const char *value = strchr(assignment, '=') + 1;
    const char *name = printed("%.*s", (int)(value - assignment) - 1, assignment);
    if (strchr(name, '.')) {
        set(assignment);
        return;
    }
    int is_all = strcmp(name, "windows") == 0;
    int first = is_all ? MEASURE_window_1_m : measure_find(name);
    ck_assert_msg(first >= 0, "%s", name);
    for (int k = 0; k < (is_all ? MEASURE_WINDOWS : 1); k++)
        measures_set(&measures, first + k, strtod(value, NULL));
}

TEST_LOOP(formulas_give_what_is_worked_out_by_hand, 0, sizeof scores / sizeof scores[0])
{
    char text[200];
    snprintf(text, sizeof text, "%s", scores[_i].given);
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
        give(word);
    double value = fitness(scores[_i].behaviour);
    ck_assert_msg(fabs(value - scores[_i].fitness) <= (scores[_i].fitness > 0 ? 1e-13 : 0),
                  "%s: %.17g instead of %g", scores[_i].given, value, scores[_i].fitness);
}

TEST(swim_prefers_consistent_motion)
{
    /* All of them 4 m in all: a push and drift, its mirror image, back and forth, one weak
     * window. */
    static const double drift[] = {2, 1, 0.5, 0.25, 0.125, 0.0625, 0.03125, 0.03125};
    static const double late[] = {0.03125, 0.03125, 0.0625, 0.125, 0.25, 0.5, 1, 2};
    static const double weak[] = {0.55, 0.55, 0.55, 0.15, 0.55, 0.55, 0.55, 0.55};
    set_windows(drift);
    double drifting = fitness(BEHAVIOUR_SWIM);
    ck_assert_double_lt(drifting, 1.2);
    set_windows(late);
    ck_assert_double_gt(fitness(BEHAVIOUR_SWIM), drifting);
    ck_assert_double_lt(fitness(BEHAVIOUR_SWIM), 4);
    set_windows(weak);
    ck_assert_double_gt(fitness(BEHAVIOUR_SWIM), drifting);
    ck_assert_double_lt(fitness(BEHAVIOUR_SWIM), 3);
}

TEST(only_scored_verdicts_have_fitness)
{
    measures.size_m = 1;
    measures.distance_m = 10;
    measures.lowest_max_m = measures.clearance_mean_m = 10;
    measures.follow_share = measures.head_mean_m = measures.height_mean_m = 1;
    measures.height_max_m = 1;
    measures.reach_m = measures.distance_m;
    measures.time_s = params.simulation_duration_s = 10;
    measures.work_in_j = measures.contests = 1;
    give("windows=1");
    for (int behaviour = 0; behaviour < BEHAVIOUR_COUNT; behaviour++)
        for (int verdict = -1; verdict < 40; verdict++) {
            params.evolution_behaviour = behaviour;
            double value = behaviour_fitness(verdict, &measures, &params);
            int is_at_rest = verdict == VERDICT_MOTIONLESS && behaviour != BEHAVIOUR_SEEK;
            if (verdict == VERDICT_OK || is_at_rest || verdict == VERDICT_HOPELESS ||
                verdict == VERDICT_LANDED || verdict == VERDICT_FELL)
                ck_assert_double_gt(value, 0);
            else
                ck_assert_double_eq(value, 0);
        }
}

TEST(measures_that_are_not_finite_score_nothing)
{
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int behaviour = 0; behaviour < BEHAVIOUR_COUNT; behaviour++)
        for (int i = 0; i < 3; i++) {
            for (int m = 0; m < MEASURE_COUNT; m++)
                measures_set(&measures, m, bad[i]);
            double value = fitness(behaviour);
            /* these two measure nothing */
            int is_one = behaviour == BEHAVIOUR_INTERACTIVE || behaviour == BEHAVIOUR_PRESERVE;
            ck_assert_msg(value == is_one, "%s of %g is %g", behaviours[behaviour].name, bad[i],
                          value);
        }
}

SUITE("behaviour", 0, set_up, NULL)

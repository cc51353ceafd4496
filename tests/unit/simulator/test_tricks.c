/* Creatures that evolution came to by a trick: each still plays it where the rule that stops it is
 * switched off, and gains nothing by it as the examples are. tests/tricks has them, docs/results.md
 * tells about them. */
#include "common/judge/behaviour.h"
#include "common/creature/creature.h"
#include "tests/suite.h"
#include "simulator/evaluate/evaluate.h"
#include "tests/set_param.h"

#define SETTINGS_MAX 6

static const struct trick {
    const char *creature, *world;
    double gain;                       /* fitness at least, when let */
    int verdict;                       /* as the example is */
    double left;                       /* fitness at most, then */
    const char *without[SETTINGS_MAX]; /* what lets it */
} tricks[] = {
#define TRICK(creature, world, gain, verdict, left, ...)                                           \
    {                                                                                              \
        "tests/tricks/" creature, "examples/" world ".ini", gain, verdict, left,                   \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
    /* small parts on long pistons, which slide faster than muscles */
    TRICK("telescope.json", "jump", 5, VERDICT_JOINT_SPEED, 0, "creature.extension_max=off",
          "guard.joint_speed_m_s=off"),
    TRICK("tower.json", "head-up", 5, VERDICT_JOINT_SPEED, 0, "guard.joint_speed_m_s=off"),
    /* a flight that is paid for by the height it starts at */
    TRICK("glider.json", "fly", 15, VERDICT_LANDED, 0, "evolution.behaviour=swim",
          "settle.drop_m=10", "simulation.duration_s=10", "world.drag_law=linear",
          "world.drag_faces=all", "world.viscosity_pa_s=0.5"),
    /* a run over the edge, timed so that the fall comes after the end */
    TRICK("edge.json", "platform", 4, VERDICT_OK, 0, "evolution.behaviour=custom",
          "fitness.expression=if(fell, 0, reach_m)", "simulation.duration_s=9.95"),
    /* arms that hang down at first, raised and held, by a body that bounces a little below them */
    TRICK("raiser.json", "hop", 0.8, VERDICT_OK, 0.11, "evolution.behaviour=custom",
          "fitness.expression=(height_mean_m - height_start_m) * (1 - contact_share)"),
    /* the same, by its highest jump, which it does once */
    TRICK("raiser.json", "hop", 0.15, VERDICT_OK, 0.11, "evolution.behaviour=custom",
          "fitness.expression=min(height_mean_m - height_start_m, lowest_max_m) * (1 - "
          "contact_share)"),
    /* legs that fold faster than the trunk falls */
    TRICK("folder.json", "jump3d", 0.3, VERDICT_OK, 0.01, "evolution.behaviour=custom",
          "fitness.expression=lowest_max_m - lowest_start_m"),
    /* a fall towards the first light, beside which it lies still */
    TRICK("toppler.creature", "seek-land3d", 0.13, VERDICT_MOTIONLESS, 0, "guard.motionless_s=off"),
    /* pistons that throw a walker ahead faster than muscles can, each time for less than 50 ms */
    TRICK("pulses.creature", "walk", 20, VERDICT_JOINT_SPEED, 0, "guard.joint_pulse_s=off"),
    /* round stairs that end beside it: of a course without ground it falls */
    TRICK("roundabout.json", "course", 12, VERDICT_FELL, 0, "evolution.behaviour=walk",
          "boxes.neighbours=pass", "world.ground=yes", "simulation.until=time",
          "world.obstacles=1.5 -0.44 0.6 1 0 * 8 0.6 0.06, 6.3 -0.02 0.6 1 0 * 8 0.6 -0.06, "
          "-1.5 -0.44 0.6 1 0 * 8 -0.6 0.06, -6.3 -0.02 0.6 1 0 * 8 -0.6 -0.06"),
};

#define TRICK_COUNT ((int)(sizeof tricks / sizeof tricks[0]))

static const char *const flyers[] = {"examples/creatures/flyer.json",
                                     "examples/creatures/flapper.json"};

#define FLYER_COUNT ((int)(sizeof flyers / sizeof flyers[0]))

/* The seed by which its run's lights stood where the circler passes by. */
#define CIRCLER_SEED 0xcdefe29c6d17333a

/* Evaluates the creature of a file, with its muscles or without. */
static void play(const char *path, const struct params *params, uint64_t seed, int is_limp,
                 struct evaluation *result)
{
    SCOPED(creature) creature;
    struct error error;
    SCOPED(arena) arena;

    ck_ok(params_check(params, &error));
    ck_ok(creature_read(&creature, path, &error));
    for (int i = 0; is_limp && i < creature.genome.body_count; i++)
        creature.genome.bodies[i].effector_input.weight = 0;
    ck_assert_int_eq(arena_init(&arena, EVALUATE_ARENA_BYTES), 0);
    evaluate(&creature.genome, params, seed, &arena, NULL, NULL, result);
}

static void read_world(struct params *params, const char *path)
{
    struct error error;
    params_set_defaults(params);
    ck_ok(params_read_file(params, path, &error));
}

/* The muscles that these tricks were bred with and need: as strong at any speed. */
static void give_old_muscles(struct params *params)
{
    params->rectangles_strength_n = 10;
    params->rectangles_linear_strength_n_m = 50;
    params->creature_hill_curvature = 0;
}

/* Fitness in the trick's world, with its settings or without. */
static double judge(const struct trick *trick, int is_let, struct evaluation *result)
{
    struct params params;
    struct error error;
    read_world(&params, trick->world);
    give_old_muscles(&params);
    for (int i = 0; is_let && i < SETTINGS_MAX && trick->without[i]; i++)
        ck_assert_int_eq(set_param(&params, trick->without[i], &error), 0);
    play(trick->creature, &params, 1, 0, result);
    return behaviour_fitness(result->verdict, &result->measures, &params);
}

TEST_LOOP(tricks_gain_nothing, 0, TRICK_COUNT)
{
    const struct trick *trick = &tricks[_i];
    struct evaluation result;
    ck_assert_double_ge(judge(trick, 1, &result), trick->gain);
    ck_assert_double_le(judge(trick, 0, &result), trick->left);
    ck_assert_msg(result.verdict == trick->verdict, "%s: %s", trick->creature,
                  verdict_name(result.verdict));
}

/* This one's world has the rule in the referee's runs: there the lights are elsewhere. */
TEST_LOOP(lights_learned_by_heart_are_elsewhere, 0, 3)
{
    struct evaluation result;
    struct params params;
    read_world(&params, "examples/seek.ini");
    give_old_muscles(&params);
    params.simulation_perturbation = _i;
    play("tests/tricks/circler.json", &params, CIRCLER_SEED, 0, &result);
    double share = measures_get(&result.measures, MEASURE_follow_share);
    if (_i == 0)
        ck_assert_double_gt(share, 0.5);
    else
        ck_assert_double_lt(share, 0);
}

/* The other way round: a flyer flies by its muscles, which the example makes stronger than
 * others', and comes down at once without. */
TEST_LOOP(flight_is_by_muscles, 0, FLYER_COUNT)
{
    struct evaluation result;
    struct params params;
    read_world(&params, "examples/fly.ini");
    play(flyers[_i], &params, 1, 0, &result);
    ck_assert_int_eq(result.verdict, VERDICT_OK);
    ck_assert_double_gt(result.measures.displacement_m, 20);
    ck_assert_double_gt(result.measures.power_w_kg, 50);
    play(flyers[_i], &params, 1, 1, &result);
    ck_assert_int_eq(result.verdict, VERDICT_LANDED);
    ck_assert_double_lt(result.measures.time_s, 5);
}

SUITE("tricks", 0, NULL, NULL)

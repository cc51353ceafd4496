/* Guards and bodies of spheres: trembling is caught, motion as fast as muscles allow is not.
 * Default damping brings bodies without orders to rest. */
#include "common/creature/creature.h"
#include "common/genetics/genetics_random.h"
#include "tests/random_genome.h"
#include "tests/unit/grown_fixture.h"
#include "simulator/evaluate/evaluate.h"

static struct evaluation result;

static void set_up(void)
{
    grown_set_up(BODY_SPHERES);
}

static void run(void)
{
    ck_ok(genome_check(&genome, &error));
    evaluate(&genome, &params, 1, &arena, NULL, NULL, &result);
}

/* ---- trembling ---- */

static struct input_gene constant(double value)
{
    return (struct input_gene){.kind = INPUT_CONSTANT, .value = value, .weight = 1};
}

/* Two spheres on the ground and a muscle between them that a wave drives. */
static void make_dumbbell(double frequency_hz)
{
    for (int i = 0; i < 2; i++) {
        struct body_gene *body = grown_body(JOINT_FREE);
        body->sphere.radius_m = 0.1;
        body->sphere.friction = 1;
    }
    genome.bodies[1].has_effector = 1;
    genome.bodies[1].effector_strength = 1;
    genome.bodies[1].effector_input =
        (struct input_gene){.kind = INPUT_NEURON, .source = 20, .weight = 1};
    struct connection_gene *bone = genome_add(&genome, GENOME_CONNECTIONS);
    bone->id = 10;
    bone->from = 1;
    bone->to = 2;
    bone->scale = 1;
    bone->bone = (struct bone_gene){
        .length_m = 0.6, .gain = 1, .shortest = 0.7, .longest = 1.3, .rate_1_s = 20};
    struct neuron_gene *wave = genome_add(&genome, GENOME_NEURONS);
    wave->id = 20;
    wave->owner = 2;
    wave->function = NEURON_OSCILLATE_WAVE;
    wave->inputs[0] = constant(frequency_hz);
    wave->inputs[1] = constant(1);
    set("guard.motionless_s=0");
}

TEST(who_trembles_is_caught)
{
    make_dumbbell(13);
    set("spheres.muscle_speed_m_s=100");
    run();
    ck_assert_int_eq(result.verdict, VERDICT_VIBRATION);
    set("guard.reversals_hz=0");
    run();
    ck_assert_int_eq(result.verdict, VERDICT_OK);
    ck_assert_double_eq_tol(result.measures.reversals_max_hz, 26, 1);
}

TEST(who_moves_fast_is_not)
{
    make_dumbbell(8);
    set("spheres.muscle_speed_m_s=100");
    run();
    ck_assert_int_eq(result.verdict, VERDICT_OK);
    ck_assert_double_eq_tol(result.measures.reversals_max_hz, 16, 1);
}

/* ---- the examples ---- */

static const char *const examples[] = {"spider", "hopper", "tripod", "caterpillar"};

/* An example's parameters and creature. */
static void read_example(int index)
{
    SCOPED(creature) creature;
    const char *path = printed("examples/%s.ini", examples[index]);
    ck_ok(params_read_file(&params, path, &error));
    path = printed("examples/creatures/%s.json", examples[index]);
    ck_ok(creature_read(&creature, path, &error));
    genome_deinit(&genome);
    ck_assert_int_eq(genome_copy(&genome, &creature.genome), 0);
}

/* ---- the step ---- */

/* What an example does is a matter of its body, not of the step: it goes as far with fine ones. */
TEST_LOOP(the_examples_go_as_far_at_every_step, 0, 4)
{
    double way[6], least = HUGE_VAL, most = 0;
    for (int i = 0; i < 6; i++) {
        params_set_defaults(&params);
        read_example(_i);
        set(printed("spheres.substeps=%d", 2 << i));
        set("guard.motionless_s=0");
        evaluate(&genome, &params, 1, &arena, NULL, NULL, &result);
        ck_assert_int_eq(result.verdict, VERDICT_OK);
        ck_assert_double_lt(result.measures.residual_share, 0.01);
        ck_assert_double_eq_tol(hypot(result.measures.way_x_m, result.measures.way_z_m),
                                result.measures.distance_m, 1e-12);
        way[i] = result.measures.distance_m;
        least = fmin(least, way[i]);
        most = fmax(most, way[i]);
    }
    ck_assert_double_gt(least, 0.2);
    ck_assert_msg(most <= 1.1 * least, "%s: %.3f %.3f %.3f %.3f %.3f %.3f m", examples[_i], way[0],
                  way[1], way[2], way[3], way[4], way[5]);
}

/* On a floor without friction nothing pushes anybody aside, whatever its muscles do. */
TEST(nobody_gets_anywhere_without_friction)
{
    int scored = 0;
    for (uint64_t number = 0; number < 100; number++) {
        set("creature.body=spheres", "world.friction=0", "creature.friction=0",
            "guard.motionless_s=0", "simulation.duration_s=5");
        genome_deinit(&genome);
        random_genome(&genome, &params, RNG_RANDOM_GENOME, 2, number);
        evaluate(&genome, &params, 1, &arena, NULL, NULL, &result);
        ck_assert_int_ne(result.verdict, VERDICT_MOMENTUM);
        scored += verdict_is_scored(result.verdict);
        ck_assert_double_lt(result.measures.distance_max_m > 0 ? result.measures.distance_m : 0,
                            1e-6);
    }
    ck_assert_int_gt(scored, 30);
}

/* ---- rest ---- */

TEST(who_has_no_orders_rests)
{
    set("creature.effectors=no");
    make_dumbbell(1);
    genome.bodies[0].sphere.is_rolling = genome.bodies[1].sphere.is_rolling = 1;
    run();
    ck_assert_int_eq(result.verdict, VERDICT_OK);
    ck_assert_double_lt(result.measures.speed_max_m_s, 1e-3);
}

SUITE("evaluate_spheres", 300, set_up, grown_tear_down)

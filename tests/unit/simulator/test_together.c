/* Several creatures evaluated together: far apart each has, bit for bit, the result of an
 * evaluation of its own, from the same place; near one another they touch, and feel it. */
#include "common/genome/body_kind.h"
#include "simulator/evaluate/run.h"
#include "tests/plain_fixture.h"
#include "simulator/evaluate/evaluate.h"
#include "tests/evaluate_together.h"
#include "tests/random_genome.h"

enum { MOST = 4 };

static struct genome genomes[MOST];
static struct evaluate_task tasks[MOST];
static struct evaluation results[MOST];

static void setup(void)
{
    arena_open(4 * EVALUATE_ARENA_BYTES);
    params_set_defaults(&params);
    params.simulation_duration_s = 4;
    for (int i = 0; i < MOST; i++)
        genome_init(&genomes[i]);
}

static void teardown(void)
{
    for (int i = 0; i < MOST; i++)
        genome_deinit(&genomes[i]);
}

static void draw(int i, uint64_t id)
{
    genome_deinit(&genomes[i]);
    random_genome(&genomes[i], &params, RNG_RANDOM_GENOME, 24, id);
}

static void ck_same(const struct evaluation *a, const struct evaluation *b)
{
    ck_assert_int_eq(a->verdict, b->verdict);
    ck_assert_uint_eq(a->digest, b->digest);
    ck_assert_mem_eq(&a->measures, &b->measures, sizeof a->measures);
}

/* Returns how many got a score. */
static int check_apart(int rounds)
{
    int scored = 0;
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < MOST; i++) {
            draw(i, (uint64_t)(round * MOST + i + 1));
            tasks[i] = (struct evaluate_task){
                .genome = &genomes[i], .seed = (uint64_t)i, .x_m = 200 * i - 100};
        }
        evaluate_together(tasks, MOST, &params, &arena, NULL, NULL, results);
        for (int i = 0; i < MOST; i++) {
            struct evaluation alone;
            evaluate_together(&tasks[i], 1, &params, &arena, NULL, NULL, &alone);
            ck_same(&alone, &results[i]);
            scored += verdict_is_scored(alone.verdict);
        }
    }
    return scored;
}

TEST_LOOP(far_apart_is_as_alone_on_land, 0, body_kind_count)
{
    params.creature_body = _i;
    ck_assert_int_gt(check_apart(8), 8);
}

TEST_LOOP(far_apart_is_as_alone_in_water, 0, body_kind_count)
{
    params.creature_body = _i;
    set("world.gravity_m_s2=0", "world.ground=no", "world.viscosity_pa_s=1");
    ck_assert_int_gt(check_apart(6), 6);
}

TEST_LOOP(one_at_its_usual_place_is_an_evaluation, 0, body_kind_count)
{
    params.creature_body = _i;
    for (uint64_t id = 1; id < 12; id++) {
        struct evaluation alone;
        draw(0, id);
        tasks[0] = (struct evaluate_task){.genome = &genomes[0], .seed = 5, .x_m = 0};
        evaluate(&genomes[0], &params, 5, &arena, NULL, NULL, &alone);
        evaluate_together(tasks, 1, &params, &arena, NULL, NULL, results);
        ck_same(&alone, &results[0]);
    }
}

/* A verdict ends one evaluation, not the others; and its body stays in the way. */
TEST_LOOP(a_verdict_ends_one_evaluation, 0, body_kind_count)
{
    struct evaluation alone;
    int ended = 0;
    params.creature_body = _i;
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < 2; i++) {
            draw(i, (uint64_t)(2 * round + i + 1));
            tasks[i] = (struct evaluate_task){.genome = &genomes[i], .seed = 5, .x_m = 100 * i};
        }
        evaluate_together(tasks, 2, &params, &arena, NULL, NULL, results);
        ended += (results[0].verdict == VERDICT_OK) != (results[1].verdict == VERDICT_OK);
        for (int i = 0; i < 2; i++) {
            evaluate_together(&tasks[i], 1, &params, &arena, NULL, NULL, &alone);
            ck_same(&alone, &results[i]);
        }
    }
    ck_assert_int_gt(ended, 1);
}

/* ---------------------------------------------------------------- touching */

static void make_box(int i)
{
    struct body_gene *body = genome_add(&genomes[i], GENOME_BODIES);
    ck_assert_ptr_nonnull(body);
    genomes[i].root = body->id = 1;
    body->width_m = 0.5;
    body->height_m = 0.5;
    body->joint = JOINT_RIGID;
    body->recursive_limit = 1;
}

/* What the roots feel at the end. */
struct felt {
    double right[2], left[2];
    int others; /* points of contact with the other one */
};

static int feel(void *context, const struct evaluate_view *view)
{
    struct felt *felt = context;
    const struct contact_point *points;
    int count = dynamics_contacts(view->dynamics, &points);
    if (view->phase != PHASE_SCORE || view->time_s == 0)
        return 0;
    felt->right[view->creature] = view->sensors[SENSOR_CONTACT_RIGHT];
    felt->left[view->creature] = view->sensors[SENSOR_CONTACT_LEFT];
    for (int i = 0; i < count; i++) {
        ck_assert_int_eq(points[i].creature, view->creature);
        felt->others += points[i].other_creature == !view->creature;
    }
    return 0;
}

TEST(creatures_feel_one_another)
{
    struct felt felt = {.others = 0};
    set("creature.parts_min=1", "simulation.duration_s=0.2");
    for (int i = 0; i < 2; i++) {
        make_box(i);
        tasks[i] = (struct evaluate_task){.genome = &genomes[i], .seed = 5, .x_m = 0.498 * i};
    }
    evaluate_together(tasks, 2, &params, &arena, feel, &felt, results);
    ck_assert_int_eq(results[0].verdict, VERDICT_OK);
    ck_assert_int_eq(results[1].verdict, VERDICT_OK);
    ck_assert_int_gt(felt.others, 0);
    ck_assert_double_eq(felt.right[0], 1);
    ck_assert_double_eq(felt.left[0], -1);
    ck_assert_double_eq(felt.right[1], -1);
    ck_assert_double_eq(felt.left[1], 1);
}

/* The guards on momentum and energy know what others give. The bound on energy is wide, as the
 * error of steps is not looked for here: one of these bodies misses 1 % at 1/240 s, and not at half
 * of that. */
TEST_LOOP(creatures_that_meet_break_no_law, 0, body_kind_count)
{
    int changed = 0, broken = 0, rounds = CHECKS_ARE_DEAR ? 10 : 30;
    set("guard.energy_share=0.02");
    params.creature_body = _i;
    for (int round = 0; round < rounds; round++) {
        struct evaluation alone[2];
        double apart = 0;
        for (int i = 0; i < 2; i++) {
            draw(i, (uint64_t)(2 * round + i + 1));
            evaluate(&genomes[i], &params, 5, &arena, NULL, NULL, &alone[i]);
            apart += alone[i].measures.size_m / 2;
        }
        /* bodies do not overlap at the start */
        for (int i = 0; i < 2; i++) {
            tasks[i] = (struct evaluate_task){.genome = &genomes[i], .seed = 5, .x_m = apart * i};
            evaluate_together(&tasks[i], 1, &params, &arena, NULL, NULL, &alone[i]);
        }
        evaluate_together(tasks, 2, &params, &arena, NULL, NULL, results);
        for (int i = 0; i < 2; i++) {
            changed += results[i].digest != alone[i].digest;
            broken += results[i].verdict == VERDICT_MOMENTUM && alone[i].verdict == VERDICT_OK;
            broken += results[i].verdict == VERDICT_ENERGY && alone[i].verdict == VERDICT_OK;
        }
    }
    ck_assert_int_gt(changed, rounds / 6);
    ck_assert_int_eq(broken, 0);
}

TEST_LOOP(a_full_arena_is_a_verdict, 0, body_kind_count)
{
    params.creature_body = _i;
    for (int i = 0; i < 2; i++) {
        draw(i, (uint64_t)i + 1);
        tasks[i] = (struct evaluate_task){.genome = &genomes[i], .seed = 5, .x_m = 100 * i};
    }
    for (size_t size = 256; size < 1u << 20; size += size / 2) {
        SCOPED(arena) small;
        ck_assert_int_eq(arena_init(&small, size), 0);
        evaluate_together(tasks, 2, &params, &small, NULL, NULL, results);
        if (size < 4096)
            ck_assert_int_eq(results[1].verdict, VERDICT_MEMORY);
    }
}

SUITE("together", 120, setup, teardown)

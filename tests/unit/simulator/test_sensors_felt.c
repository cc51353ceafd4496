/* Each sensor of each kind of body has a value other than 0 at some tick of a random creature: one
 * that nothing writes is found here. What worlds of a preserve alone write (pain, reserve) is in
 * test_senses.c. */
#include "simulator/evaluate/run.h"

#include "common/genome/body_kind.h"
#include "simulator/evaluate/evaluate.h"
#include "tests/plain_fixture.h"
#include "tests/random_genome.h"

enum { CREATURES_MOST = 300 };
#define OF_PRESERVES (SENSOR_BIT(SENSOR_PAIN) | SENSOR_BIT(SENSOR_RESERVE))
#define OF_OTHERS                                                                                  \
    (SENSORS_OF_SIGHT(OTHER) | SENSORS_OF_SIGHT(OBJECT) | SENSORS_OF_SIGHT(SOUND) |                \
     SENSORS_OF_SIGHT(SCENT_1) | SENSORS_OF_SIGHT(SCENT_2) | SENSOR_BIT(SENSOR_TOUCH_KIND))

static uint64_t felt;

static void set_up(void)
{
    arena_open(2 * EVALUATE_ARENA_BYTES);
    params_set_defaults(&params);
}

static void switch_on(size_t field)
{
    for (int i = 0; i < param_count; i++)
        if (param_table[i].offset == field && param_table[i].type == PARAM_BOOL)
            *(int *)((char *)&params + field) = 1;
}

/* Switches on all that a kind has, and lets creatures move. */
static void set_kind(int kind)
{
    params.creature_body = kind;
    for (int k = 0; k < SENSOR_COUNT; k++)
        switch_on(sensors[k].switch_at);
    set("initial.oscillators=1", "initial.effectors=1", "simulation.duration_s=3");
    if (body_kinds[kind].can_stretch)
        set("creature.stretch_max=0.5");
    if (kind == BODY_SPHERES)
        set("spheres.dimensions=3");
}

static int note(void *context, const struct evaluate_view *view)
{
    for (int i = 0; i < view->phenotype->part_count; i++)
        for (int k = 0; k < SENSOR_COUNT; k++)
            if (view->sensors[i * SENSOR_COUNT + k] != 0)
                felt |= SENSOR_BIT(k);
    return 0;
}

static void check_felt(uint64_t wanted)
{
    for (int k = 0; k < SENSOR_COUNT; k++)
        ck_assert_msg(!(wanted & ~felt & SENSOR_BIT(k)), "%s of %s is always 0", sensors[k].name,
                      body_kinds[params.creature_body].name);
}

TEST_LOOP(each_sensor_is_felt, 0, BODY_KIND_COUNT)
{
    set_kind(_i);
    set("light.kind=still");
    uint64_t wanted = body_kinds[_i].sensors & sensors_switched_on(&params);
    wanted &= ~(OF_OTHERS | OF_PRESERVES);
    felt = 0;
    for (uint64_t id = 1; id < CREATURES_MOST && (wanted & ~felt); id++) {
        SCOPED(genome) genome;
        struct evaluation result;
        random_genome(&genome, &params, RNG_RANDOM_GENOME, 24, id);
        evaluate(&genome, &params, id, &arena, note, NULL, &result);
    }
    check_felt(wanted);
}

/* Where two meet, and a ball. */
TEST_LOOP(each_sensor_of_others_is_felt, 0, BODY_KIND_COUNT)
{
    if (!body_kinds[_i].can_contend)
        return;
    contest_apply(&params);
    set_kind(_i);
    set("contest.goal=ball", "contest.line_m=0.3");
    uint64_t wanted = body_kinds[_i].sensors & sensors_switched_on(&params);
    wanted &= ~(OF_PRESERVES | SENSORS_OF_SIGHT(LIGHT));
    felt = 0;
    for (uint64_t id = 1; id < CREATURES_MOST && (wanted & ~felt); id++) {
        SCOPED(genome) a, b;
        const struct genome *const genomes[2] = {&a, &b};
        const struct contest_bout bout = {.seed = id, .line_m = params.contest_line_m};
        struct contest_result result;
        random_genome(&a, &params, RNG_RANDOM_GENOME, 24, 2 * id);
        random_genome(&b, &params, RNG_RANDOM_GENOME, 24, 2 * id + 1);
        ck_ok(contest_check(&a, &b, &params, &error));
        const struct evaluate_order order = {.genomes = genomes,
                                             .count = 2,
                                             .params = &params,
                                             .seed = id,
                                             .bout = &bout,
                                             .contest = &result};
        const struct evaluate_onlooker onlooker = {.observe = note};
        struct evaluation results[2];
        evaluate_list(&order, &onlooker, &arena, results);
    }
    check_felt(wanted);
}

SUITE("sensors_felt", 60, set_up, NULL)

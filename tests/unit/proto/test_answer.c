/* Answers held against their tasks: what an honest simulator says passes, and each lie is refused
 * by the name of its field. runs: watched */
#include "proto/answer.h"

#include "common/math/hash.h"
#include "tests/plain_fixture.h"

static struct task task;
static struct result result;

static void set_up(void)
{
    params_set_defaults(&params);
    task = (struct task){.id = 7, .creature = 5, .rival_count = 1};
    result = (struct result){.id = 7, .creature = 5, .rival_count = 1};
    error = (struct error){0};
}

static void pack(struct packed_bytes *packed, const char *text, uint64_t *digest)
{
    SCOPED(pack_writer) writer;
    pack_writer_init(&writer);
    pack_text(&writer, text);
    ck_assert_int_eq(packed_bytes_compress(packed, &writer), 0);
    if (digest)
        *digest = hash_bytes(HASH_START, writer.buffer.data, writer.buffer.size);
}

/* An epoch with one life that ended and one that goes on. */
static void set_up_epoch(void)
{
    set_up();
    params.preserve_worlds = 2;
    task = (struct task){.id = 7, .epoch = epoch_order_create()};
    task.epoch->epoch = 3;
    result = (struct result){.id = 7, .epoch = epoch_end_create()};
    pack(&result.epoch->state, "a world", &result.digest);
    int64_t *facts = result.epoch->facts;
    facts[EPOCH_start_uj] = 100;
    facts[EPOCH_sun_uj] = 50;
    facts[EPOCH_heat_uj] = 30;
    facts[EPOCH_arrivals_uj] = 7;
    facts[EPOCH_departures_uj] = 2;
    facts[EPOCH_plants_uj] = 120;
    facts[EPOCH_scent_uj] = 5;
    struct epoch_life life = {
        .id = 9, .born_tick = -3, .died_tick = -1, .cause = -1, .preyed_tick = -1};
    ck_assert_int_eq(epoch_end_add_life(result.epoch, &life), 0);
    life.died_tick = 80;
    life.cause = 1;
    life.preyed_tick = 70;
    ck_assert_int_eq(epoch_end_add_life(result.epoch, &life), 0);
}

static void tear_down(void)
{
    task_deinit(&task);
    epoch_end_destroy(result.epoch);
}

static void passes(void)
{
    ck_ok(answer_check(&task, &result, &params, &error));
}

static void is_refused(const char *field)
{
    ck_assert_msg(answer_check(&task, &result, &params, &error) < 0, "no fault of %s", field);
    ck_assert_msg(strstr(error.message, field) == error.message, "%s", error.message);
}

/* Refused with this value, and passed with the one before. */
#define LIE(place, value, field)                                                                   \
    do {                                                                                           \
        __typeof__(place) honest = (place);                                                        \
        (place) = (value);                                                                         \
        is_refused(field);                                                                         \
        (place) = honest;                                                                          \
        passes();                                                                                  \
    } while (0)

TEST(evaluations)
{
    passes();
    LIE(result.creature, 6, "result.creature");
    LIE(result.rival_count, 0, "result.rivals");
    LIE(task.rival_count, 0, "result.rivals");
    LIE(result.pace_least_m_s, 1e31, "result.pace_least_m_s");
    LIE(result.cost.wall_ms, 1e16, "result.cost");
    LIE(result.cost.cpu_ms, 1e308, "result.cost");
    LIE(result.cost.arena_bytes, UINT64_MAX, "result.cost");
}

/* Each measure of each side, beyond its bounds and at them. */
TEST_LOOP(measures_have_bounds, 0, 2)
{
    struct measures *measures = _i ? &result.rivals[0].measures : &result.measures;
    for (int i = 0; i < MEASURE_COUNT; i++) {
        double *measure = (double *)measures + i;
        int is_share = strncmp(measure_table[i].name, "contest_", 8) == 0;
        double most = is_share ? 1 : MEASURE_MOST;
        const char *field =
            printed("result.%smeasures.%s: ", _i ? "rivals." : "", measure_table[i].name);
        LIE(*measure, 1.01 * most, field);
        LIE(*measure, -1.01 * most, field);
        LIE(*measure, 1 / 0.0, field);
        LIE(*measure, 0 / 0.0, field);
        *measure = most;
        passes();
        *measure = -most;
        passes();
    }
}

FIXTURE(set_up_epoch, tear_down)

TEST(kinds_are_not_mixed)
{
    LIE(task.epoch, NULL, "epoch_end for an evaluation");
    LIE(result.epoch, NULL, "result for an epoch");
}

TEST(epochs)
{
    struct epoch_end *end = result.epoch;
    static unsigned char garbage[] = {0, 0, 0, 9, 1, 2, 3}, huge[] = {255, 0, 0, 0, 1, 2, 3};
    passes();
    LIE(end->state, ((struct packed_bytes){NULL, 0}), "epoch_end.state");
    LIE(end->state, ((struct packed_bytes){garbage, 4}), "epoch_end.state");
    LIE(end->state, ((struct packed_bytes){garbage, 7}), "epoch_end.state");
    LIE(end->state, ((struct packed_bytes){huge, 7}), "epoch_end.state");
    LIE(result.digest, result.digest + 1, "epoch_end.digest");
    LIE(end->traveller, ((struct packed_bytes){garbage, 7}), "epoch_end.traveller");
    pack(&end->traveller, "an egg", NULL);
    passes();
    LIE(params.preserve_worlds, 1, "epoch_end.traveller");
    LIE(task.epoch->epoch, 0, "epoch_end.traveller");
    for (int i = 0; i < EPOCH_FACT_COUNT; i++)
        LIE(end->facts[i], INT64_MAX, "epoch_end.facts");
    for (int i = EPOCH_plants_uj; i < EPOCH_FACT_COUNT; i++)
        LIE(end->facts[i], end->facts[i] + 1, "epoch_end.facts");
    LIE(result.cost.cpu_ms, 1e308, "result.cost");
}

TEST(lives)
{
    struct epoch_life *alive = &result.epoch->lives[0], *dead = &result.epoch->lives[1];
    uint64_t many = UINT64_C(1) << 54;
    LIE(alive->id, 0, "epoch_end.lives");
    LIE(alive->id, many, "epoch_end.lives");
    LIE(alive->mother, many, "epoch_end.lives");
    LIE(alive->father, many, "epoch_end.lives");
    LIE(alive->born_tick, INT64_C(1) << 49, "epoch_end.lives");
    LIE(alive->born_tick, INT64_MIN, "epoch_end.lives");
    LIE(alive->cause, 2, "epoch_end.lives");
    LIE(dead->cause, -1, "epoch_end.lives");
    LIE(dead->died_tick, -1, "epoch_end.lives");
    LIE(dead->died_tick, -4, "epoch_end.lives");
    LIE(dead->died_tick, INT64_MAX, "epoch_end.lives");
    LIE(dead->preyed_tick, INT64_MAX, "epoch_end.lives");
    LIE(dead->born_tick, 75, "epoch_end.lives");
    LIE(alive->area_m2, -1, "epoch_end.lives");
    LIE(alive->area_m2, 1e308, "epoch_end.lives");
    LIE(alive->way_m, 1e308, "epoch_end.lives");
    LIE(alive->depth_m, NAN, "epoch_end.lives");
    LIE(alive->drawn_m2, -1, "epoch_end.lives");
    for (int i = 0; i < EPOCH_FOOD_COUNT; i++)
        LIE(alive->gained_uj[i], INT64_MAX, "epoch_end.lives");
}

SUITE("answer", 0, set_up, tear_down)

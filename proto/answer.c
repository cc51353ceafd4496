/* See answer.h. */
#include "proto/answer.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "common/math/hash.h"

/* Times, in ms, and memory, in bytes. */
#define COST_MOST 1e15

/* ---- evaluations ---- */

static int check_measures(const struct measures *measures, const char *where, struct error *error)
{
    int fault = measures_find_fault(measures);
    return fault < 0 ? 0
                     : error_set(error, ERR_RANGE, "%s.%s: %g", where, measure_table[fault].name,
                                 measures_get(measures, fault));
}

static int check_evaluation(const struct task *task, const struct result *result,
                            struct error *error)
{
    if (result->creature != task->creature)
        return error_set(error, ERR_RANGE, "result.creature: %" PRIu64 ", not %" PRIu64,
                         result->creature, task->creature);
    if (result->rival_count != task->rival_count)
        return error_set(error, ERR_RANGE, "result.rivals: %d, not %d", result->rival_count,
                         task->rival_count);
    if (result->pace_least_m_s > MEASURE_MOST)
        return error_set(error, ERR_RANGE, "result.pace_least_m_s: %g", result->pace_least_m_s);
    int status = check_measures(&result->measures, "result.measures", error);
    for (int i = 0; i < result->rival_count && status == 0; i++)
        status = check_measures(&result->rivals[i].measures, "result.rivals.measures", error);
    return status;
}

/* ---- epochs ---- */

/* Unpacks the bytes for a moment, to see that they can be; `digest` (may be NULL) receives their
 * hash. */
static int unpack(const struct packed_bytes *packed, const char *where, uint64_t *digest,
                  struct error *error)
{
    unsigned char *bytes;
    size_t length;
    int status = packed_bytes_uncompress(packed, &bytes, &length, error);
    if (status != 0)
        return error_prefix(error, "%s", where);
    if (digest)
        *digest = hash_bytes(HASH_START, bytes, length);
    free(bytes);
    return 0;
}

/* An egg leaves for another world: that there is none is said by no bytes. */
static int check_bytes(const struct task *task, const struct result *result,
                       const struct params *params, struct error *error)
{
    const struct epoch_end *end = result->epoch;
    uint64_t digest = 0;
    int status = unpack(&end->state, "epoch_end.state", &digest, error);
    if (status == 0 && digest != result->digest)
        status = error_set(error, ERR_RANGE, "epoch_end.digest: it is not that of the state");
    if (status != 0 || end->traveller.length == 0)
        return status;
    if (params->preserve_worlds < 2 || task->epoch->epoch == 0)
        return error_set(error, ERR_RANGE, "epoch_end.traveller: there is no way out");
    return unpack(&end->traveller, "epoch_end.traveller", NULL, error);
}

/* Stores are what flows made of them, to the microjoule. */
static int check_facts(const int64_t *facts, struct error *error)
{
    for (int i = 0; i < EPOCH_FACT_COUNT; i++)
        if (facts[i] > (i < EPOCH_eaten_plants_uj ? EPOCH_COUNT_MOST : EPOCH_FACT_MOST))
            return error_set(error, ERR_RANGE, "epoch_end.facts: %s is %" PRId64,
                             epoch_fact_names[i], facts[i]);
    int64_t imbalance = epoch_imbalance(facts);
    return imbalance == 0
               ? 0
               : error_set(error, ERR_RANGE,
                           "epoch_end.facts: stores hold %" PRId64 " uJ more than flows brought",
                           imbalance);
}

/* An event of a life, after its birth; -1: it did not happen. */
static int is_of_life(int64_t tick, const struct epoch_life *life)
{
    return tick == -1 || (tick >= life->born_tick && tick <= EPOCH_TICK_MOST);
}

static int check_life(const struct epoch_life *life, struct error *error)
{
    static const char where[] = "epoch_end.lives";
    const uint64_t id_most = (uint64_t)EPOCH_COUNT_MOST;
    if (life->id < 1 || life->id > id_most || life->mother > id_most || life->father > id_most)
        return error_set(error, ERR_RANGE, "%s: ids %" PRIu64 ", %" PRIu64 ", %" PRIu64, where,
                         life->id, life->mother, life->father);
    if (life->born_tick < -EPOCH_TICK_MOST || life->born_tick > EPOCH_TICK_MOST ||
        !is_of_life(life->died_tick, life) || !is_of_life(life->preyed_tick, life))
        return error_set(error, ERR_RANGE,
                         "%s: %" PRIu64 " is born at tick %" PRId64 ", died at %" PRId64
                         ", ate of the living at %" PRId64,
                         where, life->id, life->born_tick, life->died_tick, life->preyed_tick);
    if ((life->died_tick < 0) != (life->cause < 0))
        return error_set(error, ERR_RANGE, "%s: %" PRIu64 " died at %" PRId64 " of cause %" PRId64,
                         where, life->id, life->died_tick, life->cause);
    if (!(life->area_m2 >= 0 && life->area_m2 <= LIFE_MOST) ||
        !(life->way_m >= 0 && life->way_m <= LIFE_MOST) || !(fabs(life->depth_m) <= LIFE_MOST) ||
        !(life->drawn_m2 >= 0 && life->drawn_m2 <= LIFE_MOST))
        return error_set(error, ERR_RANGE,
                         "%s: %" PRIu64 " has an area of %g m2, a way of %g m, a depth of %g m, "
                         "drawn %g m2",
                         where, life->id, life->area_m2, life->way_m, life->depth_m,
                         life->drawn_m2);
    for (int i = 0; i < EPOCH_FOOD_COUNT; i++)
        if (life->gained_uj[i] > EPOCH_FACT_MOST)
            return error_set(error, ERR_RANGE, "%s: %" PRIu64 " ate %" PRId64 " uJ", where,
                             life->id, life->gained_uj[i]);
    return 0;
}

static int check_epoch(const struct task *task, const struct result *result,
                       const struct params *params, struct error *error)
{
    const struct epoch_end *end = result->epoch;
    int status = check_bytes(task, result, params, error);
    if (status == 0)
        status = check_facts(end->facts, error);
    for (int i = 0; i < end->life_count && status == 0; i++)
        status = check_life(&end->lives[i], error);
    return status;
}

/* ---- both ---- */

int answer_check(const struct task *task, const struct result *result, const struct params *params,
                 struct error *error)
{
    const struct task_cost *cost = &result->cost;
    if (!task->epoch != !result->epoch)
        return error_set(error, ERR_RANGE, "%s for %s", result->epoch ? "epoch_end" : "result",
                         task->epoch ? "an epoch" : "an evaluation");
    if (cost->wall_ms > COST_MOST || cost->cpu_ms > COST_MOST ||
        (double)cost->arena_bytes > COST_MOST)
        return error_set(error, ERR_RANGE, "result.cost: %g ms, %g ms, %" PRIu64 " bytes",
                         cost->wall_ms, cost->cpu_ms, cost->arena_bytes);
    return task->epoch ? check_epoch(task, result, params, error)
                       : check_evaluation(task, result, error);
}

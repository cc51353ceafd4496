/* See answer.h. */
#include "proto/answer.h"

#include <inttypes.h>
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
static int check_epoch(const struct task *task, const struct result *result,
                       const struct params *params, struct error *error)
{
    const struct epoch_end *end = result->epoch;
    int status = check_bytes(task, result, params, error);
    if (status == 0)
        status = epoch_end_bound(end, error);
    if (status == 0 && epoch_imbalance(end->facts) != 0)
        status = error_set(error, ERR_RANGE,
                           "epoch_end.facts: stores hold %" PRId64 " uJ more than flows brought",
                           epoch_imbalance(end->facts));
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

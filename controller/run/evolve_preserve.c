/* A run of a preserve: worlds live through epochs, each a task of the farm.
 *
 * A generation is an epoch. A creature that drifts out of a world in epoch k arrives in another
 * one in epoch k + 2. So a world needs what the others came to two epochs ago, and no more: it does
 * not wait for the slowest, and the order in which results come in decides nothing. The store keeps
 * states, from which a run that was stopped goes on.
 *
 * An epoch that crashes its simulator time and again is tried without the creature that was in hand
 * when it did. */
#include "controller/run/evolve_private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/genome/body_kind.h"
#include "common/math/rng.h"
#include "common/rows.h"
#include "common/system/log.h"

struct world {
    int64_t lived;                       /* the last epoch that is over; -1: it is not founded */
    int is_out;                          /* its next one is with the farm */
    uint64_t without[EPOCH_WITHOUT_MAX]; /* in the next one */
    int without_count;
    int64_t living;
};

struct evolve_preserve {
    int world_count;
    int64_t last_epoch, closed; /* epochs that all worlds have lived through */
    unsigned pauses;            /* 1 << FIRST_*: what stops the run */
    struct world worlds[EPOCH_WORLDS_MAX];
};

int preserve_check_run(const struct params *params, int founder_count, struct error *error)
{
    ENSURE(founder_count >= 0, "%d founders", founder_count);
    const struct body_kind_info *kind = &body_kinds[params->creature_body];

    if (!kind->is_flat || !kind->can_contend || params->world_gravity_m_s2 != 0)
        return error_set(error, ERR_RANGE,
                         "evolution.behaviour preserve wants creature.body = rectangles and a "
                         "world of water (world.preset = water)");
    if (founder_count == 0)
        return error_set(error, ERR_RANGE,
                         "evolution.behaviour preserve wants founders: evolution.seeds, or "
                         "--seed-creature");
    if (params->preserve_founders > params->preserve_most)
        return error_set(error, ERR_RANGE,
                         "preserve.founders %" PRId64 " are more than preserve.most %" PRId64,
                         params->preserve_founders, params->preserve_most);
    int status = params_check_meeting(params, error);
    return status ? status : epoch_parse_firsts(params->preserve_pause, &(unsigned){0}, error);
}

/* Each world has come at least as far as the run. */
static int check_worlds(struct evolve *evolve)
{
    struct store_status at;
    const struct evolve_preserve *p = evolve->preserve;
    int status = store_get_status(evolve->store, &at, &evolve->error);
    for (int i = 0; i < p->world_count && !status && at.has_generation; i++)
        if (p->worlds[i].lived < at.generation && p->worlds[i].lived < p->last_epoch)
            status = error_set(&evolve->error, ERR_RANGE,
                               "world %d has come to epoch %" PRId64 ", the run to %" PRIu32
                               ": worlds of a run neither come nor go",
                               i, p->worlds[i].lived, at.generation);
    return status;
}

/* The last epoch that all worlds have lived through. */
static int64_t find_closed(const struct evolve_preserve *p)
{
    int64_t closed = p->last_epoch;
    for (int i = 0; i < p->world_count; i++)
        closed = p->worlds[i].lived < closed ? p->worlds[i].lived : closed;
    return closed;
}

int evolve_start_preserve(struct evolve *evolve)
{
    int status = 0;
    if (!preserve_is_wanted(evolve->params))
        return 0;
    struct evolve_preserve *p = evolve->preserve = calloc(1, sizeof *p);
    if (!p)
        return error_memory(&evolve->error);
    p->world_count = (int)evolve->params->preserve_worlds;
    status = epoch_parse_firsts(evolve->params->preserve_pause, &p->pauses, &evolve->error);
    p->last_epoch = evolve->params->evolution_generations - 1;
    for (int i = 0; i < p->world_count && !status; i++)
        status =
            store_get_last_epoch(evolve->store, (uint32_t)i, &p->worlds[i].lived, &evolve->error);
    p->closed = find_closed(p);
    return status ? status : check_worlds(evolve);
}

/* ---- asking ---- */

/* The one that is furthest behind and can go on; NULL: there is none. A run that may stop after
 * any epoch has no world that is ahead of it. */
static struct world *find_ready(struct evolve_preserve *p)
{
    struct world *found = NULL;
    for (int i = 0; i < p->world_count; i++) {
        struct world *world = &p->worlds[i];
        if (!world->is_out && world->lived < p->last_epoch &&
            world->lived <= p->closed + !p->pauses && (!found || world->lived < found->lived))
            found = world;
    }
    return found;
}

static int add_founders(struct evolve *evolve, struct epoch_order *order)
{
    const struct seeding *seeding = evolve->seeding;
    int status = 0;
    order->founders = calloc((size_t)seeding->count, sizeof order->founders[0]);
    if (!order->founders)
        return ERR_MEMORY;
    for (; !status && order->founder_count < seeding->count; order->founder_count++)
        status = genome_copy(&order->founders[order->founder_count],
                             &seeding->seeds[order->founder_count].creature.genome);
    return status;
}

static int fill_order(struct evolve *evolve, const struct world *world, struct epoch_order *order)
{
    int status = order->epoch == 0 ? add_founders(evolve, order)
                                   : stored_epoch_fill_order(store_database(evolve->store), order,
                                                             &evolve->error);
    order->without_count = world->without_count;
    memcpy(order->without, world->without, sizeof order->without);
    return status;
}

int evolve_ask_epoch(struct evolve *evolve, struct task *task)
{
    ENSURE(evolve->preserve, "an epoch of no preserve");
    struct evolve_preserve *p = evolve->preserve;
    struct world *world = find_ready(p);
    if (!world)
        return 0;
    *task = (struct task){.id = ++evolve->task_count,
                          .seed = (uint64_t)evolve->params->run_seed,
                          .epoch = epoch_order_create()};
    int status = ERR_MEMORY;
    if (task->epoch) {
        task->epoch->world = (uint32_t)(world - p->worlds);
        task->epoch->epoch = (uint32_t)(world->lived + 1);
        status = fill_order(evolve, world, task->epoch);
    }
    world->is_out = 1;
    if (status)
        task_deinit(task);
    return !evolve_end_if(evolve, status);
}

uint32_t evolve_find_next_epoch(const struct evolve *evolve, uint32_t number)
{
    const struct world *world = &evolve->preserve->worlds[number];
    return (uint32_t)(world->lived + 1 + world->is_out + (world->lived + world->is_out < 0));
}

/* ---- results ---- */

void evolve_count_epochs(struct evolve *evolve)
{
    const struct evolve_preserve *p = evolve->preserve;
    struct progress_state *state = &evolve->state;
    int64_t next = p->closed < p->last_epoch ? p->closed + 1 : p->last_epoch;
    state->is_preserve = 1;
    state->generation = (uint32_t)next;
    state->members = p->world_count;
    state->evaluated = 0;
    state->evaluations_left = state->living = 0;
    for (int i = 0; i < p->world_count; i++) {
        state->evaluated += p->worlds[i].lived >= next;
        state->evaluations_left += p->last_epoch - p->worlds[i].lived;
        state->living += p->worlds[i].living;
    }
}

static void tell_first(struct evolve *evolve, const struct store_first *first)
{
    int at_s = (int)first->time_s, from_s = at_s > 5 ? at_s - 5 : 0;
    char detail[240];
    snprintf(detail, sizeof detail,
             "%s (%s): creature %" PRIu64 " of world %" PRIu32 " in epoch %" PRIu32 ", at %d:%02d",
             first->kind, first->what, first->life, first->world, first->epoch, at_s / 60,
             at_s % 60);
    progress_print(evolve->progress, "something new: %s", detail);
    progress_print(evolve->progress,
                   "see it: controller view %s --follow %" PRIu64 " --from %d:%02d",
                   evolve->directory, first->life, from_s / 60, from_s % 60);
    log_event(LOG_INFO, "first", "kind=%s life=%" PRIu64, first->kind, first->life);
}

/* Says what was there for the first time in an epoch. Returns how much, or ERR_*. */
static int look_for_firsts(struct evolve *evolve, uint32_t epoch)
{
    struct store_first *firsts;
    int count = 0;
    int status = store_find_firsts(evolve->store, epoch, evolve->preserve->pauses, &firsts, &count,
                                   &evolve->error);
    for (int i = 0; i < count && !status; i++)
        tell_first(evolve, &firsts[i]);
    free(firsts);
    return status ? status : count;
}

void evolve_advance_epochs(struct evolve *evolve)
{
    ENSURE(evolve->preserve, "epochs of no preserve");
    struct evolve_preserve *p = evolve->preserve;
    int64_t closed = find_closed(p);
    int status = 0, first_count = 0;
    for (; !status && p->closed < closed; p->closed += !status) {
        status = store_close_epoch(evolve->store, (uint32_t)p->closed + 1, p->world_count,
                                   &evolve->error);
        evolve_count_epochs(evolve);
        log_event(LOG_INFO, "generation", "number=%" PRId64 " living=%" PRId64, p->closed + 1,
                  evolve->state.living);
        progress_show(evolve->progress, &evolve->state, 1);
        int found = p->pauses && !status ? look_for_firsts(evolve, (uint32_t)p->closed + 1) : 0;
        status = found < 0 ? found : status;
        first_count += found;
    }
    evolve->is_finished = closed == p->last_epoch;
    if (!status && evolve->is_finished)
        status = store_finish_epochs(evolve->store, &evolve->error);
    if (!evolve_end_if(evolve, status) && (evolve->is_finished || first_count > 0))
        evolve_stop(evolve);
}

/* Where an egg drifts to: any other world. */
static int find_shore(const struct evolve *evolve, const struct epoch_order *order)
{
    struct rng rng;
    rng_init(&rng, (uint64_t)evolve->params->run_seed, RNG_PRESERVE, order->epoch,
             (uint64_t)1 << 32 | order->world);
    uint32_t to = rng_below(&rng, (uint32_t)evolve->preserve->world_count - 1);
    return (int)(to + (to >= order->world));
}

void evolve_take_epoch(struct evolve *evolve, const struct task *task, const struct result *result)
{
    ENSURE(evolve->preserve, "an epoch of no preserve");
    struct world *world = &evolve->preserve->worlds[task->epoch->world];
    struct store_epoch epoch = {
        .world = task->epoch->world,
        .epoch = task->epoch->epoch,
        .digest = result->digest,
        .order = task->epoch,
        .end = result->epoch,
        .drifted_to = result->epoch->traveller.bytes ? find_shore(evolve, task->epoch) : -1,
        .cpu_ms = result->cost.cpu_ms,
        .tick_s = 1 / evolve->params->simulation_brain_hz};
    if (evolve_end_if(evolve, store_put_epoch(evolve->store, &epoch, evolve->params->preserve_kept,
                                              &evolve->error)))
        return;
    world->lived = task->epoch->epoch;
    world->living = result->epoch->facts[EPOCH_living];
    world->is_out = world->without_count = 0;
    progress_count(evolve->progress);
    evolve_advance_epochs(evolve);
    evolve_count_epochs(evolve);
}

/* ---- crashes ---- */

/* The creature that the last fault in a worker's log names; 0: it names none. */
static uint64_t find_culprit(const char *log)
{
    static const char *const faults[] = {"event=fault", "event=hung"};
    static const char key[] = " creature=";
    const char *last = NULL;
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        for (const char *at = log; (at = strstr(at, faults[i])) != NULL; at++)
            last = at > last ? at : last;
    const char *found = last ? strstr(last, key) : NULL;
    const char *end = last ? strchr(last, '\n') : NULL;
    return found && (!end || found < end) ? strtoull(found + strlen(key), NULL, 10) : 0;
}

void evolve_quarantine_epoch(struct evolve *evolve, const struct task *task, const char *reason,
                             const char *log)
{
    struct world *world = &evolve->preserve->worlds[task->epoch->world];
    uint64_t culprit = find_culprit(log);
    char detail[512];
    if (culprit == 0 || rows_contain(world->without, world->without_count, culprit) ||
        world->without_count == EPOCH_WITHOUT_MAX) {
        evolve_end_if(evolve,
                      error_set(&evolve->error, ERR_LIMIT,
                                "epoch %" PRIu32 " of world %" PRIu32 " cannot be simulated: %s",
                                task->epoch->epoch, task->epoch->world, reason));
        return;
    }
    world->without[world->without_count++] = culprit;
    world->is_out = 0;
    snprintf(detail, sizeof detail,
             "creature %" PRIu64 " of world %" PRIu32 " in epoch %" PRIu32 ": %s", culprit,
             task->epoch->world, task->epoch->epoch, reason);
    progress_print(evolve->progress, "quarantine: %s", detail);
    if (!evolve_put_event(evolve, "epoch_quarantined", detail))
        farm_wake(evolve->farm);
}

/* The farm: a queue of tasks, the slots of its workers, and the loop that feeds them.
 *
 * Sizes: 1 to 1024 workers (usually the cores there are), prefetch 1 to 64 tasks each (usually 2),
 * tasks of 300 to 3000 bytes, up to some ten thousand results a second. Everything happens on the
 * loop's one thread. worker.c has the states of a worker.
 *
 * Workers are fed once per turn of the loop (prepare), after all results of that turn are in. Their
 * deadlines are looked at in ticks.
 *
 * Backup copies: in a tick, workers without a task are sent the tasks that are out for long, so
 * that a stopped worker, a lost machine or a slow disk delays no run (Dean and Ghemawat,
 * MapReduce, OSDI 2004, section 3.6). The first result counts; later ones must be equal. */
#include "controller/workers/farm.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/rows.h"
#include "common/system/process.h"
#include "common/system/log.h"
#include "controller/workers/worker.h"

enum {
    FARM_FAILURES_FIRST = 4,  /* in a row, of every slot, that end a farm that was never ready */
    FARM_FAILURES_LATER = 30, /* the same once a worker was ready: about two minutes */
    FARM_TICK_MS = 500,       /* deadlines are looked at */
    FARM_TICK_MAX_MS = 1000,  /* what a late tick counts at most */
    FARM_COPY_MIN_MS = 1000,  /* a task is out for long: this, */
    FARM_COPY_MEDIANS = 5,    /* and so many medians of what tasks take from sending to result; */
    FARM_COPY_DOUBLINGS = 16, /* twice that for the next copy, and so on */
    FARM_DESCRIPTORS = 40, /* of the run but for its workers, and those of a process that begins */
    FARM_WORKER_DESCRIPTORS = 2,
};

/* Each task under way is in one place. */
static void farm_check(struct farm *farm)
{
    int out_count = 0;
    farm->checks++;
    for (int i = 0; i < farm->slot_count; i++) {
        const struct worker *worker = &farm->workers[i];
        worker_check(worker);
        for (int j = 0; j < worker_task_count(worker); j++) {
            struct farm_task *entry = worker_task(worker, j);
            ENSURE(entry->holder_count > 0, "no worker holds task %" PRIu64, entry->task.id);
            out_count += !entry->is_finished && entry->counted != farm->checks;
            entry->counted = farm->checks;
        }
    }
    task_queue_check(&farm->queue, out_count);
}

/* ---- what workers ask ---- */

uint64_t farm_now_ms(const struct farm *farm)
{
    uint64_t since_ms = uv_now(farm->loop) - farm->last_tick_ms;
    return farm->clock_ms + (since_ms < FARM_TICK_MAX_MS ? since_ms : FARM_TICK_MAX_MS);
}

int farm_is_hopeless(const struct farm *farm)
{
    int limit = farm->was_ever_ready ? FARM_FAILURES_LATER : FARM_FAILURES_FIRST;
    for (int i = 0; i < farm->slot_count; i++)
        if (farm->workers[i].state != WORKER_GONE && farm->workers[i].failures < limit)
            return 0;
    return 1;
}

void farm_fail(struct farm *farm, const char *reason)
{
    if (farm->has_failed || farm->is_stopping)
        return;
    farm->has_failed = 1;
    char text[512];
    log_event(LOG_ERROR, "farm_failed", "reason=%s", log_quote(reason, text, sizeof text));
    farm->callbacks.on_failure(farm->callbacks.context, reason);
}

void farm_tell_left_out(struct farm *farm, const char *host)
{
    const char *reason = hosts_why_left_out(&farm->hosts, host);
    char quoted[512], names[LAUNCHER_HOSTS_SIZE - 16], text[512];
    log_event(LOG_WARN, "host_left_out", "host=%s reason=%s", host,
              log_quote(reason, quoted, sizeof quoted));
    hosts_print_left_out(&farm->hosts, names, sizeof names);
    launcher_leave_out(&farm->launcher, names);
    snprintf(text, sizeof text, "host %s is left out: %s", host, reason);
    farm->callbacks.on_notice(farm->callbacks.context, text);
}

/* ---- feeding ---- */

/* Those that have finished and are too many end. */
static void farm_retire(struct farm *farm)
{
    for (int i = 0; i < farm->slot_count; i++) {
        struct worker *worker = &farm->workers[i];
        if (worker->is_retiring && worker->reserved == NULL &&
            (worker->state == WORKER_IDLE || worker->state == WORKER_WAITING))
            worker_dispatch(worker, EVENT_RETIRE, NULL);
    }
}

/* First the tasks that must be alone, then one for each worker, then a second for each ... */
static void farm_feed(struct farm *farm)
{
    for (int i = 0; i < farm->slot_count; i++)
        worker_give_reserved(&farm->workers[i]);
    for (int held_max = 0; held_max < farm->prefetch; held_max++)
        for (int i = 0; i < farm->slot_count && farm->queue.waiting_count > 0; i++)
            if (worker_has_room(&farm->workers[i], held_max))
                worker_give(&farm->workers[i], task_queue_take(&farm->queue));
}

/* ---- backup copies ---- */

/* How long a task may be out before it is copied. */
static uint64_t farm_patience_ms(const struct farm *farm)
{
    uint64_t sorted[FARM_TURNAROUNDS];
    size_t count = farm->turnaround_count < FARM_TURNAROUNDS ? (size_t)farm->turnaround_count
                                                             : FARM_TURNAROUNDS;
    memcpy(sorted, farm->turnaround_ms, count * sizeof sorted[0]);
    qsort(sorted, count, sizeof sorted[0], rows_compare_ids);
    uint64_t patience_ms = count > 0 ? FARM_COPY_MEDIANS * sorted[count / 2] : 0;
    return patience_ms > FARM_COPY_MIN_MS ? patience_ms : FARM_COPY_MIN_MS;
}

/* The unfinished task that was sent the longest time ago, if that is too long; else NULL. One that
 * has crashed its simulator is not copied: it may have to be alone in a fresh one. */
static struct farm_task *farm_find_late(const struct farm *farm, uint64_t patience_ms)
{
    struct farm_task *late = NULL;
    for (int i = 0; i < farm->slot_count; i++)
        for (int j = 0; j < worker_task_count(&farm->workers[i]); j++) {
            struct farm_task *entry = worker_task(&farm->workers[i], j);
            int doublings =
                entry->copy_count < FARM_COPY_DOUBLINGS ? entry->copy_count : FARM_COPY_DOUBLINGS;
            if (!entry->is_finished && entry->faults == 0 &&
                farm_now_ms(farm) - entry->given_ms > patience_ms << doublings &&
                (late == NULL || entry->given_ms < late->given_ms))
                late = entry;
        }
    return late;
}

/* A worker that has nothing, or copies of this tick only; NULL: there is no such worker. One on
 * another host than the worker that had the task last is preferred. */
static struct worker *farm_find_idle(const struct farm *farm, const struct farm_task *entry)
{
    const char *host = farm->workers[entry->last_slot - 1].place.host;
    struct worker *found = NULL;
    for (int i = 0; i < farm->slot_count; i++) {
        struct worker *worker = &farm->workers[i];
        int is_idle = worker->held_count == 0 ||
                      (!entry->is_alone && worker->held[0]->given_ms == farm_now_ms(farm));
        int is_elsewhere = strcmp(worker->place.host, host) != 0;
        if (is_idle && worker_has_room(worker, farm->prefetch - 1) &&
            (found == NULL || (is_elsewhere && strcmp(found->place.host, host) == 0)))
            found = worker;
    }
    return found;
}

static void farm_give_copies(struct farm *farm)
{
    uint64_t patience_ms = farm_patience_ms(farm);
    struct farm_task *entry;
    struct worker *worker;
    if (farm->is_paused || farm->is_stopping || farm->has_failed || farm->queue.waiting_count > 0)
        return;
    while ((entry = farm_find_late(farm, patience_ms)) != NULL &&
           (worker = farm_find_idle(farm, entry)) != NULL) {
        log_event(LOG_INFO, "copied",
                  "task=%" PRIu64 " creature=%" PRIu64
                  " worker=%d first_worker=%d after_ms=%" PRIu64,
                  entry->task.id, entry->task.creature, worker->slot, entry->last_slot,
                  farm_now_ms(farm) - entry->given_ms);
        entry->copy_count++;
        worker_give(worker, entry);
    }
}

static void farm_on_pump(uv_prepare_t *pump)
{
    struct farm *farm = pump->data;
    uint64_t submitted_before;
    if (!farm->needs_pump || farm->is_stopping || farm->has_failed)
        return;
    farm_retire(farm);
    do {
        farm->needs_pump = 0;
        if (farm->is_paused)
            break;
        farm_feed(farm);
        submitted_before = farm->queue.submitted_count;
        int room = farm->worker_count * farm->prefetch - farm->queue.waiting_count;
        if (room > 0)
            farm->callbacks.on_hungry(farm->callbacks.context, room);
    } while (farm->queue.submitted_count != submitted_before && !farm->is_stopping);
    farm_check(farm);
}

static void farm_on_tick(uv_timer_t *tick)
{
    struct farm *farm = tick->data;
    farm->clock_ms = farm_now_ms(farm);
    farm->last_tick_ms = uv_now(farm->loop);
    for (int i = 0; i < farm->slot_count; i++)
        worker_tick(&farm->workers[i]);
    farm_give_copies(farm);
}

/* ---- the farm's own life ---- */

static void farm_free(struct farm *farm)
{
    pack_writer_deinit(&farm->setup);
    pack_writer_deinit(&farm->scratch);
    free(farm->workers);
    launcher_deinit(&farm->launcher);
    free(farm->logs.directory);
    free(farm);
}

static void farm_on_close(uv_handle_t *handle)
{
    struct farm *farm = handle->data;
    farm->open_handles--;
    farm_settle(farm);
}

static void farm_close_handle(struct farm *farm, uv_handle_t *handle)
{
    handle->data = farm;
    uv_close(handle, farm_on_close);
}

static int farm_has_slots_alive(const struct farm *farm)
{
    for (int i = 0; i < farm->slot_count; i++)
        if (farm->workers[i].state != WORKER_GONE)
            return 1;
    return 0;
}

static void farm_close(struct farm *farm)
{
    farm->is_closing = 1;
    farm_close_handle(farm, (uv_handle_t *)&farm->tick);
    farm_close_handle(farm, (uv_handle_t *)&farm->pump);
    for (int i = 0; i < farm->slot_count; i++)
        farm_close_handle(farm, (uv_handle_t *)&farm->workers[i].backoff);
}

void farm_settle(struct farm *farm)
{
    if (!farm->is_stopping)
        return;
    if (!farm->is_closing && !farm_has_slots_alive(farm))
        farm_close(farm);
    if (!farm->is_closing || farm->open_handles > 0 || farm->open_processes > 0)
        return;
    /* the last thing: tells the owner, and frees the farm */
    ENSURE(farm->queue.pending_count == 0, "%d tasks left", farm->queue.pending_count);
    log_event(LOG_INFO, "farm_stopped", "workers=%d", farm->slot_count);
    farm->on_stopped(farm->stopped_context);
    farm_free(farm);
}

void farm_stop(struct farm *farm, void (*on_stopped)(void *context), void *context)
{
    ENSURE(!farm->is_stopping, "stopped twice");
    farm->is_stopping = 1;
    farm->on_stopped = on_stopped;
    farm->stopped_context = context;
    while (farm->queue.waiting_count > 0)
        task_queue_drop(&farm->queue, task_queue_take(&farm->queue));
    for (int i = 0; i < farm->slot_count; i++)
        worker_dispatch(&farm->workers[i], EVENT_STOP, NULL);
    farm_settle(farm);
}

static void farm_add_slot(struct farm *farm)
{
    struct worker *worker = &farm->workers[farm->slot_count++];
    worker_init(worker, farm, farm->slot_count);
    farm->open_handles++;
}

static void farm_start(struct farm *farm)
{
    /* A worker that dies while it is written to is an error code here, not a signal. */
    signal(SIGPIPE, SIG_IGN);
    uv_update_time(farm->loop);
    farm->last_tick_ms = uv_now(farm->loop);
    farm->clock_ms = 1;
    farm->open_handles = 2;
    uv_timer_init(farm->loop, &farm->tick);
    uv_prepare_init(farm->loop, &farm->pump);
    farm->tick.data = farm->pump.data = farm;
    uv_timer_start(&farm->tick, farm_on_tick, FARM_TICK_MS, FARM_TICK_MS);
    uv_prepare_start(&farm->pump, farm_on_pump);
    farm->needs_pump = 1;
    for (int i = 0; i < farm->worker_count; i++) {
        farm_add_slot(farm);
        worker_dispatch(&farm->workers[i], EVENT_HIRE, NULL);
    }
}

/* Takes over the settings. 0, or ERR_* with a message. */
static int farm_init(struct farm *farm, const struct farm_settings *settings, struct error *error)
{
    const struct params *params = settings->params;
    farm->worker_count = settings->worker_count;
    farm->prefetch = params->farm_prefetch < WORKER_PREFETCH_MAX ? (int)params->farm_prefetch
                                                                 : WORKER_PREFETCH_MAX;
    farm->limits.deadline_s = params->farm_deadline_s;
    farm->limits.silence_s = params->farm_silence_s;
    farm->is_pinned = params->farm_pin;
    farm->logs.max_bytes = (off_t)params->farm_log_mb << 20;
    farm->params = params;
    farm->params_digest = params_evaluation_digest(params);
    struct params setup = *params;
    setup.farm_memory_mb = launcher_memory_mb(params->farm_launcher, params->farm_memory_mb);
    pack_writer_init(&farm->setup);
    pack_writer_init(&farm->scratch);
    message_encode_setup(&farm->setup, &setup);
    hello_init(&farm->hello, settings->fingerprint);
    farm->workers = calloc(FARM_WORKERS_MAX, sizeof farm->workers[0]);
    farm->logs.directory = strdup(settings->log_directory);
    if (!farm->workers || !farm->logs.directory)
        return error_memory(error);
    int status = launcher_init(&farm->launcher, params->farm_launcher, setup.farm_memory_mb,
                               settings->simulator_path, error);
    farm->start_ms = farm->launcher.is_slurm ? 0 : (uint64_t)(1e3 * params->farm_start_s);
    return status;
}

struct farm *farm_create(uv_loop_t *loop, const struct farm_settings *settings,
                         const struct farm_callbacks *callbacks, struct error *error)
{
    ENSURE(settings->worker_count > 0 && settings->worker_count <= FARM_WORKERS_MAX, "%d workers",
           settings->worker_count);
    struct farm *farm = calloc(1, sizeof *farm);
    if (farm == NULL) {
        error_memory(error);
        return NULL;
    }
    farm->loop = loop;
    farm->callbacks = *callbacks;
    if (farm_init(farm, settings, error) != 0) {
        farm_free(farm);
        return NULL;
    }
    farm_start(farm);
    return farm;
}

/* ---- the public interface ---- */

int farm_submit(struct farm *farm, struct task *task)
{
    if (farm->is_stopping)
        return ERR_BUSY;
    int status = task_queue_submit(&farm->queue, task);
    farm->needs_pump |= status == 0;
    return status;
}

void farm_set_worker_count(struct farm *farm, int worker_count)
{
    ENSURE(worker_count > 0 && worker_count <= FARM_WORKERS_MAX, "%d workers", worker_count);
    if (farm->is_stopping)
        return;
    log_event(LOG_INFO, "workers", "before=%d now=%d", farm->worker_count, worker_count);
    farm->worker_count = worker_count;
    while (farm->slot_count < worker_count)
        farm_add_slot(farm);
    for (int i = 0; i < farm->slot_count; i++)
        worker_dispatch(&farm->workers[i], i < worker_count ? EVENT_HIRE : EVENT_RETIRE, NULL);
    farm->needs_pump = 1;
}

int farm_worker_count(const struct farm *farm)
{
    return farm->worker_count;
}

int farm_slot_count(const struct farm *farm)
{
    return farm->slot_count;
}

void farm_set_paused(struct farm *farm, int is_paused)
{
    if (farm->is_paused != is_paused)
        log_event(LOG_INFO, is_paused ? "paused" : "continued", "queued=%d",
                  farm->queue.waiting_count);
    farm->is_paused = is_paused;
    farm->needs_pump = 1;
}

int farm_is_paused(const struct farm *farm)
{
    return farm->is_paused;
}

void farm_wake(struct farm *farm)
{
    farm->needs_pump = 1;
}

int farm_check_descriptors(int worker_count, struct error *error)
{
    char what[64];
    snprintf(what, sizeof what, "%d worker%s and their controller", worker_count,
             worker_count == 1 ? "" : "s");
    return limits_raise_files(FARM_DESCRIPTORS + FARM_WORKER_DESCRIPTORS * worker_count, what,
                              error);
}

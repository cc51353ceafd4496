/* The tasks a worker has; messages to one that takes tasks, and its answers. */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/math/hash.h"
#include "common/system/log.h"
#include "controller/workers/worker.h"
#include "proto/answer.h"

/* A worker with more in its pipe gets no further task. */
enum { WORKER_UNSENT_MAX_BYTES = 256 * 1024 };

/* ---- the tasks a worker has ---- */

int worker_task_count(const struct worker *worker)
{
    return worker->held_count + (worker->reserved != NULL);
}

struct farm_task *worker_task(const struct worker *worker, int index)
{
    return index < worker->held_count ? worker->held[index] : worker->reserved;
}

static void worker_release_held(struct worker *worker, struct farm_task *entry)
{
    int at = 0;
    while (worker->held[at] != entry)
        at++;
    worker->held_count--;
    memmove(&worker->held[at], &worker->held[at + 1],
            (size_t)(worker->held_count - at) * sizeof worker->held[0]);
    entry->holder_count--;
}

/* The task waits for the next process, alone. */
static void worker_reserve(struct worker *worker, struct farm_task *entry)
{
    ENSURE(worker->reserved == NULL, "worker %d has two to try alone", worker->slot);
    worker->reserved = entry;
    entry->holder_count++;
}

/* NULL: no task is reserved, or it is finished. */
static struct farm_task *worker_take_reserved(struct worker *worker)
{
    struct farm_task *entry = worker->reserved;
    worker->reserved = NULL;
    if (entry == NULL)
        return NULL;
    entry->holder_count--;
    int is_finished = entry->is_finished;
    farm_task_settle(entry);
    return is_finished ? NULL : entry;
}

/* A task it could not do is the next one again, unless another worker holds it. */
static void worker_requeue(struct worker *worker, struct farm_task *entry)
{
    if (entry->holder_count > 0)
        return;
    task_queue_put_front(&worker->farm->queue, entry);
    worker->farm->needs_pump = 1;
}

/* Puts the task that was being executed where it belongs after the end of its process. Returns it
 * when it has to leave the farm for the quarantine, else NULL. */
static struct farm_task *worker_judge(struct worker *worker, struct farm_task *entry,
                                      int is_self_inflicted)
{
    entry->task.attempt++;
    if (is_self_inflicted)
        entry->faults++;
    else
        entry->losses++;
    if (entry->holder_count > 0)
        return NULL;
    if (entry->faults >= WORKER_FAULTS_QUARANTINE && entry->is_alone)
        return entry;
    if (entry->faults >= WORKER_FAULTS_ALONE || entry->losses >= WORKER_LOSSES_ALONE)
        entry->is_alone = 1;
    if (entry->is_alone)
        worker_reserve(worker, entry);
    else
        worker_requeue(worker, entry);
    return NULL;
}

struct farm_task *worker_give_back(struct worker *worker, int is_self_inflicted)
{
    struct farm_task *condemned = NULL;
    while (worker->held_count > 0) {
        struct farm_task *entry = worker->held[worker->held_count - 1];
        worker_release_held(worker, entry);
        if (entry->is_finished)
            farm_task_settle(entry);
        else if (worker->held_count > 0)
            worker_requeue(worker, entry);
        else
            condemned = worker_judge(worker, entry, is_self_inflicted);
    }
    return condemned;
}

void worker_quarantine(struct worker *worker, struct farm_task *entry, const char *reason)
{
    struct farm *farm = worker->farm;
    char log[WORKER_LOG_TAIL_BYTES + 1];
    char text[WORKER_CAUSE_SIZE + 16];
    log_event(LOG_ERROR, "task_quarantined", "task=%" PRIu64 " creature=%" PRIu64 " reason=%s",
              entry->task.id, entry->task.creature, log_quote(reason, text, sizeof text));
    farm->needs_pump = 1;
    task_queue_end(&farm->queue, entry);
    worker_log_read_tail(&farm->logs, worker->slot, log);
    if (!farm->is_stopping)
        farm->callbacks.on_quarantine(farm->callbacks.context, &entry->task, reason, log);
    farm_task_free(entry);
}

/* Gives up a task: frees it if it is finished, returns it to the queue if no worker holds it. */
static void worker_drop(struct worker *worker, struct farm_task *entry)
{
    if (entry->is_finished)
        farm_task_settle(entry);
    else if (entry->holder_count == 0)
        task_queue_drop(&worker->farm->queue, entry);
}

void worker_drop_tasks(struct worker *worker)
{
    while (worker->held_count > 0) {
        struct farm_task *entry = worker->held[worker->held_count - 1];
        worker_release_held(worker, entry);
        worker_drop(worker, entry);
    }
    struct farm_task *reserved = worker_take_reserved(worker);
    if (reserved != NULL)
        worker_drop(worker, reserved);
}

/* ---- messages and answers ---- */

/* The first result of a task. It is kept while others have the task, too. */
static void worker_finish(struct worker *worker, struct farm_task *entry,
                          const struct result *result)
{
    struct farm *farm = worker->farm;
    entry->is_finished = 1;
    entry->result = *result;
    entry->result.epoch = NULL; /* equal digests are equal states */
    entry->result_slot = worker->slot;
    snprintf(entry->result_host, sizeof entry->result_host, "%s", worker->place.host);
    farm->turnaround_ms[farm->turnaround_count++ % FARM_TURNAROUNDS] =
        farm_now_ms(farm) - entry->given_ms;
    task_queue_end(&farm->queue, entry);
    entry->holder_count++; /* the callback may stop the farm */
    farm->callbacks.on_result(farm->callbacks.context, &entry->task, result, worker->slot);
    entry->holder_count--;
    farm_task_settle(entry);
}

/* A later result must be the first one: it is a function of the task. */
static void worker_compare(struct worker *worker, struct farm_task *entry,
                           const struct result *result)
{
    char first[17], second[17], reason[WORKER_CAUSE_SIZE * 2];
    int is_equal = entry->result.verdict == result->verdict &&
                   entry->result.digest == result->digest &&
                   memcmp(&entry->result.measures, &result->measures, sizeof result->measures) == 0;
    hash_to_text(entry->result.digest, first);
    hash_to_text(result->digest, second);
    log_event(is_equal ? LOG_INFO : LOG_ERROR, "late_result",
              "worker=%d task=%" PRIu64 " creature=%" PRIu64 " first_worker=%d equal=%d",
              worker->slot, entry->task.id, entry->task.creature, entry->result_slot, is_equal);
    snprintf(reason, sizeof reason,
             "creature %" PRIu64 " (task %" PRIu64
             ") has two results: worker %d on host %s says %s "
             "%s, worker %d on host %s says %s %s; one of these machines or builds is at fault",
             entry->task.creature, entry->task.id, entry->result_slot, entry->result_host,
             verdict_name(entry->result.verdict), first, worker->slot, worker->place.host,
             verdict_name(result->verdict), second);
    farm_task_settle(entry);
    if (!is_equal)
        farm_fail(worker->farm, reason);
}

/* The task that an answer is to: the oldest that the worker holds. NULL, and the worker is killed,
 * if the answer is to another one. */
static struct farm_task *worker_find_answered(struct worker *worker, const char *answer,
                                              uint64_t id)
{
    int at = 0;
    while (at < worker->held_count && worker->held[at]->task.id != id)
        at++;
    if (at == 0 && worker->held_count > 0)
        return worker->held[0];
    if (at == worker->held_count)
        worker_kill(worker, "%s task %" PRIu64 ", which it does not hold", answer, id);
    else
        worker_kill(worker,
                    "out of order: %s task %" PRIu64 " before task %" PRIu64
                    ", which it got earlier",
                    answer, id, worker->held[0]->task.id);
    return NULL;
}

void worker_take_result(struct worker *worker, const struct occasion *occasion)
{
    struct farm *farm = worker->farm;
    const struct result *result = &occasion->message->as.result;
    struct farm_task *entry = worker_find_answered(worker, "result for", result->id);
    if (entry == NULL)
        return;
    struct error error = {0};
    if (answer_check(&entry->task, result, farm->params, &error) != 0) {
        worker_kill(worker, "bad answer to task %" PRIu64 ": %.250s", result->id, error.message);
        return;
    }
    worker_release_held(worker, entry);
    worker->results_of_process++;
    worker->failures = 0;
    worker->tasks_done++;
    worker->busy_s += result->cost.wall_ms / 1000;
    if (worker->state == WORKER_BUSY)
        worker_enter_idle_or_busy(worker);
    farm->needs_pump = 1;
    if (entry->is_finished)
        worker_compare(worker, entry, result);
    else
        worker_finish(worker, entry, result);
}

/* A task that its simulator could not read counts like one that crashed it, but no process died. */
void worker_take_rejected(struct worker *worker, const struct occasion *occasion)
{
    struct farm *farm = worker->farm;
    uint64_t id = occasion->message->as.rejected.id;
    struct farm_task *entry = worker_find_answered(worker, "rejected", id);
    char cause[WORKER_CAUSE_SIZE];
    if (entry == NULL)
        return;
    worker_release_held(worker, entry);
    snprintf(cause, sizeof cause, "rejected: %s", occasion->message->as.rejected.reason);
    char text[WORKER_CAUSE_SIZE + 16];
    log_event(LOG_WARN, "task_rejected", "worker=%d task=%" PRIu64 " reason=%s", worker->slot, id,
              log_quote(cause, text, sizeof text));
    entry->task.attempt++;
    entry->faults++;
    entry->is_alone = 0;
    farm->needs_pump = 1;
    if (worker->state == WORKER_BUSY)
        worker_enter_idle_or_busy(worker);
    if (entry->is_finished)
        farm_task_settle(entry);
    else if (entry->holder_count == 0 && entry->faults >= WORKER_FAULTS_QUARANTINE)
        worker_quarantine(worker, entry, cause);
    else if (entry->holder_count == 0)
        task_queue_put_back(&farm->queue, entry);
    worker_count_failure(worker, cause);
}

int worker_has_room(const struct worker *worker, int held_max)
{
    if (worker->state != WORKER_IDLE && worker->state != WORKER_BUSY)
        return 0;
    if (worker->is_retiring || worker->reserved != NULL)
        return 0;
    /* one whose oldest task had to be sent to others, too, gets nothing until it has answered */
    const struct farm_task *oldest = worker->held_count > 0 ? worker->held[0] : NULL;
    if (oldest && (oldest->is_finished || oldest->last_slot != worker->slot || oldest->is_alone))
        return 0;
    return worker->held_count <= held_max &&
           worker_process_unsent_bytes(worker->process) < WORKER_UNSENT_MAX_BYTES;
}

void worker_give(struct worker *worker, struct farm_task *entry)
{
    struct farm *farm = worker->farm;
    pack_writer_clear(&farm->scratch);
    message_encode(&farm->scratch, entry->task.epoch ? MESSAGE_EPOCH : MESSAGE_TASK, &entry->task);
    if (worker_send(worker, &farm->scratch) != 0) {
        if (entry->is_alone && entry->holder_count == 0)
            worker_reserve(worker, entry);
        else
            worker_requeue(worker, entry);
        worker_dispatch(worker, EVENT_CLOSED, &(struct occasion){.reason = "write failed"});
        return;
    }
    entry->last_slot = worker->slot;
    entry->given_ms = farm_now_ms(farm);
    worker->held[worker->held_count++] = entry;
    entry->holder_count++;
    if (worker->held_count == 1)
        worker_enter_idle_or_busy(worker);
}

void worker_give_reserved(struct worker *worker)
{
    if (worker->reserved == NULL || worker->state != WORKER_IDLE)
        return;
    struct farm_task *entry = worker_take_reserved(worker);
    if (entry != NULL)
        worker_give(worker, entry);
    else
        worker->farm->needs_pump = 1;
}

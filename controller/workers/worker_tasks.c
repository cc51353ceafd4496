/* The tasks a worker has. */
#include "controller/workers/worker.h"

#include <inttypes.h>
#include <string.h>

#include "common/system/log.h"

int worker_task_count(const struct worker *worker)
{
    return worker->held_count + (worker->reserved != NULL);
}

struct farm_task *worker_task(const struct worker *worker, int index)
{
    return index < worker->held_count ? worker->held[index] : worker->reserved;
}

struct farm_task *worker_find_held(const struct worker *worker, uint64_t id)
{
    for (int i = 0; i < worker->held_count; i++)
        if (worker->held[i]->task.id == id)
            return worker->held[i];
    return NULL;
}

void worker_hold(struct worker *worker, struct farm_task *entry)
{
    worker->held[worker->held_count++] = entry;
    entry->holder_count++;
}

void worker_release_held(struct worker *worker, struct farm_task *entry)
{
    int at = 0;
    while (worker->held[at] != entry)
        at++;
    worker->held_count--;
    memmove(&worker->held[at], &worker->held[at + 1],
            (size_t)(worker->held_count - at) * sizeof worker->held[0]);
    entry->holder_count--;
}

void worker_reserve(struct worker *worker, struct farm_task *entry)
{
    ENSURE(worker->reserved == NULL, "worker %d has two to try alone", worker->slot);
    worker->reserved = entry;
    entry->holder_count++;
}

struct farm_task *worker_take_reserved(struct worker *worker)
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

void worker_requeue(struct worker *worker, struct farm_task *entry)
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

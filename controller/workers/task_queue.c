/* The farm's tasks: a list with both ends, and counts. */
#include "controller/workers/task_queue.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/error.h"

void task_queue_put_front(struct task_queue *queue, struct farm_task *entry)
{
    ENSURE(entry->holder_count == 0 && !entry->is_finished, "task %" PRIu64 " cannot wait",
           entry->task.id);
    entry->next = queue->first;
    queue->first = entry;
    if (queue->last == NULL)
        queue->last = entry;
    queue->waiting_count++;
}

void task_queue_put_back(struct task_queue *queue, struct farm_task *entry)
{
    ENSURE(entry->holder_count == 0 && !entry->is_finished, "task %" PRIu64 " cannot wait",
           entry->task.id);
    ENSURE(entry != queue->last, "task %" PRIu64 " waits already", entry->task.id);
    entry->next = NULL;
    if (queue->last != NULL)
        queue->last->next = entry;
    else
        queue->first = entry;
    queue->last = entry;
    queue->waiting_count++;
}

int task_queue_submit(struct task_queue *queue, struct task *task)
{
    struct farm_task *entry = calloc(1, sizeof *entry);
    if (entry == NULL)
        return ERR_MEMORY;
    task_move(&entry->task, task);
    task_queue_put_back(queue, entry);
    queue->pending_count++;
    queue->submitted_count++;
    return 0;
}

struct farm_task *task_queue_take(struct task_queue *queue)
{
    struct farm_task *entry = queue->first;
    ENSURE(entry != NULL, "taken from an empty queue");
    ENSURE(queue->waiting_count > 0 && queue->last != NULL, "%d tasks wait behind the first",
           queue->waiting_count);
    queue->first = entry->next;
    if (queue->first == NULL)
        queue->last = NULL;
    queue->waiting_count--;
    entry->next = NULL;
    return entry;
}

void task_queue_end(struct task_queue *queue, struct farm_task *entry)
{
    ENSURE(queue->pending_count > queue->waiting_count, "task %" PRIu64 " is not out",
           entry->task.id);
    queue->pending_count--;
}

void farm_task_free(struct farm_task *entry)
{
    ENSURE(entry->holder_count == 0, "task %" PRIu64 " is held by %d", entry->task.id,
           entry->holder_count);
    task_deinit(&entry->task);
    free(entry);
}

void farm_task_settle(struct farm_task *entry)
{
    if (entry->is_finished && entry->holder_count == 0)
        farm_task_free(entry);
}

void task_queue_drop(struct task_queue *queue, struct farm_task *entry)
{
    task_queue_end(queue, entry);
    farm_task_free(entry);
}

/* The list is as long as the count says, and ends at its last. */
static void check_list(const struct task_queue *queue)
{
    int count = 0;
    const struct farm_task *last = NULL;
    for (const struct farm_task *entry = queue->first; entry; entry = entry->next) {
        ENSURE(++count <= queue->waiting_count, "more than %d tasks wait", queue->waiting_count);
        ENSURE(entry->holder_count == 0, "task %" PRIu64 " waits and is held", entry->task.id);
        ENSURE(!entry->is_finished, "task %" PRIu64 " waits and is finished", entry->task.id);
        last = entry;
    }
    ENSURE(count == queue->waiting_count, "%d of %d tasks wait", count, queue->waiting_count);
    ENSURE(last == queue->last, "the last of %d tasks is not the end", count);
}

void task_queue_check(const struct task_queue *queue, int out_count)
{
    ENSURE(queue->waiting_count >= 0 && out_count >= 0, "%d tasks wait, %d are out",
           queue->waiting_count, out_count);
    CHECK_DEARLY(check_list(queue));
    ENSURE((queue->first == NULL) == (queue->waiting_count == 0) &&
               (queue->last == NULL) == (queue->waiting_count == 0),
           "%d tasks wait, but the ends do not agree", queue->waiting_count);
    ENSURE(queue->last == NULL || queue->last->next == NULL, "the last task has a next");
    ENSURE(queue->waiting_count + out_count == queue->pending_count,
           "%d tasks in places, %d pending", queue->waiting_count + out_count,
           queue->pending_count);
}

/* ---- the watch over the task that a worker executes ---- */

double task_watch_used_s(const struct task_watch *watch)
{
    return 1e-9 * (double)(watch->cpu_ns - watch->start_cpu_ns);
}

/* Compares the watch with the limits of this attempt. */
static enum task_lateness judge(const struct task_watch *watch, int is_cpu_known, uint64_t now_ms,
                                const struct task_limits *limits, char *reason, size_t size)
{
    double patience = task_patience(watch->attempt);
    double silent_s = 1e-3 * (double)(now_ms - watch->progress_ms);
    double silence_s =
        patience * (is_cpu_known ? limits->silence_s : limits->silence_s + limits->deadline_s);
    if (task_watch_used_s(watch) > patience * limits->deadline_s) {
        snprintf(reason, size, "used more than %g s of processor time",
                 patience * limits->deadline_s);
        return TASK_OVERDUE;
    }
    if (silent_s > silence_s) {
        snprintf(reason, size, "stood still for %g s", silence_s);
        return TASK_SILENT;
    }
    return TASK_IN_TIME;
}

enum task_lateness task_watch_look(struct task_watch *watch, const struct task *task,
                                   int64_t cpu_ns, uint64_t now_ms,
                                   const struct task_limits *limits, char *reason, size_t size)
{
    /* the first figures of this task */
    if (watch->task != task->id || watch->attempt != task->attempt ||
        (watch->cpu_ns < 0 && cpu_ns >= 0)) {
        *watch = (struct task_watch){.task = task->id,
                                     .attempt = task->attempt,
                                     .start_cpu_ns = cpu_ns,
                                     .cpu_ns = cpu_ns,
                                     .progress_ms = now_ms};
        return TASK_IN_TIME;
    }
    if (cpu_ns > watch->cpu_ns) {
        watch->cpu_ns = cpu_ns;
        watch->progress_ms = now_ms;
    }
    return judge(watch, cpu_ns >= 0, now_ms, limits, reason, size);
}

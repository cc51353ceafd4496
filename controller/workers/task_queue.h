/* The farm's tasks: those that wait, in the order in which they go out, and the count of all under
 * way.
 *
 * A task that is out may have several holders: workers that have been sent it, or for which it
 * is reserved. The first result finishes it. It stays until the last holder has answered or is
 * gone.
 *
 * A task that a worker could not do comes back to the front, so that it is next; several are
 * given back from the last one on. The queue owns the tasks that wait. A taken task belongs to
 * its taker, until it is put back or ended. */
#ifndef CONTROLLER_WORKERS_TASK_QUEUE_H
#define CONTROLLER_WORKERS_TASK_QUEUE_H

#include <stdint.h>

#include "proto/message.h"
#include <stddef.h>

struct farm_task {
    struct task task;
    int faults;        /* self-inflicted ends of processes that were executing it */
    int losses;        /* their other ends */
    int is_alone;      /* no other task may be in its process */
    int holder_count;  /* 0 while it waits */
    int copy_count;    /* how often it was sent to one more worker */
    int last_slot;     /* of the worker that was sent it last */
    uint64_t given_ms; /* when, in the farm's running time */
    int is_finished;   /* the owner has the result: */
    struct result result;
    int result_slot;
    char result_host[64];
    uint64_t counted; /* by the farm's check */
    struct farm_task *next;
};

struct task_queue {
    struct farm_task *first, *last;
    int waiting_count;
    int pending_count;        /* waiting and out */
    uint64_t submitted_count; /* ever */
};

/* A new task, behind all others; takes over its genome. 0, or ERR_MEMORY; the genome then stays the
 * caller's. */
int task_queue_submit(struct task_queue *queue, struct task *task);

/* The first; there must be one. */
struct farm_task *task_queue_take(struct task_queue *queue);

/* A task that was taken comes back. */
void task_queue_put_front(struct task_queue *queue, struct farm_task *entry);
void task_queue_put_back(struct task_queue *queue, struct farm_task *entry);

/* A task that was taken is under way no more; it stays readable until farm_task_free(). */
void task_queue_end(struct task_queue *queue, struct farm_task *entry);
/* Frees it if it is finished and no worker holds it. */
void farm_task_settle(struct farm_task *entry);
void farm_task_free(struct farm_task *entry);
/* Both at once. */
void task_queue_drop(struct task_queue *queue, struct farm_task *entry);

/* Asserts the invariants; `out_count` tasks are taken and neither back nor ended. */
void task_queue_check(const struct task_queue *queue, int out_count);

/* Watches the task that a worker executes, and says when it takes too long.
 *
 * The cost of a task is measured in its worker's processor time, so that a busy machine is
 * no task's fault. There are two limits: the processor time of a task (deadline_s), and a time in
 * which its process uses no processor time, because it sleeps or is stopped (silence_s). Where
 * the processor time cannot be seen (behind ssh, say), a task may be silent for the sum of both.
 * Each attempt has more of both than the one before (task_patience()). Silence is measured in
 * the farm's running time. */

struct task_limits {
    double deadline_s, silence_s; /* of the first attempt */
};

struct task_watch {
    uint64_t task; /* 0 = not looked at yet */
    uint32_t attempt;
    int64_t start_cpu_ns, cpu_ns; /* -1 = not known */
    uint64_t progress_ms;         /* when it last used processor time */
};

enum task_lateness { TASK_IN_TIME, TASK_SILENT, TASK_OVERDUE };

/* Looks at the task; the time counts from the first look. `cpu_ns` is what its process has used so
 * far, -1 if that is not known. The reason is written unless the task is in time. */
enum task_lateness task_watch_look(struct task_watch *watch, const struct task *task,
                                   int64_t cpu_ns, uint64_t now_ms,
                                   const struct task_limits *limits, char *reason, size_t size);

/* The processor time the watched task has used, to the last look. */
double task_watch_used_s(const struct task_watch *watch);

#endif

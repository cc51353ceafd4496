/* The tasks a worker has, and what becomes of them when its process ends.
 *
 * Whatever `held` contains at the exit goes back to the queue, unless it is finished or another
 * worker holds it, too. Only the oldest held task was being executed, and only it is judged, unless
 * it is finished:
 *
 *   self-inflicted end (SIGSEGV, ..., out of memory, more processor time than farm.deadline_s)
 *                                      faults + 1; from the 2nd on it is tried alone; 3rd:
 *                                      quarantine
 *   any other end                      losses + 1; from the 3rd on it is tried alone; no limit
 *
 * Alone means: reserved for this slot, whose next process is fresh, and nothing is prefetched
 * beside it. So a result depends on nothing that happened here, and a task leaves the farm exactly
 * once. */
#ifndef CONTROLLER_WORKERS_WORKER_TASKS_H
#define CONTROLLER_WORKERS_WORKER_TASKS_H

#include "controller/workers/worker.h"

enum {
    WORKER_FAULTS_ALONE = 2,      /* self-inflicted ends after which a task is tried alone */
    WORKER_FAULTS_QUARANTINE = 3, /* ... and after which it is put in quarantine */
    WORKER_LOSSES_ALONE = 3,      /* other ends after which it is tried alone */
};

/* Those it holds, and the reserved one; the index goes from 0 to the count. */
int worker_task_count(const struct worker *worker);
struct farm_task *worker_task(const struct worker *worker, int index);
/* NULL: not held. */
struct farm_task *worker_find_held(const struct worker *worker, uint64_t id);
/* Puts a task into `held`, takes one out. */
void worker_hold(struct worker *worker, struct farm_task *entry);
void worker_release_held(struct worker *worker, struct farm_task *entry);
/* The task waits for the next process, alone. Takes it back; NULL: there is none, or it is
 * finished. */
void worker_reserve(struct worker *worker, struct farm_task *entry);
struct farm_task *worker_take_reserved(struct worker *worker);

/* A task it could not do is the next one again, unless another worker holds it. */
void worker_requeue(struct worker *worker, struct farm_task *entry);
/* All held tasks go back, the prefetched ones unblamed. Returns the one that has to leave the farm
 * for the quarantine, or NULL. */
struct farm_task *worker_give_back(struct worker *worker, int is_self_inflicted);
/* Tells the owner of the farm, with the end of the worker's log, and frees the task. */
void worker_quarantine(struct worker *worker, struct farm_task *entry, const char *reason);
/* Everything it still does is dropped. */
void worker_drop_tasks(struct worker *worker);

#endif

/* Shared by the files of a worker: the small steps, and the actions that worker.c has in its
 * table. Only worker*.c open it. */
#ifndef CONTROLLER_WORKERS_WORKER_ACTIONS_H
#define CONTROLLER_WORKERS_WORKER_ACTIONS_H

#include "controller/workers/worker.h"

/* ---- small steps: worker.c, and of the last three worker_end.c ---- */

const char *worker_state_name(const struct worker *worker);
/* The new state has no deadline until one is set. */
void worker_enter(struct worker *worker, enum worker_state state);
void worker_set_deadline(struct worker *worker, uint64_t after_ms);
/* A WAITING worker starts a process then. */
void worker_start_after(struct worker *worker, uint64_t delay_ms);
/* The state that follows from what it holds. */
void worker_enter_idle_or_busy(struct worker *worker);
/* A frame to its process. 0, or ERR_*, which the caller makes an event of. */
int worker_send(struct worker *worker, const struct pack_writer *frame);
/* Ends its process, DEAD until its exit is seen; the first cause is kept. */
void worker_kill(struct worker *worker, const char *cause);
/* Another end, or task rejected, since its last result: gives the farm up where all slots have too
 * many. */
void worker_count_failure(struct worker *worker, const char *cause);
/* Without a process: waits for the next start, or gives the farm up. `end` says how the last
 * process ended. */
void worker_wait(struct worker *worker, const char *end);

/* ---- actions ---- */

typedef void worker_action(struct worker *worker, const struct occasion *occasion);

/* worker_start.c */
worker_action worker_spawn, worker_greet, worker_begin, worker_refused;
/* worker_results.c */
worker_action worker_take_result, worker_take_rejected;
/* worker_end.c */
worker_action worker_kill_bad, worker_kill_unexpected, worker_kill_late, worker_kill_lingering;
worker_action worker_lose, worker_reap, worker_stop, worker_stop_dead, worker_leave;

#endif

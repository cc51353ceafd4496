/* A worker's report when a signal ends it: whether the signal came from outside or is the worker's
 * own doing.
 *
 * Only faults of a task count against it, so that a run stays the same when a person ends its
 * workers. */
#ifndef SIMULATOR_FAULT_H
#define SIMULATOR_FAULT_H

#include <stdint.h>

/* From now on this process logs a line on standard error before it ends by SIGSEGV, SIGBUS, SIGFPE,
 * SIGILL, SIGABRT or its alarm. Sent from outside, the signal becomes the exit code
 * WORKER_EXIT_SENT; the alarm becomes WORKER_EXIT_HUNG; any other end is what it would have
 * been. */
void fault_watch(void);

/* The task in hand, for that line; 0: nothing. */
void fault_set_task(uint64_t task, uint64_t creature);

#endif

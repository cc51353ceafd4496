/* The log files of a farm's workers: worker-NN.log of slot NN, and worker-NN.old.log, the one
 * before.
 *
 * Every process of a slot appends to its log. A log that has become too long is put away before the
 * next process starts. */
#ifndef CONTROLLER_WORKERS_WORKER_LOG_H
#define CONTROLLER_WORKERS_WORKER_LOG_H

#include <sys/types.h>

enum { WORKER_LOG_TAIL_BYTES = 3000 };

struct worker_logs {
    char *directory; /* "" = there are no logs */
    off_t max_bytes; /* beyond which a log begins anew */
};

/* Whether the log is so long that the next process should begin another, or was deleted. */
int worker_log_is_long(const struct worker_logs *logs, int slot);
int worker_log_is_lost(const struct worker_logs *logs, int slot);

/* Puts a long log away, in the place of the one before. */
void worker_log_rotate(const struct worker_logs *logs, int slot);

/* A descriptor to append to, or -1; makes the folder again where it was deleted. The failure is
 * told in the controller's log. */
int worker_log_open(const struct worker_logs *logs, int slot);

/* The last lines of the slot's last process, whole ones; "" without a log. */
void worker_log_read_tail(const struct worker_logs *logs, int slot,
                          char text[WORKER_LOG_TAIL_BYTES + 1]);

#endif

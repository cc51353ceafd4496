/* Watches the task that a worker executes, and says when it takes too long.
 *
 * The cost of a task is measured in its worker's processor time, so that a busy machine is
 * no task's fault. There are two limits: the processor time of a task (deadline_s), and a time in
 * which its process uses no processor time, because it sleeps or is stopped (silence_s). Where
 * the processor time cannot be seen (behind ssh, say), a task may be silent for the sum of both.
 * Each attempt has more of both than the one before (task_patience()). Silence is measured in
 * the farm's running time. */
#ifndef CONTROLLER_WORKERS_TASK_WATCH_H
#define CONTROLLER_WORKERS_TASK_WATCH_H

#include <stddef.h>
#include <stdint.h>

#include "proto/message.h"

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

/* Watches the task that a worker executes. */
#include "controller/workers/task_queue.h"

#include <stdio.h>

/* Whether these are the first figures of this task. */
static int is_news(const struct task_watch *watch, const struct task *task, int64_t cpu_ns)
{
    return watch->task != task->id || watch->attempt != task->attempt ||
           (watch->cpu_ns < 0 && cpu_ns >= 0);
}

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
    if (is_news(watch, task, cpu_ns)) {
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

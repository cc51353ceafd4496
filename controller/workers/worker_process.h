/* One simulator process: spawned, fed, listened to, reaped. Knows frames, not what they mean.
 *
 * Order of the callbacks: any number of on_frame; at most one on_broken (no frame comes after
 * garbage); exactly one on_exit, after every frame the process wrote before its end; and, after
 * worker_process_release(), exactly one on_freed, when the last handle is closed. */
#ifndef CONTROLLER_WORKERS_WORKER_PROCESS_H
#define CONTROLLER_WORKERS_WORKER_PROCESS_H

#include <uv.h>

#include "common/error.h"

struct worker_process;

struct worker_process_callbacks {
    void *context;
    /* A whole frame; the payload is good during the call. */
    void (*on_frame)(void *context, const unsigned char *payload, size_t length);
    /* The pipe ended or a write failed (is_garbage 0), or the bytes that came are not frames
     * (1). */
    void (*on_broken)(void *context, int is_garbage, const char *reason);
    /* The process is gone. signal 0: it exited with exit_code. */
    void (*on_exit)(void *context, int exit_code, int signal);
    /* Memory and handles are gone; gets freed_context, since the other may be gone, too. */
    void (*on_freed)(void *freed_context);
    void *freed_context;
};

/* Starts argv[0] (looked for in PATH) with pipes on its stdin and stdout and `log_descriptor` (or
 * /dev/null if negative) as stderr. 0, or ERR_* with a message and *process NULL; on_freed is then
 * called as well, later, from the loop, unless it was ERR_MEMORY. */
int worker_process_spawn(struct worker_process **process, uv_loop_t *loop, char **argv,
                         int log_descriptor, const struct worker_process_callbacks *callbacks,
                         struct error *error);

/* Sends bytes (copied if they cannot be written at once). 0, or ERR_IO / ERR_MEMORY. */
int worker_process_write(struct worker_process *process, const void *bytes, size_t length);
/* Bytes that wait in the pipe's queue. */
size_t worker_process_unsent_bytes(const struct worker_process *process);

int worker_process_pid(const struct worker_process *process);
/* The beginning of what the process, or the launcher, wrote before the first frame, as one clean
 * line; empty: nothing. */
const char *worker_process_greeting(struct worker_process *process);
/* Processor time it has used, ns; -1 = not known (it has ended, or the system does not tell). Of a
 * launcher that starts the simulator as a child, it is the launcher's own. */
int64_t worker_process_cpu_ns(const struct worker_process *process);
/* Keeps it, and what it starts, on one of the cores that this process may use; nothing where the
 * system cannot. */
void worker_process_pin(const struct worker_process *process, int number);
/* No file that it writes to, its log above all, grows beyond that; nothing where the system
 * cannot. */
void worker_process_limit_files(const struct worker_process *process, int64_t bytes);
void worker_process_kill(struct worker_process *process, int signal);
/* No more frames and no on_broken. */
void worker_process_mute(struct worker_process *process);

/* After on_exit (also within it): closes the handles. */
void worker_process_release(struct worker_process *process);

#endif

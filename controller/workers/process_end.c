/* How a worker's process ended. */
#include "controller/workers/process_end.h"

#include <signal.h>
#include <stdio.h>

#include "proto/message.h"

#define SIGNALED(signal, is_self_inflicted) {0, signal}, #signal, is_self_inflicted
static const struct end_row {
    struct process_end end;
    const char *name; /* of a signal, or what an exit code means here */
    int is_self_inflicted;
} ends[] = {{SIGNALED(SIGSEGV, 1)},
            {SIGNALED(SIGBUS, 1)},
            {SIGNALED(SIGFPE, 1)},
            {SIGNALED(SIGILL, 1)},
            {SIGNALED(SIGABRT, 1)},
            {SIGNALED(SIGKILL, 0)},
            {SIGNALED(SIGTERM, 0)},
            {SIGNALED(SIGINT, 0)},
            {SIGNALED(SIGHUP, 0)},
            {SIGNALED(SIGPIPE, 0)},
            {SIGNALED(SIGQUIT, 0)},
            {SIGNALED(SIGALRM, 0)},
            {SIGNALED(SIGXCPU, 0)},
            {SIGNALED(SIGTRAP, 0)},
            {SIGNALED(SIGSYS, 0)},
            {{WORKER_EXIT_HUNG, 0}, "its own alarm", 1},
            {{WORKER_EXIT_MEMORY, 0}, "out of memory", 1},
            {{WORKER_EXIT_SENT, 0}, "a signal from outside", 0},
            {{127, 0}, "program not found", 0}};

/* The row of a signal, or else of an exit code; NULL: it has none. */
static const struct end_row *find_row(struct process_end end)
{
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (ends[i].end.signal == end.signal &&
            (end.signal || ends[i].end.exit_code == end.exit_code))
            return &ends[i];
    return NULL;
}

struct process_end process_end_of_child(struct process_end launcher)
{
    struct process_end child = launcher;
    if (launcher.signal == 0 && launcher.exit_code > 128 && launcher.exit_code <= 128 + 64)
        child.signal = launcher.exit_code - 128;
    return child;
}

int process_end_is_self_inflicted(struct process_end end)
{
    const struct end_row *row = find_row(end);
    return row && row->is_self_inflicted;
}

int process_end_is_from_outside(struct process_end end)
{
    return (end.signal != 0 || end.exit_code == WORKER_EXIT_SENT) &&
           !process_end_is_self_inflicted(end);
}

void process_end_print(struct process_end end, char *text, size_t size)
{
    const struct end_row *row = find_row(end);
    if (end.signal && row)
        snprintf(text, size, "%s", row->name);
    else if (end.signal)
        snprintf(text, size, "signal %d", end.signal);
    else if (row)
        snprintf(text, size, "exit code %d (%s)", end.exit_code, row->name);
    else
        snprintf(text, size, "exit code %d", end.exit_code);
}

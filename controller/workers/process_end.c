/* How a worker's process ended. */
#include "controller/workers/process_end.h"

#include <signal.h>
#include <stdio.h>

#include "proto/message.h"

static const struct signal_row {
    int signal;
    const char *name;
    int is_self_inflicted;
} signal_table[] = {
    {SIGSEGV, "SIGSEGV", 1}, {SIGBUS, "SIGBUS", 1},   {SIGFPE, "SIGFPE", 1},
    {SIGILL, "SIGILL", 1},   {SIGABRT, "SIGABRT", 1}, {SIGKILL, "SIGKILL", 0},
    {SIGTERM, "SIGTERM", 0}, {SIGINT, "SIGINT", 0},   {SIGHUP, "SIGHUP", 0},
    {SIGPIPE, "SIGPIPE", 0}, {SIGQUIT, "SIGQUIT", 0}, {SIGALRM, "SIGALRM", 0},
    {SIGXCPU, "SIGXCPU", 0}, {SIGTRAP, "SIGTRAP", 0}, {SIGSYS, "SIGSYS", 0},
};
enum { SIGNAL_TABLE_COUNT = sizeof signal_table / sizeof signal_table[0] };

/* Exit codes that mean something here. */
static const struct exit_row {
    int code;
    const char *meaning;
    int is_self_inflicted;
} exit_table[] = {
    {WORKER_EXIT_HUNG, "its own alarm", 1},
    {WORKER_EXIT_MEMORY, "out of memory", 1},
    {WORKER_EXIT_SENT, "a signal from outside", 0},
    {127, "program not found", 0},
};
enum { EXIT_TABLE_COUNT = sizeof exit_table / sizeof exit_table[0] };

/* NULL: not in the table. */
static const struct signal_row *find_signal(int signal)
{
    for (int i = 0; i < SIGNAL_TABLE_COUNT; i++)
        if (signal_table[i].signal == signal)
            return &signal_table[i];
    return NULL;
}

static const struct exit_row *find_exit(int code)
{
    for (int i = 0; i < EXIT_TABLE_COUNT; i++)
        if (exit_table[i].code == code)
            return &exit_table[i];
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
    const struct signal_row *signal_row = find_signal(end.signal);
    const struct exit_row *exit_row = find_exit(end.exit_code);
    if (end.signal != 0)
        return signal_row != NULL && signal_row->is_self_inflicted;
    return exit_row != NULL && exit_row->is_self_inflicted;
}

int process_end_is_from_outside(struct process_end end)
{
    return (end.signal != 0 || end.exit_code == WORKER_EXIT_SENT) &&
           !process_end_is_self_inflicted(end);
}

void process_end_print(struct process_end end, char *text, size_t size)
{
    const struct signal_row *signal_row = find_signal(end.signal);
    const struct exit_row *exit_row = find_exit(end.exit_code);
    if (end.signal != 0 && signal_row != NULL)
        snprintf(text, size, "%s", signal_row->name);
    else if (end.signal != 0)
        snprintf(text, size, "signal %d", end.signal);
    else if (exit_row != NULL)
        snprintf(text, size, "exit code %d (%s)", end.exit_code, exit_row->meaning);
    else
        snprintf(text, size, "exit code %d", end.exit_code);
}

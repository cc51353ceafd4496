/* See fault.h. The handler calls async-signal-safe functions only. It has a stack of its own, so
 * that it can also report a task that overflowed the usual one. */
#define _XOPEN_SOURCE 700 /* sigaltstack() */
#include "simulator/fault.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "proto/message.h"

#define HANDLER_STACK_BYTES (64 * 1024)

static const struct {
    int number;
    const char *name;
} watched[] = {
    {SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},
    {SIGILL, "SIGILL"},   {SIGABRT, "SIGABRT"}, {SIGPROF, "SIGPROF"},
};
enum { WATCHED_COUNT = sizeof watched / sizeof watched[0] };

static struct sigaction before[WATCHED_COUNT]; /* earlier handlers, for example a sanitizer's */
static char handler_stack[HANDLER_STACK_BYTES];
static volatile uint64_t task_in_hand, creature_in_hand;

/* A line of the log; text beyond its room is cut off. */
struct line {
    char text[256];
    size_t length;
};

static void line_add(struct line *line, const char *text)
{
    while (*text && line->length < sizeof line->text - 1)
        line->text[line->length++] = *text++;
}

static void line_add_number(struct line *line, const char *key, uint64_t number)
{
    char digits[24];
    size_t at = sizeof digits - 1;
    digits[at] = '\0';
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    line_add(line, key);
    line_add(line, digits + at);
}

/* Whether another process sent the signal. abort() and raise() also send one (si_code <= 0), but
 * from this process; a fault of an instruction or the alarm has si_code > 0. */
static int is_from_outside(const siginfo_t *info)
{
    return (info->si_code <= 0 || info->si_code == SI_USER) && info->si_pid != getpid();
}

static void log_fault(int index, const siginfo_t *info)
{
    struct line line = {.length = 0};
    int is_alarm = watched[index].number == SIGPROF && !is_from_outside(info);
    line_add(&line, is_alarm ? "level=error event=hung" : "level=error event=fault signal=");
    if (!is_alarm)
        line_add(&line, watched[index].name);
    if (is_from_outside(info))
        line_add_number(&line, " sent_by=", (uint64_t)info->si_pid);
    line_add_number(&line, " task=", task_in_hand);
    line_add_number(&line, " creature=", creature_in_hand);
    if (is_alarm)
        line_add(&line, " reason=\"more processor time than the deadline allows\"");
    line.text[line.length++] = '\n';
    ssize_t ignored = write(STDERR_FILENO, line.text, line.length);
    (void)ignored;
}

static void on_signal(int number, siginfo_t *info, void *context)
{
    int index = 0;
    while (watched[index].number != number)
        index++;
    log_fault(index, info);
    if (is_from_outside(info))
        _exit(WORKER_EXIT_SENT);
    if (number == SIGPROF)
        _exit(WORKER_EXIT_HUNG);
    /* on return a faulty instruction fails again; a signal of raise() must be raised again */
    sigaction(number, &before[index], NULL);
    if (info->si_code <= 0)
        raise(number);
}

void fault_set_task(uint64_t task, uint64_t creature)
{
    task_in_hand = task;
    creature_in_hand = creature;
}

void fault_watch(void)
{
    stack_t stack = {.ss_sp = handler_stack, .ss_size = sizeof handler_stack};
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigfillset(&action.sa_mask);
    sigaltstack(&stack, NULL);
    for (int i = 0; i < WATCHED_COUNT; i++)
        sigaction(watched[i].number, &action, &before[i]);
}

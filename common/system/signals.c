/* See signals.h. Handlers of a process end with exec(); an ignored signal stays ignored, and a
 * blocked one blocked, in each program that it starts. */
#include "common/system/signals.h"

#include <signal.h>
#include <stddef.h>

static int is_ignored_on_purpose(int number)
{
    switch (number) {
    case SIGHUP:
    case SIGINT:
    case SIGQUIT:
    case SIGTSTP:
    case SIGTTIN:
    case SIGTTOU:
        return 1;
    default:
        return 0;
    }
}

void signals_begin(void)
{
    struct sigaction action;
    sigset_t none;
    for (int number = 1; number <= SIGRTMAX; number++)
        if (!is_ignored_on_purpose(number) && !sigaction(number, NULL, &action) &&
            action.sa_handler == SIG_IGN)
            signal(number, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

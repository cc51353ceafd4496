/* The names are kept in fixed places, since a handler may not allocate, and unlink() is one of the
 * few functions that it may call. */
#include "common/system/remove_on_signal.h"

#include <limits.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define NAMES_MAX 4

static struct {
    volatile sig_atomic_t is_used;
    char path[PATH_MAX];
} names[NAMES_MAX];

static void on_signal(int number)
{
    for (int i = 0; i < NAMES_MAX; i++)
        if (names[i].is_used)
            unlink(names[i].path);
    /* the handler is gone by now (SA_RESETHAND): the process ends as it would have */
    raise(number);
}

static void watch(int number)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESETHAND}, old;
    if (!sigaction(number, NULL, &old) && old.sa_handler == SIG_DFL)
        sigaction(number, &action, NULL);
}

void remove_on_signal_begin(const char *path)
{
    for (int i = 0; i < NAMES_MAX; i++)
        if (!names[i].is_used && strlen(path) < sizeof names[i].path) {
            strcpy(names[i].path, path);
            names[i].is_used = 1;
            watch(SIGINT);
            watch(SIGTERM);
            watch(SIGHUP);
            return;
        }
}

void remove_on_signal_end(const char *path)
{
    for (int i = 0; i < NAMES_MAX; i++)
        if (names[i].is_used && !strcmp(names[i].path, path)) {
            names[i].is_used = 0;
            return;
        }
}

/* The surroundings of a process at its start: signals as its parent process left them, the limits
 * of a shell or a system (ulimit), clocks, a display, the project's other programs. */
#ifndef COMMON_SYSTEM_PROCESS_H
#define COMMON_SYSTEM_PROCESS_H

#include <stddef.h>
#include <time.h>

#include "common/error.h"

/* The first that main() does. No signal is blocked from now on, and each that the parent process
 * ignored has its default again: a child whose SIGCHLD is ignored, say, cannot be waited for.
 * SIGHUP (nohup), SIGINT and SIGQUIT (a job in the background) and the stops of a terminal stay
 * ignored, since a shell asks for that on purpose. */
void signals_begin(void);

/* Room on the stack for everything that the programs do; ERR_LIMIT names the limit if there is
 * less. */
int limits_check_stack(struct error *error);
/* Raises the limit of open files to that number, as far as is allowed. ERR_LIMIT if that is not
 * enough; `what` names their user in the message. */
int limits_raise_files(int count, const char *what, struct error *error);

/* The time of a clock of clock_gettime(), ms. */
double clock_ms(clockid_t clock);

/* 0 where the environment names no display that a window could open on: on Linux neither one of X11
 * nor of Wayland, nor a driver of SDL. 1: there may be one. */
int display_may_exist(void);

/* Now, as "2026-01-31T12:34:56.789Z"; returns `text`. */
const char *clock_print_utc(char text[32]);

/* Finds a program beside the one that runs, else in PATH. ERR_MISSING says where it was looked
 * for. */
int find_program(const char *name, char *path, size_t size, struct error *error);

#endif

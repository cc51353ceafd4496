/* Signals at a program's start: its parent process may have left them otherwise than it needs. */
#ifndef COMMON_SYSTEM_SIGNALS_H
#define COMMON_SYSTEM_SIGNALS_H

/* The first that main() does. No signal is blocked from now on, and each that the parent process
 * ignored has its default again: a child whose SIGCHLD is ignored, say, cannot be waited for.
 * SIGHUP (nohup), SIGINT and SIGQUIT (a job in the background) and the stops of a terminal stay
 * ignored, since a shell asks for that on purpose. */
void signals_begin(void);

#endif

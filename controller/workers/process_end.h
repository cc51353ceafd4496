/* How a worker's process ended: its exit code or signal, the name of that, and whose fault it
 * is. */
#ifndef CONTROLLER_WORKERS_PROCESS_END_H
#define CONTROLLER_WORKERS_PROCESS_END_H

#include <stddef.h>

struct process_end {
    int exit_code; /* if there was no signal */
    int signal;    /* 0 = it exited */
};

/* Launchers report their child's signal as an exit code of 128 + signal: the end of the child. */
struct process_end process_end_of_child(struct process_end launcher);

/* Whether the process did it to itself: a crash, too little memory, its own alarm. Simulators make
 * exit codes of the signals that others send them (simulator/fault.h). */
int process_end_is_self_inflicted(struct process_end end);

/* Whether another process ended it by a signal: the same program started again may well go on to
 * its end. */
int process_end_is_from_outside(struct process_end end);

/* "SIGSEGV", "signal 40", "exit code 3". */
void process_end_print(struct process_end end, char *text, size_t size);

#endif

/* The other programs of the project, and the machine they run on. */
#ifndef CONTROLLER_WORKERS_PROGRAM_H
#define CONTROLLER_WORKERS_PROGRAM_H

#include "common/error.h"
#include "controller/store/run_directory.h"

/* How a process ended: its exit code or signal, the name of that, and whose fault it is. */
struct process_end {
    int exit_code; /* if there was no signal */
    int signal;    /* 0 = it exited */
};

/* Launchers report their child's signal as an exit code of 128 + signal: the end of the child. */
struct process_end process_end_of_child(struct process_end launcher);

/* Whether the process did it to itself: a crash, too little memory, its own alarm. Simulators make
 * exit codes of the signals that others send them (simulator/fault.h). */
int process_end_is_self_inflicted(struct process_end end);

/* "SIGSEGV", "signal 40", "exit code 3". */
void process_end_print(struct process_end end, char *text, size_t size);

/* Finds a program beside this one, else in PATH. ERR_MISSING says where it was looked for. */
int program_find(const char *name, char path[RUN_PATH_SIZE], struct error *error);

/* Starts `path` with `argv` as its arguments (argv[0] included, NULL at the end), waits for it,
 * hands SIGTERM and SIGHUP on to it meanwhile, and returns its exit code, 128 + signal if a signal
 * ended it, or a negative ERR_*. With an open file as `output`, and not -1, it has nothing to read,
 * and all it prints, errors too, goes there. */
int program_run(const char *path, char *const *argv, int output, struct error *error);
/* Runs a program with nothing to read. All that it prints, errors too, becomes a string from malloc
 * (NULL on error). Returns as program_run(); ERR_LIMIT where it prints more than this. */
enum { PROGRAM_OUTPUT_BYTES_MAX = 1 << 20 };
int program_hear(const char *path, char *const *argv, char **output, struct error *error);

/* Runs a program with nothing to read, and gives the first line it prints, without the line's end.
 * A program that another process ends by a signal is started again, PROGRAM_ASK_TRIES times in all,
 * unless the signal was for this process, too. ERR_IO if it prints no line, crashes, or ends with
 * another code than 0. */
#define PROGRAM_ASK_TRIES 10
int program_ask(const char *path, char *const *argv, char *line, size_t size, struct error *error);

/* The fingerprint of that simulator (simulator/fingerprint.h): all workers must compute it. */
int program_ask_fingerprint(const char *path, uint64_t *fingerprint, struct error *error);

/* Starts `path` as a session of its own that is not waited for, standard input from nowhere, what
 * it prints going to an open file. */
int program_start(const char *path, char *const *argv, int output, struct error *error);

/* The processors this process may use, at least 1. */
int program_core_count(void);

/* A temporary directory for the files that go to another program of the project, or come from it. */

struct scratch {
    char directory[RUN_PATH_SIZE - 64]; /* leaves room for a file's name */
};

/* Makes the directory in TMPDIR or /tmp; its name has the purpose in it. */
int scratch_open(struct scratch *scratch, const char *purpose, struct error *error);
/* Removes the directory and the files in it. */
void scratch_close(const struct scratch *scratch);
/* The path of a file of that name in it; the name has at most 60 bytes. */
void scratch_path(const struct scratch *scratch, const char *name, char path[RUN_PATH_SIZE]);

#endif

/* A temporary directory for the files that go to another program of the project, or come from it. */
#ifndef CONTROLLER_WORKERS_SCRATCH_H
#define CONTROLLER_WORKERS_SCRATCH_H

#include "common/error.h"
#include "controller/store/run_directory.h"

#define SCRATCH_OUTPUT_BYTES_MAX (1u << 20)

struct scratch {
    char directory[RUN_PATH_SIZE - 64]; /* leaves room for a file's name */
};

/* Makes the directory in TMPDIR or /tmp; its name has the purpose in it. */
int scratch_open(struct scratch *scratch, const char *purpose, struct error *error);
/* Removes the directory and the files in it. */
void scratch_close(const struct scratch *scratch);
/* The path of a file of that name in it; the name has at most 60 bytes. */
void scratch_path(const struct scratch *scratch, const char *name, char path[RUN_PATH_SIZE]);
/* Runs a program of that path with nothing to read. What it prints, errors too, becomes a string
 * from malloc (NULL on error). Returns as program_run(). */
int scratch_run(const struct scratch *scratch, const char *program, char *const *argv,
                char **output, struct error *error);

#endif

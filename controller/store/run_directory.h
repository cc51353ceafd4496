/* A run's directory: the paths in it, its creation, and the lock that keeps it to one controller.
 *
 *   run.db                    the run store (store.h)
 *   params.ini                the effective parameters
 *   seed-1, seed-2, ...       the creatures that the run began with, which params.ini names
 *   lock                      locked while a controller works on the run
 *   logs/controller.log       logs/worker-NN.log
 *
 * It may be a stranger's: what is in it is opened by file_open_within() and its like, that is, if
 * it is a regular file, and never through a link. */
#ifndef CONTROLLER_STORE_RUN_DIRECTORY_H
#define CONTROLLER_STORE_RUN_DIRECTORY_H

#include <stdint.h>
#include <sys/types.h>

#include "common/error.h"
#include "common/params/params.h"
#include "controller/evolution/seeding.h"

#define RUN_PATH_SIZE 4096
/* Behind the name of run.db until it is whole. */
#define RUN_NEW_SUFFIX ".new"

/* directory/name into path (RUN_PATH_SIZE bytes); ERR_LIMIT if it does not fit. */
int run_directory_path(const char *directory, const char *name, char path[RUN_PATH_SIZE],
                       struct error *error);

/* Makes the directory with logs/ in it, and what is missing above it. It must not exist, be empty,
 * or hold nothing but what a controller leaves that ended before run.db was whole: else
 * ERR_EXISTS. */
int run_directory_create(const char *directory, struct error *error);

/* Makes logs/ in it unless it is there. */
int run_directory_make_logs(const char *directory, struct error *error);

/* 0 if the directory holds a run; else ERR_MISSING with a message that says why not. */
int run_directory_check(const char *directory, struct error *error);

/* Writes params.ini, whatever has that name now. */
int run_directory_write_params(const char *directory, const struct params *params,
                               struct error *error);

/* The names of the seeds' files as evolution.seeds; they fit for as many as there may be. */
void run_directory_name_seeds(const struct seeding *seeding, char names[PARAM_TEXT_SIZE]);
/* Writes the seeds' files, with what the seeds see after evolution.seeds_see. */
int run_directory_write_seeds(const char *directory, const struct seeding *seeding,
                              struct error *error);

/* Locks the file at `path` (made if missing) until the descriptor is closed, or the process ends in
 * whatever way. ERR_BUSY names the holder. Closing any other descriptor of the same file ends the
 * lock, so a process locks a run only once. */
int run_directory_lock(const char *path, int *descriptor, struct error *error);
/* The process that holds the lock, 0 if none does. */
pid_t run_directory_lock_holder(const char *path);

/* Bytes used by the run's files, logs included. */
int64_t run_directory_disk_bytes(const char *directory);

/* logs/controller.log of a run: it takes the lines of common/system/log.h while a controller works
 * on the run, and does not grow for ever. */

struct run_log {
    char directory[RUN_PATH_SIZE], path[RUN_PATH_SIZE], old_path[RUN_PATH_SIZE];
    int descriptor;
    off_t limit_bytes; /* beyond which it begins anew */
};

/* From here on log lines go to DIRECTORY/logs/controller.log; a long one is put away first. 0, or
 * ERR_* with a message. The file stays open until the process ends. */
int run_log_open(struct run_log *log, const char *directory, off_t limit_bytes,
                 struct error *error);

/* Puts a log beyond its limit away as controller.old.log, in the place of an older one, and begins
 * anew; a failure leaves it as it is. Two system calls where there is nothing to do. */
void run_log_rotate(struct run_log *log);

/* Begins anew where the log was deleted, with its folder if need be; what cannot be done is left as
 * it is. Only while the directory is known to be the run's (store_check_place()). One system call
 * where there is nothing to do. */
void run_log_restore(struct run_log *log);

#endif

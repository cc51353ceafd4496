/* logs/controller.log of a run: it takes the lines of common/system/log.h while a controller works
 * on the run, and does not grow for ever. */
#ifndef CONTROLLER_STORE_RUN_LOG_H
#define CONTROLLER_STORE_RUN_LOG_H

#include <sys/types.h>

#include "common/error.h"
#include "controller/store/run_directory.h"

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

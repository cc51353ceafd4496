/* The controller's log: some lines for each process of a worker and one for each generation, so
 * weeks pass until it is long. It is looked at once a generation.
 *
 * The descriptor stays the same (dup2), since common/system/log.c holds it. A directory that was
 * moved may have another run in its place: only the file that is written to is ever put away. */
#include "controller/store/run_directory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/system/file.h"
#include "common/system/log.h"

#define LOG_FLAGS (O_WRONLY | O_APPEND | O_CREAT)

int run_log_open(struct run_log *log, const char *directory, off_t limit_bytes, struct error *error)
{
    log->limit_bytes = limit_bytes;
    snprintf(log->directory, sizeof log->directory, "%s", directory);
    int status = run_directory_path(directory, "logs/controller.log", log->path, error);
    if (!status)
        status = run_directory_path(directory, "logs/controller.old.log", log->old_path, error);
    if (status)
        return status;
    status = file_open_within(directory, "logs/controller.log", LOG_FLAGS, &log->descriptor, error);
    if (status)
        return status;
    run_log_rotate(log);
    log_set(log->descriptor, LOG_INFO);
    return 0;
}

/* Whether it is long, and still at its place. */
static int run_log_is_due(const struct run_log *log)
{
    struct stat ours, there;
    return fstat(log->descriptor, &ours) == 0 && ours.st_size > log->limit_bytes &&
           lstat(log->path, &there) == 0 && there.st_dev == ours.st_dev &&
           there.st_ino == ours.st_ino;
}

/* Lines go to a new file from now on. 0, or ERR_*: they go where they went. */
static int run_log_begin_anew(struct run_log *log)
{
    int file;
    int status = file_open_plain(log->path, LOG_FLAGS, &file, &(struct error){0});
    if (status)
        return status;
    dup2(file, log->descriptor);
    close(file);
    fcntl(log->descriptor, F_SETFD, FD_CLOEXEC);
    return 0;
}

void run_log_rotate(struct run_log *log)
{
    if (run_log_is_due(log) && !rename(log->path, log->old_path) && run_log_begin_anew(log))
        rename(log->old_path, log->path);
}

void run_log_restore(struct run_log *log)
{
    struct stat there;
    if (lstat(log->path, &there) == 0 || errno != ENOENT ||
        run_directory_make_logs(log->directory, &(struct error){0}) || run_log_begin_anew(log))
        return;
    log_event(LOG_WARN, "log_lost", "reason=\"it was deleted, and begins anew\"");
}

/* The controller's log: some lines for each process of a worker and one for each generation, so weeks pass
 * until it is long. It is looked at once a generation.
 *
 * The descriptor stays the same (dup2), since common/log.c holds it. A directory that was moved may have
 * another run in its place: only the file that is written to is ever put away. */
#include "controller/run_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/log.h"

static int run_log_open_file(const struct run_log *log)
{
    return open(log->path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
}

int run_log_open(struct run_log *log, const char *directory, off_t limit_bytes, struct error *error)
{
    log->limit_bytes = limit_bytes;
    int status = run_directory_path(directory, "logs/controller.log", log->path, error);
    if (!status)
        status = run_directory_path(directory, "logs/controller.old.log", log->old_path, error);
    if (status)
        return status;
    log->descriptor = run_log_open_file(log);
    if (log->descriptor < 0)
        return error_set(error, ERR_IO, "%s: %s", log->path, strerror(errno));
    run_log_rotate(log);
    log_set(log->descriptor, LOG_INFO);
    return 0;
}

/* Whether it is long, and still at its place. */
static int run_log_is_due(const struct run_log *log)
{
    struct stat ours, there;
    return fstat(log->descriptor, &ours) == 0 && ours.st_size > log->limit_bytes &&
           stat(log->path, &there) == 0 && there.st_dev == ours.st_dev &&
           there.st_ino == ours.st_ino;
}

void run_log_rotate(struct run_log *log)
{
    if (!run_log_is_due(log) || rename(log->path, log->old_path))
        return;
    int file = run_log_open_file(log);
    if (file < 0) {
        /* no other can be had: the long one goes on */
        rename(log->old_path, log->path);
        return;
    }
    dup2(file, log->descriptor);
    close(file);
    fcntl(log->descriptor, F_SETFD, FD_CLOEXEC);
}

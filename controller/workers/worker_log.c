/* The log files of a farm's workers. */
#include "controller/workers/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/error.h"
#include "common/system/file.h"
#include "common/system/log.h"

enum { LOG_PATH_SIZE = 4096 };

/* The log's path (kind "") or that of the one before (kind ".old"). */
static void make_path(char path[LOG_PATH_SIZE], const struct worker_logs *logs, int slot,
                      const char *kind)
{
    snprintf(path, LOG_PATH_SIZE, "%s/worker-%02d%s.log", logs->directory, slot, kind);
}

int worker_log_is_due(const struct worker_logs *logs, int slot, int must_be_there)
{
    char path[LOG_PATH_SIZE];
    struct stat info;
    make_path(path, logs, slot, "");
    return logs->directory[0] != '\0' &&
           (lstat(path, &info) ? must_be_there && errno == ENOENT : info.st_size > logs->max_bytes);
}

void worker_log_rotate(const struct worker_logs *logs, int slot)
{
    char path[LOG_PATH_SIZE], old[LOG_PATH_SIZE];
    if (!worker_log_is_due(logs, slot, 0))
        return;
    make_path(path, logs, slot, "");
    make_path(old, logs, slot, ".old");
    if (rename(path, old) != 0)
        log_event(LOG_WARN, "log_not_rotated", "worker=%d reason=\"%s\"", slot, strerror(errno));
}

int worker_log_open(const struct worker_logs *logs, int slot)
{
    char path[LOG_PATH_SIZE];
    if (logs->directory[0] == '\0')
        return -1;
    make_path(path, logs, slot, "");
    mkdir(logs->directory, 0777); /* it is there already, as a rule */
    struct error error;
    int descriptor = -1;
    if (file_open_plain(path, O_WRONLY | O_APPEND | O_CREAT, &descriptor, &error)) {
        char text[sizeof error.message];
        log_event(LOG_WARN, "log_not_opened", "reason=%s",
                  log_quote(error.message, text, sizeof text));
    }
    return descriptor;
}

/* Reads the file's last bytes; their count, 0 if there are none. */
static size_t read_end(const struct worker_logs *logs, int slot, char text[WORKER_LOG_TAIL_BYTES])
{
    char path[LOG_PATH_SIZE];
    int descriptor;
    make_path(path, logs, slot, "");
    if (logs->directory[0] == '\0' ||
        file_open_plain(path, O_RDONLY, &descriptor, &(struct error){0}))
        return 0;
    off_t size = lseek(descriptor, 0, SEEK_END);
    off_t at = size > WORKER_LOG_TAIL_BYTES ? size - WORKER_LOG_TAIL_BYTES : 0;
    ssize_t length = pread(descriptor, text, WORKER_LOG_TAIL_BYTES, at);
    close(descriptor);
    return length > 0 ? (size_t)length : 0;
}

/* The line with which the last process in the text began, or else the first whole line. */
static const char *find_start(const char *text, size_t length)
{
    const char *start = text;
    if (length == WORKER_LOG_TAIL_BYTES && (start = strchr(text, '\n')) == NULL)
        start = text;
    for (const char *next = start; (next = strstr(next, " event=start ")) != NULL; next++)
        for (start = next; start > text && start[-1] != '\n';)
            start--;
    return start + (*start == '\n');
}

void worker_log_read_tail(const struct worker_logs *logs, int slot,
                          char text[WORKER_LOG_TAIL_BYTES + 1])
{
    size_t length = read_end(logs, slot, text);
    text[length] = '\0';
    const char *start = find_start(text, length);
    memmove(text, start, strlen(start) + 1);
}

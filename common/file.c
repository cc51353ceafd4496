/* Whole files. Creature and parameter files are some kilobytes: they are read in one piece, because
 * their checks (a checksum, a scan of the structure) look at the whole before anything is believed. */
#include "common/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRST_READ_BYTES 8192
#define TEMPORARY_TRIES  100
#define TEMPORARY_EXTENT 32 /* ".PID.N.tmp" */

static int fail_path(struct error *error, const char *path)
{
    int code = errno == ENOENT ? ERR_MISSING : ERR_IO;
    return error_set(error, code, "%s: %s", path, strerror(errno));
}

/* Reads to the end; the size that a file claims is not relied on (it may be a pipe, or grow). */
static int read_all(int descriptor, const char *path, size_t max_bytes, char **bytes,
                    size_t *length, struct error *error)
{
    size_t room = 0;
    for (;;) {
        if (*length == room) {
            room = room == 0 ? FIRST_READ_BYTES : room * 2;
            char *grown = realloc(*bytes, room + 1);
            if (!grown)
                return error_set(error, ERR_MEMORY, "%s: out of memory", path);
            *bytes = grown;
        }
        ssize_t got = read(descriptor, *bytes + *length, room - *length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail_path(error, path);
        *length += (size_t)got;
        if (*length > max_bytes)
            return error_set(error, ERR_LIMIT, "%s: larger than %zu bytes", path, max_bytes);
        if (got == 0) {
            (*bytes)[*length] = '\0';
            return 0;
        }
    }
}

int file_read(const char *path, size_t max_bytes, char **bytes, size_t *length, struct error *error)
{
    *bytes = NULL;
    *length = 0;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return fail_path(error, path);
    int rc = read_all(descriptor, path, max_bytes, bytes, length, error);
    close(descriptor);
    if (rc != 0) {
        free(*bytes);
        *bytes = NULL;
        *length = 0;
    }
    return rc;
}

int file_write_all(int descriptor, const void *bytes, size_t length)
{
    const char *rest = bytes;
    while (length > 0) {
        ssize_t put = write(descriptor, rest, length);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return ERR_IO;
        rest += put;
        length -= (size_t)put;
    }
    return 0;
}

/* A new file beside path; its name goes to `temporary`. Returns the descriptor, or -1 with errno. */
static int open_temporary(const char *path, char *temporary, size_t size)
{
    int descriptor = -1;
    for (int i = 0; i < TEMPORARY_TRIES && descriptor < 0; i++) {
        snprintf(temporary, size, "%s.%ld.%d.tmp", path, (long)getpid(), i);
        descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor < 0 && errno != EEXIST)
            break;
    }
    return descriptor;
}

/* So that the rename survives a power failure; not every file system can, and then it does not. */
static void sync_directory(const char *path)
{
    char directory[4096];
    const char *slash = strrchr(path, '/');
    int length = slash ? (int)(slash - path) : 0;
    if (length >= (int)sizeof(directory))
        return;
    snprintf(directory, sizeof(directory), "%.*s", length, path);
    int descriptor = open(length > 0 ? directory : slash ? "/" : ".", O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return;
    fsync(descriptor);
    close(descriptor);
}

int file_is_special(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

static int write_into(const char *path, const void *bytes, size_t length, struct error *error)
{
    int descriptor = open(path, O_WRONLY | O_CLOEXEC);
    if (descriptor < 0)
        return fail_path(error, path);
    int rc = file_write_all(descriptor, bytes, length) != 0 ? fail_path(error, path) : 0;
    if (close(descriptor) != 0 && rc == 0)
        rc = fail_path(error, path);
    return rc;
}

int file_write(const char *path, const void *bytes, size_t length, struct error *error)
{
    /* a rename would put a file in the place of /dev/null, for all who use it */
    if (file_is_special(path))
        return write_into(path, bytes, length, error);
    size_t size = strlen(path) + TEMPORARY_EXTENT;
    char *temporary = malloc(size);
    if (!temporary)
        return error_set(error, ERR_MEMORY, "%s: out of memory", path);
    int rc = 0;
    int descriptor = open_temporary(path, temporary, size);
    if (descriptor < 0) {
        rc = fail_path(error, path);
        goto done;
    }
    int has_failed = file_write_all(descriptor, bytes, length) != 0 || fsync(descriptor) != 0;
    if (has_failed)
        rc = fail_path(error, path);
    if (close(descriptor) != 0 && rc == 0)
        rc = fail_path(error, path);
    if (rc == 0 && rename(temporary, path) != 0)
        rc = fail_path(error, path);
    if (rc != 0)
        unlink(temporary);
    else
        sync_directory(path);
done:
    free(temporary);
    return rc;
}

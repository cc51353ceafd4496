/* Whole files. Creature and parameter files are some kilobytes: they are read in one piece, because
 * their checks (a checksum, a scan of the structure) look at the whole before anything is believed.
 *
 * And files in directories that may come from strangers: opened so that no link leads out of there
 * and nothing waits for the other end of a pipe. */
#define _GNU_SOURCE /* O_DIRECTORY, O_NOFOLLOW, O_CLOEXEC */
#include "common/system/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <stdint.h>
#include <sys/vfs.h>
#endif

#define FIRST_READ_BYTES 8192
#define NAMES_MAX        4

static int fail_path(struct error *error, const char *path)
{
    int code = errno == ENOENT ? ERR_MISSING : ERR_IO;
    return error_set(error, code, "%s: %s", path, strerror(errno));
}

/* Editors of some systems put one before a text of UTF-8; no other file begins so. */
static void drop_byte_order_mark(char *bytes, size_t *length)
{
    static const char mark[] = "\xef\xbb\xbf";
    if (*length < strlen(mark) || memcmp(bytes, mark, strlen(mark)) != 0)
        return;
    *length -= strlen(mark);
    memmove(bytes, bytes + strlen(mark), *length + 1);
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

/* Whether the path names an open descriptor of this program. */
static int is_own_descriptor(const char *path)
{
    static const char *const heads[] = {"/dev/stdin", "/dev/fd/", "/proc/self/fd/"};
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
        if (strncmp(path, heads[i], strlen(heads[i])) == 0)
            return 1;
    return 0;
}

static int check_readable(const struct stat *info, int is_written, const char *path,
                          struct error *error)
{
    const char *what = S_ISDIR(info->st_mode)    ? "a directory"
                       : S_ISFIFO(info->st_mode) ? "a named pipe"
                       : S_ISSOCK(info->st_mode) ? "a socket"
                                                 : "a device";
    if (S_ISREG(info->st_mode) || (S_ISFIFO(info->st_mode) && is_own_descriptor(path)))
        return 0;
    return error_set(error, ERR_FORMAT, "%s: %s, not a file", path, what);
}

/* Looks at a file before it is opened, since opening a device may do something, and after, since
 * the name may lead to another file by then. */
typedef int check_file(const struct stat *info, int is_written, const char *path,
                       struct error *error);
static int open_checked(int parent, const char *name, int flags, const char *path,
                        check_file *check, int *descriptor, struct error *error)
{
    struct stat info;
    int is_written = (flags & O_ACCMODE) != O_RDONLY, status = 0;
    if (fstatat(parent, name, &info, flags & O_NOFOLLOW ? AT_SYMLINK_NOFOLLOW : 0) == 0)
        status = check(&info, is_written, path, error);
    else if (errno != ENOENT)
        status = fail_path(error, path);
    if (status)
        return status;
    int file = openat(parent, name, flags | O_NOCTTY | O_CLOEXEC, 0666);
    if (file < 0)
        return fail_path(error, path);
    status = fstat(file, &info) ? fail_path(error, path) : check(&info, is_written, path, error);
    if (status)
        close(file);
    else
        *descriptor = file;
    return status;
}

/* Opens a file that a user names, to be read. A directory, a device, a socket or a named pipe is
 * ERR_FORMAT with its name, at once; an own descriptor (/dev/stdin, /dev/fd/N, as a shell's <(...)
 * has it) may be a pipe, which is waited for. 0, or ERR_* with a message. */
static int file_open(const char *path, int *descriptor, struct error *error)
{
    int no_wait = is_own_descriptor(path) ? 0 : O_NONBLOCK;
    return open_checked(AT_FDCWD, path, O_RDONLY | no_wait, path, check_readable, descriptor,
                        error);
}

int file_read(const char *path, size_t max_bytes, char **bytes, size_t *length, struct error *error)
{
    ENSURE(max_bytes > 0, "%s: no bytes at most", path);
    *bytes = NULL;
    *length = 0;
    int descriptor, rc = file_open(path, &descriptor, error);
    if (rc != 0)
        return rc;
    rc = read_all(descriptor, path, max_bytes, bytes, length, error);
    close(descriptor);
    if (rc == 0)
        drop_byte_order_mark(*bytes, length);
    if (rc != 0) {
        free(*bytes);
        *bytes = NULL;
        *length = 0;
    }
    return rc;
}

int file_write_all(int descriptor, const void *bytes, size_t length)
{
    ENSURE(bytes || length == 0, "%zu bytes that are not there", length);
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

/* ---- what a signal removes ---- */

/* The names are kept in fixed places, since a handler may not allocate, and unlink() is one of the
 * few functions that it may call. */
static struct {
    volatile sig_atomic_t is_used;
    char path[PATH_MAX];
} names[NAMES_MAX];

static void on_signal(int number)
{
    for (int i = 0; i < NAMES_MAX; i++)
        if (names[i].is_used)
            unlink(names[i].path);
    /* the handler is gone by now (SA_RESETHAND): the process ends as it would have */
    raise(number);
}

static void watch(int number)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESETHAND}, old;
    if (!sigaction(number, NULL, &old) && old.sa_handler == SIG_DFL)
        sigaction(number, &action, NULL);
}

/* From here to remove_on_signal_end(), SIGINT, SIGTERM and SIGHUP remove the file before they end the
 * process. A signal that the program handles or ignores itself is left to it. A few at a time;
 * more, and names longer than a path may be, are not watched. For one thread. */
static void remove_on_signal_begin(const char *path)
{
    for (int i = 0; i < NAMES_MAX; i++)
        if (!names[i].is_used && strlen(path) < sizeof names[i].path) {
            strcpy(names[i].path, path);
            names[i].is_used = 1;
            watch(SIGINT);
            watch(SIGTERM);
            watch(SIGHUP);
            return;
        }
}

static void remove_on_signal_end(const char *path)
{
    for (int i = 0; i < NAMES_MAX; i++)
        if (names[i].is_used && !strcmp(names[i].path, path)) {
            names[i].is_used = 0;
            return;
        }
}

/* Some file systems find out here only that the disk is full. 0, or -1 with errno. */
static int sync_path(const char *path)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return -1;
    int result = fsync(descriptor);
    close(descriptor);
    return result;
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
    sync_path(length > 0 ? directory : slash ? "/" : ".");
}

int file_is_special(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

/* ---- files in a directory that may be a stranger's ---- */

int file_check_plain(const struct stat *info, int is_written, const char *path, struct error *error)
{
    if (!S_ISREG(info->st_mode))
        return error_set(error, ERR_FORMAT,
                         "%s: not a regular file, but a link, a pipe, a device or a directory",
                         path);
    if (is_written && info->st_nlink > 1)
        return error_set(error, ERR_FORMAT,
                         "%s: the file has another name, too, where writing would change it", path);
    return 0;
}

/* The directory in which the last part of `name` is; -1 with errno. *last is that part. */
static int open_parent(const char *directory, const char *name, const char **last)
{
    int parent = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    *last = name;
    for (const char *slash; parent >= 0 && (slash = strchr(*last, '/')); *last = slash + 1) {
        char part[NAME_MAX + 1];
        snprintf(part, sizeof part, "%.*s", (int)(slash - *last), *last);
        int next = openat(parent, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        int reason = errno;
        close(parent);
        parent = next;
        errno = reason;
    }
    return parent;
}

static int open_plain_at(int parent, const char *name, int flags, const char *path, int *descriptor,
                         struct error *error)
{
    return open_checked(parent, name, flags | O_NOFOLLOW | O_NONBLOCK, path, file_check_plain,
                        descriptor, error);
}

int file_open_within(const char *directory, const char *name, int flags, int *descriptor,
                     struct error *error)
{
    char path[PATH_MAX];
    const char *last;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    int parent = open_parent(directory, name, &last);
    if (parent < 0)
        return fail_path(error, path);
    int status = open_plain_at(parent, last, flags, path, descriptor, error);
    close(parent);
    return status;
}

int file_open_plain(const char *path, int flags, int *descriptor, struct error *error)
{
    char directory[PATH_MAX];
    const char *slash = strrchr(path, '/');
    if (!slash)
        return open_plain_at(AT_FDCWD, path, flags, path, descriptor, error);
    if (slash - path >= (int)sizeof directory)
        return error_set(error, ERR_LIMIT, "%.64s...: the path is too long", path);
    snprintf(directory, sizeof directory, "%.*s", slash > path ? (int)(slash - path) : 1, path);
    return file_open_within(directory, slash + 1, flags, descriptor, error);
}

int file_rename(const char *from, const char *to, struct error *error)
{
    if (rename(from, to) != 0)
        return fail_path(error, to);
    sync_directory(to);
    return 0;
}

int file_is_on_network(const char *path)
{
#ifdef __linux__
    /* magic numbers of statfs(2) and of the file systems' own headers */
    static const uint32_t kinds[] = {
        0x6969,                             /* NFS */
        0x517b,     0xfe534d42, 0xff534d42, /* SMB, SMB2, CIFS */
        0x0bd00bd0,                         /* Lustre */
        0x47504653,                         /* GPFS (Spectrum Scale) */
        0x19830326,                         /* BeeGFS */
        0x00c36400,                         /* Ceph */
        0x01021997,                         /* 9P */
        0x5346414f,                         /* AFS */
        0x6b414653,                         /* AFS of the kernel */
        0x7461636f,                         /* OCFS2 */
        0x01161970,                         /* GFS2 */
        0x20030528,                         /* OrangeFS */
        0xaad7aaea,                         /* PanFS */
        0x65735546,                         /* FUSE: sshfs, GlusterFS */
    };
    struct statfs info;
    if (statfs(path, &info) != 0)
        return 0;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if ((uint32_t)info.f_type == kinds[i])
            return 1;
#endif
    return 0;
}

/* ---- drafts ---- */

static int is_itself(const struct atomic_file *draft)
{
    return strcmp(draft->name, draft->path) == 0;
}

/* Begins a draft beside path, or where is_in_place a file that is path itself. */
static int begin_draft(struct atomic_file *draft, const char *path, int is_in_place,
                       struct error *error)
{
    char suffix[32] = "";
    draft->path = path;
    draft->file = NULL;
    if (!is_in_place)
        snprintf(suffix, sizeof suffix, ".part-%ld", (long)getpid());
    if (snprintf(draft->name, sizeof draft->name, "%s%s", path, suffix) >= (int)sizeof draft->name)
        return error_set(error, ERR_LIMIT, "%.64s...: the path is too long", path);
    if (!is_in_place)
        remove_on_signal_begin(draft->name);
    return 0;
}

/* The draft is a new file: a link that waits under its name is not followed. */
static int open_draft(struct atomic_file *draft, struct error *error)
{
    int is_in_place = is_itself(draft);
    if (!is_in_place)
        unlink(draft->name);
    int descriptor =
        open(draft->name, O_WRONLY | O_CLOEXEC | (is_in_place ? 0 : O_CREAT | O_EXCL), 0666);
    draft->file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    if (draft->file)
        return 0;
    int status = fail_path(error, draft->path);
    if (descriptor >= 0)
        close(descriptor);
    if (!is_in_place)
        remove_on_signal_end(draft->name);
    return status;
}

int atomic_file_begin(struct atomic_file *draft, const char *path, struct error *error)
{
    return begin_draft(draft, path, file_is_special(path), error);
}

int atomic_file_open(struct atomic_file *draft, const char *path, struct error *error)
{
    int status = atomic_file_begin(draft, path, error);
    return status ? status : open_draft(draft, error);
}

/* 0, or -1 with errno, which is 0 where the cause is lost. */
static int close_file(struct atomic_file *draft)
{
    if (!draft->file)
        return 0;
    errno = 0;
    int is_lost = fflush(draft->file) != 0 || ferror(draft->file), reason = errno;
    if (fclose(draft->file) == 0 || is_lost)
        errno = reason;
    else
        is_lost = 1;
    return is_lost ? -1 : 0;
}

int atomic_file_end(struct atomic_file *draft, int status, struct error *error)
{
    int is_lost = close_file(draft) != 0;
    if (!is_lost && !status && !is_itself(draft))
        is_lost = sync_path(draft->name) != 0 || rename(draft->name, draft->path) != 0;
    if (!is_lost && !status && !is_itself(draft))
        sync_directory(draft->path);
    if (is_lost && !status)
        status = error_set(error, ERR_IO, "%s: %s", draft->path,
                           errno ? strerror(errno) : "could not be written");
    if (!is_itself(draft)) {
        if (status)
            unlink(draft->name);
        remove_on_signal_end(draft->name);
    }
    return status;
}

static int write_whole(const char *path, int is_in_place, const void *bytes, size_t length,
                       struct error *error)
{
    struct atomic_file draft;
    int status = begin_draft(&draft, path, is_in_place, error);
    if (!status)
        status = open_draft(&draft, error);
    if (status)
        return status;
    if (file_write_all(fileno(draft.file), bytes, length) != 0)
        status = fail_path(error, path);
    return atomic_file_end(&draft, status, error);
}

int file_write(const char *path, const void *bytes, size_t length, struct error *error)
{
    /* a rename would put a file in the place of /dev/null, for all its users */
    return write_whole(path, file_is_special(path), bytes, length, error);
}

int file_replace(const char *path, const void *bytes, size_t length, struct error *error)
{
    return write_whole(path, 0, bytes, length, error);
}

/* A run's directory. The lock is a POSIX record lock (fcntl): the kernel drops it when the process
 * ends, children do not inherit it, it works over NFS, and it names its holder. */
#include "controller/store/run_directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/formats/file_kind.h"
#include "common/system/file.h"
#include "common/system/log.h"
#include "common/text.h"

int run_directory_path(const char *directory, const char *name, char path[RUN_PATH_SIZE],
                       struct error *error)
{
    int length = snprintf(path, RUN_PATH_SIZE, "%s/%s", directory, name);
    if (length < 0 || length >= RUN_PATH_SIZE)
        return error_set(error, ERR_LIMIT, "%.64s...: the path is too long", directory);
    return 0;
}

/* How many entries a directory has that are not expected (NULL: not one is); -1: it cannot be
 * read. */
static int count_entries(const char *path, int (*is_expected)(const char *path, const char *name))
{
    DIR *stream = opendir(path);
    if (!stream)
        return -1;
    int count = 0;
    const struct dirent *entry;
    while ((entry = readdir(stream)))
        if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
            count += !is_expected || !is_expected(path, entry->d_name);
    closedir(stream);
    return count;
}

/* logs/ without a log, an empty lock, and what is to become run.db. */
static int is_of_beginning(const char *directory, const char *name)
{
    char path[RUN_PATH_SIZE];
    struct stat info;
    if (run_directory_path(directory, name, path, &(struct error){0}) || lstat(path, &info))
        return 0;
    if (!strcmp(name, "logs"))
        return S_ISDIR(info.st_mode) && count_entries(path, NULL) == 0;
    if (!strcmp(name, "lock"))
        return S_ISREG(info.st_mode) && info.st_size == 0;
    return S_ISREG(info.st_mode) && (!strcmp(name, "run.db" RUN_NEW_SUFFIX) ||
                                     !strcmp(name, "run.db" RUN_NEW_SUFFIX "-journal"));
}

static int is_unused(const char *directory)
{
    return count_entries(directory, is_of_beginning) == 0;
}

/* Unless it is there. */
static int make_one(const char *path, struct error *error)
{
    return mkdir(path, 0777) && errno != EEXIST
               ? error_set(error, ERR_IO, "%s: cannot make the directory: %s", path,
                           strerror(errno))
               : 0;
}

/* mkdir -p of everything above the last component. */
static int make_parents(const char *directory, struct error *error)
{
    char path[RUN_PATH_SIZE];
    if (snprintf(path, sizeof path, "%s", directory) >= (int)sizeof path)
        return error_set(error, ERR_LIMIT, "%.64s...: the path is too long", directory);
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (make_one(path, error))
            return error->code;
        *slash = '/';
    }
    return 0;
}

int run_directory_create(const char *directory, struct error *error)
{
    if (make_parents(directory, error))
        return error->code;

    if (make_one(directory, error))
        return error->code;
    if (!is_unused(directory))
        return error_set(error, ERR_EXISTS,
                         "%s: exists already (look at it: controller view %s; go on with it: "
                         "controller resume %s; begin another: --seed N or -o RUN_DIR)",
                         directory, directory, directory);
    return run_directory_make_logs(directory, error);
}

int run_directory_make_logs(const char *directory, struct error *error)
{
    char logs[RUN_PATH_SIZE];
    return run_directory_path(directory, "logs", logs, error) || make_one(logs, error) ? error->code
                                                                                       : 0;
}

int run_directory_check(const char *directory, struct error *error)
{
    char path[RUN_PATH_SIZE];
    struct stat info;
    if (run_directory_path(directory, "run.db", path, error))
        return error->code;
    int is_there = !stat(directory, &info);
    if (!is_there || !S_ISDIR(info.st_mode)) {
        error_set(error, ERR_MISSING, "%s: %s", directory,
                  is_there ? "not a run: it is not a directory" : strerror(errno));
        return file_kind_explain(directory, FILE_RUN, error);
    }
    if (lstat(path, &info)) {
        char runs[256];
        return error_set(error, ERR_MISSING, "%s: not a run: there is no run.db in it%s%s",
                         directory, file_kind_list_runs(directory, runs, sizeof runs),
                         is_unused(directory) ? " (begin one there with 'controller run')" : "");
    }
    return file_check_plain(&info, 0, path, error);
}

int run_directory_write_params(const char *directory, const struct params *params,
                               struct error *error)
{
    char path[RUN_PATH_SIZE], *text = NULL;
    size_t length = 0;
    if (run_directory_path(directory, "params.ini", path, error))
        return error->code;
    FILE *file = open_memstream(&text, &length);
    int status = file ? params_write(params, file, 1) : ERR_MEMORY;
    if (file && fclose(file))
        status = ERR_MEMORY;
    status = status ? error_set(error, status, "%s: %s", path, error_text(status))
                    : file_replace(path, text, length, error);
    free(text);
    return status;
}

/* Short, since the names of SEEDS_MAX have to fit into a parameter. */
#define SEED_NAME "seed-%d"

void run_directory_name_seeds(const struct seeding *seeding, char names[PARAM_TEXT_SIZE])
{
    _Static_assert(SEEDS_MAX < 100 && SEEDS_MAX * sizeof SEED_NAME <= PARAM_TEXT_LENGTH_MAX,
                   "the names of the seeds are one parameter");
    names[0] = '\0';
    for (int i = 0; i < seeding->count; i++)
        text_append(names, PARAM_TEXT_SIZE, "%s" SEED_NAME, i ? " " : "", i + 1);
}

static int write_seed(const char *path, const struct seed *seed, struct error *error)
{
    struct pack_writer writer;
    pack_writer_init(&writer);
    creature_encode(&seed->creature, &writer);
    int status = writer.has_failed
                     ? error_memory(error)
                     : file_replace(path, writer.buffer.data, writer.buffer.size, error);
    pack_writer_deinit(&writer);
    return status;
}

int run_directory_write_seeds(const char *directory, const struct seeding *seeding,
                              struct error *error)
{
    int status = 0;
    for (int i = 0; i < seeding->count && !status; i++) {
        char name[sizeof SEED_NAME + 8], path[RUN_PATH_SIZE];
        snprintf(name, sizeof name, SEED_NAME, i + 1);
        status = run_directory_path(directory, name, path, error);
        if (!status)
            status = write_seed(path, &seeding->seeds[i], error);
    }
    return status;
}

int run_directory_lock(const char *path, int *descriptor, struct error *error)
{
    int file;
    if (file_open_plain(path, O_RDWR | O_CREAT, &file, error))
        return error->code;
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(file, F_SETLK, &lock)) {
        int is_held = errno == EACCES || errno == EAGAIN;
        int reason = errno;
        close(file);
        if (is_held)
            return error_set(error, ERR_BUSY,
                             "%s: another controller (process %ld) is working on this run", path,
                             (long)run_directory_lock_holder(path));
        return error_set(error, ERR_IO, "%s: cannot be locked: %s", path, strerror(reason));
    }
    *descriptor = file;
    return 0;
}

pid_t run_directory_lock_holder(const char *path)
{
    struct error ignored;
    int file;
    if (file_open_plain(path, O_RDONLY, &file, &ignored))
        return 0;
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int status = fcntl(file, F_GETLK, &lock);
    close(file);
    return status || lock.l_type == F_UNLCK ? 0 : lock.l_pid;
}

/* Sum over the plain files of one directory, and of those below it down to `depth`. */
static int64_t directory_bytes(const char *directory, int depth)
{
    DIR *stream = opendir(directory);
    if (!stream)
        return 0;
    int64_t bytes = 0;
    const struct dirent *entry;
    while ((entry = readdir(stream))) {
        char path[RUN_PATH_SIZE];
        struct stat info;
        int length = snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        if (length < 0 || length >= (int)sizeof path || entry->d_name[0] == '.' ||
            lstat(path, &info))
            continue;
        if (S_ISREG(info.st_mode))
            bytes += info.st_size;
        else if (S_ISDIR(info.st_mode) && depth > 0)
            bytes += directory_bytes(path, depth - 1);
    }
    closedir(stream);
    return bytes;
}

int64_t run_directory_disk_bytes(const char *directory)
{
    return directory_bytes(directory, 2);
}

/* ---- the controller's log ----
 *
 * Some lines for each process of a worker and one for each generation, so weeks pass until it is
 * long. It is looked at once a generation.
 *
 * The descriptor stays the same (dup2), since common/system/log.c holds it. A directory that was
 * moved may have another run in its place: only the file that is written to is ever put away. */

#define LOG_FLAGS (O_WRONLY | O_APPEND | O_CREAT)

int run_log_open(struct run_log *log, const char *directory, off_t limit_bytes, struct error *error)
{
    log->limit_bytes = limit_bytes;
    snprintf(log->directory, sizeof log->directory, "%s", directory);
    if (run_directory_path(directory, "logs/controller.log", log->path, error) ||
        run_directory_path(directory, "logs/controller.old.log", log->old_path, error) ||
        file_open_within(directory, "logs/controller.log", LOG_FLAGS, &log->descriptor, error))
        return error->code;
    run_log_rotate(log);
    log_set(log->descriptor, LOG_INFO);
    return 0;
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
    struct stat ours, there;
    /* one that is long, and still at its place */
    if (!fstat(log->descriptor, &ours) && ours.st_size > log->limit_bytes &&
        !lstat(log->path, &there) && there.st_dev == ours.st_dev && there.st_ino == ours.st_ino &&
        !rename(log->path, log->old_path) && run_log_begin_anew(log))
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

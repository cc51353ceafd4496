#include "common/system/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "common/system/file.h"
#include "common/system/remove_on_signal.h"

static int is_itself(const struct atomic_file *draft)
{
    return strcmp(draft->name, draft->path) == 0;
}

int atomic_file_begin(struct atomic_file *draft, const char *path, struct error *error)
{
    char suffix[32] = "";
    draft->path = path;
    draft->file = NULL;
    if (!file_is_special(path))
        snprintf(suffix, sizeof suffix, ".part-%ld", (long)getpid());
    if (snprintf(draft->name, sizeof draft->name, "%s%s", path, suffix) >= (int)sizeof draft->name)
        return error_set(error, ERR_LIMIT, "%.64s...: the path is too long", path);
    if (!is_itself(draft))
        remove_on_signal_begin(draft->name);
    return 0;
}

int atomic_file_open(struct atomic_file *draft, const char *path, struct error *error)
{
    int status = atomic_file_begin(draft, path, error);
    if (status)
        return status;
    draft->file = fopen(draft->name, "w");
    if (draft->file)
        return 0;
    int reason = errno;
    if (!is_itself(draft))
        remove_on_signal_end(draft->name);
    return error_set(error, ERR_IO, "%s: %s", path, strerror(reason));
}

/* Some file systems find out here only that the disk is full. 0, or -1 with errno. */
static int sync_draft(const struct atomic_file *draft)
{
    int descriptor = open(draft->name, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return -1;
    int result = fsync(descriptor);
    close(descriptor);
    return result;
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
        is_lost = sync_draft(draft) != 0 || rename(draft->name, draft->path) != 0;
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

#include "common/system/limits.h"

#include <sys/resource.h>

/* Five times the stack that runs of every search, the constraint solver and the viewer's exports
 * needed. */
#define STACK_BYTES (512 * 1024)

int limits_check_stack(struct error *error)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= STACK_BYTES)
        return 0;
    return error_set(error, ERR_LIMIT,
                     "the stack may grow to %llu kB only, %d kB are needed: see ulimit -s",
                     (unsigned long long)limit.rlim_cur / 1024, STACK_BYTES / 1024);
}

int limits_raise_files(int count, const char *what, struct error *error)
{
    ENSURE(count >= 0, "%d files", count);
    struct rlimit limit;
    rlim_t needed = (rlim_t)count;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed)
        return 0;
    struct rlimit raised = {.rlim_cur = needed, .rlim_max = limit.rlim_max};
    if (limit.rlim_max >= needed && setrlimit(RLIMIT_NOFILE, &raised) == 0)
        return 0;
    return error_set(error, ERR_LIMIT,
                     "at most %llu files may be open at once, %s need %d: see ulimit -n",
                     (unsigned long long)limit.rlim_max, what, count);
}

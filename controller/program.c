/* Finding and starting programs. _GNU_SOURCE is for sched_getaffinity(): in a container or under
 * taskset the processors online are more than one may use. */
#define _GNU_SOURCE
#include "controller/program.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* directory/name into path; 1 if that is a program. */
static int is_program(const char *directory, int length, const char *name, char path[RUN_PATH_SIZE])
{
    struct stat info;
    int written = snprintf(path, RUN_PATH_SIZE, "%.*s/%s", length, directory, name);
    return written > 0 && written < RUN_PATH_SIZE && !stat(path, &info) && S_ISREG(info.st_mode) &&
           !access(path, X_OK);
}

int program_find(const char *name, char path[RUN_PATH_SIZE], struct error *error)
{
    char self[RUN_PATH_SIZE];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length > 0) {
        self[length] = '\0';
        char *slash = strrchr(self, '/');
        if (slash && is_program(self, (int)(slash - self), name, path))
            return 0;
    }
    const char *entry = getenv("PATH");
    while (entry && *entry) {
        int span = (int)strcspn(entry, ":");
        if (span > 0 && is_program(entry, span, name, path))
            return 0;
        entry += span + (entry[span] == ':');
    }
    return error_set(error, ERR_MISSING, "%s: the program is neither beside controller nor in PATH",
                     name);
}

int program_run(const char *path, char *const *argv, struct error *error)
{
    pid_t child;
    int result = posix_spawn(&child, path, NULL, NULL, argv, environ);
    if (result)
        return error_set(error, ERR_IO, "%s: cannot be started: %s", path, strerror(result));

    /* an interrupt from the terminal is the child's; this process hands on how it ended */
    struct sigaction ignore = {.sa_handler = SIG_IGN}, old;
    sigaction(SIGINT, &ignore, &old);
    int wait_status;
    pid_t ended;
    do {
        ended = waitpid(child, &wait_status, 0);
    } while (ended < 0 && errno == EINTR);
    sigaction(SIGINT, &old, NULL);
    if (ended < 0)
        return error_set(error, ERR_IO, "%s: cannot be waited for: %s", path, strerror(errno));
    return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

int program_core_count(void)
{
    cpu_set_t set;
    long count = 0;
    if (!sched_getaffinity(0, sizeof set, &set))
        count = CPU_COUNT(&set);
    else
        count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > 1024 ? 1024 : (int)count;
}

/* See process.h. Handlers of a process end with exec(); an ignored signal stays ignored, and a
 * blocked one blocked, in each program that it starts. */
#include "common/system/process.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static int is_ignored_on_purpose(int number)
{
    switch (number) {
    case SIGHUP:
    case SIGINT:
    case SIGQUIT:
    case SIGTSTP:
    case SIGTTIN:
    case SIGTTOU:
        return 1;
    default:
        return 0;
    }
}

void signals_begin(void)
{
    struct sigaction action;
    sigset_t none;
    for (int number = 1; number <= SIGRTMAX; number++)
        if (!is_ignored_on_purpose(number) && !sigaction(number, NULL, &action) &&
            action.sa_handler == SIG_IGN)
            signal(number, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

double clock_ms(clockid_t clock)
{
    struct timespec now = {0};
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

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

int display_may_exist(void)
{
#ifdef __linux__
    static const char *const names[] = {"DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = getenv(names[i]);
        if (value && *value)
            return 1;
    }
    return 0;
#else
    return 1;
#endif
}

/* directory/name into path; 1 if that is a program. */
static int is_program(const char *directory, int length, const char *name, char *path, size_t size)
{
    struct stat info;
    int written = snprintf(path, size, "%.*s/%s", length, directory, name);
    return written > 0 && (size_t)written < size && !stat(path, &info) && S_ISREG(info.st_mode) &&
           !access(path, X_OK);
}

int find_program(const char *name, char *path, size_t size, struct error *error)
{
    char self[4096];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    const char *own = "this program";
    if (length > 0) {
        self[length] = '\0';
        char *slash = strrchr(self, '/');
        if (slash && is_program(self, (int)(slash - self), name, path, size))
            return 0;
        own = slash ? slash + 1 : own;
    }
    const char *entry = getenv("PATH");
    while (entry && *entry) {
        int span = (int)strcspn(entry, ":");
        if (span > 0 && is_program(entry, span, name, path, size))
            return 0;
        entry += span + (entry[span] == ':');
    }
    return error_set(error, ERR_MISSING, "%s: the program is neither beside %s nor in PATH", name,
                     own);
}

const char *clock_print_utc(char text[32])
{
    struct timespec now = {0};
    struct tm date = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &date);
    size_t used = strftime(text, 32, "%Y-%m-%dT%H:%M:%S", &date);
    snprintf(text + used, 32 - used, ".%03dZ", (int)(now.tv_nsec / 1000000));
    return text;
}

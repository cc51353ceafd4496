/* Finding and starting programs. _GNU_SOURCE is for memfd_create() and sched_getaffinity(): in a
 * container or under taskset the processors online are more than one may use. */
#define _GNU_SOURCE
#include "controller/workers/program.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/math/hash.h"
#include "common/system/process.h"
#include "proto/message.h"

extern char **environ;

int program_find(const char *name, char path[RUN_PATH_SIZE], struct error *error)
{
    return find_program(name, path, RUN_PATH_SIZE, error);
}

/* ---- how a process ended ---- */

#define SIGNALED(signal, is_self_inflicted) {0, signal}, #signal, is_self_inflicted
static const struct end_row {
    struct process_end end;
    const char *name; /* of a signal, or what an exit code means here */
    int is_self_inflicted;
} ends[] = {{SIGNALED(SIGSEGV, 1)},
            {SIGNALED(SIGBUS, 1)},
            {SIGNALED(SIGFPE, 1)},
            {SIGNALED(SIGILL, 1)},
            {SIGNALED(SIGABRT, 1)},
            {SIGNALED(SIGKILL, 0)},
            {SIGNALED(SIGTERM, 0)},
            {SIGNALED(SIGINT, 0)},
            {SIGNALED(SIGHUP, 0)},
            {SIGNALED(SIGPIPE, 0)},
            {SIGNALED(SIGQUIT, 0)},
            {SIGNALED(SIGALRM, 0)},
            {SIGNALED(SIGXCPU, 0)},
            {SIGNALED(SIGTRAP, 0)},
            {SIGNALED(SIGSYS, 0)},
            {{WORKER_EXIT_HUNG, 0}, "its own alarm", 1},
            {{WORKER_EXIT_MEMORY, 0}, "out of memory", 1},
            {{WORKER_EXIT_SENT, 0}, "a signal from outside", 0},
            {{127, 0}, "program not found", 0}};

/* The row of a signal, or else of an exit code; NULL: it has none. */
static const struct end_row *find_row(struct process_end end)
{
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (ends[i].end.signal == end.signal &&
            (end.signal || ends[i].end.exit_code == end.exit_code))
            return &ends[i];
    return NULL;
}

struct process_end process_end_of_child(struct process_end launcher)
{
    struct process_end child = launcher;
    if (launcher.signal == 0 && launcher.exit_code > 128 && launcher.exit_code <= 128 + 64)
        child.signal = launcher.exit_code - 128;
    return child;
}

int process_end_is_self_inflicted(struct process_end end)
{
    const struct end_row *row = find_row(end);
    return row && row->is_self_inflicted;
}

/* Whether another process ended it by a signal: the same program started again may well go on to
 * its end. */
static int is_from_outside(struct process_end end)
{
    return (end.signal != 0 || end.exit_code == WORKER_EXIT_SENT) &&
           !process_end_is_self_inflicted(end);
}

void process_end_print(struct process_end end, char *text, size_t size)
{
    const struct end_row *row = find_row(end);
    if (end.signal && row)
        snprintf(text, size, "%s", row->name);
    else if (end.signal)
        snprintf(text, size, "signal %d", end.signal);
    else if (row)
        snprintf(text, size, "exit code %d (%s)", end.exit_code, row->name);
    else
        snprintf(text, size, "exit code %d", end.exit_code);
}

/* ---- starting programs ---- */

/* posix_spawn() with standard input from nowhere and both outputs into an open file, or (-1) as
 * they are, and with that mask of signals. */
static int spawn(pid_t *child, const char *path, char *const *argv, int output,
                 const sigset_t *mask)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int result = posix_spawn_file_actions_init(&actions);
    if (result)
        return result;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&attributes, mask);
    if (output >= 0) {
        result = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
        if (!result)
            result = posix_spawn_file_actions_adddup2(&actions, output, 1);
        if (!result)
            result = posix_spawn_file_actions_adddup2(&actions, 1, 2);
    }
    if (!result)
        result = posix_spawn(child, path, &actions, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return result;
}

/* The child that is waited for, and whether this process got a signal meanwhile that would end it.
 */
static volatile pid_t waited_for;
static volatile sig_atomic_t was_told_to_end;

/* SIGINT comes from the terminal, which sends it to the child as well. */
static void hand_on(int number)
{
    was_told_to_end = 1;
    if (number != SIGINT)
        kill(waited_for, number);
}

int program_run(const char *path, char *const *argv, int output, struct error *error)
{
    static const int handed_on[] = {SIGINT, SIGTERM, SIGHUP};
    enum { HANDED_ON_COUNT = sizeof handed_on / sizeof handed_on[0] };
    struct sigaction forward = {.sa_handler = hand_on}, old[HANDED_ON_COUNT];
    sigset_t held, mask;
    pid_t child;
    /* a signal that comes before there is a child to hand it on to waits */
    sigemptyset(&held);
    for (int i = 0; i < HANDED_ON_COUNT; i++)
        sigaddset(&held, handed_on[i]);
    sigprocmask(SIG_BLOCK, &held, &mask);
    int result = spawn(&child, path, argv, output, &mask);
    if (result) {
        sigprocmask(SIG_SETMASK, &mask, NULL);
        return error_set(error, ERR_IO, "%s: cannot be started: %s", path, strerror(result));
    }

    /* this process hands on how the child ended */
    waited_for = child;
    was_told_to_end = 0;
    for (int i = 0; i < HANDED_ON_COUNT; i++)
        sigaction(handed_on[i], &forward, &old[i]);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    int wait_status;
    pid_t ended;
    do {
        ended = waitpid(child, &wait_status, 0);
    } while (ended < 0 && errno == EINTR);
    for (int i = 0; i < HANDED_ON_COUNT; i++)
        sigaction(handed_on[i], &old[i], NULL);
    if (ended < 0)
        return error_set(error, ERR_IO, "%s: cannot be waited for: %s", path, strerror(errno));
    return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

int program_hear(const char *path, char *const *argv, char **output, struct error *error)
{
    int file = memfd_create("output", MFD_CLOEXEC);
    *output = file < 0 ? NULL : calloc(1, PROGRAM_OUTPUT_BYTES_MAX + 1);
    int code = *output ? program_run(path, argv, file, error)
                       : error_set(error, ERR_IO, "%s: cannot be heard", path);
    if (code >= 0 && lseek(file, 0, SEEK_END) > PROGRAM_OUTPUT_BYTES_MAX)
        code = error_set(error, ERR_LIMIT, "%s: wrote more than %d bytes", path,
                         PROGRAM_OUTPUT_BYTES_MAX);
    else if (code >= 0 && pread(file, *output, PROGRAM_OUTPUT_BYTES_MAX, 0) < 0)
        code = error_set(error, ERR_IO, "%s: cannot be heard: %s", path, strerror(errno));
    if (file >= 0)
        close(file);
    if (code >= 0)
        return code;
    free(*output);
    *output = NULL;
    return code;
}

int program_ask(const char *path, char *const *argv, char *line, size_t size, struct error *error)
{
    struct process_end end = {0};
    char text[64];
    int code = 0;
    for (int i = 0; i < PROGRAM_ASK_TRIES; i++) {
        char *output;
        code = program_hear(path, argv, &output, error);
        if (code < 0)
            return code;
        snprintf(line, size, "%.*s", (int)strcspn(output, "\n"), output);
        free(output);
        end = process_end_of_child((struct process_end){.exit_code = code});
        if (was_told_to_end || !is_from_outside(end))
            break;
    }
    process_end_print(end, text, sizeof text);
    if (code != 0 || line[0] == '\0')
        return error_set(error, ERR_IO, "%s %s: %s%s%s", path, argv[1], text,
                         line[0] != '\0' ? ": " : "", line);
    return 0;
}

int program_ask_fingerprint(const char *path, uint64_t *fingerprint, struct error *error)
{
    char name[] = "simulator", option[] = "--fingerprint", line[128];
    char *argv[] = {name, option, NULL};
    int status = program_ask(path, argv, line, sizeof line, error);
    if (!status && hash_from_text(line, fingerprint))
        status = error_set(error, ERR_FORMAT, "%s --fingerprint: no fingerprint: %s", path, line);
    return status;
}

int program_start(const char *path, char *const *argv, int output, struct error *error)
{
    int wait_status;
    pid_t ended, child = fork();
    if (child < 0)
        return error_set(error, ERR_IO, "%s: cannot be started: %s", path, strerror(errno));
    if (child == 0) {
        /* its child has no parent when it is gone, and not the terminal's */
        pid_t unused;
        sigset_t mask;
        setsid();
        sigprocmask(SIG_BLOCK, NULL, &mask);
        _exit(spawn(&unused, path, argv, output, &mask));
    }
    do {
        ended = waitpid(child, &wait_status, 0);
    } while (ended < 0 && errno == EINTR);
    if (ended < 0 || !WIFEXITED(wait_status) || WEXITSTATUS(wait_status))
        return error_set(error, ERR_IO, "%s: cannot be started: %s", path,
                         ended > 0 && WIFEXITED(wait_status) ? strerror(WEXITSTATUS(wait_status))
                                                             : "it was killed");
    return 0;
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

/* ---- a temporary directory ---- */

int scratch_open(struct scratch *scratch, const char *purpose, struct error *error)
{
    const char *place = getenv("TMPDIR");
    int written = snprintf(scratch->directory, sizeof scratch->directory, "%s/bestiary-%s-XXXXXX",
                           place && *place ? place : "/tmp", purpose);
    if (written >= (int)sizeof scratch->directory) {
        scratch->directory[0] = '\0';
        return error_set(error, ERR_LIMIT, "TMPDIR: the path is too long");
    }
    if (mkdtemp(scratch->directory))
        return 0;
    error_set(error, ERR_IO, "%s: %s", scratch->directory, strerror(errno));
    scratch->directory[0] = '\0';
    return error->code;
}

void scratch_close(const struct scratch *scratch)
{
    DIR *directory = scratch->directory[0] ? opendir(scratch->directory) : NULL;
    if (!directory)
        return;
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory))
        unlinkat(dirfd(directory), entry->d_name, 0); /* fails for "." and "..", as it must */
    closedir(directory);
    rmdir(scratch->directory);
}

void scratch_path(const struct scratch *scratch, const char *name, char path[RUN_PATH_SIZE])
{
    snprintf(path, RUN_PATH_SIZE, "%s/%.60s", scratch->directory, name);
}

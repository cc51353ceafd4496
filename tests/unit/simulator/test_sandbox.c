/* A confined worker's forbidden calls, each tried in a child. */
#define _GNU_SOURCE
#include "simulator/sandbox.h"
#include "tests/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int status_of(void (*act)(void))
{
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        act();
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return status;
}

static void need(int condition, int line)
{
    if (!condition)
        _exit(line % 200 + 1);
}
#define NEED(condition) need(condition, __LINE__)
#define REFUSED(call)   NEED((errno = 0, (call) < 0 && errno == EPERM))

static void try_all(void)
{
    pid_t parent = getppid();
    if (!sandbox_enter())
        _exit(255);
    REFUSED(open("/etc/hostname", O_RDONLY));
    REFUSED(open("/tmp/test_sandbox", O_WRONLY | O_CREAT, 0600));
    REFUSED(socket(AF_INET, SOCK_STREAM, 0));
    REFUSED(fork());
    REFUSED(execl("/bin/true", "true", (char *)NULL));
    REFUSED(unlink("/tmp/test_sandbox"));
    REFUSED(kill(parent, 0));
    REFUSED(tgkill(parent, parent, 0));
    /* what it needs */
    struct timespec now;
    char *memory = malloc(50 << 20);
    NEED(memory != NULL);
    memset(memory, 1, 50 << 20);
    free(memory);
    NEED(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0);
    NEED(write(STDERR_FILENO, "", 0) == 0);
    NEED(tgkill(getpid(), gettid(), 0) == 0);
}

TEST(nothing_but_its_pipes)
{
    int status = status_of(try_all);
    ck_assert_msg(WIFEXITED(status), "status %d", status);
    /* 255: not on this system, or under sanitizers */
    ck_assert_msg(WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 255, "line %d (modulo 200)",
                  WEXITSTATUS(status) - 1);
}

static void die(void)
{
    if (sandbox_enter())
        abort();
    raise(SIGABRT);
}

TEST(a_bug_still_ends_it)
{
    int status = status_of(die);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

static void close_all(void)
{
    int kept[2], other[2];
    NEED(pipe(other) == 0 && pipe(kept) == 0);
    sandbox_close_files(kept[1], kept[0]);
    NEED(fcntl(other[0], F_GETFD) < 0 && fcntl(other[1], F_GETFD) < 0);
    NEED(fcntl(kept[0], F_GETFD) >= 0 && fcntl(kept[1], F_GETFD) >= 0);
    NEED(fcntl(STDERR_FILENO, F_GETFD) >= 0);
}

TEST(files_are_closed)
{
    ck_assert_int_eq(status_of(close_all), 0);
}

SUITE("sandbox", 0, NULL, NULL)

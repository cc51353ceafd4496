/* The end of a worker: signals from outside become an exit code, its own faults stay signals. */
#define _XOPEN_SOURCE 700 /* setitimer() */
#include "simulator/fault.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/error.h"
#include "proto/message.h"
#include "tests/sanitized.h"
#include "tests/suite.h"

static char log_text[4096];

/* Runs `act` in a child that watches; its status. What it logged is in log_text. */
static int run_child(void (*act)(int), int argument)
{
    int ends[2], status;
    ck_assert_int_eq(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        struct rlimit none = {0};
        setrlimit(RLIMIT_CORE, &none);
        dup2(ends[1], STDERR_FILENO);
        fault_watch();
        fault_set_task(17, 204);
        act(argument);
        _exit(99);
    }
    close(ends[1]);
    size_t used = 0;
    ssize_t count;
    while ((count = read(ends[0], log_text + used, sizeof log_text - 1 - used)) > 0)
        used += (size_t)count;
    log_text[used] = '\0';
    close(ends[0]);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return status;
}

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGPROF};

static void be_sent(int number)
{
    pid_t victim = getpid(), sender = fork();
    if (sender == 0) {
        kill(victim, number);
        _exit(0);
    }
    for (;;)
        pause();
}

TEST_LOOP(signals_from_outside_become_an_exit_code, 0, 6)
{
    int status = run_child(be_sent, signals[_i]);
    ck_assert_msg(WIFEXITED(status), "status %d: %s", status, log_text);
    ck_assert_int_eq(WEXITSTATUS(status), WORKER_EXIT_SENT);
    ck_assert_ptr_nonnull(strstr(log_text, "level=error event=fault signal=SIG"));
    ck_assert_ptr_nonnull(strstr(log_text, " sent_by="));
    ck_assert_ptr_nonnull(strstr(log_text, " task=17 creature=204\n"));
}

static volatile int zero;

/* As it is built for users: the sanitizer of undefined behaviour would be quicker. */
__attribute__((no_sanitize("undefined"))) static void be_at_fault(int number)
{
    static int *volatile nowhere;
    switch (number) {
    case SIGSEGV:
        *nowhere = 1;
        break;
    case SIGFPE:
#if defined(__x86_64__) || defined(__i386__)
        zero = 100 / zero;
#else
        raise(SIGFPE);
#endif
        break;
    case SIGILL:
        __builtin_trap();
    case SIGABRT:
        abort();
    default:
        raise(number);
    }
}

/* The signal arrives as it would without the handler, for a debugger and for the controller. */
TEST_LOOP(own_faults_stay_signals, 0, 5)
{
    int status = run_child(be_at_fault, signals[_i]);
    ck_assert_ptr_nonnull(strstr(log_text, "level=error event=fault signal=SIG"));
    ck_assert_ptr_nonnull(strstr(log_text, " task=17 creature=204\n"));
    ck_assert_ptr_null(strstr(log_text, "sent_by"));
    if (TESTS_ARE_SANITIZED) /* says more, and ends by an exit code of its own */
        return;
    ck_assert_msg(WIFSIGNALED(status), "status %d: %s", status, log_text);
    ck_assert(WTERMSIG(status) == signals[_i] || signals[_i] == SIGILL);
}

static void use_up_stack(int depth)
{
    volatile char room[4096];
    room[0] = (char)depth;
    if (depth >= 0)
        use_up_stack(depth + 1);
    room[1] = room[0];
}

TEST(used_up_stack_is_told)
{
    int status = run_child(use_up_stack, 0);
    ck_assert_ptr_nonnull(strstr(log_text, "event=fault signal=SIGSEGV task=17"));
    ck_assert(TESTS_ARE_SANITIZED || (WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV));
}

static void break_invariant(int number)
{
    ENSURE(number == 1, "it is %d", number);
}

TEST(broken_invariant_is_an_own_fault)
{
    int status = run_child(break_invariant, 0);
    ck_assert_ptr_nonnull(strstr(log_text, "bug: "));
    ck_assert_ptr_nonnull(strstr(log_text, "event=fault signal=SIGABRT task=17"));
    ck_assert(TESTS_ARE_SANITIZED || (WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT));
}

static void burn_until_alarm(int microseconds)
{
    struct itimerval timer = {.it_value.tv_usec = microseconds};
    setitimer(ITIMER_PROF, &timer, NULL);
    for (;;)
        clock();
}

TEST(own_alarm_is_told)
{
    int status = run_child(burn_until_alarm, 20000);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == WORKER_EXIT_HUNG);
    ck_assert_ptr_nonnull(strstr(log_text, "level=error event=hung task=17 creature=204"));
}

SUITE("fault", 60, NULL, NULL)

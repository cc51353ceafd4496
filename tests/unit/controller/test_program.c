/* Asking a program for a line: of one that crashes, of one that others end, and when this process
 * is to end. */
#include "controller/workers/program.h"

#include <signal.h>
#include <unistd.h>

#include "proto/message.h"
#include "tests/plain_fixture.h"

static char counter[64]; /* grows by a line with each start */
static char line[128];

static void setup(void)
{
    snprintf(counter, sizeof counter, "/tmp/test_program.XXXXXX");
    int descriptor = mkstemp(counter);
    ck_assert_int_ge(descriptor, 0);
    close(descriptor);
    error = (struct error){0};
}

static void teardown(void)
{
    unlink(counter);
}

static int count_starts(void)
{
    int count = 0;
    FILE *file = fopen(counter, "r");
    ck_assert_ptr_nonnull(file);
    for (int c; (c = getc(file)) != EOF;)
        count += c == '\n';
    fclose(file);
    return count;
}

/* A shell that counts its start as n and does the rest of the script. */
static int ask(const char *rest)
{
    char name[] = "sh", option[] = "-c", script[512];
    snprintf(script, sizeof script, "echo >>%s; n=$(wc -l <%s); %s", counter, counter, rest);
    char *argv[] = {name, option, script, NULL};
    return program_ask("/bin/sh", argv, line, sizeof line, &error);
}

TEST(test_the_first_line_is_the_answer)
{
    ck_assert_int_eq(ask("echo one; echo two"), 0);
    ck_assert_str_eq(line, "one");
    ck_assert_int_eq(count_starts(), 1);
}

TEST(test_what_says_too_much_is_refused)
{
    ck_refused_as(ask("head -c 1048577 /dev/zero"), ERR_LIMIT,
                  "/bin/sh: wrote more than 1048576 bytes");
}

/* SIGKILL, SIGTERM, and a crash's signal that the program says was sent. */
TEST_LOOP(test_what_others_end_is_asked_again, 0, 3)
{
    static const char *const ends[] = {"kill -KILL $$", "kill -TERM $$", "exit 5"};
    ck_assert_int_eq(WORKER_EXIT_SENT, 5);
    ck_assert_int_eq(ask(printed("[ $n -ge 4 ] || %s; echo here", ends[_i])), 0);
    ck_assert_str_eq(line, "here");
    ck_assert_int_eq(count_starts(), 4);
}

TEST(test_what_is_ended_again_and_again_is_given_up)
{
    ck_assert_int_eq(ask("kill -KILL $$"), ERR_IO);
    ck_assert_str_eq(error.message, "/bin/sh -c: SIGKILL");
    ck_assert_int_eq(count_starts(), PROGRAM_ASK_TRIES);
}

TEST(test_a_crash_is_the_answer)
{
    ck_assert_int_eq(ask("ulimit -c 0; kill -SEGV $$"), ERR_IO);
    ck_assert_str_eq(error.message, "/bin/sh -c: SIGSEGV");
    ck_assert_int_eq(ask("echo 'no such thing'; exit 1"), ERR_IO);
    ck_assert_str_eq(error.message, "/bin/sh -c: exit code 1: no such thing");
    ck_assert_int_eq(ask("true"), ERR_IO);
    ck_assert_int_eq(count_starts(), 3);
}

/* A signal to this process is meant. */
TEST_LOOP(test_a_signal_that_is_handed_on_ends_the_asking, 0, 2)
{
    static const char *const ends[] = {"kill -TERM $PPID; exec sleep 60",
                                       "kill -INT $PPID; kill -KILL $$"};
    ck_assert_int_eq(ask(ends[_i]), ERR_IO);
    ck_assert_int_eq(count_starts(), 1);
}

SUITE("program", 0, setup, teardown)

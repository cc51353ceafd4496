/* common/error: codes, one-line messages, and what a bug prints before the program ends. */
#include "common/error.h"
#include "tests/plain_fixture.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static const int codes[] = {
#define X(name, number, text) ERR_##name,
    ERROR_CODES(X)
#undef X
};

#define CODE_COUNT ((int)(sizeof codes / sizeof codes[0]))

TEST(codes_are_negative_distinct_and_have_texts)
{
    for (int i = 0; i < CODE_COUNT; i++) {
        ck_assert_int_lt(codes[i], 0);
        ck_assert_str_ne(error_text(codes[i]), "");
        ck_assert_str_ne(error_text(codes[i]), "unknown error");
        for (int j = 0; j < i; j++) {
            ck_assert_int_ne(codes[i], codes[j]);
            ck_assert_str_ne(error_text(codes[i]), error_text(codes[j]));
        }
    }
    ck_assert_str_eq(error_text(ERR_RANGE), "value out of range");
    ck_assert_str_eq(error_text(0), "no error");
    ck_assert_str_eq(error_text(-9999), "unknown error");
    ck_assert_str_eq(error_text(1), "unknown error");
}

TEST(set_formats_and_returns_the_code)
{
    ck_assert_int_eq(error_set(&error, ERR_UNKNOWN, "key '%s', line %d", "sede", 7), ERR_UNKNOWN);
    ck_refused_as(error.code, ERR_UNKNOWN, "key 'sede', line 7");
}

TEST(prefix_keeps_the_code)
{
    error_set(&error, ERR_FORMAT, "not a number");
    ck_refused_as(error_prefix(&error, "%s:%d", "walk.ini", 12), ERR_FORMAT,
                  "walk.ini:12: not a number");
}

/* The arguments may be the message itself. */
TEST(messages_may_refer_to_themselves)
{
    error_set(&error, ERR_FORMAT, "inner");
    error_set(&error, ERR_IO, "outer (%s)", error.message);
    ck_assert_str_eq(error.message, "outer (inner)");
    error_prefix(&error, "[%s]", error.message);
    ck_assert_str_eq(error.message, "[outer (inner)]: outer (inner)");
}

TEST(long_messages_are_cut)
{
    char text[2 * sizeof error.message];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = 0;
    error_set(&error, ERR_FORMAT, "%s", text);
    ck_assert_uint_eq(strlen(error.message), sizeof error.message - 1);
    error_prefix(&error, "file");
    ck_assert_uint_eq(strlen(error.message), sizeof error.message - 1);
    ck_assert_mem_eq(error.message, "file: xxx", 9);
    error_prefix(&error, "%s", text);
    ck_assert_uint_eq(strlen(error.message), sizeof error.message - 1);
}

TEST(foreign_control_characters_do_not_break_the_line)
{
    error_set(&error, ERR_IO, "%s", "a\nb\r\x1b[2Jc\x7f");
    ck_assert_str_eq(error.message, "a b  [2Jc ");
    error_prefix(&error, "p\tq");
    ck_assert_str_eq(error.message, "p q: a b  [2Jc ");
}

/* Runs a bug in a child; its standard error goes to `report`, its end is returned. */
static int run_bug(void (*bug)(void), char *report, size_t size)
{
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (!child) {
        dup2(ends[1], STDERR_FILENO);
        bug();
        _exit(0);
    }
    close(ends[1]);
    size_t length = 0;
    for (ssize_t got; (got = read(ends[0], report + length, size - 1 - length)) > 0;)
        length += (size_t)got;
    report[length] = 0;
    close(ends[0]);
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return status;
}

static void small_bug(void)
{
    int parts = 3;
    ENSURE(parts == 4, "parts is %d", parts);
}

static void long_bug(void)
{
    char text[4096];
    memset(text, 'y', sizeof text);
    text[sizeof text - 1] = 0;
    ENSURE(text[0] != 'y', "%s", text);
}

static void no_bug(void)
{
    ENSURE(1 + 1 == 2, "arithmetic");
}

TEST(a_bug_reports_and_aborts)
{
    char report[8192];
    int status = run_bug(small_bug, report, sizeof report);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    ck_assert_ptr_nonnull(strstr(report, "test_error.c:"));
    ck_assert_ptr_nonnull(strstr(report, "parts == 4"));
    ck_assert_ptr_nonnull(strstr(report, "parts is 3"));
    ck_assert_int_eq(report[strlen(report) - 1], '\n');
}

TEST(a_long_bug_report_is_cut_to_one_line)
{
    char report[8192];
    int status = run_bug(long_bug, report, sizeof report);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    ck_assert_uint_lt(strlen(report), 4096);
    ck_assert_ptr_eq(strchr(report, '\n'), report + strlen(report) - 1);
}

TEST(what_holds_goes_on)
{
    char report[8192];
    ck_assert_int_eq(run_bug(no_bug, report, sizeof report), 0);
    ck_assert_str_eq(report, "");
}

SUITE("error", 0, NULL, NULL)

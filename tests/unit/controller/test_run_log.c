/* The controller's log begins anew beyond its limit, loses no line, and leaves other files
 * alone. runs: watched */
#include "controller/store/run_directory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/system/log.h"
#include "tests/plain_fixture.h"
#include "tests/unit/directory_fixture.h"

static struct run_log run_log;

static const char *in_logs(const char *name)
{
    return printed("%s/logs/%s", directory, name);
}

static void setup(void)
{
    open_directory();
    ck_assert_int_eq(mkdir(in_logs(""), 0777), 0);
}

/* Lines of a file, -1 without one. */
static int count_lines(const char *name)
{
    FILE *file = fopen(in_logs(name), "r");
    int lines = 0;
    if (!file)
        return -1;
    for (int c; (c = fgetc(file)) != EOF;)
        lines += c == '\n';
    fclose(file);
    return lines;
}

static void log_lines(int count)
{
    for (int i = 0; i < count; i++) {
        log_event(LOG_INFO, "line", "all=alike");
        run_log_rotate(&run_log);
    }
}

TEST(a_short_log_stays)
{
    ck_assert_int_eq(run_log_open(&run_log, directory, 1 << 20, &error), 0);
    log_lines(100);
    ck_assert_int_eq(count_lines("controller.log"), 100);
    ck_assert_int_eq(count_lines("controller.old.log"), -1);
}

TEST(a_long_log_begins_anew)
{
    ck_assert_int_eq(run_log_open(&run_log, directory, 4000, &error), 0);
    int before = run_log.descriptor;
    for (int lines = 1; count_lines("controller.old.log") < 0; lines++) {
        ck_assert_int_lt(lines, 1000);
        log_lines(1);
        int old = count_lines("controller.old.log");
        ck_assert_int_eq(count_lines("controller.log") + (old < 0 ? 0 : old), lines);
    }
    ck_assert_int_eq(count_lines("controller.log"), 0);
    int kept = count_lines("controller.old.log");
    log_lines(kept);
    ck_assert_int_eq(count_lines("controller.old.log"), kept);
    ck_assert_int_eq(count_lines("controller.log"), 0);
    ck_assert_int_eq(run_log.descriptor, before);
    ck_assert_int_eq(fcntl(before, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
}

TEST(a_log_that_is_long_already_is_put_away)
{
    ck_assert_int_eq(run_log_open(&run_log, directory, 1 << 20, &error), 0);
    log_lines(50);
    close(run_log.descriptor);
    ck_assert_int_eq(run_log_open(&run_log, directory, 100, &error), 0);
    ck_assert_int_eq(count_lines("controller.old.log"), 50);
    ck_assert_int_eq(count_lines("controller.log"), 0);
}

/* Another run came to the place of this one. */
TEST(a_log_of_others_is_left_alone)
{
    ck_assert_int_eq(run_log_open(&run_log, directory, 100, &error), 0);
    ck_assert_int_eq(unlink(in_logs("controller.log")), 0);
    FILE *other = fopen(in_logs("controller.log"), "w");
    for (int i = 0; i < 90; i++)
        fputs("of another run\n", other);
    fclose(other);
    log_lines(20);
    ck_assert_int_eq(count_lines("controller.log"), 90);
    ck_assert_int_eq(count_lines("controller.old.log"), -1);
}

/* With its folder. */
TEST(a_deleted_log_begins_anew)
{
    ck_assert_int_eq(run_log_open(&run_log, directory, 1 << 20, &error), 0);
    log_lines(3);
    run_log_restore(&run_log);
    ck_assert_int_eq(count_lines("controller.log"), 3);
    ck_assert_int_eq(unlink(in_logs("controller.log")), 0);
    ck_assert_int_eq(rmdir(in_logs("")), 0);
    log_lines(3);
    ck_assert_int_eq(count_lines("controller.log"), -1);
    run_log_restore(&run_log);
    log_lines(2);
    ck_assert_int_eq(count_lines("controller.log"), 3);
}

TEST(a_directory_without_logs_is_an_error)
{
    rmdir(in_logs(""));
    ck_refused(run_log_open(&run_log, directory, 100, &error), 0, "controller.log");
}

SUITE("run_log", 0, setup, close_directory)

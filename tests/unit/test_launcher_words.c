/* The words of farm.launcher: where they are cut, and that a command is refused before anything starts if its
 * program is missing. */
#include "controller/farm/launcher.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct launcher launcher;
static struct error error;

static void set_up(void)
{
    ck_assert_int_eq(setenv("PATH", "/no/such/folder:/bin:/usr/bin", 1), 0);
    error = (struct error){0};
}

static void tear_down(void)
{
    launcher_deinit(&launcher);
}

/* `count` words, each "true". */
static const char *true_words(int count)
{
    static char words[5 * (LAUNCHER_WORDS_MAX + 2)];
    words[0] = '\0';
    for (int i = 0; i < count; i++)
        strcat(words, "true ");
    return words;
}

START_TEST(test_words_are_cut_at_spaces_and_tabs)
{
    ck_assert_int_eq(launcher_init(&launcher, " \tnice  -n\t 5 ", "/no/simulator", &error), 0);
    ck_assert_int_eq(launcher.word_count, 3);
    ck_assert_str_eq(launcher.argv[0], "nice");
    ck_assert_str_eq(launcher.argv[1], "-n");
    ck_assert_str_eq(launcher.argv[2], "5");
    ck_assert_str_eq(launcher.argv[3], "/no/simulator");
    ck_assert_ptr_null(launcher.argv[4]);
}
END_TEST

START_TEST(test_quotes_are_letters)
{
    ck_assert_int_eq(launcher_init(&launcher, "env 'A=b c'", "/no/simulator", &error), 0);
    ck_assert_int_eq(launcher.word_count, 3);
    ck_assert_str_eq(launcher.argv[1], "'A=b");
    ck_assert_str_eq(launcher.argv[2], "c'");
}
END_TEST

START_TEST(test_no_words_mean_the_simulator_alone)
{
    ck_assert_int_eq(launcher_init(&launcher, " \t", "/bin/sh", &error), 0);
    ck_assert_int_eq(launcher.word_count, 0);
    ck_assert_str_eq(launcher.argv[0], "/bin/sh");
    ck_assert_ptr_null(launcher.argv[1]);
    ck_assert_int_eq(launcher_check("", &error), 0);
}
END_TEST

START_TEST(test_a_missing_simulator_is_named)
{
    ck_assert_int_eq(launcher_init(&launcher, "", "/no/simulator", &error), ERR_MISSING);
    ck_assert_str_eq(error.message, "simulator not found: /no/simulator");
}
END_TEST

START_TEST(test_a_missing_program_is_named)
{
    ck_assert_int_eq(launcher_init(&launcher, "no-such-launcher -x", "/bin/sh", &error),
                     ERR_MISSING);
    ck_assert_str_eq(error.message, "farm.launcher: program not found: no-such-launcher");
    ck_assert_int_eq(launcher_check("/bin/no-such-launcher", &error), ERR_MISSING);
    ck_assert_str_eq(error.message, "farm.launcher: program not found: /bin/no-such-launcher");
}
END_TEST

/* A file that cannot be executed is no program. */
START_TEST(test_a_program_can_be_executed)
{
    ck_assert_int_eq(launcher_check("/etc/passwd", &error), ERR_MISSING);
    ck_assert_int_eq(launcher_check("/bin/sh", &error), 0);
}
END_TEST

START_TEST(test_all_of_path_is_searched)
{
    ck_assert_int_eq(launcher_check("sh", &error), 0);
    setenv("PATH", "/no/such/folder", 1);
    ck_assert_int_eq(launcher_check("sh", &error), ERR_MISSING);
    setenv("PATH", "", 1);
    ck_assert_int_eq(launcher_check("sh", &error), ERR_MISSING);
}
END_TEST

START_TEST(test_words_are_counted)
{
    ck_assert_int_eq(
        launcher_init(&launcher, true_words(LAUNCHER_WORDS_MAX), "/no/simulator", &error), 0);
    ck_assert_int_eq(launcher.word_count, LAUNCHER_WORDS_MAX);
    ck_assert_str_eq(launcher.argv[LAUNCHER_WORDS_MAX], "/no/simulator");
    ck_assert_ptr_null(launcher.argv[LAUNCHER_WORDS_MAX + 1]);
    ck_assert_int_eq(launcher_check(true_words(LAUNCHER_WORDS_MAX + 1), &error), ERR_LIMIT);
    ck_assert_str_eq(error.message, "farm.launcher: more than 64 words");
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("launcher_words");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, test_words_are_cut_at_spaces_and_tabs);
    tcase_add_test(tcase, test_quotes_are_letters);
    tcase_add_test(tcase, test_no_words_mean_the_simulator_alone);
    tcase_add_test(tcase, test_a_missing_simulator_is_named);
    tcase_add_test(tcase, test_a_missing_program_is_named);
    tcase_add_test(tcase, test_a_program_can_be_executed);
    tcase_add_test(tcase, test_all_of_path_is_searched);
    tcase_add_test(tcase, test_words_are_counted);
    Suite *suite = suite_create("launcher_words");
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}

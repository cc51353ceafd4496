/* Whole files: read with a limit, replaced as a whole or not at all, and never put in the place of what
 * is no file. */
#include "common/file.h"

#include <check.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[64], path[128];
static struct error error;

static void set_up(void)
{
    strcpy(directory, "/tmp/bestiary-file-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/it", directory);
}

static void tear_down(void)
{
    remove(path);
    /* fails if anything else was left behind */
    ck_assert_int_eq(rmdir(directory), 0);
}

static void assert_content(const char *expected)
{
    char *bytes;
    size_t length;
    ck_assert_msg(file_read(path, 100, &bytes, &length, &error) == 0, "%s", error.message);
    ck_assert_uint_eq(length, strlen(expected));
    ck_assert_str_eq(bytes, expected);
    free(bytes);
}

START_TEST(test_a_file_is_written_and_replaced)
{
    ck_assert_int_eq(file_write(path, "one", 3, &error), 0);
    assert_content("one");
    ck_assert_int_eq(file_write(path, "", 0, &error), 0);
    assert_content("");
    ck_assert_int_eq(file_write(path, "three", 5, &error), 0);
    assert_content("three");
}
END_TEST

START_TEST(test_a_long_file_is_an_error_that_names_it)
{
    char *bytes;
    size_t length;
    ck_assert_int_eq(file_write(path, "0123456789", 10, &error), 0);
    ck_assert_int_eq(file_read(path, 10, &bytes, &length, &error), 0);
    free(bytes);
    ck_assert_int_eq(file_read(path, 9, &bytes, &length, &error), ERR_LIMIT);
    ck_assert_ptr_null(bytes);
    ck_assert_ptr_nonnull(strstr(error.message, path));
}
END_TEST

START_TEST(test_what_cannot_be_written_leaves_nothing)
{
    char deeper[160];
    snprintf(deeper, sizeof deeper, "%s/no/it", directory);
    ck_assert_int_eq(file_write(deeper, "x", 1, &error), ERR_MISSING);
    ck_assert_ptr_nonnull(strstr(error.message, deeper));
    ck_assert_int_eq(mkdir(path, 0777), 0);
    ck_assert_int_eq(file_write(path, "x", 1, &error), ERR_IO);
    ck_assert_ptr_nonnull(strstr(error.message, path));
}
END_TEST

START_TEST(test_a_pipe_gets_the_bytes_and_stays)
{
    char text[8] = "";
    struct stat info;
    ck_assert_int_eq(mkfifo(path, 0666), 0);
    int reader = open(path, O_RDONLY | O_NONBLOCK);
    ck_assert_int_ge(reader, 0);
    ck_assert(file_is_special(path));
    ck_assert_int_eq(file_write(path, "bytes", 5, &error), 0);
    ck_assert_int_eq(read(reader, text, sizeof text), 5);
    ck_assert_str_eq(text, "bytes");
    close(reader);
    ck_assert(stat(path, &info) == 0 && S_ISFIFO(info.st_mode));
}
END_TEST

START_TEST(test_what_may_be_replaced)
{
    ck_assert(file_is_special("/dev/null"));
    ck_assert(!file_is_special(directory));
    ck_assert(!file_is_special(path));
    ck_assert_int_eq(file_write(path, "", 0, &error), 0);
    ck_assert(!file_is_special(path));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("file");
    TCase *cases = tcase_create("file");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_test(cases, test_a_file_is_written_and_replaced);
    tcase_add_test(cases, test_a_long_file_is_an_error_that_names_it);
    tcase_add_test(cases, test_what_cannot_be_written_leaves_nothing);
    tcase_add_test(cases, test_a_pipe_gets_the_bytes_and_stays);
    tcase_add_test(cases, test_what_may_be_replaced);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failures = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

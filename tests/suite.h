/* How every test program ends: its suite runs, and the exit status says whether all of it
 * passed. */
#ifndef TESTS_SUITE_H
#define TESTS_SUITE_H

#include <check.h>
#include <stdlib.h>

/* Runs the suite and frees it. For main(): EXIT_SUCCESS, or EXIT_FAILURE if a test failed.
 * is_table: silently and in this process, for tests that print a table of the documentation. */
static inline int run_suite_or_table(Suite *suite, int is_table)
{
    SRunner *runner = srunner_create(suite);
    if (is_table)
        srunner_set_fork_status(runner, CK_NOFORK);
    srunner_run_all(runner, is_table ? CK_SILENT : CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

static inline int run_suite(Suite *suite)
{
    return run_suite_or_table(suite, 0);
}

/* Runs a suite of one test case. */
static inline int run_tests_or_table(const char *name, TCase *tests, int is_table)
{
    Suite *suite = suite_create(name);
    suite_add_tcase(suite, tests);
    return run_suite_or_table(suite, is_table);
}

static inline int run_tests(const char *name, TCase *tests)
{
    return run_tests_or_table(name, tests, 0);
}

#endif

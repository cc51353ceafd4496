/* How every test program ends: its suite runs, and the exit status says whether all of it passed. */
#ifndef TESTS_SUITE_H
#define TESTS_SUITE_H

#include <check.h>
#include <stdlib.h>

/* Runs the suite and frees it. For main(): EXIT_SUCCESS, or EXIT_FAILURE if a test failed. */
static inline int run_suite(Suite *suite)
{
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* The same for a suite of one test case. */
static inline int run_tests(const char *name, TCase *tests)
{
    Suite *suite = suite_create(name);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}

#endif

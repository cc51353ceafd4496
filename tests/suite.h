/* How every test program ends: its suite runs, and the exit status says whether all of it
 * passed. */
#ifndef TESTS_SUITE_H
#define TESTS_SUITE_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

/* A test that is defined is run: TEST(name) { ... }; or for each _i from `low` on and below `high`;
 * or one that a signal must end. SUITE() at the end of a file is its main(); timeout_s 0: Check's. */
#define TEST(name)                 TEST_DEFINED(name, 0, 1, 0)
#define TEST_LOOP(name, low, high) TEST_DEFINED(name, low, high, 0)
#define TEST_SIGNAL(name, number)  TEST_DEFINED(name, 0, 1, number)
#define TEST_DEFINED(name, low, high, signal)                                                      \
    static const TTest *name;                                                                      \
    __attribute__((constructor)) static void name##_define(void)                                   \
    {                                                                                              \
        static struct defined_test test;                                                           \
        test = (struct defined_test){name, signal, low, high, NULL};                               \
        define_test(&test);                                                                        \
    }                                                                                              \
    START_TEST(name)
#define SUITE(name, timeout_s, set_up, tear_down)                                                  \
    int main(void)                                                                                 \
    {                                                                                              \
        return run_defined_tests(name, timeout_s, set_up, tear_down);                              \
    }

struct defined_test {
    const TTest *test;
    int signal, low, high;
    struct defined_test *next;
};
/* Those of this file, in their order. */
static struct defined_test *defined_tests;

static inline void define_test(struct defined_test *test)
{
    struct defined_test **place = &defined_tests;
    while (*place && (*place)->test->line < test->test->line)
        place = &(*place)->next;
    test->next = *place;
    *place = test;
}

/* Runs the suite and frees it. For main(): EXIT_SUCCESS, or EXIT_FAILURE if a test failed.
 * is_table: silently and in this process, for tests that print a table of the documentation. */
static inline int run_suite_or_table(Suite *suite, int is_table)
{
    if (defined_tests) {
        fprintf(stderr, "%s is defined and not run: its file has no SUITE()\n",
                defined_tests->test->name);
        return EXIT_FAILURE;
    }
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

static inline int run_defined_tests(const char *name, double timeout_s, SFun set_up, SFun tear_down)
{
    TCase *tests = tcase_create(name);
    tcase_add_checked_fixture(tests, set_up, tear_down);
    if (timeout_s > 0)
        tcase_set_timeout(tests, timeout_s);
    for (const struct defined_test *test = defined_tests; test; test = test->next)
        _tcase_add_test(tests, test->test, test->signal, 0, test->low, test->high);
    defined_tests = NULL;
    return run_tests(name, tests);
}

#endif

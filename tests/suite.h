/* How every test program ends: its suite runs, and the exit status says whether all of it
 * passed. Brings the headers of the C library that most tests use, and random numbers. */
#ifndef TESTS_SUITE_H
#define TESTS_SUITE_H

#include <check.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/math/rng.h"

/* A test that is defined is run: TEST(name) { ... }; or for each _i from `low` on and below `high`;
 * or one that a signal must end. SUITE() at the end of a file is its main(); timeout_s 0: Check's.
 * Tests below a FIXTURE(), up to the next one, have that fixture in place of the suite's. */
#define TEST(name)                 TEST_DEFINED(name, 0, 1, 0)
#define TEST_LOOP(name, low, high) TEST_DEFINED(name, low, high, 0)
#define TEST_SIGNAL(name, number)  TEST_DEFINED(name, 0, 1, number)
#define TEST_DEFINED(name, low, high, signal)                                                      \
    static const TTest *name;                                                                      \
    __attribute__((constructor)) static void name##_define(void)                                   \
    {                                                                                              \
        static struct defined_test test;                                                           \
        test = (struct defined_test){name, name->line, signal, low, high, NULL, NULL, NULL};       \
        define_test(&test);                                                                        \
    }                                                                                              \
    START_TEST(name)
#define FIXTURE(set_up, tear_down)          FIXTURE_AT(__LINE__, set_up, tear_down)
#define FIXTURE_AT(line, set_up, tear_down) FIXTURE_DEFINED(line, set_up, tear_down)
#define FIXTURE_DEFINED(line, set_up, tear_down)                                                   \
    __attribute__((constructor)) static void fixture_##line##_define(void)                         \
    {                                                                                              \
        static struct defined_test fixture = {NULL, line, 0, 0, 0, set_up, tear_down, NULL};       \
        define_test(&fixture);                                                                     \
    }
#define SUITE(name, timeout_s, set_up, tear_down)                                                  \
    int main(void)                                                                                 \
    {                                                                                              \
        return run_defined_tests(name, timeout_s, set_up, tear_down);                              \
    }

/* A variable that the end of its scope frees: SCOPED(genome) genome; by genome_deinit();
 * OWNED(store) *store; by the function that the file names: OWNER(store, store_close);
 * FREED char *text; by free(). Its scope is left by no return before it has a value. */
#define SCOPED(type) __attribute__((cleanup(type##_deinit), unused)) struct type
#define OWNED(type)  __attribute__((cleanup(type##_end_scope), unused)) struct type
#define FREED        __attribute__((cleanup(free_at), unused))
#define OWNER(type, destroy)                                                                       \
    static inline void type##_end_scope(struct type **at)                                          \
    {                                                                                              \
        destroy(*at);                                                                              \
    }

static inline void free_at(void *pointer)
{
    void *memory;
    memcpy(&memory, pointer, sizeof memory);
    free(memory);
}

/* A text as printf() has it, kept until some more were printed. */
__attribute__((format(printf, 1, 2))) static inline const char *printed(const char *format, ...)
{
    enum { TEXTS = 16, BYTES = 4096 };
    static char texts[TEXTS][BYTES];
    static unsigned next;
    char *text = texts[next++ % TEXTS];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, BYTES, format, arguments);
    va_end(arguments);
    if (length < 0 || length >= BYTES)
        abort(); /* also where a test's other program prints */
    return text;
}

/* Random numbers of a test, as rng_init() makes them. */
static inline struct rng test_rng(uint64_t seed, uint32_t generation, uint64_t individual)
{
    struct rng rng;
    rng_init(&rng, seed, RNG_TEST, generation, individual);
    return rng;
}

/* Two or three coordinates of a vector; a tolerance of 0: exactly. */
#define ck_assert_xy(vector, x_is, y_is, tolerance)                                                \
    do {                                                                                           \
        ck_assert_coordinate(vector, x, x_is, tolerance);                                          \
        ck_assert_coordinate(vector, y, y_is, tolerance);                                          \
    } while (0)
#define ck_assert_xyz(vector, x_is, y_is, z_is, tolerance)                                         \
    do {                                                                                           \
        ck_assert_xy(vector, x_is, y_is, tolerance);                                               \
        ck_assert_coordinate(vector, z, z_is, tolerance);                                          \
    } while (0)
#define ck_assert_coordinate(vector, name, is, tolerance)                                          \
    ck_assert_msg((tolerance) > 0 ? fabs((vector).name - (is)) < (tolerance)                       \
                                  : (vector).name == (is),                                         \
                  "%s.%s == %.17g, %s == %.17g", #vector, #name, (vector).name, #is, (double)(is))

/* A call that returns 0, or else has filled `error`. */
#define ck_ok(call) ck_assert_msg((call) == 0, "%s: %s", #call, error.message)

/* A call that returns this status (0: any below 0) and has filled `error` with a message that has
 * the words in it; ck_refused_as(): that is the words. */
#define ck_refused(call, status, words)                                                            \
    do {                                                                                           \
        ck_assert_status(call, status);                                                            \
        ck_assert_msg(strstr(error.message, words), "%s: %s", #call, error.message);               \
    } while (0)
#define ck_refused_as(call, status, words)                                                         \
    do {                                                                                           \
        ck_assert_status(call, status);                                                            \
        ck_assert_str_eq(error.message, words);                                                    \
    } while (0)
#define ck_assert_status(call, status)                                                             \
    do {                                                                                           \
        int call_status = (call);                                                                  \
        ck_assert_msg((status) == 0 ? call_status < 0 : call_status == (status),                   \
                      "%s == %d, not %d: %s", #call, call_status, status, error.message);          \
    } while (0)

/* Without a test: a fixture. */
struct defined_test {
    const TTest *test;
    int line, signal, low, high;
    SFun set_up, tear_down;
    struct defined_test *next;
};
/* Those of this file, in their order. */
static struct defined_test *defined_tests;

static inline void define_test(struct defined_test *test)
{
    struct defined_test **place = &defined_tests;
    while (*place && (*place)->line <= test->line)
        place = &(*place)->next;
    test->next = *place;
    *place = test;
}

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

static inline TCase *suite_add_case(Suite *suite, const char *name, double timeout_s, SFun set_up,
                                    SFun tear_down)
{
    TCase *tests = tcase_create(name);
    tcase_add_checked_fixture(tests, set_up, tear_down);
    if (timeout_s > 0)
        tcase_set_timeout(tests, timeout_s);
    suite_add_tcase(suite, tests);
    return tests;
}

/* Adds all that is defined to a suite; returns its first case. */
static inline TCase *add_defined_tests(Suite *suite, const char *name, double timeout_s,
                                       SFun set_up, SFun tear_down)
{
    TCase *first = suite_add_case(suite, name, timeout_s, set_up, tear_down), *tests = first;
    for (const struct defined_test *test = defined_tests; test; test = test->next)
        if (test->test)
            _tcase_add_test(tests, test->test, test->signal, 0, test->low, test->high);
        else
            tests = suite_add_case(suite, name, timeout_s, test->set_up, test->tear_down);
    return first;
}

/* Runs all that is defined, as run_suite_or_table() does. */
static inline int run_tests_or_table(const char *name, double timeout_s, SFun set_up,
                                     SFun tear_down, int is_table)
{
    Suite *suite = suite_create(name);
    add_defined_tests(suite, name, timeout_s, set_up, tear_down);
    return run_suite_or_table(suite, is_table);
}

static inline int run_defined_tests(const char *name, double timeout_s, SFun set_up, SFun tear_down)
{
    return run_tests_or_table(name, timeout_s, set_up, tear_down, 0);
}

/* Runs this test of START_TEST() alone, silently: one that writes a file or a table. */
static inline int run_only(const TTest *test, double timeout_s)
{
    Suite *suite = suite_create(test->name);
    tcase_add_test(suite_add_case(suite, test->name, timeout_s, NULL, NULL), test);
    return run_suite_or_table(suite, 1);
}

#endif

/* What the reference cases of a suite come to: for each case how many numbers there are, and of
 * these the one nearest to its tolerance, or beyond. Gathered while the suite runs in one process,
 * and printed as lines of a table. */
#ifndef TESTS_TALLY_H
#define TESTS_TALLY_H

#include <stdio.h>
#include <string.h>

#include "tests/suite.h"

enum { TALLY_MAX = 32 };

static struct {
    const char *name;
    int count;
    double error, tolerance;
} tally[TALLY_MAX];
static int tally_count, tally_at;

/* The numbers from here on are those of this case; the name is kept, not copied. */
static inline void tally_open(const char *name)
{
    for (tally_at = 0; tally_at < tally_count; tally_at++)
        if (strcmp(tally[tally_at].name, name) == 0)
            return;
    ck_assert_int_lt(tally_count, TALLY_MAX);
    tally[tally_count++].name = name;
}

/* A number, or a vector with its worst component. */
static inline void tally_number(double error, double tolerance)
{
    double *worst = &tally[tally_at].error, *allowed = &tally[tally_at].tolerance;
    if (tally[tally_at].count++ > 0 && !(error * *allowed > *worst * tolerance))
        return;
    *worst = error;
    *allowed = tolerance;
}

/* Instead of run_suite(): with the argument --markdown a line for each case is printed. */
static inline int tally_suite(Suite *suite, int argc, char **argv)
{
    if (argc < 2 || strcmp(argv[1], "--markdown") != 0)
        return run_suite(suite);
    int status = run_suite_or_table(suite, 1);
    for (int i = 0; i < tally_count; i++)
        printf("| %s | %d | %.0e/%.0e |\n", tally[i].name, tally[i].count, tally[i].error,
               tally[i].tolerance);
    return status;
}

#endif

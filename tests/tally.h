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
static inline void tally_number(double off, double tolerance)
{
    double *worst = &tally[tally_at].error, *allowed = &tally[tally_at].tolerance;
    if (tally[tally_at].count++ > 0 && !(off * *allowed > *worst * tolerance))
        return;
    *worst = off;
    *allowed = tolerance;
}

/* SUITE(), whose main() prints a line for each case with the argument --markdown. */
#define TALLY_SUITE(name, timeout_s, set_up, tear_down)                                            \
    int main(int argc, char **argv)                                                                \
    {                                                                                              \
        int is_table = argc > 1 && strcmp(argv[1], "--markdown") == 0;                             \
        int status = run_tests_or_table(name, timeout_s, set_up, tear_down, is_table);             \
        if (is_table)                                                                              \
            tally_print();                                                                         \
        return status;                                                                             \
    }

static inline void tally_print(void)
{
    for (int i = 0; i < tally_count; i++)
        printf("| %s | %d | %.0e/%.0e |\n", tally[i].name, tally[i].count, tally[i].error,
               tally[i].tolerance);
}

#endif

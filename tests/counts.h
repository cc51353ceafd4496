/* What tests count. */
#ifndef TESTS_COUNTS_H
#define TESTS_COUNTS_H

#include <check.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* How often the part stands in the text. */
static inline int count_text(const char *text, const char *part)
{
    int count = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
        count++;
    return count;
}

/* Within 6.2 standard deviations: one false alarm in 1e9 seeds. */
static inline void assert_share(int64_t count, int64_t trials, double probability, const char *what)
{
    double mean = (double)trials * probability;
    double bound = 6.2 * sqrt(mean * (1 - probability)) + 1;
    ck_assert_msg(fabs((double)count - mean) <= bound, "%s: %lld of %lld, expected %.0f +- %.0f",
                  what, (long long)count, (long long)trials, mean, bound);
}

#endif

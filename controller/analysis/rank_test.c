#include "controller/analysis/rank_test.h"

#include <math.h>
#include <string.h>

#include "common/error.h"

enum { SUM_MOST = RANK_TEST_MOST * (RANK_TEST_MOST + 1) };

/* Twice the rank of each value among all: ties share the middle of their ranks. */
static void rank(const double *values, int count, int *doubled)
{
    for (int i = 0; i < count; i++) {
        int below = 0, equal = 0;
        for (int k = 0; k < count; k++) {
            below += values[k] < values[i];
            equal += values[k] == values[i];
        }
        doubled[i] = 2 * below + equal + 1;
    }
}

/* The share of all choices of `chosen` of the ranks whose sum is as far from the mean as `sum` is,
 * or farther. ways[c][s]: of those ranks so far, how many choices of c have the sum s. */
static double share_as_far(const int *doubled, int count, int chosen, int sum)
{
    double ways[RANK_TEST_MOST + 1][SUM_MOST + 1];
    double all = 0, far = 0, mean = (double)chosen * (count + 1);
    memset(ways, 0, sizeof ways);
    ways[0][0] = 1;
    for (int i = 0; i < count; i++)
        for (int c = i < chosen ? i : chosen - 1; c >= 0; c--)
            for (int s = SUM_MOST - doubled[i]; s >= 0; s--)
                ways[c + 1][s + doubled[i]] += ways[c][s];
    for (int s = 0; s <= SUM_MOST; s++) {
        all += ways[chosen][s];
        far += fabs(s - mean) >= fabs(sum - mean) ? ways[chosen][s] : 0;
    }
    return far / all;
}

struct rank_test rank_test_compare(const double *a, int a_count, const double *b, int b_count)
{
    double values[RANK_TEST_MOST];
    int doubled[RANK_TEST_MOST], untied[RANK_TEST_MOST];
    int count = a_count + b_count, sum = 0;
    ENSURE(a_count > 0 && b_count > 0 && count <= RANK_TEST_MOST, "%d and %d values", a_count,
           b_count);
    memcpy(values, a, (size_t)a_count * sizeof a[0]);
    for (int i = 0; i < b_count; i++)
        values[a_count + i] = b[i];
    rank(values, count, doubled);
    for (int i = 0; i < a_count; i++)
        sum += doubled[i];
    for (int i = 0; i < count; i++)
        untied[i] = 2 * (i + 1);
    return (struct rank_test){
        .effect = (0.5 * sum - 0.5 * a_count * (a_count + 1)) / ((double)a_count * b_count),
        .p = share_as_far(doubled, count, a_count, sum),
        .p_least = share_as_far(untied, count, a_count, a_count * (a_count + 1))};
}

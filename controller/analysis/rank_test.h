/* Whether the values of one group tend to be larger than those of another: the exact test of Mann
 * and Whitney (Annals of Mathematical Statistics 18, 1947), with ties. */
#ifndef CONTROLLER_ANALYSIS_RANK_TEST_H
#define CONTROLLER_ANALYSIS_RANK_TEST_H

/* Of both groups together. */
enum { RANK_TEST_MOST = 60 };

struct rank_test {
    /* The share of pairs that the first group wins, a tie counting half: 0.5 is no difference. */
    double effect;
    double p;       /* two-sided: how often chance alone parts such groups as far or farther */
    double p_least; /* the least p that groups of these sizes can have */
};
/* Both counts are at least 1, and together at most RANK_TEST_MOST. */
struct rank_test rank_test_compare(const double *a, int a_count, const double *b, int b_count);

#endif

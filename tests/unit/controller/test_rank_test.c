/* The exact test of two groups, against values by hand and by published tables. */
#include "controller/analysis/league.h"
#include "tests/suite.h"

TEST(groups_apart)
{
    const double low[] = {1, 2, 3, 4}, high[] = {5, 6, 7, 8};
    struct rank_test test = rank_test_compare(low, 4, high, 4);
    ck_assert_double_eq(test.effect, 0);
    ck_assert_double_eq_tol(test.p, 2.0 / 70, 1e-15);
    ck_assert_double_eq_tol(test.p_least, 2.0 / 70, 1e-15);
    test = rank_test_compare(high, 4, low, 4);
    ck_assert_double_eq(test.effect, 1);
    ck_assert_double_eq_tol(test.p, 2.0 / 70, 1e-15);
}

/* U = 2 of 5 and 5: Mann and Whitney's table has 0.016 of one side. */
TEST(groups_that_overlap)
{
    const double a[] = {1, 2, 3, 4, 7}, b[] = {5, 6, 8, 9, 10};
    struct rank_test test = rank_test_compare(a, 5, b, 5);
    ck_assert_double_eq_tol(test.effect, 2.0 / 25, 1e-15);
    ck_assert_double_eq_tol(test.p, 2 * 4.0 / 252, 1e-15);
}

/* Of three values of which two are equal, the middle of their ranks counts. */
TEST(ties)
{
    const double a[] = {0, 0}, b[] = {0, 1};
    struct rank_test test = rank_test_compare(a, 2, b, 2);
    ck_assert_double_eq_tol(test.effect, 0.25, 1e-15);
    ck_assert_double_eq_tol(test.p, 1, 1e-15);
    test = rank_test_compare(a, 2, a, 2);
    ck_assert_double_eq(test.effect, 0.5);
    ck_assert_double_eq(test.p, 1);
}

/* One run on each side, and as many as are taken. */
TEST(sizes)
{
    double many[RANK_TEST_MOST];
    const double one = 1, other = 2;
    ck_assert_double_eq(rank_test_compare(&one, 1, &other, 1).p_least, 1);
    for (int i = 0; i < RANK_TEST_MOST; i++)
        many[i] = i;
    struct rank_test test = rank_test_compare(many, 30, many + 30, 30);
    ck_assert_double_eq(test.effect, 0);
    ck_assert_double_gt(test.p, 1.6e-17); /* 2 of 60 over 30 */
    ck_assert_double_lt(test.p, 1.8e-17);
}

SUITE("rank_test", 0, NULL, NULL)

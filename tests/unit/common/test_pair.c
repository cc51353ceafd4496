/* Two numbers side by side are what each would be alone. */
#include "common/math/pair.h"
#include "tests/suite.h"

/* Numbers among which all cases of comparisons and signs occur. */
static double draw(struct rng *rng)
{
    static const double odd[] = {0.0, -0.0, 1.0, -1.0, HUGE_VAL, -HUGE_VAL, NAN, 1e-320};
    uint32_t kind = rng_below(rng, 16);
    return kind < 8 ? odd[kind] : rng_uniform(rng, -2, 2);
}

static void ck_assert_same_bits(double a, double b)
{
    ck_assert_mem_eq(&a, &b, sizeof a);
}

TEST(each_is_as_if_alone)
{
    struct rng rng = test_rng(1, 0, 1);
    for (int i = 0; i < 10000; i++) {
        double a[2] = {draw(&rng), draw(&rng)}, b[2] = {draw(&rng), draw(&rng)};
        pair x = PAIR(a, 0), y = SINGLES(b, 0);
        pair_bits less = pair_is_less(x, y), at_most = pair_is_at_most(x, y);
        pair_bits equal = pair_is_equal(x, y);
        for (int k = 0; k < 2; k++) {
            ck_assert_int_eq(less[k], -(a[k] < b[k]));
            ck_assert_int_eq(at_most[k], -(a[k] <= b[k]));
            ck_assert_int_eq(equal[k], -(a[k] == b[k]));
            ck_assert_int_eq(pair_mask(less) >> k & 1, a[k] < b[k]);
            ck_assert_same_bits(pair_lesser(x, y)[k], a[k] < b[k] ? a[k] : b[k]);
            ck_assert_same_bits(pair_greater(x, y)[k], a[k] > b[k] ? a[k] : b[k]);
            ck_assert_same_bits(pair_absolute(x)[k], fabs(a[k]));
            ck_assert_same_bits(pair_swap(x)[k], a[!k]);
        }
    }
}

SUITE("pair", 0, NULL, NULL)

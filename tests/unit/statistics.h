/* Tests of counts against the probabilities they should have, with a stated rate of false alarms.
 *
 * statistics_is_biased() is exact: each count of a category is binomial whatever the others do,
 * its tails are summed term by term, and the alarm rate is shared among the tails of all
 * categories (Bonferroni). So a right sampler is called biased with a probability of at most
 * `alarm`. statistics_chi_square() sees what is spread over many categories; it is an
 * approximation, good for expected counts from some dozens. */
#ifndef TESTS_UNIT_STATISTICS_H
#define TESTS_UNIT_STATISTICS_H

#include <math.h>
#include <stdint.h>

static inline double statistics_log_binomial(int64_t trials, double probability, int64_t count)
{
    double n = (double)trials, k = (double)count;
    double ways = lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
    double yes = count > 0 ? k * log(probability) : 0;
    return ways + yes + (count < trials ? (n - k) * log1p(-probability) : 0);
}

/* The smaller of P(X <= count) and P(X >= count) for binomial X. */
static inline double statistics_binomial_tail(int64_t trials, double probability, int64_t count)
{
    int step = (double)count < (double)trials * probability ? -1 : 1;
    double sum = 0;
    int64_t k;
    if (probability <= 0 || probability >= 1)
        return count == (probability >= 1 ? trials : 0) ? 1 : 0;
    for (k = count; k >= 0 && k <= trials; k += step) {
        double term = exp(statistics_log_binomial(trials, probability, k));

        sum += term;
        if (term < sum * 1e-18)
            break;
    }
    return sum < 1 ? sum : 1;
}

/* 1 if some count of `trials` deviates from trials x probability more than chance may. Categories
 * may overlap; the sum of their counts need not be `trials`. */
static inline int statistics_is_biased(const int64_t *counts, const double *probabilities,
                                       int category_count, int64_t trials, double alarm)
{
    int i;
    for (i = 0; i < category_count; i++)
        if (statistics_binomial_tail(trials, probabilities[i], counts[i]) <
            alarm / (2 * category_count))
            return 1;
    return 0;
}

/* P(chi square with so many degrees of freedom >= x): the regularised upper incomplete gamma
 * function Q(degrees / 2, x / 2), by its series below the mean and by Lentz's continued fraction
 * above (Press, Teukolsky, Vetterling, Flannery, Numerical Recipes, section 6.2). */
static inline double statistics_chi_square_tail(double x, int degrees)
{
    double a = degrees / 2.0, z = x / 2, scale = exp(-z + a * log(z) - lgamma(a));
    int i;
    if (z <= 0)
        return 1;
    if (z < a + 1) {
        double term = 1 / a, sum = term;

        for (i = 1; term > sum * 1e-16; i++)
            sum += term *= z / (a + i);
        return 1 - scale * sum;
    }
    double b = z + 1 - a, c = 1e300, d = 1 / b, fraction = d, change = 0;

    for (i = 1; i < 100000 && fabs(change - 1) > 1e-15; i++) {
        double factor = -i * (i - a);

        b += 2;
        d = 1 / (factor * d + b);
        c = b + factor / c;
        change = c * d;
        fraction *= change;
    }
    return scale * fraction;
}

/* How likely equal probabilities give counts as uneven as these. */
static inline double statistics_chi_square(const int64_t *counts, int category_count,
                                           int64_t trials)
{
    double expected = (double)trials / category_count, sum = 0;
    int i;
    for (i = 0; i < category_count; i++)
        sum += ((double)counts[i] - expected) * ((double)counts[i] - expected) / expected;
    return statistics_chi_square_tail(sum, category_count - 1);
}

#endif

/* Signals: values by hand, derivatives against differences, and what a spline promises. */
#include "simulator/body/signal.h"
#include "tests/suite.h"

#define TURN (2 * 3.14159265358979323846)

enum { POINTS = 6 };
static const double times[POINTS] = {-1, 0, 0.3, 1, 1.2, 3},
                    values[POINTS] = {2, -1, 0.5, 0.5, 4, 1};
static double bends[POINTS];

static struct signal make_table(enum signal_table kind)
{
    struct signal s = {
        .count = POINTS, .table = kind, .times_s = times, .values = values, .bends = bends};
    double scratch[POINTS];
    signal_bend(&s, scratch);
    return s;
}

/* Rates and accelerations are the derivatives, by central differences. */
static void check_derivatives(const struct signal *s, double from, double to, int has_acceleration)
{
    const double h = 1e-5;
    for (double t = from; t <= to; t += 0.0137) {
        struct signal_value low = signal_at(s, t - h), at = signal_at(s, t);
        struct signal_value high = signal_at(s, t + h);
        ck_assert_double_eq_tol((high.value - low.value) / (2 * h), at.rate, 1e-3);
        if (has_acceleration)
            ck_assert_double_eq_tol((high.rate - low.rate) / (2 * h), at.acceleration, 5e-3);
    }
}

TEST(lines_and_sines)
{
    struct signal s = {
        .offset = 1, .slope = -2, .amplitude = 3, .rate_rad_s = TURN, .phase_rad = 0.4};
    struct signal_value at = signal_at(&s, 0.25);
    ck_assert_double_eq_tol(at.value, 1 - 0.5 + 3 * cos(0.4), 1e-14);
    ck_assert_double_eq_tol(at.rate, -2 - 3 * TURN * sin(0.4), 1e-13);
    ck_assert_double_eq_tol(at.acceleration, -3 * TURN * TURN * cos(0.4), 1e-12);
    check_derivatives(&s, -1, 2, 1);
}

TEST(tables_of_lines)
{
    struct signal s = make_table(SIGNAL_LINES);
    for (int i = 0; i < POINTS; i++)
        ck_assert_double_eq_tol(signal_at(&s, times[i]).value, values[i], 1e-14);
    ck_assert_double_eq_tol(signal_at(&s, 0.15).value, -0.25, 1e-14);
    ck_assert_double_eq_tol(signal_at(&s, 0.15).rate, 5, 1e-13);
    ck_assert_double_eq(signal_at(&s, -9).value, 2);
    ck_assert_double_eq(signal_at(&s, 9).value, 1);
    ck_assert_double_eq(signal_at(&s, 9).rate, 0);
}

/* Through all points, at rest at both ends, without a jump of rate or acceleration in between. */
TEST(splines)
{
    struct signal s = make_table(SIGNAL_SPLINE);
    s.slope = 0.5;
    for (int i = 0; i < POINTS; i++) {
        struct signal_value low = signal_at(&s, times[i] - 1e-9),
                            high = signal_at(&s, times[i] + 1e-9);
        ck_assert_double_eq_tol(signal_at(&s, times[i]).value, values[i] + 0.5 * times[i], 1e-13);
        ck_assert_double_eq_tol(low.rate, high.rate, 1e-5);
        if (i > 0 && i < POINTS - 1)
            ck_assert_double_eq_tol(low.acceleration, high.acceleration, 1e-4);
    }
    ck_assert_double_eq_tol(signal_at(&s, times[0]).rate, 0.5, 1e-12);
    ck_assert_double_eq_tol(signal_at(&s, times[POINTS - 1] - 1e-12).rate, 0.5, 1e-9);
    check_derivatives(&s, -0.999, 2.99, 1);
}

TEST(one_point)
{
    struct signal s = {
        .count = 1, .table = SIGNAL_SPLINE, .times_s = times, .values = values, .bends = bends};
    double scratch[1];
    signal_bend(&s, scratch);
    ck_assert_double_eq(signal_at(&s, -5).value, 2);
    ck_assert_double_eq(signal_at(&s, 5).value, 2);
    ck_assert_double_eq(signal_at(&s, 5).acceleration, 0);
}

SUITE("signal", 0, NULL, NULL)

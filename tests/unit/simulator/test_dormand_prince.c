/* The stepper of the reference solvers, on x' = v, v' = -x from (1, 0), where x = cos t, v = -sin
 * t, and v^2 is integrated along: its order, its error estimate, its dense output and what it
 * keeps. */
#include "simulator/reference/dormand_prince.h"

#include "tests/plain_fixture.h"

static struct dormand_prince rk;
static double state[2], *y;
static int evaluations;

static void derive(void *system, const double *at, double ahead, double *dy)
{
    evaluations++;
    dy[0] = at[1];
    dy[1] = -at[0];
    dy[2] = at[1] * at[1];
    ck_assert_ptr_eq(system, &evaluations);
    ck_assert_double_ge(ahead, 2);
}

static void setup(void)
{
    arena_open(1u << 16);
    rk = (struct dormand_prince){.derive = derive, .system = &evaluations, .rtol = 1e-9};
    ck_assert_int_eq(dormand_prince_create(&rk, 2, 1, &arena), 0);
    state[0] = 1;
    state[1] = 0;
    y = state;
    derive(&evaluations, y, 2, rk.k[0]);
    evaluations = 0;
}

static double error_of_step(double h)
{
    dormand_prince_try(&rk, y, 2, h);
    return hypot(rk.y1[0] - cos(h), rk.y1[1] + sin(h));
}

TEST(a_step_errs_by_its_sixth_power)
{
    double ratio = error_of_step(0.2) / error_of_step(0.1);
    ck_assert_double_eq_tol(log2(ratio), 6, 0.2);
    ck_assert_int_eq(evaluations, 2 * (DORMAND_PRINCE_STAGES - 1));
}

/* The estimate is of order 4, so larger than the error itself. It is 1 where the error is the
 * tolerance. */
TEST(the_error_is_estimated)
{
    double coarse = dormand_prince_try(&rk, y, 2, 0.2), fine = dormand_prince_try(&rk, y, 2, 0.1);
    ck_assert_double_eq_tol(log2(coarse / fine), 5, 0.5);
    ck_assert_double_gt(fine * rk.rtol, error_of_step(0.1));
    rk.rtol = 2e-9;
    ck_assert_double_eq_tol(dormand_prince_try(&rk, y, 2, 0.1), fine / 2, 1e-12 * fine);
}

static double error_from(double start)
{
    y[0] = y[1] = start;
    derive(&evaluations, y, 2, rk.k[0]);
    return dormand_prince_try(&rk, y, 2, 0.01);
}

/* Ten times as far out all errors are ten times as large. */
TEST(errors_are_absolute_or_relative)
{
    ck_assert_double_eq_tol(error_from(0.5) / error_from(0.05), 10, 1e-3);
    ck_assert_double_eq_tol(error_from(100) / error_from(10), 1, 1e-3);
}

TEST(quadratures_and_states_inside)
{
    double h = 0.05;
    dormand_prince_try(&rk, y, 2, h);
    ck_assert_double_eq_tol(dormand_prince_integral(&rk, 2, h), h / 2 - sin(2 * h) / 4, 1e-11);
    for (int i = 0; i <= 4; i++) {
        dormand_prince_look_inside(&rk, y, h, i / 4.0);
        ck_assert_double_eq_tol(rk.stage[0], cos(i * h / 4), 1e-9);
        ck_assert_double_eq_tol(rk.stage[1], -sin(i * h / 4), 1e-9);
    }
    ck_assert_double_eq_tol(rk.stage[0], rk.y1[0], 1e-15);
}

TEST(the_last_stage_is_the_first_of_the_next_step)
{
    double h = 0.05;
    for (int i = 0; i < 20; i++) {
        dormand_prince_try(&rk, y, 2 + i * h, h);
        dormand_prince_accept(&rk, &y);
        ck_assert_double_eq(rk.k[0][0], y[1]);
        ck_assert_double_eq(rk.k[0][1], -y[0]);
    }
    ck_assert_double_eq_tol(y[0], cos(1.0), 1e-9);
    ck_assert_double_eq_tol(y[1], -sin(1.0), 1e-9);
}

TEST(full_arena)
{
    SCOPED(arena) small;
    ck_assert_int_eq(arena_init(&small, 4096), 0);
    ck_assert_int_eq(dormand_prince_create(&rk, 100, 10, &small), ERR_MEMORY);
}

SUITE("dormand_prince", 0, setup, NULL)

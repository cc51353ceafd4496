/* common/math/detmath: errors in units of the last place against the C library's long double
 * functions, exact symmetries, special values, and a digest of results that every compiler,
 * optimisation level and machine must reproduce. */
#include "common/math/detmath.h"

#include <float.h>

#include "common/math/hash.h"
#include "tests/suite.h"

#define SAMPLES 100000

/* ck_assert() reports each check that holds to the runner: too slow for millions of them. */
#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition))                                                                          \
            ck_abort_msg("does not hold: %s", #condition);                                         \
    } while (0)

static struct rng rng;

static void setup(void)
{
    rng_init(&rng, 1, RNG_TEST, 0, 0);
}

static double any_finite(void)
{
    double x;
    do {
        uint64_t bits = rng_u64(&rng);
        memcpy(&x, &bits, sizeof x);
    } while (!isfinite(x));
    return x;
}

/* Either sign, all orders of size between low and high alike. */
static double any_order(double low, double high)
{
    double size = exp(rng_uniform(&rng, log(low), log(high)));
    return rng_chance(&rng, 0.5) ? size : -size;
}

/* A double next to a multiple of pi/2, where the reduction cancels most. */
static double near_quarter_turn(double order)
{
    double x = floor(fabs(any_order(1.0, order))) * (DET_PI / 2.0);
    for (uint32_t steps = rng_below(&rng, 4); steps; steps--)
        x = nextafter(x, HUGE_VAL);
    return x;
}

static double wide(double *parameter)
{
    return any_order(parameter[0], parameter[1]);
}

static double even(double *parameter)
{
    return rng_uniform(&rng, parameter[0], parameter[1]);
}

static double quarter(double *parameter)
{
    return near_quarter_turn(parameter[0]);
}

static double positive(double *parameter)
{
    return fabs(any_order(parameter[0], parameter[1]));
}

static double near_one(double *parameter)
{
    return 1.0 + any_order(parameter[0], parameter[1]);
}

/* |result - expected| in units of the last place of the expected value. */
static double error_ulp(double result, long double expected)
{
    int exponent;
    frexp((double)expected, &exponent);
    if (exponent < -1021)
        exponent = -1021;
    return (double)(fabsl((long double)result - expected) / ldexpl(1.0L, exponent - 53));
}

struct accuracy_case {
    const char *name;
    double (*function)(double);
    long double (*reference)(long double);
    double (*argument)(double *parameter);
    double parameter[2];
    double bound_ulp;
};

static double worst_error(const struct accuracy_case *accuracy)
{
    double worst = 0.0, parameter[2];
    memcpy(parameter, accuracy->parameter, sizeof parameter);
    for (int i = 0; i < SAMPLES; i++) {
        double x = accuracy->argument(parameter);
        double error = error_ulp(accuracy->function(x), accuracy->reference((long double)x));
        if (!(error <= worst))
            worst = error;
    }
    return worst;
}

#define PI_4 0.78539816339744830962

static const struct accuracy_case accuracy_cases[] = {
    {"sin, no reduction", det_sin, sinl, even, {-PI_4, PI_4}, 0.80},
    {"cos, no reduction", det_cos, cosl, even, {-PI_4, PI_4}, 0.80},
    {"sin, few turns", det_sin, sinl, even, {-20.0, 20.0}, 0.80},
    {"cos, few turns", det_cos, cosl, even, {-20.0, 20.0}, 0.80},
    {"sin, many turns", det_sin, sinl, wide, {0.5, 1.7e6}, 0.80},
    {"cos, many turns", det_cos, cosl, wide, {0.5, 1.7e6}, 0.80},
    {"sin, beyond", det_sin, sinl, wide, {1e6, 1e18}, 0.80},
    {"cos, beyond", det_cos, cosl, wide, {1e6, 1e18}, 0.80},
    {"sin, tiny", det_sin, sinl, wide, {1e-320, 1.0}, 0.80},
    {"sin, quarter turns", det_sin, sinl, quarter, {1e6, 0.0}, 0.60},
    {"cos, quarter turns", det_cos, cosl, quarter, {1e6, 0.0}, 0.60},
    {"sin, far quarter turns", det_sin, sinl, quarter, {1e15, 0.0}, 0.80},
    {"exp", det_exp, expl, even, {-708.0, 709.7}, 0.95},
    {"exp near 0", det_exp, expl, wide, {1e-20, 1.0}, 0.95},
    {"exp, subnormal", det_exp, expl, even, {-745.1, -708.0}, 1.05},
    {"log", det_log, logl, positive, {1e-307, 1e308}, 0.90},
    {"log, subnormal", det_log, logl, positive, {1e-320, 1e-307}, 0.90},
    {"log near 1", det_log, logl, near_one, {1e-16, 0.4}, 0.90},
    {"tanh", det_tanh, tanhl, even, {-4.0, 4.0}, 1.15},
    {"tanh, all orders", det_tanh, tanhl, wide, {1e-320, 30.0}, 1.15},
    {"atan", det_atan, atanl, even, {-4.0, 4.0}, 0.85},
    {"atan, all orders", det_atan, atanl, wide, {1e-320, 1e308}, 0.85},
};

#define ACCURACY_CASES ((int)(sizeof accuracy_cases / sizeof accuracy_cases[0]))

TEST_LOOP(errors_are_within_bounds, 0, ACCURACY_CASES)
{
#if LDBL_MANT_DIG >= 64
    const struct accuracy_case *accuracy = &accuracy_cases[_i];
    double worst = worst_error(accuracy);
    ck_assert_msg(worst <= accuracy->bound_ulp, "%s: %.3f ulp, allowed %.3f", accuracy->name, worst,
                  accuracy->bound_ulp);
#endif
}

/* A relative error of 2^-52, as a wrong last digit in a coefficient would make it. */
static double planted_sine(double x)
{
    return det_sin(x) * (1.0 + 0x1p-52);
}

TEST(a_planted_fault_is_seen)
{
#if LDBL_MANT_DIG >= 64
    const struct accuracy_case planted = {"planted", planted_sine, sinl, even, {-20.0, 20.0}, 0.8};
    ck_assert_double_gt(worst_error(&planted), 1.2);
#endif
}

TEST(atan2_is_accurate_in_all_quadrants)
{
#if LDBL_MANT_DIG >= 64
    for (int i = 0; i < SAMPLES; i++) {
        double y = any_order(1e-6, 1e6), x = any_order(1e-6, 1e6);
        REQUIRE(error_ulp(det_atan2(y, x), atan2l(y, x)) <= 1.6);
    }
#endif
}

TEST(pow_is_as_good_as_it_says)
{
    for (int i = 0; i < SAMPLES; i++) {
        double x = fabs(any_order(1e-6, 1e6)), y = rng_uniform(&rng, -50.0, 50.0);
        double expected = (double)powl(x, y);
        REQUIRE(fabs(det_pow(x, y) / expected - 1.0) <= 1.5e-13);
    }
    ck_assert_double_eq(det_pow(0.0, 0.0), 1.0);
    ck_assert_double_eq(det_pow(0.0, 2.0), 0.0);
    ck_assert_double_eq(det_pow(0.0, -2.0), HUGE_VAL);
    ck_assert_double_eq(det_pow(7.0, 0.0), 1.0);
    ck_assert_double_eq(det_pow(1.0, HUGE_VAL), 1.0);
    ck_assert_double_eq(det_pow(10.0, 1000.0), HUGE_VAL);
    ck_assert_double_eq(det_pow(10.0, -1000.0), 0.0);
    ck_assert(isnan(det_pow(-1.0, 0.5)));
}

/* Correctly rounded values from 1400-bit arithmetic; the third argument is the double that comes
 * nearest to a multiple of pi/2. */
TEST(huge_angles_are_reduced_exactly)
{
    static const double known[][3] = {
        {1e22, -0x1.b453ab76bf397p-1, 0x1.0be2cef01c8f4p-1},
        {DBL_MAX, 0x1.452fc98b34e97p-8, -0x1.fffe62ecfab75p-1},
        {6381956970095103.0 * 0x1p797, 0x1.0000000000000p+0, -0x1.14ae72e6ba22fp-61},
        {1e9, 0x1.1778cae83c69bp-1, 0x1.acff8c7364234p-1},
        {DET_PI, 0x1.1a62633145c07p-53, -0x1.0000000000000p+0},
        {DET_PI / 2.0, 0x1.0000000000000p+0, 0x1.1a62633145c07p-54},
        {1e300, -0x1.a2c16b010e385p-1, -0x1.2699022adc4c1p-1},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        double sine, cosine;
        det_sincos(known[i][0], &sine, &cosine);
        ck_assert_double_le(error_ulp(sine, known[i][1]), 1.0);
        ck_assert_double_le(error_ulp(cosine, known[i][2]), 1.0);
    }
}

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

TEST(symmetries_are_exact)
{
    for (int i = 0; i < SAMPLES; i++) {
        double x = i % 2 ? any_finite() : any_order(1e-8, 1e4);
        double sine, cosine, sine_minus, cosine_minus;
        det_sincos(x, &sine, &cosine);
        det_sincos(-x, &sine_minus, &cosine_minus);
        REQUIRE(bits_of(sine_minus) == bits_of(-sine));
        REQUIRE(bits_of(cosine_minus) == bits_of(cosine));
        REQUIRE(bits_of(det_sin(x)) == bits_of(sine));
        REQUIRE(bits_of(det_cos(x)) == bits_of(cosine));
        REQUIRE(bits_of(det_tanh(-x)) == bits_of(-det_tanh(x)));
        REQUIRE(bits_of(det_atan(-x)) == bits_of(-det_atan(x)));
        double y = any_order(1e-8, 1e4);
        REQUIRE(det_atan2(-y, x) == -det_atan2(y, x));
    }
}

TEST(results_stay_in_their_ranges)
{
    for (int i = 0; i < SAMPLES; i++) {
        double x = i % 2 ? any_finite() : any_order(1e-8, 1e4), sine, cosine;
        det_sincos(x, &sine, &cosine);
        REQUIRE(fabs(sine) <= 1.0 && fabs(cosine) <= 1.0);
        REQUIRE(fabs(sine * sine + cosine * cosine - 1.0) <= 4e-16);
        REQUIRE(fabs(det_tanh(x)) <= 1.0);
        REQUIRE(fabs(det_atan(x)) <= DET_PI / 2.0);
        REQUIRE(fabs(det_atan2(any_finite(), x)) <= DET_PI);
        REQUIRE(det_exp(x) >= 0.0);
        REQUIRE(!isnan(det_log(fabs(x))));
    }
}

/* Around the seams between formulas a monotonic function stays monotonic within its error. */
TEST(seams_do_not_jump)
{
    static const double tanh_seams[] = {0.75, 20.0},
                        atan_seams[] = {0.4375, 0.6875, 1.1875, 2.4375};
    for (size_t i = 0; i < sizeof tanh_seams / sizeof tanh_seams[0]; i++) {
        double below = det_tanh(nextafter(tanh_seams[i], 0.0)), at = det_tanh(tanh_seams[i]);
        ck_assert_double_eq_tol(below, at, 4e-16);
    }
    for (size_t i = 0; i < sizeof atan_seams / sizeof atan_seams[0]; i++) {
        double below = det_atan(nextafter(atan_seams[i], 0.0)), at = det_atan(atan_seams[i]);
        ck_assert_double_eq_tol(below, at, 5e-16);
    }
    for (double seam = PI_4; seam < 1.7e6; seam *= 1.37) {
        ck_assert_double_eq_tol(det_sin(nextafter(seam, 0.0)), det_sin(seam), 3e-16 * (1.0 + seam));
        ck_assert_double_eq_tol(det_cos(nextafter(seam, 0.0)), det_cos(seam), 3e-16 * (1.0 + seam));
    }
}

TEST(special_values_of_sine_and_cosine)
{
    static const double odd[] = {INFINITY, -INFINITY, NAN, -NAN};
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        double sine = 9.0, cosine = 9.0;
        det_sincos(odd[i], &sine, &cosine);
        ck_assert_double_eq(sine, 0.0);
        ck_assert_double_eq(cosine, 1.0);
    }
    ck_assert_double_eq(det_sin(0.0), 0.0);
    ck_assert_double_eq(det_cos(0.0), 1.0);
    ck_assert_double_eq(det_sin(0x1p-1074), 0x1p-1074);
    ck_assert_double_eq(det_sin(DET_PI / 2.0), 1.0);
    ck_assert_double_eq(det_cos(DET_PI), -1.0);
}

TEST(special_values_of_exp_and_log)
{
    ck_assert_double_eq(det_exp(0.0), 1.0);
    ck_assert_double_eq(det_exp(-0.0), 1.0);
    ck_assert_double_eq(det_exp(INFINITY), HUGE_VAL);
    ck_assert_double_eq(det_exp(-INFINITY), 0.0);
    ck_assert(isnan(det_exp(NAN)));
    ck_assert_double_eq(det_exp(710.0), HUGE_VAL);
    ck_assert(isfinite(det_exp(709.782712893383973)));
    ck_assert_double_eq(det_exp(-746.0), 0.0);
    ck_assert_double_eq(det_exp(-745.0), 0x1p-1074);
    ck_assert_double_eq(det_exp(1e308), HUGE_VAL);
    ck_assert_double_eq(det_exp(-1e308), 0.0);
    ck_assert_double_eq(det_log(1.0), 0.0);
    ck_assert_double_eq(det_log(0.0), -HUGE_VAL);
    ck_assert_double_eq(det_log(-0.0), -HUGE_VAL);
    ck_assert_double_eq(det_log(INFINITY), HUGE_VAL);
    ck_assert(isnan(det_log(-1.0)));
    ck_assert(isnan(det_log(-INFINITY)));
    ck_assert(isnan(det_log(NAN)));
    ck_assert_double_eq(det_log(0x1p-1074), -744.44007192138126);
}

TEST(special_values_of_tanh_and_atan)
{
    ck_assert_double_eq(det_tanh(0.0), 0.0);
    ck_assert_double_eq(det_tanh(0x1p-1074), 0x1p-1074);
    ck_assert_double_eq(det_tanh(INFINITY), 1.0);
    ck_assert_double_eq(det_tanh(-INFINITY), -1.0);
    ck_assert_double_eq(det_tanh(1e300), 1.0);
    ck_assert_double_eq(det_tanh(19.5), 1.0);
    ck_assert(isnan(det_tanh(NAN)));
    ck_assert_double_eq(det_atan(0.0), 0.0);
    ck_assert_double_eq(det_atan(1.0), DET_PI / 4.0);
    ck_assert_double_eq(det_atan(INFINITY), DET_PI / 2.0);
    ck_assert_double_eq(det_atan(-INFINITY), -DET_PI / 2.0);
    ck_assert_double_eq(det_atan(-1e300), -DET_PI / 2.0);
    ck_assert(isnan(det_atan(NAN)));
}

TEST(special_values_of_atan2)
{
    ck_assert_double_eq(det_atan2(0.0, 0.0), 0.0);
    ck_assert_double_eq(det_atan2(0.0, 1.0), 0.0);
    ck_assert_double_eq(det_atan2(0.0, -1.0), DET_PI);
    ck_assert_double_eq(det_atan2(-0.0, -1.0), DET_PI);
    ck_assert_double_eq(det_atan2(1.0, 0.0), DET_PI / 2.0);
    ck_assert_double_eq(det_atan2(-1.0, -0.0), -DET_PI / 2.0);
    ck_assert_double_eq(det_atan2(1.0, 1.0), DET_PI / 4.0);
    ck_assert_double_eq(det_atan2(-1.0, -1.0), -3.0 * DET_PI / 4.0);
    ck_assert_double_eq(det_atan2(1e-300, 1e300), 0.0);
    ck_assert_double_eq(det_atan2(1e300, 1e-300), DET_PI / 2.0);
    ck_assert_double_eq(det_atan2(1e-300, -1e300), DET_PI);
    ck_assert_double_eq(det_atan2(INFINITY, 5.0), DET_PI / 2.0);
    ck_assert_double_eq(det_atan2(5.0, INFINITY), 0.0);
    ck_assert_double_eq(det_atan2(5.0, -INFINITY), DET_PI);
    ck_assert_double_eq(det_atan2(INFINITY, INFINITY), DET_PI / 4.0);
    ck_assert(isnan(det_atan2(NAN, 1.0)));
    ck_assert(isnan(det_atan2(1.0, NAN)));
}

TEST(floor_is_exact)
{
    for (int i = 0; i < SAMPLES; i++) {
        double x = i % 2 ? any_finite() : any_order(1e-3, 1e17);
        REQUIRE(det_floor(x) == floor(x));
        double whole = floor(x);
        REQUIRE(det_floor(whole) == whole);
        REQUIRE(det_floor(nextafter(whole, -HUGE_VAL)) == floor(nextafter(whole, -HUGE_VAL)));
    }
    static const double edges[] = {0.0,     -0.0,   0.5,     -0.5,   0x1p-1074, -0x1p-1074, 0x1p52,
                                   -0x1p52, 0x1p63, -0x1p63, 0x1p64, DBL_MAX,   -DBL_MAX};
    for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++)
        ck_assert_double_eq(det_floor(edges[i]), floor(edges[i]));
    ck_assert_double_eq(det_floor(INFINITY), INFINITY);
    ck_assert_double_eq(det_floor(-INFINITY), -INFINITY);
    ck_assert(isnan(det_floor(NAN)));
}

static uint64_t hash_results(uint64_t hash, double x)
{
    double sine, cosine;
    det_sincos(x, &sine, &cosine);
    hash = hash_double(hash, sine);
    hash = hash_double(hash, cosine);
    hash = hash_double(hash, det_exp(x));
    hash = hash_double(hash, det_log(x));
    hash = hash_double(hash, det_tanh(x));
    hash = hash_double(hash, det_atan(x));
    hash = hash_double(hash, det_atan2(x, 0.75 - x));
    hash = hash_double(hash, det_pow(x < 0.0 ? -x : x, 1.37));
    return hash_double(hash, det_floor(x));
}

/* Arguments made without the C library: a fine grid, all orders of size, and any bit patterns. */
static uint64_t digest_of_everything(void)
{
    uint64_t hash = HASH_START;
    for (int i = -20000; i <= 20000; i++)
        hash = hash_results(hash, i * 0.00123);
    for (int exponent = -1070; exponent < 1023; exponent++)
        for (int i = 0; i < 8; i++)
            hash = hash_results(hash, ldexp(1.0 + i * 0.1234567, exponent));
    for (int i = 0; i < 50000; i++)
        hash = hash_results(hash, any_finite());
    return hash;
}

/* The one number on which compilers, optimisation levels and machines must agree. When the
 * functions are changed on purpose, so do the digests of all creatures: SIMULATOR_VERSION changes
 * with it. */
TEST(results_have_the_golden_digest)
{
    char text[17];
    hash_to_text(digest_of_everything(), text);
    ck_assert_str_eq(text, "e021ed7f0a8fb724");
}

TEST(many_at_once_have_the_same_bits)
{
    for (int round = 0; round < 20000; round++) {
        static const double orders[] = {1e-300, 1e-12, 1, 10, 1e3, 1e6, 1e9, 1e300};
        double x[7], sine[8], cosine[8];
        int count = (int)rng_below(&rng, 8);
        for (int i = 0; i < count; i++) {
            x[i] = rng_uniform(&rng, -1, 1) * orders[rng_below(&rng, 8)];
            if (rng_chance(&rng, 0.1))
                x[i] = near_quarter_turn(1e6);
            if (rng_chance(&rng, 0.05))
                x[i] = any_finite();
            if (rng_chance(&rng, 0.05))
                x[i] = rng_chance(&rng, 0.5) ? HUGE_VAL : NAN;
            if (rng_chance(&rng, 0.05))
                x[i] = rng_chance(&rng, 0.5) ? 0.0 : -0.0;
        }
        sine[count] = cosine[count] = 7;
        det_sincos_all(x, count, sine, cosine);
        REQUIRE(sine[count] == 7 && cosine[count] == 7);
        for (int i = 0; i < count; i++) {
            double s, c;
            det_sincos(x[i], &s, &c);
            REQUIRE(memcmp(&s, &sine[i], sizeof s) == 0);
            REQUIRE(memcmp(&c, &cosine[i], sizeof c) == 0);
        }
    }
}

/* Of zeros of unlike signs, which fmin() may exchange, the second; of a NaN the other one. */
TEST(least_and_greatest_have_one_rule)
{
    static const volatile double values[] = {0.0, -0.0, NAN, 3, -3, HUGE_VAL};
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            double a = values[i], b = values[j];
            double least = isnan(b) || a < b ? a : b, most = isnan(b) || a > b ? a : b;
            double found[2] = {det_min(a, b), det_max(a, b)};
            REQUIRE(memcmp(&found[0], &least, sizeof least) == 0);
            REQUIRE(memcmp(&found[1], &most, sizeof most) == 0);
        }
    REQUIRE(signbit(det_min(values[0], values[1])) && !signbit(det_min(values[1], values[0])));
    REQUIRE(det_max(values[2], values[3]) == 3 && det_max(values[3], values[2]) == 3);
}

SUITE("detmath", 30, setup, NULL)

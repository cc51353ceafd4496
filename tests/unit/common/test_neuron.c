/* common/neuron: each of the 23 functions against its row of the table, states over time, and
 * totality: whatever the inputs and however long, outputs and states stay finite and bounded. */
#include "common/math/neuron.h"

#include <float.h>

#include "common/math/detmath.h"
#include "tests/suite.h"

#define DT_S (1.0 / 120.0) /* two thinks at 60 Hz */

static const double extremes[] = {
    0.0,   -0.0,   1.0,     -1.0,     0.5,      1e-7,      -1e-7,      9.999,
    10.0,  -10.0,  1e3,     -1e3,     1e17,     0x1p-1074, -0x1p-1074, DBL_MIN,
    1e154, -1e154, DBL_MAX, -DBL_MAX, INFINITY, -INFINITY, NAN,        -NAN,
};

enum { EXTREMES = sizeof extremes / sizeof extremes[0] };

static double evaluate(enum neuron_function function, double a, double b, double c)
{
    const double inputs[NEURON_INPUTS_MAX] = {a, b, c};
    return neuron_evaluate(function, inputs, NULL, DT_S);
}

static double advance(enum neuron_function function, struct neuron_state *state, double a, double b,
                      double c)
{
    const double inputs[NEURON_INPUTS_MAX] = {a, b, c};
    return neuron_evaluate(function, inputs, state, DT_S);
}

TEST(the_table_is_complete)
{
    ck_assert_int_eq(NEURON_FUNCTION_COUNT, 23);
    int stateful = 0;
    for (int i = 0; i < NEURON_FUNCTION_COUNT; i++) {
        ck_assert_int_eq(neuron_find(neuron_functions[i].name), i);
        ck_assert_int_ge(neuron_functions[i].input_count, 1);
        ck_assert_int_le(neuron_functions[i].input_count, NEURON_INPUTS_MAX);
        ck_assert_str_ne(neuron_functions[i].semantics, "");
        stateful += neuron_functions[i].is_stateful;
    }
    ck_assert_int_eq(stateful, 6);
    ck_assert_int_eq(neuron_find("oscillate-wave"), NEURON_OSCILLATE_WAVE);
    ck_assert_int_eq(neuron_find(""), -1);
    ck_assert_int_eq(neuron_find("Sum"), -1);
    ck_assert_int_eq(neuron_find("oscillate"), -1);
}

/* ---- functions without state: values worked out by hand ---- */

struct row {
    enum neuron_function function;
    double inputs[NEURON_INPUTS_MAX];
    double expected;
};

static const struct row rows[] = {
    {NEURON_SUM, {1.5, 2.0, -0.25}, 3.25},
    {NEURON_SUM, {9.0, 9.0, -9.0}, 9.0},
    {NEURON_SUM, {9.0, 9.0, 0.0}, 10.0},
    {NEURON_PRODUCT, {1.5, -2.0, 7.0}, -3.0},
    {NEURON_PRODUCT, {-100.0, 100.0, 0.0}, -10.0},
    {NEURON_DIVIDE, {1.0, 4.0, 7.0}, 0.25},
    {NEURON_DIVIDE, {1.0, 0.0, 0.0}, 0.0},
    {NEURON_DIVIDE, {1.0, 0.99e-6, 0.0}, 0.0},
    {NEURON_DIVIDE, {1.0, -0.99e-6, 0.0}, 0.0},
    {NEURON_DIVIDE, {2e-6, -1e-6, 0.0}, -2.0},
    {NEURON_DIVIDE, {1.0, 1e-6, 0.0}, 10.0},
    {NEURON_SUM_THRESHOLD, {1.0, 2.0, 2.9}, 1.0},
    {NEURON_SUM_THRESHOLD, {1.0, 2.0, 3.0}, -1.0},
    {NEURON_SUM_THRESHOLD, {1.0, 2.0, 3.1}, -1.0},
    {NEURON_GREATER_THAN, {2.0, 1.0, 9.0}, 1.0},
    {NEURON_GREATER_THAN, {1.0, 1.0, 0.0}, -1.0},
    {NEURON_GREATER_THAN, {1.0, 2.0, 0.0}, -1.0},
    {NEURON_SIGN_OF, {3.0, 0.0, 0.0}, 1.0},
    {NEURON_SIGN_OF, {-0.001, 5.0, 5.0}, -1.0},
    {NEURON_SIGN_OF, {0.0, 5.0, 5.0}, 0.0},
    {NEURON_SIGN_OF, {-0.0, 5.0, 5.0}, 0.0},
    {NEURON_MIN, {1.0, -2.0, -9.0}, -2.0},
    {NEURON_MIN, {-3.0, -2.0, -9.0}, -3.0},
    {NEURON_MAX, {1.0, -2.0, 9.0}, 1.0},
    {NEURON_MAX, {-3.0, -2.0, 9.0}, -2.0},
    {NEURON_ABS, {-2.5, 0.0, 0.0}, 2.5},
    {NEURON_ABS, {2.5, 0.0, 0.0}, 2.5},
    {NEURON_IF, {0.1, 3.0, 4.0}, 3.0},
    {NEURON_IF, {0.0, 3.0, 4.0}, 4.0},
    {NEURON_IF, {-0.1, 3.0, 4.0}, 4.0},
    {NEURON_INTERPOLATE, {2.0, 4.0, 0.25}, 2.5},
    {NEURON_INTERPOLATE, {2.0, 4.0, -3.0}, 2.0},
    {NEURON_INTERPOLATE, {2.0, 4.0, 3.0}, 4.0},
    {NEURON_INTERPOLATE, {-DBL_MAX, DBL_MAX, 0.5}, 0.0},
    {NEURON_INTERPOLATE, {-DBL_MAX, DBL_MAX, 0.0}, -10.0},
    {NEURON_INTERPOLATE, {-DBL_MAX, DBL_MAX, 1.0}, 10.0},
    {NEURON_SIN, {0.5, 0.0, 0.0}, 0.479425538604203},
    {NEURON_COS, {0.5, 0.0, 0.0}, 0.8775825618903728},
    {NEURON_ATAN, {-2.0, 0.0, 0.0}, -1.1071487177940904},
    {NEURON_LOG, {1.0, 0.0, 0.0}, 9.999500033330834e-05},
    {NEURON_LOG, {-1.0, 0.0, 0.0}, 9.999500033330834e-05},
    {NEURON_LOG, {0.0, 0.0, 0.0}, -9.210340371976182},
    {NEURON_EXPT, {1.0, 0.0, 0.0}, 2.718281828459045},
    {NEURON_EXPT, {-1.0, 0.0, 0.0}, 0.36787944117144233},
    {NEURON_EXPT, {2.4, 0.0, 0.0}, 10.0},
    {NEURON_SIGMOID, {0.5, 0.0, 0.0}, 0.46211715726000973},
    {NEURON_SIGMOID, {-0.5, 0.0, 0.0}, -0.46211715726000973},
    {NEURON_SIGMOID, {0.0, 0.0, 0.0}, 0.0},
};

TEST(functions_do_what_the_table_says)
{
    int is_seen[NEURON_FUNCTION_COUNT] = {0};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *row = &rows[i];
        double output = neuron_evaluate(row->function, row->inputs, NULL, DT_S);
        ck_assert_msg(fabs(output - row->expected) <= 4e-16 * fmax(1.0, fabs(row->expected)),
                      "%s, row %d: %.17g, expected %.17g", neuron_functions[row->function].name,
                      (int)i, output, row->expected);
        is_seen[row->function] = 1;
    }
    for (int i = 0; i < NEURON_FUNCTION_COUNT; i++)
        ck_assert(is_seen[i] || neuron_functions[i].is_stateful);
}

/* Elementary functions are those of detmath, to the bit. */
TEST(elementary_functions_are_the_deterministic_ones)
{
    for (double x = -12.0; x < 12.0; x += 0.037) {
        ck_assert_double_eq(evaluate(NEURON_SIN, x, 0, 0), det_sin(x));
        ck_assert_double_eq(evaluate(NEURON_COS, x, 0, 0), det_cos(x));
        ck_assert_double_eq(evaluate(NEURON_ATAN, x, 0, 0), det_atan(x));
        ck_assert_double_eq(evaluate(NEURON_LOG, x, 0, 0), det_log(fabs(x) + 1e-4));
        ck_assert_double_eq(evaluate(NEURON_EXPT, x, 0, 0), fmin(det_exp(x), NEURON_OUTPUT_MAX));
        ck_assert_double_eq(evaluate(NEURON_SIGMOID, x, 0, 0), det_tanh(x));
    }
}

TEST(sets_are_read)
{
    const uint32_t all = NEURON_BIT(NEURON_FUNCTION_COUNT) - 1;
    static const char *const wrong[] = {
        "none",
        "sum,sin",
        "SUM",
        "sum -",
        "- sum",
        "sum x",
        "sum a-word-that-is-longer-than-any-function-could-ever-be-called"};
    static const char *const empty[] = {"", "  ", "-all", "sum -sum", "sum -all"};
    const struct {
        const char *text;
        uint32_t set;
    } right[] = {
        {"all", all},
        {"sum", NEURON_BIT(NEURON_SUM)},
        {" sum  oscillate-saw ", NEURON_BIT(NEURON_SUM) | NEURON_BIT(NEURON_OSCILLATE_SAW)},
        {"-divide", all & ~NEURON_BIT(NEURON_DIVIDE)},
        {"all -if -log", all & ~NEURON_BIT(NEURON_IF) & ~NEURON_BIT(NEURON_LOG)},
        {"-all sin", NEURON_BIT(NEURON_SIN)},
        {"-sin sin", all}};
    struct error error;
    uint32_t set;
    for (size_t i = 0; i < sizeof(right) / sizeof(right[0]); i++) {
        ck_assert_int_eq(neuron_parse_set(right[i].text, &set, &error), 0);
        ck_assert_msg(set == right[i].set, "'%s' is %x", right[i].text, (unsigned)set);
    }
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        ck_assert_msg(neuron_parse_set(wrong[i], &set, &error) == ERR_UNKNOWN, "'%s'", wrong[i]);
    for (size_t i = 0; i < sizeof(empty) / sizeof(empty[0]); i++)
        ck_assert_msg(neuron_parse_set(empty[i], &set, &error) == ERR_RANGE, "'%s'", empty[i]);
}

TEST(inputs_that_are_not_finite_count_as_zero)
{
    static const double odd[] = {INFINITY, -INFINITY, NAN, -NAN};
    for (int function = 0; function < NEURON_FUNCTION_COUNT; function++)
        for (int place = 0; place < NEURON_INPUTS_MAX; place++)
            for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
                double inputs[NEURON_INPUTS_MAX] = {0.7, -0.3, 0.4};
                struct neuron_state zero = {.value = 0.25}, other = {.value = 0.25};
                inputs[place] = 0.0;
                double expected = neuron_evaluate(function, inputs, &zero, DT_S);
                inputs[place] = odd[i];
                ck_assert_double_eq(neuron_evaluate(function, inputs, &other, DT_S), expected);
                ck_assert_double_eq(other.value, zero.value);
            }
}

/* Inputs beyond a function's count change nothing. */
TEST(inputs_a_function_does_not_have_are_ignored)
{
    for (int function = 0; function < NEURON_FUNCTION_COUNT; function++)
        for (int i = 0; i < EXTREMES; i++) {
            double inputs[NEURON_INPUTS_MAX] = {0.7, -0.3, 0.4};
            struct neuron_state state = {.value = 0.25}, other = {.value = 0.25};
            double expected = neuron_evaluate(function, inputs, &state, DT_S);
            for (int j = neuron_functions[function].input_count; j < NEURON_INPUTS_MAX; j++)
                inputs[j] = extremes[i];
            ck_assert_double_eq(neuron_evaluate(function, inputs, &other, DT_S), expected);
        }
}

TEST_LOOP(stateless_functions_leave_the_state_alone, 0, NEURON_FUNCTION_COUNT)
{
    const double inputs[NEURON_INPUTS_MAX] = {0.7, -0.3, 0.4};
    struct neuron_state state = {.value = 0.125, .is_primed = 7};
    neuron_evaluate(_i, inputs, &state, DT_S);
    int is_kept = state.value == 0.125 && state.is_primed == 7;
    ck_assert_int_eq(is_kept, !neuron_functions[_i].is_stateful);
}

/* ---- functions with state ---- */

TEST(integrate_sums_and_leaks)
{
    struct neuron_state state = {0};
    for (int i = 1; i <= 120; i++)
        ck_assert_double_eq_tol(advance(NEURON_INTEGRATE, &state, 3.0, 0.0, 0.0), 3.0 * i * DT_S,
                                1e-12);

    /* With a leak it settles at a / |b|, whatever b's sign. */
    for (int sign = -1; sign <= 1; sign += 2) {
        state = (struct neuron_state){0};
        double output = 0.0;
        for (int i = 0; i < 2000; i++)
            output = advance(NEURON_INTEGRATE, &state, 3.0, sign * 2.0, 0.0);
        ck_assert_double_eq_tol(output, 1.5, 1e-9);
    }

    /* One step, by hand. */
    state = (struct neuron_state){.value = 2.0};
    double output = advance(NEURON_INTEGRATE, &state, 0.5, 3.0, 0.0);
    ck_assert_double_eq_tol(output, 2.0 + DT_S * (0.5 - 3.0 * 2.0), 1e-15);
}

/* The sum itself stops at the limit, so that it comes back at once. */
TEST(integrate_does_not_wind_up)
{
    struct neuron_state state = {0};
    for (int i = 0; i < 10000; i++)
        ck_assert_double_le(advance(NEURON_INTEGRATE, &state, 100.0, 0.0, 0.0), 10.0);
    ck_assert_double_eq(state.value, 10.0);
    double output = advance(NEURON_INTEGRATE, &state, -12.0, 0.0, 0.0);
    ck_assert_double_eq_tol(output, 9.9, 1e-12);
}

TEST(differentiate_is_a_rate_and_starts_at_zero)
{
    struct neuron_state state = {0};
    ck_assert_double_eq(advance(NEURON_DIFFERENTIATE, &state, 5.0, 0.0, 0.0), 0.0);
    ck_assert_double_eq_tol(advance(NEURON_DIFFERENTIATE, &state, 5.0 + 3.0 * DT_S, 0.0, 0.0), 3.0,
                            1e-12);
    ck_assert_double_eq(advance(NEURON_DIFFERENTIATE, &state, 5.0 + 3.0 * DT_S, 0.0, 0.0), 0.0);
    ck_assert_double_eq(advance(NEURON_DIFFERENTIATE, &state, 0.0, 0.0, 0.0), -10.0);
    ck_assert_double_eq(advance(NEURON_DIFFERENTIATE, &state, DBL_MAX, 0.0, 0.0), 10.0);
    ck_assert_double_eq(advance(NEURON_DIFFERENTIATE, &state, -DBL_MAX, 0.0, 0.0), -10.0);
}

TEST(smooth_follows_at_its_rate)
{
    struct neuron_state state = {0};
    double expected = 0.0;
    for (int i = 0; i < 200; i++) {
        expected += 6.0 * DT_S * (2.0 - expected);
        ck_assert_double_eq_tol(advance(NEURON_SMOOTH, &state, 2.0, -6.0, 0.0), expected, 1e-12);
    }

    /* Rates above one per think jump, rate 0 stays. */
    ck_assert_double_eq(advance(NEURON_SMOOTH, &state, -4.0, 1e6, 0.0), -4.0);
    ck_assert_double_eq(advance(NEURON_SMOOTH, &state, 7.0, 0.0, 0.0), -4.0);
}

TEST(memory_samples_and_holds)
{
    struct neuron_state state = {0};
    ck_assert_double_eq(advance(NEURON_MEMORY, &state, 0.0, 5.0, 0.0), 0.0);
    ck_assert_double_eq(advance(NEURON_MEMORY, &state, 0.1, 5.0, 0.0), 5.0);
    ck_assert_double_eq(advance(NEURON_MEMORY, &state, -1.0, 7.0, 0.0), 5.0);
    ck_assert_double_eq(advance(NEURON_MEMORY, &state, 0.0, 7.0, 0.0), 5.0);
    ck_assert_double_eq(advance(NEURON_MEMORY, &state, 1.0, -70.0, 0.0), -10.0);
    ck_assert_double_eq(advance(NEURON_MEMORY, &state, 0.0, 1.0, 0.0), -10.0);
}

TEST_LOOP(the_wave_is_a_sine_of_time, 0, 4)
{
    struct neuron_state state = {.value = _i / 4.0};
    for (int i = 1; i <= 600; i++) {
        double expected = 2.0 * sin(2.0 * DET_PI * (1.3 * i * DT_S + _i / 4.0)) + 0.5;
        double output = advance(NEURON_OSCILLATE_WAVE, &state, 1.3, 2.0, 0.5);
        ck_assert_double_eq_tol(output, expected, 1e-11);
        ck_assert(state.value >= 0.0 && state.value < 1.0);
    }
}

TEST(the_saw_rises_and_falls_back)
{
    struct neuron_state state = {.value = 0.5};
    ck_assert_double_eq_tol(advance(NEURON_OSCILLATE_SAW, &state, 12.0, 3.0, 1.0), 1.6, 1e-12);
    for (int i = 0; i < 3; i++)
        advance(NEURON_OSCILLATE_SAW, &state, 12.0, 3.0, 1.0);
    ck_assert_double_eq_tol(state.value, 0.9, 1e-12);
    advance(NEURON_OSCILLATE_SAW, &state, 24.0, 3.0, 1.0);
    ck_assert_double_eq_tol(advance(NEURON_OSCILLATE_SAW, &state, 0.0, 3.0, 1.0), -1.4, 1e-12);

    /* Backwards through zero. */
    ck_assert_double_eq_tol(advance(NEURON_OSCILLATE_SAW, &state, -24.0, 1.0, 0.0), 0.8, 1e-12);
}

/* A change of frequency bends the wave, it does not make it jump. */
TEST(a_changing_frequency_does_not_jump)
{
    struct neuron_state state = {0};
    double previous = 0.0;
    for (int i = 0; i < 1000; i++) {
        double output = advance(NEURON_OSCILLATE_WAVE, &state, i % 2 ? 0.5 : 4.0, 1.0, 0.0);
        ck_assert_double_le(fabs(output - previous), 2.0 * DET_PI * 4.0 * DT_S + 1e-12);
        previous = output;
    }
}

/* A step just below zero must not round the phase up to 1. */
TEST(the_phase_stays_below_one)
{
    struct neuron_state state = {0};
    advance(NEURON_OSCILLATE_SAW, &state, -1e-20, 1.0, 0.0);
    ck_assert(state.value >= 0.0 && state.value < 1.0);
    state.value = 1.0 - 0x1p-53;
    advance(NEURON_OSCILLATE_SAW, &state, 1e-20, 1.0, 0.0);
    ck_assert(state.value >= 0.0 && state.value < 1.0);
}

/* ---- totality ---- */

static void check_total(int function, const double inputs[NEURON_INPUTS_MAX],
                        struct neuron_state *state)
{
    double output = neuron_evaluate(function, inputs, state, DT_S);
    if (!(fabs(output) <= NEURON_OUTPUT_MAX && isfinite(state->value)))
        ck_abort_msg("%s(%g, %g, %g): output %g, state %g", neuron_functions[function].name,
                     inputs[0], inputs[1], inputs[2], output, state->value);
}

TEST(every_function_is_total)
{
    for (int function = 0; function < NEURON_FUNCTION_COUNT; function++)
        for (int i = 0; i < EXTREMES; i++)
            for (int j = 0; j < EXTREMES; j++)
                for (int k = 0; k < EXTREMES; k++) {
                    const double inputs[NEURON_INPUTS_MAX] = {extremes[i], extremes[j],
                                                              extremes[k]};
                    struct neuron_state state = {.value = 0.5};
                    check_total(function, inputs, &state);
                }
}

TEST(states_survive_long_abuse)
{
    struct rng rng = test_rng(1, 0, 0);
    for (int function = 0; function < NEURON_FUNCTION_COUNT; function++) {
        struct neuron_state state = {0};
        for (int i = 0; i < 20000; i++) {
            double inputs[NEURON_INPUTS_MAX];
            for (int j = 0; j < NEURON_INPUTS_MAX; j++)
                inputs[j] = extremes[rng_below(&rng, EXTREMES)] * rng_uniform(&rng, -1.0, 1.0);
            check_total(function, inputs, &state);
        }

        /* After all that it still works: calm inputs give what they give. */
        for (int i = 0; i < 20000; i++) {
            const double calm[NEURON_INPUTS_MAX] = {0.5, 1.0, 0.25};
            check_total(function, calm, &state);
        }
        if (function == NEURON_SMOOTH || function == NEURON_INTEGRATE)
            ck_assert_double_eq_tol(state.value, 0.5, 1e-9);
    }
}

/* Equal inputs and states give equal bits, also in another order of calls. */
TEST_LOOP(evaluation_is_pure, 0, NEURON_FUNCTION_COUNT)
{
    struct neuron_state first = {.value = 0.3}, second = {.value = 0.3};
    double outputs[100];
    for (int i = 0; i < 100; i++)
        outputs[i] = advance(_i, &first, i * 0.1 - 3.0, 1.7, -0.2);
    for (int i = 0; i < 100; i++) {
        double again = advance(_i, &second, i * 0.1 - 3.0, 1.7, -0.2);
        ck_assert_int_eq(memcmp(&again, &outputs[i], sizeof again), 0);
    }
}

SUITE("neuron", 30, NULL, NULL)

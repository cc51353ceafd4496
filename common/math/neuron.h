/* The 23 neuron functions: one table of names, inputs and semantics, and their evaluation.
 *
 * Everything that knows about functions (the genome's files, mutation, the brain, the manual, the
 * tests) reads this table. Every function is total: whatever the inputs, the output is finite and
 * clipped to +-NEURON_OUTPUT_MAX. a, b, c are the weighted inputs, dt the time one think
 * advances. */
#ifndef COMMON_MATH_NEURON_H
#define COMMON_MATH_NEURON_H

#include <stdint.h>

#include "common/error.h"

#define NEURON_INPUTS_MAX 3
#define NEURON_OUTPUT_MAX 10.0

/* name, inputs, keeps state, semantics, and these as neuron.c evaluates them */
#define NEURON_FUNCTIONS(X)                                                                        \
    X(SUM, "sum", 3, 0, "a + b + c", a + b + c)                                                    \
    X(PRODUCT, "product", 2, 0, "a b", (a * b))                                                    \
    X(DIVIDE, "divide", 2, 0, "a / b; 0 when |b| < 1e-6",                                          \
      magnitude(b) < DIVISOR_MIN ? 0.0 : a / b)                                                    \
    X(SUM_THRESHOLD, "sum-threshold", 3, 0, "1 if a + b > c, else -1", a + b > c ? 1.0 : -1.0)     \
    X(GREATER_THAN, "greater-than", 2, 0, "1 if a > b, else -1", a > b ? 1.0 : -1.0)               \
    X(SIGN_OF, "sign-of", 1, 0, "-1, 0 or 1: the sign of a", (a > 0.0) - (a < 0.0))                \
    X(MIN, "min", 2, 0, "the smaller of a and b", a < b ? a : b)                                   \
    X(MAX, "max", 2, 0, "the larger of a and b", a > b ? a : b)                                    \
    X(ABS, "abs", 1, 0, "|a|", magnitude(a))                                                       \
    X(IF, "if", 3, 0, "b if a > 0, else c", a > 0.0 ? b : c)                                       \
    X(INTERPOLATE, "interpolate", 3, 0, "a + (b - a) clamp(c, 0, 1)",                              \
      interpolate(a, b, clamp_to_unit(c)))                                                         \
    X(SIN, "sin", 1, 0, "sin a, a in radians", det_sin(a))                                         \
    X(COS, "cos", 1, 0, "cos a, a in radians", det_cos(a))                                         \
    X(ATAN, "atan", 1, 0, "arc tangent of a", det_atan(a))                                         \
    X(LOG, "log", 1, 0, "ln(|a| + 1e-4)", det_log(magnitude(a) + LOG_FLOOR))                       \
    X(EXPT, "expt", 1, 0, "e to the a", det_exp(a))                                                \
    X(SIGMOID, "sigmoid", 1, 0, "tanh a: centred, so that it can drive a joint both ways",         \
      det_tanh(a))                                                                                 \
    X(INTEGRATE, "integrate", 2, 1, "s += dt (a - |b| s); output s: integral of a with leak |b|",  \
      state->value = clip(state->value + dt_s * (a - magnitude(b) * state->value)))                \
    X(DIFFERENTIATE, "differentiate", 1, 1, "(a - previous a) / dt; 0 at the first think",         \
      differentiate(state, a, dt_s))                                                               \
    X(SMOOTH, "smooth", 2, 1,                                                                      \
      "s += clamp(|b| dt, 0, 1) (a - s): follows a at rate |b| per second",                        \
      smooth(state, a, magnitude(b) * dt_s))                                                       \
    X(MEMORY, "memory", 2, 1, "sample and hold: if a > 0 store b; output the stored value",        \
      a > 0.0 ? state->value = b : state->value)                                                   \
    X(OSCILLATE_WAVE, "oscillate-wave", 3, 1,                                                      \
      "phase += 2 pi a dt; output b sin(phase) + c: frequency a in Hz, amplitude b, offset c",     \
      c + b * det_sin(2.0 * DET_PI * advance_phase(state, a * dt_s)))                              \
    X(OSCILLATE_SAW, "oscillate-saw", 3, 1,                                                        \
      "phase += a dt, wrapped to [0, 1); output b (2 phase - 1) + c",                              \
      c + b * (2.0 * advance_phase(state, a * dt_s) - 1.0))

enum neuron_function {
#define X(id, name, inputs, stateful, text, value) NEURON_##id,
    NEURON_FUNCTIONS(X)
#undef X
        NEURON_FUNCTION_COUNT
};

struct neuron_function_info {
    const char *name;
    int input_count;
    int is_stateful;
    const char *semantics;
};

extern const struct neuron_function_info neuron_functions[NEURON_FUNCTION_COUNT];

/* The function with that name, or -1. */
int neuron_find(const char *name);
#define NEURON_BIT(function) (1u << (function))
/* A set of functions from words: "all", names, and -names that are taken out; a text that begins
 * with one of these begins with all. Not empty. 0 or ERR_UNKNOWN, ERR_RANGE. */
int neuron_parse_set(const char *text, uint32_t *set, struct error *error);

/* The memory of a stateful neuron; all zero at birth, except that `value` of the oscillators is
 * their initial phase (a fraction of a turn, [0, 1)). */
struct neuron_state {
    double value;
    int is_primed; /* differentiate: a previous input exists */
};

/* Evaluates one neuron; `state` is advanced by stateful functions and not touched by others (it may
 * then be NULL). Inputs may be anything, also non-finite (counted as 0); all three are read, those
 * that the function does not have do not matter. States are always finite, and s of integrate and
 * smooth is clipped like an output. dt_s > 0. */
double neuron_evaluate(enum neuron_function function, const double inputs[NEURON_INPUTS_MAX],
                       struct neuron_state *state, double dt_s);

#endif

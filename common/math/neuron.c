/* The table of neuron functions and their evaluation.
 *
 * neuron_evaluate() runs some 25 000 times in an evaluation (a dozen neurons, two thinks at 60 Hz),
 * so it is one switch. That every function is total rests on four rules: inputs that are not finite
 * count as 0; every output goes through clip(), which also turns NaN into 0; every state is finite,
 * and those that feed back are clipped like outputs; elementary functions come from detmath, which
 * is total.
 * Oscillators keep their phase as a fraction of a turn, in [0, 1). */
#include "common/math/neuron.h"

#include <float.h>
#include <string.h>

#include "common/math/detmath.h"

#define DIVISOR_MIN 1e-6
#define LOG_FLOOR   1e-4

const struct neuron_function_info neuron_functions[NEURON_FUNCTION_COUNT] = {
#define X(id, text_name, inputs, stateful, text, value)                                            \
    {.name = text_name, .input_count = inputs, .is_stateful = stateful, .semantics = text},
    NEURON_FUNCTIONS(X)
#undef X
};

int neuron_find(const char *name)
{
    for (int i = 0; i < NEURON_FUNCTION_COUNT; i++)
        if (!strcmp(neuron_functions[i].name, name))
            return i;
    return -1;
}

int neuron_parse_set(const char *text, uint32_t *set, struct error *error)
{
    const uint32_t all = NEURON_BIT(NEURON_FUNCTION_COUNT) - 1;
    *set = text[strspn(text, " ")] == '-' ? all : 0;
    for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
        size_t length = strcspn(text, " ");
        int is_out = *text == '-';
        char name[32] = "";
        if (length - (size_t)is_out < sizeof(name))
            memcpy(name, text + is_out, length - (size_t)is_out);
        int function = neuron_find(name);
        uint32_t bits = strcmp(name, "all") == 0 ? all : function < 0 ? 0 : NEURON_BIT(function);
        if (!bits)
            return error_set(error, ERR_UNKNOWN, "%.*s is no neuron function", (int)length, text);
        *set = is_out ? *set & ~bits : *set | bits;
        text += length;
    }
    return *set ? 0 : error_set(error, ERR_RANGE, "no neuron function is left");
}

/* Inputs that are not finite count as 0. */
static double or_zero(double x)
{
    return x >= -DBL_MAX && x <= DBL_MAX ? x : 0.0;
}

static double magnitude(double x)
{
    return x < 0.0 ? -x : x;
}

/* Into +-NEURON_OUTPUT_MAX; NaN becomes 0. */
static double clip(double x)
{
    if (x > -NEURON_OUTPUT_MAX)
        return x < NEURON_OUTPUT_MAX ? x : NEURON_OUTPUT_MAX;
    return x <= -NEURON_OUTPUT_MAX ? -NEURON_OUTPUT_MAX : 0.0;
}

static double clamp_to_unit(double x)
{
    if (x > 0.0)
        return x < 1.0 ? x : 1.0;
    return 0.0;
}

/* a + (b - a) share; where b - a overflows, as a weighted mean. */
static double interpolate(double a, double b, double share)
{
    double difference = b - a;
    if (magnitude(difference) > DBL_MAX)
        return a * (1.0 - share) + b * share;
    return a + difference * share;
}

/* Advances a phase by `turns` and wraps it to [0, 1). */
static double advance_phase(struct neuron_state *state, double turns)
{
    double phase = or_zero(state->value + turns);
    phase -= det_floor(phase);

    /* Just below zero, the difference rounds to 1. */
    state->value = phase < 1.0 ? phase : 0.0;
    return state->value;
}

static double differentiate(struct neuron_state *state, double a, double dt_s)
{
    double rate = state->is_primed ? (a - state->value) / dt_s : 0.0;
    state->value = a;
    state->is_primed = 1;
    return rate;
}

static double smooth(struct neuron_state *state, double a, double share)
{
    state->value = clip(state->value + clamp_to_unit(share) * (a - state->value));
    return state->value;
}

static double evaluate(enum neuron_function function, const double inputs[NEURON_INPUTS_MAX],
                       struct neuron_state *state, double dt_s)
{
    double a = or_zero(inputs[0]), b = or_zero(inputs[1]), c = or_zero(inputs[2]);
    switch (function) {
#define X(id, name, inputs, stateful, text, value)                                                 \
    case NEURON_##id:                                                                              \
        return value;
        NEURON_FUNCTIONS(X)
#undef X
    case NEURON_FUNCTION_COUNT:
        break;
    }
    return 0.0;
}

double neuron_evaluate(enum neuron_function function, const double inputs[NEURON_INPUTS_MAX],
                       struct neuron_state *state, double dt_s)
{
    return clip(evaluate(function, inputs, state, dt_s));
}

/* The brain: the compiled think, with the same bits as the plain recursive one that defines it.
 *
 * Sizes: 5 to 60 live neurons, 120 thinks per simulated second; some tens of nanoseconds per
 * neuron, nearly all of them inside neuron_evaluate().
 *
 * Definition (think_recursively() of test_brain.c). For each effector in order, and then each
 * emitter, its input is pulled. Pulling a neuron: finished in this think -> its new output; being evaluated (we are inside it: a cycle) ->
 * its output of the last think; else its inputs are pulled in order, its function is evaluated and
 * the output stored. (Either of the first two is what its slot holds, so one mark, begun, will do.)
 *
 * Compiled form. brain_create() walks the same way once and notes the neurons in the order in which
 * they finish; that order does not depend on values. A think runs through the program in this order
 * over ONE array of outputs, overwritten as it goes. This gives the same bits, because of:
 *
 *   Claim: when neuron R is run, the slot of each input A holds what R pulls in the definition. R
 *   pulls A in one of three situations. (1) A has finished: A comes before R in the program, and is
 *   run once per think, so its slot holds
 *       the new output, which is what R pulls.
 *   (2) A is not begun: it is evaluated now, inside R, and so finishes before R: as in (1). (3) A
 *   is being evaluated: R's evaluation is nested in A's (or A is R), so A finishes after R (or
 *       is R itself). A's slot is written only when A is run, after all of R's inputs are read: it
 *       still holds the output of the last think, which is what R pulls.
 *   The state of a stateful neuron is touched by its own evaluation only, once per think. Effectors
 *   read neurons that have finished, and nothing overwrites those afterwards, so that all signals
 *   can be read at the end. Hence no second array, no copy, no marks.
 *
 * Neurons that no effector reaches are never walked: dead, left out, output 0.
 *
 * All values lie in one array: [0] the constant 1; [1 ..] outputs by neuron instance; then the
 * sensors, copied in at each think. A constant input is slot 0 with the constant as weight (1 * c
 * is c, bit for bit), so that an input is always values[source] * weight, without a branch. */
#include "simulator/mind/brain.h"

#include <math.h>
#include <string.h>

/* The greatest size of a signal. */
#define SIGNAL_MAX (NEURON_OUTPUT_MAX * GENOME_WEIGHT_MAX)

struct operand {
    int source; /* slot in brain.values */
    double weight;
};

struct instruction {
    int function; /* enum neuron_function */
    int neuron;   /* instance */
    struct operand inputs[NEURON_INPUTS_MAX];
};

struct brain {
    const struct phenotype *phenotype;
    struct instruction *program;
    struct operand *pulls; /* per signal */
    int program_length;
    double *values;
    double *outputs; /* values + 1: by neuron instance */
    double *sensors; /* the end of values */
    int sensor_count;
    struct neuron_state *states; /* by neuron instance */
    unsigned char *is_begun;     /* by neuron instance: in the present walk */
};

/* ---- compilation ---- */

static struct operand make_operand(const struct brain *brain, const struct wire *wire)
{
    switch (wire->kind) {
    case WIRE_NEURON:
        return (struct operand){1 + wire->index, wire->weight};
    case WIRE_SENSOR:
        return (struct operand){1 + brain->phenotype->neuron_count + wire->index * SENSOR_COUNT +
                                    wire->sensor,
                                wire->weight};
    default:
        return (struct operand){0, wire->value};
    }
}

static void append_instruction(struct brain *brain, int index)
{
    const struct neuron *neuron = &brain->phenotype->neurons[index];
    struct instruction *instruction = &brain->program[brain->program_length++];
    instruction->function = neuron->function;
    instruction->neuron = index;
    for (int k = 0; k < NEURON_INPUTS_MAX; k++)
        instruction->inputs[k] = make_operand(brain, &neuron->inputs[k]);
}

/* Walks from a neuron to all it needs, depth first, and appends each when it finishes. The stack is
 * explicit (instance and next input), since a chain may be thousands of neurons long. */
static void compile_neuron(struct brain *brain, int start, int (*stack)[2])
{
    int depth = 0;
    if (brain->is_begun[start])
        return;
    brain->is_begun[start] = 1;
    stack[depth][0] = start;
    stack[depth++][1] = 0;

    while (depth > 0) {
        int index = stack[depth - 1][0];
        int k = stack[depth - 1][1]++;
        if (k == NEURON_INPUTS_MAX) {
            append_instruction(brain, index);
            depth--;
            continue;
        }
        const struct wire *wire = &brain->phenotype->neurons[index].inputs[k];
        if (wire->kind == WIRE_NEURON && !brain->is_begun[wire->index]) {
            brain->is_begun[wire->index] = 1;
            stack[depth][0] = wire->index;
            stack[depth++][1] = 0;
        }
    }
}

static void check_operand(const struct brain *brain, const struct operand *operand)
{
    int values = 1 + brain->phenotype->neuron_count + brain->sensor_count;
    ENSURE(operand->source >= 0 && operand->source < values, "value %d of %d", operand->source,
           values);
    ENSURE(isfinite(operand->weight), "value %d has the weight %g", operand->source,
           operand->weight);
}

/* Every neuron stands in the program at most once, and all it reads exists. */
static void check(const struct brain *brain)
{
    const struct phenotype *p = brain->phenotype;
    ENSURE(brain->program_length >= 0 && brain->program_length <= p->neuron_count,
           "%d instructions for %d neurons", brain->program_length, p->neuron_count);
    ENSURE(brain->sensor_count == p->part_count * SENSOR_COUNT, "%d values of sensors",
           brain->sensor_count);
    for (int i = 0; i < brain->program_length; i++) {
        const struct instruction *at = &brain->program[i];
        ENSURE(at->neuron >= 0 && at->neuron < p->neuron_count, "neuron %d of %d", at->neuron,
               p->neuron_count);
        ENSURE(at->function >= 0 && at->function < NEURON_FUNCTION_COUNT, "neuron %d: function %d",
               at->neuron, at->function);
        ENSURE(brain->is_begun[at->neuron], "neuron %d was not walked to", at->neuron);
        for (int k = 0; k < NEURON_INPUTS_MAX; k++)
            check_operand(brain, &at->inputs[k]);
    }
    for (int i = 0; i < p->effector_count; i++)
        check_operand(brain, &brain->pulls[i]);
}

struct brain *brain_create(const struct phenotype *phenotype, struct arena *arena)
{
    size_t neurons = (size_t)phenotype->neuron_count;
    size_t signals = (size_t)phenotype_signal_count(phenotype);
    size_t sensor_count = (size_t)phenotype->part_count * SENSOR_COUNT;
    struct brain *brain = arena_take(arena, 1, sizeof *brain);
    int(*stack)[2] = arena_take(arena, neurons, sizeof *stack);

    if (!brain || !stack)
        return NULL;
    brain->phenotype = phenotype;
    brain->program = arena_take(arena, neurons, sizeof *brain->program);
    brain->pulls = arena_take(arena, signals, sizeof *brain->pulls);
    brain->values = arena_take(arena, 1 + neurons + sensor_count, sizeof *brain->values);
    brain->states = arena_take(arena, neurons, sizeof *brain->states);
    brain->is_begun = arena_take(arena, neurons, sizeof *brain->is_begun);
    if (!brain->program || !brain->pulls || !brain->values || !brain->states || !brain->is_begun)
        return NULL;
    brain->outputs = brain->values + 1;
    brain->sensors = brain->outputs + neurons;
    brain->sensor_count = (int)sensor_count;

    for (size_t i = 0; i < signals; i++) {
        const struct wire *wire = phenotype_signal_wire(phenotype, (int)i);
        if (wire->kind == WIRE_NEURON)
            compile_neuron(brain, wire->index, stack);
        brain->pulls[i] = make_operand(brain, wire);
    }
    check(brain);
    brain_reset(brain);
    return brain;
}

void brain_reset(struct brain *brain)
{
    const struct phenotype *phenotype = brain->phenotype;
    brain->values[0] = 1.0;
    for (int i = 0; i < phenotype->neuron_count; i++) {
        const struct neuron *neuron = &phenotype->neurons[i];
        int is_oscillator =
            neuron->function == NEURON_OSCILLATE_WAVE || neuron->function == NEURON_OSCILLATE_SAW;
        brain->outputs[i] = 0.0;
        brain->states[i] = (struct neuron_state){.value = is_oscillator ? neuron->initial : 0.0};
    }
}

/* Numbers of a neuron: output, value, and whether it is primed. */
enum { NEURON_NUMBERS = 3 };

int brain_memory_size(const struct brain *brain)
{
    return NEURON_NUMBERS * brain->phenotype->neuron_count;
}

void brain_save_memory(const struct brain *brain, double *numbers)
{
    for (int i = 0; i < brain->phenotype->neuron_count; i++) {
        *numbers++ = brain->outputs[i];
        *numbers++ = brain->states[i].value;
        *numbers++ = brain->states[i].is_primed;
    }
}

void brain_load_memory(struct brain *brain, const double *numbers)
{
    for (int i = 0; i < brain->phenotype->neuron_count; i++) {
        brain->outputs[i] = *numbers++;
        brain->states[i].value = *numbers++;
        brain->states[i].is_primed = *numbers++ != 0;
        ENSURE(isfinite(brain->outputs[i]) && isfinite(brain->states[i].value),
               "neuron %d remembers %g and %g", i, brain->outputs[i], brain->states[i].value);
    }
}

/* ---- the compiled think ---- */

static double clip_signal(double signal)
{
    if (!isfinite(signal))
        return 0.0;
    return signal > SIGNAL_MAX ? SIGNAL_MAX : signal < -SIGNAL_MAX ? -SIGNAL_MAX : signal;
}

static double pull(const double *values, const struct operand *operand)
{
    return values[operand->source] * operand->weight;
}

void brain_think(struct brain *brain, const double *sensor_values, double *signals, double dt_s)
{
    double *values = brain->values;
    ENSURE(dt_s >= 0 && values[0] == 1, "a think of %g s, with the constant %g", dt_s, values[0]);
    memcpy(brain->sensors, sensor_values, (size_t)brain->sensor_count * sizeof *sensor_values);
    for (int i = 0; i < brain->program_length; i++) {
        const struct instruction *instruction = &brain->program[i];
        double inputs[NEURON_INPUTS_MAX];
        for (int k = 0; k < NEURON_INPUTS_MAX; k++)
            inputs[k] = pull(values, &instruction->inputs[k]);
        brain->outputs[instruction->neuron] =
            neuron_evaluate((enum neuron_function)instruction->function, inputs,
                            &brain->states[instruction->neuron], dt_s);
    }
    for (int i = 0; i < phenotype_signal_count(brain->phenotype); i++)
        signals[i] = clip_signal(pull(values, &brain->pulls[i]));
}

/* ---- for viewers and measures ---- */

int brain_neuron_count(const struct brain *brain)
{
    return brain->program_length;
}

double brain_output(const struct brain *brain, int neuron)
{
    ENSURE(neuron >= 0 && neuron < brain->phenotype->neuron_count, "neuron %d of %d", neuron,
           brain->phenotype->neuron_count);
    return brain->outputs[neuron];
}

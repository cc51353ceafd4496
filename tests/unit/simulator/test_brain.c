/* The brain: hand-made wirings with numbers worked out by hand, and the compiled think against the
 * recursive definition, bit for bit, on random graphs full of cycles. */
#include "simulator/mind/brain.h"

#include "tests/plain_fixture.h"

enum { TEST_NEURONS_MAX = 48, TEST_EFFECTORS_MAX = 6, TEST_PARTS = 3, LONG_CHAIN = 4096 };

#define DT (1.0 / 120.0)

/* A phenotype of which only the brain's share is filled in. */
struct wiring {
    struct phenotype phenotype;
    struct neuron neurons[TEST_NEURONS_MAX];
    struct effector effectors[TEST_EFFECTORS_MAX];
};

/* Those of a test: empty at its beginning. */
static struct wiring w;
static double sensor_values[TEST_PARTS * SENSOR_COUNT], signals[TEST_EFFECTORS_MAX];

static void wiring_init(struct wiring *wiring)
{
    memset(wiring, 0, sizeof *wiring);
    wiring->phenotype.neurons = wiring->neurons;
    wiring->phenotype.effectors = wiring->effectors;
    wiring->phenotype.part_count = TEST_PARTS;
}

static void setup(void)
{
    arena_open(4u << 20);
    wiring_init(&w);
    memset(sensor_values, 0, sizeof sensor_values);
    memset(signals, 0, sizeof signals);
}

static struct wire constant(double value)
{
    return (struct wire){.kind = WIRE_CONSTANT, .value = value};
}

static struct wire from_neuron(int index, double weight)
{
    return (struct wire){.kind = WIRE_NEURON, .index = index, .weight = weight};
}

static struct wire from_sensor(int part, int sensor, double weight)
{
    return (struct wire){.kind = WIRE_SENSOR, .index = part, .sensor = sensor, .weight = weight};
}

static int add_neuron(int function, struct wire a, struct wire b, struct wire c)
{
    int index = w.phenotype.neuron_count++;
    w.neurons[index] = (struct neuron){.function = function, .inputs = {a, b, c}};
    return index;
}

static void add_effector(struct wire input)
{
    w.effectors[w.phenotype.effector_count++].input = input;
}

static struct brain *create(const struct wiring *wiring)
{
    struct brain *brain = brain_create(&wiring->phenotype, &arena);
    ck_assert_ptr_nonnull(brain);
    return brain;
}

static uint64_t bits(double value)
{
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}

/* ---- the definition ---- */

/* A think as simulator/mind/brain.c defines it, on the memory of a brain. */
struct walk {
    const struct phenotype *phenotype;
    const double *felt;
    double dt_s;
    double outputs[TEST_NEURONS_MAX];
    struct neuron_state states[TEST_NEURONS_MAX];
    int is_begun[TEST_NEURONS_MAX];
};

static double pull(struct walk *walk, const struct wire *wire)
{
    int i = wire->index;
    if (wire->kind == WIRE_CONSTANT)
        return wire->value;
    if (wire->kind == WIRE_SENSOR)
        return walk->felt[i * SENSOR_COUNT + wire->sensor] * wire->weight;
    if (!walk->is_begun[i]) {
        const struct neuron *neuron = &walk->phenotype->neurons[i];
        double inputs[NEURON_INPUTS_MAX];
        walk->is_begun[i] = 1;
        for (int k = 0; k < NEURON_INPUTS_MAX; k++)
            inputs[k] = pull(walk, &neuron->inputs[k]);
        walk->outputs[i] = neuron_evaluate((enum neuron_function)neuron->function, inputs,
                                           &walk->states[i], walk->dt_s);
    }
    return walk->outputs[i] * wire->weight;
}

static double clip(double signal)
{
    const double most = NEURON_OUTPUT_MAX * GENOME_WEIGHT_MAX;
    return isfinite(signal) ? fmax(-most, fmin(most, signal)) : 0;
}

static void think_recursively(const struct wiring *wiring, struct brain *brain, const double *felt,
                              double *given, double dt_s)
{
    const struct phenotype *phenotype = &wiring->phenotype;
    struct walk walk = {.phenotype = phenotype, .felt = felt, .dt_s = dt_s, .is_begun = {0}};
    double memory[3 * TEST_NEURONS_MAX], *number = memory;
    ck_assert_int_eq(brain_memory_size(brain), 3 * phenotype->neuron_count);
    brain_save_memory(brain, memory);
    for (int i = 0; i < phenotype->neuron_count; i++, number += 3) {
        walk.outputs[i] = number[0];
        walk.states[i] = (struct neuron_state){.value = number[1], .is_primed = number[2] != 0};
    }
    for (int i = 0; i < phenotype_signal_count(phenotype); i++)
        given[i] = clip(pull(&walk, phenotype_signal_wire(phenotype, i)));
    number = memory;
    for (int i = 0; i < phenotype->neuron_count; i++, number += 3) {
        number[0] = walk.outputs[i];
        number[1] = walk.states[i].value;
        number[2] = walk.states[i].is_primed;
    }
    brain_load_memory(brain, memory);
}

/* ---- hand-made ---- */

TEST(effectors_read_constants_sensors_and_neurons)
{
    sensor_values[2 * SENSOR_COUNT + SENSOR_CONTACT_LEFT] = -1.0;
    sensor_values[1 * SENSOR_COUNT + SENSOR_JOINT] = 0.25;
    int sum = add_neuron(NEURON_SUM, constant(0.5), from_sensor(1, SENSOR_JOINT, 2.0),
                         from_sensor(2, SENSOR_CONTACT_LEFT, 0.125));
    add_effector(constant(0.75));
    add_effector(from_sensor(2, SENSOR_CONTACT_LEFT, 3.0));
    add_effector(from_neuron(sum, -2.0));
    add_effector(from_neuron(sum, 1.0));

    struct brain *brain = create(&w);
    brain_think(brain, sensor_values, signals, DT);
    ck_assert_double_eq(signals[0], 0.75);
    ck_assert_double_eq(signals[1], -3.0);
    ck_assert_double_eq(signals[2], -1.75);
    ck_assert_double_eq(signals[3], 0.875);
    ck_assert_int_eq(brain_neuron_count(brain), 1);
    ck_assert_double_eq(brain_output(brain, sum), 0.875);
}

/* The signals of emitters follow those of effectors, in either form of the brain. */
TEST(emitters_have_the_last_signals)
{
    double recursive[2];
    struct emitter emitter;
    int sum = add_neuron(NEURON_SUM, constant(0.5), constant(0.25), constant(0));
    add_effector(constant(0.125));
    emitter = (struct emitter){.input = from_neuron(sum, 2.0)};
    w.phenotype.emitters = &emitter;
    w.phenotype.emitter_count = 1;
    struct brain *brain = create(&w);
    brain_think(brain, sensor_values, signals, DT);
    ck_assert(signals[0] == 0.125 && signals[1] == 1.5);
    ck_assert_int_eq(brain_neuron_count(brain), 1);
    think_recursively(&w, brain, sensor_values, recursive, DT);
    ck_assert(recursive[0] == signals[0] && recursive[1] == signals[1]);
}

/* A = B + 1, B = A + 1, pulled at A: B is evaluated inside A and reads the A of the last think. */
TEST(a_cycle_reads_the_previous_think)
{
    double signal;
    add_neuron(NEURON_SUM, from_neuron(1, 1.0), constant(1.0), constant(0.0));
    add_neuron(NEURON_SUM, from_neuron(0, 1.0), constant(1.0), constant(0.0));
    add_effector(from_neuron(0, 1.0));

    struct brain *brain = create(&w);
    for (int think = 1; think <= 4; think++) {
        brain_think(brain, sensor_values, &signal, DT);
        ck_assert_double_eq(signal, 2.0 * think);
        ck_assert_double_eq(brain_output(brain, 1), 2.0 * think - 1.0);
    }
}

/* The ring is now pulled at B first: A is the inner one. The order of effectors matters. */
TEST(the_first_effector_decides_where_a_cycle_is_cut)
{
    add_neuron(NEURON_SUM, from_neuron(1, 1.0), constant(1.0), constant(0.0));
    add_neuron(NEURON_SUM, from_neuron(0, 1.0), constant(10.0), constant(-5.0));
    add_effector(from_neuron(1, 1.0));
    add_effector(from_neuron(0, 1.0));

    struct brain *brain = create(&w);
    brain_think(brain, sensor_values, signals, DT);
    ck_assert_double_eq(signals[1], 1.0);
    ck_assert_double_eq(signals[0], 6.0);
    brain_think(brain, sensor_values, signals, DT);
    ck_assert_double_eq(signals[1], 7.0);
    ck_assert_double_eq(signals[0], NEURON_OUTPUT_MAX);
}

TEST(a_neuron_may_read_itself)
{
    double signal;
    add_neuron(NEURON_SUM, from_neuron(0, 0.5), constant(1.0), constant(0.0));
    add_effector(from_neuron(0, 1.0));

    struct brain *brain = create(&w);
    const double expected[] = {1.0, 1.5, 1.75, 1.875};
    for (int think = 0; think < 8; think++) {
        brain_think(brain, sensor_values, &signal, DT);
        ck_assert_double_eq(signal, expected[think % 4]);
        if (think == 3)
            brain_reset(brain);
    }
}

/* An integrator read by two neurons and an effector advances once in a think. */
TEST(shared_neurons_are_evaluated_once)
{
    add_neuron(NEURON_SUM, from_neuron(1, 1.0), from_neuron(1, 1.0), from_neuron(1, 1.0));
    add_neuron(NEURON_INTEGRATE, constant(1.0), constant(0.0), constant(0.0));
    add_effector(from_neuron(0, 1.0));
    add_effector(from_neuron(1, 1.0));

    struct brain *brain = create(&w);
    for (int think = 1; think <= 3; think++) {
        brain_think(brain, sensor_values, signals, 0.25);
        ck_assert_double_eq(signals[1], 0.25 * think);
        ck_assert_double_eq(signals[0], 0.75 * think);
    }
}

TEST(dead_neurons_are_left_out)
{
    double signal;
    int dead = add_neuron(NEURON_SUM, constant(1.0), from_neuron(1, 1.0), constant(0.0));
    int live = add_neuron(NEURON_SUM, constant(2.0), constant(0.0), constant(0.0));
    int self = add_neuron(NEURON_SUM, from_neuron(2, 1.0), constant(1.0), constant(0.0));
    add_effector(from_neuron(live, 1.0));

    struct brain *brain = create(&w);
    brain_think(brain, sensor_values, &signal, DT);
    ck_assert_int_eq(brain_neuron_count(brain), 1);
    ck_assert_double_eq(brain_output(brain, live), 2.0);
    ck_assert_double_eq(brain_output(brain, dead), 0.0);
    ck_assert_double_eq(brain_output(brain, self), 0.0);
}

TEST(oscillators_begin_at_their_initial_phase)
{
    add_neuron(NEURON_OSCILLATE_SAW, constant(1.0), constant(1.0), constant(0.0));
    add_neuron(NEURON_OSCILLATE_WAVE, constant(1.0), constant(2.0), constant(0.5));
    add_neuron(NEURON_INTEGRATE, constant(0.0), constant(0.0), constant(0.0));
    w.neurons[0].initial = 0.25;
    w.neurons[1].initial = 0.125;
    w.neurons[2].initial = 0.5; /* means nothing here */
    for (int i = 0; i < 3; i++)
        add_effector(from_neuron(i, 1.0));

    struct brain *brain = create(&w);
    for (int birth = 0; birth < 2; birth++) {
        brain_think(brain, sensor_values, signals, 0.125);
        ck_assert_double_eq_tol(signals[0], 2.0 * 0.375 - 1.0, 1e-15);
        ck_assert_double_eq_tol(signals[1], 2.5, 1e-15);
        ck_assert_double_eq(signals[2], 0.0);
        brain_think(brain, sensor_values, signals, 0.125);
        ck_assert_double_eq_tol(signals[0], 2.0 * 0.5 - 1.0, 1e-15);
        ck_assert_double_eq_tol(signals[1], 2.0 * sqrt(0.5) + 0.5, 1e-14);
        brain_reset(brain);
    }
}

TEST(signals_are_finite_and_bounded)
{
    double most = NEURON_OUTPUT_MAX * GENOME_WEIGHT_MAX;
    sensor_values[0] = NAN;
    sensor_values[1] = INFINITY;
    sensor_values[2] = 1e300;
    sensor_values[3] = -1e300;
    for (int i = 0; i < 4; i++)
        add_effector(from_sensor(0, i, 100.0));
    int sum = add_neuron(NEURON_SUM, from_sensor(0, 0, 1.0), from_sensor(0, 1, 1.0), constant(0.5));
    add_effector(from_neuron(sum, 1.0));

    struct brain *brain = create(&w);
    for (int is_recursive = 0; is_recursive < 2; is_recursive++) {
        if (is_recursive)
            think_recursively(&w, brain, sensor_values, signals, DT);
        else
            brain_think(brain, sensor_values, signals, DT);
        ck_assert_double_eq(signals[0], 0.0);
        ck_assert_double_eq(signals[1], 0.0);
        ck_assert_double_eq(signals[2], most);
        ck_assert_double_eq(signals[3], -most);
        ck_assert_double_eq(signals[4], 0.5);
    }
}

TEST(a_brain_without_anything_thinks)
{
    double signal = 7.0;
    struct brain *brain = create(&w);
    brain_think(brain, sensor_values, &signal, DT);
    think_recursively(&w, brain, sensor_values, &signal, DT);
    ck_assert_double_eq(signal, 7.0);
    ck_assert_int_eq(brain_neuron_count(brain), 0);
}

/* The longest possible chain compiles without deep recursion: neuron i = neuron i + 1, + 1/1024. */
TEST(a_chain_of_thousands_compiles)
{
    struct phenotype phenotype = {.neuron_count = LONG_CHAIN, .effector_count = 1};
    struct effector effector = {.input = from_neuron(0, 1.0)};
    FREED struct neuron *neurons = calloc(LONG_CHAIN, sizeof *neurons);
    double signal, sensor_value = 0.0;

    ck_assert_ptr_nonnull(neurons);
    for (int i = 0; i < LONG_CHAIN; i++) {
        neurons[i].function = NEURON_SUM;
        neurons[i].inputs[0] = i + 1 < LONG_CHAIN ? from_neuron(i + 1, 1.0) : constant(0.0);
        neurons[i].inputs[1] = constant(1.0 / 1024.0);
    }
    phenotype.neurons = neurons;
    phenotype.effectors = &effector;
    struct brain *brain = brain_create(&phenotype, &arena);
    ck_assert_ptr_nonnull(brain);
    brain_think(brain, &sensor_value, &signal, DT);
    ck_assert_double_eq(signal, LONG_CHAIN / 1024.0);
    ck_assert_int_eq(brain_neuron_count(brain), LONG_CHAIN);
}

TEST(a_full_arena_gives_no_brain)
{
    int failures = 0;
    add_neuron(NEURON_SUM, from_neuron(0, 0.5), constant(1.0), constant(0.0));
    add_effector(from_neuron(0, 1.0));
    create(&w);
    size_t needed = arena.used_bytes;
    for (size_t size = 16; size <= needed; size += 16) {
        SCOPED(arena) small;
        ck_assert_int_eq(arena_init(&small, size), 0);
        struct brain *brain = brain_create(&w.phenotype, &small);
        ck_assert_int_eq(brain != NULL, size >= needed);
        failures += brain == NULL;
    }
    ck_assert_int_gt(failures, 5);
}

/* ---- random graphs ---- */

static struct wire random_wire(struct rng *rng, int neuron_count)
{
    double weight = rng_uniform(rng, -2.0, 2.0);
    int part = (int)rng_below(rng, TEST_PARTS);
    switch (rng_below(rng, 5)) {
    case 0:
        return constant(rng_uniform(rng, -3.0, 3.0));
    case 1:
        return from_sensor(part, (int)rng_below(rng, SENSOR_COUNT), weight);
    default:
        if (neuron_count == 0)
            return constant(weight);
        return from_neuron((int)rng_below(rng, (uint32_t)neuron_count), weight);
    }
}

/* All functions, dense in cycles; now and then no neurons or no effectors at all. */
static void random_wiring(struct wiring *wiring, struct rng *rng)
{
    wiring_init(wiring);
    wiring->phenotype.neuron_count = (int)rng_below(rng, TEST_NEURONS_MAX + 1);
    wiring->phenotype.effector_count = (int)rng_below(rng, TEST_EFFECTORS_MAX + 1);
    for (int i = 0; i < wiring->phenotype.neuron_count; i++) {
        struct neuron *neuron = &wiring->neurons[i];
        neuron->function = (int)rng_below(rng, NEURON_FUNCTION_COUNT);
        neuron->initial = rng_unit(rng);
        for (int k = 0; k < neuron_functions[neuron->function].input_count; k++)
            neuron->inputs[k] = random_wire(rng, wiring->phenotype.neuron_count);
    }
    for (int i = 0; i < wiring->phenotype.effector_count; i++)
        wiring->effectors[i].input = random_wire(rng, wiring->phenotype.neuron_count);
}

/* 1 if some signal or output of the two brains differs in a bit. */
static int differs(const struct brain *a, const struct brain *b, const double *signals_a,
                   const double *signals_b)
{
    for (int i = 0; i < w.phenotype.effector_count; i++)
        if (bits(signals_a[i]) != bits(signals_b[i]))
            return 1;
    for (int i = 0; i < w.phenotype.neuron_count; i++)
        if (bits(brain_output(a, i)) != bits(brain_output(b, i)))
            return 1;
    return 0;
}

static void draw_sensors(struct rng *rng)
{
    for (int i = 0; i < TEST_PARTS * SENSOR_COUNT; i++)
        sensor_values[i] = rng_uniform(rng, -1.5, 1.5);
}

/* Thinks of both kinds side by side, b by a wiring of its own; returns the number of thinks that
 * differ. */
static int compare_thinks(struct brain *a, const struct wiring *of_b, struct brain *b,
                          struct rng *rng, int thinks)
{
    double signals_a[TEST_EFFECTORS_MAX], signals_b[TEST_EFFECTORS_MAX];
    int differing = 0;
    for (int think = 0; think < thinks; think++) {
        draw_sensors(rng);
        brain_think(a, sensor_values, signals_a, DT);
        think_recursively(of_b, b, sensor_values, signals_b, DT);
        differing += differs(a, b, signals_a, signals_b);
    }
    return differing;
}

/* Compiled thinks of two brains side by side, on the neurons' outputs alone. */
static int compare_outputs(struct brain *a, struct brain *b, struct rng *rng, int thinks)
{
    int differing = 0;
    for (int think = 0; think < thinks; think++) {
        draw_sensors(rng);
        brain_think(a, sensor_values, signals, DT);
        brain_think(b, sensor_values, signals, DT);
        differing += differs(a, b, signals, signals);
    }
    return differing;
}

TEST(compiled_equals_recursive_bit_for_bit)
{
    long live = 0;
    struct rng rng = test_rng(1, 0, 1);
    for (int graph = 0; graph < 5000; graph++) {
        random_wiring(&w, &rng);
        arena_reset(&arena);
        struct brain *a = create(&w);
        struct brain *b = create(&w);
        ck_assert_msg(compare_thinks(a, &w, b, &rng, 12) == 0, "graph %d differs", graph);
        live += brain_neuron_count(a);

        /* The two may also take turns in one brain, and a reset brings birth back. */
        brain_reset(a);
        brain_reset(b);
        ck_assert_msg(compare_thinks(b, &w, a, &rng, 3) == 0, "graph %d differs again", graph);
    }
    ck_assert_int_gt(live, 5000 * 5);
}

/* The comparison must be able to fail: the first weights changed in their last bits are found in
 * most graphs, and another order of two effectors in those where it cuts a cycle elsewhere. */
TEST(the_comparison_finds_planted_faults)
{
    struct wiring changed;
    int found_weights = 0, found_orders = 0;
    struct rng rng = test_rng(1, 0, 2);
    for (int graph = 0; graph < 300; graph++) {
        random_wiring(&w, &rng);
        w.phenotype.effector_count = 2;
        for (int i = 0; i < 2; i++)
            w.effectors[i].input =
                w.phenotype.neuron_count
                    ? from_neuron((int)rng_below(&rng, (uint32_t)w.phenotype.neuron_count), 0.01)
                    : constant(1.0);
        arena_reset(&arena);
        struct brain *brain = create(&w);

        changed = w;
        changed.phenotype.neurons = changed.neurons;
        changed.phenotype.effectors = changed.effectors;
        for (int i = 0; i < w.phenotype.neuron_count; i++)
            changed.neurons[i].inputs[0].weight =
                nextafter(changed.neurons[i].inputs[0].weight, INFINITY);
        found_weights += compare_thinks(brain, &changed, create(&changed), &rng, 12) > 0;

        changed = w;
        changed.phenotype.neurons = changed.neurons;
        changed.phenotype.effectors = changed.effectors;
        changed.effectors[0] = w.effectors[1];
        changed.effectors[1] = w.effectors[0];
        struct brain *swapped = create(&changed);
        brain_reset(brain);
        found_orders += compare_outputs(brain, swapped, &rng, 12) > 0;
    }
    ck_assert_int_gt(found_weights, 100);
    ck_assert_int_gt(found_orders, 10);
}

SUITE("brain", 60, setup, NULL)

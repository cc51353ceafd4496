/* Random genomes.
 *
 * Bodies form a random tree below the root (so all are reached, and the root has a child), to which
 * further connections are added: from anywhere to anywhere, loops included, half of them a second
 * way between two bodies that are connected already (pairs of legs, mirrored where the child is
 * symmetric). Drives move a first generation: most effectors hang on an oscillator of their own.
 * The oscillators of one creature mostly share a frequency and differ in phase, which makes a
 * repeating gait with phase lags; independent frequencies hardly ever give one, and without lags
 * linear drag forbids swimming altogether. Signals are made for angles; the weight of a linear
 * joint's effector turns them into extensions of the part's size. Other neurons are wired at
 * random; neurons that feed no effector are collected. */
#include "common/genetics/genetics_random.h"

#include <math.h>
#include <string.h>

#include "common/genome/body_kind.h"
#include "common/math/detmath.h"
#include "common/genetics/genetics_kind.h"
#include "common/genetics/genetics_wiring.h"

/* Drives: frequencies that legs of 0.1 to 0.7 m can follow, amplitudes up to most of a joint's
 * range. */
#define FREQUENCY_MIN_HZ  0.5
#define FREQUENCY_MAX_HZ  2.5
#define AMPLITUDE_MIN_RAD 0.3
#define AMPLITUDE_MAX_RAD 1.2
#define FREQUENCY_SHARED  0.75 /* share of drives at the creature's common frequency */
#define STRETCH_LEAST     0.3  /* least limit of a new stretch, by creature.stretch_max */
#define EMITTER_SHARE     0.2  /* of parts that have an emitter, of each that is switched on */
#define DRIVE_FEEDBACK    0.3  /* share of drives whose offset reads a neuron or a sensor ... */
#define FEEDBACK_WEIGHT                                                                            \
    0.3 /* ... with a weight up to this, or it would hold the joint at a limit */

/* Bodies. */
#define JOINT_SENSOR 0.5
#define OTHER_SENSOR 0.15 /* each face, rate, accelerometer axis */
#define LIGHT_SENSOR 0.3
#define STRENGTH_MIN 0.3

/* Connections. */
#define SECOND_WAY 0.5 /* share of further connections between two that are connected already */

enum { ENDS_TRIED = 4 };

/* Recursive limits 1, 2, 3, 4: as many as initial.recursion_max allows at most. */
static const double recursion_weights[4] = {0.7, 0.2, 0.07, 0.03};

int genetics_has_mover(const struct genome *genome, int row)
{
    ENSURE(row >= 0 && row < genome->body_count, "the mover of body %d of %d", row,
           genome->body_count);
    return genetics_kind_of(genome)->has_mover(genome, row);
}

int genetics_has_joint(const struct genome *genome, int row)
{
    const struct body_gene *body = &genome->bodies[row];
    int i;

    ENSURE(row >= 0 && row < genome->body_count, "the joint of body %d of %d", row,
           genome->body_count);
    if (body->id == genome->root && body->recursive_limit == 1)
        return 0;

    for (i = 0; body->joint != JOINT_RIGID && i < genome->connection_count; i++)
        if (genome->connections[i].to == body->id)
            return 1;
    return 0;
}

double genetics_random_length(double low_m, double high_m, struct rng *rng)
{
    ENSURE(low_m > 0 && high_m >= low_m, "a length of %g to %g m", low_m, high_m);
    double least = fmin(low_m, high_m), most = fmax(low_m, high_m);
    ENSURE(least > 0, "a length between %g and %g m", low_m, high_m);
    double length = det_exp(rng_uniform(rng, det_log(least), det_log(most)));

    return fmin(fmax(length, least), most);
}

int genetics_is_oscillator(int function)
{
    return function == NEURON_OSCILLATE_WAVE || function == NEURON_OSCILLATE_SAW;
}

static double sensor_share(int sensor)
{
    if (sensor == SENSOR_JOINT)
        return JOINT_SENSOR;
    return sight_of(sensor) >= 0 ? LIGHT_SENSOR : OTHER_SENSOR;
}

static uint64_t draw_sensors(int kind, const struct params *params, struct rng *rng)
{
    uint64_t set = 0, possible = sensors_drawn(kind, params);
    int sensor;

    for (sensor = 0; sensor < SENSOR_COUNT; sensor++)
        if ((possible & SENSOR_BIT(sensor)) && rng_chance(rng, sensor_share(sensor)))
            set |= SENSOR_BIT(sensor);
    return set & sensors_switched_on(params);
}

double genetics_signal_unit(const struct body_gene *body, const struct params *params)
{
    int is_extension =
        body->joint == JOINT_LINEAR && params->creature_effector_mode == EFFECTOR_POSITION;

    return is_extension ? genome_reach_m(body) : 1;
}

void genetics_set_joint(struct body_gene *body, int joint, const struct params *params,
                        struct rng *rng)
{
    double reach = genome_reach_m(body), unit_before = genetics_signal_unit(body, params);
    double factor = joint == JOINT_LINEAR ? reach : body->joint == JOINT_LINEAR ? 1 / reach : 1;
    double most = genome_limit_max(joint), weight = body->effector_input.weight;

    body->joint = (uint8_t)joint;
    body->lower = fmin(fmax(body->lower * factor, -most), 0);
    body->upper = fmin(fmax(body->upper * factor, 0), most);
    weight *= genetics_signal_unit(body, params) / unit_before;
    body->effector_input.weight = fmin(fmax(weight, -GENOME_WEIGHT_MAX), GENOME_WEIGHT_MAX);
}

int genetics_random_body(struct genome *genome, const struct params *params, struct rng *rng,
                         struct gene_counter *ids)
{
    int recursion_choices = (int)params->initial_recursion_max;
    struct body_gene *body;

    if (genome->body_count == GENOME_BODIES_MAX)
        return ERR_LIMIT;
    body = genome_add_body(genome);
    if (!body)
        return ERR_MEMORY;
    body->id = gene_counter_next(ids);
    genetics_kind_of(genome)->draw_body(body, params, rng);
    body->recursive_limit = (uint8_t)(1 + rng_pick(rng, recursion_weights, recursion_choices));
    body->is_symmetric = (uint8_t)rng_chance(rng, params->initial_symmetric);
    body->sensors = draw_sensors(genome->kind, params, rng);
    return 0;
}

/* Appends a row with its ends: 0, ERR_LIMIT or ERR_MEMORY. */
static int add_ends(struct genome *genome, gene_id from, gene_id to, struct gene_counter *ids,
                    struct connection_gene **connection)
{
    ENSURE(genome_find_body(genome, from) >= 0 && genome_find_body(genome, to) >= 0,
           "a connection from gene %llu to gene %llu, which are no bodies",
           (unsigned long long)from, (unsigned long long)to);
    if (genome->connection_count == GENOME_CONNECTIONS_MAX)
        return ERR_LIMIT;
    *connection = genome_add_connection(genome);
    if (!*connection)
        return ERR_MEMORY;
    (*connection)->id = gene_counter_next(ids);
    (*connection)->from = from;
    (*connection)->to = to;
    return 0;
}

int genetics_random_connection(struct genome *genome, gene_id from, gene_id to,
                               const struct params *params, struct rng *rng,
                               struct gene_counter *ids)
{
    struct connection_gene *connection;
    int status = add_ends(genome, from, to, ids, &connection);

    if (!status)
        genetics_kind_of(genome)->draw_connection(genome, params, rng);
    return status;
}

int genetics_random_brace(struct genome *genome, gene_id from, gene_id to,
                          const struct params *params, struct rng *rng, struct gene_counter *ids)
{
    struct connection_gene *connection;
    ENSURE(genetics_kind_of(genome)->draw_brace, "bodies of kind %d have no braces", genome->kind);
    int status = add_ends(genome, from, to, ids, &connection);

    if (!status)
        genetics_kind_of(genome)->draw_brace(connection, params, rng);
    return status;
}

int genetics_taper(struct genome *genome, const struct genome *a, const struct genome *b,
                   const struct params *params)
{
    const struct genetics_kind *kind = genetics_kind_of(genome);
    return kind->taper && params->initial_taper > 0 && kind->taper(genome, a, b, params);
}

/* Mirrored copies take turns; along a row goes a wave of any length. */
static void draw_lags(struct neuron_gene *neuron, const struct params *params, struct rng *rng)
{
    if (rng_chance(rng, params->initial_lags))
        neuron->lag_image = 0.5;
    if (rng_chance(rng, params->initial_lags))
        neuron->lag_row = rng_unit(rng);
}

static int add_neuron(struct genome *genome, gene_id owner, int function,
                      const struct params *params, struct rng *rng, struct gene_counter *ids)
{
    struct neuron_gene *neuron;
    int k;

    ENSURE(function >= 0 && function < NEURON_FUNCTION_COUNT, "a neuron of function %d of %d",
           function, NEURON_FUNCTION_COUNT);
    ENSURE(owner == 0 || genome_find_body(genome, owner) >= 0,
           "a neuron of gene %llu, which is no body", (unsigned long long)owner);
    if (genome->neuron_count == GENOME_NEURONS_MAX)
        return ERR_LIMIT;
    neuron = genome_add_neuron(genome);
    if (!neuron)
        return ERR_MEMORY;
    neuron->id = gene_counter_next(ids);
    neuron->owner = owner;
    neuron->function = (uint8_t)function;
    neuron->initial = genetics_is_oscillator(function) ? rng_unit(rng) : 0;
    /* where none lags nothing is drawn, and all else is as it was */
    if (genetics_is_oscillator(function) && params->initial_lags > 0)
        draw_lags(neuron, params, rng);
    for (k = 0; k < neuron_functions[function].input_count; k++)
        wiring_set_constant(&neuron->inputs[k], 0);
    return 0;
}

static uint32_t allowed_functions(const struct params *params)
{
    struct error error;
    uint32_t set;

    ENSURE(!neuron_parse_set(params->initial_functions, &set, &error), "%s", error.message);
    return set;
}

/* Counted on from `except`. */
int genetics_random_function(const struct params *params, int except, struct rng *rng)
{
    uint32_t set = allowed_functions(params);
    int function, count = 0, wanted;

    if (except >= 0)
        set &= ~NEURON_BIT(except);
    for (function = 0; function < NEURON_FUNCTION_COUNT; function++)
        count += (set & NEURON_BIT(function)) != 0;
    if (count == 0)
        return -1;
    wanted = (int)rng_below(rng, (uint32_t)count);
    for (function = except;;) {
        function = (function + 1) % NEURON_FUNCTION_COUNT;
        if ((set & NEURON_BIT(function)) && wanted-- == 0)
            return function;
    }
}

int genetics_random_neuron(struct genome *genome, gene_id owner, const struct params *params,
                           struct rng *rng, struct gene_counter *ids)
{
    return add_neuron(genome, owner, genetics_random_function(params, -1, rng), params, rng, ids);
}

static double draw_frequency_hz(struct rng *rng)
{
    return rng_uniform(rng, FREQUENCY_MIN_HZ, FREQUENCY_MAX_HZ);
}

/* Inputs of an oscillator: frequency, amplitude, offset. */
static void wire_oscillator(struct neuron_gene *neuron, double frequency_hz, struct rng *rng)
{
    wiring_set_constant(&neuron->inputs[0], frequency_hz);
    wiring_set_constant(&neuron->inputs[1], rng_uniform(rng, AMPLITUDE_MIN_RAD, AMPLITUDE_MAX_RAD));
    wiring_set_constant(&neuron->inputs[2], 0);
}

void genetics_random_inputs(const struct genome *genome, struct neuron_gene *neuron, int first,
                            struct rng *rng)
{
    int k;

    if (first == 0 && genetics_is_oscillator(neuron->function)) {
        wire_oscillator(neuron, genetics_random_frequency_hz(genome, rng), rng);
        return;
    }
    for (k = first; k < neuron_functions[neuron->function].input_count; k++)
        wiring_draw(genome, neuron->owner, rng, &neuron->inputs[k]);
}

double genetics_random_frequency_hz(const struct genome *genome, struct rng *rng)
{
    int is_shared = rng_chance(rng, FREQUENCY_SHARED);
    int i;

    for (i = 0; is_shared && i < genome->neuron_count; i++) {
        const struct neuron_gene *neuron = &genome->neurons[i];

        if (neuron->function == NEURON_OSCILLATE_WAVE && neuron->inputs[0].kind == INPUT_CONSTANT &&
            neuron->inputs[0].value != 0)
            return neuron->inputs[0].value;
    }
    return draw_frequency_hz(rng);
}

/* A neuron or a sensor where there is one. */
static void draw_signal(const struct genome *genome, gene_id owner, struct rng *rng,
                        struct input_gene *input)
{
    enum input_kind kind = rng_chance(rng, 0.6) ? INPUT_NEURON : INPUT_SENSOR;
    enum input_kind other = kind == INPUT_NEURON ? INPUT_SENSOR : INPUT_NEURON;

    if (!wiring_draw_source(genome, owner, kind, rng, input) &&
        !wiring_draw_source(genome, owner, other, rng, input))
        wiring_draw(genome, owner, rng, input);
}

/* The function of drives: the wave where it may arise, else the saw, else -1. */
static int drive_function(const struct params *params)
{
    uint32_t set = allowed_functions(params);

    return set & NEURON_BIT(NEURON_OSCILLATE_WAVE)  ? NEURON_OSCILLATE_WAVE
           : set & NEURON_BIT(NEURON_OSCILLATE_SAW) ? NEURON_OSCILLATE_SAW
                                                    : -1;
}

static int add_drive(struct genome *genome, gene_id owner, int function, double frequency_hz,
                     const struct params *params, struct rng *rng, struct gene_counter *ids)
{
    int status = add_neuron(genome, owner, function, params, rng, ids);
    struct neuron_gene *drive;

    if (status)
        return status;
    drive = &genome->neurons[genome->neuron_count - 1];
    wire_oscillator(drive, frequency_hz, rng);
    if (rng_chance(rng, DRIVE_FEEDBACK)) {
        drive->inputs[2].weight = rng_uniform(rng, -FEEDBACK_WEIGHT, FEEDBACK_WEIGHT);
        draw_signal(genome, owner, rng, &drive->inputs[2]);
    }
    return 0;
}

/* The inputs of all drives of a body. */
static int draw_drives(struct genome *genome, int row, const struct params *params, struct rng *rng,
                       struct gene_counter *ids)
{
    int function = drive_function(params), status = 0, i;

    for (i = 0; status != ERR_MEMORY && i < genome_drive_count(&genome->bodies[row]); i++) {
        struct body_gene *body = &genome->bodies[row];
        struct input_gene *input = &body->drives[i];
        int is_driven = function >= 0 && rng_chance(rng, params->initial_oscillators);

        if (is_driven)
            status = add_drive(genome, body->id, function,
                               genetics_random_frequency_hz(genome, rng), params, rng, ids);
        input->weight = rng_uniform(rng, 0.8, 1.2);
        if (is_driven && !status)
            wiring_lead(genome, body->id, &genome->neurons[genome->neuron_count - 1], input);
        else
            draw_signal(genome, body->id, rng, input);
    }
    return status == ERR_MEMORY ? status : 0;
}

static int add_effector(struct genome *genome, int row, int is_driven, double frequency_hz,
                        const struct params *params, struct rng *rng, struct gene_counter *ids)
{
    struct body_gene *body = &genome->bodies[row];
    int function = drive_function(params), status = 0;

    is_driven = is_driven && function >= 0;
    if (is_driven)
        status = add_drive(genome, body->id, function, frequency_hz, params, rng, ids);
    if (status == ERR_MEMORY)
        return status;
    body->has_effector = 1;
    body->effector_strength = rng_uniform(rng, STRENGTH_MIN, 1);
    body->effector_input.weight = rng_uniform(rng, 0.8, 1.2) * genetics_signal_unit(body, params);
    if (is_driven && !status)
        wiring_lead(genome, body->id, &genome->neurons[genome->neuron_count - 1],
                    &body->effector_input);
    else
        draw_signal(genome, body->id, rng, &body->effector_input);
    return genome_effector_count(body) > 1 ? draw_drives(genome, row, params, rng, ids) : 0;
}

int genetics_random_effector(struct genome *genome, int row, double frequency_hz,
                             const struct params *params, struct rng *rng, struct gene_counter *ids)
{
    ENSURE(row >= 0 && row < genome->body_count, "an effector of body %d of %d", row,
           genome->body_count);
    return add_effector(genome, row, rng_chance(rng, params->initial_oscillators), frequency_hz,
                        params, rng, ids);
}

int genetics_random_drive(struct genome *genome, int row, const struct params *params,
                          struct rng *rng, struct gene_counter *ids)
{
    ENSURE(row >= 0 && row < genome->body_count, "a drive of body %d of %d", row,
           genome->body_count);
    genome->bodies[row].drive_strength = rng_uniform(rng, STRENGTH_MIN, 1);
    return draw_drives(genome, row, params, rng, ids);
}

void genetics_random_emitter(struct genome *genome, int row, int emitter, struct rng *rng)
{
    struct body_gene *body = &genome->bodies[row];

    ENSURE(row >= 0 && row < genome->body_count, "an emitter of body %d of %d", row,
           genome->body_count);
    ENSURE(emitter >= 0 && emitter < EMITTER_COUNT, "emitter %d of %d", emitter, EMITTER_COUNT);
    body->emitters[emitter].is_there = 1;
    body->emitters[emitter].input.weight = rng_uniform(rng, 0.8, 1.2);
    draw_signal(genome, body->id, rng, &body->emitters[emitter].input);
}

static int add_bodies(struct genome *genome, const struct params *params, struct rng *rng,
                      struct gene_counter *ids)
{
    int64_t low = params->initial_bodies_min, high = params->initial_bodies_max;
    int64_t count = low + (high > low ? rng_below(rng, (uint32_t)(high - low + 1)) : 0);
    int status = 0;

    while (!status && genome->body_count < count)
        status = genetics_random_body(genome, params, rng, ids);
    return status;
}

/* A lone body is connected to itself, so that there is a second part. */
static int connect_tree(struct genome *genome, const struct params *params, struct rng *rng,
                        struct gene_counter *ids)
{
    const struct body_gene *bodies = genome->bodies;
    int i, status = 0;

    if (genome->body_count == 1) {
        if (genome->bodies[0].recursive_limit < 2)
            genome->bodies[0].recursive_limit = 2;
        return genetics_random_connection(genome, bodies[0].id, bodies[0].id, params, rng, ids);
    }
    for (i = 1; !status && i < genome->body_count; i++)
        status = genetics_random_connection(genome, bodies[rng_below(rng, (uint32_t)i)].id,
                                            bodies[i].id, params, rng, ids);
    return status;
}

/* Ends of a further connection. One that leads back (to the same body, or one nearer the root) is
 * followed only by bodies that may occur again, so such ends are drawn again a few times. */
static void draw_ends(const struct genome *genome, struct rng *rng, gene_id *from, gene_id *to)
{
    int i = 0, row, target;

    do {
        row = (int)rng_below(rng, (uint32_t)genome->body_count);
        target = (int)rng_below(rng, (uint32_t)genome->body_count);
    } while (target <= row && genome->bodies[target].recursive_limit == 1 && ++i < ENDS_TRIED);
    *from = genome->bodies[row].id;
    *to = genome->bodies[target].id;
}

static int connect_further(struct genome *genome, const struct params *params, struct rng *rng,
                           struct gene_counter *ids)
{
    double wanted = params->initial_connections * genome->body_count;
    int count = (int)wanted + rng_chance(rng, wanted - (int)wanted);
    int status = 0;

    while (!status && genome->connection_count < count) {
        int row = (int)rng_below(rng, (uint32_t)genome->connection_count);
        gene_id from = genome->connections[row].from, to = genome->connections[row].to;

        if (!rng_chance(rng, SECOND_WAY))
            draw_ends(genome, rng, &from, &to);
        status = genetics_random_connection(genome, from, to, params, rng, ids);
    }
    return status;
}

/* Most close a triangle or a ring. */
static int add_braces(struct genome *genome, const struct params *params, struct rng *rng,
                      struct gene_counter *ids)
{
    double wanted = params->spheres_initial_braces * genome->body_count;
    int count = (int)wanted + rng_chance(rng, wanted - (int)wanted);
    int status = 0;

    while (!status && count-- > 0) {
        int from = (int)rng_below(rng, (uint32_t)genome->body_count);
        int to = (int)rng_below(rng, (uint32_t)genome->body_count);

        status = genetics_random_brace(genome, genome->bodies[from].id, genome->bodies[to].id,
                                       params, rng, ids);
    }
    return status;
}

static int add_neurons(struct genome *genome, const struct params *params, struct rng *rng,
                       struct gene_counter *ids)
{
    int i, status = 0;

    /* The central set counts as one more place, the last. */
    for (i = 0; i <= genome->body_count; i++) {
        int is_central = i == genome->body_count;
        int64_t most = is_central ? params->initial_central_max : params->initial_neurons_max;
        gene_id owner = is_central ? 0 : genome->bodies[i].id;
        uint32_t count = rng_below(rng, (uint32_t)most + 1);

        for (; !status && count > 0; count--)
            status = genetics_random_neuron(genome, owner, params, rng, ids);
    }
    return status;
}

static int is_driven_by_oscillator(const struct genome *genome, const struct body_gene *body)
{
    const struct input_gene *input = &body->effector_input;
    int row = body->has_effector && input->kind == INPUT_NEURON
                  ? genome_find_neuron(genome, input->source)
                  : -1;

    return row >= 0 && genetics_is_oscillator(genome->neurons[row].function);
}

/* By chance every fourth creature has no oscillating joint, and most of these lie motionless: then
 * one of the joints, if there is any, gets a drive (unless effectors or oscillators are not
 * wanted). */
static int ensure_drive(struct genome *genome, double frequency_hz, const struct params *params,
                        struct rng *rng, struct gene_counter *ids)
{
    int jointed[GENOME_BODIES_MAX], count = 0, i;

    for (i = 0; i < genome->body_count; i++)
        if (genetics_has_mover(genome, i)) {
            if (is_driven_by_oscillator(genome, &genome->bodies[i]))
                return 0;
            jointed[count++] = i;
        }
    if (count == 0 || params->initial_effectors == 0 || params->initial_oscillators == 0 ||
        drive_function(params) < 0)
        return 0;
    return add_effector(genome, jointed[rng_below(rng, (uint32_t)count)], 1, frequency_hz, params,
                        rng, ids);
}

static int add_effectors(struct genome *genome, const struct params *params, struct rng *rng,
                         struct gene_counter *ids)
{
    double common_hz = draw_frequency_hz(rng);
    int i, status = 0;

    for (i = 0; !status && i < genome->body_count; i++) {
        double frequency_hz =
            rng_chance(rng, FREQUENCY_SHARED) ? common_hz : draw_frequency_hz(rng);

        if (genetics_has_mover(genome, i) && rng_chance(rng, params->initial_effectors))
            status = genetics_random_effector(genome, i, frequency_hz, params, rng, ids);
        if (!status && joint_types[genome->bodies[i].joint].driven_axes > 0 &&
            rng_chance(rng, params->initial_effectors))
            status = genetics_random_drive(genome, i, params, rng, ids);
    }
    return status ? status : ensure_drive(genome, common_hz, params, rng, ids);
}

int genetics_random_stretch(struct genome *genome, int row, const struct params *params,
                            struct rng *rng, struct gene_counter *ids)
{
    double frequency_hz = genetics_random_frequency_hz(genome, rng);
    int is_driven = rng_chance(rng, params->initial_oscillators);
    int function = drive_function(params), status = 0;
    struct body_gene *body = &genome->bodies[row];

    if (is_driven && function >= 0)
        status = add_drive(genome, body->id, function, frequency_hz, params, rng, ids);
    if (status == ERR_MEMORY)
        return status;
    body->stretch.limit = params->creature_stretch_max * rng_uniform(rng, STRETCH_LEAST, 1);
    body->stretch.input.weight = rng_uniform(rng, 0.8, 1.2);
    if (is_driven && function >= 0 && !status)
        wiring_lead(genome, body->id, &genome->neurons[genome->neuron_count - 1],
                    &body->stretch.input);
    else
        draw_signal(genome, body->id, rng, &body->stretch.input);
    return 0;
}

static int add_stretches(struct genome *genome, const struct params *params, struct rng *rng,
                         struct gene_counter *ids)
{
    int i, status = 0;

    if (!body_kinds[genome->kind].can_stretch || params->creature_stretch_max <= 0)
        return 0;
    for (i = 0; !status && i < genome->body_count; i++)
        if (rng_chance(rng, params->initial_stretching))
            status = genetics_random_stretch(genome, i, params, rng, ids);
    return status;
}

/* No draw is made for features that are switched off. */
static void add_emitters(struct genome *genome, const struct params *params, struct rng *rng)
{
    int i, k;

    if (!body_kinds[genome->kind].can_contend)
        return;
    for (i = 0; i < genome->body_count; i++)
        for (k = 0; k < EMITTER_COUNT; k++)
            if (emitter_is_on(k, params) && rng_chance(rng, EMITTER_SHARE))
                genetics_random_emitter(genome, i, k, rng);
}

/* Neurons are wired after everything they may read is there; drives, which come last, already are.
 * A full table ends a step, not the genome. */
static int fill_brain(struct genome *genome, const struct params *params, struct rng *rng,
                      struct gene_counter *ids)
{
    int i, plain_count;

    if (add_neurons(genome, params, rng, ids) == ERR_MEMORY)
        return ERR_MEMORY;
    plain_count = genome->neuron_count;
    if (add_effectors(genome, params, rng, ids) == ERR_MEMORY)
        return ERR_MEMORY;
    add_emitters(genome, params, rng);
    if (add_stretches(genome, params, rng, ids) == ERR_MEMORY)
        return ERR_MEMORY;
    for (i = 0; i < plain_count; i++)
        genetics_random_inputs(genome, &genome->neurons[i], 0, rng);
    return 0;
}

static int fill(struct genome *genome, const struct params *params, struct rng *rng,
                struct gene_counter *ids)
{
    if (add_bodies(genome, params, rng, ids) == ERR_MEMORY)
        return ERR_MEMORY;
    genome->root = genome->bodies[0].id;
    genetics_kind_of(genome)->enlarge(&genome->bodies[0], params, rng);
    if (connect_tree(genome, params, rng, ids) == ERR_MEMORY ||
        connect_further(genome, params, rng, ids) == ERR_MEMORY)
        return ERR_MEMORY;
    genetics_taper(genome, NULL, NULL, params);
    if (genetics_kind_of(genome)->draw_brace && add_braces(genome, params, rng, ids) == ERR_MEMORY)
        return ERR_MEMORY;
    return fill_brain(genome, params, rng, ids);
}

/* Neither neurons nor anything that reads them. */
static void clear_brain(struct genome *genome)
{
    int i;

    while (genome->neuron_count > 0)
        genome_remove_neuron(genome, genome->neuron_count - 1);
    for (i = 0; i < genome->body_count; i++) {
        struct body_gene *body = &genome->bodies[i];

        body->has_effector = 0;
        body->effector_strength = 0;
        body->drive_strength = 0;
        memset(&body->effector_input, 0, sizeof(body->effector_input));
        memset(body->drives, 0, sizeof(body->drives));
        memset(body->emitters, 0, sizeof(body->emitters));
        memset(&body->stretch, 0, sizeof(body->stretch));
    }
}

/* The strength of effectors and drives belongs to the body, and emitters do: a body that had them
 * keeps theirs, and no other gets any. */
static void keep_strengths(struct genome *genome, const struct genome *before)
{
    int i, k;

    for (i = 0; i < genome->body_count; i++) {
        struct body_gene *body = &genome->bodies[i];
        const struct body_gene *old = &before->bodies[i];

        ENSURE(body->id == old->id, "body %d became another gene with its new brain", i);
        body->has_effector = old->has_effector;
        body->effector_strength = old->effector_strength;
        if (!body->has_effector)
            memset(&body->effector_input, 0, sizeof(body->effector_input));
        body->drive_strength = old->drive_strength;
        for (k = genome_drive_count(body); k < GENOME_DRIVES_MAX; k++)
            memset(&body->drives[k], 0, sizeof(body->drives[k]));
        /* inputs that read what is gone are drawn again when the genome is tidied */
        memcpy(body->emitters, old->emitters, sizeof(body->emitters));
        if (old->stretch.limit != 0 && body->stretch.limit != 0)
            body->stretch.limit = old->stretch.limit;
        else
            body->stretch = old->stretch;
    }
}

int genetics_random_brain(struct genome *genome, const struct params *params, struct rng *rng,
                          struct gene_counter *ids)
{
    struct params all = *params; /* all joints that can be driven are */
    struct genome made;

    all.initial_effectors = 1;
    gene_counter_avoid(ids, genome, NULL);
    if (genome_copy(&made, genome))
        return ERR_MEMORY;
    clear_brain(&made);
    if (fill_brain(&made, &all, rng, ids) == ERR_MEMORY) {
        genome_deinit(&made);
        return ERR_MEMORY;
    }
    keep_strengths(&made, genome);
    wiring_tidy(&made, rng);
    CHECK_DEARLY(genetics_check(&made));
    genome_deinit(genome);
    *genome = made;
    return 0;
}

int genetics_random(struct genome *genome, const struct params *params, struct rng *rng,
                    struct gene_counter *ids)
{
    genome_init(genome);
    genome->kind = (uint8_t)params->creature_body;
    if (fill(genome, params, rng, ids)) {
        genome_deinit(genome);
        return ERR_MEMORY;
    }
    wiring_tidy(genome, rng);
    if (params->breeding_choice == CHOICE_INHERITED)
        genome->breeding = (uint8_t)genetics_draw_breeding(params, rng);
    CHECK_DEARLY(genetics_check(genome));
    return 0;
}

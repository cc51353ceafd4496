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

int maker_below(struct maker *maker, int bound)
{
    ENSURE(bound > 0, "one of %d", bound);
    return (int)rng_below(maker->rng, (uint32_t)bound);
}

int genetics_has_mover(const struct genome *genome, int row)
{
    ENSURE(row >= 0 && row < genome->body_count, "the mover of body %d of %d", row,
           genome->body_count);
    return genetics_kind_of(genome)->has_mover(genome, row);
}

int genetics_has_joint(const struct genome *genome, int row)
{
    const struct body_gene *body = &genome->bodies[row];
    ENSURE(row >= 0 && row < genome->body_count, "the joint of body %d of %d", row,
           genome->body_count);
    if (body->id == genome->root && body->recursive_limit == 1)
        return 0;

    for (int i = 0; body->joint != JOINT_RIGID && i < genome->connection_count; i++)
        if (genome->connections[i].to == body->id)
            return 1;
    return 0;
}

double genetics_random_length(double low_m, double high_m, struct rng *rng)
{
    ENSURE(low_m > 0 && high_m >= low_m, "a length of %g to %g m", low_m, high_m);
    double length = det_exp(rng_uniform(rng, det_log(low_m), det_log(high_m)));

    return det_min(det_max(length, low_m), high_m);
}

static double sensor_share(int sensor)
{
    if (sensor == SENSOR_JOINT)
        return JOINT_SENSOR;
    return sight_of(sensor) >= 0 ? LIGHT_SENSOR : OTHER_SENSOR;
}

static uint64_t draw_sensors(struct maker *maker)
{
    uint64_t set = 0, possible = sensors_drawn(maker->genome->kind, maker->params);
    for (int sensor = 0; sensor < SENSOR_COUNT; sensor++)
        if ((possible & SENSOR_BIT(sensor)) && rng_chance(maker->rng, sensor_share(sensor)))
            set |= SENSOR_BIT(sensor);
    return set & sensors_switched_on(maker->params);
}

double genetics_signal_unit(const struct body_gene *body, const struct params *params)
{
    int is_extension =
        body->joint == JOINT_LINEAR && params->creature_effector_mode == EFFECTOR_POSITION;
    return is_extension ? genome_reach_m(body) : 1;
}

int genetics_random_body(struct maker *maker)
{
    int recursion_choices = (int)maker->params->initial_recursion_max;
    struct body_gene *body = genome_add(maker->genome, GENOME_BODIES);
    if (!body)
        return genome_refusal(maker->genome, GENOME_BODIES);
    body->id = gene_counter_next(maker->ids);
    genetics_kind_of(maker->genome)->draw_body(maker, body);
    body->recursive_limit =
        (uint8_t)(1 + rng_pick(maker->rng, recursion_weights, recursion_choices));
    body->is_symmetric = (uint8_t)rng_chance(maker->rng, maker->params->initial_symmetric);
    body->sensors = draw_sensors(maker);
    return 0;
}

int genetics_random_connection(struct maker *maker, gene_id from, gene_id to, int is_brace)
{
    const struct genetics_kind *kind = genetics_kind_of(maker->genome);
    ENSURE(genome_find_body(maker->genome, from) >= 0 && genome_find_body(maker->genome, to) >= 0,
           "a connection from gene %llu to gene %llu, which are no bodies",
           (unsigned long long)from, (unsigned long long)to);
    ENSURE(!is_brace || kind->draw_brace, "bodies of kind %d have no braces", maker->genome->kind);
    struct connection_gene *connection = genome_add(maker->genome, GENOME_CONNECTIONS);
    if (!connection)
        return genome_refusal(maker->genome, GENOME_CONNECTIONS);
    connection->id = gene_counter_next(maker->ids);
    connection->from = from;
    connection->to = to;
    (is_brace ? kind->draw_brace : kind->draw_connection)(maker, connection);
    return 0;
}

int genetics_taper(struct maker *maker, const struct genome *a, const struct genome *b)
{
    const struct genetics_kind *kind = genetics_kind_of(maker->genome);
    return kind->taper && maker->params->initial_taper > 0 && kind->taper(maker, a, b);
}

/* Mirrored copies take turns; along a row goes a wave of any length. */
static void draw_lags(struct maker *maker, struct neuron_gene *neuron)
{
    if (rng_chance(maker->rng, maker->params->initial_lags))
        neuron->lag_image = 0.5;
    if (rng_chance(maker->rng, maker->params->initial_lags))
        neuron->lag_row = rng_unit(maker->rng);
}

static int add_neuron(struct maker *maker, gene_id owner, int function)
{
    ENSURE(function >= 0 && function < NEURON_FUNCTION_COUNT, "a neuron of function %d of %d",
           function, NEURON_FUNCTION_COUNT);
    ENSURE(owner == 0 || genome_find_body(maker->genome, owner) >= 0,
           "a neuron of gene %llu, which is no body", (unsigned long long)owner);
    struct neuron_gene *neuron = genome_add(maker->genome, GENOME_NEURONS);
    if (!neuron)
        return genome_refusal(maker->genome, GENOME_NEURONS);
    neuron->id = gene_counter_next(maker->ids);
    neuron->owner = owner;
    neuron->function = (uint8_t)function;
    neuron->initial = genome_is_oscillator(function) ? rng_unit(maker->rng) : 0;
    /* where none lags nothing is drawn, and all else is as it was */
    if (genome_is_oscillator(function) && maker->params->initial_lags > 0)
        draw_lags(maker, neuron);
    for (int k = 0; k < neuron_functions[function].input_count; k++)
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
int genetics_random_function(struct maker *maker, int except)
{
    uint32_t set = allowed_functions(maker->params);
    if (except >= 0)
        set &= ~NEURON_BIT(except);
    int count = __builtin_popcount(set);
    if (count == 0)
        return -1;
    int wanted = maker_below(maker, count);
    for (int function = except;;) {
        function = (function + 1) % NEURON_FUNCTION_COUNT;
        if ((set & NEURON_BIT(function)) && wanted-- == 0)
            return function;
    }
}

int genetics_random_neuron(struct maker *maker, gene_id owner)
{
    return add_neuron(maker, owner, genetics_random_function(maker, -1));
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

void genetics_random_inputs(struct maker *maker, struct neuron_gene *neuron)
{
    if (genome_is_oscillator(neuron->function)) {
        wire_oscillator(neuron, genetics_random_frequency_hz(maker), maker->rng);
        return;
    }
    for (int k = 0; k < neuron_functions[neuron->function].input_count; k++)
        wiring_draw(maker, neuron->owner, &neuron->inputs[k]);
}

double genetics_random_frequency_hz(struct maker *maker)
{
    int is_shared = rng_chance(maker->rng, FREQUENCY_SHARED);
    for (int i = 0; is_shared && i < maker->genome->neuron_count; i++) {
        const struct neuron_gene *neuron = &maker->genome->neurons[i];

        if (neuron->function == NEURON_OSCILLATE_WAVE && neuron->inputs[0].kind == INPUT_CONSTANT &&
            neuron->inputs[0].value != 0)
            return neuron->inputs[0].value;
    }
    return draw_frequency_hz(maker->rng);
}

/* A neuron or a sensor where there is one. */
static void draw_signal(struct maker *maker, gene_id owner, struct input_gene *input)
{
    enum input_kind kind = rng_chance(maker->rng, 0.6) ? INPUT_NEURON : INPUT_SENSOR;
    enum input_kind other = kind == INPUT_NEURON ? INPUT_SENSOR : INPUT_NEURON;
    if (!wiring_draw_source(maker, owner, kind, input) &&
        !wiring_draw_source(maker, owner, other, input))
        wiring_draw(maker, owner, input);
}

/* The function of drives: the wave where it may arise, else the saw, else -1. */
static int drive_function(const struct params *params)
{
    uint32_t set = allowed_functions(params);
    return set & NEURON_BIT(NEURON_OSCILLATE_WAVE)  ? NEURON_OSCILLATE_WAVE
           : set & NEURON_BIT(NEURON_OSCILLATE_SAW) ? NEURON_OSCILLATE_SAW
                                                    : -1;
}

/* Adds an oscillator. 1; or 0 where none may arise or there is no room, or ERR_MEMORY. */
static int add_drive(struct maker *maker, gene_id owner, double frequency_hz)
{
    int function = drive_function(maker->params);
    int status = function < 0 ? ERR_LIMIT : add_neuron(maker, owner, function);
    if (status)
        return status == ERR_MEMORY ? status : 0;
    struct neuron_gene *drive = &maker->genome->neurons[maker->genome->neuron_count - 1];
    wire_oscillator(drive, frequency_hz, maker->rng);
    if (rng_chance(maker->rng, DRIVE_FEEDBACK)) {
        drive->inputs[2].weight = rng_uniform(maker->rng, -FEEDBACK_WEIGHT, FEEDBACK_WEIGHT);
        draw_signal(maker, owner, &drive->inputs[2]);
    }
    return 1;
}

/* Leads the input of something that acts to the drive just added, or to any signal. */
static void lead_input(struct maker *maker, gene_id owner, int has_drive, double unit,
                       struct input_gene *input)
{
    const struct genome *genome = maker->genome;
    input->weight = rng_uniform(maker->rng, 0.8, 1.2) * unit;
    if (has_drive)
        wiring_lead(genome, owner, &genome->neurons[genome->neuron_count - 1], input);
    else
        draw_signal(maker, owner, input);
}

/* The inputs of all drives of a body. */
static int draw_drives(struct maker *maker, struct body_gene *body)
{
    int has_drive = 0;
    for (int i = 0; has_drive >= 0 && i < genome_drive_count(body); i++) {
        int is_driven = drive_function(maker->params) >= 0 &&
                        rng_chance(maker->rng, maker->params->initial_oscillators);
        has_drive = is_driven ? add_drive(maker, body->id, genetics_random_frequency_hz(maker)) : 0;
        lead_input(maker, body->id, has_drive > 0, 1, &body->drives[i]);
    }
    return has_drive < 0 ? has_drive : 0;
}

static int add_effector(struct maker *maker, int row, int is_driven, double frequency_hz)
{
    struct body_gene *body = &maker->genome->bodies[row];
    int has_drive = is_driven ? add_drive(maker, body->id, frequency_hz) : 0;
    if (has_drive < 0)
        return has_drive;
    body->has_effector = 1;
    body->effector_strength = rng_uniform(maker->rng, STRENGTH_MIN, 1);
    lead_input(maker, body->id, has_drive, genetics_signal_unit(body, maker->params),
               &body->effector_input);
    return genome_effector_count(body) > 1 ? draw_drives(maker, body) : 0;
}

int genetics_random_effector(struct maker *maker, int row, double frequency_hz)
{
    ENSURE(row >= 0 && row < maker->genome->body_count, "an effector of body %d of %d", row,
           maker->genome->body_count);
    return add_effector(maker, row, rng_chance(maker->rng, maker->params->initial_oscillators),
                        frequency_hz);
}

int genetics_random_drive(struct maker *maker, int row)
{
    struct body_gene *body = &maker->genome->bodies[row];
    ENSURE(row >= 0 && row < maker->genome->body_count, "a drive of body %d of %d", row,
           maker->genome->body_count);
    body->drive_strength = rng_uniform(maker->rng, STRENGTH_MIN, 1);
    return draw_drives(maker, body);
}

void genetics_random_emitter(struct maker *maker, int row, int emitter)
{
    struct body_gene *body = &maker->genome->bodies[row];
    ENSURE(row >= 0 && row < maker->genome->body_count, "an emitter of body %d of %d", row,
           maker->genome->body_count);
    ENSURE(emitter >= 0 && emitter < EMITTER_COUNT, "emitter %d of %d", emitter, EMITTER_COUNT);
    body->emitters[emitter].is_there = 1;
    lead_input(maker, body->id, 0, 1, &body->emitters[emitter].input);
}

static int add_bodies(struct maker *maker)
{
    int low = (int)maker->params->initial_bodies_min, high = (int)maker->params->initial_bodies_max;
    int count = low + (high > low ? maker_below(maker, high - low + 1) : 0), status = 0;
    while (!status && maker->genome->body_count < count)
        status = genetics_random_body(maker);
    return status;
}

/* A lone body is connected to itself, so that there is a second part. */
static int connect_tree(struct maker *maker)
{
    struct body_gene *bodies = maker->genome->bodies;
    int status = 0;
    if (maker->genome->body_count == 1) {
        if (bodies[0].recursive_limit < 2)
            bodies[0].recursive_limit = 2;
        return genetics_random_connection(maker, bodies[0].id, bodies[0].id, 0);
    }
    for (int i = 1; !status && i < maker->genome->body_count; i++)
        status =
            genetics_random_connection(maker, bodies[maker_below(maker, i)].id, bodies[i].id, 0);
    return status;
}

/* Ends of a further connection. One that leads back (to the same body, or one nearer the root) is
 * followed only by bodies that may occur again, so such ends are drawn again a few times. */
static void draw_ends(struct maker *maker, gene_id *from, gene_id *to)
{
    const struct body_gene *bodies = maker->genome->bodies;
    int i = 0, row, target;
    do {
        row = maker_below(maker, maker->genome->body_count);
        target = maker_below(maker, maker->genome->body_count);
    } while (target <= row && bodies[target].recursive_limit == 1 && ++i < ENDS_TRIED);
    *from = bodies[row].id;
    *to = bodies[target].id;
}

/* As many for each body gene, on average. */
static int draw_count(struct maker *maker, double share)
{
    double wanted = share * maker->genome->body_count;
    return (int)wanted + rng_chance(maker->rng, wanted - (int)wanted);
}

static int connect_further(struct maker *maker)
{
    int count = draw_count(maker, maker->params->initial_connections), status = 0;
    while (!status && maker->genome->connection_count < count) {
        int row = maker_below(maker, maker->genome->connection_count);
        gene_id from = maker->genome->connections[row].from;
        gene_id to = maker->genome->connections[row].to;

        if (!rng_chance(maker->rng, SECOND_WAY))
            draw_ends(maker, &from, &to);
        status = genetics_random_connection(maker, from, to, 0);
    }
    return status;
}

/* Most close a triangle or a ring. */
static int add_braces(struct maker *maker)
{
    const struct genome *genome = maker->genome;
    int count = draw_count(maker, maker->params->spheres_initial_braces), status = 0;
    while (!status && count-- > 0) {
        int from = maker_below(maker, genome->body_count);
        int to = maker_below(maker, genome->body_count);

        status =
            genetics_random_connection(maker, genome->bodies[from].id, genome->bodies[to].id, 1);
    }
    return status;
}

static int add_neurons(struct maker *maker)
{
    const struct params *params = maker->params;
    int status = 0;
    /* The central set counts as one more place, the last. */
    for (int i = 0; i <= maker->genome->body_count; i++) {
        int is_central = i == maker->genome->body_count;
        int64_t most = is_central ? params->initial_central_max : params->initial_neurons_max;
        gene_id owner = is_central ? 0 : maker->genome->bodies[i].id;

        for (int count = maker_below(maker, (int)most + 1); !status && count > 0; count--)
            status = genetics_random_neuron(maker, owner);
    }
    return status;
}

static int is_driven_by_oscillator(const struct genome *genome, const struct body_gene *body)
{
    const struct input_gene *input = &body->effector_input;
    int row = body->has_effector && input->kind == INPUT_NEURON
                  ? genome_find_neuron(genome, input->source)
                  : -1;
    return row >= 0 && genome_is_oscillator(genome->neurons[row].function);
}

/* By chance every fourth creature has no oscillating joint, and most of these lie motionless: then
 * one of the joints, if there is any, gets a drive (unless effectors or oscillators are not
 * wanted). */
static int ensure_drive(struct maker *maker, double frequency_hz)
{
    const struct params *params = maker->params;
    int jointed[GENOME_BODIES_MAX], count = 0;
    for (int i = 0; i < maker->genome->body_count; i++)
        if (genetics_has_mover(maker->genome, i)) {
            if (is_driven_by_oscillator(maker->genome, &maker->genome->bodies[i]))
                return 0;
            jointed[count++] = i;
        }
    if (count == 0 || params->initial_effectors == 0 || params->initial_oscillators == 0 ||
        drive_function(params) < 0)
        return 0;
    return add_effector(maker, jointed[maker_below(maker, count)], 1, frequency_hz);
}

static int add_effectors(struct maker *maker)
{
    double common_hz = draw_frequency_hz(maker->rng), share = maker->params->initial_effectors;
    int status = 0;
    for (int i = 0; !status && i < maker->genome->body_count; i++) {
        double frequency_hz =
            rng_chance(maker->rng, FREQUENCY_SHARED) ? common_hz : draw_frequency_hz(maker->rng);

        if (genetics_has_mover(maker->genome, i) && rng_chance(maker->rng, share))
            status = genetics_random_effector(maker, i, frequency_hz);
        if (!status && joint_types[maker->genome->bodies[i].joint].driven_axes > 0 &&
            rng_chance(maker->rng, share))
            status = genetics_random_drive(maker, i);
    }
    return status ? status : ensure_drive(maker, common_hz);
}

int genetics_random_stretch(struct maker *maker, int row)
{
    struct body_gene *body = &maker->genome->bodies[row];
    double frequency_hz = genetics_random_frequency_hz(maker);
    int is_driven = rng_chance(maker->rng, maker->params->initial_oscillators);
    int has_drive = is_driven ? add_drive(maker, body->id, frequency_hz) : 0;
    if (has_drive < 0)
        return has_drive;
    body->stretch.limit =
        maker->params->creature_stretch_max * rng_uniform(maker->rng, STRETCH_LEAST, 1);
    lead_input(maker, body->id, has_drive, 1, &body->stretch.input);
    return 0;
}

static int add_stretches(struct maker *maker)
{
    int status = 0;
    if (!body_kinds[maker->genome->kind].can_stretch || maker->params->creature_stretch_max <= 0)
        return 0;
    for (int i = 0; !status && i < maker->genome->body_count; i++)
        if (rng_chance(maker->rng, maker->params->initial_stretching))
            status = genetics_random_stretch(maker, i);
    return status;
}

/* No draw is made for features that are switched off. */
static void add_emitters(struct maker *maker)
{
    if (!body_kinds[maker->genome->kind].can_contend)
        return;
    for (int i = 0; i < maker->genome->body_count; i++)
        for (int k = 0; k < EMITTER_COUNT; k++)
            if (emitter_is_on(k, maker->params) && rng_chance(maker->rng, EMITTER_SHARE))
                genetics_random_emitter(maker, i, k);
}

/* Neurons are wired after everything they may read is there; drives, which come last, already are.
 * A full table ends a step, not the genome. */
static int fill_brain(struct maker *maker)
{
    if (add_neurons(maker) == ERR_MEMORY)
        return ERR_MEMORY;
    int plain_count = maker->genome->neuron_count;
    if (add_effectors(maker) == ERR_MEMORY)
        return ERR_MEMORY;
    add_emitters(maker);
    if (add_stretches(maker) == ERR_MEMORY)
        return ERR_MEMORY;
    for (int i = 0; i < plain_count; i++)
        genetics_random_inputs(maker, &maker->genome->neurons[i]);
    return 0;
}

static int fill(struct maker *maker)
{
    if (add_bodies(maker) == ERR_MEMORY)
        return ERR_MEMORY;
    maker->genome->root = maker->genome->bodies[0].id;
    genetics_kind_of(maker->genome)->enlarge(maker, &maker->genome->bodies[0]);
    if (connect_tree(maker) == ERR_MEMORY || connect_further(maker) == ERR_MEMORY)
        return ERR_MEMORY;
    genetics_taper(maker, NULL, NULL);
    if (genetics_kind_of(maker->genome)->draw_brace && add_braces(maker) == ERR_MEMORY)
        return ERR_MEMORY;
    return fill_brain(maker);
}

/* Neither neurons nor anything that reads them. */
static void clear_brain(struct genome *genome)
{
    genome->neuron_count = 0;
    for (int i = 0; i < genome->body_count; i++) {
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
    for (int i = 0; i < genome->body_count; i++) {
        struct body_gene *body = &genome->bodies[i];
        const struct body_gene *old = &before->bodies[i];

        ENSURE(body->id == old->id, "body %d became another gene with its new brain", i);
        body->has_effector = old->has_effector;
        body->effector_strength = old->effector_strength;
        if (!body->has_effector)
            memset(&body->effector_input, 0, sizeof(body->effector_input));
        body->drive_strength = old->drive_strength;
        for (int k = genome_drive_count(body); k < GENOME_DRIVES_MAX; k++)
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
    struct maker maker = {.genome = &made, .params = &all, .rng = rng, .ids = ids};
    all.initial_effectors = 1;
    gene_counter_avoid(ids, genome, NULL);
    if (genome_copy(&made, genome))
        return ERR_MEMORY;
    clear_brain(&made);
    if (fill_brain(&maker) == ERR_MEMORY) {
        genome_deinit(&made);
        return ERR_MEMORY;
    }
    keep_strengths(&made, genome);
    wiring_tidy(&maker);
    CHECK_DEARLY(genetics_check(&made));
    genome_deinit(genome);
    *genome = made;
    return 0;
}

int genetics_random(struct genome *genome, const struct params *params, struct rng *rng,
                    struct gene_counter *ids)
{
    struct maker maker = {.genome = genome, .params = params, .rng = rng, .ids = ids};
    genome_init(genome);
    genome->kind = (uint8_t)params->creature_body;
    if (fill(&maker)) {
        genome_deinit(genome);
        return ERR_MEMORY;
    }
    wiring_tidy(&maker);
    if (params->breeding_choice == CHOICE_INHERITED)
        genome->breeding = (uint8_t)genetics_draw_breeding(params, rng);
    CHECK_DEARLY(genetics_check(genome));
    return 0;
}

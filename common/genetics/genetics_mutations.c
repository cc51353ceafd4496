/* The kinds of mutation that all bodies share, in the order of application: numbers and choices (of
 * the genome, of bodies and of neurons), new bodies and neurons, connections. A reference always
 * leads from something live to something new, which would else be collected at once. */
#include "common/genetics/genetics_mutation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/math/detmath.h"
#include "common/genetics/genetics_kind.h"
#include "common/genetics/genetics_random.h"
#include "common/genetics/genetics_wiring.h"
#include "common/text.h"

enum {
    READERS_MAX = GENOME_BODIES_MAX * (2 + GENOME_DRIVES_MAX + EMITTER_COUNT) +
                  GENOME_NEURONS_MAX * NEURON_INPUTS_MAX
};

#define EFFECTOR_LOST   0.1 /* shares of what happens to an effector; the rest: its strength */
#define EFFECTOR_LED    0.3
#define EFFECTOR_WEIGHT 0.4
#define STRETCH_LOST    0.1 /* that a stretch goes; */
#define STRETCH_LED     0.3 /* that its input reads something else; */
#define STRETCH_LIMIT   0.3 /* that its limit changes; the rest: its weight */
#define LEAST_STRETCH   0.1 /* scale of changes of limits near 0 */
#define EMITTER_LOST    0.2 /* the same of an emitter; the rest: its weight */
#define EMITTER_LED     0.4
#define INSERTED        0.5 /* share of new neurons that pass on what their reader read before */

/* The scale of a change of a value near zero. */
#define LEAST_PHASE    0.5
#define LEAST_STRENGTH 0.1

#define PHASE_LIMIT (1.0 - 0x1p-53)

static struct neuron_gene *pick_neuron(struct maker *maker, int *row)
{
    *row = maker_below(maker, maker->genome->neuron_count);
    return &maker->genome->neurons[*row];
}

/* A random body whose effector would move something; there is one. */
static struct body_gene *pick_mover(struct maker *maker, int *row)
{
    struct body_gene *body;
    do
        body = mutation_pick_body(maker, row);
    while (!genetics_has_mover(maker->genome, *row));
    return body;
}

/* "body 3" or "the central set", in a buffer of the caller. */
static const char *place_name(const struct genome *genome, gene_id owner, char text[32])
{
    if (owner == 0)
        return "the central set";
    snprintf(text, 32, "%s %d", body_kinds[genome->kind].body_noun,
             genome_find_body(genome, owner));
    return text;
}

static const char *function_name(const struct neuron_gene *neuron)
{
    return neuron_functions[neuron->function].name;
}

/* ---- the genome as a whole ---- */

/* Another of the methods that have a weight; each is equally likely, however few use it now. */
static void breeding_method(struct maker *maker)
{
    struct genome *genome = maker->genome;
    const struct params *params = maker->params;
    double weights[BREEDING_GENE_COUNT] = {[BREEDING_ASEXUAL] = params->breeding_asexual > 0,
                                           [BREEDING_CROSSOVER] = params->breeding_crossover > 0,
                                           [BREEDING_GRAFT] = params->breeding_graft > 0};
    int before = genome->breeding, after;
    weights[before] = 0;
    after = rng_pick(maker->rng, weights, BREEDING_GENE_COUNT);
    if (after < 0)
        return;
    genome->breeding = (uint8_t)after;
    mutation_say(maker, "breeding method %s -> %s", breeding_gene_names[before],
                 breeding_gene_names[after]);
}

/* ---- bodies ---- */

static void lose_effector(struct body_gene *body)
{
    if (genome_effector_count(body) > 1)
        memset(body->drives, 0, sizeof(body->drives));
    body->has_effector = 0;
    body->effector_strength = 0;
    memset(&body->effector_input, 0, sizeof(body->effector_input));
}

/* Where the effector moves the joint, one that becomes rigid loses it, and one that can move may
 * gain it. Types without a share in the settings never come. */
static void body_joint(struct maker *maker)
{
    const struct genetics_kind *kind = genetics_kind_of(maker->genome);
    int row;
    struct body_gene *body = mutation_pick_body(maker, &row);
    int before = body->joint;
    int after = kind->random_joint(maker, before);
    if (after < 0)
        return;
    kind->set_joint(maker, body, after);
    if (kind->is_joint_moved && body->joint == JOINT_RIGID)
        lose_effector(body);
    else if (kind->is_joint_moved && !body->has_effector &&
             genetics_has_mover(maker->genome, row) &&
             rng_chance(maker->rng, maker->params->initial_effectors))
        mutation_gain_effector(maker, row);
    mutation_say(maker, "joint of %s %d %s -> %s", mutation_body_noun(maker), row,
                 joint_type_names[before], joint_type_names[after]);
}

/* Limits of a field: either of them, or the upper one where the lower one is fixed. */
static void change_limit(struct maker *maker, const struct gene_field *table,
                         const struct gene_field *field, struct body_gene *body, int is_lower,
                         const char *name)
{
    const struct gene_limit_form *form = gene_form(field, body);
    struct gene_range range = gene_range_of(table, field, body);
    double *limit, before, scale = gene_assumed(field, body);
    int is_angle = strcmp(form->unit, "rad") == 0, digits = field->mutation.digits + !is_angle;
    const char *second = strcmp(field->words, "limit") == 0 ? "" : "second ";
    is_lower = is_lower && range.low < 0;
    limit = (double *)gene_at(body, field) + !is_lower;
    before = *limit;
    *limit = mutation_change(maker, before, field->mutation.least * scale, 0,
                             is_lower ? range.low : 0, is_lower ? 0 : range.high);
    mutation_say(maker, "%s%s limit of %s %.*f -> %.*f %s", second, is_lower ? "lower" : "upper",
                 name, digits, before, digits, *limit, form->unit);
}

static void body_limits(struct maker *maker)
{
    const struct gene_field *table = body_kinds[maker->genome->kind].body;
    const struct gene_field *field = mutation_pick_field(maker, table, CHANGE_LIMITS);
    int row, is_lower = rng_chance(maker->rng, 0.5);
    struct body_gene *body = mutation_pick_held(maker, CHANGE_LIMITS, &row);
    char name[32];
    if (!gene_is_used(gene_range_of(table, field, body)))
        field = mutation_find_used(table, CHANGE_LIMITS, body);
    snprintf(name, sizeof(name), "%s %d", mutation_body_noun(maker), row);
    change_limit(maker, table, field, body, is_lower, name);
}

static void body_recursion(struct maker *maker)
{
    int row;
    struct body_gene *body = mutation_pick_body(maker, &row);
    int before = body->recursive_limit;
    int after = before + (rng_chance(maker->rng, 0.5) ? 1 : -1);
    body->recursive_limit = (uint8_t)det_min(det_max(after, 1), GENOME_RECURSION_MAX);
    mutation_say(maker, "recursive limit of %s %d %d -> %d", mutation_body_noun(maker), row, before,
                 body->recursive_limit);
}

/* Any of the sensors that bodies of the genome's kind may have. */
static int pick_sensor(struct maker *maker)
{
    uint64_t possible = sensors_drawn(maker->genome->kind, maker->params);
    int sensor = 0, wanted = maker_below(maker, __builtin_popcountll(possible));
    while (!(possible & SENSOR_BIT(sensor)) || wanted-- > 0)
        sensor++;
    return sensor;
}

/* Inputs that read a sensor which disappears are drawn again when the genome is tidied. */
static void body_sensors(struct maker *maker)
{
    uint64_t on = sensors_switched_on(maker->params);
    int row, sensor = pick_sensor(maker);
    struct body_gene *body = mutation_pick_body(maker, &row);
    /* one that is switched off does not come; the mutation that changes nothing is drawn again */
    if (!(on & SENSOR_BIT(sensor)) && !(body->sensors & SENSOR_BIT(sensor)))
        return;
    body->sensors ^= SENSOR_BIT(sensor);
    mutation_say(maker, "%s %d %s the sensor %s", mutation_body_noun(maker), row,
                 body->sensors & SENSOR_BIT(sensor) ? "gained" : "lost", sensors[sensor].name);
}

static void effector(struct maker *maker)
{
    int row;
    struct body_gene *body = pick_mover(maker, &row);
    double draw = rng_unit(maker->rng), before = body->effector_strength;
    double unit = genetics_signal_unit(body, maker->params);
    int freedoms = genome_effector_count(body);
    int freedom = freedoms > 1 ? maker_below(maker, freedoms) : 0;
    struct input_gene *input = genome_body_input(body, freedom);
    char what[64];
    snprintf(what, sizeof(what), "the effector of %s %d%s", mutation_body_noun(maker), row,
             freedom == 0   ? ""
             : freedom == 1 ? " (second freedom)"
                            : " (third freedom)");
    if (!body->has_effector) {
        mutation_gain_effector(maker, row);
        mutation_say(maker, "%s %d gained an effector", mutation_body_noun(maker), row);
    } else if (draw < EFFECTOR_LOST && maker->params->mutation_body) {
        lose_effector(body);
        mutation_say(maker, "%s %d lost its effector", mutation_body_noun(maker), row);
    } else if (draw < EFFECTOR_LOST + EFFECTOR_LED) {
        mutation_redraw_input(maker, body->id, input, what);
        input->weight *= unit;
    } else if (draw < EFFECTOR_LOST + EFFECTOR_LED + EFFECTOR_WEIGHT) {
        mutation_change_input(maker, input, unit, what);
    } else {
        body->effector_strength = mutation_change(maker, before, LEAST_STRENGTH, 0, 0.01, 1);
        mutation_say(maker, "strength of %s %.2f -> %.2f", what, before, body->effector_strength);
    }
}

static int has_emitters(const struct params *params)
{
    return emitter_count_on(params) > 0;
}

/* One of those that are switched on comes, goes or changes. */
static void emitter(struct maker *maker)
{
    int row, k = 0, wanted = maker_below(maker, emitter_count_on(maker->params));
    struct body_gene *body = mutation_pick_body(maker, &row);
    double draw = rng_unit(maker->rng);
    struct emitter_gene *gene;
    char what[64];
    while (!emitter_is_on(k, maker->params) || wanted-- > 0)
        k++;
    gene = &body->emitters[k];
    snprintf(what, sizeof(what), "the %s of %s %d", emitter_names[k], mutation_body_noun(maker),
             row);
    if (!gene->is_there) {
        genetics_random_emitter(maker, row, k);
        mutation_say(maker, "%s %d gained a %s", mutation_body_noun(maker), row, emitter_names[k]);
    } else if (draw < EMITTER_LOST) {
        memset(gene, 0, sizeof(*gene));
        mutation_say(maker, "%s %d lost its %s", mutation_body_noun(maker), row, emitter_names[k]);
    } else if (draw < EMITTER_LOST + EMITTER_LED) {
        mutation_redraw_input(maker, body->id, &gene->input, what);
    } else {
        mutation_change_input(maker, &gene->input, 1, what);
    }
}

static int has_mouths(const struct params *params)
{
    return params->evolution_behaviour == BEHAVIOUR_PRESERVE;
}

static int has_stretch(const struct params *params)
{
    return params->creature_stretch_max > 0;
}

/* A stretch comes, goes or changes. */
static void stretch(struct maker *maker)
{
    int row;
    struct body_gene *body = mutation_pick_body(maker, &row);
    double draw = rng_unit(maker->rng), before = body->stretch.limit;
    const struct params *params = maker->params;
    char what[64];
    snprintf(what, sizeof(what), "the stretch of %s %d", mutation_body_noun(maker), row);
    if (before == 0) {
        maker->status = genetics_random_stretch(maker, row);
        mutation_say(maker, "%s %d gained a stretch", mutation_body_noun(maker), row);
    } else if (draw < STRETCH_LOST) {
        memset(&body->stretch, 0, sizeof(body->stretch));
        mutation_say(maker, "%s %d lost its stretch", mutation_body_noun(maker), row);
    } else if (draw < STRETCH_LOST + STRETCH_LED) {
        mutation_redraw_input(maker, body->id, &body->stretch.input, what);
    } else if (draw < STRETCH_LOST + STRETCH_LED + STRETCH_LIMIT) {
        body->stretch.limit =
            mutation_change(maker, before, LEAST_STRETCH, 0, 0.01, params->creature_stretch_max);
        mutation_say(maker, "limit of %s %.2f -> %.2f", what, before, body->stretch.limit);
    } else {
        mutation_change_input(maker, &body->stretch.input, 1, what);
    }
}

/* ---- neurons ---- */

/* Inputs that both functions have are kept, new ones are drawn, superfluous ones go. */
static void neuron_function(struct maker *maker)
{
    int row;
    struct neuron_gene *neuron = pick_neuron(maker, &row);
    const char *before = function_name(neuron);
    int used = neuron_functions[neuron->function].input_count, count, k;
    int after = genetics_random_function(maker, neuron->function);
    if (after < 0)
        return;
    neuron->function = (uint8_t)after;
    count = neuron_functions[neuron->function].input_count;
    for (k = count; k < used; k++)
        memset(&neuron->inputs[k], 0, sizeof(neuron->inputs[k]));
    for (k = used; k < count; k++)
        wiring_draw(maker, neuron->owner, &neuron->inputs[k]);
    if (!genome_is_oscillator(neuron->function))
        neuron->initial = neuron->lag_image = neuron->lag_row = 0;
    else if (neuron->initial == 0)
        neuron->initial = rng_unit(maker->rng);
    mutation_say(maker, "function of neuron %d %s -> %s", row, before, function_name(neuron));
}

static double change_turns(struct maker *maker, double before)
{
    double after = mutation_change(maker, before, LEAST_PHASE, 0, -HUGE_VAL, HUGE_VAL);
    return det_min(det_max(after - det_floor(after), 0), PHASE_LIMIT);
}

static void change_phase(struct maker *maker, struct neuron_gene *neuron, int row)
{
    double before = neuron->initial;
    neuron->initial = change_turns(maker, before);
    mutation_say(maker, "phase of neuron %d (%s) %.3f -> %.3f turns", row, function_name(neuron),
                 before, neuron->initial);
}

static void neuron_weight(struct maker *maker)
{
    int row;
    struct neuron_gene *neuron = pick_neuron(maker, &row);
    int count = neuron_functions[neuron->function].input_count;
    int k = maker_below(maker, count + genome_is_oscillator(neuron->function));
    char what[64];
    if (k == count) {
        change_phase(maker, neuron, row);
        return;
    }
    snprintf(what, sizeof(what), "input %d of neuron %d (%s)", k, row, function_name(neuron));
    mutation_change_input(maker, &neuron->inputs[k], 1, what);
}

static int count_oscillators(const struct genome *genome)
{
    int count = 0;
    for (int i = 0; i < genome->neuron_count; i++)
        count += genome_is_oscillator(genome->neurons[i].function);
    return count;
}

/* Changes an oscillator's lag: in phase or half a turn apart, or else a little more or less. */
static void neuron_lag(struct maker *maker)
{
    int wanted = maker_below(maker, count_oscillators(maker->genome)), row = 0;
    while (!genome_is_oscillator(maker->genome->neurons[row].function) || wanted-- > 0)
        row++;
    struct neuron_gene *neuron = &maker->genome->neurons[row];
    int is_row = rng_chance(maker->rng, 0.5);
    double *lag = is_row ? &neuron->lag_row : &neuron->lag_image, before = *lag;

    *lag = rng_chance(maker->rng, 0.5) ? before > 0 ? 0 : 0.5 : change_turns(maker, before);
    mutation_say(maker, "lag of neuron %d (%s) %s %.3f -> %.3f turns", row, function_name(neuron),
                 is_row ? "in a row" : "of images", before, *lag);
}

static void neuron_input(struct maker *maker)
{
    int row;
    struct neuron_gene *neuron = pick_neuron(maker, &row);
    int k = maker_below(maker, neuron_functions[neuron->function].input_count);
    char what[64];
    snprintf(what, sizeof(what), "input %d of neuron %d (%s)", k, row, function_name(neuron));
    mutation_redraw_input(maker, neuron->owner, &neuron->inputs[k], what);
}

/* ---- new nodes ---- */

/* "0.38 x 0.14" */
static void print_sizes(const struct maker *maker, int row, char text[64])
{
    const struct gene_field *field = body_kinds[maker->genome->kind].body;
    text[0] = '\0';
    for (; field->name; field++)
        if (field->mutation.change == CHANGE_SIZE)
            text_append(text, 64, "%s%.2f", *text ? " x " : "",
                        gene_number(field, &maker->genome->bodies[row]));
}

/* A small new subtree changes the motion of the body less. */
static void shrink_newest(struct maker *maker)
{
    double *scale = &maker->genome->connections[maker->genome->connection_count - 1].scale;
    *scale = det_max(*scale * maker->params->mutation_small, GENOME_SCALE_MIN);
}

/* Hangs a new body on a random one, mostly with a drive of its own. */
static void add_body(struct maker *maker)
{
    struct genome *genome = maker->genome;
    int parent, row = genome->body_count;
    gene_id from = mutation_pick_body(maker, &parent)->id;
    char sizes[64];

    maker->status = genetics_random_body(maker);
    if (maker->status)
        return;
    maker->status = genetics_random_connection(maker, from, genome->bodies[row].id, 0);
    if (maker->status)
        return;
    shrink_newest(maker);
    if (genetics_has_mover(genome, row) && rng_chance(maker->rng, maker->params->initial_effectors))
        mutation_gain_effector(maker, row);
    print_sizes(maker, row, sizes);
    mutation_say(maker, "added %s %d (%s, %s m) to %s %d", mutation_body_noun(maker), row,
                 joint_type_names[genome->bodies[row].joint], sizes, mutation_body_noun(maker),
                 parent);
}

/* An input that could read the new neuron, and whose it is. */
struct reader {
    struct input_gene *input;
    gene_id owner;
};

static int add_reader(const struct genome *genome, const struct neuron_gene *source, gene_id owner,
                      struct input_gene *input, struct reader *readers, int count)
{
    struct input_gene trial = *input;
    if (!wiring_lead(genome, owner, source, &trial))
        return count;
    readers[count].input = input;
    readers[count].owner = owner;
    return count + 1;
}

/* Inputs of joints' effectors, of emitters and of the other neurons from which `source` can be
 * reached. */
static int list_readers(struct genome *genome, const struct neuron_gene *source,
                        struct reader readers[READERS_MAX])
{
    int i, k, count = 0;
    for (i = 0; i < genome->body_count; i++) {
        struct body_gene *body = &genome->bodies[i];
        int is_moved = genetics_has_mover(genome, i);
        int drive = body->has_effector ? 1 : 0, end = drive + genome_drive_count(body);
        struct input_gene *input;

        /* the joint's inputs come first; those that move nothing are left out */
        for (k = 0; (input = genome_body_input(body, k)); k++)
            if (k >= end || is_moved || (k >= drive && body->drive_strength != 0))
                count = add_reader(genome, source, body->id, input, readers, count);
    }
    for (i = 0; i < genome->neuron_count; i++) {
        struct neuron_gene *neuron = &genome->neurons[i];

        for (k = 0; neuron != source && k < neuron_functions[neuron->function].input_count; k++)
            count = add_reader(genome, source, neuron->owner, &neuron->inputs[k], readers, count);
    }
    return count;
}

/* Leads a reader to the new neuron. Where both live in one place, the neuron may take over what was
 * read before (an oscillator as its offset), so that a signal is reshaped rather than replaced. */
static void insert_neuron(struct maker *maker, struct neuron_gene *neuron,
                          const struct reader *reader)
{
    if (reader->owner == neuron->owner && rng_chance(maker->rng, INSERTED)) {
        struct input_gene *passed = &neuron->inputs[genome_is_oscillator(neuron->function) ? 2 : 0];

        *passed = *reader->input;
        passed->weight = 1;
    }
    if (reader->input->kind == INPUT_CONSTANT && reader->input->weight == 0)
        reader->input->weight = 1;
    wiring_lead(maker->genome, reader->owner, neuron, reader->input);
}

static void add_neuron(struct maker *maker)
{
    struct genome *genome = maker->genome;
    struct reader readers[READERS_MAX];
    int place = maker_below(maker, genome->body_count + 1), count;
    gene_id owner = place < genome->body_count ? genome->bodies[place].id : 0;
    struct neuron_gene *neuron;
    char text[32];

    maker->status = genetics_random_neuron(maker, owner);
    if (maker->status)
        return;
    neuron = &genome->neurons[genome->neuron_count - 1];
    genetics_random_inputs(maker, neuron);
    count = list_readers(genome, neuron, readers);
    if (count == 0)
        return;
    insert_neuron(maker, neuron, &readers[maker_below(maker, count)]);
    mutation_say(maker, "added a neuron %s to %s", function_name(neuron),
                 place_name(genome, owner, text));
}

/* ---- connections ---- */

static void connection_target(struct maker *maker)
{
    int row, body;
    char name[32];
    struct connection_gene *connection = mutation_pick_connection(maker, &row);
    connection->to = mutation_pick_body(maker, &body)->id;
    mutation_say(maker, "%s now leads to %s %d",
                 mutation_name_row(maker->genome, GENOME_CONNECTIONS, row, name),
                 mutation_body_noun(maker), body);
}

static void add_connection(struct maker *maker)
{
    int from, to;
    gene_id from_id = mutation_pick_body(maker, &from)->id;
    gene_id to_id = mutation_pick_body(maker, &to)->id;

    maker->status = genetics_random_connection(maker, from_id, to_id, 0);
    if (!maker->status)
        shrink_newest(maker);
    mutation_say(maker, "added a %s from %s %d to %s %d",
                 body_kinds[maker->genome->kind].connection_noun, mutation_body_noun(maker), from,
                 mutation_body_noun(maker), to);
}

static void remove_connection(struct maker *maker)
{
    int row;
    char name[32];
    const struct connection_gene *connection = mutation_pick_connection(maker, &row);
    mutation_say(maker, "removed %s (%s %d to %s %d)",
                 mutation_name_row(maker->genome, GENOME_CONNECTIONS, row, name),
                 mutation_body_noun(maker), genome_find_body(maker->genome, connection->from),
                 mutation_body_noun(maker), genome_find_body(maker->genome, connection->to));
    genome_remove(maker->genome, GENOME_CONNECTIONS, row);
}

/* ---- the table of kinds ---- */

static int count_genome(const struct genome *genome)
{
    return 1;
}
static int count_breeding(const struct genome *genome)
{
    return genome->breeding != BREEDING_UNSET;
}
int mutation_count_bodies(const struct genome *genome)
{
    return genome->body_count;
}
static int count_emitting(const struct genome *genome)
{
    return body_kinds[genome->kind].can_contend ? genome->body_count : 0;
}
static int count_stretching(const struct genome *genome)
{
    return body_kinds[genome->kind].can_stretch ? genome->body_count : 0;
}
static int count_mouths(const struct genome *genome)
{
    return mutation_find_used(body_kinds[genome->kind].body, CHANGE_MOUTH, genome->bodies)
               ? genome->body_count
               : 0;
}
static int count_neurons(const struct genome *genome)
{
    return genome->neuron_count;
}
int mutation_count_connections(const struct genome *genome)
{
    return genome->connection_count;
}
static int count_movers(const struct genome *genome)
{
    int i, count = 0;
    for (i = 0; i < genome->body_count; i++)
        count += genetics_has_mover(genome, i);
    return count;
}
static int count_limited(const struct genome *genome)
{
    return mutation_count_held(genome, CHANGE_LIMITS);
}

const struct mutation_kind mutation_kinds[] = {
    MUTATION_KIND(mutation_breeding_method, breeding_method, count_breeding, OF_BRAIN),
    MUTATION_FIELD(mutation_body_size, CHANGE_SIZE, mutation_count_bodies, OF_BODY),
    MUTATION_KIND(mutation_body_joint, body_joint, mutation_count_bodies, OF_PLAN),
    MUTATION_KIND(mutation_body_limits, body_limits, count_limited, OF_BODY),
    MUTATION_KIND(mutation_body_recursion, body_recursion, mutation_count_bodies, OF_PLAN),
    MUTATION_FIELD(mutation_body_symmetry, CHANGE_SYMMETRY, mutation_count_bodies, OF_PLAN),
    MUTATION_KIND(mutation_body_sensors, body_sensors, mutation_count_bodies, OF_BRAIN),
    MUTATION_KIND(mutation_effector, effector, count_movers, OF_BRAIN),
    MUTATION_WHERE(has_emitters, mutation_emitter, emitter, CHANGE_NONE, count_emitting, OF_BRAIN),
    MUTATION_WHERE(has_stretch, mutation_stretch, stretch, CHANGE_NONE, count_stretching, OF_BODY),
    MUTATION_WHERE(has_mouths, mutation_body_mouth, NULL, CHANGE_MOUTH, count_mouths, OF_BODY),
    MUTATION_KIND(mutation_neuron_function, neuron_function, count_neurons, OF_BRAIN),
    MUTATION_KIND(mutation_neuron_weight, neuron_weight, count_neurons, OF_BRAIN),
    MUTATION_KIND(mutation_neuron_lag, neuron_lag, count_oscillators, OF_BRAIN),
    MUTATION_KIND(mutation_neuron_input, neuron_input, count_neurons, OF_BRAIN),
    MUTATION_KIND(mutation_add_body, add_body, count_genome, OF_PLAN),
    MUTATION_KIND(mutation_add_neuron, add_neuron, count_genome, OF_BRAIN),
    MUTATION_FIELD(mutation_connection_placement, CHANGE_PLACEMENT, mutation_count_connections,
                   OF_PLAN),
    MUTATION_FIELD(mutation_connection_scale, CHANGE_SCALE, mutation_count_connections, OF_BODY),
    MUTATION_FIELD(mutation_connection_flags, CHANGE_FLAGS, mutation_count_connections, OF_PLAN),
    MUTATION_KIND(mutation_connection_target, connection_target, mutation_count_connections,
                  OF_PLAN),
    MUTATION_KIND(mutation_add_connection, add_connection, mutation_count_bodies, OF_PLAN),
    MUTATION_KIND(mutation_remove_connection, remove_connection, mutation_count_connections,
                  OF_PLAN),
};
const int mutation_kind_count = sizeof mutation_kinds / sizeof mutation_kinds[0];

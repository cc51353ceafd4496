/* Mutation, in the order Sims published: numbers and choices (of the genome, of bodies and of neurons), new
 * bodies and neurons, connections; then garbage collection.
 *
 * One table of kinds in that order, and after it those that a kind of body has of its own
 * (genetics_kind.h): the rate (a row of the parameters), how many sites a genome offers, and what is done
 * at a random site. Numbers and choices of bodies and connections change as the table of genes says
 * (common/genome/gene.h). The kinds of all of a creature's mutations are drawn first and
 * sorted. Each mutation is tried on a copy; where the collected copy equals the genome before, or has
 * nothing but a root left, the copy is dropped and another kind is drawn in its place among all kinds
 * (it waits for its turn in the order). A reference always leads from something live to something new, which would
 * else be collected at once. */
#include "controller/genetics/genetics.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/math/detmath.h"
#include "controller/genetics/genetics_kind.h"
#include "controller/genetics/genetics_random.h"
#include "controller/genetics/genetics_wiring.h"

enum {
    TRIES_PER_MUTATION = 64,
    STEPS_SUMMED = 3, /* a numeric change is a sum of so many uniform numbers */
    KINDS_MAX = 128,
    READERS_MAX =
        GENOME_BODIES_MAX * (1 + GENOME_DRIVES_MAX) + GENOME_NEURONS_MAX * NEURON_INPUTS_MAX
};

#define NEGATED         0.1 /* share of changes of weights, constants and angles that turn the sign */
#define EFFECTOR_LOST   0.1 /* shares of what happens to an effector; the rest: its strength */
#define EFFECTOR_LED    0.3
#define EFFECTOR_WEIGHT 0.4
#define INSERTED        0.5 /* share of new neurons that pass on what their reader read before */

/* The scale of a change of a value near zero. */
#define LEAST_WEIGHT   0.2
#define LEAST_PHASE    0.5
#define LEAST_STRENGTH 0.1

#define PHASE_LIMIT (1.0 - 0x1p-53)

/* ---- helpers ---- */

void mutation_say(struct mutation *mutation, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(mutation->words, sizeof(mutation->words), format, arguments);
    va_end(arguments);
}

int mutation_below(struct mutation *mutation, int bound)
{
    return (int)rng_below(mutation->rng, (uint32_t)bound);
}

struct body_gene *mutation_pick_body(struct mutation *mutation, int *row)
{
    *row = mutation_below(mutation, mutation->genome->body_count);
    return &mutation->genome->bodies[*row];
}

struct connection_gene *mutation_pick_connection(struct mutation *mutation, int *row)
{
    *row = mutation_below(mutation, mutation->genome->connection_count);
    return &mutation->genome->connections[*row];
}

static struct neuron_gene *pick_neuron(struct mutation *mutation, int *row)
{
    *row = mutation_below(mutation, mutation->genome->neuron_count);
    return &mutation->genome->neurons[*row];
}

/* A random body whose effector would move something; there is one. */
static struct body_gene *pick_mover(struct mutation *mutation, int *row)
{
    struct body_gene *body;

    do
        body = mutation_pick_body(mutation, row);
    while (!genetics_has_mover(mutation->genome, *row));
    return body;
}

static double clamp(double value, double low, double high)
{
    return fmin(fmax(value, low), high);
}

double mutation_change(struct mutation *mutation, double value, double least_scale, int is_signed,
                       double low, double high)
{
    double sum = 0;
    int i;

    if (is_signed && rng_chance(mutation->rng, NEGATED))
        return clamp(-value, low, high);
    for (i = 0; i < STEPS_SUMMED; i++)
        sum += rng_uniform(mutation->rng, -1, 1);
    value += mutation->params->mutation_step * fmax(fabs(value), least_scale) * sum;
    return clamp(value, low, high);
}

static const char *body_noun(const struct mutation *mutation)
{
    return body_kinds[mutation->genome->kind].body_noun;
}

const char *mutation_connection_name(const struct genome *genome, int row, char text[32])
{
    const struct body_kind_info *kind = &body_kinds[genome->kind];

    snprintf(text, 32, "%s %d",
             genome->connections[row].brace ? kind->brace_noun : kind->connection_noun, row);
    return text;
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
static void breeding_method(struct mutation *mutation)
{
    struct genome *genome = mutation->genome;
    const struct params *params = mutation->params;
    double weights[BREEDING_GENE_COUNT] = {[BREEDING_ASEXUAL] = params->breeding_asexual > 0,
                                           [BREEDING_CROSSOVER] = params->breeding_crossover > 0,
                                           [BREEDING_GRAFT] = params->breeding_graft > 0};
    int before = genome->breeding, after;

    weights[before] = 0;
    after = rng_pick(mutation->rng, weights, BREEDING_GENE_COUNT);
    if (after < 0)
        return;
    genome->breeding = (uint8_t)after;
    mutation_say(mutation, "breeding method %s -> %s", breeding_gene_names[before],
                 breeding_gene_names[after]);
}

/* ---- numbers and choices, as the table of genes says ---- */

/* How many fields of the table mutate so; the first of them. */
static int count_changing(const struct gene_field *table, enum gene_change change,
                          const struct gene_field **first)
{
    int count = 0;

    for (; table->name; table++)
        if (table->mutation.change == change && count++ == 0)
            *first = table;
    return count;
}

const struct gene_field *mutation_pick_field(struct mutation *mutation,
                                             const struct gene_field *table,
                                             enum gene_change change)
{
    const struct gene_field *field = NULL;
    int count = count_changing(table, change, &field), wanted;

    if (count < 2)
        return field;
    wanted = count == 2 ? !rng_chance(mutation->rng, 0.5) : mutation_below(mutation, count);
    while (wanted > 0)
        wanted -= (++field)->mutation.change == change;
    return field;
}

static double param_at(const struct params *params, size_t offset)
{
    double value;

    memcpy(&value, (const char *)params + offset, sizeof(value));
    return value;
}

/* What a number may become: within its range, and within what the settings bound. */
static void bound_number(const struct mutation *mutation, const struct gene_field *table,
                         const struct gene_field *field, const void *gene, double *low,
                         double *high)
{
    const struct gene_mutation *how = &field->mutation;
    struct gene_range range = gene_range_of(table, field, gene);

    *high = how->highest ? fmin(range.high, param_at(mutation->params, how->highest)) : range.high;
    *low = how->lowest ? fmax(range.low, param_at(mutation->params, how->lowest)) : range.low;
}

static void change_real(struct mutation *mutation, const struct gene_field *table, void *gene,
                        const struct gene_field *field, const char *name)
{
    const struct gene_mutation *how = &field->mutation;
    double before = gene_number(field, gene), low, high, after;

    bound_number(mutation, table, field, gene, &low, &high);
    after = mutation_change(mutation, before, how->least > 0 ? how->least : low, how->is_signed,
                            fmin(low, high), high);
    gene_set_number(field, gene, after);
    mutation_say(mutation, "%s of %s %.*f -> %.*f%s%s", field->words, name, how->digits, before,
                 how->digits, after, field->unit ? " " : "", field->unit ? field->unit : "");
}

/* Another one of the names, each as likely as the other. */
static void change_choice(struct mutation *mutation, void *gene, const struct gene_field *field,
                          const char *name)
{
    int low = (int)field->range.low, count = (int)field->range.high - low + 1;
    int before = (int)gene_number(field, gene);
    int after = low + (before - low + 1 + mutation_below(mutation, count - 1)) % count;

    gene_set_number(field, gene, after);
    if (!(field->flags & GENE_BOOLEAN))
        mutation_say(mutation, "%s of %s %s -> %s", field->words, name, field->names[before],
                     field->names[after]);
    else if (after)
        mutation_say(mutation, "%s became %s (%s)", name, field->words, field->names[after]);
    else
        mutation_say(mutation, "%s is no longer %s", name, field->words);
}

static void turn_flag(struct mutation *mutation, void *gene, const struct gene_field *field,
                      const char *name)
{
    int is_set = gene_number(field, gene) == 0;

    gene_set_number(field, gene, is_set);
    mutation_say(mutation, "%s %s %s", name, is_set ? "became" : "is no longer", field->words);
}

void mutation_change_field(struct mutation *mutation, const struct gene_field *table, void *gene,
                           const struct gene_field *field, const char *name)
{
    struct gene_range range = gene_range_of(table, field, gene);

    /* what is not used, or has one value alone, stays */
    if (range.low == range.high)
        return;
    if (field->type == GENE_FLAG || (field->flags & GENE_BOOLEAN && range.high == 1))
        turn_flag(mutation, gene, field, name);
    else if (field->type == GENE_CHOICE)
        change_choice(mutation, gene, field, name);
    else
        change_real(mutation, table, gene, field, name);
}

/* The field, if the gene uses one that mutates so. */
static const struct gene_field *find_used(const struct gene_field *table, enum gene_change change,
                                          const void *gene)
{
    for (; table->name; table++)
        if (table->mutation.change == change && gene_is_used(gene_range_of(table, table, gene)))
            return table;
    return NULL;
}

static int is_held(const struct genome *genome, enum gene_change change, int row)
{
    return find_used(body_kinds[genome->kind].body, change, &genome->bodies[row]) &&
           genetics_kind_of(genome)->has_limits(genome, row);
}

int mutation_count_held(const struct genome *genome, enum gene_change change)
{
    int i, count = 0;

    for (i = 0; i < genome->body_count; i++)
        count += is_held(genome, change, i);
    return count;
}

struct body_gene *mutation_pick_held(struct mutation *mutation, enum gene_change change, int *row)
{
    struct body_gene *body;

    do
        body = mutation_pick_body(mutation, row);
    while (!is_held(mutation->genome, change, *row));
    return body;
}

static void change_body(struct mutation *mutation, enum gene_change change)
{
    const struct gene_field *table = body_kinds[mutation->genome->kind].body;
    const struct gene_field *field = mutation_pick_field(mutation, table, change);
    struct body_gene *body;
    char name[32];
    int row;

    if (!field)
        return;
    body = mutation_pick_body(mutation, &row);
    snprintf(name, sizeof(name), "%s %d", body_noun(mutation), row);
    mutation_change_field(mutation, table, body, field, name);
}

static void change_connection(struct mutation *mutation, enum gene_change change)
{
    const struct gene_field *table = body_kinds[mutation->genome->kind].connection;
    const struct gene_field *field = mutation_pick_field(mutation, table, change);
    struct connection_gene *connection;
    char name[32];
    int row;

    if (!field)
        return;
    connection = mutation_pick_connection(mutation, &row);
    mutation_connection_name(mutation->genome, row, name);
    mutation_change_field(mutation, table, connection, field, name);
}

/* ---- bodies ---- */

static void body_size(struct mutation *mutation)
{
    change_body(mutation, CHANGE_SIZE);
}

static void lose_effector(struct body_gene *body)
{
    if (genome_effector_count(body) > 1)
        memset(body->drives, 0, sizeof(body->drives));
    body->has_effector = 0;
    body->effector_strength = 0;
    memset(&body->effector_input, 0, sizeof(body->effector_input));
}

void mutation_gain_effector(struct mutation *mutation, int row)
{
    double frequency_hz = genetics_random_frequency_hz(mutation->genome, mutation->rng);

    mutation->status = genetics_random_effector(mutation->genome, row, frequency_hz,
                                                mutation->params, mutation->rng, mutation->ids);
}

/* Where the effector moves the joint, one that becomes rigid loses it, and one that can move may gain it.
 * Types without a share in the settings never come. */
static void body_joint(struct mutation *mutation)
{
    const struct genetics_kind *kind = genetics_kind_of(mutation->genome);
    int row;
    struct body_gene *body = mutation_pick_body(mutation, &row);
    int before = body->joint;
    int after = kind->random_joint(mutation->params, before, mutation->rng);

    if (after < 0)
        return;
    kind->set_joint(body, after, mutation->params, mutation->rng);
    if (kind->is_joint_moved && body->joint == JOINT_RIGID)
        lose_effector(body);
    else if (kind->is_joint_moved && !body->has_effector &&
             genetics_has_mover(mutation->genome, row) &&
             rng_chance(mutation->rng, mutation->params->initial_effectors))
        mutation_gain_effector(mutation, row);
    mutation_say(mutation, "joint of %s %d %s -> %s", body_noun(mutation), row,
                 joint_type_names[before], joint_type_names[after]);
}

/* Limits of a field: either of them, or the upper one where the lower one is fixed. */
static void change_limit(struct mutation *mutation, const struct gene_field *table,
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
    *limit = mutation_change(mutation, before, field->mutation.least * scale, 0,
                             is_lower ? range.low : 0, is_lower ? 0 : range.high);
    mutation_say(mutation, "%s%s limit of %s %.*f -> %.*f %s", second, is_lower ? "lower" : "upper",
                 name, digits, before, digits, *limit, form->unit);
}

static void body_limits(struct mutation *mutation)
{
    const struct gene_field *table = body_kinds[mutation->genome->kind].body;
    const struct gene_field *field = mutation_pick_field(mutation, table, CHANGE_LIMITS);
    int row, is_lower = rng_chance(mutation->rng, 0.5);
    struct body_gene *body = mutation_pick_held(mutation, CHANGE_LIMITS, &row);
    char name[32];

    if (!gene_is_used(gene_range_of(table, field, body)))
        field = find_used(table, CHANGE_LIMITS, body);
    snprintf(name, sizeof(name), "%s %d", body_noun(mutation), row);
    change_limit(mutation, table, field, body, is_lower, name);
}

static void body_recursion(struct mutation *mutation)
{
    int row;
    struct body_gene *body = mutation_pick_body(mutation, &row);
    int before = body->recursive_limit;
    int after = before + (rng_chance(mutation->rng, 0.5) ? 1 : -1);

    body->recursive_limit = (uint8_t)clamp(after, 1, GENOME_RECURSION_MAX);
    mutation_say(mutation, "recursive limit of %s %d %d -> %d", body_noun(mutation), row, before,
                 body->recursive_limit);
}

static void body_symmetry(struct mutation *mutation)
{
    change_body(mutation, CHANGE_SYMMETRY);
}

/* Any of the sensors that bodies of the genome's kind may have. */
static int pick_sensor(struct mutation *mutation)
{
    uint32_t possible = body_kinds[mutation->genome->kind].sensors;
    int sensor = 0, wanted = mutation_below(mutation, __builtin_popcount(possible));

    while (!(possible & SENSOR_BIT(sensor)) || wanted-- > 0)
        sensor++;
    return sensor;
}

/* Inputs that read a sensor which disappears are drawn again when the genome is tidied. */
static void body_sensors(struct mutation *mutation)
{
    uint32_t on = sensors_switched_on(mutation->params);
    int row, sensor = pick_sensor(mutation);
    struct body_gene *body = mutation_pick_body(mutation, &row);

    /* one that is switched off does not come; the mutation that changes nothing is drawn again */
    if (!(on & SENSOR_BIT(sensor)) && !(body->sensors & SENSOR_BIT(sensor)))
        return;
    body->sensors ^= SENSOR_BIT(sensor);
    mutation_say(mutation, "%s %d %s the sensor %s", body_noun(mutation), row,
                 body->sensors & SENSOR_BIT(sensor) ? "gained" : "lost", sensors[sensor].name);
}

/* ---- inputs ---- */

/* Changes the value of a constant, or the weight of anything else, whose scale is `unit`. `what` names
 * the input. */
void mutation_change_input(struct mutation *mutation, struct input_gene *input, double unit,
                           const char *what)
{
    int is_constant = input->kind == INPUT_CONSTANT;
    double *number = is_constant ? &input->value : &input->weight;
    double before = *number, least_scale = LEAST_WEIGHT * (is_constant ? 1 : unit);

    *number =
        mutation_change(mutation, before, least_scale, 1, -GENOME_WEIGHT_MAX, GENOME_WEIGHT_MAX);
    /* The constant that stands for something lost has no weight yet. */
    if (is_constant && input->weight == 0)
        input->weight = 1;
    mutation_say(mutation, "%s of %s %.3f -> %.3f", is_constant ? "constant" : "weight", what,
                 before, *number);
}

void mutation_redraw_input(struct mutation *mutation, gene_id owner, struct input_gene *input,
                           const char *what)
{
    char source[80];

    wiring_draw(mutation->genome, owner, mutation->rng, input);
    wiring_describe(mutation->genome, input, source, sizeof(source));
    mutation_say(mutation, "%s now reads %s", what, source);
}

static void effector(struct mutation *mutation)
{
    int row;
    struct body_gene *body = pick_mover(mutation, &row);
    double draw = rng_unit(mutation->rng), before = body->effector_strength;
    double unit = genetics_signal_unit(body, mutation->params);
    int freedoms = genome_effector_count(body);
    int freedom = freedoms > 1 ? mutation_below(mutation, freedoms) : 0;
    struct input_gene *input = genome_body_input(body, freedom);
    char what[64];

    snprintf(what, sizeof(what), "the effector of %s %d%s", body_noun(mutation), row,
             freedom == 0   ? ""
             : freedom == 1 ? " (second freedom)"
                            : " (third freedom)");
    if (!body->has_effector) {
        mutation_gain_effector(mutation, row);
        mutation_say(mutation, "%s %d gained an effector", body_noun(mutation), row);
    } else if (draw < EFFECTOR_LOST && mutation->params->mutation_body) {
        lose_effector(body);
        mutation_say(mutation, "%s %d lost its effector", body_noun(mutation), row);
    } else if (draw < EFFECTOR_LOST + EFFECTOR_LED) {
        mutation_redraw_input(mutation, body->id, input, what);
        input->weight *= unit;
    } else if (draw < EFFECTOR_LOST + EFFECTOR_LED + EFFECTOR_WEIGHT) {
        mutation_change_input(mutation, input, unit, what);
    } else {
        body->effector_strength = mutation_change(mutation, before, LEAST_STRENGTH, 0, 0.01, 1);
        mutation_say(mutation, "strength of %s %.2f -> %.2f", what, before,
                     body->effector_strength);
    }
}

/* ---- neurons ---- */

/* Inputs that both functions have are kept, new ones are drawn, superfluous ones go. */
static void neuron_function(struct mutation *mutation)
{
    int row;
    struct neuron_gene *neuron = pick_neuron(mutation, &row);
    const char *before = function_name(neuron);
    int used = neuron_functions[neuron->function].input_count, count, k;
    int after = genetics_random_function(mutation->params, neuron->function, mutation->rng);

    if (after < 0)
        return;
    neuron->function = (uint8_t)after;
    count = neuron_functions[neuron->function].input_count;
    for (k = count; k < used; k++)
        memset(&neuron->inputs[k], 0, sizeof(neuron->inputs[k]));
    for (k = used; k < count; k++)
        wiring_draw(mutation->genome, neuron->owner, mutation->rng, &neuron->inputs[k]);
    if (!genetics_is_oscillator(neuron->function))
        neuron->initial = 0;
    else if (neuron->initial == 0)
        neuron->initial = rng_unit(mutation->rng);
    mutation_say(mutation, "function of neuron %d %s -> %s", row, before, function_name(neuron));
}

static void change_phase(struct mutation *mutation, struct neuron_gene *neuron, int row)
{
    double before = neuron->initial;
    double after = mutation_change(mutation, before, LEAST_PHASE, 0, -HUGE_VAL, HUGE_VAL);

    neuron->initial = clamp(after - det_floor(after), 0, PHASE_LIMIT);
    mutation_say(mutation, "phase of neuron %d (%s) %.3f -> %.3f turns", row, function_name(neuron),
                 before, neuron->initial);
}

static void neuron_weight(struct mutation *mutation)
{
    int row;
    struct neuron_gene *neuron = pick_neuron(mutation, &row);
    int count = neuron_functions[neuron->function].input_count;
    int k = mutation_below(mutation, count + genetics_is_oscillator(neuron->function));
    char what[64];

    if (k == count) {
        change_phase(mutation, neuron, row);
        return;
    }
    snprintf(what, sizeof(what), "input %d of neuron %d (%s)", k, row, function_name(neuron));
    mutation_change_input(mutation, &neuron->inputs[k], 1, what);
}

static void neuron_input(struct mutation *mutation)
{
    int row;
    struct neuron_gene *neuron = pick_neuron(mutation, &row);
    int k = mutation_below(mutation, neuron_functions[neuron->function].input_count);
    char what[64];

    snprintf(what, sizeof(what), "input %d of neuron %d (%s)", k, row, function_name(neuron));
    mutation_redraw_input(mutation, neuron->owner, &neuron->inputs[k], what);
}

/* ---- new nodes ---- */

/* "0.38 x 0.14" */
static void print_sizes(const struct mutation *mutation, int row, char text[64])
{
    const struct gene_field *field = body_kinds[mutation->genome->kind].body;
    int length = 0;

    for (; field->name; field++)
        if (field->mutation.change == CHANGE_SIZE)
            length += snprintf(text + length, (size_t)(64 - length), "%s%.2f", length ? " x " : "",
                               gene_number(field, &mutation->genome->bodies[row]));
}

/* Hangs a new body on a random one, mostly with a drive of its own. */
static void add_body(struct mutation *mutation)
{
    struct genome *genome = mutation->genome;
    int parent, row = genome->body_count;
    gene_id from = mutation_pick_body(mutation, &parent)->id;
    char sizes[64];

    mutation->status = genetics_random_body(genome, mutation->params, mutation->rng, mutation->ids);
    if (mutation->status)
        return;
    mutation->status = genetics_random_connection(genome, from, genome->bodies[row].id,
                                                  mutation->params, mutation->rng, mutation->ids);
    if (mutation->status)
        return;
    if (genetics_has_mover(genome, row) &&
        rng_chance(mutation->rng, mutation->params->initial_effectors))
        mutation_gain_effector(mutation, row);
    print_sizes(mutation, row, sizes);
    mutation_say(mutation, "added %s %d (%s, %s m) to %s %d", body_noun(mutation), row,
                 joint_type_names[genome->bodies[row].joint], sizes, body_noun(mutation), parent);
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

/* Inputs of joints' effectors and of the other neurons from which `source` can be reached. */
static int list_readers(struct genome *genome, const struct neuron_gene *source,
                        struct reader readers[READERS_MAX])
{
    int i, k, count = 0;

    for (i = 0; i < genome->body_count; i++) {
        struct body_gene *body = &genome->bodies[i];
        int is_moved = genetics_has_mover(genome, i);

        if (body->has_effector && is_moved)
            count = add_reader(genome, source, body->id, &body->effector_input, readers, count);
        for (k = 0; (is_moved || body->drive_strength != 0) && k < genome_drive_count(body); k++)
            count = add_reader(genome, source, body->id, &body->drives[k], readers, count);
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
static void insert_neuron(struct mutation *mutation, struct neuron_gene *neuron,
                          const struct reader *reader)
{
    if (reader->owner == neuron->owner && rng_chance(mutation->rng, INSERTED)) {
        struct input_gene *passed =
            &neuron->inputs[genetics_is_oscillator(neuron->function) ? 2 : 0];

        *passed = *reader->input;
        passed->weight = 1;
    }
    if (reader->input->kind == INPUT_CONSTANT && reader->input->weight == 0)
        reader->input->weight = 1;
    wiring_lead(mutation->genome, reader->owner, neuron, reader->input);
}

static void add_neuron(struct mutation *mutation)
{
    struct genome *genome = mutation->genome;
    struct reader readers[READERS_MAX];
    int place = mutation_below(mutation, genome->body_count + 1), count;
    gene_id owner = place < genome->body_count ? genome->bodies[place].id : 0;
    struct neuron_gene *neuron;
    char text[32];

    mutation->status =
        genetics_random_neuron(genome, owner, mutation->params, mutation->rng, mutation->ids);
    if (mutation->status)
        return;
    neuron = &genome->neurons[genome->neuron_count - 1];
    genetics_random_inputs(genome, neuron, 0, mutation->rng);
    count = list_readers(genome, neuron, readers);
    if (count == 0)
        return;
    insert_neuron(mutation, neuron, &readers[mutation_below(mutation, count)]);
    mutation_say(mutation, "added a neuron %s to %s", function_name(neuron),
                 place_name(genome, owner, text));
}

/* ---- connections ---- */

static void connection_placement(struct mutation *mutation)
{
    change_connection(mutation, CHANGE_PLACEMENT);
}

static void connection_scale(struct mutation *mutation)
{
    change_connection(mutation, CHANGE_SCALE);
}

static void connection_flags(struct mutation *mutation)
{
    change_connection(mutation, CHANGE_FLAGS);
}

static void connection_target(struct mutation *mutation)
{
    int row, body;
    char name[32];
    struct connection_gene *connection = mutation_pick_connection(mutation, &row);

    connection->to = mutation_pick_body(mutation, &body)->id;
    mutation_say(mutation, "%s now leads to %s %d",
                 mutation_connection_name(mutation->genome, row, name), body_noun(mutation), body);
}

static void add_connection(struct mutation *mutation)
{
    int from, to;
    gene_id from_id = mutation_pick_body(mutation, &from)->id;
    gene_id to_id = mutation_pick_body(mutation, &to)->id;

    mutation->status = genetics_random_connection(mutation->genome, from_id, to_id,
                                                  mutation->params, mutation->rng, mutation->ids);
    mutation_say(mutation, "added a %s from %s %d to %s %d",
                 body_kinds[mutation->genome->kind].connection_noun, body_noun(mutation), from,
                 body_noun(mutation), to);
}

static void remove_connection(struct mutation *mutation)
{
    int row;
    char name[32];
    const struct connection_gene *connection = mutation_pick_connection(mutation, &row);

    mutation_say(mutation, "removed %s (%s %d to %s %d)",
                 mutation_connection_name(mutation->genome, row, name), body_noun(mutation),
                 genome_find_body(mutation->genome, connection->from), body_noun(mutation),
                 genome_find_body(mutation->genome, connection->to));
    genome_remove_connection(mutation->genome, row);
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
static int count_bodies(const struct genome *genome)
{
    return genome->body_count;
}
static int count_neurons(const struct genome *genome)
{
    return genome->neuron_count;
}
static int count_connections(const struct genome *genome)
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

static const struct mutation_kind kinds[] = {
    MUTATION_KIND(breeding_method, count_breeding, 0),
    MUTATION_KIND(body_size, count_bodies, 1),
    MUTATION_KIND(body_joint, count_bodies, 1),
    MUTATION_KIND(body_limits, count_limited, 1),
    MUTATION_KIND(body_recursion, count_bodies, 1),
    MUTATION_KIND(body_symmetry, count_bodies, 1),
    MUTATION_KIND(body_sensors, count_bodies, 0),
    MUTATION_KIND(effector, count_movers, 0),
    MUTATION_KIND(neuron_function, count_neurons, 0),
    MUTATION_KIND(neuron_weight, count_neurons, 0),
    MUTATION_KIND(neuron_input, count_neurons, 0),
    MUTATION_KIND(add_body, count_genome, 1),
    MUTATION_KIND(add_neuron, count_genome, 0),
    MUTATION_KIND(connection_placement, count_connections, 1),
    MUTATION_KIND(connection_scale, count_connections, 1),
    MUTATION_KIND(connection_flags, count_connections, 1),
    MUTATION_KIND(connection_target, count_connections, 1),
    MUTATION_KIND(add_connection, count_bodies, 1),
    MUTATION_KIND(remove_connection, count_connections, 1),
};
enum { KIND_COUNT = sizeof(kinds) / sizeof(kinds[0]), OWN_KINDS_MAX = 16 };

/* The kinds that all bodies share, then those of the genome's kind of body. NULL beyond the last. */
static const struct mutation_kind *kind_at(const struct genome *genome, int number)
{
    const struct mutation_kind *own = genetics_kind_of(genome)->mutations;

    if (number < KIND_COUNT)
        return &kinds[number];
    own += number - KIND_COUNT;
    return own->apply ? own : NULL;
}

/* A kind by rate and number of sites; -1: not one is possible. */
static int draw_kind(const struct genome *genome, const struct params *params, struct rng *rng)
{
    double weights[KIND_COUNT + OWN_KINDS_MAX];
    const struct mutation_kind *kind;
    int count;

    for (count = 0; (kind = kind_at(genome, count)); count++) {
        double rate = param_at(params, kind->rate_offset);

        ENSURE(count < KIND_COUNT + OWN_KINDS_MAX, "%d kinds of mutation", count);
        if (kind->is_of_body && !params->mutation_body)
            rate = 0;
        weights[count] = rate > 0 ? rate * kind->count_sites(genome) : 0;
    }
    return rng_pick(rng, weights, count);
}

static void sort_kinds(int *drawn, int count)
{
    int i, k;

    for (i = 1; i < count; i++)
        for (k = i; k > 0 && drawn[k] < drawn[k - 1]; k--) {
            int earlier = drawn[k];

            drawn[k] = drawn[k - 1];
            drawn[k - 1] = earlier;
        }
}

/* ---- applying them ---- */

/* Tries one mutation on a copy. 1: `genome` is changed, 0: it is not, or ERR_MEMORY. */
static int try_kind(struct mutation *mutation, struct genome *genome, int kind)
{
    struct gene_counter ids_before = *mutation->ids;
    struct genome trial;
    int is_change;

    /* An earlier mutation may have taken the last site. */
    if (kind_at(genome, kind)->count_sites(genome) == 0)
        return 0;
    if (genome_copy(&trial, genome))
        return ERR_MEMORY;
    mutation->genome = &trial;
    mutation->status = 0;
    mutation->words[0] = '\0';
    kind_at(genome, kind)->apply(mutation);
    is_change = !mutation->status;
    if (is_change) {
        wiring_tidy(&trial, mutation->rng);
        is_change = !genome_is_equal(&trial, genome) &&
                    (trial.connection_count > 0 || genome->connection_count == 0);
    }
    if (is_change) {
        genome_deinit(genome);
        *genome = trial;
    } else {
        genome_deinit(&trial);
        *mutation->ids = ids_before;
    }
    return mutation->status == ERR_MEMORY ? ERR_MEMORY : is_change;
}

/* Appends to the list; what does not fit is left out, and "..." says so. */
static void add_words(const char *words, char *text, int text_size)
{
    int length = text_size > 0 ? (int)strlen(text) : 0;
    int is_cut = length >= 3 && strcmp(text + length - 3, "...") == 0;
    const char *gap = length ? "; " : "";
    int room = text_size - length - 2 - (int)sizeof("; ...");

    if (is_cut)
        return;
    if ((int)strlen(words) <= room)
        snprintf(text + length, (size_t)(text_size - length), "%s%s", gap, words);
    else if (length + (int)sizeof("; ...") <= text_size)
        snprintf(text + length, (size_t)(text_size - length), "%s...", gap);
}

static int mutate(struct mutation *mutation, struct genome *genome, int count, char *text,
                  int text_size)
{
    int drawn[KINDS_MAX], i, tries = TRIES_PER_MUTATION * count, done = 0;

    for (i = 0; i < count; i++) {
        drawn[i] = draw_kind(genome, mutation->params, mutation->rng);
        if (drawn[i] < 0)
            return 0;
    }
    sort_kinds(drawn, count);
    while (done < count && tries-- > 0) {
        int result = try_kind(mutation, genome, drawn[done]);

        if (result < 0)
            return result;
        if (result > 0) {
            add_words(mutation->words, text, text_size);
            done++;
            continue;
        }
        drawn[done] = draw_kind(genome, mutation->params, mutation->rng);
        if (drawn[done] < 0)
            return 0;
        sort_kinds(drawn + done, count - done);
    }
    return 0;
}

int genetics_mutate(struct genome *genome, int count, const struct params *params, struct rng *rng,
                    struct gene_counter *ids, char *text, int text_size)
{
    struct mutation mutation = {.params = params, .rng = rng, .ids = ids};
    struct genome work;
    int status;

    if (text_size > 0)
        text[0] = '\0';
    if (genome_copy(&work, genome))
        return ERR_MEMORY;
    /* A genome written by hand may bring garbage, whose removal is not a mutation. */
    genome_collect_garbage(&work);
    status = mutate(&mutation, &work, count < KINDS_MAX ? count : KINDS_MAX, text, text_size);
    if (status) {
        genome_deinit(&work);
        return status;
    }
    genome_deinit(genome);
    *genome = work;
    return 0;
}

/* Mutation, in the order Sims published: numbers and choices (of the genome, of bodies and of neurons), new
 * bodies and neurons, connections; then garbage collection.
 *
 * Rectangles and spheres have most kinds of mutations in common: what a kind does to a sphere stands in
 * front of it. One table of kinds in that order: the rate (a row of the parameters), how many sites a genome offers,
 * and what is done at a random site. The kinds of all of a creature's mutations are drawn first and
 * sorted. Each mutation is tried on a copy; where the collected copy equals the genome before, or has
 * nothing but a root left, the copy is dropped and another kind is drawn in its place among all kinds
 * (it waits for its turn in the order). What is new is always led to from something live, or it would
 * be collected at once. */
#include "controller/genetics.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/body_kind.h"
#include "common/detmath.h"
#include "controller/genetics_random.h"
#include "controller/genetics_spheres.h"
#include "controller/genetics_wiring.h"

enum {
    TRIES_PER_MUTATION = 64,
    STEPS_SUMMED = 3, /* a numeric change is a sum of so many uniform numbers */
    KINDS_MAX = 128,
    READERS_MAX =
        GENOME_BODIES_MAX * (1 + GENOME_DRIVES_MAX) + GENOME_NEURONS_MAX * NEURON_INPUTS_MAX,
    WORDS_SIZE = 200
};

#define NEGATED         0.1 /* share of changes of weights, constants and angles that turn the sign */
#define EFFECTOR_LOST   0.1 /* shares of what happens to an effector; the rest: its strength */
#define EFFECTOR_LED    0.3
#define EFFECTOR_WEIGHT 0.4
#define INSERTED        0.5 /* share of new neurons that pass on what their reader read before */

/* The scale of a change of a value near zero. */
#define LEAST_WEIGHT    0.2
#define LEAST_LIMIT_RAD 0.3
#define LEAST_ANGLE_RAD 0.5
#define LEAST_POSITION  0.5
#define LEAST_PHASE     0.5
#define LEAST_STRENGTH  0.1
#define LEAST_FRICTION  0.2
#define LEAST_SHARE     0.2 /* of a muscle's length */
#define LEAST_RATE_1_S  1.0

/* Shares of what happens to the surface of a sphere; the rest: its friction. */
#define SURFACE_HEAD    0.2
#define SURFACE_ROLLING 0.3
/* Shares of what happens to a drive; the rest: its strength. */
#define DRIVE_LOST   0.1
#define DRIVE_LED    0.3
#define DRIVE_WEIGHT 0.4
/* Share of muscles that become bones. */
#define MUSCLE_LOST 0.1

#define PHASE_LIMIT (1.0 - 0x1p-53)

/* One mutation under way. */
struct mutation {
    struct genome *genome;
    const struct params *params;
    struct rng *rng;
    struct gene_counter *ids;
    int status; /* ERR_MEMORY, or 0 */
    char words[WORDS_SIZE];
};

/* ---- helpers ---- */

static void say(struct mutation *mutation, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void say(struct mutation *mutation, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(mutation->words, sizeof(mutation->words), format, arguments);
    va_end(arguments);
}

static int below(struct mutation *mutation, int bound)
{
    return (int)rng_below(mutation->rng, (uint32_t)bound);
}

static struct body_gene *pick_body(struct mutation *mutation, int *row)
{
    *row = below(mutation, mutation->genome->body_count);
    return &mutation->genome->bodies[*row];
}

static struct connection_gene *pick_connection(struct mutation *mutation, int *row)
{
    *row = below(mutation, mutation->genome->connection_count);
    return &mutation->genome->connections[*row];
}

static struct neuron_gene *pick_neuron(struct mutation *mutation, int *row)
{
    *row = below(mutation, mutation->genome->neuron_count);
    return &mutation->genome->neurons[*row];
}

/* A random body with a joint that moves and is in use; there is one. */
static struct body_gene *pick_jointed(struct mutation *mutation, int *row)
{
    struct body_gene *body;

    do
        body = pick_body(mutation, row);
    while (!genetics_has_joint(mutation->genome, *row));
    return body;
}

static double clamp(double value, double low, double high)
{
    return fmin(fmax(value, low), high);
}

/* The value plus a sum of random numbers on the value's scale. */
static double change(struct mutation *mutation, double value, double least_scale)
{
    double sum = 0;
    int i;

    for (i = 0; i < STEPS_SUMMED; i++)
        sum += rng_uniform(mutation->rng, -1, 1);
    return value + mutation->params->mutation_step * fmax(fabs(value), least_scale) * sum;
}

static double change_signed(struct mutation *mutation, double value, double least_scale)
{
    return rng_chance(mutation->rng, NEGATED) ? -value : change(mutation, value, least_scale);
}

/* "body 3" or "the central set", in a buffer of the caller. */
static const char *place_name(const struct genome *genome, gene_id owner, char text[32])
{
    if (owner == 0)
        return "the central set";
    snprintf(text, 32, "body %d", genome_find_body(genome, owner));
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
    say(mutation, "breeding method %s -> %s", breeding_gene_names[before],
        breeding_gene_names[after]);
}

/* ---- bodies ---- */

static void sphere_size(struct mutation *mutation)
{
    double low = fmax(GENOME_RADIUS_MIN_M, mutation->params->creature_radius_min_m);
    double high = fmin(GENOME_RADIUS_MAX_M, mutation->params->creature_radius_max_m);
    int row;
    struct sphere_gene *sphere = &pick_body(mutation, &row)->sphere;
    double before = sphere->radius_m;

    sphere->radius_m = clamp(change(mutation, before, low), fmin(low, high), high);
    say(mutation, "radius of sphere %d %.3f -> %.3f m", row, before, sphere->radius_m);
}

static void body_size(struct mutation *mutation)
{
    if (mutation->genome->kind == BODY_SPHERES) {
        sphere_size(mutation);
        return;
    }

    double low = fmax(GENOME_SIDE_MIN_M, mutation->params->creature_side_min_m);
    double high = fmin(GENOME_SIDE_MAX_M, mutation->params->creature_side_max_m);
    int row, is_width = rng_chance(mutation->rng, 0.5);
    struct body_gene *body = pick_body(mutation, &row);
    double *side = is_width ? &body->width_m : &body->height_m;
    double before = *side;

    *side = clamp(change(mutation, before, low), fmin(low, high), high);
    say(mutation, "%s of body %d %.3f -> %.3f m", is_width ? "width" : "height", row, before,
        *side);
}

static void lose_effector(struct body_gene *body)
{
    body->has_effector = 0;
    body->effector_strength = 0;
    memset(&body->effector_input, 0, sizeof(body->effector_input));
}

static void gain_effector(struct mutation *mutation, int row)
{
    double frequency_hz = genetics_random_frequency_hz(mutation->genome, mutation->rng);

    mutation->status = genetics_random_effector(mutation->genome, row, frequency_hz,
                                                mutation->params, mutation->rng, mutation->ids);
}

/* Limits and the effector's signal change their unit with the joint: 1 rad is as much as the part's
 * reach. */
static void change_joint(struct body_gene *body, int joint, const struct params *params)
{
    double reach = genome_reach_m(body), unit_before = genetics_signal_unit(body, params);
    double factor = joint == JOINT_LINEAR ? reach : body->joint == JOINT_LINEAR ? 1 / reach : 1;
    double most = genome_limit_max(joint), weight = body->effector_input.weight;

    body->joint = (uint8_t)joint;
    body->lower = clamp(body->lower * factor, -most, 0);
    body->upper = clamp(body->upper * factor, 0, most);
    weight *= genetics_signal_unit(body, params) / unit_before;
    body->effector_input.weight = clamp(weight, -GENOME_WEIGHT_MAX, GENOME_WEIGHT_MAX);
}

static void sphere_joint(struct mutation *mutation)
{
    int row;
    struct body_gene *body = pick_body(mutation, &row);
    int before = body->joint;
    int after = spheres_random_joint(mutation->params, before, mutation->rng);

    if (after < 0)
        return;
    spheres_set_joint(body, after, mutation->params, mutation->rng);
    say(mutation, "joint of sphere %d %s -> %s", row, joint_type_names[before],
        joint_type_names[after]);
}

/* A joint that becomes rigid loses its effector; one that can move may gain one. Types without a share
 * in the settings never come. */
static void body_joint(struct mutation *mutation)
{
    if (mutation->genome->kind == BODY_SPHERES) {
        sphere_joint(mutation);
        return;
    }

    int row;
    struct body_gene *body = pick_body(mutation, &row);
    int before = body->joint;
    int after = genetics_random_joint(mutation->params, before, mutation->rng);

    if (after < 0)
        return;
    change_joint(body, after, mutation->params);
    if (body->joint == JOINT_RIGID)
        lose_effector(body);
    else if (!body->has_effector && genetics_has_joint(mutation->genome, row) &&
             rng_chance(mutation->rng, mutation->params->initial_effectors))
        gain_effector(mutation, row);
    say(mutation, "joint of body %d %s -> %s", row, joint_type_names[before],
        joint_type_names[body->joint]);
}

/* A random sphere whose joint is at least of that type and in use; there is one. */
static struct body_gene *pick_held(struct mutation *mutation, int joint, int *row)
{
    struct body_gene *body;

    do
        body = pick_body(mutation, row);
    while (body->joint < joint || !spheres_is_held(mutation->genome, *row));
    return body;
}

static void sphere_limits(struct mutation *mutation)
{
    int row, is_second = rng_chance(mutation->rng, 0.5), is_lower = rng_chance(mutation->rng, 0.5);
    struct body_gene *body = pick_held(mutation, JOINT_BALL, &row);
    double most = genome_limit_max(body->joint);

    is_lower = is_lower && body->joint != JOINT_BALL;
    is_second = is_second && body->joint == JOINT_SADDLE;
    double *limit = is_second  ? is_lower ? &body->sphere.lower_2 : &body->sphere.upper_2
                    : is_lower ? &body->lower
                               : &body->upper;
    double before = *limit, after = change(mutation, before, LEAST_LIMIT_RAD);

    *limit = is_lower ? clamp(after, -most, 0) : clamp(after, 0, most);
    say(mutation, "%s%s limit of sphere %d %.2f -> %.2f rad", is_second ? "second " : "",
        is_lower ? "lower" : "upper", row, before, *limit);
}

static void body_limits(struct mutation *mutation)
{
    if (mutation->genome->kind == BODY_SPHERES) {
        sphere_limits(mutation);
        return;
    }

    int row, is_lower = rng_chance(mutation->rng, 0.5);
    struct body_gene *body = pick_jointed(mutation, &row);
    int is_linear = body->joint == JOINT_LINEAR;
    double *limit = is_lower ? &body->lower : &body->upper;
    double before = *limit, most = genome_limit_max(body->joint);
    double least_scale = LEAST_LIMIT_RAD * (is_linear ? genome_reach_m(body) : 1);
    double after = change(mutation, before, least_scale);

    *limit = is_lower ? clamp(after, -most, 0) : clamp(after, 0, most);
    say(mutation,
        is_linear ? "%s limit of body %d %.3f -> %.3f m" : "%s limit of body %d %.2f -> %.2f rad",
        is_lower ? "lower" : "upper", row, before, *limit);
}

static void body_recursion(struct mutation *mutation)
{
    int row;
    struct body_gene *body = pick_body(mutation, &row);
    int before = body->recursive_limit;
    int after = before + (rng_chance(mutation->rng, 0.5) ? 1 : -1);

    body->recursive_limit = (uint8_t)clamp(after, 1, GENOME_RECURSION_MAX);
    say(mutation, "recursive limit of body %d %d -> %d", row, before, body->recursive_limit);
}

static void body_symmetry(struct mutation *mutation)
{
    int row;
    struct body_gene *body = pick_body(mutation, &row);

    if (mutation->genome->kind == BODY_SPHERES) {
        int before = body->is_symmetric;

        body->is_symmetric =
            (uint8_t)((before + 1 + below(mutation, SYMMETRY_COUNT - 1)) % SYMMETRY_COUNT);
        say(mutation, "symmetry of sphere %d %s -> %s", row, symmetry_names[before],
            symmetry_names[body->is_symmetric]);
        return;
    }
    body->is_symmetric = !body->is_symmetric;
    say(mutation, "body %d %s symmetric", row, body->is_symmetric ? "became" : "is no longer");
}

/* Any of the sensors that bodies of the genome's kind may have. */
static int pick_sensor(struct mutation *mutation)
{
    uint32_t possible = body_kinds[mutation->genome->kind].sensors;
    int sensor = 0, wanted = below(mutation, __builtin_popcount(possible));

    while (!(possible & SENSOR_BIT(sensor)) || wanted-- > 0)
        sensor++;
    return sensor;
}

/* Inputs that read a sensor which disappears are drawn again when the genome is tidied. */
static void body_sensors(struct mutation *mutation)
{
    uint32_t on = sensors_switched_on(mutation->params);
    int row, sensor = pick_sensor(mutation);
    struct body_gene *body = pick_body(mutation, &row);

    /* one that is switched off does not come; the mutation that changes nothing is drawn again */
    if (!(on & SENSOR_BIT(sensor)) && !(body->sensors & SENSOR_BIT(sensor)))
        return;
    body->sensors ^= SENSOR_BIT(sensor);
    say(mutation, "body %d %s the sensor %s", row,
        body->sensors & SENSOR_BIT(sensor) ? "gained" : "lost", sensors[sensor].name);
}

/* ---- inputs ---- */

/* Changes the value of a constant, or the weight of anything else, whose scale is `unit`. `what` names
 * the input. */
static void change_input(struct mutation *mutation, struct input_gene *input, double unit,
                         const char *what)
{
    int is_constant = input->kind == INPUT_CONSTANT;
    double *number = is_constant ? &input->value : &input->weight;
    double before = *number, least_scale = LEAST_WEIGHT * (is_constant ? 1 : unit);

    *number =
        clamp(change_signed(mutation, before, least_scale), -GENOME_WEIGHT_MAX, GENOME_WEIGHT_MAX);
    /* The constant that stands for something lost has no weight yet. */
    if (is_constant && input->weight == 0)
        input->weight = 1;
    say(mutation, "%s of %s %.3f -> %.3f", is_constant ? "constant" : "weight", what, before,
        *number);
}

static void redraw_input(struct mutation *mutation, gene_id owner, struct input_gene *input,
                         const char *what)
{
    char source[80];

    wiring_draw(mutation->genome, owner, mutation->rng, input);
    wiring_describe(mutation->genome, input, source, sizeof(source));
    say(mutation, "%s now reads %s", what, source);
}

static void effector(struct mutation *mutation)
{
    int row;
    struct body_gene *body = pick_jointed(mutation, &row);
    double draw = rng_unit(mutation->rng), before = body->effector_strength;
    double unit = genetics_signal_unit(body, mutation->params);
    char what[48];

    snprintf(what, sizeof(what), "the effector of body %d", row);
    if (!body->has_effector) {
        gain_effector(mutation, row);
        say(mutation, "body %d gained an effector", row);
    } else if (draw < EFFECTOR_LOST && mutation->params->mutation_body) {
        lose_effector(body);
        say(mutation, "body %d lost its effector", row);
    } else if (draw < EFFECTOR_LOST + EFFECTOR_LED) {
        redraw_input(mutation, body->id, &body->effector_input, what);
        body->effector_input.weight *= unit;
    } else if (draw < EFFECTOR_LOST + EFFECTOR_LED + EFFECTOR_WEIGHT) {
        change_input(mutation, &body->effector_input, unit, what);
    } else {
        body->effector_strength = clamp(change(mutation, before, LEAST_STRENGTH), 0.01, 1);
        say(mutation, "strength of %s %.2f -> %.2f", what, before, body->effector_strength);
    }
}

/* ---- spheres and bones ---- */

static void sphere_surface(struct mutation *mutation)
{
    int row, i;
    double draw = rng_unit(mutation->rng);
    struct sphere_gene *sphere = &pick_body(mutation, &row)->sphere;
    double before = sphere->friction;

    if (draw < SURFACE_HEAD) {
        for (i = 0; i < mutation->genome->body_count; i++)
            mutation->genome->bodies[i].sphere.is_head = i == row;
        say(mutation, "sphere %d became the head", row);
    } else if (draw < SURFACE_HEAD + SURFACE_ROLLING) {
        sphere->is_rolling = !sphere->is_rolling;
        say(mutation, "sphere %d %s", row, sphere->is_rolling ? "rolls now" : "rolls no longer");
    } else {
        sphere->friction = clamp(change(mutation, before, LEAST_FRICTION), 0, GENOME_FRICTION_MAX);
        say(mutation, "friction of sphere %d %.2f -> %.2f", row, before, sphere->friction);
    }
}

static void sphere_axis(struct mutation *mutation)
{
    int row;
    struct sphere_gene *sphere = &pick_held(mutation, JOINT_HINGE, &row)->sphere;
    double before = sphere->axis_rad;

    sphere->axis_rad = clamp(change_signed(mutation, before, LEAST_ANGLE_RAD),
                             -GENOME_ANGLE_MAX_RAD, GENOME_ANGLE_MAX_RAD);
    say(mutation, "axis of sphere %d %.2f -> %.2f rad", row, before, sphere->axis_rad);
}

static void lose_drive(struct body_gene *body)
{
    body->sphere.drive_strength = 0;
    memset(body->sphere.drives, 0, sizeof(body->sphere.drives));
}

static void sphere_drive(struct mutation *mutation)
{
    int row, k;
    struct body_gene *body = pick_held(mutation, JOINT_HINGE, &row);
    double draw = rng_unit(mutation->rng), before = body->sphere.drive_strength;
    char what[48];

    snprintf(what, sizeof(what), "the drive of sphere %d", row);
    if (before == 0) {
        mutation->status = genetics_random_drive(mutation->genome, row, mutation->params,
                                                 mutation->rng, mutation->ids);
        say(mutation, "the joint of sphere %d is driven", row);
    } else if (draw < DRIVE_LOST && mutation->params->mutation_body) {
        lose_drive(body);
        say(mutation, "the joint of sphere %d is no longer driven", row);
    } else if (draw < DRIVE_LOST + DRIVE_LED) {
        k = below(mutation, genome_drive_count(body));
        redraw_input(mutation, body->id, &body->sphere.drives[k], what);
    } else if (draw < DRIVE_LOST + DRIVE_LED + DRIVE_WEIGHT) {
        k = below(mutation, genome_drive_count(body));
        change_input(mutation, &body->sphere.drives[k], 1, what);
    } else {
        body->sphere.drive_strength = clamp(change(mutation, before, LEAST_STRENGTH), 0.01, 1);
        say(mutation, "strength of %s %.2f -> %.2f", what, before, body->sphere.drive_strength);
    }
}

static const char *bone_name(const struct connection_gene *connection)
{
    return connection->bone.brace ? "brace" : "bone";
}

/* Braces are as long as their ends lie apart: nothing changes. */
static void bone_length(struct mutation *mutation)
{
    double low = fmax(GENOME_BONE_MIN_M, mutation->params->creature_bone_min_m);
    double high = fmin(GENOME_BONE_MAX_M, mutation->params->creature_bone_max_m);
    int row;
    struct bone_gene *bone = &pick_connection(mutation, &row)->bone;
    double before = bone->length_m;

    if (bone->brace)
        return;
    bone->length_m = clamp(change(mutation, before, low), fmin(low, high), high);
    say(mutation, "length of bone %d %.3f -> %.3f m", row, before, bone->length_m);
}

/* A new muscle needs an effector in the part that moves it. */
static void gain_muscle(struct mutation *mutation, struct connection_gene *connection, int row)
{
    gene_id actor = connection->bone.brace ? connection->from : connection->to;
    int body = genome_find_body(mutation->genome, actor);

    spheres_draw_muscle(&connection->bone, mutation->rng);
    say(mutation, "%s %d became a muscle", bone_name(connection), row);
    if (!mutation->genome->bodies[body].has_effector)
        gain_effector(mutation, body);
}

static void bone_muscle(struct mutation *mutation)
{
    int row, choice = below(mutation, 4);
    struct connection_gene *connection = pick_connection(mutation, &row);
    struct bone_gene *bone = &connection->bone;
    const char *name = bone_name(connection);
    double before;

    if (bone->gain == 0) {
        gain_muscle(mutation, connection, row);
    } else if (rng_chance(mutation->rng, MUSCLE_LOST)) {
        spheres_clear_muscle(bone);
        say(mutation, "%s %d is no longer a muscle", name, row);
    } else if (choice == 0) {
        before = bone->shortest;
        bone->shortest = clamp(change(mutation, before, LEAST_SHARE), GENOME_MUSCLE_SHARE_MIN, 1);
        say(mutation, "shortest of %s %d %.2f -> %.2f", name, row, before, bone->shortest);
    } else if (choice == 1) {
        before = bone->longest;
        bone->longest = clamp(change(mutation, before, LEAST_SHARE), 1, GENOME_MUSCLE_SHARE_MAX);
        say(mutation, "longest of %s %d %.2f -> %.2f", name, row, before, bone->longest);
    } else if (choice == 2) {
        before = bone->rate_1_s;
        bone->rate_1_s = clamp(change(mutation, before, LEAST_RATE_1_S), 0, GENOME_MUSCLE_RATE_1_S);
        say(mutation, "rate of %s %d %.2f -> %.2f 1/s", name, row, before, bone->rate_1_s);
    } else {
        before = bone->gain;
        bone->gain = clamp(change_signed(mutation, before, LEAST_SHARE), -1, 1);
        say(mutation, "gain of %s %d %.2f -> %.2f", name, row, before, bone->gain);
        if (bone->gain == 0)
            spheres_clear_muscle(bone);
    }
}

static void bone_brace(struct mutation *mutation)
{
    int row;
    struct bone_gene *bone = &pick_connection(mutation, &row)->bone;
    int before = bone->brace;

    if (!before)
        return;
    bone->brace = (uint8_t)(1 + (before + below(mutation, BRACE_COUNT - 2)) % (BRACE_COUNT - 1));
    say(mutation, "brace %d leads to %s instead of %s", row, brace_names[bone->brace],
        brace_names[before]);
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
    say(mutation, "function of neuron %d %s -> %s", row, before, function_name(neuron));
}

static void change_phase(struct mutation *mutation, struct neuron_gene *neuron, int row)
{
    double before = neuron->initial;
    double after = change(mutation, before, LEAST_PHASE);

    neuron->initial = clamp(after - det_floor(after), 0, PHASE_LIMIT);
    say(mutation, "phase of neuron %d (%s) %.3f -> %.3f turns", row, function_name(neuron), before,
        neuron->initial);
}

static void neuron_weight(struct mutation *mutation)
{
    int row;
    struct neuron_gene *neuron = pick_neuron(mutation, &row);
    int count = neuron_functions[neuron->function].input_count;
    int k = below(mutation, count + genetics_is_oscillator(neuron->function));
    char what[64];

    if (k == count) {
        change_phase(mutation, neuron, row);
        return;
    }
    snprintf(what, sizeof(what), "input %d of neuron %d (%s)", k, row, function_name(neuron));
    change_input(mutation, &neuron->inputs[k], 1, what);
}

static void neuron_input(struct mutation *mutation)
{
    int row;
    struct neuron_gene *neuron = pick_neuron(mutation, &row);
    int k = below(mutation, neuron_functions[neuron->function].input_count);
    char what[64];

    snprintf(what, sizeof(what), "input %d of neuron %d (%s)", k, row, function_name(neuron));
    redraw_input(mutation, neuron->owner, &neuron->inputs[k], what);
}

/* ---- new nodes ---- */

/* Hangs a new body on a random one, mostly with a drive of its own. */
static void add_body(struct mutation *mutation)
{
    struct genome *genome = mutation->genome;
    int parent, row = genome->body_count;
    gene_id from = pick_body(mutation, &parent)->id;

    mutation->status = genetics_random_body(genome, mutation->params, mutation->rng, mutation->ids);
    if (mutation->status)
        return;
    mutation->status = genetics_random_connection(genome, from, genome->bodies[row].id,
                                                  mutation->params, mutation->rng, mutation->ids);
    if (mutation->status)
        return;
    if (genetics_has_joint(genome, row) &&
        rng_chance(mutation->rng, mutation->params->initial_effectors))
        gain_effector(mutation, row);
    if (genome->kind == BODY_SPHERES)
        say(mutation, "added sphere %d (%s, %.2f m) to sphere %d", row,
            joint_type_names[genome->bodies[row].joint], genome->bodies[row].sphere.radius_m,
            parent);
    else
        say(mutation, "added body %d (%s, %.2f x %.2f m) to body %d", row,
            joint_type_names[genome->bodies[row].joint], genome->bodies[row].width_m,
            genome->bodies[row].height_m, parent);
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

        if (body->has_effector && genetics_has_joint(genome, i))
            count = add_reader(genome, source, body->id, &body->effector_input, readers, count);
        for (k = 0; k < genome_drive_count(body); k++)
            count = add_reader(genome, source, body->id, &body->sphere.drives[k], readers, count);
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
    int place = below(mutation, genome->body_count + 1), count;
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
    insert_neuron(mutation, neuron, &readers[below(mutation, count)]);
    say(mutation, "added a neuron %s to %s", function_name(neuron),
        place_name(genome, owner, text));
}

/* ---- connections ---- */

static void bone_placement(struct mutation *mutation)
{
    int row, is_tilt = rng_chance(mutation->rng, 0.5);
    struct connection_gene *connection = pick_connection(mutation, &row);
    double most = is_tilt ? GENOME_ANGLE_MAX_RAD / 4 : GENOME_ANGLE_MAX_RAD;
    double *angle = is_tilt ? &connection->bone.tilt_rad : &connection->angle_rad;
    double before = *angle;

    if (connection->bone.brace)
        return;
    *angle = clamp(change_signed(mutation, before, LEAST_ANGLE_RAD), -most, most);
    say(mutation, "%s of bone %d %.2f -> %.2f rad", is_tilt ? "tilt" : "angle", row, before,
        *angle);
}

static void connection_placement(struct mutation *mutation)
{
    if (mutation->genome->kind == BODY_SPHERES) {
        bone_placement(mutation);
        return;
    }

    int row, choice = below(mutation, 5);
    struct connection_gene *connection = pick_connection(mutation, &row);
    int is_parent = choice < 2;
    const char *side = is_parent ? "parent" : "child";
    uint8_t *face = is_parent ? &connection->parent_face : &connection->child_face;
    double *position = is_parent ? &connection->parent_position : &connection->child_position;
    double before = choice == 4 ? connection->angle_rad : *position;
    int old_face = *face;

    if (choice == 4) {
        connection->angle_rad = clamp(change_signed(mutation, before, LEAST_ANGLE_RAD),
                                      -GENOME_ANGLE_MAX_RAD, GENOME_ANGLE_MAX_RAD);
        say(mutation, "angle of connection %d %.2f -> %.2f rad", row, before,
            connection->angle_rad);
    } else if (choice % 2) {
        *position = clamp(change_signed(mutation, before, LEAST_POSITION), -1, 1);
        say(mutation, "%s position of connection %d %.2f -> %.2f", side, row, before, *position);
    } else {
        *face = (uint8_t)((old_face + 1 + below(mutation, FACE_COUNT - 1)) % FACE_COUNT);
        say(mutation, "%s face of connection %d %s -> %s", side, row, face_names[old_face],
            face_names[*face]);
    }
}

static void connection_scale(struct mutation *mutation)
{
    int row;
    struct connection_gene *connection = pick_connection(mutation, &row);
    double before = connection->scale;

    if (connection->bone.brace)
        return;
    connection->scale =
        clamp(change(mutation, before, GENOME_SCALE_MIN), GENOME_SCALE_MIN, GENOME_SCALE_MAX);
    say(mutation, "scale of connection %d %.3f -> %.3f", row, before, connection->scale);
}

static void connection_flags(struct mutation *mutation)
{
    int row, is_reflection = rng_chance(mutation->rng, 0.5);
    struct connection_gene *connection = pick_connection(mutation, &row);
    uint8_t *flag = is_reflection ? &connection->is_reflected : &connection->is_terminal_only;

    if (connection->bone.brace)
        return;
    *flag = !*flag;
    say(mutation, "connection %d %s %s", row, *flag ? "became" : "is no longer",
        is_reflection ? "reflected" : "terminal-only");
}

static void connection_target(struct mutation *mutation)
{
    int row, body;
    struct connection_gene *connection = pick_connection(mutation, &row);

    connection->to = pick_body(mutation, &body)->id;
    say(mutation, "connection %d now leads to body %d", row, body);
}

static void add_connection(struct mutation *mutation)
{
    int from, to;
    gene_id from_id = pick_body(mutation, &from)->id;
    gene_id to_id = pick_body(mutation, &to)->id;

    mutation->status = genetics_random_connection(mutation->genome, from_id, to_id,
                                                  mutation->params, mutation->rng, mutation->ids);
    say(mutation, "added a connection from body %d to body %d", from, to);
}

static void add_brace(struct mutation *mutation)
{
    int from, to;
    gene_id from_id = pick_body(mutation, &from)->id;
    gene_id to_id = pick_body(mutation, &to)->id;

    mutation->status = genetics_random_brace(mutation->genome, from_id, to_id, mutation->params,
                                             mutation->rng, mutation->ids);
    say(mutation, "added a brace from sphere %d to sphere %d", from, to);
}

static void remove_connection(struct mutation *mutation)
{
    int row;
    const struct connection_gene *connection = pick_connection(mutation, &row);

    say(mutation, "removed connection %d (body %d to body %d)", row,
        genome_find_body(mutation->genome, connection->from),
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
static int count_jointed(const struct genome *genome)
{
    int i, count = 0;

    for (i = 0; i < genome->body_count; i++)
        count += genetics_has_joint(genome, i);
    return count;
}

/* Of spheres: joints of at least that type that are in use. */
static int count_joints(const struct genome *genome, int joint)
{
    int i, count = 0;

    for (i = 0; i < genome->body_count; i++)
        count += genome->bodies[i].joint >= joint && spheres_is_held(genome, i);
    return count;
}
static int count_limited(const struct genome *genome)
{
    return genome->kind == BODY_SPHERES ? count_joints(genome, JOINT_BALL) : count_jointed(genome);
}
static int count_hinges(const struct genome *genome)
{
    return genome->kind == BODY_SPHERES ? count_joints(genome, JOINT_HINGE) : 0;
}
static int count_spheres(const struct genome *genome)
{
    return genome->kind == BODY_SPHERES ? genome->body_count : 0;
}
static int count_bones(const struct genome *genome)
{
    return genome->kind == BODY_SPHERES ? genome->connection_count : 0;
}

/* Name, sites, and whether it changes the body: then not with mutation.body off. */
#define KINDS(X)                                                                                   \
    X(breeding_method, count_breeding, 0)                                                          \
    X(body_size, count_bodies, 1)                                                                  \
    X(body_joint, count_bodies, 1)                                                                 \
    X(body_limits, count_limited, 1)                                                               \
    X(body_recursion, count_bodies, 1)                                                             \
    X(body_symmetry, count_bodies, 1)                                                              \
    X(body_sensors, count_bodies, 0)                                                               \
    X(sphere_surface, count_spheres, 1)                                                            \
    X(sphere_axis, count_hinges, 1)                                                                \
    X(effector, count_jointed, 0)                                                                  \
    X(sphere_drive, count_hinges, 0)                                                               \
    X(bone_length, count_bones, 1)                                                                 \
    X(bone_muscle, count_bones, 1)                                                                 \
    X(neuron_function, count_neurons, 0)                                                           \
    X(neuron_weight, count_neurons, 0)                                                             \
    X(neuron_input, count_neurons, 0)                                                              \
    X(add_body, count_genome, 1)                                                                   \
    X(add_neuron, count_genome, 0)                                                                 \
    X(connection_placement, count_connections, 1)                                                  \
    X(connection_scale, count_connections, 1)                                                      \
    X(connection_flags, count_connections, 1)                                                      \
    X(connection_target, count_connections, 1)                                                     \
    X(bone_brace, count_bones, 1)                                                                  \
    X(add_connection, count_bodies, 1)                                                             \
    X(add_brace, count_spheres, 1)                                                                 \
    X(remove_connection, count_connections, 1)

static const struct {
    size_t rate_offset; /* of mutation.KIND in struct params */
    int is_of_body;
    int (*count_sites)(const struct genome *genome);
    void (*apply)(struct mutation *mutation);
} kinds[] = {
#define X(name, sites, is_of_body)                                                                 \
    {offsetof(struct params, mutation_##name), is_of_body, sites, name},
    KINDS(X)
#undef X
};
enum { KIND_COUNT = sizeof(kinds) / sizeof(kinds[0]) };

/* A kind by rate and number of sites; -1: none is possible. */
static int draw_kind(const struct genome *genome, const struct params *params, struct rng *rng)
{
    double weights[KIND_COUNT];
    int i;

    for (i = 0; i < KIND_COUNT; i++) {
        double rate;

        memcpy(&rate, (const char *)params + kinds[i].rate_offset, sizeof(rate));
        if (kinds[i].is_of_body && !params->mutation_body)
            rate = 0;
        weights[i] = rate > 0 ? rate * kinds[i].count_sites(genome) : 0;
    }
    return rng_pick(rng, weights, KIND_COUNT);
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
    if (kinds[kind].count_sites(genome) == 0)
        return 0;
    if (genome_copy(&trial, genome))
        return ERR_MEMORY;
    mutation->genome = &trial;
    mutation->status = 0;
    mutation->words[0] = '\0';
    kinds[kind].apply(mutation);
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

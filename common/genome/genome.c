/* The genotype's tables: storage, search, equality, digest.
 *
 * Genomes are small (rows by the dozen), so rows are found by a linear search and removal moves the
 * rest up: with at most 256 neurons of 3 inputs the whole check (genome_check.c) takes
 * microseconds, and an index would have to be kept right by every mutation. */
#include "common/genome/genome.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "common/genome/body_kind.h"
#include "common/math/hash.h"
#include "common/rows.h"

const char *const joint_type_names[JOINT_TYPE_COUNT] = {
    "rigid",    "rotary", "linear",    "free",       "ball",       "hinge",    "saddle",
    "revolute", "twist",  "universal", "bend-twist", "twist-bend", "spherical"};
#define HALF_TURN GENOME_AXIS_LIMIT_RAD
const struct joint_type_info joint_types[JOINT_TYPE_COUNT] = {
    [JOINT_RIGID] = {.limit_max = GENOME_LIMIT_MAX_RAD},
    [JOINT_ROTARY] = {.limit_max = GENOME_LIMIT_MAX_RAD, .freedoms = 1},
    [JOINT_LINEAR] = {.limit_max = GENOME_LIMIT_MAX_M, .freedoms = 1},
    [JOINT_FREE] = {.limit_max = 0},
    [JOINT_BALL] = {.limit_max = HALF_TURN},
    [JOINT_HINGE] = {.limit_max = HALF_TURN, .driven_axes = 1},
    [JOINT_SADDLE] = {.limit_max = HALF_TURN / 2, .driven_axes = 2},
    [JOINT_REVOLUTE] = {.limit_max = HALF_TURN, .freedoms = 1},
    [JOINT_TWIST] = {.limit_max = HALF_TURN, .freedoms = 1},
    [JOINT_UNIVERSAL] = {.limit_max = HALF_TURN, .freedoms = 2},
    [JOINT_BEND_TWIST] = {.limit_max = HALF_TURN, .freedoms = 2},
    [JOINT_TWIST_BEND] = {.limit_max = HALF_TURN, .freedoms = 2},
    // its rotation vector, which servos follow, jumps at half a turn
    [JOINT_SPHERICAL] = {.limit_max = HALF_TURN / 2, .freedoms = 3},
};
const char *const symmetry_names[SYMMETRY_COUNT] = {"none", "sides", "ends", "levels"};
const char *const brace_names[BRACE_COUNT] = {"none", "ancestor", "sibling", "twin", "nearest"};
const char *const mouth_names[MOUTH_COUNT] = {"none", "plants", "flesh"};
const char *const breeding_gene_names[BREEDING_GENE_COUNT] = {"unset", "asexual", "crossover",
                                                              "graft"};
const char *const input_scope_names[SCOPE_COUNT] = {"own", "parent", "child", "central", "part"};

/* ---- storage ---- */

void genome_init(struct genome *genome)
{
    memset(genome, 0, sizeof(*genome));
}

void genome_deinit(struct genome *genome)
{
    free(genome->bodies);
    free(genome->connections);
    free(genome->neurons);
    genome_init(genome);
}

/* A copy of count rows; *is_failed is set when memory is out. An empty table is NULL. */
static void *copy_table(const void *rows, int count, size_t size, int *is_failed)
{
    if (count == 0)
        return NULL;
    void *copy = malloc((size_t)count * size);
    if (!copy)
        *is_failed = 1;
    else
        memcpy(copy, rows, (size_t)count * size);
    return copy;
}

int genome_copy(struct genome *copy, const struct genome *genome)
{
    int is_failed = 0;
    genome_init(copy);
    copy->root = genome->root;
    copy->breeding = genome->breeding;
    copy->kind = genome->kind;
    copy->bodies =
        copy_table(genome->bodies, genome->body_count, sizeof(*genome->bodies), &is_failed);
    copy->connections = copy_table(genome->connections, genome->connection_count,
                                   sizeof(*genome->connections), &is_failed);
    copy->neurons =
        copy_table(genome->neurons, genome->neuron_count, sizeof(*genome->neurons), &is_failed);
    if (is_failed) {
        genome_deinit(copy);
        return ERR_MEMORY;
    }
    copy->body_count = copy->body_room = genome->body_count;
    copy->connection_count = copy->connection_room = genome->connection_count;
    copy->neuron_count = copy->neuron_room = genome->neuron_count;
    return 0;
}

static void check_tables(const struct genome *genome)
{
    ENSURE(genome->body_count >= 0 && genome->body_count <= GENOME_BODIES_MAX, "%d body genes",
           genome->body_count);
    ENSURE(genome->connection_count >= 0 && genome->connection_count <= GENOME_CONNECTIONS_MAX,
           "%d connections", genome->connection_count);
    ENSURE(genome->neuron_count >= 0 && genome->neuron_count <= GENOME_NEURONS_MAX, "%d neurons",
           genome->neuron_count);
    ENSURE(genome->body_count <= genome->body_room && genome->neuron_count <= genome->neuron_room &&
               genome->connection_count <= genome->connection_room,
           "%d body genes, %d connections and %d neurons are more than there is room for",
           genome->body_count, genome->connection_count, genome->neuron_count);
}

struct body_gene *genome_add_body(struct genome *genome)
{
    check_tables(genome);
    return rows_add(&genome->bodies, &genome->body_count, &genome->body_room, GENOME_BODIES_MAX,
                    sizeof genome->bodies[0]);
}

struct connection_gene *genome_add_connection(struct genome *genome)
{
    check_tables(genome);
    return rows_add(&genome->connections, &genome->connection_count, &genome->connection_room,
                    GENOME_CONNECTIONS_MAX, sizeof genome->connections[0]);
}

struct neuron_gene *genome_add_neuron(struct genome *genome)
{
    check_tables(genome);
    return rows_add(&genome->neurons, &genome->neuron_count, &genome->neuron_room,
                    GENOME_NEURONS_MAX, sizeof genome->neurons[0]);
}

static void remove_row(void *rows, int *count, int index, size_t size, const char *what)
{
    ENSURE(index >= 0 && index < *count, "%s %d of %d", what, index, *count);
    char *row = (char *)rows + (size_t)index * size;
    memmove(row, row + size, (size_t)(*count - index - 1) * size);
    (*count)--;
}

void genome_remove_body(struct genome *genome, int index)
{
    remove_row(genome->bodies, &genome->body_count, index, sizeof genome->bodies[0], "body");
}

void genome_remove_connection(struct genome *genome, int index)
{
    remove_row(genome->connections, &genome->connection_count, index, sizeof genome->connections[0],
               "connection");
}

void genome_remove_neuron(struct genome *genome, int index)
{
    remove_row(genome->neurons, &genome->neuron_count, index, sizeof genome->neurons[0], "neuron");
}

/* A joint type's row. The number may be unchecked: one that is no type gets a row without limits
 * and freedoms. */
static const struct joint_type_info *find_joint_type(int joint)
{
    static const struct joint_type_info none;
    return joint >= 0 && joint < JOINT_TYPE_COUNT ? &joint_types[joint] : &none;
}

double genome_limit_max(int joint)
{
    return find_joint_type(joint)->limit_max;
}

double genome_reach_m(const struct body_gene *body)
{
    double side = body->width_m > body->height_m ? body->width_m : body->height_m;
    return (side > body->box.depth_m ? side : body->box.depth_m) / 2;
}

int genome_effector_count(const struct body_gene *body)
{
    int freedoms = find_joint_type(body->joint)->freedoms;
    return !body->has_effector ? 0 : freedoms > 1 ? freedoms : 1;
}

int genome_drive_count(const struct body_gene *body)
{
    int further = genome_effector_count(body) - 1;
    if (body->drive_strength != 0)
        return find_joint_type(body->joint)->driven_axes;
    return further > 0 ? further : 0;
}

int genome_has_mouth(const struct genome *genome, int mouth)
{
    for (int i = 0; i < genome->body_count; i++)
        if (genome->bodies[i].mouth == mouth)
            return 1;
    return 0;
}

/* The place of input number `index` in the gene, from its beginning; 0: there is none. */
static size_t find_body_input(const struct body_gene *body, int index)
{
    int drive = index - (body->has_effector ? 1 : 0), drives = genome_drive_count(body);
    if (drive < 0)
        return offsetof(struct body_gene, effector_input);
    if (drive < drives)
        return offsetof(struct body_gene, drives) + (size_t)drive * sizeof body->drives[0];
    int wanted = drive - drives;
    for (int i = 0; i < EMITTER_COUNT; i++)
        if (body->emitters[i].is_there && wanted-- == 0)
            return offsetof(struct body_gene, emitters) + (size_t)i * sizeof body->emitters[0] +
                   offsetof(struct emitter_gene, input);
    if (body->stretch.limit != 0 && wanted == 0)
        return offsetof(struct body_gene, stretch.input);
    return 0;
}

struct input_gene *genome_body_input(struct body_gene *body, int index)
{
    size_t offset = find_body_input(body, index);
    return offset ? (void *)((char *)body + offset) : NULL;
}

const struct input_gene *genome_body_input_const(const struct body_gene *body, int index)
{
    size_t offset = find_body_input(body, index);
    return offset ? (const void *)((const char *)body + offset) : NULL;
}

int genome_find_body(const struct genome *genome, gene_id id)
{
    for (int i = 0; i < genome->body_count; i++)
        if (genome->bodies[i].id == id)
            return i;
    return -1;
}

int genome_find_connection(const struct genome *genome, gene_id id)
{
    for (int i = 0; i < genome->connection_count; i++)
        if (genome->connections[i].id == id)
            return i;
    return -1;
}

int genome_find_neuron(const struct genome *genome, gene_id id)
{
    for (int i = 0; i < genome->neuron_count; i++)
        if (genome->neurons[i].id == id)
            return i;
    return -1;
}

/* ---- equality and digest: every field once, never the padding between them ---- */

/* ---------------------------------------------------------------- sights */

static int exchange_sensor(int sensor, enum sight_kind one, enum sight_kind other)
{
    int exchanged = sight_sensor_of(sensor, one, other);
    return exchanged != sensor ? exchanged : sight_sensor_of(sensor, other, one);
}

static void exchange_input(struct input_gene *input, enum sight_kind one, enum sight_kind other)
{
    if (input->kind == INPUT_SENSOR)
        input->sensor = (uint8_t)exchange_sensor(input->sensor, one, other);
}

void genome_exchange_sights(struct genome *genome, enum sight_kind one, enum sight_kind other)
{
    ENSURE((int)one >= 0 && one < SIGHT_COUNT && (int)other >= 0 && other < SIGHT_COUNT,
           "sights %d and %d", (int)one, (int)other);
    for (int i = 0; i < genome->body_count; i++) {
        struct body_gene *body = &genome->bodies[i];
        struct input_gene *input;
        uint64_t set = 0;
        for (int k = 0; k < SENSOR_COUNT; k++)
            if (body->sensors & SENSOR_BIT(k))
                set |= SENSOR_BIT(exchange_sensor(k, one, other));
        body->sensors = set;
        for (int k = 0; (input = genome_body_input(body, k)); k++)
            exchange_input(input, one, other);
    }
    for (int i = 0; i < genome->neuron_count; i++)
        for (int k = 0; k < NEURON_INPUTS_MAX; k++)
            exchange_input(&genome->neurons[i].inputs[k], one, other);
}

static uint64_t sensor_read_by(const struct input_gene *input)
{
    return input->kind == INPUT_SENSOR ? SENSOR_BIT(input->sensor) : 0;
}

uint64_t genome_sensors_read(const struct genome *genome)
{
    const struct input_gene *input;
    uint64_t there = 0, read = 0;
    for (int i = 0; i < genome->body_count; i++) {
        there |= genome->bodies[i].sensors;
        for (int k = 0; (input = genome_body_input_const(&genome->bodies[i], k)); k++)
            read |= sensor_read_by(input);
    }
    for (int i = 0; i < genome->neuron_count; i++)
        for (int k = 0; k < NEURON_INPUTS_MAX; k++)
            read |= sensor_read_by(&genome->neurons[i].inputs[k]);
    return read & there;
}

int genome_see_instead(struct genome *genome, enum sight_kind from, enum sight_kind to)
{
    uint64_t read = genome_sensors_read(genome);
    if (!(read & sights[from].sensors) || read & sights[to].sensors)
        return 0;
    genome_exchange_sights(genome, from, to);
    return 1;
}

static int is_equal_neuron(const struct neuron_gene *a, const struct neuron_gene *b)
{
    if (a->id != b->id || a->owner != b->owner || a->function != b->function ||
        a->initial != b->initial || a->lag_image != b->lag_image || a->lag_row != b->lag_row)
        return 0;
    for (int i = 0; i < NEURON_INPUTS_MAX; i++)
        if (!gene_is_equal_input(&a->inputs[i], &b->inputs[i]))
            return 0;
    return 1;
}

int genome_is_equal(const struct genome *a, const struct genome *b)
{
    const struct body_kind_info *kind = &body_kinds[a->kind];
    if (a->root != b->root || a->breeding != b->breeding || a->kind != b->kind ||
        a->body_count != b->body_count || a->connection_count != b->connection_count ||
        a->neuron_count != b->neuron_count)
        return 0;
    for (int i = 0; i < a->body_count; i++)
        if (!gene_is_equal(kind->body, &a->bodies[i], &b->bodies[i]))
            return 0;
    for (int i = 0; i < a->connection_count; i++)
        if (!gene_is_equal(kind->connection, &a->connections[i], &b->connections[i]))
            return 0;
    for (int i = 0; i < a->neuron_count; i++)
        if (!is_equal_neuron(&a->neurons[i], &b->neurons[i]))
            return 0;
    return 1;
}

static uint64_t hash_neuron(uint64_t hash, const struct neuron_gene *neuron)
{
    hash = hash_u64(hash, neuron->id);
    hash = hash_u64(hash, neuron->owner);
    hash = hash_u64(hash, neuron->function);
    hash = hash_double(hash, neuron->initial);
    for (int i = 0; i < NEURON_INPUTS_MAX; i++)
        hash = gene_hash_input(&neuron->inputs[i], hash);
    // without lags it is the hash of the versions that had none
    if (genome_has_lags(neuron))
        hash = hash_double(hash_double(hash, neuron->lag_image), neuron->lag_row);
    return hash;
}

uint64_t genome_hash(const struct genome *genome)
{
    const struct body_kind_info *kind = &body_kinds[genome->kind];
    uint64_t hash = hash_u64(HASH_START, genome->root);
    hash = hash_u64(hash, (uint64_t)genome->body_count);
    hash = hash_u64(hash, (uint64_t)genome->connection_count);
    hash = hash_u64(hash, (uint64_t)genome->neuron_count);
    for (int i = 0; i < genome->body_count; i++)
        hash = gene_hash(kind->body, &genome->bodies[i], 0, hash);
    for (int i = 0; i < genome->connection_count; i++)
        hash = gene_hash(kind->connection, &genome->connections[i], 0, hash);
    for (int i = 0; i < genome->neuron_count; i++)
        hash = hash_neuron(hash, &genome->neurons[i]);
    // the first kind, and genomes without a breeding gene, keep the hash of the first version
    if (genome->kind != 0)
        hash = hash_u64(hash, genome->kind);
    return genome->breeding ? hash_u64(hash, genome->breeding) : hash;
}

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

_Static_assert(offsetof(struct body_gene, id) == 0 && offsetof(struct connection_gene, id) == 0 &&
                   offsetof(struct neuron_gene, id) == 0,
               "rows begin with their ids");
const struct genome_table_info genome_tables[GENOME_TABLE_COUNT] = {
    [GENOME_BODIES] = {"bodies", "body", GENOME_BODIES_MAX, sizeof(struct body_gene)},
    [GENOME_CONNECTIONS] = {"connections", "connection", GENOME_CONNECTIONS_MAX,
                            sizeof(struct connection_gene)},
    [GENOME_NEURONS] = {"neurons", "neuron", GENOME_NEURONS_MAX, sizeof(struct neuron_gene)}};

void genome_init(struct genome *genome)
{
    memset(genome, 0, sizeof(*genome));
}

void genome_deinit(struct genome *genome)
{
    for (int table = 0; table < GENOME_TABLE_COUNT; table++)
        free(genome->rows[table]);
    genome_init(genome);
}

int genome_copy(struct genome *copy, const struct genome *genome)
{
    int is_failed = 0;
    *copy = *genome;
    for (int table = 0; table < GENOME_TABLE_COUNT; table++) {
        size_t bytes = (size_t)genome->counts[table] * genome_tables[table].size;
        copy->rooms[table] = genome->counts[table];
        copy->rows[table] = bytes > 0 ? malloc(bytes) : NULL;
        if (copy->rows[table])
            memcpy(copy->rows[table], genome->rows[table], bytes);
        is_failed |= bytes > 0 && !copy->rows[table];
    }
    if (is_failed)
        genome_deinit(copy);
    return is_failed ? ERR_MEMORY : 0;
}

void *genome_row(const struct genome *genome, enum genome_table table, int row)
{
    return (char *)genome->rows[table] + (size_t)row * genome_tables[table].size;
}

gene_id genome_row_id(const struct genome *genome, enum genome_table table, int row)
{
    return *(const gene_id *)genome_row(genome, table, row);
}

int genome_find(const struct genome *genome, enum genome_table table, gene_id id)
{
    for (int i = 0; i < genome->counts[table]; i++)
        if (genome_row_id(genome, table, i) == id)
            return i;
    return -1;
}

void *genome_add(struct genome *genome, enum genome_table table)
{
    const struct genome_table_info *info = &genome_tables[table];
    int count = genome->counts[table], room = genome->rooms[table];
    ENSURE(count >= 0 && count <= info->most && count <= room, "%d %s of at most %d, room for %d",
           count, info->name, info->most, room);
    return rows_add(&genome->rows[table], &genome->counts[table], &genome->rooms[table], info->most,
                    info->size);
}

int genome_refusal(const struct genome *genome, enum genome_table table)
{
    return genome->counts[table] == genome_tables[table].most ? ERR_LIMIT : ERR_MEMORY;
}

void genome_remove(struct genome *genome, enum genome_table table, int row)
{
    size_t size = genome_tables[table].size;
    ENSURE(row >= 0 && row < genome->counts[table], "%s %d of %d", genome_tables[table].noun, row,
           genome->counts[table]);
    char *at = genome_row(genome, table, row);
    memmove(at, at + size, (size_t)(--genome->counts[table] - row) * size);
}

int genome_find_body(const struct genome *genome, gene_id id)
{
    return genome_find(genome, GENOME_BODIES, id);
}

int genome_find_connection(const struct genome *genome, gene_id id)
{
    return genome_find(genome, GENOME_CONNECTIONS, id);
}

int genome_find_neuron(const struct genome *genome, gene_id id)
{
    return genome_find(genome, GENOME_NEURONS, id);
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

/* ---- sights ---- */

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

/* ---- equality and digest: every field once, never the padding between them ---- */

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
    if (a->root != b->root || a->breeding != b->breeding || a->kind != b->kind ||
        memcmp(a->counts, b->counts, sizeof a->counts) != 0)
        return 0;
    for (int table = 0; table < GENOME_NEURONS; table++)
        for (int i = 0; i < a->counts[table]; i++)
            if (!gene_is_equal(body_kind_genes(a->kind, table), genome_row(a, table, i),
                               genome_row(b, table, i)))
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
    uint64_t hash = hash_u64(HASH_START, genome->root);
    for (int table = 0; table < GENOME_TABLE_COUNT; table++)
        hash = hash_u64(hash, (uint64_t)genome->counts[table]);
    for (int table = 0; table < GENOME_NEURONS; table++)
        for (int i = 0; i < genome->counts[table]; i++)
            hash = gene_hash(body_kind_genes(genome->kind, table), genome_row(genome, table, i), 0,
                             hash);
    for (int i = 0; i < genome->neuron_count; i++)
        hash = hash_neuron(hash, &genome->neurons[i]);
    // the first kind, and genomes without a breeding gene, keep the hash of the first version
    if (genome->kind != 0)
        hash = hash_u64(hash, genome->kind);
    return genome->breeding ? hash_u64(hash, genome->breeding) : hash;
}

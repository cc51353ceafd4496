/* The genome as MessagePack: [root, [body ...], [connection ...], [neuron ...]], with the breeding gene as
 * a fifth element where it is set, and of spheres the kind as a sixth (breeding is then 0 where it is not
 * set); every row an array of its fields in the order of the struct
 * (docs/creature-format.md has the lists).
 *
 * Positions instead of names: a typical genome takes 1 to 2 kB, travels in every task and lies in
 * every row of the run store. Decoding reads a row's fields one after the other from a cursor that
 * keeps the first error, so that each field is one line; genome_check() then looks at the content. */
#include <stdio.h>

#include "common/creature.h"

enum {
    INPUT_FIELDS = 7,
    BODY_FIELDS = 12,
    SPHERE_FIELDS = 19,
    CONNECTION_FIELDS = 11,
    BONE_FIELDS = 14,
    NEURON_FIELDS = 5,
};

/* ---- writing ---- */

static void encode_input(const struct input_gene *input, struct pack_writer *writer)
{
    pack_array(writer, INPUT_FIELDS);
    pack_u64(writer, input->kind);
    pack_u64(writer, input->scope);
    pack_u64(writer, input->sensor);
    pack_u64(writer, input->source);
    pack_u64(writer, input->via);
    pack_double(writer, input->value);
    pack_double(writer, input->weight);
}

/* What bodies of all kinds have, at the end of their rows, or nearly. */
static void encode_growth(const struct body_gene *body, struct pack_writer *writer)
{
    pack_u64(writer, body->recursive_limit);
    pack_u64(writer, body->is_symmetric);
    pack_u64(writer, body->sensors);
    pack_u64(writer, body->has_effector);
    encode_input(&body->effector_input, writer);
    pack_double(writer, body->effector_strength);
}

static void encode_body(const struct body_gene *body, struct pack_writer *writer)
{
    pack_array(writer, BODY_FIELDS);
    pack_u64(writer, body->id);
    pack_double(writer, body->width_m);
    pack_double(writer, body->height_m);
    pack_u64(writer, body->joint);
    pack_double(writer, body->lower);
    pack_double(writer, body->upper);
    encode_growth(body, writer);
}

/* One form of what a sphere has: the drives' inputs are as many as the joint has drives. */
static void encode_sphere(const struct body_gene *body, struct pack_writer *writer)
{
    const struct sphere_gene *sphere = &body->sphere;
    int drives = genome_drive_count(body);
    pack_array(writer, SPHERE_FIELDS);
    pack_u64(writer, body->id);
    pack_double(writer, sphere->radius_m);
    pack_double(writer, sphere->friction);
    pack_u64(writer, sphere->is_rolling);
    pack_u64(writer, sphere->is_head);
    pack_u64(writer, body->joint);
    pack_double(writer, body->lower);
    pack_double(writer, body->upper);
    pack_double(writer, sphere->lower_2);
    pack_double(writer, sphere->upper_2);
    pack_double(writer, sphere->axis_rad);
    encode_growth(body, writer);
    pack_double(writer, sphere->drive_strength);
    pack_array(writer, (size_t)drives);
    for (int i = 0; i < drives; i++)
        encode_input(&sphere->drives[i], writer);
}

/* What begins and what ends the rows of connections of all kinds. */
static void encode_ends(const struct connection_gene *connection, struct pack_writer *writer)
{
    pack_u64(writer, connection->id);
    pack_u64(writer, connection->from);
    pack_u64(writer, connection->to);
}

static void encode_subtree(const struct connection_gene *connection, struct pack_writer *writer)
{
    pack_double(writer, connection->scale);
    pack_u64(writer, connection->is_reflected);
    pack_u64(writer, connection->is_terminal_only);
}

static void encode_bone(const struct connection_gene *connection, struct pack_writer *writer)
{
    const struct bone_gene *bone = &connection->bone;
    pack_array(writer, BONE_FIELDS);
    encode_ends(connection, writer);
    pack_u64(writer, bone->brace);
    pack_double(writer, bone->length_m);
    pack_double(writer, connection->angle_rad);
    pack_double(writer, bone->tilt_rad);
    pack_double(writer, bone->gain);
    pack_double(writer, bone->shortest);
    pack_double(writer, bone->longest);
    pack_double(writer, bone->rate_1_s);
    encode_subtree(connection, writer);
}

static void encode_connection(const struct connection_gene *connection, struct pack_writer *writer)
{
    pack_array(writer, CONNECTION_FIELDS);
    encode_ends(connection, writer);
    pack_u64(writer, connection->parent_face);
    pack_double(writer, connection->parent_position);
    pack_u64(writer, connection->child_face);
    pack_double(writer, connection->child_position);
    pack_double(writer, connection->angle_rad);
    encode_subtree(connection, writer);
}

/* Only the inputs that the function uses. */
static void encode_neuron(const struct neuron_gene *neuron, struct pack_writer *writer)
{
    int used = neuron_functions[neuron->function].input_count;
    pack_array(writer, NEURON_FIELDS);
    pack_u64(writer, neuron->id);
    pack_u64(writer, neuron->owner);
    pack_u64(writer, neuron->function);
    pack_double(writer, neuron->initial);
    pack_array(writer, (size_t)used);
    for (int i = 0; i < used; i++)
        encode_input(&neuron->inputs[i], writer);
}

void genome_encode(const struct genome *genome, struct pack_writer *writer)
{
    int is_spheres = genome->kind == BODY_SPHERES;
    pack_array(writer, is_spheres ? 6 : genome->breeding ? 5 : 4);
    pack_u64(writer, genome->root);
    pack_array(writer, (size_t)genome->body_count);
    for (int i = 0; i < genome->body_count; i++)
        (is_spheres ? encode_sphere : encode_body)(&genome->bodies[i], writer);
    pack_array(writer, (size_t)genome->connection_count);
    for (int i = 0; i < genome->connection_count; i++)
        (is_spheres ? encode_bone : encode_connection)(&genome->connections[i], writer);
    pack_array(writer, (size_t)genome->neuron_count);
    for (int i = 0; i < genome->neuron_count; i++)
        encode_neuron(&genome->neurons[i], writer);
    if (genome->breeding || is_spheres)
        pack_u64(writer, genome->breeding);
    if (is_spheres)
        pack_u64(writer, genome->kind);
}

/* ---- reading ---- */

/* The fields of one row, read in order. After the first error (rc) the rest reads as 0. */
struct cursor {
    const msgpack_object *fields;
    size_t count, next;
    const char *where; /* "bodies[3]" */
    struct error *error;
    int rc;
};

/* Opens an array of exactly `exact` fields. */
static struct cursor open_row(const msgpack_object *object, int exact, const char *where,
                              struct error *error)
{
    struct cursor cursor = {.where = where, .error = error};
    cursor.rc =
        pack_get_array(object, (size_t)exact, exact, &cursor.fields, &cursor.count, where, error);
    return cursor;
}

static void name_field(struct cursor *cursor)
{
    if (cursor->rc != 0)
        error_prefix(cursor->error, "%s, field %zu", cursor->where, cursor->next);
}

static uint64_t next_u64(struct cursor *cursor, uint64_t max)
{
    uint64_t value = 0;
    if (cursor->rc != 0)
        return 0;
    cursor->rc = pack_get_u64(&cursor->fields[cursor->next], max, &value, "value", cursor->error);
    name_field(cursor);
    cursor->next++;
    return value;
}

static uint8_t next_u8(struct cursor *cursor)
{
    return (uint8_t)next_u64(cursor, UINT8_MAX);
}

static double next_double(struct cursor *cursor)
{
    double value = 0;
    if (cursor->rc != 0)
        return 0;
    cursor->rc = pack_get_double(&cursor->fields[cursor->next], &value, "value", cursor->error);
    name_field(cursor);
    cursor->next++;
    return value;
}

static int decode_input(const msgpack_object *object, struct input_gene *input, const char *where,
                        struct error *error)
{
    struct cursor cursor = open_row(object, INPUT_FIELDS, where, error);
    input->kind = next_u8(&cursor);
    input->scope = next_u8(&cursor);
    input->sensor = next_u8(&cursor);
    input->source = next_u64(&cursor, UINT64_MAX);
    input->via = next_u64(&cursor, UINT64_MAX);
    input->value = next_double(&cursor);
    input->weight = next_double(&cursor);
    return cursor.rc;
}

static void next_input(struct cursor *cursor, struct input_gene *input)
{
    if (cursor->rc != 0)
        return;
    cursor->rc = decode_input(&cursor->fields[cursor->next], input, "input", cursor->error);
    name_field(cursor);
    cursor->next++;
}

static void next_growth(struct cursor *cursor, struct body_gene *body)
{
    body->recursive_limit = next_u8(cursor);
    body->is_symmetric = next_u8(cursor);
    body->sensors = (uint32_t)next_u64(cursor, UINT32_MAX);
    body->has_effector = next_u8(cursor);
    next_input(cursor, &body->effector_input);
    body->effector_strength = next_double(cursor);
}

static void next_ends(struct cursor *cursor, struct connection_gene *connection)
{
    connection->id = next_u64(cursor, UINT64_MAX);
    connection->from = next_u64(cursor, UINT64_MAX);
    connection->to = next_u64(cursor, UINT64_MAX);
}

static void next_subtree(struct cursor *cursor, struct connection_gene *connection)
{
    connection->scale = next_double(cursor);
    connection->is_reflected = next_u8(cursor);
    connection->is_terminal_only = next_u8(cursor);
}

static int decode_body(const msgpack_object *object, struct genome *genome, const char *where,
                       struct error *error)
{
    struct body_gene *body = genome_add_body(genome);
    if (!body)
        return error_set(error, ERR_MEMORY, "out of memory");
    struct cursor cursor = open_row(object, BODY_FIELDS, where, error);
    body->id = next_u64(&cursor, UINT64_MAX);
    body->width_m = next_double(&cursor);
    body->height_m = next_double(&cursor);
    body->joint = next_u8(&cursor);
    body->lower = next_double(&cursor);
    body->upper = next_double(&cursor);
    next_growth(&cursor, body);
    return cursor.rc;
}

/* As many inputs as the joint has drives. */
static void next_drives(struct cursor *cursor, struct body_gene *body)
{
    const msgpack_object *items = NULL;
    size_t count = 0;
    if (cursor->rc != 0)
        return;
    cursor->rc = pack_get_array(&cursor->fields[cursor->next], GENOME_DRIVES_MAX,
                                genome_drive_count(body), &items, &count, "drives", cursor->error);
    for (size_t i = 0; cursor->rc == 0 && i < count; i++)
        cursor->rc = decode_input(&items[i], &body->sphere.drives[i], "input", cursor->error);
    name_field(cursor);
    cursor->next++;
}

static int decode_sphere(const msgpack_object *object, struct genome *genome, const char *where,
                         struct error *error)
{
    struct body_gene *body = genome_add_body(genome);
    if (!body)
        return error_set(error, ERR_MEMORY, "out of memory");
    struct sphere_gene *sphere = &body->sphere;
    struct cursor cursor = open_row(object, SPHERE_FIELDS, where, error);
    body->id = next_u64(&cursor, UINT64_MAX);
    sphere->radius_m = next_double(&cursor);
    sphere->friction = next_double(&cursor);
    sphere->is_rolling = next_u8(&cursor);
    sphere->is_head = next_u8(&cursor);
    body->joint = next_u8(&cursor);
    body->lower = next_double(&cursor);
    body->upper = next_double(&cursor);
    sphere->lower_2 = next_double(&cursor);
    sphere->upper_2 = next_double(&cursor);
    sphere->axis_rad = next_double(&cursor);
    next_growth(&cursor, body);
    sphere->drive_strength = next_double(&cursor);
    next_drives(&cursor, body);
    return cursor.rc;
}

static int decode_bone(const msgpack_object *object, struct genome *genome, const char *where,
                       struct error *error)
{
    struct connection_gene *connection = genome_add_connection(genome);
    if (!connection)
        return error_set(error, ERR_MEMORY, "out of memory");
    struct bone_gene *bone = &connection->bone;
    struct cursor cursor = open_row(object, BONE_FIELDS, where, error);
    next_ends(&cursor, connection);
    bone->brace = next_u8(&cursor);
    bone->length_m = next_double(&cursor);
    connection->angle_rad = next_double(&cursor);
    bone->tilt_rad = next_double(&cursor);
    bone->gain = next_double(&cursor);
    bone->shortest = next_double(&cursor);
    bone->longest = next_double(&cursor);
    bone->rate_1_s = next_double(&cursor);
    next_subtree(&cursor, connection);
    return cursor.rc;
}

static int decode_connection(const msgpack_object *object, struct genome *genome, const char *where,
                             struct error *error)
{
    struct connection_gene *connection = genome_add_connection(genome);
    if (!connection)
        return error_set(error, ERR_MEMORY, "out of memory");
    struct cursor cursor = open_row(object, CONNECTION_FIELDS, where, error);
    next_ends(&cursor, connection);
    connection->parent_face = next_u8(&cursor);
    connection->parent_position = next_double(&cursor);
    connection->child_face = next_u8(&cursor);
    connection->child_position = next_double(&cursor);
    connection->angle_rad = next_double(&cursor);
    next_subtree(&cursor, connection);
    return cursor.rc;
}

static int decode_inputs(const msgpack_object *object, struct neuron_gene *neuron,
                         struct error *error)
{
    const msgpack_object *items = NULL;
    size_t count = 0;
    int rc =
        pack_get_array(object, NEURON_INPUTS_MAX, neuron_functions[neuron->function].input_count,
                       &items, &count, "inputs", error);
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = decode_input(&items[i], &neuron->inputs[i], "input", error);
    return rc;
}

static int decode_neuron(const msgpack_object *object, struct genome *genome, const char *where,
                         struct error *error)
{
    struct neuron_gene *neuron = genome_add_neuron(genome);
    if (!neuron)
        return error_set(error, ERR_MEMORY, "out of memory");
    struct cursor cursor = open_row(object, NEURON_FIELDS, where, error);
    neuron->id = next_u64(&cursor, UINT64_MAX);
    neuron->owner = next_u64(&cursor, UINT64_MAX);
    neuron->function = (uint8_t)next_u64(&cursor, NEURON_FUNCTION_COUNT - 1);
    neuron->initial = next_double(&cursor);
    if (cursor.rc == 0) {
        cursor.rc = decode_inputs(&cursor.fields[cursor.next], neuron, error);
        name_field(&cursor);
    }
    return cursor.rc;
}

typedef int decode_row(const msgpack_object *object, struct genome *genome, const char *where,
                       struct error *error);

static int decode_table(const msgpack_object *object, const char *name, size_t max,
                        decode_row *decode, struct genome *genome, struct error *error)
{
    const msgpack_object *items = NULL;
    size_t count = 0;
    int rc = pack_get_array(object, max, -1, &items, &count, name, error);
    for (size_t i = 0; rc == 0 && i < count; i++) {
        char where[48];
        snprintf(where, sizeof(where), "%s[%zu]", name, i);
        rc = decode(&items[i], genome, where, error);
    }
    return rc;
}

int genome_decode(struct genome *genome, const msgpack_object *object, struct error *error)
{
    const msgpack_object *tables = NULL;
    size_t count = 0;
    genome_init(genome);
    uint64_t breeding = 0, kind = 0;
    int rc = pack_get_array(object, 6, -1, &tables, &count, "genome", error);
    if (rc == 0 && count < 4)
        rc = error_set(error, ERR_FORMAT, "genome: %zu elements, expected 4 to 6", count);
    if (rc == 0 && count == 6)
        rc = pack_get_u64(&tables[5], BODY_KIND_COUNT - 1, &kind, "kind", error);
    int is_spheres = kind == BODY_SPHERES;
    genome->kind = (uint8_t)kind;
    if (rc == 0)
        rc = pack_get_u64(&tables[0], UINT64_MAX, &genome->root, "root", error);
    if (rc == 0)
        rc = decode_table(&tables[1], "bodies", GENOME_BODIES_MAX,
                          is_spheres ? decode_sphere : decode_body, genome, error);
    if (rc == 0)
        rc = decode_table(&tables[2], "connections", GENOME_CONNECTIONS_MAX,
                          is_spheres ? decode_bone : decode_connection, genome, error);
    if (rc == 0)
        rc = decode_table(&tables[3], "neurons", GENOME_NEURONS_MAX, decode_neuron, genome, error);
    if (rc == 0 && count >= 5)
        rc = pack_get_u64(&tables[4], BREEDING_GENE_COUNT - 1, &breeding, "breeding", error);
    genome->breeding = (uint8_t)breeding;
    // one form for each genome: equal genomes have equal bytes
    if (rc == 0 && count == 5 && breeding == 0)
        rc = error_set(error, ERR_FORMAT, "breeding: 0 is not written");
    if (rc == 0 && count == 6 && kind == BODY_RECTANGLES)
        rc = error_set(error, ERR_FORMAT, "kind: 0 is not written");
    if (rc == 0)
        rc = genome_check(genome, error);
    if (rc != 0)
        genome_deinit(genome);
    return rc;
}

int genome_decode_bytes(struct genome *genome, const void *bytes, size_t length,
                        struct error *error)
{
    struct pack_reader reader;
    genome_init(genome);
    int rc = pack_open(&reader, bytes, length, error);
    if (rc != 0)
        return rc;
    rc = genome_decode(genome, reader.root, error);
    pack_close(&reader);
    return rc;
}

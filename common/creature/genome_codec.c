/* The genome as MessagePack: [root, [body ...], [connection ...], [neuron ...]], with the breeding
 * gene as a fifth element where it is set, and the kind as a sixth where it is not the first one
 * (breeding is then 0 where it is not set). A row of a body or a connection is an array of its
 * fields in the order of its kind's table (gene.h); limits are two fields. docs/creature-format.md
 * has the lists. Late fields (gene.h) are left out of a row where none is used.
 *
 * Positions instead of names: a typical genome takes 1 to 2 kB, travels in every task and lies in
 * every row of the run store. Decoding reads a row's fields one after the other from a cursor that
 * keeps the first error; genome_check() then looks at the content. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/genome/body_kind.h"
#include "common/creature/creature.h"

enum {
    INPUT_FIELDS = 7,
    NEURON_FIELDS = 5, /* and two more where its copies lag */
    NEURON_FIELDS_LAGGING = 7,
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

static int count_fields(const struct gene_field *table, unsigned without)
{
    int count = 0;
    for (; table->name; table++)
        count += table->flags & without ? 0 : table->type == GENE_LIMITS ? 2 : 1;
    return count;
}

static void encode_inputs(const struct input_gene *inputs, int count, struct pack_writer *writer)
{
    pack_array(writer, (size_t)count);
    for (int i = 0; i < count; i++)
        encode_input(&inputs[i], writer);
}

static void encode_gene(const struct gene_field *table, const void *gene,
                        struct pack_writer *writer)
{
    unsigned without = gene_without(table, gene);
    pack_array(writer, (size_t)count_fields(table, without));
    for (const struct gene_field *field = table; field->name; field++) {
        if (field->flags & without)
            continue;
        const void *at = gene_at_const(gene, field);
        const double *reals = at;
        switch (field->type) {
        case GENE_ID:
            pack_u64(writer, *(const gene_id *)at);
            break;
        case GENE_REAL:
            pack_double(writer, reals[0]);
            break;
        case GENE_LIMITS:
            pack_double(writer, reals[0]);
            pack_double(writer, reals[1]);
            break;
        case GENE_SENSORS:
            pack_u64(writer, *(const uint64_t *)at);
            break;
        case GENE_INPUT:
            encode_input(at, writer);
            break;
        case GENE_INPUTS:
            encode_inputs(at, (int)gene_range_of(table, field, gene).high, writer);
            break;
        default:
            pack_u64(writer, *(const uint8_t *)at);
        }
    }
}

/* Only the inputs that the function uses. */
static void encode_neuron(const struct neuron_gene *neuron, struct pack_writer *writer)
{
    int used = neuron_functions[neuron->function].input_count;
    int is_lagging = genome_has_lags(neuron);
    pack_array(writer, is_lagging ? NEURON_FIELDS_LAGGING : NEURON_FIELDS);
    pack_u64(writer, neuron->id);
    pack_u64(writer, neuron->owner);
    pack_u64(writer, neuron->function);
    pack_double(writer, neuron->initial);
    pack_array(writer, (size_t)used);
    for (int i = 0; i < used; i++)
        encode_input(&neuron->inputs[i], writer);
    if (is_lagging) {
        pack_double(writer, neuron->lag_image);
        pack_double(writer, neuron->lag_row);
    }
}

void genome_encode(const struct genome *genome, struct pack_writer *writer)
{
    const struct body_kind_info *kind = &body_kinds[genome->kind];
    pack_array(writer, genome->kind ? 6 : genome->breeding ? 5 : 4);
    pack_u64(writer, genome->root);
    pack_array(writer, (size_t)genome->body_count);
    for (int i = 0; i < genome->body_count; i++)
        encode_gene(kind->body, &genome->bodies[i], writer);
    pack_array(writer, (size_t)genome->connection_count);
    for (int i = 0; i < genome->connection_count; i++)
        encode_gene(kind->connection, &genome->connections[i], writer);
    pack_array(writer, (size_t)genome->neuron_count);
    for (int i = 0; i < genome->neuron_count; i++)
        encode_neuron(&genome->neurons[i], writer);
    if (genome->breeding || genome->kind)
        pack_u64(writer, genome->breeding);
    if (genome->kind)
        pack_u64(writer, genome->kind);
}

int packed_genome_copy(struct packed_genome *copy, const struct packed_genome *packed)
{
    ENSURE(packed->bytes || packed->length == 0, "a copy of %zu bytes that are not there",
           packed->length);
    *copy = (struct packed_genome){NULL, 0};
    if (!packed->bytes)
        return 0;
    copy->bytes = malloc(packed->length);
    if (!copy->bytes)
        return ERR_MEMORY;
    memcpy(copy->bytes, packed->bytes, packed->length);
    copy->length = packed->length;
    return 0;
}

int genome_pack(struct packed_genome *packed, const struct genome *genome,
                struct pack_writer *scratch)
{
    pack_writer_clear(scratch);
    genome_encode(genome, scratch);
    if (scratch->has_failed)
        return ERR_MEMORY;
    return packed_genome_copy(packed, &(struct packed_genome){(unsigned char *)scratch->buffer.data,
                                                              scratch->buffer.size});
}

void packed_genome_deinit(struct packed_genome *packed)
{
    free(packed->bytes);
    *packed = (struct packed_genome){NULL, 0};
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

/* As many inputs as the gene uses, by the fields read before. */
static void next_inputs(struct cursor *cursor, struct input_gene *inputs, int used)
{
    const msgpack_object *items = NULL;
    size_t count = 0;
    if (cursor->rc != 0)
        return;
    cursor->rc = pack_get_array(&cursor->fields[cursor->next], GENOME_DRIVES_MAX, used, &items,
                                &count, "inputs", cursor->error);
    for (size_t i = 0; cursor->rc == 0 && i < count; i++)
        cursor->rc = decode_input(&items[i], &inputs[i], "input", cursor->error);
    name_field(cursor);
    cursor->next++;
}

/* The forms of a row that has late fields: which it leaves out, and what it is for. */
static const struct late_form {
    unsigned without;
    const char *words;
} late_forms[] = {{GENE_LATER | GENE_LAST | GENE_HEAD, "emitters"},
                  {GENE_LAST | GENE_HEAD, "stretches"},
                  {GENE_HEAD, "mouths"},
                  {0, "heads"}};

/* The form of a row, by its length; NULL: it has no late fields. */
static const struct late_form *find_late_form(const msgpack_object *object,
                                              const struct gene_field *table)
{
    const struct late_form *form = late_forms, *end = form + sizeof late_forms / sizeof *form;
    for (; object->type == MSGPACK_OBJECT_ARRAY && form < end; form++)
        if (object->via.array.size == (uint32_t)count_fields(table, form->without) &&
            count_fields(table, form->without) > count_fields(table, GENE_ANY_LATE))
            return form;
    return NULL;
}

static int decode_gene(const msgpack_object *object, const struct gene_field *table, void *gene,
                       const char *where, struct error *error)
{
    const struct late_form *form = find_late_form(object, table);
    unsigned without = form ? form->without : GENE_ANY_LATE;
    struct cursor cursor = open_row(object, count_fields(table, without), where, error);
    for (const struct gene_field *field = table; field->name; field++) {
        if (field->flags & without)
            continue;
        void *at = gene_at(gene, field);
        double *reals = at;
        switch (field->type) {
        case GENE_ID:
            *(gene_id *)at = next_u64(&cursor, UINT64_MAX);
            break;
        case GENE_REAL:
            reals[0] = next_double(&cursor);
            break;
        case GENE_LIMITS:
            reals[0] = next_double(&cursor);
            reals[1] = next_double(&cursor);
            break;
        case GENE_SENSORS:
            *(uint64_t *)at = next_u64(&cursor, UINT64_MAX);
            break;
        case GENE_INPUT:
            next_input(&cursor, at);
            break;
        case GENE_INPUTS:
            next_inputs(&cursor, at, (int)gene_range_of(table, field, gene).high);
            break;
        default:
            *(uint8_t *)at = next_u8(&cursor);
        }
    }
    // one form for each gene
    if (cursor.rc == 0 && form && without != gene_without(table, gene))
        cursor.rc = error_set(error, ERR_FORMAT, "%s: %s of 0 are not written", where, form->words);
    return cursor.rc;
}

static int decode_body(const msgpack_object *object, struct genome *genome, const char *where,
                       struct error *error)
{
    struct body_gene *body = genome_add_body(genome);
    if (!body)
        return error_memory(error);
    return decode_gene(object, body_kinds[genome->kind].body, body, where, error);
}

static int decode_connection(const msgpack_object *object, struct genome *genome, const char *where,
                             struct error *error)
{
    struct connection_gene *connection = genome_add_connection(genome);
    if (!connection)
        return error_memory(error);
    return decode_gene(object, body_kinds[genome->kind].connection, connection, where, error);
}

/* The lags, which are written only where there are any: equal genomes have equal bytes. */
static void next_lags(struct cursor *cursor, struct neuron_gene *neuron)
{
    cursor->next++; /* the inputs */
    neuron->lag_image = next_double(cursor);
    neuron->lag_row = next_double(cursor);
    if (cursor->rc == 0 && !genome_has_lags(neuron))
        cursor->rc =
            error_set(cursor->error, ERR_FORMAT, "%s: lags of 0 are not written", cursor->where);
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
        return error_memory(error);
    int is_lagging =
        object->type == MSGPACK_OBJECT_ARRAY && object->via.array.size == NEURON_FIELDS_LAGGING;
    struct cursor cursor =
        open_row(object, is_lagging ? NEURON_FIELDS_LAGGING : NEURON_FIELDS, where, error);
    neuron->id = next_u64(&cursor, UINT64_MAX);
    neuron->owner = next_u64(&cursor, UINT64_MAX);
    neuron->function = (uint8_t)next_u64(&cursor, NEURON_FUNCTION_COUNT - 1);
    neuron->initial = next_double(&cursor);
    if (cursor.rc == 0) {
        cursor.rc = decode_inputs(&cursor.fields[cursor.next], neuron, error);
        name_field(&cursor);
    }
    if (is_lagging)
        next_lags(&cursor, neuron);
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
        rc = pack_get_u64(&tables[5], (uint64_t)body_kind_count - 1, &kind, "kind", error);
    genome->kind = (uint8_t)kind;
    if (rc == 0)
        rc = pack_get_u64(&tables[0], UINT64_MAX, &genome->root, "root", error);
    if (rc == 0)
        rc = decode_table(&tables[1], "bodies", GENOME_BODIES_MAX, decode_body, genome, error);
    if (rc == 0)
        rc = decode_table(&tables[2], "connections", GENOME_CONNECTIONS_MAX, decode_connection,
                          genome, error);
    if (rc == 0)
        rc = decode_table(&tables[3], "neurons", GENOME_NEURONS_MAX, decode_neuron, genome, error);
    if (rc == 0 && count >= 5)
        rc = pack_get_u64(&tables[4], BREEDING_GENE_COUNT - 1, &breeding, "breeding", error);
    genome->breeding = (uint8_t)breeding;
    // one form for each genome: equal genomes have equal bytes
    if (rc == 0 && count == 5 && breeding == 0)
        rc = error_set(error, ERR_FORMAT, "breeding: 0 is not written");
    if (rc == 0 && count == 6 && kind == 0)
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

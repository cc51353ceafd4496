/* The genome as MessagePack: [root, [body ...], [connection ...], [neuron ...]], with the breeding
 * gene as a fifth element where it is set, and the kind as a sixth where it is not the first one
 * (breeding is then 0 where it is not set). A row of a body or a connection is an array of its
 * fields in the order of its kind's table (gene.h); limits are two fields. docs/creature-format.md
 * has the lists. Late fields (gene.h) are left out of a row where none is used.
 *
 * Positions instead of names: a typical genome takes 1 to 2 kB, travels in every task and lies in
 * every row of the run store. One function for each row writes and reads its fields
 * (pack_fields.h); genome_check() then looks at the content of what was read. */
#include <float.h>
#include <stdio.h>

#include "common/genome/body_kind.h"
#include "common/creature/creature.h"
#include "common/formats/pack_fields.h"

enum {
    INPUT_FIELDS = 7,
    NEURON_FIELDS = 5, /* and two more where its copies lag */
    NEURON_FIELDS_LAGGING = 7,
};

/* ---- the form ---- */

static void visit_input(struct pack_fields *f, struct input_gene *input)
{
    struct pack_fields in = pack_fields_record(f, f->where, INPUT_FIELDS);
    pack_fields_u8(&in, "kind", &input->kind, UINT8_MAX);
    pack_fields_u8(&in, "scope", &input->scope, UINT8_MAX);
    pack_fields_u8(&in, "sensor", &input->sensor, UINT8_MAX);
    pack_fields_u64(&in, "source", &input->source, UINT64_MAX);
    pack_fields_u64(&in, "via", &input->via, UINT64_MAX);
    pack_fields_real(&in, "value", &input->value, -DBL_MAX, DBL_MAX);
    pack_fields_real(&in, "weight", &input->weight, -DBL_MAX, DBL_MAX);
    pack_fields_close(f, &in);
}

/* Exactly as many as the gene or the neuron uses, by the fields before. */
static void visit_inputs(struct pack_fields *f, struct input_gene *inputs, int used)
{
    struct pack_fields in = pack_fields_record(f, f->where, (size_t)used);
    for (int i = 0; i < used; i++)
        visit_input(&in, &inputs[i]);
    pack_fields_close(f, &in);
}

static int count_fields(const struct gene_field *table, unsigned without)
{
    int count = 0;
    for (; table->name; table++)
        count += table->flags & without ? 0 : table->type == GENE_LIMITS ? 2 : 1;
    return count;
}

/* How many fields the next element has, which is read; 0 where it is no array. */
static int next_size(const struct pack_fields *f)
{
    int is_array =
        f->rc == 0 && f->is_reading && f->left > 0 && f->elements->type == MSGPACK_OBJECT_ARRAY;
    return is_array ? (int)f->elements->via.array.size : 0;
}

/* The forms of a row that has late fields: which it leaves out, and what it is for. */
static const struct late_form {
    unsigned without;
    const char *words;
} late_forms[] = {{GENE_LATER | GENE_LAST | GENE_HEAD, "emitters"},
                  {GENE_LAST | GENE_HEAD, "stretches"},
                  {GENE_HEAD, "mouths"},
                  {0, "heads"}};

/* The form of a row that is read, by its length; NULL: it has no late fields. */
static const struct late_form *find_late_form(const struct pack_fields *f,
                                              const struct gene_field *table)
{
    const struct late_form *form = late_forms, *end = form + sizeof late_forms / sizeof *form;
    for (int size = next_size(f); size > 0 && form < end; form++)
        if (size == count_fields(table, form->without) && size > count_fields(table, GENE_ANY_LATE))
            return form;
    return NULL;
}

static void visit_field(struct pack_fields *f, const struct gene_field *table,
                        const struct gene_field *field, void *gene)
{
    void *at = gene_at(gene, field);
    double *reals = at;
    switch (field->type) {
    case GENE_LIMITS:
        pack_fields_real(f, field->name, &reals[0], -DBL_MAX, DBL_MAX);
        pack_fields_real(f, field->name, &reals[1], -DBL_MAX, DBL_MAX);
        break;
    case GENE_REAL:
        pack_fields_real(f, field->name, reals, -DBL_MAX, DBL_MAX);
        break;
    case GENE_ID:
    case GENE_SENSORS:
        pack_fields_u64(f, field->name, at, UINT64_MAX);
        break;
    case GENE_INPUT:
        visit_input(f, at);
        break;
    case GENE_INPUTS:
        visit_inputs(f, at, (int)gene_range_of(table, field, gene).high);
        break;
    default:
        pack_fields_u8(f, field->name, at, UINT8_MAX);
    }
}

static void visit_gene(struct pack_fields *f, const struct gene_field *table, void *gene)
{
    const struct late_form *form = find_late_form(f, table);
    unsigned without = f->writer ? gene_without(table, gene) : form ? form->without : GENE_ANY_LATE;
    struct pack_fields in = pack_fields_record(f, f->where, (size_t)count_fields(table, without));
    for (const struct gene_field *field = table; field->name; field++)
        if (!(field->flags & without))
            visit_field(&in, table, field, gene);
    /* one form for each gene */
    if (form && in.rc == 0 && without != gene_without(table, gene))
        pack_fields_fail(&in, ERR_FORMAT, NULL, "%s of 0 are not written", form->words);
    pack_fields_close(f, &in);
}

/* Lags are written only where there are any: equal genomes have equal bytes. */
static void visit_neuron(struct pack_fields *f, struct neuron_gene *neuron)
{
    int is_lagging = f->writer ? genome_has_lags(neuron) : next_size(f) == NEURON_FIELDS_LAGGING;
    struct pack_fields in =
        pack_fields_record(f, f->where, is_lagging ? NEURON_FIELDS_LAGGING : NEURON_FIELDS);
    pack_fields_u64(&in, "id", &neuron->id, UINT64_MAX);
    pack_fields_u64(&in, "owner", &neuron->owner, UINT64_MAX);
    pack_fields_u8(&in, "function", &neuron->function, NEURON_FUNCTION_COUNT - 1);
    pack_fields_real(&in, "initial", &neuron->initial, -DBL_MAX, DBL_MAX);
    visit_inputs(&in, neuron->inputs, neuron_functions[neuron->function].input_count);
    if (is_lagging) {
        pack_fields_real(&in, "lag_image", &neuron->lag_image, -DBL_MAX, DBL_MAX);
        pack_fields_real(&in, "lag_row", &neuron->lag_row, -DBL_MAX, DBL_MAX);
        if (!genome_has_lags(neuron))
            pack_fields_fail(&in, ERR_FORMAT, NULL, "lags of 0 are not written");
    }
    pack_fields_close(f, &in);
}

/* The rows that are there, or those that are read and added. */
static void visit_table(struct pack_fields *f, struct genome *genome, enum genome_table table)
{
    const struct genome_table_info *info = &genome_tables[table];
    char where[48] = "";
    int count = genome->counts[table];
    struct pack_fields in = pack_fields_list(f, info->name, &count, info->most);
    for (int i = 0; i < count && in.rc == 0; i++) {
        in.where = where;
        if (f->is_reading)
            snprintf(where, sizeof(where), "%s[%d]", info->name, i);
        if (f->is_reading && !genome_add(genome, table))
            in.rc = error_memory(f->error);
        else if (table == GENOME_NEURONS)
            visit_neuron(&in, &genome->neurons[i]);
        else
            visit_gene(&in, body_kind_genes(genome->kind, table), genome_row(genome, table, i));
    }
    pack_fields_close(f, &in);
}

/* One form for each genome: equal genomes have equal bytes. */
static void visit_genome(struct pack_fields *f, struct genome *genome)
{
    int count = genome->kind ? 6 : genome->breeding ? 5 : 4;
    struct pack_fields in = pack_fields_list(f, "genome", &count, 6);
    if (count < 4)
        pack_fields_fail(&in, ERR_FORMAT, NULL, "%d elements, expected 4 to 6", count);
    if (f->is_reading && count == 6) { /* the last one says how the others are read */
        struct pack_fields last = in;
        last.elements += 5;
        pack_fields_u8(&last, "kind", &genome->kind, (uint8_t)(body_kind_count - 1));
        in.rc = last.rc;
    }
    pack_fields_u64(&in, "root", &genome->root, UINT64_MAX);
    for (int table = 0; table < GENOME_TABLE_COUNT; table++)
        visit_table(&in, genome, table);
    if (count >= 5)
        pack_fields_u8(&in, "breeding", &genome->breeding, BREEDING_GENE_COUNT - 1);
    if (count == 6)
        pack_fields_u8(&in, "kind", &genome->kind, (uint8_t)(body_kind_count - 1));
    if (count == 5 && genome->breeding == 0)
        pack_fields_fail(&in, ERR_FORMAT, "breeding", "0 is not written");
    if (count == 6 && genome->kind == 0)
        pack_fields_fail(&in, ERR_FORMAT, "kind", "0 is not written");
    pack_fields_close(f, &in);
}

void genome_visit(struct pack_fields *f, const char *name, struct genome *genome)
{
    const msgpack_object *object = pack_fields_next(f, NULL);
    if (f->writer)
        genome_encode(genome, f->writer);
    if (object)
        pack_fields_note(f, name, genome_decode(genome, object, f->error));
}

/* Visiting changes nothing of what is written. */
void genome_encode(const struct genome *genome, struct pack_writer *writer)
{
    struct pack_fields f = {.writer = writer};
    visit_genome(&f, (struct genome *)genome);
}

int genome_decode(struct genome *genome, const msgpack_object *object, struct error *error)
{
    struct pack_fields f = {
        .is_reading = 1, .elements = object, .left = 1, .where = "genome", .error = error};
    genome_init(genome);
    visit_genome(&f, genome);
    if (f.rc == 0)
        f.rc = genome_check(genome, error);
    if (f.rc != 0)
        genome_deinit(genome);
    return f.rc;
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

int genome_pack(struct packed_bytes *packed, const struct genome *genome,
                struct pack_writer *scratch)
{
    pack_writer_clear(scratch);
    genome_encode(genome, scratch);
    return scratch->has_failed
               ? ERR_MEMORY
               : packed_bytes_set(packed, scratch->buffer.data, scratch->buffer.size);
}

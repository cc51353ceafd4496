/* See gene.h. */
#include "common/genome/gene.h"

#include <string.h>

#include "common/genome/genome.h"
#include "common/math/hash.h"

/* The field by which its group exists; NULL: it is in no group. */
static const struct gene_field *gene_gate(const struct gene_field *table,
                                          const struct gene_field *field)
{
    for (; field->group && table->name; table++)
        if ((table->flags & GENE_GATE) && strcmp(table->group, field->group) == 0)
            return table;
    return NULL;
}

struct gene_range gene_range_of(const struct gene_field *table, const struct gene_field *field,
                                const void *gene)
{
    const struct gene_field *gate = gene_gate(table, field);
    if (gate && gate != field && gene_number(gate, gene) == 0)
        return (struct gene_range){0, 0};
    if (field->is_absent && field->is_absent(gene))
        return field->absent;
    return field->narrow ? field->narrow(gene) : field->range;
}

double gene_assumed(const struct gene_field *field, const void *gene)
{
    return field->assume ? field->assume(gene) : field->assumed;
}

double gene_number(const struct gene_field *field, const void *gene)
{
    const void *at = gene_at_const(gene, field);
    return field->type == GENE_REAL ? *(const double *)at : *(const uint8_t *)at;
}

void gene_set_number(const struct gene_field *field, void *gene, double number)
{
    if (field->type == GENE_REAL)
        *(double *)gene_at(gene, field) = number;
    else
        *(uint8_t *)gene_at(gene, field) = (uint8_t)number;
}

const struct gene_limit_form *gene_form(const struct gene_field *field, const void *gene)
{
    return &field->forms[field->form ? field->form(gene) : 0];
}

int gene_is_equal_input(const struct input_gene *a, const struct input_gene *b)
{
    return a->kind == b->kind && a->scope == b->scope && a->sensor == b->sensor &&
           a->source == b->source && a->via == b->via && a->value == b->value &&
           a->weight == b->weight;
}

uint64_t gene_hash_input(const struct input_gene *input, uint64_t hash)
{
    hash = hash_u64(hash, input->kind);
    hash = hash_u64(hash, input->scope);
    hash = hash_u64(hash, input->sensor);
    hash = hash_u64(hash, input->source);
    hash = hash_u64(hash, input->via);
    hash = hash_double(hash, input->value);
    return hash_double(hash, input->weight);
}

int gene_is_equal_field(const struct gene_field *field, const void *gene_a, const void *gene_b)
{
    const void *a = gene_at_const(gene_a, field), *b = gene_at_const(gene_b, field);
    const double *reals_a = a, *reals_b = b;
    const struct input_gene *inputs_a = a, *inputs_b = b;
    switch (field->type) {
    case GENE_ID:
        return *(const gene_id *)a == *(const gene_id *)b;
    case GENE_REAL:
        return reals_a[0] == reals_b[0];
    case GENE_LIMITS:
        return reals_a[0] == reals_b[0] && reals_a[1] == reals_b[1];
    case GENE_SENSORS:
        return *(const uint64_t *)a == *(const uint64_t *)b;
    case GENE_INPUT:
        return gene_is_equal_input(inputs_a, inputs_b);
    case GENE_INPUTS:
        for (int i = 0; i < GENOME_DRIVES_MAX; i++)
            if (!gene_is_equal_input(&inputs_a[i], &inputs_b[i]))
                return 0;
        return 1;
    default:
        return *(const uint8_t *)a == *(const uint8_t *)b;
    }
}

int gene_is_equal(const struct gene_field *table, const void *a, const void *b)
{
    for (; table->name; table++)
        if (!gene_is_equal_field(table, a, b))
            return 0;
    return 1;
}

static uint64_t hash_field(const struct gene_field *field, const void *gene, uint64_t hash)
{
    const void *at = gene_at_const(gene, field);
    const double *reals = at;
    switch (field->type) {
    case GENE_ID:
        return hash_u64(hash, *(const gene_id *)at);
    case GENE_REAL:
        return hash_double(hash, reals[0]);
    case GENE_LIMITS:
        return hash_double(hash_double(hash, reals[0]), reals[1]);
    case GENE_SENSORS:
        return hash_u64(hash, *(const uint64_t *)at);
    case GENE_INPUT:
        return gene_hash_input(at, hash);
    case GENE_INPUTS:
        for (int i = 0; i < GENOME_DRIVES_MAX; i++)
            hash = gene_hash_input((const struct input_gene *)at + i, hash);
        return hash;
    default:
        return hash_u64(hash, *(const uint8_t *)at);
    }
}

unsigned gene_without(const struct gene_field *table, const void *gene)
{
    unsigned used = 0, without = 0;
    for (; table->name; table++)
        if ((table->flags & GENE_ANY_LATE) && table->type != GENE_INPUT &&
            gene_number(table, gene) != 0)
            used |= table->flags & GENE_ANY_LATE;
    for (unsigned flag = GENE_HEAD; flag >= GENE_LATE && !(used & flag); flag /= 2)
        without |= flag;
    return without;
}

uint64_t gene_hash(const struct gene_field *table, const void *gene, unsigned without,
                   uint64_t hash)
{
    without |= gene_without(table, gene);
    for (; table->name; table++)
        if (!(table->flags & without))
            hash = hash_field(table, gene, hash);
    return hash;
}

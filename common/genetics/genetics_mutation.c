/* See genetics_mutation.h. Numbers and choices of bodies and connections change as the table of
 * genes says (common/genome/gene.h). */
#include "common/genetics/genetics_mutation.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/genetics/genetics_kind.h"
#include "common/genetics/genetics_random.h"
#include "common/genetics/genetics_wiring.h"
#include "common/math/detmath.h"

enum { STEPS_SUMMED = 3 }; /* a numeric change is a sum of so many uniform numbers */

#define NEGATED 0.1 /* share of changes of weights, constants and angles that turn the sign */
/* The scale of a change of a value near zero. */
#define LEAST_WEIGHT 0.2

void mutation_say(struct maker *maker, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(maker->words, sizeof(maker->words), format, arguments);
    va_end(arguments);
}

struct body_gene *mutation_pick_body(struct maker *maker, int *row)
{
    *row = maker_below(maker, maker->genome->body_count);
    return &maker->genome->bodies[*row];
}

struct connection_gene *mutation_pick_connection(struct maker *maker, int *row)
{
    *row = maker_below(maker, maker->genome->connection_count);
    return &maker->genome->connections[*row];
}

static double clamp(double value, double low, double high)
{
    return det_min(det_max(value, low), high);
}

double mutation_change(struct maker *maker, double value, double least_scale, int is_signed,
                       double low, double high)
{
    double sum = 0;
    if (is_signed && rng_chance(maker->rng, NEGATED))
        return clamp(-value, low, high);
    for (int i = 0; i < STEPS_SUMMED; i++)
        sum += rng_uniform(maker->rng, -1, 1);
    ENSURE(least_scale >= 0, "a scale of %g", least_scale);
    value += maker->params->mutation_step * det_max(fabs(value), least_scale) * sum;
    return clamp(value, low, high);
}

const char *mutation_body_noun(const struct maker *maker)
{
    return body_kinds[maker->genome->kind].body_noun;
}

const char *mutation_name_row(const struct genome *genome, enum genome_table table, int row,
                              char text[32])
{
    const struct body_kind_info *kind = &body_kinds[genome->kind];
    ENSURE(row >= 0 && row < genome->counts[table], "%s %d of %d", genome_tables[table].noun, row,
           genome->counts[table]);
    snprintf(text, 32, "%s %d",
             table == GENOME_BODIES           ? kind->body_noun
             : genome->connections[row].brace ? kind->brace_noun
                                              : kind->connection_noun,
             row);
    return text;
}

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

const struct gene_field *mutation_pick_field(struct maker *maker, const struct gene_field *table,
                                             enum gene_change change)
{
    const struct gene_field *field = NULL;
    int count = count_changing(table, change, &field), wanted;
    if (count < 2)
        return field;
    wanted = count == 2 ? !rng_chance(maker->rng, 0.5) : maker_below(maker, count);
    while (wanted > 0)
        wanted -= (++field)->mutation.change == change;
    return field;
}

double mutation_param(const struct params *params, size_t offset)
{
    double value;
    ENSURE(offset <= sizeof *params - sizeof value, "a parameter at %zu", offset);
    memcpy(&value, (const char *)params + offset, sizeof(value));
    return value;
}

void mutation_bound_number(const struct params *params, const struct gene_field *table,
                           const struct gene_field *field, const void *gene, double *low,
                           double *high)
{
    const struct gene_mutation *how = &field->mutation;
    struct gene_range range = gene_range_of(table, field, gene);
    *high = how->highest ? det_min(range.high, mutation_param(params, how->highest)) : range.high;
    *low = how->lowest ? det_max(range.low, mutation_param(params, how->lowest)) : range.low;
}

static void change_real(struct maker *maker, const struct gene_field *table, void *gene,
                        const struct gene_field *field, const char *name)
{
    const struct gene_mutation *how = &field->mutation;
    double before = gene_number(field, gene), low, high, after;
    mutation_bound_number(maker->params, table, field, gene, &low, &high);
    after = mutation_change(maker, before, how->least > 0 ? how->least : low, how->is_signed,
                            det_min(low, high), high);
    gene_set_number(field, gene, after);
    mutation_say(maker, "%s of %s %.*f -> %.*f%s%s", field->words, name, how->digits, before,
                 how->digits, after, field->unit ? " " : "", field->unit ? field->unit : "");
}

/* Another one of the names, each as likely as the other. */
static void change_choice(struct maker *maker, void *gene, const struct gene_field *field,
                          const char *name)
{
    int low = (int)field->range.low, count = (int)field->range.high - low + 1;
    int before = (int)gene_number(field, gene);
    ENSURE(before >= low && before < low + count, "%s of %s is choice %d of %d", field->words, name,
           before, count);
    int after = low + (before - low + 1 + maker_below(maker, count - 1)) % count;

    gene_set_number(field, gene, after);
    if (!(field->flags & GENE_BOOLEAN))
        mutation_say(maker, "%s of %s %s -> %s", field->words, name, field->names[before],
                     field->names[after]);
    else if (after)
        mutation_say(maker, "%s became %s (%s)", name, field->words, field->names[after]);
    else
        mutation_say(maker, "%s is no longer %s", name, field->words);
}

static void turn_flag(struct maker *maker, void *gene, const struct gene_field *field,
                      const char *name)
{
    int is_set = gene_number(field, gene) == 0;
    gene_set_number(field, gene, is_set);
    mutation_say(maker, "%s %s %s", name, is_set ? "became" : "is no longer", field->words);
}

void mutation_change_field(struct maker *maker, enum genome_table table, int row,
                           const struct gene_field *field)
{
    const struct gene_field *fields = body_kind_genes(maker->genome->kind, table);
    void *gene = genome_row(maker->genome, table, row);
    struct gene_range range = gene_range_of(fields, field, gene);
    char name[32];
    /* a value that is not used, or is the only one allowed, stays */
    if (range.low == range.high)
        return;
    mutation_name_row(maker->genome, table, row, name);
    if (field->type == GENE_FLAG || (field->flags & GENE_BOOLEAN && range.high == 1))
        turn_flag(maker, gene, field, name);
    else if (field->type == GENE_CHOICE)
        change_choice(maker, gene, field, name);
    else
        change_real(maker, fields, gene, field, name);
}

void mutation_change_any(struct maker *maker, enum gene_change change)
{
    for (int table = 0; table < GENOME_NEURONS; table++) {
        const struct gene_field *fields = body_kind_genes(maker->genome->kind, table);
        const struct gene_field *field = mutation_pick_field(maker, fields, change);
        if (!field)
            continue;
        int row = maker_below(maker, maker->genome->counts[table]);
        mutation_change_field(maker, table, row, field);
        return;
    }
}

const struct gene_field *mutation_find_used(const struct gene_field *table, enum gene_change change,
                                            const void *gene)
{
    for (; table->name; table++)
        if (table->mutation.change == change && gene_is_used(gene_range_of(table, table, gene)))
            return table;
    return NULL;
}

static int is_held(const struct genome *genome, enum gene_change change, int row)
{
    return mutation_find_used(body_kinds[genome->kind].body, change, &genome->bodies[row]) &&
           genetics_kind_of(genome)->has_limits(genome, row);
}

int mutation_count_held(const struct genome *genome, enum gene_change change)
{
    int i, count = 0;
    for (i = 0; i < genome->body_count; i++)
        count += is_held(genome, change, i);
    return count;
}

struct body_gene *mutation_pick_held(struct maker *maker, enum gene_change change, int *row)
{
    struct body_gene *body;
    ENSURE(mutation_count_held(maker->genome, change) > 0, "none of %d bodies can change by %d",
           maker->genome->body_count, (int)change);
    do
        body = mutation_pick_body(maker, row);
    while (!is_held(maker->genome, change, *row));
    return body;
}

void mutation_change_input(struct maker *maker, struct input_gene *input, double unit,
                           const char *what)
{
    int is_constant = input->kind == INPUT_CONSTANT;
    double *number = is_constant ? &input->value : &input->weight;
    double before = *number, least_scale = LEAST_WEIGHT * (is_constant ? 1 : unit);
    *number = mutation_change(maker, before, least_scale, 1, -GENOME_WEIGHT_MAX, GENOME_WEIGHT_MAX);
    /* The constant that stands for something lost has no weight yet. */
    if (is_constant && input->weight == 0)
        input->weight = 1;
    mutation_say(maker, "%s of %s %.3f -> %.3f", is_constant ? "constant" : "weight", what, before,
                 *number);
}

void mutation_redraw_input(struct maker *maker, gene_id owner, struct input_gene *input,
                           const char *what)
{
    char source[80];
    wiring_draw(maker, owner, input);
    wiring_describe(maker->genome, input, source, sizeof(source));
    mutation_say(maker, "%s now reads %s", what, source);
}

void mutation_gain_effector(struct maker *maker, int row)
{
    double frequency_hz = genetics_random_frequency_hz(maker);
    maker->status = genetics_random_effector(maker, row, frequency_hz);
}

/* Differences of genomes.
 *
 * The three tables are gone through one after the other: rows of the later genome with a partner of
 * the same id are compared field by field, the others are new; rows of the earlier genome without a
 * partner are gone. The target of a reference is compared by id and shown with its row and id,
 * since rows move when genes come and go. The order of the rows that both have is compared at the
 * end, as it is the order of expression.
 *
 * A gene's name is its row, and in brackets the creature in which it first appeared and its number
 * there ("body 2 [55.1]"); ids written by hand (below 1024) stand alone. */
#include "common/genetics/genetics_diff.h"

#include <inttypes.h>
#include <string.h>

#include "common/genome/body_kind.h"
#include "common/text.h"

enum { ID_NAME_SIZE = 48, GENE_NAME_SIZE = 80, INPUT_TEXT_SIZE = 320 };

struct diff {
    const struct genome *before, *after;
    FILE *out;
    struct genetics_diff counts;
    char gene[2 * GENE_NAME_SIZE]; /* the one being compared ... */
    int has_line;                  /* ... of which a field has been written already */
};

/* ---- names ---- */

static const char *id_name(gene_id id, char text[ID_NAME_SIZE])
{
    if (id >> 10 == 0)
        snprintf(text, ID_NAME_SIZE, "[%" PRIu64 "]", id);
    else
        snprintf(text, ID_NAME_SIZE, "[%" PRIu64 ".%" PRIu64 "]", id >> 10, id & 1023);
    return text;
}

static const char *gene_name(const char *table, int row, gene_id id, char text[GENE_NAME_SIZE])
{
    char bracket[ID_NAME_SIZE];

    if (row < 0)
        snprintf(text, GENE_NAME_SIZE, "%s %s", table, id_name(id, bracket));
    else
        snprintf(text, GENE_NAME_SIZE, "%s %d %s", table, row, id_name(id, bracket));
    return text;
}

static const char *body_name(const struct genome *genome, gene_id id, char text[GENE_NAME_SIZE])
{
    return gene_name("body", genome_find_body(genome, id), id, text);
}

static const char *place_name(const struct genome *genome, gene_id owner, char text[GENE_NAME_SIZE])
{
    return owner ? body_name(genome, owner, text) : "the central set";
}

/* Two numbers with as few digits as tell them apart. */
static void print_numbers(double before, double after, char a[TEXT_NUMBER_SIZE],
                          char b[TEXT_NUMBER_SIZE])
{
    int digits;

    for (digits = 4; digits < 17; digits += 2) {
        snprintf(a, TEXT_NUMBER_SIZE, "%.*g", digits, before);
        snprintf(b, TEXT_NUMBER_SIZE, "%.*g", digits, after);
        if (strcmp(a, b) != 0)
            return;
    }
    text_print_double(before, a);
    text_print_double(after, b);
}

/* "neuron 3 [7.2] (sin, parent)", "sensor joint (child by connection 1 [7.1])", "constant". */
static const char *source_text(const struct genome *genome, const struct input_gene *input,
                               char text[INPUT_TEXT_SIZE])
{
    char name[GENE_NAME_SIZE], via[GENE_NAME_SIZE], scope[INPUT_TEXT_SIZE / 2];
    int row = genome_find_neuron(genome, input->source);

    snprintf(scope, sizeof(scope), "%s", input_scope_names[input->scope]);
    if (input->scope == SCOPE_CHILD)
        snprintf(
            scope, sizeof(scope), "child by %s",
            gene_name("connection", genome_find_connection(genome, input->via), input->via, via));
    else if (input->scope == SCOPE_PART)
        snprintf(scope, sizeof(scope), "part of %s", body_name(genome, input->via, via));
    if (input->kind == INPUT_CONSTANT)
        snprintf(text, INPUT_TEXT_SIZE, "constant %.4g", input->value);
    else if (input->kind == INPUT_SENSOR)
        snprintf(text, INPUT_TEXT_SIZE, "sensor %s (%s)", sensors[input->sensor].name, scope);
    else
        snprintf(text, INPUT_TEXT_SIZE, "%s (%s, %s)",
                 gene_name("neuron", row, input->source, name),
                 row < 0 ? "?" : neuron_functions[genome->neurons[row].function].name, scope);
    return text;
}

static void print_input(FILE *out, const struct genome *genome, const struct input_gene *input)
{
    char text[INPUT_TEXT_SIZE];

    fputs(source_text(genome, input, text), out);
    if (input->weight != 1)
        fprintf(out, " x %.4g", input->weight);
}

/* ---- fields ---- */

/* Opens the line of the gene, or goes on in it. */
static void open_field(struct diff *diff)
{
    if (diff->has_line)
        fputs("; ", diff->out);
    else
        fprintf(diff->out, "~ %s: ", diff->gene);
    diff->has_line = 1;
}

static void compare_number(struct diff *diff, const char *field, double before, double after,
                           const char *unit)
{
    char a[TEXT_NUMBER_SIZE], b[TEXT_NUMBER_SIZE];

    if (before == after)
        return;
    print_numbers(before, after, a, b);
    open_field(diff);
    fprintf(diff->out, "%s %s -> %s%s", field, a, b, unit);
}

static void compare_name(struct diff *diff, const char *field, int before, int after,
                         const char *const *names)
{
    if (before == after)
        return;
    open_field(diff);
    fprintf(diff->out, "%s %s -> %s", field, names[before], names[after]);
}

static void compare_flag(struct diff *diff, const char *name, int before, int after)
{
    if (before == after)
        return;
    open_field(diff);
    fprintf(diff->out, "%s %s", after ? "became" : "is no longer", name);
}

static void compare_end(struct diff *diff, const char *field, gene_id before, gene_id after)
{
    char a[GENE_NAME_SIZE], b[GENE_NAME_SIZE];

    if (before == after)
        return;
    open_field(diff);
    fprintf(diff->out, "%s %s -> %s", field, body_name(diff->before, before, a),
            body_name(diff->after, after, b));
}

static void compare_input(struct diff *diff, const char *field, const struct input_gene *before,
                          const struct input_gene *after)
{
    char a[INPUT_TEXT_SIZE], b[INPUT_TEXT_SIZE], name[64];
    int is_same_source = before->kind == after->kind && before->scope == after->scope &&
                         before->sensor == after->sensor && before->source == after->source &&
                         before->via == after->via;

    if (!is_same_source) {
        open_field(diff);
        fprintf(diff->out, "%s %s -> %s", field, source_text(diff->before, before, a),
                source_text(diff->after, after, b));
    } else {
        snprintf(name, sizeof(name), "%s constant", field);
        compare_number(diff, name, before->value, after->value, "");
    }
    snprintf(name, sizeof(name), "%s weight", field);
    compare_number(diff, name, before->weight, after->weight, "");
}

static void compare_sensors(struct diff *diff, uint64_t before, uint64_t after)
{
    int sensor;

    for (sensor = 0; sensor < SENSOR_COUNT; sensor++)
        if ((before ^ after) & SENSOR_BIT(sensor)) {
            open_field(diff);
            fprintf(diff->out, "%s sensor %s", after & SENSOR_BIT(sensor) ? "gained" : "lost",
                    sensors[sensor].name);
        }
}

/* ---- bodies and connections ---- */

/* The parts of limits: "lower limit", "second upper limit". */
static void name_limit(const struct gene_field *field, int is_upper, char text[32])
{
    const char *space = strrchr(field->words, ' ');
    int length = space ? (int)(space - field->words) + 1 : 0;

    snprintf(text, 32, "%.*s%s %s", length, field->words, is_upper ? "upper" : "lower",
             field->words + length);
}

/* One by one, but where their unit changes. */
static void compare_limits(struct diff *diff, const struct gene_field *field, const void *a,
                           const void *b)
{
    const struct gene_limit_form *before = gene_form(field, a), *after = gene_form(field, b);
    const double *from = gene_at_const(a, field), *to = gene_at_const(b, field);
    char name[32], unit[16];
    int i;

    if (before != after) {
        open_field(diff);
        fprintf(diff->out, "%ss %.4g .. %.4g %s -> %.4g .. %.4g %s", field->words, from[0], from[1],
                before->unit, to[0], to[1], after->unit);
        return;
    }
    snprintf(unit, sizeof(unit), " %s", after->unit);
    for (i = 0; i < 2; i++) {
        name_limit(field, i, name);
        compare_number(diff, name, from[i], to[i], unit);
    }
}

/* Where one side of a choice is "no": what it became, or is no longer. Else both names. */
static void compare_choice(struct diff *diff, const struct gene_field *field, int before, int after)
{
    if ((field->flags & GENE_BOOLEAN) && (before == 0 || after == 0))
        compare_flag(diff, field->words, before, after);
    else
        compare_name(diff, field->words, before, after, field->names);
}

static void compare_inputs(struct diff *diff, const struct gene_field *field,
                           const struct input_gene *a, int count_a, const struct input_gene *b,
                           int count_b)
{
    char name[24];
    int k;

    for (k = 0; k < count_b; k++) {
        snprintf(name, sizeof(name), "%s %d", field->words, k);
        if (k < count_a) {
            compare_input(diff, name, &a[k], &b[k]);
        } else {
            open_field(diff);
            fprintf(diff->out, "gained %s: ", name);
            print_input(diff->out, diff->after, &b[k]);
        }
    }
}

static void compare_field(struct diff *diff, const struct gene_field *table,
                          const struct gene_field *field, const void *gene_a, const void *gene_b)
{
    const void *a = gene_at_const(gene_a, field), *b = gene_at_const(gene_b, field);
    char unit[16];

    switch (field->type) {
    case GENE_ID:
        compare_end(diff, field->words, *(const gene_id *)a, *(const gene_id *)b);
        break;
    case GENE_LIMITS:
        compare_limits(diff, field, gene_a, gene_b);
        break;
    case GENE_FLAG:
        compare_flag(diff, field->words, *(const uint8_t *)a, *(const uint8_t *)b);
        break;
    case GENE_CHOICE:
        compare_choice(diff, field, *(const uint8_t *)a, *(const uint8_t *)b);
        break;
    case GENE_SENSORS:
        compare_sensors(diff, *(const uint64_t *)a, *(const uint64_t *)b);
        break;
    case GENE_INPUT:
        compare_input(diff, field->words, a, b);
        break;
    case GENE_INPUTS:
        compare_inputs(diff, field, a, (int)gene_range_of(table, field, gene_a).high, b,
                       (int)gene_range_of(table, field, gene_b).high);
        break;
    default:
        snprintf(unit, sizeof(unit), "%s%s", field->unit ? " " : "",
                 field->unit ? field->unit : "");
        compare_number(diff, field->words, gene_number(field, gene_a), gene_number(field, gene_b),
                       unit);
    }
}

static void print_field(struct diff *diff, const struct genome *genome,
                        const struct gene_field *table, const struct gene_field *field,
                        const void *gene);

/* The fields of a group that came, without its gate; the name is written already. */
static void print_group(struct diff *diff, const struct genome *genome,
                        const struct gene_field *table, const char *group, const void *gene)
{
    const struct gene_field *field;
    const char *gap = "";

    for (field = table; field->name; field++)
        if (field->group && strcmp(field->group, group) == 0 && field->type != GENE_FLAG) {
            fputs(gap, diff->out);
            if (field->type == GENE_INPUT)
                print_input(diff->out, genome, gene_at_const(gene, field));
            else
                print_field(diff, genome, table, field, gene);
            gap = ", ";
        }
}

/* 1 if only one of the genes has the group; the line then says so in one piece. */
static int compare_group(struct diff *diff, const struct gene_field *table,
                         const struct gene_field *field, const void *a, const void *b)
{
    const struct gene_field *gate = gene_gate(table, field);
    int had = gate && gene_number(gate, a) != 0, has = gate && gene_number(gate, b) != 0;

    if (had == has)
        return 0;
    if (field != gate)
        return 1;
    open_field(diff);
    if (has) {
        fprintf(diff->out, "gained its %s: ", field->group);
        print_group(diff, diff->after, table, field->group, b);
    } else {
        fprintf(diff->out, "lost its %s", field->group);
    }
    return 1;
}

/* Rows have the same id, which is the first field. */
static void compare_genes(struct diff *diff, const struct gene_field *table, const void *a,
                          const void *b)
{
    const struct gene_field *field;

    for (field = table + 1; field->name; field++)
        if (!compare_group(diff, table, field, a, b))
            compare_field(diff, table, field, a, b);
}

static void print_inputs(struct diff *diff, const struct genome *genome,
                         const struct gene_field *field, const struct input_gene *inputs, int count)
{
    int k;

    for (k = 0; k < count; k++) {
        fprintf(diff->out, "%s%s %d: ", k ? ", " : "", field->words, k);
        print_input(diff->out, genome, &inputs[k]);
    }
}

static void print_sensors(struct diff *diff, uint64_t set)
{
    const char *gap = "";
    int sensor;

    for (sensor = 0; sensor < SENSOR_COUNT; sensor++)
        if (set & SENSOR_BIT(sensor)) {
            fprintf(diff->out, "%ssensor %s", gap, sensors[sensor].name);
            gap = ", ";
        }
}

static void print_field(struct diff *diff, const struct genome *genome,
                        const struct gene_field *table, const struct gene_field *field,
                        const void *gene)
{
    const void *at = gene_at_const(gene, field);
    const double *reals = at;
    char name[GENE_NAME_SIZE];
    int number;

    switch (field->type) {
    case GENE_ID:
        fprintf(diff->out, "%s %s", field->words, body_name(genome, *(const gene_id *)at, name));
        break;
    case GENE_LIMITS:
        fprintf(diff->out, "%ss %.4g .. %.4g %s", field->words, reals[0], reals[1],
                gene_form(field, gene)->unit);
        break;
    case GENE_FLAG:
        fputs(field->words, diff->out);
        break;
    case GENE_CHOICE:
        number = *(const uint8_t *)at;
        if ((field->flags & GENE_BOOLEAN) && number <= 1)
            fputs(field->words, diff->out);
        else
            fprintf(diff->out, "%s %s", field->words, field->names[number]);
        break;
    case GENE_SENSORS:
        print_sensors(diff, *(const uint64_t *)at);
        break;
    case GENE_INPUT:
        fprintf(diff->out, "%s: ", field->words);
        print_input(diff->out, genome, at);
        break;
    case GENE_INPUTS:
        print_inputs(diff, genome, field, at, (int)gene_range_of(table, field, gene).high);
        break;
    default:
        fprintf(diff->out, "%s %.4g%s%s", field->words, gene_number(field, gene),
                field->unit ? " " : "", field->unit ? field->unit : "");
    }
}

/* 1 for a field that the line of a new gene leaves out: unused, empty, or the gate of a group. */
static int is_plain(const struct gene_field *table, const struct gene_field *field,
                    const void *gene)
{
    if (field->type == GENE_SENSORS)
        return *(const uint64_t *)gene_at_const(gene, field) == 0;
    if (field->type == GENE_ID)
        return 0;
    if (field->flags & GENE_GATE && field->type == GENE_FLAG)
        return 1;
    if (field->flags & GENE_WRITTEN)
        return !gene_is_used(gene_range_of(table, field, gene)) ||
               (field->flags & GENE_GATE && gene_number(field, gene) == 0);
    return gene_number(field, gene) == gene_assumed(field, gene);
}

static void print_gene_fields(struct diff *diff, const struct genome *genome,
                              const struct gene_field *table, const void *gene)
{
    const struct gene_field *field;
    const char *gap = "";

    for (field = table + 1; field->name; field++)
        if (!is_plain(table, field, gene)) {
            fputs(gap, diff->out);
            print_field(diff, genome, table, field, gene);
            gap = ", ";
        }
}

static void compare_bodies(struct diff *diff, int row_before, int row_after)
{
    compare_genes(diff, body_kinds[diff->after->kind].body, &diff->before->bodies[row_before],
                  &diff->after->bodies[row_after]);
}

static void print_body(struct diff *diff, const struct genome *genome, int row)
{
    print_gene_fields(diff, genome, body_kinds[genome->kind].body, &genome->bodies[row]);
}

static void compare_connections(struct diff *diff, int row_before, int row_after)
{
    compare_genes(diff, body_kinds[diff->after->kind].connection,
                  &diff->before->connections[row_before], &diff->after->connections[row_after]);
}

static void print_connection(struct diff *diff, const struct genome *genome, int row)
{
    print_gene_fields(diff, genome, body_kinds[genome->kind].connection, &genome->connections[row]);
}

/* ---- neurons ---- */

static void compare_neurons(struct diff *diff, int row_before, int row_after)
{
    const struct neuron_gene *a = &diff->before->neurons[row_before];
    const struct neuron_gene *b = &diff->after->neurons[row_after];
    int count_a = neuron_functions[a->function].input_count;
    int count_b = neuron_functions[b->function].input_count;
    char before[GENE_NAME_SIZE], after[GENE_NAME_SIZE], field[24];
    int k;

    if (a->owner != b->owner) {
        open_field(diff);
        fprintf(diff->out, "moved from %s to %s", place_name(diff->before, a->owner, before),
                place_name(diff->after, b->owner, after));
    }
    if (a->function != b->function) {
        open_field(diff);
        fprintf(diff->out, "function %s -> %s", neuron_functions[a->function].name,
                neuron_functions[b->function].name);
    }
    compare_number(diff, "phase", a->initial, b->initial, " turns");
    compare_number(diff, "lag of images", a->lag_image, b->lag_image, " turns");
    compare_number(diff, "lag in a row", a->lag_row, b->lag_row, " turns");
    for (k = 0; k < count_b; k++) {
        snprintf(field, sizeof(field), "input %d", k);
        if (k < count_a) {
            compare_input(diff, field, &a->inputs[k], &b->inputs[k]);
        } else {
            open_field(diff);
            fprintf(diff->out, "gained %s: ", field);
            print_input(diff->out, diff->after, &b->inputs[k]);
        }
    }
}

static void print_neuron(struct diff *diff, const struct genome *genome, int row)
{
    const struct neuron_gene *neuron = &genome->neurons[row];
    char place[GENE_NAME_SIZE];
    int k;

    fprintf(diff->out, "%s in %s", neuron_functions[neuron->function].name,
            place_name(genome, neuron->owner, place));
    if (neuron->initial != 0)
        fprintf(diff->out, ", phase %.4g turns", neuron->initial);
    if (neuron->lag_image != 0)
        fprintf(diff->out, ", images lag by %.4g turns", neuron->lag_image);
    if (neuron->lag_row != 0)
        fprintf(diff->out, ", in a row each lags by %.4g turns", neuron->lag_row);
    for (k = 0; k < neuron_functions[neuron->function].input_count; k++) {
        fputs(k ? ", " : ": ", diff->out);
        print_input(diff->out, genome, &neuron->inputs[k]);
    }
}

/* ---- tables ---- */

static int count_bodies(const struct genome *genome)
{
    return genome->body_count;
}
static int count_connections(const struct genome *genome)
{
    return genome->connection_count;
}
static int count_neurons(const struct genome *genome)
{
    return genome->neuron_count;
}
static gene_id body_id(const struct genome *genome, int row)
{
    return genome->bodies[row].id;
}
static gene_id connection_id(const struct genome *genome, int row)
{
    return genome->connections[row].id;
}
static gene_id neuron_id(const struct genome *genome, int row)
{
    return genome->neurons[row].id;
}

static const struct table {
    const char *name;
    const char *plural;
    int (*count)(const struct genome *genome);
    gene_id (*id)(const struct genome *genome, int row);
    int (*find)(const struct genome *genome, gene_id id);
    void (*compare)(struct diff *diff, int row_before, int row_after);
    void (*print)(struct diff *diff, const struct genome *genome, int row);
} tables[] = {
    {"body", "bodies", count_bodies, body_id, genome_find_body, compare_bodies, print_body},
    {"connection", "connections", count_connections, connection_id, genome_find_connection,
     compare_connections, print_connection},
    {"neuron", "neurons", count_neurons, neuron_id, genome_find_neuron, compare_neurons,
     print_neuron},
};
enum { TABLE_COUNT = sizeof(tables) / sizeof(tables[0]) };

/* A whole gene: "+ neuron 4 [55.3]: sin in body 1 [2.1]: constant 1". */
static void print_gene(struct diff *diff, const struct table *table, const struct genome *genome,
                       int row)
{
    char name[GENE_NAME_SIZE];

    fprintf(diff->out, "%c %s: ", genome == diff->after ? '+' : '-',
            gene_name(table->name, row, table->id(genome, row), name));
    table->print(diff, genome, row);
    fputc('\n', diff->out);
}

static void compare_gene(struct diff *diff, const struct table *table, int row_before,
                         int row_after)
{
    char name[GENE_NAME_SIZE];

    diff->has_line = 0;
    snprintf(diff->gene, sizeof(diff->gene), "%s",
             gene_name(table->name, row_after, table->id(diff->after, row_after), name));
    table->compare(diff, row_before, row_after);
    if (diff->has_line)
        fputc('\n', diff->out);
    diff->counts.changed += diff->has_line;
    diff->counts.same += !diff->has_line;
}

/* The rows that both have, in the order of one, by their ids. */
static void print_order(struct diff *diff, const struct table *table, const struct genome *genome,
                        const struct genome *other)
{
    char name[ID_NAME_SIZE];
    int row;

    for (row = 0; row < table->count(genome); row++)
        if (table->find(other, table->id(genome, row)) >= 0)
            fprintf(diff->out, " %s", id_name(table->id(genome, row), name));
}

static void compare_order(struct diff *diff, const struct table *table)
{
    int row, last = -1, is_moved = 0;

    for (row = 0; row < table->count(diff->after); row++) {
        int before = table->find(diff->before, table->id(diff->after, row));

        is_moved |= before >= 0 && before < last;
        if (before >= 0)
            last = before;
    }
    if (!is_moved)
        return;
    fprintf(diff->out, "~ order of %s:", table->plural);
    print_order(diff, table, diff->before, diff->after);
    fputs(" ->", diff->out);
    print_order(diff, table, diff->after, diff->before);
    fputc('\n', diff->out);
    diff->counts.is_moved = 1;
}

static void compare_table(struct diff *diff, const struct table *table)
{
    int row;

    for (row = 0; row < table->count(diff->before); row++)
        if (table->find(diff->after, table->id(diff->before, row)) < 0) {
            print_gene(diff, table, diff->before, row);
            diff->counts.removed++;
        }
    for (row = 0; row < table->count(diff->after); row++) {
        int before = table->find(diff->before, table->id(diff->after, row));

        if (before >= 0) {
            compare_gene(diff, table, before, row);
        } else {
            print_gene(diff, table, diff->after, row);
            diff->counts.added++;
        }
    }
    compare_order(diff, table);
}

struct genetics_diff genetics_diff(const struct genome *before, const struct genome *after,
                                   FILE *out)
{
    struct diff diff = {.before = before, .after = after, .out = out};
    char a[GENE_NAME_SIZE], b[GENE_NAME_SIZE];
    int i;

    if (before->root != after->root) {
        fprintf(out, "~ root: %s -> %s\n", body_name(before, before->root, a),
                body_name(after, after->root, b));
        diff.counts.is_moved = 1;
    }
    if (before->kind != after->kind) {
        fprintf(out, "~ body: %s -> %s\n", body_kinds[before->kind].name,
                body_kinds[after->kind].name);
        diff.counts.is_moved = 1;
    }
    if (before->breeding != after->breeding) {
        fprintf(out, "~ breeding method: %s -> %s\n", breeding_gene_names[before->breeding],
                breeding_gene_names[after->breeding]);
        diff.counts.is_moved = 1;
    }
    for (i = 0; i < TABLE_COUNT; i++)
        compare_table(&diff, &tables[i]);
    return diff.counts;
}

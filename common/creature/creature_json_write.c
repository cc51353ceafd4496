/* The JSON form, written. A value that reading assumes is left out where that makes rows
 * shorter (flags, empty lists, zeros, trailing inputs that are the constant 0 with weight 0); a
 * constant of weight 1 is a bare number. docs/creature-format.md describes the form. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/genome/body_kind.h"
#include "common/creature/creature_codec.h"
#include "common/math/hash.h"
#include "common/formats/json_text.h"
#include "common/version.h"

/* Memory was out somewhere: json_t values that are NULL end here. */
struct tree {
    int has_failed;
};

static void put(struct tree *tree, json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) != 0)
        tree->has_failed = 1;
}

static void add(struct tree *tree, json_t *array, json_t *value)
{
    if (json_array_append_new(array, value) != 0)
        tree->has_failed = 1;
}

static json_t *hex_value(uint64_t value)
{
    char text[17];
    hash_to_text(value, text);
    return json_string(text);
}

static json_t *id_value(uint64_t id)
{
    return json_integer((json_int_t)id);
}

/* -0 is written, so that every bit comes back. */
static int is_zero(double value)
{
    return value == 0 && !signbit(value);
}

static void put_unless_zero(struct tree *tree, json_t *object, const char *key, double value)
{
    if (!is_zero(value))
        put(tree, object, key, json_real(value));
}

static json_t *input_value(struct tree *tree, const struct input_gene *input)
{
    if (input->kind == INPUT_CONSTANT && input->weight == 1)
        return json_real(input->value);
    json_t *object = json_object();
    if (input->kind == INPUT_CONSTANT)
        put(tree, object, "constant", json_real(input->value));
    else if (input->kind == INPUT_SENSOR)
        put(tree, object, "sensor", json_string(sensors[input->sensor].name));
    else
        put(tree, object, "neuron", id_value(input->source));
    if (input->kind != INPUT_CONSTANT)
        put(tree, object, "of", json_string(input_scope_names[input->scope]));
    if (input->scope == SCOPE_CHILD || input->scope == SCOPE_PART)
        put(tree, object, "via", id_value(input->via));
    if (input->weight != 1)
        put(tree, object, "weight", json_real(input->weight));
    return object;
}

static json_t *sensors_value(struct tree *tree, uint64_t set)
{
    json_t *array = json_array();
    for (int i = 0; i < SENSOR_COUNT; i++)
        if (set & SENSOR_BIT(i))
            add(tree, array, json_string(sensors[i].name));
    return array;
}

static json_t *pair_value(struct tree *tree, double lower, double upper)
{
    json_t *pair = json_array();
    add(tree, pair, json_real(lower));
    add(tree, pair, json_real(upper));
    return pair;
}

static json_t *inputs_value(struct tree *tree, const struct input_gene *inputs, int count)
{
    json_t *array = json_array();
    for (int i = 0; i < count; i++)
        add(tree, array, input_value(tree, &inputs[i]));
    return array;
}

static json_t *choice_value(const struct gene_field *field, int number)
{
    return (field->flags & GENE_BOOLEAN) && number <= 1 ? json_boolean(number)
                                                        : json_string(field->names[number]);
}

static json_t *field_value(struct tree *tree, const struct gene_field *field, const void *gene,
                           struct gene_range range)
{
    const void *at = gene_at_const(gene, field);
    const double *reals = at;
    switch (field->type) {
    case GENE_ID:
        return id_value(*(const gene_id *)at);
    case GENE_REAL:
        return json_real(reals[0]);
    case GENE_LIMITS:
        return pair_value(tree, reals[0], reals[1]);
    case GENE_COUNT:
        return json_integer(*(const uint8_t *)at);
    case GENE_FLAG:
        return json_boolean(*(const uint8_t *)at);
    case GENE_CHOICE:
        return choice_value(field, *(const uint8_t *)at);
    case GENE_SENSORS:
        return sensors_value(tree, *(const uint64_t *)at);
    case GENE_INPUT:
        return input_value(tree, at);
    default:
        return inputs_value(tree, at, (int)range.high);
    }
}

/* Whether text may leave a field out. -0 is written, so that every bit comes back. */
static int is_left_out(const struct gene_field *field, const void *gene, struct gene_range range)
{
    if (field->key && field->key[0] == '\0')
        return 1;
    if (field->type == GENE_SENSORS)
        return *(const uint64_t *)gene_at_const(gene, field) == 0;
    if (field->flags & GENE_WRITTEN)
        return field->type != GENE_ID && !gene_is_used(range);
    double number = gene_number(field, gene), assumed = gene_assumed(field, gene);
    return (number == assumed && !signbit(number)) || !gene_is_used(range);
}

static const char *text_key(const struct gene_field *field, const void *gene)
{
    return field->type == GENE_LIMITS ? gene_form(field, gene)->key
           : field->key               ? field->key
                                      : field->name;
}

/* The fields of a group lie side by side in their table. */
static json_t *gene_value(struct tree *tree, const struct gene_field *table, const void *gene)
{
    json_t *object = json_object(), *group = NULL;
    for (const struct gene_field *field = table; field->name; field++) {
        struct gene_range range = gene_range_of(table, field, gene);
        if (field->group && (field->flags & GENE_GATE)) {
            group = NULL;
            if (gene_number(field, gene) != 0)
                put(tree, object, field->group, group = json_object());
        }
        if ((!field->group || group) && !is_left_out(field, gene, range))
            put(tree, field->group ? group : object, text_key(field, gene),
                field_value(tree, field, gene, range));
    }
    return object;
}

static int is_default_input(const struct input_gene *input)
{
    return input->kind == INPUT_CONSTANT && is_zero(input->value) && is_zero(input->weight);
}

static json_t *neuron_value(struct tree *tree, const struct neuron_gene *neuron)
{
    json_t *object = json_object(), *inputs = json_array();
    put(tree, object, "id", id_value(neuron->id));
    put(tree, object, "in", neuron->owner == 0 ? json_string("central") : id_value(neuron->owner));
    put(tree, object, "function", json_string(neuron_functions[neuron->function].name));
    put_unless_zero(tree, object, "initial", neuron->initial);
    put_unless_zero(tree, object, "lag_image", neuron->lag_image);
    put_unless_zero(tree, object, "lag_row", neuron->lag_row);
    int used = neuron_functions[neuron->function].input_count;
    while (used > 0 && is_default_input(&neuron->inputs[used - 1]))
        used--;
    for (int i = 0; i < used; i++)
        add(tree, inputs, input_value(tree, &neuron->inputs[i]));
    put(tree, object, "inputs", inputs);
    return object;
}

static json_t *row_value(struct tree *tree, const struct genome *genome, enum genome_table table,
                         int row)
{
    return table == GENOME_NEURONS ? neuron_value(tree, &genome->neurons[row])
                                   : gene_value(tree, body_kind_genes(genome->kind, table),
                                                genome_row(genome, table, row));
}

static void put_genome(struct tree *tree, json_t *object, const struct genome *genome)
{
    if (genome->kind != 0)
        put(tree, object, "body", json_string(body_kinds[genome->kind].name));
    put(tree, object, "root", id_value(genome->root));
    if (genome->breeding)
        put(tree, object, "breeding", json_string(breeding_gene_names[genome->breeding]));
    for (int table = 0; table < GENOME_TABLE_COUNT; table++) {
        json_t *rows = json_array();
        for (int i = 0; i < genome->counts[table]; i++)
            add(tree, rows, row_value(tree, genome, table, i));
        put(tree, object, genome_tables[table].name, rows);
    }
}

static json_t *param_value(const struct params *params, int index)
{
    const struct param_info *info = &param_table[index];
    const void *value = (const char *)params + info->offset;
    char text[PARAM_TEXT_SIZE];
    switch (info->type) {
    case PARAM_REAL:
        return json_real(*(const double *)value);
    case PARAM_INT:
        return json_integer(*(const int64_t *)value);
    case PARAM_BOOL:
        return json_boolean(*(const int *)value);
    default:
        params_print_value(params, index, text, sizeof(text));
        return json_string(text);
    }
}

static json_t *evaluation_value(struct tree *tree, const struct creature *creature)
{
    json_t *object = json_object(), *parameters = json_object(), *measures = json_object();
    for (int i = 0; i < param_count; i++)
        if (creature_records_param(i))
            put(tree, parameters, param_table[i].key, param_value(&creature->params, i));
    for (int i = 0; i < MEASURE_COUNT; i++)
        put(tree, measures, measure_table[i].name, json_real(measures_get(&creature->measures, i)));
    put(tree, object, "simulator_version", json_integer(creature->simulator_version));
    put(tree, object, "seed", hex_value(creature->seed));
    put(tree, object, "verdict", json_string(verdict_name(creature->verdict)));
    put(tree, object, "fitness", json_real(creature->fitness));
    put(tree, object, "digest", hex_value(creature->digest));
    put(tree, object, "genome_hash", hex_value(creature->genome_hash));
    put(tree, object, "parameters", parameters);
    put(tree, object, "measures", measures);
    return object;
}

static void put_text(struct tree *tree, json_t *object, const char *key, const char *text)
{
    if (text[0] != '\0')
        put(tree, object, key, json_string(text));
}

static void put_origin(struct tree *tree, json_t *object, const struct creature *creature)
{
    put_text(tree, object, "name", creature->name);
    put_text(tree, object, "note", creature->note);
    if (creature->id != 0)
        put(tree, object, "id", id_value(creature->id));
    if (creature->parents[0] != 0 || creature->parents[1] != 0) {
        json_t *parents = json_array();
        add(tree, parents, id_value(creature->parents[0]));
        add(tree, parents, id_value(creature->parents[1]));
        put(tree, object, "parents", parents);
    }
    if (creature->generation != 0)
        put(tree, object, "generation", json_integer(creature->generation));
    put_text(tree, object, "method", creature->method);
    put_text(tree, object, "mutations", creature->mutations);
}

char *creature_to_json(const struct creature *creature)
{
    struct tree tree = {0};
    json_t *object = json_object();
    put(&tree, object, "format", json_string(CREATURE_FORMAT_NAME));
    put(&tree, object, "version", json_integer(creature_format_version(creature)));
    put_origin(&tree, object, creature);
    put_genome(&tree, object, &creature->genome);
    if (creature->has_evaluation)
        put(&tree, object, "evaluation", evaluation_value(&tree, creature));
    char *text = tree.has_failed ? NULL : json_text_dump(object);
    json_decref(object);
    return text;
}

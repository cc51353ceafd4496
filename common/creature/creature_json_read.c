/* The reader of the JSON form. People and strangers write it, so nothing is believed.
 *
 * The reader carries the place it is at ("bodies[2].effector") and keeps the first error; after it
 * every call does nothing. Each object's keys are compared with the list of those it may have
 * before anything is read, so that a misspelt key is called unknown and not missing. An optional
 * field keeps the value that it has when it is read. genome_check() has the last word. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/genome/body_kind.h"
#include "common/creature/creature_codec.h"
#include "common/math/hash.h"
#include "common/text.h"
#include "common/version.h"

static const char *const file_keys[] = {
    "format",     "version",    "name",      "note", "id",     "parents",
    "generation", "method",     "mutations", "root", "bodies", "connections",
    "neurons",    "evaluation", "breeding",  "body", NULL};
static const char *const neuron_keys[] = {"id",        "in",      "function", "initial",
                                          "lag_image", "lag_row", "inputs",   NULL};
static const char *const input_keys[] = {"constant", "neuron", "sensor", "of",
                                         "via",      "weight", NULL};
static const char *const evaluation_keys[] = {"simulator_version", "seed",     "verdict",
                                              "fitness",           "digest",   "genome_hash",
                                              "parameters",        "measures", NULL};

enum { OPTIONAL, REQUIRED };
enum { GENE_KEYS_MAX = 32 }; /* of a gene */

struct reader {
    struct error *error;
    int rc;          /* the first error */
    char place[128]; /* "" at the top */
};

static void fail(struct reader *reader, int code, const char *key, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Keeps the first error; key may be NULL. */
static void fail(struct reader *reader, int code, const char *key, const char *format, ...)
{
    if (reader->rc != 0)
        return;
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    const char *dot = key && reader->place[0] ? "." : "";
    const char *colon = key || reader->place[0] ? ": " : "";
    reader->rc = error_set(reader->error, code, "%s%s%.64s%s%s", reader->place, dot, key ? key : "",
                           colon, text);
}

/* Goes on to a key, or to an element if index is not negative. Returns what leave() needs. */
static size_t enter(struct reader *reader, const char *key, int index)
{
    size_t length = strlen(reader->place);
    char *end = reader->place + length;
    size_t room = sizeof(reader->place) - length;
    if (index < 0)
        snprintf(end, room, "%s%s", length > 0 ? "." : "", key);
    else
        snprintf(end, room, "%s%s[%d]", length > 0 ? "." : "", key, index);
    return length;
}

static void leave(struct reader *reader, size_t length)
{
    reader->place[length] = '\0';
}

/* ---- values of keys ---- */

static void check_keys(struct reader *reader, json_t *object, const char *const *keys)
{
    if (!json_is_object(object)) {
        fail(reader, ERR_FORMAT, NULL, "expected an object");
        return;
    }
    for (void *at = json_object_iter(object); at; at = json_object_iter_next(object, at)) {
        const char *key = json_object_iter_key(at), *similar = NULL;
        char suggestion[TEXT_SUGGESTION_SIZE];
        size_t i = 0;
        while (keys[i] && strcmp(keys[i], key) != 0)
            i++;
        if (keys[i])
            continue;
        for (i = 0; keys[i]; i++)
            similar = text_nearer(key, keys[i], similar);
        fail(reader, ERR_UNKNOWN, key, "unknown key%s", text_suggest(similar, suggestion));
    }
}

/* The value, or NULL: an error happened, or there is no such key (an error too, if required). */
static json_t *find(struct reader *reader, json_t *object, const char *key, int is_required)
{
    json_t *value = reader->rc == 0 ? json_object_get(object, key) : NULL;
    if (!value && is_required)
        fail(reader, ERR_MISSING, key, "missing");
    return value;
}

static void convert_real(struct reader *reader, json_t *value, const char *key, double *real)
{
    if (!json_is_number(value))
        fail(reader, ERR_FORMAT, key, "expected a number");
    else
        *real = json_number_value(value);
}

static void read_real(struct reader *reader, json_t *object, const char *key, int is_required,
                      double *real)
{
    json_t *value = find(reader, object, key, is_required);
    if (value)
        convert_real(reader, value, key, real);
}

static void read_int(struct reader *reader, json_t *object, const char *key, int is_required,
                     int64_t min, int64_t max, int64_t *number)
{
    json_t *value = find(reader, object, key, is_required);
    if (!value)
        return;
    if (!json_is_integer(value))
        fail(reader, ERR_FORMAT, key, "expected a whole number");
    else if (json_integer_value(value) < min || json_integer_value(value) > max)
        fail(reader, ERR_RANGE, key,
             "%" JSON_INTEGER_FORMAT " is not within %" PRId64 " .. %" PRId64,
             json_integer_value(value), min, max);
    else
        *number = json_integer_value(value);
}

static void read_id(struct reader *reader, json_t *object, const char *key, int is_required,
                    uint64_t *id)
{
    int64_t number = (int64_t)*id;
    read_int(reader, object, key, is_required, is_required ? 1 : 0, INT64_MAX, &number);
    *id = (uint64_t)number;
}

static void read_flag(struct reader *reader, json_t *object, const char *key, uint8_t *flag)
{
    json_t *value = find(reader, object, key, OPTIONAL);
    if (value && !json_is_boolean(value))
        fail(reader, ERR_FORMAT, key, "expected true or false");
    else if (value)
        *flag = json_is_true(value);
}

static void read_text(struct reader *reader, json_t *object, const char *key, char *buffer,
                      size_t size)
{
    json_t *value = find(reader, object, key, OPTIONAL);
    if (!value)
        return;
    size_t length = json_is_string(value) ? json_string_length(value) : 0;
    if (!json_is_string(value))
        fail(reader, ERR_FORMAT, key, "expected a text");
    else if (length >= size)
        fail(reader, ERR_LIMIT, key, "longer than %zu bytes", size - 1);
    else if (!text_is_clean(json_string_value(value), length))
        fail(reader, ERR_FORMAT, key, "has control or invisible characters");
    else
        memcpy(buffer, json_string_value(value), length + 1);
}

static void read_hex(struct reader *reader, json_t *object, const char *key, uint64_t *number)
{
    json_t *value = find(reader, object, key, REQUIRED);
    if (value && (!json_is_string(value) || hash_from_text(json_string_value(value), number) != 0))
        fail(reader, ERR_FORMAT, key, "expected a text of 16 hexadecimal digits");
}

/* ---- names from tables: by number, NULL behind the last, "" where none is to be written ---- */

static const char *scope_name(int number)
{
    return number < SCOPE_COUNT ? input_scope_names[number] : NULL;
}

static const char *sensor_name(int number)
{
    return number < SENSOR_COUNT ? sensors[number].name : NULL;
}

static const char *function_name(int number)
{
    return number < NEURON_FUNCTION_COUNT ? neuron_functions[number].name : NULL;
}

static const char *kind_name(int number)
{
    return number < body_kind_count ? body_kinds[number].name : NULL;
}

static const char *breeding_name(int number)
{
    if (number == BREEDING_UNSET)
        return "";
    return number < BREEDING_GENE_COUNT ? breeding_gene_names[number] : NULL;
}

static const char *verdict_name_at(int number)
{
    return verdict_find(verdict_name(number)) == number ? verdict_name(number) : NULL;
}

static void add_choice(char *choices, size_t size, const char *name)
{
    size_t length = strlen(choices);
    if (name[0])
        snprintf(choices + length, size - length, "%s%s", length ? ", " : "", name);
}

/* Lists what there is. */
static void fail_unknown(struct reader *reader, json_t *value, const char *key, const char *choices)
{
    fail(reader, ERR_UNKNOWN, key, "unknown name \"%.60s\"; there are %s", json_string_value(value),
         choices);
}

/* The number of that name; -1 and an error if there is none. */
static int convert_name(struct reader *reader, json_t *value, const char *key,
                        const char *(*name_at)(int number))
{
    char choices[320] = "";
    if (!json_is_string(value)) {
        fail(reader, ERR_FORMAT, key, "expected a name");
        return -1;
    }
    for (int i = 0; name_at(i); i++) {
        if (name_at(i)[0] && strcmp(name_at(i), json_string_value(value)) == 0)
            return i;
        add_choice(choices, sizeof choices, name_at(i));
    }
    fail_unknown(reader, value, key, choices);
    return -1;
}

static void read_name(struct reader *reader, json_t *object, const char *key, int is_required,
                      const char *(*name_at)(int number), uint8_t *number)
{
    json_t *value = find(reader, object, key, is_required);
    int found = value ? convert_name(reader, value, key, name_at) : -1;
    if (found >= 0)
        *number = (uint8_t)found;
}

/* ---- genes ---- */

/* A bare number is a constant of weight 1. is_central: the reader is in the central set, where what
 * is read is by default central too. */
static void read_input(struct reader *reader, json_t *value, int is_central,
                       struct input_gene *input)
{
    input->weight = 1;
    if (json_is_number(value)) {
        input->value = json_number_value(value);
        return;
    }
    check_keys(reader, value, input_keys);
    if (reader->rc != 0)
        return;
    json_t *neuron = json_object_get(value, "neuron"), *sensor = json_object_get(value, "sensor");
    if (!!neuron + !!sensor + !!json_object_get(value, "constant") != 1) {
        fail(reader, ERR_FORMAT, NULL, "expected one of constant, neuron and sensor");
        return;
    }
    if (neuron || sensor) {
        input->kind = neuron ? INPUT_NEURON : INPUT_SENSOR;
        input->scope = !is_central ? SCOPE_OWN : neuron ? SCOPE_CENTRAL : SCOPE_PART;
        read_name(reader, value, "of", OPTIONAL, scope_name, &input->scope);
        read_name(reader, value, "sensor", OPTIONAL, sensor_name, &input->sensor);
        read_id(reader, value, "neuron", neuron ? REQUIRED : OPTIONAL, &input->source);
        int has_via = input->scope == SCOPE_CHILD || input->scope == SCOPE_PART;
        if (!has_via && json_object_get(value, "via"))
            fail(reader, ERR_FORMAT, "via", "is for \"of\": \"child\" and \"of\": \"part\"");
        read_id(reader, value, "via", has_via ? REQUIRED : OPTIONAL, &input->via);
    } else {
        if (json_object_get(value, "of") || json_object_get(value, "via"))
            fail(reader, ERR_FORMAT, NULL, "a constant has neither of nor via");
        read_real(reader, value, "constant", REQUIRED, &input->value);
    }
    read_real(reader, value, "weight", OPTIONAL, &input->weight);
}

/* A pair of numbers, where the key is there. */
static void read_pair(struct reader *reader, json_t *object, const char *key, double *lower,
                      double *upper)
{
    json_t *value = find(reader, object, key, OPTIONAL);
    if (!value)
        return;
    if (!json_is_array(value) || json_array_size(value) != 2) {
        fail(reader, ERR_FORMAT, key, "expected [lower, upper]");
        return;
    }
    convert_real(reader, json_array_get(value, 0), key, lower);
    convert_real(reader, json_array_get(value, 1), key, upper);
}

static void read_sensors(struct reader *reader, json_t *value, const char *key, uint64_t *set)
{
    if (!json_is_array(value))
        fail(reader, ERR_FORMAT, key, "expected an array of names");
    for (size_t i = 0; reader->rc == 0 && i < json_array_size(value); i++) {
        int sensor = convert_name(reader, json_array_get(value, i), key, sensor_name);
        if (sensor >= 0 && (*set & SENSOR_BIT(sensor)))
            fail(reader, ERR_FORMAT, key, "%s stands twice", sensors[sensor].name);
        else if (sensor >= 0)
            *set |= SENSOR_BIT(sensor);
    }
}

/* As many inputs as the gene uses, by the fields read before; those left out at the end are 0. */
static void read_gene_inputs(struct reader *reader, json_t *value, const char *key,
                             struct input_gene *inputs, int used)
{
    if (!json_is_array(value) || json_array_size(value) > (size_t)used)
        fail(reader, ERR_FORMAT, key, "expected an array of at most %d", used);
    for (size_t i = 0; reader->rc == 0 && i < json_array_size(value); i++) {
        size_t place = enter(reader, key, (int)i);
        read_input(reader, json_array_get(value, i), 0, &inputs[i]);
        leave(reader, place);
    }
}

/* A name among those that the kind has; a choice may know true and false, too. */
static uint8_t convert_choice(struct reader *reader, json_t *value, const struct gene_field *field,
                              const char *key)
{
    int low = (int)field->range.low, high = (int)field->range.high;
    if ((field->flags & GENE_BOOLEAN) && json_is_boolean(value))
        return json_is_true(value);
    if (!json_is_string(value)) {
        fail(reader, ERR_FORMAT, key,
             field->flags & GENE_BOOLEAN ? "expected true or false" : "expected a name");
        return 0;
    }
    char choices[320] = "";
    for (int i = low; i <= high; i++) {
        if (!gene_is_choice(field, i))
            continue;
        if (strcmp(field->names[i], json_string_value(value)) == 0)
            return (uint8_t)i;
        add_choice(choices, sizeof choices, field->names[i]);
    }
    fail_unknown(reader, value, key, choices);
    return 0;
}

/* Gives a field that the text does not name its assumed value. */
static void assume_field(const struct gene_field *field, void *gene, struct gene_range range)
{
    double assumed = gene_assumed(field, gene), *limits = gene_at(gene, field);
    switch (field->type) {
    case GENE_LIMITS:
        limits[0] = det_max(-assumed, range.low);
        limits[1] = det_min(assumed, range.high);
        break;
    case GENE_REAL:
    case GENE_COUNT:
    case GENE_FLAG:
    case GENE_CHOICE:
        gene_set_number(field, gene, assumed);
        break;
    default:
        break;
    }
}

static void read_field(struct reader *reader, json_t *object, const struct gene_field *field,
                       void *gene, const char *key, struct gene_range range)
{
    void *at = gene_at(gene, field);
    double *reals = at;
    int64_t number = 0;
    json_t *value = find(reader, object, key, OPTIONAL);
    if (!value)
        return;
    switch (field->type) {
    case GENE_ID:
        read_id(reader, object, key, REQUIRED, at);
        break;
    case GENE_REAL:
        convert_real(reader, value, key, at);
        break;
    case GENE_LIMITS:
        read_pair(reader, object, key, &reals[0], &reals[1]);
        break;
    case GENE_COUNT:
        read_int(reader, object, key, OPTIONAL, (int64_t)range.low, (int64_t)range.high, &number);
        *(uint8_t *)at = (uint8_t)number;
        break;
    case GENE_FLAG:
        read_flag(reader, object, key, at);
        break;
    case GENE_CHOICE:
        *(uint8_t *)at = convert_choice(reader, value, field, key);
        break;
    case GENE_SENSORS:
        read_sensors(reader, value, key, at);
        break;
    case GENE_INPUT: {
        size_t place = enter(reader, key, -1);
        read_input(reader, value, 0, at);
        leave(reader, place);
        break;
    }
    case GENE_INPUTS:
        read_gene_inputs(reader, value, key, at, (int)range.high);
        break;
    }
}

/* The key of a field; limits in the form of another unit are an error. */
static const char *field_key(struct reader *reader, json_t *object, const struct gene_field *field,
                             const void *gene)
{
    if (field->type != GENE_LIMITS)
        return field->key ? field->key : field->name;
    const struct gene_limit_form *own = gene_form(field, gene);
    for (int i = 0; i < field->form_count; i++)
        if (&field->forms[i] != own && json_object_get(object, field->forms[i].key))
            fail(reader, ERR_FORMAT, field->forms[i].key, "this joint has %s", own->key);
    return own->key;
}

/* The keys of the gene itself (group NULL) or of one of its groups. */
static void check_gene_keys(struct reader *reader, json_t *object, const struct gene_field *table,
                            const char *group)
{
    const char *keys[GENE_KEYS_MAX + 1];
    int count = 0;
    for (const struct gene_field *field = table; field->name; field++) {
        int is_within = group ? field->group && strcmp(field->group, group) == 0 : 1;
        if (!is_within || (field->group && !group && !(field->flags & GENE_GATE)) ||
            (group && field->key && !field->key[0]))
            continue;
        ENSURE(count + field->form_count < GENE_KEYS_MAX, "%d keys", count);
        for (int i = 0; i < field->form_count; i++)
            keys[count++] = field->forms[i].key;
        if (field->form_count == 0)
            keys[count++] = field->group && !group ? field->group
                            : field->key           ? field->key
                                                   : field->name;
    }
    keys[count] = NULL;
    check_keys(reader, object, keys);
}

/* The object that has a field: the gene's own, or that of its group, which begins with its gate.
 * NULL: there is none. */
static json_t *open_group(struct reader *reader, json_t *object, const struct gene_field *table,
                          const struct gene_field *field)
{
    json_t *value = find(reader, object, field->group, OPTIONAL);
    if (value && (field->flags & GENE_GATE)) {
        size_t place = enter(reader, field->group, -1);
        check_gene_keys(reader, value, table, field->group);
        leave(reader, place);
    }
    return value;
}

static void read_gene(struct reader *reader, json_t *object, const struct gene_field *table,
                      void *gene)
{
    check_gene_keys(reader, object, table, NULL);
    for (const struct gene_field *field = table; field->name && reader->rc == 0; field++) {
        json_t *from = field->group ? open_group(reader, object, table, field) : object;
        if (!from || reader->rc != 0)
            continue;
        size_t place = field->group ? enter(reader, field->group, -1) : strlen(reader->place);
        int is_gate = field->flags & GENE_GATE;
        struct gene_range range = is_gate ? field->range : gene_range_of(table, field, gene);
        const char *key = field_key(reader, from, field, gene);
        assume_field(field, gene, range);
        if ((field->flags & GENE_REQUIRED) &&
            (field->type == GENE_ID || gene_is_used(range) || field->type == GENE_INPUTS))
            find(reader, from, key, REQUIRED);
        read_field(reader, from, field, gene, key, range);
        if (is_gate && reader->rc == 0 && gene_number(field, gene) == 0)
            fail(reader, ERR_RANGE, key, "0 makes it no %s", field->group);
        leave(reader, place);
    }
}

/* "in" is a body's id or "central". */
static void read_owner(struct reader *reader, json_t *object, struct neuron_gene *neuron)
{
    json_t *value = find(reader, object, "in", REQUIRED);
    if (!value)
        return;
    if (json_is_integer(value))
        read_id(reader, object, "in", REQUIRED, &neuron->owner);
    else if (!json_is_string(value) || strcmp(json_string_value(value), "central") != 0)
        fail(reader, ERR_FORMAT, "in", "expected a body's id or \"central\"");
}

static void read_inputs(struct reader *reader, json_t *object, struct neuron_gene *neuron)
{
    const struct neuron_function_info *info = &neuron_functions[neuron->function];
    json_t *value = find(reader, object, "inputs", OPTIONAL);
    if (!value)
        return;
    if (!json_is_array(value)) {
        fail(reader, ERR_FORMAT, "inputs", "expected an array");
        return;
    }
    if (json_array_size(value) > (size_t)info->input_count) {
        fail(reader, ERR_LIMIT, "inputs", "%s has at most %d, not %zu", info->name,
             info->input_count, json_array_size(value));
        return;
    }
    for (size_t i = 0; i < json_array_size(value); i++) {
        size_t place = enter(reader, "inputs", (int)i);
        read_input(reader, json_array_get(value, i), neuron->owner == 0, &neuron->inputs[i]);
        leave(reader, place);
    }
}

static void read_neuron(struct reader *reader, json_t *object, struct neuron_gene *neuron)
{
    check_keys(reader, object, neuron_keys);
    read_id(reader, object, "id", REQUIRED, &neuron->id);
    read_owner(reader, object, neuron);
    read_name(reader, object, "function", REQUIRED, function_name, &neuron->function);
    read_real(reader, object, "initial", OPTIONAL, &neuron->initial);
    read_real(reader, object, "lag_image", OPTIONAL, &neuron->lag_image);
    read_real(reader, object, "lag_row", OPTIONAL, &neuron->lag_row);
    read_inputs(reader, object, neuron);
}

static void read_row(struct reader *reader, json_t *object, struct genome *genome,
                     enum genome_table table)
{
    void *row = genome_add(genome, table);
    if (!row)
        fail(reader, ERR_MEMORY, NULL, "out of memory");
    else if (table == GENOME_NEURONS)
        read_neuron(reader, object, row);
    else
        read_gene(reader, object, body_kind_genes(genome->kind, table), row);
}

static void read_table(struct reader *reader, json_t *object, struct genome *genome,
                       enum genome_table table)
{
    const char *key = genome_tables[table].name;
    size_t max = (size_t)genome_tables[table].most;
    json_t *value = find(reader, object, key, table == GENOME_BODIES);
    if (!value)
        return;
    if (!json_is_array(value)) {
        fail(reader, ERR_FORMAT, key, "expected an array");
        return;
    }
    if (json_array_size(value) > max) {
        fail(reader, ERR_LIMIT, key, "at most %zu, not %zu", max, json_array_size(value));
        return;
    }
    for (size_t i = 0; reader->rc == 0 && i < json_array_size(value); i++) {
        size_t place = enter(reader, key, (int)i);
        read_row(reader, json_array_get(value, i), genome, table);
        leave(reader, place);
    }
}

static void read_genome(struct reader *reader, json_t *object, struct genome *genome)
{
    read_name(reader, object, "body", OPTIONAL, kind_name, &genome->kind);
    for (int table = 0; table < GENOME_TABLE_COUNT; table++)
        read_table(reader, object, genome, table);
    genome->root = genome->body_count > 0 ? genome->bodies[0].id : 0;
    read_id(reader, object, "root", OPTIONAL, &genome->root);
    read_name(reader, object, "breeding", OPTIONAL, breeding_name, &genome->breeding);
    if (reader->rc == 0)
        reader->rc = genome_check(genome, reader->error);
}

/* ---- the evaluation ---- */

/* By way of text, so that the ranges of INI files hold. */
static void read_param(struct reader *reader, const char *key, json_t *value,
                       struct creature *creature)
{
    char text[PARAM_TEXT_SIZE];
    double real = json_number_value(value);
    if (json_is_string(value) && json_string_length(value) < sizeof(text))
        memcpy(text, json_string_value(value), json_string_length(value) + 1);
    else if (json_is_integer(value))
        snprintf(text, sizeof(text), "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_real(value))
        text_print_double(real, text);
    else if (json_is_boolean(value))
        snprintf(text, sizeof(text), "%s", json_is_true(value) ? "yes" : "no");
    else
        fail(reader, ERR_FORMAT, key, "expected a number, true, false or a short text");
    if (reader->rc == 0 &&
        params_set_recorded(&creature->params, key, text, &creature->remark, reader->error) != 0) {
        reader->rc = error_prefix(reader->error, "%s", reader->place);
    }
}

static void read_params(struct reader *reader, json_t *object, struct creature *creature)
{
    json_t *value = find(reader, object, "parameters", REQUIRED);
    if (!value)
        return;
    size_t place = enter(reader, "parameters", -1);
    if (!json_is_object(value))
        fail(reader, ERR_FORMAT, NULL, "expected an object");
    // the preset first, since it sets other rows
    json_t *preset = json_object_get(value, "world.preset");
    if (preset)
        read_param(reader, "world.preset", preset, creature);
    for (void *at = json_object_iter(value); at && reader->rc == 0;
         at = json_object_iter_next(value, at))
        if (json_object_iter_value(at) != preset)
            read_param(reader, json_object_iter_key(at), json_object_iter_value(at), creature);
    if (reader->rc == 0 && params_check(&creature->params, reader->error) != 0)
        reader->rc = error_prefix(reader->error, "%s", reader->place);
    leave(reader, place);
}

static void read_measures(struct reader *reader, json_t *object, struct measures *measures)
{
    json_t *value = find(reader, object, "measures", REQUIRED);
    if (!value)
        return;
    size_t place = enter(reader, "measures", -1);
    if (!json_is_object(value))
        fail(reader, ERR_FORMAT, NULL, "expected an object");
    for (void *at = json_object_iter(value); at && reader->rc == 0;
         at = json_object_iter_next(value, at)) {
        const char *name = json_object_iter_key(at);
        double real = 0;
        int index = measure_find(name);
        if (index < 0)
            fail(reader, ERR_UNKNOWN, name, "unknown measure");
        convert_real(reader, json_object_iter_value(at), name, &real);
        if (reader->rc == 0)
            measures_set(measures, index, real);
    }
    leave(reader, place);
}

static void read_evaluation(struct reader *reader, json_t *object, struct creature *creature)
{
    json_t *value = find(reader, object, "evaluation", OPTIONAL);
    if (!value)
        return;
    size_t place = enter(reader, "evaluation", -1);
    int64_t version = 0;
    check_keys(reader, value, evaluation_keys);
    read_int(reader, value, "simulator_version", REQUIRED, 0, INT32_MAX, &version);
    read_hex(reader, value, "seed", &creature->seed);
    json_t *verdict = find(reader, value, "verdict", REQUIRED);
    if (verdict)
        creature->verdict = convert_name(reader, verdict, "verdict", verdict_name_at);
    read_real(reader, value, "fitness", REQUIRED, &creature->fitness);
    read_hex(reader, value, "digest", &creature->digest);
    read_hex(reader, value, "genome_hash", &creature->genome_hash);
    params_set_recorded_defaults(&creature->params);
    read_params(reader, value, creature);
    read_measures(reader, value, &creature->measures);
    creature->simulator_version = (int)version;
    creature->has_evaluation = 1;
    leave(reader, place);
}

/* ---- the file ---- */

static void read_format(struct reader *reader, json_t *object)
{
    json_t *format = json_object_get(object, "format");
    if (!json_is_string(format) || strcmp(json_string_value(format), CREATURE_FORMAT_NAME) != 0)
        fail(reader, ERR_FORMAT, NULL, "not a creature file: \"format\" is not \"%s\"",
             CREATURE_FORMAT_NAME);
    int64_t version = 0;
    read_int(reader, object, "version", REQUIRED, 0, INT64_MAX, &version);
    if (version < 1 || version > CREATURE_FORMAT_VERSION)
        fail(reader, ERR_VERSION, NULL,
             "format version %" PRId64 " is not supported (this program reads 1 to %d)", version,
             CREATURE_FORMAT_VERSION);
}

static void read_parents(struct reader *reader, json_t *object, struct creature *creature)
{
    json_t *value = find(reader, object, "parents", OPTIONAL);
    size_t count = value ? json_array_size(value) : 0;
    if (value && (!json_is_array(value) || count > 2))
        fail(reader, ERR_FORMAT, "parents", "expected an array of at most 2 ids");
    for (size_t i = 0; reader->rc == 0 && i < count; i++) {
        json_t *id = json_array_get(value, i);
        if (!json_is_integer(id) || json_integer_value(id) < 0)
            fail(reader, ERR_FORMAT, "parents", "expected an array of at most 2 ids");
        else
            creature->parents[i] = (uint64_t)json_integer_value(id);
    }
}

static void read_creature(struct reader *reader, json_t *object, struct creature *creature)
{
    read_format(reader, object);
    if (reader->rc == 0)
        check_keys(reader, object, file_keys);
    read_text(reader, object, "name", creature->name, sizeof(creature->name));
    read_text(reader, object, "note", creature->note, sizeof(creature->note));
    read_id(reader, object, "id", OPTIONAL, &creature->id);
    read_parents(reader, object, creature);
    read_int(reader, object, "generation", OPTIONAL, INT64_MIN, INT64_MAX, &creature->generation);
    read_text(reader, object, "method", creature->method, sizeof(creature->method));
    read_text(reader, object, "mutations", creature->mutations, sizeof(creature->mutations));
    read_genome(reader, object, &creature->genome);
    read_evaluation(reader, object, creature);
}

int creature_decode_json(struct creature *creature, const char *text, size_t length,
                         struct error *error)
{
    struct reader reader = {.error = error};
    json_error_t problem;
    json_t *object = json_loadb(text, length, JSON_REJECT_DUPLICATES, &problem);
    if (!object)
        return error_set(error, ERR_FORMAT, "line %d, column %d: %s", problem.line, problem.column,
                         problem.text);
    read_creature(&reader, object, creature);
    json_decref(object);
    return reader.rc;
}

/* The JSON form, read and written. docs/creature-format.md describes it.
 *
 * One function visits each part of the form: it reads an object into a struct, or writes the struct
 * into an object. People and strangers write such files, so nothing that is read is believed. The
 * form carries the place that is read ("bodies[2].effector") and keeps the first error; after it
 * every call does nothing. Each object's keys are compared with the list of those it may have
 * before anything is read, so that a misspelt key is called unknown and not missing. An optional
 * field keeps the value that it has when it is read; where that is 0, or shorter to say, it is not
 * written: flags, empty lists, trailing inputs that are the constant 0 with weight 0; a constant of
 * weight 1 is a bare number. genome_check() has the last word. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/genome/body_kind.h"
#include "common/creature/creature_codec.h"
#include "common/formats/json_text.h"
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

struct form {
    int is_writing;
    struct error *error; /* of reading */
    int rc;              /* the first error; of writing: ERR_MEMORY */
    char place[128];     /* "" at the top */
};

/* Keeps the first error; key may be NULL. */
__attribute__((format(printf, 4, 5))) static void fail(struct form *form, int code, const char *key,
                                                       const char *format, ...)
{
    if (form->rc != 0)
        return;
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    const char *dot = key && form->place[0] ? "." : "";
    const char *colon = key || form->place[0] ? ": " : "";
    form->rc = error_set(form->error, code, "%s%s%.64s%s%s", form->place, dot, key ? key : "",
                         colon, text);
}

/* Goes on to a key, or to an element if index is not negative. Returns what leave() needs. */
static size_t enter(struct form *form, const char *key, int index)
{
    size_t length = strlen(form->place);
    char *end = form->place + length;
    size_t room = sizeof(form->place) - length;
    if (index < 0)
        snprintf(end, room, "%s%s", length > 0 ? "." : "", key);
    else
        snprintf(end, room, "%s%s[%d]", length > 0 ? "." : "", key, index);
    return length;
}

static void leave(struct form *form, size_t length)
{
    form->place[length] = '\0';
}

/* Puts a value into what is written, which then owns it. */
static void put(struct form *form, json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) != 0)
        form->rc = ERR_MEMORY;
}

static void add(struct form *form, json_t *array, json_t *value)
{
    if (json_array_append_new(array, value) != 0)
        form->rc = ERR_MEMORY;
}

/* ---- values of keys ---- */

static void check_keys(struct form *form, json_t *object, const char *const *keys)
{
    if (form->is_writing)
        return;
    if (!json_is_object(object)) {
        fail(form, ERR_FORMAT, NULL, "expected an object");
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
        fail(form, ERR_UNKNOWN, key, "unknown key%s", text_suggest(similar, suggestion));
    }
}

/* The value that is read, or NULL: it is written, an error happened, or there is no such key (an
 * error too, if required). */
static json_t *find(struct form *form, json_t *object, const char *key, int is_required)
{
    if (form->is_writing)
        return NULL;
    json_t *value = form->rc == 0 ? json_object_get(object, key) : NULL;
    if (!value && is_required)
        fail(form, ERR_MISSING, key, "missing");
    return value;
}

static void convert_real(struct form *form, json_t *value, const char *key, double *real)
{
    if (!json_is_number(value))
        fail(form, ERR_FORMAT, key, "expected a number");
    else
        *real = json_number_value(value);
}

/* -0 is written, so that every bit comes back. */
static int is_zero(double value)
{
    return value == 0 && !signbit(value);
}

static void visit_real(struct form *form, json_t *object, const char *key, int is_required,
                       double *real)
{
    json_t *value = find(form, object, key, is_required);
    if (value)
        convert_real(form, value, key, real);
    if (form->is_writing && (is_required || !is_zero(*real)))
        put(form, object, key, json_real(*real));
}

static void visit_int(struct form *form, json_t *object, const char *key, int is_required,
                      int64_t min, int64_t max, int64_t *number)
{
    json_t *value = find(form, object, key, is_required);
    if (form->is_writing && (is_required || *number != 0))
        put(form, object, key, json_integer(*number));
    if (!value)
        return;
    if (!json_is_integer(value))
        fail(form, ERR_FORMAT, key, "expected a whole number");
    else if (json_integer_value(value) < min || json_integer_value(value) > max)
        fail(form, ERR_RANGE, key, "%" JSON_INTEGER_FORMAT " is not within %" PRId64 " .. %" PRId64,
             json_integer_value(value), min, max);
    else
        *number = json_integer_value(value);
}

static void visit_id(struct form *form, json_t *object, const char *key, int is_required,
                     uint64_t *id)
{
    int64_t number = (int64_t)*id;
    visit_int(form, object, key, is_required, is_required ? 1 : 0, INT64_MAX, &number);
    *id = (uint64_t)number;
}

static void visit_flag(struct form *form, json_t *object, const char *key, uint8_t *flag)
{
    json_t *value = find(form, object, key, OPTIONAL);
    if (form->is_writing)
        put(form, object, key, json_boolean(*flag));
    if (value && !json_is_boolean(value))
        fail(form, ERR_FORMAT, key, "expected true or false");
    else if (value)
        *flag = json_is_true(value);
}

static void visit_text(struct form *form, json_t *object, const char *key, char *buffer,
                       size_t size)
{
    json_t *value = find(form, object, key, OPTIONAL);
    if (form->is_writing && buffer[0] != '\0')
        put(form, object, key, json_string(buffer));
    if (!value)
        return;
    size_t length = json_is_string(value) ? json_string_length(value) : 0;
    if (!json_is_string(value))
        fail(form, ERR_FORMAT, key, "expected a text");
    else if (length >= size)
        fail(form, ERR_LIMIT, key, "longer than %zu bytes", size - 1);
    else if (!text_is_clean(json_string_value(value), length))
        fail(form, ERR_FORMAT, key, "has control or invisible characters");
    else
        memcpy(buffer, json_string_value(value), length + 1);
}

static void visit_hex(struct form *form, json_t *object, const char *key, uint64_t *number)
{
    json_t *value = find(form, object, key, REQUIRED);
    char text[17];
    hash_to_text(*number, text);
    if (form->is_writing)
        put(form, object, key, json_string(text));
    if (value && (!json_is_string(value) || hash_from_text(json_string_value(value), number) != 0))
        fail(form, ERR_FORMAT, key, "expected a text of 16 hexadecimal digits");
}

/* ---- names from tables ---- */

/* The names of numbers from `first` to before `end`, so many bytes apart. */
struct names {
    const char *const *of_0;
    size_t stride;
    int first, end;
    uint32_t choices; /* the numbers that there are, as bits; 0: all */
    int is_boolean;   /* false and true stand for 0 and 1, too */
};
static const char *const verdict_names[] = {
#define X(id, number, name, words, text) [number] = name,
    VERDICTS(X)
#undef X
};
#define ROW_OF(table) sizeof(table)[0]
static const struct names scopes = {
    input_scope_names, ROW_OF(input_scope_names), 0, SCOPE_COUNT, 0, 0};
static const struct names senses = {&sensors[0].name, ROW_OF(sensors), 0, SENSOR_COUNT, 0, 0};
static const struct names functions = {
    &neuron_functions[0].name, ROW_OF(neuron_functions), 0, NEURON_FUNCTION_COUNT, 0, 0};
static const struct names kinds = {
    &body_kinds[0].name, ROW_OF(body_kinds), 0, BODY_KIND_COUNT, 0, 0};
static const struct names methods = {
    breeding_gene_names, ROW_OF(breeding_gene_names), 1, BREEDING_GENE_COUNT, 0, 0};
static const struct names verdicts = {
    verdict_names, ROW_OF(verdict_names), 0, sizeof verdict_names / ROW_OF(verdict_names), 0, 0};

static const char *name_of(const struct names *names, int number)
{
    const char *at = (const char *)names->of_0 + (size_t)number * names->stride;
    return *(const char *const *)(const void *)at;
}

/* The number of that name; -1 and an error, which lists what there is, if there is none. */
static int convert_name(struct form *form, json_t *value, const char *key,
                        const struct names *names)
{
    char choices[320] = "";
    if (names->is_boolean && json_is_boolean(value))
        return json_is_true(value);
    if (!json_is_string(value)) {
        fail(form, ERR_FORMAT, key,
             names->is_boolean ? "expected true or false" : "expected a name");
        return -1;
    }
    for (int i = names->first; i < names->end; i++) {
        if (names->choices && !(names->choices >> i & 1))
            continue;
        if (strcmp(name_of(names, i), json_string_value(value)) == 0)
            return i;
        text_append(choices, sizeof choices, "%s%s", *choices ? ", " : "", name_of(names, i));
    }
    fail(form, ERR_UNKNOWN, key, "unknown name \"%.60s\"; there are %s", json_string_value(value),
         choices);
    return -1;
}

static void visit_name(struct form *form, json_t *object, const char *key, int is_required,
                       const struct names *names, uint8_t *number)
{
    json_t *value = find(form, object, key, is_required);
    int found = value ? convert_name(form, value, key, names) : -1;
    if (form->is_writing && *number >= names->first)
        put(form, object, key,
            names->is_boolean && *number <= 1 ? json_boolean(*number)
                                              : json_string(name_of(names, *number)));
    if (found >= 0)
        *number = (uint8_t)found;
}

/* ---- genes ---- */

/* Of an input that is read: what it comes from, and whose that is where the text does not say. */
static void choose_kind(struct form *form, json_t *object, int is_central, struct input_gene *input)
{
    json_t *neuron = json_object_get(object, "neuron"), *sensor = json_object_get(object, "sensor");
    int is_constant = !neuron && !sensor;
    if (!!neuron + !!sensor + !!json_object_get(object, "constant") != 1)
        fail(form, ERR_FORMAT, NULL, "expected one of constant, neuron and sensor");
    if (is_constant && (json_object_get(object, "of") || json_object_get(object, "via")))
        fail(form, ERR_FORMAT, NULL, "a constant has neither of nor via");
    input->kind = neuron ? INPUT_NEURON : sensor ? INPUT_SENSOR : INPUT_CONSTANT;
    if (!is_constant)
        input->scope = !is_central ? SCOPE_OWN : neuron ? SCOPE_CENTRAL : SCOPE_PART;
}

/* The value is read, or made. A bare number is a constant of weight 1. is_central: the reader is in
 * the central set, where what is read is by default central too. */
static void visit_input(struct form *form, json_t **value, int is_central, struct input_gene *input)
{
    if (!form->is_writing)
        input->weight = 1;
    if (!form->is_writing && json_is_number(*value)) {
        input->value = json_number_value(*value);
        return;
    }
    if (form->is_writing) {
        int is_bare = input->kind == INPUT_CONSTANT && input->weight == 1;
        *value = is_bare ? json_real(input->value) : json_object();
        if (is_bare)
            return;
    }
    json_t *object = *value;
    check_keys(form, object, input_keys);
    if (!form->is_writing && form->rc == 0)
        choose_kind(form, object, is_central, input);
    if (form->rc != 0)
        return;
    if (input->kind == INPUT_CONSTANT)
        visit_real(form, object, "constant", REQUIRED, &input->value);
    else if (input->kind == INPUT_SENSOR)
        visit_name(form, object, "sensor", REQUIRED, &senses, &input->sensor);
    else
        visit_id(form, object, "neuron", REQUIRED, &input->source);
    if (input->kind != INPUT_CONSTANT)
        visit_name(form, object, "of", OPTIONAL, &scopes, &input->scope);
    int has_via = input->scope == SCOPE_CHILD || input->scope == SCOPE_PART;
    if (has_via)
        visit_id(form, object, "via", REQUIRED, &input->via);
    else if (json_object_get(object, "via"))
        fail(form, ERR_FORMAT, "via", "is for \"of\": \"child\" and \"of\": \"part\"");
    if (!form->is_writing || input->weight != 1)
        visit_real(form, object, "weight", form->is_writing, &input->weight);
}

/* An input under a key; number: its place in the list there, or -1. */
static void visit_input_at(struct form *form, json_t *object, const char *key, int number,
                           int is_central, struct input_gene *input)
{
    json_t *at = json_object_get(object, key);
    json_t *value = number < 0 ? at : json_array_get(at, (size_t)number);
    size_t place = enter(form, key, number);
    visit_input(form, &value, is_central, input);
    leave(form, place);
    if (form->is_writing && number < 0)
        put(form, object, key, value);
    else if (form->is_writing)
        add(form, at, value);
}

/* As many as there are, or as are written. */
static void visit_inputs(struct form *form, json_t *object, const char *key, int is_central,
                         struct input_gene *inputs, int written)
{
    if (form->is_writing)
        put(form, object, key, json_array());
    int count = form->is_writing ? written : (int)json_array_size(json_object_get(object, key));
    for (int i = 0; i < count && form->rc == 0; i++)
        visit_input_at(form, object, key, i, is_central, &inputs[i]);
}

/* A pair of numbers. */
static void visit_pair(struct form *form, json_t *object, const char *key, double pair[2])
{
    if (form->is_writing)
        put(form, object, key, json_pack("[ff]", pair[0], pair[1]));
    json_t *value = find(form, object, key, OPTIONAL);
    if (!value)
        return;
    if (!json_is_array(value) || json_array_size(value) != 2)
        fail(form, ERR_FORMAT, key, "expected [lower, upper]");
    for (size_t i = 0; i < 2 && form->rc == 0; i++)
        convert_real(form, json_array_get(value, i), key, &pair[i]);
}

static void write_sensors(struct form *form, json_t *object, const char *key, uint64_t set)
{
    put(form, object, key, json_array());
    for (int i = 0; i < SENSOR_COUNT; i++)
        if (set & SENSOR_BIT(i))
            add(form, json_object_get(object, key), json_string(sensors[i].name));
}

static void read_sensors(struct form *form, json_t *value, const char *key, uint64_t *set)
{
    if (!json_is_array(value))
        fail(form, ERR_FORMAT, key, "expected an array of names");
    for (size_t i = 0; form->rc == 0 && i < json_array_size(value); i++) {
        int sensor = convert_name(form, json_array_get(value, i), key, &senses);
        if (sensor >= 0 && (*set & SENSOR_BIT(sensor)))
            fail(form, ERR_FORMAT, key, "%s stands twice", sensors[sensor].name);
        else if (sensor >= 0)
            *set |= SENSOR_BIT(sensor);
    }
}

/* Gives a field that the text does not name its assumed value. */
static void assume_field(const struct gene_field *field, void *gene, struct gene_range range)
{
    double assumed = gene_assumed(field, gene), *limits = gene_at(gene, field);
    if (field->type == GENE_LIMITS) {
        limits[0] = det_max(-assumed, range.low);
        limits[1] = det_min(assumed, range.high);
    } else if (field->type == GENE_REAL || field->type == GENE_COUNT || field->type == GENE_FLAG ||
               field->type == GENE_CHOICE) {
        gene_set_number(field, gene, assumed);
    }
}

/* A field that is there, or is to be written. */
static void visit_field(struct form *form, json_t *object, const struct gene_field *field,
                        void *gene, const char *key, struct gene_range range)
{
    void *at = gene_at(gene, field);
    uint8_t *byte = at;
    int64_t number;
    json_t *value = json_object_get(object, key);
    const struct names names = {field->names,          sizeof field->names[0],
                                (int)field->range.low, (int)field->range.high + 1,
                                field->choices,        (field->flags & GENE_BOOLEAN) != 0};
    switch (field->type) {
    case GENE_ID:
        visit_id(form, object, key, REQUIRED, at);
        break;
    case GENE_REAL:
        visit_real(form, object, key, REQUIRED, at);
        break;
    case GENE_LIMITS:
        visit_pair(form, object, key, at);
        break;
    case GENE_COUNT:
        number = form->is_writing ? *byte : 0;
        visit_int(form, object, key, REQUIRED, (int64_t)range.low, (int64_t)range.high, &number);
        *byte = (uint8_t)number;
        break;
    case GENE_FLAG:
        visit_flag(form, object, key, at);
        break;
    case GENE_CHOICE:
        visit_name(form, object, key, OPTIONAL, &names, at);
        break;
    case GENE_SENSORS:
        if (form->is_writing)
            write_sensors(form, object, key, *(uint64_t *)at);
        else
            read_sensors(form, value, key, at);
        break;
    case GENE_INPUT:
        visit_input_at(form, object, key, -1, 0, at);
        break;
    case GENE_INPUTS:
        /* those left out at the end are 0 */
        if (!form->is_writing &&
            (!json_is_array(value) || json_array_size(value) > (size_t)range.high))
            fail(form, ERR_FORMAT, key, "expected an array of at most %d", (int)range.high);
        else
            visit_inputs(form, object, key, 0, at, (int)range.high);
        break;
    }
}

/* The key of a field; limits in the form of another unit are an error. */
static const char *field_key(struct form *form, json_t *object, const struct gene_field *field,
                             const void *gene)
{
    if (field->type != GENE_LIMITS)
        return field->key ? field->key : field->name;
    const struct gene_limit_form *own = gene_form(field, gene);
    for (int i = 0; i < field->form_count; i++)
        if (&field->forms[i] != own && json_object_get(object, field->forms[i].key))
            fail(form, ERR_FORMAT, field->forms[i].key, "this joint has %s", own->key);
    return own->key;
}

/* The keys of the gene itself (group NULL) or of one of its groups. */
static void check_gene_keys(struct form *form, json_t *object, const struct gene_field *table,
                            const char *group)
{
    const char *keys[GENE_KEYS_MAX + 1];
    int count = 0;
    if (form->is_writing)
        return;
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
    check_keys(form, object, keys);
}

/* The object that has a field: the gene's own, or that of its group, which begins with its gate.
 * NULL: there is none. */
static json_t *open_group(struct form *form, json_t *object, const struct gene_field *table,
                          const struct gene_field *field, const void *gene)
{
    int is_gate = field->flags & GENE_GATE;
    if (!field->group)
        return object;
    if (form->is_writing && is_gate && gene_number(field, gene) != 0)
        put(form, object, field->group, json_object());
    json_t *value = json_object_get(object, field->group);
    if (value && is_gate) {
        size_t place = enter(form, field->group, -1);
        check_gene_keys(form, value, table, field->group);
        leave(form, place);
    }
    return value;
}

/* Whether text may leave a field out. */
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

static void visit_gene(struct form *form, json_t *object, const struct gene_field *table,
                       void *gene)
{
    check_gene_keys(form, object, table, NULL);
    for (const struct gene_field *field = table; field->name && form->rc == 0; field++) {
        json_t *from = open_group(form, object, table, field, gene);
        if (!from || form->rc != 0)
            continue;
        int is_gate = field->flags & GENE_GATE;
        struct gene_range range = gene_range_of(table, field, gene);
        if (form->is_writing && is_left_out(field, gene, range))
            continue;
        size_t place = field->group ? enter(form, field->group, -1) : strlen(form->place);
        const char *key = field_key(form, from, field, gene);
        if (!form->is_writing)
            assume_field(field, gene, range);
        if ((field->flags & GENE_REQUIRED) &&
            (field->type == GENE_ID || gene_is_used(range) || field->type == GENE_INPUTS))
            find(form, from, key, REQUIRED);
        if (form->rc == 0 && (form->is_writing || json_object_get(from, key)))
            visit_field(form, from, field, gene, key, range);
        if (is_gate && form->rc == 0 && gene_number(field, gene) == 0)
            fail(form, ERR_RANGE, key, "0 makes it no %s", field->group);
        leave(form, place);
    }
}

/* "in" is a body's id or "central". */
static void visit_owner(struct form *form, json_t *object, struct neuron_gene *neuron)
{
    json_t *value = find(form, object, "in", REQUIRED);
    if (form->is_writing)
        put(form, object, "in",
            neuron->owner == 0 ? json_string("central") : json_integer((json_int_t)neuron->owner));
    if (!value)
        return;
    if (json_is_integer(value))
        visit_id(form, object, "in", REQUIRED, &neuron->owner);
    else if (!json_is_string(value) || strcmp(json_string_value(value), "central") != 0)
        fail(form, ERR_FORMAT, "in", "expected a body's id or \"central\"");
}

static int is_default_input(const struct input_gene *input)
{
    return input->kind == INPUT_CONSTANT && is_zero(input->value) && is_zero(input->weight);
}

static void visit_neuron_inputs(struct form *form, json_t *object, struct neuron_gene *neuron)
{
    const struct neuron_function_info *info = &neuron_functions[neuron->function];
    json_t *value = find(form, object, "inputs", OPTIONAL);
    int written = info->input_count;
    while (written > 0 && is_default_input(&neuron->inputs[written - 1]))
        written--;
    if (value && !json_is_array(value))
        fail(form, ERR_FORMAT, "inputs", "expected an array");
    else if (json_array_size(value) > (size_t)info->input_count)
        fail(form, ERR_LIMIT, "inputs", "%s has at most %d, not %zu", info->name, info->input_count,
             json_array_size(value));
    else
        visit_inputs(form, object, "inputs", neuron->owner == 0, neuron->inputs, written);
}

static void visit_neuron(struct form *form, json_t *object, struct neuron_gene *neuron)
{
    check_keys(form, object, neuron_keys);
    visit_id(form, object, "id", REQUIRED, &neuron->id);
    visit_owner(form, object, neuron);
    visit_name(form, object, "function", REQUIRED, &functions, &neuron->function);
    visit_real(form, object, "initial", OPTIONAL, &neuron->initial);
    visit_real(form, object, "lag_image", OPTIONAL, &neuron->lag_image);
    visit_real(form, object, "lag_row", OPTIONAL, &neuron->lag_row);
    visit_neuron_inputs(form, object, neuron);
}

/* Rows that are read are added. */
static void visit_table(struct form *form, json_t *object, struct genome *genome,
                        enum genome_table table)
{
    const char *key = genome_tables[table].name;
    size_t max = (size_t)genome_tables[table].most, count = (size_t)genome->counts[table];
    if (form->is_writing)
        put(form, object, key, json_array());
    else if (!find(form, object, key, table == GENOME_BODIES))
        return;
    json_t *rows = json_object_get(object, key);
    if (!json_is_array(rows))
        fail(form, ERR_FORMAT, key, "expected an array");
    else if (json_array_size(rows) > max)
        fail(form, ERR_LIMIT, key, "at most %zu, not %zu", max, json_array_size(rows));
    if (!form->is_writing)
        count = json_array_size(rows);
    for (size_t i = 0; form->rc == 0 && i < count; i++) {
        size_t place = enter(form, key, (int)i);
        if (form->is_writing)
            add(form, rows, json_object());
        json_t *row = json_array_get(rows, i);
        void *gene =
            form->is_writing ? genome_row(genome, table, (int)i) : genome_add(genome, table);
        if (!gene)
            fail(form, ERR_MEMORY, NULL, "out of memory");
        else if (table == GENOME_NEURONS)
            visit_neuron(form, row, gene);
        else
            visit_gene(form, row, body_kind_genes(genome->kind, table), gene);
        leave(form, place);
    }
}

static void visit_genome(struct form *form, json_t *object, struct genome *genome)
{
    if (!form->is_writing || genome->kind != 0)
        visit_name(form, object, "body", OPTIONAL, &kinds, &genome->kind);
    visit_id(form, object, "root", form->is_writing, &genome->root);
    visit_name(form, object, "breeding", OPTIONAL, &methods, &genome->breeding);
    for (int table = 0; table < GENOME_TABLE_COUNT; table++)
        visit_table(form, object, genome, table);
    if (form->is_writing || form->rc != 0)
        return;
    if (!json_object_get(object, "root"))
        genome->root = genome->body_count > 0 ? genome->bodies[0].id : 0;
    form->rc = genome_check(genome, form->error);
}

/* ---- the evaluation ---- */

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

/* By way of text, so that the ranges of INI files hold. */
static void read_param(struct form *form, const char *key, json_t *value, struct creature *creature)
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
        fail(form, ERR_FORMAT, key, "expected a number, true, false or a short text");
    if (form->rc == 0 &&
        params_set_recorded(&creature->params, key, text, &creature->remark, form->error) != 0) {
        form->rc = error_prefix(form->error, "%s", form->place);
    }
}

static void visit_params(struct form *form, json_t *object, struct creature *creature)
{
    json_t *value = find(form, object, "parameters", REQUIRED);
    if (form->is_writing)
        put(form, object, "parameters", value = json_object());
    for (int i = 0; form->is_writing && i < param_count; i++)
        if (creature_records_param(i))
            put(form, value, param_table[i].key, param_value(&creature->params, i));
    if (!value || form->is_writing)
        return;
    size_t place = enter(form, "parameters", -1);
    if (!json_is_object(value))
        fail(form, ERR_FORMAT, NULL, "expected an object");
    // the preset first, since it sets other rows
    json_t *preset = json_object_get(value, "world.preset");
    if (preset)
        read_param(form, "world.preset", preset, creature);
    for (void *at = json_object_iter(value); at && form->rc == 0;
         at = json_object_iter_next(value, at))
        if (json_object_iter_value(at) != preset)
            read_param(form, json_object_iter_key(at), json_object_iter_value(at), creature);
    if (form->rc == 0 && params_check(&creature->params, form->error) != 0)
        form->rc = error_prefix(form->error, "%s", form->place);
    leave(form, place);
}

static void visit_measures(struct form *form, json_t *object, struct measures *measures)
{
    json_t *value = find(form, object, "measures", REQUIRED);
    if (form->is_writing)
        put(form, object, "measures", value = json_object());
    for (int i = 0; form->is_writing && i < MEASURE_COUNT; i++)
        put(form, value, measure_table[i].name, json_real(measures_get(measures, i)));
    if (!value || form->is_writing)
        return;
    size_t place = enter(form, "measures", -1);
    if (!json_is_object(value))
        fail(form, ERR_FORMAT, NULL, "expected an object");
    for (void *at = json_object_iter(value); at && form->rc == 0;
         at = json_object_iter_next(value, at)) {
        const char *name = json_object_iter_key(at);
        double real = 0;
        int index = measure_find(name);
        if (index < 0)
            fail(form, ERR_UNKNOWN, name, "unknown measure");
        convert_real(form, json_object_iter_value(at), name, &real);
        if (form->rc == 0)
            measures_set(measures, index, real);
    }
    leave(form, place);
}

static void visit_evaluation(struct form *form, json_t *object, struct creature *creature)
{
    json_t *value = find(form, object, "evaluation", OPTIONAL);
    if (form->is_writing && creature->has_evaluation)
        put(form, object, "evaluation", value = json_object());
    if (!value)
        return;
    size_t place = enter(form, "evaluation", -1);
    int64_t version = creature->simulator_version;
    uint8_t verdict = (uint8_t)creature->verdict;
    check_keys(form, value, evaluation_keys);
    visit_int(form, value, "simulator_version", REQUIRED, 0, INT32_MAX, &version);
    visit_hex(form, value, "seed", &creature->seed);
    visit_name(form, value, "verdict", REQUIRED, &verdicts, &verdict);
    visit_real(form, value, "fitness", REQUIRED, &creature->fitness);
    visit_hex(form, value, "digest", &creature->digest);
    visit_hex(form, value, "genome_hash", &creature->genome_hash);
    if (!form->is_writing)
        params_set_recorded_defaults(&creature->params);
    visit_params(form, value, creature);
    visit_measures(form, value, &creature->measures);
    creature->verdict = verdict;
    creature->simulator_version = (int)version;
    creature->has_evaluation = 1;
    leave(form, place);
}

/* ---- the file ---- */

static void visit_format(struct form *form, json_t *object, const struct creature *creature)
{
    int64_t version = form->is_writing ? creature_format_version(creature) : 0;
    if (form->is_writing)
        put(form, object, "format", json_string(CREATURE_FORMAT_NAME));
    json_t *format = json_object_get(object, "format");
    if (!json_is_string(format) || strcmp(json_string_value(format), CREATURE_FORMAT_NAME) != 0)
        fail(form, ERR_FORMAT, NULL, "not a creature file: \"format\" is not \"%s\"",
             CREATURE_FORMAT_NAME);
    visit_int(form, object, "version", REQUIRED, 0, INT64_MAX, &version);
    if (version < 1 || version > CREATURE_FORMAT_VERSION)
        fail(form, ERR_VERSION, NULL,
             "format version %" PRId64 " is not supported (this program reads 1 to %d)", version,
             CREATURE_FORMAT_VERSION);
}

static void visit_parents(struct form *form, json_t *object, struct creature *creature)
{
    json_t *value = find(form, object, "parents", OPTIONAL);
    if (form->is_writing && (creature->parents[0] != 0 || creature->parents[1] != 0))
        put(form, object, "parents",
            json_pack("[II]", (json_int_t)creature->parents[0], (json_int_t)creature->parents[1]));
    size_t count = value ? json_array_size(value) : 0;
    if (value && (!json_is_array(value) || count > 2))
        fail(form, ERR_FORMAT, "parents", "expected an array of at most 2 ids");
    for (size_t i = 0; form->rc == 0 && i < count; i++) {
        json_t *id = json_array_get(value, i);
        if (!json_is_integer(id) || json_integer_value(id) < 0)
            fail(form, ERR_FORMAT, "parents", "expected an array of at most 2 ids");
        else
            creature->parents[i] = (uint64_t)json_integer_value(id);
    }
}

static void visit_creature(struct form *form, json_t *object, struct creature *creature)
{
    visit_format(form, object, creature);
    if (form->rc == 0)
        check_keys(form, object, file_keys);
    visit_text(form, object, "name", creature->name, sizeof(creature->name));
    visit_text(form, object, "note", creature->note, sizeof(creature->note));
    visit_id(form, object, "id", OPTIONAL, &creature->id);
    visit_parents(form, object, creature);
    visit_int(form, object, "generation", OPTIONAL, INT64_MIN, INT64_MAX, &creature->generation);
    visit_text(form, object, "method", creature->method, sizeof(creature->method));
    visit_text(form, object, "mutations", creature->mutations, sizeof(creature->mutations));
    visit_genome(form, object, &creature->genome);
    visit_evaluation(form, object, creature);
}

int creature_decode_json(struct creature *creature, const char *text, size_t length,
                         struct error *error)
{
    struct form form = {.error = error};
    json_error_t problem;
    json_t *object = json_loadb(text, length, JSON_REJECT_DUPLICATES, &problem);
    if (!object)
        return error_set(error, ERR_FORMAT, "line %d, column %d: %s", problem.line, problem.column,
                         problem.text);
    visit_creature(&form, object, creature);
    json_decref(object);
    return form.rc;
}

/* Visiting changes nothing of what is written. */
char *creature_to_json(const struct creature *creature)
{
    struct form form = {.is_writing = 1};
    json_t *object = json_object();
    visit_creature(&form, object, (struct creature *)creature);
    char *text = form.rc ? NULL : json_text_dump(object);
    json_decref(object);
    return text;
}

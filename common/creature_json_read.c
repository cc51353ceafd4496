/* The JSON form, read: written by hand or by anybody, so nothing is believed.
 *
 * The reader carries the place it is at ("bodies[2].effector") and keeps the first error; after it
 * every call does nothing. Each object's keys are compared with the list of those it may have before
 * anything is read, so that a misspelt key is called unknown and not missing. What is optional keeps
 * the value that the field has when it is read. genome_check() has the last word. */
#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/creature_codec.h"
#include "common/hash.h"
#include "common/text.h"
#include "common/version.h"

/* Of hand-written bodies that say nothing else; linear joints by genome_reach_m(). */
#define DEFAULT_LIMIT_RAD 1.0
/* Of spheres and bones that say nothing else. */
#define DEFAULT_FRICTION 1.0
#define DEFAULT_SHORTEST 0.75
#define DEFAULT_LONGEST  1.25
#define DEFAULT_RATE_1_S 4.0

static const char *const file_keys[] = {
    "format",     "version",    "name",      "note", "id",     "parents",
    "generation", "method",     "mutations", "root", "bodies", "connections",
    "neurons",    "evaluation", "breeding",  "body", NULL};
static const char *const body_keys[] = {
    "id",        "width_m", "height_m", "joint", "limits_rad", "limits_m", "recursive_limit",
    "symmetric", "sensors", "effector", NULL};
static const char *const sphere_keys[] = {
    "id",        "radius_m",   "friction",     "rolling",  "head",
    "joint",     "limits_rad", "limits_2_rad", "axis_rad", "recursive_limit",
    "symmetric", "sensors",    "effector",     "drive",    NULL};
static const char *const drive_keys[] = {"inputs", "strength", NULL};
static const char *const bone_keys[] = {
    "id",    "from",   "to",    "length_m",  "angle_rad",     "tilt_rad",
    "brace", "muscle", "scale", "reflected", "terminal_only", NULL};
static const char *const muscle_keys[] = {"shortest", "longest", "rate_1_s", "gain", NULL};
static const char *const effector_keys[] = {"input", "strength", NULL};
static const char *const connection_keys[] = {"id",
                                              "from",
                                              "to",
                                              "parent_face",
                                              "parent_position",
                                              "child_face",
                                              "child_position",
                                              "angle_rad",
                                              "scale",
                                              "reflected",
                                              "terminal_only",
                                              NULL};
static const char *const neuron_keys[] = {"id", "in", "function", "initial", "inputs", NULL};
static const char *const input_keys[] = {"constant", "neuron", "sensor", "of",
                                         "via",      "weight", NULL};
static const char *const evaluation_keys[] = {"simulator_version", "seed",     "verdict",
                                              "fitness",           "digest",   "genome_hash",
                                              "parameters",        "measures", NULL};

enum { OPTIONAL, REQUIRED };

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
        size_t i = 0;
        while (keys[i] && strcmp(keys[i], key) != 0)
            i++;
        if (keys[i])
            continue;
        for (i = 0; keys[i]; i++)
            if (text_is_similar(key, keys[i]))
                similar = keys[i];
        fail(reader, ERR_UNKNOWN, key, "unknown key%s%s%s", similar ? " (did you mean " : "",
             similar ? similar : "", similar ? "?)" : "");
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
        fail(reader, ERR_FORMAT, key, "has control characters");
    else
        memcpy(buffer, json_string_value(value), length + 1);
}

static void read_hex(struct reader *reader, json_t *object, const char *key, uint64_t *number)
{
    json_t *value = find(reader, object, key, REQUIRED);
    if (value && (!json_is_string(value) || hash_from_text(json_string_value(value), number) != 0))
        fail(reader, ERR_FORMAT, key, "expected a text of 16 hexadecimal digits");
}

/* ---- names from tables ---- */

static int find_in(const char *const *names, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

static int joint_find(const char *name)
{
    return find_in(joint_type_names, JOINT_LINEAR + 1, name);
}

static int sphere_joint_find(const char *name)
{
    int found = find_in(joint_type_names, JOINT_TYPE_COUNT, name);
    return found >= JOINT_FREE ? found : -1;
}

static int symmetry_find(const char *name)
{
    return find_in(symmetry_names, SYMMETRY_COUNT, name);
}

static int brace_find(const char *name)
{
    return find_in(brace_names, BRACE_COUNT, name);
}

static int kind_find(const char *name)
{
    return find_in(body_kind_names, BODY_KIND_COUNT, name);
}

static int scope_find(const char *name)
{
    return find_in(input_scope_names, SCOPE_COUNT, name);
}

/* What `find_number` knows by that name; -1 and an error if it does not. */
static int convert_name(struct reader *reader, json_t *value, const char *key,
                        int (*find_number)(const char *name))
{
    int number = json_is_string(value) ? find_number(json_string_value(value)) : -1;
    if (!json_is_string(value))
        fail(reader, ERR_FORMAT, key, "expected a name");
    else if (number < 0)
        fail(reader, ERR_UNKNOWN, key, "unknown name \"%.60s\"", json_string_value(value));
    return number;
}

static void read_name(struct reader *reader, json_t *object, const char *key, int is_required,
                      int (*find_number)(const char *name), uint8_t *number)
{
    json_t *value = find(reader, object, key, is_required);
    int found = value ? convert_name(reader, value, key, find_number) : -1;
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
        read_name(reader, value, "of", OPTIONAL, scope_find, &input->scope);
        read_name(reader, value, "sensor", OPTIONAL, sensor_find, &input->sensor);
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

/* In the unit of the joint, which with the size is read before. */
static void read_limits(struct reader *reader, json_t *object, struct body_gene *body)
{
    int is_linear = body->joint == JOINT_LINEAR;
    const char *key = is_linear ? "limits_m" : "limits_rad";
    const char *other = is_linear ? "limits_rad" : "limits_m";
    body->upper = is_linear ? genome_reach_m(body) : DEFAULT_LIMIT_RAD;
    body->lower = -body->upper;
    if (json_object_get(object, other))
        fail(reader, ERR_FORMAT, other, "a %s joint has %s", joint_type_names[body->joint], key);
    read_pair(reader, object, key, &body->lower, &body->upper);
}

static void read_sensors(struct reader *reader, json_t *object, struct body_gene *body)
{
    json_t *value = find(reader, object, "sensors", OPTIONAL);
    if (value && !json_is_array(value))
        fail(reader, ERR_FORMAT, "sensors", "expected an array of names");
    for (size_t i = 0; reader->rc == 0 && i < json_array_size(value); i++) {
        int sensor = convert_name(reader, json_array_get(value, i), "sensors", sensor_find);
        if (sensor >= 0 && (body->sensors & SENSOR_BIT(sensor)))
            fail(reader, ERR_FORMAT, "sensors", "%s stands twice", sensors[sensor].name);
        else if (sensor >= 0)
            body->sensors |= SENSOR_BIT(sensor);
    }
}

static void read_effector(struct reader *reader, json_t *object, struct body_gene *body)
{
    json_t *value = find(reader, object, "effector", OPTIONAL);
    if (!value)
        return;
    size_t place = enter(reader, "effector", -1);
    body->has_effector = 1;
    body->effector_strength = 1;
    check_keys(reader, value, effector_keys);
    read_real(reader, value, "strength", OPTIONAL, &body->effector_strength);
    json_t *input = find(reader, value, "input", REQUIRED);
    if (input) {
        enter(reader, "input", -1);
        read_input(reader, input, 0, &body->effector_input);
    }
    leave(reader, place);
}

static void read_body(struct reader *reader, json_t *object, struct genome *genome)
{
    struct body_gene *body = genome_add_body(genome);
    if (!body) {
        fail(reader, ERR_MEMORY, NULL, "out of memory");
        return;
    }
    int64_t recursive_limit = 1;
    body->joint = JOINT_ROTARY;
    check_keys(reader, object, body_keys);
    read_id(reader, object, "id", REQUIRED, &body->id);
    read_real(reader, object, "width_m", REQUIRED, &body->width_m);
    read_real(reader, object, "height_m", REQUIRED, &body->height_m);
    read_name(reader, object, "joint", OPTIONAL, joint_find, &body->joint);
    read_limits(reader, object, body);
    read_int(reader, object, "recursive_limit", OPTIONAL, 1, GENOME_RECURSION_MAX,
             &recursive_limit);
    body->recursive_limit = (uint8_t)recursive_limit;
    read_flag(reader, object, "symmetric", &body->is_symmetric);
    read_sensors(reader, object, body);
    read_effector(reader, object, body);
}

/* Limits as far as the joint has them. */
static void read_sphere_limits(struct reader *reader, json_t *object, struct body_gene *body)
{
    if (body->joint >= JOINT_BALL)
        body->upper = DEFAULT_LIMIT_RAD;
    if (body->joint >= JOINT_HINGE)
        body->lower = -DEFAULT_LIMIT_RAD;
    if (body->joint == JOINT_SADDLE) {
        body->sphere.lower_2 = -DEFAULT_LIMIT_RAD;
        body->sphere.upper_2 = DEFAULT_LIMIT_RAD;
    }
    read_pair(reader, object, "limits_rad", &body->lower, &body->upper);
    read_pair(reader, object, "limits_2_rad", &body->sphere.lower_2, &body->sphere.upper_2);
    read_real(reader, object, "axis_rad", OPTIONAL, &body->sphere.axis_rad);
}

/* As many inputs as the joint, which is read before, has axes; those left out at the end are 0. */
static void read_drive(struct reader *reader, json_t *object, struct body_gene *body)
{
    json_t *value = find(reader, object, "drive", OPTIONAL);
    if (!value)
        return;
    size_t place = enter(reader, "drive", -1);
    check_keys(reader, value, drive_keys);
    body->sphere.drive_strength = 1;
    read_real(reader, value, "strength", OPTIONAL, &body->sphere.drive_strength);
    json_t *inputs = find(reader, value, "inputs", REQUIRED);
    int count = genome_drive_count(body);
    if (inputs && (!json_is_array(inputs) || json_array_size(inputs) > (size_t)count))
        fail(reader, ERR_FORMAT, "inputs", "expected an array of at most %d, for a %s joint", count,
             joint_type_names[body->joint]);
    for (size_t i = 0; reader->rc == 0 && i < json_array_size(inputs); i++) {
        size_t inner = enter(reader, "inputs", (int)i);
        read_input(reader, json_array_get(inputs, i), 0, &body->sphere.drives[i]);
        leave(reader, inner);
    }
    leave(reader, place);
}

/* true is the usual symmetry, others have names. */
static void read_symmetry(struct reader *reader, json_t *object, struct body_gene *body)
{
    json_t *value = find(reader, object, "symmetric", OPTIONAL);
    if (json_is_string(value))
        read_name(reader, object, "symmetric", OPTIONAL, symmetry_find, &body->is_symmetric);
    else
        read_flag(reader, object, "symmetric", &body->is_symmetric);
}

static void read_sphere(struct reader *reader, json_t *object, struct genome *genome)
{
    struct body_gene *body = genome_add_body(genome);
    if (!body) {
        fail(reader, ERR_MEMORY, NULL, "out of memory");
        return;
    }
    int64_t recursive_limit = 1;
    body->joint = JOINT_FREE;
    body->sphere.friction = DEFAULT_FRICTION;
    check_keys(reader, object, sphere_keys);
    read_id(reader, object, "id", REQUIRED, &body->id);
    read_real(reader, object, "radius_m", REQUIRED, &body->sphere.radius_m);
    read_real(reader, object, "friction", OPTIONAL, &body->sphere.friction);
    read_flag(reader, object, "rolling", &body->sphere.is_rolling);
    read_flag(reader, object, "head", &body->sphere.is_head);
    read_name(reader, object, "joint", OPTIONAL, sphere_joint_find, &body->joint);
    read_sphere_limits(reader, object, body);
    read_int(reader, object, "recursive_limit", OPTIONAL, 1, GENOME_RECURSION_MAX,
             &recursive_limit);
    body->recursive_limit = (uint8_t)recursive_limit;
    read_symmetry(reader, object, body);
    read_sensors(reader, object, body);
    read_effector(reader, object, body);
    read_drive(reader, object, body);
}

static void read_muscle(struct reader *reader, json_t *object, struct bone_gene *bone)
{
    json_t *value = find(reader, object, "muscle", OPTIONAL);
    if (!value)
        return;
    size_t place = enter(reader, "muscle", -1);
    check_keys(reader, value, muscle_keys);
    bone->gain = 1;
    bone->shortest = DEFAULT_SHORTEST;
    bone->longest = DEFAULT_LONGEST;
    bone->rate_1_s = DEFAULT_RATE_1_S;
    read_real(reader, value, "gain", OPTIONAL, &bone->gain);
    read_real(reader, value, "shortest", OPTIONAL, &bone->shortest);
    read_real(reader, value, "longest", OPTIONAL, &bone->longest);
    read_real(reader, value, "rate_1_s", OPTIONAL, &bone->rate_1_s);
    if (bone->gain == 0)
        fail(reader, ERR_RANGE, "gain", "0 makes it no muscle");
    leave(reader, place);
}

static void read_bone(struct reader *reader, json_t *object, struct genome *genome)
{
    struct connection_gene *connection = genome_add_connection(genome);
    if (!connection) {
        fail(reader, ERR_MEMORY, NULL, "out of memory");
        return;
    }
    connection->scale = 1;
    check_keys(reader, object, bone_keys);
    read_id(reader, object, "id", REQUIRED, &connection->id);
    read_id(reader, object, "from", REQUIRED, &connection->from);
    read_id(reader, object, "to", REQUIRED, &connection->to);
    read_name(reader, object, "brace", OPTIONAL, brace_find, &connection->bone.brace);
    read_real(reader, object, "length_m", connection->bone.brace ? OPTIONAL : REQUIRED,
              &connection->bone.length_m);
    read_real(reader, object, "angle_rad", OPTIONAL, &connection->angle_rad);
    read_real(reader, object, "tilt_rad", OPTIONAL, &connection->bone.tilt_rad);
    read_muscle(reader, object, &connection->bone);
    read_real(reader, object, "scale", OPTIONAL, &connection->scale);
    read_flag(reader, object, "reflected", &connection->is_reflected);
    read_flag(reader, object, "terminal_only", &connection->is_terminal_only);
}

static void read_connection(struct reader *reader, json_t *object, struct genome *genome)
{
    struct connection_gene *connection = genome_add_connection(genome);
    if (!connection) {
        fail(reader, ERR_MEMORY, NULL, "out of memory");
        return;
    }
    connection->parent_face = FACE_RIGHT;
    connection->child_face = FACE_LEFT;
    connection->scale = 1;
    check_keys(reader, object, connection_keys);
    read_id(reader, object, "id", REQUIRED, &connection->id);
    read_id(reader, object, "from", REQUIRED, &connection->from);
    read_id(reader, object, "to", REQUIRED, &connection->to);
    read_name(reader, object, "parent_face", OPTIONAL, face_find, &connection->parent_face);
    read_real(reader, object, "parent_position", OPTIONAL, &connection->parent_position);
    read_name(reader, object, "child_face", OPTIONAL, face_find, &connection->child_face);
    read_real(reader, object, "child_position", OPTIONAL, &connection->child_position);
    read_real(reader, object, "angle_rad", OPTIONAL, &connection->angle_rad);
    read_real(reader, object, "scale", OPTIONAL, &connection->scale);
    read_flag(reader, object, "reflected", &connection->is_reflected);
    read_flag(reader, object, "terminal_only", &connection->is_terminal_only);
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

static void read_neuron(struct reader *reader, json_t *object, struct genome *genome)
{
    struct neuron_gene *neuron = genome_add_neuron(genome);
    if (!neuron) {
        fail(reader, ERR_MEMORY, NULL, "out of memory");
        return;
    }
    check_keys(reader, object, neuron_keys);
    read_id(reader, object, "id", REQUIRED, &neuron->id);
    read_owner(reader, object, neuron);
    read_name(reader, object, "function", REQUIRED, neuron_find, &neuron->function);
    read_real(reader, object, "initial", OPTIONAL, &neuron->initial);
    read_inputs(reader, object, neuron);
}

typedef void read_row(struct reader *reader, json_t *object, struct genome *genome);

static void read_table(struct reader *reader, json_t *object, const char *key, int is_required,
                       size_t max, read_row *read, struct genome *genome)
{
    json_t *value = find(reader, object, key, is_required);
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
        read(reader, json_array_get(value, i), genome);
        leave(reader, place);
    }
}

/* "unset" is not written. */
static int breeding_find(const char *name)
{
    int found = find_in(breeding_gene_names, BREEDING_GENE_COUNT, name);
    return found == BREEDING_UNSET ? -1 : found;
}

static void read_genome(struct reader *reader, json_t *object, struct genome *genome)
{
    read_name(reader, object, "body", OPTIONAL, kind_find, &genome->kind);
    int is_spheres = genome->kind == BODY_SPHERES;
    read_table(reader, object, "bodies", REQUIRED, GENOME_BODIES_MAX,
               is_spheres ? read_sphere : read_body, genome);
    read_table(reader, object, "connections", OPTIONAL, GENOME_CONNECTIONS_MAX,
               is_spheres ? read_bone : read_connection, genome);
    read_table(reader, object, "neurons", OPTIONAL, GENOME_NEURONS_MAX, read_neuron, genome);
    genome->root = genome->body_count > 0 ? genome->bodies[0].id : 0;
    read_id(reader, object, "root", OPTIONAL, &genome->root);
    read_name(reader, object, "breeding", OPTIONAL, breeding_find, &genome->breeding);
    if (reader->rc == 0)
        reader->rc = genome_check(genome, reader->error);
}

/* ---- the evaluation ---- */

/* By way of text, so that the ranges of INI files hold. */
static void read_param(struct reader *reader, const char *key, json_t *value, struct params *params)
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
    if (reader->rc == 0 && params_set(params, key, text, reader->error) != 0) {
        reader->rc = error_prefix(reader->error, "%s", reader->place);
    }
}

static void read_params(struct reader *reader, json_t *object, struct params *params)
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
        read_param(reader, "world.preset", preset, params);
    for (void *at = json_object_iter(value); at && reader->rc == 0;
         at = json_object_iter_next(value, at))
        if (json_object_iter_value(at) != preset)
            read_param(reader, json_object_iter_key(at), json_object_iter_value(at), params);
    if (reader->rc == 0 && params_check(params, reader->error) != 0)
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
        creature->verdict = convert_name(reader, verdict, "verdict", verdict_find);
    read_real(reader, value, "fitness", REQUIRED, &creature->fitness);
    read_hex(reader, value, "digest", &creature->digest);
    read_hex(reader, value, "genome_hash", &creature->genome_hash);
    read_params(reader, value, &creature->params);
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

/* The JSON form, written. What has the value that reading assumes is left out where that makes rows
 * shorter (flags, empty lists, zeros, trailing inputs that are the constant 0 with weight 0); a constant of
 * weight 1 is a bare number. docs/creature-format.md describes the form. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/creature_codec.h"
#include "common/hash.h"
#include "common/json_text.h"
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

static json_t *sensors_value(struct tree *tree, uint32_t set)
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

/* What both kinds of body have. */
static void put_common(struct tree *tree, json_t *object, const struct body_gene *body)
{
    if (body->recursive_limit != 1)
        put(tree, object, "recursive_limit", json_integer(body->recursive_limit));
    if (body->is_symmetric == SYMMETRY_SIDES)
        put(tree, object, "symmetric", json_true());
    else if (body->is_symmetric)
        put(tree, object, "symmetric", json_string(symmetry_names[body->is_symmetric]));
    if (body->sensors != 0)
        put(tree, object, "sensors", sensors_value(tree, body->sensors));
    if (body->has_effector) {
        json_t *effector = json_object();
        put(tree, effector, "input", input_value(tree, &body->effector_input));
        put(tree, effector, "strength", json_real(body->effector_strength));
        put(tree, object, "effector", effector);
    }
}

static void put_drive(struct tree *tree, json_t *object, const struct body_gene *body)
{
    json_t *drive = json_object(), *inputs = json_array();
    for (int i = 0; i < genome_drive_count(body); i++)
        add(tree, inputs, input_value(tree, &body->sphere.drives[i]));
    put(tree, drive, "inputs", inputs);
    put(tree, drive, "strength", json_real(body->sphere.drive_strength));
    put(tree, object, "drive", drive);
}

static json_t *sphere_value(struct tree *tree, const struct body_gene *body)
{
    const struct sphere_gene *sphere = &body->sphere;
    json_t *object = json_object();
    put(tree, object, "id", id_value(body->id));
    put(tree, object, "radius_m", json_real(sphere->radius_m));
    put(tree, object, "friction", json_real(sphere->friction));
    if (sphere->is_rolling)
        put(tree, object, "rolling", json_true());
    if (sphere->is_head)
        put(tree, object, "head", json_true());
    put(tree, object, "joint", json_string(joint_type_names[body->joint]));
    if (body->joint != JOINT_FREE)
        put(tree, object, "limits_rad", pair_value(tree, body->lower, body->upper));
    if (body->joint == JOINT_SADDLE)
        put(tree, object, "limits_2_rad", pair_value(tree, sphere->lower_2, sphere->upper_2));
    put_unless_zero(tree, object, "axis_rad", sphere->axis_rad);
    put_common(tree, object, body);
    if (genome_drive_count(body) > 0)
        put_drive(tree, object, body);
    return object;
}

/* What becomes of all that a connection of any kind leads to. */
static void put_subtree(struct tree *tree, json_t *object, const struct connection_gene *connection)
{
    if (connection->scale != 1)
        put(tree, object, "scale", json_real(connection->scale));
    if (connection->is_reflected)
        put(tree, object, "reflected", json_true());
    if (connection->is_terminal_only)
        put(tree, object, "terminal_only", json_true());
}

static json_t *bone_value(struct tree *tree, const struct connection_gene *connection)
{
    const struct bone_gene *bone = &connection->bone;
    json_t *object = json_object();
    put(tree, object, "id", id_value(connection->id));
    put(tree, object, "from", id_value(connection->from));
    put(tree, object, "to", id_value(connection->to));
    if (bone->brace)
        put(tree, object, "brace", json_string(brace_names[bone->brace]));
    else
        put(tree, object, "length_m", json_real(bone->length_m));
    put_unless_zero(tree, object, "angle_rad", connection->angle_rad);
    put_unless_zero(tree, object, "tilt_rad", bone->tilt_rad);
    if (bone->gain != 0) {
        json_t *muscle = json_object();
        put(tree, muscle, "shortest", json_real(bone->shortest));
        put(tree, muscle, "longest", json_real(bone->longest));
        put(tree, muscle, "rate_1_s", json_real(bone->rate_1_s));
        put(tree, muscle, "gain", json_real(bone->gain));
        put(tree, object, "muscle", muscle);
    }
    put_subtree(tree, object, connection);
    return object;
}

static json_t *body_value(struct tree *tree, const struct body_gene *body)
{
    json_t *object = json_object();
    put(tree, object, "id", id_value(body->id));
    put(tree, object, "width_m", json_real(body->width_m));
    put(tree, object, "height_m", json_real(body->height_m));
    put(tree, object, "joint", json_string(joint_type_names[body->joint]));
    put(tree, object, body->joint == JOINT_LINEAR ? "limits_m" : "limits_rad",
        pair_value(tree, body->lower, body->upper));
    put_common(tree, object, body);
    return object;
}

static json_t *connection_value(struct tree *tree, const struct connection_gene *connection)
{
    json_t *object = json_object();
    put(tree, object, "id", id_value(connection->id));
    put(tree, object, "from", id_value(connection->from));
    put(tree, object, "to", id_value(connection->to));
    put(tree, object, "parent_face", json_string(face_names[connection->parent_face]));
    put_unless_zero(tree, object, "parent_position", connection->parent_position);
    put(tree, object, "child_face", json_string(face_names[connection->child_face]));
    put_unless_zero(tree, object, "child_position", connection->child_position);
    put_unless_zero(tree, object, "angle_rad", connection->angle_rad);
    put_subtree(tree, object, connection);
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
    int used = neuron_functions[neuron->function].input_count;
    while (used > 0 && is_default_input(&neuron->inputs[used - 1]))
        used--;
    for (int i = 0; i < used; i++)
        add(tree, inputs, input_value(tree, &neuron->inputs[i]));
    put(tree, object, "inputs", inputs);
    return object;
}

static void put_genome(struct tree *tree, json_t *object, const struct genome *genome)
{
    json_t *bodies = json_array(), *connections = json_array(), *neurons = json_array();
    int is_spheres = genome->kind == BODY_SPHERES;
    for (int i = 0; i < genome->body_count; i++)
        add(tree, bodies,
            is_spheres ? sphere_value(tree, &genome->bodies[i])
                       : body_value(tree, &genome->bodies[i]));
    for (int i = 0; i < genome->connection_count; i++)
        add(tree, connections,
            is_spheres ? bone_value(tree, &genome->connections[i])
                       : connection_value(tree, &genome->connections[i]));
    for (int i = 0; i < genome->neuron_count; i++)
        add(tree, neurons, neuron_value(tree, &genome->neurons[i]));
    if (is_spheres)
        put(tree, object, "body", json_string(body_kind_names[genome->kind]));
    put(tree, object, "root", id_value(genome->root));
    if (genome->breeding)
        put(tree, object, "breeding", json_string(breeding_gene_names[genome->breeding]));
    put(tree, object, "bodies", bodies);
    put(tree, object, "connections", connections);
    put(tree, object, "neurons", neurons);
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

/* Differences of genomes.
 *
 * The three tables are gone through one after the other: rows of the later genome with a partner of
 * the same id are compared field by field, the others are new; rows of the earlier genome without a
 * partner are gone. What a reference leads to is compared by id and shown with its row and id, since
 * rows move when genes come and go. The order of the rows that both have is compared at the end, as
 * it is the order of expression.
 *
 * A gene's name is its row, and in brackets the creature in which it first appeared and its number
 * there ("body 2 [55.1]"); ids written by hand (below 1024) stand alone. */
#include "controller/genetics_diff.h"

#include <inttypes.h>
#include <string.h>

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

static void compare_sensors(struct diff *diff, uint32_t before, uint32_t after)
{
    int sensor;

    for (sensor = 0; sensor < SENSOR_COUNT; sensor++)
        if ((before ^ after) & SENSOR_BIT(sensor)) {
            open_field(diff);
            fprintf(diff->out, "%s sensor %s", after & SENSOR_BIT(sensor) ? "gained" : "lost",
                    sensors[sensor].name);
        }
}

/* ---- bodies ---- */

static void compare_effector(struct diff *diff, const struct body_gene *before,
                             const struct body_gene *after)
{
    if (before->has_effector && after->has_effector) {
        compare_input(diff, "effector", &before->effector_input, &after->effector_input);
        compare_number(diff, "strength", before->effector_strength, after->effector_strength, "");
    } else if (after->has_effector) {
        open_field(diff);
        fprintf(diff->out, "gained an effector: ");
        print_input(diff->out, diff->after, &after->effector_input);
        fprintf(diff->out, ", strength %.4g", after->effector_strength);
    } else if (before->has_effector) {
        open_field(diff);
        fprintf(diff->out, "lost its effector");
    }
}

static const char *limit_unit(const struct body_gene *body)
{
    return body->joint == JOINT_LINEAR ? " m" : " rad";
}

/* One by one, but where their unit changes. */
static void compare_limits(struct diff *diff, const struct body_gene *a, const struct body_gene *b)
{
    if ((a->joint == JOINT_LINEAR) == (b->joint == JOINT_LINEAR)) {
        compare_number(diff, "lower limit", a->lower, b->lower, limit_unit(a));
        compare_number(diff, "upper limit", a->upper, b->upper, limit_unit(a));
        return;
    }
    open_field(diff);
    fprintf(diff->out, "limits %.4g .. %.4g%s -> %.4g .. %.4g%s", a->lower, a->upper, limit_unit(a),
            b->lower, b->upper, limit_unit(b));
}

static void compare_spheres(struct diff *diff, const struct body_gene *before,
                            const struct body_gene *after)
{
    const struct sphere_gene *a = &before->sphere, *b = &after->sphere;
    int count_a = genome_drive_count(before), count_b = genome_drive_count(after), k;
    char field[24];

    compare_number(diff, "radius", a->radius_m, b->radius_m, " m");
    compare_number(diff, "friction", a->friction, b->friction, "");
    compare_flag(diff, "rolling", a->is_rolling, b->is_rolling);
    compare_flag(diff, "the head", a->is_head, b->is_head);
    compare_number(diff, "second lower limit", a->lower_2, b->lower_2, " rad");
    compare_number(diff, "second upper limit", a->upper_2, b->upper_2, " rad");
    compare_number(diff, "axis", a->axis_rad, b->axis_rad, " rad");
    compare_number(diff, "drive strength", a->drive_strength, b->drive_strength, "");
    for (k = 0; k < count_b; k++) {
        snprintf(field, sizeof(field), "drive %d", k);
        if (k < count_a) {
            compare_input(diff, field, &a->drives[k], &b->drives[k]);
        } else {
            open_field(diff);
            fprintf(diff->out, "gained %s: ", field);
            print_input(diff->out, diff->after, &b->drives[k]);
        }
    }
}

static void compare_bodies(struct diff *diff, int row_before, int row_after)
{
    const struct body_gene *a = &diff->before->bodies[row_before];
    const struct body_gene *b = &diff->after->bodies[row_after];

    compare_number(diff, "width", a->width_m, b->width_m, " m");
    compare_number(diff, "height", a->height_m, b->height_m, " m");
    compare_name(diff, "joint", a->joint, b->joint, joint_type_names);
    compare_limits(diff, a, b);
    compare_number(diff, "recursive limit", a->recursive_limit, b->recursive_limit, "");
    if (a->is_symmetric && b->is_symmetric)
        compare_name(diff, "symmetry", a->is_symmetric, b->is_symmetric, symmetry_names);
    else
        compare_flag(diff, "symmetric", a->is_symmetric, b->is_symmetric);
    compare_spheres(diff, a, b);
    compare_sensors(diff, a->sensors, b->sensors);
    compare_effector(diff, a, b);
}

static void print_sphere(struct diff *diff, const struct genome *genome,
                         const struct body_gene *body)
{
    const struct sphere_gene *sphere = &body->sphere;
    int k;

    fprintf(diff->out, "%s, radius %.4g m, friction %.4g%s%s, limits %.4g .. %.4g rad",
            joint_type_names[body->joint], sphere->radius_m, sphere->friction,
            sphere->is_rolling ? ", rolling" : "", sphere->is_head ? ", head" : "", body->lower,
            body->upper);
    if (body->joint == JOINT_SADDLE)
        fprintf(diff->out, " and %.4g .. %.4g rad", sphere->lower_2, sphere->upper_2);
    fprintf(diff->out, ", axis %.4g rad, recursive limit %d", sphere->axis_rad,
            body->recursive_limit);
    if (body->is_symmetric)
        fprintf(diff->out, ", symmetric (%s)", symmetry_names[body->is_symmetric]);
    for (k = 0; k < genome_drive_count(body); k++) {
        fprintf(diff->out, ", drive %d: ", k);
        print_input(diff->out, genome, &sphere->drives[k]);
    }
    if (sphere->drive_strength > 0)
        fprintf(diff->out, ", drive strength %.4g", sphere->drive_strength);
}

static void print_body(struct diff *diff, const struct genome *genome, int row)
{
    const struct body_gene *body = &genome->bodies[row];
    int sensor;

    if (genome->kind == BODY_SPHERES)
        print_sphere(diff, genome, body);
    else
        fprintf(diff->out, "%s, %.4g x %.4g m, limits %.4g .. %.4g%s, recursive limit %d%s",
                joint_type_names[body->joint], body->width_m, body->height_m, body->lower,
                body->upper, limit_unit(body), body->recursive_limit,
                body->is_symmetric ? ", symmetric" : "");
    for (sensor = 0; sensor < SENSOR_COUNT; sensor++)
        if (body->sensors & SENSOR_BIT(sensor))
            fprintf(diff->out, ", sensor %s", sensors[sensor].name);
    if (body->has_effector) {
        fputs(", effector: ", diff->out);
        print_input(diff->out, genome, &body->effector_input);
        fprintf(diff->out, ", strength %.4g", body->effector_strength);
    }
}

/* ---- connections ---- */

static void compare_connections(struct diff *diff, int row_before, int row_after)
{
    const struct connection_gene *a = &diff->before->connections[row_before];
    const struct connection_gene *b = &diff->after->connections[row_after];

    compare_end(diff, "from", a->from, b->from);
    compare_end(diff, "to", a->to, b->to);
    compare_name(diff, "parent face", a->parent_face, b->parent_face, face_names);
    compare_number(diff, "parent position", a->parent_position, b->parent_position, "");
    compare_name(diff, "child face", a->child_face, b->child_face, face_names);
    compare_number(diff, "child position", a->child_position, b->child_position, "");
    compare_number(diff, "angle", a->angle_rad, b->angle_rad, " rad");
    compare_number(diff, "scale", a->scale, b->scale, "");
    compare_flag(diff, "reflected", a->is_reflected, b->is_reflected);
    compare_flag(diff, "terminal-only", a->is_terminal_only, b->is_terminal_only);
    compare_name(diff, "brace", a->bone.brace, b->bone.brace, brace_names);
    compare_number(diff, "length", a->bone.length_m, b->bone.length_m, " m");
    compare_number(diff, "tilt", a->bone.tilt_rad, b->bone.tilt_rad, " rad");
    compare_number(diff, "gain", a->bone.gain, b->bone.gain, "");
    compare_number(diff, "shortest", a->bone.shortest, b->bone.shortest, "");
    compare_number(diff, "longest", a->bone.longest, b->bone.longest, "");
    compare_number(diff, "rate", a->bone.rate_1_s, b->bone.rate_1_s, " 1/s");
}

static void print_bone(struct diff *diff, const struct connection_gene *connection)
{
    const struct bone_gene *bone = &connection->bone;

    if (bone->brace)
        fprintf(diff->out, ", brace to %s", brace_names[bone->brace]);
    else
        fprintf(diff->out, ", %.4g m, angle %.4g rad, tilt %.4g rad, scale %.4g", bone->length_m,
                connection->angle_rad, bone->tilt_rad, connection->scale);
    if (bone->gain != 0)
        fprintf(diff->out, ", muscle %.4g .. %.4g, rate %.4g 1/s, gain %.4g", bone->shortest,
                bone->longest, bone->rate_1_s, bone->gain);
}

static void print_connection(struct diff *diff, const struct genome *genome, int row)
{
    const struct connection_gene *connection = &genome->connections[row];
    char from[GENE_NAME_SIZE], to[GENE_NAME_SIZE];

    fprintf(diff->out, "%s to %s", body_name(genome, connection->from, from),
            body_name(genome, connection->to, to));
    if (genome->kind == BODY_SPHERES)
        print_bone(diff, connection);
    else
        fprintf(diff->out, ", %s %.4g on %s %.4g, angle %.4g rad, scale %.4g",
                face_names[connection->child_face], connection->child_position,
                face_names[connection->parent_face], connection->parent_position,
                connection->angle_rad, connection->scale);
    fprintf(diff->out, "%s%s", connection->is_reflected ? ", reflected" : "",
            connection->is_terminal_only ? ", terminal-only" : "");
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
        fprintf(out, "~ body: %s -> %s\n", body_kind_names[before->kind],
                body_kind_names[after->kind]);
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

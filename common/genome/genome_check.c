/* The rules of a genome: the check, and the garbage collection after which it holds.
 *
 * One function, reference_problem(), decides which references are allowed; both ask it, so that a
 * collected genome always passes. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/genome/body_kind.h"
#include "common/genome/genome.h"
#include "common/text.h"

/* ---- which references are allowed ---- */

/* 1 if some body gene has a connection to `child` and is `parent` (unless that is 0) and
 * has all the sensors wanted. */
static int has_parent(const struct genome *genome, gene_id child, gene_id parent, uint64_t wanted)
{
    for (int i = 0; i < genome->connection_count; i++) {
        const struct connection_gene *connection = &genome->connections[i];
        if (connection->to != child || (parent != 0 && connection->from != parent) ||
            connection->brace)
            continue;
        int row = genome_find_body(genome, connection->from);
        if (row >= 0 && (genome->bodies[row].sensors & wanted) == wanted)
            return 1;
    }
    return 0;
}

static int has_sensors(const struct genome *genome, gene_id body, uint64_t wanted)
{
    int row = genome_find_body(genome, body);
    return row >= 0 && (genome->bodies[row].sensors & wanted) == wanted;
}

/* The body gene that scope and via lead to, for the scopes that name one: *target. Returns NULL, or
 * what is wrong. */
static const char *resolve_scope(const struct genome *genome, gene_id reader,
                                 const struct input_gene *input, gene_id *target)
{
    int is_central_reader = reader == 0;
    int row;
    *target = 0;
    switch (input->scope) {
    case SCOPE_OWN:
        *target = reader;
        return is_central_reader ? "the central set has no own part" : NULL;
    case SCOPE_PARENT:
        return is_central_reader ? "the central set has no parent part" : NULL;
    case SCOPE_CHILD:
        if (is_central_reader)
            return "the central set has no child parts";
        row = genome_find_connection(genome, input->via);
        if (row < 0)
            return "via names a connection that does not exist";
        if (genome->connections[row].from != reader)
            return "via names a connection that does not start at the reader's body";
        if (genome->connections[row].brace)
            return "via names a brace, which grows no child";
        *target = genome->connections[row].to;
        return NULL;
    case SCOPE_CENTRAL:
        return input->kind == INPUT_SENSOR ? "the central set has no sensors" : NULL;
    case SCOPE_PART:
        if (!is_central_reader)
            return "scope part is for readers in the central set";
        *target = input->via;
        return genome_find_body(genome, input->via) < 0 ? "via names a body that does not exist"
                                                        : NULL;
    default:
        return "unknown scope";
    }
}

/* What is wrong with where an input of a reader (a body gene's id, 0 = the central set) comes from;
 * NULL if nothing. Looks at kind, scope, sensor, source and via, not at the numbers. */
static const char *reference_problem(const struct genome *genome, gene_id reader,
                                     const struct input_gene *input)
{
    if (input->kind == INPUT_CONSTANT)
        return NULL;
    gene_id target;
    const char *problem = resolve_scope(genome, reader, input, &target);
    if (problem)
        return problem;
    if (input->kind == INPUT_SENSOR) {
        uint64_t wanted = SENSOR_BIT(input->sensor);
        int is_found = input->scope == SCOPE_PARENT ? has_parent(genome, reader, 0, wanted)
                                                    : has_sensors(genome, target, wanted);
        return is_found ? NULL : "the body it reads has no such sensor";
    }
    int row = genome_find_neuron(genome, input->source);
    if (row < 0)
        return "names a neuron that does not exist";
    gene_id owner = genome->neurons[row].owner;
    if (input->scope == SCOPE_CENTRAL)
        return owner == 0 ? NULL : "names a neuron that is not in the central set";
    if (owner == 0)
        return "names a neuron of the central set without scope central";
    if (input->scope == SCOPE_PARENT)
        return has_parent(genome, reader, owner, 0)
                   ? NULL
                   : "names a neuron that is in no possible parent";
    return owner == target ? NULL : "names a neuron that does not live in the body it reads";
}

int genome_may_read(const struct genome *genome, gene_id reader, const struct input_gene *input)
{
    return !reference_problem(genome, reader, input);
}

/* ---- check ---- */

/* Where a check is, for its message, and the first error there. */
struct place {
    struct error *error;
    const char *table; /* "body", "connection", "neuron" */
    int row;
    gene_id id;
    const char *input; /* "", "effector input", "input 2" */
    int rc;
};

__attribute__((format(printf, 3, 4))) static void fail(struct place *place, int code,
                                                       const char *format, ...)
{
    char text[256];
    va_list arguments;
    if (place->rc)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    place->rc = error_set(place->error, code, "%s %d (id %" PRIu64 ")%s%s: %s", place->table,
                          place->row, place->id, place->input[0] ? ", " : "", place->input, text);
}

/* Also refuses what is not a number. */
static void check_real(struct place *place, const char *name, double value, double min, double max)
{
    if (value >= min && value <= max)
        return;
    char a[TEXT_NUMBER_SIZE], b[TEXT_NUMBER_SIZE], c[TEXT_NUMBER_SIZE];
    fail(place, ERR_RANGE, "%s %s is not within %s .. %s", name, text_print_double(value, a),
         text_print_double(min, b), text_print_double(max, c));
}

static void check_int(struct place *place, const char *name, uint64_t value, uint64_t min,
                      uint64_t max)
{
    if (!(value >= min && value <= max))
        fail(place, ERR_RANGE, "%s %" PRIu64 " is not within %" PRIu64 " .. %" PRIu64, name, value,
             min, max);
}

/* The fields that the input's kind does not use are zero. */
static void check_unused_fields(struct place *place, const struct input_gene *input)
{
    int is_constant = input->kind == INPUT_CONSTANT;
    int has_via = !is_constant && (input->scope == SCOPE_CHILD || input->scope == SCOPE_PART);
    if (is_constant && input->scope != SCOPE_OWN)
        fail(place, ERR_RANGE, "a constant has scope own");
    if (!is_constant && input->value != 0)
        fail(place, ERR_RANGE, "only a constant has a value");
    if (input->kind != INPUT_NEURON && input->source != 0)
        fail(place, ERR_RANGE, "only a neuron's input has a source");
    if (input->kind != INPUT_SENSOR && input->sensor != 0)
        fail(place, ERR_RANGE, "only a sensor's input has a sensor");
    if (!has_via && input->via != 0)
        fail(place, ERR_RANGE, "via is for scopes child and part");
}

static void check_input(struct place *place, const struct genome *genome, gene_id reader,
                        const struct input_gene *input)
{
    check_int(place, "kind", input->kind, 0, INPUT_KIND_COUNT - 1);
    check_int(place, "scope", input->scope, 0, SCOPE_COUNT - 1);
    check_int(place, "sensor", input->sensor, 0, SENSOR_COUNT - 1);
    check_real(place, "weight", input->weight, -GENOME_WEIGHT_MAX, GENOME_WEIGHT_MAX);
    check_real(place, "value", input->value, -GENOME_WEIGHT_MAX, GENOME_WEIGHT_MAX);
    check_unused_fields(place, input);
    const char *problem = place->rc ? NULL : reference_problem(genome, reader, input);
    if (problem)
        fail(place, ERR_RANGE, "%s", problem);
}

static int is_zero_input(const struct input_gene *input)
{
    static const struct input_gene zero;
    return gene_is_equal_input(input, &zero);
}

static void check_id(struct place *place)
{
    if (place->id == 0)
        fail(place, ERR_RANGE, "an id is not 0");
    if (place->id > INT64_MAX)
        fail(place, ERR_RANGE, "an id is at most %" PRId64, INT64_MAX);
}

static void check_own_id(struct place *place, const struct genome *genome, enum genome_table table)
{
    if (genome_find(genome, table, place->id) != place->row)
        fail(place, ERR_RANGE, "another %s has the same id", place->table);
}

/* The first `used` of so many inputs lead somewhere; the others are zero. */
static void check_inputs(struct place *place, const struct genome *genome,
                         const struct gene_field *field, const struct input_gene *inputs, int count,
                         int used)
{
    place->input = field->name;
    for (int i = 0; i < count && !place->rc; i++)
        if (i < used)
            check_input(place, genome, place->id, &inputs[i]);
        else if (!is_zero_input(&inputs[i]))
            fail(place, ERR_RANGE, "not zero, but %d of %d are used", used, count);
    place->input = "";
}

static void check_field(struct place *place, const struct genome *genome,
                        const struct gene_field *table, const struct gene_field *field,
                        const void *gene)
{
    struct gene_range range = gene_range_of(table, field, gene);
    const void *at = gene_at_const(gene, field);
    const double *reals = at;
    const struct gene_limit_form *form;
    switch (field->type) {
    case GENE_ID:
        break;
    case GENE_REAL:
        if ((field->flags & GENE_ABOVE) && gene_is_used(range) && !(reals[0] > range.low))
            fail(place, ERR_RANGE, "%s %g is not above %g and at most %g", field->name, reals[0],
                 range.low, range.high);
        check_real(place, field->name, reals[0], range.low, range.high);
        break;
    case GENE_LIMITS:
        form = gene_form(field, gene);
        check_real(place, form->lower, reals[0], range.low, 0);
        check_real(place, form->upper, reals[1], 0, range.high);
        break;
    case GENE_SENSORS:
        if (*(const uint64_t *)at & ~body_kinds[genome->kind].sensors)
            fail(place, ERR_RANGE, "sensors %" PRIu64 " is not a set of those of %s",
                 *(const uint64_t *)at, body_kinds[genome->kind].name);
        break;
    case GENE_INPUT:
        check_inputs(place, genome, field, at, 1, (int)range.high);
        break;
    case GENE_INPUTS:
        check_inputs(place, genome, field, at, GENOME_DRIVES_MAX, (int)range.high);
        break;
    default:
        check_int(place, field->name, *(const uint8_t *)at, (uint64_t)range.low,
                  (uint64_t)range.high);
        if (field->type == GENE_CHOICE && !place->rc &&
            !gene_is_choice(field, *(const uint8_t *)at))
            fail(place, ERR_RANGE, "%s %s is not one of this kind", field->name,
                 field->names[*(const uint8_t *)at]);
    }
}

/* Fields that other kinds have and this one has not are zero. */
static void check_foreign_fields(struct place *place, const struct genome *genome,
                                 enum genome_table table, const void *gene)
{
    static const union {
        struct body_gene body;
        struct connection_gene connection;
    } empty;
    for (int kind = 0; kind < body_kind_count; kind++) {
        const struct gene_field *field = body_kind_genes(kind, table);
        for (; field->name; field++) {
            const struct gene_field *same = body_kind_genes(genome->kind, table);
            while (same->name && same->offset != field->offset)
                same++;
            if (!same->name && !gene_is_equal_field(field, gene, &empty))
                fail(place, ERR_RANGE, "%s is not a gene of %s", field->name,
                     body_kinds[genome->kind].name);
        }
    }
}

static void check_ends(struct place *place, const struct genome *genome,
                       const struct connection_gene *connection)
{
    if (genome_find_body(genome, connection->from) < 0)
        fail(place, ERR_RANGE, "from: no body has the id %" PRIu64, connection->from);
    if (genome_find_body(genome, connection->to) < 0)
        fail(place, ERR_RANGE, "to: no body has the id %" PRIu64, connection->to);
}

/* A row of the bodies or the connections. */
static void check_gene(struct place *place, const struct genome *genome, enum genome_table table)
{
    const struct gene_field *fields = body_kind_genes(genome->kind, table);
    const void *gene = genome_row(genome, table, place->row);
    check_id(place);
    check_own_id(place, genome, table);
    for (const struct gene_field *field = fields; !place->rc && field->name; field++)
        check_field(place, genome, fields, field, gene);
    if (!place->rc)
        check_foreign_fields(place, genome, table, gene);
    if (!place->rc && table == GENOME_CONNECTIONS)
        check_ends(place, genome, gene);
}

/* The largest double below 1: an oscillator's phase is in [0, 1). */
#define PHASE_MAX (1.0 - 0x1p-53)

static void check_neuron_inputs(struct place *place, const struct genome *genome,
                                const struct neuron_gene *neuron)
{
    static const char *const names[NEURON_INPUTS_MAX] = {"input 0", "input 1", "input 2"};
    int used = neuron_functions[neuron->function].input_count;
    for (int i = 0; i < NEURON_INPUTS_MAX && !place->rc; i++) {
        place->input = names[i];
        if (i < used)
            check_input(place, genome, neuron->owner, &neuron->inputs[i]);
        else if (!is_zero_input(&neuron->inputs[i]))
            fail(place, ERR_RANGE, "not zero, but %s has %d input%s",
                 neuron_functions[neuron->function].name, used, used == 1 ? "" : "s");
    }
}

static void check_neuron(struct place *place, const struct genome *genome)
{
    const struct neuron_gene *neuron = &genome->neurons[place->row];
    double phase_max = genome_is_oscillator(neuron->function) ? PHASE_MAX : 0;
    check_id(place);
    check_int(place, "function", neuron->function, 0, NEURON_FUNCTION_COUNT - 1);
    check_real(place, "initial", neuron->initial, 0, phase_max);
    check_real(place, "lag_image", neuron->lag_image, 0, phase_max);
    check_real(place, "lag_row", neuron->lag_row, 0, phase_max);
    check_own_id(place, genome, GENOME_NEURONS);
    if (neuron->owner != 0 && genome_find_body(genome, neuron->owner) < 0)
        fail(place, ERR_RANGE, "lives in body %" PRIu64 ", which does not exist", neuron->owner);
    if (!place->rc)
        check_neuron_inputs(place, genome, neuron);
}

static int check_counts(const struct genome *genome, struct error *error)
{
    for (int table = 0; table < GENOME_TABLE_COUNT; table++) {
        int count = genome->counts[table], least = table == GENOME_BODIES;
        if (count < least || count > genome_tables[table].most)
            return error_set(error, ERR_LIMIT, "%d %s are not within %d .. %d", count,
                             genome_tables[table].name, least, genome_tables[table].most);
    }
    if (genome_find_body(genome, genome->root) < 0)
        return error_set(error, ERR_RANGE, "root: no body has the id %" PRIu64, genome->root);
    if (genome->breeding >= BREEDING_GENE_COUNT)
        return error_set(error, ERR_RANGE, "breeding: %d is not within 0 .. %d", genome->breeding,
                         BREEDING_GENE_COUNT - 1);
    if (genome->kind >= body_kind_count)
        return error_set(error, ERR_RANGE, "kind: %d is not within 0 .. %d", genome->kind,
                         body_kind_count - 1);
    return 0;
}

int genome_check(const struct genome *genome, struct error *error)
{
    int rc = check_counts(genome, error);
    for (int table = 0; table < GENOME_TABLE_COUNT; table++)
        for (int i = 0; rc == 0 && i < genome->counts[table]; i++) {
            struct place place = {
                error, genome_tables[table].noun, i, genome_row_id(genome, table, i), "", 0};
            if (table == GENOME_NEURONS)
                check_neuron(&place, genome);
            else
                check_gene(&place, genome, table);
            rc = place.rc;
        }
    return rc;
}

/* ---- garbage ---- */

void genome_mark_reached(const struct genome *genome, int top, char is_reached[GENOME_BODIES_MAX])
{
    int todo[GENOME_BODIES_MAX], todo_count = 0;
    ENSURE(top >= 0 && top < genome->body_count, "body %d of %d", top, genome->body_count);
    memset(is_reached, 0, GENOME_BODIES_MAX);
    is_reached[top] = 1;
    todo[todo_count++] = top;
    while (todo_count > 0) {
        gene_id from = genome->bodies[todo[--todo_count]].id;
        for (int i = 0; i < genome->connection_count; i++) {
            int to = genome->connections[i].from == from && !genome->connections[i].brace
                         ? genome_find_body(genome, genome->connections[i].to)
                         : -1;
            if (to >= 0 && !is_reached[to]) {
                is_reached[to] = 1;
                todo[todo_count++] = to;
            }
        }
    }
}

static void remove_unreached_bodies(struct genome *genome)
{
    char is_reached[GENOME_BODIES_MAX];
    int root = genome_find_body(genome, genome->root);
    if (root < 0) {
        root = 0;
        genome->root = genome->bodies[0].id;
    }
    genome_mark_reached(genome, root, is_reached);
    for (int i = genome->body_count - 1; i >= 0; i--)
        if (!is_reached[i])
            genome_remove(genome, GENOME_BODIES, i);
}

/* Rows that hang on a body that is gone. */
static void remove_homeless_rows(struct genome *genome)
{
    for (int i = genome->connection_count - 1; i >= 0; i--)
        if (genome_find_body(genome, genome->connections[i].from) < 0 ||
            genome_find_body(genome, genome->connections[i].to) < 0)
            genome_remove(genome, GENOME_CONNECTIONS, i);
    for (int i = genome->neuron_count - 1; i >= 0; i--) {
        gene_id owner = genome->neurons[i].owner;
        if (owner != 0 && genome_find_body(genome, owner) < 0)
            genome_remove(genome, GENOME_NEURONS, i);
    }
}

/* An input that leads nowhere becomes the constant 0; fields that its kind does not use become
 * 0. */
static void repair_input(const struct genome *genome, gene_id reader, struct input_gene *input)
{
    if (reference_problem(genome, reader, input)) {
        memset(input, 0, sizeof(*input));
        return;
    }
    if (input->kind == INPUT_CONSTANT)
        input->scope = SCOPE_OWN;
    else
        input->value = 0;
    if (input->kind != INPUT_NEURON)
        input->source = 0;
    if (input->kind != INPUT_SENSOR)
        input->sensor = 0;
    if (input->kind == INPUT_CONSTANT ||
        (input->scope != SCOPE_CHILD && input->scope != SCOPE_PART))
        input->via = 0;
}

/* Inputs that are not used are 0. */
static void repair_body(const struct genome *genome, struct body_gene *body)
{
    const struct gene_field *table = body_kinds[genome->kind].body;
    for (const struct gene_field *field = table; field->name; field++) {
        int count = field->type == GENE_INPUTS ? GENOME_DRIVES_MAX : field->type == GENE_INPUT;
        int used = (int)gene_range_of(table, field, body).high;
        struct input_gene *inputs = gene_at(body, field);
        for (int i = 0; i < count; i++)
            if (i < used)
                repair_input(genome, body->id, &inputs[i]);
            else
                memset(&inputs[i], 0, sizeof inputs[i]);
    }
    if (!body->has_effector)
        body->effector_strength = 0;
}

static void repair_rows(struct genome *genome)
{
    for (int i = 0; i < genome->body_count; i++)
        repair_body(genome, &genome->bodies[i]);
    for (int i = 0; i < genome->neuron_count; i++) {
        struct neuron_gene *neuron = &genome->neurons[i];
        int used = neuron_functions[neuron->function].input_count;
        if (!genome_is_oscillator(neuron->function))
            neuron->initial = neuron->lag_image = neuron->lag_row = 0;
        for (int j = 0; j < used; j++)
            repair_input(genome, neuron->owner, &neuron->inputs[j]);
        memset(&neuron->inputs[used], 0, sizeof(neuron->inputs[0]) * (NEURON_INPUTS_MAX - used));
    }
}

/* The neurons that are live and whose inputs are still to be followed. */
struct live_set {
    char is_live[GENOME_NEURONS_MAX];
    int todo[GENOME_NEURONS_MAX];
    int todo_count;
};

static void mark_source(struct live_set *live, const struct genome *genome,
                        const struct input_gene *input)
{
    int row = input->kind == INPUT_NEURON ? genome_find_neuron(genome, input->source) : -1;
    if (row >= 0 && !live->is_live[row]) {
        live->is_live[row] = 1;
        live->todo[live->todo_count++] = row;
    }
}

/* Neurons backward from the effectors. Only removed neurons read a removed one. */
static void remove_idle_neurons(struct genome *genome)
{
    struct live_set live = {{0}, {0}, 0};
    const struct input_gene *input;
    for (int i = 0; i < genome->body_count; i++)
        for (int k = 0; (input = genome_body_input_const(&genome->bodies[i], k)); k++)
            mark_source(&live, genome, input);
    while (live.todo_count > 0) {
        const struct neuron_gene *neuron = &genome->neurons[live.todo[--live.todo_count]];
        for (int i = 0; i < NEURON_INPUTS_MAX; i++)
            mark_source(&live, genome, &neuron->inputs[i]);
    }
    for (int i = genome->neuron_count - 1; i >= 0; i--)
        if (!live.is_live[i])
            genome_remove(genome, GENOME_NEURONS, i);
}

void genome_prune(struct genome *genome)
{
    remove_unreached_bodies(genome);
    remove_homeless_rows(genome);
}

void genome_collect_garbage(struct genome *genome)
{
    if (genome->body_count == 0)
        return;
    genome_prune(genome);
    repair_rows(genome);
    remove_idle_neurons(genome);
}

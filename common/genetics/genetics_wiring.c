/* Sources of inputs. All questions come down to a list of places: the body genes (or the central
 * set) that a scope leads to from a reader, with the `via` that names the way. Tables are small (2
 * to 8 bodies, 5 to 40 neurons), so everything is looked for by walking them. */
#include "common/genetics/genetics_wiring.h"

#include <stdio.h>

/* Shares of the kinds and of the scopes in random inputs. */
static const double kind_weights[INPUT_KIND_COUNT] = {
    [INPUT_CONSTANT] = 0.25, [INPUT_NEURON] = 0.5, [INPUT_SENSOR] = 0.25};
static const double scope_weights[SCOPE_COUNT] = {
    [SCOPE_OWN] = 4, [SCOPE_PARENT] = 2, [SCOPE_CHILD] = 2, [SCOPE_CENTRAL] = 1, [SCOPE_PART] = 4};
#define CONSTANT_MAX 2.0 /* random constants lie within +- this */
#define WEIGHT_LOW   0.3 /* random weights: this to the next, either sign */
#define WEIGHT_HIGH  1.5

struct place {
    gene_id body; /* 0 = the central set */
    gene_id via;
};
enum { PLACES_MAX = GENOME_CONNECTIONS_MAX };

_Static_assert((int)GENOME_BODIES_MAX <= (int)PLACES_MAX, "a list of places takes all bodies");

static int add_place(struct place *places, int count, gene_id body, gene_id via)
{
    ENSURE(count >= 0 && count < PLACES_MAX, "place %d of at most %d", count, PLACES_MAX);
    places[count].body = body;
    places[count].via = via;
    return count + 1;
}

/* The places a scope leads to; SCOPE_PARENT lists a parent once for each of its connections. */
static int list_places(const struct genome *genome, gene_id owner, int scope,
                       struct place places[PLACES_MAX])
{
    int i, count = 0;
    if (scope == SCOPE_CENTRAL)
        return add_place(places, 0, 0, 0);
    if (owner == 0) {
        for (i = 0; scope == SCOPE_PART && i < genome->body_count; i++)
            count = add_place(places, count, genome->bodies[i].id, genome->bodies[i].id);
        return count;
    }
    if (scope == SCOPE_OWN)
        return add_place(places, 0, owner, 0);
    for (i = 0; i < genome->connection_count; i++) {
        const struct connection_gene *connection = &genome->connections[i];

        if (connection->brace)
            continue;
        if (scope == SCOPE_PARENT && connection->to == owner)
            count = add_place(places, count, connection->from, 0);
        else if (scope == SCOPE_CHILD && connection->from == owner)
            count = add_place(places, count, connection->to, connection->id);
    }
    return count;
}

static uint64_t sensors_at(const struct genome *genome, gene_id body)
{
    int row = body ? genome_find_body(genome, body) : -1;
    return row < 0 ? 0 : genome->bodies[row].sensors;
}

/* Leads an input somewhere else, without its source; its weight stays. */
static void lead(struct input_gene *input, int kind, int scope, gene_id via)
{
    *input = (struct input_gene){
        .kind = (uint8_t)kind, .scope = (uint8_t)scope, .via = via, .weight = input->weight};
}

/* Counts the neurons or sensors that a scope leads to; leads `input` to number `wanted` (-1:
 * nowhere). */
static int walk(const struct genome *genome, gene_id owner, enum input_kind kind, int scope,
                int wanted, struct input_gene *input)
{
    struct place places[PLACES_MAX];
    int place_count = list_places(genome, owner, scope, places), count = 0;
    int is_neuron = kind == INPUT_NEURON, most = is_neuron ? genome->neuron_count : SENSOR_COUNT;
    for (int p = 0; p < place_count; p++) {
        uint64_t set = is_neuron ? 0 : sensors_at(genome, places[p].body);
        for (int i = 0; i < most; i++) {
            int is_there =
                is_neuron ? genome->neurons[i].owner == places[p].body : (set & SENSOR_BIT(i)) != 0;
            if (!is_there || count++ != wanted)
                continue;
            lead(input, kind, scope, places[p].via);
            if (is_neuron)
                input->source = genome->neurons[i].id;
            else
                input->sensor = (uint8_t)i;
        }
    }
    return count;
}

void wiring_set_constant(struct input_gene *input, double value)
{
    *input = (struct input_gene){.kind = INPUT_CONSTANT, .value = value, .weight = 1};
}

int wiring_draw_source(struct maker *maker, gene_id owner, enum input_kind kind,
                       struct input_gene *input)
{
    double weights[SCOPE_COUNT];
    int counts[SCOPE_COUNT];
    int scope;
    if (kind == INPUT_CONSTANT) {
        wiring_set_constant(input, rng_uniform(maker->rng, -CONSTANT_MAX, CONSTANT_MAX));
        return 1;
    }
    for (scope = 0; scope < SCOPE_COUNT; scope++) {
        counts[scope] = walk(maker->genome, owner, kind, scope, -1, input);
        weights[scope] = counts[scope] ? scope_weights[scope] : 0;
    }
    scope = rng_pick(maker->rng, weights, SCOPE_COUNT);
    if (scope < 0)
        return 0;
    walk(maker->genome, owner, kind, scope, maker_below(maker, counts[scope]), input);
    ENSURE(input->kind == kind && input->scope == scope,
           "an input of kind %d and scope %d for one "
           "of kind %d and scope %d",
           input->kind, input->scope, kind, scope);
    return 1;
}

void wiring_draw(struct maker *maker, gene_id owner, struct input_gene *input)
{
    int kind = rng_pick(maker->rng, kind_weights, INPUT_KIND_COUNT);
    double weight = rng_uniform(maker->rng, WEIGHT_LOW, WEIGHT_HIGH);
    input->weight = rng_chance(maker->rng, 0.5) ? -weight : weight;
    if (!wiring_draw_source(maker, owner, (enum input_kind)kind, input))
        wiring_draw_source(maker, owner, INPUT_CONSTANT, input);
}

int wiring_lead(const struct genome *genome, gene_id owner, const struct neuron_gene *neuron,
                struct input_gene *input)
{
    struct place places[PLACES_MAX];
    int scope, i, count;
    for (scope = 0; scope < SCOPE_COUNT; scope++) {
        count = list_places(genome, owner, scope, places);
        for (i = 0; i < count; i++)
            if (places[i].body == neuron->owner) {
                lead(input, INPUT_NEURON, scope, places[i].via);
                input->source = neuron->id;
                return 1;
            }
    }
    return 0;
}

static void repair_input(struct maker *maker, gene_id owner, struct input_gene *input)
{
    /* Its kind is tried first: a lost neuron is replaced by a neuron. */
    if (!genome_may_read(maker->genome, owner, input) &&
        !wiring_draw_source(maker, owner, (enum input_kind)input->kind, input))
        wiring_draw(maker, owner, input);
}

static void repair(struct maker *maker)
{
    struct input_gene *input;
    for (int i = 0; i < maker->genome->body_count; i++)
        for (int k = 0; (input = genome_body_input(&maker->genome->bodies[i], k)); k++)
            repair_input(maker, maker->genome->bodies[i].id, input);
    for (int i = 0; i < maker->genome->neuron_count; i++) {
        struct neuron_gene *neuron = &maker->genome->neurons[i];

        ENSURE(neuron->function < NEURON_FUNCTION_COUNT, "neuron %d has function %d of %d", i,
               neuron->function, NEURON_FUNCTION_COUNT);
        for (int k = 0; k < neuron_functions[neuron->function].input_count; k++)
            repair_input(maker, neuron->owner, &neuron->inputs[k]);
    }
}

/* The garbage collector prunes too, but makes constants of the references to what is gone; here
 * they are still to be drawn again, among what stays. */
void wiring_tidy(struct maker *maker)
{
    ENSURE(genome_find_body(maker->genome, maker->genome->root) >= 0,
           "the root is gene %llu, which no body is", (unsigned long long)maker->genome->root);
    genome_prune(maker->genome);
    repair(maker);
    genome_collect_garbage(maker->genome);
}

void wiring_describe(const struct genome *genome, const struct input_gene *input, char *text,
                     int size)
{
    int row;
    if (input->kind == INPUT_CONSTANT) {
        snprintf(text, (size_t)size, "constant %.2f", input->value);
    } else if (input->kind == INPUT_SENSOR) {
        snprintf(text, (size_t)size, "sensor %s (%s)", sensors[input->sensor].name,
                 input_scope_names[input->scope]);
    } else {
        row = genome_find_neuron(genome, input->source);
        snprintf(text, (size_t)size, "neuron %d (%s, %s)", row,
                 row < 0 ? "?" : neuron_functions[genome->neurons[row].function].name,
                 input_scope_names[input->scope]);
    }
}

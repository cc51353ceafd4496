/* Expression: from the genome's graph to a body and a wired brain. Shared by all kinds of body: the
 * kind tells the size of a part, its place and its joint (phenotype_grow.h).
 *
 * Sizes: up to creature.parts_max parts (default 16, at most 64) and creature.neurons_max neurons;
 * a few microseconds for a usual genome, once per evaluation. Work is bounded for every genome:
 * each part looks twice at each connection (at most 96), and there are at most parts_max parts.
 *
 * Four passes, each over the result of the one before: parts, what joins them, neurons, wires.
 *
 * 1. Parts. Depth first from the root, connections in table order. The count of a gene is its
 *    number of occurrences on the path from the root to here, the part itself included. An ordinary
 *    connection is followed while the count of its target is below the target's recursive limit. A
 *    part none of whose ordinary connections passes that test (or that has none) is exhausted, and
 *    only then are its terminal-only connections followed, under the same test of their own
 *    targets. Parts beyond parts_max or depth_max are not made, nor parts for which their kind
 *    finds no room; they do not make their parent exhausted.
 *
 *    Symmetry: among the connections of one gene to one symmetric gene, in table order, the 2nd,
 *    4th, ... are images of the one before them. They take all of its placement and keep only their
 *    id and their terminal-only flag. With creature.twins one that has no image after it grows its
 *    own: the part, its image, and then what hangs on each. Which axis is mirrored is for the kind
 *    to say.
 * 2. What joins the parts, drives and shapes: the kind's.
 * 3. Neurons: the central set, then part by part the neurons of its gene, in table order. A
 *    neuron's instance is therefore found as the first of its part plus its rank among its owner's
 *    genes.
 * 4. Wires: references become instances; one that finds nothing becomes the constant 0. */
#include "common/growth/phenotype_grow.h"

#include <string.h>

#include "common/growth/body.h"
#include "common/error.h"
#include "common/genome/body_kind.h"
#include "common/math/detmath.h"

/* Answers of find_source_part() besides a part. */
enum { SOURCE_CENTRAL = -1, SOURCE_NONE = -2 };

/* ---- pass 1: parts ---- */

/* Rows for ids, and for each connection to a symmetric gene whether it is an image and of which. */
static void prepare_branches(struct grower *grower)
{
    const struct genome *genome = grower->genome;
    for (int i = 0; i < genome->connection_count; i++) {
        struct branch *branch = &grower->branches[i];
        branch->from_row = genome_find_body(genome, genome->connections[i].from);
        branch->to_row = genome_find_body(genome, genome->connections[i].to);
        branch->placement_row = i;
        branch->is_image = branch->has_twin = 0;
        if (!genome->bodies[branch->to_row].is_symmetric || genome->connections[i].brace)
            continue;

        /* The nearest earlier connection between the same genes: the partner, if no image
         * itself. */
        int j = i - 1;
        while (j >= 0 &&
               (grower->branches[j].from_row != branch->from_row ||
                grower->branches[j].to_row != branch->to_row || genome->connections[j].brace))
            j--;
        if (j >= 0 && !grower->branches[j].is_image) {
            branch->placement_row = j;
            branch->is_image = 1;
            grower->branches[j].has_twin = 0;
        } else {
            branch->has_twin = grower->params->creature_twins;
        }
    }
}

/* 1 if a connection may grow another part of its target. */
static int is_open(const struct grower *grower, int row)
{
    int target = grower->branches[row].to_row;
    return !grower->genome->connections[row].brace &&
           grower->counts[target] < grower->genome->bodies[target].recursive_limit;
}

/* 1 if recursive limits forbid every ordinary connection of a gene. */
static int is_exhausted(const struct grower *grower, int body_row)
{
    const struct genome *genome = grower->genome;
    for (int i = 0; i < genome->connection_count; i++) {
        const struct branch *branch = &grower->branches[i];
        if (branch->from_row == body_row && !genome->connections[i].is_terminal_only &&
            is_open(grower, i))
            return 0;
    }
    return 1;
}

/* Appends a part of a gene. `connection` is -1 for the root. Returns its index, or -1 if there is
 * no room. */
static int add_part(struct grower *grower, int parent, int connection, int is_image)
{
    const struct genome *genome = grower->genome;
    int index = grower->phenotype->part_count++;
    struct part *part = &grower->phenotype->parts[index];
    struct growth *growth = &grower->growths[index];
    *growth = (struct growth){.body_row = genome_find_body(genome, genome->root),
                              .connection_row = connection,
                              .scale = 1.0,
                              .is_image = is_image};
    *part = (struct part){.parent = parent, .mirror = 1};
    if (connection >= 0) {
        const struct branch *branch = &grower->branches[connection];
        growth->body_row = branch->to_row;
        growth->scale =
            grower->growths[parent].scale * genome->connections[branch->placement_row].scale;
        part->via = genome->connections[connection].id;
        part->depth = grower->phenotype->parts[parent].depth + 1;
    }

    part->body = genome->bodies[growth->body_row].id;
    grower->growth->place(grower, index);
    if (!grower->growth->has_room || grower->growth->has_room(grower, index))
        return index;
    grower->phenotype->part_count--;
    return -1;
}

/* Appends what a connection grows on a part: parts[0], and its twin parts[1]; -1: it is not
 * made. */
static void add_parts(struct grower *grower, int parent, int connection, int parts[2])
{
    const struct branch *branch = &grower->branches[connection];
    parts[0] = add_part(grower, parent, connection, branch->is_image);
    parts[1] =
        branch->has_twin && parts[0] >= 0 && grower->phenotype->part_count < grower->parts_max
            ? add_part(grower, parent, connection, 1)
            : -1;
}

/* Grows what hangs on a part, nothing on one that was not made (-1). Nested at most depth_max
 * deep. */
static void grow_children(struct grower *grower, int part)
{
    const struct genome *genome = grower->genome;
    struct phenotype *phenotype = grower->phenotype;
    if (part < 0 || phenotype->parts[part].depth + 1 >= grower->params->creature_depth_max)
        return;
    int row = grower->growths[part].body_row;
    grower->counts[row]++;
    int is_terminal = is_exhausted(grower, row);

    for (int i = 0; i < genome->connection_count && phenotype->part_count < grower->parts_max;
         i++) {
        const struct branch *branch = &grower->branches[i];
        if (branch->from_row == row && !genome->connections[i].is_terminal_only == !is_terminal &&
            is_open(grower, i)) {
            int parts[2];
            add_parts(grower, part, i, parts);
            grow_children(grower, parts[0]);
            grow_children(grower, parts[1]);
        }
    }
    grower->counts[row]--;
}

/* ---- pass 3: neurons ---- */

/* Ranks the neurons within their owners, and numbers the first instance of each part. Returns how
 * many instances there would be without a bound: at most (parts_max + 1) GENOME_NEURONS_MAX. */
static int number_neurons(struct grower *grower)
{
    const struct genome *genome = grower->genome;
    int owned[GENOME_BODIES_MAX] = {0};
    int total;
    grower->central_count = 0;
    for (int i = 0; i < genome->neuron_count; i++) {
        gene_id owner = genome->neurons[i].owner;
        grower->ranks[i] =
            owner == 0 ? grower->central_count++ : owned[genome_find_body(genome, owner)]++;
    }
    total = grower->central_count;
    for (int i = 0; i < grower->phenotype->part_count; i++) {
        grower->growths[i].first_neuron = total;
        total += owned[grower->growths[i].body_row];
    }
    return total;
}

/* By how much a copy of a neuron in a part begins later, turns in [0, 1). */
static double find_lag(const struct phenotype *phenotype, int part, const struct neuron_gene *gene)
{
    const struct part *parts = phenotype->parts;
    double lag = part >= 0 && parts[part].mirror < 0 ? gene->lag_image : 0;
    for (int up = part < 0 ? -1 : parts[part].parent; up >= 0; up = parts[up].parent)
        lag += parts[up].body == parts[part].body ? gene->lag_row : 0;
    return lag - det_floor(lag);
}

/* Appends the neurons of a part (-1: of the central set) until the table has `limit`. */
static void add_neurons(struct grower *grower, int part, int limit)
{
    const struct genome *genome = grower->genome;
    struct phenotype *phenotype = grower->phenotype;
    gene_id owner = part < 0 ? 0 : phenotype->parts[part].body;

    for (int i = 0; i < genome->neuron_count && phenotype->neuron_count < limit; i++) {
        const struct neuron_gene *gene = &genome->neurons[i];
        if (gene->owner != owner)
            continue;
        struct neuron *neuron = &phenotype->neurons[phenotype->neuron_count++];
        neuron->gene = gene->id;
        neuron->part = part;
        neuron->function = gene->function;
        neuron->lag_turns = find_lag(phenotype, part, gene);
        neuron->initial = gene->initial - neuron->lag_turns;
        neuron->initial += neuron->initial < 0;
    }
}

/* ---- pass 4: wires ---- */

/* The part a reference means, seen from a reader's part (-1: central set). */
static int find_source_part(const struct phenotype *phenotype, int reader,
                            const struct input_gene *input)
{
    switch (input->scope) {
    case SCOPE_CENTRAL:
        return SOURCE_CENTRAL;
    case SCOPE_OWN:
        return reader >= 0 ? reader : SOURCE_NONE;
    case SCOPE_PARENT:
        return reader > 0 ? phenotype->parts[reader].parent : SOURCE_NONE;
    case SCOPE_CHILD:
        for (int i = reader + 1; reader >= 0 && i < phenotype->part_count; i++)
            if (phenotype->parts[i].parent == reader && phenotype->parts[i].via == input->via)
                return i;
        return SOURCE_NONE;
    case SCOPE_PART:
        for (int i = 0; i < phenotype->part_count; i++)
            if (phenotype->parts[i].body == input->via)
                return i;
        return SOURCE_NONE;
    default:
        return SOURCE_NONE;
    }
}

/* The instance of a neuron gene in a part (SOURCE_CENTRAL: in the central set), or -1. */
static int find_instance(const struct grower *grower, int part, gene_id gene)
{
    int row = genome_find_neuron(grower->genome, gene);
    gene_id owner = part == SOURCE_CENTRAL ? 0 : grower->phenotype->parts[part].body;

    if (row < 0 || grower->genome->neurons[row].owner != owner)
        return -1;
    int first = part == SOURCE_CENTRAL ? 0 : grower->growths[part].first_neuron;
    int index = first + grower->ranks[row];
    return index < grower->phenotype->neuron_count ? index : -1;
}

/* Resolves an input as read by a part (-1: by the central set). */
static struct wire make_wire(const struct grower *grower, int reader,
                             const struct input_gene *input)
{
    const struct phenotype *phenotype = grower->phenotype;
    struct wire wire = {.kind = WIRE_CONSTANT};
    if (input->kind == INPUT_CONSTANT) {
        wire.value = input->value * input->weight;
        return wire;
    }
    int part = find_source_part(phenotype, reader, input);
    if (part == SOURCE_NONE)
        return wire;

    if (input->kind == INPUT_NEURON) {
        int index = find_instance(grower, part, input->source);
        if (index >= 0)
            wire = (struct wire){.kind = WIRE_NEURON, .index = index, .weight = input->weight};
    } else if (part >= 0 && phenotype->parts[part].sensors & SENSOR_BIT(input->sensor)) {
        wire = (struct wire){
            .kind = WIRE_SENSOR, .index = part, .sensor = input->sensor, .weight = input->weight};
    }
    return wire;
}

static void wire_neurons(struct grower *grower)
{
    struct phenotype *phenotype = grower->phenotype;
    for (int i = 0; i < phenotype->neuron_count; i++) {
        struct neuron *neuron = &phenotype->neurons[i];
        int row = genome_find_neuron(grower->genome, neuron->gene);
        for (int k = 0; k < neuron_functions[neuron->function].input_count; k++)
            neuron->inputs[k] =
                make_wire(grower, neuron->part, &grower->genome->neurons[row].inputs[k]);
    }
}

static void wire_effectors(struct grower *grower)
{
    struct phenotype *phenotype = grower->phenotype;
    for (int i = 0; i < phenotype->effector_count; i++) {
        struct effector *effector = &phenotype->effectors[i];
        int reader;
        const struct input_gene *input =
            grower->growth->find_input(grower, effector->drive, &reader);
        effector->input = make_wire(grower, reader, input);
    }
}

static const struct emitter_gene *emitter_gene_of(const struct grower *grower, int part, int kind)
{
    return &grower->genome->bodies[grower->growths[part].body_row].emitters[kind];
}

/* Adds the emitters of all parts that are switched on. */
static int add_emitters(struct grower *grower, struct arena *arena)
{
    struct phenotype *phenotype = grower->phenotype;
    int room = phenotype->part_count * emitter_count_on(grower->params);
    phenotype->emitters = arena_take(arena, (size_t)room, sizeof *phenotype->emitters);
    for (int i = 0; phenotype->emitters && room > 0 && i < phenotype->part_count; i++)
        for (int k = 0; k < EMITTER_COUNT; k++)
            if (emitter_is_on(k, grower->params) && emitter_gene_of(grower, i, k)->is_there)
                phenotype->emitters[phenotype->emitter_count++] =
                    (struct emitter){.part = i, .kind = k};
    return phenotype->emitters ? 0 : ERR_MEMORY;
}

static void wire_emitters(struct grower *grower)
{
    for (int i = 0; i < grower->phenotype->emitter_count; i++) {
        struct emitter *emitter = &grower->phenotype->emitters[i];
        emitter->input = make_wire(grower, emitter->part,
                                   &emitter_gene_of(grower, emitter->part, emitter->kind)->input);
    }
}

static void build_brain(struct grower *grower, int neuron_limit)
{
    add_neurons(grower, -1, neuron_limit);
    for (int i = 0; i < grower->phenotype->part_count; i++)
        add_neurons(grower, i, neuron_limit);
    wire_neurons(grower);
    wire_effectors(grower);
    wire_emitters(grower);
}

/* ---- the whole ---- */

int phenotype_take_tables(struct phenotype *phenotype, struct arena *arena, int drive_count,
                          int effector_count, int shape_count)
{
    phenotype->drive_count = drive_count;
    phenotype->effector_count = effector_count;
    phenotype->shape_count = shape_count;
    phenotype->drives = arena_take(arena, (size_t)drive_count, sizeof *phenotype->drives);
    phenotype->effectors = arena_take(arena, (size_t)effector_count, sizeof *phenotype->effectors);
    phenotype->shapes = arena_take(arena, (size_t)shape_count, sizeof *phenotype->shapes);
    return phenotype->drives && phenotype->effectors && phenotype->shapes ? 0 : ERR_MEMORY;
}

void phenotype_make_shape(struct phenotype *phenotype, int part, struct vec3 half_m)
{
    int is_ball = phenotype->parts[part].shape == PART_DISK;
    phenotype->shapes[part] = (struct shape){.kind = is_ball ? SHAPE_BALL : SHAPE_BOX,
                                             .part = part,
                                             .other = -1,
                                             .drive = phenotype_find_drive(phenotype, part, 1),
                                             .turn.w = 1,
                                             .half_m = half_m};
}

void grow_slide_limits(const struct grower *grower, struct body_link *link, double longest_m)
{
    const struct body_gene *gene = gene_of(grower, link->part);
    double side_m = grower->params->creature_side_max_m;
    double most = grower->params->creature_extension_max * longest_m;
    most = most > 0 && most < side_m ? most : side_m;
    link->scale = grower->growths[link->part].scale;
    link->lower[0] = clamp(gene->lower * link->scale, -most, 0);
    link->upper[0] = clamp(gene->upper * link->scale, 0, most);
}

void grow_turn_limits(struct body_link *link, int k, double lower, double upper)
{
    link->lower[k] = link->sign[k] < 0 ? 0.0 - upper : lower;
    link->upper[k] = link->sign[k] < 0 ? 0.0 - lower : upper;
}

static int find_head(const struct grower *grower)
{
    const struct phenotype *phenotype = grower->phenotype;
    for (int i = 0; i < phenotype->part_count; i++)
        if (grower->genome->bodies[grower->growths[i].body_row].is_head)
            return i;
    return grower->growth->find_head ? grower->growth->find_head(phenotype) : 0;
}

int phenotype_express(struct phenotype *phenotype, const struct genome *genome,
                      const struct params *params, struct arena *arena)
{
    /* the long tables in it are filled before they are read */
    struct grower grown, *grower = &grown;
    int parts_max = (int)params->creature_parts_max;

    memset(phenotype, 0, sizeof *phenotype);
    phenotype->kind = genome->kind;
    grower->genome = genome;
    grower->params = params;
    grower->phenotype = phenotype;
    grower->growth = body_kinds[genome->kind].growth;
    grower->parts_max = parts_max;
    grower->own = NULL;
    memset(grower->counts, 0, sizeof grower->counts);
    grower->growths = arena_take_unset(arena, (size_t)parts_max, sizeof *grower->growths);
    phenotype->parts = arena_take_unset(arena, (size_t)parts_max, sizeof *phenotype->parts);
    if (!grower->growths || !phenotype->parts || grower->growth->begin(grower, arena))
        goto full;
    prepare_branches(grower);
    grow_children(grower, add_part(grower, -1, -1, 0));

    if (grower->growth->join(grower, arena))
        goto full;
    for (int i = 0; i < phenotype->part_count; i++)
        phenotype->mass_kg += phenotype->parts[i].mass_kg;
    phenotype->head = find_head(grower);

    /* Neurons, and the wires of neurons and effectors. */
    int neuron_limit = number_neurons(grower);
    if (neuron_limit > params->creature_neurons_max)
        neuron_limit = (int)params->creature_neurons_max;
    phenotype->neurons = arena_take(arena, (size_t)neuron_limit, sizeof *phenotype->neurons);
    if (!phenotype->neurons || add_emitters(grower, arena))
        goto full;
    build_brain(grower, neuron_limit);

    return phenotype->part_count < params->creature_parts_min ? VERDICT_NOT_EXPRESSED : VERDICT_OK;

full:
    memset(phenotype, 0, sizeof *phenotype);
    return VERDICT_MEMORY;
}

static void check_wire(const struct phenotype *p, const struct wire *wire)
{
    int count = wire->kind == WIRE_NEURON   ? p->neuron_count
                : wire->kind == WIRE_SENSOR ? p->part_count
                                            : 1;
    ENSURE(wire->kind >= WIRE_CONSTANT && wire->kind <= WIRE_SENSOR, "a wire of kind %d",
           wire->kind);
    ENSURE(wire->kind == WIRE_CONSTANT || (wire->index >= 0 && wire->index < count),
           "a wire to number %d of %d", wire->index, count);
    ENSURE(wire->kind != WIRE_SENSOR || (wire->sensor >= 0 && wire->sensor < SENSOR_COUNT),
           "a wire to sensor %d", wire->sensor);
}

static void check_part(const struct phenotype *p, int i)
{
    const struct part *part = &p->parts[i];
    ENSURE(part->parent >= -1 && part->parent < i, "part %d hangs on part %d", i, part->parent);
    int links = p->body ? p->body->link_count : p->piece_count;
    ENSURE(part->link == 0 || (part->link > 0 && part->link < links), "part %d is of link %d of %d",
           i, part->link, links);
    ENSURE(!(part->mass_kg < 0), "part %d has a mass of %g kg", i, part->mass_kg);
}

static void check_link(const struct body *body, int i)
{
    const struct body_link *link = &body->links[i];
    ENSURE(link->parent >= -1 && link->parent < i, "link %d hangs on link %d", i, link->parent);
    ENSURE(link->kind >= LINK_RIGID && link->kind < LINK_JOINT_COUNT, "link %d has joint %d", i,
           (int)link->kind);
    ENSURE(i == 0 || !(link->lower[0] > link->upper[0]), "joint %d has limits %g to %g", i,
           link->lower[0], link->upper[0]);
    ENSURE(!(link->mass_kg < 0) || body_is_fixed(body), "link %d has a mass of %g kg", i,
           link->mass_kg);
}

static void check_drive(const struct phenotype *p, int i)
{
    const struct drive *drive = &p->drives[i];
    /* scenes may have links without parts */
    ENSURE(drive->part >= 0 && (drive->part < p->part_count || p->part_count == 0),
           "drive %d is of part %d of %d", i, drive->part, p->part_count);
    ENSURE(drive->axis >= 0 && drive->axis < 3, "drive %d is freedom %d", i, drive->axis);
    ENSURE(!(drive->lower > drive->upper), "drive %d has limits %g to %g", i, drive->lower,
           drive->upper);
    ENSURE(!(drive->least > drive->most), "drive %d takes signals from %g to %g", i, drive->least,
           drive->most);
    ENSURE(!(drive->strength < 0), "drive %d has a strength of %g", i, drive->strength);
}

static void check_counts(const struct phenotype *p)
{
    ENSURE(p->kind >= 0 && p->kind < body_kind_count, "a body of kind %d", p->kind);
    ENSURE(p->part_count >= 0 && (p->part_count == 0 || p->parts), "%d parts", p->part_count);
    ENSURE(p->first_drive >= 0 && p->first_drive <= p->drive_count, "drives %d to %d",
           p->first_drive, p->drive_count);
    ENSURE(p->effector_count >= 0 && p->effector_count <= p->drive_count,
           "%d effectors of %d drives", p->effector_count, p->drive_count);
    ENSURE(p->neuron_count >= 0 && (p->neuron_count == 0 || p->neurons), "%d neurons",
           p->neuron_count);
}

void phenotype_check(const struct phenotype *p)
{
    check_counts(p);
    for (int i = p->first_drive; i < p->drive_count; i++)
        check_drive(p, i);
    for (int i = 0; i < p->part_count; i++)
        check_part(p, i);
    for (int i = 0; p->body && i < p->body->link_count; i++)
        check_link(p->body, i);
    for (int i = 0; i < p->effector_count; i++) {
        int drive = p->effectors[i].drive, before = i > 0 ? p->effectors[i - 1].drive : -1;
        ENSURE(drive > before && drive < p->drive_count, "effector %d moves drive %d of %d", i,
               drive, p->drive_count);
        check_wire(p, &p->effectors[i].input);
    }
    for (int i = 0; i < p->emitter_count; i++) {
        ENSURE(p->emitters[i].part >= 0 && p->emitters[i].part < p->part_count,
               "emitter %d is of part %d of %d", i, p->emitters[i].part, p->part_count);
        check_wire(p, &p->emitters[i].input);
    }
    for (int i = 0; i < p->neuron_count; i++)
        for (int k = 0; k < NEURON_INPUTS_MAX; k++)
            check_wire(p, &p->neurons[i].inputs[k]);
}

int phenotype_find_drive(const struct phenotype *phenotype, int part, int is_stretch)
{
    for (int i = phenotype->first_drive; i < phenotype->drive_count; i++)
        if (phenotype->drives[i].part == part && !phenotype->drives[i].is_stretch == !is_stretch)
            return i;
    return -1;
}

int phenotype_is_neighbour(const struct phenotype *phenotype, int a, int b)
{
    const struct part *parts = phenotype->parts;
    if (phenotype->meetings && phenotype->meetings[a * phenotype->part_count + b] == PAIR_PASS)
        return 1;
    return parts[a].link == parts[b].link || parts[a].parent == b || parts[b].parent == a;
}

int phenotype_is_fixed(const struct phenotype *phenotype, int part)
{
    return phenotype->body && body_is_fixed(phenotype->body) && phenotype->parts[part].link == 0;
}

int phenotype_express_mirrored(struct phenotype *phenotype, const struct genome *genome,
                               const struct params *params, struct arena *arena)
{
    const struct body_growth *growth = body_kinds[genome->kind].growth;
    int verdict = phenotype_express(phenotype, genome, params, arena);
    if (verdict == VERDICT_OK && growth->mirror)
        growth->mirror(phenotype);
    return verdict;
}

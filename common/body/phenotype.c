/* Expression: from the genome's graph to a tree of rectangles, links and a wired brain; and what spheres
 * share with them (see phenotype_grow.h): passes 1, 3 and 4 but for the places of the parts.
 *
 * Sizes: up to creature.parts_max parts (default 16, at most 64) and creature.neurons_max neurons;
 * a few microseconds for a usual genome, once per evaluation. Work is bounded for every genome:
 * each part looks twice at each connection (at most 96), and there are at most parts_max parts.
 *
 * Four passes, each over the result of the one before: bodies, links, neurons, wires.
 *
 * 1. Bodies. Depth first from the root, connections in table order. The count of a gene is its number
 *    of occurrences on the path from the root to here, the part itself included. An ordinary
 *    connection is followed while the count of its target is below the target's recursive limit. A
 *    part none of whose ordinary connections passes that test (or that has none) is exhausted, and
 *    only then are its terminal-only connections followed, under the same test of their own targets.
 *    Parts beyond parts_max or depth_max are not made; they do not make their parent exhausted.
 *
 *    Size: the gene's sides times the product of the connections' scales on the path; each side is
 *    clamped to side_min_m .. side_max_m, then the shorter one is widened to longer / aspect_max.
 *
 *    Placement: R(t) is the turn by t, m the mirror flag of a part (gene frame to part frame: y times
 *    m), f the face (outward normal at f quarter turns in the gene frame), p, c parent and child:
 *        normal of the parent's face  =  opposite of the child's, turned by angle_rad:
 *        t_c + m_c f_c pi/2  =  t_p + m_p f_p pi/2 + pi + m_c angle_rad
 *        anchor  =  centre_p + R(t_p) diag(1, m_p) point_p  =  centre_c + R(t_c) diag(1, m_c) point_c
 *    An angle is kept as a whole number of quarter turns and a rest, so that quarters are exact.
 *
 *    Reflection: m_c = -m_p for a reflected connection, else m_c = m_p; everything the child's
 *    subtree inherits (turn, child's point, faces, limits) is read with the child's flag.
 *
 *    Symmetry: among the connections of one gene to one symmetric gene, in table order, the 2nd, 4th,
 *    ... are images of the one before them in the parent's gene-frame y axis (x to -x). They take
 *    all of its placement and keep only their id and their terminal-only flag. With D = diag(-1, 1):
 *    D R(t) diag(1, m) = R(pi - t) diag(1, -m), so the image has the flag -m_c and the turn pi - t
 *    against its parent. The formula above yields that when right and left exchange, the position on
 *    the parent is negated and m_c flips: (f_p + f_p') is then 2 (or 6) quarters, and all other
 *    terms change sign. The image's descendants follow with both flags flipped: an exact mirror image.
 *
 * 2. Links: a part with a joint that moves, or the root, begins a link; one with a rigid joint belongs
 *    to its parent's. Masses and inertias merge by the parallel axis theorem. The axis of a linear
 *    joint is the opposite of the normal of the child's attached face: straight out of the parent.
 * 3. Neurons: the central set, then part by part the neurons of its gene, in table order. A neuron's
 *    instance is therefore found as the first of its part plus its rank among its owner's genes.
 * 4. Wires: references become instances; one that finds nothing becomes the constant 0. */
#include "common/body/phenotype_grow.h"

#include <math.h>
#include <string.h>

#include "common/detmath.h"
#include "common/error.h"

/* Answers of find_source_part() besides a part. */
enum { SOURCE_CENTRAL = -1, SOURCE_NONE = -2 };

/* ---- geometry ---- */

/* The point of a face in the gene frame: position -1 .. 1 along it, counter-clockwise. */
static struct vec2 face_point(double width, double height, int face, double position)
{
    double x = 0.5 * width;
    double y = 0.5 * height;

    switch (face) {
    case FACE_RIGHT:
        return (struct vec2){x, position * y};
    case FACE_TOP:
        return (struct vec2){-position * x, y};
    case FACE_LEFT:
        return (struct vec2){-x, -position * y};
    default:
        return (struct vec2){position * x, -y};
    }
}

/* A vector of a part's gene frame, turned into the world. */
static struct vec2 gene_to_world(struct vec2 axis, int mirror, struct vec2 v)
{
    double y = mirror * v.y;

    return (struct vec2){axis.x * v.x - axis.y * y, axis.y * v.x + axis.x * y};
}

/* Cosine and sine of quarters pi/2 + rest_rad; exact for rest_rad = 0. */
static struct vec2 axis_of(int quarters, double rest_rad)
{
    double sine, cosine;

    det_sincos(rest_rad, &sine, &cosine);
    switch (quarters & 3) {
    case 0:
        return (struct vec2){cosine, sine};
    case 1:
        return (struct vec2){-sine, cosine};
    case 2:
        return (struct vec2){-cosine, -sine};
    default:
        return (struct vec2){sine, -cosine};
    }
}

static double clamp(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

static void develop_size(const struct params *params, const struct body_gene *body, double scale,
                         struct part *part)
{
    double low = params->creature_side_min_m;
    double high = params->creature_side_max_m;
    double width = clamp(body->width_m * scale, low, high);
    double height = clamp(body->height_m * scale, low, high);
    double shortest = (width > height ? width : height) / params->creature_aspect_max;

    part->width_m = width < shortest ? shortest : width;
    part->height_m = height < shortest ? shortest : height;
    part->cross_section_m = part->width_m < part->height_m ? part->width_m : part->height_m;
    part->mass_kg = params->creature_density_kg_m2 * part->width_m * part->height_m;
}

/* Outward normal of a face in the gene frame. */
static struct vec2 face_normal(int face)
{
    static const struct vec2 normals[FACE_COUNT] = {
        [FACE_RIGHT] = {1, 0}, [FACE_TOP] = {0, 1}, [FACE_LEFT] = {-1, 0}, [FACE_BOTTOM] = {0, -1}};

    return normals[face];
}

/* Sets mirror, angle, anchor and centre of a child whose size and parent are known. */
static void place_child(struct grower *grower, int child, const struct branch *branch)
{
    const struct connection_gene *gene = &grower->genome->connections[branch->placement_row];
    struct part *c = &grower->phenotype->parts[child];
    const struct part *p = &grower->phenotype->parts[c->parent];
    struct growth *cg = &grower->growths[child];
    const struct growth *pg = &grower->growths[c->parent];
    int face = gene->parent_face;
    double position = gene->parent_position;

    c->mirror = gene->is_reflected ? -p->mirror : p->mirror;
    if (branch->is_image) {
        c->mirror = -c->mirror;
        position = -position;
        face = face == FACE_RIGHT ? FACE_LEFT : face == FACE_LEFT ? FACE_RIGHT : face;
    }

    /* Quarter turns against the parent, -1 .. 2 as seen in the child's gene frame: mirror images get
     * opposite numbers. */
    int turn = c->mirror * (p->mirror * face + 2) - gene->child_face;
    cg->quarters = pg->quarters + c->mirror * (((turn + 1) & 3) - 1);
    cg->rest_rad = pg->rest_rad + c->mirror * gene->angle_rad;
    cg->axis = axis_of(cg->quarters, cg->rest_rad);
    c->angle_rad = cg->quarters * (0.5 * DET_PI) + cg->rest_rad;

    /* Both face points meet at the anchor. */
    struct vec2 out =
        gene_to_world(pg->axis, p->mirror, face_point(p->width_m, p->height_m, face, position));
    struct vec2 in =
        gene_to_world(cg->axis, c->mirror,
                      face_point(c->width_m, c->height_m, gene->child_face, gene->child_position));
    c->anchor = (struct vec2){p->centre.x + out.x, p->centre.y + out.y};
    c->centre = (struct vec3){c->anchor.x - in.x, c->anchor.y - in.y, 0};

    struct vec2 back = gene_to_world(cg->axis, c->mirror, face_normal(gene->child_face));
    cg->out = (struct vec2){0.0 - back.x, 0.0 - back.y};
}

/* ---- pass 1: bodies ---- */

/* Rows for ids, and for each connection to a symmetric gene whether it is an image and of which. */
static void prepare_branches(struct grower *grower)
{
    const struct genome *genome = grower->genome;

    for (int i = 0; i < genome->connection_count; i++) {
        struct branch *branch = &grower->branches[i];
        branch->from_row = genome_find_body(genome, genome->connections[i].from);
        branch->to_row = genome_find_body(genome, genome->connections[i].to);
        branch->placement_row = i;
        branch->is_image = 0;
        if (!genome->bodies[branch->to_row].is_symmetric || genome->connections[i].bone.brace)
            continue;

        /* The nearest earlier connection between the same genes: the partner, if no image itself. */
        int j = i - 1;
        while (j >= 0 &&
               (grower->branches[j].from_row != branch->from_row ||
                grower->branches[j].to_row != branch->to_row || genome->connections[j].bone.brace))
            j--;
        if (j >= 0 && !grower->branches[j].is_image) {
            branch->placement_row = j;
            branch->is_image = 1;
        }
    }
}

/* 1 if a connection may grow another part of its target. */
static int is_open(const struct grower *grower, int row)
{
    int target = grower->branches[row].to_row;

    return !grower->genome->connections[row].bone.brace &&
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

/* Appends a part of a gene. `connection` is -1 for the root. Returns its index. */
static int add_part(struct grower *grower, int parent, int connection)
{
    const struct genome *genome = grower->genome;
    int index = grower->phenotype->part_count++;
    struct part *part = &grower->phenotype->parts[index];
    struct growth *growth = &grower->growths[index];

    growth->connection_row = connection;
    growth->scale = 1.0;
    growth->axis = (struct vec2){1.0, 0.0};
    growth->body_row = genome_find_body(genome, genome->root);
    part->parent = parent;
    part->mirror = 1;
    if (connection >= 0) {
        const struct branch *branch = &grower->branches[connection];
        growth->body_row = branch->to_row;
        growth->scale =
            grower->growths[parent].scale * genome->connections[branch->placement_row].scale;
        part->via = genome->connections[connection].id;
        part->depth = grower->phenotype->parts[parent].depth + 1;
    }

    const struct body_gene *body = &genome->bodies[growth->body_row];
    part->body = body->id;
    if (grower->spheres) {
        phenotype_place_sphere(grower, index);
        return index;
    }
    develop_size(grower->params, body, growth->scale, part);
    if (connection >= 0)
        place_child(grower, index, &grower->branches[connection]);

    /* Only a joint that moves can be felt. */
    part->sensors = body->sensors;
    if (connection < 0 || body->joint == JOINT_RIGID)
        part->sensors &= ~(SENSOR_BIT(SENSOR_JOINT) | SENSOR_BIT(SENSOR_JOINT_RATE));
    return index;
}

/* Grows what hangs on a part. Nested at most depth_max deep. */
static void grow_children(struct grower *grower, int part)
{
    const struct genome *genome = grower->genome;
    struct phenotype *phenotype = grower->phenotype;
    int row = grower->growths[part].body_row;

    if (phenotype->parts[part].depth + 1 >= grower->params->creature_depth_max)
        return;
    grower->counts[row]++;
    int is_terminal = is_exhausted(grower, row);

    for (int i = 0; i < genome->connection_count && phenotype->part_count < grower->parts_max;
         i++) {
        const struct branch *branch = &grower->branches[i];
        if (branch->from_row == row && !genome->connections[i].is_terminal_only == !is_terminal &&
            is_open(grower, i))
            grow_children(grower, add_part(grower, part, i));
    }
    grower->counts[row]--;
}

/* ---- pass 2: links ---- */

/* How far a part may slide: as far as there is something to slide in or to slide out of. */
static double extension_limit(const struct grower *grower, int index)
{
    const struct params *params = grower->params;
    const struct part *part = &grower->phenotype->parts[index];
    const struct part *parent = &grower->phenotype->parts[part->parent];
    double own = part->width_m > part->height_m ? part->width_m : part->height_m;
    double other = parent->width_m > parent->height_m ? parent->width_m : parent->height_m;
    double most = params->creature_extension_max * (own > other ? own : other);

    return most > 0 && most < params->creature_side_max_m ? most : params->creature_side_max_m;
}

/* Kind and limits of a part's joint. A mirrored part turns the other way, but slides out as any other;
 * how far, goes by its scale, and not further than the body's sides allow. */
static void set_joint(const struct grower *grower, struct link *link, int index)
{
    const struct body_gene *body = &grower->genome->bodies[grower->growths[index].body_row];

    if (body->joint == JOINT_LINEAR) {
        double most = extension_limit(grower, index);

        link->joint_kind = LINK_LINEAR;
        link->axis = grower->growths[index].out;
        link->scale = grower->growths[index].scale;
        link->lower = clamp(body->lower * link->scale, -most, 0);
        link->upper = clamp(body->upper * link->scale, 0, most);
        return;
    }
    link->mirror = grower->phenotype->parts[index].mirror;
    link->lower = link->mirror > 0 ? body->lower : 0.0 - body->upper;
    link->upper = link->mirror > 0 ? body->upper : 0.0 - body->lower;
}

/* The greatest torque or force of a part's joint, in proportion to the larger cross-section. */
static double joint_strength(const struct grower *grower, const struct link *link,
                             const struct body_gene *body)
{
    const struct part *part = &grower->phenotype->parts[link->part];
    const struct part *parent = &grower->phenotype->parts[link->parent_part];
    double section = part->cross_section_m > parent->cross_section_m ? part->cross_section_m
                                                                     : parent->cross_section_m;
    double strength = link->joint_kind == LINK_LINEAR ? grower->params->creature_linear_strength_n_m
                                                      : grower->params->creature_strength_n;

    return strength * section * body->effector_strength;
}

/* Begins the link of a part: its joint, limits and strength. */
static void add_link(struct grower *grower, int index)
{
    struct phenotype *phenotype = grower->phenotype;
    struct part *part = &phenotype->parts[index];
    struct link *link = &phenotype->links[phenotype->link_count];

    part->link = phenotype->link_count++;
    link->part = index;
    link->parent = -1;
    link->parent_part = part->parent;
    link->mirror = 1;
    link->scale = 1.0;
    if (part->parent < 0)
        return;

    const struct body_gene *body = &grower->genome->bodies[grower->growths[index].body_row];
    link->parent = phenotype->parts[part->parent].link;
    set_joint(grower, link, index);
    link->has_effector = body->has_effector;
    if (link->has_effector) {
        link->strength = joint_strength(grower, link, body);
        phenotype->effector_count++;
    }
}

/* World position at birth of a link's origin: the anchor of its first part (the root's is its centre,
 * the world's origin). */
static struct vec2 link_origin(const struct phenotype *phenotype, int link)
{
    return phenotype->parts[phenotype->links[link].part].anchor;
}

/* Mass, centre and inertia of all links from their parts. */
static void weigh_links(struct phenotype *phenotype)
{
    for (int i = 0; i < phenotype->part_count; i++) {
        const struct part *part = &phenotype->parts[i];
        struct link *link = &phenotype->links[part->link];
        link->mass_kg += part->mass_kg;
        link->centre.x += part->mass_kg * part->local.x;
        link->centre.y += part->mass_kg * part->local.y;
        phenotype->mass_kg += part->mass_kg;
    }
    for (int i = 0; i < phenotype->link_count; i++) {
        struct link *link = &phenotype->links[i];
        link->centre.x /= link->mass_kg;
        link->centre.y /= link->mass_kg;
    }
    for (int i = 0; i < phenotype->part_count; i++) {
        const struct part *part = &phenotype->parts[i];
        struct link *link = &phenotype->links[part->link];
        double w = part->width_m;
        double h = part->height_m;
        double x = part->local.x - link->centre.x;
        double y = part->local.y - link->centre.y;
        link->inertia_kg_m2 += part->mass_kg * ((w * w + h * h) / 12.0 + (x * x + y * y));
    }
}

static void build_links(struct grower *grower)
{
    struct phenotype *phenotype = grower->phenotype;

    for (int i = 0; i < phenotype->part_count; i++) {
        struct part *part = &phenotype->parts[i];
        const struct body_gene *body = &grower->genome->bodies[grower->growths[i].body_row];
        if (i == 0 || body->joint != JOINT_RIGID)
            add_link(grower, i);
        else
            part->link = phenotype->parts[part->parent].link;

        struct vec2 origin = link_origin(phenotype, part->link);
        part->local = (struct vec2){part->centre.x - origin.x, part->centre.y - origin.y};
        part->local_angle_rad = part->angle_rad;
    }
    for (int i = 1; i < phenotype->link_count; i++) {
        struct link *link = &phenotype->links[i];
        struct vec2 at = link_origin(phenotype, i);
        struct vec2 origin = link_origin(phenotype, link->parent);
        link->joint = (struct vec2){at.x - origin.x, at.y - origin.y};
    }
    weigh_links(phenotype);
}

/* One drive a link, since the solver counts so. A part's own frame turns with its mirror, but what slides goes by the scale: the gene's signal
 * times both is the angle or extension in the world. */
static void make_drives(struct grower *grower)
{
    const struct phenotype *phenotype = grower->phenotype;
    int is_torque = grower->params->creature_effector_mode == EFFECTOR_TORQUE;

    for (int i = 0; i < phenotype->link_count; i++) {
        const struct link *link = &phenotype->links[i];
        double unit = link->mirror * (is_torque ? 1 : link->scale);
        double at_lower = is_torque ? -1 : link->lower / unit;
        double at_upper = is_torque ? 1 : link->upper / unit;
        phenotype->drives[i] = (struct drive){.part = link->part,
                                              .is_linear = link->joint_kind == LINK_LINEAR,
                                              .lower = link->lower,
                                              .upper = link->upper,
                                              .strength = link->strength,
                                              .unit = unit,
                                              .least = fmin(at_lower, at_upper),
                                              .most = fmax(at_lower, at_upper)};
    }
}

static void make_shapes(struct phenotype *phenotype)
{
    for (int i = 0; i < phenotype->part_count; i++) {
        const struct part *part = &phenotype->parts[i];
        phenotype->shapes[i] = (struct shape){.kind = SHAPE_BOX,
                                              .part = i,
                                              .other = -1,
                                              .drive = -1,
                                              .turn.w = 1,
                                              .half_m = {part->width_m / 2, part->height_m / 2, 0}};
    }
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
        neuron->initial = gene->initial;
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

struct wire phenotype_make_wire(const struct grower *grower, int reader,
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
                phenotype_make_wire(grower, neuron->part, &grower->genome->neurons[row].inputs[k]);
    }
}

static void wire_effectors(struct grower *grower)
{
    struct phenotype *phenotype = grower->phenotype;
    struct effector *effector = phenotype->effectors;

    for (int i = 0; i < phenotype->link_count; i++) {
        int part = phenotype->links[i].part;
        if (!phenotype->links[i].has_effector)
            continue;
        const struct body_gene *body = &grower->genome->bodies[grower->growths[part].body_row];
        effector->drive = i;
        effector->input = phenotype_make_wire(grower, part, &body->effector_input);
        effector++;
    }
}

static void build_brain(struct grower *grower, int neuron_limit)
{
    add_neurons(grower, -1, neuron_limit);
    for (int i = 0; i < grower->phenotype->part_count; i++)
        add_neurons(grower, i, neuron_limit);
    wire_neurons(grower);
    if (grower->spheres)
        phenotype_wire_spheres(grower);
    else
        wire_effectors(grower);
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

/* What holds the parts of a kind together, drives and shapes. 0 or ERR_MEMORY. */
static int join_parts(struct grower *grower, struct arena *arena)
{
    struct phenotype *phenotype = grower->phenotype;

    if (grower->spheres)
        return phenotype_join_spheres(grower, arena);
    phenotype->links = arena_take(arena, (size_t)phenotype->part_count, sizeof *phenotype->links);
    if (!phenotype->links)
        return ERR_MEMORY;
    build_links(grower);
    if (phenotype_take_tables(phenotype, arena, phenotype->link_count, phenotype->effector_count,
                              phenotype->part_count))
        return ERR_MEMORY;
    make_drives(grower);
    make_shapes(phenotype);
    phenotype->first_drive = 1;
    phenotype->piece_count = phenotype->link_count;
    return 0;
}

int phenotype_express(struct phenotype *phenotype, const struct genome *genome,
                      const struct params *params, struct arena *arena)
{
    struct grower *grower = arena_take(arena, 1, sizeof *grower);
    int parts_max = (int)params->creature_parts_max;

    /* Bodies. */
    memset(phenotype, 0, sizeof *phenotype);
    phenotype->kind = genome->kind;
    if (!grower)
        goto full;
    grower->genome = genome;
    grower->params = params;
    grower->phenotype = phenotype;
    grower->parts_max = parts_max;
    grower->growths = arena_take(arena, (size_t)parts_max, sizeof *grower->growths);
    phenotype->parts = arena_take(arena, (size_t)parts_max, sizeof *phenotype->parts);
    if (!grower->growths || !phenotype->parts)
        goto full;
    if (genome->kind == BODY_SPHERES && phenotype_take_spheres(grower, arena))
        goto full;
    prepare_branches(grower);
    grow_children(grower, add_part(grower, -1, -1));

    if (join_parts(grower, arena))
        goto full;

    /* Neurons, and the wires of neurons and effectors. */
    int neuron_limit = number_neurons(grower);
    if (neuron_limit > params->creature_neurons_max)
        neuron_limit = (int)params->creature_neurons_max;
    phenotype->neurons = arena_take(arena, (size_t)neuron_limit, sizeof *phenotype->neurons);
    if (!phenotype->neurons)
        goto full;
    build_brain(grower, neuron_limit);

    return phenotype->part_count < params->creature_parts_min ? VERDICT_NOT_EXPRESSED : VERDICT_OK;

full:
    memset(phenotype, 0, sizeof *phenotype);
    return VERDICT_NOT_EXPRESSED;
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
    ENSURE(part->link == 0 || (part->link > 0 && part->link < p->link_count),
           "part %d is of link %d of %d", i, part->link, p->link_count);
    ENSURE(!(part->mass_kg < 0), "part %d has a mass of %g kg", i, part->mass_kg);
}

static void check_link(const struct phenotype *p, int i)
{
    const struct link *link = &p->links[i];
    ENSURE(i == 0 ? link->parent == -1 : link->parent >= 0 && link->parent < i,
           "link %d hangs on link %d", i, link->parent);
    ENSURE(i == 0 || !(link->lower > link->upper), "joint %d has limits %g to %g", i, link->lower,
           link->upper);
    ENSURE(!(link->mass_kg < 0) || p->is_root_fixed, "link %d has a mass of %g kg", i,
           link->mass_kg);
}

void phenotype_check(const struct phenotype *p)
{
    ENSURE(p->kind >= 0 && p->kind < BODY_KIND_COUNT, "a body of kind %d", p->kind);
    for (int i = 0; i < p->part_count; i++)
        check_part(p, i);
    for (int i = 0; i < p->link_count; i++)
        check_link(p, i);
    for (int i = 0; i < p->effector_count; i++) {
        int drive = p->effectors[i].drive, before = i > 0 ? p->effectors[i - 1].drive : -1;
        ENSURE(drive > before && drive < p->drive_count, "effector %d moves drive %d of %d", i,
               drive, p->drive_count);
        check_wire(p, &p->effectors[i].input);
    }
    for (int i = 0; i < p->neuron_count; i++)
        for (int k = 0; k < NEURON_INPUTS_MAX; k++)
            check_wire(p, &p->neurons[i].inputs[k]);
}

int phenotype_is_neighbour(const struct phenotype *phenotype, int a, int b)
{
    const struct part *parts = phenotype->parts;

    if (phenotype->passes && phenotype->passes[a * phenotype->part_count + b])
        return 1;
    return parts[a].link == parts[b].link || parts[a].parent == b || parts[b].parent == a;
}

int phenotype_is_fixed(const struct phenotype *phenotype, int part)
{
    return phenotype->is_root_fixed && phenotype->parts[part].link == 0;
}

int phenotype_is_own_contact(const struct phenotype *phenotype, int part, int other)
{
    return part >= 0 && other >= 0 && !phenotype_is_fixed(phenotype, part) &&
           !phenotype_is_fixed(phenotype, other);
}

/* The genetics that spheres and bones have of their own: random genes, and mutations of surfaces,
 * drives, muscles and braces.
 *
 * Bones that may turn freely make a heap of balls; only triangles stand. Random
 * genomes therefore have braces (spheres.initial_braces for each body gene), most of them to the
 * nearest sphere of a gene or to an ancestor, which close triangles, and some joints that are held.
 * Muscles have ranges of some ten per cent: a signal of 1 takes them all the way. */
#include "common/genetics/genetics_kind.h"

#include <stdio.h>
#include <string.h>

#include "common/genetics/genetics_random.h"
#include "common/math/detmath.h"

#define QUARTER_RAD (GENOME_ANGLE_MAX_RAD / 4)

/* Spheres. */
#define FRICTION_MIN   0.5 /* of spheres that do not have the usual one, times creature.friction */
#define FRICTION_MAX   1.5
#define USUAL_FRICTION 0.7
#define ROLLING        0.1
#define LEAST_LIMIT    0.2 /* random joints can move at least this far either way, rad */

/* Bones. */
#define STRAIGHT     0.2 /* share at angle 0 */
#define LEVEL        0.4 /* share without tilt */
#define UNSCALED     0.6
#define REFLECTED    0.2
#define SHORTEST_MIN 0.5 /* of muscles, as shares of the length at birth */
#define SHORTEST_MAX 0.95
#define LONGEST_MIN  1.05
#define LONGEST_MAX  1.6
#define RATE_MIN_1_S 1.0
#define RATE_MAX_1_S 8.0

/* Shares of what happens to the surface of a sphere; the rest: its friction. */
#define SURFACE_HEAD    0.2
#define SURFACE_ROLLING 0.3
/* Shares of what happens to a drive; the rest: its strength. */
#define DRIVE_LOST   0.1
#define DRIVE_LED    0.3
#define DRIVE_WEIGHT 0.4
/* Share of muscles that become bones. */
#define MUSCLE_LOST 0.1
/* Scales of changes of numbers near 0. */
#define LEAST_FRICTION 0.2
#define LEAST_STRENGTH 0.1

static const double brace_weights[BRACE_COUNT] = {
    [BRACE_ANCESTOR] = 3, [BRACE_SIBLING] = 2, [BRACE_TWIN] = 2, [BRACE_NEAREST] = 4};

/* The bone that leads to the body, or a brace from it, is a muscle, which its effector moves. */
static int has_muscle(const struct genome *genome, int row)
{
    gene_id body = genome->bodies[row].id;

    for (int i = 0; i < genome->connection_count; i++) {
        const struct connection_gene *connection = &genome->connections[i];
        gene_id actor = connection->brace ? connection->from : connection->to;

        if (actor == body && connection->bone.gain != 0)
            return 1;
    }
    return 0;
}

/* Something but the root's first growth leads to the body, so that its joint may count. */
static int is_held(const struct genome *genome, int row)
{
    for (int i = 0; i < genome->connection_count; i++)
        if (genome->connections[i].to == genome->bodies[row].id && !genome->connections[i].brace)
            return genome->bodies[row].joint != JOINT_FREE;
    return 0;
}

static double draw_radius(struct maker *maker)
{
    return genetics_random_length(maker->params->spheres_initial_radius_min_m,
                                  maker->params->spheres_initial_radius_max_m, maker->rng);
}

static int random_joint(struct maker *maker, int except)
{
    double weights[JOINT_TYPE_COUNT] = {
        [JOINT_FREE] = 1 - maker->params->spheres_initial_held,
        [JOINT_BALL] = maker->params->spheres_initial_held / 4,
        [JOINT_HINGE] = maker->params->spheres_initial_held / 2,
        [JOINT_SADDLE] = maker->params->spheres_initial_held / 4,
    };
    if (except >= 0)
        weights[except] = 0;
    return rng_pick(maker->rng, weights, JOINT_TYPE_COUNT);
}

static void set_joint(struct maker *maker, struct body_gene *body, int joint)
{
    struct sphere_gene *sphere = &body->sphere;
    double most = det_min(genome_limit_max(joint), maker->params->initial_limit_max_rad);
    double least = det_min(LEAST_LIMIT, most);
    body->joint = (uint8_t)joint;
    body->lower = joint >= JOINT_HINGE ? -rng_uniform(maker->rng, least, most) : 0;
    body->upper = joint >= JOINT_BALL ? rng_uniform(maker->rng, least, most) : 0;
    sphere->lower_2 = joint == JOINT_SADDLE ? -rng_uniform(maker->rng, least, most) : 0;
    sphere->upper_2 = joint == JOINT_SADDLE ? rng_uniform(maker->rng, least, most) : 0;
    if (joint < JOINT_HINGE) {
        sphere->axis_rad = 0;
        body->drive_strength = 0;
    }
    for (int i = genome_drive_count(body); i < GENOME_DRIVES_MAX; i++)
        memset(&body->drives[i], 0, sizeof(body->drives[i]));
}

static void draw_body(struct maker *maker, struct body_gene *body)
{
    struct sphere_gene *sphere = &body->sphere;
    sphere->radius_m = draw_radius(maker);
    sphere->friction = rng_chance(maker->rng, USUAL_FRICTION)
                           ? 1
                           : rng_uniform(maker->rng, FRICTION_MIN, FRICTION_MAX);
    sphere->is_rolling = (uint8_t)rng_chance(maker->rng, ROLLING);
    set_joint(maker, body, random_joint(maker, -1));
}

static void enlarge(struct maker *maker, struct body_gene *body)
{
    body->sphere.radius_m = det_max(body->sphere.radius_m, draw_radius(maker));
}

static void draw_muscle(struct bone_gene *bone, struct rng *rng)
{
    bone->gain = rng_chance(rng, 0.5) ? 1 : -1;
    bone->shortest = rng_uniform(rng, SHORTEST_MIN, SHORTEST_MAX);
    bone->longest = rng_uniform(rng, LONGEST_MIN, LONGEST_MAX);
    bone->rate_1_s = rng_uniform(rng, RATE_MIN_1_S, RATE_MAX_1_S);
}

static void clear_muscle(struct bone_gene *bone)
{
    bone->gain = bone->shortest = bone->longest = bone->rate_1_s = 0;
}

static void draw_bone(struct maker *maker, struct connection_gene *connection)
{
    struct rng *rng = maker->rng;
    struct bone_gene *bone = &connection->bone;
    bone->length_m = genetics_random_length(maker->params->spheres_initial_bone_min_m,
                                            maker->params->spheres_initial_bone_max_m, rng);
    connection->angle_rad =
        rng_chance(rng, STRAIGHT) ? 0 : rng_uniform(rng, -2 * QUARTER_RAD, 2 * QUARTER_RAD);
    bone->tilt_rad = rng_chance(rng, LEVEL) ? 0 : rng_uniform(rng, -QUARTER_RAD, QUARTER_RAD);
    if (rng_chance(rng, maker->params->spheres_initial_muscles))
        draw_muscle(bone, rng);
    genetics_draw_flags(connection, UNSCALED, REFLECTED, rng);
}

static void draw_brace(struct maker *maker, struct connection_gene *connection)
{
    connection->scale = 1;
    connection->brace = (uint8_t)rng_pick(maker->rng, brace_weights, BRACE_COUNT);
    if (rng_chance(maker->rng, maker->params->spheres_initial_muscles))
        draw_muscle(&connection->bone, maker->rng);
}

/* ---- mutations ---- */

static void sphere_surface(struct maker *maker)
{
    int row, i;
    double draw = rng_unit(maker->rng);
    struct sphere_gene *sphere = &mutation_pick_body(maker, &row)->sphere;
    double before = sphere->friction;
    if (draw < SURFACE_HEAD) {
        for (i = 0; i < maker->genome->body_count; i++)
            maker->genome->bodies[i].is_head = i == row;
        mutation_say(maker, "sphere %d became the head", row);
    } else if (draw < SURFACE_HEAD + SURFACE_ROLLING) {
        sphere->is_rolling = !sphere->is_rolling;
        mutation_say(maker, "sphere %d %s", row,
                     sphere->is_rolling ? "rolls now" : "rolls no longer");
    } else {
        sphere->friction =
            mutation_change(maker, before, LEAST_FRICTION, 0, 0, GENOME_FRICTION_MAX);
        mutation_say(maker, "friction of sphere %d %.2f -> %.2f", row, before, sphere->friction);
    }
}

static void sphere_axis(struct maker *maker)
{
    const struct gene_field *field = mutation_pick_field(maker, sphere_body_genes, CHANGE_AXIS);
    int row;
    mutation_pick_held(maker, CHANGE_AXIS, &row);
    mutation_change_field(maker, GENOME_BODIES, row, field);
}

static void lose_drive(struct body_gene *body)
{
    body->drive_strength = 0;
    memset(body->drives, 0, sizeof(body->drives));
}

/* Joints that have an axis can be driven. */
static void sphere_drive(struct maker *maker)
{
    int row, k;
    struct body_gene *body = mutation_pick_held(maker, CHANGE_AXIS, &row);
    double draw = rng_unit(maker->rng), before = body->drive_strength;
    char what[48];
    snprintf(what, sizeof(what), "the drive of sphere %d", row);
    if (before == 0) {
        maker->status = genetics_random_drive(maker, row);
        mutation_say(maker, "the joint of sphere %d is driven", row);
    } else if (draw < DRIVE_LOST && maker->params->mutation_body) {
        lose_drive(body);
        mutation_say(maker, "the joint of sphere %d is no longer driven", row);
    } else if (draw < DRIVE_LOST + DRIVE_LED) {
        k = maker_below(maker, genome_drive_count(body));
        mutation_redraw_input(maker, body->id, &body->drives[k], what);
    } else if (draw < DRIVE_LOST + DRIVE_LED + DRIVE_WEIGHT) {
        k = maker_below(maker, genome_drive_count(body));
        mutation_change_input(maker, &body->drives[k], 1, what);
    } else {
        body->drive_strength = mutation_change(maker, before, LEAST_STRENGTH, 0, 0.01, 1);
        mutation_say(maker, "strength of %s %.2f -> %.2f", what, before, body->drive_strength);
    }
}

/* A new muscle needs an effector in the part that moves it. */
static void gain_muscle(struct maker *maker, struct connection_gene *connection, const char *name)
{
    gene_id actor = connection->brace ? connection->from : connection->to;
    int body = genome_find_body(maker->genome, actor);

    draw_muscle(&connection->bone, maker->rng);
    mutation_say(maker, "%s became a muscle", name);
    if (!maker->genome->bodies[body].has_effector)
        mutation_gain_effector(maker, body);
}

static void bone_muscle(struct maker *maker)
{
    const struct gene_field *field =
        mutation_pick_field(maker, sphere_connection_genes, CHANGE_MUSCLE);
    int row;
    struct connection_gene *connection = mutation_pick_connection(maker, &row);
    struct bone_gene *bone = &connection->bone;
    char name[32];
    mutation_name_row(maker->genome, GENOME_CONNECTIONS, row, name);
    if (bone->gain == 0) {
        gain_muscle(maker, connection, name);
    } else if (rng_chance(maker->rng, MUSCLE_LOST)) {
        clear_muscle(bone);
        mutation_say(maker, "%s is no longer a muscle", name);
    } else {
        mutation_change_field(maker, GENOME_CONNECTIONS, row, field);
        if (bone->gain == 0)
            clear_muscle(bone);
    }
}

static void bone_brace(struct maker *maker)
{
    int row;
    struct connection_gene *gene = mutation_pick_connection(maker, &row);
    int before = gene->brace;
    if (!before)
        return;
    gene->brace = (uint8_t)(1 + (before + maker_below(maker, BRACE_COUNT - 2)) % (BRACE_COUNT - 1));
    mutation_say(maker, "brace %d leads to %s instead of %s", row, brace_names[gene->brace],
                 brace_names[before]);
}

static void add_brace(struct maker *maker)
{
    int from, to;
    gene_id from_id = mutation_pick_body(maker, &from)->id;
    gene_id to_id = mutation_pick_body(maker, &to)->id;

    maker->status = genetics_random_connection(maker, from_id, to_id, 1);
    mutation_say(maker, "added a brace from sphere %d to sphere %d", from, to);
}

static int count_axes(const struct genome *genome)
{
    return mutation_count_held(genome, CHANGE_AXIS);
}

static const struct mutation_kind mutations[] = {
    MUTATION_KIND(spheres_mutation_surface, sphere_surface, mutation_count_bodies, OF_BODY),
    MUTATION_KIND(spheres_mutation_axis, sphere_axis, count_axes, OF_BODY),
    MUTATION_KIND(spheres_mutation_drive, sphere_drive, count_axes, OF_BRAIN),
    /* braces are as long as their ends lie apart: nothing changes */
    MUTATION_FIELD(spheres_mutation_bone_length, CHANGE_LENGTH, mutation_count_connections,
                   OF_BODY),
    MUTATION_KIND(spheres_mutation_bone_muscle, bone_muscle, mutation_count_connections, OF_BODY),
    MUTATION_KIND(spheres_mutation_bone_brace, bone_brace, mutation_count_connections, OF_PLAN),
    MUTATION_KIND(spheres_mutation_add_brace, add_brace, mutation_count_bodies, OF_PLAN),
    {.count_sites = NULL},
};

const struct genetics_kind genetics_spheres = {
    .has_mover = has_muscle,
    .has_limits = is_held,
    .draw_body = draw_body,
    .enlarge = enlarge,
    .draw_connection = draw_bone,
    .draw_brace = draw_brace,
    .random_joint = random_joint,
    .set_joint = set_joint,
    .mutations = mutations,
};

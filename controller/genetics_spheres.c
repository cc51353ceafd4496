/* Random genes of spheres and bones.
 *
 * Bones that may turn freely make a heap of balls; what stands is what triangles hold. Random genomes
 * therefore have braces (initial.braces for each body gene), most of them to the nearest sphere of a gene
 * or to an ancestor, which close triangles, and some joints that are held. Muscles have ranges of some ten
 * per cent: a signal of 1 takes them all the way. */
#include "controller/genetics_spheres.h"

#include <math.h>
#include <string.h>

#include "common/detmath.h"

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
#define SCALE_LOW    0.6
#define SCALE_HIGH   1.2
#define REFLECTED    0.2
#define TERMINAL     0.1
#define SHORTEST_MIN 0.5 /* of muscles, as shares of the length at birth */
#define SHORTEST_MAX 0.95
#define LONGEST_MIN  1.05
#define LONGEST_MAX  1.6
#define RATE_MIN_1_S 1.0
#define RATE_MAX_1_S 8.0

static const double brace_weights[BRACE_COUNT] = {
    [BRACE_ANCESTOR] = 3, [BRACE_SIBLING] = 2, [BRACE_TWIN] = 2, [BRACE_NEAREST] = 4};

int spheres_has_muscle(const struct genome *genome, int row)
{
    gene_id body = genome->bodies[row].id;

    for (int i = 0; i < genome->connection_count; i++) {
        const struct connection_gene *connection = &genome->connections[i];
        gene_id actor = connection->bone.brace ? connection->from : connection->to;

        if (actor == body && connection->bone.gain != 0)
            return 1;
    }
    return 0;
}

int spheres_is_held(const struct genome *genome, int row)
{
    for (int i = 0; i < genome->connection_count; i++)
        if (genome->connections[i].to == genome->bodies[row].id &&
            !genome->connections[i].bone.brace)
            return genome->bodies[row].joint != JOINT_FREE;
    return 0;
}

/* Uniform in the logarithm, as rectangles' sides. */
static double draw_length(double low, double high, struct rng *rng)
{
    double least = fmin(low, high), most = fmax(low, high);
    double length = det_exp(rng_uniform(rng, det_log(least), det_log(most)));

    return fmin(fmax(length, least), most);
}

static double draw_radius(const struct params *params, struct rng *rng)
{
    return draw_length(params->initial_radius_min_m, params->initial_radius_max_m, rng);
}

int spheres_random_joint(const struct params *params, int except, struct rng *rng)
{
    double weights[JOINT_TYPE_COUNT] = {
        [JOINT_FREE] = 1 - params->initial_held,
        [JOINT_BALL] = params->initial_held / 4,
        [JOINT_HINGE] = params->initial_held / 2,
        [JOINT_SADDLE] = params->initial_held / 4,
    };

    if (except >= 0)
        weights[except] = 0;
    return rng_pick(rng, weights, JOINT_TYPE_COUNT);
}

void spheres_set_joint(struct body_gene *body, int joint, const struct params *params,
                       struct rng *rng)
{
    struct sphere_gene *sphere = &body->sphere;
    double most = fmin(genome_limit_max(joint), params->initial_limit_max_rad);
    double least = fmin(LEAST_LIMIT, most);

    body->joint = (uint8_t)joint;
    body->lower = joint >= JOINT_HINGE ? -rng_uniform(rng, least, most) : 0;
    body->upper = joint >= JOINT_BALL ? rng_uniform(rng, least, most) : 0;
    sphere->lower_2 = joint == JOINT_SADDLE ? -rng_uniform(rng, least, most) : 0;
    sphere->upper_2 = joint == JOINT_SADDLE ? rng_uniform(rng, least, most) : 0;
    if (joint < JOINT_HINGE) {
        sphere->axis_rad = 0;
        sphere->drive_strength = 0;
    }
    for (int i = genome_drive_count(body); i < GENOME_DRIVES_MAX; i++)
        memset(&sphere->drives[i], 0, sizeof(sphere->drives[i]));
}

void spheres_draw_body(struct body_gene *body, const struct params *params, struct rng *rng)
{
    struct sphere_gene *sphere = &body->sphere;

    sphere->radius_m = draw_radius(params, rng);
    sphere->friction =
        rng_chance(rng, USUAL_FRICTION) ? 1 : rng_uniform(rng, FRICTION_MIN, FRICTION_MAX);
    sphere->is_rolling = (uint8_t)rng_chance(rng, ROLLING);
    spheres_set_joint(body, spheres_random_joint(params, -1, rng), params, rng);
}

void spheres_enlarge(struct body_gene *body, const struct params *params, struct rng *rng)
{
    body->sphere.radius_m = fmax(body->sphere.radius_m, draw_radius(params, rng));
}

void spheres_draw_muscle(struct bone_gene *bone, struct rng *rng)
{
    bone->gain = rng_chance(rng, 0.5) ? 1 : -1;
    bone->shortest = rng_uniform(rng, SHORTEST_MIN, SHORTEST_MAX);
    bone->longest = rng_uniform(rng, LONGEST_MIN, LONGEST_MAX);
    bone->rate_1_s = rng_uniform(rng, RATE_MIN_1_S, RATE_MAX_1_S);
}

void spheres_clear_muscle(struct bone_gene *bone)
{
    bone->gain = bone->shortest = bone->longest = bone->rate_1_s = 0;
}

void spheres_draw_bone(struct connection_gene *connection, const struct params *params,
                       struct rng *rng)
{
    struct bone_gene *bone = &connection->bone;

    bone->length_m = draw_length(params->initial_bone_min_m, params->initial_bone_max_m, rng);
    connection->angle_rad =
        rng_chance(rng, STRAIGHT) ? 0 : rng_uniform(rng, -2 * QUARTER_RAD, 2 * QUARTER_RAD);
    bone->tilt_rad = rng_chance(rng, LEVEL) ? 0 : rng_uniform(rng, -QUARTER_RAD, QUARTER_RAD);
    if (rng_chance(rng, params->initial_muscles))
        spheres_draw_muscle(bone, rng);
    connection->scale = rng_chance(rng, UNSCALED) ? 1 : rng_uniform(rng, SCALE_LOW, SCALE_HIGH);
    connection->is_reflected = (uint8_t)rng_chance(rng, REFLECTED);
    connection->is_terminal_only = (uint8_t)rng_chance(rng, TERMINAL);
}

void spheres_draw_brace(struct connection_gene *connection, const struct params *params,
                        struct rng *rng)
{
    connection->scale = 1;
    connection->bone.brace = (uint8_t)rng_pick(rng, brace_weights, BRACE_COUNT);
    if (rng_chance(rng, params->initial_muscles))
        spheres_draw_muscle(&connection->bone, rng);
}

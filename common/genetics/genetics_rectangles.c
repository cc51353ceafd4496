/* The genetics that rectangles have of their own: random sides, joints, limits and places on
 * outlines; and what becomes of a joint that changes its type. */
#include "common/genetics/genetics_kind.h"

#include <math.h>

#include "common/genetics/genetics_random.h"

/* Bodies. */
#define LIMIT_LEAST_RAD 0.1  /* random joints can move at least this far either way ... */
#define EXTENSION_LEAST 0.05 /* ... linear ones by this share of the part's longer side */

/* Connections. */
#define BY_ITS_END    0.85
#define IN_THE_MIDDLE 0.8 /* share of attachments in the middle of the child's face */
#define STRAIGHT      0.5 /* share at angle 0 */
#define ANGLE_MAX_RAD 0.7
#define UNSCALED      0.5
#define SCALE_LOW     0.6
#define SCALE_HIGH    1.2
#define REFLECTED     0.2
#define TERMINAL_ONLY 0.1

enum { PLACES_TRIED = 10 };

static double draw_side_m(const struct params *params, struct rng *rng)
{
    return genetics_random_length(params->initial_side_min_m, params->initial_side_max_m, rng);
}

static int random_joint(const struct params *params, int except, struct rng *rng)
{
    double moving = 1 - params->initial_rigid;
    double weights[JOINT_TYPE_COUNT] = {
        [JOINT_RIGID] = params->initial_rigid,
        [JOINT_ROTARY] = moving * (1 - params->initial_linear),
        [JOINT_LINEAR] = moving * params->initial_linear,
    };

    if (except >= 0)
        weights[except] = 0;
    return rng_pick(rng, weights, JOINT_TYPE_COUNT);
}

static void draw_limits(struct body_gene *body, const struct params *params, struct rng *rng)
{
    double least = LIMIT_LEAST_RAD, most = params->initial_limit_max_rad;

    if (body->joint == JOINT_LINEAR) {
        double length = 2 * genome_reach_m(body);

        least = EXTENSION_LEAST * length;
        most = fmin(params->initial_extension_max * length, GENOME_LIMIT_MAX_M);
    }
    most = fmax(most, least);
    body->lower = -rng_uniform(rng, least, most);
    body->upper = rng_uniform(rng, least, most);
}

static void draw_body(struct body_gene *body, const struct params *params, struct rng *rng)
{
    body->width_m = draw_side_m(params, rng);
    body->height_m = draw_side_m(params, rng);
    body->joint = (uint8_t)random_joint(params, -1, rng);
    draw_limits(body, params, rng);
}

/* The larger of two sides each way. */
static void enlarge(struct body_gene *body, const struct params *params, struct rng *rng)
{
    body->width_m = fmax(body->width_m, draw_side_m(params, rng));
    body->height_m = fmax(body->height_m, draw_side_m(params, rng));
}

static enum face draw_child_face(const struct body_gene *child, struct rng *rng)
{
    int is_wide = child->width_m > child->height_m;
    int is_second = rng_chance(rng, 0.5);

    if (!rng_chance(rng, BY_ITS_END))
        return (enum face)rng_below(rng, FACE_FLAT_COUNT);
    if (is_wide)
        return is_second ? FACE_RIGHT : FACE_LEFT;
    return is_second ? FACE_TOP : FACE_BOTTOM;
}

/* A point of a part's outline, in its own frame; positions run counter-clockwise. */
struct point {
    double x, y;
};

static struct point outline_point(const struct body_gene *body, int face, double position)
{
    double x = body->width_m / 2, y = body->height_m / 2;

    switch (face) {
    case FACE_RIGHT:
        return (struct point){x, position * y};
    case FACE_TOP:
        return (struct point){-position * x, y};
    case FACE_LEFT:
        return (struct point){-x, -position * y};
    default:
        return (struct point){position * x, -y};
    }
}

/* The square of the distance to the nearest attachment that the part has already: of its own to its
 * parent, or of a child. */
static double measure_space(const struct genome *genome, const struct body_gene *body, int face,
                            double position)
{
    struct point here = outline_point(body, face, position), there;
    double space = HUGE_VAL;
    int i;

    /* the last connection is the one that is drawn */
    for (i = 0; i < genome->connection_count - 1; i++) {
        const struct connection_gene *other = &genome->connections[i];

        if (other->from == body->id) {
            there = outline_point(body, other->parent_face, other->parent_position);
            space = fmin(space, (there.x - here.x) * (there.x - here.x) +
                                    (there.y - here.y) * (there.y - here.y));
        }
        if (other->to == body->id) {
            there = outline_point(body, other->child_face, other->child_position);
            space = fmin(space, (there.x - here.x) * (there.x - here.x) +
                                    (there.y - here.y) * (there.y - here.y));
        }
    }
    return space;
}

/* Takes from a few random places on the parent's outline the one with the most space: limbs that
 * grow from one spot overlap, and such creatures are not viable. */
static void draw_place(const struct genome *genome, gene_id from, struct rng *rng, int *face,
                       double *position)
{
    const struct body_gene *parent = &genome->bodies[genome_find_body(genome, from)];
    double most = -1;
    int i;

    for (i = 0; i < PLACES_TRIED; i++) {
        int tried_face = (int)rng_below(rng, FACE_FLAT_COUNT);
        double tried_position = rng_uniform(rng, -1, 1);
        double space = measure_space(genome, parent, tried_face, tried_position);

        if (space > most) {
            most = space;
            *face = tried_face;
            *position = tried_position;
        }
    }
}

static void draw_connection(struct genome *genome, const struct params *params, struct rng *rng)
{
    struct connection_gene *connection = &genome->connections[genome->connection_count - 1];
    const struct body_gene *child = &genome->bodies[genome_find_body(genome, connection->to)];
    double position = 0;
    int face = 0;

    draw_place(genome, connection->from, rng, &face, &position);
    connection->parent_face = (uint8_t)face;
    connection->parent_position = position;
    connection->child_face = (uint8_t)draw_child_face(child, rng);
    connection->child_position = rng_chance(rng, IN_THE_MIDDLE) ? 0 : rng_uniform(rng, -1, 1);
    connection->angle_rad =
        rng_chance(rng, STRAIGHT) ? 0 : rng_uniform(rng, -ANGLE_MAX_RAD, ANGLE_MAX_RAD);
    connection->scale = rng_chance(rng, UNSCALED) ? 1 : rng_uniform(rng, SCALE_LOW, SCALE_HIGH);
    connection->is_reflected = (uint8_t)rng_chance(rng, REFLECTED);
    connection->is_terminal_only = (uint8_t)rng_chance(rng, TERMINAL_ONLY);
}

static const struct mutation_kind mutations[] = {{.apply = NULL}};

const struct genetics_kind genetics_rectangles = {
    .has_mover = genetics_has_joint,
    .has_limits = genetics_has_joint,
    .is_joint_moved = 1,
    .draw_body = draw_body,
    .enlarge = enlarge,
    .draw_connection = draw_connection,
    .random_joint = random_joint,
    .set_joint = genetics_set_joint,
    .mutations = mutations,
};

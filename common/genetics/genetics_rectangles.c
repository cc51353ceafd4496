/* The genetics that rectangles have of their own: random sides, joints, limits and places on
 * outlines; and what becomes of a joint that changes its type. */
#include "common/genetics/genetics_kind.h"

#include <math.h>

#include "common/genetics/genetics_random.h"

#define REFLECTED 0.2 /* share of connections that are reflected */

enum { PLACES_TRIED = 10 };

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

static void draw_body(struct body_gene *body, const struct params *params, struct rng *rng)
{
    body->width_m = genetics_draw_side_m(params, rng);
    body->height_m = genetics_draw_side_m(params, rng);
    body->joint = (uint8_t)random_joint(params, -1, rng);
    genetics_draw_limits(body, params, rng);
}

/* The larger of two sides each way. */
static void enlarge(struct body_gene *body, const struct params *params, struct rng *rng)
{
    body->width_m = fmax(body->width_m, genetics_draw_side_m(params, rng));
    body->height_m = fmax(body->height_m, genetics_draw_side_m(params, rng));
}

/* Mostly one of the two ends of its longer side. */
static enum face draw_child_face(const struct body_gene *child, struct rng *rng)
{
    static const enum face ends[2][2] = {{FACE_BOTTOM, FACE_TOP}, {FACE_LEFT, FACE_RIGHT}};

    return genetics_draw_end(ends[child->width_m > child->height_m], FACE_FLAT_COUNT, rng);
}

/* Takes from a few random places on the parent's outline the one with the most space: limbs that
 * grow from one spot overlap, and such creatures are not viable. */
static void draw_place(const struct genome *genome, struct connection_gene *connection,
                       struct rng *rng)
{
    const struct body_gene *parent = &genome->bodies[genome_find_body(genome, connection->from)];
    double most = -1;

    for (int i = 0; i < PLACES_TRIED; i++) {
        int face = (int)rng_below(rng, FACE_FLAT_COUNT);
        double position = rng_uniform(rng, -1, 1);
        double space = genetics_measure_space(genome, parent,
                                              genetics_surface_point(parent, face, position, 0));

        if (space > most) {
            most = space;
            connection->parent_face = (uint8_t)face;
            connection->parent_position = position;
        }
    }
}

static void draw_connection(struct genome *genome, const struct params *params, struct rng *rng)
{
    struct connection_gene *connection = &genome->connections[genome->connection_count - 1];
    const struct body_gene *child = &genome->bodies[genome_find_body(genome, connection->to)];

    draw_place(genome, connection, rng);
    connection->child_face = (uint8_t)draw_child_face(child, rng);
    connection->child_position = genetics_draw_child_position(rng);
    connection->angle_rad = genetics_draw_angle_rad(rng);
    genetics_draw_flags(connection, REFLECTED, rng);
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

/* The genetics that rectangles and boxes have of their own: random sides, joints, limits and places
 * on faces; and what becomes of a joint that changes its type. */
#include "common/genetics/genetics_kind.h"

#include <math.h>
#include <string.h>

#include "common/math/vec3.h"

#define QUARTER_RAD (GENOME_ANGLE_MAX_RAD / 4)

/* Bodies. */
#define LIMIT_LEAST_RAD 0.1  /* random joints can move at least this far either way ... */
#define EXTENSION_LEAST 0.05 /* ... linear ones by this share of the part's longest side */

/* Connections. */
#define BY_ITS_END     0.85
#define IN_THE_MIDDLE  0.8 /* share of attachments in the middle of the child's face */
#define UNROLLED       0.5 /* share without roll ... */
#define QUARTER_ROLL   0.5 /* of others with a quarter turn: the joint bends across instead */
#define STRAIGHT       0.5 /* share at angle 0, and without tilt */
#define ANGLE_MAX_RAD  0.7
#define UNSCALED       0.5
#define SCALE_LOW      0.6
#define SCALE_HIGH     1.2
#define REFLECTED      0.1 /* share that is reflected ... */
#define REFLECTED_FLAT 0.2 /* ... of rectangles */
#define TERMINAL_ONLY  0.1

enum { PLACES_TRIED = 10 };

static double draw_side_m(struct maker *maker)
{
    return genetics_random_length(maker->params->initial_side_min_m,
                                  maker->params->initial_side_max_m, maker->rng);
}

/* Rectangles have a rotary joint's genes, no depth, and four faces. */
static int is_flat(const struct maker *maker)
{
    return body_kinds[maker->genome->kind].is_flat;
}

static int count_faces(const struct maker *maker)
{
    return is_flat(maker) ? FACE_FLAT_COUNT : FACE_COUNT;
}

/* All joints that turn are equally likely. */
static int random_joint(struct maker *maker, int except)
{
    const struct params *params = maker->params;
    int first = is_flat(maker) ? JOINT_ROTARY : JOINT_REVOLUTE;
    int last = is_flat(maker) ? JOINT_ROTARY : JOINT_SPHERICAL;
    double weights[JOINT_TYPE_COUNT] = {0}, moving = 1 - params->initial_rigid;
    weights[JOINT_RIGID] = params->initial_rigid;
    weights[JOINT_LINEAR] = moving * params->initial_linear;
    for (int joint = first; joint <= last; joint++)
        weights[joint] = moving * (1 - params->initial_linear) / (last - first + 1);
    if (except >= 0)
        weights[except] = 0;
    return rng_pick(maker->rng, weights, JOINT_TYPE_COUNT);
}

static void draw_second_limits(struct maker *maker, struct body_gene *body)
{
    double most = det_min(det_max(maker->params->initial_limit_max_rad, LIMIT_LEAST_RAD),
                          genome_limit_max(body->joint));
    body->box.lower_2 = body->box.upper_2 = 0;
    if (joint_types[body->joint].freedoms < 2)
        return;
    body->box.upper_2 = rng_uniform(maker->rng, LIMIT_LEAST_RAD, most);
    if (body->joint != JOINT_SPHERICAL)
        body->box.lower_2 = -rng_uniform(maker->rng, LIMIT_LEAST_RAD, most);
}

static void draw_limits(struct maker *maker, struct body_gene *body)
{
    double least = LIMIT_LEAST_RAD, most = maker->params->initial_limit_max_rad;
    if (body->joint == JOINT_LINEAR) {
        double length = 2 * genome_reach_m(body);

        least = EXTENSION_LEAST * length;
        most = maker->params->initial_extension_max * length;
    }
    most = det_min(det_max(most, least), genome_limit_max(body->joint));
    body->lower = -rng_uniform(maker->rng, least, most);
    body->upper = rng_uniform(maker->rng, least, most);
    draw_second_limits(maker, body);
}

static void draw_body(struct maker *maker, struct body_gene *body)
{
    body->width_m = draw_side_m(maker);
    body->height_m = draw_side_m(maker);
    body->box.depth_m = is_flat(maker) ? 0 : draw_side_m(maker);
    body->joint = (uint8_t)random_joint(maker, -1);
    draw_limits(maker, body);
}

/* The larger of two sides each way. */
static void enlarge(struct maker *maker, struct body_gene *body)
{
    body->width_m = det_max(body->width_m, draw_side_m(maker));
    body->height_m = det_max(body->height_m, draw_side_m(maker));
    if (!is_flat(maker))
        body->box.depth_m = det_max(body->box.depth_m, draw_side_m(maker));
}

/* Mostly one of the two ends of its longest side, else any. */
static enum face draw_child_face(struct maker *maker, const struct body_gene *child)
{
    static const enum face ends[3][2] = {
        {FACE_LEFT, FACE_RIGHT}, {FACE_BOTTOM, FACE_TOP}, {FACE_BACK, FACE_FRONT}};
    const double sides[3] = {child->width_m, child->height_m, child->box.depth_m};
    /* of a square it is the height */
    int longest = is_flat(maker) ? !(sides[0] > sides[1]) : sides[1] > sides[0];
    int is_second = rng_chance(maker->rng, 0.5);

    return rng_chance(maker->rng, BY_ITS_END)
               ? ends[sides[2] > sides[longest] ? 2 : longest][is_second]
               : (enum face)maker_below(maker, count_faces(maker));
}

/* A point of a part's surface, in its own frame. */
static struct vec3 surface_point(const struct body_gene *body, int face, double position,
                                 double position_2)
{
    struct vec3 half = {body->width_m / 2, body->height_m / 2, body->box.depth_m / 2};
    return face_place(half, face, position, position_2);
}

/* The distance from a point to the nearest attachment that the part has already: of its own to its
 * parent, or of a child. The last connection, which is being drawn, does not count. */
static double measure_space(const struct genome *genome, const struct body_gene *body,
                            struct vec3 here)
{
    double space = HUGE_VAL;
    for (int i = 0; i < genome->connection_count - 1; i++) {
        const struct connection_gene *other = &genome->connections[i];

        if (other->from == body->id)
            space = det_min(
                space, vec3_length(vec3_sub(here, surface_point(body, other->parent_face,
                                                                other->parent_position,
                                                                other->mount.parent_position_2))));
        if (other->to == body->id)
            space = det_min(space,
                            vec3_length(vec3_sub(
                                here, surface_point(body, other->child_face, other->child_position,
                                                    other->mount.child_position_2))));
    }
    return space;
}

/* The distance of a place to its mirror image, where images of the child grow. */
static double measure_image_space(const struct body_gene *child, struct vec3 here)
{
    double apart[SYMMETRY_COUNT] = {HUGE_VAL, fabs(here.z), fabs(here.x), fabs(here.y)};
    return 2 * apart[child->is_symmetric];
}

/* Takes from a few random places on the parent the one with the most space: limbs that grow from
 * one spot overlap, and such creatures are not viable. */
static void draw_place(struct maker *maker, struct connection_gene *connection,
                       const struct body_gene *child)
{
    const struct genome *genome = maker->genome;
    const struct body_gene *parent = &genome->bodies[genome_find_body(genome, connection->from)];
    double most = -1;
    for (int i = 0; i < PLACES_TRIED; i++) {
        int face = maker_below(maker, count_faces(maker));
        double position = rng_uniform(maker->rng, -1, 1);
        double position_2 = is_flat(maker) ? 0 : rng_uniform(maker->rng, -1, 1);
        struct vec3 here = surface_point(parent, face, position, position_2);
        double space = det_min(measure_space(genome, parent, here),
                               is_flat(maker) ? HUGE_VAL : measure_image_space(child, here));

        if (space > most) {
            most = space;
            connection->parent_face = (uint8_t)face;
            connection->parent_position = position;
            connection->mount.parent_position_2 = position_2;
        }
    }
}

static double draw_roll_rad(struct rng *rng)
{
    if (rng_chance(rng, UNROLLED))
        return 0;
    if (rng_chance(rng, QUARTER_ROLL))
        return rng_chance(rng, 0.5) ? QUARTER_RAD : -QUARTER_RAD;
    return rng_uniform(rng, -2 * QUARTER_RAD, 2 * QUARTER_RAD);
}

static double draw_angle_rad(struct rng *rng)
{
    return rng_chance(rng, STRAIGHT) ? 0 : rng_uniform(rng, -ANGLE_MAX_RAD, ANGLE_MAX_RAD);
}

static double draw_child_position(struct rng *rng)
{
    return rng_chance(rng, IN_THE_MIDDLE) ? 0 : rng_uniform(rng, -1, 1);
}

void genetics_draw_flags(struct connection_gene *connection, double unscaled, double reflected,
                         struct rng *rng)
{
    connection->scale = rng_chance(rng, unscaled) ? 1 : rng_uniform(rng, SCALE_LOW, SCALE_HIGH);
    connection->is_reflected = (uint8_t)rng_chance(rng, reflected);
    connection->is_terminal_only = (uint8_t)rng_chance(rng, TERMINAL_ONLY);
}

/* ---- a tidy birth ---- */

#define ALONG_THE_SIDE 0.85 /* pairs hang so far from the middle of the trunk's side at most ... */
#define SIDE_LOW       -0.8 /* ... and between these heights of it */
#define SIDE_HIGH      0.1
#define HIP            0.75 /* an upright limb hangs on its upper end, one that lies on its outer */

/* The width becomes the longest side. */
static void lay_along(struct body_gene *body)
{
    double *longest = body->height_m > body->box.depth_m ? &body->height_m : &body->box.depth_m;
    double width = body->width_m;
    if (*longest <= width)
        return;
    body->width_m = *longest;
    *longest = width;
}

/* The face on which a body plan goes on from a part that is no pair: the way its own connection
 * leads, ahead or behind; from the trunk either. */
static enum face draw_way_on(const struct genome *genome, const struct body_gene *parent,
                             int is_trunk, struct rng *rng)
{
    for (int i = 0; !is_trunk && i < genome->connection_count - 1; i++)
        if (genome->connections[i].to == parent->id)
            return genome->connections[i].parent_face == FACE_LEFT ? FACE_LEFT : FACE_RIGHT;
    return rng_chance(rng, 0.5) ? FACE_RIGHT : FACE_LEFT;
}

static void set_faces(struct connection_gene *connection, enum face parent, enum face child)
{
    connection->parent_face = (uint8_t)parent;
    connection->child_face = (uint8_t)child;
}

/* A body plan. The root lies along x. A pair hangs on the side of a single part, by the hip if that
 * is upright; single parts go on end to end: neck and head, spine and tail. A limb goes on at its
 * far end. */
static void tidy_connection(struct maker *maker, struct connection_gene *connection)
{
    struct genome *genome = maker->genome;
    struct body_gene *parent = &genome->bodies[genome_find_body(genome, connection->from)];
    const struct body_gene *child = &genome->bodies[genome_find_body(genome, connection->to)];
    int is_trunk = genome->root ? parent->id == genome->root : parent == genome->bodies;
    int is_upright = child->height_m > child->box.depth_m;
    connection->angle_rad = connection->child_position = connection->parent_position = 0;
    connection->mount = (struct mount_gene){0};
    connection->is_reflected = connection->is_terminal_only = 0;
    if (is_trunk)
        lay_along(parent);
    if (parent->is_symmetric && parent->height_m > parent->box.depth_m) {
        set_faces(connection, FACE_BOTTOM, FACE_TOP);
    } else if (parent->is_symmetric) {
        set_faces(connection, is_upright ? FACE_BOTTOM : FACE_FRONT,
                  is_upright ? FACE_TOP : FACE_BACK);
        connection->mount.parent_position_2 = is_upright ? HIP : 0;
    } else if (child->is_symmetric) {
        set_faces(connection, FACE_FRONT, FACE_BACK);
        connection->parent_position = rng_uniform(maker->rng, -ALONG_THE_SIDE, ALONG_THE_SIDE);
        connection->mount.parent_position_2 = rng_uniform(maker->rng, SIDE_LOW, SIDE_HIGH);
        connection->mount.child_position_2 = is_upright ? HIP : 0;
    } else {
        enum face way = draw_way_on(genome, parent, is_trunk, maker->rng);
        set_faces(connection, way, way == FACE_LEFT ? FACE_RIGHT : FACE_LEFT);
    }
}

/* ---- taper ---- */

/* The sides of a body, the longest first. */
static void rank_sides(struct body_gene *body, double *sides[3])
{
    double *all[3] = {&body->width_m, &body->height_m, &body->box.depth_m};
    for (int k = 0; k < 3; k++) {
        int rank = 0;
        for (int i = 0; i < 3; i++)
            rank += *all[i] > *all[k] || (i < k && *all[i] == *all[k]);
        sides[rank] = all[k];
    }
}

static int has_sides_of(const struct body_gene *a, const struct body_gene *b)
{
    return a->width_m == b->width_m && a->height_m == b->height_m &&
           a->box.depth_m == b->box.depth_m;
}

/* 1 if the ancestor has the connection with the same scale between bodies of the same sides. */
static int is_inherited(const struct genome *ancestor, const struct connection_gene *connection,
                        const struct body_gene *parent, const struct body_gene *child)
{
    int row = ancestor ? genome_find_connection(ancestor, connection->id) : -1;
    if (row < 0)
        return 0;
    const struct connection_gene *old = &ancestor->connections[row];
    return old->from == connection->from && old->to == connection->to &&
           old->scale == connection->scale &&
           has_sides_of(parent, &ancestor->bodies[genome_find_body(ancestor, old->from)]) &&
           has_sides_of(child, &ancestor->bodies[genome_find_body(ancestor, old->to)]);
}

/* Each side of the child, by rank, at most so many times the parent's. */
static int bound_sides(struct maker *maker, struct connection_gene *connection,
                       struct body_gene *parent, struct body_gene *child)
{
    double *above[3], *own[3], most = maker->params->initial_taper / connection->scale;
    int is_changed = 0;
    rank_sides(parent, above);
    rank_sides(child, own);
    for (int rank = 0; rank < 3; rank++) {
        double bound = det_max(most * *above[rank], maker->params->creature_side_min_m);
        is_changed |= *own[rank] > bound;
        *own[rank] = det_min(*own[rank], bound);
    }
    return is_changed;
}

/* The same by the scale of the connection, since the child hangs on another body, too. */
static int bound_scale(struct maker *maker, struct connection_gene *connection,
                       struct body_gene *parent, struct body_gene *child)
{
    double *above[3], *own[3], before = connection->scale;
    rank_sides(parent, above);
    rank_sides(child, own);
    for (int rank = 0; rank < 3; rank++)
        connection->scale =
            det_min(connection->scale, maker->params->initial_taper * *above[rank] / *own[rank]);
    connection->scale = det_max(connection->scale, det_min(before, GENOME_SCALE_MIN));
    return connection->scale != before;
}

/* From the root on: the first connection to a body bounds its sides, each further one its own
 * scale. Rectangles do not taper. */
static int taper(struct maker *maker, const struct genome *a, const struct genome *b)
{
    char is_reached[GENOME_BODIES_MAX] = {0}, is_done[GENOME_CONNECTIONS_MAX] = {0};
    int i = 0, is_changed = 0;
    if (is_flat(maker))
        return 0;
    is_reached[maker->genome->root ? genome_find_body(maker->genome, maker->genome->root) : 0] = 1;
    while (i < maker->genome->connection_count) {
        struct connection_gene *connection = &maker->genome->connections[i];
        int from = genome_find_body(maker->genome, connection->from);
        int to = genome_find_body(maker->genome, connection->to);
        struct body_gene *parent = &maker->genome->bodies[from],
                         *child = &maker->genome->bodies[to];
        if (is_done[i] || !is_reached[from]) {
            i++;
            continue;
        }
        if (!is_inherited(a, connection, parent, child) &&
            !is_inherited(b, connection, parent, child))
            is_changed |=
                (is_reached[to] ? bound_scale : bound_sides)(maker, connection, parent, child);
        is_done[i] = is_reached[to] = 1;
        i = 0;
    }
    return is_changed;
}

static void draw_connection(struct maker *maker, struct connection_gene *connection)
{
    const struct genome *genome = maker->genome;
    const struct body_gene *child = &genome->bodies[genome_find_body(genome, connection->to)];
    draw_place(maker, connection, child);
    connection->child_face = (uint8_t)draw_child_face(maker, child);
    connection->child_position = draw_child_position(maker->rng);
    if (!is_flat(maker)) {
        connection->mount.child_position_2 = draw_child_position(maker->rng);
        connection->mount.roll_rad = draw_roll_rad(maker->rng);
    }
    connection->angle_rad = draw_angle_rad(maker->rng);
    if (!is_flat(maker))
        connection->mount.tilt_rad = draw_angle_rad(maker->rng);
    genetics_draw_flags(connection, UNSCALED, is_flat(maker) ? REFLECTED_FLAT : REFLECTED,
                        maker->rng);
    /* where no connection is tidy nothing is drawn, and all else is as it was */
    if (!is_flat(maker) && maker->params->initial_tidy > 0 &&
        rng_chance(maker->rng, maker->params->initial_tidy))
        tidy_connection(maker, connection);
}

/* Further freedoms first do what the first one does, one way or the other. */
static void set_further_inputs(struct body_gene *body, int count_before, struct rng *rng)
{
    int count = genome_drive_count(body);
    for (int k = count_before; k < count; k++) {
        body->drives[k] = body->effector_input;
        if (rng_chance(rng, 0.5))
            body->drives[k].weight = -body->drives[k].weight;
    }
    for (int k = count; k < GENOME_DRIVES_MAX; k++)
        memset(&body->drives[k], 0, sizeof(body->drives[k]));
}

/* The values of the old joint, as far as the new one may have them. */
static void keep_second_limits(struct maker *maker, struct body_gene *body)
{
    double most = genome_limit_max(body->joint);
    int is_cone = body->joint == JOINT_SPHERICAL;
    if (joint_types[body->joint].freedoms < 2 || body->box.upper_2 == 0) {
        draw_second_limits(maker, body);
        return;
    }
    body->box.upper_2 = det_min(body->box.upper_2, most);
    if (body->box.lower_2 == 0 || is_cone)
        body->box.lower_2 = is_cone ? 0 : -body->box.upper_2;
}

/* Limits and the effector's signal change their unit with the joint's type: 1 rad is as much as the
 * part's reach. */
static void change_type(struct maker *maker, struct body_gene *body, int joint)
{
    double reach = genome_reach_m(body), unit_before = genetics_signal_unit(body, maker->params);
    double factor = joint == JOINT_LINEAR ? reach : body->joint == JOINT_LINEAR ? 1 / reach : 1;
    double most = genome_limit_max(joint), weight = body->effector_input.weight;
    body->joint = (uint8_t)joint;
    body->lower = det_min(det_max(body->lower * factor, -most), 0);
    body->upper = det_min(det_max(body->upper * factor, 0), most);
    weight *= genetics_signal_unit(body, maker->params) / unit_before;
    body->effector_input.weight = det_min(det_max(weight, -GENOME_WEIGHT_MAX), GENOME_WEIGHT_MAX);
}

static void set_joint(struct maker *maker, struct body_gene *body, int joint)
{
    int further = genome_drive_count(body);
    change_type(maker, body, joint);
    keep_second_limits(maker, body);
    set_further_inputs(body, further, maker->rng);
}

const struct genetics_kind genetics_boxes = {
    .has_mover = genetics_has_joint,
    .has_limits = genetics_has_joint,
    .is_joint_moved = 1,
    .draw_body = draw_body,
    .enlarge = enlarge,
    .draw_connection = draw_connection,
    .taper = taper,
    .random_joint = random_joint,
    .set_joint = set_joint,
};

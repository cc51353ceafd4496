/* Reads what a scene in the plane has of its own: rectangles, disks and half-planes, rotary and
 * linear joints, loops. */
#include <string.h>

#include "common/math/detmath.h"
#include "simulator/tools/scenes/scene_text.h"

/* ---------------------------------------------------------------- world */

/* Room for one more part of the body, or of the world for -1; NULL when there is none. */
static struct part *add_part(struct scene_reader *r, const struct scene_spot *spot, const char *key,
                             struct scene *scene, int body)
{
    if (scene->part_count == SCENE_SHAPES_MAX) {
        scene_fail(r, ERR_LIMIT, spot, key, "more than 64 rectangles, disks and obstacles in all");
        return NULL;
    }
    scene->part_bodies[scene->part_count] = body;
    struct part *part = &scene->parts[scene->part_count++];
    *part = (struct part){.mirror = 1};
    return part;
}

/* Shape, place and angle of a part; its mass is for the caller. */
static void read_part(struct scene_reader *r, struct scene_spot *spot, enum part_shape shape,
                      struct part *part)
{
    part->shape = shape;
    struct vec2 at = spot_vector(r, spot, "at_m");
    part->centre = (struct vec3){at.x, at.y, 0};
    if (shape == PART_DISK) {
        part->width_m =
            2 * spot_need_number(r, spot, "radius_m", SCENE_LENGTH_MIN, SCENE_NUMBER_MAX);
        part->height_m = part->width_m;
    } else {
        part->angle_rad = spot_number(r, spot, "angle_rad", 0, -SCENE_NUMBER_MAX, SCENE_NUMBER_MAX);
    }
    if (shape == PART_BOX) {
        part->width_m = spot_need_number(r, spot, "width_m", SCENE_LENGTH_MIN, SCENE_NUMBER_MAX);
        part->height_m = spot_need_number(r, spot, "height_m", SCENE_LENGTH_MIN, SCENE_NUMBER_MAX);
    }
    part->cross_section_m = part->width_m < part->height_m ? part->width_m : part->height_m;
}

/* true: the plane y = 0; an object: a plane anywhere. */
static void read_ground(struct scene_reader *r, const struct scene_spot *world, struct scene *scene)
{
    if (!json_is_object(json_object_get(world->object, "ground"))) {
        scene->world.has_ground = spot_flag(r, world, "ground");
        scene_read_relief(r, world, scene->world.has_ground, 1, &scene->world.relief);
        return;
    }
    struct scene_spot spot = spot_open(r, world, "ground");
    struct part *part = add_part(r, world, "ground", scene, -1);
    if (part)
        read_part(r, &spot, PART_PLANE, part);
    spot_close(r, &spot);
}

static void read_obstacles(struct scene_reader *r, const struct scene_spot *world,
                           struct scene *scene)
{
    static const char *const kinds[] = {"rectangle", "disk", "plane", NULL};
    struct scene_list list = spot_list(r, world, "obstacles", NULL);
    while (spot_next(r, &list)) {
        struct part *part = add_part(r, world, "obstacles", scene, -1);
        if (part)
            read_part(r, &list.spot, (enum part_shape)spot_choice(r, &list.spot, "kind", kinds),
                      part);
    }
}

void scene_plane_read_world(struct scene_reader *r, struct scene_spot *spot, struct scene *scene)
{
    struct world *world = &scene->world;
    world->viscosity_pa_s = spot_number(r, spot, "viscosity_pa_s", 0, 0, 1e6);
    world->quadratic_drag_kg_m2 = spot_number(r, spot, "quadratic_drag_kg_m2", 0, 0, 1e6);
    read_ground(r, spot, scene);
    read_obstacles(r, spot, scene);
}

/* ---------------------------------------------------------------- bodies */

/* Mass properties that the body gives outright, instead of those of its rectangles. */
static void read_mass(struct scene_reader *r, const struct scene_spot *spot,
                      struct scene_body *body)
{
    body->mass_kg = spot_need_number(r, spot, "mass_kg", 0, SCENE_NUMBER_MAX);
    body->inertia_kg_m2 = spot_need_number(r, spot, "inertia_kg_m2", 0, SCENE_GAIN_MAX);
    body->centre = spot_vector(r, spot, "centre_m");
}

/* One rectangle or disk; its mass joins the body's where the body does not give its own. */
static void read_shape(struct scene_reader *r, struct scene_spot *spot, const char *key,
                       struct scene *scene, int body, int has_mass)
{
    int is_disk = strcmp(key, "disks") == 0;
    struct part *part = add_part(r, spot, "", scene, body);
    if (!part)
        return;
    read_part(r, spot, is_disk ? PART_DISK : PART_BOX, part);
    double area = part->width_m * part->height_m * (is_disk ? DET_PI / 4 : 1);
    if (!has_mass && spot_has(spot, "mass_kg"))
        part->mass_kg = spot_number(r, spot, "mass_kg", 0, 0, SCENE_NUMBER_MAX);
    else if (!has_mass)
        part->mass_kg = spot_need_number(r, spot, "density_kg_m2", 0, SCENE_NUMBER_MAX) * area;
}

/* Inertia of a rectangle or disk about its centre. */
static double part_inertia(const struct part *part)
{
    double width = part->width_m, height = part->height_m;
    if (part->shape == PART_DISK)
        return part->mass_kg * width * width / 8;
    return part->mass_kg * (width * width + height * height) / 12;
}

/* Mass, centre and inertia of a body from its shapes, which are the last ones. */
static void weigh_body(const struct scene *scene, struct scene_body *body, int first)
{
    const struct part *parts = scene->parts;
    for (int i = first; i < scene->part_count; i++) {
        body->mass_kg += parts[i].mass_kg;
        body->centre.x += parts[i].mass_kg * parts[i].centre.x;
        body->centre.y += parts[i].mass_kg * parts[i].centre.y;
    }
    if (body->mass_kg > 0) {
        body->centre.x /= body->mass_kg;
        body->centre.y /= body->mass_kg;
    }
    for (int i = first; i < scene->part_count; i++) {
        double x = parts[i].centre.x - body->centre.x, y = parts[i].centre.y - body->centre.y;
        body->inertia_kg_m2 += part_inertia(&parts[i]) + parts[i].mass_kg * (x * x + y * y);
    }
}

void scene_plane_read_shapes(struct scene_reader *r, struct scene_spot *spot, struct scene *scene,
                             int index)
{
    static const char *const keys[] = {"rectangles", "disks"};
    struct scene_body *body = &scene->bodies[index];
    int has_mass =
        spot_has(spot, "mass_kg") || spot_has(spot, "inertia_kg_m2") || spot_has(spot, "centre_m");
    int first = scene->part_count;
    for (int k = 0; k < 2; k++) {
        struct scene_list list = spot_list(r, spot, keys[k], NULL);
        while (spot_next(r, &list))
            read_shape(r, &list.spot, keys[k], scene, index, has_mass);
    }
    if (has_mass || scene->part_count == first)
        read_mass(r, spot, body);
    else
        weigh_body(scene, body, first);
}

/* ---------------------------------------------------------------- joints */

/* Coordinate, limits and drive of a joint that moves. */
static void read_freedom(struct scene_reader *r, const struct scene_spot *joint,
                         struct scene *scene, struct scene_body *body)
{
    int is_linear = body->joint == LINK_LINEAR;
    struct scene_freedom freedom;
    scene_read_freedom(r, joint, is_linear ? &scene_linear_keys : &scene_rotary_keys,
                       &scene->tables, &freedom);
    *(is_linear ? &body->extension_m : &body->angle_rad) = freedom.start;
    *(is_linear ? &body->rate_m_s : &body->rate_rad_s) = freedom.rate;
    body->lower = freedom.lower;
    body->upper = freedom.upper;
    body->drive = freedom.drive;
    body->signal = freedom.signal;
    if (freedom.drive.signal)
        body->drive.signal = &body->signal;
    if (freedom.drive.push)
        body->drive.push = &body->signal;
}

static enum link_joint read_kind(struct scene_reader *r, const struct scene_spot *joint)
{
    static const char *const words[] = {"rotary", "rigid", "linear", NULL};
    static const enum link_joint kinds[] = {LINK_REVOLUTE, LINK_RIGID, LINK_LINEAR};
    return kinds[spot_choice(r, joint, "kind", words)];
}

void scene_plane_read_joint(struct scene_reader *r, struct scene_spot *joint, struct scene *scene,
                            int index)
{
    struct scene_body *body = &scene->bodies[index];
    body->joint = read_kind(r, joint);
    body->parent = scene_read_to(r, joint, scene);
    body->at = spot_vector(r, joint, "at_m");
    body->own_at = spot_vector(r, joint, "own_at_m");
    if (body->joint != LINK_REVOLUTE)
        body->angle_rad =
            spot_number(r, joint, "angle_rad", 0, -SCENE_NUMBER_MAX, SCENE_NUMBER_MAX);
    if (body->joint == LINK_LINEAR)
        body->axis_rad = spot_number(r, joint, "axis_rad", 0, -SCENE_NUMBER_MAX, SCENE_NUMBER_MAX);
    if (body->joint != LINK_RIGID)
        read_freedom(r, joint, scene, body);
}

void scene_plane_read_free(struct scene_reader *r, struct scene_spot *spot, struct scene *scene,
                           int index)
{
    struct scene_body *body = &scene->bodies[index];
    body->joint = LINK_PLANAR;
    body->at = spot_vector(r, spot, "position_m");
    body->velocity = spot_vector(r, spot, "velocity_m_s");
    body->angle_rad = spot_number(r, spot, "angle_rad", 0, -SCENE_NUMBER_MAX, SCENE_NUMBER_MAX);
    body->rate_rad_s = spot_number(r, spot, "rate_rad_s", 0, -SCENE_NUMBER_MAX, SCENE_NUMBER_MAX);
}

/* Joints between bodies that hang together already. */
static void read_loops(struct scene_reader *r, const struct scene_spot *top, struct scene *scene)
{
    struct scene_list list = spot_list(r, top, "loops", NULL);
    while (spot_next(r, &list)) {
        struct scene_spot *spot = &list.spot;
        if (scene->loop_count == SCENE_LOOPS_MAX) {
            scene_fail(r, ERR_LIMIT, top, "loops", "more than 16 loops");
            continue;
        }
        struct scene_loop *loop = &scene->loops[scene->loop_count++];
        json_t *name = spot_take(spot, "body");
        loop->a = json_is_string(name) ? scene_find_body(scene, json_string_value(name)) : -1;
        if (loop->a < 0)
            scene_fail(r, ERR_UNKNOWN, spot, "body", "the name of a body is expected");
        json_decref(name);
        loop->joint = read_kind(r, spot);
        loop->b = scene_read_to(r, spot, scene);
        if (loop->a == loop->b)
            scene_fail(r, ERR_RANGE, spot, "to", "is the body itself");
        loop->at_b = spot_vector(r, spot, "at_m");
        loop->at_a = spot_vector(r, spot, "own_at_m");
        if (loop->joint != LINK_REVOLUTE)
            loop->angle_rad =
                spot_number(r, spot, "angle_rad", 0, -SCENE_NUMBER_MAX, SCENE_NUMBER_MAX);
        if (loop->joint == LINK_LINEAR)
            loop->axis_rad =
                spot_number(r, spot, "axis_rad", 0, -SCENE_NUMBER_MAX, SCENE_NUMBER_MAX);
    }
}

/* A part that passes through everything passes through the ground, too; the ground then is a part
 * like others. */
static void make_ground_a_part(struct scene_reader *r, const struct scene_spot *top,
                               struct scene *scene)
{
    int has_passing = 0;
    for (int i = 0; i < scene->body_count; i++)
        has_passing |= scene->bodies[i].passes;
    if (!scene->world.has_ground || !has_passing)
        return;
    if (scene->world.relief.depth_m > 0)
        scene_fail(r, ERR_RANGE, top, "world.relief", "not with bodies that pass through others");
    struct part *part = add_part(r, top, "bodies", scene, -1);
    if (part)
        part->shape = PART_PLANE;
    scene->world.has_ground = 0;
}

static void refuse_disks_on_relief(struct scene_reader *r, const struct scene_spot *top,
                                   const struct scene *scene)
{
    for (int i = 0; i < scene->part_count && scene->world.relief.depth_m > 0; i++)
        if (scene->parts[i].shape == PART_DISK)
            scene_fail(r, ERR_RANGE, top, "world.relief",
                       "disks have no contacts with a ground that has waves");
}

void scene_plane_read_rest(struct scene_reader *r, struct scene_spot *top, struct scene *scene)
{
    read_loops(r, top, scene);
    make_ground_a_part(r, top, scene);
    refuse_disks_on_relief(r, top, scene);
}

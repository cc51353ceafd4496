/* Reads what a scene in the plane has of its own: rectangles, disks and half-planes, rotary and
 * linear joints, loops. */
#include <string.h>

#include "common/math/detmath.h"
#include "simulator/tools/scenes/scene_text.h"

/* ---------------------------------------------------------------- world */

/* Room for one more part of the body, or of the world for -1; NULL when there is none. */
static struct part *add_part(const struct scene_spot *spot, const char *key, struct scene *scene,
                             int body)
{
    if (scene->part_count == SCENE_SHAPES_MAX) {
        scene_fail(spot, ERR_LIMIT, key, "more than 64 rectangles, disks and obstacles in all");
        return NULL;
    }
    scene->part_bodies[scene->part_count] = body;
    struct part *part = &scene->parts[scene->part_count++];
    *part = (struct part){.mirror = 1};
    return part;
}

/* Shape, place and angle of a part; its mass is for the caller. */
static void read_part(struct scene_spot *spot, enum part_shape shape, struct part *part)
{
    part->shape = shape;
    struct vec2 at = spot_vector(spot, "at_m");
    part->centre = (struct vec3){at.x, at.y, 0};
    if (shape == PART_DISK) {
        part->width_m = 2 * spot_need_number(spot, "radius_m", SCENE_LENGTH_MIN, SCENE_NUMBER_MAX);
        part->height_m = part->width_m;
    } else {
        part->angle_rad = spot_any(spot, "angle_rad");
    }
    if (shape == PART_BOX) {
        part->width_m = spot_need_number(spot, "width_m", SCENE_LENGTH_MIN, SCENE_NUMBER_MAX);
        part->height_m = spot_need_number(spot, "height_m", SCENE_LENGTH_MIN, SCENE_NUMBER_MAX);
    }
    part->cross_section_m = part->width_m < part->height_m ? part->width_m : part->height_m;
}

/* true: the plane y = 0; an object: a plane anywhere. */
static void read_ground(const struct scene_spot *world, struct scene *scene)
{
    if (!json_is_object(json_object_get(world->object, "ground"))) {
        scene->world.has_ground = spot_flag(world, "ground");
        scene_read_relief(world, scene->world.has_ground, 1, &scene->world.relief);
        return;
    }
    struct scene_spot spot = spot_open(world, "ground");
    struct part *part = add_part(world, "ground", scene, -1);
    if (part)
        read_part(&spot, PART_PLANE, part);
    spot_close(&spot);
}

static void read_obstacles(const struct scene_spot *world, struct scene *scene)
{
    static const char *const kinds[] = {"rectangle", "disk", "plane", NULL};
    struct scene_list list = spot_list(world, "obstacles", NULL);
    while (spot_next(&list)) {
        struct part *part = add_part(world, "obstacles", scene, -1);
        if (part)
            read_part(&list.spot, (enum part_shape)spot_choice(&list.spot, "kind", kinds), part);
    }
}

void scene_plane_read_world(struct scene_spot *spot, struct scene *scene)
{
    struct world *world = &scene->world;
    world->viscosity_pa_s = spot_number(spot, "viscosity_pa_s", 0, 0, 1e6);
    world->quadratic_drag_kg_m2 = spot_number(spot, "quadratic_drag_kg_m2", 0, 0, 1e6);
    read_ground(spot, scene);
    read_obstacles(spot, scene);
}

/* ---------------------------------------------------------------- bodies */

/* One rectangle or disk; its mass joins the body's where the body does not give its own. */
static void read_shape(struct scene_spot *spot, const char *key, struct scene *scene, int body,
                       int has_mass)
{
    int is_disk = strcmp(key, "disks") == 0;
    struct part *part = add_part(spot, "", scene, body);
    if (!part)
        return;
    read_part(spot, is_disk ? PART_DISK : PART_BOX, part);
    double area = part->width_m * part->height_m * (is_disk ? DET_PI / 4 : 1);
    if (!has_mass && spot_has(spot, "mass_kg"))
        part->mass_kg = spot_number(spot, "mass_kg", 0, 0, SCENE_NUMBER_MAX);
    else if (!has_mass)
        part->mass_kg = spot_need_number(spot, "density_kg_m2", 0, SCENE_NUMBER_MAX) * area;
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

void scene_plane_read_shapes(struct scene_spot *spot, struct scene *scene, int index)
{
    static const char *const keys[] = {"rectangles", "disks"};
    struct scene_body *body = &scene->bodies[index];
    int has_mass =
        spot_has(spot, "mass_kg") || spot_has(spot, "inertia_kg_m2") || spot_has(spot, "centre_m");
    int first = scene->part_count;
    for (int k = 0; k < 2; k++) {
        struct scene_list list = spot_list(spot, keys[k], NULL);
        while (spot_next(&list))
            read_shape(&list.spot, keys[k], scene, index, has_mass);
    }
    if (!has_mass && scene->part_count > first) {
        weigh_body(scene, body, first);
        return;
    }
    /* the body gives its mass outright, instead of those of its rectangles */
    body->mass_kg = spot_need_number(spot, "mass_kg", 0, SCENE_NUMBER_MAX);
    body->inertia_kg_m2 = spot_need_number(spot, "inertia_kg_m2", 0, SCENE_GAIN_MAX);
    body->centre = spot_vector(spot, "centre_m");
}

/* ---------------------------------------------------------------- joints */

static enum link_joint read_kind(const struct scene_spot *joint)
{
    static const char *const words[] = {"rotary", "rigid", "linear", NULL};
    static const enum link_joint kinds[] = {LINK_REVOLUTE, LINK_RIGID, LINK_LINEAR};
    return kinds[spot_choice(joint, "kind", words)];
}

void scene_plane_read_joint(struct scene_spot *joint, struct scene *scene, int index)
{
    struct scene_body *body = &scene->bodies[index];
    body->joint = read_kind(joint);
    body->parent = scene_read_to(joint, scene);
    body->at = spot_vector(joint, "at_m");
    body->own_at = spot_vector(joint, "own_at_m");
    if (body->joint != LINK_REVOLUTE)
        body->angle_rad = spot_any(joint, "angle_rad");
    if (body->joint == LINK_LINEAR)
        body->axis_rad = spot_any(joint, "axis_rad");
    if (body->joint != LINK_RIGID)
        scene_read_freedom(joint, body->joint == LINK_LINEAR, &body->freedom);
}

void scene_plane_read_free(struct scene_spot *spot, struct scene *scene, int index)
{
    struct scene_body *body = &scene->bodies[index];
    body->joint = LINK_PLANAR;
    body->at = spot_vector(spot, "position_m");
    body->velocity = spot_vector(spot, "velocity_m_s");
    body->angle_rad = spot_any(spot, "angle_rad");
    body->rate_rad_s = spot_any(spot, "rate_rad_s");
}

/* Joints between bodies that hang together already. */
static void read_loops(const struct scene_spot *top, struct scene *scene)
{
    struct scene_list list = spot_list(top, "loops", NULL);
    while (spot_next(&list)) {
        struct scene_spot *spot = &list.spot;
        if (scene->loop_count == SCENE_LOOPS_MAX) {
            scene_fail(top, ERR_LIMIT, "loops", "more than 16 loops");
            continue;
        }
        struct scene_loop *loop = &scene->loops[scene->loop_count++];
        json_t *name = spot_take(spot, "body");
        loop->a = json_is_string(name) ? scene_find_body(scene, json_string_value(name)) : -1;
        if (loop->a < 0)
            scene_fail(spot, ERR_UNKNOWN, "body", "the name of a body is expected");
        json_decref(name);
        loop->joint = read_kind(spot);
        loop->b = scene_read_to(spot, scene);
        if (loop->a == loop->b)
            scene_fail(spot, ERR_RANGE, "to", "is the body itself");
        loop->at_b = spot_vector(spot, "at_m");
        loop->at_a = spot_vector(spot, "own_at_m");
        if (loop->joint != LINK_REVOLUTE)
            loop->angle_rad = spot_any(spot, "angle_rad");
        if (loop->joint == LINK_LINEAR)
            loop->axis_rad = spot_any(spot, "axis_rad");
    }
}

/* A part that passes through everything passes through the ground, too; the ground then is a part
 * like others. */
static void make_ground_a_part(const struct scene_spot *top, struct scene *scene)
{
    int has_passing = 0;
    for (int i = 0; i < scene->body_count; i++)
        has_passing |= scene->bodies[i].passes;
    if (!scene->world.has_ground || !has_passing)
        return;
    if (scene->world.relief.depth_m > 0)
        scene_fail(top, ERR_RANGE, "world.relief", "not with bodies that pass through others");
    struct part *part = add_part(top, "bodies", scene, -1);
    if (part)
        part->shape = PART_PLANE;
    scene->world.has_ground = 0;
}

void scene_plane_read_rest(struct scene_spot *top, struct scene *scene)
{
    read_loops(top, scene);
    make_ground_a_part(top, scene);
    for (int i = 0; i < scene->part_count && scene->world.relief.depth_m > 0; i++)
        if (scene->parts[i].shape == PART_DISK)
            scene_fail(top, ERR_RANGE, "world.relief",
                       "disks have no contacts with a ground that has waves");
}

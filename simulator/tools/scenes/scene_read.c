/* Reads the JSON of a scene. Strict: what is unknown, missing, of the wrong type or out of range is
 * an error that names the file and the place, such as "pendulum.json: bodies[1].joint.at_m". Every
 * value is taken out of its object when it is read; what is left in the end is unknown. After the
 * first error, which is the one reported, reading goes on with harmless values. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/formats/file_kind.h"
#include "common/system/file.h"
#include "common/math/detmath.h"
#include "simulator/tools/scenes/scene_text.h"

/* ---------------------------------------------------------------- world and simulation */

/* A number is downwards; a vector is as it says. */
static void read_gravity(struct scene_reader *r, const struct scene_spot *spot, struct world *world)
{
    if (json_is_array(json_object_get(spot->object, "gravity_m_s2"))) {
        struct vec2 gravity = spot_vector(r, spot, "gravity_m_s2");
        world->gravity_x_m_s2 = gravity.x;
        world->gravity_m_s2 = -gravity.y;
        return;
    }
    world->gravity_m_s2 = spot_number(r, spot, "gravity_m_s2", 9.81, -1e6, 1e6);
}

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

/* Shape, place and angle of a part; what it weighs is for the caller. */
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

static void read_world(struct scene_reader *r, const struct scene_spot *top, struct scene *scene)
{
    static const char *const laws[] = {"linear", "quadratic", NULL};
    static const char *const faces[] = {"all", "leading", NULL};
    struct scene_spot spot = spot_open(r, top, "world");
    struct world *world = &scene->world;
    read_gravity(r, &spot, world);
    world->viscosity_pa_s = spot_number(r, &spot, "viscosity_pa_s", 0, 0, 1e6);
    world->drag_law = spot_choice(r, &spot, "drag_law", laws);
    world->quadratic_drag_kg_m2 = spot_number(r, &spot, "quadratic_drag_kg_m2", 0, 0, 1e6);
    world->drag_faces = spot_choice(r, &spot, "drag_faces", faces);
    world->drag_exposure = spot_flag(r, &spot, "drag_exposure");
    world->friction = spot_number(r, &spot, "friction", 0, 0, 1e6);
    world->elasticity = spot_number(r, &spot, "elasticity", 0, 0, 1);
    world->own_friction = world->friction;
    world->own_elasticity = world->elasticity;
    read_ground(r, &spot, scene);
    read_obstacles(r, &spot, scene);
    spot_close(r, &spot);
}

static void read_simulation(struct scene_reader *r, const struct scene_spot *top,
                            struct scene *scene)
{
    static const char *const solvers[] = {"articulated", "constraint", NULL};
    static const char *const integrators[] = {"auto", "rk4", "midpoint", NULL};
    struct scene_spot spot = spot_open(r, top, "simulation");
    struct params params;
    params_set_defaults(&params);
    scene->settings = (struct dynamics_settings){
        .solver = spot_choice(r, &spot, "solver", solvers),
        .integrator = spot_choice(r, &spot, "integrator", integrators),
        .dt_s = spot_number(r, &spot, "dt_s", 1.0 / 240, 1e-9, 1),
        .rtol = spot_number(r, &spot, "rtol", params.simulation_rtol, 1e-14, 0.1),
        .constraint_tau_s =
            spot_number(r, &spot, "constraint_tau_s", params.simulation_constraint_tau_s, 0, 100),
        .contact_epsilon_m = spot_number(r, &spot, "contact_epsilon_m", 0, 0, 1),
        .restitution_speed_m_s = spot_number(r, &spot, "restitution_speed_m_s", 0, 0, 1e6),
        .contact_sweeps = (int)params.simulation_contact_sweeps,
        .servo_rad_s = params.creature_servo_rad_s,
        .joint_speed_rad_s = params.creature_joint_speed_rad_s,
        .joint_speed_m_s = params.creature_joint_speed_m_s,
        .effector_mode = EFFECTOR_POSITION,
    };
    scene->until_s = spot_number(r, &spot, "until_s", 10, 0, 1e6);
    scene->interval_s = spot_number(r, &spot, "interval_s", 1.0 / 60, 1e-9, 1e6);
    spot_close(r, &spot);
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

static void read_shapes(struct scene_reader *r, struct scene_spot *spot, struct scene *scene,
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
    int is_linear = body->joint == SCENE_LINEAR;
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

/* "world", or the name of a body before `below`. */
static int read_to(struct scene_reader *r, const struct scene_spot *joint,
                   const struct scene *scene, int below)
{
    json_t *to = spot_take(joint, "to");
    const char *name = json_string_value(to);
    int found = -1;
    if (!name) {
        scene_fail(r, ERR_MISSING, joint, "to",
                   "\"world\" or the name of an earlier body is expected");
    } else if (strcmp(name, "world") != 0) {
        found = scene_find_body(scene, name);
        if (found < 0 || found >= below)
            scene_fail(r, ERR_UNKNOWN, joint, "to", "there is no earlier body of that name");
    }
    json_decref(to);
    return r->is_failed ? -1 : found;
}

static enum scene_joint read_kind(struct scene_reader *r, const struct scene_spot *joint)
{
    static const char *const words[] = {"rotary", "rigid", "linear", NULL};
    static const enum scene_joint kinds[] = {SCENE_ROTARY, SCENE_RIGID, SCENE_LINEAR};
    return kinds[spot_choice(r, joint, "kind", words)];
}

static void read_joint(struct scene_reader *r, struct scene_spot *joint, struct scene *scene,
                       int index)
{
    struct scene_body *body = &scene->bodies[index];
    body->joint = read_kind(r, joint);
    body->parent = read_to(r, joint, scene, index);
    body->at = spot_vector(r, joint, "at_m");
    body->own_at = spot_vector(r, joint, "own_at_m");
    if (body->joint != SCENE_ROTARY)
        body->angle_rad =
            spot_number(r, joint, "angle_rad", 0, -SCENE_NUMBER_MAX, SCENE_NUMBER_MAX);
    if (body->joint == SCENE_LINEAR)
        body->axis_rad = spot_number(r, joint, "axis_rad", 0, -SCENE_NUMBER_MAX, SCENE_NUMBER_MAX);
    if (body->joint != SCENE_RIGID)
        read_freedom(r, joint, scene, body);
}

static void read_name(struct scene_reader *r, const struct scene_spot *spot, struct scene *scene,
                      struct scene_body *body)
{
    json_t *value = spot_take(spot, "name");
    const char *text = json_string_value(value);
    size_t good = text ? strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_-") : 0;
    if (!text || good == 0 || text[good] != '\0' || good > SCENE_NAME_MAX ||
        strcmp(text, "world") == 0)
        scene_fail(r, ERR_FORMAT, spot, "name",
                   "a name of at most 31 small letters, digits, _ and - is expected");
    else if (scene_find_body(scene, text) >= 0)
        scene_fail(r, ERR_EXISTS, spot, "name", "an earlier body has that name");
    else
        snprintf(body->name, sizeof body->name, "%s", text);
    json_decref(value);
}

static void read_body(struct scene_reader *r, struct scene_spot *spot, struct scene *scene)
{
    int index = scene->body_count;
    struct scene_body *body = &scene->bodies[index];
    *body = (struct scene_body){.parent = -1};
    read_name(r, spot, scene, body);
    read_shapes(r, spot, scene, index);
    body->passes = spot_has(spot, "collides") && !spot_flag(r, spot, "collides");
    struct scene_spot joint = spot_open(r, spot, "joint");
    if (joint.object) {
        read_joint(r, &joint, scene, index);
    } else {
        body->at = spot_vector(r, spot, "position_m");
        body->velocity = spot_vector(r, spot, "velocity_m_s");
        body->angle_rad = spot_number(r, spot, "angle_rad", 0, -SCENE_NUMBER_MAX, SCENE_NUMBER_MAX);
        body->rate_rad_s =
            spot_number(r, spot, "rate_rad_s", 0, -SCENE_NUMBER_MAX, SCENE_NUMBER_MAX);
    }
    spot_close(r, &joint);
    scene->body_count++;
}

static void read_bodies(struct scene_reader *r, const struct scene_spot *top, struct scene *scene)
{
    struct scene_list list =
        spot_list(r, top, "bodies", "an array of at least one body is expected");
    while (spot_next(r, &list))
        if (scene->body_count == SCENE_BODIES_MAX)
            scene_fail(r, ERR_LIMIT, top, "bodies", "more than 31 bodies");
        else
            read_body(r, &list.spot, scene);
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
        loop->b = read_to(r, spot, scene, scene->body_count);
        if (loop->a == loop->b)
            scene_fail(r, ERR_RANGE, spot, "to", "is the body itself");
        loop->at_b = spot_vector(r, spot, "at_m");
        loop->at_a = spot_vector(r, spot, "own_at_m");
        if (loop->joint != SCENE_ROTARY)
            loop->angle_rad =
                spot_number(r, spot, "angle_rad", 0, -SCENE_NUMBER_MAX, SCENE_NUMBER_MAX);
        if (loop->joint == SCENE_LINEAR)
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

/* ---------------------------------------------------------------- the whole */

static void read_top(struct scene_reader *r, struct scene_spot *top, struct scene *scene)
{
    if (!json_is_object(top->object))
        scene_fail(r, ERR_FORMAT, top, "", "an object is expected");
    if (spot_need_number(r, top, "scene", 1, 1) != 1)
        scene_fail(r, ERR_VERSION, top, "scene", "only version 1 is known");
    if (spot_number(r, top, "dimensions", 2, -SCENE_NUMBER_MAX, SCENE_NUMBER_MAX) != 2)
        scene_fail(r, ERR_RANGE, top, "dimensions", "2 or 3 is expected");
    json_t *text = spot_take(top, "description");
    if (text && !json_is_string(text))
        scene_fail(r, ERR_FORMAT, top, "description", "a text is expected");
    json_decref(text);
    read_world(r, top, scene);
    read_simulation(r, top, scene);
    read_bodies(r, top, scene);
    read_loops(r, top, scene);
    make_ground_a_part(r, top, scene);
    refuse_disks_on_relief(r, top, scene);
}

int scene_read_text(struct scene *scene, const char *text, size_t length, const char *name,
                    struct error *error)
{
    json_error_t fault;
    struct scene_reader reader = {.name = name, .error = error};
    struct scene_spot top = {json_loadb(text, length, JSON_REJECT_DUPLICATES, &fault), ""};
    memset(scene, 0, sizeof *scene);
    if (!top.object)
        return error_set(error, ERR_FORMAT, "%s: line %d: %s", name, fault.line, fault.text);
    read_top(&reader, &top, scene);
    spot_close(&reader, &top);
    if (reader.is_failed)
        return error->code;
    if (scene_build(scene, error) != 0)
        return error_prefix(error, "%s", name);
    return 0;
}

int scene_read_file(struct scene *scene, const char *path, struct error *error)
{
    char *text;
    size_t length;
    if (file_read(path, SCENE_BYTES_MAX, &text, &length, error) != 0)
        return file_kind_explain(path, FILE_SCENE, error);
    int result = scene_read_text(scene, text, length, path, error);
    free(text);
    return result == 0 ? 0 : file_kind_explain(path, FILE_SCENE, error);
}

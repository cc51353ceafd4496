/* Reads the JSON of a scene. Strict: what is unknown, missing, of the wrong type or out of range is an
 * error that names the file and the place, such as "pendulum.json: bodies[1].joint.at_m". Every value
 * is taken out of its object when it is read; what is left in the end is unknown. After the first
 * error, which is the one reported, reading goes on with harmless values. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "simulator/tools/scene.h"

/* Scenes are written by hand. */
#define SCENE_BYTES_MAX (1u << 20)
/* Bounds that keep arithmetic finite. */
#define NUMBER_MAX 1e9
#define GAIN_MAX   1e15
#define LENGTH_MIN 1e-12
#define PI         3.14159265358979323846

struct reader {
    const char *name;
    struct error *error;
    int is_failed;
};

/* An object and where it stands; object is NULL where there is none. */
struct spot {
    json_t *object;
    char place[96];
};

static void fail(struct reader *r, int code, const struct spot *spot, const char *key,
                 const char *text)
{
    int is_inner = *spot->place && *key;
    if (!r->is_failed)
        error_set(r->error, code, "%s: %s%s%s%s%s", r->name, spot->place, is_inner ? "." : "", key,
                  *spot->place || *key ? ": " : "", text);
    r->is_failed = 1;
}

/* ---------------------------------------------------------------- values */

/* The value under the key, out of the object, to be released by the caller; NULL where there is none. */
static json_t *take(const struct spot *spot, const char *key)
{
    json_t *value = json_incref(json_object_get(spot->object, key));
    json_object_del(spot->object, key);
    return value;
}

static int has(const struct spot *spot, const char *key)
{
    return json_object_get(spot->object, key) != NULL;
}

static double check_number(struct reader *r, const struct spot *spot, const char *key,
                           const json_t *value, double least, double most)
{
    double number = json_number_value(value);
    char text[96];
    snprintf(text, sizeof text, "%.6g is not within %g .. %g", number, least, most);
    if (!json_is_number(value))
        fail(r, ERR_FORMAT, spot, key, "a number is expected");
    else if (!(number >= least && number <= most))
        fail(r, ERR_RANGE, spot, key, text);
    else
        return number;
    return least > 0 ? least : 0;
}

static double take_number(struct reader *r, const struct spot *spot, const char *key,
                          double fallback, double least, double most)
{
    json_t *value = take(spot, key);
    double number = value ? check_number(r, spot, key, value, least, most) : fallback;
    json_decref(value);
    return number;
}

/* A number that must be there. */
static double need_number(struct reader *r, const struct spot *spot, const char *key, double least,
                          double most)
{
    if (!has(spot, key))
        fail(r, ERR_MISSING, spot, key, "missing");
    return take_number(r, spot, key, least > 0 ? least : 0, least, most);
}

/* [x, y]; without it (0, 0). */
static struct vec2 take_vector(struct reader *r, const struct spot *spot, const char *key)
{
    json_t *value = take(spot, key);
    struct vec2 vector = {0, 0};
    if (value && json_is_array(value) && json_array_size(value) == 2) {
        vector.x = check_number(r, spot, key, json_array_get(value, 0), -NUMBER_MAX, NUMBER_MAX);
        vector.y = check_number(r, spot, key, json_array_get(value, 1), -NUMBER_MAX, NUMBER_MAX);
    } else if (value) {
        fail(r, ERR_FORMAT, spot, key, "two numbers [x, y] are expected");
    }
    json_decref(value);
    return vector;
}

static int take_flag(struct reader *r, const struct spot *spot, const char *key)
{
    json_t *value = take(spot, key);
    if (value && !json_is_boolean(value))
        fail(r, ERR_FORMAT, spot, key, "true or false is expected");
    int flag = value && json_is_true(value);
    json_decref(value);
    return flag;
}

/* One of the words, or 0 where there is none; words end with NULL. */
static int take_choice(struct reader *r, const struct spot *spot, const char *key,
                       const char *const *words)
{
    json_t *value = take(spot, key);
    const char *text = json_string_value(value);
    char message[96] = "one of these words is expected:";
    int choice = 0, at = 0;
    while (text && words[at] && strcmp(words[at], text) != 0)
        at++;
    if (text && words[at])
        choice = at;
    for (int i = 0; words[i]; i++) {
        size_t used = strlen(message);
        snprintf(message + used, sizeof message - used, " %s", words[i]);
    }
    if (value && (!text || !words[at]))
        fail(r, ERR_FORMAT, spot, key, message);
    json_decref(value);
    return choice;
}

static struct spot open_spot(struct reader *r, const struct spot *in, const char *key)
{
    struct spot spot = {take(in, key), ""};
    snprintf(spot.place, sizeof spot.place, "%.60s%s%.30s", in->place, *in->place ? "." : "", key);
    if (spot.object && !json_is_object(spot.object))
        fail(r, ERR_FORMAT, &spot, "", "an object is expected");
    return spot;
}

/* Member i of an array that stands at a key of `in`. */
static struct spot open_member(struct reader *r, const struct spot *in, const char *key,
                               json_t *array, size_t i)
{
    struct spot spot = {json_incref(json_array_get(array, i)), ""};
    snprintf(spot.place, sizeof spot.place, "%.50s%s%.20s[%zu]", in->place, *in->place ? "." : "",
             key, i);
    if (!json_is_object(spot.object))
        fail(r, ERR_FORMAT, &spot, "", "an object is expected");
    return spot;
}

/* What is still in it has no meaning there. */
static void close_spot(struct reader *r, struct spot *spot)
{
    char key[64] = "";
    void *left = json_object_iter(spot->object);
    if (left) {
        snprintf(key, sizeof key, "%.60s", json_object_iter_key(left));
        fail(r, ERR_UNKNOWN, spot, key, "unknown here");
    }
    json_decref(spot->object);
    spot->object = NULL;
}

/* ---------------------------------------------------------------- world and simulation */

/* A number is downwards; a vector is as it says. */
static void read_gravity(struct reader *r, const struct spot *spot, struct world *world)
{
    if (json_is_array(json_object_get(spot->object, "gravity_m_s2"))) {
        struct vec2 gravity = take_vector(r, spot, "gravity_m_s2");
        world->gravity_x_m_s2 = gravity.x;
        world->gravity_m_s2 = -gravity.y;
        return;
    }
    world->gravity_m_s2 = take_number(r, spot, "gravity_m_s2", 9.81, -1e6, 1e6);
}

/* Room for one more part of the body, or of the world for -1; NULL when there is none. */
static struct part *add_part(struct reader *r, const struct spot *spot, const char *key,
                             struct scene *scene, int body)
{
    if (scene->part_count == SCENE_SHAPES_MAX) {
        fail(r, ERR_LIMIT, spot, key, "more than 64 rectangles, disks and obstacles in all");
        return NULL;
    }
    scene->part_bodies[scene->part_count] = body;
    struct part *part = &scene->parts[scene->part_count++];
    *part = (struct part){.mirror = 1};
    return part;
}

/* Shape, place and angle of a part; what it weighs is for the caller. */
static void read_part(struct reader *r, struct spot *spot, enum part_shape shape, struct part *part)
{
    part->shape = shape;
    struct vec2 at = take_vector(r, spot, "at_m");
    part->centre = (struct vec3){at.x, at.y, 0};
    if (shape == PART_DISK) {
        part->width_m = 2 * need_number(r, spot, "radius_m", LENGTH_MIN, NUMBER_MAX);
        part->height_m = part->width_m;
    } else {
        part->angle_rad = take_number(r, spot, "angle_rad", 0, -NUMBER_MAX, NUMBER_MAX);
    }
    if (shape == PART_RECTANGLE) {
        part->width_m = need_number(r, spot, "width_m", LENGTH_MIN, NUMBER_MAX);
        part->height_m = need_number(r, spot, "height_m", LENGTH_MIN, NUMBER_MAX);
    }
    part->cross_section_m = part->width_m < part->height_m ? part->width_m : part->height_m;
}

/* true: the plane y = 0; an object: a plane anywhere. */
static void read_ground(struct reader *r, const struct spot *world, struct scene *scene)
{
    if (!json_is_object(json_object_get(world->object, "ground"))) {
        scene->world.has_ground = take_flag(r, world, "ground");
        return;
    }
    struct spot spot = open_spot(r, world, "ground");
    struct part *part = add_part(r, world, "ground", scene, -1);
    if (part)
        read_part(r, &spot, PART_PLANE, part);
    close_spot(r, &spot);
}

static void read_obstacles(struct reader *r, const struct spot *world, struct scene *scene)
{
    static const char *const kinds[] = {"rectangle", "disk", "plane", NULL};
    json_t *array = take(world, "obstacles");
    if (array && !json_is_array(array))
        fail(r, ERR_FORMAT, world, "obstacles", "an array is expected");
    for (size_t i = 0; i < json_array_size(array) && !r->is_failed; i++) {
        struct spot spot = open_member(r, world, "obstacles", array, i);
        struct part *part = add_part(r, world, "obstacles", scene, -1);
        if (part)
            read_part(r, &spot, (enum part_shape)take_choice(r, &spot, "kind", kinds), part);
        close_spot(r, &spot);
    }
    json_decref(array);
}

static void read_world(struct reader *r, const struct spot *top, struct scene *scene)
{
    static const char *const laws[] = {"linear", "quadratic", NULL};
    static const char *const faces[] = {"all", "leading", NULL};
    struct spot spot = open_spot(r, top, "world");
    struct world *world = &scene->world;
    read_gravity(r, &spot, world);
    world->viscosity_pa_s = take_number(r, &spot, "viscosity_pa_s", 0, 0, 1e6);
    world->drag_law = take_choice(r, &spot, "drag_law", laws);
    world->quadratic_drag_kg_m2 = take_number(r, &spot, "quadratic_drag_kg_m2", 0, 0, 1e6);
    world->drag_faces = take_choice(r, &spot, "drag_faces", faces);
    world->drag_exposure = take_flag(r, &spot, "drag_exposure");
    world->friction = take_number(r, &spot, "friction", 0, 0, 1e6);
    world->elasticity = take_number(r, &spot, "elasticity", 0, 0, 1);
    world->own_friction = world->friction;
    world->own_elasticity = world->elasticity;
    read_ground(r, &spot, scene);
    read_obstacles(r, &spot, scene);
    close_spot(r, &spot);
}

static void read_simulation(struct reader *r, const struct spot *top, struct scene *scene)
{
    static const char *const solvers[] = {"articulated", "constraint", NULL};
    static const char *const integrators[] = {"auto", "rk4", "midpoint", NULL};
    struct spot spot = open_spot(r, top, "simulation");
    struct params params;
    params_set_defaults(&params);
    scene->settings = (struct dynamics_settings){
        .solver = take_choice(r, &spot, "solver", solvers),
        .integrator = take_choice(r, &spot, "integrator", integrators),
        .dt_s = take_number(r, &spot, "dt_s", 1.0 / 240, 1e-9, 1),
        .rtol = take_number(r, &spot, "rtol", params.simulation_rtol, 1e-14, 0.1),
        .constraint_tau_s =
            take_number(r, &spot, "constraint_tau_s", params.simulation_constraint_tau_s, 0, 100),
        .contact_epsilon_m = take_number(r, &spot, "contact_epsilon_m", 0, 0, 1),
        .restitution_speed_m_s = take_number(r, &spot, "restitution_speed_m_s", 0, 0, 1e6),
        .contact_sweeps = (int)params.simulation_contact_sweeps,
        .servo_rad_s = params.creature_servo_rad_s,
        .joint_speed_rad_s = params.creature_joint_speed_rad_s,
        .joint_speed_m_s = params.creature_joint_speed_m_s,
        .effector_mode = EFFECTOR_POSITION,
    };
    scene->until_s = take_number(r, &spot, "until_s", 10, 0, 1e6);
    scene->interval_s = take_number(r, &spot, "interval_s", 1.0 / 60, 1e-9, 1e6);
    close_spot(r, &spot);
}

/* ---------------------------------------------------------------- bodies */

/* Mass properties that the body gives outright, instead of those of its rectangles. */
static void read_mass(struct reader *r, const struct spot *spot, struct scene_body *body)
{
    body->mass_kg = need_number(r, spot, "mass_kg", 0, NUMBER_MAX);
    body->inertia_kg_m2 = need_number(r, spot, "inertia_kg_m2", 0, GAIN_MAX);
    body->centre = take_vector(r, spot, "centre_m");
}

/* One rectangle or disk; its mass joins the body's where the body does not give its own. */
static void read_shape(struct reader *r, struct spot *spot, const char *key, struct scene *scene,
                       int body, int has_mass)
{
    int is_disk = strcmp(key, "disks") == 0;
    struct part *part = add_part(r, spot, "", scene, body);
    if (!part)
        return;
    read_part(r, spot, is_disk ? PART_DISK : PART_RECTANGLE, part);
    double area = part->width_m * part->height_m * (is_disk ? PI / 4 : 1);
    if (!has_mass && has(spot, "mass_kg"))
        part->mass_kg = take_number(r, spot, "mass_kg", 0, 0, NUMBER_MAX);
    else if (!has_mass)
        part->mass_kg = need_number(r, spot, "density_kg_m2", 0, NUMBER_MAX) * area;
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

static void read_shapes(struct reader *r, struct spot *spot, struct scene *scene, int index)
{
    static const char *const keys[] = {"rectangles", "disks"};
    struct scene_body *body = &scene->bodies[index];
    int has_mass = has(spot, "mass_kg") || has(spot, "inertia_kg_m2") || has(spot, "centre_m");
    int first = scene->part_count;
    for (int k = 0; k < 2; k++) {
        json_t *array = take(spot, keys[k]);
        if (array && !json_is_array(array))
            fail(r, ERR_FORMAT, spot, keys[k], "an array is expected");
        for (size_t i = 0; i < json_array_size(array) && !r->is_failed; i++) {
            struct spot member = open_member(r, spot, keys[k], array, i);
            read_shape(r, &member, keys[k], scene, index, has_mass);
            close_spot(r, &member);
        }
        json_decref(array);
    }
    if (has_mass || scene->part_count == first)
        read_mass(r, spot, body);
    else
        weigh_body(scene, body, first);
}

/* ---------------------------------------------------------------- signals */

/* Numbers of the scene for tables; NULL when there are none left. */
static double *take_table(struct scene *scene, size_t count)
{
    if (count > (size_t)(SCENE_TABLE_NUMBERS - scene->table_used))
        return NULL;
    double *numbers = scene->table + scene->table_used;
    scene->table_used += (int)count;
    return numbers;
}

/* [[time, value], ...] with rising times. */
static void read_table(struct reader *r, const struct spot *spot, struct scene *scene,
                       enum signal_table kind, struct signal *signal)
{
    json_t *array = take(spot, "table");
    size_t count = json_array_size(array);
    double *numbers = count > 0 && count <= SIGNAL_POINTS_MAX ? take_table(scene, 3 * count) : NULL;
    if (!json_is_array(array) || count == 0)
        fail(r, ERR_FORMAT, spot, "table", "points [[time, value], ...] are expected");
    else if (!numbers)
        fail(r, ERR_LIMIT, spot, "table", "too many points");
    for (size_t i = 0; i < count && !r->is_failed; i++) {
        json_t *point = json_array_get(array, i);
        if (json_array_size(point) != 2) {
            fail(r, ERR_FORMAT, spot, "table", "points [[time, value], ...] are expected");
            break;
        }
        numbers[i] =
            check_number(r, spot, "table", json_array_get(point, 0), -NUMBER_MAX, NUMBER_MAX);
        numbers[count + i] =
            check_number(r, spot, "table", json_array_get(point, 1), -GAIN_MAX, GAIN_MAX);
        if (i > 0 && !(numbers[i] > numbers[i - 1]))
            fail(r, ERR_RANGE, spot, "table", "times do not rise");
    }
    json_decref(array);
    if (r->is_failed)
        return;
    signal->count = (int)count;
    signal->table = kind;
    signal->times_s = numbers;
    signal->values = numbers + count;
    signal->bends = numbers + 2 * count;
}

/* A number, or an object with a line, a sine and a table that are added up. */
static void read_signal(struct reader *r, const struct spot *in, const char *key,
                        struct scene *scene, enum signal_table kind, struct signal *signal)
{
    *signal = (struct signal){0};
    if (!json_is_object(json_object_get(in->object, key))) {
        signal->offset = take_number(r, in, key, 0, -GAIN_MAX, GAIN_MAX);
        return;
    }
    struct spot spot = open_spot(r, in, key);
    signal->offset = take_number(r, &spot, "offset", 0, -GAIN_MAX, GAIN_MAX);
    signal->slope = take_number(r, &spot, "slope_1_s", 0, -GAIN_MAX, GAIN_MAX);
    signal->amplitude = take_number(r, &spot, "amplitude", 0, -GAIN_MAX, GAIN_MAX);
    if (signal->amplitude != 0 || has(&spot, "frequency_hz"))
        signal->rate_rad_s = 2 * PI * need_number(r, &spot, "frequency_hz", 0, 1e6);
    signal->phase_rad = take_number(r, &spot, "phase_rad", 0, -NUMBER_MAX, NUMBER_MAX);
    if (has(&spot, "table"))
        read_table(r, &spot, scene, kind, signal);
    close_spot(r, &spot);
    if (signal->count == 0 || kind != SIGNAL_SPLINE)
        return;
    double scratch[SIGNAL_POINTS_MAX];
    signal_bend(signal, scratch);
}

static int is_constant(const struct signal *signal)
{
    return signal->slope == 0 && signal->amplitude == 0 && signal->count == 0;
}

/* signal = offset + factor * signal */
static void scale_signal(struct scene *scene, struct signal *signal, double factor, double offset)
{
    signal->offset = offset + factor * signal->offset;
    signal->slope *= factor;
    signal->amplitude *= factor;
    for (int i = 0; i < signal->count; i++)
        scene->table[signal->values - scene->table + i] *= factor;
}

/* ---------------------------------------------------------------- joints */

/* Keys of what a joint of a kind has. */
struct joint_keys {
    const char *start, *rate, *lower, *upper, *damping, *stiffness, *rest, *effort, *motion;
    const char *kp, *kd, *target, *target_rate, *bound;
};
static const struct joint_keys rotary_keys = {
    "angle_rad",         "rate_rad_s", "lower_rad",         "upper_rad",  "damping_n_m_s_rad",
    "stiffness_n_m_rad", "rest_rad",   "torque_n_m",        "motion_rad", "kp_n_m_rad",
    "kd_n_m_s_rad",      "target_rad", "target_rate_rad_s", "bound_n_m"};
static const struct joint_keys linear_keys = {
    "extension_m",   "rate_m_s", "lower_m",         "upper_m",  "damping_n_s_m",
    "stiffness_n_m", "rest_m",   "force_n",         "motion_m", "kp_n_m",
    "kd_n_s_m",      "target_m", "target_rate_m_s", "bound_n"};

static void read_servo(struct reader *r, const struct spot *joint, const struct joint_keys *keys,
                       struct scene *scene, struct scene_body *body)
{
    struct servo *drive = &body->drive;
    struct spot spot = open_spot(r, joint, "servo");
    drive->kp = need_number(r, &spot, keys->kp, 0, GAIN_MAX);
    drive->kd = take_number(r, &spot, keys->kd, 0, 0, GAIN_MAX);
    read_signal(r, &spot, keys->target, scene, SIGNAL_SPLINE, &body->signal);
    drive->target = body->signal.offset;
    drive->rate = take_number(r, &spot, keys->target_rate, 0, -NUMBER_MAX, NUMBER_MAX);
    drive->torque_max = take_number(r, &spot, keys->bound, HUGE_VAL, 0, GAIN_MAX);
    if (!is_constant(&body->signal)) {
        body->signal.slope += drive->rate;
        drive->signal = &body->signal;
    }
    close_spot(r, &spot);
    if (has(joint, "spring") || has(joint, keys->effort))
        fail(r, ERR_FORMAT, joint, "servo", "not together with a spring or a torque or force");
}

/* A spring and a torque or force together: that is a spring with another rest. */
static void read_spring(struct reader *r, const struct spot *joint, const struct joint_keys *keys,
                        struct scene *scene, struct scene_body *body)
{
    struct servo *drive = &body->drive;
    struct signal *effort = &body->signal;
    read_signal(r, joint, keys->effort, scene, SIGNAL_LINES, effort);
    struct spot spot = open_spot(r, joint, "spring");
    if (spot.object) {
        drive->law = SERVO_SPRING;
        drive->kp = need_number(r, &spot, keys->stiffness, 1e-9, GAIN_MAX);
        double rest = take_number(r, &spot, keys->rest, 0, -NUMBER_MAX, NUMBER_MAX);
        scale_signal(scene, effort, 1 / drive->kp, rest);
        drive->target = effort->offset;
    } else {
        drive->law = SERVO_TORQUE;
        if (is_constant(effort))
            drive->torque_max = fabs(effort->offset);
        drive->target = effort->offset < 0 ? -1 : 1;
    }
    if (!is_constant(effort))
        drive->signal = effort;
    close_spot(r, &spot);
}

/* What acts in a joint: a spring and a torque together, a servo, or a motion. */
static void read_drive(struct reader *r, const struct spot *joint, const struct joint_keys *keys,
                       struct scene *scene, struct scene_body *body)
{
    if (has(joint, keys->motion)) {
        body->drive = (struct servo){.law = SERVO_MOTION, .signal = &body->signal};
        read_signal(r, joint, keys->motion, scene, SIGNAL_SPLINE, &body->signal);
        return;
    }
    body->drive = (struct servo){
        .damping = take_number(r, joint, keys->damping, 0, 0, GAIN_MAX),
        .torque_max = HUGE_VAL,
    };
    if (has(joint, "servo"))
        read_servo(r, joint, keys, scene, body);
    else
        read_spring(r, joint, keys, scene, body);
}

/* Coordinate, limits and drive of a joint that moves. What a motion prescribes is left unread. */
static void read_freedom(struct reader *r, const struct spot *joint, const struct joint_keys *keys,
                         struct scene *scene, struct scene_body *body)
{
    double start = 0, rate = 0;
    body->lower = -HUGE_VAL;
    body->upper = HUGE_VAL;
    if (!has(joint, keys->motion)) {
        start = take_number(r, joint, keys->start, 0, -NUMBER_MAX, NUMBER_MAX);
        rate = take_number(r, joint, keys->rate, 0, -NUMBER_MAX, NUMBER_MAX);
        body->lower = take_number(r, joint, keys->lower, -HUGE_VAL, -NUMBER_MAX, NUMBER_MAX);
        body->upper = take_number(r, joint, keys->upper, HUGE_VAL, -NUMBER_MAX, NUMBER_MAX);
    }
    if (body->lower > body->upper)
        fail(r, ERR_RANGE, joint, keys->lower, "is above the upper limit");
    if (keys == &linear_keys) {
        body->extension_m = start;
        body->rate_m_s = rate;
    } else {
        body->angle_rad = start;
        body->rate_rad_s = rate;
    }
    read_drive(r, joint, keys, scene, body);
}

/* "world", or the name of a body before `below`. */
static int read_to(struct reader *r, const struct spot *joint, const struct scene *scene, int below)
{
    json_t *to = take(joint, "to");
    const char *name = json_string_value(to);
    int found = -1;
    if (!name) {
        fail(r, ERR_MISSING, joint, "to", "\"world\" or the name of an earlier body is expected");
    } else if (strcmp(name, "world") != 0) {
        found = scene_find_body(scene, name);
        if (found < 0 || found >= below)
            fail(r, ERR_UNKNOWN, joint, "to", "there is no earlier body of that name");
    }
    json_decref(to);
    return r->is_failed ? -1 : found;
}

static enum scene_joint read_kind(struct reader *r, const struct spot *joint)
{
    static const char *const words[] = {"rotary", "rigid", "linear", NULL};
    static const enum scene_joint kinds[] = {SCENE_ROTARY, SCENE_RIGID, SCENE_LINEAR};
    return kinds[take_choice(r, joint, "kind", words)];
}

static void read_joint(struct reader *r, struct spot *joint, struct scene *scene, int index)
{
    struct scene_body *body = &scene->bodies[index];
    body->joint = read_kind(r, joint);
    body->parent = read_to(r, joint, scene, index);
    body->at = take_vector(r, joint, "at_m");
    body->own_at = take_vector(r, joint, "own_at_m");
    if (body->joint != SCENE_ROTARY)
        body->angle_rad = take_number(r, joint, "angle_rad", 0, -NUMBER_MAX, NUMBER_MAX);
    if (body->joint == SCENE_LINEAR)
        body->axis_rad = take_number(r, joint, "axis_rad", 0, -NUMBER_MAX, NUMBER_MAX);
    if (body->joint != SCENE_RIGID)
        read_freedom(r, joint, body->joint == SCENE_LINEAR ? &linear_keys : &rotary_keys, scene,
                     body);
}

static void read_name(struct reader *r, const struct spot *spot, struct scene *scene,
                      struct scene_body *body)
{
    json_t *value = take(spot, "name");
    const char *text = json_string_value(value);
    size_t good = text ? strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_-") : 0;
    if (!text || good == 0 || text[good] != '\0' || good > SCENE_NAME_MAX ||
        strcmp(text, "world") == 0)
        fail(r, ERR_FORMAT, spot, "name",
             "a name of at most 31 small letters, digits, _ and - is expected");
    else if (scene_find_body(scene, text) >= 0)
        fail(r, ERR_EXISTS, spot, "name", "an earlier body has that name");
    else
        snprintf(body->name, sizeof body->name, "%s", text);
    json_decref(value);
}

static void read_body(struct reader *r, struct spot *spot, struct scene *scene)
{
    int index = scene->body_count;
    struct scene_body *body = &scene->bodies[index];
    *body = (struct scene_body){.parent = -1};
    read_name(r, spot, scene, body);
    read_shapes(r, spot, scene, index);
    body->passes = has(spot, "collides") && !take_flag(r, spot, "collides");
    struct spot joint = open_spot(r, spot, "joint");
    if (joint.object) {
        read_joint(r, &joint, scene, index);
    } else {
        body->at = take_vector(r, spot, "position_m");
        body->velocity = take_vector(r, spot, "velocity_m_s");
        body->angle_rad = take_number(r, spot, "angle_rad", 0, -NUMBER_MAX, NUMBER_MAX);
        body->rate_rad_s = take_number(r, spot, "rate_rad_s", 0, -NUMBER_MAX, NUMBER_MAX);
    }
    close_spot(r, &joint);
    scene->body_count++;
}

static void read_bodies(struct reader *r, const struct spot *top, struct scene *scene)
{
    json_t *array = take(top, "bodies");
    if (!json_is_array(array) || json_array_size(array) == 0)
        fail(r, ERR_MISSING, top, "bodies", "an array of at least one body is expected");
    for (size_t i = 0; i < json_array_size(array) && !r->is_failed; i++) {
        if (scene->body_count == SCENE_BODIES_MAX) {
            fail(r, ERR_LIMIT, top, "bodies", "more than 31 bodies");
            break;
        }
        struct spot spot = open_member(r, top, "bodies", array, i);
        read_body(r, &spot, scene);
        close_spot(r, &spot);
    }
    json_decref(array);
}

/* Joints between bodies that hang together already. */
static void read_loops(struct reader *r, const struct spot *top, struct scene *scene)
{
    json_t *array = take(top, "loops");
    if (array && !json_is_array(array))
        fail(r, ERR_FORMAT, top, "loops", "an array is expected");
    for (size_t i = 0; i < json_array_size(array) && !r->is_failed; i++) {
        struct spot spot = open_member(r, top, "loops", array, i);
        if (scene->loop_count == SCENE_LOOPS_MAX) {
            fail(r, ERR_LIMIT, top, "loops", "more than 16 loops");
            close_spot(r, &spot);
            break;
        }
        struct scene_loop *loop = &scene->loops[scene->loop_count++];
        json_t *name = take(&spot, "body");
        loop->a = json_is_string(name) ? scene_find_body(scene, json_string_value(name)) : -1;
        if (loop->a < 0)
            fail(r, ERR_UNKNOWN, &spot, "body", "the name of a body is expected");
        json_decref(name);
        loop->joint = read_kind(r, &spot);
        loop->b = read_to(r, &spot, scene, scene->body_count);
        if (loop->a == loop->b)
            fail(r, ERR_RANGE, &spot, "to", "is the body itself");
        loop->at_b = take_vector(r, &spot, "at_m");
        loop->at_a = take_vector(r, &spot, "own_at_m");
        if (loop->joint != SCENE_ROTARY)
            loop->angle_rad = take_number(r, &spot, "angle_rad", 0, -NUMBER_MAX, NUMBER_MAX);
        if (loop->joint == SCENE_LINEAR)
            loop->axis_rad = take_number(r, &spot, "axis_rad", 0, -NUMBER_MAX, NUMBER_MAX);
        close_spot(r, &spot);
    }
    json_decref(array);
}

/* What passes through everything passes through the ground too, which then is a part like others. */
static void make_ground_a_part(struct reader *r, const struct spot *top, struct scene *scene)
{
    int has_passing = 0;
    for (int i = 0; i < scene->body_count; i++)
        has_passing |= scene->bodies[i].passes;
    if (!scene->world.has_ground || !has_passing)
        return;
    struct part *part = add_part(r, top, "bodies", scene, -1);
    if (part)
        part->shape = PART_PLANE;
    scene->world.has_ground = 0;
}

/* ---------------------------------------------------------------- the whole */

static void read_top(struct reader *r, struct spot *top, struct scene *scene)
{
    if (!json_is_object(top->object))
        fail(r, ERR_FORMAT, top, "", "an object is expected");
    if (need_number(r, top, "scene", 1, 1) != 1)
        fail(r, ERR_VERSION, top, "scene", "only version 1 is known");
    json_t *text = take(top, "description");
    if (text && !json_is_string(text))
        fail(r, ERR_FORMAT, top, "description", "a text is expected");
    json_decref(text);
    read_world(r, top, scene);
    read_simulation(r, top, scene);
    read_bodies(r, top, scene);
    read_loops(r, top, scene);
    make_ground_a_part(r, top, scene);
}

int scene_read_text(struct scene *scene, const char *text, size_t length, const char *name,
                    struct error *error)
{
    json_error_t fault;
    struct reader reader = {.name = name, .error = error};
    struct spot top = {json_loadb(text, length, JSON_REJECT_DUPLICATES, &fault), ""};
    memset(scene, 0, sizeof *scene);
    if (!top.object)
        return error_set(error, ERR_FORMAT, "%s: line %d: %s", name, fault.line, fault.text);
    read_top(&reader, &top, scene);
    close_spot(&reader, &top);
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
        return error->code;
    int result = scene_read_text(scene, text, length, path, error);
    free(text);
    return result;
}

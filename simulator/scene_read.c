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
#include "simulator/scene.h"

/* Scenes are written by hand. */
#define SCENE_BYTES_MAX (1u << 20)
/* Bounds that keep arithmetic finite. */
#define NUMBER_MAX 1e9
#define GAIN_MAX   1e15
#define LENGTH_MIN 1e-12

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

static void read_world(struct reader *r, const struct spot *top, struct world *world)
{
    struct spot spot = open_spot(r, top, "world");
    *world = (struct world){
        .gravity_m_s2 = take_number(r, &spot, "gravity_m_s2", 9.81, -1e6, 1e6),
        .viscosity_pa_s = take_number(r, &spot, "viscosity_pa_s", 0, 0, 1e6),
        .has_ground = take_flag(r, &spot, "ground"),
        .friction = take_number(r, &spot, "friction", 0, 0, 1e6),
        .elasticity = take_number(r, &spot, "elasticity", 0, 0, 1),
    };
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
        .constraint_tau_s = take_number(r, &spot, "constraint_tau_s",
                                        params.simulation_constraint_tau_s, 1e-6, 100),
        .contact_epsilon_m = take_number(r, &spot, "contact_epsilon_m", 0, 0, 1),
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

/* One rectangle; its mass joins the body's where the body does not give its own. */
static void read_rectangle(struct reader *r, struct spot *spot, struct scene *scene, int body,
                           int has_mass)
{
    struct vec2 at = take_vector(r, spot, "at_m");
    double width = need_number(r, spot, "width_m", LENGTH_MIN, NUMBER_MAX);
    double height = need_number(r, spot, "height_m", LENGTH_MIN, NUMBER_MAX), mass = 0;
    if (!has_mass && has(spot, "mass_kg"))
        mass = take_number(r, spot, "mass_kg", 0, 0, NUMBER_MAX);
    else if (!has_mass)
        mass = need_number(r, spot, "density_kg_m2", 0, NUMBER_MAX) * width * height;
    scene->part_bodies[scene->phenotype.part_count] = body;
    scene->parts[scene->phenotype.part_count++] = (struct part){
        .mirror = 1,
        .width_m = width,
        .height_m = height,
        .mass_kg = mass,
        .centre = at,
        .angle_rad = take_number(r, spot, "angle_rad", 0, -NUMBER_MAX, NUMBER_MAX),
        .cross_section_m = width < height ? width : height,
    };
}

/* Mass, centre and inertia of a body from its rectangles, which are the last ones. */
static void weigh_body(const struct scene *scene, struct scene_body *body, int first)
{
    const struct part *parts = scene->parts;
    int count = scene->phenotype.part_count;
    for (int i = first; i < count; i++) {
        body->mass_kg += parts[i].mass_kg;
        body->centre.x += parts[i].mass_kg * parts[i].centre.x;
        body->centre.y += parts[i].mass_kg * parts[i].centre.y;
    }
    if (body->mass_kg > 0) {
        body->centre.x /= body->mass_kg;
        body->centre.y /= body->mass_kg;
    }
    for (int i = first; i < count; i++) {
        double x = parts[i].centre.x - body->centre.x, y = parts[i].centre.y - body->centre.y;
        double width = parts[i].width_m, height = parts[i].height_m;
        body->inertia_kg_m2 +=
            parts[i].mass_kg * ((width * width + height * height) / 12 + x * x + y * y);
    }
}

static void read_shape(struct reader *r, struct spot *spot, struct scene *scene, int index)
{
    struct scene_body *body = &scene->bodies[index];
    json_t *array = take(spot, "rectangles");
    int has_mass = has(spot, "mass_kg") || has(spot, "inertia_kg_m2") || has(spot, "centre_m");
    int first = scene->phenotype.part_count;
    if (array && !json_is_array(array))
        fail(r, ERR_FORMAT, spot, "rectangles", "an array is expected");
    if (json_array_size(array) == 0)
        has_mass = 1;
    for (size_t i = 0; i < json_array_size(array); i++) {
        if (scene->phenotype.part_count == SCENE_RECTANGLES_MAX) {
            fail(r, ERR_LIMIT, spot, "rectangles", "more than 64 rectangles in all");
            break;
        }
        struct spot member = open_member(r, spot, "rectangles", array, i);
        read_rectangle(r, &member, scene, index, has_mass);
        close_spot(r, &member);
    }
    json_decref(array);
    if (has_mass)
        read_mass(r, spot, body);
    else
        weigh_body(scene, body, first);
}

/* What acts in a joint: a spring and a torque together, or a servo. */
static void read_drive(struct reader *r, const struct spot *joint, struct servo *drive)
{
    *drive = (struct servo){
        .damping = take_number(r, joint, "damping_n_m_s_rad", 0, 0, GAIN_MAX),
        .torque_max = HUGE_VAL,
    };
    if (has(joint, "servo")) {
        struct spot spot = open_spot(r, joint, "servo");
        drive->kp = need_number(r, &spot, "kp_n_m_rad", 0, GAIN_MAX);
        drive->kd = take_number(r, &spot, "kd_n_m_s_rad", 0, 0, GAIN_MAX);
        drive->target = take_number(r, &spot, "target_rad", 0, -NUMBER_MAX, NUMBER_MAX);
        drive->rate = take_number(r, &spot, "target_rate_rad_s", 0, -NUMBER_MAX, NUMBER_MAX);
        drive->torque_max = take_number(r, &spot, "bound_n_m", HUGE_VAL, 0, GAIN_MAX);
        close_spot(r, &spot);
        if (has(joint, "spring") || has(joint, "torque_n_m"))
            fail(r, ERR_FORMAT, joint, "servo", "not together with a spring or a torque");
        return;
    }
    double torque = take_number(r, joint, "torque_n_m", 0, -GAIN_MAX, GAIN_MAX);
    struct spot spot = open_spot(r, joint, "spring");
    if (spot.object) {
        drive->law = SERVO_SPRING;
        drive->kp = need_number(r, &spot, "stiffness_n_m_rad", 1e-9, GAIN_MAX);
        drive->target = take_number(r, &spot, "rest_rad", 0, -NUMBER_MAX, NUMBER_MAX);
        /* an even torque is a spring with another rest */
        drive->target += torque / drive->kp;
    } else {
        drive->law = SERVO_TORQUE;
        drive->torque_max = fabs(torque);
        drive->target = torque < 0 ? -1 : 1;
    }
    close_spot(r, &spot);
}

static void read_joint(struct reader *r, struct spot *joint, struct scene *scene, int index)
{
    static const char *const kinds[] = {"rotary", "rigid", NULL};
    struct scene_body *body = &scene->bodies[index];
    json_t *to = take(joint, "to");
    const char *name = json_string_value(to);
    body->joint = take_choice(r, joint, "kind", kinds) ? SCENE_RIGID : SCENE_ROTARY;
    if (!name)
        fail(r, ERR_MISSING, joint, "to", "\"world\" or the name of an earlier body is expected");
    else if (strcmp(name, "world") != 0) {
        body->parent = scene_find_body(scene, name);
        if (body->parent < 0 || body->parent == index)
            fail(r, ERR_UNKNOWN, joint, "to", "there is no earlier body of that name");
    }
    json_decref(to);
    body->at = take_vector(r, joint, "at_m");
    body->own_at = take_vector(r, joint, "own_at_m");
    body->angle_rad = take_number(r, joint, "angle_rad", 0, -NUMBER_MAX, NUMBER_MAX);
    if (body->joint == SCENE_RIGID)
        return;
    body->rate_rad_s = take_number(r, joint, "rate_rad_s", 0, -NUMBER_MAX, NUMBER_MAX);
    body->lower_rad = take_number(r, joint, "lower_rad", -HUGE_VAL, -NUMBER_MAX, NUMBER_MAX);
    body->upper_rad = take_number(r, joint, "upper_rad", HUGE_VAL, -NUMBER_MAX, NUMBER_MAX);
    if (body->lower_rad > body->upper_rad)
        fail(r, ERR_RANGE, joint, "lower_rad", "is above upper_rad");
    read_drive(r, joint, &body->drive);
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
    read_shape(r, spot, scene, index);
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
    read_world(r, top, &scene->world);
    read_simulation(r, top, scene);
    read_bodies(r, top, scene);
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

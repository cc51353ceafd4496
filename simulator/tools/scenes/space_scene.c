/* See space_scene.h. */
#include "simulator/tools/scenes/space_scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/formats/file_kind.h"
#include "common/system/file.h"
#include "common/math/detmath.h"
#include "simulator/tools/scenes/scene_text.h"

/* ---------------------------------------------------------------- values */

/* An array of numbers; where the key is missing they stay what they are. Returns 1 if it was
 * there. */
static int take_numbers(struct scene_reader *r, const struct scene_spot *spot, const char *key,
                        double *numbers, size_t count)
{
    char text[64];
    json_t *value = spot_take(spot, key);
    int is_there = value != NULL;
    if (is_there && json_array_size(value) != count) {
        snprintf(text, sizeof text, "%zu numbers [...] are expected", count);
        scene_fail(r, ERR_FORMAT, spot, key, text);
    }
    for (size_t i = 0; is_there && i < count && !r->is_failed; i++)
        numbers[i] = spot_check_number(r, spot, key, json_array_get(value, i), -SCENE_NUMBER_MAX,
                                       SCENE_NUMBER_MAX);
    json_decref(value);
    return is_there;
}

static struct vec3 take_vector(struct scene_reader *r, const struct scene_spot *spot,
                               const char *key)
{
    double v[3] = {0, 0, 0};
    take_numbers(r, spot, key, v, 3);
    return (struct vec3){v[0], v[1], v[2]};
}

/* [w, x, y, z], made a unit; without it no turn. */
static struct quaternion take_quaternion(struct scene_reader *r, const struct scene_spot *spot,
                                         const char *key)
{
    double v[4] = {1, 0, 0, 0};
    take_numbers(r, spot, key, v, 4);
    struct quaternion q = {v[0], v[1], v[2], v[3]};
    if (!(quaternion_square(q) > SCENE_LENGTH_MIN) && !r->is_failed)
        scene_fail(r, ERR_RANGE, spot, key, "is no turn: all four numbers are 0");
    return r->is_failed ? QUATERNION_ONE : quaternion_normalised(q);
}

/* ---------------------------------------------------------------- world and simulation */

/* A box's three sizes. */
static struct vec3 take_size(struct scene_reader *r, const struct scene_spot *spot)
{
    struct vec3 size = take_vector(r, spot, "size_m");
    if (!(size.x > 0 && size.y > 0 && size.z > 0))
        scene_fail(r, ERR_RANGE, spot, "size_m", "three sizes above 0 are expected");
    return size;
}

static void read_obstacles(struct scene_reader *r, const struct scene_spot *world,
                           struct space_scene *scene)
{
    struct space_surfaces *surfaces = &scene->world.surfaces;
    struct scene_list list = spot_list(r, world, "obstacles", NULL);
    if (json_array_size(list.array) > SPACE_SCENE_OBSTACLES_MAX)
        scene_fail(r, ERR_LIMIT, world, "obstacles", "more than 32 obstacles");
    while (spot_next(r, &list)) {
        struct mat3 turn = quaternion_matrix(take_quaternion(r, &list.spot, "quaternion"));
        solids_place(&scene->obstacles[surfaces->fixed_count++], take_vector(r, &list.spot, "at_m"),
                     &turn, vec3_scale(take_size(r, &list.spot), 0.5));
    }
    surfaces->fixed = scene->obstacles;
}

static void read_world(struct scene_reader *r, const struct scene_spot *top,
                       struct space_scene *scene)
{
    static const char *const laws[] = {"linear", "quadratic", NULL};
    static const char *const faces[] = {"all", "leading", NULL};
    struct scene_spot spot = spot_open(r, top, "world");
    struct space_drag_law *drag = &scene->world.drag;
    if (json_is_array(json_object_get(spot.object, "gravity_m_s2")))
        scene->world.gravity_m_s2 = take_vector(r, &spot, "gravity_m_s2");
    else
        scene->world.gravity_m_s2.y = -spot_number(r, &spot, "gravity_m_s2", 9.81, -1e6, 1e6);
    drag->is_quadratic = spot_choice(r, &spot, "drag_law", laws);
    drag->is_leading = spot_choice(r, &spot, "drag_faces", faces);
    drag->has_exposure = spot_flag(r, &spot, "drag_exposure");
    if (drag->is_quadratic)
        drag->coefficient = spot_number(r, &spot, "quadratic_drag_kg_m3", 0, 0, 1e6);
    else
        drag->coefficient = spot_number(r, &spot, "viscosity_pa_s_m", 0, 0, 1e6);
    struct space_surfaces *surfaces = &scene->world.surfaces;
    surfaces->has_ground = spot_flag(r, &spot, "ground");
    scene_read_relief(r, &spot, surfaces->has_ground, 0, &surfaces->relief);
    surfaces->friction = surfaces->own_friction = spot_number(r, &spot, "friction", 0, 0, 1e6);
    surfaces->elasticity = surfaces->own_elasticity = spot_number(r, &spot, "elasticity", 0, 0, 1);
    read_obstacles(r, &spot, scene);
    spot_close(r, &spot);
}

static void read_simulation(struct scene_reader *r, const struct scene_spot *top,
                            struct space_scene *scene)
{
    static const char *const solvers[] = {"articulated", "constraint", NULL};
    static const char *const integrators[] = {"auto", "rk4", "midpoint", NULL};
    struct scene_spot spot = spot_open(r, top, "simulation");
    scene->settings = (struct dynamics_settings){
        .solver = spot_choice(r, &spot, "solver", solvers),
        .integrator = spot_choice(r, &spot, "integrator", integrators),
        .dt_s = spot_number(r, &spot, "dt_s", 1.0 / 240, 1e-9, 1),
        .restitution_speed_m_s = spot_number(r, &spot, "restitution_speed_m_s", 0, 0, 1e6),
        .rtol = spot_number(r, &spot, "rtol", 1e-8, 1e-14, 0.1),
        .constraint_tau_s = spot_number(r, &spot, "constraint_tau_s", 0, 0, 100),
        .effector_mode = EFFECTOR_POSITION,
    };
    scene->until_s = spot_number(r, &spot, "until_s", 10, 0, 1e6);
    scene->interval_s = spot_number(r, &spot, "interval_s", 1.0 / 60, 1e-9, 1e6);
    spot_close(r, &spot);
}

/* ---------------------------------------------------------------- bodies */

/* Ixx, Iyy, Izz; and where axes are not principal ones Ixy, Ixz, Iyz. */
static struct sym3 take_inertia(struct scene_reader *r, const struct scene_spot *spot)
{
    double v[6] = {0, 0, 0, 0, 0, 0};
    size_t given = json_array_size(json_object_get(spot->object, "inertia_kg_m2"));
    take_numbers(r, spot, "inertia_kg_m2", v, given == 6 ? 6 : 3);
    return (struct sym3){v[0], v[3], v[4], v[1], v[5], v[2]};
}

/* About its centre, in its own axes. */
static struct sym3 box_inertia(struct vec3 size, double mass_kg)
{
    double x = size.x * size.x, y = size.y * size.y, z = size.z * size.z, m = mass_kg / 12;
    return (struct sym3){m * (y + z), 0, 0, m * (x + z), 0, m * (x + y)};
}

/* A mass at a point, in all that sums of inertias need. */
static struct sym3 point_inertia(struct vec3 at, double mass_kg)
{
    double square = mass_kg * vec3_dot(at, at);
    struct sym3 about = {square, 0, 0, square, 0, square};
    return sym3_along(&about, at, -mass_kg);
}

/* Joins a box's mass to that of its link, whose centre and inertia are sums about the origin until
 * finish_mass(). */
static void add_mass(struct space_link *link, const struct space_box *box, double mass_kg)
{
    struct mat3 turned = quaternion_matrix(box->turn);
    struct sym3 own = box_inertia(box->size_m, mass_kg), at = point_inertia(box->centre, mass_kg);
    own = sym3_turned(&own, &turned);
    link->inertia = sym3_add(&link->inertia, &own);
    link->inertia = sym3_add(&link->inertia, &at);
    link->centre = vec3_along(link->centre, box->centre, mass_kg);
    link->mass_kg += mass_kg;
}

static void finish_mass(struct space_link *link)
{
    if (!(link->mass_kg > 0))
        return;
    link->centre = vec3_scale(link->centre, 1 / link->mass_kg);
    struct sym3 shift = point_inertia(link->centre, link->mass_kg);
    link->inertia = sym3_sum(&link->inertia, &shift, -1);
}

static void read_box(struct scene_reader *r, struct scene_spot *spot, struct space_scene *scene,
                     int body, int has_mass)
{
    if (scene->box_count == SPACE_SCENE_BOXES_MAX) {
        scene_fail(r, ERR_LIMIT, spot, "", "more than 64 boxes in all");
        return;
    }
    struct space_box *box = &scene->boxes[scene->box_count++];
    *box = (struct space_box){.link = body,
                              .centre = take_vector(r, spot, "at_m"),
                              .turn = take_quaternion(r, spot, "quaternion")};
    box->size_m = take_size(r, spot);
    if (has_mass)
        return;
    double volume = box->size_m.x * box->size_m.y * box->size_m.z;
    double mass = spot_has(spot, "mass_kg")
                      ? spot_number(r, spot, "mass_kg", 0, 0, SCENE_NUMBER_MAX)
                      : volume * spot_need_number(r, spot, "density_kg_m3", 0, SCENE_NUMBER_MAX);
    add_mass(&scene->links[body], box, mass);
}

static int is_positive(const struct sym3 *a)
{
    double minor = a->xx * a->yy - a->xy * a->xy;
    struct vec3 last = {a->xy * a->yz - a->xz * a->yy, a->xy * a->xz - a->xx * a->yz, minor};
    double whole = a->xz * last.x + a->yz * last.y + a->zz * last.z;
    return a->xx > 0 && minor > 0 && whole > 0;
}

static void read_mass(struct scene_reader *r, struct scene_spot *spot, struct space_scene *scene,
                      int body)
{
    struct space_link *link = &scene->links[body];
    int has_mass = spot_has(spot, "mass_kg"), has_boxes = spot_has(spot, "boxes");
    struct scene_list list = spot_list(r, spot, "boxes", NULL);
    while (spot_next(r, &list))
        read_box(r, &list.spot, scene, body, has_mass);
    if (has_mass || !has_boxes) {
        link->mass_kg = spot_need_number(r, spot, "mass_kg", 0, SCENE_NUMBER_MAX);
        link->centre = take_vector(r, spot, "centre_m");
        link->inertia = take_inertia(r, spot);
    } else {
        finish_mass(link);
    }
    if (!(link->mass_kg > 0 && is_positive(&link->inertia)))
        scene_fail(r, ERR_RANGE, spot, "", "mass and inertia must be above 0, about every axis");
}

/* ---------------------------------------------------------------- joints */

static int find_body(const struct space_scene *scene, const char *name)
{
    for (int i = 0; i < scene->body_count; i++)
        if (strcmp(scene->names[i], name) == 0)
            return i;
    return -1;
}

static int read_to(struct scene_reader *r, const struct scene_spot *joint,
                   const struct space_scene *scene)
{
    json_t *to = spot_take(joint, "to");
    const char *name = json_string_value(to);
    int found = -1;
    if (!name)
        scene_fail(r, ERR_MISSING, joint, "to",
                   "\"world\" or the name of an earlier body is expected");
    else if (strcmp(name, "world") != 0 && (found = find_body(scene, name)) < 0)
        scene_fail(r, ERR_UNKNOWN, joint, "to", "there is no earlier body of that name");
    json_decref(to);
    return found;
}

static enum space_joint_kind read_kind(struct scene_reader *r, const struct scene_spot *joint)
{
    const char *words[SPACE_JOINT_COUNT + 1] = {NULL};
    for (int i = 0; i < SPACE_FREE; i++)
        words[i] = space_joints[i].name;
    if (!spot_has(joint, "kind"))
        scene_fail(r, ERR_MISSING, joint, "kind", "missing");
    return (enum space_joint_kind)spot_choice(r, joint, "kind", words);
}

/* What one freedom says, or the default. */
static void read_freedom(struct scene_reader *r, const struct scene_spot *joint, json_t *array,
                         int k, int is_slide, struct space_scene *scene,
                         struct scene_freedom *freedom)
{
    struct scene_spot spot = {json_object(), ""};
    if ((size_t)k < json_array_size(array)) {
        json_decref(spot.object);
        spot = spot_member(r, joint, "freedoms", array, (size_t)k);
    }
    scene_read_freedom(r, &spot, is_slide ? &scene_linear_keys : &scene_rotary_keys, &scene->tables,
                       freedom);
    if (freedom->drive.law == SERVO_MOTION) {
        struct signal_value start = signal_at(&freedom->signal, 0);
        freedom->start = start.value;
        freedom->rate = start.rate;
    }
    spot_close(r, &spot);
}

/* The start and the limits of a spherical joint, which its freedoms do not have. */
static void read_ball(struct scene_reader *r, const struct scene_spot *joint,
                      struct space_link *link, double *q)
{
    struct quaternion ball = take_quaternion(r, joint, "start_quaternion");
    q[0] = ball.w;
    q[1] = ball.x;
    q[2] = ball.y;
    q[3] = ball.z;
    link->cone_rad = spot_number(r, joint, "cone_rad", HUGE_VAL, 0, DET_PI);
    link->lower[0] = spot_number(r, joint, "twist_lower_rad", -HUGE_VAL, -DET_PI, DET_PI);
    link->upper[0] = spot_number(r, joint, "twist_upper_rad", HUGE_VAL, -DET_PI, DET_PI);
    if (link->lower[0] > link->upper[0])
        scene_fail(r, ERR_RANGE, joint, "twist_lower_rad", "is above the upper limit");
}

static void read_joint(struct scene_reader *r, struct scene_spot *spot, struct space_scene *scene,
                       int body)
{
    struct space_link *link = &scene->links[body];
    link->kind = read_kind(r, spot);
    link->parent = read_to(r, spot, scene);
    link->joint = take_vector(r, spot, "at_m");
    link->frame = take_quaternion(r, spot, "quaternion");
    const struct space_joint *joint = &space_joints[link->kind];
    int rates = space_joint_rates(joint), plain = joint->slides + joint->turns;
    double *q = scene->q + scene->coordinates, *qd = scene->qd + scene->rates;
    json_t *array = spot_take(spot, "freedoms");
    if (array && (!json_is_array(array) || json_array_size(array) > (size_t)rates))
        scene_fail(r, ERR_FORMAT, spot, "freedoms",
                   "an array is expected, not longer than the joint has freedoms");
    for (int k = 0; k < rates && !r->is_failed; k++) {
        struct scene_freedom *freedom = &scene->freedoms[scene->rates + k];
        read_freedom(r, spot, array, k, k < joint->slides, scene, freedom);
        qd[k] = freedom->rate;
        if (k < plain) {
            q[k] = freedom->start;
            link->lower[k] = freedom->lower;
            link->upper[k] = freedom->upper;
        } else if (freedom->start != 0 || isfinite(freedom->lower) || isfinite(freedom->upper)) {
            scene_fail(
                r, ERR_FORMAT, spot, "freedoms",
                "a spherical joint has start_quaternion, cone_rad and twist_lower_rad instead");
        } else if (freedom->drive.law == SERVO_MOTION) {
            scene_fail(r, ERR_FORMAT, spot, "freedoms", "a spherical joint has no motion");
        }
    }
    if (joint->has_ball)
        read_ball(r, spot, link, q + plain);
    json_decref(array);
}

static void read_free(struct scene_reader *r, struct scene_spot *spot, struct space_scene *scene,
                      int body)
{
    double *q = scene->q + scene->coordinates, *qd = scene->qd + scene->rates;
    scene->links[body].kind = SPACE_FREE;
    scene->links[body].parent = -1;
    scene->links[body].frame = QUATERNION_ONE;
    struct quaternion turn = take_quaternion(r, spot, "quaternion");
    take_numbers(r, spot, "position_m", q, 3);
    q[3] = turn.w;
    q[4] = turn.x;
    q[5] = turn.y;
    q[6] = turn.z;
    take_numbers(r, spot, "velocity_m_s", qd, 3);
    take_numbers(r, spot, "rate_rad_s", qd + 3, 3);
}

static void read_name(struct scene_reader *r, const struct scene_spot *spot,
                      struct space_scene *scene, int body)
{
    json_t *value = spot_take(spot, "name");
    const char *text = json_string_value(value);
    size_t good = text ? strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_-") : 0;
    if (!text || good == 0 || text[good] != '\0' || good > SCENE_NAME_MAX ||
        strcmp(text, "world") == 0)
        scene_fail(r, ERR_FORMAT, spot, "name",
                   "a name of at most 31 small letters, digits, _ and - is expected");
    else if (find_body(scene, text) >= 0)
        scene_fail(r, ERR_EXISTS, spot, "name", "an earlier body has that name");
    else
        snprintf(scene->names[body], sizeof scene->names[body], "%s", text);
    json_decref(value);
}

static void read_body(struct scene_reader *r, struct scene_spot *spot, struct space_scene *scene)
{
    int body = scene->body_count;
    struct space_link *link = &scene->links[body];
    *link = (struct space_link){.cone_rad = HUGE_VAL};
    for (int k = 0; k < SPACE_RATES_MAX; k++) {
        link->lower[k] = -HUGE_VAL;
        link->upper[k] = HUGE_VAL;
    }
    read_name(r, spot, scene, body);
    read_mass(r, spot, scene, body);
    scene->is_passing[body] = spot_has(spot, "collides") && !spot_flag(r, spot, "collides");
    struct scene_spot joint = spot_open(r, spot, "joint");
    if (joint.object)
        read_joint(r, &joint, scene, body);
    else
        read_free(r, spot, scene, body);
    spot_close(r, &joint);
    scene->body_count++;
    scene->coordinates += space_joint_coordinates(&space_joints[link->kind]);
    scene->rates += space_joint_rates(&space_joints[link->kind]);
}

/* ---------------------------------------------------------------- the whole */

/* The first body of the rigid piece that a body belongs to. */
static int piece_of(const struct space_scene *scene, int body)
{
    while (scene->links[body].kind == SPACE_RIGID && scene->links[body].parent >= 0)
        body = scene->links[body].parent;
    return body;
}

/* Bodies of one rigid piece never collide, nor do two pieces that a joint joins. */
static int is_passing(const struct space_scene *scene, int a, int b)
{
    int first = piece_of(scene, a), second = piece_of(scene, b);
    for (int i = 0; i < scene->body_count; i++) {
        int up = scene->links[i].parent;
        if (up < 0)
            continue;
        int below = piece_of(scene, i), above = piece_of(scene, up);
        if ((below == first && above == second) || (below == second && above == first))
            return 1;
    }
    return first == second || scene->is_passing[a] || scene->is_passing[b];
}

static void find_passing(struct space_scene *scene)
{
    int count = scene->box_count;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < count; k++)
            scene->passes[i * count + k] =
                (unsigned char)is_passing(scene, scene->boxes[i].link, scene->boxes[k].link);
    scene->world.surfaces.meetings = scene->passes;
}

static void read_bodies(struct scene_reader *r, const struct scene_spot *top,
                        struct space_scene *scene)
{
    struct scene_list list =
        spot_list(r, top, "bodies", "an array of at least one body is expected");
    while (spot_next(r, &list))
        if (scene->body_count == SPACE_SCENE_BODIES_MAX)
            scene_fail(r, ERR_LIMIT, top, "bodies", "more than 31 bodies");
        else
            read_body(r, &list.spot, scene);
}

static void read_top(struct scene_reader *r, struct scene_spot *top, struct space_scene *scene)
{
    if (!json_is_object(top->object))
        scene_fail(r, ERR_FORMAT, top, "", "an object is expected");
    if (spot_need_number(r, top, "scene", 1, 1) != 1)
        scene_fail(r, ERR_VERSION, top, "scene", "only version 1 is known");
    spot_need_number(r, top, "dimensions", 3, 3);
    json_decref(spot_take(top, "description"));
    read_world(r, top, scene);
    read_simulation(r, top, scene);
    read_bodies(r, top, scene);
    find_passing(scene);
}

int space_scene_read_text(struct space_scene *scene, const char *text, size_t length,
                          const char *name, struct error *error)
{
    json_error_t fault;
    struct scene_reader reader = {.name = name, .error = error};
    struct scene_spot top = {json_loadb(text, length, JSON_REJECT_DUPLICATES, &fault), ""};
    memset(scene, 0, sizeof *scene);
    if (!top.object)
        return error_set(error, ERR_FORMAT, "%s: line %d: %s", name, fault.line, fault.text);
    read_top(&reader, &top, scene);
    spot_close(&reader, &top);
    return reader.is_failed ? error->code : 0;
}

int space_scene_read_file(struct space_scene *scene, const char *path, struct error *error)
{
    char *text;
    size_t length;
    if (file_read(path, SCENE_BYTES_MAX, &text, &length, error) != 0)
        return file_kind_explain(path, FILE_SPACE_SCENE, error);
    int result = space_scene_read_text(scene, text, length, path, error);
    free(text);
    return result == 0 ? 0 : file_kind_explain(path, FILE_SPACE_SCENE, error);
}

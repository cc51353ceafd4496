/* See scene.h: what is alike in the plane and in space. */
#include "simulator/tools/scenes/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/formats/file_kind.h"
#include "common/system/file.h"
#include "simulator/tools/scenes/scene_text.h"

int scene_find_body(const struct scene *scene, const char *name)
{
    for (int i = 0; i < scene->body_count; i++)
        if (strcmp(scene->bodies[i].name, name) == 0)
            return i;
    return -1;
}

int scene_is_in_space(const struct scene *scene)
{
    return scene->form == &scene_in_space;
}

/* ---------------------------------------------------------------- world and simulation */

/* A number is downwards; a vector is as it says. */
static void read_gravity(const struct scene_spot *spot, struct scene *scene)
{
    struct world *world = &scene->world;
    double vector[3] = {0, 0, 0};
    if (json_is_array(json_object_get(spot->object, "gravity_m_s2"))) {
        spot_numbers(spot, "gravity_m_s2", vector, (size_t)scene->form->dimensions);
        world->gravity_x_m_s2 = vector[0];
        world->gravity_m_s2 = -vector[1];
        world->gravity_z_m_s2 = vector[2];
        return;
    }
    world->gravity_m_s2 = spot_number(spot, "gravity_m_s2", 9.81, -1e6, 1e6);
}

static void read_world(const struct scene_spot *top, struct scene *scene)
{
    static const char *const laws[] = {"linear", "quadratic", NULL};
    static const char *const faces[] = {"all", "leading", NULL};
    struct scene_spot spot = spot_open(top, "world");
    struct world *world = &scene->world;
    read_gravity(&spot, scene);
    world->drag_law = spot_choice(&spot, "drag_law", laws);
    world->drag_faces = spot_choice(&spot, "drag_faces", faces);
    world->drag_exposure = spot_flag(&spot, "drag_exposure");
    world->friction = spot_number(&spot, "friction", 0, 0, 1e6);
    world->elasticity = spot_number(&spot, "elasticity", 0, 0, 1);
    world->own_friction = world->friction;
    world->own_elasticity = world->elasticity;
    scene->form->read_world(&spot, scene);
    spot_close(&spot);
}

static void read_simulation(const struct scene_spot *top, struct scene *scene)
{
    static const char *const solvers[] = {"articulated", "constraint", NULL};
    static const char *const integrators[] = {"auto", "rk4", "midpoint", NULL};
    struct scene_spot spot = spot_open(top, "simulation");
    struct params params;
    params_set_defaults(&params);
    scene->settings = (struct dynamics_settings){
        .solver = spot_choice(&spot, "solver", solvers),
        .integrator = spot_choice(&spot, "integrator", integrators),
        .dt_s = spot_number(&spot, "dt_s", 1.0 / 240, 1e-9, 1),
        .rtol = spot_number(&spot, "rtol", params.simulation_rtol, 1e-14, 0.1),
        .constraint_tau_s =
            spot_number(&spot, "constraint_tau_s", scene->form->constraint_tau_s, 0, 100),
        .restitution_speed_m_s = spot_number(&spot, "restitution_speed_m_s", 0, 0, 1e6),
        .servo_rad_s = params.creature_servo_rad_s,
        .joint_speed_rad_s = params.creature_joint_speed_rad_s,
        .joint_speed_m_s = params.creature_joint_speed_m_s,
        .effector_mode = EFFECTOR_POSITION,
    };
    scene->until_s = spot_number(&spot, "until_s", 10, 0, 1e6);
    scene->interval_s = spot_number(&spot, "interval_s", 1.0 / 60, 1e-9, 1e6);
    spot_close(&spot);
}

/* ---------------------------------------------------------------- bodies */

int scene_read_to(const struct scene_spot *joint, const struct scene *scene)
{
    json_t *to = spot_take(joint, "to");
    const char *name = json_string_value(to);
    int found = -1;
    if (!name)
        scene_fail(joint, ERR_MISSING, "to",
                   "\"world\" or the name of an earlier body is expected");
    else if (strcmp(name, "world") != 0 && (found = scene_find_body(scene, name)) < 0)
        scene_fail(joint, ERR_UNKNOWN, "to", "there is no earlier body of that name");
    json_decref(to);
    return joint->reader->is_failed ? -1 : found;
}

static void read_name(const struct scene_spot *spot, struct scene *scene, struct scene_body *body)
{
    json_t *value = spot_take(spot, "name");
    const char *text = json_string_value(value);
    size_t good = text ? strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_-") : 0;
    if (!text || good == 0 || text[good] != '\0' || good > SCENE_NAME_MAX ||
        strcmp(text, "world") == 0)
        scene_fail(spot, ERR_FORMAT, "name",
                   "a name of at most 31 small letters, digits, _ and - is expected");
    else if (scene_find_body(scene, text) >= 0)
        scene_fail(spot, ERR_EXISTS, "name", "an earlier body has that name");
    else
        snprintf(body->name, sizeof body->name, "%s", text);
    json_decref(value);
}

static void read_body(struct scene_spot *spot, struct scene *scene)
{
    int index = scene->body_count;
    struct scene_body *body = &scene->bodies[index];
    *body = (struct scene_body){.parent = -1};
    read_name(spot, scene, body);
    scene->form->read_shapes(spot, scene, index);
    body->passes = spot_has(spot, "collides") && !spot_flag(spot, "collides");
    struct scene_spot joint = spot_open(spot, "joint");
    if (joint.object)
        scene->form->read_joint(&joint, scene, index);
    else
        scene->form->read_free(spot, scene, index);
    spot_close(&joint);
    scene->body_count++;
}

static void read_bodies(const struct scene_spot *top, struct scene *scene)
{
    struct scene_list list = spot_list(top, "bodies", "an array of at least one body is expected");
    while (spot_next(&list))
        if (scene->body_count == SCENE_BODIES_MAX)
            scene_fail(top, ERR_LIMIT, "bodies", "more than 31 bodies");
        else
            read_body(&list.spot, scene);
}

/* ---------------------------------------------------------------- the whole */

static void read_top(struct scene_spot *top, struct scene *scene)
{
    if (!json_is_object(top->object))
        scene_fail(top, ERR_FORMAT, "", "an object is expected");
    if (spot_need_number(top, "scene", 1, 1) != 1)
        scene_fail(top, ERR_VERSION, "scene", "only version 1 is known");
    double dimensions = spot_number(top, "dimensions", 2, -SCENE_NUMBER_MAX, SCENE_NUMBER_MAX);
    if (dimensions != 2 && dimensions != 3)
        scene_fail(top, ERR_RANGE, "dimensions", "2 or 3 is expected");
    scene->form = dimensions == 3 ? &scene_in_space : &scene_in_plane;
    json_t *text = spot_take(top, "description");
    if (text && !json_is_string(text))
        scene_fail(top, ERR_FORMAT, "description", "a text is expected");
    json_decref(text);
    read_world(top, scene);
    read_simulation(top, scene);
    read_bodies(top, scene);
    if (scene->form->read_rest)
        scene->form->read_rest(top, scene);
}

int scene_read_text(struct scene *scene, const char *text, size_t length, const char *name,
                    struct error *error)
{
    json_error_t fault;
    struct scene_reader reader = {.scene = scene, .name = name, .error = error};
    struct scene_spot top = {&reader, json_loadb(text, length, JSON_REJECT_DUPLICATES, &fault), ""};
    memset(scene, 0, sizeof *scene);
    if (!top.object)
        return error_set(error, ERR_FORMAT, "%s: line %d: %s", name, fault.line, fault.text);
    read_top(&top, scene);
    spot_close(&top);
    if (reader.is_failed)
        return error->code;
    if (scene->form->build(scene, error) != 0)
        return error_prefix(error, "%s", name);
    return 0;
}

int scene_read_file(struct scene *scene, const char *path, struct error *error)
{
    char *text;
    size_t length;
    enum file_kind expected =
        file_kind_of(path) == FILE_SPACE_SCENE ? FILE_SPACE_SCENE : FILE_SCENE;
    if (file_read(path, SCENE_BYTES_MAX, &text, &length, error) != 0)
        return file_kind_explain(path, expected, error);
    int result = scene_read_text(scene, text, length, path, error);
    free(text);
    return result == 0 ? 0 : file_kind_explain(path, expected, error);
}

/* ---------------------------------------------------------------- motion */

int scene_start(struct scene *scene, struct arena *arena, struct dynamics **dynamics,
                struct error *error)
{
    const struct scene_form *form = scene->form;
    if (form->build(scene, error) != 0 ||
        (form->suit_solver && form->suit_solver(scene, error) != 0))
        return error->code;
    *dynamics = dynamics_create(&scene->phenotype, &scene->world, &scene->settings, arena);
    if (!*dynamics)
        return error_set(error, ERR_MEMORY, "the scene does not fit into memory");
    form->drive(scene, *dynamics);
    dynamics_set_state(*dynamics, scene->q, scene->qd);
    dynamics_reset_ledger(*dynamics);
    return form->check_start ? form->check_start(scene, *dynamics, error) : 0;
}

int scene_fail_step(const struct scene *scene, const struct dynamics *dynamics, int result,
                    const struct arena *arena, double time_s, struct error *error)
{
    const struct contact_point *contacts;
    if (arena->is_exhausted)
        return error_set(error, ERR_MEMORY, "contacts do not fit into memory at %.9g s", time_s);
    if (result == DYNAMICS_UNSOLVED)
        return error_set(error, ERR_RANGE,
                         "contacts have no solution: off by %.3g m/s at %d contacts, at %.9g s",
                         dynamics->touches.law_miss_m / scene->settings.dt_s,
                         dynamics_contacts(dynamics, &contacts), time_s);
    return error_set(error, ERR_RANGE, "the motion is not finite at %.9g s", time_s);
}

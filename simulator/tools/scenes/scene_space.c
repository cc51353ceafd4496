/* A scene in three dimensions: boxes and joints, read as links of a struct body. */
#include <math.h>
#include <string.h>

#include "common/genome/body_kind.h"
#include "common/math/detmath.h"
#include "simulator/tools/scenes/scene_text.h"

/* ---------------------------------------------------------------- values */

static struct vec3 take_vector(const struct scene_spot *spot, const char *key)
{
    double v[3] = {0, 0, 0};
    spot_numbers(spot, key, v, 3);
    return (struct vec3){v[0], v[1], v[2]};
}

/* [w, x, y, z], made a unit; without it no turn. */
static struct quaternion take_quaternion(const struct scene_spot *spot, const char *key)
{
    double v[4] = {1, 0, 0, 0};
    spot_numbers(spot, key, v, 4);
    struct quaternion q = quaternion_read(v);
    if (!(quaternion_square(q) > SCENE_LENGTH_MIN) && !spot->reader->is_failed)
        scene_fail(spot, ERR_RANGE, key, "is no turn: all four numbers are 0");
    return spot->reader->is_failed ? QUATERNION_ONE : quaternion_normalised(q);
}

/* ---------------------------------------------------------------- world */

/* A box's three sizes. */
static struct vec3 take_size(const struct scene_spot *spot)
{
    struct vec3 size = take_vector(spot, "size_m");
    if (!(size.x > 0 && size.y > 0 && size.z > 0))
        scene_fail(spot, ERR_RANGE, "size_m", "three sizes above 0 are expected");
    return size;
}

static void read_obstacles(const struct scene_spot *world, struct scene *scene)
{
    struct scene_list list = spot_list(world, "obstacles", NULL);
    if (json_array_size(list.array) > SCENE_OBSTACLES_MAX)
        scene_fail(world, ERR_LIMIT, "obstacles", "more than 32 obstacles");
    while (spot_next(&list)) {
        struct mat3 turn = quaternion_matrix(take_quaternion(&list.spot, "quaternion"));
        solids_place(&scene->space.obstacles[scene->world.solid_count++],
                     take_vector(&list.spot, "at_m"), &turn,
                     vec3_scale(take_size(&list.spot), 0.5));
    }
    scene->world.solids = scene->space.obstacles;
}

static void read_world(struct scene_spot *spot, struct scene *scene)
{
    struct world *world = &scene->world;
    if (world->drag_law == DRAG_LAW_QUADRATIC)
        world->quadratic_drag_kg_m3 = spot_number(spot, "quadratic_drag_kg_m3", 0, 0, 1e6);
    else
        world->viscosity_pa_s_m = spot_number(spot, "viscosity_pa_s_m", 0, 0, 1e6);
    world->has_ground = spot_flag(spot, "ground");
    scene_read_relief(spot, world->has_ground, 0, &world->relief);
    read_obstacles(spot, scene);
}

/* ---------------------------------------------------------------- bodies */

/* Ixx, Iyy, Izz; and where axes are not principal ones Ixy, Ixz, Iyz. */
static struct sym3 take_inertia(const struct scene_spot *spot)
{
    double v[6] = {0, 0, 0, 0, 0, 0};
    size_t given = json_array_size(json_object_get(spot->object, "inertia_kg_m2"));
    spot_numbers(spot, "inertia_kg_m2", v, given == 6 ? 6 : 3);
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
static void add_mass(struct body_link *link, const struct body_box *box, double mass_kg)
{
    struct mat3 turned = quaternion_matrix(box->turn);
    struct sym3 own = box_inertia(box->size_m, mass_kg), at = point_inertia(box->centre, mass_kg);
    own = sym3_turned(&own, &turned);
    link->inertia = sym3_add(&link->inertia, &own);
    link->inertia = sym3_add(&link->inertia, &at);
    link->centre = vec3_along(link->centre, box->centre, mass_kg);
    link->mass_kg += mass_kg;
}

static void finish_mass(struct body_link *link)
{
    if (!(link->mass_kg > 0))
        return;
    link->centre = vec3_scale(link->centre, 1 / link->mass_kg);
    struct sym3 shift = point_inertia(link->centre, link->mass_kg);
    link->inertia = sym3_sum(&link->inertia, &shift, -1);
}

static void read_box(struct scene_spot *spot, struct scene *scene, int body, int has_mass)
{
    struct scene_space *space = &scene->space;
    if (space->box_count == SCENE_SHAPES_MAX) {
        scene_fail(spot, ERR_LIMIT, "", "more than 64 boxes in all");
        return;
    }
    struct body_box *box = &space->boxes[space->box_count++];
    *box = (struct body_box){.link = body,
                             .centre = take_vector(spot, "at_m"),
                             .turn = take_quaternion(spot, "quaternion")};
    box->size_m = take_size(spot);
    if (has_mass)
        return;
    double volume = box->size_m.x * box->size_m.y * box->size_m.z;
    double mass = spot_has(spot, "mass_kg")
                      ? spot_number(spot, "mass_kg", 0, 0, SCENE_NUMBER_MAX)
                      : volume * spot_need_number(spot, "density_kg_m3", 0, SCENE_NUMBER_MAX);
    add_mass(&scene->links[body], box, mass);
}

static int is_positive(const struct sym3 *a)
{
    double minor = a->xx * a->yy - a->xy * a->xy;
    struct vec3 last = {a->xy * a->yz - a->xz * a->yy, a->xy * a->xz - a->xx * a->yz, minor};
    double whole = a->xz * last.x + a->yz * last.y + a->zz * last.z;
    return a->xx > 0 && minor > 0 && whole > 0;
}

static void read_shapes(struct scene_spot *spot, struct scene *scene, int body)
{
    struct body_link *link = &scene->links[body];
    int has_mass = spot_has(spot, "mass_kg"), has_boxes = spot_has(spot, "boxes");
    struct scene_list list = spot_list(spot, "boxes", NULL);
    *link = body_link_unlimited(-1, LINK_FREE);
    while (spot_next(&list))
        read_box(&list.spot, scene, body, has_mass);
    if (has_mass || !has_boxes) {
        link->mass_kg = spot_need_number(spot, "mass_kg", 0, SCENE_NUMBER_MAX);
        link->centre = take_vector(spot, "centre_m");
        link->inertia = take_inertia(spot);
    } else {
        finish_mass(link);
    }
    if (!(link->mass_kg > 0 && is_positive(&link->inertia)))
        scene_fail(spot, ERR_RANGE, "", "mass and inertia must be above 0, about every axis");
}

/* ---------------------------------------------------------------- joints */

static enum link_joint read_kind(const struct scene_spot *joint)
{
    const char *words[LINK_JOINT_COUNT + 1] = {NULL};
    for (int i = 0; i < LINK_FREE; i++)
        words[i] = joint_kinds[i].name;
    if (!spot_has(joint, "kind"))
        scene_fail(joint, ERR_MISSING, "kind", "missing");
    return (enum link_joint)spot_choice(joint, "kind", words);
}

/* The keys of one freedom, or the defaults. */
static void read_freedom(const struct scene_spot *joint, json_t *array, int k, int is_slide,
                         struct scene_freedom *freedom)
{
    struct scene_spot spot = {joint->reader, json_object(), ""};
    if ((size_t)k < json_array_size(array)) {
        json_decref(spot.object);
        spot = spot_member(joint, "freedoms", array, (size_t)k);
    }
    scene_read_freedom(&spot, is_slide, freedom);
    spot_close(&spot);
}

/* The start and the limits of a spherical joint, which its freedoms do not have. */
static void read_ball(const struct scene_spot *joint, struct body_link *link, double *q)
{
    quaternion_write(q, take_quaternion(joint, "start_quaternion"));
    link->cone_rad = spot_number(joint, "cone_rad", HUGE_VAL, 0, DET_PI);
    link->lower[0] = spot_number(joint, "twist_lower_rad", -HUGE_VAL, -DET_PI, DET_PI);
    link->upper[0] = spot_number(joint, "twist_upper_rad", HUGE_VAL, -DET_PI, DET_PI);
    if (link->lower[0] > link->upper[0])
        scene_fail(joint, ERR_RANGE, "twist_lower_rad", "is above the upper limit");
}

/* Coordinates and rates of a body have been read. */
static void count_freedoms(struct scene_space *space, const struct body_link *link)
{
    space->coordinates += joint_coordinates(&joint_kinds[link->kind]);
    space->rates += joint_rates(&joint_kinds[link->kind]);
}

static void read_joint(struct scene_spot *spot, struct scene *scene, int body)
{
    struct scene_space *space = &scene->space;
    struct body_link *link = &scene->links[body];
    link->kind = read_kind(spot);
    link->parent = scene->bodies[body].parent = scene_read_to(spot, scene);
    link->joint = take_vector(spot, "at_m");
    link->frame = take_quaternion(spot, "quaternion");
    const struct joint_kind *joint = &joint_kinds[link->kind];
    int rates = joint_rates(joint), plain = joint->slides + joint->turns;
    double *q = scene->q + space->coordinates, *qd = scene->qd + space->rates;
    json_t *array = spot_take(spot, "freedoms");
    if (array && (!json_is_array(array) || json_array_size(array) > (size_t)rates))
        scene_fail(spot, ERR_FORMAT, "freedoms",
                   "an array is expected, not longer than the joint has freedoms");
    for (int k = 0; k < rates && !spot->reader->is_failed; k++) {
        struct scene_freedom *freedom = &space->freedoms[space->rates + k];
        read_freedom(spot, array, k, k < joint->slides, freedom);
        qd[k] = freedom->rate;
        if (k < plain) {
            q[k] = freedom->start;
            link->lower[k] = freedom->lower;
            link->upper[k] = freedom->upper;
        } else if (freedom->start != 0 || isfinite(freedom->lower) || isfinite(freedom->upper)) {
            scene_fail(
                spot, ERR_FORMAT, "freedoms",
                "a spherical joint has start_quaternion, cone_rad and twist_lower_rad instead");
        } else if (freedom->drive.law == SERVO_MOTION) {
            scene_fail(spot, ERR_FORMAT, "freedoms", "a spherical joint has no motion");
        }
    }
    if (joint->has_ball)
        read_ball(spot, link, q + plain);
    json_decref(array);
    count_freedoms(space, link);
}

static void read_free(struct scene_spot *spot, struct scene *scene, int body)
{
    struct scene_space *space = &scene->space;
    double *q = scene->q + space->coordinates, *qd = scene->qd + space->rates;
    quaternion_write(q + 3, take_quaternion(spot, "quaternion"));
    spot_numbers(spot, "position_m", q, 3);
    spot_numbers(spot, "velocity_m_s", qd, 3);
    spot_numbers(spot, "rate_rad_s", qd + 3, 3);
    count_freedoms(space, &scene->links[body]);
}

/* ---------------------------------------------------------------- building */

/* The first body of the rigid piece that a body belongs to. */
static int piece_of(const struct scene *scene, int body)
{
    while (scene->links[body].kind == LINK_RIGID && scene->links[body].parent >= 0)
        body = scene->links[body].parent;
    return body;
}

/* Bodies of one rigid piece never collide, nor do two pieces that a joint joins. */
static int is_passing(const struct scene *scene, int a, int b)
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
    return first == second || scene->bodies[a].passes || scene->bodies[b].passes;
}

/* Boxes are parts. */
static void place_parts(struct scene *scene)
{
    struct scene_space *space = &scene->space;
    int count = scene->part_count = space->box_count;
    for (int i = 0; i < count; i++) {
        const struct body_box *box = &space->boxes[i];
        scene->parts[i] = (struct part){.parent = -1, .depth = box->link, .link = box->link};
        scene->part_bodies[i] = box->link;
        space->shapes[i] = (struct shape){.kind = SHAPE_BOX,
                                          .part = i,
                                          .other = -1,
                                          .drive = -1,
                                          .turn = QUATERNION_ONE,
                                          .half_m = vec3_scale(box->size_m, 0.5)};
        for (int k = 0; k < count; k++)
            scene->passes[i * count + k] =
                (unsigned char)is_passing(scene, box->link, space->boxes[k].link);
    }
}

/* Whether a servo pulls, as muscles do. */
static int is_pulling(const struct servo *servo)
{
    int has_aim = servo->law == SERVO_TORQUE || servo->kp > 0 || servo->kd > 0;
    return servo->law != SERVO_MOTION && servo->torque_max > 0 && has_aim;
}

static int build(struct scene *scene, struct error *error)
{
    struct scene_space *space = &scene->space;
    struct phenotype *p = &scene->phenotype;
    int kind = 0;
    while (strcmp(body_kinds[kind].name, "boxes") != 0)
        kind++;
    place_parts(scene);
    scene->body = (struct body){.links = scene->links,
                                .link_count = scene->body_count,
                                .boxes = space->boxes,
                                .box_count = space->box_count};
    *p = (struct phenotype){.kind = kind,
                            .parts = scene->parts,
                            .drives = space->drives,
                            .effectors = space->effectors,
                            .shapes = space->shapes,
                            .part_count = space->box_count,
                            .shape_count = space->box_count,
                            .drive_count = space->rates,
                            .piece_count = scene->body_count,
                            .meetings = scene->passes,
                            .body = &scene->body};
    for (int i = 0; i < space->rates; i++)
        if (is_pulling(&space->freedoms[i].drive))
            space->effectors[p->effector_count++].drive = i;
    for (int i = 0; i < scene->body_count; i++)
        p->mass_kg += scene->links[i].mass_kg;
    return 0;
}

/* All but free bodies, whose freedoms have no servos. */
static void drive(const struct scene *scene, struct dynamics *dynamics)
{
    const struct scene_space *space = &scene->space;
    for (int i = 0, rate = 0; i < scene->body_count; i++) {
        int end = rate + joint_rates(&joint_kinds[scene->links[i].kind]);
        for (; rate < end; rate++)
            if (scene->links[i].kind != LINK_FREE)
                dynamics_set_servo(dynamics, rate, &space->freedoms[rate].drive);
    }
}

const struct scene_form scene_in_space = {.dimensions = 3,
                                          .read_world = read_world,
                                          .read_shapes = read_shapes,
                                          .read_joint = read_joint,
                                          .read_free = read_free,
                                          .build = build,
                                          .drive = drive};

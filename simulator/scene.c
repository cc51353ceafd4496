/* See scene.h. Frames: a link's frame has its origin at the joint to the parent link, and is turned so
 * that the link's angle is the joint's angle as the scene counts it, between the bodies' frames. */
#include "simulator/scene.h"

#include <string.h>

#include "common/detmath.h"

static struct vec2 turn(double angle, struct vec2 v)
{
    double s, c;
    det_sincos(angle, &s, &c);
    return (struct vec2){c * v.x - s * v.y, s * v.x + c * v.y};
}

static struct vec2 add(struct vec2 a, struct vec2 b)
{
    return (struct vec2){a.x + b.x, a.y + b.y};
}

static struct vec2 subtract(struct vec2 a, struct vec2 b)
{
    return (struct vec2){a.x - b.x, a.y - b.y};
}

/* A point of the body's frame in that of its link. */
static struct vec2 in_link(const struct scene_body *body, struct vec2 point)
{
    return add(body->offset, turn(body->offset_rad, point));
}

int scene_find_body(const struct scene *scene, const char *name)
{
    for (int i = 0; i < scene->body_count; i++)
        if (strcmp(scene->bodies[i].name, name) == 0)
            return i;
    return -1;
}

/* ---------------------------------------------------------------- building */

/* One tree: either all of it hangs on the world, or its one free body is the root. */
static int check_tree(const struct scene *scene, struct error *error)
{
    int free_body = -1, hung_body = -1;
    for (int i = 0; i < scene->body_count; i++) {
        const struct scene_body *body = &scene->bodies[i];
        if (body->joint == SCENE_FREE && free_body >= 0)
            return error_set(error, ERR_UNAVAILABLE,
                             "bodies %s and %s are both free: not supported, join all bodies",
                             scene->bodies[free_body].name, body->name);
        if (body->joint == SCENE_FREE)
            free_body = i;
        else if (body->parent < 0)
            hung_body = i;
        if (free_body >= 0 && hung_body >= 0)
            return error_set(error, ERR_UNAVAILABLE,
                             "body %s is free and %s is joined to the world: not supported",
                             scene->bodies[free_body].name, scene->bodies[hung_body].name);
    }
    return 0;
}

static void add_link(struct scene *scene, struct scene_body *body, int parent_link,
                     struct vec2 joint)
{
    int at = scene->phenotype.link_count++;
    scene->links[at] = (struct link){.parent = parent_link,
                                     .joint = joint,
                                     .lower = body->lower_rad,
                                     .upper = body->upper_rad,
                                     .mirror = 1};
    body->link = at;
    scene->q[2 + at] = body->angle_rad;
    scene->qd[2 + at] = body->rate_rad_s;
}

static void place_body(struct scene *scene, struct scene_body *body)
{
    if (body->joint == SCENE_FREE) {
        add_link(scene, body, -1, (struct vec2){0, 0});
        scene->q[0] = body->at.x;
        scene->q[1] = body->at.y;
        scene->qd[0] = body->velocity.x;
        scene->qd[1] = body->velocity.y;
        return;
    }
    static const struct scene_body ground = {.link = 0};
    const struct scene_body *parent = body->parent < 0 ? &ground : &scene->bodies[body->parent];
    struct vec2 joint = in_link(parent, body->at);
    body->offset_rad = parent->offset_rad;
    if (body->joint == SCENE_RIGID) {
        body->link = parent->link;
        body->offset_rad += body->angle_rad;
        body->offset = subtract(joint, turn(body->offset_rad, body->own_at));
        return;
    }
    add_link(scene, body, parent->link, joint);
    body->offset = subtract((struct vec2){0, 0}, turn(body->offset_rad, body->own_at));
}

/* Masses, centres and inertias of the links; the world has none. */
static void weigh_links(struct scene *scene)
{
    struct phenotype *p = &scene->phenotype;
    for (int i = 0; i < scene->body_count; i++) {
        const struct scene_body *body = &scene->bodies[i];
        struct link *link = &scene->links[body->link];
        struct vec2 centre = in_link(body, body->centre);
        if (p->is_root_fixed && body->link == 0)
            continue;
        link->mass_kg += body->mass_kg;
        link->centre.x += body->mass_kg * centre.x;
        link->centre.y += body->mass_kg * centre.y;
        p->mass_kg += body->mass_kg;
    }
    for (int i = p->is_root_fixed; i < p->link_count; i++) {
        scene->links[i].centre.x /= scene->links[i].mass_kg;
        scene->links[i].centre.y /= scene->links[i].mass_kg;
    }
    for (int i = 0; i < scene->body_count; i++) {
        const struct scene_body *body = &scene->bodies[i];
        struct link *link = &scene->links[body->link];
        struct vec2 arm = subtract(in_link(body, body->centre), link->centre);
        if (p->is_root_fixed && body->link == 0)
            continue;
        link->inertia_kg_m2 +=
            body->inertia_kg_m2 + body->mass_kg * (arm.x * arm.x + arm.y * arm.y);
    }
}

/* Parts in the frames of their links; which of them never collide. */
static void place_parts(struct scene *scene)
{
    struct phenotype *p = &scene->phenotype;
    for (int i = 0; i < p->part_count; i++) {
        struct part *part = &scene->parts[i];
        int of = scene->part_bodies[i];
        const struct scene_body *body = &scene->bodies[of];
        part->local = in_link(body, part->centre);
        part->local_angle_rad = body->offset_rad + part->angle_rad;
        part->link = body->link;
        part->parent = -1;
        for (int j = 0; j < i; j++) {
            int other = scene->part_bodies[j];
            int is_joined = body->parent == other || scene->bodies[other].parent == of;
            scene->passes[i * p->part_count + j] = (unsigned char)is_joined;
            scene->passes[j * p->part_count + i] = (unsigned char)is_joined;
        }
    }
}

/* Something must resist where it turns or moves. */
static int check_inertias(const struct scene *scene, struct error *error)
{
    for (int i = 0; i < scene->body_count; i++) {
        const struct scene_body *body = &scene->bodies[i];
        const struct link *link = &scene->links[body->link];
        if (body->joint == SCENE_RIGID)
            continue;
        double x = link->centre.x, y = link->centre.y, inertia = link->inertia_kg_m2;
        if (body->joint == SCENE_ROTARY)
            inertia += link->mass_kg * (x * x + y * y);
        if (!(link->mass_kg > 0) || !(inertia > 0))
            return error_set(error, ERR_RANGE, "body %s: without %s it cannot move", body->name,
                             link->mass_kg > 0 ? "inertia" : "mass");
    }
    return 0;
}

int scene_build(struct scene *scene, struct error *error)
{
    struct phenotype *p = &scene->phenotype;
    if (check_tree(scene, error) != 0)
        return error->code;
    memset(scene->q, 0, sizeof scene->q);
    memset(scene->qd, 0, sizeof scene->qd);
    memset(scene->links, 0, sizeof scene->links);
    *p = (struct phenotype){.parts = scene->parts,
                            .links = scene->links,
                            .part_count = p->part_count,
                            .passes = scene->passes};
    p->is_root_fixed = scene->bodies[0].joint != SCENE_FREE;
    if (p->is_root_fixed) {
        scene->links[0].parent = -1;
        p->link_count = 1;
    }
    for (int i = 0; i < scene->body_count; i++)
        place_body(scene, &scene->bodies[i]);
    weigh_links(scene);
    place_parts(scene);
    return check_inertias(scene, error);
}

/* ---------------------------------------------------------------- motion */

/* The constraint solver gives every link coordinates of its own, a turn among them. */
static int check_solver(const struct scene *scene, struct error *error)
{
    const struct phenotype *p = &scene->phenotype;
    for (int i = 0; i < scene->body_count; i++) {
        const struct scene_body *body = &scene->bodies[i];
        int is_world = p->is_root_fixed && body->link == 0;
        if (scene->settings.solver == SOLVER_CONSTRAINT && !is_world &&
            scene->links[body->link].inertia_kg_m2 <= 0)
            return error_set(error, ERR_UNAVAILABLE,
                             "body %s: a point mass is not supported by this solver (constraint)",
                             body->name);
    }
    return 0;
}

int scene_start(const struct scene *scene, struct arena *arena, struct dynamics **dynamics,
                struct error *error)
{
    if (check_solver(scene, error) != 0)
        return error->code;
    *dynamics = dynamics_create(&scene->phenotype, &scene->world, &scene->settings, arena);
    if (!*dynamics)
        return error_set(error, ERR_MEMORY, "the scene does not fit into memory");
    for (int i = 0; i < scene->body_count; i++)
        if (scene->bodies[i].joint == SCENE_ROTARY)
            dynamics_set_servo(*dynamics, scene->bodies[i].link, &scene->bodies[i].drive);
    dynamics_set_state(*dynamics, scene->q, scene->qd);
    dynamics_reset_ledger(*dynamics);
    return 0;
}

void scene_body_state(const struct scene *scene, const struct dynamics *dynamics, int body,
                      struct part_state *state)
{
    const struct scene_body *b = &scene->bodies[body];
    struct part_state link;
    dynamics_link_state(dynamics, b->link, &link);
    struct vec2 arm = subtract(in_link(b, b->centre), scene->links[b->link].centre);
    arm = turn(link.angle_rad, arm);
    *state = (struct part_state){.x_m = link.x_m + arm.x,
                                 .y_m = link.y_m + arm.y,
                                 .angle_rad = link.angle_rad + b->offset_rad,
                                 .vx_m_s = link.vx_m_s - link.omega_rad_s * arm.y,
                                 .vy_m_s = link.vy_m_s + link.omega_rad_s * arm.x,
                                 .omega_rad_s = link.omega_rad_s};
}

struct vec2 scene_body_point(const struct scene *scene, const struct dynamics *dynamics, int body,
                             struct vec2 point)
{
    struct part_state state;
    scene_body_state(scene, dynamics, body, &state);
    struct vec2 arm = turn(state.angle_rad, subtract(point, scene->bodies[body].centre));
    return (struct vec2){state.x_m + arm.x, state.y_m + arm.y};
}

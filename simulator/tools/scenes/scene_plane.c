/* A scene in the plane as links and parts of a phenotype.
 *
 * Frames: a link's frame has its origin at the joint to the parent link, and is turned
 * so that the link's angle is the joint's angle as the scene counts it, between the bodies' frames.
 * Where link 0 is the world, its origin is where the first body that moves begins: far from the
 * world's origin nothing is lost. */
#include "simulator/tools/scenes/scene_text.h"

#include <math.h>
#include <string.h>

#include "common/math/detmath.h"
#include "common/math/rotation.h"

/* A loop is closed when its ends are this near, m, rad. */
#define LOOP_CLOSED 1e-9
#define TURN        (2 * 3.14159265358979323846)

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
    return add(body->offset, vec2_turned(body->offset_rad, point));
}

/* Body i, or for -1 the world as a body of link 0, where link 0 is the world. */
static struct scene_body body_or_world(const struct scene *scene, int i)
{
    struct scene_body world = {.offset = {0 - scene->origin.x, 0 - scene->origin.y}};
    return i < 0 ? world : scene->bodies[i];
}

/* ---------------------------------------------------------------- building */

/* 1 if link 0 is the world: something hangs on it or is fixed in it, or more than one body is
 * free. */
static int needs_world(const struct scene *scene)
{
    int free_count = 0, needs = 0;
    for (int i = 0; i < scene->body_count; i++) {
        needs |= scene->bodies[i].joint != LINK_PLANAR && scene->bodies[i].parent < 0;
        free_count += scene->bodies[i].joint == LINK_PLANAR;
    }
    for (int i = 0; i < scene->part_count; i++)
        needs |= scene->part_bodies[i] < 0;
    for (int i = 0; i < scene->loop_count; i++)
        needs |= scene->loops[i].b < 0;
    return needs || free_count > 1;
}

/* Where the first body that moves has its joint or its origin. */
static struct vec2 find_origin(const struct scene *scene)
{
    for (int i = 0; i < scene->body_count; i++) {
        const struct scene_body *body = &scene->bodies[i];
        if (body->parent < 0 && body->joint != LINK_RIGID)
            return body->at;
    }
    return (struct vec2){0, 0};
}

/* A link with the coordinate q of its joint and its rate. */
static struct body_link *add_link(struct scene *scene, enum link_joint kind, int parent,
                                  struct vec2 joint, double q, double qd)
{
    int at = scene->body.link_count++;
    struct body_link *link = &scene->links[at];
    *link = body_link_unlimited(parent, kind);
    link->joint = vec3_of_plane(joint);
    scene->q[2 + at] = q;
    scene->qd[2 + at] = qd;
    return link;
}

static int last_link(const struct scene *scene)
{
    return scene->body.link_count - 1;
}

/* The root itself, or a link that hangs on the world by links without mass. */
static void place_free(struct scene *scene, struct scene_body *body)
{
    struct vec2 at = subtract(body->at, scene->origin), none = {0, 0};
    if (!body_is_fixed(&scene->body)) {
        add_link(scene, LINK_PLANAR, -1, none, body->angle_rad, body->rate_rad_s);
        scene->q[0] = body->at.x;
        scene->q[1] = body->at.y;
        scene->qd[0] = body->velocity.x;
        scene->qd[1] = body->velocity.y;
    } else {
        add_link(scene, LINK_LINEAR, 0, none, at.x, body->velocity.x)->axis =
            (struct vec3){1, 0, 0};
        add_link(scene, LINK_LINEAR, last_link(scene), none, at.y, body->velocity.y)->axis =
            (struct vec3){0, 1, 0};
        add_link(scene, LINK_REVOLUTE, last_link(scene), none, body->angle_rad, body->rate_rad_s);
    }
    body->link = last_link(scene);
}

static void place_body(struct scene *scene, struct scene_body *body)
{
    body->offset = (struct vec2){0, 0};
    body->offset_rad = 0;
    if (body->joint == LINK_PLANAR) {
        place_free(scene, body);
        return;
    }
    struct scene_body parent = body_or_world(scene, body->parent);
    struct vec2 joint = in_link(&parent, body->at);
    body->offset_rad = parent.offset_rad;
    if (body->joint != LINK_REVOLUTE)
        body->offset_rad += body->angle_rad;
    body->offset = subtract((struct vec2){0, 0}, vec2_turned(body->offset_rad, body->own_at));
    if (body->joint == LINK_RIGID) {
        body->link = parent.link;
        body->offset = add(body->offset, joint);
        return;
    }
    const struct scene_freedom *f = &body->freedom;
    struct body_link *link = add_link(scene, body->joint, parent.link, joint, f->start, f->rate);
    if (body->joint == LINK_LINEAR)
        link->axis =
            vec3_of_plane(vec2_turned(parent.offset_rad + body->axis_rad, (struct vec2){1, 0}));
    link->lower[0] = f->lower;
    link->upper[0] = f->upper;
    body->link = last_link(scene);
}

/* Masses, centres and inertias of the links; the world has none. */
static void weigh_links(struct scene *scene)
{
    struct phenotype *p = &scene->phenotype;
    for (int i = 0; i < scene->body_count; i++) {
        const struct scene_body *body = &scene->bodies[i];
        struct body_link *link = &scene->links[body->link];
        struct vec2 centre = in_link(body, body->centre);
        if (body_is_fixed(&scene->body) && body->link == 0)
            continue;
        link->mass_kg += body->mass_kg;
        link->centre.x += body->mass_kg * centre.x;
        link->centre.y += body->mass_kg * centre.y;
        p->mass_kg += body->mass_kg;
    }
    for (int i = 0; i < scene->body.link_count; i++) {
        struct body_link *link = &scene->links[i];
        if (link->mass_kg > 0) {
            link->centre.x /= link->mass_kg;
            link->centre.y /= link->mass_kg;
        }
    }
    for (int i = 0; i < scene->body_count; i++) {
        const struct scene_body *body = &scene->bodies[i];
        struct body_link *link = &scene->links[body->link];
        struct vec2 arm = subtract(in_link(body, body->centre), vec3_flat(link->centre));
        if (body_is_fixed(&scene->body) && body->link == 0)
            continue;
        link->inertia.zz += body->inertia_kg_m2 + body->mass_kg * (arm.x * arm.x + arm.y * arm.y);
    }
}

/* 1 if two bodies never touch: one of them passes through everything, or a joint joins them. */
static int is_passing(const struct scene *scene, int a, int b)
{
    const struct scene_body *bodies = scene->bodies;
    if ((a >= 0 && bodies[a].passes) || (b >= 0 && bodies[b].passes))
        return 1;
    if (a < 0 || b < 0)
        return 0;
    for (int i = 0; i < scene->loop_count; i++) {
        const struct scene_loop *loop = &scene->loops[i];
        if ((loop->a == a && loop->b == b) || (loop->a == b && loop->b == a))
            return 1;
    }
    return bodies[a].parent == b || bodies[b].parent == a;
}

/* Parts in the frames of their links; which of them never collide. */
static void place_parts(struct scene *scene)
{
    struct phenotype *p = &scene->phenotype;
    p->part_count = scene->part_count;
    for (int i = 0; i < p->part_count; i++) {
        struct part *part = &scene->parts[i];
        struct scene_body body = body_or_world(scene, scene->part_bodies[i]);
        part->local = in_link(&body, (struct vec2){part->centre.x, part->centre.y});
        part->local_angle_rad = body.offset_rad + part->angle_rad;
        part->turn = quaternion_about((struct vec3){0, 0, 1}, part->angle_rad);
        part->link = body.link;
        part->parent = -1;
        for (int j = 0; j < i; j++) {
            int passes = is_passing(scene, scene->part_bodies[i], scene->part_bodies[j]);
            scene->passes[i * p->part_count + j] = (unsigned char)passes;
            scene->passes[j * p->part_count + i] = (unsigned char)passes;
        }
    }
}

static void place_loops(struct scene *scene)
{
    for (int i = 0; i < scene->loop_count; i++) {
        const struct scene_loop *loop = &scene->loops[i];
        struct scene_body a = body_or_world(scene, loop->a), b = body_or_world(scene, loop->b);
        scene->closures[i] = (struct closure){
            .kind = loop->joint,
            .a = a.link,
            .b = b.link,
            .at_a = in_link(&a, loop->at_a),
            .at_b = in_link(&b, loop->at_b),
            .angle_rad = loop->angle_rad + b.offset_rad - a.offset_rad,
            .across = vec2_turned(b.offset_rad + loop->axis_rad, (struct vec2){0, 1}),
        };
    }
    scene->body.closures = scene->closures;
    scene->body.closure_count = scene->loop_count;
}

/* A joint that moves must have mass or inertia behind it. */
static int check_inertias(const struct scene *scene, struct error *error)
{
    for (int i = 0; i < scene->body_count; i++) {
        const struct scene_body *body = &scene->bodies[i];
        const struct body_link *link = &scene->links[body->link];
        if (body->joint == LINK_RIGID)
            continue;
        double x = link->centre.x, y = link->centre.y, inertia = link->inertia.zz;
        if (body->joint == LINK_REVOLUTE)
            inertia += link->mass_kg * (x * x + y * y);
        if (!(link->mass_kg > 0) || (body->joint != LINK_LINEAR && !(inertia > 0)))
            return error_set(error, ERR_RANGE, "body %s: without %s it cannot move", body->name,
                             link->mass_kg > 0 ? "inertia" : "mass");
    }
    return 0;
}

/* ---------------------------------------------------------------- point masses */

/* Adds a mass at a point of the link, which may be negative. */
static void add_mass(struct body_link *link, double mass, struct vec2 at)
{
    double sum = link->mass_kg + mass;
    double x = at.x - link->centre.x, y = at.y - link->centre.y;
    if (sum == 0)
        return;
    link->inertia.zz += link->mass_kg * mass / sum * (x * x + y * y);
    link->centre.x += mass / sum * x;
    link->centre.y += mass / sum * y;
    link->mass_kg = sum;
}

/* The constraint solver gives every link coordinates of its own, a turn among them, which needs an
 * inertia. A body that does not turn may have any. Where a link without one hangs on a hinge, mass
 * is moved to it, at the hinge, from the link on the other side of it: a mass in the hinge moves
 * with both, so the motion and the energies are the same. From the leaves to the world, which gives
 * whatever is asked for. */
static int spread_masses(struct scene *scene, struct error *error)
{
    for (int i = scene->body.link_count - 1; i > 0; i--) {
        struct body_link *link = &scene->links[i], *parent = &scene->links[link->parent];
        int is_world = body_is_fixed(&scene->body) && link->parent == 0;
        if (link->mass_kg <= 0 || link->inertia.zz > 0)
            continue;
        if (link->kind == LINK_LINEAR) {
            /* a linear joint turns both alike: inertia may be on either side */
            int is_enough = !is_world && parent->inertia.zz > 0;
            double more = is_enough ? parent->inertia.zz / 2 : link->mass_kg;
            link->inertia.zz += more;
            parent->inertia.zz -= is_world ? 0 : more;
            continue;
        }
        double mass = is_world ? link->mass_kg : det_min(link->mass_kg, parent->mass_kg) / 2;
        add_mass(link, mass, (struct vec2){0, 0});
        add_mass(parent, -mass, vec3_flat(link->joint));
    }
    for (int i = 0; i < scene->body_count; i++) {
        const struct scene_body *body = &scene->bodies[i];
        const struct body_link *link = &scene->links[body->link];
        int is_world = body_is_fixed(&scene->body) && body->link == 0;
        if (!is_world && !(link->inertia.zz > 0 && link->mass_kg > 0))
            return error_set(error, ERR_UNAVAILABLE,
                             "body %s: it has too little inertia for this solver (constraint)",
                             body->name);
    }
    return 0;
}

static int build(struct scene *scene, struct error *error)
{
    struct phenotype *p = &scene->phenotype;
    memset(scene->q, 0, sizeof scene->q);
    memset(scene->qd, 0, sizeof scene->qd);
    memset(scene->links, 0, sizeof scene->links);
    *p = (struct phenotype){.parts = scene->parts,
                            .body = &scene->body,
                            .meetings = scene->passes,
                            .root_rates = PLANE_ROOT_RATES};
    scene->body = (struct body){.links = scene->links};
    scene->links[0] = body_link_unlimited(-1, needs_world(scene) ? LINK_RIGID : LINK_PLANAR);
    scene->origin = (struct vec2){0, 0};
    if (body_is_fixed(&scene->body)) {
        scene->origin = find_origin(scene);
        scene->q[0] = scene->origin.x;
        scene->q[1] = scene->origin.y;
        scene->body.link_count = 1;
    }
    for (int i = 0; i < scene->body_count; i++)
        place_body(scene, &scene->bodies[i]);
    weigh_links(scene);
    place_parts(scene);
    place_loops(scene);
    return check_inertias(scene, error);
}

/* ---------------------------------------------------------------- motion */

/* Before creation, and after the build. */
static int suit_solver(struct scene *scene, struct error *error)
{
    if (scene->settings.solver == SOLVER_CONSTRAINT)
        return spread_masses(scene, error);
    if (scene->loop_count > 0)
        return error_set(error, ERR_UNAVAILABLE,
                         "closed loops are moved by the constraint solver only: use --solver "
                         "constraint or \"solver\": \"constraint\"");
    return 0;
}

/* The solver closes loops as well as it can, from where the scene has put the bodies. */
static int check_loops(const struct scene *scene, const struct dynamics *dynamics,
                       struct error *error)
{
    for (int i = 0; i < scene->loop_count; i++) {
        const struct scene_loop *loop = &scene->loops[i];
        struct scene_body a = body_or_world(scene, loop->a), b = body_or_world(scene, loop->b);
        struct vec2 at_a = loop->at_a, at_b = loop->at_b;
        struct part_state sa = {0}, sb = {0};
        scene_body_state(scene, dynamics, loop->a, &sa);
        at_a = scene_body_point(scene, dynamics, loop->a, at_a);
        if (loop->b >= 0) {
            scene_body_state(scene, dynamics, loop->b, &sb);
            at_b = scene_body_point(scene, dynamics, loop->b, at_b);
        }
        struct vec2 apart = vec2_turned(-sb.angle_rad - loop->axis_rad, subtract(at_a, at_b));
        double gap = loop->joint == LINK_LINEAR ? fabs(apart.y)
                                                : sqrt(apart.x * apart.x + apart.y * apart.y);
        double off = loop->joint == LINK_REVOLUTE
                         ? 0
                         : fabs(remainder(sa.angle_rad - sb.angle_rad - loop->angle_rad, TURN));
        if (!(gap <= LOOP_CLOSED && off <= LOOP_CLOSED))
            return error_set(error, ERR_RANGE,
                             "loops[%d], %s to %s: it does not close, its ends stay %.3g m and "
                             "%.3g rad apart",
                             i, a.name, loop->b < 0 ? "world" : b.name, gap, off);
    }
    return 0;
}

static void drive(const struct scene *scene, struct dynamics *dynamics)
{
    for (int i = 0; i < scene->body_count; i++) {
        const struct scene_body *body = &scene->bodies[i];
        if (body->joint == LINK_REVOLUTE || body->joint == LINK_LINEAR)
            dynamics_set_servo(dynamics, body->link, &body->freedom.drive);
    }
}

void scene_body_state(const struct scene *scene, const struct dynamics *dynamics, int body,
                      struct part_state *state)
{
    const struct scene_body *b = &scene->bodies[body];
    struct part_state link;
    dynamics_link_state(dynamics, b->link, &link);
    struct vec2 arm = subtract(in_link(b, b->centre), vec3_flat(scene->links[b->link].centre));
    arm = vec2_turned(link.angle_rad, arm);
    *state =
        (struct part_state){.at_m = {link.at_m.x + arm.x, link.at_m.y + arm.y, 0},
                            .angle_rad = link.angle_rad + b->offset_rad,
                            .velocity_m_s = {link.velocity_m_s.x - link.spin_rad_s.z * arm.y,
                                             link.velocity_m_s.y + link.spin_rad_s.z * arm.x, 0},
                            .spin_rad_s = link.spin_rad_s};
}

struct vec2 scene_body_point(const struct scene *scene, const struct dynamics *dynamics, int body,
                             struct vec2 point)
{
    struct part_state state;
    scene_body_state(scene, dynamics, body, &state);
    struct vec2 arm = vec2_turned(state.angle_rad, subtract(point, scene->bodies[body].centre));
    return (struct vec2){state.at_m.x + arm.x, state.at_m.y + arm.y};
}

struct drive_state scene_joint_state(const struct scene *scene, const struct dynamics *dynamics,
                                     int body)
{
    const struct scene_body *b = &scene->bodies[body];
    struct drive_state state = {0};
    if (b->joint == LINK_REVOLUTE || b->joint == LINK_LINEAR)
        dynamics_drive_state(dynamics, b->link, &state);
    return state;
}

const struct scene_form scene_in_plane = {.dimensions = 2,
                                          .constraint_tau_s = 0.01,
                                          .read_world = scene_plane_read_world,
                                          .read_shapes = scene_plane_read_shapes,
                                          .read_joint = scene_plane_read_joint,
                                          .read_free = scene_plane_read_free,
                                          .read_rest = scene_plane_read_rest,
                                          .build = build,
                                          .suit_solver = suit_solver,
                                          .drive = drive,
                                          .check_start = check_loops};

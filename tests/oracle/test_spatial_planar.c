/* Planar scenes put into a turned plane in space, as boxes of any depth, give the planar program's
 * answer: hinges become revolute joints about the plane's normal, free bodies free roots, drag is
 * divided by the depth. By both solvers, each against its own kind in the plane; the reference
 * takes no links without inertia of their own. */
#include "simulator/links/spatial_state.h"
#include "simulator/tools/scenes/scene.h"
#include "simulator/spatial/steps/spatial_dynamics.h"
#include "simulator/reference/spatial_constraint.h"
#include "tests/suite.h"

#define STEP    (1.0 / 960)
#define DEPTH_M 0.37

enum { BODIES_MAX = 8, RATES_MAX = 6 * BODIES_MAX, COORDINATES_MAX = 7 * BODIES_MAX };

static struct scene scene;
static struct arena plane_arena, space_arena;

/* The scene in space. */
struct embedding {
    struct mat3 turned; /* the plane */
    struct quaternion turn;
    struct body_link links[BODIES_MAX];
    struct body_box boxes[SCENE_SHAPES_MAX];
    double frame_rad[BODIES_MAX]; /* the body's frame against the link's */
    double q[COORDINATES_MAX], qd[RATES_MAX];
    int coordinates, rates, box_count;
    struct spatial_world world;
};
static struct embedding e;

static void setup(void)
{
    ck_assert_int_eq(arena_init(&plane_arena, SCENE_ARENA_BYTES), 0);
    ck_assert_int_eq(arena_init(&space_arena, 4u << 20), 0);
}

static void teardown(void)
{
    arena_deinit(&plane_arena);
    arena_deinit(&space_arena);
}

/* ---------------------------------------------------------------- embedding */

static struct quaternion about_z(double angle_rad)
{
    return quaternion_about((struct vec3){0, 0, 1}, angle_rad);
}

static struct vec3 turned_by(double angle_rad, double x, double y)
{
    struct mat3 m = quaternion_matrix(about_z(angle_rad));
    return mat3_apply(&m, (struct vec3){x, y, 0});
}

/* A point of body i, or of the world's plane for -1, in the frame of its link. */
static struct vec3 in_link(int i, struct vec2 at)
{
    if (i < 0)
        return mat3_apply(&e.turned, (struct vec3){at.x, at.y, 0});
    const struct scene_body *body = &scene.bodies[i];
    return turned_by(e.frame_rad[i], at.x - body->own_at.x, at.y - body->own_at.y);
}

/* A turn about the plane's normal in the frame of link i. */
static struct quaternion frame_in(int i, double angle_rad)
{
    if (i < 0)
        return quaternion_product(e.turn, about_z(angle_rad));
    return about_z(e.frame_rad[i] + angle_rad);
}

static void add_state(double q, double qd)
{
    e.q[e.coordinates++] = q;
    e.qd[e.rates++] = qd;
}

static void add_free(const struct scene_body *body)
{
    struct vec3 at = mat3_apply(&e.turned, (struct vec3){body->at.x, body->at.y, 0});
    struct vec3 v = mat3_apply(&e.turned, (struct vec3){body->velocity.x, body->velocity.y, 0});
    struct quaternion q = quaternion_product(e.turn, about_z(body->angle_rad));
    add_state(at.x, v.x);
    add_state(at.y, v.y);
    add_state(at.z, v.z);
    e.q[e.coordinates++] = q.w;
    add_state(q.x, 0);
    add_state(q.y, 0);
    add_state(q.z, body->rate_rad_s);
}

static void add_body(int i)
{
    const struct scene_body *body = &scene.bodies[i];
    struct body_link *link = &e.links[i];
    static const enum link_joint kinds[] = {[LINK_PLANAR] = LINK_FREE,
                                            [LINK_REVOLUTE] = LINK_REVOLUTE,
                                            [LINK_RIGID] = LINK_RIGID,
                                            [LINK_LINEAR] = LINK_LINEAR};
    *link = body_link_unlimited(body->parent, kinds[body->joint]);
    link->mass_kg = body->mass_kg;
    link->lower[0] = body->joint == LINK_PLANAR ? -HUGE_VAL : body->freedom.lower;
    link->upper[0] = body->joint == LINK_PLANAR ? HUGE_VAL : body->freedom.upper;
    link->inertia = (struct sym3){0.001 + 0.3 * body->inertia_kg_m2, 0, 0,
                                  0.002 + body->inertia_kg_m2,       0, body->inertia_kg_m2};
    if (body->joint == LINK_PLANAR) {
        link->parent = -1;
        add_free(body);
    } else {
        link->joint = in_link(body->parent, body->at);
        if (body->joint == LINK_LINEAR) {
            e.frame_rad[i] = body->angle_rad - body->axis_rad;
            link->frame = frame_in(body->parent, body->axis_rad);
            add_state(body->freedom.start, body->freedom.rate);
        } else if (body->joint == LINK_RIGID) {
            link->frame = frame_in(body->parent, body->angle_rad);
        } else {
            link->frame = frame_in(body->parent, 0);
            add_state(body->freedom.start, body->freedom.rate);
        }
    }
    link->centre = in_link(i, body->centre);
}

static void add_boxes(void)
{
    for (int i = 0; i < scene.part_count; i++) {
        const struct part *part = &scene.parts[i];
        int body = scene.part_bodies[i];
        if (body < 0)
            continue;
        e.boxes[e.box_count++] = (struct body_box){
            .link = body,
            .centre = in_link(body, (struct vec2){part->centre.x, part->centre.y}),
            .turn = frame_in(body, part->angle_rad),
            .size_m = {part->width_m, part->height_m, DEPTH_M}};
    }
}

static void embed(struct quaternion turn)
{
    const struct world *world = &scene.world;
    int is_quadratic = world->drag_law == DRAG_LAW_QUADRATIC;
    double drag = is_quadratic ? world->quadratic_drag_kg_m2 : world->viscosity_pa_s;
    e = (struct embedding){.turn = quaternion_normalised(turn)};
    e.turned = quaternion_matrix(e.turn);
    e.world.gravity_m_s2 =
        mat3_apply(&e.turned, (struct vec3){world->gravity_x_m_s2, -world->gravity_m_s2, 0});
    e.world.drag = (struct spatial_drag_law){.coefficient = drag / DEPTH_M,
                                             .is_quadratic = is_quadratic,
                                             .is_leading = world->drag_faces == DRAG_FACES_LEADING};
    ck_assert_int_le(scene.body_count, BODIES_MAX);
    for (int i = 0; i < scene.body_count; i++)
        add_body(i);
    add_boxes();
}

static struct spatial_state *start_in_space(int solver)
{
    struct body body = {.links = e.links,
                        .link_count = scene.body_count,
                        .boxes = e.boxes,
                        .box_count = e.box_count};
    arena_reset(&space_arena);
    struct spatial_state *d =
        (solver == SOLVER_CONSTRAINT ? spatial_constraint_create : spatial_dynamics_create)(
            &body, &e.world, &scene.settings, &space_arena);
    ck_assert_ptr_nonnull(d);
    for (int i = 0; i < scene.body_count; i++)
        if (e.links[i].kind == LINK_REVOLUTE || e.links[i].kind == LINK_LINEAR)
            spatial_state_set_servo(d, spatial_state_tree(d)->links[i].rate,
                                    &scene.bodies[i].freedom.drive);
    dynamics_set_state(&d->dynamics, e.q, e.qd);
    return d;
}

/* ---------------------------------------------------------------- comparing */

struct embedded_case {
    const char *path;
    int integrator;
    double until_s, tolerance;
};
static const struct embedded_case embedded[] = {
    {"tests/oracle/scenes/double-pendulum-rods.json", INTEGRATOR_RK4, 2, 1e-9},
    {"tests/oracle/scenes/double-pendulum-point.json", INTEGRATOR_RK4, 2, 1e-9},
    {"tests/oracle/scenes/chain5-pinned.json", INTEGRATOR_RK4, 0.5, 1e-9},
    {"tests/oracle/scenes/hinge-pd-rod.json", INTEGRATOR_RK4, 2, 1e-9},
    {"tests/oracle/scenes/pendulum-rod.json", INTEGRATOR_RK4, 2, 1e-9},
    {"tests/oracle/scenes/projectile.json", INTEGRATOR_RK4, 2, 1e-9},
    {"tests/oracle/scenes/reaction-wheel.json", INTEGRATOR_RK4, 2, 1e-9},
    {"tests/oracle/scenes/falling-square.json", INTEGRATOR_RK4, 5, 1e-9},
    {"tests/oracle/scenes/paddle-free.json", INTEGRATOR_RK4, 2, 1e-9},
    {"tests/oracle/scenes/paddle-pinned.json", INTEGRATOR_RK4, 2, 1e-9},
    {"tests/oracle/scenes/drag-plate.json", INTEGRATOR_RK4, 1, 1e-9},
    {"tests/oracle/scenes/spring-dashpot.json", INTEGRATOR_RK4, 1, 1e-6}, /* halved in the plane */
    {"tests/oracle/scenes/joint-limit.json", INTEGRATOR_AUTO, 3, 1e-3},
    {"examples/scenes/double-pendulum.json", INTEGRATOR_RK4, 2, 1e-9},
    {"examples/scenes/chain.json", INTEGRATOR_RK4, 1, 1e-9},
    {"examples/scenes/carriage.json", INTEGRATOR_RK4, 1, 1e-9},
};
enum { EMBEDDED = sizeof embedded / sizeof embedded[0] };

/* Whether absolute coordinates can move it. */
static int is_massive(void)
{
    for (int i = 0; i < scene.body_count; i++)
        if (!(scene.bodies[i].mass_kg > 0 && scene.bodies[i].inertia_kg_m2 > 0))
            return 0;
    return 1;
}

/* Centres and velocities of all bodies, and that nothing leaves the plane. */
TEST_LOOP(embedded_scene, 0, 2 * EMBEDDED)
{
    const struct embedded_case *c = &embedded[_i % EMBEDDED];
    struct error error = {0};
    struct dynamics *plane;
    ck_ok(scene_read_file(&scene, c->path, &error));
    scene.settings.integrator = c->integrator;
    scene.settings.dt_s = STEP;
    scene.settings.solver = _i < EMBEDDED ? SOLVER_ARTICULATED : SOLVER_CONSTRAINT;
    scene.settings.rtol = 1e-12;
    if (_i >= EMBEDDED && !is_massive())
        return;
    arena_reset(&plane_arena);
    ck_ok(scene_start(&scene, &plane_arena, &plane, &error));
    embed((struct quaternion){0.5, 0.1, -0.7, 0.5});
    struct spatial_state *space = start_in_space(scene.settings.solver);
    for (long i = lround(c->until_s / STEP); i > 0; i--) {
        ck_assert_int_eq(dynamics_step(plane), 0);
        ck_assert_int_eq(dynamics_step(&space->dynamics), 0);
    }
    for (int i = 0; i < scene.body_count; i++) {
        const struct spatial_tree_link *l = &spatial_state_tree(space)->links[i];
        struct part_state s;
        scene_body_state(&scene, plane, i, &s);
        struct vec3 at = mat3_back(&e.turned, spatial_tree_centre(l));
        struct vec3 v = mat3_back(&e.turned, spatial_tree_centre_velocity(l));
        struct vec3 w = mat3_back(&e.turned, l->velocity.w);
        const double pairs[][2] = {{at.x, s.at_m.x},
                                   {at.y, s.at_m.y},
                                   {at.z, 0},
                                   {v.x, s.velocity_m_s.x},
                                   {v.y, s.velocity_m_s.y},
                                   {v.z, 0},
                                   {w.z, s.spin_rad_s.z},
                                   {w.x, 0},
                                   {w.y, 0}};
        for (size_t k = 0; k < sizeof pairs / sizeof pairs[0]; k++)
            ck_assert_msg(fabs(pairs[k][0] - pairs[k][1]) <= c->tolerance,
                          "%s, body %d, number %zu: %.15g in space, %.15g in the plane", c->path, i,
                          k, pairs[k][0], pairs[k][1]);
    }
}

SUITE("space_planar", 120, setup, teardown)

/* Our own default solver behind peers.h: the position servo of creatures, every contact, and the
 * energy ledger, which is always on. As by default, RK4 where nothing can touch; and with midpoint
 * steps alone, those it takes under contact, to compare their precision. */
#include "common/version.h"
#include "tests/bench/fixed_dynamics.h"
#include "bench/peers/peers.h"

/* One world at a time, in an arena that is kept, as in a worker. */
static struct {
    const struct peer_scene *scene;
    struct phenotype phenotype;
    struct body plane;
    struct part parts[PEER_BODIES_MAX];
    struct body_link links[PEER_BODIES_MAX + 1];
    int is_hung; /* link 0 is the world, and body i is link i + 1 */
    struct dynamics *dynamics;
} own;

static const struct peer_joint *joint_of(const struct peer_scene *scene, int body)
{
    for (int i = 0; i < scene->joint_count; i++)
        if (scene->joints[i].child == body)
            return &scene->joints[i];
    return NULL;
}

/* Where the origin of a body's link is at birth. */
static struct vec2 origin_of(const struct peer_scene *scene, int body)
{
    if (body < 0)
        return (struct vec2){0, 0};
    const struct peer_joint *joint = joint_of(scene, body);
    return joint ? (struct vec2){joint->x_m, joint->y_m}
                 : (struct vec2){scene->bodies[body].x_m, scene->bodies[body].y_m};
}

static void place_body(const struct peer_scene *scene, int i)
{
    struct phenotype *p = &own.phenotype;
    const struct peer_body *body = &scene->bodies[i];
    const struct peer_joint *joint = joint_of(scene, i);
    int parent = joint ? joint->parent : -1, at = i + own.is_hung;
    struct vec2 origin = origin_of(scene, i), from = origin_of(scene, parent);
    struct vec2 local = {body->x_m - origin.x, body->y_m - origin.y};
    own.links[at] =
        (struct body_link){.parent = joint ? parent + own.is_hung : -1,
                           .part = i,
                           .parent_part = parent,
                           .mass_kg = body->mass_kg,
                           .centre = vec3_of_plane(local),
                           .inertia.zz = body->inertia_kg_m2,
                           .lower = {scene->has_limits ? -FIXED_LIMIT_RAD : -1e9},
                           .upper = {scene->has_limits ? FIXED_LIMIT_RAD : 1e9},
                           .kind = at > 0 ? LINK_REVOLUTE : LINK_PLANAR,
                           .frame = QUATERNION_ONE,
                           .sign = {1},
                           .strength = joint && scene->has_motors ? FIXED_STRENGTH_N_M : 0};
    if (joint)
        own.links[at].joint = (struct vec3){origin.x - from.x, origin.y - from.y, 0};
    own.parts[i] = (struct part){.body = (gene_id)i + 1,
                                 .parent = parent,
                                 .mirror = 1,
                                 .link = at,
                                 .width_m = body->width_m,
                                 .height_m = body->height_m,
                                 .mass_kg = body->mass_kg,
                                 .local = local,
                                 .cross_section_m = fmin(body->width_m, body->height_m)};
    p->mass_kg += body->mass_kg;
    p->part_count += body->width_m > 0;
    own.plane.link_count++;
}

static void *create(const struct peer_scene *scene, double hz, int integrator)
{
    static struct arena arena;
    if (!arena.base && arena_init(&arena, 1u << 20) != 0)
        return NULL;
    arena_reset(&arena);
    own.scene = scene;
    own.is_hung = scene->joint_count == scene->body_count;
    own.plane = (struct body){.links = own.links, .link_count = own.is_hung};
    own.phenotype =
        (struct phenotype){.parts = own.parts, .body = &own.plane, .root_rates = PLANE_ROOT_RATES};
    own.links[0] = (struct body_link){.parent = -1, .kind = LINK_RIGID, .frame = QUATERNION_ONE};
    for (int i = 0; i < scene->body_count; i++)
        place_body(scene, i);
    struct dynamics_settings settings = fixed_settings();
    struct world world = {.gravity_m_s2 = scene->gravity_m_s2,
                          .has_ground = scene->has_ground,
                          .friction = FIXED_FRICTION,
                          .own_friction = FIXED_FRICTION};
    settings.dt_s = 1 / hz;
    settings.integrator = integrator;
    own.dynamics = dynamics_create(&own.phenotype, &world, &settings, &arena);
    if (!own.dynamics || own.is_hung)
        return own.dynamics;
    const struct peer_body *root = &scene->bodies[0];
    double q[2 + FIXED_BODIES_MAX] = {root->x_m, root->y_m};
    double qd[2 + FIXED_BODIES_MAX] = {root->vx_m_s, root->vy_m_s, root->omega_rad_s};
    dynamics_set_state(own.dynamics, q, qd);
    return own.dynamics;
}

static void *create_auto(const struct peer_scene *scene, double hz)
{
    return create(scene, hz, INTEGRATOR_AUTO);
}

static void *create_midpoint(const struct peer_scene *scene, double hz)
{
    return create(scene, hz, INTEGRATOR_MIDPOINT);
}

static void step(void *world, const double (*targets)[2], const double (*rates)[2])
{
    struct dynamics *dynamics = world;
    for (int i = 0; own.scene->has_motors && i < own.scene->joint_count; i++)
        dynamics_set_target(dynamics, own.scene->joints[i].child, targets[i][0], rates[i][0]);
    dynamics_step(dynamics);
}

static void read_states(void *world, struct peer_state *states)
{
    for (int i = 0; i < own.scene->body_count; i++) {
        struct part_state s;
        dynamics_link_state(world, i + own.is_hung, &s);
        states[i] = (struct peer_state){s.at_m.x,         s.at_m.y,         s.angle_rad,
                                        s.velocity_m_s.x, s.velocity_m_s.y, s.spin_rad_s.z};
    }
}

static void destroy(void *world)
{
}

static const char *version(void)
{
    return BESTIARY_VERSION;
}

const struct peer_engine peer_bestiary = {"Bestiary", "articulated", version, create_auto,
                                          step,       read_states,   destroy};
const struct peer_engine peer_bestiary_midpoint = {
    "Bestiary", "articulated: midpoint", version, create_midpoint, step, read_states, destroy};

/* Our own bodies in space behind space_peers.h. Springs and dampers with a bound: the workload's
 * servo to the letter. */
#include "common/version.h"
#include "simulator/spatial/steps/spatial_step.h"
#include "bench/peers/space_peers.h"

enum { LINKS_MAX = PEER_BODIES_MAX, RATES_MAX = 6 + 3 * LINKS_MAX };

/* One world at a time, in an arena that is kept, as in a worker. */
static struct {
    const struct peer_scene *scene;
    struct body_link links[LINKS_MAX];
    struct body_box boxes[LINKS_MAX];
    int box_count;
    struct quaternion turns[LINKS_MAX]; /* of the links' frames at the start */
    struct vec3 origins[LINKS_MAX];
    struct quaternion inner[LINKS_MAX]; /* of the bodies in them */
    double q[RATES_MAX + LINKS_MAX], qd[RATES_MAX];
    struct spatial_state *dynamics;
} own;

static struct vec3 vector_of(const double *v)
{
    return (struct vec3){v[0], v[1], v[2]};
}

static struct quaternion turn_of(const double *q)
{
    return (struct quaternion){q[0], q[1], q[2], q[3]};
}

static void put(struct vec3 v, double *to)
{
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
}

static void put_turn(struct quaternion q, double *to)
{
    to[0] = q.w;
    to[1] = q.x;
    to[2] = q.y;
    to[3] = q.z;
}

/* The frame of a joint with axes: z is along the first, y along the second. */
static struct quaternion frame_of(const struct peer_joint *joint)
{
    struct vec3 z = vector_of(joint->axes[0]), y = vector_of(joint->axes[1]);
    struct vec3 across = {-z.z, z.x, z.y};
    if (joint->kind == PEER_HINGE)
        y = vec3_cross(z, across);
    y = vec3_scale(y, 1 / vec3_length(y));
    return quaternion_of(&(struct mat3){vec3_cross(y, z), y, z});
}

static const enum link_joint kinds[] = {
    [PEER_HINGE] = LINK_REVOLUTE, [PEER_UNIVERSAL] = LINK_UNIVERSAL, [PEER_BALL] = LINK_SPHERICAL};

static void place(const struct peer_scene *scene, int i)
{
    const struct peer_body *body = &scene->bodies[i];
    int at = space_peer_joint_of(scene, i);
    const struct peer_joint *joint = at < 0 ? NULL : &scene->joints[at];
    struct body_link *link = &own.links[i];
    struct vec3 from = {0, 0, 0};
    struct quaternion up = QUATERNION_ONE;
    own.origins[i] = vector_of(joint ? joint->at_m : body->at_m);
    own.turns[i] = joint && joint->kind != PEER_BALL ? frame_of(joint) : turn_of(body->turn);
    if (joint && joint->parent >= 0) {
        from = own.origins[joint->parent];
        up = own.turns[joint->parent];
    }
    struct mat3 own_axes = quaternion_matrix(own.turns[i]), up_axes = quaternion_matrix(up);
    own.inner[i] = quaternion_product(quaternion_back(own.turns[i]), turn_of(body->turn));
    struct mat3 inner = quaternion_matrix(own.inner[i]);
    const double *inertia = body->inertia_kg_m2;
    struct sym3 diagonal = {.xx = inertia[0], .yy = inertia[1], .zz = inertia[2]};
    *link = (struct body_link){
        .parent = joint ? joint->parent : -1,
        .kind = joint ? kinds[joint->kind] : LINK_FREE,
        .frame = joint ? quaternion_product(quaternion_back(up), own.turns[i]) : QUATERNION_ONE,
        .mass_kg = body->mass_kg,
        .centre = mat3_back(&own_axes, vec3_sub(vector_of(body->at_m), own.origins[i])),
        .inertia = sym3_turned(&diagonal, &inner),
        .cone_rad = HUGE_VAL};
    if (joint)
        link->joint = mat3_back(&up_axes, vec3_sub(own.origins[i], from));
    for (int k = 0; k < JOINT_RATES_MAX; k++) {
        link->upper[k] = joint && scene->has_limits ? PEER_LIMIT_RAD : HUGE_VAL;
        link->lower[k] = -link->upper[k];
    }
    if (body->size_m[0] > 0)
        own.boxes[own.box_count++] = (struct body_box){.link = i,
                                                       .centre = link->centre,
                                                       .turn = own.inner[i],
                                                       .size_m = vector_of(body->size_m)};
}

/* The state of a link at the start: joints are at 0. */
static void start(const struct peer_scene *scene, int i, const struct spatial_tree_link *link)
{
    const struct peer_body *body = &scene->bodies[i];
    int at = space_peer_joint_of(scene, i);
    double *q = own.q + link->coordinate, *qd = own.qd + link->rate, spin[3];
    struct mat3 axes = quaternion_matrix(own.turns[i]);
    if (at < 0) {
        put(vector_of(body->at_m), q);
        put_turn(turn_of(body->turn), q + 3);
        put(vector_of(body->v_m_s), qd);
        put(mat3_back(&axes, vector_of(body->w_rad_s)), qd + 3);
        return;
    }
    space_peer_spin(scene, at, spin);
    if (scene->joints[at].kind == PEER_BALL) {
        put_turn((struct quaternion)QUATERNION_ONE, q);
        put(mat3_back(&axes, vector_of(spin)), qd);
        return;
    }
    for (int k = 0; k < (int)scene->joints[at].kind; k++) {
        q[k] = 0;
        qd[k] = space_peer_dot(spin, scene->joints[at].axes[k]);
    }
}

static void *create(const struct peer_scene *scene, double hz, int integrator)
{
    static struct arena arena;
    if (!arena.base && arena_init(&arena, 16u << 20) != 0)
        return NULL;
    arena_reset(&arena);
    own.scene = scene;
    own.box_count = 0;
    for (int i = 0; i < scene->body_count; i++)
        place(scene, i);
    const struct dynamics_settings settings = {.dt_s = 1 / hz, .integrator = integrator};
    const struct body body = {.links = own.links,
                              .link_count = scene->body_count,
                              .boxes = own.boxes,
                              .box_count = own.box_count};
    const struct spatial_world world = {.gravity_m_s2 = {0, -scene->gravity_m_s2, 0},
                                        .surfaces = {.has_ground = scene->has_ground,
                                                     .friction = PEER_FRICTION,
                                                     .own_friction = PEER_FRICTION}};
    own.dynamics = spatial_dynamics_create(&body, &world, &settings, &arena);
    if (!own.dynamics)
        return NULL;
    const struct spatial_tree *tree = spatial_state_tree(own.dynamics);
    for (int i = 0; i < scene->body_count; i++)
        start(scene, i, &tree->links[i]);
    for (int i = 0; scene->has_motors && i < scene->joint_count; i++)
        for (int k = 0; k < (int)scene->joints[i].kind; k++) {
            double kv = scene->joints[i].kv_n_m_s[k];
            struct servo servo = {
                .law = SERVO_SPRING, .kp = 10 * kv, .kd = kv, .torque_max = scene->torque_max_n_m};
            spatial_state_set_servo(own.dynamics, tree->links[scene->joints[i].child].rate + k,
                                    &servo);
        }
    dynamics_set_state(&own.dynamics->dynamics, own.q, own.qd);
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
    struct spatial_state *d = world;
    const struct spatial_tree *tree = spatial_state_tree(d);
    for (int i = 0; own.scene->has_motors && i < own.scene->joint_count; i++)
        for (int k = 0; k < (int)own.scene->joints[i].kind; k++) {
            struct servo *servo = &d->servos[tree->links[own.scene->joints[i].child].rate + k];
            servo->target = targets[i][k];
            servo->rate = rates[i][k];
        }
    dynamics_step(&d->dynamics);
}

static void read_states(void *world, struct peer_state *states)
{
    struct spatial_state *d = world;
    const struct spatial_tree *tree = spatial_state_tree(d);
    for (int i = 0; i < own.scene->body_count; i++) {
        const struct spatial_tree_link *link = &tree->links[i];
        put(spatial_tree_centre(link), states[i].at_m);
        put_turn(quaternion_product(quaternion_of(&link->turned), own.inner[i]), states[i].turn);
        put(spatial_tree_centre_velocity(link), states[i].v_m_s);
        put(link->velocity.w, states[i].w_rad_s);
    }
}

static void destroy(void *world)
{
}

static const char *version(void)
{
    return BESTIARY_VERSION;
}

const struct peer_engine space_peer_bestiary = {"Bestiary", "articulated", version, create_auto,
                                                step,       read_states,   destroy};
const struct peer_engine space_peer_bestiary_midpoint = {
    "Bestiary", "articulated: midpoint", version, create_midpoint, step, read_states, destroy};

/* Boxes in space, 10 s at 240 Hz.
 *
 *   space_walker   nine boxes: a trunk and four legs with universal hips and hinges for knees;
 *                  about four contacts
 *   space_limp     the same without servos, dropped turning from half a metre: falls and lies, in
 *                  four spins
 *   space_snake    six boxes in a row on universal joints, flat on the ground: about twenty
 *                  contacts
 *
 * These have contacts, self-collision, limits and ledger, and four gaits that differ in the phases
 * of their servos, one evaluation each. space_q5_... and space_s3_... are the walker and the snake
 * in free fall, where nothing touches, and pose and accelerations alone, a box.
 *
 * Servos as springs and dampers with a bound; friction 0.8, no restitution, limits of 1.2 rad.
 * Figures are in docs/physics-space.md. */
#include "simulator/spatial/steps/spatial_step.h"
#include "simulator/spatial/tree/spatial_tree_forces.h"
#include "tests/links.h"
#include "tests/bench/bench.h"

#define PI 3.14159265358979323846

enum { BODIES_MAX = 9, RATES_MAX = 32, GAITS = 4, STEPS = 2400, EVALUATIONS = 20000 };

/* The feet of a walker that is dropped are so much higher than where one begins to walk. */
#define DROP_M 0.3
/* By which spins differ. */
#define SPIN_RAD_S 0.13
/* Of what falls freely. */
#define FALL_SPIN_RAD_S 0.7

struct bench_body {
    struct body_link links[BODIES_MAX];
    struct body_box boxes[BODIES_MAX];
    struct signal signals[RATES_MAX]; /* per rate */
    double kv[RATES_MAX];
    int count, rates;
    double density, torque_max; /* torque_max 0: no servos */
    struct vec3 start, spin;
};

static struct arena arena;

/* A box whose centre is `offset` from its joint, which is at `joint` in the parent's frame. */
static void add_body(struct bench_body *b, int parent, enum link_joint kind, struct vec3 joint,
                     struct vec3 offset, struct vec3 size)
{
    struct body_link *l = &b->links[b->count];
    *l = box_link(parent, kind, b->density * size.x * size.y * size.z, size);
    l->joint = joint;
    l->centre = offset;
    for (int k = 0; k < JOINT_RATES_MAX && parent >= 0; k++) {
        l->lower[k] = -1.2;
        l->upper[k] = 1.2;
    }
    b->boxes[b->count] = (struct body_box){
        .link = b->count, .centre = offset, .turn = QUATERNION_ONE, .size_m = size};
    b->rates += parent < 0 ? 6 : 0;
    b->count++;
}

static void add_freedom(struct bench_body *b, double amplitude, double phase, double kv)
{
    b->signals[b->rates] =
        (struct signal){.amplitude = amplitude, .rate_rad_s = 2 * PI, .phase_rad = phase};
    b->kv[b->rates++] = kv;
}

static void build_walker(struct bench_body *b)
{
    static const double legs[4][3] = {
        {0.4, 0.3, 0}, {0.4, -0.3, PI}, {-0.4, 0.3, PI}, {-0.4, -0.3, 0}};
    const struct vec3 along = {0.2, 0, 0}, size = {0.4, 0.12, 0.12}, none = {0, 0, 0};
    *b = (struct bench_body){.density = 100, .torque_max = 40, .start = {0, 1.15, 0}};
    add_body(b, -1, LINK_FREE, none, none, (struct vec3){1, 0.3, 0.6});
    for (int i = 0; i < 4; i++) {
        double phase = legs[i][2];
        add_body(b, 0, LINK_UNIVERSAL, (struct vec3){legs[i][0], -0.15, legs[i][1]}, along, size);
        /* x leads down, so that the hip bends about the world's z, then about its x */
        b->links[b->count - 1].frame = quaternion_about((struct vec3){0, 0, 1}, -PI / 2);
        add_freedom(b, 0.5, phase, 4);
        add_freedom(b, 0.2, phase + PI / 2, 4);
        add_body(b, b->count - 1, LINK_REVOLUTE, (struct vec3){0.4, 0, 0}, along, size);
        add_freedom(b, 0.6, phase + PI / 2, 1.5);
    }
}

static void build_limp(struct bench_body *b)
{
    build_walker(b);
    b->torque_max = 0;
    b->start.y += DROP_M;
    b->spin = (struct vec3){0.4, 0.2, 0.5};
}

static void build_snake(struct bench_body *b)
{
    const struct vec3 none = {0, 0, 0}, size = {0.4, 0.12, 0.16};
    *b = (struct bench_body){.density = 500, .torque_max = 20, .start = {-1, 0.16, 0}};
    add_body(b, -1, LINK_FREE, none, none, size);
    for (int i = 0; i < 5; i++) {
        add_body(b, i, LINK_UNIVERSAL, (struct vec3){i == 0 ? 0.2 : 0.4, 0, 0},
                 (struct vec3){0.2, 0, 0}, size);
        add_freedom(b, 0.15, 2.77 + 1.2 * i, 4);
        add_freedom(b, 0.5, 1.2 + 1.2 * i, 4);
    }
}

/* On the ground at the start of a gait, or without boxes in free fall, by that integrator. */
static struct spatial_state *start(struct bench_body *b, int gait, int is_falling, int integrator)
{
    const struct dynamics_settings settings = {.dt_s = 1.0 / 240, .integrator = integrator};
    const struct body body = {.links = b->links,
                              .link_count = b->count,
                              .boxes = b->boxes,
                              .box_count = is_falling ? 0 : b->count};
    const struct spatial_world world = {
        .gravity_m_s2 = {0, -9.81, 0},
        .surfaces = {.has_ground = !is_falling, .friction = 0.8, .own_friction = 0.8}};
    arena_reset(&arena);
    struct spatial_state *d = spatial_dynamics_create(&body, &world, &settings, &arena);
    double q[7 * BODIES_MAX], qd[RATES_MAX] = {0};
    for (int i = 6; d && i < b->rates && b->torque_max > 0; i++) {
        struct servo servo = {.law = SERVO_SPRING,
                              .kp = 10 * b->kv[i],
                              .kd = b->kv[i],
                              .torque_max = b->torque_max,
                              .signal = &b->signals[i]};
        b->signals[i].phase_rad += 2 * PI / GAITS * (i - 6) * (gait > 0);
        spatial_state_set_servo(d, i, &servo);
    }
    if (!d)
        return NULL;
    spatial_tree_birth(spatial_state_tree(d), q);
    q[0] = b->start.x, q[1] = b->start.y, q[2] = b->start.z;
    qd[3] = b->spin.x + SPIN_RAD_S * gait * (b->torque_max == 0);
    qd[4] = b->spin.y + FALL_SPIN_RAD_S * is_falling, qd[5] = b->spin.z;
    dynamics_set_state(&d->dynamics, q, qd);
    return d;
}

struct workload {
    void (*build)(struct bench_body *b);
    int is_falling, integrator;
};

static int set_up(const void *context)
{
    (void)context;
    return arena_init(&arena, 16u << 20);
}

static void tear_down(void)
{
    arena_deinit(&arena);
}

/* Ten seconds, of each gait where it is on the ground. */
static int run(const void *context)
{
    const struct workload *workload = context;
    struct bench_body body;
    int gaits = workload->is_falling ? 1 : GAITS;
    workload->build(&body);
    for (int gait = 0; gait < gaits; gait++) {
        struct spatial_state *d = start(&body, gait, workload->is_falling, workload->integrator);
        for (int i = 0; d && i < STEPS; i++)
            if (dynamics_step(&d->dynamics) != 0)
                return -1;
        if (!d)
            return -1;
    }
    return gaits;
}

/* ns a box. */
static double measure_accelerations(const void *context)
{
    const struct workload *workload = context;
    double extra[RATES_MAX] = {0}, tau[RATES_MAX] = {0}, qd[RATES_MAX] = {[4] = FALL_SPIN_RAD_S};
    double q[7 * BODIES_MAX], qdd[RATES_MAX], sum = 0;
    struct bench_body body;
    struct spatial_tree tree;
    workload->build(&body);
    arena_reset(&arena);
    if (spatial_tree_create(&tree, body.links, body.count, (struct vec3){0, -9.81, 0}, &arena) != 0)
        return NAN;
    spatial_tree_birth(&tree, q);
    double from = bench_now_us(0);
    for (int i = 0; i < EVALUATIONS; i++) {
        q[7 + i % (body.rates - 6)] += 1e-6;
        spatial_tree_set_pose(&tree, q);
        spatial_tree_set_velocity(&tree, qd);
        spatial_tree_factor(&tree, extra, 0);
        spatial_tree_accelerate(&tree, tau, qdd);
        sum += qdd[0];
    }
    double to = bench_now_us(0);
    return sum == sum ? (to - from) * 1000 / EVALUATIONS / body.count : NAN;
}

static const struct workload walker = {build_walker, 0, INTEGRATOR_AUTO},
                             limp = {build_limp, 0, INTEGRATOR_AUTO},
                             snake = {build_snake, 0, INTEGRATOR_AUTO},
                             q5_midpoint = {build_walker, 1, INTEGRATOR_MIDPOINT},
                             q5_rk4 = {build_walker, 1, INTEGRATOR_RK4},
                             s3_midpoint = {build_snake, 1, INTEGRATOR_MIDPOINT};

#define MOVING(name, repetitions, workload)                                                        \
    {                                                                                              \
        name, "us/evaluation", repetitions, 0, &(workload), set_up, run, NULL, tear_down           \
    }
#define ACCELERATING(name, workload)                                                               \
    {                                                                                              \
        name, "ns/box", 9, 0, &(workload), set_up, NULL, measure_accelerations, tear_down          \
    }
static const struct bench_workload workloads[] = {
    MOVING("space_walker", 2, walker),
    MOVING("space_limp", 2, limp),
    MOVING("space_snake", 2, snake),
    ACCELERATING("space_q5_accelerations", q5_midpoint),
    ACCELERATING("space_s3_accelerations", s3_midpoint),
    MOVING("space_q5_midpoint", 9, q5_midpoint),
    MOVING("space_q5_rk4", 9, q5_rk4),
    MOVING("space_s3_midpoint", 9, s3_midpoint),
};

BENCH_MAIN(workloads)

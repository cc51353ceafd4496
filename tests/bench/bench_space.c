/* How long bodies in space take: pose and accelerations a box, and ten seconds of two fixed
 * creatures in free fall under servos with limits. Q5 is a trunk with four legs on universal joints
 * and knees, nine boxes; S3 a snake of six boxes on universal joints. Nothing touches. */
#include "simulator/spatial/steps/spatial_dynamics.h"
#include "simulator/spatial/tree/spatial_tree_forces.h"
#include "tests/links.h"
#include "tests/bench/bench.h"

#define PI 3.14159265358979323846

enum { LINKS_MAX = 9, RATES_MAX = 24, COORDINATES_MAX = 28, STEPS = 2400, EVALUATIONS = 20000 };

static struct arena arena;

struct creature {
    struct body_link links[LINKS_MAX];
    struct signal signals[RATES_MAX];
    struct servo servos[RATES_MAX];
    double q[COORDINATES_MAX], qd[RATES_MAX];
    int count, rates;
};
static struct creature creature;

static struct body_link *add_box(int parent, enum link_joint kind, struct vec3 joint,
                                 struct vec3 size, double density)
{
    struct body_link *l = &creature.links[creature.count++];
    *l = box_link(parent, kind, density * size.x * size.y * size.z, size);
    l->joint = joint;
    l->centre.x = parent < 0 ? 0 : size.x / 2;
    for (int k = 0; k < JOINT_RATES_MAX && parent >= 0; k++) {
        l->lower[k] = -1.2;
        l->upper[k] = 1.2;
    }
    creature.rates += joint_rates(&joint_kinds[kind]);
    return l;
}

/* A servo of the last link. */
static void add_servo(int axis, double kv, double amplitude, double phase, double most)
{
    int rate =
        creature.rates - joint_rates(&joint_kinds[creature.links[creature.count - 1].kind]) + axis;
    creature.signals[rate] =
        (struct signal){.amplitude = amplitude, .rate_rad_s = 2 * PI, .phase_rad = phase};
    creature.servos[rate] = (struct servo){
        .kp = 10 * kv, .kd = kv, .torque_max = most, .signal = &creature.signals[rate]};
}

static void start_creature(void)
{
    creature = (struct creature){.count = 0};
    creature.q[3] = 1;
    creature.qd[4] = 0.7;
}

static void build_q5(void)
{
    const struct vec3 leg = {0.4, 0.12, 0.12}, knee = {0.4, 0, 0};
    start_creature();
    add_box(-1, LINK_FREE, (struct vec3){0, 0, 0}, (struct vec3){1, 0.3, 0.6}, 100);
    for (int i = 0; i < 4; i++) {
        struct vec3 hip = {i < 2 ? 0.4 : -0.4, -0.15, i % 2 ? -0.3 : 0.3};
        double phase = i == 1 || i == 2 ? PI : 0;
        /* x down, z stays */
        add_box(0, LINK_UNIVERSAL, hip, leg, 100)->frame =
            (struct quaternion){sqrt(0.5), 0, 0, -sqrt(0.5)};
        add_servo(0, 4, 0.5, phase, 40);
        add_servo(1, 4, 0.2, phase + PI / 2, 40);
        add_box(creature.count - 1, LINK_REVOLUTE, knee, leg, 100);
        add_servo(0, 1.5, 0.6, phase + PI / 2, 40);
    }
}

static void build_s3(void)
{
    const struct vec3 size = {0.4, 0.12, 0.16};
    start_creature();
    add_box(-1, LINK_FREE, (struct vec3){0, 0, 0}, size, 500);
    for (int i = 0; i < 5; i++) {
        add_box(i, LINK_UNIVERSAL, (struct vec3){i ? 0.4 : 0.2, 0, 0}, size, 500);
        add_servo(0, 4, 0.15, 2.77 + 1.2 * i, 20);
        add_servo(1, 4, 0.5, 1.2 + 1.2 * i, 20);
    }
}

struct workload {
    void (*build)(void);
    int integrator;
};

static int set_up(const void *context)
{
    const struct workload *workload = context;
    workload->build();
    return arena_init(&arena, 1u << 20);
}

static void tear_down(void)
{
    arena_deinit(&arena);
}

/* ns a box. */
static double measure_accelerations(const void *context)
{
    double extra[RATES_MAX] = {0}, tau[RATES_MAX] = {0}, qdd[RATES_MAX], sum = 0;
    struct spatial_tree tree;
    arena_reset(&arena);
    if (spatial_tree_create(&tree, creature.links, creature.count, (struct vec3){0, -9.81, 0},
                            &arena) != 0)
        return NAN;
    double from = bench_now_us(0);
    for (int i = 0; i < EVALUATIONS; i++) {
        creature.q[7 + i % (creature.rates - 6)] += 1e-6;
        spatial_tree_set_pose(&tree, creature.q);
        spatial_tree_set_velocity(&tree, creature.qd);
        spatial_tree_factor(&tree, extra, 0);
        spatial_tree_accelerate(&tree, tau, qdd);
        sum += qdd[0];
    }
    double to = bench_now_us(0);
    return sum == sum ? (to - from) * 1000 / EVALUATIONS / creature.count : NAN;
}

/* Ten seconds. */
static int run_fall(const void *context)
{
    const struct workload *workload = context;
    struct body body = {.links = creature.links, .link_count = creature.count};
    struct spatial_world world = {.gravity_m_s2 = {0, -9.81, 0}};
    struct dynamics_settings settings = {.dt_s = 1.0 / 240, .integrator = workload->integrator};
    arena_reset(&arena);
    struct spatial_state *d = spatial_dynamics_create(&body, &world, &settings, &arena);
    for (int i = 6; d && i < creature.rates; i++)
        spatial_state_set_servo(d, i, &creature.servos[i]);
    if (d)
        dynamics_set_state(&d->dynamics, creature.q, creature.qd);
    for (int i = 0; d && i < STEPS; i++)
        if (dynamics_step(&d->dynamics) != 0)
            return -1;
    return d ? 1 : -1;
}

static const struct workload q5_midpoint = {build_q5, INTEGRATOR_MIDPOINT},
                             q5_rk4 = {build_q5, INTEGRATOR_RK4},
                             s3_midpoint = {build_s3, INTEGRATOR_MIDPOINT};

static const struct bench_workload workloads[] = {
    {"space_q5_accelerations", "ns/box", 9, 0, &q5_midpoint, set_up, NULL, measure_accelerations,
     tear_down},
    {"space_s3_accelerations", "ns/box", 9, 0, &s3_midpoint, set_up, NULL, measure_accelerations,
     tear_down},
    {"space_q5_midpoint", "us/evaluation", 9, 0, &q5_midpoint, set_up, run_fall, NULL, tear_down},
    {"space_q5_rk4", "us/evaluation", 9, 0, &q5_rk4, set_up, run_fall, NULL, tear_down},
    {"space_s3_midpoint", "us/evaluation", 9, 0, &s3_midpoint, set_up, run_fall, NULL, tear_down},
};

BENCH_MAIN(workloads)

/* Our physics in the plane beside other engines, those that were found when this was built (`make
 * bench-peers`); how they are measured: peer_frame.h. C5 and C12 of tests/bench/fixed.h, C5
 * dropped, and a double pendulum of rods against a 128-bit reference. */
#include "tests/bench/expected.h"
#include "bench/peers/peer_frame.h"
#include "bench/peers/peers.h"

static const struct peer_contender contenders[] = {
    {&peer_bestiary, 240, 0}, /* the first: the others are compared with it */
    {&peer_bestiary_midpoint, 240, 1},
#ifdef HAVE_chipmunk
    {&peer_chipmunk, 60, 0},
    {&peer_chipmunk, 240, 0},
#endif
#ifdef HAVE_box2d
    {&peer_box2d, 60, 0},
    {&peer_box2d, 240, 0},
#endif
#ifdef HAVE_ode
    {&peer_ode, 240, 0},
#endif
#ifdef HAVE_mujoco
    {&peer_mujoco_euler, 240, 0},
    {&peer_mujoco_rk4, 240, 1},
#endif
};

/* ---------------------------------------------------------------- scenes */

static void make_creature(struct peer_scene *scene, int number, int gait)
{
    const struct fixed_creature *creature = number == 0 ? &fixed_c5 : &fixed_c12;
    *scene = (struct peer_scene){.creature = creature,
                                 .gait = gait,
                                 .body_count = creature->body_count,
                                 .joint_count = creature->body_count - 1,
                                 .has_ground = 1,
                                 .has_limits = 1,
                                 .has_motors = 1,
                                 .gravity_m_s2 = FIXED_GRAVITY_M_S2};
    for (int i = 0; i < creature->body_count; i++) {
        const struct fixed_body *from = &creature->bodies[i];
        double w = from->width_m, h = from->height_m, mass = FIXED_DENSITY_KG_M2 * w * h;
        scene->bodies[i] = (struct peer_body){.x_m = from->x_m,
                                              .y_m = from->y_m,
                                              .width_m = w,
                                              .height_m = h,
                                              .mass_kg = mass,
                                              .inertia_kg_m2 = mass * (w * w + h * h) / 12};
    }
    for (int i = 0; i < scene->joint_count; i++)
        scene->joints[i] = (struct peer_joint){creature->joints[i].parent, i + 1,
                                               creature->joints[i].x_m, creature->joints[i].y_m};
}

static void make_weightless(struct peer_scene *scene)
{
    make_creature(scene, 0, 0);
    scene->gravity_m_s2 = 0;
    scene->has_ground = 0;
}

/* All of it turns about the root's centre at first. */
static void make_fall(struct peer_scene *scene)
{
    const double rate = 0.5;
    make_creature(scene, 0, 0);
    scene->has_motors = 0;
    for (int i = 0; i < scene->body_count; i++) {
        scene->bodies[i].vx_m_s = -rate * (scene->bodies[i].y_m - scene->bodies[0].y_m);
        scene->bodies[i].vy_m_s = rate * (scene->bodies[i].x_m - scene->bodies[0].x_m);
        scene->bodies[i].omega_rad_s = rate;
    }
}

/* Uniform rods of 1 m, 1 kg and 0.7 m, 0.8 kg, 30 degrees below the horizontal, let go: that of
 * tests/oracle/scenes/double-pendulum-rods.json. */
static const double rod_lengths_m[2] = {1, 0.7}, rod_masses_kg[2] = {1, 0.8};
#define ROD_COS 0.86602540378443864676
#define ROD_SIN -0.5
static void make_pendulum(struct peer_scene *scene)
{
    double x = 0, y = 0;
    *scene =
        (struct peer_scene){.body_count = 2, .joint_count = 2, .gravity_m_s2 = FIXED_GRAVITY_M_S2};
    for (int i = 0; i < 2; i++) {
        double length = rod_lengths_m[i], mass = rod_masses_kg[i];
        scene->joints[i] = (struct peer_joint){i - 1, i, x, y};
        scene->bodies[i] = (struct peer_body){.x_m = x + ROD_COS * length / 2,
                                              .y_m = y + ROD_SIN * length / 2,
                                              .mass_kg = mass,
                                              .inertia_kg_m2 = mass * length * length / 12};
        x += ROD_COS * length;
        y += ROD_SIN * length;
    }
}

static int has_ground(const struct peer_scene *scene)
{
    return scene->has_ground;
}

/* ---------------------------------------------------------------- motions */

static double target_rad(const struct peer_scene *scene, int joint, double at_s)
{
    return FIXED_AMPLITUDE_RAD * sin(fixed_phase(scene->creature, scene->gait, joint, at_s));
}

static void set_targets(const struct peer_scene *scene, double at_s, double (*targets)[2])
{
    for (int i = 0; scene->has_motors && i < scene->joint_count; i++)
        targets[i][0] = target_rad(scene, i, at_s);
}

static double motor_error_rad(const struct peer_scene *scene, const struct peer_state *states,
                              double at_s)
{
    double sum = 0;
    for (int i = 0; i < scene->joint_count; i++) {
        const struct peer_joint *joint = &scene->joints[i];
        sum += fabs(states[joint->child].angle_rad - states[joint->parent].angle_rad -
                    target_rad(scene, i, at_s));
    }
    return sum;
}

static void read_start(const struct peer_scene *scene, struct peer_state *states)
{
    for (int i = 0; i < scene->body_count; i++) {
        const struct peer_body *b = &scene->bodies[i];
        states[i] = (struct peer_state){b->x_m, b->y_m, 0, b->vx_m_s, b->vy_m_s, b->omega_rad_s};
    }
}

static double energy_of(const struct peer_scene *scene, const struct peer_state *states)
{
    double energy = 0;
    for (int i = 0; i < scene->body_count; i++) {
        const struct peer_body *body = &scene->bodies[i];
        const struct peer_state *s = &states[i];
        energy += body->mass_kg * (s->vx_m_s * s->vx_m_s + s->vy_m_s * s->vy_m_s) / 2 +
                  body->inertia_kg_m2 * s->omega_rad_s * s->omega_rad_s / 2 +
                  body->mass_kg * scene->gravity_m_s2 * s->y_m;
    }
    return energy;
}

static double lowest_corner(const struct peer_scene *scene, const struct peer_state *states)
{
    double lowest = HUGE_VAL;
    for (int i = 0; i < scene->body_count; i++) {
        const struct peer_body *body = &scene->bodies[i];
        double reach = fabs(body->width_m * sin(states[i].angle_rad)) +
                       fabs(body->height_m * cos(states[i].angle_rad));
        lowest = fmin(lowest, states[i].y_m - reach / 2);
    }
    return lowest;
}

static double pendulum_error_m(const struct peer_state *states)
{
    const struct peer_state *s = &states[1];
    double half = rod_lengths_m[1] / 2, c = cos(s->angle_rad), sine = sin(s->angle_rad);
    return hypot(s->x_m + half * (c * ROD_COS - sine * ROD_SIN) -
                     expected_number("double_pendulum_rods", "tip_x", 3),
                 s->y_m + half * (sine * ROD_COS + c * ROD_SIN) -
                     expected_number("double_pendulum_rods", "tip_y", 3));
}

static void print_columns(FILE *csv, const struct peer_contender *contender, int creature)
{
}

int main(int argc, char **argv)
{
    static struct peer_scene scene;
    static struct peer_state states[PEER_BODIES_MAX];
    struct peer_bench bench = {
        .program = "bench_peers",
        .repetitions = 5,
        .contenders = contenders,
        .contender_count = sizeof contenders / sizeof contenders[0],
        .scene = &scene,
        .states = states,
        .make_creature = make_creature,
        .make_weightless = make_weightless,
        .make_fall = make_fall,
        .make_pendulum = make_pendulum,
        .has_ground = has_ground,
        .set_targets = set_targets,
        .motor_error_rad = motor_error_rad,
        .motor_error_max_rad = 0.3 * (fixed_c5.body_count - 1),
        .read_start = read_start,
        .energy_j = energy_of,
        .lowest_corner_m = lowest_corner,
        .pendulum_error_m = pendulum_error_m,
        .pendulum_s = 3,
        .creatures = {{"c5_land", 16, peer_median}, {"c12_land", 16, peer_median}},
        .columns = "",
        .print_columns = print_columns,
        .pendulum_panels = {"double pendulum: error of the tip (m) after 3 s",
                            "double pendulum: change of energy (share) in 10 s"},
        .fall_panels = {"limp C5 dropped: energy from nowhere (share of that lost)",
                        "limp C5 lying: lowest corner off the ground (m)"}};
    double y = 0;
    for (int i = 0; i < 2; i++) {
        bench.pendulum_bottom_j +=
            rod_masses_kg[i] * FIXED_GRAVITY_M_S2 * (y - rod_lengths_m[i] / 2);
        y -= rod_lengths_m[i];
    }
    return peer_main(argc, argv, &bench);
}

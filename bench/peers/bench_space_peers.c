/* Our bodies in space beside other engines, those that were found when this was built (`make
 * bench-peers`); how they are measured: peer_frame.h. Also how deep the lowest corner is in the
 * ground at most, and the root's way.
 *
 * Q5: a trunk on four legs of two boxes, with universal hips and hinges for knees. S3: six boxes
 * in a row on universal joints, flat on the ground. Limp is Q5 without motors, dropped from half a
 * metre: it falls and lies; in place of gaits it has four spins, as in bench_spatial_contacts. Q5 is
 * dropped; the double pendulum, of boxes on ball joints, has a reference of 64 bits of mantissa. */
#include <math.h>
#include <string.h>

#include "bench/peers/peer_frame.h"
#include "bench/peers/space_peers.h"

#define PI           3.14159265358979323846
#define GRAVITY_M_S2 9.81

static const struct peer_contender contenders[] = {
    {&space_peer_bestiary, 240, 0}, /* the first: the others are compared with it */
    {&space_peer_bestiary_midpoint, 240, 1},
#ifdef HAVE_mujoco
    {&space_peer_mujoco_euler, 240, 0},
    {&space_peer_mujoco_rk4, 240, 1},
#endif
#ifdef HAVE_bullet
    {&space_peer_bullet, 240, 0},
#endif
#ifdef HAVE_box3d
    {&space_peer_box3d, 240, 0},
    {&space_peer_box3d_one, 240, 0},
#endif
#ifdef HAVE_ode
    {&space_peer_ode_quick, 240, 0},
    {&space_peer_ode_exact, 240, 0},
#endif
};

/* ---------------------------------------------------------------- scenes */

static struct peer_body *add_box(struct peer_scene *scene, double density, double x, double y,
                                 double z, double a, double b, double c)
{
    struct peer_body *body = &scene->bodies[scene->body_count++];
    double mass = density * a * b * c, m = mass / 12;
    *body = (struct peer_body){
        .at_m = {x, y, z},
        .turn = {1, 0, 0, 0},
        .size_m = {a, b, c},
        .mass_kg = mass,
        .inertia_kg_m2 = {m * (b * b + c * c), m * (a * a + c * c), m * (a * a + b * b)}};
    return body;
}

/* Adds a joint to the body that was added last. Its first axis is along z. */
static struct peer_joint *add_joint(struct peer_scene *scene, int parent, enum peer_joint_kind kind,
                                    double x, double y, double z)
{
    struct peer_joint *joint = &scene->joints[scene->joint_count++];
    *joint = (struct peer_joint){.kind = kind,
                                 .parent = parent,
                                 .child = scene->body_count - 1,
                                 .at_m = {x, y, z},
                                 .axes = {{0, 0, 1}, {0, 0, 0}}};
    return joint;
}

static void drive(struct peer_joint *joint, int k, double amplitude, double phase, double kv)
{
    joint->amplitude_rad[k] = amplitude;
    joint->phase_rad[k] = phase;
    joint->kv_n_m_s[k] = kv;
}

static void set_land(struct peer_scene *scene, double torque_max)
{
    memset(scene, 0, sizeof *scene);
    scene->has_ground = scene->has_limits = scene->has_motors = 1;
    scene->gravity_m_s2 = GRAVITY_M_S2;
    scene->torque_max_n_m = torque_max;
}

static void make_q5(struct peer_scene *scene)
{
    static const double legs[4][3] = {
        {0.4, 0.3, 0}, {0.4, -0.3, PI}, {-0.4, 0.3, PI}, {-0.4, -0.3, 0}};
    set_land(scene, 40);
    add_box(scene, 100, 0, 1.15, 0, 1, 0.3, 0.6);
    for (int i = 0; i < 4; i++) {
        double x = legs[i][0], z = legs[i][1], phase = legs[i][2];
        add_box(scene, 100, x, 0.8, z, 0.12, 0.4, 0.12);
        struct peer_joint *hip = add_joint(scene, 0, PEER_UNIVERSAL, x, 1, z);
        hip->axes[1][0] = 1;
        drive(hip, 0, 0.5, phase, 4);
        drive(hip, 1, 0.2, phase + PI / 2, 4);
        add_box(scene, 100, x, 0.4, z, 0.12, 0.4, 0.12);
        drive(add_joint(scene, 2 * i + 1, PEER_HINGE, x, 0.6, z), 0, 0.6, phase + PI / 2, 1.5);
    }
}

static void make_s3(struct peer_scene *scene)
{
    set_land(scene, 20);
    for (int i = 0; i < 6; i++) {
        add_box(scene, 500, -1 + 0.4 * i, 0.16, 0, 0.4, 0.12, 0.16);
        if (i == 0)
            continue;
        struct peer_joint *joint = add_joint(scene, i - 1, PEER_UNIVERSAL, -1.2 + 0.4 * i, 0.16, 0);
        joint->axes[1][1] = 1;
        drive(joint, 0, 0.15, 2.77 + 1.2 * (i - 1), 4);
        drive(joint, 1, 0.5, 1.2 + 1.2 * (i - 1), 4);
    }
}

/* A gait shifts the phases, each angle's by as much more. */
static void set_gait(struct peer_scene *scene, int gait)
{
    int number = 0;
    for (int i = 0; i < scene->joint_count; i++)
        for (int k = 0; k < (int)scene->joints[i].kind; k++)
            scene->joints[i].phase_rad[k] += 2 * PI / PEER_GAITS * gait * number++;
}

/* Q5 without motors, so much higher, and turning about the trunk's centre. */
static void drop(struct peer_scene *scene, double by_m, const double *w)
{
    make_q5(scene);
    scene->has_motors = 0;
    for (int i = 0; i < scene->body_count; i++) {
        struct peer_body *body = &scene->bodies[i];
        body->at_m[1] += by_m;
        for (int k = 0; k < 3; k++) {
            int a = (k + 1) % 3, b = (k + 2) % 3;
            body->w_rad_s[k] = w[k];
            body->v_m_s[k] = w[a] * (body->at_m[b] - scene->bodies[0].at_m[b]) -
                             w[b] * (body->at_m[a] - scene->bodies[0].at_m[a]);
        }
    }
    for (int i = 0; i < scene->joint_count; i++)
        scene->joints[i].at_m[1] += by_m;
}

static void make_creature(struct peer_scene *scene, int number, int gait)
{
    const double spin[3] = {0.4 + 0.13 * gait, 0.2, 0.5};
    if (number == 0)
        make_q5(scene);
    else if (number == 1)
        make_s3(scene);
    else
        drop(scene, 0.3, spin);
    set_gait(scene, gait);
}

static void make_weightless(struct peer_scene *scene)
{
    make_q5(scene);
    scene->gravity_m_s2 = 0;
    scene->has_ground = 0;
}

/* All of it turns about the trunk's centre at first; its feet are 1 m up. */
static void make_fall(struct peer_scene *scene)
{
    static const double w[3] = {0.4, 0.2, 0.5};
    drop(scene, 0.8, w);
}

static void cross(const double *a, const double *b, double *to)
{
    for (int k = 0; k < 3; k++)
        to[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* The pendulum of tests/oracle/space/scenes/double-spherical-pendulum.json; and where its second
 * body's centre is after 2 s, from tests/oracle/space/cases.json. */
static const double pendulum_end_m[3] = {-0.08598025796680585, 1.31748332689969,
                                         -0.06760746322843197};
static const double pendulum_lengths_m[2] = {0.25, 0.2}, pendulum_reach_m = 0.5;
/* Energy when it hangs still from 2 m up, J. */
#define PENDULUM_BOTTOM_J (GRAVITY_M_S2 * (1 * (2 - 0.25) + 0.5 * (2 - 0.5 - 0.2)))
static void make_pendulum(struct peer_scene *scene)
{
    static const double masses[2] = {1, 0.5}, turns[2][4] = {{0.8, 0, 0, -0.6}, {0.96, 0.28, 0, 0}};
    static const double started[2][4] = {{1, 0, 0, 0}, {0.96, 0, 0.28, 0}};
    static const double spins[2][3] = {{1, 0.8, -0.5}, {-2, 0.5, 1.5}};
    static const double inertias[2][3] = {
        {0.0011333333333333334, 0.021133333333333334, 0.021666666666666667},
        {0.0003708333333333333, 0.006933333333333333, 0.0067708333333333336}};
    double turn[4] = {1, 0, 0, 0}, at[3] = {0, 2, 0}, v[3] = {0, 0, 0}, w[3] = {0, 0, 0};
    memset(scene, 0, sizeof *scene);
    scene->gravity_m_s2 = GRAVITY_M_S2;
    for (int i = 0; i < 2; i++) {
        struct peer_body *body = &scene->bodies[scene->body_count++];
        double joined[4], spin[3], along[3], swept[3];
        const double centre[3] = {pendulum_lengths_m[i], 0, 0}, end[3] = {pendulum_reach_m, 0, 0};
        space_peer_multiply(turn, turns[i], joined);
        space_peer_multiply(joined, started[i], turn);
        add_joint(scene, i - 1, PEER_BALL, at[0], at[1], at[2]);
        space_peer_rotate(turn, spins[i], spin);
        space_peer_rotate(turn, centre, along);
        for (int k = 0; k < 3; k++)
            w[k] += spin[k];
        cross(w, along, swept);
        body->mass_kg = masses[i];
        memcpy(body->turn, turn, sizeof turn);
        memcpy(body->inertia_kg_m2, inertias[i], sizeof inertias[i]);
        for (int k = 0; k < 3; k++) {
            body->at_m[k] = at[k] + along[k];
            body->v_m_s[k] = v[k] + swept[k];
            body->w_rad_s[k] = w[k];
        }
        space_peer_rotate(turn, end, along);
        cross(w, along, swept);
        for (int k = 0; k < 3; k++) {
            at[k] += along[k];
            v[k] += swept[k];
        }
    }
}

static int has_ground(const struct peer_scene *scene)
{
    return scene->has_ground;
}

/* ---------------------------------------------------------------- motions */

static double target_rad(const struct peer_joint *joint, int axis, double at_s)
{
    return joint->amplitude_rad[axis] * sin(2 * PI * at_s + joint->phase_rad[axis]);
}

static void set_targets(const struct peer_scene *scene, double at_s, double (*targets)[2])
{
    for (int i = 0; scene->has_motors && i < scene->joint_count; i++)
        for (int k = 0; k < (int)scene->joints[i].kind; k++)
            targets[i][k] = target_rad(&scene->joints[i], k, at_s);
}

/* How a joint is turned that stands at its angles. */
static void turn_by(const struct peer_joint *joint, const double *angles, double *turn)
{
    static const double none[4] = {1, 0, 0, 0};
    memcpy(turn, none, sizeof none);
    for (int k = 0; k < (int)joint->kind; k++) {
        double s = sin(angles[k] / 2), before[4];
        const double *axis = joint->axes[k];
        const double by[4] = {cos(angles[k] / 2), s * axis[0], s * axis[1], s * axis[2]};
        memcpy(before, turn, sizeof before);
        space_peer_multiply(before, by, turn);
    }
}

static double motor_error_rad(const struct peer_scene *scene, const struct peer_state *states,
                              double at_s)
{
    double sum = 0;
    for (int i = 0; i < scene->joint_count; i++) {
        const struct peer_joint *joint = &scene->joints[i];
        double angles[2], seen[4], asked[4], off[4];
        for (int k = 0; k < 2; k++)
            angles[k] = target_rad(joint, k, at_s);
        turn_by(joint, angles, asked);
        space_peer_relative(states[joint->parent].turn, states[joint->child].turn, seen);
        space_peer_relative(asked, seen, off);
        sum += 2 * acos(fmin(1, fabs(off[0])));
    }
    return sum;
}

static void read_start(const struct peer_scene *scene, struct peer_state *states)
{
    for (int i = 0; i < scene->body_count; i++) {
        const struct peer_body *b = &scene->bodies[i];
        memcpy(states[i].at_m, b->at_m, sizeof b->at_m);
        memcpy(states[i].turn, b->turn, sizeof b->turn);
        memcpy(states[i].v_m_s, b->v_m_s, sizeof b->v_m_s);
        memcpy(states[i].w_rad_s, b->w_rad_s, sizeof b->w_rad_s);
    }
}

static double energy_of(const struct peer_scene *scene, const struct peer_state *states)
{
    double energy = 0;
    for (int i = 0; i < scene->body_count; i++) {
        const struct peer_body *body = &scene->bodies[i];
        const struct peer_state *s = &states[i];
        double w[3];
        space_peer_rotate_back(s->turn, s->w_rad_s, w);
        energy += body->mass_kg *
                  (space_peer_dot(s->v_m_s, s->v_m_s) / 2 + scene->gravity_m_s2 * s->at_m[1]);
        for (int k = 0; k < 3; k++)
            energy += body->inertia_kg_m2[k] * w[k] * w[k] / 2;
    }
    return energy;
}

static double lowest_corner(const struct peer_scene *scene, const struct peer_state *states)
{
    static const double up[3] = {0, 1, 0};
    double lowest = HUGE_VAL;
    for (int i = 0; i < scene->body_count; i++) {
        double seen[3], reach = 0;
        space_peer_rotate_back(states[i].turn, up, seen);
        for (int k = 0; k < 3; k++)
            reach += fabs(seen[k]) * scene->bodies[i].size_m[k] / 2;
        lowest = fmin(lowest, states[i].at_m[1] - reach);
    }
    return lowest;
}

static double pendulum_error_m(const struct peer_state *states)
{
    double way[3];
    for (int k = 0; k < 3; k++)
        way[k] = states[1].at_m[k] - pendulum_end_m[k];
    return sqrt(space_peer_dot(way, way));
}

/* ---------------------------------------------------------------- the program */

static struct peer_scene scene;
static struct peer_state states[PEER_BODIES_MAX];
static void print_columns(FILE *csv, const struct peer_contender *contender, int creature);

static const struct peer_bench bench = {
    .program = "bench_space_peers",
    .repetitions = 3,
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
    .motor_error_max_rad = 0.2 * 8,
    .read_start = read_start,
    .energy_j = energy_of,
    .lowest_corner_m = lowest_corner,
    .pendulum_error_m = pendulum_error_m,
    .pendulum_s = 2,
    .pendulum_bottom_j = PENDULUM_BOTTOM_J,
    .creatures = {{"q5_land", 16, peer_median},
                  {"s3_land", 16, peer_median},
                  {"q5_limp", 4, peer_mean}},
    .columns = "deepest_mm,way_m,",
    .print_columns = print_columns,
    .pendulum_panels = {"double pendulum on balls: error of the second box (m) after 2 s",
                        "double pendulum on balls: change of energy (share) in 10 s"},
    .fall_panels = {"limp Q5 dropped: energy from nowhere (share of that lost)",
                    "limp Q5 lying: lowest corner off the ground (m)"}};

struct gait_watch {
    const struct peer_contender *contender;
    double deepest_m, way_m;
};

static void watch_gait(void *context, void *world, double at_s)
{
    struct gait_watch *w = context;
    w->contender->engine->read(world, states);
    w->deepest_m = fmax(w->deepest_m, -lowest_corner(&scene, states));
    w->way_m = hypot(states[0].at_m[0] - scene.bodies[0].at_m[0],
                     states[0].at_m[2] - scene.bodies[0].at_m[2]);
}

static void print_columns(FILE *csv, const struct peer_contender *contender, int creature)
{
    const struct peer_creature *measured = &bench.creatures[creature];
    double deepest_m[PEER_GAITS], way_m[PEER_GAITS];
    for (int gait = 0; gait < measured->gait_count; gait++) {
        struct gait_watch watched = {contender, 0, 0};
        make_creature(&scene, creature, gait);
        peer_run(&bench, contender, PEER_EVALUATE_S, watch_gait, &watched);
        deepest_m[gait] = watched.deepest_m;
        way_m[gait] = watched.way_m;
    }
    fprintf(csv, "%.2f,%.2f,", 1000 * measured->typical(deepest_m, measured->gait_count),
            measured->typical(way_m, measured->gait_count));
}

int main(int argc, char **argv)
{
    return peer_main(argc, argv, &bench);
}

/* Our bodies in space beside other engines, those that were found when this was built (`make bench-peers`).
 *
 *   bench_space_peers [REPETITIONS]   speed: Q5 and S3 on land, 10 s in 16 gaits, making and forgetting the creature
 *                               included. The engines take turns within each repetition; the ratio is the median
 *                               over the repetitions of an engine's time by ours in the same repetition. Also how
 *                               deep the lowest corner is in the ground at most, and the root's way, of the first gait.
 *   bench_space_peers --precision     accuracy beside speed, over steps from 1/60 s to 1/3840 s, for plot.c:
 *     double pendulum of boxes on ball joints: error of the second one's centre after 2 s against a reference of 64
 *       bits of mantissa, and how much its energy has changed after 10 s, as a share of the greatest that could be kinetic;
 *     Q5 without muscles, dropped turning from 1 m, 3 s: it can only lose energy, so the sum of all increases
 *       from one step to the next is an error, given as a share of what was lost; and how far the lowest
 *       corner is above or below the ground at most, from 2 s on.
 *
 * Q5: a trunk on four legs of two boxes, with universal hips and hinges for knees. S3: six boxes in a row on universal
 * joints, flat on the ground. Before any of that each engine must make Q5's joints follow their targets in empty
 * space. Times are processor times of the thread. */
#include <math.h>
#include <unistd.h>

#include "tests/bench/bench.h"
#include "tests/bench/peers/space_peers.h"

enum { REPETITIONS = 3, GAITS = 16, CREATURES = 2 };
#define PI         3.14159265358979323846
#define EVALUATE_S 10.0

struct contender {
    const struct space_peer_engine *engine;
    double hz;
    int is_for_precision; /* only */
};
static const struct contender contenders[] = {
    {&space_peer_bestiary, 240, 0}, /* the first: the others are compared with it */
    {&space_peer_bestiary_midpoint, 240, 1},
#ifdef HAVE_mujoco
    {&space_peer_mujoco_euler, 240, 0},
    {&space_peer_mujoco_rk4, 240, 1},
#endif
#ifdef HAVE_bullet
    {&space_peer_bullet, 240, 0},
#endif
#ifdef HAVE_ode
    {&space_peer_ode_quick, 240, 0},
    {&space_peer_ode_exact, 240, 0},
#endif
};
enum { CONTENDERS = sizeof contenders / sizeof contenders[0] };

/* Where the CSV goes; some engines print what they like to standard output. */
static FILE *csv;

static void die(const char *engine, const char *what)
{
    fprintf(stderr, "bench_space_peers: %s: %s\n", engine, what);
    exit(1);
}

/* ---------------------------------------------------------------- scenes */

static struct space_peer_body *add_box(struct space_peer_scene *scene, double density, double x,
                                       double y, double z, double a, double b, double c)
{
    struct space_peer_body *body = &scene->bodies[scene->body_count++];
    double mass = density * a * b * c, m = mass / 12;
    *body = (struct space_peer_body){
        .at_m = {x, y, z},
        .turn = {1, 0, 0, 0},
        .size_m = {a, b, c},
        .mass_kg = mass,
        .inertia_kg_m2 = {m * (b * b + c * c), m * (a * a + c * c), m * (a * a + b * b)}};
    return body;
}

/* Of the body that was added last; the first axis is along z. */
static struct space_peer_joint *add_joint(struct space_peer_scene *scene, int parent,
                                          enum space_peer_joint_kind kind, double x, double y,
                                          double z)
{
    struct space_peer_joint *joint = &scene->joints[scene->joint_count++];
    *joint = (struct space_peer_joint){.kind = kind,
                                       .parent = parent,
                                       .child = scene->body_count - 1,
                                       .at_m = {x, y, z},
                                       .axes = {{0, 0, 1}, {0, 0, 0}}};
    return joint;
}

static void drive(struct space_peer_joint *joint, int k, double amplitude, double phase, double kv)
{
    joint->amplitude_rad[k] = amplitude;
    joint->phase_rad[k] = phase;
    joint->kv_n_m_s[k] = kv;
}

static void set_land(struct space_peer_scene *scene, double torque_max)
{
    memset(scene, 0, sizeof *scene);
    scene->has_ground = scene->has_limits = scene->has_motors = 1;
    scene->gravity_m_s2 = 9.81;
    scene->torque_max_n_m = torque_max;
}

static void make_q5(struct space_peer_scene *scene)
{
    static const double legs[4][3] = {
        {0.4, 0.3, 0}, {0.4, -0.3, PI}, {-0.4, 0.3, PI}, {-0.4, -0.3, 0}};
    set_land(scene, 40);
    add_box(scene, 100, 0, 1.15, 0, 1, 0.3, 0.6);
    for (int i = 0; i < 4; i++) {
        double x = legs[i][0], z = legs[i][1], phase = legs[i][2];
        add_box(scene, 100, x, 0.8, z, 0.12, 0.4, 0.12);
        struct space_peer_joint *hip = add_joint(scene, 0, SPACE_PEER_UNIVERSAL, x, 1, z);
        hip->axes[1][0] = 1;
        drive(hip, 0, 0.5, phase, 4);
        drive(hip, 1, 0.2, phase + PI / 2, 4);
        add_box(scene, 100, x, 0.4, z, 0.12, 0.4, 0.12);
        drive(add_joint(scene, 2 * i + 1, SPACE_PEER_HINGE, x, 0.6, z), 0, 0.6, phase + PI / 2,
              1.5);
    }
}

static void make_s3(struct space_peer_scene *scene)
{
    set_land(scene, 20);
    for (int i = 0; i < 6; i++) {
        add_box(scene, 500, -1 + 0.4 * i, 0.16, 0, 0.4, 0.12, 0.16);
        if (i == 0)
            continue;
        struct space_peer_joint *joint =
            add_joint(scene, i - 1, SPACE_PEER_UNIVERSAL, -1.2 + 0.4 * i, 0.16, 0);
        joint->axes[1][1] = 1;
        drive(joint, 0, 0.15, 2.77 + 1.2 * (i - 1), 4);
        drive(joint, 1, 0.5, 1.2 + 1.2 * (i - 1), 4);
    }
}

/* A gait shifts the phases, each angle's by as much more. */
static void set_gait(struct space_peer_scene *scene, int gait)
{
    int number = 0;
    for (int i = 0; i < scene->joint_count; i++)
        for (int k = 0; k < (int)scene->joints[i].kind; k++)
            scene->joints[i].phase_rad[k] += 2 * PI / GAITS * gait * number++;
}

/* All of it turns about the trunk's centre at first; its feet are 1 m up. */
static void make_fall(struct space_peer_scene *scene)
{
    static const double w[3] = {0.4, 0.2, 0.5};
    make_q5(scene);
    scene->has_motors = 0;
    for (int i = 0; i < scene->body_count; i++) {
        struct space_peer_body *body = &scene->bodies[i];
        body->at_m[1] += 0.8;
        for (int k = 0; k < 3; k++) {
            int a = (k + 1) % 3, b = (k + 2) % 3;
            body->w_rad_s[k] = w[k];
            body->v_m_s[k] = w[a] * (body->at_m[b] - scene->bodies[0].at_m[b]) -
                             w[b] * (body->at_m[a] - scene->bodies[0].at_m[a]);
        }
    }
    for (int i = 0; i < scene->joint_count; i++)
        scene->joints[i].at_m[1] += 0.8;
}

static void cross(const double *a, const double *b, double *to)
{
    for (int k = 0; k < 3; k++)
        to[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* The pendulum of tests/oracle/space/scenes/double-spherical-pendulum.json; and where its second body's centre is
 * after 2 s, from tests/oracle/space/cases.json. */
static const double pendulum_end_m[3] = {-0.08598025796680585, 1.31748332689969,
                                         -0.06760746322843197};
static const double pendulum_lengths_m[2] = {0.25, 0.2}, pendulum_reach_m = 0.5;
static void make_pendulum(struct space_peer_scene *scene)
{
    static const double masses[2] = {1, 0.5}, turns[2][4] = {{0.8, 0, 0, -0.6}, {0.96, 0.28, 0, 0}};
    static const double started[2][4] = {{1, 0, 0, 0}, {0.96, 0, 0.28, 0}};
    static const double spins[2][3] = {{1, 0.8, -0.5}, {-2, 0.5, 1.5}};
    static const double inertias[2][3] = {
        {0.0011333333333333334, 0.021133333333333334, 0.021666666666666667},
        {0.0003708333333333333, 0.006933333333333333, 0.0067708333333333336}};
    double turn[4] = {1, 0, 0, 0}, at[3] = {0, 2, 0}, v[3] = {0, 0, 0}, w[3] = {0, 0, 0};
    memset(scene, 0, sizeof *scene);
    scene->gravity_m_s2 = 9.81;
    for (int i = 0; i < 2; i++) {
        struct space_peer_body *body = &scene->bodies[scene->body_count++];
        double joined[4], spin[3], along[3], swept[3];
        const double centre[3] = {pendulum_lengths_m[i], 0, 0}, end[3] = {pendulum_reach_m, 0, 0};
        space_peer_multiply(turn, turns[i], joined);
        space_peer_multiply(joined, started[i], turn);
        add_joint(scene, i - 1, SPACE_PEER_BALL, at[0], at[1], at[2]);
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

/* ---------------------------------------------------------------- moving */

/* Called after each step. */
typedef void observer(void *context, void *world);

/* Makes a scene, moves it for a time, and forgets it. The targets of a gait are a polygon along its sine with
 * corners at SPACE_PEER_TICKS_HZ. */
static void run(const struct contender *contender, const struct space_peer_scene *scene,
                double until_s, observer *observe, void *context)
{
    const struct space_peer_engine *engine = contender->engine;
    double targets[SPACE_PEER_BODIES_MAX][2] = {{0}}, rates[SPACE_PEER_BODIES_MAX][2] = {{0}};
    double from[SPACE_PEER_BODIES_MAX][2] = {{0}};
    int steps_per_tick = (int)lround(contender->hz / SPACE_PEER_TICKS_HZ);
    long steps = lround(until_s * contender->hz);
    void *world = engine->create(scene, contender->hz);
    if (!world)
        die(engine->name, "cannot make the scene");
    for (long step = 0; step < steps; step++) {
        double at_s = (double)(step / steps_per_tick) / SPACE_PEER_TICKS_HZ;
        double next_s = at_s + 1.0 / SPACE_PEER_TICKS_HZ;
        int inside = (int)(step % steps_per_tick);
        for (int i = 0; scene->has_motors && i < scene->joint_count; i++)
            for (int k = 0; k < (int)scene->joints[i].kind; k++) {
                double size = scene->joints[i].amplitude_rad[k];
                double phase = scene->joints[i].phase_rad[k];
                if (inside == 0) {
                    from[i][k] = size * sin(2 * PI * at_s + phase);
                    rates[i][k] =
                        SPACE_PEER_TICKS_HZ * (size * sin(2 * PI * next_s + phase) - from[i][k]);
                }
                targets[i][k] = from[i][k] + rates[i][k] * inside / contender->hz;
            }
        engine->step(world, (const double(*)[2])targets, (const double(*)[2])rates);
        if (observe)
            observe(context, world);
    }
    engine->destroy(world);
}

static double energy_of(const struct space_peer_scene *scene, const struct space_peer_state *states)
{
    double energy = 0;
    for (int i = 0; i < scene->body_count; i++) {
        const struct space_peer_body *body = &scene->bodies[i];
        const struct space_peer_state *s = &states[i];
        double w[3];
        space_peer_rotate_back(s->turn, s->w_rad_s, w);
        energy += body->mass_kg *
                  (space_peer_dot(s->v_m_s, s->v_m_s) / 2 + scene->gravity_m_s2 * s->at_m[1]);
        for (int k = 0; k < 3; k++)
            energy += body->inertia_kg_m2[k] * w[k] * w[k] / 2;
    }
    return energy;
}

static double energy_at_start(const struct space_peer_scene *scene)
{
    struct space_peer_state states[SPACE_PEER_BODIES_MAX];
    for (int i = 0; i < scene->body_count; i++) {
        const struct space_peer_body *b = &scene->bodies[i];
        memcpy(states[i].at_m, b->at_m, sizeof b->at_m);
        memcpy(states[i].turn, b->turn, sizeof b->turn);
        memcpy(states[i].v_m_s, b->v_m_s, sizeof b->v_m_s);
        memcpy(states[i].w_rad_s, b->w_rad_s, sizeof b->w_rad_s);
    }
    return energy_of(scene, states);
}

/* ---------------------------------------------------------------- do the motors work? */

struct tracking {
    const struct contender *contender;
    const struct space_peer_scene *scene;
    double sum;
    long steps;
};

/* How a joint is turned that stands at its angles. */
static void turn_by(const struct space_peer_joint *joint, const double *angles, double *turn)
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

static void track(void *context, void *world)
{
    struct tracking *t = context;
    struct space_peer_state states[SPACE_PEER_BODIES_MAX];
    t->contender->engine->read(world, states);
    double at_s = (double)++t->steps / t->contender->hz;
    for (int i = 0; i < t->scene->joint_count; i++) {
        const struct space_peer_joint *joint = &t->scene->joints[i];
        double angles[2], seen[4], asked[4], off[4];
        for (int k = 0; k < 2; k++)
            angles[k] = joint->amplitude_rad[k] * sin(2 * PI * at_s + joint->phase_rad[k]);
        turn_by(joint, angles, asked);
        space_peer_relative(states[joint->parent].turn, states[joint->child].turn, seen);
        space_peer_relative(asked, seen, off);
        t->sum += 2 * acos(fmin(1, fabs(off[0])));
    }
}

static void check_motors(const struct contender *contender)
{
    struct space_peer_scene scene;
    make_q5(&scene);
    scene.gravity_m_s2 = 0;
    scene.has_ground = 0;
    struct tracking tracking = {contender, &scene, 0, 0};
    run(contender, &scene, 2, track, &tracking);
    if (!(tracking.sum / (double)tracking.steps / scene.joint_count < 0.2))
        die(contender->engine->name, "its joints do not follow their targets");
}

/* ---------------------------------------------------------------- what happens */

static double lowest_corner(const struct space_peer_scene *scene,
                            const struct space_peer_state *states)
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

struct gait_watch {
    const struct contender *contender;
    const struct space_peer_scene *scene;
    double deepest_m, way_m;
};

static void watch_gait(void *context, void *world)
{
    struct gait_watch *w = context;
    struct space_peer_state states[SPACE_PEER_BODIES_MAX];
    w->contender->engine->read(world, states);
    w->deepest_m = fmax(w->deepest_m, -lowest_corner(w->scene, states));
    w->way_m = hypot(states[0].at_m[0] - w->scene->bodies[0].at_m[0],
                     states[0].at_m[2] - w->scene->bodies[0].at_m[2]);
}

/* ---------------------------------------------------------------- speed */

static double time_gaits(const struct contender *contender,
                         void (*make)(struct space_peer_scene *scene))
{
    double took_us = 0;
    for (int gait = 0; gait < GAITS; gait++) {
        struct space_peer_scene scene;
        make(&scene);
        /* a model that is compiled for the scene is there before */
        set_gait(&scene, gait);
        run(contender, &scene, 1.0 / SPACE_PEER_TICKS_HZ, NULL, NULL);
        double from_us = bench_now_us(0);
        run(contender, &scene, EVALUATE_S, NULL, NULL);
        took_us += bench_now_us(0) - from_us;
    }
    return took_us / GAITS;
}

static double median_of(double *values, int count)
{
    qsort(values, (size_t)count, sizeof values[0], bench_compare);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

static void compare_speed(int repetitions)
{
    static void (*const makers[CREATURES])(struct space_peer_scene *) = {make_q5, make_s3};
    static const char *const names[CREATURES] = {"q5_land", "s3_land"};
    struct bench_machine machine;
    size_t count = (size_t)repetitions;
    double *times = calloc(CONTENDERS * count, sizeof *times);
    double *ratios = calloc(count, sizeof *ratios);
    if (!times || !ratios)
        die("bench_space_peers", "out of memory");
    bench_describe(&machine);
    fprintf(csv, "workload,engine,version,setting,hz,unit,fastest,median,ratio,deepest_mm,way_m,"
                 "repetitions,commit,compiler,cpu\n");
    for (int k = 0; k < CREATURES; k++) {
        for (int r = 0; r < repetitions; r++)
            for (int c = 0; c < CONTENDERS; c++)
                if (!contenders[c].is_for_precision)
                    times[(size_t)c * count + (size_t)r] = time_gaits(&contenders[c], makers[k]);
        for (int c = CONTENDERS - 1; c >= 0; c--) {
            const struct space_peer_engine *engine = contenders[c].engine;
            struct space_peer_scene scene;
            if (contenders[c].is_for_precision)
                continue;
            makers[k](&scene);
            struct gait_watch watched = {&contenders[c], &scene, 0, 0};
            run(&contenders[c], &scene, EVALUATE_S, watch_gait, &watched);
            double *mine = times + (size_t)c * count;
            for (size_t r = 0; r < count; r++)
                ratios[r] = mine[r] / times[r];
            double ratio = median_of(ratios, repetitions), median = median_of(mine, repetitions);
            fprintf(csv, "%s,%s,%s,%s,%g,us/evaluation,%.1f,%.1f,%.2f,%.2f,%.2f,%d,%s,%s,%s\n",
                    names[k], engine->name, engine->version(), engine->setting, contenders[c].hz,
                    mine[0], median, ratio, 1000 * watched.deepest_m, watched.way_m, repetitions,
                    machine.commit, machine.compiler, machine.cpu);
        }
        fflush(csv);
    }
    free(times);
    free(ratios);
}

/* ---------------------------------------------------------------- precision */

struct watch {
    const struct contender *contender;
    const struct space_peer_scene *scene;
    long steps;
    double energy;       /* at the last step */
    double end_error_m;  /* double pendulum, at 2 s */
    double gained_j;     /* sum of all increases */
    double off_ground_m; /* the lowest corner, from 2 s on */
};

static void watch(void *context, void *world)
{
    struct watch *w = context;
    struct space_peer_state states[SPACE_PEER_BODIES_MAX];
    w->contender->engine->read(world, states);
    w->steps++;
    double energy = energy_of(w->scene, states);
    w->gained_j += fmax(0, energy - w->energy);
    w->energy = energy;
    if (w->scene->has_ground && (double)w->steps >= 2 * w->contender->hz)
        w->off_ground_m = fmax(w->off_ground_m, fabs(lowest_corner(w->scene, states)));
    if (!w->scene->has_ground && w->steps == lround(2 * w->contender->hz)) {
        double way[3];
        for (int k = 0; k < 3; k++)
            way[k] = states[1].at_m[k] - pendulum_end_m[k];
        w->end_error_m = sqrt(space_peer_dot(way, way));
    }
}

static double time_once(const struct contender *contender, const struct space_peer_scene *scene,
                        double until_s)
{
    double fastest_us = HUGE_VAL, total_us = 0;
    for (int i = 0; i < 3 || (total_us < 2e4 && i < 100); i++) {
        double from_us = bench_now_us(0);
        run(contender, scene, until_s, NULL, NULL);
        double took_us = bench_now_us(0) - from_us;
        fastest_us = fmin(fastest_us, took_us);
        total_us += took_us;
    }
    return fastest_us / 1000;
}

static void print_point(const char *panel, const struct contender *contender, double cpu_ms,
                        double value, const struct bench_machine *machine)
{
    /* what is exact has a place on a logarithmic axis, too; what has exploded has none */
    if (!(value < 1e6))
        return;
    fprintf(csv, "%s,%s %s %s,1/%g s,%.4f,%.3e,%s,%s,%s\n", panel, contender->engine->name,
            contender->engine->version(), contender->engine->setting, contender->hz, cpu_ms,
            fmax(value, 1e-16), machine->commit, machine->compiler, machine->cpu);
    fflush(csv);
}

static void measure_pendulum(const struct contender *contender, const struct bench_machine *machine)
{
    struct space_peer_scene scene;
    make_pendulum(&scene);
    double start = energy_at_start(&scene), lowest = 0;
    for (int i = 0; i < 2; i++)
        lowest += scene.bodies[i].mass_kg * scene.gravity_m_s2 *
                  (2 - i * pendulum_reach_m - pendulum_lengths_m[i]);
    struct watch w = {.contender = contender, .scene = &scene, .energy = start};
    run(contender, &scene, 10, watch, &w);
    print_point("double pendulum on balls: error of the second box (m) after 2 s", contender,
                time_once(contender, &scene, 2), w.end_error_m, machine);
    print_point("double pendulum on balls: change of energy (share) in 10 s", contender,
                time_once(contender, &scene, 10), fabs(w.energy - start) / (start - lowest),
                machine);
}

static void measure_fall(const struct contender *contender, const struct bench_machine *machine)
{
    const double until_s = 3;
    struct space_peer_scene scene;
    make_fall(&scene);
    double start = energy_at_start(&scene);
    struct watch w = {.contender = contender, .scene = &scene, .energy = start};
    run(contender, &scene, until_s, watch, &w);
    double cpu_ms = time_once(contender, &scene, until_s);
    print_point("limp Q5 dropped: energy from nowhere (share of that lost)", contender, cpu_ms,
                w.gained_j / (start - w.energy), machine);
    print_point("limp Q5 lying: lowest corner off the ground (m)", contender, cpu_ms,
                w.off_ground_m, machine);
}

static void compare_precision(void)
{
    struct bench_machine machine;
    bench_describe(&machine);
    fprintf(csv, "panel,series,setting,cpu_ms,error,commit,compiler,cpu\n");
    for (int c = 0; c < CONTENDERS; c++)
        for (double hz = 60; hz <= 3840; hz *= 2) {
            struct contender contender = {contenders[c].engine, hz, 0};
            measure_pendulum(&contender, &machine);
            measure_fall(&contender, &machine);
        }
}

int main(int argc, char **argv)
{
    int is_precision = argc == 2 && strcmp(argv[1], "--precision") == 0;
    long repetitions = argc == 2 && !is_precision ? strtol(argv[1], NULL, 10) : REPETITIONS;
    if (argc > 2 || repetitions < 1 || repetitions > BENCH_REPETITIONS_MAX) {
        fprintf(stderr, "usage: bench_space_peers [REPETITIONS | --precision]\n");
        return 2;
    }
    csv = fdopen(dup(STDOUT_FILENO), "w");
    if (!csv || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        die("standard output", "cannot be used");
    for (int c = 0; c < CONTENDERS; c++)
        if (!contenders[c].is_for_precision)
            check_motors(&contenders[c]);
    if (is_precision)
        compare_precision();
    else
        compare_speed((int)repetitions);
    return fclose(csv) != 0;
}

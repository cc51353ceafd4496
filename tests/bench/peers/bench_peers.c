/* Our physics beside other engines, those that were found when this was built (`make bench-peers`).
 *
 *   bench_peers [REPETITIONS]   speed: C5 and C12 of tests/bench/fixed.h on land, 10 s in 16 gaits, making
 *                               and forgetting the creature included. The engines take turns within each
 *                               repetition; the ratio is the median over the repetitions of an engine's
 *                               time by ours at 240 Hz in the same repetition.
 *   bench_peers --precision     accuracy beside speed, over steps from 1/60 s to 1/3840 s, for plot.c:
 *     double pendulum of rods: error of the tip after 3 s against a 128-bit reference, and how much its
 *       energy (above that of hanging still) has changed after 10 s;
 *     C5 without muscles, dropped turning from 1 m, 3 s: it can only lose energy, so the sum of all
 *       increases from one step to the next is an error, given as a share of what was lost; and how
 *       far the lowest corner is above or below the ground at most, from 2 s on.
 *
 * Before any of that each engine must make C5's joints follow their targets in empty space. Times are
 * processor times of the thread. */
#include <math.h>
#include <unistd.h>

#include "tests/bench/bench.h"
#include "tests/bench/expected.h"
#include "tests/bench/peers/peers.h"

enum { REPETITIONS = 5, CREATURES = 2 };

struct contender {
    const struct peer_engine *engine;
    double hz;
    int is_for_precision; /* only */
};
static const struct contender contenders[] = {
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
enum { CONTENDERS = sizeof contenders / sizeof contenders[0] };

/* Where the CSV goes; some engines print what they like to standard output. */
static FILE *csv;

static void die(const char *engine, const char *what)
{
    fprintf(stderr, "bench_peers: %s: %s\n", engine, what);
    exit(1);
}

/* ---------------------------------------------------------------- scenes */

static void make_creature(struct peer_scene *scene, const struct fixed_creature *creature)
{
    *scene = (struct peer_scene){.body_count = creature->body_count,
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

/* All of it turns about the root's centre at first. */
static void make_fall(struct peer_scene *scene)
{
    const double rate = 0.5;
    make_creature(scene, &fixed_c5);
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

/* ---------------------------------------------------------------- moving */

/* Called after each step. */
typedef void observer(void *context, void *world);

/* Makes a scene, moves it for a time, and forgets it. The targets of a gait are a polygon along its sine
 * with corners at PEER_TICKS_HZ. */
static void run(const struct contender *contender, const struct peer_scene *scene,
                const struct fixed_creature *creature, int gait, double until_s, observer *observe,
                void *context)
{
    const struct peer_engine *engine = contender->engine;
    double targets[PEER_BODIES_MAX] = {0}, rates[PEER_BODIES_MAX] = {0};
    double from[PEER_BODIES_MAX] = {0};
    int steps_per_tick = (int)lround(contender->hz / PEER_TICKS_HZ);
    long steps = lround(until_s * contender->hz);
    void *world = engine->create(scene, contender->hz);
    if (!world)
        die(engine->name, "cannot make the scene");
    for (long step = 0; step < steps; step++) {
        double tick = (double)(step / steps_per_tick);
        int inside = (int)(step % steps_per_tick);
        for (int i = 0; scene->has_motors && i < scene->joint_count; i++) {
            if (inside == 0) {
                double at_s = tick / PEER_TICKS_HZ, next_s = (tick + 1) / PEER_TICKS_HZ;
                from[i] = FIXED_AMPLITUDE_RAD * sin(fixed_phase(creature, gait, i, at_s));
                rates[i] =
                    PEER_TICKS_HZ *
                    (FIXED_AMPLITUDE_RAD * sin(fixed_phase(creature, gait, i, next_s)) - from[i]);
            }
            targets[i] = from[i] + rates[i] * inside / contender->hz;
        }
        engine->step(world, targets, rates);
        if (observe)
            observe(context, world);
    }
    engine->destroy(world);
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

static double energy_at_start(const struct peer_scene *scene)
{
    struct peer_state states[PEER_BODIES_MAX];
    for (int i = 0; i < scene->body_count; i++) {
        const struct peer_body *b = &scene->bodies[i];
        states[i] = (struct peer_state){b->x_m, b->y_m, 0, b->vx_m_s, b->vy_m_s, b->omega_rad_s};
    }
    return energy_of(scene, states);
}

/* ---------------------------------------------------------------- do the motors work? */

struct tracking {
    const struct peer_engine *engine;
    const struct peer_scene *scene;
    double hz, sum;
    long steps;
};

static void track(void *context, void *world)
{
    struct tracking *t = context;
    struct peer_state states[PEER_BODIES_MAX];
    t->engine->read(world, states);
    t->steps++;
    for (int i = 0; i < t->scene->joint_count; i++) {
        const struct peer_joint *joint = &t->scene->joints[i];
        double phase = fixed_phase(&fixed_c5, 0, i, (double)t->steps / t->hz);
        t->sum += fabs(states[joint->child].angle_rad - states[joint->parent].angle_rad -
                       FIXED_AMPLITUDE_RAD * sin(phase));
    }
}

static void check_motors(const struct contender *contender)
{
    struct peer_scene scene;
    make_creature(&scene, &fixed_c5);
    scene.gravity_m_s2 = 0;
    scene.has_ground = 0;
    struct tracking tracking = {contender->engine, &scene, contender->hz, 0, 0};
    run(contender, &scene, &fixed_c5, 0, 2, track, &tracking);
    if (!(tracking.sum / (double)tracking.steps / scene.joint_count < 0.3))
        die(contender->engine->name, "its joints do not follow their targets");
}

/* ---------------------------------------------------------------- speed */

static double time_gaits(const struct contender *contender, const struct peer_scene *scene,
                         const struct fixed_creature *creature)
{
    double from_us = bench_now_us(0);
    for (int gait = 0; gait < FIXED_GAITS; gait++)
        run(contender, scene, creature, gait, FIXED_SECONDS, NULL, NULL);
    return (bench_now_us(0) - from_us) / FIXED_GAITS;
}

static double median_of(double *values, int count)
{
    qsort(values, (size_t)count, sizeof values[0], bench_compare);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

static void compare_speed(int repetitions)
{
    static const struct fixed_creature *const creatures[CREATURES] = {&fixed_c5, &fixed_c12};
    static const char *const names[CREATURES] = {"c5_land", "c12_land"};
    struct bench_machine machine;
    size_t count = (size_t)repetitions;
    double *times = calloc(CONTENDERS * count, sizeof *times);
    double *ratios = calloc(count, sizeof *ratios);
    if (!times || !ratios)
        die("bench_peers", "out of memory");
    bench_describe(&machine);
    fprintf(csv, "workload,engine,version,setting,hz,unit,fastest,median,ratio,repetitions,commit,"
                 "compiler,cpu\n");
    for (int k = 0; k < CREATURES; k++) {
        struct peer_scene scene;
        make_creature(&scene, creatures[k]);
        for (int r = -1; r < repetitions; r++)
            for (int c = 0; c < CONTENDERS; c++) {
                if (contenders[c].is_for_precision)
                    continue;
                double us = time_gaits(&contenders[c], &scene, creatures[k]);
                if (r >= 0)
                    times[(size_t)c * count + (size_t)r] = us;
            }
        for (int c = CONTENDERS - 1; c >= 0; c--) {
            const struct peer_engine *engine = contenders[c].engine;
            if (contenders[c].is_for_precision)
                continue;
            double *mine = times + (size_t)c * count;
            for (size_t r = 0; r < count; r++)
                ratios[r] = mine[r] / times[r];
            double ratio = median_of(ratios, repetitions), median = median_of(mine, repetitions);
            fprintf(csv, "%s,%s,%s,%s,%g,us/evaluation,%.1f,%.1f,%.2f,%d,%s,%s,%s\n", names[k],
                    engine->name, engine->version(), engine->setting, contenders[c].hz, mine[0],
                    median, ratio, repetitions, machine.commit, machine.compiler, machine.cpu);
        }
        fflush(csv);
    }
    free(times);
    free(ratios);
}

/* ---------------------------------------------------------------- precision */

struct watch {
    const struct contender *contender;
    const struct peer_scene *scene;
    long steps;
    double energy;       /* at the last step */
    double tip_error_m;  /* double pendulum, at 3 s */
    double gained_j;     /* sum of all increases */
    double off_ground_m; /* the lowest corner, from 2 s on */
};

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

static void watch(void *context, void *world)
{
    struct watch *w = context;
    struct peer_state states[PEER_BODIES_MAX];
    w->contender->engine->read(world, states);
    w->steps++;
    double energy = energy_of(w->scene, states);
    w->gained_j += fmax(0, energy - w->energy);
    w->energy = energy;
    if (w->scene->has_ground && (double)w->steps >= 2 * w->contender->hz)
        w->off_ground_m = fmax(w->off_ground_m, fabs(lowest_corner(w->scene, states)));
    if (!w->scene->has_ground && w->steps == lround(3 * w->contender->hz)) {
        const struct peer_state *s = &states[1];
        double half = rod_lengths_m[1] / 2, c = cos(s->angle_rad), sine = sin(s->angle_rad);
        w->tip_error_m = hypot(s->x_m + half * (c * ROD_COS - sine * ROD_SIN) -
                                   expected_number("double_pendulum_rods", "tip_x", 3),
                               s->y_m + half * (sine * ROD_COS + c * ROD_SIN) -
                                   expected_number("double_pendulum_rods", "tip_y", 3));
    }
}

static double time_once(const struct contender *contender, const struct peer_scene *scene,
                        double until_s)
{
    double fastest_us = HUGE_VAL, total_us = 0;
    for (int i = 0; i < 3 || (total_us < 2e4 && i < 100); i++) {
        double from_us = bench_now_us(0);
        run(contender, scene, &fixed_c5, 0, until_s, NULL, NULL);
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
    struct peer_scene scene;
    make_pendulum(&scene);
    double start = energy_at_start(&scene), lowest = 0, y = 0;
    for (int i = 0; i < 2; i++) {
        lowest += rod_masses_kg[i] * scene.gravity_m_s2 * (y - rod_lengths_m[i] / 2);
        y -= rod_lengths_m[i];
    }
    struct watch w = {.contender = contender, .scene = &scene, .energy = start};
    run(contender, &scene, NULL, 0, 10, watch, &w);
    print_point("double pendulum: error of the tip (m) after 3 s", contender,
                time_once(contender, &scene, 3), w.tip_error_m, machine);
    print_point("double pendulum: change of energy (share) in 10 s", contender,
                time_once(contender, &scene, 10), fabs(w.energy - start) / (start - lowest),
                machine);
}

static void measure_fall(const struct contender *contender, const struct bench_machine *machine)
{
    const double until_s = 3;
    struct peer_scene scene;
    make_fall(&scene);
    double start = energy_at_start(&scene);
    struct watch w = {.contender = contender, .scene = &scene, .energy = start};
    run(contender, &scene, &fixed_c5, 0, until_s, watch, &w);
    double cpu_ms = time_once(contender, &scene, until_s);
    print_point("limp C5 dropped: energy from nowhere (share of that lost)", contender, cpu_ms,
                w.gained_j / (start - w.energy), machine);
    print_point("limp C5 lying: lowest corner off the ground (m)", contender, cpu_ms,
                w.off_ground_m, machine);
}

static void compare_precision(void)
{
    struct bench_machine machine;
    bench_describe(&machine);
    fprintf(csv, "panel,series,setting,cpu_ms,error,commit,compiler,cpu\n");
    for (int c = 0; c < CONTENDERS; c++) {
        if (c > 0 && contenders[c].engine == contenders[c - 1].engine)
            continue;
        for (double hz = 60; hz <= 3840; hz *= 2) {
            struct contender contender = {contenders[c].engine, hz, 0};
            measure_pendulum(&contender, &machine);
            measure_fall(&contender, &machine);
        }
    }
}

int main(int argc, char **argv)
{
    int is_precision = argc == 2 && strcmp(argv[1], "--precision") == 0;
    long repetitions = argc == 2 && !is_precision ? strtol(argv[1], NULL, 10) : REPETITIONS;
    if (argc > 2 || repetitions < 1 || repetitions > BENCH_REPETITIONS_MAX) {
        fprintf(stderr, "usage: bench_peers [REPETITIONS | --precision]\n");
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

#include "bench/peers/peer_frame.h"

#include <unistd.h>

#include "tests/bench/bench.h"

/* Where the CSV goes; some engines print what they like to standard output. */
static FILE *csv;

static void die(const struct peer_bench *bench, const char *engine, const char *what)
{
    fprintf(stderr, "%s: %s: %s\n", bench->program, engine, what);
    exit(1);
}

/* ---------------------------------------------------------------- moving */

void peer_run(const struct peer_bench *bench, const struct peer_contender *contender,
              double until_s, peer_observer *observe, void *context)
{
    const struct peer_engine *engine = contender->engine;
    double targets[PEER_JOINTS_MAX][2] = {{0}}, rates[PEER_JOINTS_MAX][2] = {{0}};
    double from[PEER_JOINTS_MAX][2] = {{0}}, to[PEER_JOINTS_MAX][2] = {{0}};
    int steps_per_tick = (int)lround(contender->hz / PEER_TICKS_HZ);
    long steps = lround(until_s * contender->hz);
    void *world = engine->create(bench->scene, contender->hz);
    if (!world)
        die(bench, engine->name, "cannot make the scene");
    for (long step = 0; step < steps; step++) {
        double tick = (double)(step / steps_per_tick);
        int inside = (int)(step % steps_per_tick);
        if (inside == 0) {
            bench->set_targets(bench->scene, tick / PEER_TICKS_HZ, from);
            bench->set_targets(bench->scene, (tick + 1) / PEER_TICKS_HZ, to);
        }
        for (int i = 0; i < PEER_JOINTS_MAX; i++)
            for (int k = 0; k < 2; k++) {
                rates[i][k] = PEER_TICKS_HZ * (to[i][k] - from[i][k]);
                targets[i][k] = from[i][k] + rates[i][k] * inside / contender->hz;
            }
        engine->step(world, (const double(*)[2])targets, (const double(*)[2])rates);
        if (observe)
            observe(context, world, (double)(step + 1) / contender->hz);
    }
    engine->destroy(world);
}

/* What is seen of a motion. */
struct watch {
    const struct peer_bench *bench;
    const struct peer_contender *contender;
    double motor_error_rad; /* sum over the steps */
    double energy_j;        /* at the last step */
    double gained_j;        /* sum of all increases */
    double end_error_m;     /* of the pendulum */
    double off_ground_m;    /* the lowest corner, from 2 s on */
};

static void watch_motors(void *context, void *world, double at_s)
{
    struct watch *w = context;
    const struct peer_bench *bench = w->bench;
    w->contender->engine->read(world, bench->states);
    w->motor_error_rad += bench->motor_error_rad(bench->scene, bench->states, at_s);
}

static void check_motors(const struct peer_bench *bench, const struct peer_contender *contender)
{
    const double until_s = 2;
    struct watch w = {.bench = bench, .contender = contender};
    bench->make_weightless(bench->scene);
    peer_run(bench, contender, until_s, watch_motors, &w);
    if (!(w.motor_error_rad / (until_s * contender->hz) < bench->motor_error_max_rad))
        die(bench, contender->engine->name, "its joints do not follow their targets");
}

/* ---------------------------------------------------------------- speed */

double peer_median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof values[0], bench_compare);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

double peer_mean(double *values, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += values[i];
    return sum / count;
}

/* Times a creature in its gaits. A model that an engine compiles for a scene, and keeps, is there
 * before. */
static double time_gaits(const struct peer_bench *bench, const struct peer_contender *contender,
                         int creature)
{
    const struct peer_creature *measured = &bench->creatures[creature];
    double took_us[PEER_GAITS];
    for (int gait = 0; gait < measured->gait_count; gait++) {
        bench->make_creature(bench->scene, creature, gait);
        peer_run(bench, contender, 1.0 / PEER_TICKS_HZ, NULL, NULL);
        double from_us = bench_now_us(0);
        peer_run(bench, contender, PEER_EVALUATE_S, NULL, NULL);
        took_us[gait] = bench_now_us(0) - from_us;
    }
    return measured->typical(took_us, measured->gait_count);
}

static void compare_speed(const struct peer_bench *bench, int repetitions)
{
    const struct peer_contender *contenders = bench->contenders;
    struct bench_machine machine;
    size_t count = (size_t)repetitions;
    double *times = calloc((size_t)bench->contender_count * count, sizeof *times);
    double *ratios = calloc(count, sizeof *ratios);
    if (!times || !ratios)
        die(bench, bench->program, "out of memory");
    bench_describe(&machine);
    fprintf(csv,
            "workload,engine,version,setting,hz,unit,fastest,median,ratio,%srepetitions,commit,"
            "compiler,cpu\n",
            bench->columns);
    for (int k = 0; k < PEER_CREATURES_MAX && bench->creatures[k].workload; k++) {
        for (int r = 0; r < repetitions; r++)
            for (int c = 0; c < bench->contender_count; c++)
                if (!contenders[c].is_for_precision)
                    times[(size_t)c * count + (size_t)r] = time_gaits(bench, &contenders[c], k);
        for (int c = bench->contender_count - 1; c >= 0; c--) {
            const struct peer_engine *engine = contenders[c].engine;
            if (contenders[c].is_for_precision)
                continue;
            double *mine = times + (size_t)c * count;
            for (size_t r = 0; r < count; r++)
                ratios[r] = mine[r] / times[r];
            double ratio = peer_median(ratios, repetitions),
                   median = peer_median(mine, repetitions);
            fprintf(csv, "%s,%s,%s,%s,%g,us/evaluation,%.1f,%.1f,%.2f,",
                    bench->creatures[k].workload, engine->name, engine->version(), engine->setting,
                    contenders[c].hz, mine[0], median, ratio);
            bench->print_columns(csv, &contenders[c], k);
            fprintf(csv, "%d,%s,%s,%s\n", repetitions, machine.commit, machine.compiler,
                    machine.cpu);
        }
        fflush(csv);
    }
    free(times);
    free(ratios);
}

/* ---------------------------------------------------------------- precision */

static void watch_energy(void *context, void *world, double at_s)
{
    struct watch *w = context;
    const struct peer_bench *bench = w->bench;
    double half_step_s = 0.5 / w->contender->hz;
    w->contender->engine->read(world, bench->states);
    double energy_j = bench->energy_j(bench->scene, bench->states);
    w->gained_j += fmax(0, energy_j - w->energy_j);
    w->energy_j = energy_j;
    if (bench->has_ground(bench->scene) && at_s > 2 - half_step_s)
        w->off_ground_m =
            fmax(w->off_ground_m, fabs(bench->lowest_corner_m(bench->scene, bench->states)));
    if (!bench->has_ground(bench->scene) && fabs(at_s - bench->pendulum_s) < half_step_s)
        w->end_error_m = bench->pendulum_error_m(bench->states);
}

/* Moves what stands in bench->scene; returns the energy that it had. */
static double watch_scene(struct watch *w, double until_s)
{
    w->bench->read_start(w->bench->scene, w->bench->states);
    double start_j = w->energy_j = w->bench->energy_j(w->bench->scene, w->bench->states);
    peer_run(w->bench, w->contender, until_s, watch_energy, w);
    return start_j;
}

static double time_once(const struct watch *w, double until_s)
{
    double fastest_us = HUGE_VAL, total_us = 0;
    for (int i = 0; i < 3 || (total_us < 2e4 && i < 100); i++) {
        double from_us = bench_now_us(0);
        peer_run(w->bench, w->contender, until_s, NULL, NULL);
        double took_us = bench_now_us(0) - from_us;
        fastest_us = fmin(fastest_us, took_us);
        total_us += took_us;
    }
    return fastest_us / 1000;
}

static void print_point(const char *panel, const struct peer_contender *contender, double cpu_ms,
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

static void measure_pendulum(const struct peer_bench *bench, const struct peer_contender *contender,
                             const struct bench_machine *machine)
{
    const double until_s = 10;
    struct watch w = {.bench = bench, .contender = contender};
    bench->make_pendulum(bench->scene);
    double start_j = watch_scene(&w, until_s);
    print_point(bench->pendulum_panels[0], contender, time_once(&w, bench->pendulum_s),
                w.end_error_m, machine);
    print_point(bench->pendulum_panels[1], contender, time_once(&w, until_s),
                fabs(w.energy_j - start_j) / (start_j - bench->pendulum_bottom_j), machine);
}

static void measure_fall(const struct peer_bench *bench, const struct peer_contender *contender,
                         const struct bench_machine *machine)
{
    const double until_s = 3;
    struct watch w = {.bench = bench, .contender = contender};
    bench->make_fall(bench->scene);
    double start_j = watch_scene(&w, until_s);
    double cpu_ms = time_once(&w, until_s);
    print_point(bench->fall_panels[0], contender, cpu_ms, w.gained_j / (start_j - w.energy_j),
                machine);
    print_point(bench->fall_panels[1], contender, cpu_ms, w.off_ground_m, machine);
}

static void compare_precision(const struct peer_bench *bench)
{
    struct bench_machine machine;
    bench_describe(&machine);
    fprintf(csv, "panel,series,setting,cpu_ms,error,commit,compiler,cpu\n");
    for (int c = 0; c < bench->contender_count; c++) {
        if (c > 0 && bench->contenders[c].engine == bench->contenders[c - 1].engine)
            continue;
        for (double hz = 60; hz <= 3840; hz *= 2) {
            struct peer_contender contender = {bench->contenders[c].engine, hz, 0};
            measure_pendulum(bench, &contender, &machine);
            measure_fall(bench, &contender, &machine);
        }
    }
}

int peer_main(int argc, char **argv, const struct peer_bench *bench)
{
    int is_precision = argc == 2 && strcmp(argv[1], "--precision") == 0;
    long repetitions = argc == 2 && !is_precision ? strtol(argv[1], NULL, 10) : bench->repetitions;
    if (argc > 2 || repetitions < 1 || repetitions > BENCH_REPETITIONS_MAX) {
        fprintf(stderr, "usage: %s [REPETITIONS | --precision]\n", bench->program);
        return 2;
    }
    csv = fdopen(dup(STDOUT_FILENO), "w");
    if (!csv || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        die(bench, "standard output", "cannot be used");
    for (int c = 0; c < bench->contender_count; c++)
        if (!bench->contenders[c].is_for_precision)
            check_motors(bench, &bench->contenders[c]);
    if (is_precision)
        compare_precision(bench);
    else
        compare_speed(bench, (int)repetitions);
    return fclose(csv) != 0;
}

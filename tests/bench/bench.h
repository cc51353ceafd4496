/* What the benchmark programs share: a table of workloads, repeated and timed, printed as CSV.
 *
 *   bench_X [NAME[,NAME]...] [REPETITIONS]
 *
 * A workload's `run` does a fixed amount of work and says how many units (evaluations, children,
 * ...) that was. Or its `measure` returns a figure of its own, an error or a ratio. After one run
 * to warm up it is timed once per repetition; the fastest and the median time of one unit are
 * printed in microseconds. What only computes is timed by the CPU time of its thread, which other
 * programs on the machine disturb least; what waits for disks or processes by the wall clock. See
 * README.md beside this file. */
#ifndef TESTS_BENCH_BENCH_H
#define TESTS_BENCH_BENCH_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BENCH_REPETITIONS_MAX = 10000 };

struct bench_workload {
    const char *name;
    const char *unit;    /* of the figures, for example "us/evaluation" */
    int repetitions;     /* unless the command line says otherwise */
    int is_wall_clock;   /* 0: CPU time of the thread */
    const void *context; /* given to the functions */
    /* Before the first run, not timed. 0, or -1 with a message. May be NULL. */
    int (*set_up)(const void *context);
    /* Units done, or -1 with a message. */
    int (*run)(const void *context);
    /* Instead of `run`: the figure of a repetition itself, in `unit`, or NAN with a message. */
    double (*measure)(const void *context);
    /* At the end, also after a failure. May be NULL. */
    void (*tear_down)(void);
};

/* Text fields of the CSV that are the same in all lines. */
struct bench_machine {
    char commit[64], compiler[128], cpu[128];
};

static inline double bench_now_us(int is_wall_clock)
{
    struct timespec t;
    clock_gettime(is_wall_clock ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static inline void bench_trim(char *text)
{
    text[strcspn(text, "\r\n")] = 0;
    for (char *c = text; *c; c++)
        if (*c == ',' || *c == '"')
            *c = ' ';
}

static inline void bench_describe(struct bench_machine *machine)
{
    *machine = (struct bench_machine){.commit = "unknown", .cpu = "unknown"};
    FILE *git = popen("git describe --always --dirty --abbrev=12 --exclude '*' 2>/dev/null", "r");
    if (git) {
        char line[64];
        if (fgets(line, sizeof line, git))
            memcpy(machine->commit, line, sizeof line);
        pclose(git);
    }
#ifdef __clang__
    snprintf(machine->compiler, sizeof machine->compiler, "%s", __VERSION__);
#else
    snprintf(machine->compiler, sizeof machine->compiler, "gcc %s", __VERSION__);
#endif
    FILE *cpus = fopen("/proc/cpuinfo", "r");
    char line[512];
    while (cpus && fgets(line, sizeof line, cpus)) {
        const char *value = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !value)
            continue;
        snprintf(machine->cpu, sizeof machine->cpu, "%.100s", value + 2);
        break;
    }
    if (cpus)
        fclose(cpus);
    bench_trim(machine->commit);
    bench_trim(machine->compiler);
    bench_trim(machine->cpu);
}

static inline int bench_compare(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* One repetition: the time of a unit in us, or what the workload measures. NAN: it failed. */
static inline double bench_repeat(const struct bench_workload *workload)
{
    if (workload->measure)
        return workload->measure(workload->context);
    double from = bench_now_us(workload->is_wall_clock);
    int units = workload->run(workload->context);
    double to = bench_now_us(workload->is_wall_clock);
    return units > 0 ? (to - from) / units : NAN;
}

/* Times one workload and prints its line. 0 or -1. */
static inline int bench_measure(const struct bench_workload *workload, int repetitions,
                                const struct bench_machine *machine)
{
    double *figures = malloc((size_t)repetitions * sizeof *figures);
    int done = 0, is_good = figures != NULL;
    if (is_good && workload->set_up)
        is_good = workload->set_up(workload->context) == 0;
    if (is_good)
        is_good = !isnan(bench_repeat(workload));
    for (; is_good && done < repetitions; done++) {
        figures[done] = bench_repeat(workload);
        is_good = !isnan(figures[done]);
    }
    if (is_good) {
        qsort(figures, (size_t)repetitions, sizeof *figures, bench_compare);
        double median = (figures[(repetitions - 1) / 2] + figures[repetitions / 2]) / 2;
        printf(workload->measure ? "%s,%s,%.4g,%.4g,%d,%s,%s,%s\n"
                                 : "%s,%s,%.3f,%.3f,%d,%s,%s,%s\n",
               workload->name, workload->unit, figures[0], median, repetitions, machine->commit,
               machine->compiler, machine->cpu);
        fflush(stdout);
    } else {
        fprintf(stderr, "%s: failed\n", workload->name);
    }
    if (workload->tear_down)
        workload->tear_down();
    free(figures);
    return is_good ? 0 : -1;
}

/* Whether `names` (comma-separated; NULL = all) has the name. */
static inline int bench_is_selected(const char *names, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = names; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == 0))
            return 1;
    return !names;
}

#define BENCH_MAIN(workloads)                                                                      \
    int main(int argc, char **argv)                                                                \
    {                                                                                              \
        return bench_main(argc, argv, workloads, (int)(sizeof workloads / sizeof workloads[0]));   \
    }

/* main() of a benchmark program. The exit code: 0, 1 a workload failed, 2 wrong usage. */
static inline int bench_main(int argc, char **argv, const struct bench_workload *workloads,
                             int count)
{
    int at = 1, repetitions = 0, selected = 0, result = 0;
    const char *names = at < argc && (argv[at][0] < '0' || argv[at][0] > '9') ? argv[at++] : NULL;
    char *end = "";
    if (at < argc)
        repetitions = (int)strtol(argv[at++], &end, 10);
    int is_usable =
        at == argc && *end == 0 && repetitions >= 0 && repetitions <= BENCH_REPETITIONS_MAX;
    for (int i = 0; i < count; i++)
        selected += bench_is_selected(names, workloads[i].name);
    if (!is_usable || selected == 0) {
        fprintf(stderr, "usage: %s [NAME[,NAME]...] [REPETITIONS]\nworkloads:", argv[0]);
        for (int i = 0; i < count; i++)
            fprintf(stderr, " %s", workloads[i].name);
        fprintf(stderr, "\n");
        return 2;
    }
    struct bench_machine machine;
    bench_describe(&machine);
    printf("workload,unit,fastest,median,repetitions,commit,compiler,cpu\n");
    for (int i = 0; i < count; i++)
        if (bench_is_selected(names, workloads[i].name) &&
            bench_measure(&workloads[i], repetitions ? repetitions : workloads[i].repetitions,
                          &machine) != 0)
            result = 1;
    return result;
}

#endif

/* What it costs that creatures meet: contests of evolved creatures, each pair once with either
 * side, and creatures of one world that never meet. README.md has the workloads. */
#include "common/creature/creature.h"
#include "tests/bench/bench.h"
#include "tests/evaluate_together.h"

enum { FIELD_MAX = 4, CROWD = 100 };
/* From one to the next where none is to meet, m. */
#define APART_M           1000.0
#define CROWD_ARENA_BYTES ((size_t)CROWD << 21)

/* Creatures that contend, and the parameters of a file for it. */
struct field {
    const char *params_path;
    const char *paths[FIELD_MAX];
    struct sight_exchange see;
};

static struct arena arena;
static struct creature creatures[FIELD_MAX];
static int creature_count;
static struct params params;

static void forget(void)
{
    while (creature_count > 0)
        creature_deinit(&creatures[--creature_count]);
}

/* The cube is what they contend for. */
static int read_field(const void *context)
{
    const struct field *field = context;
    const char *const assignments[] = {"contest.goal=cube"};
    struct error error;
    int status = 0;
    while (!status && creature_count < FIELD_MAX && field->paths[creature_count]) {
        status = creature_read_exchanged(&creatures[creature_count], field->paths[creature_count],
                                         &field->see, "bench", &error);
        creature_count += !status;
    }
    if (!status)
        status = creature_choose_params(&creatures[0], field->params_path, assignments, 1, &params,
                                        &error);
    if (status) {
        fprintf(stderr, "%s\n", error.message);
        return -1;
    }
    contest_apply(&params);
    return 0;
}

/* ---------------------------------------------------------------- contests */

static double contest_s(int a, int b, double *us)
{
    const struct genome *genomes[2] = {&creatures[a].genome, &creatures[b].genome};
    struct contest_bout bout = contest_make_bout(genomes[0]->kind, &params, 1, 1);
    struct contest_result result;
    double from_us = bench_now_us(0);
    evaluate_contest(genomes, &params, &bout, &arena, NULL, NULL, &result);
    *us += bench_now_us(0) - from_us;
    return result.time_s;
}

/* Every pair, with either side. */
static int run_contests(const void *context)
{
    int done = 0;
    double us = 0;
    for (int a = 0; a < creature_count; a++)
        for (int b = 0; b < creature_count; b++)
            if (a != b) {
                contest_s(a, b, &us);
                done++;
            }
    return done;
}

/* `count` of the creatures, in turn from `first` on, in one world where none is near another one.
 * The time that it takes, us. */
static double time_apart(int first, int count, struct evaluation results[CROWD])
{
    struct evaluate_task tasks[CROWD];
    for (int i = 0; i < count; i++) {
        tasks[i] = (struct evaluate_task){.genome = &creatures[(first + i) % creature_count].genome,
                                          .seed = 1,
                                          .x_m = APART_M * i};
    }
    double from_us = bench_now_us(0);
    evaluate_together(tasks, count, &params, &arena, NULL, NULL, results);
    return bench_now_us(0) - from_us;
}

/* What a contest costs, as a share of the evaluations of both by themselves. Contests that end
 * early do not count, nor creatures that a guard stops. */
static double measure_contests(const void *context)
{
    struct evaluation results[CROWD];
    double alone_us[FIELD_MAX], contests_us = 0, evaluations_us = 0;
    for (int i = 0; i < creature_count; i++) {
        alone_us[i] = time_apart(i, 1, results);
        if (!verdict_is_scored(results[0].verdict))
            alone_us[i] = NAN;
    }
    for (int a = 0; a < creature_count; a++)
        for (int b = 0; b < creature_count; b++) {
            double us = 0;
            if (a == b || isnan(alone_us[a] + alone_us[b]) ||
                contest_s(a, b, &us) < params.simulation_duration_s - 1e-9)
                continue;
            contests_us += us;
            evaluations_us += alone_us[a] + alone_us[b];
        }
    return contests_us / evaluations_us;
}

/* ---------------------------------------------------------------- apart */

/* What two creatures that never meet cost in one world, as a share of two evaluations. */
static double measure_apart(const void *context)
{
    struct evaluation results[CROWD];
    double together_us = 0, alone_us = 0;
    for (int i = 0; i < creature_count; i++) {
        together_us += time_apart(i, 2, results);
        alone_us += 2 * time_apart(i, 1, results);
    }
    return together_us / alone_us;
}

/* The time that the creatures, as above, take for the scored time alone, us. */
static double time_scored(int first, int count)
{
    struct evaluation results[CROWD];
    double duration_s = params.simulation_duration_s, whole_us = time_apart(first, count, results);
    params.simulation_duration_s = 1 / params.simulation_brain_hz;
    double start_us = time_apart(first, count, results);
    params.simulation_duration_s = duration_s;
    return whole_us - start_us;
}

/* How many times faster than real time a crowd lives that never meets. */
static double measure_crowd(const void *context)
{
    return params.simulation_duration_s / (time_scored(0, CROWD) * 1e-6);
}

/* What a creature of the crowd costs, as a share of one by itself. */
static double measure_crowding(const void *context)
{
    double alone_us = 0;
    for (int i = 0; i < CROWD; i++)
        alone_us += time_scored(i, 1);
    return time_scored(0, CROWD) / alone_us;
}

/* Memory that each of a crowd takes, kB. */
static double measure_memory(const void *context)
{
    struct evaluation results[CROWD];
    time_apart(0, CROWD, results);
    return (double)results[0].arena_bytes / CROWD / 1000;
}

/* ---------------------------------------------------------------- the table */

#define CREATURE(name) "examples/creatures/" name ".creature"
#define BENCHED(name)  "tests/bench/creatures/" name ".creature"
#define SEE_CUBE                                                                                   \
    {                                                                                              \
        1,                                                                                         \
        {                                                                                          \
            SIGHT_LIGHT, SIGHT_OBJECT                                                              \
        }                                                                                          \
    }
#define FIELD(params, ...) .params_path = "examples/" params ".ini", .paths = {__VA_ARGS__}

/* Walkers of the plane on land, its seekers and swimmers in water, seekers of boxes on land. */
static const struct field walkers = {FIELD("sumo", BENCHED("walk-1"), BENCHED("walk-2"),
                                           BENCHED("walk-3"))},
                          seekers = {FIELD("tag", CREATURE("water-seeker-1"),
                                           CREATURE("water-seeker-2")),
                                     .see = SEE_CUBE},
                          boxes = {FIELD("cube3d", CREATURE("land-seeker-1"),
                                         CREATURE("land-seeker-2"), CREATURE("land-seeker-3")),
                                   .see = SEE_CUBE},
                          swimmers = {FIELD("swim", BENCHED("swim-1"), BENCHED("swim-2"),
                                            BENCHED("swim-3"))};

#define CONTESTS(field)                                                                              \
    {"contest_" #field, "us/contest", 9, 0, &field, read_field, run_contests, NULL, forget},         \
        {"ratio_" #field, "times two evaluations", 9, 0, &field, read_field, NULL, measure_contests, \
         forget},                                                                                    \
    {                                                                                                \
        "apart_" #field, "times two evaluations", 9, 0, &field, read_field, NULL, measure_apart,     \
            forget                                                                                   \
    }

static const struct bench_workload workloads[] = {
    CONTESTS(walkers),
    CONTESTS(seekers),
    CONTESTS(boxes),
    {"apart_swimmers", "times two evaluations", 9, 0, &swimmers, read_field, NULL, measure_apart,
     forget},
    {"crowd_100", "times real time", 3, 0, &swimmers, read_field, NULL, measure_crowd, forget},
    {"crowd_100_ratio", "times alone", 3, 0, &swimmers, read_field, NULL, measure_crowding, forget},
    {"crowd_100_memory", "kB/creature", 1, 0, &swimmers, read_field, NULL, measure_memory, forget},
};

int main(int argc, char **argv)
{
    if (arena_init(&arena, CROWD_ARENA_BYTES) != 0)
        return 1;
    int result = bench_main(argc, argv, workloads, (int)(sizeof workloads / sizeof workloads[0]));
    arena_deinit(&arena);
    return result;
}

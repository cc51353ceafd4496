/* What evolution costs beside the simulations: breeding a generation, and recording one in the run
 * store. The farm has a program of its own, bench_farm.c. What each workload is stands in
 * README.md. */
#include <unistd.h>

#include "common/math/rng.h"
#include "controller/store/store.h"
#include "tests/bench/bench.h"

enum { POPULATION = 300, GENERATIONS_BEFORE = 10 };

static struct params params;
static struct error error;
static struct search *search; /* its population is complete and ranked */
static struct individual newborn[POPULATION];

static int fail(const char *what)
{
    fprintf(stderr, "%s\n", what);
    return -1;
}

/* Made-up measures, different for each creature and with all bits of the mantissa in use. */
static void make_up_measures(uint64_t id, struct measures *measures)
{
    struct rng rng;
    rng_init(&rng, 1, RNG_TEST, 0, id);
    for (int i = 0; i < MEASURE_COUNT; i++)
        measures_set(measures, i, rng_uniform(&rng, 0, 10));
}

/* Gives everyone of the generation under way a result; the referee finds nothing. */
static void tell_all(void)
{
    const struct individual *individual;
    while ((individual = search_ask(search)) != NULL) {
        struct measures measures;
        uint64_t id = individual->id;
        make_up_measures(id, &measures);
        search_tell(search, id, VERDICT_OK, &measures, rng_mix_seed(1, id));
    }
    while ((individual = search_ask_referee(search)) != NULL) {
        struct measures measures = individual->measures;
        search_tell_referee(search, individual->id, VERDICT_OK, &measures);
    }
}

/* A population as after some generations, with genomes of the size that mutation gives them. */
static int make_population(const void *context)
{
    params_set_defaults(&params);
    params.population_size = POPULATION;
    params.evolution_generations = GENERATIONS_BEFORE + 1;
    search = search_create(&params, NULL);
    if (!search)
        return fail("out of memory");
    tell_all();
    while (!search_is_finished(search)) {
        if (search_advance(search) != 0)
            return fail("out of memory");
        tell_all();
    }
    return 0;
}

static void forget_population(void)
{
    search_destroy(search);
    search = NULL;
}

/* The children of one generation, always the same ones: selection, mating, mutation. */
static int run_breeding(const void *context)
{
    const struct population *ranked = search_population(search);
    int survivors = search_survivor_count(search), count = POPULATION - survivors;
    for (int i = 0; i < count; i++)
        newborn[i] = (struct individual){.id = search_next_id(search) + (uint64_t)i,
                                         .generation = GENERATIONS_BEFORE + 1};
    int status =
        search_sims.next(&params, GENERATIONS_BEFORE + 1, ranked, survivors, newborn, count);
    for (int i = 0; i < count; i++)
        individual_deinit(&newborn[i]);
    return status ? fail("out of memory") : count;
}

/* ---------------------------------------------------------------- the store */

static char directory[64];
static struct store *store;
static uint32_t generation; /* the next one to be written */
static struct individual members[2][POPULATION];

static int make_store(const void *context)
{
    char path[96];
    if (make_population(context) != 0)
        return -1;
    strcpy(directory, "/tmp/bestiary-bench-XXXXXX");
    if (!mkdtemp(directory))
        return fail("/tmp: cannot make a directory");
    snprintf(path, sizeof path, "%s/run.db", directory);
    generation = 0;
    return store_create(&store, path, &params, NULL, NULL, NULL, &error) == 0 ? 0
                                                                              : fail(error.message);
}

static void remove_store(void)
{
    static const char *const names[] = {"run.db", "run.db-wal", "run.db-shm", "run.db-journal",
                                        "lock"};
    store_close(store);
    store = NULL;
    for (size_t i = 0; directory[0] && i < sizeof names / sizeof names[0]; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/%s", directory, names[i]);
        unlink(path);
    }
    if (directory[0] && rmdir(directory) != 0)
        fprintf(stderr, "%s: left behind\n", directory);
    directory[0] = 0;
    forget_population();
}

/* The genomes of the population as creatures born in this generation, with or without results. */
static struct population dress(uint32_t number, int has_result)
{
    const struct population *ranked = search_population(search);
    struct individual *row = members[number % 2];
    for (int i = 0; i < POPULATION; i++) {
        row[i] = ranked->individuals[i];
        row[i].id = (uint64_t)number * POPULATION + (uint64_t)i + 1;
        row[i].generation = number;
        row[i].parents[0] = row[i].parents[1] = 0;
        row[i].has_result = has_result;
    }
    return (struct population){.individuals = row, .count = POPULATION};
}

/* One generation of nothing but newborn creatures: the one before is closed and this one opened,
 * then come the results, in one batch. */
static int run_store(const void *context)
{
    struct generation_closing closing = {0};
    int status = 0;
    if (generation > 0) {
        struct population last = dress(generation - 1, 1);
        status = generation_closing_init(&closing, &last, search_survivor_count(search));
    }
    struct population fresh = dress(generation, 0);
    if (!status)
        status = store_put_generation(store, generation, &fresh, generation > 0 ? &closing : NULL,
                                      &error);
    generation_closing_deinit(&closing);
    struct population judged = dress(generation, 1);
    for (int i = 0; !status && i < judged.count; i++) {
        struct store_cost cost = {.task = {1.5, 1.25, 4096}, .simulations = 1, .worker = 1};
        struct trial first = {.purpose = TRIAL_FIRST};
        status = store_put_cost(store, judged.individuals[i].id, &first, &cost, &error);
        if (!status)
            status = store_put_result(store, &judged.individuals[i], &error);
    }
    if (!status)
        status = store_commit(store, &error);
    generation++;
    return status ? fail(error.message) : POPULATION;
}

/* ---------------------------------------------------------------- the table */

static const struct bench_workload workloads[] = {
    {"breeding_only", "us/child", 25, 0, NULL, make_population, run_breeding, NULL,
     forget_population},
    {"store_only", "us/result", 25, 1, NULL, make_store, run_store, NULL, remove_store},
};

BENCH_MAIN(workloads)

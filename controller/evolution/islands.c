/* Islands. See islands.h. */
#include "controller/evolution/islands.h"

#include <stdlib.h>
#include <string.h>

#include "common/error.h"

int islands_check_params(const struct params *params, struct error *error)
{
    if (params->evolution_islands > 1 && search_is_interactive(params))
        return error_set(error, ERR_RANGE,
                         "evolution.islands is %lld, but somebody chooses by hand",
                         (long long)params->evolution_islands);
    return 0;
}

int islands_count(const struct params *params)
{
    int64_t most = params->evolution_generations / params->evolution_island_generations - 1;

    if (most > params->evolution_islands)
        most = params->evolution_islands;
    return most > 1 ? (int)most : 1;
}

int islands_find(const struct params *params, uint32_t generation)
{
    int64_t island = generation / params->evolution_island_generations;
    int count = islands_count(params);

    if (count == 1)
        return 0;
    return island < count ? (int)island : count;
}

int64_t islands_generations_left(const struct params *params, uint32_t generation)
{
    int64_t island = islands_find(params, generation), end = params->evolution_generations;
    int count = islands_count(params);

    if (count > 1 && island < count)
        end = (island + 1) * params->evolution_island_generations;
    return end > (int64_t)generation + 1 ? end - 1 - (int64_t)generation : 0;
}

int islands_is_start(const struct params *params, uint32_t generation)
{
    int island = islands_find(params, generation);

    return generation == 0 ||
           (island != islands_find(params, generation - 1) && island < islands_count(params));
}

int islands_is_end(const struct params *params, uint32_t generation)
{
    return islands_find(params, generation) != islands_find(params, generation + 1);
}

int islands_founders_max(const struct params *params)
{
    double survivors = params->population_survival * (double)params->population_size;
    int most = (int)(survivors / (double)params->evolution_islands_merged + 0.5);

    return most > 0 ? most : 1;
}

/* It is counted, and the archive does not hold it. The store keeps how the generation before held
 * it, so this is done again whenever a search is restored. */
static void put_to_rest(struct individual *individual)
{
    individual_leave_archive(individual);
    individual->is_resting = individual->is_counted = 1;
}

void islands_find_resting(struct search *search)
{
    const struct params *params = &search->params;
    int island = islands_find(params, search->generation);

    for (int i = 0; i < search->population.count; i++) {
        struct individual *individual = &search->population.individuals[i];

        individual->is_resting = 0;
        if (island < islands_count(params) && islands_find(params, individual->generation) < island)
            put_to_rest(individual);
    }
}

/* Removes those that are not kept; the others close up, in their order. */
static void keep(struct population *population, int (*is_kept)(const struct individual *individual))
{
    int kept = 0;

    for (int i = 0; i < population->count; i++) {
        struct individual *individual = &population->individuals[i];

        if (is_kept(individual))
            population->individuals[kept++] = *individual;
        else
            individual_deinit(individual);
    }
    population->count = kept;
    population->unjudged = 0;
}

static int is_resting(const struct individual *individual)
{
    return individual->is_resting;
}

/* The first individuals by rank rest, as many as may. Those of earlier islands go on resting. */
static void rest(struct search *search)
{
    int most = islands_founders_max(&search->params);

    for (int i = 0; i < search->population.count; i++) {
        struct individual *individual = &search->population.individuals[i];

        if (individual->is_resting || (i < most && individual->fitness > 0))
            put_to_rest(individual);
    }
}

/* The best fitness of each start, in `best`. */
static void find_best(const struct search *search, double *best)
{
    for (int i = 0; i < search->population.count; i++) {
        const struct individual *individual = &search->population.individuals[i];
        int island = islands_find(&search->params, individual->generation);

        if (individual->fitness > best[island])
            best[island] = individual->fitness;
    }
}

/* How many starts have done better, or as well and earlier. */
static int rank_start(const double *best, int count, int island)
{
    int rank = 0;

    for (int i = 0; i < count; i++)
        rank += best[i] > best[island] || (best[i] == best[island] && i < island);
    return rank;
}

static int is_awake(const struct individual *individual)
{
    return !individual->is_resting;
}

/* Those of the best starts are as any others; lagged methods count them anew. */
static void wake(struct search *search)
{
    const struct params *params = &search->params;
    double best[ISLANDS_MAX] = {0};

    find_best(search, best);
    for (int i = 0; i < search->population.count; i++) {
        struct individual *individual = &search->population.individuals[i];
        int island = islands_find(params, individual->generation);

        if (rank_start(best, islands_count(params), island) >= params->evolution_islands_merged)
            continue;
        individual->is_resting = individual->is_counted = 0;
    }
    keep(&search->population, is_awake);
}

void islands_leave(struct search *search)
{
    ENSURE(islands_is_end(&search->params, search->generation),
           "generation %u is not the last of an island", (unsigned)search->generation);
    rest(search);
    keep(&search->population, is_resting);
    if (islands_find(&search->params, search->generation + 1) == islands_count(&search->params))
        wake(search);
}

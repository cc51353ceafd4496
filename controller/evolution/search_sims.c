/* The search of Sims 1994: truncation, offspring in proportion to fitness.
 *
 * The fifth of the population with the highest positive fitness survives and breeds. Where fewer
 * have positive fitness than may survive, fresh random genomes take the places of the others. Each
 * child draws its method by the breeding.* weights, its parents with probability in proportion to
 * fitness (the second different from the first where there are two), and then its mutations. Every
 * child has streams of random numbers of its own, so no child depends on another's making. */
#include <stdlib.h>

#include "controller/evolution/breeding.h"

/* Number of fresh children: they take the places that survivors do not fill. */
static int count_fresh(const struct params *params, const struct population *ranked, int parents,
                       int children)
{
    int quota = (int)(params->population_survival * ranked->count + 0.5);
    int fresh = quota - parents;

    if (parents == 0 || fresh > children)
        return children;
    return fresh > 0 ? fresh : 0;
}

/* The survivors with positive fitness, and it as weights. 0 or ERR_MEMORY. */
static int list_parents(const struct population *ranked, int survivor_count,
                        struct breeding_parents *parents)
{
    size_t most = (size_t)survivor_count + 1;

    parents->count = 0;
    parents->individuals = calloc(most, sizeof(*parents->individuals));
    parents->weights = calloc(most, sizeof(*parents->weights));
    if (!parents->individuals || !parents->weights)
        return ERR_MEMORY;
    while (parents->count < survivor_count && ranked->individuals[parents->count].fitness > 0) {
        parents->individuals[parents->count] = &ranked->individuals[parents->count];
        parents->weights[parents->count] = ranked->individuals[parents->count].fitness;
        parents->count++;
    }
    return 0;
}

static int next(const struct params *params, uint32_t generation, const struct population *ranked,
                int survivor_count, struct individual *children, int count)
{
    struct breeding_parents parents;
    int status = list_parents(ranked, survivor_count, &parents);
    int bred = count - count_fresh(params, ranked, parents.count, count);
    int i;

    for (i = 0; !status && i < count; i++)
        status = i < bred ? breeding_make_child(params, ranked->census, &parents, &children[i])
                          : breeding_make_fresh(params, ranked->census, &ranked->individuals[0],
                                                &children[i]);
    free(parents.individuals);
    free(parents.weights);
    return status;
}

static int first(const struct params *params, struct individual *children, int count)
{
    return search_random.first(params, children, count);
}

const struct search_method search_sims = {
    .name = "sims",
    .help = "the best fifth survives, offspring in proportion to fitness (Sims 1994)",
    .first = first,
    .next = next,
    .has_parents = 1,
};

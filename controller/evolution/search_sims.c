/* The search of Sims 1994: truncation, offspring in proportion to fitness.
 *
 * The fifth of the population with the highest positive fitness survives and breeds. Where fewer
 * have positive fitness than may survive, fresh random genomes take the places of the others. Each
 * child draws its method by the breeding.* weights, its parents with probability in proportion to
 * fitness (the second different from the first where there are two; of two species, of its own),
 * and then its mutations. Every
 * child has streams of random numbers of its own, so no child depends on another's making. */
#include "controller/evolution/breeding.h"
#include "controller/evolution/contests.h"

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

/* The survivors of a species with positive fitness, and it as weights. 0 or ERR_MEMORY. */
static int list_parents(const struct params *params, const struct population *ranked,
                        int survivor_count, int species, struct breeding_parents *parents)
{
    int status = breeding_parents_init(parents, survivor_count);
    for (int i = 0; !status && i < survivor_count && ranked->individuals[i].fitness > 0; i++) {
        const struct individual *survivor = &ranked->individuals[i];
        if (contests_species(params, survivor->id) == species)
            breeding_parents_add(parents, survivor, survivor->fitness);
    }
    return status;
}

static int next(const struct params *params, uint32_t generation, const struct population *ranked,
                int survivor_count, struct individual *children, int count)
{
    struct breeding_parents parents[CONTESTS_SPECIES_MAX] = {{0}};
    int status = 0, parent_count = 0;
    for (int i = 0; i < contests_species_count(params) && !status; i++) {
        status = list_parents(params, ranked, survivor_count, i, &parents[i]);
        parent_count += parents[i].count;
    }
    int bred = count - count_fresh(params, ranked, parent_count, count);
    for (int i = 0; !status && i < count; i++) {
        const struct breeding_parents *own = &parents[contests_species(params, children[i].id)];
        status = i < bred && own->count > 0
                     ? breeding_make_child(params, ranked->census, own, &children[i])
                     : breeding_make_fresh(params, ranked->census, &ranked->individuals[0],
                                           &children[i]);
    }
    for (int i = 0; i < CONTESTS_SPECIES_MAX; i++)
        breeding_parents_deinit(&parents[i]);
    return status;
}

const struct search_method search_sims = {
    .name = "sims",
    .help = "the best fifth survives, offspring in proportion to fitness (Sims 1994)",
    .next = next,
    .has_parents = 1,
};

/* ---- the control ---- */

/* Random search, the control: every child is a fresh random genome, or where bodies do not mutate a
 * new brain in the body of a survivor, each in turn. Survivors are kept, as in the other methods,
 * so that a run shows its best so far and costs as many evaluations. */
static int next_random(const struct params *params, uint32_t generation,
                       const struct population *ranked, int survivor_count,
                       struct individual *children, int count)
{
    int bodies = survivor_count > 0 ? survivor_count : 1, status = 0;
    for (int i = 0; !status && i < count; i++)
        status = breeding_make_fresh(params, ranked->census, &ranked->individuals[i % bodies],
                                     &children[i]);
    return status;
}

const struct search_method search_random = {
    .name = "random",
    .help = "fresh random creatures in every generation; the control",
    .next = next_random,
};

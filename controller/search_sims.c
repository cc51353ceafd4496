/* The search of Sims 1994: truncation, offspring in proportion to fitness.
 *
 * The fifth of the population with the highest positive fitness survives and breeds. Where fewer have
 * positive fitness than may survive, fresh random genomes take the places of the others. Each child
 * draws its method by the breeding.* weights, its parents with probability in proportion to fitness
 * (the second different from the first where there are two), and then its mutations. Every child has
 * streams of random numbers of its own, so no child depends on another's making. */
#include <stdlib.h>

#include "controller/genetics.h"
#include "controller/search.h"

static int make_random(const struct params *params, struct individual *child)
{
    return search_random.first(params, child, 1);
}

static void init_stream(struct rng *rng, const struct params *params, enum rng_purpose purpose,
                        const struct individual *child)
{
    rng_init(rng, (uint64_t)params->run_seed, purpose, child->generation, child->id);
}

static int draw_method(const struct params *params, struct rng *rng)
{
    double weights[METHOD_COUNT] = {[METHOD_ASEXUAL] = params->breeding_asexual,
                                    [METHOD_CROSSOVER] = params->breeding_crossover,
                                    [METHOD_GRAFT] = params->breeding_graft};
    int method = rng_pick(rng, weights, METHOD_COUNT);

    return method < 0 ? METHOD_ASEXUAL : method;
}

/* Who breeds: the survivors and their fitness as weights. */
struct parents {
    const struct individual *individuals;
    double *weights;
    int count;
};

static int draw_other(const struct parents *parents, int first, struct rng *rng)
{
    double weight = parents->weights[first];
    int second;

    parents->weights[first] = 0;
    second = rng_pick(rng, parents->weights, parents->count);
    parents->weights[first] = weight;
    return second < 0 ? first : second;
}

static int mate(const struct params *params, struct individual *child, const struct individual *a,
                const struct individual *b, struct gene_counter *ids)
{
    struct rng rng;

    init_stream(&rng, params, RNG_BREEDING, child);
    if (child->method == METHOD_CROSSOVER)
        return genetics_crossover(&child->genome, &a->genome, &b->genome, params, &rng, ids);
    return genetics_graft(&child->genome, &a->genome, &b->genome, params, &rng, ids);
}

static int mutate(const struct params *params, struct individual *child, int is_mated,
                  struct gene_counter *ids)
{
    struct rng rng;
    int count;

    init_stream(&rng, params, RNG_MUTATION, child);
    count = genetics_mutation_count(params, is_mated, &rng);
    if (count == 0)
        return 0;
    return genetics_mutate(&child->genome, count, params, &rng, ids, child->mutations,
                           sizeof(child->mutations));
}

static int breed(const struct params *params, const struct parents *parents,
                 struct individual *child)
{
    struct gene_counter ids = {.creature = child->id};
    const struct individual *a, *b;
    struct rng rng;
    int first, status;

    init_stream(&rng, params, RNG_SELECTION, child);
    child->method = draw_method(params, &rng);
    first = rng_pick(&rng, parents->weights, parents->count);
    a = &parents->individuals[first];
    child->parents[0] = a->id;
    if (child->method == METHOD_ASEXUAL) {
        status = genome_copy(&child->genome, &a->genome);
    } else {
        b = &parents->individuals[draw_other(parents, first, &rng)];
        child->parents[1] = b->id;
        status = mate(params, child, a, b, &ids);
    }
    return status ? status : mutate(params, child, child->method != METHOD_ASEXUAL, &ids);
}

/* How many of the children are fresh: the places of survivors that were not good enough. */
static int count_fresh(const struct params *params, const struct population *ranked, int parents,
                       int children)
{
    int quota = (int)(params->population_survival * ranked->count + 0.5);
    int fresh = quota - parents;

    if (parents == 0 || fresh > children)
        return children;
    return fresh > 0 ? fresh : 0;
}

static int next(const struct params *params, uint32_t generation, const struct population *ranked,
                int survivor_count, struct individual *children, int count)
{
    struct parents parents = {.individuals = ranked->individuals};
    int i, bred, status = 0;

    parents.weights = calloc((size_t)survivor_count + 1, sizeof(*parents.weights));
    if (!parents.weights)
        return ERR_MEMORY;
    while (parents.count < survivor_count && ranked->individuals[parents.count].fitness > 0) {
        parents.weights[parents.count] = ranked->individuals[parents.count].fitness;
        parents.count++;
    }
    bred = count - count_fresh(params, ranked, parents.count, count);
    for (i = 0; !status && i < count; i++)
        status =
            i < bred ? breed(params, &parents, &children[i]) : make_random(params, &children[i]);
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
};

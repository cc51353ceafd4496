/* The making of one child, for all search methods. See breeding.h. */
#include "controller/evolution/breeding.h"

#include "controller/genetics/genetics.h"

void breeding_init_stream(struct rng *rng, const struct params *params, enum rng_purpose purpose,
                          const struct individual *child)
{
    rng_init(rng, (uint64_t)params->run_seed, purpose, child->generation, child->id);
}

int breeding_make_random(const struct params *params, struct individual *child)
{
    struct gene_counter ids = {.creature = child->id};
    struct rng rng;

    breeding_init_stream(&rng, params, RNG_RANDOM_GENOME, child);
    child->method = METHOD_RANDOM;
    return genetics_random(&child->genome, params, &rng, &ids);
}

int breeding_make_fresh(const struct params *params, const struct individual *body,
                        struct individual *child)
{
    struct gene_counter ids = {.creature = child->id};
    struct rng rng;
    int status;

    if (params->mutation_body || !body)
        return breeding_make_random(params, child);
    status = genome_copy(&child->genome, &body->genome);
    if (status)
        return status;
    breeding_init_stream(&rng, params, RNG_RANDOM_GENOME, child);
    child->method = METHOD_ASEXUAL;
    child->parents[0] = body->id;
    return genetics_random_brain(&child->genome, params, &rng, &ids);
}

static const int methods[BREEDING_GENE_COUNT] = {[BREEDING_ASEXUAL] = METHOD_ASEXUAL,
                                                 [BREEDING_CROSSOVER] = METHOD_CROSSOVER,
                                                 [BREEDING_GRAFT] = METHOD_GRAFT};

static int draw_other(const struct breeding_parents *parents, int first, struct rng *rng)
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

    breeding_init_stream(&rng, params, RNG_BREEDING, child);
    if (child->method == METHOD_CROSSOVER)
        return genetics_crossover(&child->genome, &a->genome, &b->genome, params, &rng, ids);
    return genetics_graft(&child->genome, &a->genome, &b->genome, params, &rng, ids);
}

static int mutate(const struct params *params, struct individual *child, int is_mated,
                  struct gene_counter *ids)
{
    struct rng rng;
    int count;

    breeding_init_stream(&rng, params, RNG_MUTATION, child);
    count = genetics_mutation_count(params, is_mated, &rng);
    if (count == 0)
        return 0;
    return genetics_mutate(&child->genome, count, params, &rng, ids, child->mutations,
                           sizeof(child->mutations));
}

int breeding_make_child(const struct params *params, const struct breeding_parents *parents,
                        struct individual *child)
{
    struct gene_counter ids = {.creature = child->id};
    const struct individual *a, *b;
    int is_inherited = params->breeding_choice == CHOICE_INHERITED;
    struct rng rng;
    int first, breeding, status;

    breeding_init_stream(&rng, params, RNG_SELECTION, child);
    breeding = genetics_draw_breeding(params, &rng);
    first = rng_pick(&rng, parents->weights, parents->count);
    a = parents->individuals[first];
    if (is_inherited && a->genome.breeding)
        breeding = a->genome.breeding;
    child->method = methods[breeding];
    child->parents[0] = a->id;
    if (child->method == METHOD_ASEXUAL) {
        status = genome_copy(&child->genome, &a->genome);
    } else {
        b = parents->individuals[draw_other(parents, first, &rng)];
        child->parents[1] = b->id;
        status = mate(params, child, a, b, &ids);
    }
    if (status)
        return status;
    if (is_inherited && !child->genome.breeding)
        child->genome.breeding = (uint8_t)breeding;
    return mutate(params, child, child->method != METHOD_ASEXUAL, &ids);
}

/* Random search, the control: every child is a fresh random genome. Survivors are kept, as in the
 * other methods, so that a run shows its best so far and costs as many evaluations. */
#include "controller/genetics.h"
#include "controller/search.h"

static int make_random(const struct params *params, struct individual *child)
{
    struct gene_counter ids = {.creature = child->id};
    struct rng rng;

    rng_init(&rng, (uint64_t)params->run_seed, RNG_RANDOM_GENOME, child->generation, child->id);
    child->method = METHOD_RANDOM;
    return genetics_random(&child->genome, params, &rng, &ids);
}

static int first(const struct params *params, struct individual *children, int count)
{
    int i, status = 0;

    for (i = 0; !status && i < count; i++)
        status = make_random(params, &children[i]);
    return status;
}

static int next(const struct params *params, uint32_t generation, const struct population *ranked,
                int survivor_count, struct individual *children, int count)
{
    return first(params, children, count);
}

const struct search_method search_random = {
    .name = "random",
    .help = "fresh random creatures in every generation; the control",
    .first = first,
    .next = next,
};

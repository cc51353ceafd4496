/* See contests.h. A search is told dice instead of results. */
#include "controller/evolution/contests.h"

#include "common/math/hash.h"
#include "common/math/rng.h"
#include "controller/evolution/search_private.h"

/* Scores are drawn from this stream of RNG_CONTEST; leagues have stream 1. */
enum { STREAM_DRIFT = 2 };

/* The scores of a generation that is asked for. */
static void throw_dice(struct search *search, uint64_t seed)
{
    const struct individual *individual;
    struct rng rng;
    while ((individual = search_ask(search)) != NULL) {
        struct measures measures = {.contests = 1};
        uint64_t name = hash_u64(hash_u64(HASH_START, search_generation(search)), individual->id);
        rng_init(&rng, seed, RNG_CONTEST, STREAM_DRIFT, name);
        measures.contest_margin = rng_uniform(&rng, -1, 1);
        search_tell(search, individual->id, VERDICT_OK, &measures, 0);
    }
}

int drift_breed(const struct params *params, struct population *first, uint32_t last,
                int (*take)(void *context, uint32_t generation, const struct population *ranked),
                void *context)
{
    struct params own = *params;
    int status = 0;
    own.run_seed = (int64_t)(rng_mix_seed((uint64_t)params->run_seed, STREAM_DRIFT) >> 1);
    for (int i = 0; i < first->count; i++)
        first->individuals[i].has_result = 0;
    struct search *search = search_restore(&own, 0, first, DRIFT_FIRST_ID);
    if (!search)
        return ERR_MEMORY;
    while (!status) {
        throw_dice(search, (uint64_t)own.run_seed);
        ENSURE(search_is_complete(search), "generation %u lacks dice", search_generation(search));
        status = take(context, search_generation(search), search_population(search));
        if (search_generation(search) == last)
            break;
        if (!status)
            status = search_advance(search);
    }
    search_destroy(search);
    return status;
}

/* Gene ids and numbers of mutations. The making of genomes is in genetics_random.c,
 * genetics_mutate.c and genetics_mate.c; genetics_wiring.c serves all three. */
#include "common/genetics/genetics.h"

#include <inttypes.h>
#include <math.h>

/* More would only randomise the genome, and would use up a creature's gene ids. */
enum { MUTATIONS_MAX = 64, GENES_PER_CREATURE = 1 << 10 };

void genetics_check(const struct genome *genome)
{
    struct error error = {.code = 0};

    ENSURE(genome_check(genome, &error) == 0, "a genome that was made: %s", error.message);
}

gene_id gene_counter_next(struct gene_counter *counter)
{
    counter->count++;
    ENSURE(counter->count < GENES_PER_CREATURE, "gene ids of creature %" PRIu64 " are used up",
           counter->creature);
    return counter->creature << 10 | counter->count;
}

int genetics_draw_breeding(const struct params *params, struct rng *rng)
{
    double weights[BREEDING_GENE_COUNT] = {[BREEDING_ASEXUAL] = params->breeding_asexual,
                                           [BREEDING_CROSSOVER] = params->breeding_crossover,
                                           [BREEDING_GRAFT] = params->breeding_graft};
    int gene = rng_pick(rng, weights, BREEDING_GENE_COUNT);

    return gene < 0 ? BREEDING_ASEXUAL : gene;
}

int genetics_mutation_count(const struct params *params, int is_mated, struct rng *rng)
{
    double scale = is_mated ? params->mutation_mated_scale : 1;
    double mutated = scale * (1 - params->mutation_none);
    double one = fmin(scale * params->mutation_one, mutated);
    double draw = rng_unit(rng);
    int count;

    if (draw >= mutated)
        return 0;
    if (draw < one)
        return 1;
    count = 2;
    while (count < MUTATIONS_MAX && rng_chance(rng, params->mutation_more_continue))
        count++;
    return count;
}

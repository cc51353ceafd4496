/* Gene ids and numbers of mutations. The making of genomes is in genetics_random.c,
 * genetics_mutate.c and genetics_mate.c; genetics_wiring.c serves all three. */
#include "common/genetics/genetics.h"
#include "common/math/detmath.h"

#include <inttypes.h>

/* More would only randomise the genome, and would use up a creature's gene ids. */
enum { MUTATIONS_MAX = 64, GENE_BITS = 10, GENES_PER_CREATURE = 1 << GENE_BITS };
/* Numbers of creatures in gene ids, which are at most INT64_MAX; and how far from one another those
 * are that stand for the same creature. */
#define NUMBERS_MASK  ((UINT64_C(1) << 53) - 1)
#define NUMBERS_APART (UINT64_C(1) << 43)
_Static_assert(2 * (GENOME_BODIES_MAX + GENOME_CONNECTIONS_MAX + GENOME_NEURONS_MAX) < 1 << 10,
               "one of 2^10 numbers is free of the genes of two genomes");

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
    return counter->creature << GENE_BITS | counter->count;
}

int genetics_has_genes_of(const struct genome *genome, uint64_t creature)
{
    for (int table = 0; table < GENOME_TABLE_COUNT; table++)
        for (int i = 0; i < genome->counts[table]; i++)
            if (genome_row_id(genome, table, i) >> GENE_BITS == creature)
                return 1;
    return 0;
}

void gene_counter_avoid(struct gene_counter *counter, const struct genome *a,
                        const struct genome *b)
{
    while (counter->count == 0 && (genetics_has_genes_of(a, counter->creature) ||
                                   (b && genetics_has_genes_of(b, counter->creature))))
        counter->creature = (counter->creature + NUMBERS_APART) & NUMBERS_MASK;
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
    double one = det_min(scale * params->mutation_one, mutated);
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

/* Random genomes by their numbers. */
#ifndef TESTS_RANDOM_GENOME_H
#define TESTS_RANDOM_GENOME_H

#include <check.h>

#include "common/genetics/genetics.h"

/* Initializes the genome: number `id` of a seed. `stream` is one of rng.h. */
static inline void random_genome(struct genome *genome, const struct params *by, int stream,
                                 uint64_t seed, uint64_t id)
{
    struct gene_counter ids = {.creature = id};
    struct rng rng;
    rng_init(&rng, seed, stream, 0, id);
    ck_assert_int_eq(genetics_random(genome, by, &rng, &ids), 0);
}

#endif

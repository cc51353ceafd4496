/* The real numbers of a genome, as places that a search may change all at once
 * (controller/evolution/polish.h). Numbers that no mutation changes are not among them, nor, where
 * bodies do not mutate (mutation.body), those of the body. */
#ifndef COMMON_GENETICS_GENETICS_NUMBERS_H
#define COMMON_GENETICS_GENETICS_NUMBERS_H

#include "common/genome/genome.h"
#include "common/math/rng.h"
#include "common/params/params.h"

struct genetics_number {
    double *at;       /* in the genome */
    double low, high; /* what it may be */
    double least;     /* the scale of changes near 0 */
    int is_brain;
    int is_turn; /* a phase in [0, 1): beyond its ends it goes on at the other one */
};

/* Lists them, always in the same order; `numbers` is an array to free(). 0 or ERR_MEMORY. */
int genetics_list_numbers(struct genome *genome, const struct params *params,
                          struct genetics_number **numbers, int *count);

/* Changes each number of the brain, or each of all, with some probability (two of them on average,
 * or 15 %, whichever is more) by `step` times its size times a random number of variance 1. A
 * change that genome_check() would refuse is not made. 0 or ERR_MEMORY. */
int genetics_change_numbers(struct genome *genome, const struct params *params, int is_brain,
                            double step, struct rng *rng);

/* How many numbers of brain and body differ in two genomes that differ in nothing else. 0 or
 * ERR_MEMORY. */
int genetics_count_changed(struct genome *a, struct genome *b, const struct params *params,
                           int *brain, int *body);

#endif

/* Counter-based random numbers: Philox4x32-10 (Salmon, Moraes, Dror, Shaw 2011).
 *
 * A stream is named by (run seed, purpose, generation, individual): the key is made of seed and
 * purpose, the counter of generation, individual and draw. Streams never share state, so the order
 * in which creatures are bred, and on how many workers, cannot matter. */
#ifndef COMMON_MATH_RNG_H
#define COMMON_MATH_RNG_H

#include <stdint.h>

/* The purpose of a stream; numbers are never reused, since runs must repeat. */
enum rng_purpose {
    RNG_RANDOM_GENOME = 1,
    RNG_SELECTION = 2,
    RNG_BREEDING = 3,
    RNG_MUTATION = 4,
    RNG_EVALUATION = 5,
    RNG_TEST = 6,
    RNG_LIGHT = 7,
    RNG_PERTURBATION = 8,
    RNG_RELIEF = 9,
    RNG_CONTEST = 10,
    RNG_PRESERVE = 11,
    RNG_POLISH = 12,
};
/* Purposes are smaller than 2 to this; the bits above tell streams of one purpose apart. */
#define RNG_PURPOSE_BITS 8

struct rng {
    uint32_t key[2];     /* low and high half of rng_mix_seed(run_seed, purpose) */
    uint32_t counter[4]; /* draw, individual low, individual high, generation */
    uint32_t block[4];
    int used; /* numbers of block already given out; 4 = make the next block */
};

void rng_init(struct rng *rng, uint64_t run_seed, uint32_t purpose, uint32_t generation,
              uint64_t individual);

/* The raw block function, for known-answer tests. */
void rng_philox4x32_10(const uint32_t key[2], const uint32_t counter[4], uint32_t out[4]);

/* The next number of SplitMix64 (Steele, Lea, Flood 2014); any state will do. */
uint64_t rng_splitmix64(uint64_t *state);

/* A well-mixed 64-bit seed made of a run's seed and a creature's id: SplitMix64 started at the sum
 * of id and the first number of SplitMix64 started at run_seed. One-to-one in each argument
 * alone. */
uint64_t rng_mix_seed(uint64_t run_seed, uint64_t id);

uint32_t rng_u32(struct rng *rng);
uint64_t rng_u64(struct rng *rng);
double rng_unit(struct rng *rng);                                /* uniform in [0, 1), 53 bits */
double rng_uniform(struct rng *rng, double low, double high);    /* in [low, high); low if equal */
uint32_t rng_below(struct rng *rng, uint32_t bound);             /* unbiased, bound > 0 */
int rng_chance(struct rng *rng, double probability);             /* 1 with that probability */
int rng_pick(struct rng *rng, const double *weights, int count); /* index by weight; -1: all zero */

#endif

/* Philox4x32-10 and what is drawn from it.
 *
 * The key of a stream is rng_mix_seed(run_seed, purpose): for one purpose different run seeds have
 * different keys, and for one run seed so have different purposes. The counter is {draw, individual
 * low, individual high, generation}; a block of four numbers costs about 20 ns, breeding a creature
 * takes some hundred numbers. The generator is checked against the published known answers; the
 * distributions use a fixed count of numbers where they can (rng_unit: 2), so that streams are easy
 * to reason about. */
#include "common/math/rng.h"

#include "common/error.h"

#define PHILOX_M0     UINT32_C(0xd2511f53)
#define PHILOX_M1     UINT32_C(0xcd9e8d57)
#define PHILOX_W0     UINT32_C(0x9e3779b9) /* golden ratio */
#define PHILOX_W1     UINT32_C(0xbb67ae85) /* sqrt(3) - 1 */
#define PHILOX_ROUNDS 10

void rng_philox4x32_10(const uint32_t key[2], const uint32_t counter[4], uint32_t out[4])
{
    uint32_t k0 = key[0], k1 = key[1];
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    for (int round = 0; round < PHILOX_ROUNDS; round++) {
        uint64_t product0 = (uint64_t)PHILOX_M0 * c0;
        uint64_t product1 = (uint64_t)PHILOX_M1 * c2;
        c0 = (uint32_t)(product1 >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)product1;
        c2 = (uint32_t)(product0 >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)product0;
        k0 += PHILOX_W0;
        k1 += PHILOX_W1;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

uint64_t rng_splitmix64(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

uint64_t rng_mix_seed(uint64_t run_seed, uint64_t id)
{
    uint64_t state = run_seed;
    state = rng_splitmix64(&state) + id;
    return rng_splitmix64(&state);
}

void rng_init(struct rng *rng, uint64_t run_seed, uint32_t purpose, uint32_t generation,
              uint64_t individual)
{
    uint64_t key = rng_mix_seed(run_seed, purpose);
    *rng = (struct rng){
        .key = {(uint32_t)key, (uint32_t)(key >> 32)},
        .counter = {0, (uint32_t)individual, (uint32_t)(individual >> 32), generation},
        .used = 4,
    };
}

uint32_t rng_u32(struct rng *rng)
{
    if (rng->used == 4) {
        rng_philox4x32_10(rng->key, rng->counter, rng->block);
        rng->counter[0]++;
        ENSURE(rng->counter[0], "a random stream was used up");
        rng->used = 0;
    }
    return rng->block[rng->used++];
}

/* The first number drawn is the upper half. */
uint64_t rng_u64(struct rng *rng)
{
    uint64_t high = rng_u32(rng);
    return high << 32 | rng_u32(rng);
}

double rng_unit(struct rng *rng)
{
    return (double)(rng_u64(rng) >> 11) * 0x1p-53;
}

double rng_uniform(struct rng *rng, double low, double high)
{
    double value = low + (high - low) * rng_unit(rng);
    /* Rounding may reach the upper end. */
    return value < high ? value : low;
}

/* Lemire 2019, "Fast random integer generation in an interval": the product's upper half is uniform
 * once the first (2^32 mod bound) values of its lower half are rejected. */
uint32_t rng_below(struct rng *rng, uint32_t bound)
{
    ENSURE(bound > 0, "rng_below(0)");
    uint32_t rejected = (0u - bound) % bound;
    uint64_t product;
    do {
        product = (uint64_t)rng_u32(rng) * bound;
    } while ((uint32_t)product < rejected);
    return (uint32_t)(product >> 32);
}

int rng_chance(struct rng *rng, double probability)
{
    return rng_unit(rng) < probability;
}

/* Weights that are negative or not a number count as zero. */
static double usable(double weight)
{
    return weight > 0.0 ? weight : 0.0;
}

int rng_pick(struct rng *rng, const double *weights, int count)
{
    ENSURE(count >= 0 && (count == 0 || weights), "%d weights", count);
    double total = 0.0;
    int last = -1;
    for (int i = 0; i < count; i++) {
        total += usable(weights[i]);
        if (usable(weights[i]) > 0.0)
            last = i;
    }
    if (last < 0)
        return -1;

    /* Where rounding leaves a rest, it belongs to the last index that has a weight. */
    double rest = rng_unit(rng) * total;
    for (int i = 0; i < last; i++) {
        if (rest < usable(weights[i]))
            return i;
        rest -= usable(weights[i]);
    }
    return last;
}

/* common/math/rng: published known answers, independence of streams, and the distributions.
 * checks: forked */
#include "common/math/rng.h"
#include "tests/suite.h"

#include <signal.h>

/* ck_assert() reports each check that holds to the runner: too slow for millions of them. */
#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition))                                                                          \
            ck_abort_msg("does not hold: %s", #condition);                                         \
    } while (0)

/* From Random123's kat_vectors. */
TEST(philox_known_answers)
{
    static const struct {
        uint32_t counter[4], key[2], out[4];
    } known[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        uint32_t out[4];
        rng_philox4x32_10(known[i].key, known[i].counter, out);
        ck_assert_mem_eq(out, known[i].out, sizeof out);
    }
}

TEST(splitmix_known_answers)
{
    static const uint64_t known[] = {UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
                                     UINT64_C(9817491932198370423), UINT64_C(4593380528125082431),
                                     UINT64_C(16408922859458223821)};
    uint64_t state = 1234567;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        ck_assert_uint_eq(rng_splitmix64(&state), known[i]);
}

/* Key and counter are what the header says, so that a run can be recomputed elsewhere. */
TEST(a_stream_is_made_of_its_names)
{
    struct rng rng;
    rng_init(&rng, 42, RNG_MUTATION, 7, UINT64_C(0x1122334455667788));
    uint64_t state = 42;
    state = rng_splitmix64(&state) + RNG_MUTATION;
    uint64_t mixed = rng_splitmix64(&state);
    ck_assert_uint_eq(mixed, rng_mix_seed(42, RNG_MUTATION));
    const uint32_t key[2] = {(uint32_t)mixed, (uint32_t)(mixed >> 32)};
    for (uint32_t draw = 0; draw < 3; draw++) {
        const uint32_t counter[4] = {draw, 0x55667788, 0x11223344, 7};
        uint32_t out[4];
        rng_philox4x32_10(key, counter, out);
        for (int i = 0; i < 4; i++)
            ck_assert_uint_eq(rng_u32(&rng), out[i]);
    }
}

static int compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Neighbouring seeds, purposes, generations and individuals all have streams of their own. */
TEST(streams_differ)
{
    enum { SIDE = 6, COUNT = SIDE * SIDE * SIDE * SIDE };
    static uint64_t first[COUNT];
    int count = 0;
    for (uint64_t seed = 0; seed < SIDE; seed++)
        for (uint32_t purpose = 1; purpose <= SIDE; purpose++)
            for (uint32_t generation = 0; generation < SIDE; generation++)
                for (uint64_t individual = 0; individual < SIDE; individual++) {
                    struct rng rng;
                    rng_init(&rng, seed, purpose, generation, individual << 31);
                    first[count++] = rng_u64(&rng);
                }
    qsort(first, COUNT, sizeof first[0], compare_u64);
    for (int i = 1; i < COUNT; i++)
        ck_assert_uint_ne(first[i], first[i - 1]);
}

TEST(mixed_seeds_differ)
{
    enum { COUNT = 10000 };
    static uint64_t seeds[COUNT];
    for (int i = 0; i < COUNT; i++)
        seeds[i] = rng_mix_seed((uint64_t)(i / 100), (uint64_t)(i % 100));
    qsort(seeds, COUNT, sizeof seeds[0], compare_u64);
    for (int i = 1; i < COUNT; i++)
        REQUIRE(seeds[i] != seeds[i - 1]);
}

TEST_SIGNAL(a_used_up_stream_is_a_bug, SIGABRT)
{
    struct rng rng = test_rng(1, 0, 0);
    rng.counter[0] = UINT32_MAX;
    rng_u32(&rng);
}

TEST(unit_is_uniform_in_its_range)
{
    struct rng rng = test_rng(1, 0, 1);
    enum { N = 200000, BINS = 20 };
    int counts[BINS] = {0};
    double sum = 0.0;
    for (int i = 0; i < N; i++) {
        double unit = rng_unit(&rng);
        REQUIRE(unit >= 0.0 && unit < 1.0);
        REQUIRE(unit * 0x1p53 == floor(unit * 0x1p53));
        counts[(int)(unit * BINS)]++;
        sum += unit;
    }
    ck_assert_double_eq_tol(sum / N, 0.5, 0.003);
    for (int i = 0; i < BINS; i++)
        ck_assert_int_lt(abs(counts[i] - N / BINS), 500);
}

TEST(uniform_stays_below_its_upper_end)
{
    struct rng rng = test_rng(1, 0, 2);
    const double next = 1.0 + 0x1p-52;
    for (int i = 0; i < 10000; i++) {
        double wide = rng_uniform(&rng, -3.0, 5.0);
        REQUIRE(wide >= -3.0 && wide < 5.0);
        REQUIRE(rng_uniform(&rng, 1.0, next) == 1.0);
        REQUIRE(rng_uniform(&rng, 2.0, 2.0) == 2.0);
    }
}

/* Bounds that do not divide 2^32, up to the largest, hit every residue equally often. */
TEST(below_is_unbiased)
{
    struct rng rng = test_rng(1, 0, 3);
    enum { N = 70000 };
    int counts[7] = {0};
    for (int i = 0; i < N; i++)
        counts[rng_below(&rng, 7)]++;
    for (int i = 0; i < 7; i++)
        ck_assert_int_lt(abs(counts[i] - N / 7), 500);

    /* At 3 2^30 a plain product gives residues 0 modulo 3 half of all draws. */
    int thirds[3] = {0};
    for (int i = 0; i < N; i++) {
        uint32_t value = rng_below(&rng, UINT32_C(3) << 30);
        REQUIRE(value < UINT32_C(3) << 30);
        thirds[value % 3]++;
    }
    for (int i = 0; i < 3; i++)
        ck_assert_int_lt(abs(thirds[i] - N / 3), 700);
    for (int i = 0; i < 1000; i++) {
        ck_assert_uint_eq(rng_below(&rng, 1), 0);
        ck_assert_uint_lt(rng_below(&rng, UINT32_MAX), UINT32_MAX);
    }
}

TEST_SIGNAL(below_zero_is_a_bug, SIGABRT)
{
    struct rng rng = test_rng(1, 0, 0);
    rng_below(&rng, 0);
}

TEST(chance_has_its_probability)
{
    struct rng rng = test_rng(1, 0, 4);
    enum { N = 100000 };
    int hits = 0;
    for (int i = 0; i < N; i++) {
        hits += rng_chance(&rng, 0.3);
        REQUIRE(rng_chance(&rng, 0.0) == 0);
        REQUIRE(rng_chance(&rng, 1.0) == 1);
        REQUIRE(rng_chance(&rng, -1.0) == 0);
    }
    ck_assert_double_eq_tol(hits / (double)N, 0.3, 0.007);
}

TEST(pick_follows_the_weights)
{
    struct rng rng = test_rng(1, 0, 6);
    enum { N = 80000 };
    const double weights[6] = {0.0, 1.0, -5.0, 2.0, NAN, 5.0};
    int counts[6] = {0};
    for (int i = 0; i < N; i++)
        counts[rng_pick(&rng, weights, 6)]++;
    ck_assert_int_eq(counts[0] + counts[2] + counts[4], 0);
    ck_assert_int_lt(abs(counts[1] - N / 8), 600);
    ck_assert_int_lt(abs(counts[3] - N / 4), 700);
    ck_assert_int_lt(abs(counts[5] - N * 5 / 8), 800);
}

TEST(pick_of_nothing_and_of_extremes)
{
    struct rng rng = test_rng(1, 0, 7);
    const double none[3] = {0.0, -1.0, NAN}, single[3] = {0.0, 1e-320, 0.0};
    const double huge[3] = {1e308, 1e308, 1e308}, infinite[2] = {INFINITY, 1.0};
    ck_assert_int_eq(rng_pick(&rng, none, 3), -1);
    ck_assert_int_eq(rng_pick(&rng, none, 0), -1);
    for (int i = 0; i < 1000; i++) {
        ck_assert_int_eq(rng_pick(&rng, single, 3), 1);
        int index = rng_pick(&rng, huge, 3);
        ck_assert(index >= 0 && index < 3);
        index = rng_pick(&rng, infinite, 2);
        ck_assert(index >= 0 && index < 2);
    }
}

/* All distributions together, as they stand: stored runs can be resumed only while this holds. */
TEST(draws_are_fixed)
{
    struct rng rng;
    rng_init(&rng, 20260131, RNG_BREEDING, 12, 345);
    ck_assert_uint_eq(rng_u32(&rng), 0xa81f3800);
    ck_assert_uint_eq(rng_u64(&rng), UINT64_C(0xb92229b2c3d0ddcb));
    ck_assert_double_eq(rng_unit(&rng), 0x1.825d803d0b9bcp-1);
    ck_assert_double_eq(rng_uniform(&rng, -2.0, 3.0), 0x1.e87d12a658d76p+0);
    ck_assert_uint_eq(rng_below(&rng, 1000), 906);
}

SUITE("rng", 0, NULL, NULL)

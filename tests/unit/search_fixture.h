/* What the tests of search do again and again: one search with its population, individuals that are
 * found, walked through and copied. */
#ifndef TESTS_UNIT_SEARCH_FIXTURE_H
#define TESTS_UNIT_SEARCH_FIXTURE_H

#include "controller/evolution/search.h"
#include "tests/plain_fixture.h"

OWNER(search, search_destroy)

/* The search under test, and its individuals: by rank when a generation is complete. */
static struct search *search;
static const struct population *population;

/* for (each(one)): every individual of the population. */
#define each(one)                                                                                  \
    const struct individual *one = population->individuals;                                        \
    one < population->individuals + population->count;                                             \
    one++

/* From here on it is this one; the one before has an end already. */
static inline void take(struct search *taken)
{
    ck_assert_ptr_nonnull(taken);
    search = taken;
    population = search_population(search);
}

static inline void drop_search(void)
{
    search_destroy(search);
    search = NULL;
}

/* A new search by the parameters, in place of the one before. */
static inline void begin(void)
{
    drop_search();
    take(search_create(&params, NULL));
}

static inline void advance(struct search *of)
{
    ck_assert_int_eq(search_advance(of), 0);
}

/* Where it is now: results move individuals. NULL: nowhere. */
static inline const struct individual *find_individual(const struct search *of, uint64_t id)
{
    const struct population *among = search_population(of);
    for (int i = 0; i < among->count; i++)
        if (among->individuals[i].id == id)
            return &among->individuals[i];
    return NULL;
}

/* With a genome of its own, as a store gives it back. */
static inline void copy_individual(struct individual *copy, const struct individual *from)
{
    *copy = *from;
    copy->packed = (struct packed_bytes){NULL, 0};
    ck_assert_int_eq(genome_copy(&copy->genome, &from->genome), 0);
}

/* Tells a way in m, and the id as the digest. */
static inline const struct individual *tell_reach(uint64_t id, int verdict, double reach_m)
{
    return search_tell(search, id, verdict, &(struct measures){.reach_m = reach_m}, id);
}

#endif

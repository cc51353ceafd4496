/* Evolution as ask and tell: no I/O, no clock, all randomness from streams keyed by (run seed,
 * generation, individual, purpose).
 *
 * A search holds the population of the current generation. The caller asks for individuals without a
 * result, has them evaluated anywhere in any order, tells the results by id, and advances when the
 * generation is complete; the best are looked at a second time by the referee. What a method does is in one file: it fills the first and the next
 * population. Whole state = generation number + population, which the run store keeps, so a search
 * restored from the store goes on exactly as if it had never stopped. */
#ifndef CONTROLLER_SEARCH_H
#define CONTROLLER_SEARCH_H

#include "common/creature.h"
#include "common/measures.h"
#include "common/params.h"

enum breeding_method {
    METHOD_RANDOM,
    METHOD_ASEXUAL,
    METHOD_CROSSOVER,
    METHOD_GRAFT,
    METHOD_SEED, /* from a file: seeding.h */
    METHOD_COUNT
};
extern const char *const breeding_method_names[METHOD_COUNT];

struct individual {
    uint64_t id;                             /* 1, 2, ... in the order of birth, unique in a run */
    uint32_t generation;                     /* of birth, from 0 */
    int method;                              /* enum breeding_method */
    uint64_t parents[2];                     /* 0 = none */
    uint64_t seed;                           /* of its evaluation: rng_mix_seed(run seed, id) */
    char mutations[CREATURE_MUTATIONS_SIZE]; /* in words; empty = none */
    struct genome genome;
    int has_result;
    int verdict;
    struct measures measures;
    uint64_t digest;
    double fitness; /* 0 if the referee was not satisfied */
    int has_referee;
    double referee_fitness; /* of the same evaluation at a quarter of the step */
};
void individual_deinit(struct individual *individual);

struct population {
    struct individual *individuals;
    int count;
};

struct search; /* owns its population */
struct seeding;

/* Makes generation 0. `params` is copied. NULL: out of memory. */
struct search *search_create(const struct params *params);
/* The same with seeds in it. */
struct search *search_create_seeded(const struct params *params, const struct seeding *seeding);
/* Goes on from a stored generation: takes over `population` (individuals with and without result, in
 * their stored order) and the next free creature id. */
struct search *search_restore(const struct params *params, uint32_t generation,
                              struct population *population, uint64_t next_id);
void search_destroy(struct search *search);

uint32_t search_generation(const struct search *search);
uint64_t search_next_id(const struct search *search); /* the next creature's */
/* The current population: in order of id while results are missing; then ranked (fitness descending,
 * then id ascending), of which the referee's last word is once search_is_complete(). Good until
 * search_advance(). */
const struct population *search_population(const struct search *search);

/* The next individual that has no result and was not asked for yet, or NULL. */
const struct individual *search_ask(struct search *search);
/* A result. Computes the fitness. Returns the individual, or NULL for an id that is not in the
 * population or has its result already (then nothing changes). */
const struct individual *search_tell(struct search *search, uint64_t id, int verdict,
                                     const struct measures *measures, uint64_t digest);
/* The referee: the first guard.referee_top of the ranks are simulated again at a quarter of the step
 * (SEARCH_REFEREE_HALVINGS), and one whose score does not hold loses its fitness; those who come up
 * in its place are called next. search_ask_referee() gives the next of them that was not asked for
 * yet, or NULL; search_tell_referee() takes the result, like search_tell(): NULL, and nothing
 * changes, for one that is not before the referee. What was seen is not seen again. */
#define SEARCH_REFEREE_HALVINGS 2
const struct individual *search_ask_referee(struct search *search);
const struct individual *search_tell_referee(struct search *search, uint64_t id, int verdict,
                                             const struct measures *measures);
/* 1 when every individual has a result and the referee is done; the population is then ranked. */
int search_is_complete(const struct search *search);
/* How many of the ranked population survive (population.survival, at least 1). */
int search_survivor_count(const struct search *search);
/* 1 if this was the last generation. */
int search_is_finished(const struct search *search);
/* Breeds the next generation from a complete one: survivors keep their results (unless
 * evolution.reevaluate), children fill up. 0 or ERR_MEMORY. */
int search_advance(struct search *search);

/* What a method provides; search_methods[] is indexed by evolution.search. `next` gets the ranked old
 * population and fills children[0 .. count) (ids, generation and seed already set). */
struct search_method {
    const char *name;
    const char *help;
    int (*first)(const struct params *params, struct individual *children, int count);
    int (*next)(const struct params *params, uint32_t generation, const struct population *ranked,
                int survivor_count, struct individual *children, int count);
};
extern const struct search_method *const search_methods[SEARCH_COUNT];
extern const struct search_method search_sims, search_random;

#endif

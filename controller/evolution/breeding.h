/* The making of one child, for all search methods: at random, or from parents drawn by weight.
 *
 * Every child has streams of random numbers of its own, keyed by (run seed, purpose, generation,
 * id), so no child depends on another's making. Children come with id, generation and seed set. */
#ifndef CONTROLLER_EVOLUTION_BREEDING_H
#define CONTROLLER_EVOLUTION_BREEDING_H

#include "common/math/rng.h"
#include "controller/evolution/search.h"

/* Parents and their weights, which are >= 0; one of them is > 0. */
struct breeding_parents {
    const struct individual **individuals;
    double *weights;
    int count;
};

void breeding_init_stream(struct rng *rng, const struct params *params, enum rng_purpose purpose,
                          const struct individual *child);

/* A fresh random genome. 0 or ERR_MEMORY, as the next. */
int breeding_make_random(const struct params *params, struct individual *child);
/* The same where nobody is fit to breed. Where bodies do not mutate (mutation.body) it is a new
 * brain in the body of an individual; NULL: there is no such individual. */
int breeding_make_fresh(const struct params *params, const struct individual *body,
                        struct individual *child);

/* Draws the method by the breeding.* weights, the parents (the second different from the first
 * where there are two) and the mutations. With breeding.choice = inherited the method is that of
 * the first parent's breeding gene; a child of one without gets the drawn one as its gene. */
int breeding_make_child(const struct params *params, const struct breeding_parents *parents,
                        struct individual *child);

#endif

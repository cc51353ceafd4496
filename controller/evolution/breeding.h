/* The making of one child, for all search methods: at random, or from parents drawn by weight.
 *
 * Every child has streams of random numbers of its own, keyed by (run seed, purpose, generation,
 * id), so no draw of a child depends on another's making. Children come with id and generation set.
 *
 * A child that would move like a creature in the census is drawn again, from other streams, at
 * most breeding.draws times in all; then it stays as it is. The census notes each child
 * that is kept. */
#ifndef CONTROLLER_EVOLUTION_BREEDING_H
#define CONTROLLER_EVOLUTION_BREEDING_H

#include "common/genetics/genetics.h"
#include "common/math/rng.h"
#include "controller/evolution/search.h"

/* Parents and their weights, which are >= 0; one of them is > 0. */
struct breeding_parents {
    const struct individual **individuals;
    double *weights;
    int count;
};

/* No parents yet, and room for `most`. 0 or ERR_MEMORY; breeding_parents_deinit() is due all the
 * same. */
int breeding_parents_init(struct breeding_parents *parents, int most);
void breeding_parents_add(struct breeding_parents *parents, const struct individual *individual,
                          double weight);
void breeding_parents_deinit(struct breeding_parents *parents);

/* The stream of the child's present draw. */
void breeding_init_stream(struct rng *rng, const struct params *params, enum rng_purpose purpose,
                          const struct individual *child);

/* Makes one draw of a child whose genome is empty. 0 or ERR_MEMORY, as the next. */
typedef int breeding_maker(void *context, struct individual *child);
/* Draws until the child is new to the census; NULL: once. */
int breeding_draw(const struct params *params, struct census *census, struct individual *child,
                  breeding_maker *make, void *context);

/* A fresh random genome, drawn once. */
int breeding_make_random(const struct params *params, struct individual *child);
/* Makes a newcomer where no creature is fit to breed. Where bodies do not mutate (mutation.body)
 * it is a new brain in the body of an individual; NULL: there is no such individual. */
int breeding_make_fresh(const struct params *params, struct census *census,
                        const struct individual *body, struct individual *child);

/* Mutates a child as often as is drawn, but at least so often. 0 or ERR_MEMORY. */
int breeding_mutate(const struct params *params, struct individual *child, int is_mated, int least,
                    struct gene_counter *ids);

/* Draws the method by the breeding.* weights, the parents (the second different from the first
 * where there are two) and the mutations. With breeding.choice = inherited the method is that of
 * the first parent's breeding gene; a child of one without gets the drawn one as its gene. */
int breeding_make_child(const struct params *params, struct census *census,
                        const struct breeding_parents *parents, struct individual *child);

/* The motions of a population: finds at once whether a creature moves like one in it.
 *
 * A child whose body and brain grow like another's gives the same result. Fourteen to fifty-one of
 * a hundred children do, most of them by mutations of genes that do not grow, so breeding draws
 * such a child again (breeding.h). */

/* NULL: out of memory. */
struct census *census_create(void);
void census_destroy(struct census *census); /* NULL is fine */
/* Forgets all creatures. */
void census_clear(struct census *census);

/* Finds the key of an individual's motion, unless it has it: `key` may be the one that it has. 0 or
 * ERR_MEMORY, as the next. */
int census_find_key(struct census *census, const struct params *params,
                    const struct individual *individual, struct phenotype_key *key);
/* Notes an individual. *is_new: 1 if no creature that moves like it was noted before. */
int census_note(struct census *census, const struct params *params, struct individual *individual,
                int *is_new);
/* Notes the first `count` of a population. */
int census_note_all(struct census *census, const struct params *params,
                    struct individual *individuals, int count);

#endif

/* The key of a motion: 128 bits over everything that the motion of a creature depends on besides
 * the parameters. Equal keys mean equal motion, digest and measures; the neurons that no effector
 * hears, the ids of genes and how the genome is written do not count.
 *
 * What goes in: of each part and link all that the simulator reads; the details of the body's kind
 * (struct body_growth, put_detail()); the neurons that effectors reach, in the order in which they
 * are reached, with their functions, first states and inputs; the trial; and the evaluation's seed
 * where something is drawn from it. Numbers go in bit by bit: a number too many costs a few hits, a
 * number that is missing gives wrong results. So a new field of a phenotype, or a new draw from the
 * seed, is added here; a test knows the sizes of the structs.
 *
 * Seeds come from keys (controller/evolution/search.c): a change of what is hashed for a kind
 * changes the course of all its runs. So what a new kind needs goes into its own put_detail(). */
#ifndef COMMON_GROWTH_PHENOTYPE_KEY_H
#define COMMON_GROWTH_PHENOTYPE_KEY_H

#include <stdint.h>

#include "common/growth/phenotype.h"
#include "common/judge/trial.h"

struct phenotype_key {
    uint64_t words[2];
};

/* Makes the key of a creature that was grown with these parameters, in a trial with this seed.
 * Needs some room in the arena. 0, or ERR_MEMORY. */
int phenotype_key_make(struct phenotype_key *key, const struct phenotype *phenotype,
                       const struct params *params, const struct trial *trial, uint64_t seed,
                       struct arena *arena);
/* Grows a genome and makes the key of what has grown; the arena is reset first. */
int phenotype_key_grow(struct phenotype_key *key, const struct genome *genome,
                       const struct params *params, const struct trial *trial, uint64_t seed,
                       struct arena *arena);
/* Whether the seed goes into the key. */
int phenotype_key_has_seed(const struct params *params, const struct trial *trial);
int phenotype_key_is_equal(const struct phenotype_key *a, const struct phenotype_key *b);

/* Enough for the second function, for any genome within the bounds of the parameters' table. */
#define PHENOTYPE_KEY_ARENA_BYTES (2u << 20)

#endif

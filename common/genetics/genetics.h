/* Making genomes: at random, by mutation, by mating. Pure functions of their inputs and a stream of
 * random numbers; every result passes genome_check() and has its garbage collected. */
#ifndef COMMON_GENETICS_GENETICS_H
#define COMMON_GENETICS_GENETICS_H

#include "common/genome/genome.h"
#include "common/params/params.h"
#include "common/math/rng.h"

/* Invariants of every genome that is made here: genome_check() passes it. Dear. */
void genetics_check(const struct genome *genome);

/* Gives gene ids to the new genes of one creature: creature id << 10 | count, from 1. Creature ids
 * start at 1, so ids below 1024 are free for genomes written by hand. */
struct gene_counter {
    uint64_t creature;
    uint32_t count;
};
gene_id gene_counter_next(struct gene_counter *counter);
/* 1 if a gene first came in the creature of that number. */
int genetics_has_genes_of(const struct genome *genome, uint64_t creature);
/* Before the first id: where a genome that the creature is made of (b may be NULL) has genes of its
 * number, which a file or another run may bring, the counter takes a number that no gene has. */
void gene_counter_avoid(struct gene_counter *counter, const struct genome *a,
                        const struct genome *b);

/* A random genome within the initial.* bounds: a root, bodies that the root reaches, joints,
 * effectors mostly driven by oscillators with random phases, random neurons. 0 or ERR_MEMORY. */
int genetics_random(struct genome *genome, const struct params *params, struct rng *rng,
                    struct gene_counter *ids);

/* A new random brain for the same body, as random genomes have; for bodies that do not mutate
 * (mutation.body). 0 or ERR_MEMORY (genome then unchanged). */
int genetics_random_brain(struct genome *genome, const struct params *params, struct rng *rng,
                          struct gene_counter *ids);

/* Applies `count` mutations, sites drawn with the mutation.* rates, in the order: body parameters
 * and neurons, new body, new neurons, connections (changed, added, removed); then collects garbage.
 * A mutation that leaves the genome unchanged is drawn again. `text` receives what happened, in
 * words, separated by "; "; "..." stands for the words that do not fit. 0 or ERR_MEMORY (genome
 * then unchanged). */
int genetics_mutate(struct genome *genome, int count, const struct params *params, struct rng *rng,
                    struct gene_counter *ids, char *text, int text_size);

/* How many mutations a child gets: 0 with mutation.none, 1 with mutation.one, else 2 + geometric;
 * is_mated scales the mutated share. */
int genetics_mutation_count(const struct params *params, int is_mated, struct rng *rng);

/* A breeding gene by the weights breeding.*, for a genome without one. */
int genetics_draw_breeding(const struct params *params, struct rng *rng);

/* Crossover: the tables of both parents aligned by gene id (those without a partner keep their
 * place), one to crossover_points_max switch points; references that lead nowhere are drawn
 * again. */
int genetics_crossover(struct genome *child, const struct genome *a, const struct genome *b,
                       const struct params *params, struct rng *rng, struct gene_counter *ids);

/* Graft: one connection of `a` is led to a random body gene of `b`, which comes along with all it
 * reaches and its neurons; genes whose ids `a` has already get new ones; genes that `a` no longer
 * reaches are pruned. */
int genetics_graft(struct genome *child, const struct genome *a, const struct genome *b,
                   const struct params *params, struct rng *rng, struct gene_counter *ids);

/* A child's mutations in the words of a newcomer: "a new wire in the brain" for "input 1 of neuron
 * 6 (min) now reads neuron 4 (oscillate-wave, own)". Shortens the text of genetics_mutate(): each
 * kind of change once, in the order of the text, with its number where it came several times. A
 * change that the table does not know stays as it is. */
void mutation_words_shorten(const char *mutations, char *text, size_t size);

#endif

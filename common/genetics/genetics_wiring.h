/* Wiring: draws sources for the inputs of neurons and effectors at random, and repairs inputs whose
 * source is gone. Shared by the genetics_*.c files.
 *
 * A reader is the neuron or effector that has the input. Its `owner` is the id of its body gene, or
 * 0 for a neuron of the central set. genome_check() says which sources a reader can reach. */
#ifndef COMMON_GENETICS_GENETICS_WIRING_H
#define COMMON_GENETICS_GENETICS_WIRING_H

#include "common/genetics/genetics_random.h"

/* Leads `input` to a random source of that kind (for constants: a random value), keeping its
 * weight. Returns 1; or 0, input untouched, if the reader can reach no such source. */
int wiring_draw_source(struct maker *maker, gene_id owner, enum input_kind kind,
                       struct input_gene *input);

/* A random input of any kind, with a random weight. */
void wiring_draw(struct maker *maker, gene_id owner, struct input_gene *input);

/* A constant with weight 1. */
void wiring_set_constant(struct input_gene *input, double value);

/* Leads `input` to that neuron, keeping its weight. Returns 1; or 0, input untouched, if a reader
 * of `owner` cannot reach it. */
int wiring_lead(const struct genome *genome, gene_id owner, const struct neuron_gene *neuron,
                struct input_gene *input);

/* Removes body genes that the root does not reach, and neurons and connections of theirs; draws new
 * sources for all invalid inputs. The root and both ends of every connection must exist; the genome
 * then passes genome_check() if its numbers are in range. */
void wiring_tidy(struct maker *maker);

/* Writes the source in words: "constant 0.50", "neuron 3 (sin, parent)", "sensor joint (own)". */
void wiring_describe(const struct genome *genome, const struct input_gene *input, char *text,
                     int size);

#endif

/* Random genes, for first populations and for mutations that add something. Shared by the
 * genetics_*.c files. A function that adds a row returns 0, ERR_LIMIT when the table is at its
 * maximum, or ERR_MEMORY; the new row is the last of its table. */
#ifndef COMMON_GENETICS_GENETICS_RANDOM_H
#define COMMON_GENETICS_GENETICS_RANDOM_H

#include "common/genetics/genetics.h"

enum { MUTATION_WORDS_SIZE = 200 };

/* The genome that is being made or mutated, and what that takes. */
struct maker {
    struct genome *genome;
    const struct params *params;
    struct rng *rng;
    struct gene_counter *ids;
    /* of a mutation (genetics_mutation.h) */
    int status; /* ERR_MEMORY, or 0 */
    char words[MUTATION_WORDS_SIZE];
};

/* A random number from 0 to bound - 1. */
int maker_below(struct maker *maker, int bound);

/* A body gene without effector. */
int genetics_random_body(struct maker *maker);

/* A brace grows nothing; for kinds that have them. */
int genetics_random_connection(struct maker *maker, gene_id from, gene_id to, int is_brace);

/* Bounds parts by their parents as the kind of body does (genetics_kind.h), where initial.taper is
 * on. 1 if something changed. */
int genetics_taper(struct maker *maker, const struct genome *a, const struct genome *b);

/* A neuron of a random function whose inputs are still constants: wire it when everything it may
 * read is there. */
int genetics_random_neuron(struct maker *maker, gene_id owner);

/* One of the functions that initial.functions allows, other than `except` (-1: any of them); -1 if
 * there is no other. */
int genetics_random_function(struct maker *maker, int except);

/* Draws the inputs of a neuron; an oscillator's are plausible constants. */
void genetics_random_inputs(struct maker *maker, struct neuron_gene *neuron);

/* Gives body `row` an effector, if there is room with an oscillator of about that frequency. */
int genetics_random_effector(struct maker *maker, int row, double frequency_hz);

/* Drives the joint of body `row`, which has axes and is not driven yet. */
int genetics_random_drive(struct maker *maker, int row);

/* Gives body `row` an emitter, whose input is any. */
void genetics_random_emitter(struct maker *maker, int row, int emitter);

/* Lets rectangles of body `row` stretch: limit and input. 0 or ERR_MEMORY. */
int genetics_random_stretch(struct maker *maker, int row);

/* A frequency for a creature's oscillators: that of one it has, or a new one. */
double genetics_random_frequency_hz(struct maker *maker);

/* The angle or extension of one unit of an effector's signal in that body's joint: signals are made
 * for angles. */
double genetics_signal_unit(const struct body_gene *body, const struct params *params);
/* 1 if an effector of body `row` would move something. */
int genetics_has_mover(const struct genome *genome, int row);
/* 1 if something leads to the joint of body `row`, which is not rigid, and the body is not a root
 * that occurs only once. */
int genetics_has_joint(const struct genome *genome, int row);
/* Uniform in the logarithm: as many between 0.1 and 0.2 m as between 0.2 and 0.4 m. The bounds may
 * be exchanged. */
double genetics_random_length(double low_m, double high_m, struct rng *rng);

#endif

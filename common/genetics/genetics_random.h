/* Random genes, for first populations and for mutations that add something. Shared by the
 * genetics_*.c files. All return 0, ERR_LIMIT when the table is at its maximum, or ERR_MEMORY; the
 * new row is the last of its table. */
#ifndef COMMON_GENETICS_GENETICS_RANDOM_H
#define COMMON_GENETICS_GENETICS_RANDOM_H

#include "common/genetics/genetics.h"

/* A body gene without effector. */
int genetics_random_body(struct genome *genome, const struct params *params, struct rng *rng,
                         struct gene_counter *ids);

int genetics_random_connection(struct genome *genome, gene_id from, gene_id to,
                               const struct params *params, struct rng *rng,
                               struct gene_counter *ids);
/* One that grows nothing; for kinds that have them. */
int genetics_random_brace(struct genome *genome, gene_id from, gene_id to,
                          const struct params *params, struct rng *rng, struct gene_counter *ids);

/* Bounds parts by their parents as the kind of body does (genetics_kind.h), where initial.taper is
 * on. 1 if something changed. */
int genetics_taper(struct genome *genome, const struct genome *a, const struct genome *b,
                   const struct params *params);

/* A neuron of a random function whose inputs are still constants: wire it when everything it may
 * read is there. */
int genetics_random_neuron(struct genome *genome, gene_id owner, const struct params *params,
                           struct rng *rng, struct gene_counter *ids);

/* One of the functions that initial.functions allows, other than `except` (-1: any of them); -1 if
 * there is no other. */
int genetics_random_function(const struct params *params, int except, struct rng *rng);

/* Draws the inputs first .. input_count of a neuron; an oscillator's are plausible constants. */
void genetics_random_inputs(const struct genome *genome, struct neuron_gene *neuron, int first,
                            struct rng *rng);

/* Gives body `row` an effector, if there is room with an oscillator of about that frequency. */
int genetics_random_effector(struct genome *genome, int row, double frequency_hz,
                             const struct params *params, struct rng *rng,
                             struct gene_counter *ids);

/* Drives the joint of body `row`, which has axes and is not driven yet. */
int genetics_random_drive(struct genome *genome, int row, const struct params *params,
                          struct rng *rng, struct gene_counter *ids);

/* Gives body `row` an emitter, whose input is any. */
void genetics_random_emitter(struct genome *genome, int row, int emitter, struct rng *rng);

/* Lets rectangles of body `row` stretch: limit and input. 0 or ERR_MEMORY. */
int genetics_random_stretch(struct genome *genome, int row, const struct params *params,
                            struct rng *rng, struct gene_counter *ids);

/* A frequency for a creature's oscillators: that of one it has, or a new one. */
double genetics_random_frequency_hz(const struct genome *genome, struct rng *rng);

int genetics_is_oscillator(int function);
/* The angle or extension of one unit of an effector's signal in that body's joint: signals are made
 * for angles. */
double genetics_signal_unit(const struct body_gene *body, const struct params *params);
/* Gives the body that joint. Limits and the effector's signal change their unit with it: 1 rad is
 * as much as the part's reach. Draws nothing. */
void genetics_set_joint(struct body_gene *body, int joint, const struct params *params,
                        struct rng *rng);
/* 1 if an effector of body `row` would move something. */
int genetics_has_mover(const struct genome *genome, int row);
/* 1 if something leads to the joint of body `row`, which is not rigid, and the body is not a root
 *   that occurs only
 * once. */
int genetics_has_joint(const struct genome *genome, int row);
/* Uniform in the logarithm: as many between 0.1 and 0.2 m as between 0.2 and 0.4 m. The bounds may
 * be exchanged. */
double genetics_random_length(double low_m, double high_m, struct rng *rng);

#endif

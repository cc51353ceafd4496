/* Parameters that switch on what genes have: sensors, emitters, muscles, stretching. One table:
 * sensors_switched_on() and emitters_switched_on() read it, and so does what tells people why a
 * creature does not do what its genes say. A new switch is a row in gene_switch.c. */
#ifndef COMMON_GENOME_GENE_SWITCH_H
#define COMMON_GENOME_GENE_SWITCH_H

#include "common/genome/genome.h"

/* Says what of a genome the parameters switch off, and what switches it on: "these parameters
 * switch off stretching (on: -s creature.stretch_max=0.5)". A sensor counts if a part has it and a
 * neuron or an effector reads it. Returns 0, and an empty text, if everything is on. */
#define GENE_SWITCH_TEXT_SIZE 1024
int gene_switches_explain(const struct genome *genome, const struct params *params,
                          char text[GENE_SWITCH_TEXT_SIZE]);

#endif

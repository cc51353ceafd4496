/* Parameters that switch on what genes have: sensors (the table of sensor.h names the parameter of
 * each), emitters, muscles, stretching. sensors_switched_on() and emitters_switched_on() say what
 * is on; gene_switches_explain() tells people why a creature does not do what its genes say. */
#ifndef COMMON_GENOME_GENE_SWITCH_H
#define COMMON_GENOME_GENE_SWITCH_H

#include "common/genome/genome.h"

/* Says what of a genome the parameters switch off, and what switches it on: "these parameters
 * switch off some genes (on: -s creature.stretch_max=0.5 -s sensor.light=yes)". A sensor counts if
 * a part has it and a neuron or an effector reads it. Returns 0, and an empty text, if everything
 * is on. */
#define GENE_SWITCH_TEXT_SIZE 1024
int gene_switches_explain(const struct genome *genome, const struct params *params,
                          char text[GENE_SWITCH_TEXT_SIZE]);

#endif

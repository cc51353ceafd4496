/* Emissions of parts besides motion: one table. An emitter is an effector of a body gene with one
 * input; its signal, within 0 .. 1, is how loud or how much. Sensors of it: sensor.h, by sound.h
 * and scent.h of simulator/world/. A new one is a row here and one in GENE_ROWS_EMITTERS. */
#ifndef COMMON_GENOME_EMITTER_H
#define COMMON_GENOME_EMITTER_H

#include "common/params/params.h"

enum emitter_kind { EMITTER_SOUND, EMITTER_SCENT_1, EMITTER_SCENT_2, EMITTER_COUNT };

extern const char *const emitter_names[EMITTER_COUNT]; /* "sound", "scent_1", "scent_2" */

#define EMITTER_BIT(emitter) (1u << (emitter))

/* The set of those that the parameters switch on (gene_switch.c): with the sensors of what they
 * emit. */
uint32_t emitters_switched_on(const struct params *params);
/* Whether such emitters grow, and whether mutations and random genomes have them. */
int emitter_is_on(int emitter, const struct params *params);
/* How many are on. */
int emitter_count_on(const struct params *params);

#endif

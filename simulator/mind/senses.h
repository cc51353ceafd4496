/* The values of all sensors of a creature, read once a brain tick.
 *
 * A row of SENSOR_COUNT values per part, in the gene's frame: mirrored parts have joint angles
 * and the axis across the part reversed. Sensors that the world switches off read 0. Each kind
 * of body reads its own (simulator/body/physics.h). */
#ifndef SIMULATOR_MIND_SENSES_H
#define SIMULATOR_MIND_SENSES_H

#include "simulator/body/physics.h"

/* From the arena; ERR_MEMORY when it is full. */
int senses_create(struct senses *senses, const struct phenotype *phenotype,
                  const struct params *params, struct arena *arena);
void senses_read(struct senses *senses, const struct dynamics *dynamics,
                 const struct surroundings *surroundings);

#endif

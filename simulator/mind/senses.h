/* What a creature feels: the values of all its sensors, read once a brain tick.
 *
 * A row of SENSOR_COUNT values per part, in the gene's frame: mirrored parts have joint angles and the
 * axis across the part reversed. Sensors that the world switches off read 0. */
#ifndef SIMULATOR_SENSES_H
#define SIMULATOR_SENSES_H

#include "simulator/body/dynamics.h"
#include "simulator/world/light.h"

struct senses {
    const struct phenotype *phenotype;
    uint32_t on;         /* set of SENSOR_BIT(): switched on */
    double *values;      /* parts x SENSOR_COUNT */
    struct vec2 *before; /* velocity of each part's centre at the last reading */
};

/* From the arena; ERR_MEMORY when it is full. */
int senses_create(struct senses *senses, const struct phenotype *phenotype,
                  const struct params *params, struct arena *arena);
/* tick_s: the time since the last reading; 0 at the first. */
void senses_read(struct senses *senses, const struct dynamics *dynamics, double gravity_m_s2,
                 const struct light *light, double tick_s);
/* The part of senses_read() for spheres, without the switches; private to senses*.c. */
void senses_read_spheres(struct senses *senses, const struct dynamics *dynamics,
                         const struct light *light);

#endif

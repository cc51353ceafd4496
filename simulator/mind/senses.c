/* See senses.h. */
#include "simulator/mind/senses.h"

int senses_create(struct senses *senses, const struct phenotype *phenotype,
                  const struct params *params, struct arena *arena)
{
    size_t parts = (size_t)phenotype->part_count;
    senses->phenotype = phenotype;
    senses->on = sensors_switched_on(params);
    senses->values = arena_take(arena, parts * SENSOR_COUNT, sizeof(double));
    senses->before = arena_take(arena, parts, sizeof senses->before[0]);
    return senses->values && senses->before ? 0 : ERR_MEMORY;
}

void senses_read(struct senses *senses, const struct dynamics *dynamics,
                 const struct surroundings *surroundings)
{
    ENSURE(senses->values && dynamics && surroundings, "senses of %d parts, read from nothing",
           senses->phenotype->part_count);
    physics_of(senses->phenotype)->feel(senses, dynamics, surroundings);
    /* sensors that have one value in all parts, whatever the kind of body */
    for (int i = 0; i < senses->phenotype->part_count; i++) {
        double *felt = senses->values + i * SENSOR_COUNT;
        felt[SENSOR_PAIN] = surroundings->pain;
        felt[SENSOR_RESERVE] = surroundings->reserve;
    }
    /* those that are read together with others but switched off read 0 */
    for (int k = 0; k < SENSOR_COUNT; k++)
        for (int i = 0; i < senses->phenotype->part_count && !(senses->on & SENSOR_BIT(k)); i++)
            senses->values[i * SENSOR_COUNT + k] = 0;
}

/* The brain: neurons evaluated backwards from the effectors, and after them from the emitters.
 *
 * One think evaluates every neuron that feeds one of them at most once. A neuron met again inside
 * its own evaluation (a cycle) yields the value it had before this think. brain_create() compiles
 * this to a flat program: the neurons in the order in which the recursive evaluation finishes them,
 * dead neurons left out, each input resolved to "this think's value" or "the previous think's
 * value". */
#ifndef SIMULATOR_MIND_BRAIN_H
#define SIMULATOR_MIND_BRAIN_H

#include "common/growth/phenotype.h"

struct brain;

/* Compiles; from the arena. NULL when it is full. */
struct brain *brain_create(const struct phenotype *phenotype, struct arena *arena);

/* One think that advances stateful neurons by dt_s. `sensor_values` holds part_count * SENSOR_COUNT
 * values (row per part). Writes phenotype_signal_count() signals, each the weighted input, clipped
 * to +-NEURON_OUTPUT_MAX times GENOME_WEIGHT_MAX at most and always finite. */
void brain_think(struct brain *brain, const double *sensor_values, double *signals, double dt_s);

/* Back to birth. */
void brain_reset(struct brain *brain);

/* Its memory from think to think, as brain_memory_size() numbers. Loading numbers that are not
 * finite, or of another brain, is a bug. */
int brain_memory_size(const struct brain *brain);
void brain_save_memory(const struct brain *brain, double *numbers);
void brain_load_memory(struct brain *brain, const double *numbers);

int brain_neuron_count(const struct brain *brain); /* live ones */
/* Last output of a neuron instance of the phenotype (0 if it is dead), for viewers. */
double brain_output(const struct brain *brain, int neuron);

#endif

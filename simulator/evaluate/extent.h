/* How far a body reaches, whichever way it is turned. */
#ifndef SIMULATOR_EVALUATE_EXTENT_H
#define SIMULATOR_EVALUATE_EXTENT_H

#include "simulator/body/dynamics.h"

/* The greatest distance between two points of the body as it stands now, m, or `most_m` if that is
 * greater. A running maximum makes it cheap: parts that are nearer than it are not looked at.
 * `middles` is room for a place per part. */
double extent_grow(const struct phenotype *phenotype, const struct dynamics *dynamics,
                   struct vec3 *middles, double most_m);

#endif

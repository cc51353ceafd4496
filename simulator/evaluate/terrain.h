/* Where bodies begin, and where they have fallen off, in worlds with obstacles.
 *
 * Creatures are born with their centre of mass over x = 0, or where their task says, and stand on
 * the surface there: the ground, or without ground the upper side of an obstacle, of several the
 * one nearest to y = 0. */
#ifndef SIMULATOR_EVALUATE_TERRAIN_H
#define SIMULATOR_EVALUATE_TERRAIN_H

#include "simulator/body/dynamics.h"
#include "simulator/world/world.h"

/* 1 if something there can carry a body. */
int terrain_can_carry(const struct world *world);
/* Height of the surface at x; 0 if there is none. */
double terrain_start_height(const struct world *world, double x_m);
/* Height of the lowest surface of all: of an inclined one its lower end, of waves the lowest that
 * there may be; 0 if there is none. */
double terrain_lowest_surface(const struct world *world);
/* Height of the body's lowest point, m: above y = 0, or above a ground with relief, where that is
 * least. */
double terrain_height(const struct world *world, const struct phenotype *phenotype,
                      const struct dynamics *dynamics);
/* 1 if a surface below the point can carry a body, or if the world has no surface at all. */
int terrain_is_below(const struct world *world, struct vec2 point);
/* How far the body must be lifted at least to overlap no obstacle, m; 0 if it does not. */
double terrain_lift(const struct world *world, const struct phenotype *phenotype,
                    const struct dynamics *dynamics);

#endif

/* Several bodies in space in one world, each with dynamics of its own: what they need to touch one
 * another, and the steps that they take together. See simulator/body/forest.h. */
#ifndef SIMULATOR_SPATIAL_STEPS_SPACE_MEETING_H
#define SIMULATOR_SPATIAL_STEPS_SPACE_MEETING_H

#include "simulator/spatial/steps/space_dynamics.h"

struct space_meeting;

/* The bodies have the same world and settings; contact points name them by these numbers. NULL when
 * the arena is full. */
struct space_meeting *space_meeting_create(struct space_dynamics *const *all, const int *numbers,
                                           int count, struct arena *arena);
/* Bounds of where a body may be within a step, and somewhat beyond. Low is above high where nothing
 * can touch it. */
void space_meeting_sweep(struct space_dynamics *d, struct vec3 *low, struct vec3 *high);
/* One step of bodies that may touch one another: by the midpoint rule, split for all where it has
 * to be for one. is_broken: of each, as dynamics_step() returns it. */
void space_meeting_step(struct space_meeting *meeting, struct space_dynamics *const *some,
                        int count, int *is_broken);

#endif

/* Bodies in space in motion: trees of links with servos, limits and drag, in joint coordinates.
 *
 * Two ways to step. RK4 on plain quaternions, order 4, where nothing can touch and nothing is
 * stiff; Moreau's midpoint with the exponential map, order 2, with implicit servos, limits and
 * drag, everywhere else. A ledger accounts for every joule. docs/physics-space.md has the
 * equations. All memory comes from the arena given at creation; a step allocates nothing. */
#ifndef SIMULATOR_SPATIAL_STEPS_SPATIAL_DYNAMICS_H
#define SIMULATOR_SPATIAL_STEPS_SPATIAL_DYNAMICS_H

#include "simulator/links/spatial_state.h"

/* The body at rest in the pose of birth. Of the settings dt_s, integrator, effector_mode,
 * servo_rad_s, joint_speed_* and joint_damping_1_s matter. A step fails when the state is no longer
 * finite or the arena of creation is exhausted. Impulses are not known where nothing can touch and
 * there is no drag. Another world may have ground and friction only if that of creation had them; its
 * fixed boxes are those of creation, or none. NULL when the arena is full. */
struct spatial_state *spatial_dynamics_create(const struct body *body,
                                              const struct spatial_world *world,
                                              const struct dynamics_settings *settings,
                                              struct arena *arena);

#endif

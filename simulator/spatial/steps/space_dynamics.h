/* Bodies in space in motion: trees of links with servos, limits and drag, in joint coordinates.
 *
 * Two ways to step. RK4 on plain quaternions, order 4, where nothing can touch and nothing is
 * stiff; Moreau's midpoint with the exponential map, order 2, with implicit servos, limits and
 * drag, everywhere else. A ledger accounts for every joule. docs/physics-space.md has the
 * equations. All memory comes from the arena given at creation; a step allocates nothing. */
#ifndef SIMULATOR_SPATIAL_STEPS_SPACE_DYNAMICS_H
#define SIMULATOR_SPATIAL_STEPS_SPACE_DYNAMICS_H

#include "simulator/body/space/space_solver.h"

/* The state of space_solver_articulated. Of the settings dt_s, integrator, effector_mode,
 * servo_rad_s, joint_speed_* and joint_damping_1_s matter. A step fails when the state is no longer
 * finite or the arena of creation is exhausted. Impulses are not known where nothing can touch and
 * there is no drag. */
struct space_dynamics;
struct space_dynamics *space_dynamics_of(const struct space_state *s);

#endif

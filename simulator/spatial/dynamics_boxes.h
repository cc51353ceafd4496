/* What the dynamics of bodies in space know beyond dynamics.h: a solver (space_solver.h) behind
 * that interface.
 *
 * All calls are for dynamics made of a phenotype with a struct body. dynamics_q() has the
 * coordinates of all joints, the root's first (joint.h: x, y, z and a quaternion, of no turn
 * at birth), dynamics_qd() their rates, which dynamics_dof() counts; drives are the freedoms of
 * joints in the order of their rates. */
#ifndef SIMULATOR_SPATIAL_DYNAMICS_BOXES_H
#define SIMULATOR_SPATIAL_DYNAMICS_BOXES_H

#include "simulator/body/dynamics_solver.h"
#include "simulator/body/space/space_solver.h"

extern const struct dynamics_solver dynamics_boxes, dynamics_boxes_constraint;

/* The body's tree at the present state; good until the next step. */
const struct space_tree *dynamics_boxes_tree(const struct dynamics *dynamics);
/* What moves the body. */
struct space_state *dynamics_boxes_state(const struct dynamics *dynamics);

#endif

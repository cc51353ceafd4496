/* What the dynamics of creatures of boxes know beyond dynamics.h: a solver of bodies in space
 * (space_solver.h) behind that interface.
 *
 * All calls are for dynamics made of a phenotype with boxes. dynamics_q() has the coordinates of
 * all joints, the root's first (space_joint.h: x, y, z and a quaternion, of no turn at birth),
 * dynamics_qd() their rates, which dynamics_dof() counts; drives are the freedoms of joints in the
 * order of their rates. */
#ifndef SIMULATOR_BOXES_DYNAMICS_BOXES_H
#define SIMULATOR_BOXES_DYNAMICS_BOXES_H

#include "common/body/box_body.h"
#include "simulator/body/dynamics_solver.h"
#include "simulator/body/model.h"
#include "simulator/boxes/space_solver.h"

extern const struct dynamics_solver dynamics_boxes, dynamics_boxes_constraint;

/* The body and its surroundings, as the solver of bodies in space wants them; all memory is the
 * arena's. */
struct box_scene {
    struct space_body body;
    struct space_world world;
};

/* The links and boxes of a body, root at the origin. ERR_MEMORY when the arena is full. */
int box_scene_create(struct box_scene *scene, const struct phenotype *phenotype,
                     const struct world *world, struct arena *arena);
/* Sets what needs no memory of the world. The obstacles of creation stay, or all of them go. */
void box_scene_set_world(struct box_scene *scene, const struct world *world);

/* The body for other programs; as in struct body_physics. */
int dynamics_boxes_model(const struct phenotype *phenotype, const struct world *world,
                         const struct dynamics_settings *settings, struct body_model *model,
                         struct arena *arena);

/* The body's tree at the present state; good until the next step. */
const struct space_tree *dynamics_boxes_tree(const struct dynamics *dynamics);

#endif

/* What surrounds a creature, in the form the dynamics use; made from the world.* parameters. */
#ifndef SIMULATOR_WORLD_H
#define SIMULATOR_WORLD_H

#include "common/params.h"

struct world {
    double gravity_m_s2;         /* downwards */
    double gravity_x_m_s2;       /* to the right; only in scenes */
    double viscosity_pa_s;       /* linear, per face: force per length and normal speed */
    int drag_law;                /* DRAG_LAW_* */
    double quadratic_drag_kg_m2; /* of that law: force per length and normal speed squared */
    int drag_faces;              /* DRAG_FACES_* */
    int drag_exposure;           /* covered and facing edges feel none */
    int has_ground;              /* plane y = 0 */
    double friction;
    double elasticity;
};

/* 1 if the world's law of viscosity slows anything. */
int world_has_drag(const struct world *world);
void world_init(struct world *world, const struct params *params);

#endif

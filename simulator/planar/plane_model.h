/* The model of a body in the plane for other programs (simulator/body/model.h). */
#ifndef SIMULATOR_PLANAR_PLANE_MODEL_H
#define SIMULATOR_PLANAR_PLANE_MODEL_H

#include "simulator/body/model.h"

/* As in struct body_physics. The root slides along x and y and turns about z. */
int plane_model(const struct phenotype *phenotype, const struct world *world,
                const struct dynamics_settings *settings, struct body_model *model,
                struct arena *arena);

#endif

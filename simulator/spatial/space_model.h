/* The model of bodies in space for other programs (simulator/body/model.h). */
#ifndef SIMULATOR_SPATIAL_SPACE_MODEL_H
#define SIMULATOR_SPATIAL_SPACE_MODEL_H

#include "simulator/body/model.h"
#include "simulator/spatial/steps/space_dynamics.h"

/* Links, and boxes as parts; root_rates is 0, joints have no names, and servos are for the caller
 * to put. 0, or ERR_MEMORY. */
int space_model(const struct space_body *body, struct body_model *model, struct arena *arena);
/* See struct body_model: of that law, with nothing hidden. */
double space_model_medium(const struct space_drag_law *drag);

#endif

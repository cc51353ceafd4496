/* Shared by all kinds whose bodies are links (common/growth/body.h): for their rows of physics. */
#ifndef SIMULATOR_BODY_LINKED_BODY_H
#define SIMULATOR_BODY_LINKED_BODY_H

#include "simulator/body/physics.h"

/* As struct body_physics has it: links, their joints and parts; and servos, as the default solver
 * has them at birth. In the plane the root slides along x and y and turns about z. */
int linked_body_model(const struct phenotype *phenotype, const struct world *world,
                      const struct dynamics_settings *settings, struct body_model *model,
                      struct arena *arena);

/* Fills all but servos, which are for the caller to put; and nothing is said of a medium. */
int linked_body_fill(const struct phenotype *phenotype, struct body_model *model,
                     struct arena *arena);

/* A verdict on links whose masses are too far apart for the steps, and on parts too thin for
 * explicit ones: 2 k h per density, m, of the linear law of drag; 0 if steps are not explicit. */
int linked_body_judge(const struct phenotype *phenotype, const struct params *params,
                      double drag_length_m);

/* Writes values and rates of all drives. */
void linked_body_feel(struct senses *senses, const struct dynamics *dynamics);

#endif

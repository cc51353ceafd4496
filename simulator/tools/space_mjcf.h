/* A scene in three dimensions for MuJoCo (mjcf.h). */
#ifndef SIMULATOR_TOOLS_SPACE_MJCF_H
#define SIMULATOR_TOOLS_SPACE_MJCF_H

#include <stdio.h>

#include "simulator/tools/scenes/space_scene.h"

/* Bodies, joints, boxes, world, servos and the start, with the scene's step; and the controls of
 * the servos over so many steps. Either file may be NULL. Freedoms that follow a motion are free
 * there. 0, or ERR_MEMORY when the arena is full. */
int space_mjcf_write(const struct space_scene *scene, const char *name, FILE *model, FILE *signals,
                     uint64_t steps, struct arena *arena);

#endif

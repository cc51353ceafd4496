/* simulator scene: the motion of a scene (docs/scenes.md), as a trace and a summary. */
#ifndef SIMULATOR_TOOLS_COMMAND_SCENE_H
#define SIMULATOR_TOOLS_COMMAND_SCENE_H

#include "common/system/options.h"

extern const struct command scene_command;

#endif

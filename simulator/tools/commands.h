/* The commands of `simulator`, a row each in main.c. */
#ifndef SIMULATOR_TOOLS_COMMANDS_H
#define SIMULATOR_TOOLS_COMMANDS_H

#include "common/system/options.h"

extern const struct command contest_command, evaluate_command, export_command, garden_command,
    preserve_command, scene_command, take_command;

#endif

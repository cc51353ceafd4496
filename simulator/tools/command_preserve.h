/* simulator preserve: a world of creatures that eat, breed and die. */
#ifndef SIMULATOR_TOOLS_COMMAND_PRESERVE_H
#define SIMULATOR_TOOLS_COMMAND_PRESERVE_H

#include "common/system/options.h"

extern const struct command preserve_command;

#endif

/* simulator take: a creature of a preserve as a file of its own. */
#ifndef SIMULATOR_TOOLS_COMMAND_TAKE_H
#define SIMULATOR_TOOLS_COMMAND_TAKE_H

#include "common/system/options.h"

extern const struct command take_command;

#endif

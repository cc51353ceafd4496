/* simulator contest: two creatures in one world, and the winner. */
#ifndef SIMULATOR_TOOLS_COMMAND_CONTEST_H
#define SIMULATOR_TOOLS_COMMAND_CONTEST_H

#include "common/system/options.h"

extern const struct command contest_command;

#endif

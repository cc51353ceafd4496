/* simulator garden: founders and descendants of a preserve in the same fresh water. */
#ifndef SIMULATOR_TOOLS_COMMAND_GARDEN_H
#define SIMULATOR_TOOLS_COMMAND_GARDEN_H

#include "common/system/options.h"

extern const struct command garden_command;

#endif

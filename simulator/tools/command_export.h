/* simulator export: see command_export.c. */
#ifndef SIMULATOR_TOOLS_COMMAND_EXPORT_H
#define SIMULATOR_TOOLS_COMMAND_EXPORT_H

#include "common/system/options.h"

extern const struct command export_command;

#endif

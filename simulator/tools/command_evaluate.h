/* simulator evaluate: one creature, one evaluation, all measures. */
#ifndef SIMULATOR_TOOLS_COMMAND_EVALUATE_H
#define SIMULATOR_TOOLS_COMMAND_EVALUATE_H

#include "common/system/options.h"

extern const struct command evaluate_command;

#endif

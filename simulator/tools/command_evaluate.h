/* simulator evaluate: one creature, one evaluation, all measures. */
#ifndef SIMULATOR_TOOLS_COMMAND_EVALUATE_H
#define SIMULATOR_TOOLS_COMMAND_EVALUATE_H

/* argv[0] is "evaluate". Returns the exit code: 0, 1 failed, 2 wrong usage. */
int command_evaluate(int argc, char **argv);

#endif

/* simulator export: see command_export.c. */
#ifndef SIMULATOR_TOOLS_COMMAND_EXPORT_H
#define SIMULATOR_TOOLS_COMMAND_EXPORT_H

/* argv[0] is the command's name. Returns the exit code of the program. */
int command_export(int argc, char **argv);

#endif

/* Files with the packed state of a preserve, as `controller save` writes them. */
#ifndef SIMULATOR_TOOLS_STATE_FILE_H
#define SIMULATOR_TOOLS_STATE_FILE_H

#include "simulator/preserve/preserve_state.h"

/* Initialises `state`, and leaves it empty on error. Messages name the path. */
int state_file_read(const char *path, struct preserve_state *state, struct error *error);
/* The same of a file with one packed egg, which becomes the only content of the state. */
int egg_file_read(const char *path, struct preserve_state *state, struct error *error);

#endif

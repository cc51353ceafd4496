/* A report of the controller at work (control.h): one JSON object on one line, the keys as
 * docs/run-store.md has them. Read by `controller status`. */
#ifndef CONTROLLER_RUN_LIVE_H
#define CONTROLLER_RUN_LIVE_H

#include "controller/workers/farm.h"
#include "controller/run/progress.h"

/* Allocated with malloc, freed by the caller; NULL if memory is out. `farm` may be NULL. */
char *live_print(const struct farm *farm, const struct progress_state *state, double rate_hz);

#endif

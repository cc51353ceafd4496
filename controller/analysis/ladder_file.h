/* A ladder as a file: RUN_DIR/progress.json, from which the run's report draws it. Its
 * contents are a stranger's until they are checked. */
#ifndef CONTROLLER_REPORT_LADDER_FILE_H
#define CONTROLLER_REPORT_LADDER_FILE_H

#include "controller/analysis/ladder.h"

#define LADDER_FILE_NAME "progress.json"

/* Into a run's directory, in the place of an earlier one. 0, or ERR_* with a message. */
int ladder_write(const struct ladder *ladder, const char *directory, struct error *error);
/* ERR_MISSING if there is none. On an error the ladder is empty. */
int ladder_read(struct ladder *ladder, const char *directory, struct error *error);

#endif

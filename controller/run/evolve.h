/* The run itself: search, farm and store on one libuv loop, until the last generation is complete
 * or is stopped. */
#ifndef CONTROLLER_RUN_EVOLVE_H
#define CONTROLLER_RUN_EVOLVE_H

#include "controller/run/progress.h"
#include "controller/evolution/search.h"
#include "controller/evolution/seeding.h"
#include "controller/store/store.h"
#include "controller/workers/farm.h"

struct evolve_settings {
    struct farm_settings farm; /* log_directory is left to the run */
    const char *directory;     /* RUN_DIR */
    struct search *search;     /* its current generation is open in the store; NULL in a preserve */
    const struct seeding *seeding; /* founders of a preserve */
    struct store *store;           /* open for writing */
    struct progress *progress;
    struct run_log *log; /* kept short */
};

/* Whether such a run can begin: ERR_RANGE with a message. */
int preserve_check_run(const struct params *params, int founder_count, struct error *error);

enum evolve_outcome { EVOLVE_FINISHED, EVOLVE_STOPPED };

/* Evaluates, advances and stores. SIGINT, SIGTERM and SIGHUP stop it cleanly (EVOLVE_STOPPED); a
 * second signal ends the process at once with exit code 130. 0, or ERR_* with a message; what was
 * stored until then can be resumed in any case. */
int evolve_run(const struct evolve_settings *settings, enum evolve_outcome *outcome,
               struct error *error);

#endif

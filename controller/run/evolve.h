/* The run itself: search, farm and store on one libuv loop, until the last generation is complete
 * or is stopped. */
#ifndef CONTROLLER_RUN_EVOLVE_H
#define CONTROLLER_RUN_EVOLVE_H

#include "controller/run/progress.h"
#include "controller/evolution/search.h"
#include "controller/evolution/seeding.h"
#include "controller/store/store.h"
#include "controller/workers/farm.h"
#include "controller/evolution/contests.h"

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

/* Contests that belong to no generation, on a farm of their own (controller/workers/farm.h).
 *
 *   contests_ask ---> reuse: known already? ---> farm ---> contests_tell, until all have an outcome
 *
 * Pairs that move alike in all have the result of the first of them. The outcome is the same
 * for any number of workers. */

struct matches_settings {
    struct farm_settings farm; /* its params are those of the contests, too; it keeps no logs */
    /* Is told now and then, and at the end, how many bouts are done and were simulated for it;
     * NULL: none is. */
    void (*on_progress)(int done, int count, uint64_t simulated);
    void (*on_notice)(const char *text); /* a message for the user; NULL: it is dropped */
};

/* Plays all that contests_open_pairs() has planned. 0, or ERR_* with a message. */
int matches_play(const struct matches_settings *settings, struct contests *contests,
                 struct error *error);

#endif

/* Contests that belong to no generation, on a farm of their own (controller/workers/farm.h).
 *
 *   contests_ask ---> reuse: known already? ---> farm ---> contests_tell, until all have an outcome
 *
 * Pairs that move alike in all have the result of the first of them. The outcome is the same
 * for any number of workers. */
#ifndef CONTROLLER_RUN_MATCHES_H
#define CONTROLLER_RUN_MATCHES_H

#include "controller/evolution/contests.h"
#include "controller/workers/farm.h"

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

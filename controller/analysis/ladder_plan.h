/* Finds the pairs that meet in the ladder of a run, from its store (ladder.h). */
#ifndef CONTROLLER_REPORT_LADDER_PLAN_H
#define CONTROLLER_REPORT_LADDER_PLAN_H

#include "controller/evolution/contests.h"
#include "controller/analysis/ladder.h"
#include "controller/store/store.h"

struct ladder_wishes {
    int rungs;   /* at most, 3 .. LADDER_RUNGS_MAX; if `every` is 0 */
    int every;   /* a rung is each so many-th generation, from the last one back; 0: by `rungs` */
    int bouts;   /* of a pair: 2 or 4 */
    int samples; /* pairs of the members of two rungs, 0 .. LADDER_SAMPLES_MAX */
    int panel;   /* creatures, 0 .. LADDER_PANEL_MAX */
};

struct ladder_plan {
    struct ladder ladder; /* whose meetings have no margins yet */
    struct individual *players;
    int player_count, player_room;
    struct contests_pair *pairs; /* a and b of the meetings, which stand in a row for each pair */
    int pair_count, pair_room;
    int bouts_of_one; /* contests_bouts_of_one() */
};

/* ERR_RANGE for a run that is none of contests, or has too few generations; ERR_LIMIT for too many
 * meetings. On an error nothing is to deinit. */
int ladder_plan_make(struct ladder_plan *plan, struct store *store, const struct params *params,
                     const struct ladder_wishes *wishes, struct error *error);
void ladder_plan_deinit(struct ladder_plan *plan);
/* Opens its contests, and takes what they came to. The former gives 0 or ERR_MEMORY. */
int ladder_plan_open(const struct ladder_plan *plan, struct contests *contests);
void ladder_plan_take(struct ladder_plan *plan, const struct contests *contests);

#endif

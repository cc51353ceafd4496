/* The kept facts of a complete generation: ranks and their sums. They are made before the search
 * advances and gives the population up. */
#ifndef CONTROLLER_EVOLUTION_CLOSING_H
#define CONTROLLER_EVOLUTION_CLOSING_H

#include "controller/evolution/search.h"

struct generation_closing {
    int count, unjudged; /* ranked; members besides */
    int more;            /* evaluations that were not expected when it was opened */
    double mean, median; /* of the ranked fitness */
    struct generation_rank {
        uint64_t id;
        double fitness;
        int survived;
        int cell, trials, is_waiting; /* of the archive; 0 = not in it */
    } * ranks;                        /* best first */
};

/* From the ranked population. 0 or ERR_MEMORY (then empty). */
int generation_closing_init(struct generation_closing *closing, const struct population *ranked,
                            int survivor_count);
void generation_closing_deinit(struct generation_closing *closing);

#endif

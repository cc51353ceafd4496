/* Rows of a run store, as controller and viewer see them. */
#ifndef COMMON_STORE_RUN_ROWS_H
#define COMMON_STORE_RUN_ROWS_H

#include <stdint.h>

#include "common/judge/trial.h"

/* A closed generation. */
struct store_generation {
    uint32_t generation;
    double best, median, mean; /* fitness of the members */
    uint64_t best_id;
    int64_t evaluations; /* up to and including this generation */
    int64_t cells;       /* of the archive, filled when it was closed; 0 if there is none */
};

struct store_choice {
    uint32_t generation;
    uint64_t id;
    int choice; /* enum choice */
};

/* A bout of two creatures, in a run of contests. */
struct store_contest {
    uint32_t generation;
    uint64_t ids[2];
    struct trial trial;
    uint64_t seed;
    int verdicts[2];
    double margins[2]; /* as the measure contest_margin */
    uint64_t digest;
};

#endif

/* A contest: two creatures in one world, and their goal. The rules are in
 * common/judge/contest.h. */
#ifndef SIMULATOR_EVALUATE_CONTEST_H
#define SIMULATOR_EVALUATE_CONTEST_H

#include "common/judge/contest.h"
#include "common/judge/trial.h"
#include "simulator/evaluate/evaluate.h"

/* Most bodies of a contest: creatures 0 and 1, which are the first and the second, and the object,
 * 2. */
enum { CONTEST_BODIES = 3 };
/* Enough for any contest. */
#define CONTEST_ARENA_BYTES (CONTEST_BODIES * EVALUATE_ARENA_BYTES)

/* Which of a pair, 0 or 1, is the first in a bout: by the genomes, so that a pair has the same
 * contest in either order. */
int contest_first(const struct genome *const genomes[2], const struct contest_bout *bout);
struct contest_pair {
    struct contest_bout bouts[CONTEST_BOUTS];
    struct contest_result results[CONTEST_BOUTS];
    int is_equal;    /* both move alike: it is even, and nothing was simulated */
    double margin;   /* the first one's, mean of the bouts */
    uint64_t digest; /* of all bouts */
};
/* All bouts of a pair that contest_check() lets pass. */
void evaluate_pair(const struct genome *const genomes[2], const struct params *params,
                   struct arena *arena, struct contest_pair *pair);

#endif

/* A contest: two creatures in one world, and what they contend for. The rules are in common/judge/contest.h. */
#ifndef SIMULATOR_EVALUATE_CONTEST_H
#define SIMULATOR_EVALUATE_CONTEST_H

#include "common/judge/contest.h"
#include "simulator/evaluate/evaluate.h"

/* Most bodies of a contest: creatures 0 and 1, which are the first and the second, and the object, 2. */
enum { CONTEST_BODIES = 3 };

/* Genomes and parameters (contest_apply() made them) that contest_check() lets pass; the first genome is at -x. Depends on
 * its inputs only. The observer (NULL: none) sees each body after every tick. */
void evaluate_contest(const struct genome *const genomes[2], const struct params *params,
                      uint64_t seed, double heading_rad, struct arena *arena,
                      evaluate_observer *observer, void *context, struct contest_result *result);
/* Of a bout of a pair: the result is of the genomes as they are given, exchanged or not. */
void evaluate_bout(const struct genome *const genomes[2], const struct params *params,
                   const struct contest_bout *bout, struct arena *arena,
                   evaluate_observer *observer, void *context, struct contest_result *result);

#endif

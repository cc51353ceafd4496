/* The referee's trials: further simulations of a creature at the top, which its score has to
 * survive. Pure functions; the search decides when a creature is tried. */
#ifndef CONTROLLER_EVOLUTION_REFEREE_H
#define CONTROLLER_EVOLUTION_REFEREE_H

#include "common/judge/trial.h"
#include "controller/evolution/search.h"

/* guard.perturbed_runs and guard.fine_runs; the cheap ones come first. */
int referee_trial_count(const struct params *params);

/* Trial 0 .. count - 1 of a creature that has come to the top or into the archive. */
struct trial referee_trial(int number, const struct params *params);

/* Fitness in a trial; 0 if it leads the other way than the individual's own evaluation did. */
double referee_fitness(const struct individual *individual, int verdict,
                       const struct measures *measures, const struct params *params);

/* The outcome of a trial, in words: "keeps 93 % from perturbed start 1 at h/4". */
void referee_describe(const struct individual *individual, const struct trial *trial, int verdict,
                      const struct measures *measures, const struct params *params, char *text,
                      size_t size);

#endif

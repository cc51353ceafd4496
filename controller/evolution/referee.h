/* The referee's trials: further simulations of a creature at the top, which its score has to
 * survive. Pure functions; the search decides when a creature is tried. */
#ifndef CONTROLLER_EVOLUTION_REFEREE_H
#define CONTROLLER_EVOLUTION_REFEREE_H

#include "common/judge/trial.h"
#include "controller/evolution/search.h"

/* guard.perturbed_runs and guard.fine_runs; the cheap ones come first. */
int referee_trial_count(const struct params *params);

/* How far a creature was tried: a stage ends with the last of its trials, or with a refusal. */
enum referee_stage {
    REFEREE_NOT,
    REFEREE_TOP, /* in the trials that all of the top have */
    REFEREE_FIRST /* and in those of the first of all: the others at the run's step, the finer ones */
};
/* The stage that trial belongs to. */
int referee_stage(int number, const struct params *params);
/* The first trial after a stage. */
int referee_trial_after(int stage, const struct params *params);
/* How far a creature in the top, or the first of all, has to be tried; REFEREE_NOT if the
 * parameters have no trial for it. */
int referee_find_wanted(int is_first, const struct params *params);
/* The share of its score that a creature leaves its children while they are untried: what the
 * referee left it, or else its own ancestor; 0: not known. */
double referee_kept(const struct individual *individual, const struct params *params);

/* Trial 0 .. count - 1 of a creature that has come to the top or into the archive. Creatures that
 * move alike have the same ones. */
struct trial referee_trial(const struct individual *individual, int number,
                           const struct params *params);

/* Fitness in a trial; 0 if it leads the other way than the individual's own evaluation did. */
double referee_fitness(const struct individual *individual, int verdict,
                       const struct measures *measures, const struct params *params);

/* The outcome of a trial, in words: "keeps 93 % from perturbed start 1 at h/4". */
void referee_describe(const struct individual *individual, const struct trial *trial, int verdict,
                      const struct measures *measures, const struct params *params, char *text,
                      size_t size);

#endif

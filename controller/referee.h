/* The referee's trials: further simulations of a creature that stands at the top, which its score has
 * to survive. Pure functions; who is called when is the search's affair. */
#ifndef CONTROLLER_REFEREE_H
#define CONTROLLER_REFEREE_H

#include "controller/search.h"
#include "proto/message.h"

/* guard.perturbed_runs and one at a quarter of the step; the cheap ones come first. */
int referee_trial_count(const struct params *params);

/* Halvings and perturbation of a trial, 0 .. count - 1, for its task. */
void referee_set_up(int trial, const struct params *params, struct task *task);

/* Fitness in a trial; 0 if it leads the other way than the individual's own evaluation did. */
double referee_fitness(const struct individual *individual, int verdict,
                       const struct measures *measures, const struct params *params);

/* What a trial came to, in words: "keeps 93 % at a quarter of the step". */
void referee_describe(const struct individual *individual, int trial, int verdict,
                      const struct measures *measures, const struct params *params, char *text,
                      size_t size);
/* Whether the other solver is to judge: guard.other_solver, but not where it is the same, since
 * `constraint` does not know spheres. */
int referee_has_other_solver(const struct individual *individual, const struct params *params);

/* As referee_describe(), of the other solver's simulation. */
void referee_describe_solver(const struct individual *individual, int verdict,
                             const struct measures *measures, const struct params *params,
                             char *text, size_t size);

#endif

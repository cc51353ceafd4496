/* Trials of the referee. A motion that lives on an error of integration fails at a finer step;
 * one that lives on a coincidence fails from another start. So a creature is simulated again
 * from other poses and heights, on slopes and with more or less friction, as the exam does
 * (simulation.perturbation), at the step and at a quarter of it. An exactly symmetric start could
 * balance at any step. The worst trial counts.
 *
 * A trial at a quarter of the step costs four others, and it decided the score of 54 of 3289
 * swimmers that had it: so it is for the first of all, whose score leads the run. */
#include "controller/evolution/referee.h"

#include <math.h>
#include <stdio.h>

#include "common/judge/behaviour.h"
#include "common/math/detmath.h"

int referee_trial_count(const struct params *params)
{
    return (int)(params->guard_perturbed_runs + params->guard_fine_runs);
}

int referee_stage(int number, const struct params *params)
{
    ENSURE(number >= 0 && number < referee_trial_count(params), "trial %d of %d", number,
           referee_trial_count(params));
    return number < params->guard_perturbed_runs ? REFEREE_AT_STEP : REFEREE_FINE;
}

int referee_trial_after(int stage, const struct params *params)
{
    if (stage == REFEREE_FINE)
        return referee_trial_count(params);
    return stage == REFEREE_AT_STEP ? (int)params->guard_perturbed_runs : 0;
}

int referee_find_wanted(int is_first, const struct params *params)
{
    if (is_first && params->guard_fine_runs > 0)
        return REFEREE_FINE;
    return params->guard_perturbed_runs > 0 ? REFEREE_AT_STEP : REFEREE_NOT;
}

double referee_kept(const struct individual *individual, const struct params *params)
{
    double own = behaviour_fitness(individual->verdict, &individual->measures, params);

    /* one that was refused left nothing, and its children are other creatures */
    if (individual->heard == REFEREE_NOT || !(individual->fitness > 0))
        return individual->kept;
    return fmin(1, individual->referee_fitness / own);
}

/* 1, 8, 2, 7, ...: starts k and 9 - k are off in opposite ways (simulator/evaluate/perturb.c), so
 * that two trials have all signs. */
static int find_start(int number)
{
    int pair = number % TRIAL_RUN_STARTS / 2;

    return number % 2 == 0 ? pair + 1 : TRIAL_RUN_STARTS - pair;
}

struct trial referee_trial(int number, const struct params *params)
{
    int is_fine = referee_stage(number, params) == REFEREE_FINE;

    return (struct trial){.purpose = TRIAL_ENTRY,
                          .perturbation = find_start(number),
                          .halvings = is_fine ? TRIAL_FINE_HALVINGS : 0};
}

/* More than a right angle apart. */
static int is_turned(const struct individual *individual, const struct measures *measures,
                     const struct params *params)
{
    return behaviour_apart_rad(&individual->measures, measures, params) > 0.5 * DET_PI;
}

double referee_fitness(const struct individual *individual, int verdict,
                       const struct measures *measures, const struct params *params)
{
    if (is_turned(individual, measures, params))
        return 0;
    return behaviour_fitness(verdict, measures, params);
}

void referee_describe(const struct individual *individual, const struct trial *trial, int verdict,
                      const struct measures *measures, const struct params *params, char *text,
                      size_t size)
{
    double own = behaviour_fitness(individual->verdict, &individual->measures, params);
    double share = own > 0 ? behaviour_fitness(verdict, measures, params) / own : 0;
    char where[80];

    trial_describe(trial, params, where, sizeof where);
    if (!verdict_is_scored(verdict))
        snprintf(text, size, "disqualified %s: %s", where, verdict_name(verdict));
    else if (is_turned(individual, measures, params))
        snprintf(text, size, "goes the other way %s", where);
    else
        snprintf(text, size, "keeps %.0f %% %s", fmin(100 * share, 1e6), where);
}

/* Trials of the referee. A motion that lives on an error of integration fails at a finer step;
 * one that lives on a coincidence fails from another start. So a creature is simulated again
 * from other poses and heights, on slopes and with more or less friction, as the exam does
 * (simulation.perturbation), at the step and at a quarter of it. An exactly symmetric start could
 * balance at any step. The worst trial counts.
 *
 * The second half of the trials at the step is for the first of all, whose score leads the run, and
 * so is a trial at a quarter of the step, which costs four others and decided the score of 54 of
 * 3289 swimmers that had it. */
#include "controller/evolution/referee.h"

#include <math.h>
#include <stdio.h>

#include "common/judge/behaviour.h"
#include "common/math/detmath.h"

int referee_trial_count(const struct params *params)
{
    return (int)(params->guard_perturbed_runs + params->guard_fine_runs);
}

/* Trials that are for all of the top: half of those at the step. A mean needs all of them. */
static int count_for_all(const struct params *params)
{
    int runs = (int)params->guard_perturbed_runs;
    return params->guard_score == SCORE_MEAN ? runs : (runs + 1) / 2;
}

int referee_stage(int number, const struct params *params)
{
    ENSURE(number >= 0 && number < referee_trial_count(params), "trial %d of %d", number,
           referee_trial_count(params));
    return number < count_for_all(params) ? REFEREE_TOP : REFEREE_FIRST;
}

int referee_trial_after(int stage, const struct params *params)
{
    if (stage == REFEREE_FIRST)
        return referee_trial_count(params);
    return stage == REFEREE_TOP ? count_for_all(params) : 0;
}

int referee_find_wanted(int is_first, const struct params *params)
{
    int count = count_for_all(params);
    if (is_first && referee_trial_count(params) > count)
        return REFEREE_FIRST;
    return count > 0 ? REFEREE_TOP : REFEREE_NOT;
}

double referee_kept(const struct individual *individual, const struct params *params)
{
    double own = behaviour_fitness(individual->verdict, &individual->measures, params);
    /* one that has nothing left leaves nothing, and its children are other creatures */
    if (individual->heard == REFEREE_NOT || !(individual->fitness > 0))
        return individual->kept;
    return fmin(1, individual->fitness / own);
}

/* 1, 8, 2, 7, ...: starts k and 9 - k are off in opposite ways (simulator/evaluate/perturb.c), so
 * that two trials have all signs. The one that comes first has more friction: where the second one
 * is for the first of all alone, creatures change them about, and a run knows both. */
static int find_start(int number)
{
    int pair = number % TRIAL_RUN_STARTS / 2;
    return number % 2 == 0 ? pair + 1 : TRIAL_RUN_STARTS - pair;
}

struct trial referee_trial(const struct individual *individual, int number,
                           const struct params *params)
{
    int is_fine = number >= params->guard_perturbed_runs;
    return (struct trial){.purpose = TRIAL_ENTRY,
                          .perturbation = find_start(number ^ (int)(individual->seed & 1)),
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

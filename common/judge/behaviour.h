/* Behaviours: fitness as a function of measures. One table; the simulator knows nothing of it. */
#ifndef COMMON_JUDGE_BEHAVIOUR_H
#define COMMON_JUDGE_BEHAVIOUR_H

#include <stddef.h>

#include "common/judge/measures.h"
#include "common/params/params.h"

struct behaviour_info {
    const char *name; /* as in evolution.behaviour, same order */
    const char *formula;
    const char *source;
    double (*fitness)(const struct measures *measures, const struct params *params);
    /* Says in words why that is not above 0, in at most BEHAVIOUR_WORDS_SIZE bytes; NULL: `words`
     * do, a format of the two measures. */
    void (*explain)(const struct measures *measures, const struct params *params, char *words);
    /* The way that fitness pays for, where a creature must get on all the time (early_stop.h); NULL where
     * a late start may still win. In metres, or in sizes as fitness takes them. */
    double (*way)(const struct measures *measures, const struct params *params);
    int is_way_in_sizes;
    int has_direction;   /* it leads somewhere: the other way is another motion */
    int is_zero_at_rest; /* a creature that was stopped as `motionless` has 0 */
    const char *words;
    int told[2];
};
extern const struct behaviour_info behaviours[BEHAVIOUR_COUNT];

/* Fitness under params->evolution_behaviour: finite and >= 0; 0 for verdicts without a score. */
double behaviour_fitness(int verdict, const struct measures *measures, const struct params *params);

/* Why fitness is 0, in words: 1, or 0 and nothing where it is not. */
#define BEHAVIOUR_WORDS_SIZE 120
int behaviour_explain_zero(int verdict, const struct measures *measures,
                           const struct params *params, char words[BEHAVIOUR_WORDS_SIZE]);

/* 0 if no fitness can be computed of these measures: it is not a finite number. It counts as 0
 *   then. */
int behaviour_is_defined(const struct measures *measures, const struct params *params);
/* Whether a run of these parameters may record that fitness of a creature whose own is `own`: the
 * same, 0 (the referee refused it, where there is one), or, but for guard.score = own, what it kept
 * in its trials, or less. */
int behaviour_can_record(double fitness, double own, const struct params *params);

/* The angle between where two evaluations led, rad; 0 for behaviours that have no direction. Where
 * things fall the ways along the ground are compared. */
double behaviour_apart_rad(const struct measures *one, const struct measures *other,
                           const struct params *params);

/* Checks fitness.expression, of which params_check() does not know: 0, or an error that names the
 * column. */
int behaviour_check_params(const struct params *params, struct error *error);
/* Checks that nothing of it is ignored: an expression where fitness is something else. 0 or an
 * error. */
int behaviour_check_use(const struct params *params, struct error *error);

#endif

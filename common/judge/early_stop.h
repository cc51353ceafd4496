/* Paces: how fast a creature gets on. Bars: slower creatures are stopped, as they are not worth
 * the rest of their time (verdict hopeless).
 *
 * A bar comes from creatures that have been judged already (controller/evolution/search.c), is set
 * when a child is born, and stays with it: the task of its first trial carries it, and the run
 * store keeps it. So a stop depends on nothing but genome, parameters, seed and bar. Other trials
 * have none: a creature that gets on a little worse from another start is not cut short. */
#ifndef COMMON_JUDGE_EARLY_STOP_H
#define COMMON_JUDGE_EARLY_STOP_H

#include "common/judge/measures.h"
#include "common/params/params.h"

/* A creature is stopped when its mean pace will be less than one of these, though it moves somewhat
 * faster from now on (simulator/evaluate/guards.c); 0 = no bar. The bar raises guard.hopeless_m_s
 * and guard.hopeless_sizes_s, in their units. */
struct early_stop_bar {
    double m_s;     /* metres per second */
    double sizes_s; /* the creature's own sizes per second */
};

/* The largest bar of either kind, as for the parameters. */
#define EARLY_STOP_MAX 1000.0

/* The pace of a finished evaluation: the mean over simulation.duration_s, in sizes per second where
 * fitness counts sizes, else in m/s. 0 where it is not known, or not finite. */
double early_stop_of(const struct measures *measures, const struct params *params);
/* The bar of guard.hopeless_share of that pace. */
struct early_stop_bar early_stop_make_bar(double pace, const struct params *params);
int early_stop_has_bar(const struct early_stop_bar *bar);
/* 1 if an evaluation with the bar `held` and this outcome (verdict, measures, least pace:
 * simulator/evaluate/evaluate.h) would have had the same with `bar`; 0 also where that is not
 * known. */
int early_stop_is_same(const struct early_stop_bar *held, const struct early_stop_bar *bar,
                       int verdict, const struct measures *measures, double pace_least_m_s,
                       const struct params *params);
/* Raises the parameters of an evaluation to the bar; in a record, only if the bar has stopped the
 * creature: the record of another one holds for other trials, too. */
void early_stop_apply_bar(const struct early_stop_bar *bar, struct params *params);

#endif

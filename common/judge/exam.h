/* The exam of a champion: whether the best of a run keeps its score where a score that lives on the
 * step, on a coincidence or on the solver is lost. Its starts differ by what a creature must bear
 * (simulator/evaluate/perturb.c), and none of them is a start of the run's own trials.
 *
 *   all exam.starts starts, at a quarter of the step
 *   the first EXAM_SOLVER_RUNS starts, with the other solver
 *
 * A start is passed with guard.referee_share of its own score, and more than 0. In either row as
 * many may fail as exam.pass leaves of exam.starts. The second half of the first row, and the second
 * row, which costs twelve times as much, are simulated only if what is before has held. Results of
 * a part may come in any order.
 *
 * A whole exam costs as much as some 430 first evaluations, so that of a short run is cut. */
#ifndef COMMON_JUDGE_EXAM_H
#define COMMON_JUDGE_EXAM_H

#include "common/params/params.h"
#include "common/judge/trial.h"

#define EXAM_SOLVER_RUNS 4
#define EXAM_STARTS_MAX  TRIAL_EXAM_STARTS
#define EXAM_WORDS_SIZE  192

struct exam {
    double share;     /* guard.referee_share */
    double own;       /* the champion's own score, at h from its unperturbed start */
    int solver;       /* the other one; -1: it is not asked */
    int solver_count; /* trials with it */
    int starts, pass; /* exam.starts, exam.pass */
    int is_cut;       /* there are less than the parameters say */
    int asked, told;
    double solver_scores[EXAM_SOLVER_RUNS], fine_scores[EXAM_STARTS_MAX];
};

void exam_begin(struct exam *exam, double own, int body_kind, const struct params *params);
/* The cost of all its trials, in first evaluations, by their steps: so that it is the same
 * everywhere. */
double exam_cost(const struct exam *exam);
/* Before the first trial: leaves as many trials as that many first evaluations pay for, but at
 * least one at a quarter of the step. The share that may fail stays, rounded down. */
void exam_cut(struct exam *exam, double evaluations);
/* Trials, if the first row holds. */
int exam_trial_count(const struct exam *exam);
/* 1 and the next trial to be simulated; 0 if all are under way or the exam is over. */
int exam_ask(struct exam *exam, struct trial *trial);
/* The fitness of a trial that was asked for; 0 if it led the other way. */
void exam_tell(struct exam *exam, const struct trial *trial, double score);
int exam_is_over(const struct exam *exam);
/* The cost of the trials that were told. */
double exam_spent(const struct exam *exam);

/* Whether the creature passed an exam that is over. */
int exam_holds(const struct exam *exam);
/* Least score with the other solver: the own one if that is not asked, 0 if it was not simulated. */
double exam_solver_least(const struct exam *exam);
int exam_solver_passed(const struct exam *exam);
/* Trials at a quarter of the step that were simulated, their median, and how many passed. */
int exam_fine_told(const struct exam *exam);
double exam_fine_median(const struct exam *exam);
int exam_fine_passed(const struct exam *exam);
/* With "; cut to what the run cost" where it was.
 * "48.7 at h; from perturbed starts 42.1 at h/4 (median of 8, passed 8 of 8), 40.2 with solver
 * constraint (least of 4, passed 4 of 4)" */
void exam_describe(const struct exam *exam, char text[EXAM_WORDS_SIZE]);

#endif

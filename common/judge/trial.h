/* The purpose of a simulation, and how it differs from the parameters. A task carries this value
 * from the search to the worker, its log and the run store.
 *
 * As text, the same everywhere: the purpose, and the differences, joined by "+": "first",
 * "entry+perturbed-1", "champion+perturbed-3+finer-2", "champion+perturbed-1+other-solver"; of a
 * contest "first+bout-2". */
#ifndef COMMON_JUDGE_TRIAL_H
#define COMMON_JUDGE_TRIAL_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "common/params/params.h"

enum trial_purpose {
    TRIAL_FIRST,    /* the creature's own evaluation */
    TRIAL_ENTRY,    /* the referee's, of a creature that has come to the top or into the archive */
    TRIAL_CHAMPION, /* the referee's, of the best at the run's end */
    TRIAL_POLISH,   /* of a changed copy of one of the best, before the exam */
    TRIAL_PURPOSE_COUNT
};

struct trial {
    int purpose;          /* enum trial_purpose */
    int perturbation;     /* simulation.perturbation; 0 = none */
    int halvings;         /* of simulation.dt_s; 2 = a quarter of the step */
    int has_other_solver; /* the one that simulation.solver is not */
    int bout;             /* of a contest, from 1 (contest_make_bout()); 0: there is none */
};

/* Perturbed starts are of one kind (simulator/evaluate/perturb.c): first those of a run's own
 * trials, then those of the exam, then those of the polish. So no start in which a creature was
 * selected is one of the exam's. */
#define TRIAL_RUN_STARTS       8
#define TRIAL_EXAM_STARTS      32
#define TRIAL_POLISH_STARTS    8
#define TRIAL_PERTURBATION_MAX 48
#define TRIAL_HALVINGS_MAX     6
#define TRIAL_FINE_HALVINGS    2 /* the referee's quarter of the step */
#define TRIAL_BOUT_MAX         8
#define TRIAL_TEXT_SIZE        64

/* Changes the parameters of a run into those of the trial. */
void trial_apply(const struct trial *trial, struct params *params);

/* The solver that judges such bodies besides simulation.solver, or -1: guard.other_solver is off,
 * or it does not know them and would move them alike. */
int trial_other_solver(int body_kind, const struct params *params);

void trial_to_text(const struct trial *trial, char text[TRIAL_TEXT_SIZE]);
/* 0, or ERR_* with a message. */
int trial_from_text(struct trial *trial, const char *text, struct error *error);

/* The trial in words: "at h", "from perturbed start 3 at h/4 with solver constraint". */
void trial_describe(const struct trial *trial, const struct params *params, char *text,
                    size_t size);
/* Trials of that purpose, step and solver in words: "referee at h/4", from any start. */
void trial_describe_kind(const struct trial *trial, const struct params *params, char *text,
                         size_t size);
/* Orders trials by purpose, solver and step; 0 if they are of one kind in these three. */
int trial_compare_kinds(const struct trial *a, const struct trial *b);

#endif

/* Shared by the files of a run at work. evolve.c starts and ends it; the others have one side
 * each:
 *
 *   evolve_tasks        what the farm asks for, and what comes back
 *   evolve_generations  complete generations, and those that wait for choices
 *   evolve_champion     the run's best are changed a little, and take their exam
 *   evolve_contests     the same where creatures are judged by contests
 *   evolve_preserve     a run without judging: worlds and epochs
 *   evolve_orders       orders from another terminal
 */
#ifndef CONTROLLER_RUN_EVOLVE_PRIVATE_H
#define CONTROLLER_RUN_EVOLVE_PRIVATE_H

#include "common/judge/exam.h"
#include "controller/evolution/contests.h"
#include "controller/evolution/polish.h"
#include "controller/run/control.h"
#include "controller/run/evolve.h"
#include "controller/run/reuse.h"
#include "controller/run/progress.h"

enum { EVOLVE_SIGNALS = 3, CANDIDATES_MAX = 1000 }; /* as guard.exam_candidates */

struct evolve {
    const struct evolve_settings *settings;
    /* as in the settings */
    const struct params *params;
    const char *directory;
    struct search *search;
    const struct seeding *seeding;
    struct store *store;
    struct progress *progress;
    struct run_log *log;
    uv_loop_t loop;
    uv_timer_t commit, draw;
    uv_idle_t more; /* active while known results may be left */
    uv_signal_t signals[EVOLVE_SIGNALS];
    struct farm *farm;
    struct control *control;                  /* NULL: there is none */
    struct reuse *reuse[TRIAL_PURPOSE_COUNT]; /* NULL: all are simulated */
    uint64_t task_count;
    double cpu_s; /* of this process, that the store knows of */
    struct progress_state state;
    int is_stopping;
    int is_finished;
    int is_waiting;        /* for choices */
    int is_chosen;         /* the order has come to go on */
    int64_t chosen_until;  /* generations before this one have their choices from another run */
    struct polish *polish; /* under way; NULL: it is not */
    int is_polished;       /* it is over, or nothing is to be polished */
    int champion_rank;     /* in the last generation, of the candidate for champion; 0 = best */
    uint64_t failed[CANDIDATES_MAX]; /* seeds that failed the exam: others that move alike would */
    int failed_count;
    double exam_spent;     /* by the exams that are over, in first evaluations */
    double exam_price;     /* the whole of the last one, likewise */
    int is_exam_begun;     /* of that candidate */
    int is_champion_known; /* or that none has passed */
    struct exam exam;
    struct contests *contests; /* NULL: each is judged alone */
    int64_t contests_of;       /* the generation whose contests are planned; -1: none */
    int is_contest_exam;       /* they are the champion's exam */
    struct evolve_preserve
        *preserve;      /* NULL: it is no run of a preserve. Else there is no search */
    struct error error; /* code 0: none */
};

/* ---- evolve.c ---- */

/* The run ends when the farm has gone. */
void evolve_stop(struct evolve *evolve);
/* Ends the run if `status` is an error, and says so in the log; its general text is the message if
 * evolve->error has none. Returns the status. */
int evolve_end_if(struct evolve *evolve, int status);
/* Writes an event into the store. 0, or ERR_*, and the run ends. */
int evolve_put_event(struct evolve *evolve, const char *event, const char *detail);

/* ---- evolve_generations.c ---- */

/* For the progress line: what it begins with, of a run that goes on what was before; and where it
 * is. The first is 0 or ERR_*, with a message in evolve->error. */
int evolve_start_count(struct evolve *evolve);
void evolve_count_generation(struct evolve *evolve);
/* Advances while generations are complete, and stores what is new. Ends the run after the last one,
 * or if it fails. */
void evolve_advance(struct evolve *evolve);

/* ---- evolve_champion.c: the polish, and the exam ---- */

/* Whether a complete last generation has to wait for its polish, which this begins. */
int evolve_is_polishing(struct evolve *evolve);
/* The result of such a trial. */
void evolve_take_polish(struct evolve *evolve, const struct task *task, int verdict,
                        const struct measures *measures);

/* The candidate for champion, which must pass the exam before the run ends; NULL: there is no
 * candidate now. */
const struct individual *evolve_find_candidate(const struct evolve *evolve);
/* The candidate, if one of its trials can be simulated now: task->trial. NULL: not now. */
const struct individual *evolve_ask_exam(struct evolve *evolve, struct task *task);
/* The result of such a trial. */
void evolve_take_champion(struct evolve *evolve, const struct task *task, int verdict,
                          const struct measures *measures);

/* For the progress line: trials of the candidate's exam that are told, and all of them. */
void evolve_count_trials(struct evolve *evolve, int told, int count);
/* The exam of the candidate is over, which has spent so many first evaluations: the run has its
 * champion, or the next in rank is examined. If all fail, the store says so of the best. Fills in
 * the champion's id. */
void evolve_end_exam(struct evolve *evolve, struct store_champion *champion, double spent);

/* ---- evolve_contests.c ---- */

/* Where creatures are judged by contests. 0, or ERR_* with a message. */
int evolve_start_contests(struct evolve *evolve);
/* Makes the task that is to be simulated; *status is 0 or ERR_MEMORY. 0: nothing now. */
int evolve_ask_contest(struct evolve *evolve, struct task *task, int *status);
void evolve_take_contest(struct evolve *evolve, const struct task *task,
                         const struct result *result);
void evolve_quarantine_contest(struct evolve *evolve, const struct task *task, const char *reason);

/* ---- evolve_preserve.c ---- */

/* Where the run is one of a preserve. 0, or ERR_* with a message. */
int evolve_start_preserve(struct evolve *evolve);
/* The next epoch of some world; 0: nothing now, or it failed. */
int evolve_ask_epoch(struct evolve *evolve, struct task *task);
void evolve_take_epoch(struct evolve *evolve, const struct task *task, const struct result *result);
void evolve_quarantine_epoch(struct evolve *evolve, const struct task *task, const char *reason,
                             const char *log);
void evolve_count_epochs(struct evolve *evolve);
/* The next epoch of a world that has not been asked for. */
uint32_t evolve_find_next_epoch(const struct evolve *evolve, uint32_t world);
void evolve_advance_epochs(struct evolve *evolve);

/* ---- evolve_tasks.c ---- */

/* Counts a new result that went to the store with that status, and goes on to the next generation
 * if it was the last of this one. */
void evolve_count_result(struct evolve *evolve, int status);
/* Stores an individual whose simulation crashed, and counts that. */
void evolve_put_quarantine(struct evolve *evolve, const struct individual *individual,
                           const char *reason, const char *log);

/* Starts the farm, whose results come in there. */
void evolve_start_farm(struct evolve *evolve);

/* ---- evolve_orders.c ---- */

/* A run goes on without orders where there can be no socket. */
void evolve_start_control(struct evolve *evolve);

#endif

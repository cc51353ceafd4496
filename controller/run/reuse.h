/* Results that are given again. A creature that grows into the same body with the same brain as an
 * earlier one (common/growth/phenotype_key.h) moves like that one: it gets that one's result and
 * costs nothing.
 *
 * A table of the last REUSE_ENTRIES_MAX keys; a run has one for each purpose of a trial
 * (common/judge/trial.h). For each key, creatures are looked up in order of id, whatever comes back
 * when: while one with the same key is out, the others wait for its result. So whose result a
 * creature gets is the same for any number of workers, and after a restart, when the table of first
 * evaluations is filled from the run store.
 *
 *   reuse_ask:  REUSE_UNKNOWN -> simulate it, then reuse_tell() the result (or reuse_forget())
 *               REUSE_WAITS   -> nothing; reuse_take() gives it back, to be asked for again
 *               REUSE_KNOWN   -> the result
 *
 * Bars (common/judge/early_stop.h) are part of the question: a result holds only for those bars that
 * would not have changed it. One in REUSE_CHECKED hits, chosen by the creature's id, is simulated
 * all the same. */
#ifndef CONTROLLER_RUN_REUSE_H
#define CONTROLLER_RUN_REUSE_H

#include "controller/evolution/search.h"
#include "proto/message.h"

#define REUSE_ENTRIES_MAX 65536 /* some 600 bytes each */
#define REUSE_CHECKED     256

struct reuse;

enum reuse_answer { REUSE_UNKNOWN, REUSE_WAITS, REUSE_KNOWN };

struct reuse_counts {
    uint64_t known;     /* results given again */
    uint64_t simulated; /* not known, or not for that bar */
    uint64_t barred;    /* of these: known, but not for that bar */
    uint64_t checked;   /* known, and simulated all the same */
};

/* For a run with these parameters, which must stay as they are. NULL: out of memory. */
struct reuse *reuse_create(const struct params *params);
void reuse_destroy(struct reuse *reuse);

/* Looks for the result of the task's creature in the task's trial; task->key is found if it is not
 * known. REUSE_UNKNOWN: task->tag is set, and the task stays the caller's. REUSE_WAITS: the genome
 * is taken over. REUSE_KNOWN: *known is good until the next call, and has the id of the creature
 * whose result it is. ERR_MEMORY (below 0) if there is no memory. */
int reuse_ask(struct reuse *reuse, struct task *task, const struct result **known);
/* Takes the result of a task that was unknown. If the result was known and is another one:
 * ERR_FORMAT with a message that names both creatures. */
int reuse_tell(struct reuse *reuse, const struct task *task, const struct result *result,
               struct error *error);
/* It came to nothing. */
void reuse_forget(struct reuse *reuse, const struct task *task);
/* 1: a task that need not wait any longer; its genome is the caller's. 0: there is none. */
int reuse_take(struct reuse *reuse, struct task *task);

/* Takes the result of a first evaluation from before a restart into a struct reuse, as
 * store_get_results() gives them: all of them in order of id, before any question. */
void reuse_restore(void *context, const struct individual *individual, double pace_least_m_s);

const struct reuse_counts *reuse_get_counts(const struct reuse *reuse);

#endif

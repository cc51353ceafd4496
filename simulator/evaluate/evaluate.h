/* evaluate_list(): the one pure function. Genomes (usually one), parameters and a seed in;
 * verdicts, measures and digests out. Simulator, viewer, library and tests all call it.
 *
 * Phases: express; push apart what overlaps; settle on the ground; zero the velocities; run
 * simulation.duration_s with the brain. The digest rolls over the state of every part at every
 * brain tick of the scored time: equal digests mean the same motion. */
#ifndef SIMULATOR_EVALUATE_EVALUATE_H
#define SIMULATOR_EVALUATE_EVALUATE_H

#include "simulator/mind/brain.h"
#include "simulator/body/forest.h"
#include "simulator/world/light.h"

/* Enough for any phenotype within the bounds of the parameters' table. */
#define EVALUATE_ARENA_BYTES (64u << 20)

struct trial;
struct contest_bout;
struct contest_result;
struct run;    /* an evaluation under way */
struct course; /* the same, of all creatures of an order */

enum evaluate_phase { PHASE_PUSH_APART, PHASE_SETTLE, PHASE_SCORE };

/* An observer's view at the start and after every brain tick. All pointers are read-only and good
 * during the call. */
struct evaluate_view {
    enum evaluate_phase phase;
    int creature;  /* its number among those evaluated together */
    double time_s; /* scored time; settling counts up to 0 from below: time - end of settling is not
                      known in advance, so it is the time since the phase began */
    const struct phenotype *phenotype;
    const struct dynamics *dynamics;
    const struct brain *brain;
    const double *sensors; /* part_count * SENSOR_COUNT */
    const double *signals; /* per effector, after the filter */
    const double *emitted; /* per emitter */
    const struct ledger *ledger;
    const struct light *light; /* kind LIGHT_NONE: there is none */
    const struct relief *relief;
    const struct run *run; /* for evaluate_measures() */
    double tick_s;
    int is_live; /* no verdict has ended its evaluation */
};
/* Returns 0 to go on, another value to stop early (verdict and measures as of then). */
typedef int evaluate_observer(void *context, const struct evaluate_view *view);

/* The measures as they would be if the evaluation ended at this view (before the scored time: of
 * the body alone). Changes nothing. */
void evaluate_measures(const struct evaluate_view *view, struct measures *measures);

/* Changes what a genome grew into before it is simulated, for viewers that ask what would be
 * without this neuron. May change neurons' and effectors' inputs and functions, no count and no
 * body. */
typedef void evaluate_editor(void *context, struct phenotype *phenotype);

struct evaluation {
    int verdict;
    struct measures measures;
    uint64_t digest;
    /* The least of the paces that guard.hopeless_m_s was compared with; 0 if there were none. Any
     * bar below it would have changed nothing. */
    double pace_least_m_s;
    uint64_t arena_bytes; /* used */
    uint64_t work;        /* see struct dynamics */
};

/* All that an evaluation depends on. */
struct evaluate_order {
    const struct genome *const *genomes; /* one, or the two of a contest */
    int count;
    const struct params *params;
    const struct trial *trial; /* changes a copy of the parameters; NULL: they stand as they are */
    uint64_t seed;
    const struct contest_bout *bout; /* of a contest, how the two meet; NULL: the trial's bout */
    struct contest_result *contest;  /* where the result of a contest goes besides; may be NULL */
};
/* Functions that see an evaluation under way. Each may be NULL; a contest has no edit. */
struct evaluate_onlooker {
    evaluate_editor *edit;
    evaluate_observer *observe;
    void *context; /* of both */
};

/* 0, or ERR_* with a message: whether evaluate_list() takes such an order. */
int evaluate_list_check(const struct evaluate_order *order, struct error *error);
/* The one door: each genome of the order has a result; of a contest the digests of all are that of
 * the contest. Depends on nothing but the order: not on the worker, the time, addresses, earlier
 * evaluations or the CPU's features. The arena is reset first. onlooker may be NULL; of a
 * contest it sees each body after every tick. */
void evaluate_list(const struct evaluate_order *order, const struct evaluate_onlooker *onlooker,
                   struct arena *arena, struct evaluation *results);
/* The same of one creature, as the parameters stand. observe may be NULL. */
void evaluate(const struct genome *genome, const struct params *params, uint64_t seed,
              struct arena *arena, evaluate_observer *observe, void *context,
              struct evaluation *result);

/* The same tick by tick, of one creature. All that changes lies in the arena, so that a copy of its
 * used bytes is a snapshot: put back, the evaluation goes on from there to the same bits.
 *
 * Grows, pushes apart and settles. NULL: the arena is too small. */
struct course *evaluate_open(const struct evaluate_order *order,
                             const struct evaluate_onlooker *onlooker, struct arena *arena);
/* One brain tick; 0: it has ended. */
int evaluate_tick(struct course *course);
/* Verdict, measures and digest as of now, once; a snapshot put back allows it again. */
const struct evaluation *evaluate_close(struct course *course);
/* The view of now; 0: it never had a body. */
int evaluate_look(const struct course *course, struct evaluate_view *view);
/* Signals of all effectors instead of the brain's, read at each tick; NULL: the brain's again. */
void evaluate_steer(struct course *course, const double *signals);
/* No guard ends it from now on: a life that is played with lasts until its time is over, or its
 * numbers are none. */
void evaluate_play(struct course *course);
/* The world of other parameters from now on, as a life that is played with. */
void evaluate_change_world(struct course *course, const struct params *params);
/* Accelerates all that the body is made of by so much more, m/s2, from now on: a pull, which its
 * opposite ends; it is played with. */
void evaluate_pull(struct course *course, struct vec3 pull_m_s2);
/* Puts the light there, where it stays; the creature is played with. */
void evaluate_hold_light(struct course *course, struct vec3 at_m);

#endif

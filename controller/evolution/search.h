/* Evolution as ask and tell: no I/O, no clock, all randomness from streams keyed by (run seed,
 * generation, individual, purpose).
 *
 * A search holds the population of the current generation. The caller asks for individuals without
 * a result, has them evaluated anywhere in any order, tells the results by id, and advances when
 * the generation is complete; the referee looks at the best a second time. Each method is in one
 * file. Whole state = generation number + population, which the run store keeps, so a search
 * restored from the store goes on exactly as if it had never stopped.
 *
 * Two kinds of methods. *Generational* ones (sims, random) breed all children of a generation at
 * once, from the ranked generation before. *Lagged* ones (archive) breed child by child: results
 * count in the order of ids, and child k is bred when those up to k - evolution.lag have counted,
 * whatever has come in besides. So there is always something to simulate, and still the run does
 * not depend on the number of workers. There a generation is population.size results counted, and
 * nothing waits for its end. */
#ifndef CONTROLLER_EVOLUTION_SEARCH_H
#define CONTROLLER_EVOLUTION_SEARCH_H

#include "common/growth/phenotype_key.h"
#include "common/params/choice.h"
#include "common/creature/creature.h"
#include "common/judge/measures.h"
#include "common/judge/early_stop.h"
#include "common/params/params.h"

enum breeding_method {
    METHOD_RANDOM,
    METHOD_ASEXUAL,
    METHOD_CROSSOVER,
    METHOD_GRAFT,
    METHOD_SEED,   /* from a file: seeding.h */
    METHOD_POLISH, /* at the end: polish.h */
    METHOD_COUNT
};
extern const char *const breeding_method_names[METHOD_COUNT];
/* For tables, by its name: "child of one" for "asexual". */
const char *breeding_method_words(const char *name);

#define SEARCH_WORDS_SIZE 120

struct individual {
    uint64_t id;         /* 1, 2, ... in the order of birth, unique in a run */
    uint32_t generation; /* of birth, from 0 */
    int method;          /* enum breeding_method */
    uint64_t parents[2]; /* 0 = none */
    int draw;            /* of its making: how often it was drawn before; breeding.draws */
    /* Seed of its evaluations: the run's seed mixed with the key of its motion. So creatures that
     * move alike see the same light and get the same trials. */
    uint64_t seed;
    char mutations[CREATURE_MUTATIONS_SIZE]; /* in words; empty = none */
    struct early_stop_bar bar; /* the least pace it must keep; set at birth, search.c */
    struct genome genome;
    struct packed_bytes packed; /* the genome as bytes; empty: not packed yet */
    struct phenotype_key key;   /* of its motion, with seed 0; 0, 0: not known */
    int has_result;
    int verdict;
    struct measures measures;
    uint64_t digest;
    double fitness; /* after the referee's word; guard.score */
    int heard;      /* enum referee_stage: how far the referee has tried it, and its word counts */
    double referee_fitness;                /* fitness in the worst of its trials, or the mean */
    char referee_words[SEARCH_WORDS_SIZE]; /* that trial's outcome, or theirs */
    /* The share of its score that the referee left its nearest tried ancestor, known at birth;
     * 0: no ancestor was tried. */
    double kept;

    /* Only in runs with choices by hand. */
    int choice;      /* enum choice, made for the end of this generation */
    int is_selected; /* it survives this generation: search_select() */
    int is_spare;    /* it takes no place, and stands behind those with one */
    int island;      /* the start that it is of, from 1; 0: of no one. islands.h */
    int is_resting;  /* it is of another island, and takes no part. Not stored */

    /* Only in lagged methods; else 0. A trial is a new brain for a body that is new. */
    uint64_t body;   /* id of the creature in which its body appeared first */
    int is_trial;    /* it is such a trial: its parent with other weights in the brain */
    int trials;      /* trials that its body still gets; after this one if it is under way */
    int born_trials; /* value of `trials` at birth */
    int is_waiting;  /* a trial of its body is under way */
    int cell;        /* the cell of the archive that it fills, from 1; 0: none */
    int is_counted;  /* its result has been counted */

    /* Not stored: a restored search finds these out anew. */
    int is_asked;          /* it has been given out to be simulated */
    int is_before_referee; /* a trial of the referee has been given out */
    int referee_trial;     /* number of the trial given out, else of the next */
    int has_glance;        /* a stage of trials has ended, and its word does not count yet */
    double glance_fitness; /* as referee_fitness, with that stage so far */
    char glance_words[SEARCH_WORDS_SIZE];
    int is_news; /* search_take_refereed() has not given it yet */
    int place;   /* the order of ranks */
};
/* The state that a lagged method keeps of it is as of one that was never counted. */
void individual_leave_archive(struct individual *individual);
void individual_deinit(struct individual *individual);
/* Copies its genome, also in its packed form. 0 or ERR_MEMORY. */
int individual_copy_genome(const struct individual *individual, struct genome *genome,
                           struct packed_bytes *packed);

struct population {
    struct individual *individuals;
    int count;
    int unjudged; /* how many at the end of a ranked population count in a later generation */
    int more;     /* results that this generation needs besides: of children born to fill it */
    int due;      /* results that this generation needs; 0: one of each without a result */
    struct census *census; /* how those move whom children must not repeat; NULL: none */
};

struct search; /* owns its population */
struct seeding;

/* Checks the demands of method and behaviour on the parameters, beyond params_check(). 0 or
 * ERR_*. */
int search_check_params(const struct params *params, struct error *error);

/* Makes generation 0, with seeds in it (NULL: none). `params` is copied. NULL: out of memory. */
struct search *search_create(const struct params *params, const struct seeding *seeding);
/* Goes on from a stored generation: takes over `population` (individuals with and without result,
 * in their stored order) and the next free creature id. */
struct search *search_restore(const struct params *params, uint32_t generation,
                              struct population *population, uint64_t next_id);
void search_destroy(struct search *search);

uint32_t search_generation(const struct search *search);
uint64_t search_next_id(const struct search *search); /* the next creature's */
/* The current population: in order of id while results are missing; then ranked (fitness
 * descending, then id ascending; of two species (contests.h) the best of both, then the second of
 * both, and so on). The ranks are final once search_is_complete(). A result moves
 * individuals; they exist until search_advance(). */
const struct population *search_population(const struct search *search);

/* The next individual that has no result and was not asked for yet, or NULL. */
const struct individual *search_ask(struct search *search);
/* A result. Computes the fitness. Returns the individual, or NULL for an id that is not in the
 * population or has its result already (then nothing changes). */
const struct individual *search_tell(struct search *search, uint64_t id, int verdict,
                                     const struct measures *measures, uint64_t digest);
/* The referee: the first guard.referee_top of the ranks are simulated again, in several trials one
 * after the other (referee.h), the first of all in more of them; and one whose score does not hold
 * falls; those that come up in its place are called next. A creature that
 * was not tried stands at its score times what its nearest tried ancestor kept: else each would
 * overtake those that were tried, merely because it was not. search_ask_referee() gives the next
 * of them that was not asked for yet, or NULL; its referee_trial says which trial.
 * search_tell_referee() takes the result, like search_tell(): NULL, and nothing changes, for one
 * that is not before the referee; if it holds, its next trial can be asked for. A creature has
 * each trial once.
 *
 * So that workers need not wait, some are asked for before it is sure that they will be called:
 * near the end of a generation, and in lagged methods, which call when a result is about to count.
 * A result without a call changes nothing. So the meaning of the referee's results is taken
 * apart: search_take_refereed() gives the next individual whose word of the referee counts from now
 * on, or NULL; it comes from this or from any other call. */
const struct individual *search_ask_referee(struct search *search);
const struct individual *search_tell_referee(struct search *search, uint64_t id, int verdict,
                                             const struct measures *measures);
const struct individual *search_take_refereed(struct search *search);
/* The next child that was bred since the generation was opened and not taken before; *newborn is
 * NULL if there is none (always, in generational methods). 0, or ERR_MEMORY if one could not be
 * bred. */
int search_take_newborn(struct search *search, const struct individual **newborn);
/* 1 when the results of the generation are there and the referee is done; the population is then
 * ranked. A lagged method counts results here (and when told), so there may be newborns after
 * it. */
int search_is_complete(struct search *search);
/* Results of this generation that are there, and how many it needs. */
void search_get_progress(const struct search *search, int *done, int *needed);
/* How many of the ranked population survive: population.survival, at least 1; at the end of an
 * island those that rest. It is 0 in lagged methods, which keep what they still
 * need, and where choices are made (is_selected). */
int search_survivor_count(const struct search *search);
/* More newborns of the last generation, which is complete: then it is not until they are judged as
 * the others. They come without id and seed, and the search takes them over. 0 or ERR_MEMORY. */
int search_add(struct search *search, struct individual *children, int count);
/* How many were added to the generation. */
int search_count_added(const struct search *search);
/* Whether its creatures are judged by the referee: not by hand, nor in contests. */
int search_has_referee(const struct search *search);
/* 1 if this was the last generation. */
int search_is_finished(struct search *search);
/* Choosing by hand (search_interactive.c). Whether the generation, which is complete, is one after
 * which choices are asked for; the last one never is. */
int search_wants_choices(struct search *search);
/* Whether a person is ever asked. */
int search_is_interactive(const struct params *params);
/* Notes a choice, instead of an earlier one. 0, or ERR_MISSING if no creature of that id is in the
 * population. */
int search_choose(struct search *search, uint64_t id, int choice);
/* Ranks a complete generation by fitness, choice and id, and selects the survivors
 * (is_selected). Nothing where no choices are asked for. To be called before the generation is
 * closed and the next one opened. */
void search_select(struct search *search);

/* Opens the next generation: survivors keep their results (unless evolution.reevaluate), children
 * fill up; lagged methods keep those without a result besides. 0 or ERR_MEMORY. */
int search_advance(struct search *search);

/* A method's functions; search_methods[] is indexed by evolution.search. `next` gets the ranked old
 * population and fills children[0 .. count) (ids and generation already set). Lagged methods have
 * no `next`. */
struct search_method {
    const char *name;
    const char *help;
    int (*next)(const struct params *params, uint32_t generation, const struct population *ranked,
                int survivor_count, struct individual *children, int count);
    int is_lagged;   /* its children are bred one by one; else it is generational */
    int has_parents; /* children are made from others */
    int has_cells;   /* it keeps one of each kind: archive.cells */
};
extern const struct search_method *const search_methods[SEARCH_COUNT];
extern const struct search_method search_sims, search_random, search_archive;

/* The method that the parameters ask for. */
static inline const struct search_method *search_params_method(const struct params *params)
{
    return search_methods[params->evolution_search];
}

/* The kept facts of a complete generation: ranks and their sums. They are made before the search
 * advances and gives the population up. */

struct generation_closing {
    int count, unjudged; /* ranked; members besides */
    int more;            /* evaluations that were not expected when it was opened */
    double mean, median; /* of the ranked fitness */
    struct generation_rank {
        uint64_t id;
        double fitness;
        int survived;
        int cell, trials, is_waiting; /* of the archive; 0 = not in it */
    } * ranks;                        /* best first */
};

/* From the ranked population. 0 or ERR_MEMORY (then empty). */
int generation_closing_init(struct generation_closing *closing, const struct population *ranked,
                            int survivor_count);
void generation_closing_deinit(struct generation_closing *closing);

#endif

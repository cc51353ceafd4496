/* The run store: RUN_DIR/run.db (SQLite). The files store*.c are the only ones of the controller
 * that use SQLite; store_private.h says which does what.
 *
 * The schema is in common/store/schema.h and documented in docs/run-store.md. Results are committed
 * in batches within a generation; a generation is closed, and the next one opened, in one
 * transaction. There is exactly one writer: the process that holds the lock beside the database.
 * When a write fails (the disk is full, say), what was not committed is lost as a whole: after an
 * error only store_put_event() and store_close() make sense. */
#ifndef CONTROLLER_STORE_STORE_H
#define CONTROLLER_STORE_STORE_H

#include "common/creature/creature.h"
#include "common/judge/exam.h"
#include "common/store/stored.h"
#include "controller/evolution/search.h"
#include "controller/evolution/seeding.h"
#include "proto/message.h"

struct store;

/* For the functions of common/store/stored.h: a creature, the closed generations, choices by hand,
 * orders of epochs. */
struct database *store_database(struct store *store);

/* Writes what else a new run begins with into the open batch. 0, or ERR_* with a message. */
typedef int store_fill(struct store *store, void *context, struct error *error);
/* Makes a new database at `path` (ERR_EXISTS if there is one), with the run's parameters, the seeds
 * of its first generation (NULL: none) and what `fill` writes (NULL: nothing), and locks it: the
 * run may die before a generation is stored. ERR_BUSY if another controller holds the lock. It gets
 * its name when it is whole; what cannot be made is taken away. */
int store_create(struct store **store, const char *path, const struct params *params,
                 const struct seeding *seeding, store_fill *fill, void *context,
                 struct error *error);
/* The seeds, in their order; `seeding` must be empty. */
int store_get_seeds(struct store *store, struct seeding *seeding, struct error *error);
/* Opens for writing (ERR_BUSY if another controller holds the run; the content is checked for
 * damage) or read-only: then all reads see one moment of the run. */
int store_open(struct store **store, const char *path, int is_read_only, struct error *error);
/* Commits and closes; NULL is allowed. A writer leaves a single file that can be copied. */
void store_close(struct store *store);

/* The parameters in force. */
int store_get_params(struct store *store, struct params *params, struct error *error);

/* Records changed parameters (and a changed simulator) when a run goes on. A change not of scope F
 * opens a new branch at `generation`; after a change of scope E (or of the simulator's version) the
 * members of `generation` count as not evaluated. After these, and when what fitness means changed,
 * the referee's words on them are forgotten. */
struct store_change {
    int changed_count;  /* parameters with another value */
    int is_new_branch;  /* some of them change the course of the run */
    int is_reevaluated; /* results so far cannot be compared any more */
    int is_judged_anew; /* fitness means something else, so the referee has to look again */
    char text[512];     /* "key=value key=value ...", cut to fit */
};
int store_put_params(struct store *store, const struct params *params, uint32_t generation,
                     struct store_change *change, struct error *error);

/* Opens a generation: writes down the newborn of the population, and as members those that are
 * older. If `closing` is not NULL, the generation before is closed with it in the same
 * transaction. */
int store_put_generation(struct store *store, uint32_t generation,
                         const struct population *population,
                         const struct generation_closing *closing, struct error *error);
/* Closes a generation for the time being: the next store_put_generation() closes it again. */
int store_close_generation(struct store *store, uint32_t generation,
                           const struct generation_closing *closing, struct error *error);
/* Closes the last generation (no next one) and marks the run finished. */
int store_finish(struct store *store, uint32_t generation, const struct generation_closing *closing,
                 struct error *error);

/* A child of the generation under way, bred since that was opened; goes into the open batch. */
int store_put_newborn(struct store *store, const struct individual *newborn, struct error *error);

/* Facts that may differ between two equal runs. */
struct store_cost {
    struct task_cost task;
    int64_t simulations; /* that the times are of; 0: none, as where the result is another's */
    int worker;          /* slot; -1 = not known */
    uint32_t attempt;
    uint64_t reused;       /* the creature whose result it is, for no cost; 0: it was simulated */
    double pace_least_m_s; /* as in a result */
    double time_s;         /* when the result came in, since 1970; filled in by store_put_cost() */
};
/* The cost of a trial of a creature, into the open batch. Times and simulations are added to those
 * that are known of that trial; bouts of a contest have one row. */
int store_put_cost(struct store *store, uint64_t id, const struct trial *trial,
                   const struct store_cost *cost, struct error *error);
/* More processor time of the controller, into the open batch. */
int store_add_controller_time(struct store *store, double cpu_s, struct error *error);
/* Adds a result of the generation under way to the open batch; store_commit() makes it durable. */
int store_put_result(struct store *store, const struct individual *individual, struct error *error);
/* The referee's word on an individual that has a result: its fitness in the worst trial, in words,
 * too, and the fitness that is left to it. */
int store_put_referee(struct store *store, const struct individual *individual,
                      struct error *error);
/* A trial of a candidate for champion. */
struct store_trial {
    uint64_t id;
    struct trial trial;
    int verdict;
    double fitness;
};
int store_put_trial(struct store *store, const struct store_trial *trial, struct error *error);
/* Instead of what was there. */
int store_put_contest(struct store *store, const struct store_contest *contest,
                      struct error *error);
/* An epoch of a world of a preserve. */
struct store_epoch {
    uint32_t world, epoch;
    uint64_t digest;
    const struct epoch_order *order; /* as it was lived through */
    const struct epoch_end *end;
    int drifted_to; /* the world of the traveller; -1: none has left */
    double cpu_ms;
    double tick_s;
};
/* Goes into the open batch, with lives and state. The last two states stay, so that the last epoch
 * can be shown; of those before every `kept_every`-th. */
int store_put_epoch(struct store *store, const struct store_epoch *epoch, int64_t kept_every,
                    struct error *error);
/* All worlds have lived through it: a closed generation. Its fitness is the number of the living of
 * a world. */
int store_close_epoch(struct store *store, uint32_t epoch, int world_count, struct error *error);
/* That was the last one. */
int store_finish_epochs(struct store *store, struct error *error);
/* The last epoch of a world; -1: it has none. */
int store_get_last_epoch(struct store *store, uint32_t world, int64_t *epoch, struct error *error);
/* Adds what people do to a world before an epoch, to the open batch. ERR_LIMIT beyond
 * EPOCH_DEEDS_MAX. */
int store_put_deed(struct store *store, uint32_t world, uint32_t epoch,
                   const struct epoch_deed *deed, struct error *error);
/* Copies all deeds of another run into the open batch. */
int store_copy_deeds(struct store *store, struct store *from, struct error *error);
/* Something that was there for the first time. */
struct store_first {
    char kind[24], what[24];
    uint32_t world, epoch;
    double time_s;
    uint64_t life;
};
/* Finds and records what was there first in an epoch that all worlds have lived through, of the
 * kinds 1 << FIRST_*; by time. The caller frees. */
int store_find_firsts(struct store *store, uint32_t epoch, unsigned kinds,
                      struct store_first **firsts, int *count, struct error *error);
struct store_epoch_row {
    uint32_t world, epoch;
    int64_t facts[EPOCH_FACT_COUNT];
};
/* All epochs of all worlds, by epoch and world, from `first` on. The caller frees. */
int store_get_epochs(struct store *store, uint32_t first, struct store_epoch_row **rows, int *count,
                     struct error *error);
/* A creature that hatched in a preserve, as it was at the end of the last epoch. */
struct store_life {
    uint64_t id, mother; /* mother 0: a founder */
    uint32_t world;
    int64_t family, generation, children;
    int is_hunter;
    double born_s, died_s;
    int is_dead;
    int cause; /* of death, as in epoch_cause_names; -1: none, or none of these */
    int64_t part_count;
    double area_m2;
    /* of the dead: how far it came, and what it digested, by food */
    double way_m;
    /* the body of the first mutant drawn for it, before any was refused; 0: not known */
    double drawn_m2;
    int64_t drawn_parts;
    double depth_m; /* its mean depth; NAN: a run of an older version */
    int64_t gained_uj[EPOCH_FOOD_COUNT];
    int64_t topology; /* hash of the tree of its parts and mouths; 0: not known */
};
/* All of them, by id. The caller frees. */
int store_get_lives(struct store *store, struct store_life **lives, int *count,
                    struct error *error);
/* One of them; ERR_MISSING where no creature with that number has hatched. */
int store_get_life(struct store *store, uint64_t id, struct store_life *life, struct error *error);
/* The packed egg of a creature that was the first of its tree of parts in a world; empty: it was
 * not. `egg` must be empty, and the caller frees it. */
int store_get_form(struct store *store, uint64_t life, struct packed_bytes *egg,
                   struct error *error);
/* The run's champion: what its exam came to; instead of what was there. */
struct store_champion {
    uint64_t id; /* 0 = nothing was said */
    int holds;   /* it has passed */
    char words[EXAM_WORDS_SIZE];
};
int store_put_champion(struct store *store, const struct store_champion *champion,
                       struct error *error);
/* The best of the creatures that the run began with. */
struct store_ancestor {
    uint64_t id;     /* 0: it began with none, or none is judged yet */
    double fitness;  /* in this run */
    char source[64]; /* its file's name, without folders; the end of a long one */
    double times;    /* the champion's fitness in its fitness; 0: not known */
};
int store_put_quarantine(struct store *store, const struct individual *individual,
                         const char *reason, const char *command, const char *log,
                         struct error *error);

/* Choices for the end of the generation under way (common/params/choice.h). */
/* 0 if that creature can be chosen now; else an error that says why not. */
int store_check_choice(struct store *store, uint64_t id, struct error *error);
/* Goes into the open batch. CHOICE_NONE takes an earlier one back. */
int store_put_choice(struct store *store, uint64_t id, int choice, struct error *error);
/* Copies the choices of another run into the open batch. Generations that were bred from them do
 * not wait here. */
int store_copy_choices(struct store *store, struct store *from, struct error *error);
/* Generations before this one do not wait. */
int store_get_chosen_until(struct store *store, int64_t *generation, struct error *error);

/* Calls `take` with every creature whose result can be given again, in order of id: the result is
 * of this simulator, and of the parameters in force, as far as they change evaluations. */
int store_get_results(struct store *store,
                      void (*take)(void *context, const struct individual *individual,
                                   double pace_least_m_s),
                      void *context, struct error *error);

int store_put_event(struct store *store, const char *event, const char *detail,
                    struct error *error);
int store_commit(struct store *store, struct error *error);

/* Whether the run is still where it was opened: ERR_MISSING with a message if its directory was
 * moved or removed. Everything written goes to where it is now, and store_close() then touches
 * nothing by name, since something else may be there. */
int store_check_place(struct store *store, struct error *error);

enum { STORE_PLACE_SIZE = 128 };

struct store_status {
    int has_generation;
    uint32_t generation; /* the last opened */
    int is_finished;
    uint64_t next_id;
    int64_t individuals, evaluated, quarantined;
    int64_t reused; /* of the evaluated: those that got the result of one that moves alike */
    /* tasks of the referee; their creatures are refused, not in quarantine */
    int64_t referee_quarantined;
    int64_t evaluated_in_generation, members_in_generation;
    int has_best_so_far; /* some member of that generation has a result */
    double best_so_far;
    int64_t closed_generation; /* the last closed one; -1 = none */
    double best, median;       /* of the closed one */
    uint64_t best_id;
    double best_of_all;             /* of all closed ones */
    struct store_champion champion; /* of the finished run */
    struct store_ancestor ancestor;
    int64_t cells_filled; /* of the archive, in the closed one; -1 = it has none */
    int64_t keep_count, breed_count, ban_count; /* choices in the generation under way */
    double evaluations_per_s; /* over the ten seconds before the last result; 0 = not known */
    double controller_cpu_s;  /* processor time of the controllers of the run; 0 = not known */
    char created_utc[32];
    /* "HOST PROCESS" of the controller that began last and has not said that it ended; else "" */
    char place[STORE_PLACE_SIZE];
};
int store_get_status(struct store *store, struct store_status *status, struct error *error);
/* Says which creature is the champion, or that the run has none and why; with the scores of the
 * exam if has_words. */
enum { STORE_CHAMPION_SIZE = EXAM_WORDS_SIZE + 160 };
void store_describe_champion(const struct store_status *status, const struct params *params,
                             int has_words, char text[STORE_CHAMPION_SIZE]);
/* Says the best ancestor's fitness and what the champion adds to it. Returns 0, and says nothing,
 * where the run has no ancestors, or its fitness is that of contests, which compares only those of
 * one generation. */
int store_describe_ancestor(const struct store_status *status, const struct params *params,
                            char text[STORE_CHAMPION_SIZE]);

struct store_quarantine {
    uint64_t id;
    char time_utc[32];
    char *reason, *command, *log;
};
/* The first `most` creatures in quarantine (negative: all), in order of id; freed by store_free_quarantine(). */
int store_get_quarantine(struct store *store, int most, struct store_quarantine **entries,
                         int *count, struct error *error);
void store_free_quarantine(struct store_quarantine *entries, int count);

/* A generation with the results that count in it so far, in order of id; the caller owns
 * `population`. */
int store_get_population(struct store *store, uint32_t generation, struct population *population,
                         struct error *error);

/* One line of a table of survivors. */
struct store_entry {
    uint64_t id;
    int is_champion;     /* it passed the exam of the run */
    uint32_t generation; /* of birth */
    int rank;            /* 1 = best */
    int survived;
    int cell; /* of the archive, that it fills; 0 = none */
    double fitness;
    int has_referee;
    double referee_fitness;
    char referee_words[SEARCH_WORDS_SIZE];
    int verdict;
    char method[16];
    char source[PARAM_TEXT_SIZE]; /* of a seed: where it comes from; else empty */
    uint64_t parents[2];
    char mutations[CREATURE_MUTATIONS_SIZE];
    struct measures measures;
    uint64_t digest, seed;
    int has_cost;
    struct store_cost cost;
};
/* The creatures that a list leaves out. */
enum store_order {
    STORE_RANKS, /* none; the champion is left out of no list */
    /* those that move exactly as one before: copies, and mutants whose change does nothing */
    STORE_DISTINCT,
    /* those with a body of the kind of one before (measures_are_one_kind()); those that did not
     * live, unless none did. Of the last generation the champion comes first */
    STORE_KINDS
};
/* The first `most` of the rest stay; returns how many. */
int store_leave_out(struct store_entry *entries, int count, int most, enum store_order order);
/* The best `top` of a closed generation (-1: the last closed one) that stay then, in rank order.
 * The caller frees *entries. `generation_found` receives the generation meant. */
int store_get_best(struct store *store, int64_t generation, enum store_order order, int top,
                   struct store_entry **entries, int *count, uint32_t *generation_found,
                   struct error *error);

/* A creature and its ancestors, the youngest first, back to those without parents: along the first
 * parents, or all of them if has_second_parents. Rank, survival and fitness are those of the last
 * closed generation that each was judged in (rank 0: none yet). ERR_MISSING if there is no such
 * creature. The caller frees *entries. */
int store_get_lineage(struct store *store, uint64_t id, int has_second_parents,
                      struct store_entry **entries, int *count, struct error *error);

/* ---- whole runs, for statistics: everyone without genome and words. The caller frees the
 * arrays. */

struct store_fact {
    uint64_t id, parents[2]; /* 0 = none */
    uint32_t generation;     /* of birth */
    int method;
    int verdict; /* -1: no result; then all below is 0 */
    double fitness;
    int has_referee; /* the referee tried it */
    double referee_fitness;
    double parts, links, neurons, size_m;
    uint64_t motion; /* of some measures: the same for exact copies, whose digests differ with their
                        seeds */
    int has_cost;
    struct store_cost cost;
};
/* All creatures that were ever born, in order of id. */
int store_get_facts(struct store *store, struct store_fact **facts, int *count,
                    struct error *error);

/* The time that trials took on one worker, from any start. */
struct store_spent {
    struct trial trial;
    int worker; /* -1: not known */
    int64_t simulated;
    int64_t given;    /* trials of creatures that got the result of another one */
    int64_t repeated; /* trials of creatures, again after a worker was lost */
    double wall_ms, cpu_ms;
    double last_s; /* when the last result came in, since 1970 */
};
/* Of the whole run, by kind of trial (trial_compare_kinds()) and worker. */
int store_get_spent(struct store *store, struct store_spent **spent, int *count,
                    struct error *error);
/* Sums the workers of each kind of trial up, in place; returns how many kinds there are. */
int store_sum_spent(struct store_spent *spent, int count);

struct store_member {
    uint32_t generation;
    int rank, survived;
    uint64_t id;
    double fitness;
};
/* The members of all closed generations, by generation and rank. */
int store_get_members(struct store *store, struct store_member **members, int *count,
                      struct error *error);

struct store_event {
    const char *time_utc, *event, *detail;
    char *texts; /* all three, or NULL if they are not of the heap */
};
/* The run's events, in their order; freed by store_free_events(). */
int store_get_events(struct store *store, struct store_event **events, int *count,
                     struct error *error);
void store_free_events(struct store_event *events, int count);

/* Hashes of everything that two equal runs have in common: parameters (scopes E and S), genomes,
 * parents, methods, mutations, measures, digests, fitness, ranks; not times, costs and workers. One
 * for each generation (its members and those born in it), one for the whole; the caller frees. */
struct store_digest {
    uint32_t generation;
    int is_closed;
    uint64_t hash;
};
int store_get_digests(struct store *store, uint64_t *whole, struct store_digest **generations,
                      int *count, struct error *error);

/* The changes of its birth; of a seed: where it comes from. */
const char *store_entry_words(const struct store_entry *entry);
/* How a creature came about: "crossover of 12 and 40". */
const char *store_entry_origin(const struct store_entry *entry, char *text, size_t size);

#endif

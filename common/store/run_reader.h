/* Reads a run's creatures from RUN_DIR/run.db, for viewers and lists.
 *
 * The store is opened read-only, so a run may be watched while it is under way. Its content is not
 * trusted: every row is checked as a creature file is. docs/run-store.md documents the schema; a
 * store of another version is refused. */
#ifndef COMMON_STORE_RUN_READER_H
#define COMMON_STORE_RUN_READER_H

#include "common/creature/creature.h"
#include "common/preserve/epoch_order.h"
#include "common/store/stored.h"

#define RUN_READER_TOP_MAX 256

/* Which creatures of a generation are shown. */
enum run_order {
    RUN_ORDER_RANK, /* the best: in late generations many are copies */
    /* the best creature of each group of like bodies (measures_are_one_kind()). Creatures without a
     * score are left out unless the first is one. In the last generation the champion comes first
     * and stands for its group. */
    RUN_ORDER_KINDS
};

/* Reads the first `top` creatures of a closed generation (-1: the last closed one) in that order,
 * as an array that run_reader_free() takes back. 0 < top <= RUN_READER_TOP_MAX. `generation_found`
 * receives the generation's number. Errors name the directory. */
int run_reader_get_top(const char *run_directory, int64_t generation, enum run_order order, int top,
                       struct creature **creatures, int *count, int64_t *generation_found,
                       struct error *error);
void run_reader_free(struct creature *creatures, int count); /* NULL is allowed */

/* Reads a run piece by piece. Between calls no file is open, so that the run's directory may be
 * moved or removed meanwhile. */
struct run_reader;
/* The directory's name is copied. NULL and a message on error. */
int run_reader_open(struct run_reader **reader, const char *run_directory, struct error *error);
void run_reader_close(struct run_reader *reader); /* NULL is allowed */
const char *run_reader_directory(const struct run_reader *reader);

/* The closed generations from `first` on, ascending, as an array to free(); NULL where there are
 * none. */
int run_reader_get_generations(struct run_reader *reader, int64_t first,
                               struct store_generation **generations, int *count,
                               struct error *error);
/* As run_reader_get_top(). */
int run_reader_get_members(struct run_reader *reader, int64_t generation, enum run_order order,
                           int top, struct creature **creatures, int *count,
                           int64_t *generation_found, struct error *error);
/* One creature, evaluated or not; id may be CREATURE_BEST or CREATURE_FIRST. `creature` is
 * initialised, and empty on error. */
int run_reader_get_creature(struct run_reader *reader, uint64_t id, struct creature *creature,
                            struct error *error);
/* The last bout of a creature in a run of contests, and both of its creatures, as above.
 * ERR_MISSING if it had none. */
int run_reader_get_contest(struct run_reader *reader, uint64_t id, struct store_contest *contest,
                           struct creature creatures[2], struct error *error);
/* One creature by a name as people type it: a file, RUN_DIR:ID, or a favourite, RUN_DIR:NAME.
 * `creature` as above. */
int run_reader_read_creature(const char *name, struct creature *creature, struct error *error);
/* A creature (also CREATURE_BEST or CREATURE_FIRST), its first parent, that one's first parent and
 * so on: at most `most` creatures, which run_reader_free() takes back. */
int run_reader_get_lineage(struct run_reader *reader, uint64_t id, int most,
                           struct creature **creatures, int *count, struct error *error);

/* Finds where a world of a preserve can go on: the parameters in force, and the last epoch up
 * to `most` whose state is kept. ERR_MISSING if there is none, ERR_RANGE if the run is no preserve. */
int run_reader_find_state(struct run_reader *reader, uint32_t world, uint32_t most,
                          struct params *params, uint32_t *epoch, struct error *error);
/* Reads the order of a world's epoch, whose numbers the caller has set: the arrivals, the creatures
 * that must not live, and the state before it if that is kept. Also reads the digest at the epoch's
 * end, which is 0 if another version of the simulator recorded it. ERR_MISSING if it has not come so
 * far. */
int run_reader_get_epoch(struct run_reader *reader, struct epoch_order *order, uint64_t *digest,
                         struct error *error);

/* The span of a creature's life in a preserve; died_s is NAN while it lives. ERR_MISSING if no
 * creature with that id has hatched, ERR_RANGE if the run is no preserve. */
struct run_life {
    uint32_t world;
    double born_s, died_s;
    int64_t topology; /* hash of the tree of its parts and mouths; 0: not known */
};
int run_reader_get_life(struct run_reader *reader, uint64_t id, struct run_life *life,
                        struct error *error);
/* Hands over the lives of a world whose trees are known: tree after tree, of each tree the first
 * birth first. */
typedef void run_hear_life(void *context, const struct run_life *life);
int run_reader_tell_lives(struct run_reader *reader, uint32_t world, run_hear_life *hear,
                          void *context, struct error *error);

/* How far choosing by hand has come in a run. */
struct run_choosing {
    int is_interactive; /* a person chooses in this run */
    int has_no_goal;    /* people alone choose: the fitness says nothing */
    int places;         /* creatures to choose from; behind them stand dead ones and copies */
    int64_t waiting;    /* the generation that waits for choices; -1: none does */
    int is_over;        /* the last generation is complete */
};
int run_reader_get_choosing(struct run_reader *reader, struct run_choosing *choosing,
                            struct error *error);
/* The choices of a generation, as an array to free(); NULL where there are none. */
int run_reader_get_choices(struct run_reader *reader, int64_t generation,
                           struct store_choice **choices, int *count, struct error *error);

#endif

/* What controller and viewer both read out of an open run store: creatures, which begin with the
 * same columns, generations, choices by hand, contests, epochs of a preserve. */
#ifndef COMMON_STORE_STORED_H
#define COMMON_STORE_STORED_H

#include "common/creature/creature.h"
#include "common/judge/early_stop.h"
#include "common/judge/trial.h"
#include "common/preserve/epoch_order.h"

struct database; /* an open run store (database.h) */
struct row;

/* A closed generation. */
struct store_generation {
    uint32_t generation;
    double best, median, mean; /* fitness of the members */
    uint64_t best_id;
    int64_t evaluations; /* up to and including this generation */
    int64_t cells;       /* of the archive, filled when it was closed; 0 if there is none */
};

struct store_choice {
    uint32_t generation;
    uint64_t id;
    int choice; /* enum choice */
};

/* A bout of two creatures, in a run of contests. */
struct store_contest {
    uint32_t generation;
    uint64_t ids[2];
    struct trial trial;
    uint64_t seed;
    int verdicts[2];
    double margins[2]; /* as the measure contest_margin */
    uint64_t digest;
};

/* Result columns of STORED_SELECT. */
enum {
    STORED_ID,
    STORED_GENERATION,
    STORED_METHOD,
    STORED_PARENT_1,
    STORED_PARENT_2,
    STORED_MUTATIONS,
    STORED_SEED,
    STORED_BRANCH, /* of the evaluation, or the current one */
    STORED_VERSION,
    STORED_VERDICT, /* NULL: not evaluated */
    STORED_FITNESS,
    STORED_DIGEST,
    STORED_BAR_M_S,
    STORED_BAR_SIZES_S,
    STORED_GENOME,
    STORED_IS_CHAMPION,
    STORED_MEASURES, /* MEASURE_COUNT of them */
    STORED_EXTRA = STORED_MEASURES + MEASURE_COUNT
};

/* The creature that passed the exam, or NULL; the first in rank of the last closed generation. */
#define STORED_CHAMPION                                                                            \
    "(SELECT CAST(value AS INTEGER) FROM run WHERE key = 'champion'"                               \
    " AND '1' = (SELECT value FROM run WHERE key = 'champion_holds'))"
#define STORED_FIRST                                                                               \
    "(SELECT m.individual FROM members m JOIN generations g ON g.number = m.generation"            \
    " WHERE g.closed = 1 AND m.rank = 1 ORDER BY m.generation DESC LIMIT 1)"
/* The id that parameter 1 means, which may be CREATURE_BEST or CREATURE_FIRST. */
#define STORED_ID_MEANT                                                                            \
    "CASE ?1 WHEN 0 THEN coalesce(" STORED_CHAMPION ", " STORED_FIRST ")"                          \
    " WHEN -1 THEN " STORED_FIRST " ELSE ?1 END"
/* The order of members m for lists of kinds of bodies: ranks, and before them in the last closed
 * generation the champion. */
#define STORED_KINDS_ORDER                                                                         \
    " ORDER BY m.individual IS NOT " STORED_CHAMPION                                               \
    " OR m.generation < (SELECT max(number) FROM generations WHERE closed = 1), m.rank"

/* SELECT of these columns of individuals i; further columns (", a, b"), FROM and the rest
 * follow. */
#define STORED_MEASURE(name, text)    ", i." #name
#define STORED_NO_MEASURE(name, text) "NULL AS " #name ", "
#define STORED_SELECT                                                                              \
    "SELECT i.id, i.generation, i.method, i.parent1, i.parent2, i.mutations, i.seed,"              \
    " coalesce(i.branch, (SELECT max(branch) FROM branches)),"                                     \
    " (SELECT simulator_version FROM branches b WHERE b.branch = i.branch),"                       \
    " i.verdict, i.fitness, i.digest, i.bar_m_s, i.bar_sizes_s, i.genome, i.id "                   \
    "IS " STORED_CHAMPION                                                                          \
    MEASURES(STORED_MEASURE)
/* Selects likewise those in `births` that have no row in `individuals`; FROM i follows. */
#define STORED_SELECT_BIRTHS                                                                       \
    "WITH i AS (SELECT id, generation, method, parent1, parent2, mutations, seed, body, trials,"   \
    " bar_m_s, bar_sizes_s, kept, island, NULL AS branch, NULL AS verdict, NULL AS fitness,"       \
    " NULL AS referee_fitness, NULL AS referee_words, NULL AS referee_stage, NULL AS digest,"      \
    " " MEASURES(                                                                                  \
        STORED_NO_MEASURE) "genome FROM births"                                                    \
                           " WHERE id NOT IN (SELECT id FROM individuals)) " STORED_SELECT
/* The fields of such a row by itself: all but name and parameters. `creature` is initialised; its
 * genome is its own also on error. */
int stored_creature_read_row(const struct row *row, struct creature *creature);
/* Within what may be sent; 0 where there is none. */
struct early_stop_bar stored_creature_bar(const struct row *row);
/* The parameters of a branch, over the defaults. */
int stored_branch_params(struct database *database, int64_t branch, struct params *params,
                         struct error *error);
/* The whole creature, as its file has it: with the parameters of its evaluation, the bar among
 * them, and named after the run. The parameters are checked. */
int stored_creature_read(const struct row *row, struct creature *creature);

/* ---- one creature, the closed generations, choices by hand, contests ---- */

/* A creature with everything known of it, evaluated or not; id may be CREATURE_BEST or
 * CREATURE_FIRST. `creature` is initialised, and empty on error. */
int stored_get_creature(struct database *database, uint64_t id, struct creature *creature,
                        struct error *error);

/* The closed generation that is meant: -1 is the last one. ERR_MISSING if there is none, ERR_RANGE
 * if it is not closed. */
int stored_find_closed(struct database *database, int64_t wanted, int64_t *found,
                       struct error *error);

/* The closed generations from `first` on, in order: an array to free(). NULL where there are
 * none. */
int stored_get_generations(struct database *database, int64_t first,
                           struct store_generation **generations, int *count, struct error *error);

/* The choices of a generation, or of all (-1), in order of generation and id: as above. */
int stored_get_choices(struct database *database, int64_t generation, struct store_choice **choices,
                       int *count, struct error *error);

/* The last bout of a creature, against the youngest one that it met; of `contest` generation,
 * verdicts and margins are not read. ERR_MISSING if it had none. */
int stored_get_last_contest(struct database *database, uint64_t id, struct store_contest *contest,
                            struct error *error);

/* ---- epochs of a preserve ---- */

/* The bytes of a column, if it has any. */
int stored_copy_bytes(const struct row *row, int column, struct packed_bytes *packed);
/* The last epoch up to `most` of which a world's state is kept. ERR_MISSING if there is none. */
int stored_epoch_find_state(struct database *database, uint32_t world, uint32_t most,
                            uint32_t *epoch, struct error *error);
/* Fills an order of a world and an epoch above 0 (both set, the rest empty): arrivals, creatures
 * that must not live, deeds of people, creatures that mouths spare, and the state where it is
 * kept. */
int stored_epoch_fill_order(struct database *database, struct epoch_order *order,
                            struct error *error);
/* Reads the digest of a world at the end of an epoch. ERR_MISSING if it has not come so far. */
int stored_epoch_get_digest(struct database *database, uint32_t world, uint32_t epoch,
                            uint64_t *digest, struct error *error);

#endif

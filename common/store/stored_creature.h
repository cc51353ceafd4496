/* Creatures out of the rows of a run store. Controller and viewer both begin with these columns. */
#ifndef COMMON_STORE_STORED_CREATURE_H
#define COMMON_STORE_STORED_CREATURE_H

#include "common/creature/creature.h"
#include "common/judge/early_stop.h"
#include "common/store/statement.h"

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
int stored_creature_read_row(struct database *database, sqlite3_stmt *row,
                             struct creature *creature, struct error *error);
/* Within what may be sent; 0 where there is none. */
struct early_stop_bar stored_creature_bar(sqlite3_stmt *row);
/* The parameters of a branch, over the defaults. */
int stored_branch_params(struct database *database, int64_t branch, struct params *params,
                         struct error *error);
/* The whole creature, as its file has it: with the parameters of its evaluation, the bar among
 * them, and named after the run. The parameters are checked. */
int stored_creature_read(struct database *database, sqlite3_stmt *row, struct creature *creature,
                         struct error *error);

#endif

/* Creatures out of the rows of a run store. Controller and viewer both begin with these columns. */
#ifndef COMMON_STORE_STORED_CREATURE_H
#define COMMON_STORE_STORED_CREATURE_H

#include <stdio.h>

#include "common/creature/creature.h"
#include "common/judge/pace.h"
#include "common/store/statement.h"

/* Result columns of stored_creature_print_select(). */
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
    STORED_MEASURES, /* MEASURE_COUNT of them */
    STORED_EXTRA = STORED_MEASURES + MEASURE_COUNT
};

/* The id that parameter 1 means: CREATURE_BEST is the first in rank of the last closed
 * generation. */
#define STORED_ID_MEANT                                                                            \
    "CASE ?1 WHEN 0 THEN (SELECT m.individual FROM members m JOIN generations g"                   \
    " ON g.number = m.generation WHERE g.closed = 1 AND m.rank = 1"                                \
    " ORDER BY m.generation DESC LIMIT 1) ELSE ?1 END"

/* SELECT of these columns of individuals i, then `extra` columns (", a, b" or ""), FROM and the
 * rest. */
void stored_creature_print_select(FILE *text, const char *extra, const char *rest);
/* SELECT of those in `births` who have no row in `individuals`; `rest` begins with "FROM i". */
void stored_creature_print_births(FILE *text, const char *extra, const char *rest);
/* What such a row says by itself: all but name and parameters. `creature` is initialised; its
 * genome is its own also on error. */
int stored_creature_read_row(sqlite3_stmt *row, const char *path, struct creature *creature,
                             struct error *error);
/* Within what may be sent; 0 where there is none. */
struct pace_bar stored_creature_bar(sqlite3_stmt *row);
/* The parameters of a branch, over the defaults. */
int stored_branch_params(sqlite3 *database, const char *path, int64_t branch, struct params *params,
                         struct error *error);
/* The whole creature, as its file has it: with the parameters of its evaluation, the bar among
 * them, and named after the run. The parameters are checked. */
int stored_creature_read(sqlite3_stmt *row, const char *path, struct creature *creature,
                         struct error *error);

#endif

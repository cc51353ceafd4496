/* Shared by the files of the run store: the store itself, and SQLite as they use it. store.c opens
 * and closes; the others have one kind of content each:
 *
 *   store_sql          statements, columns, transactions
 *   store_params       parameters and branches
 *   store_generations  generations and births
 *   store_results      what comes in during one, choices by hand
 *   store_status       where a run stands, quarantine
 *   store_creatures    rows to creatures, survivors, ancestors
 *   store_facts        whole runs for statistics
 *   store_digest       whether two runs are equal
 *   store_epochs       runs of a preserve: epochs, lives, deeds, firsts
 *
 * Functions return 0 or ERR_* with a message that names the database, unless something else is
 * said. */
#ifndef CONTROLLER_STORE_STORE_PRIVATE_H
#define CONTROLLER_STORE_STORE_PRIVATE_H

#include <sqlite3.h>

#include "common/store/database.h"
#include "controller/store/run_directory.h"
#include "controller/store/store.h"

/* Kinds of statements that write, at most: each stays prepared. */
enum { STORE_KEPT_MAX = 40 };

struct store {
    struct database database;
    char path[RUN_PATH_SIZE], lock_path[RUN_PATH_SIZE];
    int lock;
    int is_read_only;
    int is_on_network; /* then it has a rollback journal, and readers may hold up a commit */
    int is_in_transaction;
    int64_t branch;             /* the current one; 0 = not yet read */
    int64_t generation;         /* the last opened; -1 = none */
    struct pack_writer scratch; /* of the genome that is written */
    sqlite3_stmt *kept[STORE_KEPT_MAX];
    int kept_count;
};

/* ---- statements that write: store_sql.c ---- */

/* A value for a parameter of a statement. Texts and bytes stay the caller's. */
struct store_value {
    int type; /* SQLITE_*, or VALUE_HASH; 0: no value, the end of a row */
    int64_t whole;
    double real;
    const void *bytes;
    size_t length;
};
enum { VALUE_HASH = 100 };
#define STORE_ROW_END ((struct store_value){.type = 0})
/* The values of a statement, with their end. */
#define STORE_ROW(...) ((const struct store_value[]){__VA_ARGS__, {.type = 0}})

#define STORE_WHOLE(number) ((struct store_value){.type = SQLITE_INTEGER, .whole = (number)})
#define STORE_REAL(number)  ((struct store_value){.type = SQLITE_FLOAT, .real = (number)})
#define STORE_TEXT(text)                                                                           \
    ((struct store_value){.type = SQLITE_TEXT, .bytes = (text), .length = strlen(text)})
/* As 16 hexadecimal digits. */
#define STORE_HASH(hash) ((struct store_value){.type = VALUE_HASH, .whole = (int64_t)(hash)})
/* A number, or NULL. */
#define STORE_KNOWN(is_known, number)                                                              \
    ((struct store_value){.type = (is_known) ? SQLITE_INTEGER : SQLITE_NULL, .whole = (number)})
/* Ids: 0 is stored as NULL. */
#define STORE_ID(id) STORE_KNOWN((id) != 0, (int64_t)(id))
/* NULL for no bytes. */
#define STORE_BYTES(data, size)                                                                    \
    ((struct store_value){                                                                         \
        .type = (data) ? SQLITE_BLOB : SQLITE_NULL, .bytes = (data), .length = (size)})

/* Statements that give no rows and have no parameters. */
int store_execute(struct store *store, const char *sql, struct error *error);
/* Runs a statement that gives no rows, in the open batch. There is a value for each parameter, and
 * STORE_ROW_END behind them. */
int store_run(struct store *store, const char *sql, const struct store_value *values,
              struct error *error);
/* A row of the table `run`, instead of an earlier one. */
int store_set_run_value(struct store *store, const char *key, const char *value,
                        struct error *error);
/* The facts of a creature at birth: its columns, and their values, to which the end is added.
 * They are good until the next birth. */
#define STORE_BIRTH                                                                                \
    "id, generation, method, parent1, parent2, mutations, seed, body, trials, bar_m_s,"            \
    " bar_sizes_s, kept, island, genome"
#define STORE_BIRTH_PLACES "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?"
enum { STORE_BIRTH_COUNT = 14 };
int store_list_birth(struct store *store, const struct individual *individual,
                     struct store_value values[STORE_BIRTH_COUNT + 1], struct error *error);
/* A genome as it is stored: good until the next one. */
int store_pack_genome(struct store *store, const struct genome *genome, struct store_value *value,
                      struct error *error);

/* ---- transactions: store_sql.c ---- */

/* The invariants of an open store between two calls. */
void store_check(const struct store *store);
/* Opens a batch unless one is open; store_commit() ends it. */
int store_begin(struct store *store, struct error *error);
void store_roll_back(struct store *store);

/* ---- between the other files ---- */

/* The members that generation ?1 judges: `individual`, and `evaluated` as in `members`. In the
 * generation under way a newborn has no row in `members` unless it is simulated a second time; its
 * row in `individuals` says that it is evaluated. */
#define STORE_JUDGED                                                                               \
    "(SELECT individual, evaluated FROM members WHERE generation = ?1"                             \
    " UNION ALL SELECT id, id IN (SELECT id FROM individuals) FROM births"                         \
    " WHERE ?1 = (SELECT max(number) FROM generations)"                                            \
    " AND id NOT IN (SELECT individual FROM members WHERE generation = ?1))"

/* Writes the parameters as a new branch, of this program's simulator. */
int store_put_branch(struct store *store, const struct params *params, uint32_t generation,
                     struct error *error);
/* Columns of costs c, and what they say, from `column` on; whether there is a row. */
#define STORE_COST                                                                                 \
    "c.worker, c.attempt, c.wall_ms, c.cpu_ms, c.arena_bytes, c.time_s, c.reused, c.simulations"
/* Of individuals i the costs c of their first trials. */
#define STORE_JOIN_COST " JOIN costs c ON c.individual = i.id AND c.trial = 'first'"
int store_read_cost(const struct row *row, int column, struct store_cost *cost);

#endif

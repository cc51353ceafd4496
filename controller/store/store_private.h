/* What the files of the run store share: the store itself, and SQLite as they use it. store.c opens
 * and closes; the others have one kind of content each:
 *
 *   store_sql          statements, columns, transactions
 *   store_params       parameters and branches
 *   store_generations  generations and births
 *   store_results      what comes in during one
 *   store_choices      choices by hand
 *   store_status       where a run stands, quarantine
 *   store_creatures    rows to creatures, survivors, ancestors
 *   store_facts        whole runs for statistics
 *   store_digest       whether two runs are equal
 *   store_epochs       runs of a preserve
 *
 * Functions return 0 or ERR_* with a message that names the database, unless something else is
 * said. */
#ifndef CONTROLLER_STORE_STORE_PRIVATE_H
#define CONTROLLER_STORE_STORE_PRIVATE_H

#include <sqlite3.h>
#include <stdio.h>

#include "common/store/database.h"
#include "common/store/stored_creature.h"
#include "common/store/stored_run.h"
#include "controller/store/run_directory.h"
#include "controller/store/store.h"

/* Statements that run for each individual; kept prepared. */
enum hot_statement {
    HOT_INSERT_BIRTH,
    HOT_INSERT_MEMBER,
    HOT_INSERT_RESULT,
    HOT_UPDATE_RESULT,
    HOT_UPDATE_EVALUATED,
    HOT_PUT_COST,
    HOT_PUT_REFEREE,
    HOT_CLOSE_MEMBER,
    HOT_PUT_ARCHIVED,
    HOT_PUT_CONTEST,
    HOT_PUT_EPOCH,
    HOT_PUT_LIFE,
    HOT_COUNT
};

struct store {
    sqlite3 *database;
    struct store_bounds bounds;
    char path[RUN_PATH_SIZE], lock_path[RUN_PATH_SIZE];
    int lock;
    int is_read_only;
    int is_on_network; /* then it has a rollback journal, and readers may hold up a commit */
    int is_in_transaction;
    int has_failed;             /* something went wrong: the open batch may be half of something */
    int64_t branch;             /* the current one; 0 = not yet read */
    int64_t generation;         /* the last opened; -1 = none */
    struct pack_writer scratch; /* of the genome that is written */
    sqlite3_stmt *hot[HOT_COUNT];
};

/* ---- errors and statements: store_sql.c ---- */

/* What SQLite says of the last call, as ERR_*; the open batch will be rolled back. */
int store_fail_sqlite(struct store *store, const char *what, struct error *error);
/* Statements that give no rows and have nothing to bind. */
int store_execute(struct store *store, const char *sql, struct error *error);
/* To be finalized by the caller. */
int store_prepare(struct store *store, const char *sql, sqlite3_stmt **statement,
                  struct error *error);
/* Prepares what one of the functions below prints. */
int store_prepare_printed(struct store *store, statement_print *print, const char *first,
                          const char *second, sqlite3_stmt **statement, struct error *error);
/* A statement that stays prepared until the store is closed; not to be finalized. */
int store_get_hot(struct store *store, enum hot_statement which, sqlite3_stmt **statement,
                  struct error *error);
/* 1: a row; 0: no more; negative: an error. */
int store_next_row(struct store *store, sqlite3_stmt *statement, struct error *error);
/* Runs a bound statement that gives no rows, and makes it ready for the next time. Its parameters
 * keep their values until they are bound again: whoever uses it binds all of them. */
int store_run_statement(struct store *store, sqlite3_stmt *statement, struct error *error);
/* One number; `preset` if there is no row or it is NULL. */
int store_query_i64(struct store *store, const char *sql, int64_t preset, int64_t *value,
                    struct error *error);
/* A row of the table `run`, instead of an earlier one. */
int store_set_run_value(struct store *store, const char *key, const char *value,
                        struct error *error);
/* Room for one more row in an array that doubles; `items` is a pointer to the pointer. */
int store_make_room(struct store *store, void *items, int count, size_t size, struct error *error);

/* All rows of a bound statement as an array; finalizes it. `items` is a pointer to the pointer;
 * each item has `size` bytes, zeros before `read` fills it, and owns no memory. NULL and 0 on
 * error. */
int store_get_rows(struct store *store, sqlite3_stmt *statement, statement_read *read, size_t size,
                   void *items, int *count, struct error *error);

/* Texts are copied. */
void store_bind_text(sqlite3_stmt *statement, int column, const char *text);
void store_bind_hash(sqlite3_stmt *statement, int column, uint64_t hash);
/* What is known of a creature at birth: the twelve columns of STORE_BIRTH behind column `before`.
 * The texts and the genome must stay until the statement has run. */
#define STORE_BIRTH                                                                                \
    "id, generation, method, parent1, parent2, mutations, seed, body, trials, bar_m_s,"            \
    " bar_sizes_s, genome"
#define STORE_BIRTH_PLACES "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?"
int store_bind_birth(struct store *store, sqlite3_stmt *statement, int before,
                     const struct individual *individual, struct error *error);
/* A number, or NULL. */
void store_bind_known(sqlite3_stmt *statement, int column, int is_known, int64_t value);
/* Ids: 0 is stored as NULL. */
void store_bind_id(sqlite3_stmt *statement, int column, uint64_t id);
/* The time as in all tables: 2026-01-31T23:59:59.123Z. */
void store_now_utc(char text[32]);

/* ---- transactions: store_sql.c ---- */

/* What holds of an open store between two calls. */
void store_check(const struct store *store);
/* Opens a batch unless one is open; store_commit() ends it. */
int store_begin(struct store *store, struct error *error);
void store_roll_back(struct store *store);

/* ---- between the other files ---- */

/* Whom generation ?1 judges: `individual`, and `evaluated` as in `members`. In the generation under
 * way a newborn has no row in `members` unless it is simulated a second time; its row in
 * `individuals` says that it is evaluated. */
#define STORE_JUDGED                                                                               \
    "(SELECT individual, evaluated FROM members WHERE generation = ?1"                             \
    " UNION ALL SELECT id, id IN (SELECT id FROM individuals) FROM births"                         \
    " WHERE ?1 = (SELECT max(number) FROM generations)"                                            \
    " AND id NOT IN (SELECT individual FROM members WHERE generation = ?1))"

/* Runs a statement whose parameter, the generation, is ?1. */
int store_execute_for(struct store *store, const char *sql, int64_t generation,
                      struct error *error);
/* As store_query_i64(), with a generation. */
int store_query_for(struct store *store, const char *sql, int64_t generation, int64_t preset,
                    int64_t *value, struct error *error);

/* Whether an older store has the column quarantine.log. */
int store_has_quarantine_log(struct store *store, int64_t *has_log, struct error *error);
/* Writes the parameters as a new branch, of this program's simulator. */
int store_put_branch(struct store *store, const struct params *params, uint32_t generation,
                     struct error *error);
/* enum breeding_method, or -1. */
int store_find_method(const char *name);

#endif

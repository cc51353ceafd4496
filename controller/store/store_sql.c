/* Statements for the rest of the run store: errors in words, prepared statements and those kept
 * prepared, values in and out of columns, queries with a column for each measure, transactions.
 * What is written collects in a batch, one transaction, from store_begin() to store_commit(). */
#include "controller/store/store_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/math/hash.h"

int store_fail_sqlite(struct store *store, const char *what, struct error *error)
{
    store->has_failed = 1;
    return statement_fail(store->database, store->path, what, error);
}

int store_execute(struct store *store, const char *sql, struct error *error)
{
    if (sqlite3_exec(store->database, sql, NULL, NULL, NULL) != SQLITE_OK)
        return store_fail_sqlite(store, "cannot be written", error);
    return 0;
}

int store_prepare(struct store *store, const char *sql, sqlite3_stmt **statement,
                  struct error *error)
{
    int status = statement_prepare(store->database, store->path, sql, statement, error);
    store->has_failed |= status != 0;
    return status;
}

int store_next_row(struct store *store, sqlite3_stmt *statement, struct error *error)
{
    int status = statement_next(statement, store->path, error);
    store->has_failed |= status < 0;
    return status;
}

int store_run_statement(struct store *store, sqlite3_stmt *statement, struct error *error)
{
    int status = 0;
    if (sqlite3_step(statement) != SQLITE_DONE)
        status = store_fail_sqlite(store, "cannot be written", error);
    sqlite3_reset(statement);
    return status;
}

int store_execute_for(struct store *store, const char *sql, int64_t generation, struct error *error)
{
    sqlite3_stmt *statement;
    int status = store_prepare(store, sql, &statement, error);
    if (status)
        return status;
    sqlite3_bind_int64(statement, 1, generation);
    status = store_run_statement(store, statement, error);
    sqlite3_finalize(statement);
    return status;
}

int store_query_for(struct store *store, const char *sql, int64_t generation, int64_t preset,
                    int64_t *value, struct error *error)
{
    int status =
        statement_number(store->database, store->path, sql, generation, preset, value, error);
    store->has_failed |= status != 0;
    return status;
}

int store_query_i64(struct store *store, const char *sql, int64_t preset, int64_t *value,
                    struct error *error)
{
    int status = statement_number(store->database, store->path, sql, 0, preset, value, error);
    store->has_failed |= status != 0;
    return status;
}

/* Columns that are bound count from 1. */
static void check_place(sqlite3_stmt *statement, int column)
{
    ENSURE(column >= 1 && column <= sqlite3_bind_parameter_count(statement), "place %d of %d",
           column, sqlite3_bind_parameter_count(statement));
}

void store_bind_text(sqlite3_stmt *statement, int column, const char *text)
{
    check_place(statement, column);
    sqlite3_bind_text(statement, column, text, -1, SQLITE_TRANSIENT);
}

void store_bind_hash(sqlite3_stmt *statement, int column, uint64_t hash)
{
    char text[17];
    hash_to_text(hash, text);
    store_bind_text(statement, column, text);
}

void store_bind_known(sqlite3_stmt *statement, int column, int is_known, int64_t value)
{
    check_place(statement, column);
    if (is_known)
        sqlite3_bind_int64(statement, column, value);
    else
        sqlite3_bind_null(statement, column);
}

void store_bind_id(sqlite3_stmt *statement, int column, uint64_t id)
{
    store_bind_known(statement, column, id != 0, (int64_t)id);
}

/* Two columns: both numbers, or NULL. */
static void bind_bar(sqlite3_stmt *statement, int column, const struct pace_bar *bar)
{
    if (!pace_has_bar(bar)) {
        sqlite3_bind_null(statement, column);
        sqlite3_bind_null(statement, column + 1);
        return;
    }
    sqlite3_bind_double(statement, column, bar->m_s);
    sqlite3_bind_double(statement, column + 1, bar->sizes_s);
}

int store_bind_birth(struct store *store, sqlite3_stmt *statement, int before,
                     const struct individual *individual, struct error *error)
{
    struct packed_genome genome = individual->packed;
    char seed[17];
    ENSURE(individual->method >= 0 && individual->method < METHOD_COUNT,
           "%s: creature %llu: method %d", store->path, (unsigned long long)individual->id,
           individual->method);
    if (!genome.bytes) {
        pack_writer_clear(&store->scratch);
        genome_encode(&individual->genome, &store->scratch);
        if (store->scratch.has_failed)
            return error_set(error, ERR_MEMORY, "%s: out of memory", store->path);
        genome.bytes = (unsigned char *)store->scratch.buffer.data;
        genome.length = store->scratch.buffer.size;
    }
    hash_to_text(individual->seed, seed);
    sqlite3_bind_int64(statement, before + 1, (sqlite3_int64)individual->id);
    sqlite3_bind_int64(statement, before + 2, individual->generation);
    sqlite3_bind_text(statement, before + 3, breeding_method_names[individual->method], -1,
                      SQLITE_STATIC);
    store_bind_id(statement, before + 4, individual->parents[0]);
    store_bind_id(statement, before + 5, individual->parents[1]);
    sqlite3_bind_text(statement, before + 6, individual->mutations, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, before + 7, seed, sizeof seed - 1, SQLITE_TRANSIENT);
    store_bind_id(statement, before + 8, individual->body);
    store_bind_known(statement, before + 9, individual->is_trial, individual->born_trials);
    bind_bar(statement, before + 10, &individual->bar);
    sqlite3_bind_blob64(statement, before + 12, genome.bytes, genome.length, SQLITE_STATIC);
    return 0;
}

void store_now_utc(char text[32])
{
    struct timespec now;
    struct tm parts;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &parts);
    size_t used = strftime(text, 32, "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(text + used, 32 - used, ".%03ldZ", now.tv_nsec / 1000000);
}

/* Repeats "prefix NAME suffix, " for every measure, then closes the list with `last`. */
static void print_measures(FILE *text, const char *prefix, const char *suffix, const char *last)
{
    for (int i = 0; i < MEASURE_COUNT; i++)
        fprintf(text, "%s%s%s, ", prefix, measure_table[i].name, suffix);
    fputs(last, text);
}

/* Parameters as those of print_update_result(), then those of the birth. */
static void print_insert_result(FILE *text, const char *unused, const char *unused_too)
{
    fputs("INSERT OR IGNORE INTO individuals (", text);
    print_measures(text, "", "", "verdict, fitness, digest, branch, " STORE_BIRTH ") VALUES (");
    for (int i = 0; i < MEASURE_COUNT + 4; i++)
        fputs("?, ", text);
    fputs(STORE_BIRTH_PLACES ")", text);
}

static void print_update_result(FILE *text, const char *unused, const char *unused_too)
{
    fputs("UPDATE individuals SET ", text);
    print_measures(text, "", " = ?",
                   "verdict = ?, fitness = ?, digest = ?, branch = ? WHERE id = ?");
}

int store_prepare_printed(struct store *store, statement_print *print, const char *first,
                          const char *second, sqlite3_stmt **statement, struct error *error)
{
    int status = statement_prepare_printed(store->database, store->path, print, first, second,
                                           statement, error);
    store->has_failed |= status != 0;
    return status;
}

int store_get_hot(struct store *store, enum hot_statement which, sqlite3_stmt **statement,
                  struct error *error)
{
    static const char *const texts[HOT_COUNT] = {
        [HOT_INSERT_BIRTH] = "INSERT INTO births (" STORE_BIRTH ") VALUES (" STORE_BIRTH_PLACES ")",
        [HOT_INSERT_MEMBER] =
            "INSERT INTO members (generation, individual, evaluated) VALUES (?, ?, ?)",
        [HOT_UPDATE_EVALUATED] =
            "UPDATE members SET evaluated = 1 WHERE generation = ? AND individual = ?",
        [HOT_PUT_COST] = "INSERT OR REPLACE INTO costs (individual, worker, attempt, wall_ms,"
                         " cpu_ms, arena_bytes, time_s, reused, pace_least_m_s)"
                         " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [HOT_PUT_REFEREE] = "UPDATE individuals SET fitness = ?, referee_fitness = ?,"
                            " referee_words = ?, branch = ? WHERE id = ?",
        [HOT_CLOSE_MEMBER] =
            "INSERT INTO members (generation, individual, evaluated, rank, survived, fitness)"
            " VALUES (?, ?, 1, ?, ?, ?) ON CONFLICT DO UPDATE SET rank = excluded.rank,"
            " survived = excluded.survived, fitness = excluded.fitness",
        [HOT_PUT_ARCHIVED] =
            "INSERT OR REPLACE INTO archive (generation, individual, cell, trials, waiting)"
            " VALUES (?, ?, ?, ?, ?)",
        [HOT_PUT_EPOCH] = "INSERT OR REPLACE INTO epochs VALUES (?, ?, ?, ?, ?, ?, ?"
#define X(name) ", ?"
        EPOCH_FACTS(X) ")",
#undef X
        [HOT_PUT_LIFE] =
            "INSERT OR REPLACE INTO lives (id, world, mother, father, family, generation, hunter,"
            " born_s, died_s, cause, children, parts, area_m2, way_m, plants_uj, carrion_uj,"
            " living_uj, topology, preyed_s) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
            " ?, ?, ?, coalesce(?, (SELECT preyed_s FROM lives WHERE id = ?1)))",
        [HOT_PUT_CONTEST] =
            "INSERT OR REPLACE INTO contests (generation, first, second, trial, seed, verdict1,"
            " verdict2, margin1, margin2, digest) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    };
    static statement_print *const printers[HOT_COUNT] = {
        [HOT_INSERT_RESULT] = print_insert_result, [HOT_UPDATE_RESULT] = print_update_result};
    int status = 0;
    ENSURE((int)which >= 0 && which < HOT_COUNT, "%s: statement %d", store->path, (int)which);
    ENSURE((texts[which] != NULL) != (printers[which] != NULL), "%s: statement %d has no text",
           store->path, (int)which);
    if (!store->hot[which]) {
        if (printers[which])
            status =
                store_prepare_printed(store, printers[which], "", "", &store->hot[which], error);
        else
            status = store_prepare(store, texts[which], &store->hot[which], error);
    }
    *statement = store->hot[which];
    return status;
}

void store_check(const struct store *store)
{
    ENSURE(store->database && store->path[0], "a store that is not open");
    ENSURE(store->branch >= 0 && store->generation >= -1, "branch %lld, generation %lld",
           (long long)store->branch, (long long)store->generation);
    ENSURE(!store->is_read_only || !store->is_in_transaction, "%s: a batch of a reader",
           store->path);
    ENSURE(store->is_read_only || store->has_failed || !store->is_in_transaction ||
               !sqlite3_get_autocommit(store->database),
           "%s: the open batch is no transaction", store->path);
    for (int i = 0; i < HOT_COUNT; i++)
        ENSURE(!store->hot[i] || store->has_failed || !sqlite3_stmt_busy(store->hot[i]),
               "%s: statement %d is under way", store->path, i);
}

int store_begin(struct store *store, struct error *error)
{
    store_check(store);
    if (store->is_in_transaction)
        return 0;
    int status = store_execute(store, "BEGIN IMMEDIATE", error);
    store->is_in_transaction = !status;
    return status;
}

int store_commit(struct store *store, struct error *error)
{
    store_check(store);
    if (!store->is_in_transaction || store->is_read_only)
        return 0;
    int result = sqlite3_exec(store->database, "COMMIT", NULL, NULL, NULL);
    if (result != SQLITE_OK && store->is_on_network && (result & 0xff) == SQLITE_BUSY)
        return 0;
    if (result != SQLITE_OK)
        return store_fail_sqlite(store, "cannot be written", error);
    store->is_in_transaction = 0;
    return 0;
}

void store_roll_back(struct store *store)
{
    if (store->is_in_transaction)
        sqlite3_exec(store->database, "ROLLBACK", NULL, NULL, NULL);
    store->is_in_transaction = 0;
}

int store_set_run_value(struct store *store, const char *key, const char *value,
                        struct error *error)
{
    sqlite3_stmt *statement;
    int status = store_prepare(store, "INSERT OR REPLACE INTO run (key, value) VALUES (?, ?)",
                               &statement, error);
    if (status)
        return status;
    store_bind_text(statement, 1, key);
    store_bind_text(statement, 2, value);
    status = store_run_statement(store, statement, error);
    sqlite3_finalize(statement);
    return status;
}

int store_make_room(struct store *store, void *items, int count, size_t size, struct error *error)
{
    return statement_make_room(store->path, items, count, size, store->bounds.rows_most, error);
}

int store_get_rows(struct store *store, sqlite3_stmt *statement, statement_read *read, size_t size,
                   void *items, int *count, struct error *error)
{
    int status = statement_get_rows(statement, store->path, store->bounds.rows_most, read, size,
                                    items, count, error);
    store->has_failed |= status != 0;
    return status;
}

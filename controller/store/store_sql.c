/* Statements for the rest of the run store: those that write, with their values; transactions. What
 * is written collects in a batch, one transaction, from store_begin() to store_commit(). */
#include "controller/store/store_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/math/hash.h"

/* ---- values ---- */

static void put_value(sqlite3_stmt *statement, int place, const struct store_value *value)
{
    char text[17];
    switch (value->type) {
    case SQLITE_INTEGER:
        sqlite3_bind_int64(statement, place, value->whole);
        break;
    case SQLITE_FLOAT:
        sqlite3_bind_double(statement, place, value->real);
        break;
    case SQLITE_TEXT:
        sqlite3_bind_text(statement, place, value->bytes, (int)value->length, SQLITE_STATIC);
        break;
    case SQLITE_BLOB:
        sqlite3_bind_blob64(statement, place, value->bytes, value->length, SQLITE_STATIC);
        break;
    case VALUE_HASH:
        hash_to_text((uint64_t)value->whole, text);
        sqlite3_bind_text(statement, place, text, -1, SQLITE_TRANSIENT);
        break;
    default:
        ENSURE(value->type == SQLITE_NULL, "place %d of %d has no value: %.60s", place,
               sqlite3_bind_parameter_count(statement), sqlite3_sql(statement));
        sqlite3_bind_null(statement, place);
    }
}

int store_pack_genome(struct store *store, const struct genome *genome, struct store_value *value,
                      struct error *error)
{
    pack_writer_clear(&store->scratch);
    genome_encode(genome, &store->scratch);
    *value = STORE_BYTES(store->scratch.buffer.data, store->scratch.buffer.size);
    return store->scratch.has_failed
               ? error_set(error, ERR_MEMORY, "%s: out of memory", store->path)
               : 0;
}

int store_list_birth(struct store *store, const struct individual *individual,
                     struct store_value values[STORE_BIRTH_COUNT + 1], struct error *error)
{
    const struct early_stop_bar *bar = &individual->bar;
    ENSURE(individual->method >= 0 && individual->method < METHOD_COUNT,
           "%s: creature %" PRIu64 ": method %d", store->path, individual->id, individual->method);
    const struct store_value row[STORE_BIRTH_COUNT + 1] = {
        STORE_WHOLE((int64_t)individual->id),
        STORE_WHOLE(individual->generation),
        STORE_TEXT(breeding_method_names[individual->method]),
        STORE_ID(individual->parents[0]),
        STORE_ID(individual->parents[1]),
        STORE_TEXT(individual->mutations),
        STORE_HASH(individual->seed),
        STORE_ID(individual->body),
        STORE_KNOWN(individual->is_trial, individual->born_trials),
        early_stop_has_bar(bar) ? STORE_REAL(bar->m_s) : STORE_KNOWN(0, 0),
        early_stop_has_bar(bar) ? STORE_REAL(bar->sizes_s) : STORE_KNOWN(0, 0),
        individual->kept > 0 ? STORE_REAL(individual->kept) : STORE_KNOWN(0, 0),
        STORE_KNOWN(individual->island > 0, individual->island),
        STORE_BYTES(individual->packed.bytes, individual->packed.length),
        STORE_ROW_END};
    memcpy(values, row, sizeof row);
    return individual->packed.bytes ? 0
                                    : store_pack_genome(store, &individual->genome,
                                                        &values[STORE_BIRTH_COUNT - 1], error);
}

/* ---- statements ---- */

int store_execute(struct store *store, const char *sql, struct error *error)
{
    if (sqlite3_exec(store->database.handle, sql, NULL, NULL, NULL) != SQLITE_OK)
        return statement_fail(&store->database, "cannot be written", error);
    return 0;
}

/* A statement that stays prepared until the store is closed. */
static int keep(struct store *store, const char *sql, sqlite3_stmt **statement, struct error *error)
{
    for (int i = 0; i < store->kept_count; i++) {
        *statement = store->kept[i];
        if (!strcmp(sqlite3_sql(*statement), sql))
            return 0;
    }
    ENSURE(store->kept_count < STORE_KEPT_MAX, "%s: too many kinds of statements: %.60s",
           store->path, sql);
    int status = statement_prepare(&store->database, sql, statement, error);
    if (!status)
        store->kept[store->kept_count++] = *statement;
    return status;
}

int store_run(struct store *store, const char *sql, const struct store_value *values,
              struct error *error)
{
    ENSURE(!store->is_read_only, "%s: a reader writes: %.60s", store->path, sql);
    sqlite3_stmt *statement;
    int status = store_begin(store, error);
    if (!status)
        status = keep(store, sql, &statement, error);
    if (status)
        return status;
    int count = sqlite3_bind_parameter_count(statement);
    for (int i = 0; i < count; i++)
        put_value(statement, i + 1, &values[i]);
    ENSURE(values[count].type == 0, "more than %d values: %.60s", count, sql);
    if (sqlite3_step(statement) != SQLITE_DONE)
        status = statement_fail(&store->database, "cannot be written", error);
    sqlite3_reset(statement);
    return status;
}

int store_set_run_value(struct store *store, const char *key, const char *value,
                        struct error *error)
{
    return store_run(store, "INSERT OR REPLACE INTO run (key, value) VALUES (?, ?)",
                     STORE_ROW(STORE_TEXT(key), STORE_TEXT(value)), error);
}

/* ---- transactions ---- */

void store_check(const struct store *store)
{
    ENSURE(store->database.handle && store->path[0], "a store that is not open");
    ENSURE(store->branch >= 0 && store->generation >= -1, "branch %lld, generation %lld",
           (long long)store->branch, (long long)store->generation);
    ENSURE(!store->is_read_only || !store->is_in_transaction, "%s: a batch of a reader",
           store->path);
    ENSURE(store->is_read_only || store->database.has_failed || !store->is_in_transaction ||
               !sqlite3_get_autocommit(store->database.handle),
           "%s: the open batch is no transaction", store->path);
    for (int i = 0; i < store->kept_count; i++)
        ENSURE(store->database.has_failed || !sqlite3_stmt_busy(store->kept[i]),
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
    int result = sqlite3_exec(store->database.handle, "COMMIT", NULL, NULL, NULL);
    if (result != SQLITE_OK && store->is_on_network && (result & 0xff) == SQLITE_BUSY)
        return 0;
    if (result != SQLITE_OK)
        return statement_fail(&store->database, "cannot be written", error);
    store->is_in_transaction = 0;
    return 0;
}

void store_roll_back(struct store *store)
{
    if (store->is_in_transaction)
        sqlite3_exec(store->database.handle, "ROLLBACK", NULL, NULL, NULL);
    store->is_in_transaction = 0;
}

/* The run store: hashes of all that two equal runs have in common; see store_get_digests(). */
#include "controller/store/store_private.h"

#include <stdlib.h>
#include <string.h>

#include "common/math/hash.h"

/* Every column of every row, with its type, so that NULL differs from 0, and "a", "bc" from "ab",
 * "c". Finalizes the statement. */
static int hash_statement(struct store *store, sqlite3_stmt *row, int64_t argument, uint64_t *hash,
                          struct error *error)
{
    int status;
    sqlite3_bind_int64(row, 1, argument);
    while ((status = store_next_row(store, row, error)) == 1) {
        for (int i = 0; i < sqlite3_column_count(row); i++) {
            int type = sqlite3_column_type(row, i);
            *hash = hash_u64(*hash, (uint64_t)type);
            if (type == SQLITE_INTEGER) {
                *hash = hash_u64(*hash, (uint64_t)sqlite3_column_int64(row, i));
            } else if (type == SQLITE_FLOAT) {
                *hash = hash_double(*hash, sqlite3_column_double(row, i));
            } else if (type != SQLITE_NULL) {
                const void *bytes = sqlite3_column_blob(row, i);
                size_t length = (size_t)sqlite3_column_bytes(row, i);
                *hash = hash_u64(*hash, length);
                *hash = hash_bytes(*hash, bytes ? bytes : "", length);
            }
        }
    }
    sqlite3_finalize(row);
    return status;
}

static int hash_rows(struct store *store, const char *sql, int64_t argument, uint64_t *hash,
                     struct error *error)
{
    sqlite3_stmt *row;
    int status = store_prepare(store, sql, &row, error);
    return status ? status : hash_statement(store, row, argument, hash, error);
}

/* All columns but those of the bar, in the order of this version. */
static void print_individuals(FILE *text, const char *unused, const char *unused_too)
{
    fputs("SELECT id, generation, method, parent1, parent2, mutations, seed, body, trials, branch,"
          " verdict, fitness, referee_fitness, referee_words, digest",
          text);
    for (int i = 0; i < MEASURE_COUNT; i++)
        fprintf(text, ", %s", measure_table[i].name);
    fputs(", genome FROM individuals WHERE generation = ? ORDER BY id", text);
}

static int hash_individuals(struct store *store, int64_t generation, uint64_t *hash,
                            struct error *error)
{
    sqlite3_stmt *row;
    int status = store_prepare_printed(store, print_individuals, "", "", &row, error);
    return status ? status : hash_statement(store, row, generation, hash, error);
}

static int hash_generation(struct store *store, int64_t generation, uint64_t *hash,
                           struct error *error)
{
    *hash = HASH_START;
    int status =
        hash_rows(store, "SELECT * FROM generations WHERE number = ?", generation, hash, error);
    if (!status)
        status = hash_individuals(store, generation, hash, error);
    if (!status)
        status = hash_rows(store,
                           "SELECT id, bar_m_s, bar_sizes_s FROM individuals WHERE generation = ?"
                           " AND bar_m_s IS NOT NULL ORDER BY id",
                           generation, hash, error);
    if (!status)
        status = hash_rows(store,
                           "SELECT individual, rank, survived, fitness FROM members"
                           " WHERE generation = ? ORDER BY individual",
                           generation, hash, error);
    if (!status)
        status = hash_rows(store, "SELECT * FROM archive WHERE generation = ? ORDER BY individual",
                           generation, hash, error);
    if (!status)
        status = hash_rows(store,
                           "SELECT individual, choice FROM choices WHERE generation = ?"
                           " ORDER BY individual",
                           generation, hash, error);
    return status;
}

/* The parameters of all branches, but for those of scope F. */
static int hash_parameters(struct store *store, uint64_t *hash, struct error *error)
{
    for (int64_t branch = 1; branch <= store->branch; branch++) {
        struct params params;
        int status = stored_branch_params(store->database, store->path, branch, &params, error);
        if (status)
            return status;
        for (int i = 0; i < param_count; i++) {
            char value[PARAM_TEXT_SIZE];
            if (param_table[i].scope == 'F')
                continue;
            params_print_value(&params, i, value, sizeof value);
            *hash = hash_bytes(*hash, value, strlen(value));
        }
    }
    return 0;
}

static int read_digest(struct store *store, sqlite3_stmt *row, void *item, struct error *error)
{
    struct store_digest *digest = item;
    digest->generation = (uint32_t)sqlite3_column_int64(row, 0);
    digest->is_closed = sqlite3_column_int(row, 1);
    return hash_generation(store, digest->generation, &digest->hash, error);
}

int store_get_digests(struct store *store, uint64_t *whole, struct store_digest **generations,
                      int *count, struct error *error)
{
    sqlite3_stmt *row;
    *generations = NULL;
    *count = 0;
    *whole = HASH_START;
    int status = hash_parameters(store, whole, error);
    if (!status)
        status = store_prepare(store, "SELECT number, closed FROM generations ORDER BY number",
                               &row, error);
    if (status)
        return status;
    status =
        store_get_rows(store, row, read_digest, sizeof **generations, generations, count, error);
    for (int i = 0; i < *count; i++)
        *whole = hash_u64(*whole, (*generations)[i].hash);
    return status;
}

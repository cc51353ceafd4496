/* The run store: hashes of all that two equal runs have in common; see store_get_digests(). */
#include "controller/store/store_private.h"

#include <stdlib.h>
#include <string.h>

#include "common/math/hash.h"

/* The first `count` columns of a row, with their types, so that NULL differs from 0, and "a", "bc"
 * from "ab", "c". */
static void hash_row(sqlite3_stmt *row, int count, uint64_t *hash)
{
    for (int i = 0; i < count; i++) {
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

static int hash_rows(struct store *store, const char *sql, int64_t argument, uint64_t *hash,
                     struct error *error)
{
    sqlite3_stmt *row;
    int status = store_prepare(store, sql, &row, error);
    if (status)
        return status;
    sqlite3_bind_int64(row, 1, argument);
    while ((status = store_next_row(store, row, error)) == 1)
        hash_row(row, sqlite3_column_count(row), hash);
    sqlite3_finalize(row);
    return status;
}

/* ---- individuals ---- */

/* They are in order of birth, and so are the generations: one walk through them serves all. The
 * last column is the generation, and is not hashed again. */
struct walk {
    sqlite3_stmt *row;
    int has_row;
};

/* All columns but those of the bar, in the order of this version. */
static void print_individuals(FILE *text, const char *unused, const char *unused_too)
{
    fputs("SELECT id, generation, method, parent1, parent2, mutations, seed, body, trials, branch,"
          " verdict, fitness, referee_fitness, referee_words, digest",
          text);
    for (int i = 0; i < MEASURE_COUNT; i++)
        fprintf(text, ", %s", measure_table[i].name);
    fputs(", genome, generation FROM individuals ORDER BY id", text);
}

static void print_bars(FILE *text, const char *unused, const char *unused_too)
{
    fputs("SELECT id, bar_m_s, bar_sizes_s, generation FROM individuals"
          " WHERE bar_m_s IS NOT NULL ORDER BY id",
          text);
}

static int walk_on(struct store *store, struct walk *walk, struct error *error)
{
    int status = store_next_row(store, walk->row, error);
    walk->has_row = status == 1;
    return status < 0 ? status : 0;
}

static int walk_init(struct store *store, struct walk *walk, statement_print *print,
                     struct error *error)
{
    int status = store_prepare_printed(store, print, "", "", &walk->row, error);
    return status ? status : walk_on(store, walk, error);
}

static int hash_walk(struct store *store, struct walk *walk, int64_t generation, uint64_t *hash,
                     struct error *error)
{
    int status = 0, last = sqlite3_column_count(walk->row) - 1;
    while (!status && walk->has_row && sqlite3_column_int64(walk->row, last) <= generation) {
        hash_row(walk->row, last, hash);
        status = walk_on(store, walk, error);
    }
    return status;
}

/* ---- generations ---- */

static int hash_generation(struct store *store, struct walk *individuals, struct walk *bars,
                           int64_t generation, uint64_t *hash, struct error *error)
{
    *hash = HASH_START;
    int status =
        hash_rows(store, "SELECT * FROM generations WHERE number = ?", generation, hash, error);
    if (!status)
        status = hash_walk(store, individuals, generation, hash, error);
    if (!status)
        status = hash_walk(store, bars, generation, hash, error);
    if (!status)
        status = hash_rows(store,
                           "SELECT individual, rank, survived, fitness FROM members"
                           " WHERE generation = ? ORDER BY individual",
                           generation, hash, error);
    if (!status)
        status = hash_rows(store,
                           "SELECT first, second, trial, verdict1, verdict2, margin1, margin2,"
                           " digest FROM contests WHERE generation = ? AND trial LIKE 'first%'"
                           " ORDER BY first, second, trial",
                           generation, hash, error);
    if (!status)
        status = hash_rows(store,
                           "SELECT world, digest, without, drifted_to"
#define X(name) ", " #name
                           EPOCH_FACTS(X)
#undef X
                               " FROM epochs WHERE epoch = ? ORDER BY world",
                           generation, hash, error);
    if (!status)
        status = hash_rows(store,
                           "SELECT world, number, deed, life, x_m, y_m, energy_uj, genome"
                           " FROM deeds WHERE epoch = ? ORDER BY world, number",
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

static int read_digest(const char *path, sqlite3_stmt *row, void *item, struct error *error)
{
    struct store_digest *digest = item;
    digest->generation = (uint32_t)sqlite3_column_int64(row, 0);
    digest->is_closed = sqlite3_column_int(row, 1);
    return 0;
}

static int hash_generations(struct store *store, struct store_digest *generations, int count,
                            struct error *error)
{
    struct walk individuals = {NULL, 0}, bars = {NULL, 0};
    int status = walk_init(store, &individuals, print_individuals, error);
    if (!status)
        status = walk_init(store, &bars, print_bars, error);
    for (int i = 0; i < count && !status; i++)
        status = hash_generation(store, &individuals, &bars, generations[i].generation,
                                 &generations[i].hash, error);
    sqlite3_finalize(individuals.row);
    sqlite3_finalize(bars.row);
    return status;
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
    if (!status)
        status = hash_generations(store, *generations, *count, error);
    if (status) {
        free(*generations);
        *generations = NULL;
        *count = 0;
    }
    for (int i = 0; i < *count; i++)
        *whole = hash_u64(*whole, (*generations)[i].hash);
    return status;
}

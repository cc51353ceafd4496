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

static int hash_whole_row(struct database *database, sqlite3_stmt *row, void *hash,
                          struct error *error)
{
    hash_row(row, sqlite3_column_count(row), hash);
    return 0;
}

/* ---- individuals ---- */

/* They are in order of birth, and so are the generations: one walk through them serves all. The
 * last column is the generation, and is not hashed again. */
struct walk {
    sqlite3_stmt *row;
    int has_row;
};

/* All columns but those of the bar, in the order of this version. */
#define MEASURE(name, text) ", " #name
static const char individuals_query[] =
    "SELECT id, generation, method, parent1, parent2, mutations, seed, body, trials, branch,"
    " verdict, fitness, referee_fitness, referee_words, digest" MEASURES(
        MEASURE) ", genome, generation FROM individuals ORDER BY id";
static const char bars_query[] =
    "SELECT id, bar_m_s, bar_sizes_s, generation FROM individuals WHERE bar_m_s IS NOT NULL"
    " ORDER BY id";

static int walk_on(struct store *store, struct walk *walk, struct error *error)
{
    int status = statement_next(&store->database, walk->row, error);
    walk->has_row = status == 1;
    return status < 0 ? status : 0;
}

static int walk_init(struct store *store, struct walk *walk, const char *sql, struct error *error)
{
    int status = statement_prepare(&store->database, sql, &walk->row, error);
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

#define FACT(name) ", " #name
/* The rows of a generation besides creatures; those of the generation itself come before. */
static const char *const contents[] = {
    "SELECT individual, rank, survived, fitness FROM members WHERE generation = ?"
    " ORDER BY individual",
    "SELECT first, second, trial, verdict1, verdict2, margin1, margin2, digest FROM contests"
    " WHERE generation = ? AND trial LIKE 'first%' ORDER BY first, second, trial",
    "SELECT world, digest, without, drifted_to" EPOCH_FACTS(
        FACT) " FROM epochs WHERE epoch = ? ORDER BY world",
    "SELECT world, number, deed, life, x_m, y_m, energy_uj, genome FROM deeds WHERE epoch = ?"
    " ORDER BY world, number",
    "SELECT * FROM archive WHERE generation = ? ORDER BY individual",
    "SELECT individual, choice FROM choices WHERE generation = ? ORDER BY individual"};

static int hash_generation(struct store *store, struct walk *individuals, struct walk *bars,
                           int64_t generation, uint64_t *hash, struct error *error)
{
    *hash = HASH_START;
    int status = statement_each(&store->database, "SELECT * FROM generations WHERE number = ?",
                                generation, 0, hash_whole_row, hash, error);
    if (!status)
        status = hash_walk(store, individuals, generation, hash, error);
    if (!status)
        status = hash_walk(store, bars, generation, hash, error);
    for (size_t i = 0; !status && i < sizeof contents / sizeof contents[0]; i++)
        status = statement_each(&store->database, contents[i], generation, 0, hash_whole_row, hash,
                                error);
    return status;
}

/* The parameters of all branches, by name, but for those of scope F and those that have their
 * default: a new key that is off changes no digest. */
static int hash_parameters(struct store *store, uint64_t *hash, struct error *error)
{
    for (int64_t branch = 1; branch <= store->branch; branch++) {
        struct params params;
        int status = stored_branch_params(&store->database, branch, &params, error);
        if (status)
            return status;
        for (int i = 0; i < param_count; i++) {
            char value[PARAM_TEXT_SIZE];
            if (param_table[i].scope == 'F' || params_is_default(&params, i))
                continue;
            params_print_value(&params, i, value, sizeof value);
            *hash = hash_bytes(*hash, param_table[i].key, strlen(param_table[i].key) + 1);
            *hash = hash_bytes(*hash, value, strlen(value) + 1);
        }
    }
    return 0;
}

static int read_digest(struct database *database, sqlite3_stmt *row, void *item,
                       struct error *error)
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
    int status = walk_init(store, &individuals, individuals_query, error);
    if (!status)
        status = walk_init(store, &bars, bars_query, error);
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
    static const struct listing listing = {"SELECT number, closed FROM generations ORDER BY number",
                                           sizeof **generations, read_digest, NULL};
    *generations = NULL;
    *count = 0;
    *whole = HASH_START;
    int status = hash_parameters(store, whole, error);
    if (!status)
        status = statement_list(&store->database, &listing, 0, 0, generations, count, error);
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

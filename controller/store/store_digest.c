/* The run store: hashes of all that two equal runs have in common; see store_get_digests(). */
#include "controller/store/store_private.h"

#include <stdlib.h>

#include "common/math/hash.h"
#include "controller/evolution/run_digest.h"

/* Columns of any of our tables. */
enum { COLUMNS_MOST = MEASURE_COUNT + 24 };

static void hash_row(sqlite3_stmt *row, int count, uint64_t *hash)
{
    struct run_value values[COLUMNS_MOST];
    ENSURE(count <= COLUMNS_MOST, "%d columns", count);
    for (int i = 0; i < count; i++) {
        struct run_value *value = &values[i];
        *value = (struct run_value){.type = (enum run_value_type)sqlite3_column_type(row, i)};
        if (value->type == RUN_WHOLE) {
            value->whole = sqlite3_column_int64(row, i);
        } else if (value->type == RUN_REAL) {
            value->real = sqlite3_column_double(row, i);
        } else if (value->type != RUN_NOTHING) {
            value->bytes = sqlite3_column_blob(row, i);
            value->length = (size_t)sqlite3_column_bytes(row, i);
        }
    }
    run_digest_row(hash, values, count);
}

static int hash_whole_row(const struct row *row, void *hash)
{
    hash_row(row->at, sqlite3_column_count(row->at), hash);
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
/* NULL: what is walked through. */
static const char *const queries[RUN_TABLES] = {
    [RUN_GENERATIONS] = "SELECT * FROM generations WHERE number = ?",
    [RUN_MEMBERS] = "SELECT individual, rank, survived, fitness FROM members WHERE generation = ?"
                    " ORDER BY individual",
    [RUN_CONTESTS] = "SELECT first, second, trial, verdict1, verdict2, margin1, margin2, digest"
                     " FROM contests WHERE generation = ? AND trial LIKE 'first%'"
                     " ORDER BY first, second, trial",
    [RUN_EPOCHS] = "SELECT world, digest, without, drifted_to" EPOCH_FACTS(
        FACT) " FROM epochs WHERE epoch = ? ORDER BY world",
    [RUN_DEEDS] = "SELECT world, number, deed, life, x_m, y_m, energy_uj, genome FROM deeds"
                  " WHERE epoch = ? ORDER BY world, number",
    [RUN_ARCHIVE] = "SELECT * FROM archive WHERE generation = ? ORDER BY individual",
    [RUN_CHOICES] = "SELECT individual, choice FROM choices WHERE generation = ?"
                    " ORDER BY individual"};

struct walks {
    struct store *store;
    struct walk individuals, bars;
};

static int hash_rows(void *context, enum run_table table, int64_t generation, uint64_t *hash,
                     struct error *error)
{
    struct walks *walks = context;
    if (!queries[table])
        return hash_walk(walks->store,
                         table == RUN_INDIVIDUALS ? &walks->individuals : &walks->bars, generation,
                         hash, error);
    return statement_each(&walks->store->database, queries[table], generation, 0, hash_whole_row,
                          hash, error);
}

/* The parameters of all branches. */
static int hash_parameters(struct store *store, uint64_t *hash, struct error *error)
{
    for (int64_t branch = 1; branch <= store->branch; branch++) {
        struct params params;
        int status = stored_branch_params(&store->database, branch, &params, error);
        if (status)
            return status;
        run_digest_params(hash, &params);
    }
    return 0;
}

static int read_digest(const struct row *row, void *item)
{
    struct store_digest *digest = item;
    digest->generation = (uint32_t)sqlite3_column_int64(row->at, 0);
    digest->is_closed = sqlite3_column_int(row->at, 1);
    return 0;
}

static int hash_generations(struct store *store, struct store_digest *generations, int count,
                            struct error *error)
{
    struct walks walks = {.store = store};
    int status = walk_init(store, &walks.individuals, individuals_query, error) ||
                         walk_init(store, &walks.bars, bars_query, error)
                     ? error->code
                     : 0;
    for (int i = 0; i < count && !status; i++)
        status = run_digest_generation(hash_rows, &walks, generations[i].generation,
                                       &generations[i].hash, error);
    sqlite3_finalize(walks.individuals.row);
    sqlite3_finalize(walks.bars.row);
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
    if (hash_parameters(store, whole, error) ||
        statement_list(&store->database, &listing, 0, 0, generations, count, error) ||
        hash_generations(store, *generations, *count, error)) {
        free(*generations);
        *generations = NULL;
        *count = 0;
        return error->code;
    }
    for (int i = 0; i < *count; i++)
        *whole = hash_u64(*whole, (*generations)[i].hash);
    return 0;
}

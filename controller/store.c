/* The run store on SQLite.
 *
 * Sizes: an individual is a row of about 3 kB (genome 1 to 3 kB, some forty measures); a run of
 * 300 x 50 has 12 000 of them. Rates: results come in at up to a few thousand a second and are
 * committed once a second, so the write-ahead log is synced at checkpoints only
 * (synchronous=NORMAL: a power failure may cost the last second, a kill nothing that was
 * committed). The transaction that closes a generation is synced (FULL). When the writer closes, the
 * journal goes back to DELETE, so that run.db alone is the run.
 *
 * An individual is inserted when its generation opens and completed when its result comes in. The
 * flag members.evaluated, not the presence of a result, says whether it still has to be simulated:
 * with evolution.reevaluate, or after changed parameters, it has an old result and waits for the
 * new one.
 *
 * The lock (run_directory.h) is taken before the database is opened: SQLite's own locks admit a
 * second writer between two transactions. */
#include "controller/store.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/hash.h"
#include "common/log.h"
#include "common/version.h"
#include "controller/run_directory.h"
#include "controller/store_schema.h"

/* Longest wait for another program that holds a lock on run.db. */
#define BUSY_TIMEOUT_MS 20000

/* Statements that run for each individual; kept prepared. */
enum hot_statement {
    HOT_INSERT_INDIVIDUAL,
    HOT_INSERT_BAR,
    HOT_INSERT_MEMBER,
    HOT_UPDATE_RESULT,
    HOT_UPDATE_EVALUATED,
    HOT_PUT_COST,
    HOT_PUT_REFEREE,
    HOT_CLOSE_MEMBER,
    HOT_PUT_ARCHIVED,
    HOT_COUNT
};

struct store {
    sqlite3 *database;
    char path[RUN_PATH_SIZE], lock_path[RUN_PATH_SIZE];
    int lock;
    int is_read_only;
    int is_in_transaction;
    int has_failed;     /* something went wrong: the open batch may be half of something */
    int64_t branch;     /* the current one; 0 = not yet read */
    int64_t generation; /* the last opened; -1 = none */
    sqlite3_stmt *hot[HOT_COUNT];
};

/* ---- errors and single statements ---- */

static int code_of_sqlite(int result)
{
    switch (result & 0xff) {
    case SQLITE_NOMEM:
        return ERR_MEMORY;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return ERR_BUSY;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_SCHEMA:
        return ERR_FORMAT;
    default:
        return ERR_IO;
    }
}

static int fail_sqlite(struct store *store, const char *what, struct error *error)
{
    int result = sqlite3_extended_errcode(store->database);
    store->has_failed = 1;
    int status = error_set(error, code_of_sqlite(result), "%s: %s: %s", store->path, what,
                           sqlite3_errmsg(store->database));
    /* "disk I/O error" alone says too little */
    int reason = sqlite3_system_errno(store->database);
    size_t used = strlen(error->message);
    if (reason && status == ERR_IO)
        snprintf(error->message + used, sizeof error->message - used, " (%s)", strerror(reason));
    return status;
}

static int fail_content(struct store *store, const char *what, struct error *error)
{
    return error_set(error, ERR_FORMAT, "%s: damaged: %s", store->path, what);
}

static int execute(struct store *store, const char *sql, struct error *error)
{
    if (sqlite3_exec(store->database, sql, NULL, NULL, NULL) != SQLITE_OK)
        return fail_sqlite(store, "cannot be written", error);
    return 0;
}

static int prepare(struct store *store, const char *sql, sqlite3_stmt **statement,
                   struct error *error)
{
    if (sqlite3_prepare_v2(store->database, sql, -1, statement, NULL) != SQLITE_OK)
        return fail_sqlite(store, "cannot be read", error);
    return 0;
}

/* 1: a row; 0: no more; negative: an error. */
static int next_row(struct store *store, sqlite3_stmt *statement, struct error *error)
{
    int result = sqlite3_step(statement);
    if (result == SQLITE_ROW)
        return 1;
    return result == SQLITE_DONE ? 0 : fail_sqlite(store, "cannot be read", error);
}

/* Runs a bound statement that gives no rows, and makes it ready for the next time. */
static int run_statement(struct store *store, sqlite3_stmt *statement, struct error *error)
{
    int status = 0;
    if (sqlite3_step(statement) != SQLITE_DONE)
        status = fail_sqlite(store, "cannot be written", error);
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    return status;
}

/* One number; `preset` if there is no row or it is NULL. */
static int query_i64(struct store *store, const char *sql, int64_t preset, int64_t *value,
                     struct error *error)
{
    sqlite3_stmt *statement;
    int status = prepare(store, sql, &statement, error);
    if (status)
        return status;
    status = next_row(store, statement, error);
    *value = preset;
    if (status == 1 && sqlite3_column_type(statement, 0) != SQLITE_NULL)
        *value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return status < 0 ? status : 0;
}

/* ---- binding and reading columns ---- */

static void bind_text(sqlite3_stmt *statement, int column, const char *text)
{
    sqlite3_bind_text(statement, column, text, -1, SQLITE_TRANSIENT);
}

static void bind_hash(sqlite3_stmt *statement, int column, uint64_t hash)
{
    char text[17];
    hash_to_text(hash, text);
    bind_text(statement, column, text);
}

/* Ids: 0 is stored as NULL. */
static void bind_id(sqlite3_stmt *statement, int column, uint64_t id)
{
    if (id)
        sqlite3_bind_int64(statement, column, (sqlite3_int64)id);
    else
        sqlite3_bind_null(statement, column);
}

static const char *column_text(sqlite3_stmt *statement, int column)
{
    const unsigned char *text = sqlite3_column_text(statement, column);
    return text ? (const char *)text : "";
}

static void copy_text(char *buffer, size_t size, const char *text)
{
    snprintf(buffer, size, "%s", text);
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void now_utc(char text[32])
{
    struct timespec now;
    struct tm parts;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &parts);
    size_t used = strftime(text, 32, "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(text + used, 32 - used, ".%03ldZ", now.tv_nsec / 1000000);
}

/* ---- statements with a column for each measure ---- */

/* Repeats "prefix NAME suffix, " for every measure, then closes the list with `last`. */
static void print_measures(FILE *text, const char *prefix, const char *suffix, const char *last)
{
    for (int i = 0; i < MEASURE_COUNT; i++)
        fprintf(text, "%s%s%s, ", prefix, measure_table[i].name, suffix);
    fputs(last, text);
}

static void print_table(FILE *text, const char *sql, const char *unused)
{
    const char *mark = strstr(sql, STORE_MEASURES_MARK);
    if (!mark) {
        fputs(sql, text);
        return;
    }
    fwrite(sql, 1, (size_t)(mark - sql), text);
    print_measures(text, "", " REAL", mark + strlen(STORE_MEASURES_MARK));
}

/* Result columns of an individual, as read_individual() expects them. */
enum {
    COLUMN_ID,
    COLUMN_GENERATION,
    COLUMN_METHOD,
    COLUMN_PARENT1,
    COLUMN_PARENT2,
    COLUMN_MUTATIONS,
    COLUMN_SEED,
    COLUMN_VERDICT,
    COLUMN_FITNESS,
    COLUMN_REFEREE,
    COLUMN_REFEREE_WORDS,
    COLUMN_DIGEST,
    COLUMN_BRANCH,
    COLUMN_BODY,
    COLUMN_TRIALS,
    COLUMN_BAR_M_S,
    COLUMN_BAR_SIZES_S,
    COLUMN_MEASURES,
    COLUMN_GENOME = COLUMN_MEASURES + MEASURE_COUNT,
    COLUMN_EXTRA
};

/* SELECT of these columns, then `extra` columns, FROM and the rest. */
static void print_select(FILE *text, const char *extra, const char *rest)
{
    fputs("SELECT i.id, i.generation, i.method, i.parent1, i.parent2, i.mutations, i.seed,"
          " i.verdict, i.fitness, i.referee_fitness, i.referee_words, i.digest, i.branch, i.body,"
          " i.trials, (SELECT m_s FROM bars WHERE individual = i.id),"
          " (SELECT sizes_s FROM bars WHERE individual = i.id), ",
          text);
    print_measures(text, "i.", "", "i.genome");
    fprintf(text, "%s %s", extra, rest);
}

static void print_update_result(FILE *text, const char *unused, const char *unused_too)
{
    fputs("UPDATE individuals SET ", text);
    print_measures(text, "", " = ?",
                   "verdict = ?, fitness = ?, digest = ?, branch = ? WHERE id = ?");
}

/* Prepares what one of the functions above prints. */
static int prepare_printed(struct store *store,
                           void (*print)(FILE *text, const char *first, const char *second),
                           const char *first, const char *second, sqlite3_stmt **statement,
                           struct error *error)
{
    char *sql = NULL;
    size_t size;
    FILE *text = open_memstream(&sql, &size);
    if (!text)
        return error_set(error, ERR_MEMORY, "%s: out of memory", store->path);
    print(text, first, second);
    int status = fclose(text) ? error_set(error, ERR_MEMORY, "%s: out of memory", store->path)
                              : prepare(store, sql, statement, error);
    free(sql);
    return status;
}

static int get_hot(struct store *store, enum hot_statement which, sqlite3_stmt **statement,
                   struct error *error)
{
    static const char *const texts[HOT_COUNT] = {
        [HOT_INSERT_INDIVIDUAL] =
            "INSERT INTO individuals (id, generation, method, parent1, parent2, mutations, seed,"
            " body, trials, genome) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        [HOT_INSERT_BAR] =
            "INSERT INTO bars (individual, m_s, sizes_s) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
        [HOT_INSERT_MEMBER] =
            "INSERT INTO members (generation, individual, evaluated) VALUES (?, ?, ?)",
        [HOT_UPDATE_EVALUATED] =
            "UPDATE members SET evaluated = 1 WHERE generation = ? AND individual = ?",
        [HOT_PUT_COST] = "INSERT OR REPLACE INTO costs (individual, worker, attempt, wall_ms,"
                         " cpu_ms, arena_bytes, time_s) VALUES (?, ?, ?, ?, ?, ?, ?)",
        [HOT_PUT_REFEREE] = "UPDATE individuals SET fitness = ?, referee_fitness = ?,"
                            " referee_words = ? WHERE id = ?",
        [HOT_CLOSE_MEMBER] = "UPDATE members SET rank = ?, survived = ?, fitness = ?"
                             " WHERE generation = ? AND individual = ?",
        [HOT_PUT_ARCHIVED] =
            "INSERT OR REPLACE INTO archive (generation, individual, cell, trials, waiting)"
            " VALUES (?, ?, ?, ?, ?)",
    };
    int status = 0;
    if (!store->hot[which]) {
        if (which == HOT_UPDATE_RESULT)
            status = prepare_printed(store, print_update_result, "", "", &store->hot[which], error);
        else
            status = prepare(store, texts[which], &store->hot[which], error);
    }
    *statement = store->hot[which];
    return status;
}

/* ---- transactions ---- */

static int begin(struct store *store, struct error *error)
{
    if (store->is_in_transaction)
        return 0;
    int status = execute(store, "BEGIN IMMEDIATE", error);
    store->is_in_transaction = !status;
    return status;
}

int store_commit(struct store *store, struct error *error)
{
    if (!store->is_in_transaction || store->is_read_only)
        return 0;
    int status = execute(store, "COMMIT", error);
    if (!status)
        store->is_in_transaction = 0;
    return status;
}

static void roll_back(struct store *store)
{
    if (store->is_in_transaction)
        sqlite3_exec(store->database, "ROLLBACK", NULL, NULL, NULL);
    store->is_in_transaction = 0;
}

/* ---- opening and closing ---- */

static void release(struct store *store)
{
    for (int i = 0; i < HOT_COUNT; i++)
        sqlite3_finalize(store->hot[i]);
    sqlite3_close(store->database);
    if (store->lock >= 0)
        close(store->lock);
    free(store);
}

/* The lock stands beside the database. */
static int take_lock(struct store *store, struct error *error)
{
    const char *slash = strrchr(store->path, '/');
    int length = slash ? (int)(slash - store->path) : 1;
    int written = snprintf(store->lock_path, sizeof store->lock_path, "%.*s/lock", length,
                           slash ? store->path : ".");
    if (written >= (int)sizeof store->lock_path)
        return error_set(error, ERR_LIMIT, "%.64s...: the path is too long", store->path);
    return run_directory_lock(store->lock_path, &store->lock, error);
}

/* The locked file is found by its descriptor wherever it is. */
int store_check_place(struct store *store, struct error *error)
{
    struct stat ours, there;
    if (store->lock < 0 || fstat(store->lock, &ours) ||
        (stat(store->lock_path, &there) == 0 && ours.st_dev == there.st_dev &&
         ours.st_ino == there.st_ino))
        return 0;
    return error_set(error, ERR_MISSING,
                     "%s: the run's directory was moved or removed while it was at work",
                     store->path);
}

static int make_store(struct store **made, const char *path, int is_read_only, struct error *error)
{
    struct store *store = calloc(1, sizeof *store);
    *made = NULL;
    if (!store)
        return error_set(error, ERR_MEMORY, "%s: out of memory", path);
    store->lock = -1;
    store->generation = -1;
    store->is_read_only = is_read_only;
    int status = 0;
    if (snprintf(store->path, sizeof store->path, "%s", path) >= (int)sizeof store->path)
        status = error_set(error, ERR_LIMIT, "%.64s...: the path is too long", path);
    if (!status && !is_read_only)
        status = take_lock(store, error);
    if (status)
        release(store);
    else
        *made = store;
    return status;
}

static int open_database(struct store *store, int flags, struct error *error)
{
    int result = sqlite3_open_v2(store->path, &store->database, flags, NULL);
    if (result != SQLITE_OK)
        return store->database ? fail_sqlite(store, "cannot be opened", error)
                               : error_set(error, ERR_MEMORY, "%s: out of memory", store->path);
    sqlite3_extended_result_codes(store->database, 1);
    sqlite3_busy_timeout(store->database, BUSY_TIMEOUT_MS);
    return 0;
}

static int set_run_value(struct store *store, const char *key, const char *value,
                         struct error *error)
{
    sqlite3_stmt *statement;
    int status =
        prepare(store, "INSERT OR REPLACE INTO run (key, value) VALUES (?, ?)", &statement, error);
    if (status)
        return status;
    bind_text(statement, 1, key);
    bind_text(statement, 2, value);
    status = run_statement(store, statement, error);
    sqlite3_finalize(statement);
    return status;
}

static int create_tables(struct store *store, struct error *error)
{
    int status = begin(store, error);
    for (size_t i = 0; !status && i < sizeof store_schema / sizeof store_schema[0]; i++) {
        sqlite3_stmt *statement = NULL;
        status = prepare_printed(store, print_table, store_schema[i], "", &statement, error);
        if (!status)
            status = run_statement(store, statement, error);
        sqlite3_finalize(statement);
    }
    return status;
}

/* Writes all parameters as rows of a branch. */
static int put_branch_rows(struct store *store, int64_t branch, const struct params *params,
                           struct error *error)
{
    sqlite3_stmt *statement;
    int status = prepare(store,
                         "INSERT OR REPLACE INTO branch_parameters (branch, position, key, value)"
                         " VALUES (?, ?, ?, ?)",
                         &statement, error);
    if (status)
        return status;
    for (int i = 0; !status && i < param_count; i++) {
        char value[PARAM_TEXT_SIZE + 64];
        params_print_value(params, i, value, sizeof value);
        sqlite3_bind_int64(statement, 1, branch);
        sqlite3_bind_int(statement, 2, i);
        bind_text(statement, 3, param_table[i].key);
        bind_text(statement, 4, value);
        status = run_statement(store, statement, error);
    }
    sqlite3_finalize(statement);
    return status;
}

/* Writes the parameters as a new branch, of this program's simulator. */
static int put_branch(struct store *store, const struct params *params, uint32_t generation,
                      struct error *error)
{
    sqlite3_stmt *statement;
    int status = prepare(store,
                         "INSERT INTO branches (branch, generation, simulator_version,"
                         " evaluation_digest) VALUES (?, ?, ?, ?)",
                         &statement, error);
    if (status)
        return status;
    sqlite3_bind_int64(statement, 1, store->branch + 1);
    sqlite3_bind_int64(statement, 2, generation);
    sqlite3_bind_int(statement, 3, SIMULATOR_VERSION);
    bind_hash(statement, 4, params_evaluation_digest(params));
    status = run_statement(store, statement, error);
    sqlite3_finalize(statement);
    if (!status)
        status = put_branch_rows(store, store->branch + 1, params, error);
    if (!status)
        store->branch++;
    return status;
}

static int put_seed(struct store *store, sqlite3_stmt *statement, int number,
                    const struct seed *seed, struct error *error)
{
    struct pack_writer writer;
    pack_writer_init(&writer);
    creature_encode(&seed->creature, &writer);
    int status =
        writer.has_failed ? error_set(error, ERR_MEMORY, "%s: out of memory", store->path) : 0;
    if (!status) {
        sqlite3_bind_int(statement, 1, number);
        bind_text(statement, 2, seed->source);
        sqlite3_bind_blob(statement, 3, writer.buffer.data, (int)writer.buffer.size,
                          SQLITE_TRANSIENT);
        status = run_statement(store, statement, error);
    }
    pack_writer_deinit(&writer);
    return status;
}

/* Seed number n becomes individual n. */
static int put_seeds(struct store *store, const struct seeding *seeding, struct error *error)
{
    sqlite3_stmt *statement;
    int status = prepare(store, "INSERT INTO seeds (individual, source, creature) VALUES (?, ?, ?)",
                         &statement, error);
    if (status)
        return status;
    for (int i = 0; !status && i < seeding->count; i++)
        status = put_seed(store, statement, i + 1, &seeding->seeds[i], error);
    sqlite3_finalize(statement);
    return status;
}

int store_get_seeds(struct store *store, struct seeding *seeding, struct error *error)
{
    sqlite3_stmt *row;
    *seeding = (struct seeding){NULL, 0};
    int status =
        prepare(store, "SELECT source, creature FROM seeds ORDER BY individual", &row, error);
    while (!status && (status = next_row(store, row, error)) == 1) {
        struct creature creature;
        const void *bytes = sqlite3_column_blob(row, 1);
        status = creature_decode(&creature, bytes ? bytes : "",
                                 (size_t)sqlite3_column_bytes(row, 1), column_text(row, 0), error);
        if (status)
            error_prefix(error, "%s: seeds", store->path);
        else
            status = seeding_add(seeding, column_text(row, 0), &creature, error);
        creature_deinit(&creature);
    }
    sqlite3_finalize(row);
    if (status)
        seeding_deinit(seeding);
    return status;
}

static int fill_new(struct store *store, const struct params *params, const struct seeding *seeding,
                    struct error *error)
{
    char pragmas[256], created[32];
    now_utc(created);
    snprintf(pragmas, sizeof pragmas,
             "PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
             "PRAGMA foreign_keys = ON; PRAGMA application_id = %d; PRAGMA user_version = %d;",
             STORE_APPLICATION_ID, STORE_SCHEMA_VERSION);
    int status = execute(store, pragmas, error);
    if (!status)
        status = create_tables(store, error);
    if (!status)
        status = set_run_value(store, "created_utc", created, error);
    if (!status)
        status = set_run_value(store, "program", message_build_id(), error);
    if (!status)
        status = set_run_value(store, "finished", "0", error);
    if (!status)
        status = put_branch(store, params, 0, error);
    if (!status)
        status = put_seeds(store, seeding, error);
    return status ? status : store_commit(store, error);
}

int store_create(struct store **made, const char *path, const struct params *params,
                 struct error *error)
{
    return store_create_seeded(made, path, params, &(struct seeding){NULL, 0}, error);
}

int store_create_seeded(struct store **made, const char *path, const struct params *params,
                        const struct seeding *seeding, struct error *error)
{
    struct store *store;
    *made = NULL;
    if (access(path, F_OK) == 0)
        return error_set(error, ERR_EXISTS, "%s: exists already", path);
    int status = make_store(&store, path, 0, error);
    if (status)
        return status;
    status = open_database(store, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, error);
    if (!status)
        status = fill_new(store, params, seeding, error);
    if (status)
        release(store);
    else
        *made = store;
    return status;
}

/* Is it a run of this schema? */
static int check_identity(struct store *store, struct error *error)
{
    int64_t application, version;
    int status = query_i64(store, "PRAGMA application_id", 0, &application, error);
    if (!status)
        status = query_i64(store, "PRAGMA user_version", 0, &version, error);
    if (status)
        return status;
    if (application != STORE_APPLICATION_ID)
        return error_set(error, ERR_FORMAT, "%s: not a run store of this program", store->path);
    if (version < STORE_SCHEMA_OLDEST || version > STORE_SCHEMA_VERSION)
        return error_set(error, ERR_VERSION,
                         "%s: has schema version %" PRId64 ", this program reads version %d to %d",
                         store->path, version, STORE_SCHEMA_OLDEST, STORE_SCHEMA_VERSION);
    return 0;
}

/* Before anything is written: does the file hang together? */
static int check_damage(struct store *store, struct error *error)
{
    sqlite3_stmt *statement;
    int status = prepare(store, "PRAGMA quick_check(1)", &statement, error);
    if (status)
        return status;
    status = next_row(store, statement, error);
    if (status == 1 && !strcmp(column_text(statement, 0), "ok"))
        status = 0;
    else if (status >= 0)
        status = fail_content(store, column_text(statement, 0), error);
    sqlite3_finalize(statement);
    return status;
}

/* Stores of this version began without the quarantine's log. */
static int has_quarantine_log(struct store *store, int64_t *has_log, struct error *error)
{
    return query_i64(store,
                     "SELECT count(*) FROM pragma_table_info('quarantine') WHERE name = 'log'", 0,
                     has_log, error);
}

static int add_quarantine_log(struct store *store, struct error *error)
{
    int64_t has_log;
    int status = has_quarantine_log(store, &has_log, error);
    if (status || has_log)
        return status;
    return execute(store, "ALTER TABLE quarantine ADD COLUMN log TEXT NOT NULL DEFAULT ''", error);
}

/* Version 4 had no choices. */
static int has_choices(struct store *store, int64_t *has_table, struct error *error)
{
    return query_i64(store, "SELECT count(*) FROM sqlite_schema WHERE name = 'choices'", 0,
                     has_table, error);
}

/* Nor had version 5 bars. */
static int has_bars(struct store *store, int64_t *has_table, struct error *error)
{
    return query_i64(store, "SELECT count(*) FROM sqlite_schema WHERE name = 'bars'", 0, has_table,
                     error);
}

/* Brings the tables up to date. */
static int upgrade(struct store *store, struct error *error)
{
    int64_t has_their_choices, has_their_bars;
    char sql[768];
    int status = has_choices(store, &has_their_choices, error);
    if (!status)
        status = has_bars(store, &has_their_bars, error);
    if (status || (has_their_choices && has_their_bars))
        return status;
    snprintf(sql, sizeof sql, "BEGIN; %s; %s; PRAGMA user_version = %d; COMMIT",
             has_their_choices ? "" : STORE_CHOICES_TABLE, has_their_bars ? "" : STORE_BARS_TABLE,
             STORE_SCHEMA_VERSION);
    return execute(store, sql, error);
}

/* A reader of an older store sees an empty table, of its own. */
static int pretend_bars(struct store *store, struct error *error)
{
    int64_t has_table;
    int status = has_bars(store, &has_table, error);
    if (status || has_table)
        return status;
    return execute(store, "CREATE TEMP TABLE bars (individual INTEGER PRIMARY KEY, m_s, sizes_s)",
                   error);
}

static int read_position(struct store *store, struct error *error)
{
    int status = query_i64(store, "SELECT max(branch) FROM branches", 0, &store->branch, error);
    if (!status)
        status =
            query_i64(store, "SELECT max(number) FROM generations", -1, &store->generation, error);
    if (!status && store->branch < 1)
        status = fail_content(store, "it has no parameters", error);
    return status;
}

int store_open(struct store **made, const char *path, int is_read_only, struct error *error)
{
    struct store *store;
    *made = NULL;
    if (access(path, F_OK))
        return error_set(error, ERR_MISSING, "%s: there is no such file", path);
    int status = make_store(&store, path, is_read_only, error);
    if (status)
        return status;
    status =
        open_database(store, is_read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE, error);
    if (!status)
        status = check_identity(store, error);
    if (!status && !is_read_only)
        status = check_damage(store, error);
    if (!status)
        status = execute(store,
                         is_read_only ? "BEGIN"
                                      : "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
                                        "PRAGMA foreign_keys = ON;",
                         error);
    if (!status && !is_read_only)
        status = add_quarantine_log(store, error);
    if (!status)
        status = is_read_only ? pretend_bars(store, error) : upgrade(store, error);
    if (!status)
        status = read_position(store, error);
    if (status)
        release(store);
    else
        *made = store;
    return status;
}

/* Leaves one file; while other programs have it open, at least with everything in it. */
static int gather(struct store *store)
{
    struct error error;
    if (!execute(store, "PRAGMA journal_mode = DELETE", &error))
        return 0;
    return sqlite3_wal_checkpoint_v2(store->database, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
}

void store_close(struct store *store)
{
    if (!store)
        return;
    if (!store->is_read_only) {
        struct error error;
        if (store->has_failed)
            roll_back(store);
        int status = store_commit(store, &error);
        /* SQLite would remove the write-ahead log of whatever is there now */
        if (store_check_place(store, &error))
            sqlite3_db_config(store->database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
        else if (!status)
            status = gather(store);
        if (status)
            log_event(LOG_WARN, "store_close", "detail=\"%s\"", sqlite3_errmsg(store->database));
    }
    release(store);
}

/* ---- parameters and events ---- */

/* Reads a branch over the defaults. */
static int get_branch_params(struct store *store, int64_t branch, struct params *params,
                             struct error *error)
{
    sqlite3_stmt *statement;
    params_set_defaults(params);
    int status = prepare(store,
                         "SELECT key, value FROM branch_parameters WHERE branch = ?"
                         " ORDER BY position",
                         &statement, error);
    if (status)
        return status;
    sqlite3_bind_int64(statement, 1, branch);
    while ((status = next_row(store, statement, error)) == 1) {
        if (params_set(params, column_text(statement, 0), column_text(statement, 1), error)) {
            status = error_prefix(error, "%s", store->path);
            break;
        }
    }
    sqlite3_finalize(statement);
    return status;
}

int store_get_params(struct store *store, struct params *params, struct error *error)
{
    return get_branch_params(store, store->branch, params, error);
}

int store_put_event(struct store *store, const char *event, const char *detail, struct error *error)
{
    char time_utc[32];
    sqlite3_stmt *statement;
    now_utc(time_utc);
    if (store->has_failed)
        roll_back(store);
    store->has_failed = 0;
    int status = begin(store, error);
    if (!status)
        status = prepare(store, "INSERT INTO events (time_utc, event, detail) VALUES (?, ?, ?)",
                         &statement, error);
    if (status)
        return status;
    bind_text(statement, 1, time_utc);
    bind_text(statement, 2, event);
    bind_text(statement, 3, detail);
    status = run_statement(store, statement, error);
    sqlite3_finalize(statement);
    return status;
}

/* Counts and describes the rows that differ; is_new_branch when one is of scope E or S. */
static void compare_params(const struct params *before, const struct params *after,
                           struct store_change *change)
{
    size_t used = 0;
    memset(change, 0, sizeof *change);
    for (int i = 0; i < param_count; i++) {
        char old[PARAM_TEXT_SIZE + 64], new[PARAM_TEXT_SIZE + 64];
        params_print_value(before, i, old, sizeof old);
        params_print_value(after, i, new, sizeof new);
        if (!strcmp(old, new))
            continue;
        change->changed_count++;
        if (param_table[i].scope != 'F')
            change->is_new_branch = 1;
        if (!strcmp(param_table[i].key, "evolution.behaviour") ||
            !strncmp(param_table[i].key, "fitness.", strlen("fitness.")))
            change->is_judged_anew = 1;
        int length = snprintf(change->text + used, sizeof change->text - used, "%s%s=%s",
                              used ? " " : "", param_table[i].key, new);
        used += (size_t)length;
        if (used >= sizeof change->text)
            used = sizeof change->text - 1;
    }
    change->is_reevaluated = params_evaluation_digest(before) != params_evaluation_digest(after);
}

/* The members of the generation wait for new results, which are counted as its own. What was a bar before
 * may be none for anybody now. */
static int forget_results(struct store *store, uint32_t generation, struct error *error)
{
    char sql[640];
    snprintf(sql, sizeof sql,
             "UPDATE generations SET closed = 0, evaluations_own = evaluations_own +"
             " (SELECT count(*) FROM members WHERE generation = %" PRIu32 " AND evaluated = 1)"
             " WHERE number = %" PRIu32 ";"
             "UPDATE members SET evaluated = 0 WHERE generation = %" PRIu32 ";"
             "DELETE FROM bars WHERE individual IN"
             " (SELECT individual FROM members WHERE generation = %" PRIu32 ");",
             generation, generation, generation, generation);
    return execute(store, sql, error);
}

/* The referee has not seen the members of the generation. */
static int forget_referee(struct store *store, uint32_t generation, struct error *error)
{
    char sql[256];
    snprintf(sql, sizeof sql,
             "UPDATE individuals SET referee_fitness = NULL, referee_words = NULL WHERE id IN"
             " (SELECT individual FROM members WHERE generation = %" PRIu32 ")",
             generation);
    return execute(store, sql, error);
}

int store_put_params(struct store *store, const struct params *params, uint32_t generation,
                     struct store_change *change, struct error *error)
{
    struct params before;
    int64_t simulator_version;
    int status = store_get_params(store, &before, error);
    if (!status)
        status =
            query_i64(store, "SELECT simulator_version FROM branches ORDER BY branch DESC LIMIT 1",
                      0, &simulator_version, error);
    if (status)
        return status;
    compare_params(&before, params, change);
    if (simulator_version != SIMULATOR_VERSION)
        change->is_new_branch = change->is_reevaluated = 1;
    if (!change->changed_count && !change->is_new_branch)
        return 0;

    status = begin(store, error);
    if (!status && change->is_new_branch)
        status = put_branch(store, params, generation, error);
    else if (!status)
        status = put_branch_rows(store, store->branch, params, error);
    if (!status && change->is_reevaluated)
        status = forget_results(store, generation, error);
    if (!status && (change->is_reevaluated || change->is_judged_anew))
        status = forget_referee(store, generation, error);
    if (!status)
        status = store_put_event(store, "params_changed", change->text, error);
    return status ? status : store_commit(store, error);
}

/* ---- generations and results ---- */

static int put_bar(struct store *store, const struct individual *individual, struct error *error)
{
    sqlite3_stmt *statement;
    int status = get_hot(store, HOT_INSERT_BAR, &statement, error);
    if (status)
        return status;
    sqlite3_bind_int64(statement, 1, (sqlite3_int64)individual->id);
    sqlite3_bind_double(statement, 2, individual->bar.m_s);
    sqlite3_bind_double(statement, 3, individual->bar.sizes_s);
    return run_statement(store, statement, error);
}

static int put_individual(struct store *store, const struct individual *individual,
                          struct error *error)
{
    sqlite3_stmt *statement;
    int status = get_hot(store, HOT_INSERT_INDIVIDUAL, &statement, error);
    if (status)
        return status;
    struct pack_writer genome;
    pack_writer_init(&genome);
    genome_encode(&individual->genome, &genome);
    sqlite3_bind_int64(statement, 1, (sqlite3_int64)individual->id);
    sqlite3_bind_int64(statement, 2, individual->generation);
    bind_text(statement, 3, breeding_method_names[individual->method]);
    bind_id(statement, 4, individual->parents[0]);
    bind_id(statement, 5, individual->parents[1]);
    bind_text(statement, 6, individual->mutations);
    bind_hash(statement, 7, individual->seed);
    bind_id(statement, 8, individual->body);
    if (individual->is_trial)
        sqlite3_bind_int(statement, 9, individual->trials);
    sqlite3_bind_blob64(statement, 10, genome.buffer.data, genome.buffer.size, SQLITE_TRANSIENT);
    status = run_statement(store, statement, error);
    pack_writer_deinit(&genome);
    if (!status && pace_has_bar(&individual->bar))
        status = put_bar(store, individual, error);
    return status;
}

static int put_member(struct store *store, uint32_t generation, const struct individual *individual,
                      struct error *error)
{
    sqlite3_stmt *statement;
    int status = get_hot(store, HOT_INSERT_MEMBER, &statement, error);
    if (status)
        return status;
    sqlite3_bind_int64(statement, 1, generation);
    sqlite3_bind_int64(statement, 2, (sqlite3_int64)individual->id);
    sqlite3_bind_int(statement, 3, individual->has_result);
    return run_statement(store, statement, error);
}

int store_put_newborn(struct store *store, const struct individual *newborn, struct error *error)
{
    int status = begin(store, error);
    if (!status)
        status = put_individual(store, newborn, error);
    return status ? status : put_member(store, (uint32_t)store->generation, newborn, error);
}

static int open_generation(struct store *store, uint32_t generation,
                           const struct population *population, struct error *error)
{
    char sql[320];
    int waiting_count = 0;
    for (int i = 0; i < population->count; i++)
        waiting_count += !population->individuals[i].has_result;
    snprintf(sql, sizeof sql,
             "INSERT INTO generations (number, branch, closed, evaluations_own)"
             " VALUES (%" PRIu32 ", %" PRId64 ", 0, %d);"
             "UPDATE run SET value = '0' WHERE key = 'finished' AND value <> '0';"
             "DELETE FROM run WHERE key LIKE 'champion%%'",
             generation, store->branch, population->due ? population->due : waiting_count);
    int status = execute(store, sql, error);
    for (int i = 0; !status && i < population->count; i++) {
        status = put_individual(store, &population->individuals[i], error);
        if (!status)
            status = put_member(store, generation, &population->individuals[i], error);
    }
    return status;
}

int store_closing_init(struct store_closing *closing, const struct population *ranked,
                       int survivor_count)
{
    int count = ranked->count - ranked->unjudged;
    closing->count = 0;
    closing->ranks = calloc((size_t)count, sizeof *closing->ranks);
    if (!closing->ranks)
        return ERR_MEMORY;
    for (; closing->count < count; closing->count++) {
        const struct individual *individual = &ranked->individuals[closing->count];
        closing->ranks[closing->count] =
            (struct store_rank){.id = individual->id,
                                .fitness = individual->fitness,
                                .survived = closing->count < survivor_count || individual->cell ||
                                            individual->is_selected,
                                .cell = individual->cell,
                                .trials = individual->trials,
                                .is_waiting = individual->is_waiting};
    }
    return 0;
}

void store_closing_deinit(struct store_closing *closing)
{
    free(closing->ranks);
    memset(closing, 0, sizeof *closing);
}

/* Mean in rank order and median of the ranked fitness. */
static void summarise(const struct store_closing *closing, double *mean, double *median)
{
    const struct store_rank *ranks = closing->ranks;
    int count = closing->count;
    double sum = 0.0;
    for (int i = 0; i < count; i++)
        sum += ranks[i].fitness;
    *mean = sum / count;
    *median = count % 2 ? ranks[count / 2].fitness
                        : 0.5 * (ranks[count / 2 - 1].fitness + ranks[count / 2].fitness);
}

static int close_members(struct store *store, uint32_t generation,
                         const struct store_closing *closing, struct error *error)
{
    sqlite3_stmt *statement;
    int status = get_hot(store, HOT_CLOSE_MEMBER, &statement, error);
    for (int i = 0; !status && i < closing->count; i++) {
        sqlite3_bind_int(statement, 1, i + 1);
        sqlite3_bind_int(statement, 2, closing->ranks[i].survived);
        sqlite3_bind_double(statement, 3, closing->ranks[i].fitness);
        sqlite3_bind_int64(statement, 4, generation);
        sqlite3_bind_int64(statement, 5, (sqlite3_int64)closing->ranks[i].id);
        status = run_statement(store, statement, error);
    }
    return status;
}

static int put_archived(struct store *store, uint32_t generation, const struct store_rank *rank,
                        struct error *error)
{
    sqlite3_stmt *statement;
    int status = get_hot(store, HOT_PUT_ARCHIVED, &statement, error);
    if (status)
        return status;
    sqlite3_bind_int64(statement, 1, generation);
    sqlite3_bind_int64(statement, 2, (sqlite3_int64)rank->id);
    if (rank->cell)
        sqlite3_bind_int(statement, 3, rank->cell);
    sqlite3_bind_int(statement, 4, rank->trials);
    sqlite3_bind_int(statement, 5, rank->is_waiting);
    return run_statement(store, statement, error);
}

/* Instead of what was there: a run that goes on after its end closes its last generation again. */
static int close_archive(struct store *store, uint32_t generation,
                         const struct store_closing *closing, struct error *error)
{
    char sql[96];
    snprintf(sql, sizeof sql, "DELETE FROM archive WHERE generation = %" PRIu32, generation);
    int status = execute(store, sql, error);
    for (int i = 0; !status && i < closing->count; i++) {
        const struct store_rank *rank = &closing->ranks[i];
        if (rank->cell || rank->trials || rank->is_waiting)
            status = put_archived(store, generation, rank, error);
    }
    return status;
}

static int close_generation(struct store *store, uint32_t generation,
                            const struct store_closing *closing, struct error *error)
{
    sqlite3_stmt *statement;
    double mean, median;
    summarise(closing, &mean, &median);
    int status = close_members(store, generation, closing, error);
    if (!status)
        status = close_archive(store, generation, closing, error);
    if (!status)
        status = prepare(store,
                         "UPDATE generations SET closed = 1, best = ?, median = ?, mean = ?,"
                         " best_id = ?, branch = ?, evaluations ="
                         " (SELECT sum(evaluations_own) FROM generations WHERE number <= ?6)"
                         " WHERE number = ?6",
                         &statement, error);
    if (status)
        return status;
    sqlite3_bind_double(statement, 1, closing->ranks[0].fitness);
    sqlite3_bind_double(statement, 2, median);
    sqlite3_bind_double(statement, 3, mean);
    sqlite3_bind_int64(statement, 4, (sqlite3_int64)closing->ranks[0].id);
    sqlite3_bind_int64(statement, 5, store->branch);
    sqlite3_bind_int64(statement, 6, generation);
    status = run_statement(store, statement, error);
    sqlite3_finalize(statement);
    return status;
}

/* Starts a transaction whose commit is synced. */
static int begin_durable(struct store *store, struct error *error)
{
    int status = store_commit(store, error);
    if (!status)
        status = execute(store, "PRAGMA synchronous = FULL", error);
    return status ? status : begin(store, error);
}

static int commit_durable(struct store *store, int status, struct error *error)
{
    if (!status)
        status = store_commit(store, error);
    if (status) {
        roll_back(store);
        return status;
    }
    return execute(store, "PRAGMA synchronous = NORMAL", error);
}

int store_put_generation(struct store *store, uint32_t generation,
                         const struct population *population, const struct store_closing *closing,
                         struct error *error)
{
    int status = begin_durable(store, error);
    if (!status && closing)
        status = close_generation(store, generation - 1, closing, error);
    if (!status)
        status = open_generation(store, generation, population, error);
    status = commit_durable(store, status, error);
    if (!status)
        store->generation = generation;
    return status;
}

int store_close_generation(struct store *store, uint32_t generation,
                           const struct store_closing *closing, struct error *error)
{
    int status = begin_durable(store, error);
    if (!status)
        status = close_generation(store, generation, closing, error);
    return commit_durable(store, status, error);
}

int store_finish(struct store *store, uint32_t generation, const struct store_closing *closing,
                 struct error *error)
{
    int status = begin_durable(store, error);
    if (!status)
        status = close_generation(store, generation, closing, error);
    if (!status)
        status = set_run_value(store, "finished", "1", error);
    return commit_durable(store, status, error);
}

static int update_result(struct store *store, const struct individual *individual,
                         struct error *error)
{
    sqlite3_stmt *statement;
    int status = get_hot(store, HOT_UPDATE_RESULT, &statement, error);
    if (status)
        return status;
    for (int i = 0; i < MEASURE_COUNT; i++)
        sqlite3_bind_double(statement, i + 1, measures_get(&individual->measures, i));
    bind_text(statement, MEASURE_COUNT + 1, verdict_name(individual->verdict));
    sqlite3_bind_double(statement, MEASURE_COUNT + 2, individual->fitness);
    bind_hash(statement, MEASURE_COUNT + 3, individual->digest);
    sqlite3_bind_int64(statement, MEASURE_COUNT + 4, store->branch);
    sqlite3_bind_int64(statement, MEASURE_COUNT + 5, (sqlite3_int64)individual->id);
    return run_statement(store, statement, error);
}

static int put_cost(struct store *store, uint64_t id, const struct store_cost *cost,
                    struct error *error)
{
    sqlite3_stmt *statement;
    int status = get_hot(store, HOT_PUT_COST, &statement, error);
    if (status)
        return status;
    sqlite3_bind_int64(statement, 1, (sqlite3_int64)id);
    if (cost->worker >= 0)
        sqlite3_bind_int(statement, 2, cost->worker);
    sqlite3_bind_int64(statement, 3, cost->attempt);
    sqlite3_bind_double(statement, 4, cost->task.wall_ms);
    sqlite3_bind_double(statement, 5, cost->task.cpu_ms);
    sqlite3_bind_int64(statement, 6, (sqlite3_int64)cost->task.arena_bytes);
    sqlite3_bind_double(statement, 7, now_s());
    return run_statement(store, statement, error);
}

int store_put_result(struct store *store, const struct individual *individual,
                     const struct store_cost *cost, struct error *error)
{
    sqlite3_stmt *evaluated;
    int status = begin(store, error);
    if (!status)
        status = update_result(store, individual, error);
    if (!status)
        status = get_hot(store, HOT_UPDATE_EVALUATED, &evaluated, error);
    if (!status) {
        sqlite3_bind_int64(evaluated, 1, store->generation);
        sqlite3_bind_int64(evaluated, 2, (sqlite3_int64)individual->id);
        status = run_statement(store, evaluated, error);
    }
    if (!status && cost)
        status = put_cost(store, individual->id, cost, error);
    return status;
}

int store_put_referee(struct store *store, const struct individual *individual, struct error *error)
{
    sqlite3_stmt *statement;
    int status = begin(store, error);
    if (!status)
        status = get_hot(store, HOT_PUT_REFEREE, &statement, error);
    if (status)
        return status;
    sqlite3_bind_double(statement, 1, individual->fitness);
    sqlite3_bind_double(statement, 2, individual->referee_fitness);
    bind_text(statement, 3, individual->referee_words);
    sqlite3_bind_int64(statement, 4, (sqlite3_int64)individual->id);
    return run_statement(store, statement, error);
}

int store_put_champion(struct store *store, const struct store_champion *champion,
                       struct error *error)
{
    char id[24];
    snprintf(id, sizeof id, "%" PRIu64, champion->id);
    int status = begin(store, error);
    if (!status)
        status = set_run_value(store, "champion", id, error);
    if (!status)
        status = set_run_value(store, "champion_holds", champion->holds ? "1" : "0", error);
    return status ? status : set_run_value(store, "champion_words", champion->words, error);
}

int store_put_quarantine(struct store *store, const struct individual *individual,
                         const char *reason, const char *command, const char *log,
                         struct error *error)
{
    char time_utc[32];
    sqlite3_stmt *statement;
    now_utc(time_utc);
    int status = store_put_result(store, individual, NULL, error);
    if (!status)
        status = prepare(store,
                         "INSERT OR REPLACE INTO quarantine (individual, time_utc, reason,"
                         " command, log) VALUES (?, ?, ?, ?, ?)",
                         &statement, error);
    if (status)
        return status;
    sqlite3_bind_int64(statement, 1, (sqlite3_int64)individual->id);
    bind_text(statement, 2, time_utc);
    bind_text(statement, 3, reason);
    bind_text(statement, 4, command);
    bind_text(statement, 5, log);
    status = run_statement(store, statement, error);
    sqlite3_finalize(statement);
    return status;
}

/* Room for one more row in an array that doubles. 0, or ERR_MEMORY. */
static int make_room(struct store *store, void *items, int count, size_t size, struct error *error)
{
    void **array = items;
    if (count & (count - 1))
        return 0;
    void *grown = realloc(*array, size * (count ? 2 * (size_t)count : 1));
    if (!grown)
        return error_set(error, ERR_MEMORY, "%s: out of memory", store->path);
    *array = grown;
    return 0;
}

/* ---- choices ---- */

int store_check_choice(struct store *store, uint64_t id, struct error *error)
{
    struct params params;
    int64_t is_member;
    char sql[128];
    int status = store_get_params(store, &params, error);
    if (status)
        return status;
    if (!search_is_interactive(&params))
        return error_set(
            error, ERR_RANGE,
            "nobody chooses in this run: neither is evolution.behaviour interactive, nor "
            "interactive.share above 0");
    if (store->generation + 1 >= params.evolution_generations)
        return error_set(error, ERR_RANGE,
                         "generation %" PRId64 " is the last one, from which nothing is bred",
                         store->generation);
    snprintf(sql, sizeof sql,
             "SELECT count(*) FROM members WHERE generation = %" PRId64
             " AND individual = %" PRIu64,
             store->generation, id);
    status = query_i64(store, sql, 0, &is_member, error);
    if (!status && !is_member)
        status = error_set(error, ERR_MISSING,
                           "creature %" PRIu64 " is not in generation %" PRId64
                           ", from which the next one is bred",
                           id, store->generation);
    return status;
}

/* Puts one, or takes it away (CHOICE_NONE). */
static int put_choice(struct store *store, int64_t generation, uint64_t id, int choice,
                      struct error *error)
{
    sqlite3_stmt *statement;
    int status = begin(store, error);
    if (!status)
        status = prepare(store,
                         choice == CHOICE_NONE
                             ? "DELETE FROM choices WHERE generation = ? AND individual = ?"
                             : "INSERT OR REPLACE INTO choices (generation, individual, choice)"
                               " VALUES (?, ?, ?)",
                         &statement, error);
    if (status)
        return status;
    sqlite3_bind_int64(statement, 1, generation);
    sqlite3_bind_int64(statement, 2, (sqlite3_int64)id);
    if (choice != CHOICE_NONE)
        bind_text(statement, 3, choice_name(choice));
    status = run_statement(store, statement, error);
    sqlite3_finalize(statement);
    return status;
}

int store_put_choice(struct store *store, uint64_t id, int choice, struct error *error)
{
    return put_choice(store, store->generation, id, choice, error);
}

/* Rows of a generation, or of all (-1), in order. */
static int get_choices(struct store *store, int64_t generation, struct store_choice **choices,
                       int *count, struct error *error)
{
    sqlite3_stmt *row;
    int64_t has_table;
    *choices = NULL;
    *count = 0;
    int status = has_choices(store, &has_table, error);
    if (status || !has_table)
        return status;
    status = prepare(store,
                     "SELECT generation, individual, choice FROM choices"
                     " WHERE ?1 < 0 OR generation = ?1 ORDER BY generation, individual",
                     &row, error);
    if (status)
        return status;
    sqlite3_bind_int64(row, 1, generation);
    while ((status = next_row(store, row, error)) == 1) {
        status = make_room(store, choices, *count, sizeof **choices, error);
        if (status)
            break;
        struct store_choice *choice = &(*choices)[*count];
        choice->generation = (uint32_t)sqlite3_column_int64(row, 0);
        choice->id = (uint64_t)sqlite3_column_int64(row, 1);
        if (choice_find(column_text(row, 2), &choice->choice)) {
            status = fail_content(store, "an unknown choice", error);
            break;
        }
        ++*count;
    }
    sqlite3_finalize(row);
    if (status) {
        free(*choices);
        *choices = NULL;
        *count = 0;
    }
    return status;
}

int store_get_choices(struct store *store, uint32_t generation, struct store_choice **choices,
                      int *count, struct error *error)
{
    return get_choices(store, generation, choices, count, error);
}

int store_get_all_choices(struct store *store, struct store_choice **choices, int *count,
                          struct error *error)
{
    return get_choices(store, -1, choices, count, error);
}

int store_get_chosen_until(struct store *store, int64_t *generation, struct error *error)
{
    return query_i64(store, "SELECT CAST(value AS INTEGER) FROM run WHERE key = 'chosen_until'", 0,
                     generation, error);
}

int store_copy_choices(struct store *store, struct store *from, struct error *error)
{
    struct store_choice *choices;
    char until[24];
    int count;
    int status = get_choices(from, -1, &choices, &count, error);
    snprintf(until, sizeof until, "%" PRId64, from->generation);
    for (int i = 0; !status && i < count; i++)
        if (choices[i].generation < from->generation)
            status =
                put_choice(store, choices[i].generation, choices[i].id, choices[i].choice, error);
    free(choices);
    if (!status)
        status = set_run_value(store, "chosen_until", until, error);
    return status ? status : store_commit(store, error);
}

/* ---- status ---- */

/* Of the generation under way. */
static int count_choices(struct store *store, struct store_status *status, struct error *error)
{
    struct store_choice *choices;
    int count, result;
    if (store->generation < 0)
        return 0;
    result = get_choices(store, store->generation, &choices, &count, error);
    for (int i = 0; !result && i < count; i++) {
        status->keep_count += choices[i].choice == CHOICE_KEEP;
        status->breed_count += choices[i].choice == CHOICE_BREED;
        status->ban_count += choices[i].choice == CHOICE_BAN;
    }
    free(choices);
    return result;
}

static int get_counts(struct store *store, struct store_status *status, struct error *error)
{
    int64_t next_id;
    char sql[160];
    int result = query_i64(store, "SELECT max(id) + 1 FROM individuals", 1, &next_id, error);
    status->next_id = (uint64_t)next_id;
    if (!result)
        result =
            query_i64(store, "SELECT count(*) FROM individuals", 0, &status->individuals, error);
    if (!result)
        result = query_i64(store, "SELECT count(*) FROM costs", 0, &status->evaluated, error);
    if (!result)
        result =
            query_i64(store, "SELECT count(*) FROM quarantine", 0, &status->quarantined, error);
    status->evaluated += status->quarantined;
    snprintf(sql, sizeof sql, "SELECT count(*) FROM members WHERE generation = %" PRId64,
             store->generation);
    if (!result)
        result = query_i64(store, sql, 0, &status->members_in_generation, error);
    snprintf(sql, sizeof sql, "SELECT sum(evaluated) FROM members WHERE generation = %" PRId64,
             store->generation);
    if (!result)
        result = query_i64(store, sql, 0, &status->evaluated_in_generation, error);
    return result;
}

/* The best of the members whose result counts already. */
static int get_best_so_far(struct store *store, struct store_status *status, struct error *error)
{
    sqlite3_stmt *statement;
    int result = prepare(store,
                         "SELECT max(i.fitness) FROM members m JOIN individuals i ON"
                         " i.id = m.individual WHERE m.generation = ? AND m.evaluated = 1",
                         &statement, error);
    if (result)
        return result;
    sqlite3_bind_int64(statement, 1, store->generation);
    result = next_row(store, statement, error);
    if (result == 1 && sqlite3_column_type(statement, 0) != SQLITE_NULL) {
        status->has_best_so_far = 1;
        status->best_so_far = sqlite3_column_double(statement, 0);
    }
    sqlite3_finalize(statement);
    return result < 0 ? result : 0;
}

static int get_closed(struct store *store, struct store_status *status, struct error *error)
{
    sqlite3_stmt *statement;
    int result = prepare(store,
                         "SELECT number, best, median, best_id FROM generations WHERE closed = 1"
                         " ORDER BY number DESC LIMIT 1",
                         &statement, error);
    if (result)
        return result;
    result = next_row(store, statement, error);
    status->closed_generation = -1;
    if (result == 1) {
        status->closed_generation = sqlite3_column_int64(statement, 0);
        status->best = sqlite3_column_double(statement, 1);
        status->median = sqlite3_column_double(statement, 2);
        status->best_id = (uint64_t)sqlite3_column_int64(statement, 3);
    }
    sqlite3_finalize(statement);
    return result < 0 ? result : 0;
}

static int get_archive(struct store *store, struct store_status *status, struct error *error)
{
    char sql[96];
    snprintf(sql, sizeof sql,
             "SELECT nullif(count(cell), 0) FROM archive WHERE generation = %" PRId64,
             status->closed_generation);
    return query_i64(store, sql, -1, &status->cells_filled, error);
}

static int get_speed(struct store *store, struct store_status *status, struct error *error)
{
    sqlite3_stmt *statement;
    int result = prepare(store,
                         "WITH last AS (SELECT max(time_s) AS t FROM costs)"
                         " SELECT count(*), min(c.time_s), last.t FROM costs c, last"
                         " WHERE c.time_s > last.t - 10",
                         &statement, error);
    if (result)
        return result;
    result = next_row(store, statement, error);
    if (result == 1 && sqlite3_column_int64(statement, 0) > 0) {
        double span_s = sqlite3_column_double(statement, 2) - sqlite3_column_double(statement, 1);
        status->last_result_s = sqlite3_column_double(statement, 2);
        if (span_s > 0)
            status->evaluations_per_s = (double)(sqlite3_column_int64(statement, 0) - 1) / span_s;
    }
    sqlite3_finalize(statement);
    return result < 0 ? result : 0;
}

static int get_run_values(struct store *store, struct store_status *status, struct error *error)
{
    sqlite3_stmt *statement;
    int result = prepare(store, "SELECT key, value FROM run", &statement, error);
    if (result)
        return result;
    while ((result = next_row(store, statement, error)) == 1) {
        const char *key = column_text(statement, 0);
        if (!strcmp(key, "finished"))
            status->is_finished = !strcmp(column_text(statement, 1), "1");
        else if (!strcmp(key, "created_utc"))
            copy_text(status->created_utc, sizeof status->created_utc, column_text(statement, 1));
        else if (!strcmp(key, "champion"))
            status->champion.id = (uint64_t)sqlite3_column_int64(statement, 1);
        else if (!strcmp(key, "champion_holds"))
            status->champion.holds = sqlite3_column_int(statement, 1);
        else if (!strcmp(key, "champion_words"))
            copy_text(status->champion.words, sizeof status->champion.words,
                      column_text(statement, 1));
    }
    sqlite3_finalize(statement);
    return result;
}

int store_get_status(struct store *store, struct store_status *status, struct error *error)
{
    memset(status, 0, sizeof *status);
    status->has_generation = store->generation >= 0;
    status->generation = store->generation >= 0 ? (uint32_t)store->generation : 0;
    int result = get_run_values(store, status, error);
    if (!result)
        result = get_counts(store, status, error);
    if (!result)
        result = get_best_so_far(store, status, error);
    if (!result)
        result = get_closed(store, status, error);
    if (!result)
        result = get_archive(store, status, error);
    if (!result)
        result = get_speed(store, status, error);
    if (!result)
        result = count_choices(store, status, error);
    return result;
}

/* ---- individuals ---- */

static int find_method(const char *name)
{
    for (int i = 0; i < METHOD_COUNT; i++)
        if (!strcmp(name, breeding_method_names[i]))
            return i;
    return -1;
}

/* Verdict, digest and measures of a row that has them. */
static int read_result(struct store *store, sqlite3_stmt *row, struct individual *individual,
                       struct error *error)
{
    individual->verdict = verdict_find(column_text(row, COLUMN_VERDICT));
    individual->fitness = sqlite3_column_double(row, COLUMN_FITNESS);
    individual->has_referee = sqlite3_column_type(row, COLUMN_REFEREE) != SQLITE_NULL;
    individual->referee_fitness = sqlite3_column_double(row, COLUMN_REFEREE);
    copy_text(individual->referee_words, sizeof individual->referee_words,
              column_text(row, COLUMN_REFEREE_WORDS));
    if (individual->verdict < 0)
        return fail_content(store, "an individual has an unknown verdict", error);
    if (hash_from_text(column_text(row, COLUMN_DIGEST), &individual->digest))
        return fail_content(store, "an individual's digest is not 16 hexadecimal digits", error);
    for (int i = 0; i < MEASURE_COUNT; i++)
        measures_set(&individual->measures, i, sqlite3_column_double(row, COLUMN_MEASURES + i));
    individual->has_result = 1;
    return 0;
}

/* Within what may be sent; 0 where there is none. */
static double read_bar(sqlite3_stmt *row, int column)
{
    double bar = sqlite3_column_double(row, column);
    return bar > 0 ? fmin(bar, PACE_MAX) : 0;
}

/* Reads a row of the SELECT above. The individual owns its genome if 0 is returned. has_result says
 * whether the row has one, be it out of date. */
static int read_individual(struct store *store, sqlite3_stmt *row, struct individual *individual,
                           struct error *error)
{
    memset(individual, 0, sizeof *individual);
    genome_init(&individual->genome);
    individual->id = (uint64_t)sqlite3_column_int64(row, COLUMN_ID);
    individual->generation = (uint32_t)sqlite3_column_int64(row, COLUMN_GENERATION);
    individual->method = find_method(column_text(row, COLUMN_METHOD));
    individual->parents[0] = (uint64_t)sqlite3_column_int64(row, COLUMN_PARENT1);
    individual->parents[1] = (uint64_t)sqlite3_column_int64(row, COLUMN_PARENT2);
    copy_text(individual->mutations, sizeof individual->mutations,
              column_text(row, COLUMN_MUTATIONS));
    if (individual->method < 0)
        return fail_content(store, "an individual has an unknown breeding method", error);
    if (hash_from_text(column_text(row, COLUMN_SEED), &individual->seed))
        return fail_content(store, "an individual's seed is not 16 hexadecimal digits", error);
    individual->body = (uint64_t)sqlite3_column_int64(row, COLUMN_BODY);
    individual->is_trial = sqlite3_column_type(row, COLUMN_TRIALS) != SQLITE_NULL;
    individual->trials = sqlite3_column_int(row, COLUMN_TRIALS);
    individual->bar.m_s = read_bar(row, COLUMN_BAR_M_S);
    individual->bar.sizes_s = read_bar(row, COLUMN_BAR_SIZES_S);
    if (sqlite3_column_type(row, COLUMN_VERDICT) != SQLITE_NULL) {
        int status = read_result(store, row, individual, error);
        if (status)
            return status;
    }
    const void *bytes = sqlite3_column_blob(row, COLUMN_GENOME);
    size_t length = (size_t)sqlite3_column_bytes(row, COLUMN_GENOME);
    if (genome_decode_bytes(&individual->genome, bytes ? bytes : "", length, error))
        return error_prefix(error, "%s: individual %" PRIu64, store->path, individual->id);
    return 0;
}

static void free_population(struct population *population)
{
    for (int i = 0; i < population->count; i++)
        individual_deinit(&population->individuals[i]);
    free(population->individuals);
    memset(population, 0, sizeof *population);
}

/* How the archive held a member when the generation before was closed. */
static void read_archived(sqlite3_stmt *row, struct individual *individual)
{
    individual->is_counted = sqlite3_column_type(row, COLUMN_EXTRA + 1) != SQLITE_NULL;
    if (!individual->is_counted)
        return;
    individual->cell = sqlite3_column_int(row, COLUMN_EXTRA + 2);
    individual->trials = sqlite3_column_int(row, COLUMN_EXTRA + 3);
    individual->is_waiting = sqlite3_column_int(row, COLUMN_EXTRA + 4);
}

int store_get_population(struct store *store, uint32_t generation, struct population *population,
                         struct error *error)
{
    sqlite3_stmt *row;
    memset(population, 0, sizeof *population);
    int status = prepare_printed(store, print_select,
                                 ", m.evaluated, a.individual, a.cell, a.trials, a.waiting",
                                 "FROM members m JOIN individuals i ON i.id = m.individual"
                                 " LEFT JOIN archive a ON a.generation = m.generation - 1"
                                 " AND a.individual = m.individual"
                                 " WHERE m.generation = ? ORDER BY i.id",
                                 &row, error);
    if (status)
        return status;
    sqlite3_bind_int64(row, 1, generation);
    while ((status = next_row(store, row, error)) == 1) {
        status = make_room(store, &population->individuals, population->count,
                           sizeof *population->individuals, error);
        if (status)
            break;
        struct individual *individual = &population->individuals[population->count];
        status = read_individual(store, row, individual, error);
        if (status) {
            individual_deinit(individual);
            break;
        }
        individual->has_result &= sqlite3_column_int(row, COLUMN_EXTRA) == 1;
        read_archived(row, individual);
        population->count++;
    }
    sqlite3_finalize(row);
    if (!status && !population->count)
        status = fail_content(store, "a generation has no members", error);
    if (status)
        free_population(population);
    return status;
}

/* ---- quarantine ---- */

void store_free_quarantine(struct store_quarantine *entries, int count)
{
    for (int i = 0; i < count; i++) {
        free(entries[i].reason);
        free(entries[i].command);
        free(entries[i].log);
    }
    free(entries);
}

static int read_quarantine(struct store *store, sqlite3_stmt *row, struct store_quarantine *entry,
                           struct error *error)
{
    entry->id = (uint64_t)sqlite3_column_int64(row, 0);
    copy_text(entry->time_utc, sizeof entry->time_utc, column_text(row, 1));
    entry->reason = strdup(column_text(row, 2));
    entry->command = strdup(column_text(row, 3));
    entry->log = strdup(column_text(row, 4));
    if (!entry->reason || !entry->command || !entry->log)
        return error_set(error, ERR_MEMORY, "%s: out of memory", store->path);
    return 0;
}

int store_get_quarantine(struct store *store, struct store_quarantine **entries, int *count,
                         struct error *error)
{
    sqlite3_stmt *row;
    int64_t has_log;
    *entries = NULL;
    *count = 0;
    int status = has_quarantine_log(store, &has_log, error);
    if (!status)
        status = prepare(store,
                         has_log ? "SELECT individual, time_utc, reason, command, log"
                                   " FROM quarantine ORDER BY individual"
                                 : "SELECT individual, time_utc, reason, command, ''"
                                   " FROM quarantine ORDER BY individual",
                         &row, error);
    if (status)
        return status;
    while ((status = next_row(store, row, error)) == 1) {
        status = make_room(store, entries, *count, sizeof **entries, error);
        if (!status)
            status = read_quarantine(store, row, &(*entries)[(*count)++], error);
        if (status)
            break;
    }
    sqlite3_finalize(row);
    if (status) {
        store_free_quarantine(*entries, *count);
        *entries = NULL;
        *count = 0;
    }
    return status;
}

/* ---- survivors, the curve, single creatures ---- */

/* -1 becomes the last closed generation; others are checked. */
static int find_closed(struct store *store, int64_t *generation, struct error *error)
{
    int64_t last, is_closed;
    char sql[96];
    int status =
        query_i64(store, "SELECT max(number) FROM generations WHERE closed = 1", -1, &last, error);
    if (status)
        return status;
    if (last < 0)
        return error_set(error, ERR_MISSING, "%s: no generation is complete yet", store->path);
    if (*generation < 0) {
        *generation = last;
        return 0;
    }
    snprintf(sql, sizeof sql, "SELECT closed FROM generations WHERE number = %" PRId64,
             *generation);
    status = query_i64(store, sql, 0, &is_closed, error);
    if (!status && !is_closed)
        status = error_set(error, ERR_RANGE,
                           "%s: generation %" PRId64 " is not complete; complete are 0 to %" PRId64,
                           store->path, *generation, last);
    return status;
}

enum {
    EXTRA_RANK = COLUMN_EXTRA,
    EXTRA_SURVIVED,
    EXTRA_FITNESS,
    EXTRA_WORKER,
    EXTRA_ATTEMPT,
    EXTRA_WALL,
    EXTRA_CPU,
    EXTRA_ARENA,
    EXTRA_TIME,
    EXTRA_SOURCE,
    EXTRA_CELL
};

static void read_cost(sqlite3_stmt *row, struct store_entry *entry)
{
    entry->has_cost = sqlite3_column_type(row, EXTRA_WALL) != SQLITE_NULL;
    entry->cost.worker = sqlite3_column_type(row, EXTRA_WORKER) == SQLITE_NULL
                             ? -1
                             : sqlite3_column_int(row, EXTRA_WORKER);
    entry->cost.attempt = (uint32_t)sqlite3_column_int64(row, EXTRA_ATTEMPT);
    entry->cost.task.wall_ms = sqlite3_column_double(row, EXTRA_WALL);
    entry->cost.task.cpu_ms = sqlite3_column_double(row, EXTRA_CPU);
    entry->cost.task.arena_bytes = (uint64_t)sqlite3_column_int64(row, EXTRA_ARENA);
    entry->cost.time_s = sqlite3_column_double(row, EXTRA_TIME);
}

static int read_entry(struct store *store, sqlite3_stmt *row, struct store_entry *entry,
                      struct error *error)
{
    struct individual individual;
    int status = read_individual(store, row, &individual, error);
    if (!status) {
        memset(entry, 0, sizeof *entry);
        entry->id = individual.id;
        entry->generation = individual.generation;
        entry->rank = sqlite3_column_int(row, EXTRA_RANK);
        entry->survived = sqlite3_column_int(row, EXTRA_SURVIVED);
        entry->cell = sqlite3_column_int(row, EXTRA_CELL);
        entry->fitness = sqlite3_column_double(row, EXTRA_FITNESS);
        entry->has_referee = individual.has_referee;
        entry->referee_fitness = individual.referee_fitness;
        copy_text(entry->referee_words, sizeof entry->referee_words, individual.referee_words);
        entry->verdict = individual.verdict;
        copy_text(entry->method, sizeof entry->method, breeding_method_names[individual.method]);
        memcpy(entry->parents, individual.parents, sizeof entry->parents);
        copy_text(entry->mutations, sizeof entry->mutations, individual.mutations);
        copy_text(entry->source, sizeof entry->source, column_text(row, EXTRA_SOURCE));
        entry->measures = individual.measures;
        entry->digest = individual.digest;
        entry->seed = individual.seed;
        read_cost(row, entry);
    }
    individual_deinit(&individual);
    return status;
}

/* All rows of a prepared statement as entries; finalizes it. */
static int read_entries(struct store *store, sqlite3_stmt *row, struct store_entry **entries,
                        int *count, struct error *error)
{
    int status;
    while ((status = next_row(store, row, error)) == 1) {
        status = make_room(store, entries, *count, sizeof **entries, error);
        if (!status)
            status = read_entry(store, row, &(*entries)[*count], error);
        if (status)
            break;
        ++*count;
    }
    sqlite3_finalize(row);
    if (status) {
        free(*entries);
        *entries = NULL;
        *count = 0;
    }
    return status;
}

/* Of members m, costs c and archive a. */
#define ENTRY_COLUMNS                                                                              \
    ", m.rank, m.survived, m.fitness, c.worker, c.attempt, c.wall_ms, c.cpu_ms, c.arena_bytes,"    \
    " c.time_s, (SELECT source FROM seeds WHERE seeds.individual = i.id), a.cell"

int store_get_top(struct store *store, int64_t generation, int top, struct store_entry **entries,
                  int *count, uint32_t *generation_found, struct error *error)
{
    sqlite3_stmt *row;
    *entries = NULL;
    *count = 0;
    int status = find_closed(store, &generation, error);
    if (!status)
        status = prepare_printed(store, print_select, ENTRY_COLUMNS,
                                 "FROM members m JOIN individuals i ON i.id = m.individual"
                                 " LEFT JOIN costs c ON c.individual = i.id"
                                 " LEFT JOIN archive a ON a.generation = m.generation"
                                 " AND a.individual = i.id"
                                 " WHERE m.generation = ? AND m.rank <= ? ORDER BY m.rank",
                                 &row, error);
    if (status)
        return status;
    *generation_found = (uint32_t)generation;
    sqlite3_bind_int64(row, 1, generation);
    sqlite3_bind_int(row, 2, top);
    return read_entries(store, row, entries, count, error);
}

int store_get_lineage(struct store *store, uint64_t id, int has_second_parents,
                      struct store_entry **entries, int *count, struct error *error)
{
    sqlite3_stmt *row;
    *entries = NULL;
    *count = 0;
    int status = prepare_printed(
        store, print_select, ENTRY_COLUMNS,
        "FROM individuals i"
        " LEFT JOIN (SELECT individual, max(generation) AS generation FROM members"
        " WHERE rank IS NOT NULL GROUP BY individual) AS last ON last.individual = i.id"
        " LEFT JOIN members m ON m.individual = i.id AND m.generation = last.generation"
        " LEFT JOIN costs c ON c.individual = i.id"
        " LEFT JOIN archive a ON a.generation = m.generation AND a.individual = i.id"
        " WHERE i.id IN (WITH RECURSIVE line (id) AS (VALUES (?1)"
        " UNION SELECT a.parent1 FROM line JOIN individuals a ON a.id = line.id"
        " UNION SELECT a.parent2 FROM line JOIN individuals a ON a.id = line.id WHERE ?2)"
        " SELECT id FROM line) ORDER BY i.id DESC",
        &row, error);
    if (status)
        return status;
    sqlite3_bind_int64(row, 1, (sqlite3_int64)id);
    sqlite3_bind_int(row, 2, has_second_parents);
    status = read_entries(store, row, entries, count, error);
    if (!status && *count == 0)
        status =
            error_set(error, ERR_MISSING, "%s: there is no creature %" PRIu64, store->path, id);
    return status;
}

int store_get_curve(struct store *store, struct store_generation **generations, int *count,
                    struct error *error)
{
    sqlite3_stmt *row;
    *generations = NULL;
    *count = 0;
    int status = prepare(store,
                         "SELECT number, best, median, mean, best_id, evaluations,"
                         " (SELECT count(cell) FROM archive WHERE generation = number)"
                         " FROM generations WHERE closed = 1 ORDER BY number",
                         &row, error);
    if (status)
        return status;
    while ((status = next_row(store, row, error)) == 1) {
        status = make_room(store, generations, *count, sizeof **generations, error);
        if (status)
            break;
        (*generations)[(*count)++] = (struct store_generation){
            .generation = (uint32_t)sqlite3_column_int64(row, 0),
            .best = sqlite3_column_double(row, 1),
            .median = sqlite3_column_double(row, 2),
            .mean = sqlite3_column_double(row, 3),
            .best_id = (uint64_t)sqlite3_column_int64(row, 4),
            .evaluations = sqlite3_column_int64(row, 5),
            .cells = sqlite3_column_int64(row, 6),
        };
    }
    sqlite3_finalize(row);
    if (status) {
        free(*generations);
        *generations = NULL;
        *count = 0;
    }
    return status;
}

/* Fills a creature file from a row; takes over the genome. */
static int fill_creature(struct store *store, sqlite3_stmt *row, struct individual *individual,
                         struct creature *creature, struct error *error)
{
    int64_t branch = sqlite3_column_int64(row, COLUMN_BRANCH);
    creature->genome = individual->genome;
    genome_init(&individual->genome);
    creature->id = individual->id;
    memcpy(creature->parents, individual->parents, sizeof creature->parents);
    creature->generation = individual->generation;
    copy_text(creature->method, sizeof creature->method, breeding_method_names[individual->method]);
    copy_text(creature->mutations, sizeof creature->mutations, individual->mutations);
    creature->seed = individual->seed;
    creature->has_evaluation = individual->has_result;
    creature->verdict = individual->verdict;
    creature->fitness = individual->fitness;
    creature->measures = individual->measures;
    creature->digest = individual->digest;
    creature->genome_hash = genome_hash(&creature->genome);
    creature->simulator_version = sqlite3_column_int(row, COLUMN_EXTRA);
    int status =
        get_branch_params(store, branch ? branch : store->branch, &creature->params, error);
    pace_apply_bar(&individual->bar, &creature->params);
    snprintf(creature->name, sizeof creature->name, "%.40s-%" PRIu64, creature->params.run_name,
             creature->id);
    return status;
}

int store_get_creature(struct store *store, uint64_t id, struct creature *creature,
                       struct error *error)
{
    sqlite3_stmt *row;
    creature_init(creature);
    int status = prepare_printed(store, print_select, ", b.simulator_version",
                                 "FROM individuals i LEFT JOIN branches b"
                                 " ON b.branch = i.branch WHERE i.id = ?",
                                 &row, error);
    if (status)
        return status;
    sqlite3_bind_int64(row, 1, (sqlite3_int64)id);
    status = next_row(store, row, error);
    if (status == 0)
        status =
            error_set(error, ERR_MISSING, "%s: there is no creature %" PRIu64, store->path, id);
    if (status == 1) {
        struct individual individual;
        status = read_individual(store, row, &individual, error);
        if (!status)
            status = fill_creature(store, row, &individual, creature, error);
        individual_deinit(&individual);
    }
    sqlite3_finalize(row);
    if (status) {
        creature_deinit(creature);
        creature_init(creature);
    }
    return status;
}

/* ---- digests ---- */

/* Every column of every row, with its type, so that neither NULL and 0 nor two texts run together. */
static int hash_rows(struct store *store, const char *sql, int64_t argument, uint64_t *hash,
                     struct error *error)
{
    sqlite3_stmt *row;
    int status = prepare(store, sql, &row, error);
    if (status)
        return status;
    sqlite3_bind_int64(row, 1, argument);
    while ((status = next_row(store, row, error)) == 1) {
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

static int hash_generation(struct store *store, int64_t generation, uint64_t *hash,
                           struct error *error)
{
    int64_t has_table;
    *hash = HASH_START;
    int status =
        hash_rows(store, "SELECT * FROM generations WHERE number = ?", generation, hash, error);
    if (!status)
        status = hash_rows(store, "SELECT * FROM individuals WHERE generation = ? ORDER BY id",
                           generation, hash, error);
    if (!status)
        status = hash_rows(store,
                           "SELECT b.individual, b.m_s, b.sizes_s FROM bars b JOIN individuals i"
                           " ON i.id = b.individual WHERE i.generation = ? ORDER BY b.individual",
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
        status = has_choices(store, &has_table, error);
    if (!status && has_table)
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
        int status = get_branch_params(store, branch, &params, error);
        if (status)
            return status;
        for (int i = 0; i < param_count; i++) {
            char value[PARAM_TEXT_SIZE + 64];
            if (param_table[i].scope == 'F')
                continue;
            params_print_value(&params, i, value, sizeof value);
            *hash = hash_bytes(*hash, value, strlen(value));
        }
    }
    return 0;
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
        status =
            prepare(store, "SELECT number, closed FROM generations ORDER BY number", &row, error);
    if (status)
        return status;
    while ((status = next_row(store, row, error)) == 1) {
        status = make_room(store, generations, *count, sizeof **generations, error);
        if (status)
            break;
        struct store_digest *digest = &(*generations)[*count];
        digest->generation = (uint32_t)sqlite3_column_int64(row, 0);
        digest->is_closed = sqlite3_column_int(row, 1);
        status = hash_generation(store, digest->generation, &digest->hash, error);
        if (status)
            break;
        *whole = hash_u64(*whole, digest->hash);
        ++*count;
    }
    sqlite3_finalize(row);
    if (status) {
        free(*generations);
        *generations = NULL;
        *count = 0;
    }
    return status;
}

/* ---- whole runs, for statistics ---- */

/* A query and what makes an item of a row: 0 or ERR_*. */
struct listing {
    const char *sql;
    size_t size;
    int (*read)(struct store *store, sqlite3_stmt *row, void *item, struct error *error);
};

/* All rows of a query as an array; `items` is a pointer to the pointer. */
static int get_listing(struct store *store, const struct listing *listing, void *items, int *count,
                       struct error *error)
{
    void **array = items;
    sqlite3_stmt *row;
    *array = NULL;
    *count = 0;
    int status = prepare(store, listing->sql, &row, error);
    if (status)
        return status;
    while ((status = next_row(store, row, error)) == 1) {
        if (*count == INT_MAX)
            status = error_set(error, ERR_LIMIT, "%s: too many rows", store->path);
        else
            status = make_room(store, items, *count, listing->size, error);
        if (status)
            break;
        char *item = (char *)*array + (size_t)*count * listing->size;
        memset(item, 0, listing->size);
        status = listing->read(store, row, item, error);
        if (status)
            break;
        ++*count;
    }
    sqlite3_finalize(row);
    if (status) {
        free(*array);
        *array = NULL;
        *count = 0;
    }
    return status;
}

enum {
    FACT_ID,
    FACT_GENERATION,
    FACT_METHOD,
    FACT_PARENT1,
    FACT_PARENT2,
    FACT_VERDICT,
    FACT_FITNESS,
    FACT_REFEREE,
    FACT_PARTS,
    FACT_LINKS,
    FACT_NEURONS,
    FACT_SIZE,
    FACT_PATH,
    FACT_DISTANCE,
    FACT_HEIGHT,
    FACT_WORK,
    FACT_WORKER,
    FACT_ATTEMPT,
    FACT_WALL,
    FACT_CPU,
    FACT_ARENA,
    FACT_TIME
};

static void read_fact_cost(sqlite3_stmt *row, struct store_fact *fact)
{
    struct store_cost *cost = &fact->cost;
    fact->has_cost = sqlite3_column_type(row, FACT_WALL) != SQLITE_NULL;
    cost->worker = sqlite3_column_type(row, FACT_WORKER) == SQLITE_NULL
                       ? -1
                       : sqlite3_column_int(row, FACT_WORKER);
    cost->attempt = (uint32_t)sqlite3_column_int64(row, FACT_ATTEMPT);
    cost->task.wall_ms = sqlite3_column_double(row, FACT_WALL);
    cost->task.cpu_ms = sqlite3_column_double(row, FACT_CPU);
    cost->task.arena_bytes = (uint64_t)sqlite3_column_int64(row, FACT_ARENA);
    cost->time_s = sqlite3_column_double(row, FACT_TIME);
}

static int read_fact(struct store *store, sqlite3_stmt *row, void *item, struct error *error)
{
    struct store_fact *fact = item;
    fact->id = (uint64_t)sqlite3_column_int64(row, FACT_ID);
    fact->generation = (uint32_t)sqlite3_column_int64(row, FACT_GENERATION);
    fact->method = find_method(column_text(row, FACT_METHOD));
    fact->parents[0] = (uint64_t)sqlite3_column_int64(row, FACT_PARENT1);
    fact->parents[1] = (uint64_t)sqlite3_column_int64(row, FACT_PARENT2);
    fact->verdict = -1;
    if (fact->method < 0)
        return fail_content(store, "an individual has an unknown breeding method", error);
    if (sqlite3_column_type(row, FACT_VERDICT) == SQLITE_NULL)
        return 0;
    fact->verdict = verdict_find(column_text(row, FACT_VERDICT));
    if (fact->verdict < 0)
        return fail_content(store, "an individual has an unknown verdict", error);
    fact->motion = HASH_START;
    for (int i = FACT_PATH; i <= FACT_WORK; i++)
        fact->motion = hash_double(fact->motion, sqlite3_column_double(row, i));
    fact->fitness = sqlite3_column_double(row, FACT_FITNESS);
    fact->has_referee = sqlite3_column_type(row, FACT_REFEREE) != SQLITE_NULL;
    fact->referee_fitness = sqlite3_column_double(row, FACT_REFEREE);
    fact->parts = sqlite3_column_double(row, FACT_PARTS);
    fact->links = sqlite3_column_double(row, FACT_LINKS);
    fact->neurons = sqlite3_column_double(row, FACT_NEURONS);
    fact->size_m = sqlite3_column_double(row, FACT_SIZE);
    read_fact_cost(row, fact);
    return 0;
}

int store_get_facts(struct store *store, struct store_fact **facts, int *count, struct error *error)
{
    static const struct listing listing = {
        "SELECT i.id, i.generation, i.method, i.parent1, i.parent2, i.verdict, i.fitness,"
        " i.referee_fitness, i.parts, i.links, i.neurons, i.size_m,"
        " i.path_m, i.distance_m, i.height_mean_m, i.work_in_j,"
        " c.worker, c.attempt, c.wall_ms, c.cpu_ms, c.arena_bytes, c.time_s"
        " FROM individuals i LEFT JOIN costs c ON c.individual = i.id ORDER BY i.id",
        sizeof **facts, read_fact};
    return get_listing(store, &listing, facts, count, error);
}

static int read_member(struct store *store, sqlite3_stmt *row, void *item, struct error *error)
{
    *(struct store_member *)item = (struct store_member){
        .generation = (uint32_t)sqlite3_column_int64(row, 0),
        .id = (uint64_t)sqlite3_column_int64(row, 1),
        .rank = sqlite3_column_int(row, 2),
        .survived = sqlite3_column_int(row, 3),
        .fitness = sqlite3_column_double(row, 4),
    };
    return 0;
}

int store_get_members(struct store *store, struct store_member **members, int *count,
                      struct error *error)
{
    static const struct listing listing = {
        "SELECT m.generation, m.individual, m.rank, m.survived, m.fitness FROM members m"
        " JOIN generations g ON g.number = m.generation AND g.closed = 1"
        " WHERE m.rank IS NOT NULL ORDER BY m.generation, m.rank",
        sizeof **members, read_member};
    return get_listing(store, &listing, members, count, error);
}

static int read_event(struct store *store, sqlite3_stmt *row, void *item, struct error *error)
{
    struct store_event *event = item;
    copy_text(event->time_utc, sizeof event->time_utc, column_text(row, 0));
    copy_text(event->event, sizeof event->event, column_text(row, 1));
    copy_text(event->detail, sizeof event->detail, column_text(row, 2));
    return 0;
}

int store_get_events(struct store *store, struct store_event **events, int *count,
                     struct error *error)
{
    static const struct listing listing = {
        "SELECT time_utc, event, detail FROM events ORDER BY number", sizeof **events, read_event};
    return get_listing(store, &listing, events, count, error);
}

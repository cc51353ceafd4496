/* The run store on SQLite.
 *
 * Sizes: an individual is a row of about 3 kB (genome 1 to 3 kB, some sixty measures); a run of
 * 300 x 50 has 12 000 of them. Rates: results come in at up to a few thousand a second and are
 * committed once a second, so the write-ahead log is synced at checkpoints only
 * (synchronous=NORMAL: a power failure may cost the last second, a kill nothing that was
 * committed). The transaction that closes a generation is synced (FULL). When the writer closes,
 * the journal goes back to DELETE, so that run.db alone is the run.
 *
 * A newborn is a row in `births`. Its row in `individuals` is written, whole, when its result comes
 * in, and its row in `members` when its generation is closed; a generation that is opened empties
 * `births` at once. So no row is written twice, and a run that died knows whom it has to simulate.
 * Creatures that are older than their generation have a row in `members` from its beginning, whose
 * flag `evaluated` says whether the result in `individuals` counts: with evolution.reevaluate, or
 * after changed parameters, it is an old one, and the creature waits for the new one.
 *
 * On a network file system there is no write-ahead log, since its index is memory that processes of
 * one machine share (sqlite.org/wal.html); the journal is a rollback journal, every commit is
 * synced, and a commit that readers hold up is tried again with the next one.
 *
 * The lock (run_directory.h) is taken before the database is opened: SQLite's own locks admit a
 * second writer between two transactions. */
#include "controller/store/store_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/system/file.h"
#include "common/system/log.h"
#include "common/system/process.h"
#include "common/store/schema.h"
#include "controller/store/run_directory.h"

/* On a network file system: how long a commit waits for readers at once, and how often it does when
 * the store is closed. */
enum { NETWORK_BUSY_MS = 1000, NETWORK_CLOSE_TRIES = 60 };

struct database *store_database(struct store *store)
{
    return &store->database;
}

static void close_database(struct store *store)
{
    while (store->kept_count > 0)
        sqlite3_finalize(store->kept[--store->kept_count]);
    store_database_close(&store->database);
}

static void release(struct store *store)
{
    close_database(store);
    pack_writer_deinit(&store->scratch);
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
        (lstat(store->lock_path, &there) == 0 && ours.st_dev == there.st_dev &&
         ours.st_ino == there.st_ino))
        return 0;
    return error_set(error, ERR_MISSING,
                     "%s: the run's directory was moved or removed while it was at work",
                     store->path);
}

/* Sets up a database that is written to. Nothing in a run is secret: deleted rows need not be
 * wiped. */
static int set_journal(struct store *store, struct error *error)
{
    if (store->is_on_network)
        sqlite3_busy_timeout(store->database.handle, NETWORK_BUSY_MS);
    return store_execute(store,
                         store->is_on_network
                             ? "PRAGMA secure_delete = OFF; PRAGMA journal_mode = TRUNCATE;"
                               " PRAGMA synchronous = FULL;"
                             : "PRAGMA secure_delete = OFF; PRAGMA journal_mode = WAL;"
                               " PRAGMA synchronous = NORMAL;",
                         error);
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
    pack_writer_init(&store->scratch);
    int status = 0;
    if (snprintf(store->path, sizeof store->path, "%s", path) >= (int)sizeof store->path)
        status = error_set(error, ERR_LIMIT, "%.64s...: the path is too long", path);
    else if (!is_read_only && (status = take_lock(store, error)) == 0)
        store->is_on_network = file_is_on_network(store->lock_path);
    if (status)
        release(store);
    else
        *made = store;
    return status;
}

/* What this program has made itself. */
static int open_trusted(struct store *store, int flags, struct error *error)
{
    int status = store_database_open(&store->database, store->path, flags, error);
    if (!status)
        store_database_trust(&store->database);
    return status;
}

/* Seed number n becomes individual n. */
static int put_seed(struct store *store, int number, const struct seed *seed, struct error *error)
{
    pack_writer_clear(&store->scratch);
    creature_encode(&seed->creature, &store->scratch);
    if (store->scratch.has_failed)
        return error_set(error, ERR_MEMORY, "%s: out of memory", store->path);
    return store_run(store, "INSERT INTO seeds (individual, source, creature) VALUES (?, ?, ?)",
                     STORE_ROW(STORE_WHOLE(number), STORE_TEXT(seed->source),
                               STORE_BYTES(store->scratch.buffer.data, store->scratch.buffer.size)),
                     error);
}

static int read_seed(const struct row *row, void *seeding)
{
    struct creature creature;
    const void *bytes = sqlite3_column_blob(row->at, 1);
    int status =
        creature_decode(&creature, bytes ? bytes : "", (size_t)sqlite3_column_bytes(row->at, 1),
                        row_text(row, 0), row->error);
    if (status)
        error_prefix(row->error, "%s: seeds", row->database->path);
    else
        status = seeding_add(seeding, row_text(row, 0), &creature, row->error);
    creature_deinit(&creature);
    return status;
}

int store_get_seeds(struct store *store, struct seeding *seeding, struct error *error)
{
    *seeding = (struct seeding){NULL, 0};
    int status =
        statement_each(&store->database, "SELECT source, creature FROM seeds ORDER BY individual",
                       0, 0, read_seed, seeding, error);
    if (status)
        seeding_deinit(seeding);
    return status;
}

static int fill_new(struct store *store, const struct params *params, const struct seeding *seeding,
                    store_fill *fill, void *context, struct error *error)
{
    char pragmas[256], created[32];
    clock_print_utc(created);
    snprintf(pragmas, sizeof pragmas,
             "PRAGMA page_size = 8192; PRAGMA application_id = %d; PRAGMA user_version = %d;",
             STORE_APPLICATION_ID, STORE_SCHEMA_VERSION);
    int has_failed = store_execute(store, pragmas, error) || store_begin(store, error);
    for (size_t i = 0; !has_failed && i < sizeof store_schema / sizeof store_schema[0]; i++)
        has_failed = store_execute(store, store_schema[i], error);
    has_failed = has_failed || store_set_run_value(store, "created_utc", created, error) ||
                 store_set_run_value(store, "program", message_build_id(), error) ||
                 store_set_run_value(store, "finished", "0", error) ||
                 store_put_branch(store, params, 0, error);
    for (int i = 0; !has_failed && seeding && i < seeding->count; i++)
        has_failed = put_seed(store, i + 1, &seeding->seeds[i], error);
    return has_failed || (fill && fill(store, context, error)) || store_commit(store, error)
               ? error->code
               : 0;
}

/* In a rollback journal, so that two names are all there is of it. */
static int make_new(struct store *store, const struct params *params, const struct seeding *seeding,
                    store_fill *fill, void *context, struct error *error)
{
    int status = open_trusted(store, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, error);
    if (!status)
        status = fill_new(store, params, seeding, fill, context, error);
    close_database(store);
    return status;
}

static void remove_new(const char *path_new)
{
    char journal[RUN_PATH_SIZE + 16];
    snprintf(journal, sizeof journal, "%s-journal", path_new);
    unlink(path_new);
    unlink(journal);
}

static int check_absent(const char *path, struct error *error)
{
    return access(path, F_OK) ? 0 : error_set(error, ERR_EXISTS, "%s: exists already", path);
}

int store_create(struct store **made, const char *path, const struct params *params,
                 const struct seeding *seeding, store_fill *fill, void *context,
                 struct error *error)
{
    struct store *store;
    char path_new[RUN_PATH_SIZE];
    *made = NULL;
    if (snprintf(path_new, sizeof path_new, "%s" RUN_NEW_SUFFIX, path) >= (int)sizeof path_new)
        return error_set(error, ERR_LIMIT, "%.64s...: the path is too long", path);
    if (check_absent(path, error) || make_store(&store, path_new, 0, error))
        return error->code;
    remove_new(path_new);
    /* another controller may have made it before this one had the lock */
    int has_failed = check_absent(path, error) ||
                     make_new(store, params, seeding, fill, context, error) ||
                     file_rename(path_new, path, error);
    snprintf(store->path, sizeof store->path, "%s", path);
    if (!has_failed && !open_trusted(store, SQLITE_OPEN_READWRITE, error) &&
        !set_journal(store, error)) {
        *made = store;
        return 0;
    }
    remove_new(path_new);
    release(store);
    return error->code;
}

static int read_check(const struct row *row, void *unused)
{
    return strcmp(row_text(row, 0), "ok") ? row_fail(row, row_text(row, 0)) : 0;
}

/* Brings the tables up to date, all at once. */
static int upgrade(struct store *store, struct error *error)
{
    char version[64];
    snprintf(version, sizeof version, "PRAGMA user_version = %d", STORE_SCHEMA_VERSION);
    return store_begin(store, error) || store_database_complete(&store->database, 0, error) ||
                   store_execute(store, version, error) || store_commit(store, error)
               ? error->code
               : 0;
}

/* Checks a store, and brings it to the schema of now, before a writer uses it. */
static int prepare(struct store *store, struct error *error)
{
    /* before anything is written: does the file hang together? */
    if (statement_each(&store->database, "PRAGMA quick_check(1)", 0, 0, read_check, NULL, error))
        return error->code;
    store_database_trust(&store->database);
    return set_journal(store, error) || upgrade(store, error) ? error->code : 0;
}

/* Branches are numbered 1, 2, ..., and there is at least one: readers of all of them count on
 * that. */
static int read_position(struct store *store, struct error *error)
{
    struct database *database = &store->database;
    int64_t count;
    if (statement_number(database, "SELECT max(branch) FROM branches WHERE branch > 0", 0, 0,
                         &store->branch, error) ||
        statement_number(database, "SELECT count(*) FROM branches WHERE branch > 0", 0, 0, &count,
                         error) ||
        statement_number(database, "SELECT max(number) FROM generations", 0, -1, &store->generation,
                         error))
        return error->code;
    if (store->branch < 1)
        return statement_fail_content(database, "it has no parameters", error);
    return store->branch == count
               ? 0
               : statement_fail_content(database, "its branches are not numbered 1, 2, ...", error);
}

int store_open(struct store **made, const char *path, int is_read_only, struct error *error)
{
    struct store *store;
    *made = NULL;
    if (access(path, F_OK))
        return error_set(error, ERR_MISSING, "%s: there is no such file", path);
    int flags = is_read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
    if (make_store(&store, path, is_read_only, error))
        return error->code;
    if (!store_database_open(&store->database, store->path, flags, error) &&
        !(is_read_only ? store_execute(store, "BEGIN", error) : prepare(store, error)) &&
        !read_position(store, error)) {
        *made = store;
        return 0;
    }
    release(store);
    return error->code;
}

/* Leaves one file; while other programs have it open, at least with everything in it. */
static int gather(struct store *store)
{
    struct error error;
    if (!store_execute(store, "PRAGMA journal_mode = DELETE", &error))
        return 0;
    return sqlite3_wal_checkpoint_v2(store->database.handle, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL,
                                     NULL);
}

void store_close(struct store *store)
{
    if (!store)
        return;
    if (!store->is_read_only) {
        struct error error;
        if (store->database.has_failed)
            store_roll_back(store);
        int status = store_commit(store, &error);
        for (int i = 0; i < NETWORK_CLOSE_TRIES && !status && store->is_in_transaction; i++)
            status = store_commit(store, &error);
        /* SQLite would remove the write-ahead log of whatever is there now */
        if (store_check_place(store, &error))
            sqlite3_db_config(store->database.handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
        else if (!status)
            status = gather(store);
        if (status)
            log_event(LOG_WARN, "store_close", "detail=\"%s\"",
                      sqlite3_errmsg(store->database.handle));
    }
    release(store);
}

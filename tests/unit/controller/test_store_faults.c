/* The run store on a disk that fails, and in a process that is killed: the Nth write, truncation
 * or sync of a small run fails, once or from then on, as a full disk or as a broken one, or is
 * the last thing that the process does. Whatever N is: one error with a message that names the
 * file, a store that opens again, and a run that goes on to the very end it would have had.
 * checks: forked */
#include "controller/store/run_directory.h"
#include "controller/store/store.h"

#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/system/log.h"
#include "tests/sanitized.h"
#include "tests/suite.h"

OWNER(search, search_destroy)
OWNER(store, store_close)

enum { POPULATION = 12, GENERATIONS = 3, COMMIT_EVERY = 5 };

/* ---- a layer between SQLite and the disk ---- */

static struct {
    int at;         /* the operation that fails, from 1; 0 = none */
    int is_lasting; /* and all after it */
    int code;       /* SQLITE_FULL, ...; KILLED */
    int count;      /* operations so far */
} fault;

enum { KILLED = -1, KILLED_EXIT = 9 };

/* 0, or the error that this operation meets. */
static int meet_fault(void)
{
    fault.count++;
    if (fault.code == KILLED && fault.count == fault.at)
        _exit(KILLED_EXIT);
    if (fault.at > 0 && (fault.count == fault.at || (fault.is_lasting && fault.count > fault.at)))
        return fault.code;
    return SQLITE_OK;
}

static sqlite3_vfs faulty_vfs, *real_vfs;
/* SQLite has a few tables of methods for its files (by the way they are locked); each one's faulty
 * copy. */
static struct table {
    sqlite3_io_methods faulty;
    const sqlite3_io_methods *real;
} tables[8];

static const sqlite3_io_methods *real_methods(const sqlite3_file *file)
{
    return ((const struct table *)file->pMethods)->real;
}

static int faulty_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 at)
{
    int status = meet_fault();
    /* what a full disk leaves of a write */
    if (status != SQLITE_OK && count > 1)
        real_methods(file)->xWrite(file, bytes, count / 2, at);
    return status != SQLITE_OK ? status : real_methods(file)->xWrite(file, bytes, count, at);
}

static int faulty_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    int status = meet_fault();
    return status != SQLITE_OK ? status : real_methods(file)->xTruncate(file, size);
}

static int faulty_sync(sqlite3_file *file, int flags)
{
    int status = meet_fault();
    return status != SQLITE_OK ? status : real_methods(file)->xSync(file, flags);
}

static int faulty_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags,
                       int *flags_out)
{
    int status = real_vfs->xOpen(real_vfs, name, file, flags, flags_out), i = 0;
    if (status != SQLITE_OK || file->pMethods == NULL)
        return status;
    while (tables[i].real != NULL && tables[i].real != file->pMethods)
        i++;
    ck_assert_int_lt(i, (int)(sizeof tables / sizeof tables[0]) - 1);
    tables[i].real = file->pMethods;
    tables[i].faulty = *file->pMethods;
    tables[i].faulty.xWrite = faulty_write;
    tables[i].faulty.xTruncate = faulty_truncate;
    tables[i].faulty.xSync = faulty_sync;
    file->pMethods = &tables[i].faulty;
    return status;
}

static void install_faults(void)
{
    real_vfs = sqlite3_vfs_find(NULL);
    ck_assert_ptr_nonnull(real_vfs);
    faulty_vfs = *real_vfs;
    faulty_vfs.zName = "faulty";
    faulty_vfs.xOpen = faulty_open;
    ck_assert_int_eq(sqlite3_vfs_register(&faulty_vfs, 1), SQLITE_OK);
}

/* ---- a small run ---- */

static struct params params;
static char directory[64], path[96], path_new[104];

static void set_up(void)
{
    /* many syncs: in memory, if possible */
    snprintf(directory, sizeof directory, "%s/test_store_faults.XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/run.db", directory);
    snprintf(path_new, sizeof path_new, "%s" RUN_NEW_SUFFIX, path);
    params_set_defaults(&params);
    params.population_size = POPULATION;
    params.evolution_generations = GENERATIONS;
    params.guard_referee_top = 0;
    log_set(STDERR_FILENO, LOG_ERROR);
    install_faults();
}

static void remove_run(void)
{
    static const char *const names[] = {
        "run.db",     "run.db-wal",         "run.db-shm", "run.db-journal",
        "run.db.new", "run.db.new-journal", "lock"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        unlink(printed("%s/%s", directory, names[i]));
    }
}

static void tear_down(void)
{
    remove_run();
    ck_assert_int_eq(rmdir(directory), 0);
}

static int close_generation(struct store *store, struct search *search, struct error *error)
{
    SCOPED(generation_closing) closing;
    uint32_t generation = search_generation(search);
    ck_assert(search_is_complete(search));
    ck_assert_int_eq(
        generation_closing_init(&closing, search_population(search), search_survivor_count(search)),
        0);
    int status;
    if (search_is_finished(search)) {
        status = store_finish(store, generation, &closing, error);
    } else {
        ck_assert_int_eq(search_advance(search), 0);
        status =
            store_put_generation(store, generation + 1, search_population(search), &closing, error);
    }
    return status;
}

/* Those of lagged methods, which breed while results come in. */
static int put_newborns(struct store *store, struct search *search, struct error *error)
{
    const struct individual *newborn;
    int status = search_take_newborn(search, &newborn);
    while (!status && newborn) {
        status = store_put_newborn(store, newborn, error);
        if (!status)
            status = search_take_newborn(search, &newborn);
    }
    return status;
}

static int put_results(struct store *store, struct search *search, struct error *error)
{
    const struct individual *individual;
    int status = 0, done = 0;
    while (!status && (individual = search_ask(search)) != NULL) {
        struct measures measures = {.distance_m = (double)(individual->id % 7)};
        individual = search_tell(search, individual->id, VERDICT_OK, &measures, individual->id);
        status = store_put_result(store, individual, error);
        if (!status)
            status = put_newborns(store, search, error);
        if (!status && ++done % COMMIT_EVERY == 0)
            status = store_commit(store, error);
    }
    return status;
}

/* To the end. */
static int work(struct store *store, struct search *search, struct error *error)
{
    for (;;) {
        int status = put_results(store, search, error);
        int is_last = search_is_finished(search);
        if (!status)
            status = close_generation(store, search, error);
        if (status || is_last)
            return status;
    }
}

static int begin_run(struct store *store, struct error *error)
{
    OWNED(search) *search = search_create(&params, NULL);
    ck_assert_ptr_nonnull(search);
    int status = store_put_generation(store, 0, search_population(search), NULL, error);
    if (!status)
        status = work(store, search, error);
    return status;
}

/* As `resume` does. */
static int go_on(struct store *store, struct error *error)
{
    struct store_status status;
    struct population population;
    ck_assert_int_eq(store_get_status(store, &status, error), 0);
    if (!status.has_generation)
        return begin_run(store, error);
    if (status.is_finished)
        return 0;
    ck_assert_int_eq(store_get_population(store, status.generation, &population, error), 0);
    OWNED(search) *search = search_restore(&params, status.generation, &population, status.next_id);
    ck_assert_ptr_nonnull(search);
    return work(store, search, error);
}

static uint64_t digest_of_run(void)
{
    OWNED(store) *store;
    FREED struct store_digest *generations;
    struct error error = {0};
    uint64_t whole;
    int count;
    ck_ok(store_open(&store, path, 1, &error));
    ck_assert_int_eq(store_get_digests(store, &whole, &generations, &count, &error), 0);
    ck_assert_int_eq(count, GENERATIONS);
    return whole;
}

/* A run that meets the fault; 0, or the error it ended with. */
static int run_once(struct error *error)
{
    struct store *store;
    int status = store_create(&store, path, &params, NULL, NULL, NULL, error);
    if (status)
        return status;
    status = begin_run(store, error);
    if (status) {
        struct error ignored;
        store_put_event(store, "failed", error->message, &ignored);
    }
    store_close(store);
    return status;
}

/* After the fault: what is there opens, hangs together (store_open() looks) and goes on. */
static void resume_run(void)
{
    OWNED(store) *store;
    struct error error = {0};
    ck_assert_msg(store_open(&store, path, 0, &error) == 0, "fault %d: %s", fault.at,
                  error.message);
    ck_assert_msg(go_on(store, &error) == 0, "fault %d: %s", fault.at, error.message);
}

static const struct {
    int code, is_lasting;
} kinds[] = {{SQLITE_FULL, 1}, {SQLITE_FULL, 0}, {SQLITE_IOERR_WRITE, 1}, {KILLED, 0}};
enum { KIND_COUNT = sizeof kinds / sizeof kinds[0] };

/* In a process of its own, which the fault may kill. */
static int run_apart(struct error *error)
{
    int ending;
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0)
        _exit(run_once(error) != 0);
    ck_assert_int_eq(waitpid(child, &ending, 0), child);
    ck_assert(WIFEXITED(ending) &&
              (WEXITSTATUS(ending) == 0 || WEXITSTATUS(ending) == KILLED_EXIT));
    if (WEXITSTATUS(ending) == 0)
        return 0;
    return error_set(error, ERR_IO, "%s: its process was killed", path);
}

static void use_search(int search)
{
    params.evolution_search = search;
    params.evolution_lag = POPULATION / 2;
}

TEST_LOOP(nothing_is_lost, 0, 2 * KIND_COUNT)
{
    static const int searches[] = {SEARCH_SIMS, SEARCH_ARCHIVE};
    struct error error = {0};
    use_search(searches[_i / KIND_COUNT]);
    _i %= KIND_COUNT;
    memset(&fault, 0, sizeof fault);
    ck_assert_int_eq(run_once(&error), 0);
    uint64_t whole = digest_of_run();
    int operations = fault.count, failures = 0, created = 0, begun_again = 0;
    ck_assert_int_gt(operations, 60);
    remove_run();

    /* each of the first ones, by and by fewer */
    for (int at = 1; at <= operations; at += 1 + at / (TESTS_ARE_SANITIZED ? 5 : 25)) {
        memset(&error, 0, sizeof error);
        fault.at = at;
        fault.count = 0;
        fault.code = kinds[_i].code;
        fault.is_lasting = kinds[_i].is_lasting;
        int status = kinds[_i].code == KILLED ? run_apart(&error) : run_once(&error);
        fault.at = 0;
        if (status) {
            failures++;
            ck_assert_msg(strstr(error.message, path) != NULL, "fault %d: '%s'", at, error.message);
        }
        /* what could not even be made is not there, and begins again */
        struct store *store;
        struct error refusal = {0};
        int found = store_open(&store, path, 0, &refusal);
        if (found == 0) {
            store_close(store);
            resume_run();
            created++;
        } else {
            ck_assert_int_ne(status, 0);
            ck_assert_msg(found == ERR_MISSING, "fault %d: %s", at, refusal.message);
            ck_assert_msg(kinds[_i].code == KILLED || access(path_new, F_OK), "fault %d", at);
            ck_assert_msg(run_once(&error) == 0, "fault %d: %s", at, error.message);
            begun_again++;
        }
        ck_assert_int_ne(access(path_new, F_OK), 0);
        ck_assert_msg(digest_of_run() == whole, "fault %d: another run", at);
        remove_run();
    }
    ck_assert_int_gt(failures, 15);
    ck_assert_int_gt(created, TESTS_ARE_SANITIZED ? 5 : 15);
    ck_assert_int_gt(begun_again, 5);
}

SUITE("store_faults", 120, set_up, tear_down)

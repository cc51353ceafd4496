/* The run store on a network file system, which is planted: no write-ahead log, and a commit that a
 * reader holds up fails nothing. */
#include <sqlite3.h>
#include <unistd.h>

#include "common/system/file.h"
#include "controller/store/store.h"
#include "tests/plain_fixture.h"
#include "tests/unit/directory_fixture.h"

static int is_on_network;

int __wrap_file_is_on_network(const char *path);
int __real_file_is_on_network(const char *path);

int __wrap_file_is_on_network(const char *path)
{
    return is_on_network;
}

static char database[96], log_of_writes[128];
static struct store *store;

static void set_up(void)
{
    is_on_network = 1;
    open_directory();
    snprintf(database, sizeof database, "%s/run.db", directory);
    snprintf(log_of_writes, sizeof log_of_writes, "%s-wal", database);
    params_set_defaults(&params);
    ck_ok(store_create(&store, database, &params, NULL, NULL, NULL, &error));
}

static void tear_down(void)
{
    store_close(store);
    close_directory();
}

static void put(const char *event, const char *detail)
{
    ck_ok(store_put_event(store, event, detail, &error));
    ck_ok(store_commit(store, &error));
}

static int count_events(sqlite3 *reader)
{
    sqlite3_stmt *row;
    ck_assert_int_eq(sqlite3_prepare_v2(reader, "SELECT count(*) FROM events", -1, &row, NULL),
                     SQLITE_OK);
    ck_assert_int_eq(sqlite3_step(row), SQLITE_ROW);
    int count = sqlite3_column_int(row, 0);
    sqlite3_finalize(row);
    return count;
}

TEST(there_is_no_write_ahead_log)
{
    put("run", "n1 4711");
    ck_assert_int_ne(access(log_of_writes, F_OK), 0);
    store_close(store);
    is_on_network = 0;
    ck_ok(store_open(&store, database, 0, &error));
    put("resume", "n2 12");
    ck_assert_int_eq(access(log_of_writes, F_OK), 0);
    store_close(store);
    is_on_network = 1;
    ck_ok(store_open(&store, database, 0, &error));
    put("resume", "n2 13");
    ck_assert_int_ne(access(log_of_writes, F_OK), 0);
}

/* A commit that a reader holds up is written with the next one without a reader. */
TEST(a_reader_fails_no_commit)
{
    sqlite3 *reader;
    put("run", "n1 4711");
    ck_assert_int_eq(sqlite3_open_v2(database, &reader, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    ck_assert_int_eq(sqlite3_exec(reader, "BEGIN", NULL, NULL, NULL), SQLITE_OK);
    ck_assert_int_eq(count_events(reader), 1);
    put("paused", "");
    put("continued", "");
    ck_assert_int_eq(count_events(reader), 1);
    ck_assert_int_eq(sqlite3_exec(reader, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
    put("workers", "1 -> 2");
    ck_assert_int_eq(count_events(reader), 4);
    sqlite3_close(reader);
}

/* `status` elsewhere says where the controller is, until it has ended. */
TEST(the_controllers_place_is_known)
{
    struct store_status status;
    put("run", "n1 4711");
    put("paused", "");
    ck_ok(store_get_status(store, &status, &error));
    ck_assert_str_eq(status.place, "n1 4711");
    put("stopped", "");
    ck_assert_int_eq(store_get_status(store, &status, &error), 0);
    ck_assert_str_eq(status.place, "");
}

TEST(files_here_are_not_on_the_network)
{
    ck_assert_int_eq(__real_file_is_on_network("/proc"), 0);
    ck_assert_int_eq(__real_file_is_on_network("/no/such/place"), 0);
}

SUITE("store_network", 60, set_up, tear_down)

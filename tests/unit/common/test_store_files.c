/* The files of a run store. Hostile journals of all sizes: what they name stays, and they are
 * refused. Journals that SQLite leaves behind when a writer dies are played back. And the door
 * itself: SQLite, sent through it to an unread store, touches the store's own names
 * alone. runs: watched */
#include "common/store/database.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "controller/store/store.h"
#include "tests/plain_fixture.h"

#define SIZE_MAX_BYTES 1024
#define SECTOR_BYTES   512
#define PAGE_BYTES     8192

static const unsigned char magic[8] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
static char directory[64], place[160];

/* The test works in a folder of its own, with a run store and a file `v` that is not its own. */
static void set_up(void)
{
    struct store *store;
    /* many syncs: in memory, if possible */
    snprintf(directory, sizeof directory, "%s/test_store_files.XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(directory));
    ck_assert_int_eq(chdir(directory), 0);
    snprintf(place, sizeof place, "%s/run.db", directory);
    params_set_defaults(&params);
    ck_ok(store_create(&store, "run.db", &params, NULL, NULL, NULL, &error));
    store_close(store);
    ck_assert_int_eq(system("cp run.db whole.db && echo mine >v"), 0);
}

static void tear_down(void)
{
    ck_assert_int_eq(system(printed("cd / && rm -r '%s'", directory)), 0);
}

static void put_file(const char *name, const void *bytes, size_t size)
{
    FILE *file = fopen(name, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    ck_assert_int_eq(fclose(file), 0);
}

static void put_u32(unsigned char *bytes, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (unsigned char)(value >> (24 - 8 * i));
}

/* ---- journals ---- */

struct header {
    uint32_t records, pages, sector_bytes, page_bytes;
};
static const struct header proper = {0, 1, SECTOR_BYTES, PAGE_BYTES};

static void put_header(unsigned char *journal, const struct header *header)
{
    memcpy(journal, magic, sizeof magic);
    put_u32(journal + 8, header->records);
    put_u32(journal + 16, header->pages);
    put_u32(journal + 20, header->sector_bytes);
    put_u32(journal + 24, header->page_bytes);
}

/* At the end of `size` bytes: a name that SQLite would remove. */
static void put_name(unsigned char *journal, size_t size, const char *name)
{
    size_t length = strlen(name);
    uint32_t sum = 0;
    for (size_t i = 0; i < length; i++)
        sum += (unsigned char)name[i];
    unsigned char *end = journal + size;
    memcpy(end - 16 - length, name, length);
    put_u32(end - 16, (uint32_t)length);
    put_u32(end - 12, sum);
    memcpy(end - 8, magic, sizeof magic);
}

static int open_and_read(int flags)
{
    struct database database;
    memset(&error, 0, sizeof error);
    int status = store_database_open(&database, "run.db", flags, &error);
    store_database_close(&database);
    return status;
}

static void expect_of(int flags, int status, const char *what, size_t size)
{
    int found = open_and_read(flags);
    ck_assert_msg(found == status, "%s, %zu bytes: %d %s", what, size, found, error.message);
    ck_assert_msg(!access("v", F_OK) && !access("run.db", F_OK), "%s, %zu bytes: removed", what,
                  size);
    ck_assert(!status || strstr(error.message, "run.db-journal"));
}

static void expect(int status, const char *what, size_t size)
{
    expect_of(SQLITE_OPEN_READWRITE, status, what, size);
    expect_of(SQLITE_OPEN_READONLY, status, what, size);
}

/* This holds for any first byte: a journal whose first byte is 0 is not rolled back at once, but
 * perhaps later. */
TEST(no_name_at_the_end_is_believed)
{
    static const unsigned char firsts[] = {0xd9, 0, 1, 'v'};
    unsigned char journal[SIZE_MAX_BYTES];
    for (size_t size = 17; size <= SIZE_MAX_BYTES; size++)
        for (size_t i = 0; i < sizeof firsts; i++) {
            memset(journal, 0, sizeof journal);
            journal[0] = firsts[i];
            put_name(journal, size, "v");
            put_file("run.db-journal", journal, size);
            expect(ERR_FORMAT, "a name", size);
        }
}

TEST(no_name_behind_a_proper_header_is_believed)
{
    for (size_t size = SECTOR_BYTES + 17; size <= SIZE_MAX_BYTES; size++) {
        unsigned char journal[SIZE_MAX_BYTES] = {0};
        put_header(journal, &proper);
        put_name(journal, size, "v");
        put_file("run.db-journal", journal, size);
        expect(ERR_FORMAT, "a name behind a header", size);
    }
}

TEST(what_begins_as_no_journal_does_is_refused)
{
    unsigned char rubbish[SIZE_MAX_BYTES], only_magic[SIZE_MAX_BYTES] = {0};
    memset(rubbish, 0xff, sizeof rubbish);
    memcpy(only_magic, magic, sizeof magic);
    for (size_t size = 1; size <= SIZE_MAX_BYTES; size++) {
        put_file("run.db-journal", rubbish, size);
        expect(ERR_FORMAT, "rubbish", size);
        put_file("run.db-journal", only_magic, size);
        expect(ERR_FORMAT, "no sizes in the header", size);
    }
    /* nor one that says nothing at first, and something in the next bytes */
    for (size_t at = 1; at < 12; at++) {
        unsigned char late[SIZE_MAX_BYTES] = {0};
        late[at] = 1;
        put_file("run.db-journal", late, sizeof late);
        expect(ERR_FORMAT, "a header of zeros that has others", at);
    }
}

TEST(headers_are_proper_or_refused)
{
    static const struct header bad[] = {
        {0, 1, 0, PAGE_BYTES},
        {0, 1, 16, PAGE_BYTES},
        {0, 1, 513, PAGE_BYTES},
        {0, 1, 1 << 17, PAGE_BYTES},
        {0, 1, 4096, PAGE_BYTES},
        {0, 1, SECTOR_BYTES, 0},
        {0, 1, SECTOR_BYTES, 256},
        {0, 1, SECTOR_BYTES, 1000},
        {0, 1, SECTOR_BYTES, 1 << 17},
        {0, 1000000, SECTOR_BYTES, PAGE_BYTES},
        {0, UINT32_MAX, SECTOR_BYTES, 65536},
    };
    struct stat before, after;
    ck_assert_int_eq(stat("run.db", &before), 0);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        unsigned char journal[SIZE_MAX_BYTES] = {0};
        put_header(journal, &bad[i]);
        put_file("run.db-journal", journal, sizeof journal);
        expect_of(SQLITE_OPEN_READWRITE, ERR_FORMAT, "a bad header", i);
    }
    ck_assert_int_eq(stat("run.db", &after), 0);
    ck_assert_int_eq(before.st_size, after.st_size);
}

/* What is let be is opened, which takes its time: small sizes, and some of the others. */
static size_t next_size(size_t size)
{
    return size < 32 ? size + 1 : size + 31;
}

/* The file was made and not yet written to, or was emptied; or its header is zeros. */
TEST(journals_that_say_nothing_are_let_be)
{
    unsigned char zeros[SIZE_MAX_BYTES] = {0};
    for (size_t size = 0; size <= SIZE_MAX_BYTES; size = next_size(size)) {
        put_file("run.db-journal", zeros, size);
        expect(0, "zeros", size);
    }
}

/* ---- what SQLite leaves behind ---- */

/* A writer that dies in the middle of a transaction. With a small cache pages were written already:
 * then the journal's header counts. */
static void die_while_writing(const char *mode, int has_small_cache)
{
    pid_t child = fork();
    if (child == 0) {
        char sql[512];
        sqlite3 *database;
        snprintf(sql, sizeof sql,
                 "PRAGMA journal_mode = %s; PRAGMA cache_size = %d;"
                 "INSERT INTO run VALUES ('committed', '1'); BEGIN;"
                 "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 300)"
                 " INSERT INTO run SELECT x, hex(zeroblob(2000)) FROM n",
                 mode, has_small_cache ? 4 : 10000);
        if (sqlite3_open("run.db", &database) || sqlite3_exec(database, sql, NULL, NULL, NULL))
            _exit(1);
        _exit(0);
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
}

static int64_t count_rows(void)
{
    struct database database;
    int64_t count = -1;
    memset(&error, 0, sizeof error);
    ck_ok(store_database_open(&database, "run.db", SQLITE_OPEN_READWRITE, &error));
    sqlite3_stmt *row;
    ck_assert_int_eq(sqlite3_prepare_v2(database.handle,
                                        "SELECT count(*) FROM run WHERE key = 'committed' OR"
                                        " key GLOB '[0-9]*'",
                                        -1, &row, NULL),
                     SQLITE_OK);
    if (sqlite3_step(row) == SQLITE_ROW)
        count = sqlite3_column_int64(row, 0);
    sqlite3_finalize(row);
    ck_assert_int_eq(sqlite3_close(database.handle), SQLITE_OK);
    return count;
}

TEST_LOOP(journals_of_dead_writers_are_played_back, 0, 8)
{
    static const char *const modes[] = {"DELETE", "TRUNCATE", "PERSIST", "WAL"};
    ck_assert_int_eq(system("cp whole.db run.db && rm -f run.db-*"), 0);
    die_while_writing(modes[_i / 2], _i % 2);
    ck_assert_int_eq(count_rows(), 1);
}

/* Writing the header was cut short (the disk was full): it counts only later. */
TEST(a_header_that_was_cut_short_is_let_be)
{
    unsigned char journal[SIZE_MAX_BYTES];
    die_while_writing("DELETE", 0);
    ck_assert_int_eq(system("cp run.db-journal left"), 0);
    int file = open("left", O_RDONLY);
    ck_assert_int_eq(read(file, journal, sizeof journal), sizeof journal);
    close(file);
    ck_assert_int_eq(journal[0], 0);
    for (size_t size = 0; size <= sizeof journal; size = next_size(size)) {
        put_file("run.db-journal", journal, size);
        expect(0, "cut short", size);
    }
}

/* ---- the door ---- */

/* A journal that has to be rolled back and names a file: what `open` makes of it. */
static int play_back(const char *name, int (*open_store)(sqlite3 **database))
{
    unsigned char journal[SIZE_MAX_BYTES] = {0};
    sqlite3 *database;
    put_header(journal, &proper);
    put_name(journal, sizeof journal, name);
    ck_assert_int_eq(system("cp whole.db run.db"), 0);
    put_file("run.db-journal", journal, sizeof journal);
    ck_assert_int_eq(open_store(&database), SQLITE_OK);
    int result = sqlite3_exec(database, "SELECT count(*) FROM run", NULL, NULL, NULL);
    sqlite3_close(database);
    return result;
}

static struct store_files files;

static int open_door(sqlite3 **database)
{
    ck_assert_int_eq(store_files_find_place(&files, "run.db", &error), 0);
    return store_files_open_door(&files, SQLITE_OPEN_READWRITE, database);
}

static int open_without_door(sqlite3 **database)
{
    return sqlite3_open("run.db", database);
}

/* Without it the file goes, so that the test means something. */
TEST(the_door_removes_nothing_else)
{
    static const char *const names[] = {"v", "run.db", "run.db-shm", "lock", "../v"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        int is_there = access(names[i], F_OK);
        ck_assert_int_ne(play_back(names[i], open_door), SQLITE_OK);
        ck_assert_int_eq(access(names[i], F_OK), is_there);
    }
    play_back("v", open_without_door);
    ck_assert_int_ne(access("v", F_OK), 0);
}

/* Each of its three ways alone, by names that are nearly its own. */
TEST(the_door_knows_its_own_names)
{
    static const char *const strange[] = {"v",
                                          "lock",
                                          "RUN.DB-journal",
                                          "run.db-jour",
                                          "run.db-journal.v",
                                          "run.db-wal/../v",
                                          "x/run.db",
                                          "run.db-",
                                          ""};
    static const int kinds[] = {SQLITE_OPEN_MAIN_DB, SQLITE_OPEN_MAIN_JOURNAL, SQLITE_OPEN_WAL,
                                SQLITE_OPEN_SUPER_JOURNAL};
    sqlite3 *database;
    int is_there;
    ck_assert_int_eq(open_door(&database), SQLITE_OK);
    sqlite3_vfs *door = &files.door;
    sqlite3_file *file = malloc((size_t)door->szOsFile);
    ck_assert_ptr_nonnull(file);
    for (size_t i = 0; i < sizeof strange / sizeof strange[0]; i++) {
        const char *name = printed("%s/%s", directory, strange[i]);
        ck_assert_int_ne(door->xDelete(door, name, 0), SQLITE_OK);
        ck_assert_int_ne(door->xAccess(door, name, SQLITE_ACCESS_EXISTS, &is_there), SQLITE_OK);
        for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
            ck_assert_int_ne(door->xOpen(door, name, file, SQLITE_OPEN_READWRITE | kinds[k], NULL),
                             SQLITE_OK);
    }
    ck_assert_int_ne(door->xDelete(door, place, 0), SQLITE_OK);
    ck_assert_int_ne(door->xOpen(door, place, file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_WAL, NULL),
                     SQLITE_OK);
    ck_assert_int_eq(door->xAccess(door, place, SQLITE_ACCESS_EXISTS, &is_there), SQLITE_OK);
    ck_assert_int_eq(is_there, 1);
    ck_assert_int_eq(access("v", F_OK) | access("run.db", F_OK), 0);
    free(file);
    sqlite3_close(database);
}

TEST(the_door_opens_nothing_else)
{
    static const char *const refused[] = {"ATTACH 'whole.db' AS other", "ATTACH 'new.db' AS other",
                                          "ATTACH 'run.db-journal' AS other",
                                          "VACUUM INTO 'new.db'"};
    sqlite3 *database;
    ck_assert_int_eq(open_door(&database), SQLITE_OK);
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        ck_assert_int_ne(sqlite3_exec(database, refused[i], NULL, NULL, NULL), SQLITE_OK);
    ck_assert_int_ne(access("new.db", F_OK), 0);
    ck_assert_int_ne(access("run.db-journal", F_OK), 0);
    sqlite3_close(database);
}

/* Temporary tables and sorting spill to files that have no name. */
TEST(the_door_leaves_temporary_files_alone)
{
    sqlite3 *database;
    ck_assert_int_eq(open_door(&database), SQLITE_OK);
    ck_assert_msg(
        sqlite3_exec(
            database,
            "PRAGMA temp_store = FILE; PRAGMA temp.cache_size = 4; PRAGMA cache_size = 4;"
            "CREATE TEMP TABLE t (x); BEGIN;"
            "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 2000)"
            " INSERT INTO t SELECT hex(zeroblob(1000)) || x FROM n;"
            "UPDATE t SET x = x || '.'; ROLLBACK; CREATE INDEX temp.i ON t (x)",
            NULL, NULL, NULL) == SQLITE_OK,
        "%s", sqlite3_errmsg(database));
    sqlite3_close(database);
}

SUITE("store_files", 120, set_up, tear_down)

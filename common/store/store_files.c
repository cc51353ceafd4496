/* SQLite believes two things of a rollback journal, before it looks at a table. Both can do harm:
 *
 *   - its last bytes may name a super-journal (of a transaction over several databases), a file
 *     that SQLite removes when it has rolled back. They are read in a journal of 17 bytes or more,
 *     whatever its first ones are. We never write to two databases at once, so no journal of ours
 *     has them;
 *   - its header says how many pages the database had, and the file is brought to that size. Ours
 *     never shrink, so a journal of ours says no more than there are.
 *
 * What a journal of ours can look like when its writer died, was cut off, or is still at work:
 *
 *   - empty, or with a header that is zeros, or whose first 12 bytes are: it does not count. So
 *     begins each one, of any size, and so ends one in the modes TRUNCATE and PERSIST;
 *   - with a whole header of at least 512 bytes: those 12 bytes are written last, after the rest
 *     was synced.
 *
 * Source: sqlite.org/fileformat2.html, section 3, and sqlite:src/pager.c (hasHotJournal,
 * writeJournalHdr, readSuperJournal).
 *
 * Behind that stands the door: whatever SQLite is led to believe, it opens, removes and asks for
 * nothing but the store's own files, each as what it is, and its nameless temporary ones. The index
 * of the write-ahead log (-shm) goes past the door, by a name that SQLite makes of the
 * database's. */
#define _XOPEN_SOURCE 700 /* realpath() */
#include "common/store/database.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/system/file.h"

/* ---- the names ---- */

struct own_name {
    const char *suffix;
    int opened_as;  /* SQLITE_OPEN_*; 0: only past the door */
    int is_removed; /* by SQLite, when it is done with it */
};
static const struct own_name own_names[] = {{"", SQLITE_OPEN_MAIN_DB, 0},
                                            {"-journal", SQLITE_OPEN_MAIN_JOURNAL, 1},
                                            {"-wal", SQLITE_OPEN_WAL, 1},
                                            {"-shm", 0, 0}};
enum { OWN_NAME_COUNT = sizeof own_names / sizeof own_names[0] };

static const struct own_name *find_own_name(sqlite3_vfs *door, const char *name)
{
    const struct store_files *files = (const struct store_files *)door;
    size_t length = strlen(files->place);
    if (strncmp(name, files->place, length))
        return NULL;
    for (int i = 0; i < OWN_NAME_COUNT; i++)
        if (!strcmp(name + length, own_names[i].suffix))
            return &own_names[i];
    return NULL;
}

/* ---- the door ---- */

static sqlite3_vfs *real_of(sqlite3_vfs *door)
{
    return ((struct store_files *)door)->real;
}

/* Files without a name are SQLite's temporary ones. */
static int door_open(sqlite3_vfs *door, const char *name, sqlite3_file *file, int flags,
                     int *flags_out)
{
    const struct own_name *own = name ? find_own_name(door, name) : NULL;
    file->pMethods = NULL;
    if (name && !(own && (own->opened_as & flags)))
        return SQLITE_CANTOPEN;
    return real_of(door)->xOpen(real_of(door), name, file, flags, flags_out);
}

static int door_delete(sqlite3_vfs *door, const char *name, int has_directory_sync)
{
    const struct own_name *own = find_own_name(door, name);
    if (!own || !own->is_removed)
        return SQLITE_IOERR_DELETE;
    return real_of(door)->xDelete(real_of(door), name, has_directory_sync);
}

static int door_access(sqlite3_vfs *door, const char *name, int flags, int *answer)
{
    if (!find_own_name(door, name))
        return SQLITE_IOERR_ACCESS;
    return real_of(door)->xAccess(real_of(door), name, flags, answer);
}

int store_files_open_door(struct store_files *files, int flags, sqlite3 **database)
{
    *database = NULL;
    files->real = sqlite3_vfs_find(NULL);
    if (!files->real)
        return SQLITE_ERROR;
    files->door = *files->real;
    files->door.zName = "store";
    files->door.xOpen = door_open;
    files->door.xDelete = door_delete;
    files->door.xAccess = door_access;
    int result = sqlite3_vfs_register(&files->door, 0);
    if (!result)
        result = sqlite3_open_v2(files->place, database, flags | SQLITE_OPEN_NOFOLLOW,
                                 files->door.zName);
    /* the connection holds it; its name does not lead to it */
    sqlite3_vfs_unregister(&files->door);
    return result;
}

/* ---- the journal ---- */

/* "Sector" is SQLite's word for the bytes that its header takes. */
enum {
    MAGIC_BYTES = 8,
    UNSURE_BYTES = 12,
    AT_PAGES = 16,
    AT_SECTOR = 20,
    AT_PAGE = 24,
    HEADER_BYTES = 28
};
static const unsigned char journal_magic[MAGIC_BYTES] = {0xd9, 0xd5, 0x05, 0xf9,
                                                         0x20, 0xa1, 0x63, 0xd7};

static int64_t u32_at(const unsigned char *bytes)
{
    return (int64_t)bytes[0] << 24 | bytes[1] << 16 | bytes[2] << 8 | bytes[3];
}

static int is_size(int64_t bytes)
{
    return bytes >= 512 && bytes <= 65536 && (bytes & (bytes - 1)) == 0;
}

/* Whether a header of which `size` bytes are there says that the journal does not count yet. */
static int is_unwritten(const unsigned char *header, int64_t size)
{
    static const unsigned char zeros[UNSURE_BYTES];
    return !memcmp(header, zeros, size < UNSURE_BYTES ? (size_t)size : UNSURE_BYTES);
}

/* The fault of a journal, NULL: nothing. `most_bytes`: of a database it may be of. */
static const char *find_fault(const unsigned char header[HEADER_BYTES],
                              const unsigned char tail[MAGIC_BYTES], int64_t size,
                              int64_t most_bytes)
{
    int64_t sector_bytes = u32_at(header + AT_SECTOR), page_bytes = u32_at(header + AT_PAGE);
    if (size > MAGIC_BYTES && !memcmp(tail, journal_magic, MAGIC_BYTES))
        return "it names another file, which would be removed";
    if (is_unwritten(header, size))
        return NULL;
    if (memcmp(header, journal_magic, MAGIC_BYTES) || !is_size(sector_bytes) ||
        !is_size(page_bytes) || size < sector_bytes)
        return "it does not begin as a journal does";
    if ((u32_at(header + AT_PAGES) - 1) * page_bytes >= most_bytes)
        return "it is of a larger file";
    return NULL;
}

/* A writer alone plays it back. Where one is at work, its database may grow behind our back. */
static int64_t find_most_bytes(const char *path, int flags)
{
    struct stat info;
    if (!(flags & SQLITE_OPEN_READWRITE))
        return INT64_MAX;
    return stat(path, &info) ? 0 : (int64_t)info.st_size;
}

static int read_journal(int file, const char *name, int64_t most_bytes, struct error *error)
{
    unsigned char header[HEADER_BYTES] = {0}, tail[MAGIC_BYTES] = {0};
    struct stat info;
    int has_failed = fstat(file, &info) || pread(file, header, sizeof header, 0) < 0;
    if (!has_failed && info.st_size > MAGIC_BYTES)
        has_failed = pread(file, tail, sizeof tail, info.st_size - MAGIC_BYTES) < 0;
    if (has_failed)
        return error_set(error, ERR_IO, "%s: cannot be read", name);
    const char *fault = find_fault(header, tail, info.st_size, most_bytes);
    return fault ? error_set(error, ERR_FORMAT, "%s: no controller wrote this journal: %s", name,
                             fault)
                 : 0;
}

static int check_journal(const char *path, int flags, struct error *error)
{
    char name[PATH_MAX];
    struct error refusal = {0};
    int file;
    snprintf(name, sizeof name, "%s-journal", path);
    int status = file_open_plain(name, O_RDONLY, &file, &refusal);
    if (status == ERR_MISSING)
        return 0;
    if (status)
        return error_set(error, status, "%s", refusal.message);
    status = read_journal(file, name, find_most_bytes(path, flags), error);
    close(file);
    return status;
}

/* ---- opening ---- */

/* SQLite writes to the files beside it even when it reads. */
static int check_plain(const char *path, int flags, struct error *error)
{
    char name[PATH_MAX];
    int status = 0;
    for (int i = 0; !status && i < OWN_NAME_COUNT; i++) {
        struct stat info;
        if (snprintf(name, sizeof name, "%s%s", path, own_names[i].suffix) >= (int)sizeof name)
            return error_set(error, ERR_LIMIT, "%.64s...: the path is too long", path);
        if (lstat(name, &info) == 0)
            status = file_check_plain(&info, i > 0 || (flags & SQLITE_OPEN_READWRITE), name, error);
        else if (i == 0 && !(flags & SQLITE_OPEN_CREATE))
            status = error_set(error, ERR_MISSING, "%s: there is no such file", path);
    }
    return status;
}

/* As SQLITE_OPEN_NOFOLLOW wants it: links above the directory are the user's. */
int store_files_find_place(struct store_files *files, const char *path, struct error *error)
{
    char directory[PATH_MAX];
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    snprintf(directory, sizeof directory, "%.*s", slash ? (int)(slash + 1 - path) : 1,
             slash ? path : ".");
    if (!realpath(directory, files->place))
        return error_set(error, ERR_MISSING, "%s: there is no such directory", directory);
    size_t used = strlen(files->place);
    if (used + strlen(name) + 2 > PATH_MAX)
        return error_set(error, ERR_LIMIT, "%.64s...: the path is too long", path);
    sprintf(files->place + used, "%s%s", files->place[used - 1] == '/' ? "" : "/", name);
    return 0;
}

int store_files_open(struct store_files *files, const char *path, int flags, sqlite3 **database,
                     struct error *error)
{
    *database = NULL;
    int status = store_files_find_place(files, path, error);
    if (!status)
        status = check_plain(path, flags, error);
    if (!status)
        status = check_journal(path, flags, error);
    if (status || !store_files_open_door(files, flags, database))
        return status;
    struct database opened = {.handle = *database, .path = path};
    return *database ? statement_fail(&opened, "cannot be opened", error)
                     : error_set(error, ERR_MEMORY, "%s: %s", path, error_text(ERR_MEMORY));
}

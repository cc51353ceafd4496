/* The files of a run store: run.db, and those that SQLite puts beside it (-journal, -wal, -shm).
 * The directory may be a stranger's: the files are checked before SQLite sees them, and SQLite
 * works through a door that knows no other names. */
#ifndef COMMON_STORE_STORE_FILES_H
#define COMMON_STORE_STORE_FILES_H

#include <limits.h>
#include <sqlite3.h>

#include "common/error.h"

/* The door of one open store: SQLite's own file system behind a check of names. It must stay where
 * it is until the database is closed. */
struct store_files {
    sqlite3_vfs door; /* first: SQLite knows this alone */
    sqlite3_vfs *real;
    char place[PATH_MAX]; /* of the database, without any link */
};

/* Opens the database `path` with SQLite's flags, if what is there can be one that a controller
 * left:
 *
 *   - it and the files beside it are regular files, not links, pipes or devices, and a file
 *     that is written has no other name;
 *   - the journal, if there is one, is such as SQLite leaves for a single database: it names no
 *     other file.
 *
 * With SQLITE_OPEN_CREATE it need not be there. 0, or ERR_* with a message that names the path;
 * *database is then to be closed all the same. */
int store_files_open(struct store_files *files, const char *path, int flags, sqlite3 **database,
                     struct error *error);

/* The second half alone: no file is looked at before. Of SQLite's result. */
int store_files_open_door(struct store_files *files, int flags, sqlite3 **database);
/* And its beginning: the path without any link. */
int store_files_find_place(struct store_files *files, const char *path, struct error *error);

#endif

/* RUN_DIR/run.db: its files, statements to it and values out of their rows, and opening it.
 *
 * The files of a run store: run.db, and those that SQLite puts beside it (-journal, -wal, -shm).
 * The directory may be a stranger's: the files are checked before SQLite sees them, and SQLite
 * works through a door that knows no other names. */
#ifndef COMMON_STORE_DATABASE_H
#define COMMON_STORE_DATABASE_H

#include <limits.h>
#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

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

/* Statements to an open run store, and values out of their rows. */

/* An open run store. Its size tells how much may be done with it, and with which
 * files: many times what it can need, so that only a damaged one gets there. */
struct database {
    sqlite3 *handle;
    const char *path; /* errors name it */
    struct store_files files;
    int64_t steps_left; /* once negative, statements end with SQLITE_INTERRUPT */
    int64_t rows_most;  /* of one table */
    int has_failed;     /* a statement did; a batch of them may be half of something */
    struct error fault; /* of the row that is read: its first value out of bounds; code 0: none */
};

/* The error of SQLite's last call, as ERR_*; the message says that `what` could not be done. */
int statement_fail(struct database *database, const char *what, struct error *error);
/* ERR_FORMAT: the rows are not what a controller wrote. */
int statement_fail_content(const struct database *database, const char *what, struct error *error);
/* To be finalized by the caller. */
int statement_prepare(struct database *database, const char *sql, sqlite3_stmt **statement,
                      struct error *error);
/* 1: a row; 0: no more; negative: an error. */
int statement_next(struct database *database, sqlite3_stmt *statement, struct error *error);

/* A row that a query gives; `error` is for what is wrong with it. */
struct row {
    sqlite3_stmt *at;
    struct database *database;
    struct error *error;
};
/* Takes a row: 0, ERR_*, or 1 if it wants no more. */
typedef int statement_read(const struct row *row, void *item);
/* Reads each row of a query, all into the same item. Its parameters ?1 and ?2, if it has them, are
 * `first` and `second`. */
int statement_each(struct database *database, const char *sql, int64_t first, int64_t second,
                   statement_read *read, void *item, struct error *error);
/* One number of a query, whose parameter, if it has one, is `argument`; `preset` if there is no row
 * or it is NULL. */
int statement_number(struct database *database, const char *sql, int64_t argument, int64_t preset,
                     int64_t *value, struct error *error);

/* A query whose rows become an array. An item has zeros before it is read. */
struct listing {
    const char *sql;
    size_t size; /* of an item */
    statement_read *read;
    void (*release)(void *item); /* what an item owns, all of it or a part; NULL: nothing */
};
/* All rows as an array to free(), after its items are released; parameters as above. `items` is a
 * pointer to the pointer; NULL and 0 on error and where there are no rows. */
int statement_list(struct database *database, const struct listing *listing, int64_t first,
                   int64_t second, void *items, int *count, struct error *error);
/* Room for one more item behind `count`, in an array that doubles. Too many are ERR_FORMAT. */
int statement_make_room(struct database *database, void *items, int count, size_t size,
                        struct error *error);

/* ERR_FORMAT: the row is not what a controller wrote. */
int row_fail(const struct row *row, const char *what);
/* "" for NULL; good until the next step. */
const char *row_text(const struct row *row, int column);
/* As clean UTF-8, cut to fit. */
void row_copy_text(char *buffer, size_t size, const struct row *row, int column);
uint64_t row_id(const struct row *row, int column); /* 0 for NULL */
/* The place of a text among so many names; -1: it is none of them. */
int row_name(const struct row *row, int column, const char *const *names, int count);
int row_is_null(const struct row *row, int column);
/* Numbers that a stranger may have written: within bounds, both included. NULL is 0. One that is
 * out of bounds, or no number, is `low`, and statement_each() ends with ERR_FORMAT, which names the
 * column. */
int64_t row_whole(const struct row *row, int column, int64_t low, int64_t high);
double row_real(const struct row *row, int column, double low, double high);
/* A column of 16 hexadecimal digits: 0 or ERR_FORMAT, without a message. */
int row_hash(const struct row *row, int column, uint64_t *hash);

/* Opening RUN_DIR/run.db, for readers and writers. The directory may be a stranger's, and so may be
 * all that is in it. */

/* Opens the file `path` with SQLite's flags, as store_files_open() does, if it is a run store of a
 * version that this program reads, and holds nothing but its tables: no view, no trigger, no column
 * of another kind.
 *
 * With SQLITE_OPEN_CREATE it need not be there and the content is not looked at. A reader gets
 * columns of its own for those that older versions lack. `database` and `path`
 * must stay where they are until the database is closed.
 *
 * 0, or ERR_* with a message that names the path, and nothing is open. */
int store_database_open(struct database *database, const char *path, int flags,
                        struct error *error);
void store_database_close(struct database *database);
/* Older stores lack the columns of newer measures: a writer adds them, empty; a reader sees them in
 * a view of its own. */
int store_database_complete(struct database *database, int is_read_only, struct error *error);
/* There are no bounds any more: it was looked through and hangs together, or it is new. */
void store_database_trust(struct database *database);

#endif

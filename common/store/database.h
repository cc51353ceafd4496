/* Opening RUN_DIR/run.db, for whoever reads or writes it. The directory may be a stranger's, and so
 * may be all that is in it. */
#ifndef COMMON_STORE_DATABASE_H
#define COMMON_STORE_DATABASE_H

#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>

#include "common/error.h"
#include "common/store/store_files.h"

/* A statement of the schema (schema.h) with the columns of the measures in it. */
void store_print_table(FILE *text, const char *sql);

/* What may be done with a store: with which files, and how much, by their size: many times what it
 * can need, so that only a damaged one gets there. */
struct store_bounds {
    struct store_files files;
    int64_t steps_left; /* once negative, statements end with SQLITE_INTERRUPT */
    int64_t rows_most;  /* of one table */
};

/* Opens the file `path` with SQLite's flags, as store_files_open() does, if it is a run store of a
 * version that this program reads, and holds nothing but its tables: no view, no trigger, no column
 * of another kind.
 *
 * With SQLITE_OPEN_CREATE it need not be there and the content is not looked at. A reader gets
 * empty tables and columns of its own for those that older versions lack. `bounds` must stay where
 * it is until the database is closed.
 *
 * 0, or ERR_* with a message that names the path, and nothing is open. */
int store_database_open(const char *path, int flags, struct store_bounds *bounds,
                        sqlite3 **database, struct error *error);
/* Older stores lack the columns of newer measures, newer ones of costs, and those of bars: a writer
 * adds them, empty; a reader sees them in a view of its own. They have all tables of this version,
 * and `bars`. */
int store_database_complete(sqlite3 *database, const char *path, int is_read_only,
                            struct error *error);
/* There are no bounds any more: it was looked through and hangs together, or it is new. */
void store_database_trust(sqlite3 *database, struct store_bounds *bounds);

#endif

/* Opening RUN_DIR/run.db, for readers and writers. The directory may be a stranger's, and so may be
 * all that is in it. */
#ifndef COMMON_STORE_DATABASE_H
#define COMMON_STORE_DATABASE_H

#include "common/store/statement.h"

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

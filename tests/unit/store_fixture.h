/* An empty run store in an open database, as the controller makes it. */
#ifndef TESTS_UNIT_STORE_FIXTURE_H
#define TESTS_UNIT_STORE_FIXTURE_H

#include <check.h>
#include <stdlib.h>

#include "common/store/database.h"
#include "common/store/schema.h"

static inline void store_fixture_make_tables(sqlite3 *database)
{
    char *sql = NULL;
    size_t length;
    FILE *text = open_memstream(&sql, &length);
    ck_assert_ptr_nonnull(text);
    for (size_t i = 0; i < sizeof store_schema / sizeof store_schema[0]; i++)
        fprintf(text, "%s;\n", store_schema[i]);
    fprintf(text, "PRAGMA application_id = %d; PRAGMA user_version = %d;", STORE_APPLICATION_ID,
            STORE_SCHEMA_VERSION);
    ck_assert_int_eq(fclose(text), 0);
    ck_assert_msg(sqlite3_exec(database, sql, NULL, NULL, NULL) == SQLITE_OK, "%s",
                  sqlite3_errmsg(database));
    free(sql);
}

#endif

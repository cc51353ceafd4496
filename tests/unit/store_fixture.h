/* An empty run store in an open database, as the controller makes it. */
#ifndef TESTS_UNIT_STORE_FIXTURE_H
#define TESTS_UNIT_STORE_FIXTURE_H

#include <check.h>
#include <stdlib.h>

#include "common/store/database.h"
#include "common/store/schema.h"

/* Makes of a store what version 16 wrote: it has costs of first trials only. */
#define STORE_FIXTURE_FIRSTS                                                                       \
    "CREATE TEMP TABLE kept AS SELECT individual, worker, attempt, wall_ms, cpu_ms, arena_bytes,"  \
    " time_s, reused, pace_least_m_s FROM costs WHERE trial = 'first'; DROP TABLE "                \
    "costs;" STORE_COSTS_TABLE_OLDER "; INSERT INTO costs SELECT * FROM kept; DROP TABLE kept;"    \
    "PRAGMA user_version = 16;"

/* What version 9 wrote: bars have a table, too, and there is an index. */
#define STORE_FIXTURE_OLDER                                                                        \
    STORE_FIXTURE_FIRSTS STORE_BARS_TABLE                                                          \
        "; INSERT INTO bars SELECT id, bar_m_s, bar_sizes_s FROM individuals WHERE bar_m_s IS "    \
        "NOT "                                                                                     \
        "NULL"                                                                                     \
        " UNION SELECT id, bar_m_s, bar_sizes_s FROM births WHERE bar_m_s IS NOT NULL;"            \
        "ALTER TABLE individuals DROP COLUMN bar_m_s;"                                             \
        "ALTER TABLE individuals DROP COLUMN bar_sizes_s;"                                         \
        "ALTER TABLE births DROP COLUMN bar_m_s;"                                                  \
        "ALTER TABLE births DROP COLUMN bar_sizes_s;"                                              \
        "CREATE INDEX individuals_generation ON individuals (generation); PRAGMA user_version = 9"

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

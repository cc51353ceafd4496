/* An empty run store in an open database, as the controller makes it. */
#ifndef TESTS_UNIT_STORE_FIXTURE_H
#define TESTS_UNIT_STORE_FIXTURE_H

#include <check.h>
#include <stdlib.h>

#include "common/creature/creature.h"
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

static inline void store_fixture_run(sqlite3 *database, const char *sql)
{
    char *message = NULL;
    sqlite3_exec(database, sql, NULL, NULL, &message);
    ck_assert_msg(!message, "%s: %s", message, sql);
}

/* Runs an INSERT whose ?1 is the genome. */
static inline void store_fixture_put_genome(sqlite3 *database, const char *sql,
                                            const struct genome *genome)
{
    struct pack_writer writer;
    sqlite3_stmt *row;
    pack_writer_init(&writer);
    genome_encode(genome, &writer);
    ck_assert_int_eq(sqlite3_prepare_v2(database, sql, -1, &row, NULL), SQLITE_OK);
    sqlite3_bind_blob(row, 1, writer.buffer.data, (int)writer.buffer.size, SQLITE_TRANSIENT);
    ck_assert_int_eq(sqlite3_step(row), SQLITE_DONE);
    sqlite3_finalize(row);
    pack_writer_deinit(&writer);
}

#endif

#include "common/store/statement.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/math/hash.h"
#include "common/text.h"

static int code_of_sqlite(int result)
{
    switch (result & 0xff) {
    case SQLITE_NOMEM:
        return ERR_MEMORY;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return ERR_BUSY;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_SCHEMA:
        return ERR_FORMAT;
    default:
        return ERR_IO;
    }
}

int statement_fail(sqlite3 *database, const char *path, const char *what, struct error *error)
{
    int result = sqlite3_extended_errcode(database);
    if (result == SQLITE_INTERRUPT)
        return error_set(error, ERR_FORMAT, "%s: damaged: what is in it has no end", path);
    int status = error_set(error, code_of_sqlite(result), "%s: %s: %s", path, what,
                           sqlite3_errmsg(database));
    /* "disk I/O error" alone says too little */
    int reason = sqlite3_system_errno(database);
    size_t used = strlen(error->message);
    if (reason && status == ERR_IO)
        snprintf(error->message + used, sizeof error->message - used, " (%s)", strerror(reason));
    return status;
}

int statement_prepare(sqlite3 *database, const char *path, const char *sql,
                      sqlite3_stmt **statement, struct error *error)
{
    ENSURE(database && sql && sql[0], "%s: no statement", path);
    if (sqlite3_prepare_v2(database, sql, -1, statement, NULL) != SQLITE_OK)
        return statement_fail(database, path, "cannot be read", error);
    return 0;
}

int statement_prepare_printed(sqlite3 *database, const char *path, statement_print *print,
                              const char *first, const char *second, sqlite3_stmt **statement,
                              struct error *error)
{
    ENSURE(print, "%s: a statement that nobody prints", path);
    char *sql = NULL;
    size_t size;
    FILE *text = open_memstream(&sql, &size);
    if (text)
        print(text, first, second);
    int status = text && !fclose(text)
                     ? statement_prepare(database, path, sql, statement, error)
                     : error_set(error, ERR_MEMORY, "%s: %s", path, error_text(ERR_MEMORY));
    free(sql);
    return status;
}

int statement_next(sqlite3_stmt *statement, const char *path, struct error *error)
{
    ENSURE(statement && path, "%s: no statement", path ? path : "");
    int result = sqlite3_step(statement);
    if (result == SQLITE_ROW)
        return 1;
    return result == SQLITE_DONE
               ? 0
               : statement_fail(sqlite3_db_handle(statement), path, "cannot be read", error);
}

int statement_number(sqlite3 *database, const char *path, const char *sql, int64_t argument,
                     int64_t preset, int64_t *value, struct error *error)
{
    sqlite3_stmt *statement;
    int status = statement_prepare(database, path, sql, &statement, error);
    if (status)
        return status;
    if (sqlite3_bind_parameter_count(statement) > 0)
        sqlite3_bind_int64(statement, 1, argument);
    status = statement_next(statement, path, error);
    *value = preset;
    if (status == 1 && sqlite3_column_type(statement, 0) != SQLITE_NULL)
        *value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return status < 0 ? status : 0;
}

int statement_fail_content(const char *path, const char *what, struct error *error)
{
    return error_set(error, ERR_FORMAT, "%s: damaged: %s", path, what);
}

int statement_make_room(const char *path, void *items, int count, size_t size, int64_t most,
                        struct error *error)
{
    void **array = items;
    ENSURE(count >= 0 && size > 0 && (count == 0) == !*array, "%d items of %zu bytes", count, size);
    if (count > most)
        return statement_fail_content(path, "it gives more rows than its size has room for", error);
    if (count == INT_MAX)
        return error_set(error, ERR_LIMIT, "%s: too many rows", path);
    if (count & (count - 1))
        return 0;
    void *grown = realloc(*array, size * (count ? 2 * (size_t)count : 1));
    if (!grown)
        return error_set(error, ERR_MEMORY, "%s: %s", path, error_text(ERR_MEMORY));
    *array = grown;
    return 0;
}

int statement_get_rows(sqlite3_stmt *statement, const char *path, int64_t most,
                       statement_read *read, size_t size, void *items, int *count,
                       struct error *error)
{
    void **array = items;
    int status;
    ENSURE(size > 0 && most >= 0 && read, "%s: rows of %zu bytes, at most %lld", path, size,
           (long long)most);
    *array = NULL;
    *count = 0;
    while ((status = statement_next(statement, path, error)) == 1) {
        status = statement_make_room(path, items, *count, size, most, error);
        if (status)
            break;
        char *item = (char *)*array + (size_t)*count * size;
        memset(item, 0, size);
        status = read(path, statement, item, error);
        if (status)
            break;
        ++*count;
    }
    sqlite3_finalize(statement);
    if (status) {
        free(*array);
        *array = NULL;
        *count = 0;
    }
    return status;
}

const char *statement_text(sqlite3_stmt *row, int column)
{
    ENSURE(column >= 0 && column < sqlite3_column_count(row), "column %d of %d", column,
           sqlite3_column_count(row));
    const unsigned char *text = sqlite3_column_text(row, column);
    return text ? (const char *)text : "";
}

void statement_copy_text(char *buffer, size_t size, sqlite3_stmt *row, int column)
{
    ENSURE(size > 0, "no room for column %d", column);
    snprintf(buffer, size, "%s", statement_text(row, column));
    text_clean(buffer, "");
}

int statement_hash(sqlite3_stmt *row, int column, uint64_t *hash)
{
    return hash_from_text(statement_text(row, column), hash);
}

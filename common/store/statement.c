#include "common/store/database.h"

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

int statement_fail(struct database *database, const char *what, struct error *error)
{
    int result = sqlite3_extended_errcode(database->handle);
    database->has_failed = 1;
    if (result == SQLITE_INTERRUPT)
        return error_set(error, ERR_FORMAT, "%s: damaged: what is in it has no end",
                         database->path);
    int status = error_set(error, code_of_sqlite(result), "%s: %s: %s", database->path, what,
                           sqlite3_errmsg(database->handle));
    /* "disk I/O error" alone says too little */
    int reason = sqlite3_system_errno(database->handle);
    size_t used = strlen(error->message);
    if (reason && status == ERR_IO)
        snprintf(error->message + used, sizeof error->message - used, " (%s)", strerror(reason));
    return status;
}

int statement_fail_content(const struct database *database, const char *what, struct error *error)
{
    return error_set(error, ERR_FORMAT, "%s: damaged: %s", database->path, what);
}

int statement_prepare(struct database *database, const char *sql, sqlite3_stmt **statement,
                      struct error *error)
{
    ENSURE(database->handle && sql[0], "%s: no statement, or not open", database->path);
    if (sqlite3_prepare_v2(database->handle, sql, -1, statement, NULL) != SQLITE_OK)
        return statement_fail(database, "cannot be read", error);
    return 0;
}

int statement_next(struct database *database, sqlite3_stmt *statement, struct error *error)
{
    ENSURE(sqlite3_db_handle(statement) == database->handle, "%s: a statement to another database",
           database->path);
    int result = sqlite3_step(statement);
    if (result == SQLITE_ROW)
        return 1;
    return result == SQLITE_DONE ? 0 : statement_fail(database, "cannot be read", error);
}

int statement_each(struct database *database, const char *sql, int64_t first, int64_t second,
                   statement_read *read, void *item, struct error *error)
{
    const int64_t numbers[] = {first, second};
    sqlite3_stmt *row;
    int status = statement_prepare(database, sql, &row, error);
    if (status)
        return status;
    int count = sqlite3_bind_parameter_count(row);
    ENSURE(count <= 2, "%s: %d parameters: %.60s", database->path, count, sql);
    for (int i = 0; i < count; i++)
        sqlite3_bind_int64(row, i + 1, numbers[i]);
    int is_enough = 0;
    while (!is_enough && (status = statement_next(database, row, error)) == 1) {
        database->fault.code = 0;
        is_enough = status = read(database, row, item, error);
        if (database->fault.code)
            is_enough = status = error_set(error, ERR_FORMAT, "%s", database->fault.message);
    }
    sqlite3_finalize(row);
    return status > 0 ? 0 : status;
}

static int read_number(struct database *database, sqlite3_stmt *row, void *item,
                       struct error *error)
{
    if (!statement_is_null(row, 0))
        *(int64_t *)item = sqlite3_column_int64(row, 0);
    return 1;
}

int statement_number(struct database *database, const char *sql, int64_t argument, int64_t preset,
                     int64_t *value, struct error *error)
{
    *value = preset;
    return statement_each(database, sql, argument, 0, read_number, value, error);
}

/* ---- lists ---- */

int statement_make_room(struct database *database, void *items, int count, size_t size,
                        struct error *error)
{
    void **array = items;
    ENSURE(count >= 0 && size > 0 && (count == 0) == !*array, "%d items of %zu bytes", count, size);
    if (count > database->rows_most)
        return statement_fail_content(database, "it gives more rows than its size has room for",
                                      error);
    if (count == INT_MAX)
        return error_set(error, ERR_LIMIT, "%s: too many rows", database->path);
    if (count & (count - 1))
        return 0;
    void *grown = realloc(*array, size * (count ? 2 * (size_t)count : 1));
    if (!grown)
        return error_set(error, ERR_MEMORY, "%s: %s", database->path, error_text(ERR_MEMORY));
    *array = grown;
    return 0;
}

/* A list that is being read. */
struct reading {
    const struct listing *listing;
    void **items;
    int *count;
};

static int read_item(struct database *database, sqlite3_stmt *row, void *context,
                     struct error *error)
{
    const struct reading *reading = context;
    size_t size = reading->listing->size;
    int status = statement_make_room(database, reading->items, *reading->count, size, error);
    if (status)
        return status;
    char *item = (char *)*reading->items + (size_t)(*reading->count)++ * size;
    memset(item, 0, size);
    return reading->listing->read(database, row, item, error);
}

int statement_list(struct database *database, const struct listing *listing, int64_t first,
                   int64_t second, void *items, int *count, struct error *error)
{
    void **array = items;
    struct reading reading = {listing, items, count};
    *array = NULL;
    *count = 0;
    int status = statement_each(database, listing->sql, first, second, read_item, &reading, error);
    if (!status)
        return 0;
    for (int i = 0; i < *count && listing->release; i++)
        listing->release((char *)*array + (size_t)i * listing->size);
    free(*array);
    *array = NULL;
    *count = 0;
    return status;
}

/* ---- values ---- */

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

uint64_t statement_id(sqlite3_stmt *row, int column)
{
    return (uint64_t)sqlite3_column_int64(row, column);
}

int statement_name(sqlite3_stmt *row, int column, const char *const *names, int count)
{
    const char *text = statement_text(row, column);
    int i = 0;
    while (i < count && strcmp(names[i], text) != 0)
        i++;
    return i < count ? i : -1;
}

/* Notes the row's first value out of bounds. */
static void note_fault(struct database *database, sqlite3_stmt *row, int column, double low,
                       double high)
{
    char what[160];
    if (database->fault.code)
        return;
    snprintf(what, sizeof what, "column %.60s is %.30s, expected %.17g to %.17g",
             sqlite3_column_name(row, column), statement_text(row, column), low, high);
    text_clean(what, "");
    statement_fail_content(database, what, &database->fault);
}

int64_t statement_whole(struct database *database, sqlite3_stmt *row, int column, int64_t low,
                        int64_t high)
{
    int64_t value = sqlite3_column_int64(row, column);
    if (value >= low && value <= high)
        return value;
    note_fault(database, row, column, (double)low, (double)high);
    return low;
}

double statement_real(struct database *database, sqlite3_stmt *row, int column, double low,
                      double high)
{
    double value = sqlite3_column_double(row, column);
    if (value >= low && value <= high)
        return value;
    note_fault(database, row, column, low, high);
    return low;
}

int statement_is_null(sqlite3_stmt *row, int column)
{
    return sqlite3_column_type(row, column) == SQLITE_NULL;
}

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
    struct row row = {.database = database, .error = error};
    int status = statement_prepare(database, sql, &row.at, error);
    if (status)
        return status;
    int count = sqlite3_bind_parameter_count(row.at);
    ENSURE(count <= 2, "%s: %d parameters: %.60s", database->path, count, sql);
    for (int i = 0; i < count; i++)
        sqlite3_bind_int64(row.at, i + 1, numbers[i]);
    int is_enough = 0;
    while (!is_enough && (status = statement_next(database, row.at, error)) == 1) {
        database->fault.code = 0;
        is_enough = status = read(&row, item);
        if (database->fault.code)
            is_enough = status = error_set(error, ERR_FORMAT, "%s", database->fault.message);
    }
    sqlite3_finalize(row.at);
    return status > 0 ? 0 : status;
}

static int read_number(const struct row *row, void *item)
{
    if (!row_is_null(row, 0))
        *(int64_t *)item = sqlite3_column_int64(row->at, 0);
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

static int read_item(const struct row *row, void *context)
{
    const struct reading *reading = context;
    size_t size = reading->listing->size;
    int status =
        statement_make_room(row->database, reading->items, *reading->count, size, row->error);
    if (status)
        return status;
    char *item = (char *)*reading->items + (size_t)(*reading->count)++ * size;
    memset(item, 0, size);
    return reading->listing->read(row, item);
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

int row_fail(const struct row *row, const char *what)
{
    return statement_fail_content(row->database, what, row->error);
}

const char *row_text(const struct row *row, int column)
{
    ENSURE(column >= 0 && column < sqlite3_column_count(row->at), "column %d of %d", column,
           sqlite3_column_count(row->at));
    const unsigned char *text = sqlite3_column_text(row->at, column);
    return text ? (const char *)text : "";
}

void row_copy_text(char *buffer, size_t size, const struct row *row, int column)
{
    ENSURE(size > 0, "no room for column %d", column);
    snprintf(buffer, size, "%s", row_text(row, column));
    text_clean(buffer, "");
}

int row_hash(const struct row *row, int column, uint64_t *hash)
{
    return hash_from_text(row_text(row, column), hash);
}

uint64_t row_id(const struct row *row, int column)
{
    return (uint64_t)sqlite3_column_int64(row->at, column);
}

int row_name(const struct row *row, int column, const char *const *names, int count)
{
    const char *text = row_text(row, column);
    int i = 0;
    while (i < count && strcmp(names[i], text) != 0)
        i++;
    return i < count ? i : -1;
}

/* Notes the row's first value out of bounds. */
static void note_fault(const struct row *row, int column, double low, double high)
{
    char what[160];
    if (row->database->fault.code)
        return;
    snprintf(what, sizeof what, "column %.60s is %.30s, expected %.17g to %.17g",
             sqlite3_column_name(row->at, column), row_text(row, column), low, high);
    text_clean(what, "");
    statement_fail_content(row->database, what, &row->database->fault);
}

int64_t row_whole(const struct row *row, int column, int64_t low, int64_t high)
{
    int64_t value = sqlite3_column_int64(row->at, column);
    if (value >= low && value <= high)
        return value;
    note_fault(row, column, (double)low, (double)high);
    return low;
}

double row_real(const struct row *row, int column, double low, double high)
{
    double value = sqlite3_column_double(row->at, column);
    if (value >= low && value <= high)
        return value;
    note_fault(row, column, low, high);
    return low;
}

int row_is_null(const struct row *row, int column)
{
    return sqlite3_column_type(row->at, column) == SQLITE_NULL;
}

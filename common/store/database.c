/* The harm that the content of a run.db can do to its reader, and the means against it:
 *
 *   - views, triggers, generated columns, checks, indices of expressions: they run when our
 *     tables are read or written. So there is nothing but our tables, by their very text;
 *   - pages that lead to the same page again and again: few bytes are endless rows. So steps are
 *     counted.
 *
 * SQLITE_DBCONFIG_DEFENSIVE and the like stand behind that. The harm that its files can do is the
 * business of store_files.c. */

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/judge/measures.h"
#include "common/store/schema.h"
#include "common/store/database.h"
#include "common/math/hash.h"
#include "common/text.h"

/* A genome has some kilobytes, a creature of a seed some more. */
#define VALUE_BYTES_MAX (16 << 20)
/* Steps of SQLite's machine, of some 20 ns each: the handler is called after so many of one
 * statement; what a statement costs before its first; how many a store may need. A row of the
 * smallest kind has ten bytes. */
#define STEPS_AT_ONCE       100
#define STEPS_PER_STATEMENT 1000
#define STEPS_ANYWAY        20000000
#define STEPS_PER_BYTE      100
#define BYTES_PER_ROW       5

/* ---- content ---- */

/* The definition (a column or a constraint) at `text`, up to a comma or the closing bracket outside
 * of all brackets in it: its length. */
static size_t definition_length(const char *text)
{
    int depth = 0;
    size_t i;
    for (i = 0; text[i] && (depth > 0 || (text[i] != ',' && text[i] != ')')); i++)
        depth += (text[i] == '(') - (text[i] == ')');
    return i;
}

/* Behind the first bracket of a statement; NULL if it has none. */
static const char *first_definition(const char *sql)
{
    const char *bracket = strchr(sql, '(');
    return bracket ? bracket + 1 + strspn(bracket + 1, " ") : NULL;
}

static const char *next_definition(const char *definition)
{
    const char *end = definition + definition_length(definition);
    return *end == ',' ? end + 1 + strspn(end + 1, " ") : NULL;
}

/* A column that was added later says no more than its name and type, with which its definition in
 * `sql` begins. */
static int has_definition(const char *sql, const char *definition)
{
    size_t length = definition_length(definition);
    for (const char *own = first_definition(sql); own; own = next_definition(own))
        if (!strncmp(own, definition, length) &&
            (definition_length(own) == length || own[length] == ' '))
            return 1;
    return 0;
}

/* Whether a table is one of ours: its head and its end are the same and each of its columns is one
 * of ours. Some may be missing, and their order is another where a column was added later. A
 * statement for anything else is the same text. */
static int is_made_of(const char *theirs, const char *ours)
{
    const char *definition = first_definition(theirs), *own = first_definition(ours), *last = NULL;
    if (strncmp(ours, "CREATE TABLE ", 13) || !definition || !own)
        return !strcmp(theirs, ours);
    if (definition - theirs != own - ours || strncmp(theirs, ours, (size_t)(own - ours)))
        return 0;
    for (; definition; last = definition, definition = next_definition(definition))
        if (!has_definition(ours, definition))
            return 0;
    const char *end = last + definition_length(last), *tail = strrchr(ours, ')');
    return !strcmp(end, tail);
}

static int is_ours(const char *sql)
{
    for (size_t i = 0; i < sizeof store_schema / sizeof store_schema[0]; i++)
        if (is_made_of(sql, store_schema[i]))
            return 1;
    return 0;
}

static int fail(struct database *database, struct error *error)
{
    return statement_fail(database, "cannot be opened", error);
}

/* SQLite's own indices have no text. */
static int check_object(const struct row *row, void *unused)
{
    if (row_is_null(row, 2) || is_ours(row_text(row, 2)))
        return 0;
    return error_set(row->error, ERR_FORMAT,
                     "%s: it has a %.16s %.64s, which this program does not make",
                     row->database->path, row_text(row, 0), row_text(row, 1));
}

static int check_identity(struct database *database, struct error *error)
{
    int64_t application = 0, version = 0;
    if (statement_number(database, "PRAGMA application_id", 0, 0, &application, error) ||
        statement_number(database, "PRAGMA user_version", 0, 0, &version, error))
        return error->code;
    if (application != STORE_APPLICATION_ID)
        return error_set(error, ERR_FORMAT, "%s: not a run store of this program", database->path);
    if (version < STORE_SCHEMA_OLDEST || version > STORE_SCHEMA_VERSION)
        return error_set(error, ERR_VERSION,
                         "%s: is a run of %s version of Bestiary (schema version %" PRId64
                         ", this one reads %d to %d)",
                         database->path, version < STORE_SCHEMA_OLDEST ? "an older" : "a newer",
                         version, STORE_SCHEMA_OLDEST, STORE_SCHEMA_VERSION);
    return 0;
}

struct column {
    const char *name, *type, *older; /* what a reader sees instead in a store that lacks it */
};

static int complete_table(struct database *database, const char *table,
                          const struct column *columns, int count, int is_read_only,
                          struct error *error)
{
    char view[4096], sql[160];
    int status = 0, missing = 0;
    snprintf(view, sizeof view, "CREATE TEMP VIEW %s AS SELECT *", table);
    for (int i = 0; i < count && !status; i++) {
        int64_t has_column = 0;
        snprintf(sql, sizeof sql, "SELECT count(*) FROM pragma_table_info('%s') WHERE name = '%s'",
                 table, columns[i].name);
        status = statement_number(database, sql, 0, 0, &has_column, error);
        if (status || has_column)
            continue;
        missing++;
        text_append(view, sizeof view, ", %s AS %s", columns[i].older, columns[i].name);
        snprintf(sql, sizeof sql, "ALTER TABLE %s ADD COLUMN %s %s", table, columns[i].name,
                 columns[i].type);
        if (!is_read_only && sqlite3_exec(database->handle, sql, NULL, NULL, NULL))
            status = fail(database, error);
    }
    text_append(view, sizeof view, " FROM main.%s", table);
    if (!status && missing && is_read_only &&
        sqlite3_exec(database->handle, view, NULL, NULL, NULL))
        status = fail(database, error);
    return status;
}

int store_database_complete(struct database *database, int is_read_only, struct error *error)
{
    static const struct column epochs[] = {{"died_of_strain", "INTEGER", "0"}},
                               lives[] = {{"depth_m", "REAL", "NULL"},
                                          {"drawn_m2", "REAL", "NULL"},
                                          {"drawn_parts", "INTEGER", "NULL"}};
    struct column measures[MEASURE_COUNT];
    for (int i = 0; i < MEASURE_COUNT; i++)
        measures[i] = (struct column){measure_table[i].name, "REAL", "NULL"};
    return complete_table(database, "individuals", measures, MEASURE_COUNT, is_read_only, error) ||
                   complete_table(database, "epochs", epochs, 1, is_read_only, error) ||
                   complete_table(database, "lives", lives, 3, is_read_only, error)
               ? error->code
               : 0;
}

/* ---- opening ---- */

static int count_steps(void *context)
{
    int64_t *left = context;
    *left -= STEPS_AT_ONCE;
    return *left < 0;
}

static int count_statement(unsigned event, void *context, void *statement, void *text)
{
    int64_t *left = context;
    *left -= STEPS_PER_STATEMENT;
    if (*left < 0)
        sqlite3_interrupt(sqlite3_db_handle(statement));
    return 0;
}

/* Counts the bytes of the file and of its log. */
static int64_t count_bytes(const char *path)
{
    char name[PATH_MAX];
    struct stat info;
    int64_t bytes = stat(path, &info) ? 0 : (int64_t)info.st_size;
    if (snprintf(name, sizeof name, "%s-wal", path) < (int)sizeof name && !stat(name, &info))
        bytes += (int64_t)info.st_size;
    return bytes;
}

static void guard(struct database *database)
{
    int64_t bytes = count_bytes(database->files.place);
    static const struct {
        int option, value;
    } options[] = {{SQLITE_DBCONFIG_DEFENSIVE, 1},
                   {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                   {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                   {SQLITE_DBCONFIG_ENABLE_VIEW, 0}};
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        sqlite3_db_config(database->handle, options[i].option, options[i].value, NULL);
    sqlite3_extended_result_codes(database->handle, 1);
    sqlite3_busy_timeout(database->handle, STORE_BUSY_TIMEOUT_MS);
    sqlite3_limit(database->handle, SQLITE_LIMIT_LENGTH, VALUE_BYTES_MAX);
    database->steps_left = STEPS_ANYWAY + STEPS_PER_BYTE * bytes;
    database->rows_most = bytes / BYTES_PER_ROW;
    sqlite3_progress_handler(database->handle, STEPS_AT_ONCE, count_steps, &database->steps_left);
    sqlite3_trace_v2(database->handle, SQLITE_TRACE_STMT, count_statement, &database->steps_left);
}

int store_database_open(struct database *database, const char *path, int flags, struct error *error)
{
    /* One thread of a program uses the library. Without these two its locks take 6 % of a
     * controller's instructions. The first call counts; later ones are refused, and that is all
     * right. */
    sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    memset(database, 0, sizeof *database);
    database->path = path;
    int status = store_files_open(&database->files, path, flags, &database->handle, error);
    if (!status)
        guard(database);
    if (!status && !(flags & SQLITE_OPEN_CREATE))
        status = check_identity(database, error);
    if (!status && !(flags & SQLITE_OPEN_CREATE))
        status = statement_each(database, "SELECT type, name, sql FROM sqlite_schema", 0, 0,
                                check_object, NULL, error);
    if (!status && (flags & SQLITE_OPEN_READONLY))
        status = store_database_complete(database, 1, error);
    if (status)
        store_database_close(database);
    return status;
}

void store_database_close(struct database *database)
{
    sqlite3_close(database->handle);
    database->handle = NULL;
}

void store_database_trust(struct database *database)
{
    database->rows_most = INT64_MAX;
    sqlite3_progress_handler(database->handle, 0, NULL, NULL);
    sqlite3_trace_v2(database->handle, 0, NULL, NULL);
}

/* ---- statements ---- */

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
    if (reason && status == ERR_IO)
        text_append(error->message, sizeof error->message, " (%s)", strerror(reason));
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

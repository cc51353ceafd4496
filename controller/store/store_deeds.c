/* The run store: what people did to worlds of a preserve. */
#include "controller/store/store_private.h"

#include <inttypes.h>

/* How many are recorded for an epoch. */
static int count_deeds(struct store *store, uint32_t world, uint32_t epoch, int64_t *count,
                       struct error *error)
{
    char sql[120];
    snprintf(sql, sizeof sql, "SELECT count(*) FROM deeds WHERE world = %" PRIu32 " AND epoch = ?",
             world);
    return store_query_for(store, sql, epoch, 0, count, error);
}

static int bind_genome(struct store *store, sqlite3_stmt *statement, int column,
                       const struct genome *genome, struct error *error)
{
    if (!genome) {
        sqlite3_bind_null(statement, column);
        return 0;
    }
    pack_writer_clear(&store->scratch);
    genome_encode(genome, &store->scratch);
    if (store->scratch.has_failed)
        return error_set(error, ERR_MEMORY, "%s", error_text(ERR_MEMORY));
    sqlite3_bind_blob64(statement, column, store->scratch.buffer.data, store->scratch.buffer.size,
                        SQLITE_TRANSIENT);
    return 0;
}

static int copy_row(struct store *store, sqlite3_stmt *row, struct error *error)
{
    sqlite3_stmt *statement;
    int status = store_prepare(store, "INSERT INTO deeds VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                               &statement, error);
    if (status)
        return status;
    for (int i = 0; i < sqlite3_column_count(row); i++)
        sqlite3_bind_value(statement, i + 1, sqlite3_column_value(row, i));
    status = store_run_statement(store, statement, error);
    sqlite3_finalize(statement);
    return status;
}

int store_copy_deeds(struct store *store, struct store *from, struct error *error)
{
    sqlite3_stmt *row;
    int status = store_begin(store, error);
    if (!status)
        status = store_prepare(from,
                               "SELECT world, epoch, number, deed, life, x_m, y_m, energy_uj,"
                               " genome FROM deeds ORDER BY world, epoch, number",
                               &row, error);
    if (status)
        return status;
    while (!status && (status = statement_next(row, from->path, error)) == 1)
        status = copy_row(store, row, error);
    sqlite3_finalize(row);
    return status;
}

int store_put_deed(struct store *store, uint32_t world, uint32_t epoch,
                   const struct epoch_deed *deed, struct error *error)
{
    sqlite3_stmt *statement;
    int64_t count;
    int status = count_deeds(store, world, epoch, &count, error);
    if (!status && count >= EPOCH_DEEDS_MAX)
        status = error_set(error, ERR_LIMIT, "more than %d deeds in an epoch of world %" PRIu32,
                           EPOCH_DEEDS_MAX, world);
    if (!status)
        status = store_begin(store, error);
    if (!status)
        status = store_prepare(store, "INSERT INTO deeds VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                               &statement, error);
    if (status)
        return status;
    sqlite3_bind_int64(statement, 1, world);
    sqlite3_bind_int64(statement, 2, epoch);
    sqlite3_bind_int64(statement, 3, count);
    store_bind_text(statement, 4, epoch_deed_names[deed->kind]);
    sqlite3_bind_int64(statement, 5, (sqlite3_int64)deed->life);
    sqlite3_bind_double(statement, 6, deed->x_m);
    sqlite3_bind_double(statement, 7, deed->y_m);
    sqlite3_bind_int64(statement, 8, deed->energy_uj);
    status = bind_genome(store, statement, 9, deed->genome, error);
    if (!status)
        status = store_run_statement(store, statement, error);
    sqlite3_finalize(statement);
    return status;
}

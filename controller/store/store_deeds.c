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
    return statement_number(&store->database, sql, epoch, 0, count, error);
}

enum { DEED_COLUMNS = 9 };

static int put_row(struct store *store, const struct store_value *values, struct error *error)
{
    return store_run(store, "INSERT INTO deeds VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", values, error);
}

static int copy_row(struct database *from, sqlite3_stmt *row, void *store, struct error *error)
{
    const struct store_value values[DEED_COLUMNS + 1] = {
        store_whole(sqlite3_column_int64(row, 0)),
        store_whole(sqlite3_column_int64(row, 1)),
        store_whole(sqlite3_column_int64(row, 2)),
        store_text(statement_text(row, 3)),
        store_whole(sqlite3_column_int64(row, 4)),
        store_real(sqlite3_column_double(row, 5)),
        store_real(sqlite3_column_double(row, 6)),
        store_whole(sqlite3_column_int64(row, 7)),
        store_bytes(sqlite3_column_blob(row, 8), (size_t)sqlite3_column_bytes(row, 8)),
        STORE_ROW_END};
    return put_row(store, values, error);
}

int store_copy_deeds(struct store *store, struct store *from, struct error *error)
{
    return statement_each(&from->database,
                          "SELECT world, epoch, number, deed, life, x_m, y_m, energy_uj,"
                          " genome FROM deeds ORDER BY world, epoch, number",
                          0, 0, copy_row, store, error);
}

int store_put_deed(struct store *store, uint32_t world, uint32_t epoch,
                   const struct epoch_deed *deed, struct error *error)
{
    int64_t count;
    ENSURE(deed->kind >= 0 && deed->kind < DEED_COUNT, "deed of kind %d", deed->kind);
    int status = count_deeds(store, world, epoch, &count, error);
    if (!status && count >= EPOCH_DEEDS_MAX)
        status = error_set(error, ERR_LIMIT, "more than %d deeds in an epoch of world %" PRIu32,
                           EPOCH_DEEDS_MAX, world);
    struct store_value values[DEED_COLUMNS + 1] = {store_whole(world),
                                                   store_whole(epoch),
                                                   store_whole(count),
                                                   store_text(epoch_deed_names[deed->kind]),
                                                   store_whole((int64_t)deed->life),
                                                   store_real(deed->x_m),
                                                   store_real(deed->y_m),
                                                   store_whole(deed->energy_uj),
                                                   store_bytes(NULL, 0),
                                                   STORE_ROW_END};
    if (!status && deed->genome)
        status = store_pack_genome(store, deed->genome, &values[DEED_COLUMNS - 1], error);
    return status ? status : put_row(store, values, error);
}

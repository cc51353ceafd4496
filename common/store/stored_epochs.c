/* See stored_epochs.h. */
#include "common/store/stored_epochs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/store/statement.h"

/* An egg that leaves in an epoch arrives this many epochs later, so that no world waits for the
 * slowest. */
#define TRAVEL_EPOCHS 2

int stored_epoch_find_state(sqlite3 *database, const char *path, uint32_t world, uint32_t most,
                            uint32_t *epoch, struct error *error)
{
    char sql[128];
    int64_t found = -1;
    snprintf(sql, sizeof sql,
             "SELECT max(epoch) FROM states WHERE world = %" PRIu32 " AND epoch <= ?", world);
    int status = statement_number(database, path, sql, most, -1, &found, error);
    if (!status && (found < 0 || found > most))
        status = error_set(error, ERR_MISSING, "%s: world %" PRIu32 " has no state", path, world);
    *epoch = (uint32_t)found;
    return status;
}

static int copy_blob(sqlite3_stmt *row, int column, struct packed_bytes *packed,
                     struct error *error)
{
    const void *bytes = sqlite3_column_blob(row, column);
    size_t length = (size_t)sqlite3_column_bytes(row, column);
    if (bytes && packed_bytes_set(packed, bytes, length) != 0)
        return error_set(error, ERR_MEMORY, "%s", error_text(ERR_MEMORY));
    return 0;
}

/* The statement for a world and an epoch. */
static int prepare(sqlite3 *database, const char *path, const char *sql, int64_t world,
                   int64_t epoch, sqlite3_stmt **row, struct error *error)
{
    int status = statement_prepare(database, path, sql, row, error);
    if (!status) {
        sqlite3_bind_int64(*row, 1, world);
        sqlite3_bind_int64(*row, 2, epoch);
    }
    return status;
}

static int fill_state(sqlite3 *database, const char *path, struct epoch_order *order,
                      struct error *error)
{
    sqlite3_stmt *row;
    int status = prepare(database, path, "SELECT state FROM states WHERE world = ? AND epoch = ?",
                         order->world, (int64_t)order->epoch - 1, &row, error);
    if (status)
        return status;
    status = statement_next(row, path, error);
    if (status == 1)
        status = copy_blob(row, 0, &order->state, error);
    sqlite3_finalize(row);
    return status;
}

static int fill_arrivals(sqlite3 *database, const char *path, struct epoch_order *order,
                         struct error *error)
{
    sqlite3_stmt *row;
    int status = prepare(database, path,
                         "SELECT traveller FROM epochs WHERE drifted_to = ? AND epoch = ?"
                         " ORDER BY world",
                         order->world, (int64_t)order->epoch - TRAVEL_EPOCHS, &row, error);
    if (status)
        return status;
    while ((status = statement_next(row, path, error)) == 1) {
        if (order->arrival_count == EPOCH_ARRIVALS_MAX)
            status = statement_fail_content(path, "too many arrive in a world", error);
        else if ((status = copy_blob(row, 0, &order->arrivals[order->arrival_count], error)) == 0)
            order->arrival_count++;
        if (status)
            break;
    }
    sqlite3_finalize(row);
    return status;
}

static int fill_without(sqlite3 *database, const char *path, struct epoch_order *order,
                        struct error *error)
{
    sqlite3_stmt *row;
    int status = prepare(database, path, "SELECT without FROM epochs WHERE world = ? AND epoch = ?",
                         order->world, order->epoch, &row, error);
    if (status)
        return status;
    status = statement_next(row, path, error);
    const char *at = status == 1 ? statement_text(row, 0) : "";
    for (char *end; *at && order->without_count < EPOCH_WITHOUT_MAX; at = end) {
        uint64_t id = strtoull(at, &end, 10);
        if (end == at)
            break;
        order->without[order->without_count++] = id;
    }
    sqlite3_finalize(row);
    return status < 0 ? status : 0;
}

int stored_epoch_fill_order(sqlite3 *database, const char *path, struct epoch_order *order,
                            struct error *error)
{
    int status = fill_state(database, path, order, error);
    if (!status)
        status = fill_arrivals(database, path, order, error);
    return status ? status : fill_without(database, path, order, error);
}

int stored_epoch_get_digest(sqlite3 *database, const char *path, uint32_t world, uint32_t epoch,
                            uint64_t *digest, struct error *error)
{
    sqlite3_stmt *row;
    int status = prepare(database, path, "SELECT digest FROM epochs WHERE world = ? AND epoch = ?",
                         world, epoch, &row, error);
    if (status)
        return status;
    status = statement_next(row, path, error);
    if (status == 0)
        status =
            error_set(error, ERR_MISSING, "%s: world %" PRIu32 " has not come to epoch %" PRIu32,
                      path, world, epoch);
    else if (status == 1)
        status = statement_hash(row, 0, digest)
                     ? statement_fail_content(path, "epochs.digest is no digest", error)
                     : 0;
    sqlite3_finalize(row);
    return status;
}

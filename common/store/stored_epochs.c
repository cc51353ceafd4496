/* See stored_epochs.h. */
#include "common/store/stored_epochs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/creature/creature.h"
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

static int find_deed(const char *name)
{
    for (int i = 0; i < DEED_COUNT; i++)
        if (!strcmp(epoch_deed_names[i], name))
            return i;
    return -1;
}

static int copy_genome(sqlite3_stmt *row, int column, const char *path, struct epoch_deed *deed,
                       struct error *error)
{
    const void *bytes = sqlite3_column_blob(row, column);
    if ((deed->kind == DEED_put) != (bytes != NULL))
        return statement_fail_content(path, "a deed with a genome too many, or without", error);
    if (!bytes)
        return 0;
    deed->genome = malloc(sizeof *deed->genome);
    if (!deed->genome)
        return error_set(error, ERR_MEMORY, "%s", error_text(ERR_MEMORY));
    int status =
        genome_decode_bytes(deed->genome, bytes, (size_t)sqlite3_column_bytes(row, column), error);
    if (!status)
        return 0;
    free(deed->genome);
    deed->genome = NULL;
    return error_prefix(error, "%s: deeds", path);
}

static int read_deed(sqlite3_stmt *row, const char *path, struct epoch_deed *deed,
                     struct error *error)
{
    *deed = (struct epoch_deed){.kind = find_deed(statement_text(row, 0)),
                                .life = (uint64_t)sqlite3_column_int64(row, 1),
                                .x_m = sqlite3_column_double(row, 2),
                                .y_m = sqlite3_column_double(row, 3),
                                .energy_uj = sqlite3_column_int64(row, 4)};
    if (deed->kind < 0 || deed->life > INT64_MAX || deed->energy_uj < 0 ||
        deed->energy_uj > DEED_ENERGY_MAX_UJ)
        return statement_fail_content(path, "deeds has what is no deed", error);
    return copy_genome(row, 5, path, deed, error);
}

static int fill_deeds(sqlite3 *database, const char *path, struct epoch_order *order,
                      struct error *error)
{
    sqlite3_stmt *row;
    int status = prepare(database, path,
                         "SELECT deed, life, x_m, y_m, energy_uj, genome FROM deeds"
                         " WHERE world = ? AND epoch = ? ORDER BY number",
                         order->world, order->epoch, &row, error);
    if (status)
        return status;
    while ((status = statement_next(row, path, error)) == 1) {
        if (order->deed_count == EPOCH_DEEDS_MAX)
            status = statement_fail_content(path, "too many deeds in an epoch", error);
        else if ((status = read_deed(row, path, &order->deeds[order->deed_count], error)) == 0)
            order->deed_count++;
        if (status)
            break;
    }
    sqlite3_finalize(row);
    return status;
}

/* Whom the last deed that was about it protects. Of more than EPOCH_SPARED_MAX the last. */
static int fill_spared(sqlite3 *database, const char *path, struct epoch_order *order,
                       struct error *error)
{
    sqlite3_stmt *row;
    int status = prepare(database, path,
                         "SELECT life FROM deeds AS d WHERE world = ?1 AND epoch <= ?2"
                         " AND deed = 'protect' AND NOT EXISTS (SELECT 1 FROM deeds AS e"
                         " WHERE e.world = ?1 AND e.life = d.life AND e.epoch <= ?2"
                         " AND e.deed IN ('protect', 'expose')"
                         " AND (e.epoch, e.number) > (d.epoch, d.number))"
                         " ORDER BY epoch DESC, number DESC",
                         order->world, order->epoch, &row, error);
    if (status)
        return status;
    while (order->spared_count < EPOCH_SPARED_MAX &&
           (status = statement_next(row, path, error)) == 1)
        order->spared[order->spared_count++] = (uint64_t)sqlite3_column_int64(row, 0);
    sqlite3_finalize(row);
    return status < 0 ? status : 0;
}

int stored_epoch_fill_order(sqlite3 *database, const char *path, struct epoch_order *order,
                            struct error *error)
{
    int status = fill_state(database, path, order, error);
    if (!status)
        status = fill_arrivals(database, path, order, error);
    if (!status)
        status = fill_deeds(database, path, order, error);
    if (!status)
        status = fill_spared(database, path, order, error);
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

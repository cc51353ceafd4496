/* Epochs of a preserve in a run store. */
#include "common/store/stored.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/creature/creature.h"
#include "common/store/database.h"

/* An egg that leaves in an epoch arrives this many epochs later, so that no world waits for the
 * slowest. */
#define TRAVEL_EPOCHS 2

int stored_epoch_find_state(struct database *database, uint32_t world, uint32_t most,
                            uint32_t *epoch, struct error *error)
{
    ENSURE(world < EPOCH_WORLDS_MAX, "world %" PRIu32, world);
    char sql[128];
    int64_t found = -1;
    snprintf(sql, sizeof sql,
             "SELECT max(epoch) FROM states WHERE world = %" PRIu32 " AND epoch <= ?", world);
    int status = statement_number(database, sql, most, -1, &found, error);
    if (!status && (found < 0 || found > most))
        status = error_set(error, ERR_MISSING, "%s: world %" PRIu32 " has no state", database->path,
                           world);
    if (!status && found > EPOCH_MOST)
        status = statement_fail_content(database, "states are of epochs that no run has", error);
    *epoch = (uint32_t)found;
    return status;
}

int stored_copy_bytes(const struct row *row, int column, struct packed_bytes *packed)
{
    const void *bytes = sqlite3_column_blob(row->at, column);
    size_t length = (size_t)sqlite3_column_bytes(row->at, column);
    return bytes && packed_bytes_set(packed, bytes, length) ? error_memory(row->error) : 0;
}

/* ---- an order ---- */

static int read_state(const struct row *row, void *item)
{
    struct epoch_order *order = item;
    int status = stored_copy_bytes(row, 0, &order->state);
    return status ? status : 1;
}

static int read_arrival(const struct row *row, void *item)
{
    struct epoch_order *order = item;
    if (order->arrival_count == EPOCH_ARRIVALS_MAX)
        return row_fail(row, "too many arrive in a world");
    int status = stored_copy_bytes(row, 0, &order->arrivals[order->arrival_count]);
    order->arrival_count += !status;
    return status;
}

static int read_without(const struct row *row, void *item)
{
    struct epoch_order *order = item;
    const char *at = row_text(row, 0);
    for (char *end; *at && order->without_count < EPOCH_WITHOUT_MAX; at = end) {
        uint64_t id = strtoull(at, &end, 10);
        if (end == at)
            break;
        order->without[order->without_count++] = id;
    }
    return 0;
}

static int copy_genome(const struct row *row, int column, struct epoch_deed *deed)
{
    const void *bytes = sqlite3_column_blob(row->at, column);
    if ((deed->kind == DEED_put) != (bytes != NULL))
        return row_fail(row, "a deed with a genome too many, or without");
    if (!bytes)
        return 0;
    deed->genome = malloc(sizeof *deed->genome);
    if (!deed->genome)
        return error_memory(row->error);
    int status = genome_decode_bytes(deed->genome, bytes,
                                     (size_t)sqlite3_column_bytes(row->at, column), row->error);
    if (!status)
        return 0;
    free(deed->genome);
    deed->genome = NULL;
    return error_prefix(row->error, "%s: deeds", row->database->path);
}

static int read_deed(const struct row *row, void *item)
{
    struct epoch_order *order = item;
    struct epoch_deed *deed = &order->deeds[order->deed_count];
    if (order->deed_count == EPOCH_DEEDS_MAX)
        return row_fail(row, "too many deeds in an epoch");
    *deed = (struct epoch_deed){.kind = row_name(row, 0, epoch_deed_names, DEED_COUNT)};
    if (deed->kind < 0)
        return row_fail(row, "deeds has what is no deed");
    deed->life = (uint64_t)row_whole(row, 1, 0, INT64_MAX);
    deed->x_m = row_real(row, 2, -DEED_PLACE_MOST_M, DEED_PLACE_MOST_M);
    deed->y_m = row_real(row, 3, -DEED_PLACE_MOST_M, DEED_PLACE_MOST_M);
    deed->energy_uj = row_whole(row, 4, 0, DEED_ENERGY_MAX_UJ);
    int status = copy_genome(row, 5, deed);
    order->deed_count += !status;
    return status;
}

/* Reads the last EPOCH_SPARED_MAX. */
static int read_spared(const struct row *row, void *item)
{
    struct epoch_order *order = item;
    ENSURE(order->spared_count < EPOCH_SPARED_MAX, "%d are spared already", order->spared_count);
    order->spared[order->spared_count++] = row_id(row, 0);
    return order->spared_count == EPOCH_SPARED_MAX;
}

/* The fields read of a world's epoch that is so many epochs earlier. */
static const struct {
    const char *sql;
    int earlier;
    statement_read *read;
} contents[] = {
    {"SELECT state FROM states WHERE world = ? AND epoch = ?", 1, read_state},
    {"SELECT traveller FROM epochs WHERE drifted_to = ? AND epoch = ? ORDER BY world",
     TRAVEL_EPOCHS, read_arrival},
    {"SELECT deed, life, x_m, y_m, energy_uj, genome FROM deeds WHERE world = ? AND epoch = ?"
     " ORDER BY number",
     0, read_deed},
    /* the creatures whose last deed protects them */
    {"SELECT life FROM deeds AS d WHERE world = ?1 AND epoch <= ?2"
     " AND deed = 'protect' AND NOT EXISTS (SELECT 1 FROM deeds AS e"
     " WHERE e.world = ?1 AND e.life = d.life AND e.epoch <= ?2"
     " AND e.deed IN ('protect', 'expose')"
     " AND (e.epoch, e.number) > (d.epoch, d.number))"
     " ORDER BY epoch DESC, number DESC",
     0, read_spared},
    {"SELECT without FROM epochs WHERE world = ? AND epoch = ?", 0, read_without}};

int stored_epoch_fill_order(struct database *database, struct epoch_order *order,
                            struct error *error)
{
    ENSURE(order->epoch > 0 && order->state.length == 0 && order->arrival_count == 0 &&
               order->deed_count == 0,
           "an order of epoch %" PRIu32 " that is not empty", order->epoch);
    int status = 0;
    for (size_t i = 0; !status && i < sizeof contents / sizeof contents[0]; i++)
        status = statement_each(database, contents[i].sql, order->world,
                                (int64_t)order->epoch - contents[i].earlier, contents[i].read,
                                order, error);
    return status;
}

/* ---- what came of it ---- */

struct digest {
    uint64_t value;
    int is_there;
};

static int read_digest(const struct row *row, void *item)
{
    struct digest *digest = item;
    digest->is_there = 1;
    return row_hash(row, 0, &digest->value) ? row_fail(row, "epochs.digest is no digest") : 0;
}

int stored_epoch_get_digest(struct database *database, uint32_t world, uint32_t epoch,
                            uint64_t *value, struct error *error)
{
    struct digest digest = {0, 0};
    int status = statement_each(database, "SELECT digest FROM epochs WHERE world = ? AND epoch = ?",
                                world, epoch, read_digest, &digest, error);
    *value = digest.value;
    if (!status && !digest.is_there)
        status =
            error_set(error, ERR_MISSING, "%s: world %" PRIu32 " has not come to epoch %" PRIu32,
                      database->path, world, epoch);
    return status;
}

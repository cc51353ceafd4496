/* The run store: runs of a preserve. */
#include "controller/store/store_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/store/stored_epochs.h"

static void print_without(const struct epoch_order *order, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < order->without_count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%" PRIu64, i > 0 ? " " : "",
                                 order->without[i]);
}

static int put_row(struct store *store, const struct store_epoch *epoch, struct error *error)
{
    sqlite3_stmt *statement;
    char without[EPOCH_WITHOUT_MAX * 24];
    const struct packed_bytes *traveller = &epoch->end->traveller;
    int status = store_get_hot(store, HOT_PUT_EPOCH, &statement, error);
    if (status)
        return status;
    print_without(epoch->order, without, sizeof without);
    sqlite3_bind_int64(statement, 1, epoch->world);
    sqlite3_bind_int64(statement, 2, epoch->epoch);
    store_bind_hash(statement, 3, epoch->digest);
    store_bind_text(statement, 4, without);
    store_bind_known(statement, 5, epoch->drifted_to >= 0, epoch->drifted_to);
    if (traveller->bytes)
        sqlite3_bind_blob64(statement, 6, traveller->bytes, traveller->length, SQLITE_TRANSIENT);
    else
        sqlite3_bind_null(statement, 6);
    sqlite3_bind_double(statement, 7, epoch->cpu_ms);
    for (int i = 0; i < EPOCH_FACT_COUNT; i++)
        sqlite3_bind_int64(statement, 8 + i, epoch->end->facts[i]);
    return store_run_statement(store, statement, error);
}

static int put_life(struct store *store, const struct store_epoch *epoch,
                    const struct epoch_life *life, struct error *error)
{
    sqlite3_stmt *statement;
    int status = store_get_hot(store, HOT_PUT_LIFE, &statement, error);
    if (status)
        return status;
    sqlite3_bind_int64(statement, 1, (sqlite3_int64)life->id);
    sqlite3_bind_int64(statement, 2, epoch->world);
    store_bind_id(statement, 3, life->mother);
    store_bind_id(statement, 4, life->father);
    sqlite3_bind_int64(statement, 5, life->family);
    sqlite3_bind_int64(statement, 6, life->generation);
    sqlite3_bind_int(statement, 7, life->is_hunter);
    sqlite3_bind_double(statement, 8, (double)life->born_tick * epoch->tick_s);
    sqlite3_bind_null(statement, 9);
    sqlite3_bind_null(statement, 10);
    if (life->died_tick >= 0)
        sqlite3_bind_double(statement, 9, (double)life->died_tick * epoch->tick_s);
    if (life->cause >= 0)
        store_bind_text(statement, 10, epoch_cause_names[life->cause]);
    sqlite3_bind_int64(statement, 11, life->children);
    sqlite3_bind_int64(statement, 12, life->part_count);
    sqlite3_bind_double(statement, 13, life->area_m2);
    sqlite3_bind_double(statement, 14, life->way_m);
    for (int i = 0; i < EPOCH_FOOD_COUNT; i++)
        sqlite3_bind_int64(statement, 15 + i, life->gained_uj[i]);
    sqlite3_bind_int64(statement, 15 + EPOCH_FOOD_COUNT, (sqlite3_int64)life->topology);
    sqlite3_bind_null(statement, 16 + EPOCH_FOOD_COUNT);
    if (life->preyed_tick >= 0)
        sqlite3_bind_double(statement, 16 + EPOCH_FOOD_COUNT,
                            (double)life->preyed_tick * epoch->tick_s);
    return store_run_statement(store, statement, error);
}

static int put_state(struct store *store, const struct store_epoch *epoch, int64_t kept_every,
                     struct error *error)
{
    sqlite3_stmt *statement;
    char sql[360];
    const struct packed_bytes *state = &epoch->end->state;
    int status =
        store_prepare(store, "INSERT OR REPLACE INTO states VALUES (?, ?, ?)", &statement, error);
    if (status)
        return status;
    sqlite3_bind_int64(statement, 1, epoch->world);
    sqlite3_bind_int64(statement, 2, epoch->epoch);
    sqlite3_bind_blob64(statement, 3, state->bytes, state->length, SQLITE_TRANSIENT);
    status = store_run_statement(store, statement, error);
    sqlite3_finalize(statement);
    snprintf(sql, sizeof sql,
             "DELETE FROM states WHERE world = %" PRIu32 " AND epoch + 1 < %" PRIu32
             " AND epoch %% %" PRId64 " <> 0 AND NOT EXISTS (SELECT 1 FROM firsts WHERE"
             " firsts.world = states.world AND firsts.epoch = states.epoch + 1)",
             epoch->world, epoch->epoch, kept_every);
    return status ? status : store_execute(store, sql, error);
}

int store_put_epoch(struct store *store, const struct store_epoch *epoch, int64_t kept_every,
                    struct error *error)
{
    int status = store_begin(store, error);
    if (!status)
        status = put_row(store, epoch, error);
    for (int i = 0; !status && i < epoch->end->life_count; i++)
        status = put_life(store, epoch, &epoch->end->lives[i], error);
    return status ? status : put_state(store, epoch, kept_every, error);
}

int store_close_epoch(struct store *store, uint32_t epoch, int world_count, struct error *error)
{
    char sql[400];
    snprintf(sql, sizeof sql,
             "INSERT OR REPLACE INTO generations SELECT %" PRIu32 ", %" PRId64 ", 1, %d, %" PRId64
             ", max(living),"
             " (SELECT living FROM epochs WHERE epoch = %" PRIu32 " ORDER BY living LIMIT 1"
             " OFFSET %d), avg(living), NULL FROM epochs WHERE epoch = %" PRIu32,
             epoch, store->branch, world_count, ((int64_t)epoch + 1) * world_count, epoch,
             world_count / 2, epoch);
    int status = store_begin(store, error);
    if (!status)
        status = store_execute(store, sql, error);
    if (!status)
        status = store_set_run_value(store, "finished", "0", error);
    if (!status)
        store->generation = epoch;
    return status;
}

int store_finish_epochs(struct store *store, struct error *error)
{
    int status = store_begin(store, error);
    if (!status)
        status = store_set_run_value(store, "finished", "1", error);
    return status ? status : store_commit(store, error);
}

int store_get_last_epoch(struct store *store, uint32_t world, int64_t *epoch, struct error *error)
{
    return store_query_for(store, "SELECT max(epoch) FROM epochs WHERE world = ?", world, -1, epoch,
                           error);
}

int store_get_order(struct store *store, struct epoch_order *order, struct error *error)
{
    return stored_epoch_fill_order(store->database, store->path, order, error);
}

static int read_epoch(const char *path, sqlite3_stmt *row, void *item, struct error *error)
{
    struct store_epoch_row *epoch = item;
    epoch->world = (uint32_t)sqlite3_column_int64(row, 0);
    epoch->epoch = (uint32_t)sqlite3_column_int64(row, 1);
    for (int i = 0; i < EPOCH_FACT_COUNT; i++)
        epoch->facts[i] = sqlite3_column_int64(row, 2 + i);
    return 0;
}

int store_get_epochs(struct store *store, uint32_t first, struct store_epoch_row **rows, int *count,
                     struct error *error)
{
    sqlite3_stmt *row;
    *rows = NULL;
    *count = 0;
    int status = store_prepare(store,
                               "SELECT world, epoch"
#define X(name) ", " #name
                               EPOCH_FACTS(X)
#undef X
                                   " FROM epochs WHERE epoch >= ? ORDER BY epoch, world",
                               &row, error);
    if (status)
        return status;
    sqlite3_bind_int64(row, 1, first);
    return store_get_rows(store, row, read_epoch, sizeof **rows, rows, count, error);
}

static int find_cause(const char *name)
{
    for (int i = 0; i < EPOCH_CAUSE_COUNT; i++)
        if (!strcmp(epoch_cause_names[i], name))
            return i;
    return -1;
}

static int read_life(const char *path, sqlite3_stmt *row, void *item, struct error *error)
{
    struct store_life *life = item;
    life->id = (uint64_t)sqlite3_column_int64(row, 0);
    life->mother = (uint64_t)sqlite3_column_int64(row, 1);
    life->world = (uint32_t)sqlite3_column_int64(row, 2);
    life->family = sqlite3_column_int64(row, 3);
    life->generation = sqlite3_column_int64(row, 4);
    life->children = sqlite3_column_int64(row, 5);
    life->is_hunter = sqlite3_column_int64(row, 6) != 0;
    life->born_s = sqlite3_column_double(row, 7);
    life->is_dead = sqlite3_column_type(row, 8) != SQLITE_NULL;
    life->died_s = sqlite3_column_double(row, 8);
    life->cause = find_cause(statement_text(row, 9));
    life->part_count = sqlite3_column_int64(row, 10);
    life->area_m2 = sqlite3_column_double(row, 11);
    life->way_m = sqlite3_column_double(row, 12);
    for (int i = 0; i < EPOCH_FOOD_COUNT; i++)
        life->gained_uj[i] = sqlite3_column_int64(row, 13 + i);
    return 0;
}

int store_get_lives(struct store *store, struct store_life **lives, int *count, struct error *error)
{
    sqlite3_stmt *row;
    *lives = NULL;
    *count = 0;
    int status =
        store_prepare(store,
                      "SELECT id, mother, world, family, generation, children, hunter,"
                      " born_s, died_s, cause, parts, area_m2, way_m, plants_uj, carrion_uj,"
                      " living_uj FROM lives ORDER BY id",
                      &row, error);
    return status ? status
                  : store_get_rows(store, row, read_life, sizeof **lives, lives, count, error);
}

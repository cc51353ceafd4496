/* The run store: runs of a preserve. */
#include "controller/store/store_private.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/text.h"

/* Columns of `epochs` before the facts. */
enum { OWN_COLUMNS = 7 };
#define NAME(name) ", " #name
#define MARK(name) ", ?"

static int put_row(struct store *store, const struct store_epoch *epoch, struct error *error)
{
    char without[EPOCH_WITHOUT_MAX * 24] = "";
    const struct packed_bytes *traveller = &epoch->end->traveller;
    for (int i = 0; i < epoch->order->without_count; i++)
        text_append(without, sizeof without, "%s%" PRIu64, i > 0 ? " " : "",
                    epoch->order->without[i]);
    struct store_value values[OWN_COLUMNS + EPOCH_FACT_COUNT + 1] = {
        STORE_WHOLE(epoch->world),
        STORE_WHOLE(epoch->epoch),
        STORE_HASH(epoch->digest),
        STORE_TEXT(without),
        STORE_KNOWN(epoch->drifted_to >= 0, epoch->drifted_to),
        STORE_BYTES(traveller->bytes, traveller->length),
        STORE_REAL(epoch->cpu_ms)};
    for (int i = 0; i < EPOCH_FACT_COUNT; i++)
        values[OWN_COLUMNS + i] = STORE_WHOLE(epoch->end->facts[i]);
    return store_run(store,
                     "INSERT OR REPLACE INTO epochs (world, epoch, digest, without, drifted_to,"
                     " traveller, cpu_ms" EPOCH_FACTS(NAME) ") VALUES (?, ?, ?, ?, ?, ?,"
                                                            " ?" EPOCH_FACTS(MARK) ")",
                     values, error);
}

/* When a tick was; NULL for none. */
static struct store_value time_of(const struct store_epoch *epoch, int64_t tick)
{
    return tick >= 0 ? STORE_REAL((double)tick * epoch->tick_s) : STORE_KNOWN(0, 0);
}

static int put_life(struct store *store, const struct store_epoch *epoch,
                    const struct epoch_life *life, struct error *error)
{
    ENSURE(life->cause < EPOCH_CAUSE_COUNT, "life %" PRIu64 ": cause %" PRId64, life->id,
           life->cause);
    const struct store_value values[] = {
        STORE_WHOLE((int64_t)life->id),
        STORE_WHOLE(epoch->world),
        STORE_ID(life->mother),
        STORE_ID(life->father),
        STORE_WHOLE(life->family),
        STORE_WHOLE(life->generation),
        STORE_WHOLE(life->is_hunter),
        STORE_REAL((double)life->born_tick * epoch->tick_s),
        time_of(epoch, life->died_tick),
        life->cause >= 0 ? STORE_TEXT(epoch_cause_names[life->cause]) : STORE_KNOWN(0, 0),
        STORE_WHOLE(life->children),
        STORE_KNOWN(life->part_count > 0, life->part_count), // else as in the row before
        STORE_REAL(life->area_m2),
        STORE_REAL(life->way_m),
        STORE_WHOLE(life->gained_uj[0]),
        STORE_WHOLE(life->gained_uj[1]),
        STORE_WHOLE(life->gained_uj[2]),
        STORE_KNOWN(life->topology > 0, (int64_t)life->topology),
        time_of(epoch, life->preyed_tick),
        STORE_REAL(life->depth_m),
        STORE_REAL(life->drawn_m2),
        STORE_WHOLE(life->drawn_parts),
        STORE_ROW_END};
    _Static_assert(EPOCH_FOOD_COUNT == 3, "a column for each food");
    return store_run(
        store,
        "INSERT OR REPLACE INTO lives (id, world, mother, father, family, generation, hunter,"
        " born_s, died_s, cause, children, parts, area_m2, way_m, plants_uj, carrion_uj,"
        " living_uj, topology, preyed_s, depth_m, drawn_m2, drawn_parts) VALUES (?, ?, ?, ?, ?, ?, "
        "?, ?, ?, ?, ?,"
        " coalesce(?, (SELECT parts FROM lives WHERE id = ?1), 0), ?, ?, ?, ?, ?,"
        " coalesce(?, (SELECT topology FROM lives WHERE id = ?1)),"
        " coalesce(?, (SELECT preyed_s FROM lives WHERE id = ?1)), ?, ?, ?)",
        values, error);
}

/* The first of a tree of parts in a world stays. */
static int put_form(struct store *store, const struct store_epoch *epoch,
                    const struct epoch_form *form, struct error *error)
{
    return store_run(store, "INSERT OR IGNORE INTO forms VALUES (?, ?, ?, ?)",
                     STORE_ROW(STORE_WHOLE(epoch->world), STORE_WHOLE((int64_t)form->topology),
                               STORE_WHOLE((int64_t)form->life),
                               STORE_BYTES(form->egg.bytes, form->egg.length)),
                     error);
}

static int put_state(struct store *store, const struct store_epoch *epoch, int64_t kept_every,
                     struct error *error)
{
    const struct packed_bytes *state = &epoch->end->state;
    const struct store_value values[] = {STORE_WHOLE(epoch->world), STORE_WHOLE(epoch->epoch),
                                         STORE_BYTES(state->bytes, state->length), STORE_ROW_END};
    int status = store_run(store, "INSERT OR REPLACE INTO states VALUES (?, ?, ?)", values, error);
    return status ? status
                  : store_run(store,
                              "DELETE FROM states WHERE world = ? AND epoch + 1 < ? AND epoch % ?"
                              " <> 0 AND NOT EXISTS (SELECT 1 FROM firsts WHERE"
                              " firsts.world = states.world AND firsts.epoch = states.epoch + 1)",
                              STORE_ROW(values[0], values[1], STORE_WHOLE(kept_every)), error);
}

int store_put_epoch(struct store *store, const struct store_epoch *epoch, int64_t kept_every,
                    struct error *error)
{
    ENSURE(epoch->end && epoch->order && epoch->tick_s > 0, "an epoch without an end");
    ENSURE(epoch->world < EPOCH_WORLDS_MAX && epoch->drifted_to < EPOCH_WORLDS_MAX,
           "world %" PRIu32 ", to %d", epoch->world, epoch->drifted_to);
    ENSURE(kept_every > 0, "each %" PRId64 "-th state", kept_every);
    int status = put_row(store, epoch, error);
    for (int i = 0; !status && i < epoch->end->life_count; i++)
        status = put_life(store, epoch, &epoch->end->lives[i], error);
    for (int i = 0; !status && i < epoch->end->form_count; i++)
        status = put_form(store, epoch, &epoch->end->forms[i], error);
    return status ? status : put_state(store, epoch, kept_every, error);
}

int store_close_epoch(struct store *store, uint32_t epoch, int world_count, struct error *error)
{
    ENSURE(world_count > 0 && (int64_t)epoch >= store->generation,
           "epoch %" PRIu32 " of %d worlds after %" PRId64, epoch, world_count, store->generation);
    int status = store_run(
        store,
        "INSERT OR REPLACE INTO generations SELECT ?1, ?2, 1, ?3, (?1 + 1) * ?3,"
        " max(living), (SELECT living FROM epochs WHERE epoch = ?1 ORDER BY living LIMIT 1"
        " OFFSET ?3 / 2), avg(living), NULL FROM epochs WHERE epoch = ?1",
        STORE_ROW(STORE_WHOLE(epoch), STORE_WHOLE(store->branch), STORE_WHOLE(world_count)), error);
    if (!status)
        status = store_set_run_value(store, "finished", "0", error);
    if (!status)
        store->generation = epoch;
    return status;
}

int store_finish_epochs(struct store *store, struct error *error)
{
    int status = store_set_run_value(store, "finished", "1", error);
    return status ? status : store_commit(store, error);
}

int store_get_last_epoch(struct store *store, uint32_t world, int64_t *epoch, struct error *error)
{
    int status = statement_number(&store->database, "SELECT max(epoch) FROM epochs WHERE world = ?",
                                  world, -1, epoch, error);
    if (!status && (*epoch < -1 || *epoch > EPOCH_MOST))
        status = statement_fail_content(&store->database, "epochs has one that no run has", error);
    return status;
}

static int read_epoch(const struct row *row, void *item)
{
    struct store_epoch_row *epoch = item;
    epoch->world = (uint32_t)row_whole(row, 0, 0, EPOCH_WORLDS_MAX - 1);
    epoch->epoch = (uint32_t)row_whole(row, 1, 0, EPOCH_MOST);
    for (int i = 0; i < EPOCH_FACT_COUNT; i++)
        epoch->facts[i] = row_whole(row, 2 + i, 0, EPOCH_FACT_MOST);
    return 0;
}

int store_get_epochs(struct store *store, uint32_t first, struct store_epoch_row **rows, int *count,
                     struct error *error)
{
    static const struct listing listing = {
        "SELECT world, epoch" EPOCH_FACTS(
            NAME) " FROM epochs WHERE epoch >= ? ORDER BY epoch, world",
        sizeof **rows, read_epoch, NULL};
    return statement_list(&store->database, &listing, first, 0, rows, count, error);
}

static int read_life(const struct row *row, void *item)
{
    struct store_life *life = item;
    int at = 0;
    life->id = (uint64_t)row_whole(row, at++, 0, INT64_MAX);
    life->mother = (uint64_t)row_whole(row, at++, 0, INT64_MAX);
    life->world = (uint32_t)row_whole(row, at++, 0, EPOCH_WORLDS_MAX - 1);
    life->family = row_whole(row, at++, 0, INT32_MAX);
    life->generation = row_whole(row, at++, 0, INT32_MAX);
    life->children = row_whole(row, at++, 0, INT32_MAX);
    life->is_hunter = (int)row_whole(row, at++, 0, 1);
    life->born_s = row_real(row, at++, 0, EPOCH_TIME_MOST_S);
    life->is_dead = !row_is_null(row, at);
    life->died_s = row_real(row, at++, 0, EPOCH_TIME_MOST_S);
    life->area_m2 = row_real(row, at++, 0, LIFE_MOST);
    life->way_m = row_real(row, at++, 0, LIFE_MOST);
    life->part_count = row_whole(row, at++, 0, INT32_MAX);
    for (int i = 0; i < EPOCH_FOOD_COUNT; i++)
        life->gained_uj[i] = row_whole(row, at++, 0, EPOCH_FACT_MOST);
    life->cause = row_name(row, at++, epoch_cause_names, EPOCH_CAUSE_COUNT);
    life->topology = row_whole(row, at++, 0, INT64_MAX);
    life->depth_m = row_is_null(row, at) ? NAN : row_real(row, at, -LIFE_MOST, LIFE_MOST);
    life->drawn_m2 = row_real(row, ++at, 0, LIFE_MOST);
    life->drawn_parts = row_whole(row, ++at, 0, INT32_MAX);
    return 0;
}

static int read_egg(const struct row *row, void *egg)
{
    packed_bytes_deinit(egg);
    return stored_copy_bytes(row, 0, egg);
}

int store_get_form(struct store *store, uint64_t life, struct packed_bytes *egg,
                   struct error *error)
{
    return statement_each(&store->database, "SELECT egg FROM forms WHERE life = ?", (int64_t)life,
                          0, read_egg, egg, error);
}

#define SELECT_LIVES                                                                               \
    "SELECT id, mother, world, family, generation, children, hunter,"                              \
    " born_s, died_s, area_m2, way_m, parts, plants_uj, carrion_uj, living_uj,"                    \
    " cause, topology, depth_m, drawn_m2, drawn_parts FROM lives"

int store_get_lives(struct store *store, struct store_life **lives, int *count, struct error *error)
{
    static const struct listing listing = {SELECT_LIVES " ORDER BY id", sizeof **lives, read_life,
                                           NULL};
    return statement_list(&store->database, &listing, 0, 0, lives, count, error);
}

int store_get_life(struct store *store, uint64_t id, struct store_life *life, struct error *error)
{
    *life = (struct store_life){.id = 0};
    int status = statement_each(&store->database, SELECT_LIVES " WHERE id = ?", (int64_t)id, 0,
                                read_life, life, error);
    if (!status && life->id != id)
        status = error_set(error, ERR_MISSING, "%s: creature %" PRIu64 " has not hatched",
                           store->database.path, id);
    return status;
}

/* ---- deeds of people ---- */

enum { DEED_COLUMNS = 9 };

static int put_deed_row(struct store *store, const struct store_value *values, struct error *error)
{
    return store_run(store, "INSERT INTO deeds VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", values, error);
}

static int copy_row(const struct row *row, void *store)
{
    const struct store_value values[DEED_COLUMNS + 1] = {
        STORE_WHOLE(sqlite3_column_int64(row->at, 0)),
        STORE_WHOLE(sqlite3_column_int64(row->at, 1)),
        STORE_WHOLE(sqlite3_column_int64(row->at, 2)),
        STORE_TEXT(row_text(row, 3)),
        STORE_WHOLE(sqlite3_column_int64(row->at, 4)),
        STORE_REAL(sqlite3_column_double(row->at, 5)),
        STORE_REAL(sqlite3_column_double(row->at, 6)),
        STORE_WHOLE(sqlite3_column_int64(row->at, 7)),
        STORE_BYTES(sqlite3_column_blob(row->at, 8), (size_t)sqlite3_column_bytes(row->at, 8)),
        STORE_ROW_END};
    return put_deed_row(store, values, row->error);
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
    char sql[120];
    ENSURE(deed->kind >= 0 && deed->kind < DEED_COUNT, "deed of kind %d", deed->kind);
    snprintf(sql, sizeof sql, "SELECT count(*) FROM deeds WHERE world = %" PRIu32 " AND epoch = ?",
             world);
    int status = statement_number(&store->database, sql, epoch, 0, &count, error);
    if (!status && count >= EPOCH_DEEDS_MAX)
        status = error_set(error, ERR_LIMIT, "more than %d deeds in an epoch of world %" PRIu32,
                           EPOCH_DEEDS_MAX, world);
    struct store_value values[DEED_COLUMNS + 1] = {STORE_WHOLE(world),
                                                   STORE_WHOLE(epoch),
                                                   STORE_WHOLE(count),
                                                   STORE_TEXT(epoch_deed_names[deed->kind]),
                                                   STORE_WHOLE((int64_t)deed->life),
                                                   STORE_REAL(deed->x_m),
                                                   STORE_REAL(deed->y_m),
                                                   STORE_WHOLE(deed->energy_uj),
                                                   STORE_BYTES(NULL, 0),
                                                   STORE_ROW_END};
    if (!status && deed->genome)
        status = store_pack_genome(store, deed->genome, &values[DEED_COLUMNS - 1], error);
    return status ? status : put_deed_row(store, values, error);
}

/* ---- what was there for the first time ---- */

/* Candidates for the first event of an epoch: its kind, and when. ?2 to ?3 is the epoch's time.
 * Earlier events are nothing new. Topologies are new beside those of all founders. Ways of
 * living are told by what the dead ate: a fifth of it flesh, or half. */
#define EATEN    "(plants_uj * 1.0 + carrion_uj + living_uj)"
#define FLESH    "((carrion_uj * 1.0 + living_uj) / " EATEN ")"
#define WAY      "CASE WHEN " FLESH " >= 0.5 THEN 'eats flesh' ELSE 'eats both' END"
#define IN(time) time " > ?2 AND " time " <= ?3"
static const char *const candidates[FIRST_COUNT] = {
    [FIRST_PREDATION] =
        "SELECT 'eats the living' AS what, world, preyed_s AS time_s, id"
        " FROM lives WHERE " IN("preyed_s") " AND NOT EXISTS"
                                            " (SELECT 1 FROM lives WHERE preyed_s <= ?2)",
    [FIRST_TOPOLOGY] =
        "SELECT printf('%016x', topology) AS what, world, born_s AS time_s, id"
        " FROM lives AS new WHERE " IN(
            "born_s") " AND generation > 0 AND topology IS NOT NULL AND NOT EXISTS"
                      " (SELECT 1 FROM lives AS old WHERE old.topology = new.topology"
                      " AND (old.born_s <= ?2 OR old.generation = 0))",
    [FIRST_TROPHIC_LEVEL] =
        "SELECT " WAY " AS what, world, died_s AS time_s, id FROM lives"
        " WHERE " IN("died_s") " AND " EATEN " > 0 AND " FLESH " >= 0.2"
                               " AND " WAY " NOT IN (SELECT " WAY " FROM lives WHERE died_s <= ?2"
                               " AND " EATEN " > 0 AND " FLESH " >= 0.2)",
};

/* An epoch's last tick is at its end, rounded. */
#define ROUNDING_S 1e-6

static int record(struct store *store, enum epoch_first kind, uint32_t epoch, struct error *error)
{
    char sql[1500];
    snprintf(sql, sizeof sql,
             "INSERT OR IGNORE INTO firsts SELECT ?1, what, world, ?4, time_s, id FROM (%s)"
             " ORDER BY time_s, world, id",
             candidates[kind]);
    return store_run(store, sql,
                     STORE_ROW(STORE_TEXT(epoch_first_names[kind]),
                               STORE_REAL(((double)epoch - 1) * EPOCH_S + ROUNDING_S),
                               STORE_REAL((double)epoch * EPOCH_S + ROUNDING_S),
                               STORE_WHOLE(epoch)),
                     error);
}

static int read_first(const struct row *row, void *item)
{
    struct store_first *first = item;
    row_copy_text(first->kind, sizeof first->kind, row, 0);
    row_copy_text(first->what, sizeof first->what, row, 1);
    first->world = (uint32_t)row_whole(row, 2, 0, EPOCH_WORLDS_MAX - 1);
    first->epoch = (uint32_t)row_whole(row, 3, 0, EPOCH_MOST);
    first->time_s = row_real(row, 4, 0, EPOCH_TIME_MOST_S);
    first->life = (uint64_t)row_whole(row, 5, 0, INT64_MAX);
    return 0;
}

int store_find_firsts(struct store *store, uint32_t epoch, unsigned kinds,
                      struct store_first **firsts, int *count, struct error *error)
{
    ENSURE(kinds < 1u << FIRST_COUNT, "kinds %#x in epoch %u", kinds, (unsigned)epoch);
    static const struct listing listing = {
        "SELECT kind, what, world, epoch, time_s, life FROM firsts"
        " WHERE epoch = ? ORDER BY time_s, kind, what",
        sizeof **firsts, read_first, NULL};
    *firsts = NULL;
    *count = 0;
    int status = 0;
    for (int kind = 0; kind < FIRST_COUNT && !status; kind++)
        if (kinds & 1u << kind)
            status = record(store, (enum epoch_first)kind, epoch, error);
    return status ? status
                  : statement_list(&store->database, &listing, epoch, 0, firsts, count, error);
}

/* The run store: what was there for the first time in a run of a preserve. */
#include "controller/store/store_private.h"

#include <stdio.h>

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
                     STORE_ROW(store_text(epoch_first_names[kind]),
                               store_real(((double)epoch - 1) * EPOCH_S + ROUNDING_S),
                               store_real((double)epoch * EPOCH_S + ROUNDING_S),
                               store_whole(epoch)),
                     error);
}

static int read_first(struct database *database, sqlite3_stmt *row, void *item, struct error *error)
{
    struct store_first *first = item;
    statement_copy_text(first->kind, sizeof first->kind, row, 0);
    statement_copy_text(first->what, sizeof first->what, row, 1);
    int64_t world = 0, epoch = 0, life = 0;
    int status = statement_whole(database, row, 2, 0, EPOCH_WORLDS_MAX - 1, &world, error);
    if (!status)
        status = statement_whole(database, row, 3, 0, EPOCH_MOST, &epoch, error);
    if (!status)
        status = statement_real(database, row, 4, 0, EPOCH_TIME_MOST_S, &first->time_s, error);
    if (!status)
        status = statement_whole(database, row, 5, 0, INT64_MAX, &life, error);
    first->world = (uint32_t)world;
    first->epoch = (uint32_t)epoch;
    first->life = (uint64_t)life;
    return status;
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

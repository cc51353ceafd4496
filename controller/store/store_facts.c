/* The run store: whole runs as arrays, for statistics: fitness by generation, everybody without
 * genome and words, members, events. A run of 300 x 50 has 12 000 creatures and 15 000 members;
 * each takes 200 bytes or less. */
#include "controller/store/store_private.h"

#include <stdlib.h>
#include <string.h>

#include "common/math/hash.h"
#include "common/text.h"

/* A query and what makes an item of a row: 0 or ERR_*. */
struct listing {
    const char *sql;
    size_t size;
    statement_read *read;
};

static int get_listing(struct store *store, const struct listing *listing, void *items, int *count,
                       struct error *error)
{
    sqlite3_stmt *row;
    *(void **)items = NULL;
    *count = 0;
    int status = store_prepare(store, listing->sql, &row, error);
    if (status)
        return status;
    return store_get_rows(store, row, listing->read, listing->size, items, count, error);
}

int store_get_curve(struct store *store, struct store_generation **generations, int *count,
                    struct error *error)
{
    return stored_get_generations(store->database, store->path, store->bounds.rows_most, 0,
                                  generations, count, error);
}

enum {
    FACT_ID,
    FACT_GENERATION,
    FACT_METHOD,
    FACT_PARENT1,
    FACT_PARENT2,
    FACT_VERDICT,
    FACT_FITNESS,
    FACT_REFEREE,
    FACT_PARTS,
    FACT_LINKS,
    FACT_NEURONS,
    FACT_SIZE,
    FACT_PATH,
    FACT_DISTANCE,
    FACT_HEIGHT,
    FACT_WORK,
    FACT_WORKER,
    FACT_ATTEMPT,
    FACT_WALL,
    FACT_CPU,
    FACT_ARENA,
    FACT_TIME,
    FACT_REUSED
};

static void read_fact_cost(sqlite3_stmt *row, struct store_fact *fact)
{
    struct store_cost *cost = &fact->cost;
    fact->has_cost = sqlite3_column_type(row, FACT_WALL) != SQLITE_NULL;
    cost->worker = sqlite3_column_type(row, FACT_WORKER) == SQLITE_NULL
                       ? -1
                       : sqlite3_column_int(row, FACT_WORKER);
    cost->attempt = (uint32_t)sqlite3_column_int64(row, FACT_ATTEMPT);
    cost->task.wall_ms = sqlite3_column_double(row, FACT_WALL);
    cost->task.cpu_ms = sqlite3_column_double(row, FACT_CPU);
    cost->task.arena_bytes = (uint64_t)sqlite3_column_int64(row, FACT_ARENA);
    cost->time_s = sqlite3_column_double(row, FACT_TIME);
    cost->reused = (uint64_t)sqlite3_column_int64(row, FACT_REUSED);
}

static int read_fact(const char *path, sqlite3_stmt *row, void *item, struct error *error)
{
    struct store_fact *fact = item;
    fact->id = (uint64_t)sqlite3_column_int64(row, FACT_ID);
    fact->generation = (uint32_t)sqlite3_column_int64(row, FACT_GENERATION);
    fact->method = store_find_method(statement_text(row, FACT_METHOD));
    fact->parents[0] = (uint64_t)sqlite3_column_int64(row, FACT_PARENT1);
    fact->parents[1] = (uint64_t)sqlite3_column_int64(row, FACT_PARENT2);
    fact->verdict = -1;
    if (fact->method < 0)
        return statement_fail_content(path, "an individual has an unknown breeding method", error);
    if (sqlite3_column_type(row, FACT_VERDICT) == SQLITE_NULL)
        return 0;
    fact->verdict = verdict_find(statement_text(row, FACT_VERDICT));
    if (fact->verdict < 0)
        return statement_fail_content(path, "an individual has an unknown verdict", error);
    fact->motion = HASH_START;
    for (int i = FACT_PATH; i <= FACT_WORK; i++)
        fact->motion = hash_double(fact->motion, sqlite3_column_double(row, i));
    fact->fitness = sqlite3_column_double(row, FACT_FITNESS);
    fact->has_referee = sqlite3_column_type(row, FACT_REFEREE) != SQLITE_NULL;
    fact->referee_fitness = sqlite3_column_double(row, FACT_REFEREE);
    fact->parts = sqlite3_column_double(row, FACT_PARTS);
    fact->links = sqlite3_column_double(row, FACT_LINKS);
    fact->neurons = sqlite3_column_double(row, FACT_NEURONS);
    fact->size_m = sqlite3_column_double(row, FACT_SIZE);
    read_fact_cost(row, fact);
    return 0;
}

int store_get_facts(struct store *store, struct store_fact **facts, int *count, struct error *error)
{
    static const struct listing listing = {
        "SELECT i.id, i.generation, i.method, i.parent1, i.parent2, i.verdict, i.fitness,"
        " i.referee_fitness, i.parts, i.links, i.neurons, i.size_m,"
        " i.path_m, i.distance_m, i.height_mean_m, i.work_in_j,"
        " c.worker, c.attempt, c.wall_ms, c.cpu_ms, c.arena_bytes, c.time_s,"
        " c.reused"
        " FROM individuals i LEFT JOIN costs c ON c.individual = i.id ORDER BY i.id",
        sizeof **facts, read_fact};
    return get_listing(store, &listing, facts, count, error);
}

static int read_member(const char *path, sqlite3_stmt *row, void *item, struct error *error)
{
    *(struct store_member *)item = (struct store_member){
        .generation = (uint32_t)sqlite3_column_int64(row, 0),
        .id = (uint64_t)sqlite3_column_int64(row, 1),
        .rank = sqlite3_column_int(row, 2),
        .survived = sqlite3_column_int(row, 3),
        .fitness = sqlite3_column_double(row, 4),
    };
    return 0;
}

int store_get_members(struct store *store, struct store_member **members, int *count,
                      struct error *error)
{
    static const struct listing listing = {
        "SELECT m.generation, m.individual, m.rank, m.survived, m.fitness FROM members m"
        " JOIN generations g ON g.number = m.generation AND g.closed = 1"
        " WHERE m.rank IS NOT NULL ORDER BY m.generation, m.rank",
        sizeof **members, read_member};
    return get_listing(store, &listing, members, count, error);
}

/* One behind the other in one piece of memory: rows can have ten bytes. */
static int read_event(struct store *store, sqlite3_stmt *row, struct store_event *event,
                      struct error *error)
{
    const char *texts[3];
    size_t sizes[3], size = 0;
    for (int i = 0; i < 3; i++) {
        texts[i] = statement_text(row, i);
        sizes[i] = strlen(texts[i]) + 1;
        size += sizes[i];
    }
    char *end = malloc(size);
    *event = (struct store_event){.texts = end};
    if (!end)
        return error_set(error, ERR_MEMORY, "%s: out of memory", store->path);
    const char **places[3] = {&event->time_utc, &event->event, &event->detail};
    for (int i = 0; i < 3; i++) {
        *places[i] = memcpy(end, texts[i], sizes[i]);
        text_clean(end, "");
        end += sizes[i];
    }
    return 0;
}

void store_free_events(struct store_event *events, int count)
{
    for (int i = 0; i < count; i++)
        free(events[i].texts);
    free(events);
}

int store_get_events(struct store *store, struct store_event **events, int *count,
                     struct error *error)
{
    sqlite3_stmt *row;
    *events = NULL;
    *count = 0;
    int status = store_prepare(store, "SELECT time_utc, event, detail FROM events ORDER BY number",
                               &row, error);
    if (status)
        return status;
    while ((status = store_next_row(store, row, error)) == 1) {
        status = store_make_room(store, events, *count, sizeof **events, error);
        if (!status)
            status = read_event(store, row, &(*events)[(*count)++], error);
        if (status)
            break;
    }
    sqlite3_finalize(row);
    if (status) {
        store_free_events(*events, *count);
        *events = NULL;
        *count = 0;
    }
    return status;
}

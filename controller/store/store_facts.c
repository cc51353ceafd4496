/* The run store: whole runs as arrays, for statistics: fitness by generation, all creatures without
 * genome and words, members, events. A run of 300 x 50 has 12 000 creatures and 15 000 members;
 * each takes 200 bytes or less. */
#include "controller/store/store_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/math/hash.h"
#include "common/rows.h"
#include "common/text.h"

enum { FACT_MOTION = 12, FACT_MOTION_COUNT = 4, FACT_COST = FACT_MOTION + FACT_MOTION_COUNT };

static int read_fact(const struct row *row, void *item)
{
    struct store_fact *fact = item;
    fact->id = row_id(row, 0);
    fact->generation = (uint32_t)sqlite3_column_int64(row->at, 1);
    fact->method = row_name(row, 2, breeding_method_names, METHOD_COUNT);
    fact->parents[0] = row_id(row, 3);
    fact->parents[1] = row_id(row, 4);
    fact->verdict = -1;
    if (fact->method < 0)
        return row_fail(row, "an individual has an unknown breeding method");
    if (row_is_null(row, 5))
        return 0;
    fact->verdict = verdict_find(row_text(row, 5));
    if (fact->verdict < 0)
        return row_fail(row, "an individual has an unknown verdict");
    fact->fitness = sqlite3_column_double(row->at, 6);
    fact->has_referee = !row_is_null(row, 7);
    fact->referee_fitness = sqlite3_column_double(row->at, 7);
    fact->parts = sqlite3_column_double(row->at, 8);
    fact->links = sqlite3_column_double(row->at, 9);
    fact->neurons = sqlite3_column_double(row->at, 10);
    fact->size_m = sqlite3_column_double(row->at, 11);
    fact->motion = HASH_START;
    for (int i = 0; i < FACT_MOTION_COUNT; i++)
        fact->motion = hash_double(fact->motion, sqlite3_column_double(row->at, FACT_MOTION + i));
    fact->has_cost = store_read_cost(row, FACT_COST, &fact->cost);
    return 0;
}

int store_get_facts(struct store *store, struct store_fact **facts, int *count, struct error *error)
{
    static const struct listing listing = {
        "SELECT i.id, i.generation, i.method, i.parent1, i.parent2, i.verdict, i.fitness,"
        " i.referee_fitness, i.parts, i.links, i.neurons, i.size_m,"
        " i.path_m, i.distance_m, i.height_mean_m, i.work_in_j, " STORE_COST
        " FROM individuals i LEFT" STORE_JOIN_COST " ORDER BY i.id",
        sizeof **facts, read_fact, NULL};
    return statement_list(&store->database, &listing, 0, 0, facts, count, error);
}

/* ---- where the time went ---- */

/* No sum is beyond this. */
#define SPENT_MOST (1LL << 40)

static int read_spent(const struct row *row, void *item)
{
    struct store_spent *spent = item;
    struct error reason;
    spent->simulated = row_whole(row, 2, 0, SPENT_MOST);
    spent->worker = row_is_null(row, 1) ? -1 : sqlite3_column_int(row->at, 1);
    spent->given = sqlite3_column_int64(row->at, 3);
    spent->repeated = sqlite3_column_int64(row->at, 4);
    spent->wall_ms = row_real(row, 5, 0, SPENT_MOST);
    spent->cpu_ms = row_real(row, 6, 0, SPENT_MOST);
    spent->last_s = sqlite3_column_double(row->at, 7);
    return trial_from_text(&spent->trial, row_text(row, 0), &reason)
               ? row_fail(row, "a cost is of an unknown trial")
               : 0;
}

static int compare_spent(const void *a, const void *b)
{
    const struct store_spent *left = a, *right = b;
    int order = trial_compare_kinds(&left->trial, &right->trial);
    return order ? order : ORDER(left->worker, right->worker);
}

int store_get_spent(struct store *store, struct store_spent **spent, int *count,
                    struct error *error)
{
    static const struct listing listing = {
        "SELECT trial, worker, sum(simulations) AS simulations, sum(simulations = 0), sum(attempt "
        "> 0), sum(wall_ms) AS wall_ms,"
        " sum(cpu_ms) AS cpu_ms, max(time_s) FROM costs GROUP BY trial, worker",
        sizeof **spent, read_spent, NULL};
    int status = statement_list(&store->database, &listing, 0, 0, spent, count, error);
    if (!status && *count > 0)
        qsort(*spent, (size_t)*count, sizeof **spent, compare_spent);
    return status;
}

int store_sum_spent(struct store_spent *spent, int count)
{
    int kinds = 0;
    for (int i = 0; i < count; i++) {
        if (kinds == 0 || trial_compare_kinds(&spent[kinds - 1].trial, &spent[i].trial)) {
            spent[kinds++] = spent[i];
            continue;
        }
        struct store_spent *sum = &spent[kinds - 1];
        sum->simulated += spent[i].simulated;
        sum->given += spent[i].given;
        sum->repeated += spent[i].repeated;
        sum->wall_ms += spent[i].wall_ms;
        sum->cpu_ms += spent[i].cpu_ms;
        sum->last_s = fmax(sum->last_s, spent[i].last_s);
    }
    return kinds;
}

/* ---- members, events ---- */

static int read_member(const struct row *row, void *item)
{
    *(struct store_member *)item = (struct store_member){
        .generation = (uint32_t)sqlite3_column_int64(row->at, 0),
        .id = row_id(row, 1),
        .rank = sqlite3_column_int(row->at, 2),
        .survived = sqlite3_column_int(row->at, 3),
        .fitness = sqlite3_column_double(row->at, 4),
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
        sizeof **members, read_member, NULL};
    return statement_list(&store->database, &listing, 0, 0, members, count, error);
}

/* One behind the other in one piece of memory: rows can have ten bytes. */
static int read_event(const struct row *row, void *item)
{
    struct store_event *event = item;
    const char *texts[3];
    size_t sizes[3], size = 0;
    for (int i = 0; i < 3; i++) {
        texts[i] = row_text(row, i);
        sizes[i] = strlen(texts[i]) + 1;
        size += sizes[i];
    }
    char *end = malloc(size);
    *event = (struct store_event){.texts = end};
    if (!end)
        return error_set(row->error, ERR_MEMORY, "%s: out of memory", row->database->path);
    const char **places[3] = {&event->time_utc, &event->event, &event->detail};
    for (int i = 0; i < 3; i++) {
        *places[i] = memcpy(end, texts[i], sizes[i]);
        text_clean(end, "");
        end += sizes[i];
    }
    return 0;
}

static void free_texts(void *item)
{
    free(((struct store_event *)item)->texts);
}

void store_free_events(struct store_event *events, int count)
{
    for (int i = 0; i < count; i++)
        free_texts(&events[i]);
    free(events);
}

int store_get_events(struct store *store, struct store_event **events, int *count,
                     struct error *error)
{
    static const struct listing listing = {
        "SELECT time_utc, event, detail FROM events ORDER BY number", sizeof **events, read_event,
        free_texts};
    return statement_list(&store->database, &listing, 0, 0, events, count, error);
}

/* The run store: creatures out of their rows: the population of a generation, lists of survivors
 * and of ancestors, a single creature with everything known of it. All begin with the columns of
 * stored_creature_print_select(). */
#include "controller/store/store_private.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/math/hash.h"
#include "common/store/creature_name.h"

int store_find_method(const char *name)
{
    for (int i = 0; i < METHOD_COUNT; i++)
        if (!strcmp(name, breeding_method_names[i]))
            return i;
    return -1;
}

/* Fields of an individual that the viewer does not know. */
#define INDIVIDUAL_COLUMNS ", i.referee_fitness, i.referee_words, i.body, i.trials"
enum {
    COLUMN_REFEREE = STORED_EXTRA,
    COLUMN_REFEREE_WORDS,
    COLUMN_BODY,
    COLUMN_TRIALS,
    COLUMN_EXTRA
};

/* Reads a row of stored_creature_print_select() with INDIVIDUAL_COLUMNS. The individual owns its
 * genome if 0 is returned. has_result says whether the row has one, be it out of date. */
static int read_individual(const char *path, sqlite3_stmt *row, struct individual *individual,
                           struct error *error)
{
    struct creature creature;
    memset(individual, 0, sizeof *individual);
    genome_init(&individual->genome);
    creature_init(&creature);
    int status = stored_creature_read_row(row, path, &creature, error);
    individual->id = creature.id;
    individual->generation = (uint32_t)creature.generation;
    individual->method = store_find_method(creature.method);
    memcpy(individual->parents, creature.parents, sizeof individual->parents);
    memcpy(individual->mutations, creature.mutations, sizeof individual->mutations);
    individual->seed = creature.seed;
    individual->has_result = creature.has_evaluation;
    individual->verdict = creature.verdict;
    individual->fitness = creature.fitness;
    individual->measures = creature.measures;
    individual->digest = creature.digest;
    individual->bar = stored_creature_bar(row);
    individual->has_referee = sqlite3_column_type(row, COLUMN_REFEREE) != SQLITE_NULL;
    individual->referee_fitness = sqlite3_column_double(row, COLUMN_REFEREE);
    statement_copy_text(individual->referee_words, sizeof individual->referee_words, row,
                        COLUMN_REFEREE_WORDS);
    individual->body = (uint64_t)sqlite3_column_int64(row, COLUMN_BODY);
    individual->is_trial = sqlite3_column_type(row, COLUMN_TRIALS) != SQLITE_NULL;
    individual->trials = individual->born_trials = sqlite3_column_int(row, COLUMN_TRIALS);
    if (!status && individual->method < 0)
        status =
            statement_fail_content(path, "an individual has an unknown breeding method", error);
    if (!status) {
        individual->genome = creature.genome;
        genome_init(&creature.genome);
    }
    creature_deinit(&creature);
    return status;
}

static void free_population(struct population *population)
{
    for (int i = 0; i < population->count; i++)
        individual_deinit(&population->individuals[i]);
    free(population->individuals);
    memset(population, 0, sizeof *population);
}

/* How the archive held a member when the generation before was closed. */
static void read_archived(sqlite3_stmt *row, struct individual *individual)
{
    individual->is_counted = sqlite3_column_type(row, COLUMN_EXTRA + 1) != SQLITE_NULL;
    if (!individual->is_counted)
        return;
    individual->cell = sqlite3_column_int(row, COLUMN_EXTRA + 2);
    individual->trials = sqlite3_column_int(row, COLUMN_EXTRA + 3);
    individual->is_waiting = sqlite3_column_int(row, COLUMN_EXTRA + 4);
}

static int add_member(struct store *store, sqlite3_stmt *row, struct population *population,
                      struct error *error)
{
    int status = store_make_room(store, &population->individuals, population->count,
                                 sizeof *population->individuals, error);
    if (status)
        return status;
    struct individual *individual = &population->individuals[population->count];
    status = read_individual(store->path, row, individual, error);
    if (status) {
        individual_deinit(individual);
        return status;
    }
    individual->has_result &= sqlite3_column_int(row, COLUMN_EXTRA) == 1;
    read_archived(row, individual);
    population->count++;
    return 0;
}

static int compare_ids(const void *a, const void *b)
{
    uint64_t x = ((const struct individual *)a)->id, y = ((const struct individual *)b)->id;
    return (x > y) - (x < y);
}

/* The members by their rows, and of the generation under way those who have none yet. */
int store_get_population(struct store *store, uint32_t generation, struct population *population,
                         struct error *error)
{
    static const struct {
        statement_print *print;
        const char *extra, *rest;
    } queries[] = {
        {stored_creature_print_select,
         INDIVIDUAL_COLUMNS ", m.evaluated, a.individual, a.cell, a.trials, a.waiting",
         "FROM " STORE_JUDGED " m JOIN individuals i ON i.id = m.individual"
         " LEFT JOIN archive a ON a.generation = ?1 - 1 AND a.individual = m.individual"},
        {stored_creature_print_births, INDIVIDUAL_COLUMNS ", 0, NULL, NULL, NULL, NULL",
         "FROM i WHERE ?1 = (SELECT max(number) FROM generations)"}};
    int status = 0;
    memset(population, 0, sizeof *population);
    for (size_t i = 0; !status && i < sizeof queries / sizeof queries[0]; i++) {
        sqlite3_stmt *row;
        status = store_prepare_printed(store, queries[i].print, queries[i].extra, queries[i].rest,
                                       &row, error);
        if (status)
            break;
        sqlite3_bind_int64(row, 1, generation);
        while (!status && (status = store_next_row(store, row, error)) == 1)
            status = add_member(store, row, population, error);
        sqlite3_finalize(row);
    }
    if (!status && !population->count)
        status = statement_fail_content(store->path, "a generation has no members", error);
    if (status)
        free_population(population);
    else
        qsort(population->individuals, (size_t)population->count, sizeof *population->individuals,
              compare_ids);
    return status;
}

int store_get_results(struct store *store,
                      void (*take)(void *context, const struct individual *individual,
                                   double pace_least_m_s),
                      void *context, struct error *error)
{
    sqlite3_stmt *row;
    int status = store_prepare_printed(
        store, stored_creature_print_select, INDIVIDUAL_COLUMNS ", c.pace_least_m_s",
        "FROM individuals i JOIN costs c ON c.individual = i.id"
        " JOIN branches b ON b.branch = i.branch JOIN branches now ON now.branch = ?1"
        " WHERE i.verdict IS NOT NULL AND i.verdict <> 'quarantined'"
        " AND c.pace_least_m_s IS NOT NULL AND b.evaluation_digest = now.evaluation_digest"
        " AND b.simulator_version = now.simulator_version ORDER BY i.id",
        &row, error);
    if (status)
        return status;
    sqlite3_bind_int64(row, 1, store->branch);
    while ((status = store_next_row(store, row, error)) == 1) {
        struct individual individual;
        status = read_individual(store->path, row, &individual, error);
        if (!status)
            take(context, &individual, sqlite3_column_double(row, COLUMN_EXTRA));
        individual_deinit(&individual);
        if (status)
            break;
    }
    sqlite3_finalize(row);
    return status;
}

enum {
    EXTRA_RANK = COLUMN_EXTRA,
    EXTRA_SURVIVED,
    EXTRA_FITNESS,
    EXTRA_WORKER,
    EXTRA_ATTEMPT,
    EXTRA_WALL,
    EXTRA_CPU,
    EXTRA_ARENA,
    EXTRA_TIME,
    EXTRA_REUSED,
    EXTRA_SOURCE,
    EXTRA_CELL
};

static void read_cost(sqlite3_stmt *row, struct store_entry *entry)
{
    entry->has_cost = sqlite3_column_type(row, EXTRA_WALL) != SQLITE_NULL;
    entry->cost.worker = sqlite3_column_type(row, EXTRA_WORKER) == SQLITE_NULL
                             ? -1
                             : sqlite3_column_int(row, EXTRA_WORKER);
    entry->cost.attempt = (uint32_t)sqlite3_column_int64(row, EXTRA_ATTEMPT);
    entry->cost.task.wall_ms = sqlite3_column_double(row, EXTRA_WALL);
    entry->cost.task.cpu_ms = sqlite3_column_double(row, EXTRA_CPU);
    entry->cost.task.arena_bytes = (uint64_t)sqlite3_column_int64(row, EXTRA_ARENA);
    entry->cost.time_s = sqlite3_column_double(row, EXTRA_TIME);
    entry->cost.reused = (uint64_t)sqlite3_column_int64(row, EXTRA_REUSED);
}

static int read_entry(const char *path, sqlite3_stmt *row, void *item, struct error *error)
{
    struct store_entry *entry = item;
    struct individual individual;
    int status = read_individual(path, row, &individual, error);
    if (!status) {
        entry->id = individual.id;
        entry->generation = individual.generation;
        entry->rank = sqlite3_column_int(row, EXTRA_RANK);
        entry->survived = sqlite3_column_int(row, EXTRA_SURVIVED);
        entry->cell = sqlite3_column_int(row, EXTRA_CELL);
        entry->fitness = sqlite3_column_double(row, EXTRA_FITNESS);
        entry->has_referee = individual.has_referee;
        entry->referee_fitness = individual.referee_fitness;
        memcpy(entry->referee_words, individual.referee_words, sizeof entry->referee_words);
        entry->verdict = individual.verdict;
        snprintf(entry->method, sizeof entry->method, "%s",
                 breeding_method_names[individual.method]);
        memcpy(entry->parents, individual.parents, sizeof entry->parents);
        memcpy(entry->mutations, individual.mutations, sizeof entry->mutations);
        statement_copy_text(entry->source, sizeof entry->source, row, EXTRA_SOURCE);
        entry->measures = individual.measures;
        entry->digest = individual.digest;
        entry->seed = individual.seed;
        read_cost(row, entry);
    }
    individual_deinit(&individual);
    return status;
}

/* Where there are not enough who move differently, this many times as many are looked at. */
enum { MORE_LOOKED_AT = 8 };

/* Columns of members m, costs c and archive a. */
#define ENTRY_COLUMNS                                                                              \
    INDIVIDUAL_COLUMNS                                                                             \
    ", m.rank, m.survived, m.fitness, c.worker, c.attempt, c.wall_ms, c.cpu_ms, c.arena_bytes,"    \
    " c.time_s, c.reused, (SELECT source FROM seeds WHERE seeds.individual = i.id), a.cell"

int store_get_top(struct store *store, int64_t generation, int top, struct store_entry **entries,
                  int *count, uint32_t *generation_found, struct error *error)
{
    sqlite3_stmt *row;
    *entries = NULL;
    *count = 0;
    int status = stored_find_closed(store->database, store->path, generation, &generation, error);
    if (!status)
        status = store_prepare_printed(store, stored_creature_print_select, ENTRY_COLUMNS,
                                       "FROM members m JOIN individuals i ON i.id = m.individual"
                                       " LEFT JOIN costs c ON c.individual = i.id"
                                       " LEFT JOIN archive a ON a.generation = m.generation"
                                       " AND a.individual = i.id"
                                       " WHERE m.generation = ? AND m.rank <= ? ORDER BY m.rank",
                                       &row, error);
    if (status)
        return status;
    *generation_found = (uint32_t)generation;
    sqlite3_bind_int64(row, 1, generation);
    sqlite3_bind_int(row, 2, top);
    return store_get_rows(store, row, read_entry, sizeof **entries, entries, count, error);
}

/* Whether a list that has `kept` so far goes on without this one. */
static int is_left_out(const struct store_entry *kept, int count, const struct store_entry *entry,
                       enum store_order order)
{
    int (*is_repeat)(const struct measures *, const struct measures *) =
        order == STORE_KINDS ? measures_are_one_kind : measures_move_alike;
    if (order == STORE_KINDS && count > 0 && !verdict_is_scored(entry->verdict))
        return 1;
    for (int i = 0; i < count && order != STORE_RANKS; i++)
        if (is_repeat(&kept[i].measures, &entry->measures))
            return 1;
    return 0;
}

int store_leave_out(struct store_entry *entries, int count, int most, enum store_order order)
{
    int kept = 0;
    for (int i = 0; i < count && kept < most; i++) {
        if (is_left_out(entries, kept, &entries[i], order))
            continue;
        if (kept != i)
            entries[kept] = entries[i];
        kept++;
    }
    return kept;
}

int store_get_best(struct store *store, int64_t generation, enum store_order order, int top,
                   struct store_entry **entries, int *count, uint32_t *generation_found,
                   struct error *error)
{
    int64_t looked_at = top;
    int found;
    for (;;) {
        int most = looked_at < INT32_MAX ? (int)looked_at : INT32_MAX;
        int status =
            store_get_top(store, generation, most, entries, &found, generation_found, error);
        *count = store_leave_out(*entries, found, top, order);
        if (status || *count == top || found < most)
            return status;
        free(*entries);
        looked_at *= MORE_LOOKED_AT;
    }
}

int store_get_lineage(struct store *store, uint64_t id, int has_second_parents,
                      struct store_entry **entries, int *count, struct error *error)
{
    sqlite3_stmt *row;
    *entries = NULL;
    *count = 0;
    int status = store_prepare_printed(
        store, stored_creature_print_select, ENTRY_COLUMNS,
        "FROM individuals i"
        " LEFT JOIN (SELECT individual, max(generation) AS generation FROM members"
        " WHERE rank IS NOT NULL GROUP BY individual) AS last ON last.individual = i.id"
        " LEFT JOIN members m ON m.individual = i.id AND m.generation = last.generation"
        " LEFT JOIN costs c ON c.individual = i.id"
        " LEFT JOIN archive a ON a.generation = m.generation AND a.individual = i.id"
        " WHERE i.id IN (WITH RECURSIVE line (id) AS (VALUES (?1)"
        " UNION SELECT a.parent1 FROM line JOIN individuals a ON a.id = line.id"
        " UNION SELECT a.parent2 FROM line JOIN individuals a ON a.id = line.id WHERE ?2)"
        " SELECT id FROM line) ORDER BY i.id DESC",
        &row, error);
    if (status)
        return status;
    sqlite3_bind_int64(row, 1, (sqlite3_int64)id);
    sqlite3_bind_int(row, 2, has_second_parents);
    status = store_get_rows(store, row, read_entry, sizeof **entries, entries, count, error);
    if (!status && *count == 0)
        status =
            error_set(error, ERR_MISSING, "%s: there is no creature %" PRIu64, store->path, id);
    return status;
}

int store_get_creature(struct store *store, uint64_t id, struct creature *creature,
                       struct error *error)
{
    return stored_get_creature(store->database, store->path, id, creature, error);
}

const char *store_entry_words(const struct store_entry *entry)
{
    return *entry->source ? entry->source : entry->mutations;
}

const char *store_entry_origin(const struct store_entry *entry, char *text, size_t size)
{
    const uint64_t *parents = entry->parents;
    if (parents[0] && parents[1])
        snprintf(text, size, "%s of %" PRIu64 " and %" PRIu64, entry->method, parents[0],
                 parents[1]);
    else if (parents[0])
        snprintf(text, size, "%s of %" PRIu64, entry->method, parents[0]);
    else
        snprintf(text, size, "%s", entry->method);
    return text;
}

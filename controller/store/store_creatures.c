/* The run store: creatures out of their rows: the population of a generation, lists of survivors
 * and of ancestors, a single creature with everything known of it. All begin with the columns of
 * STORED_SELECT. */
#include "controller/store/store_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/rows.h"
#include "common/store/favourites.h"
#include "controller/evolution/islands.h"
#include "controller/evolution/referee.h"

int store_read_cost(const struct row *row, int column, struct store_cost *cost)
{
    cost->worker = row_is_null(row, column) ? -1 : sqlite3_column_int(row->at, column);
    cost->attempt = (uint32_t)sqlite3_column_int64(row->at, column + 1);
    cost->task.wall_ms = sqlite3_column_double(row->at, column + 2);
    cost->task.cpu_ms = sqlite3_column_double(row->at, column + 3);
    cost->task.arena_bytes = row_id(row, column + 4);
    cost->time_s = sqlite3_column_double(row->at, column + 5);
    cost->reused = row_id(row, column + 6);
    cost->simulations = sqlite3_column_int64(row->at, column + 7);
    return !row_is_null(row, column + 2);
}

/* Fields of an individual that the viewer does not know. */
#define INDIVIDUAL_COLUMNS                                                                         \
    ", i.referee_fitness, i.referee_words, i.referee_stage, i.kept, i.island, i.body, i.trials"
enum {
    COLUMN_REFEREE = STORED_EXTRA,
    COLUMN_REFEREE_WORDS,
    COLUMN_REFEREE_STAGE,
    COLUMN_KEPT,
    COLUMN_ISLAND,
    COLUMN_BODY,
    COLUMN_TRIALS,
    COLUMN_EXTRA
};

/* Reads a row of STORED_SELECT with INDIVIDUAL_COLUMNS. The individual owns its
 * genome if 0 is returned. has_result says whether the row has one, be it out of date. */
static int read_individual(const struct row *row, struct individual *individual)
{
    struct creature creature;
    memset(individual, 0, sizeof *individual);
    genome_init(&individual->genome);
    creature_init(&creature);
    int status = stored_creature_read_row(row, &creature);
    individual->id = creature.id;
    individual->generation = (uint32_t)creature.generation;
    individual->method = row_name(row, STORED_METHOD, breeding_method_names, METHOD_COUNT);
    memcpy(individual->parents, creature.parents, sizeof individual->parents);
    memcpy(individual->mutations, creature.mutations, sizeof individual->mutations);
    individual->seed = creature.seed;
    individual->has_result = creature.has_evaluation;
    individual->verdict = creature.verdict;
    individual->fitness = creature.fitness;
    individual->measures = creature.measures;
    individual->digest = creature.digest;
    individual->bar = stored_creature_bar(row);
    /* before stages were told apart, a tried creature was tried in all trials */
    int stage = sqlite3_column_int(row->at, COLUMN_REFEREE_STAGE);
    individual->heard = row_is_null(row, COLUMN_REFEREE) ? REFEREE_NOT
                        : stage == REFEREE_TOP           ? REFEREE_TOP
                                                         : REFEREE_FIRST;
    individual->kept = sqlite3_column_double(row->at, COLUMN_KEPT);
    individual->island = (int)row_whole(row, COLUMN_ISLAND, 0, ISLANDS_MAX);
    individual->referee_fitness = sqlite3_column_double(row->at, COLUMN_REFEREE);
    row_copy_text(individual->referee_words, sizeof individual->referee_words, row,
                  COLUMN_REFEREE_WORDS);
    individual->body = row_id(row, COLUMN_BODY);
    individual->is_trial = !row_is_null(row, COLUMN_TRIALS);
    individual->trials = individual->born_trials = sqlite3_column_int(row->at, COLUMN_TRIALS);
    if (!status && individual->method < 0)
        status = row_fail(row, "an individual has an unknown breeding method");
    if (!status) {
        individual->genome = creature.genome;
        genome_init(&creature.genome);
    }
    creature_deinit(&creature);
    return status;
}

/* How the archive held a member when the generation before was closed. */
static void read_archived(const struct row *row, struct individual *individual)
{
    individual->is_counted = !row_is_null(row, COLUMN_EXTRA + 1);
    if (!individual->is_counted)
        return;
    individual->cell = sqlite3_column_int(row->at, COLUMN_EXTRA + 2);
    individual->trials = sqlite3_column_int(row->at, COLUMN_EXTRA + 3);
    individual->is_waiting = sqlite3_column_int(row->at, COLUMN_EXTRA + 4);
}

static int read_member(const struct row *row, void *item)
{
    struct population *population = item;
    int status = statement_make_room(row->database, &population->individuals, population->count,
                                     sizeof *population->individuals, row->error);
    if (status)
        return status;
    struct individual *individual = &population->individuals[population->count];
    status = read_individual(row, individual);
    if (status) {
        individual_deinit(individual);
        return status;
    }
    individual->has_result &= sqlite3_column_int(row->at, COLUMN_EXTRA) == 1;
    read_archived(row, individual);
    population->count++;
    return 0;
}

/* The members by their rows, and of the generation under way those that have none yet. Where no
 * creature of an archive scored, a generation begins without members. */
int store_get_population(struct store *store, uint32_t generation, struct population *population,
                         struct error *error)
{
    static const char *const queries[] = {
        STORED_SELECT INDIVIDUAL_COLUMNS
        ", m.evaluated, a.individual, a.cell, a.trials, a.waiting"
        " FROM " STORE_JUDGED " m JOIN individuals i ON i.id = m.individual"
        " LEFT JOIN archive a ON a.generation = ?1 - 1 AND a.individual = m.individual",
        STORED_SELECT_BIRTHS INDIVIDUAL_COLUMNS
        ", 0, NULL, NULL, NULL, NULL"
        " FROM i WHERE ?1 = (SELECT max(number) FROM generations)"};
    int64_t is_open = 0;
    int status = 0;
    memset(population, 0, sizeof *population);
    for (size_t i = 0; !status && i < sizeof queries / sizeof queries[0]; i++)
        status = statement_each(&store->database, queries[i], generation, 0, read_member,
                                population, error);
    if (!status && !population->count)
        status = statement_number(&store->database,
                                  "SELECT closed = 0 FROM generations WHERE number = ?1",
                                  generation, 0, &is_open, error);
    if (!status && !population->count && !is_open)
        status = statement_fail_content(&store->database, "a generation has no members", error);
    if (status) {
        search_free_individuals(population->individuals, population->count);
        memset(population, 0, sizeof *population);
    } else {
        search_sort(population, rows_compare_ids);
    }
    return status;
}

/* The creatures that are given each result. */
struct taker {
    void (*take)(void *context, const struct individual *individual, double pace_least_m_s);
    void *context;
};

static int hand_result(const struct row *row, void *item)
{
    const struct taker *taker = item;
    struct individual individual;
    int status = read_individual(row, &individual);
    if (!status)
        taker->take(taker->context, &individual, sqlite3_column_double(row->at, COLUMN_EXTRA));
    individual_deinit(&individual);
    return status;
}

int store_get_results(struct store *store,
                      void (*take)(void *context, const struct individual *individual,
                                   double pace_least_m_s),
                      void *context, struct error *error)
{
    struct taker taker = {take, context};
    return statement_each(
        &store->database,
        STORED_SELECT INDIVIDUAL_COLUMNS
        ", c.pace_least_m_s FROM individuals i" STORE_JOIN_COST
        " JOIN branches b ON b.branch = i.branch JOIN branches now ON now.branch = ?1"
        " WHERE i.verdict IS NOT NULL AND i.verdict <> 'quarantined'"
        " AND c.pace_least_m_s IS NOT NULL AND b.evaluation_digest = now.evaluation_digest"
        " AND b.simulator_version = now.simulator_version ORDER BY i.id",
        store->branch, 0, hand_result, &taker, error);
}

enum {
    EXTRA_RANK = COLUMN_EXTRA,
    EXTRA_SURVIVED,
    EXTRA_FITNESS,
    EXTRA_SOURCE,
    EXTRA_CELL,
    EXTRA_COST
};
/* Columns of members m, costs c and archive a. */
#define ENTRY_COLUMNS                                                                              \
    INDIVIDUAL_COLUMNS                                                                             \
    ", m.rank, m.survived, m.fitness,"                                                             \
    " (SELECT source FROM seeds WHERE seeds.individual = i.id), a.cell, " STORE_COST

static int read_entry(const struct row *row, void *item)
{
    struct store_entry *entry = item;
    struct individual individual;
    int status = read_individual(row, &individual);
    if (!status) {
        entry->id = individual.id;
        entry->is_champion = sqlite3_column_int(row->at, STORED_IS_CHAMPION);
        entry->generation = individual.generation;
        entry->rank = sqlite3_column_int(row->at, EXTRA_RANK);
        entry->survived = sqlite3_column_int(row->at, EXTRA_SURVIVED);
        entry->cell = sqlite3_column_int(row->at, EXTRA_CELL);
        entry->fitness = sqlite3_column_double(row->at, EXTRA_FITNESS);
        entry->has_referee = individual.heard != REFEREE_NOT;
        entry->referee_fitness = individual.referee_fitness;
        memcpy(entry->referee_words, individual.referee_words, sizeof entry->referee_words);
        entry->verdict = individual.verdict;
        snprintf(entry->method, sizeof entry->method, "%s",
                 breeding_method_names[individual.method]);
        memcpy(entry->parents, individual.parents, sizeof entry->parents);
        memcpy(entry->mutations, individual.mutations, sizeof entry->mutations);
        row_copy_text(entry->source, sizeof entry->source, row, EXTRA_SOURCE);
        entry->measures = individual.measures;
        entry->digest = individual.digest;
        entry->seed = individual.seed;
        entry->has_cost = store_read_cost(row, EXTRA_COST, &entry->cost);
    }
    individual_deinit(&individual);
    return status;
}

/* Where too few move differently, this many times as many are looked at. */
enum { MORE_LOOKED_AT = 8 };

#define ENTRIES                                                                                    \
    STORED_SELECT ENTRY_COLUMNS                                                                    \
        " FROM members m JOIN individuals i ON i.id = m.individual"                                \
        " LEFT" STORE_JOIN_COST                                                                    \
        " LEFT JOIN archive a ON a.generation = m.generation AND a.individual = i.id"              \
        " WHERE m.generation = ?1"
static const struct listing ranks_listing = {ENTRIES " AND m.rank <= ?2 ORDER BY m.rank",
                                             sizeof(struct store_entry), read_entry, NULL};
static const struct listing kinds_listing = {ENTRIES " AND m.rank IS NOT NULL" STORED_KINDS_ORDER
                                                     " LIMIT ?2",
                                             sizeof(struct store_entry), read_entry, NULL};

/* Whether a list that has `kept` so far goes on without this one. */
static int is_left_out(const struct store_entry *kept, int count, const struct store_entry *entry,
                       enum store_order order)
{
    int (*is_repeat)(const struct measures *, const struct measures *) =
        order == STORE_KINDS ? measures_are_one_kind : measures_move_alike;
    if (order == STORE_KINDS && count > 0 && !verdict_is_scored(entry->verdict))
        return 1;
    for (int i = 0; i < count && order != STORE_RANKS && !entry->is_champion; i++)
        if (is_repeat(&kept[i].measures, &entry->measures))
            return 1;
    return 0;
}

int store_leave_out(struct store_entry *entries, int count, int most, enum store_order order)
{
    ENSURE(count >= 0 && most >= 0, "%d of %d", most, count);
    ENSURE((int)order >= STORE_RANKS && order <= STORE_KINDS, "order %d", (int)order);
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
    ENSURE(top > 0 && generation >= -1, "the best %d of generation %" PRId64, top, generation);
    const struct listing *listing = order == STORE_KINDS ? &kinds_listing : &ranks_listing;
    int found;
    *entries = NULL;
    *count = 0;
    int status = stored_find_closed(&store->database, generation, &generation, error);
    if (status)
        return status;
    *generation_found = (uint32_t)generation;
    for (int64_t looked_at = top;; looked_at *= MORE_LOOKED_AT) {
        int most = looked_at < INT32_MAX ? (int)looked_at : INT32_MAX;
        status =
            statement_list(&store->database, listing, generation, most, entries, &found, error);
        *count = store_leave_out(*entries, found, top, order);
        if (status || *count == top || found < most)
            return status;
        free(*entries);
    }
}

int store_get_lineage(struct store *store, uint64_t id, int has_second_parents,
                      struct store_entry **entries, int *count, struct error *error)
{
    static const struct listing listing = {
        STORED_SELECT ENTRY_COLUMNS
        " FROM individuals i"
        " LEFT JOIN (SELECT individual, max(generation) AS generation FROM members"
        " WHERE rank IS NOT NULL GROUP BY individual) AS last ON last.individual = i.id"
        " LEFT JOIN members m ON m.individual = i.id AND m.generation = last.generation"
        " LEFT" STORE_JOIN_COST
        " LEFT JOIN archive a ON a.generation = m.generation AND a.individual = i.id"
        " WHERE i.id IN (WITH RECURSIVE line (id) AS (VALUES (?1)"
        " UNION SELECT a.parent1 FROM line JOIN individuals a ON a.id = line.id"
        " UNION SELECT a.parent2 FROM line JOIN individuals a ON a.id = line.id WHERE ?2)"
        " SELECT id FROM line) ORDER BY i.id DESC",
        sizeof **entries, read_entry, NULL};
    int status = statement_list(&store->database, &listing, (int64_t)id, has_second_parents,
                                entries, count, error);
    if (!status && *count == 0)
        status =
            error_set(error, ERR_MISSING, "%s: there is no creature %" PRIu64, store->path, id);
    return status;
}

const char *store_entry_words(const struct store_entry *entry)
{
    return *entry->source ? entry->source : entry->mutations;
}

const char *store_entry_origin(const struct store_entry *entry, char *text, size_t size)
{
    const uint64_t *parents = entry->parents;
    const char *name = strcmp(entry->method, "asexual") ? entry->method : "child";
    if (parents[0] && parents[1])
        snprintf(text, size, "%s of %" PRIu64 " and %" PRIu64, name, parents[0], parents[1]);
    else if (parents[0])
        snprintf(text, size, "%s of %" PRIu64, name, parents[0]);
    else
        snprintf(text, size, "%s", entry->method);
    return text;
}

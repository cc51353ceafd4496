/* The run store: the progress of a run, for `status`, and its quarantine. Read from another
 * process while the run goes on, so each question is a query that an index answers. */
#include "controller/store/store_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "controller/evolution/contests.h"

/* No run takes longer. */
#define CPU_MOST_S 1e15

/* Counts the choices of the generation under way. */
static int count_choices(struct store *store, struct store_status *status, struct error *error)
{
    struct store_choice *choices;
    int count, result;
    if (store->generation < 0)
        return 0;
    result =
        stored_get_choices(&store->database, (uint32_t)store->generation, &choices, &count, error);
    for (int i = 0; !result && i < count; i++) {
        status->keep_count += choices[i].choice == CHOICE_KEEP;
        status->breed_count += choices[i].choice == CHOICE_BREED;
        status->ban_count += choices[i].choice == CHOICE_BAN;
    }
    free(choices);
    return result;
}

/* Numbers of the status, each of one query. ?1 is the generation under way. With a condition SQLite
 * counts row by row: a whole table is one step, however damaged it is. */
static int get_counts(struct store *store, struct store_status *status, struct error *error)
{
    int64_t next_id = 1, waiting = 0;
    const struct {
        int64_t *value;
        const char *sql;
    } counts[] = {
        {&next_id, "SELECT 1 + max(coalesce((SELECT max(id) FROM individuals), 0),"
                   " coalesce((SELECT max(id) FROM births), 0))"},
        {&status->individuals, "SELECT count(*) FROM individuals WHERE id > 0"},
        {&waiting, "SELECT count(*) FROM births WHERE id NOT IN (SELECT id FROM individuals)"},
        {&status->evaluated, "SELECT count(*) FROM individuals WHERE verdict IS NOT NULL"},
        {&status->reused, "SELECT count(*) FROM costs WHERE reused > 0 AND trial = 'first'"},
        {&status->quarantined, "SELECT count(*) FROM quarantine WHERE individual > 0"},
        {&status->referee_quarantined,
         "SELECT count(*) FROM events WHERE event = 'referee_quarantined'"},
        {&status->members_in_generation, "SELECT count(*) FROM " STORE_JUDGED},
        {&status->evaluated_in_generation, "SELECT sum(evaluated) FROM " STORE_JUDGED}};
    int result = 0;
    for (size_t i = 0; !result && i < sizeof counts / sizeof counts[0]; i++)
        result = statement_number(&store->database, counts[i].sql, store->generation, 0,
                                  counts[i].value, error);
    status->next_id = (uint64_t)next_id;
    status->individuals += waiting;
    return result;
}

static int read_run_value(const struct row *row, void *item)
{
    struct store_status *status = item;
    const char *key = row_text(row, 0);
    if (!strcmp(key, "finished"))
        status->is_finished = !strcmp(row_text(row, 1), "1");
    else if (!strcmp(key, "created_utc"))
        row_copy_text(status->created_utc, sizeof status->created_utc, row, 1);
    else if (!strcmp(key, "controller_cpu_s")) {
        status->controller_cpu_s = sqlite3_column_double(row->at, 1);
        if (!(status->controller_cpu_s >= 0 && status->controller_cpu_s <= CPU_MOST_S))
            return row_fail(row, "controller_cpu_s is no time");
    } else if (!strcmp(key, "champion"))
        status->champion.id = row_id(row, 1);
    else if (!strcmp(key, "champion_holds"))
        status->champion.holds = sqlite3_column_int(row->at, 1);
    else if (!strcmp(key, "champion_words"))
        row_copy_text(status->champion.words, sizeof status->champion.words, row, 1);
    return 0;
}

/* The best of the members whose result counts already. */
static int read_best_so_far(const struct row *row, void *item)
{
    struct store_status *status = item;
    status->has_best_so_far = !row_is_null(row, 0);
    status->best_so_far = sqlite3_column_double(row->at, 0);
    return 1;
}

static int read_closed(const struct row *row, void *item)
{
    struct store_status *status = item;
    status->closed_generation = sqlite3_column_int64(row->at, 0);
    status->best = sqlite3_column_double(row->at, 1);
    status->median = sqlite3_column_double(row->at, 2);
    status->best_id = row_id(row, 3);
    status->cells_filled = row_is_null(row, 4) ? -1 : sqlite3_column_int64(row->at, 4);
    status->best_of_all = sqlite3_column_double(row->at, 5);
    return 1;
}

static int read_ancestor(const struct row *row, void *item)
{
    struct store_ancestor *ancestor = &((struct store_status *)item)->ancestor;
    const char *source = row_text(row, 2), *slash = strrchr(source, '/');
    const char *name = slash ? slash + 1 : source;
    size_t length = strlen(name), most = sizeof ancestor->source - 1;
    ancestor->id = row_id(row, 0);
    ancestor->fitness = sqlite3_column_double(row->at, 1);
    snprintf(ancestor->source, sizeof ancestor->source, "%s",
             length > most ? name + (length - most) : name);
    if (ancestor->fitness > 0)
        ancestor->times = sqlite3_column_double(row->at, 3) / ancestor->fitness;
    return 1;
}

static int read_speed(const struct row *row, void *item)
{
    struct store_status *status = item;
    double span_s = sqlite3_column_double(row->at, 2) - sqlite3_column_double(row->at, 1);
    if (span_s > 0)
        status->evaluations_per_s = (double)(sqlite3_column_int64(row->at, 0) - 1) / span_s;
    return 1;
}

static int read_place(const struct row *row, void *item)
{
    struct store_status *status = item;
    const char *event = row_text(row, 0);
    if (!strcmp(event, "run") || !strcmp(event, "resume"))
        row_copy_text(status->place, sizeof status->place, row, 1);
    return 1;
}

/* ?1 is the generation under way. */
static const struct {
    const char *sql;
    statement_read *read;
} questions[] = {
    {"SELECT key, value FROM run", read_run_value},
    {"SELECT max(i.fitness) FROM " STORE_JUDGED " m JOIN individuals i ON i.id = m.individual"
     " WHERE m.evaluated = 1",
     read_best_so_far},
    {"SELECT number, best, median, best_id,"
     " (SELECT nullif(count(cell), 0) FROM archive WHERE generation = number),"
     " (SELECT max(best) FROM generations WHERE closed = 1)"
     " FROM generations WHERE closed = 1 ORDER BY number DESC LIMIT 1",
     read_closed},
    {"WITH firsts AS (SELECT time_s FROM costs WHERE trial = 'first'),"
     " last AS (SELECT max(time_s) AS t FROM firsts)"
     " SELECT count(*), min(f.time_s), last.t FROM firsts f, last WHERE f.time_s > last.t - 10",
     read_speed},
    {"SELECT s.individual, i.fitness, s.source, (SELECT c.fitness FROM individuals c WHERE c.id ="
     " (SELECT CAST(value AS INTEGER) FROM run WHERE key = 'champion'))"
     " FROM seeds s JOIN individuals i ON i.id = s.individual WHERE i.fitness IS NOT NULL"
     " ORDER BY i.fitness DESC, s.individual LIMIT 1",
     read_ancestor},
    {"SELECT event, detail FROM events WHERE event IN ('run', 'resume', 'finished', 'stopped',"
     " 'failed') ORDER BY number DESC LIMIT 1",
     read_place}};

int store_get_status(struct store *store, struct store_status *status, struct error *error)
{
    *status = (struct store_status){
        .has_generation = store->generation >= 0, .closed_generation = -1, .cells_filled = -1};
    status->generation = status->has_generation ? (uint32_t)store->generation : 0;
    int result = get_counts(store, status, error);
    for (size_t i = 0; !result && i < sizeof questions / sizeof questions[0]; i++)
        result = statement_each(&store->database, questions[i].sql, store->generation, 0,
                                questions[i].read, status, error);
    return result ? result : count_choices(store, status, error);
}

void store_describe_champion(const struct store_status *status, const struct params *params,
                             int has_words, char text[STORE_CHAMPION_SIZE])
{
    const struct store_champion *champion = &status->champion;
    const char *words = has_words ? champion->words : "";
    if (champion->id && champion->holds)
        snprintf(text, STORE_CHAMPION_SIZE, "creature %" PRIu64 " passed its exam%s%s",
                 champion->id, has_words ? ": " : "", words);
    else if (champion->id)
        snprintf(text, STORE_CHAMPION_SIZE,
                 "none: creature %" PRIu64
                 ", the first in rank, failed the exam%s%s%s, and no other passed",
                 champion->id, has_words ? " (" : "", words, has_words ? ")" : "");
    else if (params->evolution_behaviour == BEHAVIOUR_INTERACTIVE)
        snprintf(text, STORE_CHAMPION_SIZE, "none: where parents are chosen by hand is no exam");
    else
        snprintf(text, STORE_CHAMPION_SIZE,
                 status->is_finished ? "none: no creature has a fitness above 0"
                                     : "none yet: the exam is at the end of the run");
}

int store_describe_ancestor(const struct store_status *status, const struct params *params,
                            char text[STORE_CHAMPION_SIZE])
{
    const struct store_ancestor *ancestor = &status->ancestor;
    if (!ancestor->id || contests_are_wanted(params))
        return 0;
    snprintf(text, STORE_CHAMPION_SIZE, "%s (creature %" PRIu64 "), %.4g here", ancestor->source,
             ancestor->id, ancestor->fitness);
    if (status->champion.holds && ancestor->times > 0)
        text_append(text, STORE_CHAMPION_SIZE, "; the champion has %.3g times that",
                    ancestor->times);
    return 1;
}

/* ---- quarantine ---- */

static void free_texts(void *item)
{
    struct store_quarantine *entry = item;
    free(entry->reason);
    free(entry->command);
    free(entry->log);
}

void store_free_quarantine(struct store_quarantine *entries, int count)
{
    for (int i = 0; i < count; i++)
        free_texts(&entries[i]);
    free(entries);
}

static int read_quarantine(const struct row *row, void *item)
{
    struct store_quarantine *entry = item;
    entry->id = row_id(row, 0);
    row_copy_text(entry->time_utc, sizeof entry->time_utc, row, 1);
    entry->reason = strdup(row_text(row, 2));
    entry->command = strdup(row_text(row, 3));
    entry->log = strdup(row_text(row, 4));
    if (!entry->reason || !entry->command || !entry->log)
        return error_set(row->error, ERR_MEMORY, "%s: out of memory", row->database->path);
    text_clean(entry->reason, "");
    text_clean(entry->command, "");
    text_clean(entry->log, "\n");
    return 0;
}

int store_get_quarantine(struct store *store, int most, struct store_quarantine **entries,
                         int *count, struct error *error)
{
    static const struct listing listing = {
        "SELECT individual, time_utc, reason, command, log FROM quarantine"
        " ORDER BY individual LIMIT ?",
        sizeof **entries, read_quarantine, free_texts};
    return statement_list(&store->database, &listing, most, 0, entries, count, error);
}

/* The run store: where a run stands, for `status`, and who is in quarantine. Read from another
 * process while the run goes on, so each question is a query that an index answers. */
#include "controller/store/store_private.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"

/* Counts the choices of the generation under way. */
static int count_choices(struct store *store, struct store_status *status, struct error *error)
{
    struct store_choice *choices;
    int count, result;
    if (store->generation < 0)
        return 0;
    result = store_get_choices(store, (uint32_t)store->generation, &choices, &count, error);
    for (int i = 0; !result && i < count; i++) {
        status->keep_count += choices[i].choice == CHOICE_KEEP;
        status->breed_count += choices[i].choice == CHOICE_BREED;
        status->ban_count += choices[i].choice == CHOICE_BAN;
    }
    free(choices);
    return result;
}

static int get_counts(struct store *store, struct store_status *status, struct error *error)
{
    int64_t next_id;
    int64_t waiting = 0;
    int result = store_query_i64(store,
                                 "SELECT 1 + max(coalesce((SELECT max(id) FROM individuals), 0),"
                                 " coalesce((SELECT max(id) FROM births), 0))",
                                 1, &next_id, error);
    status->next_id = (uint64_t)next_id;
    /* with a condition SQLite counts row by row: a whole table is one step, however damaged it
     * is */
    if (!result)
        result = store_query_i64(store, "SELECT count(*) FROM individuals WHERE id > 0", 0,
                                 &status->individuals, error);
    if (!result)
        result = store_query_i64(
            store, "SELECT count(*) FROM births WHERE id NOT IN (SELECT id FROM individuals)", 0,
            &waiting, error);
    if (!result)
        result = store_query_i64(store, "SELECT count(*) FROM costs WHERE individual > 0", 0,
                                 &status->evaluated, error);
    if (!result)
        result = store_query_i64(store, "SELECT count(*) FROM costs WHERE reused > 0", 0,
                                 &status->reused, error);
    if (!result)
        result = store_query_i64(store, "SELECT count(*) FROM quarantine WHERE individual > 0", 0,
                                 &status->quarantined, error);
    status->evaluated += status->quarantined;
    status->individuals += waiting;
    if (!result)
        result = store_query_i64(store,
                                 "SELECT count(*) FROM events WHERE event = 'referee_quarantined'",
                                 0, &status->referee_quarantined, error);
    if (!result)
        result = store_query_for(store, "SELECT count(*) FROM " STORE_JUDGED, store->generation, 0,
                                 &status->members_in_generation, error);
    if (!result)
        result = store_query_for(store, "SELECT sum(evaluated) FROM " STORE_JUDGED,
                                 store->generation, 0, &status->evaluated_in_generation, error);
    return result;
}

/* The best of the members whose result counts already. */
static int get_best_so_far(struct store *store, struct store_status *status, struct error *error)
{
    sqlite3_stmt *statement;
    int result = store_prepare(store,
                               "SELECT max(i.fitness) FROM " STORE_JUDGED " m JOIN individuals i ON"
                               " i.id = m.individual WHERE m.evaluated = 1",
                               &statement, error);
    if (result)
        return result;
    sqlite3_bind_int64(statement, 1, store->generation);
    result = store_next_row(store, statement, error);
    if (result == 1 && sqlite3_column_type(statement, 0) != SQLITE_NULL) {
        status->has_best_so_far = 1;
        status->best_so_far = sqlite3_column_double(statement, 0);
    }
    sqlite3_finalize(statement);
    return result < 0 ? result : 0;
}

static int get_closed(struct store *store, struct store_status *status, struct error *error)
{
    sqlite3_stmt *statement;
    int result =
        store_prepare(store,
                      "SELECT number, best, median, best_id FROM generations WHERE closed = 1"
                      " ORDER BY number DESC LIMIT 1",
                      &statement, error);
    if (result)
        return result;
    result = store_next_row(store, statement, error);
    status->closed_generation = -1;
    if (result == 1) {
        status->closed_generation = sqlite3_column_int64(statement, 0);
        status->best = sqlite3_column_double(statement, 1);
        status->median = sqlite3_column_double(statement, 2);
        status->best_id = (uint64_t)sqlite3_column_int64(statement, 3);
    }
    sqlite3_finalize(statement);
    return result < 0 ? result : 0;
}

static int get_archive(struct store *store, struct store_status *status, struct error *error)
{
    char sql[96];
    snprintf(sql, sizeof sql,
             "SELECT nullif(count(cell), 0) FROM archive WHERE generation = %" PRId64,
             status->closed_generation);
    return store_query_i64(store, sql, -1, &status->cells_filled, error);
}

static int get_place(struct store *store, struct store_status *status, struct error *error)
{
    sqlite3_stmt *statement;
    int result = store_prepare(
        store,
        "SELECT event, detail FROM events WHERE event IN ('run', 'resume', 'finished', 'stopped',"
        " 'failed') ORDER BY number DESC LIMIT 1",
        &statement, error);
    if (result)
        return result;
    result = store_next_row(store, statement, error);
    char event[16] = "";
    if (result == 1)
        statement_copy_text(event, sizeof event, statement, 0);
    if (!strcmp(event, "run") || !strcmp(event, "resume"))
        statement_copy_text(status->place, sizeof status->place, statement, 1);
    sqlite3_finalize(statement);
    return result < 0 ? result : 0;
}

static int get_speed(struct store *store, struct store_status *status, struct error *error)
{
    sqlite3_stmt *statement;
    int result = store_prepare(store,
                               "WITH last AS (SELECT max(time_s) AS t FROM costs)"
                               " SELECT count(*), min(c.time_s), last.t FROM costs c, last"
                               " WHERE c.time_s > last.t - 10",
                               &statement, error);
    if (result)
        return result;
    result = store_next_row(store, statement, error);
    if (result == 1 && sqlite3_column_int64(statement, 0) > 0) {
        double span_s = sqlite3_column_double(statement, 2) - sqlite3_column_double(statement, 1);
        status->last_result_s = sqlite3_column_double(statement, 2);
        if (span_s > 0)
            status->evaluations_per_s = (double)(sqlite3_column_int64(statement, 0) - 1) / span_s;
    }
    sqlite3_finalize(statement);
    return result < 0 ? result : 0;
}

static int get_run_values(struct store *store, struct store_status *status, struct error *error)
{
    sqlite3_stmt *statement;
    int result = store_prepare(store, "SELECT key, value FROM run", &statement, error);
    if (result)
        return result;
    while ((result = store_next_row(store, statement, error)) == 1) {
        const char *key = statement_text(statement, 0);
        if (!strcmp(key, "finished"))
            status->is_finished = !strcmp(statement_text(statement, 1), "1");
        else if (!strcmp(key, "created_utc"))
            statement_copy_text(status->created_utc, sizeof status->created_utc, statement, 1);
        else if (!strcmp(key, "champion"))
            status->champion.id = (uint64_t)sqlite3_column_int64(statement, 1);
        else if (!strcmp(key, "champion_holds"))
            status->champion.holds = sqlite3_column_int(statement, 1);
        else if (!strcmp(key, "champion_words"))
            statement_copy_text(status->champion.words, sizeof status->champion.words, statement,
                                1);
    }
    sqlite3_finalize(statement);
    return result;
}

int store_get_status(struct store *store, struct store_status *status, struct error *error)
{
    memset(status, 0, sizeof *status);
    status->has_generation = store->generation >= 0;
    status->generation = store->generation >= 0 ? (uint32_t)store->generation : 0;
    int result = get_run_values(store, status, error);
    if (!result)
        result = get_counts(store, status, error);
    if (!result)
        result = get_best_so_far(store, status, error);
    if (!result)
        result = get_closed(store, status, error);
    if (!result)
        result = get_archive(store, status, error);
    if (!result)
        result = get_speed(store, status, error);
    if (!result)
        result = get_place(store, status, error);
    if (!result)
        result = count_choices(store, status, error);
    return result;
}

static void free_texts(struct store_quarantine *entry)
{
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

static int read_quarantine(struct store *store, sqlite3_stmt *row, struct store_quarantine *entry,
                           struct error *error)
{
    entry->id = (uint64_t)sqlite3_column_int64(row, 0);
    statement_copy_text(entry->time_utc, sizeof entry->time_utc, row, 1);
    entry->reason = strdup(statement_text(row, 2));
    entry->command = strdup(statement_text(row, 3));
    entry->log = strdup(statement_text(row, 4));
    if (!entry->reason || !entry->command || !entry->log)
        return error_set(error, ERR_MEMORY, "%s: out of memory", store->path);
    text_clean(entry->reason, "");
    text_clean(entry->command, "");
    text_clean(entry->log, "\n");
    return 0;
}

/* A negative `most`: all. */
static int prepare_quarantine(struct store *store, int most, sqlite3_stmt **row,
                              struct error *error)
{
    int64_t has_log;
    int status = store_has_quarantine_log(store, &has_log, error);
    if (!status)
        status = store_prepare(store,
                               has_log ? "SELECT individual, time_utc, reason, command, log"
                                         " FROM quarantine ORDER BY individual LIMIT ?"
                                       : "SELECT individual, time_utc, reason, command, ''"
                                         " FROM quarantine ORDER BY individual LIMIT ?",
                               row, error);
    if (!status)
        sqlite3_bind_int(*row, 1, most);
    return status;
}

int store_each_quarantine(struct store *store,
                          void (*take)(void *context, const struct store_quarantine *entry),
                          void *context, struct error *error)
{
    sqlite3_stmt *row;
    int status = prepare_quarantine(store, -1, &row, error);
    if (status)
        return status;
    while ((status = store_next_row(store, row, error)) == 1) {
        struct store_quarantine entry;
        status = read_quarantine(store, row, &entry, error);
        if (!status)
            take(context, &entry);
        free_texts(&entry);
        if (status)
            break;
    }
    sqlite3_finalize(row);
    return status;
}

int store_get_quarantine(struct store *store, int most, struct store_quarantine **entries,
                         int *count, struct error *error)
{
    sqlite3_stmt *row;
    *entries = NULL;
    *count = 0;
    int status = prepare_quarantine(store, most, &row, error);
    if (status)
        return status;
    while ((status = store_next_row(store, row, error)) == 1) {
        status = store_make_room(store, entries, *count, sizeof **entries, error);
        if (!status)
            status = read_quarantine(store, row, &(*entries)[(*count)++], error);
        if (status)
            break;
    }
    sqlite3_finalize(row);
    if (status) {
        store_free_quarantine(*entries, *count);
        *entries = NULL;
        *count = 0;
    }
    return status;
}

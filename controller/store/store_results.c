/* The run store: what comes in while a generation is under way, into the open batch: results and
 * what they cost, the referee's words, quarantine, events. */
#include "controller/store/store_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int store_put_event(struct store *store, const char *event, const char *detail, struct error *error)
{
    char time_utc[32];
    sqlite3_stmt *statement;
    store_now_utc(time_utc);
    if (store->has_failed)
        store_roll_back(store);
    store->has_failed = 0;
    int status = store_begin(store, error);
    if (!status)
        status =
            store_prepare(store, "INSERT INTO events (time_utc, event, detail) VALUES (?, ?, ?)",
                          &statement, error);
    if (status)
        return status;
    store_bind_text(statement, 1, time_utc);
    store_bind_text(statement, 2, event);
    store_bind_text(statement, 3, detail);
    status = store_run_statement(store, statement, error);
    sqlite3_finalize(statement);
    return status;
}

static int bind_result(struct store *store, enum hot_statement which,
                       const struct individual *individual, sqlite3_stmt **statement,
                       struct error *error)
{
    int status = store_get_hot(store, which, statement, error);
    if (status)
        return status;
    for (int i = 0; i < MEASURE_COUNT; i++)
        sqlite3_bind_double(*statement, i + 1, measures_get(&individual->measures, i));
    sqlite3_bind_text(*statement, MEASURE_COUNT + 1, verdict_name(individual->verdict), -1,
                      SQLITE_STATIC);
    sqlite3_bind_double(*statement, MEASURE_COUNT + 2, individual->fitness);
    store_bind_hash(*statement, MEASURE_COUNT + 3, individual->digest);
    sqlite3_bind_int64(*statement, MEASURE_COUNT + 4, store->branch);
    return 0;
}

/* The creature's whole row, unless it has one already; *is_new says so. */
static int insert_individual(struct store *store, const struct individual *individual, int *is_new,
                             struct error *error)
{
    sqlite3_stmt *statement;
    int status = bind_result(store, HOT_INSERT_RESULT, individual, &statement, error);
    if (!status)
        status = store_bind_birth(store, statement, MEASURE_COUNT + 4, individual, error);
    if (!status)
        status = store_run_statement(store, statement, error);
    *is_new = sqlite3_changes(store->database) > 0;
    return status;
}

/* Replaces the result of a creature that is simulated again. */
static int replace_result(struct store *store, const struct individual *individual,
                          struct error *error)
{
    sqlite3_stmt *result, *evaluated;
    int status = bind_result(store, HOT_UPDATE_RESULT, individual, &result, error);
    if (!status) {
        sqlite3_bind_int64(result, MEASURE_COUNT + 5, (sqlite3_int64)individual->id);
        status = store_run_statement(store, result, error);
    }
    if (!status)
        status = store_get_hot(store, HOT_UPDATE_EVALUATED, &evaluated, error);
    if (status)
        return status;
    sqlite3_bind_int64(evaluated, 1, store->generation);
    sqlite3_bind_int64(evaluated, 2, (sqlite3_int64)individual->id);
    return store_run_statement(store, evaluated, error);
}

static int put_cost(struct store *store, uint64_t id, const struct store_cost *cost,
                    struct error *error)
{
    sqlite3_stmt *statement;
    int status = store_get_hot(store, HOT_PUT_COST, &statement, error);
    if (status)
        return status;
    sqlite3_bind_int64(statement, 1, (sqlite3_int64)id);
    store_bind_known(statement, 2, cost->worker >= 0, cost->worker);
    sqlite3_bind_int64(statement, 3, cost->attempt);
    sqlite3_bind_double(statement, 4, cost->task.wall_ms);
    sqlite3_bind_double(statement, 5, cost->task.cpu_ms);
    sqlite3_bind_int64(statement, 6, (sqlite3_int64)cost->task.arena_bytes);
    sqlite3_bind_double(statement, 7, now_s());
    store_bind_id(statement, 8, cost->reused);
    sqlite3_bind_double(statement, 9, cost->pace_least_m_s);
    return store_run_statement(store, statement, error);
}

int store_put_result(struct store *store, const struct individual *individual,
                     const struct store_cost *cost, struct error *error)
{
    int is_new;
    ENSURE(individual->id > 0 && individual->verdict >= 0, "creature %" PRIu64 ", verdict %d",
           individual->id, individual->verdict);
    int status = store_begin(store, error);
    if (!status)
        status = insert_individual(store, individual, &is_new, error);
    if (!status && !is_new)
        status = replace_result(store, individual, error);
    if (!status && cost)
        status = put_cost(store, individual->id, cost, error);
    return status;
}

int store_put_referee(struct store *store, const struct individual *individual, struct error *error)
{
    sqlite3_stmt *statement;
    int status = store_begin(store, error);
    if (!status)
        status = store_get_hot(store, HOT_PUT_REFEREE, &statement, error);
    if (status)
        return status;
    sqlite3_bind_double(statement, 1, individual->fitness);
    sqlite3_bind_double(statement, 2, individual->referee_fitness);
    store_bind_text(statement, 3, individual->referee_words);
    sqlite3_bind_int64(statement, 4, store->branch); /* by whose parameters that is its fitness */
    sqlite3_bind_int64(statement, 5, (sqlite3_int64)individual->id);
    return store_run_statement(store, statement, error);
}

int store_put_trial(struct store *store, const struct store_trial *trial, struct error *error)
{
    sqlite3_stmt *statement;
    char text[TRIAL_TEXT_SIZE];
    trial_to_text(&trial->trial, text);
    int status = store_begin(store, error);
    if (!status)
        status = store_prepare(store,
                               "INSERT OR REPLACE INTO referee_trials (individual, trial, verdict,"
                               " fitness) VALUES (?, ?, ?, ?)",
                               &statement, error);
    if (status)
        return status;
    sqlite3_bind_int64(statement, 1, (sqlite3_int64)trial->id);
    store_bind_text(statement, 2, text);
    store_bind_text(statement, 3, verdict_name(trial->verdict));
    sqlite3_bind_double(statement, 4, trial->fitness);
    status = store_run_statement(store, statement, error);
    sqlite3_finalize(statement);
    return status;
}

int store_put_contest(struct store *store, const struct store_contest *contest, struct error *error)
{
    sqlite3_stmt *statement;
    char text[TRIAL_TEXT_SIZE];
    trial_to_text(&contest->trial, text);
    int status = store_begin(store, error);
    if (!status)
        status = store_get_hot(store, HOT_PUT_CONTEST, &statement, error);
    if (status)
        return status;
    sqlite3_bind_int64(statement, 1, contest->generation);
    sqlite3_bind_int64(statement, 2, (sqlite3_int64)contest->ids[0]);
    sqlite3_bind_int64(statement, 3, (sqlite3_int64)contest->ids[1]);
    store_bind_text(statement, 4, text);
    store_bind_hash(statement, 5, contest->seed);
    store_bind_text(statement, 6, verdict_name(contest->verdicts[0]));
    store_bind_text(statement, 7, verdict_name(contest->verdicts[1]));
    sqlite3_bind_double(statement, 8, contest->margins[0]);
    sqlite3_bind_double(statement, 9, contest->margins[1]);
    store_bind_hash(statement, 10, contest->digest);
    return store_run_statement(store, statement, error);
}

int store_put_champion(struct store *store, const struct store_champion *champion,
                       struct error *error)
{
    char id[24];
    snprintf(id, sizeof id, "%" PRIu64, champion->id);
    int status = store_begin(store, error);
    if (!status)
        status = store_set_run_value(store, "champion", id, error);
    if (!status)
        status = store_set_run_value(store, "champion_holds", champion->holds ? "1" : "0", error);
    return status ? status : store_set_run_value(store, "champion_words", champion->words, error);
}

int store_put_quarantine(struct store *store, const struct individual *individual,
                         const char *reason, const char *command, const char *log,
                         struct error *error)
{
    char time_utc[32];
    sqlite3_stmt *statement;
    store_now_utc(time_utc);
    int status = store_put_result(store, individual, NULL, error);
    if (!status)
        status = store_prepare(store,
                               "INSERT OR REPLACE INTO quarantine (individual, time_utc, reason,"
                               " command, log) VALUES (?, ?, ?, ?, ?)",
                               &statement, error);
    if (status)
        return status;
    sqlite3_bind_int64(statement, 1, (sqlite3_int64)individual->id);
    store_bind_text(statement, 2, time_utc);
    store_bind_text(statement, 3, reason);
    store_bind_text(statement, 4, command);
    store_bind_text(statement, 5, log);
    status = store_run_statement(store, statement, error);
    sqlite3_finalize(statement);
    return status;
}

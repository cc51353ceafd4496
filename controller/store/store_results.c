/* The run store: what comes in while a generation is under way, into the open batch: results and
 * what they cost, the referee's words, quarantine, events. */
#include "controller/store/store_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/system/process.h"

int store_put_event(struct store *store, const char *event, const char *detail, struct error *error)
{
    char time_utc[32];
    clock_print_utc(time_utc);
    if (store->database.has_failed)
        store_roll_back(store);
    store->database.has_failed = 0;
    return store_run(store, "INSERT INTO events (time_utc, event, detail) VALUES (?, ?, ?)",
                     STORE_ROW(STORE_TEXT(time_utc), STORE_TEXT(event), STORE_TEXT(detail)), error);
}

/* ---- results ---- */

enum { RESULT_COUNT = MEASURE_COUNT + 4 };
#define COLUMN(name, text) #name ", "
#define PLACE(name, text)  "?, "
#define CHANGE(name, text) #name " = ?, "

/* The values of measures and the rest of a result. */
static void list_result(const struct store *store, const struct individual *individual,
                        struct store_value values[RESULT_COUNT])
{
    for (int i = 0; i < MEASURE_COUNT; i++)
        values[i] = STORE_REAL(measures_get(&individual->measures, i));
    values[MEASURE_COUNT] = STORE_TEXT(verdict_name(individual->verdict));
    values[MEASURE_COUNT + 1] = STORE_REAL(individual->fitness);
    values[MEASURE_COUNT + 2] = STORE_HASH(individual->digest);
    values[MEASURE_COUNT + 3] = STORE_WHOLE(store->branch);
}

/* The creature's whole row, unless it has one already; *is_new says so. */
static int insert_individual(struct store *store, const struct individual *individual, int *is_new,
                             struct error *error)
{
    struct store_value values[RESULT_COUNT + STORE_BIRTH_COUNT + 1];
    list_result(store, individual, values);
    int status = store_list_birth(store, individual, values + RESULT_COUNT, error);
    if (!status)
        status = store_run(
            store,
            "INSERT OR IGNORE INTO individuals (" MEASURES(
                COLUMN) "verdict,"
                        " fitness, digest, branch, " STORE_BIRTH
                        ") VALUES (" MEASURES(PLACE) "?, ?, ?, ?, " STORE_BIRTH_PLACES ")",
            values, error);
    *is_new = sqlite3_changes(store->database.handle) > 0;
    return status;
}

/* Replaces the result of a creature that is simulated again. */
static int replace_result(struct store *store, const struct individual *individual,
                          struct error *error)
{
    struct store_value values[RESULT_COUNT + 2];
    list_result(store, individual, values);
    values[RESULT_COUNT] = STORE_WHOLE((int64_t)individual->id);
    values[RESULT_COUNT + 1] = STORE_ROW_END;
    int status =
        store_run(store,
                  "UPDATE individuals SET " MEASURES(CHANGE) "verdict = ?, fitness = ?,"
                                                             " digest = ?, branch = ? WHERE id = ?",
                  values, error);
    return status ? status
                  : store_run(store,
                              "UPDATE members SET evaluated = 1 WHERE generation = ? AND"
                              " individual = ?",
                              STORE_ROW(STORE_WHOLE(store->generation),
                                        STORE_WHOLE((int64_t)individual->id)),
                              error);
}

int store_put_cost(struct store *store, uint64_t id, const struct trial *trial,
                   const struct store_cost *cost, struct error *error)
{
    ENSURE(id > 0 && cost->simulations >= 0, "creature %" PRIu64 ", %" PRId64 " simulations", id,
           cost->simulations);
    char text[TRIAL_TEXT_SIZE];
    struct trial row = *trial;
    if (row.bout > 0)
        row.bout = row.perturbation = 0;
    trial_to_text(&row, text);
    return store_run(
        store,
        "INSERT INTO costs (individual, trial, worker, attempt, simulations, wall_ms, cpu_ms,"
        " arena_bytes, time_s, reused, pace_least_m_s) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (individual, trial) DO UPDATE SET worker = coalesce(excluded.worker, worker),"
        " attempt = max(attempt, excluded.attempt),"
        " simulations = simulations + excluded.simulations,"
        " wall_ms = wall_ms + excluded.wall_ms, cpu_ms = cpu_ms + excluded.cpu_ms,"
        " arena_bytes = max(arena_bytes, excluded.arena_bytes), time_s = excluded.time_s,"
        " reused = excluded.reused, pace_least_m_s = excluded.pace_least_m_s",
        STORE_ROW(STORE_WHOLE((int64_t)id), STORE_TEXT(text),
                  STORE_KNOWN(cost->worker >= 0, cost->worker), STORE_WHOLE(cost->attempt),
                  STORE_WHOLE(cost->simulations), STORE_REAL(cost->task.wall_ms),
                  STORE_REAL(cost->task.cpu_ms), STORE_WHOLE((int64_t)cost->task.arena_bytes),
                  STORE_REAL(1e-3 * clock_ms(CLOCK_REALTIME)), STORE_ID(cost->reused),
                  STORE_REAL(cost->pace_least_m_s)),
        error);
}

int store_add_controller_time(struct store *store, double cpu_s, struct error *error)
{
    ENSURE(cpu_s >= 0, "%g s of processor time", cpu_s);
    return store_run(store,
                     "INSERT INTO run (key, value) VALUES ('controller_cpu_s', printf('%.3f', ?1))"
                     " ON CONFLICT (key) DO UPDATE SET value = printf('%.3f', value + ?1)",
                     STORE_ROW(STORE_REAL(cpu_s)), error);
}

int store_put_result(struct store *store, const struct individual *individual, struct error *error)
{
    int is_new;
    ENSURE(individual->id > 0 && individual->verdict >= 0, "creature %" PRIu64 ", verdict %d",
           individual->id, individual->verdict);
    int status = insert_individual(store, individual, &is_new, error);
    return status || is_new ? status : replace_result(store, individual, error);
}

int store_put_referee(struct store *store, const struct individual *individual, struct error *error)
{
    ENSURE(individual->id > 0 && individual->has_result,
           "the referee judges creature %" PRIu64 " without a result", individual->id);
    const struct store_value values[] = {
        STORE_REAL(individual->fitness),
        STORE_REAL(individual->referee_fitness),
        STORE_TEXT(individual->referee_words),
        STORE_WHOLE(individual->heard),
        STORE_WHOLE(store->branch), /* by whose parameters that is its fitness */
        STORE_WHOLE((int64_t)individual->id),
        STORE_ROW_END};
    return store_run(store,
                     "UPDATE individuals SET fitness = ?, referee_fitness = ?, referee_words = ?,"
                     " referee_stage = ?, branch = ? WHERE id = ?",
                     values, error);
}

int store_put_trial(struct store *store, const struct store_trial *trial, struct error *error)
{
    ENSURE(trial->id > 0 && trial->verdict >= 0, "creature %" PRIu64 ", verdict %d", trial->id,
           trial->verdict);
    char text[TRIAL_TEXT_SIZE];
    trial_to_text(&trial->trial, text);
    return store_run(store,
                     "INSERT OR REPLACE INTO referee_trials (individual, trial, verdict, fitness)"
                     " VALUES (?, ?, ?, ?)",
                     STORE_ROW(STORE_WHOLE((int64_t)trial->id), STORE_TEXT(text),
                               STORE_TEXT(verdict_name(trial->verdict)),
                               STORE_REAL(trial->fitness)),
                     error);
}

int store_put_contest(struct store *store, const struct store_contest *contest, struct error *error)
{
    ENSURE(contest->ids[0] > 0 && contest->ids[1] > 0 && contest->trial.bout > 0,
           "bout %d of %" PRIu64 " and %" PRIu64, contest->trial.bout, contest->ids[0],
           contest->ids[1]);
    char text[TRIAL_TEXT_SIZE];
    trial_to_text(&contest->trial, text);
    return store_run(
        store,
        "INSERT OR REPLACE INTO contests (generation, first, second, trial, seed,"
        " verdict1, verdict2, margin1, margin2, digest)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        STORE_ROW(STORE_WHOLE(contest->generation), STORE_WHOLE((int64_t)contest->ids[0]),
                  STORE_WHOLE((int64_t)contest->ids[1]), STORE_TEXT(text),
                  STORE_HASH(contest->seed), STORE_TEXT(verdict_name(contest->verdicts[0])),
                  STORE_TEXT(verdict_name(contest->verdicts[1])), STORE_REAL(contest->margins[0]),
                  STORE_REAL(contest->margins[1]), STORE_HASH(contest->digest)),
        error);
}

int store_put_champion(struct store *store, const struct store_champion *champion,
                       struct error *error)
{
    char id[24];
    snprintf(id, sizeof id, "%" PRIu64, champion->id);
    return store_set_run_value(store, "champion", id, error) ||
                   store_set_run_value(store, "champion_holds", champion->holds ? "1" : "0",
                                       error) ||
                   store_set_run_value(store, "champion_words", champion->words, error)
               ? error->code
               : 0;
}

int store_put_quarantine(struct store *store, const struct individual *individual,
                         const char *reason, const char *command, const char *log,
                         struct error *error)
{
    char time_utc[32];
    clock_print_utc(time_utc);
    int status = store_put_result(store, individual, error);
    return status ? status
                  : store_run(store,
                              "INSERT OR REPLACE INTO quarantine (individual, time_utc, reason,"
                              " command, log) VALUES (?, ?, ?, ?, ?)",
                              STORE_ROW(STORE_WHOLE((int64_t)individual->id), STORE_TEXT(time_utc),
                                        STORE_TEXT(reason), STORE_TEXT(command), STORE_TEXT(log)),
                              error);
}

/* ---- choices by hand, some dozens in a generation of a run in which a person chooses ---- */

int store_check_choice(struct store *store, uint64_t id, struct error *error)
{
    struct params params;
    int64_t is_member;
    char sql[512];
    if (store_get_params(store, &params, error))
        return error->code;
    if (!search_is_interactive(&params))
        return error_set(
            error, ERR_RANGE,
            "this run has no choices by hand: neither is evolution.behaviour interactive, nor "
            "interactive.share above 0");
    if (store->generation + 1 >= params.evolution_generations)
        return error_set(error, ERR_RANGE,
                         "generation %" PRId64 " is the last one, from which nothing is bred",
                         store->generation);
    snprintf(sql, sizeof sql, "SELECT count(*) FROM " STORE_JUDGED " WHERE individual = %" PRIu64,
             id);
    int status = statement_number(&store->database, sql, store->generation, 0, &is_member, error);
    if (!status && !is_member)
        status = error_set(error, ERR_MISSING,
                           "creature %" PRIu64 " is not in generation %" PRId64
                           ", from which the next one is bred",
                           id, store->generation);
    return status;
}

/* Puts one, or takes it away (CHOICE_NONE). */
static int put_choice(struct store *store, int64_t generation, uint64_t id, int choice,
                      struct error *error)
{
    ENSURE(generation >= 0 && choice_name(choice)[0], "choice %d in generation %" PRId64, choice,
           generation);
    const struct store_value none[] = {STORE_WHOLE(generation), STORE_WHOLE((int64_t)id),
                                       STORE_ROW_END};
    if (choice == CHOICE_NONE)
        return store_run(store, "DELETE FROM choices WHERE generation = ? AND individual = ?", none,
                         error);
    return store_run(store,
                     "INSERT OR REPLACE INTO choices (generation, individual, choice)"
                     " VALUES (?, ?, ?)",
                     STORE_ROW(none[0], none[1], STORE_TEXT(choice_name(choice))), error);
}

int store_put_choice(struct store *store, uint64_t id, int choice, struct error *error)
{
    return put_choice(store, store->generation, id, choice, error);
}

int store_get_chosen_until(struct store *store, int64_t *generation, struct error *error)
{
    return statement_number(&store->database,
                            "SELECT CAST(value AS INTEGER) FROM run WHERE key = 'chosen_until'", 0,
                            0, generation, error);
}

int store_copy_choices(struct store *store, struct store *from, struct error *error)
{
    struct store_choice *choices;
    char until[24];
    int count;
    int status = stored_get_choices(&from->database, -1, &choices, &count, error);
    snprintf(until, sizeof until, "%" PRId64, from->generation);
    for (int i = 0; !status && i < count; i++)
        if (choices[i].generation < from->generation)
            status =
                put_choice(store, choices[i].generation, choices[i].id, choices[i].choice, error);
    free(choices);
    return status || store_copy_deeds(store, from, error) ||
                   store_set_run_value(store, "chosen_until", until, error)
               ? error->code
               : 0;
}

#include "common/store/stored_run.h"

#include <inttypes.h>
#include <string.h>

#include "common/params/choice.h"
#include "common/store/creature_name.h"

/* ---- one creature ---- */

static int read_creature(struct database *database, sqlite3_stmt *row, void *creature,
                         struct error *error)
{
    int status = stored_creature_read(database, row, creature, error);
    return status ? status : 1;
}

int stored_get_creature(struct database *database, uint64_t id, struct creature *creature,
                        struct error *error)
{
    static const char *const queries[] = {STORED_SELECT
                                          " FROM individuals i WHERE i.id = " STORED_ID_MEANT,
                                          STORED_SELECT_BIRTHS " FROM i WHERE i.id = ?1"};
    int status = 0;
    creature_init(creature);
    for (size_t i = 0; !status && !creature->id && i < sizeof queries / sizeof queries[0]; i++)
        status =
            statement_each(database, queries[i], (int64_t)id, 0, read_creature, creature, error);
    if (!status && !creature->id)
        status = creature_fail_missing(database->path, id, error);
    if (!status)
        return 0;
    creature_deinit(creature);
    creature_init(creature);
    return status;
}

/* ---- generations ---- */

int stored_find_closed(struct database *database, int64_t wanted, int64_t *found,
                       struct error *error)
{
    ENSURE(wanted >= -1, "generation %" PRId64, wanted);
    int64_t last;
    int status = statement_number(database, "SELECT max(number) FROM generations WHERE closed = 1",
                                  0, -1, &last, error);
    if (status)
        return status;
    if (last < 0)
        return error_set(error, ERR_MISSING, "%s: no generation is complete yet", database->path);
    if (wanted > last)
        return error_set(error, ERR_RANGE,
                         "%s: generation %" PRId64 " is not complete; complete are 0 to %" PRId64,
                         database->path, wanted, last);
    *found = wanted < 0 ? last : wanted;
    return 0;
}

static int read_generation(struct database *database, sqlite3_stmt *row, void *item,
                           struct error *error)
{
    *(struct store_generation *)item = (struct store_generation){
        .generation = (uint32_t)sqlite3_column_int64(row, 0),
        .best = sqlite3_column_double(row, 1),
        .median = sqlite3_column_double(row, 2),
        .mean = sqlite3_column_double(row, 3),
        .best_id = statement_id(row, 4),
        .evaluations = sqlite3_column_int64(row, 5),
        .cells = sqlite3_column_int64(row, 6),
    };
    return 0;
}

int stored_get_generations(struct database *database, int64_t first,
                           struct store_generation **generations, int *count, struct error *error)
{
    static const struct listing listing = {
        "SELECT number, best, median, mean, best_id, evaluations,"
        " (SELECT count(cell) FROM archive WHERE generation = number)"
        " FROM generations WHERE closed = 1 AND number >= ? ORDER BY number",
        sizeof **generations, read_generation, NULL};
    return statement_list(database, &listing, first, 0, generations, count, error);
}

/* ---- choices ---- */

static int read_choice(struct database *database, sqlite3_stmt *row, void *item,
                       struct error *error)
{
    struct store_choice *choice = item;
    choice->generation = (uint32_t)sqlite3_column_int64(row, 0);
    choice->id = statement_id(row, 1);
    return choice_find(statement_text(row, 2), &choice->choice)
               ? statement_fail_content(database, "an unknown choice", error)
               : 0;
}

int stored_get_choices(struct database *database, int64_t generation, struct store_choice **choices,
                       int *count, struct error *error)
{
    static const struct listing listing = {
        "SELECT generation, individual, choice FROM choices"
        " WHERE ?1 < 0 OR generation = ?1 ORDER BY generation, individual",
        sizeof **choices, read_choice, NULL};
    return statement_list(database, &listing, generation, 0, choices, count, error);
}

/* ---- contests ---- */

static int read_contest(struct database *database, sqlite3_stmt *row, void *item,
                        struct error *error)
{
    struct store_contest *contest = item;
    contest->ids[0] = statement_id(row, 0);
    contest->ids[1] = statement_id(row, 1);
    int status = trial_from_text(&contest->trial, statement_text(row, 2), error);
    if (!status && contest->trial.bout == 0)
        status = error_set(error, ERR_FORMAT, "trial '%.40s' is not of a contest",
                           statement_text(row, 2));
    if (!status &&
        (statement_hash(row, 3, &contest->seed) || statement_hash(row, 4, &contest->digest)))
        status = error_set(error, ERR_FORMAT, "seed or digest of a contest are none");
    return status ? error_prefix(error, "%s", database->path) : 1;
}

int stored_get_last_contest(struct database *database, uint64_t id, struct store_contest *contest,
                            struct error *error)
{
    memset(contest, 0, sizeof *contest);
    int status = statement_each(database,
                                "SELECT first, second, trial, seed, digest FROM contests"
                                " WHERE (first = ?1 OR second = ?1) AND trial LIKE 'first+%'"
                                " ORDER BY generation DESC, first + second DESC, trial LIMIT 1",
                                (int64_t)id, 0, read_contest, contest, error);
    if (!status && contest->trial.bout == 0)
        status = error_set(error, ERR_MISSING, "%s: creature %" PRIu64 " had no contest",
                           database->path, id);
    return status;
}

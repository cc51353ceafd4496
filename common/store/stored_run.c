#include "common/store/stored_run.h"

#include <inttypes.h>

#include "common/math/hash.h"
#include "common/params/choice.h"
#include "common/store/creature_name.h"

/* ---- one creature ---- */

/* 1 if the query, whose parameter is the id, gives it; 0 or ERR_*. */
static int find_creature(sqlite3 *database, const char *path, uint64_t id,
                         struct creature *creature, statement_print *print, const char *rest,
                         struct error *error)
{
    sqlite3_stmt *row;
    int status = statement_prepare_printed(database, path, print, "", rest, &row, error);
    if (status)
        return status;
    sqlite3_bind_int64(row, 1, (sqlite3_int64)id);
    int is_found = statement_next(row, path, error);
    if (is_found == 1)
        status = stored_creature_read(row, path, creature, error);
    sqlite3_finalize(row);
    return status ? status : is_found;
}

int stored_get_creature(sqlite3 *database, const char *path, uint64_t id, struct creature *creature,
                        struct error *error)
{
    creature_init(creature);
    int status = find_creature(database, path, id, creature, stored_creature_print_select,
                               "FROM individuals i WHERE i.id = " STORED_ID_MEANT, error);
    if (status == 0)
        status = find_creature(database, path, id, creature, stored_creature_print_births,
                               "FROM i WHERE i.id = ?1", error);
    if (status == 0)
        status = creature_fail_missing(path, id, error);
    if (status > 0)
        return 0;
    creature_deinit(creature);
    creature_init(creature);
    return status;
}

/* ---- generations ---- */

int stored_find_closed(sqlite3 *database, const char *path, int64_t wanted, int64_t *found,
                       struct error *error)
{
    int64_t last;
    int status =
        statement_number(database, path, "SELECT max(number) FROM generations WHERE closed = 1", 0,
                         -1, &last, error);
    if (status)
        return status;
    if (last < 0)
        return error_set(error, ERR_MISSING, "%s: no generation is complete yet", path);
    if (wanted > last)
        return error_set(error, ERR_RANGE,
                         "%s: generation %" PRId64 " is not complete; complete are 0 to %" PRId64,
                         path, wanted, last);
    *found = wanted < 0 ? last : wanted;
    return 0;
}

static int read_generation(const char *path, sqlite3_stmt *row, void *item, struct error *error)
{
    *(struct store_generation *)item = (struct store_generation){
        .generation = (uint32_t)sqlite3_column_int64(row, 0),
        .best = sqlite3_column_double(row, 1),
        .median = sqlite3_column_double(row, 2),
        .mean = sqlite3_column_double(row, 3),
        .best_id = (uint64_t)sqlite3_column_int64(row, 4),
        .evaluations = sqlite3_column_int64(row, 5),
        .cells = sqlite3_column_int64(row, 6),
    };
    return 0;
}

int stored_get_generations(sqlite3 *database, const char *path, int64_t most, int64_t first,
                           struct store_generation **generations, int *count, struct error *error)
{
    sqlite3_stmt *row;
    *generations = NULL;
    *count = 0;
    int status = statement_prepare(database, path,
                                   "SELECT number, best, median, mean, best_id, evaluations,"
                                   " (SELECT count(cell) FROM archive WHERE generation = number)"
                                   " FROM generations WHERE closed = 1 AND number >= ?"
                                   " ORDER BY number",
                                   &row, error);
    if (status)
        return status;
    sqlite3_bind_int64(row, 1, first);
    return statement_get_rows(row, path, most, read_generation, sizeof **generations, generations,
                              count, error);
}

/* ---- choices ---- */

static int read_choice(const char *path, sqlite3_stmt *row, void *item, struct error *error)
{
    struct store_choice *choice = item;
    choice->generation = (uint32_t)sqlite3_column_int64(row, 0);
    choice->id = (uint64_t)sqlite3_column_int64(row, 1);
    return choice_find(statement_text(row, 2), &choice->choice)
               ? statement_fail_content(path, "an unknown choice", error)
               : 0;
}

int stored_get_choices(sqlite3 *database, const char *path, int64_t most, int64_t generation,
                       struct store_choice **choices, int *count, struct error *error)
{
    sqlite3_stmt *row;
    *choices = NULL;
    *count = 0;
    int status = statement_prepare(database, path,
                                   "SELECT generation, individual, choice FROM choices"
                                   " WHERE ?1 < 0 OR generation = ?1 ORDER BY generation, "
                                   "individual",
                                   &row, error);
    if (status)
        return status;
    sqlite3_bind_int64(row, 1, generation);
    return statement_get_rows(row, path, most, read_choice, sizeof **choices, choices, count,
                              error);
}

static int read_contest(sqlite3_stmt *row, struct store_contest *contest, struct error *error)
{
    const char *trial = (const char *)sqlite3_column_text(row, 2);
    const char *seed = (const char *)sqlite3_column_text(row, 3);
    const char *digest = (const char *)sqlite3_column_text(row, 4);
    *contest = (struct store_contest){
        .ids = {(uint64_t)sqlite3_column_int64(row, 0), (uint64_t)sqlite3_column_int64(row, 1)}};
    int status = trial_from_text(&contest->trial, trial ? trial : "", error);
    if (!status && contest->trial.bout == 0)
        status = error_set(error, ERR_FORMAT, "trial '%.40s' is not of a contest", trial);
    if (!status && (hash_from_text(seed ? seed : "", &contest->seed) ||
                    hash_from_text(digest ? digest : "", &contest->digest)))
        status = error_set(error, ERR_FORMAT, "seed or digest of a contest are none");
    return status;
}

int stored_get_last_contest(sqlite3 *database, const char *path, uint64_t id,
                            struct store_contest *contest, struct error *error)
{
    sqlite3_stmt *row;
    int status = statement_prepare(database, path,
                                   "SELECT first, second, trial, seed, digest FROM contests"
                                   " WHERE (first = ?1 OR second = ?1) AND trial LIKE 'first+%'"
                                   " ORDER BY generation DESC, first + second DESC, trial LIMIT 1",
                                   &row, error);
    if (status)
        return status;
    sqlite3_bind_int64(row, 1, (sqlite3_int64)id);
    status = statement_next(row, path, error);
    if (status == 1)
        status = read_contest(row, contest, error) ? error_prefix(error, "%s", path) : 0;
    else if (status == 0)
        status = error_set(error, ERR_MISSING, "%s: creature %" PRIu64 " had no contest", path, id);
    sqlite3_finalize(row);
    return status;
}

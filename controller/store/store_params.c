/* The run store: parameters in force, their branches, and what becomes of results when they
 * change. */
#include "controller/store/store_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/text.h"
#include "common/version.h"

/* Writes all parameters as rows of a branch. */
static int put_branch_rows(struct store *store, int64_t branch, const struct params *params,
                           struct error *error)
{
    int status = 0;
    for (int i = 0; !status && i < param_count; i++) {
        char value[PARAM_TEXT_SIZE];
        params_print_value(params, i, value, sizeof value);
        status = store_run(store,
                           "INSERT OR REPLACE INTO branch_parameters (branch, position, key, value)"
                           " VALUES (?, ?, ?, ?)",
                           STORE_ROW(STORE_WHOLE(branch), STORE_WHOLE(i),
                                     STORE_TEXT(param_table[i].key), STORE_TEXT(value)),
                           error);
    }
    return status;
}

int store_put_branch(struct store *store, const struct params *params, uint32_t generation,
                     struct error *error)
{
    ENSURE(store->branch >= 0 && !store->is_read_only, "%s: branch %" PRId64, store->path,
           store->branch);
    int status = store_run(store,
                           "INSERT INTO branches (branch, generation, simulator_version,"
                           " evaluation_digest) VALUES (?, ?, ?, ?)",
                           STORE_ROW(STORE_WHOLE(store->branch + 1), STORE_WHOLE(generation),
                                     STORE_WHOLE(SIMULATOR_VERSION),
                                     STORE_HASH(params_evaluation_digest(params))),
                           error);
    if (!status)
        status = put_branch_rows(store, store->branch + 1, params, error);
    if (!status)
        store->branch++;
    return status;
}

int store_get_params(struct store *store, struct params *params, struct error *error)
{
    return stored_branch_params(&store->database, store->branch, params, error);
}

/* Counts and describes the rows that differ; is_new_branch when one is not of scope F. */
static void compare_params(const struct params *before, const struct params *after,
                           struct store_change *change)
{
    memset(change, 0, sizeof *change);
    for (int i = 0; i < param_count; i++) {
        char new[PARAM_TEXT_SIZE];
        if (params_is_same(before, after, i))
            continue;
        params_print_value(after, i, new, sizeof new);
        change->changed_count++;
        if (param_table[i].scope != 'F')
            change->is_new_branch = 1;
        if (!strcmp(param_table[i].key, "evolution.behaviour") ||
            !strncmp(param_table[i].key, "fitness.", strlen("fitness.")))
            change->is_judged_anew = 1;
        text_append(change->text, sizeof change->text, "%s%s=%s", *change->text ? " " : "",
                    param_table[i].key, new);
    }
    change->is_reevaluated = params_evaluation_digest(before) != params_evaluation_digest(after);
}

/* The members of the generation wait for new results, which are counted as its own. Their bars came
 * from old results, and go. */
static const char *const forget_results[] = {
    "INSERT OR IGNORE INTO members (generation, individual, evaluated)"
    " SELECT ?1, individual, 1 FROM " STORE_JUDGED " WHERE evaluated = 1",
    "UPDATE generations SET closed = 0, evaluations_own = evaluations_own +"
    " (SELECT count(*) FROM members WHERE generation = ?1 AND evaluated = 1) WHERE number = ?1",
    "UPDATE members SET evaluated = 0 WHERE generation = ?1",
    "UPDATE individuals SET bar_m_s = NULL, bar_sizes_s = NULL"
    " WHERE id IN (SELECT individual FROM " STORE_JUDGED ")",
    "UPDATE births SET bar_m_s = NULL, bar_sizes_s = NULL"
    " WHERE id IN (SELECT individual FROM " STORE_JUDGED ")",
    NULL};

/* The referee has not seen the members of the generation, nor their ancestors. */
static const char *const forget_referee[] = {
    "UPDATE individuals SET referee_fitness = NULL, referee_words = NULL, referee_stage = NULL,"
    " kept = NULL WHERE id IN (SELECT individual FROM " STORE_JUDGED ")",
    "UPDATE births SET kept = NULL WHERE id IN (SELECT individual FROM " STORE_JUDGED ")", NULL};

static int run_all(struct store *store, const char *const *statements, uint32_t generation,
                   struct error *error)
{
    int status = 0;
    for (; *statements && !status; statements++)
        status = store_run(store, *statements, STORE_ROW(STORE_WHOLE(generation)), error);
    return status;
}

int store_put_params(struct store *store, const struct params *params, uint32_t generation,
                     struct store_change *change, struct error *error)
{
    struct params before;
    int64_t simulator_version;
    if (store_get_params(store, &before, error) ||
        statement_number(&store->database,
                         "SELECT simulator_version FROM branches ORDER BY branch DESC LIMIT 1", 0,
                         0, &simulator_version, error))
        return error->code;
    compare_params(&before, params, change);
    if (simulator_version != SIMULATOR_VERSION)
        change->is_new_branch = change->is_reevaluated = 1;
    if (!change->changed_count && !change->is_new_branch)
        return 0;

    int status = change->is_new_branch ? store_put_branch(store, params, generation, error)
                                       : put_branch_rows(store, store->branch, params, error);
    if (!status && change->is_reevaluated)
        status = run_all(store, forget_results, generation, error);
    if (!status && (change->is_reevaluated || change->is_judged_anew))
        status = run_all(store, forget_referee, generation, error);
    return status || store_put_event(store, "params_changed", change->text, error) ||
                   store_commit(store, error)
               ? error->code
               : 0;
}

/* The run store: generations opened and closed, and births into them.
 *
 * One transaction closes a generation and opens the next, and it is synced to disk: after a power
 * failure a run goes on in the generation that was under way, at worst without its last results. */
#include "controller/store/store_private.h"

#include <inttypes.h>
#include <stdio.h>

int store_put_newborn(struct store *store, const struct individual *newborn, struct error *error)
{
    struct store_value values[STORE_BIRTH_COUNT + 1];
    int status = store_list_birth(store, newborn, values, error);
    return status
               ? status
               : store_run(store,
                           "INSERT INTO births (" STORE_BIRTH ") VALUES (" STORE_BIRTH_PLACES ")",
                           values, error);
}

/* One of the population that a generation begins with. One that waits for a result and is older
 * than the generation has a row if it is simulated a second time, and none if it is still in
 * flight. */
static int put_present(struct store *store, uint32_t generation,
                       const struct individual *individual, struct error *error)
{
    int64_t has_row = individual->has_result;
    if (!has_row && individual->generation < generation) {
        int status =
            statement_number(&store->database, "SELECT count(*) FROM individuals WHERE id = ?",
                             (int64_t)individual->id, 0, &has_row, error);
        if (status)
            return status;
    }
    if (!has_row)
        return store_put_newborn(store, individual, error);
    return store_run(store,
                     "INSERT INTO members (generation, individual, evaluated) VALUES (?, ?, ?)",
                     STORE_ROW(STORE_WHOLE(generation), STORE_WHOLE((int64_t)individual->id),
                               STORE_WHOLE(individual->has_result)),
                     error);
}

static int open_generation(struct store *store, uint32_t generation,
                           const struct population *population, struct error *error)
{
    char sql[320];
    int waiting_count = 0;
    for (int i = 0; i < population->count; i++)
        waiting_count += !population->individuals[i].has_result;
    snprintf(sql, sizeof sql,
             "INSERT INTO generations (number, branch, closed, evaluations_own)"
             " VALUES (%" PRIu32 ", %" PRId64 ", 0, %d);"
             "UPDATE run SET value = '0' WHERE key = 'finished' AND value <> '0';"
             "DELETE FROM run WHERE key LIKE 'champion%%';"
             "DELETE FROM births",
             generation, store->branch, population->due ? population->due : waiting_count);
    int status = store_execute(store, sql, error);
    for (int i = 0; !status && i < population->count; i++)
        status = put_present(store, generation, &population->individuals[i], error);
    return status;
}

static int close_member(struct store *store, uint32_t generation, int rank,
                        const struct generation_rank *member, struct error *error)
{
    return store_run(
        store,
        "INSERT INTO members (generation, individual, evaluated, rank, survived, fitness)"
        " VALUES (?, ?, 1, ?, ?, ?) ON CONFLICT DO UPDATE SET rank = excluded.rank,"
        " survived = excluded.survived, fitness = excluded.fitness",
        STORE_ROW(STORE_WHOLE(generation), STORE_WHOLE((int64_t)member->id), STORE_WHOLE(rank),
                  STORE_WHOLE(member->survived), STORE_REAL(member->fitness)),
        error);
}

/* Instead of what was there: a run that goes on after its end closes its last generation again. */
static int close_archive(struct store *store, uint32_t generation,
                         const struct generation_closing *closing, struct error *error)
{
    int status = store_run(store, "DELETE FROM archive WHERE generation = ?",
                           STORE_ROW(STORE_WHOLE(generation)), error);
    for (int i = 0; !status && i < closing->count; i++) {
        const struct generation_rank *rank = &closing->ranks[i];
        if (rank->cell || rank->trials || rank->is_waiting)
            status = store_run(store,
                               "INSERT OR REPLACE INTO archive (generation, individual, cell,"
                               " trials, waiting) VALUES (?, ?, ?, ?, ?)",
                               STORE_ROW(STORE_WHOLE(generation), STORE_WHOLE((int64_t)rank->id),
                                         STORE_ID((uint64_t)rank->cell), STORE_WHOLE(rank->trials),
                                         STORE_WHOLE(rank->is_waiting)),
                               error);
    }
    return status;
}

static int close_generation(struct store *store, uint32_t generation,
                            const struct generation_closing *closing, struct error *error)
{
    int status = 0;
    /* creatures that were born to fill the generation; once, however often it is closed */
    if (closing->more)
        status = store_run(store,
                           "UPDATE generations SET evaluations_own = evaluations_own + ?"
                           " WHERE number = ? AND closed = 0",
                           STORE_ROW(STORE_WHOLE(closing->more), STORE_WHOLE(generation)), error);
    for (int i = 0; !status && i < closing->count; i++)
        status = close_member(store, generation, i + 1, &closing->ranks[i], error);
    /* those without a rank were members, too */
    if (!status && closing->unjudged)
        status = store_run(store,
                           "INSERT OR IGNORE INTO members (generation, individual, evaluated)"
                           " SELECT ?1, individual, evaluated FROM " STORE_JUDGED,
                           STORE_ROW(STORE_WHOLE(generation)), error);
    if (status || close_archive(store, generation, closing, error))
        return error->code;
    return store_run(store,
                     "UPDATE generations SET closed = 1, best = ?, median = ?, mean = ?,"
                     " best_id = ?, branch = ?, evaluations ="
                     " (SELECT sum(evaluations_own) FROM generations WHERE number <= ?6)"
                     " WHERE number = ?6",
                     STORE_ROW(STORE_REAL(closing->ranks[0].fitness), STORE_REAL(closing->median),
                               STORE_REAL(closing->mean),
                               STORE_WHOLE((int64_t)closing->ranks[0].id),
                               STORE_WHOLE(store->branch), STORE_WHOLE(generation)),
                     error);
}

/* Starts a transaction whose commit is synced. */
static int begin_durable(struct store *store, struct error *error)
{
    int status = store_commit(store, error);
    if (!status && !store->is_on_network)
        status = store_execute(store, "PRAGMA synchronous = FULL", error);
    return status ? status : store_begin(store, error);
}

static int commit_durable(struct store *store, int status, struct error *error)
{
    if (!status)
        status = store_commit(store, error);
    if (status) {
        store_roll_back(store);
        return status;
    }
    return store->is_on_network ? 0 : store_execute(store, "PRAGMA synchronous = NORMAL", error);
}

int store_put_generation(struct store *store, uint32_t generation,
                         const struct population *population,
                         const struct generation_closing *closing, struct error *error)
{
    ENSURE(!closing || (int64_t)generation == store->generation + 1,
           "generation %" PRIu32 " after %" PRId64, generation, store->generation);
    int has_failed = begin_durable(store, error) ||
                     (closing && close_generation(store, generation - 1, closing, error)) ||
                     open_generation(store, generation, population, error);
    int status = commit_durable(store, has_failed ? error->code : 0, error);
    if (!status)
        store->generation = generation;
    return status;
}

int store_close_generation(struct store *store, uint32_t generation,
                           const struct generation_closing *closing, struct error *error)
{
    int has_failed =
        begin_durable(store, error) || close_generation(store, generation, closing, error);
    return commit_durable(store, has_failed ? error->code : 0, error);
}

int store_finish(struct store *store, uint32_t generation, const struct generation_closing *closing,
                 struct error *error)
{
    ENSURE((int64_t)generation == store->generation, "generation %" PRIu32 " of %" PRId64,
           generation, store->generation);
    int has_failed = begin_durable(store, error) ||
                     close_generation(store, generation, closing, error) ||
                     store_execute(store, "DELETE FROM births", error) ||
                     store_set_run_value(store, "finished", "1", error);
    return commit_durable(store, has_failed ? error->code : 0, error);
}

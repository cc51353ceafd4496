#include "common/store/stored.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/math/detmath.h"
#include "common/params/choice.h"
#include "common/store/database.h"
#include "common/store/favourites.h"
#include "common/creature/creature.h"

/* ---- rows to creatures ---- */

static int read_evaluation(const struct row *row, struct creature *creature)
{
    creature->has_evaluation = 1;
    creature->verdict = verdict_find(row_text(row, STORED_VERDICT));
    creature->fitness = sqlite3_column_double(row->at, STORED_FITNESS);
    creature->simulator_version = sqlite3_column_int(row->at, STORED_VERSION);
    for (int m = 0; m < MEASURE_COUNT; m++)
        measures_set(&creature->measures, m, sqlite3_column_double(row->at, STORED_MEASURES + m));
    if (creature->verdict < 0)
        return error_set(row->error, ERR_FORMAT,
                         "%s: damaged: creature %" PRIu64 " has an unknown verdict",
                         row->database->path, creature->id);
    /* a quarantined one need not have a digest; it is not simulated again either */
    if (row_hash(row, STORED_DIGEST, &creature->digest) && creature->verdict != VERDICT_QUARANTINED)
        return error_set(row->error, ERR_FORMAT,
                         "%s: damaged: the digest of creature %" PRIu64
                         " is not 16 hexadecimal digits",
                         row->database->path, creature->id);
    return 0;
}

int stored_creature_read_row(const struct row *row, struct creature *creature)
{
    const void *bytes = sqlite3_column_blob(row->at, STORED_GENOME);
    size_t length = (size_t)sqlite3_column_bytes(row->at, STORED_GENOME);
    creature->id = row_id(row, STORED_ID);
    creature->generation = sqlite3_column_int64(row->at, STORED_GENERATION);
    creature->is_champion = sqlite3_column_int(row->at, STORED_IS_CHAMPION);
    creature->parents[0] = row_id(row, STORED_PARENT_1);
    creature->parents[1] = row_id(row, STORED_PARENT_2);
    row_copy_text(creature->method, sizeof creature->method, row, STORED_METHOD);
    row_copy_text(creature->mutations, sizeof creature->mutations, row, STORED_MUTATIONS);
    if (row_hash(row, STORED_SEED, &creature->seed))
        return error_set(row->error, ERR_FORMAT,
                         "%s: damaged: the seed of creature %" PRIu64
                         " is not 16 hexadecimal digits",
                         row->database->path, creature->id);
    if (!row_is_null(row, STORED_VERDICT)) {
        int status = read_evaluation(row, creature);
        if (status)
            return status;
    }
    genome_deinit(&creature->genome);
    if (genome_decode_bytes(&creature->genome, bytes ? bytes : "", length, row->error))
        return error_prefix(row->error, "%s: creature %" PRIu64, row->database->path, creature->id);
    return 0;
}

static double read_bar(const struct row *row, int column)
{
    double bar = sqlite3_column_double(row->at, column);
    return bar > 0 ? det_min(bar, EARLY_STOP_MAX) : 0;
}

struct early_stop_bar stored_creature_bar(const struct row *row)
{
    return (struct early_stop_bar){.m_s = read_bar(row, STORED_BAR_M_S),
                                   .sizes_s = read_bar(row, STORED_BAR_SIZES_S)};
}

struct recorded {
    struct params *params;
    struct params_remark remark;
};

static int read_param(const struct row *row, void *item)
{
    struct recorded *recorded = item;
    if (params_set_recorded(recorded->params, row_text(row, 0), row_text(row, 1), &recorded->remark,
                            row->error))
        return error_prefix(row->error, "%s: branch_parameters", row->database->path);
    return 0;
}

int stored_branch_params(struct database *database, int64_t branch, struct params *params,
                         struct error *error)
{
    struct recorded recorded = {.params = params};
    params_set_recorded_defaults(params);
    int status = statement_each(
        database, "SELECT key, value FROM branch_parameters WHERE branch = ? ORDER BY position",
        branch, 0, read_param, &recorded, error);
    params_tell_remark(&recorded.remark);
    return status;
}

int stored_creature_read(const struct row *row, struct creature *creature)
{
    struct early_stop_bar bar = stored_creature_bar(row);
    if (stored_creature_read_row(row, creature) ||
        stored_branch_params(row->database, sqlite3_column_int64(row->at, STORED_BRANCH),
                             &creature->params, row->error))
        return row->error->code;
    if (params_check(&creature->params, row->error))
        return error_prefix(row->error, "%s: branch_parameters", row->database->path);
    creature->genome_hash = genome_hash(&creature->genome);
    if (creature->verdict == VERDICT_HOPELESS)
        early_stop_apply_bar(&bar, &creature->params);
    snprintf(creature->name, sizeof creature->name, "%.40s-%" PRIu64, creature->params.run_name,
             creature->id);
    return 0;
}

/* ---- one creature ---- */

static int read_creature(const struct row *row, void *creature)
{
    int status = stored_creature_read(row, creature);
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
        status =
            id == CREATURE_BEST || id == CREATURE_FIRST
                ? error_set(error, ERR_MISSING, "%s: no generation is complete yet", database->path)
                : error_set(error, ERR_MISSING, "%s: there is no creature %" PRIu64, database->path,
                            id);
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

static int read_generation(const struct row *row, void *item)
{
    *(struct store_generation *)item = (struct store_generation){
        .generation = (uint32_t)sqlite3_column_int64(row->at, 0),
        .best = sqlite3_column_double(row->at, 1),
        .median = sqlite3_column_double(row->at, 2),
        .mean = sqlite3_column_double(row->at, 3),
        .best_id = row_id(row, 4),
        .evaluations = sqlite3_column_int64(row->at, 5),
        .cells = sqlite3_column_int64(row->at, 6),
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

static int read_choice(const struct row *row, void *item)
{
    struct store_choice *choice = item;
    choice->generation = (uint32_t)sqlite3_column_int64(row->at, 0);
    choice->id = row_id(row, 1);
    return choice_find(row_text(row, 2), &choice->choice) ? row_fail(row, "an unknown choice") : 0;
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

static int read_contest(const struct row *row, void *item)
{
    struct store_contest *contest = item;
    contest->ids[0] = row_id(row, 0);
    contest->ids[1] = row_id(row, 1);
    int status = trial_from_text(&contest->trial, row_text(row, 2), row->error);
    if (!status && contest->trial.bout == 0)
        status = error_set(row->error, ERR_FORMAT, "trial '%.40s' is not of a contest",
                           row_text(row, 2));
    if (!status && (row_hash(row, 3, &contest->seed) || row_hash(row, 4, &contest->digest)))
        status = error_set(row->error, ERR_FORMAT, "seed or digest of a contest are none");
    return status ? error_prefix(row->error, "%s", row->database->path) : 1;
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

/* ---- epochs of a preserve ---- */

/* An egg that leaves in an epoch arrives this many epochs later, so that no world waits for the
 * slowest. */
#define TRAVEL_EPOCHS 2

int stored_epoch_find_state(struct database *database, uint32_t world, uint32_t most,
                            uint32_t *epoch, struct error *error)
{
    ENSURE(world < EPOCH_WORLDS_MAX, "world %" PRIu32, world);
    char sql[128];
    int64_t found = -1;
    snprintf(sql, sizeof sql,
             "SELECT max(epoch) FROM states WHERE world = %" PRIu32 " AND epoch <= ?", world);
    int status = statement_number(database, sql, most, -1, &found, error);
    if (!status && (found < 0 || found > most))
        status = error_set(error, ERR_MISSING, "%s: world %" PRIu32 " has no state", database->path,
                           world);
    if (!status && found > EPOCH_MOST)
        status = statement_fail_content(database, "states are of epochs that no run has", error);
    *epoch = (uint32_t)found;
    return status;
}

int stored_copy_bytes(const struct row *row, int column, struct packed_bytes *packed)
{
    const void *bytes = sqlite3_column_blob(row->at, column);
    size_t length = (size_t)sqlite3_column_bytes(row->at, column);
    return bytes && packed_bytes_set(packed, bytes, length) ? error_memory(row->error) : 0;
}

/* ---- an order ---- */

static int read_state(const struct row *row, void *item)
{
    struct epoch_order *order = item;
    int status = stored_copy_bytes(row, 0, &order->state);
    return status ? status : 1;
}

static int read_arrival(const struct row *row, void *item)
{
    struct epoch_order *order = item;
    if (order->arrival_count == EPOCH_ARRIVALS_MAX)
        return row_fail(row, "too many arrive in a world");
    int status = stored_copy_bytes(row, 0, &order->arrivals[order->arrival_count]);
    order->arrival_count += !status;
    return status;
}

static int read_without(const struct row *row, void *item)
{
    struct epoch_order *order = item;
    const char *at = row_text(row, 0);
    for (char *end; *at && order->without_count < EPOCH_WITHOUT_MAX; at = end) {
        uint64_t id = strtoull(at, &end, 10);
        if (end == at)
            break;
        order->without[order->without_count++] = id;
    }
    return 0;
}

static int copy_genome(const struct row *row, int column, struct epoch_deed *deed)
{
    const void *bytes = sqlite3_column_blob(row->at, column);
    if ((deed->kind == DEED_put) != (bytes != NULL))
        return row_fail(row, "a deed with a genome too many, or without");
    if (!bytes)
        return 0;
    deed->genome = malloc(sizeof *deed->genome);
    if (!deed->genome)
        return error_memory(row->error);
    int status = genome_decode_bytes(deed->genome, bytes,
                                     (size_t)sqlite3_column_bytes(row->at, column), row->error);
    if (!status)
        return 0;
    free(deed->genome);
    deed->genome = NULL;
    return error_prefix(row->error, "%s: deeds", row->database->path);
}

static int read_deed(const struct row *row, void *item)
{
    struct epoch_order *order = item;
    struct epoch_deed *deed = &order->deeds[order->deed_count];
    if (order->deed_count == EPOCH_DEEDS_MAX)
        return row_fail(row, "too many deeds in an epoch");
    *deed = (struct epoch_deed){.kind = row_name(row, 0, epoch_deed_names, DEED_COUNT)};
    if (deed->kind < 0)
        return row_fail(row, "deeds has what is no deed");
    deed->life = (uint64_t)row_whole(row, 1, 0, INT64_MAX);
    deed->x_m = row_real(row, 2, -DEED_PLACE_MOST_M, DEED_PLACE_MOST_M);
    deed->y_m = row_real(row, 3, -DEED_PLACE_MOST_M, DEED_PLACE_MOST_M);
    deed->energy_uj = row_whole(row, 4, 0, DEED_ENERGY_MAX_UJ);
    int status = copy_genome(row, 5, deed);
    order->deed_count += !status;
    return status;
}

/* Reads the last EPOCH_SPARED_MAX. */
static int read_spared(const struct row *row, void *item)
{
    struct epoch_order *order = item;
    ENSURE(order->spared_count < EPOCH_SPARED_MAX, "%d are spared already", order->spared_count);
    order->spared[order->spared_count++] = row_id(row, 0);
    return order->spared_count == EPOCH_SPARED_MAX;
}

/* The fields read of a world's epoch that is so many epochs earlier. */
static const struct {
    const char *sql;
    int earlier;
    statement_read *read;
} contents[] = {
    {"SELECT state FROM states WHERE world = ? AND epoch = ?", 1, read_state},
    {"SELECT traveller FROM epochs WHERE drifted_to = ? AND epoch = ? ORDER BY world",
     TRAVEL_EPOCHS, read_arrival},
    {"SELECT deed, life, x_m, y_m, energy_uj, genome FROM deeds WHERE world = ? AND epoch = ?"
     " ORDER BY number",
     0, read_deed},
    /* the creatures whose last deed protects them */
    {"SELECT life FROM deeds AS d WHERE world = ?1 AND epoch <= ?2"
     " AND deed = 'protect' AND NOT EXISTS (SELECT 1 FROM deeds AS e"
     " WHERE e.world = ?1 AND e.life = d.life AND e.epoch <= ?2"
     " AND e.deed IN ('protect', 'expose')"
     " AND (e.epoch, e.number) > (d.epoch, d.number))"
     " ORDER BY epoch DESC, number DESC",
     0, read_spared},
    {"SELECT without FROM epochs WHERE world = ? AND epoch = ?", 0, read_without}};

int stored_epoch_fill_order(struct database *database, struct epoch_order *order,
                            struct error *error)
{
    ENSURE(order->epoch > 0 && order->state.length == 0 && order->arrival_count == 0 &&
               order->deed_count == 0,
           "an order of epoch %" PRIu32 " that is not empty", order->epoch);
    int status = 0;
    for (size_t i = 0; !status && i < sizeof contents / sizeof contents[0]; i++)
        status = statement_each(database, contents[i].sql, order->world,
                                (int64_t)order->epoch - contents[i].earlier, contents[i].read,
                                order, error);
    return status;
}

/* ---- what came of it ---- */

struct digest {
    uint64_t value;
    int is_there;
};

static int read_digest(const struct row *row, void *item)
{
    struct digest *digest = item;
    digest->is_there = 1;
    return row_hash(row, 0, &digest->value) ? row_fail(row, "epochs.digest is no digest") : 0;
}

int stored_epoch_get_digest(struct database *database, uint32_t world, uint32_t epoch,
                            uint64_t *value, struct error *error)
{
    struct digest digest = {0, 0};
    int status = statement_each(database, "SELECT digest FROM epochs WHERE world = ? AND epoch = ?",
                                world, epoch, read_digest, &digest, error);
    *value = digest.value;
    if (!status && !digest.is_there)
        status =
            error_set(error, ERR_MISSING, "%s: world %" PRIu32 " has not come to epoch %" PRIu32,
                      database->path, world, epoch);
    return status;
}

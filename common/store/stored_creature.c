#include "common/store/stored_creature.h"

#include <inttypes.h>
#include <math.h>

static int read_evaluation(struct database *database, sqlite3_stmt *row, struct creature *creature,
                           struct error *error)
{
    creature->has_evaluation = 1;
    creature->verdict = verdict_find(statement_text(row, STORED_VERDICT));
    creature->fitness = sqlite3_column_double(row, STORED_FITNESS);
    creature->simulator_version = sqlite3_column_int(row, STORED_VERSION);
    for (int m = 0; m < MEASURE_COUNT; m++)
        measures_set(&creature->measures, m, sqlite3_column_double(row, STORED_MEASURES + m));
    if (creature->verdict < 0)
        return error_set(error, ERR_FORMAT,
                         "%s: damaged: creature %" PRIu64 " has an unknown verdict", database->path,
                         creature->id);
    /* a quarantined one need not have a digest; it is not simulated again either */
    if (statement_hash(row, STORED_DIGEST, &creature->digest) &&
        creature->verdict != VERDICT_QUARANTINED)
        return error_set(error, ERR_FORMAT,
                         "%s: damaged: the digest of creature %" PRIu64
                         " is not 16 hexadecimal digits",
                         database->path, creature->id);
    return 0;
}

int stored_creature_read_row(struct database *database, sqlite3_stmt *row,
                             struct creature *creature, struct error *error)
{
    const void *bytes = sqlite3_column_blob(row, STORED_GENOME);
    size_t length = (size_t)sqlite3_column_bytes(row, STORED_GENOME);
    creature->id = statement_id(row, STORED_ID);
    creature->generation = sqlite3_column_int64(row, STORED_GENERATION);
    creature->is_champion = sqlite3_column_int(row, STORED_IS_CHAMPION);
    creature->parents[0] = statement_id(row, STORED_PARENT_1);
    creature->parents[1] = statement_id(row, STORED_PARENT_2);
    statement_copy_text(creature->method, sizeof creature->method, row, STORED_METHOD);
    statement_copy_text(creature->mutations, sizeof creature->mutations, row, STORED_MUTATIONS);
    if (statement_hash(row, STORED_SEED, &creature->seed))
        return error_set(error, ERR_FORMAT,
                         "%s: damaged: the seed of creature %" PRIu64
                         " is not 16 hexadecimal digits",
                         database->path, creature->id);
    if (!statement_is_null(row, STORED_VERDICT)) {
        int status = read_evaluation(database, row, creature, error);
        if (status)
            return status;
    }
    genome_deinit(&creature->genome);
    if (genome_decode_bytes(&creature->genome, bytes ? bytes : "", length, error))
        return error_prefix(error, "%s: creature %" PRIu64, database->path, creature->id);
    return 0;
}

static double read_bar(sqlite3_stmt *row, int column)
{
    double bar = sqlite3_column_double(row, column);
    return bar > 0 ? fmin(bar, EARLY_STOP_MAX) : 0;
}

struct early_stop_bar stored_creature_bar(sqlite3_stmt *row)
{
    return (struct early_stop_bar){.m_s = read_bar(row, STORED_BAR_M_S),
                                   .sizes_s = read_bar(row, STORED_BAR_SIZES_S)};
}

struct recorded {
    struct params *params;
    struct params_remark remark;
};

static int read_param(struct database *database, sqlite3_stmt *row, void *item, struct error *error)
{
    struct recorded *recorded = item;
    if (params_set_recorded(recorded->params, statement_text(row, 0), statement_text(row, 1),
                            &recorded->remark, error))
        return error_prefix(error, "%s: branch_parameters", database->path);
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

int stored_creature_read(struct database *database, sqlite3_stmt *row, struct creature *creature,
                         struct error *error)
{
    struct early_stop_bar bar = stored_creature_bar(row);
    int status = stored_creature_read_row(database, row, creature, error);
    if (!status)
        status = stored_branch_params(database, sqlite3_column_int64(row, STORED_BRANCH),
                                      &creature->params, error);
    if (!status && params_check(&creature->params, error))
        status = error_prefix(error, "%s: branch_parameters", database->path);
    if (status)
        return status;
    creature->genome_hash = genome_hash(&creature->genome);
    early_stop_apply_bar(&bar, &creature->params);
    snprintf(creature->name, sizeof creature->name, "%.40s-%" PRIu64, creature->params.run_name,
             creature->id);
    return 0;
}

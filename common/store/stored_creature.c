#include "common/store/stored_creature.h"

#include <inttypes.h>
#include <math.h>

void stored_creature_print_select(FILE *text, const char *extra, const char *rest)
{
    fputs("SELECT i.id, i.generation, i.method, i.parent1, i.parent2, i.mutations, i.seed,"
          " coalesce(i.branch, (SELECT max(branch) FROM branches)),"
          " (SELECT simulator_version FROM branches b WHERE b.branch = i.branch),"
          " i.verdict, i.fitness, i.digest, i.bar_m_s, i.bar_sizes_s, i.genome",
          text);
    for (int i = 0; i < MEASURE_COUNT; i++)
        fprintf(text, ", i.%s", measure_table[i].name);
    fprintf(text, "%s %s", extra, rest);
}

void stored_creature_print_births(FILE *text, const char *extra, const char *rest)
{
    fputs(
        "WITH i AS (SELECT id, generation, method, parent1, parent2, mutations, seed, body, trials,"
        " bar_m_s, bar_sizes_s, NULL AS branch, NULL AS verdict, NULL AS fitness, NULL AS "
        "referee_fitness,"
        " NULL AS referee_words, NULL AS digest,",
        text);
    for (int i = 0; i < MEASURE_COUNT; i++)
        fprintf(text, " NULL AS %s,", measure_table[i].name);
    fputs(" genome FROM births WHERE id NOT IN (SELECT id FROM individuals)) ", text);
    stored_creature_print_select(text, extra, rest);
}

static int read_evaluation(sqlite3_stmt *row, const char *path, struct creature *creature,
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
                         "%s: damaged: creature %" PRIu64 " has an unknown verdict", path,
                         creature->id);
    /* a quarantined one need not have a digest; it is not simulated again either */
    if (statement_hash(row, STORED_DIGEST, &creature->digest) &&
        creature->verdict != VERDICT_QUARANTINED)
        return error_set(error, ERR_FORMAT,
                         "%s: damaged: the digest of creature %" PRIu64
                         " is not 16 hexadecimal digits",
                         path, creature->id);
    return 0;
}

int stored_creature_read_row(sqlite3_stmt *row, const char *path, struct creature *creature,
                             struct error *error)
{
    const void *bytes = sqlite3_column_blob(row, STORED_GENOME);
    size_t length = (size_t)sqlite3_column_bytes(row, STORED_GENOME);
    creature->id = (uint64_t)sqlite3_column_int64(row, STORED_ID);
    creature->generation = sqlite3_column_int64(row, STORED_GENERATION);
    creature->parents[0] = (uint64_t)sqlite3_column_int64(row, STORED_PARENT_1);
    creature->parents[1] = (uint64_t)sqlite3_column_int64(row, STORED_PARENT_2);
    statement_copy_text(creature->method, sizeof creature->method, row, STORED_METHOD);
    statement_copy_text(creature->mutations, sizeof creature->mutations, row, STORED_MUTATIONS);
    if (statement_hash(row, STORED_SEED, &creature->seed))
        return error_set(error, ERR_FORMAT,
                         "%s: damaged: the seed of creature %" PRIu64
                         " is not 16 hexadecimal digits",
                         path, creature->id);
    if (sqlite3_column_type(row, STORED_VERDICT) != SQLITE_NULL) {
        int status = read_evaluation(row, path, creature, error);
        if (status)
            return status;
    }
    genome_deinit(&creature->genome);
    if (genome_decode_bytes(&creature->genome, bytes ? bytes : "", length, error))
        return error_prefix(error, "%s: creature %" PRIu64, path, creature->id);
    return 0;
}

static double read_bar(sqlite3_stmt *row, int column)
{
    double bar = sqlite3_column_double(row, column);
    return bar > 0 ? fmin(bar, PACE_MAX) : 0;
}

struct pace_bar stored_creature_bar(sqlite3_stmt *row)
{
    return (struct pace_bar){.m_s = read_bar(row, STORED_BAR_M_S),
                             .sizes_s = read_bar(row, STORED_BAR_SIZES_S)};
}

int stored_branch_params(sqlite3 *database, const char *path, int64_t branch, struct params *params,
                         struct error *error)
{
    sqlite3_stmt *row;
    params_set_recorded_defaults(params);
    int status = statement_prepare(database, path,
                                   "SELECT key, value FROM branch_parameters WHERE branch = ?"
                                   " ORDER BY position",
                                   &row, error);
    if (status)
        return status;
    sqlite3_bind_int64(row, 1, branch);
    while ((status = statement_next(row, path, error)) == 1) {
        if (params_set_recorded(params, statement_text(row, 0), statement_text(row, 1), error)) {
            status = error_prefix(error, "%s: branch_parameters", path);
            break;
        }
    }
    sqlite3_finalize(row);
    return status;
}

int stored_creature_read(sqlite3_stmt *row, const char *path, struct creature *creature,
                         struct error *error)
{
    struct pace_bar bar = stored_creature_bar(row);
    int status = stored_creature_read_row(row, path, creature, error);
    if (!status)
        status = stored_branch_params(sqlite3_db_handle(row), path,
                                      sqlite3_column_int64(row, STORED_BRANCH), &creature->params,
                                      error);
    if (!status && params_check(&creature->params, error))
        status = error_prefix(error, "%s: branch_parameters", path);
    if (status)
        return status;
    creature->genome_hash = genome_hash(&creature->genome);
    pace_apply_bar(&bar, &creature->params);
    snprintf(creature->name, sizeof creature->name, "%.40s-%" PRIu64, creature->params.run_name,
             creature->id);
    return 0;
}

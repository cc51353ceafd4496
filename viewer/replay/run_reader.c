#include "viewer/replay/run_reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <stdio.h>

#include "common/params/choice.h"
#include "common/hash.h"
#include "common/judge/pace.h"
#include "common/store/database.h"
#include "common/text.h"

/* The database is open during a call only: the controller makes one file of it when a run ends, which it
 * cannot while another has it open. */
struct run_reader {
    char directory[4000];
    sqlite3 *database;
    struct store_bounds bounds;
    int users; /* calls under way, one in another */
};

static int reader_fail(const struct run_reader *reader, struct error *error)
{
    return error_set(error, ERR_IO, "%s/run.db: %s", reader->directory,
                     sqlite3_errmsg(reader->database));
}

static int reader_prepare(const struct run_reader *reader, const char *sql,
                          sqlite3_stmt **statement, struct error *error)
{
    if (sqlite3_prepare_v2(reader->database, sql, -1, statement, NULL) != SQLITE_OK)
        return reader_fail(reader, error);
    return 0;
}

/* 1: a row; 0: no more; negative: an error. */
static int reader_step(const struct run_reader *reader, sqlite3_stmt *statement,
                       struct error *error)
{
    int result = sqlite3_step(statement);
    if (result == SQLITE_ROW)
        return 1;
    return result == SQLITE_DONE ? 0 : reader_fail(reader, error);
}

/* One number; ERR_MISSING without a message when there is no row or it is NULL. */
static int reader_number(const struct run_reader *reader, const char *sql, int64_t argument,
                         int64_t *value, struct error *error)
{
    sqlite3_stmt *statement;
    int status = reader_prepare(reader, sql, &statement, error);
    if (status)
        return status;
    if (sqlite3_bind_parameter_count(statement) > 0)
        sqlite3_bind_int64(statement, 1, argument);
    status = reader_step(reader, statement, error);
    if (status == 1 && sqlite3_column_type(statement, 0) == SQLITE_NULL)
        status = 0;
    if (status == 1)
        *value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return status == 1 ? 0 : status == 0 ? ERR_MISSING : status;
}

/* ---- opening ---- */

static int reader_open(struct run_reader *reader, struct error *error)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/run.db", reader->directory);
    int status =
        store_database_open(path, SQLITE_OPEN_READONLY, &reader->bounds, &reader->database, error);
    return status == ERR_MISSING
               ? error_set(error, ERR_MISSING, "%s: is not a run (it has no readable run.db)",
                           reader->directory)
               : status;
}

static void reader_end(struct run_reader *reader)
{
    if (--reader->users > 0)
        return;
    sqlite3_close(reader->database);
    reader->database = NULL;
}

/* Opens the database for a call; on error there is nothing to end. */
static int reader_begin(struct run_reader *reader, struct error *error)
{
    int status = reader->users++ == 0 ? reader_open(reader, error) : 0;
    if (status)
        reader_end(reader);
    return status;
}

int run_reader_open(struct run_reader **result, const char *run_directory, struct error *error)
{
    struct run_reader *reader = calloc(1, sizeof *reader);
    int status;
    *result = NULL;
    if (!reader)
        return error_set(error, ERR_MEMORY, "%s: %s", run_directory, error_text(ERR_MEMORY));
    if (snprintf(reader->directory, sizeof reader->directory, "%s", run_directory) >=
        (int)sizeof reader->directory)
        status = error_set(error, ERR_LIMIT, "%.200s...: the path is too long", run_directory);
    else
        status = reader_begin(reader, error);
    if (status) {
        run_reader_close(reader);
        return status;
    }
    reader_end(reader);
    *result = reader;
    return 0;
}

void run_reader_close(struct run_reader *reader)
{
    free(reader);
}

const char *run_reader_directory(const struct run_reader *reader)
{
    return reader->directory;
}

/* ---- rows to creatures ---- */

/* Parameters in force when a creature was evaluated. */
static int read_params(const struct run_reader *reader, int64_t branch, struct params *params,
                       struct error *error)
{
    sqlite3_stmt *row;
    int status = reader_prepare(reader,
                                "SELECT key, value FROM branch_parameters WHERE branch = ?"
                                " ORDER BY position",
                                &row, error);
    if (status)
        return status;
    params_set_defaults(params);
    sqlite3_bind_int64(row, 1, branch);
    while ((status = reader_step(reader, row, error)) == 1) {
        const char *key = (const char *)sqlite3_column_text(row, 0);
        const char *value = (const char *)sqlite3_column_text(row, 1);
        status = key && value ? params_set(params, key, value, error)
                              : error_set(error, ERR_FORMAT, "a parameter is empty");
        if (status) {
            error_prefix(error, "%s/run.db: branch_parameters", reader->directory);
            break;
        }
    }
    sqlite3_finalize(row);
    return status ? status : params_check(params, error);
}

static void copy_text(char *to, size_t size, sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);
    snprintf(to, size, "%s", text ? text : "");
    text_clean(to, "");
}

/* A column of sixteen hexadecimal digits. */
static int read_hash(sqlite3_stmt *row, int column, uint64_t *hash)
{
    const char *text = (const char *)sqlite3_column_text(row, column);
    return text ? hash_from_text(text, hash) : ERR_FORMAT;
}

enum {
    COLUMN_ID,
    COLUMN_GENERATION,
    COLUMN_METHOD,
    COLUMN_PARENT_1,
    COLUMN_PARENT_2,
    COLUMN_MUTATIONS,
    COLUMN_SEED,
    COLUMN_BRANCH,
    COLUMN_VERDICT,
    COLUMN_FITNESS,
    COLUMN_DIGEST,
    COLUMN_VERSION,
    COLUMN_BAR_M_S,
    COLUMN_BAR_SIZES_S,
    COLUMN_GENOME,
    COLUMN_MEASURES, /* MEASURE_COUNT of them */
};

/* A query for creatures i: its columns, and then the rest. */
static void write_query(char *sql, size_t size, const char *rest)
{
    size_t used = (size_t)snprintf(
        sql, size,
        "SELECT i.id, i.generation, i.method, i.parent1, i.parent2, i.mutations, i.seed, i.branch,"
        " i.verdict, i.fitness, i.digest, b.simulator_version,"
        " (SELECT m_s FROM bars WHERE individual = i.id),"
        " (SELECT sizes_s FROM bars WHERE individual = i.id), i.genome");
    for (int m = 0; m < MEASURE_COUNT && used < size; m++)
        used += (size_t)snprintf(sql + used, size - used, ", i.\"%s\"", measure_table[m].name);
    if (used < size)
        snprintf(sql + used, size - used, "%s", rest);
}

/* The members of generation ?1, best first. */
static const char members_query[] =
    " FROM members m JOIN individuals i ON i.id = m.individual"
    " LEFT JOIN branches b ON b.branch = i.branch"
    " WHERE m.generation = ?1 AND m.rank IS NOT NULL ORDER BY m.rank";
/* The creature ?1. */
static const char creature_query[] =
    " FROM individuals i LEFT JOIN branches b ON b.branch = i.branch WHERE i.id = ?1";

static int read_evaluation(sqlite3_stmt *row, struct creature *creature)
{
    if (sqlite3_column_type(row, COLUMN_VERDICT) == SQLITE_NULL)
        return 0;
    creature->has_evaluation = 1;
    creature->verdict = verdict_find((const char *)sqlite3_column_text(row, COLUMN_VERDICT));
    creature->fitness = sqlite3_column_double(row, COLUMN_FITNESS);
    creature->simulator_version = sqlite3_column_int(row, COLUMN_VERSION);
    for (int m = 0; m < MEASURE_COUNT; m++)
        measures_set(&creature->measures, m, sqlite3_column_double(row, COLUMN_MEASURES + m));
    /* a quarantined one has no digest; it is not replayed either */
    if (creature->verdict != VERDICT_QUARANTINED &&
        read_hash(row, COLUMN_DIGEST, &creature->digest))
        return ERR_FORMAT;
    return creature->verdict < 0 ? ERR_FORMAT : 0;
}

/* The bar that this creature had to clear is part of how it was simulated. */
static void read_bar(sqlite3_stmt *row, struct params *params)
{
    struct pace_bar bar = {.m_s = sqlite3_column_double(row, COLUMN_BAR_M_S),
                           .sizes_s = sqlite3_column_double(row, COLUMN_BAR_SIZES_S)};
    if (bar.m_s <= PACE_MAX && bar.sizes_s <= PACE_MAX)
        pace_apply_bar(&bar, params);
}

static int read_creature(const struct run_reader *reader, sqlite3_stmt *row,
                         struct creature *creature, struct error *error)
{
    creature->id = (uint64_t)sqlite3_column_int64(row, COLUMN_ID);
    creature->generation = sqlite3_column_int64(row, COLUMN_GENERATION);
    creature->parents[0] = (uint64_t)sqlite3_column_int64(row, COLUMN_PARENT_1);
    creature->parents[1] = (uint64_t)sqlite3_column_int64(row, COLUMN_PARENT_2);
    copy_text(creature->method, sizeof creature->method, row, COLUMN_METHOD);
    copy_text(creature->mutations, sizeof creature->mutations, row, COLUMN_MUTATIONS);
    int status = read_hash(row, COLUMN_SEED, &creature->seed);
    if (!status)
        status = read_evaluation(row, creature);
    if (status) {
        error_set(error, status, "its seed, verdict or digest is malformed");
    } else {
        const void *bytes = sqlite3_column_blob(row, COLUMN_GENOME);
        size_t length = (size_t)sqlite3_column_bytes(row, COLUMN_GENOME);
        genome_deinit(&creature->genome);
        status = genome_decode_bytes(&creature->genome, bytes ? bytes : "", length, error);
    }
    if (status)
        return error_prefix(error, "%s/run.db: creature %" PRIu64, reader->directory, creature->id);
    creature->genome_hash = genome_hash(&creature->genome);
    status =
        read_params(reader, sqlite3_column_int64(row, COLUMN_BRANCH), &creature->params, error);
    read_bar(row, &creature->params);
    snprintf(creature->name, sizeof creature->name, "%.40s-%" PRIu64, creature->params.run_name,
             creature->id);
    return status;
}

/* 1 if one of those stands for it. */
static int is_represented(const struct creature *creature, enum run_order order,
                          const struct creature *creatures, int count)
{
    const struct measures *own = &creature->measures;
    for (int i = 0; i < count; i++) {
        const struct measures *other = &creatures[i].measures;
        int is_alike = order == RUN_ORDER_KINDS
                           ? own->parts == other->parts && own->links == other->links
                           : measures_move_alike(own, other);
        if (is_alike && creature->has_evaluation && creatures[i].has_evaluation)
            return 1;
    }
    return 0;
}

/* creatures has room for twice `top`: copies wait in the second half. */
static int reader_get_members(const struct run_reader *reader, int64_t generation,
                              enum run_order order, int top, struct creature *creatures, int *count,
                              struct error *error)
{
    char sql[8192];
    int waiting = 0;
    sqlite3_stmt *row;
    write_query(sql, sizeof sql, members_query);
    int status = reader_prepare(reader, sql, &row, error);
    if (status)
        return status;
    sqlite3_bind_int64(row, 1, generation);
    while (*count < top && (status = reader_step(reader, row, error)) == 1) {
        struct creature creature;
        creature_init(&creature);
        status = read_creature(reader, row, &creature, error);
        if (status) {
            creature_deinit(&creature);
            break;
        }
        if (order == RUN_ORDER_RANK || !is_represented(&creature, order, creatures, *count))
            creatures[(*count)++] = creature;
        else if (order == RUN_ORDER_DISTINCT && waiting < top)
            creatures[top + waiting++] = creature;
        else
            creature_deinit(&creature);
    }
    for (int i = 0; i < waiting; i++)
        if (*count < top)
            creatures[(*count)++] = creatures[top + i];
        else
            creature_deinit(&creatures[top + i]);
    sqlite3_finalize(row);
    return status > 0 ? 0 : status;
}

/* The generation that is meant; says so when it is not there. */
static int reader_find_generation(const struct run_reader *reader, int64_t wanted, int64_t *found,
                                  struct error *error)
{
    int64_t last;
    int status = reader_number(reader, "SELECT max(number) FROM generations WHERE closed = 1", 0,
                               &last, error);
    if (status == ERR_MISSING)
        return error_set(error, ERR_MISSING, "%s: no generation is finished yet",
                         reader->directory);
    if (status)
        return status;
    if (wanted > last)
        return error_set(error, ERR_RANGE,
                         "%s: generation %" PRId64 " is not finished; the last one is %" PRId64,
                         reader->directory, wanted, last);
    *found = wanted < 0 ? last : wanted;
    return 0;
}

int run_reader_get_members(struct run_reader *reader, int64_t generation, enum run_order order,
                           int top, struct creature **creatures, int *count,
                           int64_t *generation_found, struct error *error)
{
    *creatures = NULL;
    *count = 0;
    int status = reader_begin(reader, error);
    if (status)
        return status;
    status = reader_find_generation(reader, generation, generation_found, error);
    if (!status && (*creatures = calloc(2 * (size_t)top, sizeof **creatures)) == NULL)
        status = error_set(error, ERR_MEMORY, "%s", error_text(ERR_MEMORY));
    if (!status)
        status =
            reader_get_members(reader, *generation_found, order, top, *creatures, count, error);
    reader_end(reader);
    if (!status && *count == 0)
        status = error_set(error, ERR_MISSING, "%s: generation %" PRId64 " has no creatures",
                           reader->directory, *generation_found);
    if (status) {
        run_reader_free(*creatures, *count);
        *creatures = NULL;
        *count = 0;
    }
    return status;
}

int run_reader_get_top(const char *run_directory, int64_t generation, enum run_order order, int top,
                       struct creature **creatures, int *count, int64_t *generation_found,
                       struct error *error)
{
    struct run_reader *reader;
    *creatures = NULL;
    *count = 0;
    int status = run_reader_open(&reader, run_directory, error);
    if (!status)
        status = run_reader_get_members(reader, generation, order, top, creatures, count,
                                        generation_found, error);
    run_reader_close(reader);
    return status;
}

int run_reader_get_creature(struct run_reader *reader, uint64_t id, struct creature *creature,
                            struct error *error)
{
    char sql[8192];
    sqlite3_stmt *row;
    creature_init(creature);
    write_query(sql, sizeof sql, creature_query);
    int status = reader_begin(reader, error);
    if (status)
        return status;
    status = reader_prepare(reader, sql, &row, error);
    if (status) {
        reader_end(reader);
        return status;
    }
    sqlite3_bind_int64(row, 1, (int64_t)id);
    status = reader_step(reader, row, error);
    if (status == 0)
        status = error_set(error, ERR_MISSING, "%s/run.db: there is no creature %" PRIu64,
                           reader->directory, id);
    else if (status == 1)
        status = read_creature(reader, row, creature, error);
    sqlite3_finalize(row);
    reader_end(reader);
    if (status)
        creature_deinit(creature);
    return status;
}

int run_reader_get_lineage(struct run_reader *reader, uint64_t id, int most,
                           struct creature **creatures, int *count, struct error *error)
{
    *count = 0;
    *creatures = NULL;
    int status = reader_begin(reader, error);
    if (status)
        return status;
    *creatures = calloc((size_t)most, sizeof **creatures);
    if (!*creatures)
        status = error_set(error, ERR_MEMORY, "%s", error_text(ERR_MEMORY));
    while (!status && id && *count < most) {
        struct creature *creature = &(*creatures)[*count];
        status = run_reader_get_creature(reader, id, creature, error);
        if (status)
            break;
        (*count)++;
        /* parents are older; a store that says otherwise must not lead in a circle */
        if (creature->parents[0] >= id)
            status = error_set(error, ERR_FORMAT,
                               "%s/run.db: creature %" PRIu64 " is not younger than its parent",
                               reader->directory, id);
        id = creature->parents[0];
    }
    reader_end(reader);
    if (status) {
        run_reader_free(*creatures, *count);
        *creatures = NULL;
        *count = 0;
    }
    return status;
}

static int read_generations(const struct run_reader *reader, sqlite3_stmt *row,
                            struct run_generation **generations, int *count, struct error *error)
{
    int status, room = 0;
    while ((status = reader_step(reader, row, error)) == 1) {
        if (*count == room) {
            room = room ? 2 * room : 64;
            struct run_generation *larger =
                realloc(*generations, (size_t)room * sizeof **generations);
            if (!larger)
                return error_set(error, ERR_MEMORY, "%s", error_text(ERR_MEMORY));
            *generations = larger;
        }
        (*generations)[(*count)++] =
            (struct run_generation){.number = sqlite3_column_int64(row, 0),
                                    .best = sqlite3_column_double(row, 1),
                                    .median = sqlite3_column_double(row, 2),
                                    .best_id = (uint64_t)sqlite3_column_int64(row, 3)};
    }
    return status;
}

int run_reader_get_generations(struct run_reader *reader, int64_t first,
                               struct run_generation **generations, int *count, struct error *error)
{
    sqlite3_stmt *row;
    *generations = NULL;
    *count = 0;
    int status = reader_begin(reader, error);
    if (status)
        return status;
    status = reader_prepare(reader,
                            "SELECT number, best, median, best_id FROM generations"
                            " WHERE closed = 1 AND number >= ?1 ORDER BY number LIMIT ?2",
                            &row, error);
    if (!status) {
        sqlite3_bind_int64(row, 1, first);
        sqlite3_bind_int(row, 2, RUN_READER_GENERATIONS_MAX);
        status = read_generations(reader, row, generations, count, error);
        sqlite3_finalize(row);
    }
    reader_end(reader);
    if (status || *count == 0) {
        free(*generations);
        *generations = NULL;
        *count = 0;
    }
    return status;
}

/* ---- choosing by hand ---- */

static int reader_get_choosing(const struct run_reader *reader, struct run_choosing *choosing,
                               struct error *error)
{
    struct params params;
    int64_t branch, waiting, closed_count = 0;
    int status = reader_number(reader, "SELECT max(branch) FROM branches", 0, &branch, error);
    if (status == ERR_MISSING)
        return error_set(error, ERR_FORMAT, "%s/run.db: has no parameters", reader->directory);
    if (!status)
        status = read_params(reader, branch, &params, error);
    if (status)
        return status;
    choosing->has_no_goal = params.evolution_behaviour == BEHAVIOUR_INTERACTIVE;
    choosing->is_interactive = choosing->has_no_goal || params.interactive_share > 0;
    if (!choosing->is_interactive)
        return 0;
    /* it is complete, and the next one has not been bred */
    status = reader_number(reader,
                           "SELECT number FROM generations WHERE closed = 1 AND number + 1 < ?1"
                           " AND number = (SELECT max(number) FROM generations)",
                           params.evolution_generations, &waiting, error);
    if (!status)
        choosing->waiting = waiting;
    if (status == ERR_MISSING)
        status = reader_number(reader,
                               "SELECT count(*) FROM generations WHERE closed = 1 AND number + 1"
                               " >= ?1",
                               params.evolution_generations, &closed_count, error);
    choosing->is_over = closed_count > 0;
    return status;
}

int run_reader_get_choosing(struct run_reader *reader, struct run_choosing *choosing,
                            struct error *error)
{
    *choosing = (struct run_choosing){.waiting = -1};
    int status = reader_begin(reader, error);
    if (status)
        return status;
    status = reader_get_choosing(reader, choosing, error);
    reader_end(reader);
    return status;
}

static int reader_get_choices(const struct run_reader *reader, int64_t generation,
                              struct run_choice *choices, int most, int *count, struct error *error)
{
    sqlite3_stmt *row;
    int status = reader_prepare(reader,
                                "SELECT individual, choice FROM choices WHERE generation = ?"
                                " ORDER BY individual",
                                &row, error);
    if (status)
        return status;
    sqlite3_bind_int64(row, 1, generation);
    while (*count < most && (status = reader_step(reader, row, error)) == 1) {
        struct run_choice *choice = &choices[*count];
        const char *name = (const char *)sqlite3_column_text(row, 1);
        choice->id = (uint64_t)sqlite3_column_int64(row, 0);
        if (!name || choice_find(name, &choice->choice)) {
            status = error_set(error, ERR_FORMAT, "%s/run.db: choices: an unknown choice",
                               reader->directory);
            break;
        }
        ++*count;
    }
    sqlite3_finalize(row);
    return status > 0 ? 0 : status;
}

int run_reader_get_choices(struct run_reader *reader, int64_t generation,
                           struct run_choice **choices, int *count, struct error *error)
{
    int64_t has_table = 0, most = 0;
    *choices = NULL;
    *count = 0;
    int status = reader_begin(reader, error);
    if (status)
        return status;
    status = reader_number(reader, "SELECT count(*) FROM sqlite_schema WHERE name = 'choices'", 0,
                           &has_table, error);
    if (!status && has_table)
        status = reader_number(reader, "SELECT count(*) FROM choices WHERE generation = ?",
                               generation, &most, error);
    if (!status && most > 0) {
        if (most > RUN_READER_CHOICES_MAX)
            most = RUN_READER_CHOICES_MAX;
        *choices = calloc((size_t)most, sizeof **choices);
        status = *choices
                     ? reader_get_choices(reader, generation, *choices, (int)most, count, error)
                     : error_set(error, ERR_MEMORY, "%s", error_text(ERR_MEMORY));
    }
    reader_end(reader);
    if (status) {
        free(*choices);
        *choices = NULL;
        *count = 0;
    }
    return status;
}

void run_reader_free(struct creature *creatures, int count)
{
    for (int i = 0; i < count; i++)
        creature_deinit(&creatures[i]);
    free(creatures);
}

#include "common/store/run_reader.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <stdio.h>

#include "common/formats/file_kind.h"
#include "common/preserve/epoch.h"
#include "common/store/database.h"
#include "common/store/favourites.h"
#include "common/store/stored.h"
#include "common/version.h"

/* The database is open during a call only: the controller makes one file of it when a run ends,
 * which it cannot while another has it open. */
struct run_reader {
    char directory[4000], path[4096]; /* of run.db */
    struct database database;
    int users; /* calls under way, one in another */
};

/* ---- opening ---- */

static int reader_open(struct run_reader *reader, struct error *error)
{
    int status = store_database_open(&reader->database, reader->path, SQLITE_OPEN_READONLY, error);
    char runs[256];
    return status == ERR_MISSING
               ? error_set(error, ERR_MISSING, "%s: is not a run (it has no readable run.db)%s",
                           reader->directory,
                           file_kind_list_runs(reader->directory, runs, sizeof runs))
               : status;
}

/* Ends a call; returns its status. */
static int reader_end(struct run_reader *reader, int has_failed, const struct error *error)
{
    ENSURE(reader->users > 0, "%s: ended without a beginning", reader->path);
    if (--reader->users == 0)
        store_database_close(&reader->database);
    return has_failed ? error->code : 0;
}

/* Opens the database for a call, which is to be ended also on error. */
static int reader_begin(struct run_reader *reader, struct error *error)
{
    ENSURE(reader->users >= 0, "%s: %d calls", reader->path, reader->users);
    return reader->users++ == 0 ? reader_open(reader, error) : 0;
}

int run_reader_open(struct run_reader **result, const char *run_directory, struct error *error)
{
    struct run_reader *reader = calloc(1, sizeof *reader);
    int status = 0;
    *result = NULL;
    if (!reader)
        return error_set(error, ERR_MEMORY, "%s: %s", run_directory, error_text(ERR_MEMORY));
    if (snprintf(reader->directory, sizeof reader->directory, "%s", run_directory) >=
        (int)sizeof reader->directory)
        status = error_set(error, ERR_LIMIT, "%.200s...: the path is too long", run_directory);
    snprintf(reader->path, sizeof reader->path, "%s/run.db", reader->directory);
    if (!status)
        status = reader_end(reader, reader_begin(reader, error), error);
    if (status)
        run_reader_close(reader);
    else
        *result = reader;
    return status;
}

void run_reader_close(struct run_reader *reader)
{
    free(reader);
}

const char *run_reader_directory(const struct run_reader *reader)
{
    return reader->directory;
}

/* ---- creatures ---- */

/* 1 if a better one is of this one's kind, or this one did not live. */
static int is_represented(const struct creature *creature, const struct creature *creatures,
                          int count)
{
    if (count > 0 && creature->has_evaluation && !verdict_is_scored(creature->verdict))
        return 1;
    for (int i = 0; i < count; i++)
        if (creature->has_evaluation && creatures[i].has_evaluation &&
            measures_are_one_kind(&creature->measures, &creatures[i].measures))
            return 1;
    return 0;
}

/* A list that could not be read is empty. Returns the status. */
static int end_list(int status, struct creature **creatures, int *count)
{
    if (status) {
        run_reader_free(*creatures, *count);
        *creatures = NULL;
        *count = 0;
    }
    return status;
}

#define MEMBERS                                                                                    \
    STORED_SELECT " FROM members m JOIN individuals i ON i.id = m.individual"                      \
                  " WHERE m.generation = ?1 AND m.rank IS NOT NULL"
static const char *const member_queries[] = {
    [RUN_ORDER_RANK] = MEMBERS " ORDER BY m.rank", [RUN_ORDER_KINDS] = MEMBERS STORED_KINDS_ORDER};

/* Creatures that are being read. */
struct members {
    enum run_order order;
    int top, count; /* creatures has room for `top` */
    struct creature *creatures;
};

static int read_member(const struct row *row, void *item)
{
    struct members *members = item;
    struct creature creature;
    creature_init(&creature);
    int status = stored_creature_read(row, &creature);
    if (status || (members->order == RUN_ORDER_KINDS &&
                   is_represented(&creature, members->creatures, members->count)))
        creature_deinit(&creature);
    else
        members->creatures[members->count++] = creature;
    return status ? status : members->count == members->top;
}

int run_reader_get_members(struct run_reader *reader, int64_t generation, enum run_order order,
                           int top, struct creature **creatures, int *count,
                           int64_t *generation_found, struct error *error)
{
    ENSURE(top > 0 && top <= RUN_READER_TOP_MAX, "the best %d are asked for", top);
    struct members members = {.order = order, .top = top};
    *creatures = NULL;
    *count = 0;
    int has_failed = reader_begin(reader, error) ||
                     stored_find_closed(&reader->database, generation, generation_found, error) ||
                     ((members.creatures = calloc((size_t)top, sizeof **creatures)) == NULL &&
                      error_memory(error)) ||
                     statement_each(&reader->database, member_queries[order], *generation_found, 0,
                                    read_member, &members, error);
    int status = reader_end(reader, has_failed, error);
    *creatures = members.creatures;
    *count = members.count;
    if (!status && *count == 0)
        status = error_set(error, ERR_MISSING,
                           "%s: generation %" PRId64
                           " has no creatures (a preserve has worlds: --world N --from M:SS)",
                           reader->directory, *generation_found);
    return end_list(status, creatures, count);
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
    creature_init(creature);
    int has_failed =
        reader_begin(reader, error) || stored_get_creature(&reader->database, id, creature, error);
    return reader_end(reader, has_failed, error);
}

int run_reader_get_contest(struct run_reader *reader, uint64_t id, struct store_contest *contest,
                           struct creature creatures[2], struct error *error)
{
    creature_init(&creatures[0]);
    creature_init(&creatures[1]);
    int has_failed = reader_begin(reader, error) ||
                     stored_get_last_contest(&reader->database, id, contest, error);
    for (int i = 0; i < 2 && !has_failed; i++)
        has_failed = stored_get_creature(&reader->database, contest->ids[i], &creatures[i], error);
    if (has_failed)
        creature_deinit(&creatures[0]);
    return reader_end(reader, has_failed, error);
}

/* The parameters in force of a run that has to be a preserve. */
static int get_preserve_params(struct run_reader *reader, struct params *params,
                               struct error *error)
{
    int64_t branch = 0;
    if (statement_number(&reader->database, "SELECT max(branch) FROM branches", 0, 0, &branch,
                         error) ||
        stored_branch_params(&reader->database, branch, params, error))
        return error->code;
    return preserve_is_wanted(params)
               ? 0
               : error_set(error, ERR_RANGE, "%s: the run is no preserve", reader->directory);
}

int run_reader_find_state(struct run_reader *reader, uint32_t world, uint32_t most,
                          struct params *params, uint32_t *epoch, struct error *error)
{
    int has_failed = reader_begin(reader, error) || get_preserve_params(reader, params, error) ||
                     stored_epoch_find_state(&reader->database, world, most, epoch, error);
    return reader_end(reader, has_failed, error);
}

int run_reader_get_epoch(struct run_reader *reader, struct epoch_order *order, uint64_t *digest,
                         struct error *error)
{
    int64_t version = SIMULATOR_VERSION;
    int has_failed =
        reader_begin(reader, error) || stored_epoch_fill_order(&reader->database, order, error) ||
        stored_epoch_get_digest(&reader->database, order->world, order->epoch, digest, error) ||
        statement_number(&reader->database,
                         "SELECT simulator_version FROM branches JOIN generations USING"
                         " (branch) WHERE number = ?",
                         order->epoch, SIMULATOR_VERSION, &version, error);
    if (version != SIMULATOR_VERSION)
        *digest = 0;
    return reader_end(reader, has_failed, error);
}

#define LIFE_COLUMNS "world, born_s, died_s, topology"

static int read_life(const struct row *row, void *item)
{
    struct run_life *life = item;
    life->world = (uint32_t)row_whole(row, 0, 0, EPOCH_WORLDS_MAX - 1);
    life->born_s = row_real(row, 1, 0, EPOCH_TIME_MOST_S);
    life->died_s = row_real(row, 2, 0, EPOCH_TIME_MOST_S);
    life->topology = row_whole(row, 3, 0, INT64_MAX);
    if (row_is_null(row, 2))
        life->died_s = NAN;
    return 1;
}

int run_reader_get_life(struct run_reader *reader, uint64_t id, struct run_life *life,
                        struct error *error)
{
    struct params params;
    life->born_s = NAN;
    int has_failed =
        reader_begin(reader, error) || get_preserve_params(reader, &params, error) ||
        statement_each(&reader->database, "SELECT " LIFE_COLUMNS " FROM lives WHERE id = ?",
                       (int64_t)id, 0, read_life, life, error);
    int status = reader_end(reader, has_failed, error);
    if (!status && isnan(life->born_s))
        status = error_set(error, ERR_MISSING, "%s: creature %" PRIu64 " has not hatched",
                           reader->directory, id);
    return status;
}

struct listener {
    run_hear_life *hear;
    void *context;
};

static int tell_life(const struct row *row, void *item)
{
    const struct listener *listener = item;
    struct run_life life;
    read_life(row, &life);
    if (!row->database->fault.code)
        listener->hear(listener->context, &life);
    return 0;
}

int run_reader_tell_lives(struct run_reader *reader, uint32_t world, run_hear_life *hear,
                          void *context, struct error *error)
{
    struct listener listener = {hear, context};
    int has_failed = reader_begin(reader, error) ||
                     statement_each(&reader->database,
                                    "SELECT " LIFE_COLUMNS " FROM lives WHERE world = ?"
                                    " AND topology > 0 ORDER BY topology, born_s, id",
                                    world, 0, tell_life, &listener, error);
    return reader_end(reader, has_failed, error);
}

int run_reader_read_creature(const char *name, struct creature *creature, struct error *error)
{
    char directory[sizeof((struct run_reader *)NULL)->directory], path[4096];
    struct run_reader *reader;
    uint64_t id;
    if (!creature_name_split(name, directory, sizeof directory, &id))
        return creature_read(creature, favourites_find(name, path, sizeof path), error);
    creature_init(creature);
    int status = run_reader_open(&reader, directory, error);
    if (!status)
        status = run_reader_get_creature(reader, id, creature, error);
    run_reader_close(reader);
    return status;
}

int run_reader_get_lineage(struct run_reader *reader, uint64_t id, int most,
                           struct creature **creatures, int *count, struct error *error)
{
    ENSURE(most > 0, "%d ancestors are asked for", most);
    *count = 0;
    *creatures = NULL;
    int status = reader_begin(reader, error);
    *creatures = calloc((size_t)most, sizeof **creatures);
    if (!status && !*creatures)
        status = error_memory(error);
    for (int is_first = 1; !status && (is_first || id) && *count < most; is_first = 0) {
        struct creature *creature = &(*creatures)[*count];
        status = run_reader_get_creature(reader, id, creature, error);
        if (status)
            break;
        (*count)++;
        /* parents are older; a store that says otherwise must not lead in a circle */
        if (creature->parents[0] >= creature->id)
            status = error_set(error, ERR_FORMAT,
                               "%s: creature %" PRIu64 " is not younger than its parent",
                               reader->path, creature->id);
        id = creature->parents[0];
    }
    return end_list(reader_end(reader, status, error), creatures, count);
}

int run_reader_get_generations(struct run_reader *reader, int64_t first,
                               struct store_generation **generations, int *count,
                               struct error *error)
{
    *generations = NULL;
    *count = 0;
    int has_failed = reader_begin(reader, error) ||
                     stored_get_generations(&reader->database, first, generations, count, error);
    return reader_end(reader, has_failed, error);
}

/* ---- choosing by hand ---- */

static int reader_get_choosing(struct run_reader *reader, struct run_choosing *choosing,
                               struct error *error)
{
    struct params params;
    int64_t branch, closed_count = 0;
    int status = statement_number(&reader->database, "SELECT max(branch) FROM branches", 0, 0,
                                  &branch, error);
    if (!status && branch < 1)
        return error_set(error, ERR_FORMAT, "%s: has no parameters", reader->path);
    if (!status)
        status = stored_branch_params(&reader->database, branch, &params, error);
    if (status)
        return status;
    choosing->has_no_goal = params.evolution_behaviour == BEHAVIOUR_INTERACTIVE;
    choosing->places = (int)params.population_size;
    choosing->is_interactive = choosing->has_no_goal || params.interactive_share > 0;
    if (!choosing->is_interactive)
        return 0;
    /* it is complete, and the next one has not been bred */
    status = statement_number(&reader->database,
                              "SELECT number FROM generations WHERE closed = 1 AND number + 1 < ?1"
                              " AND number = (SELECT max(number) FROM generations)",
                              params.evolution_generations, -1, &choosing->waiting, error);
    if (!status && choosing->waiting < 0)
        status = statement_number(&reader->database,
                                  "SELECT count(*) FROM generations WHERE closed = 1 AND number + 1"
                                  " >= ?1",
                                  params.evolution_generations, 0, &closed_count, error);
    choosing->is_over = closed_count > 0;
    return status;
}

int run_reader_get_choosing(struct run_reader *reader, struct run_choosing *choosing,
                            struct error *error)
{
    *choosing = (struct run_choosing){.waiting = -1};
    int has_failed = reader_begin(reader, error) || reader_get_choosing(reader, choosing, error);
    return reader_end(reader, has_failed, error);
}

int run_reader_get_choices(struct run_reader *reader, int64_t generation,
                           struct store_choice **choices, int *count, struct error *error)
{
    *choices = NULL;
    *count = 0;
    int has_failed = reader_begin(reader, error) ||
                     stored_get_choices(&reader->database, generation, choices, count, error);
    return reader_end(reader, has_failed, error);
}

void run_reader_free(struct creature *creatures, int count)
{
    for (int i = 0; i < count; i++)
        creature_deinit(&creatures[i]);
    free(creatures);
}

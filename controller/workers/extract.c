/* See extract.h. A world's state holds the genomes of the living and of eggs. */
#include "controller/workers/extract.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/preserve/epoch.h"
#include "common/store/favourites.h"
#include "common/system/file.h"
#include "controller/workers/program.h"

/* The files that a simulator is given, and the creature's file that it makes. */
struct bench {
    struct scratch scratch;
    char params[RUN_PATH_SIZE], state[RUN_PATH_SIZE], creature[RUN_PATH_SIZE];
    int has_egg; /* `state` is the egg of one creature */
    uint32_t world, epoch;
};

int extract_write_state(struct store *store, uint32_t world, uint32_t epoch, const char *path,
                        struct error *error)
{
    struct epoch_order *order = epoch_order_create();
    if (!order)
        return error_memory(error);
    order->world = world;
    order->epoch = epoch + 1;
    int status = stored_epoch_fill_order(store_database(store), order, error);
    if (!status && order->state.length == 0)
        status = error_set(error, ERR_MISSING, "world %" PRIu32 " has no state of epoch %" PRIu32,
                           world, epoch);
    if (!status)
        status = file_write(path, order->state.bytes, order->state.length, error);
    epoch_order_destroy(order);
    return status;
}

/* The egg of the first of a tree of parts, or the last state up to its death that was kept of its
 * world. */
static int find_state(struct store *store, const struct store_life *life, struct bench *bench,
                      struct error *error)
{
    struct packed_bytes egg = {NULL, 0};
    int read = store_get_form(store, life->id, &egg, error);
    bench->has_egg = egg.bytes != NULL;
    if (!read && bench->has_egg)
        read = file_write(bench->state, egg.bytes, egg.length, error);
    packed_bytes_deinit(&egg);
    if (read || bench->has_egg)
        return read;
    double last = life->is_dead ? life->died_s / EPOCH_S : UINT32_MAX;
    bench->world = life->world;
    bench->epoch = last >= 0 && last < UINT32_MAX ? (uint32_t)last : UINT32_MAX;
    int status = stored_epoch_find_state(store_database(store), life->world, bench->epoch,
                                         &bench->epoch, error);
    return status ? status
                  : extract_write_state(store, life->world, bench->epoch, bench->state, error);
}

/* The words of a simulator that failed. What it says of its file is said of the place in the run. */
static int fail(const struct bench *bench, uint64_t id, const char *output,
                const struct params *params, struct error *error)
{
    if (strstr(output, "there is no creature"))
        return error_set(error, ERR_MISSING,
                         "no state that was kept has creature %" PRIu64 ": one of each %" PRId64
                         " epochs was (preserve.kept)",
                         id, params->preserve_kept);
    char place[64] = "";
    const char *of_file = strstr(output, bench->state);
    if (of_file) {
        output = of_file + strlen(bench->state);
        snprintf(place, sizeof place, "its egg");
        if (!bench->has_egg)
            snprintf(place, sizeof place, "world %" PRIu32 ", state of epoch %" PRIu32,
                     bench->world, bench->epoch);
    }
    return error_set(error, ERR_UNAVAILABLE, "creature %" PRIu64 ": %s%.*s", id, place,
                     (int)strcspn(output, "\n"), output);
}

static int run_simulator(const struct bench *bench, uint64_t id, const struct params *params,
                         struct error *error)
{
    char program[RUN_PATH_SIZE], number[24], *output = NULL;
    snprintf(number, sizeof number, "%" PRIu64, id);
    const char *words[12] = {"simulator", "take", "--params", bench->params,
                             "--id",      number, "-o",       bench->creature};
    int count = 8;
    if (bench->has_egg)
        words[count++] = "--egg";
    words[count++] = "--";
    words[count] = bench->state;
    int status = program_find("simulator", program, error);
    if (!status)
        status = program_hear(program, (char *const *)words, &output, error);
    if (status > 0)
        status = fail(bench, id, output, params, error);
    free(output);
    return status;
}

static int take(struct store *store, uint64_t id, const struct params *params, struct bench *bench,
                struct creature *creature, struct error *error)
{
    struct store_life life;
    return store_get_life(store, id, &life, error) ||
                   run_directory_write_params(bench->scratch.directory, params, error) ||
                   find_state(store, &life, bench, error) ||
                   run_simulator(bench, id, params, error) ||
                   creature_read(creature, bench->creature, error)
               ? error->code
               : 0;
}

int extract_get_creature(struct store *store, uint64_t id, struct creature *creature,
                         struct error *error)
{
    struct bench bench = {.has_egg = 0};
    struct params params;
    creature_init(creature);
    if (store_get_params(store, &params, error))
        return error->code;
    if (!preserve_is_wanted(&params))
        return stored_get_creature(store_database(store), id, creature, error);
    if (id == CREATURE_BEST || id == CREATURE_FIRST)
        return error_set(error, ERR_USAGE,
                         "no creature is best in a preserve: name one by its number");
    int status = scratch_open(&bench.scratch, "taken", error);
    if (status)
        return status;
    scratch_path(&bench.scratch, "params.ini", bench.params);
    scratch_path(&bench.scratch, "world.state", bench.state);
    scratch_path(&bench.scratch, "taken.creature", bench.creature);
    status = take(store, id, &params, &bench, creature, error);
    scratch_close(&bench.scratch);
    return status;
}

/* controller garden RUN_DIR: hands a preserve's states, as files, to 'simulator garden'. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "controller/commands/commands.h"
#include "controller/store/run_directory.h"
#include "controller/workers/program.h"
#include "controller/workers/extract.h"

enum { SIDES = 2, FILES_MAX = SIDES * EPOCH_WORLDS_MAX };

/* The simulator's arguments. */
struct call {
    char params[RUN_PATH_SIZE];
    char files[FILES_MAX][RUN_PATH_SIZE];
    int file_count;
};

/* The state at the end of an epoch becomes a file of its own, which the caller removes. */
static int write_state(struct store *store, uint32_t world, uint32_t epoch, struct call *call,
                       struct error *error)
{
    char *path = call->files[call->file_count];
    int status = command_make_file("state", path, error);
    if (status)
        return status;
    call->file_count++;
    return extract_write_state(store, world, epoch, path, error);
}

/* The first and the last state of each world. */
static int write_states(struct store *store, const struct params *params, struct call *call,
                        struct error *error)
{
    if (!preserve_is_wanted(params))
        return error_set(error, ERR_RANGE, "the run is no preserve");
    for (uint32_t world = 0; world < (uint32_t)params->preserve_worlds; world++) {
        int64_t last = -1;
        if (store_get_last_epoch(store, world, &last, error))
            return error->code;
        if (last < 1)
            return error_set(error, ERR_MISSING, "world %" PRIu32 " has not lived yet", world);
        if (write_state(store, world, 0, call, error) ||
            write_state(store, world, (uint32_t)last, call, error))
            return error->code;
    }
    return 0;
}

/* The simulator's exit code, or ERR_*. `options` are what is behind RUN_DIR. */
static int hand_over(struct call *call, int option_count, char **options, struct error *error)
{
    char program[RUN_PATH_SIZE], name[] = "simulator", garden[] = "garden", params[] = "--params",
                                 end[] = "--";
    char **words = calloc((size_t)(option_count + call->file_count) + 6, sizeof *words);
    int count = 0;
    int status = words ? program_find(name, program, error) : error_memory(error);
    if (status >= 0) {
        char *const first[] = {name, garden, params, call->params};
        for (size_t i = 0; i < sizeof first / sizeof first[0]; i++)
            words[count++] = first[i];
        for (int i = 0; i < option_count; i++)
            words[count++] = options[i];
        words[count++] = end;
        for (int i = 0; i < call->file_count; i++)
            words[count++] = call->files[i];
        status = program_run(program, words, error);
    }
    free(words);
    return status;
}

static int run(const char *directory, int option_count, char **options, struct error *error)
{
    struct params params;
    struct store *store = NULL;
    struct call *call = calloc(1, sizeof *call);
    int status = call ? run_directory_path(directory, "params.ini", call->params, error)
                      : error_memory(error);
    if (!status && (command_open_run(directory, &store, &params, error) ||
                    write_states(store, &params, call, error)))
        status = error->code;
    store_close(store);
    if (!status)
        status = hand_over(call, option_count, options, error);
    for (int i = 0; call && i < call->file_count; i++)
        unlink(call->files[i]);
    free(call);
    return status;
}

static int command_garden(int argc, char **argv)
{
    struct error error = {0};
    if (command_is_help(argc, argv))
        return command_parse(&garden_command, argc, argv, NULL);
    int at = argc > 1 && !strcmp(argv[1], "--") ? 2 : 1;
    if (argc <= at || (at == 1 && argv[1][0] == '-'))
        return command_usage("garden", "expected RUN_DIR");
    int status = run(argv[at], argc - at - 1, argv + at + 1, &error);
    return status < 0 ? command_fail(&error) : status;
}

COMMAND(garden, "RUN_DIR [option of simulator garden]...",
        "founders and late creatures of a preserve in one water", NULL,
        "A common garden: founders of a run of a preserve and creatures of its end live in the "
        "same fresh water, and the descendants of either are counted. Options are handed "
        "to simulator: see 'simulator garden --help', and docs/preserve.md.");

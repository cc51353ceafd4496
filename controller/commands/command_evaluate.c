/* controller evaluate, contest, preserve, garden and view: start commands of the simulator, which know
 * no run, with creatures and worlds of runs as files; and the viewer. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/store/favourites.h"
#include "controller/commands/commands.h"
#include "controller/workers/extract.h"
#include "controller/workers/program.h"

/* The words for the simulator. Files for it stand in a folder of their own, if there are any. */
struct call {
    struct scratch scratch;
    char **words, (*files)[RUN_PATH_SIZE];
    int count, file_count;
};

static int call_begin(struct call *call, int words_most, int files_most, struct error *error)
{
    *call = (struct call){.words = calloc((size_t)words_most + 1, sizeof *call->words),
                          .files = calloc((size_t)files_most + 1, sizeof *call->files)};
    return call->words && call->files ? 0 : error_memory(error);
}

/* The next word is the path of a file, which the caller writes. NULL with a message. */
static char *call_add_file(struct call *call, struct error *error)
{
    char name[16], *path = call->files[call->file_count];
    if (call->file_count == 0 && scratch_open(&call->scratch, "called", error))
        return NULL;
    snprintf(name, sizeof name, "%d", call->file_count++);
    scratch_path(&call->scratch, name, path);
    return call->words[call->count++] = path;
}

/* A program's exit code, or ERR_*. */
static int run(const char *name, char **words, struct error *error)
{
    char path[RUN_PATH_SIZE];
    int status = program_find(name, path, error);
    return status ? status : program_run(path, words, -1, error);
}

/* Runs the simulator if status is 0. Returns the exit code of the command. */
static int call_end(struct call *call, int status, struct error *error)
{
    if (!status)
        status = run("simulator", call->words, error);
    scratch_close(&call->scratch);
    free(call->words);
    free(call->files);
    return status < 0 ? command_fail(error) : status;
}

static int is_help(const char *word)
{
    return word && (!strcmp(word, "--help") || !strcmp(word, "-h"));
}

/* ---- creatures of runs ---- */

static int add_creature(struct call *call, const char *directory, uint64_t id, struct error *error)
{
    struct creature creature;
    const char *path = call_add_file(call, error);
    if (!path)
        return error->code;
    int has_failed = command_get_creature(directory, id, &creature, error) ||
                     creature_write(&creature, path, 0, error);
    creature_deinit(&creature);
    return has_failed ? error->code : 0;
}

/* The words handed over; creatures of runs become files of their own, at most `creatures_max`. */
static int hand_over(const struct command *command, int argc, char **argv, int creatures_max)
{
    if (is_help(argv[1]))
        return command_parse(command, argc, argv, NULL);
    struct call call;
    struct error error = {0};
    char directory[RUN_PATH_SIZE];
    uint64_t id;
    int status = call_begin(&call, argc + 1, argc, &error);
    if (!status)
        call.words[call.count++] = "simulator";
    for (int i = 0; i < argc && !status; i++)
        if (i > 0 && call.file_count < creatures_max &&
            creature_name_split(argv[i], directory, sizeof directory, &id))
            status = add_creature(&call, directory, id, &error);
        else
            call.words[call.count++] = argv[i];
    return call_end(&call, status, &error);
}

/* Defines a command whose words are handed over, as RUN_COMMAND() does. */
#define HANDED_COMMAND(word, creatures_max, its_operands, its_summary, its_about)                  \
    static int command_##word(int argc, char **argv)                                               \
    {                                                                                              \
        return hand_over(&word##_command, argc, argv, creatures_max);                              \
    }                                                                                              \
    COMMAND(word, its_operands, its_summary, NULL, its_about)

HANDED_COMMAND(evaluate, 1, "CREATURE [PARAMS.ini] [option of simulator evaluate]...",
               "one creature, one evaluation, all measures",
               "Simulates one creature (a file, RUN_DIR:ID or RUN_DIR:best) and prints what was "
               "measured. All arguments are handed to simulator: see 'simulator evaluate --help'. "
               "The exit code is the simulator's.");
HANDED_COMMAND(
    contest, 2, "A B [PARAMS.ini] [option of simulator contest]...",
    "two creatures in one world, and the winner",
    "Puts two creatures (files, RUN_DIR:ID or RUN_DIR:best) into one world and names "
    "the winner. All arguments are handed to simulator: see 'simulator contest --help', and "
    "docs/contests.md.");
HANDED_COMMAND(preserve, argc, "CREATURE... [option of simulator preserve]...",
               "a water in which creatures eat, breed and die",
               "Founds a world with creatures (files, RUN_DIR:ID or RUN_DIR:best) and says what "
               "becomes of it. All arguments are handed to simulator: see 'simulator preserve "
               "--help', and docs/preserve.md.");

/* ---- a garden ---- */

/* The first and the last state of each world. */
static int add_states(struct call *call, struct store *store, const struct params *params,
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
        for (int is_last = 0; is_last < 2; is_last++) {
            const char *path = call_add_file(call, error);
            if (!path ||
                extract_write_state(store, world, is_last ? (uint32_t)last : 0, path, error))
                return error->code;
        }
    }
    return 0;
}

static int command_garden(int argc, char **argv)
{
    if (is_help(argv[1]))
        return command_parse(&garden_command, argc, argv, NULL);
    int at = argc > 1 && !strcmp(argv[1], "--") ? 2 : 1;
    if (argc <= at || (at == 1 && argv[1][0] == '-'))
        return command_usage("garden", "expected RUN_DIR");
    struct call call;
    struct error error = {0};
    struct params params;
    struct store *store = NULL;
    char path[RUN_PATH_SIZE];
    char *const first[] = {"simulator", "garden", "--params", path};
    int has_failed =
        call_begin(&call, argc + 2 * EPOCH_WORLDS_MAX + 6, 2 * EPOCH_WORLDS_MAX, &error) ||
        run_directory_path(argv[at], "params.ini", path, &error) ||
        command_open_run(argv[at], &store, &params, &error);
    if (!has_failed) {
        memcpy(call.words, first, sizeof first);
        memcpy(call.words + 4, argv + at + 1, (size_t)(argc - at - 1) * sizeof *argv);
        call.count = 4 + argc - at - 1;
        call.words[call.count++] = "--";
        has_failed = add_states(&call, store, &params, &error);
    }
    store_close(store);
    return call_end(&call, has_failed ? error.code : 0, &error);
}

COMMAND(garden, "RUN_DIR [option of simulator garden]...",
        "founders and late creatures of a preserve in one water", NULL,
        "A common garden: founders of a run of a preserve and creatures of its end live in the "
        "same fresh water, and the descendants of either are counted. Options are handed "
        "to simulator: see 'simulator garden --help', and docs/preserve.md.");

/* ---- the viewer, with the same arguments ---- */

static int command_view(int argc, char **argv)
{
    struct error error = {0};
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (is_help(argv[i]))
            return command_parse(&view_command, 2, (char *[]){argv[0], argv[i], NULL}, NULL);
    /* an operand that stands first must be a run: viewer alone would also take a creature */
    int has_end = argc > 1 && !strcmp(argv[1], "--");
    if (argc < 2 + has_end)
        return command_usage(argv[0], "RUN_DIR is missing");
    if ((has_end || argv[1][0] != '-') && run_directory_check(argv[1 + has_end], &error))
        return command_fail(&error);
    argv[0] = "viewer";
    int result = run("viewer", argv, &error);
    return result < 0 ? command_fail(&error) : result;
}

const struct command view_command = {
    .program = "controller",
    .name = "view",
    .also = {"show", "watch"},
    .operands = "RUN_DIR [--generation N] [--top K] [option of viewer]...",
    .summary = "watch survivors in the viewer",
    .about =
        "Starts the program viewer on a run's survivors; without a choice on the best of the last "
        "complete generation. Closing it changes nothing, and a run may go on meanwhile. All "
        "arguments are handed to viewer: see 'viewer --help'. The exit code is the viewer's.",
    .run = command_view};

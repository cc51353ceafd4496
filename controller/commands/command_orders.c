/* Orders to the controller that works on a run: workers, pause, continue, choose, tend.
 *
 * A controller at work is asked through its socket, since only one process writes. Without one
 * choices and deeds are written into the run store, and wait there for 'resume'. */
#define _XOPEN_SOURCE 700 /* realpath() */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/system/output.h"
#include "common/text.h"
#include "controller/commands/commands.h"
#include "controller/run/control.h"
#include "controller/run/deeds.h"
#include "controller/workers/farm.h"

/* How long the controller may take to answer. */
#define ANSWER_MS 10000

/* Gives the order, and prints the answer. As control_ask(). */
static int give(const char *directory, const char *line, struct error *error)
{
    char *answer;
    int status = control_ask(directory, line, ANSWER_MS, &answer, error);
    if (!status)
        output_print(stdout, "%s\n", answer);
    free(answer);
    return status;
}

/* An order without a controller on this machine may have to be given on another one. */
static void add_elsewhere(const char *directory, struct error *error)
{
    struct store *store = NULL;
    struct store_status status;
    struct error ignored;
    char place[STORE_PLACE_SIZE] = "";
    if (!command_open_run(directory, &store, NULL, &ignored) &&
        !store_get_status(store, &status, &ignored))
        command_find_elsewhere(&status, place, sizeof place);
    store_close(store);
    if (place[0] != '\0')
        text_append(error->message, sizeof error->message,
                    "; its controller is, or was last, on %s: give the order there", place);
}

static int give_order(const char *directory, void *line, struct error *error)
{
    if (run_directory_check(directory, error))
        return error->code;
    int status = give(directory, line, error);
    if (status)
        add_elsewhere(directory, error);
    return status;
}

static int command_workers(int argc, char **argv)
{
    char line[64];
    int64_t count;
    struct error error = {0};
    int result = command_begin(&workers_command, argc, argv, NULL, 2, 2, "RUN_DIR|N");
    if (result >= 0 || (result = command_parse_number(argv[0], "N", argv[optind + 1], 1,
                                                      FARM_WORKERS_MAX, &count)) != 0)
        return result;
    snprintf(line, sizeof line, "workers %" PRId64, count);
    return command_end(argv[0], give_order(argv[optind], line, &error), &error);
}

COMMAND(workers, "RUN_DIR N", "a run at work uses N simulators from now on", NULL,
        "Makes a run at work use N simulator processes from now on; its result stays the "
        "same. A process too many ends when it has finished its tasks. A later 'resume' "
        "begins with farm.workers again.");
RUN_COMMAND(pause, give_order, argv[0], "a run at work rests until 'continue'", NULL,
            "A run at work finishes the creatures it is simulating and begins no others until "
            "'controller continue'. The run's result stays the same. To free its memory, too, "
            "stop it (Ctrl-C, or SIGTERM to the controller) and 'controller resume' later.");
RUN_COMMAND(continue, give_order, argv[0], "a paused run goes on", NULL, "A paused run goes on.");

/* ---- choices ---- */

/* No controller works on the run: the choices go into its store. */
static int put_choice(const char *directory, uint64_t id, int choice, struct error *error)
{
    struct store *store = NULL;
    int has_failed = command_open(directory, 0, &store, NULL, error) ||
                     store_check_choice(store, id, error) ||
                     store_put_choice(store, id, choice, error) || store_commit(store, error);
    if (!has_failed)
        output_print(stdout, "creature %" PRIu64 ": %s; counts when the run is resumed\n", id,
                     choice_name(choice));
    store_close(store);
    return has_failed ? error->code : 0;
}

static void print_members(const struct store_entry *entries, int count,
                          const struct store_choice *choices, int choice_count)
{
    output_print(stdout, "%8s  %-6s  %10s  %10s  %6s  %s\n", "id", "choice", "fitness",
                 "distance_m", "parts", "origin");
    for (int i = 0; i < count; i++) {
        char origin[64];
        const char *choice = "";
        for (int k = 0; k < choice_count; k++)
            if (choices[k].id == entries[i].id)
                choice = choice_name(choices[k].choice);
        output_print(stdout, "%8" PRIu64 "  %-6s  %10.4f  %10.4f  %6.0f  %s\n", entries[i].id,
                     choice, entries[i].fitness, entries[i].measures.distance_m,
                     entries[i].measures.parts,
                     store_entry_origin(&entries[i], origin, sizeof origin));
    }
}

/* The generation that waits, or the last one that is complete. */
static int show(const char *directory, struct error *error)
{
    struct store *store = NULL;
    struct store_entry *entries = NULL;
    struct store_choice *choices = NULL;
    struct params params;
    struct store_status run = {0};
    int count = 0, choice_count = 0;
    uint32_t generation = 0;
    int status = command_open_run(directory, &store, &params, error);
    if (!status && !search_is_interactive(&params))
        status = error_set(error, ERR_RANGE,
                           "%s: this run has no choices by hand: neither is evolution.behaviour "
                           "interactive, nor interactive.share above 0",
                           directory);
    if (!status &&
        (store_get_status(store, &run, error) ||
         store_get_best(store, -1, STORE_RANKS, (int)params.population_size, &entries, &count,
                        &generation, error) ||
         stored_get_choices(store_database(store), generation, &choices, &choice_count, error)))
        status = error->code;
    if (!status) {
        int is_open = generation == run.generation && !run.is_finished;
        output_print(stdout, "generation %" PRIu32 "%s\n", generation,
                     is_open ? ", waits for choices" : ", bred from already");
        print_members(entries, count, choices, choice_count);
    }
    free(entries);
    free(choices);
    store_close(store);
    return status;
}

/* The pairs after RUN_DIR are looked at before any of them is given. Returns 0 or an exit code. */
static int check_pairs(int argc, char **argv)
{
    int64_t id;
    int choice;
    if ((argc - optind) % 2 == 0)
        return command_usage(argv[0], "creature %s: keep, ban, breed or none?", argv[argc - 1]);
    for (int i = optind + 1; i < argc; i += 2) {
        int result = command_parse_number(argv[0], "ID", argv[i], 1, INT64_MAX, &id);
        if (result)
            return result;
        if (choice_find(argv[i + 1], &choice))
            return command_usage(argv[0], "'%s' is not a choice: keep, ban, breed or none",
                                 argv[i + 1]);
    }
    return 0;
}

static int choose(const char *directory, int count, char **pairs, int has_next, struct error *error)
{
    int status = run_directory_check(directory, error);
    for (int i = 0; !status && i < count; i += 2) {
        char line[64];
        int choice = CHOICE_NONE;
        uint64_t id = strtoull(pairs[i], NULL, 10);
        choice_find(pairs[i + 1], &choice);
        snprintf(line, sizeof line, "choose %" PRIu64 " %s", id, choice_name(choice));
        status = give(directory, line, error);
        if (status == ERR_MISSING)
            status = put_choice(directory, id, choice, error);
    }
    if (!status && has_next) {
        status = give(directory, "next", error);
        if (status == ERR_MISSING)
            error_set(error, status,
                      "%s: no controller is working on this run; go on with: controller resume %s",
                      directory, directory);
    } else if (!status && !count) {
        status = show(directory, error);
    }
    return status;
}

struct request {
    int has_next;
};

static int command_choose(int argc, char **argv)
{
    struct request request = {0};
    struct error error = {0};
    int result = command_begin(&choose_command, argc, argv, &request, 1, argc, "RUN_DIR");
    if (result >= 0 || (result = check_pairs(argc, argv)) != 0)
        return result;
    int status =
        choose(argv[optind], argc - optind - 1, argv + optind + 1, request.has_next, &error);
    return command_end(argv[0], status, &error);
}

static const struct option_row options[] = {{"next", 0, NULL,
                                             "enough is chosen: breed the next generation",
                                             OPTION_AT(FLAG, request, has_next)},
                                            {.name = NULL}};
COMMAND(choose, "RUN_DIR [ID keep|ban|breed|none]...",
        "chooses the parents for an interactive run, and lets it go on", options,
        "In a run with evolution.behaviour = interactive, or interactive.share > 0, says what "
        "becomes of creatures of the generation under way: 'keep' survives, 'breed' survives and "
        "has children, 'ban' does neither, 'none' takes a choice back. Without any ID prints the "
        "generation and what was chosen. The run waits when a generation is complete, until it is "
        "told to go on. The viewer does the same with keys and buttons: controller view RUN_DIR.");

/* ---- the gardener of a preserve ---- */

/* Where the file of a creature stands among the words "WORLD put FILE". */
enum { PUT_WORD = 1, FILE_WORD = 2 };

/* The words as one line. A file is named from the root: the controller may stand elsewhere. */
static int join(char **words, int count, char *line, size_t size, struct error *error)
{
    size_t used = 0;
    for (int i = 0; i < count; i++) {
        int is_file = i == FILE_WORD && !strcmp(words[PUT_WORD], epoch_deed_names[DEED_put]);
        char *path = is_file && access(words[i], F_OK) == 0 ? realpath(words[i], NULL) : NULL;
        used += (size_t)snprintf(line + used, used < size ? size - used : 0, "%s%s",
                                 i > 0 ? " " : "", path ? path : words[i]);
        free(path);
    }
    return used < size ? 0 : error_set(error, ERR_LIMIT, "the deed is too long: %.60s...", line);
}

/* No controller works on the run: the deeds go into its store. */
static int put_deed(const char *directory, const char *line, struct error *error)
{
    char text[160];
    struct params params;
    struct store *store = NULL;
    int status = command_open(directory, 0, &store, &params, error);
    if (!status && !preserve_is_wanted(&params))
        status = error_set(error, ERR_RANGE, "%s: the run is no preserve", directory);
    if (!status && (deeds_put(store, &params, line, 0, text, sizeof text, error) ||
                    store_commit(store, error)))
        status = error->code;
    if (!status)
        output_print(stdout, "%s; done when the run is resumed\n", text);
    store_close(store);
    return status;
}

static int give_deed(const char *directory, const char *words, struct error *error)
{
    char line[CONTROL_LINE_MAX + 1];
    if (run_directory_check(directory, error))
        return error->code;
    if (snprintf(line, sizeof line, "tend %s", words) >= (int)sizeof line)
        return error_set(error, ERR_LIMIT, "the deed is too long: %.60s...", words);
    int status = give(directory, line, error);
    return status == ERR_MISSING ? put_deed(directory, words, error) : status;
}

static int tend(char **operands, int count, void *request, struct error *error)
{
    char words[RUN_PATH_SIZE];
    int status = join(operands + 1, count - 1, words, sizeof words, error);
    return status ? status : give_deed(operands[0], words, error);
}

OPERAND_COMMAND(
    tend, tend, 3, 8, "RUN_DIR WORLD DEED", "RUN_DIR WORLD DEED...",
    "the gardener of a preserve: put in, feed, move, protect, remove",
    "Does something to a world of a run of a preserve, at the beginning of its next epoch: "
    "'put CREATURE [X Y]' (a file, or RUN_DIR:ID) lays an egg of it, 'feed X Y JOULES' lets "
    "plants grow there, 'move LIFE X Y' and 'remove LIFE' move a creature or take it out, "
    "'protect LIFE' lets mouths spare a creature and 'expose LIFE' no longer; LIFE is an id "
    "of table lives, places are in m from the lower left. The run keeps it in its table "
    "deeds, so that it repeats. The viewer does the same with keys: controller view "
    "RUN_DIR.");

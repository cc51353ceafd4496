/* controller choose: says which creatures are to be kept, bred or banned when the next generation
 * is made.
 *
 * A controller at work is asked through its socket, since only one process writes. Without one the
 * choice is written into the run store, and waits there for 'resume'. */
#include <inttypes.h>
#include <stdlib.h>

#include "common/system/output.h"
#include "controller/commands/commands.h"
#include "controller/run/control.h"
#include "controller/store/run_directory.h"

/* ---- giving ---- */

/* No controller works on the run: the choices go into its store. */
static int put_choice(const char *directory, uint64_t id, int choice, struct error *error)
{
    struct store *store = NULL;
    int has_failed = command_open_to_write(directory, &store, NULL, error) ||
                     store_check_choice(store, id, error) ||
                     store_put_choice(store, id, choice, error) || store_commit(store, error);
    if (!has_failed)
        output_print(stdout, "creature %" PRIu64 ": %s; counts when the run is resumed\n", id,
                     choice_name(choice));
    store_close(store);
    return has_failed ? error->code : 0;
}

static int give_choice(const char *directory, uint64_t id, int choice, struct error *error)
{
    char line[64];
    snprintf(line, sizeof line, "choose %" PRIu64 " %s", id, choice_name(choice));
    int status = command_order(directory, line, error);
    return status == ERR_MISSING ? put_choice(directory, id, choice, error) : status;
}

static int give_next(const char *directory, struct error *error)
{
    int status = command_order(directory, "next", error);
    if (status == ERR_MISSING)
        error_set(error, status,
                  "%s: no controller is working on this run; go on with: controller resume %s",
                  directory, directory);
    return status;
}

/* ---- showing ---- */

static const char *find_choice(const struct store_choice *choices, int count, uint64_t id)
{
    for (int i = 0; i < count; i++)
        if (choices[i].id == id)
            return choice_name(choices[i].choice);
    return "";
}

static void print_members(const struct store_entry *entries, int count,
                          const struct store_choice *choices, int choice_count)
{
    output_print(stdout, "%8s  %-6s  %10s  %10s  %6s  %s\n", "id", "choice", "fitness",
                 "distance_m", "parts", "origin");
    for (int i = 0; i < count; i++) {
        char origin[64];
        output_print(stdout, "%8" PRIu64 "  %-6s  %10.4f  %10.4f  %6.0f  %s\n", entries[i].id,
                     find_choice(choices, choice_count, entries[i].id), entries[i].fitness,
                     entries[i].measures.distance_m, entries[i].measures.parts,
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

/* ---- the command line ---- */

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
        int choice = CHOICE_NONE;
        choice_find(pairs[i + 1], &choice);
        status = give_choice(directory, strtoull(pairs[i], NULL, 10), choice, error);
    }
    if (!status && has_next)
        status = give_next(directory, error);
    if (!status && !count && !has_next)
        status = show(directory, error);
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

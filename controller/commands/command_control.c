/* controller workers, pause, continue: orders to the controller that works on a run. */
#include <inttypes.h>
#include <string.h>

#include "common/system/output.h"
#include "controller/commands/commands.h"
#include "controller/run/control.h"
#include "controller/workers/farm.h"
#include "controller/store/run_directory.h"

/* An order without a controller on this machine may have to be given on another one. */
static void add_elsewhere(const char *directory, struct error *error)
{
    struct store *store = NULL;
    struct store_status status;
    struct error ignored;
    char place[STORE_PLACE_SIZE] = "";
    if (!command_open_run(directory, &store, &ignored) &&
        !store_get_status(store, &status, &ignored))
        command_find_elsewhere(&status, place, sizeof place);
    store_close(store);
    size_t used = strlen(error->message);
    if (place[0] != '\0')
        snprintf(error->message + used, sizeof error->message - used,
                 "; its controller is, or was last, on %s: give the order there", place);
}

static int give_order(const char *directory, void *line, struct error *error)
{
    int status = run_directory_check(directory, error);
    if (status)
        return status;
    status = command_order(directory, line, error);
    if (status)
        add_elsewhere(directory, error);
    return status;
}

static int command_workers(int argc, char **argv)
{
    char line[64];
    int64_t count;
    struct error error = {0};
    int result = command_parse(&workers_command, argc, argv, NULL);
    if (result >= 0)
        return result;
    result = command_check_operands(argc, argv, 1, 2, "RUN_DIR");
    if (!result)
        result = command_check_operands(argc, argv, 2, 2, "N");
    if (!result)
        result = command_parse_number(argv[0], "N", argv[optind + 1], 1, FARM_WORKERS_MAX, &count);
    if (result)
        return result;
    snprintf(line, sizeof line, "workers %" PRId64, count);
    return give_order(argv[optind], line, &error) ? command_fail(&error) : command_finish_output();
}

static int command_pause(int argc, char **argv)
{
    return command_with_run(&pause_command, argc, argv, argv[0], give_order);
}

static int command_continue(int argc, char **argv)
{
    return command_with_run(&continue_command, argc, argv, argv[0], give_order);
}

const struct command workers_command = {
    .program = "controller",
    .name = "workers",
    .operands = "RUN_DIR N",
    .summary = "a run at work uses N simulators from now on",
    .about = "Makes a run at work use N simulator processes from now on; its result stays the "
             "same. A process too many ends when it has finished its tasks. A later 'resume' "
             "begins with farm.workers again.",
    .run = command_workers};
const struct command pause_command = {
    .program = "controller",
    .name = "pause",
    .operands = "RUN_DIR",
    .summary = "a run at work rests until 'continue'",
    .about = "A run at work finishes the creatures it is simulating and begins no others until "
             "'controller continue'. The run's result stays the same. To free its memory, too, "
             "stop it (Ctrl-C, or SIGTERM to the controller) and 'controller resume' later.",
    .run = command_pause};
const struct command continue_command = {.program = "controller",
                                         .name = "continue",
                                         .operands = "RUN_DIR",
                                         .summary = "a paused run goes on",
                                         .about = "A paused run goes on.",
                                         .run = command_continue};

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
    if (!command_open_run(directory, &store, NULL, &ignored) &&
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

/* controller workers, pause, continue: orders to the controller that works on a run. */
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/system/output.h"
#include "controller/commands/commands.h"
#include "controller/run/control.h"
#include "controller/workers/farm.h"
#include "controller/store/run_directory.h"

/* How long the controller may take to answer. */
#define ANSWER_MS 10000

static const char workers_help[] =
    "usage: controller workers RUN_DIR N\n"
    "Makes a run at work use N simulator processes from now on; its result stays the same. A "
    "process\n"
    "too many ends when it has finished its tasks. A later 'resume' begins with farm.workers\n"
    "again.\n"
    "\n"
    "  -h, --help\n";

static const char pause_help[] =
    "usage: controller pause RUN_DIR\n"
    "A run at work finishes the creatures it is simulating and begins no others until 'controller\n"
    "continue'. The run's result stays the same. To free its memory, too, stop it (Ctrl-C, or "
    "SIGTERM\n"
    "to the controller) and 'controller resume' later.\n"
    "\n"
    "  -h, --help\n";

static const char continue_help[] = "usage: controller continue RUN_DIR\n"
                                    "A paused run goes on.\n"
                                    "\n"
                                    "  -h, --help\n";

/* An order that nobody here takes may have to be given on another machine. */
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

static int give_order(const char *directory, const char *line)
{
    struct error error = {0};
    char *answer;
    if (run_directory_check(directory, &error))
        return command_fail(&error);
    if (control_ask(directory, line, ANSWER_MS, &answer, &error)) {
        add_elsewhere(directory, &error);
        return command_fail(&error);
    }
    output_print(stdout, "%s\n", answer);
    free(answer);
    return command_finish_output();
}

int command_workers(int argc, char **argv)
{
    char line[64];
    int64_t count;
    int result = command_read_help(argc, argv, workers_help);
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
    return give_order(argv[optind], line);
}

static int plain_order(int argc, char **argv, const char *help)
{
    int result = command_read_help(argc, argv, help);
    if (result >= 0)
        return result;
    result = command_check_operands(argc, argv, 1, 1, "RUN_DIR");
    return result ? result : give_order(argv[optind], argv[0]);
}

int command_pause(int argc, char **argv)
{
    return plain_order(argc, argv, pause_help);
}

int command_continue(int argc, char **argv)
{
    return plain_order(argc, argv, continue_help);
}

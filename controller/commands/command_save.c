/* controller save: a creature of a run as a file of its own, with all that is known of it. */
#include <getopt.h>
#include <inttypes.h>
#include <unistd.h>

#include "common/system/output.h"
#include "controller/commands/commands.h"
#include "controller/store/run_directory.h"

static const char help[] =
    "usage: controller save RUN_DIR ID|best [option]...\n"
    "Writes a creature to a file that viewer, simulator and controller load, here and elsewhere; "
    "it\n"
    "holds the parameters and the result of its evaluation, so that a replay can be verified.\n"
    "'best' is the first in rank of the last complete generation.\n"
    "\n"
    "  -o, --output FILE    default: creature-ID.creature\n"
    "      --text           readable JSON instead of the binary form\n"
    "      --force          overwrite the file if it exists\n"
    "  -h, --help\n";

static int save_creature(const char *directory, uint64_t id, const char *path, int is_text,
                         struct error *error)
{
    struct creature creature;
    int status = command_get_creature(directory, id, &creature, error);
    if (status)
        return status;
    status = creature_write(&creature, path, is_text, error);
    if (!status)
        output_print(stdout, "%s: creature %" PRIu64 ", fitness %.6g\nreplay it:   viewer %s\n",
                     path, creature.id, creature.fitness, path);
    creature_deinit(&creature);
    return status;
}

int command_save(int argc, char **argv)
{
    enum { OPTION_TEXT = 256, OPTION_FORCE };
    static const struct option options[] = {{"output", required_argument, NULL, 'o'},
                                            {"text", no_argument, NULL, OPTION_TEXT},
                                            {"force", no_argument, NULL, OPTION_FORCE},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    const char *output = NULL;
    int is_text = 0, is_forced = 0, answer;
    opterr = 0;
    while ((answer = getopt_long(argc, argv, ":o:h", options, NULL)) != -1) {
        switch (answer) {
        case 'o':
            output = optarg;
            break;
        case OPTION_TEXT:
            is_text = 1;
            break;
        case OPTION_FORCE:
            is_forced = 1;
            break;
        case 'h':
            output_lines(stdout, help);
            return command_finish_output();
        default:
            return command_bad_option(argv, options, answer);
        }
    }

    uint64_t id;
    char path[RUN_PATH_SIZE];
    struct error error = {0};
    int result = command_check_operands(argc, argv, 2, 2,
                                        argc - optind < 1 ? "RUN_DIR" : "ID (a creature's number)");
    if (!result)
        result = command_parse_id(argv[0], "ID", argv[optind + 1], &id);
    if (result)
        return result;
    if (output)
        snprintf(path, sizeof path, "%s", output);
    else
        snprintf(path, sizeof path, "creature-%s.creature", argv[optind + 1]);
    if (!is_forced && access(path, F_OK) == 0) {
        error_set(&error, ERR_EXISTS, "%s: exists already (overwrite it with --force)", path);
        return command_fail(&error);
    }
    if (save_creature(argv[optind], id, path, is_text, &error))
        return command_fail(&error);
    return command_finish_output();
}

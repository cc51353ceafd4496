/* controller view: starts the viewer, a process of its own, with the same arguments. */
#include <string.h>

#include "common/system/output.h"
#include "controller/commands/commands.h"
#include "controller/workers/program.h"

static int command_view(int argc, char **argv)
{
    char path[RUN_PATH_SIZE], name[] = "viewer";
    struct error error = {0};
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
            return command_parse(&view_command, 2, (char *[]){argv[0], argv[i], NULL}, NULL);
    }
    if (argc < 2)
        return command_usage(argv[0], "RUN_DIR is missing");
    /* an operand that stands first must be a run: viewer alone would also take a creature */
    int has_end = !strcmp(argv[1], "--");
    if (has_end && argc < 3)
        return command_usage(argv[0], "RUN_DIR is missing");
    if ((has_end || argv[1][0] != '-') && run_directory_check(argv[1 + has_end], &error))
        return command_fail(&error);
    if (program_find("viewer", path, &error))
        return command_fail(&error);
    argv[0] = name;
    int result = program_run(path, argv, &error);
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

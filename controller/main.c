/* controller: evolves creatures on a farm of simulators, and shows, keeps and explains what
 * evolved.
 *
 * One table of commands; their rows are in the files command_NAME.c. */
#include <stdio.h>
#include <string.h>

#include "common/system/options.h"
#include "common/system/output.h"
#include "common/system/process.h"
#include "common/version.h"
#include "controller/commands/commands.h"

static const struct command *const commands[] = {
#define X(word) &word##_command,
    COMMANDS(X)
#undef X
        NULL};

static void print_help(void)
{
    output_print(
        stdout,
        "usage: controller COMMAND ...\n"
        "Evolves virtual creatures on all cores and keeps every one of them in a run directory.\n"
        "\n");
    commands_print(commands);
    output_print(
        stdout,
        "\n"
        "'controller COMMAND --help' says more. 'controller run --print-config' prints every\n"
        "parameter with its meaning, range and default. Exit code: 0 done, 1 failed, 2 wrong "
        "usage.\n");
}

static int run(int argc, char **argv)
{
    struct error error;
    options_read_words(argc, argv);
    if (limits_check_stack(&error)) {
        output_print(stderr, "controller: %s\n", error.message);
        return COMMAND_FAILED;
    }
    if (argc < 2) {
        output_print(stderr, "controller: no command given (see 'controller --help')\n");
        return COMMAND_USAGE;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
        print_help();
        return COMMAND_OK;
    }
    if (!strcmp(argv[1], "--version")) {
        output_print(stdout, "controller (Bestiary) %s\n", BESTIARY_VERSION);
        return COMMAND_OK;
    }
    return commands_run(commands, argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    signals_begin();
    output_begin();
    int exit_code = run(argc, argv);
    return exit_code == COMMAND_OK ? command_finish_output() : exit_code;
}

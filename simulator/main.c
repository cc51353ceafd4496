/* simulator: without arguments a worker of a farm, with a command something for people. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/math/hash.h"
#include "common/system/options.h"
#include "common/system/output.h"
#include "common/system/process.h"
#include "common/version.h"
#include "simulator/tools/commands.h"
#include "simulator/evaluate/evaluate.h"
#include "simulator/fault.h"
#include "simulator/fingerprint.h"
#include "simulator/task_server.h"

static const struct command *const commands[] = {
    &evaluate_command, &contest_command, &preserve_command, &garden_command,
    &take_command,     &export_command,  &scene_command,    NULL};

static void print_help(void)
{
    output_print(
        stdout,
        "usage: simulator [COMMAND ...]\n"
        "Simulates creatures: Bestiary's worker, or one creature at a time.\n"
        "\n"
        "without a command: worker mode, the protocol on standard input and output, the log on\n"
        "standard error (the controller starts it so)\n"
        "\n");
    commands_print(commands);
    output_print(
        stdout,
        "\n"
        "  --help, --version; simulator COMMAND --help\n"
        "  --fingerprint: what it computes on this machine, as one number; equal numbers, equal\n"
        "  bits\n"
        "Exit code: 0, 1 failed, 2 wrong usage; a worker that hangs ends itself with 3.\n");
}

/* Tells its purpose to a person at a terminal; an output that is a pseudo-terminal belongs to a
 * launcher. */
static int run_worker(void)
{
    if (isatty(STDIN_FILENO)) {
        output_print(stderr,
                     "simulator: worker mode needs pipes, not a terminal; see simulator --help\n");
        return 2;
    }
    return task_server_run(STDIN_FILENO, STDOUT_FILENO);
}

static int print_fingerprint(void)
{
    struct arena arena;
    char text[17];
    fault_watch();
    if (arena_init(&arena, EVALUATE_ARENA_BYTES) != 0) {
        output_print(stderr, "simulator: out of memory\n");
        return 1;
    }
    hash_to_text(fingerprint_compute(&arena), text);
    arena_deinit(&arena);
    output_print(stdout, "%s\n", text);
    return 0;
}

/* The exit code. */
static int run(int argc, char **argv)
{
    static const struct option options[] = {{"help", no_argument, NULL, 'h'},
                                            {"version", no_argument, NULL, 'v'},
                                            {"fingerprint", no_argument, NULL, 'f'},
                                            {NULL, 0, NULL, 0}};
    struct error error;
    int option;
#ifdef NEEDS_AVX
    if (!__builtin_cpu_supports("avx")) {
        output_lines(
            stderr,
            "simulator: built for processors with AVX, which this one is not: build it with "
            "`make AVX=`\n");
        return 1;
    }
#endif
    if (limits_check_stack(&error)) {
        output_print(stderr, "simulator: %s\n", error.message);
        return 1;
    }
    options_read_words(argc, argv);
    opterr = 0;
    while ((option = getopt_long(argc, argv, "+:hv", options, NULL)) != -1) {
        if (option == 'h') {
            print_help();
            return 0;
        }
        if (option == 'v') {
            output_print(
                stdout, "simulator %s (simulator version %d, protocol %d, creature format %d)\n",
                BESTIARY_VERSION, SIMULATOR_VERSION, PROTOCOL_VERSION, CREATURE_FORMAT_VERSION);
            return 0;
        }
        if (option == 'f')
            return print_fingerprint();
        option_describe_fault(argv, options, option, error.message, sizeof error.message);
        output_print(stderr, "simulator: %s; see simulator --help\n", error.message);
        return 2;
    }
    return optind == argc ? run_worker() : commands_run(commands, argc - optind, argv + optind);
}

int main(int argc, char **argv)
{
    signals_begin();
    output_begin();
    int exit_code = run(argc, argv);
    return exit_code == 0 && output_finish("simulator") ? 1 : exit_code;
}

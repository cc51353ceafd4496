/* simulator: without arguments a worker of a farm, with a command something for people. */
#include <stdio.h>
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
    &evaluate_tool.command, &contest_tool.command, &preserve_tool.command, &garden_tool.command,
    &take_tool.command,     &export_tool.command,  &scene_tool.command,    NULL};

struct request {
    int is_version, is_fingerprint;
};
static const struct option_row options[] = {
    {"version", 'v', NULL, "its versions", OPTION_AT(FLAG, request, is_version)},
    {"fingerprint", 0, NULL,
     "what it computes on this machine, as one number; equal numbers, equal bits",
     OPTION_AT(FLAG, request, is_fingerprint)},
    {.name = NULL}};
static const struct command program = {
    .program = "simulator",
    .operands = "[COMMAND ...]",
    .about = "Simulates creatures: Bestiary's worker, or one creature at a time. Without a "
             "command: worker mode, the protocol on standard input and output, the log on standard "
             "error (the controller starts it so). 'simulator COMMAND --help' says more.",
    .options = options,
    .after = "Exit code: 0, 1 failed, 2 wrong usage; a worker that hangs ends itself with 3."};

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
    struct request request = {0};
    struct error error;
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
    if (argc > 1 && argv[1][0] != '-')
        return commands_run(commands, argc - 1, argv + 1);
    int result = command_parse(&program, argc, argv, &request);
    if (result == EXIT_OK) {
        output_print(stdout, "\n");
        commands_print(commands);
    }
    if (result >= 0)
        return result;
    if (request.is_version) {
        output_print(
            stdout, "simulator %s (simulator version %d, protocol %d, creature format %d)\n",
            BESTIARY_VERSION, SIMULATOR_VERSION, PROTOCOL_VERSION, CREATURE_FORMAT_VERSION);
        return EXIT_OK;
    }
    if (request.is_fingerprint)
        return print_fingerprint();
    return optind == argc ? run_worker() : commands_run(commands, argc - optind, argv + optind);
}

int main(int argc, char **argv)
{
    signals_begin();
    output_begin();
    int exit_code = run(argc, argv);
    return exit_code == 0 && output_finish("simulator") ? 1 : exit_code;
}

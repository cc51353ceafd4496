/* controller: evolves creatures on a farm of simulators, and shows, keeps and explains what
 * evolved.
 *
 * One table of commands; each has a file command_NAME.c. */
#include <stdio.h>
#include <string.h>

#include "common/system/limits.h"
#include "common/system/options.h"
#include "common/system/output.h"
#include "common/text.h"
#include "common/version.h"
#include "controller/commands/commands.h"

static const struct command {
    const char *name, *arguments, *help;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"run", "PARAMS.ini | EXAMPLE [-o RUN_DIR] [--seed N] [-j WORKERS] [-s key=value]...",
     "evolve, with live progress", command_run},
    {"examples", "", "what there is to evolve: names, and how long it takes", command_examples},
    {"resume", "RUN_DIR [-j WORKERS] [-s key=value]...",
     "go on after a stop or a crash, or with changed settings", command_resume},
    {"status", "RUN_DIR [--watch] [--json]", "where a run stands, also while it is running",
     command_status},
    {"list", "RUN_DIR [--generation N] [--top K] [--lineage ID [--all]] [--json]",
     "the best of a generation, or a creature's ancestors", command_list},
    {"view", "RUN_DIR [--generation N] [--top K]", "watch survivors in the viewer", command_view},
    {"report", "RUN_DIR [-o FILE.html] [--no-pictures]",
     "a page about the run: plots, champions, lineage, what holds it back", command_report},
    {"save", "RUN_DIR ID|best [-o NAME.creature] [--text] [--force]", "keep a creature as a file",
     command_save},
    {"evaluate", "CREATURE | RUN_DIR:ID [PARAMS.ini] [--json] ...",
     "one creature, one evaluation, all measures", command_evaluate},
    {"contest", "A B [PARAMS.ini] [--see light:object] ...",
     "two creatures in one world, and who wins", command_contest},
    {"league", "CREATURE... PARAMS.ini [-o DIR] [--see light:object] [-j N] ...",
     "every pair has a contest: a table of ratings", command_league},
    {"logs", "RUN_DIR [--worker N] [--task ID] [--creature ID] [--level L] [--follow]",
     "the logs of all processes, in the order of time", command_logs},
    {"workers", "RUN_DIR N", "a run at work uses N simulators from now on", command_workers},
    {"pause", "RUN_DIR", "a run at work rests until 'continue'", command_pause},
    {"continue", "RUN_DIR", "a paused run goes on", command_continue},
    {"choose", "RUN_DIR [ID keep|ban|breed|none]... [--next]",
     "whom an interactive run breeds from, and that it may go on", command_choose},
    {"random", "[-o NAME.creature] [--text]", "a creature with a random genome", command_random},
    {"mutate", "A [-o NAME.creature] [--count N] [--text]", "a mutant of a creature",
     command_mutate},
    {"breed", "A B --method crossover|graft [-o NAME.creature] [--text]",
     "a child of two creatures", command_breed},
    {"diff", "A B", "what differs between two creatures' genomes, in words", command_diff},
    {"digest", "RUN_DIR", "hashes of what two equal runs have in common", command_digest},
};
enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static void print_help(void)
{
    output_print(
        stdout,
        "usage: controller COMMAND ...\n"
        "Evolves virtual creatures on all cores and keeps every one of them in a run directory.\n"
        "\n");
    for (int i = 0; i < COMMAND_COUNT; i++)
        output_print(stdout, "  controller %-8s %s\n%22s%s\n", commands[i].name,
                     commands[i].arguments, "", commands[i].help);
    output_print(
        stdout,
        "\n"
        "'controller COMMAND --help' says more. 'controller run --print-config' prints every\n"
        "parameter with its meaning, range and default. Exit code: 0 done, 1 failed, 2 wrong "
        "usage.\n");
}

static int fail_unknown(const char *word)
{
    char suggestion[TEXT_SUGGESTION_SIZE];
    const char *meant = NULL;
    for (int i = 0; i < COMMAND_COUNT; i++)
        meant = text_nearer(word, commands[i].name, meant);
    output_print(stderr, "controller: unknown command '%s'%s; see 'controller --help'\n", word,
                 text_suggest(meant, suggestion));
    return COMMAND_USAGE;
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
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (!strcmp(argv[1], commands[i].name))
            return commands[i].run(argc - 1, argv + 1);
    return fail_unknown(argv[1]);
}

int main(int argc, char **argv)
{
    output_begin();
    int exit_code = run(argc, argv);
    return exit_code == COMMAND_OK ? command_finish_output() : exit_code;
}

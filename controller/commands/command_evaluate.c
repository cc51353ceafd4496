/* controller evaluate, contest and preserve: start the simulator's commands of that name, which
 * know no run, with creatures of runs as files. */
#include <stdlib.h>
#include <unistd.h>

#include "common/store/favourites.h"
#include "common/system/output.h"
#include "controller/commands/commands.h"
#include "controller/store/run_directory.h"
#include "controller/workers/program.h"

/* A file of its own for a creature of a run; the caller removes it. */
static int write_creature(const char *directory, uint64_t id, char path[RUN_PATH_SIZE],
                          struct error *error)
{
    struct creature creature;
    int has_failed = command_get_creature(directory, id, &creature, error) ||
                     command_make_file("creature", path, error) ||
                     creature_write(&creature, path, 0, error);
    creature_deinit(&creature);
    return has_failed ? error->code : 0;
}

/* The words handed over; creatures of runs become files of their own, at most `creatures_max`. */
static int hand_over(const struct command *command, int argc, char **argv, int creatures_max)
{
    if (command_is_help(argc, argv))
        return command_parse(command, argc, argv, NULL);
    char program[RUN_PATH_SIZE], directory[RUN_PATH_SIZE];
    char name[] = "simulator", **words = calloc((size_t)argc + 2, sizeof *words);
    char(*paths)[RUN_PATH_SIZE] = calloc((size_t)argc, sizeof *paths);
    struct error error = {0};
    uint64_t id;
    int count = 0;
    int result = words && paths ? program_find("simulator", program, &error) : error_memory(&error);
    for (int i = 0; i < argc && result >= 0; i++) {
        words[i + 1] = argv[i];
        if (i > 0 && count < creatures_max &&
            creature_name_split(argv[i], directory, sizeof directory, &id)) {
            paths[count][0] = '\0';
            result = write_creature(directory, id, paths[count], &error);
            words[i + 1] = paths[count++];
        }
    }
    if (result >= 0) {
        words[0] = name;
        result = program_run(program, words, &error);
    }
    for (int i = 0; i < count; i++)
        if (paths[i][0])
            unlink(paths[i]);
    free(words);
    free(paths);
    return result < 0 ? command_fail(&error) : result;
}

static int command_evaluate(int argc, char **argv)
{
    return hand_over(&evaluate_command, argc, argv, 1);
}

static int command_contest(int argc, char **argv)
{
    return hand_over(&contest_command, argc, argv, 2);
}

static int command_preserve(int argc, char **argv)
{
    return hand_over(&preserve_command, argc, argv, argc);
}

COMMAND(evaluate, "CREATURE [PARAMS.ini] [option of simulator evaluate]...",
        "one creature, one evaluation, all measures", NULL,
        "Simulates one creature (a file, RUN_DIR:ID or RUN_DIR:best) and prints what was "
        "measured. All arguments are handed to simulator: see 'simulator evaluate --help'. "
        "The exit code is the simulator's.");
COMMAND(contest, "A B [PARAMS.ini] [option of simulator contest]...",
        "two creatures in one world, and the winner", NULL,
        "Puts two creatures (files, RUN_DIR:ID or RUN_DIR:best) into one world and names "
        "the winner. All arguments are handed to simulator: see 'simulator contest --help', and "
        "docs/contests.md.");
COMMAND(preserve, "CREATURE... [option of simulator preserve]...",
        "a water in which creatures eat, breed and die", NULL,
        "Founds a world with creatures (files, RUN_DIR:ID or RUN_DIR:best) and says what "
        "becomes of it. All arguments are handed to simulator: see 'simulator preserve "
        "--help', and docs/preserve.md.");

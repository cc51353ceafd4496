/* controller tend: the gardener of a preserve. Gives deeds to the controller that works on the run;
 * without one they are written into the run store, and wait there for 'resume'. */
#define _XOPEN_SOURCE 700 /* realpath() */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/system/output.h"
#include "controller/commands/commands.h"
#include "controller/run/control.h"
#include "controller/run/deeds.h"
#include "controller/store/run_directory.h"

/* Where the file of a creature stands among the words "WORLD put FILE". */
enum { PUT_WORD = 1, FILE_WORD = 2 };

/* The words as one line. A file is named from the root: the controller may stand elsewhere. */
static int join(char **words, int count, char *line, size_t size, struct error *error)
{
    size_t used = 0;
    for (int i = 0; i < count; i++) {
        int is_file = i == FILE_WORD && !strcmp(words[PUT_WORD], epoch_deed_names[DEED_put]);
        char *path = is_file && access(words[i], F_OK) == 0 ? realpath(words[i], NULL) : NULL;
        used += (size_t)snprintf(line + used, used < size ? size - used : 0, "%s%s",
                                 i > 0 ? " " : "", path ? path : words[i]);
        free(path);
    }
    return used < size ? 0 : error_set(error, ERR_LIMIT, "the deed is too long: %.60s...", line);
}

/* No controller works on the run: the deeds go into its store. */
static int put_deed(const char *directory, const char *line, struct error *error)
{
    char text[160];
    struct params params;
    struct store *store = NULL;
    int status = command_open_to_write(directory, &store, &params, error);
    if (!status && !preserve_is_wanted(&params))
        status = error_set(error, ERR_RANGE, "%s: the run is no preserve", directory);
    if (!status && (deeds_put(store, &params, line, 0, text, sizeof text, error) ||
                    store_commit(store, error)))
        status = error->code;
    if (!status)
        output_print(stdout, "%s; done when the run is resumed\n", text);
    store_close(store);
    return status;
}

static int give_deed(const char *directory, const char *words, struct error *error)
{
    char line[CONTROL_LINE_MAX + 1];
    int status = run_directory_check(directory, error);
    if (status)
        return status;
    if (snprintf(line, sizeof line, "tend %s", words) >= (int)sizeof line)
        return error_set(error, ERR_LIMIT, "the deed is too long: %.60s...", words);
    status = command_order(directory, line, error);
    return status == ERR_MISSING ? put_deed(directory, words, error) : status;
}

static int tend(char **operands, int count, void *request, struct error *error)
{
    char words[RUN_PATH_SIZE];
    int status = join(operands + 1, count - 1, words, sizeof words, error);
    return status ? status : give_deed(operands[0], words, error);
}

OPERAND_COMMAND(
    tend, tend, 3, 8, "RUN_DIR WORLD DEED", "RUN_DIR WORLD DEED...",
    "the gardener of a preserve: put in, feed, move, protect, remove",
    "Does something to a world of a run of a preserve, at the beginning of its next epoch: "
    "'put CREATURE [X Y]' (a file, or RUN_DIR:ID) lays an egg of it, 'feed X Y JOULES' lets "
    "plants grow there, 'move LIFE X Y' and 'remove LIFE' move a creature or take it out, "
    "'protect LIFE' lets mouths spare a creature and 'expose LIFE' no longer; LIFE is an id "
    "of table lives, places are in m from the lower left. The run keeps it in its table "
    "deeds, so that it repeats. The viewer does the same with keys: controller view "
    "RUN_DIR.");

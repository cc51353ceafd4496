/* The commands of `simulator`, a row each in main.c, and what they have in common. */
#ifndef SIMULATOR_TOOLS_COMMANDS_H
#define SIMULATOR_TOOLS_COMMANDS_H

#include <jansson.h>
#include <limits.h>

#include "common/creature/creature.h"
#include "common/system/file.h"
#include "common/system/options.h"
#include "simulator/preserve/preserve_state.h"

extern const struct command contest_command, evaluate_command, export_command, garden_command,
    preserve_command, scene_command, take_command;

/* The way of a command from its words to its exit code. */
struct tool {
    const struct command *command;
    int least, most;      /* operands */
    const char *expected; /* what the refusal names; NULL: the command's operands */
    /* Whether all that is needed was given; NULL: it was. */
    int (*is_complete)(const void *request);
    /* 0 or ERR_* with a message. The operands end with NULL. */
    int (*run)(void *request, char **operands, struct error *error);
};
/* Parses the request and runs the tool; returns the exit code: 2 after ERR_USAGE. Frees the items of
 * the request's list (NULL: it has none). */
int tool_run(const struct tool *tool, int argc, char **argv, void *request,
             struct option_list *list);

/* Parameters by the file (NULL: as recorded), then the assignments; not checked yet. ERR_USAGE
 * where there are none. */
int tool_choose_params(const struct creature *creature, const char *path,
                       const struct option_list *assignments, struct params *params,
                       struct error *error);
/* Reads a file with what `controller save` writes of a preserve: a packed state, or one packed egg,
 * which becomes the only content of the state. Initialises `state`, and leaves it empty on error.
 * Messages name the path. */
int tool_read_state(const char *path, int is_egg, struct preserve_state *state,
                    struct error *error);
/* A file that a command writes: `file` is NULL where there is no path. */
struct tool_file {
    const char *path;
    int is_standard; /* it is standard output instead */
    FILE *file;
    struct atomic_file draft;
};
/* Opens all of them, up to the first that cannot be. 0, or ERR_* with a message. */
int tool_open_files(struct tool_file *files, int count, struct error *error);
/* Closes those that are open. After a status other than 0 drafts are kept as far as they were
 * written, or dropped. Returns the status, or what went wrong first, with a message. */
int tool_close_files(struct tool_file *files, int count, int status, int are_kept,
                     struct error *error);
/* Prints an object, NULL when memory is out, and lets it go. 0 or ERR_MEMORY. */
int tool_print_json(json_t *object, struct error *error);

#endif

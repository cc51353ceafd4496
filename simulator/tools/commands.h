/* The commands of `simulator`, a row each in main.c, and what they have in common. */
#ifndef SIMULATOR_TOOLS_COMMANDS_H
#define SIMULATOR_TOOLS_COMMANDS_H

#include <jansson.h>
#include <limits.h>

#include "common/creature/creature.h"
#include "common/system/file.h"
#include "common/system/options.h"
#include "simulator/preserve/preserve_state.h"

/* A command from its words to its exit code. */
struct tool {
    struct command command;
    int counts[2];        /* of operands: least and most */
    const char *expected; /* what the refusal names; NULL: the command's operands */
    const void *request;  /* as it is before the options are read, and its size */
    size_t request_bytes;
    /* Whether all that is needed was given; NULL: it was. */
    int (*is_complete)(const void *request);
    /* 0 or ERR_* with a message. The operands end with NULL. */
    int (*run)(void *request, char **operands, struct error *error);
};
extern const struct tool contest_tool, evaluate_tool, export_tool, garden_tool, preserve_tool,
    scene_tool, take_tool;

/* Parses the request of the tool whose row that is, and runs it; the exit code is 2 after
 * ERR_USAGE. */
int tool_act(const struct command *command, int argc, char **argv);
/* The share of a command's row that all have, with the options of its file, and a tool's request:
 * what is not 0 in it. */
#define TOOL(word) .program = "simulator", .name = #word, .options = options, .act = tool_act
#define TOOL_REQUEST(...)                                                                          \
    .request = &(const struct request){__VA_ARGS__}, .request_bytes = sizeof(struct request)

/* Parameters by the file (NULL: as recorded), then the assignments; not checked yet. ERR_USAGE
 * where there are none. */
int tool_choose_params(const struct creature *creature, const char *path,
                       const struct option_list *assignments, struct params *params,
                       struct error *error);
/* Parameters of a preserve: by the file (NULL: all defaults, in water), then the assignments (NULL:
 * none); checked. */
int tool_read_preserve(const char *path, const struct option_list *assignments,
                       struct params *params, struct error *error);
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

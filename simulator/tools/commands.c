/* See commands.h. */
#include "simulator/tools/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/formats/json_text.h"
#include "common/system/output.h"
#include "simulator/preserve/preserve.h"

/* The greatest size of a file that holds a packed state, in bytes. */
#define STATE_BYTES_MAX (16u << 20)

static int parse_and_run(const struct tool *tool, int argc, char **argv, void *request)
{
    struct error error = {0};
    char expected[128];
    int result = command_parse(&tool->command, argc, argv, request), count = argc - optind;
    if (result >= 0)
        return result;
    snprintf(expected, sizeof expected, "expected %s",
             tool->expected ? tool->expected : tool->command.operands);
    if (count < tool->counts[0] || count > tool->counts[1] ||
        (tool->is_complete && !tool->is_complete(request)))
        return command_refuse(&tool->command, expected);
    int status = tool->run(request, argv + optind, &error);
    return status == 0
               ? EXIT_OK
               : command_complain(&tool->command, status == ERR_USAGE ? EXIT_USAGE : EXIT_FAILED,
                                  error.message);
}

int tool_act(const struct command *command, int argc, char **argv)
{
    const struct tool *tool = (const struct tool *)command;
    void *request = malloc(tool->request_bytes);
    if (!request)
        return command_complain(command, EXIT_FAILED, error_text(ERR_MEMORY));
    memcpy(request, tool->request, tool->request_bytes);
    int exit_code = parse_and_run(tool, argc, argv, request);
    for (const struct option_row *row = command->options; row->name; row++)
        if (row->type == OPTION_LIST)
            free(((struct option_list *)((char *)request + row->field))->items);
    free(request);
    return exit_code;
}

int tool_choose_params(const struct creature *creature, const char *path,
                       const struct option_list *assignments, struct params *params,
                       struct error *error)
{
    if (!path && !creature->has_evaluation)
        return error_set(error, ERR_USAGE,
                         "the creature has no recorded evaluation: give a PARAMS.ini as well");
    return creature_choose_params(creature, path, assignments->items, assignments->count, params,
                                  error);
}

int tool_read_preserve(const char *path, const struct option_list *assignments,
                       struct params *params, struct error *error)
{
    params_set_defaults(params);
    int status = path ? params_read_file(params, path, error)
                      : params_set_assignment(params, "world.preset=water", error);
    for (int i = 0; !status && assignments && i < assignments->count; i++)
        status = params_set_assignment(params, assignments->items[i], error);
    if (status)
        return status;
    preserve_apply(params);
    status = params_check(params, error);
    return status ? status : preserve_check(params, error);
}

int tool_read_state(const char *path, int is_egg, struct preserve_state *state, struct error *error)
{
    struct packed_bytes packed;
    char *bytes;
    preserve_state_init(state);
    int status = file_read(path, STATE_BYTES_MAX, &bytes, &packed.length, error);
    if (status)
        return status;
    packed.bytes = (unsigned char *)bytes;
    status = (is_egg ? preserve_egg_unpack : preserve_state_unpack)(state, &packed, error);
    if (status) {
        error_prefix(error, "%s", path);
        preserve_state_deinit(state);
    }
    free(bytes);
    return status;
}

int tool_open_files(struct tool_file *files, int count, struct error *error)
{
    for (int i = 0; i < count; i++) {
        if (!files[i].path)
            continue;
        if (!files[i].is_standard && atomic_file_open(&files[i].draft, files[i].path, error) != 0)
            return error->code;
        files[i].file = files[i].is_standard ? stdout : files[i].draft.file;
    }
    return 0;
}

int tool_close_files(struct tool_file *files, int count, int status, int are_kept,
                     struct error *error)
{
    for (int i = 0; i < count; i++) {
        struct error of_file;
        if (!files[i].file || files[i].is_standard ||
            !atomic_file_end(&files[i].draft, are_kept ? 0 : status, &of_file) || status)
            continue;
        *error = of_file;
        status = error->code;
    }
    return status;
}

int tool_print_json(json_t *object, struct error *error)
{
    char *text = object ? json_text_dump(object) : NULL;
    json_decref(object);
    if (!text)
        return error_memory(error);
    output_lines(stdout, text);
    free(text);
    return 0;
}

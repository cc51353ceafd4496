/* controller save: a creature of a run as a file of its own, with all that is known of it. */
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/creature/creature_link.h"
#include "common/store/favourites.h"
#include "common/system/output.h"
#include "controller/commands/commands.h"
#include "controller/store/run_directory.h"

/* The word that says what the creature is in its run. */
static const char *describe(uint64_t id, const struct creature *creature)
{
    if (creature->is_champion)
        return ", the champion";
    if (id == CREATURE_BEST)
        return ", the first in rank (no creature has passed the exam)";
    return id == CREATURE_FIRST ? ", the first in rank" : "";
}

static int save_creature(const struct creature *creature, uint64_t id, const char *path,
                         int is_text, struct error *error)
{
    int status = creature_write(creature, path, is_text, error);
    if (!status)
        output_print(stdout, "%s: creature %" PRIu64 "%s, fitness %.6g\nreplay it:   viewer %s\n",
                     path, creature->id, describe(id, creature), creature->fitness, path);
    return status;
}

/* The recorded evaluation, which a page proves. */
static int print_link(const struct creature *creature, struct error *error)
{
    char *text = creature_link_text(creature, &(struct creature_link){.params = creature->params,
                                                                      .seed = creature->seed,
                                                                      .digest = creature->digest});
    if (!text)
        return error_memory(error);
    output_print(stdout, "%s\n", text);
    free(text);
    return 0;
}

struct request {
    const char *output;
    int is_text, is_forced, is_link;
};

static int save(const char *directory, const char *name, uint64_t id, const struct request *request,
                struct error *error)
{
    char path[RUN_PATH_SIZE];
    struct creature creature;
    if (request->output)
        snprintf(path, sizeof path, "%s", request->output);
    else
        snprintf(path, sizeof path, "creature-%s.creature", name);
    int is_link = request->is_link;
    if ((!is_link && command_check_new(path, request->is_forced, error)) ||
        command_get_creature(directory, id, &creature, error))
        return error->code;
    int status = is_link ? print_link(&creature, error)
                         : save_creature(&creature, id, path, request->is_text, error);
    creature_deinit(&creature);
    return status;
}

static int command_save(int argc, char **argv)
{
    struct request request = {.output = NULL};
    struct error error = {0};
    uint64_t id;
    int result = command_begin(&save_command, argc, argv, &request, 2, 2,
                               "RUN_DIR|ID (a creature's number)");
    if (result >= 0 || (result = command_parse_id(argv[0], "ID", argv[optind + 1], &id)) != 0)
        return result;
    return command_end(argv[0], save(argv[optind], argv[optind + 1], id, &request, &error), &error);
}

static const struct option_row options[] = {
    {"output", 'o', "FILE", "default: creature-ID.creature", OPTION_AT(TEXT, request, output)},
    {"text", 0, NULL, "readable JSON instead of the binary form",
     OPTION_AT(FLAG, request, is_text)},
    {"link", 0, NULL,
     "prints what goes behind the address of a page instead: it proves the creature",
     OPTION_AT(FLAG, request, is_link)},
    {"force", 0, NULL, "overwrite the file if it exists", OPTION_AT(FLAG, request, is_forced)},
    {.name = NULL}};
COMMAND(save, "RUN_DIR ID|best|first", "keep a creature as a file", options,
        "Writes a creature to a file that viewer, simulator and controller load, here and "
        "elsewhere; it holds the parameters and the result of its evaluation, so that a "
        "replay can be verified. 'best' is the champion, which passed "
        "the exam, and in a run without one as 'first': the first in rank of the last complete "
        "generation.");

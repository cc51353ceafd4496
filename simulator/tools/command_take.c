/* simulator take: writes a creature of a preserve as a creature file. The file's record is an
 * evaluation of the creature alone in that water, so that every program can show and use it. */
#include "simulator/tools/commands.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/creature/verify.h"
#include "common/system/output.h"
#include "simulator/evaluate/evaluate.h"
#include "simulator/preserve/preserve.h"

/* The bound of an option is a double, which holds whole numbers up to 2^53 exactly. World w numbers
 * its creatures from w << 40 on, far below. */
#define ID_MAX (INT64_C(1) << 53)

struct request {
    const char *params_path;
    const char *output;
    int64_t id;
    int is_egg;
};

/* The creature with that id among the living and the eggs; NULL: there is none. */
static const struct creature_state *find(const struct preserve_state *state, uint64_t id)
{
    for (int i = 0; i < preserve_state_count(state); i++)
        if (preserve_state_creature(state, i)->descent.id == id)
            return preserve_state_creature(state, i);
    return NULL;
}

/* Evaluates the creature alone; the result becomes its record. */
static int try_alone(struct creature *creature, struct error *error)
{
    struct arena arena;
    struct evaluation result;
    if (arena_init(&arena, EVALUATE_ARENA_BYTES))
        return error_memory(error);
    evaluate(&creature->genome, &creature->params, creature->seed, &arena, NULL, NULL, &result);
    arena_deinit(&arena);
    verify_put(creature, result.verdict, result.digest, &result.measures);
    return 0;
}

static int fill(struct creature *creature, const struct creature_state *from, struct error *error)
{
    const struct descent *descent = &from->descent;
    snprintf(creature->name, sizeof creature->name, "%.40s-%" PRIu64, creature->params.run_name,
             descent->id);
    creature->id = descent->id;
    creature->parents[0] = descent->mother;
    creature->parents[1] = descent->father;
    creature->generation = descent->generation;
    creature->seed = 1;
    if (genome_copy(&creature->genome, &from->genome))
        return error_memory(error);
    return try_alone(creature, error);
}

static int run(void *context, char **operands, struct error *error)
{
    const struct request *request = context;
    const char *path = operands[0];
    struct preserve_state state;
    struct creature creature;
    creature_init(&creature);
    int status = tool_read_preserve(request->params_path, NULL, &creature.params, error);
    if (!status)
        status = tool_read_state(path, request->is_egg, &state, error);
    if (status)
        return status;
    const struct creature_state *from = find(&state, (uint64_t)request->id);
    status = from ? fill(&creature, from, error)
                  : error_set(error, ERR_MISSING, "%s: there is no creature %" PRId64, path,
                              request->id);
    if (!status)
        status = creature_write(&creature, request->output, 0, error);
    creature_deinit(&creature);
    preserve_state_deinit(&state);
    return status;
}

static int is_complete(const void *context)
{
    const struct request *request = context;
    return request->params_path && request->output && request->id != 0;
}

static const struct option_row options[] = {
    {"params", 0, "FILE.ini", "parameters of the run", OPTION_AT(TEXT, request, params_path)},
    {"id", 0, "N", "the creature's id", OPTION_AT(WHOLE, request, id), .min = 1, .max = ID_MAX},
    {"egg", 0, NULL, "the file has a packed egg, not a state", OPTION_AT(FLAG, request, is_egg)},
    {"output", 'o', "FILE", "the creature file to write", OPTION_AT(TEXT, request, output)},
    {.name = NULL}};
const struct tool take_tool = {
    .command =
        {TOOL(take), .operands = "--params PARAMS.ini --id N -o FILE.creature WORLD.state",
         .summary = "a creature of a preserve as a file",
         .about =
             "Writes a creature that lives in a state of a preserve, or waits there in an egg, to "
             "a file of its own, with what it does alone in such water for 10 s. 'controller save "
             "RUN_DIR ID' finds the state (docs/preserve.md).",
         .after = "Exit code: 0 written; 1 failed; 2 wrong usage."},
    .counts = {1, 1},
    .expected = "--params, --id, --output and a state",
    .is_complete = is_complete,
    .run = run,
    TOOL_REQUEST(.id = 0)};

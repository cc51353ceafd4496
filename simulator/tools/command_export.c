/* simulator export CREATURE [PARAMS.ini]: simulates a creature once and writes what other programs
 * can read: its body as MJCF for MuJoCo, the controls of its actuators as a table, its motion as a
 * trace. */
#include "simulator/tools/commands.h"

#include <stdio.h>

#include "common/formats/file_kind.h"
#include "common/genome/body_kind.h"
#include "common/system/output.h"
#include "simulator/body/physics.h"
#include "simulator/tools/mjcf.h"
#include "simulator/tools/trace.h"

struct request {
    const char *mjcf_path, *signals_path, *trajectory_path;
    struct option_list assignments;
};

/* ---- the files ---- */

enum { MODEL, SIGNALS, TRAJECTORY, FILE_COUNT };

struct output {
    struct tool_file files[FILE_COUNT];
    struct mjcf mjcf;
    struct trace trace;
    int has_model;
};

static int observe(void *context, const struct evaluate_view *view)
{
    struct output *output = context;
    if (output->trace.file)
        trace_observe(&output->trace, view);
    return output->has_model ? mjcf_observe(&output->mjcf, view) : 0;
}

static int run_creature(const struct creature *creature, struct output *output, const char *path,
                        struct arena *arena, struct error *error)
{
    const struct params *params = output->mjcf.params;
    struct evaluation evaluation;
    output->mjcf.model = output->files[MODEL].file;
    output->mjcf.signals = output->files[SIGNALS].file;
    output->trace.file = output->files[TRAJECTORY].file;
    evaluate(&creature->genome, params, creature_choose_seed(creature, params), arena, observe,
             output, &evaluation);
    if (output->mjcf.status)
        return error_memory(error);
    if (!output->mjcf.has_begun && output->has_model)
        return error_set(error, ERR_UNAVAILABLE, "%s: it never starts: %s", path,
                         verdict_reason(evaluation.verdict));
    return 0;
}

static int has_stretch(const struct genome *genome, const struct params *params)
{
    for (int i = 0; i < genome->body_count && params->creature_stretch_max > 0; i++)
        if (genome->bodies[i].stretch.limit > 0)
            return 1;
    return 0;
}

static int export_creature(const struct request *request, const struct creature *creature,
                           const char *path, const struct params *params, struct error *error)
{
    struct arena arena;
    struct output output = {.files = {[MODEL] = {.path = request->mjcf_path},
                                      [SIGNALS] = {.path = request->signals_path},
                                      [TRAJECTORY] = {.path = request->trajectory_path}},
                            .mjcf = {.params = params, .name = creature->name},
                            .has_model = request->mjcf_path || request->signals_path};
    if (output.has_model && !body_physics[creature->genome.kind]->model)
        return error_set(error, ERR_UNAVAILABLE,
                         "%s: it is made of %s, which have no MuJoCo model here: --trajectory "
                         "writes their motion",
                         path, body_kinds[creature->genome.kind].name);
    if (output.has_model && has_stretch(&creature->genome, params))
        return error_set(error, ERR_UNAVAILABLE,
                         "%s: it has parts that stretch, which have no MuJoCo model here: "
                         "--trajectory writes their motion",
                         path);
    int status = arena_init(&arena, EVALUATE_ARENA_BYTES);
    if (status)
        return error_set(error, status, "%s", error_text(status));
    status = tool_open_files(output.files, FILE_COUNT, error);
    if (!status)
        status = run_creature(creature, &output, path, &arena, error);
    /* a motion is of use even where the model is not */
    status = tool_close_files(output.files, TRAJECTORY, status, 0, error);
    status = tool_close_files(output.files + TRAJECTORY, 1, status, 1, error);
    arena_deinit(&output.mjcf.arena);
    arena_deinit(&arena);
    return status;
}

static int run(void *context, char **operands, struct error *error)
{
    const struct request *request = context;
    struct creature creature;
    struct params params;
    if (!request->mjcf_path && !request->signals_path && !request->trajectory_path)
        return error_set(error, ERR_USAGE,
                         "nothing to write: give --mjcf, --signals or --trajectory");
    int status = file_kind_check_order(operands[0], operands[1], error);
    creature_init(&creature);
    if (!status)
        status = creature_read(&creature, operands[0], error);
    if (!status)
        status = tool_choose_params(&creature, operands[1], &request->assignments, &params, error);
    if (!status)
        status = params_check(&params, error);
    if (!status)
        creature_tell_switches(&creature, &params, "simulator export", operands[0]);
    if (!status)
        status = export_creature(request, &creature, operands[0], &params, error);
    creature_deinit(&creature);
    return status;
}

static const struct option_row options[] = {
    {"mjcf", 0, "FILE.xml",
     "its body, joints, limits and muscles for MuJoCo, at the settled start (not of spheres)",
     OPTION_AT(TEXT, request, mjcf_path)},
    {"signals", 0, "FILE.csv",
     "the control of each of these muscles, a line for each step of the model",
     OPTION_AT(TEXT, request, signals_path)},
    {"trajectory", 0, "FILE.csv", "the motion, as 'simulator evaluate --trace' writes it",
     OPTION_AT(TEXT, request, trajectory_path)},
    {"set", 's', "SECTION.KEY=VALUE", "changes a parameter (repeatable)",
     OPTION_AT(LIST, request, assignments)},
    {.name = NULL}};
const struct tool export_tool = {
    .command =
        {TOOL(export), .operands = "CREATURE [PARAMS.ini]",
         .summary =
             "a creature for other programs: its body for MuJoCo, what its brain says, its motion",
         .about =
             "Simulates a creature, of a binary file or a text, and writes it for other programs "
             "(docs/trace.md). PARAMS.ini holds the parameters; default: those of its recorded "
             "evaluation.",
         .after = "Exit code: 0 written, 1 failed, 2 wrong usage."},
    .counts = {1, 2},
    .run = run,
    TOOL_REQUEST(.mjcf_path = NULL)};

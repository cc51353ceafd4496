/* simulator export CREATURE [PARAMS.ini]: simulates a creature once and writes what other programs
 * can read: its body as MJCF for MuJoCo, the controls of its actuators as a table, its motion as a
 * trace. */
#include "simulator/tools/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/formats/file_kind.h"
#include "common/genome/body_kind.h"
#include "common/math/rng.h"
#include "common/system/file.h"
#include "common/system/output.h"
#include "simulator/body/physics.h"
#include "simulator/tools/mjcf.h"
#include "simulator/tools/trace.h"

struct request {
    const char *mjcf_path, *signals_path, *trajectory_path;
    struct option_list assignments;
};

/* ---- the files ---- */

/* A file to write: it is written when all has gone well. */
struct text {
    char *bytes;
    size_t size;
    FILE *file;
};

struct output {
    struct text model, signals;
    struct mjcf mjcf;
    struct trace trace;
    int has_trace, has_model;
};

static int observe(void *context, const struct evaluate_view *view)
{
    struct output *output = context;
    if (output->has_trace)
        trace_observe(&output->trace, view);
    return output->has_model ? mjcf_observe(&output->mjcf, view) : 0;
}

/* Closes the texts in memory. 0 or ERR_MEMORY. */
static int close_texts(struct output *output)
{
    int status = 0;
    struct text *texts[] = {&output->model, &output->signals};
    for (int i = 0; i < 2; i++) {
        if (texts[i]->file && fclose(texts[i]->file))
            status = ERR_MEMORY;
        texts[i]->file = NULL;
    }
    return status;
}

static int run_creature(const struct request *request, const struct creature *creature,
                        struct output *output, const char *path, struct arena *arena,
                        struct error *error)
{
    const struct params *params = output->mjcf.params;
    struct evaluation evaluation;
    output->mjcf.model = output->model.file =
        open_memstream(&output->model.bytes, &output->model.size);
    output->mjcf.signals = output->signals.file =
        open_memstream(&output->signals.bytes, &output->signals.size);
    int status = output->model.file && output->signals.file ? 0 : ERR_MEMORY;
    if (!status && request->trajectory_path) {
        status = atomic_file_open(&output->trace.draft, request->trajectory_path, error);
        if (status)
            return status;
        output->has_trace = 1;
    }
    if (!status)
        evaluate(&creature->genome, params, creature_choose_seed(creature, params), arena, observe,
                 output, &evaluation);
    if (close_texts(output) || status || output->mjcf.status)
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
    struct output output = {.mjcf = {.params = params, .name = creature->name},
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
    status = run_creature(request, creature, &output, path, &arena, error);
    if (!status && request->mjcf_path)
        status = file_write(request->mjcf_path, output.model.bytes, output.model.size, error);
    if (!status && request->signals_path)
        status =
            file_write(request->signals_path, output.signals.bytes, output.signals.size, error);
    if (output.has_trace) {
        struct error of_trace = {0};
        int traced = atomic_file_end(&output.trace.draft, 0, &of_trace);
        if (traced && !status) {
            status = traced;
            *error = of_trace;
        }
    }
    close_texts(&output);
    arena_deinit(&output.mjcf.arena);
    free(output.model.bytes);
    free(output.signals.bytes);
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

static int command_export(int argc, char **argv)
{
    static const struct tool tool = {&export_command, 1, 2, .run = run};
    struct request request = {0};
    return tool_run(&tool, argc, argv, &request, &request.assignments);
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
const struct command export_command = {
    .program = "simulator",
    .name = "export",
    .operands = "CREATURE [PARAMS.ini]",
    .summary =
        "a creature for other programs: its body for MuJoCo, what its brain says, its motion",
    .about = "Simulates a creature, of a binary file or a text, and writes it for other programs "
             "(docs/trace.md). PARAMS.ini holds the parameters; default: those of its recorded "
             "evaluation.",
    .options = options,
    .after = "Exit code: 0 written, 1 failed, 2 wrong usage.",
    .run = command_export};

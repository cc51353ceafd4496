/* simulator evaluate CREATURE [PARAMS.ini]: does for one creature, and for people to read, what a
 * worker does with a task. Prints the measures, and compares the digest with the recorded one where
 * they must be equal: same parameters, same seed, same version. */
#include "simulator/tools/commands.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/judge/behaviour.h"
#include "common/judge/exam.h"
#include "common/genome/body_kind.h"
#include "common/creature/verify.h"
#include "common/math/detmath.h"
#include "common/math/hash.h"
#include "common/formats/file_kind.h"
#include "common/formats/json_text.h"
#include "common/judge/trial.h"
#include "common/system/output.h"
#include "common/system/process.h"
#include "common/version.h"
#include "simulator/tools/trace.h"

struct request {
    const char *trace_path, *record_path;
    struct option_list assignments; /* of -s, in order */
    int is_json, is_limp, has_referee;
    int solver; /* SOLVER_*, or -1: as the parameters say */
    struct asked_trial {
        int is_given;
        struct trial trial;
    } trial;
    struct option_seed seed;
};

/* A trial of the exam. */
struct opinion {
    struct trial trial;
    struct evaluation evaluation;
    double fitness;   /* 0 if it leads the other way */
    double apart_rad; /* angle between the ways; 0 where the behaviour has no direction */
};
enum { OPINIONS_MAX = EXAM_SOLVER_RUNS + EXAM_STARTS_MAX };

/* Everything the output is made of. */
struct report {
    const char *path;
    struct creature creature;
    struct params params;
    uint64_t seed, genome_hash;
    struct evaluation evaluation;
    struct exam exam;
    struct opinion opinions[OPINIONS_MAX];
    int opinion_count;
    int is_solver_idle;       /* the solver does not move such bodies, and the default one did it */
    int is_compared;          /* it was evaluated as recorded */
    const char *verification; /* verified, differs, ... */
    char difference[RECORD_DETAIL_SIZE];
    double wall_ms, cpu_ms;
};

/* ---- the request ---- */

static int read_trial(const char *text, void *field, struct error *error)
{
    struct asked_trial *asked = field;
    asked->is_given = 1;
    return trial_from_text(&asked->trial, text, error);
}

/* ---- the evaluation ---- */

static int report_read_params(struct report *report, const char *path,
                              const struct request *request, struct error *error)
{
    int status =
        tool_choose_params(&report->creature, path, &request->assignments, &report->params, error);
    if (request->is_limp)
        report->params.creature_effectors = 0;
    if (request->solver >= 0)
        report->params.simulation_solver = request->solver;
    if (request->trial.is_given)
        trial_apply(&request->trial.trial, &report->params);
    if (status == 0)
        status = params_check(&report->params, error);
    return status ? status : behaviour_check_params(&report->params, error);
}

static void report_compare(struct report *report)
{
    static const char *const words[RECORD_STATUS_COUNT] = {RECORD_STATUS_NAMES};
    const struct creature *creature = &report->creature;
    const struct evaluation *evaluation = &report->evaluation;
    int is_other =
        report->seed != creature->seed ||
        params_evaluation_digest(&report->params) != params_evaluation_digest(&creature->params);
    report->is_compared = creature->has_evaluation && !is_other;
    report->verification =
        creature->has_evaluation && is_other
            ? "not compared"
            : words[verify_compare(creature, evaluation->verdict, evaluation->digest,
                                   &evaluation->measures, report->difference)];
}

/* ---- the evaluations ---- */

/* The fitness that the controller would give. */
static double fitness_of(const struct evaluation *evaluation, const struct params *params)
{
    return behaviour_fitness(evaluation->verdict, &evaluation->measures, params);
}

static const char *behaviour_name(const struct params *params)
{
    return behaviours[params->evolution_behaviour].name;
}

static void opinion_take(struct opinion *opinion, const struct report *report, struct arena *arena)
{
    const struct genome *genome = &report->creature.genome;
    evaluate_list(&(struct evaluate_order){.genomes = &genome,
                                           .count = 1,
                                           .params = &report->params,
                                           .trial = &opinion->trial,
                                           .seed = report->seed},
                  NULL, arena, &opinion->evaluation);
    opinion->apart_rad = behaviour_apart_rad(&report->evaluation.measures,
                                             &opinion->evaluation.measures, &report->params);
    opinion->fitness =
        opinion->apart_rad > 0.5 * DET_PI ? 0 : fitness_of(&opinion->evaluation, &report->params);
}

/* As the controller's referee makes it. */
static void report_examine(struct report *report, struct arena *arena)
{
    exam_begin(&report->exam, fitness_of(&report->evaluation, &report->params),
               report->creature.genome.kind, &report->params);
    while (!exam_is_over(&report->exam)) {
        struct opinion *opinion = &report->opinions[report->opinion_count++];
        exam_ask(&report->exam, &opinion->trial);
        opinion_take(opinion, report, arena);
        exam_tell(&report->exam, &opinion->trial, opinion->fitness);
    }
}

static int report_evaluate(struct report *report, const struct request *request,
                           struct error *error)
{
    struct arena arena;
    struct trace trace = {.has_header = 0};
    struct tool_file file = {.path = request->trace_path};
    if (arena_init(&arena, EVALUATE_ARENA_BYTES) != 0)
        return error_memory(error);
    int status = tool_open_files(&file, 1, error);
    if (status == 0) {
        double wall_ms = clock_ms(CLOCK_MONOTONIC), cpu_ms = clock_ms(CLOCK_PROCESS_CPUTIME_ID);
        trace.file = file.file;
        evaluate(&report->creature.genome, &report->params, report->seed, &arena,
                 trace.file ? trace_observe : NULL, &trace, &report->evaluation);
        report->wall_ms = clock_ms(CLOCK_MONOTONIC) - wall_ms;
        report->cpu_ms = clock_ms(CLOCK_PROCESS_CPUTIME_ID) - cpu_ms;
    }
    status = tool_close_files(&file, 1, status, 1, error);
    report->is_solver_idle = !(body_kinds[report->creature.genome.kind].solvers &
                               SOLVER_BIT(report->params.simulation_solver));
    if (status == 0 && request->has_referee)
        report_examine(report, &arena);
    arena_deinit(&arena);
    return status;
}

/* ---- output ---- */

static void report_print_table(const struct report *report)
{
    char digest[17], seed[17], words[BEHAVIOUR_WORDS_SIZE];
    hash_to_text(report->evaluation.digest, digest);
    hash_to_text(report->seed, seed);
    output_print(stdout, "creature  %s%s%s\n", report->path, report->creature.name[0] ? "  " : "",
                 report->creature.name);
    if (report->creature.note[0])
        output_print(stdout, "note      %s\n", report->creature.note);
    output_print(stdout, "verdict   %s: %s\n", verdict_name(report->evaluation.verdict),
                 verdict_reason(report->evaluation.verdict));
    output_print(stdout, "fitness   %.9g  (%s)\n", fitness_of(&report->evaluation, &report->params),
                 behaviour_name(&report->params));
    if (behaviour_explain_zero(report->evaluation.verdict, &report->evaluation.measures,
                               &report->params, words))
        output_print(stdout, "because   %s\n", words);
    if (report->is_compared &&
        report->creature.fitness != fitness_of(&report->evaluation, &report->params))
        output_print(stdout, "recorded  %.9g  (the least over trials, which are not repeated)\n",
                     report->creature.fitness);
    output_print(stdout, "digest    %s  %s\n", digest, report->verification);
    output_print(stdout, "seed      0x%s\n", seed);
    if (report->is_solver_idle)
        output_print(stdout, "solver    %s moves no %s: the motion shown is the default's\n",
                     params_solver_names[report->params.simulation_solver],
                     body_kinds[report->creature.genome.kind].name);
    output_print(stdout, "cost      %.1f ms, %.1f ms of processor time, %.0f kB of memory\n\n",
                 report->wall_ms, report->cpu_ms, (double)report->evaluation.arena_bytes / 1024);
    for (int i = 0; i < MEASURE_COUNT; i++)
        output_print(stdout, "%-22s %14.9g  %s\n", measure_table[i].name,
                     measures_get(&report->evaluation.measures, i), measure_table[i].meaning);
}

/* A line for each trial, and the result of the exam. */
static void report_print_exam(const struct report *report)
{
    const struct params *params = &report->params;
    int has_direction = behaviours[params->evolution_behaviour].has_direction;
    char text[EXAM_WORDS_SIZE];
    output_print(stdout, "\n%-50s %-12s %12s %8s%s\n", "referee", "verdict", "fitness", "keeps",
                 has_direction ? "  degrees apart" : "");
    for (int i = 0; i < report->opinion_count; i++) {
        const struct opinion *o = &report->opinions[i];
        trial_describe(&o->trial, params, text, sizeof text);
        output_print(stdout, "%-50s %-12s %12.6g", text, verdict_name(o->evaluation.verdict),
                     o->fitness);
        if (report->exam.own > 0)
            output_print(stdout, " %6.1f %%", 100 * o->fitness / report->exam.own);
        if (has_direction)
            output_print(stdout, " %14.0f", o->apart_rad * 180 / DET_PI);
        output_print(stdout, "\n");
    }
    exam_describe(&report->exam, text);
    output_print(
        stdout,
        "%s: %s: %d of %d must keep %.0f %% (exam.pass, exam.starts, guard.referee_share)\n", text,
        exam_holds(&report->exam) ? "holds" : "does not hold", report->exam.pass,
        report->exam.starts, 100 * params->guard_referee_share);
}

static json_t *report_make_measures(const struct measures *measures)
{
    json_t *object = json_object();
    for (int i = 0; i < MEASURE_COUNT; i++)
        json_object_set_new(object, measure_table[i].name, json_real(measures_get(measures, i)));
    return object;
}

/* Digests and seeds are texts of 16 hexadecimal digits, as in creature files: most readers of JSON
 * do not keep 64 bits in a number. */
static json_t *report_make_json(const struct report *report)
{
    char digest[17], genome_hash[17], params_digest[17], seed[17], words[BEHAVIOUR_WORDS_SIZE];
    int is_zero = behaviour_explain_zero(report->evaluation.verdict, &report->evaluation.measures,
                                         &report->params, words);
    hash_to_text(report->evaluation.digest, digest);
    hash_to_text(report->genome_hash, genome_hash);
    hash_to_text(params_evaluation_digest(&report->params), params_digest);
    hash_to_text(report->seed, seed);
    return json_pack(
        "{s:o, s:s, s:I, s:s, s:s, s:s, s:b, s:s, s:f, s:o, s:o, s:s, s:s, s:s, s:s, s:i, s:o, "
        "s:{s:f, s:f, s:I}}",
        "creature", json_text_make(report->path), "name", report->creature.name, "id",
        (json_int_t)report->creature.id, "verdict", verdict_name(report->evaluation.verdict),
        "reason", verdict_reason(report->evaluation.verdict), "verification", report->verification,
        "is_scored", verdict_is_scored(report->evaluation.verdict), "behaviour",
        behaviour_name(&report->params), "fitness",
        fitness_of(&report->evaluation, &report->params), "because",
        is_zero ? json_text_make(words) : json_null(), "recorded_fitness",
        report->is_compared ? json_real(report->creature.fitness) : json_null(), "digest", digest,
        "genome_hash", genome_hash, "params_digest", params_digest, "seed", seed,
        "simulator_version", SIMULATOR_VERSION, "measures",
        report_make_measures(&report->evaluation.measures), "cost", "wall_ms", report->wall_ms,
        "cpu_ms", report->cpu_ms, "arena_bytes", (json_int_t)report->evaluation.arena_bytes);
}

static json_t *report_make_exam(const struct report *report)
{
    const struct exam *exam = &report->exam;
    json_t *array = json_array();
    for (int i = 0; i < report->opinion_count; i++) {
        const struct opinion *o = &report->opinions[i];
        char trial[TRIAL_TEXT_SIZE];
        trial_to_text(&o->trial, trial);
        json_array_append_new(array,
                              json_pack("{s:s, s:s, s:f, s:f, s:o}", "trial", trial, "verdict",
                                        verdict_name(o->evaluation.verdict), "fitness", o->fitness,
                                        "apart_rad", o->apart_rad, "measures",
                                        report_make_measures(&o->evaluation.measures)));
    }
    return json_pack("{s:b, s:f, s:i, s:f, s:f, s:i, s:f, s:i, s:i, s:o}", "holds",
                     exam_holds(exam), "share_needed", exam->share, "pass_needed", exam->pass,
                     "fitness", exam->own, "solver_least", exam_solver_least(exam), "solver_passed",
                     exam_solver_passed(exam), "fine_median", exam_fine_median(exam), "fine_passed",
                     exam_fine_passed(exam), "fine_starts", exam_fine_told(exam), "trials", array);
}

static int report_print(const struct report *report, const struct request *request,
                        struct error *error)
{
    int status = 0;
    if (request->is_json) {
        json_t *object = report_make_json(report);
        if (object != NULL && report->opinion_count > 0)
            json_object_set_new(object, "referee", report_make_exam(report));
        status = tool_print_json(object, error);
    } else {
        report_print_table(report);
        if (report->opinion_count > 0)
            report_print_exam(report);
    }
    if (strcmp(report->verification, "differs") == 0 && request->record_path == NULL)
        status = error_set(error, ERR_FORMAT, "the evaluation differs from the recorded one: %s",
                           report->difference);
    return status;
}

/* Writes the creature with this evaluation as its record, in place of what is recorded. */
static int report_write_record(struct report *report, const char *path, struct error *error)
{
    struct creature *creature = &report->creature;
    const char *ending = strrchr(path, '.');
    creature->params = report->params;
    creature->seed = report->seed;
    verify_put(creature, report->evaluation.verdict, report->evaluation.digest,
               &report->evaluation.measures);
    int is_text = ending != NULL && strcmp(ending, ".json") == 0;
    return creature_write(creature, path, is_text, error);
}

static int run(void *context, char **operands, struct error *error)
{
    const struct request *request = context;
    struct report report = {.path = operands[0]};
    int status = file_kind_check_order(operands[0], operands[1], error);
    creature_init(&report.creature);
    if (status == 0)
        status = creature_read(&report.creature, operands[0], error);
    if (status == 0)
        status = report_read_params(&report, operands[1], request, error);
    if (status == 0) {
        creature_tell_switches(&report.creature, &report.params, "simulator evaluate", report.path);
        report.seed = request->seed.is_given
                          ? request->seed.value
                          : creature_choose_seed(&report.creature, &report.params);
        report.genome_hash = genome_hash(&report.creature.genome);
        status = report_evaluate(&report, request, error);
    }
    if (status == 0) {
        report_compare(&report);
        status = report_print(&report, request, error);
    }
    if (status == 0 && request->record_path != NULL)
        status = report_write_record(&report, request->record_path, error);
    creature_deinit(&report.creature);
    return status;
}

static const struct option_row options[] = {
    {"trace", 0, "FILE.csv", "writes the motion, a line for each brain tick (docs/trace.md)",
     OPTION_AT(TEXT, request, trace_path)},
    {"record", 0, "FILE",
     "writes the creature with the parameters, the seed and the result of this evaluation as its "
     "record, as JSON to *.json; may be the same file. Then a difference is no failure",
     OPTION_AT(TEXT, request, record_path)},
    {"json", 0, NULL, "prints one JSON object", OPTION_AT(FLAG, request, is_json)},
    {"set", 's', "SECTION.KEY=VALUE", "changes a parameter (repeatable)",
     OPTION_AT(LIST, request, assignments)},
    {"seed", 0, "N",
     "evaluation seed (default: the recorded one, else made of the run's seed and the creature's "
     "id)",
     OPTION_AT(READ, request, seed), .read = option_read_seed},
    {"effectors", 0, "on|off", "off: a limp body, joints without muscles (default: on)",
     OPTION_AT(WORD, request, is_limp)},
    {"solver", 0, SOLVER_CHOICES, "the solver, instead of simulation.solver",
     OPTION_AT(WORD, request, solver)},
    {"trial", 0, "TRIAL",
     "as a task of the referee's: the purpose, then what is other, such as entry+perturbed-1, "
     "champion+perturbed-11+finer-2+other-solver",
     OPTION_AT(READ, request, trial), .read = read_trial},
    {"referee", 0, NULL,
     "the exam that the champion of a run must pass: from perturbed starts, by the other solver "
     "and at a quarter of the step",
     OPTION_AT(FLAG, request, has_referee)},
    {.name = NULL}};
const struct tool evaluate_tool = {
    .command =
        {TOOL(evaluate), .operands = "CREATURE [PARAMS.ini]",
         .summary = "one creature, one evaluation, all measures",
         .about = "Simulates one creature, of a binary file or a text, and prints what was "
                  "measured. PARAMS.ini holds the parameters, or is the name of an example; a "
                  "creature with a recorded evaluation may do without: its own parameters are "
                  "used, and its digest is compared.",
         .after = "Exit code: 0 evaluated (whatever the verdict), 1 failed or the recorded digest "
                  "differs, 2 wrong usage."},
    .counts = {1, 2},
    .run = run,
    TOOL_REQUEST(.solver = -1)};

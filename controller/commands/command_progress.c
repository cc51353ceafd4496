/* controller progress: creatures of different generations of a run of contests meet. */
#include <inttypes.h>
#include <math.h>
#include <unistd.h>

#include "common/system/log.h"
#include "common/system/output.h"
#include "controller/commands/commands.h"
#include "controller/analysis/ladder.h"
#include "controller/run/evolve.h"
#include "controller/workers/program.h"

struct request {
    int64_t rungs, every, bouts, samples, panel, jobs;
    int is_again;
};

/* ---- output ---- */

/* A share or a margin in so many columns, or the sign that there is none. */
static void print_number(int width, int is_share, double number)
{
    if (isnan(number))
        output_print(stdout, "  %*s", width, "-");
    else if (is_share)
        output_print(stdout, "  %*.0f %%", width - 2, 100 * number);
    else
        output_print(stdout, "  %+*.3f", width, number);
}

/* With a star at the champion of the run. */
static void print_table(const struct ladder *ladder, const struct store_champion *champion)
{
    output_print(stdout, "generation  creature  margin  beats earlier  won of rivals  of panel  "
                         "drawn margin  touch  dice margin\n");
    for (int i = 0; i < ladder->rung_count; i++) {
        struct ladder_order order = ladder_find_order(ladder, i);
        int is_champion = champion->holds && champion->id == ladder->rungs[i].champion;
        output_print(stdout, "%10" PRIu32 " %c%8" PRIu64, ladder->rungs[i].generation,
                     is_champion ? '*' : ' ', ladder->rungs[i].champion);
        print_number(6, 0, ladder_margin(ladder, LADDER_CHAMPIONS, i, -1));
        output_print(stdout, "  %6d of %-3d", order.won, i);
        print_number(13, 1, ladder_won(ladder, LADDER_RIVALS, i, NULL));
        print_number(8, 1, ladder_won(ladder, LADDER_PANEL, i, NULL));
        print_number(12, 0, ladder_margin(ladder, LADDER_POPULATIONS, i, -1));
        print_number(5, 1, ladder_touched(ladder, LADDER_POPULATIONS, i));
        print_number(11, 0, ladder_margin(ladder, LADDER_CONTROL, i, -1));
        output_print(stdout, "\n");
    }
    output_print(stdout, "\n");
    for (int topic = 0; topic < LADDER_TOPIC_COUNT; topic++) {
        char text[LADDER_WORDS_SIZE];
        ladder_say(ladder, (enum ladder_topic)topic, text);
        output_print(stdout, "%s\n", text);
    }
}

static void show_progress(int done, int count, uint64_t simulated)
{
    output_print(stderr, "%d of %d bouts, %" PRIu64 " simulated\n", done, count, simulated);
}

static void show_notice(const char *text)
{
    output_print(stderr, "controller: %s\n", text);
}

/* ---- playing ---- */

/* The launcher, which starts programs, is not taken from a run's directory. */
static int play(struct ladder_plan *plan, struct params *params, int64_t jobs, struct error *error)
{
    char simulator[RUN_PATH_SIZE];
    params->farm_launcher[0] = '\0';
    log_set(STDERR_FILENO, LOG_WARN);
    struct matches_settings settings = {
        .farm = {.params = params, .worker_count = (int)jobs, .simulator_path = simulator},
        .on_progress = show_progress,
        .on_notice = show_notice};
    struct contests *contests = contests_create(params);
    if (!contests || ladder_plan_open(plan, contests)) {
        contests_destroy(contests);
        return error_memory(error);
    }
    int has_failed = params_check_meeting(params, error) ||
                     program_find("simulator", simulator, error) ||
                     program_ask_fingerprint(simulator, &settings.farm.fingerprint, error) ||
                     farm_check_descriptors(settings.farm.worker_count, error) ||
                     matches_play(&settings, contests, error);
    if (!has_failed)
        ladder_plan_take(plan, contests);
    contests_destroy(contests);
    return has_failed ? error->code : 0;
}

/* Plays the plan's meetings, unless the run has a file of the same ones. */
static int fill(struct ladder_plan *plan, struct params *params, const struct request *request,
                const char *directory, struct error *error)
{
    struct ladder known;
    struct error problem = {0};
    if (!request->is_again && !ladder_read(&known, directory, &problem)) {
        if (ladder_is_same(&known, &plan->ladder)) {
            ladder_deinit(&plan->ladder);
            plan->ladder = known;
            return 0;
        }
        ladder_deinit(&known);
    }
    int status = play(plan, params, request->jobs, error);
    return status ? status : ladder_write(&plan->ladder, directory, error);
}

static int measure(const char *directory, void *wanted, struct error *error)
{
    const struct request *request = wanted;
    const struct ladder_wishes wishes = {.rungs = (int)request->rungs,
                                         .every = (int)request->every,
                                         .bouts = (int)request->bouts,
                                         .samples = (int)request->samples,
                                         .panel = (int)request->panel};
    struct ladder_plan plan = {.pair_count = 0};
    struct store_status run;
    struct params params;
    struct store *store = NULL;
    if (request->bouts % 2)
        return error_set(error, ERR_USAGE, "--bouts %" PRId64 ": two or four, from either side",
                         request->bouts);
    int has_failed = command_open_run(directory, &store, &params, error) ||
                     store_get_status(store, &run, error) ||
                     (ladder_plan_make(&plan, store, &params, &wishes, error) &&
                      error_prefix(error, "%s", directory));
    store_close(store);
    has_failed = has_failed || fill(&plan, &params, request, directory, error);
    if (!has_failed)
        print_table(&plan.ladder, &run.champion);
    ladder_plan_deinit(&plan);
    return has_failed ? error->code : 0;
}

static const struct option_row options[] = {
    {"champions", 'n', "N", "how many champions, of generations evenly apart, at most; default 16",
     OPTION_AT(WHOLE, request, rungs), .min = 3, .max = LADDER_RUNGS_MAX},
    {"every", 'k', "N", "the champion of each N-th generation, from the last one back",
     OPTION_AT(WHOLE, request, every), .min = 1, .max = 1000000},
    {"bouts", 0, "N", "2 or 4 for each pair, from other starts; default 2",
     OPTION_AT(WHOLE, request, bouts), .min = 2, .max = CONTESTS_EXAM_BOUTS},
    {"samples", 0, "N", "pairs of members of two generations that are drawn; default 2",
     OPTION_AT(WHOLE, request, samples), .max = LADDER_SAMPLES_MAX},
    {"panel", 0, "N", "creatures that no generation met; default 20",
     OPTION_AT(WHOLE, request, panel), .max = LADDER_PANEL_MAX},
    {"jobs", 'j', "N", "processes at once; default: one for each core",
     OPTION_AT(WHOLE, request, jobs), .min = 1, .max = FARM_WORKERS_MAX},
    {"again", 0, NULL, "play all contests, even if they are known",
     OPTION_AT(FLAG, request, is_again)},
    {.name = NULL}};
RUN_COMMAND(progress, measure,
            (&(struct request){
                .rungs = 16, .bouts = 2, .samples = 2, .panel = 20, .jobs = program_core_count()}),
            "whether a run of contests makes progress: generations meet", options,
            "Creatures of different generations of a run of contests meet, since scores of one "
            "generation say nothing about another (docs/contests.md). Prints a table and what it "
            "means, and keeps it in RUN_DIR/progress.json, from which 'controller report' draws "
            "it.");

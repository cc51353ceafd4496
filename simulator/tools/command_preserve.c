/* simulator preserve CREATURE...: one world for some minutes, a line a minute. */
#include "simulator/tools/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/judge/measures.h"
#include "common/math/hash.h"
#include "common/system/output.h"
#include "simulator/preserve/preserve_epoch.h"

/* An epoch, s: the world is taken up anew after it. */
enum { EPOCHS_A_MINUTE = 2, MINUTES_MAX = 1440 };

struct request {
    const char *params_path;
    struct option_list assignments;
    int64_t minutes;
    int is_logging;
    struct sight_exchange see;
};

struct report {
    char **paths;
    int path_count;
    struct creature *creatures;
    const struct genome **genomes;
    struct params params;
    struct preserve_state state;
    struct preserve_memory memory;
};

/* ---- output ---- */

static void say(void *context, const struct preserve_event *event)
{
    static const char *const words[] = {"lays", "hatches", "eats of the living", "dies"};
    const struct params *params = context;
    const struct creature_state *c = event->creature;
    double now_s = (double)event->tick / params->simulation_brain_hz;
    output_print(stdout, "  %8.1f s  %llu of family %d %s", now_s,
                 (unsigned long long)c->descent.id, c->descent.family, words[event->kind]);
    if (event->kind == PRESERVE_DIED)
        output_print(stdout, ": %s%s%s, %.0f s old, %d children", epoch_cause_names[event->cause],
                     event->cause == DEATH_GUARD ? " " : "",
                     event->cause == DEATH_GUARD ? verdict_name(event->verdict) : "",
                     now_s - (double)c->born_tick / params->simulation_brain_hz, c->children);
    output_print(stdout, "\n");
}

/* Deaths and what was eaten since `before`. */
static void print_minute(const int64_t now[EPOCH_FACT_COUNT],
                         const int64_t before[EPOCH_FACT_COUNT], int minute)
{
    static const int widths[DEATH_COUNT] = {6, 4, 6, 6};
    output_print(stdout, "%6d %6d %4d %8d %7d %6d |", minute, (int)now[EPOCH_living],
                 (int)now[EPOCH_eggs], (int)now[EPOCH_families], (int)now[EPOCH_hunters],
                 (int)(now[EPOCH_births] - before[EPOCH_births]));
    for (int i = EPOCH_died_of_hunger; i <= EPOCH_died_of_guards; i++)
        output_print(stdout, " %*d", widths[i - EPOCH_died_of_hunger], (int)(now[i] - before[i]));
    output_print(stdout, " | %8.0f %8.0f %8.0f |", joules_of(now[EPOCH_plants_uj]),
                 joules_of(now[EPOCH_reserves_uj]), joules_of(now[EPOCH_carcasses_uj]));
    for (int i = EPOCH_eaten_plants_uj; i <= EPOCH_eaten_living_uj; i++)
        output_print(stdout, " %7.1f", joules_of(now[i] - before[i]) / 60);
    output_print(stdout, "\n");
    fflush(stdout);
}

static void print_end(const struct preserve_state *s)
{
    char digest[17];
    microjoules stored = preserve_state_total(s);
    const struct energy_ledger *l = &s->ledger;
    hash_to_text(preserve_digest(s), digest);
    output_print(stdout,
                 "\nledger    start %lld + sun %lld - heat %lld = %lld uJ; stores hold %lld\n"
                 "digest    %s\n",
                 (long long)l->start, (long long)l->sun, (long long)l->heat,
                 (long long)(l->start + l->sun - l->heat + l->arrivals - l->departures),
                 (long long)stored, digest);
}

/* ---- the world ---- */

static int live(struct report *report, const struct request *request, struct error *error)
{
    struct preserve_watcher watcher = {.hear = say, .context = &report->params};
    int64_t ticks = preserve_epoch_ticks(&report->params);
    int64_t now[EPOCH_FACT_COUNT], before[EPOCH_FACT_COUNT];
    preserve_epoch_facts(&report->state, before);
    output_print(stdout, "%6s %6s %4s %8s %7s %6s | %6s %4s %6s %6s | %8s %8s %8s | %7s %7s %7s\n",
                 "minute", "living", "eggs", "families", "hunters", "births", "hunger", "age",
                 "bitten", "guards", "plants J", "bodies J", "carrion", "plant W", "carrion",
                 "living");
    for (int minute = 1; minute <= request->minutes; minute++) {
        for (int i = 0; i < EPOCHS_A_MINUTE; i++) {
            int status =
                preserve_run(&report->state, &report->params, ticks,
                             request->is_logging ? &watcher : NULL, &report->memory, error);
            if (status)
                return status;
        }
        preserve_epoch_facts(&report->state, now);
        print_minute(now, before, minute);
        memcpy(before, now, sizeof before);
    }
    print_end(&report->state);
    return 0;
}

static int found_and_live(struct report *report, const struct request *request, struct error *error)
{
    char warning[256];
    int status = 0;
    for (int i = 0; !status && i < report->path_count; i++) {
        report->genomes[i] = &report->creatures[i].genome;
        status = creature_read_exchanged(&report->creatures[i], report->paths[i], &request->see,
                                         "simulator preserve", error);
    }
    if (!status)
        status =
            tool_read_preserve(request->params_path, &request->assignments, &report->params, error);
    if (status)
        return status;
    for (int i = 0; i < report->path_count; i++)
        creature_tell_switches(&report->creatures[i], &report->params, "simulator preserve",
                               report->paths[i]);
    if (preserve_warn(&report->params, warning, sizeof warning))
        output_print(stderr, "simulator preserve: %s\n", warning);
    if (preserve_memory_init(&report->memory) != 0)
        return error_memory(error);
    const struct preserve_founders founders = {report->genomes, (const char *const *)report->paths,
                                               report->path_count};
    status = preserve_found(&report->state, &report->params, (uint64_t)report->params.run_seed, 0,
                            &founders, &report->memory, error);
    if (!status)
        status = live(report, request, error);
    preserve_state_deinit(&report->state);
    preserve_memory_deinit(&report->memory);
    return status;
}

static int run(void *context, char **operands, struct error *error)
{
    const struct request *request = context;
    struct report report = {.paths = operands};
    while (operands[report.path_count])
        report.path_count++;
    size_t count = (size_t)report.path_count;
    report.creatures = calloc(count, sizeof report.creatures[0]);
    report.genomes = calloc(count, sizeof report.genomes[0]);
    int status = report.creatures && report.genomes ? 0 : error_memory(error);
    for (size_t i = 0; !status && i < count; i++)
        creature_init(&report.creatures[i]);
    if (!status) {
        status = found_and_live(&report, request, error);
        for (size_t i = 0; i < count; i++)
            creature_deinit(&report.creatures[i]);
    }
    free(report.creatures);
    free(report.genomes);
    return status;
}

static const struct option_row options[] = {
    {"params", 0, "FILE.ini", "the parameters, section [preserve]; default: all defaults, in water",
     OPTION_AT(TEXT, request, params_path)},
    {"minutes", 0, "MINUTES", "simulated minutes; default 10", OPTION_AT(WHOLE, request, minutes),
     .min = 1, .max = MINUTES_MAX},
    {"see", 0, "FROM:TO",
     "founders that see the one, and nothing of the other, see that instead: light:object lets "
     "those that followed a light follow food",
     OPTION_AT(READ, request, see), .read = sights_read_exchange},
    {"log", 0, NULL, "tells each egg, birth and death with its cause",
     OPTION_AT(FLAG, request, is_logging)},
    {"set", 's', "SECTION.KEY=VALUE", "changes a parameter (repeatable), such as seed=2",
     OPTION_AT(LIST, request, assignments)},
    {.name = NULL}};
const struct tool preserve_tool = {
    .command =
        {TOOL(preserve), .operands = "CREATURE...",
         .summary = "a water in which creatures eat, breed and die",
         .about =
             "A water in which creatures eat, breed and die (docs/preserve.md): a line for each "
             "minute. The files are of creatures of rectangles; the founders are these and "
             "mutants of them.",
         .after = "Exit code: 0 simulated; 1 failed; 2 wrong usage."},
    .counts = {1, INT_MAX},
    .expected = "creature files",
    .run = run,
    TOOL_REQUEST(.minutes = 10)};

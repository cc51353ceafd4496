/* simulator contest A B [PARAMS.ini]: all bouts of a pair of creature files, for people and for the
 * league. */
#include "simulator/tools/commands.h"

#include <math.h>
#include <stdio.h>

#include "common/formats/json_text.h"
#include "common/judge/measures.h"
#include "common/math/detmath.h"
#include "common/math/hash.h"
#include "common/system/output.h"
#include "simulator/evaluate/contest.h"

struct request {
    struct option_list assignments;
    int is_json;
    struct sight_exchange see;
};

struct report {
    char *const *paths; /* A, B, PARAMS.ini or NULL */
    struct creature creatures[2];
    struct params params;
    struct contest_pair pair;
};

/* ---- reading ---- */

static int read_params(struct report *report, const struct request *request, struct error *error)
{
    const struct creature *a = &report->creatures[0];
    int status =
        tool_choose_params(a, report->paths[2], &request->assignments, &report->params, error);
    if (status)
        return status;
    contest_apply(&report->params);
    status = params_check(&report->params, error);
    return status ? status
                  : contest_check(&a->genome, &report->creatures[1].genome, &report->params, error);
}

static int evaluate_report(struct report *report, struct error *error)
{
    const struct genome *genomes[2] = {&report->creatures[0].genome, &report->creatures[1].genome};
    struct arena arena;
    if (arena_init(&arena, CONTEST_ARENA_BYTES) != 0)
        return error_memory(error);
    evaluate_pair(genomes, &report->params, &arena, &report->pair);
    arena_deinit(&arena);
    return 0;
}

/* ---- output ---- */

static const char *name_of(const struct report *report, int side)
{
    const char *name = report->creatures[side].name;
    return name[0] ? name : report->paths[side];
}

static void print_bout(const struct report *report, int index)
{
    const struct contest_bout *bout = &report->pair.bouts[index];
    const struct contest_result *result = &report->pair.results[index];
    output_print(stdout, "\nbout %d   %s, turned by %.0f degrees: %.2f s\n", index + 1,
                 bout->is_exchanged ? "sides exchanged" : "first sides",
                 bout->heading_rad * 180 / DET_PI, result->time_s);
    output_print(stdout, "    %-14s %8s %8s %8s %8s %8s\n", "verdict", "start m", "least m",
                 "end m", "touch s", "margin");
    for (int i = 0; i < 2; i++) {
        const struct contest_side *side = &result->sides[i];
        output_print(stdout, "  %c %-14s %8.3f %8.3f %8.3f", "AB"[i], verdict_name(side->verdict),
                     side -> start_m, side -> least_m, side -> distance_m);
        if (side->touched_s < 0)
            output_print(stdout, " %8s", "never");
        else
            output_print(stdout, " %8.2f", side->touched_s);
        output_print(stdout, " %+8.3f\n", side->margin);
    }
    if (contest_has_object(report->params.contest_goal))
        output_print(stdout, "  the object was moved by %.3f m towards %s\n",
                     fabs(result->object_way_m), result->object_way_m < 0 ? "A" : "B");
}

static void print_table(const struct report *report)
{
    const struct contest_pair *pair = &report->pair;
    char digest[17];
    hash_to_text(pair->digest, digest);
    output_print(stdout, "A         %s\n", name_of(report, 0));
    output_print(stdout, "B         %s\n", name_of(report, 1));
    output_print(stdout, "goal      %s\n", contest_goal_names[report->params.contest_goal]);
    if (pair->is_equal)
        output_print(stdout, "winner    none: a draw, both move alike\n");
    else if (pair->margin == 0)
        output_print(stdout, "winner    none: a draw\n");
    else
        output_print(stdout, "winner    %s by %.3f\n", pair->margin > 0 ? "A" : "B",
                     fabs(pair->margin));
    output_print(stdout, "digest    %s\n", digest);
    for (int i = 0; i < CONTEST_BOUTS && !pair->is_equal; i++)
        print_bout(report, i);
}

static json_t *make_bout(const struct contest_pair *pair, int index)
{
    const struct contest_result *result = &pair->results[index];
    json_t *sides = json_array();
    for (int i = 0; i < 2; i++) {
        const struct contest_side *side = &result->sides[i];
        json_array_append_new(sides,
                              json_pack("{s:s, s:f, s:f, s:f, s:f, s:f}", "verdict",
                                        verdict_name(side->verdict), "start_m", side->start_m,
                                        "least_m", side->least_m, "distance_m", side->distance_m,
                                        "touched_s", side->touched_s, "margin", side->margin));
    }
    return json_pack("{s:b, s:f, s:f, s:f, s:o}", "is_exchanged", pair->bouts[index].is_exchanged,
                     "heading_rad", pair->bouts[index].heading_rad, "time_s", result->time_s,
                     "object_way_m", result->object_way_m, "sides", sides);
}

static json_t *make_pair(const struct report *report)
{
    const struct contest_pair *pair = &report->pair;
    char digest[17];
    json_t *bouts = json_array();
    hash_to_text(pair->digest, digest);
    for (int i = 0; i < CONTEST_BOUTS && !pair->is_equal; i++)
        json_array_append_new(bouts, make_bout(pair, i));
    return json_pack("{s:o, s:o, s:s, s:b, s:f, s:s, s:o}", "a", json_text_make(name_of(report, 0)),
                     "b", json_text_make(name_of(report, 1)), "goal",
                     contest_goal_names[report->params.contest_goal], "is_equal", pair->is_equal,
                     "margin", pair->margin, "digest", digest, "bouts", bouts);
}

static int run(void *context, char **operands, struct error *error)
{
    const struct request *request = context;
    struct report report = {.paths = operands};
    int status = 0;
    creature_init(&report.creatures[0]);
    creature_init(&report.creatures[1]);
    for (int i = 0; !status && i < 2; i++)
        status = creature_read_exchanged(&report.creatures[i], operands[i], &request->see,
                                         "simulator contest", error);
    if (!status)
        status = read_params(&report, request, error);
    for (int i = 0; !status && i < 2; i++)
        creature_tell_switches(&report.creatures[i], &report.params, "simulator contest",
                               operands[i]);
    if (!status)
        status = evaluate_report(&report, error);
    if (!status && request->is_json)
        status = tool_print_json(make_pair(&report), error);
    else if (!status)
        print_table(&report);
    creature_deinit(&report.creatures[0]);
    creature_deinit(&report.creatures[1]);
    return status;
}

static const struct option_row options[] = {
    {"see", 0, "FROM:TO",
     "a creature that sees the one, and nothing of the other, sees that instead: light:object, "
     "light:other, light:sound, light:scent-1; it is said if one stays as it is",
     OPTION_AT(READ, request, see), .read = sights_read_exchange},
    {"json", 0, NULL, "prints one JSON object", OPTION_AT(FLAG, request, is_json)},
    {"set", 's', "SECTION.KEY=VALUE",
     "changes a parameter (repeatable), such as contest.goal=" CONTEST_GOALS "",
     OPTION_AT(LIST, request, assignments)},
    {.name = NULL}};
const struct tool contest_tool = {
    .command = {TOOL(contest), .operands = "A B [PARAMS.ini]",
                .summary = "two creatures in one world, and the winner",
                .about =
                    "Puts two creatures into one world and names the winner (docs/contests.md). A "
                    "and B are creature files, both of rectangles or both of boxes; PARAMS.ini "
                    "holds the parameters, or is the name of an example (default: A's own).",
                .after = "Exit code: 0 simulated; 1 failed; 2 wrong usage."},
    .counts = {2, 3},
    .run = run,
    TOOL_REQUEST(.is_json = 0)};

/* The page itself: head, key figures, the doctor's words, and the tables. */
#include <inttypes.h>
#include <string.h>

#include "common/judge/behaviour.h"
#include "common/formats/html.h"
#include "common/version.h"
#include "controller/evolution/contests.h"
#include "controller/report/ladder_page.h"
#include "controller/report/report.h"
#include "controller/report/report_page.inc"
#include "controller/evolution/search.h"

/* More events than these are not listed. */
#define EVENTS_MAX 200

void report_write_tile(FILE *file, const char *value, const char *name)
{
    fputs("<div class='tile'><b>", file);
    html_write(file, value);
    fputs("</b><span>", file);
    html_write(file, name);
    fputs("</span></div>\n", file);
}

/* "1 h 12 min", "48 s" */
static const char *print_duration(double seconds, char text[32])
{
    if (seconds >= 3600)
        snprintf(text, 32, "%.0f h %02.0f min", (double)(int64_t)(seconds / 3600),
                 (double)((int64_t)(seconds / 60) % 60));
    else if (seconds >= 120)
        snprintf(text, 32, "%.0f min", seconds / 60);
    else
        snprintf(text, 32, "%.0f s", seconds);
    return text;
}

/* ---- head and key figures ---- */

static void write_head(const struct report *report, FILE *file)
{
    fputs("<!doctype html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'>\n"
          "<meta name='viewport' content='width=device-width, initial-scale=1'>\n"
          "<meta name='generator' content='Bestiary'>\n"
          "<meta name='color-scheme' content='light dark'>\n"
          "<meta http-equiv='Content-Security-Policy' content='default-src &#39;none&#39;; "
          "script-src "
          "&#39;unsafe-inline&#39;; style-src &#39;unsafe-inline&#39;; img-src data:'>\n"
          "<link rel='icon' href='data:,'>\n<title>",
          file);
    html_write(file, report->facts.params.run_name);
    fprintf(file,
            " (seed %" PRId64 ") - Bestiary run report</title>\n<style>\n%s</style>\n</head>\n",
            report->facts.params.run_seed, page_style);
}

/* The pictures, each once; the page refers to them. */
static void write_symbols(const struct report *report, FILE *file)
{
    fputs("<svg width='0' height='0' style='position:absolute' aria-hidden='true'>\n", file);
    for (int i = 0; i < report->gallery.count; i++) {
        const struct report_picture *picture = &report->gallery.pictures[i];
        if (!picture->png)
            continue;
        fprintf(file,
                "<symbol id='c%" PRIu64 "' viewBox='0 0 %d %d'><image width='%d' height='%d' "
                "href='data:image/png;base64,",
                picture->id, REPORT_PICTURE_WIDTH, REPORT_PICTURE_HEIGHT, REPORT_PICTURE_WIDTH,
                REPORT_PICTURE_HEIGHT);
        html_write_base64(file, (const unsigned char *)picture->png, picture->png_bytes);
        fputs("'/></symbol>\n", file);
    }
    fputs("</svg>\n", file);
}

static void write_figures(const struct report *report, FILE *file)
{
    const struct store_status *status = &report->facts.status;
    char text[64], duration[32];
    if (report->top_count > 0 && !run_has_no_goal(&report->facts.params)) {
        snprintf(text, sizeof text, "%.4g", status->best);
        report_write_tile(file, text, "best fitness");
        snprintf(text, sizeof text, "%.4g", status->median);
        report_write_tile(file, text, "median fitness");
    }
    snprintf(text, sizeof text, "%d of %" PRId64, report->facts.generation_count,
             report->facts.params.evolution_generations);
    report_write_tile(file, text, "generations complete");
    snprintf(text, sizeof text, "%d", report->statistics.evaluated);
    report_write_tile(file, text, "creatures evaluated");
    if (search_is_interactive(&report->facts.params)) {
        snprintf(text, sizeof text, "%d, %d, %d", report->statistics.bred, report->statistics.kept,
                 report->statistics.banned);
        report_write_tile(file, text, "to breed, to keep, banned by hand");
    }
    snprintf(text, sizeof text, "%s", print_duration(report->statistics.working_s, duration));
    report_write_tile(file, text, "of work");
    if (report->statistics.working_s > 0) {
        snprintf(text, sizeof text, "%.0f/s",
                 report->statistics.evaluated / report->statistics.working_s);
        report_write_tile(file, text, "evaluations");
    }
    int verified = 0, replayed = 0;
    for (int i = 0; i < report->gallery.count; i++) {
        replayed += report->gallery.pictures[i].status[0] != '\0';
        verified += !strcmp(report->gallery.pictures[i].status, "verified");
    }
    if (replayed > 0) {
        snprintf(text, sizeof text, "%d of %d", verified, replayed);
        report_write_tile(file, text, "replays verified");
    }
}

/* The goal, or that a person decides. */
static void write_goal(const struct params *params, FILE *file)
{
    const struct behaviour_info *behaviour = &behaviours[params->evolution_behaviour];
    if (preserve_is_wanted(params)) {
        fputs("<p>Bred for <b>nothing</b>: creatures eat, breed and die.</p>\n", file);
        return;
    }
    if (run_has_no_goal(params)) {
        fputs("<p>Bred <b>by hand</b>: a person chose the parents.</p>\n", file);
        return;
    }
    fputs("<p>Bred for <b>", file);
    html_write(file, behaviour->name);
    fputs("</b>: <code>", file);
    html_write(file, params->evolution_behaviour == BEHAVIOUR_CUSTOM ? params->fitness_expression
                                                                     : behaviour->formula);
    fputs("</code>", file);
    if (search_is_interactive(params))
        fprintf(file, ", and by hand: a share of %.3g is bred from those chosen",
                params->interactive_share);
    fputs("</p>\n", file);
}

/* "2026-11-21T18:39:02.078Z" as date and minute; else as it is. */
static void write_minute(const char *utc, FILE *file)
{
    char text[32];
    if (strlen(utc) > 16 && utc[10] == 'T')
        snprintf(text, sizeof text, "%.10s %.5s UTC", utc, utc + 11);
    else
        snprintf(text, sizeof text, "%.31s", utc);
    html_write(file, text);
}

static void write_header(const struct report *report, FILE *file)
{
    const struct params *params = &report->facts.params;
    fputs("<header>\n<h1>", file);
    html_write(file, params->run_name);
    fputs("</h1>\n", file);
    write_goal(params, file);
    fprintf(file, "<p class='soft'>seed %" PRId64 ", ", params->run_seed);
    if (!preserve_is_wanted(params))
        fprintf(file, "search %s, population %" PRId64 ", ", search_params_method(params)->name,
                params->population_size);
    fputs("begun ", file);
    write_minute(report->facts.status.created_utc, file);
    fprintf(file, ", %s; <code>", report->facts.status.is_finished ? "finished" : "not finished");
    html_write(file, report->directory);
    fputs("</code></p>\n", file);
    if (!preserve_is_wanted(params)) {
        char text[STORE_CHAMPION_SIZE];
        store_describe_champion(&report->facts.status, params, 1, text);
        fprintf(file, "<p>Champion: <span class='%s'>",
                report->facts.status.champion.holds ? "good" : "bad");
        html_write(file, text);
        fputs("</span>.", file);
        if (store_describe_ancestor(&report->facts.status, params, text)) {
            fputs(" Ancestor: ", file);
            html_write(file, text);
            fputs(".", file);
        }
        fputs("</p>\n", file);
    }
    fputs("<div class='tiles'>\n", file);
    (preserve_is_wanted(params) ? report_write_preserve_figures : write_figures)(report, file);
    fputs("</div>\n", file);
}

/* ---- the doctor ---- */

static void write_finding(FILE *file, const struct doctor_finding *finding)
{
    fprintf(file, "<div class='finding %s'><p><b>",
            finding->state == DOCTOR_PROBLEM ? "problem" : "note");
    html_write(file, finding->figure);
    fputs("</b></p><p>", file);
    html_write(file, finding->advice);
    fputs("</p>", file);
    if (finding->setting[0]) {
        fputs("<p>Try <code>-s ", file);
        html_write(file, finding->setting);
        fputs("</code></p>", file);
    }
    fputs("</div>\n", file);
}

static int write_doctor(const struct report *report, FILE *file)
{
    int told = 0;
    for (int i = 0; i < report->finding_count; i++) {
        const struct doctor_finding *finding = &report->findings[i];
        if (finding->state != DOCTOR_PROBLEM && finding->state != DOCTOR_NOTE)
            continue;
        write_finding(file, finding);
        told++;
    }
    if (told == 0)
        fputs("<p>Nothing that was looked at.</p>\n", file);
    fprintf(file,
            "<details class='paper'><summary>All %d things looked "
            "at</summary>\n<table><tr><th>thing</th>"
            "<th>measured</th><th></th></tr>\n",
            report->finding_count);
    for (int i = 0; i < report->finding_count; i++) {
        static const char *const words[] = {[DOCTOR_PROBLEM] = "problem",
                                            [DOCTOR_NOTE] = "note",
                                            [DOCTOR_FINE] = "fine",
                                            [DOCTOR_UNKNOWN] = "too little to tell"};
        static const char *const tones[] = {[DOCTOR_PROBLEM] = "bad",
                                            [DOCTOR_NOTE] = "warn",
                                            [DOCTOR_FINE] = "good",
                                            [DOCTOR_UNKNOWN] = "soft"};
        const struct doctor_finding *finding = &report->findings[i];
        fputs("<tr><td>", file);
        html_write(file, finding->name);
        fputs("</td><td class='long'>", file);
        html_write(file, finding->figure);
        fprintf(file, "</td><td class='%s'>%s</td></tr>\n", tones[finding->state],
                words[finding->state]);
    }
    fputs("</table></details>\n", file);
    return 0;
}

/* ---- breeding, verdicts, workers ---- */

static double percent_of(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 0;
}

static int write_methods(const struct report *report, FILE *file)
{
    int has_scores = !run_has_no_goal(&report->facts.params);
    int has_choices = search_is_interactive(&report->facts.params);
    fprintf(file,
            "<div class='wide'><table><tr><th>method</th><th class='n'>born</th>"
            "<th class='n'>survived</th><th></th>%s%s</tr>\n",
            has_scores ? "<th class='n'>fitter than its parents</th>"
                         "<th class='n'>became champion</th>"
                       : "",
            has_choices ? "<th class='n'>chosen by hand</th>" : "");
    for (int i = 0; i < METHOD_COUNT; i++) {
        const struct run_method *method = &report->statistics.methods[i];
        double share = percent_of(method->survived, method->born);
        if (method->born == 0)
            continue;
        fprintf(file,
                "<tr><td>%s</td><td class='n'>%d</td><td class='n'>%.1f %%</td><td><span "
                "class='bar'><i class='s0' style='width:%.1f%%'></i></span></td>",
                breeding_method_names[i], method->born, share, share);
        if (has_scores && method->had_parent > 0)
            fprintf(file, "<td class='n'>%.1f %%</td>",
                    percent_of(method->improved, method->had_parent));
        else if (has_scores)
            fputs("<td class='n'></td>", file);
        if (has_scores)
            fprintf(file, "<td class='n'>%d</td>", method->champions);
        if (has_choices)
            fprintf(file, "<td class='n'>%d</td>", method->chosen);
        fputs("</tr>\n", file);
    }
    fprintf(file,
            "</table></div>\n<p class='soft'>Survived: the generation it was born in.%s%s</p>\n",
            has_scores ? " Fitter: than each of its parents." : "",
            has_choices ? " Chosen: marked to breed or to be kept, once or more often." : "");
    return 0;
}

static int write_verdicts(const struct report *report, FILE *file)
{
    const struct run_statistics *statistics = &report->statistics;
    int status = 0;
    fputs("<div class='plots'>\n", file);
    if (report->facts.generation_count > 0)
        status = report_write_verdicts(report, file);
    fputs("<div class='wide'><table><tr><th>verdict</th><th class='n'>creatures</th>"
          "<th class='n'>share</th><th>meaning</th></tr>\n",
          file);
    for (int i = 0; i < RUN_VERDICTS_MAX; i++)
        if (statistics->verdicts[i] > 0)
            fprintf(file,
                    "<tr><td>%s</td><td class='n'>%d</td><td class='n'>%.1f %%</td><td>%s</td>"
                    "</tr>\n",
                    verdict_name(i), statistics->verdicts[i],
                    percent_of(statistics->verdicts[i], statistics->evaluated), verdict_reason(i));
    fputs("</table>\n", file);
    if (statistics->seen > 0)
        fprintf(
            file,
            "<p class='soft'>The referee saw %d of them again, from another start and at a finer "
            "step, and refused %d.</p>\n",
            statistics->seen, statistics->refused);
    fputs("</div></div>\n", file);
    return status;
}

static void write_time_row(FILE *file, const char *name, const char *counts, double cpu_s,
                           double all_s)
{
    double share = percent_of(cpu_s, all_s);
    fprintf(file,
            "<tr><td>%s</td>%s<td class='n'>%.1f</td><td class='n'>%.0f %%</td><td><span "
            "class='bar'><i class='s0' style='width:%.1f%%'></i></span></td></tr>\n",
            name, counts, cpu_s, share, share);
}

/* Where the processor time went, by kind of trial; the controller comes last. */
static int write_time(const struct report *report, FILE *file)
{
    const struct run_statistics *statistics = &report->statistics;
    double controller_s = report->facts.status.controller_cpu_s, all_s = controller_s;
    char name[96], counts[128];
    for (int i = 0; i < statistics->kind_count; i++)
        all_s += statistics->kinds[i].cpu_ms / 1000;
    fputs(
        "<div class='wide'><table><tr><th></th><th class='n'>simulated</th>"
        "<th class='n'>given again</th><th class='n'>processor time, s</th><th class='n'>share</th>"
        "<th></th></tr>\n",
        file);
    for (int i = 0; i < statistics->kind_count; i++) {
        const struct store_spent *kind = &statistics->kinds[i];
        trial_describe_kind(&kind->trial, &report->facts.params, name, sizeof name);
        snprintf(counts, sizeof counts,
                 "<td class='n'>%" PRId64 "</td><td class='n'>%" PRId64 "</td>", kind->simulated,
                 kind->given);
        write_time_row(file, name, counts, kind->cpu_ms / 1000, all_s);
    }
    if (controller_s > 0)
        write_time_row(file, "controller", "<td></td><td></td>", controller_s, all_s);
    fprintf(file, "</table></div>\n<p class='soft'>%.1f s of processor time in all.%s</p>\n", all_s,
            statistics->has_only_firsts
                ? " This run's store does not know what the referee's trials took."
                : "");
    return 0;
}

static int write_workers(const struct report *report, FILE *file)
{
    const struct run_statistics *statistics = &report->statistics;
    char duration[32];
    double all_s =
        statistics->worker_count > 0 ? statistics->worker_s / statistics->worker_count : 0;
    fputs("<div class='wide'><table><tr><th>worker</th><th class='n'>evaluations</th>"
          "<th class='n'>busy</th><th></th><th class='n'>before the referee</th>"
          "<th class='n'>repeated</th></tr>\n",
          file);
    for (int i = 0; i < statistics->worker_count; i++) {
        const struct run_worker *worker = &statistics->workers[i];
        double busy = percent_of(worker->busy_s, all_s);
        double referee = percent_of(worker->referee_s, all_s);
        busy = busy > 100 ? 100 : busy;
        referee = referee > 100 - busy ? 100 - busy : referee;
        fprintf(file,
                "<tr><td>%d</td><td class='n'>%" PRId64 "</td><td class='n'>%.0f %%</td><td><span "
                "class='bar'><i class='s0' style='width:%.1f%%'></i><i class='s2' "
                "style='width:%.1f%%'></i></span></td><td class='n'>%.0f %%</td><td "
                "class='n'>%" PRId64 "</td></tr>\n",
                worker->worker, worker->evaluations, busy, busy, referee, referee,
                worker->repeated);
    }
    fprintf(file,
            "</table></div>\n<p class='soft'>Shares of the time in which results came in (%s). "
            "Before the referee: all trials but the first ones.</p>\n",
            print_duration(statistics->working_s, duration));
    if (statistics->reused > 0)
        fprintf(file,
                "<p class='soft'>%d creatures (%.0f %%) have the body and brain of an earlier one: "
                "they got its result and were not simulated.</p>\n",
                statistics->reused, percent_of(statistics->reused, statistics->evaluated));
    return 0;
}

/* ---- events, quarantine, parameters ---- */

static int write_events(const struct report *report, FILE *file)
{
    const struct run_facts *facts = &report->facts;
    fprintf(file, "<details><summary>%d events</summary>\n<table>\n", facts->event_count);
    for (int i = 0; i < facts->event_count && i < EVENTS_MAX; i++) {
        const struct store_event *event = &facts->events[i];
        fputs("<tr><td>", file);
        html_write(file, event->time_utc);
        fputs("</td><td>", file);
        html_write(file, event->event);
        fputs("</td><td class='long'>", file);
        html_write(file, event->detail);
        fputs("</td></tr>\n", file);
    }
    fputs("</table></details>\n", file);
    if (facts->quarantined_count == 0)
        return 0;
    fprintf(file,
            "<h3>Quarantine (%" PRId64
            ")</h3>\n<div class='wide'><table><tr><th>creature</th><th>why</th>"
            "<th>shows it again</th></tr>\n",
            facts->status.quarantined);
    for (int i = 0; i < facts->quarantined_count; i++) {
        const struct store_quarantine *row = &facts->quarantined[i];
        fprintf(file, "<tr><td>%" PRIu64 "</td><td>", row->id);
        html_write(file, row->reason);
        fputs("</td><td class='long'><code>", file);
        html_write(file, row->command);
        fputs("</code></td></tr>\n", file);
    }
    fputs("</table></div>\n", file);
    return 0;
}

/* One row of the table of parameters. */
static void write_param(const struct params *params, FILE *file, int index)
{
    char value[PARAM_TEXT_SIZE];
    params_print_value(params, index, value, sizeof value);
    fputs("<tr><td><code>", file);
    html_write(file, param_table[index].key);
    fputs("</code></td><td class='long'><b>", file);
    html_write(file, value);
    fputs("</b></td><td>", file);
    html_write(file, param_table[index].help);
    fputs("</td></tr>\n", file);
}

static int is_preset(const struct params *params, const struct params *presets, int index)
{
    char value[PARAM_TEXT_SIZE], preset[PARAM_TEXT_SIZE];
    params_print_value(params, index, value, sizeof value);
    params_print_value(presets, index, preset, sizeof preset);
    return !strcmp(value, preset);
}

static int write_params(const struct report *report, FILE *file)
{
    const struct params *params = &report->facts.params;
    struct params presets;
    params_set_defaults(&presets);
    for (int is_default = 0; is_default < 2; is_default++) {
        int count = 0;
        for (int i = 0; i < param_count; i++)
            count += is_preset(params, &presets, i) == is_default;
        if (is_default)
            fprintf(file, "<details class='paper'><summary>%d with their default</summary>\n",
                    count);
        else
            fprintf(file, "<h3>Other than the default (%d)</h3>\n", count);
        fputs("<div class='wide'><table>\n", file);
        for (int i = 0; i < param_count; i++)
            if (is_preset(params, &presets, i) == is_default)
                write_param(params, file, i);
        fprintf(file, "</table></div>\n%s", is_default ? "</details>\n" : "");
    }
    return 0;
}

/* Plots by generation. */
static int write_plots(const struct report *report, FILE *file,
                       int (*write)(const struct report *report, FILE *file))
{
    int has_generations = report->facts.generation_count > 0;
    fputs(has_generations ? "<div class='plots'>\n" : "<p>No generation is complete yet.</p>\n",
          file);
    int status = has_generations ? write(report, file) : 0;
    fputs(has_generations ? "</div>\n" : "", file);
    return status;
}

static int write_fitness(const struct report *report, FILE *file)
{
    return write_plots(report, file, report_write_course);
}

static int write_choices(const struct report *report, FILE *file)
{
    return write_plots(report, file, report_write_choices);
}

/* Where scores say nothing about progress. */
static int write_progress(const struct report *report, FILE *file)
{
    if (report->ladder.rung_count > 0)
        ladder_page_write(&report->ladder, file);
    else
        fputs("<p>The scores of one generation say nothing about another. <code>controller "
              "progress</code> lets generations meet and measures it.</p>\n",
              file);
    return 0;
}

static int write_variety(const struct report *report, FILE *file)
{
    fputs("<p class='soft'>A family has the same first ancestor (by the first parents), a kind "
          "also as "
          "many parts and as many that move. Creatures with the same motion are exact copies.</p>\n"
          "<div class='plots'>\n",
          file);
    int status = report->facts.generation_count > 0 ? report_write_variety(report, file) : 0;
    fputs("</div>\n", file);
    return status;
}

static int is_always(const struct params *params)
{
    (void)params;
    return 1;
}

static int is_judged(const struct params *params)
{
    return !preserve_is_wanted(params);
}

static int has_goal(const struct params *params)
{
    return !run_has_no_goal(params);
}

static int is_judged_without_goal(const struct params *params)
{
    return is_judged(params) && !has_goal(params);
}

/* In the order of the page. */
static const struct section {
    const char *id, *link, *title;
    int (*is_wanted)(const struct params *params);
    int (*write)(const struct report *report, FILE *file);
} sections[] = {
    {"worlds", "worlds", "Worlds", preserve_is_wanted, report_write_worlds},
    {"energy", "energy", "Energy and families", preserve_is_wanted, report_write_flows},
    {"ways", "ways of living", "How they live", preserve_is_wanted, report_write_ways},
    {"evolution", "evolution", "Is it evolution?", preserve_is_wanted, report_write_evolution},
    {"lives", "lives", "Lives", preserve_is_wanted, report_write_lives},
    {"trees", "families", "Family trees", preserve_is_wanted, report_write_families},
    {"doctor", "doctor", "What holds it back", is_judged, write_doctor},
    {"fitness", "fitness", "Fitness", has_goal, write_fitness},
    {"progress", "progress", "Progress", contests_are_wanted, write_progress},
    {"choices", "choices", "Choices", search_is_interactive, write_choices},
    {"champions", "champions", "Champions", has_goal, report_write_champions},
    {"champions", "creatures", "Creatures", is_judged_without_goal, report_write_champions},
    {"lineage", "lineage", "Lineage", is_judged, report_write_lineage},
    {"variety", "variety", "Variety, bodies and brains", is_judged, write_variety},
    {"breeding", "breeding", "Breeding", is_judged, write_methods},
    {"verdicts", "verdicts", "Verdicts", is_judged, write_verdicts},
    {"time", "time", "Where the time went", is_judged, write_time},
    {"workers", "workers", "Workers", is_judged, write_workers},
    {"events", "events", "Events", is_always, write_events},
    {"parameters", "parameters", "Parameters", is_always, write_params}};
enum { SECTION_COUNT = sizeof sections / sizeof sections[0] };

static void write_links(const struct report *report, FILE *file)
{
    fputs("<nav>", file);
    for (int i = 0; i < SECTION_COUNT; i++)
        if (sections[i].is_wanted(&report->facts.params))
            fprintf(file, "<a href='#%s'>%s</a>", sections[i].id, sections[i].link);
    fputs("</nav>\n", file);
}

static int write_sections(const struct report *report, FILE *file)
{
    int status = 0;
    for (int i = 0; i < SECTION_COUNT && !status; i++) {
        if (!sections[i].is_wanted(&report->facts.params))
            continue;
        fprintf(file, "<h2 id='%s'>%s</h2>\n", sections[i].id, sections[i].title);
        status = sections[i].write(report, file);
    }
    return status;
}

int report_write(const struct report *report, FILE *file)
{
    write_head(report, file);
    fputs("<body>\n", file);
    write_symbols(report, file);
    write_header(report, file);
    write_links(report, file);
    fputs("</header>\n<main>\n", file);
    int status = write_sections(report, file);
    fprintf(file,
            "</main>\n<footer>Bestiary %s, %s</footer>\n<script>\n%s</script>\n</body>\n</html>\n",
            BESTIARY_VERSION, report->time_utc, page_script);
    return status ? status : ferror(file) ? ERR_IO : 0;
}

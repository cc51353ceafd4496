/* The page itself: head, key figures, the doctor's words, and the tables. */
#include <inttypes.h>
#include <string.h>

#include "common/judge/behaviour.h"
#include "common/formats/html.h"
#include "common/version.h"
#include "controller/evolution/contests.h"
#include "controller/report/page.h"
#include "controller/report/report.h"
#include "controller/report/report_page.inc"
#include "controller/evolution/search.h"

/* More events than these are not listed. */
#define EVENTS_MAX 200

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
          "script-src &#39;unsafe-inline&#39; &#39;wasm-unsafe-eval&#39;; worker-src blob:; "
          "style-src &#39;unsafe-inline&#39;; img-src data:'>\n"
          "<link rel='icon' href='data:,'>\n",
          file);
    html_print(file, "<title>%s (seed %" PRId64 ") - Bestiary run report</title>\n",
               report->facts.params.run_name, report->facts.params.run_seed);
    fprintf(file, "<style>\n%s</style>\n</head>\n", page_style);
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
    char duration[32];
    if (report->top_count > 0 && run_has_goal(&report->facts.params)) {
        page_tile(file, "best fitness", "%.4g", status->best);
        page_tile(file, "median fitness", "%.4g", status->median);
    }
    page_tile(file, "generations complete", "%d of %" PRId64, report->facts.generation_count,
              report->facts.params.evolution_generations);
    page_tile(file, "creatures evaluated", "%d", report->statistics.evaluated);
    if (search_is_interactive(&report->facts.params))
        page_tile(file, "to breed, to keep, banned by hand", "%d, %d, %d", report->statistics.bred,
                  report->statistics.kept, report->statistics.banned);
    page_tile(file, "of work", "%s", print_duration(report->statistics.working_s, duration));
    if (report->statistics.working_s > 0)
        page_tile(file, "evaluations", "%.0f/s",
                  report->statistics.evaluated / report->statistics.working_s);
    int verified = 0, replayed = 0;
    for (int i = 0; i < report->gallery.count; i++) {
        replayed += report->gallery.pictures[i].status[0] != '\0';
        verified += !strcmp(report->gallery.pictures[i].status, "verified");
    }
    if (replayed > 0)
        page_tile(file, "replays verified", "%d of %d", verified, replayed);
}

/* The goal, or that a person decides. */
static void write_goal(const struct params *params, FILE *file)
{
    const struct behaviour_info *behaviour = &behaviours[params->evolution_behaviour];
    if (preserve_is_wanted(params)) {
        fputs("<p>Bred for <b>nothing</b>: creatures eat, breed and die.</p>\n", file);
        return;
    }
    if (!run_has_goal(params)) {
        fputs("<p>Bred <b>by hand</b>: a person chose the parents.</p>\n", file);
        return;
    }
    html_print(file, "<p>Bred for <b>%s</b>: <code>%s</code>", behaviour->name,
               params->evolution_behaviour == BEHAVIOUR_CUSTOM ? params->fitness_expression
                                                               : behaviour->formula);
    if (search_is_interactive(params))
        fprintf(file, ", and by hand: a share of %.3g is bred from those chosen",
                params->interactive_share);
    fputs("</p>\n", file);
}

/* "2026-11-21T18:39:02.078Z" as date and minute; else as it is. */
static void write_minute(const char *utc, FILE *file)
{
    int is_usual = strlen(utc) > 16 && utc[10] == 'T';
    if (is_usual)
        html_print(file, "%.10s %.5s UTC", utc, utc + 11);
    else
        html_print(file, "%.31s", utc);
}

static void write_header(const struct report *report, FILE *file)
{
    const struct params *params = &report->facts.params;
    html_print(file, "<header>\n<h1>%s</h1>\n", params->run_name);
    write_goal(params, file);
    fprintf(file, "<p class='soft'>seed %" PRId64 ", ", params->run_seed);
    if (!preserve_is_wanted(params))
        fprintf(file, "search %s, population %" PRId64 ", ", search_params_method(params)->name,
                params->population_size);
    fputs("begun ", file);
    write_minute(report->facts.status.created_utc, file);
    html_print(file, ", %s; <code>%s</code></p>\n",
               report->facts.status.is_finished ? "finished" : "not finished", report->directory);
    if (!preserve_is_wanted(params)) {
        char text[STORE_CHAMPION_SIZE];
        store_describe_champion(&report->facts.status, params, 1, text);
        html_print(file, "<p>Champion: <span class='%s'>%s</span>.",
                   report->facts.status.champion.holds ? "good" : "bad", text);
        if (store_describe_ancestor(&report->facts.status, params, text))
            html_print(file, " Ancestor: %s.", text);
        fputs("</p>\n", file);
    }
    fputs("<div class='tiles'>\n", file);
    (preserve_is_wanted(params) ? report_write_preserve_figures : write_figures)(report, file);
    fputs("</div>\n", file);
}

/* ---- the doctor ---- */

static void write_finding(FILE *file, const struct doctor_finding *finding)
{
    html_print(file, "<div class='finding %s'><p><b>%s</b></p><p>%s</p>",
               finding->state == DOCTOR_PROBLEM ? "problem" : "note", finding->figure,
               finding->advice);
    if (finding->setting[0])
        html_print(file, "<p>Try <code>-s %s</code></p>", finding->setting);
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
    fprintf(file, "<details class='paper'><summary>All %d things looked at</summary>\n",
            report->finding_count);
    page_table(file, "thing|measured|");
    for (int i = 0; i < report->finding_count; i++) {
        static const char *const tones[] = {[DOCTOR_PROBLEM] = "bad problem",
                                            [DOCTOR_NOTE] = "warn note",
                                            [DOCTOR_FINE] = "good fine",
                                            [DOCTOR_UNKNOWN] = "soft too little to tell"};
        const struct doctor_finding *finding = &report->findings[i];
        page_row(file, "%s|~%s|@%s", finding->name, finding->figure, tones[finding->state]);
    }
    page_table_end(file);
    fputs("</details>\n", file);
    return 0;
}

/* ---- breeding, verdicts, workers ---- */

static double percent_of(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 0;
}

static int write_methods(const struct report *report, FILE *file)
{
    int has_scores = run_has_goal(&report->facts.params);
    int has_choices = search_is_interactive(&report->facts.params);
    char columns[160];
    snprintf(columns, sizeof columns, "method|#born|#survived|%s%s",
             has_scores ? "|#fitter than its parents|#became champion" : "",
             has_choices ? "|#chosen by hand" : "");
    page_table(file, columns);
    for (int i = 0; i < METHOD_COUNT; i++) {
        const struct run_method *method = &report->statistics.methods[i];
        double share = percent_of(method->survived, method->born);
        if (method->born == 0)
            continue;
        fputs("<tr>", file);
        page_cells(file, "%s|#%d|#%.1f %%|=%.1f", breeding_method_names[i], method->born, share,
                   share);
        if (has_scores && method->had_parent > 0)
            page_cells(file, "#%.1f %%", percent_of(method->improved, method->had_parent));
        else if (has_scores)
            page_cells(file, "#");
        if (has_scores)
            page_cells(file, "#%d", method->champions);
        if (has_choices)
            page_cells(file, "#%d", method->chosen);
        fputs("</tr>\n", file);
    }
    page_table_end(file);
    page_note(file, "Survived: the generation it was born in.%s%s",
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
    page_table(file, "verdict|#creatures|#share|meaning");
    for (int i = 0; i < RUN_VERDICTS_MAX; i++)
        if (statistics->verdicts[i] > 0)
            page_row(file, "%s|#%d|#%.1f %%|%s", verdict_name(i), statistics->verdicts[i],
                     percent_of(statistics->verdicts[i], statistics->evaluated), verdict_reason(i));
    page_table_end(file);
    if (statistics->seen > 0)
        page_note(file,
                  "The referee saw %d of them again, from another start and at a finer step, and "
                  "refused %d.",
                  statistics->seen, statistics->refused);
    fputs("</div>\n", file);
    return status;
}

/* Where the processor time went, by kind of trial; the controller comes last. */
static int write_time(const struct report *report, FILE *file)
{
    const struct run_statistics *statistics = &report->statistics;
    double controller_s = report->facts.status.controller_cpu_s, all_s = controller_s;
    char name[96];
    for (int i = 0; i < statistics->kind_count; i++)
        all_s += statistics->kinds[i].cpu_ms / 1000;
    page_table(file, "|#simulated|#given again|#processor time, s|#share|");
    for (int i = 0; i < statistics->kind_count; i++) {
        const struct store_spent *kind = &statistics->kinds[i];
        double cpu_s = kind->cpu_ms / 1000, share = percent_of(cpu_s, all_s);
        trial_describe_kind(&kind->trial, &report->facts.params, name, sizeof name);
        page_row(file, "%s|#%" PRId64 "|#%" PRId64 "|#%.1f|#%.0f %%|=%.1f", name, kind->simulated,
                 kind->given, cpu_s, share, share);
    }
    double share = percent_of(controller_s, all_s);
    if (controller_s > 0)
        page_row(file, "controller|||#%.1f|#%.0f %%|=%.1f", controller_s, share, share);
    page_table_end(file);
    page_note(file, "%.1f s of processor time in all.", all_s);
    return 0;
}

static int write_workers(const struct report *report, FILE *file)
{
    const struct run_statistics *statistics = &report->statistics;
    char duration[32];
    double all_s =
        statistics->worker_count > 0 ? statistics->worker_s / statistics->worker_count : 0;
    page_table(file, "worker|#evaluations|#busy||#before the referee|#repeated");
    for (int i = 0; i < statistics->worker_count; i++) {
        const struct run_worker *worker = &statistics->workers[i];
        double busy = percent_of(worker->busy_s, all_s);
        double referee = percent_of(worker->referee_s, all_s);
        busy = busy > 100 ? 100 : busy;
        referee = referee > 100 - busy ? 100 - busy : referee;
        page_row(file, "%d|#%" PRId64 "|#%.0f %%|=%.1f,%.1f|#%.0f %%|#%" PRId64, worker->worker,
                 worker->evaluations, busy, busy, referee, referee, worker->repeated);
    }
    page_table_end(file);
    page_note(
        file,
        "Shares of the time in which results came in (%s). Before the referee: all trials but "
        "the first ones.",
        print_duration(statistics->working_s, duration));
    if (statistics->reused > 0)
        page_note(file,
                  "%d creatures (%.0f %%) have the body and brain of an earlier one: they got its "
                  "result and were not simulated.",
                  statistics->reused, percent_of(statistics->reused, statistics->evaluated));
    return 0;
}

/* ---- events, quarantine, parameters ---- */

static int write_events(const struct report *report, FILE *file)
{
    const struct run_facts *facts = &report->facts;
    fprintf(file, "<details><summary>%d events</summary>\n", facts->event_count);
    page_table(file, NULL);
    for (int i = 0; i < facts->event_count && i < EVENTS_MAX; i++)
        page_row(file, "%s|%s|~%s", facts->events[i].time_utc, facts->events[i].event,
                 facts->events[i].detail);
    page_table_end(file);
    fputs("</details>\n", file);
    if (facts->quarantined_count == 0)
        return 0;
    fprintf(file, "<h3>Quarantine (%" PRId64 ")</h3>\n", facts->status.quarantined);
    page_table(file, "creature|why|shows it again");
    for (int i = 0; i < facts->quarantined_count; i++)
        page_row(file, "%" PRIu64 "|%s|`%s", facts->quarantined[i].id, facts->quarantined[i].reason,
                 facts->quarantined[i].command);
    page_table_end(file);
    return 0;
}

static int write_params(const struct report *report, FILE *file)
{
    const struct params *params = &report->facts.params;
    for (int is_default = 0; is_default < 2; is_default++) {
        int count = 0;
        for (int i = 0; i < param_count; i++)
            count += params_is_default(params, i) == is_default;
        if (is_default)
            fprintf(file, "<details class='paper'><summary>%d with their default</summary>\n",
                    count);
        else
            fprintf(file, "<h3>Other than the default (%d)</h3>\n", count);
        page_table(file, NULL);
        for (int i = 0; i < param_count; i++) {
            char value[PARAM_TEXT_SIZE];
            params_print_value(params, i, value, sizeof value);
            if (params_is_default(params, i) == is_default)
                page_row(file, "`%s|*%s|%s", param_table[i].key, value, param_table[i].help);
        }
        page_table_end(file);
        fputs(is_default ? "</details>\n" : "", file);
    }
    return 0;
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

static int is_judged(const struct params *params)
{
    return !preserve_is_wanted(params);
}

static int is_judged_without_goal(const struct params *params)
{
    return is_judged(params) && !run_has_goal(params);
}

/* In the order of the page. */
static const struct section {
    const char *id, *link, *title;
    int (*is_wanted)(const struct params *params); /* NULL: always */
    int (*write)(const struct report *report, FILE *file);
} sections[] = {
    {"river", "river", "River of forms", preserve_is_wanted, report_write_river},
    {"worlds", "worlds", "Worlds", preserve_is_wanted, report_write_worlds},
    {"energy", "energy", "Energy and families", preserve_is_wanted, report_write_flows},
    {"ways", "ways of living", "How they live", preserve_is_wanted, report_write_ways},
    {"evolution", "evolution", "Is it evolution?", preserve_is_wanted, report_write_evolution},
    {"lives", "lives", "Lives", preserve_is_wanted, report_write_lives},
    {"trees", "families", "Family trees", preserve_is_wanted, report_write_families},
    {"doctor", "doctor", "What holds it back", is_judged, write_doctor},
    {"fitness", "fitness", "Fitness", run_has_goal, report_write_course},
    {"progress", "progress", "Progress", contests_are_wanted, write_progress},
    {"choices", "choices", "Choices", search_is_interactive, report_write_choices},
    {"champions", "champions", "Champions", run_has_goal, report_write_champions},
    {"champions", "creatures", "Creatures", is_judged_without_goal, report_write_champions},
    {"lineage", "lineage", "Lineage", is_judged, report_write_lineage},
    {"variety", "variety", "Variety, bodies and brains", is_judged, write_variety},
    {"breeding", "breeding", "Breeding", is_judged, write_methods},
    {"verdicts", "verdicts", "Verdicts", is_judged, write_verdicts},
    {"time", "time", "Where the time went", is_judged, write_time},
    {"workers", "workers", "Workers", is_judged, write_workers},
    {"events", "events", "Events", NULL, write_events},
    {"parameters", "parameters", "Parameters", NULL, write_params}};
enum { SECTION_COUNT = sizeof sections / sizeof sections[0] };

static int is_wanted(const struct section *section, const struct report *report)
{
    return !section->is_wanted || section->is_wanted(&report->facts.params);
}

static void write_links(const struct report *report, FILE *file)
{
    fputs("<nav>", file);
    for (int i = 0; i < SECTION_COUNT; i++)
        if (is_wanted(&sections[i], report))
            fprintf(file, "<a href='#%s'>%s</a>", sections[i].id, sections[i].link);
    fputs("</nav>\n", file);
}

static int write_sections(const struct report *report, FILE *file)
{
    int status = 0;
    for (int i = 0; i < SECTION_COUNT && !status; i++) {
        if (!is_wanted(&sections[i], report))
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

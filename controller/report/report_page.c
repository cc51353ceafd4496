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

static void write_section(FILE *file, const char *id, const char *title)
{
    fprintf(file, "<h2 id='%s'>%s</h2>\n", id, title);
}

static void write_tile(FILE *file, const char *value, const char *name)
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
    fputs("<div class='tiles'>\n", file);
    if (report->top_count > 0 && !run_has_no_goal(&report->facts.params)) {
        snprintf(text, sizeof text, "%.4g", report->top[0].fitness);
        write_tile(file, text, "best fitness");
        snprintf(text, sizeof text, "%.4g", status->median);
        write_tile(file, text, "median fitness");
    }
    snprintf(text, sizeof text, "%d of %" PRId64, report->facts.generation_count,
             report->facts.params.evolution_generations);
    write_tile(file, text, "generations complete");
    snprintf(text, sizeof text, "%d", report->statistics.evaluated);
    write_tile(file, text, "creatures evaluated");
    if (search_is_interactive(&report->facts.params)) {
        snprintf(text, sizeof text, "%d, %d, %d", report->statistics.bred, report->statistics.kept,
                 report->statistics.banned);
        write_tile(file, text, "to breed, to keep, banned by hand");
    }
    snprintf(text, sizeof text, "%s", print_duration(report->statistics.working_s, duration));
    write_tile(file, text, "of work");
    if (report->statistics.working_s > 0) {
        snprintf(text, sizeof text, "%.0f/s",
                 report->statistics.evaluated / report->statistics.working_s);
        write_tile(file, text, "evaluations");
    }
    int verified = 0, replayed = 0;
    for (int i = 0; i < report->gallery.count; i++) {
        replayed += report->gallery.pictures[i].status[0] != '\0';
        verified += !strcmp(report->gallery.pictures[i].status, "verified");
    }
    if (replayed > 0) {
        snprintf(text, sizeof text, "%d of %d", verified, replayed);
        write_tile(file, text, "replays verified");
    }
    fputs("</div>\n", file);
}

/* What it is bred for, and who decides. */
static void write_goal(const struct params *params, FILE *file)
{
    const struct behaviour_info *behaviour = &behaviours[params->evolution_behaviour];
    if (run_has_no_goal(params)) {
        fputs("<p>Bred <b>by hand</b>: somebody chose the parents.</p>\n", file);
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
    fprintf(file, "<p class='soft'>seed %" PRId64 ", search %s, population %" PRId64 ", begun ",
            params->run_seed, search_params_method(params)->name, params->population_size);
    write_minute(report->facts.status.created_utc, file);
    fprintf(file, ", %s; <code>", report->facts.status.is_finished ? "finished" : "not finished");
    html_write(file, report->directory);
    fputs("</code></p>\n", file);
    if (report->facts.status.champion.id) {
        const struct store_champion *champion = &report->facts.status.champion;
        fprintf(file, "<p>The champion, creature %" PRIu64 ": <span class='%s'>", champion->id,
                champion->holds ? "good" : "bad");
        html_write(file, champion->words);
        fprintf(file, "</span>%s.</p>\n", champion->holds ? "" : ", too little");
    }
    write_figures(report, file);
    fputs("<nav><a href='#doctor'>doctor</a>", file);
    if (!run_has_no_goal(params))
        fputs("<a href='#fitness'>fitness</a>", file);
    if (contests_are_wanted(params))
        fputs("<a href='#progress'>progress</a>", file);
    if (search_is_interactive(params))
        fputs("<a href='#choices'>choices</a>", file);
    fprintf(file,
            "<a href='#champions'>%s</a><a href='#lineage'>lineage</a>"
            "<a href='#variety'>variety</a><a href='#breeding'>breeding</a>"
            "<a href='#verdicts'>verdicts</a><a href='#workers'>workers</a>"
            "<a href='#parameters'>parameters</a></nav>\n</header>\n",
            run_has_no_goal(params) ? "creatures" : "champions");
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

static void write_doctor(const struct report *report, FILE *file)
{
    int told = 0;
    write_section(file, "doctor", "What holds it back");
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
}

/* ---- breeding, verdicts, workers ---- */

static double percent_of(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 0;
}

static void write_methods(const struct report *report, FILE *file)
{
    write_section(file, "breeding", "Breeding");
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
}

static int write_verdicts(const struct report *report, FILE *file)
{
    const struct run_statistics *statistics = &report->statistics;
    int status = 0;
    write_section(file, "verdicts", "Verdicts");
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

static void write_workers(const struct report *report, FILE *file)
{
    const struct run_statistics *statistics = &report->statistics;
    char duration[32];
    double all_s =
        statistics->worker_count > 0 ? statistics->worker_s / statistics->worker_count : 0;
    write_section(file, "workers", "Workers");
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
                "<tr><td>%d</td><td class='n'>%d</td><td class='n'>%.0f %%</td><td><span "
                "class='bar'><i class='s0' style='width:%.1f%%'></i><i class='s2' "
                "style='width:%.1f%%'></i></span></td><td class='n'>%.0f %%</td><td "
                "class='n'>%d</td></tr>\n",
                worker->worker, worker->evaluations, busy, busy, referee, referee,
                worker->repeated);
    }
    fprintf(file,
            "</table></div>\n<p class='soft'>Shares of the time in which results came in (%s). The "
            "time of "
            "the referee's simulations is estimated from the first ones'.</p>\n",
            print_duration(statistics->working_s, duration));
    if (statistics->reused > 0)
        fprintf(file,
                "<p class='soft'>%d creatures (%.0f %%) have the body and brain of an earlier one: "
                "they got its result and were not simulated.</p>\n",
                statistics->reused, percent_of(statistics->reused, statistics->evaluated));
}

/* ---- events, quarantine, parameters ---- */

static void write_events(const struct report *report, FILE *file)
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
        return;
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

static void write_params(const struct report *report, FILE *file)
{
    const struct params *params = &report->facts.params;
    struct params presets;
    params_set_defaults(&presets);
    write_section(file, "parameters", "Parameters");
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
}

/* A section of nothing but plots. */
static int write_plots(const struct report *report, FILE *file, const char *id, const char *title,
                       int (*write)(const struct report *report, FILE *file))
{
    int has_generations = report->facts.generation_count > 0;
    write_section(file, id, title);
    fputs(has_generations ? "<div class='plots'>\n" : "<p>No generation is complete yet.</p>\n",
          file);
    int status = has_generations ? write(report, file) : 0;
    fputs(has_generations ? "</div>\n" : "", file);
    return status;
}

/* Where scores say nothing about progress. */
static void write_progress(const struct report *report, FILE *file)
{
    if (!contests_are_wanted(&report->facts.params))
        return;
    write_section(file, "progress", "Progress");
    if (report->ladder.rung_count > 0)
        ladder_page_write(&report->ladder, file);
    else
        fputs("<p>The scores of one generation say nothing about another. <code>controller "
              "progress</code> lets generations meet and measures it.</p>\n",
              file);
}

int report_write(const struct report *report, FILE *file)
{
    int has_generations = report->facts.generation_count > 0, status = 0;
    write_head(report, file);
    fputs("<body>\n", file);
    write_symbols(report, file);
    write_header(report, file);
    fputs("<main>\n", file);
    write_doctor(report, file);
    if (!run_has_no_goal(&report->facts.params))
        status = write_plots(report, file, "fitness", "Fitness", report_write_course);
    write_progress(report, file);
    if (!status && search_is_interactive(&report->facts.params))
        status = write_plots(report, file, "choices", "Choices", report_write_choices);
    write_section(file, "champions",
                  run_has_no_goal(&report->facts.params) ? "Creatures" : "Champions");
    report_write_champions(report, file);
    write_section(file, "lineage", "Lineage");
    if (!status)
        status = report_write_lineage(report, file);
    write_section(file, "variety", "Variety, bodies and brains");
    fputs("<p class='soft'>A family has the same first ancestor (by the first parents), a kind "
          "also as "
          "many parts and as many that move. Creatures with the same motion are exact copies.</p>\n"
          "<div class='plots'>\n",
          file);
    if (has_generations && !status)
        status = report_write_variety(report, file);
    fputs("</div>\n", file);
    write_methods(report, file);
    if (!status)
        status = write_verdicts(report, file);
    write_workers(report, file);
    write_events(report, file);
    write_params(report, file);
    fprintf(file,
            "</main>\n<footer>Bestiary %s, %s</footer>\n<script>\n%s</script>\n</body>\n</html>\n",
            BESTIARY_VERSION, report->time_utc, page_script);
    return status ? status : ferror(file) ? ERR_IO : 0;
}

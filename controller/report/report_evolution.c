/* Whether it is evolution: the report of a preserve beside its neutral shadows (neutral_model.h). */
#include <math.h>
#include <stdlib.h>

#include "common/math/detmath.h"
#include "controller/report/page.h"
#include "controller/report/report.h"
#include "controller/analysis/neutral_model.h"

/* ---- plots ---- */

static const struct {
    int fact;
    const char *title, *meaning;
} plots[] = {
    {SHADOW_AREA, "Bodies beside drift (m²)",
     "The line is the run. The band has 95 % of the shadows, which inherit with the same "
     "mutations and choose by chance: selection makes the rest."},
    {SHADOW_WAY, "Way by time of the dead beside drift (m/s)", "As in the plot of bodies."},
    {SHADOW_HUNTERS, "Share of hunters beside drift", "As in the plot of bodies."},
    {SHADOW_FAMILIES, "Families of a world beside drift",
     "Families are lost by chance, too. Below the band some take over; above it something "
     "keeps several."},
    {SHADOW_NOVELTY, "New kinds that last, beside drift",
     "Kinds whose ancestors lived ten minutes before, and that were never there before."},
};
enum { PLOT_COUNT = sizeof plots / sizeof plots[0] };

static void draw_plot(const struct neutral_report *shadows, int number, FILE *file)
{
    double run[SHADOW_STEPS], low[SHADOW_STEPS], high[SHADOW_STEPS], minutes[SHADOW_STEPS];
    int first = 0;
    struct chart chart = {.file = file,
                          .title = plots[number].title,
                          .meaning = plots[number].meaning,
                          .x_name = "simulated minutes"};
    for (int i = 0; i < SHADOW_STEPS; i++) {
        const struct shadow_band *band = &shadows->bands[i][plots[number].fact];
        run[i] = band->run;
        low[i] = band->low;
        high[i] = band->high;
        minutes[i] = shadows->times_s[i] / 60;
        first += first == i && !isfinite(band->run + band->low);
    }
    int count = SHADOW_STEPS - first;
    if (count < 2)
        return;
    const struct chart_series series = {"the run", 0, run + first};
    chart.low = low + first;
    chart.high = high + first;
    page_figure(&chart, minutes + first, &series, 1, count);
}

/* ---- the table ---- */

/* A number, or an empty cell. */
static void write_number(FILE *file, double value, int digits)
{
    if (isfinite(value))
        page_cells(file, "#%.*f", digits, value);
    else
        page_cells(file, "#-");
}

static void write_row(const struct neutral_report *shadows, const struct neutral_row *row,
                      FILE *file)
{
    const struct shadow_band *band =
        row->is_mean ? &shadows->means[row->fact] : &shadows->bands[SHADOW_STEPS - 1][row->fact];
    fputs("<tr>", file);
    page_cells(file, "%s%s%s", row->name, row->unit[0] ? "," : "", row->unit);
    write_number(file, band->run, row->digits);
    write_number(file, band->middle, row->digits);
    write_number(file, band->low, row->digits);
    write_number(file, band->high, row->digits);
    page_cells(file, "%s|%s", neutral_verdict(band), row->meaning);
    fputs("</tr>\n", file);
}

static void write_table(const struct neutral_report *shadows, FILE *file)
{
    page_table(file, "|#run|#shadows|#95 % from|#to||");
    for (int i = 0; i < SHADOW_FACT_COUNT; i++)
        write_row(shadows, &neutral_rows[i], file);
    page_table_end(file);
    page_note(
        file,
        "%d shadows have the run's births and deaths at their times and the "
        "same mutations; mothers and the dead are drawn by chance (Bedau, Snyder and Packard "
        "1998). The last four rows are those of MODES (Dolson et al. 2019), means of the second "
        "half: only ancestors of ten minutes before count. By drift alone %.1f families of a "
        "world would be left.",
        SHADOW_COPIES, shadows->drift_families);
    fprintf(file,
            "<p>A generation changes bodies by %+.1f %% by selection, as those with more children "
            "are larger or smaller, and by %+.1f %% by what children differ in from their mothers "
            "(Price 1970).</p>\n",
            100 * (det_exp(shadows->selected) - 1), 100 * (det_exp(shadows->inherited) - 1));
}

int report_write_evolution(const struct report *report, FILE *file)
{
    struct neutral_report *shadows = calloc(1, sizeof *shadows);
    const struct run_facts *facts = &report->facts;
    if (!shadows)
        return ERR_MEMORY;
    int status = neutral_report_make(shadows, facts->lives, facts->life_count,
                                     (int)facts->params.preserve_worlds);
    if (!status && shadows->step_count == 0)
        fputs("<p>No creature has lived yet.</p>\n", file);
    if (!status && shadows->step_count > 0) {
        fputs("<div class='plots'>\n", file);
        for (int i = 0; i < PLOT_COUNT; i++)
            draw_plot(shadows, i, file);
        fputs("</div>\n", file);
        write_table(shadows, file);
    }
    free(shadows);
    return status;
}

/* controller evolution: a preserve beside its neutral shadows. */
#include <math.h>
#include <stdlib.h>

#include "common/math/detmath.h"
#include "common/system/output.h"
#include "controller/commands/commands.h"
#include "controller/analysis/neutral_model.h"

/* Writes the number; a dash stands for a number that is not known yet. */
static void write_number(double value, int digits, char text[32])
{
    if (isfinite(value))
        snprintf(text, 32, "%.*f", digits, value);
    else
        snprintf(text, 32, "-");
}

static void print_row(const struct neutral_report *shadows, const struct neutral_row *row)
{
    const struct shadow_band *band =
        row->is_mean ? &shadows->means[row->fact] : &shadows->bands[SHADOW_STEPS - 1][row->fact];
    char run[32], low[32], high[32];
    write_number(band->run, row->digits, run);
    write_number(band->low, row->digits, low);
    write_number(band->high, row->digits, high);
    output_print(stdout, "%-11s %8s %9s .. %-8s %-10s %s%s%s\n", row->name, run, low, high,
                 neutral_verdict(band), row->meaning, row->unit[0] ? "," : "", row->unit);
}

static void print_report(const char *directory, const struct neutral_report *shadows,
                         int life_count)
{
    output_print(stdout, "%s: %d lives, %.4g minutes, %d neutral shadows\n\n%-11s %8s %21s\n",
                 directory, life_count, shadows->times_s[SHADOW_STEPS - 1] / 60, SHADOW_COPIES, "",
                 "run", "95 % of shadows");
    for (int i = 0; i < SHADOW_FACT_COUNT; i++)
        print_row(shadows, &neutral_rows[i]);
    output_print(stdout,
                 "\nBy drift alone %.1f families of a world would be left. A generation changes "
                 "bodies by %+.1f %% by\nselection and by %+.1f %% by what children differ in from "
                 "their mothers.\n",
                 shadows->drift_families, 100 * (det_exp(shadows->selected) - 1),
                 100 * (det_exp(shadows->inherited) - 1));
}

static int make_report(struct store *store, const struct params *params,
                       struct neutral_report *shadows, int *life_count, struct error *error)
{
    struct store_life *lives = NULL;
    if (!preserve_is_wanted(params))
        return error_set(error, ERR_RANGE, "the run is no preserve");
    int status = store_get_lives(store, &lives, life_count, error);
    if (!status && neutral_report_make(shadows, lives, *life_count, (int)params->preserve_worlds))
        status = error_memory(error);
    if (!status && shadows->step_count == 0)
        status = error_set(error, ERR_MISSING, "no creature has lived yet");
    free(lives);
    return status;
}

static int report_evolution(const char *directory, void *request, struct error *error)
{
    struct params params;
    struct store *store = NULL;
    struct neutral_report *shadows = calloc(1, sizeof *shadows);
    int life_count = 0;
    int status =
        shadows ? command_open_run(directory, &store, &params, error) : error_memory(error);
    if (!status)
        status = make_report(store, &params, shadows, &life_count, error);
    if (!status)
        print_report(directory, shadows, life_count);
    store_close(store);
    free(shadows);
    return status;
}

RUN_COMMAND(
    evolution, report_evolution, NULL, "a preserve beside drift alone: is it evolution?", NULL,
    "Compares a run of a preserve with 200 neutral shadows: the same births and deaths at "
    "the same times, and the same mutations, but mothers and the dead are drawn by chance. "
    "Numbers outside of 95 % of the shadows are made by selection. Of the living at the end: "
    "bodies, parts, hunters, families. Means of the second half, by kinds whose ancestors "
    "lived ten minutes before (MODES): change, novelty, complexity, ecology. The report has "
    "the same with plots.");

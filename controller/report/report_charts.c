/* The report's plots: fitness, variety, verdicts. */
#include <stdio.h>
#include <stdlib.h>

#include "controller/evolution/islands.h"
#include "controller/evolution/search.h"
#include "controller/report/page.h"
#include "controller/report/report.h"

/* Verdicts drawn by name; the others are one. */
#define VERDICTS_DRAWN 6

/* Rows of values over the generations, one allocation. The first ones are those of the axes. */
enum table_row { ROW_NUMBER, ROW_EVALUATIONS, ROW_BEST, ROW_Q1, ROW_MEDIAN, ROW_Q3, ROW_COUNT };
#define AXIS_COUNT ROW_BEST

struct table {
    int count;
    int has_best; /* scores differ */
    double *rows[ROW_COUNT];
    double *marks[AXIS_COUNT]; /* where islands begin, and where they merge */
    int mark_count;
    char meaning[ISLANDS_WORDS_SIZE + 80]; /* of the marks */
};

/* Notes the generations that do not breed from the one before. */
static void mark_islands(struct table *table, const struct params *params)
{
    for (int i = 1; i < table->count; i++) {
        if (!islands_is_end(params, (uint32_t)table->rows[ROW_NUMBER][i - 1]))
            continue;
        for (int axis = 0; axis < AXIS_COUNT; axis++)
            table->marks[axis][table->mark_count] = table->rows[axis][i];
        table->mark_count++;
    }
    char words[ISLANDS_WORDS_SIZE];
    islands_describe(params, words);
    if (islands_count(params) > 1)
        snprintf(table->meaning, sizeof table->meaning, "Upright lines: where a start ends. %s.",
                 words);
}

static int table_make(struct table *table, const struct report *report)
{
    size_t count = (size_t)report->statistics.generation_count;
    double *values = calloc((ROW_COUNT + AXIS_COUNT) * count + 1, sizeof *values);
    if (!values)
        return ERR_MEMORY;
    *table = (struct table){.count = (int)count};
    table->has_best = run_has_goal(&report->facts.params);
    for (int i = 0; i < ROW_COUNT; i++)
        table->rows[i] = values + (size_t)i * count;
    for (int i = 0; i < AXIS_COUNT; i++)
        table->marks[i] = values + (size_t)(ROW_COUNT + i) * count;
    for (size_t i = 0; i < count; i++) {
        table->rows[ROW_NUMBER][i] = report->statistics.generations[i].number;
        table->rows[ROW_EVALUATIONS][i] = (double)report->statistics.generations[i].evaluations;
    }
    mark_islands(table, &report->facts.params);
    return 0;
}

static void table_free(struct table *table)
{
    free(table->rows[0]);
}

static void fill_spread(struct table *table, const struct report *report, size_t offset)
{
    for (int i = 0; i < table->count; i++) {
        const char *generation = (const char *)&report->statistics.generations[i];
        const struct run_spread *spread = (const struct run_spread *)(generation + offset);
        table->rows[ROW_BEST][i] = spread->best;
        table->rows[ROW_Q1][i] = spread->q1;
        table->rows[ROW_MEDIAN][i] = spread->median;
        table->rows[ROW_Q3][i] = spread->q3;
    }
}

/* Axes over the generations, or over the evaluations. */
static struct chart make_chart(const struct table *table, FILE *file, const char *title,
                               enum table_row x)
{
    return (struct chart){.file = file,
                          .title = title,
                          .x_name = x == ROW_NUMBER ? "generation" : "evaluations",
                          .has_origin = x == ROW_EVALUATIONS,
                          .marks = table->marks[x],
                          .mark_count = table->mark_count};
}

/* Best, median and quartiles. */
static void draw_spread(const struct table *table, FILE *file, const char *title, enum table_row x)
{
    struct chart chart = make_chart(table, file, title, x);
    const struct chart_series series[] = {{"best", 0, table->rows[ROW_BEST]},
                                          {"median", 1, table->rows[ROW_MEDIAN]},
                                          {"lower quartile", 2, table->rows[ROW_Q1]},
                                          {"upper quartile", 2, table->rows[ROW_Q3]}};
    int first = !table->has_best;
    chart.low = table->rows[ROW_Q1];
    chart.high = table->rows[ROW_Q3];
    page_figure(&chart, table->rows[x], series + first, 4 - first, table->count);
}

/* Begins a section of plots by generation; 0: it has none. */
static int begin_plots(const struct report *report, FILE *file)
{
    int has_generations = report->facts.generation_count > 0;
    fputs(has_generations ? "<div class='plots'>\n" : "<p>No generation is complete yet.</p>\n",
          file);
    return has_generations;
}

int report_write_course(const struct report *report, FILE *file)
{
    struct table table;
    if (!begin_plots(report, file))
        return 0;
    if (table_make(&table, report))
        return ERR_MEMORY;
    fill_spread(&table, report, offsetof(struct run_generation, fitness));
    draw_spread(&table, file, "Fitness by generation", ROW_NUMBER);
    draw_spread(&table, file, "Fitness by evaluation", ROW_EVALUATIONS);
    if (*table.meaning)
        fprintf(file, "<p class='soft'>%s</p>\n", table.meaning);
    fputs("</div>\n", file);
    table_free(&table);
    return 0;
}

/* ---- variety ---- */

/* A line of one value per generation: a count, or its share of another one. */
struct value {
    const char *name;
    size_t part, whole; /* where the counts stand in a generation; whole 0: there is none */
};
#define COUNT(name, part) name, offsetof(struct run_generation, part), 0
#define SHARE(name, part, whole)                                                                   \
    name, offsetof(struct run_generation, part), offsetof(struct run_generation, whole)

static double value_of(const struct run_generation *generation, const struct value *value)
{
    int part = *(const int *)((const char *)generation + value->part);
    int whole = *(const int *)((const char *)generation + value->whole);
    return value->whole == 0 ? part : whole > 0 ? (double)part / whole : 0;
}

/* Up to ROW_COUNT - ROW_BEST lines, all of them counts or all shares. */
static void draw_values(struct table *table, const struct report *report, FILE *file,
                        const char *title, const struct value *values, int count)
{
    struct chart_series series[ROW_COUNT];
    struct chart chart = make_chart(table, file, title, ROW_NUMBER);
    ENSURE(count <= ROW_COUNT - ROW_BEST, "%d lines", count);
    for (int k = 0; k < count; k++) {
        double *row = table->rows[ROW_BEST + k];
        for (int i = 0; i < table->count; i++)
            row[i] = value_of(&report->statistics.generations[i], &values[k]);
        series[k] = (struct chart_series){values[k].name, k, row};
    }
    chart.is_share = values[0].whole != 0;
    chart.is_count = !chart.is_share;
    page_figure(&chart, table->rows[ROW_NUMBER], series, count, table->count);
}

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof(array)[0]))

int report_write_variety(const struct report *report, FILE *file)
{
    static const struct value shares[] = {{SHARE("commonest kind", commonest_kind, survivors)},
                                          {SHARE("largest family", largest_family, survivors)},
                                          {SHARE("different motions", motions, survivors)}};
    static const struct value counts[] = {{COUNT("kinds", kinds)}, {COUNT("families", families)}};
    static const struct value scored[] = {{SHARE("with a score", scored, members)}};
    static const struct value cells[] = {{COUNT("cells filled", cells)}};
    struct table table;
    if (table_make(&table, report))
        return ERR_MEMORY;
    draw_values(&table, report, file, "Shares of the survivors", shares, COUNT_OF(shares));
    draw_values(&table, report, file, "Kinds and families among the survivors", counts,
                COUNT_OF(counts));
    fill_spread(&table, report, offsetof(struct run_generation, parts));
    draw_spread(&table, file, "Parts of a body", ROW_NUMBER);
    fill_spread(&table, report, offsetof(struct run_generation, neurons));
    draw_spread(&table, file, "Neurons of a brain", ROW_NUMBER);
    fill_spread(&table, report, offsetof(struct run_generation, size_m));
    draw_spread(&table, file, "Size (m)", ROW_NUMBER);
    draw_values(&table, report, file, "Share of those judged", scored, COUNT_OF(scored));
    if (search_params_method(&report->facts.params)->has_cells)
        draw_values(&table, report, file, "Cells of the archive", cells, COUNT_OF(cells));
    table_free(&table);
    return 0;
}

/* ---- choices ---- */

int report_write_choices(const struct report *report, FILE *file)
{
    static const struct value marks[] = {
        {COUNT("breed", bred)}, {COUNT("keep", kept)}, {COUNT("ban", banned)}};
    struct table table;
    if (!begin_plots(report, file))
        return 0;
    if (table_make(&table, report))
        return ERR_MEMORY;
    /* the newest generation has no choices yet, or can have no more */
    int last = table.count - 1;
    if (last > 0) {
        const struct run_generation *newest = &report->statistics.generations[last];
        table.count -= newest->bred + newest->kept + newest->banned == 0;
    }
    draw_values(&table, report, file, "Marked by hand, by generation", marks, COUNT_OF(marks));
    fputs("</div>\n", file);
    table_free(&table);
    return 0;
}

/* ---- verdicts ---- */

/* The commonest verdicts, commonest first; returns how many occur at all, up to VERDICTS_DRAWN. */
static int choose_verdicts(const struct report *report, int chosen[VERDICTS_DRAWN])
{
    const int *counts = report->statistics.verdicts;
    int count = 0;
    while (count < VERDICTS_DRAWN) {
        int best = -1;
        for (int i = 0; i < RUN_VERDICTS_MAX; i++) {
            int is_taken = 0;
            for (int k = 0; k < count; k++)
                is_taken |= chosen[k] == i;
            if (!is_taken && counts[i] > 0 && (best < 0 || counts[i] > counts[best]))
                best = i;
        }
        if (best < 0)
            break;
        chosen[count++] = best;
    }
    return count;
}

int report_write_verdicts(const struct report *report, FILE *file)
{
    int chosen[VERDICTS_DRAWN] = {0}, drawn = choose_verdicts(report, chosen);
    size_t count = (size_t)report->statistics.generation_count;
    double *values = calloc((VERDICTS_DRAWN + 1) * count + 1, sizeof *values);
    struct chart_series series[VERDICTS_DRAWN + 1];
    struct table table;
    if (!values || table_make(&table, report)) {
        free(values);
        return ERR_MEMORY;
    }
    for (int k = 0; k <= drawn; k++)
        series[k] = (struct chart_series){k < drawn ? verdict_name(chosen[k]) : "other", k,
                                          values + (size_t)k * count};
    for (size_t i = 0; i < count; i++) {
        const struct run_generation *generation = &report->statistics.generations[i];
        double evaluated = generation->born - generation->unevaluated, other = 1;
        for (int k = 0; k < drawn; k++) {
            double share = evaluated > 0 ? generation->verdicts[chosen[k]] / evaluated : 0;
            values[(size_t)k * count + i] = share;
            other -= share;
        }
        values[(size_t)drawn * count + i] = evaluated > 0 && other > 1e-9 ? other : 0;
    }
    struct chart chart =
        make_chart(&table, file, "Verdicts of those born, by generation", ROW_NUMBER);
    chart.is_share = chart.is_stack = 1;
    page_figure(&chart, table.rows[ROW_NUMBER], series, drawn + 1, (int)count);
    table_free(&table);
    free(values);
    return 0;
}

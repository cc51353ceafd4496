/* The pictures of a ladder, for the run's report: each with the sentence that says what it means. */
#include "controller/report/report.h"

#include <inttypes.h>
#include <math.h>

#include "common/formats/html.h"
#include "controller/report/page.h"

/* The matrix: its sides and the room for generations beside it. */
enum { MATRIX = 300, MATRIX_LEFT = 46, MATRIX_TOP = 6, MATRIX_BOTTOM = 24, LABELS = 8 };

static void write_words(const struct ladder *ladder, enum ladder_topic topic, FILE *file)
{
    char text[LADDER_WORDS_SIZE];
    ladder_say(ladder, topic, text);
    html_print(file, "<p>%s</p>\n", text);
}

/* ---- current against ancestral ---- */

static void write_cell(const struct ladder *ladder, FILE *file, int row, int column)
{
    double side = (double)MATRIX / ladder->rung_count;
    double margin = ladder_margin(ladder, LADDER_CHAMPIONS, row, column);
    if (!isfinite(margin))
        return;
    fprintf(file,
            "<rect x='%.1f' y='%.1f' width='%.1f' height='%.1f' class='%s' opacity='%.2f'>"
            "<title>generation %" PRIu32 " against %" PRIu32 ": %+.2f</title></rect>\n",
            MATRIX_LEFT + column * side, MATRIX_TOP + row * side, side - 0.5, side - 0.5,
            margin > 0   ? "s3"
            : margin < 0 ? "s1"
                         : "s7",
            0.25 + 0.75 * fmin(sqrt(fabs(margin)), 1), ladder->rungs[row].generation,
            ladder->rungs[column].generation, margin);
}

/* Generations along the lower and the left side, not all where there are many. */
static void write_labels(const struct ladder *ladder, FILE *file)
{
    int step = 1 + (ladder->rung_count - 1) / LABELS;
    double side = (double)MATRIX / ladder->rung_count;
    for (int i = 0; i < ladder->rung_count; i += step)
        fprintf(file,
                "<text class='tick' x='%d' y='%.1f' text-anchor='end'>%" PRIu32 "</text>"
                "<text class='tick' x='%.1f' y='%d' text-anchor='middle'>%" PRIu32 "</text>\n",
                MATRIX_LEFT - 6, MATRIX_TOP + (i + 0.5) * side + 4, ladder->rungs[i].generation,
                MATRIX_LEFT + (i + 0.5) * side, MATRIX_TOP + MATRIX + 17,
                ladder->rungs[i].generation);
}

static void write_matrix(const struct ladder *ladder, FILE *file)
{
    fprintf(
        file,
        "<figure class='plot'><figcaption>Champions (rows) against their ancestors (columns)"
        "</figcaption>\n<svg viewBox='0 0 %d %d' role='img'><title>margins of champions against "
        "earlier ones</title>\n",
        MATRIX_LEFT + MATRIX + 12, MATRIX_TOP + MATRIX + MATRIX_BOTTOM);
    for (int row = 1; row < ladder->rung_count; row++)
        for (int column = 0; column < row; column++)
            write_cell(ladder, file, row, column);
    write_labels(ladder, file);
    fputs("</svg>\n<p class='keys'><span><i class='s3'></i>wins</span> <span><i class='s1'></i>"
          "loses</span> <span><i class='s7'></i>draws</span> <span>the stronger the colour, the "
          "greater the margin</span></p>",
          file);
    write_words(ladder, LADDER_SAY_ANCESTORS, file);
    fputs("</figure>\n", file);
}

/* ---- values of each rung ---- */

typedef double rung_value(const struct ladder *ladder, enum ladder_part part, int rung);

static double mean_margin(const struct ladder *ladder, enum ladder_part part, int rung)
{
    return ladder_margin(ladder, part, rung, -1);
}

static double share_won(const struct ladder *ladder, enum ladder_part part, int rung)
{
    return ladder_won(ladder, part, rung, NULL);
}

struct line {
    const char *name;
    enum ladder_part part;
    rung_value *value;
};

enum { LINES_MAX = 3 };

static void draw(const struct ladder *ladder, FILE *file, const char *title, int is_share,
                 const struct line *lines, int count)
{
    double x[LADDER_RUNGS_MAX], values[LINES_MAX][LADDER_RUNGS_MAX];
    struct chart_series series[LINES_MAX];
    struct chart chart = {
        .file = file, .title = title, .x_name = "generation", .is_share = is_share};
    for (int k = 0; k < count; k++) {
        for (int i = 0; i < ladder->rung_count; i++) {
            x[i] = ladder->rungs[i].generation;
            values[k][i] = lines[k].value(ladder, lines[k].part, i);
        }
        series[k] = (struct chart_series){lines[k].name, k, values[k]};
    }
    page_figure(&chart, x, series, count, ladder->rung_count);
}

void ladder_page_write(const struct ladder *ladder, FILE *file)
{
    static const struct line margins[] = {{"champions", LADDER_CHAMPIONS, mean_margin},
                                          {"members drawn", LADDER_POPULATIONS, mean_margin},
                                          {"selected by dice", LADDER_CONTROL, mean_margin}};
    static const struct line shares[] = {{"first generations' best", LADDER_RIVALS, share_won},
                                         {"panel", LADDER_PANEL, share_won}};
    static const struct line touches[] = {{"members drawn", LADDER_POPULATIONS, ladder_touched},
                                          {"champions", LADDER_CHAMPIONS, ladder_touched}};
    fputs("<div class='plots'>\n", file);
    write_matrix(ladder, file);
    fputs("<div>", file);
    draw(ladder, file, "Mean margin against all other rungs", 0, margins, 3);
    write_words(ladder, LADDER_SAY_MASTER, file);
    write_words(ladder, LADDER_SAY_CONTROL, file);
    fputs("</div>\n<div>", file);
    draw(ladder, file, "Contests won by champions", 1, shares, 2);
    write_words(ladder, LADDER_SAY_PANEL, file);
    fputs("</div>\n<div>", file);
    draw(ladder, file, "Share that touches the goal", 1, touches, 2);
    write_words(ladder, LADDER_SAY_POPULATIONS, file);
    fputs("</div>\n</div>\n", file);
    write_words(ladder, LADDER_SAY_TRIADS, file);
}

/* Tables and texts of a page. Cells are split by bars in literal formats; all of their content is
 * escaped, so that texts of foreign origin may stand in them.
 *
 * A cell's format may begin with a mark of how it is shown:
 *   #  a number, to the right    ~  a long text, which wraps    `  code    *  a long bold text
 *   =  bars: shares in percent, "busy,more"    @  the first word is the cell's class */
#ifndef CONTROLLER_REPORT_PAGE_H
#define CONTROLLER_REPORT_PAGE_H

#include <stdio.h>
#include "common/error.h"
#include "controller/analysis/league.h"

/* Begins a table; of columns ("method|#born|") each has a head. NULL: the table has no heads. */
void page_table(FILE *file, const char *columns);
/* One row; or only some of its cells. */
void page_row(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
void page_cells(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Ends a table. */
void page_table_end(FILE *file);
/* A key figure and its name. */
void page_tile(FILE *file, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "1:05", or "?" where it is no time; returns `text`. */
const char *page_time(double seconds, char text[16]);
/* Between tags "<p class='soft'>" and "</p>". */
void page_note(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Plots as inline SVG, for the report.
 *
 * Axes are linear, colours come from the page's style (classes s0 .. s7, so that they follow its
 * light and dark theme). The lines carry their names and the picture its axes as data, from which
 * the page's script reads values under the pointer. A value that is not a number is left out; one
 * outside of the axes is drawn at their edge. At most CHART_POINTS_MAX points of a series are
 * drawn, evenly chosen. */

#define CHART_POINTS_MAX 400
#define CHART_COLORS     8

struct chart {
    FILE *file;
    const char *title;   /* what is plotted, with its unit */
    const char *x_name;  /* "generation" */
    int is_share;        /* y is 0 .. 1 and shown as percents */
    int is_count;        /* y is whole numbers */
    int is_stack;        /* series are layers, one upon the other */
    int has_origin;      /* x begins at 0 */
    const char *meaning; /* a sentence under the picture, or NULL */
    const double *marks; /* places on the x axis with an upright line */
    int mark_count;
    const double *low, *high; /* a band behind the lines, of colour 1; or NULL */
    /* set by page_figure() */
    const double *x;
    const struct chart_series *series;
    int series_count, count; /* count: of points */
    double x_min, x_max, y_min, y_max;
};

struct chart_series {
    const char *name;
    int color; /* 0 .. CHART_COLORS - 1 */
    const double *values;
};

/* Draws a plot of at most CHART_COLORS series over x, each of `count` values, with a legend that tells
 * each series' last value. y begins at 0 or below; axes end at round numbers. */
void page_figure(struct chart *chart, const double *x, const struct chart_series *series,
                 int series_count, int count);

/* The page of a league: its table, the margins of all pairs, and links to the pages of duels. */

struct league_page {
    int player_count;
    char *const *names;      /* by player */
    const int *is_out;       /* by player: it takes no part, since it crashes the simulator */
    struct league_row *rows; /* by rank */
    struct league_bout *bouts;
    int bout_count;
    const struct league_triad *triads;
    int triad_count;       /* all; the first ten are listed */
    uint64_t digest;       /* of all contests */
    const char *directory; /* where the page and those of duels are */
};

/* Where the page of the duel of two players is. 0, or ERR_LIMIT if the path is too long. */
int league_page_duel(char *path, size_t size, const char *directory, int a, int b);
int league_page_write(const struct league_page *page, const char *path, struct error *error);

#endif

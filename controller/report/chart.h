/* Plots as inline SVG, for the report.
 *
 * Axes are linear, colours come from the page's style (classes s0 .. s7, so that they follow its
 * light and dark theme). The lines carry their names and the picture its axes as data, from which
 * the page's script reads values under the pointer. A value that is not a number is left out; one
 * outside of the axes is drawn at their edge. At most CHART_POINTS_MAX points of a series are
 * drawn, evenly chosen. */
#ifndef CONTROLLER_REPORT_CHART_H
#define CONTROLLER_REPORT_CHART_H

#include <stdio.h>

#define CHART_POINTS_MAX 400
#define CHART_COLORS     8

struct chart {
    FILE *file;
    const char *title;  /* what is plotted, with its unit */
    const char *x_name; /* "generation" */
    double x_min, x_max, y_min, y_max;
    int is_share;        /* y is 0 .. 1 and shown as percents */
    int is_count;        /* y is whole numbers */
    const char *meaning; /* a sentence under the picture, or NULL */
    const double *marks; /* places on the x axis with an upright line */
    int mark_count;
};

struct chart_series {
    const char *name;
    int color; /* 0 .. CHART_COLORS - 1 */
    const double *values;
};

/* Widens *low and *high to hold the finite ones of the values. */
void chart_include(const double *values, int count, double *low, double *high);

/* Begins with axes; widens the axes to round numbers. x_max > x_min is not required of the
 * caller. */
void chart_begin(struct chart *chart);
/* The area between two rows of values. */
void chart_band(const struct chart *chart, const double *x, const double *low, const double *high,
                int count, int color);
void chart_line(const struct chart *chart, const double *x, const struct chart_series *series,
                int count);
/* Series that are shares of one whole, one upon the other. 0 or ERR_MEMORY. */
int chart_stack(const struct chart *chart, const double *x, const struct chart_series *series,
                int series_count, int count);
/* Ends, with a legend that tells each series' last value. */
void chart_end(const struct chart *chart, const struct chart_series *series, int series_count,
               int count);

#endif

#include "controller/report/page.h"

#include <math.h>

#include "common/error.h"
#include "common/formats/html.h"

/* The picture and its margins, px; small, so that its text can be read on a phone. */
#define WIDTH  440.0
#define HEIGHT 230.0
#define LEFT   46.0
#define RIGHT  12.0
#define TOP    10.0
#define BOTTOM 36.0
#define TICKS  5

/* Widens *low and *high to hold the finite ones of the values. */
static void include(const double *values, int count, double *low, double *high)
{
    ENSURE(count >= 0, "%d values", count);
    for (int i = 0; i < count; i++)
        if (isfinite(values[i])) {
            *low = fmin(*low, values[i]);
            *high = fmax(*high, values[i]);
        }
}

static double place_x(const struct chart *chart, double x)
{
    double share = (x - chart->x_min) / (chart->x_max - chart->x_min);
    return LEFT + fmin(fmax(share, 0), 1) * (WIDTH - LEFT - RIGHT);
}

static double place_y(const struct chart *chart, double y)
{
    double share = (y - chart->y_min) / (chart->y_max - chart->y_min);
    return HEIGHT - BOTTOM - fmin(fmax(share, 0), 1) * (HEIGHT - TOP - BOTTOM);
}

/* 1, 2 or 5 times a power of ten, so that about TICKS of them make the span. */
static double tick_step(double span)
{
    double raw = span / TICKS, power = pow(10, floor(log10(raw)));
    double lead = raw / power;
    if (lead < 1.5)
        return power;
    if (lead < 3.5)
        return 2 * power;
    return power * (lead < 7.5 ? 5 : 10);
}

static void write_value(const struct chart *chart, double value)
{
    if (chart->is_share)
        fprintf(chart->file, "%.3g %%", 100 * value);
    else if (fabs(value) >= 9999.5)
        fprintf(chart->file, "%.3gk", value / 1000);
    else
        fprintf(chart->file, "%.4g", fabs(value) < 1e-12 ? 0 : value);
}

/* Bounds that are finite, apart, and end at a tick. */
static void widen(double *low, double *high, int is_rounded, double step_least)
{
    if (!isfinite(*low) || !isfinite(*high) || *low > *high) {
        *low = 0;
        *high = 1;
    }
    if (!(*high - *low > 1e-12 * fmax(fabs(*low), fabs(*high))))
        *high = *low + fmax(1, fabs(*low) * 0.1);
    double step = fmax(tick_step(*high - *low), step_least);
    if (is_rounded)
        *high = ceil(*high / step - 1e-9) * step;
}

static void write_ticks(const struct chart *chart)
{
    double step = fmax(tick_step(chart->y_max - chart->y_min), chart->is_count);
    for (double k = ceil(chart->y_min / step); k * step <= chart->y_max + step * 1e-6; k++) {
        double y = place_y(chart, k * step);
        fprintf(chart->file,
                "<line class='grid' x1='%g' y1='%.1f' x2='%g' y2='%.1f'/>"
                "<text class='tick' x='%g' y='%.1f' text-anchor='end'>",
                LEFT, y, WIDTH - RIGHT, y, LEFT - 6, y + 4);
        write_value(chart, k * step);
        fputs("</text>\n", chart->file);
    }
    step = fmax(tick_step(chart->x_max - chart->x_min), 1);
    for (double k = ceil(chart->x_min / step); k * step <= chart->x_max + step * 1e-6; k++) {
        double value = k * step, x = place_x(chart, value);
        int is_last = x > WIDTH - 30;
        fprintf(chart->file, "<text class='tick' x='%.1f' y='%g' text-anchor='%s'>",
                is_last ? WIDTH - 2 : x, HEIGHT - BOTTOM + 16, is_last ? "end" : "middle");
        /* large ones in thousands */
        fprintf(chart->file, value >= 1e4 ? "%.6gk</text>\n" : "%.6g</text>\n",
                value >= 1e4 ? value / 1000 : value);
    }
    html_print(chart->file, "<text class='tick' x='%g' y='%g' text-anchor='end'>%s</text>\n",
               WIDTH - RIGHT, HEIGHT - 4, chart->x_name);
}

static void begin(struct chart *chart)
{
    ENSURE(chart->file && chart->title && chart->x_name, "a plot without words");
    html_print(chart->file,
               "<figure class='plot'><figcaption>%s</figcaption>\n"
               "<svg viewBox='0 0 %g %g' role='img' data-axes='%.9g %.9g %.9g %.9g' "
               "data-box='%g %g %g %g' data-share='%d' data-x='%s'><title>%s</title>\n",
               chart->title, WIDTH, HEIGHT, chart->x_min, chart->x_max, chart->y_min, chart->y_max,
               LEFT, WIDTH - RIGHT, TOP, HEIGHT - BOTTOM, chart->is_share, chart->x_name,
               chart->title);
    write_ticks(chart);
    for (int i = 0; i < chart->mark_count; i++) {
        double x = place_x(chart, chart->marks[i]);
        fprintf(chart->file,
                "<line class='grid' stroke-dasharray='2 3' x1='%.1f' y1='%g' x2='%.1f' y2='%g'/>\n",
                x, TOP, x, HEIGHT - BOTTOM);
    }
}

/* Whether a point is drawn: every n-th, and the last. */
static int is_drawn(int index, int count)
{
    int stride = (count + CHART_POINTS_MAX - 1) / CHART_POINTS_MAX;
    return index % stride == 0 || index == count - 1;
}

/* The lower or upper edge of layer k, or (-1) of the band behind the lines. */
static double edge_of(const struct chart *chart, int k, int point, int is_upper)
{
    if (k < 0)
        return is_upper ? chart->high[point] : chart->low[point];
    double sum = 0;
    for (int layer = 0; layer < k + is_upper; layer++) {
        double value = chart->series[layer].values[point];
        sum += isfinite(value) ? value : 0;
    }
    return sum;
}

/* The area between two edges: there along the upper one, and back along the lower. */
static void draw_band(const struct chart *chart, int k)
{
    int color = k < 0 ? 1 : chart->series[k].color;
    ENSURE(color >= 0 && color < CHART_COLORS, "%d points of colour %d", chart->count, color);
    fprintf(chart->file, "<polygon class='band s%d' points='", color);
    for (int step = 0; step < 2 * chart->count; step++) {
        int is_upper = step < chart->count, i = is_upper ? step : 2 * chart->count - 1 - step;
        double y = edge_of(chart, k, i, is_upper);
        if (is_drawn(i, chart->count) && isfinite(y))
            fprintf(chart->file, "%.1f,%.1f ", place_x(chart, chart->x[i]), place_y(chart, y));
    }
    fputs("'/>\n", chart->file);
}

static void draw_line(const struct chart *chart, const struct chart_series *series)
{
    ENSURE(series->color >= 0 && series->color < CHART_COLORS, "%s: %d points of colour %d",
           series->name, chart->count, series->color);
    int drawn = 0;
    html_print(chart->file, "<polyline class='line s%d' data-name='%s' points='", series->color,
               series->name);
    for (int i = 0; i < chart->count; i++)
        if (is_drawn(i, chart->count) && isfinite(series->values[i])) {
            fprintf(chart->file, "%.1f,%.1f ", place_x(chart, chart->x[i]),
                    place_y(chart, series->values[i]));
            drawn++;
        }
    fputs("'/>\n", chart->file);
    for (int i = 0; i < chart->count && drawn == 1; i++)
        if (isfinite(series->values[i]))
            fprintf(chart->file, "<circle class='dot s%d' cx='%.1f' cy='%.1f' r='3'/>\n",
                    series->color, place_x(chart, chart->x[i]), place_y(chart, series->values[i]));
}

static void end(const struct chart *chart)
{
    fputs("</svg>\n<p class='keys'>", chart->file);
    for (int k = 0; k < chart->series_count; k++) {
        const struct chart_series *series = &chart->series[k];
        html_print(chart->file, "<span><i class='s%d'></i>%s", series->color, series->name);
        if (chart->count > 0 && isfinite(series->values[chart->count - 1])) {
            fputs(" <b>", chart->file);
            write_value(chart, series->values[chart->count - 1]);
            fputs("</b>", chart->file);
        }
        fputs("</span> ", chart->file);
    }
    fputs("</p>", chart->file);
    if (chart->meaning)
        html_print(chart->file, "<p class='soft'>%s</p>", chart->meaning);
    fputs("</figure>\n", chart->file);
}

/* Sets the axes: they hold all that is drawn. */
static void set_axes(struct chart *chart)
{
    chart->x_min = chart->has_origin ? 0 : HUGE_VAL;
    chart->x_max = -HUGE_VAL;
    chart->y_min = 0;
    chart->y_max = chart->is_share;
    include(chart->x, chart->count, &chart->x_min, &chart->x_max);
    for (int k = 0; k < chart->series_count && !chart->is_stack; k++)
        include(chart->series[k].values, chart->count, &chart->y_min, &chart->y_max);
    for (int i = 0; i < chart->count && chart->is_stack && !chart->is_share; i++) {
        double sum = 0;
        for (int k = 0; k < chart->series_count; k++)
            sum += chart->series[k].values[i];
        include(&sum, 1, &chart->y_min, &chart->y_max);
    }
    if (chart->high)
        include(chart->high, chart->count, &chart->y_min, &chart->y_max);
    widen(&chart->x_min, &chart->x_max, 0, 0);
    widen(&chart->y_min, &chart->y_max, 1, chart->is_count);
}

void page_figure(struct chart *chart, const double *x, const struct chart_series *series,
                 int series_count, int count)
{
    ENSURE(series_count >= 0 && count >= 0, "%d series of %d points", series_count, count);
    chart->x = x;
    chart->series = series;
    chart->series_count = series_count;
    chart->count = count;
    set_axes(chart);
    begin(chart);
    if (chart->low)
        draw_band(chart, -1);
    for (int k = 0; k < series_count && chart->is_stack; k++) {
        html_print(chart->file, "<g class='layer' data-name='%s'>", series[k].name);
        draw_band(chart, k);
        fputs("</g>\n", chart->file);
    }
    for (int k = series_count - 1; k >= 0 && !chart->is_stack; k--)
        draw_line(chart, &series[k]);
    end(chart);
}

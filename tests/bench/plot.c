/* Draws points as a picture for the documentation: panels side by side, two in a row, both axes
 * logarithmic, a line through the points of each series.
 *
 *   plot TITLE X_LABEL < points.csv > picture.svg
 *
 * Each line of the CSV is panel,series,setting,x,y and more columns, which are not looked at; the
 * first line is a header. A panel's name is its heading and says what y is; the setting of each
 * point is shown by viewers that show titles. Panels, series and points keep the order in which
 * they come. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS_MAX = 1000, PANELS_MAX = 8, SERIES_MAX = 12, NAME_SIZE = 96 };
enum { PANEL_WIDTH = 430, PANEL_HEIGHT = 330, LEFT = 62, RIGHT = 12, TOP = 34, BOTTOM = 44 };
enum { HEAD = 34, LEGEND_LINE = 18 };

struct point {
    int panel, series;
    char setting[NAME_SIZE];
    double x, y;
};

/* An axis: whole decades, drawn over so many pixels from the first one on. */
struct axis {
    int low, high;
    double from, length; /* length < 0: upwards */
};

static struct point points[POINTS_MAX];
static int point_count;
static char panels[PANELS_MAX][NAME_SIZE], series[SERIES_MAX][NAME_SIZE];
static int panel_count, series_count;

/* Told apart without colour, too: by their marks. */
static const char *const colours[] = {"#1b6ca8", "#d1495b", "#3a8f5c", "#8a5fb0",
                                      "#c98a1b", "#4d4d4d", "#17a2a2", "#b0457b",
                                      "#6b7a1c", "#7a4a2b", "#5562c9", "#999999"};

static void fail(const char *message, int line)
{
    fprintf(stderr, "plot: line %d: %s\n", line, message);
    exit(1);
}

/* Where the name is in the list; a new one is added. */
static int find_name(char (*names)[NAME_SIZE], int *count, int most, const char *name, int line)
{
    for (int i = 0; i < *count; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    if (*count == most)
        fail("too many names", line);
    snprintf(names[*count], NAME_SIZE, "%.*s", NAME_SIZE - 1, name);
    return (*count)++;
}

/* The field's number, which a logarithm needs to be above 0. */
static double take_number(const char *text, int line)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end != 0 || !(value > 0) || value > 1e300)
        fail("x and y must be numbers above 0", line);
    return value;
}

static void read_points(void)
{
    char text[1024];
    for (int line = 1; fgets(text, sizeof text, stdin); line++) {
        enum { FIELDS = 5 };
        char *fields[FIELDS], *at = text;
        text[strcspn(text, "\r\n")] = 0;
        for (int i = 0; i < FIELDS; i++) {
            fields[i] = at;
            char *comma = at ? strchr(at, ',') : NULL;
            if (!at)
                fail("five columns are needed", line);
            if (comma)
                *comma = 0;
            at = comma ? comma + 1 : NULL;
        }
        if (line == 1)
            continue;
        if (point_count == POINTS_MAX)
            fail("too many points", line);
        struct point *point = &points[point_count++];
        point->panel = find_name(panels, &panel_count, PANELS_MAX, fields[0], line);
        point->series = find_name(series, &series_count, SERIES_MAX, fields[1], line);
        snprintf(point->setting, sizeof point->setting, "%.*s", NAME_SIZE - 1, fields[2]);
        point->x = take_number(fields[3], line);
        point->y = take_number(fields[4], line);
    }
    if (point_count == 0)
        fail("no points", 1);
}

/* Text in an element: what XML takes for its own is written otherwise. */
static void put_text(const char *text)
{
    for (; *text; text++) {
        if (*text == '<')
            printf("&lt;");
        else if (*text == '&')
            printf("&amp;");
        else
            putchar(*text);
    }
}

/* ---------------------------------------------------------------- axes */

static void fit(struct axis *axis, int panel, int is_y)
{
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (int i = 0; i < point_count; i++) {
        double value = log10(is_y ? points[i].y : points[i].x);
        if (points[i].panel != panel)
            continue;
        low = fmin(low, value);
        high = fmax(high, value);
    }
    axis->low = (int)floor(low);
    axis->high = (int)ceil(high);
    if (axis->high == axis->low)
        axis->high++;
}

static double place(const struct axis *axis, double value)
{
    return axis->from + axis->length * (log10(value) - axis->low) / (axis->high - axis->low);
}

static void draw_grid(const struct axis *x, const struct axis *y)
{
    double right = x->from + x->length, top = y->from + y->length;
    for (int decade = x->low; decade <= x->high; decade++) {
        double at = place(x, pow(10, decade));
        printf("<path d='M%.1f %.1fV%.1f' class='grid'/>\n", at, y->from, top);
        printf("<text x='%.1f' y='%.1f' text-anchor='middle'>10<tspan dy='-5' font-size='9'>%d"
               "</tspan></text>\n",
               at, y->from + 18, decade);
    }
    int every = (y->high - y->low + 7) / 8;
    for (int decade = y->low; decade <= y->high; decade += every) {
        double at = place(y, pow(10, decade));
        printf("<path d='M%.1f %.1fH%.1f' class='grid'/>\n", x->from, at, right);
        printf("<text x='%.1f' y='%.1f' text-anchor='end'>10<tspan dy='-5' font-size='9'>%d"
               "</tspan></text>\n",
               x->from - 6, at + 5, decade);
    }
    printf("<rect x='%.1f' y='%.1f' width='%.1f' height='%.1f' class='frame'/>\n", x->from, top,
           x->length, -y->length);
}

/* ---------------------------------------------------------------- points */

static void draw_mark(int which, double x, double y)
{
    const char *colour = colours[which % SERIES_MAX];
    if (which % 3 == 0)
        printf("<circle cx='%.1f' cy='%.1f' r='3.5' fill='%s'>", x, y, colour);
    else if (which % 3 == 1)
        printf("<rect x='%.1f' y='%.1f' width='7' height='7' fill='%s'>", x - 3.5, y - 3.5, colour);
    else
        printf("<path d='M%.1f %.1fl4.5 8h-9z' fill='%s'>", x, y - 5, colour);
}

static void end_mark(int which)
{
    printf("%s\n", which % 3 == 0 ? "</circle>" : which % 3 == 1 ? "</rect>" : "</path>");
}

static void draw_series(int panel, int which, const struct axis *x, const struct axis *y)
{
    int is_first = 1;
    for (int i = 0; i < point_count; i++) {
        if (points[i].panel != panel || points[i].series != which)
            continue;
        printf("%s%.1f %.1f", is_first ? "<path d='M" : "L", place(x, points[i].x),
               place(y, points[i].y));
        is_first = 0;
    }
    if (!is_first)
        printf("' fill='none' stroke='%s' stroke-width='1.5'/>\n", colours[which % SERIES_MAX]);
    for (int i = 0; i < point_count; i++) {
        if (points[i].panel != panel || points[i].series != which)
            continue;
        draw_mark(which, place(x, points[i].x), place(y, points[i].y));
        printf("<title>");
        put_text(series[which]);
        printf(", ");
        put_text(points[i].setting);
        printf(": %.3g, %.2g</title>", points[i].x, points[i].y);
        end_mark(which);
    }
}

static void draw_panel(int panel, const char *x_label)
{
    int left = panel % 2 * PANEL_WIDTH, top = HEAD + panel / 2 * PANEL_HEIGHT;
    struct axis x = {.from = left + LEFT, .length = PANEL_WIDTH - LEFT - RIGHT};
    struct axis y = {.from = top + PANEL_HEIGHT - BOTTOM, .length = -(PANEL_HEIGHT - TOP - BOTTOM)};
    fit(&x, panel, 0);
    fit(&y, panel, 1);
    printf("<text x='%d' y='%d' font-weight='bold'>", left + LEFT, top + TOP - 10);
    put_text(panels[panel]);
    printf("</text>\n");
    draw_grid(&x, &y);
    printf("<text x='%.1f' y='%d' text-anchor='middle'>", x.from + x.length / 2,
           top + PANEL_HEIGHT - 8);
    put_text(x_label);
    printf("</text>\n");
    for (int which = 0; which < series_count; which++)
        draw_series(panel, which, &x, &y);
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: plot TITLE X_LABEL < points.csv > picture.svg\n");
        return 2;
    }
    read_points();
    int rows = (panel_count + 1) / 2, columns = panel_count > 1 ? 2 : 1;
    int lines = (series_count + columns * 2 - 1) / (columns * 2), width = columns * PANEL_WIDTH;
    int bottom = HEAD + rows * PANEL_HEIGHT, height = bottom + lines * LEGEND_LINE + 10;
    printf("<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' viewBox='0 0 %d %d' "
           "font-family='sans-serif' font-size='12' fill='#222'>\n"
           "<style>.grid{stroke:#ddd}.frame{fill:none;stroke:#555}</style>\n"
           "<rect width='%d' height='%d' fill='#fff'/>\n<text x='%d' y='22' font-size='15'>",
           width, height, width, height, width, height, LEFT);
    put_text(argv[1]);
    printf("</text>\n");
    for (int i = 0; i < panel_count; i++)
        draw_panel(i, argv[2]);
    for (int i = 0; i < series_count; i++) {
        int x = LEFT + i % (columns * 2) * (width - LEFT) / (columns * 2);
        int y = bottom + i / (columns * 2) * LEGEND_LINE + 8;
        draw_mark(i, x, y - 4);
        end_mark(i);
        printf("<text x='%d' y='%d'>", x + 9, y);
        put_text(series[i]);
        printf("</text>\n");
    }
    printf("</svg>\n");
    return fflush(stdout) != 0 || ferror(stdout);
}

/* The river of forms as a picture: bands over time, and cards of the forms that have one. The band
 * of a form lies in the middle of its parent's at its birth, so no band crosses another. */
#include <inttypes.h>
#include <math.h>

#include "controller/report/page.h"
#include "controller/report/report.h"

/* The picture and its margins, px. */
#define WIDTH  1000.0
#define HEIGHT 380.0
#define LEFT   10.0
#define TOP    8.0
#define BOTTOM 26.0
/* About so many marks of time. */
#define MARKS 12
/* A letter stands where a band is at least so high, px. */
#define LETTER_PX 15.0

/* The lower edges of all bands, in creatures from the picture's middle, downwards. */
struct layout {
    double bottom[RIVER_FORMS_MAX][RIVER_TIMES];
    double px; /* height of a creature */
};

/* Founders' bands lie one upon the other, children's upon the lower half of their parent's own. */
static void lay_out(const struct river *river, struct layout *layout)
{
    double most = 1, next[RIVER_FORMS_MAX][RIVER_TIMES];
    for (int k = 0; k < RIVER_TIMES; k++) {
        double sum = 0;
        for (int f = 0; f < river->count; f++)
            sum += river->forms[f].parent < 0 ? river->forms[f].width[k] : 0;
        most = fmax(most, sum);
        double shore = sum / 2;
        for (int f = 0; f < river->count; f++) {
            const struct river_form *form = &river->forms[f];
            double *place = form->parent < 0 ? &shore : &next[form->parent][k];
            layout->bottom[f][k] = *place;
            *place -= form->width[k];
            next[f][k] = layout->bottom[f][k] - form->own[k] / 2;
        }
    }
    layout->px = (HEIGHT - TOP - BOTTOM) / most;
}

static double place_x(double share)
{
    return LEFT + share * (WIDTH - 2 * LEFT);
}

static double place_y(const struct layout *layout, double creatures)
{
    return TOP + (HEIGHT - TOP - BOTTOM) / 2 + layout->px * creatures;
}

/* Hues that differ for neighbours in time: the golden section of the circle; each second one is
 * darker. */
static void print_color(int form, char color[8])
{
    double parts[3], hue = fmod(form * 0.61803, 1) * 6;
    for (int i = 0; i < 3; i++) {
        double away = fabs(fmod(hue + 6 - 2 * i, 6) - 3);
        parts[i] = (0.42 + 0.4 * fmin(fmax(away - 1, 0), 1)) * (form % 2 ? 0.8 : 1);
    }
    snprintf(color, 8, "#%02x%02x%02x", (int)(255 * parts[0]), (int)(255 * parts[1]),
             (int)(255 * parts[2]));
}

static void write_letter(const struct river *river, const struct layout *layout, int f, FILE *file)
{
    const struct river_form *form = &river->forms[f];
    int at = 0;
    for (int k = 1; k < RIVER_TIMES; k++)
        if (form->own[k] > form->own[at])
            at = k;
    if (layout->px * form->own[at] / 2 < LETTER_PX)
        return;
    double x = place_x((at + 0.5) / RIVER_TIMES);
    fprintf(file, "<text x='%.0f' y='%.0f' text-anchor='middle' font-size='15'>%c</text>",
            fmin(fmax(x, LEFT + 8), WIDTH - LEFT - 8),
            place_y(layout, layout->bottom[f][at] - form->own[at] / 4) + 5, 'A' + f);
}

static void write_band(const struct river *river, const struct layout *layout, int f, FILE *file)
{
    const struct river_form *form = &river->forms[f];
    char color[8];
    int from = 0, to = RIVER_TIMES - 1;
    while (from < to && form->width[from] <= 0)
        from++;
    while (to > from && form->width[to] <= 0)
        to--;
    print_color(f, color);
    fprintf(file, "<a href='#form-%c'><polygon fill='%s' points='", 'A' + f, color);
    for (int k = from; k <= to; k++)
        fprintf(file, "%.1f,%.1f ", place_x((k + 0.5) / RIVER_TIMES),
                place_y(layout, layout->bottom[f][k] - form->width[k]));
    for (int k = to; k >= from; k--)
        fprintf(file, "%.1f,%.1f ", place_x((k + 0.5) / RIVER_TIMES),
                place_y(layout, layout->bottom[f][k]));
    fprintf(file, "'><title>form %c, %d parts</title></polygon></a>\n", 'A' + f,
            (int)form->first->part_count);
}

static void write_times(const struct river *river, FILE *file)
{
    double step_s = 60 * fmax(ceil(river->end_s / 60 / MARKS), 1);
    for (double at_s = 0; at_s <= river->end_s + 1e-6; at_s += step_s)
        fprintf(file, "<text class='tick' x='%.0f' y='%.0f' text-anchor='middle'>%.0f:00</text>\n",
                fmin(fmax(place_x(at_s / river->end_s), LEFT + 8), WIDTH - LEFT - 8), HEIGHT - 6,
                at_s / 60);
}

static void write_picture(const struct river *river, FILE *file)
{
    struct layout layout;
    lay_out(river, &layout);
    fprintf(file,
            "<div class='wide'><svg id='river-picture' role='img' aria-label='river of forms' "
            "viewBox='0 0 %.0f %.0f' style='width:100%%;min-width:560px' stroke='var(--card)' "
            "stroke-width='0.6'>\n",
            WIDTH, HEIGHT);
    for (int f = 0; f < river->count; f++)
        write_band(river, &layout, f, file);
    fputs("<g fill='#1a1a1a' stroke='none' style='pointer-events:none'>", file);
    for (int f = 0; f < river->count; f++)
        write_letter(river, &layout, f, file);
    fputs("</g><g stroke='none'>\n", file);
    write_times(river, file);
    fputs("</g></svg></div>\n", file);
}

/* ---- cards ---- */

static void write_card(const struct report *report, int f, FILE *file)
{
    const struct river_form *form = &report->river->forms[f];
    char color[8], time[16];
    print_color(f, color);
    fprintf(file, "<div class='card' id='form-%c' style='border:3px solid %s;flex-wrap:wrap'>",
            'A' + f, color);
    report_write_picture(report, file, form->first->id);
    if (form->widest && form->widest != form->first)
        report_write_picture(report, file, form->widest->id);
    fprintf(file, "<p><b>form %c</b>: %d part%s%s, first at %s", 'A' + f,
            (int)form->first->part_count, form->first->part_count == 1 ? "" : "s",
            form->first->is_hunter ? ", hunts" : "", page_time(form->first->born_s, time));
    if (form->parent >= 0)
        fprintf(file, "<br>born of form %c", 'A' + form->parent);
    else
        fputs(form->first->generation > 0 ? "<br>born of a form without a band" : "<br>founders",
              file);
    fprintf(file, "<br>most: %d at %s; %d lived so", form->most, page_time(form->most_s, time),
            form->lived);
    if (isfinite(form->depth_m))
        fprintf(file, ", %.1f m deep", form->depth_m);
    fputs("<br>", file);
    if (form->living > 0)
        fprintf(file, "%d live so at the end", form->living);
    else
        fprintf(file, "extinct at %s", page_time(form->extinct_s, time));
    fputs("</p></div>\n", file);
}

int report_write_river(const struct report *report, FILE *file)
{
    const struct river *river = report->river;
    char text[2048];
    if (river->count == 0) {
        fputs("<p>No creature has hatched yet.</p>\n", file);
        return 0;
    }
    fprintf(file, "<p id='river-words'>%s</p>\n", river_tell(river, text, sizeof text));
    write_picture(river, file);
    fprintf(file,
            "<p class='soft'>World %" PRIu32 ", in which most hatched. A form is a tree of parts "
            "with its mouths, whatever their sizes. A band is as high as many live so; it begins "
            "inside the form that it was born of. The %d forms whose creatures lived most have a "
            "band; others are counted with theirs. Pictures: the first of its form, and one that "
            "lived when most did. A click lets it swim.</p>\n<div class='cards'>\n",
            river->world, river->count);
    for (int f = 0; f < river->count; f++)
        write_card(report, f, file);
    fputs("</div>\n", file);
    return 0;
}

/* See draw_river.h. Bands lie one upon the other around the middle of the box, the first at the
 * top, each as high as many live so. */
#include "viewer/draw/draw_river.h"

#include <math.h>
#include <stdio.h>

#include "viewer/draw/draw.h"

#define MARGIN_PX    4.0 /* above and below, at ui 1 */
#define PALE         0.3
#define OTHERS_COLOR 0xb9bfc2

/* The upper edge of a band at a span; that of the band behind the last one ends the river. */
static double edge_of(const struct draw_river *d, int band, int span)
{
    const struct preserve_river *river = d->river;
    double px = (d->box.height - 2 * MARGIN_PX * d->box.ui) / fmax(river->most, 1);
    int all = 0, above = 0;
    for (int i = 0; i < river->count; i++) {
        all += river->bands[i].counts[span];
        above += i < band ? river->bands[i].counts[span] : 0;
    }
    return d->box.y + d->box.height / 2 + (above - all / 2.0) * px;
}

static double x_of(const struct draw_river *d, double time_s)
{
    return d->box.x + fmin(time_s / d->duration_s, 1) * d->box.width;
}

static double middle_of(const struct draw_river *d, int span)
{
    return x_of(d, (span + 0.5) * d->river->end_s / PRESERVE_SPANS);
}

static void draw_bands(cairo_t *cr, const struct draw_river *d, double left, double right,
                       double alpha)
{
    cairo_save(cr);
    cairo_rectangle(cr, left, d->box.y, fmax(right - left, 0), d->box.height);
    cairo_clip(cr);
    for (int i = 0; i < d->river->count; i++) {
        int form = d->river->bands[i].form;
        for (int k = 0; k < PRESERVE_SPANS; k++)
            cairo_line_to(cr, middle_of(d, k), edge_of(d, i, k));
        for (int k = PRESERVE_SPANS; k-- > 0;)
            cairo_line_to(cr, middle_of(d, k), edge_of(d, i + 1, k));
        draw_set_color(cr, form == PRESERVE_FORM_OTHERS ? OTHERS_COLOR : palette_family_color(form),
                       alpha);
        cairo_fill(cr);
    }
    cairo_restore(cr);
}

void draw_river(cairo_t *cr, const struct draw_river *d)
{
    const struct draw_box *box = &d->box;
    ENSURE(d->duration_s > 0 && d->river->end_s > 0, "a river of %g s", d->duration_s);
    double now = x_of(d, d->time_s);
    char text[64];
    draw_set_color(cr, palette[COLOR_grid].light, 0.1);
    draw_rounded(cr, box->x, box->y, box->width, box->height, 4 * box->ui);
    cairo_fill(cr);
    draw_bands(cr, d, box->x, now, 1);
    draw_bands(cr, d, now, box->x + box->width, PALE);
    draw_set_color(cr, palette[COLOR_part_0].light, 1);
    cairo_rectangle(cr, now - box->ui, box->y, 2 * box->ui, box->height);
    cairo_fill(cr);
    snprintf(text, sizeof text, "forms, at most %d creatures", d->river->most);
    draw_text(cr, text, box->x + 6 * box->ui, box->y + 13 * box->ui, 11 * box->ui, 0, DRAW_LEFT,
              COLOR_text_soft);
}

int draw_river_pick(const struct draw_river *d, double x, double y)
{
    double time_s = (x - d->box.x) / fmax(d->box.width, 1) * d->duration_s;
    double span = floor(time_s / d->river->end_s * PRESERVE_SPANS);
    if (!draw_box_contains(&d->box, x, y) || !(span >= 0 && span < PRESERVE_SPANS))
        return -1;
    for (int i = 0; i < d->river->count; i++)
        if (y >= edge_of(d, i, (int)span) && y < edge_of(d, i + 1, (int)span))
            return i;
    return -1;
}

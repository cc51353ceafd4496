/* See draw_waters.h. A creature has its family's colour, pale where it is hungry; hunters have a
 * red edge; its mouth is a dot, which flashes when it eats. Plants are green as far as they are
 * full. */
#include "viewer/draw/draw_waters.h"

#ifdef HAVE_CAIRO

#include <math.h>
#include <stdio.h>

#include "common/judge/epoch.h"
#include "simulator/preserve/preserve_state.h"
#include "viewer/draw/draw.h"

#define LEGEND_PX     86.0 /* at ui 1 */
#define DEATH_SHOWN_S 2.0
/* Shown around the water, for who is pushed back at its banks. */
#define BANK_M        0.8
#define PLANT_COLOR   0x3f8f4f
#define HUNTER_COLOR  0xb3261e
#define CARRION_COLOR 0x8a7f73
#define MOUTH_COLOR   0xffffff
#define FLESH_COLOR   0xe5342b
#define DARK_COLOR    0x10303e

struct picture {
    cairo_t *cr;
    const struct waters *waters;
    const struct waters_moment *moment;
    double left, top, px_per_m, ui, height_m;
};

static double at_x(const struct picture *p, double x_m)
{
    return p->left + x_m * p->px_per_m;
}
static double at_y(const struct picture *p, double y_m)
{
    return p->top + (p->height_m - y_m) * p->px_per_m;
}

/* Hues as far apart as can be, whatever the numbers: steps of the golden ratio. */
static uint32_t family_color(int family)
{
    double hue = fmod(0.11 + family * 0.6180339887, 1) * 6, part = hue - floor(hue);
    double low = 0.30, high = 0.86, up = low + (high - low) * part,
           down = high - (high - low) * part;
    double rgb[6][3] = {{high, up, low},   {down, high, low}, {low, high, up},
                        {low, down, high}, {up, low, high},   {high, low, down}};
    const double *c = rgb[(int)hue % 6];
    return (uint32_t)(c[0] * 255) << 16 | (uint32_t)(c[1] * 255) << 8 | (uint32_t)(c[2] * 255);
}

static void disc(const struct picture *p, double x_m, double y_m, double radius_px, uint32_t color,
                 double alpha)
{
    draw_set_color(p->cr, color, alpha);
    cairo_arc(p->cr, at_x(p, x_m), at_y(p, y_m), radius_px, 0, 2 * DRAW_PI);
    cairo_fill(p->cr);
}

/* Water that darkens downward and by night. */
static void draw_water(const struct picture *p)
{
    double width = p->waters->params.preserve_width_m * p->px_per_m;
    double height = p->height_m * p->px_per_m;
    cairo_pattern_t *pattern = cairo_pattern_create_linear(0, p->top, 0, p->top + height);
    double night = p->moment->daylight < 1 ? 0.5 * (1 - p->moment->daylight) : 0;
    uint32_t top = palette_mix(palette[COLOR_water_top].light, DARK_COLOR, night);
    uint32_t bottom = palette_mix(0x4f8aa0, DARK_COLOR, night);
    cairo_pattern_add_color_stop_rgb(pattern, 0, (top >> 16) / 255.0, (top >> 8 & 255) / 255.0,
                                     (top & 255) / 255.0);
    cairo_pattern_add_color_stop_rgb(pattern, 1, (bottom >> 16) / 255.0,
                                     (bottom >> 8 & 255) / 255.0, (bottom & 255) / 255.0);
    cairo_set_source(p->cr, pattern);
    cairo_rectangle(p->cr, p->left, p->top, width, height);
    cairo_fill(p->cr);
    cairo_pattern_destroy(pattern);
}

static void draw_plants(const struct picture *p)
{
    const struct waters *w = p->waters;
    double side_m = w->params.preserve_width_m / w->columns;
    double side = side_m * p->px_per_m;
    for (int row = 0; row < w->rows; row++)
        for (int column = 0; column < w->columns; column++) {
            double share = p->moment->plants[row * w->columns + column] / 255.0;
            if (share < 0.04)
                continue;
            double size = side * (0.25 + 0.6 * share);
            draw_set_color(p->cr, PLANT_COLOR, 0.12 + 0.4 * share);
            draw_rounded(p->cr, at_x(p, (column + 0.5) * side_m) - size / 2,
                         at_y(p, (row + 0.5) * side_m) - size / 2, size, size, size * 0.3);
            cairo_fill(p->cr);
        }
}

static void draw_carcasses(const struct picture *p)
{
    for (int i = 0; i < p->moment->carcass_count; i++) {
        const struct waters_thing *c = &p->moment->carcasses[i];
        disc(p, c->x_m, c->y_m, fmax(c->radius_m * p->px_per_m * 0.6, 2), CARRION_COLOR, 0.75);
    }
}

/* A ring closes until it hatches. */
static void draw_eggs(const struct picture *p)
{
    for (int i = 0; i < p->moment->egg_count; i++) {
        const struct waters_thing *egg = &p->moment->eggs[i];
        double radius = fmax(egg->radius_m * p->px_per_m, 3);
        disc(p, egg->x_m, egg->y_m, radius, 0xfdf6e3, 0.9);
        draw_set_color(p->cr, family_color(egg->family), 1);
        cairo_set_line_width(p->cr, 1.6 * p->ui);
        cairo_arc(p->cr, at_x(p, egg->x_m), at_y(p, egg->y_m), radius, -DRAW_PI / 2,
                  -DRAW_PI / 2 + 2 * DRAW_PI * fmax(egg->share, 0.02));
        cairo_stroke(p->cr);
    }
}

static void part_path(const struct picture *p, const struct waters_part *part)
{
    cairo_save(p->cr);
    cairo_translate(p->cr, at_x(p, part->x_m), at_y(p, part->y_m));
    cairo_rotate(p->cr, -part->angle_rad);
    double width = part->width_m * p->px_per_m, height = part->height_m * p->px_per_m;
    draw_rounded(p->cr, -width / 2, -height / 2, width, height, fmin(width, height) * 0.25);
    cairo_restore(p->cr);
}

static void draw_creature_of(const struct picture *p, const struct waters_creature *c)
{
    static const uint32_t bites[] = {PLANT_COLOR, CARRION_COLOR, FLESH_COLOR};
    uint32_t color = palette_mix(0xf2f2ee, family_color(c->family), 0.25 + 0.75 * c->fullness);
    double x = c->mouth_x_m, y = c->mouth_y_m, mouth = fmax(c->mouth_m * p->px_per_m * 0.35, 1.8);
    for (int i = 0; i < c->part_count; i++) {
        part_path(p, &p->moment->parts[c->first_part + i]);
        draw_set_color(p->cr, color, 1);
        cairo_fill_preserve(p->cr);
        draw_set_color(p->cr, c->is_hunter ? HUNTER_COLOR : 0x24363f, c->is_hunter ? 1 : 0.55);
        cairo_set_line_width(p->cr, (c->is_hunter ? 1.8 : 0.8) * p->ui);
        cairo_stroke(p->cr);
    }
    if (c->is_eating >= 0)
        disc(p, x, y, 2.4 * mouth, bites[c->is_eating], 0.85);
    disc(p, x, y, mouth, MOUTH_COLOR, 1);
}

static void draw_deaths(const struct picture *p)
{
    for (int i = 0; i < p->waters->death_count; i++) {
        const struct waters_death *d = &p->waters->deaths[i];
        double since_s = p->moment->time_s - d->time_s;
        if (since_s >= 0 && since_s < DEATH_SHOWN_S)
            draw_text(p->cr, epoch_cause_names[d->cause], at_x(p, d->x_m),
                      at_y(p, d->y_m) - 10 * p->ui, 11 * p->ui, 1, DRAW_CENTRE, COLOR_bad);
    }
}

/* ---- the legend ---- */

static int count_families(const struct waters_moment *m, int *largest, int *largest_count)
{
    int families = 0;
    *largest_count = 0;
    for (int i = 0; i < m->creature_count; i++) {
        int count = 0, is_new = 1;
        for (int k = 0; k < m->creature_count; k++) {
            int is_same = m->creatures[k].family == m->creatures[i].family;
            count += is_same;
            is_new &= !(is_same && k < i);
        }
        families += is_new;
        if (count > *largest_count) {
            *largest_count = count;
            *largest = m->creatures[i].family;
        }
    }
    return families;
}

/* Families by their numbers of the living, as one bar. */
static void draw_family_bar(const struct picture *p, double x, double y, double width,
                            double height)
{
    const struct waters_moment *m = p->moment;
    double at = x;
    for (int i = 0; i < m->creature_count; i++) {
        int count = 0, is_new = 1;
        for (int k = 0; k < m->creature_count; k++) {
            int is_same = m->creatures[k].family == m->creatures[i].family;
            count += is_same;
            is_new &= !(is_same && k < i);
        }
        if (!is_new)
            continue;
        draw_set_color(p->cr, family_color(m->creatures[i].family), 1);
        cairo_rectangle(p->cr, at, y, width * count / m->creature_count, height);
        cairo_fill(p->cr);
        at += width * count / m->creature_count;
    }
}

static double draw_key(const struct picture *p, double x, double y, uint32_t color, int is_edge,
                       const char *text)
{
    draw_set_color(p->cr, color, 1);
    draw_rounded(p->cr, x, y - 9 * p->ui, 11 * p->ui, 11 * p->ui, 3 * p->ui);
    if (is_edge) {
        cairo_set_line_width(p->cr, 2 * p->ui);
        cairo_stroke(p->cr);
    } else
        cairo_fill(p->cr);
    return x + 30 * p->ui +
           draw_text(p->cr, text, x + 16 * p->ui, y, 12 * p->ui, 0, DRAW_LEFT, COLOR_text);
}

static void draw_legend(const struct picture *p, double width, double top)
{
    const struct waters_moment *m = p->moment;
    char line[200];
    int largest = 0, largest_count, families = count_families(m, &largest, &largest_count);
    int hunters = 0, seconds = (int)(m->time_s + 1e-6);
    double x = 14 * p->ui, y = top + 22 * p->ui;
    for (int i = 0; i < m->creature_count; i++)
        hunters += m->creatures[i].is_hunter;
    snprintf(line, sizeof line, "world %d   %d:%02d   %d living, %d of them hunters   %d eggs",
             p->waters->world, seconds / 60, seconds % 60, m->creature_count, hunters,
             m->egg_count);
    draw_text(p->cr, line, x, y, 15 * p->ui, 1, DRAW_LEFT, COLOR_text);
    double at = draw_key(p, x, y + 22 * p->ui, PLANT_COLOR, 0, "plants; a green mouth eats them");
    at = draw_key(p, at, y + 22 * p->ui, FLESH_COLOR, 0, "red mouth: eats the living");
    at = draw_key(p, at, y + 22 * p->ui, HUNTER_COLOR, 1, "red edge: hunter");
    at = draw_key(p, at, y + 22 * p->ui, CARRION_COLOR, 0, "carrion");
    draw_key(p, at, y + 22 * p->ui, 0xf2f2ee, 0, "pale: hungry");
    snprintf(line, sizeof line, "one colour, one family: %d", families);
    double used = draw_text(p->cr, line, x, y + 44 * p->ui, 12 * p->ui, 0, DRAW_LEFT, COLOR_text);
    if (m->creature_count > 0)
        draw_family_bar(p, x + used + 12 * p->ui, y + 35 * p->ui, width - used - x - 26 * p->ui,
                        11 * p->ui);
}

void draw_waters(cairo_t *cr, int width_px, int height_px, const struct waters *w, int moment)
{
    double ui = draw_ui_scale(width_px, height_px), legend = LEGEND_PX * ui;
    double fit = fmin(width_px / (w->params.preserve_width_m + 2 * BANK_M),
                      (height_px - legend) / (w->params.preserve_height_m + 2 * BANK_M));
    struct picture p = {.cr = cr,
                        .waters = w,
                        .moment = &w->moments[moment],
                        .px_per_m = fit,
                        .ui = ui,
                        .left = (width_px - fit * w->params.preserve_width_m) / 2,
                        .top = BANK_M * fit,
                        .height_m = w->params.preserve_height_m};
    draw_set_color(cr, palette[COLOR_panel].light, 1);
    cairo_paint(cr);
    cairo_save(cr);
    cairo_rectangle(cr, 0, 0, width_px, height_px - legend);
    cairo_clip(cr);
    draw_water(&p);
    draw_plants(&p);
    draw_carcasses(&p);
    draw_eggs(&p);
    for (int i = 0; i < p.moment->creature_count; i++)
        draw_creature_of(&p, &p.moment->creatures[i]);
    draw_deaths(&p);
    cairo_restore(cr);
    draw_legend(&p, width_px, height_px - legend);
}

#endif

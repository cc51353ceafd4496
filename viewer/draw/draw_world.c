/* The surroundings of a creature: ground under a sky, water, or empty space, obstacles, with marks
 * every so many metres. Everything is fixed in the world, so that motion shows against it. */
#include "viewer/draw/draw_space.h"

#include <math.h>
#include <stdio.h>

/* Distance marks are at least this far apart, px at ui 1. */
#define MARK_SPACING_PX 74.0
/* Height of the posts of a ring, m. */
#define RING_POST_M 0.3
/* Smaller labels than this cannot be read. */
#define LABEL_LEAST_PX 6.5
/* The line of a ground with relief has a point in so many px. */
#define RELIEF_PX 3.0

/* Fills a band from top to bottom with a vertical gradient, or its mean colour. */
static void fill_band(cairo_t *cr, const struct draw_view *view, double top, double bottom,
                      enum palette_color from, enum palette_color to, unsigned overlays)
{
    if (bottom <= top)
        return;
    if (overlays & DRAW_FLAT) {
        draw_set_color(cr, palette_mix(palette[from].light, palette[to].light, 0.4), 1);
        cairo_rectangle(cr, view->left_px, top, view->width_px, bottom - top);
        cairo_fill(cr);
        return;
    }
    draw_band(cr, view, top, bottom,
              draw_gradient(top, bottom, palette[from].light, palette[to].light));
}

/* A row of soft hills behind the horizon; distance 0 moves with the ground, towards 1 stands still.
 * They move by whole pixels, and their corners with them, so that they keep their shape from frame
 * to frame. */
static void draw_hills(cairo_t *cr, const struct draw_view *view, double horizon, double distance,
                       double height_px, double share)
{
    double shift = floor(view->flip * view->x_m * view->px_per_m * (1 - distance) + 0.5);
    double first = shift - 8 * floor(shift / 8);
    uint32_t color = palette_mix(palette[COLOR_sky_bottom].light, palette[COLOR_grid].light, share);
    draw_set_color(cr, color, 1);
    cairo_move_to(cr, view->left_px - first, horizon);
    for (double x = -first; x <= view->width_px + 8; x += 8) {
        double at = (x + shift) / (height_px * 3.2) + distance * 40;
        double y = 0.55 + 0.3 * sin(at) + 0.15 * sin(2.3 * at + 1) + 0.07 * sin(5.1 * at);
        cairo_line_to(cr, view->left_px + x, horizon - y * height_px);
    }
    cairo_line_to(cr, view->left_px + view->width_px + 16, horizon);
    cairo_close_path(cr);
    cairo_fill(cr);
}

/* Long pale bands that sway a little: light in the water. */
static void draw_waves(cairo_t *cr, const struct draw_view *view, double time_s)
{
    double spacing = 62 * view->ui, shift_x = view->flip * view->x_m * view->px_per_m;
    double shift_y = fmod(view->y_m * view->px_per_m, spacing), half = 4.5 * view->ui;
    int points = (int)(view->width_px / 12) + 2;
    for (int row = -1; row * spacing <= view->height_px + spacing; row++) {
        double base = view->top_px + row * spacing + shift_y;
        double depth = floor(view->y_m * view->px_per_m / spacing) - row;
        cairo_new_sub_path(cr);
        /* the upper edge from left to right, and the lower one back */
        for (int i = 0; i < 2 * points; i++) {
            double x = 12.0 * (i < points ? i : 2 * points - 1 - i);
            double at = (x + shift_x) / (95 * view->ui);
            double y = base + 7 * view->ui * sin(at + 1.7 * depth) +
                       3 * view->ui * sin(0.7 * time_s + 2.1 * at + depth);
            cairo_line_to(cr, view->left_px + x, i < points ? y - half : y + half);
        }
        cairo_close_path(cr);
    }
    draw_fill(cr, COLOR_wave, 0.10);
}

/* Specks that hang in the medium: one in every cell of about 90 px. */
static void draw_specks(cairo_t *cr, const struct draw_view *view)
{
    double cell = 90 * view->ui / view->px_per_m;
    double half_x = view->width_px / view->px_per_m / 2,
           half_y = view->height_px / view->px_per_m / 2;
    int64_t column_end = (int64_t)floor((view->x_m + half_x) / cell);
    int64_t row_end = (int64_t)floor((view->y_m + half_y) / cell);
    draw_set_color(cr, palette[COLOR_grid].light, 0.22);
    for (int64_t c = (int64_t)floor((view->x_m - half_x) / cell); c <= column_end; c++)
        for (int64_t r = (int64_t)floor((view->y_m - half_y) / cell); r <= row_end; r++) {
            double x = draw_view_x(view, ((double)c + draw_noise(c, r, 0, 1)) * cell);
            double y = draw_view_y(view, ((double)r + draw_noise(c, r, 0, 2)) * cell);
            double radius = (0.7 + 1.3 * draw_noise(c, r, 0, 3)) * view->ui;
            cairo_new_sub_path(cr);
            cairo_arc(cr, x, y, radius, 0, 2 * DRAW_PI);
        }
    cairo_fill(cr);
}

static void mark_text(double value, char text[32])
{
    snprintf(text, 32, "%g m", fabs(value) < 1e-9 ? 0 : value);
}

/* Ticks at all multiples of a step but every `left_out`-th (0: none), in one stroke. */
static void draw_ticks(cairo_t *cr, const struct draw_view *view, double line_y, double step,
                       int left_out, double length, double alpha)
{
    double half = view->width_px / view->px_per_m / 2;
    for (double k = floor((view->x_m - half) / step); k * step <= view->x_m + half; k++) {
        if (left_out && fmod(fabs(k), left_out) == 0)
            continue;
        /* between pixels' edges a line of one pixel is crisp, and quick */
        double x = floor(draw_view_x(view, k * step)) + 0.5;
        draw_line(cr, x, line_y, x, line_y + length * view->ui);
    }
    draw_stroke(cr, COLOR_ground_line, alpha, 1 * view->ui);
}

/* A label that is not cut by the picture's left or right edge; else nothing. */
static void draw_label(cairo_t *cr, const struct draw_view *view, const char *text, double x,
                       double y, double size, enum draw_align align)
{
    double width = draw_text_width(cr, text, size, 0);
    double left = align == DRAW_CENTRE ? x - width / 2 : x;
    if (left >= view->left_px + 2 && left + width <= view->left_px + view->width_px - 2)
        draw_text(cr, text, x, y, size, 0, align, COLOR_text_soft);
}

/* Ticks and labels below the ground's line; the start is marked by a dashed line upwards. */
static void draw_ground_marks(cairo_t *cr, const struct draw_view *view, double line_y)
{
    static const double dashes[] = {4, 4};
    double step = draw_round_step(view, MARK_SPACING_PX),
           half = view->width_px / view->px_per_m / 2;
    char text[32];
    draw_ticks(cr, view, line_y, step / 5, 5, 3.5, 0.5);
    draw_ticks(cr, view, line_y, step, 0, 7, 0.95);
    /* where there is little room for labels they are smaller, then left out */
    double room = view->top_px + view->height_px - line_y - 3;
    double gap = fmin(8 * view->ui, 0.4 * room), size = fmin(11.5 * view->ui, room - gap);
    for (double k = ceil((view->x_m - half) / step);
         size >= LABEL_LEAST_PX && k * step <= view->x_m + half; k++) {
        mark_text(view->flip * k * step, text);
        draw_label(cr, view, text, draw_view_x(view, k * step), line_y + gap + size, size,
                   DRAW_CENTRE);
    }
    double x = draw_view_x(view, 0);
    cairo_set_dash(cr, dashes, 2, 0);
    draw_line(cr, x, line_y, x, fmax(view->top_px, line_y - 0.5 * view->height_px));
    draw_stroke(cr, COLOR_text_soft, 0.45, view->ui);
    cairo_set_dash(cr, NULL, 0, 0);
}

/* A grid with labels at the lower and the left edge, for worlds without ground. */
static void draw_grid(cairo_t *cr, const struct draw_view *view)
{
    double step = draw_round_step(view, MARK_SPACING_PX), ui = view->ui, size = 11 * ui;
    double half_x = view->width_px / view->px_per_m / 2,
           half_y = view->height_px / view->px_per_m / 2;
    double bottom = view->top_px + view->height_px, right = view->left_px + view->width_px;
    char text[32];
    for (double k = ceil((view->x_m - half_x) / step); k * step <= view->x_m + half_x; k++) {
        double x = draw_view_x(view, k * step);
        draw_line(cr, x, view->top_px, x, bottom);
        draw_stroke(cr, COLOR_grid, k == 0 ? 0.45 : 0.16, ui);
        mark_text(view->flip * k * step, text);
        if (x > view->left_px + 50 * ui)
            draw_label(cr, view, text, x + 4 * ui, bottom - 6 * ui, size, DRAW_LEFT);
    }
    for (double k = ceil((view->y_m - half_y) / step); k * step <= view->y_m + half_y; k++) {
        double y = draw_view_y(view, k * step);
        draw_line(cr, view->left_px, y, right, y);
        draw_stroke(cr, COLOR_grid, k == 0 ? 0.45 : 0.16, ui);
        mark_text(k * step, text);
        if (y < bottom - 24 * ui && y > view->top_px + 40 * ui)
            draw_text(cr, text, view->left_px + 6 * ui, y - 4 * ui, size, 0, DRAW_LEFT,
                      COLOR_text_soft);
    }
}

/* The line of a ground with relief, as the current path. */
static void trace_relief(cairo_t *cr, const struct draw_view *view, const struct relief *relief)
{
    double right = view->left_px + view->width_px;
    for (double x = view->left_px; x < right + RELIEF_PX; x += RELIEF_PX) {
        double at_m =
            view->x_m + view->flip * (x - view->left_px - view->width_px / 2) / view->px_per_m;
        cairo_line_to(cr, x, draw_view_y(view, relief_height(relief, at_m, 0)));
    }
}

/* Above the ground's waves is sky again; then their line. */
static void draw_relief(cairo_t *cr, const struct draw_view *view, const struct relief *relief,
                        double bottom, unsigned overlays)
{
    cairo_save(cr);
    cairo_new_path(cr);
    trace_relief(cr, view, relief);
    cairo_line_to(cr, view->left_px + view->width_px + RELIEF_PX, bottom);
    cairo_line_to(cr, view->left_px, bottom);
    cairo_close_path(cr);
    cairo_clip(cr);
    double top = fmax(draw_view_y(view, 0), view->top_px);
    fill_band(cr, view, top, bottom, COLOR_ground_top, COLOR_ground_bottom, overlays);
    cairo_restore(cr);
    cairo_new_path(cr);
    trace_relief(cr, view, relief);
    draw_stroke(cr, COLOR_ground_line, 1, 2 * view->ui);
}

static void draw_ground(cairo_t *cr, const struct draw_view *view, const struct relief *relief,
                        unsigned overlays)
{
    double line_y = draw_view_y(view, 0), bottom = view->top_px + view->height_px;
    if (line_y >= bottom)
        return;
    if (relief->depth_m > 0)
        draw_relief(cr, view, relief, bottom, overlays);
    else
        fill_band(cr, view, fmax(line_y, view->top_px), bottom, COLOR_ground_top,
                  COLOR_ground_bottom, overlays);
    if (line_y < view->top_px)
        return;
    if (!(relief->depth_m > 0)) {
        double middle_y = line_y + view->ui;
        draw_line(cr, view->left_px, middle_y, view->left_px + view->width_px, middle_y);
        draw_stroke(cr, COLOR_ground_line, 1, 2 * view->ui);
    }
    if (!(overlays & DRAW_UNMARKED))
        draw_ground_marks(cr, view, draw_view_y(view, -relief->depth_m) + 2 * view->ui);
}

/* The part of a polygon within a distance of a point along one axis, on one side: Sutherland and
 * Hodgman, Reentrant polygon clipping, CACM 17(1), 1974. Returns the count of corners, at most one
 * more. */
static int cut_polygon(struct vec2 *corners, int count, struct vec2 axis, double most)
{
    struct vec2 kept[9];
    int kept_count = 0;
    for (int i = 0; i < count; i++) {
        struct vec2 a = corners[i], b = corners[(i + 1) % count];
        double beyond_a = axis.x * a.x + axis.y * a.y - most;
        double beyond_b = axis.x * b.x + axis.y * b.y - most;
        if (beyond_a <= 0)
            kept[kept_count++] = a;
        if ((beyond_a <= 0) == (beyond_b <= 0))
            continue;
        double share = beyond_a / (beyond_a - beyond_b);
        kept[kept_count++] = (struct vec2){a.x + share * (b.x - a.x), a.y + share * (b.y - a.y)};
    }
    for (int i = 0; i < kept_count; i++)
        corners[i] = kept[i];
    return kept_count;
}

/* Obstacles may be far beyond cairo's range of numbers: they are cut to a little more than the
 * view. */
static void draw_obstacle(cairo_t *cr, const struct draw_view *view, const struct replay *replay,
                          int index)
{
    struct vec2 corners[9];
    double half_x = (view->width_px / 2 + 8 * view->ui) / view->px_per_m;
    double half_y = (view->height_px / 2 + 8 * view->ui) / view->px_per_m;
    replay_get_obstacle(replay, index, corners);
    int count = cut_polygon(corners, 4, (struct vec2){1, 0}, view->x_m + half_x);
    count = cut_polygon(corners, count, (struct vec2){-1, 0}, half_x - view->x_m);
    count = cut_polygon(corners, count, (struct vec2){0, 1}, view->y_m + half_y);
    count = cut_polygon(corners, count, (struct vec2){0, -1}, half_y - view->y_m);
    for (int i = 0; i < count; i++)
        cairo_line_to(cr, draw_view_x(view, corners[i].x), draw_view_y(view, corners[i].y));
    cairo_close_path(cr);
    draw_set_color(cr, palette[COLOR_ground_bottom].light, 1);
    cairo_fill_preserve(cr);
    cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
    draw_stroke(cr, COLOR_ground_line, 1, 2 * view->ui);
}

void draw_world(cairo_t *cr, const struct draw_view *view, const struct replay *replay,
                double time_s, unsigned overlays)
{
    double bottom = view->top_px + view->height_px;
    if (draw_is_spatial(view, replay)) {
        draw_space(cr, view, replay, time_s);
        return;
    }
    double horizon = fmin(draw_view_y(view, -replay->relief.depth_m), bottom);
    /* the sky covers the whole row of pixels in which the ground begins: nothing shows through
     * there */
    fill_band(cr, view, view->top_px, replay->medium == REPLAY_SKY ? ceil(horizon) : bottom,
              draw_media[replay->medium].top, draw_media[replay->medium].bottom, overlays);
    if (replay->medium == REPLAY_SKY && horizon > view->top_px) {
        double height = fmin(0.28 * view->height_px, 130 * view->ui);
        draw_hills(cr, view, horizon, 0.85, height, 0.10);
        draw_hills(cr, view, horizon, 0.6, height * 0.55, 0.18);
    }
    if (replay->medium == REPLAY_WATER && !(overlays & DRAW_FLAT))
        draw_waves(cr, view, time_s);
    if (replay->medium != REPLAY_SKY)
        draw_specks(cr, view);
    for (int i = 0; i < replay->obstacles.count; i++)
        draw_obstacle(cr, view, replay, i);
    if (replay->has_ground)
        draw_ground(cr, view, &replay->relief, overlays);
    else if (!(overlays & DRAW_UNMARKED))
        draw_grid(cr, view);
    if (!(replay->ring_m > 0))
        return;
    /* posts where a contest's ring ends, and the line between them */
    double ground = draw_view_y(view, 0), high = draw_view_y(view, RING_POST_M);
    double left = draw_view_x(view, -replay->ring_m), right = draw_view_x(view, replay->ring_m);
    draw_line(cr, left, high, left, ground);
    cairo_line_to(cr, right, ground);
    cairo_line_to(cr, right, high);
    draw_stroke(cr, COLOR_contact, 0.9, 3 * view->ui);
}

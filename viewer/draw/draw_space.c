/* The world of a scene with depth, seen in perspective: the ground with a grid and marks under a sky, water, or empty
 * space, and obstacles as boxes, drawn from the farthest to the nearest. */
#include "viewer/draw/draw_space.h"

#ifdef HAVE_CAIRO

#include <math.h>
#include <stdio.h>

/* The ground's grid reaches so many lines from the middle, about as far apart as marks. */
#define GRID_LINES 14
#define GRID_PX    70.0

static void fill_rows(cairo_t *cr, const struct draw_view *view, double top, double bottom,
                      enum palette_color from, enum palette_color to)
{
    cairo_pattern_t *pattern = cairo_pattern_create_linear(0, top, 0, bottom);
    uint32_t a = palette[from].light, b = palette[to].light;
    cairo_pattern_add_color_stop_rgb(pattern, 0, (a >> 16 & 255) / 255.0, (a >> 8 & 255) / 255.0,
                                     (a & 255) / 255.0);
    cairo_pattern_add_color_stop_rgb(pattern, 1, (b >> 16 & 255) / 255.0, (b >> 8 & 255) / 255.0,
                                     (b & 255) / 255.0);
    cairo_set_source(cr, pattern);
    cairo_rectangle(cr, view->left_px, top, view->width_px, fmax(bottom - top, 0));
    cairo_fill(cr);
    cairo_pattern_destroy(pattern);
}

/* 1, 2 or 5 times a power of ten metres. */
static double grid_step(const struct draw_view *view)
{
    double least = GRID_PX * view->ui / view->px_per_m, step = pow(10, floor(log10(least)));
    return step >= least       ? step
           : 2 * step >= least ? 2 * step
           : 5 * step >= least ? 5 * step
                               : 10 * step;
}

static void draw_grid_lines(cairo_t *cr, const struct eye *eye, double height_m, double alpha)
{
    double step = grid_step(eye->view), reach = GRID_LINES * step;
    double x0 = floor(eye->middle.x / step) * step, z0 = floor(eye->middle.z / step) * step;
    cairo_set_line_width(cr, 0.8 * eye->view->ui);
    for (int i = -GRID_LINES; i <= GRID_LINES; i++) {
        double fade = 1 - fabs((double)i) / (GRID_LINES + 1);
        double x = x0 + i * step, z = z0 + i * step;
        eye_trace_line(cr, eye, (struct vec3){x, height_m, z0 - reach},
                       (struct vec3){x, height_m, z0 + reach});
        eye_trace_line(cr, eye, (struct vec3){x0 - reach, height_m, z},
                       (struct vec3){x0 + reach, height_m, z});
        draw_set_color(cr, palette[COLOR_ground_line].light, alpha * fade);
        cairo_stroke(cr);
    }
}

/* Distances along the line that leads to the right from the start. */
static void draw_marks(cairo_t *cr, const struct eye *eye)
{
    const struct draw_view *view = eye->view;
    double step = grid_step(view), first = floor(eye->middle.x / step);
    for (int i = -GRID_LINES / 2; i <= GRID_LINES / 2; i++) {
        char text[32];
        double x = (first + i) * step;
        struct spot spot = eye_project(eye, (struct vec3){x, 0, 0});
        if (!spot.is_seen || spot.x < view->left_px || spot.x > view->left_px + view->width_px)
            continue;
        cairo_arc(cr, spot.x, spot.y, 2 * view->ui, 0, 2 * DRAW_PI);
        draw_set_color(cr, palette[COLOR_ground_line].light, 0.9);
        cairo_fill(cr);
        snprintf(text, sizeof text, "%.4g m", x == 0 ? 0 : view->flip * x);
        /* a label that the picture's edge would cut is left out */
        double half = draw_text_width(cr, text, 9.5 * view->ui, 0) / 2 + 2;
        if (spot.x - half < view->left_px || spot.x + half > view->left_px + view->width_px ||
            spot.y + 4 * view->ui < view->top_px ||
            spot.y + 15 * view->ui > view->top_px + view->height_px)
            continue;
        draw_text(cr, text, spot.x, spot.y + 13 * view->ui, 9.5 * view->ui, 0, DRAW_CENTRE,
                  COLOR_text_soft);
    }
}

void draw_side(cairo_t *cr, const struct eye *eye, const struct vec3 corners[4], uint32_t color,
               uint32_t line)
{
    if (!eye_sees_side(eye, corners, 4) || !eye_trace_polygon(cr, eye, corners, 4))
        return;
    draw_set_color(cr, color, 1);
    cairo_fill_preserve(cr);
    draw_set_color(cr, line, 0.8);
    cairo_set_line_width(cr, eye->view->ui);
    cairo_stroke(cr);
}

/* A box: a rectangle of the x-y plane that reaches to both sides. The corners are counter-clockwise. */
static void draw_obstacle(cairo_t *cr, const struct eye *eye, const struct replay *replay,
                          int index)
{
    struct vec2 c[4];
    double depth = replay->obstacle_depth_m;
    uint32_t top = palette[COLOR_ground_top].light, dark = palette[COLOR_ground_bottom].light;
    uint32_t line = palette[COLOR_ground_line].light;
    replay_get_obstacle(replay, index, c);
    for (int i = 0; i < 4; i++) {
        struct vec2 a = c[i], b = c[(i + 1) % 4];
        struct vec3 side[4] = {
            {a.x, a.y, depth}, {a.x, a.y, -depth}, {b.x, b.y, -depth}, {b.x, b.y, depth}};
        // lighter the more it looks up: outward is to the right of a to b
        double length = hypot(b.x - a.x, b.y - a.y), up = length > 0 ? (a.x - b.x) / length : 0;
        draw_side(cr, eye, side, palette_mix(dark, top, 0.5 + 0.5 * up), line);
    }
    struct vec3 front[4] = {{c[0].x, c[0].y, depth},
                            {c[1].x, c[1].y, depth},
                            {c[2].x, c[2].y, depth},
                            {c[3].x, c[3].y, depth}};
    struct vec3 behind[4] = {{c[3].x, c[3].y, -depth},
                             {c[2].x, c[2].y, -depth},
                             {c[1].x, c[1].y, -depth},
                             {c[0].x, c[0].y, -depth}};
    draw_side(cr, eye, front, palette_mix(dark, 0x14202a, 0.12), line);
    draw_side(cr, eye, behind, palette_mix(dark, 0x14202a, 0.12), line);
}

static double nearness_of(const struct eye *eye, const struct replay *replay, int index)
{
    const struct obstacle *obstacle = &replay->obstacles.list[index];
    return eye_project(eye, (struct vec3){obstacle->x_m, obstacle->y_m, 0}).near;
}

void draw_obstacles(cairo_t *cr, const struct eye *eye, const struct replay *replay,
                    const int *is_drawn)
{
    int order[OBSTACLES_MAX], count = replay->obstacles.count;
    for (int i = 0; i < count; i++) {
        int k = i;
        double nearness = nearness_of(eye, replay, i);
        for (; k > 0 && nearness_of(eye, replay, order[k - 1]) > nearness; k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
    for (int i = 0; i < count; i++)
        if (!is_drawn || is_drawn[order[i]])
            draw_obstacle(cr, eye, replay, order[i]);
}

void draw_space(cairo_t *cr, const struct draw_view *view, const struct replay *replay,
                double time_s, unsigned overlays)
{
    struct eye eye = eye_place(view, replay, time_s);
    double top = view->top_px, bottom = top + view->height_px;
    double horizon =
        top + view->height_px / 2 - view->px_per_m * eye.distance_m * tan(view->orbit.pitch_rad);
    double edge = replay->has_ground ? fmin(fmax(horizon, top), bottom) : bottom;
    if (replay->medium == REPLAY_WATER)
        fill_rows(cr, view, top, bottom, COLOR_water_top, COLOR_water_bottom);
    else
        fill_rows(cr, view, top, edge, replay->has_ground ? COLOR_sky_top : COLOR_air_top,
                  replay->has_ground ? COLOR_sky_bottom : COLOR_air_bottom);
    if (replay->has_ground) {
        fill_rows(cr, view, edge, bottom, COLOR_ground_top, COLOR_ground_bottom);
        if (!(overlays & DRAW_UNMARKED)) {
            draw_grid_lines(cr, &eye, 0, 0.55);
            draw_marks(cr, &eye);
        }
    }
    draw_obstacles(cr, &eye, replay, NULL);
}

#endif

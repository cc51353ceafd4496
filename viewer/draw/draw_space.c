/* The world of a scene with depth, seen in perspective: ground under a sky with hills far away,
 * water, or empty space.
 *
 * The ground is a checker of tiles as wide as some 100 px in the middle of the picture, so that it
 * shows speed; it fades before its tiles become too small to be told apart, and all fades into haze
 * towards the horizon. The checker is one path: where a strip along x and a strip along z cross,
 * the even-odd rule leaves the tile out. How far the ground is depends on the row of the picture
 * only, so both fadings are one gradient from row to row.
 *
 * A ground with relief is drawn over that, cell by cell from far to near, around the middle of the
 * picture.
 *
 * Water and air have specks, fixed in the world. */
#include "viewer/draw/draw_space.h"

#include <math.h>
#include <stdio.h>

/* Tiles: their width in the middle of the picture, and how many are drawn to either side of the
 * checker's middle. */
#define TILE_PX    60.0
#define TILES      64
#define TILE_ALPHA 0.42
/* Tiles lower than this in the picture, px, cannot be told apart; the checker begins to fade at so
 * many. */
#define TILE_LEAST_PX 1.5
#define TILE_FULL_PX  9.0
/* Where the gradients of the ground have their colours: shares of the way from the horizon to the
 * picture's foot. */
#define STOPS 14
/* Specks to either side of the middle, and how far apart they are there. */
#define SPECKS   6
#define SPECK_PX 105.0
/* Cells of a ground with relief to either side of the middle, and in a wave. */
enum { FIELD_CELLS = 36 };
#define RELIEF_CELLS 10
/* The light that a slope gains or loses, by its normal. */
#define LIGHT_X -0.5
#define LIGHT_Z 0.6
/* Marks to either side, and directions of lines that may part one's number from a body. */
#define MARKS 7
#define LINES 16
/* Straight pieces of a ring. */
#define RING_LINES 96

const struct draw_medium draw_media[REPLAY_MEDIUM_COUNT] = {
    [REPLAY_SKY] = {COLOR_sky_top, COLOR_sky_bottom, COLOR_sky_bottom},
    [REPLAY_WATER] = {COLOR_water_top, COLOR_water_bottom, COLOR_water_top},
    [REPLAY_AIR] = {COLOR_air_top, COLOR_air_bottom, COLOR_air_bottom}};

uint32_t draw_hazed(const struct replay *replay, uint32_t color, double share)
{
    return palette_mix(color, palette[draw_media[replay->medium].haze].light, share);
}

double draw_round_step(const struct draw_view *view, double px)
{
    double least = px * view->ui / view->px_per_m, step = pow(10, floor(log10(least)));
    if (step >= least)
        return step;
    if (2 * step >= least)
        return 2 * step;
    return (5 * step >= least ? 5 : 10) * step;
}

/* ---- hills ---- */

/* Two soft rows of hills at the horizon: the eye's turn moves them, its place does not. */
static void draw_hills(cairo_t *cr, const struct eye *eye, double horizon, double height_px,
                       int row, double share)
{
    const struct draw_view *view = eye->view;
    double focus = eye->view->px_per_m * eye->distance_m / eye->up.y;
    uint32_t color = palette_mix(palette[COLOR_sky_bottom].light, palette[COLOR_grid].light, share);
    cairo_move_to(cr, view->left_px, horizon + 1);
    for (double x = 0; x <= view->width_px + 8; x += 8) {
        double at = atan2(view->flip * (x - view->width_px / 2), focus) - view->orbit.yaw_rad;
        double y = 0.5 + 0.26 * sin(7 * at + 2 * row) + 0.16 * sin(13 * at + 1 + row) +
                   0.08 * sin(31 * at + 3 * row);
        cairo_line_to(cr, view->left_px + x, horizon - y * height_px);
    }
    cairo_line_to(cr, view->left_px + view->width_px + 8, horizon + 1);
    cairo_close_path(cr);
    /* their feet are in the haze */
    cairo_pattern_t *pattern =
        draw_gradient(horizon - 0.8 * height_px, horizon, color, palette[COLOR_sky_bottom].light);
    cairo_set_source(cr, pattern);
    cairo_fill(cr);
    cairo_pattern_destroy(pattern);
}

static void draw_sky(cairo_t *cr, const struct eye *eye, const struct replay *replay, double edge)
{
    const struct draw_view *view = eye->view;
    const struct draw_medium *medium = &draw_media[replay->medium];
    double top = view->top_px, end = replay->medium == REPLAY_SKY ? edge : top + view->height_px;
    double first = replay->medium == REPLAY_SKY ? edge - 0.6 * view->height_px : top;
    if (end > top)
        draw_band(
            cr, view, top, end,
            draw_gradient(first, end, palette[medium->top].light, palette[medium->bottom].light));
    if (replay->medium != REPLAY_SKY || edge <= top)
        return;
    double height = fmin(0.085 * view->height_px, 60 * view->ui);
    draw_hills(cr, eye, edge, height, 0, 0.16);
    draw_hills(cr, eye, edge, 0.55 * height, 1, 0.26);
}

/* ---- the ground ---- */

/* Strips along z, of every second tile in x, and the other way round. */
static void trace_checker(cairo_t *cr, const struct eye *eye, double step)
{
    /* the middle of the ground that is seen lies this far before the eye */
    double ahead = eye_is_flat(eye) ? 0 : 0.8 * eye->distance_m, reach = TILES * step;
    double level = hypot(eye->back.x, eye->back.z);
    double x = eye->middle.x, z = eye->middle.z;
    if (level > 1e-6) {
        x -= ahead * eye->back.x / level;
        z -= ahead * eye->back.z / level;
    }
    double first_x = 2 * floor(x / step / 2) * step - reach;
    double first_z = 2 * floor(z / step / 2) * step - reach;
    for (int i = 0; i < TILES; i++) {
        double x0 = first_x + 2 * i * step, x1 = x0 + step;
        double z0 = first_z + 2 * i * step, z1 = z0 + step;
        struct vec3 along_z[4] = {
            {x0, 0, z - reach}, {x1, 0, z - reach}, {x1, 0, z + reach}, {x0, 0, z + reach}};
        struct vec3 along_x[4] = {
            {x - reach, 0, z0}, {x - reach, 0, z1}, {x + reach, 0, z1}, {x + reach, 0, z0}};
        eye_trace_polygon(cr, eye, along_z, 4);
        eye_trace_polygon(cr, eye, along_x, 4);
    }
}

/* How clear the checker is where the ground is so far away. */
static double checker_alpha(const struct eye *eye, double step, double distance)
{
    if (eye_is_flat(eye))
        return TILE_ALPHA;
    double focus = eye->view->px_per_m * eye->distance_m;
    double height_px = step * focus * eye_position(eye).y / (distance * distance) / eye->view->ui;
    double share = (height_px - TILE_LEAST_PX) / (TILE_FULL_PX - TILE_LEAST_PX);
    return TILE_ALPHA * fmin(fmax(share, 0), 1);
}

/* ---- relief ---- */

/* The canvas, the view and the ground of cells. */
struct field {
    cairo_t *cr;
    const struct eye *eye;
    const struct replay *replay;
    double step, top, span; /* of a tile, m; of the ground in the picture, px */
};

static void draw_cell(void *context, const struct vec3 corners[4])
{
    const struct field *f = context;
    const struct eye *eye = f->eye;
    cairo_t *cr = f->cr;
    struct vec3 normal =
        vec3_cross(vec3_sub(corners[3], corners[0]), vec3_sub(corners[1], corners[0]));
    struct vec3 middle = vec3_scale(vec3_add(corners[0], corners[2]), 0.5);
    struct spot spot = eye_project(eye, middle);
    double distance =
        vec3_length(vec3_sub(eye_is_flat(eye) ? eye->middle : eye_position(eye), middle));
    double share = fmin(fmax((spot.y - f->top) / f->span, 0), 1), haze = eye_haze(eye, distance);
    double light = (normal.x * LIGHT_X + normal.z * LIGHT_Z) / vec3_length(normal);
    int64_t tile = (int64_t)floor(middle.x / f->step) + (int64_t)floor(middle.z / f->step);
    uint32_t color = palette_mix(palette[COLOR_ground_top].light,
                                 palette[COLOR_ground_bottom].light, 0.75 * share);
    if (tile & 1)
        color = palette_mix(color, palette[COLOR_ground_line].light,
                            0.5 * checker_alpha(eye, f->step, distance));
    color = palette_mix(color, light < 0 ? palette[COLOR_shadow].light : 0xffffff,
                        fmin(fabs(light), 0.5));
    cairo_new_path(cr);
    if (!spot.is_seen || !eye_trace_polygon(cr, eye, corners, 4))
        return;
    draw_set_color(cr, draw_hazed(f->replay, color, haze), 1);
    cairo_fill(cr);
}

/* A field of cells around the middle of the picture, rows from the far end to the near one; farther
 * away the ground is flat. Cells are a whole part of a tile, so that each is of one colour. */
void draw_space_relief(const struct eye *eye, const struct replay *replay, draw_visit_cell *visit,
                       void *context)
{
    const struct draw_view *view = eye->view;
    const struct relief *relief = &replay->relief;
    double reach = 0.7 * hypot(view->width_px, view->height_px) / view->px_per_m;
    double step = draw_round_step(view, TILE_PX);
    double least = fmax(relief->wavelength_m / RELIEF_CELLS, reach / FIELD_CELLS);
    double cell = step / fmax(floor(step / least), 1);
    double x = cell * floor(eye->middle.x / cell), z = cell * floor(eye->middle.z / cell);
    int is_along_x = fabs(eye->back.x) > fabs(eye->back.z);
    int sign = (is_along_x ? eye->back.x : eye->back.z) < 0 ? -1 : 1;
    for (int row = -FIELD_CELLS; row < FIELD_CELLS && relief->depth_m > 0; row++)
        for (int at = -FIELD_CELLS; at < FIELD_CELLS; at++) {
            int far = sign > 0 ? row : -1 - row;
            int i = is_along_x ? far : at, k = is_along_x ? at : far;
            struct vec3 corners[4];
            for (int c = 0; c < 4; c++) {
                int column = i + (c == 1 || c == 2), line = k + (c >= 2);
                /* towards the rim the ground rises to y = 0 */
                double out = fmax(abs(column), abs(line)) / (double)FIELD_CELLS;
                double corner_x = x + column * cell, corner_z = z + line * cell;
                double share = fmin(4 * (1 - out), 1);
                corners[c] = (struct vec3){
                    corner_x, share * relief_height(relief, corner_x, corner_z), corner_z};
            }
            visit(context, corners);
        }
}

/* ---- both ---- */

static void draw_ground(cairo_t *cr, const struct eye *eye, const struct replay *replay,
                        double edge)
{
    const struct draw_view *view = eye->view;
    double bottom = view->top_px + view->height_px, top = fmax(edge, view->top_px);
    double step = draw_round_step(view, TILE_PX), span = bottom - top;
    if (!(span > 0) || (!eye_is_flat(eye) && eye_position(eye).y <= 0))
        return;
    cairo_pattern_t *soil = cairo_pattern_create_linear(0, top, 0, bottom);
    cairo_pattern_t *checker = cairo_pattern_create_linear(0, top, 0, bottom);
    for (int i = 0; i <= STOPS; i++) {
        double share = (double)i * i / STOPS / STOPS; /* closer together near the horizon */
        double distance = eye_ground_distance(eye, top + share * span);
        double haze = eye_haze(eye, distance), alpha = checker_alpha(eye, step, distance);
        uint32_t color = palette_mix(palette[COLOR_ground_top].light,
                                     palette[COLOR_ground_bottom].light, 0.75 * share);
        draw_add_stop(soil, share, draw_hazed(replay, color, haze), 1);
        draw_add_stop(checker, share, draw_hazed(replay, palette[COLOR_ground_line].light, haze),
                      alpha * 0.5);
    }
    draw_band(cr, view, top, bottom, soil);
    draw_clip(cr, view->left_px, top, view->width_px, span);
    cairo_set_antialias(cr, CAIRO_ANTIALIAS_FAST);
    cairo_set_fill_rule(cr, CAIRO_FILL_RULE_EVEN_ODD);
    trace_checker(cr, eye, step);
    cairo_set_source(cr, checker);
    cairo_fill(cr);
    cairo_restore(cr);
    cairo_pattern_destroy(checker);
    if (!(replay->relief.depth_m > 0))
        return;
    struct field field = {cr, eye, replay, step, top, span};
    draw_clip(cr, view->left_px, view->top_px, view->width_px, view->height_px);
    cairo_set_antialias(cr, CAIRO_ANTIALIAS_NONE);
    draw_space_relief(eye, replay, draw_cell, &field);
    cairo_restore(cr);
}

/* ---- marks ---- */

/* Whether any part lies over a piece of a rectangle (left, top, right, bottom) at any moment: no
 * straight line is found between them. */
static int is_covered(const struct draw_view *view, const struct replay *replay,
                      const struct draw_moment *moments, int count, const double of[4])
{
    struct replay_moment moment;
    for (int i = 0; i < count; i++) {
        struct eye eye = eye_place(view, replay, moments[i].time_s);
        replay_get_moment(replay, moments[i].time_s, &moment);
        for (int p = 0; p < replay->part_count; p++) {
            int is_over = 1;
            for (int k = 0; k < LINES && is_over; k++) {
                double angle = 2 * DRAW_PI * k / LINES, right = cos(angle), up = sin(angle);
                double least = fmin(of[0] * right, of[2] * right) - fmax(of[1] * up, of[3] * up);
                is_over = draw_reach_px(&eye, &replay->shapes[p], &moment.poses[p], angle) > least;
            }
            if (is_over)
                return 1;
        }
    }
    return 0;
}

void draw_space_marks(cairo_t *cr, const struct draw_view *view, const struct replay *replay,
                      const struct draw_moment *moments, int count)
{
    if (!draw_is_spatial(view, replay) || !replay->has_ground)
        return;
    struct eye eye = eye_place(view, replay, moments[0].time_s);
    struct vec3 first = replay_get_frame(replay, 0).centre;
    struct vec3 start = {first.x, 0, first.z}, way = replay_level_way(replay);
    double step = draw_round_step(view, TILE_PX), size = 9.5 * view->ui, last_x = -INFINITY,
           last_y = 0;
    double nearest = floor(vec3_dot(vec3_sub(eye.middle, start), way) / step);
    for (int i = -MARKS; i <= MARKS; i++) {
        char text[32];
        double s = (nearest + i) * step;
        struct spot spot = eye_project(&eye, vec3_along(start, way, s));
        if (!spot.is_seen || spot.x < view->left_px || spot.x > view->left_px + view->width_px)
            continue;
        /* a level disc on the ground */
        cairo_save(cr);
        cairo_translate(cr, spot.x, spot.y);
        cairo_scale(cr, 1, fmax(fabs(eye.back.y), 0.4));
        cairo_arc(cr, 0, 0, 3.2 * view->ui, 0, 2 * DRAW_PI);
        cairo_restore(cr);
        draw_fill(cr, COLOR_ground_line, 0.9);
        snprintf(text, sizeof text, "%.4g m", s == 0 ? 0 : s);
        /* a number that the picture's edge or a body would cut, or that would cover the one
         * before, is left out */
        double half = draw_text_width(cr, text, size, 0) / 2 + 2;
        const double box[4] = {spot.x - half, spot.y + 4 * view->ui, spot.x + half,
                               spot.y + 15 * view->ui};
        if (box[0] < view->left_px || box[2] > view->left_px + view->width_px ||
            box[1] < view->top_px || box[3] > view->top_px + view->height_px ||
            hypot(spot.x - last_x, spot.y - last_y) < 2 * half ||
            is_covered(view, replay, moments, count, box))
            continue;
        last_x = spot.x;
        last_y = spot.y;
        draw_text(cr, text, spot.x, spot.y + 13 * view->ui, size, 0, DRAW_CENTRE, COLOR_text_soft);
    }
}

/* ---- specks ---- */

double draw_noise(int64_t x, int64_t y, int64_t z, uint64_t salt)
{
    uint64_t h = (uint64_t)x * UINT64_C(0x9e3779b97f4a7c15) +
                 (uint64_t)y * UINT64_C(0xc2b2ae3d27d4eb4f) +
                 (uint64_t)z * UINT64_C(0x165667b19e3779f9) + salt;
    h = (h ^ (h >> 29)) * UINT64_C(0xbf58476d1ce4e5b9);
    h = (h ^ (h >> 32)) * UINT64_C(0x94d049bb133111eb);
    return (double)((h ^ (h >> 31)) >> 11) / 9007199254740992.0;
}

/* One in every cell around the middle, the nearer the larger and clearer; towards the outermost
 * cells they fade. */
static void draw_specks(cairo_t *cr, const struct eye *eye)
{
    double cell = SPECK_PX * eye->view->ui / eye->view->px_per_m;
    int64_t x0 = (int64_t)floor(eye->middle.x / cell), y0 = (int64_t)floor(eye->middle.y / cell);
    int64_t z0 = (int64_t)floor(eye->middle.z / cell);
    for (int64_t x = x0 - 2 * SPECKS; x <= x0 + 2 * SPECKS; x++)
        for (int64_t y = y0 - SPECKS; y <= y0 + SPECKS; y++)
            for (int64_t z = z0 - SPECKS; z <= z0 + SPECKS; z++) {
                struct vec3 at = {((double)x + draw_noise(x, y, z, 1)) * cell,
                                  ((double)y + draw_noise(x, y, z, 2)) * cell,
                                  ((double)z + draw_noise(x, y, z, 3)) * cell};
                struct spot spot = eye_project(eye, at);
                double far = fabs(at.z - eye->middle.z) / (SPECKS * cell);
                double size = spot.scale / eye->view->px_per_m;
                if (!spot.is_seen || far >= 1)
                    continue;
                cairo_arc(cr, spot.x, spot.y,
                          (0.5 + 1.1 * draw_noise(x, y, z, 4)) * eye->view->ui * size, 0,
                          2 * DRAW_PI);
                draw_fill(cr, COLOR_grid, 0.3 * (1 - far) * fmin(size, 1.4));
            }
}

void draw_space(cairo_t *cr, const struct draw_view *view, const struct replay *replay,
                double time_s)
{
    struct eye eye = eye_place(view, replay, time_s);
    double bottom = view->top_px + view->height_px;
    double edge =
        replay->has_ground ? fmin(fmax(floor(eye_horizon(&eye)), view->top_px), bottom) : bottom;
    draw_sky(cr, &eye, replay, edge);
    if (replay->has_ground)
        draw_ground(cr, &eye, replay, edge);
    /* a contest's ring, on the ground */
    double ring_m = replay->ring_m;
    for (int i = 0; i < RING_LINES && ring_m > 0; i++) {
        double a = 2 * DRAW_PI * i / RING_LINES, b = 2 * DRAW_PI * (i + 1) / RING_LINES;
        eye_trace_line(cr, &eye, (struct vec3){ring_m * cos(a), 0, ring_m * sin(a)},
                       (struct vec3){ring_m * cos(b), 0, ring_m * sin(b)});
        draw_stroke(cr, COLOR_contact, 0.9, 3 * view->ui);
    }
    if (replay->medium != REPLAY_SKY)
        draw_specks(cr, &eye);
}

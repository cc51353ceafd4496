#include "viewer/draw/draw_space.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FONT_FAMILY "DejaVu Sans"
/* The share of a picture's width that the views from the side and the top take. */
#define SPLIT_SHARE 0.3
/* Width of the column of a gradient: of a narrower one more pieces are copied than it costs to
 * draw. */
#define COLUMN_PX 128

double draw_view_x(const struct draw_view *view, double x_m)
{
    return view->left_px + view->width_px / 2 + view->flip * (x_m - view->x_m) * view->px_per_m;
}

double draw_view_y(const struct draw_view *view, double y_m)
{
    return view->top_px + view->height_px / 2 - (y_m - view->y_m) * view->px_per_m;
}

void draw_set_color(cairo_t *cr, uint32_t color, double alpha)
{
    cairo_set_source_rgba(cr, (color >> 16 & 255) / 255.0, (color >> 8 & 255) / 255.0,
                          (color & 255) / 255.0, alpha);
}

void draw_fill(cairo_t *cr, enum palette_color color, double alpha)
{
    draw_set_color(cr, palette[color].light, alpha);
    cairo_fill(cr);
}

void draw_stroke(cairo_t *cr, enum palette_color color, double alpha, double width_px)
{
    draw_set_color(cr, palette[color].light, alpha);
    cairo_set_line_width(cr, width_px);
    cairo_stroke(cr);
}

void draw_line(cairo_t *cr, double from_x, double from_y, double to_x, double to_y)
{
    cairo_move_to(cr, from_x, from_y);
    cairo_line_to(cr, to_x, to_y);
}

void draw_clip(cairo_t *cr, double x, double y, double width, double height)
{
    cairo_save(cr);
    cairo_rectangle(cr, x, y, width, height);
    cairo_clip(cr);
}

int draw_is_image(cairo_t *cr)
{
    return cairo_surface_get_type(cairo_get_group_target(cr)) == CAIRO_SURFACE_TYPE_IMAGE;
}

/* ---- vertical gradients ----
 *
 * The background of a picture is most of its pixels. Cairo works out the colour of each of them,
 * although all of a row are equal: that took half of the time of a frame. Here it does so for a
 * narrow column, which is repeated across. */

void draw_add_stop(cairo_pattern_t *pattern, double share, uint32_t color, double alpha)
{
    cairo_pattern_add_color_stop_rgba(pattern, share, (color >> 16 & 255) / 255.0,
                                      (color >> 8 & 255) / 255.0, (color & 255) / 255.0, alpha);
}

cairo_pattern_t *draw_gradient(double top, double bottom, uint32_t from, uint32_t to)
{
    cairo_pattern_t *pattern = cairo_pattern_create_linear(0, top, 0, bottom);
    draw_add_stop(pattern, 0, from, 1);
    draw_add_stop(pattern, 1, to, 1);
    return pattern;
}

/* Sets a column of the pattern's pixels as the source, from a row to another, where pixels of the
 * image are those of the view. */
static void set_column(cairo_t *cr, cairo_pattern_t *pattern, int top, int bottom)
{
    cairo_surface_t *column =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, COLUMN_PX, bottom - top);
    cairo_t *painter = cairo_create(column);
    cairo_translate(painter, 0, -top);
    cairo_set_source(painter, pattern);
    cairo_paint(painter);
    cairo_destroy(painter);
    cairo_set_source_surface(cr, column, 0, top);
    cairo_pattern_set_extend(cairo_get_source(cr), CAIRO_EXTEND_REPEAT);
    cairo_pattern_set_filter(cairo_get_source(cr), CAIRO_FILTER_NEAREST);
    cairo_surface_destroy(column);
}

void draw_band(cairo_t *cr, const struct draw_view *view, double top, double bottom,
               cairo_pattern_t *pattern)
{
    double fine_x, fine_y;
    cairo_surface_get_device_scale(cairo_get_target(cr), &fine_x, &fine_y);
    if (draw_is_image(cr) && fine_x == 1 && fine_y == 1 && bottom > top)
        set_column(cr, pattern, (int)floor(top), (int)ceil(bottom));
    else
        cairo_set_source(cr, pattern);
    cairo_rectangle(cr, view->left_px, top, view->width_px, fmax(bottom - top, 0));
    cairo_fill(cr);
    cairo_pattern_destroy(pattern);
}

/* ---- text and panels ---- */

/* Under AddressSanitizer: fontconfig encodes its pointers, so its memory looks leaked; dbus, which
 * SDL opens, really leaks some. */
#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define HAS_LEAK_CHECK
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define HAS_LEAK_CHECK
#endif
#ifdef HAS_LEAK_CHECK
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig\nleak:libdbus\n";
}
const char *__lsan_default_options(void);
const char *__lsan_default_options(void)
{
    return "print_suppressions=0";
}
#endif

double draw_text_width(cairo_t *cr, const char *text, double size_px, int is_bold)
{
    cairo_text_extents_t extents;
    cairo_select_font_face(cr, FONT_FAMILY, CAIRO_FONT_SLANT_NORMAL,
                           is_bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cr, size_px);
    cairo_text_extents(cr, text, &extents);
    return extents.x_advance;
}

double draw_text(cairo_t *cr, const char *text, double x, double y, double size_px, int is_bold,
                 enum draw_align align, enum palette_color color)
{
    double width = draw_text_width(cr, text, size_px, is_bold);
    double shift = align == DRAW_CENTRE ? width / 2 : align == DRAW_RIGHT ? width : 0;
    draw_set_color(cr, palette[color].light, 1);
    cairo_move_to(cr, x - shift, y);
    cairo_show_text(cr, text);
    cairo_new_path(cr);
    return width;
}

/* Bytes of text up to a character's end that fit a line: broken after a space if there is one. */
static size_t line_length(cairo_t *cr, const char *text, double width_px, double size_px)
{
    char line[256];
    size_t fits = 0, space = 0, length = strlen(text);
    for (size_t i = 1; i <= length && i < sizeof line; i++) {
        if ((text[i] & 0xc0) == 0x80)
            continue; /* inside a character */
        memcpy(line, text, i);
        line[i] = 0;
        if (draw_text_width(cr, line, size_px, 0) > width_px && fits)
            return space ? space : fits;
        fits = i;
        if (text[i - 1] == ' ')
            space = i;
    }
    return fits;
}

int draw_text_lines(cairo_t *cr, const char *text, double x, double y, double width_px,
                    double size_px, int lines_most, enum palette_color color)
{
    int count = 0;
    while (*text && count < lines_most) {
        char line[264];
        size_t length = line_length(cr, text, width_px, size_px);
        snprintf(line, sizeof line, "%.*s%s", (int)length, text,
                 count + 1 == lines_most && text[length] ? "\xe2\x80\xa6" : "");
        draw_text(cr, line, x, y + count * 1.35 * size_px, size_px, 0, DRAW_LEFT, color);
        text += length;
        count++;
    }
    return count;
}

void draw_rounded(cairo_t *cr, double x, double y, double width, double height, double radius)
{
    double r = fmin(radius, fmin(width, height) / 2);
    cairo_new_sub_path(cr);
    cairo_arc(cr, x + width - r, y + r, r, -DRAW_PI / 2, 0);
    cairo_arc(cr, x + width - r, y + height - r, r, 0, DRAW_PI / 2);
    cairo_arc(cr, x + r, y + height - r, r, DRAW_PI / 2, DRAW_PI);
    cairo_arc(cr, x + r, y + r, r, DRAW_PI, 3 * DRAW_PI / 2);
    cairo_close_path(cr);
}

void draw_panel(cairo_t *cr, double x, double y, double width, double height, double ui)
{
    draw_rounded(cr, x, y, width, height, 8 * ui);
    draw_set_color(cr, palette[COLOR_panel].light, 0.94);
    cairo_fill_preserve(cr);
    draw_stroke(cr, COLOR_grid, 0.25, ui);
}

static const enum palette_color status_colors[REPLAY_STATUS_COUNT] = {
    [REPLAY_VERIFIED] = COLOR_good,      [REPLAY_DIFFERS] = COLOR_bad,
    [REPLAY_UNRECORDED] = COLOR_neutral, [REPLAY_OTHER_VERSION] = COLOR_warn,
    [REPLAY_CHANGED] = COLOR_warn,       [REPLAY_REFUSED] = COLOR_warn,
};

/* The words of a title. NULL: left out, where there is too little room; verdict: or it is fine. */
struct title {
    const char *name, *score, *verdict, *status;
};

#define TITLE_GAP   0.9
#define TITLE_DOT   0.28
#define TITLE_LEAST 0.6 /* share of the size that is asked for */
/* The lines below it that say what is switched off: their size beside its, and how many. */
#define OFF_SHARE     0.9
#define OFF_LINES     3
#define CAPTION_LINES 2
#define GHOST_ALPHA   0.4

static double title_width(cairo_t *cr, const struct title *title, double size_px)
{
    double width = draw_text_width(cr, title->name, size_px, 1) + TITLE_GAP * size_px;
    if (title->score)
        width += draw_text_width(cr, title->score, size_px, 0) + TITLE_GAP * size_px;
    if (title->verdict)
        width += draw_text_width(cr, title->verdict, size_px, 0) + TITLE_GAP * size_px;
    width += 3 * TITLE_DOT * size_px;
    return title->status ? width + draw_text_width(cr, title->status, size_px, 1) : width;
}

void draw_plate(cairo_t *cr, double x, double y, double width, double size_px)
{
    double margin = TITLE_GAP / 2 * size_px;
    draw_rounded(cr, x - margin, y - 1.15 * size_px, width + 2 * margin, 1.55 * size_px,
                 size_px / 2);
    draw_fill(cr, COLOR_panel, 0.8);
}

/* The part of a creature's title that fits, and the size of its text. */
static double title_fit(struct title *title, cairo_t *cr, const struct replay *replay, double room,
                        double size_px)
{
    const char *verdict = replay->verdict == VERDICT_OK ? NULL : verdict_name(replay->verdict);
    *title =
        (struct title){replay->name, replay->score, verdict, replay_status_names[replay->status]};
    /* a dot is enough where all is well; else the word must be seen */
    if (TITLE_LEAST * title_width(cr, title, size_px) > room)
        *(replay->status == REPLAY_VERIFIED ? &title->status : &title->score) = NULL;
    if (TITLE_LEAST * title_width(cr, title, size_px) > room)
        title->score = NULL;
    /* a title that leaves out words is small; widths of small letters are not quite in
     * proportion */
    int is_whole = title->score && title->status;
    double size =
        size_px * fmin(is_whole ? 1 : TITLE_LEAST + 0.1, room / title_width(cr, title, size_px));
    while (size > 0.5 * TITLE_LEAST * size_px && title_width(cr, title, size) > room)
        size *= 0.97;
    return size;
}

void draw_title(cairo_t *cr, const struct replay *replay, double x, double right, double y,
                double size_px, int has_plate)
{
    struct title title;
    enum palette_color color = status_colors[replay->status];
    double size = title_fit(&title, cr, replay, right - x, size_px);
    double gap = TITLE_GAP * size, dot = TITLE_DOT * size;
    if (has_plate)
        draw_plate(cr, x, y, title_width(cr, &title, size), size);
    x += draw_text(cr, title.name, x, y, size, 1, DRAW_LEFT, COLOR_text) + gap;
    if (title.score)
        x += draw_text(cr, title.score, x, y, size, 0, DRAW_LEFT, COLOR_text) + gap;
    if (title.verdict)
        x += draw_text(cr, title.verdict, x, y, size, 0, DRAW_LEFT, COLOR_warn) + gap;
    cairo_arc(cr, x + dot, y - size * 0.36, dot, 0, 2 * DRAW_PI);
    draw_fill(cr, color, 1);
    if (title.status)
        draw_text(cr, title.status, x + 3 * dot, y, size, 1, DRAW_LEFT, color);
}

void draw_off(cairo_t *cr, const struct replay *replay, double x, double right, double y,
              double size_px)
{
    draw_text_lines(cr, replay->off, x, y, right - x, OFF_SHARE * size_px, OFF_LINES, COLOR_warn);
}

/* ---- frames ---- */

double draw_ui_scale(double width_px, double height_px)
{
    return fmin(fmax(fmin(width_px / 960, height_px / 540), 0.8), 4);
}

double draw_lane_height(double height_px, int count)
{
    return height_px / (count > 0 ? count : 1);
}

static void lane_view(struct draw_view *view, int width_px, int height_px, int lane,
                      const struct replay *const *replays, int count, const struct camera *camera,
                      double time_s)
{
    const struct replay *replay = replays[lane];
    double height = draw_lane_height(height_px, count);
    double top = floor(lane * height);
    *view = (struct draw_view){.top_px = top,
                               .width_px = width_px,
                               .height_px = floor((lane + 1) * height) - top,
                               .x_m = camera->x_m,
                               .y_m = camera->y_m,
                               .px_per_m = camera_scale(camera),
                               .flip = 1,
                               .orbit = camera->orbit,
                               .ui = draw_ui_scale(width_px, height_px)};
    if (count == 1)
        return;
    /* a race: all go right, and those without ground keep to their lane */
    view->flip = camera_flip(replay);
    view->x_m *= view->flip;
    int has_ground = 0;
    for (int i = 0; i < count; i++)
        has_ground |= replays[i]->has_ground;
    if (!replay->has_ground)
        view->y_m = camera_smooth_centre(replay, time_s).y + (has_ground ? 0 : camera->y_m);
}

/* A panel takes `taken_px` at the right (negative: at the left): the creature is moved to the
 * middle of the rest, by whole pixels. */
static void make_room(struct draw_view *view, const struct replay *replay, double taken_px)
{
    double aside_m = floor(taken_px / 2) / view->px_per_m;
    double yaw_rad = draw_is_spatial(view, replay) ? view->orbit.yaw_rad : 0;
    view->x_m += aside_m * cos(yaw_rad);
    view->z_m -= aside_m * sin(yaw_rad);
}

/* A creature in its world, with what is switched on. */
static void draw_scene(cairo_t *cr, const struct draw_view *view, const struct replay *replay,
                       double time_s, unsigned overlays)
{
    draw_world(cr, view, replay, time_s, overlays);
    if (!(overlays & DRAW_UNMARKED))
        draw_space_marks(cr, view, replay, &(struct draw_moment){.time_s = time_s}, 1);
    draw_creature(cr, view, replay, time_s, 0, overlays);
    draw_overlays(cr, view, replay, time_s, overlays);
}

/* The creature from the side and from above, without perspective, in a column at the right; or at
 * the left where the brain is there, below the ledger. */
static void draw_split(cairo_t *cr, const struct draw_view *view, const struct replay *replay,
                       double time_s, unsigned overlays)
{
    static const char *const names[] = {"side", "top"};
    double margin = floor(12 * view->ui), width = floor(SPLIT_SHARE * view->width_px);
    double from = floor(40 * view->ui);
    if (overlays & DRAW_BRAIN && overlays & DRAW_LEDGER)
        from = floor(draw_ledger_bottom(view, replay) - view->top_px + margin);
    double height = floor((view->height_px - from - margin) / 2) - margin / 2;
    struct vec2 centre = camera_smooth_centre(replay, time_s);
    for (int i = 0; i < 2; i++) {
        struct draw_view pane = *view;
        double body = camera_body_width(replay);
        pane.left_px = overlays & DRAW_BRAIN ? view->left_px + margin
                                             : view->left_px + view->width_px - width - margin;
        pane.top_px = view->top_px + from + i * (height + margin);
        pane.width_px = width;
        pane.height_px = height;
        pane.is_parallel = 1;
        pane.orbit = (struct camera_orbit){0, i ? DRAW_PI / 2 : 0};
        pane.px_per_m = fmin(0.6 * width / fmax(body, 1e-3),
                             0.6 * height / fmax(i ? body : replay->height_m, 1e-3));
        pane.x_m = centre.x;
        pane.y_m =
            replay->has_ground && !i ? fmax(0.3 * height / pane.px_per_m, centre.y) : centre.y;
        pane.z_m = 0;
        pane.ui = 0.85 * view->ui;
        draw_clip(cr, pane.left_px, pane.top_px, width, height);
        draw_scene(cr, &pane, replay, time_s, overlays);
        draw_text(cr, names[i], pane.left_px + 8 * view->ui, pane.top_px + 16 * view->ui,
                  11 * view->ui, 1, DRAW_LEFT, COLOR_text_soft);
        cairo_restore(cr);
        cairo_rectangle(cr, pane.left_px - 0.5, pane.top_px - 0.5, width + 1, height + 1);
        draw_stroke(cr, COLOR_joint_line, 0.4, view->ui);
    }
}

static void draw_lane(cairo_t *cr, const struct draw_view *view, const struct replay *replay,
                      double time_s, unsigned overlays, int is_single)
{
    double size = (is_single ? 15 : 12) * view->ui;
    draw_clip(cr, view->left_px, view->top_px, view->width_px, view->height_px);
    draw_scene(cr, view, replay, time_s, overlays);
    if (overlays & DRAW_SPLIT && is_single && replay->has_depth)
        draw_split(cr, view, replay, time_s, overlays);
    double left = view->left_px + 14 * view->ui, top = view->top_px + 9 * view->ui + size;
    double right = view->left_px + view->width_px - 90 * view->ui;
    draw_title(cr, replay, left, right, top, size, !is_single);
    draw_off(cr, replay, left, right, top + 1.3 * size, size);
    if (overlays & DRAW_BRAIN && is_single)
        draw_brain(cr, view, replay, time_s, NULL);
    /* below the brain, where it covers nothing of the creature; but side and top stand below it at
     * the left */
    int is_split = overlays & DRAW_SPLIT && replay->has_depth,
        has_brain = (overlays & DRAW_BRAIN) != 0;
    int is_below =
        overlays & DRAW_LEDGER && is_single && has_brain && !is_split &&
        draw_ledger_below_brain(cr, view, replay, time_s, view->top_px + view->height_px);
    if (overlays & DRAW_LEDGER && is_single && !is_below)
        draw_ledger(cr, view, replay, time_s,
                    has_brain  ? draw_brain_width(view, replay)
                    : is_split ? SPLIT_SHARE * view->width_px
                               : 0);
    cairo_restore(cr);
}

/* Panels move the creature aside. */
void draw_single_view(struct draw_view *view, int width_px, int height_px,
                      const struct replay *replay, const struct camera *camera, double time_s,
                      unsigned overlays)
{
    lane_view(view, width_px, height_px, 0, &replay, 1, camera, time_s);
    if (overlays & DRAW_BRAIN)
        make_room(view, replay, fmin(draw_brain_width(view, replay), view->width_px / 2));
    if (overlays & DRAW_SPLIT && replay->has_depth)
        make_room(view, replay, (overlays & DRAW_BRAIN ? -1 : 1) * SPLIT_SHARE * view->width_px);
}

void draw_ghost(cairo_t *cr, int width_px, int height_px, const struct replay *replay,
                const struct replay *ghost, const struct camera *camera, double time_s,
                unsigned overlays)
{
    struct draw_view view;
    draw_single_view(&view, width_px, height_px, replay, camera, time_s, overlays);
    cairo_push_group(cr);
    draw_creature(cr, &view, ghost, time_s, 0, 0);
    cairo_pop_group_to_source(cr);
    cairo_paint_with_alpha(cr, GHOST_ALPHA);
}

void draw_frame(cairo_t *cr, int width_px, int height_px, const struct replay *const *replays,
                int count, const struct camera *camera, double time_s, unsigned overlays)
{
    double ui = draw_ui_scale(width_px, height_px);
    char text[32];
    ENSURE(width_px > 0 && height_px > 0 && count >= 0, "%d replays on %d x %d px", count, width_px,
           height_px);
    for (int i = 0; i < count; i++) {
        struct draw_view view;
        if (count == 1)
            draw_single_view(&view, width_px, height_px, replays[i], camera, time_s, overlays);
        else
            lane_view(&view, width_px, height_px, i, replays, count, camera, time_s);
        draw_lane(cr, &view, replays[i], time_s, overlays, count == 1);
        if (i == 0)
            continue;
        cairo_rectangle(cr, 0, view.top_px - ui, width_px, ui);
        draw_fill(cr, COLOR_joint_line, 0.35);
    }
    snprintf(text, sizeof text, "%.1f s", time_s);
    if (count > 1) {
        double width = draw_text_width(cr, text, 15 * ui, 0);
        draw_plate(cr, width_px - 14 * ui - width, 24 * ui, width, 15 * ui);
    }
    draw_text(cr, text, width_px - 14 * ui, 24 * ui, 15 * ui, 0, DRAW_RIGHT, COLOR_text_soft);
}

void draw_caption(cairo_t *cr, int width_px, int height_px, const char *text)
{
    double ui = draw_ui_scale(width_px, height_px), margin = 14 * ui, size = 16 * ui;
    double width = width_px - 2 * margin, room = width - 2 * margin;
    int lines = 0;
    for (const char *rest = text; *rest && lines < CAPTION_LINES; lines++)
        rest += line_length(cr, rest, room, size);
    double height = (1.35 * lines + 0.7) * size, top = height_px - margin - height;
    draw_panel(cr, margin, top, width, height, ui);
    draw_text_lines(cr, text, 2 * margin, top + 1.4 * size, room, size, CAPTION_LINES, COLOR_text);
}

/* ---- the grid ---- */

/* Columns in which cells come nearest to the shape of a picture. */
static int grid_columns(int width_px, int height_px, int count)
{
    int best = 1;
    double best_fault = INFINITY;
    for (int columns = 1; columns <= count; columns++) {
        int rows = (count + columns - 1) / columns;
        double shape = (double)width_px / columns / ((double)height_px / rows);
        double fault = fabs(log(shape / 1.6)) + 1.0 * (columns * rows - count) / count;
        if (fault < best_fault) {
            best_fault = fault;
            best = columns;
        }
    }
    return best;
}

void draw_cells_get(int width_px, int height_px, int count, int index, struct draw_view *view)
{
    ENSURE(index >= 0 && index < count, "cell %d of %d", index, count);
    ENSURE(width_px > 0 && height_px > 0, "cells on %d x %d px", width_px, height_px);
    int columns = grid_columns(width_px, height_px, count);
    int rows = (count + columns - 1) / columns;
    int column = index % columns, row = index / columns;
    double width = (double)width_px / columns, height = (double)height_px / rows;
    view->left_px = floor(column * width);
    view->top_px = floor(row * height);
    view->width_px = floor((column + 1) * width) - view->left_px;
    view->height_px = floor((row + 1) * height) - view->top_px;
}

int draw_cells_pick(int width_px, int height_px, int count, double x, double y)
{
    for (int i = 0; i < count; i++) {
        struct draw_view view;
        draw_cells_get(width_px, height_px, count, i, &view);
        if (x >= view.left_px && x < view.left_px + view.width_px && y >= view.top_px &&
            y < view.top_px + view.height_px)
            return i;
    }
    return -1;
}

static void draw_cell(cairo_t *cr, struct draw_view *view, const struct replay *replay,
                      const char *caption, double zoom, double time_s, unsigned overlays)
{
    struct camera camera = {0};
    double size = 11.5 * view->ui, left = view->left_px + 9 * view->ui;
    double right = view->left_px + view->width_px - 9 * view->ui;
    camera_fit(&camera, &replay, 1, view->width_px, view->height_px);
    camera.px_per_m *= zoom;
    struct camera_aim target = camera_target(&camera, &replay, 1, time_s, view->height_px);
    view->x_m = target.x_m;
    view->y_m = target.y_m;
    view->px_per_m = camera.px_per_m;
    view->flip = 1;
    view->orbit = camera.orbit;
    draw_clip(cr, view->left_px, view->top_px, view->width_px, view->height_px);
    draw_scene(cr, view, replay, time_s, overlays);
    draw_title(cr, replay, left, right, view->top_px + 6 * view->ui + size, size, 0);
    if (caption)
        draw_text_lines(cr, caption, left, view->top_px + 10 * view->ui + 2.3 * size, right - left,
                        0.95 * size, 4, COLOR_text_soft);
    cairo_restore(cr);
}

void draw_cells(cairo_t *cr, int width_px, int height_px, const struct draw_cells *cells,
                double time_s, unsigned overlays)
{
    int count = cells->count;
    double ui = draw_ui_scale(width_px, height_px);
    ENSURE(count >= 0 && (count == 0 || cells->replays), "%d cells", count);
    ENSURE(cells->marked >= -1 && cells->marked < (count > 0 ? count : 1),
           "cell %d of %d is marked", cells->marked, count);
    ENSURE(cells->zoom > 0, "a zoom of %g", cells->zoom);
    cairo_rectangle(cr, 0, 0, width_px, height_px);
    draw_fill(cr, COLOR_panel, 1);
    for (int i = 0; i < count; i++) {
        struct draw_view view = {.ui = fmax(0.8, ui * (count > 2 ? 0.9 : 1))};
        draw_cells_get(width_px, height_px, count, i, &view);
        draw_cell(cr, &view, cells->replays[i], cells->captions ? cells->captions[i] : NULL,
                  cells->zoom, time_s, overlays);
        int is_marked = i == cells->marked && count > 1;
        double line = (is_marked ? 2.5 : 1) * ui;
        cairo_rectangle(cr, view.left_px + line / 2, view.top_px + line / 2, view.width_px - line,
                        view.height_px - line);
        draw_stroke(cr, is_marked ? COLOR_part_0 : COLOR_joint_line, is_marked ? 1 : 0.3, line);
    }
}

/* ---- files ---- */

void draw_choose_file_name(const char *stem, const char *suffix, char *path, size_t size)
{
    snprintf(path, size, "%s.%s", stem, suffix);
    for (int k = 2; access(path, F_OK) == 0 && k < 1000; k++)
        snprintf(path, size, "%s-%d.%s", stem, k, suffix);
}

void draw_save(cairo_surface_t *surface, const char *stem, char *text, size_t size)
{
    char path[128];
    draw_choose_file_name(stem, "png", path, sizeof path);
    cairo_status_t status = cairo_surface_write_to_png(surface, path);
    cairo_surface_destroy(surface);
    if (status == CAIRO_STATUS_SUCCESS)
        snprintf(text, size, "saved the picture as %s", path);
    else
        snprintf(text, size, "%s: %s", path, cairo_status_to_string(status));
}

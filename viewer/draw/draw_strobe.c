/* The strobe picture: a whole gait in one still.
 *
 * A creature that gets anywhere is drawn where it was at several moments equally far apart in time,
 * the earlier ones fainter, over marks of distance; a long way is folded into rows, as text is, and
 * a walk to the left is drawn mirrored, so that all pictures are read from left to right. One that
 * stays in place (it jumps, or fails) is drawn as a strip: the same moments side by side with their
 * times, without marks of distance, which would mean nothing there. */
#include "viewer/draw/draw_space.h"
#include "viewer/draw/eye/scene.h"

#ifdef HAVE_CAIRO

#include <math.h>
#include <stdio.h>

#define STROBE_MOMENTS_MAX 24
#define STROBE_MOMENTS_MIN 5
#define STROBE_ROWS_MAX    3
/* Moments of a strip. */
#define STRIP_MOMENTS 8
/* Travel in body widths below which it is drawn as a strip. */
#define STRIP_TRAVEL 0.9
/* Distance of moments in body widths that is aimed at. */
#define STROBE_SPACING 0.85
/* The visible depth of obstacles below the body, where there is no ground, by its height. */
#define FLOOR_SHARE 0.3
#define TITLE_PX    46.0
#define GROUND_PX   44.0
#define PAD_PX      26.0

struct strobe {
    const struct replay *replay;
    double bounds[4];       /* of all parts at the moments and between */
    double left_m, right_m; /* greatest reach of the body from its centre of mass */
    double travel_m, end_x_m;
    int is_strip, is_mirrored;
    int moment_count, row_count;
    double times_s[STROBE_MOMENTS_MAX];
    double px_per_m;
};

static void strobe_survey(struct strobe *strobe, const struct replay *replay)
{
    double least_x = INFINITY, least_y = INFINITY, most_x = -INFINITY, most_y = -INFINITY;
    strobe->bounds[0] = strobe->bounds[1] = INFINITY;
    strobe->bounds[2] = strobe->bounds[3] = -INFINITY;
    strobe->left_m = strobe->right_m = 0.01;
    for (int i = 0; i < replay->frame_count; i++) {
        struct replay_frame frame;
        double b[4];
        replay_get_frame(replay, i, &frame);
        replay_get_bounds(replay, frame.poses, frame.values, b);
        for (int k = 0; k < 2; k++) {
            strobe->bounds[k] = fmin(strobe->bounds[k], b[k]);
            strobe->bounds[k + 2] = fmax(strobe->bounds[k + 2], b[k + 2]);
        }
        strobe->left_m = fmax(strobe->left_m, frame.centre.x - b[0]);
        strobe->right_m = fmax(strobe->right_m, b[2] - frame.centre.x);
        least_x = fmin(least_x, frame.centre.x);
        most_x = fmax(most_x, frame.centre.x);
        least_y = fmin(least_y, frame.centre.y);
        most_y = fmax(most_y, frame.centre.y);
        strobe->end_x_m = frame.centre.x;
    }
    strobe->travel_m =
        replay_has_floor(replay) ? most_x - least_x : hypot(most_x - least_x, most_y - least_y);
    if (replay->has_ground)
        strobe->bounds[1] = fmin(strobe->bounds[1], 0);
    else if (replay->obstacles.count > 0)
        strobe->bounds[1] -= FLOOR_SHARE * (strobe->bounds[3] - strobe->bounds[1]);
}

/* The time at which the centre of mass is highest. */
static double highest_time(const struct replay *replay)
{
    struct replay_frame frame;
    double best = -INFINITY, time_s = 0;
    for (int i = 0; i < replay->frame_count; i++) {
        replay_get_frame(replay, i, &frame);
        if (frame.centre.y > best) {
            best = frame.centre.y;
            time_s = frame.time_s;
        }
    }
    return time_s;
}

/* Mean change of the joints from one of `count` moments to the next, rad; of linear ones in halves
 * of their part's longer side. */
static double pose_change(const struct replay *replay, int count)
{
    double sum = 0, duration = replay_duration(replay);
    struct replay_frame a, b;
    for (int i = 1; i < count; i++) {
        replay_get_frame(replay, replay_frame_index(replay, duration * (i - 1) / (count - 1)), &a);
        replay_get_frame(replay, replay_frame_index(replay, duration * i / (count - 1)), &b);
        for (int k = 0; k < replay->drive_count; k++) {
            const struct replay_drive *drive = &replay->drives[k];
            double unit = drive->is_linear ? scene_half_most(&replay->shapes[drive->part]) : 1;
            sum += fabs((double)b.values[k] - (double)a.values[k]) / unit;
        }
    }
    return sum / (count - 1);
}

int draw_strobe_count(const struct replay *replay, int most)
{
    int best = most;
    double best_change = -1;
    ENSURE(most > 0, "%d moments at most", most);
    for (int count = most; count >= 3 && count >= most * 3 / 4; count--) {
        double change = pose_change(replay, count);
        if (change > best_change) {
            best_change = change;
            best = count;
        }
    }
    return best;
}

void draw_strobe_times(const struct replay *replay, int count, double *times_s)
{
    double duration = replay_duration(replay);
    int last = count - 1;
    ENSURE(count > 0, "%d moments", count);
    for (int i = 0; i <= last; i++)
        times_s[i] = last ? duration * i / last : 0;
    if (replay_has_floor(replay) && last > 1) {
        double top = highest_time(replay);
        int nearest = (int)(top / duration * last + 0.5);
        if (nearest > 0 && nearest < last)
            times_s[nearest] = top;
    }
}

static void strobe_choose_moments(struct strobe *strobe)
{
    double duration = replay_duration(strobe->replay), body = strobe->left_m + strobe->right_m;
    strobe->is_strip = strobe->travel_m < STRIP_TRAVEL * body;
    strobe->is_mirrored =
        !strobe->is_strip && replay_has_floor(strobe->replay) && strobe->end_x_m < 0;
    double room =
        strobe->is_strip ? STRIP_MOMENTS : floor(strobe->travel_m / (STROBE_SPACING * body)) + 1;
    int count = (int)fmin(fmax(room, STROBE_MOMENTS_MIN), STROBE_MOMENTS_MAX);
    strobe->moment_count = duration > 0 ? draw_strobe_count(strobe->replay, count) : 1;
    draw_strobe_times(strobe->replay, strobe->moment_count, strobe->times_s);
}

/* Scale of the picture when it is folded into `rows`. */
static double strobe_scale(const struct strobe *strobe, int rows, double width, double height,
                           double ui)
{
    const double *b = strobe->bounds;
    double body = strobe->left_m + strobe->right_m, across = b[2] - b[0], ground;
    if (strobe->is_strip)
        across = strobe->moment_count * body * 1.12;
    else if (rows > 1)
        across = across / rows + body;
    ground = (strobe->replay->has_ground ? GROUND_PX : PAD_PX) * ui;
    double scale_x = (width - 2 * PAD_PX * ui) / across;
    double scale_y = (height / rows - ground - PAD_PX * ui) / fmax(b[3] - b[1], 0.01);
    return fmin(fmin(scale_x, scale_y), 0.8 * height / rows / body);
}

static void strobe_fit(struct strobe *strobe, double width, double height, double ui)
{
    strobe->row_count = 1;
    strobe->px_per_m = strobe_scale(strobe, 1, width, height, ui);
    if (strobe->is_strip || !replay_has_floor(strobe->replay))
        return;
    for (int rows = 2; rows <= STROBE_ROWS_MAX; rows++) {
        double scale = strobe_scale(strobe, rows, width, height, ui);
        if (scale < 1.2 * strobe->px_per_m)
            return;
        strobe->px_per_m = scale;
        strobe->row_count = rows;
    }
}

/* The row in which a point of the way is drawn. */
static int strobe_row_of(const struct strobe *strobe, double x_m)
{
    double across = strobe->bounds[2] - strobe->bounds[0];
    double share = across > 0 ? (x_m - strobe->bounds[0]) / across : 0;
    int row = (int)((strobe->end_x_m < 0 ? 1 - share : share) * strobe->row_count);
    return row < 0 ? 0 : row >= strobe->row_count ? strobe->row_count - 1 : row;
}

static void strobe_row_view(const struct strobe *strobe, int row, double top, double height,
                            double width, double ui, struct draw_view *view)
{
    const double *b = strobe->bounds;
    double middle = (row + 0.5) / strobe->row_count;
    if (strobe->end_x_m < 0)
        middle = 1 - middle;
    *view = (struct draw_view){.top_px = top,
                               .width_px = width,
                               .height_px = height,
                               .x_m = b[0] + middle * (b[2] - b[0]),
                               .y_m = (b[1] + b[3]) / 2,
                               .px_per_m = strobe->px_per_m,
                               .flip = strobe->is_mirrored ? -1 : 1,
                               .ui = ui};
    if (strobe->replay->has_ground)
        view->y_m = (height / 2 - GROUND_PX * ui) / strobe->px_per_m;
}

static double moment_ghost(const struct strobe *strobe, int moment)
{
    int last = strobe->moment_count - 1;
    double age = last ? 1 - (double)moment / last : 0;
    return strobe->is_strip ? 0.3 * age : 0.72 * pow(age, 0.8);
}

/* The time of a moment, above the body or, in a strip, below the ground. */
static void draw_moment_time(cairo_t *cr, const struct draw_view *view, const struct strobe *strobe,
                             int moment)
{
    double bounds[4], y;
    char text[32];
    struct replay_moment at;
    replay_get_moment(strobe->replay, strobe->times_s[moment], &at);
    replay_get_bounds(strobe->replay, at.poses, at.values, bounds);
    y = strobe->is_strip && strobe->replay->has_ground
            ? draw_view_y(view, 0) + 22 * view->ui
            : draw_view_y(view, bounds[3]) - 7 * view->ui;
    snprintf(text, sizeof text, "%.1f s", strobe->times_s[moment]);
    draw_text(cr, text, draw_view_x(view, (bounds[0] + bounds[2]) / 2), y, 10.5 * view->ui, 0,
              DRAW_CENTRE, COLOR_text_soft);
}

/* Where there are obstacles or a ring, every moment shows where it is among them. */
static void draw_strip(cairo_t *cr, const struct strobe *strobe, struct draw_view *view,
                       unsigned overlays)
{
    double slot = view->width_px / strobe->moment_count;
    for (int i = 0; i < strobe->moment_count; i++) {
        struct replay_pose poses[REPLAY_PARTS_MAX];
        struct vec3 centre;
        struct draw_view cell = *view;
        replay_sample(strobe->replay, strobe->times_s[i], poses, &centre);
        cell.left_px = view->left_px + i * slot;
        cell.width_px = slot;
        cell.x_m = centre.x + (strobe->right_m - strobe->left_m) / 2;
        cairo_save(cr);
        if (strobe->replay->obstacles.count > 0 || strobe->replay->ring_m > 0) {
            cairo_rectangle(cr, cell.left_px, cell.top_px, cell.width_px, cell.height_px);
            cairo_clip(cr);
            draw_world(cr, &cell, strobe->replay, 0, overlays | DRAW_UNMARKED);
        }
        draw_creature(cr, &cell, strobe->replay, strobe->times_s[i], moment_ghost(strobe, i),
                      overlays & DRAW_BOXES);
        draw_moment_time(cr, &cell, strobe, i);
        cairo_restore(cr);
    }
}

static void draw_row(cairo_t *cr, const struct strobe *strobe, const struct draw_view *view,
                     int row, unsigned overlays)
{
    double end = replay_duration(strobe->replay), previous_x = -INFINITY;
    draw_trail(cr, view, strobe->replay, 0, end);
    for (int i = 0; i < strobe->moment_count; i++) {
        struct replay_pose poses[REPLAY_PARTS_MAX];
        struct vec3 centre;
        replay_sample(strobe->replay, strobe->times_s[i], poses, &centre);
        if (strobe_row_of(strobe, centre.x) != row)
            continue;
        draw_creature(cr, view, strobe->replay, strobe->times_s[i], moment_ghost(strobe, i),
                      overlays & DRAW_BOXES);
        double x = draw_view_x(view, centre.x);
        if (fabs(x - previous_x) < 44 * view->ui)
            continue;
        draw_moment_time(cr, view, strobe, i);
        previous_x = x;
    }
}

static void draw_heading(cairo_t *cr, const struct strobe *strobe, double top, double width,
                         double ui)
{
    const struct replay *replay = strobe->replay;
    char text[96];
    double size = 17 * ui, used;
    int length = 0;
    draw_set_color(cr, palette[COLOR_panel].light, 1);
    cairo_rectangle(cr, 0, top, width, TITLE_PX * ui);
    cairo_fill(cr);
    /* without a fitness the title says the distance already */
    if (replay->status != REPLAY_UNRECORDED && replay->has_goal)
        length = snprintf(text, sizeof text, "%.2f m in %.3g s, ", replay->measures.displacement_m,
                          replay_duration(replay));
    if (strobe->moment_count > 1 && !strobe->is_strip)
        snprintf(text + length, sizeof text - (size_t)length, "%d moments%s", strobe->moment_count,
                 strobe->is_mirrored ? ", mirrored" : "");
    else
        snprintf(text + length, sizeof text - (size_t)length, "side by side");
    used = draw_text(cr, text, width - 18 * ui, top + 29 * ui, 12 * ui, 0, DRAW_RIGHT,
                     COLOR_text_soft);
    draw_title(cr, replay, 18 * ui, width - used - 46 * ui, top + 30 * ui, size, 0);
    draw_off(cr, replay, 18 * ui, width - 18 * ui, top + (TITLE_PX + 22) * ui, size);
}

static double strobe_ui(double width, double height)
{
    return fmin(fmax(fmin(width / 1200, height / 300), 0.8), 4);
}

static struct draw_view space_view(double top, double width, double height)
{
    double ui = strobe_ui(width, height), title = floor(TITLE_PX * ui);
    return (struct draw_view){
        .top_px = top + title, .width_px = width, .height_px = height - title, .flip = 1, .ui = ui};
}

static void draw_strobe_of(cairo_t *cr, const struct replay *replay, double top, double width,
                           double height, unsigned overlays)
{
    struct strobe strobe = {.replay = replay};
    double ui = strobe_ui(width, height), title = TITLE_PX * ui;
    if (replay->has_depth) {
        struct draw_view view = space_view(top, width, height);
        struct draw_strobe_moments moments = draw_strobe_space_choose(&view, replay);
        strobe.moment_count = moments.count;
        strobe.is_strip = moments.is_strip;
        draw_strobe_space(cr, &view, replay, &moments, overlays);
        draw_heading(cr, &strobe, top, width, ui);
        return;
    }
    strobe_survey(&strobe, replay);
    strobe_choose_moments(&strobe);
    strobe_fit(&strobe, width, height - title, ui);
    double row_height = (height - title) / strobe.row_count;
    for (int row = 0; row < strobe.row_count; row++) {
        struct draw_view view;
        double row_top = top + title + row * row_height;
        strobe_row_view(&strobe, row, row_top, row_height, width, ui, &view);
        cairo_save(cr);
        cairo_rectangle(cr, 0, row_top, width, row_height);
        cairo_clip(cr);
        draw_world(cr, &view, replay, 0, overlays | (strobe.is_strip ? DRAW_UNMARKED : 0));
        if (strobe.is_strip)
            draw_strip(cr, &strobe, &view, overlays);
        else
            draw_row(cr, &strobe, &view, row, overlays);
        cairo_restore(cr);
    }
    draw_heading(cr, &strobe, top, width, ui);
}

double draw_strobe_height(const struct replay *replay, double width_px, double most_px)
{
    struct strobe strobe = {.replay = replay};
    double ui = strobe_ui(width_px, most_px), least = 0.6 * most_px;
    if (replay->has_depth) {
        struct draw_view view = space_view(0, width_px, most_px);
        return draw_strobe_space_choose(&view, replay).is_strip ? least : most_px;
    }
    strobe_survey(&strobe, replay);
    strobe_choose_moments(&strobe);
    strobe_fit(&strobe, width_px, most_px - TITLE_PX * ui, ui);
    double body = (strobe.bounds[3] - strobe.bounds[1]) * strobe.px_per_m;
    double frame = (replay->has_ground ? GROUND_PX + 2 * PAD_PX : 4 * PAD_PX) * ui;
    return fmin(fmax(TITLE_PX * ui + strobe.row_count * (body + frame), least), most_px);
}

void draw_strobe(cairo_t *cr, int width_px, int height_px, const struct replay *const *replays,
                 int count, unsigned overlays)
{
    ENSURE(count > 0 && width_px > 0 && height_px > 0, "%d replays on %d x %d px", count, width_px,
           height_px);
    double height = (double)height_px / count;
    for (int i = 0; i < count; i++)
        draw_strobe_of(cr, replays[i], floor(i * height), width_px,
                       floor((i + 1) * height) - floor(i * height), overlays);
}

#endif

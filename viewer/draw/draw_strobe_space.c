/* Strobe pictures of scenes with depth: the moments stand where they were, seen in perspective from
 * one place. The eye is turned so that the way leads to the right and a little towards it: what
 * comes later is larger, and before what came earlier. A long way is parted into rows, each with
 * its own eye, all of one scale. A body that stays in place, or goes steeply up or down, is shown
 * as a strip of cells. */
#include "viewer/draw/draw_space.h"

#ifdef HAVE_CAIRO

#include <math.h>
#include <stdio.h>

/* Moments: the room that there is at least, those of each of several rows at least, and cells of a
 * strip. */
#define MOMENTS_MIN    5
#define MOMENTS_IN_ROW 4
#define STRIP          5
/* Way from moment to moment, in body widths, and the least way that is not counted as standing in
 * place. */
#define SPACING      1.15
#define TRAVEL_LEAST 1.2
/* A way that goes up or down by more than this share of what it goes aside has no room in a broad
 * picture. */
#define STEEP 0.2
/* One row more must make the picture larger by this. */
#define ROW_GAIN 1.2
/* How far the way leads towards the eye, and how high the eye is, rad; less in rows, which are
 * low. */
#define TOWARDS_RAD 0.42
#define PITCH_RAD   0.2
/* The share of the picture's sides that all moments take at most, and of its height where their
 * middle is. */
#define WIDTH_SHARE  0.84
#define HEIGHT_SHARE 0.62
#define MIDDLE_SHARE 0.56
/* How often the eye is placed anew to reach it. */
#define PLACINGS 16
/* Only where so much has room is the view moved: what is larger may lie behind the eye, and has no
 * middle. */
#define SHIFT_SHARE 0.7
/* How often a corner that stands out farthest is looked for. */
#define LOOKS 3
/* Labels nearer than this to the one before, px, are left out. */
#define LABEL_PX 40.0
#define GHOST    0.62

static struct vec3 centre_at(const struct replay *replay, double time_s)
{
    struct replay_frame frame;
    replay_get_frame(replay, replay_frame_index(replay, time_s), &frame);
    return frame.centre;
}

double draw_reach_px(const struct eye *eye, const struct shape *shape,
                     const struct replay_pose *pose, double angle)
{
    double right = cos(angle), up = sin(angle), most = -INFINITY;
    struct vec3 side = vec3_along(vec3_scale(eye->right, eye->view->flip * right), eye->up, up);
    struct vec3 way = side;
    for (int i = 0; i < LOOKS; i++) {
        struct vec3 at = replay_shape_reach(shape, pose, way);
        struct spot spot = eye_project(eye, at);
        most = fmax(most, spot.x * right - spot.y * up);
        if (!spot.is_seen)
            break;
        /* where places at the same distance aside are nearer to the eye, they are farther out */
        double aside = vec3_dot(vec3_sub(at, eye->middle), side);
        way = vec3_along(side, eye->back, aside / (eye->distance_m - spot.near));
    }
    return most;
}

/* Left, top, right and bottom of all parts at a moment, px. */
static void grow_bounds(const struct draw_view *view, const struct replay *replay, double time_s,
                        double box[4])
{
    struct eye eye = eye_place(view, replay, time_s);
    struct replay_moment moment;
    replay_get_moment(replay, time_s, &moment);
    for (int p = 0; p < replay->part_count; p++) {
        const struct shape shape = replay_shape_now(replay, p, moment.values);
        const struct replay_pose *pose = &moment.poses[p];
        box[0] = fmin(box[0], -draw_reach_px(&eye, &shape, pose, DRAW_PI));
        box[1] = fmin(box[1], -draw_reach_px(&eye, &shape, pose, DRAW_PI / 2));
        box[2] = fmax(box[2], draw_reach_px(&eye, &shape, pose, 0));
        box[3] = fmax(box[3], draw_reach_px(&eye, &shape, pose, -DRAW_PI / 2));
    }
}

/* Scales that had room and that had not. */
struct scales {
    double room_px_per_m, no_room_px_per_m;
};

/* The scale to be tried next, where this one could be `share` times as large if sizes grew by it
 * alone; what is near to the eye grows faster. */
static double next_scale(struct scales *known, double px_per_m, double share)
{
    double next = share * px_per_m;
    if (share >= 1)
        known->room_px_per_m = fmax(px_per_m, known->room_px_per_m);
    else
        known->no_room_px_per_m = fmin(px_per_m, known->no_room_px_per_m);
    if (next >= known->no_room_px_per_m)
        return (px_per_m + known->no_room_px_per_m) / 2;
    if (next <= known->room_px_per_m)
        return (px_per_m + known->room_px_per_m) / 2;
    return next;
}

/* Moves the view so that a place of the picture comes half the way to its middle: what is near to
 * the eye moves more. */
static void shift_view(struct draw_view *view, const struct eye *eye, double x_px, double y_px)
{
    double aside = (x_px - view->left_px - view->width_px / 2) / 2;
    double below = (y_px - view->top_px - view->height_px / 2) / 2;
    struct vec3 shift = vec3_along(vec3_scale(eye->right, aside / view->px_per_m), eye->up,
                                   -below / view->px_per_m);
    view->x_m += shift.x;
    view->y_m += shift.y;
    view->z_m += shift.z;
}

void draw_fit_space(struct draw_view *view, const struct replay *replay, const double *times_s,
                    int count, const struct draw_room *room)
{
    struct scales known = {0, INFINITY};
    for (int k = 0; k < PLACINGS; k++) {
        double box[4] = {INFINITY, INFINITY, -INFINITY, -INFINITY};
        struct eye eye = eye_place(view, replay, 0);
        for (int i = 0; i < count; i++)
            grow_bounds(view, replay, times_s[i], box);
        double share = fmin(room->width * view->width_px / fmax(box[2] - box[0], 1),
                            room->height * view->height_px / fmax(box[3] - box[1], 1));
        if (share > SHIFT_SHARE)
            shift_view(view, &eye, (box[0] + box[2]) / 2,
                       (box[1] + box[3]) / 2 + (0.5 - room->middle) * view->height_px);
        view->px_per_m = fmin(next_scale(&known, view->px_per_m, share), room->most_px_per_m);
    }
}

static void draw_time(cairo_t *cr, const struct draw_view *view, const struct replay *replay,
                      double time_s, double *last_x)
{
    double box[4] = {INFINITY, INFINITY, -INFINITY, -INFINITY}, middle;
    char text[32];
    grow_bounds(view, replay, time_s, box);
    middle = (box[0] + box[2]) / 2;
    if (fabs(middle - *last_x) < LABEL_PX * view->ui)
        return;
    *last_x = middle;
    snprintf(text, sizeof text, "%.1f s", time_s);
    draw_text(cr, text, middle, box[1] - 8 * view->ui, 10.5 * view->ui, 0, DRAW_CENTRE,
              COLOR_text_soft);
}

/* A row of the picture, and its moments: from `first` on, up to `end`. */
struct row {
    struct draw_view view;
    int first, end;
};

static struct row place_row(const struct draw_view *view, const struct replay *replay,
                            const struct draw_strobe_moments *m, int index, double most)
{
    struct row row = {*view, index * m->count / m->rows, (index + 1) * m->count / m->rows};
    struct draw_view *own = &row.view;
    struct vec3 from = centre_at(replay, m->times_s[row.first]);
    struct vec3 to = centre_at(replay, m->times_s[row.end - 1]);
    own->top_px = floor(view->top_px + index * view->height_px / m->rows);
    own->height_px = floor(view->top_px + (index + 1) * view->height_px / m->rows) - own->top_px;
    own->orbit = (struct camera_orbit){atan2(from.z - to.z, to.x - from.x) + TOWARDS_RAD / m->rows,
                                       PITCH_RAD / (m->rows * m->rows)};
    own->x_m = (from.x + to.x) / 2;
    own->y_m = (from.y + to.y) / 2;
    own->z_m = (from.z + to.z) / 2;
    own->is_still = 1;
    own->px_per_m =
        0.5 * view->width_px / fmax(vec3_length(vec3_sub(to, from)), camera_body_width(replay));
    draw_fit_space(own, replay, m->times_s + row.first, row.end - row.first,
                   &(struct draw_room){WIDTH_SHARE, HEIGHT_SHARE, MIDDLE_SHARE, most});
    return row;
}

/* The scale that has room in all rows. */
static double scale_rows(const struct draw_view *view, const struct replay *replay,
                         const struct draw_strobe_moments *m)
{
    double px_per_m = INFINITY;
    for (int i = 0; i < m->rows; i++)
        px_per_m = fmin(px_per_m, place_row(view, replay, m, i, INFINITY).view.px_per_m);
    return px_per_m;
}

static struct draw_strobe_moments moments_of(const struct replay *replay, int count, int rows)
{
    struct draw_strobe_moments m = {.count = count, .rows = rows};
    draw_strobe_times(replay, count, m.times_s);
    return m;
}

struct draw_strobe_moments draw_strobe_space_choose(const struct draw_view *view,
                                                    const struct replay *replay)
{
    double duration = replay_duration(replay), body = fmax(camera_body_width(replay), 1e-3);
    struct vec3 way = vec3_sub(centre_at(replay, duration), centre_at(replay, 0));
    double travel = vec3_length(way), scale = 0;
    struct draw_strobe_moments best = moments_of(replay, duration > 0 ? STRIP : 1, 1);
    best.is_strip = travel < TRAVEL_LEAST * body || fabs(way.y) > STEEP * hypot(way.x, way.z);
    for (int rows = 1; rows <= DRAW_STROBE_ROWS && !best.is_strip; rows++) {
        double room = fmin(travel / (SPACING * body) + 1, rows * DRAW_STROBE_IN_ROW);
        int count = draw_strobe_count(replay, (int)fmax(room, MOMENTS_MIN));
        struct draw_strobe_moments m = moments_of(replay, count, rows);
        double own = scale_rows(view, replay, &m);
        if (own < ROW_GAIN * scale || count < rows * MOMENTS_IN_ROW)
            break;
        best = m;
        scale = own;
    }
    return best;
}

static void draw_row(cairo_t *cr, const struct row *row, const struct replay *replay,
                     const struct draw_strobe_moments *m, unsigned overlays)
{
    const struct draw_view *view = &row->view;
    struct draw_moment moments[DRAW_STROBE_ROWS * DRAW_STROBE_IN_ROW];
    double last_x = -INFINITY;
    draw_world(cr, view, replay, 0, overlays);
    for (int i = row->first; i < row->end; i++) {
        double age = 1 - (double)i / (m->count - 1);
        moments[i] = (struct draw_moment){m->times_s[i], GHOST * pow(age, 0.8)};
    }
    if (!(overlays & DRAW_UNMARKED))
        draw_space_marks(cr, view, replay, moments + row->first, row->end - row->first);
    draw_moments(cr, view, replay, moments + row->first, row->end - row->first,
                 DRAW_TRAIL | (overlays & DRAW_BOXES));
    for (int i = row->first; i < row->end; i++)
        draw_time(cr, view, replay, m->times_s[i], &last_x);
}

static void draw_along(cairo_t *cr, const struct draw_view *view, const struct replay *replay,
                       const struct draw_strobe_moments *m, unsigned overlays)
{
    double px_per_m = scale_rows(view, replay, m);
    for (int i = 0; i < m->rows; i++) {
        struct row row = place_row(view, replay, m, i, px_per_m);
        cairo_save(cr);
        cairo_rectangle(cr, row.view.left_px, row.view.top_px, row.view.width_px,
                        row.view.height_px);
        cairo_clip(cr);
        draw_row(cr, &row, replay, m, overlays);
        cairo_restore(cr);
    }
}

static struct draw_view cell_view(const struct draw_view *view, const struct replay *replay,
                                  const double *times_s, int count, int index)
{
    struct draw_view cell = *view;
    struct vec3 centre = centre_at(replay, times_s[index]);
    cell.left_px = floor(view->left_px + index * view->width_px / count);
    cell.width_px = floor(view->left_px + (index + 1) * view->width_px / count) - cell.left_px;
    cell.orbit = (struct camera_orbit)CAMERA_ORBIT_USUAL;
    cell.x_m = centre.x;
    cell.y_m = centre.y;
    return cell;
}

/* Scales the view until the body just has room in each cell. */
static void scale_cells(struct draw_view *view, const struct replay *replay, const double *times_s,
                        int count)
{
    view->px_per_m = view->width_px / count / fmax(camera_body_width(replay), 1e-3);
    struct scales known = {0, INFINITY};
    for (int k = 0; k < PLACINGS; k++) {
        double share = INFINITY;
        for (int i = 0; i < count; i++) {
            struct draw_view cell = cell_view(view, replay, times_s, count, i);
            double box[4] = {INFINITY, INFINITY, -INFINITY, -INFINITY};
            double x = cell.left_px + cell.width_px / 2, y = cell.top_px + cell.height_px / 2;
            grow_bounds(&cell, replay, times_s[i], box);
            double aside = fmax(x - box[0], box[2] - x), above = fmax(y - box[1], box[3] - y);
            share = fmin(share, fmin(WIDTH_SHARE * cell.width_px / fmax(2 * aside, 1),
                                     HEIGHT_SHARE * cell.height_px / fmax(2 * above, 1)));
        }
        view->px_per_m = next_scale(&known, view->px_per_m, share);
    }
}

static void draw_strip(cairo_t *cr, const struct draw_view *view, const struct replay *replay,
                       const double *times_s, int count, unsigned overlays)
{
    struct draw_view scaled = *view;
    scale_cells(&scaled, replay, times_s, count);
    for (int i = 0; i < count; i++) {
        struct draw_view cell = cell_view(&scaled, replay, times_s, count, i);
        double edge = -INFINITY;
        cairo_save(cr);
        cairo_rectangle(cr, cell.left_px, cell.top_px, cell.width_px, cell.height_px);
        cairo_clip(cr);
        draw_world(cr, &cell, replay, times_s[i], overlays | DRAW_UNMARKED);
        draw_creature(cr, &cell, replay, times_s[i], 0, overlays & DRAW_BOXES);
        draw_time(cr, &cell, replay, times_s[i], &edge);
        cairo_restore(cr);
    }
}

void draw_strobe_space(cairo_t *cr, const struct draw_view *view, const struct replay *replay,
                       const struct draw_strobe_moments *m, unsigned overlays)
{
    if (m->is_strip)
        draw_strip(cr, view, replay, m->times_s, m->count, overlays);
    else
        draw_along(cr, view, replay, m, overlays);
}

#endif

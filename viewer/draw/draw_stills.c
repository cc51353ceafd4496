/* Stills that find their own view: strobe pictures and plain ones. Perspective has no closed form
 * for how far bodies reach in a picture, so that their room is found by a few rounds.
 *
 * The strobe picture is a whole gait in one still.
 * A creature that gets anywhere is drawn where it was at several moments equally far apart in time,
 * the earlier ones fainter, seen from one place, and its way is always read from left to right: in
 * space the eye is turned so that the way leads to the right and a little towards it, in the plane
 * a way to the left is mirrored. A long way is parted into rows, as text is, each with its own eye,
 * all of one scale. A body that stays in place, or in space goes steeply up or down, is shown as a
 * strip of cells, without marks of distance, which would mean nothing there.
 *
 * Plain pictures are of creatures alone on nothing: no world, no text, no marks. For pages that
 * place such pictures in their own text and colours. Several stand in a grid, each as large as its
 * cell. */
#include "viewer/draw/draw_space.h"
#include "viewer/draw/eye/eye.h"

#include <math.h>
#include <stdio.h>

/* Moments: the room that there is at least, and those of each of several rows at least. */
#define MOMENTS_MIN    5
#define MOMENTS_IN_ROW 4
/* One row more must make the picture larger by this. */
#define ROW_GAIN 1.2
/* How far the way leads towards the eye, and how high the eye is, rad; less in rows, which are
 * low. */
#define TOWARDS_RAD 0.42
#define PITCH_RAD   0.2
/* Rounds in which a view is fitted; the view is moved only if the bodies, scaled by this share,
 * would have room: a larger body may reach behind the eye, and its picture has no middle. */
#define PLACINGS    16
#define SHIFT_SHARE 0.7
/* Rounds of draw_reach_px(). */
#define LOOKS 3
/* Labels nearer than this to the one before, px, are left out. */
#define LABEL_PX 40.0
/* px at ui 1: the heading; the ground below a line of it, in the plane; above and below bodies. */
#define TITLE_PX  46.0
#define GROUND_PX 44.0
#define PAD_PX    26.0
/* Of plain pictures. Share of a cell that stays free on each side. */
#define MARGIN 0.06
/* A joint's disc and an outline may reach beyond the parts, px at ui 1. */
#define OUTLINE_PX 3.0

/* ---- the room that bodies take ---- */

double draw_reach_px(const struct eye *eye, const struct shape *shape,
                     const struct replay_pose *pose, double angle)
{
    /* `side` points in the picture's direction; `way` leans to the eye, to find the outermost place */
    double right = cos(angle), up = sin(angle), most = -INFINITY;
    struct vec3 side = vec3_along(vec3_scale(eye->right, eye->view->flip * right), eye->up, up);
    struct vec3 way = side;
    for (int i = 0; i < LOOKS; i++) {
        struct vec3 at = replay_shape_reach(shape, pose, way);
        struct spot spot = eye_project(eye, at);
        most = fmax(most, spot.x * right - spot.y * up);
        if (!spot.is_seen)
            break;
        /* of places equally far aside, the one nearer to the eye is drawn farther out */
        double aside = vec3_dot(vec3_sub(at, eye->middle), side);
        way = vec3_along(side, eye->back, aside / (eye->distance_m - spot.near));
    }
    return most;
}

/* Widens a rectangle, left, top, right and bottom, px, by all parts at a moment, in
 * the plane with the ground below them. */
static void grow_bounds(const struct draw_view *view, const struct replay *replay, double time_s,
                        double box[4])
{
    struct eye eye = eye_place(view, replay, time_s);
    struct replay_moment moment;
    replay_get_moment(replay, time_s, &moment);
    if (eye_is_flat(&eye) && replay->has_ground)
        box[3] = fmax(box[3], draw_view_y(view, 0));
    for (int p = 0; p < replay->part_count; p++) {
        const struct shape shape = replay_shape_now(replay, p, moment.values);
        const struct replay_pose *pose = &moment.poses[p];
        box[0] = fmin(box[0], -draw_reach_px(&eye, &shape, pose, DRAW_PI));
        box[1] = fmin(box[1], -draw_reach_px(&eye, &shape, pose, DRAW_PI / 2));
        box[2] = fmax(box[2], draw_reach_px(&eye, &shape, pose, 0));
        box[3] = fmax(box[3], draw_reach_px(&eye, &shape, pose, -DRAW_PI / 2));
    }
}

/* Scales that had room and that had not; and the one to be tried next, where this one could be
 * `share` times as large if sizes grew by it alone: what is near to the eye grows faster. */
struct scales {
    double room_px_per_m, no_room_px_per_m;
};

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

/* Moves the view so that a place of the picture comes half the way to its middle. The whole way
 * would be too far for a body near to the eye, which moves more in the picture. */
static void shift_view(struct draw_view *view, const struct eye *eye, double x_px, double y_px)
{
    double aside = (x_px - view->left_px - view->width_px / 2) / 2;
    double below = (y_px - view->top_px - view->height_px / 2) / 2;
    struct vec3 shift = vec3_along(vec3_scale(eye->right, view->flip * aside / view->px_per_m),
                                   eye->up, -below / view->px_per_m);
    view->x_m += shift.x;
    view->y_m += shift.y;
    view->z_m += shift.z;
}

/* The room that bodies may take in a view, as shares of its sides: width, height, and the distance
 * of their middle from the top; and the greatest scale, px/m. */
struct room {
    double width, height, middle, most_px_per_m;
};

/* Moves and scales a view that stands still until the bodies at all moments have room. */
static void fit_view(struct draw_view *view, const struct replay *replay, const double *times_s,
                     int count, const struct room *room)
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

/* ---- moments ---- */

/* What differs in the plane and in space. */
static const struct arrangement {
    int strip;                /* moments in a strip */
    double spacing;           /* from moment to moment, in body widths */
    double travel;            /* a shorter way, in body widths, is no way */
    double steep;             /* so is one that goes up by more than this share of its way aside */
    double ghost, cell_ghost; /* how faint the first moment is */
} arrangements[2] = {{8, 0.85, 0.9, INFINITY, 0.72, 0.3}, {5, 1.15, 1.2, 0.2, 0.62, 0}};

/* The part of a row or a cell that bodies take. */
static struct room room_of(const struct draw_view *view, const struct replay *replay)
{
    double foot_px = replay->has_ground ? GROUND_PX : PAD_PX, height_px = view->height_px;
    if (replay->has_depth)
        return (struct room){0.84, 0.62, 0.56, INFINITY};
    return (struct room){0.93, fmax(1 - (foot_px + PAD_PX) * view->ui / height_px, 0.1), 0.5,
                         0.8 * height_px / fmax(camera_body_width(replay), 1e-3)};
}

/* Mean change of the joints from one of `count` moments to the next, rad; of linear ones in halves
 * of their part's longer side. */
static double pose_change(const struct replay *replay, int count)
{
    double sum = 0, duration = replay_duration(replay);
    for (int i = 1; i < count; i++) {
        struct replay_frame a = replay_frame_at(replay, duration * (i - 1) / (count - 1));
        struct replay_frame b = replay_frame_at(replay, duration * i / (count - 1));
        for (int k = 0; k < replay->drive_count; k++) {
            const struct replay_drive *drive = &replay->drives[k];
            double unit = drive->is_linear ? scene_half_most(&replay->shapes[drive->part]) : 1;
            sum += fabs((double)b.values[k] - (double)a.values[k]) / unit;
        }
    }
    return sum / (count - 1);
}

/* The number of moments, up to a quarter fewer than there is room for, at which poses differ most:
 * moments that fall on the same phase of every stride make it look as if it slid. */
static int count_moments(const struct replay *replay, int most)
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

/* Equally far apart, but that where there is a floor the one nearest to the top of the highest jump
 * is at the top. */
static void choose_times(const struct replay *replay, int count, double *times_s)
{
    double duration = replay_duration(replay);
    int last = count - 1;
    ENSURE(count > 0, "%d moments", count);
    for (int i = 0; i <= last; i++)
        times_s[i] = last ? duration * i / last : 0;
    if (replay_has_floor(replay) && last > 1) {
        double top = 0, highest_m = -INFINITY;
        for (int i = 0; i < replay->frame_count; i++) {
            struct replay_frame frame = replay_get_frame(replay, i);
            if (frame.centre.y > highest_m) {
                highest_m = frame.centre.y;
                top = frame.time_s;
            }
        }
        int nearest = (int)(top / duration * last + 0.5);
        if (nearest > 0 && nearest < last)
            times_s[nearest] = top;
    }
}

/* ---- views ---- */

/* In the plane the ground's line is where its marks have room below it. */
static void stand_on_ground(struct draw_view *view, const struct replay *replay)
{
    if (replay->has_ground && !replay->has_depth)
        view->y_m = (view->height_px / 2 - fmin(GROUND_PX * view->ui, 0.4 * view->height_px)) /
                    view->px_per_m;
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
    struct vec3 from = replay_frame_at(replay, m->times_s[row.first]).centre;
    struct vec3 to = replay_frame_at(replay, m->times_s[row.end - 1]).centre;
    own->top_px = floor(view->top_px + index * view->height_px / m->rows);
    own->height_px = floor(view->top_px + (index + 1) * view->height_px / m->rows) - own->top_px;
    own->orbit = (struct camera_orbit){atan2(from.z - to.z, to.x - from.x) + TOWARDS_RAD / m->rows,
                                       PITCH_RAD / (m->rows * m->rows)};
    own->flip = m->is_mirrored ? -1 : 1;
    own->x_m = (from.x + to.x) / 2;
    own->y_m = (from.y + to.y) / 2;
    own->z_m = (from.z + to.z) / 2;
    own->is_still = 1;
    own->px_per_m =
        0.5 * view->width_px / fmax(vec3_length(vec3_sub(to, from)), camera_body_width(replay));
    struct room room = room_of(own, replay);
    room.most_px_per_m = fmin(room.most_px_per_m, most);
    fit_view(own, replay, m->times_s + row.first, row.end - row.first, &room);
    stand_on_ground(own, replay);
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
    double duration = replay_duration(replay);
    struct draw_strobe_moments m = {.count = count, .rows = rows};
    m.is_mirrored =
        !replay->has_depth && replay_has_floor(replay) &&
        replay_frame_at(replay, duration).centre.x < replay_frame_at(replay, 0).centre.x;
    choose_times(replay, count, m.times_s);
    return m;
}

struct draw_strobe_moments draw_strobe_choose(const struct draw_view *view,
                                              const struct replay *replay)
{
    const struct arrangement *by = &arrangements[replay->has_depth];
    double duration = replay_duration(replay), body = fmax(camera_body_width(replay), 1e-3);
    struct vec3 way =
        vec3_sub(replay_frame_at(replay, duration).centre, replay_frame_at(replay, 0).centre);
    double travel = vec3_length(way), scale = 0;
    struct draw_strobe_moments best = moments_of(replay, duration > 0 ? by->strip : 1, 1);
    best.is_strip = travel < by->travel * body || fabs(way.y) > by->steep * hypot(way.x, way.z);
    for (int rows = 1; rows <= DRAW_STROBE_ROWS && !best.is_strip; rows++) {
        double room = fmin(travel / (by->spacing * body) + 1, rows * DRAW_STROBE_IN_ROW);
        int count = count_moments(replay, (int)fmax(room, MOMENTS_MIN));
        if (rows == 1 && count < MOMENTS_IN_ROW)
            count = MOMENTS_IN_ROW;
        struct draw_strobe_moments m = moments_of(replay, count, rows);
        double own = scale_rows(view, replay, &m);
        if (own < ROW_GAIN * scale || count < rows * MOMENTS_IN_ROW)
            break;
        best = m;
        scale = own;
    }
    return best;
}

static struct draw_view cell_view(const struct draw_view *view, const struct replay *replay,
                                  const double *times_s, int count, int index)
{
    struct draw_view cell = *view;
    struct vec3 centre = replay_frame_at(replay, times_s[index]).centre;
    cell.left_px = floor(view->left_px + index * view->width_px / count);
    cell.width_px = floor(view->left_px + (index + 1) * view->width_px / count) - cell.left_px;
    cell.x_m = centre.x;
    cell.y_m = centre.y;
    if (!replay->has_depth) {
        struct replay_moment moment;
        double bounds[4];
        replay_get_moment(replay, times_s[index], &moment);
        replay_get_bounds(replay, moment.poses, moment.values, bounds);
        cell.x_m = (bounds[0] + bounds[2]) / 2;
    }
    stand_on_ground(&cell, replay);
    return cell;
}

/* Scales the view until the body just has room in each cell. */
static void scale_cells(struct draw_view *view, const struct replay *replay, const double *times_s,
                        int count)
{
    const struct room room = room_of(view, replay);
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
            share = fmin(share, fmin(room.width * cell.width_px / fmax(2 * aside, 1),
                                     room.height * cell.height_px / fmax(2 * above, 1)));
        }
        view->px_per_m = next_scale(&known, view->px_per_m, share);
    }
}

/* ---- the picture ---- */

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

static void draw_row(cairo_t *cr, const struct row *row, const struct replay *replay,
                     const struct draw_strobe_moments *m, unsigned overlays)
{
    const struct draw_view *view = &row->view;
    struct draw_moment moments[DRAW_STROBE_ROWS * DRAW_STROBE_IN_ROW];
    const struct arrangement *by = &arrangements[replay->has_depth];
    double last_x = -INFINITY;
    draw_world(cr, view, replay, 0, overlays);
    for (int i = row->first; i < row->end; i++) {
        double age = 1 - (double)i / (m->count - 1);
        moments[i] = (struct draw_moment){m->times_s[i], by->ghost * pow(age, 0.8)};
    }
    if (!(overlays & DRAW_UNMARKED))
        draw_space_marks(cr, view, replay, moments + row->first, row->end - row->first);
    draw_moments(cr, view, replay, moments + row->first, row->end - row->first,
                 DRAW_TRAIL | (overlays & DRAW_BOXES));
    for (int i = row->first; i < row->end; i++)
        draw_time(cr, view, replay, m->times_s[i], &last_x);
}

/* In the plane one world is behind all cells, unless a creature has its place in it. */
static void draw_strip(cairo_t *cr, const struct draw_view *view, const struct replay *replay,
                       const struct draw_strobe_moments *m, unsigned overlays)
{
    struct draw_view scaled = *view;
    int is_one = !replay->has_depth && replay->obstacles.count == 0 && !(replay->ring_m > 0);
    scale_cells(&scaled, replay, m->times_s, m->count);
    for (int i = 0; i < m->count; i++) {
        struct draw_view cell = cell_view(&scaled, replay, m->times_s, m->count, i);
        double edge = -INFINITY, age = m->count > 1 ? 1 - (double)i / (m->count - 1) : 0;
        struct draw_view world = is_one ? scaled : cell;
        world.x_m = cell.x_m;
        world.y_m = cell.y_m;
        draw_clip(cr, world.left_px, world.top_px, world.width_px, world.height_px);
        if (!is_one || i == 0)
            draw_world(cr, &world, replay, m->times_s[i], overlays | DRAW_UNMARKED);
        draw_creature(cr, &cell, replay, m->times_s[i],
                      arrangements[replay->has_depth].cell_ghost * age, overlays & DRAW_BOXES);
        draw_time(cr, &cell, replay, m->times_s[i], &edge);
        cairo_restore(cr);
    }
}

static void draw_heading(cairo_t *cr, const struct replay *replay,
                         const struct draw_strobe_moments *m, double top, double width, double ui)
{
    char text[96];
    double size = 17 * ui, used;
    int length = 0;
    cairo_rectangle(cr, 0, top, width, TITLE_PX * ui);
    draw_fill(cr, COLOR_panel, 1);
    /* without a fitness the title says the distance already */
    if (replay->status != REPLAY_UNRECORDED && replay->has_goal)
        length = snprintf(text, sizeof text, "%.2f m in %.3g s, ", replay->measures.displacement_m,
                          replay_duration(replay));
    if (m->count > 1 && !m->is_strip)
        snprintf(text + length, sizeof text - (size_t)length, "%d moments%s", m->count,
                 m->is_mirrored ? ", mirrored" : "");
    else
        snprintf(text + length, sizeof text - (size_t)length, "side by side");
    used = draw_text(cr, text, width - 18 * ui, top + 29 * ui, 12 * ui, 0, DRAW_RIGHT,
                     COLOR_text_soft);
    draw_title(cr, replay, 18 * ui, width - used - 46 * ui, top + 30 * ui, size, 0);
    draw_off(cr, replay, 18 * ui, width - 18 * ui, top + (TITLE_PX + 22) * ui, size);
}

/* Below the heading. */
static struct draw_view body_view(double top, double width, double height)
{
    double ui = fmin(fmax(fmin(width / 1200, height / 300), 0.8), 4), title = floor(TITLE_PX * ui);
    return (struct draw_view){.top_px = top + title,
                              .width_px = width,
                              .height_px = height - title,
                              .flip = 1,
                              .orbit = CAMERA_ORBIT_USUAL,
                              .ui = ui};
}

double draw_strobe_height(const struct replay *replay, double width_px, double most_px)
{
    ENSURE(most_px > 0, "%g px at most", most_px);
    struct draw_view view = body_view(0, width_px, most_px);
    struct draw_strobe_moments m = draw_strobe_choose(&view, replay);
    double least = 0.6 * most_px, foot_px = replay->has_ground ? GROUND_PX : PAD_PX;
    if (m.is_strip || replay->has_depth)
        return m.is_strip ? least : most_px;
    double px_per_m = scale_rows(&view, replay, &m), highest_px = 0;
    for (int i = 0; i < m.rows; i++) {
        struct row row = place_row(&view, replay, &m, i, px_per_m);
        double box[4] = {INFINITY, INFINITY, -INFINITY, -INFINITY};
        for (int k = row.first; k < row.end; k++)
            grow_bounds(&row.view, replay, m.times_s[k], box);
        highest_px = fmax(highest_px, box[3] - box[1]);
    }
    double row_px = highest_px + (foot_px + 2 * PAD_PX) * view.ui;
    return fmin(fmax(TITLE_PX * view.ui + m.rows * row_px, least), most_px);
}

void draw_strobe(cairo_t *cr, int width_px, int height_px, const struct replay *const *replays,
                 int count, unsigned overlays)
{
    ENSURE(count > 0 && width_px > 0 && height_px > 0, "%d replays on %d x %d px", count, width_px,
           height_px);
    double height = (double)height_px / count;
    for (int i = 0; i < count; i++) {
        const struct replay *replay = replays[i];
        double top = floor(i * height);
        struct draw_view view = body_view(top, width_px, floor((i + 1) * height) - top);
        struct draw_strobe_moments m = draw_strobe_choose(&view, replay);
        double px_per_m = m.is_strip ? 0 : scale_rows(&view, replay, &m);
        if (m.is_strip)
            draw_strip(cr, &view, replay, &m, overlays);
        for (int k = 0; k < m.rows && !m.is_strip; k++) {
            struct row row = place_row(&view, replay, &m, k, px_per_m);
            draw_clip(cr, row.view.left_px, row.view.top_px, row.view.width_px, row.view.height_px);
            draw_row(cr, &row, replay, &m, overlays);
            cairo_restore(cr);
        }
        draw_heading(cr, replay, &m, top, width_px, view.ui);
    }
}

/* ---- plain pictures ---- */

/* The view in which the body of that moment fills its cell. */
static struct draw_view fit_body(const struct replay *replay, double time_s, double left,
                                 double top, double width, double height)
{
    struct replay_moment moment;
    double bounds[4], ui = draw_ui_scale(width, height);
    replay_get_moment(replay, time_s, &moment);
    replay_get_bounds(replay, moment.poses, moment.values, bounds);
    double across = fmax(bounds[2] - bounds[0], 1e-3), up = fmax(bounds[3] - bounds[1], 1e-3);
    double room_x = fmax(width * (1 - 2 * MARGIN) - 2 * OUTLINE_PX * ui, 1);
    double room_y = fmax(height * (1 - 2 * MARGIN) - 2 * OUTLINE_PX * ui, 1);
    struct draw_view view = {.left_px = left,
                             .top_px = top,
                             .width_px = width,
                             .height_px = height,
                             .x_m = (bounds[0] + bounds[2]) / 2,
                             .y_m = (bounds[1] + bounds[3]) / 2,
                             .px_per_m = fmin(room_x / across, room_y / up),
                             .flip = 1,
                             .orbit = CAMERA_ORBIT_USUAL,
                             .ui = ui};
    if (replay->has_depth) {
        view.is_still = view.is_fine = 1;
        view.z_m = moment.frame.centre.z;
        /* from so far away that nothing is behind the eye */
        view.px_per_m = 0.2 * fmin(width, height) / fmax(replay->size_m, 1e-3);
        fit_view(&view, replay, &time_s, 1,
                 &(struct room){1 - 2 * MARGIN, 1 - 2 * MARGIN, 0.5, INFINITY});
    }
    return view;
}

void draw_plain(cairo_t *cr, int width_px, int height_px, const struct replay *const *replays,
                int count, double time_s, unsigned overlays)
{
    /* as many columns as make the cells as square as the picture allows */
    double wanted = sqrt(count * (double)width_px / (double)height_px) + 0.5;
    int columns = (int)fmin(fmax(wanted, 1), count);
    int rows = (count + columns - 1) / columns;
    double width = (double)width_px / columns, height = (double)height_px / rows;
    for (int i = 0; i < count; i++) {
        struct draw_view view =
            fit_body(replays[i], time_s, i % columns * width, i / columns * height, width, height);
        draw_clip(cr, view.left_px, view.top_px, width, height);
        draw_creature(cr, &view, replays[i], time_s, 0, overlays & DRAW_BOXES);
        cairo_restore(cr);
    }
}

/* How far bodies reach in a picture, and the view in which bodies at several moments just have
 * room. Perspective has no closed form for either, so both are found by a few rounds.
 *
 * Plain pictures are of creatures alone on nothing: no world, no text, no marks. For pages that
 * place such pictures in their own text and colours. Several stand in a grid, each as large as its
 * cell. */
#include "viewer/draw/draw_space.h"

#include <math.h>

/* Rounds of draw_fit(). */
#define PLACINGS 16
/* The view is moved only if the bodies, scaled by this share, would have room: a larger body may
 * reach behind the eye, and its picture has no middle. */
#define SHIFT_SHARE 0.7
/* Rounds of draw_reach_px(). */
#define LOOKS 3
/* Of plain pictures. Share of a cell that stays free on each side. */
#define MARGIN 0.06
/* A joint's disc and an outline may reach beyond the parts, px at ui 1. */
#define OUTLINE_PX 3.0

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

void draw_grow_bounds(const struct draw_view *view, const struct replay *replay, double time_s,
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

double draw_next_scale(struct draw_scales *known, double px_per_m, double share)
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

void draw_fit(struct draw_view *view, const struct replay *replay, const double *times_s, int count,
              const struct draw_room *room)
{
    struct draw_scales known = {0, INFINITY};
    for (int k = 0; k < PLACINGS; k++) {
        double box[4] = {INFINITY, INFINITY, -INFINITY, -INFINITY};
        struct eye eye = eye_place(view, replay, 0);
        for (int i = 0; i < count; i++)
            draw_grow_bounds(view, replay, times_s[i], box);
        double share = fmin(room->width * view->width_px / fmax(box[2] - box[0], 1),
                            room->height * view->height_px / fmax(box[3] - box[1], 1));
        if (share > SHIFT_SHARE)
            shift_view(view, &eye, (box[0] + box[2]) / 2,
                       (box[1] + box[3]) / 2 + (0.5 - room->middle) * view->height_px);
        view->px_per_m = fmin(draw_next_scale(&known, view->px_per_m, share), room->most_px_per_m);
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
        draw_fit(&view, replay, &time_s, 1,
                 &(struct draw_room){1 - 2 * MARGIN, 1 - 2 * MARGIN, 0.5, INFINITY});
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

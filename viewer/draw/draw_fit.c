/* How far bodies reach in a picture, and the view in which bodies at several moments just have
 * room. Perspective has no closed form for either, so both are found by a few rounds. */
#include "viewer/draw/draw_space.h"

#include <math.h>

/* Rounds of draw_fit(). */
#define PLACINGS 16
/* The view is moved only if the bodies, scaled by this share, would have room: a larger body may
 * reach behind the eye, and its picture has no middle. */
#define SHIFT_SHARE 0.7
/* Rounds of draw_reach_px(). */
#define LOOKS 3

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

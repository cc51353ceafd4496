#include "viewer/draw/eye/eye.h"

#include <math.h>

/* The eye's distance, by the larger side of the picture in the middle plane. */
#define EYE_DISTANCE 1.1
/* The eye is at least this share of its distance above the ground. */
#define ABOVE_GROUND 0.04
/* Points nearer to the eye than this share of its distance are left out. */
#define NEAREST_SHARE 0.08
/* The middle follows the depth of the centre of mass over so many moments, this far apart. */
#define DEPTH_MOMENTS 7
#define DEPTH_STEP_S  0.1
/* Haze begins at so many distances of the middle, and takes two thirds of a colour so many
 * farther. */
#define HAZE_BEGIN 1.3
#define HAZE_REACH 5.0
/* Thickness of rods, by the thinner end's half of the shortest side. */
#define ROD_SHARE    0.38
#define MUSCLE_SHARE 0.55

int draw_is_spatial(const struct draw_view *view, const struct replay *replay)
{
    return replay->has_depth && (view->orbit.yaw_rad != 0 || view->orbit.pitch_rad != 0);
}

struct eye eye_place(const struct draw_view *view, const struct replay *replay, double time_s)
{
    if (!draw_is_spatial(view, replay))
        return (struct eye){.view = view,
                            .middle = {view->x_m, view->y_m, 0},
                            .right = {1, 0, 0},
                            .up = {0, 1, 0},
                            .back = {0, 0, 1},
                            .distance_m = INFINITY};
    double away_m = view->is_parallel
                        ? INFINITY
                        : EYE_DISTANCE * fmax(view->width_px, view->height_px) / view->px_per_m;
    /* never below the ground */
    double least = fmin(fmax(ABOVE_GROUND - view->y_m / away_m, -1), 1);
    double pitch = view->orbit.pitch_rad;
    if (replay->has_ground && !view->is_parallel)
        pitch = fmax(pitch, asin(least));
    double depth = 0;
    for (int i = 0; i < DEPTH_MOMENTS && !view->is_still; i++) {
        double at_s = time_s + (i - DEPTH_MOMENTS / 2) * DEPTH_STEP_S;
        depth += replay_frame_at(replay, at_s).centre.z;
    }
    double sy = sin(view->orbit.yaw_rad), cy = cos(view->orbit.yaw_rad);
    double sp = sin(pitch), cp = cos(pitch);
    struct eye eye = {.view = view,
                      .middle = {view->x_m, view->y_m, view->z_m + depth / DEPTH_MOMENTS},
                      .right = {cy, 0, -sy},
                      .up = {-sy * sp, cp, -cy * sp},
                      .back = {sy * cp, sp, cy * cp},
                      .distance_m = away_m};
    return eye;
}

int eye_is_flat(const struct eye *eye)
{
    return isinf(eye->distance_m);
}

struct spot eye_project(const struct eye *eye, struct vec3 at)
{
    const struct draw_view *view = eye->view;
    struct vec3 way = vec3_sub(at, eye->middle);
    struct spot spot = {.near = vec3_dot(way, eye->back), .is_seen = 1, .scale = view->px_per_m};
    if (!eye_is_flat(eye)) {
        double left = eye->distance_m - spot.near;
        spot.is_seen = left > NEAREST_SHARE * eye->distance_m;
        spot.scale *= eye->distance_m / fmax(left, NEAREST_SHARE * eye->distance_m);
    }
    spot.x =
        view->left_px + view->width_px / 2 + view->flip * spot.scale * vec3_dot(way, eye->right);
    spot.y = view->top_px + view->height_px / 2 - spot.scale * vec3_dot(way, eye->up);
    return spot;
}

struct vec3 eye_unit(struct vec3 way)
{
    double length = vec3_length(way);
    return length > 0 ? vec3_scale(way, 1 / length) : (struct vec3){1, 0, 0};
}

struct vec3 eye_position(const struct eye *eye)
{
    return vec3_along(eye->middle, eye->back, eye->distance_m);
}

/* How near to the eye what is seen may come, towards it from the middle, m. */
static double nearest_m(const struct eye *eye)
{
    return (1 - NEAREST_SHARE) * eye->distance_m - 1e-9;
}

void eye_trace_line(cairo_t *cr, const struct eye *eye, struct vec3 a, struct vec3 b)
{
    if (!eye_project(eye, a).is_seen) {
        struct vec3 c = a;
        a = b;
        b = c;
    }
    struct spot from = eye_project(eye, a), to = eye_project(eye, b);
    if (!from.is_seen)
        return;
    if (!to.is_seen)
        to = eye_project(eye, vec3_along(a, vec3_sub(b, a),
                                         (nearest_m(eye) - from.near) / (to.near - from.near)));
    draw_line(cr, from.x, from.y, to.x, to.y);
}

int eye_cut_polygon(const struct eye *eye, const struct vec3 *corners, int count,
                    struct spot *spots)
{
    ENSURE(count >= 3 && count <= EYE_CORNERS_MAX, "a polygon of %d corners", count);
    int kept = 0;
    for (int i = 0; i < count; i++) {
        struct vec3 next = corners[(i + 1) % count];
        struct spot a = eye_project(eye, corners[i]), b = eye_project(eye, next);
        if (a.is_seen)
            spots[kept++] = a;
        if (a.is_seen == b.is_seen)
            continue;
        double share = (nearest_m(eye) - a.near) / (b.near - a.near);
        spots[kept++] = eye_project(eye, vec3_along(corners[i], vec3_sub(next, corners[i]), share));
    }
    return kept > 2 ? kept : 0;
}

int eye_trace_polygon(cairo_t *cr, const struct eye *eye, const struct vec3 *corners, int count)
{
    struct spot spots[2 * EYE_CORNERS_MAX];
    int kept = eye_cut_polygon(eye, corners, count, spots);
    for (int i = 0; i < kept; i++)
        (i ? cairo_line_to : cairo_move_to)(cr, spots[i].x, spots[i].y);
    if (kept)
        cairo_close_path(cr);
    return kept > 0;
}

struct order_eye eye_order(const struct eye *eye)
{
    int is_flat = eye_is_flat(eye);
    return (struct order_eye){is_flat ? eye->back : eye_position(eye), is_flat};
}

/* ---- the ground ---- */

/* Pixels that are as far from the middle as the eye is from the picture. */
static double focus_px(const struct eye *eye)
{
    return eye->view->px_per_m * eye->distance_m;
}

static double middle_row(const struct eye *eye)
{
    return eye->view->top_px + eye->view->height_px / 2;
}

double eye_horizon(const struct eye *eye)
{
    if (eye_is_flat(eye) || eye->up.y < 1e-6)
        return -INFINITY;
    return middle_row(eye) - focus_px(eye) * eye->back.y / eye->up.y;
}

double eye_ground_distance(const struct eye *eye, double y_px)
{
    double fall = eye->back.y + eye->up.y * (y_px - middle_row(eye)) / focus_px(eye);
    double height = eye_position(eye).y;
    return eye_is_flat(eye) || !(fall > 0) || !(height > 0) ? INFINITY : height / fall;
}

double eye_haze(const struct eye *eye, double distance_m)
{
    double far = distance_m / eye->distance_m - HAZE_BEGIN;
    return eye_is_flat(eye) || !(far > 0) ? 0 : 1 - exp(-far / HAZE_REACH);
}

/* ---- a creature as the eye sees it ---- */

void scene_place(struct scene *scene, cairo_t *cr, const struct draw_view *view,
                 const struct replay *replay, double time_s)
{
    scene->cr = cr;
    scene->replay = replay;
    scene->eye = eye_place(view, replay, time_s);
    scene->ui = view->ui;
    scene->is_spatial = draw_is_spatial(view, replay);
    scene->ghost = 0;
    replay_get_moment(replay, time_s, &scene->moment);
}

struct vec3 scene_at(const struct scene *scene, int part, struct vec3 at)
{
    const struct replay_moment *moment = &scene->moment;
    at = replay_place_now(scene->replay, part, moment->values, at, 0);
    return replay_pose_place(&moment->poses[part], at);
}

struct spot scene_spot(const struct scene *scene, int part, struct vec3 at)
{
    return eye_project(&scene->eye, scene_at(scene, part, at));
}

double scene_angle(const struct scene *scene, int part, struct vec3 at, struct vec3 way)
{
    struct spot from = scene_spot(scene, part, at);
    struct spot to = scene_spot(scene, part, vec3_along(at, way, 1e-3));
    return atan2(to.y - from.y, to.x - from.x);
}

void scene_trace_head(const struct scene *scene, struct spot end, double angle, double size)
{
    cairo_t *cr = scene->cr;
    cairo_move_to(cr, end.x + size * cos(angle), end.y + size * sin(angle));
    cairo_line_to(cr, end.x + size * cos(angle + 2.5), end.y + size * sin(angle + 2.5));
    cairo_line_to(cr, end.x + size * cos(angle - 2.5), end.y + size * sin(angle - 2.5));
    cairo_close_path(cr);
}

void scene_rod_ends(const struct scene *scene, const struct shape *rod, struct vec3 ends[2])
{
    ends[0] = scene_at(scene, rod->part, rod->at_m);
    ends[1] = scene_at(scene, rod->other, rod->other_m);
}

/* Length now by length at birth; 1 where nothing changes it. */
static double rod_stretch(const struct scene *scene, const struct shape *rod)
{
    return rod->drive < 0 || !(rod->half_m.x > 0)
               ? 1
               : (double)scene->moment.values[rod->drive] / (2 * rod->half_m.x);
}

double scene_rod_width(const struct scene *scene, const struct shape *rod)
{
    const struct shape *shapes = scene->replay->shapes;
    double half = fmin(scene_half_least(&shapes[rod->part]), scene_half_least(&shapes[rod->other]));
    return half *
           (rod->drive < 0 ? ROD_SHARE : MUSCLE_SHARE / sqrt(fmax(rod_stretch(scene, rod), 0.2)));
}

uint32_t scene_rod_color(const struct scene *scene, const struct shape *rod)
{
    if (rod->drive < 0)
        return palette[COLOR_joint].light;
    const struct replay_drive *drive = &scene->replay->drives[rod->drive];
    double signal = drive->effector < 0 ? 0 : (double)scene->moment.frame.signals[drive->effector];
    double share = fabs(signal) / drive->signal_full;
    uint32_t aim = palette[rod_stretch(scene, rod) < 1 ? COLOR_negative : COLOR_positive].light;
    return palette_mix(palette[COLOR_part_2].light, aim, fmin(0.25 + 0.75 * share, 1));
}

double scene_half_most(const struct shape *shape)
{
    return fmax(fmax(shape->half_m.x, shape->half_m.y), shape->half_m.z);
}

double scene_half_least(const struct shape *shape)
{
    double least = fmin(shape->half_m.x, shape->half_m.y);
    return shape->half_m.z > 0 ? fmin(least, shape->half_m.z) : least;
}

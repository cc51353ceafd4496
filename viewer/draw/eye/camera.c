#include "viewer/draw/eye/camera.h"

#include <math.h>

/* Stiffness of following, 1/s. */
#define CAMERA_RATE_1_S 6.0
/* The time by which it lags behind a steady mover, s. */
#define CAMERA_LAG_S (2 / CAMERA_RATE_1_S)
/* Averaging window on either side, s: longer than a stride's bobbing. */
#define CAMERA_SMOOTH_S 0.3
/* The ground takes this share of the picture's height before the body, but at least so many pixels
 * that marks can be read. In depth there is ground behind the body, too, and the body stands nearer
 * to the middle. */
#define CAMERA_GROUND_SHARE      0.23
#define CAMERA_GROUND_SHARE_DEEP 0.36
#define CAMERA_GROUND_PX         29.0
/* The body takes at most these shares of a lane's height and width. */
#define CAMERA_BODY_HEIGHT     0.46
#define CAMERA_BODY_IN_LANE    0.66
#define CAMERA_BODY_WIDTH      0.30
#define CAMERA_BODY_WIDTH_DEEP 0.38
/* Of up to three in space, though, one that is long and low takes at least this share of the whole picture's
 * height, as far as this share of its width lets it. */
#define CAMERA_BODY_LEAST     0.22
#define CAMERA_FEW            3
#define CAMERA_BODY_WIDE_MOST 0.62
/* From its centre to its top, by its height; and the place of the top that moves the camera, from
 * the middle. */
#define CAMERA_ABOVE_CENTRE 0.6
#define CAMERA_TOP          0.42
/* A body as deep as it is wide is so much wider across. */
#define CAMERA_BODY_ACROSS 1.41
/* A race has this share of the picture's width. */
#define CAMERA_RACE_WIDTH 0.86
#define CAMERA_SCALE_MIN  2.0
#define CAMERA_SCALE_MAX  5000.0

int camera_flip(const struct replay *replay)
{
    int count = replay->frame_count;
    return count && replay_get_frame(replay, count - 1).centre.x < 0 ? -1 : 1;
}

double camera_body_width(const struct replay *replay)
{
    return replay->has_depth ? fmax(replay->width_m, replay->depth_m) : replay->width_m;
}

struct vec2 camera_smooth_centre(const struct replay *replay, double time_s)
{
    int first = replay_frame_index(replay, time_s - CAMERA_SMOOTH_S);
    int last = replay_frame_index(replay, time_s + CAMERA_SMOOTH_S);
    struct vec2 sum = {0, 0};
    for (int i = first; i <= last; i++) {
        struct vec3 centre = replay_get_frame(replay, i).centre;
        sum.x += centre.x;
        sum.y += centre.y;
    }
    return (struct vec2){sum.x / (last - first + 1), sum.y / (last - first + 1)};
}

static double ground_share(int has_depth, double height_px)
{
    double share = has_depth ? CAMERA_GROUND_SHARE_DEEP : CAMERA_GROUND_SHARE;
    return fmin(fmax(share, CAMERA_GROUND_PX / height_px), 0.45);
}

void camera_fit(struct camera *camera, const struct replay *const *replays, int count,
                double width_px, double lane_height_px)
{
    ENSURE(count > 0, "no creature to fit");
    double width_m = 0.05, height_m = 0.05;
    int is_deep = 0;
    for (int i = 0; i < count; i++) {
        is_deep |= replays[i]->has_depth;
        width_m = fmax(width_m, camera_body_width(replays[i]));
        height_m = fmax(height_m, replays[i]->height_m);
    }
    /* lanes are low: there the body may take more of the height, but for the ground */
    double share = CAMERA_BODY_HEIGHT;
    if (count > 1)
        share = fmin(CAMERA_BODY_IN_LANE, 0.95 - ground_share(is_deep, lane_height_px));
    double wide = width_px * (is_deep ? CAMERA_BODY_WIDTH_DEEP : CAMERA_BODY_WIDTH) / width_m;
    double least =
        is_deep && count <= CAMERA_FEW ? count * CAMERA_BODY_LEAST * lane_height_px / height_m : 0;
    wide = fmax(wide, fmin(least, width_px * CAMERA_BODY_WIDE_MOST / width_m));
    camera->px_per_m = fmin(lane_height_px * share / height_m, wide);
    camera->is_following = 1;
    camera->body_m = width_m * (is_deep ? CAMERA_BODY_ACROSS : 1);
    camera->room_m = CAMERA_RACE_WIDTH * width_px / camera->px_per_m;
    camera->apart_m = 0;
    camera->orbit = (struct camera_orbit)CAMERA_ORBIT_USUAL;
    camera->x_m = camera->y_m = 0;
    camera_jump(camera, camera_target(camera, replays, count, 0, lane_height_px));
}

/* The scale for replays that are so far apart. */
static double scale_apart(const struct camera *camera, double apart_m)
{
    double width_m = apart_m + camera->body_m;
    return camera->px_per_m *
           (width_m > camera->room_m && apart_m > 0 ? camera->room_m / width_m : 1);
}

double camera_scale(const struct camera *camera)
{
    return scale_apart(camera, camera->apart_m);
}

struct camera_aim camera_target(const struct camera *camera, const struct replay *const *replays,
                                int count, double time_s, double lane_height_px)
{
    double first = -INFINITY, last = INFINITY, high = -INFINITY, top = 0;
    int ground_count = 0, is_deep = 0;
    for (int i = 0; i < count; i++) {
        struct vec2 centre = camera_smooth_centre(replays[i], time_s);
        double x = centre.x * (count > 1 ? camera_flip(replays[i]) : 1);
        first = fmax(first, x);
        last = fmin(last, x);
        high = fmax(high, centre.y);
        top = fmax(top, centre.y + replays[i]->height_m * CAMERA_ABOVE_CENTRE);
        ground_count += replays[i]->has_ground;
        is_deep |= replays[i]->has_depth;
    }
    struct camera_aim target = {(first + last) / 2, 0, first - last};
    double height_m = lane_height_px / scale_apart(camera, target.apart_m);
    /* lanes without ground add each its own height */
    if (ground_count == 0) {
        target.y_m = count > 1 ? 0 : high;
        return target;
    }
    double low = (0.5 - ground_share(is_deep, lane_height_px)) * height_m;
    low = fmax(low, top - CAMERA_TOP * height_m);
    /* the ground is out of the picture: nothing keeps the creature at its edge */
    target.y_m = low + fmax(fmin(low - height_m / 2, high - low), 0);
    return target;
}

/* Exact solution of x'' = -2 r x' - r^2 x for a deviation x and speed v. */
static void spring_advance(double *x, double *v, double target, double dt_s)
{
    double r = CAMERA_RATE_1_S, decay = exp(-r * dt_s);
    double deviation = *x - target, slope = *v + r * deviation;
    *x = target + (deviation + slope * dt_s) * decay;
    *v = (*v - slope * r * dt_s) * decay;
}

void camera_follow(struct camera *camera, struct camera_aim target, double dt_s)
{
    ENSURE(camera->px_per_m > 0, "%g px per m", camera->px_per_m);
    spring_advance(&camera->x_m, &camera->vx_m_s, target.x_m, dt_s);
    spring_advance(&camera->y_m, &camera->vy_m_s, target.y_m, dt_s);
    spring_advance(&camera->apart_m, &camera->vapart_m_s, target.apart_m, dt_s);
}

void camera_track(struct camera *camera, const struct replay *const *replays, int count,
                  double time_s, double speed, double lane_height_px, double dt_s)
{
    double ahead_s = CAMERA_LAG_S * speed;
    camera_follow(camera, camera_target(camera, replays, count, time_s + ahead_s, lane_height_px),
                  dt_s);
}

void camera_jump(struct camera *camera, struct camera_aim target)
{
    camera->x_m = target.x_m;
    camera->y_m = target.y_m;
    camera->apart_m = target.apart_m;
    camera->vx_m_s = camera->vy_m_s = camera->vapart_m_s = 0;
}

struct camera camera_snap(const struct camera *camera)
{
    struct camera snapped = *camera;
    double scale = camera_scale(camera);
    snapped.x_m = floor(camera->x_m * scale + 0.5) / scale;
    snapped.y_m = floor(camera->y_m * scale + 0.5) / scale;
    return snapped;
}

void camera_zoom(struct camera *camera, double factor, double dx_px, double dy_px)
{
    ENSURE(factor > 0, "zoom by %g", factor);
    double before = camera_scale(camera);
    camera->px_per_m = fmin(fmax(camera->px_per_m * factor, CAMERA_SCALE_MIN), CAMERA_SCALE_MAX);
    double change = 1 / before - 1 / camera_scale(camera);
    camera->x_m += dx_px * change;
    camera->y_m -= dy_px * change;
}

void camera_resize(struct camera *camera, const struct camera *before, const struct camera *after)
{
    camera->room_m = after->room_m;
    camera->body_m = after->body_m;
    camera_zoom(camera, after->px_per_m / before->px_per_m, 0, 0);
}

void camera_turn(struct camera *camera, double yaw_rad, double pitch_rad)
{
    struct camera_orbit *orbit = &camera->orbit;
    orbit->yaw_rad += yaw_rad;
    orbit->pitch_rad = fmin(fmax(orbit->pitch_rad + pitch_rad, CAMERA_PITCH_MIN), CAMERA_PITCH_MAX);
    if (orbit->yaw_rad == 0 && orbit->pitch_rad == 0)
        orbit->pitch_rad = 1e-3;
}

void camera_pan(struct camera *camera, double dx_px, double dy_px)
{
    camera->x_m -= dx_px / camera_scale(camera);
    camera->y_m += dy_px / camera_scale(camera);
    camera->vx_m_s = camera->vy_m_s = 0;
}

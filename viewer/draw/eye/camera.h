/* The camera: what part of the world is in the middle, and how large.
 *
 * It follows a point as a critically damped spring does (no overshoot, no jerk), integrated
 * exactly, so that windows at any rate and exports at a fixed one move alike. Scene coordinates,
 * m. */
#ifndef VIEWER_DRAW_EYE_CAMERA_H
#define VIEWER_DRAW_EYE_CAMERA_H

#include "viewer/replay/replay.h"

/* Where the eye stands that looks at a scene with depth: turned about the middle, rad. */
struct camera_orbit {
    double yaw_rad;   /* to the right */
    double pitch_rad; /* upwards, CAMERA_PITCH_MIN .. CAMERA_PITCH_MAX */
};
#define CAMERA_PITCH_MIN (-0.1)
#define CAMERA_PITCH_MAX 1.5
#define CAMERA_ORBIT_USUAL                                                                         \
    {                                                                                              \
        -0.55, 0.12                                                                                \
    }

/* The target of a camera: the middle, and how far apart the first and the last of a race are. */
struct camera_aim {
    double x_m, y_m, apart_m;
};

struct camera {
    double x_m, y_m; /* in the middle */
    struct camera_orbit orbit;
    double vx_m_s, vy_m_s;
    double px_per_m; /* while all have room: see camera_scale() */
    int is_following;
    double apart_m,
        vapart_m_s;        /* of a race: from the first to the last, as the camera follows it */
    double room_m, body_m; /* the width of the picture as fitted, and of the widest body */
};

/* Scale and place for the start of these replays, shown one above the other in lanes of that
 * size. */
void camera_fit(struct camera *camera, const struct replay *const *replays, int count,
                double width_px, double lane_height_px);

/* px per m now: less than px_per_m where a race would leave the picture at its sides. */
double camera_scale(const struct camera *camera);

/* The target that the camera should have: the middle between the first and the last centre of mass
 * of the replays (smoothed over a stride); on ground it keeps the ground in the lower quarter (in
 * depth: third) until a creature would leave the picture; a flyer that is so high that the
 * ground is out of the picture comes to the middle. */
struct camera_aim camera_target(const struct camera *camera, const struct replay *const *replays,
                                int count, double time_s, double lane_height_px);

/* Follows replays that are played at `speed` times their own (0: they stand still) for dt_s. It
 * knows where they will be: it aims as far ahead as it lags behind, so that a steady mover stays in
 * the middle, however fast. */
void camera_track(struct camera *camera, const struct replay *const *replays, int count,
                  double time_s, double speed, double lane_height_px, double dt_s);
/* Moves towards the target for dt_s. */
void camera_follow(struct camera *camera, struct camera_aim target, double dt_s);
/* Puts it there at once. */
void camera_jump(struct camera *camera, struct camera_aim target);

/* The camera at the nearest whole pixel: from frame to frame the world then moves by whole pixels,
 * which encoders of video recognize (a swimmer's film is 40 % smaller). */
struct camera camera_snap(const struct camera *camera);

/* Zooms by a factor, keeping the point that is dx, dy px from the middle (y down) where it is. */
void camera_zoom(struct camera *camera, double factor, double dx_px, double dy_px);
/* Zooms to a picture of another size: in proportion to what was fitted to it before and after. */
void camera_resize(struct camera *camera, const struct camera *before, const struct camera *after);
/* Turns the eye; a step that comes to looking straight from the front stops just beside it. */
void camera_turn(struct camera *camera, double yaw_rad, double pitch_rad);
void camera_pan(struct camera *camera, double dx_px, double dy_px);

/* +1, or -1 for a creature that goes left, which races are drawn mirrored for. */
int camera_flip(const struct replay *replay);
/* The width that a body needs in the picture, from whichever side it is seen, m. */
double camera_body_width(const struct replay *replay);
/* Mean of the centre of mass over 0.6 s around a time. */
struct vec2 camera_smooth_centre(const struct replay *replay, double time_s);

#endif

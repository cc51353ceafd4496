/* Frames of replays; poses of parts in the plane, as angles. */
#ifndef TESTS_UNIT_POSE_FIXTURE_H
#define TESTS_UNIT_POSE_FIXTURE_H

#include <math.h>

#include "viewer/replay/replay.h"

/* A pose in the plane, turned about z. */
static inline struct replay_pose replay_pose_flat(double x_m, double y_m, double angle_rad)
{
    return (struct replay_pose){.x_m = (float)x_m,
                                .y_m = (float)y_m,
                                .turn_w = (float)cos(angle_rad / 2),
                                .turn_z = (float)sin(angle_rad / 2)};
}

/* The turn of a pose about z, as far as it is one: -pi .. pi. */
static inline double replay_pose_angle(const struct replay_pose *pose)
{
    struct vec3 x = replay_pose_turn(pose, (struct vec3){1, 0, 0});
    return atan2(x.y, x.x);
}

static inline struct replay_frame frame_at(const struct replay *replay, int index)
{
    return replay_get_frame(replay, index);
}

#endif

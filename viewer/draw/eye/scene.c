#include "viewer/draw/eye/scene.h"

#include <math.h>

/* Thickness of rods, by the thinner end's half of the shortest side. */
#define ROD_SHARE    0.38
#define MUSCLE_SHARE 0.55

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

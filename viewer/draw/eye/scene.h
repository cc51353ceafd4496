/* A creature at a time as an eye sees it: what the body and the overlays are drawn from. */
#ifndef VIEWER_DRAW_EYE_SCENE_H
#define VIEWER_DRAW_EYE_SCENE_H

#include "viewer/draw/eye/eye.h"

struct scene {
    cairo_t *cr;
    const struct replay *replay;
    struct eye eye;
    struct replay_moment moment;
    double ui;
    int is_spatial; /* the view of a scene with depth is turned */
    double ghost;   /* 0 is solid, towards 1 it fades into the background */
};

/* The view must outlive the scene. */
void scene_place(struct scene *scene, cairo_t *cr, const struct draw_view *view,
                 const struct replay *replay, double time_s);
/* Where a place of a part's frame is in the world. */
struct vec3 scene_at(const struct scene *scene, int part, struct vec3 at);
struct spot scene_spot(const struct scene *scene, int part, struct vec3 at);
/* The angle in the picture of a direction in a part's frame, y down. */
double scene_angle(const struct scene *scene, int part, struct vec3 at, struct vec3 way);
/* The path of an arrow's head at a place of the picture. */
void scene_trace_head(const struct scene *scene, struct spot end, double angle, double size);
/* The ends of a rod in the world. */
void scene_rod_ends(const struct scene *scene, const struct shape *rod, struct vec3 ends[2]);
/* How thick a rod is, m: a muscle that is short is thick. And its colour: cream where it is fixed;
 * a muscle is blue when it is asked to be short and orange when long. */
double scene_rod_width(const struct scene *scene, const struct shape *rod);
uint32_t scene_rod_color(const struct scene *scene, const struct shape *rod);
/* Half the longest side of a shape, and half its shortest; a flat one's depth does not count. m */
double scene_half_most(const struct shape *shape);
double scene_half_least(const struct shape *shape);

#endif

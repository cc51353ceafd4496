/* The eye: where a place of the scene is in a picture, flat or in perspective.
 *
 * A scene without depth is seen from the front, flat. A scene with depth is seen in perspective as
 * soon as the view is turned: the eye stands at a distance from the middle of the picture, turned
 * about it by the view's orbit. The middle is as large as in flat pictures, so that
 * following, zooming and panning serve both. A parallel eye is turned, too, but infinitely far
 * away: everything is as large as in the middle. */
#ifndef VIEWER_DRAW_EYE_EYE_H
#define VIEWER_DRAW_EYE_EYE_H

#include "viewer/draw/draw.h"
#include "viewer/draw/eye/order.h"

struct eye {
    const struct draw_view *view;
    struct vec3 middle, right, up, back; /* unit vectors; back leads from the middle to the eye */
    double distance_m;                   /* infinite: flat */
};

struct spot {
    double x, y;  /* px */
    double scale; /* px per m there */
    double near;  /* towards the eye from the middle, m */
    int is_seen;  /* 0: too near to the eye, or behind it */
};

/* The view must outlive the eye. */
struct eye eye_place(const struct draw_view *view, const struct replay *replay, double time_s);
int eye_is_flat(const struct eye *eye);
struct spot eye_project(const struct eye *eye, struct vec3 at);
/* A way of length 1; x where there is none. */
struct vec3 eye_unit(struct vec3 way);
/* Where the eye stands; not of flat ones. */
struct vec3 eye_position(const struct eye *eye);
/* A line as the current path, cut where it comes too near to the eye. */
void eye_trace_line(cairo_t *cr, const struct eye *eye, struct vec3 a, struct vec3 b);
/* The corners in the picture of a polygon of at most EYE_CORNERS_MAX corners, without what comes
 * too near to the eye: at most twice as many; 0 if that is all of it. */
enum { EYE_CORNERS_MAX = 40 };
int eye_cut_polygon(const struct eye *eye, const struct vec3 *corners, int count,
                    struct spot *spots);
/* Such a polygon added to the current path, without what comes too near to the eye: 0, and nothing
 * added, if that is all of it. */
int eye_trace_polygon(cairo_t *cr, const struct eye *eye, const struct vec3 *corners, int count);
/* Where things are sorted from. */
struct order_eye eye_order(const struct eye *eye);
/* The row of the picture where all that is level and infinitely far is, px; -infinity: there is
 * none. */
double eye_horizon(const struct eye *eye);
/* How far before the eye the ground y = 0 is in a row below the horizon, m; infinite above it. */
double eye_ground_distance(const struct eye *eye, double y_px);
/* The share of a colour that haze takes at a distance before the eye: 0 .. 1. */
double eye_haze(const struct eye *eye, double distance_m);

/* A creature at a time as an eye sees it: what the body and the overlays are drawn from. */
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

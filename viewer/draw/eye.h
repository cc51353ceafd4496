/* The eye: where a place of the scene is in a picture, flat or in perspective.
 *
 * A scene without depth is seen from the front, flat. A scene with depth is seen in perspective as soon as the view
 * is turned: the eye stands at a distance from the middle of the picture, turned about it by the view's orbit. What
 * lies in the middle is as large as in flat pictures, so that following, zooming and panning serve both. */
#ifndef VIEWER_DRAW_EYE_H
#define VIEWER_DRAW_EYE_H

#include "viewer/draw/draw.h"

#ifdef HAVE_CAIRO

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
/* Where the eye stands; not of flat ones. */
struct vec3 eye_position(const struct eye *eye);
/* A line as the current path, cut where it comes too near to the eye. */
void eye_trace_line(cairo_t *cr, const struct eye *eye, struct vec3 a, struct vec3 b);
/* A polygon of at most 8 corners as the current path: 0, and no path, unless all are seen. */
int eye_trace_polygon(cairo_t *cr, const struct eye *eye, const struct vec3 *corners, int count);
/* 1 if a polygon whose corners are counter-clockwise from outside looks at the eye. */
int eye_sees_side(const struct eye *eye, const struct vec3 *corners, int count);

#endif
#endif

/* What the files that draw spheres share: the eye, and where the body is at a time. */
#ifndef VIEWER_DRAW_SPHERES_H
#define VIEWER_DRAW_SPHERES_H

#include "viewer/draw/draw.h"

#ifdef HAVE_CAIRO

#include "common/body/sphere_body.h"

struct eye {
    const struct draw_view *view;
    struct vec3 middle, right, up, back; /* unit vectors; back leads from the middle to the eye */
    double distance_m;                   /* infinite: flat */
};

struct spot {
    double x, y;  /* px */
    double scale; /* px per m there */
    double near;  /* towards the eye from the middle, m */
    int is_seen;
};

struct body {
    struct vec3 at[REPLAY_PARTS_MAX];
    struct replay_frame frame;
};

/* The view must outlive the eye. */
struct eye draw_eye_place(const struct draw_view *view, const struct replay *replay, double time_s);
struct spot draw_eye_project(const struct eye *eye, struct vec3 at);
void draw_body_take(const struct replay *replay, double time_s, struct body *body);

/* What lies over the picture of spheres (draw_spheres_overlay.c), from any side: the set of enum
 * draw_overlay that is drawn in the world. */
void draw_spheres_overlays(cairo_t *cr, const struct draw_view *view, const struct replay *replay,
                           double time_s, unsigned overlays);

#endif
#endif

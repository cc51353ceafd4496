/* Draws a world of a preserve: eaters, the eaten, families. */
#ifndef VIEWER_DRAW_DRAW_PRESERVE_H
#define VIEWER_DRAW_DRAW_PRESERVE_H

#ifdef HAVE_CAIRO

#include <cairo.h>

#include "viewer/replay/preserve_replay.h"

/* The visible part of the water. */
struct preserve_camera {
    double x_m, y_m; /* in the middle */
    double zoom;     /* 1: the whole water, which is then in the middle */
    uint64_t marked; /* the creature that is described beside; 0: none */
    int is_following;
    int by_form; /* colours are of trees of parts, not of families */
};
#define WATERS_ZOOM_MOST 40.0
/* The whole water; or, marked other than 0, a creature from near. Where all founders are copies,
 * colours are of trees. */
struct preserve_camera preserve_camera_of(const struct preserve_replay *waters, uint64_t marked);
/* The middle goes to the marked creature, in dt_s or (dt_s below 0) at once. */
void preserve_camera_follow(struct preserve_camera *view, const struct preserve_replay *waters,
                            int moment, double dt_s);
/* Zooms and keeps what is at a point, px, where it is. */
void preserve_camera_zoom(struct preserve_camera *view, int width_px, int height_px,
                          const struct preserve_replay *waters, double factor, double x, double y);
/* Moves what is seen by so many px. */
void preserve_camera_pan(struct preserve_camera *view, int width_px, int height_px,
                         const struct preserve_replay *waters, double dx, double dy);
/* The living creature or egg at a point; 0: none. */
uint64_t preserve_camera_pick(const struct preserve_camera *view, int width_px, int height_px,
                              const struct preserve_replay *waters, int moment, double x, double y);
/* The water's place under a point. */
void preserve_camera_place(const struct preserve_camera *view, int width_px, int height_px,
                           const struct preserve_replay *waters, double x, double y, double *x_m,
                           double *y_m);

/* The moment of that number, 0 .. moment_count - 1, with a legend below, so high at ui 1. */
#define DRAW_WATERS_LEGEND_PX 92.0
void draw_preserve(cairo_t *cr, int width_px, int height_px, const struct preserve_replay *waters,
                   int moment, const struct preserve_camera *view);

#endif
#endif

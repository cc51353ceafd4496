/* Draws a world of a preserve: eaters, the eaten, families. */
#ifndef VIEWER_DRAW_DRAW_WATERS_H
#define VIEWER_DRAW_DRAW_WATERS_H

#ifdef HAVE_CAIRO

#include <cairo.h>

#include "viewer/replay/waters.h"

/* The visible part of the water. */
struct waters_view {
    double x_m, y_m; /* in the middle */
    double zoom;     /* 1: the whole water, which is then in the middle */
    uint64_t marked; /* the creature that is described beside; 0: none */
    int is_following;
    int by_form; /* colours are of trees of parts, not of families */
};
#define WATERS_ZOOM_MOST 40.0
/* The whole water; or, marked other than 0, a creature from near. Where all founders are copies,
 * colours are of trees. */
struct waters_view waters_view_of(const struct waters *waters, uint64_t marked);
/* The middle goes to the marked creature, in dt_s or (dt_s below 0) at once. */
void waters_view_follow(struct waters_view *view, const struct waters *waters, int moment,
                        double dt_s);
/* Zooms and keeps what is at a point, px, where it is. */
void waters_view_zoom(struct waters_view *view, int width_px, int height_px,
                      const struct waters *waters, double factor, double x, double y);
/* Moves what is seen by so many px. */
void waters_view_pan(struct waters_view *view, int width_px, int height_px,
                     const struct waters *waters, double dx, double dy);
/* The living creature or egg at a point; 0: none. */
uint64_t waters_view_pick(const struct waters_view *view, int width_px, int height_px,
                          const struct waters *waters, int moment, double x, double y);
/* The water's place under a point. */
void waters_view_place(const struct waters_view *view, int width_px, int height_px,
                       const struct waters *waters, double x, double y, double *x_m, double *y_m);

/* The moment of that number, 0 .. moment_count - 1, with a legend below, so high at ui 1. */
#define DRAW_WATERS_LEGEND_PX 92.0
void draw_waters(cairo_t *cr, int width_px, int height_px, const struct waters *waters, int moment,
                 const struct waters_view *view);

#endif
#endif

/* The world of a scene with depth. */
#ifndef VIEWER_DRAW_DRAW_SPACE_H
#define VIEWER_DRAW_DRAW_SPACE_H

#include "viewer/draw/eye/eye.h"

#ifdef HAVE_CAIRO

/* What draw_world() draws where the view is turned, but for obstacles: they are sorted with the body. */
void draw_space(cairo_t *cr, const struct draw_view *view, const struct replay *replay,
                double time_s, unsigned overlays);
/* Strobe pictures of scenes with depth, in the rectangle of the view: when their moments are (returns their
 * number), and whether each stands in a cell of its own; and the picture. */
#define DRAW_STROBE_MOMENTS 10
int draw_strobe_space_times(const struct replay *replay, double times_s[DRAW_STROBE_MOMENTS],
                            int *is_strip);
void draw_strobe_space(cairo_t *cr, const struct draw_view *view, const struct replay *replay,
                       unsigned overlays);
/* A colour behind so much haze (eye_haze()). */
uint32_t draw_hazed(const struct replay *replay, uint32_t color, double share);

#endif
#endif

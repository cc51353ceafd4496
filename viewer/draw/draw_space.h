/* The world of a scene with depth, and the sides of boxes in it. */
#ifndef VIEWER_DRAW_DRAW_SPACE_H
#define VIEWER_DRAW_DRAW_SPACE_H

#include "viewer/draw/eye.h"

#ifdef HAVE_CAIRO

/* What draw_world() draws where the view is turned. */
void draw_space(cairo_t *cr, const struct draw_view *view, const struct replay *replay,
                double time_s, unsigned overlays);
/* Obstacles from the farthest to the nearest, all (NULL) or those that are marked. */
void draw_obstacles(cairo_t *cr, const struct eye *eye, const struct replay *replay,
                    const int *is_drawn);
/* A side of a box, with an outline, if it looks at the eye. */
void draw_side(cairo_t *cr, const struct eye *eye, const struct vec3 corners[4], uint32_t color,
               uint32_t line);

#endif
#endif

/* Draws a world of a preserve: who eats, who is eaten, who is related. */
#ifndef VIEWER_DRAW_DRAW_WATERS_H
#define VIEWER_DRAW_DRAW_WATERS_H

#ifdef HAVE_CAIRO

#include <cairo.h>

#include "viewer/replay/waters.h"

/* The moment of that number, 0 .. moment_count - 1, with a legend below. */
void draw_waters(cairo_t *cr, int width_px, int height_px, const struct waters *waters, int moment);

#endif
#endif

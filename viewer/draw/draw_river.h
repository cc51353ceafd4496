/* Draws the river of forms of a world of a preserve: bands over time, in the colours of forms. */
#ifndef VIEWER_DRAW_DRAW_RIVER_H
#define VIEWER_DRAW_DRAW_RIVER_H

#ifdef HAVE_CAIRO

#include "viewer/draw/draw_panels.h"
#include "viewer/replay/preserve_replay.h"

struct draw_river {
    struct draw_box box; /* its width is that of the duration */
    const struct preserve_river *river;
    double time_s, duration_s; /* what comes after time_s is pale */
};
void draw_river(cairo_t *cr, const struct draw_river *river);
/* The band at a point; -1: there is none. */
int draw_river_pick(const struct draw_river *river, double x, double y);

#endif
#endif

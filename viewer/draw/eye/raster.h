/* Small triangles with depth: what is nearest at each sample of a part of a picture.
 *
 * Skins are drawn so, as smooth bodies run into one another along curves that no order of pieces
 * gets right. Things that are drawn otherwise leave holes where they are nearer. A pixel has
 * `samples` x `samples` samples of 8 bytes. */
#ifndef VIEWER_DRAW_EYE_RASTER_H
#define VIEWER_DRAW_EYE_RASTER_H

#include "viewer/draw/eye/eye.h"

struct raster_corner {
    double x, y; /* of the surface, px */
    double near; /* grows towards the eye, evenly in the picture: raster_near() */
    float color[3];
};

/* How near a place is, in the measure of corners, of that eye. */
double raster_near(const struct eye *eye, struct spot spot);
/* How much that grows on a way of so many m towards the eye, at that spot. */
double raster_step(const struct eye *eye, struct spot spot, double way_m);

struct raster;
/* A part of the surface, in whole px, with pixels of 1 / fine px, each of samples^2. NULL: no
 * memory. */
struct raster *raster_create(const double box[4], double fine, int samples);
void raster_destroy(struct raster *raster); /* NULL is allowed */
/* is_hole: nothing is drawn where it is nearest. */
void raster_add(struct raster *raster, const struct raster_corner corners[3], int is_hole);
/* The nearest thing at a place, px: 1: before `near`; -1: drawn, and behind it; else 0. */
int raster_side(const struct raster *raster, double x, double y, double near);
/* Paints it, with a dark line of so many px inside its outlines, where what lies beside is farther
 * by more than `step` of nearness. */
void raster_paint(cairo_t *cr, const struct raster *raster, double line_px, double step);

#endif

/* Light in space: how bright a face is, and soft shadows on planes.
 * The light is a sun with a width and a dome of sky, as directions with a share each. A caster of
 * shadow does so for every direction, on whichever plane is drawn; shadows of all directions lie
 * over one another, so that they are sharp where bodies touch what they stand on, and soft farther
 * away (percentage-closer shadows of polygons). All shadows are polygons, so that svg has them,
 * too. */
#ifndef VIEWER_DRAW_EYE_SHADE_H
#define VIEWER_DRAW_EYE_SHADE_H

#include "viewer/draw/eye/eye.h"

/* What is dark is mixed with this. */
#define SHADE 0x14202a
enum { SHADE_POINTS_MAX = 40 };

/* A caster of shadow: a box (its solid), or the hull of two balls, which may be one. */
struct caster {
    int owner; /* does not cast on itself */
    int is_box;
    int is_thin;            /* it takes nothing from the sky that could be seen */
    struct vec3 corners[8]; /* of a box: bit k of the index: the positive end of axis k */
    struct vec3 ends[2];
    double radii[2];
    struct vec3 middle; /* of a ball around it */
    double reach;
};

struct plane {
    struct vec3 at, normal; /* a unit */
};

struct caster shade_box(int owner, struct vec3 middle, struct vec3 x, struct vec3 y, struct vec3 z);
struct caster shade_balls(int owner, struct vec3 a, double radius_a, struct vec3 b,
                          double radius_b);

/* The middle of the sun, a unit vector towards it. */
struct vec3 shade_sun(void);
/* -1 dark .. 1 bright, for a face with that normal. */
double shade_face(struct vec3 normal);
/* A colour in that light. */
uint32_t shade_color(uint32_t color, double lit);
/* The outline of a shadow on a plane, for light that comes from `from` (a unit vector): at most
 * SHADE_POINTS_MAX places of the plane, counter-clockwise as seen from before it; 0: no shadow. */
int shade_outline(const struct caster *caster, const struct plane *plane, struct vec3 from,
                  struct vec3 *outline);
/* Draws the shadows of all casters but those of `owner` within the clip, where the receiver is in a
 * ball of radius reach around plane->at (infinite: everywhere). strength: 0 .. 1. */
void shade_cast(cairo_t *cr, const struct eye *eye, const struct caster *casters, int count,
                const struct plane *plane, double reach, int owner, double strength);

#endif

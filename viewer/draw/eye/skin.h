/* A skin over the shapes of a replay: limbs (limbs.h) that run softly into one another; or the true
 * shapes, which are limbs without roundness and necks.
 *
 * In space each limb is a net of small triangles that lies tight on its surface; a second one lies
 * around its joint, on the ball and the neck. Corners are lit by the sun, by how much of the sky is
 * free and by the ground's nearness, and all is drawn with depth (raster.h). A net for all that
 * grows together had holes and folds at necks; tracing each pixel's ray through the distances is
 * as good, and took ten times as long. In the plane the outline of the union is filled. A skin is a
 * picture only: all that is simulated, and all that overlays show, is of the true shapes. */
#ifndef VIEWER_DRAW_EYE_SKIN_H
#define VIEWER_DRAW_EYE_SKIN_H

#include "viewer/draw/eye/limbs.h"
#include "viewer/draw/eye/shade.h"

struct skin;
/* The scene must outlive it. NULL: out of memory. Where cairo smooths edges fast, a skin is half as
 * fine. */
struct skin *skin_create(const struct scene *scene, enum skin_style style);
void skin_destroy(struct skin *skin); /* NULL is allowed */
/* A polygon that hides what is behind it, as eye_cut_polygon() takes it. */
void skin_add_cover(struct skin *skin, const struct vec3 *corners, int count);
/* The visible thing at a place: 1: the skin or a cover, before the place; -1: the skin, behind it;
 * 0: neither. */
int skin_side(const struct skin *skin, struct vec3 at);
/* The caster of a shape's shadow, as its limb casts it. */
struct caster skin_caster(const struct skin *skin, int shape);
void skin_draw(const struct skin *skin);

#endif

/* The stage: the content of a window of creatures (player.h).
 *
 * It holds a gallery, what of it is shown and how (one creature, a race, a grid, parent and child),
 * camera and overlays. */
#ifndef VIEWER_STAGE_STAGE_H
#define VIEWER_STAGE_STAGE_H

#ifdef HAVE_CAIRO

#include "viewer/stage/gallery.h"
#include "viewer/stage/player.h"

/* The gallery stays the caller's and must outlive the stage; it may be empty while a run has
 * finished no generation. is_live: follows new generations. NULL: out of memory. */
struct player *stage_create(struct gallery *gallery, int is_live);
void stage_set_overlays(struct player *stage, unsigned overlays); /* enum draw_overlay */

#endif
#endif

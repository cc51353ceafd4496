/* A window of creatures: the content of a player (player.h).
 *
 * It holds a gallery, what of it is shown and how (one creature, a race, a grid, parent and child),
 * camera and overlays. */
#ifndef VIEWER_WINDOW_CREATURE_WINDOW_H
#define VIEWER_WINDOW_CREATURE_WINDOW_H

#ifdef HAVE_CAIRO

#include "viewer/window/gallery.h"
#include "viewer/window/player.h"

/* The gallery stays the caller's and must outlive the window; it may be empty while a run has
 * finished no generation. is_live: follows new generations. NULL: out of memory. */
struct player *creatures_create(struct gallery *gallery, int is_live);
void creatures_set_overlays(struct player *window, unsigned overlays); /* enum draw_overlay */

#endif
#endif

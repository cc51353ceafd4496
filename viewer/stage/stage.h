/* The stage: all that the window shows and does, without a window.
 *
 * It holds a gallery, what of it is shown and how (one creature, a race, a grid, parent and child),
 * time, camera and overlays; it takes keys, the mouse and the clock, and draws itself with cairo.
 * The window only hands it what SDL gives, so that tests can press every key without a display.
 * Coordinates: px of the picture, y down. */
#ifndef VIEWER_STAGE_STAGE_H
#define VIEWER_STAGE_STAGE_H

#ifdef HAVE_CAIRO

#include <cairo.h>

#include "viewer/stage/gallery.h"
#include "viewer/stage/scene.h"

enum stage_view { VIEW_SINGLE, VIEW_RACE, VIEW_CELLS, VIEW_PAIR };

struct stage;
struct chooser;

/* The gallery stays the caller's and must outlive the stage; it may be empty while a run has
 * finished no generation. is_live: follows new generations. NULL: out of memory. */
struct stage *stage_create(struct gallery *gallery, int is_live);
void stage_destroy(struct stage *stage); /* NULL is allowed */

void stage_resize(struct stage *stage, int width_px, int height_px);
void stage_set_overlays(struct stage *stage, unsigned overlays); /* enum draw_overlay */
void stage_seek(struct stage *stage, double time_s);

/* The user's actions. */
void stage_press_key(struct stage *stage, int key);
void stage_press_mouse(struct stage *stage, double x, double y);
/* The middle button, or the left one with shift: moves the picture also where dragging turns it. */
void stage_press_pan(struct stage *stage, double x, double y);
/* The right button: from one choice to the next. */
void stage_press_choice(struct stage *stage, double x, double y);
void stage_move_mouse(struct stage *stage, double x, double y);
void stage_release_mouse(struct stage *stage);
void stage_turn_wheel(struct stage *stage, double clicks, double x, double y);

/* Time goes on by dt_s; simulates at most one creature that waits. */
void stage_advance(struct stage *stage, double dt_s);
/* Looks whether the run went on, at most once a second; now_s is a clock that never goes back. Call
 * it also while nothing moves. */
void stage_look_for_news(struct stage *stage, double now_s);
/* 1 while the next picture would be the same as the last that was drawn. */
int stage_is_still(const struct stage *stage);
void stage_draw(struct stage *stage, cairo_surface_t *surface);

int stage_is_quitting(const struct stage *stage);
int stage_is_fullscreen(const struct stage *stage);
/* For the window's frame; good until the next call. */
const char *stage_title(struct stage *stage);

/* For the window: a struct stage. */
extern const struct scene_acts stage_acts;

/* The visible state, for tests. */
enum stage_view stage_view(const struct stage *stage);
double stage_time(const struct stage *stage);

#endif
#endif

/* The window, which is a player (player.h) on a display, with keyboard, mouse and clock; and its
 * contents.
 *
 * Creatures: it holds a gallery, what of it is shown and how (one creature, a race, a grid, parent
 * and child), camera and overlays.
 *
 * A world of a preserve, seen from beside the water: it plays what a thread simulates ahead (struct
 * preserve_feed), jumps to other times, goes to other worlds, follows a creature, and may follow
 * the run while it goes on. */
#ifndef VIEWER_WINDOW_CONTENTS_H
#define VIEWER_WINDOW_CONTENTS_H

#include "common/error.h"

struct player;

struct window_options {
    int width_px, height_px; /* 0: the default */
    double time_s;           /* where it starts; negative: at 0 */
    const char *keys;        /* pressed at the start, one after the other, or NULL */
    long frame_limit;        /* > 0: ends after so many frames, each 1/60 s later than the last */
    const char *screenshot;  /* file that the last frame is written to, or NULL */
};

/* 0, or ERR_UNAVAILABLE with a message when this build has no window. */
int window_check(struct error *error);

/* Opens the window and returns when it is closed; destroys the player. Writes nothing but what the
 * user saves. 0, or ERR_UNAVAILABLE (left out of this build) or ERR_IO (no display) with a
 * message. */
int window_run(struct player *player, const struct window_options *options, struct error *error);

#ifdef HAVE_CAIRO

#include "viewer/replay/preserve_replay.h"
#include "viewer/window/gallery.h"
#include "viewer/window/player.h"

/* The gallery stays the caller's and must outlive the window; it may be empty while a run has
 * finished no generation. is_live: follows new generations. NULL: out of memory. */
struct player *creatures_create(struct gallery *gallery, int is_live);
void creatures_set_overlays(struct player *window, unsigned overlays); /* enum draw_overlay */

struct preserve_window_request {
    const char *run_directory;
    int world;
    double from_s;
    double speed;    /* in times real time; 0: 1 */
    uint64_t follow; /* a creature's id; 0: none */
    int is_live;     /* shows the newest epoch of the run, again and again */
    int is_patient;  /* waits for what is simulated: for tests and pictures */
};

/* ERR_MISSING if the run has no such world, or it has not come so far. */
int preserve_window_create(struct player **window, const struct preserve_window_request *request,
                           struct error *error);

/* The visible state, for tests. */
struct preserve_window_sight {
    int world;
    uint64_t followed;
    const struct preserve_replay *waters; /* NULL: not ready */
};
struct preserve_window_sight preserve_window_look(const struct player *window);

#endif
#endif

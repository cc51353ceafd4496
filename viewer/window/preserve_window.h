/* A window of a preserve: one of its worlds, seen from beside the water. Plays what a thread simulates ahead
 * (struct preserve_feed), jumps to other times, goes to other worlds, follows a creature, and may follow
 * the run while it goes on. The content of a window (player.h). */
#ifndef VIEWER_WINDOW_PRESERVE_WINDOW_H
#define VIEWER_WINDOW_PRESERVE_WINDOW_H

#ifdef HAVE_CAIRO

#include "viewer/replay/preserve_replay.h"
#include "viewer/window/player.h"

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

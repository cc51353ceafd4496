/* The shore: a world of a preserve, seen from beside the water. Plays what a thread simulates ahead
 * (waters_feed.h), jumps to other times, goes to other worlds, follows a creature, and may follow
 * the run while it goes on. The content of a window (player.h). */
#ifndef VIEWER_STAGE_SHORE_H
#define VIEWER_STAGE_SHORE_H

#ifdef HAVE_CAIRO

#include "viewer/replay/waters.h"
#include "viewer/stage/player.h"

struct shore_request {
    const char *run_directory;
    int world;
    double from_s;
    double speed;    /* in times real time; 0: 1 */
    uint64_t follow; /* a creature's id; 0: none */
    int is_live;     /* shows the newest epoch of the run, again and again */
    int is_patient;  /* waits for what is simulated: for tests and pictures */
};

/* ERR_MISSING if the run has no such world, or it has not come so far. */
int shore_create(struct player **shore, const struct shore_request *request, struct error *error);

/* The visible state, for tests. */
struct shore_sight {
    int world;
    uint64_t followed;
    const struct waters *waters; /* NULL: not ready */
};
struct shore_sight shore_look(const struct player *shore);

#endif
#endif

/* The shore: a world of a preserve, seen from beside the water. Plays what a thread simulates ahead
 * (waters_feed.h), jumps to other times, goes to other worlds, follows a creature, and may follow
 * the run while it goes on. A scene of the window; tests use it without one. */
#ifndef VIEWER_STAGE_SHORE_H
#define VIEWER_STAGE_SHORE_H

#ifdef HAVE_CAIRO

#include "viewer/replay/waters.h"
#include "viewer/stage/scene.h"

struct shore_request {
    const char *run_directory;
    int world;
    double from_s;
    double speed;    /* in times real time; 0: 1 */
    uint64_t follow; /* a creature's id; 0: none */
    int is_live;     /* shows the newest epoch of the run, again and again */
    int is_patient;  /* waits for what is simulated: for tests and pictures */
};

struct shore;
/* ERR_MISSING if the run has no such world, or it has not come so far. */
int shore_create(struct shore **shore, const struct shore_request *request, struct error *error);
void shore_destroy(struct shore *shore); /* NULL is allowed */
extern const struct scene_acts shore_acts;

/* The visible state, for tests. */
struct shore_sight {
    int world;
    uint64_t followed;
    const char *note;            /* what it says in a corner */
    const struct waters *waters; /* NULL: not ready */
};
struct shore_sight shore_look(const struct shore *shore);

#endif
#endif

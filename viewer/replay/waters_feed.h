/* A world of a preserve for a window: a thread simulates it epoch by epoch, ahead of what is shown,
 * and hands each over as it is ready. It keeps two that were not taken at most. */
#ifndef VIEWER_REPLAY_WATERS_FEED_H
#define VIEWER_REPLAY_WATERS_FEED_H

#include "viewer/replay/waters.h"

struct waters_feed;

struct waters_feed_request {
    const char *run_directory;
    int world;
    double from_s, step_s;
};
/* The feed hands over a glimpse of the state that is kept, then the epoch of from_s. NULL and a
 * message on error. */
int waters_feed_create(struct waters_feed **feed, const struct waters_feed_request *request,
                       struct error *error);
/* Stops at the next tick. NULL is allowed. */
void waters_feed_destroy(struct waters_feed *feed);
/* The next epoch, which becomes the caller's; NULL: it is not ready. Then `error` has ERR_BUSY with
 * the time up to which all is simulated, or says why there is none: ERR_MISSING where the record
 * ends. */
struct waters *waters_feed_take(struct waters_feed *feed, struct error *error);
/* Waits until an epoch is ready, or there is none to come. */
void waters_feed_wait(struct waters_feed *feed);

#endif

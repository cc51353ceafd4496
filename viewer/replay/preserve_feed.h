/* A world of a preserve for a window: a thread simulates it epoch by epoch, ahead of what is shown,
 * and hands each over as it is ready. It keeps two that were not taken at most. */
#ifndef VIEWER_REPLAY_PRESERVE_FEED_H
#define VIEWER_REPLAY_PRESERVE_FEED_H

#include "viewer/replay/preserve_replay.h"

struct preserve_feed;

struct preserve_feed_request {
    const char *run_directory;
    int world;
    double from_s, step_s;
};
/* The feed hands over a glimpse of the state that is kept, then the epoch of from_s. NULL and a
 * message on error. */
int preserve_feed_create(struct preserve_feed **feed, const struct preserve_feed_request *request,
                         struct error *error);
/* Stops at the next tick. NULL is allowed. */
void preserve_feed_destroy(struct preserve_feed *feed);
/* The next epoch, which becomes the caller's; NULL: it is not ready. Then `error` has ERR_BUSY with
 * the time up to which all is simulated, or says why there is none: ERR_MISSING where the record
 * ends. */
struct preserve_replay *preserve_feed_take(struct preserve_feed *feed, struct error *error);
/* Waits until an epoch is ready, or there is none to come. */
void preserve_feed_wait(struct preserve_feed *feed);

#endif

/* Epochs of a world of a preserve, simulated from their orders and recorded as moments. */
#ifndef VIEWER_REPLAY_PRESERVE_FILM_H
#define VIEWER_REPLAY_PRESERVE_FILM_H

#include "simulator/preserve/preserve_epoch.h"
#include "viewer/replay/preserve_replay.h"

struct preserve_film {
    struct params params; /* after preserve_apply() */
    struct preserve_memory memory;
    struct packed_bytes state; /* at the end of the last epoch */
    /* since the first epoch */
    struct preserve_replay_event *events;
    int event_count, event_room;
    atomic_int *stop; /* may be NULL; other than 0: the epoch ends soon, ERR_BUSY */
    /* Sees each moment after it was added; may be NULL. */
    void (*show)(void *context, const struct preserve_replay *waters);
    void *context;
    /* of the epoch under way */
    struct preserve_replay *waters;
    double tick_s;
    int status;
};
/* Nothing of a world yet, from from_s to to_s. NULL: out of memory. */
struct preserve_replay *preserve_film_begin(const struct preserve_film *film, int world,
                                            double from_s, double to_s, double step_s);
/* Lives through an order and adds its moments. Counts it in `verified` if the state at its end has that
 * digest. 0 or ERR_* with a message. */
int preserve_film_live(struct preserve_film *film, struct preserve_replay *waters,
                       const struct epoch_order *order, uint64_t digest, struct error *error);
void preserve_film_deinit(struct preserve_film *film);

#endif

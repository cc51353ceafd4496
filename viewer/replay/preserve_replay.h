/* A world of a run of a preserve, simulated again over some of its time and recorded, to be drawn.
 *
 * A moment is as it looks: places and turns of parts, what plants hold, eggs, carcasses. 40
 * creatures are some 12 kB; a moment larger than WATERS_BYTES_MAX is refused. */
#ifndef VIEWER_REPLAY_PRESERVE_REPLAY_H
#define VIEWER_REPLAY_PRESERVE_REPLAY_H

#include <stdatomic.h>

#include "common/creature/packed_bytes.h"
#include "common/preserve/epoch.h"
#include "common/params/params.h"
#include "common/error.h"
#include "common/store/run_reader.h"
#include "simulator/preserve/preserve_epoch.h"

#define WATERS_BYTES_MAX (1u << 30)

/* The number by which a tree of parts and mouths has its colour, 0 or more. */
static inline int preserve_form_of(uint64_t topology)
{
    return (int)(topology & INT32_MAX);
}

/* A rectangle; or the rail of a joint that slides. */
struct preserve_replay_part {
    float x_m, y_m, angle_rad, width_m, height_m;
};
struct preserve_replay_mouth {
    float x_m, y_m, width_m;
    int kind;      /* enum mouth */
    int is_eating; /* FOOD_*, or -1 */
};
struct preserve_replay_creature {
    uint64_t id, mother, father; /* parents: 0 = none */
    int family, is_hunter, generation, children;
    int form;      /* preserve_form_of() its tree of parts and mouths */
    int is_spared; /* by mouths: people protect it */
    float fullness, born_s, x_m, y_m;
    float reserve_j, body_j, whole_j; /* what it holds; the body it was born with */
    float gained_j[EPOCH_FOOD_COUNT]; /* what it has digested */
    float bitten_j, way_m;            /* lost of late to mouths; its way */
    int first_part, part_count, first_mouth, mouth_count;
};
struct preserve_replay_thing {
    float x_m, y_m, radius_m;
    float share; /* of an egg: of its time until it hatches */
    int family;
    uint64_t id; /* of an egg */
};
/* A creature hatched or died. */
struct preserve_replay_event {
    double time_s;
    uint64_t id;
    float x_m, y_m;
    float held_j; /* reserve and body */
    int cause;    /* of death; -1: it hatched */
};
struct preserve_replay_moment {
    double time_s, daylight;
    struct preserve_replay_creature *creatures;
    struct preserve_replay_part *parts;
    struct preserve_replay_mouth *mouths;
    struct preserve_replay_thing *eggs, *carcasses;
    unsigned char *plants; /* share of the most that a cell holds, 0 .. 255 */
    int creature_count, part_count, mouth_count, egg_count, carcass_count;
};
/* An epoch's order as a message has it, with the state that it begins with, and the digest of the state
 * at its end: by these a page simulates it again. */
struct preserve_replay_epoch {
    struct packed_bytes order;
    uint64_t digest;
};
struct preserve_replay {
    struct params params;
    int world, columns, rows;
    double from_s, to_s, step_s; /* a moment every step_s */
    struct preserve_replay_moment *moments;
    int moment_count, moment_room;
    struct preserve_replay_event *events; /* since the source was opened */
    int event_count, event_room;
    size_t bytes;
    int keeps_epochs;
    struct preserve_replay_epoch *epochs; /* if it keeps them: those that reach beyond from_s */
    int epoch_count, epoch_room;
    int verified,
        recorded;   /* epochs that came out as this version recorded them; and how many it did */
    int is_glimpse; /* one moment, of the state that the simulation begins with */
};

struct preserve_replay_request {
    const char *run_directory;
    int world;
    double from_s, to_s, step_s;
    int keeps_epochs;
    double budget; /* no epoch may take more billions of operations; 0: what any world may take */
};
/* Simulates from the state before on that is kept. Fails with a message; ERR_LIMIT: the budget. */
int preserve_replay_create(struct preserve_replay **waters,
                           const struct preserve_replay_request *request, struct error *error);
void preserve_replay_destroy(struct preserve_replay *waters); /* NULL is allowed */
/* "verified", "differs", or "other version" where no epoch is compared. */
const char *preserve_replay_verdict(const struct preserve_replay *waters);

/* The place of a creature at a moment, and its state then. */
enum preserve_replay_being { WATERS_NOWHERE, WATERS_EGG, WATERS_LIVING, WATERS_CARCASS };
enum preserve_replay_being preserve_replay_find(const struct preserve_replay *waters, int moment,
                                                uint64_t id, double *x_m, double *y_m);
const struct preserve_replay_creature *preserve_replay_find_living(
    const struct preserve_replay_moment *moment, uint64_t id);
/* Its hatching (is_death 0) or its death; NULL: not since the source was opened. */
const struct preserve_replay_event *preserve_replay_find_event(const struct preserve_replay *waters,
                                                               uint64_t id, int is_death);
/* The last moment that is not after a time, 0 if none is. */
int preserve_replay_moment_at(const struct preserve_replay *waters, double time_s);

/* The end of the last epoch that is recorded of a world, s. ERR_MISSING if there is none. */
int preserve_replay_find_end(const char *run_directory, int world, double *end_s,
                             struct error *error);
/* Finds where and when a creature lived: from its egg to its carcass; the world's end while it
 * lives. */
int preserve_replay_find_life(const char *run_directory, uint64_t id, int *world, double *from_s,
                              double *to_s, struct error *error);

/* Epochs of a world of a preserve, simulated from their orders and recorded as moments. */
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

/* A world of a preserve for a window: a thread simulates it epoch by epoch, ahead of what is shown,
 * and hands each over as it is ready. It keeps two that were not taken at most. */
struct preserve_feed;

/* The feed hands over a glimpse of the state that is kept, then the epoch of from_s; it has no end
 * and no budget. NULL and a message on error. */
int preserve_feed_create(struct preserve_feed **feed, const struct preserve_replay_request *request,
                         struct error *error);
/* Stops at the next tick. NULL is allowed. */
void preserve_feed_destroy(struct preserve_feed *feed);
/* The next epoch, which becomes the caller's; NULL: it is not ready. Then `error` has ERR_BUSY with
 * the time up to which all is simulated, or says why there is none: ERR_MISSING where the record
 * ends. */
struct preserve_replay *preserve_feed_take(struct preserve_feed *feed, struct error *error);
/* Waits until an epoch is ready, or there is none to come. */
void preserve_feed_wait(struct preserve_feed *feed);

/* How many creatures of a world of a preserve had each tree of parts over time, as bands for a
 * window. It comes of the lives that the run store has, so nothing is simulated for it.
 * The trees whose creatures lived most have a band each; all others share the last one. Counts are
 * known at the middles of equal spans. */
enum { PRESERVE_BANDS_MAX = 15, PRESERVE_SPANS = 240 };
/* The form of the band of all other trees. */
#define PRESERVE_FORM_OTHERS (-1)

struct preserve_band {
    int form;       /* preserve_form_of() */
    double first_s; /* its first birth */
    double lived_s; /* the sum over its lives */
    int counts[PRESERVE_SPANS];
};
struct preserve_river {
    double end_s;                                   /* spans divide the time from 0 to here */
    int most;                                       /* creatures that live at once */
    struct preserve_band bands[PRESERVE_BANDS_MAX]; /* by their first births */
    int count;
};

/* Reads the river of a world up to a time, end_s > 0. On error, and where the run knows no trees,
 * it has no bands. */
int preserve_river_read(struct preserve_river *river, const char *run_directory, int world,
                        double end_s, struct error *error);
/* The band of a form, or that of all others; -1: there is none. */
int preserve_river_find(const struct preserve_river *river, int form);

#endif

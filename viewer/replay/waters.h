/* A world of a run of a preserve, simulated again over some of its time and recorded, to be drawn.
 *
 * A moment is as it looks: places and turns of parts, what plants hold, eggs, carcasses. 40
 * creatures are some 12 kB; a moment larger than WATERS_BYTES_MAX is refused. */
#ifndef VIEWER_REPLAY_WATERS_H
#define VIEWER_REPLAY_WATERS_H

#include <stdatomic.h>

#include "common/creature/packed_bytes.h"
#include "common/preserve/epoch.h"
#include "common/params/params.h"
#include "common/error.h"

#define WATERS_BYTES_MAX (1u << 30)

/* A rectangle; or the rail of a joint that slides. */
struct waters_part {
    float x_m, y_m, angle_rad, width_m, height_m;
};
struct waters_mouth {
    float x_m, y_m, width_m;
    int kind;      /* enum mouth */
    int is_eating; /* FOOD_*, or -1 */
};
struct waters_creature {
    uint64_t id, mother, father; /* parents: 0 = none */
    int family, is_hunter, generation, children;
    int form;      /* a number of its tree of parts and mouths */
    int is_spared; /* by mouths: people protect it */
    float fullness, born_s, x_m, y_m;
    float reserve_j, body_j, whole_j; /* what it holds; the body it was born with */
    float gained_j[EPOCH_FOOD_COUNT]; /* what it has digested */
    float bitten_j, starved_j, way_m; /* lost of late: to mouths, and otherwise; its way */
    int first_part, part_count, first_mouth, mouth_count;
};
struct waters_thing {
    float x_m, y_m, radius_m;
    float share; /* of an egg: of its time until it hatches */
    int family;
    uint64_t id; /* of an egg */
};
/* A creature hatched or died. */
struct waters_event {
    double time_s;
    uint64_t id;
    float x_m, y_m;
    float held_j; /* reserve and body */
    int cause;    /* of death; -1: it hatched */
};
struct waters_moment {
    double time_s, daylight;
    struct waters_creature *creatures;
    struct waters_part *parts;
    struct waters_mouth *mouths;
    struct waters_thing *eggs, *carcasses;
    unsigned char *plants; /* share of the most that a cell holds, 0 .. 255 */
    int creature_count, part_count, mouth_count, egg_count, carcass_count;
};
/* An epoch's order as a message has it, with the state that it begins with, and the digest of the state
 * at its end: by these a page simulates it again. */
struct waters_epoch {
    struct packed_bytes order;
    uint64_t digest;
};
struct waters {
    struct params params;
    int world, columns, rows;
    double from_s, to_s, step_s; /* a moment every step_s */
    struct waters_moment *moments;
    int moment_count, moment_room;
    struct waters_event *events; /* since the source was opened */
    int event_count, event_room;
    size_t bytes;
    int keeps_epochs;
    struct waters_epoch *epochs; /* if it keeps them: those that reach beyond from_s */
    int epoch_count;
    int verified, recorded; /* epochs that came out as recorded; and how many are recorded */
    int is_glimpse;         /* one moment, of the state that the simulation begins with */
};

struct waters_request {
    const char *run_directory;
    int world;
    double from_s, to_s, step_s;
    int keeps_epochs;
    double budget; /* no epoch may take more billions of operations; 0: what any world may take */
};
/* Simulates from the state before on that is kept. Fails with a message; ERR_LIMIT: the budget. */
int waters_create(struct waters **waters, const struct waters_request *request,
                  struct error *error);
void waters_destroy(struct waters *waters); /* NULL is allowed */

/* The place of a creature at a moment, and its state then. */
enum waters_being { WATERS_NOWHERE, WATERS_EGG, WATERS_LIVING, WATERS_CARCASS };
enum waters_being waters_find(const struct waters *waters, int moment, uint64_t id, double *x_m,
                              double *y_m);
const struct waters_creature *waters_find_living(const struct waters_moment *moment, uint64_t id);
/* Its hatching (is_death 0) or its death; NULL: not since the source was opened. */
const struct waters_event *waters_find_event(const struct waters *waters, uint64_t id,
                                             int is_death);
/* The last moment that is not after a time, 0 if none is. */
int waters_moment_at(const struct waters *waters, double time_s);

/* Epochs of a world, one after the other. */
struct waters_source;
/* Begins with the last state that is kept before time_s. ERR_MISSING if there is none. */
int waters_source_open(struct waters_source **source, const char *run_directory, int world,
                       double time_s, struct error *error);
void waters_source_close(struct waters_source *source); /* NULL is allowed */
/* When its next epoch begins. */
double waters_source_time(const struct waters_source *source);
/* The end of the last epoch that is recorded of a world, s. ERR_MISSING if there is none. */
int waters_find_end(const char *run_directory, int world, double *end_s, struct error *error);
/* Finds where and when a creature lived: from its egg to its carcass; the world's end while it
 * lives. */
int waters_find_life(const char *run_directory, uint64_t id, int *world, double *from_s,
                     double *to_s, struct error *error);
/* Nothing of a world yet, from from_s to to_s. NULL: out of memory. */
struct waters *waters_source_begin(const struct waters_source *source, double from_s, double to_s,
                                   double step_s);
/* Adds the first moment of the next epoch, which is yet to be lived through. */
int waters_source_glimpse(struct waters_source *source, struct waters *waters, struct error *error);
/* Adds the next epoch. `stop` (may be NULL) ends it soon when it becomes other than 0: ERR_STOPPED.
 * ERR_MISSING if the run has not come so far. */
int waters_source_live(struct waters_source *source, struct waters *waters, atomic_int *stop,
                       struct error *error);

#endif

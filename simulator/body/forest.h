/* A forest: the bodies of several creatures in one world, which may touch one another.
 *
 * Before every step each body says where it could be within it. Bodies whose bounds overlap, one
 * with another, are an island, and the bodies of an island take the step together. A body that is
 * an island by itself takes it by dynamics_step(): its motion is, bit for bit, that of a world that
 * it has for itself.
 *
 * The bodies are of one solver, and made for the same world and settings. */
#ifndef SIMULATOR_BODY_FOREST_H
#define SIMULATOR_BODY_FOREST_H

#include "common/error.h"
#include "simulator/body/dynamics.h"

struct forest {
    struct dynamics **all; /* by place */
    int count;
    int *is_gone;            /* of each: it is no longer in the world */
    int *is_broken;          /* its state is no longer finite */
    struct meeting *meeting; /* NULL: there is no other body */
    struct vec3 *low, *high; /* where each could be in this step */
    double *speed, *fastest; /* of each, and of each crowd, in this tick, m/s */
    int *order;              /* by low.x */
    int *crowd; /* of each in this tick: the lowest place of those that may come near one another */
    int *island;            /* of each in the last step: the lowest place in it */
    int *members, *along;   /* scratch: of a crowd, by place and by low.x */
    struct dynamics **some; /* scratch: of an island, and what came of its step */
    int *results;
};

/* Takes everything from the arena; the dynamics stay the caller's. Contact points name creatures by
 * `numbers`; NULL: by their places. ERR_MEMORY when the arena is full, ERR_UNAVAILABLE if bodies
 * like these cannot meet. */
int forest_create(struct forest *forest, struct dynamics *const *all, const int *numbers, int count,
                  struct arena *arena, struct error *error);
/* Some steps of settings.dt_s, between which nothing is asked of the bodies but what `after`
 * does. */
struct forest_tick {
    int steps;
    double dt_s;
    const int *part_counts; /* by place */
    const int *may_rest;    /* by place: a body at rest with no other one near is not moved */
    /* Before the steps of each body that is alone, and of the first of those that may meet; may be
     * NULL. */
    void (*before)(void *context, int place);
    /* After each step of each that was there; other than 0: all is over. */
    int (*after)(void *context, int place);
    /* After all steps of those that took them together, while the caches have them; may be NULL. */
    void (*done)(void *context, int place);
    void *context;
};
/* Bodies that can come near one another meanwhile take all steps before others do, and so have the
 * caches for themselves. But for bodies that rest, the motion is that of ticks of one step. A body
 * for which dynamics_step() fails is taken out of the world. */
void forest_tick(struct forest *forest, const struct forest_tick *tick);
/* A broken invariant of the forest is a bug. */
void forest_check(const struct forest *forest);

#endif

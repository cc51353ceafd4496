/* Hands choices and deeds on to the run: starts `controller choose` or `controller tend`, which
 * asks the controller at work, or writes into the run store where there is none. The viewer itself
 * writes nothing into the store.
 *
 * Orders are given one after the other, in their order, without waiting: a window polls for how
 * they ended. An order takes some ten milliseconds. */
#ifndef VIEWER_WINDOW_CHOOSER_H
#define VIEWER_WINDOW_CHOOSER_H

#include <stdint.h>

#include "common/error.h"

struct chooser;

/* The directory's name is copied. NULL: out of memory. */
struct chooser *chooser_create(const char *run_directory);
/* Orders that were not given yet are dropped; one that is under way comes to its end. NULL is
 * allowed. */
void chooser_destroy(struct chooser *chooser);

/* A creature's choice (enum choice). ERR_LIMIT: too many orders wait. */
int chooser_choose(struct chooser *chooser, uint64_t id, int choice);
/* That enough is chosen. */
int chooser_next(struct chooser *chooser);

/* Deeds in a world of a preserve: words behind the world's number, see `controller tend`. */
int chooser_tend(struct chooser *chooser, int world, const char *words);

/* How an order ended: 0 with what the controller said; ERR_BUSY: none has ended; else it failed,
 * with its message in `error`. */
struct chooser_answer {
    uint64_t id; /* of the creature; 0: it was no choice */
    char text[240];
};
int chooser_poll(struct chooser *chooser, struct chooser_answer *answer, struct error *error);
/* 1 while there is something to poll for. NULL is allowed. */
int chooser_is_busy(const struct chooser *chooser);

#endif

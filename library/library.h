/* libbestiary's own: what its files share. include/bestiary.h is the interface. */
#ifndef LIBRARY_LIBRARY_H
#define LIBRARY_LIBRARY_H

#include "common/creature/creature.h"
#include "include/bestiary.h"
#include "simulator/evaluate/evaluate.h"

struct bestiary_params {
    struct params p;
};
struct bestiary_creature {
    struct creature c;
};

/* Puts an error into the caller's, which may be NULL: our words where `own` has some, else the
 * general text of the status. Returns the status, which may be 0. */
int library_say(struct bestiary_error *to, int status, const struct error *own);
/* An empty creature; NULL: out of memory. */
struct bestiary_creature *library_creature_make(void);
/* Gives the creature if the status is 0, else frees it, sets it to NULL and says why. */
int library_creature_give(struct bestiary_creature **creature, int status, const struct error *own,
                          struct bestiary_error *error);
/* A copy. 0 or ERR_MEMORY. */
int library_copy(struct bestiary_bytes *bytes, const void *data, size_t length);
/* Most evaluations take 0.1 to 0.5 MB. */
#define LIBRARY_ARENA_BYTES (4u << 20)

/* evaluate_list() in a small arena, and only if that does not do in the whole one, which gives the
 * same result. 0 or ERR_MEMORY. */
int library_evaluate(const struct evaluate_order *order, struct evaluation *results);

#endif

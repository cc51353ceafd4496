/* Deeds of people in a world at the beginning of an epoch: put in, feed, move, remove. Energy that
 * comes in is an arrival of the ledger, energy that goes out a departure. */
#ifndef SIMULATOR_PRESERVE_PRESERVE_DEEDS_H
#define SIMULATOR_PRESERVE_PRESERVE_DEEDS_H

#include "simulator/preserve/preserve.h"

/* Plants grow in cells up to this far from the place of feeding, m. */
#define DEED_FEED_M 1.0

/* Does the deeds in their order. A deed that finds no creature, no room, or a body that cannot be
 * grown, does nothing, and the log says so. `watcher` (may be NULL) hears of creatures that are
 * removed. ERR_MEMORY, ERR_LIMIT. */
int preserve_do(struct preserve_state *state, const struct params *params,
                const struct epoch_order *order, struct preserve_memory *memory,
                const struct preserve_watcher *watcher, struct error *error);

/* Takes living creature i out, without a carcass; the caller books its energy. */
void preserve_remove(struct preserve_state *state, const struct params *params, int i,
                     const struct preserve_watcher *watcher);

#endif

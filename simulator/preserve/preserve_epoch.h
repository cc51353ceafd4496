/* An epoch of a preserve in a run: 30 s of a world, as its order says
 * (common/preserve/epoch_order.h). It is a pure function of order, seed and parameters. */
#ifndef SIMULATOR_PRESERVE_PRESERVE_EPOCH_H
#define SIMULATOR_PRESERVE_PRESERVE_EPOCH_H

#include "simulator/preserve/preserve.h"

/* The world at the beginning of the epoch: unpacked, with arrivals, and without the creatures that
 * must not live; in epoch 0 it is founded. The order must stay until the epoch is over. Initialises
 * `state`, and leaves it empty on error. `watcher` (may be NULL) hears of creatures that are
 * removed. */
int preserve_epoch_begin(struct preserve_state *state, const struct params *params, uint64_t seed,
                         const struct epoch_order *order, struct preserve_memory *memory,
                         const struct preserve_watcher *watcher, struct error *error);
/* Lives through it; not in epoch 0. At its end an egg may drift away: `traveller`, which must be
 * empty. */
int preserve_epoch_live(struct preserve_state *state, const struct params *params,
                        const struct epoch_order *order, const struct preserve_watcher *watcher,
                        struct preserve_memory *memory, struct packed_bytes *traveller,
                        struct error *error);
/* The numbers of a state. */
void preserve_epoch_facts(const struct preserve_state *state, int64_t facts[EPOCH_FACT_COUNT]);
/* Fills the life of an event's creature. Returns 0 of an egg that was laid, which has no life
 * yet. */
int preserve_epoch_life(const struct preserve_event *event, struct epoch_life *life);
/* Keeps a creature that hatched, as an egg, if it is the first of its tree of parts in this
 * epoch. 0, ERR_MEMORY or ERR_LIMIT. */
int preserve_epoch_form(const struct preserve_event *event, struct epoch_end *end);
/* Hash of the tree of parts and mouths, whatever their sizes; up to INT64_MAX. */
uint64_t preserve_topology(const struct phenotype *phenotype, const struct genome *genome);

/* Deeds of people in a world at the beginning of an epoch: put in, feed, move, remove. Energy that
 * comes in is an arrival of the ledger, energy that goes out a departure. */

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

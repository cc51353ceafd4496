/* Scent: the scent of bodies spreads over a grid and fades.
 *
 * Amounts are whole numbers, so that sums are exact: the emitted amount is the present and the
 * decayed one (scent_total() + decayed == emitted), at every tick and in every order of calls. A
 * caller that counts energy emits microjoules, and the decay of a tick is its heat.
 *
 * Diffusion: in a tick two cells side by side with amounts a and b exchange (a - b) / 8, rounded
 * toward zero, all pairs at once. A cell has six neighbours at most and gives each an eighth, so
 * amounts are never negative; the pair's flux changes its sign with the pair, so mirrored and
 * turned worlds have mirrored and turned scents. The variance of a puff grows by 1/4 cell^2 a tick
 * along each axis: the diffusion constant is cell_m^2 / (8 tick). Two cells that differ by less
 * than 8 are even. (A shift instead of the rounding made amounts negative: it rounds -1/8 to -1.)
 *
 * Decay: a cell loses 1/fade_ticks of what it has, rounded up, so that traces end.
 *
 * The box is closed: nothing leaves it, and scent emitted or smelt outside is at its nearest cell.
 * Sizes: 64 x 64 cells take some 10 us a tick and channel; a channel that is empty takes nothing.
 *
 * Use: scent_create() from the arena; each tick scent_smell() for each nose, then scent_emit() for
 * each emitter, then scent_tick(). The order of emitters does not matter. `amounts`, `emitted` and
 * `decayed` are all of its state, for saving. */
#ifndef SIMULATOR_WORLD_SCENT_H
#define SIMULATOR_WORLD_SCENT_H

#include <stdint.h>

#include "common/math/vec3.h"
#include "common/system/arena.h"

enum { SCENT_CHANNELS = 2, SCENT_CELLS_MAX = 1 << 20 };

struct scent {
    struct vec3 middle_m; /* of the box */
    double cell_m;
    int cells[3];       /* along x, y, z: even, or 1 */
    int64_t fade_ticks; /* 0: nothing decays */
    double half;        /* the amount in a cell that is smelt as 1/2 */
    int cell_count;
    int64_t *amounts[SCENT_CHANNELS]; /* by cell, x fastest */
    int64_t *scratch;
    int64_t emitted[SCENT_CHANNELS], decayed[SCENT_CHANNELS]; /* since it was made */
};

/* The scents that a nose finds at a place. */
struct smell {
    struct vec3 uphill; /* to where there is more of it: amount per cell */
    double level;       /* 0 to 1: amount / (amount + half), as receptors are occupied */
};

/* A box of whole cells that has at least that size; a size of 0 is one cell: the scent does not
 * depend on that coordinate. The scent names middle_m, cell_m, fade_ticks and half and is zero
 * besides. ERR_MEMORY: the arena is full; ERR_LIMIT: more than SCENT_CELLS_MAX cells. */
int scent_create(struct scent *scent, struct vec3 size_m, struct arena *arena);
/* Counts these cells only. ERR_LIMIT. */
int scent_measure(struct scent *scent, struct vec3 size_m);
/* Amount >= 0. */
void scent_emit(struct scent *scent, int channel, struct vec3 at, int64_t amount);
void scent_tick(struct scent *scent);
/* The sum over all cells. */
int64_t scent_total(const struct scent *scent, int channel);
/* Amounts between the middles of cells are linear. */
struct smell scent_smell(const struct scent *scent, int channel, struct vec3 at);

#endif

/* How a creature goes: what bears it, which parts step, and how often its joints swing there and
 * back.
 *
 * Contacts and joints are looked at once a tick, after its last step. A swing is counted where a
 * driven joint has come from the lowest third of the way that it has ever gone to the highest one:
 * trembling is no swing. */
#ifndef SIMULATOR_EVALUATE_GAIT_H
#define SIMULATOR_EVALUATE_GAIT_H

#include "simulator/body/dynamics.h"
#include "common/judge/measures.h"

struct gait_foot {
    double load_n_s;         /* normal impulses of the world, sampled */
    uint64_t ticks, last_at; /* with any, and the number of the last of these ticks, from 1 */
};
struct gait_swing {
    double low, high; /* of the joint's values so far */
    int is_low;       /* it was in the lowest third last, not in the highest */
    int count;
};
struct gait {
    struct gait_foot *feet;    /* per part */
    struct gait_swing *swings; /* per drive */
    uint64_t ticks;
};

/* ERR_MEMORY: the arena is full. */
int gait_create(struct gait *gait, const struct phenotype *phenotype, struct arena *arena);
void gait_watch(struct gait *gait, const struct phenotype *phenotype, struct dynamics *dynamics,
                int creature);
/* Sets belly_share, stride_hz, stride_m, feet, idle_share. Time and way are measured already. */
void gait_measure(const struct gait *gait, const struct phenotype *phenotype,
                  struct measures *measures);
/* How many pairs of parts are mirror images: as deep, as large and as heavy. Of the grown
 * body alone: equal bodies have as many. */
int gait_count_pairs(const struct phenotype *phenotype);

#endif

/* The control of a run: the same first generation, the same breeding, but survivors and parents
 * are drawn by dice. Its changes have nothing to do with selection (Cartlidge and Bullock
 * 2004, "Unpicking tartan CIAO plots"). Nothing is simulated. */
#ifndef CONTROLLER_EVOLUTION_DRIFT_H
#define CONTROLLER_EVOLUTION_DRIFT_H

#include "controller/evolution/search.h"

/* Creatures that are born in a control have ids from here on. */
#define DRIFT_FIRST_ID ((uint64_t)1 << 40)

/* Breeds up to generation `last`. `first` is taken over; results that it has are forgotten. `take`
 * is given each generation, ranked by the dice; what it returns but 0 ends all and is returned.
 * 0 or ERR_MEMORY. */
int drift_breed(const struct params *params, struct population *first, uint32_t last,
                int (*take)(void *context, uint32_t generation, const struct population *ranked),
                void *context);

#endif

/* An evaluation in as little memory as it takes. */
#ifndef LIBRARY_LIVES_H
#define LIBRARY_LIVES_H

#include "simulator/evaluate/evaluate.h"

/* Most evaluations take 0.1 to 0.5 MB. */
#define LIBRARY_ARENA_BYTES (4u << 20)

/* evaluate_list() in a small arena, and only if that does not do in the whole one, which gives the
 * same result. 0 or ERR_MEMORY. */
int library_evaluate(const struct evaluate_order *order, struct evaluation *results);

#endif

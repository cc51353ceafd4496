/* The milestones of a line of descent: those of its creatures that tell how the last one came about. */
#ifndef COMMON_JUDGE_MILESTONES_H
#define COMMON_JUDGE_MILESTONES_H

#include <stddef.h>

/* Chooses at most `most` (>= 2) of `count` creatures, the youngest of which comes first: both ends,
 * and those between that gained most over their parent, the creature after them. `fitness` is that
 * of the first creature, and the next one's stands stride_bytes behind it. `chosen` (room for
 * `most`) receives their numbers, the oldest first. Returns how many. */
int milestones_choose(const double *fitness, size_t stride_bytes, int count, int most, int *chosen);

#endif

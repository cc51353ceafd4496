/* Several creatures in one world, without things and without a referee. */
#ifndef TESTS_EVALUATE_TOGETHER_H
#define TESTS_EVALUATE_TOGETHER_H

#include <limits.h>

#include "simulator/evaluate/run.h"

static inline void evaluate_together(const struct evaluate_task *tasks, int count,
                                     const struct params *by, struct arena *memory,
                                     evaluate_observer *look, void *looker,
                                     struct evaluation *outcomes)
{
    struct run like = {.params = by, .observer = look, .context = looker};
    struct habitat habitat = {.first_thing = INT_MAX};
    evaluate_habitat(&habitat, tasks, count, &like, memory, outcomes);
}

#endif

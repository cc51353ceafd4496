/* Bodies of a forest take one step together. */
#ifndef TESTS_FOREST_STEP_H
#define TESTS_FOREST_STEP_H

#include "simulator/body/forest.h"

enum { FOREST_STEP_MOST = 200 };

static int forest_step_after(void *context, int place)
{
    struct forest *forest = ((void **)context)[0];
    *(int *)((void **)context)[1] |= forest->is_broken[place];
    return 0;
}

/* A tick of one step, whose length does not matter where no parts are told; returns 1 if a body came to be broken. */
static inline int forest_step(struct forest *forest)
{
    static const int none[FOREST_STEP_MOST];
    int has_broken = 0;
    void *context[2] = {forest, &has_broken};
    struct forest_tick tick = {.steps = 1,
                               .part_counts = none,
                               .may_rest = none,
                               .after = forest_step_after,
                               .context = context};
    forest_tick(forest, &tick);
    return has_broken;
}

#endif

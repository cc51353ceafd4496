/* One creature through the one door, evaluate_list(). */
#ifndef TESTS_EVALUATE_ONE_H
#define TESTS_EVALUATE_ONE_H

#include "simulator/evaluate/evaluate.h"

/* Tests have variables of the plain names. */
static inline void evaluate(const struct genome *one, const struct params *by, uint64_t start,
                            struct arena *memory, evaluate_observer *look, void *looker,
                            struct evaluation *outcome)
{
    const struct evaluate_order order = {.genomes = &one, .count = 1, .params = by, .seed = start};
    const struct evaluate_onlooker onlooker = {NULL, look, looker};
    evaluate_list(&order, &onlooker, memory, outcome);
}

#endif

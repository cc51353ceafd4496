/* Vectors as tests draw and compare them. */
#ifndef TESTS_VECTORS_H
#define TESTS_VECTORS_H

#include "common/math/rng.h"
#include "common/math/rotation.h"

/* Each component within -most .. most. */
static inline struct vec3 draw_vec3(struct rng *rng, double most)
{
    double x = rng_uniform(rng, -most, most), y = rng_uniform(rng, -most, most);
    return (struct vec3){x, y, rng_uniform(rng, -most, most)};
}

#endif

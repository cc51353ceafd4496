/* How far two boxes overlap, by a search over directions that knows nothing of axes: along each the
 * boxes overlap by the sum of their reaches less the distance of their centres, and the least of
 * that is the depth. */
#ifndef TESTS_DIRECTION_SEARCH_H
#define TESTS_DIRECTION_SEARCH_H

#include "common/math/rng.h"
#include "simulator/contact/solids.h"

static inline double overlap_along(const struct solid *a, const struct solid *b, struct vec3 n)
{
    double length = vec3_length(n);
    struct vec3 way = vec3_sub(b->centre, a->centre);
    return (solids_reach(a, n) + solids_reach(b, n) - fabs(vec3_dot(way, n))) / length;
}

static inline struct vec3 draw_direction(struct rng *rng)
{
    for (;;) {
        struct vec3 n = {rng_uniform(rng, -1, 1), rng_uniform(rng, -1, 1), rng_uniform(rng, -1, 1)};
        double length = vec3_length(n);
        if (length > 0.1 && length < 1)
            return vec3_scale(n, 1 / length);
    }
}

static inline struct mat3 draw_turn(struct rng *rng)
{
    struct quaternion q = {rng_uniform(rng, -1, 1), rng_uniform(rng, -1, 1),
                           rng_uniform(rng, -1, 1), rng_uniform(rng, -1, 1)};
    q = quaternion_normalised(q);
    return quaternion_matrix(q);
}

/* The least overlap found: the best of `tries` directions, then steps that shrink. */
static inline double search_overlap(const struct solid *a, const struct solid *b, int tries,
                                    int steps, struct rng *rng)
{
    struct vec3 best = {0, 1, 0};
    double least = overlap_along(a, b, best), size = 0.5;
    for (int i = 0; i < tries; i++) {
        struct vec3 n = draw_direction(rng);
        double overlap = overlap_along(a, b, n);
        if (overlap < least)
            least = overlap, best = n;
    }
    for (int i = 0; i < steps; i++) {
        struct vec3 n = vec3_along(best, draw_direction(rng), size);
        n = vec3_scale(n, 1 / vec3_length(n));
        double overlap = overlap_along(a, b, n);
        if (overlap < least)
            least = overlap, best = n, size *= 1.5;
        else
            size *= 0.9;
        if (size < 1e-12)
            size = 0.01;
    }
    return least;
}

/* Two boxes of sides 0.1 to 1 m, near one another. */
static inline void draw_pair(struct rng *rng, struct solid *a, struct solid *b)
{
    struct vec3 half[2];
    for (int i = 0; i < 2; i++)
        half[i] = (struct vec3){rng_uniform(rng, 0.05, 0.5), rng_uniform(rng, 0.05, 0.5),
                                rng_uniform(rng, 0.05, 0.5)};
    struct mat3 turn = draw_turn(rng);
    solids_place(a, (struct vec3){0, 0, 0}, &turn, half[0]);
    turn = draw_turn(rng);
    struct vec3 way = vec3_scale(draw_direction(rng), rng_uniform(rng, 0, 1.2));
    solids_place(b, way, &turn, half[1]);
}

#endif

/* Two numbers side by side, which one instruction adds or multiplies: half the work where two
 * numbers go the same way. Every processor does the same arithmetic, and each number is what it would
 * be alone: the same operations in the same order, only next to another's. (x - a b and x + a (-b)
 * are the same bits, and so are a + b and b + a.)
 *
 * Two ways to find what goes together:
 *
 *   PAIR(vector, i)    neighbours in a vector of numbers, which is made even
 *   XY(of.x)           the x and y of a plane vector, which stand side by side in their struct
 *
 * The second one needs no two links, parts or contacts that are alike: it halves what a single one
 * takes, whatever the body. What turns by a right angle or multiplies crosswise costs an exchange of the
 * two besides, so that a link keeps its ways turned, too.
 *
 * What has just been stored as a pair is quickly loaded singly, but what has just been stored singly is
 * loaded as a pair only when the stores are through with their way to memory, a dozen cycles later:
 * SINGLES(vector, i) is for that.
 *
 * Links two at a time in registers are in flight.c, which has vectors of its own, aligned to 16 bytes. */
#ifndef SIMULATOR_PAIR_H
#define SIMULATOR_PAIR_H

#include <stdint.h>

typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));
typedef int64_t pair_bits __attribute__((vector_size(16)));

#define PAIR(vector, i)    (*(pair *)((vector) + (i)))
#define XY(x)              (*(pair *)&(x))
#define SINGLES(vector, i) ((pair){(vector)[i], (vector)[(i) + 1]})

static inline pair pair_of(double both)
{
    return (pair){both, both};
}

static inline pair pair_swap(pair a)
{
    return (pair){a[1], a[0]};
}

static inline double pair_sum(pair a)
{
    return a[0] + a[1];
}

static inline pair pair_absolute(pair a)
{
    const pair_bits sign = {INT64_MIN, INT64_MIN};
    return (pair)((pair_bits)a & ~sign);
}

/* A plane vector turned by a right angle, (-y, x): what w x r is for w = 1. */
static inline pair plane_turn(pair a)
{
    const pair_bits sign = {INT64_MIN, 0};
    return (pair)((pair_bits)pair_swap(a) ^ sign);
}

static inline double plane_dot(pair a, pair b)
{
    return pair_sum(a * b);
}

static inline double plane_cross(pair a, pair b)
{
    pair c = a * pair_swap(b);
    return c[0] - c[1];
}

#endif

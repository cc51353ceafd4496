/* Vectors of the plane as pairs: XY(of.x) are the x and y that stand side by side in their struct.
 * It needs no two links, parts or contacts that are alike: it halves what a single one takes,
 * whatever the body. What turns by a right angle or multiplies crosswise costs an exchange of the
 * two besides, so that a link keeps its ways turned, too. */
#ifndef SIMULATOR_PLANE_TREE_PAIR_H
#define SIMULATOR_PLANE_TREE_PAIR_H

#include "common/math/pair.h"

#define XY(x) (*(pair_anywhere *)&(x))

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

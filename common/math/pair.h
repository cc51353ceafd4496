/* Two numbers side by side, which one instruction adds or multiplies: half the work where two
 * numbers go the same way. Every processor does the same arithmetic, and each number is as it would
 * be alone: the same operations in the same order, only next to another's. (x - a b and x + a (-b)
 * are the same bits, and so are a + b and b + a.) PAIR(vector, i) are neighbours in a vector of
 * numbers, which is made even. A pair that has just been stored is quickly loaded singly, but two
 * numbers that have just been stored singly can be loaded as a pair only when the stores have
 * reached memory, a dozen cycles later: SINGLES(vector, i) is for that. Comparisons are functions,
 * since gcc 12 takes a mask that is made by < and used by & apart into single numbers and branches:
 * ten instructions instead of one. */
#ifndef COMMON_MATH_PAIR_H
#define COMMON_MATH_PAIR_H

#include <stdint.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Two numbers; the same in memory that is of single numbers, at a multiple of 16 bytes and
 * anywhere; and what comparisons make: all bits set where they hold, or none. */
typedef double pair __attribute__((vector_size(16)));
typedef pair pair_aligned __attribute__((may_alias));
typedef pair pair_anywhere __attribute__((aligned(8), may_alias));
typedef int64_t pair_bits __attribute__((vector_size(16)));

#define PAIR(vector, i)    (*(pair_anywhere *)((vector) + (i)))
#define SINGLES(vector, i) ((pair){(vector)[i], (vector)[(i) + 1]})

/* Functions that are compiled once for each of some constant arguments. */
#define ALWAYS_INLINE __attribute__((always_inline))

/* Four numbers, of which every one is what it would be alone, too; where processors have no
 * instructions for four, they are two pairs. */
typedef double quad __attribute__((vector_size(32)));
typedef quad quad_anywhere __attribute__((aligned(8), may_alias));

#define QUAD(vector, i) (*(quad_anywhere *)((vector) + (i)))

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

/* The lesser and the greater of two numbers; the second, if one of them is not a number. */
#ifdef __SSE2__
static inline pair pair_lesser(pair a, pair b)
{
    return _mm_min_pd(a, b);
}
static inline pair pair_greater(pair a, pair b)
{
    return _mm_max_pd(a, b);
}
static inline pair_bits pair_is_less(pair a, pair b)
{
    return (pair_bits)_mm_cmplt_pd(a, b);
}
static inline pair_bits pair_is_at_most(pair a, pair b)
{
    return (pair_bits)_mm_cmple_pd(a, b);
}
static inline pair_bits pair_is_equal(pair a, pair b)
{
    return (pair_bits)_mm_cmpeq_pd(a, b);
}
/* Which of the two masks are set: 1 the first, 2 the second, 3 both. */
static inline int pair_mask(pair_bits a)
{
    return _mm_movemask_pd((__m128d)a);
}
#else
static inline pair pair_lesser(pair a, pair b)
{
    return (pair){a[0] < b[0] ? a[0] : b[0], a[1] < b[1] ? a[1] : b[1]};
}
static inline pair pair_greater(pair a, pair b)
{
    return (pair){a[0] > b[0] ? a[0] : b[0], a[1] > b[1] ? a[1] : b[1]};
}
static inline pair_bits pair_is_less(pair a, pair b)
{
    return a < b;
}
static inline pair_bits pair_is_at_most(pair a, pair b)
{
    return a <= b;
}
static inline pair_bits pair_is_equal(pair a, pair b)
{
    return a == b;
}
static inline int pair_mask(pair_bits a)
{
    return (a[0] & 1) | (int)(a[1] & 2);
}
#endif

/* Vectors of the plane as pairs: XY(of.x) are the x and y that stand side by side in their struct.
 * It needs no two links, parts or contacts that are alike: it halves what a single one takes,
 * whatever the body. A turn by a right angle or a crosswise product costs an exchange of the two
 * besides, so that a link keeps its ways turned, too. */
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

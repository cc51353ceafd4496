/* Islands: numbers that are joined, one with another. Each leads downwards to the lowest number of its
 * island, which leads to itself. */
#ifndef COMMON_MATH_ISLANDS_H
#define COMMON_MATH_ISLANDS_H

/* The lowest number of the island of i. Shortens the way to it. */
static inline int islands_root(int *leads, int i)
{
    while (leads[i] != i)
        i = leads[i] = leads[leads[i]];
    return i;
}

static inline void islands_join(int *leads, int a, int b)
{
    a = islands_root(leads, a);
    b = islands_root(leads, b);
    leads[a < b ? b : a] = a < b ? a : b;
}

#endif

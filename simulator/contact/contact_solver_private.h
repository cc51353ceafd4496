/* Shared by contact_solver.c, contact_solver_newton.c and contact_solver_system.c: rows and columns of the laws of a group,
 * what they miss, and a proximal step. */
#ifndef SIMULATOR_CONTACT_CONTACT_SOLVER_PRIVATE_H
#define SIMULATOR_CONTACT_CONTACT_SOLVER_PRIVATE_H

#include <math.h>

#include "common/math/pair.h"
#include "simulator/contact/contact_solver.h"

/* The length of a line of the system is a multiple of this many numbers. */
enum { BLOCK = 16 };

static inline int block_width(int columns)
{
    return (columns + BLOCK - 1) & ~(BLOCK - 1);
}

/* The columns from .. to - 1 as an even number, or as quads, with 0 at the end if need be: rows and
 * what is kept for the columns of a group have four more. */
static inline int even_width(int from, int to)
{
    return (to - from + 1) & ~1;
}

static inline int quad_width(int from, int to)
{
    return (to - from + 3) & ~3;
}

/* Sets products of a law's rows with the numbers of its columns. */
static inline void multiply_law(const struct contact_solver *s, const struct cone_law *c,
                                const double *columns, double *products)
{
    int width = even_width(c->from, c->to);
    const double *y = contact_solver_row(s, c->row) + c->from, *with = columns + c->from;
    const double *y1 = y + s->stride, *y2 = y1 + s->stride;
    pair n = {0, 0}, one = {0, 0}, two = {0, 0};
    if (c->size == 1) {
        for (int k = 0; k < width; k += 2)
            n += PAIR(y, k) * PAIR(with, k);
        products[0] = pair_sum(n);
        return;
    }
    for (int k = 0; k < width; k += 2) {
        pair w = PAIR(with, k);
        n += PAIR(y, k) * w;
        one += PAIR(y1, k) * w;
        two += PAIR(y2, k) * w;
    }
    products[0] = pair_sum(n);
    products[1] = pair_sum(one);
    products[2] = pair_sum(two);
}

/* columns += the law's rows' times numbers. The inputs of a loop are put into variables here and
 * below, since quads that are stored could be anything in memory. */
static inline void add_law(const struct contact_solver *s, const struct cone_law *c,
                           const double *by, double *columns)
{
    int width = quad_width(c->from, c->to);
    const double *y = contact_solver_row(s, c->row) + c->from;
    const double *y1 = y + s->stride, *y2 = y1 + s->stride;
    double *to = columns + c->from, by0 = by[0], by1, by2;
    if (by0 == 0 && (c->size == 1 || (by[1] == 0 && by[2] == 0)))
        return;
    if (c->size == 1) {
        for (int k = 0; k < width; k += 4)
            QUAD(to, k) += QUAD(y, k) * by0;
        return;
    }
    by1 = by[1];
    by2 = by[2];
    for (int k = 0; k < width; k += 4)
        QUAD(to, k) += QUAD(y, k) * by0 + QUAD(y1, k) * by1 + QUAD(y2, k) * by2;
}

static inline struct cone_law *law_of(const struct contact_solver *s, int i)
{
    return &s->laws[s->group.laws[i]];
}

static inline void clear_columns(const struct contact_solver *s, double *columns)
{
    for (int k = s->group.from, to = s->group.to; k <= to; k += 4)
        QUAD(columns, k) = (quad){0};
}

/* Turns a tangential velocity into an impulse: the mean over both tangents. */
static inline double tangent_weight(const struct cone_block *b)
{
    return 0.5 * (b->a + b->c);
}

static inline int is_inert(const struct contact_solver *s, int law)
{
    return s->laws[law].bound == -HUGE_VAL || !(s->blocks[law].nn > 0);
}

/* The greatest miss of the group's laws; NaN if one of them is. */
static inline double worst_miss(const struct contact_solver *s)
{
    double worst = 0;
    for (int i = 0; i < s->group.count; i++) {
        double miss = contact_solver_miss(s, s->group.laws[i]);
        if (!(miss <= worst))
            worst = miss;
    }
    return worst;
}

/* Newton's method on the problem W + weight around the impulses that stand. Returns 1 if it
 * ended. */
int contact_solver_solve_proximal(struct contact_solver *s, double weight);
/* A step of the next such problem, of the same weight, with the last system instead of a new one:
 * laws open, stick or slide as they did. */
void contact_solver_repeat_proximal(struct contact_solver *s, double weight);
/* Sets up and factors the system of Newton's step, 1 + Y' D Y, for how the laws yield; 0 if it is
 * singular. */
int contact_solver_set_system(struct contact_solver *s);
/* Solves it in place; x: the columns of the group. */
void contact_solver_solve_system(struct contact_solver *s, double *x);

#endif

/* The impulses of contacts in space and of joint limits that act together in a step.
 *
 * Rows are velocities v = free + W l under the impulses l. W = J M^-1 J' = Y Y', where a row of Y
 * has one number for each rate of the joints: the contacts of bodies of few rates are solved in
 * these rates, however many they are. Each law governs a normal row n and, where there is friction,
 * the two tangent rows t after it:
 *
 *   0 <= ln,  vn >= bound,  ln (vn - bound) = 0   Signorini, with Newton's restitution in bound
 *   |lt| <= mu ln,  lt = -mu ln vt / |vt| where vt is not 0    Coulomb, with the disc itself
 *
 * Laws whose rows share no column are solved apart, so that nothing depends on what happens
 * elsewhere in the world. Three stages (docs/physics-space.md): a sweep over contacts, each solved
 * exactly; where that does not end, Newton's method on the projections that the laws are (Alart and
 * Curnier 1991), within proximal steps that keep redundant contacts from being singular; and where
 * that does not end either, bounds above 0 are given up. No method is proven to end for this law,
 * so that the residual is measured and told. */
#ifndef SIMULATOR_CONTACT_CONTACT_SOLVER_H
#define SIMULATOR_CONTACT_CONTACT_SOLVER_H

#include <stdint.h>

#include "common/system/arena.h"

struct cone_law {
    int row;         /* the normal; the tangents are the next two */
    int size;        /* rows: 3, or 1 without friction */
    int from, to;    /* the columns of y in which its rows are not 0: from .. to - 1 */
    int is_push_out; /* the bound is to push out */
    int is_idle;     /* it presses on nothing, and does not have to as far as is known */
    double bound;    /* m/s, or rad/s of joints; -HUGE_VAL: no impulse */
    double friction;
    double hold; /* vt = -hold lt while it slides: where the next search begins, 1/kg */
};

/* The part of W that a law has with itself: of the normal, between normal and tangents, of the
 * tangents. */
struct cone_block {
    double nn, n1, n2, a, b, c;
};

/* How the impulse of a law changes with its velocity in Newton's method: contact_solver_newton.c. */
struct cone_yielding {
    double given[3], pull, slip, slide, stick, across, ex, ey;
};

/* A part of the system that an impulse is solved with: a' b. */
struct cone_line {
    const double *a, *b;
    int width; /* from here on they are 0 */
};

/* Laws that are solved together, of which the first `count` are not idle, and their columns. */
struct cone_group {
    int *laws;
    int all, count, from, to;
};

struct contact_solver {
    struct cone_law *laws;
    int count, rows;
    int columns, stride; /* of y; numbers from one of its rows to the next */
    double *y;           /* rows x stride: W = Y Y'; a row that no impulse moves is 0 */
    double *free;        /* velocities without impulses */
    double *impulse;     /* before: of the last step, or 0; after: the solution. N s or N m s */
    double *velocity;    /* after: with the impulses */
    double *whole;       /* per column, after: Y' l */
    double enough;       /* m/s: the residual at which a solution is one */
    double residual;     /* m/s, after: of the worst law */
    uint64_t work;       /* operations, roughly; the caller's to take and to reset */
    /* scratch */
    struct cone_block *blocks;    /* per law */
    struct cone_yielding *yields; /* per law: those of the system */
    struct cone_yielding *yields_next;
    int *order;              /* the laws, group by group */
    struct cone_group group; /* that is being solved */
    double best_residual;    /* of the group, m/s */
    double *best, *centre;   /* impulses, per row */
    struct cone_line *lines;
    int line_count;
    double *slips;  /* theirs that are not rows of y; rows x stride */
    int *reached;   /* per column: how many lines, from the first on, reach it */
    int side;       /* numbers from one line of the system to the next */
    double *system; /* columns x columns; then what is left of it */
    double *factors;
    double *right, *shares; /* per column: right sides, then solutions */
    int *pivots;
    int size, is_of_lines; /* of the system */
};

/* Takes memory for `laws` laws with `rows` rows in all; ERR_MEMORY when the arena is full. */
int contact_solver_create(struct contact_solver *cones, int laws, int rows, int columns,
                          struct arena *arena);
/* Room for more laws and rows; their old content is gone. ERR_MEMORY when the arena is full: all is
 * as it was. */
int contact_solver_extend(struct contact_solver *cones, int laws, int rows, struct arena *arena);
/* Says how many rows there are, and makes y 0. Laws, count, y and free are then the caller's to
 * fill. */
void contact_solver_begin(struct contact_solver *cones, int rows);
/* A row of y. */
static inline double *contact_solver_row(const struct contact_solver *cones, int row)
{
    return cones->y + (size_t)row * (size_t)cones->stride;
}
/* Changes impulse, velocity, whole, residual and, where something is wedged, bounds and
 * is_push_out. */
void contact_solver_solve(struct contact_solver *cones);
/* How far velocity and impulse of a law are from it, m/s: by how much the velocities would have to
 * differ. Of the rows that were solved last. */
double contact_solver_miss(const struct contact_solver *cones, int law);
/* Velocities under the impulses that stand. */
void contact_solver_set_velocities(struct contact_solver *cones);
/* Signorini's and Coulomb's laws for one contact alone; free: its velocity without the impulse,
 * normal first. `hold` as in struct cone_law. */
void contact_solver_solve_one(const struct cone_block *block, const double free[3], double bound,
                              double friction, double *hold, double impulse[3]);

#endif

/* The impulses of contacts and joint limits that act together in a step.
 *
 * Rows are velocities v = free + W l under the impulses l, with W = J M^-1 J'. Each law governs a
 * normal row n and, where there is friction, the tangent row t after it:
 *
 *   0 <= ln,  vn >= bound,  ln (vn - bound) = 0   Signorini, with Newton's restitution in bound
 *   |lt| <= mu ln,  lt = -mu ln sign(vt) where vt is not 0    Coulomb
 *
 * Solved exactly: which contacts press, stick and slide is guessed from the impulses of the step
 * before and mended until all laws hold; if that does not end, from those of a few sweeps by
 * projected Jacobi. The remaining systems, and those with many contacts, are solved as contacts in
 * space are (simulator/contact/contact_solver.h), island by island, after W has been factored; no order of
 * contacts decides. Systems that this cannot solve are swept on. */
#ifndef SIMULATOR_PLANAR_CONTACTS_IMPULSES_H
#define SIMULATOR_PLANAR_CONTACTS_IMPULSES_H

#include <stdint.h>

#include "common/system/arena.h"
#include "simulator/contact/contact_solver.h"

/* Velocities that miss a law by this much hold it, m/s. */
#define IMPULSES_ENOUGH_M_S 1e-7

struct impulse_law {
    int row; /* the normal; the tangent is the next one */
    int has_friction;
    int is_push_out; /* the bound may be given up to 0 */
    double bound;    /* m/s, or rad/s of joints; -HUGE_VAL: no impulse */
    double friction;
    /* the guess */
    int state; /* open, sticking, sliding */
    int has_turned;
    double slide; /* sign of the friction impulse while sliding */
};

/* A normal row, and a tangent one where there is friction. */
static inline int impulse_rows(const struct impulse_law *law)
{
    return law->has_friction ? 2 : 1;
}

struct impulses {
    struct impulse_law *laws;
    int count, rows;
    int stride;       /* of the rows of w, even */
    double *w;        /* stride x stride, symmetric; entries beyond `rows` are 0 */
    double *inverse;  /* of w's diagonal; 0 where no impulse can move the row */
    double *free;     /* velocities without impulses */
    double *impulse;  /* before: of the last step, or 0; after: the solution. N s or N m s */
    double *velocity; /* after: with the impulses */
    int is_exact;     /* after: all laws hold but for rounding */
    int sweeps;       /* at most */
    uint64_t work;    /* operations, roughly; the caller's to take and to reset */
    /* scratch */
    int *unknown;            /* rows with an impulse that the guess leaves open */
    double *coupled;         /* ... and how much of it the next row gets */
    double *system, **lines; /* of equations: equally long, and in the order of their pivots */
    double *held, *share;
    int *islands; /* per law: the first law that it is coupled with, as they were last found */
    struct arena *arena;
    int law_room, row_room, rates; /* rates: of all bodies, the rank of w at most */
    /* impulses_solve_cones(): made when it is first needed, with room for `cone_laws` */
    struct contact_solver cones;
    int cone_laws;
    int *place, *member; /* per row: where it is in the cones; the rows of an island */
    double *left;        /* per row: the part of w's diagonal that is not factored yet */
};

/* Takes memory for so many laws with so many rows in all, of bodies with so many rates; ERR_MEMORY
 * when the arena is full. The arena must outlive it. */
int impulses_create(struct impulses *impulses, int laws, int rows, int rates, int sweeps,
                    struct arena *arena);
/* Room for more; the first laws and free velocities stay, all else is gone. ERR_MEMORY: all is as
 * it was. */
int impulses_extend(struct impulses *impulses, int laws_used, int rows_used, int laws, int rows);
/* Says how many rows there are. Laws, w and free are then the caller's to fill. */
void impulses_begin(struct impulses *impulses, int rows);
/* Changes impulse, velocity and, where something is wedged, bounds and is_push_out. */
void impulses_solve(struct impulses *impulses);
/* Solves by cones, from the impulses that are held; returns their residual, m/s. */
double impulses_solve_cones(struct impulses *impulses);
/* After solving: how far the normal velocity of a law is from its bound; 0 where the law holds, and
 * where no impulse can move the row. */
double impulses_miss(const struct impulses *impulses, int law);
/* Numbers the laws that are coupled, one through another, by the first of them: all, or those that
 * press. */
void impulses_find_islands(struct impulses *impulses, int are_pressing);
/* Velocities under the impulses that stand. */
void impulses_set_velocities(struct impulses *impulses);

#endif

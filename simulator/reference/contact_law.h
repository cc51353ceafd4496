/* The law of contacts at an instant: Signorini's and Coulomb's, with restitution in the bound. It
 * is the reference's own, and shares nothing with the fast solvers' (contact/cones.h).
 *
 *   v = free + W l        W = J M^-1 J', of which a contact has a normal row n and, with friction,
 *                         two tangents t, or the one of a plane
 *   0 <= ln,  vn >= bound,  ln (vn - bound) = 0
 *   |lt| <= mu ln,  lt = -mu ln vt / |vt| where vt is not 0
 *
 * With K the cone |lt| <= mu ln and s = (mu |vt|, 0) both lines are one projection (de Saxce and
 * Feng 1998, Math. Comput. Modelling 28, 4-8): l = P_K(l - (v - bound + s) / w) for every w > 0.
 * contact_law_miss() is what that lacks, times w: a velocity, and 0 if and only if the law holds.
 *
 * Every contact gets the same spring, e in the scale in which its own part of W is 1. Newton's
 * method solves that for e = 1e-1 of W's largest row, then 1e-3 and so on, each from the last
 * solution. The last springs, 1e-10, then rest at the solution before, until the law holds. No
 * contact comes first and no start is warm, so a mirror image has the mirrored solution, and equal
 * contacts share equally what the law leaves open. Where Newton's method does not end, springs fall
 * more slowly, steps are halved, and rounds of the method of multipliers lead it on (Carpentier et
 * al. 2024, arXiv:2405.17020).
 *
 * Tried and lost: Gauss and Seidel's method ends neither on towers nor on an incline that just
 * holds; multipliers alone take 20000 rounds where masses differ by 1e4. Springs below 1e-10 raise
 * rounding, springs above end too early.
 *
 * A call costs the cube of the rows of each group of contacts that feel one another, 20 to 30
 * times: some 0.1 ms for ten contacts, 0.1 s for eighty. Works for accelerations and forces too. */
#ifndef SIMULATOR_REFERENCE_CONTACT_LAW_H
#define SIMULATOR_REFERENCE_CONTACT_LAW_H

#include <math.h>

#include "simulator/reference/qr.h"

struct contact_law_contact {
    int row, size;   /* the normal; 3 rows with two tangents, 2 with the one of a plane, else 1 */
    double bound;    /* least vn; -HUGE_VAL: no impulse */
    double friction; /* mu */
};

/* Contacts that feel one another, by rows of their own. */
struct contact_law_group {
    int count, rows, rows_max;
    struct contact_law_contact *contacts; /* their rows are those of the group */
    int *rows_at;                         /* per row: which one of all it is */
    double *a, *system;                   /* rows x rows: W scaled; scratch of both methods */
    /* per row, scaled; x: impulses, y: velocities negated, z: impulses on their cones */
    double *scale, *g, *x, *y, *z, *slip, *right, *centre, *from, *step, *best;
};

struct contact_law {
    struct contact_law_contact *contacts;
    int count, rows;
    int contacts_max, rows_max;
    struct arena *arena;            /* of room for groups */
    double *w;                      /* the lower half of W, row by row: the caller's */
    double *free;                   /* per row: velocity without impulses */
    double *impulse, *velocity;     /* per row, after */
    double residual;                /* after: contact_law_miss() of the worst contact */
    struct contact_law_group group; /* the one being solved */
    double best_residual;           /* its best so far */
    int *leaders;                   /* per contact: the first of its group */
    struct qr qr;
};

/* Makes room for so many contacts and rows, if there is less; their old content is gone. Begin with
 * a law of zeros. ERR_MEMORY when the arena is full: the room stays what it was. */
int law_reserve(struct contact_law *law, int contacts, int rows, struct arena *arena);
/* Says how many there are; contacts, the lower half of W and free are then the caller's to fill. */
void contact_law_begin(struct contact_law *law, int contacts, int rows);
/* A row of the lower half of W: row + 1 numbers. */
static inline double *contact_law_row(const struct contact_law *law, int row)
{
    return law->w + (size_t)row * ((size_t)row + 1) / 2;
}
/* Of W, which is symmetric. */
static inline double contact_law_element(const struct contact_law *law, int i, int k)
{
    return i > k ? contact_law_row(law, i)[k] : contact_law_row(law, k)[i];
}
/* Nothing pushes there. */
static inline int contact_law_is_inert(const struct contact_law_contact *contact)
{
    return contact->bound == -HUGE_VAL;
}
/* Sets impulse, velocity and residual: of the best that was found. Where the arena has no room for
 * a group the residual is infinite. */
void contact_law_solve(struct contact_law *law);
/* How far a contact's impulse and velocity are from the law, as a velocity. */
double contact_law_miss(const struct contact_law *law, int contact);
/* Velocities under the impulses that stand. */
void contact_law_set_velocities(struct contact_law *law);

#endif

/* Rank-revealing least squares: Householder QR with column pivoting, and of the many least-squares
 * solutions of a system without full rank the one of smallest norm.
 *
 * Made of + - x / sqrt in a fixed order: the same bits on every machine. Dense, some 30 x 30 at
 * each evaluation of the constraint solver, at most a few hundred square. */
#ifndef SIMULATOR_REFERENCE_QR_H
#define SIMULATOR_REFERENCE_QR_H

#include "common/system/arena.h"

struct qr {
    int rows, cols, rank; /* of the last qr_factor() */
    int rows_max, cols_max;
    double *a; /* by columns, rows_max apart: R and T above, reflectors below and to the right */
    double *left, *right; /* factors of the reflectors */
    double *norms, *references;
    double *work;
    int *pivot; /* pivot[k]: the column that came k-th */
};

/* Room for systems of up to rows_max x cols_max; ERR_MEMORY when the arena is full. */
int qr_create(struct qr *qr, int rows_max, int cols_max, struct arena *arena);

/* Factors a, rows x cols stored by rows, which is not changed. Diagonal elements of R below
 * tolerance times the first count as 0. */
void qr_factor(struct qr *qr, const double *a, int rows, int cols, double tolerance);

/* x[cols], the shortest of those that minimise |a x - b|; b[rows]. x may be b where rows = cols. */
void qr_solve(const struct qr *qr, const double *b, double *x);

#endif

/* See qr.h. The complete orthogonal decomposition of LAPACK's dgelsy (Golub and Van Loan, Matrix
 * Computations, 4th edition, algorithms 5.4.1 and 5.5.3, section 5.5.2):
 *
 *   A P = Q [ R1 R2 ; 0 0 ],   [ R1 R2 ] = [ T 0 ] Z,   x = P Z' [ inv(T) (Q' b)_1 ; 0 ]
 *
 * with Q and Z products of reflectors I - f v v', v = (1, ...). */
#include "simulator/reference/qr.h"

#include <math.h>
#include <stddef.h>

#include "common/error.h"

/* Squared norms that shrank below this share of their last exact value are computed anew. */
#define NORM_TRUST 1e-4

int qr_create(struct qr *qr, int rows_max, int cols_max, struct arena *arena)
{
    ENSURE(rows_max >= 0 && cols_max >= 0, "%d rows, %d columns", rows_max, cols_max);
    size_t rows = (size_t)rows_max, cols = (size_t)cols_max;
    *qr = (struct qr){.rows_max = rows_max, .cols_max = cols_max};
    qr->a = arena_take(arena, rows * cols, sizeof(double));
    qr->left = arena_take(arena, cols, sizeof(double));
    qr->right = arena_take(arena, cols, sizeof(double));
    qr->norms = arena_take(arena, cols, sizeof(double));
    qr->references = arena_take(arena, cols, sizeof(double));
    qr->work = arena_take(arena, rows > cols ? rows : cols, sizeof(double));
    qr->pivot = arena_take(arena, cols, sizeof(int));
    return arena->is_exhausted ? ERR_MEMORY : 0;
}

static double *column(const struct qr *qr, int j)
{
    return qr->a + (size_t)j * (size_t)qr->rows_max;
}

static double squared_norm(const double *v, int from, int to)
{
    double sum = 0;
    for (int i = from; i < to; i++)
        sum += v[i] * v[i];
    return sum;
}

/* Brings the column of greatest remaining norm to place k. */
static void bring_pivot(struct qr *qr, int k)
{
    int best = k;
    for (int j = k + 1; j < qr->cols; j++)
        if (qr->norms[j] > qr->norms[best])
            best = j;
    if (best == k)
        return;
    double *a = column(qr, k), *b = column(qr, best);
    for (int i = 0; i < qr->rows; i++) {
        double t = a[i];
        a[i] = b[i];
        b[i] = t;
    }
    int pivot = qr->pivot[k];
    qr->pivot[k] = qr->pivot[best];
    qr->pivot[best] = pivot;
    qr->norms[best] = qr->norms[k];
    qr->references[best] = qr->references[k];
}

/* Four sums side by side, none of which waits for another. */
static double product(const double *a, const double *b, int count)
{
    double sums[4] = {0, 0, 0, 0};
    int i = 0;
    for (; i + 4 <= count; i += 4)
        for (int k = 0; k < 4; k++)
            sums[k] += a[i + k] * b[i + k];
    for (; i < count; i++)
        sums[0] += a[i] * b[i];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/* The reflector that turns column k below its diagonal to 0, applied to the columns after it. */
static void reflect_column(struct qr *qr, int k)
{
    double *v = column(qr, k), alpha = v[k];
    double norm = sqrt(squared_norm(v, k, qr->rows));
    qr->left[k] = 0;
    if (norm > 0) {
        double beta = alpha > 0 ? -norm : norm;
        qr->left[k] = (beta - alpha) / beta;
        for (int i = k + 1; i < qr->rows; i++)
            v[i] /= alpha - beta;
        v[k] = beta;
    }
    for (int j = k + 1; j < qr->cols; j++) {
        double *a = column(qr, j);
        double sum = a[k] + product(v + k + 1, a + k + 1, qr->rows - k - 1);
        sum *= qr->left[k];
        a[k] -= sum;
        for (int i = k + 1; i < qr->rows; i++)
            a[i] -= sum * v[i];

        /* the norm of what remains of the column */
        qr->norms[j] -= a[k] * a[k];
        if (qr->norms[j] < NORM_TRUST * qr->references[j])
            qr->norms[j] = qr->references[j] = squared_norm(a, k + 1, qr->rows);
    }
}

/* Reflectors from the right: [ R1 R2 ] to [ T 0 ]. */
static void reflect_rows(struct qr *qr)
{
    for (int k = qr->rank - 1; k >= 0; k--) {
        double sum = 0, alpha = column(qr, k)[k];
        for (int j = qr->rank; j < qr->cols; j++)
            sum += column(qr, j)[k] * column(qr, j)[k];
        double norm = sqrt(alpha * alpha + sum);
        qr->right[k] = 0;
        if (sum == 0)
            continue;
        double beta = alpha > 0 ? -norm : norm;
        qr->right[k] = (beta - alpha) / beta;
        for (int j = qr->rank; j < qr->cols; j++)
            column(qr, j)[k] /= alpha - beta;
        column(qr, k)[k] = beta;
        for (int i = 0; i < k; i++) {
            double t = column(qr, k)[i];
            for (int j = qr->rank; j < qr->cols; j++)
                t += column(qr, j)[i] * column(qr, j)[k];
            t *= qr->right[k];
            column(qr, k)[i] -= t;
            for (int j = qr->rank; j < qr->cols; j++)
                column(qr, j)[i] -= t * column(qr, j)[k];
        }
    }
}

void qr_factor(struct qr *qr, const double *a, int rows, int cols, double tolerance)
{
    ENSURE(rows >= 0 && rows <= qr->rows_max, "%d rows in room for %d", rows, qr->rows_max);
    ENSURE(cols >= 0 && cols <= qr->cols_max, "%d columns in room for %d", cols, qr->cols_max);
    ENSURE(tolerance >= 0, "a tolerance of %g", tolerance);
    qr->rows = rows;
    qr->cols = cols;
    qr->rank = 0;
    for (int j = 0; j < cols; j++) {
        double *to = column(qr, j);
        for (int i = 0; i < rows; i++)
            to[i] = a[(size_t)i * (size_t)cols + (size_t)j];
        qr->pivot[j] = j;
        qr->norms[j] = qr->references[j] = squared_norm(to, 0, rows);
    }
    int steps = rows < cols ? rows : cols;
    double least = 0;
    for (int k = 0; k < steps; k++) {
        bring_pivot(qr, k);
        reflect_column(qr, k);
        double size = fabs(column(qr, k)[k]);
        if (k == 0)
            least = tolerance * size;
        if (size <= least)
            break;
        qr->rank = k + 1;
    }
    reflect_rows(qr);
}

void qr_solve(const struct qr *qr, const double *b, double *x)
{
    ENSURE(qr->rank >= 0 && qr->rank <= qr->rows && qr->rank <= qr->cols, "rank %d of %d x %d",
           qr->rank, qr->rows, qr->cols);
    double *y = qr->work;
    for (int i = 0; i < qr->rows; i++)
        y[i] = b[i];

    /* Q' b, as far as it matters */
    for (int k = 0; k < qr->rank; k++) {
        const double *v = column(qr, k);
        double sum = y[k];
        for (int i = k + 1; i < qr->rows; i++)
            sum += v[i] * y[i];
        sum *= qr->left[k];
        y[k] -= sum;
        for (int i = k + 1; i < qr->rows; i++)
            y[i] -= sum * v[i];
    }

    /* inv(T) */
    for (int k = qr->rank - 1; k >= 0; k--) {
        y[k] /= column(qr, k)[k];
        for (int i = 0; i < k; i++)
            y[i] -= column(qr, k)[i] * y[k];
    }
    for (int j = qr->rank; j < qr->cols; j++)
        y[j] = 0;

    /* Z', P */
    for (int k = 0; k < qr->rank; k++) {
        double sum = y[k];
        for (int j = qr->rank; j < qr->cols; j++)
            sum += column(qr, j)[k] * y[j];
        sum *= qr->right[k];
        y[k] -= sum;
        for (int j = qr->rank; j < qr->cols; j++)
            y[j] -= sum * column(qr, j)[k];
    }
    for (int j = 0; j < qr->cols; j++)
        x[qr->pivot[j]] = y[j];
}

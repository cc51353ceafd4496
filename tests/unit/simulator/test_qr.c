/* Least squares: systems worked out by hand, the four conditions of the pseudo-inverse on random
 * matrices of every shape and rank, and LAPACK's dgelsy where it was there at build time. */
#include "simulator/reference/qr.h"

#include "common/math/hash.h"
#include "tests/plain_fixture.h"
#ifdef HAVE_LAPACKE
#include <lapacke.h>
#endif

#define SIZE_MAX_TESTED 24
#define CELLS           (SIZE_MAX_TESTED * SIZE_MAX_TESTED)

static struct qr qr;

static void setup(void)
{
    arena_open(1u << 20);
    ck_assert_int_eq(qr_create(&qr, SIZE_MAX_TESTED, SIZE_MAX_TESTED, &arena), 0);
}

TEST(by_hand)
{
    double x[3];
    /* regular */
    qr_factor(&qr, (double[]){2, 1, 1, 3}, 2, 2, 1e-12);
    qr_solve(&qr, (double[]){3, 5}, x);
    ck_assert_int_eq(qr.rank, 2);
    ck_assert_double_eq_tol(x[0], 0.8, 1e-15);
    ck_assert_double_eq_tol(x[1], 1.4, 1e-15);

    /* a line through four points: 3.5 + 1.4 t */
    qr_factor(&qr, (double[]){1, 1, 1, 2, 1, 3, 1, 4}, 4, 2, 1e-12);
    qr_solve(&qr, (double[]){6, 5, 7, 10}, x);
    ck_assert_double_eq_tol(x[0], 3.5, 1e-14);
    ck_assert_double_eq_tol(x[1], 1.4, 1e-14);

    /* the same equation twice, contradicting itself: mean of the two, shortest solution */
    qr_factor(&qr, (double[]){1, 2, 1, 2}, 2, 2, 1e-12);
    qr_solve(&qr, (double[]){4, 6}, x);
    ck_assert_int_eq(qr.rank, 1);
    ck_assert_double_eq_tol(x[0], 1, 1e-15);
    ck_assert_double_eq_tol(x[1], 2, 1e-15);

    /* one equation, three unknowns */
    qr_factor(&qr, (double[]){2, -1, 2}, 1, 3, 1e-12);
    qr_solve(&qr, (double[]){9}, x);
    ck_assert_double_eq_tol(x[0], 2, 1e-15);
    ck_assert_double_eq_tol(x[1], -1, 1e-15);
    ck_assert_double_eq_tol(x[2], 2, 1e-15);

    /* nothing at all */
    qr_factor(&qr, (double[]){0, 0, 0, 0}, 2, 2, 1e-12);
    qr_solve(&qr, (double[]){1, 1}, x);
    ck_assert_int_eq(qr.rank, 0);
    ck_assert(x[0] == 0 && x[1] == 0);
}

TEST(solves_in_place)
{
    double x[2] = {3, 5};
    qr_factor(&qr, (double[]){2, 1, 1, 3}, 2, 2, 1e-12);
    qr_solve(&qr, x, x);
    ck_assert_double_eq_tol(x[0], 0.8, 1e-15);
    ck_assert_double_eq_tol(x[1], 1.4, 1e-15);
}

/* rows x cols of rank at most `rank`, elements about 1. */
static void draw_matrix(struct rng *rng, int rows, int cols, int rank, double *a)
{
    double left[CELLS], right[CELLS];
    for (int i = 0; i < CELLS; i++) {
        left[i] = rng_uniform(rng, -1, 1);
        right[i] = rng_uniform(rng, -1, 1);
    }
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            a[i * cols + j] = 0;
            for (int k = 0; k < rank; k++)
                a[i * cols + j] += left[i * rank + k] * right[k * cols + j];
        }
}

/* The residual is normal to the columns; x lies in the row space: least squares, shortest. */
static void check_solution(const double *a, const double *b, const double *x, int rows, int cols,
                           int rank, struct rng *rng)
{
    double residual[SIZE_MAX_TESTED];
    for (int i = 0; i < rows; i++) {
        residual[i] = -b[i];
        for (int j = 0; j < cols; j++)
            residual[i] += a[i * cols + j] * x[j];
    }
    for (int j = 0; j < cols; j++) {
        double sum = 0;
        for (int i = 0; i < rows; i++)
            sum += a[i * cols + j] * residual[i];
        ck_assert_double_eq_tol(sum, 0, 1e-9);
    }

    /* any vector less its projection on the row space must be normal to x */
    if (rank == cols)
        return;
    double z[SIZE_MAX_TESTED], az[SIZE_MAX_TESTED], w[SIZE_MAX_TESTED], dot = 0;
    for (int j = 0; j < cols; j++)
        z[j] = rng_uniform(rng, -1, 1);
    for (int i = 0; i < rows; i++) {
        az[i] = 0;
        for (int j = 0; j < cols; j++)
            az[i] += a[i * cols + j] * z[j];
    }
    qr_solve(&qr, az, w);
    for (int j = 0; j < cols; j++)
        dot += (z[j] - w[j]) * x[j];
    ck_assert_double_eq_tol(dot, 0, 1e-8);
}

TEST(random_matrices)
{
    struct rng rng = {0};
    rng_init(&rng, 5, 1, 0, 0);
    for (int trial = 0; trial < 2000; trial++) {
        double a[CELLS], b[SIZE_MAX_TESTED], x[SIZE_MAX_TESTED];
        int rows = 1 + (int)rng_below(&rng, SIZE_MAX_TESTED);
        int cols = 1 + (int)rng_below(&rng, SIZE_MAX_TESTED);
        int least = rows < cols ? rows : cols, rank = 1 + (int)rng_below(&rng, (uint32_t)least);
        draw_matrix(&rng, rows, cols, rank, a);
        for (int i = 0; i < rows; i++)
            b[i] = rng_uniform(&rng, -1, 1);
        qr_factor(&qr, a, rows, cols, 1e-11);
        ck_assert_int_le(qr.rank, rank);
        if (qr.rank < rank)
            continue; /* nearly dependent by chance */
        qr_solve(&qr, b, x);
        double size = 0;
        for (int j = 0; j < cols; j++)
            size = fmax(size, fabs(x[j]));
        if (size < 1e3)
            check_solution(a, b, x, rows, cols, rank, &rng);
#ifdef HAVE_LAPACKE
        double theirs[CELLS], solution[SIZE_MAX_TESTED] = {0};
        lapack_int pivots[SIZE_MAX_TESTED] = {0}, their_rank = 0;
        memcpy(theirs, a, sizeof theirs);
        memcpy(solution, b, (size_t)rows * sizeof(double));
        ck_assert_int_eq(LAPACKE_dgelsy(LAPACK_ROW_MAJOR, rows, cols, 1, theirs, cols, solution, 1,
                                        pivots, 1e-11, &their_rank),
                         0);
        ck_assert_int_eq(their_rank, rank);
        for (int j = 0; j < cols; j++)
            ck_assert_double_eq_tol(x[j], solution[j], 1e-9 * fmax(1, size * size));
#endif
    }
}

/* Hilbert's matrix: the rank falls as the tolerance asks, and the solution stays small. */
TEST(tolerance_decides)
{
    double a[100], b[10], x[10];
    for (int i = 0; i < 10; i++) {
        b[i] = 1;
        for (int j = 0; j < 10; j++)
            a[i * 10 + j] = 1.0 / (i + j + 1);
    }
    int last = 11;
    for (double tolerance = 1e-14; tolerance < 1; tolerance *= 100) {
        qr_factor(&qr, a, 10, 10, tolerance);
        qr_solve(&qr, b, x);
        ck_assert_int_le(qr.rank, last);
        last = qr.rank;
    }
    ck_assert_int_le(last, 3);
    for (int i = 0; i < 10; i++)
        ck_assert_double_le(fabs(x[i]), 20);
}

/* Every compiler and optimisation gives the same bits: a digest of solutions. */
TEST(same_bits)
{
    struct rng rng = {0};
    rng_init(&rng, 77, 1, 0, 0);
    uint64_t digest = HASH_START;
    for (int trial = 0; trial < 50; trial++) {
        double a[CELLS], b[SIZE_MAX_TESTED], x[SIZE_MAX_TESTED];
        draw_matrix(&rng, 12, 12, 1 + trial % 12, a);
        for (int i = 0; i < 12; i++)
            b[i] = rng_uniform(&rng, -1, 1);
        qr_factor(&qr, a, 12, 12, 1e-10);
        qr_solve(&qr, b, x);
        for (int i = 0; i < 12; i++)
            digest = hash_double(digest, x[i]);
    }
    ck_assert_uint_eq(digest, UINT64_C(0x9036e75e53aea505));
}

TEST(full_arena)
{
    SCOPED(arena) small;
    ck_assert_int_eq(arena_init(&small, 256), 0);
    ck_assert_int_ne(qr_create(&qr, 20, 20, &small), 0);
}

SUITE("qr", 0, setup, NULL)

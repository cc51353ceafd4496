/* The systems of equations of Newton's steps (contact_solver_newton.c): (1 + Y' D Y) x = right, where Y' D Y
 * = sum of a' b over lines of the columns, up to three a law. Where there are clearly fewer lines
 * than columns, it is solved in the lines instead (the Woodbury identity): with A and B of these
 * lines
 *
 *   x = right - A' z,   (1 + B A') z = B right
 *
 * Factors are kept, for other right sides. */
#include "simulator/contact/contact_solver_private.h"

/* Pivots are singular that are smaller; the system's diagonal is 1 and more. */
#define PIVOT_MIN 1e-15

/* Functions that are made once more for processors which have instructions for four numbers. */
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(WITHOUT_CLONES)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

/* ---------------------------------------------------------------- lines */

/* D of a law as up to three lines, where a has the weight. The columns of the group are the first
 * ones of each. */
static void add_line(struct contact_solver *s, const double *a, const double *b, int width)
{
    s->lines[s->line_count++] = (struct cone_line){a, b, width};
}

static void end_line(const struct contact_solver *s, double *line, int width)
{
    for (int k = width, end = quad_width(s->group.from, s->group.to); k < end; k += 4)
        QUAD(line, k) = (quad){0};
}

static void add_plain_line(struct contact_solver *s, double *a, const double *b, double weight,
                           int width)
{
    add_line(s, a, b, width);
    for (int k = 0; k < width; k += 4)
        QUAD(a, k) = QUAD(b, k) * weight;
    end_line(s, a, width);
}

static void add_lines(struct contact_solver *s, const struct cone_law *c,
                      const struct cone_yielding *d)
{
    int n = s->stride, from = s->group.from, width = quad_width(from, c->to);
    const double *y = contact_solver_row(s, c->row) + from, *y1 = y + n, *y2 = y1 + n;
    double *one = s->slips + (size_t)c->row * (size_t)n, *two = one + n, *across = two + n;
    if (d->pull == 0)
        return;
    if (d->slip == 0) {
        add_plain_line(s, one, y, d->pull, width);
        if (d->stick > 0) {
            add_plain_line(s, two, y1, d->stick, width);
            add_plain_line(s, across, y2, d->stick, width);
        }
        return;
    }
    double ex = d->ex, ey = d->ey, pull = d->pull, slip = d->slip, slide = d->slide;
    for (int k = 0; k < width; k += 4) {
        quad a = QUAD(y1, k), b = QUAD(y2, k), e = a * ex + b * ey, f = b * ex - a * ey;
        QUAD(one, k) = (QUAD(y, k) + e * slip) * pull;
        QUAD(two, k) = f * slide;
        QUAD(across, k) = f;
    }
    end_line(s, one, width);
    end_line(s, two, width);
    end_line(s, across, width);
    add_line(s, one, y, width);
    add_line(s, two, across, width);
}

/* Sets the lines of all laws. Those that reach farthest come first, so that column k is reached by
 * the first reached[k] lines. */
static void set_lines(struct contact_solver *s)
{
    int column = s->group.to - s->group.from;
    s->line_count = 0;
    for (int i = 0; i < s->group.count; i++) {
        int law = s->group.laws[i], to = s->laws[law].to - s->group.from;
        while (column > to)
            s->reached[--column] = s->line_count;
        add_lines(s, &s->laws[law], &s->yields[law]);
    }
    while (column > 0)
        s->reached[--column] = s->line_count;
}

/* ---------------------------------------------------------------- the system */

/* How many quads of a block the columns from .. to - 1 need. */
static inline int quad_count(int from, int to)
{
    return to - from < BLOCK ? (to - from + 3) / 4 : BLOCK / 4;
}

/* Sets lines i and i + 1 of Y' D Y, in quads from column j on. */
static inline void set_part(struct contact_solver *s, int i, int j, int quads)
{
    const struct cone_line *l = s->lines, *end = l + s->reached[i > j ? i : j];
    double *line = s->system + (size_t)i * (size_t)s->side + j, *next = line + s->side;
    quad sums[BLOCK / 4] = {{0}}, next_sums[BLOCK / 4] = {{0}};
    for (; l < end; l++) {
        const double *a = l->a + i, *b = l->b + j;
        if (pair_mask(pair_is_equal(PAIR(a, 0), (pair){0, 0})) == 3)
            continue;
        for (int k = 0; k < quads; k++) {
            sums[k] += QUAD(b, 4 * k) * a[0];
            next_sums[k] += QUAD(b, 4 * k) * a[1];
        }
    }
    for (int k = 0; k < quads; k++) {
        QUAD(line, 4 * k) = sums[k];
        QUAD(next, 4 * k) = next_sums[k];
    }
}

/* 1 + Y' D Y. */
WIDE static void set_of_columns(struct contact_solver *s)
{
    int width = s->group.to - s->group.from;
    for (int i = 0; i < width; i += 2)
        for (int j = 0; j < width; j += BLOCK) {
            int quads = quad_count(j, width);
            if (quads == 1)
                set_part(s, i, j, 1);
            else if (quads == 2)
                set_part(s, i, j, 2);
            else if (quads == 3)
                set_part(s, i, j, 3);
            else
                set_part(s, i, j, 4);
        }
}

/* The sums of four quads. */
static inline void add_up(const quad *of, double *sums)
{
    quad a = of[0], b = of[1], c = of[2], d = of[3];
    QUAD(sums, 0) = (quad){a[0] + a[1], b[0] + b[1], c[0] + c[1], d[0] + d[1]} +
                    (quad){a[2] + a[3], b[2] + b[3], c[2] + c[3], d[2] + d[3]};
}

/* B A': four of its numbers at a time. */
WIDE static void set_of_lines(struct contact_solver *s)
{
    const struct cone_line *lines = s->lines;
    int last = s->line_count - 1;
    for (int i = 0; i <= last; i++) {
        const double *b = lines[i].b;
        for (int j = 0; j <= last; j += 4) {
            const double *a0 = lines[j].a, *a1 = lines[j + 1 < last ? j + 1 : last].a;
            const double *a2 = lines[j + 2 < last ? j + 2 : last].a;
            const double *a3 = lines[j + 3 < last ? j + 3 : last].a;
            quad sums[4] = {{0}};
            for (int k = 0; k < lines[i].width; k += 4) {
                quad with = QUAD(b, k);
                sums[0] += with * QUAD(a0, k);
                sums[1] += with * QUAD(a1, k);
                sums[2] += with * QUAD(a2, k);
                sums[3] += with * QUAD(a3, k);
            }
            add_up(sums, s->system + (size_t)i * (size_t)s->side + j);
        }
    }
}

/* ---------------------------------------------------------------- factors */

/* Takes line k out of those before it by their factors, in quads from place j on. Entries from
 * place k on are of no use any more. */
static inline void take_out(double *m, const double *factors, int k, int stride, int j, int quads)
{
    const double *top = m + k * stride;
    quad out[BLOCK / 4];
    for (int i = 0; i < quads; i++)
        out[i] = QUAD(top, j + 4 * i);
    for (double *line = m; line < top; line += stride, factors++) {
        double factor = *factors;
        for (int i = 0; i < quads && factor != 0; i++)
            QUAD(line, j + 4 * i) -= out[i] * factor;
    }
}

static inline void take_out_all(double *m, const double *factors, int k, int stride)
{
    for (int j = 0; j < k; j += BLOCK) {
        int quads = quad_count(j, k);
        if (quads == 1)
            take_out(m, factors, k, stride, j, 1);
        else if (quads == 2)
            take_out(m, factors, k, stride, j, 2);
        else if (quads == 3)
            take_out(m, factors, k, stride, j, 3);
        else
            take_out(m, factors, k, stride, j, 4);
    }
}

/* Puts the numbers of column k above line k side by side, with 0 at the end of a quad; returns the
 * largest of them without its sign. */
static inline double take_column(const double *m, int k, int stride, double *column)
{
    pair most = {0, 0};
    const double *at = m + k;
    for (int i = 0; i < k; i++, at += stride)
        column[i] = *at;
    for (int i = k; i & 3; i++)
        column[i] = 0;
    for (int i = 0; i < k; i += 4) {
        quad of = QUAD(column, i);
        most = pair_greater(pair_absolute((pair){of[0], of[1]}), most);
        most = pair_greater(pair_absolute((pair){of[2], of[3]}), most);
    }
    return most[0] > most[1] ? most[0] : most[1];
}

/* The line up to k with the largest number in column k, where `last` is that of line k and `most`
 * the largest before it, without signs. */
static inline int find_pivot(const double *column, int k, double last, double most)
{
    int pivot = k;
    if (!(most > last))
        return k;
    do
        pivot--;
    while (fabs(column[pivot]) != most);
    return pivot;
}

static inline void swap_lines(double *a, double *b, int width)
{
    for (int i = 0; i < width; i += 2) {
        pair held = PAIR(a, i);
        PAIR(a, i) = PAIR(b, i);
        PAIR(b, i) = held;
    }
}

/* Gaussian elimination with partial pivoting, in place, with the diagonal's inverses in it; 0 if
 * singular. From the last column to the first: the last ones are those of joints far from the root,
 * which share nothing with those of other limbs. factors: per line those of the lines before it,
 * with 0 at the end of a quad. */
WIDE static int eliminate(double *m, int count, int stride, double *factors, int *pivots)
{
    for (int k = count - 1; k >= 0; k--) {
        double *top = m + k * stride, *of_line = factors + k * stride, last = top[k];
        double most = take_column(m, k, stride, of_line);
        int pivot = find_pivot(of_line, k, fabs(last), most);
        pivots[k] = pivot;
        if (pivot != k) {
            swap_lines(top, m + pivot * stride, k + 1);
            of_line[pivot] = last;
        }
        if (!(fabs(top[k]) > PIVOT_MIN))
            return 0;
        double inverse = top[k] = 1 / top[k];
        for (int i = 0; i < k; i += 4)
            QUAD(of_line, i) *= inverse;
        take_out_all(m, of_line, k, stride);
    }
    return 1;
}

/* Solves by the factors, in place. */
WIDE static void substitute(const double *m, int count, int stride, const double *factors,
                            const int *pivots, double *x)
{
    for (int k = count - 1; k > 0; k--) {
        const double *of_line = factors + k * stride;
        double top = x[pivots[k]];
        x[pivots[k]] = x[k];
        x[k] = top;
        for (int i = 0; i < k; i += 4)
            QUAD(x, i) -= QUAD(of_line, i) * top;
    }
    for (int i = 0; i < count; i++, m += stride) {
        double sum = x[i];
        for (int k = 0; k < i; k++)
            sum -= m[k] * x[k];
        x[i] = sum * m[i];
    }
}

int contact_solver_set_system(struct contact_solver *s)
{
    int width = s->group.to - s->group.from;
    set_lines(s);
    s->is_of_lines = 4 * s->line_count < 3 * width;
    s->size = s->is_of_lines ? s->line_count : width;
    if (s->is_of_lines)
        set_of_lines(s);
    else
        set_of_columns(s);
    for (int i = 0; i < s->size; i++)
        s->system[(size_t)i * (size_t)s->side + (size_t)i] += 1;
    s->work += (uint64_t)width * (uint64_t)width * (uint64_t)(width + 3 * s->group.count);
    return eliminate(s->system, s->size, s->side, s->factors, s->pivots);
}

/* B x. */
static void multiply_lines(const struct contact_solver *s, const double *x, double *z)
{
    for (int i = 0; i < s->line_count; i++) {
        const double *b = s->lines[i].b;
        quad sum = {0};
        for (int k = 0; k < s->lines[i].width; k += 4)
            sum += QUAD(b, k) * QUAD(x, k);
        z[i] = sum[0] + sum[1] + (sum[2] + sum[3]);
    }
}

void contact_solver_solve_system(struct contact_solver *s, double *x)
{
    double *z = s->is_of_lines ? s->shares : x;
    if (s->is_of_lines)
        multiply_lines(s, x, z);
    substitute(s->system, s->size, s->side, s->factors, s->pivots, z);
    for (int i = 0; i < s->line_count && s->is_of_lines; i++) {
        const double *a = s->lines[i].a;
        double share = z[i];
        for (int k = 0; k < s->lines[i].width; k += 4)
            QUAD(x, k) -= QUAD(a, k) * share;
    }
}

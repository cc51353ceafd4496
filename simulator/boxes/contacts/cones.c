/* See cones.h. Typical: 4 to 24 contacts, 12 to 72 rows, 16 columns. A sweep or two solve many problems of walking
 * bodies; a body that lies flat on the ground, whose corners say the same several times over, takes some six systems
 * of equations.
 *
 * Newton's steps are taken whole. A line search on the sum of squares of what the projections leave was tried: it gets
 * stuck where laws open and close, and takes half again as many systems. */
#include "simulator/boxes/contacts/cones.h"

#include <math.h>

#include "common/error.h"
#include "common/math/pair.h"

/* The default of cones.enough, m/s. */
#define ENOUGH_M_S 5e-6
/* Of a block's diagonal, added to it: what a contact cannot move in all directions is not singular then. */
#define REDUNDANCY 1e-12
/* The search for the direction in which a contact slides. */
#define SLIDE_STEPS_MAX 60
#define SLIDE_TOLERANCE 1e-10
/* Sweeps before the first round of proximal steps, if rows are not redundant, and before each of the others; rounds at
 * most. */
#define SWEEPS_FIRST 2
#define SWEEPS_MORE  4
#define ROUNDS_MAX   30
/* Proximal steps: the weight at first, at most and at least as shares of the mean diagonal of W, what it is multiplied
 * by when a step has ended and when it has not, their number at most in a round, and in each Newton's steps at most.
 * A step has ended when the sum of squares of what is missing is this share of what it was. */
#define PROXIMAL_FIRST 3e-3
#define PROXIMAL_MOST  1e-1
#define PROXIMAL_LEAST 1e-7
#define PROXIMAL_FALL  0.3
#define PROXIMAL_RISE  10
#define PROXIMAL_MAX   12
#define PROXIMAL_ENDED 1e-2
#define NEWTON_MAX     8
/* Pivots are singular that are smaller; the system's diagonal is 1 and more. */
#define PIVOT_MIN 1e-15

/* The length of a line of the system is a multiple of this many numbers. */
enum { BLOCK = 16 };

static inline int block_width(int columns)
{
    return (columns + BLOCK - 1) & ~(BLOCK - 1);
}

/* Four numbers side by side, as PAIR() in common/math/pair.h, for functions that are made once more for processors which have
 * instructions for four. Every number is what it would be alone. */
typedef double quad __attribute__((vector_size(32)));
typedef quad quad_anywhere __attribute__((aligned(8), may_alias));
#define QUAD(vector, i) (*(quad_anywhere *)((vector) + (i)))
#if defined(__x86_64__) && defined(__GLIBC__)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

int cones_create(struct cones *s, int laws, int rows, int columns, struct arena *arena)
{
    size_t n = (size_t)rows, width = (size_t)((columns + 3) & ~1),
           side = (size_t)block_width(columns + 1);
    *s = (struct cones){.enough = ENOUGH_M_S, .columns = columns};
    s->stride = (int)width;
    s->side = block_width(columns + 1);
    double **of_rows[] = {&s->free, &s->impulse, &s->velocity, &s->best, &s->centre};
    for (size_t i = 0; i < sizeof of_rows / sizeof of_rows[0]; i++)
        if (!(*of_rows[i] = arena_take(arena, n, sizeof(double))))
            return ERR_MEMORY;
    s->laws = arena_take(arena, (size_t)laws, sizeof s->laws[0]);
    s->blocks = arena_take(arena, (size_t)laws, sizeof s->blocks[0]);
    s->yields = arena_take(arena, (size_t)laws, sizeof s->yields[0]);
    s->order = arena_take(arena, (size_t)laws, sizeof s->order[0]);
    s->y = arena_take(arena, n * width + side, sizeof(double));
    double **of_columns[] = {&s->whole, &s->right};
    for (size_t i = 0; i < sizeof of_columns / sizeof of_columns[0]; i++)
        if (!(*of_columns[i] = arena_take(arena, width, sizeof(double))))
            return ERR_MEMORY;
    s->lines = arena_take(arena, n, sizeof s->lines[0]);
    s->slips = arena_take(arena, n * width + side, sizeof(double));
    s->reached = arena_take(arena, side, sizeof s->reached[0]);
    s->system = arena_take(arena, side * side, sizeof(double));
    int is_complete = s->laws && s->blocks && s->yields && s->order && s->y && s->lines &&
                      s->slips && s->reached && s->system;
    return is_complete ? 0 : ERR_MEMORY;
}

void cones_begin(struct cones *s, int rows)
{
    s->rows = rows;
    for (int i = 0; i < rows * s->stride; i++)
        s->y[i] = 0;
    /* columns of no group stay as they are */
    for (int i = 0; i < s->stride; i++)
        s->whole[i] = 0;
}

/* ---------------------------------------------------------------- rows and columns */

/* The columns from .. to - 1 are an even number, with a 0 at the end if need be. What is kept for the columns of a
 * group has two more, for laws that begin at another column than the group. */
static inline int even_width(int from, int to)
{
    return (to - from + 1) & ~1;
}

/* Of a law's rows with numbers of its columns. */
static inline void multiply_law(const struct cones *s, const struct cone_law *c,
                                const double *columns, double *products)
{
    int width = even_width(c->from, c->to);
    const double *y = cones_row(s, c->row) + c->from, *with = columns + c->from;
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

/* columns += the law's rows' times numbers. */
static inline void add_law(const struct cones *s, const struct cone_law *c, const double *by,
                           double *columns)
{
    int width = even_width(c->from, c->to);
    const double *y = cones_row(s, c->row) + c->from;
    const double *y1 = y + s->stride, *y2 = y1 + s->stride;
    double *to = columns + c->from;
    if (by[0] == 0 && (c->size == 1 || (by[1] == 0 && by[2] == 0)))
        return;
    if (c->size == 1) {
        for (int k = 0; k < width; k += 2)
            PAIR(to, k) += PAIR(y, k) * by[0];
        return;
    }
    for (int k = 0; k < width; k += 2)
        PAIR(to, k) += PAIR(y, k) * by[0] + PAIR(y1, k) * by[1] + PAIR(y2, k) * by[2];
}

static void set_law_velocity(struct cones *s, const struct cone_law *c)
{
    double by[3];
    multiply_law(s, c, s->whole, by);
    for (int k = 0; k < c->size; k++)
        s->velocity[c->row + k] = s->free[c->row + k] + by[k];
}

static struct cone_law *law_of(const struct cones *s, int i)
{
    return &s->laws[s->group.laws[i]];
}

static void clear_columns(const struct cones *s, double *columns)
{
    int end = s->group.from + even_width(s->group.from, s->group.to) + 2;
    for (int k = s->group.from; k < end && k < s->stride; k++)
        columns[k] = 0;
}

/* Of the laws of the group. */
static void set_velocities(struct cones *s)
{
    clear_columns(s, s->whole);
    for (int i = 0; i < s->group.count; i++)
        add_law(s, law_of(s, i), s->impulse + law_of(s, i)->row, s->whole);
    for (int i = 0; i < s->group.count; i++)
        set_law_velocity(s, law_of(s, i));
}

static double product(const double *a, const double *b, int width)
{
    pair sum = {0, 0};
    for (int k = 0; k < width; k += 2)
        sum += PAIR(a, k) * PAIR(b, k);
    return pair_sum(sum);
}

static void set_block(struct cones *s, int law)
{
    const struct cone_law *c = &s->laws[law];
    const double *y = cones_row(s, c->row) + c->from, *y1 = y + s->stride, *y2 = y1 + s->stride;
    int width = even_width(c->from, c->to);
    struct cone_block *b = &s->blocks[law];
    *b = (struct cone_block){.nn = product(y, y, width)};
    if (c->size == 1)
        return;
    b->n1 = product(y, y1, width);
    b->n2 = product(y, y2, width);
    b->a = product(y1, y1, width);
    b->b = product(y1, y2, width);
    b->c = product(y2, y2, width);
}

/* Of the tangents' mean: what turns velocities into impulses. */
static double tangent_weight(const struct cone_block *b)
{
    return 0.5 * (b->a + b->c);
}

static int is_inert(const struct cones *s, int law)
{
    return s->laws[law].bound == -HUGE_VAL || !(s->blocks[law].nn > 0);
}

/* ---------------------------------------------------------------- the residual */

/* The laws as projections: l = P(l - v / w), whatever w > 0 is. What is missing, times w, is a velocity. */
double cones_miss(const struct cones *s, int law)
{
    const struct cone_law *c = &s->laws[law];
    const struct cone_block *b = &s->blocks[law];
    const double *l = s->impulse + c->row, *v = s->velocity + c->row;
    if (is_inert(s, law))
        return 0;
    double weight = b->nn, apart = v[0] - c->bound;
    double normal = fabs(apart < weight * l[0] ? apart : weight * l[0]);
    if (c->size == 1 || !((weight = tangent_weight(b)) > 0))
        return normal;
    double x = weight * l[1] - v[1], y = weight * l[2] - v[2];
    double size = sqrt(x * x + y * y), most = weight * c->friction * (l[0] > 0 ? l[0] : 0);
    double share = size > most ? most / size : 1;
    double dx = weight * l[1] - share * x, dy = weight * l[2] - share * y;
    double tangent = sqrt(dx * dx + dy * dy);
    return normal > tangent ? normal : tangent;
}

/* Of the group; NaN where there is one. */
static double worst_miss(const struct cones *s)
{
    double worst = 0;
    for (int i = 0; i < s->group.count; i++) {
        double miss = cones_miss(s, s->group.laws[i]);
        if (!(miss <= worst))
            worst = miss;
    }
    return worst;
}

/* Remembers the impulses if they are the best so far; returns 1 if they are good enough. */
static int judge(struct cones *s)
{
    double residual = worst_miss(s);
    if (residual < s->best_residual) {
        s->best_residual = residual;
        for (int i = 0; i < s->group.count; i++)
            for (int k = law_of(s, i)->row; k < law_of(s, i)->row + law_of(s, i)->size; k++)
                s->best[k] = s->impulse[k];
    }
    return residual <= s->enough;
}

/* ---------------------------------------------------------------- one contact */

/* The impulses l with W l = right, if the tangents slide by -hold lt. */
static inline void solve_block(const struct cone_block *w, double hold, const double right[3],
                               double l[3])
{
    double a = w->a + hold, c = w->c + hold, inverse = 1 / (a * c - w->b * w->b);
    double x = (c * w->n1 - w->b * w->n2) * inverse, y = (a * w->n2 - w->b * w->n1) * inverse;
    l[0] = (right[0] - x * right[1] - y * right[2]) / (w->nn - w->n1 * x - w->n2 * y);
    l[1] = (c * right[1] - w->b * right[2]) * inverse - x * l[0];
    l[2] = (a * right[2] - w->b * right[1]) * inverse - y * l[0];
}

/* A contact that slides has vt = -hold lt with hold > 0 and |lt| = mu ln. |lt| - mu ln is positive where it
 * would stick, at hold = 0, and negative without friction, where hold is endless: a root lies between. Newton's
 * steps, kept between what has been seen. */
static void solve_sliding(const struct cone_block *w, const double right[3], double friction,
                          double *start, double l[3])
{
    double low = 0, high = HUGE_VAL, hold = *start, size = 0;
    for (int i = 0; i < SLIDE_STEPS_MAX; i++) {
        double change[3];
        solve_block(w, hold, right, l);
        size = sqrt(l[1] * l[1] + l[2] * l[2]);
        double over = size - friction * l[0];
        if (fabs(over) <= SLIDE_TOLERANCE * size)
            break;
        if (over > 0)
            low = hold;
        else
            high = hold;
        const double pull[3] = {0, -l[1], -l[2]};
        solve_block(w, hold, pull, change);
        double slope = (l[1] * change[1] + l[2] * change[2]) / size - friction * change[0];
        double next = hold - over / slope;
        if (!(next > low && next < high))
            next = high < HUGE_VAL ? 0.5 * (low + high) : 2 * low + (w->a + w->c);
        if (next == hold)
            break;
        hold = next;
    }
    double most = friction * l[0], share = size > 0 ? most / size : 0;
    l[1] *= share;
    l[2] *= share;
    *start = hold;
}

void cones_solve_one(const struct cone_block *w, const double free[3], double bound,
                     double friction, double *hold, double l[3])
{
    l[0] = l[1] = l[2] = 0;
    if (free[0] >= bound)
        return;
    if (friction == 0) {
        l[0] = (bound - free[0]) / w->nn;
        return;
    }
    double raised = REDUNDANCY * (w->nn + w->a + w->c);
    const struct cone_block block = {w->nn + raised, w->n1, w->n2,
                                     w->a + raised,  w->b,  w->c + raised};
    const double right[3] = {bound - free[0], -free[1], -free[2]};
    solve_block(&block, 0, right, l);
    if (l[0] > 0 && l[1] * l[1] + l[2] * l[2] <= friction * friction * l[0] * l[0])
        return;
    solve_sliding(&block, right, friction, hold, l);
}

/* ---------------------------------------------------------------- sweeps */

/* Solves one law for the impulses of the others as they are; returns by how much its velocity changes. */
static double solve_law(struct cones *s, int law)
{
    struct cone_law *c = &s->laws[law];
    const struct cone_block *b = &s->blocks[law];
    double *l = s->impulse + c->row, *v = s->velocity + c->row, free[3] = {0, 0, 0}, to[3], by[3];
    set_law_velocity(s, c);
    free[0] = v[0] - b->nn * l[0];
    if (c->size == 3) {
        free[0] -= b->n1 * l[1] + b->n2 * l[2];
        free[1] = v[1] - (b->n1 * l[0] + b->a * l[1] + b->b * l[2]);
        free[2] = v[2] - (b->n2 * l[0] + b->b * l[1] + b->c * l[2]);
    }
    cones_solve_one(b, free, c->bound, c->size == 3 ? c->friction : 0, &c->hold, to);
    const double weights[3] = {b->nn, b->a, b->c};
    double largest = 0;
    for (int i = 0; i < c->size; i++) {
        by[i] = to[i] - l[i];
        l[i] = to[i];
        largest = fabs(by[i] * weights[i]) > largest ? fabs(by[i] * weights[i]) : largest;
    }
    if (largest > 0)
        add_law(s, c, by, s->whole);
    return largest;
}

/* 1 if that solved it. */
static int sweep(struct cones *s, int sweeps)
{
    for (int k = 0; k < sweeps; k++) {
        double largest = 0;
        for (int i = 0; i < s->group.count; i++) {
            if (is_inert(s, s->group.laws[i]))
                continue;
            double change = solve_law(s, s->group.laws[i]);
            largest = change > largest ? change : largest;
        }
        s->sweeps++;
        s->work += (uint64_t)(s->group.count * (6 * (s->group.to - s->group.from) + 60));
        if (largest <= s->enough)
            break;
    }
    set_velocities(s);
    return judge(s);
}

/* ---------------------------------------------------------------- equations */

/* Newton's step of one law, where its velocity is to change by dv, on the problem W + weight with the velocities
 * v = free + W l + weight (l - centre), whose normal ones are less the bound here. With n and t the diagonals of
 * W + weight:
 *
 *   opens,   n ln <= vn:                        dl = -l
 *   sticks,  |z| <= mu t / n (n ln - vn):       dv + weight dl = -v                       with z = t lt - vt
 *   slides:  lt = share z / t, where share = mu (t / n) (n ln - vn) / |z|. With e = z / |z|, f across e and what
 *            the tangents miss, t lt - share z:
 *            dvn + weight dln = -vn,   e.dlt = mu (dln + vn / n) - e.miss / t,
 *            share (f.dvt + weight f.dlt) + (1 - share) t f.dlt = -f.miss
 *
 * so that dl = given - D dv with  D = pull (1, slip e) (1, 0)' + stick (0, 1) (0, 1)' + slide (0, f) (0, f)'. Returns the
 * square of what is missing. */
static inline double set_yielding(struct cones *s, int law, double weight, struct cone_yielding *y)
{
    const struct cone_law *c = &s->laws[law];
    const struct cone_block *b = &s->blocks[law];
    const double *l = s->impulse + c->row, *at = s->centre + c->row;
    double n = b->nn + weight, t = tangent_weight(b) + weight, v[3] = {0, 0, 0};
    for (int k = 0; k < c->size; k++)
        v[k] = s->velocity[c->row + k] + weight * (l[k] - at[k]);
    v[0] -= c->bound;
    double pressing = n * l[0] - v[0];
    *y = (struct cone_yielding){.pull = 0};
    if (!(pressing > 0)) {
        for (int k = 0; k < c->size; k++)
            y->given[k] = -l[k];
        double normal = n * l[0], tangents = c->size == 3 ? l[1] * l[1] + l[2] * l[2] : 0;
        return normal * normal + t * t * tangents;
    }
    y->pull = 1 / weight;
    y->given[0] = -v[0] * y->pull;
    if (c->size == 1)
        return v[0] * v[0];
    double x = t * l[1] - v[1], z = t * l[2] - v[2], square = x * x + z * z;
    double most = c->friction * t * pressing / n;
    if (square <= most * most) {
        y->stick = y->pull;
        y->given[1] = -v[1] * y->stick;
        y->given[2] = -v[2] * y->stick;
        return v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    }
    double inverse = 1 / sqrt(square), share = most * inverse;
    double across = share * weight + (1 - share) * t;
    double one = t * l[1] - share * x, two = t * l[2] - share * z;
    y->ex = x * inverse;
    y->ey = z * inverse;
    y->slip = c->friction;
    y->slide = share / across;
    double by_e = c->friction * (y->given[0] + v[0] / n) - (y->ex * one + y->ey * two) / t;
    double by_f = -(y->ex * two - y->ey * one) / across;
    y->given[1] = by_e * y->ex - by_f * y->ey;
    y->given[2] = by_e * y->ey + by_f * y->ex;
    return v[0] * v[0] + one * one + two * two;
}

/* Of all laws; returns the sum of the squares. */
static double set_yields(struct cones *s, double weight)
{
    double sum = 0;
    for (int i = 0; i < s->group.count; i++)
        if (!is_inert(s, s->group.laws[i]))
            sum += set_yielding(s, s->group.laws[i], weight, &s->yields[s->group.laws[i]]);
    return sum;
}

/* D of a law as up to three lines of the columns, a and b, with Y' D Y = sum of weight a' b. The columns of the group
 * are the first ones of each. */
static void add_line(struct cones *s, const double *a, const double *b, double weight)
{
    s->lines[s->line_count++] = (struct cone_line){a, b, weight};
}

static void add_lines(struct cones *s, const struct cone_law *c, const struct cone_yielding *d)
{
    int n = s->stride, from = s->group.from, width = even_width(from, c->to);
    const double *y = cones_row(s, c->row) + from, *y1 = y + n, *y2 = y1 + n;
    double *slip = s->slips + (size_t)c->row * (size_t)n, *across = slip + n;
    if (d->pull == 0)
        return;
    if (d->slip == 0) {
        add_line(s, y, y, d->pull);
        if (d->stick > 0) {
            add_line(s, y1, y1, d->stick);
            add_line(s, y2, y2, d->stick);
        }
        return;
    }
    for (int k = 0; k < width; k += 2) {
        pair e = PAIR(y1, k) * d->ex + PAIR(y2, k) * d->ey;
        PAIR(slip, k) = PAIR(y, k) + e * d->slip;
        PAIR(across, k) = PAIR(y2, k) * d->ex - PAIR(y1, k) * d->ey;
    }
    for (int k = width; k < block_width(width); k++)
        across[k] = 0;
    add_line(s, slip, y, d->pull);
    add_line(s, across, across, d->slide);
}

/* Of all laws. Those that reach farthest come first, so that column k is reached by the first reached[k] lines. */
static void set_lines(struct cones *s)
{
    int column = s->group.to - s->group.from;
    s->line_count = 0;
    for (int i = 0; i < s->group.count; i++) {
        int law = s->group.laws[i], to = s->laws[law].to - s->group.from;
        while (column > to)
            s->reached[--column] = s->line_count;
        if (!is_inert(s, law))
            add_lines(s, &s->laws[law], &s->yields[law]);
    }
    while (column > 0)
        s->reached[--column] = s->line_count;
}

/* The system: 1 + Y' D Y. */
WIDE static void set_system(struct cones *s)
{
    int width = s->group.to - s->group.from;
    for (int i = 0; i < width; i++) {
        double *line = s->system + (size_t)i * (size_t)s->side;
        for (int j = 0; j < width; j += BLOCK) {
            const struct cone_line *l = s->lines, *end = l + s->reached[i > j ? i : j];
            quad sums[BLOCK / 4] = {{0}};
            for (; l < end; l++) {
                const double *b = l->b + j;
                double by = l->weight * l->a[i];
                if (by == 0)
                    continue;
                for (int k = 0; k < BLOCK / 4; k++)
                    sums[k] += QUAD(b, 4 * k) * by;
            }
            for (int k = 0; k < BLOCK / 4; k++)
                QUAD(line, j + 4 * k) = sums[k];
        }
        line[i] += 1;
    }
}

/* Gaussian elimination with partial pivoting, in place; `right` becomes the solution. 0 if singular. From the last column
 * to the first: the last ones are those of joints far from the root, which share nothing with those of other limbs. */
WIDE static int eliminate(double *m, int count, int stride, double *right)
{
    for (int k = count - 1; k >= 0; k--) {
        int pivot = k;
        for (int i = k - 1; i >= 0; i--)
            if (fabs(m[i * stride + k]) > fabs(m[pivot * stride + k]))
                pivot = i;
        double *top = m + k * stride, *other = m + pivot * stride, held = right[k];
        if (!(fabs(other[k]) > PIVOT_MIN))
            return 0;
        right[k] = right[pivot];
        right[pivot] = held;
        for (int j = 0; j <= k && pivot != k; j += 2) {
            pair line = PAIR(top, j);
            PAIR(top, j) = PAIR(other, j);
            PAIR(other, j) = line;
        }
        double inverse = 1 / top[k];
        for (int i = 0; i < k; i++) {
            double *line = m + i * stride, factor = line[k] * inverse;
            if (factor == 0)
                continue;
            right[i] -= factor * right[k];
            for (int j = 0; j < k; j += 4)
                QUAD(line, j) -= QUAD(top, j) * factor;
        }
        top[k] = inverse;
    }
    for (int k = 0; k < count; k++) {
        right[k] *= m[k * stride + k];
        for (int i = k + 1; i < count; i++)
            right[i] -= m[i * stride + k] * right[k];
    }
    return 1;
}

/* Newton's step from the impulses that stand. With x = Y' dl, dv = Y x and dl = given - D dv it is found in the columns:
 *
 *   (1 + Y' D Y) x = Y' given
 *
 * Changes impulses and velocities; 0 if the system is singular. */
static int take_step(struct cones *s)
{
    const struct cone_group *g = &s->group;
    int width = g->to - g->from;
    double *x = s->right;
    clear_columns(s, x);
    for (int i = 0; i < g->count; i++)
        if (!is_inert(s, g->laws[i]))
            add_law(s, law_of(s, i), s->yields[g->laws[i]].given, x);
    set_lines(s);
    set_system(s);
    s->equations++;
    s->work += (uint64_t)width * (uint64_t)width * (uint64_t)(width + 3 * g->count);
    if (!eliminate(s->system, width, s->side, x + g->from))
        return 0;
    for (int i = 0; i < g->count; i++) {
        const struct cone_law *c = law_of(s, i);
        const struct cone_yielding *d = &s->yields[g->laws[i]];
        double *l = s->impulse + c->row, *v = s->velocity + c->row, dv[3];
        if (is_inert(s, g->laws[i]))
            continue;
        multiply_law(s, c, x, dv);
        for (int k = 0; k < c->size; k++)
            v[k] += dv[k];
        double pull = d->pull * dv[0];
        l[0] += d->given[0] - pull;
        if (c->size == 1)
            continue;
        double slide = d->slide * (d->ex * dv[2] - d->ey * dv[1]), slip = d->slip * pull;
        l[1] += d->given[1] - (slip * d->ex + d->stick * dv[1] - slide * d->ey);
        l[2] += d->given[2] - (slip * d->ey + d->stick * dv[2] + slide * d->ex);
    }
    return 1;
}

/* Newton's method on the problem W + weight around the impulses that stand. Returns 1 if it ended. */
static int solve_proximal(struct cones *s, double weight)
{
    double first = 0, least = s->enough * s->enough;
    for (int i = 0; i < s->group.count; i++)
        for (int k = law_of(s, i)->row; k < law_of(s, i)->row + law_of(s, i)->size; k++)
            s->centre[k] = s->impulse[k];
    for (int k = 0; k <= NEWTON_MAX; k++) {
        double sum = set_yields(s, weight);
        first = k == 0 ? sum : first;
        if (k > 0 && (sum <= PROXIMAL_ENDED * first || sum <= 0.01 * least))
            return 1;
        if (k > 0 && sum <= 100 * least && worst_miss(s) <= 0.5 * s->enough)
            return 1;
        if (k < NEWTON_MAX && !take_step(s))
            return 0;
    }
    return 0;
}

/* Puts impulses onto their cones, which Newton's method leaves by rounding. */
static void put_on_cones(struct cones *s)
{
    for (int i = 0; i < s->group.count; i++) {
        const struct cone_law *c = law_of(s, i);
        double *l = s->impulse + c->row;
        if (is_inert(s, s->group.laws[i]) || !(l[0] > 0)) {
            for (int k = 0; k < c->size; k++)
                l[k] = 0;
            continue;
        }
        if (c->size == 1)
            continue;
        double size = sqrt(l[1] * l[1] + l[2] * l[2]), most = c->friction * l[0];
        double share = size > most ? most / size : 1;
        l[1] *= share;
        l[2] *= share;
    }
}

static double mean_weight(const struct cones *s)
{
    double sum = 0;
    int rows = 0;
    for (int i = 0; i < s->group.count; i++) {
        const struct cone_block *b = &s->blocks[s->group.laws[i]];
        sum += b->nn;
        if (law_of(s, i)->size == 3)
            sum += b->a + b->c;
        rows += law_of(s, i)->size;
    }
    return rows > 0 ? sum / rows : 0;
}

/* Impulses of the group: what was best, or 0. */
static void put_impulses(struct cones *s, const double *from)
{
    for (int i = 0; i < s->group.count; i++)
        for (int k = law_of(s, i)->row; k < law_of(s, i)->row + law_of(s, i)->size; k++)
            s->impulse[k] = from ? from[k] : 0;
    set_velocities(s);
}

/* Proximal steps until one does not end. Loads that redundant contacts share shift by what is missing / weight in
 * each, so that the weight falls. 1 if that solved it. */
static int solve_round(struct cones *s, double mean, double *weight)
{
    for (int k = 0; k < PROXIMAL_MAX; k++) {
        int has_ended = solve_proximal(s, *weight);
        put_on_cones(s);
        set_velocities(s);
        if (judge(s))
            return 1;
        *weight *= has_ended ? PROXIMAL_FALL : PROXIMAL_RISE;
        *weight = *weight > PROXIMAL_LEAST * mean ? *weight : PROXIMAL_LEAST * mean;
        *weight = *weight < PROXIMAL_MOST * mean ? *weight : PROXIMAL_MOST * mean;
        if (!has_ended)
            break;
    }
    if (!(worst_miss(s) < HUGE_VAL))
        put_impulses(s, s->best);
    return 0;
}

/* ---------------------------------------------------------------- solving */

static int comes_before(const struct cone_law *a, const struct cone_law *b)
{
    return a->is_idle != b->is_idle ? b->is_idle : a->to > b->to;
}

/* Those that are awake come first, of them those that reach farthest. */
static void sort_group(struct cones *s)
{
    struct cone_group *g = &s->group;
    int *order = g->laws;
    for (int i = 1; i < g->all; i++) {
        int law = order[i], k = i;
        for (; k > 0 && comes_before(&s->laws[law], &s->laws[order[k - 1]]); k--)
            order[k] = order[k - 1];
        order[k] = law;
    }
    g->count = 0;
    while (g->count < g->all && !law_of(s, g->count)->is_idle)
        g->count++;
}

/* More rows than columns: sweeps shift loads to and fro between them. */
static int is_redundant(const struct cones *s)
{
    int rows = 0;
    for (int i = 0; i < s->group.count; i++)
        rows += law_of(s, i)->size;
    return rows > s->group.to - s->group.from;
}

/* The laws that are awake. */
static int solve_awake(struct cones *s)
{
    double mean = mean_weight(s), weight = PROXIMAL_FIRST * mean;
    s->best_residual = s->group.count > 0 ? HUGE_VAL : 0;
    set_velocities(s);
    for (int k = 0; k < ROUNDS_MAX && s->best_residual > s->enough; k++)
        if (sweep(s, k > 0             ? SWEEPS_MORE
                     : is_redundant(s) ? 0
                                       : SWEEPS_FIRST) ||
            solve_round(s, mean, &weight))
            return 1;
    put_impulses(s, s->best);
    return s->best_residual <= s->enough;
}

/* Laws that press on nothing and would not have to, as things stand, are idle: they are solved for only when they
 * would. Most of what is near does not touch. */
static void find_idle(struct cones *s)
{
    struct cone_group *g = &s->group;
    g->count = g->all;
    set_velocities(s);
    for (int i = 0; i < g->all; i++) {
        struct cone_law *c = law_of(s, i);
        c->is_idle =
            s->impulse[c->row] == 0 && (is_inert(s, g->laws[i]) || s->velocity[c->row] >= c->bound);
    }
    sort_group(s);
}

/* 1 if there was one that would have to press. */
static int wake(struct cones *s)
{
    struct cone_group *g = &s->group;
    int has_woken = 0;
    for (int i = g->count; i < g->all; i++) {
        set_law_velocity(s, law_of(s, i));
        double miss = cones_miss(s, g->laws[i]);
        if (miss > s->enough) {
            has_woken = 1;
            law_of(s, i)->is_idle = 0;
        } else if (miss > s->best_residual) {
            s->best_residual = miss;
        }
    }
    sort_group(s);
    return has_woken;
}

static int solve(struct cones *s)
{
    int is_solved;
    find_idle(s);
    do {
        is_solved = solve_awake(s);
    } while (wake(s));
    return is_solved;
}

/* Rows that cannot all be pushed out at once would load one another without end: then penetrations are only kept
 * from growing. So would what is wedged and is to rebound, which no impulse moves that way. */
static int stop_push_outs(struct cones *s)
{
    int has_stopped = 0;
    for (int i = 0; i < s->group.all; i++) {
        struct cone_law *c = law_of(s, i);
        has_stopped |= c->is_push_out || c->bound > 0;
        c->bound = c->bound > 0 ? 0 : c->bound;
        c->is_push_out = 0;
    }
    return has_stopped;
}

static void solve_group(struct cones *s)
{
    for (int i = 0; i < s->group.all; i++)
        for (int k = 0; k < law_of(s, i)->size && is_inert(s, s->group.laws[i]); k++)
            s->impulse[law_of(s, i)->row + k] = 0;
    if (!solve(s) && stop_push_outs(s)) {
        put_impulses(s, NULL);
        solve(s);
    }
    if (!(s->best_residual <= s->residual))
        s->residual = s->best_residual;
}

/* The laws by their first column. */
static void sort_laws(struct cones *s)
{
    for (int i = 0; i < s->count; i++) {
        int k = i;
        for (; k > 0 && s->laws[s->order[k - 1]].from > s->laws[i].from; k--)
            s->order[k] = s->order[k - 1];
        s->order[k] = i;
    }
}

/* Takes the laws from `first` on, in their order, that share columns one with another; returns their number. */
static int take_group(struct cones *s, int first)
{
    struct cone_group *g = &s->group;
    const struct cone_law *c = &s->laws[s->order[first]];
    *g = (struct cone_group){.laws = s->order + first, .from = c->from, .to = c->to};
    while (first + ++g->all < s->count) {
        c = &s->laws[g->laws[g->all]];
        if (c->from >= g->to)
            break;
        g->to = c->to > g->to ? c->to : g->to;
    }
    for (int i = 0; i < g->all; i++)
        law_of(s, i)->is_idle = 0;
    sort_group(s);
    return g->all;
}

void cones_set_velocities(struct cones *s)
{
    sort_laws(s);
    for (int i = 0; i < s->count; i++)
        set_block(s, i);
    for (int i = 0; i < s->count; i += s->group.all) {
        take_group(s, i);
        set_velocities(s);
    }
}

void cones_solve(struct cones *s)
{
    s->sweeps = s->equations = 0;
    s->residual = 0;
    sort_laws(s);
    for (int i = 0; i < s->count; i++)
        set_block(s, i);
    for (int i = 0; i < s->count; i += s->group.all) {
        take_group(s, i);
        solve_group(s);
    }
}

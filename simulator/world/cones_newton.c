/* Newton's method on the projections that the laws of cones.h are, in a proximal step.
 *
 * Newton's steps are taken whole. A line search on the sum of squares of what the projections leave was tried: it gets
 * stuck where laws open and close, and takes half again as many systems. */
#include "simulator/world/cones_private.h"

/* Newton's steps of a proximal step at most. It has ended when the sum of squares of what is missing is this share of
 * what it was. */
#define NEWTON_MAX     8
#define PROXIMAL_ENDED 1e-2
/* Pivots are singular that are smaller; the system's diagonal is 1 and more. */
#define PIVOT_MIN 1e-15

/* Functions that are made once more for processors which have instructions for four numbers. */
#if defined(__x86_64__) && defined(__GLIBC__)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

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
static inline double set_yielding(struct cones *s, int law, double weight, double pull,
                                  struct cone_yielding *y)
{
    const struct cone_law *c = &s->laws[law];
    const struct cone_block *b = &s->blocks[law];
    const double *l = s->impulse + c->row, *at = s->centre + c->row;
    double n = b->nn + weight, t = tangent_weight(b) + weight, v[3] = {0, 0, 0};
    v[0] = s->velocity[c->row] + weight * (l[0] - at[0]) - c->bound;
    if (c->size == 3) {
        v[1] = s->velocity[c->row + 1] + weight * (l[1] - at[1]);
        v[2] = s->velocity[c->row + 2] + weight * (l[2] - at[2]);
    }
    double pressing = n * l[0] - v[0];
    *y = (struct cone_yielding){.pull = 0};
    if (!(pressing > 0)) {
        for (int k = 0; k < c->size; k++)
            y->given[k] = -l[k];
        double normal = n * l[0], tangents = c->size == 3 ? l[1] * l[1] + l[2] * l[2] : 0;
        return normal * normal + t * t * tangents;
    }
    y->pull = pull;
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
    double sum = 0, pull = 1 / weight;
    for (int i = 0; i < s->group.count; i++)
        sum += set_yielding(s, s->group.laws[i], weight, pull, &s->yields[s->group.laws[i]]);
    return sum;
}

/* D of a law as up to three lines of the columns, with Y' D Y = sum of a' b, where a has the weight. The columns of the
 * group are the first ones of each. */
static void add_line(struct cones *s, const double *a, const double *b)
{
    s->lines[s->line_count++] = (struct cone_line){a, b};
}

static void add_plain_line(struct cones *s, double *a, const double *b, double weight, int width)
{
    add_line(s, a, b);
    for (int k = 0; k < width; k += 4)
        QUAD(a, k) = QUAD(b, k) * weight;
}

static void add_lines(struct cones *s, const struct cone_law *c, const struct cone_yielding *d)
{
    int n = s->stride, from = s->group.from, width = quad_width(from, c->to);
    const double *y = cones_row(s, c->row) + from, *y1 = y + n, *y2 = y1 + n;
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
    for (int k = width, end = quad_width(from, s->group.to); k < end; k += 4)
        QUAD(across, k) = (quad){0};
    add_line(s, one, y);
    add_line(s, two, across);
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
        add_lines(s, &s->laws[law], &s->yields[law]);
    }
    while (column > 0)
        s->reached[--column] = s->line_count;
}

/* How many quads of a block the columns from .. to - 1 need. */
static inline int quad_count(int from, int to)
{
    return to - from < BLOCK ? (to - from + 3) / 4 : BLOCK / 4;
}

/* Of Y' D Y the lines i and i + 1, in quads from column j on. */
static inline void set_part(struct cones *s, int i, int j, int quads)
{
    const struct cone_line *l = s->lines, *end = l + s->reached[i > j ? i : j];
    double *line = s->system + (size_t)i * (size_t)s->side + 1 + j, *next = line + s->side;
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

/* The system, (1 + Y' D Y) x = right: in each line first the right side. */
WIDE static void set_system(struct cones *s, const double *right)
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
    for (int i = 0; i < width; i++) {
        double *line = s->system + (size_t)i * (size_t)s->side;
        line[0] = right[i];
        line[1 + i] += 1;
    }
}

/* Takes line k out of those before it, such that they have 0 in its last place, in quads from place j on. What is from
 * that place on is of no use any more. */
static inline void take_out(double *m, int k, int stride, int j, int quads)
{
    const double *top = m + k * stride;
    double inverse = 1 / top[1 + k];
    quad out[BLOCK / 4];
    for (int i = 0; i < quads; i++)
        out[i] = QUAD(top, j + 4 * i);
    for (double *line = m; line < top; line += stride) {
        double factor = line[1 + k] * inverse;
        for (int i = 0; i < quads && factor != 0; i++)
            QUAD(line, j + 4 * i) -= out[i] * factor;
    }
}

static inline void take_out_all(double *m, int k, int stride)
{
    for (int j = 0; j <= k; j += BLOCK) {
        int quads = quad_count(j, k + 1);
        if (quads == 1)
            take_out(m, k, stride, j, 1);
        else if (quads == 2)
            take_out(m, k, stride, j, 2);
        else if (quads == 3)
            take_out(m, k, stride, j, 3);
        else
            take_out(m, k, stride, j, 4);
    }
}

/* The line up to k whose last number is the largest. */
static inline double *find_pivot(double *m, int k, int stride)
{
    double *line = m + k * stride, *pivot = line, most = fabs(line[1 + k]);
    while (line > m) {
        line -= stride;
        if (fabs(line[1 + k]) > most) {
            most = fabs(line[1 + k]);
            pivot = line;
        }
    }
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

/* Gaussian elimination with partial pivoting, in place; 0 if singular. From the last column to the first: the last ones
 * are those of joints far from the root, which share nothing with those of other limbs. */
WIDE static int eliminate(double *m, int count, int stride, double *x)
{
    for (int k = count - 1; k >= 0; k--) {
        double *top = m + k * stride, *pivot = find_pivot(m, k, stride);
        if (!(fabs(pivot[1 + k]) > PIVOT_MIN))
            return 0;
        if (pivot != top)
            swap_lines(top, pivot, k + 2);
        take_out_all(m, k, stride);
    }
    for (int i = 0; i < count; i++, m += stride) {
        double sum = m[0];
        for (int k = 0; k < i; k++)
            sum -= m[1 + k] * x[k];
        x[i] = sum * (1 / m[1 + i]);
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
        add_law(s, law_of(s, i), s->yields[g->laws[i]].given, x);
    set_lines(s);
    set_system(s, x + g->from);
    s->equations++;
    s->work += (uint64_t)width * (uint64_t)width * (uint64_t)(width + 3 * g->count);
    if (!eliminate(s->system, width, s->side, x + g->from))
        return 0;
    for (int i = 0; i < g->count; i++) {
        const struct cone_law *c = law_of(s, i);
        const struct cone_yielding *d = &s->yields[g->laws[i]];
        double *l = s->impulse + c->row, *v = s->velocity + c->row, dv[3];
        multiply_law(s, c, x, dv);
        double pull = d->pull * dv[0];
        v[0] += dv[0];
        l[0] += d->given[0] - pull;
        if (c->size == 1)
            continue;
        v[1] += dv[1];
        v[2] += dv[2];
        double slide = d->slide * (d->ex * dv[2] - d->ey * dv[1]), slip = d->slip * pull;
        l[1] += d->given[1] - (slip * d->ex + d->stick * dv[1] - slide * d->ey);
        l[2] += d->given[2] - (slip * d->ey + d->stick * dv[2] + slide * d->ex);
    }
    return 1;
}

int cones_solve_proximal(struct cones *s, double weight)
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

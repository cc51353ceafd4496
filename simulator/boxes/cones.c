/* See cones.h. Typical: 4 to 20 contacts, 12 to 60 rows. Sweeps solve most problems of walking bodies in about
 * five; a body that lies flat on the ground, whose corners say the same several times over, takes equations. */
#include "simulator/boxes/cones.h"

#include <math.h>

#include "common/error.h"

/* The defaults of cones.tolerance, which sweeps aim at, and cones.enough, m/s. */
#define TOLERANCE_M_S 1e-7
#define ENOUGH_M_S    5e-6
#define SWEEPS_MAX    16
/* Of a block's diagonal, added to it: what a contact cannot move in all directions is not singular then. */
#define REDUNDANCY 1e-12
/* The search for the direction in which a contact slides. */
#define SLIDE_STEPS_MAX 60
#define SLIDE_TOLERANCE 1e-14
/* Proximal steps: the weight at first, at most and at least as shares of the mean diagonal of W, what it is
 * multiplied by when a step has ended and when it has not, their number at most, and in each Newton's steps at most.
 * To begin with 1e-2 takes a flat snake 2.7 times as long, with 1e-5 twice. */
#define PROXIMAL_FIRST 1e-4
#define PROXIMAL_MOST  1e-2
#define PROXIMAL_LEAST 1e-7
#define PROXIMAL_FALL  0.2
#define PROXIMAL_RISE  10
#define PROXIMAL_MAX   60
#define NEWTON_MAX     12
/* Halvings in a line search. */
#define HALVINGS_MAX 8
/* Pivots smaller than this share of the mean diagonal are singular. */
#define PIVOT_MIN 1e-13

int cones_create(struct cones *s, int laws, int rows, struct arena *arena)
{
    size_t n = (size_t)rows;
    *s = (struct cones){.tolerance = TOLERANCE_M_S, .enough = ENOUGH_M_S};
    s->laws = arena_take(arena, (size_t)laws, sizeof s->laws[0]);
    s->w = arena_take(arena, n * n, sizeof(double));
    s->free = arena_take(arena, n, sizeof(double));
    s->impulse = arena_take(arena, n, sizeof(double));
    s->velocity = arena_take(arena, n, sizeof(double));
    s->best = arena_take(arena, n, sizeof(double));
    s->centre = arena_take(arena, n, sizeof(double));
    s->step = arena_take(arena, n, sizeof(double));
    s->trial = arena_take(arena, n, sizeof(double));
    s->push = arena_take(arena, n, sizeof(double));
    s->system = arena_take(arena, n * (n + 1), sizeof(double));
    int is_complete = s->laws && s->w && s->free && s->impulse && s->velocity && s->best &&
                      s->centre && s->step && s->trial && s->push && s->system;
    return is_complete ? 0 : ERR_MEMORY;
}

void cones_begin(struct cones *s, int rows)
{
    s->rows = s->stride = rows;
}

static double *line(const struct cones *s, int row)
{
    return s->w + (size_t)row * (size_t)s->stride;
}

static void set_velocities(const struct cones *s, const double *impulse, double *velocity)
{
    for (int i = 0; i < s->rows; i++)
        velocity[i] = s->free[i];
    for (int j = 0; j < s->rows; j++) {
        const double *w = line(s, j), l = impulse[j];
        for (int i = 0; i < s->rows && l != 0; i++)
            velocity[i] += l * w[i];
    }
}

void cones_set_velocities(struct cones *s)
{
    set_velocities(s, s->impulse, s->velocity);
}

/* Of the normal, and the mean of the tangents: what turns velocities into impulses. */
static double normal_weight(const struct cones *s, const struct cone_law *c)
{
    return line(s, c->row)[c->row];
}

static double tangent_weight(const struct cones *s, const struct cone_law *c)
{
    return 0.5 * (line(s, c->row + 1)[c->row + 1] + line(s, c->row + 2)[c->row + 2]);
}

static int is_inert(const struct cones *s, const struct cone_law *c)
{
    return c->bound == -HUGE_VAL || !(normal_weight(s, c) > 0);
}

/* ---------------------------------------------------------------- the residual */

/* The laws as projections: l = P(l - v / w), whatever w > 0 is. What is missing, times w, is a velocity. */
static double miss_of(const struct cones *s, const struct cone_law *c, const double *impulse,
                      const double *velocity)
{
    const double *l = impulse + c->row, *v = velocity + c->row;
    if (is_inert(s, c))
        return 0;
    double weight = normal_weight(s, c), apart = v[0] - c->bound;
    double normal = fabs(apart < weight * l[0] ? apart : weight * l[0]);
    if (c->size == 1 || !((weight = tangent_weight(s, c)) > 0))
        return normal;
    double x = weight * l[1] - v[1], y = weight * l[2] - v[2];
    double size = sqrt(x * x + y * y), most = weight * c->friction * (l[0] > 0 ? l[0] : 0);
    double share = size > most ? most / size : 1;
    double dx = weight * l[1] - share * x, dy = weight * l[2] - share * y;
    double tangent = sqrt(dx * dx + dy * dy);
    return normal > tangent ? normal : tangent;
}

double cones_miss(const struct cones *s, int law)
{
    return miss_of(s, &s->laws[law], s->impulse, s->velocity);
}

/* NaN where there is one. */
static double worst_miss(const struct cones *s, const double *impulse, const double *velocity)
{
    double worst = 0;
    for (int i = 0; i < s->count; i++) {
        double miss = miss_of(s, &s->laws[i], impulse, velocity);
        if (!(miss <= worst))
            worst = miss;
    }
    return worst;
}

/* ---------------------------------------------------------------- one contact */

/* The block of a contact: of the normal, between normal and tangents, of the tangents. */
struct block {
    double nn, n1, n2, a, b, c;
};

/* The impulses l with W l = right, if the tangents slide by -hold lt. */
static inline void solve_block(const struct block *w, double hold, const double right[3],
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
static void solve_sliding(const struct block *w, const double right[3], double friction,
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

void cones_solve_one(const double *w, int stride, const double free[3], double bound,
                     double friction, double *hold, double l[3])
{
    l[0] = l[1] = l[2] = 0;
    if (free[0] >= bound)
        return;
    if (friction == 0) {
        l[0] = (bound - free[0]) / w[0];
        return;
    }
    const double *first = w + stride, *second = first + stride;
    double raised = REDUNDANCY * (w[0] + first[1] + second[2]);
    const struct block block = {w[0] + raised,     w[1],     w[2],
                                first[1] + raised, first[2], second[2] + raised};
    const double right[3] = {bound - free[0], -free[1], -free[2]};
    solve_block(&block, 0, right, l);
    if (l[0] > 0 && l[1] * l[1] + l[2] * l[2] <= friction * friction * l[0] * l[0])
        return;
    solve_sliding(&block, right, friction, hold, l);
}

/* ---------------------------------------------------------------- sweeps */

/* Adds to the velocities what a change of a row's impulse does. */
static void change_impulse(struct cones *s, int row, double by)
{
    const double *w = line(s, row);
    s->impulse[row] += by;
    for (int i = 0; i < s->rows; i++)
        s->velocity[i] += by * w[i];
}

/* Solves one law for the impulses of the others as they are; returns by how much its velocity changes. */
static double solve_law(struct cones *s, struct cone_law *c)
{
    int n = c->row;
    const double *w = line(s, n) + n;
    double free[3], to[3], largest = 0;
    for (int i = 0; i < c->size; i++) {
        const double *row = line(s, n + i) + n;
        double own = 0;
        for (int j = 0; j < c->size; j++)
            own += row[j] * s->impulse[n + j];
        free[i] = s->velocity[n + i] - own;
    }
    cones_solve_one(w, s->stride, free, c->bound, c->size == 3 ? c->friction : 0, &c->hold, to);
    for (int i = 0; i < c->size; i++) {
        double by = to[i] - s->impulse[n + i], change = fabs(by * line(s, n + i)[n + i]);
        if (by != 0)
            change_impulse(s, n + i, by);
        largest = change > largest ? change : largest;
    }
    return largest;
}

/* Remembers the impulses if they are the best so far; returns 1 if these are within a residual. */
static int judge(struct cones *s, double enough)
{
    double residual = worst_miss(s, s->impulse, s->velocity);
    if (residual < s->residual) {
        s->residual = residual;
        for (int i = 0; i < s->rows; i++)
            s->best[i] = s->impulse[i];
    }
    return s->residual <= enough;
}

static int solve_by_sweeps(struct cones *s)
{
    for (int k = 0; k < SWEEPS_MAX; k++) {
        double largest = 0;
        for (int i = 0; i < s->count; i++) {
            if (is_inert(s, &s->laws[i]))
                continue;
            double change = solve_law(s, &s->laws[i]);
            largest = change > largest ? change : largest;
        }
        s->sweeps++;
        s->work += (uint64_t)(2 * s->rows * s->rows + 60 * s->count);
        if (largest > s->tolerance)
            continue;
        cones_set_velocities(s);
        if (judge(s, s->tolerance))
            return 1;
    }
    cones_set_velocities(s);
    return judge(s, s->enough);
}

/* ---------------------------------------------------------------- equations */

/* Where the laws' projections put the contact, of the problem W + weight. */
struct place {
    double pressing; /* ln - (vn - bound) / w: positive where it presses */
    double x, y;     /* lt - vt / w */
    double size, most;
};

static struct place place_of(const struct cones *s, const struct cone_law *c, double weight,
                             const double *impulse, const double *velocity)
{
    const double *l = impulse + c->row, *v = velocity + c->row;
    double n = normal_weight(s, c) + weight;
    struct place p = {.pressing = l[0] - (v[0] - c->bound) / n};
    if (c->size == 3) {
        double t = tangent_weight(s, c) + weight;
        p.x = l[1] - v[1] / t;
        p.y = l[2] - v[2] / t;
        p.size = sqrt(p.x * p.x + p.y * p.y);
        p.most = c->friction * (p.pressing > 0 ? p.pressing : 0);
    }
    return p;
}

/* What the projections leave, in velocities; returns the sum of the squares. */
static double miss_all(const struct cones *s, double weight, const double *impulse,
                       const double *velocity, double *miss)
{
    double sum = 0;
    for (int i = 0; i < s->count; i++) {
        const struct cone_law *c = &s->laws[i];
        const double *l = impulse + c->row, *v = velocity + c->row;
        double *m = miss + c->row;
        if (is_inert(s, c)) {
            for (int k = 0; k < c->size; k++)
                m[k] = 0;
            continue;
        }
        struct place p = place_of(s, c, weight, impulse, velocity);
        m[0] = p.pressing > 0 ? v[0] - c->bound : (normal_weight(s, c) + weight) * l[0];
        sum += m[0] * m[0];
        if (c->size == 1)
            continue;
        double t = tangent_weight(s, c) + weight, share = p.size > p.most ? p.most / p.size : 1;
        m[1] = share < 1 ? t * (l[1] - share * p.x) : v[1];
        m[2] = share < 1 ? t * (l[2] - share * p.y) : v[2];
        sum += m[1] * m[1] + m[2] * m[2];
    }
    return sum;
}

/* to = factor * row of W + weight. */
static void put_row(const struct cones *s, int row, double weight, double factor, double *to)
{
    const double *w = line(s, row);
    for (int j = 0; j < s->rows; j++)
        to[j] = factor * w[j];
    to[row] += factor * weight;
}

static void put_unit(const struct cones *s, int row, double factor, double *to)
{
    for (int j = 0; j < s->rows; j++)
        to[j] = 0;
    to[row] = factor;
}

/* The derivatives of what miss_all() has of a sliding contact's tangents: with z = lt - vt / t, e = z / |z|
 * and most = mu (ln - (vn - bound) / n), d(lt - most e) = dlt - mu e d(pressing) - most / |z| (1 - e e') dz. */
static void put_sliding(const struct cones *s, const struct cone_law *c, double weight,
                        const struct place *p, double *one, double *two)
{
    const double *wn = line(s, c->row), *w1 = line(s, c->row + 1), *w2 = line(s, c->row + 2);
    double n = normal_weight(s, c) + weight, t = tangent_weight(s, c) + weight;
    double ex = p->x / p->size, ey = p->y / p->size, share = p->most / p->size;
    double pressing = p->pressing > 0 ? c->friction : 0;
    double xx = share * ey * ey, xy = -share * ex * ey, yy = share * ex * ex;
    double own = pressing * t, by_normal = own / n;
    for (int j = 0; j < s->rows; j++) {
        one[j] = by_normal * ex * wn[j] + xx * w1[j] + xy * w2[j];
        two[j] = by_normal * ey * wn[j] + xy * w1[j] + yy * w2[j];
    }
    one[c->row] += by_normal * ex * weight - own * ex;
    two[c->row] += by_normal * ey * weight - own * ey;
    one[c->row + 1] += t - t * xx + xx * weight;
    one[c->row + 2] += -t * xy + xy * weight;
    two[c->row + 1] += -t * xy + xy * weight;
    two[c->row + 2] += t - t * yy + yy * weight;
}

static void fill_equations(struct cones *s, double weight)
{
    int width = s->rows + 1;
    for (int i = 0; i < s->count; i++) {
        const struct cone_law *c = &s->laws[i];
        double *to = s->system + (size_t)c->row * (size_t)width;
        for (int k = 0; k < c->size; k++)
            to[k * width + s->rows] = -s->step[c->row + k];
        if (is_inert(s, c)) {
            for (int k = 0; k < c->size; k++)
                put_unit(s, c->row + k, 1, to + k * width);
            continue;
        }
        struct place p = place_of(s, c, weight, s->impulse, s->velocity);
        if (p.pressing > 0)
            put_row(s, c->row, weight, 1, to);
        else
            put_unit(s, c->row, normal_weight(s, c) + weight, to);
        if (c->size == 1)
            continue;
        if (p.size > p.most) {
            put_sliding(s, c, weight, &p, to + width, to + 2 * width);
        } else {
            put_row(s, c->row + 1, weight, 1, to + width);
            put_row(s, c->row + 2, weight, 1, to + 2 * width);
        }
    }
}

/* Gaussian elimination with partial pivoting; the solution comes into `step`. 0 if singular. */
static int solve_equations(struct cones *s, double least)
{
    int n = s->rows, width = n + 1;
    double *m = s->system;
    s->equations++;
    s->work += (uint64_t)n * (uint64_t)n * (uint64_t)n;
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(m[i * width + k]) > fabs(m[pivot * width + k]))
                pivot = i;
        double *top = m + k * width, *other = m + pivot * width;
        if (!(fabs(other[k]) > least))
            return 0;
        for (int j = k; j < width && pivot != k; j++) {
            double held = top[j];
            top[j] = other[j];
            other[j] = held;
        }
        double inverse = 1 / top[k];
        for (int i = k + 1; i < n; i++) {
            double *row = m + i * width, factor = row[k] * inverse;
            for (int j = k + 1; j < width && factor != 0; j++)
                row[j] -= factor * top[j];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        const double *row = m + k * width;
        double sum = row[n];
        for (int j = k + 1; j < n; j++)
            sum -= row[j] * s->step[j];
        s->step[k] = sum / row[k];
    }
    return 1;
}

/* Velocities of the problem W + weight, centred. */
static void set_centred(struct cones *s, double weight, const double *impulse)
{
    set_velocities(s, impulse, s->velocity);
    for (int i = 0; i < s->rows; i++)
        s->velocity[i] += weight * (impulse[i] - s->centre[i]);
}

/* Goes as far along `step` as makes the sum of squares smaller; returns the new sum. */
static double search_line(struct cones *s, double weight, double sum)
{
    double share = 1, now = sum;
    for (int i = 0; i < s->rows; i++)
        s->trial[i] = s->impulse[i];
    for (int k = 0; k <= HALVINGS_MAX; k++, share /= 2) {
        for (int i = 0; i < s->rows; i++)
            s->impulse[i] = s->trial[i] + share * s->step[i];
        set_centred(s, weight, s->impulse);
        now = miss_all(s, weight, s->impulse, s->velocity, s->push);
        s->work += (uint64_t)(2 * s->rows * s->rows);
        if (now < (1 - 1e-4 * share) * sum)
            break;
    }
    for (int i = 0; i < s->rows; i++)
        s->step[i] = s->push[i];
    return now;
}

/* Newton's method on the problem W + weight around `centre`; what is left is in `step`. Returns 1 if it ended. */
static int solve_proximal(struct cones *s, double weight, double mean)
{
    double enough = 0.01 * s->enough * s->enough;
    set_centred(s, weight, s->impulse);
    double sum = miss_all(s, weight, s->impulse, s->velocity, s->step);
    for (int k = 0; k < NEWTON_MAX && sum > enough; k++) {
        fill_equations(s, weight);
        if (!solve_equations(s, PIVOT_MIN * mean))
            return 0;
        sum = search_line(s, weight, sum);
    }
    return sum <= enough;
}

/* Puts impulses onto their cones, which Newton's method leaves by rounding. */
static void put_on_cones(struct cones *s)
{
    for (int i = 0; i < s->count; i++) {
        const struct cone_law *c = &s->laws[i];
        double *l = s->impulse + c->row;
        if (is_inert(s, c) || !(l[0] > 0)) {
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

static int solve_by_equations(struct cones *s)
{
    double mean = 0;
    for (int i = 0; i < s->rows; i++)
        mean += line(s, i)[i] / s->rows;
    double weight = PROXIMAL_FIRST * mean;
    for (int k = 0; k < PROXIMAL_MAX; k++) {
        for (int i = 0; i < s->rows; i++)
            s->centre[i] = s->impulse[i];
        int has_ended = solve_proximal(s, weight, mean);
        put_on_cones(s);
        cones_set_velocities(s);
        if (judge(s, s->enough))
            return 1;
        /* loads that redundant contacts share shift by what is missing / weight a step */
        weight *= has_ended ? PROXIMAL_FALL : PROXIMAL_RISE;
        weight = weight > PROXIMAL_LEAST * mean ? weight : PROXIMAL_LEAST * mean;
        weight = weight < PROXIMAL_MOST * mean ? weight : PROXIMAL_MOST * mean;
    }
    return 0;
}

/* ---------------------------------------------------------------- solving */

static void take_best(struct cones *s)
{
    for (int i = 0; i < s->rows; i++)
        s->impulse[i] = s->best[i];
    cones_set_velocities(s);
}

static int solve(struct cones *s)
{
    s->residual = HUGE_VAL;
    cones_set_velocities(s);
    if (solve_by_sweeps(s))
        return 1;
    take_best(s);
    return solve_by_equations(s);
}

/* Rows that cannot all be pushed out at once would load one another without end: then penetrations are
 * only kept from growing. */
static int stop_push_outs(struct cones *s)
{
    int has_stopped = 0;
    for (int i = 0; i < s->count; i++) {
        struct cone_law *c = &s->laws[i];
        if (c->is_push_out && c->bound > 0)
            c->bound = 0;
        has_stopped |= c->is_push_out;
        c->is_push_out = 0;
    }
    return has_stopped;
}

void cones_solve(struct cones *s)
{
    s->sweeps = s->equations = 0;
    s->residual = 0;
    if (s->rows == 0)
        return;
    for (int i = 0; i < s->count; i++)
        for (int k = 0; k < s->laws[i].size && is_inert(s, &s->laws[i]); k++)
            s->impulse[s->laws[i].row + k] = 0;
    if (solve(s))
        return;
    if (stop_push_outs(s)) {
        for (int i = 0; i < s->rows; i++)
            s->impulse[i] = 0;
        if (solve(s))
            return;
    }
    take_best(s);
}

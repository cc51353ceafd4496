/* See contact_law.h. In the scale of a group, with l = D x and one number of D for each contact:
 *
 *   a = D W D,  g = D (free - bound),  v = g + a x + e (x - centre),  p = xn - vn
 *   0 = xn - max(0, p),  0 = xt - P(xt - vt) onto the disc of radius mu max(0, p)
 *
 * Newton's method (Alart and Curnier 1991) asks how that changes with x. */
#include "simulator/reference/contact_law.h"

#include <math.h>

#include "common/error.h"
#include "common/math/detmath.h"
#include "common/math/islands.h"

/* A solution is one whose contacts miss the law by less, m/s; or by this share of the greatest
 * velocity that is free. */
#define ENOUGH       1e-11
#define ENOUGH_SHARE 1e-13
/* Springs at first and at last, as shares of a's largest row. */
#define SPRING_FIRST 1e-1
#define SPRING_LAST  1e-10
/* Rounds with the last springs. */
enum { PROXIMAL_ROUNDS = 20, PROXIMAL_EQUATIONS = 3 };
/* Newton's method ends at this share of the largest g, or at this share of the impulses. */
enum { NEWTON_EQUATIONS = 20 };
#define NEWTON_ENOUGH 1e-8
#define ROUNDING      1e-16
#define RANK          1e-13
/* A step that is halved must leave this share of it less missing; that which never does is taken
 * by half. */
#define GAIN 0.1
/* Multipliers: relaxation, and rounds of the first try, which double. */
#define RELAXED 1.6
enum { ROUNDS = 50 };

/* Ways down from the first springs to the last, each of which begins at 0. The next one is gone
 * where Newton's method does not end on one; on the last, multipliers lead it on. */
static const struct way {
    double fall;  /* each spring beside the one before */
    int halvings; /* of a step of Newton's method, at most */
    int tries;    /* with multipliers, at each */
} ways[] = {{1e-2, 0, 0}, {1e-1, 0, 0}, {0.3, 0, 0}, {0.6, 0, 0},
            {1e-1, 8, 0}, {1e-2, 0, 6}, {1e-2, 8, 6}};
enum { WAYS = sizeof ways / sizeof ways[0] };

/* ---------------------------------------------------------------- memory */

/* Room for a group of so many rows, and as many contacts at most. */
static int make_room_for_group(struct contact_law *s, int rows)
{
    struct contact_law_group with = {.rows_max = rows + rows / 4};
    struct qr qr;
    size_t n = (size_t)with.rows_max;
    double **lines[] = {&with.scale, &with.g,      &with.x,    &with.y,    &with.z,   &with.slip,
                        &with.right, &with.centre, &with.from, &with.step, &with.best};
    if (rows <= s->group.rows_max)
        return 0;
    with.contacts = arena_take(s->arena, n, sizeof with.contacts[0]);
    with.rows_at = arena_take(s->arena, n, sizeof with.rows_at[0]);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        *lines[i] = arena_take(s->arena, n, sizeof(double));
    with.a = arena_take(s->arena, n * n, sizeof(double));
    with.system = arena_take(s->arena, n * n, sizeof(double));
    if (qr_create(&qr, with.rows_max, with.rows_max, s->arena) != 0)
        return ERR_MEMORY;
    s->group = with;
    s->qr = qr;
    return 0;
}

int law_reserve(struct contact_law *s, int contacts, int rows, struct arena *arena)
{
    ENSURE(contacts >= 0 && rows >= contacts, "%d contacts of %d rows", contacts, rows);
    if (contacts <= s->contacts_max && rows <= s->rows_max)
        return 0;
    struct contact_law with = {.contacts_max =
                                   contacts > s->contacts_max ? contacts : s->contacts_max,
                               .rows_max = rows > s->rows_max ? rows : s->rows_max};
    size_t n = (size_t)with.rows_max;
    with.contacts = arena_take(arena, (size_t)with.contacts_max, sizeof s->contacts[0]);
    with.leaders = arena_take(arena, (size_t)with.contacts_max, sizeof s->leaders[0]);
    with.free = arena_take(arena, n, sizeof(double));
    with.impulse = arena_take(arena, n, sizeof(double));
    with.velocity = arena_take(arena, n, sizeof(double));
    with.w = arena_take(arena, n * (n + 1) / 2, sizeof(double));
    if (arena->is_exhausted)
        return ERR_MEMORY;
    with.arena = arena;
    with.group = s->group;
    with.qr = s->qr;
    *s = with;
    return 0;
}

void contact_law_begin(struct contact_law *s, int contacts, int rows)
{
    ENSURE(contacts <= s->contacts_max && rows <= s->rows_max, "%d contacts, %d rows", contacts,
           rows);
    ENSURE(contacts >= 0 && rows >= contacts, "%d contacts of %d rows", contacts, rows);
    s->count = contacts;
    s->rows = rows;
}

/* ---------------------------------------------------------------- the certificate */

static double length(double a, double b)
{
    return sqrt(a * a + b * b);
}

/* How much of a contact's numbers lies across its normal. */
static double across_of(const struct contact_law_contact *c, const double *l)
{
    return c->size == 3 ? length(l[1], l[2]) : c->size == 2 ? fabs(l[1]) : 0;
}

/* l becomes the nearest point of the cone |lt| <= mu ln. */
static void project(const struct contact_law_contact *c, double *l)
{
    double mu = c->size > 1 ? c->friction : 0, across = across_of(c, l);
    if (l[0] >= 0 && across <= mu * l[0])
        return;
    double n = det_max(0, (l[0] + mu * across) / (1 + mu * mu));
    double share = across > 0 ? mu * n / across : 0;
    l[0] = n;
    for (int k = 1; k < c->size; k++)
        l[k] *= share;
}

/* The greatest of the diagonal of a contact's own part of W. */
static double mobility_of(const struct contact_law *s, const struct contact_law_contact *c)
{
    double most = 0;
    for (int k = c->row; k < c->row + c->size; k++)
        most = det_max(most, contact_law_element(s, k, k));
    return most;
}

double contact_law_miss(const struct contact_law *s, int contact)
{
    ENSURE(contact >= 0 && contact < s->count, "contact %d of %d", contact, s->count);
    const struct contact_law_contact *c = &s->contacts[contact];
    const double *l = s->impulse + c->row, *v = s->velocity + c->row;
    double w = mobility_of(s, c), to[3], sum = 0;
    if (contact_law_is_inert(c) || !(w > 0))
        return 0;
    double slip = c->size > 1 ? c->friction * across_of(c, v) : 0;
    for (int k = 0; k < c->size; k++)
        to[k] = l[k] - (k == 0 ? v[0] - c->bound + slip : v[k]) / w;
    project(c, to);
    for (int k = 0; k < c->size; k++)
        sum += (l[k] - to[k]) * (l[k] - to[k]);
    return w * sqrt(sum);
}

void contact_law_set_velocities(struct contact_law *s)
{
    for (int i = 0; i < s->rows; i++) {
        double sum = s->free[i];
        for (int k = 0; k < s->rows; k++)
            sum += contact_law_element(s, i, k) * s->impulse[k];
        s->velocity[i] = sum;
    }
}

/* ---------------------------------------------------------------- groups */

static int do_touch(const struct contact_law *s, const struct contact_law_contact *a,
                    const struct contact_law_contact *b)
{
    for (int i = a->row; i < a->row + a->size; i++)
        for (int k = b->row; k < b->row + b->size; k++)
            if (contact_law_element(s, i, k) != 0)
                return 1;
    return 0;
}

/* leaders[i]: the first contact of those that i feels, by way of others too. */
static void find_groups(struct contact_law *s)
{
    for (int i = 0; i < s->count; i++) {
        s->leaders[i] = i;
        for (int k = 0; k < i; k++)
            if (islands_root(s->leaders, i) != islands_root(s->leaders, k) &&
                do_touch(s, &s->contacts[i], &s->contacts[k]))
                islands_join(s->leaders, i, k);
    }
    for (int i = 0; i < s->count; i++)
        s->leaders[i] = islands_root(s->leaders, i);
}

/* The contacts of a leader become the group, but for those that nothing can move. ERR_MEMORY where
 * it has no room. */
static int gather(struct contact_law *s, int leader)
{
    struct contact_law_group *g = &s->group;
    int rows = 0;
    for (int i = leader; i < s->count; i++)
        rows += s->leaders[i] == leader ? s->contacts[i].size : 0;
    if (make_room_for_group(s, rows) != 0)
        return ERR_MEMORY;
    g->count = g->rows = 0;
    for (int i = leader; i < s->count; i++) {
        const struct contact_law_contact *c = &s->contacts[i];
        double w = mobility_of(s, c);
        if (s->leaders[i] != leader || contact_law_is_inert(c) || !(w > 0))
            continue;
        struct contact_law_contact *own = &g->contacts[g->count++];
        *own = *c;
        own->row = g->rows;
        for (int k = 0; k < c->size; k++, g->rows++) {
            g->rows_at[g->rows] = c->row + k;
            g->scale[g->rows] = 1 / sqrt(w);
            g->g[g->rows] = (s->free[c->row + k] - (k == 0 ? c->bound : 0)) / sqrt(w);
        }
    }
    for (int i = 0; i < g->rows; i++)
        for (int k = 0; k <= i; k++) {
            double w = contact_law_element(s, g->rows_at[i], g->rows_at[k]);
            g->a[i * g->rows + k] = g->a[k * g->rows + i] = g->scale[i] * g->scale[k] * w;
        }
    return 0;
}

/* The largest sum of a row: no eigenvalue is larger. */
static double largest_row(const struct contact_law_group *g)
{
    double most = 0;
    for (int i = 0; i < g->rows; i++) {
        double sum = 0;
        for (int k = 0; k < g->rows; k++)
            sum += fabs(g->a[i * g->rows + k]);
        most = det_max(most, sum);
    }
    return most;
}

/* ---------------------------------------------------------------- Newton's method */

/* The error of a contact, and its change: by its velocity, and by its impulse beside that. */
struct lack {
    double miss[3], by_velocity[3][3], by_impulse[3][3];
};

/* xt that slides is x - most (x - v) / |x - v|, most = mu p. */
static void set_sliding(struct lack *m, double friction, double most, double a, double b,
                        const double across[2])
{
    double far = length(a, b), ex = a / far, ey = b / far, share = most / far;
    const double by[2][3] = {{friction * ex, share * ey * ey, -share * ex * ey},
                             {friction * ey, -share * ex * ey, share * ex * ex}};
    m->miss[1] = across[0] - most * ex;
    m->miss[2] = across[1] - most * ey;
    for (int k = 0; k < 2; k++)
        for (int j = 0; j < 3; j++) {
            m->by_velocity[k + 1][j] = by[k][j];
            m->by_impulse[k + 1][j] -= by[k][j];
        }
}

static struct lack lack_of(const struct contact_law_contact *c, const double *x, const double *v)
{
    struct lack m = {.by_impulse = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    double p = x[0] - v[0];
    for (int k = 0; k < c->size; k++)
        m.miss[k] = x[k];
    if (!(p > 0))
        return m;
    int stuck = 1;
    if (c->size > 1 && c->friction > 0) {
        const double across[2] = {x[1], c->size == 3 ? x[2] : 0};
        double a = x[1] - v[1], b = c->size == 3 ? x[2] - v[2] : 0, most = c->friction * p;
        if (length(a, b) <= most)
            stuck = c->size;
        else
            set_sliding(&m, c->friction, most, a, b, across);
    }
    for (int k = 0; k < stuck; k++) {
        m.miss[k] = v[k];
        m.by_velocity[k][k] = 1;
        m.by_impulse[k][k] = 0;
    }
    return m;
}

/* y becomes v at x. */
static void set_velocities(struct contact_law_group *g, double e)
{
    for (int i = 0; i < g->rows; i++) {
        g->y[i] = g->g[i] + e * (g->x[i] - g->centre[i]);
        for (int k = 0; k < g->rows; k++)
            g->y[i] += g->a[i * g->rows + k] * g->x[k];
    }
}

/* The equations of a step; returns the greatest that x lacks. */
static double set_newton(struct contact_law_group *g, double e)
{
    double worst = 0;
    int n = g->rows;
    set_velocities(g, e);
    for (int i = 0; i < g->count; i++) {
        const struct contact_law_contact *c = &g->contacts[i];
        struct lack m = lack_of(c, g->x + c->row, g->y + c->row);
        for (int k = 0; k < c->size; k++) {
            double *to = g->system + (c->row + k) * n;
            for (int j = 0; j < n; j++)
                to[j] = 0;
            for (int t = 0; t < c->size; t++) {
                for (int j = 0; j < n; j++)
                    to[j] += m.by_velocity[k][t] * g->a[(c->row + t) * n + j];
                to[c->row + t] += m.by_impulse[k][t] + e * m.by_velocity[k][t];
            }
            g->right[c->row + k] = -m.miss[k];
            worst = det_max(worst, fabs(m.miss[k]));
        }
    }
    return worst;
}

static double greatest(const double *a, int count)
{
    double most = 0;
    for (int i = 0; i < count; i++)
        most = det_max(most, fabs(a[i]));
    return most;
}

/* x moves by a share of a step from where it was. */
static void move(struct contact_law_group *g, double share)
{
    for (int i = 0; i < g->rows; i++)
        g->x[i] = g->from[i] + share * g->step[i];
}

/* Newton's step for the equations that stand, halved until less is missing. */
static void take_step(struct contact_law *s, double e, double worst, int halvings)
{
    struct contact_law_group *g = &s->group;
    qr_factor(&s->qr, g->system, g->rows, g->rows, RANK);
    qr_solve(&s->qr, g->right, g->step);
    for (int i = 0; i < g->rows; i++)
        g->from[i] = g->x[i];
    move(g, 1);
    double share = 1;
    for (int k = 0; k < halvings && !(set_newton(g, e) < (1 - GAIN * share) * worst); k++)
        move(g, share = k + 1 < halvings ? share / 2 : 0.5);
}

/* From x on; 1 if it ended. */
static int iterate(struct contact_law *s, double e, double enough, int equations, int halvings)
{
    struct contact_law_group *g = &s->group;
    for (int k = 0; k < equations; k++) {
        double worst = set_newton(g, e);
        if (worst <= enough + ROUNDING * greatest(g->x, g->rows))
            return 1;
        if (!isfinite(worst))
            return 0;
        take_step(s, e, worst, halvings);
    }
    return 0;
}

/* ---------------------------------------------------------------- multipliers */

/* The lower half of the system becomes L, L L' = a + raised; 0 where that is not positive. */
static int factor(struct contact_law_group *g, double raised)
{
    int n = g->rows;
    for (int i = 0; i < n; i++)
        for (int k = 0; k <= i; k++) {
            double *l = g->system + i * n, *m = g->system + k * n;
            double sum = g->a[i * n + k] + (i == k ? raised : 0);
            for (int j = 0; j < k; j++)
                sum -= l[j] * m[j];
            if (i == k && !(sum > 0))
                return 0;
            l[k] = i == k ? sqrt(sum) : sum / m[k];
        }
    return 1;
}

static void solve_factored(const struct contact_law_group *g, double *b)
{
    int n = g->rows;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++)
            b[i] -= g->system[i * n + k] * b[k];
        b[i] /= g->system[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        b[i] /= g->system[i * n + i];
        for (int k = 0; k < i; k++)
            b[k] -= g->system[i * n + k] * b[i];
    }
}

/* z goes onto the cone, and y takes what that leaves. */
static void pull_to_cone(struct contact_law_group *g, const struct contact_law_contact *c, double r)
{
    double held[3], to[3];
    for (int k = 0; k < c->size; k++) {
        int i = c->row + k;
        held[k] = RELAXED * g->x[i] + (1 - RELAXED) * g->z[i];
        to[k] = held[k] + g->y[i] / r;
    }
    project(c, to);
    for (int k = 0; k < c->size; k++) {
        g->y[c->row + k] += r * (held[k] - to[k]);
        g->z[c->row + k] = to[k];
    }
}

/* (a + r + e) x = -(g + slip) + r z - y + e centre, z = P_K(x + y / r), y = y + r (x - z), where
 * y ends as -(v + slip). From x on. */
static void go_round(struct contact_law *s, double e, double r, int rounds)
{
    struct contact_law_group *g = &s->group;
    if (!factor(g, r + e))
        return;
    set_velocities(g, e);
    for (int i = 0; i < g->rows; i++) {
        g->z[i] = g->x[i];
        g->y[i] = -g->y[i];
        g->slip[i] = 0;
    }
    for (int n = 0; n < rounds; n++) {
        for (int i = 0; i < g->count; i++) {
            const struct contact_law_contact *c = &g->contacts[i];
            if (c->size > 1)
                g->slip[c->row] = c->friction * across_of(c, g->y + c->row);
        }
        for (int i = 0; i < g->rows; i++)
            g->x[i] = -g->g[i] - g->slip[i] + r * g->z[i] - g->y[i] + e * g->centre[i];
        solve_factored(g, g->x);
        for (int i = 0; i < g->count; i++)
            pull_to_cone(g, &g->contacts[i], r);
    }
    for (int i = 0; i < g->rows; i++)
        g->x[i] = g->z[i];
}

/* ---------------------------------------------------------------- solution */

/* The group's impulses: those of x with friction within its cone. */
static void set_impulses(struct contact_law *s)
{
    const struct contact_law_group *g = &s->group;
    for (int i = 0; i < g->count; i++) {
        const struct contact_law_contact *c = &g->contacts[i];
        double normal = det_max(g->x[c->row], 0), most = c->friction * normal;
        double across = across_of(c, g->x + c->row);
        double share = across > most ? most / across : 1;
        for (int k = 0; k < c->size; k++) {
            int row = c->row + k;
            s->impulse[g->rows_at[row]] = g->scale[row] * (k == 0 ? normal : share * g->x[row]);
        }
    }
}

/* Velocities of the group alone; the worst miss of its contacts. */
static double judge(struct contact_law *s, int leader)
{
    const struct contact_law_group *g = &s->group;
    double worst = 0;
    for (int i = 0; i < g->rows; i++) {
        double sum = 0;
        for (int k = 0; k < g->rows; k++)
            sum += g->a[i * g->rows + k] * s->impulse[g->rows_at[k]] / g->scale[k];
        s->velocity[g->rows_at[i]] = s->free[g->rows_at[i]] + sum / g->scale[i];
    }
    for (int i = leader; i < s->count; i++)
        if (s->leaders[i] == leader)
            worst = det_max(worst, contact_law_miss(s, i));
    return worst;
}

/* Keeps the impulses of x if they are the best; 1 if those are a solution. */
static int is_solved(struct contact_law *s, int leader, double enough)
{
    const struct contact_law_group *g = &s->group;
    set_impulses(s);
    double miss = judge(s, leader);
    if (miss < s->best_residual) {
        s->best_residual = miss;
        for (int i = 0; i < g->rows; i++)
            s->group.best[i] = s->impulse[g->rows_at[i]];
    }
    return s->best_residual <= enough;
}

/* The solution with springs of e, from x on; 0 if it was not found. */
static int solve_with_springs(struct contact_law *s, const struct way *way, double e, double most,
                              double enough)
{
    struct contact_law_group *g = &s->group;
    int has_ended = iterate(s, e * most, enough, NEWTON_EQUATIONS, way->halvings);
    for (int k = 0; k < way->tries && !has_ended; k++) {
        for (int i = 0; i < g->rows; i++)
            if (k == 0 || !isfinite(g->x[i]))
                g->x[i] = s->group.best[i] / g->scale[i];
        go_round(s, e * most, most * det_pow(0.1, 1 + k % 4), ROUNDS << k);
        has_ended = iterate(s, e * most, enough, NEWTON_EQUATIONS, way->halvings);
    }
    return has_ended;
}

/* Returns 1 if that leads to a solution. */
static int go_way(struct contact_law *s, const struct way *way, int leader, double enough)
{
    struct contact_law_group *g = &s->group;
    double size = greatest(g->g, g->rows), most = largest_row(g);
    int is_done = 0;
    for (int i = 0; i < g->rows; i++)
        g->x[i] = g->centre[i] = 0;
    for (double e = SPRING_FIRST; !is_done && e > 2 * SPRING_LAST; e *= way->fall) {
        if (!solve_with_springs(s, way, e, most, NEWTON_ENOUGH * size) && way->tries == 0)
            return 0;
        is_done = is_solved(s, leader, enough);
    }
    for (int k = 0; k < PROXIMAL_ROUNDS && !is_done; k++) {
        for (int i = 0; i < g->rows; i++)
            g->centre[i] = g->x[i];
        iterate(s, SPRING_LAST * most, 0, PROXIMAL_EQUATIONS, way->halvings);
        is_done = is_solved(s, leader, enough);
    }
    return is_done;
}

static int solve_group(struct contact_law *s, int leader, double enough)
{
    struct contact_law_group *g = &s->group;
    if (gather(s, leader) != 0)
        return ERR_MEMORY;
    for (int i = 0; i < g->rows; i++)
        g->x[i] = 0;
    s->best_residual = HUGE_VAL;
    int is_done = is_solved(s, leader, enough);
    for (int k = 0; k < WAYS && !is_done; k++)
        is_done = go_way(s, &ways[k], leader, enough);
    for (int i = 0; i < g->rows; i++)
        s->impulse[g->rows_at[i]] = g->best[i];
    return 0;
}

/* Checks the caller's input. */
static void check(const struct contact_law *s)
{
    for (int i = 0; i < s->count; i++) {
        const struct contact_law_contact *c = &s->contacts[i];
        ENSURE(c->size >= 1 && c->size <= 3, "contact %d has %d rows", i, c->size);
        ENSURE(c->row >= 0 && c->row + c->size <= s->rows, "contact %d: row %d of %d", i, c->row,
               s->rows);
        ENSURE(c->size == 1 || c->friction >= 0, "contact %d: friction %g", i, c->friction);
    }
}

void contact_law_solve(struct contact_law *s)
{
    check(s);
    double enough = det_max(ENOUGH, ENOUGH_SHARE * greatest(s->free, s->rows));
    int is_complete = 1;
    for (int i = 0; i < s->rows; i++)
        s->impulse[i] = 0;
    find_groups(s);
    for (int i = 0; i < s->count; i++)
        if (s->leaders[i] == i)
            is_complete &= solve_group(s, i, enough) == 0;
    contact_law_set_velocities(s);
    s->residual = is_complete ? 0 : HUGE_VAL;
    for (int i = 0; i < s->count; i++)
        s->residual = det_max(s->residual, contact_law_miss(s, i));
}

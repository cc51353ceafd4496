/* Newton's method on the projections that the laws of contact_solver.h are, in a proximal step.
 *
 * Newton's steps are taken whole. A line search on the sum of squares of what the projections leave
 * was tried: it gets stuck where laws open and close, and takes half again as many systems. */
#include "simulator/contact/contact_solver_private.h"

/* Newton's steps of a proximal step at most. It has ended when the sum of squares of what is
 * missing is this share of what it was. */
#define NEWTON_MAX     8
#define PROXIMAL_ENDED 1e-2

/* Newton's step of one law, where its velocity is to change by dv, on the problem W + weight with
 * the velocities v = free + W l + weight (l - centre), whose normal ones are less the bound here.
 * With n and t the diagonals of W + weight:
 *
 *   opens,   n ln <= vn:                        dl = -l
 *   sticks,  |z| <= mu t / n (n ln - vn):       dv + weight dl = -v,   with z = t lt - vt
 *   slides:  lt = share z / t, where share = mu (t / n) (n ln - vn) / |z|. With e = z / |z|, f
 *            across e and what the tangents miss, t lt - share z:
 *            dvn + weight dln = -vn,   e.dlt = mu (dln + vn / n) - e.miss / t,
 *            share (f.dvt + weight f.dlt) + (1 - share) t f.dlt = -f.miss
 *
 * so that dl = given - D dv with
 *
 *   D = pull (1, slip e) (1, 0)' + stick (0, 1) (0, 1)' + slide (0, f) (0, f)'.
 *
 * held: it opens, sticks or slides as it did when these were found, in the same direction; NULL:
 * as it does now. Returns the square of what is missing. */
static inline double set_yielding(struct contact_solver *s, int law, double weight, double pull,
                                  const struct cone_yielding *held, struct cone_yielding *y)
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
    if (held ? held->pull == 0 : !(pressing > 0)) {
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
    if (held ? held->stick > 0 : square <= most * most) {
        y->stick = y->pull;
        y->given[1] = -v[1] * y->stick;
        y->given[2] = -v[2] * y->stick;
        return v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    }
    double inverse = 1 / sqrt(square), share = square > most * most ? most * inverse : 1;
    double one = t * l[1] - share * x, two = t * l[2] - share * z;
    y->ex = held ? held->ex : x * inverse;
    y->ey = held ? held->ey : z * inverse;
    y->slip = c->friction;
    y->across = held ? held->across : share * weight + (1 - share) * t;
    y->slide = share / y->across;
    double by_e = c->friction * (y->given[0] + v[0] / n) - (y->ex * one + y->ey * two) / t;
    double by_f = -(y->ex * two - y->ey * one) / y->across;
    y->given[1] = by_e * y->ex - by_f * y->ey;
    y->given[2] = by_e * y->ey + by_f * y->ex;
    return v[0] * v[0] + one * one + two * two;
}

/* Sets how each law yields in the state it is in now. Returns the sum of the squares of what is
 * missing. */
static double set_yields(struct contact_solver *s, double weight)
{
    double sum = 0, pull = 1 / weight;
    for (int i = 0; i < s->group.count; i++)
        sum += set_yielding(s, s->group.laws[i], weight, pull, NULL,
                            &s->yields_next[s->group.laws[i]]);
    return sum;
}

/* dl = given - D dv of a law. Where the system is one of lines, D takes their shares of dv, which
 * are exacter than dv, the difference of large numbers; returns where those of the next law
 * begin. */
static const double *change_impulse(const struct cone_yielding *d, int size, const double dv[3],
                                    const double *shares, double *l)
{
    double along[3] = {dv[0], 0, 0}, across = 0;
    if (size == 3 && d->stick > 0) {
        along[1] = dv[1];
        along[2] = dv[2];
    } else if (size == 3) {
        across = d->ex * dv[2] - d->ey * dv[1];
    }
    if (shares && d->pull > 0) {
        along[0] = *shares++;
        if (d->slip > 0)
            across = *shares++;
        for (int k = 1; k < 3 && d->stick > 0; k++)
            along[k] = *shares++;
    }
    double pull = d->pull * along[0], slip = d->slip * pull, slide = d->slide * across;
    l[0] += d->given[0] - pull;
    if (size == 3) {
        l[1] += d->given[1] - (slip * d->ex + d->stick * along[1] - slide * d->ey);
        l[2] += d->given[2] - (slip * d->ey + d->stick * along[2] + slide * d->ex);
    }
    return shares;
}

/* Newton's step from the impulses that stand, by what laws are to give and how they yield. With x =
 * Y' dl, dv = Y x and dl = given - D dv it is found in the columns:
 *
 *   (1 + Y' D Y) x = Y' given
 *
 * Changes impulses and velocities. */
static void take_step(struct contact_solver *s)
{
    const struct cone_group *g = &s->group;
    double *x = s->right;
    clear_columns(s, x);
    for (int i = 0; i < g->count; i++)
        add_law(s, law_of(s, i), s->yields[g->laws[i]].given, x);
    contact_solver_solve_system(s, x + g->from);
    const double *shares = s->is_of_lines ? s->shares : NULL;
    for (int i = 0; i < g->count; i++) {
        const struct cone_law *c = law_of(s, i);
        double dv[3], *v = s->velocity + c->row;
        multiply_law(s, c, x, dv);
        for (int k = 0; k < c->size; k++)
            v[k] += dv[k];
        shares = change_impulse(&s->yields[g->laws[i]], c->size, dv, shares, s->impulse + c->row);
    }
}

static void set_centre(struct contact_solver *s)
{
    for (int i = 0; i < s->group.count; i++)
        for (int k = law_of(s, i)->row; k < law_of(s, i)->row + law_of(s, i)->size; k++)
            s->centre[k] = s->impulse[k];
}

int contact_solver_solve_proximal(struct contact_solver *s, double weight)
{
    double first = 0, least = s->enough * s->enough;
    set_centre(s);
    for (int k = 0; k <= NEWTON_MAX; k++) {
        double sum = set_yields(s, weight);
        first = k == 0 ? sum : first;
        if (k > 0 && (sum <= PROXIMAL_ENDED * first || sum <= 0.01 * least))
            return 1;
        if (k > 0 && sum <= 100 * least && worst_miss(s) <= 0.5 * s->enough)
            return 1;
        if (k == NEWTON_MAX)
            break;
        struct cone_yielding *held = s->yields;
        s->yields = s->yields_next;
        s->yields_next = held;
        if (!contact_solver_set_system(s))
            return 0;
        take_step(s);
    }
    return 0;
}

void contact_solver_repeat_proximal(struct contact_solver *s, double weight)
{
    double pull = 1 / weight;
    set_centre(s);
    for (int i = 0; i < s->group.count; i++) {
        int law = s->group.laws[i];
        struct cone_yielding *held = &s->yields[law], *now = &s->yields_next[law];
        set_yielding(s, law, weight, pull, held, now);
        for (int k = 0; k < s->laws[law].size; k++)
            held->given[k] = now->given[k];
    }
    take_step(s);
}

/* See constraint.h. The touches alone: the joints are eliminated, so that forces or impulses of the
 * touches found, and the accelerations or velocities of their rows, are bound by one small matrix
 * W. It is solved by sweeps, and from their guess of what acts exactly, by least squares. */
#include <math.h>

#include "simulator/reference/plane/constraint.h"

/* Rows are divided by this at least. */
#define LEAST_INVERSE 1e-300
/* Sweeps before an exact solution is tried; smaller changes count as 0, as shares of the largest
 * value asked for. */
#define SWEEPS_FIRST 50
#define SWEEP_SHARE  1e-13
/* Changes of states at most for an exact solution; its errors; those of redundant rows, which agree
 * only as well as the state does; errors of what is wedged, and of what diverges. */
#define STATE_CHANGES  30
#define STATE_SHARE    1e-9
#define HOLD_SHARE     1e-4
#define WEDGED_SHARE   1e-3
#define DIVERGED_SHARE 1e6
/* Rows less mobile than this, compared with the whole body pushed at its centre, are left alone. */
#define ROW_MOBILITY 1e-6

/* Response of all velocities to a unit force along a row, the joints holding, and of the forces of
 * prescribed motions. Needs joints_qr. */
static void respond(struct constraint *c, const struct row *row, double *x, double *motion)
{
    for (int i = 0; i < 3 * c->links; i++)
        x[i] = 0;
    system_push(c, row, 1, x);
    for (int i = 0; i < c->joints; i++)
        c->right[i] = -c->scale[i] * system_row_rate(&c->rows[i], x);
    qr_solve(&c->joints_qr, c->right, c->right);
    for (int i = 0; i < c->joints; i++)
        system_push(c, &c->rows[i], c->scale[i] * c->right[i], x);
    for (int i = c->links - 1, at = c->joints; i > 0 && c->has_motions; i--)
        if (system_has_motion(c, i)) {
            at--;
            motion[i] = c->scale[at] * c->right[at];
        }
}

double system_joint_inertia(struct constraint *c, int link)
{
    struct touch limit = {.part = -1, .a = link, .b = c->bodies[link].parent, .side = 1};
    touch_update(c, &limit);
    system_push_along_itself(&limit.rows[0]);
    system_set_joint_rows(c);
    system_factor_gamma(c, c->joints, &c->joints_qr);
    respond(c, &limit.rows[0], c->reduced.x, c->reduced.motion);
    return 1 / system_row_rate(&limit.rows[0], c->reduced.x);
}

/* X and W of found[], at the placed state. */
void reduced_build(struct constraint *c)
{
    struct reduced *r = &c->reduced;
    int width = 3 * c->links, count = 0;
    system_set_joint_rows(c);
    system_factor_gamma(c, c->joints, &c->joints_qr);
    for (int i = 0; i < c->found_count; i++)
        for (int k = 0; k < touch_row_count(&c->found[i]); k++, count++) {
            system_push_along_itself(&c->found[i].rows[k]);
            r->friction[count] = touch_friction(c, &c->found[i]);
            respond(c, &c->found[i].rows[k], r->x + count * width, r->motion + count * c->links);
        }
    r->count = count;
    int row = 0;
    c->stiff_count = 0;
    for (int i = 0; i < c->found_count; i++)
        for (int k = 0; k < touch_row_count(&c->found[i]); k++, row++) {
            for (int j = 0; j < count; j++)
                r->w[row * count + j] = system_row_rate(&c->found[i].rows[k], r->x + j * width);
            r->is_stiff[row] = !(r->w[row * count + row] * c->mass_kg > ROW_MOBILITY);
            if (k == 0 && r->is_stiff[row])
                c->stiff[c->stiff_count++] = c->found[i].key;
        }
}

int system_is_stiff(const struct constraint *c, int key)
{
    for (int i = 0; i < c->stiff_count; i++)
        if (c->stiff[i] == key)
            return 1;
    return 0;
}

/* Changes one impulse and all values with it; returns the change of its own value. */
static double change_impulse(struct reduced *r, int row, double to)
{
    double change = to - r->impulse[row];
    if (change == 0)
        return 0;
    r->impulse[row] = to;
    for (int i = 0; i < r->count; i++)
        r->value[i] += r->w[i * r->count + row] * change;
    return fabs(r->w[row * r->count + row] * change);
}

/* One projected Gauss-Seidel sweep; returns the largest change. */
static double sweep(struct constraint *c)
{
    struct reduced *r = &c->reduced;
    double largest = 0;
    int row = 0;
    for (int i = 0; i < c->found_count; i++) {
        int n = row, t = row + 1, is_limit = c->found[i].part < 0;
        row += is_limit ? 1 : 2;
        double own = fmax(r->w[n * r->count + n], LEAST_INVERSE);
        double to = r->impulse[n] + (r->target[n] - r->value[n]) / own;
        largest = fmax(largest, change_impulse(r, n, !r->is_stiff[n] && to > 0 ? to : 0));
        if (is_limit)
            continue;
        double most = r->friction[n] * r->impulse[n];
        own = fmax(r->w[t * r->count + t], LEAST_INVERSE);
        to = r->impulse[t] + (r->target[t] - r->value[t]) / own;
        to = to > most ? most : to < -most ? -most : to;
        if (r->slide[t] != 0)
            to = -r->slide[t] * most;
        largest = fmax(largest, change_impulse(r, t, r->is_stiff[t] ? 0 : to));
    }
    return largest;
}

/* Largest change of the last sweep, as a share of the largest value asked for. */
static double sweep_impulses(struct constraint *c, int sweeps, double share)
{
    struct reduced *r = &c->reduced;
    double change = 0, largest = 1e-12;
    for (int i = 0; i < r->count; i++) {
        r->impulse[i] = 0;
        r->value[i] = r->free[i];
        largest = fmax(largest, fabs(r->target[i] - r->free[i]));
    }
    for (int i = 0; i < sweeps; i++) {
        change = sweep(c);
        if (change <= share * largest || change > DIVERGED_SHARE * largest)
            break;
    }
    return change / largest;
}

/* Which rows of found[] act, as a guess: normal rows hold their target or are free, tangent rows
 * hold theirs or slide. */
enum { ROW_FREE, ROW_HOLDS };

/* Reads a guess off the impulses. */
static void guess_states(struct constraint *c)
{
    struct reduced *r = &c->reduced;
    int row = 0;
    for (int i = 0; i < c->found_count; i++) {
        int n = row, t = row + 1;
        row += touch_row_count(&c->found[i]);
        r->state[n] = r->impulse[n] > 0 ? ROW_HOLDS : ROW_FREE;
        if (c->found[i].part < 0)
            continue;
        double most = r->friction[n] * r->impulse[n];
        int is_sliding = r->slide[t] != 0 || fabs(r->impulse[t]) >= most * (1 - 1e-9);
        r->state[t] = is_sliding ? ROW_FREE : ROW_HOLDS;
        r->direction[t] = r->slide[t] != 0 ? r->slide[t] : r->impulse[t] > 0 ? -1 : 1;
        if (r->is_stiff[t]) {
            r->state[t] = ROW_FREE;
            r->direction[t] = 0;
        }
    }
}

/* Change of row i's value by a unit of row j's impulse, sliding friction going with it. */
static double state_response(const struct constraint *c, int i, int j, int has_tangent)
{
    const struct reduced *r = &c->reduced;
    double response = r->w[i * r->count + j];
    if (has_tangent && r->state[j + 1] == ROW_FREE)
        response -= r->direction[j + 1] * r->friction[j] * r->w[i * r->count + j + 1];
    return response;
}

/* Impulses that make all rows hold which the states say, those nearest to `reference`; values
 * too. */
static void solve_states(struct constraint *c, const double *reference)
{
    struct reduced *r = &c->reduced;
    int count = 0;
    for (int i = 0, row = 0; i < c->found_count; i++) {
        int is_limit = c->found[i].part < 0, is_on = r->state[row] == ROW_HOLDS;
        if (is_on)
            r->unknown[count++] = row;
        if (!is_limit && is_on && r->state[row + 1] == ROW_HOLDS)
            r->unknown[count++] = row + 1;
        r->is_normal[row] = 1 + !is_limit;
        if (!is_limit)
            r->is_normal[row + 1] = 0;
        row += is_limit ? 1 : 2;
    }
    for (int i = 0; i < count; i++) {
        int at = r->unknown[i];
        c->scale[i] = 1 / sqrt(fmax(r->w[at * r->count + at], LEAST_INVERSE));
    }
    for (int i = 0; i < count; i++) {
        double sum = r->target[r->unknown[i]] - r->free[r->unknown[i]];
        for (int j = 0; j < count; j++) {
            int to = r->unknown[j];
            double response = state_response(c, r->unknown[i], to, r->is_normal[to] == 2);
            c->gamma[i * count + j] = c->scale[i] * c->scale[j] * response;
            sum -= response * reference[to];
        }
        c->right[i] = c->scale[i] * sum;
    }
    system_count_equations(c, count);
    qr_factor(&c->qr, c->gamma, count, count, RANK_TOLERANCE);
    qr_solve(&c->qr, c->right, c->right);
    for (int i = 0; i < r->count; i++)
        r->impulse[i] = 0;
    for (int i = 0; i < count; i++) {
        int at = r->unknown[i];
        r->impulse[at] = reference[at] + c->scale[i] * c->right[i];
        if (r->is_normal[at] == 2 && r->state[at + 1] == ROW_FREE)
            r->impulse[at + 1] = -r->direction[at + 1] * r->friction[at] * r->impulse[at];
    }
    for (int i = 0; i < r->count; i++) {
        r->value[i] = r->free[i];
        for (int j = 0; j < r->count; j++)
            r->value[i] += r->w[i * r->count + j] * r->impulse[j];
    }
}

/* Puts right the states that the impulses show to be wrong, by more than `error` in a value: only
 * the first where is_one. Returns how many were wrong; -1 if rows that shall hold do not. */
static int mend_states(struct constraint *c, double error, int is_one)
{
    struct reduced *r = &c->reduced;
    int wrong = 0, row = 0;
    for (int i = 0; i < c->found_count && !(is_one && wrong); i++) {
        int n = row, t = row + 1, is_limit = c->found[i].part < 0;
        row += is_limit ? 1 : 2;
        double own = r->w[n * r->count + n], off = r->value[n] - r->target[n];
        if (r->state[n] == ROW_FREE) {
            if (off < -error && !r->is_stiff[n]) {
                r->state[n] = ROW_HOLDS;
                wrong++;
            }
            continue;
        }
        if (r->impulse[n] * own < -error) {
            r->state[n] = ROW_FREE;
            wrong++;
            continue;
        }
        if (!(fabs(off) <= error / STATE_SHARE * HOLD_SHARE))
            return -1;
        if (is_limit || r->slide[t] != 0 || r->is_stiff[t])
            continue;
        own = r->w[t * r->count + t];
        off = r->value[t] - r->target[t];
        if (r->state[t] == ROW_HOLDS) {
            if ((fabs(r->impulse[t]) - r->friction[n] * r->impulse[n]) * own > error) {
                r->state[t] = ROW_FREE;
                r->direction[t] = r->impulse[t] > 0 ? -1 : 1;
                wrong++;
            } else if (!(fabs(off) <= error / STATE_SHARE * HOLD_SHARE)) {
                return -1;
            }
        } else if (off * r->direction[t] < -error) {
            r->state[t] = ROW_HOLDS;
            wrong++;
        }
    }
    return wrong;
}

/* From the impulses of the sweeps to exact ones. Returns 0, or 1 if no consistent states are
 * found. */
static int solve_exactly(struct constraint *c)
{
    struct reduced *r = &c->reduced;
    double largest = 1e-12;
    for (int i = 0; i < r->count; i++) {
        r->sweep_impulse[i] = r->impulse[i];
        largest = fmax(largest, fabs(r->target[i] - r->free[i]));
    }
    guess_states(c);
    for (int i = 0; i < STATE_CHANGES; i++) {
        solve_states(c, r->sweep_impulse);
        int wrong = mend_states(c, STATE_SHARE * largest, i >= STATE_CHANGES / 3);
        if (wrong < 0)
            return 1;
        if (wrong == 0)
            return 0;
    }
    return 1;
}

/* Sweeps; rows that cannot all be pushed out at once would load one another without end: then they
 * are only kept from going deeper. Returns 0, or 1 where even that has no end. */
int reduced_sweep(struct constraint *c, int sweeps, double share)
{
    struct reduced *r = &c->reduced;
    if (sweep_impulses(c, sweeps, share) < WEDGED_SHARE)
        return 0;
    for (int i = 0; i < r->count; i++)
        r->target[i] = r->target[i] > 0 ? 0 : r->target[i];
    return !(sweep_impulses(c, sweeps, share) < WEDGED_SHARE);
}

/* Forces or impulses that obey everything. Returns 0, or 1 if it finds no such forces. */
int reduced_solve(struct constraint *c)
{
    double change = 1;
    for (int sweeps = SWEEPS_FIRST; sweeps <= SWEEPS; sweeps *= 20) {
        change = sweep_impulses(c, sweeps, SWEEP_SHARE);
        if (change <= SWEEP_SHARE || solve_exactly(c) == 0)
            return 0;
    }
    change = sweep_impulses(c, SWEEPS, SWEEP_SHARE);
    return !(change < WEDGED_SHARE);
}

/* See constraint.h. Impacts, steps by impulses, and the books of what touches do. */
#include <math.h>

#include "simulator/reference/plane/constraint.h"

/* Share of the depth that is pushed out in a step by impulses. */
#define PUSH_OUT_SHARE 0.2
/* Sweeps at most, and what counts as 0: steps by impulses are of first order anyway. */
#define STEP_SWEEPS      200
#define STEP_SWEEP_SHARE 1e-9
/* An impact gains energy if it gains more than this share of what it passes on: less is
 * rounding. */
#define GAIN_SHARE 1e-9
/* Two rows are independent if an impulse of one moves the other by less than this share of what it
 * moves itself. */
#define COUPLED_SHARE 1e-12

static void add_mark(struct constraint *c, const struct touch *t, const double impulse[2])
{
    int at = 0;
    while (at < c->mark_count && c->marks[at].key != t->key)
        at++;
    if (t->part < 0)
        return;
    if (at == c->mark_room) {
        arena_refuse(c->arena);
        return;
    }
    struct mark *mark = &c->marks[at];
    if (at == c->mark_count)
        c->marks[c->mark_count++] = (struct mark){
            .key = t->key,
            .point = {.part = t->part, .other_creature = t->other < 0 ? -1 : 0, .other = t->other}};
    mark->point.at = vec3_of_plane(t->at);
    mark->point.normal = vec3_of_plane(t->normal);
    mark->point.gap_m = t->rows[0].deviation;
    mark->point.normal_impulse_n_s += impulse[0];
    mark->point.friction_impulse_n_s += impulse[1];
}

void system_book_touch(struct constraint *c, const struct touch *t, const double impulse[2],
                       const double work[2], int is_impact)
{
    struct ledger *l = &c->ledger;
    double sum = work[0] + work[1];
    add_mark(c, t, impulse);
    if (sum > 0) {
        if (t->part < 0)
            l->gain_limit_j += sum;
        else if (is_impact)
            l->gain_impact_j += sum;
        else
            l->gain_push_out_j += sum;
    } else if (t->part < 0) {
        l->loss_limit_j -= sum;
    } else if (work[0] > 0) {
        l->loss_friction_j -= sum;
    } else if (work[1] > 0) {
        l->loss_impact_j -= sum;
    } else {
        l->loss_impact_j -= work[0];
        l->loss_friction_j -= work[1];
    }
}

/* Work of one row of found[]: impulse times the mean of the velocities before and after,
 * exactly. */
static double impulse_work(const struct reduced *r, const double *before, int row)
{
    return r->impulse[row] * (before[row] + r->value[row]) / 2;
}

/* What a prescribed motion keeps up against the impulses: its rate does not change. */
static void book_motion(struct constraint *c, int link)
{
    const struct reduced *r = &c->reduced;
    const struct servo *servo = &c->servos[link];
    double impulse = 0;
    for (int i = 0; i < r->count; i++)
        impulse += r->motion[i * c->links + link] * r->impulse[i];
    c->effector_work[link] += impulse * signal_at(servo->signal, servo->time_s + c->ahead_s).rate;
}

/* Velocities in y after the impulses, and the ledger. `before` holds the rows' velocities before.
 * Impulses that act together pass energy from one contact to another (a limb that lands swings the
 * next one up): gains and losses are set off in proportion. */
static void apply_impulses(struct constraint *c, const double *before, int is_impact)
{
    struct reduced *r = &c->reduced;
    int width = 3 * c->links;
    double *v = c->y + width, gains = 0, losses = 0;
    for (int i = 0; i < r->count; i++)
        for (int k = 0; k < width && r->impulse[i] != 0; k++)
            v[k] += r->x[i * width + k] * r->impulse[i];
    for (int i = 1; i < c->links && c->has_motions; i++)
        if (system_has_motion(c, i))
            book_motion(c, i);
    for (int i = 0, row = 0; i < c->found_count; i++) {
        double work = 0;
        for (int k = 0; k < touch_row_count(&c->found[i]); k++, row++)
            work += impulse_work(r, before, row);
        gains += work > 0 ? work : 0;
        losses -= work < 0 ? work : 0;
    }
    double share_gains = gains > losses ? (gains - losses) / gains : 0;
    double share_losses = losses > gains ? (losses - gains) / losses : 0;
    for (int i = 0, row = 0; i < c->found_count; i++) {
        double impulse[2] = {0, 0}, work[2] = {0, 0};
        for (int k = 0; k < touch_row_count(&c->found[i]); k++, row++) {
            impulse[k] = r->impulse[row];
            work[k] = impulse_work(r, before, row);
        }
        double share = work[0] + work[1] > 0 ? share_gains : share_losses;
        for (int k = 0; k < 2; k++)
            work[k] *= share;
        if (impulse[0] > 0)
            system_book_touch(c, &c->found[i], impulse, work, is_impact);
    }
}

/* Whether two touches that press move one another. */
static int are_coupled(const struct reduced *r, int row, int rows, int other, int others)
{
    for (int i = row; i < row + rows; i++)
        for (int j = other; j < other + others; j++) {
            double own = r->w[i * r->count + i] * r->w[j * r->count + j];
            if (fabs(r->w[i * r->count + j]) > COUPLED_SHARE * sqrt(own))
                return 1;
        }
    return 0;
}

/* Impulses that act on one another are one impact: each row gets the number of its impact's first
 * row. */
static void find_impacts(struct constraint *c)
{
    struct reduced *r = &c->reduced;
    for (int i = 0, row = 0; i < c->found_count; i++) {
        int rows = touch_row_count(&c->found[i]);
        for (int k = 0; k < rows; k++)
            r->impact[row + k] = row;
        for (int j = 0, other = 0; j < i; j++) {
            int others = touch_row_count(&c->found[j]), from = r->impact[row];
            if (r->impulse[row] > 0 && r->impulse[other] > 0 &&
                are_coupled(r, row, rows, other, others))
                for (int k = 0; k < row + rows; k++)
                    r->impact[k] = r->impact[k] == from ? r->impact[other] : r->impact[k];
            other += others;
        }
        row += rows;
    }
}

/* Newton's restitution with Coulomb friction can create energy: such an impact is to be without
 * restitution. Returns how many rows shall bounce no longer. */
static int take_back_gains(struct constraint *c)
{
    struct reduced *r = &c->reduced;
    int changed = 0;
    find_impacts(c);
    for (int impact = 0; impact < r->count; impact++) {
        double work = 0, passed_on = 0;
        for (int i = impact; i < r->count; i++) {
            if (r->impact[i] != impact)
                continue;
            work += impulse_work(r, r->free, i);
            passed_on += fabs(r->impulse[i]) * (fabs(r->free[i]) + fabs(r->value[i])) / 2;
        }
        for (int i = impact; i < r->count && work > GAIN_SHARE * passed_on; i++)
            if (r->impact[i] == impact && r->target[i] > 0) {
                r->target[i] = 0;
                changed++;
            }
    }
    return changed;
}

void system_collide(struct constraint *c)
{
    struct reduced *r = &c->reduced;
    touch_place(c, c->y);
    system_gather(c, c->epsilon_m);
    reduced_build(c);
    int row = 0;
    for (int i = 0; i < c->found_count; i++) {
        const struct touch *t = &c->found[i];
        for (int k = 0; k < touch_row_count(t); k++, row++) {
            double rate = t->rows[k].rate;
            int is_bounce = k == 0 && t->part >= 0 && rate < -c->restitution_speed_m_s;
            r->free[row] = rate;
            r->slide[row] = 0;
            r->target[row] = is_bounce ? -touch_elasticity(c, t) * rate : 0;
        }
    }
    reduced_solve(c);
    while (take_back_gains(c) > 0)
        reduced_solve(c);
    apply_impulses(c, r->free, 1);

    /* what flies off again does not press */
    touch_place(c, c->y);
    int kept = 0;
    for (int i = 0; i < c->touch_count; i++) {
        touch_update(c, &c->touches[i]);
        if (c->touches[i].rows[0].rate <= TOUCH_REST_SPEED)
            c->touches[kept++] = c->touches[i];
    }
    c->touch_count = kept;
    c->is_stale = 1;
}

/* Least velocity after a step by impulses. */
static double step_target(const struct constraint *c, const struct touch *t, double h)
{
    double gap = t->rows[0].deviation;
    double fastest = system_push_out_speed(c, t);
    if (gap > 0)
        return -gap / h;
    double speed = -gap > SLOP ? PUSH_OUT_SHARE * (-gap - SLOP) / h : 0;
    return speed < fastest ? speed : fastest;
}

/* Books effectors, drag and damping: forces at the start, mean of the velocities. */
static void book_forces(struct constraint *c, const double *from, const double *to, double h)
{
    for (int i = 0; i < 3 * c->links; i++)
        c->ledger.loss_drag_j -= h * c->drag[i] * (from[i] + to[i]) / 2;
    for (int i = 1; i < c->links; i++) {
        struct row row;
        if (!c->bodies[i].has_joint)
            continue;
        touch_set_joint_row(c, i, &row);
        double way = h * (system_row_rate(&row, from) + system_row_rate(&row, to)) / 2;
        c->effector_work[i] += c->torque[i] * way;
        c->ledger.loss_damping_j -= c->damping_torque[i] * way;
    }
}

void system_step_by_impulses(struct constraint *c, double ahead, double h)
{
    struct reduced *r = &c->reduced;
    int width = 3 * c->links;
    double *v = c->y + width, *v0 = c->y0 + width;
    c->touch_count = 0;
    system_accelerate(c, c->y, ahead);
    touch_find(c, 2 * h * touch_top_speed(c) + c->epsilon_m);
    for (int i = 0; i < width; i++) {
        v0[i] = v[i];
        v[i] += h * c->acceleration[i];
    }
    int kept = 0;
    for (int i = 0; i < c->found_count; i++) {
        double gap = c->found[i].rows[0].deviation, rate = system_row_rate(&c->found[i].rows[0], v);
        if (gap <= 0 || gap < h * fabs(rate))
            c->found[kept++] = c->found[i];
    }
    c->found_count = kept;
    reduced_build(c);
    int row = 0;
    for (int i = 0; i < c->found_count; i++)
        for (int k = 0; k < touch_row_count(&c->found[i]); k++, row++) {
            r->free[row] = system_row_rate(&c->found[i].rows[k], v);
            r->slide[row] = 0;
            r->target[row] = k == 0 ? step_target(c, &c->found[i], h) : 0;
        }
    if (reduced_sweep(c, STEP_SWEEPS, STEP_SWEEP_SHARE) != 0)
        reduced_sweep(c, SWEEPS, STEP_SWEEP_SHARE);
    for (int i = 0, at = 0; i < c->found_count; i++)
        for (int k = 0; k < touch_row_count(&c->found[i]); k++, at++)
            r->free[at] = c->found[i].rows[k].rate;
    apply_impulses(c, r->free, 0);
    for (int i = 0; i < width; i++)
        c->y[i] += h * v[i];
    book_forces(c, v0, v, h);
    c->is_stale = 1;
}

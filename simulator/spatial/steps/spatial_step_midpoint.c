/* A midpoint step of h from (q0, v0), with V = (v0 + v1) / 2:
 *
 *   qm = q0 moved by v0 for h/2,  vm = guess of the velocity there
 *   v1 = v0 + h qdd(qm, vm, torques and drag at V) + impulses of contacts and limits
 *   q1 = qm moved by v1 for h/2, out of limits where it is beyond
 *   roots' v1, q1 such that each body has the momentum that the impulses gave: spatial_step_keep_momentum()
 *
 * vm decides the velocity products alone, which in space are all of the gyroscopic torque: it is
 * guessed from the accelerations of the last two steps, and mended by a second evaluation. The part
 * of contacts and limits in the accelerations is known only afterwards, so that of the last step
 * counts, in vm and in V: without it a body that pushes itself off the ground errs by three times
 * as much energy in the one, and servos under load are of first order in the other. Limits that act
 * alone count in V at once: their impulses are spread over the step, and move what yields as to
 * torques. (Each step with the V of the one before came near the solution by a half or less, where
 * drag weighs more than the body.) */
#include <math.h>
#include <stdlib.h>

#include "simulator/spatial/steps/spatial_step.h"
#include "simulator/spatial/tree/spatial_tree_forces.h"

/* Gaps that limits may leave, rad or m: what solutions miss in a few steps. */
#define GAP_MISSED 1e-7
/* Torques farther from their bounds than this share of the strength get another tangent, so many
 * times at most. */
#define TANGENT_SHARE 0.01
enum { TANGENTS_MAX = 5 };

/* The mean rates of the step less half x qdd: as they are expected, contacts and limits going on as
 * they pressed; and as servos and drag begin with them, which are yet to meet limits that are
 * spread. And from these the mean coordinates less half^2 x qdd, in q_stage. */
static void carry(struct spatial_dynamics *d, double half)
{
    int is_fresh = (d->known == 0 && !d->are_limits_alone) || d->was_blow;
    d->is_spread = is_fresh || d->are_limits_alone;
    for (int i = 0; i < d->rates; i++) {
        if (is_fresh)
            d->pressed[i] = 0;
        d->expected[i] = d->qd0[i] + half * d->pressed[i];
        d->carried[i] = d->is_spread ? d->qd0[i] : d->expected[i];
    }
    spatial_tree_advance(&d->tree, d->q0, d->carried, half, d->q_stage);
}

/* A servo's torque in the step, in the direction that it is clamped to. */
static void set_torque(struct spatial_dynamics *d, int i, double half, struct muscle_tangent t)
{
    int sign = d->clamped[i] > 0 ? 1 : -1;
    double known = d->carried[i], damping = d->base.servos[i].damping;
    d->effort[i] = sign * (t.torque - t.slope * (sign * known - t.rate));
    d->effort_extra[i] = half * t.slope;
    d->extra[i] = half * (t.slope + damping);
    d->tau[i] = d->effort[i] - damping * known;
}

static double most_at(const struct servo *s, double rate)
{
    return muscle_most(s->torque_max, s->hill_n_m, s->hill_s_rad, rate);
}

/* A torque at its bound follows the tangent at a rate, in the direction of `sign`. */
static void set_tangent(struct spatial_dynamics *d, int i, int sign, double half, double rate)
{
    const struct servo *s = &d->base.servos[i];
    d->clamped[i] = sign;
    set_torque(d, i, half,
               muscle_tangent_at(s->torque_max, s->hill_n_m, s->hill_s_rad, rate,
                                 sign * d->carried[i], d->base.birth_inertia[i], half));
}

/* A torque on a tangent, now `torque` in its direction: 1 if it is far from the curve, and goes to
 * the tangent at the present rate, if it may, else beyond the tangent's ends, and becomes the
 * end. */
static int mend_tangent(struct spatial_dynamics *d, int i, double half, double torque, int may_move)
{
    const struct servo *s = &d->base.servos[i];
    double rate = d->clamped[i] * (d->expected[i] + half * d->qdd[i]);
    if (may_move && fabs(torque - most_at(s, rate)) > TANGENT_SHARE * s->torque_max) {
        set_tangent(d, i, d->clamped[i], half, rate);
        return 1;
    }
    if (torque >= 0 && torque <= s->torque_max)
        return 0;
    d->clamped[i] *= 2;
    set_torque(d, i, half, (struct muscle_tangent){.torque = torque < 0 ? 0 : s->torque_max});
    return 1;
}

/* Bounds torques; 1 if one has changed. */
static int bound_torques(struct spatial_dynamics *d, double half, int may_move)
{
    int has_changed = 0;
    for (int i = 0; i < d->rates; i++) {
        const struct servo *s = &d->base.servos[i];
        double pressed = (d->expected[i] - d->carried[i]) / half;
        double torque = d->effort[i] - d->effort_extra[i] * (d->qdd[i] + pressed);
        int sign = torque > 0 ? 1 : -1;
        if (d->tree.is_driven[i] || s->torque_max <= 0 || abs(d->clamped[i]) > 1)
            continue;
        if (d->clamped[i] != 0) {
            has_changed |= mend_tangent(d, i, half, d->clamped[i] * torque, may_move);
        } else if (torque != servo_bound(s, torque, d->vm[i])) {
            set_tangent(d, i, sign, half, sign * d->vm[i]);
            has_changed = 1;
        }
    }
    return has_changed;
}

/* Tangents move to the rates that are foreseen now, with the slopes that are in the factors. */
static void move_tangents(struct spatial_dynamics *d, double half)
{
    for (int i = 0; i < d->rates; i++)
        if (abs(d->clamped[i]) == 1) {
            double rate = d->clamped[i] * d->vm[i];
            set_torque(d, i, half,
                       (struct muscle_tangent){most_at(&d->base.servos[i], rate),
                                               d->effort_extra[i] / half, rate});
        }
}

/* Accelerations in the middle, with the rates vm there. */
static void accelerate_middle(struct spatial_dynamics *d, double half, int is_factored)
{
    struct spatial_tree *tree = &d->tree;
    spatial_tree_set_velocity(tree, d->vm);
    spatial_step_set_drag(d, d->carried, half);
    if (is_factored)
        move_tangents(d, half);
    for (int pass = 0; pass <= TANGENTS_MAX + 2 * d->rates; pass++) {
        if (!is_factored || pass > 0 || (d->has_drag && !spatial_drag_is_constant(&d->drag.law)))
            spatial_tree_factor(tree, d->extra, d->has_drag ? half : 0);
        spatial_tree_accelerate(tree, d->tau, d->qdd);
        spatial_step_set_drive_efforts(d);
        if (!bound_torques(d, half, pass < TANGENTS_MAX))
            return;
    }
}

/* Rates in the middle from accelerations, with what is pressing. */
static void guess_middle(struct spatial_dynamics *d, double half, double last, double before)
{
    for (int i = 0; i < d->rates; i++)
        if (!d->tree.is_driven[i])
            d->vm[i] = d->expected[i] + half * (last * d->qdd[i] + before * d->qdd_last[i]);
}

/* Accelerations in the middle of the step, for the mean velocity of its first half. A mended guess
 * costs no new factors, and without it the energy of a tumbling box drifts by ten times as much.
 * The steps before, of h1 and h0, may have been longer or shorter. */
static void find_accelerations(struct spatial_dynamics *d, double half)
{
    double h = 2 * half, h1 = d->lengths_s[0] / h, h0 = d->lengths_s[1] / h;
    /* a(h/4) from a(-h1/2) and a(-h1 - h0/2), which are those of the last steps */
    int was_known = d->known > 1;
    double ahead = was_known ? (0.25 + 0.5 * h1) / (0.5 * (h1 + h0)) : 0;
    if (was_known)
        guess_middle(d, half, 1 + ahead, -ahead);
    else
        guess_middle(d, half, 0, 0);
    for (int i = 0; i < d->rates; i++)
        d->qdd_last[i] = d->qdd[i];
    accelerate_middle(d, half, 0);
    /* a(h/4) from a(h/2) and a(-h1/2); or a first guess with nothing known */
    double share = was_known ? (0.25 + 0.5 * h1) / (0.5 + 0.5 * h1) : 1;
    guess_middle(d, half, share, 1 - share);
    accelerate_middle(d, half, 1);
    d->known += d->known < 2;
    d->lengths_s[1] = d->lengths_s[0];
    d->lengths_s[0] = h;
}

void spatial_step_book_limits(struct spatial_dynamics *d, double work)
{
    if (work > 0)
        d->base.dynamics.ledger.gain_limit_j += work;
    else
        d->base.dynamics.ledger.loss_limit_j -= work;
}

/* Limits that act in the step: with contacts, where there are some. */
static void find_limits(struct spatial_dynamics *d, double half, int contacts)
{
    int limits = 0;
    if (d->limits.row_max > 0)
        limits =
            spatial_limits_find(&d->limits, &d->tree, d->qm, d->vm, d->base.qd, half, contacts > 0);
    d->is_pressing = limits > 0;
    d->are_limits_alone = limits > 0 && contacts == 0;
    d->limits_work = 0;
}

/* Contacts that are near, and limits; the rates qd are those at the end of the step without
 * contacts. Returns how many contacts there are. */
static int find_contacts(struct spatial_group *g, double half)
{
    int contacts = spatial_contacts_find(g->contacts);
    for (int k = 0; k < g->count; k++)
        find_limits(g->all[k], half, contacts);
    if (contacts > 0)
        spatial_contacts_measure(g->contacts);
    return contacts;
}

/* The factors of what impulses move, where there are some; limits that act alone are solved. Spread
 * over the step, these have the factors of the accelerations. */
static void set_factors(struct spatial_dynamics *d, double half, int has_contacts)
{
    d->is_spread &= d->are_limits_alone;
    if (!has_contacts && !d->are_limits_alone)
        return;
    for (int i = 0; i < d->rates; i++) {
        d->tree.drive[i] = 0;
        d->v_sum[i] = d->qd0[i] + half * d->qdd[i];
    }
    if (!d->is_spread)
        spatial_tree_factor_mass(&d->tree);
    if (d->are_limits_alone)
        d->limits_work = spatial_limits_solve(&d->limits, &d->tree, d->v_sum, d->base.qd);
}

static void solve_contacts(struct spatial_group *g, double half, int has_contacts)
{
    for (int k = 0; k < g->count; k++)
        set_factors(g->all[k], half, has_contacts);
    g->law_residual = 0;
    if (!has_contacts)
        return;
    spatial_contacts_prepare(g->contacts);
    g->law_residual = spatial_contacts_solve(g->contacts);
}

/* Out of limits that are passed, with the momenta that there were. */
static void project(struct spatial_dynamics *d, double *way)
{
    struct spatial_momentum after;
    spatial_tree_factor(&d->tree, d->zero, 0);
    for (int i = 0; i < d->root_count; i++)
        spatial_momentum_find(&d->tree, d->roots[i], &d->kept[i]);
    spatial_limits_project(&d->limits, &d->tree, d->base.q, way);
    spatial_tree_set_pose(&d->tree, d->base.q);
    spatial_tree_move(&d->tree, d->base.qd);
    for (int i = 0; i < d->root_count; i++) {
        spatial_momentum_find(&d->tree, d->roots[i], &after);
        spatial_momentum_set(&d->tree, d->roots[i], &after, &d->kept[i], 0, d->base.q, d->base.qd);
    }
    d->is_posed = 0;
}

/* Out of limits that are passed. Servos take back what they did on the way beyond; its further
 * effect on the energy is the limits', as is the work of their impulses: on a curved limit these
 * act on the way beyond, too. */
static void leave_limits(struct spatial_dynamics *d)
{
    double *way = d->v_sum, taken = 0, positive = 0;
    if (!d->is_pressing || spatial_limits_gap(&d->limits, &d->tree, d->base.q) >= -GAP_MISSED)
        return;
    double before = spatial_step_energy(d);
    for (int i = 0; i < d->rates; i++)
        way[i] = 0;
    project(d, way);
    for (int i = 0; i < d->rates; i++) {
        taken += d->base.torque[i] * way[i];
        positive += det_max(d->base.torque[i] * way[i], 0);
    }
    d->base.dynamics.ledger.work_effector_j += taken;
    d->base.dynamics.ledger.work_effector_positive_j += positive;
    d->limits_work += spatial_step_energy(d) - before - taken;
}

/* The accelerations that servos and drag met. */
static double met(const struct spatial_dynamics *d, int i)
{
    return d->is_spread ? d->qdd[i] + d->pressed[i] : d->qdd[i];
}

static void book_middle(struct spatial_dynamics *d, double half)
{
    for (int i = 0; i < d->rates; i++) {
        double way = half * (d->qd0[i] + d->base.qd[i]);
        d->base.torque[i] = d->effort[i] - d->effort_extra[i] * met(d, i);
        d->work[i] = d->base.torque[i] * way;
        d->base.dynamics.ledger.loss_damping_j +=
            d->base.servos[i].damping * (d->carried[i] + half * met(d, i)) * way;
    }
    spatial_step_book_work(d);
}

/* Drag was that at the mean velocity, with what was expected of contacts. */
static void book_drag(struct spatial_dynamics *d, double half)
{
    double *dragged = d->v_sum, *mean = d->vm;
    for (int i = 0; i < d->rates && d->has_drag; i++) {
        dragged[i] = d->carried[i] + half * met(d, i);
        mean[i] = 0.5 * (d->qd0[i] + d->base.qd[i]);
    }
    d->base.dynamics.ledger.loss_drag_j -= 2 * half * spatial_step_drag_power(d, dragged, mean);
    for (int i = 0; i < d->root_count; i++)
        d->dragged[i] = spatial_step_drag_impulse(d, d->roots[i], 2 * half);
}

/* Up to the rates at the end of the step without contacts and limits. */
static void begin_middle(struct spatial_dynamics *d)
{
    double h = d->base.settings.dt_s, half = h / 2;
    struct spatial_tree *tree = &d->tree;
    d->operations += d->step_operations;
    spatial_step_find_momenta(d);
    d->is_pressing = d->is_posed = d->has_energy = 0;
    spatial_tree_advance(tree, d->q0, d->qd0, half, d->qm);
    for (int i = 0; i < d->rates; i++)
        d->vm[i] = d->qd0[i];
    spatial_step_follow_signals(d, half, d->qm, d->vm);
    spatial_step_set_drives(d);
    spatial_tree_set_pose(tree, d->qm);
    carry(d, half);
    spatial_step_set_torques(d, d->q_stage, d->carried, half, half);
    find_accelerations(d, half);
    for (int i = 0; i < d->rates; i++)
        d->base.qd[i] = d->qd0[i] + h * d->qdd[i];
}

/* From there on. */
static void end_middle(struct spatial_dynamics *d, struct spatial_contacts *contacts,
                       int has_contacts)
{
    double h = d->base.settings.dt_s, half = h / 2;
    /* the effect of contacts and limits goes on in the next step, but for a blow */
    d->was_blow = spatial_contacts_had_impact(contacts, &d->contacts.own);
    for (int i = 0; i < d->rates; i++)
        d->pressed[i] = (d->base.qd[i] - d->qd0[i]) / h - d->qdd[i];
    spatial_tree_advance(&d->tree, d->qm, d->base.qd, half, d->base.q);
    spatial_step_follow_signals(d, h, d->base.q, d->base.qd);
    book_middle(d, half);
    book_drag(d, half);
    if (has_contacts)
        spatial_contacts_book(contacts, &d->contacts.own);
    leave_limits(d);
    spatial_step_book_limits(d, d->limits_work);
    spatial_step_keep_momentum(d, contacts, half);
    d->is_pressing |= spatial_contacts_keep(contacts, &d->contacts.own);
}

double spatial_step_midpoint(struct spatial_group *g, int may_part)
{
    double half = g->all[0]->base.settings.dt_s / 2;
    for (int k = 0; k < g->count; k++)
        begin_middle(g->all[k]);
    int has_contacts = find_contacts(g, half) > 0;
    double first = may_part && has_contacts ? spatial_contacts_split(g->contacts) : 0;
    if (first > 0)
        return first;
    solve_contacts(g, half, has_contacts);
    for (int k = 0; k < g->count; k++)
        end_middle(g->all[k], g->contacts, has_contacts);
    return 0;
}

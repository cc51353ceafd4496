/* See spatial_step.h: the choice of steps, and the parts that they are taken in. */
#include <math.h>

#include "common/error.h"
#include "simulator/body/physics.h"
#include "simulator/contact/contact_rules.h"
#include "simulator/spatial/steps/spatial_step.h"
#include "simulator/spatial/tree/spatial_tree_forces.h"

/* Contacts farther off their law have their step taken again in halves; so have limits that act
 * alone while the energy is out of balance by more than these shares of the step's terms and of the
 * motion's energy together, and contacts with greater shares. Halves know nothing of the contacts
 * that press, so that sliding along a cone is better off whole. */
#define LAW_RESIDUAL_MAX_M_S  1e-5
#define UNBALANCED            2e-3
#define UNBALANCED_TOUCHING   1e-2
#define MOTION_SHARE          2e-5
#define MOTION_SHARE_TOUCHING 2e-4
/* What the mending of momentum moves where limits act alone counts so many times. */
#define MENDED_ALONE 2
/* A step is split so many times, one within another, at most; for limits alone more often, where
 * joints hit them most. */
#define SPLITS_MAX       3
#define LIMIT_SPLITS_MAX 5
#define HIT_SPLITS_MAX   8
/* Where impacts follow one another, which would gain energy together, parts are this share of the
 * step at least. */
#define IMPACT_LEAST (1.0 / 1024)
/* For what neither touches nor leans on limits: a light chain that carries something heavy trembles
 * faster than steps. And for any step whose energy is wrong by more than this share of what moves
 * and of its terms. */
#define FREE_SPLITS_MAX 14
#define WILD_SPLITS_MAX 8
#define WILD_SHARE      0.01
/* Where it was retaken for that with contacts, it is to be in balance within this share of what is
 * allowed: halves would have been far within. */
#define RETAKEN_SHARE 0.5
/* With contacts the energy may also be off by the body's weight times this speed, m/s (a tenth of a
 * millimetre in ten seconds), and by ten times as much before it is very wrong. A body that is
 * wedged in itself and strains has steps whose few microjoules are all error, and their halves have
 * as many. */
#define STRAINING_M_S  1e-5
#define STRAINING_WILD 10
/* Instants less apart than this share of the step are one. */
#define INSTANT_SHARE 0.02
/* Energies are known to this share. */
#define ENERGY_ROUNDING 1e-10
/* A body that moves no faster than this is at rest: its energy is noise. */
#define REST_M_S 1e-6

void spatial_step_set_pose(struct spatial_dynamics *d)
{
    if (d->is_posed)
        return;
    spatial_tree_set_pose(&d->tree, d->base.q);
    spatial_tree_move(&d->tree, d->base.qd);
    d->is_posed = 1;
}

void spatial_step_book_work(struct spatial_dynamics *d)
{
    for (int i = 0; i < d->rates; i++) {
        d->base.dynamics.ledger.work_effector_j += d->work[i];
        if (d->work[i] > 0)
            d->base.dynamics.ledger.work_effector_positive_j += d->work[i];
    }
}

double spatial_step_energy(struct spatial_dynamics *d)
{
    spatial_step_set_pose(d);
    return spatial_tree_kinetic_energy(&d->tree) + spatial_tree_potential_energy(&d->tree);
}

/* The energy, known from now on until the state changes; also how much of it is kinetic. */
static double energy_at(struct spatial_dynamics *d, double *kinetic)
{
    spatial_step_set_pose(d);
    *kinetic = spatial_tree_kinetic_energy(&d->tree);
    d->energy = *kinetic + spatial_tree_potential_energy(&d->tree);
    d->has_energy = 1;
    return d->energy;
}

/* ---------------------------------------------------------------- steps */

static void keep_start(struct spatial_dynamics *d)
{
    spatial_step_copy(d, d->base.q, d->base.qd, d->q0, d->qd0);
    d->ledger_before = d->base.dynamics.ledger;
}

static void go_back(struct spatial_dynamics *d)
{
    spatial_step_copy(d, d->q0, d->qd0, d->base.q, d->base.qd);
    d->base.dynamics.ledger = d->ledger_before;
    d->is_posed = 0;
}

/* RK4 where it may and where it ends within the limits; 1 if it did. */
static int try_rk4(struct spatial_dynamics *d)
{
    int choice = d->base.settings.integrator;
    int is_free = choice == INTEGRATOR_AUTO && !d->is_stiff && !d->has_drag && !d->is_pressing;
    if (choice != INTEGRATOR_RK4 && !is_free)
        return 0;
    if (is_free && d->contacts.own.pair_count > 0) {
        spatial_step_set_pose(d);
        if (spatial_contacts_may_touch(&d->contacts))
            return 0;
    }
    /* RK4 in drag, which only its name takes: the work of drag is not known */
    d->has_momenta &= !d->has_drag;
    if (!d->has_drag)
        spatial_step_find_momenta(d);
    spatial_step_rk4(d);
    d->base.law_residual = 0;
    spatial_contacts_forget(&d->contacts);
    if (choice != INTEGRATOR_RK4 && d->limits.row_max > 0 &&
        !(spatial_limits_gap(&d->limits, &d->tree, d->base.q) >= 0)) {
        go_back(d);
        return 0;
    }
    spatial_step_keep_momentum(d, &d->contacts, d->base.settings.dt_s / 2);
    return 1;
}

static void set_step(struct spatial_group *g, double dt_s)
{
    g->contacts->dt_s = dt_s;
    for (int k = 0; k < g->count; k++)
        g->all[k]->base.settings.dt_s = dt_s;
}

static void advance_servos(struct spatial_dynamics *d)
{
    for (int i = 0; i < d->rates; i++)
        servo_advance(&d->base.servos[i], d->base.settings.dt_s);
}

static double turnover(const struct ledger *l)
{
    return l->work_effector_positive_j + l->loss_limit_j + l->loss_friction_j + l->loss_impact_j +
           l->loss_drag_j + l->loss_damping_j + l->gain_limit_j;
}

/* At (q0, qd0). */
static double find_start_energy(struct spatial_dynamics *d)
{
    d->is_posed = 0;
    spatial_tree_set_pose(&d->tree, d->q0);
    spatial_tree_move(&d->tree, d->qd0);
    return spatial_tree_kinetic_energy(&d->tree) + spatial_tree_potential_energy(&d->tree);
}

/* Whether the ledger went wrong since the start of the step: written so that it is wrong if it is
 * not a number. The energy of limits alone, and that of the mending of momentum, is wrong, too: a
 * servo that presses a ball along its cone would have it make 0.7 % of the work. With contacts
 * steps are of first order, and more of the terms and a share of the motion's energy may be
 * missing. is_wild: only what is very wrong counts. A part of the step may miss its part of all
 * this, and `spare_j` more. */
static int is_unbalanced(struct spatial_dynamics *d, int is_wild, int is_retaken, double part,
                         double spare_j)
{
    const struct ledger *now = &d->base.dynamics.ledger, *before = &d->ledger_before;
    double size = turnover(now) - turnover(before) + fabs(now->exchange_j - before->exchange_j);
    double share = UNBALANCED, motion = MOTION_SHARE, off = 0;
    if (!d->has_start_energy)
        d->start_energy = find_start_energy(d);
    d->has_start_energy = 1;
    double kinetic, start = d->start_energy, end = energy_at(d, &kinetic);
    double error = end - start - ledger_booked_j(now) + ledger_booked_j(before);
    double rounding =
        ENERGY_ROUNDING * (fabs(start) + fabs(end)) + d->tree.mass * REST_M_S * REST_M_S;
    off = now->mended_j - before->mended_j;
    if (d->are_limits_alone) {
        off = MENDED_ALONE * off + now->gain_limit_j - before->gain_limit_j;
    } else {
        share = UNBALANCED_TOUCHING;
        motion = MOTION_SHARE_TOUCHING;
    }
    double bound = is_retaken && !d->are_limits_alone ? RETAKEN_SHARE : 1;
    double allowed = share * size + motion * kinetic;
    if (is_wild) {
        allowed += WILD_SHARE * (kinetic + size);
        spare_j *= STRAINING_WILD;
    }
    return !(fabs(error) + off <= bound * (part * allowed + rounding + spare_j));
}

/* Whether the energy of the step, split `splits` times before, errs and it may be split. */
static int is_to_balance(struct spatial_group *g, int splits, int is_retaken)
{
    for (int k = 0; k < g->count; k++) {
        struct spatial_dynamics *d = g->all[k];
        int most = g->contacts->count > 0 ? SPLITS_MAX : FREE_SPLITS_MAX;
        if (d->are_limits_alone)
            most = LIMIT_SPLITS_MAX;
        /* a body that neither touches nor leans on limits may miss as much in all parts of a step
         * as in a whole one */
        int is_free = g->contacts->count == 0 && !d->are_limits_alone;
        double share = is_free ? g->contacts->dt_s / g->step_s : 1;
        double weight_n = d->tree.mass * STANDARD_GRAVITY_M_S2;
        double spare_j = g->contacts->count > 0 ? STRAINING_M_S * weight_n * g->contacts->dt_s : 0;
        if ((splits < most || splits < WILD_SPLITS_MAX) &&
            is_unbalanced(d, splits >= most, is_retaken, share, spare_j))
            return 1;
    }
    return 0;
}

/* When the first joint hits a limit, s from the start of the step just taken, if limits alone act
 * and it is not at the end; else HUGE_VAL. */
static double find_hit(struct spatial_group *g, int splits)
{
    double h = g->contacts->dt_s, first = HUGE_VAL;
    for (int k = 0; k < g->count && splits < HIT_SPLITS_MAX; k++) {
        struct spatial_dynamics *d = g->all[k];
        if (!d->are_limits_alone)
            continue;
        double t = spatial_limits_hit(&d->limits, &d->tree, d->q0, d->qd0, d->qdd);
        first = t < first ? t : first;
    }
    return first < h - g->instant_s && !(g->has_hit && first < g->instant_s) ? first : HUGE_VAL;
}

/* Stops joints that hit their limits within a time. */
static void stop_joints(struct spatial_dynamics *d, double time_s)
{
    if (spatial_limits_find_hit(&d->limits, &d->tree, d->base.q, d->base.qd, time_s) == 0)
        return;
    spatial_step_set_pose(d);
    spatial_tree_factor_mass(&d->tree);
    for (int i = 0; i < d->rates; i++) {
        d->tree.drive[i] = 0;
        d->v_sum[i] = d->base.qd[i];
    }
    spatial_step_book_limits(d, spatial_limits_solve(&d->limits, &d->tree, d->v_sum, d->base.qd));
    d->is_posed = d->has_energy = 0;
}

static void set_out(struct spatial_dynamics *d)
{
    keep_start(d);
    d->given_before = d->base.given;
    d->start_energy = d->energy;
    d->has_start_energy = d->has_energy;
}

/* Back to the start of the step; known: how many accelerations are of use there. */
static void take_back(struct spatial_group *g, int known)
{
    for (int k = 0; k < g->count; k++) {
        struct spatial_dynamics *d = g->all[k];
        go_back(d);
        d->base.given = d->given_before;
        d->energy = d->start_energy;
        d->has_energy = d->has_start_energy;
        d->known = known;
        d->has_momenta = 0;
        d->was_blow = 0;
    }
}

/* Nothing is known of accelerations of a step as long as the next one. */
static void forget_accelerations(struct spatial_group *g)
{
    for (int k = 0; k < g->count; k++)
        g->all[k]->known = 0;
}

/* Takes the step, split `splits` times before. Returns where it has to be split; 0: nowhere. An
 * impact is to be in the middle of a part; contacts that cannot be held to their law need halves,
 * and so do impacts that follow one another, and steps that err in energy. */
static double try_midpoint(struct spatial_group *g, int splits, int is_retaken)
{
    int may_split = splits < SPLITS_MAX;
    double half = g->contacts->dt_s / 2;
    g->contacts->may_be_shorter = g->contacts->dt_s > IMPACT_LEAST * g->step_s;
    double first = spatial_step_midpoint(g, may_split);
    g->is_mendable = 0;
    if (first > 0)
        return first;
    if (g->contacts->count > 0 && g->contacts->is_too_long)
        return half;
    int is_in_law = g->law_residual <= LAW_RESIDUAL_MAX_M_S;
    if (may_split && !is_in_law)
        return half;
    int is_off = is_to_balance(g, splits, is_retaken), had_blow = 0;
    for (int k = 0; k < g->count; k++)
        had_blow |= g->all[k]->was_blow;
    g->is_mendable = had_blow ? !is_off : is_off && is_in_law;
    return is_off ? half : 0;
}

/* As take_midpoints(), of what was split so many times before. Where a joint hits a limit the
 * step is parted, as limits in the middle of a step are of first order. The effect of contacts and
 * limits counts in drag and servos, which act at the mean rates, and is known only afterwards: so
 * after an impact, and where joints lean on limits and it errs, the step is taken again once with
 * what they did in it. */
static void advance(struct spatial_group *g, int splits)
{
    double h = g->contacts->dt_s, residual = 0;
    for (int k = 0; k < g->count; k++)
        set_out(g->all[k]);
    g->contacts->is_whole = splits == 0;
    double first = try_midpoint(g, splits, 0), hit = find_hit(g, splits);
    if (g->is_mendable && hit == HUGE_VAL) {
        take_back(g, 1);
        first = try_midpoint(g, splits, first > 0);
    }
    if (first == 0 && hit == HUGE_VAL) {
        for (int k = 0; k < g->count; k++)
            advance_servos(g->all[k]);
        g->has_hit = 0;
        return;
    }
    take_back(g, 0);
    /* the impulse of a limit that is hit, spread over the whole step, is no guess for its parts */
    for (int k = 0; k < g->count && hit < HUGE_VAL; k++)
        g->all[k]->are_limits_alone = 0;
    if (hit < HUGE_VAL)
        first = hit > g->instant_s ? hit : 0;
    if (first > 0) {
        set_step(g, first);
        advance(g, splits + 1);
        residual = g->law_residual;
    }
    for (int k = 0; k < g->count && hit < HUGE_VAL; k++)
        stop_joints(g->all[k], g->instant_s);
    g->has_hit |= hit < HUGE_VAL;
    forget_accelerations(g);
    set_step(g, h - first);
    advance(g, splits + 1);
    set_step(g, h);
    forget_accelerations(g);
    if (residual > g->law_residual)
        g->law_residual = residual;
}

/* The length of the next part of a step of which so much is left, such that nothing thin is passed
 * in it, and no limit that something slides along turns away under it. */
static double find_stride(struct spatial_group *g, double left_s, double least_s)
{
    double stride = left_s;
    for (int k = 0; k < g->count; k++) {
        struct spatial_dynamics *d = g->all[k];
        stride = det_min(stride, spatial_limits_stride(&d->limits, &d->tree, d->base.q, d->base.qd,
                                                       left_s, least_s));
    }
    if (!spatial_contacts_has_pairs(g->contacts))
        return stride;
    for (int k = 0; k < g->count; k++)
        spatial_step_set_pose(g->all[k]);
    return spatial_contacts_stride(g->contacts, stride, least_s);
}

/* The sums of a step begin at 0. */
static void begin(struct spatial_dynamics *d)
{
    d->base.given = (struct impulse_sum){.size = 0};
    d->base.is_given = 1;
    d->base.dynamics.steps++;
}

/* A midpoint step of settings.dt_s, which is taken again in two parts where it has to be split. */
static void take_midpoints(struct spatial_group *g)
{
    ENSURE(g->count > 0, "a step of %d bodies", g->count);
    ENSURE(g->contacts->dt_s > 0, "a step of %g s", g->contacts->dt_s);
    g->step_s = g->contacts->dt_s;
    g->instant_s = INSTANT_SHARE * g->step_s;
    double residual = 0, h = g->contacts->dt_s, left = h;
    for (double part = 0; (part = find_stride(g, left, STRIDE_LEAST * h)) < left; left -= part) {
        set_step(g, part);
        advance(g, 1);
        residual = det_max(residual, g->law_residual);
    }
    set_step(g, left);
    advance(g, left < h);
    set_step(g, h);
    ENSURE(!(g->law_residual < 0), "contacts off their law by %g m/s", g->law_residual);
    for (int k = 0; k < g->count; k++) {
        struct spatial_state *s = &g->all[k]->base;
        s->law_residual = det_max(residual, g->law_residual);
        s->dynamics.touches.law_miss_m = s->law_residual * h;
    }
}

void spatial_step_alone(struct spatial_dynamics *d)
{
    keep_start(d);
    begin(d);
    if (try_rk4(d)) {
        d->base.dynamics.rk4_steps++;
        advance_servos(d);
    } else {
        take_midpoints(&d->alone);
    }
}

void spatial_step_together(struct spatial_group *g)
{
    for (int k = 0; k < g->count; k++)
        begin(g->all[k]);
    take_midpoints(g);
}

/* See planar_step_private.h. A step in which something may touch, with the impulses in its middle:
 *
 *   qm = q + h/2 v;  vm = v + h/2 a + k/2;  v* = v + h ABA(qm, vm)
 *   candidates at qm: contacts and limits with gap < h |vn*|;   X = M^-1 J',  W = J X
 *   impulses l so that       vn >= -gap/h apart, push-out when deep, -e vn- on impact;
 *                            0 <= ln,  |lt| <= mu ln
 *   v+ = v* + X l;   q+ = qm + h/2 v+;   k of the next step = X l where contacts last, else 0
 *   the root's v+ and q+ such that the whole has the momentum that impulses gave: momentum_keep()
 *
 * after Moreau (1988) and Jean and Moreau (1992). The impulses act in the middle of the step,
 * between v1 = v + h/2 a2 and v1 + X l, so the work of a contact is exactly l . J (2 v1 + X l) / 2,
 * that of a torque in either half the torque times the way there. After an impact the velocity
 * products of the second half are evaluated anew with the velocities after it; without that a
 * falling chain gained 4 % of its losses unseen at 240 Hz. Without k the step is of first order
 * under contact. Where the impulses are those of the step before, there is no impact, but a load
 * that lasts.
 *
 * With the gap rule nothing passes through anything in one step; with the work rule the ledger
 * books contacts without error. Servos, damping and drag are taken at the mean velocity of the
 * step, v + k/2 + h/2 a, exactly solvable inside the algorithm and stable for any gain. Without k
 * there a servo that pushes a load along the ground is of first order. Penalty springs create 2 to
 * 7 % energy, and semi-implicit Euler in joint coordinates drifts: neither is used. */
#include "simulator/planar/steps/planar_step_private.h"

#include <math.h>
#include <string.h>

#include "simulator/contact/contact_rules.h"

/* Contacts that change a rate by this much more or less than in the step before are an impact: the
 * second half of the step is evaluated anew. rad/s, or m/s of linear joints. */
#define IMPACT_RATE 0.5
/* The velocities vm decide the velocity products alone, where drag is not quadratic. They are
 * guessed with the accelerations of the last two steps; guesses off by more than this, rad/s or
 * m/s, are mended by a second evaluation. */
#define GUESS_RATE 0.02
/* A step is too long in which links turn, or a rate changes times the step, by more than this, rad
 * or m: velocity products in its middle have little to do with those on the way. */
#define WHIRL 0.5
/* Where something may touch, a step is too long if a stretch, e, changes faster than this, 1/s:
 * faces would strike and leave what they touch within a few steps. Its parts are as much shorter.
 * At half the step they are half as long, so that a trial at a finer step shows what is coarse. */
#define STRETCH_MOST_1_S 1.2
/* A load is taken to last in a step that is longer by this factor at most. */
#define LONGER_MOST 2
/* Energy, as a share of what impacts pass on, that may be lost or gained by their instants. */
#define INSTANT_SHARE 1e-2

/* Books the work of all effectors over a step. */
static void book_effectors(struct planar_step *d)
{
    const double *work = d->effector_work;
    double net = d->base.ledger.work_effector_j, positive = d->base.ledger.work_effector_positive_j;
    for (int at = 3, dof = d->dof; at < dof; at++) {
        net += work[at];
        positive += work[at] > 0 ? work[at] : 0;
    }
    d->base.ledger.work_effector_j = net;
    d->base.ledger.work_effector_positive_j = positive;
}

/* The loss by damping over a way with the rates' mean `share` x (from + to). */
static double damping_loss(const struct planar_step *d, const double *from, const double *to,
                           double share, double half)
{
    const double *damping = d->laws.damping, *carried = d->carried, *qdd = d->qdd;
    double lost = 0;
    for (int at = 2, dof = d->dof; at < dof; at += 2) {
        pair way = share * (PAIR(from, at) + PAIR(to, at));
        pair loss = PAIR(damping, at) * (PAIR(carried, at) + half * PAIR(qdd, at)) * way;
        lost += loss[0];
        lost += loss[1];
    }
    return lost;
}

/* Books effectors and damping over such a way. */
static void book_joints(struct planar_step *d, const double *from, const double *to, double share,
                        double half)
{
    const double *tau = d->effector_tau, *extra = d->effector_extra, *qdd = d->qdd;
    double *torques = d->torque, *work = d->effector_work;
    for (int at = 2, dof = d->dof; at < dof; at += 2) {
        pair torque = PAIR(tau, at) - PAIR(extra, at) * PAIR(qdd, at);
        PAIR(torques, at - 2) = torque;
        PAIR(work, at) += torque * (share * (PAIR(from, at) + PAIR(to, at)));
    }
    if (d->has_damping)
        d->base.ledger.loss_damping_j += damping_loss(d, from, to, share, half);
}

/* Books effectors and damping over the way by which instants of impacts shift the pose. */
static void book_shift(struct planar_step *d)
{
    double half = d->settings.dt_s / 2;
    for (int i = 0; i < d->dof; i++)
        d->rates[i] = d->q[i] - (d->qm[i] + half * d->qd[i]);
    book_joints(d, d->rates, d->rates, 0.5, half);
}

/* Books drag over one half of the step, in which the rates go from `from` to `to`. */
static void book_drag(struct planar_step *d, const double *from, const double *to, double half)
{
    struct force sum;
    for (int i = 0; i < d->dof; i++)
        d->rates[i] = (from[i] + to[i]) / 2;
    d->base.ledger.loss_drag_j -= half * tree_drag_power(&d->tree, d->rates, half, &sum);
    d->drag_impulse.n += half * sum.n;
    d->drag_impulse.x += half * sum.x;
    d->drag_impulse.y += half * sum.y;
}

/* Accelerations at the tree's pose and velocity. is_again: the pose is that of the last call. */
static void accelerate(struct planar_step *d, double half, int is_again)
{
    if (d->tree.has_drag)
        tree_set_start_velocity(&d->tree, d->carried);
    if (d->drag.kind == DRAG_MOVING)
        planar_step_set_drag(d);
    torques_accelerate(d, half, is_again && !d->tree.has_drag && !d->has_drives);
}

/* Accelerations at the tree's pose, with the rates given. */
static void accelerate_at(struct planar_step *d, const double *rates, double half, int is_again)
{
    tree_set_velocity(&d->tree, rates);
    accelerate(d, half, is_again);
}

/* Driven joints get their rates at the end of a midpoint step; the evaluation in its middle stands
 * again. */
static void pull_end(struct planar_step *d)
{
    double h = d->settings.dt_s;
    if (!d->has_drives)
        return;
    d->pull_work_j[1] = drives_pull(d, h, d->vs);
    drives_follow(d, h / 2, NULL, NULL);
    accelerate_at(d, d->vm, h / 2, 0);
}

/* Whether contacts change a rate by much more or less than this kick: an impact. */
static int is_other_kick(const struct planar_step *d, const double *kick)
{
    const double *coupled = d->coupled, *now = d->kick;
    pair_bits is_other = {0, 0};
    for (int i = 2, dof = d->dof; i < dof; i += 2)
        is_other |=
            pair_is_less(pair_of(IMPACT_RATE),
                         pair_absolute(PAIR(coupled, i) * (SINGLES(now, i) - PAIR(kick, i))));
    return pair_mask(is_other) != 0;
}

/* After an impact in the middle the second half has other velocity products. */
static void change_middle(struct planar_step *d)
{
    double half = d->settings.dt_s / 2;
    double *vm = d->vm, *vs = d->vs;
    const double *kick = d->kick, *last_kick = d->last_kick, *v1 = d->v1, *qdd = d->qdd;
    for (int i = 0, dof = d->dof; i < dof; i += 2)
        PAIR(vm, i) += SINGLES(kick, i) - 0.5 * PAIR(last_kick, i);
    accelerate_at(d, vm, half, 1);
    for (int i = 0, dof = d->dof; i < dof; i += 2)
        PAIR(vs, i) = PAIR(v1, i) + half * SINGLES(qdd, i);
    pull_end(d);
}

/* Impulses of the contacts found; the velocities vs change where one is an impact: returns 1 if
 * so. */
ALWAYS_INLINE static inline int act_contacts(struct group *g, int count, int has_instants)
{
    int is_impact = 0;
    contacts_prepare(g->contacts, has_instants);
    contacts_solve(g->contacts);
    for (int k = 0; k < count; k++)
        is_impact |= is_other_kick(g->all[k], g->all[k]->last_kick);
    if (!is_impact)
        return 0;
    for (int k = 0; k < count; k++)
        change_middle(g->all[k]);
    contacts_change_free(g->contacts);
    contacts_solve(g->contacts);
    return 1;
}

/* Impacts that act at instants of their own shift the pose at the end of the step, on the
 * assumption that the accelerations are the same before and after. 1 if the energy agrees with
 * that; where an impact makes limbs whirl it does not. The tree is left as it was. */
static int are_instants_sound(struct planar_step *d)
{
    double half = d->settings.dt_s / 2, energy[2], size;
    for (int i = 0; i < d->dof; i++) {
        d->qd[i] = d->vs[i] + d->kick[i];
        d->q[i] = d->qm[i] + half * d->qd[i];
    }
    for (int k = 0; k < 2; k++) {
        if (k == 1)
            contacts_shift(&d->contacts);
        tree_set_pose(&d->tree, d->q);
        tree_set_velocity(&d->tree, d->qd);
        struct tree_energy now = tree_energy(&d->tree, d->world.gravity_m_s2);
        energy[k] = now.kinetic + now.potential;
    }
    double work = contacts_instant_work(&d->contacts, &size);
    tree_set_pose(&d->tree, d->qm);
    tree_set_velocity(&d->tree, d->vm);
    return fabs(energy[1] - energy[0] - work) <= INSTANT_SHARE * size;
}

/* Work by which driven joints keep their rates against the impulses: the change of kinetic energy
 * at the pose in the middle, less the contacts' work. The tree is left with other velocities. */
static double drive_impulse_work(struct planar_step *d)
{
    double before, size;
    tree_set_velocity(&d->tree, d->v1);
    before = tree_kinetic_energy(&d->tree);
    for (int i = 0; i < d->dof; i++)
        d->rates[i] = d->v1[i] + d->kick[i];
    tree_set_velocity(&d->tree, d->rates);
    double late = contacts_instant_work(&d->contacts, &size);
    return tree_kinetic_energy(&d->tree) - before - (contacts_work(&d->contacts) - late);
}

/* The rates at the start of the step, with half of what contacts that last will change them by. */
static void carry(struct planar_step *d)
{
    const double *qd0 = d->qd0, *last_kick = d->last_kick;
    double *carried = d->carried;
    for (int i = 0, dof = d->dof; i < dof; i += 2)
        PAIR(carried, i) = PAIR(qd0, i) + 0.5 * PAIR(last_kick, i);
}

/* Coordinates in the middle of the step, and a guess of the mean velocity until then, vm = qd0 +
 * h/2 a(h/4) + last_kick / 2: after a midpoint step qdd and qdd_last are a(-h/2) and a(-3h/2), else
 * qdd is a(0). */
static void guess_middle(struct planar_step *d, double half)
{
    double share = d->has_accelerations > 1 ? 0.75 * half : 0;
    const double *q0 = d->q0, *qd0 = d->qd0, *qdd = d->qdd, *carried = d->carried;
    double *qdd_last = d->qdd_last, *vm = d->vm, *qm = d->qm;
    for (int i = 0, dof = d->dof; i < dof; i += 2) {
        pair change = PAIR(qdd, i) - PAIR(qdd_last, i);
        PAIR(qm, i) = PAIR(q0, i) + half * PAIR(qd0, i);
        PAIR(vm, i) = PAIR(carried, i) + half * PAIR(qdd, i) + share * change;
        PAIR(qdd_last, i) = PAIR(qdd, i);
    }
}

/* Guesses again when qdd has become a(h/2). Returns 1 if a velocity had been guessed wrong. */
static int mend_middle(struct planar_step *d, double half)
{
    double share = d->has_accelerations > 1 ? 0.75 * half : 0.5 * half, rest = half - share;
    const double *carried = d->carried, *qdd = d->qdd;
    const double *qdd_last = d->qdd_last, *vm = d->vm, *coupled = d->coupled;
    double *mended = d->mended;
    pair_bits is_wrong = {0, 0};
    for (int i = 0, dof = d->dof; i < dof; i += 2) {
        pair rate = PAIR(carried, i) + share * SINGLES(qdd, i) + rest * PAIR(qdd_last, i);
        is_wrong |= pair_is_less(pair_of(GUESS_RATE),
                                 pair_absolute(PAIR(coupled, i) * (rate - PAIR(vm, i))));
        PAIR(mended, i) = rate;
    }
    return pair_mask(is_wrong) != 0;
}

/* From (q0, qd0) to v1 in the middle of the step and vs at its end, both without contacts. */
static void move_freely(struct planar_step *d)
{
    double h = d->settings.dt_s, half = h / 2;
    int is_known = d->has_accelerations && !d->drag.is_quadratic;
    carry(d);
    if (!is_known) {
        torques_set_implicit(d, half, d->qd0);
        planar_step_set_pose(d);
        drives_follow(d, 0, NULL, d->qd0);
        accelerate_at(d, d->qd0, half, 0);
        d->has_accelerations = 1;
    }
    guess_middle(d, half);
    if (is_known)
        torques_set_implicit(d, half, d->vm);
    drives_follow(d, half, d->qm, d->vm);
    tree_turn(&d->tree, d->qm, d->vm);
    d->is_posed = 0;
    accelerate(d, half, 0);
    if (mend_middle(d, half)) {
        double *guess = d->vm;
        d->vm = d->mended;
        d->mended = guess;
        drives_follow(d, half, NULL, d->vm);
        accelerate_at(d, d->vm, half, 1);
    }
    d->has_accelerations++;
    const double *qd0 = d->qd0, *qdd = d->qdd;
    double *v1 = d->v1, *vs = d->vs;
    for (int i = 0, dof = d->dof; i < dof; i += 2) {
        pair change = SINGLES(qdd, i);
        PAIR(v1, i) = PAIR(qd0, i) + half * change;
        PAIR(vs, i) = PAIR(qd0, i) + h * change;
    }
    if (!d->has_drives)
        return;
    d->pull_work_j[0] = drives_pull(d, half, v1);
    for (int i = 0; i < d->dof; i++)
        vs[i] = v1[i] + half * qdd[i];
    pull_end(d);
}

/* Takes back what the contacts did, and lets them act again with all impacts in the middle of the
 * step. */
static int act_without_instants(struct planar_step *d, int is_impact, double pull_work_j)
{
    for (int i = 0; i < d->dof; i++) {
        d->vm[i] = d->vm_before[i];
        d->vs[i] = d->vs_before[i];
    }
    d->pull_work_j[1] = pull_work_j;
    if (is_impact)
        accelerate_at(d, d->vm, d->settings.dt_s / 2, 1);
    contacts_set_free(&d->contacts);
    return act_contacts(&d->alone, 1, 0);
}

/* The contacts that could act on a body alone, and their impulses: 1 if one is an impact. */
static int meet_alone(struct planar_step *d)
{
    double *vm_before = d->vm_before, *vs_before = d->vs_before;
    const double *vm = d->vm, *vs = d->vs;
    for (int i = 0, dof = d->dof; i < dof; i += 2) {
        PAIR(vm_before, i) = PAIR(vm, i);
        PAIR(vs_before, i) = PAIR(vs, i);
    }
    double pull_work_j = d->pull_work_j[1];
    int is_impact = act_contacts(&d->alone, 1, 1);
    if (contacts_need_one_instant(&d->contacts) ||
        (contacts_has_instants(&d->contacts) && !are_instants_sound(d)))
        is_impact = act_without_instants(d, is_impact, pull_work_j);
    return is_impact;
}

/* The contacts of any number of bodies, and their impulses; is_impact: whether one is an impact.
 * Where bodies meet, all impacts are in the middle of the step. Returns 0 if the step is too long
 * for them: nothing is booked. */
ALWAYS_INLINE static inline int meet_contacts(struct group *g, int count, int *is_impact)
{
    *is_impact = count == 1 ? meet_alone(g->all[0]) : act_contacts(g, count, 0);
    if (g->contacts->is_too_long)
        return 0;
    for (int k = 0; k < count && count > 1; k++) {
        struct planar_step *d = g->all[k];
        for (int i = 0; i < d->dof; i++)
            d->rates[i] = d->v1[i] + d->kick[i] / 2;
    }
    contacts_book(g->contacts);
    for (int k = 0; k < count; k++)
        if (g->all[k]->has_drives)
            planar_step_book_effector(g->all[k], drive_impulse_work(g->all[k]));
    return 1;
}

/* The forecast from the steps before was for another length: the effect of contacts there lasts in
 * proportion to it, unless that step was so short that an impact would pass for a load. */
static __attribute__((noinline)) void change_length(struct planar_step *d, double h)
{
    double share = h <= LONGER_MOST * d->foreseen_s ? h / d->foreseen_s : 0;
    for (int i = 0; i < d->dof; i++) {
        d->last_kick[i] *= share;
        d->kick_before[i] *= share;
    }
    d->has_accelerations = 0;
    d->foreseen_s = h;
}

/* As far as nothing touches. */
ALWAYS_INLINE static inline void begin_midpoint(struct planar_step *d)
{
    if (d->foreseen_s != d->settings.dt_s)
        change_length(d, d->settings.dt_s);
    momentum_find(d);
    d->drag_impulse = (struct force){0, 0, 0};
    d->drag_before_j = d->base.ledger.loss_drag_j;
    d->damping_before_j = d->base.ledger.loss_damping_j;
    d->base.work += d->step_work;
    move_freely(d);
    double *effector_work = d->effector_work, *kick = d->kick;
    for (int i = 0, dof = d->dof; i < dof; i += 2)
        PAIR(effector_work, i) = PAIR(kick, i) = (pair){0, 0};
    if (d->tree.has_drag)
        book_drag(d, d->qd0, d->v1, d->settings.dt_s / 2);
}

/* Whether muscles, drag or velocity products make the body whirl in the step, as foreseen without
 * contacts. */
ALWAYS_INLINE static inline int is_whirling(const struct planar_step *d)
{
    const double *coupled = d->coupled, *qd0 = d->qd0, *vm = d->vm, *vs = d->vs;
    pair_bits is_fast = {0, 0};
    pair most = pair_of(WHIRL / d->settings.dt_s);
    for (int i = 2, dof = d->dof; i < dof; i += 2) {
        pair change = PAIR(coupled, i) * (PAIR(vs, i) - PAIR(qd0, i));
        is_fast |= pair_is_less(most, pair_absolute(change));
        is_fast |= pair_is_less(most, pair_absolute(PAIR(coupled, i) * PAIR(vm, i)));
    }
    return pair_mask(is_fast) != 0;
}

/* To the end of the step, with the impulses: v1 + kick is the start of the second half. */
ALWAYS_INLINE static inline void move_on(struct planar_step *d, int is_impact)
{
    /* an impact that is one for the second time is a load that lasts */
    int has_lasted = !is_impact || !is_other_kick(d, d->kick_before);
    double half = d->settings.dt_s / 2;
    double *kick = d->kick;
    double *last_kick = d->last_kick, *v1 = d->v1, *qd = d->qd, *q = d->q, lasts = has_lasted;
    const double *vs = d->vs, *qm = d->qm;
    for (int i = 0, dof = d->dof; i < dof; i += 2) {
        pair change = SINGLES(kick, i), rate = PAIR(vs, i) + change;
        PAIR(last_kick, i) = lasts * change;
        PAIR(v1, i) += change;
        PAIR(qd, i) = rate;
        PAIR(q, i) = PAIR(qm, i) + half * rate;
    }
    d->kick = d->kick_before;
    d->kick_before = kick;
}

/* Books the step of one body of those that share the contacts, and mends its momentum. */
static void end_midpoint(struct planar_step *d, struct contacts *contacts, int of)
{
    double h = d->settings.dt_s, half = h / 2;
    drives_follow(d, h, d->q, d->qd);
    if (contacts->count > 0)
        book_joints(d, d->v1, d->qd, half / 2, half);
    else
        book_joints(d, d->qd0, d->qd, half, half);
    if (d->tree.has_drag) {
        tree_set_start_velocity(&d->tree, d->carried);
        book_drag(d, d->v1, d->qd, half);
    }
    book_effectors(d);
    if (d->has_drives)
        planar_step_book_effector(d, d->pull_work_j[0] + d->pull_work_j[1]);
    struct vec2 velocity = {0, 0};
    if (!d->tree.is_root_fixed) {
        momentum_keep(d, contacts, of);
        velocity = (struct vec2){d->bulk.velocity_x, d->bulk.velocity_y};
    }
    d->is_pressing = contacts_keep(contacts, of, velocity);
    d->is_examined = d->is_balance_known = 0;
}

/* 0: the step is too long, and nothing has happened; one of least_s is never. */
ALWAYS_INLINE static inline int step_together(struct group *g, int count, double least_s)
{
    struct contacts *contacts = g->contacts;
    int is_whole = !g->is_parted, is_long = 0;
    for (int k = 0; k < count; k++) {
        struct planar_step *d = g->all[k];
        begin_midpoint(d);
        d->contacts.own.rates[PLANE_MIDDLE] = d->vm;
        d->contacts.own.kick = d->kick;
        is_long |= contacts->dt_s > least_s && is_whirling(d);
    }
    if (is_long)
        return 0;
    contacts_find(contacts);
    if (contacts->may_pass && is_whole)
        return 0;
    for (int k = 0; k < count && contacts->count > 0; k++) {
        struct planar_step *d = g->all[k];
        book_joints(d, d->qd0, d->v1, d->settings.dt_s / 4, d->settings.dt_s / 2);
    }
    int is_impact = 0;
    contacts->may_be_shorter = contacts->dt_s > least_s;
    if (contacts->count > 0 && !meet_contacts(g, count, &is_impact))
        return 0;
    for (int k = 0; k < count; k++)
        move_on(g->all[k], is_impact);
    int is_late = contacts->count > 0 && contacts_shift(contacts);
    for (int k = 0; k < count; k++) {
        if (is_late)
            book_shift(g->all[k]);
        end_midpoint(g->all[k], contacts, k);
    }
    return 1;
}

static int step_group(struct group *g, double least_s)
{
    return g->count == 1 ? step_together(g, 1, least_s) : step_together(g, g->count, least_s);
}

/* ---------------------------------------------------------------- parts of a step */

static void set_step(struct group *g, double h)
{
    g->contacts->dt_s = h;
    for (int k = 0; k < g->count; k++) {
        struct planar_step *d = g->all[k];
        d->settings.dt_s = d->contacts.dt_s = d->contacts.own.dt_s = h;
        torques_set_laws(d);
    }
}

/* Back to before a step that was too long. */
static void take_back(struct group *g)
{
    for (int k = 0; k < g->count; k++) {
        struct planar_step *d = g->all[k];
        d->base.ledger.loss_drag_j = d->drag_before_j;
        d->base.ledger.loss_damping_j = d->damping_before_j;
        d->is_posed = d->has_accelerations = 0;
        for (int i = 0; i < d->dof; i++)
            d->last_kick[i] = d->kick_before[i] = 0;
    }
}

/* A part of a step is over. */
static void end_part(struct group *g, int is_last)
{
    for (int k = 0; k < g->count; k++) {
        struct planar_step *d = g->all[k];
        torques_advance(d);
        memcpy(d->q0, d->q, (size_t)d->dof * sizeof d->q[0]);
        memcpy(d->qd0, d->qd, (size_t)d->dof * sizeof d->qd[0]);
        d->contacts.own.is_going_on = !is_last;
    }
}

/* How long a step of h may be for the stretches of the bodies. */
static double stretch_stride(const struct group *g, double h)
{
    double fastest = 0, part = h;
    for (int k = 0; k < g->count; k++) {
        const struct planar_step *d = g->all[k];
        for (int i = 0; i < d->links && d->contacts.own.has_stretch; i++)
            if (d->tree.links[i].stretch)
                fastest = det_max(fastest, fabs(d->qd[2 + i]));
    }
    while (part * fastest > h * STRETCH_MOST_1_S && part > STRIDE_LEAST * h)
        part /= 2;
    return part;
}

/* The step in parts in which nothing comes past what is thin, nothing whirls, nothing stretches
 * much, and impacts that follow one another are apart; the state is that before it. */
static void step_in_parts(struct group *g)
{
    double h = g->contacts->dt_s, left = h, least = STRIDE_LEAST * h;
    g->is_parted = 1;
    for (int k = 0; k < g->count; k++) {
        struct planar_step *d = g->all[k];
        d->was_parted = 1;
        d->gone = d->weighed = (struct vec2){0, 0};
        d->dragged = (struct impulse_sum){.size = 0};
    }
    while (left > 0) {
        double most = det_min(left, stretch_stride(g, h));
        for (int k = 0; k < g->count; k++)
            planar_step_set_pose(g->all[k]);
        double part = contacts_stride(g->contacts, most, least);
        if (left - part < least) /* no part is left of rounding */
            part = left;
        for (set_step(g, part); !step_group(g, least); set_step(g, part)) {
            take_back(g);
            part /= 2;
        }
        left -= part;
        end_part(g, left <= 0);
    }
    set_step(g, h);
    g->is_parted = 0;
}

void midpoint_step(struct group *g)
{
    if (stretch_stride(g, g->contacts->dt_s) < g->contacts->dt_s) {
        step_in_parts(g);
    } else if (step_group(g, 0)) {
        for (int k = 0; k < g->count; k++)
            torques_advance(g->all[k]);
    } else {
        take_back(g);
        step_in_parts(g);
    }
}

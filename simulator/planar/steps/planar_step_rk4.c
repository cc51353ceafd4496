/* See planar_step_private.h. Free motion by the classical Runge-Kutta method, in as many parts as
 * the energy asks for: limbs that whirl, and servos that are stiff, are too fast for a whole step. */
#include "simulator/planar/steps/planar_step_private.h"

#include <math.h>

/* A step is halved when its energy is out of balance by more than this share; energies are known to
 * the other. */
#define RK4_UNBALANCED 1e-4
#define RK4_ROUNDING   1e-10

/* The work and impulse of drag at a stage of advance_rk4(), whose share of the part is so long. */
static void add_drag(struct planar_step *d, const double *from_q, double share)
{
    struct force f, *sum = &d->drag_impulse;
    d->part_work[WORK_DRAG] -= share * tree_drag_power_now(&d->tree, &f);
    sum->n += share * (f.n + ((d->qm[0] - from_q[0]) * f.y - (d->qm[1] - from_q[1]) * f.x));
    sum->x += share * f.x;
    sum->y += share * f.y;
}

/* Classical Runge-Kutta over h from the state given, which may be that of q and qd; the servos'
 * targets have moved for `past`. The powers of effectors, drag and damping are integrated as extra
 * states and added to part_work. */
static void advance_rk4(struct planar_step *d, const double *from_q, const double *from_qd,
                        double past, double h)
{
    static const double weight[4] = {1, 2, 2, 1}, offset[4] = {0, 0.5, 0.5, 1};
    d->base.work += d->step_work;
    d->drag_impulse = (struct force){0, 0, 0};
    for (int i = 0; i < d->dof; i++) {
        d->k_q[i] = d->k_v[i] = 0;
        d->qm[i] = from_q[i];
        d->vm[i] = from_qd[i];
    }
    for (int stage = 0; stage < 4; stage++) {
        if (stage > 0) {
            double ahead = h * offset[stage];
            for (int i = 0; i < d->dof; i++) {
                d->qm[i] = from_q[i] + ahead * d->vm[i];
                d->vm[i] = from_qd[i] + ahead * d->qdd[i];
            }
            drives_follow(d, past + ahead, d->qm, d->vm);
            tree_turn(&d->tree, d->qm, d->vm);
        }
        if (stage == 0)
            drives_follow(d, past, d->qm, d->vm);
        if (d->drag.kind == DRAG_MOVING)
            planar_step_set_drag(d);
        if (stage != 2)
            torques_set_aims(d, past + h * offset[stage]);
        torques_set(d, d->qm, d->vm);
        tree_accelerate(&d->tree, d->tau, d->extra, d->world.gravity_m_s2, 0, d->qdd);
        if (d->has_drives)
            drives_take_efforts(d);
        double share = weight[stage] * h / 6;
        for (int i = 0; i < d->dof; i++) {
            d->k_q[i] += share * d->vm[i];
            d->k_v[i] += share * d->qdd[i];
        }
        for (int i = 1; i < d->links; i++) {
            int at = 2 + i;
            double power = d->effector_tau[at] * d->vm[at];
            double damping = d->laws.damping[at] * d->vm[at] * d->vm[at];
            d->part_work[at] += share * power;
            d->part_work[WORK_DAMPING] += share * damping;
        }
        if (d->tree.has_drag)
            add_drag(d, from_q, share);
    }
    for (int i = 0; i < d->dof; i++) {
        d->q[i] = from_q[i] + d->k_q[i];
        d->qd[i] = from_qd[i] + d->k_v[i];
    }
    for (int i = 1; i < d->links; i++)
        d->torque[i] = d->effector_tau[2 + i];
    drives_follow(d, past + h, d->q, NULL);
    tree_turn(&d->tree, d->q, d->qd);
    if (d->has_drives) {
        d->part_work[WORK_DRIVES] += drives_pull(d, past + h, d->qd);
        tree_set_velocity(&d->tree, d->qd);
    }
    d->is_posed = d->is_moving = 1;
}

/* At the tree's pose and velocity. */
static struct balance take_balance(const struct planar_step *d)
{
    struct tree_energy energy = tree_energy(&d->tree, d->world.gravity_m_s2);
    return (struct balance){energy.kinetic + energy.potential,
                            energy.inner +
                                RK4_ROUNDING * (energy.kinetic + fabs(energy.potential))};
}

/* Whether the energy after a step differs by more than a share of what moves, and of what the step
 * turned over, from what it should be: limbs that whirl, and servos that are stiff, are too fast
 * for the step. */
static int is_unbalanced(const struct planar_step *d, struct balance from, struct balance to)
{
    const double *work = d->part_work;
    double residual = to.energy_j - from.energy_j + work[WORK_DRAG] + work[WORK_DAMPING];
    double size = from.size_j + to.size_j + fabs(work[WORK_DRAG]) + work[WORK_DAMPING];
    pair given = {0, 0}, turned = {0, 0};
    for (int at = 2, dof = d->dof; at < dof; at += 2) {
        given += PAIR(work, at);
        turned += pair_absolute(PAIR(work, at));
    }
    return !(fabs(residual - pair_sum(given)) <= RK4_UNBALANCED * (size + pair_sum(turned)));
}

/* A step in as many parts as their energies ask for. */
static void step_rk4(struct planar_step *d)
{
    double h = d->settings.dt_s / RK4_PARTS, *work = d->work, *part_work = d->part_work;
    const double *from_q = d->q0, *from_qd = d->qd0;
    struct balance from = d->is_balance_known ? d->balance : take_balance(d), to;
    for (int i = 0, dof = d->dof; i < dof; i += 2)
        PAIR(work, i) = (pair){0, 0};
    for (int done = 0, part = RK4_PARTS; done < RK4_PARTS;) {
        for (int i = 0, dof = d->dof; i < dof; i += 2)
            PAIR(part_work, i) = (pair){0, 0};
        advance_rk4(d, from_q, from_qd, done * h, part * h);
        to = take_balance(d);
        if (part > 1 && is_unbalanced(d, from, to)) {
            part /= 2;
            tree_turn(&d->tree, from_q, from_qd);
            continue;
        }
        from = to;
        if (d->tree.has_drag)
            momentum_add_drag(d, &d->drag_impulse, from_q[0], from_q[1]);
        for (int i = 0, dof = d->dof; i < dof; i += 2)
            PAIR(work, i) += PAIR(part_work, i);
        done += part;
        while (done % (2 * part) == 0 && part < RK4_PARTS)
            part *= 2;
        for (int i = 0; i < d->dof && done < RK4_PARTS; i++) {
            d->from_q[i] = d->q[i];
            d->from_qd[i] = d->qd[i];
        }
        from_q = d->from_q;
        from_qd = d->from_qd;
    }
    d->balance = from;
}

/* RK4 is tried first where nothing can touch; 1 if the step holds. */
int rk4_try(struct planar_step *d)
{
    int is_kept = !d->tree.is_root_fixed && d->settings.integrator == INTEGRATOR_AUTO;
    double mended_j = d->base.ledger.mended_j;
    planar_step_set_pose(d);
    if (is_kept)
        momentum_find(d);
    struct tree_bulk bulk = d->bulk;
    step_rk4(d);
    d->is_examined = 0;
    if (is_kept)
        d->balance.energy_j += momentum_keep_free(d);
    else
        d->is_bulk_known = 0;
    if (d->settings.integrator == INTEGRATOR_AUTO) {
        d->clearance = contacts_examine(&d->contacts.own, d->q, d->qd);
        d->is_examined = 1;
        if (d->clearance.is_violated) {
            for (int i = 0; i < d->dof; i++) {
                d->q[i] = d->q0[i];
                d->qd[i] = d->qd0[i];
            }
            d->is_posed = 0;
            d->bulk = bulk;
            d->dragged = (struct impulse_sum){.size = 0};
            d->weighed = (struct vec2){0, 0};
            d->base.ledger.mended_j = mended_j;
            return 0;
        }
    }
    for (int at = WORK_DRIVES; at < d->dof; at++)
        planar_step_book_effector(d, d->work[at]);
    d->base.ledger.loss_drag_j += d->work[WORK_DRAG];
    d->base.ledger.loss_damping_j += d->work[WORK_DAMPING];
    contacts_forget(&d->contacts);
    for (int i = 0; i < d->dof; i++)
        d->last_kick[i] = d->kick_before[i] = 0;
    d->is_pressing = 0;
    d->has_accelerations = 1;
    d->is_balance_known = 1;
    d->base.rk4_steps++;
    return 1;
}

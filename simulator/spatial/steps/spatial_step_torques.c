/* Torques of servos and what drives prescribe: see spatial_step.h.
 *
 * A servo's torque in a midpoint step is that of the mean state, kp (target - value(qm) - h^2/4
 * qdd) - kd (v0 + h/2 qdd - target's rate): linear in qdd, so its share joins what the freedom
 * yields to. */

#include "simulator/spatial/steps/spatial_step.h"
#include "simulator/spatial/tree/spatial_tree_forces.h"

/* An RK4 step needs h x rate of servos below this. */
#define RK4_STIFF 0.5

void spatial_step_judge_servos(struct spatial_dynamics *d)
{
    double h = d->base.settings.dt_s;
    d->is_stiff = d->has_drives = 0;
    for (int i = 0; i < d->rates; i++) {
        double kp, kd;
        servo_gains(&d->base.servos[i], d->base.dynamics.effectors, d->base.settings.effector_mode,
                    &kp, &kd);
        kd += d->base.servos[i].damping;
        d->is_stiff |= h * kd > RK4_STIFF * d->base.birth_inertia[i] ||
                       h * h * kp > RK4_STIFF * RK4_STIFF * d->base.birth_inertia[i];
        d->tree.is_driven[i] = d->base.servos[i].law == SERVO_MOTION;
        d->has_drives |= d->tree.is_driven[i];
    }
}

void spatial_step_set_torques(struct spatial_dynamics *d, const double *q, const double *v,
                              double ahead, double half_step)
{
    int mode = d->base.settings.effector_mode;
    for (int i = 0; i < d->tree.count; i++) {
        const struct spatial_tree_link *l = &d->tree.links[i];
        double way[JOINT_RATES_MAX], change[JOINT_RATES_MAX];
        int is_found = 0;
        for (int k = 0; k < l->rates; k++) {
            int at = l->rate + k;
            const struct servo *s = &d->base.servos[at];
            double kp = 0, kd = 0, torque = 0;
            int is_slack = s->torque_max <= 0 || d->base.dynamics.effectors == EFFECTORS_SLACK;
            if (!is_slack)
                servo_gains(s, d->base.dynamics.effectors, mode, &kp, &kd);
            if (is_slack || d->tree.is_driven[at]) {
                kp = kd = 0;
            } else if (servo_is_torque(s, d->base.dynamics.effectors, mode)) {
                torque = servo_aim(s, d->base.dynamics.effectors, mode, 0, 0, ahead) - kd * v[at];
            } else {
                if (!is_found)
                    spatial_state_find_ways(&d->base, l, &d->links[i], q, ahead, way, change);
                is_found = 1;
                torque = kp * way[k] + kd * (change[k] - v[at]) +
                         servo_push(s, d->base.dynamics.effectors, ahead);
            }
            if (half_step == 0)
                torque = is_slack ? 0 : servo_bound(s, torque, v[at]);
            d->effort[at] = torque;
            d->effort_extra[at] = half_step * kd + half_step * half_step * kp;
            d->extra[at] = d->effort_extra[at] + half_step * s->damping;
            d->tau[at] = torque - s->damping * v[at];
            d->clamped[at] = 0;
        }
    }
}

void spatial_step_follow_signals(struct spatial_dynamics *d, double ahead, double *q, double *qd)
{
    for (int i = 0; i < d->rates && d->has_drives; i++) {
        const struct spatial_tree_link *l = &d->tree.links[d->base.link_of[i]];
        if (!d->tree.is_driven[i])
            continue;
        struct signal_value signal =
            signal_at(d->base.servos[i].signal, d->base.servos[i].time_s + ahead);
        q[l->coordinate + i - l->rate] = signal.value;
        qd[i] = signal.rate;
        d->tree.drive[i] = signal.acceleration;
    }
}

void spatial_step_set_drives(struct spatial_dynamics *d)
{
    double h = d->base.settings.dt_s;
    for (int i = 0; i < d->rates && d->has_drives; i++)
        if (d->tree.is_driven[i])
            d->tree.drive[i] =
                (signal_at(d->base.servos[i].signal, d->base.servos[i].time_s + h).rate -
                 d->qd0[i]) /
                h;
}

void spatial_step_set_drive_efforts(struct spatial_dynamics *d)
{
    for (int i = 0; i < d->rates && d->has_drives; i++) {
        const struct spatial_tree_link *l = &d->tree.links[d->base.link_of[i]];
        if (!d->tree.is_driven[i])
            continue;
        d->effort[i] = l->axes[i - l->rate].share;
        d->effort_extra[i] = 0;
    }
}

/* See planar_step_private.h. The torques of effectors: servos and muscles, explicitly for the
 * stages of RK4, and implicitly in the mean velocity of a midpoint step, where torques beyond what
 * a muscle can are clamped; joints go two by two (pair.h). Joints of scenes whose motion a signal
 * gives. */
#include "simulator/planar/steps/planar_step_private.h"

#include <math.h>

/* The gains of a servo with the effectors as they are. */
static void set_law(struct planar_step *d, int i)
{
    const struct servo *s = &d->servos[i];
    struct joint_laws *laws = &d->laws;
    int at = 2 + i, mode = d->settings.effector_mode;
    int is_slack = s->torque_max <= 0 || d->base.effectors == EFFECTORS_SLACK;
    double half = d->settings.dt_s / 2, kp = 0, kd = 0;
    if (!is_slack)
        servo_gains(s, d->base.effectors, mode, &kp, &kd);
    laws->kp[at] = kp;
    laws->kd[at] = kd;
    laws->damping[at] = s->damping;
    laws->most[at] = is_slack ? 0 : s->torque_max;
    laws->hill_n_m[at] = is_slack ? 0 : s->hill_n_m;
    laws->hill_s_rad[at] = is_slack ? 0 : s->hill_s_rad;
    d->has_stiff_muscles |=
        (laws->most[at] + laws->hill_n_m[at]) * laws->hill_s_rad[at] * d->settings.dt_s >
        RK4_PARTS * d->birth_d[i];
    laws->extra[at] = half * kd + half * half * kp;
    laws->birth_share[at] = is_slack ? 1 : d->birth_d[i] / (d->birth_d[i] + laws->extra[at]);
    int is_plain = !is_slack && servo_is_plain(s, d->base.effectors, mode);
    laws->is_plain[at] = is_plain;
    d->has_other_aims |= !is_slack && !is_plain;
    d->has_curve |= laws->hill_s_rad[at] > 0;
    d->has_damping |= s->damping != 0;
}

void torques_set_laws(struct planar_step *d)
{
    d->has_stiff_muscles = d->has_other_aims = d->has_curve = d->has_damping = 0;
    for (int i = 1; i < d->links; i++)
        set_law(d, i);
}

void torques_init(struct planar_step *d)
{
    tree_factor(&d->tree);
    for (int i = 1; i < d->links; i++) {
        double mobility = tree_joint_mobility(&d->tree, i, &d->contacts.shares[0]);
        d->birth_d[i] = mobility > 0 ? 1 / mobility : 0; /* of what does not move */
        const struct body_link *link = &d->phenotype->body->links[i];
        const struct muscle muscle = {link->strength > 0, link->kind == LINK_LINEAR,
                                      link->strength};
        servo_init(&d->servos[i], &muscle, d->birth_d[i], &d->settings, d->damping_rate);
    }
    torques_set_laws(d);
}

/* The aims of plain effectors, of two joints. */
struct plain_effectors {
    pair target, rate, lower, upper, kp, kd;
    pair_bits are_plain;
};

static inline struct plain_effectors plain_effectors_at(const struct planar_step *d, int at)
{
    const struct joint_laws *laws = &d->laws;
    return (struct plain_effectors){.target = PAIR(laws->target, at),
                                    .rate = PAIR(laws->rate, at),
                                    .lower = PAIR(d->contacts.own.lower, at - 2),
                                    .upper = PAIR(d->contacts.own.upper, at - 2),
                                    .kp = PAIR(laws->kp, at),
                                    .kd = PAIR(laws->kd, at),
                                    .are_plain =
                                        pair_is_less(pair_of(0), PAIR(laws->is_plain, at))};
}

/* Where they aim, `ahead` after the start of the step: kp target + kd rate, the target moving
 * within the joint's limits. Where a joint has no effector, or one that is not plain: 0. */
static inline pair plain_aim(const struct plain_effectors *e, double ahead)
{
    pair target = e->target + e->rate * ahead;
    pair_bits is_beyond = pair_is_less(e->upper, target) | pair_is_less(target, e->lower);
    pair within = pair_lesser(e->upper, pair_greater(e->lower, target));
    pair rate = (pair)((pair_bits)e->rate & ~is_beyond);
    return (pair)((pair_bits)(e->kp * within + e->kd * rate) & e->are_plain);
}

/* Sets the aims of effectors that are not plain. */
static void set_other_aims(struct planar_step *d, double ahead)
{
    for (int i = 1; i < d->links && d->has_other_aims; i++) {
        int at = 2 + i;
        struct servo *servo = &d->servos[i];
        if (d->laws.is_plain[at] > 0 || d->laws.most[at] <= 0)
            continue;
        servo->target = d->laws.target[at];
        servo->rate = d->laws.rate[at];
        d->aim[at] = servo_aim(servo, d->base.effectors, d->settings.effector_mode,
                               d->contacts.own.lower[i], d->contacts.own.upper[i], ahead);
    }
}

void torques_set_aims(struct planar_step *d, double ahead)
{
    double *aim = d->aim;
    for (int at = 2, dof = d->dof; at < dof; at += 2) {
        struct plain_effectors e = plain_effectors_at(d, at);
        PAIR(aim, at) = plain_aim(&e, ahead);
    }
    set_other_aims(d, ahead);
}

void torques_advance(struct planar_step *d)
{
    double h = d->settings.dt_s, *target = d->laws.target;
    const double *rate = d->laws.rate;
    for (int at = 2, dof = d->dof; at < dof; at += 2)
        PAIR(target, at) += PAIR(rate, at) * h;
    for (int i = 1; i < d->links && d->has_signals; i++)
        d->servos[i].time_s += h;
}

void torques_set(struct planar_step *d, const double *q, const double *qd)
{
    const struct joint_laws *laws = &d->laws;
    for (int at = 3; at < d->dof; at++) {
        double tau = d->aim[at] - laws->kp[at] * q[at] - laws->kd[at] * qd[at];
        double most = muscle_most(laws->most[at], laws->hill_n_m[at], laws->hill_s_rad[at],
                                  tau > 0 ? qd[at] : -qd[at]);
        tau = tau > most ? most : tau < -most ? -most : tau;
        d->effector_tau[at] = tau;
        d->effector_extra[at] = 0;
        d->tau[at] = tau - laws->damping[at] * qd[at];
    }
}

/* The torque of a joint at its bound in a midpoint step: the tangent at the rate foreseen. */
static void clamp_joint(struct planar_step *d, int at, int sign, double half)
{
    const struct joint_laws *laws = &d->laws;
    double most = laws->most[at], a = laws->hill_n_m[at], inverse_b = laws->hill_s_rad[at];
    double known = d->carried[at];
    struct muscle_tangent t = muscle_tangent_at(most, a, inverse_b, sign * d->bound_rate[at],
                                                sign * known, d->birth_d[at - 2], half);
    d->clamped[at] = sign;
    d->low[at] = sign > 0 ? 0 : -most;
    d->high[at] = sign > 0 ? most : 0;
    d->effector_tau[at] = sign * (t.torque - t.slope * (sign * known - t.rate));
    d->effector_extra[at] = half * t.slope;
    d->tau[at] = d->effector_tau[at] - laws->damping[at] * known;
    d->extra[at] = half * (t.slope + laws->damping[at]);
}

/* A torque beyond either end of the tangent is that of the end. */
static void clamp_to_end(struct planar_step *d, int at, double torque, double half)
{
    const struct joint_laws *laws = &d->laws;
    d->clamped[at] *= 2;
    d->low[at] = -HUGE_VAL;
    d->high[at] = HUGE_VAL;
    d->effector_tau[at] = torque;
    d->effector_extra[at] = 0;
    d->tau[at] = torque - laws->damping[at] * d->carried[at];
    d->extra[at] = half * laws->damping[at];
}

/* The bounds of two effectors. */
struct bounds {
    pair low, high;
};

/* At the rates foreseen for the middle of the step: at most muscle_most() where the joint turns,
 * all their strength against it. */
static inline struct bounds bounds_at(pair rate, pair most, pair hill_n_m, pair hill_s_rad)
{
    const pair zero = {0, 0};
    pair left = (most + hill_n_m) / (1.0 + pair_absolute(rate) * hill_s_rad) - hill_n_m;
    pair_bits is_up = pair_is_less(zero, rate), full = (pair_bits)most;
    pair_bits less = (pair_bits)left & pair_is_less(zero, left);
    return (struct bounds){-(pair)((full & is_up) | (less & ~is_up)),
                           (pair)((less & is_up) | (full & ~is_up))};
}

/* Torques of a midpoint step from q0 with the rates carried; 1 if one exceeds its bound with the
 * inertia at birth. */
static inline int aim_implicitly(struct planar_step *d, double half, const double *foreseen,
                                 int has_curve)
{
    const struct joint_laws laws = d->laws;
    const double *q0 = d->q0, *carried = d->carried, *aim = d->aim;
    double *effector_tau = d->effector_tau, *effector_extra = d->effector_extra;
    double *taus = d->tau, *extras = d->extra, *clamped = d->clamped;
    double *lows = d->low, *highs = d->high, *bound_rate = d->bound_rate;
    pair_bits is_exceeded = {0, 0};
    for (int at = 2, dof = d->dof; at < dof; at += 2) {
        pair qd = PAIR(carried, at), damping = PAIR(laws.damping, at), extra = PAIR(laws.extra, at);
        pair most = PAIR(laws.most, at), rate = PAIR(foreseen, at);
        pair tau =
            PAIR(aim, at) - PAIR(laws.kp, at) * (PAIR(q0, at) + half * qd) - PAIR(laws.kd, at) * qd;
        pair likely = tau * PAIR(laws.birth_share, at);
        struct bounds bounds = {-most, most};
        if (has_curve)
            bounds = bounds_at(rate, most, PAIR(laws.hill_n_m, at), PAIR(laws.hill_s_rad, at));
        is_exceeded |= pair_is_less(bounds.high, likely) | pair_is_less(likely, bounds.low);
        PAIR(lows, at) = bounds.low;
        PAIR(highs, at) = bounds.high;
        PAIR(bound_rate, at) = rate;
        PAIR(clamped, at) = pair_of(0);
        PAIR(effector_tau, at) = tau;
        PAIR(effector_extra, at) = extra;
        PAIR(taus, at) = tau - damping * qd;
        PAIR(extras, at) = extra + half * damping;
    }
    return pair_mask(is_exceeded) != 0;
}

void torques_set_implicit(struct planar_step *d, double half, const double *foreseen)
{
    const double *effector_tau = d->effector_tau, *low = d->low, *high = d->high;
    torques_set_aims(d, half);
    int is_exceeded =
        d->has_curve ? aim_implicitly(d, half, foreseen, 1) : aim_implicitly(d, half, foreseen, 0);
    for (int at = 3; at < d->dof && is_exceeded; at++) {
        double likely = effector_tau[at] * d->laws.birth_share[at];
        if (likely > high[at] || likely < low[at])
            clamp_joint(d, at, likely > 0 ? 1 : -1, half);
    }
}

/* Whether the last evaluation's torque of any joint is beyond its bound. Those of driven joints
 * are, too. */
static int is_bound_exceeded(const struct planar_step *d)
{
    const double *tau = d->effector_tau, *extra = d->effector_extra, *qdd = d->qdd;
    const double *low = d->low, *high = d->high;
    pair_bits is_held = {-1, -1};
    for (int at = 2, dof = d->dof; at < dof; at += 2) {
        pair torque = PAIR(tau, at) - PAIR(extra, at) * SINGLES(qdd, at);
        is_held &= pair_is_at_most(torque, PAIR(high, at) * (1 + 1e-9)) &
                   pair_is_at_most(PAIR(low, at) * (1 + 1e-9), torque);
    }
    return pair_mask(is_held) != 3;
}

/* Clamps them; 1 if there is one that was not so before. */
static int clamp_joints(struct planar_step *d, double half)
{
    int has_clamped = 0;
    for (int at = 3; at < d->dof; at++) {
        double tau = d->effector_tau[at] - d->effector_extra[at] * d->qdd[at];
        double low = d->low[at], high = d->high[at];
        int is_within = tau <= high * (1 + 1e-9) && tau >= low * (1 + 1e-9);
        if (is_within || d->tree.links[at - 2].is_driven)
            continue;
        if (d->clamped[at] == 0)
            clamp_joint(d, at, tau > 0 ? 1 : -1, half);
        else
            clamp_to_end(d, at, tau > high ? high : low, half);
        has_clamped = 1;
    }
    return has_clamped;
}

void torques_accelerate(struct planar_step *d, double half, int is_again)
{
    for (int pass = 0; pass <= 2 * d->links; pass++) {
        if (is_again && pass == 0)
            tree_accelerate_again(&d->tree, d->tau, d->world.gravity_m_s2, d->qdd);
        else
            tree_accelerate(&d->tree, d->tau, d->extra, d->world.gravity_m_s2, half, d->qdd);
        if (d->has_drives)
            drives_take_efforts(d);
        if (!is_bound_exceeded(d) || !clamp_joints(d, half))
            return;
    }
}

/* ---------------------------------------------------------------- joints that follow a signal */

void drives_follow_signals(struct planar_step *d, double ahead, double *q, double *qd)
{
    for (int i = 1; i < d->links; i++) {
        if (!d->tree.links[i].is_driven)
            continue;
        struct signal_value signal = signal_at(d->servos[i].signal, d->servos[i].time_s + ahead);
        d->tree.links[i].drive = signal.acceleration;
        if (q)
            q[2 + i] = signal.value;
        if (qd)
            qd[2 + i] = signal.rate;
    }
}

double drives_pull(struct planar_step *d, double ahead, double *qd)
{
    struct tree *tree = &d->tree;
    double gravity_x = tree->gravity_x, work = 0;
    int has_drag = tree->has_drag;
    for (int i = 1; i < d->links; i++) {
        if (tree->links[i].is_driven)
            tree->links[i].drive =
                signal_at(d->servos[i].signal, d->servos[i].time_s + ahead).rate - qd[2 + i];
    }
    tree->gravity_x = tree->has_drag = 0;
    tree_set_velocity(tree, d->still);
    tree_accelerate(tree, d->still, d->still, 0, 0, d->answer);
    tree->gravity_x = gravity_x;
    tree->has_drag = has_drag;
    for (int i = 0; i < d->dof; i++)
        qd[i] += d->answer[i];
    for (int i = 1; i < d->links; i++)
        if (tree->links[i].is_driven)
            work += tree_drive_effort(tree, i) * (qd[2 + i] - d->answer[2 + i] / 2);
    return work;
}

void drives_take_efforts(struct planar_step *d)
{
    for (int i = 1; i < d->links; i++)
        if (d->tree.links[i].is_driven) {
            d->effector_tau[2 + i] = tree_drive_effort(&d->tree, i);
            d->effector_extra[2 + i] = 0;
        }
}

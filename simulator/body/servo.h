/* Effectors as drives of joints: gains, bounds and torques, the same for every solver. */
#ifndef SIMULATOR_BODY_SERVO_H
#define SIMULATOR_BODY_SERVO_H

#include "simulator/body/dynamics.h"
#include "simulator/body/signal.h"

/* A joint's drive: an effector as the settings' mode has it, an effector in torque mode, a
 * spring, whose target may lie beyond the joint's limits, or whatever force it takes to follow
 * the signal. */
enum servo_law { SERVO_EFFECTOR, SERVO_TORQUE, SERVO_SPRING, SERVO_MOTION };

/* A linear joint has force for torque, extension for angle, mass for inertia. */
struct servo {
    enum servo_law law;
    double kp, kd; /* position */
    double
        motor_kd; /* torque mode: falls by this much with the speed, and vanishes at the greatest */
    double torque_max;           /* at rest */
    double hill_n_m, hill_s_rad; /* of muscle_most() */
    double damping;              /* passive, of the joint */
    double target, rate;         /* the signal and how it moves */
    /* instead of target and rate, for scenes: the target, the torque or the motion over time, which
     * must outlive the dynamics; and what the time is at the start of the step */
    const struct signal *signal;
    const struct signal *push; /* for scenes: a torque besides that of the spring; or NULL */
    double time_s;
};

/* The greatest torque of a muscle towards where it shortens at `rate`: (F + a)(v + b) = (F0 + a) b,
 * after Hill (1938), with `most` = F0, `a` and `inverse_b` = 1/b. While it is stretched, at a
 * negative rate, it holds no more than at rest. Both 0: no less at any rate. */
static inline double muscle_most(double most, double a, double inverse_b, double rate)
{
    double left = (most + a) / (1 + (rate > 0 ? rate * inverse_b : 0)) - a;
    return left > 0 ? left : 0;
}

/* The torque of a muscle at its bound, at the mean rate of a midpoint step, that is implicit: it
 * follows the tangent of Hill's curve, torque - slope (mean rate - rate). */
struct muscle_tangent {
    double torque, slope, rate;
};

/* The tangent at a rate. A steep curve is like much damping. A muscle that is stretched may turn
 * that about by the middle of the step, half after its start: then it is the tangent at rest.
 * `known`: the rate that is known of the mean; `inertia`: of the joint. */
static inline struct muscle_tangent muscle_tangent_at(double most, double a, double inverse_b,
                                                      double rate, double known, double inertia,
                                                      double half)
{
    struct muscle_tangent t = {.rate = rate < 0 && known * inertia + half * most > 0 ? 0 : rate};
    t.torque = muscle_most(most, a, inverse_b, t.rate);
    if (t.torque > 0 && t.rate >= 0)
        t.slope = (t.torque + a) * inverse_b / (1 + t.rate * inverse_b);
    return t;
}

/* A torque within the bounds of a servo whose joint turns at `rate`. */
static inline double servo_bound(const struct servo *servo, double torque, double rate)
{
    double most = muscle_most(servo->torque_max, servo->hill_n_m, servo->hill_s_rad,
                              torque > 0 ? rate : -rate);
    return torque > most ? most : torque < -most ? -most : torque;
}

/* A step has passed: the target has moved. */
static inline void servo_advance(struct servo *servo, double dt_s)
{
    servo->target += servo->rate * dt_s;
    servo->time_s += dt_s;
}

/* The drives of a freedom: an effector of that strength, N m or N, or none. */
struct muscle {
    int has_effector, is_linear;
    double strength;
};

/* The gains of a freedom's servo. `inertia` (linear ones: mass) is what it feels at birth when the
 * whole body floats, 1 / (M^-1)_ii, so that a servo of any creature has the same natural frequency
 * and is critically damped in free motion. */
void servo_init(struct servo *servo, const struct muscle *muscle, double inertia,
                const struct dynamics_settings *settings, double damping_rate_1_s);

/* The servo's torque as aim - kp (q + half qd) - kd qd: the gains change with the law and the state
 * of the effectors alone, the aim with time, too. */
void servo_gains(const struct servo *servo, enum effector_state state, int effector_mode,
                 double *kp, double *kd);
double servo_aim(const struct servo *servo, enum effector_state state, int effector_mode,
                 double lower, double upper, double ahead);
/* The effort besides a spring's. */
double servo_push(const struct servo *servo, enum effector_state state, double ahead);
/* 1 if the servo has a torque and no target; and the target, kept within lower .. upper, and its
 *   rate: 0 of a torque. */
int servo_is_torque(const struct servo *servo, enum effector_state state, int effector_mode);
void servo_target(const struct servo *servo, enum effector_state state, double lower, double upper,
                  double ahead, double *target, double *rate);

/* 1 if the aim is that of a target that moves within the joint's limits: where most time is
 * spent. */
int servo_is_plain(const struct servo *servo, enum effector_state state, int effector_mode);

#endif

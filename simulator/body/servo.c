/* See servo.h. (The articulated inertia D of the algorithm holds the parent still: with it a servo
 * between a light root and a heavy child is too stiff by their ratio.) */
#include "simulator/body/servo.h"

void servo_init(struct servo *servo, const struct muscle *muscle, double inertia,
                const struct dynamics_settings *settings, double damping_rate_1_s)
{
    double omega = settings->servo_rad_s;
    servo->damping = damping_rate_1_s * 2 * inertia;
    if (!muscle->has_effector)
        return;
    servo->torque_max = muscle->strength;
    servo->kp = omega * omega * inertia;
    servo->kd = 2 * omega * inertia;
    double speed = muscle->is_linear ? settings->joint_speed_m_s : settings->joint_speed_rad_s;
    servo->motor_kd = servo->torque_max / speed;
    if (servo->motor_kd > servo->kd)
        servo->motor_kd = servo->kd;
    if (settings->hill_curvature <= 0)
        return;
    servo->hill_n_m = settings->hill_curvature * servo->torque_max;
    servo->hill_s_rad = 1 / (settings->hill_curvature * speed);
}

int servo_is_torque(const struct servo *s, enum effector_state state, int effector_mode)
{
    return s->law == SERVO_TORQUE ||
           (s->law == SERVO_EFFECTOR && state == EFFECTORS_ON && effector_mode == EFFECTOR_TORQUE);
}

void servo_gains(const struct servo *s, enum effector_state state, int effector_mode, double *kp,
                 double *kd)
{
    int is_torque = servo_is_torque(s, state, effector_mode);
    *kp = is_torque ? 0 : s->kp;
    *kd = !is_torque ? s->kd : s->signal ? 0 : s->motor_kd;
}

int servo_is_plain(const struct servo *s, enum effector_state state, int effector_mode)
{
    return state == EFFECTORS_ON && s->law == SERVO_EFFECTOR && !s->signal &&
           !servo_is_torque(s, state, effector_mode);
}

void servo_target(const struct servo *s, enum effector_state state, double lower, double upper,
                  double ahead, double *target, double *rate)
{
    *target = *rate = 0;
    if (state != EFFECTORS_ON || s->law == SERVO_TORQUE)
        return;
    *target = s->target + s->rate * ahead;
    *rate = s->rate;
    if (s->signal) {
        struct signal_value signal = signal_at(s->signal, s->time_s + ahead);
        *target = signal.value;
        *rate = signal.rate;
    }
    /* the joint clamps the requested angle to its limits before it becomes a force */
    if (s->law != SERVO_SPRING && (*target > upper || *target < lower)) {
        *target = *target > upper ? upper : lower;
        *rate = 0;
    }
}

double servo_push(const struct servo *s, enum effector_state state, double ahead)
{
    return s->push && state == EFFECTORS_ON ? signal_at(s->push, s->time_s + ahead).value : 0;
}

double servo_aim(const struct servo *s, enum effector_state state, int effector_mode, double lower,
                 double upper, double ahead)
{
    if (servo_is_torque(s, state, effector_mode)) {
        double share = s->target + s->rate * ahead;
        share = share > 1 ? 1 : share < -1 ? -1 : share;
        return s->signal ? signal_at(s->signal, s->time_s + ahead).value : share * s->torque_max;
    }
    if (state != EFFECTORS_ON)
        return 0;
    double target, rate;
    servo_target(s, state, lower, upper, ahead, &target, &rate);
    return s->kp * target + s->kd * rate + servo_push(s, state, ahead);
}

/* Joints at spheres: they hold the bone to `end` against the bone to `base`, and motors turn it.
 *
 * Sizes: 0 to a dozen; each costs some 60 ns a substep.
 *
 * Frame. e1 along the base bone, e2 towards the reference sphere across it, e3 = e1 x e2. Values
 * known at birth are kept in it: the bone's rest direction m, the axis n, and t = n x m. With b the
 * bone's direction,
 *
 *   angle about n:  alpha = atan2(b.t, b.m)         angle about t:  beta = atan2(-b.n, b.m)
 *   ball:  gamma = atan2(|m x b|, m.b), about m x b
 *
 * A hinge has alpha free within its limits and beta = 0, a saddle both within limits. Turning about
 * a unit axis u at right angles to b, alpha changes at the rate of turning over the length of b's
 * part at right angles to n (derived: d(alpha) = (u x b . tau) / rho with u = (n - (n.b) b) / rho,
 * u x b = tau); beta likewise, gamma at the rate itself.
 *
 * Forces. A unit torque u on the end bone b (vector, not unit): u x b / b^2 on end. The reaction -u
 * on the frame, whose only handles are the base sphere (across the base bone a) and the reference
 * (along e3, with c2 its part along e2):
 *
 *   reference:  f e3,  f = -(u.e1) / c2;      base:  (R x a) / a^2,  R = -u - f c x e3
 *
 * and the sphere of the joint takes what keeps the sum zero. They have no torque in sum either, for
 * a x base + c x reference = -u. By virtual work their power is the rate of turning. Without a
 * reference u = (a x b) / |a x b| is at right angles to a, and f = 0; a joint of any kind is then
 * the angle between the bones. In a plane e2 is e1 turned by a quarter, all axes are at right
 * angles to a, and f = 0, too. */
#include "common/math/detmath.h"
#include "simulator/spheres/sphere_system.h"

/* Below this, of unit vectors, two directions are one. */
#define PARALLEL 1e-6
/* Share of the stiffness of a bone with the same lever and inertia. Softer, because leapfrog errs
 * by some k h^2 / 4 of the energy whenever a limit is met or left. */
#define STIFFNESS 0.1
/* See MUSCLE_DAMPING in sphere_build.c: the same of motors. */
#define MOTOR_DAMPING 0.3
/* A motor gives its greatest torque when it is off by this. */
#define MOTOR_GIVE_RAD 0.1

struct joint_frame {
    struct vec3 a, b, c; /* to base, end, reference */
    struct vec3 e1, e2, e3;
    double across;         /* c . e2; 0: no frame */
    struct vec3 m, n, t;   /* now */
    struct vec3 direction; /* of b */
    int is_good;
};

static struct vec3 from_frame(const struct joint_frame *f, struct vec3 v)
{
    return vec3_along(vec3_along(vec3_scale(f->e1, v.x), f->e2, v.y), f->e3, v.z);
}

static struct vec3 to_frame(const struct joint_frame *f, struct vec3 v)
{
    return (struct vec3){vec3_dot(v, f->e1), vec3_dot(v, f->e2), vec3_dot(v, f->e3)};
}

static void place_frame(const struct sphere_system *s, const struct angle *angle,
                        struct joint_frame *f)
{
    struct vec3 at = s->ball[angle->ball[0]].at;
    f->a = vec3_sub(s->ball[angle->ball[1]].at, at);
    f->b = vec3_sub(s->ball[angle->ball[2]].at, at);
    f->c = vec3_sub(s->ball[angle->ball[3]].at, at);
    double a = vec3_length(f->a), b = vec3_length(f->b);
    f->is_good = a > PARALLEL && b > PARALLEL;
    f->across = 0;
    if (!f->is_good)
        return;
    f->e1 = vec3_scale(f->a, 1 / a);
    f->direction = vec3_scale(f->b, 1 / b);
    if (!angle->has_frame)
        return;
    if (angle->is_flat)
        f->e2 = (struct vec3){-f->e1.y, f->e1.x, 0};
    else
        f->e2 = vec3_along(f->c, f->e1, -vec3_dot(f->c, f->e1));
    f->across = vec3_length(f->e2);
    f->is_good = f->across > PARALLEL;
    f->e2 = vec3_scale(f->e2, f->is_good ? 1 / f->across : 0);
    f->e3 = vec3_cross(f->e1, f->e2);
    f->m = from_frame(f, angle->rest);
    f->n = from_frame(f, angle->axis);
    f->t = from_frame(f, angle->across);
}

/* ---------------------------------------------------------------- rows */

/* Forces of a unit torque about u, which is at right angles to b. */
static void set_forces(const struct sphere_system *s, const struct angle *angle,
                       const struct joint_frame *f, struct vec3 u, struct joint_row *row)
{
    double grip = f->across > 0 ? -vec3_dot(u, f->e1) / f->across : 0;
    struct vec3 reference = vec3_scale(f->e3, grip);
    struct vec3 rest = vec3_scale(vec3_add(u, vec3_cross(f->c, reference)), -1);
    row->force[1] = vec3_scale(vec3_cross(rest, f->a), 1 / vec3_dot(f->a, f->a));
    row->force[2] = vec3_scale(vec3_cross(u, f->b), 1 / vec3_dot(f->b, f->b));
    row->force[3] = f->across > 0 ? reference : (struct vec3){0, 0, 0};
    row->force[0] = vec3_scale(vec3_add(vec3_add(row->force[1], row->force[2]), row->force[3]), -1);
    double sum = 0, shared = 0;
    for (int i = 0; i < 4; i++) {
        int ball = angle->ball[i];
        double part = s->ball[ball].inverse_mass * vec3_dot(row->force[i], row->force[i]);
        sum += part;
        shared += part * s->matter[ball].shares;
    }
    row->inverse = 1 / sum;
    row->most_stiff =
        STIFFNESS * row->lever * row->lever * s->vibration_rad_s * s->vibration_rad_s / shared;
    row->can_act = 1;
}

/* ---------------------------------------------------------------- creation */

/* Any unit vector at right angles to v. */
static struct vec3 some_across(struct vec3 v)
{
    struct vec3 other = fabs(v.x) < 0.6 ? (struct vec3){1, 0, 0} : (struct vec3){0, 1, 0};
    struct vec3 across = vec3_cross(v, other);
    return vec3_scale(across, 1 / vec3_length(across));
}

/* Sets the stiffness of both rows, by the stiffer of turning about n and about n x m: the bound of
 * sphere_step.c with the forces of unit torque instead of unit vectors. */
static void set_stiffness(const struct sphere_system *s, struct angle *angle,
                          const struct joint_frame *f, struct vec3 n)
{
    double stiffness = HUGE_VAL, bone = vec3_length(f->b);
    for (int i = 0; i < 2; i++) {
        struct joint_row row = {.lever = 1};
        set_forces(s, angle, f, i == 0 ? n : vec3_cross(n, f->direction), &row);
        stiffness = det_min(stiffness, row.most_stiff);
    }
    double motor = det_min(angle->joint->strength_n_m / MOTOR_GIVE_RAD, stiffness);
    for (int i = 0; i < 2; i++) {
        angle->rows[i].stiffness = stiffness;
        angle->rows[i].motor_stiffness = motor;
        angle->rows[i].motor_damping = bone * sqrt(motor * s->phenotype->mass_kg);
    }
}

static void set_birth(const struct sphere_system *s, struct angle *angle)
{
    struct joint_frame f = {.is_good = 0};
    angle->is_flat = angle->joint->reference < 0 && s->world.half_depth_m == HUGE_VAL;
    angle->has_frame = angle->joint->reference >= 0 || angle->is_flat;
    place_frame(s, angle, &f);
    if (angle->has_frame && !f.is_good) {
        angle->has_frame = 0;
        place_frame(s, angle, &f);
    }
    if (!f.is_good)
        return;
    struct vec3 m = f.direction;
    struct vec3 n = vec3_along(angle->joint->axis, m, -vec3_dot(angle->joint->axis, m));
    double size = vec3_length(n);
    n = size > PARALLEL ? vec3_scale(n, 1 / size) : some_across(m);
    angle->rest = to_frame(&f, m);
    angle->axis = to_frame(&f, n);
    angle->across = to_frame(&f, vec3_cross(n, m));
    set_stiffness(s, angle, &f, n);
    angle->rest_angle =
        det_atan2(vec3_length(vec3_cross(f.e1, f.direction)), vec3_dot(f.e1, f.direction));
}

int sphere_joints_create(struct sphere_system *s, struct arena *arena)
{
    s->angles = s->body->joint_count;
    s->angle = arena_take(arena, (size_t)s->angles, sizeof *s->angle);
    if (!s->angle)
        return ERR_MEMORY;
    for (int i = 0; i < s->angles; i++) {
        struct angle *angle = &s->angle[i];
        const struct sphere_joint *joint = angle->joint = &s->body->joints[i];
        angle->ball[0] = joint->sphere;
        angle->ball[1] = joint->base;
        angle->ball[2] = joint->end;
        angle->ball[3] = joint->reference >= 0 ? joint->reference : joint->sphere;
        set_birth(s, angle);
    }
    return 0;
}

/* The row of an axis: n (0) or t (1). b turns about the axis made perpendicular to it. */
static void place_axis(const struct sphere_system *s, const struct angle *angle,
                       const struct joint_frame *f, int axis, struct joint_row *row)
{
    struct vec3 about = axis == 0 ? f->n : f->t;
    double forward = vec3_dot(f->direction, f->m);
    double side = axis == 0 ? vec3_dot(f->direction, f->t) : -vec3_dot(f->direction, f->n);
    row->angle = det_atan2(side, forward);
    row->lever = sqrt(forward * forward + side * side);
    if (row->lever < 0.05)
        return;
    struct vec3 u = vec3_along(about, f->direction, -vec3_dot(about, f->direction));
    set_forces(s, angle, f, vec3_scale(u, 1 / row->lever), row);
}

/* A ball's row: away from the rest direction, or apart from the base bone. */
static void place_cone(const struct sphere_system *s, const struct angle *angle,
                       const struct joint_frame *f, struct joint_row *row)
{
    struct vec3 from = f->across > 0 ? f->m : f->e1, u = vec3_cross(from, f->direction);
    double sine = vec3_length(u);
    row->lever = 1;
    row->angle = det_atan2(sine, vec3_dot(from, f->direction));
    if (!(f->across > 0))
        row->angle -= angle->rest_angle;
    if (sine > PARALLEL)
        set_forces(s, angle, f, vec3_scale(u, 1 / sine), row);
}

static int is_cone(const struct angle *angle)
{
    return !angle->has_frame || angle->joint->kind == SPHERE_BALL;
}

static int row_count(const struct angle *angle)
{
    return is_cone(angle) ? 1 : 2;
}

static void place_rows(const struct sphere_system *s, struct angle *angle)
{
    struct joint_frame f = {.is_good = 0};
    place_frame(s, angle, &f);
    for (int i = 0; i < row_count(angle); i++) {
        struct joint_row *row = &angle->rows[i];
        row->can_act = 0;
        row->lever = 1;
        if (f.is_good && is_cone(angle))
            place_cone(s, angle, &f, row);
        else if (f.is_good)
            place_axis(s, angle, &f, i, row);
    }
}

/* Rate of turning by these velocities. */
static double turning(const struct sphere_system *s, const struct angle *angle,
                      const struct joint_row *row, int is_start)
{
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        int ball = angle->ball[i];
        sum += vec3_dot(row->force[i], is_start ? s->ball[ball].start : s->ball[ball].velocity);
    }
    return sum;
}

static void twist(struct sphere_system *s, const struct angle *angle, const struct joint_row *row,
                  double impulse)
{
    for (int i = 0; i < 4; i++) {
        struct ball *ball = &s->ball[angle->ball[i]];
        ball_push(ball, lanes_from(row->force[i]), impulse * ball->inverse_mass);
    }
}

/* ---------------------------------------------------------------- motors and limits */

/* As a muscle does: the angle at rest goes towards the target as fast as it may and as far as the
 * torque reaches; spring and damping together are bounded. */
static void drive(struct sphere_system *s, struct angle *angle, int axis)
{
    struct joint_row *row = &angle->rows[axis];
    const struct sphere_joint *joint = angle->joint;
    double target = s->base.effectors == EFFECTORS_HOLD ? 0 : angle->target[axis];
    double before = row->rest, most = joint->rate_rad_s * s->h;
    double reach = joint->strength_n_m / row->motor_stiffness;
    target = clamp(target, joint->lower[axis], joint->upper[axis]);
    row->rest += clamp(target - row->rest, -most, most);
    row->rest = clamp(row->rest, row->angle - reach, row->angle + reach);
    if (s->base.effectors == EFFECTORS_SLACK)
        return;
    double rest_rate = clamp((row->rest - before) / s->h, -joint->rate_rad_s, joint->rate_rad_s);
    double rate = turning(s, angle, row, 1) / row->lever;
    double stiffness = det_min(row->motor_stiffness, row->most_stiff);
    double damping = det_min(row->motor_damping,
                             MOTOR_DAMPING / STIFFNESS * row->most_stiff / s->vibration_rad_s);
    double torque = stiffness * (row->rest - row->angle) + damping * (rest_rate - rate);
    /* a joint that is folded up has no inertia: no faster than it may be in a radian of the fastest
     * vibration */
    double strength =
        det_min(joint->strength_n_m, joint->rate_rad_s * row->inverse * s->vibration_rad_s);
    row->torque = clamp(torque, -strength, strength);
}

/* How far an angle is beyond its limits. */
static double beyond(const struct angle *angle, int axis, double value)
{
    const struct sphere_joint *joint = angle->joint;
    if (is_cone(angle)) {
        int is_ball = joint->kind == SPHERE_BALL;
        double lower = angle->has_frame ? -HUGE_VAL : is_ball ? -joint->upper[0] : joint->lower[0];
        return value - clamp(value, lower, joint->upper[0]);
    }
    if (axis == 1 && joint->kind == SPHERE_HINGE)
        return value;
    return value - clamp(value, joint->lower[axis], joint->upper[axis]);
}

/* The torque that holds an angle within its limits. It gives back what it has taken, and no more:
 * of the impulse p = torque h / lever no more than makes p (rate + p / 2 inertia) the energy in
 * store. Pushed by a frame that turned, or by a stiffness that changed, while nothing was done
 * against it, it would be a motor. */
static void hold(struct sphere_system *s, struct angle *angle, int axis)
{
    struct joint_row *row = &angle->rows[axis];
    double off = beyond(angle, axis, row->angle);
    if (off == 0) {
        s->base.ledger.loss_limit_j += row->store;
        row->store = 0;
        return;
    }
    double sign = off > 0 ? -1 : 1, rate = sign * turning(s, angle, row, 1);
    double impulse = det_min(row->stiffness, row->most_stiff) * fabs(off) * s->h / row->lever;
    double most = (sqrt(rate * rate + 2 * row->store / row->inverse) - rate) * row->inverse;
    row->hold = sign * det_min(impulse, most) * row->lever / s->h;
}

void sphere_joints_place(struct sphere_system *s)
{
    for (int i = 0; i < s->angles; i++) {
        struct angle *angle = &s->angle[i];
        int kind = angle->joint->kind, can_drive = angle->joint->strength_n_m > 0;
        place_rows(s, angle);
        for (int k = 0; k < row_count(angle); k++) {
            struct joint_row *row = &angle->rows[k];
            row->torque = row->hold = 0;
            if (!row->can_act)
                continue;
            hold(s, angle, k);
            if (can_drive && kind != SPHERE_BALL && (k == 0 || kind == SPHERE_SADDLE))
                drive(s, angle, k);
        }
        for (int k = 0; k < 2; k++)
            angle->target[k] += angle->target_rate[k] * s->h;
    }
}

void sphere_joints_act(struct sphere_system *s, double share)
{
    for (int i = 0; i < s->angles; i++) {
        const struct angle *angle = &s->angle[i];
        for (int k = 0; k < row_count(angle); k++) {
            const struct joint_row *row = &angle->rows[k];
            double torque = row->torque + row->hold;
            if (torque != 0)
                twist(s, angle, row, share * torque * s->h / row->lever);
        }
    }
}

void sphere_joints_book(struct sphere_system *s)
{
    for (int i = 0; i < s->angles; i++) {
        struct angle *angle = &s->angle[i];
        for (int k = 0; k < row_count(angle); k++) {
            struct joint_row *row = &angle->rows[k];
            if (row->torque == 0 && row->hold == 0)
                continue;
            double rates = turning(s, angle, row, 1) + turning(s, angle, row, 0);
            double turned = 0.5 * s->h / row->lever * rates, work = row->torque * turned;
            s->base.ledger.work_effector_j += work;
            s->base.ledger.work_effector_positive_j += work > 0 ? work : 0;
            row->store -= row->hold * turned;
            s->base.ledger.gain_limit_j += det_max(-row->store, 0);
            row->store = det_max(row->store, 0);
        }
    }
}

void sphere_joints_damp(struct sphere_system *s, double share)
{
    for (int i = 0; i < s->angles; i++) {
        const struct angle *angle = &s->angle[i];
        for (int k = 0; k < row_count(angle); k++) {
            const struct joint_row *row = &angle->rows[k];
            double part = row->hold != 0 ? det_max(share, s->bone_damping) : share;
            if (row->can_act && part > 0)
                twist(s, angle, row, -part * turning(s, angle, row, 0) * row->inverse);
        }
    }
}

double sphere_joints_energy(const struct sphere_system *s)
{
    double sum = 0;
    for (int i = 0; i < s->angles; i++)
        sum += s->angle[i].rows[0].store + s->angle[i].rows[1].store;
    return sum;
}

void sphere_joint_state(const struct sphere_system *s, const struct angle *angle, int axis,
                        double *angle_rad, double *rate_rad_s)
{
    struct angle now = *angle;
    int row = axis < row_count(angle) ? axis : 0;
    place_rows(s, &now);
    *angle_rad = now.rows[row].angle;
    *rate_rad_s =
        now.rows[row].inverse > 0 ? turning(s, &now, &now.rows[row], 0) / now.rows[row].lever : 0;
}

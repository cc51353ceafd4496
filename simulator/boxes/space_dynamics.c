/* See space_dynamics.h.
 *
 * A midpoint step of h from (q0, v0), with V = (v0 + v1) / 2:
 *
 *   qm = q0 moved by v0 for h/2,  vm = guess of the velocity there
 *   v1 = v0 + h qdd(qm, vm, torques and drag at V) + impulses of contacts and limits
 *   q1 = qm moved by v1 for h/2, out of limits where it is beyond
 *   roots' v1, q1 such that each body has the momentum that the impulses gave: keep_momentum()
 *
 * vm decides the velocity products alone, which in space are all of the gyroscopic torque: it is guessed from the
 * accelerations of the last two steps, and mended by a second evaluation. What contacts and limits add to them is
 * known only afterwards, so that of the last step counts: without it a body that pushes itself off the ground errs by
 * three times as much energy. A servo's torque is that of the mean state, kp (target - value(qm) - h^2/4 qdd) - kd (v0 + h/2 qdd - target's rate): linear in qdd,
 * so its share joins what the freedom yields to. A torque beyond its bound is explicit, at the bound. */
#include "simulator/boxes/space_dynamics.h"

#include <math.h>

#include "common/error.h"
#include "simulator/boxes/space_limits.h"
#include "simulator/boxes/space_momentum.h"

/* An RK4 step needs h x rate of servos below this. */
#define RK4_STIFF 0.5
/* Contacts farther off their law have their step taken again in halves; so have limits that act alone while the energy
 * is out of balance by more than this share of the step's terms, and contacts with a greater share, or this one of the
 * motion's energy besides. */
#define LAW_RESIDUAL_MAX_M_S 1e-5
#define UNBALANCED           2e-3
#define UNBALANCED_TOUCHING  3e-2
#define MOTION_SHARE         2e-4
/* A step is split so many times, one within another, at most; for limits alone more often, for the energy of contacts
 * less. */
#define SPLITS_MAX        3
#define LIMIT_SPLITS_MAX  5
#define ENERGY_SPLITS_MAX 2
/* Energies are known to this share. */
#define ENERGY_ROUNDING 1e-10
/* Operations of a step for each link, each pair that may touch, and each face in drag and what may hide it. */
enum { LINK_WORK = 4000, PAIR_WORK = 30, FACE_WORK = 300 };
/* Gaps that RK4 steps may leave, rad or m. */
#define GAP_ROUNDING 1e-12

struct space_dynamics {
    struct space_tree tree;
    struct space_limits limits;
    struct space_drag drag;
    struct space_surfaces surfaces;
    struct space_contacts contacts;
    double law_residual; /* m/s, of the last step */
    /* per free root what it has at the start of the step, and where it is without what joint coordinates lose */
    struct space_momentum *momenta;
    struct impulse_sum
        *dragged; /* per free root: what drag gave it in the step, about the world's origin */
    int *roots, root_count;
    int has_momenta; /* they are known */
    struct impulse_sum
        given;    /* in the last step, by contacts, gravity and drag, about the world's origin */
    int is_given; /* it is known */
    const struct space_link *links;
    struct dynamics_settings settings;
    int coordinates, rates;
    int has_drag, is_stiff, has_drives;
    enum effector_state effectors;
    uint64_t steps, rk4_steps;
    /* operations so far, besides those of the cones; and of a midpoint step */
    uint64_t operations, step_operations;
    int is_posed; /* the tree is at the state */
    int known;    /* accelerations of so many steps before, up to 2: qdd, qdd_last, pressed */
    int is_pressing;
    double energy, start_energy;      /* of the state, and at the start of the step ... */
    int has_energy, has_start_energy; /* ... where they are known */
    int are_limits_alone;             /* in this step they act, and no contacts */

    struct servo *servos; /* per rate */
    int *link_of;         /* per rate */
    double *birth_inertia;
    int *is_clamped;
    double *q, *qd, *q0, *qd0, *qm, *vm, *q_stage, *q_rate, *q_sum;
    double *pressed; /* what contacts and limits added to qdd in the last step; 0 after an impact */
    double *qdd, *qdd_last, *v_sum, *tau, *extra, *zero;
    double *effort, *effort_extra; /* of servos alone: torque = effort - effort_extra qdd */
    double *work, *torque;
    struct ledger ledger;
};

/* ---------------------------------------------------------------- creation */

static int take_memory(struct space_dynamics *d, struct arena *arena)
{
    double **of_coordinates[] = {&d->q, &d->q0, &d->qm, &d->q_stage, &d->q_rate, &d->q_sum};
    double **of_rates[] = {&d->qd,   &d->qd0,   &d->vm,     &d->qdd,           &d->qdd_last,
                           &d->tau,  &d->extra, &d->zero,   &d->effort,        &d->effort_extra,
                           &d->work, &d->v_sum, &d->torque, &d->birth_inertia, &d->pressed};
    for (size_t i = 0; i < sizeof of_coordinates / sizeof of_coordinates[0]; i++)
        if (!(*of_coordinates[i] = arena_take(arena, (size_t)d->coordinates, sizeof(double))))
            return ERR_MEMORY;
    for (size_t i = 0; i < sizeof of_rates / sizeof of_rates[0]; i++)
        if (!(*of_rates[i] = arena_take(arena, (size_t)d->rates, sizeof(double))))
            return ERR_MEMORY;
    d->servos = arena_take(arena, (size_t)d->rates, sizeof d->servos[0]);
    d->link_of = arena_take(arena, (size_t)d->rates, sizeof d->link_of[0]);
    d->is_clamped = arena_take(arena, (size_t)d->rates, sizeof d->is_clamped[0]);
    d->roots = arena_take(arena, (size_t)d->tree.count, sizeof d->roots[0]);
    d->momenta = arena_take(arena, (size_t)d->tree.count, sizeof d->momenta[0]);
    d->dragged = arena_take(arena, (size_t)d->tree.count, sizeof d->dragged[0]);
    int is_complete =
        d->servos && d->link_of && d->is_clamped && d->roots && d->momenta && d->dragged;
    return is_complete ? 0 : ERR_MEMORY;
}

static void set_pose(struct space_dynamics *d)
{
    if (d->is_posed)
        return;
    space_tree_set_pose(&d->tree, d->q);
    space_tree_set_velocity(&d->tree, d->qd);
    d->is_posed = 1;
}

/* What each freedom feels at birth while the whole floats. */
static void weigh_freedoms(struct space_dynamics *d)
{
    set_pose(d);
    space_tree_factor(&d->tree, d->zero, 0);
    for (int i = 0; i < d->rates; i++) {
        d->tau[i] = 1;
        space_tree_respond(&d->tree, d->tau, NULL, d->qdd);
        d->birth_inertia[i] = 1 / d->qdd[i];
        d->tau[i] = 0;
        d->qdd[i] = 0;
    }
    for (int i = 0; i < d->rates; i++)
        d->qdd[i] = 0;
}

/* What a midpoint step takes before its contacts are solved. */
static void count_operations(struct space_dynamics *d)
{
    uint64_t boxes = (uint64_t)d->drag.box_count;
    d->step_operations =
        LINK_WORK * (uint64_t)d->tree.count + PAIR_WORK * (uint64_t)d->contacts.pair_count;
    if (d->has_drag)
        d->step_operations += FACE_WORK * 6 * boxes * (d->drag.law.has_exposure ? boxes : 1);
}

struct space_dynamics *space_dynamics_create(const struct space_body *body,
                                             const struct space_world *world,
                                             const struct dynamics_settings *settings,
                                             struct arena *arena)
{
    struct space_dynamics *d = arena_take(arena, 1, sizeof *d);
    if (!d ||
        space_tree_create(&d->tree, body->links, body->link_count, world->gravity_m_s2, arena) != 0)
        return NULL;
    d->links = body->links;
    d->settings = *settings;
    d->coordinates = d->tree.coordinates;
    d->rates = d->tree.rates;
    d->has_drag = world->drag.coefficient > 0;
    d->surfaces = world->surfaces;
    if (take_memory(d, arena) != 0 ||
        space_limits_create(&d->limits, &d->tree, body->links, arena) != 0 ||
        space_drag_create(&d->drag, &world->drag, body->boxes, body->box_count, body->links,
                          body->link_count, arena) != 0 ||
        space_contacts_create(&d->contacts, &d->tree, &d->limits, body->boxes, body->box_count,
                              &d->surfaces, settings, arena) != 0)
        return NULL;
    for (int i = 0; i < d->tree.count; i++)
        if (body->links[i].kind == SPACE_FREE)
            d->roots[d->root_count++] = i;
    for (int i = 0; i < d->tree.count; i++)
        for (int k = 0; k < d->tree.links[i].rates; k++)
            d->link_of[d->tree.links[i].rate + k] = i;
    space_tree_birth(&d->tree, d->q);
    weigh_freedoms(d);
    space_dynamics_set_joint_damping(d, settings->joint_damping_1_s);
    count_operations(d);
    space_dynamics_reset_ledger(d);
    return d;
}

/* ---------------------------------------------------------------- servos */

/* 1 if servos are too stiff for steps of RK4. */
static void judge_servos(struct space_dynamics *d)
{
    double h = d->settings.dt_s;
    d->is_stiff = d->has_drives = 0;
    for (int i = 0; i < d->rates; i++) {
        double kp, kd;
        servo_gains(&d->servos[i], d->effectors, d->settings.effector_mode, &kp, &kd);
        kd += d->servos[i].damping;
        d->is_stiff |= h * kd > RK4_STIFF * d->birth_inertia[i] ||
                       h * h * kp > RK4_STIFF * RK4_STIFF * d->birth_inertia[i];
        d->has_drives |= d->tree.is_driven[i];
    }
}

void space_dynamics_set_servo(struct space_dynamics *d, int rate, const struct servo *servo)
{
    d->servos[rate] = *servo;
    d->tree.is_driven[rate] = servo->law == SERVO_MOTION;
    judge_servos(d);
}

const struct servo *space_dynamics_servo(const struct space_dynamics *d, int rate)
{
    return &d->servos[rate];
}

void space_dynamics_set_effector(struct space_dynamics *d, int rate, double strength)
{
    const struct space_tree_link *l = &d->tree.links[d->link_of[rate]];
    struct link link = {.has_effector = 1, .strength = strength};
    struct servo servo = {.law = SERVO_EFFECTOR};
    link.joint_kind = rate - l->rate < l->slides ? LINK_LINEAR : LINK_HINGE;
    servo_init(&servo, &link, d->birth_inertia[rate], &d->settings, d->settings.joint_damping_1_s);
    space_dynamics_set_servo(d, rate, &servo);
}

void space_dynamics_set_target(struct space_dynamics *d, int rate, double target, double change)
{
    d->servos[rate].target = target;
    d->servos[rate].rate = change;
}

void space_dynamics_set_effectors(struct space_dynamics *d, enum effector_state state)
{
    d->effectors = state;
    judge_servos(d);
}

/* Targets of a link's slides and turns stay within their limits; those of a ball anywhere. */
static void find_target(const struct space_dynamics *d, int i, double ahead, double *target,
                        double *change)
{
    const struct space_tree_link *l = &d->tree.links[d->link_of[i]];
    const struct space_link *link = &d->links[d->link_of[i]];
    int k = i - l->rate, is_plain = k < l->slides + l->joint->turns;
    servo_target(&d->servos[i], d->effectors, is_plain ? link->lower[k] : -HUGE_VAL,
                 is_plain ? link->upper[k] : HUGE_VAL, ahead, target, change);
}

/* How far the values of a link's freedoms have still to go to their targets, and how these change. The way of a
 * ball is a rotation vector in its own axes, of target^-1 q. */
static void find_ways(const struct space_dynamics *d, const struct space_tree_link *l,
                      const double *q, double ahead, double *way, double *change)
{
    int plain = l->slides + l->joint->turns;
    double target[SPACE_RATES_MAX];
    for (int k = 0; k < l->rates; k++) {
        find_target(d, l->rate + k, ahead, &target[k], &change[k]);
        if (k < plain)
            way[k] = target[k] - q[l->coordinate + k];
    }
    if (!l->joint->has_ball)
        return;
    const double *at = q + l->coordinate + plain, *to = target + plain;
    struct quaternion ball = {at[0], at[1], at[2], at[3]};
    struct quaternion aim = quaternion_exp((struct vec3){to[0], to[1], to[2]});
    struct vec3 off = quaternion_log(quaternion_product(quaternion_back(aim), ball));
    way[plain] = -off.x;
    way[plain + 1] = -off.y;
    way[plain + 2] = -off.z;
}

/* Torques at coordinates q and rates v, `ahead` after the start of the step; half_step > 0: at the mean state of a
 * step whose start has the rates v and whose middle the coordinates q. */
static void set_torques(struct space_dynamics *d, const double *q, const double *v, double ahead,
                        double half_step)
{
    int mode = d->settings.effector_mode;
    for (int i = 0; i < d->tree.count; i++) {
        const struct space_tree_link *l = &d->tree.links[i];
        double way[SPACE_RATES_MAX], change[SPACE_RATES_MAX];
        int is_found = 0;
        for (int k = 0; k < l->rates; k++) {
            int at = l->rate + k;
            const struct servo *s = &d->servos[at];
            double kp = 0, kd = 0, torque = 0;
            int is_slack = s->torque_max <= 0 || d->effectors == EFFECTORS_SLACK;
            if (!is_slack)
                servo_gains(s, d->effectors, mode, &kp, &kd);
            if (is_slack || d->tree.is_driven[at]) {
                kp = kd = 0;
            } else if (servo_is_torque(s, d->effectors, mode)) {
                torque = servo_aim(s, d->effectors, mode, 0, 0, ahead) - kd * v[at];
            } else {
                if (!is_found)
                    find_ways(d, l, q, ahead, way, change);
                is_found = 1;
                torque = kp * way[k] + kd * (change[k] - v[at]);
            }
            if (half_step == 0)
                torque = is_slack ? 0 : servo_bound(s, torque, v[at]);
            d->effort[at] = torque;
            d->effort_extra[at] = half_step * kd + half_step * half_step * kp;
            d->extra[at] = d->effort_extra[at] + half_step * s->damping;
            d->tau[at] = torque - s->damping * v[at];
            d->is_clamped[at] = 0;
        }
    }
}

/* Driven freedoms: what their signals say. */
static void follow_signals(struct space_dynamics *d, double ahead, double *q, double *qd)
{
    for (int i = 0; i < d->rates && d->has_drives; i++) {
        const struct space_tree_link *l = &d->tree.links[d->link_of[i]];
        if (!d->tree.is_driven[i])
            continue;
        struct signal_value signal = signal_at(d->servos[i].signal, d->servos[i].time_s + ahead);
        q[l->coordinate + i - l->rate] = signal.value;
        qd[i] = signal.rate;
        d->tree.drive[i] = signal.acceleration;
    }
}

/* Driven freedoms come to the rates at the end of the step. */
static void set_drives(struct space_dynamics *d)
{
    double h = d->settings.dt_s;
    for (int i = 0; i < d->rates && d->has_drives; i++)
        if (d->tree.is_driven[i])
            d->tree.drive[i] =
                (signal_at(d->servos[i].signal, d->servos[i].time_s + h).rate - d->qd0[i]) / h;
}

/* What driven freedoms took in the last evaluation. */
static void set_drive_efforts(struct space_dynamics *d)
{
    for (int i = 0; i < d->rates && d->has_drives; i++) {
        int link = d->link_of[i];
        if (!d->tree.is_driven[i])
            continue;
        d->effort[i] = space_tree_drive_effort(&d->tree, link, i - d->tree.links[link].rate);
        d->effort_extra[i] = 0;
    }
}

/* ---------------------------------------------------------------- drag */

static struct space_motion motion_along(struct space_motion a, const struct space_motion *b,
                                        double s)
{
    return (struct space_motion){vec3_along(a.w, b->w, s), vec3_along(a.v, b->v, s)};
}

static struct space_wrench drag_wrench(const struct space_tensor *t, const struct space_motion *v)
{
    return (struct space_wrench){vec3_add(sym3_apply(&t->nn, v->w), mat3_back(&t->nv, v->v)),
                                 vec3_add(mat3_apply(&t->nv, v->w), sym3_apply(&t->fv, v->v))};
}

/* Velocities of all links at the pose for rates, without velocity products. */
static struct space_motion link_motion(const struct space_tree_link *l,
                                       const struct space_motion *up, const double *qd)
{
    struct space_motion v = {up->w, vec3_add(up->v, vec3_cross(up->w, l->r))};
    for (int k = 0; k < l->rates; k++) {
        if (k < l->slides)
            v.v = vec3_along(v.v, l->axes[k].s, qd[k]);
        else
            v.w = vec3_along(v.w, l->axes[k].s, qd[k]);
    }
    return v;
}

/* Loads of drag at the velocity that is set; in a midpoint step at the mean velocity, as far as it is known
 * before the accelerations: that of the rates `start`, less half_step times the accelerations that do not come
 * from those of the joints. */
static void set_drag(struct space_dynamics *d, const double *start, double half_step)
{
    const struct space_motion still = {{0, 0, 0}, {0, 0, 0}};
    struct space_tree *tree = &d->tree;
    if (!d->has_drag)
        return;
    space_drag_set(&d->drag, tree);
    space_tree_sum_biases(tree);
    for (int i = 0; i < tree->count; i++) {
        struct space_tree_link *l = &tree->links[i];
        const struct space_motion *up = l->parent < 0 ? &still : &l->up->mean;
        l->mean = link_motion(l, up, start + l->rate);
        struct space_motion known = motion_along(l->mean, &l->bias_sum, -half_step);
        known.v = vec3_along(known.v, tree->gravity, half_step);
        l->load = drag_wrench(&l->drag, &known);
    }
}

/* Power, at the pose, of the drag at some rates on the motion of others. */
static double drag_power(struct space_dynamics *d, const double *dragged, const double *rates)
{
    const struct space_motion still = {{0, 0, 0}, {0, 0, 0}};
    double power = 0;
    for (int i = 0; i < d->tree.count && d->has_drag; i++) {
        struct space_tree_link *l = &d->tree.links[i];
        l->mean = link_motion(l, l->parent < 0 ? &still : &l->up->mean, dragged + l->rate);
        l->load = drag_wrench(&l->drag, &l->mean);
    }
    for (int i = 0; i < d->tree.count && d->has_drag; i++) {
        struct space_tree_link *l = &d->tree.links[i];
        l->mean = link_motion(l, l->parent < 0 ? &still : &l->up->mean, rates + l->rate);
        power -= vec3_dot(l->load.n, l->mean.w) + vec3_dot(l->load.f, l->mean.v);
    }
    return power;
}

/* ---------------------------------------------------------------- the ledger */

void space_dynamics_reset_ledger(struct space_dynamics *d)
{
    set_pose(d);
    d->ledger = (struct ledger){0};
    d->ledger.energy_start_j =
        space_tree_kinetic_energy(&d->tree) + space_tree_potential_energy(&d->tree);
}

const struct ledger *space_dynamics_ledger(struct space_dynamics *d)
{
    struct ledger *l = &d->ledger;
    set_pose(d);
    l->kinetic_j = space_tree_kinetic_energy(&d->tree);
    l->potential_j = space_tree_potential_energy(&d->tree);
    double losses = l->loss_friction_j + l->loss_impact_j + l->loss_limit_j + l->loss_drag_j +
                    l->loss_damping_j;
    double gains = l->gain_push_out_j + l->gain_impact_j + l->gain_limit_j;
    l->residual_j =
        l->kinetic_j + l->potential_j - l->energy_start_j - l->work_effector_j + losses - gains;
    return l;
}

static void book_work(struct space_dynamics *d)
{
    for (int i = 0; i < d->rates; i++) {
        d->ledger.work_effector_j += d->work[i];
        if (d->work[i] > 0)
            d->ledger.work_effector_positive_j += d->work[i];
    }
}

static void book_limits(struct space_dynamics *d, double work)
{
    if (work > 0)
        d->ledger.gain_limit_j += work;
    else
        d->ledger.loss_limit_j -= work;
}

/* ---------------------------------------------------------------- RK4 */

/* Accelerations at the coordinates and rates, `ahead` after the start, and their part of the step in the sums. */
static void add_stage(struct space_dynamics *d, double *q, double *qd, double ahead, double share)
{
    struct space_tree *tree = &d->tree;
    follow_signals(d, ahead, q, qd);
    space_tree_set_pose(tree, q);
    space_tree_set_velocity(tree, qd);
    set_torques(d, q, qd, ahead, 0);
    set_drag(d, qd, 0);
    space_tree_factor(tree, d->zero, 0);
    space_tree_accelerate(tree, d->tau, d->qdd);
    set_drive_efforts(d);
    space_tree_coordinate_rates(tree, q, qd, d->q_rate);
    for (int i = 0; i < d->coordinates; i++)
        d->q_sum[i] += share * d->q_rate[i];
    for (int i = 0; i < d->rates; i++) {
        d->v_sum[i] += share * d->qdd[i];
        d->work[i] += share * d->effort[i] * qd[i];
        d->torque[i] = d->effort[i];
        d->ledger.loss_damping_j += share * d->servos[i].damping * qd[i] * qd[i];
    }
    if (d->has_drag)
        d->ledger.loss_drag_j -= share * drag_power(d, qd, qd);
}

/* The state of the next stage: from the start along the last one's rates. */
static void go_along(struct space_dynamics *d, double time_s)
{
    for (int i = 0; i < d->coordinates; i++)
        d->q_stage[i] = d->q0[i] + time_s * d->q_rate[i];
    for (int i = 0; i < d->rates; i++)
        d->vm[i] = d->qd0[i] + time_s * d->qdd[i];
}

static void step_rk4(struct space_dynamics *d)
{
    double h = d->settings.dt_s;
    d->operations += 2 * d->step_operations;
    d->is_posed = d->has_energy = 0;
    for (int i = 0; i < d->coordinates; i++)
        d->q_sum[i] = 0;
    for (int i = 0; i < d->rates; i++)
        d->v_sum[i] = d->work[i] = 0;
    add_stage(d, d->q, d->qd, 0, h / 6);
    go_along(d, h / 2);
    add_stage(d, d->q_stage, d->vm, h / 2, h / 3);
    go_along(d, h / 2);
    add_stage(d, d->q_stage, d->vm, h / 2, h / 3);
    go_along(d, h);
    add_stage(d, d->q_stage, d->vm, h, h / 6);
    for (int i = 0; i < d->coordinates; i++)
        d->q[i] = d->q0[i] + d->q_sum[i];
    for (int i = 0; i < d->rates; i++)
        d->qd[i] = d->qd0[i] + d->v_sum[i];
    space_tree_normalise(&d->tree, d->q);
    follow_signals(d, h, d->q, d->qd);
    d->known = 0;
    book_work(d);
}

/* ---------------------------------------------------------------- midpoint */

/* Servos whose torque is beyond its bound get the bound; 1 if there was one more. */
static int clamp_torques(struct space_dynamics *d, double half)
{
    int has_clamped = 0;
    for (int i = 0; i < d->rates; i++) {
        double torque = d->effort[i] - d->effort_extra[i] * d->qdd[i];
        if (d->tree.is_driven[i] || d->is_clamped[i] || d->servos[i].torque_max <= 0)
            continue;
        double most = servo_bound(&d->servos[i], torque, d->qd0[i] + half * d->qdd[i]);
        if (torque == most)
            continue;
        d->is_clamped[i] = has_clamped = 1;
        d->effort[i] = most;
        d->effort_extra[i] = 0;
        d->extra[i] = half * d->servos[i].damping;
        d->tau[i] = most - d->servos[i].damping * d->qd0[i];
    }
    return has_clamped;
}

/* Accelerations in the middle, with the rates vm there. */
static void accelerate_middle(struct space_dynamics *d, double half, int is_factored)
{
    struct space_tree *tree = &d->tree;
    space_tree_set_velocity(tree, d->vm);
    set_drag(d, d->qd0, half);
    for (int pass = 0; pass <= d->rates; pass++) {
        if (!is_factored || pass > 0 || d->has_drag)
            space_tree_factor(tree, d->extra, d->has_drag ? half : 0);
        space_tree_accelerate(tree, d->tau, d->qdd);
        set_drive_efforts(d);
        if (!clamp_torques(d, half))
            return;
    }
}

/* Rates in the middle from accelerations, with what is pressing. */
static void guess_middle(struct space_dynamics *d, double half, double last, double before)
{
    for (int i = 0; i < d->rates; i++)
        if (!d->tree.is_driven[i])
            d->vm[i] =
                d->qd0[i] + half * (last * d->qdd[i] + before * d->qdd_last[i] + d->pressed[i]);
}

/* Accelerations in the middle of the step, for the mean velocity of its first half. A mended guess costs no new
 * factors, and without it the energy of a tumbling box drifts by ten times as much. */
static void find_accelerations(struct space_dynamics *d, double half)
{
    /* a(h/4) from a(-h/2) and a(-3h/2), which are those of the last steps */
    int was_known = d->known > 1;
    for (int i = 0; i < d->rates && d->known == 0; i++)
        d->pressed[i] = 0;
    if (was_known)
        guess_middle(d, half, 1.75, -0.75);
    else
        guess_middle(d, half, 0, 0);
    for (int i = 0; i < d->rates; i++)
        d->qdd_last[i] = d->qdd[i];
    accelerate_middle(d, half, 0);
    /* a(h/4) from a(h/2) and a(-h/2); or a first guess with nothing known */
    if (was_known)
        guess_middle(d, half, 0.75, 0.25);
    else
        guess_middle(d, half, 1, 0);
    accelerate_middle(d, half, 1);
    d->known += d->known < 2;
}

/* Impulses of contacts and limits; the rates qd are those at the end of the step without. Returns 1 if a
 * contact is near. */
static int act_contacts(struct space_dynamics *d, double half)
{
    int contacts = space_contacts_find(&d->contacts, d->qd), limits = 0;
    d->law_residual = 0;
    if (d->limits.row_max > 0)
        limits = space_limits_find(&d->limits, &d->tree, d->qm, d->qd, 2 * half, contacts > 0);
    if (contacts + limits > 0) {
        for (int i = 0; i < d->rates; i++) {
            d->tree.drive[i] = 0;
            d->v_sum[i] = d->qd0[i] + half * d->qdd[i];
        }
        space_tree_factor_mass(&d->tree);
    }
    if (contacts > 0)
        d->law_residual = space_contacts_solve(&d->contacts, d->qd0, d->vm, d->qd);
    else if (limits > 0)
        book_limits(d, space_limits_solve(&d->limits, &d->tree, d->v_sum, d->qd));
    d->is_pressing = limits > 0;
    d->are_limits_alone = limits > 0 && contacts == 0;
    return contacts > 0;
}

/* For the next step: what contacts and limits did in this one, unless it was a blow. */
static void keep_pressed(struct space_dynamics *d, double h)
{
    int was_blow = space_contacts_had_impact(&d->contacts);
    for (int i = 0; i < d->rates; i++)
        d->pressed[i] = was_blow ? 0 : (d->qd[i] - d->qd0[i]) / h - d->qdd[i];
}

/* At the start of a step. Not where nothing can touch and there is no drag. */
static void find_momenta(struct space_dynamics *d)
{
    if (d->has_momenta || (d->contacts.pair_count == 0 && !d->has_drag))
        return;
    set_pose(d);
    for (int i = 0; i < d->root_count; i++)
        space_momentum_find(&d->tree, d->roots[i], &d->momenta[i]);
    d->has_momenta = 1;
}

/* What free root i has at the end of a step: impulses act, and gravity and drag change its velocity, in the middle. */
static void set_target(struct space_dynamics *d, int i, double half, struct space_momentum *m)
{
    struct vec3 linear, angular, drop = vec3_scale(d->tree.gravity, 2 * half * m->mass);
    struct vec3 middle = vec3_along(m->centre, m->linear, half / m->mass);
    const struct impulse_sum *dragged = &d->dragged[i];
    space_contacts_impulse(&d->contacts, d->roots[i], middle, &linear, &angular);
    struct vec3 sum = vec3_add(vec3_add(linear, drop), dragged->linear);
    struct vec3 swept = vec3_cross(middle, dragged->linear);
    angular = vec3_add(angular, vec3_sub(dragged->angular, swept));
    d->given.linear = vec3_add(d->given.linear, sum);
    d->given.angular = vec3_add(d->given.angular, vec3_add(angular, vec3_cross(middle, sum)));
    d->given.size += vec3_length(linear) + vec3_length(drop) + dragged->size;
    m->linear = vec3_add(m->linear, sum);
    m->angular = vec3_add(m->angular, angular);
    m->centre = vec3_along(middle, m->linear, half / m->mass);
}

/* Joint coordinates alone keep momentum to third order of h only; by RK4 to fifth order, but where torques jump. */
static void keep_momentum(struct space_dynamics *d, double half)
{
    d->is_given &= d->has_momenta;
    if (!d->has_momenta)
        return;
    set_pose(d);
    for (int i = 0; i < d->root_count; i++) {
        struct space_momentum now, *target = &d->momenta[i];
        int root = d->roots[i];
        set_target(d, i, half, target);
        space_momentum_find(&d->tree, root, &now);
        double gain = space_momentum_set(&d->tree, root, &now, target, d->q, d->qd);
        gain -= now.mass * vec3_dot(d->tree.gravity, vec3_sub(target->centre, now.centre));
        d->ledger.mended_j += fabs(gain);
    }
    space_tree_shift(&d->tree, d->q);
    space_tree_set_velocity(&d->tree, d->qd);
}

static double energy_now(struct space_dynamics *d)
{
    set_pose(d);
    return space_tree_kinetic_energy(&d->tree) + space_tree_potential_energy(&d->tree);
}

/* The same, and known from now on until the state changes. */
static double energy_at(struct space_dynamics *d)
{
    d->energy = energy_now(d);
    d->has_energy = 1;
    return d->energy;
}

/* Out of limits that are passed. Servos take back what they did on the way beyond; what else that does to the energy
 * is the limits'. */
static void leave_limits(struct space_dynamics *d)
{
    double *way = d->v_sum, taken = 0, positive = 0;
    if (!d->is_pressing || space_limits_gap(&d->limits, &d->tree, d->q) >= -GAP_ROUNDING)
        return;
    double before = energy_now(d);
    space_tree_factor(&d->tree, d->zero, 0);
    for (int i = 0; i < d->rates; i++)
        way[i] = 0;
    space_limits_project(&d->limits, &d->tree, d->q, way);
    d->is_posed = 0;
    for (int i = 0; i < d->rates; i++) {
        taken += d->torque[i] * way[i];
        positive += fmax(d->torque[i] * way[i], 0);
    }
    d->ledger.work_effector_j += taken;
    d->ledger.work_effector_positive_j += positive;
    book_limits(d, energy_now(d) - before - taken);
}

static void book_middle(struct space_dynamics *d, double half)
{
    for (int i = 0; i < d->rates; i++) {
        double way = half * (d->qd0[i] + d->qd[i]);
        d->torque[i] = d->effort[i] - d->effort_extra[i] * d->qdd[i];
        d->work[i] = d->torque[i] * way;
        d->ledger.loss_damping_j += d->servos[i].damping * (d->qd0[i] + half * d->qdd[i]) * way;
    }
    book_work(d);
}

/* What the loads of drag, at the pose in the middle, give a free root in a time. */
static struct impulse_sum drag_impulse(const struct space_dynamics *d, int root, double time_s)
{
    struct impulse_sum sum = {.size = 0};
    for (int i = root; i < d->tree.count && d->has_drag; i++) {
        const struct space_tree_link *l = &d->tree.links[i];
        if (space_momentum_root(&d->tree, i) != root)
            continue;
        struct vec3 moment = vec3_add(l->load.n, vec3_cross(l->at, l->load.f));
        sum.linear = vec3_along(sum.linear, l->load.f, -time_s);
        sum.angular = vec3_along(sum.angular, moment, -time_s);
        sum.size += time_s * vec3_length(l->load.f);
    }
    return sum;
}

/* Drag was that at the mean velocity without contacts. */
static void book_drag(struct space_dynamics *d, double half)
{
    double *dragged = d->v_sum, *mean = d->vm;
    for (int i = 0; i < d->rates && d->has_drag; i++) {
        dragged[i] = d->qd0[i] + half * d->qdd[i];
        mean[i] = 0.5 * (d->qd0[i] + d->qd[i]);
    }
    d->ledger.loss_drag_j -= 2 * half * drag_power(d, dragged, mean);
    for (int i = 0; i < d->root_count; i++)
        d->dragged[i] = drag_impulse(d, d->roots[i], 2 * half);
}

static void step_midpoint(struct space_dynamics *d)
{
    double h = d->settings.dt_s, half = h / 2;
    struct space_tree *tree = &d->tree;
    d->operations += d->step_operations;
    find_momenta(d);
    d->is_pressing = d->is_posed = d->has_energy = 0;
    space_tree_advance(tree, d->q0, d->qd0, half, d->qm);
    for (int i = 0; i < d->rates; i++)
        d->vm[i] = d->qd0[i];
    follow_signals(d, half, d->qm, d->vm);
    set_drives(d);
    space_tree_set_pose(tree, d->qm);
    set_torques(d, d->qm, d->qd0, half, half);
    find_accelerations(d, half);
    for (int i = 0; i < d->rates; i++)
        d->qd[i] = d->qd0[i] + h * d->qdd[i];
    int has_contacts = act_contacts(d, half);
    keep_pressed(d, h);
    space_tree_advance(tree, d->qm, d->qd, half, d->q);
    follow_signals(d, h, d->q, d->qd);
    book_middle(d, half);
    book_drag(d, half);
    if (has_contacts)
        space_contacts_book(&d->contacts, &d->ledger);
    leave_limits(d);
    keep_momentum(d, half);
    d->is_pressing |= space_contacts_keep(&d->contacts);
}

/* ---------------------------------------------------------------- steps */

static int is_finite(const struct space_dynamics *d)
{
    double sum = 0;
    for (int i = 0; i < d->coordinates; i++)
        sum += d->q[i] * 0;
    for (int i = 0; i < d->rates; i++)
        sum += d->qd[i] * 0;
    return sum == 0;
}

static void keep_start(struct space_dynamics *d)
{
    for (int i = 0; i < d->coordinates; i++)
        d->q0[i] = d->q[i];
    for (int i = 0; i < d->rates; i++)
        d->qd0[i] = d->qd[i];
}

static void go_back(struct space_dynamics *d, const struct ledger *ledger)
{
    for (int i = 0; i < d->coordinates; i++)
        d->q[i] = d->q0[i];
    for (int i = 0; i < d->rates; i++)
        d->qd[i] = d->qd0[i];
    d->ledger = *ledger;
    d->is_posed = 0;
}

/* RK4 where it may and where it ends within the limits; 1 if it did. */
static int try_rk4(struct space_dynamics *d)
{
    struct ledger ledger = d->ledger;
    int choice = d->settings.integrator;
    int is_free = choice == INTEGRATOR_AUTO && !d->is_stiff && !d->has_drag && !d->is_pressing;
    if (choice != INTEGRATOR_RK4 && !is_free)
        return 0;
    if (is_free && d->contacts.pair_count > 0) {
        set_pose(d);
        if (space_contacts_may_touch(&d->contacts))
            return 0;
    }
    d->has_momenta &= is_free;
    if (is_free)
        find_momenta(d);
    step_rk4(d);
    d->law_residual = 0;
    space_contacts_forget(&d->contacts);
    if (choice != INTEGRATOR_RK4 && d->limits.row_max > 0 &&
        !(space_limits_gap(&d->limits, &d->tree, d->q) >= 0)) {
        go_back(d, &ledger);
        return 0;
    }
    keep_momentum(d, d->settings.dt_s / 2);
    return 1;
}

static void set_step(struct space_dynamics *d, double dt_s)
{
    d->settings.dt_s = d->contacts.dt_s = dt_s;
}

static void advance_servos(struct space_dynamics *d)
{
    for (int i = 0; i < d->rates; i++)
        servo_advance(&d->servos[i], d->settings.dt_s);
}

/* The energy there should be, less that at the reset; and what came in and went. */
static double booked_energy(const struct ledger *l)
{
    return l->work_effector_j - l->loss_limit_j - l->loss_drag_j - l->loss_damping_j -
           l->loss_friction_j - l->loss_impact_j + l->gain_limit_j + l->gain_impact_j +
           l->gain_push_out_j;
}

static double turnover(const struct ledger *l)
{
    return l->work_effector_positive_j + l->loss_limit_j + l->loss_friction_j + l->loss_impact_j +
           l->gain_limit_j;
}

/* At (q0, qd0). */
static double find_start_energy(struct space_dynamics *d)
{
    d->is_posed = 0;
    space_tree_set_pose(&d->tree, d->q0);
    space_tree_set_velocity(&d->tree, d->qd0);
    return space_tree_kinetic_energy(&d->tree) + space_tree_potential_energy(&d->tree);
}

/* Whether the ledger went wrong since the start of the step: written so that what is not a number is. With contacts
 * steps are of first order, and more of the terms and a share of the motion's energy may be missing. */
static int is_unbalanced(struct space_dynamics *d, const struct ledger *before)
{
    const struct ledger *now = &d->ledger;
    double size = turnover(now) - turnover(before), share = UNBALANCED, off = 0;
    double start = d->start_energy, end = energy_at(d);
    double error = end - start - booked_energy(now) + booked_energy(before);
    double allowed = ENERGY_ROUNDING * (fabs(start) + fabs(end));
    if (!d->are_limits_alone) {
        share = UNBALANCED_TOUCHING;
        allowed += MOTION_SHARE * space_tree_kinetic_energy(&d->tree);
        off = now->mended_j - before->mended_j;
    }
    return !(fabs(error) + off <= share * size + allowed);
}

/* Where the step, split so many times before, has to be split; 0: nowhere. An impact is to be in the middle of a
 * part; contacts that cannot be held to their law need halves, and so does a joint that meets a limit, since it is
 * stopped at the step's end, which is of first order. */
static double find_split(struct space_dynamics *d, const struct ledger *before, int splits)
{
    double half = d->settings.dt_s / 2;
    int may_split = splits < SPLITS_MAX;
    if (may_split && d->law_residual > LAW_RESIDUAL_MAX_M_S)
        return half;
    double first = may_split ? space_contacts_split(&d->contacts) : 0;
    int most = d->are_limits_alone ? LIMIT_SPLITS_MAX : ENERGY_SPLITS_MAX;
    if (first > 0 || splits >= most || (!d->are_limits_alone && d->contacts.count == 0))
        return first;
    if (!d->has_start_energy)
        d->start_energy = find_start_energy(d);
    d->has_start_energy = 1;
    return is_unbalanced(d, before) ? half : 0;
}

/* A midpoint step, which is taken again in two parts where it has to be split. */
static void advance(struct space_dynamics *d, int splits)
{
    struct ledger ledger = d->ledger;
    struct impulse_sum given = d->given;
    double h = d->settings.dt_s;
    keep_start(d);
    d->start_energy = d->energy;
    d->has_start_energy = d->has_energy;
    step_midpoint(d);
    double first = find_split(d, &ledger, splits);
    if (first == 0) {
        advance_servos(d);
        return;
    }
    go_back(d, &ledger);
    d->energy = d->start_energy;
    d->has_energy = d->has_start_energy;
    d->given = given;
    d->known = d->has_momenta = 0;
    set_step(d, first);
    advance(d, splits + 1);
    double residual = d->law_residual;
    d->known = 0;
    set_step(d, h - first);
    advance(d, splits + 1);
    set_step(d, h);
    d->known = 0;
    if (residual > d->law_residual)
        d->law_residual = residual;
}

int space_dynamics_step(struct space_dynamics *d)
{
    keep_start(d);
    d->given = (struct impulse_sum){.size = 0};
    d->is_given = 1;
    if (try_rk4(d)) {
        d->rk4_steps++;
        advance_servos(d);
    } else {
        advance(d, 0);
    }
    d->steps++;
    return !is_finite(d);
}

/* ---------------------------------------------------------------- the state */

const double *space_dynamics_q(const struct space_dynamics *d)
{
    return d->q;
}

const double *space_dynamics_qd(const struct space_dynamics *d)
{
    return d->qd;
}

void space_dynamics_set_state(struct space_dynamics *d, const double *q, const double *qd)
{
    for (int i = 0; i < d->coordinates; i++)
        d->q[i] = q[i];
    for (int i = 0; i < d->rates; i++)
        d->qd[i] = qd[i];
    space_tree_normalise(&d->tree, d->q);
    follow_signals(d, 0, d->q, d->qd);
    d->is_posed = d->known = d->is_pressing = d->has_momenta = d->has_energy = 0;
    space_contacts_forget(&d->contacts);
    space_dynamics_reset_ledger(d);
}

const struct space_tree *space_dynamics_tree(struct space_dynamics *d)
{
    set_pose(d);
    return &d->tree;
}

double space_dynamics_effort(const struct space_dynamics *d, int rate)
{
    return d->torque[rate];
}

double space_dynamics_value(const struct space_dynamics *d, int rate)
{
    const struct space_tree_link *l = &d->tree.links[d->link_of[rate]];
    int k = rate - l->rate, plain = l->slides + l->joint->turns;
    const double *at = d->q + l->coordinate;
    if (k < plain)
        return at[k];
    struct vec3 v =
        quaternion_log((struct quaternion){at[plain], at[plain + 1], at[plain + 2], at[plain + 3]});
    return k == plain ? v.x : k == plain + 1 ? v.y : v.z;
}

double space_dynamics_birth_inertia(const struct space_dynamics *d, int rate)
{
    return d->birth_inertia[rate];
}

void space_dynamics_step_counts(const struct space_dynamics *d, uint64_t *steps,
                                uint64_t *rk4_steps)
{
    *steps = d->steps;
    *rk4_steps = d->rk4_steps;
}

int space_dynamics_contacts(const struct space_dynamics *d, const struct contact_point **contacts)
{
    *contacts = d->contacts.points;
    return d->contacts.point_count;
}

int space_dynamics_impulses(const struct space_dynamics *d, struct impulse_sum *impulses)
{
    *impulses = d->given;
    return d->is_given;
}

double space_dynamics_penetration(const struct space_dynamics *d)
{
    return d->contacts.penetration;
}

double space_dynamics_law_residual(const struct space_dynamics *d)
{
    return d->law_residual;
}

void space_dynamics_set_push_out(struct space_dynamics *d, double speed_m_s)
{
    d->contacts.push_out_speed = speed_m_s;
}

/* ---------------------------------------------------------------- what changes on the way */

void space_dynamics_set_world(struct space_dynamics *d, const struct space_world *world)
{
    d->tree.gravity = world->gravity_m_s2;
    d->surfaces = world->surfaces;
    d->has_drag = world->drag.coefficient > 0;
    space_drag_set_law(&d->drag, &world->drag);
    space_contacts_set_surfaces(&d->contacts);
    d->known = d->is_pressing = d->has_momenta = d->has_energy = 0;
    for (int i = 0; i < d->root_count; i++)
        d->dragged[i] = (struct impulse_sum){.size = 0};
    count_operations(d);
}

void space_dynamics_set_joint_damping(struct space_dynamics *d, double rate_1_s)
{
    for (int i = 0; i < d->rates; i++) {
        int is_free = d->links[d->link_of[i]].kind == SPACE_FREE;
        d->servos[i].damping = is_free ? 0 : rate_1_s * 2 * d->birth_inertia[i];
    }
    judge_servos(d);
}

uint64_t space_dynamics_work(const struct space_dynamics *d)
{
    return d->operations + d->contacts.cones.work;
}

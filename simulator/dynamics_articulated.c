/* The default solver: joint coordinates, articulated-body algorithm, RK4 in free motion and a Moreau
 * midpoint step where something may touch.
 *
 * A step is RK4 unless a contact, a joint limit or a pair of own parts could act within it, which the
 * state alone decides; then it is taken as
 *
 *   a1 = ABA(q, v);  qm = q + h/2 v;  vm = v + h/2 a1;  v* = v + h ABA(qm, vm)
 *   candidates at qm: contacts and limits with gap < h |vn*|;   X = M^-1 J',  W = J X
 *   projected Gauss-Seidel:  vn >= -gap/h apart, push-out when deep, -e vn- on impact;
 *                            0 <= ln,  |lt| <= mu ln
 *   v+ = v* + X l;   q+ = qm + h/2 v+
 *
 * after Moreau (1988) and Jean and Moreau (1992). The impulses act in the middle of the step, between
 * v1 = v + h/2 a2 and v1 + X l, so the work of a contact is exactly l . J (2 v1 + X l) / 2, that of a
 * torque in either half the torque times the way there. After an impact the velocity products of
 * the second half are evaluated anew with the velocities after it; without that a falling chain
 * gained 4 % of its losses unseen at 240 Hz.
 * With the gap rule nothing passes through anything
 * in one step; with the work rule the ledger books contacts without error. Servos, damping and drag
 * are taken at the mean velocity of the step, exactly solvable inside the algorithm and stable for
 * any gain. Penalty springs were tried elsewhere and create 2 to 7 % energy: not used. Semi-implicit
 * Euler in joint coordinates drifts: not offered.
 *
 * Expected sizes: 2 to 16 links, 2400 steps for an evaluation of 10 s, a few contacts at a time. */
#include "simulator/dynamics.h"

#include <math.h>

#include "common/detmath.h"
#include "common/error.h"
#include "simulator/collide.h"
#include "simulator/tree.h"

/* Penetration that is left alone, m: contacts rest within it instead of rattling. */
#define SLOP_M 1e-3
/* Deeper ones are pushed out, this share of the depth a step, no faster than that. */
#define PUSH_OUT_SHARE     0.2
#define PUSH_OUT_SPEED_M_S 0.05
/* The same for joint limits. */
#define LIMIT_SLOP_RAD       2e-3
#define LIMIT_PUSH_OUT_RAD_S 0.5
/* Slower impacts do not bounce. */
#define RESTITUTION_SPEED_M_S 0.2
/* Sweeps stop when no velocity changes by more than this, m/s. */
#define SWEEP_TOLERANCE_M_S 1e-9
/* Sweeps that still change a velocity by this much, m/s, have nothing to converge to. */
#define WEDGED_M_S 1e-3
/* Distance within which RK4 is not trusted to miss a contact, besides what the speed covers. */
#define CLEARANCE_M   1e-3
#define CLEARANCE_RAD 1e-4
/* Rows less mobile than this, compared with the whole body pushed at its centre, are left alone. */
#define ROW_MOBILITY 1e-6
#define CONTACTS_MAX 64
/* Impulses that change a rate by more than this have the second half of the step evaluated anew. */
#define IMPACT_RAD_S 0.2

/* A contact point or a joint limit, with up to two rows (normal, tangent). */
struct contact {
    int part, other;     /* parts; other -1 = ground; part -1 = a joint limit */
    int a, b;            /* links that feel it: +, -; -1 = none */
    int joint;           /* limit: its link */
    double sign;         /* limit: +1 lower, -1 upper */
    struct force row[2]; /* normal and tangent, spatial, about the root's origin */
    double gap, bound;   /* distance; the normal velocity must not fall below bound */
    double approach;     /* normal velocity at the start of the step, at this pose */
    double middle[2];    /* velocities just before the impulses, in the middle of the step */
    double free[2];      /* velocities without contact impulses */
    double impulse[2];
    double friction;
    int is_push_out, is_impact;
    int warm; /* slot that remembers the impulses, -1 = none */
    int feature;
    struct vec2 at, normal; /* for observers */
    int first_row;          /* index of the normal row in the system */
};

/* What is remembered of a contact from one step to the next. */
struct warm_start {
    int feature; /* -1 = nothing */
    double impulse[2];
};

struct pair {
    int a, b; /* parts */
};

struct servo {
    double kp, kd;   /* position */
    double motor_kd; /* torque mode: speed at which the torque vanishes */
    double torque_max;
    double damping;      /* passive, of the joint */
    double target, rate; /* the signal and how it moves */
};

struct dynamics {
    const struct phenotype *phenotype;
    struct dynamics_settings settings;
    struct world world;
    struct tree tree;
    int dof, links, parts;
    double *q, *qd;
    uint64_t steps, rk4_steps;
    enum effector_state effectors;
    double damping_rate;
    double push_out_speed;

    struct servo *servos; /* per link */
    double *birth_d;      /* inertia that each joint feels at birth */
    double *lower, *upper;
    double *part_cos, *part_sin, *part_radius; /* of each part in its link */
    struct pair *pairs;                        /* parts that may collide */
    int pair_count;

    /* what the present state allows */
    int is_examined, may_touch, is_violated;

    /* scratch of a step */
    struct box *boxes;
    double *q0, *qd0, *qm, *vm, *v1, *vs, *kick, *qdd, *tau, *extra;
    double *effector_tau, *effector_extra; /* parts of tau and extra that are the effectors' */
    double *effector_work;                 /* of this step */
    int *clamped;                          /* -1, 0, +1 */
    double *k_q, *k_v;                     /* RK4: sums of the stages */
    double *rate_mean;
    struct contact *contacts;
    int contact_count, contact_room, row_count;
    double *w;               /* rows x rows */
    double *x_qd;            /* rows x dof */
    struct motion *x_v;      /* rows x links */
    double *velocity;        /* of the rows */
    struct warm_start *warm; /* parts x 4 corners, pairs x 2, links */
    int warm_count;
    struct contact_point *points;
    int point_count;
    double penetration;
    double *torque; /* of the last step, per link */

    struct ledger ledger;
};

/* ---------------------------------------------------------------- creation */

static int take_scratch(struct dynamics *d, struct arena *arena)
{
    size_t dof = (size_t)d->dof, links = (size_t)d->links, parts = (size_t)d->parts;
    double **vectors[] = {&d->q,
                          &d->qd,
                          &d->q0,
                          &d->qd0,
                          &d->qm,
                          &d->vm,
                          &d->vs,
                          &d->v1,
                          &d->kick,
                          &d->qdd,
                          &d->tau,
                          &d->extra,
                          &d->k_q,
                          &d->k_v,
                          &d->effector_tau,
                          &d->effector_extra,
                          &d->effector_work,
                          &d->rate_mean,
                          &d->torque,
                          &d->birth_d};
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
        if (!(*vectors[i] = arena_take(arena, dof, sizeof(double))))
            return ERR_MEMORY;

    /* one contact a corner and two a pair at most, but no more than a body can use */
    size_t pairs = parts * (parts - 1) / 2;
    size_t contacts = 4 * parts + 2 * pairs;
    if (contacts > CONTACTS_MAX)
        contacts = CONTACTS_MAX;
    size_t rows = 2 * contacts + links;
    d->contact_room = (int)contacts;
    d->warm_count = (int)(4 * parts + 2 * pairs + links);
    d->servos = arena_take(arena, links, sizeof d->servos[0]);
    d->lower = arena_take(arena, links, sizeof(double));
    d->upper = arena_take(arena, links, sizeof(double));
    d->clamped = arena_take(arena, dof, sizeof(int));
    d->part_cos = arena_take(arena, parts, sizeof(double));
    d->part_sin = arena_take(arena, parts, sizeof(double));
    d->part_radius = arena_take(arena, parts, sizeof(double));
    d->pairs = arena_take(arena, pairs, sizeof d->pairs[0]);
    d->boxes = arena_take(arena, parts, sizeof d->boxes[0]);
    d->contacts = arena_take(arena, contacts + links, sizeof d->contacts[0]);
    d->points = arena_take(arena, contacts, sizeof d->points[0]);
    d->w = arena_take(arena, rows * rows, sizeof(double));
    d->x_qd = arena_take(arena, rows * dof, sizeof(double));
    d->x_v = arena_take(arena, rows * links, sizeof(struct motion));
    d->velocity = arena_take(arena, rows, sizeof(double));
    d->warm = arena_take(arena, (size_t)d->warm_count, sizeof d->warm[0]);
    if (!d->servos || !d->lower || !d->upper || !d->clamped || !d->part_cos || !d->part_sin ||
        !d->part_radius || !d->pairs || !d->boxes || !d->contacts || !d->points || !d->w ||
        !d->x_qd || !d->x_v || !d->velocity || !d->warm)
        return ERR_MEMORY;
    return 0;
}

/* Gains follow from the inertia that the joint feels at birth when the whole body floats, 1 / (M^-1)_ii,
 * so that a servo of any creature has the same natural frequency and is critically damped in free
 * motion. (The articulated inertia D of the algorithm holds the parent still: with it a servo between
 * a light root and a heavy child is too stiff by their ratio.) */
static void init_servos(struct dynamics *d)
{
    double omega = d->settings.servo_rad_s;
    tree_factor(&d->tree);
    for (int i = 1; i < d->links; i++) {
        const struct link *link = &d->phenotype->links[i];
        struct servo *servo = &d->servos[i];
        tree_impulse(&d->tree, (struct force){0}, -1, -1, i, 1, d->x_qd, d->x_v);
        double d0 = 1 / d->x_qd[2 + i];
        d->birth_d[i] = d0;
        d->lower[i] = link->lower_rad;
        d->upper[i] = link->upper_rad;
        servo->damping = d->damping_rate * 2 * d0;
        if (!link->has_effector)
            continue;
        servo->torque_max = link->torque_max_n_m;
        servo->kp = omega * omega * d0;
        servo->kd = 2 * omega * d0;
        servo->motor_kd = servo->torque_max / d->settings.joint_speed_rad_s;
        if (servo->motor_kd > servo->kd)
            servo->motor_kd = servo->kd;
    }
}

static void init_parts(struct dynamics *d)
{
    for (int i = 0; i < d->parts; i++) {
        const struct part *part = &d->phenotype->parts[i];
        det_sincos(part->local_angle_rad, &d->part_sin[i], &d->part_cos[i]);
        d->part_radius[i] =
            sqrt(part->width_m * part->width_m + part->height_m * part->height_m) / 2;
        for (int j = 0; j < i; j++)
            if (!phenotype_is_neighbour(d->phenotype, j, i))
                d->pairs[d->pair_count++] = (struct pair){j, i};
    }
}

static void forget_contacts(struct dynamics *d)
{
    for (int i = 0; i < d->warm_count; i++)
        d->warm[i].feature = -1;
    d->contact_count = d->point_count = 0;
    d->penetration = 0;
    d->is_examined = 0;
}

struct dynamics *dynamics_create(const struct phenotype *phenotype, const struct world *world,
                                 const struct dynamics_settings *settings, struct arena *arena)
{
    struct dynamics *d = arena_take(arena, 1, sizeof *d);
    if (!d || tree_create(&d->tree, phenotype, world->viscosity_pa_s, arena) != 0)
        return NULL;
    d->phenotype = phenotype;
    d->settings = *settings;
    d->world = *world;
    d->dof = d->tree.dof;
    d->links = phenotype->link_count;
    d->parts = phenotype->part_count;
    d->damping_rate = settings->joint_damping_1_s;
    if (take_scratch(d, arena) != 0)
        return NULL;
    tree_set_pose(&d->tree, d->q);
    tree_set_velocity(&d->tree, d->qd);
    init_servos(d);
    init_parts(d);
    forget_contacts(d);
    dynamics_reset_ledger(d);
    return d;
}

/* ---------------------------------------------------------------- settings and state */

void dynamics_set_target(struct dynamics *d, int link, double target, double rate)
{
    d->servos[link].target = target;
    d->servos[link].rate = rate;
}

void dynamics_set_effectors(struct dynamics *d, enum effector_state state)
{
    d->effectors = state;
}

void dynamics_set_world(struct dynamics *d, const struct world *world)
{
    if (world->viscosity_pa_s != d->world.viscosity_pa_s)
        tree_set_viscosity(&d->tree, d->phenotype, world->viscosity_pa_s);
    d->world = *world;
    d->is_examined = 0;
}

void dynamics_set_joint_damping(struct dynamics *d, double rate_1_s)
{
    d->damping_rate = rate_1_s;
    for (int i = 1; i < d->links; i++)
        d->servos[i].damping = rate_1_s * 2 * d->birth_d[i];
}

void dynamics_set_push_out(struct dynamics *d, double speed_m_s)
{
    d->push_out_speed = speed_m_s;
}

int dynamics_dof(const struct dynamics *d)
{
    return d->dof;
}

const double *dynamics_q(const struct dynamics *d)
{
    return d->q;
}

const double *dynamics_qd(const struct dynamics *d)
{
    return d->qd;
}

void dynamics_set_state(struct dynamics *d, const double *q, const double *qd)
{
    for (int i = 0; i < d->dof; i++) {
        d->q[i] = q[i];
        d->qd[i] = qd[i];
    }
    tree_set_pose(&d->tree, d->q);
    tree_set_velocity(&d->tree, d->qd);
    forget_contacts(d);
}

void dynamics_stop(struct dynamics *d)
{
    for (int i = 0; i < d->dof; i++)
        d->qd[i] = 0;
    tree_set_velocity(&d->tree, d->qd);
    forget_contacts(d);
    dynamics_reset_ledger(d);
}

void dynamics_part_state(const struct dynamics *d, int part, struct part_state *state)
{
    const struct part *p = &d->phenotype->parts[part];
    const struct tree_link *l = &d->tree.links[p->link];
    double x = l->px + (l->cos * p->local.x - l->sin * p->local.y);
    double y = l->py + (l->sin * p->local.x + l->cos * p->local.y);
    state->x_m = d->tree.root_x + x;
    state->y_m = d->tree.root_y + y;
    state->angle_rad = l->angle + p->local_angle_rad;
    state->vx_m_s = l->v.x - l->v.w * y;
    state->vy_m_s = l->v.y + l->v.w * x;
    state->omega_rad_s = l->v.w;
}

struct vec2 dynamics_centre_of_mass(const struct dynamics *d)
{
    double x = 0, y = 0;
    for (int i = 0; i < d->links; i++) {
        x += d->tree.links[i].mass * d->tree.links[i].cx;
        y += d->tree.links[i].mass * d->tree.links[i].cy;
    }
    return (struct vec2){d->tree.root_x + x / d->tree.mass, d->tree.root_y + y / d->tree.mass};
}

void dynamics_momentum(const struct dynamics *d, double momentum[3])
{
    momentum[0] = momentum[1] = momentum[2] = 0;
    for (int i = 0; i < d->links; i++) {
        const struct tree_link *l = &d->tree.links[i];
        double x = l->mass * (l->v.x - l->v.w * l->cy), y = l->mass * (l->v.y + l->v.w * l->cx);
        momentum[0] += x;
        momentum[1] += y;
        momentum[2] +=
            l->inertia * l->v.w + (d->tree.root_x + l->cx) * y - (d->tree.root_y + l->cy) * x;
    }
}

void dynamics_step_counts(const struct dynamics *d, uint64_t *steps, uint64_t *rk4_steps)
{
    *steps = d->steps;
    *rk4_steps = d->rk4_steps;
}

int dynamics_contacts(const struct dynamics *d, const struct contact_point **contacts)
{
    *contacts = d->points;
    return d->point_count;
}

double dynamics_penetration(const struct dynamics *d)
{
    return d->penetration;
}

double dynamics_torque(const struct dynamics *d, int link)
{
    return d->torque[link];
}

void dynamics_reset_ledger(struct dynamics *d)
{
    d->ledger = (struct ledger){0};
    d->ledger.energy_start_j =
        tree_kinetic_energy(&d->tree) + tree_potential_energy(&d->tree, d->world.gravity_m_s2);
}

const struct ledger *dynamics_ledger(struct dynamics *d)
{
    struct ledger *l = &d->ledger;
    l->kinetic_j = tree_kinetic_energy(&d->tree);
    l->potential_j = tree_potential_energy(&d->tree, d->world.gravity_m_s2);
    l->residual_j = l->kinetic_j + l->potential_j - l->energy_start_j - l->work_effector_j +
                    l->loss_friction_j + l->loss_impact_j + l->loss_limit_j + l->loss_drag_j +
                    l->loss_damping_j - l->gain_push_out_j - l->gain_impact_j - l->gain_limit_j;
    return l;
}

/* ---------------------------------------------------------------- geometry */

/* The part as a box: x relative to the root's origin (so that far from the world's origin nothing is
 * lost), y above the ground. */
static void place_box(const struct dynamics *d, int part, struct box *box)
{
    const struct part *p = &d->phenotype->parts[part];
    const struct tree_link *l = &d->tree.links[p->link];
    box->x = l->px + (l->cos * p->local.x - l->sin * p->local.y);
    box->y = d->tree.root_y + (l->py + (l->sin * p->local.x + l->cos * p->local.y));
    box->half_width = p->width_m / 2;
    box->half_height = p->height_m / 2;
    box->cos = l->cos * d->part_cos[part] - l->sin * d->part_sin[part];
    box->sin = l->sin * d->part_cos[part] + l->cos * d->part_sin[part];
}

static void place_boxes(struct dynamics *d)
{
    for (int i = 0; i < d->parts; i++)
        place_box(d, i, &d->boxes[i]);
}

/* Velocity of the centre of a part's box, from the velocities of the tree. */
static void box_velocity(const struct dynamics *d, int part, double *vx, double *vy, double *w)
{
    const struct tree_link *l = &d->tree.links[d->phenotype->parts[part].link];
    *w = l->v.w;
    *vx = l->v.x - l->v.w * (d->boxes[part].y - d->tree.root_y);
    *vy = l->v.y + l->v.w * d->boxes[part].x;
}

/* How fast the boxes may close in, m/s, at most. */
static double closing_speed(const struct dynamics *d, int a, int b)
{
    double ax, ay, aw, bx, by, bw;
    box_velocity(d, a, &ax, &ay, &aw);
    box_velocity(d, b, &bx, &by, &bw);
    double dx = ax - bx, dy = ay - by;
    return sqrt(dx * dx + dy * dy) + fabs(aw) * d->part_radius[a] + fabs(bw) * d->part_radius[b];
}

static int are_circles_apart(const struct dynamics *d, int a, int b, double margin)
{
    double dx = d->boxes[a].x - d->boxes[b].x, dy = d->boxes[a].y - d->boxes[b].y;
    double reach = d->part_radius[a] + d->part_radius[b] + margin;
    return dx * dx + dy * dy > reach * reach;
}

void dynamics_bounds(const struct dynamics *d, double bounds[4])
{
    for (int i = 0; i < d->parts; i++) {
        struct box b;
        place_box(d, i, &b);
        double x = d->tree.root_x + b.x;
        double rx = fabs(b.cos) * b.half_width + fabs(b.sin) * b.half_height;
        double ry = fabs(b.sin) * b.half_width + fabs(b.cos) * b.half_height;
        bounds[0] = i ? fmin(bounds[0], x - rx) : x - rx;
        bounds[1] = i ? fmin(bounds[1], b.y - ry) : b.y - ry;
        bounds[2] = i ? fmax(bounds[2], x + rx) : x + rx;
        bounds[3] = i ? fmax(bounds[3], b.y + ry) : b.y + ry;
    }
}

double dynamics_overlap(const struct dynamics *d)
{
    /* within one link nothing can be pushed apart, but it is overlap all the same */
    double deepest = 0;
    for (int i = 0; i < d->parts; i++)
        for (int j = 0; j < i; j++) {
            const struct part *parts = d->phenotype->parts;
            if (parts[i].parent == j || parts[j].parent == i)
                continue;
            struct box a, b;
            place_box(d, i, &a);
            place_box(d, j, &b);
            deepest = fmax(deepest, -collide_separation(&a, &b));
        }
    return deepest;
}

/* Looks at the present state: does anything touch already (violated), could it within a step? */
static void examine_state(struct dynamics *d)
{
    double h = d->settings.dt_s * 1.5;
    d->is_examined = 1;
    d->is_violated = d->may_touch = 0;
    for (int i = 1; i < d->links; i++) {
        double gap = fmin(d->q[2 + i] - d->lower[i], d->upper[i] - d->q[2 + i]);
        d->is_violated |= gap < 0;
        d->may_touch |= gap < CLEARANCE_RAD + h * fabs(d->qd[2 + i]);
    }
    if (d->is_violated)
        return;
    place_boxes(d);
    for (int i = 0; i < d->parts && d->world.has_ground; i++) {
        double vx, vy, w, gap = collide_lowest(&d->boxes[i]);
        box_velocity(d, i, &vx, &vy, &w);
        d->is_violated |= gap < 0;
        d->may_touch |= gap < CLEARANCE_M + h * (fabs(vy) + fabs(w) * d->part_radius[i]);
    }
    for (int k = 0; k < d->pair_count && !d->is_violated; k++) {
        int a = d->pairs[k].a, b = d->pairs[k].b;
        double margin = CLEARANCE_M + h * closing_speed(d, a, b);
        if (are_circles_apart(d, a, b, margin))
            continue;
        double gap = collide_separation(&d->boxes[a], &d->boxes[b]);
        d->is_violated |= gap < 0;
        d->may_touch |= gap < margin;
    }
    d->may_touch |= d->is_violated;
}

/* ---------------------------------------------------------------- joint torques */

/* The effector's torque before the implicit part, and that part's share of the inertia. `half` is
 * h/2 in the implicit midpoint step and 0 for explicit evaluation at time offset `ahead`. */
static void effector_torque(const struct dynamics *d, int i, double q, double qd, double half,
                            double ahead, double *tau, double *extra)
{
    const struct servo *s = &d->servos[i];
    if (d->effectors == EFFECTORS_ON && d->settings.effector_mode == EFFECTOR_TORQUE) {
        double share = s->target + s->rate * ahead;
        share = share > 1 ? 1 : share < -1 ? -1 : share;
        *tau = share * s->torque_max - s->motor_kd * qd;
        *extra = half * s->motor_kd;
        return;
    }
    double target = 0, rate = 0;
    if (d->effectors == EFFECTORS_ON) {
        /* the joint clamps the requested angle to its limits before it becomes a force */
        target = s->target + s->rate * ahead;
        rate = s->rate;
        if (target > d->upper[i] || target < d->lower[i]) {
            target = target > d->upper[i] ? d->upper[i] : d->lower[i];
            rate = 0;
        }
    }
    *tau = s->kp * (target - q - half * qd) - s->kd * (qd - rate);
    *extra = half * s->kd + half * half * s->kp;
}

/* Fills tau and extra for rates qd at joint angles q. Explicit torques are clamped here; implicit
 * ones are clamped where `clamped` says so. */
static void set_torques(struct dynamics *d, const double *q, const double *qd, double half,
                        double ahead)
{
    for (int i = 1; i < d->links; i++) {
        const struct servo *s = &d->servos[i];
        int at = 2 + i;
        double tau = 0, extra = 0;
        if (s->torque_max > 0 && d->effectors != EFFECTORS_SLACK) {
            effector_torque(d, i, q[at], qd[at], half, ahead, &tau, &extra);
            if (half > 0 ? d->clamped[at] != 0 : fabs(tau) > s->torque_max) {
                int sign = half > 0 ? d->clamped[at] : tau > 0 ? 1 : -1;
                tau = sign * s->torque_max;
                extra = 0;
            }
        }
        d->effector_tau[at] = tau;
        d->effector_extra[at] = extra;
        d->tau[at] = tau - s->damping * qd[at];
        d->extra[at] = extra + half * s->damping;
    }
}

/* First guess of which implicit torques exceed their bound, from the inertia at birth. */
static void guess_clamps(struct dynamics *d, const double *q, const double *qd, double half)
{
    for (int i = 1; i < d->links; i++) {
        const struct servo *s = &d->servos[i];
        int at = 2 + i;
        d->clamped[at] = 0;
        if (s->torque_max <= 0 || d->effectors == EFFECTORS_SLACK)
            continue;
        double tau, extra;
        effector_torque(d, i, q[at], qd[at], half, half, &tau, &extra);
        tau *= d->birth_d[i] / (d->birth_d[i] + extra);
        if (fabs(tau) > s->torque_max)
            d->clamped[at] = tau > 0 ? 1 : -1;
    }
}

/* Implicit accelerations at the tree's pose and velocity, with servo, damping and drag at the mean
 * velocity of the step that began with (q0, qd0). Torques beyond their bound are clamped and the
 * accelerations computed again, until all hold. */
static void accelerate_implicit(struct dynamics *d, double half)
{
    for (int pass = 0; pass <= d->links; pass++) {
        int is_exceeded = 0;
        set_torques(d, d->q0, d->qd0, half, half);
        tree_accelerate(&d->tree, d->tau, d->extra, d->world.gravity_m_s2, half, d->qdd);
        for (int i = 1; i < d->links; i++) {
            int at = 2 + i;
            double tau = d->effector_tau[at] - d->effector_extra[at] * d->qdd[at];
            if (d->clamped[at] == 0 && fabs(tau) > d->servos[i].torque_max * (1 + 1e-9)) {
                d->clamped[at] = tau > 0 ? 1 : -1;
                is_exceeded = 1;
            }
        }
        if (!is_exceeded)
            return;
    }
}

/* ---------------------------------------------------------------- contacts */

static double row_velocity(struct force row, struct motion v)
{
    return row.n * v.w + row.x * v.x + row.y * v.y;
}

/* Relative velocity along a row of a contact for link velocities v[]. */
static double contact_velocity(const struct contact *c, int row, const struct motion *v)
{
    double velocity = row_velocity(c->row[row], v[c->a]);
    if (c->b >= 0)
        velocity -= row_velocity(c->row[row], v[c->b]);
    return velocity;
}

/* The same for the velocities of the tree. */
static double link_velocity(const struct dynamics *d, const struct contact *c, int row)
{
    double velocity = row_velocity(c->row[row], d->tree.links[c->a].v);
    if (c->b >= 0)
        velocity -= row_velocity(c->row[row], d->tree.links[c->b].v);
    return velocity;
}

/* A contact has a normal and a tangent row, a limit only one. */
static int row_count(const struct contact *c)
{
    return c->part < 0 ? 1 : 2;
}

/* Adds a contact if it could act in this step; the tree has the velocities v*. */
static void add_contact(struct dynamics *d, int part, int other, const struct manifold *m,
                        const struct manifold_point *p, int warm)
{
    if (d->contact_count >= d->contact_room)
        return;
    const struct part *parts = d->phenotype->parts;
    struct contact *c = &d->contacts[d->contact_count];
    double rx = p->x, ry = p->y - d->tree.root_y;
    *c = (struct contact){.part = part,
                          .other = other,
                          .a = parts[part].link,
                          .b = other >= 0 ? parts[other].link : -1,
                          .gap = p->gap,
                          .friction = d->world.friction,
                          .warm = warm,
                          .feature = p->feature};
    double nx = m->normal_x, ny = m->normal_y, tx = ny, ty = -nx;
    c->row[0] = (struct force){rx * ny - ry * nx, nx, ny};
    c->row[1] = (struct force){rx * ty - ry * tx, tx, ty};
    c->free[0] = link_velocity(d, c, 0);
    if (c->gap > 0 && c->gap >= d->settings.dt_s * fabs(c->free[0]))
        return;
    c->free[1] = link_velocity(d, c, 1);
    c->at = (struct vec2){d->tree.root_x + p->x, p->y};
    c->normal = (struct vec2){nx, ny};
    d->contact_count++;
}

static void find_ground_contacts(struct dynamics *d)
{
    double h = d->settings.dt_s;
    for (int i = 0; i < d->parts; i++) {
        double vx, vy, w;
        box_velocity(d, i, &vx, &vy, &w);
        double margin = h * (fabs(vy) + fabs(w) * d->part_radius[i]) + 1e-9;
        if (d->boxes[i].y - d->part_radius[i] > margin)
            continue;
        struct manifold m;
        collide_ground(&d->boxes[i], margin, &m);
        for (int k = 0; k < m.count; k++)
            add_contact(d, i, -1, &m, &m.points[k], 4 * i + m.points[k].feature);
    }
}

static void find_self_contacts(struct dynamics *d)
{
    double h = d->settings.dt_s;
    for (int k = 0; k < d->pair_count; k++) {
        int a = d->pairs[k].a, b = d->pairs[k].b;
        double margin = h * closing_speed(d, a, b) + 1e-9;
        if (are_circles_apart(d, a, b, margin))
            continue;
        struct manifold m;
        collide_boxes(&d->boxes[a], &d->boxes[b], margin, &m);
        for (int i = 0; i < m.count; i++)
            add_contact(d, a, b, &m, &m.points[i], 4 * d->parts + 2 * k + i);
    }
}

static void find_limits(struct dynamics *d)
{
    double h = d->settings.dt_s;
    int warm = 4 * d->parts + 2 * d->pair_count;
    for (int i = 1; i < d->links; i++) {
        double to_lower = d->qm[2 + i] - d->lower[i], to_upper = d->upper[i] - d->qm[2 + i];
        double sign = to_lower <= to_upper ? 1 : -1, gap = fmin(to_lower, to_upper);
        double rate = sign * d->vs[2 + i];
        if (gap > 0 && gap >= h * fabs(rate))
            continue;
        d->contacts[d->contact_count++] = (struct contact){.part = -1,
                                                           .other = -1,
                                                           .a = -1,
                                                           .b = -1,
                                                           .joint = i,
                                                           .sign = sign,
                                                           .gap = gap,
                                                           .free = {rate, 0},
                                                           .approach = sign * d->qd0[2 + i],
                                                           .warm = warm + i,
                                                           .feature = sign > 0};
    }
}

/* The least normal velocity after the step. */
static void set_bound(const struct dynamics *d, struct contact *c)
{
    double h = d->settings.dt_s;
    int is_limit = c->part < 0;
    double slop = is_limit ? LIMIT_SLOP_RAD : SLOP_M;
    double fastest = is_limit ? LIMIT_PUSH_OUT_RAD_S : PUSH_OUT_SPEED_M_S;
    if (!is_limit && d->push_out_speed > 0) {
        slop = 0;
        fastest = d->push_out_speed;
    }
    c->is_push_out = c->is_impact = 0;
    if (c->gap > 0) {
        c->bound = -c->gap / h;
    } else {
        double speed = -c->gap > slop ? PUSH_OUT_SHARE * (-c->gap - slop) / h : 0;
        c->bound = speed < fastest ? speed : fastest;
        c->is_push_out = c->bound > 0;
    }
    double rebound = -d->world.elasticity * c->approach;
    if (!is_limit && d->world.elasticity > 0 && c->approach < -RESTITUTION_SPEED_M_S &&
        rebound > c->bound) {
        c->bound = rebound;
        c->is_impact = 1;
    }
}

/* Responses X of the rows and the matrix W = J X. */
static void build_system(struct dynamics *d)
{
    int row = 0;
    for (int i = 0; i < d->contact_count; i++) {
        struct contact *c = &d->contacts[i];
        c->first_row = row;
        for (int k = 0; k < row_count(c); k++, row++)
            tree_impulse(&d->tree, c->row[k], c->a, c->b, c->part < 0 ? c->joint : -1, c->sign,
                         d->x_qd + row * d->dof, d->x_v + row * d->links);
    }
    d->row_count = row;
    for (int i = 0; i < d->contact_count; i++) {
        const struct contact *c = &d->contacts[i];
        for (int k = 0; k < row_count(c); k++)
            for (int col = 0; col < row; col++)
                d->w[(c->first_row + k) * row + col] =
                    c->part < 0 ? c->sign * d->x_qd[col * d->dof + 2 + c->joint]
                                : contact_velocity(c, k, d->x_v + col * d->links);
    }
}

/* Changes one impulse and all velocities with it; returns the change of its own velocity. */
static double change_impulse(struct dynamics *d, int row, double *impulse, double to)
{
    double change = to - *impulse;
    if (change == 0)
        return 0;
    *impulse = to;
    int rows = d->row_count;
    for (int i = 0; i < rows; i++)
        d->velocity[i] += d->w[i * rows + row] * change;
    return fabs(change * d->w[row * rows + row]);
}

/* The change of a row's impulse that takes its velocity to `to`; 0 where no impulse can move it (two
 * parts on one hinge, touching at the hinge). */
static double impulse_to(const struct dynamics *d, int row, double to)
{
    double w = d->w[row * d->row_count + row];
    return w * d->tree.mass > ROW_MOBILITY ? (to - d->velocity[row]) / w : 0;
}

/* One projected Gauss-Seidel sweep; returns the largest change of a velocity. */
static double sweep(struct dynamics *d)
{
    double largest = 0;
    for (int i = 0; i < d->contact_count; i++) {
        struct contact *c = &d->contacts[i];
        int n = c->first_row, t = n + 1;
        double to = c->impulse[0] + impulse_to(d, n, c->bound);
        double change = change_impulse(d, n, &c->impulse[0], to > 0 ? to : 0);
        largest = change > largest ? change : largest;
        if (c->part < 0)
            continue;
        double most = c->friction * c->impulse[0];
        to = c->impulse[1] + impulse_to(d, t, 0);
        change = change_impulse(d, t, &c->impulse[1], to > most ? most : to < -most ? -most : to);
        largest = change > largest ? change : largest;
    }
    return largest;
}

/* Sweeps until nothing changes; returns the last change, m/s. */
static double sweep_contacts(struct dynamics *d)
{
    double change = 0;
    for (int i = 0; i < d->settings.contact_sweeps; i++) {
        change = sweep(d);
        if (change < SWEEP_TOLERANCE_M_S)
            break;
    }
    return change;
}

/* Impulses zero, velocities as they are without. */
static void clear_impulses(struct dynamics *d)
{
    for (int i = 0; i < d->contact_count; i++) {
        struct contact *c = &d->contacts[i];
        for (int k = 0; k < row_count(c); k++) {
            d->velocity[c->first_row + k] = c->free[k];
            c->impulse[k] = 0;
        }
    }
}

/* Starts from the impulses of the last step where the features are the same. Rows that cannot all be
 * pushed out at once (a part wedged between two, or against a joint limit) would load one another
 * without end: then penetrations are only kept from growing. */
static void solve_contacts(struct dynamics *d)
{
    clear_impulses(d);
    for (int i = 0; i < d->contact_count; i++) {
        struct contact *c = &d->contacts[i];
        const struct warm_start *w = &d->warm[c->warm];
        if (w->feature != c->feature)
            continue;
        for (int k = 0; k < row_count(c); k++)
            change_impulse(d, c->first_row + k, &c->impulse[k], w->impulse[k]);
    }
    if (sweep_contacts(d) < WEDGED_M_S)
        return;
    clear_impulses(d);
    for (int i = 0; i < d->contact_count; i++) {
        struct contact *c = &d->contacts[i];
        if (c->is_push_out) {
            c->bound = 0;
            c->is_push_out = 0;
        }
    }
    sweep_contacts(d);
}

/* Work of one row: impulse times the mean of the velocities before and after it, exactly. */
static double row_work(const struct dynamics *d, const struct contact *c, int k)
{
    double change = d->velocity[c->first_row + k] - c->free[k];
    return c->impulse[k] * (c->middle[k] + change / 2);
}

/* Newton's restitution with Coulomb friction can create energy: such an impact is solved again
 * without restitution. */
static void take_back_gaining_impacts(struct dynamics *d)
{
    double work = 0;
    int has_impact = 0;
    for (int i = 0; i < d->contact_count; i++) {
        const struct contact *c = &d->contacts[i];
        has_impact |= c->is_impact;
        for (int k = 0; k < row_count(c); k++)
            work += row_work(d, c, k);
    }
    if (!has_impact || work <= 0)
        return;
    for (int i = 0; i < d->contact_count; i++) {
        struct contact *c = &d->contacts[i];
        if (c->is_impact) {
            c->is_impact = 0;
            c->bound = c->gap > 0 ? -c->gap / d->settings.dt_s : 0;
        }
    }
    solve_contacts(d);
}

/* Books the work of each contact: losses by kind, and what is positive as unearned gain. */
static void book_contacts(struct dynamics *d)
{
    struct ledger *l = &d->ledger;
    for (int i = 0; i < d->contact_count; i++) {
        const struct contact *c = &d->contacts[i];
        double normal = row_work(d, c, 0), tangent = c->part < 0 ? 0 : row_work(d, c, 1);
        double work = normal + tangent;
        if (work > 0) {
            if (c->part < 0)
                l->gain_limit_j += work;
            else if (c->is_push_out)
                l->gain_push_out_j += work;
            else
                l->gain_impact_j += work;
        } else if (c->part < 0) {
            l->loss_limit_j -= work;
        } else if (normal > 0) {
            l->loss_friction_j -= work;
        } else if (tangent > 0) {
            l->loss_impact_j -= work;
        } else {
            l->loss_impact_j -= normal;
            l->loss_friction_j -= tangent;
        }
    }
}

/* What sensors and observers see, and what the next step starts from. */
static void keep_contacts(struct dynamics *d)
{
    for (int i = 0; i < d->warm_count; i++)
        d->warm[i].feature = -1;
    d->point_count = 0;
    d->penetration = 0;
    for (int i = 0; i < d->contact_count; i++) {
        const struct contact *c = &d->contacts[i];
        struct warm_start *w = &d->warm[c->warm];
        *w = (struct warm_start){c->feature, {c->impulse[0], c->impulse[1]}};
        if (c->part < 0)
            continue;
        if (-c->gap > d->penetration)
            d->penetration = -c->gap;
        if (c->impulse[0] > 0 || c->gap < SLOP_M)
            d->points[d->point_count++] =
                (struct contact_point){.part = c->part,
                                       .other = c->other,
                                       .at = c->at,
                                       .normal = c->normal,
                                       .gap_m = c->gap,
                                       .normal_impulse_n_s = c->impulse[0],
                                       .friction_impulse_n_s = c->impulse[1]};
    }
}

/* Finds what could act at the pose qm with the velocities v* (vs). */
static void find_contacts(struct dynamics *d)
{
    tree_set_velocity(&d->tree, d->vs);
    place_boxes(d);
    d->contact_count = 0;
    if (d->world.has_ground)
        find_ground_contacts(d);
    find_self_contacts(d);
    find_limits(d);
}

/* Velocities of the rows before the step and in its middle, bounds, and the system. */
static void prepare_contacts(struct dynamics *d)
{
    tree_set_velocity(&d->tree, d->qd0);
    for (int i = 0; i < d->contact_count; i++) {
        struct contact *c = &d->contacts[i];
        if (c->part >= 0)
            c->approach = link_velocity(d, c, 0);
        set_bound(d, c);
    }
    tree_set_velocity(&d->tree, d->v1);
    for (int i = 0; i < d->contact_count; i++) {
        struct contact *c = &d->contacts[i];
        if (c->part < 0)
            c->middle[0] = c->sign * d->v1[2 + c->joint];
        for (int k = 0; k < 2 && c->part >= 0; k++)
            c->middle[k] = link_velocity(d, c, k);
    }
    tree_factor(&d->tree);
    build_system(d);
}

/* Solves for the impulses; kick = X l is the change of the rates. Returns the largest one. */
static double kick_contacts(struct dynamics *d)
{
    solve_contacts(d);
    take_back_gaining_impacts(d);
    for (int j = 0; j < d->dof; j++)
        d->kick[j] = 0;
    for (int i = 0; i < d->contact_count; i++) {
        const struct contact *c = &d->contacts[i];
        for (int k = 0; k < row_count(c); k++) {
            const double *x = d->x_qd + (c->first_row + k) * d->dof;
            for (int j = 0; j < d->dof && c->impulse[k] != 0; j++)
                d->kick[j] += x[j] * c->impulse[k];
        }
    }
    double largest = 0;
    for (int j = 2; j < d->dof; j++)
        largest = fmax(largest, fabs(d->kick[j]));
    return largest;
}

/* Row velocities without impulses, anew, for other free rates vs. */
static void set_free_velocities(struct dynamics *d)
{
    tree_set_velocity(&d->tree, d->vs);
    for (int i = 0; i < d->contact_count; i++) {
        struct contact *c = &d->contacts[i];
        if (c->part < 0)
            c->free[0] = c->sign * d->vs[2 + c->joint];
        for (int k = 0; k < 2 && c->part >= 0; k++)
            c->free[k] = link_velocity(d, c, k);
    }
}

/* ---------------------------------------------------------------- steps */

/* Books the work of an effector over a step. */
static void book_effector(struct dynamics *d, double work)
{
    d->ledger.work_effector_j += work;
    if (work > 0)
        d->ledger.work_effector_positive_j += work;
}

/* Books effectors, damping and drag over one half of the step, in which the rates go from `from` to
 * `to` with the accelerations qdd. */
static void book_half(struct dynamics *d, const double *from, const double *to, double half)
{
    for (int i = 1; i < d->links; i++) {
        int at = 2 + i;
        double way = half * (from[at] + to[at]) / 2;
        double damping = d->servos[i].damping * (d->qd0[at] + half * d->qdd[at]);
        d->torque[i] = d->effector_tau[at] - d->effector_extra[at] * d->qdd[at];
        d->effector_work[at] += d->torque[i] * way;
        d->ledger.loss_damping_j += damping * way;
    }
    if (d->tree.has_drag) {
        for (int i = 0; i < d->dof; i++)
            d->rate_mean[i] = (from[i] + to[i]) / 2;
        d->ledger.loss_drag_j -= half * tree_drag_power(&d->tree, d->rate_mean, half);
    }
}

/* Accelerations at the tree's pose for the rates given. */
static void accelerate_at(struct dynamics *d, const double *rates, double half)
{
    if (d->tree.has_drag)
        tree_set_start_velocity(&d->tree, d->qd0);
    tree_set_velocity(&d->tree, rates);
    accelerate_implicit(d, half);
}

static void step_midpoint(struct dynamics *d)
{
    double h = d->settings.dt_s, half = h / 2;

    /* the tree is at (q0, qd0): first evaluation, then the middle of the step */
    guess_clamps(d, d->q0, d->qd0, half);
    accelerate_at(d, d->qd0, half);
    for (int i = 0; i < d->dof; i++) {
        d->qm[i] = d->q0[i] + half * d->qd0[i];
        d->vm[i] = d->qd0[i] + half * d->qdd[i];
        d->effector_work[i] = d->kick[i] = 0;
    }
    tree_set_pose(&d->tree, d->qm);
    accelerate_at(d, d->vm, half);
    for (int i = 0; i < d->dof; i++) {
        d->v1[i] = d->qd0[i] + half * d->qdd[i];
        d->vs[i] = d->qd0[i] + h * d->qdd[i];
    }
    book_half(d, d->qd0, d->v1, half);
    find_contacts(d);
    if (d->contact_count > 0) {
        prepare_contacts(d);
        if (kick_contacts(d) > IMPACT_RAD_S) {
            /* an impact in the middle: the second half has other velocity products */
            for (int i = 0; i < d->dof; i++)
                d->vm[i] += d->kick[i];
            accelerate_at(d, d->vm, half);
            for (int i = 0; i < d->dof; i++)
                d->vs[i] = d->v1[i] + half * d->qdd[i];
            set_free_velocities(d);
            kick_contacts(d);
        }
        book_contacts(d);
    }
    keep_contacts(d);

    /* v1 + kick is the start of the second half */
    for (int i = 0; i < d->dof; i++) {
        d->v1[i] += d->kick[i];
        d->qd[i] = d->vs[i] + d->kick[i];
        d->q[i] = d->qm[i] + half * d->qd[i];
    }
    if (d->tree.has_drag)
        tree_set_start_velocity(&d->tree, d->qd0);
    book_half(d, d->v1, d->qd, half);
    for (int i = 1; i < d->links; i++)
        book_effector(d, d->effector_work[2 + i]);
}

/* Classical Runge-Kutta; the powers of effectors, drag and damping are integrated as extra states. */
static void step_rk4(struct dynamics *d)
{
    static const double weight[4] = {1, 2, 2, 1}, offset[4] = {0, 0.5, 0.5, 1};
    double h = d->settings.dt_s, drag = 0, damping = 0;
    for (int i = 0; i < d->dof; i++) {
        d->k_q[i] = d->k_v[i] = d->effector_work[i] = 0;
        d->qm[i] = d->q0[i];
        d->vm[i] = d->qd0[i];
    }
    for (int stage = 0; stage < 4; stage++) {
        if (stage > 0) {
            double ahead = h * offset[stage];
            for (int i = 0; i < d->dof; i++) {
                d->qm[i] = d->q0[i] + ahead * d->vm[i];
                d->vm[i] = d->qd0[i] + ahead * d->qdd[i];
            }
            tree_set_pose(&d->tree, d->qm);
            tree_set_velocity(&d->tree, d->vm);
        }
        set_torques(d, d->qm, d->vm, 0, h * offset[stage]);
        tree_accelerate(&d->tree, d->tau, d->extra, d->world.gravity_m_s2, 0, d->qdd);
        double share = weight[stage] * h / 6;
        for (int i = 0; i < d->dof; i++) {
            d->k_q[i] += share * d->vm[i];
            d->k_v[i] += share * d->qdd[i];
        }
        for (int i = 1; i < d->links; i++) {
            int at = 2 + i;
            d->effector_work[at] += share * d->effector_tau[at] * d->vm[at];
            damping += share * d->servos[i].damping * d->vm[at] * d->vm[at];
        }
        if (d->tree.has_drag)
            drag -= share * tree_drag_power(&d->tree, d->vm, 0);
    }
    for (int i = 0; i < d->dof; i++) {
        d->q[i] = d->q0[i] + d->k_q[i];
        d->qd[i] = d->qd0[i] + d->k_v[i];
    }
    for (int i = 1; i < d->links; i++) {
        d->torque[i] = d->effector_tau[2 + i];
        d->rate_mean[2 + i] = d->effector_work[2 + i];
    }
    d->rate_mean[0] = drag;
    d->rate_mean[1] = damping;
}

/* RK4 is tried first where nothing can touch; 1 if the step holds. */
static int try_rk4(struct dynamics *d)
{
    step_rk4(d);
    tree_set_pose(&d->tree, d->q);
    tree_set_velocity(&d->tree, d->qd);
    d->is_examined = 0;
    if (d->settings.integrator == INTEGRATOR_AUTO) {
        examine_state(d);
        if (d->is_violated) {
            tree_set_pose(&d->tree, d->q0);
            tree_set_velocity(&d->tree, d->qd0);
            return 0;
        }
    }
    for (int i = 1; i < d->links; i++)
        book_effector(d, d->rate_mean[2 + i]);
    d->ledger.loss_drag_j += d->rate_mean[0];
    d->ledger.loss_damping_j += d->rate_mean[1];
    if (d->point_count > 0 || d->contact_count > 0) {
        d->contact_count = 0;
        keep_contacts(d);
    }
    d->rk4_steps++;
    return 1;
}

int dynamics_step(struct dynamics *d)
{
    for (int i = 0; i < d->dof; i++) {
        d->q0[i] = d->q[i];
        d->qd0[i] = d->qd[i];
    }
    int is_free = d->settings.integrator == INTEGRATOR_RK4;
    if (d->settings.integrator == INTEGRATOR_AUTO) {
        if (!d->is_examined)
            examine_state(d);
        is_free = !d->may_touch;
    }
    d->steps++;
    if (!is_free || !try_rk4(d)) {
        step_midpoint(d);
        tree_set_pose(&d->tree, d->q);
        tree_set_velocity(&d->tree, d->qd);
        d->is_examined = 0;
    }
    for (int i = 1; i < d->links; i++)
        d->servos[i].target += d->servos[i].rate * d->settings.dt_s;
    double sum = 0;
    for (int i = 0; i < d->dof; i++)
        sum += fabs(d->q[i]) + fabs(d->qd[i]);
    return isfinite(sum) ? 0 : 1;
}

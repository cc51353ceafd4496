/* The default solver: joint coordinates, articulated-body algorithm, RK4 in free motion and a Moreau
 * midpoint step where something may touch.
 *
 * A step is RK4 unless a contact, a joint limit or a pair of own parts could act within it, which the
 * state alone decides; then it is taken as
 *
 *   qm = q + h/2 v;  vm = v + h/2 a + k/2;  v* = v + h ABA(qm, vm)
 *   candidates at qm: contacts and limits with gap < h |vn*|;   X = M^-1 J',  W = J X
 *   impulses l so that       vn >= -gap/h apart, push-out when deep, -e vn- on impact;
 *                            0 <= ln,  |lt| <= mu ln
 *   v+ = v* + X l;   q+ = qm + h/2 v+;   k of the next step = X l where contacts last, else 0
 *   the root's v+ and q+ such that the whole has the momentum that the impulses gave: keep_momentum()
 *
 * after Moreau (1988) and Jean and Moreau (1992). The impulses act in the middle of the step, between
 * v1 = v + h/2 a2 and v1 + X l, so the work of a contact is exactly l . J (2 v1 + X l) / 2, that of a
 * torque in either half the torque times the way there. After an impact the velocity products of
 * the second half are evaluated anew with the velocities after it; without that a falling chain
 * gained 4 % of its losses unseen at 240 Hz. Without k the step is of first order under contact; an
 * impact just like the one in the step before is none, but a load that lasts.
 *
 * With the gap rule nothing passes through anything in one step; with the work rule the ledger books
 * contacts without error. Servos, damping and drag are taken at the mean velocity of the step,
 * exactly solvable inside the algorithm and stable for any gain. Penalty springs were tried elsewhere and create 2 to 7 % energy: not used. Semi-implicit
 * Euler in joint coordinates drifts: not offered.
 *
 * Expected sizes: 2 to 16 links, 2400 steps for an evaluation of 10 s, a few contacts at a time. */
#include <math.h>

#include "common/error.h"
#include "simulator/plane/contacts.h"
#include "simulator/plane/drag.h"
#include "simulator/body/dynamics_solver.h"
#include "simulator/plane/flight.h"
#include "simulator/plane/pair.h"
#include "simulator/body/servo.h"
#include "simulator/plane/tree.h"

/* Contacts that change a rate by this much more or less than in the step before are an impact: the
 * second half of the step is evaluated anew. rad/s, or m/s of linear joints. */
#define IMPACT_RATE 0.5
/* The velocities vm decide the velocity products alone, where drag is not quadratic. They are guessed
 * with the accelerations of the last two steps; guesses off by more than this, rad/s or m/s, are mended
 * by a second evaluation. */
#define GUESS_RATE 0.02
/* An RK4 step is halved when its energy is out of balance by more than this share, up to so many parts;
 * energies are known to this share. */
#define RK4_UNBALANCED 1e-4
#define RK4_PARTS      64
#define RK4_ROUNDING   1e-10
/* Momentum that a flight may lose, as a share of what impulses and speeds come to: limbs that thrash lose 2e-4. */
#define RK4_MOMENTUM 1e-3
/* Energy, as a share of what impacts pass on, that may be lost or gained by their instants. */
#define INSTANT_SHARE 1e-2
/* Steps in which drag acts faster than this are taken by the implicit scheme: h x rate. */
#define DRAG_STIFF 0.5

/* Servos and damping of the joints, in vectors as rates are, 0 for the root's. The effector's torque is
 * aim - kp (q + half qd) - kd qd, explicitly with half = 0, and no more than muscle_most() of `most`, hill_n_m and
 * hill_s_rad. */
struct joint_laws {
    double *kp, *kd, *damping, *most, *hill_n_m, *hill_s_rad;
    double *extra;         /* what the effector adds to the joint's inertia in a midpoint step */
    double *birth_share;   /* what that leaves of a torque, with the inertia at birth */
    double *target, *rate; /* of effectors, at the start of the step; the servos' own are older */
    double *is_plain;      /* 1: it follows its target, see plain_aim(); else 0 */
};

/* Energy, and what an error of it is compared with. */
struct balance {
    double energy_j, size_j;
};

struct articulated;

/* Bodies that take a midpoint step together, and of each its vectors for the contacts that they share. */
struct group {
    struct articulated **all;
    int count;
    struct contacts *contacts;
    double **q, **qd0, **qm, **v1, **vs, **kick, **rate_mean;
    struct ledger **ledgers;
};

/* Operations of a step for each link, pair of parts, and part and obstacle. */
enum { LINK_WORK = 800, PAIR_WORK = 8, OBSTACLE_WORK = 8 };

struct articulated {
    struct dynamics base;
    const struct phenotype *phenotype;
    struct dynamics_settings settings;
    struct world world;
    struct tree tree;
    struct flight flight; /* RK4 steps of trees of hinges */
    int is_flying;        /* they go that way */
    struct drag drag;
    double drag_rate_1_s; /* in this step, see drag_rate() */
    struct box *boxes;    /* for what is exposed to drag */
    int dof, links, parts;
    double *q, *qd;
    uint64_t steps, rk4_steps;
    int was_free;       /* the last step was one by RK4 */
    uint64_t step_work; /* operations of a step but for the impulses, roughly */
    enum effector_state effectors;
    double damping_rate;

    struct servo *servos;   /* per link */
    struct joint_laws laws; /* what the servos come to */
    int has_other_aims;     /* of effectors that are not plain */
    int has_curve;          /* torques fall with the rates */
    int has_damping;
    int has_signals; /* servos among them follow a signal */
    int has_drives;  /* servos among them prescribe motions */
    int has_stiff_muscles; /* too stiff for the parts of RK4 steps, which lose their strength within one */
    double *birth_d; /* inertia that each joint feels at birth */
    struct contacts contacts;
    struct group alone;
    struct articulated *self; /* what that is a list of, */
    struct ledger *account;   /* and its ledger */
    int has_accelerations;    /* of so many steps before: in qdd, and qdd_last */
    int is_posed, is_moving;  /* the tree is at q; its velocities are those of qd */
    int is_pressing;          /* contacts or limits did in the last step */
    int is_examined;          /* clearance is that of the present state */
    struct clearance clearance;
    /* now, where it is known, as it should be: momentum is kept by it */
    struct tree_bulk bulk;
    int is_bulk_known;
    struct force drag_impulse; /* of this step, about the root's origin in its middle */

    /* scratch of a step: vectors of dof numbers and, where that is odd, one that stays 0 */
    double *q0, *qd0, *qm, *vm, *mended, *v1, *vs, *kick, *qdd, *qdd_last, *tau, *extra;
    double *effector_tau, *effector_extra; /* parts of tau and extra that are the effectors' */
    double *effector_work;                 /* of this step */
    double *clamped;                       /* -1, 0, +1: to a line; -2, +2: to a number */
    double *low, *high;                    /* what the effectors' torques are kept within */
    double *bound_rate;                    /* the rates for which that is so */
    double *coupled;     /* per rate: 1 if velocity products depend on it, else 0 */
    double *k_q, *k_v;   /* RK4: sums of the stages */
    double *last_kick;   /* by contacts that last; 0 after an impact */
    double *kick_before; /* of the last step, whatever it was */
    double *rate_mean;
    double *work;             /* of an RK4 step: as in rate_mean */
    double *from_q, *from_qd; /* where a part of it begins */
    struct balance balance;   /* at its end; of the present state only if ... */
    int is_balance_known;
    double *still, *answer; /* rates that are 0; what rates do when driven joints are pulled */
    double pull_work_j[2];  /* by that in a midpoint step: in its middle, at its end */
    double *aim[3]; /* of the effectors: at the start of the step, in its middle, at its end */
    double *torque; /* of the last step, per link */

    struct ledger ledger;
};

static struct articulated *articulated_of(const struct dynamics *dynamics)
{
    return dynamics_of(dynamics, &dynamics_articulated);
}

/* ---------------------------------------------------------------- creation */

static int take_scratch(struct articulated *d, struct arena *arena)
{
    /* one block, cut into vectors of dof numbers, made even */
    double **vectors[] = {&d->q,
                          &d->qd,
                          &d->q0,
                          &d->qd0,
                          &d->qm,
                          &d->vm,
                          &d->mended,
                          &d->vs,
                          &d->v1,
                          &d->kick,
                          &d->qdd,
                          &d->qdd_last,
                          &d->tau,
                          &d->extra,
                          &d->k_q,
                          &d->k_v,
                          &d->effector_tau,
                          &d->effector_extra,
                          &d->effector_work,
                          &d->last_kick,
                          &d->kick_before,
                          &d->rate_mean,
                          &d->torque,
                          &d->work,
                          &d->from_q,
                          &d->from_qd,
                          &d->still,
                          &d->answer,
                          &d->birth_d,
                          &d->coupled,
                          &d->aim[0],
                          &d->aim[1],
                          &d->aim[2],
                          &d->clamped,
                          &d->low,
                          &d->high,
                          &d->bound_rate,
                          &d->laws.hill_n_m,
                          &d->laws.hill_s_rad,
                          &d->laws.kp,
                          &d->laws.kd,
                          &d->laws.damping,
                          &d->laws.most,
                          &d->laws.target,
                          &d->laws.rate,
                          &d->laws.is_plain,
                          &d->laws.extra,
                          &d->laws.birth_share};
    size_t count = sizeof vectors / sizeof vectors[0], even = (size_t)(d->dof + 1) & ~(size_t)1;
    double *block = arena_take(arena, count * even, sizeof(double));
    d->servos = arena_take(arena, (size_t)d->links, sizeof d->servos[0]);
    d->boxes = arena_take(arena, (size_t)d->parts, sizeof d->boxes[0]);
    if (!block || !d->servos || !d->boxes)
        return ERR_MEMORY;
    for (size_t i = 0; i < count; i++)
        *vectors[i] = block + i * even;
    return 0;
}

/* Velocity products do not depend on how fast the body as a whole moves along: not on the root's
 * velocity, nor on linear joints below which nothing can turn. */
static void find_coupled_rates(struct articulated *d)
{
    d->coupled[2] = !d->tree.is_root_fixed;
    for (int i = 1; i < d->links; i++) {
        const struct tree_link *l = &d->tree.links[i];
        d->coupled[2 + i] = !l->is_linear ? 1 : d->coupled[2 + l->parent];
    }
}

/* What a servo comes to with the effectors as they are. */
static void set_law(struct articulated *d, int i)
{
    const struct servo *s = &d->servos[i];
    struct joint_laws *laws = &d->laws;
    int at = 2 + i, mode = d->settings.effector_mode;
    int is_slack = s->torque_max <= 0 || d->effectors == EFFECTORS_SLACK;
    double half = d->settings.dt_s / 2, kp = 0, kd = 0;
    if (!is_slack)
        servo_gains(s, d->effectors, mode, &kp, &kd);
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
    int is_plain = !is_slack && servo_is_plain(s, d->effectors, mode);
    laws->is_plain[at] = is_plain;
    d->has_other_aims |= !is_slack && !is_plain;
    d->has_curve |= laws->hill_s_rad[at] > 0;
    d->has_damping |= s->damping != 0;
    flight_set_law(&d->flight, i,
                   &(struct flight_law){kp, kd, s->damping, laws->most[at], laws->hill_n_m[at],
                                        laws->hill_s_rad[at]});
}

static void set_laws(struct articulated *d)
{
    d->has_stiff_muscles = d->has_other_aims = d->has_curve = d->has_damping = 0;
    for (int i = 1; i < d->links; i++)
        set_law(d, i);
    d->is_flying = flight_suits(&d->tree) && d->drag.kind != DRAG_MOVING;
}

static void init_servos(struct articulated *d)
{
    tree_factor(&d->tree);
    for (int i = 1; i < d->links; i++) {
        d->birth_d[i] = 1 / tree_joint_mobility(&d->tree, i, &d->contacts.shares[0]);
        servo_init(&d->servos[i], &d->phenotype->links[i], d->birth_d[i], &d->settings,
                   d->damping_rate);
    }
    set_laws(d);
}

static void forget_contacts(struct articulated *d)
{
    contacts_forget(&d->contacts);
    flight_forget(&d->flight);
    tree_forget_turns(&d->tree);
    for (int i = 0; i < d->dof; i++)
        d->last_kick[i] = d->kick_before[i] = 0;
    d->is_examined = d->is_pressing = d->has_accelerations = 0;
    d->is_bulk_known = d->is_balance_known = 0;
}

/* The tree is where the last evaluation left it until somebody looks. */
static void set_pose(struct articulated *d)
{
    if (!d->is_posed)
        tree_set_pose(&d->tree, d->q);
    if (!d->is_posed || !d->is_moving)
        tree_set_velocity(&d->tree, d->qd);
    d->is_posed = d->is_moving = 1;
}

/* For those who look. */
static const struct articulated *posed(const struct dynamics *dynamics)
{
    struct articulated *d = articulated_of(dynamics);
    set_pose(d);
    return d;
}

static void articulated_reset_ledger(struct dynamics *dynamics)
{
    struct articulated *d = articulated_of(dynamics);
    set_pose(d);
    d->ledger = (struct ledger){0};
    struct tree_energy energy = tree_energy(&d->tree, d->world.gravity_m_s2);
    d->ledger.energy_start_j = energy.kinetic + energy.potential;
}

/* The tree's own tensors, of whole parts, are those of the plain law. */
static void init_drag(struct articulated *d)
{
    int is_plain = d->drag.kind == DRAG_PLAIN;
    tree_set_viscosity(&d->tree, d->phenotype, is_plain ? d->drag.coefficient : 0);
    d->tree.has_drag = d->drag.kind != DRAG_NONE;
    if (is_plain)
        drag_update(&d->drag);
    d->drag_rate_1_s = is_plain ? drag_rate(&d->drag) : 0;
    flight_set_world(&d->flight, &d->tree);
    d->is_flying = flight_suits(&d->tree) && d->drag.kind != DRAG_MOVING;
}

static struct dynamics *articulated_create(const struct phenotype *phenotype,
                                           const struct world *world,
                                           const struct dynamics_settings *settings,
                                           struct arena *arena)
{
    struct articulated *d = arena_take(arena, 1, sizeof *d);
    if (!d || tree_create(&d->tree, phenotype, world->viscosity_pa_s, arena) != 0)
        return NULL;
    d->base.solver = &dynamics_articulated;
    d->phenotype = phenotype;
    d->settings = *settings;
    d->world = *world;
    d->tree.gravity_x = world->gravity_x_m_s2;
    d->dof = d->tree.dof;
    d->links = phenotype->link_count;
    d->parts = phenotype->part_count;
    d->damping_rate = settings->joint_damping_1_s;
    if (take_scratch(d, arena) != 0 || flight_create(&d->flight, &d->tree, arena) != 0 ||
        drag_create(&d->drag, phenotype, world, arena) != 0 ||
        contacts_create(&d->contacts, phenotype, &d->tree, &d->world, settings, arena) != 0)
        return NULL;
    d->self = d;
    d->account = &d->ledger;
    d->alone = (struct group){.all = &d->self,
                              .count = 1,
                              .contacts = &d->contacts,
                              .q = &d->q,
                              .qd0 = &d->qd0,
                              .qm = &d->qm,
                              .v1 = &d->v1,
                              .vs = &d->vs,
                              .kick = &d->kick,
                              .rate_mean = &d->rate_mean,
                              .ledgers = &d->account};
    d->step_work = (uint64_t)(LINK_WORK * d->links + PAIR_WORK * d->contacts.own.pair_count +
                              OBSTACLE_WORK * d->parts * world->obstacles.count);
    init_drag(d);
    set_pose(d);
    find_coupled_rates(d);
    init_servos(d);
    articulated_reset_ledger(&d->base);
    return &d->base;
}

/* ---------------------------------------------------------------- settings and state */

static void articulated_set_target(struct dynamics *dynamics, int link, double target, double rate)
{
    struct articulated *d = articulated_of(dynamics);
    d->laws.target[2 + link] = target;
    d->laws.rate[2 + link] = rate;
}

static void articulated_set_servo(struct dynamics *dynamics, int link, const struct servo *servo)
{
    struct articulated *d = articulated_of(dynamics);
    d->servos[link] = *servo;
    d->laws.target[2 + link] = servo->target;
    d->laws.rate[2 + link] = servo->rate;
    d->has_signals |= servo->signal != NULL;
    tree_set_driven(&d->tree, link, servo->law == SERVO_MOTION);
    d->has_drives |= servo->law == SERVO_MOTION;
    set_laws(d);
}

static void articulated_set_effectors(struct dynamics *dynamics, enum effector_state state)
{
    struct articulated *d = articulated_of(dynamics);
    d->effectors = state;
    set_laws(d);
}

static void articulated_set_world(struct dynamics *dynamics, const struct world *world)
{
    struct articulated *d = articulated_of(dynamics);
    d->world = *world;
    d->tree.gravity_x = world->gravity_x_m_s2;
    drag_set_world(&d->drag, world);
    init_drag(d);
    d->contacts.own.near_count = 0;
    d->is_examined = d->is_balance_known = 0;
}

static void articulated_set_joint_damping(struct dynamics *dynamics, double rate_1_s)
{
    struct articulated *d = articulated_of(dynamics);
    d->damping_rate = rate_1_s;
    for (int i = 1; i < d->links; i++)
        d->servos[i].damping = rate_1_s * 2 * d->birth_d[i];
    set_laws(d);
}

static void articulated_set_push_out(struct dynamics *dynamics, double speed_m_s)
{
    struct articulated *d = articulated_of(dynamics);
    d->contacts.push_out_speed = speed_m_s;
}

static int articulated_dof(const struct dynamics *dynamics)
{
    const struct articulated *d = articulated_of(dynamics);
    return d->dof;
}

static const double *articulated_q(const struct dynamics *dynamics)
{
    const struct articulated *d = articulated_of(dynamics);
    return d->q;
}

static const double *articulated_qd(const struct dynamics *dynamics)
{
    const struct articulated *d = articulated_of(dynamics);
    return d->qd;
}

static const double *articulated_drive_rates(const struct dynamics *dynamics)
{
    return articulated_qd(dynamics) + 2;
}

static void articulated_set_state(struct dynamics *dynamics, const double *q, const double *qd)
{
    struct articulated *d = articulated_of(dynamics);
    for (int i = 0; i < d->dof; i++) {
        d->q[i] = q[i];
        d->qd[i] = qd[i];
    }
    d->is_posed = 0;
    forget_contacts(d);
}

static void articulated_shift(struct dynamics *dynamics, struct vec3 by_m)
{
    struct articulated *d = articulated_of(dynamics);
    d->q[0] += by_m.x;
    d->q[1] += by_m.y;
    articulated_set_state(dynamics, d->q, d->qd);
}

static void articulated_stop(struct dynamics *dynamics)
{
    struct articulated *d = articulated_of(dynamics);
    for (int i = 0; i < d->dof; i++)
        d->qd[i] = 0;
    d->is_posed = 0;
    forget_contacts(d);
    articulated_reset_ledger(&d->base);
}

static void articulated_part_state(const struct dynamics *dynamics, int part,
                                   struct part_state *state)
{
    const struct articulated *d = posed(dynamics);
    const struct part *p = &d->phenotype->parts[part];
    const struct tree_link *l = &d->tree.links[p->link];
    double x = l->px + (l->cos * p->local.x - l->sin * p->local.y);
    double y = l->py + (l->sin * p->local.x + l->cos * p->local.y);
    *state = (struct part_state){.x_m = d->tree.root_x + x,
                                 .y_m = d->tree.root_y + y,
                                 .angle_rad = l->angle + p->local_angle_rad,
                                 .vx_m_s = l->velocity.x - l->velocity.w * (y - l->py),
                                 .vy_m_s = l->velocity.y + l->velocity.w * (x - l->px),
                                 .omega_rad_s = l->velocity.w};
}

static void articulated_link_state(const struct dynamics *dynamics, int link,
                                   struct part_state *state)
{
    const struct articulated *d = posed(dynamics);
    const struct tree_link *l = &d->tree.links[link];
    struct vec2 centre = tree_centre(l);
    struct motion v = tree_centre_velocity(l);
    *state = (struct part_state){.x_m = d->tree.root_x + centre.x,
                                 .y_m = d->tree.root_y + centre.y,
                                 .angle_rad = l->angle,
                                 .vx_m_s = v.x,
                                 .vy_m_s = v.y,
                                 .omega_rad_s = v.w};
}

static struct vec3 articulated_centre_of_mass(const struct dynamics *dynamics)
{
    const struct articulated *d = posed(dynamics);
    double x = 0, y = 0;
    for (int i = 0; i < d->links; i++) {
        x += d->tree.links[i].mass * d->tree.links[i].px + d->tree.links[i].hx;
        y += d->tree.links[i].mass * d->tree.links[i].py + d->tree.links[i].hy;
    }
    return (struct vec3){d->tree.root_x + x / d->tree.mass, d->tree.root_y + y / d->tree.mass, 0};
}

static void articulated_momentum(const struct dynamics *dynamics, struct vec3 *linear,
                                 struct vec3 *angular)
{
    const struct articulated *d = posed(dynamics);
    *linear = *angular = (struct vec3){0, 0, 0};
    for (int i = 0; i < d->links; i++) {
        const struct tree_link *l = &d->tree.links[i];
        struct vec2 centre = tree_centre(l);
        struct motion v = tree_centre_velocity(l);
        double x = l->mass * v.x, y = l->mass * v.y;
        linear->x += x;
        linear->y += y;
        angular->z += l->own_inertia * v.w + (d->tree.root_x + centre.x) * y -
                      (d->tree.root_y + centre.y) * x;
    }
}

static void articulated_step_counts(const struct dynamics *dynamics, uint64_t *steps,
                                    uint64_t *rk4_steps)
{
    const struct articulated *d = articulated_of(dynamics);
    *steps = d->steps;
    *rk4_steps = d->rk4_steps;
}

static int articulated_contacts(const struct dynamics *dynamics,
                                const struct contact_point **contacts)
{
    const struct articulated *d = articulated_of(dynamics);
    *contacts = d->contacts.own.points;
    return d->contacts.own.point_count;
}

/* All act in the middle of the step. */
static int articulated_impulses(const struct dynamics *dynamics, struct vec3 centre,
                                struct vec3 velocity, struct impulse_sum *impulses)
{
    const struct articulated *d = articulated_of(dynamics);
    double fall = -d->phenotype->mass_kg * d->world.gravity_m_s2 * d->settings.dt_s;
    struct impulse_sum sum = {.linear = {0, fall, 0},
                              .angular = {0, 0, d->settings.dt_s / 2 * velocity.x * fall},
                              .size = fabs(fall),
                              .truncation_share = d->was_free ? RK4_MOMENTUM : 0};
    if (world_has_drag(&d->world))
        return 0;
    for (int i = 0; i < d->contacts.own.point_count; i++) {
        const struct contact_point *p = &d->contacts.own.points[i];
        double normal = p->normal_impulse_n_s, friction = p->friction_impulse_n_s;
        double x = p->normal.x * normal + p->normal.y * friction;
        double y = p->normal.y * normal - p->normal.x * friction;
        if (contact_is_inner(p))
            continue;
        sum.linear.x += x;
        sum.linear.y += y;
        sum.angular.z += (p->at.x - centre.x) * y - (p->at.y - centre.y) * x;
        sum.size += fabs(normal) + fabs(friction);
    }
    *impulses = sum;
    return 1;
}

static double articulated_penetration(const struct dynamics *dynamics)
{
    const struct articulated *d = articulated_of(dynamics);
    return d->contacts.own.penetration;
}

static double articulated_law_miss(const struct dynamics *dynamics)
{
    const struct articulated *d = articulated_of(dynamics);
    return d->contacts.own.law_miss_m;
}

static void articulated_drive_state(const struct dynamics *dynamics, int link,
                                    struct drive_state *state)
{
    const struct articulated *d = articulated_of(dynamics);
    *state = (struct drive_state){d->q[2 + link], d->qd[2 + link], d->torque[link]};
}

static const struct ledger *articulated_ledger(struct dynamics *dynamics)
{
    struct articulated *d = articulated_of(dynamics);
    struct ledger *l = &d->ledger;
    set_pose(d);
    struct tree_energy energy = tree_energy(&d->tree, d->world.gravity_m_s2);
    l->kinetic_j = energy.kinetic;
    l->potential_j = energy.potential;
    l->residual_j = l->kinetic_j + l->potential_j - l->energy_start_j - l->work_effector_j -
                    l->exchange_j + l->loss_friction_j + l->loss_impact_j + l->loss_limit_j +
                    l->loss_drag_j + l->loss_damping_j - l->gain_push_out_j - l->gain_impact_j -
                    l->gain_limit_j;
    return l;
}

static void articulated_bounds(const struct dynamics *dynamics, struct vec3 *low, struct vec3 *high)
{
    const struct articulated *d = posed(dynamics);
    *low = *high = (struct vec3){0, 0, 0};
    for (int i = 0; i < d->parts; i++) {
        struct box b;
        contacts_place_box(&d->contacts.own, i, &b);
        double x = d->tree.root_x + b.x;
        double rx = fabs(b.cos) * b.half_width + fabs(b.sin) * b.half_height;
        double ry = fabs(b.sin) * b.half_width + fabs(b.cos) * b.half_height;
        low->x = i ? fmin(low->x, x - rx) : x - rx;
        low->y = i ? fmin(low->y, b.y - ry) : b.y - ry;
        high->x = i ? fmax(high->x, x + rx) : x + rx;
        high->y = i ? fmax(high->y, b.y + ry) : b.y + ry;
    }
}

static double articulated_overlap(const struct dynamics *dynamics)
{
    const struct articulated *d = posed(dynamics);
    return contacts_overlap(&d->contacts.own);
}

/* ---------------------------------------------------------------- drag */

/* What is exposed in this step, at the tree's pose. */
static void expose_drag(struct articulated *d)
{
    for (int i = 0; i < d->parts; i++) {
        const struct drag_part *part = &d->drag.parts[i];
        const struct tree_link *l = &d->tree.links[part->link];
        struct box *box = &d->boxes[i];
        box->x = l->px + (l->cos * part->local.x - l->sin * part->local.y);
        box->y = l->py + (l->sin * part->local.x + l->cos * part->local.y);
        box->cos = l->cos * part->cos - l->sin * part->sin;
        box->sin = l->sin * part->cos + l->cos * part->sin;
    }
    drag_expose(&d->drag, d->boxes);
}

/* Tensors of the links for the tree's velocities, which drag wants about the links' origins and in
 * their frames. */
static void set_drag(struct articulated *d)
{
    for (int i = 0; i < d->links && d->drag.kind == DRAG_MOVING; i++) {
        const struct tree_link *l = &d->tree.links[i];
        struct motion v = l->velocity;
        d->drag.velocity[i] =
            (struct motion){v.w, l->cos * v.x + l->sin * v.y, l->cos * v.y - l->sin * v.x};
    }
    drag_update(&d->drag);
    for (int i = 0; i < d->links; i++)
        d->tree.links[i].drag = d->drag.tensors[i];
    if (d->is_flying)
        flight_set_world(&d->flight, &d->tree);
}

/* Before a step: 1 if drag is too fast for an explicit one. */
static int begin_drag(struct articulated *d)
{
    if (d->drag.kind >= DRAG_EXPOSED) {
        if (d->drag.has_exposure)
            expose_drag(d);
        set_drag(d);
        d->drag_rate_1_s = drag_rate(&d->drag);
    }
    return d->settings.dt_s * d->drag_rate_1_s > DRAG_STIFF;
}

/* ---------------------------------------------------------------- joint torques */

/* What plain effectors aim by, of two joints. */
struct plain_effectors {
    pair target, rate, lower, upper, kp, kd;
    pair_bits are_plain;
};

static inline struct plain_effectors plain_effectors_at(const struct articulated *d, int at)
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

/* Where they aim, `ahead` after the start of the step: kp target + kd rate, the target moving within the joint's
 * limits. Where a joint has no effector, or one that is not plain: 0. */
static inline pair plain_aim(const struct plain_effectors *e, double ahead)
{
    pair target = e->target + e->rate * ahead;
    pair_bits is_beyond = pair_is_less(e->upper, target) | pair_is_less(target, e->lower);
    pair within = pair_lesser(e->upper, pair_greater(e->lower, target));
    pair rate = (pair)((pair_bits)e->rate & ~is_beyond);
    return (pair)((pair_bits)(e->kp * within + e->kd * rate) & e->are_plain);
}

/* Of effectors that are not plain. */
static void set_other_aims(struct articulated *d, double ahead, double *aim)
{
    for (int i = 1; i < d->links && d->has_other_aims; i++) {
        int at = 2 + i;
        struct servo *servo = &d->servos[i];
        if (d->laws.is_plain[at] > 0 || d->laws.most[at] <= 0)
            continue;
        servo->target = d->laws.target[at];
        servo->rate = d->laws.rate[at];
        aim[at] = servo_aim(servo, d->effectors, d->settings.effector_mode,
                            d->contacts.own.lower[i], d->contacts.own.upper[i], ahead);
    }
}

static void set_aims(struct articulated *d, double ahead, double *aim)
{
    for (int at = 2, dof = d->dof; at < dof; at += 2) {
        struct plain_effectors e = plain_effectors_at(d, at);
        PAIR(aim, at) = plain_aim(&e, ahead);
    }
    set_other_aims(d, ahead, aim);
}

/* The same at the start of a step, in its middle and at its end. */
static void set_aims_ahead(struct articulated *d, double past, double half)
{
    double *start = d->aim[0], *middle = d->aim[1], *end = d->aim[2];
    for (int at = 2, dof = d->dof; at < dof; at += 2) {
        struct plain_effectors e = plain_effectors_at(d, at);
        PAIR(start, at) = plain_aim(&e, past);
        PAIR(middle, at) = plain_aim(&e, past + half);
        PAIR(end, at) = plain_aim(&e, past + 2 * half);
    }
    for (int k = 0; k < 3; k++)
        set_other_aims(d, past + k * half, d->aim[k]);
}

/* A step has passed: the targets have moved. */
static void advance_targets(struct articulated *d)
{
    double h = d->settings.dt_s, *target = d->laws.target;
    const double *rate = d->laws.rate;
    for (int at = 2, dof = d->dof; at < dof; at += 2)
        PAIR(target, at) += PAIR(rate, at) * h;
    for (int i = 1; i < d->links && d->has_signals; i++)
        d->servos[i].time_s += h;
}

/* Explicit torques at joint angles q with rates qd, clamped. */
static void set_torques(struct articulated *d, const double *q, const double *qd)
{
    const struct joint_laws *laws = &d->laws;
    for (int at = 3; at < d->dof; at++) {
        double tau = d->aim[0][at] - laws->kp[at] * q[at] - laws->kd[at] * qd[at];
        double most = muscle_most(laws->most[at], laws->hill_n_m[at], laws->hill_s_rad[at],
                                  tau > 0 ? qd[at] : -qd[at]);
        tau = tau > most ? most : tau < -most ? -most : tau;
        d->effector_tau[at] = tau;
        d->effector_extra[at] = 0;
        d->tau[at] = tau - laws->damping[at] * qd[at];
    }
}

/* The torque of a joint at its bound in a midpoint step: the tangent of Hill's curve at the rate foreseen, along which
 * the mean rate of the step is found implicitly. A steep curve is like much damping. Of a muscle that is stretched, and
 * could have turned that about by the middle of the step, it is the tangent at rest. */
static void clamp_joint(struct articulated *d, int at, int sign, double half)
{
    const struct joint_laws *laws = &d->laws;
    double most = laws->most[at], a = laws->hill_n_m[at], inverse_b = laws->hill_s_rad[at];
    double known = d->qd0[at] + 0.5 * d->last_kick[at];
    double rate = sign * d->bound_rate[at], slope = 0;
    if (rate < 0 && sign * known * d->birth_d[at - 2] + half * most > 0)
        rate = 0;
    double torque = muscle_most(most, a, inverse_b, rate);
    if (torque > 0 && rate >= 0)
        slope = (torque + a) * inverse_b / (1 + rate * inverse_b);
    d->clamped[at] = sign;
    d->low[at] = sign > 0 ? 0 : -most;
    d->high[at] = sign > 0 ? most : 0;
    d->effector_tau[at] = sign * (torque - slope * (sign * known - rate));
    d->effector_extra[at] = half * slope;
    d->tau[at] = d->effector_tau[at] - laws->damping[at] * d->qd0[at];
    d->extra[at] = half * (slope + laws->damping[at]);
}

/* A torque beyond either end of the tangent is that of the end. */
static void clamp_to_end(struct articulated *d, int at, double torque, double half)
{
    const struct joint_laws *laws = &d->laws;
    d->clamped[at] *= 2;
    d->low[at] = -HUGE_VAL;
    d->high[at] = HUGE_VAL;
    d->effector_tau[at] = torque;
    d->effector_extra[at] = 0;
    d->tau[at] = torque - laws->damping[at] * d->qd0[at];
    d->extra[at] = half * laws->damping[at];
}

/* What two effectors can do. */
struct bounds {
    pair low, high;
};

/* At the rates foreseen for the middle of the step: at most muscle_most() where the joint turns, all their strength
 * against it. */
static inline struct bounds bounds_at(pair rate, pair most, pair hill_n_m, pair hill_s_rad)
{
    const pair zero = {0, 0};
    pair left = (most + hill_n_m) / (1.0 + pair_absolute(rate) * hill_s_rad) - hill_n_m;
    pair_bits is_up = pair_is_less(zero, rate), full = (pair_bits)most;
    pair_bits less = (pair_bits)left & pair_is_less(zero, left);
    return (struct bounds){-(pair)((full & is_up) | (less & ~is_up)),
                           (pair)((less & is_up) | (full & ~is_up))};
}

/* Torques of a midpoint step from (q0, qd0); 1 if one exceeds its bound with the inertia at birth. */
static inline int aim_implicitly(struct articulated *d, double half, const double *foreseen,
                                 int has_curve)
{
    const struct joint_laws laws = d->laws;
    const double *q0 = d->q0, *qd0 = d->qd0, *aim = d->aim[0];
    double *effector_tau = d->effector_tau, *effector_extra = d->effector_extra;
    double *taus = d->tau, *extras = d->extra, *clamped = d->clamped;
    double *lows = d->low, *highs = d->high, *bound_rate = d->bound_rate;
    pair_bits is_exceeded = {0, 0};
    for (int at = 2, dof = d->dof; at < dof; at += 2) {
        pair qd = PAIR(qd0, at), damping = PAIR(laws.damping, at), extra = PAIR(laws.extra, at);
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

/* The same; those that exceed their bound are clamped. */
static void set_implicit_torques(struct articulated *d, double half, const double *foreseen)
{
    const double *effector_tau = d->effector_tau, *low = d->low, *high = d->high;
    set_aims(d, half, d->aim[0]);
    int is_exceeded =
        d->has_curve ? aim_implicitly(d, half, foreseen, 1) : aim_implicitly(d, half, foreseen, 0);
    for (int at = 3; at < d->dof && is_exceeded; at++) {
        double likely = effector_tau[at] * d->laws.birth_share[at];
        if (likely > high[at] || likely < low[at])
            clamp_joint(d, at, likely > 0 ? 1 : -1, half);
    }
}

/* Coordinates and rates of driven joints as their signals have them, `ahead` after the start of the
 * step; and the accelerations for the next evaluation. */
static void follow_signals(struct articulated *d, double ahead, double *q, double *qd)
{
    if (!d->has_drives)
        return;
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

/* Driven joints get the rates that their signals have `ahead` after the start of the step, by impulses to
 * which all rates answer; returns their work. The tree is at the pose, and left with other velocities. */
static double pull_drives(struct articulated *d, double ahead, double *qd)
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

/* What driven joints took in the last evaluation. */
static void set_drive_efforts(struct articulated *d)
{
    for (int i = 1; i < d->links && d->has_drives; i++)
        if (d->tree.links[i].is_driven) {
            d->effector_tau[2 + i] = tree_drive_effort(&d->tree, i);
            d->effector_extra[2 + i] = 0;
        }
}

/* Whether the last evaluation's torque of any joint is beyond its bound, which the torques of driven ones
 * are, too. */
static int is_bound_exceeded(const struct articulated *d)
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
static int clamp_joints(struct articulated *d, double half)
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

/* Implicit accelerations at the tree's pose and velocity, with servo, damping and drag at the mean
 * velocity of the step that began with (q0, qd0). Torques beyond their bound are clamped and the
 * accelerations computed again, until all hold. is_again: pose, servos and drag are those of the last call. */
static void accelerate_implicit(struct articulated *d, double half, int is_again)
{
    for (int pass = 0; pass <= 2 * d->links; pass++) {
        if (is_again && pass == 0)
            tree_accelerate_again(&d->tree, d->tau, d->world.gravity_m_s2, d->qdd);
        else
            tree_accelerate(&d->tree, d->tau, d->extra, d->world.gravity_m_s2, half, d->qdd);
        set_drive_efforts(d);
        if (!is_bound_exceeded(d) || !clamp_joints(d, half))
            return;
    }
}

/* ---------------------------------------------------------------- steps */

/* Books the work of an effector over a step. */
static void book_effector(struct articulated *d, double work)
{
    d->ledger.work_effector_j += work;
    if (work > 0)
        d->ledger.work_effector_positive_j += work;
}

/* The same of all joints. */
static void book_effectors(struct articulated *d)
{
    const double *work = d->effector_work;
    double net = d->ledger.work_effector_j, positive = d->ledger.work_effector_positive_j;
    for (int at = 3, dof = d->dof; at < dof; at++) {
        net += work[at];
        positive += work[at] > 0 ? work[at] : 0;
    }
    d->ledger.work_effector_j = net;
    d->ledger.work_effector_positive_j = positive;
}

/* What damping takes over a way with the rates' mean `share` x (from + to). */
static double damping_loss(const struct articulated *d, const double *from, const double *to,
                           double share, double half)
{
    const double *damping = d->laws.damping, *qd0 = d->qd0, *qdd = d->qdd;
    double lost = 0;
    for (int at = 2, dof = d->dof; at < dof; at += 2) {
        pair way = share * (PAIR(from, at) + PAIR(to, at));
        pair loss = PAIR(damping, at) * (PAIR(qd0, at) + half * PAIR(qdd, at)) * way;
        lost += loss[0];
        lost += loss[1];
    }
    return lost;
}

/* Books effectors and damping over such a way. */
static void book_joints(struct articulated *d, const double *from, const double *to, double share,
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
        d->ledger.loss_damping_j += damping_loss(d, from, to, share, half);
}

/* Books drag over one half of the step, in which the rates go from `from` to `to`. */
static void book_drag(struct articulated *d, const double *from, const double *to, double half)
{
    struct force sum;
    for (int i = 0; i < d->dof; i++)
        d->rate_mean[i] = (from[i] + to[i]) / 2;
    d->ledger.loss_drag_j -= half * tree_drag_power(&d->tree, d->rate_mean, half, &sum);
    d->drag_impulse.n += half * sum.n;
    d->drag_impulse.x += half * sum.x;
    d->drag_impulse.y += half * sum.y;
}

/* Accelerations at the tree's pose and velocity. is_again: the pose is that of the last call. */
static void accelerate(struct articulated *d, double half, int is_again)
{
    if (d->tree.has_drag)
        tree_set_start_velocity(&d->tree, d->qd0);
    if (d->drag.kind == DRAG_MOVING)
        set_drag(d);
    accelerate_implicit(d, half, is_again && !d->tree.has_drag && !d->has_drives);
}

/* The same for the rates given. */
static void accelerate_at(struct articulated *d, const double *rates, double half, int is_again)
{
    tree_set_velocity(&d->tree, rates);
    accelerate(d, half, is_again);
}

/* Driven joints get their rates at the end of a midpoint step; the evaluation in its middle stands again. */
static void pull_end(struct articulated *d)
{
    double h = d->settings.dt_s;
    if (!d->has_drives)
        return;
    d->pull_work_j[1] = pull_drives(d, h, d->vs);
    follow_signals(d, h / 2, NULL, NULL);
    accelerate_at(d, d->vm, h / 2, 0);
}

/* Whether contacts change a rate by much more or less than this kick: an impact. */
static int is_other_kick(const struct articulated *d, const double *kick)
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
static void change_middle(struct articulated *d)
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

/* Impulses of the contacts found; the velocities vs change where one is an impact: returns 1 if so. */
ALWAYS_INLINE static inline int act_contacts(struct group *g, int count, int has_instants)
{
    int is_impact = 0, has_drives = 0;
    for (int k = 0; k < count; k++)
        has_drives |= g->all[k]->has_drives;
    contacts_prepare(g->contacts, g->qd0, has_drives ? g->v1 : NULL, has_instants);
    contacts_solve(g->contacts, g->kick);
    for (int k = 0; k < count; k++)
        is_impact |= is_other_kick(g->all[k], g->all[k]->last_kick);
    if (!is_impact)
        return 0;
    for (int k = 0; k < count; k++)
        change_middle(g->all[k]);
    contacts_set_free(g->contacts, g->vs);
    contacts_solve(g->contacts, g->kick);
    return 1;
}

/* Impacts that act at instants of their own shift the pose at the end of the step, on the assumption that
 * the accelerations are the same before and after. 1 if the energy agrees with that; where an impact
 * makes limbs whirl it does not. The tree is left as it was. */
static int are_instants_sound(struct articulated *d)
{
    double half = d->settings.dt_s / 2, energy[2], size;
    for (int i = 0; i < d->dof; i++) {
        d->qd[i] = d->vs[i] + d->kick[i];
        d->q[i] = d->qm[i] + half * d->qd[i];
    }
    for (int k = 0; k < 2; k++) {
        if (k == 1)
            contacts_shift(&d->contacts, &d->q);
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

/* What driven joints did to keep their rates against the impulses: the change of kinetic energy at the
 * pose in the middle that is not the contacts'. The tree is left with other velocities. */
static double drive_impulse_work(struct articulated *d)
{
    double before, size;
    tree_set_velocity(&d->tree, d->v1);
    before = tree_kinetic_energy(&d->tree);
    for (int i = 0; i < d->dof; i++)
        d->rate_mean[i] = d->v1[i] + d->kick[i];
    tree_set_velocity(&d->tree, d->rate_mean);
    double late = contacts_instant_work(&d->contacts, &size);
    return tree_kinetic_energy(&d->tree) - before - (contacts_work(&d->contacts) - late);
}

/* The middle of the step: coordinates, and a guess of the mean velocity until then, vm = qd0 + h/2 a(h/4) + last_kick / 2: after a
 * midpoint step qdd and qdd_last are a(-h/2) and a(-3h/2), else qdd is a(0). */
static void guess_middle(struct articulated *d, double half)
{
    double share = d->has_accelerations > 1 ? 0.75 * half : 0;
    const double *q0 = d->q0, *qd0 = d->qd0, *qdd = d->qdd, *last_kick = d->last_kick;
    double *qdd_last = d->qdd_last, *vm = d->vm, *qm = d->qm;
    for (int i = 0, dof = d->dof; i < dof; i += 2) {
        pair rate = PAIR(qd0, i), change = PAIR(qdd, i) - PAIR(qdd_last, i);
        PAIR(qm, i) = PAIR(q0, i) + half * rate;
        PAIR(vm, i) = rate + half * PAIR(qdd, i) + share * change + 0.5 * PAIR(last_kick, i);
        PAIR(qdd_last, i) = PAIR(qdd, i);
    }
}

/* The same when qdd has become a(h/2); 1 if a velocity was guessed wrong. */
static int mend_middle(struct articulated *d, double half)
{
    double share = d->has_accelerations > 1 ? 0.75 * half : 0.5 * half, rest = half - share;
    const double *qd0 = d->qd0, *qdd = d->qdd, *last_kick = d->last_kick;
    const double *qdd_last = d->qdd_last, *vm = d->vm, *coupled = d->coupled;
    double *mended = d->mended;
    pair_bits is_wrong = {0, 0};
    for (int i = 0, dof = d->dof; i < dof; i += 2) {
        pair rate = PAIR(qd0, i) + share * SINGLES(qdd, i) + rest * PAIR(qdd_last, i) +
                    0.5 * PAIR(last_kick, i);
        is_wrong |= pair_is_less(pair_of(GUESS_RATE),
                                 pair_absolute(PAIR(coupled, i) * (rate - PAIR(vm, i))));
        PAIR(mended, i) = rate;
    }
    return pair_mask(is_wrong) != 0;
}

/* From (q0, qd0) to v1 in the middle of the step and vs at its end, both without contacts. */
static void move_freely(struct articulated *d)
{
    double h = d->settings.dt_s, half = h / 2;
    int is_known = d->has_accelerations && !d->drag.is_quadratic;
    if (!is_known) {
        set_implicit_torques(d, half, d->qd0);
        set_pose(d);
        follow_signals(d, 0, NULL, d->qd0);
        accelerate_at(d, d->qd0, half, 0);
        d->has_accelerations = 1;
    }
    guess_middle(d, half);
    if (is_known)
        set_implicit_torques(d, half, d->vm);
    follow_signals(d, half, d->qm, d->vm);
    tree_turn(&d->tree, d->qm, d->vm);
    d->is_posed = 0;
    accelerate(d, half, 0);
    if (mend_middle(d, half)) {
        double *guess = d->vm;
        d->vm = d->mended;
        d->mended = guess;
        follow_signals(d, half, NULL, d->vm);
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
    d->pull_work_j[0] = pull_drives(d, half, v1);
    for (int i = 0; i < d->dof; i++)
        vs[i] = v1[i] + half * qdd[i];
    pull_end(d);
}

/* The same with impacts in the middle of the step, as if nothing had happened yet. */
static int act_without_instants(struct articulated *d, int is_impact, double pull_work_j)
{
    for (int i = 0; i < d->dof; i++) {
        d->vm[i] = d->k_q[i];
        d->vs[i] = d->k_v[i];
    }
    d->pull_work_j[1] = pull_work_j;
    if (is_impact)
        accelerate_at(d, d->vm, d->settings.dt_s / 2, 1);
    contacts_set_free(&d->contacts, &d->vs);
    return act_contacts(&d->alone, 1, 0);
}

/* The contacts that could act on a body alone, and their impulses: 1 if one is an impact. */
static int meet_alone(struct articulated *d)
{
    double *k_q = d->k_q, *k_v = d->k_v;
    const double *vm = d->vm, *vs = d->vs;
    for (int i = 0, dof = d->dof; i < dof; i += 2) {
        PAIR(k_q, i) = PAIR(vm, i);
        PAIR(k_v, i) = PAIR(vs, i);
    }
    double pull_work_j = d->pull_work_j[1];
    int is_impact = act_contacts(&d->alone, 1, 1);
    if (contacts_has_instants(&d->contacts) && !are_instants_sound(d))
        is_impact = act_without_instants(d, is_impact, pull_work_j);
    return is_impact;
}

/* The same of any number. Where bodies meet, all impacts are in the middle of the step. */
ALWAYS_INLINE static inline int meet_contacts(struct group *g, int count)
{
    int is_impact = count == 1 ? meet_alone(g->all[0]) : act_contacts(g, count, 0);
    for (int k = 0; k < count && count > 1; k++) {
        struct articulated *d = g->all[k];
        for (int i = 0; i < d->dof; i++)
            d->rate_mean[i] = d->v1[i] + d->kick[i] / 2;
    }
    contacts_book(g->contacts, g->rate_mean, g->ledgers);
    for (int k = 0; k < count; k++)
        if (g->all[k]->has_drives)
            book_effector(g->all[k], drive_impulse_work(g->all[k]));
    return is_impact;
}

/* Before a step. */
static void find_bulk(struct articulated *d)
{
    if (d->is_bulk_known || d->tree.is_root_fixed)
        return;
    set_pose(d);
    d->bulk = tree_bulk(&d->tree);
    d->is_bulk_known = 1;
}

/* Energy that a whole gets when its velocity and spin become others, and its centre moves. */
static double bulk_gain(const struct articulated *d, const struct tree_bulk *from,
                        const struct tree_bulk *to, double x, double y)
{
    double mass = d->tree.mass, turn = (to->spin - from->spin) / from->inertia;
    double along = (to->velocity_x - from->velocity_x) * (to->velocity_x + from->velocity_x) +
                   (to->velocity_y - from->velocity_y) * (to->velocity_y + from->velocity_y);
    return mass * (along / 2 + d->world.gravity_m_s2 * y - d->tree.gravity_x * x) +
           turn * (to->spin + from->spin) / 2;
}

/* What the body as a whole comes to: `target` has the velocity of its centre of mass and its spin, and the
 * centre goes by `way`. The root gets what is missing, as if all joints were locked. */
static void put_bulk(struct articulated *d, struct tree_bulk *target, struct vec2 way)
{
    struct tree_bulk is = tree_move(&d->tree, d->q, d->qd);
    double turn = (target->spin - is.spin) / is.inertia;
    d->qd[0] += target->velocity_x - is.velocity_x + turn * is.centre_y;
    d->qd[1] += target->velocity_y - is.velocity_y - turn * is.centre_x;
    d->qd[2] += turn;
    double x = d->q0[0] + (d->bulk.centre_x - is.centre_x + way.x);
    double y = d->q0[1] + (d->bulk.centre_y - is.centre_y + way.y);
    d->ledger.mended_j += fabs(bulk_gain(d, &is, target, x - d->q[0], y - d->q[1]));
    d->tree.root_x = d->q[0] = x;
    d->tree.root_y = d->q[1] = y;
    target->centre_x = is.centre_x;
    target->centre_y = is.centre_y;
    target->inertia = is.inertia;
    d->bulk = *target;
    d->is_posed = 1;
    d->is_moving = 0;
}

/* Keeps momentum in a midpoint step: joint coordinates alone keep it to third order of h only. In the
 * middle of the step, where the tree is, the outer impulses act, and gravity. */
static void keep_momentum(struct articulated *d, const struct contacts *contacts, int of)
{
    double h = d->settings.dt_s, half = h / 2, share = 1 / d->tree.mass;
    struct vec2 late;
    struct force outer = contacts_outer_impulse(contacts, of, &late);
    if (d->tree.has_drag)
        outer = (struct force){outer.n + d->drag_impulse.n, outer.x + d->drag_impulse.x,
                               outer.y + d->drag_impulse.y};
    const struct tree_bulk *from = &d->bulk;
    /* the centre of mass in the middle, from the root's origin */
    double x = from->centre_x + half * (from->velocity_x - d->qd0[0]);
    double y = from->centre_y + half * (from->velocity_y - d->qd0[1]);
    struct tree_bulk to = {.velocity_x = from->velocity_x + h * d->tree.gravity_x + share * outer.x,
                           .velocity_y =
                               from->velocity_y - h * d->world.gravity_m_s2 + share * outer.y,
                           .spin = from->spin + outer.n - (x * outer.y - y * outer.x)};
    struct vec2 way = {half * (from->velocity_x + to.velocity_x) - share * late.x,
                       half * (from->velocity_y + to.velocity_y) - share * late.y};
    put_bulk(d, &to, way);
}

/* In a step where nothing but gravity acts from outside: where the centre of mass should be, and its velocity.
 * What RK4 loses is mended in the next midpoint step. */
static void carry_bulk(struct articulated *d)
{
    double h = d->settings.dt_s;
    struct tree_bulk *bulk = &d->bulk;
    double gain_x = h * d->tree.gravity_x, gain_y = -h * d->world.gravity_m_s2;
    bulk->centre_x += h * (bulk->velocity_x + gain_x / 2) - (d->q[0] - d->q0[0]);
    bulk->centre_y += h * (bulk->velocity_y + gain_y / 2) - (d->q[1] - d->q0[1]);
    bulk->velocity_x += gain_x;
    bulk->velocity_y += gain_y;
}

/* As far as nothing touches. */
ALWAYS_INLINE static inline void begin_midpoint(struct articulated *d)
{
    find_bulk(d);
    d->drag_impulse = (struct force){0, 0, 0};
    d->base.work += d->step_work;
    move_freely(d);
    double *effector_work = d->effector_work, *kick = d->kick;
    for (int i = 0, dof = d->dof; i < dof; i += 2)
        PAIR(effector_work, i) = PAIR(kick, i) = (pair){0, 0};
    if (d->tree.has_drag)
        book_drag(d, d->qd0, d->v1, d->settings.dt_s / 2);
}

/* To the end of the step, with the impulses: v1 + kick is the start of the second half. */
ALWAYS_INLINE static inline void move_on(struct articulated *d, int is_impact)
{
    /* what was an impact the last time, too, is a load that lasts */
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
static void end_midpoint(struct articulated *d, struct contacts *contacts, int of)
{
    double h = d->settings.dt_s, half = h / 2;
    follow_signals(d, h, d->q, d->qd);
    if (contacts->count > 0)
        book_joints(d, d->v1, d->qd, half / 2, half);
    else
        book_joints(d, d->qd0, d->qd, half, half);
    if (d->tree.has_drag) {
        tree_set_start_velocity(&d->tree, d->qd0);
        book_drag(d, d->v1, d->qd, half);
    }
    book_effectors(d);
    if (d->has_drives)
        book_effector(d, d->pull_work_j[0] + d->pull_work_j[1]);
    struct vec2 velocity = {0, 0};
    if (!d->tree.is_root_fixed) {
        keep_momentum(d, contacts, of);
        velocity = (struct vec2){d->bulk.velocity_x, d->bulk.velocity_y};
    }
    d->is_pressing = contacts_keep(contacts, of, velocity);
    d->is_examined = d->is_balance_known = 0;
}

ALWAYS_INLINE static inline void step_midpoint(struct group *g, int count)
{
    struct contacts *contacts = g->contacts;
    for (int k = 0; k < count; k++)
        begin_midpoint(g->all[k]);
    contacts_find(contacts, g->qm, g->vs);
    for (int k = 0; k < count && contacts->count > 0; k++) {
        struct articulated *d = g->all[k];
        book_joints(d, d->qd0, d->v1, d->settings.dt_s / 4, d->settings.dt_s / 2);
    }
    int is_impact = contacts->count > 0 && meet_contacts(g, count);
    for (int k = 0; k < count; k++)
        move_on(g->all[k], is_impact);
    if (contacts->count > 0)
        contacts_shift(contacts, g->q);
    for (int k = 0; k < count; k++)
        end_midpoint(g->all[k], contacts, k);
}

/* Classical Runge-Kutta over h from the state given, which may be that of q and qd; the servos' targets
 * have moved for `past`. The powers of effectors, drag and damping are integrated as extra states and
 * added to rate_mean: drag, damping, what pulls drives, then the effectors from 2 + 1 on. */
static void advance_rk4(struct articulated *d, const double *from_q, const double *from_qd,
                        double past, double h)
{
    static const double weight[4] = {1, 2, 2, 1}, offset[4] = {0, 0.5, 0.5, 1};
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
            follow_signals(d, past + ahead, d->qm, d->vm);
            tree_set_pose(&d->tree, d->qm);
            tree_set_velocity(&d->tree, d->vm);
        }
        if (stage == 0)
            follow_signals(d, past, d->qm, d->vm);
        if (d->drag.kind == DRAG_MOVING)
            set_drag(d);
        if (stage != 2)
            set_aims(d, past + h * offset[stage], d->aim[0]);
        set_torques(d, d->qm, d->vm);
        tree_accelerate(&d->tree, d->tau, d->extra, d->world.gravity_m_s2, 0, d->qdd);
        set_drive_efforts(d);
        double share = weight[stage] * h / 6;
        for (int i = 0; i < d->dof; i++) {
            d->k_q[i] += share * d->vm[i];
            d->k_v[i] += share * d->qdd[i];
        }
        for (int i = 1; i < d->links; i++) {
            int at = 2 + i;
            double power = d->effector_tau[at] * d->vm[at];
            double damping = d->laws.damping[at] * d->vm[at] * d->vm[at];
            d->rate_mean[at] += share * power;
            d->rate_mean[1] += share * damping;
        }
        if (d->tree.has_drag) {
            double drag = -tree_drag_power_now(&d->tree);
            d->rate_mean[0] += share * drag;
        }
    }
    for (int i = 0; i < d->dof; i++) {
        d->q[i] = from_q[i] + d->k_q[i];
        d->qd[i] = from_qd[i] + d->k_v[i];
    }
    for (int i = 1; i < d->links; i++)
        d->torque[i] = d->effector_tau[2 + i];
    follow_signals(d, past + h, d->q, NULL);
    tree_set_pose(&d->tree, d->q);
    if (d->has_drives)
        d->rate_mean[2] += pull_drives(d, past + h, d->qd);
    tree_set_velocity(&d->tree, d->qd);
    d->is_posed = d->is_moving = 1;
}

/* The same for trees of hinges. */
static void fly(struct articulated *d, const double *from_q, const double *from_qd, double past,
                double h)
{
    set_aims_ahead(d, past, h / 2);
    struct flight_step step = {.from_q = from_q,
                               .from_qd = from_qd,
                               .q = d->q,
                               .qd = d->qd,
                               .work = d->rate_mean,
                               .acceleration = d->qdd,
                               .torque = d->torque,
                               .aim = {d->aim[0], d->aim[1], d->aim[2]},
                               .gravity_m_s2 = d->world.gravity_m_s2,
                               .h_s = h};
    flight_advance(&d->flight, &d->tree, &step);
    tree_place_hinges(&d->tree, d->q, d->qd);
    d->is_posed = d->is_moving = 1;
}

static void advance_freely(struct articulated *d, const double *from_q, const double *from_qd,
                           double past, double h)
{
    d->base.work += d->step_work;
    if (d->is_flying)
        fly(d, from_q, from_qd, past, h);
    else
        advance_rk4(d, from_q, from_qd, past, h);
}

/* At the tree's pose and velocity. */
static struct balance take_balance(const struct articulated *d)
{
    struct tree_energy energy = tree_energy(&d->tree, d->world.gravity_m_s2);
    return (struct balance){energy.kinetic + energy.potential,
                            energy.inner +
                                RK4_ROUNDING * (energy.kinetic + fabs(energy.potential))};
}

/* Whether the energy after a step differs by more than a share of what moves, and of what the step turned
 * over, from what it should be: limbs that whirl, and servos that are stiff, are too fast for the step. */
static int is_unbalanced(const struct articulated *d, struct balance from, struct balance to)
{
    const double *work = d->rate_mean;
    double residual = to.energy_j - from.energy_j + work[0] + work[1];
    double size = from.size_j + to.size_j + fabs(work[0]) + work[1];
    pair given = {0, 0}, turned = {0, 0};
    for (int at = 2, dof = d->dof; at < dof; at += 2) {
        given += PAIR(work, at);
        turned += pair_absolute(PAIR(work, at));
    }
    return !(fabs(residual - pair_sum(given)) <= RK4_UNBALANCED * (size + pair_sum(turned)));
}

/* A step in as many parts as their energies ask for. */
static void step_rk4(struct articulated *d)
{
    double h = d->settings.dt_s / RK4_PARTS, *work = d->work, *part_work = d->rate_mean;
    const double *from_q = d->q0, *from_qd = d->qd0;
    struct balance from = d->is_balance_known ? d->balance : take_balance(d), to;
    for (int i = 0, dof = d->dof; i < dof; i += 2)
        PAIR(work, i) = (pair){0, 0};
    for (int done = 0, part = RK4_PARTS; done < RK4_PARTS;) {
        for (int i = 0, dof = d->dof; i < dof; i += 2)
            PAIR(part_work, i) = (pair){0, 0};
        advance_freely(d, from_q, from_qd, done * h, part * h);
        to = take_balance(d);
        if (part > 1 && is_unbalanced(d, from, to)) {
            part /= 2;
            tree_set_pose(&d->tree, from_q);
            tree_set_velocity(&d->tree, from_qd);
            continue;
        }
        from = to;
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

static void examine_state(struct articulated *d)
{
    d->clearance = contacts_examine(&d->contacts.own, d->q, d->qd);
    d->is_examined = 1;
}

/* RK4 is tried first where nothing can touch; 1 if the step holds. */
static int try_rk4(struct articulated *d)
{
    set_pose(d);
    if (!d->tree.has_drag)
        find_bulk(d);
    step_rk4(d);
    d->is_examined = 0;
    if (d->settings.integrator == INTEGRATOR_AUTO) {
        examine_state(d);
        if (d->clearance.is_violated) {
            for (int i = 0; i < d->dof; i++) {
                d->q[i] = d->q0[i];
                d->qd[i] = d->qd0[i];
            }
            d->is_posed = 0;
            return 0;
        }
    }
    for (int i = 0; i < d->links; i++)
        book_effector(d, d->work[2 + i]);
    d->ledger.loss_drag_j += d->work[0];
    d->ledger.loss_damping_j += d->work[1];
    contacts_forget(&d->contacts);
    for (int i = 0; i < d->dof; i++)
        d->last_kick[i] = d->kick_before[i] = 0;
    d->is_pressing = 0;
    d->has_accelerations = 1;
    if (d->tree.has_drag)
        d->is_bulk_known = 0;
    else
        carry_bulk(d);
    d->is_balance_known = 1;
    d->rk4_steps++;
    return 1;
}

/* Whether something could act in this step. What pressed in the last one does. */
static int may_touch(struct articulated *d)
{
    if (d->is_examined)
        return d->clearance.may_touch;
    if (d->is_pressing)
        return 1;
    set_pose(d);
    return contacts_may_touch(&d->contacts.own, d->q, d->qd);
}

/* 1 if drag or muscles are too stiff for RK4. */
ALWAYS_INLINE static inline int begin_step(struct articulated *d)
{
    const double *q = d->q, *qd = d->qd;
    double *q0 = d->q0, *qd0 = d->qd0;
    for (int i = 0, dof = d->dof; i < dof; i += 2) {
        PAIR(q0, i) = PAIR(q, i);
        PAIR(qd0, i) = PAIR(qd, i);
    }
    if (d->drag.kind >= DRAG_EXPOSED)
        set_pose(d);
    d->steps++;
    d->was_free = 0;
    return begin_drag(d) | d->has_stiff_muscles;
}

/* 1 if the state is not finite. */
ALWAYS_INLINE static inline int end_step(struct articulated *d, uint64_t work)
{
    const double *q = d->q, *qd = d->qd;
    advance_targets(d);
    d->base.work += work;
    /* 0 times what is not finite is not a number */
    pair sum = {0, 0};
    for (int i = 0, dof = d->dof; i < dof; i += 2)
        sum += 0.0 * PAIR(q, i) + 0.0 * PAIR(qd, i);
    return sum[0] + sum[1] == 0 ? 0 : 1;
}

static int articulated_step(struct dynamics *dynamics)
{
    struct articulated *d = articulated_of(dynamics);
    int is_stiff = begin_step(d), is_free = d->settings.integrator == INTEGRATOR_RK4;
    if (d->settings.integrator == INTEGRATOR_AUTO)
        is_free = !is_stiff && !may_touch(d);
    d->was_free = is_free && try_rk4(d);
    if (!d->was_free)
        step_midpoint(&d->alone, 1);
    uint64_t work = d->contacts.impulses.work;
    d->contacts.impulses.work = 0;
    return end_step(d, work);
}

/* ---------------------------------------------------------------- several bodies */

struct meeting {
    struct contacts contacts;
    struct group group; /* of the step that is taken */
};

static struct meeting *articulated_create_meeting(struct dynamics *const *all, int count,
                                                  struct arena *arena)
{
    enum { VECTORS = 7 };
    size_t room = (size_t)count;
    struct meeting *m = arena_take(arena, 1, sizeof *m);
    struct contacts **contacts = arena_take(arena, room, sizeof contacts[0]);
    double **vectors = arena_take(arena, VECTORS * room, sizeof vectors[0]);
    if (!m || !contacts || !vectors)
        return NULL;
    for (int k = 0; k < count; k++) {
        contacts[k] = &articulated_of(all[k])->contacts;
        contacts[k]->own.creature = all[k]->creature;
    }
    m->group = (struct group){.all = arena_take(arena, room, sizeof m->group.all[0]),
                              .ledgers = arena_take(arena, room, sizeof m->group.ledgers[0]),
                              .contacts = &m->contacts,
                              .q = vectors,
                              .qd0 = vectors + room,
                              .qm = vectors + 2 * room,
                              .v1 = vectors + 3 * room,
                              .vs = vectors + 4 * room,
                              .kick = vectors + 5 * room,
                              .rate_mean = vectors + 6 * room};
    const struct dynamics_settings *settings = &articulated_of(all[0])->settings;
    if (!m->group.all || !m->group.ledgers ||
        contacts_create_shared(&m->contacts, contacts, count, settings, arena) != 0)
        return NULL;
    return m;
}

static void articulated_begin_meeting(struct meeting *meeting)
{
    contacts_begin_step(&meeting->contacts);
}

/* Without contacts, as with RK4 alone, it is nowhere. */
static void articulated_sweep(struct dynamics *dynamics, struct vec3 *low, struct vec3 *high)
{
    struct articulated *d = articulated_of(dynamics);
    struct span swept = {HUGE_VAL, HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    if (d->settings.integrator != INTEGRATOR_RK4) {
        set_pose(d);
        swept = contacts_sweep(&d->contacts.own);
    }
    *low = (struct vec3){swept.low_x, swept.low_y, 0};
    *high = (struct vec3){swept.high_x, swept.high_y, 0};
}

static void articulated_step_together(struct meeting *meeting, struct dynamics *const *some,
                                      int count, int *is_broken)
{
    struct group *g = &meeting->group;
    contacts_part(&meeting->contacts);
    g->count = count;
    for (int k = 0; k < count; k++) {
        struct articulated *d = g->all[k] = articulated_of(some[k]);
        ENSURE(!d->has_drives, "driven joints in a body that meets others");
        g->q[k] = d->q;
        g->qd0[k] = d->qd0;
        g->qm[k] = d->qm;
        g->v1[k] = d->v1;
        g->vs[k] = d->vs;
        g->kick[k] = d->kick;
        g->rate_mean[k] = d->rate_mean;
        g->ledgers[k] = &d->ledger;
        contacts_gather(&meeting->contacts, &d->contacts);
        begin_step(d);
    }
    step_midpoint(g, count);
    for (int k = 0; k < count; k++)
        is_broken[k] = end_step(g->all[k], meeting->contacts.impulses.work / (uint64_t)count);
    meeting->contacts.impulses.work = 0;
}

const struct dynamics_solver dynamics_articulated = {
    .create = articulated_create,
    .set_target = articulated_set_target,
    .set_servo = articulated_set_servo,
    .set_effectors = articulated_set_effectors,
    .set_world = articulated_set_world,
    .set_joint_damping = articulated_set_joint_damping,
    .set_push_out = articulated_set_push_out,
    .step = articulated_step,
    .create_meeting = articulated_create_meeting,
    .begin_meeting = articulated_begin_meeting,
    .sweep = articulated_sweep,
    .step_together = articulated_step_together,
    .dof = articulated_dof,
    .q = articulated_q,
    .qd = articulated_qd,
    .set_state = articulated_set_state,
    .shift = articulated_shift,
    .stop = articulated_stop,
    .part_state = articulated_part_state,
    .link_state = articulated_link_state,
    .drive_state = articulated_drive_state,
    .drive_rates = articulated_drive_rates,
    .centre_of_mass = articulated_centre_of_mass,
    .momentum = articulated_momentum,
    .impulses = articulated_impulses,
    .bounds = articulated_bounds,
    .hash_part = dynamics_hash_flat_part,
    .overlap = articulated_overlap,
    .reset_ledger = articulated_reset_ledger,
    .ledger = articulated_ledger,
    .contacts = articulated_contacts,
    .penetration = articulated_penetration,
    .law_miss = articulated_law_miss,
    .step_counts = articulated_step_counts,
};

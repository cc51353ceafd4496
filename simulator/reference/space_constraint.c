/* See space_constraint.h. A joint between a parent p and a child c has d, the way from the joint's place on the parent
 * to that on the child, and a frame f that stands fixed in the parent. Two kinds of rows close it:
 *
 *   place along e, an axis of f:      D = d.e           D' = d'.e + d.(wp x e)
 *       D'' = (Jc, Jp).(accelerations) + e.(wc x (wc x rc) - wp x (wp x rp)) + 2 d'.(wp x e) + d.(wp x (wp x e))
 *       with Jc = (e, rc x e),  Jp = -(e, (rp + d) x e)
 *   turn: u, an axis of f, stays across a, an axis of the child:     D = u.a     D' = (a x u).(wc - wp)
 *       D'' = (a x u).(alpha_c - alpha_p) + ((wc x a) x u + a x (wp x u)).(wc - wp)
 *
 * A joint without a slide has the places along three axes, one with a slide those across it; one without a turn has
 * three turn rows, one that turns about k has two (the child's k across f's others), one with two axes has one: they
 * stay across each other. A ball has none, a free root none at all. A prescribed motion is a row along its freedom. */
#include "simulator/reference/space_constraint.h"

#include <math.h>

#include "common/detmath.h"
#include "common/error.h"
#include "simulator/reference/dormand_prince.h"
#include "simulator/reference/qr.h"

enum { STATE_SIZE = 13, JOINT_ROWS_MAX = 6 };
/* Steps do not shrink below this, s, whatever their error. */
#define STEP_LEAST_S 1e-9
/* What counts as 0 beside the first of the factor's diagonal. */
#define RANK_TOLERANCE 1e-12

static const struct vec3 none = {0, 0, 0};

struct body {
    /* constant */
    int parent; /* -1: the world */
    const struct space_link *link;
    const struct space_joint *joint;
    int coordinate, rate, rates, plain; /* plain: slides and turns, before those of a ball */
    struct mat3 frame;                  /* of the joint, in the parent's axes */
    struct vec3 own, parents;           /* the joint from either centre of mass, in their axes */
    double mass, inverse_mass;
    struct sym3 inertia, inverse_inertia;
    /* in a state */
    struct space_place place;
    struct mat3 turned, f; /* own axes and the joint's frame in the world's */
    struct sym3 inverse;
    struct vec3 rc, rp, d, d_rate;
    struct vec3 axes[SPACE_RATES_MAX];
    struct vec3 force, moment;
    struct vec3 free_v, free_w; /* accelerations without constraints */
};

/* A scalar constraint on a body and its parent, see above. */
struct row {
    int body;
    struct vec3 jv, jw, kv, kw;
    double deviation, rate, curvature;
    int driven; /* the freedom that it prescribes, or -1 */
};

struct space_constraint {
    struct dynamics_settings settings;
    struct space_world world;
    struct body ground; /* the world as a parent */
    struct body *bodies;
    int count, rates, coordinates;
    enum effector_state effectors;
    struct servo *servos;  /* per rate */
    int *body_of;          /* per rate */
    double *birth_inertia; /* per rate */
    struct space_drag drag;
    struct space_tree carriers; /* of poses and velocities to drag, and of its tensors back */

    /* y: STATE_SIZE numbers a body, the work of each freedom's servo, losses by damping and drag */
    int size;
    double *y, *y1, *stage, *k[STAGES];
    double *q, *qd;    /* of joints, in the state placed last; turns unwrapped near ... */
    double *turned_to; /* ... those of the last accepted state */
    double *effort;
    double h_s;
    uint64_t steps;

    struct row *rows;
    int row_count, rows_max;
    double *w, *scale, *lambda;
    struct qr qr;
    struct ledger ledger;
};

/* ---------------------------------------------------------------- creation */

static int take_memory(struct space_constraint *c, struct arena *arena)
{
    size_t rows = (size_t)c->rows_max, rates = (size_t)c->rates, size = (size_t)c->size;
    double **of_rates[] = {&c->qd, &c->birth_inertia, &c->effort};
    double **of_size[] = {&c->y, &c->y1, &c->stage};
    double **of_coordinates[] = {&c->q, &c->turned_to};
    double **of_rows[] = {&c->scale, &c->lambda};
    int is_complete = 1;
    for (size_t i = 0; i < sizeof of_rates / sizeof of_rates[0]; i++)
        is_complete &= (*of_rates[i] = arena_take(arena, rates, sizeof(double))) != NULL;
    for (size_t i = 0; i < sizeof of_size / sizeof of_size[0]; i++)
        is_complete &= (*of_size[i] = arena_take(arena, size, sizeof(double))) != NULL;
    for (size_t i = 0; i < sizeof of_coordinates / sizeof of_coordinates[0]; i++)
        is_complete &= (*of_coordinates[i] =
                            arena_take(arena, (size_t)c->coordinates, sizeof(double))) != NULL;
    for (size_t i = 0; i < sizeof of_rows / sizeof of_rows[0]; i++)
        is_complete &= (*of_rows[i] = arena_take(arena, rows, sizeof(double))) != NULL;
    for (int i = 0; i < STAGES; i++)
        is_complete &= (c->k[i] = arena_take(arena, size, sizeof(double))) != NULL;
    c->rows = arena_take(arena, rows, sizeof c->rows[0]);
    c->w = arena_take(arena, rows * rows, sizeof(double));
    c->servos = arena_take(arena, rates, sizeof c->servos[0]);
    c->body_of = arena_take(arena, rates, sizeof c->body_of[0]);
    is_complete &= c->rows && c->w && c->servos && c->body_of;
    return is_complete && qr_create(&c->qr, c->rows_max, c->rows_max, arena) == 0 ? 0 : ERR_MEMORY;
}

static void init_body(struct space_constraint *c, int i, const struct space_link *link)
{
    struct body *b = &c->bodies[i];
    struct vec3 from = link->parent < 0 ? none : c->bodies[link->parent].link->centre;
    *b = (struct body){.parent = link->parent,
                       .link = link,
                       .joint = &space_joints[link->kind],
                       .coordinate = c->coordinates,
                       .rate = c->rates,
                       .frame = quaternion_matrix(quaternion_normalised(link->frame)),
                       .own = vec3_negated(link->centre),
                       .parents = vec3_sub(link->joint, from),
                       .mass = link->mass_kg,
                       .inverse_mass = 1 / link->mass_kg,
                       .inertia = link->inertia,
                       .inverse_inertia = sym3_inverse(&link->inertia)};
    b->rates = space_joint_rates(b->joint);
    b->plain = b->joint->slides + b->joint->turns;
    c->coordinates += space_joint_coordinates(b->joint);
    c->rates += b->rates;
}

static void weigh_freedoms(struct space_constraint *c);

struct space_constraint *space_constraint_create(const struct space_body *body,
                                                 const struct space_world *world,
                                                 const struct dynamics_settings *settings,
                                                 struct arena *arena)
{
    struct space_constraint *c = arena_take(arena, 1, sizeof *c);
    if (!c || !(c->bodies = arena_take(arena, (size_t)body->link_count, sizeof c->bodies[0])))
        return NULL;
    c->settings = *settings;
    c->world = *world;
    c->count = body->link_count;
    c->ground.place.turn = QUATERNION_ONE;
    c->ground.turned = quaternion_matrix(QUATERNION_ONE);
    for (int i = 0; i < c->count; i++)
        init_body(c, i, &body->links[i]);
    c->rows_max = JOINT_ROWS_MAX * c->count;
    c->size = STATE_SIZE * c->count + c->rates + 2;
    if (take_memory(c, arena) != 0 ||
        space_tree_create(&c->carriers, body->links, c->count, world->gravity_m_s2, arena) != 0 ||
        space_drag_create(&c->drag, &world->drag, body->boxes, body->box_count, body->links,
                          c->count, arena) != 0)
        return NULL;
    for (int i = 0; i < c->count; i++)
        for (int k = 0; k < c->bodies[i].rates; k++)
            c->body_of[c->bodies[i].rate + k] = i;
    c->h_s = settings->dt_s;
    for (int i = 0; i < c->count; i++)
        if (c->bodies[i].joint->has_ball)
            c->q[c->bodies[i].coordinate + c->bodies[i].plain] = 1;
    space_constraint_set_state(c, c->q, c->qd);
    weigh_freedoms(c);
    return c;
}

/* ---------------------------------------------------------------- places */

static const struct body *parent_of(const struct space_constraint *c, const struct body *b)
{
    return b->parent < 0 ? &c->ground : &c->bodies[b->parent];
}

static struct vec3 axis_of(const struct mat3 *m, int i)
{
    return i == 0 ? m->x : i == 1 ? m->y : m->z;
}

static struct space_place place_at(const double *y)
{
    return (struct space_place){
        {y[0], y[1], y[2]}, {y[3], y[4], y[5], y[6]}, {y[7], y[8], y[9]}, {y[10], y[11], y[12]}};
}

static void place_put(double *y, const struct space_place *p)
{
    const double from[STATE_SIZE] = {
        p->centre.x,   p->centre.y,   p->centre.z,   p->turn.w, p->turn.x, p->turn.y, p->turn.z,
        p->velocity.x, p->velocity.y, p->velocity.z, p->spin.x, p->spin.y, p->spin.z};
    for (int i = 0; i < STATE_SIZE; i++)
        y[i] = from[i];
}

/* The axes of the freedoms in the world: of slides and the first turn the frame's, then the child's. */
static void find_axes(struct body *b)
{
    int k = 0;
    for (; k < b->joint->slides; k++)
        b->axes[k] = axis_of(&b->f, k);
    for (int i = 0; i < b->joint->turns; i++)
        b->axes[k++] = axis_of(i == 0 ? &b->f : &b->turned, b->joint->axes[i]);
    for (int i = 0; k < b->rates; i++)
        b->axes[k++] = axis_of(&b->turned, i);
}

/* The turn nearest to `near` that has this sine and cosine, up to a common factor. */
static double turn_near(double near, double sine, double cosine)
{
    double off = det_atan2(sine, cosine) - near;
    return near + off - 2 * DET_PI * floor((off + DET_PI) / (2 * DET_PI));
}

/* Angles of the joint, from axes across those it turns about: the second axis, which the first one moves, and the
 * first one, seen from the second. */
static void find_turns(const struct body *b, const double *near, double *q)
{
    int first = b->joint->axes[0], second = b->joint->axes[1];
    if (b->joint->turns == 1)
        second = (first + 1) % 3;
    struct vec3 a = axis_of(&b->f, first), zero = axis_of(&b->f, second);
    struct vec3 moved = axis_of(&b->turned, second);
    q[0] = turn_near(near[0], vec3_dot(moved, vec3_cross(a, zero)), vec3_dot(moved, zero));
    if (b->joint->turns < 2)
        return;
    struct vec3 own = axis_of(&b->turned, first);
    q[1] = turn_near(near[1], -vec3_dot(a, vec3_cross(moved, own)), vec3_dot(a, own));
}

static void find_coordinates(struct space_constraint *c, const struct body *b)
{
    const struct body *p = parent_of(c, b);
    double *q = c->q + b->coordinate, *qd = c->qd + b->rate;
    struct vec3 spin = vec3_sub(b->place.spin, p->place.spin);
    int k = 0;
    for (; k < b->joint->slides; k++) {
        q[k] = vec3_dot(b->d, b->axes[k]);
        qd[k] =
            vec3_dot(b->d_rate, b->axes[k]) + vec3_dot(b->d, vec3_cross(p->place.spin, b->axes[k]));
    }
    if (b->joint->turns > 0)
        find_turns(b, c->turned_to + b->coordinate + k, q + k);
    for (; k < b->rates; k++)
        qd[k] = vec3_dot(b->axes[k], spin);
    if (b->joint->has_ball) {
        struct quaternion from =
            quaternion_product(p->place.turn, quaternion_normalised(b->link->frame));
        struct quaternion ball = quaternion_product(quaternion_back(from), b->place.turn);
        q[b->plain] = ball.w;
        q[b->plain + 1] = ball.x;
        q[b->plain + 2] = ball.y;
        q[b->plain + 3] = ball.z;
    }
}

/* Everything that follows from a state but accelerations. */
static void set_places(struct space_constraint *c, const double *y)
{
    for (int i = 0; i < c->count; i++) {
        struct body *b = &c->bodies[i];
        const struct body *p = parent_of(c, b);
        b->place = place_at(y + STATE_SIZE * i);
        b->place.turn = quaternion_normalised(b->place.turn);
        b->turned = quaternion_matrix(b->place.turn);
        b->inverse = sym3_turned(&b->inverse_inertia, &b->turned);
        b->f = mat3_product(&p->turned, &b->frame);
        b->rc = mat3_apply(&b->turned, b->own);
        b->rp = mat3_apply(&p->turned, b->parents);
        b->d = vec3_sub(vec3_add(b->place.centre, b->rc), vec3_add(p->place.centre, b->rp));
        b->d_rate = vec3_sub(vec3_add(b->place.velocity, vec3_cross(b->place.spin, b->rc)),
                             vec3_add(p->place.velocity, vec3_cross(p->place.spin, b->rp)));
        find_axes(b);
        find_coordinates(c, b);
    }
}

/* ---------------------------------------------------------------- forces */

/* An effort along a freedom: on the child, and back on the parent, which a slide pushes where the child is. */
static void push(struct space_constraint *c, struct body *b, int k, double effort)
{
    struct body *p = b->parent < 0 ? &c->ground : &c->bodies[b->parent];
    struct vec3 along = vec3_scale(b->axes[k], effort);
    if (k >= b->joint->slides) {
        b->moment = vec3_add(b->moment, along);
        p->moment = vec3_sub(p->moment, along);
        return;
    }
    b->force = vec3_add(b->force, along);
    b->moment = vec3_add(b->moment, vec3_cross(b->rc, along));
    p->force = vec3_sub(p->force, along);
    p->moment = vec3_sub(p->moment, vec3_cross(vec3_add(b->rp, b->d), along));
}

/* What a servo still has to go, and how fast. The way of a ball is the turn from its target, in its own axes. */
static void find_ways(const struct space_constraint *c, const struct body *b, double ahead,
                      double *way, double *change)
{
    const double *q = c->q + b->coordinate;
    double target[SPACE_RATES_MAX];
    for (int k = 0; k < b->rates; k++) {
        int is_plain = k < b->plain;
        servo_target(&c->servos[b->rate + k], c->effectors,
                     is_plain ? b->link->lower[k] : -HUGE_VAL,
                     is_plain ? b->link->upper[k] : HUGE_VAL, ahead, &target[k], &change[k]);
        if (is_plain)
            way[k] = target[k] - q[k];
    }
    if (!b->joint->has_ball)
        return;
    const double *at = q + b->plain, *to = target + b->plain;
    struct quaternion ball = {at[0], at[1], at[2], at[3]};
    struct quaternion aim = quaternion_exp((struct vec3){to[0], to[1], to[2]});
    struct vec3 back = quaternion_log(quaternion_product(quaternion_back(ball), aim));
    way[b->plain] = back.x;
    way[b->plain + 1] = back.y;
    way[b->plain + 2] = back.z;
}

static double find_effort(const struct space_constraint *c, const struct servo *s, double way,
                          double change, double v, double ahead)
{
    int mode = c->settings.effector_mode;
    double kp, kd;
    if (s->torque_max <= 0 || c->effectors == EFFECTORS_SLACK || s->law == SERVO_MOTION)
        return 0;
    servo_gains(s, c->effectors, mode, &kp, &kd);
    double torque = servo_is_torque(s, c->effectors, mode)
                        ? servo_aim(s, c->effectors, mode, 0, 0, ahead) - kd * v
                        : kp * way + kd * (change - v);
    return servo_bound(s, torque, v);
}

/* Servos and passive damping; efforts without it are kept. */
static void push_joints(struct space_constraint *c, double ahead)
{
    for (int i = 0; i < c->count; i++) {
        struct body *b = &c->bodies[i];
        double way[SPACE_RATES_MAX], change[SPACE_RATES_MAX];
        find_ways(c, b, ahead, way, change);
        for (int k = 0; k < b->rates; k++) {
            int at = b->rate + k;
            c->effort[at] = find_effort(c, &c->servos[at], way[k], change[k], c->qd[at], ahead);
            push(c, b, k, c->effort[at] - c->servos[at].damping * c->qd[at]);
        }
    }
}

/* Its integrals over faces are those of simulator/boxes, on links that stand and move as ours. Returns its power, 0
 * or less. */
static double push_drag(struct space_constraint *c)
{
    double power = 0;
    if (!(c->world.drag.coefficient > 0))
        return 0;
    for (int i = 0; i < c->count; i++) {
        struct space_tree_link *l = &c->carriers.links[i];
        const struct body *b = &c->bodies[i];
        l->turned = b->turned;
        l->at = vec3_add(b->place.centre, b->rc);
        l->velocity.w = b->place.spin;
        l->velocity.v = vec3_add(b->place.velocity, vec3_cross(b->place.spin, b->rc));
    }
    space_drag_set(&c->drag, &c->carriers);
    for (int i = 0; i < c->count; i++) {
        struct body *b = &c->bodies[i];
        const struct space_tensor *t = &c->carriers.links[i].drag;
        const struct space_motion *v = &c->carriers.links[i].velocity;
        struct vec3 moment = vec3_add(sym3_apply(&t->nn, v->w), mat3_back(&t->nv, v->v));
        struct vec3 force = vec3_add(mat3_apply(&t->nv, v->w), sym3_apply(&t->fv, v->v));
        power -= vec3_dot(moment, v->w) + vec3_dot(force, v->v);
        b->force = vec3_sub(b->force, force);
        b->moment = vec3_sub(b->moment, vec3_add(moment, vec3_cross(b->rc, force)));
    }
    return power;
}

/* ---------------------------------------------------------------- rows */

static struct row *add_row(struct space_constraint *c, int i, struct vec3 jv, struct vec3 jw,
                           struct vec3 kv, struct vec3 kw)
{
    struct row *row = &c->rows[c->row_count++];
    const struct body *b = &c->bodies[i], *p = parent_of(c, b);
    *row = (struct row){.body = i, .jv = jv, .jw = jw, .kv = kv, .kw = kw, .driven = -1};
    row->rate = vec3_dot(jv, b->place.velocity) + vec3_dot(jw, b->place.spin) +
                vec3_dot(kv, p->place.velocity) + vec3_dot(kw, p->place.spin);
    return row;
}

static struct row *add_place_row(struct space_constraint *c, int i, int axis)
{
    const struct body *b = &c->bodies[i], *p = parent_of(c, b);
    struct vec3 e = axis_of(&b->f, axis), wc = b->place.spin, wp = p->place.spin;
    struct vec3 turned = vec3_cross(wp, e);
    struct row *row = add_row(c, i, e, vec3_cross(b->rc, e), vec3_negated(e),
                              vec3_negated(vec3_cross(vec3_add(b->rp, b->d), e)));
    row->deviation = vec3_dot(b->d, e);
    row->curvature = vec3_dot(e, vec3_sub(vec3_cross(wc, vec3_cross(wc, b->rc)),
                                          vec3_cross(wp, vec3_cross(wp, b->rp)))) +
                     2 * vec3_dot(b->d_rate, turned) + vec3_dot(b->d, vec3_cross(wp, turned));
    return row;
}

static void add_turn_row(struct space_constraint *c, int i, int parents, int own)
{
    const struct body *b = &c->bodies[i], *p = parent_of(c, b);
    struct vec3 u = axis_of(&b->f, parents), a = axis_of(&b->turned, own);
    struct vec3 wc = b->place.spin, wp = p->place.spin, g = vec3_cross(a, u);
    struct row *row = add_row(c, i, none, g, none, vec3_negated(g));
    struct vec3 change =
        vec3_add(vec3_cross(vec3_cross(wc, a), u), vec3_cross(a, vec3_cross(wp, u)));
    row->deviation = vec3_dot(u, a);
    row->curvature = vec3_dot(change, vec3_sub(wc, wp));
}

/* The freedom k of a body goes as its signal says. */
static void add_driven_row(struct space_constraint *c, int i, int k, double ahead)
{
    const struct body *b = &c->bodies[i], *p = parent_of(c, b);
    const struct servo *s = &c->servos[b->rate + k];
    struct signal_value signal = signal_at(s->signal, s->time_s + ahead);
    struct row *row;
    if (k < b->joint->slides) {
        row = add_place_row(c, i, k);
    } else {
        struct vec3 a = b->axes[k], wc = b->place.spin, wp = p->place.spin;
        int is_parents = k == b->joint->slides;
        row = add_row(c, i, none, a, none, vec3_negated(a));
        row->curvature = vec3_dot(vec3_cross(is_parents ? wp : wc, a), vec3_sub(wc, wp));
    }
    row->driven = b->rate + k;
    row->deviation = c->q[b->coordinate + k] - signal.value;
    row->rate -= signal.rate;
    row->curvature -= signal.acceleration;
}

static void add_joint_rows(struct space_constraint *c, int i, double ahead)
{
    const struct body *b = &c->bodies[i];
    int first = b->joint->axes[0], second = b->joint->axes[1];
    for (int axis = b->joint->slides; axis < 3; axis++)
        add_place_row(c, i, axis);
    if (b->joint->turns == 2) {
        add_turn_row(c, i, first, second);
    } else if (b->joint->turns == 1) {
        add_turn_row(c, i, (first + 1) % 3, first);
        add_turn_row(c, i, (first + 2) % 3, first);
    } else if (!b->joint->has_ball) {
        for (int axis = 0; axis < 3; axis++)
            add_turn_row(c, i, axis, (axis + 1) % 3);
    }
    for (int k = 0; k < b->plain; k++)
        if (c->servos[b->rate + k].law == SERVO_MOTION)
            add_driven_row(c, i, k, ahead);
}

/* ---------------------------------------------------------------- accelerations */

/* J M^-1 K' of the parts of two rows on one body. */
static double product(const struct body *b, struct vec3 jv, struct vec3 jw, struct vec3 kv,
                      struct vec3 kw)
{
    return b->inverse_mass * vec3_dot(jv, kv) + vec3_dot(jw, sym3_apply(&b->inverse, kw));
}

static double couple(const struct space_constraint *c, const struct row *r, const struct row *s)
{
    const struct body *b = &c->bodies[r->body], *p = parent_of(c, b);
    const struct body *sb = &c->bodies[s->body];
    double sum = 0;
    if (r->body == s->body)
        sum += product(b, r->jv, r->jw, s->jv, s->jw) + product(p, r->kv, r->kw, s->kv, s->kw);
    else if (b->parent == sb->parent)
        sum += product(p, r->kv, r->kw, s->kv, s->kw);
    else if (b->parent == s->body)
        sum += product(sb, r->kv, r->kw, s->jv, s->jw);
    else if (sb->parent == r->body)
        sum += product(b, r->jv, r->jw, s->kv, s->kw);
    return sum;
}

/* The forces of all rows, which are then in the accelerations. */
static void solve_rows(struct space_constraint *c)
{
    int n = c->row_count;
    double tau = c->settings.constraint_tau_s > 0 ? c->settings.constraint_tau_s : c->settings.dt_s;
    for (int i = 0; i < n; i++)
        c->scale[i] = 1 / sqrt(couple(c, &c->rows[i], &c->rows[i]));
    for (int i = 0; i < n; i++) {
        const struct row *r = &c->rows[i];
        const struct body *b = &c->bodies[r->body], *p = parent_of(c, b);
        double free = vec3_dot(r->jv, b->free_v) + vec3_dot(r->jw, b->free_w) +
                      vec3_dot(r->kv, p->free_v) + vec3_dot(r->kw, p->free_w);
        for (int j = 0; j < n; j++)
            c->w[i * n + j] = c->scale[i] * c->scale[j] * couple(c, r, &c->rows[j]);
        c->lambda[i] =
            -c->scale[i] * (free + r->curvature + 2 / tau * r->rate + r->deviation / (tau * tau));
    }
    qr_factor(&c->qr, c->w, n, n, RANK_TOLERANCE);
    qr_solve(&c->qr, c->lambda, c->lambda);
    for (int i = 0; i < n; i++) {
        const struct row *r = &c->rows[i];
        struct body *b = &c->bodies[r->body];
        double force = c->scale[i] * c->lambda[i];
        b->free_v = vec3_along(b->free_v, r->jv, b->inverse_mass * force);
        b->free_w = vec3_along(b->free_w, sym3_apply(&b->inverse, r->jw), force);
        if (r->driven >= 0)
            c->effort[r->driven] = force;
        if (b->parent < 0)
            continue;
        struct body *p = &c->bodies[b->parent];
        p->free_v = vec3_along(p->free_v, r->kv, p->inverse_mass * force);
        p->free_w = vec3_along(p->free_w, sym3_apply(&p->inverse, r->kw), force);
    }
}

/* From the forces that are there to accelerations. */
static void accelerate(struct space_constraint *c, double ahead)
{
    c->row_count = 0;
    for (int i = 0; i < c->count; i++) {
        struct body *b = &c->bodies[i];
        struct vec3 w = b->place.spin;
        struct vec3 turning =
            mat3_apply(&b->turned, sym3_apply(&b->inertia, mat3_back(&b->turned, w)));
        struct vec3 moment = vec3_sub(b->moment, vec3_cross(w, turning));
        b->free_v = vec3_scale(b->force, b->inverse_mass);
        b->free_w = sym3_apply(&b->inverse, moment);
        add_joint_rows(c, i, ahead);
    }
    if (c->row_count > 0)
        solve_rows(c);
}

/* Gravity is all that acts. */
static void clear_forces(struct space_constraint *c, struct vec3 gravity)
{
    c->ground.force = c->ground.moment = none;
    for (int i = 0; i < c->count; i++) {
        c->bodies[i].force = vec3_scale(gravity, c->bodies[i].mass);
        c->bodies[i].moment = none;
    }
}

/* dy/dt, `ahead` after the start of the step of dt_s. */
static void derive(struct space_constraint *c, const double *y, double ahead, double *dy)
{
    double *work = dy + STATE_SIZE * c->count, *losses = work + c->rates;
    set_places(c, y);
    clear_forces(c, c->world.gravity_m_s2);
    losses[0] = 0;
    losses[1] = -push_drag(c);
    push_joints(c, ahead);
    accelerate(c, ahead);
    for (int i = 0; i < c->count; i++) {
        const struct body *b = &c->bodies[i];
        const double *at = y + STATE_SIZE * i;
        struct quaternion half = {0, b->place.spin.x / 2, b->place.spin.y / 2, b->place.spin.z / 2};
        struct space_place change = {
            b->place.velocity,
            quaternion_product(half, (struct quaternion){at[3], at[4], at[5], at[6]}), b->free_v,
            b->free_w};
        place_put(dy + STATE_SIZE * i, &change);
    }
    for (int i = 0; i < c->rates; i++) {
        work[i] = c->effort[i] * c->qd[i];
        losses[0] += c->servos[i].damping * c->qd[i] * c->qd[i];
    }
}

/* What each freedom feels at birth while nothing else holds the body. */
static void weigh_freedoms(struct space_constraint *c)
{
    for (int i = 0; i < c->rates; i++) {
        struct body *b = &c->bodies[c->body_of[i]];
        const struct body *p = parent_of(c, b);
        int k = i - b->rate;
        clear_forces(c, none);
        push(c, b, k, 1);
        accelerate(c, 0);
        struct vec3 point = vec3_sub(vec3_add(b->free_v, vec3_cross(b->free_w, b->rc)),
                                     vec3_add(p->free_v, vec3_cross(p->free_w, b->rp)));
        struct vec3 moved = k < b->joint->slides ? point : vec3_sub(b->free_w, p->free_w);
        c->birth_inertia[i] = 1 / vec3_dot(b->axes[k], moved);
        if (b->link->kind != SPACE_FREE)
            c->servos[i].damping = c->settings.joint_damping_1_s * 2 * c->birth_inertia[i];
    }
}

/* ---------------------------------------------------------------- steps */

/* A step of h from y to y1. Returns the error, 1 being what is allowed. */
static double try_step(struct space_constraint *c, double ahead, double h)
{
    double worst = 0;
    for (int s = 0; s < STAGES; s++) {
        double *y = s == STAGES - 1 ? c->y1 : c->stage;
        for (int i = 0; i < c->size; i++) {
            double sum = 0;
            for (int j = 0; j < s; j++)
                sum += stage_weight[s][j] * c->k[j][i];
            y[i] = c->y[i] + h * sum;
        }
        derive(c, y, ahead + stage_time[s] * h, c->k[s]);
    }
    for (int i = 0; i < STATE_SIZE * c->count; i++) {
        double error = 0;
        for (int s = 0; s < STAGES; s++)
            error += error_weight[s] * c->k[s][i];
        error = fabs(h * error) / (c->settings.rtol * fmax(1, fabs(c->y1[i])));
        worst = error > worst || error != error ? error : worst;
    }
    return worst;
}

static void accept_step(struct space_constraint *c)
{
    double *y = c->y;
    c->y = c->y1;
    c->y1 = y;
    for (int i = 0; i < c->count; i++) {
        double *at = c->y + STATE_SIZE * i;
        struct space_place place = place_at(at);
        place.turn = quaternion_normalised(place.turn);
        place_put(at, &place);
    }
    set_places(c, c->y);
    for (int i = 0; i < c->coordinates; i++)
        c->turned_to[i] = c->q[i];
    c->steps++;
}

/* What the servos did since the sums were cleared. */
static void book(struct space_constraint *c)
{
    double *work = c->y + STATE_SIZE * c->count, *losses = work + c->rates;
    for (int i = 0; i < c->rates; i++) {
        c->ledger.work_effector_j += work[i];
        c->ledger.work_effector_positive_j += work[i] > 0 ? work[i] : 0;
        work[i] = 0;
    }
    c->ledger.loss_damping_j += losses[0];
    c->ledger.loss_drag_j += losses[1];
    losses[0] = losses[1] = 0;
}

int space_constraint_step(struct space_constraint *c)
{
    double dt = c->settings.dt_s, done = 0;
    while (done < dt) {
        double left = dt - done, h = left < 1.01 * c->h_s ? left : c->h_s;
        double error = try_step(c, done, h);
        double factor = isfinite(error) ? 0.9 * det_pow(fmax(error, 1e-5), -0.2) : 0.1;
        if (error <= 1) {
            accept_step(c);
            done = h == left ? dt : done + h;
        } else if (h <= STEP_LEAST_S) {
            return 1;
        }
        /* the rest of dt_s says little about the next length */
        if (h < left || factor < 1)
            c->h_s = fmax(STEP_LEAST_S, fmin(dt, h * fmin(5, fmax(0.1, factor))));
    }
    book(c);
    for (int i = 0; i < c->rates; i++)
        servo_advance(&c->servos[i], dt);
    return 0;
}

/* ---------------------------------------------------------------- the interface */

/* From the root outward: the joint's coordinates make each link's pose, its rates the motion. */
void space_constraint_set_state(struct space_constraint *c, const double *q, const double *qd)
{
    for (int i = 0; i < c->coordinates; i++)
        c->turned_to[i] = q[i];
    for (int i = 0; i < c->count; i++) {
        struct body *b = &c->bodies[i];
        const struct body *p = parent_of(c, b);
        const double *at = q + b->coordinate, *rate = qd + b->rate;
        struct space_place place = {.spin = p->place.spin};
        struct quaternion turn =
            quaternion_product(p->place.turn, quaternion_normalised(b->link->frame));
        int k = b->joint->slides;
        b->f = mat3_product(&p->turned, &b->frame);
        for (int j = 0; j < b->joint->turns; j++) {
            double unit[3] = {0, 0, 0};
            unit[b->joint->axes[j]] = 1;
            turn = quaternion_product(
                turn, quaternion_about((struct vec3){unit[0], unit[1], unit[2]}, at[k + j]));
        }
        if (b->joint->has_ball)
            turn = quaternion_product(
                turn, quaternion_normalised((struct quaternion){
                          at[b->plain], at[b->plain + 1], at[b->plain + 2], at[b->plain + 3]}));
        place.turn = quaternion_normalised(turn);
        b->turned = quaternion_matrix(place.turn);
        find_axes(b);
        for (; k < b->rates; k++)
            place.spin = vec3_along(place.spin, b->axes[k], rate[k]);
        b->rc = mat3_apply(&b->turned, b->own);
        struct vec3 way = mat3_apply(&p->turned, b->parents), slid = none;
        for (k = 0; k < b->joint->slides; k++) {
            way = vec3_along(way, b->axes[k], at[k]);
            slid = vec3_along(slid, b->axes[k], rate[k]);
        }
        place.centre = vec3_sub(vec3_add(p->place.centre, way), b->rc);
        place.velocity =
            vec3_sub(vec3_add(vec3_add(p->place.velocity, vec3_cross(p->place.spin, way)), slid),
                     vec3_cross(place.spin, b->rc));
        b->place = place;
        place_put(c->y + STATE_SIZE * i, &place);
    }
    for (int i = STATE_SIZE * c->count; i < c->size; i++)
        c->y[i] = 0;
    set_places(c, c->y);
    space_constraint_reset_ledger(c);
}

void space_constraint_set_servo(struct space_constraint *c, int rate, const struct servo *servo)
{
    c->servos[rate] = *servo;
}

void space_constraint_set_effector(struct space_constraint *c, int rate, double strength)
{
    const struct body *b = &c->bodies[c->body_of[rate]];
    struct link link = {.has_effector = 1, .strength = strength};
    struct servo servo = {.law = SERVO_EFFECTOR};
    link.joint_kind = rate - b->rate < b->joint->slides ? LINK_LINEAR : LINK_HINGE;
    servo_init(&servo, &link, c->birth_inertia[rate], &c->settings, c->settings.joint_damping_1_s);
    c->servos[rate] = servo;
}

void space_constraint_set_target(struct space_constraint *c, int rate, double target, double change)
{
    c->servos[rate].target = target;
    c->servos[rate].rate = change;
}

void space_constraint_set_effectors(struct space_constraint *c, enum effector_state state)
{
    c->effectors = state;
}

struct space_place space_constraint_place(const struct space_constraint *c, int link)
{
    return c->bodies[link].place;
}

const double *space_constraint_q(const struct space_constraint *c)
{
    return c->q;
}

const double *space_constraint_qd(const struct space_constraint *c)
{
    return c->qd;
}

double space_constraint_effort(const struct space_constraint *c, int rate)
{
    return c->effort[rate];
}

double space_constraint_birth_inertia(const struct space_constraint *c, int rate)
{
    return c->birth_inertia[rate];
}

double space_constraint_gap(struct space_constraint *c)
{
    double most = 0;
    c->row_count = 0;
    for (int i = 0; i < c->count; i++)
        add_joint_rows(c, i, 0);
    for (int i = 0; i < c->row_count; i++)
        most = fmax(most, fabs(c->rows[i].deviation));
    return most;
}

static double kinetic_energy(const struct space_constraint *c)
{
    double sum = 0;
    for (int i = 0; i < c->count; i++) {
        const struct body *b = &c->bodies[i];
        struct vec3 w = mat3_back(&b->turned, b->place.spin);
        sum += b->mass * vec3_dot(b->place.velocity, b->place.velocity) +
               vec3_dot(w, sym3_apply(&b->inertia, w));
    }
    return sum / 2;
}

static double potential_energy(const struct space_constraint *c)
{
    double sum = 0;
    for (int i = 0; i < c->count; i++)
        sum -= c->bodies[i].mass * vec3_dot(c->world.gravity_m_s2, c->bodies[i].place.centre);
    return sum;
}

void space_constraint_reset_ledger(struct space_constraint *c)
{
    c->ledger = (struct ledger){.energy_start_j = kinetic_energy(c) + potential_energy(c)};
}

const struct ledger *space_constraint_ledger(struct space_constraint *c)
{
    struct ledger *l = &c->ledger;
    l->kinetic_j = kinetic_energy(c);
    l->potential_j = potential_energy(c);
    l->residual_j = l->kinetic_j + l->potential_j - l->energy_start_j - l->work_effector_j +
                    l->loss_damping_j + l->loss_drag_j;
    return l;
}

uint64_t space_constraint_step_count(const struct space_constraint *c)
{
    return c->steps;
}

/* See space_system.h. A joint between a parent p and a child c has d, the way from the joint's place on the parent
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
 * stay across each other. A ball has none, a free root none at all. A prescribed motion is a row along its freedom.
 *
 * A touch that presses has its normal row, and the two across it where it sticks. Where it slides the force goes along
 * normal - friction x direction of sliding, which is not the row's own way: the equations are not symmetric then.
 * Impacts, and the choice of what presses, sticks and slides, are cones (boxes/cones.h): of velocities at an instant,
 * and of accelerations, with W = J M^-1 J' of the touches after the joints have been eliminated. */
#include "simulator/reference/space_system.h"

#include <math.h>

#include "common/detmath.h"
#include "common/error.h"

/* What counts as 0 beside the first of the factor's diagonal. */
#define RANK_TOLERANCE 1e-12
/* Residuals of the cones: of velocities, m/s, and of accelerations, m/s^2. */
#define CONES_ENOUGH 1e-10
/* What slides is stopped by what acts if that takes no longer than this, s; and no faster sliding than this,
 * m/s^2 times 1 s, makes a difference to that. */
#define STOP_S       1e-8
#define SLIDING_M_S2 1e6
/* What accelerates less sticks, m/s^2. */
#define STICKING_M_S2 1e-8
/* What slides faster has the direction of its velocity, m/s, else that of friction. */
#define SLIDING_M_S 1e-6
/* The direction of sliding is smoothed by this share of the speed that counts as none. */
#define SMOOTHING 1e-2
/* What leaves faster, m/s or rad/s, does not press. */
#define LEAVING 1e-9
/* Sliding has turned round if it is slower than before by this share of the speed that counts as none. */
#define TURN 0.1
/* Touches press if they take more than this share of all forces. */
#define PRESSING_SHARE 1e-12
/* Rows less mobile than this, compared with the whole mass, are left alone. */
#define ROW_MOBILITY 1e-6
/* What is deeper than this is pushed out by steps of impulses, this share of the depth a step, m, no faster than that. */
#define SLOP_M             1e-3
#define PUSH_OUT_SHARE     0.2
#define PUSH_OUT_SPEED_M_S 0.05
/* Steps of impulses look for touches as far as the fastest gets in them, and this much farther, m. */
#define MARGIN_M 1e-4
/* Slower impacts do not bounce. */
#define RESTITUTION_SPEED_M_S 0.2
/* Operations of an evaluation for each body, each row, and each face and box that may hide it. */
enum { BODY_WORK = 2000, ROW_WORK = 400, FACE_WORK = 300 };
/* Impacts gain energy if they gain more than this share of what they pass on. */
#define GAIN_SHARE 1e-9

static const struct vec3 none = {0, 0, 0};

/* ---------------------------------------------------------------- creation */

int space_system_create(struct space_constraint *c, struct arena *arena)
{
    int touches = c->touch_room, laws = 3 * (touches - c->limit_count) + c->limit_count;
    int joints = JOINT_ROWS_MAX * c->count;
    size_t all = (size_t)(joints + laws);
    const struct {
        double **array;
        int rows, columns;
    } arrays[] = {{&c->joints, joints, joints}, {&c->inverse, joints, 1}, {&c->along, laws, joints},
                  {&c->against, laws, joints},  {&c->w, laws, laws},      {&c->right, laws, 1},
                  {&c->pressing, laws, 1},      {&c->before, laws, 1}};
    int is_complete = 1;
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        size_t size = (size_t)arrays[i].rows * (size_t)arrays[i].columns;
        is_complete &= (*arrays[i].array = arena_take(arena, size, sizeof(double))) != NULL;
    }
    c->rows = arena_take(arena, all, sizeof c->rows[0]);
    c->scale = arena_take(arena, all, sizeof(double));
    c->lambda = arena_take(arena, all, sizeof(double));
    c->reference = arena_take(arena, all, sizeof(double));
    c->first = arena_take(arena, (size_t)joints, sizeof c->first[0]);
    if (!is_complete || !c->rows || !c->scale || !c->lambda || !c->reference || !c->first ||
        qr_create(&c->qr, laws, laws, arena) != 0)
        return ERR_MEMORY;
    return cones_create(&c->cones, touches, laws, 6 * c->count, arena);
}

/* ---------------------------------------------------------------- places */

static const struct body *parent_of(const struct space_constraint *c, const struct body *b)
{
    return space_system_body(c, b->parent);
}

struct space_place space_system_place_at(const double *y)
{
    return (struct space_place){
        {y[0], y[1], y[2]}, {y[3], y[4], y[5], y[6]}, {y[7], y[8], y[9]}, {y[10], y[11], y[12]}};
}

void space_system_put(double *y, const struct space_place *p)
{
    const double from[STATE_SIZE] = {
        p->centre.x,   p->centre.y,   p->centre.z,   p->turn.w, p->turn.x, p->turn.y, p->turn.z,
        p->velocity.x, p->velocity.y, p->velocity.z, p->spin.x, p->spin.y, p->spin.z};
    for (int i = 0; i < STATE_SIZE; i++)
        y[i] = from[i];
}

/* The axes of the freedoms in the world: of slides and the first turn the frame's, then the child's. */
void space_system_find_axes(struct body *b)
{
    int k = 0;
    for (; k < b->joint->slides; k++)
        b->axes[k] = space_system_axis(&b->f, k);
    for (int i = 0; i < b->joint->turns; i++)
        b->axes[k++] = space_system_axis(i == 0 ? &b->f : &b->turned, b->joint->axes[i]);
    for (int i = 0; k < b->rates; i++)
        b->axes[k++] = space_system_axis(&b->turned, i);
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
    struct vec3 a = space_system_axis(&b->f, first), zero = space_system_axis(&b->f, second);
    struct vec3 moved = space_system_axis(&b->turned, second);
    q[0] = turn_near(near[0], vec3_dot(moved, vec3_cross(a, zero)), vec3_dot(moved, zero));
    if (b->joint->turns < 2)
        return;
    struct vec3 own = space_system_axis(&b->turned, first);
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
void space_system_place(struct space_constraint *c, const double *y)
{
    for (int i = 0; i < c->count; i++) {
        struct body *b = &c->bodies[i];
        const struct body *p = parent_of(c, b);
        b->place = space_system_place_at(y + STATE_SIZE * i);
        b->place.turn = quaternion_normalised(b->place.turn);
        b->turned = quaternion_matrix(b->place.turn);
        b->inverse = sym3_turned(&b->inverse_inertia, &b->turned);
        b->f = mat3_product(&p->turned, &b->frame);
        b->rc = mat3_apply(&b->turned, b->own);
        b->rp = mat3_apply(&p->turned, b->parents);
        b->d = vec3_sub(vec3_add(b->place.centre, b->rc), vec3_add(p->place.centre, b->rp));
        b->d_rate = vec3_sub(vec3_add(b->place.velocity, vec3_cross(b->place.spin, b->rc)),
                             vec3_add(p->place.velocity, vec3_cross(p->place.spin, b->rp)));
        space_system_find_axes(b);
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
    c->work += (uint64_t)(FACE_WORK * 6 * c->box_count) *
               (uint64_t)(c->world.drag.has_exposure ? c->box_count : 1);
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
/* ---------------------------------------------------------------- rows of joints */

static double rate_of(const struct space_constraint *c, const struct row *row)
{
    double sum = 0;
    for (int k = 0; k < 2; k++) {
        const struct space_place *p = &space_system_body(c, row->bodies[k])->place;
        sum += vec3_dot(row->j[k].v, p->velocity) + vec3_dot(row->j[k].w, p->spin);
    }
    return sum;
}

void space_system_set_row(const struct space_constraint *c, struct row *row, int one, int two,
                          struct wrench j_one, struct wrench j_two)
{
    *row =
        (struct row){.bodies = {one, two}, .j = {j_one, j_two}, .g = {j_one, j_two}, .driven = -1};
    row->rate = rate_of(c, row);
}

/* D = d.e, see above. */
static void set_place_row(const struct space_constraint *c, int i, int axis, struct row *row)
{
    const struct body *b = &c->bodies[i], *p = parent_of(c, b);
    struct vec3 e = space_system_axis(&b->f, axis), wc = b->place.spin, wp = p->place.spin;
    struct vec3 turned = vec3_cross(wp, e);
    struct wrench own = {e, vec3_cross(b->rc, e)};
    struct wrench parents = {vec3_negated(e), vec3_negated(vec3_cross(vec3_add(b->rp, b->d), e))};
    space_system_set_row(c, row, i, b->parent, own, parents);
    row->deviation = vec3_dot(b->d, e);
    row->curvature = vec3_dot(e, vec3_sub(vec3_cross(wc, vec3_cross(wc, b->rc)),
                                          vec3_cross(wp, vec3_cross(wp, b->rp)))) +
                     2 * vec3_dot(b->d_rate, turned) + vec3_dot(b->d, vec3_cross(wp, turned));
}

void space_system_set_turn_row(const struct space_constraint *c, int i, struct vec3 g,
                               struct vec3 change, struct row *row)
{
    const struct body *b = &c->bodies[i], *p = parent_of(c, b);
    space_system_set_row(c, row, i, b->parent, (struct wrench){none, g},
                         (struct wrench){none, vec3_negated(g)});
    row->curvature = vec3_dot(change, vec3_sub(b->place.spin, p->place.spin));
}

void space_system_set_freedom_row(const struct space_constraint *c, int i, int k, struct row *row)
{
    const struct body *b = &c->bodies[i], *p = parent_of(c, b);
    int is_parents = k == b->joint->slides;
    struct vec3 w = is_parents ? p->place.spin : b->place.spin;
    if (k < b->joint->slides)
        set_place_row(c, i, k, row);
    else
        space_system_set_turn_row(c, i, b->axes[k], vec3_cross(w, b->axes[k]), row);
    row->deviation = c->q[b->coordinate + k];
}

/* D = u.a, see above. */
static void set_across_row(const struct space_constraint *c, int i, int parents, int own,
                           struct row *row)
{
    const struct body *b = &c->bodies[i], *p = parent_of(c, b);
    struct vec3 u = space_system_axis(&b->f, parents), a = space_system_axis(&b->turned, own);
    struct vec3 wc = b->place.spin, wp = p->place.spin;
    struct vec3 change =
        vec3_add(vec3_cross(vec3_cross(wc, a), u), vec3_cross(a, vec3_cross(wp, u)));
    space_system_set_turn_row(c, i, vec3_cross(a, u), change, row);
    row->deviation = vec3_dot(u, a);
}

/* The freedom k of a body goes as its signal says. */
static void set_driven_row(const struct space_constraint *c, int i, int k, double ahead,
                           struct row *row)
{
    const struct body *b = &c->bodies[i];
    const struct servo *s = &c->servos[b->rate + k];
    struct signal_value signal = signal_at(s->signal, s->time_s + ahead);
    space_system_set_freedom_row(c, i, k, row);
    row->driven = b->rate + k;
    row->deviation -= signal.value;
    row->rate -= signal.rate;
    row->curvature -= signal.acceleration;
}

static struct row *next_row(struct space_constraint *c)
{
    return &c->rows[c->row_count++];
}

static void add_joint_rows(struct space_constraint *c, int i, double ahead)
{
    const struct body *b = &c->bodies[i];
    int first = b->joint->axes[0], second = b->joint->axes[1];
    for (int axis = b->joint->slides; axis < 3; axis++)
        set_place_row(c, i, axis, next_row(c));
    if (b->joint->turns == 2) {
        set_across_row(c, i, first, second, next_row(c));
    } else if (b->joint->turns == 1) {
        set_across_row(c, i, (first + 1) % 3, first, next_row(c));
        set_across_row(c, i, (first + 2) % 3, first, next_row(c));
    } else if (!b->joint->has_ball) {
        for (int axis = 0; axis < 3; axis++)
            set_across_row(c, i, axis, (axis + 1) % 3, next_row(c));
    }
    for (int k = 0; k < b->plain; k++)
        if (c->servos[b->rate + k].law == SERVO_MOTION)
            set_driven_row(c, i, k, ahead, next_row(c));
}

void space_system_list_joints(struct space_constraint *c, double ahead)
{
    c->row_count = 0;
    for (int i = 0; i < c->count; i++)
        add_joint_rows(c, i, ahead);
    c->joint_rows = c->row_count;
}

/* ---------------------------------------------------------------- rows of touches */

/* The direction of sliding: of the velocity, and past its end still the one at the start. */
static void find_sliding(const struct space_constraint *c, const struct touch *t, double *one,
                         double *two)
{
    double x = t->rows[1].rate, y = t->rows[2].rate;
    double way_x = vec3_dot(t->way, t->directions[1]), way_y = vec3_dot(t->way, t->directions[2]);
    if (!(x * way_x + y * way_y > 0))
        x = y = 0;
    x += SMOOTHING * c->slip_m_s * way_x;
    y += SMOOTHING * c->slip_m_s * way_y;
    double size = sqrt(x * x + y * y);
    *one = x / size;
    *two = y / size;
}

static struct wrench wrench_along(struct wrench a, const struct wrench *b, double s)
{
    return (struct wrench){vec3_along(a.v, b->v, s), vec3_along(a.w, b->w, s)};
}

/* What presses: the gap stays, and no velocity across it where it sticks. */
static void add_touch_rows(struct space_constraint *c, struct touch *t)
{
    struct row *row = &c->rows[c->row_count];
    double one, two;
    space_touch_update(c, t);
    *row = t->rows[0];
    row->deviation -= t->rest;
    c->reference[c->row_count++] = c->has_reference ? t->reference[0] : 0;
    if (t->kind == TOUCH_LIMIT || t->friction == 0)
        return;
    if (t->mode == TOUCH_SLIDES) {
        find_sliding(c, t, &one, &two);
        row->is_askew = 1;
        for (int k = 0; k < 2; k++) {
            row->g[k] = wrench_along(row->g[k], &t->rows[1].j[k], -t->friction * one);
            row->g[k] = wrench_along(row->g[k], &t->rows[2].j[k], -t->friction * two);
        }
        return;
    }
    for (int i = 1; i < 3; i++) {
        c->reference[c->row_count] = c->has_reference ? t->reference[i] : 0;
        c->rows[c->row_count++] = t->rows[i];
    }
}

/* Forces of the last solution along the directions of each touch. */
static void read_forces(struct space_constraint *c)
{
    const double *force = c->lambda + c->joint_rows;
    for (int i = 0; i < c->touch_count; i++) {
        struct touch *t = &c->touches[i];
        double one, two;
        t->force[0] = *force++;
        t->force[1] = t->force[2] = 0;
        if (t->kind == TOUCH_LIMIT || t->friction == 0)
            continue;
        if (t->mode == TOUCH_SLIDES) {
            find_sliding(c, t, &one, &two);
            t->force[1] = -t->friction * t->force[0] * one;
            t->force[2] = -t->friction * t->force[0] * two;
            continue;
        }
        t->force[1] = *force++;
        t->force[2] = *force++;
    }
}

/* ---------------------------------------------------------------- the equation */

/* M^-1 of a wrench on a body. */
static struct wrench yield_of(const struct body *b, const struct wrench *g)
{
    return (struct wrench){vec3_scale(g->v, b->inverse_mass), sym3_apply(&b->inverse, g->w)};
}

/* J M^-1 G' of two rows; yields: M^-1 G' of the second. */
static double couple(const struct row *r, const struct row *s, const struct wrench yields[2])
{
    double sum = 0;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++)
            if (r->bodies[i] == s->bodies[k] && r->bodies[i] >= 0)
                sum += vec3_dot(r->j[i].v, yields[k].v) + vec3_dot(r->j[i].w, yields[k].w);
    return sum;
}

/* M^-1 of a row's own way, or of that of its force. */
static void find_yields(const struct space_constraint *c, const struct row *row,
                        const struct wrench *way, struct wrench yields[2])
{
    for (int k = 0; k < 2; k++)
        yields[k] = yield_of(space_system_body(c, row->bodies[k]), &way[k]);
}

double space_system_row_mass(const struct space_constraint *c, const struct row *row)
{
    struct wrench yields[2];
    find_yields(c, row, row->j, yields);
    double mobility = couple(row, row, yields);
    return mobility > 0 ? 1 / mobility : 0;
}

/* A row's acceleration by those of its bodies. */
static double acceleration_of(const struct space_constraint *c, const struct row *row)
{
    double sum = row->curvature;
    for (int k = 0; k < 2; k++) {
        const struct body *b = space_system_body(c, row->bodies[k]);
        sum += vec3_dot(row->j[k].v, b->free_v) + vec3_dot(row->j[k].w, b->free_w);
    }
    return sum;
}

/* A force along g changes the bodies' accelerations; or an impulse velocities, if they stand there. */
static void apply(struct space_constraint *c, const struct row *row, double force)
{
    for (int k = 0; k < 2; k++) {
        struct body *b = space_system_moved(c, row->bodies[k]);
        b->free_v = vec3_along(b->free_v, row->g[k].v, b->inverse_mass * force);
        b->free_w = vec3_along(b->free_w, sym3_apply(&b->inverse, row->g[k].w), force);
    }
}

static void scale_row(struct space_constraint *c, int i)
{
    c->scale[i] = sqrt(space_system_row_mass(c, &c->rows[i]));
}

static double product(const double *a, const double *b, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

/* W = J M^-1 J' of the joints, scaled so that each row alone has 1, is L L'. A joint shares bodies with its
 * neighbours only, so a row of L begins late. Of rows that say the same, the later ones are left out. */
static void factor_joints(struct space_constraint *c)
{
    int m = c->joint_rows;
    for (int i = 0; i < m; i++) {
        struct wrench yields[2];
        double *l = c->joints + i * m;
        int first = i;
        find_yields(c, &c->rows[i], c->rows[i].j, yields);
        scale_row(c, i);
        for (int j = i; j >= 0; j--) {
            l[j] = c->scale[i] * c->scale[j] * couple(&c->rows[j], &c->rows[i], yields);
            first = l[j] != 0 ? j : first;
        }
        for (int j = first; j < i; j++) {
            const double *others = c->joints + j * m;
            int from = first > c->first[j] ? first : c->first[j];
            l[j] = c->inverse[j] * (l[j] - product(l + from, others + from, j - from));
        }
        l[i] -= product(l + first, l + first, i - first);
        c->first[i] = first;
        c->inverse[i] = l[i] > RANK_TOLERANCE ? 1 / sqrt(l[i]) : 0;
        c->work += (uint64_t)(i - first + 10) * (uint64_t)(i - first + 10);
    }
}

/* b becomes L^-1 b. */
static void solve_down(const struct space_constraint *c, double *b)
{
    for (int i = 0; i < c->joint_rows; i++) {
        const double *l = c->joints + i * c->joint_rows;
        for (int k = c->first[i]; k < i; k++)
            b[i] -= l[k] * b[k];
        b[i] *= c->inverse[i];
    }
}

/* b becomes L'^-1 b. */
static void solve_up(const struct space_constraint *c, double *b)
{
    for (int i = c->joint_rows - 1; i >= 0; i--) {
        const double *l = c->joints + i * c->joint_rows;
        b[i] *= c->inverse[i];
        for (int k = c->first[i]; k < i; k++)
            b[k] -= l[k] * b[i];
    }
}

/* What a row of a touch has with those of joints, by its own way or that of its force. */
static void set_beside(struct space_constraint *c, int i, const struct wrench *way, double *beside)
{
    struct wrench yields[2];
    find_yields(c, &c->rows[i], way, yields);
    for (int k = 0; k < c->joint_rows; k++)
        beside[k] = c->scale[k] * c->scale[i] * couple(&c->rows[k], &c->rows[i], yields);
    solve_down(c, beside);
}

/* The equation of touches after joints are eliminated; of many solutions it is the nearest to the reference. `free`: the
 * solution of joints alone, as L' times it, which changes into that with the touches. */
static void solve_touches(struct space_constraint *c, double *free)
{
    int m = c->joint_rows, count = c->row_count - m;
    for (int i = 0; i < count; i++) {
        const struct row *row = &c->rows[m + i];
        set_beside(c, m + i, row->g, c->along + i * m);
        if (row->is_askew)
            set_beside(c, m + i, row->j, c->against + i * m);
    }
    for (int i = 0; i < count; i++) {
        const struct row *row = &c->rows[m + i];
        const double *against = (row->is_askew ? c->against : c->along) + i * m;
        c->right[i] = c->lambda[m + i] - product(against, free, m);
        for (int j = 0; j < count; j++) {
            struct wrench yields[2];
            double scale = c->scale[m + j];
            find_yields(c, &c->rows[m + j], c->rows[m + j].g, yields);
            double w = c->scale[m + i] * scale * couple(row, &c->rows[m + j], yields) -
                       product(against, c->along + j * m, m);
            c->w[i * count + j] = w;
            c->right[i] -= scale > 0 ? w * c->reference[m + j] / scale : 0;
        }
    }
    qr_factor(&c->qr, c->w, count, count, RANK_TOLERANCE);
    qr_solve(&c->qr, c->right, c->pressing);
    for (int i = 0; i < count; i++) {
        double scale = c->scale[m + i];
        c->lambda[m + i] = c->pressing[i] + (scale > 0 ? c->reference[m + i] / scale : 0);
        for (int k = 0; k < m; k++)
            free[k] -= c->along[i * m + k] * c->lambda[m + i];
    }
    c->work += (uint64_t)count * (uint64_t)(count + 10) * (uint64_t)(m + 2 * count + 10);
}

/* The forces of all rows, which are then in the accelerations. */
static void solve_rows(struct space_constraint *c)
{
    double tau = c->settings.constraint_tau_s > 0 ? c->settings.constraint_tau_s : c->settings.dt_s;
    factor_joints(c);
    c->work += (uint64_t)(ROW_WORK * c->row_count);
    for (int i = 0; i < c->row_count; i++) {
        const struct row *r = &c->rows[i];
        if (i >= c->joint_rows)
            scale_row(c, i);
        c->lambda[i] =
            -c->scale[i] * (acceleration_of(c, r) + 2 / tau * r->rate + r->deviation / (tau * tau));
    }
    solve_down(c, c->lambda);
    if (c->row_count > c->joint_rows)
        solve_touches(c, c->lambda);
    solve_up(c, c->lambda);
    for (int i = 0; i < c->row_count; i++) {
        const struct row *r = &c->rows[i];
        c->lambda[i] *= c->scale[i];
        apply(c, r, c->lambda[i]);
        if (r->driven >= 0)
            c->effort[r->driven] = c->lambda[i];
    }
}

/* From the forces that are there to accelerations, without rows. */
static void accelerate_freely(struct space_constraint *c)
{
    for (int i = 0; i < c->count; i++) {
        struct body *b = &c->bodies[i];
        struct vec3 w = b->place.spin;
        struct vec3 turning =
            mat3_apply(&b->turned, sym3_apply(&b->inertia, mat3_back(&b->turned, w)));
        b->free_v = vec3_scale(b->force, b->inverse_mass);
        b->free_w = sym3_apply(&b->inverse, vec3_sub(b->moment, vec3_cross(w, turning)));
    }
}

/* ... with the first `touches` of those that press. */
static void accelerate(struct space_constraint *c, double ahead, int touches)
{
    accelerate_freely(c);
    space_system_list_joints(c, ahead);
    for (int i = 0; i < touches; i++)
        add_touch_rows(c, &c->touches[i]);
    if (c->row_count > 0)
        solve_rows(c);
    if (touches > 0)
        read_forces(c);
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

/* All forces but those of rows; returns the power of drag. */
static double push_all(struct space_constraint *c, double ahead)
{
    c->work += (uint64_t)(BODY_WORK * c->count);
    clear_forces(c, c->world.gravity_m_s2);
    double power = push_drag(c);
    push_joints(c, ahead);
    return power;
}

static struct vec3 force_of(const struct touch *t, const double force[3])
{
    struct vec3 sum = vec3_scale(t->directions[0], force[0]);
    for (int k = 1; k < space_touch_size(t); k++)
        sum = vec3_along(sum, t->directions[k], force[k]);
    return sum;
}

void space_system_derive(struct space_constraint *c, const double *y, double ahead, double *dy)
{
    double *work = dy + STATE_SIZE * c->count, *losses = work + c->rates, *at = losses + LOSSES;
    space_system_place(c, y);
    losses[0] = losses[2] = 0;
    losses[1] = -push_all(c, ahead);
    accelerate(c, ahead, c->touch_count);
    for (int i = 0; i < c->count; i++) {
        const struct body *b = &c->bodies[i];
        const double *q = y + STATE_SIZE * i + 3;
        struct quaternion half = {0, b->place.spin.x / 2, b->place.spin.y / 2, b->place.spin.z / 2};
        struct space_place change = {
            b->place.velocity,
            quaternion_product(half, (struct quaternion){q[0], q[1], q[2], q[3]}), b->free_v,
            b->free_w};
        space_system_put(dy + STATE_SIZE * i, &change);
    }
    for (int i = 0; i < c->rates; i++) {
        work[i] = c->effort[i] * c->qd[i];
        losses[0] += c->servos[i].damping * c->qd[i] * c->qd[i];
    }
    for (int i = 0; i < c->touch_room; i++, at += 3) {
        const struct touch *t = &c->touches[i];
        struct vec3 force = i < c->touch_count ? force_of(t, t->force) : none;
        for (int k = 1; k < 3 && i < c->touch_count; k++)
            losses[2] -= t->force[k] * t->rows[k].rate;
        at[0] = force.x;
        at[1] = force.y;
        at[2] = force.z;
    }
}

void space_system_weigh_freedoms(struct space_constraint *c)
{
    for (int i = 0; i < c->rates; i++) {
        struct body *b = &c->bodies[c->body_of[i]];
        const struct body *p = parent_of(c, b);
        int k = i - b->rate;
        clear_forces(c, none);
        push(c, b, k, 1);
        accelerate(c, 0, 0);
        struct vec3 point = vec3_sub(vec3_add(b->free_v, vec3_cross(b->free_w, b->rc)),
                                     vec3_add(p->free_v, vec3_cross(p->free_w, b->rp)));
        struct vec3 moved = k < b->joint->slides ? point : vec3_sub(b->free_w, p->free_w);
        c->birth_inertia[i] = 1 / vec3_dot(b->axes[k], moved);
        if (b->link->kind != SPACE_FREE)
            c->servos[i].damping = c->settings.joint_damping_1_s * 2 * c->birth_inertia[i];
    }
}

/* ---------------------------------------------------------------- touches alone */

/* L' of the inertia's Cholesky factors L L', times a vector in the body's axes: as long as the square root of twice the
 * energy of that angular velocity. */
static struct vec3 whiten(const struct body *b, struct vec3 w)
{
    const struct sym3 *l = &b->root;
    return (struct vec3){l->xx * w.x + l->xy * w.y + l->xz * w.z, l->yy * w.y + l->yz * w.z,
                         l->zz * w.z};
}

static struct vec3 unwhiten(const struct body *b, struct vec3 y)
{
    const struct sym3 *l = &b->root;
    struct vec3 w = {0, 0, y.z / l->zz};
    w.y = (y.y - l->yz * w.z) / l->yy;
    w.x = (y.x - l->xy * w.y - l->xz * w.z) / l->xx;
    return w;
}

/* A row of Y: the change of all velocities, times the square root of the masses, by a unit impulse along a row, and what
 * joints add to stay closed. With joints eliminated W = J M^-1 J' is Y Y' of these. */
static void set_response(struct space_constraint *c, const struct row *row, double *y)
{
    int m = c->joint_rows;
    for (int i = 0; i < c->count; i++)
        c->bodies[i].free_v = c->bodies[i].free_w = none;
    struct wrench yields[2];
    find_yields(c, row, row->j, yields);
    for (int k = 0; k < m; k++)
        c->lambda[k] = -c->scale[k] * couple(&c->rows[k], row, yields);
    solve_down(c, c->lambda);
    solve_up(c, c->lambda);
    apply(c, row, 1);
    for (int k = 0; k < m; k++)
        apply(c, &c->rows[k], c->scale[k] * c->lambda[k]);
    for (int i = 0; i < c->count; i++, y += 6) {
        const struct body *b = &c->bodies[i];
        struct vec3 v = vec3_scale(b->free_v, sqrt(b->mass));
        struct vec3 w = whiten(b, mat3_back(&b->turned, b->free_w));
        y[0] = v.x;
        y[1] = v.y;
        y[2] = v.z;
        y[3] = w.x;
        y[4] = w.y;
        y[5] = w.z;
    }
}

/* The columns in which rows of a law are not 0; what hardly anything moves is 0 altogether. */
static void close_law(struct space_constraint *c, struct cone_law *law)
{
    int columns = c->cones.columns;
    law->from = columns;
    law->to = 0;
    for (int i = law->row; i < law->row + law->size; i++) {
        double *y = cones_row(&c->cones, i), sum = 0;
        for (int k = 0; k < columns; k++)
            sum += y[k] * y[k];
        int is_mobile = sum * c->mass > ROW_MOBILITY;
        if (!is_mobile && i == law->row)
            law->bound = -HUGE_VAL;
        for (int k = 0; k < columns; k++) {
            y[k] = is_mobile ? y[k] : 0;
            if (y[k] != 0) {
                law->from = k < law->from ? k : law->from;
                law->to = k + 1 > law->to ? k + 1 : law->to;
            }
        }
    }
    law->from = law->from < law->to ? law->from : 0;
}

/* The laws of found[], but for their velocities and bounds. Accelerations of bodies are lost. */
static void reduce(struct space_constraint *c, double ahead)
{
    int n = 0;
    space_system_list_joints(c, ahead);
    for (int i = 0; i < c->found_count; i++) {
        struct touch *t = &c->found[i];
        c->cones.laws[i] =
            (struct cone_law){.row = n, .size = space_touch_size(t), .friction = t->friction};
        n += space_touch_size(t);
    }
    cones_begin(&c->cones, n);
    c->cones.count = c->found_count;
    factor_joints(c);
    for (int i = 0; i < c->found_count; i++) {
        struct cone_law *law = &c->cones.laws[i];
        for (int k = 0; k < law->size; k++)
            set_response(c, &c->found[i].rows[k], cones_row(&c->cones, law->row + k));
        close_law(c, law);
    }
    for (int i = 0; i < n; i++)
        c->cones.impulse[i] = 0;
    c->cones.enough = CONES_ENOUGH;
}

static int is_inert(const struct cone_law *law)
{
    return law->bound == -HUGE_VAL;
}

/* The impulses of the cones, and the joints' answers, change the bodies' velocities. */
static void apply_impulses(struct space_constraint *c)
{
    const double *y = c->cones.whole;
    for (int i = 0; i < c->count; i++, y += 6) {
        struct body *b = &c->bodies[i];
        struct vec3 w = unwhiten(b, (struct vec3){y[3], y[4], y[5]});
        b->place.velocity =
            vec3_along(b->place.velocity, (struct vec3){y[0], y[1], y[2]}, 1 / sqrt(b->mass));
        b->place.spin = vec3_add(b->place.spin, mat3_apply(&b->turned, w));
    }
}

/* Work of the impulses: of contacts along and across normals, of limits. */
struct works {
    double normal, tangent, limit, size;
};

static struct works work_of(const struct space_constraint *c)
{
    struct works sum = {0, 0, 0, 0};
    for (int i = 0; i < c->found_count; i++)
        for (int k = 0; k < space_touch_size(&c->found[i]); k++) {
            int row = c->cones.laws[i].row + k;
            double l = c->cones.impulse[row];
            double *to = c->found[i].kind == TOUCH_LIMIT ? &sum.limit
                         : k == 0                        ? &sum.normal
                                                         : &sum.tangent;
            *to += l * 0.5 * (c->before[row] + c->cones.velocity[row]);
            sum.size += fabs(l * c->before[row]);
        }
    return sum;
}

/* What one gains another has lost; what is left in sum is booked. */
static void book_works(struct space_constraint *c, struct works w)
{
    double sum = w.normal + w.tangent + w.limit;
    double losses = fmin(w.normal, 0) + fmin(w.tangent, 0) + fmin(w.limit, 0);
    if (sum > 0) {
        c->ledger.gain_impact_j += sum;
        return;
    }
    double share = losses < 0 ? sum / losses : 0;
    c->ledger.loss_impact_j -= share * fmin(w.normal, 0);
    c->ledger.loss_friction_j -= share * fmin(w.tangent, 0);
    c->ledger.loss_limit_j -= share * fmin(w.limit, 0);
}

void space_system_mark(struct space_constraint *c, const struct touch *t, struct vec3 impulse)
{
    double sign = t->is_swapped ? -1 : 1;
    int at = 0;
    if (t->kind == TOUCH_LIMIT)
        return;
    while (at < c->mark_count &&
           (c->marks[at].pair != t->pair || c->marks[at].feature != t->feature))
        at++;
    if (at == c->mark_count && at == c->mark_room)
        at = 0; /* only sums over two boxes mean something, and there are enough of them */
    struct touch_mark *mark = &c->marks[at];
    if (at == c->mark_count) {
        const struct touch_pair *p = &c->pairs[t->pair];
        *mark = (struct touch_mark){.pair = t->pair, .feature = t->feature};
        mark->point = (struct contact_point){
            .part = p->a, .other = p->b, .other_creature = p->b < 0 ? -1 : 0};
        c->mark_count++;
    }
    double normal = vec3_dot(impulse, t->directions[0]);
    struct vec3 across = vec3_along(impulse, t->directions[0], -normal);
    mark->point.at = t->at;
    mark->point.normal = vec3_scale(t->directions[0], sign);
    mark->point.gap_m = t->rows[0].deviation;
    mark->point.normal_impulse_n_s += normal;
    mark->point.friction_impulse_n_s += vec3_length(across);
}

/* Solves what found[] is subject to, with velocities `before`, and again without restitution if that gains energy. */
static void solve_impacts(struct space_constraint *c)
{
    cones_solve(&c->cones);
    struct works works = work_of(c);
    if (works.normal + works.tangent + works.limit > GAIN_SHARE * works.size) {
        for (int i = 0; i < c->found_count; i++)
            if (c->cones.laws[i].bound > 0)
                c->cones.laws[i].bound = 0;
        cones_solve(&c->cones);
        works = work_of(c);
    }
    c->law_residual = fmax(c->law_residual, c->cones.residual);
    book_works(c, works);
    for (int i = 0; i < c->found_count; i++) {
        const double *l = c->cones.impulse + c->cones.laws[i].row;
        if (l[0] > 0)
            space_system_mark(c, &c->found[i], force_of(&c->found[i], l));
    }
    apply_impulses(c);
}

static double restitution_speed(const struct space_constraint *c)
{
    return c->settings.restitution_speed_m_s > 0 ? c->settings.restitution_speed_m_s
                                                 : RESTITUTION_SPEED_M_S;
}

/* A velocity along the normal after an impact. */
static double rebound(const struct space_constraint *c, const struct touch *t, double rate)
{
    return rate < -restitution_speed(c) ? -t->elasticity * rate : 0;
}

static void keep_places(struct space_constraint *c, double *y)
{
    for (int i = 0; i < c->count; i++)
        space_system_put(y + STATE_SIZE * i, &c->bodies[i].place);
}

int space_system_collide(struct space_constraint *c, double ahead)
{
    int is_needed = 0;
    space_system_place(c, c->y);
    space_touch_find(c, TOUCH_NEAR);
    for (int i = 0; i < c->found_count; i++)
        is_needed |= c->found[i].rows[0].rate < -CONES_ENOUGH;
    if (!is_needed)
        return 0;
    reduce(c, ahead);
    for (int i = 0; i < c->found_count; i++) {
        const struct touch *t = &c->found[i];
        struct cone_law *law = &c->cones.laws[i];
        for (int k = 0; k < space_touch_size(t); k++)
            c->cones.free[law->row + k] = c->before[law->row + k] = t->rows[k].rate;
        if (!is_inert(law))
            law->bound = rebound(c, t, t->rows[0].rate);
    }
    solve_impacts(c);
    keep_places(c, c->y);
    space_system_place(c, c->y);
    return 1;
}

/* Touches that leave have no part in what presses. */
static void drop_leaving(struct space_constraint *c)
{
    int kept = 0;
    for (int i = 0; i < c->found_count; i++)
        if (c->found[i].rows[0].rate < LEAVING)
            c->found[kept++] = c->found[i];
    c->found_count = kept;
}

double space_system_floor(const struct space_constraint *c, double speed, double before)
{
    return speed > 2 * c->slip_m_s ? c->slip_m_s : before;
}

/* What a touch that presses with these forces is. */
static void start_pressing(struct space_constraint *c, int law)
{
    const struct cone_law *l = &c->cones.laws[law];
    const double *force = c->cones.impulse + l->row, *after = c->cones.velocity + l->row;
    struct touch *t = &c->touches[c->touch_count++];
    *t = c->found[law];
    t->rest = t->rows[0].deviation;
    t->mode = TOUCH_SLIDES;
    for (int k = 0; k < l->size; k++)
        t->reference[k] = force[k];
    if (l->size == 1 || t->friction == 0)
        return;
    double x = t->rows[1].rate, y = t->rows[2].rate, speed = sqrt(x * x + y * y);
    double across = sqrt(force[1] * force[1] + force[2] * force[2]);
    if (sqrt(after[1] * after[1] + after[2] * after[2]) < STICKING_M_S2) {
        t->mode = TOUCH_STICKS;
        return;
    }
    if (!(speed > fmax(SLIDING_M_S, 2 * c->slip_m_s))) {
        x = -force[1];
        y = -force[2];
        speed = across;
    }
    t->way = vec3_along(vec3_scale(t->directions[1], x / speed), t->directions[2], y / speed);
    double along = (t->rows[1].rate * x + t->rows[2].rate * y) / speed;
    t->floor = space_system_floor(c, along, fmin(along, 0) - TURN * c->slip_m_s);
}

void space_system_choose_modes(struct space_constraint *c, double ahead)
{
    double sum = 0;
    space_system_place(c, c->y);
    space_touch_find(c, TOUCH_NEAR);
    drop_leaving(c);
    c->touch_count = 0;
    if (c->found_count == 0)
        return;
    reduce(c, ahead);
    push_all(c, ahead);
    accelerate(c, ahead, 0);
    for (int i = 0; i < c->found_count; i++) {
        const struct touch *t = &c->found[i];
        double *free = c->cones.free + c->cones.laws[i].row;
        for (int k = 0; k < space_touch_size(t); k++)
            free[k] = acceleration_of(c, &t->rows[k]);
        if (t->kind == TOUCH_LIMIT)
            continue;
        double x = t->rows[1].rate, y = t->rows[2].rate, speed = sqrt(x * x + y * y);
        for (int k = 1; k < 3 && speed > 2 * c->slip_m_s; k++)
            free[k] += fmin(1 / STOP_S, SLIDING_M_S2 / speed) * t->rows[k].rate;
    }
    cones_solve(&c->cones);
    for (int i = 0; i < c->found_count; i++)
        sum += c->cones.impulse[c->cones.laws[i].row];
    for (int i = 0; i < c->found_count; i++)
        if (c->cones.impulse[c->cones.laws[i].row] > PRESSING_SHARE * sum)
            start_pressing(c, i);
}

/* ---------------------------------------------------------------- steps of impulses */

/* Half a step of the velocities that bodies have. */
static void drift(struct space_constraint *c, double time_s)
{
    for (int i = 0; i < c->count; i++) {
        struct space_place *p = &c->bodies[i].place;
        struct quaternion turn = quaternion_exp(vec3_scale(p->spin, time_s));
        p->centre = vec3_along(p->centre, p->velocity, time_s);
        p->turn = quaternion_normalised(quaternion_product(turn, p->turn));
    }
}

double space_system_top_speed(const struct space_constraint *c)
{
    double top = 0;
    for (int i = 0; i < c->box_count; i++) {
        const struct body *b = &c->bodies[c->boxes[i].link];
        double reach = vec3_length(vec3_sub(c->boxes[i].centre, b->link->centre)) +
                       vec3_length(c->boxes[i].size_m) / 2;
        top = fmax(top, vec3_length(b->place.velocity) + vec3_length(b->place.spin) * reach);
    }
    return top;
}

/* The least velocity along the normal at the end of a step of h, at whose middle the gap is this. */
static double least_rate(const struct space_constraint *c, const struct touch *t, double h)
{
    double gap = t->rows[0].deviation, rate = t->rows[0].rate;
    if (gap > 0)
        return -gap / h;
    if (rate < -restitution_speed(c) && t->elasticity > 0)
        return -t->elasticity * rate;
    return gap < -SLOP_M ? fmin(PUSH_OUT_SHARE * (-gap - SLOP_M) / h, PUSH_OUT_SPEED_M_S) : 0;
}

void space_system_step_by_impulses(struct space_constraint *c, double ahead, double h)
{
    double *losses = c->y + STATE_SIZE * c->count + c->rates;
    c->touch_count = 0;
    c->is_stale = 1;
    space_system_place(c, c->y);
    drift(c, h / 2);
    keep_places(c, c->y);
    space_system_place(c, c->y);
    space_touch_find(c, MARGIN_M + 2 * h * space_system_top_speed(c));
    reduce(c, ahead + h / 2);
    losses[1] -= h * push_all(c, ahead + h / 2);
    accelerate(c, ahead + h / 2, 0);
    for (int i = 0; i < c->rates; i++) {
        c->y[STATE_SIZE * c->count + i] += h * c->effort[i] * c->qd[i];
        losses[0] += h * c->servos[i].damping * c->qd[i] * c->qd[i];
    }
    for (int i = 0; i < c->found_count; i++) {
        const struct touch *t = &c->found[i];
        struct cone_law *law = &c->cones.laws[i];
        for (int k = 0; k < space_touch_size(t); k++) {
            c->before[law->row + k] = t->rows[k].rate;
            c->cones.free[law->row + k] = t->rows[k].rate + h * acceleration_of(c, &t->rows[k]);
        }
        if (!is_inert(law))
            law->bound = least_rate(c, t, h);
        law->is_push_out = !is_inert(law) && law->bound > 0;
    }
    for (int i = 0; i < c->count; i++) {
        struct body *b = &c->bodies[i];
        b->place.velocity = vec3_along(b->place.velocity, b->free_v, h);
        b->place.spin = vec3_along(b->place.spin, b->free_w, h);
    }
    if (c->cones.rows > 0)
        solve_impacts(c);
    drift(c, h / 2);
    keep_places(c, c->y);
    space_system_place(c, c->y);
    c->impulse_steps++;
}

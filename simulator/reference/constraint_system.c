/* See constraint.h. The constraint-force equation (Barzel, Barr 1988) in the notation of
 * docs/physics-constraint.md: the deviation D of every constraint shall obey
 *
 *   D'' + 2/tau D' + D/tau^2 = 0,     D'' = J v' + curvature,     v' = M^-1 (f + G' F)
 *   Gamma F = -(J M^-1 f + curvature + 2/tau D' + D/tau^2),       Gamma = J M^-1 G'
 *
 * solved by least squares, rows and columns scaled by 1/sqrt(J M^-1 J'). Where constraints are
 * redundant, of all forces the ones nearest to those of the last step are taken, so that a load does
 * not jump from foot to foot. */
#include <math.h>

#include "common/error.h"
#include "simulator/reference/constraint.h"

/* Directions in which the scaled Gamma is weaker than this are left alone. A box on two corners cannot
 * tell one friction force from the other, nor can a straight chain that lies on the ground; where it
 * is nearly straight, forces of many times its weight would answer to the errors of its velocities.
 * Joints alone are never redundant but in loops. */
#define RANK_TOLERANCE       1e-7
#define JOINT_RANK_TOLERANCE 1e-12
#define LOOP_RANK_TOLERANCE  1e-10
/* Closing loops at the start: steps at most, longest step of a coordinate, m or rad, and what is closed. */
#define CLOSE_STEPS  200
#define CLOSE_WAY    0.2
#define CLOSE_ENOUGH 1e-14
/* Deviations of a state that is set are rounding up to this, times 1 + the largest coordinate, m or rad. */
#define ROUNDING 1e-15
/* Depth that is left alone where it was there from the start, m or rad. */
#define SLOP 1e-3
/* Deviations of contacts and of limits are corrected no faster than this. */
#define PUSH_OUT_SPEED_M_S   0.05
#define PUSH_OUT_SPEED_RAD_S 0.5
/* Share of the depth that is pushed out in a step by impulses. */
#define PUSH_OUT_SHARE 0.2
/* A touch that slides no faster may stick, m/s. */
#define STICK_SPEED 2e-5
/* Accelerations smaller than this share are errors. */
#define ACCELERATION_SHARE 1e-5
/* A touch presses if its force is at least this share of all forces. */
#define PRESS_SHARE 1e-9
/* Sweeps before an exact solution is tried; sweeps if there is none; smaller changes count as 0, as shares
 * of the largest value asked for. */
#define SWEEPS_FIRST 50
#define SWEEPS       1000
#define SWEEP_SHARE  1e-13
/* The same in steps by impulses, which are of first order anyway. */
#define STEP_SWEEPS      200
#define STEP_SWEEP_SHARE 1e-9
/* Changes of states at most for an exact solution; its errors; those of redundant rows, which agree only as
 * well as the state does; errors of what is wedged, and of what diverges. */
#define STATE_CHANGES  30
#define STATE_SHARE    1e-9
#define HOLD_SHARE     1e-4
#define WEDGED_SHARE   1e-3
#define DIVERGED_SHARE 1e6
#define LEAST_INVERSE  1e-300
/* An impact gains energy if it gains more than this share of what it passes on: less is rounding. */
#define GAIN_SHARE 1e-9
/* Two rows are independent if an impulse of one moves the other by less than this share of what it moves
 * itself. */
#define COUPLED_SHARE 1e-12
/* Rows less mobile than this, compared with the whole body pushed at its centre, are left alone. */
#define ROW_MOBILITY 1e-6

#define DRAG_PI 3.14159265358979323846

int system_create(struct constraint *c, struct arena *arena)
{
    size_t links = (size_t)c->links, room = (size_t)c->touch_room;
    size_t touch_rows = 2 * (room - links) + links, rows = (size_t)c->joints_max + touch_rows;
    struct reduced *r = &c->reduced;
    c->rows_max = (int)rows;
    r->motion = arena_take(arena, touch_rows * links, sizeof(double));
    c->rows = arena_take(arena, rows, sizeof c->rows[0]);
    c->gamma = arena_take(arena, rows * rows, sizeof(double));
    c->scale = arena_take(arena, rows, sizeof(double));
    c->right = arena_take(arena, rows, sizeof(double));
    c->lambda = arena_take(arena, rows, sizeof(double));
    c->reference = arena_take(arena, (size_t)c->joints_max, sizeof(double));
    c->rounding = arena_take(arena, (size_t)c->joints_max, sizeof(double));
    r->w = arena_take(arena, touch_rows * touch_rows, sizeof(double));
    r->x = arena_take(arena, touch_rows * 3 * links, sizeof(double));
    double **vectors[] = {&r->free,    &r->value,         &r->target,
                          &r->impulse, &r->sweep_impulse, &r->friction};
    int **lists[] = {&r->slide,  &r->state,     &r->direction, &r->unknown,
                     &r->impact, &r->is_normal, &r->is_stiff};
    int is_complete = c->rows && c->gamma && c->scale && c->right && c->lambda && c->reference &&
                      r->w && r->x && r->motion;
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        *vectors[i] = arena_take(arena, touch_rows, sizeof(double));
        is_complete &= *vectors[i] != NULL;
    }
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        *lists[i] = arena_take(arena, touch_rows, sizeof(int));
        is_complete &= *lists[i] != NULL;
    }
    if (!is_complete)
        return ERR_MEMORY;
    int joints = c->joints_max > 0 ? c->joints_max : 1;
    return qr_create(&c->joints_qr, joints, joints, arena) != 0 ||
                   qr_create(&c->qr, c->rows_max, c->rows_max, arena) != 0
               ? ERR_MEMORY
               : 0;
}

/* ---------------------------------------------------------------- external forces */

/* The pieces of a disk's rim together feel -pi k r v; turning moves none of them along its normal. */
static void add_disk_drag(struct constraint *c, int part)
{
    int link = c->phenotype->parts[part].link;
    const struct place *p = &c->places[link];
    struct vec2 arm = c->corners[4 * part];
    double rx = p->cos * arm.x - p->sin * arm.y, ry = p->sin * arm.x + p->cos * arm.y;
    double push = -DRAG_PI * c->world.viscosity_pa_s * c->phenotype->parts[part].width_m / 2;
    double fx = push * (p->vx - p->w * ry), fy = push * (p->vy + p->w * rx);
    double *drag = c->drag + 3 * link;
    drag[0] += fx;
    drag[1] += fy;
    drag[2] += rx * fy - ry * fx;
}

/* A face feels -k (v.n) n times its length at its middle, and -k w L^3 / 12 about it. */
static void find_face_drag(const struct constraint *c, int link, const struct edge *f,
                           double drag[3])
{
    const struct place *p = &c->places[link];
    double k = c->world.viscosity_pa_s;
    double nx = p->cos * f->normal.x - p->sin * f->normal.y;
    double ny = p->sin * f->normal.x + p->cos * f->normal.y;
    double rx = p->cos * f->middle.x - p->sin * f->middle.y;
    double ry = p->sin * f->middle.x + p->cos * f->middle.y;
    double speed = (p->vx - p->w * ry) * nx + (p->vy + p->w * rx) * ny;
    double length = 2 * f->half_length, push = -k * length * speed;
    drag[0] = push * nx;
    drag[1] = push * ny;
    drag[2] = push * (rx * ny - ry * nx) - k * p->w * length * length * length / 12;
}

/* Opposite faces are added first: in a mirrored body they have changed places. */
static void add_plain_drag(struct constraint *c)
{
    for (int i = 0; i < c->parts && c->world.viscosity_pa_s > 0; i++) {
        int link = c->phenotype->parts[i].link;
        double faces[4][3];
        if (c->phenotype->parts[i].shape == PART_DISK)
            add_disk_drag(c, i);
        if (c->phenotype->parts[i].shape != PART_BOX)
            continue;
        for (int k = 0; k < 4; k++)
            find_face_drag(c, link, &c->faces[4 * i + k], faces[k]);
        for (int k = 0; k < 3; k++)
            c->drag[3 * link + k] += (faces[0][k] + faces[2][k]) + (faces[1][k] + faces[3][k]);
    }
}

/* The other variants, by the tensors of drag.h, which are about the links' origins in their frames. */
static void add_tensor_drag(struct constraint *c)
{
    struct drag *g = &c->viscosity;
    for (int i = 0; i < c->links; i++) {
        const struct place *p = &c->places[i];
        struct vec2 centre = g->centres[i];
        double vx = p->cos * p->vx + p->sin * p->vy, vy = p->cos * p->vy - p->sin * p->vx;
        g->velocity[i] = (struct motion){p->w, vx + p->w * centre.y, vy - p->w * centre.x};
    }
    drag_update(g);
    for (int i = 0; i < c->links; i++) {
        const struct place *p = &c->places[i];
        const struct tensor *t = &g->tensors[i];
        struct motion v = g->velocity[i];
        double n = t->nn * v.w + t->nx * v.x + t->ny * v.y;
        double x = t->nx * v.w + t->xx * v.x + t->xy * v.y;
        double y = t->ny * v.w + t->xy * v.x + t->yy * v.y;
        c->drag[3 * i] = -(p->cos * x - p->sin * y);
        c->drag[3 * i + 1] = -(p->sin * x + p->cos * y);
        c->drag[3 * i + 2] = -(n - (g->centres[i].x * y - g->centres[i].y * x));
    }
}

static void add_drag(struct constraint *c)
{
    for (int i = 0; i < 3 * c->links; i++)
        c->drag[i] = 0;
    if (c->viscosity.kind == DRAG_PLAIN)
        add_plain_drag(c);
    else if (c->viscosity.kind != DRAG_NONE)
        add_tensor_drag(c);
    for (int i = 0; i < 3 * c->links; i++)
        c->force[i] += c->drag[i];
}

/* A torque or force along a joint's coordinate, on its link and the opposite one on the parent. */
static void add_effort(struct constraint *c, const struct row *row, double effort)
{
    for (int k = 0; k < 3; k++) {
        c->force[3 * row->a + k] += effort * row->ja[k];
        c->force[3 * row->b + k] += effort * row->jb[k];
    }
}

static void add_torques(struct constraint *c, double ahead)
{
    struct row row;
    for (int i = 1; i < c->links; i++) {
        if (!c->bodies[i].has_joint)
            continue;
        const struct servo *s = &c->servos[i];
        touch_set_joint_row(c, i, &row);
        double q = row.deviation, qd = row.rate, tau = 0, extra;
        if (s->torque_max > 0 && c->effectors != EFFECTORS_SLACK) {
            servo_torque(s, c->effectors, c->settings.effector_mode, c->lower[i], c->upper[i], q,
                         qd, 0, ahead, &tau, &extra);
            tau = servo_bound(s, tau, qd);
        }
        c->torque[i] = tau;
        c->damping_torque[i] = -s->damping * qd;
        c->rate[i] = qd;
        add_effort(c, &row, tau + c->damping_torque[i]);
    }
}

static void set_forces(struct constraint *c, double ahead)
{
    for (int i = 0; i < c->links; i++) {
        c->force[3 * i] = c->bodies[i].mass * c->world.gravity_x_m_s2;
        c->force[3 * i + 2] = 0;
        c->force[3 * i + 1] = -c->bodies[i].mass * c->world.gravity_m_s2;
    }
    add_drag(c);
    add_torques(c, ahead);
}

/* ---------------------------------------------------------------- rows */

/* A point of link a, at arm `own` of its frame, and one of link b, at `others`, meet: along the world's
 * x (axis 0) and y (axis 1). */
static void set_pin_row(const struct constraint *c, int a, struct vec2 own, int b,
                        struct vec2 others, int axis, struct row *row)
{
    const struct place *p = &c->places[a], *o = &c->places[b];
    struct vec2 s = {p->cos * own.x - p->sin * own.y, p->sin * own.x + p->cos * own.y};
    struct vec2 r = {o->cos * others.x - o->sin * others.y, o->sin * others.x + o->cos * others.y};
    *row = (struct row){.a = a, .b = b};
    row->ja[axis] = 1;
    row->jb[axis] = -1;
    row->ja[2] = axis == 0 ? -s.y : s.x;
    row->jb[2] = axis == 0 ? r.y : -r.x;
    if (axis == 0) {
        row->deviation = (p->x - o->x) + (s.x - r.x);
        row->rate = (p->vx - o->vx) + (row->ja[2] * p->w + row->jb[2] * o->w);
        row->curvature = -p->w * p->w * s.x + o->w * o->w * r.x;
    } else {
        row->deviation = (p->y - o->y) + (s.y - r.y);
        row->rate = (p->vy - o->vy) + (row->ja[2] * p->w + row->jb[2] * o->w);
        row->curvature = -p->w * p->w * s.y + o->w * o->w * r.y;
    }
}

/* Link a has the angle against link b. */
static void set_angle_row(const struct constraint *c, int a, int b, double angle, struct row *row)
{
    const struct place *p = &c->places[a], *o = &c->places[b];
    *row = (struct row){.a = a, .b = b, .ja = {0, 0, 1}, .jb = {0, 0, -1}};
    row->deviation = p->angle - o->angle - angle;
    row->rate = p->w - o->w;
}

static void push_along_itself(struct row *row)
{
    for (int k = 0; k < 3; k++) {
        row->ga[k] = row->ja[k];
        row->gb[k] = row->jb[k];
    }
}

/* A link's joint to its parent: two rows. */
static struct row *set_joint_rows(const struct constraint *c, int i, struct row *row)
{
    const struct body *body = &c->bodies[i];
    if (body->is_linear) {
        struct vec2 across = {-body->axis.y, body->axis.x};
        touch_set_slide_row(c, row, i, body->own, body->parent, body->parents, across);
        set_angle_row(c, i, body->parent, 0, row + 1);
        return row + 2;
    }
    for (int axis = 0; axis < 2; axis++)
        set_pin_row(c, i, body->own, body->parent, body->parents, axis, row++);
    return row;
}

/* A joint that closes a loop: two rows, or three of a rigid one. */
static struct row *set_closure_rows(const struct constraint *c, int i, struct row *row)
{
    const struct closure *closure = &c->phenotype->closures[i];
    struct vec2 centre_a = c->phenotype->links[closure->a].centre;
    struct vec2 centre_b = c->phenotype->links[closure->b].centre;
    struct vec2 own = {closure->at_a.x - centre_a.x, closure->at_a.y - centre_a.y};
    struct vec2 others = {closure->at_b.x - centre_b.x, closure->at_b.y - centre_b.y};
    if (closure->kind == CLOSURE_LINEAR)
        touch_set_slide_row(c, row++, closure->a, own, closure->b, others, closure->across);
    for (int axis = 0; axis < 2 && closure->kind != CLOSURE_LINEAR; axis++)
        set_pin_row(c, closure->a, own, closure->b, others, axis, row++);
    if (closure->kind != CLOSURE_ROTARY)
        set_angle_row(c, closure->a, closure->b, closure->angle_rad, row++);
    return row;
}

/* The joint of link i follows its signal: the coordinate minus the signal is the deviation. */
static void set_motion_row(const struct constraint *c, int i, struct row *row)
{
    const struct servo *servo = &c->servos[i];
    struct signal_value signal = signal_at(servo->signal, servo->time_s + c->ahead_s);
    touch_set_joint_row(c, i, row);
    row->deviation -= signal.value;
    row->rate -= signal.rate;
    row->curvature -= signal.acceleration;
}

static int has_motion(const struct constraint *c, int link)
{
    return c->bodies[link].has_joint && c->servos[link].law == SERVO_MOTION;
}

void system_count_joints(struct constraint *c)
{
    c->joints = 0;
    c->has_motions = 0;
    for (int i = 1; i < c->links; i++) {
        c->joints += 2 * c->bodies[i].has_joint + has_motion(c, i);
        c->has_motions |= has_motion(c, i);
    }
    for (int i = 0; i < c->phenotype->closure_count; i++)
        c->joints += c->phenotype->closures[i].kind == CLOSURE_RIGID ? 3 : 2;
}

/* Rows of all joints, then of loops, then of prescribed motions. */
static void set_all_joint_rows(struct constraint *c)
{
    double tau = c->settings.constraint_tau_s;
    struct row *row = c->rows;
    for (int i = 1; i < c->links; i++)
        if (c->bodies[i].has_joint)
            row = set_joint_rows(c, i, row);
    for (int i = 0; i < c->phenotype->closure_count; i++)
        row = set_closure_rows(c, i, row);
    for (int i = 1; i < c->links && c->has_motions; i++)
        if (has_motion(c, i))
            set_motion_row(c, i, row++);
    for (int i = 0; i < c->joints; i++) {
        row = &c->rows[i];
        row->deviation -= c->rounding[i];
        row->bias = row->curvature + 2 / tau * row->rate + row->deviation / (tau * tau);
        push_along_itself(row);
    }
}

void system_forgive_rounding(struct constraint *c)
{
    double size = 1;
    for (int i = 0; i < c->joints; i++)
        c->rounding[i] = 0;
    for (int i = 0; i < 3 * c->links; i++)
        size = fmax(size, 1 + fabs(c->y[i]));
    set_all_joint_rows(c);
    for (int i = 0; i < c->joints; i++) {
        double deviation = c->rows[i].deviation;
        c->rounding[i] = fabs(deviation) <= ROUNDING * size ? deviation : 0;
    }
}

/* How fast a deviation of a touch is corrected at most. */
static double push_out_speed(const struct constraint *c, const struct touch *t)
{
    int is_angle = t->part < 0 && !c->bodies[t->a].is_linear;
    return is_angle ? PUSH_OUT_SPEED_RAD_S : PUSH_OUT_SPEED_M_S;
}

/* What a touch's acceleration shall be, without the row's curvature: the same law, in which the
 * correction of the deviation has a greatest speed. */
static double touch_acceleration(const struct constraint *c, const struct touch *t,
                                 double deviation, double rate)
{
    double tau = c->settings.constraint_tau_s, speed = deviation / (2 * tau);
    double fastest = push_out_speed(c, t);
    speed = speed > fastest ? fastest : speed;
    speed = speed < -fastest ? -fastest : speed;
    if (c->is_wedged && speed < 0)
        speed = 0;
    return -2 / tau * (rate + speed);
}

/* The rows of the touches that press; returns the number of all rows. */
static int set_rows(struct constraint *c)
{
    int count = c->joints;
    set_all_joint_rows(c);
    for (int i = 0; i < c->touch_count; i++) {
        struct touch *t = &c->touches[i];
        touch_update(c, t);
        struct row *n = &c->rows[count++];
        *n = t->rows[0];
        n->bias = n->curvature - touch_acceleration(c, t, n->deviation + t->slop, n->rate);
        push_along_itself(n);
        double share = t->part < 0 ? 0 : -t->direction * touch_friction(c, t);
        if (t->mode == TOUCH_SLIDES) {
            for (int k = 0; k < 3; k++) {
                n->ga[k] += share * t->rows[1].ja[k];
                n->gb[k] += share * t->rows[1].jb[k];
            }
        } else if (t->part >= 0) {
            struct row *along = &c->rows[count++];
            *along = t->rows[1];
            along->bias = along->curvature -
                          touch_acceleration(c, t, along->deviation - t->anchor, along->rate);
            push_along_itself(along);
        }
    }
    return count;
}

/* j M^-1 g of one link. */
static double link_product(const struct body *b, const double *j, const double *g)
{
    return b->inverse_mass * (j[0] * g[0] + j[1] * g[1]) + b->inverse_inertia * (j[2] * g[2]);
}

/* J_i M^-1 G_j'. */
static double row_product(const struct constraint *c, const struct row *i, const struct row *j)
{
    const struct body *bodies = c->bodies;
    double sum = 0;
    if (i->a == j->a)
        sum += link_product(&bodies[i->a], i->ja, j->ga);
    if (i->a == j->b)
        sum += link_product(&bodies[i->a], i->ja, j->gb);
    if (i->b >= 0 && i->b == j->a)
        sum += link_product(&bodies[i->b], i->jb, j->ga);
    if (i->b >= 0 && i->b == j->b)
        sum += link_product(&bodies[i->b], i->jb, j->gb);
    return sum;
}

/* J v for 3 velocities (or accelerations) a link. */
static double row_rate(const struct row *row, const double *v)
{
    const double *a = v + 3 * row->a, *b = v + 3 * row->b;
    double sum = row->ja[0] * a[0] + row->ja[1] * a[1] + row->ja[2] * a[2];
    if (row->b >= 0)
        sum += row->jb[0] * b[0] + row->jb[1] * b[1] + row->jb[2] * b[2];
    return sum;
}

/* v += M^-1 G' times a force. */
static void push(const struct constraint *c, const struct row *row, double force, double *v)
{
    const struct body *a = &c->bodies[row->a];
    v[3 * row->a] += a->inverse_mass * (row->ga[0] * force);
    v[3 * row->a + 1] += a->inverse_mass * (row->ga[1] * force);
    v[3 * row->a + 2] += a->inverse_inertia * (row->ga[2] * force);
    if (row->b < 0)
        return;
    const struct body *b = &c->bodies[row->b];
    v[3 * row->b] += b->inverse_mass * (row->gb[0] * force);
    v[3 * row->b + 1] += b->inverse_mass * (row->gb[1] * force);
    v[3 * row->b + 2] += b->inverse_inertia * (row->gb[2] * force);
}

double system_row_mass(const struct constraint *c, const struct row *row)
{
    double mobility = link_product(&c->bodies[row->a], row->ja, row->ja);
    if (row->b >= 0)
        mobility += link_product(&c->bodies[row->b], row->jb, row->jb);
    return 1 / mobility;
}

static double row_scale(const struct constraint *c, const struct row *row)
{
    return sqrt(system_row_mass(c, row));
}

/* Operations for each link, but for the equations. */
enum { LINK_WORK = 300 };

/* Making, factoring and solving them takes about so many operations. */
static void count_equations(struct constraint *c, int count)
{
    c->base.work += (uint64_t)(count * count) * (uint64_t)(3 * count + 30);
}

/* Scaled Gamma of the first `count` rows, factored. */
static void factor_gamma(struct constraint *c, int count, struct qr *qr)
{
    count_equations(c, count);
    for (int i = 0; i < count; i++)
        c->scale[i] = row_scale(c, &c->rows[i]);
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
            c->gamma[i * count + j] =
                c->scale[i] * c->scale[j] * row_product(c, &c->rows[i], &c->rows[j]);
    double tolerance = c->phenotype->closure_count > 0 ? LOOP_RANK_TOLERANCE : JOINT_RANK_TOLERANCE;
    qr_factor(qr, c->gamma, count, count, count > c->joints ? RANK_TOLERANCE : tolerance);
}

/* ---------------------------------------------------------------- the equation */

/* Forces of the last step, in the order of the rows and scaled, into `to`. */
static void get_reference(const struct constraint *c, double *to)
{
    int row = c->joints;
    for (int i = 0; i < c->joints; i++)
        to[i] = c->reference[i] / c->scale[i];
    for (int i = 0; i < c->touch_count; i++) {
        const struct touch *t = &c->touches[i];
        to[row] = t->reference[0] / c->scale[row];
        row++;
        if (t->mode == TOUCH_STICKS && t->part >= 0) {
            to[row] = t->reference[1] / c->scale[row];
            row++;
        }
    }
}

static void store_forces(struct constraint *c)
{
    int row = c->joints;
    for (int i = 0; i < c->touch_count; i++) {
        struct touch *t = &c->touches[i];
        t->force[0] = c->lambda[row++];
        if (t->part < 0)
            t->force[1] = 0;
        else if (t->mode == TOUCH_SLIDES)
            t->force[1] = -t->direction * touch_friction(c, t) * t->force[0];
        else
            t->force[1] = c->lambda[row++];
    }
}

void system_keep_forces(struct constraint *c)
{
    for (int i = 0; i < c->joints; i++)
        c->reference[i] = c->lambda[i];
    for (int i = 0; i < c->touch_count; i++)
        for (int k = 0; k < 2; k++)
            c->touches[i].reference[k] = c->touches[i].force[k];
}

/* What the external forces do to links without joints. */
static void set_free_acceleration(struct constraint *c)
{
    for (int i = 0; i < 3 * c->links; i++) {
        const struct body *b = &c->bodies[i / 3];
        c->acceleration[i] = c->force[i] * (i % 3 == 2 ? b->inverse_inertia : b->inverse_mass);
    }
}

void system_accelerate(struct constraint *c, const double *y, double ahead)
{
    c->ahead_s = ahead;
    c->base.work += (uint64_t)(LINK_WORK * c->links);
    touch_place(c, y);
    set_forces(c, ahead);
    set_free_acceleration(c);
    int count = set_rows(c);
    factor_gamma(c, count, &c->qr);

    /* lambda = reference + the shortest correction */
    get_reference(c, c->lambda);
    for (int i = 0; i < count; i++) {
        double sum = -c->scale[i] * (row_rate(&c->rows[i], c->acceleration) + c->rows[i].bias);
        for (int j = 0; j < count; j++)
            sum -= c->gamma[i * count + j] * c->lambda[j];
        c->right[i] = sum;
    }
    qr_solve(&c->qr, c->right, c->right);
    for (int i = 0; i < count; i++)
        c->lambda[i] = c->scale[i] * (c->lambda[i] + c->right[i]);
    for (int i = 0; i < count; i++)
        push(c, &c->rows[i], c->lambda[i], c->acceleration);
    store_forces(c);
    for (int i = c->links - 1, row = c->joints; i > 0 && c->has_motions; i--)
        if (has_motion(c, i))
            c->torque[i] = c->lambda[--row];
}

/* Velocities, or a small way of the coordinates, that take the rows' rates or deviations away with the
 * least kinetic energy; from the placed state. Returns the largest of them before. */
static double close_rows(struct constraint *c, int is_rate, double *change)
{
    double largest = 0;
    for (int i = 0; i < 3 * c->links; i++)
        change[i] = 0;
    set_all_joint_rows(c);
    factor_gamma(c, c->joints, &c->joints_qr);
    for (int i = 0; i < c->joints; i++) {
        double off = is_rate ? c->rows[i].rate : c->rows[i].deviation;
        c->right[i] = -c->scale[i] * off;
        largest = fmax(largest, fabs(off));
    }
    qr_solve(&c->joints_qr, c->right, c->right);
    for (int i = 0; i < c->joints; i++)
        push(c, &c->rows[i], c->scale[i] * c->right[i], change);
    return largest;
}

void system_close(struct constraint *c)
{
    int width = 3 * c->links;
    double *way = c->acceleration, best = HUGE_VAL;
    c->ahead_s = 0;
    for (int i = 0; i < c->joints; i++)
        c->rounding[i] = 0;
    for (int step = 0; step < CLOSE_STEPS; step++) {
        touch_place(c, c->y);
        double off = close_rows(c, 0, way), longest = 0;
        if (off <= CLOSE_ENOUGH || (step > 20 && off > 0.5 * best && off < 1e-10))
            break;
        best = fmin(best, off);
        for (int i = 0; i < width; i++)
            longest = fmax(longest, fabs(way[i]));
        double share = longest > CLOSE_WAY ? CLOSE_WAY / longest : 1;
        for (int i = 0; i < width; i++)
            c->y[i] += share * way[i];
    }
    for (int i = 0; i < 2; i++) {
        touch_place(c, c->y);
        close_rows(c, 1, way);
        for (int k = 0; k < width; k++)
            c->y[width + k] += way[k];
    }
    touch_place(c, c->y);
}

/* ---------------------------------------------------------------- touches alone */

static int touch_row_count(const struct touch *t)
{
    return t->part < 0 ? 1 : 2;
}

/* Response of all velocities to a unit force along a row, the joints holding, and of the forces of
 * prescribed motions. Needs joints_qr. */
static void respond(struct constraint *c, const struct row *row, double *x, double *motion)
{
    for (int i = 0; i < 3 * c->links; i++)
        x[i] = 0;
    push(c, row, 1, x);
    for (int i = 0; i < c->joints; i++)
        c->right[i] = -c->scale[i] * row_rate(&c->rows[i], x);
    qr_solve(&c->joints_qr, c->right, c->right);
    for (int i = 0; i < c->joints; i++)
        push(c, &c->rows[i], c->scale[i] * c->right[i], x);
    for (int i = c->links - 1, at = c->joints; i > 0 && c->has_motions; i--)
        if (has_motion(c, i)) {
            at--;
            motion[i] = c->scale[at] * c->right[at];
        }
}

double system_joint_inertia(struct constraint *c, int link)
{
    struct touch limit = {.part = -1, .a = link, .b = c->bodies[link].parent, .side = 1};
    touch_update(c, &limit);
    push_along_itself(&limit.rows[0]);
    set_all_joint_rows(c);
    factor_gamma(c, c->joints, &c->joints_qr);
    respond(c, &limit.rows[0], c->reduced.x, c->reduced.motion);
    return 1 / row_rate(&limit.rows[0], c->reduced.x);
}

/* X and W of found[], at the placed state. */
static void build_reduced(struct constraint *c)
{
    struct reduced *r = &c->reduced;
    int width = 3 * c->links, count = 0;
    set_all_joint_rows(c);
    factor_gamma(c, c->joints, &c->joints_qr);
    for (int i = 0; i < c->found_count; i++)
        for (int k = 0; k < touch_row_count(&c->found[i]); k++, count++) {
            push_along_itself(&c->found[i].rows[k]);
            r->friction[count] = touch_friction(c, &c->found[i]);
            respond(c, &c->found[i].rows[k], r->x + count * width, r->motion + count * c->links);
        }
    r->count = count;
    int row = 0;
    c->stiff_count = 0;
    for (int i = 0; i < c->found_count; i++)
        for (int k = 0; k < touch_row_count(&c->found[i]); k++, row++) {
            for (int j = 0; j < count; j++)
                r->w[row * count + j] = row_rate(&c->found[i].rows[k], r->x + j * width);
            r->is_stiff[row] = !(r->w[row * count + row] * c->mass_kg > ROW_MOBILITY);
            if (k == 0 && r->is_stiff[row])
                c->stiff[c->stiff_count++] = c->found[i].key;
        }
}

int system_is_stiff(const struct constraint *c, int key)
{
    for (int i = 0; i < c->stiff_count; i++)
        if (c->stiff[i] == key)
            return 1;
    return 0;
}

/* Changes one impulse and all values with it; returns the change of its own value. */
static double change_impulse(struct reduced *r, int row, double to)
{
    double change = to - r->impulse[row];
    if (change == 0)
        return 0;
    r->impulse[row] = to;
    for (int i = 0; i < r->count; i++)
        r->value[i] += r->w[i * r->count + row] * change;
    return fabs(r->w[row * r->count + row] * change);
}

/* One projected Gauss-Seidel sweep; returns the largest change. */
static double sweep(struct constraint *c)
{
    struct reduced *r = &c->reduced;
    double largest = 0;
    int row = 0;
    for (int i = 0; i < c->found_count; i++) {
        int n = row, t = row + 1, is_limit = c->found[i].part < 0;
        row += is_limit ? 1 : 2;
        double own = fmax(r->w[n * r->count + n], LEAST_INVERSE);
        double to = r->impulse[n] + (r->target[n] - r->value[n]) / own;
        largest = fmax(largest, change_impulse(r, n, !r->is_stiff[n] && to > 0 ? to : 0));
        if (is_limit)
            continue;
        double most = r->friction[n] * r->impulse[n];
        own = fmax(r->w[t * r->count + t], LEAST_INVERSE);
        to = r->impulse[t] + (r->target[t] - r->value[t]) / own;
        to = to > most ? most : to < -most ? -most : to;
        if (r->slide[t] != 0)
            to = -r->slide[t] * most;
        largest = fmax(largest, change_impulse(r, t, r->is_stiff[t] ? 0 : to));
    }
    return largest;
}

/* Largest change of the last sweep, as a share of the largest value asked for. */
static double sweep_impulses(struct constraint *c, int sweeps, double share)
{
    struct reduced *r = &c->reduced;
    double change = 0, largest = 1e-12;
    for (int i = 0; i < r->count; i++) {
        r->impulse[i] = 0;
        r->value[i] = r->free[i];
        largest = fmax(largest, fabs(r->target[i] - r->free[i]));
    }
    for (int i = 0; i < sweeps; i++) {
        change = sweep(c);
        if (change <= share * largest || change > DIVERGED_SHARE * largest)
            break;
    }
    return change / largest;
}

/* Which rows of found[] act, as a guess: normal rows hold their target or are free, tangent rows hold
 * theirs or slide. */
enum { ROW_FREE, ROW_HOLDS };

/* Reads a guess off the impulses. */
static void guess_states(struct constraint *c)
{
    struct reduced *r = &c->reduced;
    int row = 0;
    for (int i = 0; i < c->found_count; i++) {
        int n = row, t = row + 1;
        row += touch_row_count(&c->found[i]);
        r->state[n] = r->impulse[n] > 0 ? ROW_HOLDS : ROW_FREE;
        if (c->found[i].part < 0)
            continue;
        double most = r->friction[n] * r->impulse[n];
        int is_sliding = r->slide[t] != 0 || fabs(r->impulse[t]) >= most * (1 - 1e-9);
        r->state[t] = is_sliding ? ROW_FREE : ROW_HOLDS;
        r->direction[t] = r->slide[t] != 0 ? r->slide[t] : r->impulse[t] > 0 ? -1 : 1;
        if (r->is_stiff[t]) {
            r->state[t] = ROW_FREE;
            r->direction[t] = 0;
        }
    }
}

/* Change of row i's value by a unit of row j's impulse, sliding friction going with it. */
static double state_response(const struct constraint *c, int i, int j, int has_tangent)
{
    const struct reduced *r = &c->reduced;
    double response = r->w[i * r->count + j];
    if (has_tangent && r->state[j + 1] == ROW_FREE)
        response -= r->direction[j + 1] * r->friction[j] * r->w[i * r->count + j + 1];
    return response;
}

/* Impulses that make all rows hold which the states say, those nearest to `reference`; values too. */
static void solve_states(struct constraint *c, const double *reference)
{
    struct reduced *r = &c->reduced;
    int count = 0;
    for (int i = 0, row = 0; i < c->found_count; i++) {
        int is_limit = c->found[i].part < 0, is_on = r->state[row] == ROW_HOLDS;
        if (is_on)
            r->unknown[count++] = row;
        if (!is_limit && is_on && r->state[row + 1] == ROW_HOLDS)
            r->unknown[count++] = row + 1;
        r->is_normal[row] = 1 + !is_limit;
        if (!is_limit)
            r->is_normal[row + 1] = 0;
        row += is_limit ? 1 : 2;
    }
    for (int i = 0; i < count; i++) {
        int at = r->unknown[i];
        c->scale[i] = 1 / sqrt(fmax(r->w[at * r->count + at], LEAST_INVERSE));
    }
    for (int i = 0; i < count; i++) {
        double sum = r->target[r->unknown[i]] - r->free[r->unknown[i]];
        for (int j = 0; j < count; j++) {
            int to = r->unknown[j];
            double response = state_response(c, r->unknown[i], to, r->is_normal[to] == 2);
            c->gamma[i * count + j] = c->scale[i] * c->scale[j] * response;
            sum -= response * reference[to];
        }
        c->right[i] = c->scale[i] * sum;
    }
    count_equations(c, count);
    qr_factor(&c->qr, c->gamma, count, count, RANK_TOLERANCE);
    qr_solve(&c->qr, c->right, c->right);
    for (int i = 0; i < r->count; i++)
        r->impulse[i] = 0;
    for (int i = 0; i < count; i++) {
        int at = r->unknown[i];
        r->impulse[at] = reference[at] + c->scale[i] * c->right[i];
        if (r->is_normal[at] == 2 && r->state[at + 1] == ROW_FREE)
            r->impulse[at + 1] = -r->direction[at + 1] * r->friction[at] * r->impulse[at];
    }
    for (int i = 0; i < r->count; i++) {
        r->value[i] = r->free[i];
        for (int j = 0; j < r->count; j++)
            r->value[i] += r->w[i * r->count + j] * r->impulse[j];
    }
}

/* Puts right the states that the impulses show to be wrong, by more than `error` in a value: only the
 * first where is_one. Returns how many were wrong; -1 if rows that shall hold do not. */
static int mend_states(struct constraint *c, double error, int is_one)
{
    struct reduced *r = &c->reduced;
    int wrong = 0, row = 0;
    for (int i = 0; i < c->found_count && !(is_one && wrong); i++) {
        int n = row, t = row + 1, is_limit = c->found[i].part < 0;
        row += is_limit ? 1 : 2;
        double own = r->w[n * r->count + n], off = r->value[n] - r->target[n];
        if (r->state[n] == ROW_FREE) {
            if (off < -error && !r->is_stiff[n]) {
                r->state[n] = ROW_HOLDS;
                wrong++;
            }
            continue;
        }
        if (r->impulse[n] * own < -error) {
            r->state[n] = ROW_FREE;
            wrong++;
            continue;
        }
        if (!(fabs(off) <= error / STATE_SHARE * HOLD_SHARE))
            return -1;
        if (is_limit || r->slide[t] != 0 || r->is_stiff[t])
            continue;
        own = r->w[t * r->count + t];
        off = r->value[t] - r->target[t];
        if (r->state[t] == ROW_HOLDS) {
            if ((fabs(r->impulse[t]) - r->friction[n] * r->impulse[n]) * own > error) {
                r->state[t] = ROW_FREE;
                r->direction[t] = r->impulse[t] > 0 ? -1 : 1;
                wrong++;
            } else if (!(fabs(off) <= error / STATE_SHARE * HOLD_SHARE)) {
                return -1;
            }
        } else if (off * r->direction[t] < -error) {
            r->state[t] = ROW_HOLDS;
            wrong++;
        }
    }
    return wrong;
}

/* From the impulses of the sweeps to exact ones. Returns 0, or 1 if no consistent states are found. */
static int solve_exactly(struct constraint *c)
{
    struct reduced *r = &c->reduced;
    double largest = 1e-12;
    for (int i = 0; i < r->count; i++) {
        r->sweep_impulse[i] = r->impulse[i];
        largest = fmax(largest, fabs(r->target[i] - r->free[i]));
    }
    guess_states(c);
    for (int i = 0; i < STATE_CHANGES; i++) {
        solve_states(c, r->sweep_impulse);
        int wrong = mend_states(c, STATE_SHARE * largest, i >= STATE_CHANGES / 3);
        if (wrong < 0)
            return 1;
        if (wrong == 0)
            return 0;
    }
    return 1;
}

/* Sweeps; rows that cannot all be pushed out at once would load one another without end: then they
 * are only kept from going deeper. Returns 0, or 1 where even that has no end. */
static int sweep_unwedged(struct constraint *c, int sweeps, double share)
{
    struct reduced *r = &c->reduced;
    if (sweep_impulses(c, sweeps, share) < WEDGED_SHARE)
        return 0;
    for (int i = 0; i < r->count; i++)
        r->target[i] = r->target[i] > 0 ? 0 : r->target[i];
    return !(sweep_impulses(c, sweeps, share) < WEDGED_SHARE);
}

/* Forces or impulses that obey everything. Returns 0, or 1 if none were found. */
static int solve_reduced(struct constraint *c)
{
    double change = 1;
    for (int sweeps = SWEEPS_FIRST; sweeps <= SWEEPS; sweeps *= 20) {
        change = sweep_impulses(c, sweeps, SWEEP_SHARE);
        if (change <= SWEEP_SHARE || solve_exactly(c) == 0)
            return 0;
    }
    change = sweep_impulses(c, SWEEPS, SWEEP_SHARE);
    return !(change < WEDGED_SHARE);
}

/* found[] becomes: all within epsilon, and all that press. */
static void gather(struct constraint *c, double margin)
{
    touch_find(c, margin);
    for (int i = 0; i < c->touch_count; i++) {
        int at = 0;
        while (at < c->found_count && c->found[at].key != c->touches[i].key)
            at++;
        if (at == c->found_count && c->found_count >= c->touch_room)
            continue;
        c->found[at] = c->touches[i];
        touch_update(c, &c->found[at]);
        c->found_count += at == c->found_count && touch_is_on_face(c, &c->found[at]) &&
                          c->found[at].rows[0].deviation < margin;
    }
}

/* Depth at which a new touch rests. */
static double depth_left_alone(const struct touch *t)
{
    double depth = -t->rows[0].deviation;
    return depth < 0 ? 0 : depth > SLOP ? SLOP : depth;
}

int system_wants_to_press(const struct constraint *c, const struct touch *t)
{
    const struct row *row = &t->rows[0];
    if (fabs(row->rate) > TOUCH_REST_SPEED)
        return 0;
    double acceleration = row_rate(row, c->acceleration) + row->curvature;
    double least = touch_acceleration(c, t, row->deviation + depth_left_alone(t), row->rate);
    double size = 1 + fabs(row->curvature);
    for (int k = 0; k < 3; k++) {
        size += fabs(row->ja[k] * c->acceleration[3 * row->a + k]);
        if (row->b >= 0)
            size += fabs(row->jb[k] * c->acceleration[3 * row->b + k]);
    }
    return acceleration < least - ACCELERATION_SHARE * size;
}

/* Drops touches that do not rest: they come apart, or are not close enough yet. */
static void keep_resting(struct constraint *c)
{
    int kept = 0;
    for (int i = 0; i < c->found_count; i++) {
        struct touch *t = &c->found[i];
        int is_pressing = t->mode != TOUCH_FREE;
        if (!is_pressing && fabs(t->rows[0].rate) > TOUCH_REST_SPEED)
            continue;
        if (!is_pressing) {
            t->slop = depth_left_alone(t);
            t->anchor = t->rows[1].deviation;
        }
        c->found[kept++] = *t;
    }
    c->found_count = kept;
}

/* Takes over what presses, after solve_reduced(). */
static void take_modes(struct constraint *c)
{
    const struct reduced *r = &c->reduced;
    double least = 0;
    int row = 0;
    for (int i = 0; i < r->count; i++)
        least += PRESS_SHARE * fabs(r->impulse[i]);
    c->touch_count = 0;
    for (int i = 0; i < c->found_count; i++) {
        struct touch *t = &c->found[i];
        int n = row, along = row + 1;
        row += touch_row_count(t);
        if (r->impulse[n] <= least)
            continue;
        int stuck = t->mode == TOUCH_STICKS;
        double most = r->friction[n] * r->impulse[n];
        t->reference[0] = r->impulse[n];
        t->reference[1] = 0;
        t->mode = TOUCH_STICKS;
        if (t->part >= 0) {
            double force = t->reference[1] = r->impulse[along];
            if (r->slide[along] != 0 || r->is_stiff[along] || fabs(force) >= most * (1 - 1e-9)) {
                t->mode = TOUCH_SLIDES;
                t->direction = r->slide[along] != 0 ? r->slide[along] : force > 0 ? -1 : 1;
                if (r->is_stiff[along])
                    t->direction = 0;
                t->floor = fmin(0, t->rows[1].rate * t->direction) - c->turn_speed_m_s;
            } else if (!stuck) {
                t->anchor = t->rows[1].deviation;
            }
        }
        c->touches[c->touch_count++] = *t;
    }
}

/* The forces of the joints that go with those of the touches just chosen. */
static void refer_joints(struct constraint *c)
{
    set_free_acceleration(c);
    int count = set_rows(c), row = c->joints;
    for (int i = 0; i < c->touch_count; i++) {
        const struct touch *t = &c->touches[i];
        push(c, &c->rows[row++], t->reference[0], c->acceleration);
        if (row < count && t->mode == TOUCH_STICKS && t->part >= 0)
            push(c, &c->rows[row++], t->reference[1], c->acceleration);
    }
    for (int i = 0; i < c->joints; i++) {
        c->scale[i] = row_scale(c, &c->rows[i]);
        c->right[i] = -c->scale[i] * (row_rate(&c->rows[i], c->acceleration) + c->rows[i].bias);
    }
    qr_solve(&c->joints_qr, c->right, c->right);
    for (int i = 0; i < c->joints; i++)
        c->reference[i] = c->scale[i] * c->right[i];
}

/* What the rows of found[] shall do. */
static void set_targets(struct constraint *c)
{
    struct reduced *r = &c->reduced;
    int row = 0;
    for (int i = 0; i < c->found_count; i++) {
        const struct touch *t = &c->found[i];
        for (int k = 0; k < touch_row_count(t); k++, row++) {
            const struct row *at = &t->rows[k];
            double deviation = k == 0 ? at->deviation + t->slop : at->deviation - t->anchor;
            r->free[row] = row_rate(at, c->acceleration) + at->curvature;
            r->slide[row] = k == 0 || fabs(at->rate) <= STICK_SPEED ? 0 : at->rate > 0 ? 1 : -1;
            if (k == 1 && t->mode != TOUCH_STICKS)
                deviation = 0;
            r->target[row] = touch_acceleration(c, t, deviation, at->rate);
        }
    }
}

int system_choose_modes(struct constraint *c, double ahead)
{
    touch_place(c, c->y);
    gather(c, c->epsilon_m);
    keep_resting(c);
    c->touch_count = 0;
    c->is_wedged = 0;
    if (c->found_count == 0)
        return 0;
    system_accelerate(c, c->y, ahead);
    build_reduced(c);
    set_targets(c);
    if (solve_reduced(c) != 0) {
        /* touches that cannot all be pushed out at once are only kept from going deeper */
        c->is_wedged = 1;
        set_targets(c);
        if (solve_reduced(c) != 0)
            return 1;
    }
    take_modes(c);
    refer_joints(c);
    return 0;
}

/* ---------------------------------------------------------------- impulses */

static void add_mark(struct constraint *c, const struct touch *t, const double impulse[2])
{
    int at = 0;
    while (at < c->mark_count && c->marks[at].key != t->key)
        at++;
    if (t->part < 0 || at >= c->touch_room)
        return;
    struct mark *mark = &c->marks[at];
    if (at == c->mark_count)
        c->marks[c->mark_count++] = (struct mark){
            .key = t->key,
            .point = {.part = t->part, .other_creature = t->other < 0 ? -1 : 0, .other = t->other}};
    mark->point.at = vec3_of_plane(t->at);
    mark->point.normal = vec3_of_plane(t->normal);
    mark->point.gap_m = t->rows[0].deviation;
    mark->point.normal_impulse_n_s += impulse[0];
    mark->point.friction_impulse_n_s += impulse[1];
}

void system_book_touch(struct constraint *c, const struct touch *t, const double impulse[2],
                       const double work[2], int is_impact)
{
    struct ledger *l = &c->ledger;
    double sum = work[0] + work[1];
    add_mark(c, t, impulse);
    if (sum > 0) {
        if (t->part < 0)
            l->gain_limit_j += sum;
        else if (is_impact)
            l->gain_impact_j += sum;
        else
            l->gain_push_out_j += sum;
    } else if (t->part < 0) {
        l->loss_limit_j -= sum;
    } else if (work[0] > 0) {
        l->loss_friction_j -= sum;
    } else if (work[1] > 0) {
        l->loss_impact_j -= sum;
    } else {
        l->loss_impact_j -= work[0];
        l->loss_friction_j -= work[1];
    }
}

/* Work of one row of found[]: impulse times the mean of the velocities before and after, exactly. */
static double impulse_work(const struct reduced *r, const double *before, int row)
{
    return r->impulse[row] * (before[row] + r->value[row]) / 2;
}

/* What a prescribed motion keeps up against the impulses: its rate does not change. */
static void book_motion(struct constraint *c, int link)
{
    const struct reduced *r = &c->reduced;
    const struct servo *servo = &c->servos[link];
    double impulse = 0;
    for (int i = 0; i < r->count; i++)
        impulse += r->motion[i * c->links + link] * r->impulse[i];
    c->effector_work[link] += impulse * signal_at(servo->signal, servo->time_s + c->ahead_s).rate;
}

/* Velocities in y after the impulses, and the ledger. `before` holds the rows' velocities before.
 * Impulses that act together pass energy from one contact to another (a limb that lands swings the
 * next one up): gains and losses are set off in proportion. */
static void apply_impulses(struct constraint *c, const double *before, int is_impact)
{
    struct reduced *r = &c->reduced;
    int width = 3 * c->links;
    double *v = c->y + width, gains = 0, losses = 0;
    for (int i = 0; i < r->count; i++)
        for (int k = 0; k < width && r->impulse[i] != 0; k++)
            v[k] += r->x[i * width + k] * r->impulse[i];
    for (int i = 1; i < c->links && c->has_motions; i++)
        if (has_motion(c, i))
            book_motion(c, i);
    for (int i = 0, row = 0; i < c->found_count; i++) {
        double work = 0;
        for (int k = 0; k < touch_row_count(&c->found[i]); k++, row++)
            work += impulse_work(r, before, row);
        gains += work > 0 ? work : 0;
        losses -= work < 0 ? work : 0;
    }
    double share_gains = gains > losses ? (gains - losses) / gains : 0;
    double share_losses = losses > gains ? (losses - gains) / losses : 0;
    for (int i = 0, row = 0; i < c->found_count; i++) {
        double impulse[2] = {0, 0}, work[2] = {0, 0};
        for (int k = 0; k < touch_row_count(&c->found[i]); k++, row++) {
            impulse[k] = r->impulse[row];
            work[k] = impulse_work(r, before, row);
        }
        double share = work[0] + work[1] > 0 ? share_gains : share_losses;
        for (int k = 0; k < 2; k++)
            work[k] *= share;
        if (impulse[0] > 0)
            system_book_touch(c, &c->found[i], impulse, work, is_impact);
    }
}

/* Whether two touches that press move one another. */
static int are_coupled(const struct reduced *r, int row, int rows, int other, int others)
{
    for (int i = row; i < row + rows; i++)
        for (int j = other; j < other + others; j++) {
            double own = r->w[i * r->count + i] * r->w[j * r->count + j];
            if (fabs(r->w[i * r->count + j]) > COUPLED_SHARE * sqrt(own))
                return 1;
        }
    return 0;
}

/* Impulses that act on one another are one impact: each row gets the number of its impact's first row. */
static void find_impacts(struct constraint *c)
{
    struct reduced *r = &c->reduced;
    for (int i = 0, row = 0; i < c->found_count; i++) {
        int rows = touch_row_count(&c->found[i]);
        for (int k = 0; k < rows; k++)
            r->impact[row + k] = row;
        for (int j = 0, other = 0; j < i; j++) {
            int others = touch_row_count(&c->found[j]), from = r->impact[row];
            if (r->impulse[row] > 0 && r->impulse[other] > 0 &&
                are_coupled(r, row, rows, other, others))
                for (int k = 0; k < row + rows; k++)
                    r->impact[k] = r->impact[k] == from ? r->impact[other] : r->impact[k];
            other += others;
        }
        row += rows;
    }
}

/* Newton's restitution with Coulomb friction can create energy: such an impact is to be without
 * restitution. Returns how many rows shall bounce no longer. */
static int take_back_gains(struct constraint *c)
{
    struct reduced *r = &c->reduced;
    int changed = 0;
    find_impacts(c);
    for (int impact = 0; impact < r->count; impact++) {
        double work = 0, passed_on = 0;
        for (int i = impact; i < r->count; i++) {
            if (r->impact[i] != impact)
                continue;
            work += impulse_work(r, r->free, i);
            passed_on += fabs(r->impulse[i]) * (fabs(r->free[i]) + fabs(r->value[i])) / 2;
        }
        for (int i = impact; i < r->count && work > GAIN_SHARE * passed_on; i++)
            if (r->impact[i] == impact && r->target[i] > 0) {
                r->target[i] = 0;
                changed++;
            }
    }
    return changed;
}

void system_collide(struct constraint *c)
{
    struct reduced *r = &c->reduced;
    touch_place(c, c->y);
    gather(c, c->epsilon_m);
    build_reduced(c);
    int row = 0;
    for (int i = 0; i < c->found_count; i++) {
        const struct touch *t = &c->found[i];
        for (int k = 0; k < touch_row_count(t); k++, row++) {
            double rate = t->rows[k].rate;
            int is_bounce = k == 0 && t->part >= 0 && rate < -c->restitution_speed_m_s;
            r->free[row] = rate;
            r->slide[row] = 0;
            r->target[row] = is_bounce ? -touch_elasticity(c, t) * rate : 0;
        }
    }
    solve_reduced(c);
    while (take_back_gains(c) > 0)
        solve_reduced(c);
    apply_impulses(c, r->free, 1);

    /* what flies off again does not press */
    touch_place(c, c->y);
    int kept = 0;
    for (int i = 0; i < c->touch_count; i++) {
        touch_update(c, &c->touches[i]);
        if (c->touches[i].rows[0].rate <= TOUCH_REST_SPEED)
            c->touches[kept++] = c->touches[i];
    }
    c->touch_count = kept;
    c->is_stale = 1;
}

/* Least velocity after a step by impulses. */
static double step_target(const struct constraint *c, const struct touch *t, double h)
{
    double gap = t->rows[0].deviation;
    double fastest = push_out_speed(c, t);
    if (gap > 0)
        return -gap / h;
    double speed = -gap > SLOP ? PUSH_OUT_SHARE * (-gap - SLOP) / h : 0;
    return speed < fastest ? speed : fastest;
}

/* Books effectors, drag and damping: forces at the start, mean of the velocities. */
static void book_forces(struct constraint *c, const double *from, const double *to, double h)
{
    for (int i = 0; i < 3 * c->links; i++)
        c->ledger.loss_drag_j -= h * c->drag[i] * (from[i] + to[i]) / 2;
    for (int i = 1; i < c->links; i++) {
        struct row row;
        if (!c->bodies[i].has_joint)
            continue;
        touch_set_joint_row(c, i, &row);
        double way = h * (row_rate(&row, from) + row_rate(&row, to)) / 2;
        c->effector_work[i] += c->torque[i] * way;
        c->ledger.loss_damping_j -= c->damping_torque[i] * way;
    }
}

void system_step_by_impulses(struct constraint *c, double ahead, double h)
{
    struct reduced *r = &c->reduced;
    int width = 3 * c->links;
    double *v = c->y + width, *v0 = c->y0 + width;
    c->touch_count = 0;
    system_accelerate(c, c->y, ahead);
    touch_find(c, 2 * h * touch_top_speed(c) + c->epsilon_m);
    for (int i = 0; i < width; i++) {
        v0[i] = v[i];
        v[i] += h * c->acceleration[i];
    }
    int kept = 0;
    for (int i = 0; i < c->found_count; i++) {
        double gap = c->found[i].rows[0].deviation, rate = row_rate(&c->found[i].rows[0], v);
        if (gap <= 0 || gap < h * fabs(rate))
            c->found[kept++] = c->found[i];
    }
    c->found_count = kept;
    build_reduced(c);
    int row = 0;
    for (int i = 0; i < c->found_count; i++)
        for (int k = 0; k < touch_row_count(&c->found[i]); k++, row++) {
            r->free[row] = row_rate(&c->found[i].rows[k], v);
            r->slide[row] = 0;
            r->target[row] = k == 0 ? step_target(c, &c->found[i], h) : 0;
        }
    if (sweep_unwedged(c, STEP_SWEEPS, STEP_SWEEP_SHARE) != 0)
        sweep_unwedged(c, SWEEPS, STEP_SWEEP_SHARE);
    for (int i = 0, at = 0; i < c->found_count; i++)
        for (int k = 0; k < touch_row_count(&c->found[i]); k++, at++)
            r->free[at] = c->found[i].rows[k].rate;
    apply_impulses(c, r->free, 0);
    for (int i = 0; i < width; i++)
        c->y[i] += h * v[i];
    book_forces(c, v0, v, h);
    c->is_stale = 1;
}

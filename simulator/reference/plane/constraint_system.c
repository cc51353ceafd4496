/* See constraint.h. The constraint-force equation (Barzel, Barr 1988) in the notation of
 * docs/physics-constraint.md: the deviation D of every constraint shall obey
 *
 *   D'' + 2/tau D' + D/tau^2 = 0,     D'' = J v' + curvature,     v' = M^-1 (f + G' F)
 *   Gamma F = -(J M^-1 f + curvature + 2/tau D' + D/tau^2),       Gamma = J M^-1 G'
 *
 * solved by least squares, rows and columns scaled by 1/sqrt(J M^-1 J'). Where constraints are
 * redundant, of all forces the ones nearest to those of the last step are taken, so that a load
 * does not jump from foot to foot. */
#include <math.h>

#include "common/error.h"
#include "simulator/reference/plane/constraint.h"

/* Directions in which the scaled Gamma is weaker than RANK_TOLERANCE or this are left alone. Joints
 * alone are never redundant but in loops. */
#define JOINT_RANK_TOLERANCE 1e-12
#define LOOP_RANK_TOLERANCE  1e-10
/* Closing loops at the start: steps at most, longest step of a coordinate, m or rad, and what is
 * closed. */
#define CLOSE_STEPS  200
#define CLOSE_WAY    0.2
#define CLOSE_ENOUGH 1e-14
/* Deviations of a state that is set are rounding up to this, times 1 + the largest coordinate, m or
 * rad. */
#define ROUNDING 1e-15
/* Deviations of contacts and of limits are corrected no faster than this. */
#define PUSH_OUT_SPEED_M_S   0.05
#define PUSH_OUT_SPEED_RAD_S 0.5

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

/* The pieces of a disk's rim together feel -pi k r v; turning does not move them along their
 * normals. */
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

/* The other variants, by the tensors of drag.h, which are about the links' origins in their
 * frames. */
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

/* A point of link a, at arm `own` of its frame, and one of link b, at `others`, meet: along the
 * world's x (axis 0) and y (axis 1). */
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

void system_push_along_itself(struct row *row)
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

int system_has_motion(const struct constraint *c, int link)
{
    return c->bodies[link].has_joint && c->servos[link].law == SERVO_MOTION;
}

void system_count_joints(struct constraint *c)
{
    c->joints = 0;
    c->has_motions = 0;
    for (int i = 1; i < c->links; i++) {
        c->joints += 2 * c->bodies[i].has_joint + system_has_motion(c, i);
        c->has_motions |= system_has_motion(c, i);
    }
    for (int i = 0; i < c->phenotype->closure_count; i++)
        c->joints += c->phenotype->closures[i].kind == CLOSURE_RIGID ? 3 : 2;
}

/* Rows of all joints, then of loops, then of prescribed motions. */
void system_set_joint_rows(struct constraint *c)
{
    double tau = c->settings.constraint_tau_s;
    struct row *row = c->rows;
    for (int i = 1; i < c->links; i++)
        if (c->bodies[i].has_joint)
            row = set_joint_rows(c, i, row);
    for (int i = 0; i < c->phenotype->closure_count; i++)
        row = set_closure_rows(c, i, row);
    for (int i = 1; i < c->links && c->has_motions; i++)
        if (system_has_motion(c, i))
            set_motion_row(c, i, row++);
    for (int i = 0; i < c->joints; i++) {
        row = &c->rows[i];
        row->deviation -= c->rounding[i];
        row->bias = row->curvature + 2 / tau * row->rate + row->deviation / (tau * tau);
        system_push_along_itself(row);
    }
}

void system_forgive_rounding(struct constraint *c)
{
    double size = 1;
    for (int i = 0; i < c->joints; i++)
        c->rounding[i] = 0;
    for (int i = 0; i < 3 * c->links; i++)
        size = fmax(size, 1 + fabs(c->y[i]));
    system_set_joint_rows(c);
    for (int i = 0; i < c->joints; i++) {
        double deviation = c->rows[i].deviation;
        c->rounding[i] = fabs(deviation) <= ROUNDING * size ? deviation : 0;
    }
}

/* How fast a deviation of a touch is corrected at most. */
double system_push_out_speed(const struct constraint *c, const struct touch *t)
{
    int is_angle = t->part < 0 && !c->bodies[t->a].is_linear;
    return is_angle ? PUSH_OUT_SPEED_RAD_S : PUSH_OUT_SPEED_M_S;
}

/* What a touch's acceleration shall be, without the row's curvature: the same law, in which the
 * correction of the deviation has a greatest speed. */
double system_touch_acceleration(const struct constraint *c, const struct touch *t,
                                 double deviation, double rate)
{
    double tau = c->settings.constraint_tau_s, speed = deviation / (2 * tau);
    double fastest = system_push_out_speed(c, t);
    speed = speed > fastest ? fastest : speed;
    speed = speed < -fastest ? -fastest : speed;
    if (c->is_wedged && speed < 0)
        speed = 0;
    return -2 / tau * (rate + speed);
}

/* The rows of the touches that press; returns the number of all rows. */
int system_set_rows(struct constraint *c)
{
    int count = c->joints;
    system_set_joint_rows(c);
    for (int i = 0; i < c->touch_count; i++) {
        struct touch *t = &c->touches[i];
        touch_update(c, t);
        struct row *n = &c->rows[count++];
        *n = t->rows[0];
        n->bias = n->curvature - system_touch_acceleration(c, t, n->deviation + t->slop, n->rate);
        system_push_along_itself(n);
        double share = t->part < 0 ? 0 : -t->direction * touch_friction(c, t);
        if (t->mode == TOUCH_SLIDES) {
            for (int k = 0; k < 3; k++) {
                n->ga[k] += share * t->rows[1].ja[k];
                n->gb[k] += share * t->rows[1].jb[k];
            }
        } else if (t->part >= 0) {
            struct row *along = &c->rows[count++];
            *along = t->rows[1];
            along->bias = along->curvature - system_touch_acceleration(
                                                 c, t, along->deviation - t->anchor, along->rate);
            system_push_along_itself(along);
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
double system_row_rate(const struct row *row, const double *v)
{
    const double *a = v + 3 * row->a, *b = v + 3 * row->b;
    double sum = row->ja[0] * a[0] + row->ja[1] * a[1] + row->ja[2] * a[2];
    if (row->b >= 0)
        sum += row->jb[0] * b[0] + row->jb[1] * b[1] + row->jb[2] * b[2];
    return sum;
}

/* v += M^-1 G' times a force. */
void system_push(const struct constraint *c, const struct row *row, double force, double *v)
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

double system_row_scale(const struct constraint *c, const struct row *row)
{
    return sqrt(system_row_mass(c, row));
}

/* Operations for each link, but for the equations. */
enum { LINK_WORK = 300 };

/* Counts the operations that making, factoring and solving them takes, roughly. */
void system_count_equations(struct constraint *c, int count)
{
    c->base.work += (uint64_t)(count * count) * (uint64_t)(3 * count + 30);
}

/* Scaled Gamma of the first `count` rows, factored. */
void system_factor_gamma(struct constraint *c, int count, struct qr *qr)
{
    system_count_equations(c, count);
    for (int i = 0; i < count; i++)
        c->scale[i] = system_row_scale(c, &c->rows[i]);
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
void system_set_free_acceleration(struct constraint *c)
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
    system_set_free_acceleration(c);
    int count = system_set_rows(c);
    system_factor_gamma(c, count, &c->qr);

    /* lambda = reference + the shortest correction */
    get_reference(c, c->lambda);
    for (int i = 0; i < count; i++) {
        double sum =
            -c->scale[i] * (system_row_rate(&c->rows[i], c->acceleration) + c->rows[i].bias);
        for (int j = 0; j < count; j++)
            sum -= c->gamma[i * count + j] * c->lambda[j];
        c->right[i] = sum;
    }
    qr_solve(&c->qr, c->right, c->right);
    for (int i = 0; i < count; i++)
        c->lambda[i] = c->scale[i] * (c->lambda[i] + c->right[i]);
    for (int i = 0; i < count; i++)
        system_push(c, &c->rows[i], c->lambda[i], c->acceleration);
    store_forces(c);
    for (int i = c->links - 1, row = c->joints; i > 0 && c->has_motions; i--)
        if (system_has_motion(c, i))
            c->torque[i] = c->lambda[--row];
}

/* Velocities, or a small way of the coordinates, that take the rows' rates or deviations away with
 * the least kinetic energy; from the placed state. Returns the largest of them before. */
static double close_rows(struct constraint *c, int is_rate, double *change)
{
    double largest = 0;
    for (int i = 0; i < 3 * c->links; i++)
        change[i] = 0;
    system_set_joint_rows(c);
    system_factor_gamma(c, c->joints, &c->joints_qr);
    for (int i = 0; i < c->joints; i++) {
        double off = is_rate ? c->rows[i].rate : c->rows[i].deviation;
        c->right[i] = -c->scale[i] * off;
        largest = fmax(largest, fabs(off));
    }
    qr_solve(&c->joints_qr, c->right, c->right);
    for (int i = 0; i < c->joints; i++)
        system_push(c, &c->rows[i], c->scale[i] * c->right[i], change);
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

/* See tree.h. With the origin of link i at its joint, r the way there from the parent's origin, c the
 * centre of mass from the origin and h = m c, all in the world's axes, a rigid link obeys
 *
 *   F = m a + alpha x h - w^2 h        force of the parent at the origin, a: acceleration of the origin
 *   N = I alpha + h x a                moment of the parent about it, I = Ic + m c^2
 *
 * plus F and r x F + N of each child. Hinge and linear joint (s: its axis) move the origin by
 *
 *   a = a_p + alpha_p x r + b,                    b = -w_p^2 r
 *   a = a_p + alpha_p x r + b + s qdd,            b = -w_p^2 r + 2 w_p x s qd,   alpha = alpha_p
 *
 * From the leaves inward let F = X a + n alpha + p, N = n.a + J alpha + pn of a link with all that it
 * carries; the joint gives one scalar equation more, which takes its acceleration out:
 *
 *   hinge    N = tau - e qdd      g = 1 / (J + e)       qdd = g (tau - pn + e alpha_p) - g n.a - alpha_p
 *   linear   F.s = tau - e qdd    g = 1 / (s.X s + e)   qdd = g (tau - p.s) - g U.a' - g (n.s) alpha
 *
 * with e the share of implicit servos and U = X s. For a hinge with e = 0 what is left to hand on is
 * X' = X - g n n', p' = p + g n (tau - pn) and N = tau alone. Moved to the parent's origin by r it is
 * added to the parent. (Featherstone 2008 has the same with spatial vectors; here the accelerations
 * are those of points, so no velocity products but w^2 h, w^2 r and Coriolis' occur.)
 *
 * Gravity acts on all links alike: `a` is relative to free fall, and gravity is added at the root
 * alone. A root that is the world itself has a = -g and needs no solve. A joint whose acceleration is
 * given yields to nothing: all of X, n and J is handed on, and what it takes to move joins p. `bias` collects, link by link,
 * the part of `a` that does not come from accelerations of joints:
 *
 *   mean velocity over the step = start + h/2 (a - bias),   bias = -g at the root, bias_p + b of a child
 *
 * which the implicit drag needs: with start + h/2 a instead, drag would be first order only. */
#include "simulator/tree.h"

#include "common/detmath.h"
#include "common/error.h"
#include "simulator/turn.h"

/* Two numbers of a vector. */
typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));
#define AT(vector, i) (*(pair *)((vector) + (i)))

#define DRAG_PI 3.14159265358979323846

/* Adds the drag of a rectangle or disk to a tensor about the origin of its link.
 *
 * Each edge of length L feels -k (v.n) L n at its midpoint and the torque -k w L^3 / 12 about it;
 * all four edges of a rectangle together, about its centre and in its axes: Fx = -2 k height u,
 * Fy = -2 k width v, T = -k w (width^3 + height^3) / 6. */
static void add_rectangle_drag(struct tensor *drag, const struct part *part, double viscosity)
{
    double s, c;
    det_sincos(part->local_angle_rad, &s, &c);
    double along = 2 * viscosity * part->height_m, across = 2 * viscosity * part->width_m;
    double spin = viscosity *
                  (part->width_m * part->width_m * part->width_m +
                   part->height_m * part->height_m * part->height_m) /
                  6;
    if (part->shape == PART_DISK) {
        /* the same force on every piece of the rim; turning moves no rim along its normal */
        along = across = viscosity * DRAG_PI * part->width_m / 2;
        spin = 0;
    }
    double xx = along * c * c + across * s * s, yy = along * s * s + across * c * c;
    double xy = (along - across) * c * s;
    double rx = part->local.x, ry = part->local.y;

    /* shift from the rectangle's centre r to the origin: B0 = T' B T */
    double nx = -ry * xx + rx * xy, ny = -ry * xy + rx * yy;
    drag->nn += spin - ry * nx + rx * ny;
    drag->nx += nx;
    drag->ny += ny;
    drag->xx += xx;
    drag->xy += xy;
    drag->yy += yy;
}

void tree_set_viscosity(struct tree *tree, const struct phenotype *phenotype, double viscosity_pa_s)
{
    for (int i = 0; i < tree->count; i++)
        tree->links[i].drag = (struct tensor){0};
    for (int i = 0; i < phenotype->part_count; i++)
        add_rectangle_drag(&tree->links[phenotype->parts[i].link].drag, &phenotype->parts[i],
                           viscosity_pa_s);
    tree->has_drag = viscosity_pa_s > 0;
}

int tree_create(struct tree *tree, const struct phenotype *phenotype, double viscosity_pa_s,
                struct arena *arena)
{
    *tree = (struct tree){.count = phenotype->link_count,
                          .dof = 2 + phenotype->link_count,
                          .is_root_fixed = phenotype->is_root_fixed};
    size_t count = (size_t)tree->count, even = (count + 1) & ~(size_t)1;
    tree->links = arena_take(arena, count, sizeof tree->links[0]);
    /* six vectors in a block */
    tree->angle = arena_take(arena, 6 * even, sizeof(double));
    tree->change = arena_take(arena, count, sizeof tree->change[0]);
    if (!tree->links || !tree->angle || !tree->change)
        return ERR_MEMORY;
    tree->sine = tree->angle + even;
    tree->cosine = tree->sine + even;
    tree->base_angle = tree->cosine + even;
    tree->base_sine = tree->base_angle + even;
    tree->base_cosine = tree->base_sine + even;
    for (int i = 0; i < tree->count; i++) {
        const struct link *from = &phenotype->links[i];
        struct tree_link *to = &tree->links[i];
        double x = from->centre.x, y = from->centre.y;
        to->parent = from->parent;
        to->is_linear = from->joint_kind == LINK_LINEAR;
        to->joint_x = from->joint.x;
        to->joint_y = from->joint.y;
        to->axis_x = from->axis.x;
        to->axis_y = from->axis.y;
        to->centre_x = x;
        to->centre_y = y;
        to->mass = from->mass_kg;
        to->moment_x = from->mass_kg * x;
        to->moment_y = from->mass_kg * y;
        to->own_inertia = from->inertia_kg_m2;
        to->inertia = from->inertia_kg_m2 + from->mass_kg * (x * x + y * y);
        tree->mass += from->mass_kg;
    }
    tree_set_viscosity(tree, phenotype, viscosity_pa_s);
    return 0;
}

/* ---------------------------------------------------------------- pose and velocity */

/* The way from the parent's origin to the own, and the axis of a linear joint. */
static inline void place_origin(struct tree_link *l, const struct tree_link *p, double q)
{
    double x = l->joint_x, y = l->joint_y;
    if (l->is_linear) {
        x += l->axis_x * q;
        y += l->axis_y * q;
        l->sx = p->cos * l->axis_x - p->sin * l->axis_y;
        l->sy = p->sin * l->axis_x + p->cos * l->axis_y;
    }
    l->rx = p->cos * x - p->sin * y;
    l->ry = p->sin * x + p->cos * y;
    l->px = p->px + l->rx;
    l->py = p->py + l->ry;
}

/* What follows from a link's angle alone. */
static inline void turn_link(const struct tree *tree, struct tree_link *l, int i)
{
    double s = tree->sine[i], c = tree->cosine[i];
    l->angle = tree->angle[i];
    l->sin = s;
    l->cos = c;
    l->hx = c * l->moment_x - s * l->moment_y;
    l->hy = s * l->moment_x + c * l->moment_y;
}

static inline void set_angles(struct tree *tree, const double *q)
{
    const struct tree_link *links = tree->links;
    tree->root_x = q[0];
    tree->root_y = q[1];
    tree->angle[0] = q[2];
    for (int i = 1; i < tree->count; i++)
        tree->angle[i] = tree->angle[links[i].parent] + (links[i].is_linear ? 0 : q[2 + i]);
}

/* The links, which have their sines. */
static inline void place_links(struct tree *tree, const double *q)
{
    struct tree_link *links = tree->links;
    turn_link(tree, &links[0], 0);
    for (int i = 1; i < tree->count; i++) {
        turn_link(tree, &links[i], i);
        place_origin(&links[i], &links[links[i].parent], q[2 + i]);
    }
}

void tree_set_pose(struct tree *tree, const double *q)
{
    set_angles(tree, q);
    det_sincos_all(tree->angle, tree->count, tree->sine, tree->cosine);
    place_links(tree, q);
}

void tree_forget_turns(struct tree *tree)
{
    tree->has_base = 0;
}

/* Two links begin to turn from where they are. */
static void renew_base(struct tree *tree, int i)
{
    det_sincos_all(tree->angle + i, 2, tree->base_sine + i, tree->base_cosine + i);
    for (int k = i; k < i + 2; k++) {
        tree->base_angle[k] = tree->angle[k];
        tree->sine[k] = tree->base_sine[k];
        tree->cosine[k] = tree->base_cosine[k];
    }
}

void tree_turn_pose(struct tree *tree, const double *q)
{
    const double *angle = tree->angle, *base = tree->base_angle;
    const double *base_sine = tree->base_sine, *base_cosine = tree->base_cosine;
    double *sine = tree->sine, *cosine = tree->cosine;
    set_angles(tree, q);
    for (int i = 0, count = tree->count; i < count; i += 2) {
        turn_pair turn = AT(angle, i) - AT(base, i), square = turn * turn, s, c;
        turn_sines(turn, square, &s, &c);
        AT(sine, i) = AT(base_sine, i) * c + AT(base_cosine, i) * s;
        AT(cosine, i) = AT(base_cosine, i) * c - AT(base_sine, i) * s;
        double most = square[0] > square[1] ? square[0] : square[1];
        if (!tree->has_base || most > TURN_MAX_RAD * TURN_MAX_RAD)
            renew_base(tree, i);
    }
    tree->has_base = 1;
    place_links(tree, q);
}

void tree_place_hinges(struct tree *tree, const double *q, const double *qd)
{
    struct tree_link *links = tree->links;
    tree->root_x = q[0];
    tree->root_y = q[1];
    turn_link(tree, &links[0], 0);
    links[0].velocity = (struct motion){qd[2], qd[0], qd[1]};
    for (int i = 1; i < tree->count; i++) {
        struct tree_link *l = &links[i];
        const struct tree_link *p = &links[l->parent];
        double rate = qd[2 + i], w = p->velocity.w;
        double rx = p->cos * l->joint_x - p->sin * l->joint_y;
        double ry = p->sin * l->joint_x + p->cos * l->joint_y;
        turn_link(tree, l, i);
        l->rx = rx;
        l->ry = ry;
        l->px = p->px + rx;
        l->py = p->py + ry;
        l->rate = rate;
        l->velocity.w = w + rate;
        l->velocity.x = p->velocity.x - w * ry;
        l->velocity.y = p->velocity.y + w * rx;
    }
}

/* The velocity of a link's origin, its parent moving with p and its joint at a rate. */
static inline struct motion add_rate(const struct tree_link *l, const struct motion *p, double rate)
{
    struct motion v = {p->w, p->x - p->w * l->ry, p->y + p->w * l->rx};
    if (l->is_linear) {
        v.x += l->sx * rate;
        v.y += l->sy * rate;
    } else {
        v.w += rate;
    }
    return v;
}

void tree_set_velocity(struct tree *tree, const double *qd)
{
    struct tree_link *links = tree->links;
    links[0].velocity = (struct motion){qd[2], qd[0], qd[1]};
    for (int i = 1; i < tree->count; i++) {
        links[i].rate = qd[2 + i];
        links[i].velocity = add_rate(&links[i], &links[links[i].parent].velocity, qd[2 + i]);
    }
}

void tree_set_start_velocity(struct tree *tree, const double *qd)
{
    struct tree_link *links = tree->links;
    links[0].start = (struct motion){qd[2], qd[0], qd[1]};
    for (int i = 1; i < tree->count; i++)
        links[i].start = add_rate(&links[i], &links[links[i].parent].start, qd[2 + i]);
}

/* ---------------------------------------------------------------- accelerations */

static struct force tensor_times(const struct tensor *t, struct motion v)
{
    return (struct force){t->nn * v.w + t->nx * v.x + t->ny * v.y,
                          t->nx * v.w + t->xx * v.x + t->xy * v.y,
                          t->ny * v.w + t->xy * v.x + t->yy * v.y};
}

static void add_tensor(struct tensor *to, const struct tensor *t, double share)
{
    to->nn += share * t->nn;
    to->nx += share * t->nx;
    to->ny += share * t->ny;
    to->xx += share * t->xx;
    to->xy += share * t->xy;
    to->yy += share * t->yy;
}

/* The link's drag tensor in world axes. */
static struct tensor turn_drag(const struct tree_link *l)
{
    double c = l->cos, s = l->sin;
    const struct tensor *b = &l->drag;
    return (struct tensor){.nn = b->nn,
                           .nx = c * b->nx - s * b->ny,
                           .ny = s * b->nx + c * b->ny,
                           .xx = c * c * b->xx - 2 * c * s * b->xy + s * s * b->yy,
                           .xy = c * s * (b->xx - b->yy) + (c * c - s * s) * b->xy,
                           .yy = s * s * b->xx + 2 * c * s * b->xy + c * c * b->yy};
}

/* Drag of the velocity that is set: minus this force. */
static inline void drag_explicitly(struct tree_link *l)
{
    double c = l->cos, s = l->sin;
    const struct motion *v = &l->velocity;
    struct motion own = {v->w, c * v->x + s * v->y, c * v->y - s * v->x};
    struct force f = tensor_times(&l->drag, own);
    l->drag_force = (struct force){f.n, c * f.x - s * f.y, s * f.x + c * f.y};
    l->pa.n += l->drag_force.n;
    l->pa.x += l->drag_force.x;
    l->pa.y += l->drag_force.y;
}

/* Drag of the mean velocity of the step, of which h/2 qdd is not known yet. */
static inline void drag_implicitly(struct tree_link *l, double half_step)
{
    l->world_drag = turn_drag(l);
    struct motion known = {l->start.w, l->start.x - half_step * l->bias.x,
                           l->start.y - half_step * l->bias.y};
    struct force f = tensor_times(&l->world_drag, known);
    l->pa.n += f.n;
    l->pa.x += f.x;
    l->pa.y += f.y;
    add_tensor(&l->ia, &l->world_drag, half_step);
}

/* Bias force of a link and what its velocity adds to the acceleration of its origin. */
static inline void start_forces(struct tree_link *l, const struct tree_link *p)
{
    double square = l->velocity.w * l->velocity.w;
    l->pa = (struct force){0, -square * l->hx, -square * l->hy};
    if (!p)
        return;
    double w = p->velocity.w;
    l->bx = -(w * w) * l->rx;
    l->by = -(w * w) * l->ry;
    if (l->is_linear) {
        l->bx -= 2 * w * l->rate * l->sy;
        l->by += 2 * w * l->rate * l->sx;
    }
}

/* Own inertia and bias force of each link, and the velocity products. */
static inline void start_links(struct tree *tree, double gravity_m_s2, double half_step)
{
    int has_drag = tree->has_drag;
    for (int i = 0; i < tree->count; i++) {
        struct tree_link *l = &tree->links[i];
        const struct tree_link *p = i > 0 ? &tree->links[l->parent] : NULL;
        l->ia = (struct tensor){
            .nn = l->inertia, .nx = -l->hy, .ny = l->hx, .xx = l->mass, .yy = l->mass};
        start_forces(l, p);
        if (!has_drag)
            continue;
        l->bias = p ? (struct motion){0, p->bias.x + l->bx, p->bias.y + l->by}
                    : (struct motion){0, -tree->gravity_x, gravity_m_s2};
        if (half_step > 0)
            drag_implicitly(l, half_step);
        else
            drag_explicitly(l);
    }
}

/* Takes a hinge's acceleration out of the link's inertia. */
static inline void eliminate_hinge(struct tree_link *l, double extra)
{
    double nx = l->ia.nx, ny = l->ia.ny, g = 1 / (l->ia.nn + extra);
    struct tensor *t = &l->handed;
    l->g = g;
    l->kx = nx;
    l->ky = ny;
    l->ux = nx * g;
    l->uy = ny * g;
    t->xx = l->ia.xx - nx * l->ux;
    t->xy = l->ia.xy - nx * l->uy;
    t->yy = l->ia.yy - ny * l->uy;
    l->share = extra * g;
    t->nn = l->share * l->ia.nn;
    t->nx = l->share * nx;
    t->ny = l->share * ny;
}

/* The same for a linear joint. */
static inline void eliminate_slide(struct tree_link *l, double extra)
{
    const struct tensor *ia = &l->ia;
    double ux = ia->xx * l->sx + ia->xy * l->sy, uy = ia->xy * l->sx + ia->yy * l->sy;
    double un = ia->nx * l->sx + ia->ny * l->sy, g = 1 / (ux * l->sx + uy * l->sy + extra);
    l->g = g;
    l->kn = un;
    l->kx = ux;
    l->ky = uy;
    l->ux = ux * g;
    l->uy = uy * g;
    l->un = un * g;
    l->handed = (struct tensor){.nn = ia->nn - un * l->un,
                                .nx = ia->nx - un * l->ux,
                                .ny = ia->ny - un * l->uy,
                                .xx = ia->xx - ux * l->ux,
                                .xy = ia->xy - ux * l->uy,
                                .yy = ia->yy - uy * l->uy};
}

/* The same for a joint whose acceleration is given. */
static inline void eliminate_driven(struct tree_link *l)
{
    l->handed = l->ia;
    l->un = l->ux = l->uy = 0;
    l->u = l->drive;
    l->share = 1;
}

/* The joint's acceleration for what it carries, and the force that its link hands on. */
static inline struct force eliminate_force(struct tree_link *l, double tau)
{
    struct force p;
    if (l->is_driven) {
        struct motion a = {1, 0, 0};
        if (l->is_linear)
            a = (struct motion){0, l->sx, l->sy};
        struct force f = tensor_times(&l->handed, a);
        return (struct force){l->pa.n + f.n * l->drive, l->pa.x + f.x * l->drive,
                              l->pa.y + f.y * l->drive};
    }
    if (l->is_linear) {
        l->u = l->g * (tau - (l->pa.x * l->sx + l->pa.y * l->sy));
        p.n = l->pa.n + l->kn * l->u;
    } else {
        double u = tau - l->pa.n;
        l->u = l->g * u;
        p.n = tau - l->share * u;
    }
    p.x = l->pa.x + l->kx * l->u;
    p.y = l->pa.y + l->ky * l->u;
    return p;
}

/* Adds to the parent's what a link hands on, about the link's origin, which is at r. */
static inline void hand_inertia_on(const struct tree_link *l, struct tree_link *parent)
{
    const struct tensor *t = &l->handed;
    /* force at the link's origin as a function of the parent's accelerations */
    double nx = t->nx + (t->xy * l->rx - t->xx * l->ry);
    double ny = t->ny + (t->yy * l->rx - t->xy * l->ry);
    parent->ia.xx += t->xx;
    parent->ia.xy += t->xy;
    parent->ia.yy += t->yy;
    parent->ia.nx += nx;
    parent->ia.ny += ny;
    parent->ia.nn += t->nn + (l->rx * (ny + t->ny) - l->ry * (nx + t->nx));
}

static inline void hand_force_on(const struct tree_link *l, struct tree_link *parent,
                                 struct force p)
{
    const struct tensor *t = &l->handed;
    double fx = p.x + (t->xx * l->bx + t->xy * l->by);
    double fy = p.y + (t->xy * l->bx + t->yy * l->by);
    parent->pa.x += fx;
    parent->pa.y += fy;
    parent->pa.n += p.n + (t->nx * l->bx + t->ny * l->by) + (l->rx * fy - l->ry * fx);
}

static inline void fold_links(struct tree *tree, const double *tau, const double *extra,
                              int is_implicit)
{
    for (int i = tree->count - 1; i > 0; i--) {
        struct tree_link *l = &tree->links[i], *parent = &tree->links[l->parent];
        double e = is_implicit ? extra[2 + i] : 0;
        if (l->is_driven)
            eliminate_driven(l);
        else if (l->is_linear)
            eliminate_slide(l, e);
        else
            eliminate_hinge(l, e);
        struct force p = eliminate_force(l, tau[2 + i]);
        hand_inertia_on(l, parent);
        hand_force_on(l, parent, p);
    }
}

/* Accelerations from the root outward; with them the rates'. */
static inline void unfold_links(struct tree *tree, double *qdd)
{
    struct tree_link *links = tree->links;
    for (int i = 1; i < tree->count; i++) {
        struct tree_link *l = &links[i];
        const struct motion *p = &links[l->parent].a;
        double ax = p->x + (l->bx - p->w * l->ry), ay = p->y + (l->by + p->w * l->rx);
        if (l->is_linear) {
            double rate = l->u - (l->ux * ax + l->uy * ay) - l->un * p->w;
            qdd[2 + i] = rate;
            l->a = (struct motion){p->w, ax + l->sx * rate, ay + l->sy * rate};
        } else {
            double w = l->u + l->share * p->w - (l->ux * ax + l->uy * ay);
            qdd[2 + i] = w - p->w;
            l->a = (struct motion){w, ax, ay};
        }
    }
}

/* From the root's acceleration, for which its inertia is factored, to all rates. */
static void finish(struct tree *tree, double gravity_m_s2, double *qdd)
{
    struct tree_link *root = &tree->links[0];
    struct motion a = {0, -tree->gravity_x, gravity_m_s2}; /* of a fixed root: nothing */
    if (!tree->is_root_fixed)
        a = solver_solve(&tree->free_root, (struct force){-root->pa.n, -root->pa.x, -root->pa.y});
    root->a = a;
    qdd[0] = a.x + tree->gravity_x;
    qdd[1] = a.y - gravity_m_s2;
    qdd[2] = a.w;
    unfold_links(tree, qdd);
}

void tree_accelerate(struct tree *tree, const double *tau, const double *extra, double gravity_m_s2,
                     double half_step, double *qdd)
{
    if (half_step > 0) {
        start_links(tree, gravity_m_s2, half_step);
        fold_links(tree, tau, extra, 1);
    } else {
        start_links(tree, gravity_m_s2, 0);
        fold_links(tree, tau, extra, 0);
    }
    if (!tree->is_root_fixed)
        solver_init(&tree->free_root, &tree->links[0].ia);
    finish(tree, gravity_m_s2, qdd);
}

void tree_accelerate_again(struct tree *tree, const double *tau, double gravity_m_s2, double *qdd)
{
    struct tree_link *links = tree->links;
    start_forces(&links[0], NULL);
    for (int i = 1; i < tree->count; i++)
        start_forces(&links[i], &links[links[i].parent]);
    for (int i = tree->count - 1; i > 0; i--)
        hand_force_on(&links[i], &links[links[i].parent], eliminate_force(&links[i], tau[2 + i]));
    finish(tree, gravity_m_s2, qdd);
}

double tree_drive_effort(const struct tree *tree, int link)
{
    const struct tree_link *l = &tree->links[link];
    struct force f = tensor_times(&l->ia, l->a);
    return l->is_linear ? (f.x + l->pa.x) * l->sx + (f.y + l->pa.y) * l->sy : f.n + l->pa.n;
}

double tree_drag_power(struct tree *tree, const double *qd, double half_step)
{
    double power = 0;
    for (int i = 0; i < tree->count; i++) {
        struct tree_link *l = &tree->links[i];
        struct force f = l->drag_force;
        if (half_step > 0) {
            struct motion mean = {l->start.w + half_step * l->a.w,
                                  l->start.x + half_step * (l->a.x - l->bias.x),
                                  l->start.y + half_step * (l->a.y - l->bias.y)};
            f = tensor_times(&l->world_drag, mean);
        }
        /* velocity of the link for the given rates, reusing `start`: it is not needed any more */
        l->start = i == 0 ? (struct motion){qd[2], qd[0], qd[1]}
                          : add_rate(l, &tree->links[l->parent].start, qd[2 + i]);
        power -= f.n * l->start.w + f.x * l->start.x + f.y * l->start.y;
    }
    return power;
}

double tree_drag_power_now(const struct tree *tree)
{
    double power = 0;
    for (int i = 0; i < tree->count; i++) {
        const struct tree_link *l = &tree->links[i];
        power -= l->drag_force.n * l->velocity.w + l->drag_force.x * l->velocity.x +
                 l->drag_force.y * l->velocity.y;
    }
    return power;
}

/* ---------------------------------------------------------------- impulses */

/* Takes a joint out of the link's inertia and hands the rest to the parent. */
static void factor_link(struct tree_link *l, struct tree_link *p)
{
    struct tensor t = l->ia;
    l->inverse = l->fn = l->fx = l->fy = 0;
    if (l->is_linear && !l->is_driven) {
        double ux = t.xx * l->sx + t.xy * l->sy, uy = t.xy * l->sx + t.yy * l->sy;
        double un = t.nx * l->sx + t.ny * l->sy;
        l->inverse = 1 / (ux * l->sx + uy * l->sy);
        l->fx = ux * l->inverse;
        l->fy = uy * l->inverse;
        l->fn = un * l->inverse;
        t.xx -= ux * l->fx;
        t.xy -= ux * l->fy;
        t.yy -= uy * l->fy;
        t.nx -= un * l->fx;
        t.ny -= un * l->fy;
        t.nn -= un * l->fn;
    } else if (!l->is_driven) {
        l->inverse = 1 / t.nn;
        l->fx = t.nx * l->inverse;
        l->fy = t.ny * l->inverse;
        t.xx -= t.nx * l->fx;
        t.xy -= t.nx * l->fy;
        t.yy -= t.ny * l->fy;
        t.nn = t.nx = t.ny = 0;
    }
    double nx = t.nx + (t.xy * l->rx - t.xx * l->ry), ny = t.ny + (t.yy * l->rx - t.xy * l->ry);
    p->ia.nn += t.nn + (l->rx * (ny + t.ny) - l->ry * (nx + t.nx));
    p->ia.nx += nx;
    p->ia.ny += ny;
    p->ia.xx += t.xx;
    p->ia.xy += t.xy;
    p->ia.yy += t.yy;
}

void tree_factor(struct tree *tree)
{
    struct tree_link *links = tree->links;
    for (int i = 0; i < tree->count; i++) {
        struct tree_link *l = &links[i];
        l->ia = (struct tensor){
            .nn = l->inertia, .nx = -l->hy, .ny = l->hx, .xx = l->mass, .yy = l->mass};
        l->pa = (struct force){0, 0, 0};
    }
    for (int i = tree->count - 1; i > 0; i--)
        factor_link(&links[i], &links[links[i].parent]);
    if (!tree->is_root_fixed)
        solver_init(&tree->root, &links[0].ia);
}

/* Takes a joint's share out of an impulse on its link and moves the rest to the parent's origin. */
static inline struct force pass_joint(const struct tree_link *l, struct force f, double *share)
{
    double rest = 0;
    if (l->is_driven) {
        *share = 0;
        rest = f.n;
    } else if (l->is_linear) {
        *share = f.x * l->sx + f.y * l->sy;
        rest = f.n - l->fn * *share;
    } else {
        *share = f.n;
    }
    f.x -= l->fx * *share;
    f.y -= l->fy * *share;
    f.n = rest + (l->rx * f.y - l->ry * f.x);
    return f;
}

static inline void clear_row(struct tree_row *row)
{
    for (int i = 0; i < row->count; i++)
        row->shares[row->joints[i]] = row->rates[row->joints[i]] = 0;
    row->count = 0;
}

static inline void list_joint(const struct tree *tree, struct tree_row *row, int at, double share)
{
    row->joints[row->count++] = at;
    row->shares[at] = share;
    row->rates[at] = share * tree->links[at].inverse;
}

static void end_row(const struct tree *tree, struct tree_row *row, struct force root)
{
    row->root = root;
    row->root_response = (struct motion){0, 0, 0};
    if (!tree->is_root_fixed)
        row->root_response = solver_solve(&tree->root, root);
}

/* Two impulses side by side. */
struct force_pair {
    pair n, x, y;
};

/* As pass_joint() of a hinge that is free. */
static inline struct force_pair pass_hinge(const struct tree_link *l, struct force_pair f,
                                           pair *share)
{
    *share = f.n;
    f.x -= l->fx * f.n;
    f.y -= l->fy * f.n;
    f.n = l->rx * f.y - l->ry * f.x;
    return f;
}

static inline struct force_pair pass_joint_two(const struct tree_link *l, struct force_pair f,
                                               pair *share)
{
    if (!l->is_linear && !l->is_driven)
        return pass_hinge(l, f, share);
    double shares[2];
    for (int k = 0; k < 2; k++) {
        struct force one = pass_joint(l, (struct force){f.n[k], f.x[k], f.y[k]}, &shares[k]);
        f.n[k] = one.n;
        f.x[k] = one.x;
        f.y[k] = one.y;
    }
    *share = (pair){shares[0], shares[1]};
    return f;
}

static inline struct force_pair beside(const struct force f[2])
{
    return (struct force_pair){{f[0].n, f[1].n}, {f[0].x, f[1].x}, {f[0].y, f[1].y}};
}

/* Down to the root, as one from where the ways of both links meet. */
void tree_carry(const struct tree *tree, int a, const struct force on_a[2], int b,
                const struct force on_b[2], struct tree_row *first, struct tree_row *second)
{
    const struct force none[2] = {{0, 0, 0}, {0, 0, 0}};
    struct force_pair f = beside(on_a), g = beside(b < 0 ? none : on_b);
    clear_row(first);
    clear_row(second);
    b = b < 0 ? 0 : b;
    while (a > 0 || b > 0) {
        if (a == b) {
            f = (struct force_pair){f.n + g.n, f.x + g.x, f.y + g.y};
            g = beside(none);
            b = 0;
        }
        int at = a > b ? a : b;
        pair share;
        if (a > b) {
            f = pass_joint_two(&tree->links[at], f, &share);
            a = tree->links[at].parent;
        } else {
            g = pass_joint_two(&tree->links[at], g, &share);
            b = tree->links[at].parent;
        }
        list_joint(tree, first, at, share[0]);
        list_joint(tree, second, at, share[1]);
    }
    f = (struct force_pair){f.n + g.n, f.x + g.x, f.y + g.y};
    end_row(tree, first, (struct force){f.n[0], f.x[0], f.y[0]});
    end_row(tree, second, (struct force){f.n[1], f.x[1], f.y[1]});
}

void tree_carry_joint(const struct tree *tree, int joint, double sign, struct tree_row *row)
{
    /* +1 on the link, -1 on its parent: the joint's own share is all of it */
    const struct tree_link *l = &tree->links[joint];
    clear_row(row);
    list_joint(tree, row, joint, sign);
    struct force f = {-sign, -l->fx * sign, -l->fy * sign};
    if (l->is_linear || l->is_driven)
        f.n = -l->fn * sign;
    f.n += l->rx * f.y - l->ry * f.x;
    for (int at = l->parent; at > 0; at = tree->links[at].parent) {
        double share;
        f = pass_joint(&tree->links[at], f, &share);
        list_joint(tree, row, at, share);
    }
    end_row(tree, row, f);
}

double tree_couple(const struct tree *tree, const struct tree_row *f, const struct tree_row *g)
{
    const double *shares = f->shares, *rates = g->rates;
    pair sum = {0, 0};
    for (int i = 0, count = tree->count; i < count; i += 2)
        sum += AT(shares, i) * AT(rates, i);
    return f->root.n * g->root_response.w + f->root.x * g->root_response.x +
           f->root.y * g->root_response.y + (sum[0] + sum[1]);
}

void tree_respond(const struct tree *tree, const double *shares, struct force root, double *dqd)
{
    struct motion *change = tree->change;
    change[0] = (struct motion){0, 0, 0};
    if (!tree->is_root_fixed)
        change[0] = solver_solve(&tree->root, root);
    dqd[0] = change[0].x;
    dqd[1] = change[0].y;
    dqd[2] = change[0].w;
    for (int i = 1; i < tree->count; i++) {
        const struct tree_link *l = &tree->links[i];
        const struct motion *p = &change[l->parent];
        double x = p->x - p->w * l->ry, y = p->y + p->w * l->rx;
        double rate = shares[i] * l->inverse - (l->fx * x + l->fy * y);
        rate -= l->is_driven ? 0 : l->is_linear ? l->fn * p->w : p->w;
        dqd[2 + i] = rate;
        change[i] = l->is_linear ? (struct motion){p->w, x + l->sx * rate, y + l->sy * rate}
                                 : (struct motion){p->w + rate, x, y};
    }
}

/* ---------------------------------------------------------------- energies */

struct motion tree_centre_velocity(const struct tree_link *l)
{
    double x = l->cos * l->centre_x - l->sin * l->centre_y;
    double y = l->sin * l->centre_x + l->cos * l->centre_y;
    const struct motion *v = &l->velocity;
    return (struct motion){v->w, v->x - v->w * y, v->y + v->w * x};
}

struct vec2 tree_centre(const struct tree_link *l)
{
    return (struct vec2){l->px + (l->cos * l->centre_x - l->sin * l->centre_y),
                         l->py + (l->sin * l->centre_x + l->cos * l->centre_y)};
}

double tree_kinetic_energy(const struct tree *tree)
{
    double energy = 0;
    for (int i = 0; i < tree->count; i++) {
        const struct tree_link *l = &tree->links[i];
        struct motion v = tree_centre_velocity(l);
        energy += l->own_inertia * v.w * v.w + l->mass * (v.x * v.x + v.y * v.y);
    }
    return energy / 2;
}

double tree_potential_energy(const struct tree *tree, double gravity_m_s2)
{
    double moment = 0, moment_x = 0;
    for (int i = 0; i < tree->count; i++) {
        moment += tree->links[i].mass * tree->links[i].py + tree->links[i].hy;
        moment_x += tree->links[i].mass * tree->links[i].px + tree->links[i].hx;
    }
    return gravity_m_s2 * (moment + tree->mass * tree->root_y) -
           tree->gravity_x * (moment_x + tree->mass * tree->root_x);
}

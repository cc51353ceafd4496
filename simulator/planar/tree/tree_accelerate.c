/* See tree.h. With the origin of link i at its joint, r the way there from the parent's origin, c
 * the centre of mass from the origin and h = m c, all in the world's axes, a rigid link obeys
 *
 *   F = m a + alpha x h - w^2 h        force of the parent at the origin, whose acceleration is a
 *   N = I alpha + h x a                moment of the parent about it, I = Ic + m c^2
 *
 * plus F and r x F + N of each child. Hinge and linear joint (s: its axis) move the origin by
 *
 *   a = a_p + alpha_p x r + b,                    b = -w_p^2 r
 *   a = a_p + alpha_p x r + b + s qdd,            b = -w_p^2 r + 2 w_p x s qd,   alpha = alpha_p
 *
 * From the leaves inward let F = X a + n alpha + p, N = n.a + J alpha + pn of a link with all that
 * it carries; the joint gives one scalar equation more, which takes its acceleration out:
 *
 *   hinge    N = tau - e qdd    g = 1 / (J + e)    qdd = g (tau - pn + e alpha_p) - g n.a - alpha_p
 *   linear   F.s = tau - e qdd  g = 1 / (s.X s + e) qdd = g (tau - p.s) - g U.a' - g (n.s) alpha
 *
 * with e the share of implicit servos and U = X s. For a hinge with e = 0 what is left to hand on
 * is X' = X - g n n', p' = p + g n (tau - pn) and N = tau alone. Moved to the parent's origin by r
 * it is added to the parent. (Featherstone 2008 has the same with spatial vectors; here the
 * accelerations are those of points, so no velocity products but w^2 h, w^2 r and Coriolis' occur.)
 *
 * Gravity acts on all links alike: `a` is relative to free fall, and gravity is added at the root
 * alone. A root that is the world itself has a = -g and needs no solve. A joint whose acceleration
 * is given yields to nothing: all of X, n and J is handed on, and the force of its motion joins p.
 * A stretch of a link is taken out like a joint of it, but it moves what the link carries, not its
 * origin (tree_stretch.c). `bias` collects, link by link, the part of `a` that does not come from
 * accelerations of joints:
 *
 *   mean velocity over the step = start + h/2 (a - bias),
 *   bias = -g at the root, bias_p + b of a child
 *
 * which the implicit drag needs: with start + h/2 a instead, drag would be first order only.
 *
 * Two numbers go side by side (pair.h): x and y of plane vectors and columns of tensors; both rows
 * of a contact on their way down; and two inertias of each link, with implicit servos and without.
 * Where it pays, loops are made twice, once for trees of free hinges alone (are_hinges), in which
 * nothing is asked about joints. */
#include "simulator/planar/tree/tree.h"

#include "common/math/pair.h"
#include "simulator/planar/tree/tree_private.h"

static struct force tensor_times(const struct tensor *t, struct motion v)
{
    return (struct force){t->nn * v.w + t->nx * v.x + t->ny * v.y,
                          t->nx * v.w + t->xx * v.x + t->xy * v.y,
                          t->ny * v.w + t->xy * v.x + t->yy * v.y};
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
    tensor_add(&l->ia, &l->world_drag, half_step);
}

static inline void set_own_inertia(struct tree_link *l)
{
    pair h = XY(l->hx);
    double mass = l->mass;
    l->ia.nn = l->inertia;
    l->ia.yy = mass;
    XY(l->ia.nx) = plane_turn(h);
    XY(l->ia.xx) = (pair){mass, 0};
}

/* Bias force of a link. */
static inline void start_own_force(struct tree_link *l)
{
    double square = l->turn = l->velocity.w * l->velocity.w;
    pair h = XY(l->hx);
    l->pa.n = 0;
    XY(l->pa.x) = -square * h;
}

/* Bias force of a link other than the root, and what the velocity adds to the acceleration of its
 * origin. */
static inline void start_forces(struct tree_link *l, int are_hinges)
{
    double w = l->up->velocity.w;
    pair b = -(w * w) * XY(l->rx);
    if (!are_hinges && l->is_linear)
        b += 2 * w * l->rate * plane_turn(XY(l->sx));
    start_own_force(l);
    if (!are_hinges && l->up->stretch)
        b += stretch_bias(l);
    if (!are_hinges && l->stretch)
        stretch_start_force(l);
    XY(l->bx) = b;
}

/* The drag of a link, whose velocity products are known. */
static void start_drag(struct tree *tree, struct tree_link *l, double gravity_m_s2,
                       double half_step, int are_hinges)
{
    const struct tree_link *p = l->up;
    l->bias = p ? (struct motion){0, p->bias.x + l->bx, p->bias.y + l->by}
                : (struct motion){0, -tree->gravity_x, gravity_m_s2};
    if (half_step > 0)
        drag_implicitly(l, half_step);
    else
        drag_explicitly(l);
    if (!are_hinges && l->stretch && half_step > 0)
        stretch_drag_implicitly(l, half_step);
    else if (!are_hinges && l->stretch)
        stretch_drag_explicitly(l);
}

/* A force and a tensor with what is x and y side by side, in registers; the tensor's forces for
 * accelerations along x are (xx, xy), along y (xy, yy). */
struct plane_force {
    double n;
    pair xy;
};
struct plane_tensor {
    double nn;
    pair n, x, y;
};

static inline struct plane_tensor load_tensor(const struct tensor *from)
{
    pair x = XY(from->xx);
    return (struct plane_tensor){from->nn, XY(from->nx), x, {x[1], from->yy}};
}

static inline void store_tensor(struct tensor *to, struct plane_tensor t)
{
    to->nn = t.nn;
    to->yy = t.y[1];
    XY(to->nx) = t.n;
    XY(to->xx) = t.x;
}

/* Takes a hinge's acceleration out of the link's inertia. */
static struct plane_tensor eliminate_hinge(struct tree_link *l, double extra)
{
    struct plane_tensor ia = load_tensor(&l->ia);
    double g = 1 / (ia.nn + extra), share = extra * g;
    pair u = ia.n * g;
    l->g = g;
    l->share = share;
    XY(l->kx) = ia.n;
    XY(l->ux) = u;
    return (struct plane_tensor){share * ia.nn, share * ia.n, ia.x - ia.n[0] * u,
                                 ia.y - ia.n * u[1]};
}

/* U and D of a linear joint, or of a stretch: what it is pushed with by the link's accelerations,
 * and what its own one takes. */
static inline struct tree_column freedom_of(const struct tree_link *l)
{
    const struct tensor *ia = &l->ia;
    if (!l->is_linear)
        return l->stretch->sum;
    double x = ia->xx * l->sx + ia->xy * l->sy, y = ia->xy * l->sx + ia->yy * l->sy;
    return (struct tree_column){ia->nx * l->sx + ia->ny * l->sy, x, y, x * l->sx + y * l->sy};
}

/* An inertia less the share n, x, y of it that yields along a freedom of column U. */
static inline struct tensor without_freedom(const struct tensor *ia, struct tree_column u, double n,
                                            double x, double y)
{
    return (struct tensor){.nn = ia->nn - u.n * n,
                           .nx = ia->nx - u.n * x,
                           .ny = ia->ny - u.n * y,
                           .xx = ia->xx - u.x * x,
                           .xy = ia->xy - u.x * y,
                           .yy = ia->yy - u.y * y};
}

static inline void eliminate_freedom(struct tree_link *l, double extra)
{
    struct tree_column u = freedom_of(l);
    double g = 1 / (u.d + extra);
    l->g = g;
    l->kn = u.n;
    l->kx = u.x;
    l->ky = u.y;
    l->ux = u.x * g;
    l->uy = u.y * g;
    l->un = u.n * g;
    l->handed = without_freedom(&l->ia, u, l->un, l->ux, l->uy);
}

/* Eliminates a joint whose acceleration is given. */
static inline void eliminate_driven(struct tree_link *l)
{
    l->handed = l->ia;
    l->un = l->ux = l->uy = 0;
    l->u = l->drive;
    l->share = 1;
}

/* All kinds of joints. */
static struct plane_tensor eliminate_joint(struct tree_link *l, double extra)
{
    if (l->is_driven)
        eliminate_driven(l);
    else if (l->is_linear || l->stretch)
        eliminate_freedom(l, extra);
    else
        return eliminate_hinge(l, extra);
    return load_tensor(&l->handed);
}

/* The force that a link hands on whose joint's acceleration is given. */
static struct plane_force force_driven(const struct tree_link *l)
{
    struct motion a = {1, 0, 0};
    if (l->is_linear)
        a = (struct motion){0, l->sx, l->sy};
    struct force f = tensor_times(&l->handed, a);
    return (struct plane_force){l->pa.n + f.n * l->drive,
                                {l->pa.x + f.x * l->drive, l->pa.y + f.y * l->drive}};
}

/* The joint's acceleration for what it carries, and the force that its link hands on. */
static inline struct plane_force eliminate_force(struct tree_link *l, double tau, int are_hinges)
{
    struct plane_force p;
    pair pa = XY(l->pa.x);
    if (!are_hinges && l->is_driven)
        return force_driven(l);
    if (!are_hinges && !tree_turns(l)) {
        double bias = l->stretch ? l->stretch->bias : plane_dot(pa, XY(l->sx));
        l->u = l->g * (tau - bias);
        p.n = l->pa.n + l->kn * l->u;
    } else {
        double u = tau - l->pa.n;
        l->u = l->g * u;
        p.n = tau - l->share * u;
    }
    p.xy = pa + XY(l->kx) * l->u;
    return p;
}

/* Adds to the parent's what a link hands on, about the link's origin, which is at r. */
static inline void hand_inertia_on(struct tree_link *parent, struct plane_tensor t, pair r)
{
    /* force at the link's origin as a function of the parent's accelerations */
    pair n = t.n + (t.y * r[0] - t.x * r[1]);
    parent->ia.nn += t.nn + plane_cross(r, n + t.n);
    parent->ia.yy += t.y[1];
    XY(parent->ia.nx) += n;
    XY(parent->ia.xx) += t.x;
}

static inline void hand_force_on(struct tree_link *parent, struct plane_tensor t, pair r, pair b,
                                 struct plane_force p)
{
    pair f = p.xy + (t.x * b[0] + t.y * b[1]);
    parent->pa.n += p.n + plane_dot(t.n, b) + plane_cross(r, f);
    XY(parent->pa.x) += f;
}

/* Two inertias side by side: as above, and of the plain mass matrix, whose factors impulses need at
 * the same pose. All but the servo's share is the same for both, so the second one costs next to
 * nothing. */
static inline void set_own_twins(struct tree_link *l)
{
    struct tensor_pair *t = &l->twins;
    pair mass = pair_of(l->mass);
    PAIR(t->nn, 0) = pair_of(l->inertia);
    PAIR(t->nx, 0) = pair_of(-l->hy);
    PAIR(t->ny, 0) = pair_of(l->hx);
    PAIR(t->xx, 0) = PAIR(t->yy, 0) = mass;
    PAIR(t->xy, 0) = pair_of(0);
}

/* Takes a hinge out of both, keeps the factors, and hands what is left on to the parent, the link's
 * origin being at r; returns the first. */
static inline struct plane_tensor eliminate_twins(struct tree_link *l, double extra, pair r)
{
    const struct tensor_pair *own = &l->twins;
    struct tensor_pair *parent = &l->up->twins;
    pair nn = PAIR(own->nn, 0), nx = PAIR(own->nx, 0), ny = PAIR(own->ny, 0);
    const pair e = {extra, 0}, rx = pair_of(r[0]), ry = pair_of(r[1]);
    pair g = 1 / (nn + e), ux = nx * g, uy = ny * g, share = e * g;
    pair xx = PAIR(own->xx, 0) - nx * ux, xy = PAIR(own->xy, 0) - nx * uy;
    pair yy = PAIR(own->yy, 0) - ny * uy;
    pair left_nn = share * nn, left_nx = share * nx, left_ny = share * ny;
    pair tx = left_nx + (xy * rx - xx * ry), ty = left_ny + (yy * rx - xy * ry);
    PAIR(parent->nn, 0) += left_nn + (rx * (ty + left_ny) - ry * (tx + left_nx));
    PAIR(parent->nx, 0) += tx;
    PAIR(parent->ny, 0) += ty;
    PAIR(parent->xx, 0) += xx;
    PAIR(parent->xy, 0) += xy;
    PAIR(parent->yy, 0) += yy;
    l->g = g[0];
    l->share = share[0];
    XY(l->kx) = (pair){nx[0], ny[0]};
    XY(l->ux) = (pair){ux[0], uy[0]};
    l->inverse = g[1];
    l->fn = 0;
    XY(l->fx) = (pair){ux[1], uy[1]};
    return (struct plane_tensor){
        left_nn[0], {left_nx[0], left_ny[0]}, {xx[0], xy[0]}, {xy[0], yy[0]}};
}

/* solver_init() of both. */
static void init_solvers(struct solver *first, struct solver *second, const struct tensor_pair *t)
{
    pair nn = PAIR(t->nn, 0), nx = PAIR(t->nx, 0), ny = PAIR(t->ny, 0);
    pair xx = PAIR(t->xx, 0), xy = PAIR(t->xy, 0), yy = PAIR(t->yy, 0);
    pair det = xx * yy - xy * xy, kx = yy * nx - xy * ny, ky = xx * ny - xy * nx;
    pair inverse_all = 1 / (nn * det - (nx * kx + ny * ky)), inverse_det = 1 / det;
    struct solver *both[2] = {first, second};
    for (int k = 0; k < 2; k++)
        *both[k] = (struct solver){.det = det[k],
                                   .inverse_det = inverse_det[k],
                                   .inverse_all = inverse_all[k],
                                   .kx = kx[k],
                                   .ky = ky[k],
                                   .t = {nn[k], nx[k], ny[k], xx[k], xy[k], yy[k]}};
}

/* A pass inward has inertias and forces; forces at the inertias of the last pass; or both inertias,
 * of hinges without drag. */
enum pass { PASS_WHOLE, PASS_FORCES, PASS_TWINS };

static inline void set_inertia(struct tree_link *l, enum pass pass, int are_hinges)
{
    if (pass == PASS_TWINS)
        set_own_twins(l);
    else if (pass == PASS_WHOLE)
        set_own_inertia(l);
    if (pass == PASS_WHOLE && !are_hinges && l->stretch)
        stretch_start_inertia(l);
}

/* Own inertia and bias force of each link, and the velocity products. */
ALWAYS_INLINE static inline void start_links(struct tree *tree, enum pass pass, int are_hinges)
{
    struct tree_link *links = tree->links;
    set_inertia(&links[0], pass, 1);
    start_own_force(&links[0]);
    for (int i = 1, count = tree->count; i < count; i++) {
        set_inertia(&links[i], pass, are_hinges);
        start_forces(&links[i], are_hinges);
    }
}

ALWAYS_INLINE static inline void fold_links(struct tree *tree, const double *tau,
                                            const double *extra, enum pass pass, int are_hinges)
{
    for (int k = tree->count - 1; k > 0; k--) {
        struct tree_link *l = tree->order[k];
        int i = l->index;
        pair r = XY(l->rx), b = XY(l->bx);
        double share = pass == PASS_TWINS || extra ? extra[2 + i] : 0;
        struct plane_tensor t;
        if (pass == PASS_TWINS)
            t = eliminate_twins(l, share, r);
        else if (pass == PASS_FORCES)
            t = load_tensor(&l->handed);
        else
            t = are_hinges ? eliminate_hinge(l, share) : eliminate_joint(l, share);
        struct plane_force p = eliminate_force(l, tau[2 + i], are_hinges);
        if (pass != PASS_FORCES)
            store_tensor(&l->handed, t);
        if (pass == PASS_WHOLE)
            hand_inertia_on(l->up, t, r);
        hand_force_on(l->up, t, r, b, p);
        if (are_hinges || !l->up->stretch)
            continue;
        if (pass == PASS_WHOLE)
            stretch_add_inertia(l, t.n, t.x, t.y);
        stretch_add_force(l, p.xy + (t.x * b[0] + t.y * b[1]));
    }
}

ALWAYS_INLINE static inline void start_and_fold(struct tree *tree, const double *tau,
                                                const double *extra, double gravity_m_s2,
                                                double half_step, int are_hinges)
{
    start_links(tree, PASS_WHOLE, are_hinges);
    for (int i = 0; i < tree->count && tree->has_drag; i++)
        start_drag(tree, &tree->links[i], gravity_m_s2, half_step, are_hinges);
    fold_links(tree, tau, extra, PASS_WHOLE, are_hinges);
}

ALWAYS_INLINE static inline void start_and_fold_forces(struct tree *tree, const double *tau,
                                                       int are_hinges)
{
    start_links(tree, PASS_FORCES, are_hinges);
    fold_links(tree, tau, NULL, PASS_FORCES, are_hinges);
}

/* All kinds of links. Never in line, as all that may find a stretch: the calls would cost those
 * that have none registers. */
static NEVER_INLINE void fold_all(struct tree *tree, const double *tau, const double *extra,
                                  double gravity_m_s2, double half_step)
{
    start_and_fold(tree, tau, extra, gravity_m_s2, half_step, 0);
}

static NEVER_INLINE void fold_all_forces(struct tree *tree, const double *tau)
{
    start_and_fold_forces(tree, tau, 0);
}

/* Accelerations from the root outward; with them the rates'. */
static inline void unfold_links(struct tree *tree, double *qdd, int are_hinges)
{
    struct tree_link **order = tree->order;
    for (int k = 1, count = tree->count; k < count; k++) {
        struct tree_link *l = order[k];
        int i = l->index;
        double wp = l->up->a.w, w = wp;
        pair a = XY(l->up->a.x) + (XY(l->bx) + wp * XY(l->across_x));
        if (!are_hinges && l->up->stretch)
            a += l->up->stretch->acceleration * XY(l->drift_x);
        double along = plane_dot(XY(l->ux), a);
        if (!are_hinges && !tree_turns(l)) {
            double rate = l->u - along - l->un * wp;
            qdd[2 + i] = rate;
            if (l->stretch)
                l->stretch->acceleration = rate;
            else
                a += rate * XY(l->sx);
        } else {
            w = l->u + l->share * wp - along;
            qdd[2 + i] = w - wp;
        }
        l->a.w = w;
        XY(l->a.x) = a;
    }
}

/* From the root's acceleration, for which its inertia is factored, to all rates. */
static void finish(struct tree *tree, double gravity_m_s2, double *qdd)
{
    struct tree_link *root = &tree->links[0];
    struct motion a = {0, -tree->gravity_x, gravity_m_s2}; /* of a fixed root: nothing */
    if (!tree->is_root_fixed)
        a = solver_solve(&tree->free_root, (struct force){-root->pa.n, -root->pa.x, -root->pa.y});
    root->a.w = a.w;
    XY(root->a.x) = (pair){a.x, a.y};
    qdd[0] = a.x + tree->gravity_x;
    qdd[1] = a.y - gravity_m_s2;
    qdd[2] = a.w;
    if (tree->are_hinges)
        unfold_links(tree, qdd, 1);
    else
        unfold_links(tree, qdd, 0);
}

void tree_accelerate(struct tree *tree, const double *tau, const double *extra, double gravity_m_s2,
                     double half_step, double *qdd)
{
    if (tree->are_hinges && half_step > 0 && !tree->has_drag) {
        start_links(tree, PASS_TWINS, 1);
        fold_links(tree, tau, extra, PASS_TWINS, 1);
        if (!tree->is_root_fixed)
            init_solvers(&tree->free_root, &tree->root, &tree->links[0].twins);
        tree->is_factored = 1;
    } else {
        extra = half_step > 0 ? extra : NULL;
        if (tree->are_hinges)
            start_and_fold(tree, tau, extra, gravity_m_s2, half_step, 1);
        else
            fold_all(tree, tau, extra, gravity_m_s2, half_step);
        if (!tree->is_root_fixed)
            solver_init(&tree->free_root, &tree->links[0].ia);
    }
    finish(tree, gravity_m_s2, qdd);
}

void tree_accelerate_again(struct tree *tree, const double *tau, double gravity_m_s2, double *qdd)
{
    if (tree->are_hinges)
        start_and_fold_forces(tree, tau, 1);
    else
        fold_all_forces(tree, tau);
    finish(tree, gravity_m_s2, qdd);
}

double tree_drive_effort(const struct tree *tree, int link)
{
    const struct tree_link *l = &tree->links[link];
    struct force f = tensor_times(&l->ia, l->a);
    return l->is_linear ? (f.x + l->pa.x) * l->sx + (f.y + l->pa.y) * l->sy : f.n + l->pa.n;
}

/* The mean velocity of a link over the step. */
static inline struct motion mean_velocity(const struct tree_link *l, double half_step)
{
    return (struct motion){l->start.w + half_step * l->a.w,
                           l->start.x + half_step * (l->a.x - l->bias.x),
                           l->start.y + half_step * (l->a.y - l->bias.y)};
}

/* Adds minus a force on a link to a sum, but for the moment; returns what it does at the
 * velocity. */
static inline double take_drag(struct force f, const struct motion *v, struct force *sum)
{
    sum->x -= f.x;
    sum->y -= f.y;
    return f.n * v->w + f.x * v->x + f.y * v->y;
}

/* The drag by the rates of the stretches, which the loop over all links leaves out. */
static NEVER_INLINE void find_stretch_drag(struct tree *tree, double half_step)
{
    for (int i = 0; i < tree->count; i++) {
        struct tree_link *l = &tree->links[i];
        struct tree_stretch *s = l->stretch;
        struct force f = {0, 0, 0};
        if (!s)
            continue;
        double on_stretch = stretch_drag_now(l, mean_velocity(l, half_step),
                                             s->start_rate + half_step * s->acceleration, &f);
        s->dragged = (struct tree_column){f.n, f.x, f.y, on_stretch};
    }
}

/* Its power at the rates given, of which `start` is the velocity; its force is added to the sum. */
static NEVER_INLINE double stretch_drag_power(const struct tree *tree, const double *qd,
                                              struct force *sum)
{
    double power = 0;
    for (int i = 0; i < tree->count; i++) {
        const struct tree_link *l = &tree->links[i];
        if (!l->stretch)
            continue;
        const struct tree_column *f = &l->stretch->dragged;
        sum->n -= f->n + l->px * f->y - l->py * f->x;
        power -= take_drag((struct force){f->n, f->x, f->y}, &l->start, sum) + f->d * qd[2 + i];
    }
    return power;
}

static inline double drag_power(struct tree *tree, const double *qd, double half_step,
                                struct force *sum, int are_hinges)
{
    double power = 0;
    for (int i = 0; i < tree->count; i++) {
        struct tree_link *l = &tree->links[i];
        struct force f = tensor_times(&l->world_drag, mean_velocity(l, half_step));
        /* velocity of the link for the given rates, reusing `start`: it is not needed any more */
        if (i == 0)
            tree_set_root_velocity(&l->start, qd);
        else
            tree_add_rate(l, i, &l->up->start, qd, &l->start, are_hinges);
        sum->n -= f.n + l->px * f.y - l->py * f.x;
        power -= take_drag(f, &l->start, sum);
    }
    return power;
}

double tree_drag_power(struct tree *tree, const double *qd, double half_step, struct force *sum)
{
    *sum = (struct force){0, 0, 0};
    if (tree->are_hinges)
        return drag_power(tree, qd, half_step, sum, 1);
    find_stretch_drag(tree, half_step);
    double power = drag_power(tree, qd, half_step, sum, 0);
    return power + stretch_drag_power(tree, qd, sum);
}

double tree_drag_power_now(const struct tree *tree, struct force *sum)
{
    double power = 0;
    *sum = (struct force){0, 0, 0};
    for (int i = 0; i < tree->count; i++) {
        const struct tree_link *l = &tree->links[i];
        sum->n -= l->drag_force.n + (l->px * l->drag_force.y - l->py * l->drag_force.x);
        power -= take_drag(l->drag_force, &l->velocity, sum);
        if (l->stretch)
            power -= l->stretch->drag_force * l->rate;
    }
    return power;
}

/* ---------------------------------------------------------------- factors for impulses */

/* Takes a joint out of the link's inertia; what is left. */
static struct plane_tensor factor_hinge(struct tree_link *l)
{
    struct plane_tensor ia = load_tensor(&l->ia);
    double inverse = 1 / ia.nn;
    pair f = ia.n * inverse;
    l->inverse = inverse;
    l->fn = 0;
    XY(l->fx) = f;
    return (struct plane_tensor){0, {0, 0}, ia.x - ia.n[0] * f, ia.y - ia.n * f[1]};
}

static struct plane_tensor factor_freedom(struct tree_link *l)
{
    struct tree_column u = freedom_of(l);
    l->inverse = 1 / u.d;
    l->fx = u.x * l->inverse;
    l->fy = u.y * l->inverse;
    l->fn = u.n * l->inverse;
    struct tensor left = without_freedom(&l->ia, u, l->fn, l->fx, l->fy);
    return load_tensor(&left);
}

static struct plane_tensor factor_joint(struct tree_link *l)
{
    if (!l->is_driven)
        return l->is_linear || l->stretch ? factor_freedom(l) : factor_hinge(l);
    l->inverse = l->fn = l->fx = l->fy = 0;
    return load_tensor(&l->ia);
}

void tree_factor(struct tree *tree)
{
    if (tree->is_factored)
        return;
    for (int i = 0; i < tree->count; i++) {
        set_own_inertia(&tree->links[i]);
        if (tree->links[i].stretch)
            stretch_start_inertia(&tree->links[i]);
    }
    for (int k = tree->count - 1; k > 0; k--) {
        struct tree_link *l = tree->order[k];
        struct plane_tensor t = factor_joint(l);
        hand_inertia_on(l->up, t, XY(l->rx));
        if (l->up->stretch)
            stretch_add_inertia(l, t.n, t.x, t.y);
    }
    if (!tree->is_root_fixed)
        solver_init(&tree->root, &tree->links[0].ia);
}

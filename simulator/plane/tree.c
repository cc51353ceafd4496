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
 * which the implicit drag needs: with start + h/2 a instead, drag would be first order only.
 *
 * Two numbers go side by side (pair.h): x and y of plane vectors and columns of tensors; both rows of a contact
 * on their way down; and two inertias of each link, with implicit servos and without. Where it pays, loops
 * are made twice, once for trees of free hinges alone (are_hinges), in which nothing is asked about joints. */
#include "simulator/plane/tree.h"

#include <math.h>

#include "common/detmath.h"
#include "common/error.h"
#include "simulator/plane/pair.h"
#include "simulator/plane/turn.h"

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

/* The order in which passes go outward, and back inward: all links of a depth before the next ones', so that
 * limbs, whose chains of operations do not wait for one another, are worked on at the same time. Within a
 * depth the order is that of the links, so that sums over a parent's children are the same. */
static void order_links(struct tree *tree)
{
    int placed = 0;
    for (int depth = 0; placed < tree->count; depth++)
        for (int i = 0; i < tree->count; i++) {
            int at = 0;
            for (const struct tree_link *l = &tree->links[i]; l->up; l = l->up)
                at++;
            if (at == depth)
                tree->order[placed++] = &tree->links[i];
        }
}

int tree_create(struct tree *tree, const struct phenotype *phenotype, double viscosity_pa_s,
                struct arena *arena)
{
    *tree = (struct tree){.count = phenotype->link_count,
                          .dof = 2 + phenotype->link_count,
                          .is_root_fixed = phenotype->is_root_fixed};
    size_t count = (size_t)tree->count, even = (count + 1) & ~(size_t)1;
    tree->links = arena_take(arena, count, sizeof tree->links[0]);
    tree->order = arena_take(arena, count, sizeof tree->order[0]);
    /* six vectors in a block */
    tree->angle = arena_take(arena, 6 * even, sizeof(double));
    tree->parents = arena_take(arena, count, sizeof tree->parents[0]);
    tree->change = arena_take(arena, count, sizeof tree->change[0]);
    if (!tree->links || !tree->order || !tree->angle || !tree->parents || !tree->change)
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
        to->index = i;
        to->parent = tree->parents[i] = from->parent;
        to->up = i > 0 ? &tree->links[from->parent] : NULL;
        to->is_linear = from->joint_kind == LINK_LINEAR;
        to->joint_x = from->joint.x;
        to->joint_y = from->joint.y;
        XY(to->joint_across_x) = plane_turn(XY(to->joint_x));
        to->axis_x = from->axis.x;
        to->axis_y = from->axis.y;
        to->centre_x = x;
        to->centre_y = y;
        to->mass = from->mass_kg;
        to->moment_x = from->mass_kg * x;
        to->moment_y = from->mass_kg * y;
        XY(to->moment_across_x) = plane_turn(XY(to->moment_x));
        to->own_inertia = from->inertia_kg_m2;
        to->inertia = from->inertia_kg_m2 + from->mass_kg * (x * x + y * y);
        tree->mass += from->mass_kg;
    }
    tree_set_viscosity(tree, phenotype, viscosity_pa_s);
    tree_set_driven(tree, 0, 0);
    order_links(tree);
    return 0;
}

void tree_set_driven(struct tree *tree, int link, int is_driven)
{
    tree->links[link].is_driven = is_driven;
    tree->are_hinges = 1;
    for (int i = 1; i < tree->count; i++)
        tree->are_hinges &= !tree->links[i].is_linear && !tree->links[i].is_driven;
}

/* ---------------------------------------------------------------- pose and velocity */

/* The way from the parent's origin to the own. */
static inline void set_way(struct tree_link *l, const struct tree_link *p, pair r)
{
    XY(l->rx) = r;
    XY(l->across_x) = plane_turn(r);
    XY(l->px) = XY(p->px) + r;
}

static inline void place_hinge(struct tree_link *l, const struct tree_link *p)
{
    set_way(l, p, p->cos * XY(l->joint_x) + p->sin * XY(l->joint_across_x));
}

/* With the axis, and the joint pulled out along it by q. */
static void place_slide(struct tree_link *l, const struct tree_link *p, double q)
{
    pair axis = XY(l->axis_x), joint = XY(l->joint_x) + axis * q;
    XY(l->sx) = p->cos * axis + p->sin * plane_turn(axis);
    set_way(l, p, p->cos * joint + p->sin * plane_turn(joint));
}

/* What follows from a link's angle alone. */
static inline void turn_link(struct tree_link *l, double angle, double s, double c)
{
    pair h = c * XY(l->moment_x) + s * XY(l->moment_across_x);
    l->angle = angle;
    l->sin = s;
    l->cos = c;
    XY(l->hx) = h;
}

static inline void set_root(struct tree *tree, const double *q)
{
    tree->is_factored = 0;
    tree->root_x = q[0];
    tree->root_y = q[1];
}

static inline void set_angles(struct tree *tree, const double *q)
{
    const int *parents = tree->parents;
    double *angle = tree->angle;
    set_root(tree, q);
    angle[0] = q[2];
    if (tree->are_hinges)
        for (int i = 1, count = tree->count; i < count; i++)
            angle[i] = angle[parents[i]] + q[2 + i];
    else
        for (int i = 1; i < tree->count; i++)
            angle[i] = angle[parents[i]] + (tree->links[i].is_linear ? 0 : q[2 + i]);
}

/* The links, which have their sines. */
static inline void place_links_as(struct tree *tree, const double *q, int are_hinges)
{
    struct tree_link *links = tree->links;
    const double *angle = tree->angle, *sine = tree->sine, *cosine = tree->cosine;
    turn_link(&links[0], angle[0], sine[0], cosine[0]);
    for (int i = 1, count = tree->count; i < count; i++) {
        struct tree_link *l = &links[i];
        turn_link(l, angle[i], sine[i], cosine[i]);
        if (!are_hinges && l->is_linear)
            place_slide(l, l->up, q[2 + i]);
        else
            place_hinge(l, l->up);
    }
}

static void place_links(struct tree *tree, const double *q)
{
    if (tree->are_hinges)
        place_links_as(tree, q, 1);
    else
        place_links_as(tree, q, 0);
}

void tree_check(const struct tree *tree)
{
    double mass = 0;
    ENSURE(tree->dof == 2 + tree->count, "%d degrees of freedom of %d links", tree->dof,
           tree->count);
    ENSURE(tree->order[0] == &tree->links[0], "the root is not the first link");
    for (int i = 0; i < tree->count; i++) {
        const struct tree_link *l = &tree->links[i], *up = i > 0 ? &tree->links[l->parent] : NULL;
        ENSURE(l->index == i, "link %d is number %d", i, l->index);
        ENSURE(i == 0 || (l->parent >= 0 && l->parent < i && l->up == up),
               "link %d hangs on link %d", i, l->parent);
        double size = l->cos * l->cos + l->sin * l->sin;
        ENSURE(!(fabs(size - 1) > 1e-9), "link %d turned to a direction of length^2 %g", i, size);
        mass += l->mass;
    }
    /* of one link it may be negative: scenes move mass from one side of a hinge to the other */
    ENSURE(!(mass < 0) && !(fabs(mass - tree->mass) > 1e-9 * mass),
           "a mass of %g kg, of the links %g kg", tree->mass, mass);
}

void tree_set_pose(struct tree *tree, const double *q)
{
    set_angles(tree, q);
    det_sincos_all(tree->angle, tree->count, tree->sine, tree->cosine);
    place_links(tree, q);
    CHECK_DEARLY(tree_check(tree));
}

void tree_forget_turns(struct tree *tree)
{
    tree->has_base = 0;
}

/* Two links begin to turn from where they are. */
static void renew_base(struct tree *tree, int i)
{
    det_sincos_all(tree->angle + i, 2, tree->base_sine + i, tree->base_cosine + i);
    PAIR(tree->base_angle, i) = PAIR(tree->angle, i);
    PAIR(tree->sine, i) = PAIR(tree->base_sine, i);
    PAIR(tree->cosine, i) = PAIR(tree->base_cosine, i);
}

/* Whether one of two links has turned too far from its base. */
static inline pair_bits are_far(const double *angle, const double *base, int i)
{
    pair turn = SINGLES(angle, i) - PAIR(base, i);
    return pair_is_less(pair_of(TURN_MAX_RAD * TURN_MAX_RAD), turn * turn);
}

static void renew_bases(struct tree *tree)
{
    for (int i = 0; i < tree->count; i += 2) {
        pair_bits is_far = are_far(tree->angle, tree->base_angle, i);
        if (!tree->has_base || pair_mask(is_far))
            renew_base(tree, i);
    }
    tree->has_base = 1;
}

/* Angles, sines and cosines. */
static inline void turn_angles(struct tree *tree, const double *q)
{
    const double *angle = tree->angle, *base = tree->base_angle;
    const double *base_sine = tree->base_sine, *base_cosine = tree->base_cosine;
    double *sine = tree->sine, *cosine = tree->cosine;
    pair_bits is_far = {0, 0};
    set_angles(tree, q);
    for (int i = 0, count = tree->count; i < count; i += 2) {
        pair turn = SINGLES(angle, i) - PAIR(base, i), square = turn * turn, s, c;
        pair sin = PAIR(base_sine, i), cos = PAIR(base_cosine, i);
        turn_sines(turn, square, &s, &c);
        is_far |= pair_is_less(pair_of(TURN_MAX_RAD * TURN_MAX_RAD), square);
        PAIR(sine, i) = sin * c + cos * s;
        PAIR(cosine, i) = cos * c - sin * s;
    }
    if (!tree->has_base || pair_mask(is_far))
        renew_bases(tree);
}

static inline void set_root_velocity(struct motion *v, const double *qd)
{
    v->w = qd[2];
    XY(v->x) = PAIR(qd, 0);
}

/* The velocity of a link's origin, its parent moving with p and its joint at a rate. */
static inline void add_rate(const struct tree_link *l, const struct motion *p, double rate,
                            struct motion *v, int are_hinges)
{
    double w = p->w;
    pair xy = XY(p->x) + w * XY(l->across_x);
    if (!are_hinges && l->is_linear)
        xy += rate * XY(l->sx);
    else
        w += rate;
    v->w = w;
    XY(v->x) = xy;
}

static inline void set_velocity(struct tree *tree, const double *qd, int are_hinges)
{
    struct tree_link *links = tree->links;
    set_root_velocity(&links[0].velocity, qd);
    for (int i = 1, count = tree->count; i < count; i++) {
        struct tree_link *l = &links[i];
        if (!are_hinges)
            l->rate = qd[2 + i];
        add_rate(l, &l->up->velocity, qd[2 + i], &l->velocity, are_hinges);
    }
}

void tree_set_velocity(struct tree *tree, const double *qd)
{
    if (tree->are_hinges)
        set_velocity(tree, qd, 1);
    else
        set_velocity(tree, qd, 0);
}

/* Sums over links: mass times place, momentum, and what about the root's origin makes up angular momentum and
 * inertia. */
struct bulk_sum {
    pair moment, momentum, twist, square;
    double spin, inertia;
};

static inline void add_to_bulk(struct bulk_sum *sum, const struct tree_link *l)
{
    double w = l->velocity.w, mass = l->mass;
    pair at = XY(l->px), h = XY(l->hx), velocity = XY(l->velocity.x), way = mass * at;
    pair p = mass * velocity + w * plane_turn(h);
    sum->moment += way + h;
    sum->momentum += p;
    sum->twist += h * pair_swap(velocity) + at * pair_swap(p);
    sum->square += at * (way + 2 * h);
    sum->spin += l->inertia * w;
    sum->inertia += l->inertia;
}

static struct tree_bulk finish_bulk(const struct bulk_sum *sum, double mass)
{
    double share = 1 / mass;
    pair centre = share * sum->moment, velocity = share * sum->momentum;
    return (struct tree_bulk){
        .centre_x = centre[0],
        .centre_y = centre[1],
        .velocity_x = velocity[0],
        .velocity_y = velocity[1],
        .spin = sum->spin + (sum->twist[0] - sum->twist[1]) - plane_cross(centre, sum->momentum),
        .inertia = sum->inertia + pair_sum(sum->square) - plane_dot(centre, sum->moment)};
}

/* Places the links, which have their sines, and moves them; adds them to the sum, unless that is NULL. */
__attribute__((always_inline)) static inline void move_links(struct tree *tree, const double *q,
                                                             const double *qd, int are_hinges,
                                                             struct bulk_sum *sum)
{
    struct tree_link *links = tree->links;
    const double *angle = tree->angle, *sine = tree->sine, *cosine = tree->cosine;
    turn_link(&links[0], angle[0], sine[0], cosine[0]);
    set_root_velocity(&links[0].velocity, qd);
    if (sum)
        add_to_bulk(sum, &links[0]);
    for (int i = 1, count = tree->count; i < count; i++) {
        struct tree_link *l = &links[i];
        turn_link(l, angle[i], sine[i], cosine[i]);
        if (!are_hinges && l->is_linear)
            place_slide(l, l->up, q[2 + i]);
        else
            place_hinge(l, l->up);
        if (!are_hinges)
            l->rate = qd[2 + i];
        add_rate(l, &l->up->velocity, qd[2 + i], &l->velocity, are_hinges);
        if (sum)
            add_to_bulk(sum, l);
    }
}

void tree_place_hinges(struct tree *tree, const double *q, const double *qd)
{
    set_root(tree, q);
    move_links(tree, q, qd, 1, NULL);
}

void tree_turn(struct tree *tree, const double *q, const double *qd)
{
    turn_angles(tree, q);
    if (tree->are_hinges)
        move_links(tree, q, qd, 1, NULL);
    else
        move_links(tree, q, qd, 0, NULL);
}

struct tree_bulk tree_move(struct tree *tree, const double *q, const double *qd)
{
    struct bulk_sum sum = {.spin = 0};
    turn_angles(tree, q);
    if (tree->are_hinges)
        move_links(tree, q, qd, 1, &sum);
    else
        move_links(tree, q, qd, 0, &sum);
    return finish_bulk(&sum, tree->mass);
}

void tree_set_start_velocity(struct tree *tree, const double *qd)
{
    struct tree_link *links = tree->links;
    set_root_velocity(&links[0].start, qd);
    for (int i = 1; i < tree->count; i++)
        add_rate(&links[i], &links[i].up->start, qd[2 + i], &links[i].start, 0);
}

/* ---------------------------------------------------------------- accelerations */

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
    double square = l->velocity.w * l->velocity.w;
    pair h = XY(l->hx);
    l->pa.n = 0;
    XY(l->pa.x) = -square * h;
}

/* The same of all but the root, and what the velocity adds to the acceleration of its origin. */
static inline void start_forces(struct tree_link *l, int are_hinges)
{
    double w = l->up->velocity.w;
    pair b = -(w * w) * XY(l->rx);
    if (!are_hinges && l->is_linear)
        b += 2 * w * l->rate * plane_turn(XY(l->sx));
    start_own_force(l);
    XY(l->bx) = b;
}

/* The drag of a link, whose velocity products are known. */
static void start_drag(struct tree *tree, struct tree_link *l, double gravity_m_s2,
                       double half_step)
{
    const struct tree_link *p = l->up;
    l->bias = p ? (struct motion){0, p->bias.x + l->bx, p->bias.y + l->by}
                : (struct motion){0, -tree->gravity_x, gravity_m_s2};
    if (half_step > 0)
        drag_implicitly(l, half_step);
    else
        drag_explicitly(l);
}

/* Own inertia and bias force of each link, and the velocity products. */
static void start_links(struct tree *tree, double gravity_m_s2, double half_step)
{
    struct tree_link *links = tree->links;
    set_own_inertia(&links[0]);
    start_own_force(&links[0]);
    for (int i = 1, count = tree->count; i < count; i++) {
        set_own_inertia(&links[i]);
        start_forces(&links[i], 0);
    }
    for (int i = 0; i < tree->count && tree->has_drag; i++)
        start_drag(tree, &links[i], gravity_m_s2, half_step);
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

/* All kinds of joints. */
static struct plane_tensor eliminate_joint(struct tree_link *l, double extra)
{
    if (l->is_driven)
        eliminate_driven(l);
    else if (l->is_linear)
        eliminate_slide(l, extra);
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
    if (!are_hinges && l->is_linear) {
        l->u = l->g * (tau - plane_dot(pa, XY(l->sx)));
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

/* Two inertias side by side: as above, and of the plain mass matrix, whose factors impulses need at the same
 * pose. All but the servo's share is the same for both, so the second one comes nearly for nothing. */
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

/* Takes a hinge out of both, keeps the factors, and hands what is left on to the parent, the link's origin
 * being at r; returns the first. */
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

static void fold_links(struct tree *tree, const double *tau, const double *extra)
{
    for (int k = tree->count - 1; k > 0; k--) {
        struct tree_link *l = tree->order[k];
        int i = l->index;
        pair r = XY(l->rx), b = XY(l->bx);
        struct plane_tensor t = eliminate_joint(l, extra ? extra[2 + i] : 0);
        struct plane_force p = eliminate_force(l, tau[2 + i], 0);
        store_tensor(&l->handed, t);
        hand_inertia_on(l->up, t, r);
        hand_force_on(l->up, t, r, b, p);
    }
}

/* The forces alone. */
static inline void fold_forces(struct tree *tree, const double *tau, int are_hinges)
{
    for (int k = tree->count - 1; k > 0; k--) {
        struct tree_link *l = tree->order[k];
        pair r = XY(l->rx), b = XY(l->bx);
        struct plane_force p = eliminate_force(l, tau[2 + l->index], are_hinges);
        hand_force_on(l->up, load_tensor(&l->handed), r, b, p);
    }
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
        double along = plane_dot(XY(l->ux), a);
        if (!are_hinges && l->is_linear) {
            double rate = l->u - along - l->un * wp;
            qdd[2 + i] = rate;
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

static void start_hinges(struct tree *tree)
{
    struct tree_link *links = tree->links;
    set_own_twins(&links[0]);
    start_own_force(&links[0]);
    for (int i = 1, count = tree->count; i < count; i++) {
        set_own_twins(&links[i]);
        start_forces(&links[i], 1);
    }
}

static void fold_hinges(struct tree *tree, const double *tau, const double *extra)
{
    for (int k = tree->count - 1; k > 0; k--) {
        struct tree_link *l = tree->order[k];
        int i = l->index;
        pair r = XY(l->rx), b = XY(l->bx);
        struct plane_tensor t = eliminate_twins(l, extra[2 + i], r);
        struct plane_force p = eliminate_force(l, tau[2 + i], 1);
        store_tensor(&l->handed, t);
        hand_force_on(l->up, t, r, b, p);
    }
}

void tree_accelerate(struct tree *tree, const double *tau, const double *extra, double gravity_m_s2,
                     double half_step, double *qdd)
{
    if (tree->are_hinges && half_step > 0 && !tree->has_drag) {
        start_hinges(tree);
        fold_hinges(tree, tau, extra);
        if (!tree->is_root_fixed)
            init_solvers(&tree->free_root, &tree->root, &tree->links[0].twins);
        tree->is_factored = 1;
    } else {
        start_links(tree, gravity_m_s2, half_step);
        fold_links(tree, tau, half_step > 0 ? extra : NULL);
        if (!tree->is_root_fixed)
            solver_init(&tree->free_root, &tree->links[0].ia);
    }
    finish(tree, gravity_m_s2, qdd);
}

static inline void start_forces_again(struct tree *tree, int are_hinges)
{
    start_own_force(&tree->links[0]);
    for (int i = 1, count = tree->count; i < count; i++)
        start_forces(&tree->links[i], are_hinges);
}

void tree_accelerate_again(struct tree *tree, const double *tau, double gravity_m_s2, double *qdd)
{
    if (tree->are_hinges) {
        start_forces_again(tree, 1);
        fold_forces(tree, tau, 1);
    } else {
        start_forces_again(tree, 0);
        fold_forces(tree, tau, 0);
    }
    finish(tree, gravity_m_s2, qdd);
}

double tree_drive_effort(const struct tree *tree, int link)
{
    const struct tree_link *l = &tree->links[link];
    struct force f = tensor_times(&l->ia, l->a);
    return l->is_linear ? (f.x + l->pa.x) * l->sx + (f.y + l->pa.y) * l->sy : f.n + l->pa.n;
}

double tree_drag_power(struct tree *tree, const double *qd, double half_step, struct force *sum)
{
    double power = 0;
    *sum = (struct force){0, 0, 0};
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
        if (i == 0)
            set_root_velocity(&l->start, qd);
        else
            add_rate(l, &l->up->start, qd[2 + i], &l->start, 0);
        sum->n -= f.n + l->px * f.y - l->py * f.x;
        sum->x -= f.x;
        sum->y -= f.y;
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

static struct plane_tensor factor_slide(struct tree_link *l)
{
    struct tensor t = l->ia;
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
    return load_tensor(&t);
}

static struct plane_tensor factor_driven(struct tree_link *l)
{
    l->inverse = l->fn = l->fx = l->fy = 0;
    return load_tensor(&l->ia);
}

static struct plane_tensor factor_joint(struct tree_link *l)
{
    return l->is_driven ? factor_driven(l) : l->is_linear ? factor_slide(l) : factor_hinge(l);
}

void tree_factor(struct tree *tree)
{
    if (tree->is_factored)
        return;
    for (int i = 0; i < tree->count; i++)
        set_own_inertia(&tree->links[i]);
    for (int k = tree->count - 1; k > 0; k--) {
        struct tree_link *l = tree->order[k];
        hand_inertia_on(l->up, factor_joint(l), XY(l->rx));
    }
    if (!tree->is_root_fixed)
        solver_init(&tree->root, &tree->links[0].ia);
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

int tree_create_rows(const struct tree *tree, struct tree_rows *rows, int count,
                     struct arena *arena)
{
    size_t stride = ((size_t)tree->count + 1) & ~(size_t)1, even = ((size_t)count + 2) & ~(size_t)1;
    double *shares = arena_take(arena, 2 * even * stride, sizeof(double));
    double *roots = arena_take(arena, 6 * even, sizeof(double));
    if (!shares || !roots)
        return ERR_MEMORY;
    *rows = (struct tree_rows){.stride = (int)stride,
                               .shares = shares,
                               .rates = shares + even * stride,
                               .n = roots,
                               .x = roots + even,
                               .y = roots + 2 * even,
                               .response_w = roots + 3 * even,
                               .response_x = roots + 4 * even,
                               .response_y = roots + 5 * even};
    return 0;
}

void tree_clear_rows(struct tree_rows *rows, int count)
{
    double *shares = rows->shares, *rates = rows->rates;
    for (int i = 0, end = (count + 1) / 2 * 2 * rows->stride; i < end; i++)
        shares[i] = rates[i] = 0;
    rows->n[count] = rows->x[count] = rows->y[count] = 0;
    rows->response_w[count] = rows->response_x[count] = rows->response_y[count] = 0;
}

void tree_leave_rows(struct tree_rows *rows, int row, int count)
{
    for (int i = row; i < row + count; i++) {
        rows->n[i] = rows->x[i] = rows->y[i] = 0;
        rows->response_w[i] = rows->response_x[i] = rows->response_y[i] = 0;
    }
}

/* Two impulses side by side, and two motions. */
struct two_forces {
    pair n, x, y;
};
struct two_motions {
    pair w, x, y;
};

static inline struct two_forces load_forces(const struct force_pair *f)
{
    return (struct two_forces){PAIR(f->n, 0), PAIR(f->x, 0), PAIR(f->y, 0)};
}

static inline struct two_forces add_forces(struct two_forces f, struct two_forces g)
{
    return (struct two_forces){f.n + g.n, f.x + g.x, f.y + g.y};
}

/* As solver_solve(). */
static inline struct two_motions solve_two(const struct solver *s, struct two_forces f)
{
    const struct tensor *t = &s->t;
    pair w = (f.n * s->det - (f.x * s->kx + f.y * s->ky)) * s->inverse_all;
    pair x = f.x - t->nx * w, y = f.y - t->ny * w;
    return (struct two_motions){w, (t->yy * x - t->xy * y) * s->inverse_det,
                                (t->xx * y - t->xy * x) * s->inverse_det};
}

/* As pass_joint(). */
static inline struct two_forces pass_joint_two(const struct tree_link *l, struct two_forces f,
                                               pair *share, int are_hinges)
{
    if (are_hinges || (!l->is_linear && !l->is_driven)) {
        *share = f.n;
        f.x -= l->fx * f.n;
        f.y -= l->fy * f.n;
        f.n = l->rx * f.y - l->ry * f.x;
        return f;
    }
    double taken[2];
    for (int k = 0; k < 2; k++) {
        struct force one = pass_joint(l, (struct force){f.n[k], f.x[k], f.y[k]}, &taken[k]);
        f.n[k] = one.n;
        f.x[k] = one.x;
        f.y[k] = one.y;
    }
    *share = (pair){taken[0], taken[1]};
    return f;
}

/* Past a joint, of which the shares and rates of both rows are kept at `row`; returns the next one on the way. */
static inline int carry_past(const struct tree *tree, int at, struct two_forces *f, double *shares,
                             double *rates, int stride, int are_hinges)
{
    const struct tree_link *l = &tree->links[at];
    int next = l->parent;
    pair share, inverse = pair_of(l->inverse);
    *f = pass_joint_two(l, *f, &share, are_hinges);
    pair rate = share * inverse;
    shares[at] = share[0];
    shares[stride + at] = share[1];
    rates[at] = rate[0];
    rates[stride + at] = rate[1];
    return next;
}

/* Down to the root, as one from where the ways of both links meet. */
static inline struct two_forces carry_down(const struct tree *tree, int a, struct two_forces f,
                                           int b, struct two_forces g, const struct tree_rows *rows,
                                           int row, int are_hinges)
{
    int stride = rows->stride;
    double *shares = rows->shares + row * stride, *rates = rows->rates + row * stride;
    while (a != b)
        if (a > b)
            a = carry_past(tree, a, &f, shares, rates, stride, are_hinges);
        else
            b = carry_past(tree, b, &g, shares, rates, stride, are_hinges);
    if (a > 0) {
        f = add_forces(f, g);
        g = (struct two_forces){pair_of(0), pair_of(0), pair_of(0)};
    }
    while (a > 0)
        a = carry_past(tree, a, &f, shares, rates, stride, are_hinges);
    return add_forces(f, g);
}

void tree_carry(const struct tree *tree, int a, const struct force_pair *on_a, int b,
                const struct force_pair *on_b, struct tree_rows *rows, int row)
{
    static const struct force_pair none;
    struct two_forces f = load_forces(on_a), g = load_forces(b < 0 ? &none : on_b);
    struct two_motions v = {pair_of(0), pair_of(0), pair_of(0)};
    b = b < 0 ? 0 : b;
    if (tree->are_hinges)
        f = carry_down(tree, a, f, b, g, rows, row, 1);
    else
        f = carry_down(tree, a, f, b, g, rows, row, 0);
    if (!tree->is_root_fixed)
        v = solve_two(&tree->root, f);
    PAIR(rows->n, row) = f.n;
    PAIR(rows->x, row) = f.x;
    PAIR(rows->y, row) = f.y;
    PAIR(rows->response_w, row) = v.w;
    PAIR(rows->response_x, row) = v.x;
    PAIR(rows->response_y, row) = v.y;
}

static inline void keep_share(const struct tree *tree, struct tree_rows *rows, int row, int at,
                              double share)
{
    rows->shares[row * rows->stride + at] = share;
    rows->rates[row * rows->stride + at] = share * tree->links[at].inverse;
}

void tree_carry_joint(const struct tree *tree, int joint, double sign, struct tree_rows *rows,
                      int row)
{
    /* +1 on the link, -1 on its parent: the joint's own share is all of it */
    const struct tree_link *l = &tree->links[joint];
    keep_share(tree, rows, row, joint, sign);
    struct force f = {-sign, -l->fx * sign, -l->fy * sign};
    if (l->is_linear || l->is_driven)
        f.n = -l->fn * sign;
    f.n += l->rx * f.y - l->ry * f.x;
    for (int at = l->parent; at > 0; at = tree->links[at].parent) {
        double share;
        f = pass_joint(&tree->links[at], f, &share);
        keep_share(tree, rows, row, at, share);
    }
    struct motion v = {0, 0, 0};
    if (!tree->is_root_fixed)
        v = solver_solve(&tree->root, f);
    rows->n[row] = f.n;
    rows->x[row] = f.x;
    rows->y[row] = f.y;
    rows->response_w[row] = v.w;
    rows->response_x[row] = v.x;
    rows->response_y[row] = v.y;
}

/* The couplings of two rows with two others. Sums over the joints are those over even and over odd places
 * first. */
struct couplings {
    pair first, second;
};

static inline struct couplings couple_two(const struct tree_rows *rows, int row, int other,
                                          int halves)
{
    int stride = rows->stride;
    const double *shares = rows->shares + row * stride, *rates = rows->rates + other * stride;
    pair a = {0, 0}, b = {0, 0}, c = {0, 0}, d = {0, 0};
    for (int i = 0; i < 2 * halves; i += 2) {
        pair share = PAIR(shares, i), next_share = PAIR(shares, stride + i);
        pair rate = PAIR(rates, i), next_rate = PAIR(rates, stride + i);
        a += share * rate;
        b += share * next_rate;
        c += next_share * rate;
        d += next_share * next_rate;
    }
    const double *n = rows->n + row, *x = rows->x + row, *y = rows->y + row;
    pair rw = PAIR(rows->response_w, other), rx = PAIR(rows->response_x, other),
         ry = PAIR(rows->response_y, other);
    pair first = n[0] * rw + x[0] * rx + y[0] * ry, second = n[1] * rw + x[1] * rx + y[1] * ry;
    return (struct couplings){first + ((pair){a[0], b[0]} + (pair){a[1], b[1]}),
                              second + ((pair){c[0], d[0]} + (pair){c[1], d[1]})};
}

/* The lower half, and its mirror image. Always in line, so that sums of common lengths, 2 * halves, are code
 * without loops. */
__attribute__((always_inline)) static inline void couple_rows(const struct tree_rows *rows,
                                                              int count, int stride, double *to,
                                                              int halves)
{
    for (int row = 0; row < count; row += 2) {
        double *line = to + row * stride;
        for (int other = 0; other <= row; other += 2) {
            struct couplings c = couple_two(rows, row, other, halves);
            double *mirror = to + other * stride + row;
            PAIR(line, other) = c.first;
            PAIR(line, stride + other) = c.second;
            PAIR(mirror, 0) = (pair){c.first[0], c.second[0]};
            if (other < row)
                PAIR(mirror, stride) = (pair){c.first[1], c.second[1]};
        }
    }
}

void tree_couple(const struct tree *tree, const struct tree_rows *rows, int count, int stride,
                 double *couplings)
{
    int halves = (tree->count + 1) / 2;
    switch (halves) {
    case 2:
        couple_rows(rows, count, stride, couplings, 2);
        break;
    case 3:
        couple_rows(rows, count, stride, couplings, 3);
        break;
    case 4:
        couple_rows(rows, count, stride, couplings, 4);
        break;
    case 5:
        couple_rows(rows, count, stride, couplings, 5);
        break;
    case 6:
        couple_rows(rows, count, stride, couplings, 6);
        break;
    default:
        couple_rows(rows, count, stride, couplings, halves);
    }
}

double tree_joint_mobility(const struct tree *tree, int joint, struct tree_rows *rows)
{
    double couplings[4];
    tree_clear_rows(rows, 1);
    tree_carry_joint(tree, joint, 1, rows, 0);
    tree_couple(tree, rows, 1, 2, couplings);
    return couplings[0];
}

static inline void respond_links(const struct tree *tree, const double *shares, double *dqd,
                                 int are_hinges)
{
    struct motion *change = tree->change;
    for (int k = 1, count = tree->count; k < count; k++) {
        const struct tree_link *l = tree->order[k];
        const struct motion *p = &change[l->parent];
        int i = l->index;
        double wp = p->w, w = wp;
        pair xy = XY(p->x) + wp * XY(l->across_x);
        double rate = shares[i] * l->inverse - plane_dot(XY(l->fx), xy);
        if (are_hinges || !l->is_linear) {
            rate -= are_hinges || !l->is_driven ? wp : 0;
            w += rate;
        } else {
            rate -= l->is_driven ? 0 : l->fn * wp;
            xy += rate * XY(l->sx);
        }
        dqd[2 + i] = rate;
        change[i].w = w;
        XY(change[i].x) = xy;
    }
}

void tree_respond(const struct tree *tree, const double *shares, struct force root, double *dqd)
{
    struct motion *change = tree->change;
    struct motion first = {0, 0, 0};
    if (!tree->is_root_fixed)
        first = solver_solve(&tree->root, root);
    change[0].w = first.w;
    XY(change[0].x) = (pair){first.x, first.y};
    dqd[0] = first.x;
    dqd[1] = first.y;
    dqd[2] = first.w;
    if (tree->are_hinges)
        respond_links(tree, shares, dqd, 1);
    else
        respond_links(tree, shares, dqd, 0);
}

/* ---------------------------------------------------------------- energies */

struct tree_bulk tree_bulk(const struct tree *tree)
{
    struct bulk_sum sum = {.spin = 0};
    for (int i = 0, count = tree->count; i < count; i++)
        add_to_bulk(&sum, &tree->links[i]);
    return finish_bulk(&sum, tree->mass);
}

struct tree_energy tree_energy(const struct tree *tree, double gravity_m_s2)
{
    pair energy = {0, 0}, momentum = {0, 0}, moment = tree->mass * XY(tree->root_x);
    double turning = 0;
    for (int i = 0, count = tree->count; i < count; i++) {
        const struct tree_link *l = &tree->links[i];
        double w = l->velocity.w, mass = l->mass;
        pair h = XY(l->hx), v = XY(l->velocity.x), p = mass * v, q = w * plane_turn(h);
        energy += (p + 2 * q) * v;
        momentum += p + q;
        moment += mass * XY(l->px) + h;
        turning += l->inertia * w * w;
    }
    double all = turning + pair_sum(energy);
    return (struct tree_energy){.kinetic = all / 2,
                                .inner = (all - plane_dot(momentum, momentum) / tree->mass) / 2,
                                .potential =
                                    gravity_m_s2 * moment[1] - tree->gravity_x * moment[0]};
}

double tree_kinetic_energy(const struct tree *tree)
{
    return tree_energy(tree, 0).kinetic;
}

/* See tree.h. The derivation with the symbols used here is in docs/physics.md.
 *
 * The acceleration that the algorithm propagates is spatial: for the root it is that of the velocity
 * field at a fixed point, so the acceleration of the root's origin, which moves, is a + w x v; and
 * gravity enters as a uniform field only there (all links fall alike), so `a` is relative to free
 * fall. `bias` collects, link by link, the part of `a` that is not due to joint accelerations:
 *
 *   mean velocity over the step = v_start + h/2 (a - bias),
 *   bias_root = (0, w v.y - g_x, -w v.x - g_y)
 *   bias_child = bias_parent + cb
 *
 * (cb = v x S qd holds for both kinds of joint: S moves with the link) which the implicit drag needs: with v_start + h/2 a instead, drag would be first order only. A root
 * that is the world itself has a = (0, 0, g) and needs no solve. A joint
 * whose acceleration is given yields to nothing: D is infinite, and U qdd joins the bias force. */
#include "simulator/tree.h"

#include <math.h>

#include "common/detmath.h"
#include "common/error.h"

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
    tree->links = arena_take(arena, (size_t)tree->count, sizeof tree->links[0]);
    if (!tree->links)
        return ERR_MEMORY;
    for (int i = 0; i < tree->count; i++) {
        const struct link *from = &phenotype->links[i];
        struct tree_link *to = &tree->links[i];
        to->parent = from->parent;
        to->is_linear = from->joint_kind == LINK_LINEAR;
        to->joint_x = from->joint.x;
        to->joint_y = from->joint.y;
        to->axis_x = from->axis.x;
        to->axis_y = from->axis.y;
        to->centre_x = from->centre.x;
        to->centre_y = from->centre.y;
        to->mass = from->mass_kg;
        to->inertia = from->inertia_kg_m2;
        tree->mass += from->mass_kg;
    }
    tree_set_viscosity(tree, phenotype, viscosity_pa_s);
    return 0;
}

/* The pose of a link that slides along its parent, by q. */
static void slide_link(struct tree_link *l, const struct tree_link *p, double q)
{
    double x = l->joint_x + l->axis_x * q, y = l->joint_y + l->axis_y * q;
    l->angle = p->angle;
    l->cos = p->cos;
    l->sin = p->sin;
    l->px = p->px + (p->cos * x - p->sin * y);
    l->py = p->py + (p->sin * x + p->cos * y);
    l->s.w = 0;
    l->s.x = p->cos * l->axis_x - p->sin * l->axis_y;
    l->s.y = p->sin * l->axis_x + p->cos * l->axis_y;
}

/* The pose of a link that turns against its parent, by q. */
static void turn_link(struct tree_link *l, const struct tree_link *p, double q)
{
    l->angle = p->angle + q;
    det_sincos(l->angle, &l->sin, &l->cos);
    l->px = p->px + (p->cos * l->joint_x - p->sin * l->joint_y);
    l->py = p->py + (p->sin * l->joint_x + p->cos * l->joint_y);
    l->s = (struct motion){1, l->py, -l->px};
}

void tree_set_pose(struct tree *tree, const double *q)
{
    struct tree_link *links = tree->links;
    tree->root_x = q[0];
    tree->root_y = q[1];
    links[0].angle = q[2];
    links[0].px = links[0].py = 0;
    det_sincos(q[2], &links[0].sin, &links[0].cos);
    for (int i = 0; i < tree->count; i++) {
        struct tree_link *l = &links[i];
        if (i > 0 && l->is_linear)
            slide_link(l, &links[l->parent], q[2 + i]);
        else if (i > 0)
            turn_link(l, &links[l->parent], q[2 + i]);
        l->cx = l->px + (l->cos * l->centre_x - l->sin * l->centre_y);
        l->cy = l->py + (l->sin * l->centre_x + l->cos * l->centre_y);
    }
}

/* The velocity of a link whose parent moves with p and whose joint has the rate. */
static struct motion add_rate(const struct tree_link *l, const struct motion *p, double rate)
{
    return (struct motion){p->w + l->s.w * rate, p->x + l->s.x * rate, p->y + l->s.y * rate};
}

void tree_set_velocity(struct tree *tree, const double *qd)
{
    struct tree_link *links = tree->links;
    links[0].v = (struct motion){qd[2], qd[0], qd[1]};
    for (int i = 1; i < tree->count; i++)
        links[i].v = add_rate(&links[i], &links[links[i].parent].v, qd[2 + i]);
}

void tree_set_start_velocity(struct tree *tree, const double *qd)
{
    struct tree_link *links = tree->links;
    links[0].v_start = (struct motion){qd[2], qd[0], qd[1]};
    for (int i = 1; i < tree->count; i++)
        links[i].v_start = add_rate(&links[i], &links[links[i].parent].v_start, qd[2 + i]);
}

/* The link's drag tensor in world axes about the root's origin. */
static struct tensor turn_drag(const struct tree_link *l)
{
    double c = l->cos, s = l->sin;
    const struct tensor *b = &l->drag;
    double xx = c * c * b->xx - 2 * c * s * b->xy + s * s * b->yy;
    double yy = s * s * b->xx + 2 * c * s * b->xy + c * c * b->yy;
    double xy = c * s * (b->xx - b->yy) + (c * c - s * s) * b->xy;
    double nx = c * b->nx - s * b->ny, ny = s * b->nx + c * b->ny;

    struct tensor t = {.xx = xx, .xy = xy, .yy = yy};
    t.nx = nx - l->py * xx + l->px * xy;
    t.ny = ny - l->py * xy + l->px * yy;
    t.nn = b->nn + 2 * (l->px * ny - l->py * nx) + l->py * l->py * xx - 2 * l->px * l->py * xy +
           l->px * l->px * yy;
    return t;
}

static double along(struct force f, struct motion s)
{
    return f.n * s.w + f.x * s.x + f.y * s.y;
}

static struct force tensor_times(const struct tensor *t, struct motion v)
{
    return (struct force){t->nn * v.w + t->nx * v.x + t->ny * v.y,
                          t->nx * v.w + t->xx * v.x + t->xy * v.y,
                          t->ny * v.w + t->xy * v.x + t->yy * v.y};
}

/* Solves the symmetric, positive definite t a = f. */
static struct motion tensor_solve(const struct tensor *t, struct force f)
{
    /* L D L' with the translations first: their block is close to the total mass */
    double d1 = t->xx;
    double l21 = t->xy / d1, l31 = t->nx / d1;
    double d2 = t->yy - l21 * t->xy;
    double l32 = (t->ny - l31 * t->xy) / d2;
    double d3 = t->nn - l31 * t->nx - l32 * l32 * d2;
    double y1 = f.x, y2 = f.y - l21 * y1, y3 = f.n - l31 * y1 - l32 * y2;
    double w = y3 / d3;
    double y = y2 / d2 - l32 * w;
    double x = y1 / d1 - l21 * y - l31 * w;
    return (struct motion){w, x, y};
}

/* Rigid-body inertia about the root's origin. */
static struct tensor link_inertia(const struct tree_link *l)
{
    return (struct tensor){.nn = l->inertia + l->mass * (l->cx * l->cx + l->cy * l->cy),
                           .nx = -l->mass * l->cy,
                           .ny = l->mass * l->cx,
                           .xx = l->mass,
                           .yy = l->mass};
}

/* Outward sweep: velocity products, bias forces, and drag. */
static void start_links(struct tree *tree, const struct motion *root_bias, double half_step)
{
    for (int i = 0; i < tree->count; i++) {
        struct tree_link *l = &tree->links[i];
        struct motion v = l->v;
        l->ia = link_inertia(l);
        double mx = l->mass * (v.x - v.w * l->cy), my = l->mass * (v.y + v.w * l->cx);
        l->pa = (struct force){v.x * my - v.y * mx, -v.w * my, v.w * mx};
        if (i == 0) {
            l->bias = *root_bias;
        } else {
            /* cb = v x (S qd), with S qd = v - v_parent */
            const struct tree_link *p = &tree->links[l->parent];
            double uw = v.w - p->v.w, ux = v.x - p->v.x, uy = v.y - p->v.y;
            l->cbx = -v.w * uy + uw * v.y;
            l->cby = v.w * ux - uw * v.x;
            l->bias = (struct motion){0, p->bias.x + l->cbx, p->bias.y + l->cby};
        }
        if (tree->has_drag) {
            l->world_drag = turn_drag(l);
            struct motion u = v;
            if (half_step > 0)
                u = (struct motion){l->v_start.w, l->v_start.x - half_step * l->bias.x,
                                    l->v_start.y - half_step * l->bias.y};
            struct force f = tensor_times(&l->world_drag, u);
            l->pa.n += f.n;
            l->pa.x += f.x;
            l->pa.y += f.y;
            l->ia.nn += half_step * l->world_drag.nn;
            l->ia.nx += half_step * l->world_drag.nx;
            l->ia.ny += half_step * l->world_drag.ny;
            l->ia.xx += half_step * l->world_drag.xx;
            l->ia.xy += half_step * l->world_drag.xy;
            l->ia.yy += half_step * l->world_drag.yy;
        }
    }
}

/* Inward sweep: articulated inertias and bias forces. */
static void fold_links(struct tree *tree, const double *tau, const double *extra_d)
{
    for (int i = tree->count - 1; i > 0; i--) {
        struct tree_link *l = &tree->links[i];
        struct tree_link *p = &tree->links[l->parent];
        const struct tensor *t = &l->ia;
        struct force u = tensor_times(t, l->s);
        l->un = u.n;
        l->ux = u.x;
        l->uy = u.y;
        l->d = l->is_driven ? HUGE_VAL : along(u, l->s) + extra_d[2 + i];
        l->u = tau[2 + i] - along(l->pa, l->s);
        double g = 1 / l->d;
        double nx = t->nx - l->un * l->ux * g, ny = t->ny - l->un * l->uy * g;
        double xx = t->xx - l->ux * l->ux * g, xy = t->xy - l->ux * l->uy * g;
        double yy = t->yy - l->uy * l->uy * g;
        double ug = l->u * g + l->drive;
        p->ia.nn += t->nn - l->un * l->un * g;
        p->ia.nx += nx;
        p->ia.ny += ny;
        p->ia.xx += xx;
        p->ia.xy += xy;
        p->ia.yy += yy;
        p->pa.n += l->pa.n + nx * l->cbx + ny * l->cby + l->un * ug;
        p->pa.x += l->pa.x + xx * l->cbx + xy * l->cby + l->ux * ug;
        p->pa.y += l->pa.y + xy * l->cbx + yy * l->cby + l->uy * ug;
    }
}

void tree_accelerate(struct tree *tree, const double *tau, const double *extra_d,
                     double gravity_m_s2, double half_step, double *qdd)
{
    struct tree_link *links = tree->links;
    struct motion v = links[0].v;
    struct motion bias = {0, v.w * v.y - tree->gravity_x, -v.w * v.x + gravity_m_s2};
    start_links(tree, &bias, half_step);
    fold_links(tree, tau, extra_d);

    /* root, then outward */
    struct motion a = {0, -tree->gravity_x,
                       gravity_m_s2}; /* of a fixed root: nothing, seen from free fall */
    if (!tree->is_root_fixed) {
        struct force f = {-links[0].pa.n, -links[0].pa.x, -links[0].pa.y};
        a = tensor_solve(&links[0].ia, f);
    }
    links[0].a = a;
    qdd[0] = a.x - v.w * v.y + tree->gravity_x;
    qdd[1] = a.y + v.w * v.x - gravity_m_s2;
    qdd[2] = a.w;
    for (int i = 1; i < tree->count; i++) {
        struct tree_link *l = &links[i];
        const struct motion *pa = &links[l->parent].a;
        double ax = pa->x + l->cbx, ay = pa->y + l->cby;
        double acceleration = (l->u - l->un * pa->w - l->ux * ax - l->uy * ay) / l->d + l->drive;
        qdd[2 + i] = acceleration;
        l->a = (struct motion){pa->w + l->s.w * acceleration, ax + l->s.x * acceleration,
                               ay + l->s.y * acceleration};
    }
}

double tree_drive_effort(const struct tree *tree, int link)
{
    const struct tree_link *l = &tree->links[link];
    return l->un * l->a.w + l->ux * l->a.x + l->uy * l->a.y + along(l->pa, l->s);
}

double tree_drag_power(struct tree *tree, const double *qd, double half_step)
{
    double power = 0;
    for (int i = 0; i < tree->count; i++) {
        struct tree_link *l = &tree->links[i];
        struct motion u = l->v;
        if (half_step > 0)
            u = (struct motion){l->v_start.w + half_step * l->a.w,
                                l->v_start.x + half_step * (l->a.x - l->bias.x),
                                l->v_start.y + half_step * (l->a.y - l->bias.y)};
        struct force f = tensor_times(&l->world_drag, u);
        /* velocity of the link for the given rates, reusing v_start: it is not needed any more */
        if (i == 0) {
            l->v_start = (struct motion){qd[2], qd[0], qd[1]};
        } else {
            l->v_start = add_rate(l, &tree->links[l->parent].v_start, qd[2 + i]);
        }
        power -= f.n * l->v_start.w + f.x * l->v_start.x + f.y * l->v_start.y;
    }
    return power;
}

void tree_factor(struct tree *tree)
{
    struct tree_link *links = tree->links;
    for (int i = 0; i < tree->count; i++)
        links[i].ia = link_inertia(&links[i]);
    for (int i = tree->count - 1; i > 0; i--) {
        struct tree_link *l = &links[i];
        struct tensor *p = &links[l->parent].ia;
        const struct tensor *t = &l->ia;
        struct force f = tensor_times(t, l->s);
        l->fn = f.n;
        l->fx = f.x;
        l->fy = f.y;
        l->fd = l->is_driven ? HUGE_VAL : along(f, l->s);
        double g = 1 / l->fd;
        p->nn += t->nn - l->fn * l->fn * g;
        p->nx += t->nx - l->fn * l->fx * g;
        p->ny += t->ny - l->fn * l->fy * g;
        p->xx += t->xx - l->fx * l->fx * g;
        p->xy += t->xy - l->fx * l->fy * g;
        p->yy += t->yy - l->fy * l->fy * g;
    }
    tree->root_ia = links[0].ia;
}

/* Carries an impulse on link `at` down to the root; u[] collects the joints' shares. */
static struct force carry_impulse(const struct tree *tree, struct force f, int at, double *u)
{
    for (int i = at; i > 0; i = tree->links[i].parent) {
        const struct tree_link *l = &tree->links[i];
        double share = along(f, l->s);
        u[2 + i] += share;
        double g = share / l->fd;
        f.n -= l->fn * g;
        f.x -= l->fx * g;
        f.y -= l->fy * g;
    }
    return f;
}

void tree_impulse(const struct tree *tree, struct force impulse, int a, int b, int joint,
                  double joint_impulse, double *dqd, struct motion *dv)
{
    const struct tree_link *links = tree->links;
    struct force root = {0, 0, 0};
    for (int i = 0; i < tree->dof; i++)
        dqd[i] = 0;

    /* inward along the paths that feel it; dqd holds u until the outward sweep */
    if (a >= 0)
        root = carry_impulse(tree, impulse, a, dqd);
    if (b >= 0) {
        struct force opposite = {-impulse.n, -impulse.x, -impulse.y};
        struct force f = carry_impulse(tree, opposite, b, dqd);
        root.n += f.n;
        root.x += f.x;
        root.y += f.y;
    }
    if (joint > 0) {
        /* a joint impulse: +1 on the link, -1 on its parent; the link's own share is the impulse */
        const struct tree_link *l = &links[joint];
        double g = joint_impulse / l->fd;
        dqd[2 + joint] += joint_impulse;
        struct force f = {-l->fn * g, -l->fx * g, -l->fy * g};
        f = carry_impulse(tree, f, l->parent, dqd);
        root.n += f.n;
        root.x += f.x;
        root.y += f.y;
    }

    /* root, then outward */
    dv[0] = (struct motion){0, 0, 0};
    if (!tree->is_root_fixed)
        dv[0] = tensor_solve(&tree->root_ia, root);
    dqd[0] = dv[0].x;
    dqd[1] = dv[0].y;
    dqd[2] = dv[0].w;
    for (int i = 1; i < tree->count; i++) {
        const struct tree_link *l = &links[i];
        const struct motion *p = &dv[l->parent];
        double rate = (dqd[2 + i] - l->fn * p->w - l->fx * p->x - l->fy * p->y) / l->fd;
        dqd[2 + i] = rate;
        dv[i] = add_rate(l, p, rate);
    }
}

double tree_kinetic_energy(const struct tree *tree)
{
    double energy = 0;
    for (int i = 0; i < tree->count; i++) {
        const struct tree_link *l = &tree->links[i];
        double vx = l->v.x - l->v.w * l->cy, vy = l->v.y + l->v.w * l->cx;
        energy += l->inertia * l->v.w * l->v.w + l->mass * (vx * vx + vy * vy);
    }
    return energy / 2;
}

double tree_potential_energy(const struct tree *tree, double gravity_m_s2)
{
    double moment = 0, moment_x = 0;
    for (int i = 0; i < tree->count; i++) {
        moment += tree->links[i].mass * tree->links[i].cy;
        moment_x += tree->links[i].mass * tree->links[i].cx;
    }
    return gravity_m_s2 * (moment + tree->mass * tree->root_y) -
           tree->gravity_x * (moment_x + tree->mass * tree->root_x);
}

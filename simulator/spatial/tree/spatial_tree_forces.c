/* See spatial_tree_forces.h, and spatial_tree.c for the motion along a joint. With c the centre of mass
 * from the origin, h = m c, and a the true acceleration of the origin a rigid link obeys
 *
 *   n = A alpha + h x a  + w x A w              A = Ic + m (c.c 1 - c c')
 *   f = m a + alpha x h  + w x (w x h)
 *
 * or wrench = I motion + p with the tensor nn = A, nv = [h], fv = m.
 *
 * A joint of several axes is several joints of one axis each, with nothing between them. From the
 * leaves inward each axis takes its acceleration out:
 *
 *   U = I s,   1/g = s.U + extra,   share = tau - s.p,   I -= g U U',   p += g U share
 *
 * and outward  qdd = g (share - U.a),  a += s qdd.  So a free root, six axes, is no other thing than
 * a hinge: slides first, which is Cholesky's elimination of its 6 x 6 system. An axis whose
 * acceleration is given yields nothing: I stays, p += U qdd.
 *
 * Shifted to the parent's origin, n_p = n + r x f and a = a_p - r x alpha:
 *
 *   nv_p = nv + [r] fv,   nn_p = nn - nv_p [r] - (nv [r])'
 *
 * (M [r] has the rows m x r.) Gravity acts on all links alike: accelerations are relative to free
 * fall, and the world's is -g. Drag in an implicit step acts with the mean velocity
 * start + half_step (a - bias), with the bias summed up from the world on: the caller puts
 * drag (start - half_step bias)  into the load. */
#include "simulator/spatial/tree/spatial_tree_forces.h"

#include <math.h>

#include "common/math/pair.h"

static const struct vec3 none = {0, 0, 0};

/* ---------------------------------------------------------------- tensors */

/* a + s b */
static inline struct spatial_wrench wrench_along(struct spatial_wrench a,
                                                 const struct spatial_wrench *b, double s)
{
    return (struct spatial_wrench){vec3_along(a.n, b->n, s), vec3_along(a.f, b->f, s)};
}

static inline struct spatial_tensor tensor_along(const struct spatial_tensor *a,
                                                 const struct spatial_tensor *b, double s)
{
    return (struct spatial_tensor){sym3_sum(&a->nn, &b->nn, s),
                                   {vec3_along(a->nv.x, b->nv.x, s),
                                    vec3_along(a->nv.y, b->nv.y, s),
                                    vec3_along(a->nv.z, b->nv.z, s)},
                                   sym3_sum(&a->fv, &b->fv, s)};
}

/* row += s f, two numbers at a time. */
static inline void add_to_row(struct vec3 *row, pair f_xy, double f_z, double s)
{
    XY(row->x) += f_xy * s;
    row->z += f_z * s;
}

/* t + s u u' */
static inline void tensor_add_square(struct spatial_tensor *t, const struct spatial_wrench *u,
                                     double s)
{
    double nx = s * u->n.x, ny = s * u->n.y, nz = s * u->n.z;
    double fx = s * u->f.x, fy = s * u->f.y, fz = s * u->f.z;
    pair f = {u->f.x, u->f.y};
    XY(t->nn.xx) += (pair){u->n.x, u->n.y} * nx;
    XY(t->nn.xz) += (pair){u->n.z * nx, u->n.y * ny};
    XY(t->nn.yz) += (pair){ny, nz} * u->n.z;
    XY(t->fv.xx) += f * fx;
    XY(t->fv.xz) += (pair){u->f.z * fx, u->f.y * fy};
    XY(t->fv.yz) += (pair){fy, fz} * u->f.z;
    add_to_row(&t->nv.x, f, u->f.z, nx);
    add_to_row(&t->nv.y, f, u->f.z, ny);
    add_to_row(&t->nv.z, f, u->f.z, nz);
}

/* ---------------------------------------------------------------- articulated bodies */

static inline void start_tensor(struct spatial_tree_link *l)
{
    struct vec3 h = l->h;
    l->articulated.nn = l->world_inertia;
    l->articulated.nv = (struct mat3){{0, -h.z, h.y}, {h.z, 0, -h.x}, {-h.y, h.x, 0}};
    l->articulated.fv = (struct sym3){l->mass, 0, 0, l->mass, 0, l->mass};
}

static inline void factor_axis(struct spatial_tensor *t, struct spatial_axis *axis, int is_slide,
                               double extra, int is_driven)
{
    double d;
    if (is_slide) {
        axis->u = (struct spatial_wrench){mat3_back(&t->nv, axis->s), sym3_apply(&t->fv, axis->s)};
        d = vec3_dot(axis->s, axis->u.f);
    } else {
        axis->u = (struct spatial_wrench){sym3_apply(&t->nn, axis->s), mat3_apply(&t->nv, axis->s)};
        d = vec3_dot(axis->s, axis->u.n);
    }
    axis->inverse = is_driven ? 0 : 1 / (d + extra);
    if (!is_driven)
        tensor_add_square(t, &axis->u, -axis->inverse);
}

void spatial_tree_factor(struct spatial_tree *tree, const double *extra, double half_step)
{
    for (int i = 0; i < tree->count; i++) {
        struct spatial_tree_link *l = &tree->links[i];
        start_tensor(l);
        if (half_step > 0)
            l->articulated = tensor_along(&l->articulated, &l->drag, half_step);
    }
    for (int i = tree->count - 1; i >= 0; i--) {
        struct spatial_tree_link *l = &tree->links[i];
        for (int k = 0; k < l->rates; k++)
            factor_axis(&l->articulated, &l->axes[k], k < l->slides, extra[l->rate + k],
                        tree->is_driven[l->rate + k]);
        if (l->parent >= 0)
            spatial_tensor_add_shifted(&l->up->articulated, &l->articulated, l->r);
    }
}

static inline double along_axis(const struct spatial_axis *axis, int is_slide, struct vec3 turn,
                                struct vec3 slide)
{
    return vec3_dot(axis->s, is_slide ? slide : turn);
}

/* From p of a link to that of its parent. */
static inline void hand_on(const struct spatial_tree *tree, struct spatial_tree_link *l,
                           const double *tau, int has_bias)
{
    struct spatial_wrench p = l->p;
    for (int k = 0; k < l->rates; k++) {
        struct spatial_axis *axis = &l->axes[k];
        int at = l->rate + k;
        axis->share = tau[at] - along_axis(axis, k < l->slides, p.n, p.f);
        p = wrench_along(p, &axis->u,
                         tree->is_driven[at] ? tree->drive[at] : axis->inverse * axis->share);
    }
    if (l->parent < 0)
        return;
    if (has_bias) {
        struct spatial_wrench more = spatial_tensor_apply(&l->articulated, &l->bias);
        p = wrench_along(p, &more, 1);
    }
    struct spatial_wrench *up = &l->up->p;
    up->f = vec3_add(up->f, p.f);
    up->n = vec3_add(vec3_add(up->n, p.n), vec3_cross(l->r, p.f));
}

/* From the parent's acceleration to the own. */
static inline void take_over(const struct spatial_tree *tree, struct spatial_tree_link *l,
                             double *qdd, int has_bias)
{
    const struct spatial_motion *up = &l->up->acceleration;
    struct vec3 w = up->w, v = vec3_add(up->v, vec3_cross(up->w, l->r));
    if (has_bias) {
        w = vec3_add(w, l->bias.w);
        v = vec3_add(v, l->bias.v);
    }
    for (int k = l->rates - 1; k >= 0; k--) {
        struct spatial_axis *axis = &l->axes[k];
        int at = l->rate + k;
        double pull = vec3_dot(axis->u.n, w) + vec3_dot(axis->u.f, v);
        double rate = axis->inverse * (axis->share - pull);
        if (tree->is_driven[at]) {
            /* what it takes: s.(I a + p), with a after this axis */
            axis->share = pull - axis->share;
            rate = tree->drive[at];
            axis->share += rate * along_axis(axis, k < l->slides, axis->u.n, axis->u.f);
        }
        qdd[at] = rate;
        if (k < l->slides)
            v = vec3_along(v, axis->s, rate);
        else
            w = vec3_along(w, axis->s, rate);
    }
    l->acceleration = (struct spatial_motion){w, v};
}

void spatial_tree_accelerate(struct spatial_tree *tree, const double *tau, double *qdd)
{
    for (int i = 0; i < tree->count; i++) {
        struct spatial_tree_link *l = &tree->links[i];
        struct vec3 w = l->velocity.w;
        l->p.n = vec3_add(vec3_cross(w, sym3_apply(&l->world_inertia, w)), l->load.n);
        l->p.f = vec3_add(vec3_cross(w, vec3_cross(w, l->h)), l->load.f);
    }
    for (int i = tree->count - 1; i >= 0; i--)
        hand_on(tree, &tree->links[i], tau, 1);
    tree->world.acceleration = (struct spatial_motion){none, vec3_negated(tree->gravity)};
    for (int i = 0; i < tree->count; i++)
        take_over(tree, &tree->links[i], qdd, 1);
}

void spatial_tree_respond(struct spatial_tree *tree, const double *tau,
                          const struct spatial_wrench *wrenches, double *dqd)
{
    const struct spatial_wrench nothing = {none, none};
    for (int i = 0; i < tree->count; i++)
        tree->links[i].p = wrenches ? wrench_along(nothing, &wrenches[i], -1) : nothing;
    for (int i = tree->count - 1; i >= 0; i--)
        hand_on(tree, &tree->links[i], tau, 0);
    tree->world.acceleration = (struct spatial_motion){none, none};
    for (int i = 0; i < tree->count; i++)
        take_over(tree, &tree->links[i], dqd, 0);
}

/* ---------------------------------------------------------------- impulses on few links */

void spatial_tree_factor_mass(struct spatial_tree *tree)
{
    spatial_tree_factor(tree, tree->no_extra, 0);
    for (int i = 0; i < tree->count; i++) {
        struct spatial_tree_link *l = &tree->links[i];
        l->has_units = 0;
        for (int k = 0; k < l->rates; k++)
            l->axes[k].root = sqrt(l->axes[k].inverse);
    }
}

/* row += the rows of an impulse on a link, in the columns from .. to. */
static inline void add_unit_rows(const struct spatial_tree *tree, const struct spatial_tree_link *l,
                                 const struct spatial_wrench *on, double *row)
{
    int n = tree->stride, i = l->first & ~1, to = l->rate + l->rates;
    const double *at = tree->units + (size_t)(l - tree->links) * 6 * (size_t)n;
    for (; i + 2 < to; i += 4)
        QUAD(row, i) +=
            (QUAD(at, i) * on->n.x + QUAD(at, i + n) * on->n.y + QUAD(at, i + 2 * n) * on->n.z) +
            (QUAD(at, i + 3 * n) * on->f.x + QUAD(at, i + 4 * n) * on->f.y +
             QUAD(at, i + 5 * n) * on->f.z);
    if (i < to)
        PAIR(row, i) +=
            (PAIR(at, i) * on->n.x + PAIR(at, i + n) * on->n.y + PAIR(at, i + 2 * n) * on->n.z) +
            (PAIR(at, i + 3 * n) * on->f.x + PAIR(at, i + 4 * n) * on->f.y +
             PAIR(at, i + 5 * n) * on->f.z);
}

/* As hand_on(), of four impulses on a link side by side: takes out of them the part that the axes of
 * the link yield, and writes the numbers of the first `count`. n and f: their moments and forces
 * along x, y and z; on: those on the parent. joint: impulses of all along the axes besides, or
 * NULL. */
static inline void whiten_four(const struct spatial_tree_link *l, quad *n, quad *f,
                               const double *joint, double *rows, int stride, int count,
                               struct spatial_wrench *on)
{
    const struct vec3 r = l->r;
    for (int k = 0; k < l->rates; k++) {
        const struct spatial_axis *axis = &l->axes[k];
        const struct vec3 s = axis->s, un = axis->u.n, uf = axis->u.f;
        const quad *of = k < l->slides ? f : n;
        quad share = of[0] * s.x + of[1] * s.y + of[2] * s.z;
        if (joint)
            share += joint[k];
        quad number = share * axis->root, by = share * -axis->inverse;
        for (int i = 0; i < count; i++)
            rows[i * stride + l->rate + k] = number[i];
        n[0] += by * un.x;
        n[1] += by * un.y;
        n[2] += by * un.z;
        f[0] += by * uf.x;
        f[1] += by * uf.y;
        f[2] += by * uf.z;
    }
    n[0] += f[2] * r.y - f[1] * r.z;
    n[1] += f[0] * r.z - f[2] * r.x;
    n[2] += f[1] * r.x - f[0] * r.y;
    for (int i = 0; i < count; i++)
        on[i] = (struct spatial_wrench){{n[0][i], n[1][i], n[2][i]}, {f[0][i], f[1][i], f[2][i]}};
}

/* The rows of unit moments and forces on a link, out of those on its parent. */
static void find_unit_rows(struct spatial_tree *tree, struct spatial_tree_link *l)
{
    int stride = tree->stride;
    double *row = tree->units + (size_t)(l - tree->links) * 6 * (size_t)stride;
    struct spatial_wrench on[6];
    if (l->has_units)
        return;
    l->has_units = 1;
    if (l->parent >= 0)
        find_unit_rows(tree, l->up);
    for (int i = 0; i < 6; i++)
        for (int k = l->first & ~1, end = l->rate; k < end; k += 4)
            QUAD(row, i * stride + k) = (quad){0};
    quad n[3] = {{1}, {0, 1}, {0, 0, 1}}, f[3] = {{0, 0, 0, 1}};
    whiten_four(l, n, f, NULL, row, stride, 4, on);
    quad n_rest[3] = {{0}}, f_rest[3] = {{0}, {1}, {0, 1}};
    whiten_four(l, n_rest, f_rest, NULL, row + 4 * stride, stride, 2, on + 4);
    for (int i = 0; i < 6 && l->parent >= 0; i++)
        add_unit_rows(tree, l->up, &on[i], row + i * stride);
}

static inline void reach(const struct spatial_tree_link *l, int *from, int *to)
{
    int last = l->rate + l->rates;
    if (last == l->first)
        return;
    *from = *to == 0 || l->first < *from ? l->first : *from;
    *to = last > *to ? last : *to;
}

void spatial_tree_whiten(struct spatial_tree *tree, int link, const struct spatial_wrench *on,
                         int count, double *rows, int stride, int *from, int *to)
{
    struct spatial_tree_link *l = &tree->links[link];
    find_unit_rows(tree, l);
    for (int i = 0; i < count; i++)
        add_unit_rows(tree, l, &on[i], rows + i * stride);
    reach(l, from, to);
}

void spatial_tree_whiten_joint(struct spatial_tree *tree, int link, const double *joint,
                               double *row, int *from, int *to)
{
    struct spatial_tree_link *l = &tree->links[link];
    struct spatial_wrench on;
    quad n[3] = {{0}}, f[3] = {{0}};
    whiten_four(l, n, f, joint, row, 0, 1, &on);
    if (l->parent >= 0) {
        find_unit_rows(tree, l->up);
        add_unit_rows(tree, l->up, &on, row);
    }
    reach(l, from, to);
}

void spatial_tree_unwhiten(struct spatial_tree *tree, const double *row, double *dqd)
{
    tree->world.acceleration = (struct spatial_motion){none, none};
    for (int i = 0; i < tree->count; i++) {
        struct spatial_tree_link *l = &tree->links[i];
        for (int k = 0; k < l->rates; k++)
            l->axes[k].share = l->axes[k].root > 0 ? row[l->rate + k] / l->axes[k].root : 0;
        take_over(tree, l, dqd, 0);
    }
}

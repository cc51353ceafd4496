/* See space_tree.h. With c the centre of mass from the origin, h = m c, and a the true acceleration
 * of the origin a rigid link obeys
 *
 *   n = A alpha + h x a  + w x A w              A = Ic + m (c.c 1 - c c')
 *   f = m a + alpha x h  + w x (w x h)
 *
 * or wrench = I motion + p with the tensor nn = A, nv = [h], fv = m. Along a joint with axes s_k
 *
 *   alpha = alpha_p + bias.w + sum of s_k qdd_k over turns
 *   a = a_p + alpha_p x r + bias.v + sum of s_k qdd_k over slides,   bias.v = w_p x (w_p x r) + 2 w_p x (sum of s_k qd_k)
 *
 * bias.w has one term for each turn: its axis turns with all that comes before it, (w_p + sum of
 * earlier s_j qd_j) x s_k qd_k; the axes of a ball turn with the child, but w x w is 0: w_p x sum
 * of s_k qd_k.
 *
 * A joint of several axes is several joints of one axis each, with nothing between them. From the
 * leaves inward each axis takes its acceleration out:
 *
 *   U = I s,   1/g = s.U + extra,   share = tau - s.p,   I -= g U U',   p += g U share
 *
 * and outward  qdd = g (share - U.a),  a += s qdd.  So a free root, six axes, is no other thing than a hinge: slides
 * first, which is Cholesky's elimination of its 6 x 6 system. An axis whose acceleration is given yields nothing:
 * I stays, p += U qdd.
 *
 * Shifted to the parent's origin, n_p = n + r x f and a = a_p - r x alpha:
 *
 *   nv_p = nv + [r] fv,   nn_p = nn - nv_p [r] - (nv [r])'
 *
 * (M [r] has the rows m x r.) Gravity acts on all links alike: accelerations are relative to free fall, and the
 * world's is -g. Drag in an implicit step acts with the mean velocity start + half_step (a - bias), with the bias
 * summed up from the world on: the caller puts  drag (start - half_step bias)  into the load. */
#include "simulator/boxes/tree/space_tree.h"

#include <math.h>

#include "common/math/detmath.h"
#include "common/error.h"
#include "common/math/pair.h"

static const struct vec3 none = {0, 0, 0};

static struct sym3 inertia_about_origin(const struct space_link *link)
{
    struct vec3 c = link->centre;
    double m = link->mass_kg, square = m * vec3_dot(c, c);
    struct sym3 about = link->inertia;
    about.xx += square;
    about.yy += square;
    about.zz += square;
    return sym3_along(&about, c, -m);
}

static void init_link(struct space_tree *tree, int i, const struct space_link *from)
{
    struct space_tree_link *l = &tree->links[i];
    struct quaternion frame = quaternion_normalised(from->frame);
    l->parent = from->parent;
    l->up = from->parent < 0 ? &tree->world : &tree->links[from->parent];
    l->joint = &space_joints[from->kind];
    l->coordinate = tree->coordinates;
    l->rate = tree->rates;
    l->first = from->parent < 0 ? l->rate : l->up->first;
    l->root = from->parent < 0 ? i : l->up->root;
    l->turn = tree->turns;
    l->rates = space_joint_rates(l->joint);
    l->slides = l->joint->slides;
    l->joint_at = from->joint;
    l->frame = quaternion_matrix(frame);
    l->is_frame_turned = frame.x != 0 || frame.y != 0 || frame.z != 0;
    l->mass = from->mass_kg;
    l->centre = from->centre;
    l->moment = vec3_scale(from->centre, from->mass_kg);
    l->own_inertia = from->inertia;
    l->inertia = inertia_about_origin(from);
    tree->coordinates += space_joint_coordinates(l->joint);
    tree->rates += l->rates;
    tree->turns += l->joint->turns;
    tree->mass += from->mass_kg;
}

int space_tree_create(struct space_tree *tree, const struct space_link *links, int count,
                      struct vec3 gravity, struct arena *arena)
{
    *tree = (struct space_tree){.count = count, .gravity = gravity};
    tree->world.turned = quaternion_matrix(QUATERNION_ONE);
    tree->links = arena_take(arena, (size_t)count, sizeof tree->links[0]);
    if (!tree->links)
        return ERR_MEMORY;
    for (int i = 0; i < count; i++) {
        ENSURE(links[i].parent < i, "link %d hangs on link %d", i, links[i].parent);
        init_link(tree, i, &links[i]);
    }
    tree->stride = (tree->rates + 4) & ~1; /* quads may begin in the last columns */
    tree->units = arena_take(arena, (size_t)(6 * count * tree->stride), sizeof(double));
    tree->angles = arena_take(arena, (size_t)(3 * tree->turns), sizeof(double));
    tree->is_driven = arena_take(arena, (size_t)tree->rates, sizeof(int));
    tree->drive = arena_take(arena, (size_t)tree->rates, sizeof(double));
    tree->no_extra = arena_take(arena, (size_t)tree->rates, sizeof(double));
    if (!tree->units || !tree->angles || !tree->is_driven || !tree->drive || !tree->no_extra)
        return ERR_MEMORY;
    tree->sines = tree->angles + tree->turns;
    tree->cosines = tree->sines + tree->turns;
    return 0;
}

/* ---------------------------------------------------------------- coordinates */

static inline struct quaternion get_quaternion(const double *q)
{
    return (struct quaternion){q[0], q[1], q[2], q[3]};
}

static inline void put_quaternion(double *q, struct quaternion from)
{
    q[0] = from.w;
    q[1] = from.x;
    q[2] = from.y;
    q[3] = from.z;
}

static inline struct vec3 get_vector(const double *v)
{
    return (struct vec3){v[0], v[1], v[2]};
}

/* Coordinates of a link that are not those of a ball; a ball's follow. */
static inline int plain_count(const struct space_tree_link *l)
{
    return l->slides + l->joint->turns;
}

void space_tree_birth(const struct space_tree *tree, double *q)
{
    for (int i = 0; i < tree->count; i++) {
        const struct space_tree_link *l = &tree->links[i];
        double *own = q + l->coordinate;
        for (int k = 0; k < plain_count(l); k++)
            own[k] = 0;
        if (l->joint->has_ball)
            put_quaternion(own + plain_count(l), QUATERNION_ONE);
    }
}

void space_tree_coordinate_rates(const struct space_tree *tree, const double *q, const double *qd,
                                 double *rates)
{
    for (int i = 0; i < tree->count; i++) {
        const struct space_tree_link *l = &tree->links[i];
        int plain = plain_count(l), at = l->coordinate;
        for (int k = 0; k < plain; k++)
            rates[at + k] = qd[l->rate + k];
        if (l->joint->has_ball)
            put_quaternion(rates + at + plain, quaternion_rate(get_quaternion(q + at + plain),
                                                               get_vector(qd + l->rate + plain)));
    }
}

void space_tree_advance(const struct space_tree *tree, const double *from, const double *qd,
                        double time_s, double *q)
{
    for (int i = 0; i < tree->count; i++) {
        const struct space_tree_link *l = &tree->links[i];
        int plain = plain_count(l), at = l->coordinate;
        for (int k = 0; k < plain; k++)
            q[at + k] = from[at + k] + time_s * qd[l->rate + k];
        if (!l->joint->has_ball)
            continue;
        struct vec3 turn = vec3_scale(get_vector(qd + l->rate + plain), time_s);
        struct quaternion there =
            quaternion_product(get_quaternion(from + at + plain), quaternion_exp(turn));
        put_quaternion(q + at + plain, quaternion_normalised(there));
    }
}

void space_tree_normalise(const struct space_tree *tree, double *q)
{
    for (int i = 0; i < tree->count; i++) {
        const struct space_tree_link *l = &tree->links[i];
        double *ball = q + l->coordinate + plain_count(l);
        if (l->joint->has_ball)
            put_quaternion(ball, quaternion_normalised(get_quaternion(ball)));
    }
}

/* ---------------------------------------------------------------- pose */

/* Two axes turn in their plane, the first one towards the second. */
static inline void turn_two(struct vec3 *a, struct vec3 *b, double sine, double cosine)
{
    struct vec3 old = *a;
    *a = vec3_along(vec3_scale(old, cosine), *b, sine);
    *b = vec3_along(vec3_scale(*b, cosine), old, -sine);
}

/* The columns of m turn about one of them, which is returned. */
static inline struct vec3 turn_about(struct mat3 *m, int axis, double sine, double cosine)
{
    if (axis == 0) {
        turn_two(&m->y, &m->z, sine, cosine);
        return m->x;
    }
    if (axis == 1) {
        turn_two(&m->z, &m->x, sine, cosine);
        return m->y;
    }
    turn_two(&m->x, &m->y, sine, cosine);
    return m->z;
}

static inline void place_link(const struct space_tree *tree, struct space_tree_link *l,
                              const double *q)
{
    const struct space_tree_link *up = l->up;
    const struct space_joint *joint = l->joint;
    struct space_axis *axis = l->axes;
    struct mat3 m = l->is_frame_turned ? mat3_product(&up->turned, &l->frame) : up->turned;
    l->r = mat3_apply(&up->turned, l->joint_at);
    q += l->coordinate;
    for (int k = 0; k < joint->slides; k++, q++, axis++) {
        axis->s = k == 0 ? m.x : k == 1 ? m.y : m.z;
        l->r = vec3_along(l->r, axis->s, *q);
    }
    for (int k = 0; k < joint->turns; k++, axis++)
        axis->s =
            turn_about(&m, joint->axes[k], tree->sines[l->turn + k], tree->cosines[l->turn + k]);
    if (joint->has_ball) {
        struct mat3 ball = quaternion_matrix(quaternion_normalised(get_quaternion(q)));
        m = mat3_product(&m, &ball);
        axis[0].s = m.x;
        axis[1].s = m.y;
        axis[2].s = m.z;
    }
    l->turned = m;
    l->at = vec3_add(up->at, l->r);
    l->h = mat3_apply(&m, l->moment);
    l->world_inertia = sym3_turned(&l->inertia, &m);
}

void space_tree_set_pose(struct space_tree *tree, const double *q)
{
    for (int i = 0; i < tree->count; i++) {
        const struct space_tree_link *l = &tree->links[i];
        for (int k = 0; k < l->joint->turns; k++)
            tree->angles[l->turn + k] = q[l->coordinate + l->slides + k];
    }
    det_sincos_all(tree->angles, tree->turns, tree->sines, tree->cosines);
    for (int i = 0; i < tree->count; i++)
        place_link(tree, &tree->links[i], q);
}

void space_tree_shift(struct space_tree *tree, const double *q)
{
    for (int i = 0; i < tree->count; i++) {
        struct space_tree_link *l = &tree->links[i];
        if (l->parent < 0)
            l->r = mat3_apply(&l->up->turned, l->joint_at);
        for (int k = 0; k < l->slides && l->parent < 0; k++)
            l->r = vec3_along(l->r, l->axes[k].s, q[l->coordinate + k]);
        l->at = vec3_add(l->up->at, l->r);
    }
}

/* ---------------------------------------------------------------- velocity */

static inline void move_link(struct space_tree_link *l, const double *qd, int has_bias)
{
    const struct space_motion *up = &l->up->velocity;
    const struct space_axis *axis = l->axes;
    struct vec3 w = up->w, slide = none, bias = none, swept = vec3_cross(up->w, l->r);
    int k = 0;
    for (; k < l->slides; k++)
        slide = vec3_along(slide, axis[k].s, qd[k]);
    for (; k < l->slides + l->joint->turns; k++) {
        struct vec3 rate = vec3_scale(axis[k].s, qd[k]);
        if (has_bias)
            bias = vec3_add(bias, vec3_cross(w, rate));
        w = vec3_add(w, rate);
    }
    if (l->joint->has_ball) {
        struct vec3 rate =
            vec3_along(vec3_along(vec3_scale(axis[k].s, qd[k]), axis[k + 1].s, qd[k + 1]),
                       axis[k + 2].s, qd[k + 2]);
        if (has_bias)
            bias = vec3_add(bias, vec3_cross(w, rate));
        w = vec3_add(w, rate);
    }
    l->velocity.w = w;
    l->velocity.v = vec3_add(vec3_add(up->v, swept), slide);
    if (!has_bias)
        return;
    l->bias.w = bias;
    l->bias.v = vec3_cross(up->w, vec3_along(swept, slide, 2));
}

void space_tree_set_velocity(struct space_tree *tree, const double *qd)
{
    for (int i = 0; i < tree->count; i++)
        move_link(&tree->links[i], qd + tree->links[i].rate, 1);
}

void space_tree_move(struct space_tree *tree, const double *qd)
{
    for (int i = 0; i < tree->count; i++)
        move_link(&tree->links[i], qd + tree->links[i].rate, 0);
}

void space_tree_sum_biases(struct space_tree *tree)
{
    for (int i = 0; i < tree->count; i++) {
        struct space_tree_link *l = &tree->links[i];
        const struct space_motion *up = &l->up->bias_sum;
        l->bias_sum.w = vec3_add(up->w, l->bias.w);
        l->bias_sum.v = vec3_add(vec3_add(up->v, vec3_cross(up->w, l->r)), l->bias.v);
    }
}

/* ---------------------------------------------------------------- tensors */

static inline struct vec3 rows_apply(const struct mat3 *m, struct vec3 v)
{
    return mat3_back(m, v);
}

static inline struct vec3 rows_back(const struct mat3 *m, struct vec3 v)
{
    return mat3_apply(m, v);
}

static inline struct space_wrench tensor_apply(const struct space_tensor *t,
                                               const struct space_motion *m)
{
    return (struct space_wrench){vec3_add(sym3_apply(&t->nn, m->w), rows_apply(&t->nv, m->v)),
                                 vec3_add(rows_back(&t->nv, m->w), sym3_apply(&t->fv, m->v))};
}

/* a + s b */
static inline struct space_wrench wrench_along(struct space_wrench a, const struct space_wrench *b,
                                               double s)
{
    return (struct space_wrench){vec3_along(a.n, b->n, s), vec3_along(a.f, b->f, s)};
}

static inline struct space_tensor tensor_along(const struct space_tensor *a,
                                               const struct space_tensor *b, double s)
{
    return (struct space_tensor){sym3_sum(&a->nn, &b->nn, s),
                                 {vec3_along(a->nv.x, b->nv.x, s), vec3_along(a->nv.y, b->nv.y, s),
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
static inline void tensor_add_square(struct space_tensor *t, const struct space_wrench *u, double s)
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

/* row + p a - q b */
static inline struct vec3 shift_row(const struct vec3 *row, pair a_xy, double a_z, double p,
                                    pair b_xy, double b_z, double q)
{
    pair xy = XY(row->x) + a_xy * p - b_xy * q;
    return (struct vec3){xy[0], xy[1], row->z + a_z * p - b_z * q};
}

static inline void add_row(struct vec3 *to, struct vec3 row)
{
    XY(to->x) += (pair){row.x, row.y};
    to->z += row.z;
}

void space_tensor_add_shifted(struct space_tensor *to, const struct space_tensor *t, struct vec3 r)
{
    const struct sym3 *c = &t->fv;
    /* nv + [r] fv */
    pair cx = XY(c->xx), cy = {c->xy, c->yy}, cz = {c->xz, c->yz};
    struct vec3 x = shift_row(&t->nv.x, cz, c->zz, r.y, cy, c->yz, r.z);
    struct vec3 y = shift_row(&t->nv.y, cx, c->xz, r.z, cz, c->zz, r.x);
    struct vec3 z = shift_row(&t->nv.z, cy, c->yz, r.x, cx, c->xz, r.y);
    const struct vec3 *ox = &t->nv.x, *oy = &t->nv.y, *oz = &t->nv.z;
    /* rows crossed with r, those before and after */
    to->nn.xx += t->nn.xx - ((x.y + ox->y) * r.z - (x.z + ox->z) * r.y);
    to->nn.xy += t->nn.xy - ((x.z * r.x - x.x * r.z) + (oy->y * r.z - oy->z * r.y));
    to->nn.xz += t->nn.xz - ((x.x * r.y - x.y * r.x) + (oz->y * r.z - oz->z * r.y));
    to->nn.yy += t->nn.yy - ((y.z + oy->z) * r.x - (y.x + oy->x) * r.z);
    to->nn.yz += t->nn.yz - ((y.x * r.y - y.y * r.x) + (oz->z * r.x - oz->x * r.z));
    to->nn.zz += t->nn.zz - ((z.x + oz->x) * r.y - (z.y + oz->y) * r.x);
    add_row(&to->nv.x, x);
    add_row(&to->nv.y, y);
    add_row(&to->nv.z, z);
    XY(to->fv.xx) += XY(c->xx);
    XY(to->fv.xz) += XY(c->xz);
    XY(to->fv.yz) += XY(c->yz);
}

/* ---------------------------------------------------------------- articulated bodies */

static inline void start_tensor(struct space_tree_link *l)
{
    struct vec3 h = l->h;
    l->articulated.nn = l->world_inertia;
    l->articulated.nv = (struct mat3){{0, -h.z, h.y}, {h.z, 0, -h.x}, {-h.y, h.x, 0}};
    l->articulated.fv = (struct sym3){l->mass, 0, 0, l->mass, 0, l->mass};
}

static inline void factor_axis(struct space_tensor *t, struct space_axis *axis, int is_slide,
                               double extra, int is_driven)
{
    double d;
    if (is_slide) {
        axis->u = (struct space_wrench){rows_apply(&t->nv, axis->s), sym3_apply(&t->fv, axis->s)};
        d = vec3_dot(axis->s, axis->u.f);
    } else {
        axis->u = (struct space_wrench){sym3_apply(&t->nn, axis->s), rows_back(&t->nv, axis->s)};
        d = vec3_dot(axis->s, axis->u.n);
    }
    axis->inverse = is_driven ? 0 : 1 / (d + extra);
    if (!is_driven)
        tensor_add_square(t, &axis->u, -axis->inverse);
}

void space_tree_factor(struct space_tree *tree, const double *extra, double half_step)
{
    for (int i = 0; i < tree->count; i++) {
        struct space_tree_link *l = &tree->links[i];
        start_tensor(l);
        if (half_step > 0)
            l->articulated = tensor_along(&l->articulated, &l->drag, half_step);
    }
    for (int i = tree->count - 1; i >= 0; i--) {
        struct space_tree_link *l = &tree->links[i];
        for (int k = 0; k < l->rates; k++)
            factor_axis(&l->articulated, &l->axes[k], k < l->slides, extra[l->rate + k],
                        tree->is_driven[l->rate + k]);
        if (l->parent >= 0)
            space_tensor_add_shifted(&l->up->articulated, &l->articulated, l->r);
    }
}

static inline double along_axis(const struct space_axis *axis, int is_slide, struct vec3 turn,
                                struct vec3 slide)
{
    return vec3_dot(axis->s, is_slide ? slide : turn);
}

/* From p of a link to that of its parent. */
static inline void hand_on(const struct space_tree *tree, struct space_tree_link *l,
                           const double *tau, int has_bias)
{
    struct space_wrench p = l->p;
    for (int k = 0; k < l->rates; k++) {
        struct space_axis *axis = &l->axes[k];
        int at = l->rate + k;
        axis->share = tau[at] - along_axis(axis, k < l->slides, p.n, p.f);
        p = wrench_along(p, &axis->u,
                         tree->is_driven[at] ? tree->drive[at] : axis->inverse * axis->share);
    }
    if (l->parent < 0)
        return;
    if (has_bias) {
        struct space_wrench more = tensor_apply(&l->articulated, &l->bias);
        p = wrench_along(p, &more, 1);
    }
    struct space_wrench *up = &l->up->p;
    up->f = vec3_add(up->f, p.f);
    up->n = vec3_add(vec3_add(up->n, p.n), vec3_cross(l->r, p.f));
}

/* From the parent's acceleration to the own. */
static inline void take_over(const struct space_tree *tree, struct space_tree_link *l, double *qdd,
                             int has_bias)
{
    const struct space_motion *up = &l->up->acceleration;
    struct vec3 w = up->w, v = vec3_add(up->v, vec3_cross(up->w, l->r));
    if (has_bias) {
        w = vec3_add(w, l->bias.w);
        v = vec3_add(v, l->bias.v);
    }
    for (int k = l->rates - 1; k >= 0; k--) {
        struct space_axis *axis = &l->axes[k];
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
    l->acceleration = (struct space_motion){w, v};
}

void space_tree_accelerate(struct space_tree *tree, const double *tau, double *qdd)
{
    for (int i = 0; i < tree->count; i++) {
        struct space_tree_link *l = &tree->links[i];
        struct vec3 w = l->velocity.w;
        l->p.n = vec3_add(vec3_cross(w, sym3_apply(&l->world_inertia, w)), l->load.n);
        l->p.f = vec3_add(vec3_cross(w, vec3_cross(w, l->h)), l->load.f);
    }
    for (int i = tree->count - 1; i >= 0; i--)
        hand_on(tree, &tree->links[i], tau, 1);
    tree->world.acceleration = (struct space_motion){none, vec3_negated(tree->gravity)};
    for (int i = 0; i < tree->count; i++)
        take_over(tree, &tree->links[i], qdd, 1);
}

void space_tree_respond(struct space_tree *tree, const double *tau,
                        const struct space_wrench *wrenches, double *dqd)
{
    const struct space_wrench nothing = {none, none};
    for (int i = 0; i < tree->count; i++)
        tree->links[i].p = wrenches ? wrench_along(nothing, &wrenches[i], -1) : nothing;
    for (int i = tree->count - 1; i >= 0; i--)
        hand_on(tree, &tree->links[i], tau, 0);
    tree->world.acceleration = (struct space_motion){none, none};
    for (int i = 0; i < tree->count; i++)
        take_over(tree, &tree->links[i], dqd, 0);
}

/* ---------------------------------------------------------------- impulses on few links */

void space_tree_factor_mass(struct space_tree *tree)
{
    space_tree_factor(tree, tree->no_extra, 0);
    for (int i = 0; i < tree->count; i++) {
        struct space_tree_link *l = &tree->links[i];
        l->has_units = 0;
        for (int k = 0; k < l->rates; k++)
            l->axes[k].root = sqrt(l->axes[k].inverse);
    }
}

/* Takes what the axes of a link yield out of an impulse on it and writes their numbers, as
 * hand_on() does; then the impulse is that on the parent. joint: impulses along the axes
 * besides. */
static inline void whiten_axes(const struct space_tree_link *l, const double *joint,
                               struct space_wrench *on, double *row)
{
    for (int k = 0; k < l->rates; k++) {
        const struct space_axis *axis = &l->axes[k];
        double share = along_axis(axis, k < l->slides, on->n, on->f) + joint[k];
        row[l->rate + k] = axis->root * share;
        *on = wrench_along(*on, &axis->u, -axis->inverse * share);
    }
    on->n = vec3_add(on->n, vec3_cross(l->r, on->f));
}

/* row += the rows of an impulse on a link, in the columns from .. to. */
static inline void add_unit_rows(const struct space_tree *tree, const struct space_tree_link *l,
                                 const struct space_wrench *on, double *row)
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

/* What whiten_axes() does, for four impulses on a link side by side, of which the first `count` are
 * wanted. n and f: their moments and forces along x, y and z; on: those on the parent. */
static inline void whiten_four(const struct space_tree_link *l, quad *n, quad *f, double *rows,
                               int stride, int count, struct space_wrench *on)
{
    const struct vec3 r = l->r;
    for (int k = 0; k < l->rates; k++) {
        const struct space_axis *axis = &l->axes[k];
        const struct vec3 s = axis->s, un = axis->u.n, uf = axis->u.f;
        const quad *of = k < l->slides ? f : n;
        quad share = of[0] * s.x + of[1] * s.y + of[2] * s.z;
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
        on[i] = (struct space_wrench){{n[0][i], n[1][i], n[2][i]}, {f[0][i], f[1][i], f[2][i]}};
}

/* The rows of unit moments and forces on a link, out of those on its parent. */
static void find_unit_rows(struct space_tree *tree, struct space_tree_link *l)
{
    int stride = tree->stride;
    double *row = tree->units + (size_t)(l - tree->links) * 6 * (size_t)stride;
    struct space_wrench on[6];
    if (l->has_units)
        return;
    l->has_units = 1;
    if (l->parent >= 0)
        find_unit_rows(tree, l->up);
    for (int i = 0; i < 6; i++)
        for (int k = l->first & ~1, end = l->rate; k < end; k += 4)
            QUAD(row, i * stride + k) = (quad){0};
    quad n[3] = {{1}, {0, 1}, {0, 0, 1}}, f[3] = {{0, 0, 0, 1}};
    whiten_four(l, n, f, row, stride, 4, on);
    quad n_rest[3] = {{0}}, f_rest[3] = {{0}, {1}, {0, 1}};
    whiten_four(l, n_rest, f_rest, row + 4 * stride, stride, 2, on + 4);
    for (int i = 0; i < 6 && l->parent >= 0; i++)
        add_unit_rows(tree, l->up, &on[i], row + i * stride);
}

static inline void reach(const struct space_tree_link *l, int *from, int *to)
{
    int last = l->rate + l->rates;
    if (last == l->first)
        return;
    *from = *to == 0 || l->first < *from ? l->first : *from;
    *to = last > *to ? last : *to;
}

void space_tree_whiten(struct space_tree *tree, int link, const struct space_wrench *on, int count,
                       double *rows, int stride, int *from, int *to)
{
    struct space_tree_link *l = &tree->links[link];
    find_unit_rows(tree, l);
    for (int i = 0; i < count; i++)
        add_unit_rows(tree, l, &on[i], rows + i * stride);
    reach(l, from, to);
}

void space_tree_whiten_joint(struct space_tree *tree, int link, const double *joint, double *row,
                             int *from, int *to)
{
    struct space_tree_link *l = &tree->links[link];
    struct space_wrench on = {none, none};
    whiten_axes(l, joint, &on, row);
    if (l->parent >= 0) {
        find_unit_rows(tree, l->up);
        add_unit_rows(tree, l->up, &on, row);
    }
    reach(l, from, to);
}

void space_tree_unwhiten(struct space_tree *tree, const double *row, double *dqd)
{
    tree->world.acceleration = (struct space_motion){none, none};
    for (int i = 0; i < tree->count; i++) {
        struct space_tree_link *l = &tree->links[i];
        for (int k = 0; k < l->rates; k++)
            l->axes[k].share = l->axes[k].root > 0 ? row[l->rate + k] / l->axes[k].root : 0;
        take_over(tree, l, dqd, 0);
    }
}

double space_tree_drive_effort(const struct space_tree *tree, int link, int axis)
{
    return tree->links[link].axes[axis].share;
}

/* ---------------------------------------------------------------- read-outs */

struct vec3 space_tree_centre(const struct space_tree_link *l)
{
    return vec3_add(l->at, mat3_apply(&l->turned, l->centre));
}

struct vec3 space_tree_centre_velocity(const struct space_tree_link *l)
{
    struct vec3 c = mat3_apply(&l->turned, l->centre);
    return vec3_add(l->velocity.v, vec3_cross(l->velocity.w, c));
}

double space_tree_kinetic_energy(const struct space_tree *tree)
{
    double twice = 0;
    for (int i = 0; i < tree->count; i++) {
        const struct space_tree_link *l = &tree->links[i];
        struct vec3 w = l->velocity.w, v = l->velocity.v;
        twice += l->mass * vec3_dot(v, v) + 2 * vec3_dot(v, vec3_cross(w, l->h)) +
                 vec3_dot(w, sym3_apply(&l->world_inertia, w));
    }
    return twice / 2;
}

static struct vec3 mass_moment(const struct space_tree *tree)
{
    struct vec3 sum = none;
    for (int i = 0; i < tree->count; i++)
        sum = vec3_add(sum, vec3_along(tree->links[i].h, tree->links[i].at, tree->links[i].mass));
    return sum;
}

double space_tree_potential_energy(const struct space_tree *tree)
{
    return -vec3_dot(tree->gravity, mass_moment(tree));
}

struct vec3 space_tree_centre_of_mass(const struct space_tree *tree)
{
    return vec3_scale(mass_moment(tree), 1 / tree->mass);
}

void space_tree_momentum(const struct space_tree *tree, struct vec3 *linear, struct vec3 *angular)
{
    *linear = *angular = none;
    for (int i = 0; i < tree->count; i++) {
        const struct space_tree_link *l = &tree->links[i];
        struct vec3 w = l->velocity.w, v = l->velocity.v;
        struct vec3 p = vec3_along(vec3_cross(w, l->h), v, l->mass);
        struct vec3 spin = vec3_add(sym3_apply(&l->world_inertia, w), vec3_cross(l->h, v));
        *linear = vec3_add(*linear, p);
        *angular = vec3_add(*angular, vec3_add(spin, vec3_cross(l->at, p)));
    }
}

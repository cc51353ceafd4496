/* See spatial_tree.h. Along a joint with axes s_k
 *
 *   alpha = alpha_p + bias.w + sum of s_k qdd_k over turns
 *   a = a_p + alpha_p x r + bias.v + sum of s_k qdd_k over slides
 *   bias.v = w_p x (w_p x r) + 2 w_p x (sum of s_k qd_k)
 *
 * bias.w has one term for each turn: its axis turns with all that comes before it, (w_p + sum of
 * earlier s_j qd_j) x s_k qd_k; the axes of a ball turn with the child, but w x w is 0: w_p x sum
 * of s_k qd_k. */
#include "simulator/links/spatial_tree.h"

#include <math.h>

#include "common/math/detmath.h"
#include "common/error.h"
#include "common/math/pair.h"

static const struct vec3 none = {0, 0, 0};

static void init_link(struct spatial_tree *tree, int i, const struct body_link *from)
{
    struct spatial_tree_link *l = &tree->links[i];
    struct quaternion frame = quaternion_normalised(from->frame);
    l->parent = from->parent;
    l->up = from->parent < 0 ? &tree->world : &tree->links[from->parent];
    l->joint = &joint_kinds[from->kind];
    l->coordinate = tree->coordinates;
    l->rate = tree->rates;
    l->first = from->parent < 0 ? l->rate : l->up->first;
    l->root = from->parent < 0 ? i : l->up->root;
    l->turn = tree->turns;
    l->rates = joint_rates(l->joint);
    l->slides = l->joint->slides;
    l->joint_at = from->joint;
    l->frame = quaternion_matrix(frame);
    l->is_frame_turned = frame.x != 0 || frame.y != 0 || frame.z != 0;
    l->mass = from->mass_kg;
    l->centre = from->centre;
    l->moment = vec3_scale(from->centre, from->mass_kg);
    l->own_inertia = from->inertia;
    l->inertia = sym3_moved(&from->inertia, from->centre, from->mass_kg);
    tree->coordinates += joint_coordinates(l->joint);
    tree->rates += l->rates;
    tree->turns += l->joint->turns;
    tree->mass += from->mass_kg;
}

/* Its numbers follow those of the links before it, of which there are so many. */
static void check_link(const struct spatial_tree *tree, int i, int coordinates, int rates,
                       int turns)
{
    const struct spatial_tree_link *l = &tree->links[i];
    int is_root = l->parent < 0;
    ENSURE(l->up == (is_root ? &tree->world : &tree->links[l->parent]),
           "link %d is moved by another one than its parent %d", i, l->parent);
    ENSURE(l->coordinate == coordinates && l->rate == rates && l->turn == turns,
           "link %d begins at coordinate %d, rate %d and turn %d instead of %d, %d and %d", i,
           l->coordinate, l->rate, l->turn, coordinates, rates, turns);
    ENSURE(l->rates >= l->slides && l->rates <= JOINT_RATES_MAX, "link %d has %d rates, %d slides",
           i, l->rates, l->slides);
    ENSURE(l->root == (is_root ? i : l->up->root), "link %d hangs on root %d", i, l->root);
    ENSURE(l->first == tree->links[l->root].rate, "link %d: its root begins at rate %d, not %d", i,
           tree->links[l->root].rate, l->first);
    ENSURE(!(l->mass < 0), "link %d has a mass of %g kg", i, l->mass);
    ENSURE(!(l->own_inertia.xx < 0 || l->own_inertia.yy < 0 || l->own_inertia.zz < 0),
           "link %d has moments of inertia of %g, %g and %g kg m^2", i, l->own_inertia.xx,
           l->own_inertia.yy, l->own_inertia.zz);
}

/* Invariants of a tree in any state. */
static void check(const struct spatial_tree *tree)
{
    int coordinates = 0, rates = 0, turns = 0;
    double mass = 0;
    for (int i = 0; i < tree->count; i++) {
        check_link(tree, i, coordinates, rates, turns);
        coordinates += joint_coordinates(tree->links[i].joint);
        rates += joint_rates(tree->links[i].joint);
        turns += tree->links[i].joint->turns;
        mass += tree->links[i].mass;
    }
    ENSURE(tree->coordinates == coordinates && tree->rates == rates && tree->turns == turns,
           "%d coordinates, %d rates and %d turns; its links have %d, %d and %d", tree->coordinates,
           tree->rates, tree->turns, coordinates, rates, turns);
    ENSURE(!(fabs(mass - tree->mass) > 1e-9 * mass), "a mass of %g kg, of the links %g kg",
           tree->mass, mass);
    ENSURE(tree->stride % 2 == 0 && tree->stride >= rates + 3,
           "rows of %d numbers for %d rates, in fours", tree->stride, rates);
}

int spatial_tree_create(struct spatial_tree *tree, const struct body_link *links, int count,
                        struct vec3 gravity, struct arena *arena)
{
    *tree = (struct spatial_tree){.count = count, .gravity = gravity};
    tree->world.turned = quaternion_matrix(QUATERNION_ONE);
    tree->links = arena_take(arena, (size_t)count, sizeof tree->links[0]);
    if (!tree->links)
        return ERR_MEMORY;
    for (int i = 0; i < count; i++) {
        ENSURE(links[i].parent >= -1 && links[i].parent < i, "link %d hangs on link %d", i,
               links[i].parent);
        ENSURE(links[i].kind >= 0 && links[i].kind < LINK_JOINT_COUNT,
               "link %d has a joint of kind %d", i, links[i].kind);
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
    check(tree);
    return 0;
}

/* ---------------------------------------------------------------- coordinates */

static inline struct vec3 get_vector(const double *v)
{
    return (struct vec3){v[0], v[1], v[2]};
}

void spatial_tree_check_coordinates(const struct spatial_tree *tree, const double *q)
{
    for (int i = 0; i < tree->count; i++) {
        const struct spatial_tree_link *l = &tree->links[i];
        if (!l->joint->has_ball)
            continue;
        double square =
            quaternion_square(quaternion_read(q + l->coordinate + spatial_tree_plain(l)));
        ENSURE(!(fabs(square - 1) > 1e-9), "link %d is turned by a quaternion of length^2 %.17g", i,
               square);
    }
}

void spatial_tree_birth(const struct spatial_tree *tree, double *q)
{
    for (int i = 0; i < tree->count; i++) {
        const struct spatial_tree_link *l = &tree->links[i];
        double *own = q + l->coordinate;
        for (int k = 0; k < spatial_tree_plain(l); k++)
            own[k] = 0;
        if (l->joint->has_ball)
            quaternion_write(own + spatial_tree_plain(l), QUATERNION_ONE);
    }
}

void spatial_tree_coordinate_rates(const struct spatial_tree *tree, const double *q,
                                   const double *qd, double *rates)
{
    for (int i = 0; i < tree->count; i++) {
        const struct spatial_tree_link *l = &tree->links[i];
        int plain = spatial_tree_plain(l), at = l->coordinate;
        for (int k = 0; k < plain; k++)
            rates[at + k] = qd[l->rate + k];
        if (l->joint->has_ball)
            quaternion_write(rates + at + plain, quaternion_rate(quaternion_read(q + at + plain),
                                                                 get_vector(qd + l->rate + plain)));
    }
}

void spatial_tree_advance(const struct spatial_tree *tree, const double *from, const double *qd,
                          double time_s, double *q)
{
    for (int i = 0; i < tree->count; i++) {
        const struct spatial_tree_link *l = &tree->links[i];
        int plain = spatial_tree_plain(l), at = l->coordinate;
        for (int k = 0; k < plain; k++)
            q[at + k] = from[at + k] + time_s * qd[l->rate + k];
        if (!l->joint->has_ball)
            continue;
        struct vec3 turn = vec3_scale(get_vector(qd + l->rate + plain), time_s);
        struct quaternion there =
            quaternion_product(quaternion_read(from + at + plain), quaternion_exp(turn));
        quaternion_write(q + at + plain, quaternion_normalised(there));
    }
}

void spatial_tree_normalise(const struct spatial_tree *tree, double *q)
{
    for (int i = 0; i < tree->count; i++) {
        const struct spatial_tree_link *l = &tree->links[i];
        double *ball = q + l->coordinate + spatial_tree_plain(l);
        if (l->joint->has_ball)
            quaternion_write(ball, quaternion_normalised(quaternion_read(ball)));
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

static inline void place_link(const struct spatial_tree *tree, struct spatial_tree_link *l,
                              const double *q)
{
    const struct spatial_tree_link *up = l->up;
    const struct joint_kind *joint = l->joint;
    struct spatial_axis *axis = l->axes;
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
        struct mat3 ball = quaternion_matrix(quaternion_normalised(quaternion_read(q)));
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

void spatial_tree_set_pose(struct spatial_tree *tree, const double *q)
{
    for (int i = 0; i < tree->count; i++) {
        const struct spatial_tree_link *l = &tree->links[i];
        for (int k = 0; k < l->joint->turns; k++)
            tree->angles[l->turn + k] = q[l->coordinate + l->slides + k];
    }
    det_sincos_all(tree->angles, tree->turns, tree->sines, tree->cosines);
    for (int i = 0; i < tree->count; i++)
        place_link(tree, &tree->links[i], q);
}

void spatial_tree_shift(struct spatial_tree *tree, const double *q)
{
    for (int i = 0; i < tree->count; i++) {
        struct spatial_tree_link *l = &tree->links[i];
        if (l->parent < 0)
            l->r = mat3_apply(&l->up->turned, l->joint_at);
        for (int k = 0; k < l->slides && l->parent < 0; k++)
            l->r = vec3_along(l->r, l->axes[k].s, q[l->coordinate + k]);
        l->at = vec3_add(l->up->at, l->r);
    }
}

/* ---------------------------------------------------------------- velocity */

static inline void move_link(struct spatial_tree_link *l, const double *qd, int has_bias)
{
    const struct spatial_motion *up = &l->up->velocity;
    const struct spatial_axis *axis = l->axes;
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

void spatial_tree_set_velocity(struct spatial_tree *tree, const double *qd)
{
    for (int i = 0; i < tree->count; i++)
        move_link(&tree->links[i], qd + tree->links[i].rate, 1);
}

void spatial_tree_move(struct spatial_tree *tree, const double *qd)
{
    for (int i = 0; i < tree->count; i++)
        move_link(&tree->links[i], qd + tree->links[i].rate, 0);
}

void spatial_tree_sum_biases(struct spatial_tree *tree)
{
    for (int i = 0; i < tree->count; i++) {
        struct spatial_tree_link *l = &tree->links[i];
        const struct spatial_motion *up = &l->up->bias_sum;
        l->bias_sum.w = vec3_add(up->w, l->bias.w);
        l->bias_sum.v = vec3_add(vec3_add(up->v, vec3_cross(up->w, l->r)), l->bias.v);
    }
}

/* ---------------------------------------------------------------- tensors */

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

void spatial_tensor_add_shifted(struct spatial_tensor *to, const struct spatial_tensor *t,
                                struct vec3 r)
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

/* ---------------------------------------------------------------- read-outs */

struct vec3 spatial_tree_centre(const struct spatial_tree_link *l)
{
    return vec3_add(l->at, mat3_apply(&l->turned, l->centre));
}

struct vec3 spatial_tree_centre_velocity(const struct spatial_tree_link *l)
{
    struct vec3 c = mat3_apply(&l->turned, l->centre);
    return vec3_add(l->velocity.v, vec3_cross(l->velocity.w, c));
}

double spatial_tree_kinetic_energy(const struct spatial_tree *tree)
{
    double twice = 0;
    for (int i = 0; i < tree->count; i++) {
        const struct spatial_tree_link *l = &tree->links[i];
        struct vec3 w = l->velocity.w, v = l->velocity.v;
        twice += l->mass * vec3_dot(v, v) + 2 * vec3_dot(v, vec3_cross(w, l->h)) +
                 vec3_dot(w, sym3_apply(&l->world_inertia, w));
    }
    return twice / 2;
}

static struct vec3 mass_moment(const struct spatial_tree *tree)
{
    struct vec3 sum = none;
    for (int i = 0; i < tree->count; i++)
        sum = vec3_add(sum, vec3_along(tree->links[i].h, tree->links[i].at, tree->links[i].mass));
    return sum;
}

double spatial_tree_potential_energy(const struct spatial_tree *tree)
{
    return -vec3_dot(tree->gravity, mass_moment(tree));
}

struct vec3 spatial_tree_centre_of_mass(const struct spatial_tree *tree)
{
    return vec3_scale(mass_moment(tree), 1 / tree->mass);
}

void spatial_tree_momentum(const struct spatial_tree *tree, struct vec3 *linear,
                           struct vec3 *angular)
{
    *linear = *angular = none;
    for (int i = 0; i < tree->count; i++) {
        const struct spatial_tree_link *l = &tree->links[i];
        struct vec3 w = l->velocity.w, v = l->velocity.v;
        struct vec3 p = vec3_along(vec3_cross(w, l->h), v, l->mass);
        struct vec3 spin = vec3_add(sym3_apply(&l->world_inertia, w), vec3_cross(l->h, v));
        *linear = vec3_add(*linear, p);
        *angular = vec3_add(*angular, vec3_add(spin, vec3_cross(l->at, p)));
    }
}

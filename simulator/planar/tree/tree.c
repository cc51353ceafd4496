/* See tree.h: creation, poses and velocities, energies. Two numbers go side by side (pair.h): x and
 * y of plane vectors. Loops are made twice, once for trees of free hinges alone (are_hinges), in
 * which nothing is asked about joints. */
#include "simulator/planar/tree/tree.h"

#include <math.h>

#include "common/math/detmath.h"
#include "common/error.h"
#include "common/math/pair.h"
#include "simulator/planar/tree/tree_private.h"

#define DRAG_PI 3.14159265358979323846

/* Sines and cosines of angles that have changed little, two at a time, are turned from those of a
 * base angle by a series: a third of what sines of any angle cost, and as exact. Turns up to which
 * the series will do, rad. */
#define SINCOS_UPDATE_MAX_RAD 0.2

/* Sine and cosine of angles x up to SINCOS_UPDATE_MAX_RAD, z = x x: (sin x / x - 1) / x^2 and (cos x - 1 +
 * x^2 / 2) / x^4 interpolated at Chebyshev's four points of x^2; errors are below 5e-18. */
static inline void sincos_update(pair x, pair z, pair *sine, pair *cosine)
{
    pair w = z * z;
    pair odd = (-0x1.5555555555543p-3 + z * 0x1.11111110d8aedp-7) +
               w * (-0x1.a019fabe07951p-13 + z * 0x1.719963b18b037p-19);
    pair even = (0x1.5555555555543p-5 + z * -0.0013888888888555005) +
                w * (2.480158312788733e-05 + z * -2.754062286452967e-07);
    *sine = x + x * (z * odd);
    *cosine = 1.0 - (0.5 * z - w * even);
}

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

/* The order in which passes go outward, and back inward: all links of a depth before the next
 * ones', so that limbs, whose chains of operations do not wait for one another, are worked on at
 * the same time. Within a depth the order is that of the links, so that sums over a parent's
 * children have the same bits. */
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
    *tree = (struct tree){.count = phenotype->body->link_count,
                          .dof = 2 + phenotype->body->link_count,
                          .is_root_fixed = body_is_fixed(phenotype->body)};
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
        const struct body_link *from = &phenotype->body->links[i];
        struct tree_link *to = &tree->links[i];
        double x = from->centre.x, y = from->centre.y;
        to->index = i;
        to->parent = tree->parents[i] = from->parent;
        to->up = i > 0 ? &tree->links[from->parent] : NULL;
        to->is_linear = from->kind == LINK_LINEAR;
        to->is_driven = from->kind == LINK_RIGID;
        to->birth_x = to->joint_x = from->joint.x;
        to->birth_y = to->joint_y = from->joint.y;
        XY(to->joint_across_x) = plane_turn(XY(to->joint_x));
        to->axis_x = from->axis.x;
        to->axis_y = from->axis.y;
        to->centre_x = x;
        to->centre_y = y;
        to->mass = from->mass_kg;
        to->moment_x = from->mass_kg * x;
        to->moment_y = from->mass_kg * y;
        XY(to->moment_across_x) = plane_turn(XY(to->moment_x));
        to->own_inertia = from->inertia.zz;
        to->inertia = from->inertia.zz + from->mass_kg * (x * x + y * y);
        tree->mass += from->mass_kg;
        if (from->kind == LINK_STRETCH && i > 0 && stretch_create(to, from, arena) != 0)
            return ERR_MEMORY;
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
        tree->are_hinges &= tree_turns(&tree->links[i]) && !tree->links[i].is_driven;
}

/* ---------------------------------------------------------------- pose and velocity */

/* The way from the parent's origin to the own. */
static inline void set_way(struct tree_link *l, const struct tree_link *p, pair r)
{
    XY(l->rx) = r;
    XY(l->across_x) = plane_turn(r);
    XY(l->px) = XY(p->px) + r;
}

/* With the axis, and the joint pulled out along it by q. */
static void place_slide(struct tree_link *l, const struct tree_link *p, double q)
{
    pair axis = XY(l->axis_x), joint = XY(l->joint_x) + axis * q;
    XY(l->sx) = p->cos * axis + p->sin * plane_turn(axis);
    set_way(l, p, p->cos * joint + p->sin * plane_turn(joint));
}

/* Everything that depends on a link's angle alone. */
static inline void turn_link(struct tree_link *l, double angle, double s, double c)
{
    pair h = c * XY(l->moment_x) + s * XY(l->moment_across_x);
    l->angle = angle;
    l->sin = s;
    l->cos = c;
    XY(l->hx) = h;
}

static inline void set_angles(struct tree *tree, const double *q)
{
    const int *parents = tree->parents;
    double *angle = tree->angle;
    tree->is_factored = 0;
    tree->root_x = q[0];
    tree->root_y = q[1];
    angle[0] = q[2];
    if (tree->are_hinges)
        for (int i = 1, count = tree->count; i < count; i++)
            angle[i] = angle[parents[i]] + q[2 + i];
    else
        for (int i = 1; i < tree->count; i++)
            angle[i] = angle[parents[i]] + (tree_turns(&tree->links[i]) ? q[2 + i] : 0);
}

/* A link other than the root, its parent being placed. */
static inline void place_link(struct tree_link *l, double angle, double s, double c, double q,
                              int are_hinges)
{
    if (!are_hinges && l->stretch)
        stretch_set(l, q, s, c);
    turn_link(l, angle, s, c);
    const struct tree_link *p = l->up;
    if (!are_hinges && p->stretch)
        stretch_place(l);
    if (!are_hinges && l->is_linear)
        place_slide(l, p, q);
    else
        set_way(l, p, p->cos * XY(l->joint_x) + p->sin * XY(l->joint_across_x));
}

/* The links, which have their sines. */
static inline void place_links_as(struct tree *tree, const double *q, int are_hinges)
{
    struct tree_link *links = tree->links;
    const double *angle = tree->angle, *sine = tree->sine, *cosine = tree->cosine;
    turn_link(&links[0], angle[0], sine[0], cosine[0]);
    for (int i = 1, count = tree->count; i < count; i++)
        place_link(&links[i], angle[i], sine[i], cosine[i], q[2 + i], are_hinges);
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
    return pair_is_less(pair_of(SINCOS_UPDATE_MAX_RAD * SINCOS_UPDATE_MAX_RAD), turn * turn);
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
        sincos_update(turn, square, &s, &c);
        is_far |= pair_is_less(pair_of(SINCOS_UPDATE_MAX_RAD * SINCOS_UPDATE_MAX_RAD), square);
        PAIR(sine, i) = sin * c + cos * s;
        PAIR(cosine, i) = cos * c - sin * s;
    }
    if (!tree->has_base || pair_mask(is_far))
        renew_bases(tree);
}

/* Of all links, as their velocity or as that at the start. */
ALWAYS_INLINE static inline void set_velocity(struct tree *tree, const double *qd, int is_start,
                                              int are_hinges)
{
    struct tree_link *links = tree->links;
    tree_set_root_velocity(is_start ? &links[0].start : &links[0].velocity, qd);
    for (int i = 1, count = tree->count; i < count; i++) {
        struct tree_link *l = &links[i];
        if (!are_hinges && !is_start)
            l->rate = qd[2 + i];
        else if (!are_hinges && l->stretch)
            l->stretch->start_rate = qd[2 + i];
        tree_add_rate(l, i, is_start ? &l->up->start : &l->up->velocity, qd,
                      is_start ? &l->start : &l->velocity, are_hinges);
    }
}

void tree_set_velocity(struct tree *tree, const double *qd)
{
    if (tree->are_hinges)
        set_velocity(tree, qd, 0, 1);
    else
        set_velocity(tree, qd, 0, 0);
}

void tree_set_start_velocity(struct tree *tree, const double *qd)
{
    if (tree->are_hinges)
        set_velocity(tree, qd, 1, 1);
    else
        set_velocity(tree, qd, 1, 0);
}

/* Sums over links: mass times place, momentum, and the sums about the root's origin for angular
 * momentum and inertia. */
struct bulk_sum {
    pair moment, momentum, twist, square;
    double spin, inertia;
};

static inline void add_to_bulk(struct bulk_sum *sum, const struct tree_link *l, int are_hinges)
{
    double w = l->velocity.w, mass = l->mass;
    pair at = XY(l->px), h = XY(l->hx), velocity = XY(l->velocity.x), way = mass * at;
    pair p = mass * velocity + w * plane_turn(h);
    if (!are_hinges && l->stretch) {
        p += l->rate * XY(l->stretch->hx);
        sum->spin += l->rate * l->stretch->n;
    }
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

/* Places the links, which have their sines, and moves them; adds them to the sum, unless that is
 * NULL. */
ALWAYS_INLINE static inline void move_links(struct tree *tree, const double *q, const double *qd,
                                            int are_hinges, struct bulk_sum *sum)
{
    struct tree_link *links = tree->links;
    const double *angle = tree->angle, *sine = tree->sine, *cosine = tree->cosine;
    turn_link(&links[0], angle[0], sine[0], cosine[0]);
    tree_set_root_velocity(&links[0].velocity, qd);
    if (sum)
        add_to_bulk(sum, &links[0], 1);
    for (int i = 1, count = tree->count; i < count; i++) {
        struct tree_link *l = &links[i];
        place_link(l, angle[i], sine[i], cosine[i], q[2 + i], are_hinges);
        if (!are_hinges)
            l->rate = qd[2 + i];
        tree_add_rate(l, i, &l->up->velocity, qd, &l->velocity, are_hinges);
        if (sum)
            add_to_bulk(sum, l, are_hinges);
    }
}

static NEVER_INLINE void move_all_links(struct tree *tree, const double *q, const double *qd)
{
    move_links(tree, q, qd, 0, NULL);
}

void tree_turn(struct tree *tree, const double *q, const double *qd)
{
    turn_angles(tree, q);
    if (tree->are_hinges)
        move_links(tree, q, qd, 1, NULL);
    else
        move_all_links(tree, q, qd);
}

struct tree_bulk tree_move(struct tree *tree, const double *q, const double *qd)
{
    struct bulk_sum sum = {.spin = 0};
    turn_angles(tree, q);
    if (!tree->are_hinges) {
        move_all_links(tree, q, qd);
        return tree_bulk(tree);
    }
    move_links(tree, q, qd, 1, &sum);
    return finish_bulk(&sum, tree->mass);
}

/* ---------------------------------------------------------------- energies */

struct tree_bulk tree_bulk(const struct tree *tree)
{
    struct bulk_sum sum = {.spin = 0};
    for (int i = 0, count = tree->count; i < count; i++)
        add_to_bulk(&sum, &tree->links[i], 0);
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
        if (l->stretch) {
            q += l->rate * XY(l->stretch->hx);
            turning += l->rate * (l->inertia * l->rate + 2 * w * l->stretch->n);
        }
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

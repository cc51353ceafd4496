/* See spatial_momentum.h. */
#include "simulator/spatial/tree/spatial_momentum.h"

#include "common/error.h"

void spatial_momentum_find(const struct spatial_tree *tree, int root, struct spatial_momentum *m)
{
    ENSURE(root >= 0 && root < tree->count && tree->links[root].parent < 0,
           "link %d of %d is no root", root, tree->count);
    *m = (struct spatial_momentum){.mass = 0};
    for (int i = root; i < tree->count; i++) {
        const struct spatial_tree_link *l = &tree->links[i];
        if (l->root != root)
            continue;
        m->mass += l->mass;
        m->centre = vec3_add(m->centre, vec3_along(l->h, l->at, l->mass));
        m->linear = vec3_add(m->linear,
                             vec3_along(vec3_cross(l->velocity.w, l->h), l->velocity.v, l->mass));
    }
    m->centre = vec3_scale(m->centre, m->mass > 0 ? 1 / m->mass : 0);
    for (int i = root; i < tree->count; i++) {
        const struct spatial_tree_link *l = &tree->links[i];
        struct vec3 w = l->velocity.w, v = l->velocity.v, from = vec3_sub(l->at, m->centre);
        if (l->root != root || l->mass == 0)
            continue;
        struct vec3 p = vec3_along(vec3_cross(w, l->h), v, l->mass);
        struct vec3 spin = vec3_add(sym3_apply(&l->world_inertia, w), vec3_cross(l->h, v));
        struct vec3 own = vec3_scale(l->h, 1 / l->mass);
        m->angular = vec3_add(m->angular, vec3_add(spin, vec3_cross(from, p)));
        m->inertia = sym3_add(&m->inertia, &l->world_inertia);
        m->inertia = sym3_moved(&m->inertia, own, -l->mass);
        m->inertia = sym3_moved(&m->inertia, vec3_add(from, own), l->mass);
    }
}

/* Turns the ball of a free root by a small rotation vector. */
static void turn_root(const struct spatial_tree_link *l, struct vec3 by, double *q)
{
    double *at = q + l->coordinate + l->slides;
    const struct spatial_axis *axes = l->axes + l->slides;
    struct vec3 own = {vec3_dot(axes[0].s, by), vec3_dot(axes[1].s, by), vec3_dot(axes[2].s, by)};
    struct quaternion turned =
        quaternion_normalised(quaternion_product(quaternion_read(at), quaternion_exp(own)));
    quaternion_write(at, turned);
}

/* The whole turns about its centre by R = exp(turned_s x rate), with its momentum, and then gets
 * the rate that it still lacks: R I R' rate = target - R now. */
double spatial_momentum_set(const struct spatial_tree *tree, int root,
                            const struct spatial_momentum *now,
                            const struct spatial_momentum *target, double turned_s, double *q,
                            double *qd)
{
    const struct spatial_tree_link *l = &tree->links[root];
    ENSURE(l->parent < 0 && l->slides == 3 && l->joint->has_ball, "link %d is no free root", root);
    ENSURE(!(now->mass < 0), "the whole of root %d has a mass of %g kg", root, now->mass);
    struct sym3 inverse = sym3_inverse(&now->inertia);
    struct vec3 rate = sym3_apply(&inverse, vec3_sub(target->angular, now->angular));
    struct vec3 by = vec3_scale(rate, turned_s);
    struct mat3 turned = quaternion_matrix(quaternion_exp(by));
    struct vec3 spin = mat3_apply(&turned, now->angular), missing = vec3_sub(target->angular, spin);
    struct vec3 turn = sym3_apply(&inverse, mat3_back(&turned, missing));
    turn = mat3_apply(&turned, turn);
    struct vec3 push = vec3_sub(target->linear, now->linear);
    struct vec3 velocity = vec3_scale(push, 1 / now->mass);
    struct vec3 from = mat3_apply(&turned, vec3_sub(l->at, now->centre));
    struct vec3 relative = vec3_along(l->velocity.v, now->linear, -1 / now->mass);
    struct vec3 of_origin = vec3_sub(mat3_apply(&turned, relative), relative);
    of_origin = vec3_add(vec3_add(velocity, of_origin), vec3_cross(turn, from));
    struct vec3 way = vec3_sub(vec3_add(target->centre, from), l->at);
    for (int k = 0; k < l->rates; k++) {
        int is_slide = k < l->slides;
        struct vec3 axis = is_slide ? l->axes[k].s : mat3_apply(&turned, l->axes[k].s);
        qd[l->rate + k] += vec3_dot(axis, is_slide ? of_origin : turn);
        if (is_slide)
            q[l->coordinate + k] += vec3_dot(axis, way);
    }
    turn_root(l, by, q);
    return vec3_dot(velocity, now->linear) + vec3_dot(turn, spin) +
           0.5 * (vec3_dot(velocity, push) + vec3_dot(turn, missing));
}

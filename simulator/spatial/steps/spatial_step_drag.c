/* Drag as loads on links, and what it takes: see spatial_step.h. */
#include "simulator/spatial/tree/spatial_momentum.h"
#include "simulator/spatial/steps/spatial_step.h"

/* The velocity of a link at the pose for rates, without velocity products; its parent has its
 * own. */
static void set_mean(struct spatial_tree_link *l, const double *qd)
{
    struct spatial_motion v = {{0, 0, 0}, {0, 0, 0}};
    if (l->parent >= 0) {
        v = l->up->mean;
        v.v = vec3_add(v.v, vec3_cross(v.w, l->r));
    }
    for (int k = 0; k < l->rates; k++) {
        if (k < l->slides)
            v.v = vec3_along(v.v, l->axes[k].s, qd[l->rate + k]);
        else
            v.w = vec3_along(v.w, l->axes[k].s, qd[l->rate + k]);
    }
    l->mean = v;
}

void spatial_step_set_drag(struct spatial_dynamics *d, const double *start, double half_step)
{
    struct spatial_tree *tree = &d->tree;
    if (!d->has_drag)
        return;
    spatial_drag_set(&d->drag, tree);
    spatial_tree_sum_biases(tree);
    for (int i = 0; i < tree->count; i++) {
        struct spatial_tree_link *l = &tree->links[i];
        set_mean(l, start);
        struct spatial_motion known = {vec3_along(l->mean.w, l->bias_sum.w, -half_step),
                                       vec3_along(l->mean.v, l->bias_sum.v, -half_step)};
        known.v = vec3_along(known.v, tree->gravity, half_step);
        l->load = spatial_tensor_apply(&l->drag, &known);
    }
}

double spatial_step_drag_power(struct spatial_dynamics *d, const double *dragged,
                               const double *rates)
{
    double power = 0;
    for (int i = 0; i < d->tree.count && d->has_drag; i++) {
        struct spatial_tree_link *l = &d->tree.links[i];
        set_mean(l, dragged);
        l->load = spatial_tensor_apply(&l->drag, &l->mean);
    }
    for (int i = 0; i < d->tree.count && d->has_drag; i++) {
        struct spatial_tree_link *l = &d->tree.links[i];
        set_mean(l, rates);
        power -= vec3_dot(l->load.n, l->mean.w) + vec3_dot(l->load.f, l->mean.v);
    }
    return power;
}

struct impulse_sum spatial_step_drag_impulse(const struct spatial_dynamics *d, int root,
                                             double time_s)
{
    struct impulse_sum sum = {.size = 0};
    for (int i = root; i < d->tree.count && d->has_drag; i++) {
        const struct spatial_tree_link *l = &d->tree.links[i];
        if (d->tree.links[i].root != root)
            continue;
        struct vec3 moment = vec3_add(l->load.n, vec3_cross(l->at, l->load.f));
        sum.linear = vec3_along(sum.linear, l->load.f, -time_s);
        sum.angular = vec3_along(sum.angular, moment, -time_s);
        sum.size += time_s * vec3_length(l->load.f);
    }
    return sum;
}

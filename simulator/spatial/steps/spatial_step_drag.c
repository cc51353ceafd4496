/* Drag as loads on links, and what it takes: see spatial_step.h. */
#include "simulator/spatial/tree/spatial_momentum.h"
#include "simulator/spatial/steps/spatial_step.h"

static struct spatial_motion motion_along(struct spatial_motion a, const struct spatial_motion *b,
                                          double s)
{
    return (struct spatial_motion){vec3_along(a.w, b->w, s), vec3_along(a.v, b->v, s)};
}

/* Velocities of all links at the pose for rates, without velocity products. */
static struct spatial_motion link_motion(const struct spatial_tree_link *l,
                                         const struct spatial_motion *up, const double *qd)
{
    struct spatial_motion v = {up->w, vec3_add(up->v, vec3_cross(up->w, l->r))};
    for (int k = 0; k < l->rates; k++) {
        if (k < l->slides)
            v.v = vec3_along(v.v, l->axes[k].s, qd[k]);
        else
            v.w = vec3_along(v.w, l->axes[k].s, qd[k]);
    }
    return v;
}

void spatial_step_set_drag(struct spatial_dynamics *d, const double *start, double half_step)
{
    const struct spatial_motion still = {{0, 0, 0}, {0, 0, 0}};
    struct spatial_tree *tree = &d->tree;
    if (!d->has_drag)
        return;
    spatial_drag_set(&d->drag, tree);
    spatial_tree_sum_biases(tree);
    for (int i = 0; i < tree->count; i++) {
        struct spatial_tree_link *l = &tree->links[i];
        const struct spatial_motion *up = l->parent < 0 ? &still : &l->up->mean;
        l->mean = link_motion(l, up, start + l->rate);
        struct spatial_motion known = motion_along(l->mean, &l->bias_sum, -half_step);
        known.v = vec3_along(known.v, tree->gravity, half_step);
        l->load = spatial_tensor_apply(&l->drag, &known);
    }
}

double spatial_step_drag_power(struct spatial_dynamics *d, const double *dragged,
                               const double *rates)
{
    const struct spatial_motion still = {{0, 0, 0}, {0, 0, 0}};
    double power = 0;
    for (int i = 0; i < d->tree.count && d->has_drag; i++) {
        struct spatial_tree_link *l = &d->tree.links[i];
        l->mean = link_motion(l, l->parent < 0 ? &still : &l->up->mean, dragged + l->rate);
        l->load = spatial_tensor_apply(&l->drag, &l->mean);
    }
    for (int i = 0; i < d->tree.count && d->has_drag; i++) {
        struct spatial_tree_link *l = &d->tree.links[i];
        l->mean = link_motion(l, l->parent < 0 ? &still : &l->up->mean, rates + l->rate);
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

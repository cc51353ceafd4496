/* Momentum of free roots, which joint coordinates lose: see spatial_step.h. */
#include <math.h>

#include "simulator/spatial/steps/spatial_step.h"

void spatial_step_find_momenta(struct spatial_dynamics *d)
{
    if (d->has_momenta)
        return;
    spatial_step_set_pose(d);
    for (int i = 0; i < d->root_count; i++)
        spatial_momentum_find(&d->tree, d->roots[i], &d->momenta[i]);
    d->has_momenta = 1;
}

/* The momentum of free root i at the end of a step: impulses act, and gravity and drag change its
 * velocity, in the middle. Returns 1 if contacts gave it something. */
static int set_target(struct spatial_dynamics *d, const struct spatial_contacts *contacts, int i,
                      double half, struct spatial_momentum *m)
{
    struct vec3 linear, angular, drop = vec3_scale(d->tree.gravity, 2 * half * m->mass);
    struct vec3 middle = vec3_along(m->centre, m->linear, half / m->mass);
    const struct impulse_sum *dragged = &d->dragged[i];
    spatial_contacts_impulse(contacts, &d->contacts.own, d->roots[i], middle, &linear, &angular);
    int is_touched = vec3_dot(linear, linear) + vec3_dot(angular, angular) > 0;
    struct vec3 sum = vec3_add(vec3_add(linear, drop), dragged->linear);
    struct vec3 swept = vec3_cross(middle, dragged->linear);
    angular = vec3_add(angular, vec3_sub(dragged->angular, swept));
    d->base.given.linear = vec3_add(d->base.given.linear, sum);
    d->base.given.angular =
        vec3_add(d->base.given.angular, vec3_add(angular, vec3_cross(middle, sum)));
    d->base.given.size += vec3_length(linear) + vec3_length(drop) + dragged->size;
    m->linear = vec3_add(m->linear, sum);
    m->angular = vec3_add(m->angular, angular);
    m->centre = vec3_along(middle, m->linear, half / m->mass);
    return is_touched;
}

/* Gives free root i its momenta. A body that flies goes its way of the second half with the mended
 * rates: so energy and momentum err together, and a box that tumbles keeps its energy 40 times
 * better. A body that touches stays where its contacts have it. */
static void keep_root(struct spatial_dynamics *d, int i, double turned_s)
{
    struct spatial_momentum now;
    const struct spatial_momentum *target = &d->momenta[i];
    spatial_momentum_find(&d->tree, d->roots[i], &now);
    double gain =
        spatial_momentum_set(&d->tree, d->roots[i], &now, target, turned_s, d->base.q, d->base.qd);
    gain -= now.mass * vec3_dot(d->tree.gravity, vec3_sub(target->centre, now.centre));
    d->base.dynamics.ledger.mended_j += fabs(gain);
}

void spatial_step_keep_momentum(struct spatial_dynamics *d, const struct spatial_contacts *contacts,
                                double half)
{
    int is_plain = d->base.settings.integrator == INTEGRATOR_RK4, are_turned = 0;
    d->base.is_given &= d->has_momenta;
    if (is_plain)
        d->base.given.truncation_share = RK4_TRUNCATION_SHARE;
    if (!d->has_momenta)
        return;
    spatial_step_set_pose(d);
    for (int i = 0; i < d->root_count; i++) {
        int is_touched = set_target(d, contacts, i, half, &d->momenta[i]);
        if (!is_plain)
            keep_root(d, i, is_touched ? 0 : half);
        are_turned |= !is_touched;
    }
    if (are_turned)
        spatial_tree_set_pose(&d->tree, d->base.q);
    else
        spatial_tree_shift(&d->tree, d->base.q);
    spatial_tree_move(&d->tree, d->base.qd);
}

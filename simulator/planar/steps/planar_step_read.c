/* See planar_step_private.h, and dynamics.h for what each function says. */
#include "simulator/planar/steps/planar_step_private.h"

#include <math.h>

#include "common/math/hash.h"

/* For callers that look. */
static const struct planar_step *posed(const struct dynamics *dynamics)
{
    struct planar_step *d = planar_step_of(dynamics);
    planar_step_set_pose(d);
    return d;
}

FOLLOWS(vec2, x, y);
FOLLOWS(vec3, x, y);

/* Where a place in a link is from the link's origin. */
static inline pair place_in(const struct tree_link *l, pair local)
{
    return l->cos * local + l->sin * plane_turn(local);
}

static void link_state(const struct dynamics *dynamics, int link, struct part_state *state)
{
    const struct planar_step *d = posed(dynamics);
    const struct tree_link *l = &d->tree.links[link];
    struct vec2 centre = tree_centre(l);
    struct motion v = tree_centre_velocity(l);
    *state = (struct part_state){.at_m = {d->tree.root_x + centre.x, d->tree.root_y + centre.y, 0},
                                 .angle_rad = l->angle,
                                 .velocity_m_s = {v.x, v.y, 0},
                                 .spin_rad_s = {0, 0, v.w}};
}

static void part_state(const struct dynamics *dynamics, int part, struct part_state *state)
{
    const struct planar_step *d = posed(dynamics);
    const struct part *p = &d->phenotype->parts[part];
    const struct tree_link *l = &d->tree.links[p->link];
    if (l->stretch) {
        link_state(dynamics, p->link, state);
        state->angle_rad += p->local_angle_rad;
        return;
    }
    pair origin = XY(l->px), at = origin + place_in(l, XY(p->local.x));
    pair v = XY(l->velocity.x) + l->velocity.w * plane_turn(at - origin);
    *state = (struct part_state){.angle_rad = l->angle + p->local_angle_rad,
                                 .spin_rad_s = {0, 0, l->velocity.w}};
    XY(state->at_m.x) = XY(d->tree.root_x) + at;
    XY(state->velocity_m_s.x) = v;
}

static double part_stretch(const struct dynamics *dynamics, int part)
{
    const struct planar_step *d = planar_step_of(dynamics);
    int link = d->phenotype->parts[part].link;
    return d->tree.links[link].stretch ? d->q[2 + link] : 0;
}

static uint64_t hash_part(const struct dynamics *dynamics, int part, uint64_t hash)
{
    const struct planar_step *d = planar_step_of(dynamics);
    hash = dynamics_hash_flat_part(dynamics, part, hash);
    return d->drag.has_stretch ? hash_double(hash, part_stretch(dynamics, part)) : hash;
}

static struct vec3 centre_of_mass(const struct dynamics *dynamics)
{
    const struct planar_step *d = posed(dynamics);
    pair moment = {0, 0};
    for (int i = 0; i < d->links; i++) {
        const struct tree_link *l = &d->tree.links[i];
        moment += l->mass * XY(l->px) + XY(l->hx);
    }
    pair centre = XY(d->tree.root_x) + moment / d->tree.mass;
    return (struct vec3){centre[0], centre[1], 0};
}

static void momentum(const struct dynamics *dynamics, struct vec3 *linear, struct vec3 *angular)
{
    const struct planar_step *d = posed(dynamics);
    pair sum = {0, 0}, root = XY(d->tree.root_x);
    double spin = 0;
    for (int i = 0; i < d->links; i++) {
        const struct tree_link *l = &d->tree.links[i];
        double w = l->velocity.w;
        pair centre = place_in(l, XY(l->centre_x));
        pair p = l->mass * (XY(l->velocity.x) + w * plane_turn(centre));
        if (l->stretch)
            p += l->rate * XY(l->stretch->hx);
        pair moments = (root + (XY(l->px) + centre)) * pair_swap(p);
        sum += p;
        spin += l->own_inertia * w + moments[0] - moments[1];
    }
    *linear = (struct vec3){sum[0], sum[1], 0};
    *angular = (struct vec3){0, 0, spin};
}

/* All act in the middle of the step, or of its parts. */
static int impulses(const struct dynamics *dynamics, struct vec3 centre, struct vec3 velocity,
                    struct impulse_sum *impulses)
{
    const struct planar_step *d = planar_step_of(dynamics);
    double mass_s = d->phenotype->mass_kg * d->settings.dt_s, h = d->settings.dt_s;
    const struct impulse_sum *drag = &d->dragged;
    struct vec2 way = d->was_parted || d->tree.has_drag
                          ? (struct vec2){d->weighed.x / h, d->weighed.y / h}
                          : (struct vec2){h / 2 * velocity.x, h / 2 * velocity.y};
    double pull = mass_s * d->world.gravity_x_m_s2, fall = -mass_s * d->world.gravity_m_s2;
    int is_plain = d->settings.integrator == INTEGRATOR_RK4;
    double dragged = drag->angular.z - (centre.x * drag->linear.y - centre.y * drag->linear.x);
    struct impulse_sum sum = {.linear = {pull + drag->linear.x, fall + drag->linear.y, 0},
                              .angular = {0, 0, way.x * fall - way.y * pull + dragged},
                              .size = fabs(pull) + fabs(fall) + drag->size,
                              .truncation_share = is_plain ? RK4_TRUNCATION_SHARE : 0};
    if (is_plain && d->tree.has_drag)
        return 0;
    for (int i = 0; i < d->base.touches.count; i++) {
        const struct contact_point *p = &d->base.touches.points[i];
        double normal = p->normal_impulse_n_s, friction = p->friction_impulse_n_s;
        double x = p->normal.x * normal + p->normal.y * friction;
        double y = p->normal.y * normal - p->normal.x * friction;
        if (contact_is_inner(p))
            continue;
        sum.linear.x += x;
        sum.linear.y += y;
        sum.angular.z += (p->at.x - centre.x) * y - (p->at.y - centre.y) * x;
        sum.size += fabs(normal) + fabs(friction);
    }
    *impulses = sum;
    return 1;
}

static void drive_state(const struct dynamics *dynamics, int drive, struct drive_state *state)
{
    const struct planar_step *d = planar_step_of(dynamics);
    *state = (struct drive_state){d->q[2 + drive], d->qd[2 + drive], d->torque[drive]};
}

void planar_step_energy(struct dynamics *dynamics, double *kinetic_j, double *potential_j)
{
    const struct planar_step *d = posed(dynamics);
    struct tree_energy energy = tree_energy(&d->tree, d->world.gravity_m_s2);
    *kinetic_j = energy.kinetic;
    *potential_j = energy.potential;
}

static void bounds(const struct dynamics *dynamics, struct vec3 *low, struct vec3 *high)
{
    const struct planar_step *d = posed(dynamics);
    vec3_no_bounds(low, high);
    for (int i = 0; i < d->parts; i++) {
        struct box b;
        contacts_place_box(&d->contacts.own, i, &b);
        struct vec3 at = {d->tree.root_x + b.x, b.y, 0};
        struct vec3 reach = {fabs(b.cos) * b.half_width + fabs(b.sin) * b.half_height,
                             fabs(b.sin) * b.half_width + fabs(b.cos) * b.half_height, 0};
        vec3_widen_bounds(low, high, at, reach);
    }
}

static double overlap(const struct dynamics *dynamics)
{
    const struct planar_step *d = posed(dynamics);
    return contacts_overlap(&d->contacts.own);
}

const struct dynamics_reader planar_step_reader = {
    .part_state = part_state,
    .part_stretch = part_stretch,
    .link_state = link_state,
    .drive_state = drive_state,
    .centre_of_mass = centre_of_mass,
    .momentum = momentum,
    .impulses = impulses,
    .bounds = bounds,
    .hash_part = hash_part,
    .overlap = overlap,
};

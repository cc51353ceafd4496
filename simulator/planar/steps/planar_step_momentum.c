/* See planar_step_private.h. The body as a whole: joint coordinates alone keep its momentum to
 * third order of h only, so a step sets the root's velocity and place such that the whole has what
 * the impulses gave it. */
#include "simulator/planar/steps/planar_step_private.h"

#include <math.h>

void momentum_find(struct planar_step *d)
{
    if (d->is_bulk_known || d->tree.is_root_fixed)
        return;
    planar_step_set_pose(d);
    d->bulk = tree_bulk(&d->tree);
    d->is_bulk_known = 1;
}

/* Energy that a whole gets when its velocity and spin become others, and its centre moves. */
static double bulk_gain(const struct planar_step *d, const struct tree_bulk *from,
                        const struct tree_bulk *to, double x, double y)
{
    double mass = d->tree.mass, turn = (to->spin - from->spin) / from->inertia;
    double along = (to->velocity_x - from->velocity_x) * (to->velocity_x + from->velocity_x) +
                   (to->velocity_y - from->velocity_y) * (to->velocity_y + from->velocity_y);
    return mass * (along / 2 + d->world.gravity_m_s2 * y - d->tree.gravity_x * x) +
           turn * (to->spin + from->spin) / 2;
}

/* The state of the body as a whole, from that at the tree's pose: `target` has the velocity of its
 * centre of mass and its spin, and the centre goes by `way`. The root gets what is missing, as if
 * all joints were locked. Returns the energy of that. */
static double put_bulk(struct planar_step *d, struct tree_bulk is, struct tree_bulk *target,
                       struct vec2 way)
{
    double turn = (target->spin - is.spin) / is.inertia;
    d->qd[0] += target->velocity_x - is.velocity_x + turn * is.centre_y;
    d->qd[1] += target->velocity_y - is.velocity_y - turn * is.centre_x;
    d->qd[2] += turn;
    double x = d->q0[0] + (d->bulk.centre_x - is.centre_x + way.x);
    double y = d->q0[1] + (d->bulk.centre_y - is.centre_y + way.y);
    double gain_j = bulk_gain(d, &is, target, x - d->q[0], y - d->q[1]);
    d->base.ledger.mended_j += fabs(gain_j);
    d->tree.root_x = d->q[0] = x;
    d->tree.root_y = d->q[1] = y;
    target->centre_x = is.centre_x;
    target->centre_y = is.centre_y;
    target->inertia = is.inertia;
    d->bulk = *target;
    d->is_posed = 1;
    d->is_moving = 0;
    return gain_j;
}

void momentum_add_drag(struct planar_step *d, const struct force *impulse, double x, double y)
{
    struct impulse_sum *sum = &d->dragged;
    sum->linear.x += impulse->x;
    sum->linear.y += impulse->y;
    sum->angular.z += impulse->n + (x * impulse->y - y * impulse->x);
    sum->size += fabs(impulse->x) + fabs(impulse->y);
}

/* Keeps momentum in a midpoint step: joint coordinates alone keep it to third order of h only. In
 * the middle of the step, where the tree is, the outer impulses act, and gravity. */
void momentum_keep(struct planar_step *d, const struct contacts *contacts, int of)
{
    double h = d->settings.dt_s, half = h / 2, share = 1 / d->tree.mass;
    struct vec2 late;
    struct force outer = contacts_outer_impulse(contacts, of, &late);
    if (d->tree.has_drag)
        momentum_add_drag(d, &d->drag_impulse, d->qm[0], d->qm[1]);
    if (d->tree.has_drag)
        outer = (struct force){outer.n + d->drag_impulse.n, outer.x + d->drag_impulse.x,
                               outer.y + d->drag_impulse.y};
    const struct tree_bulk *from = &d->bulk;
    /* the centre of mass in the middle, from the root's origin */
    double x = from->centre_x + half * (from->velocity_x - d->qd0[0]);
    double y = from->centre_y + half * (from->velocity_y - d->qd0[1]);
    struct tree_bulk to = {.velocity_x = from->velocity_x + h * d->tree.gravity_x + share * outer.x,
                           .velocity_y =
                               from->velocity_y - h * d->world.gravity_m_s2 + share * outer.y,
                           .spin = from->spin + outer.n - (x * outer.y - y * outer.x)};
    struct vec2 way = {half * (from->velocity_x + to.velocity_x) - share * late.x,
                       half * (from->velocity_y + to.velocity_y) - share * late.y};
    d->weighed.x += h * (d->gone.x + half * from->velocity_x);
    d->weighed.y += h * (d->gone.y + half * from->velocity_y);
    d->gone.x += way.x;
    d->gone.y += way.y;
    put_bulk(d, tree_move(&d->tree, d->q, d->qd), &to, way);
}

double momentum_keep_free(struct planar_step *d)
{
    double h = d->settings.dt_s, mass = d->tree.mass;
    const struct tree_bulk is = tree_bulk(&d->tree), from = d->bulk;
    struct tree_bulk to = from;
    to.velocity_x += h * d->tree.gravity_x;
    to.velocity_y -= h * d->world.gravity_m_s2;
    struct vec2 way = {h / 2 * (from.velocity_x + to.velocity_x),
                       h / 2 * (from.velocity_y + to.velocity_y)};
    if (!d->tree.has_drag)
        return put_bulk(d, is, &to, way);
    /* with drag it goes where RK4 has it: about where it was, and on the way gravity acts, too */
    const struct impulse_sum *drag = &d->dragged;
    double x = d->q0[0] + from.centre_x, y = d->q0[1] + from.centre_y;
    double pull = mass * h * d->tree.gravity_x, fall = -mass * h * d->world.gravity_m_s2;
    to.velocity_x += drag->linear.x / mass;
    to.velocity_y += drag->linear.y / mass;
    way = (struct vec2){d->q[0] + is.centre_x - x, d->q[1] + is.centre_y - y};
    struct vec2 mean = {(way.x + h / 2 * from.velocity_x) / 3,
                        (way.y + h / 2 * from.velocity_y) / 3};
    d->weighed = (struct vec2){h * mean.x, h * mean.y};
    to.spin += drag->angular.z - (x * drag->linear.y - y * drag->linear.x);
    to.spin += mean.x * fall - mean.y * pull;
    to.spin -= mass * (way.x * to.velocity_y - way.y * to.velocity_x);
    return put_bulk(d, is, &to, way);
}

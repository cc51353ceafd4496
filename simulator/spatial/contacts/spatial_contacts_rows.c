/* The rows of contacts and limits, the bounds of their velocities, and what they begin with. A
 * contact has three rows of Y = J L^-T, with M = L L' the factors of the mass matrix: the effects
 * of unit impulses along its normal and tangents, from both sides (spatial_tree_whiten()). Velocities
 * of contacts are those of points of links. */
#include "simulator/spatial/contacts/spatial_contacts_private.h"
#include "simulator/spatial/tree/spatial_tree_forces.h"

#include "common/error.h"
#include "common/math/pair.h"

/* Impacts farther from where they act, by their speed, have the step taken in two, m; so have those
 * that gain or lose this share of their speed on that way. */
#define SPLIT_M     2e-4
#define SPLIT_SPEED 0.01

static struct vec3 way_of(const struct spatial_contact *c, int k)
{
    return k == 0 ? c->normal : c->tangents[k - 1];
}

/* Velocities of the rows, of the trees' and of the rates at that moment, which are the same. */
static void measure_rows(const struct spatial_contacts *s, enum space_moment moment,
                         double *velocities)
{
    for (int i = 0; i < s->count; i++) {
        const struct spatial_contact *c = &s->list[i];
        struct vec3 v = {0, 0, 0};
        for (int side = 0; side < 2; side++) {
            const struct spatial_mover *m = side_of(c, side);
            if (m)
                v = vec3_along(v, point_velocity(m->link, c->at), side == 0 ? 1 : -1);
        }
        for (int k = 0; k < 3; k++)
            velocities[3 * i + k] = vec3_dot(v, way_of(c, k));
    }
    for (int b = 0; b < s->body_count; b++) {
        const struct spatial_contact_body *own = s->bodies[b];
        const double *rates = own->rates[moment];
        for (int i = 0; i < own->limits->count; i++)
            velocities[3 * s->count + own->first_limit + i] =
                spatial_limits_rate(&own->limits->rows[i], rates);
    }
}

/* Whether anything moves a row of a law: the sum of its squares, as far as it takes to know. */
static int is_mobile(const double *row, const struct cone_law *law, double mass)
{
    double sum = 0;
    for (int i = law->from; i < law->to && !(sum * mass > ROW_MOBILITY); i += 4) {
        quad squares = QUAD(row, i) * QUAD(row, i);
        sum = sum + squares[0] + squares[1] + squares[2] + squares[3];
    }
    return sum * mass > ROW_MOBILITY;
}

/* Rows that nothing moves are 0; without a normal one there is no law. */
static void leave_immobile(struct spatial_contacts *s, struct cone_law *law)
{
    for (int k = 0; k < law->size; k++) {
        double *row = contact_solver_row(&s->cones, law->row + k);
        if (is_mobile(row, law, s->mass))
            continue;
        for (int i = law->from; i < law->to; i++)
            row[i] = 0;
        law->bound = k == 0 ? -HUGE_VAL : law->bound;
    }
}

/* The rates from .. to - 1 of a body join the columns of a law. */
static void join_columns(struct cone_law *law, const struct spatial_contact_body *body, int from,
                         int to)
{
    int first = body->column + from, end = body->column + to;
    if (to == 0)
        return;
    law->from = law->to == 0 || first < law->from ? first : law->from;
    law->to = end > law->to ? end : law->to;
}

static void set_contact_rows(struct spatial_contacts *s, int i)
{
    const struct spatial_contact *c = &s->list[i];
    struct cone_law *law = &s->cones.laws[i];
    for (int side = 0; side < 2; side++) {
        const struct spatial_mover *m = side_of(c, side);
        struct spatial_wrench on[3];
        int from = 0, to = 0;
        if (!m)
            continue;
        for (int k = 0; k < 3; k++) {
            struct vec3 force = vec3_scale(way_of(c, k), side == 0 ? 1 : -1);
            on[k] = (struct spatial_wrench){vec3_cross(vec3_sub(c->at, m->link->at), force), force};
        }
        spatial_tree_whiten(m->body->tree, (int)(m->link - m->body->tree->links), on, 3,
                            contact_solver_row(&s->cones, law->row) + m->body->column,
                            s->cones.stride, &from, &to);
        join_columns(law, m->body, from, to);
    }
}

static void set_limit_rows(struct spatial_contacts *s, const struct spatial_contact_body *own,
                           int i)
{
    const struct spatial_limit *limit = &own->limits->rows[i];
    const struct spatial_tree_link *l = &own->tree->links[limit->link];
    struct cone_law *law = &s->cones.laws[s->count + own->first_limit + i];
    double joint[JOINT_RATES_MAX] = {0};
    int from = 0, to = 0;
    for (int k = 0; k < limit->count; k++)
        joint[limit->rate - l->rate + k] = limit->gradient[k];
    *law = (struct cone_law){
        .row = 3 * s->count + own->first_limit + i, .size = 1, .bound = limit->bound};
    spatial_tree_whiten_joint(own->tree, limit->link, joint,
                              contact_solver_row(&s->cones, law->row) + own->column, &from, &to);
    join_columns(law, own, from, to);
    int is_known = own->limit_step == own->step;
    s->cones.impulse[law->row] = is_known ? own->limits->given[limit->id] : 0;
}

/* An impact happens when from the velocity v0 of the start the gap at the start is used up, and
 * acts in the middle of the step, with the velocity there; after it the acceleration a of what is
 * free goes on:
 *
 *   gap0 + v0 t + a t^2/2 = 0,   vi = v0 + a h/2 + what loads gave,   vn at the end >= -e vi + a h/2, and >= 0
 *
 * What is not reached in this step, or at its very end, is left to the next one. A step whose first
 * impact is not in the middle is taken again in two, so that it is: spatial_contacts_split(). */
static void set_impact(struct spatial_contacts *s, int i, struct cone_law *law)
{
    struct spatial_contact *c = &s->list[i];
    double h = s->dt_s, v0 = s->start[3 * i], gap = c->gap - h / 2 * v0;
    double change = s->cones.free[3 * i] - s->drift[3 * i] - v0,
           root = v0 * v0 - 2 * change / h * gap;
    double t = root > 0 ? 2 * gap / (sqrt(root) - v0) : h, off = fabs(t - h / 2);
    law->is_push_out = 0;
    if (t > h || (t > (1 - LATE_SHARE) * h && c->gap > 0)) {
        law->bound = -2 * c->gap / h;
        return;
    }
    c->is_impact = 1;
    law->bound = rebound_of(s, i, 0);
    if ((off * -v0 > SPLIT_M || off * fabs(change) > SPLIT_SPEED * h * -v0) && t < s->instant)
        s->instant = t;
}

/* The least normal velocity after the step. The pose is that in the middle, and the next one's is a
 * step of this velocity away: two that are apart may use up their gap until then. */
static void set_law(struct spatial_contacts *s, int i)
{
    struct spatial_contact *c = &s->list[i];
    double v = s->start[3 * i];
    struct cone_law *law = &s->cones.laws[i];
    const struct spatial_surfaces *surfaces = c->pair->one->body->surfaces;
    *law = (struct cone_law){.row = 3 * i, .size = 3};
    law->friction = c->pair->two ? surfaces->own_friction : surfaces->friction;
    law->bound = contact_bound(c->gap, s->dt_s, s->push_out_speed);
    law->is_push_out = law->bound > 0;
    double slow = c->elasticity > 0 ? s->restitution_speed : PLASTIC_SPEED_M_S;
    if (v < -slow && s->push_out_speed == 0)
        set_impact(s, i, law);
}

/* Their impulses in the last step. Where loads are shared without a unique answer only this says
 * how: were it extrapolated, rounding would grow from step to step. Without friction there is
 * nothing across, however the normal has turned since. */
static void take_warm_start(struct spatial_contacts *s, int i)
{
    const struct spatial_contact *c = &s->list[i];
    const struct spatial_pair *p = c->pair;
    double *l = s->cones.impulse + 3 * i;
    int k = is_held(p) ? held_point(p, p->found.points[c->point].feature) : -1;
    l[0] = k < 0 ? 0 : vec3_dot(p->impulses[k], c->normal);
    int has_friction = l[0] > 0 && s->cones.laws[i].friction > 0;
    l[1] = has_friction ? vec3_dot(p->impulses[k], c->tangents[0]) : 0;
    l[2] = has_friction ? vec3_dot(p->impulses[k], c->tangents[1]) : 0;
    l[0] = l[0] > 0 ? l[0] : 0;
}

static int count_limits(struct spatial_contacts *s)
{
    int limits = 0;
    for (int k = 0; k < s->body_count; k++) {
        s->bodies[k]->first_limit = limits;
        s->bodies[k]->limit_count = s->bodies[k]->limits->count;
        limits += s->bodies[k]->limit_count;
    }
    return limits;
}

void spatial_contacts_measure(struct spatial_contacts *s)
{
    struct contact_solver *system = &s->cones;
    system->count = s->count + count_limits(s);
    s->rows = 2 * s->count + system->count;
    s->instant = HUGE_VAL;
    s->push_out_speed = s->bodies[s->body_count - 1]->dynamics->push_out_m_s;
    measure_rows(s, SPACE_END, system->free);
    spatial_contacts_measure_drifts(s);
    for (int i = 0; i < s->rows; i++)
        system->free[i] += s->drift[i];
    set_velocities(s, SPACE_START);
    measure_rows(s, SPACE_START, s->start);
    for (int i = 0; i < s->count; i++) {
        struct spatial_contact *c = &s->list[i];
        set_law(s, i);
        if (is_between_bodies(c))
            c->velocity_two = point_velocity(c->pair->two->link, c->at);
    }
    system->work += (uint64_t)s->rows * (uint64_t)(60 * s->links);
}

void spatial_contacts_prepare(struct spatial_contacts *s)
{
    struct contact_solver *system = &s->cones;
    contact_solver_begin(system, s->rows);
    for (int i = 0; i < s->count; i++) {
        set_contact_rows(s, i);
        take_warm_start(s, i);
    }
    for (int k = 0; k < s->body_count; k++)
        for (int i = 0; i < s->bodies[k]->limits->count; i++)
            set_limit_rows(s, s->bodies[k], i);
    for (int i = 0; i < system->count; i++)
        leave_immobile(s, &system->laws[i]);
    CHECK_DEARLY(spatial_contacts_check(s));
}

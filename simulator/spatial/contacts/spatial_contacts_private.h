/* Shared by the files of contacts in space: the sides of a contact, its velocity and its impulse,
 * what is remembered.
 *
 *   spatial_contacts.c         creation; bodies that share contacts; what must hold
 *   spatial_contacts_find.c    where boxes are, whether anything could touch, the contacts that could act in a step
 *   spatial_contacts_drift.c   what their velocities gain by turning alone
 *   spatial_contacts_rows.c    their rows and those of limits, bounds of their velocities, warm starts
 *   spatial_contacts_solve.c   their impulses; energy from nothing is taken back
 *   spatial_contacts_book.c    work, ledgers, the points that others see, what is kept for the next
 * step */
#ifndef SIMULATOR_SPATIAL_CONTACTS_SPATIAL_CONTACTS_PRIVATE_H
#define SIMULATOR_SPATIAL_CONTACTS_SPATIAL_CONTACTS_PRIVATE_H

#include <math.h>

#include "common/growth/body.h"
#include "common/growth/box_half.h"
#include "simulator/spatial/contacts/spatial_contacts.h"
#include "simulator/contact/contact_rules.h"

_Static_assert((int)RELIEF_POINTS_MAX <= (int)SOLIDS_POINTS_MAX, "a manifold holds all points");

/* The two sides of a contact; NULL: ground and what is fixed. */
static inline const struct spatial_mover *side_of(const struct spatial_contact *c, int side)
{
    return side == 0 ? c->pair->one : c->pair->two;
}

/* 1 if two bodies touch there. */
static inline int is_between_bodies(const struct spatial_contact *c)
{
    return c->pair->two && c->pair->two->body != c->pair->one->body;
}

static inline int is_of_body(const struct spatial_contact *c,
                             const struct spatial_contact_body *body)
{
    return c->pair->one->body == body || (c->pair->two && c->pair->two->body == body);
}

/* Velocity of the point of a link that is somewhere. */
static inline struct vec3 point_velocity(const struct spatial_tree_link *l, struct vec3 at)
{
    return vec3_add(l->velocity.v, vec3_cross(l->velocity.w, vec3_sub(at, l->at)));
}

/* Velocities of all links, of the rates at a moment of the step. Velocity products stay those of
 * the middle. */
static inline void set_velocities(struct spatial_contacts *s, enum space_moment moment)
{
    for (int k = 0; k < s->body_count; k++)
        spatial_tree_move(s->bodies[k]->tree, s->bodies[k]->rates[moment]);
}

static inline struct vec3 impulse_of(const struct spatial_contacts *s, int i)
{
    const struct spatial_contact *c = &s->list[i];
    const double *l = s->cones.impulse + 3 * i;
    struct vec3 sum = vec3_scale(c->normal, l[0]);
    return vec3_along(vec3_along(sum, c->tangents[0], l[1]), c->tangents[1], l[2]);
}

/* Whether the manifold and the impulses of a pair are those of the last step. */
static inline int is_held(const struct spatial_pair *p)
{
    return p->step == p->one->body->step;
}

/* The point of the last manifold with a feature; -1: no such point. */
static inline int held_point(const struct spatial_pair *p, int feature)
{
    for (int k = 0; k < p->held.count; k++)
        if (p->held.points[k].feature == feature)
            return k;
    return -1;
}

/* The gain of the rows from the middle of the step to its end by turning alone. Moves the trees'
 * velocities to those in the middle. */
void spatial_contacts_measure_drifts(struct spatial_contacts *s);
/* Impacts in this last share of a step are left to the next one. */
#define LATE_SHARE 0.01
/* Room for twice as many contacts in a step, or for twice as many pairs of boxes of two bodies;
 * ERR_MEMORY: as before. */
int spatial_contacts_extend(struct spatial_contacts *s);
int spatial_contacts_extend_met(struct spatial_contacts *s);
/* The least velocity at the end of the step of contact i, an impact that meets, in the middle, what
 * lasting loads have given until then. */
static inline double rebound_of(const struct spatial_contacts *s, int i, double given)
{
    double v = s->start[3 * i], drift = s->drift[3 * i], change = s->cones.free[3 * i] - drift - v;
    double rebound = -s->list[i].elasticity * (v + change / 2 + given) + change / 2 + drift;
    return rebound > 0 ? rebound : 0;
}

#endif

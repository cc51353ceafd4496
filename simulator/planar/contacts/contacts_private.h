/* Shared by the files of contacts: distances of parts that move, and velocities and work of a
 * contact's rows.
 *
 *   contacts.c             creation; bodies that share contacts; what must hold
 *   contacts_clearance.c   where parts are, and whether anything could touch within a step
 *   contacts_find.c        the contacts and limits that could act in a step
 *   contacts_drift.c       what their velocities gain by turning alone
 *   contacts_solve.c       bounds of their velocities, the system, its impulses
 *   contacts_impacts.c     impacts that have an instant; energy from nothing is taken back
 *   contacts_book.c        work, ledgers, the points that others see */
#ifndef SIMULATOR_PLANAR_CONTACTS_CONTACTS_PRIVATE_H
#define SIMULATOR_PLANAR_CONTACTS_CONTACTS_PRIVATE_H

#include <math.h>

#include "common/math/pair.h"
#include "simulator/planar/contacts/contacts.h"
#include "simulator/contact/contact_rules.h"

/* Whether the centres are farther apart. */
static inline int are_apart(const struct mover *a, const struct mover *b, double distance)
{
    double dx = a->box.x - b->box.x, dy = a->box.y - b->box.y;
    return dx * dx + dy * dy > distance * distance;
}

/* How fast two parts may close in, m/s, at most. */
static inline double closing_speed(const struct mover *a, const struct mover *b)
{
    double dx = a->vx - b->vx, dy = a->vy - b->vy;
    return sqrt(dx * dx + dy * dy) + a->turn + b->turn;
}

/* 0 if two parts cannot meet within h; else *margin is what they may close in by, and more. First
 *   by
 * their speeds against the root, which costs no root; for that h they are placed. */
static inline int can_meet(const struct mover *a, const struct mover *b, double h, double more,
                           double *margin)
{
    if (are_apart(a, b, a->reach + b->reach + more))
        return 0;
    *margin = more + h * closing_speed(a, b);
    return !are_apart(a, b, a->radius + b->radius + *margin);
}

/* The same of a part of another body, whose root is `offset` to the right: *near is that part as
 * the first one's body sees it. */
static inline int can_meet_another(const struct mover *a, const struct mover *b, double offset,
                                   double h, double more, struct mover *near, double *margin)
{
    *near = *b;
    near->box.x += offset;
    *margin = more + h * closing_speed(a, near);
    return !(a->is_fixed && b->is_fixed) && !are_apart(a, near, a->radius + b->radius + *margin);
}

/* How far the root of one body is to the right of another's: what is added to places from the
 * former. */
static inline double root_offset(const struct contact_body *from, const struct contact_body *to)
{
    return from->tree->root_x - to->tree->root_x;
}

/* How far two, that thin by half, may come nearer in a step. */
static inline double safe_way(double thin_a, double thin_b)
{
    return STRIDE_SHARE * (thin_a + thin_b);
}

static inline double thin_of(const struct box *box)
{
    return box->half_width < box->half_height ? box->half_width : box->half_height;
}

/* An obstacle as the parts' boxes are: x relative to the root's origin. */
static inline struct box obstacle_box(const struct contact_body *own, int obstacle)
{
    struct box box = own->obstacles[obstacle];
    box.x -= own->tree->root_x;
    return box;
}

/* 0 if a part cannot reach an obstacle within h; else *margin is what it may come closer by, and
 *   more. */
static inline int can_reach(const struct mover *m, const struct box *obstacle, double h,
                            double more, double *margin)
{
    *margin = more + h * (sqrt(m->vx * m->vx + m->vy * m->vy) + m->turn);
    return !m->is_fixed && !collide_is_beyond(obstacle, m->box.x, m->box.y, m->radius + *margin);
}

/* Velocities along both forces of a point. */
static inline pair forces_velocity(const struct force_pair *f, const struct tree_link *l)
{
    const struct motion *v = &l->velocity;
    pair along = PAIR(f->n, 0) * v->w + PAIR(f->x, 0) * v->x + PAIR(f->y, 0) * v->y;
    return l->stretch ? along + PAIR(f->stretch, 0) * l->rate : along;
}

/* Relative velocities along both rows of a contact for the velocities of the trees. */
static inline pair contact_velocity(const struct contact *c)
{
    pair velocity = forces_velocity(&c->on_a, c->a);
    if (c->b)
        velocity += forces_velocity(&c->on_b, c->b);
    return velocity;
}

/* A contact has a normal and a tangent row, a limit only one. */
static inline int row_count(const struct contact *c)
{
    return c->part < 0 ? 1 : 2;
}

static inline int is_between_bodies(const struct contact *c)
{
    return c->of_b >= 0 && c->of_b != c->of_a;
}

ALWAYS_INLINE static inline void set_velocities(const struct contacts *s, enum plane_moment moment,
                                                int count)
{
    for (int of = 0; of < count; of++)
        tree_set_velocity(s->bodies[of]->tree, s->bodies[of]->rates[moment]);
}

/* How much further the velocity of a row is at the instant of the contact than in the middle. */
static inline double late_velocity(const struct contacts *s, const struct contact *c, int k)
{
    int row = c->first_row + k;
    return c->late * (s->impulses.free[row] - s->drift[row] - s->start[row]) / s->dt_s;
}

/* Work of one row: impulse times the mean of the velocities before and after it, exactly. */
static inline double row_work(const struct contacts *s, const struct contact *c, int k)
{
    int row = c->first_row + k;
    double before = s->middle[row], change = s->impulses.velocity[row] - s->impulses.free[row];
    if (c->late != 0)
        before += late_velocity(s, c, k);
    return s->impulses.impulse[row] * (before + change / 2);
}

/* Room for so many contacts in a step, or for twice as many points between two bodies; ERR_MEMORY:
 * as before. */
int contacts_make_room(struct contacts *s, int room);
int contacts_extend_met(struct contacts *s);
/* Places all parts; h: the time for which they reach. */
void contacts_place_movers(struct contact_body *own, double h);
/* Lists what obstacles any part could come as close to as `more` within h; the movers are
 * placed. */
void contacts_gather_obstacles(struct contact_body *own, double h, double more);
/* Adds to the free velocities of the rows what they gain from the middle of the step to its end by
 * turning alone, with the velocity products of the last accelerations, which the trees still
 * have. */
void contacts_add_drifts(struct contacts *s);
/* The law of an impact; `rebound`: the least velocity right after it. */
static inline void set_impact_law(struct contacts *s, struct contact *c, struct impulse_law *law,
                                  double rebound)
{
    law->bound = rebound > 0 ? rebound : 0;
    law->is_push_out = 0;
    c->is_bouncing = rebound > 0;
    for (int row = c->first_row; row < c->first_row + 2 && c->is_bouncing; row++) {
        s->impulses.free[row] -= s->drift[row];
        s->drift[row] = 0;
    }
}

/* Bounds of impacts, after the loads that last without them. */
void contacts_set_impacts(struct contacts *s);
/* Impulses of impacts and loads together. */
void contacts_solve_impacts(struct contacts *s);
/* Push-outs that would give the body too much energy are solved again, slower. */
void contacts_take_back_push_outs(struct contacts *s);
/* Impacts that gain energy lose their restitution: 1 if there was one, and all is to be solved
 * again. */
int contacts_take_back_impacts(struct contacts *s);

#endif

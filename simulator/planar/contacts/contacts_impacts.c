/* See contacts.h. Impacts act at an instant of their own within the step. Push-outs, and
 * restitution together with friction, may give a body energy from nothing. They are then solved
 * again with less. */
#include "simulator/planar/contacts/contacts_private.h"

#include <math.h>

/* The answer of contacts that press, as a share of the impacts' impulse, at most: else all act in
 * the middle. */
#define ANSWER_SHARE 0.01

/* An impact happens at an instant t of the step, when with a constant acceleration a, that of the
 * loads that lasted until then, the gap at the start g0 is used up; after it, until the end of the
 * step, the acceleration goes on:
 *
 *   g0 + v0 t + a t^2/2 = 0,   vi = v0 + a t,   vn at the end >= -e vi + a (h - t), and >= 0
 *
 * With t in the middle and v0 for vi, the simplest form of the rule, a ball's bounces come too
 * early or too late by up to half a step each, which adds up: 10 ms after six of them at 240 Hz.
 * An impact that is not reached in this step is left to the next one, unless it would be too
 * deep there. */
static void set_impact(struct contacts *s, struct contact *c, struct impulse_law *law, double a)
{
    double h = s->dt_s, v = s->start[c->first_row];
    double gap = c->gap - h / 2 * v, root = v * v - 2 * a * gap, instant = 0;
    if (gap > 0)
        instant = root > 0 ? 2 * gap / (sqrt(root) - v) : h;
    if (instant >= h && c->gap + h * (v + a * h) > -c->depth_max) {
        s->is_waiting = 1;
        c->is_impact = law->is_push_out = 0;
        law->bound = -2 * c->gap / h;
        return;
    }
    instant = instant < h ? instant : h;
    set_impact_law(s, c, law, -c->elasticity * (v + a * instant) + a * (h - instant));
    c->late = instant - h / 2;
    s->instants += instant;
    s->impact_count++;
    /* a contact that does not bounce is stopped at the instant, and held against `a` in the rest of
     * the step: the mean time of both impulses */
    if (law->bound == 0 && a < 0)
        c->late = ((v + a * instant) * c->late + a * (h - instant) * instant / 2) / (v + a * h);
}

/* Impacts, after the loads that last without them. */
void contacts_set_impacts(struct contacts *s)
{
    struct impulses *system = &s->impulses;
    const double *impulse = system->impulse, *velocity = system->velocity, *free = system->free;
    double *loads = s->loads, *changes = s->load_changes;
    for (int i = 0; i < s->count; i++)
        if (s->list[i].is_impact)
            system->laws[i].bound = -HUGE_VAL;
    impulses_solve(system);
    for (int i = 0, rows = s->rows; i < rows; i += 2) {
        PAIR(loads, i) = PAIR(impulse, i);
        PAIR(changes, i) = PAIR(velocity, i) - PAIR(free, i);
    }
    for (int i = 0; i < s->count; i++) {
        struct contact *c = &s->list[i];
        int row = c->first_row;
        if (c->is_impact)
            set_impact(s, c, &system->laws[i],
                       (velocity[row] - s->drift[row] - s->start[row]) / s->dt_s);
    }
}

/* The impulse that a contact gives in answer to impacts, beyond its load, acts at their mean
 * instant. In the middle it would move the bodies by other ways than those that they strike
 * move. */
static void answer_impacts(struct contacts *s)
{
    double late = s->instants / s->impact_count - s->dt_s / 2;
    for (int i = 0; i < s->count; i++) {
        struct contact *c = &s->list[i];
        double impulse = s->impulses.impulse[c->first_row], load = s->loads[c->first_row];
        if (!c->is_impact)
            c->late = impulse > load ? late * (1 - load / impulse) : 0;
    }
}

/* Impacts meet the velocities that the loads have left until then. Later loads add to the loads'
 * share. */
void contacts_solve_impacts(struct contacts *s)
{
    struct impulses *system = &s->impulses;
    double share = s->instants / (s->impact_count * s->dt_s);
    double *free = system->free, *impulse = system->impulse;
    const double *loads = s->loads, *changes = s->load_changes;
    for (int i = 0, rows = s->rows; i < rows; i += 2)
        PAIR(free, i) += share * PAIR(changes, i);
    impulses_solve(system);
    for (int i = 0, rows = s->rows; i < rows; i += 2) {
        PAIR(free, i) -= share * PAIR(changes, i);
        PAIR(impulse, i) += share * PAIR(loads, i);
    }
    impulses_set_velocities(system);
    answer_impacts(s);
}

int contacts_has_instants(const struct contacts *s)
{
    int has = s->is_waiting;
    for (int i = 0; i < s->count && s->impact_count > 0; i++)
        has |= s->list[i].late != 0;
    return has;
}

int contacts_need_one_instant(const struct contacts *s)
{
    double answer = 0, given = 0;
    int is_elastic = 0;
    for (int i = 0; i < s->count && s->impact_count > 0; i++) {
        const struct contact *c = &s->list[i];
        is_elastic |= c->is_impact && c->elasticity > 0;
        for (int row = c->first_row; row < c->first_row + row_count(c); row++) {
            if (c->is_impact)
                given += fabs(s->impulses.impulse[row]);
            else
                answer += fabs(s->impulses.impulse[row] - s->loads[row]);
        }
    }
    return s->has_gained || (is_elastic && answer > ANSWER_SHARE * given);
}

double contacts_instant_work(const struct contacts *s, double *size)
{
    double work = 0;
    *size = 0;
    for (int i = 0; i < s->count; i++) {
        const struct contact *c = &s->list[i];
        for (int k = 0; k < row_count(c); k++) {
            double impulse = s->impulses.impulse[c->first_row + k];
            work += impulse * late_velocity(s, c, k);
            *size += fabs(impulse * s->start[c->first_row + k]);
        }
    }
    return work;
}

/* Solves again, from nothing, with slower push-out; share 0: penetrations are only kept from
 * growing. */
static void slow_push_outs(struct contacts *s, double share)
{
    for (int i = 0; i < s->count; i++) {
        struct impulse_law *law = &s->impulses.laws[i];
        if (law->is_push_out)
            law->bound *= share;
        law->is_push_out &= share > 0;
    }
    for (int i = 0; i < s->rows; i++)
        s->impulses.impulse[i] = 0;
    impulses_solve(&s->impulses);
}

void contacts_take_back_push_outs(struct contacts *s)
{
    double most = push_out_work_most(s->mass, s->push_out_speed), work;
    int has_push_out = 0;
    for (int i = 0; i < s->count && s->has_push_out; i++)
        has_push_out |= s->impulses.laws[i].is_push_out;
    if (!has_push_out || (work = contacts_work(s)) <= most)
        return;
    slow_push_outs(s, sqrt(most / work));
    if (contacts_work(s) > 1.5 * most)
        slow_push_outs(s, 0);
}

/* Whether the contacts of an island gain energy, push-out apart. */
static int is_gaining(const struct contacts *s, int island)
{
    double work = 0, size = 0, impulses = 0;
    for (int i = 0; i < s->count; i++) {
        const struct contact *c = &s->list[i];
        for (int k = 0; k < row_count(c); k++) {
            double impulse = s->impulses.impulse[c->first_row + k];
            if (s->impulses.islands[i] != island || s->impulses.laws[i].is_push_out)
                continue;
            work += row_work(s, c, k);
            size += fabs(impulse * s->start[c->first_row + k]);
            impulses += fabs(impulse);
        }
    }
    return is_work_gained(work, size, impulses, IMPULSES_ENOUGH_M_S);
}

/* Newton's restitution can create energy, with Coulomb friction, at instants that differ, or where
 * one impact gives rise to the next: the impacts of such an island are solved again, at one instant
 * or, where they have one, in a shorter step or, where there is none, without restitution.
 * Returns 1 if there was one of the last kind. */
int contacts_take_back_impacts(struct contacts *s)
{
    int has_impact = 0, has_gained = 0;
    for (int i = 0; i < s->count && s->has_impact; i++)
        has_impact |= s->list[i].is_impact && s->list[i].elasticity > 0;
    if (!has_impact)
        return 0;
    impulses_find_islands(&s->impulses, 1);
    for (int i = 0; i < s->count; i++) {
        struct contact *c = &s->list[i];
        c->is_gaining = c->is_impact && c->elasticity > 0 && is_gaining(s, s->impulses.islands[i]);
        has_gained |= c->is_gaining;
    }
    s->has_gained = has_gained;
    s->is_too_long |= has_gained && !s->has_instants && s->may_be_shorter;
    if (s->is_too_long)
        return 0;
    for (int i = 0; i < s->count && !s->has_instants; i++) {
        struct contact *c = &s->list[i];
        if (!c->is_gaining)
            continue;
        c->elasticity = 0;
        s->impulses.laws[i].bound = c->gap > 0 ? -c->gap / s->dt_s : 0;
    }
    return has_gained && !s->has_instants;
}

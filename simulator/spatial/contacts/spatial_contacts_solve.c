/* The impulses of a step: energy from nothing is taken back. */
#include "simulator/spatial/contacts/spatial_contacts_private.h"
#include "simulator/spatial/tree/spatial_tree_forces.h"

/* Parts of a step that is taken in two are not shorter than this share of it. */
#define SPLIT_SHARE (2 * LATE_SHARE)

/* Work of a row: impulse times the mean of the velocities at the start and the end of the step, in
 * the pose in the middle, exactly. */
static double row_work(const struct spatial_contacts *s, int row)
{
    return s->cones.impulse[row] * 0.5 * (s->start[row] + s->cones.velocity[row] - s->drift[row]);
}

static double work_of(const struct spatial_contacts *s, int law)
{
    double work = 0;
    for (int k = 0; k < s->cones.laws[law].size; k++)
        work += row_work(s, s->cones.laws[law].row + k);
    return work;
}

static int has_impact(const struct spatial_contacts *s)
{
    int has = 0;
    for (int i = 0; i < s->count; i++)
        has |= s->list[i].is_impact;
    return has;
}

/* The impulses of half a step of what lasts, as if nothing hit, and what they have given until an
 * impact in the middle. Impulses are then what those of the other half begin with. */
static void find_loads(struct spatial_contacts *s)
{
    struct contact_solver *system = &s->cones;
    for (int i = 0; i < s->rows; i++)
        s->loads[i] = system->impulse[i];
    for (int i = 0; i < s->count; i++)
        if (s->list[i].is_impact)
            system->laws[i].bound = -HUGE_VAL;
    contact_solver_solve(system);
    for (int i = 0; i < s->rows; i++) {
        int is_of_impact = i < 3 * s->count && s->list[i / 3].is_impact;
        double begin = s->loads[i];
        s->loads[i] = system->impulse[i] / 2;
        system->impulse[i] = is_of_impact ? begin : s->loads[i];
        s->given[i] = (system->velocity[i] - system->free[i]) / 2;
    }
    for (int i = 0; i < s->count; i++)
        if (s->list[i].is_impact)
            system->laws[i].bound = rebound_of(s, i, s->given[3 * i]);
}

/* Impulses of everything. A contact that an impact lifts had pressed until then: without that load
 * a block that falls from one edge on the other would be stopped too hard. */
static void solve(struct spatial_contacts *s)
{
    struct contact_solver *system = &s->cones;
    if (!has_impact(s)) {
        contact_solver_solve(system);
        return;
    }
    find_loads(s);
    for (int i = 0; i < s->rows; i++)
        system->free[i] += s->given[i];
    contact_solver_solve(system);
    for (int i = 0; i < s->rows; i++) {
        system->free[i] -= s->given[i];
        system->impulse[i] += s->loads[i];
    }
    contact_solver_set_velocities(system);
}

/* Solves again, from nothing, with slower push-out; share 0: penetrations are only kept from
 * growing. */
static void slow_push_outs(struct spatial_contacts *s, double share)
{
    for (int i = 0; i < s->count; i++) {
        struct cone_law *law = &s->cones.laws[i];
        if (law->is_push_out)
            law->bound *= share;
        law->is_push_out &= share > 0;
    }
    for (int i = 0; i < s->rows; i++)
        s->cones.impulse[i] = 0;
    solve(s);
}

static void take_back_gaining_push_outs(struct spatial_contacts *s)
{
    double most = push_out_work_most(s->mass, s->push_out_speed);
    for (int pass = 0; pass < 2; pass++) {
        double work = 0;
        int has_push_out = 0;
        for (int i = 0; i < s->count; i++) {
            work += work_of(s, i);
            has_push_out |= s->cones.laws[i].is_push_out;
        }
        if (!has_push_out || work <= (pass == 0 ? 1 : 1.5) * most)
            return;
        slow_push_outs(s, pass == 0 ? sqrt(most / work) : 0);
    }
}

/* Numbers the islands of contacts that press and are coupled, one through another. */
static void find_islands(struct spatial_contacts *s)
{
    struct spatial_contact *list = s->list;
    const struct cone_law *laws = s->cones.laws;
    for (int i = 0; i < s->count; i++) {
        list[i].island = i;
        for (int j = 0; j < i; j++) {
            int from = list[j].island;
            int are_coupled = laws[i].from < laws[j].to && laws[j].from < laws[i].to;
            if (from == list[i].island || s->cones.impulse[3 * i] <= 0 ||
                s->cones.impulse[3 * j] <= 0 || !are_coupled)
                continue;
            for (int k = 0; k < i; k++)
                list[k].island = list[k].island == from ? list[i].island : list[k].island;
        }
    }
}

/* Whether the contacts of an island gain energy, push-out apart. */
static int is_gaining(const struct spatial_contacts *s, int island)
{
    double work = 0, size = 0, impulses = 0;
    for (int i = 0; i < s->count; i++) {
        if (s->list[i].island != island || s->cones.laws[i].is_push_out)
            continue;
        work += work_of(s, i);
        for (int k = 0; k < 3; k++) {
            size += fabs(s->cones.impulse[3 * i + k] * s->start[3 * i + k]);
            impulses += fabs(s->cones.impulse[3 * i + k]);
        }
    }
    return is_work_gained(work, size, impulses, s->cones.enough);
}

/* Newton's restitution can create energy, with Coulomb friction or where one impact gives rise to
 * the next: the impacts of such an island are to be solved in a shorter step or, where there is
 * none, again without restitution. Returns 1 if there was one of the latter. */
static int take_back_gaining_impacts(struct spatial_contacts *s)
{
    int has_bounced = 0, has_gained = 0;
    for (int i = 0; i < s->count; i++)
        has_bounced |= s->list[i].is_impact && s->list[i].elasticity > 0;
    if (!has_bounced)
        return 0;
    find_islands(s);
    for (int i = 0; i < s->count; i++) {
        struct spatial_contact *c = &s->list[i];
        c->is_gaining = c->is_impact && c->elasticity > 0 && is_gaining(s, c->island);
        has_gained |= c->is_gaining;
    }
    s->is_too_long = has_gained && s->may_be_shorter;
    for (int i = 0; i < s->count && !s->is_too_long; i++)
        if (s->list[i].is_gaining)
            s->list[i].elasticity = 0;
    return has_gained && !s->is_too_long;
}

/* The share of the second body in the work of a contact. */
static void part_work(struct spatial_contacts *s)
{
    set_velocities(s, SPACE_END);
    for (int i = 0; i < s->count; i++) {
        struct spatial_contact *c = &s->list[i];
        if (!is_between_bodies(c))
            continue;
        struct vec3 end = point_velocity(c->pair->two->link, c->at);
        c->work_two = -0.5 * vec3_dot(impulse_of(s, i), vec3_add(c->velocity_two, end));
    }
}

/* The impulses of limits, for the next step to begin with: spatial_contacts_keep() counts it. */
static void keep_limits(const struct spatial_contacts *s, struct spatial_contact_body *own)
{
    struct spatial_limits *limits = own->limits;
    const double *given = s->cones.impulse + 3 * s->count + own->first_limit;
    for (int i = 0; i < limits->row_max; i++)
        limits->given[i] = 0;
    for (int i = 0; i < limits->count; i++)
        limits->given[limits->rows[i].id] = given[i];
    own->limit_step = own->step + 1;
}

double spatial_contacts_solve(struct spatial_contacts *s)
{
    s->is_too_long = 0;
    solve(s);
    take_back_gaining_push_outs(s);
    if (take_back_gaining_impacts(s))
        solve(s);
    for (int i = 0; i < s->rows; i++)
        s->work[i] = row_work(s, i);
    for (int b = 0; b < s->body_count; b++) {
        struct spatial_contact_body *own = s->bodies[b];
        keep_limits(s, own);
        spatial_tree_unwhiten(own->tree, s->cones.whole + own->column, s->change);
        for (int k = 0; k < own->tree->rates; k++)
            own->rates[SPACE_END][k] += s->change[k];
    }
    if (s->body_count > 1)
        part_work(s);
    return s->cones.residual;
}

int spatial_contacts_had_impact(const struct spatial_contacts *s,
                                const struct spatial_contact_body *body)
{
    for (int i = 0; i < s->count; i++)
        if (s->list[i].is_impact && s->cones.impulse[s->cones.laws[i].row] > 0 &&
            is_of_body(&s->list[i], body))
            return 1;
    return 0;
}

double spatial_contacts_split(const struct spatial_contacts *s)
{
    double h = s->dt_s, t = s->instant, first = t < h / 2 ? 2 * t : 2 * t - h;
    if (s->count == 0 || t > h)
        return 0;
    return det_min(det_max(first, SPLIT_SHARE * h), (1 - SPLIT_SHARE) * h);
}

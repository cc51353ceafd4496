/* See dynamics_space.h. */
#include "simulator/body/space/dynamics_space.h"

struct dynamics_space *dynamics_space_of(const struct dynamics *dynamics)
{
    ENSURE(dynamics->solver->set_push_out == dynamics_space_set_push_out,
           "dynamics of another solver");
    return (struct dynamics_space *)dynamics;
}

/* ---------------------------------------------------------------- effectors and world */

static int rate_of(const struct dynamics_space *s, int drive)
{
    int rate = s->phenotype->root_rates + drive;
    int at = s->rate_of ? s->rate_of[rate] : rate;
    ENSURE(drive >= 0 && at < s->space->form->rates, "drive %d has rate %d of %d", drive, at,
           s->space->form->rates);
    return at;
}

void dynamics_space_set_target(struct dynamics *dynamics, int drive, double target, double rate)
{
    struct dynamics_space *s = dynamics_space_of(dynamics);
    int at = rate_of(s, drive);
    if (at < 0)
        return;
    s->space->servos[at].target = target;
    s->space->servos[at].rate = rate;
}

void dynamics_space_set_servo(struct dynamics *dynamics, int drive, const struct servo *servo)
{
    struct dynamics_space *s = dynamics_space_of(dynamics);
    space_state_set_servo(s->space, rate_of(s, drive), servo);
}

const struct servo *dynamics_space_servo(const struct dynamics *dynamics, int drive)
{
    const struct dynamics_space *s = dynamics_space_of(dynamics);
    return &s->space->servos[rate_of(s, drive)];
}

void dynamics_space_set_effectors(struct dynamics *dynamics, enum effector_state state)
{
    space_state_set_effectors(dynamics_space_of(dynamics)->space, state);
}

void dynamics_space_set_joint_damping(struct dynamics *dynamics, double rate_1_s)
{
    space_state_set_joint_damping(dynamics_space_of(dynamics)->space, rate_1_s);
}

void dynamics_space_set_push_out(struct dynamics *dynamics, double speed_m_s)
{
    struct space_state *s = dynamics_space_of(dynamics)->space;
    s->solver->set_push_out(s, speed_m_s);
}

int dynamics_space_step(struct dynamics *dynamics)
{
    struct space_state *s = dynamics_space_of(dynamics)->space;
    int is_broken = s->solver->step(s);
    dynamics->work = s->solver->work(s);
    return is_broken;
}

/* ---------------------------------------------------------------- what others read */

void dynamics_space_reset_ledger(struct dynamics *dynamics)
{
    struct space_state *s = dynamics_space_of(dynamics)->space;
    s->solver->reset_ledger(s);
}

const struct ledger *dynamics_space_ledger(struct dynamics *dynamics)
{
    struct space_state *s = dynamics_space_of(dynamics)->space;
    return s->solver->ledger(s);
}

/* Room for so many points. 0: memory is out, and the next step fails. */
static int has_room(struct dynamics_space *s, int count)
{
    if (count <= s->point_room)
        return 1;
    struct contact_point *points = arena_take(s->arena, 2 * (size_t)count, sizeof points[0]);
    if (!points)
        return 0;
    s->points = points;
    s->point_room = 2 * count;
    return 1;
}

/* The solver's, which numbers creatures only where they meet. */
int dynamics_space_contacts(const struct dynamics *dynamics, const struct contact_point **contacts)
{
    struct dynamics_space *s = dynamics_space_of(dynamics);
    const struct contact_point *points;
    int count = s->space->solver->contacts(s->space, &points);
    if (!has_room(s, count))
        count = s->point_room;
    for (int i = 0; i < count; i++) {
        s->points[i] = points[i];
        s->points[i].creature = dynamics->creature;
        if (points[i].other < 0)
            s->points[i].other_creature = -1;
        else if (contact_is_inner(&points[i]))
            s->points[i].other_creature = dynamics->creature;
    }
    *contacts = s->points;
    return count;
}

double dynamics_space_penetration(const struct dynamics *dynamics)
{
    const struct space_state *s = dynamics_space_of(dynamics)->space;
    return s->solver->penetration(s);
}

double dynamics_space_law_miss(const struct dynamics *dynamics)
{
    const struct space_state *s = dynamics_space_of(dynamics)->space;
    return s->law_residual * s->settings.dt_s;
}

void dynamics_space_step_counts(const struct dynamics *dynamics, uint64_t *steps,
                                uint64_t *rk4_steps)
{
    const struct space_state *s = dynamics_space_of(dynamics)->space;
    *steps = s->steps;
    *rk4_steps = s->rk_steps;
}

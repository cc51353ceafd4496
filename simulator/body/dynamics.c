/* The calls of dynamics.h, handed to the solver that the settings name. */
#include "simulator/body/dynamics.h"

#include <math.h>

#include "common/math/detmath.h"
#include "common/math/hash.h"
#include "simulator/body/physics.h"

/* Spheres and bones: motion within the body decays at this rate, as by friction at its pivots.
 * Without, a ring of bones would sway for minutes; a stride of half a second keeps 0.6 of its
 * swing. */
#define BODY_DAMPING_1_S 1.0
/* Room for points of contact at first. */
#define POINTS_ROOM 8

struct dynamics_settings dynamics_settings_of(const struct params *p)
{
    return (struct dynamics_settings){
        .solver = p->simulation_solver,
        .dt_s = p->simulation_dt_s,
        .integrator = p->simulation_integrator,
        .servo_rad_s = p->creature_servo_rad_s,
        .joint_speed_rad_s = p->creature_joint_speed_rad_s,
        .joint_speed_m_s = p->creature_joint_speed_m_s,
        .hill_curvature = p->creature_hill_curvature,
        .effector_mode = p->creature_effector_mode,
        .joint_damping_1_s = p->creature_joint_damping_1_s,
        .constraint_tau_s = p->simulation_constraint_tau_s,
        .rtol = p->simulation_rtol,
        .work_max = (uint64_t)(p->guard_budget * 1e9),
        .spheres = {.substeps = (int)p->spheres_substeps,
                    .rolling_resistance = p->spheres_rolling_resistance,
                    .spin_resistance = p->spheres_spin_resistance,
                    .body_damping_1_s = BODY_DAMPING_1_S}};
}

/* Checks signs, up to what rounding may do to sums. The work of drag and damping is that of a mean
 * velocity and may be off by more: that of damping by a tenth, where violent muscles turn a joint
 * about within a step. Values that are not numbers pass: they end the evaluation elsewhere. */
void ledger_check(const struct ledger *l)
{
    const struct {
        double value, share;
    } terms[] = {{l->work_effector_positive_j, 1e-9},
                 {l->loss_friction_j, 1e-9},
                 {l->loss_impact_j, 1e-9},
                 {l->loss_limit_j, 1e-9},
                 {l->loss_drag_j, 1e-3},
                 {l->loss_damping_j, 0.1},
                 {l->gain_push_out_j, 1e-9},
                 {l->gain_impact_j, 1e-9},
                 {l->gain_limit_j, 1e-9},
                 {l->mended_j, 1e-9}};
    int count = sizeof terms / sizeof terms[0];
    double size = 1;
    for (int i = 0; i < count; i++)
        size += fabs(terms[i].value);
    for (int i = 0; i < count; i++)
        ENSURE(!(terms[i].value < -terms[i].share * size), "term %d of the ledger is %g J", i,
               terms[i].value);
    ENSURE(!(l->work_effector_j > l->work_effector_positive_j + 1e-9 * size),
           "effectors gave %g J, of which %g J were positive", l->work_effector_j,
           l->work_effector_positive_j);
}

double ledger_booked_j(const struct ledger *l)
{
    return l->work_effector_j + l->exchange_j - l->loss_limit_j - l->loss_drag_j -
           l->loss_damping_j - l->loss_friction_j - l->loss_impact_j + l->gain_limit_j +
           l->gain_impact_j + l->gain_push_out_j;
}

double ledger_unearned_j(const struct ledger *ledger, double gain_j)
{
    return gain_j + ledger->mended_j + fabs(ledger->residual_j);
}

struct dynamics *dynamics_create(const struct phenotype *phenotype, const struct world *world,
                                 const struct dynamics_settings *settings, struct arena *arena)
{
    phenotype_check(phenotype);
    const struct body_physics *physics = physics_of(phenotype);
    const struct dynamics_solver *solver = physics->solvers[settings->solver];
    if (!solver)
        solver = physics->solvers[0];
    return solver->create(phenotype, world, settings, arena);
}

void dynamics_set_effectors(struct dynamics *dynamics, enum effector_state state)
{
    ENSURE(state >= EFFECTORS_ON && state <= EFFECTORS_HOLD, "effectors in state %d", state);
    dynamics->effectors = state;
    dynamics_heed_servos(dynamics);
}

struct quaternion dynamics_part_turn(const struct dynamics *dynamics, int part)
{
    struct part_state state;
    double sine, cosine;
    if (dynamics->solver->read->part_turn)
        return dynamics->solver->read->part_turn(dynamics, part);
    dynamics_part_state(dynamics, part, &state);
    det_sincos(state.angle_rad / 2, &sine, &cosine);
    return (struct quaternion){cosine, 0, 0, sine};
}

uint64_t dynamics_hash_flat_part(const struct dynamics *dynamics, int part, uint64_t hash)
{
    struct part_state s;
    dynamics_part_state(dynamics, part, &s);
    hash = hash_double(hash_double(hash_double(hash, s.at_m.x), s.at_m.y), s.angle_rad);
    return hash_double(hash_double(hash_double(hash, s.velocity_m_s.x), s.velocity_m_s.y),
                       s.spin_rad_s.z);
}

void dynamics_shift(struct dynamics *d, struct vec3 by_m)
{
    const double by[] = {by_m.x, by_m.y, by_m.z};
    if (d->solver->shift) {
        d->solver->shift(d, by_m);
        return;
    }
    for (int i = 0; i < d->root_slides; i++)
        d->q[i] += by[i];
    dynamics_set_state(d, d->q, d->qd);
}

void dynamics_stop(struct dynamics *d)
{
    if (d->solver->stop)
        d->solver->stop(d);
    else
        dynamics_set_state(d, d->q, d->still);
    dynamics_reset_ledger(d);
}

void dynamics_reset_ledger(struct dynamics *d)
{
    double kinetic, potential;
    d->solver->energy(d, &kinetic, &potential);
    d->ledger = (struct ledger){.energy_start_j = kinetic + potential};
}

const struct ledger *dynamics_ledger(struct dynamics *d)
{
    struct ledger *l = &d->ledger;
    d->solver->energy(d, &l->kinetic_j, &l->potential_j);
    /* term by term, in the order of records that are kept: another order has other last bits */
    l->residual_j = l->kinetic_j + l->potential_j - l->energy_start_j - l->work_effector_j -
                    l->exchange_j + l->loss_friction_j + l->loss_impact_j + l->loss_limit_j +
                    l->loss_drag_j + l->loss_damping_j - l->gain_push_out_j - l->gain_impact_j -
                    l->gain_limit_j;
    CHECK_DEARLY(ledger_check(l));
    return l;
}

int dynamics_contacts(const struct dynamics *dynamics, const struct contact_point **contacts)
{
    if (dynamics->solver->report)
        dynamics->solver->report(dynamics);
    *contacts = dynamics->touches.points;
    return dynamics->touches.count;
}

struct contact_point *touches_add(struct touches *t)
{
    if (t->count == t->room) {
        int room = 2 * t->room + POINTS_ROOM;
        struct contact_point *points =
            arena_extend(t->arena, t->points, (size_t)t->count, (size_t)room, sizeof points[0]);
        if (!points)
            return NULL;
        t->points = points;
        t->room = room;
    }
    return &t->points[t->count++];
}

/* Guards look for what must not happen: speeds, spins, penetration, vibration, energy and momentum
 * from nowhere, and hopeless runs. The greatest speeds are measured on the way. */
#include "common/judge/contest.h"
#include "simulator/evaluate/run.h"

/* A guard on penetration acts after this time. */
#define PENETRATION_TIME_S 0.05
/* A guard on the joints' rates acts after this time: a limb may whip at an impact. */
#define JOINT_SPEED_TIME_S 0.05
/* A body is broken if it is out of its ranges for this many ticks. */
#define STRAIN_TICKS 3
/* A guard on turning acts after this many steps. */
#define TURN_STEPS 3
/* Reversals of a joint are counted from this rate on, rad/s; of a linear one, m/s. */
#define REVERSAL_RATE_RAD_S 0.2
#define REVERSAL_RATE_M_S   0.04
/* Some solvers' rates say little (struct dynamics). There a drive reverses when it has come
 * back this far from its turning point. */
#define REVERSAL_WAY_RAD 0.02
#define REVERSAL_WAY_M   0.005
/* The muscles' power is a mean over this time. */
#define POWER_TIME_S 0.1
/* A body may yet move so many times as fast as it did so far. Bars of 0.9 of the slowest survivor's
 * pace stop ten of 6692 survivors of four runs (walk, swim, walk3d, swim3d) and save 6 to 19 % of
 * the work; at twice the speed they stop as many and save 3 to 10 %. */
#define SPURT 1.25

/* A creature that another one pins cannot help it. */
static int is_pinned(const struct run *run)
{
    return run->time_s - run->met_s < CONTEST_GRACE_S;
}

/* Counts a reversal of a drive when it has come back by `way` from its last turning point. */
static void count_reversal(struct run *run, int drive, double value, double way)
{
    double *turned_at = &run->turned_at[drive], gone = value - *turned_at;
    int *direction = &run->direction[drive];
    if (*direction == 0 && fabs(gone) < way)
        return;
    if (*direction == 0 || gone * *direction >= 0) {
        *direction = gone < 0 ? -1 : 1;
        *turned_at = value;
    } else if (fabs(gone) >= way) {
        *direction = -*direction;
        *turned_at = value;
        run->reversals[drive] += !is_pinned(run);
    }
}

/* The drives whose rates say little; once a tick, whatever the step. */
static void watch_ways(struct run *run)
{
    struct measures *m = &run->result->measures;
    if (run->dynamics->drive_rates)
        return;
    for (int i = 0; i < run->phenotype.drive_count; i++) {
        int is_linear = run->phenotype.drives[i].is_linear;
        double *fastest = is_linear ? &m->joint_speed_max_m_s : &m->joint_speed_max_rad_s;
        struct drive_state state;
        dynamics_drive_state(run->dynamics, i, &state);
        *fastest = det_max(*fastest, fabs(state.rate));
        count_reversal(run, i, state.value, is_linear ? REVERSAL_WAY_M : REVERSAL_WAY_RAD);
    }
}

/* How fast the drives are and how often they reverse. Returns by which share the fastest is beyond
 * its bound, at least 0. */
static double watch_rates(struct run *run)
{
    const struct params *p = run->params;
    const struct phenotype *phenotype = &run->phenotype;
    struct measures *m = &run->result->measures;
    const double *rates = run->dynamics->drive_rates;
    double excess = 0;
    for (int i = phenotype->first_drive; rates && i < phenotype->drive_count; i++) {
        int is_linear = phenotype->drives[i].is_linear;
        double rate = rates[i], least = is_linear ? REVERSAL_RATE_M_S : REVERSAL_RATE_RAD_S;
        int direction = rate > least ? 1 : rate < -least ? -1 : 0;
        double *fastest = is_linear ? &m->joint_speed_max_m_s : &m->joint_speed_max_rad_s;
        double limit = is_linear ? p->guard_joint_speed_m_s : p->guard_joint_speed_rad_s;
        *fastest = det_max(*fastest, fabs(rate));
        if (limit > 0)
            excess = det_max(excess, fabs(rate) / limit - 1);
        if (direction != 0) {
            run->reversals[i] += run->direction[i] == -direction && !is_pinned(run);
            run->direction[i] = direction;
        }
    }
    return excess;
}

/* Whether the body holds: out of its ranges by the guard's share for a while. */
static int has_broken(struct run *run)
{
    const struct body_physics *physics = physics_of(&run->phenotype);
    double most = run->params->spheres_guard_strain;
    if (most <= 0 || !physics->strain)
        return 0;
    int is_strained = physics->strain(run->dynamics, &run->phenotype) > most;
    run->strain_ticks = is_strained ? run->strain_ticks + 1 : 0;
    return run->strain_ticks >= STRAIN_TICKS;
}

/* A step may keep momentum only roughly. The momentum that it should have is then kept for the step
 * that mends it. */
static void expect_momentum(struct run *run, const struct impulse_sum *given)
{
    struct vec3 way = vec3_add(run->momentum, vec3_scale(given->linear, 0.5));
    struct vec3 turned = vec3_add(vec3_cross(run->centre, given->linear), given->angular);
    run->centre = vec3_add(run->centre, vec3_scale(way, run->dt_s / run->phenotype.mass_kg));
    run->momentum = vec3_add(run->momentum, given->linear);
    run->angular_momentum = vec3_add(run->angular_momentum, turned);
}

static void take_momentum(struct run *run, struct vec3 linear, struct vec3 angular)
{
    run->momentum = linear;
    run->angular_momentum = angular;
    run->centre = dynamics_centre_of_mass(run->dynamics);
}

/* Whether the momentum that the last step gave, along and turning, is what contacts and gravity
 * gave. */
static int keeps_momentum(struct run *run)
{
    const struct measures *m = &run->result->measures;
    double share = run->params->guard_momentum_share, mass = run->phenotype.mass_kg;
    struct vec3 linear, angular, centre = run->centre;
    struct impulse_sum given;
    if (share <= 0)
        return 1;
    int is_known =
        dynamics_impulses(run->dynamics, centre, vec3_scale(run->momentum, 1 / mass), &given);
    dynamics_momentum(run->dynamics, &linear, &angular);
    if (!is_known) {
        take_momentum(run, linear, angular);
        return 1;
    }
    struct vec3 gained = vec3_sub(linear, run->momentum);
    struct vec3 turned = vec3_sub(angular, run->angular_momentum);
    struct vec3 off = vec3_sub(gained, given.linear);
    struct vec3 twist = vec3_sub(vec3_sub(turned, vec3_cross(centre, gained)), given.angular);
    if (given.truncation_share > 0)
        expect_momentum(run, &given);
    else
        take_momentum(run, linear, angular);
    share += given.truncation_share;
    double from_nowhere = fabs(off.x) + fabs(off.y) + fabs(off.z) +
                          (fabs(twist.x) + fabs(twist.y) + fabs(twist.z)) / m->size_m;
    return from_nowhere <= share * (given.size + mass * (1 + m->speed_max_m_s));
}

/* Whether the body touched anything but itself in the last step, and another body. */
static void watch_touches(struct run *run)
{
    const struct contact_point *contacts;
    int count = dynamics_contacts(run->dynamics, &contacts);
    for (int i = 0; i < count; i++) {
        run->has_touched |= !contact_is_inner(&contacts[i]);
        if (!contact_is_inner(&contacts[i]) && contacts[i].other_creature >= 0)
            run->met_s = run->time_s;
    }
}

int run_watch_step(struct run *run)
{
    const struct params *p = run->params;
    struct measures *m = &run->result->measures;
    double turn = 0, fastest_sq = m->speed_max_m_s * m->speed_max_m_s;
    for (int i = 0; i < run->phenotype.part_count; i++) {
        struct part_state state;
        dynamics_part_state(run->dynamics, i, &state);
        double speed_sq = vec3_dot(state.velocity_m_s, state.velocity_m_s);
        if (speed_sq > fastest_sq)
            fastest_sq = speed_sq;
        /* balls may spin */
        if (run->phenotype.shapes[i].kind != SHAPE_BALL)
            turn = det_max(turn, vec3_length(state.spin_rad_s) * run->dt_s);
    }
    m->speed_max_m_s = sqrt(fastest_sq);
    double excess = watch_rates(run);
    watch_touches(run);
    double penetration = run->dynamics->touches.penetration_m;
    m->penetration_max_m = det_max(penetration, m->penetration_max_m);

    if (p->guard_speed_m_s > 0 && m->speed_max_m_s > p->guard_speed_m_s)
        return VERDICT_TOO_FAST;
    run->turn_steps = turn > p->guard_turn_rad ? run->turn_steps + 1 : 0;
    if (p->guard_turn_rad > 0 && run->turn_steps >= TURN_STEPS)
        return VERDICT_SPINNING;
    excess = is_pinned(run) ? 0 : excess;
    run->joint_speed_s = excess > 0 ? run->joint_speed_s + run->dt_s : 0;
    run->joint_pulse_s = excess > 0 ? run->joint_pulse_s + excess * run->dt_s : 0;
    if (run->joint_speed_s > JOINT_SPEED_TIME_S ||
        (p->guard_joint_pulse_s > 0 && run->joint_pulse_s > p->guard_joint_pulse_s))
        return VERDICT_JOINT_SPEED;
    double deepest = det_min(p->guard_penetration_m, run->thinnest_m / 4);
    run->penetration_s = penetration > deepest ? run->penetration_s + run->dt_s : 0;
    if (p->guard_penetration_m > 0 && run->penetration_s > PENETRATION_TIME_S)
        return VERDICT_PENETRATION;
    return keeps_momentum(run) ? VERDICT_OK : VERDICT_MOMENTUM;
}

void run_forgive(struct run *run)
{
    run->turn_steps = run->strain_ticks = 0;
    run->penetration_s = run->joint_speed_s = run->joint_pulse_s = 0;
    run->result->measures.speed_max_m_s = 0;
    for (int i = 0; i < run->phenotype.drive_count; i++)
        run->reversals[i] = 0;
}

/* The greatest power of the muscles over POWER_TIME_S. */
static void measure_power(struct run *run, double spent_j)
{
    struct measures *m = &run->result->measures;
    double window = floor(POWER_TIME_S / run->tick_s + 0.5);
    int ticks = window < 1 ? 1 : window > POWER_TICKS_MAX ? POWER_TICKS_MAX : (int)window;
    double *before_j = &run->spent_j[run->ticks % (uint64_t)ticks];
    double power = (spent_j - *before_j) / (ticks * run->tick_s) / run->phenotype.mass_kg;
    if (run->ticks >= (uint64_t)ticks)
        m->power_max_w_kg = det_max(m->power_max_w_kg, power);
    *before_j = spent_j;
}

/* The pace, m/s, to which the body comes by the end if it moves SPURT times as fast from now on. */
static double find_pace(const struct run *run)
{
    double left_s = det_max(run->params->simulation_duration_s - run->time_s, 0);
    double pace_m_s = run->result->measures.distance_max_m / run->time_s;
    return pace_m_s * ((run->time_s + SPURT * left_s) / (run->time_s + left_s));
}

int run_watch_tick(struct run *run)
{
    const struct params *p = run->params;
    const struct body_physics *physics = physics_of(&run->phenotype);
    double gain_j, turnover_j;
    const struct ledger *ledger = dynamics_ledger(run->dynamics);
    run_sum_ledger(run, ledger, &gain_j, &turnover_j);
    measure_power(run, ledger->work_effector_positive_j);
    double floor_j =
        1e-3 * run->phenotype.mass_kg * STANDARD_GRAVITY_M_S2 * run->result->measures.size_m;
    double allowed_j = p->guard_energy_share * (turnover_j - floor_j) + floor_j;
    if (p->guard_energy_share > 0 && physics->unearned_j(ledger, gain_j) > allowed_j)
        return VERDICT_ENERGY;
    watch_ways(run);
    if (has_broken(run))
        return VERDICT_BROKEN;
    for (int i = 0; i < run->phenotype.drive_count && run->time_s >= 1; i++)
        if (p->guard_reversals_hz > 0 && run->reversals[i] > p->guard_reversals_hz * run->time_s)
            return VERDICT_VIBRATION;
    if (run->time_s >= p->guard_hopeless_s) {
        double bar_m_s = p->guard_hopeless_sizes_s * run->result->measures.size_m;
        double pace_m_s = find_pace(run);
        run->pace_least_m_s = det_min(run->pace_least_m_s, pace_m_s);
        if (pace_m_s < det_max(bar_m_s, p->guard_hopeless_m_s))
            return VERDICT_HOPELESS;
    }
    if (p->guard_motionless_s > 0) {
        double reach = vec3_distance(run->last, run->still_at);
        run->still_reach_m = det_max(run->still_reach_m, reach);
        if (run->time_s - run->still_since_s >= p->guard_motionless_s - 1e-9) {
            if (run->still_reach_m < p->guard_motionless_m)
                return VERDICT_MOTIONLESS;
            run->still_at = run->last;
            run->still_since_s = run->time_s;
            run->still_reach_m = 0;
        }
    }
    return VERDICT_OK;
}

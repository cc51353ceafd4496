/* See evaluate.h. One struct carries an evaluation through its phases; each phase is a function that
 * returns a verdict, VERDICT_OK meaning "go on". */
#include "simulator/evaluate/evaluate.h"

#include <math.h>

#include "common/detmath.h"
#include "common/hash.h"
#include "common/rng.h"
#include "simulator/spheres/dynamics_spheres.h"
#include "simulator/mind/senses.h"
#include "simulator/evaluate/terrain.h"

/* Gravity that scales energies and costs in worlds that have none. */
#define STANDARD_GRAVITY_M_S2 9.81
/* Overlap at birth that counts as none, m, and what pushing apart aims at: less than what contacts
 * push out later, so that no body starts with energy from there. */
#define OVERLAP_TOLERANCE_M 1e-3
#define OVERLAP_AIM_M       5e-4
/* Parts are pushed apart at this speed, with this passive damping of the joints. */
#define PUSH_APART_SPEED_M_S 0.5
#define SETTLE_DAMPING_1_S   3.0
/* While settling there is no friction for this long, so that limbs slide into place. */
#define SETTLE_SLIDE_S 2.0
/* At rest: kinetic energy below this share of m g size. */
#define REST_ENERGY_SHARE 1e-4
/* A guard on penetration acts after this time. */
#define PENETRATION_TIME_S 0.05
/* A guard on the joints' rates acts after this time: a limb that whips at an impact is none. */
#define JOINT_SPEED_TIME_S 0.05
/* Bones out of their lengths for this many ticks are broken. */
#define STRAIN_TICKS 3
/* A guard on turning acts after this many steps. */
#define TURN_STEPS 3
/* Reversals of a joint are counted from this rate on, rad/s; of a linear one, m/s. */
#define REVERSAL_RATE_RAD_S 0.2
#define REVERSAL_RATE_M_S   0.04
/* The drives of spheres reverse when they have come back so far from where they turned, rad or m: their rates
 * at an instant are those of stiff bones that chatter, the more the finer the step. */
#define REVERSAL_WAY_RAD 0.02
#define REVERSAL_WAY_M   0.005
/* Who stood on something has fallen off when its centre of mass is this far below all surfaces, m. */
#define FALL_M 0.1
/* The muscles' power is a mean over this time, and no more ticks. */
#define POWER_TIME_S 0.1
enum { POWER_TICKS_MAX = 100 };
/* Explicit steps with drag are stable while 2 k h / (density x thinnest side) stays below this. */
#define DRAG_STABILITY 0.5

/* Operations of a brain tick for each neuron and for each part. */
enum { NEURON_WORK = 50, PART_WORK = 300 };

struct run {
    const struct params *params;
    uint64_t seed;
    struct phenotype phenotype;
    struct world world;
    struct brain *brain;
    struct dynamics *dynamics;
    struct evaluation *result;
    evaluate_editor *edit;
    evaluate_observer *observer;
    void *context;

    double dt_s, tick_s;
    int steps_per_tick;
    struct senses senses;
    struct light light;
    double *signals;  /* per effector, of the last think */
    double *filtered; /* per effector: clamped and filtered, in the gene's sign */
    int *reversals;   /* per link or drive: count, and the sign of the last fast motion */
    int *direction;
    double *turned_at; /* of drives: farthest in the direction of now, m or rad */
    double thinnest_m;
    double fallen_m; /* below this height it has fallen off */

    /* operations, see dynamics_work(): allowed (0: any number), and taken by brain, senses and measures */
    uint64_t work_max, tick_work;

    enum evaluate_phase phase;
    double time_s;
    struct vec3 start; /* rectangles: z is 0, here and below */
    int is_stopped;    /* by the observer */

    /* guards */
    struct vec3 momentum, angular_momentum; /* after the last step */
    struct vec3 centre;                     /* of mass, then */
    int turn_steps, strain_ticks;
    double penetration_s;
    double joint_speed_s; /* how long some joint has been too fast */
    double joint_pulse_s; /* by how much, as a share of the bound, times how long */
    struct vec3 still_at; /* where the window for "motionless" began */
    double still_since_s, still_reach_m;

    /* running measures */
    struct vec3 last, windows[MEASURE_WINDOWS + 1];
    double height_sum_m, lowest_sum_m, head_sum_m;
    int has_touched; /* in a step of this tick */
    uint64_t ticks, contact_ticks;
    double spent_j[POWER_TICKS_MAX]; /* energy used up to the last ticks, in turn */
};

static double length_of(double x, double y)
{
    return sqrt(x * x + y * y);
}

static double distance_of(struct vec3 a, struct vec3 b)
{
    double x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    return sqrt(x * x + y * y + z * z);
}

/* Along the ground. */
static double way_of(struct vec3 a, struct vec3 b)
{
    double x = fabs(a.x - b.x), z = a.z - b.z;
    return z == 0 ? x : length_of(x, z);
}

static struct vec2 flat(struct vec3 a)
{
    return (struct vec2){a.x, a.y};
}

/* Diagonal of the bounding box. */
static double size_of(const struct run *run)
{
    struct vec3 low, high;
    dynamics_bounds(run->dynamics, &low, &high);
    return length_of(length_of(high.x - low.x, high.y - low.y), high.z - low.z);
}

/* ---------------------------------------------------------------- brain and effectors */

/* What one unit of a gene's signal is to the joint: angles turn with the part, extensions go by its
 * scale, shares of the strength by neither. */
static double signal_unit(const struct run *run, const struct link *link)
{
    int is_position = run->params->creature_effector_mode == EFFECTOR_POSITION;
    return link->mirror * (is_position ? link->scale : 1);
}

/* A drive of spheres, from one filtered signal to the next. */
static void set_drive(struct run *run, int index, double share)
{
    const struct sphere_drive *drive = &run->phenotype.spheres->drives[index];
    double low = (drive->low - drive->rest) / drive->unit;
    double high = (drive->high - drive->rest) / drive->unit;
    double least = fmin(low, high), most = fmax(low, high), from = run->filtered[index];
    double signal = fmin(fmax(run->signals[index], least), most);
    double to = from + share * (signal - from);
    run->filtered[index] = to;
    dynamics_set_target(run->dynamics, index, drive->rest + drive->unit * from,
                        drive->unit * (to - from) / run->tick_s);
}

/* Clamps a signal to what the joint can do, in the gene's sign and unit. */
static double clamp_signal(const struct run *run, const struct link *link, double signal)
{
    double low = -1, high = 1;
    if (run->params->creature_effector_mode == EFFECTOR_POSITION) {
        low = (link->mirror > 0 ? link->lower : -link->upper) / link->scale;
        high = (link->mirror > 0 ? link->upper : -link->lower) / link->scale;
    }
    return signal < low ? low : signal > high ? high : signal;
}

/* One brain tick: two thinks; the targets then move linearly to the filtered signals. */
static void think(struct run *run)
{
    const struct phenotype *phenotype = &run->phenotype;
    double filter_s = run->params->creature_effector_filter_s;
    double share = filter_s > 0 ? 1 - det_exp(-run->tick_s / filter_s) : 1;
    run->tick_work += (uint64_t)(NEURON_WORK * brain_neuron_count(run->brain) +
                                 PART_WORK * run->phenotype.part_count);
    light_move(&run->light, run->time_s, run->last);
    senses_read(&run->senses, run->dynamics, run->world.gravity_m_s2, &run->light,
                run->time_s > 0 ? run->tick_s : 0);
    brain_think(run->brain, run->senses.values, run->signals, run->tick_s / 2);
    brain_think(run->brain, run->senses.values, run->signals, run->tick_s / 2);
    for (int i = 0; i < phenotype->effector_count && phenotype->spheres; i++)
        set_drive(run, i, share);
    for (int i = 0; i < phenotype->effector_count && !phenotype->spheres; i++) {
        int link_index = phenotype->effectors[i].link;
        const struct link *link = &phenotype->links[link_index];
        double from = run->filtered[i];
        double to = from + share * (clamp_signal(run, link, run->signals[i]) - from);
        run->filtered[i] = to;
        double unit = signal_unit(run, link);
        dynamics_set_target(run->dynamics, link_index, unit * from,
                            unit * (to - from) / run->tick_s);
    }
}

static void observe(struct run *run)
{
    if (!run->observer)
        return;
    struct evaluate_view view = {.phase = run->phase,
                                 .time_s = run->time_s,
                                 .phenotype = &run->phenotype,
                                 .dynamics = run->dynamics,
                                 .brain = run->brain,
                                 .sensors = run->senses.values,
                                 .signals = run->filtered,
                                 .ledger = dynamics_ledger(run->dynamics),
                                 .light = &run->light,
                                 .start = flat(run->start),
                                 .start_z_m = run->start.z,
                                 .run = run};
    run->is_stopped |= run->observer(run->context, &view) != 0;
}

/* ---------------------------------------------------------------- before the start */

static int take_memory(struct run *run, struct arena *arena)
{
    size_t effectors = (size_t)run->phenotype.effector_count;
    size_t drives = (size_t)run->phenotype.drive_count;
    run->signals = arena_take(arena, effectors, sizeof(double));
    run->filtered = arena_take(arena, effectors, sizeof(double));
    run->reversals = arena_take(arena, drives, sizeof(int));
    run->direction = arena_take(arena, drives, sizeof(int));
    run->turned_at = arena_take(arena, drives, sizeof(double));
    if (!run->signals || !run->filtered || !run->reversals || !run->direction || !run->turned_at)
        return ERR_MEMORY;
    const struct sphere_body *body = run->phenotype.spheres;
    for (int i = 0; body && i < body->drive_count; i++)
        if (body->drives[i].kind == SPHERE_DRIVE_BONE)
            run->turned_at[i] = body->bones[body->drives[i].index].length_m;
    return senses_create(&run->senses, &run->phenotype, run->params, arena);
}

/* Light parts on heavy ones, and the other way round, need steps finer than the settings'. */
static int has_balance(const struct run *run)
{
    double most = run->params->guard_mass_ratio;
    const struct sphere_body *body = run->phenotype.spheres;
    for (int i = 0; body && i < body->bone_count && most > 0; i++) {
        double a = body->spheres[body->bones[i].a].mass_kg;
        double b = body->spheres[body->bones[i].b].mass_kg;
        if (a > most * b || b > most * a)
            return 0;
    }
    for (int i = 1; i < run->phenotype.link_count && most > 0; i++) {
        const struct link *link = &run->phenotype.links[i];
        double mass = link->mass_kg, other = run->phenotype.links[link->parent].mass_kg;
        if (mass > most * other || other > most * mass)
            return 0;
    }
    return 1;
}

/* Odd perturbations have more friction, even ones less. */
static void perturb_friction(struct run *run)
{
    int64_t number = run->params->simulation_perturbation;
    double share = run->params->guard_perturbed_friction;
    if (number == 0)
        return;
    run->world.friction *= 1 + (number % 2 ? share : -share);
    run->world.own_friction *= 1 + (number % 2 ? share : -share);
}

/* Makes body and brain. */
static int prepare(struct run *run, const struct genome *genome, struct arena *arena)
{
    const struct params *p = run->params;
    int verdict = phenotype_express(&run->phenotype, genome, p, arena);
    if (verdict != VERDICT_OK)
        return verdict;
    if (run->edit)
        run->edit(run->context, &run->phenotype);
    if (!has_balance(run))
        return VERDICT_UNBALANCED;

    /* a tick is a whole number of steps, none longer than asked for */
    run->tick_s = 1 / p->simulation_brain_hz;
    double steps = ceil(run->tick_s / p->simulation_dt_s - 1e-6);
    run->steps_per_tick = steps < 1 ? 1 : (int)steps;
    run->dt_s = run->tick_s / run->steps_per_tick;

    world_init(&run->world, p);
    perturb_friction(run);
    run->fallen_m = terrain_lowest_surface(&run->world) - FALL_M;
    light_init(&run->light, p, run->seed);
    run->thinnest_m = HUGE_VAL;
    for (int i = 0; i < run->phenotype.part_count; i++) {
        const struct part *part = &run->phenotype.parts[i];
        run->thinnest_m = fmin(run->thinnest_m, part->cross_section_m);
    }
    double stiffness =
        2 * run->world.viscosity_pa_s * run->dt_s / (p->creature_density_kg_m2 * run->thinnest_m);
    int is_explicit =
        p->simulation_solver == SOLVER_ARTICULATED && p->simulation_integrator == INTEGRATOR_RK4;
    if (!run->phenotype.spheres && run->world.drag_law == DRAG_LAW_LINEAR && is_explicit &&
        stiffness > DRAG_STABILITY)
        return VERDICT_UNSTABLE_DRAG;

    struct dynamics_settings settings = {.solver = p->simulation_solver,
                                         .constraint_tau_s = p->simulation_constraint_tau_s,
                                         .rtol = p->simulation_rtol,
                                         .substeps = (int)p->simulation_substeps,
                                         .bone_hz = p->creature_bone_hz,
                                         .work_max = (uint64_t)(p->guard_budget * 1e9),
                                         .dt_s = run->dt_s,
                                         .integrator = p->simulation_integrator,
                                         .contact_sweeps = (int)p->simulation_contact_sweeps,
                                         .servo_rad_s = p->creature_servo_rad_s,
                                         .joint_speed_rad_s = p->creature_joint_speed_rad_s,
                                         .joint_speed_m_s = p->creature_joint_speed_m_s,
                                         .hill_curvature = p->creature_hill_curvature,
                                         .effector_mode = p->creature_effector_mode,
                                         .joint_damping_1_s = p->creature_joint_damping_1_s,
                                         .rolling_resistance = p->creature_rolling_resistance,
                                         .spin_resistance = p->creature_spin_resistance,
                                         .body_damping_1_s = p->creature_body_damping_1_s};
    run->work_max = settings.work_max;
    run->brain = brain_create(&run->phenotype, arena);
    run->dynamics = dynamics_create(&run->phenotype, &run->world, &settings, arena);
    if (!run->brain || !run->dynamics || take_memory(run, arena) != 0)
        return VERDICT_NOT_EXPRESSED;
    return VERDICT_OK;
}

static uint64_t work_of(const struct run *run)
{
    return dynamics_work(run->dynamics) + run->tick_work;
}

/* One step, unless its cost ends the evaluation. */
static int step(struct run *run)
{
    if (dynamics_step(run->dynamics) != 0)
        return VERDICT_NOT_FINITE;
    return run->work_max > 0 && work_of(run) > run->work_max ? VERDICT_BUDGET : VERDICT_OK;
}

/* Steps through one tick of a phase before the start. */
static int settle_tick(struct run *run)
{
    int verdict;
    for (int i = 0; i < run->steps_per_tick; i++)
        if ((verdict = step(run)) != VERDICT_OK)
            return verdict;
    run->time_s += run->tick_s;
    observe(run);
    return VERDICT_OK;
}

/* Without gravity, ground and muscles, until nothing overlaps. */
static int push_apart(struct run *run)
{
    const struct params *p = run->params;
    if (dynamics_overlap(run->dynamics) <= OVERLAP_TOLERANCE_M)
        return VERDICT_OK;
    if (p->creature_overlap == OVERLAP_REJECT)
        return VERDICT_OVERLAP;
    struct world empty = run->world;
    empty.gravity_m_s2 = empty.friction = empty.elasticity = 0;
    empty.own_friction = empty.own_elasticity = 0;
    empty.has_ground = empty.obstacles.count = 0;
    dynamics_set_world(run->dynamics, &empty);
    dynamics_set_effectors(run->dynamics,
                           run->phenotype.spheres ? EFFECTORS_HOLD : EFFECTORS_SLACK);
    dynamics_set_joint_damping(run->dynamics, SETTLE_DAMPING_1_S);
    dynamics_set_push_out(run->dynamics, PUSH_APART_SPEED_M_S);
    run->phase = PHASE_PUSH_APART;
    while (dynamics_overlap(run->dynamics) > OVERLAP_AIM_M &&
           run->time_s < p->settle_push_apart_s) {
        /* every tick starts at rest: a pile that cannot come apart must not gather speed */
        int verdict = settle_tick(run);
        if (verdict != VERDICT_OK)
            return verdict == VERDICT_BUDGET ? verdict : VERDICT_OVERLAP;
        dynamics_stop(run->dynamics);
    }
    if (dynamics_overlap(run->dynamics) > OVERLAP_TOLERANCE_M)
        return VERDICT_OVERLAP;
    dynamics_set_push_out(run->dynamics, 0);
    dynamics_set_world(run->dynamics, &run->world);
    dynamics_stop(run->dynamics);
    return VERDICT_OK;
}

/* Puts the body's lowest point at a height. */
static void put_at(struct run *run, double height_m)
{
    struct vec3 low, high;
    dynamics_bounds(run->dynamics, &low, &high);
    dynamics_shift(run->dynamics, (struct vec3){0, height_m - low.y, 0});
}

static void lift_off_obstacles(struct run *run)
{
    double lift_m = terrain_lift(&run->world, &run->phenotype, run->dynamics);
    if (lift_m > 0)
        dynamics_shift(run->dynamics, (struct vec3){0, lift_m, 0});
}

/* Puts the body where it begins: on the surface or above it, and not into an obstacle. */
static void place(struct run *run, int is_settling)
{
    double drop_m = run->params->settle_drop_m, base_m = terrain_start_height(&run->world);
    struct vec3 centre = dynamics_centre_of_mass(run->dynamics);
    if (run->world.obstacles.count > 0)
        dynamics_shift(run->dynamics, (struct vec3){-centre.x, 0, -centre.z});
    if (drop_m > 0 || is_settling)
        put_at(run, base_m + drop_m);
    lift_off_obstacles(run);
}

/* 1 if the centre of mass is below everything that could carry it. */
static int has_fallen(const struct run *run)
{
    return run->world.gravity_m_s2 > 0 && dynamics_centre_of_mass(run->dynamics).y < run->fallen_m;
}

/* Spheres without joints between their bones have nothing else that brings them to rest: Stokes' law, so that
 * every sphere loses at least the usual rate of its speed. */
static void thicken(const struct run *run, struct world *world)
{
    const struct sphere_body *body = run->phenotype.spheres;
    double most = 0;
    for (int i = 0; i < body->sphere_count; i++)
        most = fmax(most, body->spheres[i].mass_kg / body->spheres[i].radius_m);
    world->drag_law = DRAG_LAW_LINEAR;
    world->viscosity_pa_s = SETTLE_DAMPING_1_S * most / (6 * DET_PI);
}

/* On the surface, damped, muscles slack or holding, until it is at rest. */
static int settle(struct run *run)
{
    const struct params *p = run->params;
    int is_settling =
        p->settle_drop_m <= 0 && p->settle_limit_s > 0 && terrain_can_carry(&run->world);
    place(run, is_settling);
    if (!is_settling)
        return VERDICT_OK;
    struct world slippery = run->world;
    slippery.friction = slippery.own_friction = 0;
    if (run->phenotype.spheres)
        thicken(run, &slippery);
    dynamics_set_world(run->dynamics, &slippery);
    dynamics_set_joint_damping(run->dynamics, SETTLE_DAMPING_1_S);
    dynamics_set_effectors(run->dynamics,
                           p->settle_effectors == SETTLE_HOLD && p->creature_effectors
                               ? EFFECTORS_HOLD
                               : EFFECTORS_SLACK);
    run->phase = PHASE_SETTLE;
    double begin_s = run->time_s, rest_since_s = run->time_s;
    double scale_j = run->phenotype.mass_kg * run->world.gravity_m_s2 * size_of(run);
    double rest_height = dynamics_centre_of_mass(run->dynamics).y;
    int is_slippery = 1, verdict = VERDICT_UNSETTLED;
    while (verdict == VERDICT_UNSETTLED && run->time_s - begin_s < p->settle_limit_s &&
           !has_fallen(run)) {
        int failure = settle_tick(run);
        if (failure != VERDICT_OK)
            return failure;
        if (is_slippery && run->time_s - begin_s >= SETTLE_SLIDE_S) {
            slippery.friction = run->world.friction;
            slippery.own_friction = run->world.own_friction;
            dynamics_set_world(run->dynamics, &slippery);
            is_slippery = 0;
        }
        double height = dynamics_centre_of_mass(run->dynamics).y;
        double kinetic_j = dynamics_ledger(run->dynamics)->kinetic_j;
        if (fabs(height - rest_height) > p->settle_rest_height_m ||
            kinetic_j > REST_ENERGY_SHARE * scale_j) {
            rest_height = height;
            rest_since_s = run->time_s;
        }
        if (run->time_s - rest_since_s >= p->settle_rest_s)
            verdict = VERDICT_OK;
    }
    dynamics_set_world(run->dynamics, &run->world);
    return p->settle_required ? verdict : VERDICT_OK;
}

/* Turns the whole body a little about the axes along the ground. */
static void perturb_spheres(struct run *run, struct rng *rng, double most)
{
    double sine, cosine;
    struct vec3 low, high;
    int is_flat = run->params->world_dimensions == 2;
    dynamics_bounds(run->dynamics, &low, &high);
    for (int axis = is_flat ? 2 : 0; axis < 3; axis += 2) {
        det_sincos(rng_uniform(rng, -most, most), &sine, &cosine);
        for (int i = 0; i < run->phenotype.part_count; i++) {
            struct part_state state;
            dynamics_part_state(run->dynamics, i, &state);
            double *across = axis == 0 ? &state.z_m : &state.x_m, y = state.y_m;
            state.y_m = cosine * y + sine * *across;
            *across = cosine * *across - sine * y;
            dynamics_place_sphere(run->dynamics, i, &state);
        }
    }
    put_at(run, low.y);
    lift_off_obstacles(run);
}

/* Turns body and joints a little (joints within their limits), keeping the height of the lowest
 * point: who stands, stands. A chaotic motion is another one from here on; a gait goes on. */
static void perturb_pose(struct run *run)
{
    double q[2 + 64], most = run->params->guard_perturbed_pose_rad;
    struct vec3 low, high;
    struct rng rng;
    if (run->params->simulation_perturbation == 0)
        return;
    rng_init(&rng, run->seed, RNG_PERTURBATION, 0, (uint64_t)run->params->simulation_perturbation);
    if (run->phenotype.spheres) {
        perturb_spheres(run, &rng, most);
        return;
    }
    dynamics_bounds(run->dynamics, &low, &high);
    for (int i = 0; i < dynamics_dof(run->dynamics); i++)
        q[i] = dynamics_q(run->dynamics)[i];
    q[2] += rng_uniform(&rng, -most, most);
    for (int i = 1; i < run->phenotype.link_count; i++) {
        const struct link *link = &run->phenotype.links[i];
        double turned = q[2 + i] + rng_uniform(&rng, -most, most);
        q[2 + i] = turned < link->lower   ? fmin(q[2 + i], link->lower)
                   : turned > link->upper ? fmax(q[2 + i], link->upper)
                                          : turned;
    }
    dynamics_set_state(run->dynamics, q, dynamics_qd(run->dynamics));
    put_at(run, low.y);
    lift_off_obstacles(run);
}

/* ---------------------------------------------------------------- the scored time */

static double head_height(const struct run *run)
{
    struct part_state head;
    dynamics_part_state(run->dynamics, run->phenotype.head, &head);
    return head.y_m;
}

/* From here on everything counts: velocities zero, ledger empty, clock at 0. */
static void start(struct run *run)
{
    struct measures *m = &run->result->measures;
    m->settle_s = run->time_s;
    dynamics_stop(run->dynamics);
    dynamics_set_joint_damping(run->dynamics, run->params->creature_joint_damping_1_s);
    dynamics_set_effectors(run->dynamics,
                           run->params->creature_effectors ? EFFECTORS_ON : EFFECTORS_SLACK);
    dynamics_reset_ledger(run->dynamics);
    run->phase = PHASE_SCORE;
    run->time_s = 0;
    run->start = run->last = run->still_at = dynamics_centre_of_mass(run->dynamics);
    for (int i = 0; i <= MEASURE_WINDOWS; i++)
        run->windows[i] = run->start;
    light_move(&run->light, 0, run->start);

    run->centre = run->start;
    dynamics_momentum(run->dynamics, &run->momentum, &run->angular_momentum);

    struct vec3 low, high;
    dynamics_bounds(run->dynamics, &low, &high);
    m->size_m = size_of(run);
    m->lowest_start_m = m->lowest_max_m = low.y;
    m->height_start_m = m->height_max_m = run->start.y;
    m->head_start_m = m->head_max_m = head_height(run);
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
        run->reversals[drive]++;
    }
}

/* Rates of the drives, and how often they reverse; once a tick, whatever the step. */
static void watch_drives(struct run *run)
{
    const struct sphere_body *body = run->phenotype.spheres;
    struct measures *m = &run->result->measures;
    for (int i = 0; i < body->drive_count; i++) {
        const struct sphere_drive *drive = &body->drives[i];
        int is_bone = drive->kind == SPHERE_DRIVE_BONE;
        double *fastest = is_bone ? &m->joint_speed_max_m_s : &m->joint_speed_max_rad_s;
        struct drive_state state;
        dynamics_drive_state(run->dynamics, i, &state);
        *fastest = fmax(*fastest, fabs(state.rate));
        count_reversal(run, i, state.value, is_bone ? REVERSAL_WAY_M : REVERSAL_WAY_RAD);
    }
}

/* Whether the bones hold: out of their lengths by the guard's share for a while. */
static int has_broken(struct run *run)
{
    const struct sphere_body *body = run->phenotype.spheres;
    double most = run->params->guard_strain, worst = 0;
    for (int i = 0; i < body->bone_count && most > 0; i++) {
        const struct bone *bone = &body->bones[i];
        double length, rate, low = bone->length_m, high = low;
        dynamics_bone_state(run->dynamics, i, &length, &rate);
        if (bone->is_muscle) {
            low = bone->shortest_m;
            high = bone->longest_m;
        }
        double off = length > high ? length - high : length < low ? low - length : 0;
        worst = fmax(worst, off / bone->length_m);
    }
    run->strain_ticks = worst > most ? run->strain_ticks + 1 : 0;
    return most > 0 && run->strain_ticks >= STRAIN_TICKS;
}

/* A step that keeps momentum only roughly leaves it as it should be, for the step that mends it. */
static void expect_momentum(struct run *run, const struct impulse_sum *given)
{
    struct vec3 way = vec3_add(run->momentum, vec3_scale(given->linear, 0.5));
    struct vec3 turned = vec3_add(vec3_cross(run->centre, given->linear), given->angular);
    run->centre = vec3_add(run->centre, vec3_scale(way, run->dt_s / run->phenotype.mass_kg));
    run->momentum = vec3_add(run->momentum, given->linear);
    run->angular_momentum = vec3_add(run->angular_momentum, turned);
}

/* Whether the momentum that the last step gave, along and turning, is what contacts and gravity gave. */
static int keeps_momentum(struct run *run)
{
    const struct measures *m = &run->result->measures;
    double share = run->params->guard_momentum_share, mass = run->phenotype.mass_kg;
    struct vec3 linear, angular, centre = run->centre;
    struct impulse_sum given;
    if (share <= 0 ||
        !dynamics_impulses(run->dynamics, centre, vec3_scale(run->momentum, 1 / mass), &given))
        return 1;
    dynamics_momentum(run->dynamics, &linear, &angular);
    struct vec3 gained = vec3_sub(linear, run->momentum);
    struct vec3 turned = vec3_sub(angular, run->angular_momentum);
    struct vec3 off = vec3_sub(gained, given.linear);
    struct vec3 twist = vec3_sub(vec3_sub(turned, vec3_cross(centre, gained)), given.angular);
    if (given.truncation_share > 0) {
        expect_momentum(run, &given);
    } else {
        run->momentum = linear;
        run->angular_momentum = angular;
        run->centre = dynamics_centre_of_mass(run->dynamics);
    }
    share += given.truncation_share;
    double from_nowhere = fabs(off.x) + fabs(off.y) + fabs(off.z) +
                          (fabs(twist.x) + fabs(twist.y) + fabs(twist.z)) / m->size_m;
    return from_nowhere <= share * (given.size + mass * (1 + m->speed_max_m_s));
}

/* Whether the body touched anything but itself in the last step. */
static int is_touching(const struct run *run)
{
    const struct contact_point *contacts;
    int count = dynamics_contacts(run->dynamics, &contacts);
    for (int i = 0; i < count; i++)
        if (contacts[i].other < 0)
            return 1;
    return 0;
}

/* Greatest speeds, touches, and the guards that look at every step. */
static int watch_step(struct run *run)
{
    const struct params *p = run->params;
    struct measures *m = &run->result->measures;
    const double *qd = dynamics_qd(run->dynamics);
    double turn = 0, excess = 0;
    for (int i = 0; i < run->phenotype.part_count; i++) {
        struct part_state state;
        dynamics_part_state(run->dynamics, i, &state);
        struct vec3 velocity = {state.vx_m_s, state.vy_m_s, state.vz_m_s};
        m->speed_max_m_s = fmax(m->speed_max_m_s, vec3_length(velocity));
        /* what is round may spin */
        if (run->phenotype.parts[i].shape != PART_DISK)
            turn = fmax(turn, fabs(state.omega_rad_s) * run->dt_s);
    }
    for (int i = 1; i < run->phenotype.link_count; i++) {
        int is_linear = run->phenotype.links[i].joint_kind == LINK_LINEAR;
        double rate = qd[2 + i], least = is_linear ? REVERSAL_RATE_M_S : REVERSAL_RATE_RAD_S;
        int direction = rate > least ? 1 : rate < -least ? -1 : 0;
        double *fastest = is_linear ? &m->joint_speed_max_m_s : &m->joint_speed_max_rad_s;
        double limit = is_linear ? p->guard_joint_speed_m_s : p->guard_joint_speed_rad_s;
        *fastest = fmax(*fastest, fabs(rate));
        if (limit > 0)
            excess = fmax(excess, fabs(rate) / limit - 1);
        if (direction != 0) {
            run->reversals[i] += run->direction[i] == -direction;
            run->direction[i] = direction;
        }
    }
    run->has_touched |= is_touching(run);
    double penetration = dynamics_penetration(run->dynamics);
    m->penetration_max_m = fmax(m->penetration_max_m, penetration);

    if (p->guard_speed_m_s > 0 && m->speed_max_m_s > p->guard_speed_m_s)
        return VERDICT_TOO_FAST;
    run->turn_steps = turn > p->guard_turn_rad ? run->turn_steps + 1 : 0;
    if (p->guard_turn_rad > 0 && run->turn_steps >= TURN_STEPS)
        return VERDICT_SPINNING;
    run->joint_speed_s = excess > 0 ? run->joint_speed_s + run->dt_s : 0;
    run->joint_pulse_s = excess > 0 ? run->joint_pulse_s + excess * run->dt_s : 0;
    if (run->joint_speed_s > JOINT_SPEED_TIME_S ||
        (p->guard_joint_pulse_s > 0 && run->joint_pulse_s > p->guard_joint_pulse_s))
        return VERDICT_JOINT_SPEED;
    double deepest = fmin(p->guard_penetration_m, run->thinnest_m / 4);
    run->penetration_s = penetration > deepest ? run->penetration_s + run->dt_s : 0;
    if (p->guard_penetration_m > 0 && run->penetration_s > PENETRATION_TIME_S)
        return VERDICT_PENETRATION;
    return keeps_momentum(run) ? VERDICT_OK : VERDICT_MOMENTUM;
}

/* Losses and unearned gains of the ledger, and what they are compared with. */
static void sum_ledger(const struct run *run, const struct ledger *l, double *gain_j,
                       double *turnover_j)
{
    const struct measures *m = &run->result->measures;
    *gain_j = l->gain_push_out_j + l->gain_impact_j + l->gain_limit_j;
    *turnover_j = l->work_effector_positive_j + l->loss_friction_j + l->loss_impact_j +
                  l->loss_limit_j + l->loss_drag_j + l->loss_damping_j +
                  1e-3 * run->phenotype.mass_kg * STANDARD_GRAVITY_M_S2 * m->size_m;
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
        m->power_max_w_kg = fmax(m->power_max_w_kg, power);
    *before_j = spent_j;
}

/* The guards that look once a tick. */
static int watch_tick(struct run *run)
{
    const struct params *p = run->params;
    double gain_j, turnover_j;
    const struct ledger *ledger = dynamics_ledger(run->dynamics);
    sum_ledger(run, ledger, &gain_j, &turnover_j);
    measure_power(run, ledger->work_effector_positive_j);
    double floor_j =
        1e-3 * run->phenotype.mass_kg * STANDARD_GRAVITY_M_S2 * run->result->measures.size_m;
    double allowed_j = p->guard_energy_share * (turnover_j - floor_j) + floor_j;
    double unearned_j = gain_j + ledger->mended_j + fabs(ledger->residual_j);
    /* bones that give lose what they lose: of theirs only what is too much is unearned, and half of it bad */
    if (run->phenotype.spheres)
        unearned_j = 2 * (gain_j + fmax(ledger->residual_j, 0));
    if (p->guard_energy_share > 0 && unearned_j > allowed_j)
        return VERDICT_ENERGY;
    if (run->phenotype.spheres) {
        watch_drives(run);
        if (has_broken(run))
            return VERDICT_BROKEN;
    }
    for (int i = 0; i < run->phenotype.drive_count && run->time_s >= 1; i++)
        if (p->guard_reversals_hz > 0 && run->reversals[i] > p->guard_reversals_hz * run->time_s)
            return VERDICT_VIBRATION;
    double slow_m_s =
        fmax(p->guard_hopeless_m_s, p->guard_hopeless_sizes_s * run->result->measures.size_m);
    if (run->time_s >= p->guard_hopeless_s &&
        run->result->measures.distance_max_m < slow_m_s * run->time_s)
        return VERDICT_HOPELESS;
    if (p->guard_motionless_s > 0) {
        double reach = distance_of(run->last, run->still_at);
        run->still_reach_m = fmax(run->still_reach_m, reach);
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

/* Whether the scored time ends before its time. */
static int judge_end(struct run *run)
{
    struct measures *m = &run->result->measures;
    m->fell = has_fallen(run);
    if (run->params->simulation_until == UNTIL_TOUCH && run->contact_ticks > 0)
        return VERDICT_LANDED;
    if (run->params->simulation_until == UNTIL_FALL && m->fell > 0)
        return VERDICT_FELL;
    return VERDICT_OK;
}

/* 1 if something that could carry it is below. */
static int is_above_floor(const struct run *run, struct vec3 at)
{
    return terrain_is_below(&run->world, flat(at)) &&
           (run->world.has_ground || fabs(at.z) <= run->world.half_depth_m);
}

/* Where the body is after a tick. */
static void measure_tick(struct run *run)
{
    struct measures *m = &run->result->measures;
    struct vec3 centre = dynamics_centre_of_mass(run->dynamics);
    struct vec3 low, high;
    dynamics_bounds(run->dynamics, &low, &high);
    m->path_m += distance_of(centre, run->last);
    m->distance_m = way_of(centre, run->start);
    m->displacement_m = distance_of(centre, run->start);
    m->way_x_m = centre.x - run->start.x;
    m->way_y_m = centre.y - run->start.y;
    m->way_z_m = centre.z - run->start.z;
    if (m->distance_m > m->reach_m && is_above_floor(run, centre))
        m->reach_m = m->distance_m;
    m->distance_max_m = fmax(m->distance_max_m, m->displacement_m);
    m->lowest_max_m = fmax(m->lowest_max_m, low.y);
    m->height_max_m = fmax(m->height_max_m, centre.y);
    run->height_sum_m += centre.y;
    run->lowest_sum_m += low.y;
    double head_m = head_height(run);
    m->head_max_m = fmax(m->head_max_m, head_m);
    run->head_sum_m += head_m;
    light_measure(&run->light, centre);
    run->last = centre;
    run->ticks++;

    /* all later window ends stay here if the run stops now */
    double share = run->time_s / run->params->simulation_duration_s;
    for (int i = MEASURE_WINDOWS; i > 0 && i >= share * MEASURE_WINDOWS - 1e-9; i--)
        run->windows[i] = centre;

    run->contact_ticks += (uint64_t)run->has_touched;
    run->has_touched = 0;
}

/* The rolling hash over the state of every part. */
static void digest_tick(struct run *run)
{
    uint64_t *digest = &run->result->digest;
    for (int i = 0; i < run->phenotype.part_count; i++)
        *digest = dynamics_hash_part(run->dynamics, i, *digest);
}

static int score(struct run *run)
{
    uint64_t ticks = (uint64_t)(run->params->simulation_duration_s / run->tick_s + 0.5);
    start(run);
    digest_tick(run);
    observe(run);
    for (uint64_t tick = 1; tick <= ticks && !run->is_stopped; tick++) {
        think(run);
        for (int i = 0; i < run->steps_per_tick; i++) {
            int verdict = step(run);
            if (verdict == VERDICT_OK)
                verdict = watch_step(run);
            if (verdict != VERDICT_OK)
                return verdict;
        }
        run->time_s = (double)tick * run->tick_s;
        measure_tick(run);
        digest_tick(run);
        observe(run);
        int verdict = watch_tick(run);
        if (verdict == VERDICT_OK)
            verdict = judge_end(run);
        if (verdict != VERDICT_OK)
            return verdict;
    }
    return VERDICT_OK;
}

/* ---------------------------------------------------------------- measures */

static void measure_body(struct run *run)
{
    struct measures *m = &run->result->measures;
    m->parts = run->phenotype.part_count;
    m->links = run->phenotype.spheres ? run->phenotype.part_count : run->phenotype.link_count;
    m->neurons = brain_neuron_count(run->brain);
    m->mass_kg = run->phenotype.mass_kg;
}

static void measure_ledger(struct run *run)
{
    struct measures *m = &run->result->measures;
    const struct ledger *l = dynamics_ledger(run->dynamics);
    double turnover_j;
    sum_ledger(run, l, &m->gain_unearned_j, &turnover_j);
    m->work_in_j = l->work_effector_positive_j;
    m->work_net_j = l->work_effector_j;
    m->loss_friction_j = l->loss_friction_j;
    m->loss_impact_j = l->loss_impact_j;
    m->loss_limit_j = l->loss_limit_j;
    m->loss_drag_j = l->loss_drag_j;
    m->loss_damping_j = l->loss_damping_j;
    m->energy_start_j = l->energy_start_j;
    m->energy_end_j = l->kinetic_j + l->potential_j;
    m->residual_j = l->residual_j;
    m->residual_share = (fabs(l->residual_j) + l->mended_j + m->gain_unearned_j) / turnover_j;
    double way = m->mass_kg * STANDARD_GRAVITY_M_S2 * m->displacement_m;
    m->cost_of_transport = way > 0 ? m->work_in_j / way : 0;
    m->power_w_kg = run->time_s > 0 ? m->work_in_j / (m->mass_kg * run->time_s) : 0;
}

static void measure_course(struct run *run)
{
    struct measures *m = &run->result->measures;
    uint64_t steps, rk4_steps;
    m->time_s = run->time_s;
    for (int i = 0; i < run->phenotype.drive_count && run->time_s > 0; i++)
        m->reversals_max_hz = fmax(m->reversals_max_hz, run->reversals[i] / run->time_s);
    m->height_mean_m = run->ticks ? run->height_sum_m / (double)run->ticks : m->height_start_m;
    m->lowest_mean_m = run->ticks ? run->lowest_sum_m / (double)run->ticks : m->lowest_start_m;
    m->head_mean_m = run->ticks ? run->head_sum_m / (double)run->ticks : m->head_start_m;
    m->follow_share = light_follow_share(&run->light);
    m->light_distance_m = light_mean_distance(&run->light);
    m->contact_share = run->ticks ? (double)run->contact_ticks / (double)run->ticks : 0;
    dynamics_step_counts(run->dynamics, &steps, &rk4_steps);
    m->rk4_share = steps && !run->phenotype.spheres ? (double)rk4_steps / (double)steps : 0;

    /* progress of each window along the line from start to end, the horizontal part of it where
     * things fall: falling is no progress */
    double dx = run->last.x - run->start.x;
    double dy = run->world.gravity_m_s2 > 0 ? 0 : run->last.y - run->start.y;
    double dz = run->last.z - run->start.z,
           length = distance_of((struct vec3){dx, dy, dz}, (struct vec3){0, 0, 0});
    for (int i = 0; i < MEASURE_WINDOWS && length > 0; i++) {
        double x = run->windows[i + 1].x - run->windows[i].x;
        double y = run->windows[i + 1].y - run->windows[i].y;
        double z = run->windows[i + 1].z - run->windows[i].z;
        measures_set(m, MEASURE_window_1_m + i, (x * dx + y * dy + z * dz) / length);
    }
}

/* No measure leaves as infinite or not a number: such values, of broken runs only, become 0. */
static void tidy_measures(struct measures *measures)
{
    for (int i = 0; i < MEASURE_COUNT; i++)
        if (!isfinite(measures_get(measures, i)))
            measures_set(measures, i, 0);
}

void evaluate_measures(const struct evaluate_view *view, struct measures *measures)
{
    struct run run = *view->run;
    struct evaluation result = *run.result;
    run.result = &result;
    if (run.phase == PHASE_SCORE) {
        measure_ledger(&run);
        measure_course(&run);
    }
    tidy_measures(&result.measures);
    *measures = result.measures;
}

void evaluate(const struct genome *genome, const struct params *params, uint64_t seed,
              struct arena *arena, evaluate_observer *observer, void *context,
              struct evaluation *evaluation)
{
    evaluate_edited(genome, params, seed, arena, NULL, observer, context, evaluation);
}

void evaluate_edited(const struct genome *genome, const struct params *params, uint64_t seed,
                     struct arena *arena, evaluate_editor *edit, evaluate_observer *observer,
                     void *context, struct evaluation *evaluation)
{
    struct run run = {.params = params,
                      .seed = seed,
                      .result = evaluation,
                      .edit = edit,
                      .observer = observer,
                      .context = context};
    *evaluation = (struct evaluation){.digest = hash_u64(HASH_START, seed)};
    arena_reset(arena);
    int verdict = prepare(&run, genome, arena);
    if (verdict == VERDICT_OK) {
        measure_body(&run);
        verdict = push_apart(&run);
        if (verdict == VERDICT_OK)
            verdict = settle(&run);
        if (verdict == VERDICT_OK) {
            perturb_pose(&run);
            verdict = score(&run);
            measure_ledger(&run);
            measure_course(&run);
        }
        evaluation->work = work_of(&run);
        tidy_measures(&evaluation->measures);
    }
    evaluation->verdict = verdict;
    evaluation->digest = hash_u64(evaluation->digest, (uint64_t)verdict);
    evaluation->arena_bytes = arena->used_bytes;
}

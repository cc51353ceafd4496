/* See evaluate.h, and run.h for the files an evaluation is made of. */
#include "simulator/evaluate/run.h"

#include "common/detmath.h"
#include "common/hash.h"
#include "simulator/evaluate/terrain.h"

/* Who stood on something has fallen off when its centre of mass is this far below all surfaces, m. */
#define FALL_M 0.1

/* Operations of a brain tick for each neuron and for each part. */
enum { NEURON_WORK = 50, PART_WORK = 300 };

/* ---------------------------------------------------------------- brain and effectors */

/* Clamps and filters the signal of an effector, and lets the target of its drive go from the last one to this. */
static void set_drive(struct run *run, int index, double share)
{
    int at = run->phenotype.effectors[index].drive;
    const struct drive *drive = &run->phenotype.drives[at];
    double signal = run->signals[index], from = run->filtered[index];
    signal = signal < drive->least ? drive->least : signal > drive->most ? drive->most : signal;
    double to = from + share * (signal - from);
    run->filtered[index] = to;
    dynamics_set_target(run->dynamics, at, drive->rest + drive->unit * from,
                        drive->unit * (to - from) / run->tick_s);
}

/* One brain tick: two thinks; the targets then move linearly to the filtered signals. */
static void think(struct run *run)
{
    double filter_s = run->params->creature_effector_filter_s;
    double share = filter_s > 0 ? 1 - det_exp(-run->tick_s / filter_s) : 1;
    run->tick_work += (uint64_t)(NEURON_WORK * brain_neuron_count(run->brain) +
                                 PART_WORK * run->phenotype.part_count);
    light_move(&run->light, run->time_s, run->last);
    struct surroundings around = {.light = &run->light,
                                  .gravity_m_s2 = run->world.gravity_m_s2,
                                  .tick_s = run->time_s > 0 ? run->tick_s : 0};
    senses_read(&run->senses, run->dynamics, &around);
    brain_think(run->brain, run->senses.values, run->signals, run->tick_s / 2);
    brain_think(run->brain, run->senses.values, run->signals, run->tick_s / 2);
    for (int i = 0; i < run->phenotype.effector_count; i++)
        set_drive(run, i, share);
}

void run_observe(struct run *run)
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
                                 .start = {run->start.x, run->start.y},
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
    for (int i = 0; i < run->phenotype.drive_count; i++)
        run->turned_at[i] = run->phenotype.drives[i].rest;
    return senses_create(&run->senses, &run->phenotype, run->params, arena);
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
    verdict = physics_of(&run->phenotype)->judge(&run->phenotype, &run->world, p, run->dt_s);
    if (verdict != VERDICT_OK)
        return verdict;

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

int run_step(struct run *run)
{
    if (dynamics_step(run->dynamics) != 0)
        return VERDICT_NOT_FINITE;
    return run->work_max > 0 && work_of(run) > run->work_max ? VERDICT_BUDGET : VERDICT_OK;
}

/* ---------------------------------------------------------------- the scored time */

/* From here on everything counts: velocities zero, ledger empty, clock at 0. */
static void start(struct run *run)
{
    run->result->measures.settle_s = run->time_s;
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
    run_measure_start(run);
}

static int score(struct run *run)
{
    uint64_t ticks = (uint64_t)(run->params->simulation_duration_s / run->tick_s + 0.5);
    start(run);
    run_digest_tick(run);
    run_observe(run);
    for (uint64_t tick = 1; tick <= ticks && !run->is_stopped; tick++) {
        think(run);
        for (int i = 0; i < run->steps_per_tick; i++) {
            int verdict = run_step(run);
            if (verdict == VERDICT_OK)
                verdict = run_watch_step(run);
            if (verdict != VERDICT_OK)
                return verdict;
        }
        run->time_s = (double)tick * run->tick_s;
        run_measure_tick(run);
        run_digest_tick(run);
        run_observe(run);
        int verdict = run_watch_tick(run);
        if (verdict == VERDICT_OK)
            verdict = run_judge_end(run);
        if (verdict != VERDICT_OK)
            return verdict;
    }
    return VERDICT_OK;
}

/* ---------------------------------------------------------------- the whole */

void evaluate_measures(const struct evaluate_view *view, struct measures *measures)
{
    struct run run = *view->run;
    struct evaluation result = *run.result;
    run.result = &result;
    if (run.phase == PHASE_SCORE) {
        run_measure_ledger(&run);
        run_measure_course(&run);
    }
    run_tidy_measures(&result.measures);
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
    *evaluation = (struct evaluation){.digest = HASH_START};
    arena_reset(arena);
    int verdict = prepare(&run, genome, arena);
    if (verdict == VERDICT_OK) {
        run_measure_body(&run);
        verdict = run_push_apart(&run);
        if (verdict == VERDICT_OK)
            verdict = run_settle(&run);
        if (verdict == VERDICT_OK) {
            run_perturb_pose(&run);
            verdict = score(&run);
            run_measure_ledger(&run);
            run_measure_course(&run);
        }
        evaluation->work = work_of(&run);
        run_tidy_measures(&evaluation->measures);
    }
    evaluation->verdict = verdict;
    evaluation->digest = hash_u64(evaluation->digest, (uint64_t)verdict);
    evaluation->arena_bytes = arena->used_bytes;
}

/* See evaluate.h, and run.h for the files an evaluation is made of. */
#include "simulator/evaluate/run.h"

#include <string.h>

#include "common/math/detmath.h"
#include "common/judge/trial.h"
#include "common/math/hash.h"
#include "simulator/evaluate/terrain.h"

/* A creature that stood on something has fallen off when its centre of mass is this far below all
 * surfaces, m. */
#define FALL_M 0.1

/* Operations of a brain tick for each neuron and for each part. */
enum { NEURON_WORK = 50, PART_WORK = 300 };

/* Creatures come before it. */
static int things_begin(const struct habitat *h)
{
    return h->first_thing < h->count ? h->first_thing : h->count;
}

/* ---------------------------------------------------------------- brain and effectors */

/* Clamps and filters the signal of an effector, and lets the target of its drive go from the last
 * one to this. */
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

/* Where the nearest creature, or thing, is; counted from `first` to before `end`. */
static struct seen find_nearest(const struct habitat *h, const struct run *run, int first, int end)
{
    struct seen seen = {.brightness = 1};
    double least_m = HUGE_VAL;
    for (int i = first; i < end; i++) {
        double away_m = vec3_distance(h->centres[i], h->centres[run->creature]);
        if (&h->runs[i] == run || !h->runs[i].dynamics || away_m >= least_m)
            continue;
        least_m = away_m;
        seen.is_there = 1;
        seen.at = h->centres[i];
    }
    return seen;
}

/* Its goal: the nearest thing, or the way of a pursuit. */
static struct seen find_object(const struct habitat *h, const struct run *run)
{
    if (run->stance.pursuit == 0)
        return find_nearest(h, run, things_begin(h), h->count);
    struct seen seen = find_nearest(h, run, 0, things_begin(h));
    struct vec3 own = h->centres[run->creature], way = vec3_sub(seen.at, own);
    seen.at = vec3_along(own, way, run->stance.pursuit);
    return seen;
}

void run_think(struct run *run, const struct surroundings *around)
{
    double filter_s = run->params->creature_effector_filter_s;
    double share = filter_s > 0 ? 1 - det_exp(-run->tick_s / filter_s) : 1;
    run->tick_work += (uint64_t)(NEURON_WORK * brain_neuron_count(run->brain) +
                                 PART_WORK * run->phenotype.part_count);
    senses_read(&run->senses, run->dynamics, around);
    brain_think(run->brain, run->senses.values, run->signals, run->tick_s / 2);
    brain_think(run->brain, run->senses.values, run->signals, run->tick_s / 2);
    if (run->outside)
        memcpy(run->signals, run->outside,
               (size_t)run->phenotype.effector_count * sizeof run->signals[0]);
    for (int i = 0; i < run->phenotype.effector_count; i++)
        set_drive(run, i, share);
}

/* The things that an evaluation lets it see. */
static void think(const struct habitat *h, struct run *run)
{
    light_move(&run->light, run->time_s, run->last);
    struct surroundings around = {
        .seen[SIGHT_LIGHT] = {run->light.kind != LIGHT_NONE, run->light.at, run->light.brightness},
        .gravity_m_s2 = world_gravity(&run->world),
        .tick_s = run->time_s > 0 ? run->tick_s : 0};
    if (run->params->sensor_other)
        around.seen[SIGHT_OTHER] = find_nearest(h, run, 0, things_begin(h));
    if (run->params->sensor_object)
        around.seen[SIGHT_OBJECT] = find_object(h, run);
    emissions_sense(h->scent, h->sound, run->creature, h->centres[run->creature], &around);
    run_think(run, &around);
}

static struct evaluate_view view_of(const struct run *run)
{
    return (struct evaluate_view){.phase = run->phase,
                                  .creature = run->creature,
                                  .time_s = run->time_s,
                                  .phenotype = &run->phenotype,
                                  .dynamics = run->dynamics,
                                  .brain = run->brain,
                                  .sensors = run->senses.values,
                                  .signals = run->filtered,
                                  .emitted = run->signals + run->phenotype.effector_count,
                                  .ledger = dynamics_ledger(run->dynamics),
                                  .light = &run->light,
                                  .relief = &run->world.relief,
                                  .run = run};
}

void run_observe(struct run *run)
{
    if (!run->observer)
        return;
    struct evaluate_view view = view_of(run);
    run->is_stopped |= run->observer(run->context, &view) != 0;
}

/* ---------------------------------------------------------------- before the start */

static int take_memory(struct run *run, struct arena *arena)
{
    size_t effectors = (size_t)run->phenotype.effector_count;
    size_t drives = (size_t)run->phenotype.drive_count;
    run->signals =
        arena_take(arena, (size_t)phenotype_signal_count(&run->phenotype), sizeof(double));
    run->filtered = arena_take(arena, effectors, sizeof(double));
    run->reversals = arena_take(arena, drives, sizeof(int));
    run->direction = arena_take(arena, drives, sizeof(int));
    run->turned_at = arena_take(arena, drives, sizeof(double));
    run->middles = arena_take(arena, (size_t)run->phenotype.part_count, sizeof run->middles[0]);
    if (arena->is_exhausted)
        return ERR_MEMORY;
    for (int i = 0; i < run->phenotype.drive_count; i++)
        run->turned_at[i] = run->phenotype.drives[i].rest;
    return gait_create(&run->gait, &run->phenotype, arena)
               ? ERR_MEMORY
               : senses_create(&run->senses, &run->phenotype, run->params, arena);
}

int run_make(struct run *run, const struct genome *genome, struct arena *arena)
{
    const struct params *p = run->params;
    int verdict = run->stance.is_mirrored
                      ? phenotype_express_mirrored(&run->phenotype, genome, p, arena)
                      : phenotype_express(&run->phenotype, genome, p, arena);
    if (verdict != VERDICT_OK)
        return verdict;
    // a kind without a row of physics is not simulated
    if (!physics_of(&run->phenotype))
        return VERDICT_NOT_EXPRESSED;
    if (run->edit)
        run->edit(run->context, &run->phenotype);

    /* a tick is a whole number of steps, none longer than asked for */
    run->tick_s = 1 / p->simulation_brain_hz;
    double steps = ceil(run->tick_s / p->simulation_dt_s - 1e-6);
    run->steps_per_tick = steps < 1 ? 1 : (int)steps;
    run->dt_s = run->tick_s / run->steps_per_tick;
    ENSURE(run->dt_s > 0 && run->dt_s <= run->tick_s, "steps of %g s in ticks of %g s", run->dt_s,
           run->tick_s);

    world_init(&run->world, p, run->phenotype.kind);
    run->fallen_m = terrain_lowest_surface(&run->world) - FALL_M;
    light_init(&run->light, p, run->seed);
    run->thinnest_m = HUGE_VAL;
    for (int i = 0; i < run->phenotype.part_count; i++) {
        const struct part *part = &run->phenotype.parts[i];
        run->thinnest_m = det_min(run->thinnest_m, part->cross_section_m);
    }
    verdict = physics_of(&run->phenotype)->judge(&run->phenotype, &run->world, p, run->dt_s);
    if (verdict != VERDICT_OK)
        return verdict;

    struct dynamics_settings settings = dynamics_settings_of(p);
    settings.dt_s = run->dt_s;
    run->work_max = settings.work_max;
    run->brain = brain_create(&run->phenotype, arena);
    run->dynamics = dynamics_create(&run->phenotype, &run->world, &settings, arena);
    if (!run->brain || !run->dynamics || take_memory(run, arena) != 0)
        return VERDICT_MEMORY;
    return VERDICT_OK;
}

uint64_t run_work(const struct run *run)
{
    return run->dynamics->work + run->tick_work;
}

/* After a step: whether it failed, by itself or for want of memory. */
static int judge_step(const struct run *run, int is_broken)
{
    if (run->arena->is_exhausted)
        return VERDICT_MEMORY;
    if (is_broken == DYNAMICS_UNSOLVED)
        return VERDICT_UNSOLVED;
    if (is_broken)
        return VERDICT_NOT_FINITE;
    return run->work_max > 0 && run_work(run) > run->work_max ? VERDICT_BUDGET : VERDICT_OK;
}

int run_step(struct run *run)
{
    return judge_step(run, dynamics_step(run->dynamics));
}

/* ---------------------------------------------------------------- the scored time */

void run_begin(struct run *run)
{
    run->result->measures.settle_s = run->time_s;
    run->start = dynamics_centre_of_mass(run->dynamics);
    run_measure_start(run);
    run_perturb_height(run);
    dynamics_stop(run->dynamics);
    dynamics_set_joint_damping(run->dynamics, run->params->creature_joint_damping_1_s);
    dynamics_set_effectors(run->dynamics,
                           run->params->creature_effectors ? EFFECTORS_ON : EFFECTORS_SLACK);
    dynamics_reset_ledger(run->dynamics);
    run->phase = PHASE_SCORE;
    run->time_s = 0;
    run->centre = run->last = run->still_at = dynamics_centre_of_mass(run->dynamics);
    for (int i = 0; i <= MEASURE_WINDOWS; i++)
        run->windows[i] = run->start;
    light_move(&run->light, 0, run->start);
    dynamics_momentum(run->dynamics, &run->momentum, &run->angular_momentum);
}

/* Ends the evaluation of one with a verdict. Its body moves on, without a brain. */
static void end(struct run *run, int verdict)
{
    run->is_live = 0;
    run->result->verdict = verdict;
    run->result->work = run_work(run);
    run_measure_ledger(run);
    run_measure_course(run);
    dynamics_set_effectors(run->dynamics, EFFECTORS_SLACK);
}

static int is_any_live(const struct habitat *h)
{
    for (int i = 0; i < things_begin(h); i++)
        if (h->runs[i].is_live)
            return 1;
    return 0;
}

/* The guards of a life that is played with find nothing. */
static int guarded(const struct run *run, int verdict)
{
    return run->is_played ? VERDICT_OK : verdict;
}

/* After a step of one creature. Returns 1 if none is left. */
static int after_step(void *context, int body)
{
    struct habitat *h = context;
    struct run *run = &h->runs[h->run_of[body]];
    if (!run->is_live)
        return 0;
    int verdict = judge_step(run, h->forest.is_broken[body]);
    if (verdict == VERDICT_OK)
        verdict = guarded(run, run_watch_step(run));
    if (verdict == VERDICT_OK)
        return 0;
    end(run, verdict);
    return !is_any_live(h);
}

/* At the end of a tick. */
static void end_tick(struct run *run, uint64_t tick)
{
    run->time_s = (double)tick * run->tick_s;
    run_measure_tick(run);
    run_digest_tick(run);
    run_observe(run);
    int verdict = guarded(run, run_watch_tick(run));
    if (verdict == VERDICT_OK)
        verdict = run_judge_end(run);
    if (verdict != VERDICT_OK)
        end(run, verdict);
}

/* Every creature thinks; their places are read once for all. */
static void think_all(struct habitat *h)
{
    for (int i = 0; i < h->count; i++)
        if (h->runs[i].dynamics)
            h->centres[i] = dynamics_centre_of_mass(h->runs[i].dynamics);
    for (int i = 0; i < h->count; i++)
        if (h->runs[i].is_live)
            think(h, &h->runs[i]);
    habitat_emit(h);
}

static int is_over(const struct habitat *h)
{
    for (int i = 0; i < h->count; i++)
        if (h->runs[i].is_stopped)
            return 1;
    return !is_any_live(h) || (h->watch && h->watch(h->referee, h) != 0);
}

/* All have the same ticks. */
static void score_begin(struct course *c)
{
    struct habitat *h = c->habitat;
    c->steps = (struct forest_tick){
        .part_counts = h->part_counts, .may_rest = h->may_rest, .after = after_step, .context = h};
    for (int i = 0; i < h->count; i++) {
        struct run *run = &h->runs[i];
        if (!run->is_live)
            continue;
        run_begin(run);
        run_digest_tick(run);
        run_observe(run);
        c->steps.steps = run->steps_per_tick;
        c->steps.dt_s = run->dt_s;
        c->ticks = (uint64_t)(run->params->simulation_duration_s / run->tick_s + 0.5);
    }
}

int evaluate_tick(struct course *c)
{
    struct habitat *h = c->habitat;
    if (!c->is_scored || is_over(h) || c->tick >= c->ticks)
        return 0;
    c->tick++;
    think_all(h);
    forest_tick(&h->forest, &c->steps);
    for (int i = 0; i < h->count; i++)
        if (h->runs[i].is_live)
            end_tick(&h->runs[i], c->tick);
    return 1;
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

/* Makes it and brings it to its start. */
static int bring_to_start(struct run *run, const struct genome *genome, struct arena *arena)
{
    int verdict = run_make(run, genome, arena);
    if (verdict != VERDICT_OK)
        return verdict;
    if (run->start_at.x != 0 || run->start_at.z != 0)
        dynamics_shift(run->dynamics, run->start_at);
    run_turn(run);
    run_measure_body(run);
    verdict = run_part_newborn(run);
    if (verdict == VERDICT_OK)
        verdict = run_settle(run);
    if (verdict == VERDICT_OK)
        verdict = run_perturb_start(run);
    if (verdict == VERDICT_OK)
        run_face(run);
    run->result->work = run_work(run);
    return verdict;
}

/* Those that live share a forest. */
static int make_forest(struct habitat *h, struct arena *arena)
{
    size_t room = (size_t)h->count;
    struct error error;
    struct dynamics **bodies = arena_take(arena, room, sizeof bodies[0]);
    int count = 0;
    h->centres = arena_take(arena, room, sizeof h->centres[0]);
    h->run_of = arena_take(arena, room, sizeof h->run_of[0]);
    h->part_counts = arena_take(arena, room, sizeof h->part_counts[0]);
    h->may_rest = arena_take(arena, room, sizeof h->may_rest[0]);
    if (!bodies || !h->centres || !h->run_of || !h->part_counts || !h->may_rest)
        return ERR_MEMORY;
    for (int k = 0; k < h->count; k++) {
        int i = h->has_second_first && k < 2 ? !k : k;
        const struct run *run = &h->runs[i];
        if (!run->is_live)
            continue;
        h->run_of[count] = i;
        h->part_counts[count] = run->phenotype.part_count;
        h->may_rest[count] = run->may_rest;
        bodies[count++] = run->dynamics;
    }
    if (count == 0)
        return 0;
    int rc = forest_create(&h->forest, bodies, h->run_of, count, arena, &error);
    return rc ? rc : habitat_make_emissions(h, arena);
}

static void begin_together(struct course *c, struct arena *arena)
{
    struct habitat *h = c->habitat;
    c->is_scored = make_forest(h, arena) == 0;
    if (c->is_scored) {
        score_begin(c);
        return;
    }
    for (int i = 0; i < h->count; i++)
        if (h->runs[i].is_live)
            h->runs[i].result->verdict =
                arena->is_exhausted ? VERDICT_MEMORY : VERDICT_NOT_EXPRESSED;
}

/* Makes one and brings it to its start. */
static void begin(struct habitat *h, int i, const struct evaluate_task *task,
                  const struct run *like, struct arena *arena, struct evaluation *result)
{
    struct run *run = &h->runs[i];
    *run = *like;
    if (i >= h->first_thing)
        run->params = h->thing_params;
    run->creature = i;
    run->arena = arena;
    run->seed = task->seed;
    run->start_at = (struct vec3){task->x_m, 0, task->z_m};
    run->stance = task->stance;
    run->may_rest = task->may_rest;
    run->result = result;
    run->pace_least_m_s = HUGE_VAL;
    run->met_s = -HUGE_VAL;
    result->verdict = bring_to_start(run, task->genome, arena);
    run->is_live = result->verdict == VERDICT_OK;
}

static void course_begin(struct course *c, const struct evaluate_task *tasks, int count,
                         const struct run *like, struct arena *arena)
{
    struct habitat *h = c->habitat;
    ENSURE(count > 0, "an evaluation of %d creatures", count);
    c->arena = arena;
    h->count = count;
    h->runs = arena_take(arena, (size_t)count, sizeof h->runs[0]);
    for (int i = 0; i < count; i++) {
        c->results[i] = (struct evaluation){.digest = HASH_START, .verdict = VERDICT_MEMORY};
        if (h->runs)
            begin(h, i, &tasks[i], like, arena, &c->results[i]);
    }
    if (h->runs)
        begin_together(c, arena);
}

const struct evaluation *evaluate_close(struct course *c)
{
    struct habitat *h = c->habitat;
    for (int i = 0; i < h->count; i++) {
        struct evaluation *result = &c->results[i];
        if (c->is_scored && h->runs[i].is_live)
            end(&h->runs[i], VERDICT_OK);
        if (h->runs && h->runs[i].pace_least_m_s <= MEASURE_MOST)
            result->pace_least_m_s = h->runs[i].pace_least_m_s;
        run_tidy_measures(&result->measures);
        result->digest = hash_u64(result->digest, (uint64_t)result->verdict);
        result->arena_bytes = c->arena->used_bytes;
    }
    return c->results;
}

void evaluate_habitat(struct habitat *habitat, const struct evaluate_task *tasks, int count,
                      const struct run *like, struct arena *arena, struct evaluation *results)
{
    struct course course = {.habitat = habitat, .results = results};
    arena_reset(arena);
    course_begin(&course, tasks, count, like, arena);
    while (evaluate_tick(&course))
        continue;
    evaluate_close(&course);
}

/* ---------------------------------------------------------------- tick by tick */

struct course *evaluate_open(const struct evaluate_order *order,
                             const struct evaluate_onlooker *onlooker, struct arena *arena)
{
    ENSURE(order->count == 1, "a course of %d creatures", order->count);
    struct evaluate_task task = {.genome = order->genomes[0], .seed = order->seed};
    arena_reset(arena);
    struct opened {
        struct course course;
        struct habitat habitat;
        struct evaluation result;
        struct params params;
    } *opened = arena_take(arena, 1, sizeof *opened);
    if (!opened)
        return NULL;
    struct run like = {.params = &opened->params};
    if (onlooker) {
        like.edit = onlooker->edit;
        like.observer = onlooker->observe;
        like.context = onlooker->context;
    }
    opened->params = *order->params;
    if (order->trial)
        trial_apply(order->trial, &opened->params);
    opened->habitat.first_thing = INT_MAX;
    opened->course.habitat = &opened->habitat;
    opened->course.results = &opened->result;
    course_begin(&opened->course, &task, 1, &like, arena);
    return &opened->course;
}

int evaluate_look(const struct course *course, struct evaluate_view *view)
{
    const struct run *run = course->habitat->runs;
    if (!run || !run->dynamics || !run->filtered)
        return 0;
    *view = view_of(run);
    view->tick_s = run->tick_s;
    view->is_live = run->is_live;
    return 1;
}

void evaluate_steer(struct course *course, const double *signals)
{
    course->habitat->runs[0].outside = signals;
}

void evaluate_play(struct course *course)
{
    course->habitat->runs[0].is_played = 1;
}

void evaluate_change_world(struct course *course, const struct params *params)
{
    struct run *run = &course->habitat->runs[0];
    world_init(&run->world, params, run->phenotype.kind);
    dynamics_set_world(run->dynamics, &run->world);
    evaluate_play(course);
}

void evaluate_pull(struct course *course, struct vec3 pull_m_s2)
{
    struct run *run = &course->habitat->runs[0];
    run->world.gravity_x_m_s2 += pull_m_s2.x;
    run->world.gravity_m_s2 -= pull_m_s2.y;
    run->world.gravity_z_m_s2 += pull_m_s2.z;
    dynamics_set_world(run->dynamics, &run->world);
    evaluate_play(course);
}

void evaluate_hold_light(struct course *course, struct vec3 at_m)
{
    light_hold(&course->habitat->runs[0].light, at_m);
    evaluate_play(course);
}

/* See preserve.h. The order of a tick: all see and think, all move, guards look, all eat and pay,
 * plants grow once a second, carcasses rot, eggs are laid and hatch, and the ledger is checked. */
#include "simulator/preserve/preserve_world.h"

#include <inttypes.h>
#include <stdlib.h>

#include "common/genome/body_kind.h"
#include "common/preserve/epoch.h"
#include "common/math/detmath.h"
#include "common/math/hash.h"

/* The water pushes a whole body back, by this much for each metre by which a part of it is beyond
 * the banks. */
#define BANK_1_S2 20.0
/* A body that has lost more than this share dies. */
#define BODY_LEAST_SHARE 0.5
/* Losses are remembered for this long. */
#define MEMORY_S 30.0
/* A body that was bitten grows back from the reserve, in a second by this share of what is
 * there. */
#define HEAL_SHARE 0.1
/* Plants begin at this share of the most, reserves too: so little that founders do not outgrow what
 * the water gives later. */
#define START_SHARE 0.4
/* Ids that a world has for its own. */
#define WORLD_IDS (UINT64_C(1) << 40)
/* Arithmetic operations of an epoch, at most. */
#define WORK_MAX 1e12
/* An injury leaves this share of all speeds, and takes this share of the whole body. */
#define INJURY_SLOWS 0.25
#define INJURY_SHARE 0.05
/* A creature dies at this many times preserve.age_s. */
#define LIFE_SPANS 3.0

int preserve_memory_init(struct preserve_memory *memory)
{
    return preserve_memory_init_of(memory, PRESERVE_ARENA_BYTES);
}

int preserve_memory_init_of(struct preserve_memory *memory, size_t bodies_bytes)
{
    *memory = (struct preserve_memory){.work_max = WORK_MAX};
    if (arena_init(&memory->bodies, bodies_bytes) == 0 &&
        arena_init(&memory->meeting, bodies_bytes / 2) == 0 &&
        arena_init(&memory->probe, EVALUATE_ARENA_BYTES) == 0)
        return 0;
    preserve_memory_deinit(memory);
    return ERR_MEMORY;
}

void preserve_memory_deinit(struct preserve_memory *memory)
{
    arena_deinit(&memory->bodies);
    arena_deinit(&memory->meeting);
    arena_deinit(&memory->probe);
}

/* ---------------------------------------------------------------- parameters */

void preserve_apply(struct params *params)
{
    params->sensor_light = params->sensor_other = params->sensor_object = 1;
    params->sensor_pain = params->sensor_reserve = params->sensor_touch_kind = 1;
    params->evolution_behaviour = BEHAVIOUR_PRESERVE;
    params->light_kind = LIGHT_NONE;
    params->world_ground = 0;
    params->guard_motionless_s = 0;
    params->guard_budget = 0;
    params->guard_hopeless_m_s = params->guard_hopeless_sizes_s = 0;
    params->world_obstacles[0] = '\0';
}

static int is_whole(double length_m)
{
    double cells = length_m / PLANTS_CELL_M;
    return fabs(cells - floor(cells + 0.5)) < 1e-9;
}

int preserve_check(const struct params *params, struct error *error)
{
    if (!is_whole(params->preserve_width_m) || !is_whole(params->preserve_height_m))
        return error_set(error, ERR_USAGE,
                         "preserve.width_m %g and preserve.height_m %g are of whole cells of %g m",
                         params->preserve_width_m, params->preserve_height_m, PLANTS_CELL_M);
    if (params->world_gravity_m_s2 != 0)
        return error_set(error, ERR_USAGE,
                         "a preserve is water: world.gravity_m_s2 = 0 (world.preset = water)");
    double all_j =
        params->preserve_plants_j_m2 * params->preserve_width_m * params->preserve_height_m;
    if (all_j > 0.01 * joules_of(ENERGY_SUM_MAX))
        return error_set(error, ERR_USAGE,
                         "preserve.plants_j_m2 %g on %g x %g m is more than can be counted: "
                         "%g J at most",
                         params->preserve_plants_j_m2, params->preserve_width_m,
                         params->preserve_height_m, 0.01 * joules_of(ENERGY_SUM_MAX));
    if (params->preserve_founders > params->preserve_most)
        return error_set(error, ERR_USAGE, "preserve.founders %d is above preserve.most %d",
                         (int)params->preserve_founders, (int)params->preserve_most);
    return params_check_meeting(params, error);
}

int64_t preserve_epoch_ticks(const struct params *params)
{
    return (int64_t)(EPOCH_S * params->simulation_brain_hz + 0.5);
}

struct preserve_cells preserve_cells_of(const struct params *params)
{
    return (struct preserve_cells){plants_count(params), preserve_count_scents(params)};
}

/* ---------------------------------------------------------------- events */

void preserve_tell_event(const struct preserve *p, const struct preserve_event *event)
{
    if (p->watcher && p->watcher->hear)
        p->watcher->hear(p->watcher->context, event);
}

/* Place of living creature i. A creature without a body yet (no room to hatch) is at its egg's
 * place. */
static struct vec3 place_of(const struct preserve *p, int i)
{
    const struct creature_state *c = &p->state->living[i];
    const struct dweller *d = p->dwellers[i];
    return c->number_count > 0 || d->area_m2 > 0 ? d->centre : (struct vec3){c->x_m, c->y_m, 0};
}

void preserve_tell(const struct preserve *p, int i, enum preserve_event_kind kind, int cause)
{
    const struct dweller *d = p->dwellers[i];
    preserve_tell_event(p, &(struct preserve_event){.kind = kind,
                                                    .tick = p->state->tick,
                                                    .creature = &p->state->living[i],
                                                    .cause = cause,
                                                    .verdict = d->verdict,
                                                    .x_m = place_of(p, i).x,
                                                    .y_m = place_of(p, i).y,
                                                    .area_m2 = d->area_m2,
                                                    .phenotype = &d->run.phenotype});
}

void preserve_hold(const struct preserve *p, uint64_t id)
{
    if (p->watcher && p->watcher->busy)
        p->watcher->busy(p->watcher->context, id);
}

void preserve_fail(struct preserve *p, int rc, const char *what)
{
    if (p->rc == 0)
        p->rc = error_set(p->error, rc, "tick %lld: %s: %s", (long long)p->state->tick, what,
                          error_text(rc));
}

/* A broken body is anywhere, or nowhere. */
static double within_places(double x_m)
{
    return det_min(det_max(x_m, -PRESERVE_PLACE_MOST_M), PRESERVE_PLACE_MOST_M);
}

void preserve_kill(struct preserve *p, int i, int cause)
{
    struct preserve_state *s = p->state;
    struct creature_state *c = &s->living[i];
    struct dweller *d = p->dwellers[i];
    struct carcass *carcass = preserve_state_add_carcass(s);
    preserve_tell(p, i, PRESERVE_DIED, cause);
    if (!carcass) {
        preserve_fail(p, s->carcass_count < PRESERVE_EGGS_MAX ? ERR_MEMORY : ERR_LIMIT,
                      "carcasses");
        return;
    }
    struct vec3 at = place_of(p, i);
    *carcass = (struct carcass){c->reserve + c->body, within_places(at.x), within_places(at.y),
                                det_max(d->radius_m / 2, 0.1)};
    s->counts.deaths[cause]++;
    if (d->has_child)
        genome_deinit(&d->child);
    if (p->params->sensor_sound)
        sound_remove(&p->sound, i, s->living_count);
    creature_state_deinit(c);
    s->living_count--;
    for (int k = i; k < s->living_count; k++) {
        s->living[k] = s->living[k + 1];
        p->dwellers[k] = p->dwellers[k + 1];
    }
    p->is_changed = 1;
}

/* ---------------------------------------------------------------- a tick */

static void think(struct preserve *p)
{
    for (int i = 0; i < p->state->living_count; i++)
        p->centres[i] = p->dwellers[i]->centre;
    preserve_sort(p);
    for (int k = 0; k < p->state->living_count; k++) {
        struct surroundings around;
        preserve_hold(p, p->state->living[p->order[k]].descent.id);
        preserve_see(p, k, &around);
        emissions_sense(p->params->sensor_scent ? &p->scent : NULL,
                        p->params->sensor_sound ? &p->sound : NULL, p->order[k],
                        p->centres[p->order[k]], &around);
        run_think(&p->dwellers[p->order[k]]->run, &around);
    }
}

static void before_steps(void *context, int place)
{
    struct preserve *p = context;
    preserve_hold(p, p->state->living[place].descent.id);
}

/* After a step of one. */
static int after_step(void *context, int place)
{
    struct preserve *p = context;
    struct dweller *d = p->dwellers[place];
    if (d->verdict != VERDICT_OK)
        return 0;
    d->verdict = p->forest.is_broken[place] ? VERDICT_NOT_FINITE : run_watch_step(&d->run);
    return 0;
}

/* The energy of a push is not the creature's gain: the account of motion begins anew. */
static void begin_account(struct dweller *d)
{
    dynamics_reset_ledger(d->run.dynamics);
    d->booked_j = d->run.blows_j = 0;
    dynamics_momentum(d->run.dynamics, &d->run.momentum, &d->run.angular_momentum);
}

static int touches_another(const struct dweller *d)
{
    const struct contact_point *points;
    int count = dynamics_contacts(d->run.dynamics, &points);
    for (int i = 0; i < count; i++)
        if (points[i].other_creature >= 0 && points[i].other_creature != points[i].creature)
            return 1;
    return 0;
}

/* The guards that look once a tick. Energy that the solver of contacts loses or finds among several
 * bodies is not the fault of one of them: as long as it touches another it is not asked. */
static void watch(struct dweller *d)
{
    double work_j = dynamics_ledger(d->run.dynamics)->work_effector_positive_j;
    d->work_j += work_j - d->booked_j;
    d->booked_j = work_j;
    if (touches_another(d))
        begin_account(d);
    else if (d->verdict == VERDICT_OK)
        d->verdict = run_watch_tick(&d->run);
}

/* By how much a span reaches out of 0 .. most; inward is positive at the low end. */
static double way_back(double low, double high, double most)
{
    return det_max(-low, 0) - det_max(high - most, 0);
}

static void push_back(const struct preserve *p, struct dweller *d)
{
    double qd[2 + 2 * PHENOTYPE_PARTS_MAX];
    if (d->beyond_x_m == 0 && d->beyond_y_m == 0)
        return;
    for (int i = 0; i < d->run.dynamics->dof; i++)
        qd[i] = d->run.dynamics->qd[i];
    qd[0] += BANK_1_S2 * d->beyond_x_m * p->tick_s;
    qd[1] += BANK_1_S2 * d->beyond_y_m * p->tick_s;
    dynamics_set_state(d->run.dynamics, d->run.dynamics->q, qd);
    begin_account(d);
}

/* The part of a tick that concerns one creature alone, after its steps. */
static void settle(void *context, int i)
{
    struct preserve *p = context;
    struct dweller *d = p->dwellers[i];
    struct vec3 low, high;
    d->run.time_s += p->tick_s;
    d->run.ticks++;
    preserve_find_place(d);
    d->run.last = d->centre;
    dynamics_bounds(d->run.dynamics, &low, &high);
    d->beyond_x_m = way_back(low.x, high.x, p->params->preserve_width_m);
    d->beyond_y_m = way_back(low.y, high.y, p->params->preserve_height_m);
    preserve_emit(p, i);
    watch(d);
    uint64_t work = run_work(&d->run);
    p->work += work - d->booked_work;
    d->booked_work = work;
}

/* Voices are heard in the order of numbers, so creatures that have some settle in that order. */
static void move(struct preserve *p)
{
    struct run *any = &p->dwellers[0]->run;
    struct forest_tick tick = {.steps = any->steps_per_tick,
                               .dt_s = any->dt_s,
                               .part_counts = p->part_counts,
                               .may_rest = p->may_rest,
                               .before = before_steps,
                               .after = after_step,
                               .done = p->params->sensor_sound ? NULL : settle,
                               .context = p};
    forest_tick(&p->forest, &tick);
    for (int i = 0; i < p->state->living_count && !tick.done; i++)
        settle(p, i);
}

/* A body that strains beyond a guard slows down and loses flesh, which is heat. Motion is no store
 * of the ledger. Returns whether it lives on. */
static int injure(struct preserve *p, int i)
{
    struct dweller *d = p->dwellers[i];
    struct creature_state *c = &p->state->living[i];
    double qd[2 + 2 * PHENOTYPE_PARTS_MAX];
    for (int k = 0; k < d->run.dynamics->dof; k++)
        qd[k] = INJURY_SLOWS * d->run.dynamics->qd[k];
    dynamics_set_state(d->run.dynamics, d->run.dynamics->q, qd);
    begin_account(d);
    run_forgive(&d->run);
    d->verdict = VERDICT_OK;
    microjoules torn = (microjoules)(INJURY_SHARE * (double)c->body_whole);
    torn = torn < c->body ? torn : c->body;
    c->body -= torn;
    c->starved += torn;
    p->state->ledger.heat += torn;
    return (double)c->body >= BODY_LEAST_SHARE * (double)c->body_whole;
}

/* Kills or injures creatures that have broken a guard. Goes backwards, since the living move up. */
static void judge(struct preserve *p)
{
    for (int i = p->state->living_count; i-- > 0 && p->rc == 0;) {
        int verdict = p->dwellers[i]->verdict;
        if (verdict == VERDICT_OK)
            continue;
        if (!p->params->preserve_injure || verdict == VERDICT_NOT_FINITE)
            preserve_kill(p, i, DEATH_GUARD);
        else if (!injure(p, i))
            preserve_kill(p, i, DEATH_STRAIN);
    }
}

/* Takes from the reserve, then from the body; a debt beyond both is forgiven. */
static void take(struct preserve *p, struct creature_state *c, microjoules owed)
{
    microjoules paid = owed < c->reserve ? owed : c->reserve;
    microjoules torn = owed - paid < c->body ? owed - paid : c->body;
    c->reserve -= paid;
    c->body -= torn;
    c->starved += paid + torn;
    p->state->ledger.heat += paid + torn;
}

/* Bitten pieces grow back. */
static void heal(struct preserve *p, struct creature_state *c)
{
    microjoules lacks = c->body_whole - c->body;
    microjoules given = (microjoules)(HEAL_SHARE * p->tick_s * (double)c->reserve);
    given = given < lacks ? given : lacks;
    c->reserve -= given;
    c->body += given;
}

/* Upkeep and the work of muscles. Returns whether it lives on, else of what it dies. */
static int pay(struct preserve *p, int i, int *cause)
{
    struct creature_state *c = &p->state->living[i];
    struct dweller *d = p->dwellers[i];
    double spans = preserve_age_s(p, c) / p->params->preserve_age_s;
    double kept = 1 - p->tick_s / MEMORY_S;
    /* the upkeep of a young body where this one is: cold water spares some of it */
    double depth = 1 - det_min(det_max(d->centre.y / p->params->preserve_height_m, 0), 1);
    double upkeep_w = d->rest_w * (1 - p->params->preserve_cold * depth);
    c->owed_j += d->work_j + upkeep_w * p->tick_s * (1 + spans * spans);
    d->work_j = 0;
    microjoules owed = microjoules_of(c->owed_j);
    c->owed_j = det_min(c->owed_j - joules_of(owed), OWED_MOST_J);
    take(p, c, owed);
    heal(p, c);
    c->bitten = (microjoules)(kept * (double)c->bitten);
    c->starved = (microjoules)(kept * (double)c->starved);
    if ((double)c->body < BODY_LEAST_SHARE * (double)c->body_whole) {
        *cause = c->bitten > c->starved ? DEATH_BITTEN : DEATH_HUNGER;
        return 0;
    }
    *cause = DEATH_AGE;
    return spans < LIFE_SPANS;
}

/* How far it has come, and how deep it has been: a step a second, so that to tremble is no way. */
static void pace(const struct preserve *p, int i)
{
    struct creature_state *c = &p->state->living[i];
    struct vec3 at = p->dwellers[i]->centre;
    if (p->dwellers[i]->verdict != VERDICT_OK ||
        (p->state->tick - c->born_tick) % preserve_second(p) != 0)
        return;
    c->depth_sum_m += p->params->preserve_height_m - at.y;
    c->depth_steps++;
    c->way_m += distance_in_plane(at, (struct vec3){c->from_x_m, c->from_y_m, 0});
    c->from_x_m = at.x;
    c->from_y_m = at.y;
}

static void live(struct preserve *p)
{
    int cause;
    for (int i = 0; i < p->state->living_count; i++) {
        preserve_feed(p, i);
        pace(p, i);
    }
    for (int i = p->state->living_count; i-- > 0 && p->rc == 0;)
        if (!pay(p, i, &cause))
            preserve_kill(p, i, cause);
}

static int show(struct preserve *p)
{
    if (!p->watcher || !p->watcher->look)
        return 0;
    for (int i = 0; i < p->state->living_count; i++) {
        const struct dweller *d = p->dwellers[i];
        p->views[i] = (struct preserve_view){.creature = &p->state->living[i],
                                             .phenotype = &d->run.phenotype,
                                             .dynamics = d->run.dynamics,
                                             .mouths = d->mouths,
                                             .mouth_count = d->mouth_count,
                                             .fullness = (double)p->state->living[i].reserve /
                                                         (double)reserve_most(p, d->area_m2)};
    }
    return p->watcher->look(p->watcher->context, p->state, p->views, p->state->living_count,
                            p->daylight);
}

/* Sums up what the tick cost. */
static void book_cost(struct preserve *p)
{
    p->work += p->memory->work;
    p->memory->work = 0;
    if (p->state->tick % p->epoch_ticks == 0)
        p->work = 0;
    if (p->rc == 0 && (double)p->work > p->memory->work_max)
        p->rc = error_set(p->error, ERR_LIMIT,
                          "tick %" PRId64 ": the world takes more than %g billion operations in "
                          "an epoch",
                          p->state->tick, 1e-9 * p->memory->work_max);
}

/* Returns whether the epoch is over. */
static int tick(struct preserve *p)
{
    struct preserve_state *s = p->state;
    int64_t second = preserve_second(p);
    double second_s = (double)second * p->tick_s, day_s = p->params->preserve_day_s;
    p->daylight = daylight_at((double)s->tick * p->tick_s, day_s);
    if (s->living_count > 0) {
        think(p);
        move(p);
    }
    preserve_spread(p);
    s->tick++;
    live(p);
    judge(p);
    for (int i = 0; i < s->living_count; i++)
        push_back(p, p->dwellers[i]);
    if (s->tick % second == 0) {
        /* of the light of the time since they grew last */
        double now_s = (double)s->tick * p->tick_s;
        double mean = daylight_mean(det_max(now_s - second_s, 0), now_s, day_s);
        s->ledger.sun += plants_grow(&p->plants, mean, second_s);
    }
    preserve_rot(p);
    for (int i = 0; i < s->living_count && p->rc == 0; i++)
        if ((s->tick + (int64_t)s->living[i].descent.id) % second == 0)
            preserve_lay(p, i);
    preserve_hatch(p);
    if (p->rc == 0 && p->is_changed)
        p->rc = preserve_plant_forest(p);
    preserve_state_check(s);
    if (p->rc == 0 && s->ledger.sun > ENERGY_SUM_MAX)
        preserve_fail(p, ERR_RANGE, "the sun has given more than can be counted");
    book_cost(p);
    return p->rc != 0 || show(p);
}

/* ---------------------------------------------------------------- an epoch */

static int open_world(struct preserve *p)
{
    struct preserve_state *s = p->state;
    arena_reset(&p->memory->bodies);
    if (plants_create(&p->plants, p->params, &p->memory->bodies) != 0)
        return error_memory(p->error);
    if (s->plant_count != p->plants.columns * p->plants.rows)
        return error_set(p->error, ERR_RANGE, "a state of %d cells of plants in a world of %d x %d",
                         s->plant_count, p->plants.columns, p->plants.rows);
    p->plants.cells = s->plants;
    int rc = preserve_open_emissions(p);
    if (rc != 0)
        return rc;
    p->room = PRESERVE_LIVING_MAX;
    p->dwellers = arena_take(&p->memory->bodies, (size_t)p->room, sizeof(struct dweller *));
    if (!p->dwellers)
        return error_memory(p->error);
    for (int i = 0; i < s->living_count; i++) {
        preserve_hold(p, s->living[i].descent.id);
        int verdict = preserve_enter(p, i);
        if (verdict != VERDICT_OK)
            return error_set(p->error, verdict == VERDICT_MEMORY ? ERR_MEMORY : ERR_RANGE,
                             "creature %llu of the state cannot live: %s",
                             (unsigned long long)s->living[i].descent.id, verdict_name(verdict));
    }
    return preserve_plant_forest(p);
}

int preserve_run(struct preserve_state *state, const struct params *params, int64_t ticks,
                 const struct preserve_watcher *watcher, struct preserve_memory *memory,
                 struct error *error)
{
    ENSURE(ticks >= 0, "%lld ticks", (long long)ticks);
    struct preserve p = {.state = state,
                         .params = params,
                         .watcher = watcher,
                         .memory = memory,
                         .tick_s = 1 / params->simulation_brain_hz,
                         .epoch_ticks = preserve_epoch_ticks(params),
                         .error = error};
    memory->work = 0;
    p.rc = preserve_check(params, error);
    if (p.rc == 0)
        p.rc = open_world(&p);
    for (int64_t i = 0; p.rc == 0 && i < ticks && !tick(&p); i++)
        ;
    if (p.rc == 0)
        p.rc = preserve_save_motion(&p);
    if (p.rc == 0)
        p.rc = preserve_save_sounds(&p);
    if (p.rc == 0)
        p.rc = preserve_state_bound(state, error);
    for (int i = 0; p.dwellers && i < state->living_count; i++)
        if (p.dwellers[i] && p.dwellers[i]->has_child)
            genome_deinit(&p.dwellers[i]->child);
    return p.rc;
}

/* ---------------------------------------------------------------- founders */

/* The genome itself, or a mutant of it that lives alone; with a mouth, where it has none. */
static int draw_founder(struct preserve_state *s, struct creature_state *c,
                        const struct genome *genome, int is_first, const struct params *params,
                        struct preserve_memory *memory)
{
    double area_m2;
    struct genome whole;
    struct rng rng;
    rng_init(&rng, s->seed, RNG_PRESERVE, 3, s->next_id);
    if (genome_copy(&whole, genome) != 0)
        return ERR_MEMORY;
    preserve_give_mouth(&whole,
                        rng_chance(&rng, params->preserve_hunters) ? MOUTH_FLESH : MOUTH_PLANTS);
    if (is_first) {
        c->genome = whole;
        return 0;
    }
    int rc = preserve_mutate(&c->genome, &whole, NULL, params, s->seed, s->next_id++, memory,
                             HUGE_VAL, &area_m2, NULL);
    genome_deinit(&whole);
    return rc;
}

/* An egg that is ripe, somewhere; it hatches as soon as there is room for it. */
static int found_one(struct preserve_state *s, int number, const struct genome *genome,
                     int is_first, const struct params *params, struct preserve_memory *memory,
                     struct error *error)
{
    struct rng rng;
    double ripe = params->preserve_hatch_s * params->simulation_brain_hz;
    struct creature_state *c = preserve_state_add_egg(s);
    if (!c || draw_founder(s, c, genome, is_first, params, memory) != 0)
        return error_memory(error);
    c->descent = (struct descent){.id = s->next_id++, .family = number};
    rng_init(&rng, s->seed, RNG_PRESERVE, 2, c->descent.id);
    c->x_m = rng_uniform(&rng, 0, params->preserve_width_m);
    c->y_m = rng_uniform(&rng, 0, params->preserve_height_m);
    double area_m2 = preserve_area_of(&c->genome, params, memory);
    ENSURE(area_m2 > 0, "a founder that lived before");
    c->body = c->body_whole = microjoules_of(params->preserve_body_j_m2 * area_m2);
    c->reserve = microjoules_of(START_SHARE * params->preserve_reserve_j_m2 * area_m2);
    /* so that each is looked at in the first tick */
    c->born_tick =
        1 - (int64_t)(ceil(ripe / params->simulation_brain_hz) * params->simulation_brain_hz);
    return 0;
}

static int found_water(struct preserve_state *s, const struct params *params,
                       struct preserve_memory *memory, struct error *error)
{
    struct plants plants;
    struct rng rng;
    arena_reset(&memory->bodies);
    if (plants_create(&plants, params, &memory->bodies) != 0)
        return error_memory(error);
    s->plant_count = plants.columns * plants.rows;
    s->plants = malloc((size_t)s->plant_count * sizeof s->plants[0]);
    if (!s->plants)
        return error_memory(error);
    int rc = preserve_found_scent(s, params, &memory->bodies);
    if (rc != 0)
        return error_set(error, rc, "scent: %s", error_text(rc));
    rng_init(&rng, s->seed, RNG_PRESERVE, 4, 0);
    for (int i = 0; i < s->plant_count; i++)
        s->plants[i] =
            (microjoules)(START_SHARE * (double)plants.most * rng_uniform(&rng, 0.5, 1.5));
    return 0;
}

int preserve_found(struct preserve_state *state, const struct params *params, uint64_t seed,
                   uint32_t world, const struct preserve_founders *founders,
                   struct preserve_memory *memory, struct error *error)
{
    const struct genome *const *genomes = founders->genomes;
    int count = founders->count, eggs = (int)params->preserve_founders;
    preserve_state_init(state);
    state->seed = world == 0 ? seed : rng_mix_seed(seed, world) & INT64_MAX;
    state->next_id = 1 + world * WORLD_IDS;
    int rc = preserve_check(params, error);
    for (int i = 0; rc == 0 && i < count; i++) {
        const struct body_kind_info *kind = &body_kinds[genomes[i]->kind];
        const char *name = founders->names ? founders->names[i] : "a founder";
        if (!kind->is_flat || !kind->can_contend)
            rc = error_set(error, ERR_USAGE, "%s: there is no preserve of %s", name, kind->name);
        int verdict = rc == 0 ? preserve_try_alone(genomes[i], params, memory) : VERDICT_OK;
        if (verdict != VERDICT_OK)
            rc = error_set(error, ERR_USAGE, "%s: does not live alone: %s", name,
                           verdict_name(verdict));
    }
    if (rc == 0)
        rc = found_water(state, params, memory, error);
    for (int i = 0; rc == 0 && i < eggs; i++)
        rc = found_one(state, i + (int)world * eggs, genomes[i % count],
                       i < count || params->preserve_founders_copies, params, memory, error);
    state->ledger.start = preserve_state_total(state);
    if (rc != 0)
        preserve_state_deinit(state);
    return rc;
}

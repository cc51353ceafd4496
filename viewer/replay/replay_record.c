/* A replay from a creature: it is evaluated again, as a whole or without some of its neurons and
 * wires, and what is seen is recorded row by row. A life that can be changed keeps a snapshot of its
 * arena every half second, 0.3 MB each: it goes back to one, and on from there. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/genome/sensor.h"
#include "common/judge/behaviour.h"
#include "common/math/rotation.h"
#include "common/rows.h"
#include "viewer/replay/replay.h"

/* A medium is shown as water if it resists at least so much, by either law, Pa s or kg/m2, with at
 * most so much gravity, m/s2. */
#define WATER_DRAG    0.05
#define WATER_GRAVITY 1.0
/* A creature of 1 kg calls so high, Hz; the pitch falls with the mass to the power of 0.4, as in
 * animals (Fletcher 2004, "A simple frequency-scaling rule for animal communication"). */
#define VOICE_HZ       400.0
#define VOICE_EXPONENT (-0.4)
#define VOICE_LEAST_HZ 70.0
#define VOICE_MOST_HZ  1400.0

struct recorder {
    struct replay *replay;
    const struct genome *genome;
    const struct params *params;
    double tick_s;
    int phase;     /* of the rows so far; -1 = none */
    int tick;      /* of the phase, from 0 */
    int stride;    /* ticks from row to row */
    double lost_j; /* to blows, at the row before */
    int status;    /* ERR_MEMORY */
};

/* ---- sounds: calls of emitters, and blows ---- */

double replay_voice_hz(double mass_kg)
{
    double hz = VOICE_HZ * pow(fmax(mass_kg, 1e-6), VOICE_EXPONENT);
    return fmin(fmax(hz, VOICE_LEAST_HZ), VOICE_MOST_HZ);
}

void replay_put_sound(struct replay_sound *sound, const struct evaluate_view *view,
                      const struct params *params, double *lost_before_j)
{
    double lost_j = view->ledger->loss_impact_j + view->ledger->loss_limit_j;
    double blow_j = *lost_before_j < 0 ? 0 : fmax(lost_j - *lost_before_j, 0);
    double loudest = 0;
    for (int i = 0; i < view->phenotype->emitter_count; i++)
        if (view->phenotype->emitters[i].kind == EMITTER_SOUND)
            loudest = fmax(loudest, view->emitted[i]);
    *lost_before_j = lost_j;
    sound->call = (float)fmin(loudest, 1);
    sound->blow = (float)(blow_j / (blow_j + params->sound_blow_j));
}

/* ---- bodies ---- */

static struct replay_drive make_drive(const struct replay *replay, const struct drive *drive,
                                      int first_part)
{
    /* a strong signal: 1.2 rad, a torque of 1, or what leads a length farthest from rest */
    double farthest = fmax(fmax(-drive->least, drive->most), 1e-3);
    double full = drive->is_linear ? farthest : fmin(farthest, 1.2);
    return (struct replay_drive){.part = first_part + drive->part,
                                 .axis = drive->axis,
                                 .is_linear = drive->is_linear,
                                 .lower = drive->lower,
                                 .upper = drive->upper,
                                 .effector = -1,
                                 .signal_full = replay->is_torque_mode ? 1 : full,
                                 .strength = drive->strength,
                                 .rod = -1};
}

static struct replay_place place_of(const struct part *part)
{
    return (struct replay_place){part->centre, part->turn};
}

void replay_put_joints(struct replay *replay, const struct phenotype *phenotype, int first_part,
                       int first_drive)
{
    ENSURE(first_part >= 0 && first_part + phenotype->part_count <= replay->part_count,
           "parts %d + %d of %d", first_part, phenotype->part_count, replay->part_count);
    for (int i = 0; i < phenotype->drive_count; i++)
        replay->drives[first_drive + i] = make_drive(replay, &phenotype->drives[i], first_part);
    for (int i = 0, count = 1; i < phenotype->drive_count; i += count) {
        const struct drive *drives = &phenotype->drives[i];
        const struct part *part = &phenotype->parts[drives->part];
        struct vec3 ways[GENOME_FREEDOMS_MAX];
        for (count = 1; i + count < phenotype->drive_count && drives[count].axis > 0;)
            count++;
        for (int k = 0; k < count; k++)
            ways[k] = drives[k].way;
        if (vec3_length(ways[0]) > 0)
            replay_hang(replay, first_part + drives->part, first_drive + i, count, ways,
                        part->anchor, place_of(&phenotype->parts[part->parent]), place_of(part));
    }
}

/* Fills the tables of what does not change. */
static int copy_phenotype(struct replay *replay, const struct phenotype *phenotype,
                          const struct genome *genome)
{
    replay->part_count = phenotype->part_count;
    replay->shape_count = phenotype->shape_count;
    replay->drive_count = phenotype->drive_count;
    replay->neuron_count = phenotype->neuron_count;
    replay->effector_count = phenotype->effector_count;
    replay->voice_count = 1;
    replay->voice_hz[0] = replay_voice_hz(phenotype->mass_kg);
    int status = replay_make_tables(replay);
    if (status)
        return status;
    for (int i = 0; i < phenotype->part_count; i++) {
        const struct part *part = &phenotype->parts[i];
        replay->parts[i] = (struct replay_part){.parent = part->parent,
                                                .mirror = part->mirror,
                                                .body = genome_find_body(genome, part->body),
                                                .joint = -1,
                                                .sensors = part->sensors,
                                                .color = i,
                                                .is_head = i == phenotype->head};
    }
    replay_put_joints(replay, phenotype, 0, 0);
    for (int i = 0; i < phenotype->shape_count; i++) {
        const struct shape *shape = &phenotype->shapes[i];
        replay->shapes[i] = *shape;
        replay->has_depth |= i < phenotype->part_count && shape->half_m.z > 0;
        if (shape->kind == SHAPE_ROD && shape->drive >= 0)
            replay->drives[shape->drive].rod = i;
    }
    for (int i = 0; i < phenotype->effector_count; i++) {
        replay->effectors[i] = phenotype->effectors[i];
        replay->drives[replay->effectors[i].drive].effector = i;
    }
    for (int i = 0; i < phenotype->neuron_count; i++)
        replay->neurons[i] = phenotype->neurons[i];
    return 0;
}

void replay_put_ledger(struct replay_row *row, const struct ledger *l)
{
#define X(name, text, value) row->energies[ENERGY_##name] = (float)(value);
    REPLAY_ENERGIES(X)
#undef X
}

void replay_put_contacts(struct replay_row *row, const struct contact_point *points, int count,
                         double per_step)
{
    ENSURE(count >= 0 && per_step >= 0, "%d contacts, %g", count, per_step);
    if (count > REPLAY_CONTACTS_MAX)
        count = REPLAY_CONTACTS_MAX;
    for (int i = 0; i < count; i++) {
        float *numbers = (float *)&row->contacts[i]; /* place, normal */
        replay_put_vector(numbers, points[i].at);
        replay_put_vector(numbers + 3, points[i].normal);
        row->contacts[i].impulse_n_s = (float)(points[i].normal_impulse_n_s * per_step);
    }
    *row->contact_count = (float)count;
}

void replay_put_body(const struct replay *replay, struct replay_row *row,
                     const struct dynamics *dynamics, const struct phenotype *phenotype,
                     int first_part, int first_drive)
{
    for (int i = 0; i < phenotype->part_count; i++) {
        struct part_state state;
        dynamics_part_state(dynamics, i, &state);
        row->poses[first_part + i] = replay_pose_of(state.at_m, dynamics_part_turn(dynamics, i));
    }
    for (int i = 0; i < phenotype->drive_count; i++) {
        struct drive_state state;
        int effector = replay->drives[first_drive + i].effector;
        dynamics_drive_state(dynamics, i, &state);
        row->values[first_drive + i] = (float)state.value;
        if (effector >= 0)
            row->torques[effector] = (float)state.effort;
    }
}

static void record_row(struct recorder *recorder, struct replay_row *row,
                       const struct evaluate_view *view)
{
    const struct replay *replay = recorder->replay;
    const struct contact_point *points;
    replay_put_vector(row->centre, dynamics_centre_of_mass(view->dynamics));
    replay_put_vector(row->light, view->light->at);
    replay_put_body(replay, row, view->dynamics, view->phenotype, 0, 0);
    for (int i = 0; i < replay->effector_count; i++)
        row->signals[i] = view->signals ? (float)view->signals[i] : 0;
    for (int i = 0; i < replay->neuron_count && view->brain; i++)
        row->neurons[i] = (float)brain_output(view->brain, i);
    for (int i = 0; i < replay->part_count * SENSOR_COUNT && view->sensors; i++)
        row->sensors[i] = (float)view->sensors[i];
    replay_put_ledger(row, view->ledger);
    replay_put_sound(row->sounds, view, recorder->params, &recorder->lost_j);
    /* its fitness if the scored time ended now; without a goal 0 */
    if (view->phase == PHASE_SCORE && replay->has_goal) {
        struct measures measures;
        evaluate_measures(view, &measures);
        *row->fitness = (float)behaviour_fitness(VERDICT_OK, &measures, recorder->params);
    }
    int count = dynamics_contacts(view->dynamics, &points);
    replay_put_contacts(row, points, count, view->dynamics->substeps);
}

/* A row with a number that is not finite cannot be drawn: the replay ends before it. */
static int row_is_finite(const struct replay *replay, const struct replay_row *row)
{
    for (size_t i = 0; i < replay->row_floats; i++)
        if (!isfinite(row->centre[i]))
            return 0;
    return 1;
}

static int recorder_observe(void *context, const struct evaluate_view *view)
{
    struct recorder *recorder = context;
    struct replay *replay = recorder->replay;
    struct replay_row row;
    if (recorder->status)
        return 1;
    /* rows of settling are kept until scoring starts, so that a creature that never gets there can
     * be seen */
    int phase = view->phase == PHASE_SCORE ? PHASE_SCORE : PHASE_SETTLE;
    if (recorder->phase != phase) {
        recorder->phase = phase;
        recorder->tick = 0;
        recorder->stride = 1;
        recorder->lost_j = -1;
        replay->frame_count = 0;
        replay->frame_s = recorder->tick_s;
        free(replay->rows);
        replay->rows = NULL;
    }
    replay->relief = *view->relief;
    if (recorder->tick++ % recorder->stride)
        return 0;
    /* half the rate from here on */
    if (replay_thin_full(replay))
        recorder->stride *= 2;
    recorder->status = replay_append(replay, &row);
    if (recorder->status)
        return 1;
    record_row(recorder, &row, view);
    replay_place_row(replay, &row);
    if (!row_is_finite(replay, &row))
        replay->frame_count--;
    return 0;
}

/* ---- cuts ---- */

int replay_is_same_cut(const struct replay_cut *a, const struct replay_cut *b)
{
    return a->kind == b->kind && a->index == b->index &&
           (a->kind != CUT_NEURON_INPUT || a->input == b->input);
}

int replay_is_cut(const struct replay *replay, const struct replay_cut *cut)
{
    for (int i = 0; i < replay->cut_count; i++)
        if (replay_is_same_cut(&replay->cuts[i], cut))
            return 1;
    return 0;
}

/* A wire that reads a cut neuron, or is cut itself, reads 0. */
static void cut_wire(const struct replay *replay, struct wire *wire, struct replay_cut itself)
{
    struct replay_cut source = {CUT_NEURON, wire->index, 0};
    if (replay_is_cut(replay, &itself) ||
        (wire->kind == WIRE_NEURON && replay_is_cut(replay, &source)))
        *wire = (struct wire){.kind = WIRE_CONSTANT};
}

/* Notes what the genome grew into, and then makes the cuts. */
static void recorder_edit(void *context, struct phenotype *phenotype)
{
    struct recorder *recorder = context;
    struct replay *replay = recorder->replay;
    int kept = 0;
    recorder->status = copy_phenotype(replay, phenotype, recorder->genome);
    for (int i = 0; i < replay->cut_count; i++) {
        struct replay_cut cut = replay->cuts[i];
        int count = cut.kind == CUT_EFFECTOR_INPUT ? replay->effector_count : replay->neuron_count;
        int is_input = cut.input >= 0 && cut.input < NEURON_INPUTS_MAX;
        if (cut.kind != CUT_NONE && cut.index >= 0 && cut.index < count &&
            (cut.kind != CUT_NEURON_INPUT || is_input))
            replay->cuts[kept++] = cut;
    }
    replay->cut_count = kept;
    if (recorder->status || kept == 0)
        return;
    for (int i = 0; i < phenotype->neuron_count; i++)
        for (int k = 0; k < NEURON_INPUTS_MAX; k++)
            cut_wire(replay, &phenotype->neurons[i].inputs[k],
                     (struct replay_cut){CUT_NEURON_INPUT, i, k});
    for (int i = 0; i < phenotype->effector_count; i++)
        cut_wire(replay, &phenotype->effectors[i].input,
                 (struct replay_cut){CUT_EFFECTOR_INPUT, i, 0});
}

/* The pose of birth, for what was refused before anything moved. */
static int record_birth(struct recorder *recorder, const struct creature *creature,
                        const struct params *params, struct arena *arena)
{
    struct phenotype phenotype;
    struct replay_row row;
    struct replay *replay = recorder->replay;
    arena_reset(arena);
    if (phenotype_express(&phenotype, &creature->genome, params, arena) != VERDICT_OK)
        return ERR_MISSING;
    int status = replay->parts ? 0 : copy_phenotype(replay, &phenotype, &creature->genome);
    if (!status)
        status = replay_append(replay, &row);
    if (status)
        return status;
    for (int i = 0; i < phenotype.part_count; i++) {
        const struct part *part = &phenotype.parts[i];
        double share = part->mass_kg / phenotype.mass_kg;
        row.poses[i] = replay_pose_of(part->centre, part->turn);
        row.centre[0] += (float)(part->centre.x * share);
        row.centre[1] += (float)(part->centre.y * share);
        row.centre[2] += (float)(part->centre.z * share);
    }
    return 0;
}

/* ---- the whole ---- */

/* After the status, which says whether the recorded fitness can be. */
static void set_score(struct replay *replay, const struct creature *creature, int is_recorded)
{
    int has_fitness =
        replay->has_goal && (replay->cut_count || (is_recorded && creature->has_evaluation));
    int is_least = replay->status == REPLAY_VERIFIED || replay->status == REPLAY_REFUSED;
    size_t used = 0, size = sizeof replay->score;
    if (creature->is_champion && is_recorded && !replay->cut_count)
        used = (size_t)snprintf(replay->score, size, "champion, ");
    char *text = replay->score + used;
    size -= used;
    if (!has_fitness && replay->measures.time_s <= 0 && replay->verdict != VERDICT_OK)
        snprintf(text, size, "not scored");
    else if (!has_fitness)
        snprintf(text, size, "went %.2f m in %.3g s", replay->measures.displacement_m,
                 replay->measures.time_s);
    else if (replay->cut_count && creature->has_evaluation)
        snprintf(text, size, "fitness %.3g, whole %.3g", replay->fitness,
                 verify_own_fitness(creature, creature->verdict, &creature->measures));
    else if (replay->cut_count || creature->fitness == replay->fitness)
        snprintf(text, size, "fitness %.3g", replay->fitness);
    else if (is_least)
        snprintf(text, size, "fitness %.3g (this start: %.3g)", creature->fitness, replay->fitness);
    else
        snprintf(text, size, "fitness %.3g, recorded %.3g", replay->fitness, creature->fitness);
}

enum replay_medium replay_choose_medium(double drag, double gravity_m_s2, int has_ground)
{
    if (drag >= WATER_DRAG && gravity_m_s2 <= WATER_GRAVITY)
        return REPLAY_WATER;
    return has_ground ? REPLAY_SKY : REPLAY_AIR;
}

void replay_describe_world(struct replay *replay, const struct params *params)
{
    double drag = params->world_drag_law == DRAG_LAW_QUADRATIC ? params->world_quadratic_drag_kg_m2
                                                               : params->world_viscosity_pa_s;
    replay->has_ground = params->world_ground;
    replay->has_light = params->light_kind != LIGHT_NONE;
    replay->obstacle_depth_m = params->world_depth_m / 2;
    replay->is_torque_mode = params->creature_effector_mode == EFFECTOR_TORQUE;
    replay->medium = replay_choose_medium(drag, params->world_gravity_m_s2, params->world_ground);
    replay->gravity_m_s2 = params->world_gravity_m_s2;
}

/* ---- a life ---- */

enum { SNAPSHOT_TICKS = 30 };

struct snapshot {
    int tick;
    double lost_j;
    int is_changed;
    struct params world;
    struct arena arena;
    unsigned char *bytes; /* those of the arena that are used */
};

struct replay_live {
    struct replay *replay;
    struct recorder recorder;
    struct arena arena;
    struct course *course; /* NULL: it never had a body */
    const struct creature *creature;
    struct params params, world; /* as it began, and as it was changed */
    int is_recorded, is_played, is_changed;
    int tick;
    struct snapshot *snapshots; /* in the order of their ticks; NULL: none is kept */
    int snapshot_count, snapshot_room;
};

static int keep_snapshot(struct replay_live *live)
{
    struct snapshot *snapshot = rows_add(&live->snapshots, &live->snapshot_count,
                                         &live->snapshot_room, INT_MAX, sizeof *snapshot);
    if (!snapshot)
        return ERR_MEMORY;
    *snapshot = (struct snapshot){.tick = live->tick,
                                  .lost_j = live->recorder.lost_j,
                                  .is_changed = live->is_changed,
                                  .world = live->world,
                                  .arena = live->arena,
                                  .bytes = malloc(live->arena.used_bytes)};
    if (!snapshot->bytes) {
        live->snapshot_count--;
        return ERR_MEMORY;
    }
    memcpy(snapshot->bytes, live->arena.base, live->arena.used_bytes);
    return 0;
}

static void drop_snapshots(struct replay_live *live, int kept)
{
    while (live->snapshot_count > kept)
        free(live->snapshots[--live->snapshot_count].bytes);
}

/* On its way, and where it arrives, it keeps the snapshots that it has not. */
static int advance(struct replay_live *live, int tick, int keeps)
{
    for (;;) {
        int last = live->snapshot_count ? live->snapshots[live->snapshot_count - 1].tick : -1;
        if (keeps && live->tick % SNAPSHOT_TICKS == 0 && live->tick > last && keep_snapshot(live))
            return ERR_MEMORY;
        if (live->tick >= tick || !evaluate_tick(live->course))
            return 0;
        live->tick++;
    }
}

/* What came of it. */
static void conclude(struct replay_live *live, const struct evaluation *evaluation)
{
    struct replay *replay = live->replay;
    replay->verdict = evaluation->verdict;
    replay->measures = evaluation->measures;
    replay->digest = evaluation->digest;
    replay->fitness = behaviour_fitness(evaluation->verdict, &evaluation->measures, &live->params);
    replay->detail[0] = '\0';
    /* compared with the record, if it was made again as recorded */
    replay->status = REPLAY_UNRECORDED;
    if (live->is_recorded)
        replay->status = (enum replay_status)verify_compare(
            live->creature, replay->verdict, replay->digest, &replay->measures, replay->detail);
    if (replay->cut_count) {
        replay->status = REPLAY_CHANGED;
        snprintf(replay->detail, sizeof replay->detail, "without %d of its neurons and wires",
                 replay->cut_count);
    }
    set_score(replay, live->creature, live->is_recorded);
}

/* The tables of what is not simulated. */
static int describe(struct replay *replay, const struct creature *creature,
                    const struct params *params, struct error *error)
{
    replay_clean_text(creature->name[0] ? creature->name : "unnamed", replay->name,
                      sizeof replay->name);
    replay_describe_world(replay, params);
    replay_put_off(replay, &creature->genome, params, "");
    if (obstacles_parse(&replay->obstacles, params->world_obstacles, error) != 0)
        return ERR_RANGE;
    replay->has_goal = params->evolution_behaviour != BEHAVIOUR_INTERACTIVE;
    replay->frame_s = 1.0 / params->simulation_brain_hz;
    replay->id = creature->id;
    return 0;
}

/* The whole life, recorded. */
static int live_through(struct replay_live *live, uint64_t seed, int keeps, struct error *error)
{
    struct replay *replay = live->replay;
    struct recorder *recorder = &live->recorder;
    const struct genome *genome = &live->creature->genome;
    live->course = evaluate_open(
        &(struct evaluate_order){
            .genomes = &genome, .count = 1, .params = &live->params, .seed = seed},
        &(struct evaluate_onlooker){recorder_edit, recorder_observe, recorder}, &live->arena);
    ENSURE(live->course, "%zu bytes hold no course", live->arena.size_bytes);
    if (live->is_played)
        evaluate_play(live->course);
    int status = advance(live, INT_MAX, keeps);
    struct evaluation evaluation = *evaluate_close(live->course);
    if (!recorder->status && replay->frame_count == 0) {
        live->course = NULL;
        recorder->status = record_birth(recorder, live->creature, &live->params, &live->arena);
    }
    if (status)
        recorder->status = status;
    conclude(live, &evaluation);
    if (!recorder->status)
        return 0;
    return error_set(error, recorder->status, "%s cannot be shown: %s", replay->name,
                     recorder->status == ERR_MISSING ? verdict_reason(evaluation.verdict)
                                                     : error_text(recorder->status));
}

static struct replay_live *make_life(const struct creature *creature, const struct params *params,
                                     size_t arena_bytes)
{
    struct replay_live *live = calloc(1, sizeof *live);
    if (!live)
        return NULL;
    live->replay = calloc(1, sizeof *live->replay);
    if (!live->replay || arena_init(&live->arena, arena_bytes)) {
        replay_live_close(live);
        return NULL;
    }
    live->creature = creature;
    live->params = live->world = *params;
    live->recorder = (struct recorder){.replay = live->replay,
                                       .genome = &creature->genome,
                                       .params = &live->params,
                                       .tick_s = 1.0 / params->simulation_brain_hz,
                                       .phase = -1,
                                       .stride = 1,
                                       .lost_j = -1};
    return live;
}

static int open_cut(struct replay_live **result, const struct creature *creature,
                    const struct params *params, uint64_t seed, enum replay_origin origin,
                    const struct replay_cut *cuts, int cut_count, int keeps, size_t arena_bytes,
                    struct error *error)
{
    ENSURE(cut_count >= 0 && cut_count <= REPLAY_CUTS_MAX, "%d cuts", cut_count);
    struct replay_live *live = make_life(creature, params, arena_bytes);
    *result = NULL;
    if (!live)
        return error_set(error, ERR_MEMORY, "replay: %s", error_text(ERR_MEMORY));
    live->is_recorded = origin == REPLAY_RECORDED;
    live->is_played = cut_count || origin == REPLAY_PLAYED;
    live->replay->cut_count = cut_count;
    for (int i = 0; i < cut_count; i++)
        live->replay->cuts[i] = cuts[i];
    int status = describe(live->replay, creature, params, error);
    if (!status && creature->has_evaluation && creature->verdict == VERDICT_QUARANTINED &&
        live->is_recorded)
        status = error_set(error, ERR_LIMIT, "%s cannot be replayed: %s", live->replay->name,
                           verdict_reason(VERDICT_QUARANTINED));
    if (!status)
        status = live_through(live, seed, keeps, error);
    if (status) {
        replay_live_close(live);
        return status;
    }
    replay_turn_to_way(live->replay);
    replay_finish(live->replay);
    replay_check(live->replay);
    *result = live;
    return 0;
}

int replay_live_open(struct replay_live **result, const struct creature *creature,
                     const struct params *params, uint64_t seed, enum replay_origin origin,
                     const struct replay_cut *cuts, int cut_count, size_t arena_bytes,
                     struct error *error)
{
    return open_cut(result, creature, params, seed, origin, cuts, cut_count, 1, arena_bytes, error);
}

const struct replay *replay_live_replay(const struct replay_live *live)
{
    return live->replay;
}

void replay_live_close(struct replay_live *live)
{
    if (!live)
        return;
    drop_snapshots(live, 0);
    free(live->snapshots);
    arena_deinit(&live->arena);
    replay_destroy(live->replay);
    free(live);
}

int replay_live_back(struct replay_live *live, int tick)
{
    int kept = live->snapshot_count;
    if (!live->course || !kept)
        return ERR_MISSING;
    while (kept > 1 && live->snapshots[kept - 1].tick > tick)
        kept--;
    const struct snapshot *snapshot = &live->snapshots[kept - 1];
    live->tick = snapshot->tick;
    live->recorder.lost_j = snapshot->lost_j;
    live->recorder.tick = snapshot->tick + 1;
    live->replay->frame_count = snapshot->tick / live->recorder.stride + 1;
    live->is_changed = snapshot->is_changed;
    live->world = snapshot->world;
    live->arena = snapshot->arena;
    memcpy(live->arena.base, snapshot->bytes, snapshot->arena.used_bytes);
    drop_snapshots(live, kept);
    return live->tick;
}

int replay_live_go(struct replay_live *live, int tick)
{
    return live->course ? advance(live, tick, 1) : ERR_MISSING;
}

int replay_live_change(struct replay_live *live, const char *key, const char *value,
                       struct error *error)
{
    struct params changed = live->world;
    struct evaluate_view view;
    int status = params_set(&changed, key, value, error);
    if (!status)
        status = params_check(&changed, error);
    if (!status && (strncmp(key, "world.", 6) != 0 || !evaluate_look(live->course, &view)))
        status = error_set(error, ERR_USAGE, "%.80s cannot be changed in this life", key);
    if (status)
        return status;
    live->world = changed;
    live->is_changed = 1;
    evaluate_change_world(live->course, &changed);
    return 0;
}

/* From the replay's axes to the world's. */
static struct vec3 turn_back(const struct replay_live *live, struct vec3 way)
{
    struct quaternion back = live->replay->turned;
    back.y = -back.y;
    if (back.w == 0 && back.y == 0)
        return way;
    struct mat3 axes = quaternion_matrix(back);
    return mat3_apply(&axes, way);
}

/* Whether there is a body to act on; the life is a changed one from now on. */
static int touch_life(struct replay_live *live)
{
    struct evaluate_view view;
    live->is_changed = 1;
    live->replay->status = REPLAY_CHANGED;
    return evaluate_look(live->course, &view);
}

void replay_live_pull(struct replay_live *live, struct vec3 pull_m_s2)
{
    if (touch_life(live))
        evaluate_pull(live->course, turn_back(live, pull_m_s2));
}

void replay_live_hold_light(struct replay_live *live, struct vec3 at_m)
{
    at_m.x += live->replay->shifted_x_m;
    at_m.y += live->replay->shifted_y_m;
    if (touch_life(live))
        evaluate_hold_light(live->course, turn_back(live, at_m));
}

void replay_live_finish(struct replay_live *live)
{
    if (!live->course)
        return;
    live->recorder.status = advance(live, INT_MAX, 1);
    conclude(live, evaluate_close(live->course));
    if (live->is_changed)
        live->replay->status = REPLAY_CHANGED;
}

/* ---- the whole ---- */

int replay_create(struct replay **result, const struct creature *creature,
                  const struct params *params, uint64_t seed, int is_recorded,
                  const struct replay_cut *cuts, int cut_count, struct error *error)
{
    struct replay_live *live;
    *result = NULL;
    int status =
        open_cut(&live, creature, params, seed, is_recorded ? REPLAY_RECORDED : REPLAY_UNKNOWN,
                 cuts, cut_count, 0, EVALUATE_ARENA_BYTES, error);
    if (status)
        return status;
    *result = live->replay;
    live->replay = NULL;
    replay_live_close(live);
    return 0;
}

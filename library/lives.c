/* libbestiary: evaluations, contests and lives. Everything that changes in a life lies in one arena
 * at one address, and all its pointers lead into it: a copy of the used bytes is a snapshot. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/creature/verify.h"
#include "common/genome/body_kind.h"
#include "common/genome/sensor.h"
#include "common/judge/behaviour.h"
#include "common/math/rotation.h"
#include "library/library.h"
#include "simulator/evaluate/contest.h"

_Static_assert((int)BESTIARY_CHANGED == RECORD_STATUS_COUNT &&
                   (int)BESTIARY_REFUSED == RECORD_REFUSED,
               "states of a record are ours");

/* The state that a snapshot puts back besides the arena's bytes. */
struct life_state {
    struct arena arena;
    struct params params; /* of the world, as it was changed */
    double *steer;        /* in the arena; NULL: it was never steered */
    int is_changed, is_over;
};

struct bestiary_life {
    struct life_state state;
    struct course *course;
    const struct bestiary_creature *creature;
    struct params params; /* as it began */
    uint64_t seed;
};

/* ---- evaluations ---- */

int library_evaluate(const struct evaluate_order *order, struct evaluation *results)
{
    const size_t sizes[] = {LIBRARY_ARENA_BYTES,
                            order->count > 1 ? CONTEST_ARENA_BYTES : EVALUATE_ARENA_BYTES};
    for (int i = 0, is_short = 1; i < 2 && is_short; i++) {
        struct arena arena;
        if (arena_init(&arena, sizes[i]))
            return ERR_MEMORY;
        evaluate_list(order, NULL, &arena, results);
        is_short = arena.is_exhausted;
        arena_deinit(&arena);
    }
    return 0;
}

static void judge(const struct creature *creature, const struct params *params, uint64_t seed,
                  const struct evaluation *evaluation, struct bestiary_result *result)
{
    char detail[RECORD_DETAIL_SIZE] = "";
    int is_other = seed != creature->seed ||
                   params_evaluation_digest(params) != params_evaluation_digest(&creature->params);
    *result = (struct bestiary_result){
        .verdict = evaluation->verdict,
        .digest = evaluation->digest,
        .fitness = behaviour_fitness(evaluation->verdict, &evaluation->measures, params),
        .status = BESTIARY_UNRECORDED};
    if (creature->has_evaluation && !is_other)
        result->status = (enum bestiary_status)verify_compare(
            creature, evaluation->verdict, evaluation->digest, &evaluation->measures, detail);
    snprintf(result->words, sizeof result->words, "%s",
             detail[0] ? detail : verdict_reason(evaluation->verdict));
}

/* Whether creatures of that kind can live by such parameters. */
static int check(const struct bestiary_creature *creature, const struct bestiary_params *params,
                 struct error *own)
{
    int status = params_check(&params->p, own);
    return status ? status : body_kind_check_params(creature->c.genome.kind, &params->p, own);
}

static int evaluate_one(const struct bestiary_creature *creature,
                        const struct bestiary_params *params, uint64_t seed,
                        struct evaluation *evaluation, struct bestiary_error *error)
{
    const struct genome *genome = &creature->c.genome;
    struct error own = {0};
    int status = check(creature, params, &own);
    if (!status)
        status = library_evaluate(
            &(struct evaluate_order){
                .genomes = &genome, .count = 1, .params = &params->p, .seed = seed},
            evaluation);
    return library_say(error, status, &own);
}

int bestiary_evaluate(const struct bestiary_creature *creature,
                      const struct bestiary_params *params, uint64_t seed,
                      struct bestiary_result *result, struct bestiary_error *error)
{
    struct evaluation evaluation;
    int status = evaluate_one(creature, params, seed, &evaluation, error);
    if (!status)
        judge(&creature->c, &params->p, seed, &evaluation, result);
    return status;
}

int bestiary_record(struct bestiary_creature *creature, const struct bestiary_params *params,
                    uint64_t seed, struct bestiary_result *result, struct bestiary_error *error)
{
    struct evaluation evaluation;
    int status = evaluate_one(creature, params, seed, &evaluation, error);
    if (status)
        return status;
    creature->c.params = params->p;
    creature->c.seed = seed;
    verify_put(&creature->c, evaluation.verdict, evaluation.digest, &evaluation.measures);
    judge(&creature->c, &params->p, seed, &evaluation, result);
    return 0;
}

int bestiary_contest(const struct bestiary_creature *a, const struct bestiary_creature *b,
                     const struct bestiary_params *params, double *margin, uint64_t *digest,
                     struct bestiary_error *error)
{
    const struct genome *genomes[2] = {&a->c.genome, &b->c.genome};
    struct params own_params = params->p;
    struct contest_pair pair;
    struct arena arena = {0};
    struct error own = {0};
    contest_apply(&own_params);
    int status = params_check(&own_params, &own);
    if (!status)
        status = contest_check(genomes[0], genomes[1], &own_params, &own);
    if (!status)
        status = arena_init(&arena, CONTEST_ARENA_BYTES);
    if (!status) {
        evaluate_pair(genomes, &own_params, &arena, &pair);
        *margin = pair.margin;
        *digest = pair.digest;
        arena_deinit(&arena);
    }
    return library_say(error, status, &own);
}

/* ---- a life ---- */

int bestiary_life_make(struct bestiary_life **life, const struct bestiary_creature *creature,
                       const struct bestiary_params *params, uint64_t seed,
                       struct bestiary_error *error)
{
    const struct genome *genome = &creature->c.genome;
    struct error own = {0};
    *life = NULL;
    int status = check(creature, params, &own);
    if (!status && !(*life = calloc(1, sizeof **life)))
        status = ERR_MEMORY;
    if (!status)
        status = arena_init(&(*life)->state.arena, EVALUATE_ARENA_BYTES);
    if (status) {
        free(*life);
        *life = NULL;
        return library_say(error, status, &own);
    }
    (*life)->creature = creature;
    (*life)->params = (*life)->state.params = params->p;
    (*life)->seed = seed;
    (*life)->course = evaluate_open(
        &(struct evaluate_order){
            .genomes = &genome, .count = 1, .params = &params->p, .seed = seed},
        NULL, &(*life)->state.arena);
    ENSURE((*life)->course, "%zu bytes hold no course", (*life)->state.arena.size_bytes);
    return 0;
}

void bestiary_life_free(struct bestiary_life *life)
{
    if (life)
        arena_deinit(&life->state.arena);
    free(life);
}

int bestiary_life_tick(struct bestiary_life *life, int ticks)
{
    int done = 0;
    while (done < ticks && !life->state.is_over)
        if (evaluate_tick(life->course))
            done++;
        else
            life->state.is_over = 1;
    return done;
}

int bestiary_life_save(const struct bestiary_life *life, struct bestiary_bytes *snapshot,
                       struct bestiary_error *error)
{
    size_t used = life->state.arena.used_bytes, head = sizeof life->state;
    snapshot->data = malloc(head + used);
    snapshot->length = snapshot->data ? head + used : 0;
    if (!snapshot->data)
        return library_say(error, ERR_MEMORY, NULL);
    memcpy(snapshot->data, &life->state, head);
    memcpy(snapshot->data + head, life->state.arena.base, used);
    return 0;
}

int bestiary_life_restore(struct bestiary_life *life, const struct bestiary_bytes *snapshot,
                          struct bestiary_error *error)
{
    struct life_state state = {.arena = {0}};
    struct error own;
    if (snapshot->length >= sizeof state)
        memcpy(&state, snapshot->data, sizeof state);
    if (state.arena.base != life->state.arena.base ||
        snapshot->length != sizeof state + state.arena.used_bytes)
        return library_say(error, error_set(&own, ERR_USAGE, "a snapshot of another life"), &own);
    life->state = state;
    memcpy(state.arena.base, snapshot->data + sizeof state, state.arena.used_bytes);
    return 0;
}

/* The closing changes a life: it is taken back. */
int bestiary_life_result(struct bestiary_life *life, struct bestiary_result *result,
                         struct bestiary_error *error)
{
    struct bestiary_bytes now;
    int status = bestiary_life_save(life, &now, error);
    if (status)
        return status;
    judge(&life->creature->c, &life->params, life->seed, evaluate_close(life->course), result);
    status = bestiary_life_restore(life, &now, error);
    bestiary_bytes_free(&now);
    if (life->state.is_changed)
        result->status = BESTIARY_CHANGED;
    return status;
}

/* Room for a signal of each effector, which the life listens to from now on. NULL: none is left. */
static double *take_the_reins(struct bestiary_life *life, int count)
{
    struct life_state *state = &life->state;
    if (!state->steer)
        state->steer = arena_take(&state->arena, (size_t)count, sizeof state->steer[0]);
    state->is_changed = 1;
    if (state->steer)
        evaluate_steer(life->course, state->steer);
    return state->steer;
}

int bestiary_life_steer(struct bestiary_life *life, const double *signals, int count,
                        struct bestiary_error *error)
{
    struct evaluate_view view;
    struct error own;
    if (!evaluate_look(life->course, &view) || (signals && count != view.phenotype->effector_count))
        return library_say(
            error, error_set(&own, ERR_USAGE, "%d signals for another number of effectors", count),
            &own);
    if (!signals) {
        life->state.is_changed = 1;
        evaluate_steer(life->course, NULL);
        return 0;
    }
    double *steer = take_the_reins(life, count);
    if (!steer)
        return library_say(error, ERR_MEMORY, NULL);
    for (int i = 0; i < count; i++)
        steer[i] = isfinite(signals[i]) ? signals[i] : 0;
    return 0;
}

int bestiary_life_change(struct bestiary_life *life, const char *key, const char *value,
                         struct bestiary_error *error)
{
    struct params changed = life->state.params;
    struct evaluate_view view;
    struct error own = {0};
    int status = params_set(&changed, key, value, &own);
    if (!status)
        status = params_check(&changed, &own);
    if (!status && (strncmp(key, "world.", 6) || !evaluate_look(life->course, &view)))
        status = error_set(&own, ERR_USAGE, "%.80s cannot be changed in this life", key);
    if (status)
        return library_say(error, status, &own);
    life->state.params = changed;
    life->state.is_changed = 1;
    evaluate_change_world(life->course, &changed);
    return 0;
}

/* ---- numbers of a life ---- */

struct numbers {
    double *values;
    int size, count;
};

static void put(struct numbers *to, double value)
{
    if (to->values && to->count < to->size)
        to->values[to->count] = value;
    to->count++;
}

static void put_all(struct numbers *to, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        put(to, values[i]);
}

/* Puts all that are listed. */
#define PUT(to, ...)                                                                               \
    put_all(to, (const double[]){__VA_ARGS__},                                                     \
            sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

static void put_vec3(struct numbers *to, struct vec3 v)
{
    PUT(to, v.x, v.y, v.z);
}

static void put_turn(struct numbers *to, struct quaternion q)
{
    PUT(to, q.w, q.x, q.y, q.z);
}

static void put_time(struct numbers *to, const struct evaluate_view *v)
{
    PUT(to, v->time_s, v->tick_s, v->is_live);
}

static void put_centre(struct numbers *to, const struct evaluate_view *v)
{
    put_vec3(to, dynamics_centre_of_mass(v->dynamics));
}

static void put_light(struct numbers *to, const struct evaluate_view *v)
{
    put_vec3(to, v->light->at);
}

static void put_parts(struct numbers *to, const struct evaluate_view *v)
{
    for (int i = 0; i < v->phenotype->part_count; i++) {
        const struct part *part = &v->phenotype->parts[i];
        PUT(to, part->parent, part->mass_kg, part->mirror);
    }
}

static void put_shapes(struct numbers *to, const struct evaluate_view *v)
{
    for (int i = 0; i < v->phenotype->shape_count; i++) {
        const struct shape *shape = &v->phenotype->shapes[i];
        PUT(to, shape->kind, shape->part);
        put_vec3(to, shape->at_m);
        put_turn(to, shape->turn);
        put_vec3(to, shape->half_m);
    }
}

static void put_poses(struct numbers *to, const struct evaluate_view *v)
{
    for (int i = 0; i < v->phenotype->part_count; i++) {
        struct part_state state;
        dynamics_part_state(v->dynamics, i, &state);
        put_vec3(to, state.at_m);
        put_turn(to, dynamics_part_turn(v->dynamics, i));
    }
}

static void put_motions(struct numbers *to, const struct evaluate_view *v)
{
    for (int i = 0; i < v->phenotype->part_count; i++) {
        struct part_state state;
        dynamics_part_state(v->dynamics, i, &state);
        put_vec3(to, state.velocity_m_s);
        put_vec3(to, state.spin_rad_s);
    }
}

static void put_drives(struct numbers *to, const struct evaluate_view *v)
{
    for (int i = 0; i < v->phenotype->drive_count; i++) {
        const struct drive *drive = &v->phenotype->drives[i];
        struct drive_state state;
        dynamics_drive_state(v->dynamics, i, &state);
        PUT(to, state.value, state.rate, state.effort, drive->lower, drive->upper, drive->strength);
    }
}

static void put_effectors(struct numbers *to, const struct evaluate_view *v)
{
    for (int i = 0; i < v->phenotype->effector_count; i++) {
        int at = v->phenotype->effectors[i].drive;
        const struct drive *drive = &v->phenotype->drives[at];
        PUT(to, v->signals[i], drive->least, drive->most, at);
    }
}

static void put_neurons(struct numbers *to, const struct evaluate_view *v)
{
    for (int i = 0; i < v->phenotype->neuron_count; i++)
        put(to, brain_output(v->brain, i));
}

static void put_sensors(struct numbers *to, const struct evaluate_view *v)
{
    put_all(to, v->sensors, (size_t)v->phenotype->part_count * SENSOR_COUNT);
}

static void put_contacts(struct numbers *to, const struct evaluate_view *v)
{
    const struct contact_point *points;
    int count = dynamics_contacts(v->dynamics, &points);
    for (int i = 0; i < count; i++) {
        put_vec3(to, points[i].at);
        put_vec3(to, points[i].normal);
        PUT(to, points[i].normal_impulse_n_s, points[i].part, points[i].other);
    }
}

static void put_ledger(struct numbers *to, const struct evaluate_view *v)
{
    const struct ledger *l = v->ledger;
    PUT(to, l->kinetic_j, l->potential_j, l->energy_start_j, l->work_effector_j,
        l->work_effector_positive_j, l->loss_friction_j, l->loss_impact_j, l->loss_limit_j,
        l->loss_drag_j, l->loss_damping_j, l->gain_push_out_j + l->gain_impact_j + l->gain_limit_j,
        l->mended_j, l->residual_j);
}

static void put_measures(struct numbers *to, const struct evaluate_view *v)
{
    struct measures measures;
    evaluate_measures(v, &measures);
    for (int i = 0; i < MEASURE_COUNT; i++)
        put(to, measures_get(&measures, i));
}

static void put_observation(struct numbers *to, const struct evaluate_view *v)
{
    struct part_state root;
    dynamics_part_state(v->dynamics, 0, &root);
    const struct mat3 frame = quaternion_matrix(dynamics_part_turn(v->dynamics, 0));
    int is_lit = v->light->kind != LIGHT_NONE;
    put_vec3(to, mat3_back(&frame, (struct vec3){0, 1, 0}));
    put_vec3(to, mat3_back(&frame, root.velocity_m_s));
    put_vec3(to, mat3_back(&frame, root.spin_rad_s));
    put_vec3(to, mat3_back(&frame, vec3_scale(vec3_sub(v->light->at, root.at_m), is_lit)));
    put(to, root.at_m.y);
    for (int i = 0; i < v->phenotype->drive_count; i++) {
        struct drive_state drive;
        dynamics_drive_state(v->dynamics, i, &drive);
        PUT(to, drive.value, drive.rate);
    }
}

int bestiary_life_read(const struct bestiary_life *life, enum bestiary_read what, double *values,
                       int size)
{
    static void (*const readers[BESTIARY_READS])(struct numbers *, const struct evaluate_view *) = {
        [BESTIARY_TIME] = put_time,
        [BESTIARY_CENTRE] = put_centre,
        [BESTIARY_LIGHT] = put_light,
        [BESTIARY_PARTS] = put_parts,
        [BESTIARY_SHAPES] = put_shapes,
        [BESTIARY_POSES] = put_poses,
        [BESTIARY_MOTIONS] = put_motions,
        [BESTIARY_DRIVES] = put_drives,
        [BESTIARY_EFFECTORS] = put_effectors,
        [BESTIARY_NEURONS] = put_neurons,
        [BESTIARY_SENSORS] = put_sensors,
        [BESTIARY_CONTACTS] = put_contacts,
        [BESTIARY_LEDGER] = put_ledger,
        [BESTIARY_MEASURES] = put_measures,
        [BESTIARY_OBSERVATION] = put_observation};
    struct numbers to = {values, size, 0};
    struct evaluate_view view;
    if ((int)what < 0 || what >= BESTIARY_READS || !evaluate_look(life->course, &view))
        return 0;
    view.is_live &= !life->state.is_over;
    readers[what](&to, &view);
    return to.count;
}

/* ---- steps of many lives ---- */

/* Signals of -1 .. 1, scaled to what the effectors take. 0 or ERR_MEMORY. */
static int steer_scaled(struct bestiary_life *life, const double *row, int width)
{
    struct evaluate_view view;
    if (!evaluate_look(life->course, &view))
        return 0;
    const struct phenotype *phenotype = view.phenotype;
    double *steer = take_the_reins(life, phenotype->effector_count);
    for (int i = 0; steer && i < phenotype->effector_count; i++) {
        const struct drive *drive = &phenotype->drives[phenotype->effectors[i].drive];
        double signal = i < width && isfinite(row[i]) ? det_max(-1, det_min(1, row[i])) : 0;
        steer[i] = drive->least + 0.5 * (signal + 1) * (drive->most - drive->least);
    }
    return steer ? 0 : ERR_MEMORY;
}

int bestiary_lives_step(struct bestiary_life *const *lives, int count,
                        const struct bestiary_step *step, struct bestiary_error *error)
{
    for (int i = 0; i < count; i++) {
        double *row = step->observations + (size_t)i * (size_t)step->size;
        if (step->signals &&
            steer_scaled(lives[i], step->signals + (size_t)i * (size_t)step->width, step->width))
            return library_say(error, ERR_MEMORY, NULL);
        bestiary_life_tick(lives[i], step->ticks);
        int used = bestiary_life_read(lives[i], BESTIARY_OBSERVATION, row, step->size);
        for (int at = used; at < step->size; at++)
            row[at] = 0;
        bestiary_life_read(lives[i], BESTIARY_CENTRE, step->centres + 3 * (size_t)i, 3);
        step->is_live[i] = !lives[i]->state.is_over;
    }
    return 0;
}

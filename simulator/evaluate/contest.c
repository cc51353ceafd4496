/* See contest.h. A referee looks at all bodies after every tick. */
#include "simulator/evaluate/contest.h"

#include "common/growth/phenotype_key.h"
#include "common/genome/genome.h"
#include "common/judge/measures.h"
#include "common/math/hash.h"
#include "common/math/rotation.h"
#include "simulator/body/present_shape.h"
#include "simulator/evaluate/run.h"

enum { OBJECT = 2 };
#define ROUNDING_M 1e-9

struct referee {
    const struct params *params;
    struct contest_result *result;
    double sums_m[2]; /* of distances, over the ticks of the last second */
    int last_ticks;
    double object_start_m;
    int has_begun;
};

/* ---------------------------------------------------------------- distances */

/* From a point to the nearest point of a body; 0 inside. Parts whose spheres are farther away are
 * not looked at. */
static double distance_to_body(const struct run *run, struct vec3 point)
{
    double least = HUGE_VAL;
    for (int i = 0; i < run->phenotype.part_count; i++) {
        const struct vec3 half = present_half(run->dynamics, &run->phenotype.shapes[i]);
        struct part_state state;
        dynamics_part_state(run->dynamics, i, &state);
        struct vec3 way = vec3_sub(point, state.at_m);
        if (vec3_length(way) - vec3_length(half) > least + ROUNDING_M)
            continue;
        struct mat3 axes = quaternion_matrix(dynamics_part_turn(run->dynamics, i));
        struct vec3 at = mat3_back(&axes, way);
        struct vec3 off = {det_max(fabs(at.x) - half.x, 0), det_max(fabs(at.y) - half.y, 0),
                           det_max(fabs(at.z) - half.z, 0)};
        least = det_min(least, vec3_length(off));
    }
    return least;
}

/* Whether a body touches another one, and on the side of it that is away from the body's own centre
 * of mass. */
static int touches(const struct run *run, int other, struct vec3 other_centre, int *is_behind)
{
    const struct contact_point *points;
    int count = dynamics_contacts(run->dynamics, &points), does = 0;
    struct vec3 beyond = vec3_sub(other_centre, dynamics_centre_of_mass(run->dynamics));
    *is_behind = 0;
    for (int i = 0; i < count; i++) {
        if (points[i].other_creature != other)
            continue;
        does = 1;
        *is_behind |= vec3_dot(vec3_sub(points[i].at, other_centre), beyond) > 0;
    }
    return does;
}

/* ---------------------------------------------------------------- the referee */

static double distance_of_side(const struct referee *referee, const struct habitat *h, int side,
                               double time_s)
{
    int goal = contest_has_object(referee->params->contest_goal) ? OBJECT : !side, is_behind;
    const struct run *run = &h->runs[side];
    struct contest_side *known = &referee->result->sides[side];
    struct vec3 centre = dynamics_centre_of_mass(h->runs[goal].dynamics);
    double distance_m = distance_to_body(run, centre);
    if (touches(run, goal, centre, &is_behind) && known->touched_s < 0)
        known->touched_s = time_s;
    if (!referee->has_begun)
        known->start_m = known->least_m = distance_m;
    known->least_m = det_min(known->least_m, distance_m);
    if (referee->params->contest_goal == CONTEST_SUMO) {
        struct vec3 own = dynamics_centre_of_mass(run->dynamics);
        double from_middle_m = vec3_length((struct vec3){own.x, 0, own.z});
        double out_m = 2 * referee->params->contest_ring_m;
        return run_has_fallen(run) || !(from_middle_m < out_m) ? out_m : from_middle_m;
    }
    return is_behind ? distance_m / 2 : distance_m;
}

static double object_at_m(const struct referee *referee, const struct habitat *h)
{
    return contest_has_object(referee->params->contest_goal)
               ? dynamics_centre_of_mass(h->runs[OBJECT].dynamics).x
               : 0;
}

/* Whether it is decided: tag by a touch, sumo by a step out of the ring, any by a body that
 * broke. */
static int is_decided(const struct referee *referee, const struct habitat *h,
                      const double distances_m[2])
{
    const struct params *p = referee->params;
    double most_m = det_max(distances_m[0], distances_m[1]);
    return !h->runs[0].is_live || !h->runs[1].is_live ||
           (p->contest_goal == CONTEST_TAG && referee->result->sides[0].touched_s >= 0) ||
           (p->contest_goal == CONTEST_SUMO && most_m > p->contest_ring_m);
}

static int watch(void *context, const struct habitat *h)
{
    struct referee *referee = context;
    struct contest_result *result = referee->result;
    double time_s = det_max(h->runs[0].time_s, h->runs[1].time_s), distances_m[2];
    int bodies = contest_has_object(referee->params->contest_goal) ? CONTEST_BODIES : 2;
    for (int i = 0; i < bodies && !referee->has_begun; i++)
        if (!h->runs[i].is_live) /* a creature that did not get to its start has lost */
            return 1;
    for (int i = 0; i < 2; i++)
        distances_m[i] = distance_of_side(referee, h, i, time_s);
    if (!referee->has_begun)
        referee->object_start_m = object_at_m(referee, h);
    referee->has_begun = 1;
    result->time_s = time_s;
    result->object_way_m = object_at_m(referee, h) - referee->object_start_m;
    int is_over = is_decided(referee, h, distances_m);
    int is_last = time_s > referee->params->simulation_duration_s - CONTEST_LAST_S + 1e-9;
    if (is_over) { /* the present state counts */
        referee->last_ticks = 0;
        referee->sums_m[0] = referee->sums_m[1] = 0;
    }
    referee->last_ticks += is_over || is_last;
    for (int i = 0; i < 2; i++) {
        referee->sums_m[i] += is_over || is_last ? distances_m[i] : 0;
        result->sides[i].distance_m =
            referee->last_ticks ? referee->sums_m[i] / referee->last_ticks : distances_m[i];
    }
    return is_over;
}

/* ---------------------------------------------------------------- the contest */

/* The object has no guards: whatever it does is the creatures' doing. */
static void make_thing_params(const struct params *params, struct params *thing)
{
    *thing = *params;
    thing->creature_parts_min = 1;
    thing->guard_speed_m_s = thing->guard_turn_rad = thing->guard_penetration_m = 0;
    thing->guard_energy_share = thing->guard_momentum_share = 0;
}

static struct genome make_object(int kind, int goal, struct body_gene *body)
{
    *body = (struct body_gene){.id = 1,
                               .width_m = CONTEST_CUBE_M,
                               .height_m = CONTEST_CUBE_M,
                               .joint = JOINT_RIGID,
                               .is_round = goal == CONTEST_BALL,
                               .recursive_limit = 1};
    body->box.depth_m = CONTEST_CUBE_M; /* unused in the plane */
    return (struct genome){.root = 1, .kind = (uint8_t)kind, .bodies = body, .body_count = 1};
}

/* An order of genomes that is the same everywhere. */
static int is_after(const struct genome *a, const struct genome *b)
{
    return genome_hash(a) > genome_hash(b);
}

void evaluate_contest(const struct genome *const genomes[2], const struct params *params,
                      const struct contest_bout *bout, struct arena *arena,
                      evaluate_observer *observer, void *context, struct contest_result *result)
{
    struct params thing_params;
    struct body_gene body;
    struct genome object = make_object(genomes[0]->kind, params->contest_goal, &body);
    struct evaluation evaluations[CONTEST_BODIES];
    struct evaluate_task tasks[CONTEST_BODIES];
    struct referee referee = {.params = params, .result = result};
    /* With sides exchanged all is the mirror image: the same bodies in the same order. */
    int is_mirror_image = is_after(genomes[0], genomes[1]);
    struct habitat h = {.first_thing = OBJECT,
                        .thing_params = &thing_params,
                        .has_second_first = is_mirror_image,
                        .watch = watch,
                        .referee = &referee};
    struct run like = {.params = params, .observer = observer, .context = context};
    int count = contest_has_object(params->contest_goal) ? CONTEST_BODIES : 2;
    int is_tag = params->contest_goal == CONTEST_TAG;

    make_thing_params(params, &thing_params);
    for (int i = 0; i < 2; i++)
        tasks[i] = (struct evaluate_task){.genome = genomes[i],
                                          .seed = bout->seed,
                                          .stance = {.side = i ? 1 : -1,
                                                     .is_mirrored = i == 1,
                                                     .heading_rad = bout->heading_rad,
                                                     .line_m = bout->line_m,
                                                     .pursuit = is_tag ? 1 - 2 * i : 0}};
    tasks[OBJECT] = (struct evaluate_task){.genome = &object,
                                           .seed = bout->seed,
                                           .stance = {.is_mirrored = is_mirror_image},
                                           .may_rest = body.is_round == 0};
    *result = (struct contest_result){.digest = HASH_START};
    result->sides[0].touched_s = result->sides[1].touched_s = -1;
    evaluate_habitat(&h, tasks, count, &like, arena, evaluations);
    for (int i = 0; i < count; i++) {
        result->digest = hash_u64(result->digest, evaluations[i].digest);
        result->work += evaluations[i].work;
        result->arena_bytes = evaluations[i].arena_bytes;
    }
    for (int i = 0; i < 2; i++) {
        result->sides[i].verdict = evaluations[i].verdict;
        result->sides[i].digest = evaluations[i].digest;
        result->sides[i].measures = evaluations[i].measures;
    }
    for (int i = 0; i < 2; i++) /* of a body that broke */
        if (!isfinite(result->sides[i].distance_m))
            result->sides[i].distance_m = result->sides[i].start_m;
    result->object_way_m = isfinite(result->object_way_m) ? result->object_way_m : 0;
    contest_judge(params, result);
}

/* ---------------------------------------------------------------- pairs */

static const struct evaluate_onlooker no_onlooker;

int contest_first(const struct genome *const genomes[2], const struct contest_bout *bout)
{
    ENSURE(bout->is_exchanged == 0 || bout->is_exchanged == 1, "exchanged %d times",
           bout->is_exchanged);
    return is_after(genomes[0], genomes[1]) ^ bout->is_exchanged;
}

/* The sides of the result are in the order of the genomes, the object's way is to the second one's
 * side. */
static void evaluate_bout(const struct genome *const genomes[2], const struct params *params,
                          const struct contest_bout *bout, struct arena *arena,
                          const struct evaluate_onlooker *onlooker, struct contest_result *result)
{
    int first = contest_first(genomes, bout);
    const struct genome *placed[2] = {genomes[first], genomes[!first]};
    evaluate_contest(placed, params, bout, arena, onlooker->observe, onlooker->context, result);
    if (first) {
        struct contest_side side = result->sides[0];
        result->sides[0] = result->sides[1];
        result->sides[1] = side;
        result->object_way_m = 0 - result->object_way_m;
    }
}

static int moves_alike(const struct genome *const genomes[2], const struct params *params,
                       struct arena *arena)
{
    const struct trial trial = {0};
    struct phenotype_key keys[2];
    for (int i = 0; i < 2; i++)
        if (phenotype_key_grow(&keys[i], genomes[i], params, &trial, 0, arena) != 0)
            return 0;
    return phenotype_key_is_equal(&keys[0], &keys[1]);
}

void evaluate_pair(const struct genome *const genomes[2], const struct params *params,
                   struct arena *arena, struct contest_pair *pair)
{
    *pair = (struct contest_pair){.digest = HASH_START,
                                  .is_equal = moves_alike(genomes, params, arena)};
    for (int i = 0; i < CONTEST_BOUTS; i++)
        pair->bouts[i] =
            contest_make_bout(genomes[0]->kind, params, (uint64_t)params->run_seed, i + 1);
    for (int i = 0; i < CONTEST_BOUTS && !pair->is_equal; i++) {
        evaluate_bout(genomes, params, &pair->bouts[i], arena, &no_onlooker, &pair->results[i]);
        pair->margin += pair->results[i].sides[0].margin / CONTEST_BOUTS;
        pair->digest = hash_u64(pair->digest, pair->results[i].digest);
    }
}

/* ---------------------------------------------------------------- tasks */

static void evaluate_rivals(const struct evaluate_order *order, struct params *params,
                            const struct evaluate_onlooker *onlooker, struct arena *arena,
                            struct evaluation results[2])
{
    struct contest_result own, *result = order->contest ? order->contest : &own;
    contest_apply(params);
    struct contest_bout bout = order->bout ? *order->bout
                                           : contest_make_bout(order->genomes[0]->kind, params,
                                                               order->seed, order->trial->bout);
    evaluate_bout(order->genomes, params, &bout, arena, onlooker, result);
    for (int i = 0; i < 2; i++)
        results[i] = (struct evaluation){.verdict = result->sides[i].verdict,
                                         .measures = result->sides[i].measures,
                                         .digest = result->digest,
                                         .arena_bytes = result->arena_bytes,
                                         .work = result->work};
}

void evaluate_list(const struct evaluate_order *order, const struct evaluate_onlooker *onlooker,
                   struct arena *arena, struct evaluation *results)
{
    struct params params = *order->params;
    onlooker = onlooker ? onlooker : &no_onlooker;
    if (order->trial)
        trial_apply(order->trial, &params);
    if (order->count == 2) {
        evaluate_rivals(order, &params, onlooker, arena, results);
        return;
    }
    struct evaluate_task task = {.genome = order->genomes[0], .seed = order->seed};
    struct habitat habitat = {.first_thing = INT_MAX};
    struct run like = {.params = &params,
                       .edit = onlooker->edit,
                       .observer = onlooker->observe,
                       .context = onlooker->context};
    evaluate_habitat(&habitat, &task, 1, &like, arena, results);
}

int evaluate_list_check(const struct evaluate_order *order, struct error *error)
{
    int is_contest = order->bout || (order->trial && order->trial->bout > 0);
    if (is_contest != (order->count == 2) || order->count < 1)
        return error_set(error, ERR_RANGE, "a trial of %d creatures, which is%s a contest",
                         order->count, is_contest ? "" : " not");
    return is_contest ? contest_check(order->genomes[0], order->genomes[1], order->params, error)
                      : 0;
}

void evaluate(const struct genome *genome, const struct params *params, uint64_t seed,
              struct arena *arena, evaluate_observer *observe, void *context,
              struct evaluation *result)
{
    const struct evaluate_order order = {
        .genomes = &genome, .count = 1, .params = params, .seed = seed};
    evaluate_list(&order, &(struct evaluate_onlooker){NULL, observe, context}, arena, result);
}

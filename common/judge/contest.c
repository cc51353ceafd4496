/* See contest.h. */
#include "common/judge/contest.h"

#include <math.h>

#include "common/genome/body_kind.h"
#include "common/genome/genome.h"
#include "common/math/detmath.h"

const char *const contest_goal_names[CONTEST_GOAL_COUNT] = {"cube", "push", "tag", "sumo", "ball"};

int contest_has_object(int goal)
{
    ENSURE(goal >= 0 && goal < CONTEST_GOAL_COUNT, "goal %d", goal);
    return goal != CONTEST_TAG && goal != CONTEST_SUMO;
}

void contest_apply(struct params *params)
{
    params->sensor_other = params->sensor_object = !params->contest_dark;
    params->light_kind = LIGHT_NONE;
    params->guard_motionless_s = 0;
    params->guard_hopeless_m_s = params->guard_hopeless_sizes_s = 0;
}

int contest_check(const struct genome *a, const struct genome *b, const struct params *params,
                  struct error *error)
{
    const char *goal = contest_goal_names[params->contest_goal];
    const struct genome *both[2] = {a, b};
    for (int i = 0; i < 2; i++)
        if (!body_kinds[both[i]->kind].can_contend)
            return error_set(error, ERR_USAGE, "there are no contests of %s",
                             body_kinds[both[i]->kind].name);
    if (a->kind != b->kind)
        return error_set(error, ERR_USAGE, "%s and %s do not meet: contests are of like with like",
                         body_kinds[a->kind].name, body_kinds[b->kind].name);
    if (contest_has_object(params->contest_goal) && params->contest_line_m < CONTEST_CUBE_M)
        return error_set(error, ERR_USAGE,
                         "contest.line_m %g: with contest.goal = %s the line is at %g m or more, "
                         "beside the object",
                         params->contest_line_m, goal, CONTEST_CUBE_M);
    if (params->contest_goal == CONTEST_BALL && !body_kinds[a->kind].is_flat &&
        (params->world_viscosity_pa_s_m > 0 || params->world_quadratic_drag_kg_m3 > 0))
        return error_set(error, ERR_USAGE,
                         "contest.goal = ball is not of boxes in a medium: the "
                         "drag of a ball is not known");
    if (params->world_ground && params->world_relief_m > 0)
        return error_set(error, ERR_USAGE, "a contest is on level ground: world.relief_m = 0");
    if (params->simulation_until != UNTIL_TIME)
        return error_set(error, ERR_USAGE, "a contest has simulation.until = time");
    return params_check_meeting(params, error);
}

struct contest_bout contest_make_bout(int body_kind, const struct params *params, uint64_t seed,
                                      int number)
{
    ENSURE(number > 0, "bout %d", number);
    int is_flat = body_kinds[body_kind].is_flat;
    int is_exchanged = number % 2 == 0 && (is_flat || params->contest_goal == CONTEST_TAG);
    struct contest_bout bout = {seed, is_exchanged, DET_PI / 2, params->contest_line_m};
    struct rng rng;
    rng_init(&rng, seed, RNG_CONTEST, 0, (uint64_t)(number > 2 ? number - 2 : 0));
    if (number > 1)
        bout.heading_rad = rng_uniform(&rng, 0, 2 * DET_PI);
    if (params->simulation_perturbation > 0) {
        rng_init(&rng, seed, RNG_PERTURBATION, 2, (uint64_t)params->simulation_perturbation);
        bout.line_m *= 1 + rng_uniform(&rng, 0, params->exam_line_share);
        bout.heading_rad += rng_uniform(&rng, 0, 2 * DET_PI);
    }
    if (is_flat)
        bout.heading_rad = 0;
    return bout;
}

/* ---------------------------------------------------------------- margins */

static double share_of(double gain, double whole)
{
    return whole > 0 ? gain / whole : 0;
}

/* The margin of the first side. A side that stays away does not win. */
static double judge_cube(const struct contest_side sides[2])
{
    double margin = share_of(sides[1].distance_m - sides[0].distance_m,
                             sides[0].distance_m + sides[1].distance_m);
    const struct contest_side *nearer = &sides[margin < 0];
    return nearer->least_m < CONTEST_NEAR_SHARE * nearer->start_m ? margin : 0;
}

static double judge_push(const struct contest_result *result)
{
    return share_of(result->object_way_m, fabs(result->object_way_m) + CONTEST_CUBE_M);
}

/* The first one hunts: it wins by a touch, by more the sooner, and else loses, by more the farther
 * away it ends. */
static double judge_tag(const struct contest_side *hunter, double duration_s)
{
    double away = share_of(hunter->distance_m, hunter->distance_m + hunter->start_m);
    return hunter->touched_s < 0 ? 0 - away : 1 - share_of(hunter->touched_s, duration_s);
}

/* A creature that is out of the ring loses by 1. Else the one nearer to the middle wins. */
static double judge_sumo(const struct contest_side sides[2], double ring_m)
{
    double gap = share_of(sides[1].distance_m - sides[0].distance_m, ring_m);
    int is_out[2] = {sides[0].distance_m > ring_m, sides[1].distance_m > ring_m};
    return is_out[0] || is_out[1] ? is_out[1] - is_out[0] : det_min(det_max(gap, -1), 1);
}

static double judge_fair(const struct params *params, const struct contest_result *result)
{
    switch (params->contest_goal) {
    case CONTEST_CUBE:
        return judge_cube(result->sides);
    case CONTEST_PUSH:
    case CONTEST_BALL:
        return judge_push(result);
    case CONTEST_TAG:
        return judge_tag(&result->sides[0], params->simulation_duration_s);
    default:
        return judge_sumo(result->sides, params->contest_ring_m);
    }
}

/* The one that is hunted gains nothing by coming near. */
static void fill_measures(struct contest_side *side, int is_spoiled, int is_hunter)
{
    struct measures *measures = &side->measures;
    double approach = share_of(side->start_m - side->least_m, side->start_m);
    measures->contests = 1;
    measures->contest_margin = is_spoiled ? -1 : side->margin;
    measures->contest_won = side->margin > 0;
    measures->contest_touched = side->touched_s >= 0;
    measures->contest_approach = is_hunter ? det_max(approach, measures->contest_touched) : 0;
    ENSURE(measures_find_fault(measures) < 0, "measure %d is out of bounds",
           measures_find_fault(measures));
}

void contest_judge(const struct params *params, struct contest_result *result)
{
    struct contest_side *sides = result->sides;
    int is_spoiled[2] = {!verdict_is_scored(sides[0].verdict),
                         !verdict_is_scored(sides[1].verdict)};
    double margin = is_spoiled[0] || is_spoiled[1]
                        ? CONTEST_WALKOVER * (is_spoiled[1] - is_spoiled[0])
                        : judge_fair(params, result);
    sides[0].margin = margin;
    sides[1].margin = 0 - margin;
    for (int i = 0; i < 2; i++) {
        int is_hunter = i == 0 || params->contest_goal != CONTEST_TAG;
        fill_measures(&sides[i], is_spoiled[i], is_hunter);
    }
}

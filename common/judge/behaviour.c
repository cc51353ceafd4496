/* Fitness of the behaviours. Pure arithmetic on the measures; see docs/evolution.md for the reasons
 * behind each formula. A new behaviour is one row here, one name in the parameter table. */
#include "common/judge/behaviour.h"

#include <math.h>
#include <stdio.h>

#include "common/math/detmath.h"
#include "common/judge/expression.h"

/* A creature that falls off its platform before this time fails to hop. */
#define HOP_LEAST_S 5

/* The size in which walkers are measured: they may start folded. Measures of old versions have the
 * size at the start alone. */
static double size_of_walker(const struct measures *measures, const struct params *params)
{
    /* Not fmax(), which would hide a size that is not a number. */
    double size = measures->size_max_m > 0 ? measures->size_max_m : measures->size_m;

    return size < params->fitness_size_floor_m ? params->fitness_size_floor_m : size;
}

/* Height that the centre of mass lost, m. */
static double height_lost(const struct measures *measures)
{
    /* Not fmax(), see above. */
    return measures->way_y_m > 0 ? 0 : -measures->way_y_m;
}

/* Distance in body lengths beyond the half that merely falling over could bring. */
static double fitness_walk(const struct measures *measures, const struct params *params)
{
    double size = size_of_walker(measures, params);
    return (measures->distance_m - size / 2) / size;
}

/* The share of a score that a body keeps which goes tail first; 1 where that is free. */
static double share_ahead(const struct measures *measures, const struct params *params)
{
    return 1 - params->fitness_ahead * (1 - measures->head_first) / 2;
}

/* With x = d/s walking is worth x - 1/2. x^2 / (x + 1/2) is x - 1/2 too, for large x, and above 0
 * wherever something moves: of random bodies two of three that live move by less than half their
 * length, and there is something to climb. Slides, and lying on the belly, count less. */
static double fitness_stride(const struct measures *measures, const struct params *params)
{
    double slip = measures->slip_share > 1 ? 1 : measures->slip_share;
    double way = measures->distance_m / size_of_walker(measures, params);
    return way * way / (way + 0.5) * (1 - params->fitness_slip_weight * slip) *
           (1 - params->fitness_belly_weight * measures->belly_share) *
           share_ahead(measures, params);
}

static double way_walk(const struct measures *measures, const struct params *params)
{
    return measures->distance_m / size_of_walker(measures, params);
}

static void explain_walk(const struct measures *measures, const struct params *params, char *words)
{
    snprintf(words, BEHAVIOUR_WORDS_SIZE, "moved %.3g m: no more than half its length of %.3g m",
             measures->distance_m, size_of_walker(measures, params));
}

static void explain_stride(const struct measures *measures, const struct params *params,
                           char *words)
{
    if (measures->distance_m > 0)
        snprintf(words, BEHAVIOUR_WORDS_SIZE,
                 "slipped by %.2g of its way, and bore %.2g of its load on its belly",
                 measures->slip_share, measures->belly_share);
    else
        explain_walk(measures, params, words);
}

/* The lowest point rises where a long leg is pulled up in a fall, too, and the centre of mass where
 * a creature gets up: a jump raises both. fmin() would hide what is not a number. */
static double fitness_jump(const struct measures *measures, const struct params *params)
{
    double lowest_m = measures->lowest_max_m - measures->lowest_start_m;
    double centre_m = measures->height_max_m - measures->height_start_m;
    return centre_m < lowest_m || isnan(centre_m) ? centre_m : lowest_m;
}

static void explain_jump(const struct measures *measures, const struct params *params, char *words)
{
    snprintf(words, BEHAVIOUR_WORDS_SIZE, "its %s never rose above where it was at the start",
             measures->lowest_max_m > measures->lowest_start_m ? "centre of mass" : "lowest point");
}

static double weakest_window(const struct measures *measures)
{
    double weakest = HUGE_VAL;
    for (int k = 0; k < MEASURE_WINDOWS; k++)
        weakest = det_min(weakest, measures_get(measures, MEASURE_window_1_m + k));
    return weakest;
}

/* Half of it is the progress p_k weighted by w_k = 2 k / (K + 1), k = 1 .. K (rising linearly, mean
 * 1), half is K times the weakest window. Steady motion over D gives p_k = D / K, hence D / 2 + D /
 * 2 = D: the straight distance. One push followed by drift has a weak last window and low
 * weights. */
static double steady_progress(const struct measures *measures)
{
    double weighted = 0;
    for (int k = 1; k <= MEASURE_WINDOWS; k++)
        weighted +=
            2.0 * k / (MEASURE_WINDOWS + 1) * measures_get(measures, MEASURE_window_1_m + k - 1);
    return 0.5 * weighted + 0.5 * MEASURE_WINDOWS * weakest_window(measures);
}

static double fitness_swim(const struct measures *measures, const struct params *params)
{
    return steady_progress(measures) * share_ahead(measures, params);
}

static void explain_swim(const struct measures *measures, const struct params *params, char *words)
{
    snprintf(words, BEHAVIOUR_WORDS_SIZE,
             "got %.3g m away, but %.3g m nearer to its end in its worst eighth of the time",
             measures->displacement_m, weakest_window(measures));
}

static double way_swim(const struct measures *measures, const struct params *params)
{
    return measures->displacement_m;
}

/* Progress as in swimming, times the muscles' share of the energy spent: a glider pays with the
 * height it starts at. A creature that neither works nor falls does not fly. */
static double fitness_fly(const struct measures *measures, const struct params *params)
{
    double spent_j = measures->work_in_j +
                     measures->mass_kg * params->world_gravity_m_s2 * height_lost(measures);
    if (spent_j == 0)
        return 0;
    return steady_progress(measures) * measures->work_in_j / spent_j;
}

static void explain_fly(const struct measures *measures, const struct params *params, char *words)
{
    if (measures->work_in_j > 0)
        explain_swim(measures, params, words);
    else
        snprintf(words, BEHAVIOUR_WORDS_SIZE, "its muscles did no work");
}

static double fitness_seek(const struct measures *measures, const struct params *params)
{
    return measures->follow_share;
}

/* The rise of the head: a body born as a pole gains nothing. */
static double fitness_head_up(const struct measures *measures, const struct params *params)
{
    return measures->head_mean_m - measures->head_start_m;
}

/* Mean clearance: standing tall, stretching and raising arms gain nothing, trembling next to
 * nothing, and a creature that leaves the ground for a moment has begun. After a fall it counts as
 * standing. */
static double fitness_hop(const struct measures *measures, const struct params *params)
{
    int is_failed = measures->fell > 0 && measures->time_s < HOP_LEAST_S;
    return is_failed
               ? 0
               : measures->clearance_mean_m * measures->time_s / params->simulation_duration_s;
}

static void explain_hop(const struct measures *measures, const struct params *params, char *words)
{
    if (measures->fell > 0)
        snprintf(words, BEHAVIOUR_WORDS_SIZE, "fell off after %.3g s", measures->time_s);
    else
        snprintf(words, BEHAVIOUR_WORDS_SIZE, "something of it touched the ground all the time");
}

/* A creature that ends beyond the last place with a floor below is leaving, though it has not
 * fallen yet. */
static double fitness_platform(const struct measures *measures, const struct params *params)
{
    int is_leaving = measures->distance_m > measures->reach_m;
    return measures->fell > 0 || is_leaving ? 0 : measures->reach_m;
}

static void explain_platform(const struct measures *measures, const struct params *params,
                             char *words)
{
    snprintf(words, BEHAVIOUR_WORDS_SIZE, "%s",
             measures->fell > 0      ? "fell off"
             : measures->reach_m > 0 ? "ended beyond the last place with a floor below"
                                     : "did not get away from where it started");
}

static double fitness_custom(const struct measures *measures, const struct params *params)
{
    return expression_evaluate(params->fitness_expression, measures);
}

static void explain_custom(const struct measures *measures, const struct params *params,
                           char *words)
{
    double value = fitness_custom(measures, params);
    if (isfinite(value))
        snprintf(words, BEHAVIOUR_WORDS_SIZE, "fitness.expression is %.3g", value);
    else
        snprintf(words, BEHAVIOUR_WORDS_SIZE, "fitness.expression is not a finite number");
}

/* All are equal before the choice, and creatures of a preserve are not judged; disqualified
 * creatures get 0. */
static double fitness_interactive(const struct measures *measures, const struct params *params)
{
    return 1;
}

/* The worth of closeness beside a margin, which is at most 1. A creature that touches has all of
 * it. */
#define CONTEST_APPROACH_WEIGHT 0.2

/* Above 0 for a side that loses by less than everything, so that there is something to climb. */
static double fitness_contest(const struct measures *measures, const struct params *params)
{
    return measures->contests > 0
               ? 1 + measures->contest_margin + CONTEST_APPROACH_WEIGHT * measures->contest_approach
               : 0;
}

const struct behaviour_info behaviours[BEHAVIOUR_COUNT] = {
    [BEHAVIOUR_WALK] = {"walk",
                        "max(0, distance_m - size / 2) / size, size = max(size_max_m, size floor)",
                        "proposal 1995, scaled by size", fitness_walk, .explain = explain_walk,
                        .way = way_walk, .is_way_in_sizes = 1, .has_direction = 1},
    [BEHAVIOUR_JUMP] = {"jump",
                        "max(0, min(lowest_max_m - lowest_start_m, height_max_m - height_start_m))",
                        "proposal 1995, of the whole body", fitness_jump, .explain = explain_jump},
    [BEHAVIOUR_SWIM] = {"swim",
                        "max(0, sum over windows k of (k / 9) p_k + 4 min over k of p_k), times "
                        "(1 - ahead (1 - head_first) / 2)",
                        "proposal 1995, consistent motion rewarded", fitness_swim,
                        .explain = explain_swim, .way = way_swim, .has_direction = 1},
    [BEHAVIOUR_FLY] = {"fly",
                       "as swim, with horizontal progress, until it lands, by the share of muscles "
                       "in what was spent",
                       "proposal 1995, extension", fitness_fly, .explain = explain_fly,
                       .has_direction = 1},
    [BEHAVIOUR_SEEK] = {"seek", "max(0, follow_share); 0 if motionless",
                        "proposal 1995; Sims 1994, mean over several lights", fitness_seek,
                        .is_zero_at_rest = 1,
                        .words =
                            "on average it was no nearer to the light than a body that stays put"},
    [BEHAVIOUR_HEAD_UP] = {"head-up", "max(0, head_mean_m - head_start_m)", "First Life, raised",
                           fitness_head_up,
                           .words = "its head was on average at %.3g m, and at %.3g m at the start",
                           .told = {MEASURE_head_mean_m, MEASURE_head_start_m}},
    [BEHAVIOUR_HOP] = {"hop", "clearance_mean_m time_s / duration; 0 if it falls off within 5 s",
                       "First Life, in the air", fitness_hop, .explain = explain_hop},
    [BEHAVIOUR_PLATFORM] = {"platform", "reach_m; 0 if it falls off or ends beyond it",
                            "First Life", fitness_platform, .explain = explain_platform},
    [BEHAVIOUR_STRIDE] = {"stride",
                          "x^2 / (x + 1/2), x = distance / size, times "
                          "(1 - slip_weight min(1, slip_share)) (1 - belly_weight belly_share) "
                          "(1 - ahead (1 - head_first) / 2)",
                          "walk, on legs", fitness_stride, .explain = explain_stride,
                          .way = way_walk, .is_way_in_sizes = 1, .has_direction = 1},
    [BEHAVIOUR_CUSTOM] = {"custom", "max(0, fitness.expression)", "the user", fitness_custom,
                          .explain = explain_custom},
    [BEHAVIOUR_INTERACTIVE] = {"interactive", "1; parents are chosen by hand", "Dawkins 1986",
                               fitness_interactive, .words = ""},
    [BEHAVIOUR_CONTEST] = {"contest", "1 + contest_margin + 0.2 contest_approach",
                           "Sims 1994b, by margin", fitness_contest,
                           .words =
                               "it lost all of its %.0f contests by everything, and came no nearer",
                           .told = {MEASURE_contests}},
    [BEHAVIOUR_PRESERVE] = {"preserve", "1; creatures that eat enough breed",
                            "proposal 1995, a closed world", fitness_interactive, .words = ""},
};

static int is_scored(int verdict, const struct params *params)
{
    return verdict_is_scored(verdict) && !(verdict == VERDICT_MOTIONLESS &&
                                           behaviours[params->evolution_behaviour].is_zero_at_rest);
}

double behaviour_fitness(int verdict, const struct measures *measures, const struct params *params)
{
    ENSURE(params->evolution_behaviour >= 0 && params->evolution_behaviour < BEHAVIOUR_COUNT,
           "behaviour %d", (int)params->evolution_behaviour);
    double fitness;

    if (!is_scored(verdict, params))
        return 0;
    fitness = behaviours[params->evolution_behaviour].fitness(measures, params);
    return isfinite(fitness) && fitness > 0 ? fitness : 0;
}

int behaviour_explain_zero(int verdict, const struct measures *measures,
                           const struct params *params, char words[BEHAVIOUR_WORDS_SIZE])
{
    words[0] = 0;
    if (behaviour_fitness(verdict, measures, params) > 0)
        return 0;
    const struct behaviour_info *behaviour = &behaviours[params->evolution_behaviour];
    if (is_scored(verdict, params) && behaviour->explain)
        behaviour->explain(measures, params, words);
    else if (is_scored(verdict, params))
        snprintf(words, BEHAVIOUR_WORDS_SIZE, behaviour->words,
                 measures_get(measures, behaviour->told[0]),
                 measures_get(measures, behaviour->told[1]));
    else
        snprintf(words, BEHAVIOUR_WORDS_SIZE, "its verdict, %s, has no score",
                 verdict_name(verdict));
    return 1;
}

int behaviour_is_defined(const struct measures *measures, const struct params *params)
{
    return isfinite(behaviours[params->evolution_behaviour].fitness(measures, params));
}

int behaviour_can_record(double fitness, double own, const struct params *params)
{
    ENSURE(own >= 0, "a fitness of %g", own);
    int is_tried =
        params->guard_score != SCORE_OWN && (fitness <= own || params->guard_score == SCORE_MEAN);
    int is_refused = fitness == 0 && params->guard_perturbed_runs + params->guard_fine_runs > 0;

    return fitness == own || is_refused || (fitness > 0 && is_tried);
}

double behaviour_apart_rad(const struct measures *one, const struct measures *other,
                           const struct params *params)
{
    int is_falling = params->world_gravity_m_s2 > 0;
    double ax = one->way_x_m, ay = is_falling ? 0 : one->way_y_m, az = one->way_z_m;
    double bx = other->way_x_m, by = is_falling ? 0 : other->way_y_m, bz = other->way_z_m;
    double x = ay * bz - az * by, y = az * bx - ax * bz, z = ax * by - ay * bx;
    if (!behaviours[params->evolution_behaviour].has_direction)
        return 0;
    return det_atan2(sqrt(x * x + y * y + z * z), ax * bx + ay * by + az * bz);
}

int behaviour_check_params(const struct params *params, struct error *error)
{
    int is_custom = params->evolution_behaviour == BEHAVIOUR_CUSTOM;
    int status;
    if (!*params->fitness_expression)
        return !is_custom
                   ? 0
                   : error_set(error, ERR_RANGE,
                               "fitness.expression is empty, but evolution.behaviour is custom");
    status = expression_check(params->fitness_expression, error);
    return status ? error_prefix(error, "fitness.expression") : 0;
}

int behaviour_check_use(const struct params *params, struct error *error)
{
    if (!*params->fitness_expression || params->evolution_behaviour == BEHAVIOUR_CUSTOM)
        return 0;
    return error_set(error, ERR_RANGE,
                     "fitness.expression is ignored: evolution.behaviour is %s; make that custom, "
                     "or leave the expression out",
                     behaviours[params->evolution_behaviour].name);
}

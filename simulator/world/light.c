/* See light.h. Streams: RNG_LIGHT of the evaluation's seed; for the generation the number of the
 * perturbation, individual 0 for the order of the directions, 1 + trial for distance and drift. */
#include "simulator/world/light.h"

#include <math.h>

#include "common/math/detmath.h"
#include "common/math/rng.h"

/* The golden angle. */
#define GOLDEN_RAD 2.399963229728653

static void init_stream(struct rng *rng, const struct light *light, uint64_t individual)
{
    rng_init(rng, light->seed, RNG_LIGHT, (uint32_t)light->params->simulation_perturbation,
             individual);
}

static void draw_order(struct light *light)
{
    struct rng rng;
    init_stream(&rng, light, 0);
    light->first_rad = rng_uniform(&rng, 0, 2 * DET_PI);
    for (int i = 0; i < light->trial_count; i++) {
        int j = (int)rng_below(&rng, (uint32_t)i + 1);
        light->order[i] = light->order[j];
        light->order[j] = (unsigned char)i;
    }
}

void light_init(struct light *light, const struct params *params, uint64_t seed)
{
    *light = (struct light){.kind = params->light_kind,
                            .brightness = params->light_brightness,
                            .params = params,
                            .seed = seed,
                            .has_ground = params->world_ground,
                            .trial = -1,
                            .trial_count = 1};
    if (light->kind == LIGHT_MOVING) {
        light->trial_count = (int)params->light_trials;
        ENSURE(light->trial_count > 0 && light->trial_count <= LIGHT_TRIALS_MAX, "%d trials",
               light->trial_count);
        draw_order(light);
    }
}

/* Closes the account of the present trial. */
static double trial_share(const struct light *light)
{
    if (!(light->still_sum > 0))
        return 0;
    return det_max(1 - light->distance_sum / light->still_sum, -1);
}

/* A unit vector; without a ground its height is drawn from the stream, or given. */
static struct vec3 direction_of(double heading_rad, double height)
{
    double s, c, level = sqrt(1 - height * height);
    det_sincos(heading_rad, &s, &c);
    return (struct vec3){level * c, height, level * s};
}

/* Over a sphere the trials' directions are spread along a spiral, over a circle evenly. */
static void place_around(struct light *light, struct vec3 centre, double away, double speed,
                         double heading, struct rng *rng)
{
    ENSURE(light->trial >= 0 && light->trial < light->trial_count, "trial %d of %d", light->trial,
           light->trial_count);
    int turn = light->order[light->trial], count = light->trial_count,
        has_ground = light->has_ground;
    double step = has_ground ? 2 * DET_PI / count : GOLDEN_RAD;
    double height = has_ground ? 0 : 1 - (2.0 * turn + 1) / count;
    double drift_height = has_ground ? 0 : rng_uniform(rng, -1, 1);
    struct vec3 way = direction_of(light->first_rad + step * turn, height);
    light->at = vec3_along(centre, way, away);
    if (has_ground)
        light->at.y = light->params->light_y_m;
    light->drift_m_s = vec3_scale(direction_of(heading, drift_height), speed);
}

static void place_trial(struct light *light, struct vec3 centre)
{
    const struct params *p = light->params;
    int turn = light->order[light->trial];
    struct rng rng;
    init_stream(&rng, light, 1 + (uint64_t)light->trial);
    double away = rng_uniform(&rng, 0.5, 1) * p->light_range_m;
    double speed = rng_unit(&rng) * p->light_speed_m_s;
    double heading = rng_uniform(&rng, 0, 2 * DET_PI), s, c;
    if (p->light_around) {
        place_around(light, centre, away, speed, heading, &rng);
        return;
    }
    if (light->has_ground) {
        light->at = (struct vec3){centre.x + (turn % 2 ? away : -away), p->light_y_m, 0};
        light->drift_m_s = (struct vec3){heading < DET_PI ? speed : -speed, 0, 0};
        return;
    }
    det_sincos(light->first_rad + 2 * DET_PI * turn / light->trial_count, &s, &c);
    light->at = (struct vec3){centre.x + away * c, centre.y + away * s, 0};
    det_sincos(heading, &s, &c);
    light->drift_m_s = (struct vec3){speed * c, speed * s, 0};
}

void light_move(struct light *light, double time_s, struct vec3 centre)
{
    if (light->kind == LIGHT_NONE)
        return;
    const struct params *p = light->params;
    double trial_s = p->simulation_duration_s / light->trial_count;
    int trial = (int)(time_s / trial_s + 1e-9);
    if (trial >= light->trial_count)
        trial = light->trial_count - 1;
    light->at = vec3_along(light->at, light->drift_m_s, time_s - light->moved_s);
    light->moved_s = time_s;
    if (trial == light->trial)
        return;
    light->share_sum += trial_share(light);
    light->distance_sum = light->still_sum = 0;
    light->trial = trial;
    light->trial_start = centre;
    if (light->is_held)
        return;
    if (light->kind == LIGHT_STILL)
        light->at = (struct vec3){centre.x + p->light_x_m,
                                  light->has_ground ? p->light_y_m : centre.y + p->light_y_m, 0};
    else
        place_trial(light, centre);
}

void light_hold(struct light *light, struct vec3 at)
{
    light->at = at;
    light->drift_m_s = (struct vec3){0, 0, 0};
    light->is_held = 1;
}

double light_distance(const struct light *light, struct vec3 from)
{
    struct vec3 way = vec3_sub(light->at, from);
    way.y = light->has_ground ? 0 : way.y;
    return vec3_length(way);
}

void light_measure(struct light *light, struct vec3 centre)
{
    if (light->kind == LIGHT_NONE)
        return;
    double distance = light_distance(light, centre);
    light->distance_sum += distance;
    light->still_sum += light_distance(light, light->trial_start);
    light->all_distances_sum += distance;
    light->ticks++;
}

double light_follow_share(const struct light *light)
{
    if (light->kind == LIGHT_NONE)
        return 0;
    return (light->share_sum + trial_share(light)) / light->trial_count;
}

double light_mean_distance(const struct light *light)
{
    return light->ticks ? light->all_distances_sum / (double)light->ticks : 0;
}

/* A source of light that creatures may sense and follow.
 *
 * `still`: one place for the whole time. `moving`: the scored time is shared by trials; at the
 * start of each the light appears at a new place around the creature, then drifts. The places of a
 * run's trials are spread evenly over the directions (over both sides where there is a ground), in
 * an order drawn from the evaluation's seed, so that a creature that always goes one way gains
 * nothing. Each of the referee's perturbed runs has places of its own, so that no creature gains by
 * learning them by heart.
 *
 * The light stays in the plane z = 0, beside which creatures in three dimensions may be; unless
 * light.around is on: then its places and ways are spread over all directions, along the ground
 * where there is one. */
#ifndef SIMULATOR_WORLD_LIGHT_H
#define SIMULATOR_WORLD_LIGHT_H

#include <stdint.h>

#include "common/growth/phenotype.h"
#include "simulator/world/world.h"

#define LIGHT_TRIALS_MAX 100 /* the upper bound of light.trials */

struct light {
    int kind; /* LIGHT_*; with LIGHT_NONE nothing below has a meaning */
    struct vec3 at;
    double brightness;

    const struct params *params;
    uint64_t seed;
    int has_ground;
    int trial; /* the present one; -1 before the first */
    int trial_count;
    int is_held;                           /* light_hold() was called: trials no longer move it */
    unsigned char order[LIGHT_TRIALS_MAX]; /* direction of each trial */
    double first_rad;                      /* direction number 0 */
    struct vec3 drift_m_s;
    double moved_s;
    struct vec3 trial_start; /* of the creature */

    /* sums over the ticks of the present trial and over the trials before it */
    double distance_sum, still_sum, share_sum, all_distances_sum;
    uint64_t ticks;
};

/* For a world with or without ground. */
void light_init(struct light *light, const struct params *params, uint64_t seed);
/* Where the light is `time_s` after the start, with the creature's centre of mass there. Call it in
 * order of time, first at 0. */
void light_move(struct light *light, double time_s, struct vec3 centre);
/* Puts the light at a place, where it stays from now on. */
void light_hold(struct light *light, struct vec3 at);
/* Adds a tick to the measures, after light_move(). */
void light_measure(struct light *light, struct vec3 centre);
/* Distance that counts: horizontal where there is a ground. */
double light_distance(const struct light *light, struct vec3 from);
/* Mean over all trials of 1 - (mean distance) / (mean distance from where the trial began): 0 for a
 * creature that stays, 1 for one that is with the light at once; not below -1 in any trial. A trial
 * that was not reached counts 0. */
double light_follow_share(const struct light *light);
double light_mean_distance(const struct light *light);

#endif

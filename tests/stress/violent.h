/* Violent creatures: everything a random genome may be, driven as hard as the format allows. For
 * the stress program and its tests.
 *
 * Number, world and seed alone decide what comes out. Of every eight numbers four push with
 * torques and four with servos; strengths run from a tenth of the default to thirty times it,
 * drives are square and saw-toothed waves of up to 15 Hz far beyond what the joint can follow,
 * signals are not filtered in every third creature, every fourth world bounces, every fifth
 * creature need not have settled. Guards stay as they are by default, but for the one that stops
 * what does not move: it shall run on.
 *
 * Spheres have more bones than random ones, muscles with a tenth to ten times the force and up to
 * four lengths a second, half of what rolls does so without resistance. */
#ifndef TESTS_STRESS_VIOLENT_H
#define TESTS_STRESS_VIOLENT_H

#include <math.h>

#include "common/math/detmath.h"
#include "common/genetics/genetics.h"
#include "common/genetics/genetics_random.h"

#define VIOLENT_SEED 0x76696f6c656e74ull
/* of a saw-toothed or square wave */
#define VIOLENT_FREQUENCY_MIN_HZ 0.3
#define VIOLENT_FREQUENCY_MAX_HZ 15.0

static inline double violent_log_uniform(struct rng *rng, double low, double high)
{
    return det_exp(rng_uniform(rng, det_log(low), det_log(high)));
}

/* The parameters of creature `number`; those of the world are left alone but for its elasticity. */
static inline void violent_params(struct params *params, uint64_t number)
{
    struct rng rng;
    rng_init(&rng, VIOLENT_SEED, RNG_TEST, 0, number);
    params->initial_bodies_min = 2;
    params->initial_bodies_max = 2 + (int64_t)rng_below(&rng, 7);
    params->initial_connections = rng_uniform(&rng, 1, 2);
    params->initial_side_min_m = params->creature_side_min_m;
    params->initial_side_max_m = params->creature_side_max_m;
    params->initial_effectors = 1;
    params->initial_oscillators = 1;
    params->initial_limit_max_rad = number % 3 ? 1.6 : 12;
    params->creature_parts_max = 2 + (int64_t)rng_below(&rng, 19);
    params->creature_effector_mode = number % 2 ? EFFECTOR_TORQUE : EFFECTOR_POSITION;
    params->rectangles_strength_n *= violent_log_uniform(&rng, 0.1, 30);
    params->creature_effector_filter_s *= number % 3 != 1;
    params->creature_joint_damping_1_s = rng_chance(&rng, 0.25) ? rng_uniform(&rng, 0, 5) : 0;
    if (rng_chance(&rng, 0.25))
        params->world_elasticity = rng_unit(&rng);
    params->settle_required = number % 5 != 0;
    params->guard_motionless_s = 0;

    params->spheres_initial_radius_max_m = 0.2;
    params->spheres_initial_muscles = rng_uniform(&rng, 0.2, 1);
    params->spheres_initial_braces = rng_uniform(&rng, 0, 3);
    params->spheres_initial_held = rng_unit(&rng);
    params->spheres_muscle_strength_n_m *= violent_log_uniform(&rng, 0.1, 10);
    params->spheres_drive_strength_n *= violent_log_uniform(&rng, 0.1, 10);
    params->spheres_rolling_resistance *= number % 2;
    params->spheres_spin_resistance *= number % 2;

    double strength = violent_log_uniform(&rng, 0.1, 30);
    params->boxes_strength_n_m *= strength;
    params->boxes_linear_strength_n_m2 *= strength;
}

/* Turns a drive into a wave as fast, wide and steep as it goes. */
static inline void violent_drive(struct neuron_gene *neuron, struct rng *rng)
{
    if (!genome_is_oscillator(neuron->function))
        return;
    if (rng_chance(rng, 0.5))
        neuron->function = NEURON_OSCILLATE_SAW;
    neuron->inputs[0] = (struct input_gene){
        .kind = INPUT_CONSTANT,
        .weight = 1,
        .value = violent_log_uniform(rng, VIOLENT_FREQUENCY_MIN_HZ, VIOLENT_FREQUENCY_MAX_HZ)};
    neuron->inputs[1] =
        (struct input_gene){.kind = INPUT_CONSTANT, .weight = 1, .value = rng_uniform(rng, 1, 10)};
}

/* As far and as fast as a muscle goes. */
static inline void violent_muscle(struct bone_gene *bone, struct rng *rng)
{
    if (bone->gain == 0)
        return;
    bone->gain = bone->gain < 0 ? -1 : 1;
    bone->rate_1_s = rng_uniform(rng, 1, 4);
}

/* `genome` is initialised by the call; 0 or ERR_MEMORY. `params` are those of violent_params(). */
static inline int violent_genome(struct genome *genome, const struct params *params,
                                 uint64_t number)
{
    struct gene_counter ids = {.creature = number};
    struct rng rng;
    rng_init(&rng, VIOLENT_SEED, RNG_RANDOM_GENOME, 0, number);
    int status = genetics_random(genome, params, &rng, &ids);
    for (int i = 0; status == 0 && i < genome->neuron_count; i++)
        violent_drive(&genome->neurons[i], &rng);
    for (int i = 0; status == 0 && i < genome->connection_count; i++)
        violent_muscle(&genome->connections[i].bone, &rng);
    for (int i = 0; status == 0 && i < genome->body_count; i++) {
        struct body_gene *body = &genome->bodies[i];
        if (!body->has_effector)
            continue;
        body->effector_strength = 1;
        body->effector_input.weight *= violent_log_uniform(&rng, 1, 50);
        body->effector_input.weight =
            fmin(fmax(body->effector_input.weight, -GENOME_WEIGHT_MAX), GENOME_WEIGHT_MAX);
    }
    return status;
}

#endif

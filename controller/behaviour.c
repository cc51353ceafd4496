/* Fitness of the behaviours. Pure arithmetic on the measures; see docs/evolution.md for the reasons
 * behind each formula. A new behaviour is one row here, one name in the parameter table. */
#include "controller/behaviour.h"

#include <math.h>

/* Distance in body lengths beyond the half that merely falling over could bring. */
static double fitness_walk(const struct measures *measures, const struct params *params)
{
    double size = measures->size_m;

    /* Not fmax(), which would hide a size that is not a number. */
    if (size < params->fitness_size_floor_m)
        size = params->fitness_size_floor_m;
    return (measures->distance_m - size / 2) / size;
}

static double fitness_jump(const struct measures *measures, const struct params *params)
{
    return measures->lowest_max_m - measures->lowest_start_m;
}

/* Half of it is the progress p_k weighted by w_k = 2 k / (K + 1), k = 1 .. K (rising linearly, mean
 * 1), half is K times the weakest window. Steady motion over D gives p_k = D / K, hence D / 2 + D / 2
 * = D: the straight distance. One push followed by drift has a weak last window and low weights. */
static double fitness_swim(const struct measures *measures, const struct params *params)
{
    double weighted = 0, weakest = HUGE_VAL;
    int k;

    for (k = 1; k <= MEASURE_WINDOWS; k++) {
        double progress = measures_get(measures, MEASURE_window_1_m + k - 1);

        weighted += 2.0 * k / (MEASURE_WINDOWS + 1) * progress;
        weakest = fmin(weakest, progress);
    }
    return 0.5 * weighted + 0.5 * MEASURE_WINDOWS * weakest;
}

const struct behaviour_info behaviours[BEHAVIOUR_COUNT] = {
    [BEHAVIOUR_WALK] = {"walk",
                        "max(0, distance_m - size / 2) / size, size = max(size_m, size floor)",
                        "proposal 1995, scaled by size", fitness_walk},
    [BEHAVIOUR_JUMP] = {"jump", "max(0, lowest_max_m - lowest_start_m)", "proposal 1995",
                        fitness_jump},
    [BEHAVIOUR_SWIM] = {"swim", "max(0, sum over windows k of (k / 9) p_k + 4 min over k of p_k)",
                        "proposal 1995, consistent motion rewarded", fitness_swim},
};

double behaviour_fitness(int verdict, const struct measures *measures, const struct params *params)
{
    double fitness;

    if (!verdict_is_scored(verdict))
        return 0;
    fitness = behaviours[params->evolution_behaviour].fitness(measures, params);
    return isfinite(fitness) && fitness > 0 ? fitness : 0;
}

/* The Runge-Kutta method of Dormand and Prince (1980): order 5, with an error estimate of order 4. The last
 * stage is the first of the next step. */
#ifndef SIMULATOR_REFERENCE_DORMAND_PRINCE_H
#define SIMULATOR_REFERENCE_DORMAND_PRINCE_H

#define STAGES 7

static const double stage_time[STAGES] = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
static const double stage_weight[STAGES][STAGES - 1] = {
    {0},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
static const double error_weight[STAGES] = {
    71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40};

/* What the stages weigh in the state at a share of the step, to order 4 (Hairer, Norsett and Wanner, Solving Ordinary
 * Differential Equations I, 1993, section II.6; dopri5.f). */
static inline void dormand_prince_inside(double share, double weights[STAGES])
{
    double left = share - 1, bend = share * left * share * left;
    double whole = share * share * (3 - 2 * share);
    const double bends[STAGES] = {-5 * (2558722523.0 - 31403016 * share) / 11282082432.0,
                                  0,
                                  100 * (882725551.0 - 15701508 * share) / 32700410799.0,
                                  -25 * (443332067.0 - 31403016 * share) / 1880347072.0,
                                  32805 * (23143187.0 - 3489224 * share) / 199316789632.0,
                                  -55 * (29972135.0 - 7076736 * share) / 822651844.0,
                                  10 * (7414447.0 - 829305 * share) / 29380423.0};
    for (int s = 0; s < STAGES; s++)
        weights[s] = bend * bends[s] + (s < STAGES - 1 ? whole * stage_weight[STAGES - 1][s] : 0);
    weights[0] += share * left * left;
    weights[STAGES - 1] += share * share * left;
}

#endif

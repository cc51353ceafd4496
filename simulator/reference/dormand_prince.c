/* See dormand_prince.h. */
#include "simulator/reference/dormand_prince.h"

#include <math.h>

#include "common/error.h"
#include "common/math/detmath.h"

#define STAGES DORMAND_PRINCE_STAGES
/* In a step nothing goes farther than this share of the thinnest thing, or of that length, m, if it
 * is thinner. */
#define WAY_SHARE      0.5
#define THINNEST_WAY_M 0.01

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

int dormand_prince_create(struct dormand_prince *steps, int width, int quadratures,
                          struct arena *arena)
{
    ENSURE(width > 0 && quadratures >= 0, "%d numbers, %d integrals", width, quadratures);
    steps->width = width;
    steps->y1 = arena_take(arena, (size_t)width, sizeof(double));
    steps->stage = arena_take(arena, (size_t)width, sizeof(double));
    return steps->y1 && steps->stage ? dormand_prince_extend(steps, quadratures, arena)
                                     : ERR_MEMORY;
}

int dormand_prince_extend(struct dormand_prince *steps, int quadratures, struct arena *arena)
{
    double *k[STAGES];
    for (int i = 0; i < STAGES; i++)
        if (!(k[i] = arena_take(arena, (size_t)(steps->width + quadratures), sizeof(double))))
            return ERR_MEMORY;
    for (int i = 0; i < STAGES; i++)
        steps->k[i] = k[i];
    return 0;
}

double dormand_prince_try(struct dormand_prince *steps, const double *y, double ahead, double h)
{
    ENSURE(steps->rtol > 0 && steps->derive, "steps of tolerance %g", steps->rtol);
    double worst = 0;
    for (int s = 1; s < STAGES; s++) {
        double *to = s == STAGES - 1 ? steps->y1 : steps->stage;
        for (int i = 0; i < steps->width; i++) {
            double sum = 0;
            for (int j = 0; j < s; j++)
                sum += stage_weight[s][j] * steps->k[j][i];
            to[i] = y[i] + h * sum;
        }
        steps->derive(steps->system, to, ahead + stage_time[s] * h, steps->k[s]);
    }
    for (int i = 0; i < steps->width; i++) {
        double error = 0, size = det_max(1, fabs(steps->y1[i]));
        for (int s = 0; s < STAGES; s++)
            error += error_weight[s] * steps->k[s][i];
        error = fabs(h * error) / (steps->rtol * size);
        worst = error > worst || error != error ? error : worst;
    }
    return worst;
}

double dormand_prince_integral(const struct dormand_prince *steps, int at, double h)
{
    ENSURE(at >= steps->width, "integral %d stands among %d numbers", at, steps->width);
    double sum = 0;
    for (int s = 0; s < STAGES - 1; s++)
        sum += stage_weight[STAGES - 1][s] * steps->k[s][at];
    return h * sum;
}

/* Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, 1993, section II.6;
 * dopri5.f. */
void dormand_prince_look_inside(struct dormand_prince *steps, const double *y, double h,
                                double share)
{
    double left = share - 1, bend = share * left * share * left;
    double whole = share * share * (3 - 2 * share), weights[STAGES];
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
    for (int i = 0; i < steps->width; i++) {
        double sum = 0;
        for (int s = 0; s < STAGES; s++)
            sum += weights[s] * steps->k[s][i];
        steps->stage[i] = y[i] + h * sum;
    }
}

void dormand_prince_accept(struct dormand_prince *steps, double **y)
{
    double *before = *y, *first = steps->k[0];
    *y = steps->y1;
    steps->y1 = before;
    steps->k[0] = steps->k[STAGES - 1];
    steps->k[STAGES - 1] = first;
}

double dormand_prince_longest(double h_s, double top_m_s, double thinnest_m, double left_s)
{
    double longest = h_s, way = WAY_SHARE * det_max(thinnest_m, THINNEST_WAY_M);
    if (top_m_s * longest > way)
        longest = way / top_m_s;
    if (longest < DORMAND_PRINCE_LEAST_S)
        longest = DORMAND_PRINCE_LEAST_S;
    return left_s < 1.01 * longest ? left_s : longest;
}

/* See ecology.h. */
#include "simulator/preserve/ecology.h"

#include <math.h>

#include "common/error.h"
#include "common/math/detmath.h"

microjoules microjoules_of(double joules)
{
    double most = joules_of(MICROJOULES_MAX);
    if (!(joules > 0))
        return 0;
    return joules >= most ? MICROJOULES_MAX : (microjoules)(joules * 1e6);
}

microjoules energy_ledger_error(const struct energy_ledger *l, microjoules stored)
{
    return stored - l->start - (l->sun - l->heat + l->arrivals - l->departures);
}

/* The light of vents falls by 1/e over this height. */
#define VENT_M 1.0

static int count_along(double length_m)
{
    return (int)(length_m / PLANTS_CELL_M + 0.5);
}

int plants_count(const struct params *params)
{
    return count_along(params->preserve_width_m) * count_along(params->preserve_height_m);
}

int plants_create(struct plants *plants, const struct params *params, struct arena *arena)
{
    int columns = count_along(params->preserve_width_m);
    int rows = count_along(params->preserve_height_m);
    double cell_j = params->preserve_plants_j_m2 * PLANTS_CELL_M * PLANTS_CELL_M;
    *plants =
        (struct plants){.columns = columns,
                        .rows = rows,
                        .growth_1_s = params->preserve_growth_1_s,
                        .least = microjoules_of(PLANTS_SEED_SHARE * cell_j),
                        .most = microjoules_of(cell_j),
                        .cells = arena_take(arena, (size_t)(columns * rows), sizeof(microjoules)),
                        .light = arena_take(arena, (size_t)rows, sizeof(double))};
    if (!plants->cells || !plants->light)
        return ERR_MEMORY;
    ENSURE(columns > 0 && rows > 0, "a water of %d x %d cells", columns, rows);
    ENSURE(plants->least >= 0 && plants->least <= plants->most, "cells hold %lld to %lld uJ",
           (long long)plants->least, (long long)plants->most);
    for (int i = 0; i < columns * rows; i++)
        plants->cells[i] = plants->least;
    for (int i = 0; i < rows; i++)
        plants->light[i] = det_exp(-(params->preserve_height_m - (i + 0.5) * PLANTS_CELL_M) /
                                   params->preserve_light_m) +
                           params->preserve_vent * det_exp(-(i + 0.5) * PLANTS_CELL_M / VENT_M);
    return 0;
}

microjoules plants_grow(struct plants *plants, double daylight, double dt_s)
{
    double most = (double)plants->most;
    microjoules sun = 0;
    ENSURE(daylight >= 0 && dt_s > 0 && most > 0, "%g s of daylight %g on cells of %g uJ", dt_s,
           daylight, most);
    for (int row = 0; row < plants->rows; row++) {
        double rate = plants->growth_1_s * plants->light[row] * daylight * dt_s;
        microjoules *cells = plants->cells + row * plants->columns;
        for (int i = 0; i < plants->columns; i++) {
            double p = (double)cells[i];
            microjoules grown = (microjoules)det_max(rate * p * (1 - p / most), -p);
            if (cells[i] + grown < plants->least)
                grown = plants->least - cells[i];
            cells[i] += grown;
            sun += grown;
        }
    }
    return sun;
}

microjoules *plants_at(const struct plants *plants, double x_m, double y_m)
{
    ENSURE(plants->columns > 0 && plants->rows > 0, "%d x %d cells", plants->columns, plants->rows);
    double column = floor(x_m / PLANTS_CELL_M), row = floor(y_m / PLANTS_CELL_M);
    if (!(column >= 0 && column < plants->columns && row >= 0 && row < plants->rows))
        return NULL;
    return &plants->cells[(int)row * plants->columns + (int)column];
}

double daylight_at(double time_s, double day_s)
{
    ENSURE(time_s >= 0, "%g s", time_s);
    double sine, cosine;
    if (day_s <= 0)
        return 1;
    det_sincos(2 * DET_PI * (time_s / day_s - floor(time_s / day_s)), &sine, &cosine);
    return sine > 0 ? DET_PI * sine : 0;
}

/* The light of a day up to a share of it, as a share of the day's light. */
static double light_until(double share)
{
    double sine, cosine;
    if (share >= 0.5)
        return 1;
    det_sincos(2 * DET_PI * share, &sine, &cosine);
    return 0.5 * (1 - cosine);
}

double daylight_mean(double from_s, double to_s, double day_s)
{
    ENSURE(from_s >= 0 && to_s > from_s, "%g s to %g s", from_s, to_s);
    if (day_s <= 0)
        return 1;
    double from = from_s / day_s, to = to_s / day_s;
    double days =
        floor(to) - floor(from) + light_until(to - floor(to)) - light_until(from - floor(from));
    return det_max(days * day_s / (to_s - from_s), 0);
}

struct meal meal_of(microjoules wanted, microjoules there, double share, microjoules room)
{
    ENSURE(there >= 0 && share >= 0 && share <= 1, "%lld uJ there, a share of %g", (long long)there,
           share);
    struct meal meal = {.taken = wanted < there ? wanted : there};
    ENSURE(share > 0 && share <= 1, "a share of %g is digested", share);
    if (meal.taken <= 0 || room <= 0)
        return (struct meal){0, 0};
    meal.gained = (microjoules)(share * (double)meal.taken);
    if (meal.gained > room) {
        microjoules enough = (microjoules)((double)room / share);
        meal.gained = room;
        if (enough < meal.taken)
            meal.taken = enough < room ? room : enough;
    }
    ENSURE(meal.gained >= 0 && meal.gained <= meal.taken && meal.taken <= there,
           "%lld uJ of %lld are digested, of %lld that were there", (long long)meal.gained,
           (long long)meal.taken, (long long)there);
    return meal;
}

/* The energy of a preserve: plants on a grid, meals, and the ledger.
 *
 * All energy is counted in whole microjoules. A transfer takes from one store and gives to another
 * the same number, so that sums are exact: at every tick
 *
 *     sun - heat + arrivals - departures = what all stores hold - what they held at the start.
 *
 * Mechanical energy is no store: the work of muscles is heat at once. */
#ifndef SIMULATOR_PRESERVE_ECOLOGY_H
#define SIMULATOR_PRESERVE_ECOLOGY_H

#include <stdint.h>

#include "common/preserve/epoch.h"
#include "common/params/params.h"
#include "common/system/arena.h"

typedef int64_t microjoules;

/* No store of one owner, and no flow of one tick, is greater: 1e9 J. */
#define MICROJOULES_MAX INT64_C(1000000000000000)

/* Joules, rounded towards zero; no number or a negative one is 0, and a number above
 * MICROJOULES_MAX is that. */
microjoules microjoules_of(double joules);
static inline double joules_of(microjoules energy)
{
    return 1e-6 * (double)energy;
}

/* No sum over a world or a life is greater. A store of a tick more than that does not overflow. */
#define ENERGY_SUM_MAX EPOCH_FACT_MOST

struct energy_ledger {
    microjoules start; /* what the stores held when the world began */
    microjoules sun, heat, arrivals, departures;
};
/* By how much the stores hold more than the ledger says; 0, or there is a bug. */
microjoules energy_ledger_error(const struct energy_ledger *ledger, microjoules stored);

/* Side of a cell of the grid, m. */
#define PLANTS_CELL_M 0.5
/* Cells of the largest water. */
enum { PLANTS_CELLS_MAX = 4000000 };
/* Seeds: no cell holds less than this share of the most that it can hold, and these are not eaten.
 * A refuge as large as this makes the yield of grazed water steady (Rosenzweig and MacArthur 1963):
 * with 0.02 a grazed cell took minutes to grow again, and numbers swung from 90 to 0. */
#define PLANTS_SEED_SHARE 0.2

/* Cells from left to right, rows from the bottom up. */
struct plants {
    int columns, rows;
    double growth_1_s;
    microjoules least, most; /* that a cell holds */
    microjoules *cells;
    double *light; /* by row: share of the light at the surface, exp(-depth / preserve.light_m) */
};
/* Cells are empty but for seeds. Width and height are of whole cells (params_check()). ERR_MEMORY
 * when the arena is full. */
int plants_create(struct plants *plants, const struct params *params, struct arena *arena);
int plants_count(const struct params *params); /* of cells */
/* Growth for dt_s under daylight (1: the mean of a day): of a cell with energy p
 * r p (1 - p / most) light dt (Verhulst 1838), and never less than its seeds. Returns what the sun
 * gave. */
microjoules plants_grow(struct plants *plants, double daylight, double dt_s);
/* The cell at a place, or NULL beside the water. */
microjoules *plants_at(const struct plants *plants, double x_m, double y_m);
/* Daylight of a time: a sine's positive half, with a mean of 1 over a day; a day of 0 s: always
 * 1. */
double daylight_at(double time_s, double day_s);
/* Its mean over a time, which may have a night or many days in it. */
double daylight_mean(double from_s, double to_s, double day_s);

/* The energy that is bitten off, and its digested share; the rest is heat. */
struct meal {
    microjoules taken, gained;
};
/* A bite of `wanted` of what is there, of which a share (0 < share <= 1) is digested, as far as
 * there is room for it. */
struct meal meal_of(microjoules wanted, microjoules there, double share, microjoules room);

#endif

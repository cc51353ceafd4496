/* A grid of cells over measures, for archives that keep one creature of each kind, and for saying
 * how many kinds a run has found.
 *
 *   links:3,4,6 size_m:0.6,1.2
 *
 * has two axes: links below 3, from 3, from 4 and from 6 on, and three ranges of size, so 12
 * cells. */
#ifndef CONTROLLER_EVOLUTION_CELLS_H
#define CONTROLLER_EVOLUTION_CELLS_H

#include "common/error.h"
#include "common/judge/measures.h"

#define CELL_AXES_MAX   8
#define CELL_BOUNDS_MAX 32
#define CELL_COUNT_MAX  100000

struct cell_axis {
    int measure; /* MEASURE_* */
    int bound_count;
    double bounds[CELL_BOUNDS_MAX]; /* rising */
};

struct cell_grid {
    int axis_count;
    int count; /* of cells */
    struct cell_axis axes[CELL_AXES_MAX];
};

/* Reads a grid. Errors name the column, from 1. No axis at all is one cell. */
int cell_grid_parse(struct cell_grid *grid, const char *text, struct error *error);

/* The cell of a creature with these measures: 1 .. grid->count. A measure that is not a number
 * counts as below all bounds. */
int cell_grid_find(const struct cell_grid *grid, const struct measures *measures);

#endif

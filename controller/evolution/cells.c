/* Grids of cells: a little text format, and a lookup of a few comparisons. */
#include "controller/evolution/cells.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    const char *text, *at;
    struct error *error;
};

static int fail(const struct reader *reader, const char *what)
{
    return error_set(reader->error, ERR_FORMAT, "column %d: %s",
                     (int)(reader->at - reader->text) + 1, what);
}

static int read_measure(struct reader *reader, int *measure)
{
    char name[64];
    size_t length = strspn(reader->at, "abcdefghijklmnopqrstuvwxyz0123456789_");
    if (length == 0)
        return fail(reader, "expected the name of a measure");
    snprintf(name, sizeof name, "%.*s", length < sizeof name ? (int)length : 0, reader->at);
    *measure = measure_find(name);
    if (*measure < 0)
        return error_set(reader->error, ERR_UNKNOWN, "column %d: no measure is called %.*s",
                         (int)(reader->at - reader->text) + 1, length < 64 ? (int)length : 64,
                         reader->at);
    reader->at += length;
    if (*reader->at != ':')
        return fail(reader, "expected ':' and bounds");
    return 0;
}

/* ":BOUND" or ",BOUND". */
static int read_bound(struct reader *reader, struct cell_axis *axis)
{
    char *end;
    reader->at++;
    double bound = strtod(reader->at, &end);
    if (end == reader->at || strspn(reader->at, "0123456789+-.eE") < (size_t)(end - reader->at))
        return fail(reader, "expected a number");
    if (!isfinite(bound))
        return fail(reader, "the number is too large");
    if (axis->bound_count == CELL_BOUNDS_MAX)
        return fail(reader, "too many bounds (at most 32)");
    if (axis->bound_count > 0 && bound <= axis->bounds[axis->bound_count - 1])
        return fail(reader, "bounds must rise");
    axis->bounds[axis->bound_count++] = bound;
    reader->at = end;
    return 0;
}

static int read_axis(struct reader *reader, struct cell_grid *grid)
{
    struct cell_axis *axis = &grid->axes[grid->axis_count];
    if (grid->axis_count == CELL_AXES_MAX)
        return fail(reader, "too many measures (at most 8)");
    int status = read_measure(reader, &axis->measure);
    while (!status && (*reader->at == ',' || *reader->at == ':')) {
        if (*reader->at == ':' && axis->bound_count > 0)
            return fail(reader, "expected ',' or a blank");
        status = read_bound(reader, axis);
    }
    if (status)
        return status;
    if (*reader->at && *reader->at != ' ')
        return fail(reader, "expected ',' or a blank");
    grid->axis_count++;
    grid->count *= axis->bound_count + 1;
    return grid->count > CELL_COUNT_MAX ? fail(reader, "more than 100000 cells") : 0;
}

static void check(const struct cell_grid *grid)
{
    int64_t cells = 1;
    ENSURE(grid->axis_count >= 0 && grid->axis_count <= CELL_AXES_MAX, "%d axes", grid->axis_count);
    for (int i = 0; i < grid->axis_count; i++) {
        const struct cell_axis *axis = &grid->axes[i];
        ENSURE(axis->measure >= 0 && axis->measure < MEASURE_COUNT, "axis %d: measure %d", i,
               axis->measure);
        ENSURE(axis->bound_count > 0 && axis->bound_count <= CELL_BOUNDS_MAX, "axis %d: %d bounds",
               i, axis->bound_count);
        for (int k = 1; k < axis->bound_count; k++)
            ENSURE(axis->bounds[k] > axis->bounds[k - 1], "axis %d: %g is not above %g", i,
                   axis->bounds[k], axis->bounds[k - 1]);
        cells *= axis->bound_count + 1;
    }
    ENSURE(grid->count == cells && cells <= CELL_COUNT_MAX, "%d cells of %" PRId64, grid->count,
           cells);
}

int cell_grid_parse(struct cell_grid *grid, const char *text, struct error *error)
{
    struct reader reader = {.text = text, .at = text, .error = error};
    int status = 0;
    memset(grid, 0, sizeof *grid);
    grid->count = 1;
    for (;;) {
        reader.at += strspn(reader.at, " ");
        if (status)
            return status;
        if (!*reader.at) {
            check(grid);
            return 0;
        }
        status = read_axis(&reader, grid);
    }
}

int cell_grid_find(const struct cell_grid *grid, const struct measures *measures)
{
    int cell = 0;
    for (int i = 0; i < grid->axis_count; i++) {
        const struct cell_axis *axis = &grid->axes[i];
        double value = measures_get(measures, axis->measure);
        int step = 0;
        while (step < axis->bound_count && value >= axis->bounds[step])
            step++;
        cell = cell * (axis->bound_count + 1) + step;
    }
    ENSURE(cell >= 0 && cell < grid->count, "cell %d of %d", cell, grid->count);
    return cell + 1;
}

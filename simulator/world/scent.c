/* See scent.h. */
#include "simulator/world/scent.h"

#include <string.h>

#include "common/error.h"

/* Whole cells, an even number of them so that the middle is between two. */
static int count_cells(double size_m, double cell_m)
{
    double cells = size_m > 0 ? 2 * ceil(size_m / cell_m / 2 - 1e-9) : 1;
    return cells <= SCENT_CELLS_MAX ? (int)cells : SCENT_CELLS_MAX + 1;
}

int scent_measure(struct scent *scent, struct vec3 size_m)
{
    const double sizes_m[3] = {size_m.x, size_m.y, size_m.z};
    int64_t count = 1;
    for (int k = 0; k < 3; k++) {
        scent->cells[k] = count_cells(sizes_m[k], scent->cell_m);
        count *= scent->cells[k];
        if (count > SCENT_CELLS_MAX)
            return ERR_LIMIT;
    }
    scent->cell_count = (int)count;
    return 0;
}

int scent_create(struct scent *scent, struct vec3 size_m, struct arena *arena)
{
    int rc = scent_measure(scent, size_m);
    if (rc != 0)
        return rc;
    size_t count = (size_t)scent->cell_count;
    scent->scratch = arena_take(arena, count, sizeof *scent->scratch);
    for (int i = 0; i < SCENT_CHANNELS; i++)
        scent->amounts[i] = arena_take(arena, count, sizeof *scent->scratch);
    return arena->is_exhausted ? ERR_MEMORY : 0;
}

int64_t scent_total(const struct scent *scent, int channel)
{
    int64_t sum = 0;
    for (int i = 0; i < scent->cell_count; i++)
        sum += scent->amounts[channel][i];
    return sum;
}

/* ---------------------------------------------------------------- places */

/* Two cells along an axis and the share of the second. */
struct between {
    int first, second;
    double share;
};

/* The cell number `out` from the middle outwards, on one side of it. */
static int cell_at(int count, int is_below, int out)
{
    int half = count / 2, most = half - 1;
    out = out < most ? out : most;
    return is_below ? half - 1 - out : half + out;
}

/* The shares of a coordinate, in cells from the middle. Sides are treated alike, so that a
 * mirrored place has the same share of the mirrored cells, to the bit. */
static struct between find_between(double off, int count)
{
    int is_below = off < 0;
    double out = det_min(fabs(off), count);
    if (count == 1)
        return (struct between){0, 0, 0};
    if (out < 0.5)
        return (struct between){cell_at(count, !is_below, 0), cell_at(count, is_below, 0),
                                out + 0.5};
    int inner = (int)(out - 0.5);
    return (struct between){cell_at(count, is_below, inner), cell_at(count, is_below, inner + 1),
                            out - 0.5 - inner};
}

static int find_cell(double off, int count)
{
    return count == 1 ? 0 : cell_at(count, off < 0, (int)det_min(fabs(off), count));
}

/* In cells from the middle of the box. */
static struct vec3 offset_of(const struct scent *scent, struct vec3 at)
{
    return vec3_scale(vec3_sub(at, scent->middle_m), 1 / scent->cell_m);
}

static double mix(double first, double second, double share)
{
    return first * (1 - share) + second * share;
}

static double amount_at(const struct scent *scent, int channel, struct vec3 off)
{
    const int64_t *amounts = scent->amounts[channel];
    struct between x = find_between(off.x, scent->cells[0]);
    struct between y = find_between(off.y, scent->cells[1]);
    struct between z = find_between(off.z, scent->cells[2]);
    const int rows[4] = {y.first + scent->cells[1] * z.first, y.second + scent->cells[1] * z.first,
                         y.first + scent->cells[1] * z.second,
                         y.second + scent->cells[1] * z.second};
    double along[4];
    for (int i = 0; i < 4; i++) {
        const int64_t *row = amounts + (size_t)rows[i] * (size_t)scent->cells[0];
        along[i] = mix((double)row[x.first], (double)row[x.second], x.share);
    }
    return mix(mix(along[0], along[1], y.share), mix(along[2], along[3], y.share), z.share);
}

/* ---------------------------------------------------------------- noses and emitters */

void scent_emit(struct scent *scent, int channel, struct vec3 at, int64_t amount)
{
    ENSURE(channel >= 0 && channel < SCENT_CHANNELS && amount >= 0, "%lld of scent %d",
           (long long)amount, channel);
    struct vec3 off = offset_of(scent, at);
    int x = find_cell(off.x, scent->cells[0]), y = find_cell(off.y, scent->cells[1]);
    int z = find_cell(off.z, scent->cells[2]);
    ENSURE(amount >= 0 && amount <= INT64_MAX - scent->emitted[channel],
           "%lld are emitted into channel %d", (long long)amount, channel);
    scent->amounts[channel][x + scent->cells[0] * (y + scent->cells[1] * z)] += amount;
    scent->emitted[channel] += amount;
}

/* Half the difference between one cell ahead and one cell behind along an axis. */
static double slope_along(const struct scent *scent, int channel, struct vec3 off, struct vec3 axis)
{
    return (amount_at(scent, channel, vec3_add(off, axis)) -
            amount_at(scent, channel, vec3_sub(off, axis))) /
           2;
}

struct smell scent_smell(const struct scent *scent, int channel, struct vec3 at)
{
    ENSURE(channel >= 0 && channel < SCENT_CHANNELS, "scent %d", channel);
    struct vec3 off = offset_of(scent, at);
    double amount = amount_at(scent, channel, off);
    return (struct smell){.uphill = {slope_along(scent, channel, off, (struct vec3){1, 0, 0}),
                                     slope_along(scent, channel, off, (struct vec3){0, 1, 0}),
                                     slope_along(scent, channel, off, (struct vec3){0, 0, 1})},
                          .level = amount / (amount + scent->half)};
}

/* ---------------------------------------------------------------- a tick */

/* The fluxes between cells that are side by side along an axis: `stride` is from one to the next,
 * `count` of them are in a row. */
static void exchange(const int64_t *before, int64_t *after, int cell_count, int stride, int count)
{
    for (int row = 0; row < cell_count; row += stride * count)
        for (int i = row; i < row + stride * (count - 1); i++) {
            int64_t flux = (before[i] - before[i + stride]) / 8;
            after[i] -= flux;
            after[i + stride] += flux;
        }
}

static void decay(struct scent *scent, int channel)
{
    int64_t *amounts = scent->amounts[channel], lost = 0, ticks = scent->fade_ticks;
    for (int i = 0; i < scent->cell_count && ticks > 0; i++) {
        int64_t part = amounts[i] / ticks + (amounts[i] % ticks > 0);
        amounts[i] -= part;
        lost += part;
    }
    scent->decayed[channel] += lost;
}

void scent_tick(struct scent *scent)
{
    for (int i = 0; i < SCENT_CHANNELS; i++) {
        if (scent->emitted[i] == scent->decayed[i]) /* nothing is there */
            continue;
        size_t bytes = (size_t)scent->cell_count * sizeof *scent->scratch;
        memcpy(scent->scratch, scent->amounts[i], bytes);
        for (int k = 0, stride = 1; k < 3; stride *= scent->cells[k++])
            exchange(scent->scratch, scent->amounts[i], scent->cell_count, stride, scent->cells[k]);
        decay(scent, i);
    }
}

/* See preserve_river.h. Lives come tree by tree: one band is filled at a time, and of the full ones
 * the least takes the way into the band of the others. */
#include "viewer/replay/preserve_river.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "viewer/replay/preserve_replay.h"

struct reading {
    struct preserve_river *river;
    struct preserve_band band, others; /* counts: what changes at a span */
    int64_t topology;                  /* of the band; 0: there is none yet */
};

static void put_together(struct preserve_band *sum, const struct preserve_band *band)
{
    sum->first_s = fmin(sum->first_s, band->first_s);
    sum->lived_s += band->lived_s;
    for (int k = 0; k < PRESERVE_SPANS; k++)
        sum->counts[k] += band->counts[k];
}

/* The band is full: it takes a place, or the place of a smaller one. */
static void end_band(struct reading *reading)
{
    struct preserve_river *river = reading->river;
    struct preserve_band *least = &reading->band;
    if (!reading->topology)
        return;
    if (river->count < PRESERVE_BANDS_MAX - 1) {
        river->bands[river->count++] = reading->band;
        return;
    }
    for (int i = 0; i < river->count; i++)
        if (river->bands[i].lived_s < least->lived_s)
            least = &river->bands[i];
    put_together(&reading->others, least);
    *least = reading->band;
}

/* The first span whose middle is not before a time; or none of them. */
static int span_of(const struct preserve_river *river, double time_s)
{
    return (int)fmin(ceil(time_s / river->end_s * PRESERVE_SPANS - 0.5), PRESERVE_SPANS);
}

static void hear(void *context, const struct run_life *life)
{
    struct reading *reading = context;
    struct preserve_band *band = &reading->band;
    double end_s = isnan(life->died_s) ? INFINITY : life->died_s;
    int from = span_of(reading->river, life->born_s), to = span_of(reading->river, end_s);
    if (life->topology != reading->topology) {
        end_band(reading);
        *band = (struct preserve_band){.form = preserve_form_of((uint64_t)life->topology),
                                       .first_s = life->born_s};
        reading->topology = life->topology;
    }
    if (from >= to) // between two middles, or none of the time
        return;
    band->lived_s += fmin(end_s, reading->river->end_s) - life->born_s;
    band->counts[from]++;
    if (to < PRESERVE_SPANS)
        band->counts[to]--;
}

static int compare_bands(const void *a, const void *b)
{
    const struct preserve_band *left = a, *right = b;
    return (left->first_s > right->first_s) - (left->first_s < right->first_s);
}

/* Makes counts of changes. */
static void add_up(struct preserve_river *river)
{
    for (int k = 0; k < PRESERVE_SPANS; k++) {
        int sum = 0;
        for (int i = 0; i < river->count; i++) {
            river->bands[i].counts[k] += k > 0 ? river->bands[i].counts[k - 1] : 0;
            sum += river->bands[i].counts[k];
        }
        river->most = sum > river->most ? sum : river->most;
    }
}

int preserve_river_read(struct preserve_river *river, const char *run_directory, int world,
                        double end_s, struct error *error)
{
    ENSURE(end_s > 0, "a river of %g s", end_s);
    struct reading reading = {.river = river,
                              .others = {.form = PRESERVE_FORM_OTHERS, .first_s = INFINITY}};
    *river = (struct preserve_river){.end_s = end_s};
    int status = preserve_replay_tell_lives(run_directory, world, hear, &reading, error);
    if (status) {
        river->count = 0;
        return status;
    }
    end_band(&reading);
    qsort(river->bands, (size_t)river->count, sizeof river->bands[0], compare_bands);
    if (reading.others.lived_s > 0)
        river->bands[river->count++] = reading.others;
    add_up(river);
    return 0;
}

int preserve_river_find(const struct preserve_river *river, int form)
{
    int i = 0;
    while (i < river->count && river->bands[i].form != form &&
           river->bands[i].form != PRESERVE_FORM_OTHERS)
        i++;
    return i < river->count ? i : -1;
}

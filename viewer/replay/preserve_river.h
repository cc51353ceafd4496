/* How many creatures of a world of a preserve had each tree of parts over time, as bands for a
 * window. It comes of the lives that the run store has, so nothing is simulated for it. */
#ifndef VIEWER_REPLAY_PRESERVE_RIVER_H
#define VIEWER_REPLAY_PRESERVE_RIVER_H

#include "common/error.h"

/* The trees whose creatures lived most have a band each; all others share the last one. Counts are
 * known at the middles of equal spans. */
enum { PRESERVE_BANDS_MAX = 15, PRESERVE_SPANS = 240 };
/* The form of the band of all other trees. */
#define PRESERVE_FORM_OTHERS (-1)

struct preserve_band {
    int form;       /* preserve_form_of() */
    double first_s; /* its first birth */
    double lived_s; /* the sum over its lives */
    int counts[PRESERVE_SPANS];
};
struct preserve_river {
    double end_s;                                   /* spans divide the time from 0 to here */
    int most;                                       /* creatures that live at once */
    struct preserve_band bands[PRESERVE_BANDS_MAX]; /* by their first births */
    int count;
};

/* Reads the river of a world up to a time, end_s > 0. On error, and where the run knows no trees,
 * it has no bands. */
int preserve_river_read(struct preserve_river *river, const char *run_directory, int world,
                        double end_s, struct error *error);
/* The band of a form, or that of all others; -1: there is none. */
int preserve_river_find(const struct preserve_river *river, int form);

#endif

/* Is it evolution? The lives of a preserve beside neutral shadows of them.
 *
 * A shadow (Bedau, Snyder & Packard 1998) has the births and deaths of the run, each at its time
 * and in its world, and the same mutations: differences of a child from its mother, of bodies those
 * of the first mutant that was drawn for it, before the womb refused any. But the mother, and the
 * creature that dies, are drawn at random among those that live there. So it
 * has the run's numbers, its turnover and the bias of its mutations, and no selection. Effects of
 * a run that hardly any of its shadows has are selection's.
 *
 * Both are measured alike: inherited traits of the living, families, and the four hallmarks that
 * MODES measures (Dolson, Vostinar, Wiser & Ofria 2019) behind a persistence filter: at a time only
 * the ancestors count that lived SHADOW_FILTER_S before and have descendants now. Their kinds are
 * numbers of parts, whether they hunt, and half octaves of area. */
#ifndef CONTROLLER_ANALYSIS_NEUTRAL_MODEL_H
#define CONTROLLER_ANALYSIS_NEUTRAL_MODEL_H

#include "controller/store/store.h"

#define SHADOW_COPIES   200
#define SHADOW_FILTER_S 600.0 /* more than two lives */

/* Measures at one time. */
enum neutral_fact {
    SHADOW_AREA,       /* of bodies, m2: the geometric mean of the living */
    SHADOW_PARTS,      /* mean */
    SHADOW_HUNTERS,    /* share */
    SHADOW_FAMILIES,   /* founders with living descendants, by world: mean */
    SHADOW_WAY,        /* by time lived, m/s: mean of those that died since the time before */
    SHADOW_FOOD,       /* what they digested by time lived, W */
    SHADOW_CHANGE,     /* kinds that were not there at the time before */
    SHADOW_NOVELTY,    /* kinds that were never there before */
    SHADOW_COMPLEXITY, /* most parts of a kind */
    SHADOW_ECOLOGY,    /* Shannon entropy of kinds, bits */
    SHADOW_FACT_COUNT
};

/* The traits that children inherit from a creature. */
struct neutral_traits {
    double log_area, parts;
    double way_m_s, food_w; /* NAN while it lives */
    int is_hunter;
    int64_t family;
};

struct neutral_event {
    double at_s;
    int is_birth, who; /* row of its life */
};

/* Lives in the order of a play; made once, played often. */
struct neutral_play {
    int count, world_count;
    double end_s;
    const struct store_life *lives;
    struct neutral_event *events; /* in order of time */
    int event_count;
    int *mothers; /* rows; -1: a founder, or one whose mother is not known */
};
/* Begins with lives in the order of their ids. They must outlive the play. The others live
 * to the end. ERR_MEMORY. */
int neutral_play_make(struct neutral_play *play, const struct store_life *lives, int count,
                      int world_count);
void neutral_play_free(struct neutral_play *play);
/* Plays it: as it was (`copy` 0), or shadow number `copy`. Fills rows of facts, at the ends of
 * `step_count` equal spans of time. Facts of the persistent are NAN before the filter's time.
 * ERR_MEMORY. */
int neutral_play_run(const struct neutral_play *play, int copy, int step_count,
                     double (*facts)[SHADOW_FACT_COUNT]);

/* The run beside its shadows. */
enum { SHADOW_STEPS = 12 };
struct shadow_band {
    double run, low, middle, high; /* low and high: of 95 % of the shadows */
};
struct neutral_report {
    int step_count; /* 0: no creature lived */
    double times_s[SHADOW_STEPS];
    struct shadow_band bands[SHADOW_STEPS][SHADOW_FACT_COUNT];
    /* means over the second half of the time, of those of the persistent */
    struct shadow_band means[SHADOW_FACT_COUNT];
    /* How the mean of log area came to change (Price 1970), by generation: what those with more
     * children have more of, and what children have more than their mothers. */
    double selected, inherited;
    double drift_families; /* expected by drift alone, by world: 1/k = 1/n + births / n^2 */
};
/* ERR_MEMORY. */
int neutral_report_make(struct neutral_report *report, const struct store_life *lives, int count,
                        int world_count);
/* "selection" where the run is outside of the band, else "drift". */
const char *neutral_verdict(const struct shadow_band *band);
struct neutral_row {
    const char *name, *unit, *meaning;
    int fact, is_mean; /* of the second half, else at the end */
    int digits;
};
extern const struct neutral_row neutral_rows[SHADOW_FACT_COUNT];

#endif

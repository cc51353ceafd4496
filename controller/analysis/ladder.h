/* A ladder: whether a run of contests makes progress.
 *
 * Scores of one generation say nothing about another (the Red Queen: Cliff and Miller 1995), so
 * creatures of different generations meet. A rung is a generation; rungs are every so many-th
 * one, up to the last. Meetings are of five parts:
 *
 *   champions    the best of a rung and that of each other rung: the master tournament (Floreano
 *                and Nolfi 1997). Its half below the diagonal is the matrix of a current
 *                individual against its ancestral opponents, CIAO (Cliff and Miller 1995)
 *   populations  members of a rung that are drawn, and those of each other rung: champions hide
 *                that others have disengaged or forgotten (Bader-Natal and Pollack 2004)
 *   control      as champions, of a run from the same beginnings in which dice select
 *                (drift_breed())
 *   rivals       the best of a rung and the best of the first generations
 *   panel        the best of a rung and creatures that no generation ever met
 *
 * ladder_plan.c finds the pairs that meet; ladder_file.c keeps them, the rest does no I/O. */
#ifndef CONTROLLER_ANALYSIS_LADDER_H
#define CONTROLLER_ANALYSIS_LADDER_H

#include <stdint.h>

#include "common/error.h"
#include "controller/evolution/contests.h"
#include "controller/store/store.h"

enum ladder_part {
    LADDER_CHAMPIONS,
    LADDER_POPULATIONS,
    LADDER_CONTROL,
    LADDER_RIVALS,
    LADDER_PANEL,
    LADDER_PART_COUNT
};
extern const char *const ladder_part_names[LADDER_PART_COUNT];

enum {
    LADDER_RUNGS_MAX = 64,
    LADDER_RIVALS_MAX = 10,
    LADDER_PANEL_MAX = 100,
    LADDER_SAMPLES_MAX = 10,
    LADDER_MEETINGS_MAX = 200000
};

struct ladder_rung {
    uint32_t generation;
    uint64_t champion; /* its id */
};

/* One contest. */
struct ladder_meeting {
    int part;
    int a, b;          /* rungs; of rivals and panel b is a number in these */
    double margin;     /* -1 .. 1, above 0: a has won */
    double touched[2]; /* 0 .. 1: whether a and b touched the goal */
};

struct ladder {
    /* The part that all ladders of one run have in common. */
    struct ladder_settings {
        char simulator[64];        /* message_build_id() */
        uint64_t params;           /* params_evaluation_digest() */
        int bouts, samples, panel; /* bouts of a pair, pairs of two populations, its creatures */
    } settings;
    struct ladder_rung rungs[LADDER_RUNGS_MAX]; /* ascending */
    int rung_count, rival_count;
    struct ladder_meeting *meetings; /* in order of parts */
    int meeting_count;
};
/* Asserts the invariants of a ladder that was planned or read. */
void ladder_check(const struct ladder *ladder);
void ladder_deinit(struct ladder *ladder);
/* Whether both were planned alike: then they have the same meetings. */
int ladder_is_same(const struct ladder *one, const struct ladder *other);

/* The mean margin of rung a in its meetings of a part, with b alone or with all (-1); NAN without
 * meetings. Where b is a rung, so are the meetings that b has with a. */
double ladder_margin(const struct ladder *ladder, enum ladder_part part, int a, int b);
/* The share of its meetings that a has won; NAN without meetings. `count`: the meetings, or NULL.
 * */
double ladder_won(const struct ladder *ladder, enum ladder_part part, int a, int *count);
/* The share of its sides that touched the goal. */
double ladder_touched(const struct ladder *ladder, enum ladder_part part, int rung);

/* How mean margins go with the generations. The slope is of least squares, per generation. p is the
 * share of orders of the margins whose slope is as great or greater: of all orders up to
 * LADDER_EXACT_MAX rungs, else of LADDER_DRAWS drawn ones and the true one. */
enum { LADDER_EXACT_MAX = 8, LADDER_DRAWS = 9999 };
struct ladder_trend {
    double slope, p;
    int count; /* of rungs with meetings */
    int is_exact;
};
struct ladder_trend ladder_find_trend(const struct ladder *ladder, enum ladder_part part);
/* The trend of any values: how y goes with x. */
struct ladder_trend ladder_fit(const double *x, const double *y, int count);

/* Pairs of champions, the later one against the earlier, by their mean margin. */
struct ladder_order {
    int won, even, lost;
};
/* Counts the pairs in which `rung` is the later one; -1: all pairs. */
struct ladder_order ladder_find_order(const struct ladder *ladder, int rung);

/* Champions that beat one another in a circle. ERR_MEMORY (below 0) or their number. */
int ladder_count_triads(const struct ladder *ladder);

/* A ladder as a file of the run's directory, from which its report draws it. Its contents are a
 * stranger's until they are checked. */
#define LADDER_FILE_NAME "progress.json"
/* In the place of an earlier one. 0, or ERR_* with a message. */
int ladder_write(const struct ladder *ladder, const char *directory, struct error *error);
/* ERR_MISSING if there is none. On an error the ladder is empty. */
int ladder_read(struct ladder *ladder, const char *directory, struct error *error);

/* Sentences that say what the numbers mean. */
enum ladder_topic {
    LADDER_SAY_ANCESTORS,
    LADDER_SAY_MASTER,
    LADDER_SAY_POPULATIONS,
    LADDER_SAY_CONTROL,
    LADDER_SAY_PANEL,
    LADDER_SAY_TRIADS,
    LADDER_TOPIC_COUNT
};
enum { LADDER_WORDS_SIZE = 400 };
void ladder_say(const struct ladder *ladder, enum ladder_topic topic, char text[LADDER_WORDS_SIZE]);

/* The pairs that meet in the ladder of a run, found in its store. */

struct ladder_wishes {
    int rungs;   /* at most, 3 .. LADDER_RUNGS_MAX; if `every` is 0 */
    int every;   /* a rung is each so many-th generation, from the last one back; 0: by `rungs` */
    int bouts;   /* of a pair: 2 or 4 */
    int samples; /* pairs of the members of two rungs, 0 .. LADDER_SAMPLES_MAX */
    int panel;   /* creatures, 0 .. LADDER_PANEL_MAX */
};

struct ladder_plan {
    struct ladder ladder; /* whose meetings have no margins yet */
    struct individual *players;
    int player_count, player_room;
    struct contests_pair *pairs; /* a and b of the meetings, which stand in a row for each pair */
    int pair_count, pair_room;
    int bouts_of_one; /* contests_bouts_of_one() */
};

/* ERR_RANGE for a run that is none of contests, or has too few generations; ERR_LIMIT for too many
 * meetings. On an error nothing is to deinit. */
int ladder_plan_make(struct ladder_plan *plan, struct store *store, const struct params *params,
                     const struct ladder_wishes *wishes, struct error *error);
void ladder_plan_deinit(struct ladder_plan *plan);
/* Opens its contests, and takes what they came to. The former gives 0 or ERR_MEMORY. */
int ladder_plan_open(const struct ladder_plan *plan, struct contests *contests);
void ladder_plan_take(struct ladder_plan *plan, const struct contests *contests);

#endif

/* Statistics of a whole run, for its report: what was read from the store, boiled down by
 * generation, by breeding method, by verdict and by worker.
 *
 * A pure function of its input. The store's content is not trusted: parents that do not exist or
 * are younger than their children do not count, and members without an individual are left out.
 * Sizes: a run of 300 x 50 has 12 000 individuals and 15 000 members; of a million each it takes
 * some seconds. */
#ifndef CONTROLLER_ANALYSIS_RUN_STATISTICS_H
#define CONTROLLER_ANALYSIS_RUN_STATISTICS_H

#include "common/rows.h"
#include "controller/store/store.h"

/* Above every number in common/judge/measures.h. */
#define RUN_VERDICTS_MAX 32

/* So many of those in quarantine are read; the status has their number. */
enum { RUN_QUARANTINE_MOST = 50 };

/* All that was read of a run. */
struct run_facts {
    struct params params;
    struct store_status status;
    struct store_fact *facts; /* in order of id */
    int fact_count;
    struct store_member *members; /* by generation and rank */
    int member_count;
    struct store_generation *generations; /* closed ones, in order */
    int generation_count;
    struct store_choice *choices; /* made by hand, by generation and id */
    int choice_count;
    struct store_event *events;
    int event_count;
    struct store_quarantine *quarantined;
    int quarantined_count;
    struct store_spent *spent; /* by kind of trial and worker */
    int spent_count;
    struct store_epoch_row *epochs; /* of a preserve: by epoch and world */
    int epoch_count;
    struct store_life *lives; /* of a preserve, by id */
    int life_count;
};
int run_facts_read(struct run_facts *facts, struct store *store, struct error *error);
void run_facts_deinit(struct run_facts *facts);
/* The individual with that id, or NULL. */
const struct store_fact *run_facts_find(const struct run_facts *facts, uint64_t id);
/* The choice made of it in that generation: enum choice. */
int run_facts_choice(const struct run_facts *facts, uint32_t generation, uint64_t id);
/* NULL: a life has no mother, or none of an earlier generation. */
const struct store_life *run_facts_mother(const struct run_facts *facts,
                                          const struct store_life *life);
/* Whether a state was kept while a creature lived. Founders wait as eggs in the first one. */
int run_facts_has_body(const struct run_facts *facts, const struct store_life *life);
/* 0 if all scores are equal, so that they tell nothing. */
int run_has_goal(const struct params *params);

/* Quartiles of the members, and the value of the best. */
struct run_spread {
    double q1, median, q3, best;
};

struct run_generation {
    uint32_t number;
    int64_t evaluations; /* up to and including it */
    uint64_t best_id;
    int cells; /* of the archive */
    /* of those judged in it */
    int members, scored; /* scored: with fitness above 0 */
    struct run_spread fitness, parts, neurons, size_m;
    int at_parts_max, at_neurons_max;
    /* of the survivors, which breed; of all where a run without a goal ends without choices */
    int survivors;
    int families;       /* first ancestors by the first parents */
    int kinds;          /* families with so many parts and so many that move */
    int motions;        /* different ones: exact copies move alike */
    int largest_family; /* survivors */
    int commonest_kind; /* survivors */
    /* of those born in it */
    int judged, judged_scored; /* in this very generation */
    int born, verdicts[RUN_VERDICTS_MAX], unevaluated;
    double simulations;     /* of first trials */
    double cpu_ms;          /* mean of one of these */
    int bred, kept, banned; /* members that were marked so */
};

struct run_method {
    int born;     /* and judged in the generation of their birth */
    int survived; /* that generation */
    int improved; /* of those with a parent: fitter than each of them */
    int had_parent;
    int champions; /* were the best of a generation */
    int chosen;    /* were marked, to breed or to be kept, once or more often */
};

struct run_worker {
    int worker; /* as in the log's name */
    int64_t evaluations, repeated;
    double busy_s;
    double referee_s; /* all trials but the first ones */
};

struct run_statistics {
    struct run_generation *generations; /* closed ones, in order */
    int generation_count;
    struct run_method methods[METHOD_COUNT];
    int verdicts[RUN_VERDICTS_MAX]; /* of all with a result */
    int evaluated, seen, refused;
    int reused;           /* of the evaluated: got the result of one that moves alike */
    int copies, children; /* children that move exactly as their first parent; with a result */
    struct run_worker *workers; /* by number */
    int worker_count, worker_room;
    struct store_spent *kinds; /* of trials, and what they took on all workers */
    int kind_count;
    double working_s; /* while results came in: pauses between stop and resume, and the time in
                         which the run waited for choices, left out */
    double worker_s;  /* the same, summed over the workers there were */
    struct store_champion champion; /* what the other solver said */
    int bred, kept, banned;         /* marks, of all generations */
    int asked,
        answered; /* generations at whose end choices were asked for, and those with choices */
};
/* 0 or ERR_MEMORY. */
int run_statistics_make(struct run_statistics *statistics, const struct run_facts *facts);
void run_statistics_deinit(struct run_statistics *statistics);

/* Numbers, rising; for qsort(). */
int compare_doubles(const void *a, const void *b);
/* Seconds since 1970 of "2026-03-01T10:15:30.145Z", or -1. */
double run_parse_time(const char *utc);

/* The run doctor: findings in words, each with the figure it was seen from and the
 * setting to try.
 *
 * A pure function of a run's statistics and parameters. One function for each rule. Rules that
 * find nothing are listed as well, with their figures. */

enum doctor_state {
    DOCTOR_PROBLEM, /* holds the run back */
    DOCTOR_NOTE,    /* worth knowing, or worth a try */
    DOCTOR_FINE,
    DOCTOR_UNKNOWN, /* too little is there to tell */
};

struct doctor_finding {
    const char *name; /* of what was looked at: "overlap at birth" */
    enum doctor_state state;
    char figure[240]; /* what was measured */
    char advice[320]; /* what it means and what to try; empty if it is fine */
    char setting[96]; /* "section.key=value", which parameters take; or empty */
};

#define DOCTOR_FINDINGS_MAX 40

/* Fills findings, the gravest first, and returns how many there are. */
int doctor_examine(const struct run_statistics *statistics, const struct params *params,
                   struct doctor_finding findings[DOCTOR_FINDINGS_MAX]);

/* The river of forms: how many creatures of one world of a preserve had each form over time. A form
 * is a tree of parts with its mouths. The band of a form begins inside the band of the form that it
 * was born of. */

/* Forms with a band, and moments at which their widths are known. */
enum { RIVER_FORMS_MAX = 14, RIVER_TIMES = 240 };

struct river_form {
    int64_t topology;
    const struct store_life *first;  /* the first that hatched */
    const struct store_life *widest; /* one that lived when most did, and bred most of these */
    int parent;                      /* the form that it was born of; -1: founders have it */
    int lived, living;               /* in all, and at the end */
    int most;                        /* at once */
    double depth_m;                  /* mean of its dead; NAN: not known */
    double most_s, extinct_s;        /* when; extinct_s: the last death, NAN while it lives on */
    double own[RIVER_TIMES];         /* how many live, forms without a band of their own included */
    double width[RIVER_TIMES];       /* with all bands inside */
};

struct river {
    uint32_t world;
    double end_s;
    int form_count; /* all that there were */
    int living, living_forms;
    struct river_form forms[RIVER_FORMS_MAX]; /* those that lived most, by their first births */
    int count;
};

/* Makes the river of the world in which most hatched; without lives it has no forms. The facts must
 * outlive it. 0 or ERR_MEMORY. */
int river_make(struct river *river, const struct run_facts *facts);
/* The middle of the span of a moment. */
double river_time(const struct river *river, int moment);
/* The river's story in sentences: how the founders' form ended, which forms led, what lives.
 * Returns `text`. */
const char *river_tell(const struct river *river, char *text, size_t size);

#endif

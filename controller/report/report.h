/* The run report: one self-contained page of HTML about a run, made to be read on a phone and on
 * paper, in light and in dark.
 *
 * report_read() collects everything, report_write() lays it out; nothing in between is looked up
 * again. All texts that come from the run are escaped (common/formats/html.h), and the page forbids
 * itself the network. */
#ifndef CONTROLLER_REPORT_REPORT_H
#define CONTROLLER_REPORT_REPORT_H

#include "controller/analysis/run_statistics.h"
#include "controller/analysis/ladder.h"
#include "controller/store/store.h"

#define REPORT_TOP_MAX       6
#define REPORT_CHAMPIONS_MAX 12
#define REPORT_STEPS_MAX     20
#define REPORT_PLAYED_MAX    36
#define REPORT_FAMILIES_MAX  6
#define REPORT_MEMBERS_MAX   6

/* Pictures and replays for the report, made by the program viewer: the controller knows nothing of
 * bodies.
 *
 * Each creature is written to a file of its own in a temporary directory and simulated again by
 * viewer, which compares it with its record. A failure costs pictures, not the report. */

/* In the page, px. */
#define REPORT_PICTURE_WIDTH  160
#define REPORT_PICTURE_HEIGHT 100

struct report_picture {
    uint64_t id;
    char status[16]; /* "verified", "differs", ...; empty if it could not be replayed */
    char *png;       /* a whole file; NULL: none */
    size_t png_bytes;
    int number;     /* in the player, from 0; -1: not in it */
    int is_missing; /* its creature could not be had */
};

struct report_gallery {
    struct report_picture *pictures;
    int count;
    char *player;      /* a whole HTML page; NULL: none */
    char problem[512]; /* why something is missing; else empty */
};

/* Makes the gallery of the creatures `ids`, without repetition; the first player_count of them also
 * play. 0 or an error of the store or of memory; a failure of viewer is told in
 * gallery->problem. */
int report_gallery_make(struct report_gallery *gallery, struct store *store, const uint64_t *ids,
                        int count, int player_count, struct error *error);
void report_gallery_deinit(struct report_gallery *gallery);
/* The picture of a creature, or NULL. */
const struct report_picture *report_gallery_find(const struct report_gallery *gallery, uint64_t id);

/* A creature that became the best, or that was chosen. */
struct report_champion {
    uint32_t generation;
    uint64_t id;
    double fitness;
};

/* A creature and its ancestors by the first parents, the youngest first. */
struct report_line {
    struct store_entry *entries;
    int count;
};

/* Some of those from whom a living creature of a preserve descends, in order of time: its first
 * mother comes first, itself last. */
struct report_family {
    int64_t number;
    int living; /* of all worlds */
    const struct store_life *members[REPORT_MEMBERS_MAX];
    int count;
};

struct report {
    const char *directory;
    char time_utc[32]; /* when it was made */
    struct run_facts facts;
    struct run_statistics statistics;
    struct doctor_finding findings[DOCTOR_FINDINGS_MAX];
    int finding_count;
    struct store_entry *top; /* of the last closed generation, without copies */
    int top_count;
    struct report_champion *champions; /* in order of time */
    int champion_count;                /* none where the run has no goal */
    struct report_champion *chosen; /* the first of the creatures chosen in a generation, of each */
    int chosen_count;
    struct report_line lines[REPORT_TOP_MAX];           /* of top */
    struct report_family families[REPORT_FAMILIES_MAX]; /* the largest of a preserve */
    int family_count;
    struct river *river; /* of a preserve, else NULL */
    struct report_gallery gallery;
    struct ladder ladder; /* what controller progress found; without rungs: nothing */
};

/* Reads a run; has_pictures: viewer is asked for pictures and replays. `directory` must outlive the
 * report. 0 or ERR_*, then there is nothing to deinit. */
int report_read(struct report *report, const char *directory, struct store *store, int has_pictures,
                struct error *error);
void report_deinit(struct report *report);

/* Writes the page. 0, ERR_MEMORY or ERR_IO. */
int report_write(const struct report *report, FILE *file);

/* ---- its parts ---- */

/* The sections with plots. */
int report_write_course(const struct report *report, FILE *file);
int report_write_variety(const struct report *report, FILE *file);
int report_write_verdicts(const struct report *report, FILE *file);
int report_write_choices(const struct report *report, FILE *file);
/* Epochs of a preserve that all worlds have lived through. */
struct report_course {
    int world_count, count;
    const struct store_epoch_row **rows; /* of an epoch: the first world's; others stand behind */
    double *minutes;
};
int report_course_make(struct report_course *course, const struct run_facts *facts);
void report_course_free(struct report_course *course);
/* The change of a fact by the second between two epochs, of all worlds; NAN between one and
 * itself. */
double report_course_rate(const struct report_course *course, int from, int to, int fact);
/* The sections of a preserve: key figures; worlds over time; where energy goes, and families;
 * how creatures lived, and what was new; the run beside drift alone; all lives. */
void report_write_preserve_figures(const struct report *report, FILE *file);
int report_write_worlds(const struct report *report, FILE *file);
int report_write_ways(const struct report *report, FILE *file);
int report_write_flows(const struct report *report, FILE *file);
int report_write_evolution(const struct report *report, FILE *file);
int report_write_lives(const struct report *report, FILE *file);
/* Finds the families of a preserve; ERR_MEMORY. */
int report_find_families(struct report *report);
int report_write_families(const struct report *report, FILE *file);
int report_write_river(const struct report *report, FILE *file);
/* Champions, and where they come from. */
int report_write_champions(const struct report *report, FILE *file);
int report_write_lineage(const struct report *report, FILE *file);
/* The pictures of a ladder, for a run of contests. */
void ladder_page_write(const struct ladder *ladder, FILE *file);
/* Says why pictures or replays are missing, if any are. */
void report_write_problem(const struct report *report, FILE *file);
/* The picture of a creature, which plays it where it can. */
void report_write_picture(const struct report *report, FILE *file, uint64_t id);
/* " in 3-5, 9": the generations at whose end that was wished of it, each named once. Empty if
 * none. */
void report_print_choices(const struct report *report, uint64_t id, int choice, char *text,
                          size_t size);
/* Which steps of a line (its entries' numbers) get pictures: the first, the last, and those that
 * gained most; in order of time. Returns how many. */
int report_choose_steps(const struct report_line *line, int steps[REPORT_STEPS_MAX]);

#endif

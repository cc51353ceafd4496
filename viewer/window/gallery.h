/* The gallery: which creatures are shown, where they come from, and their replays.
 * Creatures stand on a shelf: files, the best of a generation, the champions through the
 * generations, or the line of descent of one. A run stays open, so that new generations can be seen
 * while it is under way. Shelves are filled at once, replays are simulated one by one when asked
 * for (some ten milliseconds each), so that a window stays alive meanwhile; a creature on several
 * shelves is simulated once. Knows nothing of windows and pictures. */
#ifndef VIEWER_WINDOW_GALLERY_H
#define VIEWER_WINDOW_GALLERY_H

#include <sys/stat.h>

#include "common/judge/contest.h"
#include "viewer/replay/replay.h"
#include "common/store/favourites.h"
#include "common/store/run_reader.h"

#define GALLERY_SHOWN_MAX 256
/* Ancestors that are followed. */
#define GALLERY_LINEAGE_MAX 64
/* And where only the milestones are shown: some 20 MB while they are chosen. */
#define GALLERY_FAMILY_MAX    4096
#define SPECIMEN_CAPTION_SIZE (CREATURE_MUTATIONS_SIZE + 120)

/* How creatures are replayed; pointers are kept. */
struct gallery_options {
    const char *params_path; /* NULL: the recorded ones */
    const char *const *assignments;
    int assignment_count;
    int has_seed;
    uint64_t seed;
    int top;      /* creatures of a generation, 1 .. RUN_READER_TOP_MAX; 0: some, and more where
                           choices are made */
    int is_ranks; /* of a generation the best as they rank, not those of each kind of body */
    double
        budget; /* no replay may take more billions of operations (guard.budget); 0: what its file
                           allows */
    int champions_most; /* on their shelf and strip, >= 2; 0: they are not looked for */
};

enum gallery_shelf { SHELF_FILES, SHELF_GENERATION, SHELF_CHAMPIONS, SHELF_LINEAGE };

/* A creature on a shelf. */
struct specimen {
    struct creature creature;
    struct replay *replay;               /* NULL: not simulated yet, or refused */
    struct replay_live *live;            /* owns the replay; NULL: the specimen does */
    struct replay_bout *bout;            /* that the replay shows; NULL: it shows no contest */
    char refusal[480];                   /* why it cannot be shown, or empty */
    char caption[SPECIMEN_CAPTION_SIZE]; /* of a line of descent, else empty */
    int users;                           /* shelves it stands on; for the gallery */
    const char *path;                    /* of a file; NULL: of a run */
    struct stat mark;                    /* of that file as it was read; zeros: there was none */
};

struct shelf {
    struct specimen *items[GALLERY_SHOWN_MAX];
    /* The generation that each is shown for (of an ancestor: in which it was born), or -1. */
    int64_t generations[GALLERY_SHOWN_MAX];
    int count;
};

/* Others read it, and change it by the functions below. */
struct gallery {
    struct gallery_options options;
    struct run_reader *reader;            /* NULL: no run */
    struct store_generation *generations; /* complete ones, ascending */
    int generation_count;
    enum gallery_shelf kind;   /* of `shown` */
    int64_t generation;        /* that is shown, or -1 */
    struct shelf shown, strip; /* the strip: the champions, whatever is shown */
    struct run_choosing choosing;
    struct store_choice *choices; /* of the generation that is shown */
    int choice_count, choice_room;
    struct favourite favourites[FAVOURITES_MAX]; /* of the run */
    int favourite_count;
};
/* NULL: out of memory. */
struct gallery *gallery_create(const struct gallery_options *options);
void gallery_destroy(struct gallery *gallery); /* NULL is allowed */

/* Adds a creature file to the shelf of files; the path is kept. */
int gallery_add_file(struct gallery *gallery, const char *path, struct error *error);
/* Reads and simulates again the shelf's files that were written since; `changed` receives whether any
 * was. On error the creature stays as it was, and so it is said once. */
int gallery_reload(struct gallery *gallery, int *changed, struct error *error);
/* Adds a scene in three dimensions, moved at once; its creature is empty but for the name. */
int gallery_add_scene(struct gallery *gallery, const char *path, struct error *error);
/* How a contest of two is shown. */
struct gallery_contest {
    int bout;   /* 1 .. CONTEST_BOUTS, or 0: all */
    int follow; /* as struct replay_bout says */
    struct sight_exchange see;
};
/* Adds the bouts of two creature files, one after the other; their creatures are empty but for the
 * names. */
int gallery_add_contest(struct gallery *gallery, char *const paths[2],
                        const struct gallery_contest *contest, struct error *error);
/* Adds the best of a run's generation (-1: the last). */
int gallery_add_run(struct gallery *gallery, const char *directory, int64_t generation,
                    struct error *error);
/* Opens a run and looks which generations are complete; shows none of them yet. */
int gallery_open_run(struct gallery *gallery, const char *directory, struct error *error);

/* Looks for generations that were completed since; `added` receives how many. */
int gallery_refresh(struct gallery *gallery, int *added, struct error *error);

/* Each puts something else on the shelf; on error it stays as it is. */
/* -1: the last one. */
int gallery_show_generation(struct gallery *gallery, int64_t generation, struct error *error);
int gallery_show_champions(struct gallery *gallery, struct error *error);
/* A creature of the run (CREATURE_BEST: the best) and its first parents, at most `depth`: of those
 * the milestones, at most `most` (2 .. GALLERY_SHOWN_MAX). The youngest comes first; each has a
 * caption. ERR_MISSING without a run or such a creature. */
int gallery_show_lineage(struct gallery *gallery, uint64_t id, int depth, int most,
                         struct error *error);

struct specimen *gallery_specimen(const struct gallery *gallery, int index);
/* By what one of the shelf is simulated; 0: it is no evaluation of a creature alone. */
int gallery_choose_life(const struct gallery *gallery, int index, struct params *params,
                        uint64_t *seed);

/* Choosing by hand (docs/evolution.md). The choice for one of a generation that is shown (enum choice), and for how many. */
int gallery_choice(const struct gallery *gallery, int index);
int gallery_count_choices(const struct gallery *gallery, int choice);
/* Looks what is chosen and whether the run waits; `changed` receives 1 if something is new. */
int gallery_refresh_choices(struct gallery *gallery, int *changed, struct error *error);
/* Shows a choice as if it were made. 0 or ERR_MEMORY. */
int gallery_note_choice(struct gallery *gallery, int index, int choice);

/* Keeps a creature of the run as a favourite by that name (favourites.h). */
int gallery_keep(struct gallery *gallery, int index, const char *name, struct error *error);

/* Simulates one of the shelf, unless it is done. ERR_* if it cannot be shown. */
int gallery_simulate(struct gallery *gallery, int index, struct error *error);
/* Simulates the next one that waits, on the shelf or the strip. 1, or 0 if none does. */
int gallery_work(struct gallery *gallery);

/* Cuts a part out of a creature's brain, or puts it back if it is cut, and simulates it anew. */
int gallery_toggle_cut(struct gallery *gallery, int index, const struct replay_cut *cut,
                       struct error *error);
/* Makes its replay a life that can be changed, unless it is one; it stays the gallery's until the
 * replay is simulated anew. tick_s receives the time of a tick of the life. */
int gallery_play(struct gallery *gallery, int index, struct replay_live **live, double *tick_s,
                 struct error *error);
/* Puts everything back. */
int gallery_heal(struct gallery *gallery, int index, struct error *error);

/* Indices of the generations whose champions stand for all: where the champion is a new one, at
 * most `most` (>= 2) spread evenly, the last one always among them. `chosen` has room for most. */
int gallery_choose_champions(const struct store_generation *generations, int count, int most,
                             int *chosen);

#endif

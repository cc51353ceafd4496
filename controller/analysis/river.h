/* The river of forms: how many creatures of one world of a preserve had each form over time. A form
 * is a tree of parts with its mouths. The band of a form begins inside the band of the form that it
 * was born of. */
#ifndef CONTROLLER_ANALYSIS_RIVER_H
#define CONTROLLER_ANALYSIS_RIVER_H

#include "controller/analysis/run_statistics.h"

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

/* The window: a stage on a display, with keyboard, mouse and clock. */
#ifndef VIEWER_STAGE_WINDOW_H
#define VIEWER_STAGE_WINDOW_H

#include "viewer/stage/gallery.h"

struct shore_request; /* viewer/stage/shore.h */

struct window_options {
    const struct shore_request *shore; /* a world of a preserve instead of a gallery, or NULL */
    struct gallery *gallery; /* empty only for a run that has finished no generation yet */
    int is_live;             /* follows new generations of the run */
    int width_px, height_px; /* 0: the default */
    double time_s;           /* where it starts; negative: at 0 */
    int has_overlays;
    unsigned overlays;      /* enum draw_overlay, if has_overlays */
    const char *keys;       /* pressed at the start, one after the other, or NULL */
    long frame_limit;       /* > 0: ends after so many frames, each 1/60 s later than the last */
    const char *screenshot; /* file that the last frame is written to, or NULL */
};

/* 0, or ERR_UNAVAILABLE with a message when this build has no window. */
int window_check(struct error *error);

/* Opens the window and returns when it is closed. Writes nothing but what the user saves. 0, or
 * ERR_UNAVAILABLE (left out of this build) or ERR_IO (no display) with a message. */
int window_run(const struct window_options *options, struct error *error);

#endif

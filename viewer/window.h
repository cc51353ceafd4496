/* The window: real-time replay of one creature or a race of several, with keyboard and mouse. */
#ifndef VIEWER_WINDOW_H
#define VIEWER_WINDOW_H

#include "viewer/replay.h"

struct window_options {
    const struct replay *const *replays; /* best first */
    int count;                           /* >= 1 */
    int width_px, height_px;             /* 0: the default */
    double time_s;                       /* where it starts; negative: at 0 */
    long frame_limit;       /* > 0: ends after so many frames, each 1/60 s later than the last */
    const char *screenshot; /* file that the last frame is written to, or NULL */
};

/* 0, or ERR_UNAVAILABLE with a message when this build has no window. */
int window_check(struct error *error);

/* Opens the window and returns when it is closed. Writes nothing but what the user saves. 0, or
 * ERR_UNAVAILABLE (left out of this build) or ERR_IO (no display) with a message. */
int window_run(const struct window_options *options, struct error *error);

#endif

/* The window: a player on a display, with keyboard, mouse and clock. */
#ifndef VIEWER_WINDOW_WINDOW_H
#define VIEWER_WINDOW_WINDOW_H

#include "common/error.h"

struct player; /* viewer/window/player.h */

struct window_options {
    int width_px, height_px; /* 0: the default */
    double time_s;           /* where it starts; negative: at 0 */
    const char *keys;        /* pressed at the start, one after the other, or NULL */
    long frame_limit;        /* > 0: ends after so many frames, each 1/60 s later than the last */
    const char *screenshot;  /* file that the last frame is written to, or NULL */
};

/* 0, or ERR_UNAVAILABLE with a message when this build has no window. */
int window_check(struct error *error);

/* Opens the window and returns when it is closed; destroys the player. Writes nothing but what the user saves. 0, or
 * ERR_UNAVAILABLE (left out of this build) or ERR_IO (no display) with a message. */
int window_run(struct player *player, const struct window_options *options, struct error *error);

#endif

/* Obstacles of a world: fixed rectangles, also turned ones, written in one line of text.
 *
 *   x_m y_m width_m height_m angle_rad [* count dx_m dy_m], ...
 *
 * (x, y) is the centre; the angle turns counter-clockwise. `* count dx dy` repeats the rectangle,
 * each time shifted by so much: a stair is one entry. Empty text is no obstacle. */
#ifndef COMMON_PARAMS_OBSTACLES_H
#define COMMON_PARAMS_OBSTACLES_H

#include "common/error.h"

#define OBSTACLES_MAX 32

struct obstacle {
    double x_m, y_m, width_m, height_m, angle_rad;
};

struct obstacles {
    int count;
    struct obstacle list[OBSTACLES_MAX];
};

/* Reads the text. Errors name the entry, and what is wrong with it: ERR_FORMAT, ERR_RANGE,
 * ERR_LIMIT. */
int obstacles_parse(struct obstacles *obstacles, const char *text, struct error *error);

#endif

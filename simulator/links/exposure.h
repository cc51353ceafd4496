/* The pieces of boxes' faces that a medium cannot reach.
 *
 * A point of a face is exposed if the ray from it along the face's outward normal, itself included,
 * meets no other box: it is neither covered by one nor faces one, at any distance. The shadow of a
 * convex box on a face is what the part of it in front of the face's plane covers, seen along the
 * normal. Each shadow is clipped to the face, and the pieces that earlier shadows hide are cut out
 * of it: convex pieces that share nothing, whose integrals are taken from those of the whole face.
 * Most faces have one shadow or none, and so one piece. Nothing is sampled, so that nothing
 * flickers. */
#ifndef SIMULATOR_LINKS_EXPOSURE_H
#define SIMULATOR_LINKS_EXPOSURE_H

#include "simulator/contact/solids.h"

enum { EXPOSURE_PIECES_MAX = 64, EXPOSURE_CORNERS_MAX = 24, EXPOSURE_SIDES_MAX = 12 };
/* Instead of a number of pieces: the whole face is hidden. */
enum { EXPOSURE_ALL_HIDDEN = -1 };

/* Metres from the middle of the face, along two of the box's axes: of axis k along axes k + 1 and k
 * + 2. */
struct exposure_corner {
    double s, t;
};
/* Convex, counter-clockwise. */
struct exposure_piece {
    int count;
    struct exposure_corner corners[EXPOSURE_CORNERS_MAX];
};
/* A shadow's corners, counter-clockwise, and the rectangle around them. Fewer than three: no
 * shadow. */
struct exposure_shadow {
    int count;
    struct exposure_corner corners[EXPOSURE_SIDES_MAX], low, high;
};

/* Another box, and the shadow that it throws on the face in hand. */
struct exposure_other {
    int faces; /* bit f: face f may be in its shadow */
    struct solids_pair pair;
    struct exposure_shadow shadow;
};

/* How a box among `count` boxes lies to each of them: fills others[count]. */
void exposure_screen(const struct solid *solids, int count, int box, struct exposure_other *others);
/* The hidden pieces of face 0 .. 5 of the box (2 k: the negative end of axis k, 2 k + 1: the
 * positive one); returns their number. A face of which not 1e-12 is exposed, or that has more
 * pieces than there is room for, is EXPOSURE_ALL_HIDDEN. `others`: from exposure_screen(). */
int exposure_find(const struct solid *solid, int face, struct exposure_other *others, int count,
                  struct exposure_piece pieces[EXPOSURE_PIECES_MAX]);
double exposure_area(const struct exposure_piece *piece);

#endif

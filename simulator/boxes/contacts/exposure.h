/* What a medium can reach of the faces of boxes.
 *
 * A point of a face is exposed if the ray from it along the face's outward normal, itself included, meets no
 * other box: it is neither covered by one nor faces one, at any distance. The shadow of a convex box on
 * a face is the hull of its corners in front of the face's plane and of its edges' cuts with that plane; what
 * is exposed is the face without all shadows, as convex pieces. Nothing is sampled, so that nothing
 * flickers. */
#ifndef SIMULATOR_BOXES_CONTACTS_EXPOSURE_H
#define SIMULATOR_BOXES_CONTACTS_EXPOSURE_H

#include "simulator/boxes/contacts/solids.h"

enum { EXPOSURE_PIECES_MAX = 64, EXPOSURE_CORNERS_MAX = 16 };

/* Metres from the middle of the face, along two of the box's axes: of axis k along axes k + 1 and k + 2. */
struct exposure_corner {
    double s, t;
};
/* Convex, counter-clockwise. */
struct exposure_piece {
    int count;
    struct exposure_corner corners[EXPOSURE_CORNERS_MAX];
};

/* Which faces of a box may be hidden in part by each of the others: bit f of shaded[i] for face f and box i. It is 0
 * only where the other clearly hides nothing, so that it changes no bit of what exposure_find() finds. */
void exposure_screen(const struct solid *solids, int count, int box, int *shaded);
/* The exposed pieces of face 0 .. 5 (2 k: the negative end of axis k, 2 k + 1: the positive one) of a box among
 * `count` boxes; returns their number. Pieces for which there is no room count as hidden, and so do those
 * smaller than 1e-12 of the face. `shaded`: from exposure_screen(). */
int exposure_find(const struct solid *solids, int count, int box, int face, const int *shaded,
                  struct exposure_piece pieces[EXPOSURE_PIECES_MAX]);
double exposure_area(const struct exposure_piece *piece);

#endif

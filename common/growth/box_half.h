/* Boxes of which only a half is there, where two meet that a joint joins: what a phenotype's
 * `meetings` say from PAIR_HALF on. */
#ifndef COMMON_GROWTH_BOX_HALF_H
#define COMMON_GROWTH_BOX_HALF_H

#include "common/growth/phenotype.h"
#include "common/math/solids.h"

/* How two boxes meet that a joint joins (Sims 1994, section 4.1: a part may overlap its parent, but
 * not swing through it): of one the half is left out that is next to the joint. */
struct box_half {
    int is_second; /* of the two boxes; else of the first */
    int axis;      /* of the box, that is cut in its middle */
    int sign;      /* what is left is on this side of the middle */
};

static inline unsigned char box_half_meeting(struct box_half half)
{
    return (unsigned char)(PAIR_HALF + 6 * half.is_second + 2 * half.axis + (half.sign > 0));
}

static inline struct box_half box_half_of(unsigned char meeting)
{
    int code = meeting - PAIR_HALF;
    return (struct box_half){code / 6, code % 6 / 2, code % 2 ? 1 : -1};
}

/* Leaves of two boxes what meets. */
static inline void box_half_cut(unsigned char meeting, struct solid *first, struct solid *second)
{
    if (meeting < PAIR_HALF)
        return;
    struct box_half half = box_half_of(meeting);
    struct solid *cut = half.is_second ? second : first;
    double quarter = cut->half[half.axis] / 2;
    cut->centre = vec3_along(cut->centre, cut->axes[half.axis], half.sign * quarter);
    cut->half[half.axis] = quarter;
}

#endif

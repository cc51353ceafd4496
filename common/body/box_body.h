/* What a creature of boxes has of its own, beside the links and boxes of space_body.h.
 *
 * It hangs on a struct phenotype (phenotype.h), whose parts are the boxes, one for one, and whose
 * drives are the freedoms of the joints; the phenotype has no links of the plane. Joints, frames
 * and signs are those of space_body.h and docs/physics-space.md. SI units; x to the right, y up, z
 * towards the viewer; all frames are right-handed.
 *
 * A link is a box and everything joined to it rigidly. links[0] is the root, which is free; parents
 * come before their children. A link's frame has its origin at its joint, and at birth its axes are
 * those of the joint: x leads out of the parent, z is the axis of bending. The root's has its
 * origin at the centre of box 0 and the world's axes. A box's own frame has its origin at its
 * centre and its axes along its sides. Limits are from birth, lower <= 0 <= upper, and mirrored
 * already.
 *
 * In a mirrored part (mirror = -1) the genes' z axis is reversed: face `front` of the genes is the
 * face at -z of the box, and turns about x and y have the other sign; turns about z and slides
 * along x have not. `sign` below says so for each freedom.
 *
 * Sizes: 1 to 64 boxes, as many links at most. */
#ifndef COMMON_BODY_BOX_BODY_H
#define COMMON_BODY_BOX_BODY_H

#include "common/body/box_half.h"
#include "common/body/phenotype.h"
#include "common/body/space_body.h"

/* What genes and brain know of a link. */
struct box_link {
    int part;        /* the box whose joint it is: its first one */
    int parent_part; /* the box that joint is on; -1 of the root */
    int joint;       /* enum joint_type, never JOINT_RIGID; of no meaning at the root */
    /* The freedoms of the joint, 0 at the root: a slide along x; or turns, in the order of their
     * axes; spherical: the components x, y, z of the rotation vector, in the child's axes. Drive
     * first_drive + k of the phenotype is freedom k. */
    int freedoms, first_drive;
    /* Genes and brain have signals and the feeling of freedom k in units of sign[k] times scale:
     * sign -1 where a mirrored part turns the other way; scale that of the part of linear joints,
     * else 1. */
    double sign[GENOME_FREEDOMS_MAX], scale;
};

struct box_body {
    struct space_body space;
    struct box_link *links; /* of those of `space`, one for one */
};

static inline const struct box_body *box_body_of(const struct phenotype *phenotype)
{
    return phenotype->detail;
}

#endif

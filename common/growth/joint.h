/* The joints of bodies, as rows of one table.
 *
 * A joint lets the child slide along axes of the joint's frame, then turn about axes one after the
 * other, or about all at once:
 *
 *   child = parent . frame . shift along x, y, z . turn about axis 1 . turn about axis 2 . turn of
 *   the ball
 *
 * x leads out of the parent's face along the child, z is the axis of bending. The first axis stands
 * fixed in the parent, the second one in the child. Two axes that cross at a right angle are so in
 * every pose: no joint of two axes is ever singular. A ball has a quaternion, and the relative
 * angular velocity in the child's axes as its rates: no three angles, which are singular somewhere.
 *
 * Coordinates q and rates qd go in the order of that line; only of a ball is their number not the
 * same. */
#ifndef COMMON_GROWTH_JOINT_H
#define COMMON_GROWTH_JOINT_H

#include "common/math/rotation.h"

enum link_joint {
    LINK_RIGID,
    LINK_REVOLUTE,
    LINK_TWIST,
    LINK_UNIVERSAL,
    LINK_BEND_TWIST,
    LINK_TWIST_BEND,
    LINK_SPHERICAL,
    LINK_LINEAR,
    LINK_FREE,   /* of a root: three slides and a ball */
    LINK_PLANAR, /* of a root that stays in a plane: slides along x and y, a turn about z */
    /* Its origin is fixed in its parent, and it does not turn. The link is one rectangle that
     * gets longer and thinner with the logarithm e of its stretch: width exp(e), height exp(-e),
     * their product kept, everything in it moving with it, seen from the origin. The centre of
     * mass and the joints of what hangs on it move likewise. A part that stretches and has a
     * joint that moves has a link without mass before, at that joint. */
    LINK_STRETCH,
    /* Joints that move, of what stretches besides: one link, as the reference has them. */
    LINK_REVOLUTE_STRETCH,
    LINK_LINEAR_STRETCH,
    LINK_PLANAR_STRETCH,
    LINK_JOINT_COUNT
};

enum { JOINT_TURNS_MAX = 2, JOINT_RATES_MAX = 6 };

struct joint_kind {
    const char *name;
    int slides;                /* along x; or along x and y; or along x, y and z */
    int turns;                 /* about ... */
    int axes[JOINT_TURNS_MAX]; /* ... x: 0, y: 1, z: 2 */
    int has_ball;
    int is_root;   /* nothing holds it: it has no limits and no damping */
    int stretches; /* its last freedom is neither a slide nor a turn */
};

extern const struct joint_kind joint_kinds[LINK_JOINT_COUNT];

static inline int joint_coordinates(const struct joint_kind *joint)
{
    return joint->slides + joint->turns + joint->stretches + 4 * joint->has_ball;
}

static inline int joint_rates(const struct joint_kind *joint)
{
    return joint->slides + joint->turns + joint->stretches + 3 * joint->has_ball;
}

/* How far a ball's x axis has left the frame's, 0 to pi; and its turn about x, -pi to pi. */
double joint_swing(struct quaternion q);
double joint_twist(struct quaternion q);
/* How they change with a turn of the child, in the child's axes: vectors to be multiplied with its
 * rates. At a swing of 0 or pi 0 is given for the former, at a swing of pi 0 for the latter. */
struct vec3 joint_swing_gradient(struct quaternion q);
struct vec3 joint_twist_gradient(struct quaternion q);

#endif

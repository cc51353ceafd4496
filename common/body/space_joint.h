/* The joints of bodies in space, as rows of one table.
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
#ifndef COMMON_BODY_SPACE_JOINT_H
#define COMMON_BODY_SPACE_JOINT_H

#include "common/math/rotation.h"

enum space_joint_kind {
    SPACE_RIGID,
    SPACE_REVOLUTE,
    SPACE_TWIST,
    SPACE_UNIVERSAL,
    SPACE_BEND_TWIST,
    SPACE_TWIST_BEND,
    SPACE_SPHERICAL,
    SPACE_LINEAR,
    SPACE_FREE,   /* of a root: three slides and a ball */
    SPACE_PLANAR, /* of a root that stays in a plane: slides along x and y, a turn about z */
    SPACE_JOINT_COUNT
};

enum { SPACE_TURNS_MAX = 2, SPACE_RATES_MAX = 6 };

struct space_joint {
    const char *name;
    int slides;                /* along x; or along x and y; or along x, y and z */
    int turns;                 /* about ... */
    int axes[SPACE_TURNS_MAX]; /* ... x: 0, y: 1, z: 2 */
    int has_ball;
    int is_root; /* nothing holds it: it has no limits and no damping */
};

extern const struct space_joint space_joints[SPACE_JOINT_COUNT];

static inline int space_joint_coordinates(const struct space_joint *joint)
{
    return joint->slides + joint->turns + 4 * joint->has_ball;
}

static inline int space_joint_rates(const struct space_joint *joint)
{
    return joint->slides + joint->turns + 3 * joint->has_ball;
}

/* How far a ball's x axis has left the frame's, 0 to pi; and its turn about x, -pi to pi. */
double space_swing(struct quaternion q);
double space_twist(struct quaternion q);
/* How they change with a turn of the child, in the child's axes: vectors to be multiplied with its
 * rates. At a swing of 0 or pi 0 is given for the former, at a swing of pi 0 for the latter. */
struct vec3 space_swing_gradient(struct quaternion q);
struct vec3 space_twist_gradient(struct quaternion q);

#endif

/* The own structures of a creature of spheres: spheres joined by bones, with joints that hold the
 * angle between two bones, in three dimensions (y up; in a world of two everything has z = 0).
 *
 * It hangs on a struct phenotype (phenotype.h), whose parts are the spheres, one for one, and whose
 * drives and effectors are the drives; there are no links. Sizes: 4 to 64 spheres, 3 to 128 bones,
 * up to 64 joints. Bones have no mass and pass through one another; spheres joined by a bone do not
 * touch each other. */
#ifndef COMMON_GROWTH_SPHERE_BODY_H
#define COMMON_GROWTH_SPHERE_BODY_H

#include "common/growth/phenotype.h"

enum {
    SPHERE_BONES_MAX = 192,
    SPHERE_JOINTS_MAX = 64,
};

struct sphere {
    double radius_m, mass_kg;
    /* About its centre; 0: it does not turn, as a foot that its bones hold: things that
     * touch it rub. */
    double inertia_kg_m2;
    double friction;    /* times creature.friction */
    double elasticity;  /* where it is more than creature.elasticity */
    struct vec3 centre; /* at birth; the root's is at the origin */
};

/* A rod between the centres of two spheres, as long as they are apart at birth. */
struct bone {
    int a, b; /* spheres, a != b; at most one bone joins two spheres */
    double length_m;
    int is_muscle;
    /* Only muscles have these: the range of the length that is asked for, its greatest rate, and
     * the greatest force, pushing or pulling. */
    double shortest_m, longest_m, rate_m_s, strength_n;
};

/* Ball: free within a cone about where the bone was at birth. Hinge: turns about one axis. Saddle:
 * about two at right angles. */
enum sphere_joint_kind { SPHERE_BALL, SPHERE_HINGE, SPHERE_SADDLE };

/* Holds the bone from `sphere` to `end` against the bone from `sphere` to `base`. Directions across
 * the base bone are known by a third sphere, `reference`, in no line with base and sphere (a bone
 * should hold it against either). Without one (-1) only the angle between the two bones can be held
 * and driven: every kind is then an interval of that angle, from birth, positive when it opens; but
 * in a world of two dimensions no reference is needed. */
struct sphere_joint {
    int sphere, base, end, reference;
    int kind;
    /* Hinge and saddle: the (first) axis at birth, in the world; made orthogonal to the bone to
     * `end`. The saddle's second axis is at right angles to it and to the bone. */
    struct vec3 axis;
    /* Angles about the axes from the pose at birth, counter-clockwise about them, rad, lower <= 0
     * <= upper, within +-pi / 2 for saddles and +-pi for hinges; ball: upper[0] is half the cone's
     * opening. Mirrored joints have mirrored axes and exchanged limits already. */
    double lower[2], upper[2];
    /* 0: free within its limits. Else the torque about each axis is at most so much, and asks for
     * at most this rate. Balls cannot be driven. */
    double strength_n_m, rate_rad_s;
};

/* The bone or drive that an effector's signal moves: a muscle's length, or an angle of a driven
 * joint. It asks for rest + unit * signal, clamped to low .. high (m or rad). */
enum sphere_drive_kind { SPHERE_DRIVE_BONE, SPHERE_DRIVE_JOINT };
struct sphere_drive {
    int kind;
    int index; /* bone or joint */
    int axis;  /* of joints: 0, saddles also 1 */
    double rest, unit, low, high;
};

struct sphere_body {
    struct sphere *spheres;
    struct bone *bones;
    struct sphere_joint *joints;
    struct sphere_drive *drives;
    int sphere_count, bone_count, joint_count, drive_count;
};

static inline const struct sphere_body *sphere_body_of(const struct phenotype *phenotype)
{
    return phenotype->detail;
}

#endif

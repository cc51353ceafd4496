/* Bodies in the plane as their dynamics move them: links that turn or slide against one another.
 * What a creature of rectangles grows into, and what a scene in the plane writes down.
 *
 * A link is a part and everything joined to it rigidly. links[0] is the root: free, unless the body
 * is_root_fixed: then it is the world itself, without mass, and may have no parts. A link's frame
 * has its origin at the joint to the parent link (root: centre of part 0) and the world's axes at
 * birth, so that all link angles are 0 at birth. */
#ifndef COMMON_BODY_PLANE_BODY_H
#define COMMON_BODY_PLANE_BODY_H

#include "common/body/phenotype.h"

/* The root's slides along x and y; drive 0 is its angle, drive i the joint of link i. */
enum { PLANE_ROOT_RATES = 2 };
/* A part has two links at most: of its joint, and of its stretch. */
enum { PLANE_RATES_MAX = PLANE_ROOT_RATES + 2 * PHENOTYPE_PARTS_MAX };

/* How a link moves against its parent: turning about the joint, or sliding along an axis that is
 * fixed in the parent, without turning.
 *
 * LINK_STRETCH: its origin is fixed in its parent, and it does not turn. The link is one rectangle
 * that gets longer and thinner with the logarithm e of its stretch: width exp(e), height exp(-e),
 * their product kept, everything in it moving with it, seen from the origin. The centre of mass and
 * the joints of what hangs on it move likewise. A part that stretches and has a joint that moves
 * has a link without mass before, at that joint. LINK_FIXED: it does not move: what hangs rigidly
 * on a part that stretches. */
enum link_joint { LINK_HINGE, LINK_LINEAR, LINK_STRETCH, LINK_FIXED };

struct link {
    int parent;        /* link, or -1 */
    int part;          /* the part whose joint it is (its first part) */
    int parent_part;   /* the part that joint is on */
    int joint_kind;    /* LINK_*; of no meaning at the root */
    struct vec2 joint; /* the joint in the parent link's frame (root: 0, 0); LINK_LINEAR: where the
                        * link's origin is at extension 0 */
    struct vec2
        axis; /* LINK_LINEAR: unit vector in the parent link's frame, the positive direction;
               * LINK_STRETCH: along the width */
    struct vec2 half_m; /* LINK_STRETCH: half the sides at birth */
    double mass_kg;
    struct vec2 centre;   /* centre of mass in the link's frame */
    double inertia_kg_m2; /* about its centre of mass */
    double lower,
        upper; /* limits of the joint angle, rad, counter-clockwise, or of the extension, m;
                          * 0 at birth (mirrored parts: exchanged and negated already) */
    int has_effector;
    /* Genes and brain have signals and the feeling of the joint in units of mirror times scale:
     * hinges: the part's mirror and 1; LINK_LINEAR: 1 and the part's scale. */
    int mirror;
    double scale;
    double strength; /* of the effector: the greatest torque, N m, or force, N */
};

/* A joint that closes a loop between two links that hang together already. In scenes only, and
 * moved by the constraint solver only. */
enum closure_kind { CLOSURE_ROTARY, CLOSURE_LINEAR, CLOSURE_RIGID };
struct closure {
    enum closure_kind kind;
    int a, b;               /* links */
    struct vec2 at_a, at_b; /* the joint in their frames */
    double angle_rad;       /* of a's frame against b's, where it is not free */
    struct vec2 across;     /* linear: at right angles to the way, in b's frame */
};

struct plane_body {
    struct link *links;
    int link_count;
    /* of scenes only: */
    int is_root_fixed;
    const struct closure *closures;
    int closure_count;
};

#endif

/* A body as its dynamics move it: links with a row of the table of joints, and what is on them.
 * What a creature of rectangles or boxes grows into, and what a scene writes down; in the plane
 * all of it lies in z = 0 and turns about z.
 *
 * A link is a part and everything joined to it rigidly; parents come before their children.
 * links[0] is the root: it is free, or moves in the plane, or is fixed: then it is the world
 * itself and may have no parts. A link's frame has its origin at its joint and at birth the axes
 * of the joint's frame: in the plane those of the world, in space x leads out of the parent and
 * z is the axis of bending. The root's has its origin at the centre of part 0. */
#ifndef COMMON_GROWTH_BODY_H
#define COMMON_GROWTH_BODY_H

#include "common/growth/joint.h"
#include "common/growth/phenotype.h"

/* In the plane: the root's slides along x and y. Drive 0 is its angle, drive i the joint of link
 * i. */
enum { PLANE_ROOT_RATES = 2 };
/* A part has two links at most: of its joint, and of its stretch. */
enum { PLANE_RATES_MAX = PLANE_ROOT_RATES + 2 * PHENOTYPE_PARTS_MAX };

struct body_link {
    int parent;              /* an earlier link, or -1: the world */
    enum link_joint kind;    /* how it moves against its parent */
    struct vec3 joint;       /* in the parent's frame (root: 0) */
    struct quaternion frame; /* of the joint, likewise */
    /* In the plane. LINK_LINEAR: a unit vector in the parent's frame along which it slides, 0 at
     * the joint; in space that is x of the joint's frame. LINK_STRETCH: along the width. */
    struct vec3 axis;
    struct vec3 half_m; /* LINK_STRETCH: half the sides at birth */
    double mass_kg;
    struct vec3 centre;  /* of mass, in the own frame */
    struct sym3 inertia; /* about it, kg m^2, likewise; in the plane zz counts */
    /* Limits, from birth: of each slide and turn, rad or m; lower[0] and upper[0] of a ball are
     * those of its twist, and its swing is at most cone_rad. Infinite: no limit. Of no meaning at
     * a root. */
    double lower[JOINT_RATES_MAX], upper[JOINT_RATES_MAX];
    double cone_rad;
    double strength; /* of the effectors of its freedoms, N m or N; 0: there are none */

    /* Known to genes and brain; of creatures only. */
    int part;        /* the part whose joint it is: its first one */
    int parent_part; /* the part that joint is on; -1 of the root */
    int gene_joint;  /* enum joint_type of the part's gene; in space only */
    int first_drive; /* drive first_drive + k of the phenotype is freedom k */
    /* Signals and feelings of freedom k are in units of sign[k] times scale: sign -1 where a
     * mirrored part turns the other way; scale that of a part that slides, else 1; of a stretch its
     * limit. */
    double sign[GENOME_FREEDOMS_MAX], scale;
};

/* A box on a link; in its own axes it is size_m wide. */
struct body_box {
    int link;
    struct vec3 centre; /* in the link's frame, as turn is */
    struct quaternion turn;
    struct vec3 size_m;
    int is_dry;   /* it feels no drag */
    int is_round; /* the ball inside it, which has three equal sides; it touches nothing else */
};

/* A joint that closes a loop between two links that hang together already: LINK_REVOLUTE,
 * LINK_LINEAR or LINK_RIGID. In scenes in the plane only, and moved by the reference only. */
struct closure {
    enum link_joint kind;
    int a, b;               /* links */
    struct vec2 at_a, at_b; /* the joint in their frames */
    double angle_rad;       /* of a's frame against b's, where it is not free */
    struct vec2 across;     /* linear: at right angles to the way, in b's frame */
};

struct body {
    struct body_link *links;
    int link_count;
    struct body_box *boxes; /* in space; in the plane parts say where they are on their links */
    int box_count;
    const struct closure *closures;
    int closure_count;
};

/* 1 if the root is the world. */
static inline int body_is_fixed(const struct body *body)
{
    return body->links[0].kind == LINK_RIGID;
}

/* The number of drives that a link's joint has in space; the root has none. */
static inline int body_freedoms(const struct body_link *link)
{
    const struct joint_kind *joint = &joint_kinds[link->kind];
    return joint->is_root ? 0 : joint_rates(joint);
}

/* A link of no limits, in a frame that is not turned. */
static inline struct body_link body_link_unlimited(int parent, enum link_joint kind)
{
    struct body_link link = {.parent = parent,
                             .kind = kind,
                             .frame = QUATERNION_ONE,
                             .axis = {1, 0, 0},
                             .cone_rad = HUGE_VAL,
                             .scale = 1};
    for (int k = 0; k < JOINT_RATES_MAX; k++) {
        link.lower[k] = -HUGE_VAL;
        link.upper[k] = HUGE_VAL;
    }
    return link;
}

#endif

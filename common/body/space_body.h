/* Bodies in space as their dynamics move them: links with a row of the joint table, and boxes on
 * them. What a creature of boxes grows into, and what a scene in three dimensions writes down. */
#ifndef COMMON_BODY_SPACE_BODY_H
#define COMMON_BODY_SPACE_BODY_H

#include "common/body/space_joint.h"

/* What a link is made of. Its frame has its origin at the joint. */
struct space_link {
    int parent; /* an earlier link, or -1: the world */
    enum space_joint_kind kind;
    struct vec3 joint;       /* in the parent's frame */
    struct quaternion frame; /* of the joint, likewise */
    double mass_kg;
    struct vec3 centre;  /* of mass, in the own frame */
    struct sym3 inertia; /* about it, kg m^2, likewise */
    /* limits: of each slide and turn; lower[0] and upper[0] of a ball are those of its twist, and
     * its swing is at most cone_rad. Infinite: no limit */
    double lower[SPACE_RATES_MAX], upper[SPACE_RATES_MAX];
    double cone_rad;
};

/* A box on a link; in its own axes it is size_m wide. */
struct space_box {
    int link;
    struct vec3 centre; /* in the link's frame, as turn is */
    struct quaternion turn;
    struct vec3 size_m;
    int is_dry;   /* it feels no drag */
    int is_round; /* the ball inside it, which has three equal sides; it touches nothing else */
};

struct space_body {
    const struct space_link *links;
    int link_count;
    const struct space_box *boxes;
    int box_count;
};

/* No limits, and no turn of the frame. */
static inline struct space_link space_link_unlimited(int parent, enum space_joint_kind kind)
{
    struct space_link link = {
        .parent = parent, .kind = kind, .frame = QUATERNION_ONE, .cone_rad = HUGE_VAL};
    for (int k = 0; k < SPACE_RATES_MAX; k++) {
        link.lower[k] = -HUGE_VAL;
        link.upper[k] = HUGE_VAL;
    }
    return link;
}

#endif

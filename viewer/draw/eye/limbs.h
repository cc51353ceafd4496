/* The limbs of a skin: what a replay's shapes are at a moment, rounded, thinner away from the
 * joint, with a ball at each joint and a soft neck to the part that it hangs on; and their colours.
 *
 * A limb lies in its shape but for ball and neck, which are thinner than the thinner of the two
 * that meet there. Boxes, balls, rods and the rectangles of the plane are one kind of limb, a box
 * whose edges are round by two radii. All is told by distances, negative inside (Hart, Sphere
 * tracing, The Visual Computer 12, 1996). */
#ifndef VIEWER_DRAW_EYE_LIMBS_H
#define VIEWER_DRAW_EYE_LIMBS_H

#include "viewer/draw/eye/eye.h"

struct limb {
    struct vec3 centre, axes[3];
    double half[3], reach; /* half its sides; radius of a ball around it */
    int thin, a, b;        /* its shortest axis, and the others */
    double round[3];       /* radii of its edges by axis: of its outline as seen along the thin one,
                              and of its section */
    int along;             /* the axis along which it grows thinner; -1: it does not */
    double sign, taper;    /* which end is the thick one; how much of the other's width is gone */
    int parent;            /* the limb that it grows into at its joint, or -1 */
    struct vec3 joint, neck_at;    /* the latter a little inside the parent */
    double ball, neck, neck_reach; /* radius of the joint's ball; how softly it grows into the
                                      parent, and how far around neck_at, m */
    int root, depth, is_single;    /* the first of its body; steps from there; it is no pair */
    uint32_t color;
};

/* In one coat; each part in its own colour; or the true shapes, in these colours. */
enum skin_style { SKIN_COAT, SKIN_PARTS, SKIN_BOXES };

struct limbs {
    struct vec3 up; /* of the first body, where its back is; a unit */
    enum skin_style style;
    int is_animal; /* one body alone in one coat, which has a light belly */
    int count, eye_count;
    struct limb list[]; /* by shape; then the balls of eyes, which sit on heads and shade nothing */
};

/* The limbs of a scene at its time, to be freed; NULL: no memory. */
struct limbs *limbs_create(const struct scene *scene, enum skin_style style);
/* The distance of one limb, without ball and neck, m. */
double limb_distance(const struct limb *limb, struct vec3 at);
/* The distance of a limb that has a parent, of that, of the ball and of the neck. */
double limbs_neck_distance(const struct limbs *limbs, const struct limb *limb, struct vec3 at);
/* Of which of the two a place of the neck's surface is: 0 the parent's .. 1 the limb's. */
double limbs_neck_share(const struct limbs *limbs, const struct limb *limb, struct vec3 at);
/* The distance of all limbs, without necks; `most` where that is less. */
double limbs_clearance(const struct limbs *limbs, struct vec3 at, double most);

#endif

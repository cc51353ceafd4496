/* A body and what moves it, as numbers that any program of rigid bodies understands: what exports
 * read instead of a kind's own structures. Each kind that has such a model fills it (struct
 * body_physics).
 *
 * Frames as everywhere: SI units, y up, right-handed; what moves in the plane only lies in z = 0. A
 * link's frame has its origin at its joint. From where it is at birth in its parent's frame its
 * joints move it one after the other: the first is fixed in the parent, each other one in what the
 * one before it moves. Coordinates and rates are those of struct dynamics; drive i
 * of the phenotype is the rate root_rates + i. */
#ifndef SIMULATOR_BODY_MODEL_H
#define SIMULATOR_BODY_MODEL_H

#include "common/math/rotation.h"
#include "simulator/body/servo.h"

/* Free: three slides along the axes of the frame, and a ball. A ball has a quaternion, and as rates
 * the angular velocity against the parent in the child's axes. */
enum model_joint_kind { MODEL_SLIDE, MODEL_HINGE, MODEL_BALL, MODEL_FREE, MODEL_JOINT_KINDS };

struct model_joint {
    enum model_joint_kind kind;
    const char *name; /* NULL: it has none but its number, that of its first drive */
    int coordinate, rate;
    struct vec3 axis;    /* of a slide or hinge: unit vector */
    double lower, upper; /* limits; of a ball: of its twist about x. Infinite: none */
    double
        cone_rad; /* a ball's x axis comes no farther away from the frame's. Infinite: no limit */
};

struct model_link {
    int parent; /* an earlier link, or -1: the world */
    struct vec3 at;
    struct quaternion turn;
    double mass_kg;
    struct vec3 centre;  /* of mass */
    struct sym3 inertia; /* about it, kg m^2, along the axes of the frame */
    int first_joint, joint_count;
};

/* Where a part of the phenotype is on its link. */
struct model_part {
    int link;
    struct vec3 centre;
    struct quaternion turn;
};

struct body_model {
    struct model_link *links;
    struct model_joint *joints;
    struct model_part *parts;
    struct servo *servos; /* per rate */
    int link_count, joint_count, part_count, rate_count, root_rates;
    /* The drag on whole boxes is that of a medium of this density with coefficient 1 on the leading
     * face, kg/m^3; 0: there is none, or it is of another law. */
    double medium_kg_m3;
};

#endif

/* A creature for MuJoCo: its body as MJCF, and what its brain told its muscles as a table to play back.
 *
 * x to the right is MuJoCo's x, y upwards its z, and counter-clockwise a turn about -y; the root slides
 * along x and z and turns, so that the motion stays in the plane. Masses, centres and inertias are ours;
 * each part is a box of some depth, for contacts and to be seen. What MuJoCo has no like of is told in a
 * comment: viscosity, restitution. Of two bodies joined to one another MuJoCo collides nothing, where ours
 * leaves out only the two parts at the joint. */
#ifndef SIMULATOR_TOOLS_MJCF_H
#define SIMULATOR_TOOLS_MJCF_H

#include <stdio.h>

#include "simulator/evaluate/evaluate.h"

/* Within the bounds of creature.parts_max. */
#define MJCF_EFFECTORS_MAX 64

/* Zero but for the first four fields before the evaluation. */
struct mjcf {
    FILE *model;   /* the body at the settled start, in a keyframe */
    FILE *signals; /* for each step of the model time_s and the actuators' controls; or NULL */
    const struct params *params;
    const char *name;
    int has_begun;
    int status;    /* ERR_MEMORY: the model is not whole, and the evaluation was stopped */
    int row_count; /* of the signals */
    double signal[MJCF_EFFECTORS_MAX];
};

/* The observer to give to evaluate(), with the struct as its context; of creatures of rectangles. */
evaluate_observer mjcf_observe;

#endif

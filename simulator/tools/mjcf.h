/* A creature for MuJoCo: its body as MJCF, and its muscles' signals as a table to play back. Any
 * kind of body that has a model (simulator/body/model.h).
 *
 * x to the right is MuJoCo's x, y upwards its z, z towards the viewer its -y; so a turn in the
 * plane, counter-clockwise, is one about -y. Masses, centres and inertias are ours; each part is a
 * box, for contacts and to be seen. A link is a MuJoCo body with our joints in our order, since
 * there, too, each joint turns with those before it.
 *
 * Differences of MuJoCo; the head of the written file says which of them apply:
 *   - the cone of a ball is a tendon between two points 1 m from it, whose length is 2 sin(swing /
 *     2); its twist has no limit of its own, the whole turn is bounded by what cone and twist allow
 *     together;
 *   - passive damping of a ball is the least of its three, and muscles have the rest;
 *   - quadratic drag is that of a box of the link's mass and inertia, without exposure; linear drag
 *     is left out;
 *   - restitution and muscles that lose force with speed are left out;
 *   - MuJoCo does not collide two bodies that a joint joins; rectangles leave out only the two
 *     parts at the joint. */
#ifndef SIMULATOR_TOOLS_MJCF_H
#define SIMULATOR_TOOLS_MJCF_H

#include <stdio.h>

#include "simulator/body/model.h"
#include "simulator/evaluate/evaluate.h"
#include "simulator/tools/scenes/scene.h"

enum { MJCF_EFFECTORS_MAX = 3 * PHENOTYPE_PARTS_MAX };

/* The content of a file: bodies in a world, in a state that becomes the keyframe `start`. */
struct mjcf_scene {
    const char *name;
    const struct body_model *model;
    /* parts' shapes and depths, how they meet, and effectors: of the drives with them actuators are
     * made */
    const struct phenotype *phenotype;
    const struct world *world;
    const double *q, *qd;
    double step_s;
    int effector_mode; /* EFFECTOR_* */
    /* missing, as the file's head says: muscles that lose force with speed; freedoms that follow a
     * motion */
    int has_drag, has_weaker_muscles, has_motions;
};

void mjcf_write(FILE *file, const struct mjcf_scene *scene);

/* A scene in three dimensions at its start, with its step; and the controls of its servos over so
 * many steps. Either file may be NULL. Freedoms that follow a motion are free there. 0, or
 * ERR_MEMORY when the arena is full. */
int mjcf_write_scene(const struct scene *scene, const char *name, FILE *model, FILE *signals,
                     uint64_t steps, struct arena *arena);

/* Zero but for the first four fields before the evaluation. */
struct mjcf {
    FILE *model;   /* the body at the settled start, in a keyframe */
    FILE *signals; /* for each step of the model time_s and the actuators' controls; or NULL */
    const struct params *params;
    const char *name;
    int has_begun;
    int status;         /* ERR_MEMORY: the model is not whole, and the evaluation was stopped */
    int row_count;      /* of the signals */
    struct arena arena; /* what the observer took: the caller deinits it */
    struct body_model body;
    /* per effector, at the last brain tick: its target, and what a ball adds to it; see mjcf.c */
    double target[MJCF_EFFECTORS_MAX], shift[MJCF_EFFECTORS_MAX];
};

/* The observer to give to evaluate_list(), with the struct as its context; of creatures whose kind
 * has a model. */
evaluate_observer mjcf_observe;

#endif

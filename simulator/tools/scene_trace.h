/* The motion of a scene as CSV; docs/scenes.md lists the columns. */
#ifndef SIMULATOR_TOOLS_SCENE_TRACE_H
#define SIMULATOR_TOOLS_SCENE_TRACE_H

#include <stdint.h>
#include <stdio.h>

#include "simulator/tools/scenes/scene.h"

/* Impulses of a body's contacts since the last line. */
struct scene_impulses {
    int contacts; /* in the last step */
    double normal_n_s, friction_n_s;
    double x_n_s, y_n_s; /* as a vector in the world, on the body */
};

/* Begin it with the scene, its motion and the files, which may be NULL. */
struct scene_trace {
    const struct scene *scene;
    struct dynamics *dynamics;
    FILE *motion, *contacts;
    struct scene_impulses impulses[SCENE_BODIES_MAX];
};

/* The headers, and the line of the start. */
void scene_trace_begin(struct scene_trace *trace);
/* After each step, which ended at time_s: its contacts, and where asked for a line of the motion.
 * Impulses are summed from line to line, so that none is lost between them. */
void scene_trace_step(struct scene_trace *trace, double time_s, int has_line);

#endif

/* The motion of a scene in three dimensions, by the solver that its settings name: what both
 * solvers of bodies in space offer, for the command, traces and tests. */
#ifndef SIMULATOR_TOOLS_SCENES_SPACE_RUN_H
#define SIMULATOR_TOOLS_SCENES_SPACE_RUN_H

#include "simulator/boxes/space_solver.h"
#include "simulator/tools/scenes/space_scene.h"

struct space_run {
    const struct space_solver *solver;
    void *state; /* the solver's own */
};

/* The motion at its start; the scene must outlive it unchanged. ERR_MEMORY when the arena is
 * full. */
int space_run_start(struct space_run *run, struct space_scene *scene, struct arena *arena,
                    struct error *error);
/* One step of dt_s. Returns what dynamics_step() does. */
int space_run_step(struct space_run *run);
/* What to say of a step that returned `result` and ended at time_s. Returns the code. */
int space_run_fail(const struct space_run *run, int result, const struct arena *arena,
                   double time_s, struct error *error);
/* Coordinates and rates of joints, and the tree there; good until the next step. */
const double *space_run_q(const struct space_run *run);
const double *space_run_qd(const struct space_run *run);
const struct space_tree *space_run_tree(struct space_run *run);
/* See space_dynamics.h. */
double space_run_effort(const struct space_run *run, int rate);
double space_run_value(const struct space_run *run, int rate);
const struct ledger *space_run_ledger(struct space_run *run);
int space_run_contacts(const struct space_run *run, const struct contact_point **contacts);
/* Steps taken, and those of them by Runge-Kutta methods: the others are midpoint steps. */
void space_run_step_counts(const struct space_run *run, uint64_t *steps, uint64_t *rk_steps);

#endif

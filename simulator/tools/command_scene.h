/* simulator scene: the motion of a scene (docs/scenes.md), as a trace and a summary. */
#ifndef SIMULATOR_TOOLS_COMMAND_SCENE_H
#define SIMULATOR_TOOLS_COMMAND_SCENE_H

#include <stdint.h>
#include <stdio.h>

#include "common/system/draft.h"
#include "common/system/options.h"
#include "simulator/body/dynamics.h"

extern const struct command scene_command;

/* ---- for the files of the command only ---- */

struct scene_request {
    const char *path, *trace_path, *contacts_path;
    const char *mjcf_path, *signals_path;   /* of scenes in three dimensions */
    int solver, integrator;                 /* -1: as the scene says */
    double dt_s, rtol, until_s, interval_s; /* 0: as the scene says */
};

/* A scene in three dimensions. 0, or what went wrong. */
int command_scene_in_space(const struct scene_request *request, struct error *error);

/* Puts what the request says in the place of what the scene says, and counts the times in steps.
 * ERR_RANGE if a time is not a whole number of steps, at least one. */
int scene_apply_request(const struct scene_request *request, struct dynamics_settings *settings,
                        double *until_s, double *interval_s, uint64_t *steps,
                        uint64_t *steps_per_line, struct error *error);
int scene_is_standard(const char *path);
/* A file of the command: that of its draft, standard output for -, or NULL where there is no
 * path. */
struct scene_file {
    FILE *file;
    struct draft draft;
};
int scene_open_file(struct scene_file *file, const char *path, struct error *error);
/* `result` is the first error so far, and is kept; what was written before it is kept, too. */
int scene_close_file(struct scene_file *file, int result, struct error *error);
/* Moves with the files of the request open, NULL where it names none. Returns what went wrong
 * first. */
int scene_move_to_files(const struct scene_request *request,
                        int (*run)(void *what, FILE *trace, FILE *contacts, struct error *error),
                        void *what, struct error *error);
/* Energies, work and losses, on standard output. */
void scene_print_ledger(const struct ledger *ledger);

#endif

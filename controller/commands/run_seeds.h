/* The seeds of a run: the creatures that evolution.seeds and the command line name. */
#ifndef CONTROLLER_COMMANDS_RUN_SEEDS_H
#define CONTROLLER_COMMANDS_RUN_SEEDS_H

#include "common/system/options.h"
#include "controller/evolution/seeding.h"
#include "controller/store/run_directory.h"

/* The folder that names of evolution.seeds are relative to: names in the parameter file first to
 * the file's folder, names on the command line first to the program's current folder. */
struct seed_origin {
    char folder[RUN_PATH_SIZE]; /* of the parameter file, with its slash; empty: it is here */
    int is_of_file;             /* evolution.seeds is from the file */
};
/* ERR_LIMIT: the path is too long. */
int seed_origin_init(struct seed_origin *origin, const char *params_path, struct error *error);

/* Makes the names of evolution.seeds those from where the program runs. ERR_FORMAT, or ERR_LIMIT
 * where they do not fit into the parameter. */
int run_seeds_resolve(struct params *params, const struct seed_origin *origin, struct error *error);

/* Reads the creatures of evolution.seeds, and of `more`, the --seed-creature without a world.
 * ERR_* with a message that names the creature. */
int run_seeds_read(struct seeding *seeding, const struct params *params,
                   const struct seed_origin *origin, const struct option_list *more,
                   struct error *error);

/* In X@WORLD, of --seed-creature, where @WORLD begins; NULL: it names no world. */
const char *run_seeds_find_world(const char *name);

#endif

/* Creatures of a preserve as creatures: a simulator takes them out of a state that was kept. */
#ifndef CONTROLLER_WORKERS_EXTRACT_H
#define CONTROLLER_WORKERS_EXTRACT_H

#include "common/creature/creature.h"
#include "controller/store/run_directory.h"
#include "controller/store/store.h"

/* Writes the state of a world at the end of an epoch to a file. ERR_MISSING where it was not
 * kept. */
int extract_write_state(struct store *store, uint32_t world, uint32_t epoch, const char *path,
                        struct error *error);
/* A creature of a run, as stored_get_creature(); of a preserve a life, with what it does alone in
 * such water: ERR_MISSING where no creature has that number, or no state that was kept has its
 * body. */
int extract_get_creature(struct store *store, uint64_t id, struct creature *creature,
                         struct error *error);

#endif

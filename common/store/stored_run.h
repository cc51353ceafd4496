/* The parts of an open run store that controller and viewer both read: one creature, the closed
 * generations, choices by hand. */
#ifndef COMMON_STORE_STORED_RUN_H
#define COMMON_STORE_STORED_RUN_H

#include "common/store/run_rows.h"
#include "common/store/stored_creature.h"

/* A creature with everything known of it, evaluated or not; id may be CREATURE_BEST or
 * CREATURE_FIRST. `creature` is initialised, and empty on error. */
int stored_get_creature(struct database *database, uint64_t id, struct creature *creature,
                        struct error *error);

/* The closed generation that is meant: -1 is the last one. ERR_MISSING if there is none, ERR_RANGE
 * if it is not closed. */
int stored_find_closed(struct database *database, int64_t wanted, int64_t *found,
                       struct error *error);

/* The closed generations from `first` on, in order: an array to free(). NULL where there are
 * none. */
int stored_get_generations(struct database *database, int64_t first,
                           struct store_generation **generations, int *count, struct error *error);

/* The choices of a generation, or of all (-1), in order of generation and id: as above. */
int stored_get_choices(struct database *database, int64_t generation, struct store_choice **choices,
                       int *count, struct error *error);

/* The last bout of a creature, against the youngest one that it met; of `contest` generation,
 * verdicts and margins are not read. ERR_MISSING if it had none. */
int stored_get_last_contest(struct database *database, uint64_t id, struct store_contest *contest,
                            struct error *error);

#endif

/* Epochs of a preserve in a run store, for controller and viewer. */
#ifndef COMMON_STORE_STORED_EPOCHS_H
#define COMMON_STORE_STORED_EPOCHS_H

#include "common/preserve/epoch_order.h"
#include "common/store/statement.h"

/* The last epoch up to `most` of which a world's state is kept. ERR_MISSING if there is none. */
int stored_epoch_find_state(struct database *database, uint32_t world, uint32_t most,
                            uint32_t *epoch, struct error *error);
/* Fills an order of a world and an epoch above 0 (both set, the rest empty): arrivals, creatures
 * that must not live, deeds of people, creatures that mouths spare, and the state where it is
 * kept. */
int stored_epoch_fill_order(struct database *database, struct epoch_order *order,
                            struct error *error);
/* Reads the digest of a world at the end of an epoch. ERR_MISSING if it has not come so far. */
int stored_epoch_get_digest(struct database *database, uint32_t world, uint32_t epoch,
                            uint64_t *digest, struct error *error);

#endif

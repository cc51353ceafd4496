/* Deeds of people in the worlds of a preserve, in words: "WORLD DEED", where DEED is
 *
 *   put CREATURE [X Y]   an egg of it (a file, or RUN_DIR:ID), by default in the middle, high up
 *   feed X Y JOULES      plants at a place
 *   move LIFE X Y        a creature to a place
 *   remove LIFE          a creature out of the world
 *   protect LIFE         mouths spare a creature from now on; expose LIFE: no longer
 *
 * A deed is done at the beginning of an epoch, and table `deeds` has it: so the run repeats. */
#ifndef CONTROLLER_RUN_DEEDS_H
#define CONTROLLER_RUN_DEEDS_H

#include "common/preserve/epoch_order.h"
#include "common/params/params.h"
#include "controller/store/store.h"

/* Reads a line. ERR_USAGE or another ERR_* with a message that says what is wrong. */
int deeds_read(const char *line, const struct params *params, uint32_t *world,
               struct epoch_deed *deed, struct error *error);
/* In both of these store NULL: only looks whether the lines can be understood. Their rows are
 * part of the open batch: store_commit() makes it durable.
 *
 * Writes the line into the store, for an epoch, or (0) for the next one that its world has not
 * lived through. `text` says what was understood. */
int deeds_put(struct store *store, const struct params *params, const char *line, uint32_t epoch,
              char *text, size_t size, struct error *error);
/* Writes a file of lines "M:SS WORLD DEED", done at the next beginning of an epoch from that time
 * on. Blank lines and what stands behind ';' or '#' are left out. ERR_RANGE if a world has lived
 * through such an epoch already. */
int deeds_put_file(struct store *store, const struct params *params, const char *path,
                   struct error *error);

#endif

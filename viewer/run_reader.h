/* Reads a run's creatures from RUN_DIR/run.db: the only file of the viewer that knows SQLite.
 *
 * Opened read-only, so a run may be watched while it is under way; what is in it is not trusted, every
 * row is checked as a creature file is. The schema is the run store's, documented in
 * docs/run-store.md; a store of another version is refused. */
#ifndef VIEWER_RUN_READER_H
#define VIEWER_RUN_READER_H

#include "common/creature.h"

#define RUN_READER_TOP_MAX 256

/* The best `top` of a closed generation (-1: the last closed one), in rank order, as an array that
 * run_reader_free() takes back. 0 < top <= RUN_READER_TOP_MAX. `generation_found` receives the
 * generation meant. Errors name the directory. */
int run_reader_get_top(const char *run_directory, int64_t generation, int top,
                       struct creature **creatures, int *count, int64_t *generation_found,
                       struct error *error);
void run_reader_free(struct creature *creatures, int count); /* NULL is allowed */

#endif

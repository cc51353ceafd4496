/* How people name a creature of a run: RUN_DIR:ID, RUN_DIR:best or RUN_DIR:first, wherever a
 * creature file may stand. */
#ifndef COMMON_STORE_CREATURE_NAME_H
#define COMMON_STORE_CREATURE_NAME_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

/* The first in rank of the last complete generation. */
#define CREATURE_FIRST UINT64_MAX
/* The champion, which passed the exam; in a run without one as CREATURE_FIRST. */
#define CREATURE_BEST ((uint64_t)0)

/* A number from 1, "best" or "first". 0, or ERR_RANGE. */
int creature_id_from_text(const char *text, uint64_t *id);

/* 1 if `name` is of that form, and no file has it as a path: then the directory, and the id. */
int creature_name_split(const char *name, char *directory, size_t size, uint64_t *id);

/* ERR_MISSING, and that the store at `path` has no such creature. */
int creature_fail_missing(const char *path, uint64_t id, struct error *error);

#endif

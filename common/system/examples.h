/* The examples that come with the programs: parameter files and creatures, called by their names
 * without ".ini", ".json" or ".creature". */
#ifndef COMMON_SYSTEM_EXAMPLES_H
#define COMMON_SYSTEM_EXAMPLES_H

#include <stddef.h>

#include "common/error.h"

enum example_kind { EXAMPLE_PARAMS, EXAMPLE_CREATURE };
/* The file that a person means: `name` itself if there is such a file, else the example of that
 * name. ERR_MISSING names a similar one. */
int example_find(enum example_kind kind, const char *name, char *path, size_t size,
                 struct error *error);

/* All parameter files, in the order of their names: the name, and the comment lines before the first other
 * line, as they stand in the file. */
int examples_each(void (*take)(void *context, const char *name, const char *comment), void *context,
                  struct error *error);

#endif

/* Where the project's other programs are. */
#ifndef COMMON_SYSTEM_FIND_PROGRAM_H
#define COMMON_SYSTEM_FIND_PROGRAM_H

#include <stddef.h>

#include "common/error.h"

/* Finds a program beside the one that runs, else in PATH. ERR_MISSING says where it was looked
 * for. */
int find_program(const char *name, char *path, size_t size, struct error *error);

#endif

/* The kinds of files that a path may lead to, and the commands that read each. */
#ifndef COMMON_FORMATS_FILE_KIND_H
#define COMMON_FORMATS_FILE_KIND_H

#include <stddef.h>

#include "common/error.h"

/* The name of the format in creature files, in either form. */
#define CREATURE_FORMAT_NAME "bestiary-creature"

enum file_kind {
    FILE_UNKNOWN, /* or it is not there */
    FILE_RUN,     /* the directory */
    FILE_STORE,   /* the file in it */
    FILE_OF_RUN,  /* no path: RUN_DIR:ID, where the directory is a run's */
    FILE_PARAMS,
    FILE_CREATURE,
    FILE_SCENE,
    FILE_SPACE_SCENE,
    FILE_KIND_COUNT
};

/* By its beginning; a file that is damaged further on is still of its kind. Nothing but directories
 * and regular files is opened. */
enum file_kind file_kind_of(const char *path);

/* After reading `path` as `wanted` failed: if it is of another kind, the message becomes "PATH:
 * this is a parameter file, not a creature (try: controller run PATH)". Returns error->code. */
int file_kind_explain(const char *path, enum file_kind wanted, struct error *error);

/* After "..." in a message about a folder that is no run: "; runs in it: walk-1, swim-2", or
 * nothing. */
const char *file_kind_list_runs(const char *folder, char *text, size_t size);

/* For a command that takes a creature and then, perhaps, a parameter file (NULL): ERR_USAGE if they
 * stand the wrong way round. */
int file_kind_check_order(const char *creature, const char *params, struct error *error);

#endif

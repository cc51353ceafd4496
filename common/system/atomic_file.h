/* Files that are written piece by piece, by us or by libraries and programs that take a name: they
 * are drafts until they are whole. (What is whole in memory goes through file_write().) */
#ifndef COMMON_SYSTEM_ATOMIC_FILE_H
#define COMMON_SYSTEM_ATOMIC_FILE_H

#include <limits.h>
#include <stdio.h>

#include "common/error.h"

struct atomic_file {
    const char *path;    /* the caller's */
    char name[PATH_MAX]; /* what is written into: PATH.part-PID; a device or a pipe itself */
    FILE *file;          /* of atomic_file_open(), else NULL */
};

/* Chooses the name, and makes nothing; a signal that ends the program removes the draft. 0 or
 * ERR_LIMIT. */
int atomic_file_begin(struct atomic_file *draft, const char *path, struct error *error);
/* Begins a draft and opens it as draft->file. 0, ERR_LIMIT or ERR_IO. */
int atomic_file_open(struct atomic_file *draft, const char *path, struct error *error);

/* With status 0 everything that was written reaches the disk, and the file gets its name.
 * Otherwise, or if that fails, nothing is left of the draft, and the old file stays. Returns the
 * status, or ERR_IO with a message. */
int atomic_file_end(struct atomic_file *draft, int status, struct error *error);

#endif

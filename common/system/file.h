/* Files: read with a limit, written so that no half file ever stands under the name. */
#ifndef COMMON_SYSTEM_FILE_H
#define COMMON_SYSTEM_FILE_H

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>

#include "common/error.h"

/* Reads at most max_bytes of a file that a user names; a longer file is ERR_LIMIT, a directory, a
 * device, a socket or a named pipe ERR_FORMAT. *bytes is from malloc and has a zero byte behind its
 * end; a byte order mark of UTF-8 before a text is left out. Errors name the path; *bytes is then
 * NULL. */
int file_read(const char *path, size_t max_bytes, char **bytes, size_t *length,
              struct error *error);

/* All bytes to an open descriptor, however many calls it takes. 0, or ERR_IO with errno. */
int file_write_all(int descriptor, const void *bytes, size_t length);

/* Whether path names something that bytes can be written into but that must not be replaced by a
 * file: a device, a pipe, a socket. 0 for a path that does not exist. */
int file_is_special(const char *path);

/* Writes a temporary file beside path, syncs it, and renames it to path. On an error path is as it
 * was and the temporary file is gone. A special file (as above) stays and gets the bytes. */
int file_write(const char *path, const void *bytes, size_t length, struct error *error);
/* Writes it whatever path is now: a link, a pipe or a device of that name goes, its target stays as
 * it is. For names in a directory that may be a stranger's. */
int file_replace(const char *path, const void *bytes, size_t length, struct error *error);

/* A file that is written piece by piece, by us or by libraries and programs that take a name: it is
 * a draft until it is whole. */
struct atomic_file {
    const char *path;    /* the caller's */
    char name[PATH_MAX]; /* what is written into: PATH.part-PID; a device or a pipe itself */
    FILE *file;          /* of atomic_file_open(), else NULL */
};

/* Chooses the name, and makes nothing; a signal that ends the program removes the draft. 0 or
 * ERR_LIMIT. */
int atomic_file_begin(struct atomic_file *draft, const char *path, struct error *error);
/* Begins a draft and opens it as draft->file. 0, ERR_LIMIT, ERR_MISSING or ERR_IO. */
int atomic_file_open(struct atomic_file *draft, const char *path, struct error *error);

/* With status 0 everything that was written reaches the disk, and the file gets its name.
 * Otherwise, or if that fails, nothing is left of the draft, and the old file stays. Returns the
 * status, or ERR_IO with a message. */
int atomic_file_end(struct atomic_file *draft, int status, struct error *error);

/* Renames a file, whatever has the new name now, and syncs the directory. */
int file_rename(const char *from, const char *to, struct error *error);

/* Whether a path that exists lies on a file system that other machines may have, too (NFS, Lustre,
 * ...); those of FUSE count as such. 0 where the system does not tell. */
int file_is_on_network(const char *path);

/* Opens DIRECTORY/NAME (flags: O_RDONLY, O_WRONLY, O_RDWR, with O_APPEND, O_CREAT). Only the
 * directory's own name may lead through links; a file below is opened if it is a regular file in
 * real folders, without ever waiting, and for writing only if it has no other name. 0, or ERR_*
 * with a message. */
int file_open_within(const char *directory, const char *name, int flags, int *descriptor,
                     struct error *error);
/* Opens a path: file_open_within() its directory. */
int file_open_plain(const char *path, int flags, int *descriptor, struct error *error);
/* The judgement alone, of what lstat() says. */
int file_check_plain(const struct stat *info, int is_written, const char *path,
                     struct error *error);

#endif

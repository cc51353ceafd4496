/* Whole files: read with a limit, written so that no half file ever stands under the name. */
#ifndef COMMON_FILE_H
#define COMMON_FILE_H

#include <stddef.h>

#include "common/error.h"

/* Reads at most max_bytes; a longer file is ERR_LIMIT. *bytes is from malloc and has a zero byte
 * behind its end. Errors name the path; *bytes is then NULL. */
int file_read(const char *path, size_t max_bytes, char **bytes, size_t *length,
              struct error *error);

/* All bytes to an open descriptor, however many calls it takes. 0, or ERR_IO with errno. */
int file_write_all(int descriptor, const void *bytes, size_t length);

/* Whether path names something that bytes can be written into but that must not be replaced by a
 * file: a device, a pipe, a socket. Not so for what is not there. */
int file_is_special(const char *path);

/* Writes a temporary file beside path, syncs it, and renames it to path. On an error path is as it
 * was and the temporary file is gone. What is special (as above) stays and gets the bytes. */
int file_write(const char *path, const void *bytes, size_t length, struct error *error);

#endif

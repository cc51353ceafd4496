#include "simulator/tools/state_file.h"

#include <stdlib.h>

#include "common/system/file.h"

/* The greatest size of a file that holds a packed state, in bytes. */
#define FILE_BYTES_MAX (16u << 20)

typedef int unpacker(struct preserve_state *state, const struct packed_bytes *packed,
                     struct error *error);

static int read_file(const char *path, struct preserve_state *state, unpacker *unpack,
                     struct error *error)
{
    struct packed_bytes packed;
    char *bytes;
    preserve_state_init(state);
    int status = file_read(path, FILE_BYTES_MAX, &bytes, &packed.length, error);
    if (status)
        return status;
    packed.bytes = (unsigned char *)bytes;
    status = unpack(state, &packed, error);
    if (status) {
        error_prefix(error, "%s", path);
        preserve_state_deinit(state);
    }
    free(bytes);
    return status;
}

int state_file_read(const char *path, struct preserve_state *state, struct error *error)
{
    return read_file(path, state, preserve_state_unpack, error);
}

int egg_file_read(const char *path, struct preserve_state *state, struct error *error)
{
    return read_file(path, state, preserve_egg_unpack, error);
}
